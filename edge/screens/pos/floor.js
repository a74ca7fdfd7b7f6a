// The dining room: every table with what has to be done there, orders without a table, what guests ordered by themselves. Never a plan that
// one must zoom: on a phone it is a list, one's own tables first.

import { choose } from "../kit/dialog.js";
import { money } from "../kit/money.js";
import { inWords } from "../kit/refused.js";
import { clock, minutesSince, ticking } from "../kit/time.js";
import { isRemembered, may } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { computed, each, h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { mine, openDraft } from "./drafts.js";
import { age, byArea, coversOf, isMine, originOf, plan, since, wordOfOrder, wordOfTable } from "./sums.js";
import { channels, floor, go, me, onOrder, purse, till, tried, zone } from "./store.js";

/** @typedef {import("./sums.js").FloorTable} FloorTable */
/** @typedef {import("./sums.js").FloorOrder} FloorOrder */

/** What is shown of the room. */
const shown = signal(/** @type {"ALL" | "MINE" | "READY"} */ ("ALL"));

/** The shape that tells a word apart beside its colour. */
export const SIGNS = { FREE: "", RESERVED: "◇", BLOCKED: "✕", DIRTY: "≈", ACCEPT: "?", READY: "✓", CALL: "!", PAID: "✔", BILL: "₪", COOKING: "◔", EATING: "●", HELD: "‖", SEATED: "○" };

/** Opens a table: its first order, or what can be done with it where nobody can sit. @param {FloorTable} table */
export async function openTable(table) {
  if (table.status === "CLEANING" || table.status === "BLOCKED") return (await import("./tables.js")).freeTable(table);
  go({ at: "order", tableId: table.id, orderId: table.orders[0]?.id ?? null });
}

export function floorView() {
  // One's own tables stand first as they are when the floor is opened: none moves under a finger.
  const is = computed(() => floor() !== null);
  const first = computed(() => { const who = me(); return is() ? new Set((floor.peek()?.tables ?? []).filter((table) => isMine(table, who)).map((table) => table.id)) : new Set(); });
  const areas = computed(() => byArea(floor()?.tables ?? []));
  const count = (/** @type {(table: FloorTable) => boolean} */ is) => (floor()?.tables ?? []).filter(is).length;
  const isReady = (/** @type {FloorTable} */ table) => table.orders.some((order) => order.lines.ready > 0);
  const passes = (/** @type {FloorTable} */ table) => shown() === "ALL" || (shown() === "MINE" ? isMine(table, me()) : isReady(table));
  /** @param {"ALL" | "MINE" | "READY"} what @param {() => string} text */
  const chip = (what, text) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(shown() === what), onclick: () => shown.set(what) }, text);
  return [
    h("h1", { class: "spoken" }, t("nav.floor")),
    () => ((isAway() || isRemembered()) && floor() ? h("p", { class: "hint stand" }, t("floor.asOf", { time: clock(/** @type {any} */ (floor()).generatedAt, zone()) })) : null),
    h("div", { class: "tools" },
      h("div", { class: "chips", role: "group", "aria-label": t("floor.show") },
        chip("ALL", () => t("floor.all", { n: floor()?.tables.length ?? 0 })), chip("MINE", () => t("floor.mine", { n: count((table) => isMine(table, me())) })), chip("READY", () => t("floor.ready", { n: count(isReady) }))),
      () => (may("orders:create") ? h("div", { class: "chips" },
        h("button", { type: "button", class: "main", onclick: () => openDraft("TAKEAWAY") }, t("new.TAKEAWAY")),
        h("button", { type: "button", onclick: () => openDraft("DELIVERY") }, t("new.DELIVERY")),
        h("button", { type: "button", onclick: () => openDraft("COUNTER") }, t("new.COUNTER"))) : null)),
    guestsOrders(),
    h("div", { class: "room" }, each(areas, (area) => area.area, (area) => {
      const places = computed(() => new Map((plan(area().tables)?.at ?? []).map((one) => [one.id, one])));
      const list = computed(() => area().tables.filter(passes));
      return h("section", { class: "area", hidden: () => list().length === 0 },
        h("h2", {}, h("bdi", {}, () => area().area || t("floor.noArea")), h("small", {}, () => t("floor.taken", { n: area().tables.filter((table) => table.party).length, all: area().tables.length }))),
        h("ul", { class: () => (places().size > 0 && shown() === "ALL" ? "tables planned" : "tables") }, each(list, (table) => table.id, (table) => card(table, places, first))));
    })),
    () => (floor()?.tables.length === 0 ? h("p", { class: "empty" }, t("floor.none")) : floor() && shown() !== "ALL" && !(floor()?.tables ?? []).some(passes) ? h("p", { class: "empty" }, t("floor.noneOf")) : null),
    () => ((floor()?.orders.length ?? 0) > 0 ? h("section", { class: "area" }, h("h2", {}, t("floor.without")),
      h("ul", { class: "tables" }, each(() => (floor()?.orders ?? []).filter((order) => !order.awaitsApproval), (order) => order.id, loose))) : null),
    drafts(),
  ];
}

/** @param {() => FloorTable} table @param {() => Map<string, { column: number, row: number }>} places @param {() => Set<string>} first */
function card(table, places, first) {
  const word = computed(() => wordOfTable(table()));
  const minutes = computed(() => { const from = since(table()); return from ? minutesSince(from, ticking()) : null; });
  const ready = () => table().orders.reduce((sum, order) => sum + order.lines.ready, 0);
  return h("li", { class: () => [isMine(table(), me()) ? "mine" : "", first().has(table().id) ? "first" : ""].join(" ").trim() || null, style: { "--column": String(places().get(table().id)?.column ?? "auto"), "--row": String(places().get(table().id)?.row ?? "auto") } },
    h("button", { type: "button", class: () => `table ${word()} ${table().party ? age(minutes(), till().ageing) : ""}`, "data-table": table().number, onclick: () => openTable(table()) },
      h("span", { class: "head" }, h("b", { class: "number" }, h("bdi", {}, () => table().number)), h("span", { class: "word" }, h("span", { "aria-hidden": "true" }, () => `${SIGNS[word()]} `), () => t(`word.${word()}`))),
      h("span", { class: "facts" }, () => [
        minutes() !== null ? h("span", { class: "minutes" }, t("minutes", { n: /** @type {number} */ (minutes()) })) : null,
        coversOf(table()) ? h("span", {}, t("covers", { n: /** @type {number} */ (coversOf(table())) })) : table().party ? null : h("span", {}, t("seats", { n: table().seats })),
      ]),
      h("span", { class: "facts" }, () => {
        const name = table().party?.server?.name ?? table().orders[0]?.server?.name;
        return [name ? h("bdi", { class: "server" }, name) : null, table().dueCents > 0 ? h("b", { class: "due" }, money(table().dueCents, purse(), true)) : null];
      }),
      () => (ready() > 0 || table().calls.length > 0 ? h("span", { class: "marks" },
        ready() > 0 ? h("span", { class: "mark ready" }, t("mark.ready", { n: ready() })) : null,
        ...table().calls.map((call) => h("span", { class: "mark call" }, t(`call.${call.what}`)))) : null)));
}

/** An order at no table. @param {() => FloorOrder} order */
function loose(order) {
  const word = computed(() => wordOfOrder(order()));
  return h("li", {}, h("button", { type: "button", class: () => `table ${word()} ${age(minutesSince(order().createdAt, ticking()), till().ageing)}`, onclick: () => go({ at: "order", orderId: order().id }) },
    h("span", { class: "head" }, h("b", { class: "number" }, () => `#${order().tokenNumber}`), h("span", { class: "word" }, h("span", { "aria-hidden": "true" }, () => `${SIGNS[word()]} `), () => t(`word.${word()}`))),
    h("span", { class: "facts" }, h("span", { class: "minutes" }, () => t("minutes", { n: minutesSince(order().createdAt, ticking()) })), h("span", {}, () => t(`orderType.${order().orderType}`))),
    () => { const who = [originOf(order(), channels()), order().customerName].filter(Boolean); return who.length > 0 ? h("span", { class: "facts" }, h("bdi", { class: "guest" }, who.join(" · "))) : null; },
    h("span", { class: "facts" }, () => [order().server ? h("bdi", { class: "server" }, /** @type {any} */ (order().server).name) : null, order().dueCents > 0 ? h("b", { class: "due" }, money(order().dueCents, purse(), true)) : null])));
}

/** What guests ordered by themselves and staff have not taken. */
function guestsOrders() {
  const waiting = computed(() => [
    ...(floor()?.tables ?? []).flatMap((table) => table.orders.filter((order) => order.awaitsApproval).map((order) => ({ order, table: /** @type {FloorTable | null} */ (table) }))),
    ...(floor()?.orders ?? []).filter((order) => order.awaitsApproval).map((order) => ({ order, table: null })),
  ]);
  return h("div", { class: "asking", role: "status" }, each(waiting, (one) => one.order.id, (one) => h("div", { class: "warn card" },
    h("p", {}, () => t("guest.waits", { table: one().table?.number ?? "–", total: money(one().order.totalAmountCents, purse()) })),
    h("div", { class: "acts" },
      h("button", { type: "button", onclick: () => go({ at: "order", ...(one().table ? { tableId: one().table?.id } : {}), orderId: one().order.id }) }, t("guest.look")),
      h("button", { type: "button", onclick: () => refuse(one().order.id) }, t("guest.refuse")),
      h("button", { type: "button", class: "main", onclick: () => tried(() => onOrder("PATCH", "/status", { status: "ACCEPTED" }, one().order.id)) }, t("guest.accept"))))));
}

/** Says no to what a guest or a channel ordered, with one of the outlet's reasons. @param {string} id */
export async function refuse(id) {
  const reasons = till().reasons.cancel ?? [];
  const reason = await choose(t("guest.refuse"), reasons.map(({ code, text }) => ({ label: inWords(text), value: code })));
  if (!reason) return;
  // What came through a channel is in the kitchen already: some may not call that off alone.
  const { approved } = await import("./approve.js");
  await tried(() => approved(t("guest.refuse"), (approverPin) => onOrder("PATCH", "/status", { status: "CANCELLED", reason, ...(approverPin ? { approverPin } : {}) }, id)));
}

/** What one began at no table and has not sent. */
function drafts() {
  return () => {
    const open = mine().filter((draft) => draft.place.startsWith("n:"));
    return open.length === 0 ? null : h("section", { class: "area" }, h("h2", {}, t("drafts.mine")), h("ul", { class: "tables" }, ...open.map((draft) =>
      h("li", {}, h("button", { type: "button", class: "table draft", onclick: () => go({ at: "order", draftId: draft.place.slice(2) }) },
        h("span", { class: "head" }, h("b", { class: "number" }, t(`orderType.${draft.orderType}`)), h("span", { class: "word" }, t("draft"))),
        h("span", { class: "facts" }, h("span", {}, t("lines", { n: draft.lines.length })), h("bdi", {}, draft.customerName)))))));
  };
}
