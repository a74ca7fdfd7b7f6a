// The orders of the outlet: open ones, those for later, what guests wait to have accepted, and any that is looked for by number, name or table.
// Never more than a page at a time.

import { money } from "../kit/money.js";
import { ask } from "../kit/session.js";
import { moment } from "../kit/time.js";
import { each, effect, h, onEnd, signal, untrack } from "../kit/view.js";
import { t } from "../kit/words.js";
import { originOf, wantsAnswer } from "./sums.js";
import { channels, floor, go, onOrder, purse, tell, tradingDay, tried, zone } from "./store.js";
import { refuse } from "./floor.js";

/** @typedef {import("api").components["schemas"]["Order"]} Listed */

const OPEN = "PENDING,ACCEPTED,IN_PREPARATION,READY,DELIVERED";
/** What is listed, as the server is asked for it. @type {Record<string, () => Record<string, any>>} */
const LISTS = {
  open: () => ({ status: OPEN }), waiting: () => ({ status: "PENDING", source: "QR" }), later: () => ({ scheduled: true, status: OPEN }),
  channels: () => ({ status: OPEN, source: "AGGREGATOR,API" }), done: () => ({ status: "COMPLETED,CANCELLED", from: tradingDay() }), all: () => ({}),
};

export function ordersView() {
  const list = signal("open"), typed = signal(""), page = signal(1), rows = signal(/** @type {Listed[]} */ ([])), total = signal(0), busy = signal(true);
  let asked = 0, timer = 0;
  async function read() {
    const mine = (asked += 1);
    busy.set(true);
    try {
      const text = typed.peek().trim();
      const query = { ...(text ? {} : LISTS[list.peek()]()), page: page.peek(), limit: 25, ...(/^\d{1,3}$/.test(text) ? { tableNumber: text } : text ? { q: text } : {}) };
      let { data, meta } = await ask("GET", "/orders", { query });
      // A number may be a table's or the end of an order's.
      if (/^\d{1,3}$/.test(text) && data.length === 0) ({ data, meta } = await ask("GET", "/orders", { query: { q: text.padStart(4, "0"), page: page.peek(), limit: 25 } }));
      if (mine === asked) { rows.set(data); total.set(meta?.total ?? data.length); }
    } catch (error) { tell(error); } finally { if (mine === asked) busy.set(false); }
  }
  effect(() => { list(); typed(); page(); floor(); clearTimeout(timer); timer = setTimeout(() => untrack(() => void read()), 200); });
  onEnd(() => clearTimeout(timer));
  return h("div", { class: "pages" },
    h("h1", {}, t("nav.orders")),
    h("div", { class: "tools" },
      h("div", { class: "chips", role: "group", "aria-label": t("floor.show") }, ...Object.keys(LISTS).map((name) => h("button", { type: "button", class: "chip", hidden: () => name === "channels" && channels().size === 0, "aria-pressed": () => String(list() === name && !typed()), onclick: () => { list.set(name); typed.set(""); page.set(1); } }, t(`orders.${name}`)))),
      h("input", { type: "search", class: "look", "aria-label": t("orders.search"), placeholder: t("orders.search"), value: typed, oninput: (/** @type {any} */ event) => { typed.set(event.target.value); page.set(1); } })),
    h("ul", { class: "rows", "aria-live": "polite" }, each(rows, (one) => one.id, row)),
    () => (rows().length === 0 ? h("p", { class: "empty", role: "status" }, busy() ? t("loading") : t("orders.none")) : null),
    () => (total() > 25 ? h("div", { class: "acts" }, h("button", { type: "button", disabled: () => page() === 1, onclick: () => page.update((n) => n - 1) }, t("page.before")), h("button", { type: "button", disabled: () => page() * 25 >= total(), onclick: () => page.update((n) => n + 1) }, t("page.next"))) : null));
}

/** @param {() => Listed} one */
function row(one) {
  const open = () => go({ at: "order", ...(one().tableId && !["COMPLETED", "CANCELLED"].includes(one().status) ? { tableId: /** @type {string} */ (one().tableId) } : {}), orderId: one().id });
  return h("li", {},
    h("button", { type: "button", class: "what wide quiet", onclick: open },
      h("b", {}, () => `#${one().tokenNumber}`), " ", h("bdi", {}, () => (one().tableNumber ? `${t("table")} ${one().tableNumber}` : t(`orderType.${one().orderType}`))), " ",
      h("small", {}, () => [one().isScheduled && one().scheduledFor ? t("for", { time: moment(/** @type {string} */ (one().scheduledFor), zone()) }) : moment(one().createdAt, zone()), one().releasedLate ? t("late") : "", originOf(one(), channels()), one().customerName, one().server?.name, one().orderNumber].filter(Boolean).join(" · "))),
    h("span", { class: () => `state ${one().status}` }, () => (one().awaitsApproval ? t("word.ACCEPT") : t(`status.${one().status}`))),
    h("span", { class: "price" }, () => money(one().totalAmountCents, purse()), h("small", {}, () => (one().dueCents > 0 && one().status !== "CANCELLED" ? t("due", { amount: money(one().dueCents, purse()) }) : ""))),
    () => (wantsAnswer(one()) ? h("span", { class: "chips" },
      h("button", { type: "button", onclick: () => refuse(one().id) }, t("guest.refuse")),
      h("button", { type: "button", class: "main", onclick: () => tried(() => onOrder("PATCH", "/status", { status: "ACCEPTED" }, one().id)) }, t("guest.accept"))) : null));
}
