// One order: its dishes to choose from, what was sent, what is typed, what can be done with it. Never shows as sent what the box has not
// answered.

import { money } from "../kit/money.js";
import { inWords } from "../kit/refused.js";
import { may } from "../kit/session.js";
import { minutesSince, ticking, moment } from "../kit/time.js";
import { computed, each, effect, h, signal, untrack } from "../kit/view.js";
import { keys } from "../kit/keys.js";
import { t } from "../kit/words.js";
import { portions, total } from "./draft.js";
import { chosen, draft, onItsWay, place, quote, seat, sendDraft, troubled } from "./drafts.js";
import { dishPane, search } from "./dishes.js";
import { dock, firstLacking } from "./dock.js";
import { draftLines, sentLines } from "./lines.js";
import { coversOf, originOf, since, wantsAnswer } from "./sums.js";
import { channels, go, mayPay, order, purse, tableOf, tell, view, zone } from "./store.js";
import { toast } from "../kit/dialog.js";
import { isAway } from "../kit/stream.js";
import { switchPerson } from "./lock.js";

/** On a phone: the dishes or the order. */
const side = signal(/** @type {"dishes" | "order"} */ ("dishes"));

export function orderView() {
  // An order that somebody else began at this table is the table's; where the floor was only late, it is shown as if it had been there.
  let opened = 0;
  effect(() => {
    const at = view(), table = tableOf(at.tableId);
    if (at.at !== "order" || !table || at.orderId || at.fresh || table.orders.length === 0) return;
    untrack(() => {
      go({ ...at, orderId: table.orders[0].id });
      if (!draft.peek() && Date.now() - opened < 2_000) side.set("order");
    });
  });
  effect(() => { place(); untrack(() => { opened = Date.now(); chosen.set(null); seat.set(null); search.set(""); side.set(view.peek().orderId && !draft.peek() ? "order" : "dishes"); }); });
  keys({
    Escape: () => { if (chosen.peek()) chosen.set(null); else if (search.peek()) search.set(""); else go({ at: "floor" }); },
  });
  return h("div", { class: "order", "data-side": side }, head(),
    h("div", { class: "pane" }, dishPane(), dock()),
    h("section", { class: "slip", "aria-label": t("slip") }, tabs(), tools(), h("div", { class: "list" }, sentLines(), draftLines()), sums()),
    foot());
}

/** Where one is: back, table or number, guests, minutes, who serves. */
function head() {
  const table = computed(() => tableOf(view().tableId));
  return h("div", { class: "where" },
    h("button", { type: "button", class: "quiet back", onclick: () => go({ at: "floor" }) }, h("span", { "aria-hidden": "true", class: "arrow" }, "‹"), t("nav.floor")),
    h("h1", {}, () => {
      const one = order(), at = table();
      if (at) return [t("table"), " ", h("bdi", {}, at.number)];
      return one ? [t(`orderType.${one.orderType}`), " ", h("bdi", {}, `#${one.tokenNumber}`)] : t(`new.${draft()?.orderType ?? "TAKEAWAY"}`);
    }),
    h("p", { class: "facts" }, () => {
      const at = table(), one = order(), from = at ? since(at) : one?.createdAt;
      const guests = at ? coversOf(at) ?? one?.guestCount : one?.guestCount;
      const names = [
        guests ? t("covers", { n: guests }) : null, from && (!one || !one.closedAt) ? t("minutes", { n: minutesSince(from, ticking()) }) : null,
        one ? originOf(one, channels()) : null, one?.customerName, one?.server?.name, one ? t(`status.${one.status}`) : null,
        one?.scheduledFor && one.isScheduled ? t("for", { time: moment(one.scheduledFor, zone()) }) : null, one?.releasedLate ? t("late") : null, one?.invoiceNumber ?? one?.slipNumber ?? null,
      ].filter(Boolean);
      return names.map((name, n) => [n > 0 ? " · " : "", h("bdi", {}, name)]);
    }),
    () => { const at = table(); return at && at.calls.length > 0 && may("notifications:read") ? h("button", { type: "button", class: "calls", disabled: isAway, onclick: async () => { try { await (await import("./tables.js")).callsSeen(at); } catch (error) { tell(error); } } }, at.calls.map((call) => t(`call.${call.what}`)).join(" · "), " – ", t("read")) : null; },
    h("div", { class: "sides", role: "group", "aria-label": t("sides") }, .../** @type {const} */ (["dishes", "order"]).map((one) =>
      h("button", { type: "button", "aria-pressed": () => String(side() === one), onclick: () => side.set(one) }, () => (one === "dishes" ? t("side.dishes") : t("side.order", { n: (order()?.items.filter((line) => line.quantity > 0).length ?? 0) + (draft()?.lines.length ?? 0) }))))));
}

/** Several orders of one table, and a new one beside them. */
function tabs() {
  const open = computed(() => tableOf(view().tableId)?.orders ?? []);
  return h("div", { class: "chips tabs", role: "group", "aria-label": t("orders"), hidden: () => open().length < 2 && (open().length === 0 || !view().fresh) }, each(open, (one) => one.id, (one) =>
    h("button", { type: "button", class: "chip", "aria-pressed": () => String(one().id === view().orderId && !view().fresh), onclick: () => go({ at: "order", tableId: view.peek().tableId, orderId: one().id }) }, () => `#${one().tokenNumber} ${money(one().dueCents, purse(), true)}`)),
    h("button", { type: "button", class: "chip", "aria-pressed": "true", hidden: () => !view().fresh }, t("order.new")));
}

/** What can be done with the table and the order: in sight, for it is needed with one hand. */
function tools() {
  const acts = computed(() => {
    const at = view(), one = order(), table = tableOf(at.tableId);
    const open = one && !["COMPLETED", "CANCELLED"].includes(one.status), free = open && !one.invoiceNumber;
    return [
      ...(one && wantsAnswer(one) && may("orders:status") ? ["accept", "refuse"] : []),
      open && one.dueCents === 0 && one.items.length > 0 && !one.awaitsApproval && may("orders:status") ? (table ? "left" : "handed") : null,
      table && may("tables:operate") ? "guests" : null, table?.party && may("tables:operate") ? "move" : null,
      open && may("orders:update") && one.items.length > 0 ? "split" : null,
      free && may("orders:discount") ? "discount" : null,
      open && one.items.some((line) => line.kitchen?.status === "HELD") ? "fire" : null,
      !table && !one ? "details" : null,
      one || draft() || table ? "more" : null,
    ].filter((name) => name !== null);
  });
  return h("div", { class: "tools row" }, each(acts, (name) => name, (one) => {
    const name = one();
    return h("button", { type: "button", "data-act": name, disabled: isAway, onclick: async () => { try { await (await import("./acts.js")).act(name); } catch (error) { tell(error); } } }, t(`act.${name}`));
  }));
}

/** What the order comes to, and what it would with the draft. */
function sums() {
  return h("div", { class: "sums", "aria-live": "polite" }, () => {
    const one = order(), plan = draft(), asked = quote();
    /** @param {string} name @param {string} value @param {string} [look] */
    const row = (name, value, look) => h("p", { class: look ?? null }, h("span", {}, name), h("b", {}, value));
    return [
      one && one.discountCents > 0 ? row(t("sum.discount"), `−${money(one.discountCents, purse())}`) : null,
      one && one.serviceChargeCents > 0 ? row(t("sum.service"), money(one.serviceChargeCents, purse())) : null,
      one ? row(t("sum.total"), money(one.totalAmountCents, purse()), plan || (one.paidCents > 0 && one.dueCents > 0) ? "" : "big") : null,
      one && one.paidCents > 0 && one.dueCents > 0 ? row(t("sum.due"), money(one.dueCents, purse()), "big") : null,
      plan && plan.lines.length > 0 ? row(asked ? t("sum.draft") : t("sum.draftNoTax"), money(asked?.totalAmountCents ?? total(plan.lines), purse()), "draft") : null,
      ...(asked?.warnings ?? []).map((warning) => h("p", { class: "warn" }, inWords(warning.message))),
    ];
  });
}

/** The acts that come every minute: hold, pay, send. */
function foot() {
  const n = () => portions(draft()?.lines ?? []);
  const busy = signal(false);
  async function go() {
    const lacks = firstLacking();
    if (lacks) { chosen.set(lacks); toast(t("choose.first"), "bad"); return; }
    if (busy.peek()) return;
    busy.set(true);
    try { if (await sendDraft()) side.set("order"); } catch (error) { tell(error); } finally { busy.set(false); }
  }
  const stuck = () => troubled(draft()).length > 0;
  const going = () => onItsWay(place()).length > 0, asks = () => onItsWay(place()).some((entry) => entry.state === "ASK");
  return h("div", { class: "foot" },
    () => (going() ? h("p", { class: "going", role: "status" }, t(asks() ? "going.ask" : isAway() ? "going.away" : "going")) : h("p", { class: "going sumup" }, () => {
      const plan = draft();
      return plan?.lines.length ? t("draft.sum", { n: n(), total: money(quote()?.totalAmountCents ?? total(plan.lines), purse(), true) }) : "";
    })),
    h("button", { type: "button", class: "pay", hidden: () => !order() || ["CANCELLED"].includes(order()?.status ?? "") || order()?.awaitsApproval === true, disabled: isAway, onclick: pay }, () => (order()?.dueCents === 0 ? t("receipt") : t("pay"))),
    h("button", { type: "button", class: "main send", disabled: () => n() === 0 || busy() || going() || stuck() || !may("orders:create"), onclick: go }, () => (n() > 0 ? t("send", { n: n() }) : t("send.none"))));
}

/** Opens the bill; who may not take money hands over to somebody who may. */
async function pay() {
  try {
    const one = order.peek();
    if (!one) return;
    if (one.dueCents === 0 && one.items.length > 0) return void (await import("./receipt.js")).receipt(one);
    if (!mayPay() && !(await switchPerson(t("pay.who")))) return;
    if (!mayPay()) return void toast(t("pay.notYou"), "bad");
    await (await import("./pay.js")).pay();
  } catch (error) { tell(error); }
}

