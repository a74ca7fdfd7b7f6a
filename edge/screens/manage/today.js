// Today: what is wrong first, each with what to do about it, then how the day goes. Never asks more than two taps for an act.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { clock } from "../kit/time.js";
import { locale, t } from "../kit/words.js";
import { act, badge, figure, head, loaded, word } from "./parts.js";
import { amount, atDay, cash, date, happened, keepToday, lastToday, later, send, when, zone } from "./store.js";
import { at, go } from "./route.js";
import { table } from "./list.js";
import { spark } from "../kit/chart.js";
import { percent } from "../kit/money.js";
import { inWords } from "../kit/refused.js";

/** @typedef {{ level: "bad" | "warn", text: string, notes?: string[], does: import("../kit/view.js").Child }} Trouble */

async function read() {
  const { data: now } = await ask("GET", "/dashboard"), date = now.businessDate;
  atDay(date);
  const [suggestions, daily] = await Promise.all([
    may("ai:ask") ? ask("GET", "/ai/suggestions").then(({ data }) => data.suggestions, () => []) : [],
    ask("GET", "/analytics/daily", { query: { from: later(date, -13), to: date } }).then(({ data }) => data.days),
  ]);
  keepToday({ now, suggestions, daily });
  return { now, suggestions, daily };
}

export function draw() {
  return [
    head(t("section.today")),
    loaded(read, ({ now, suggestions, daily }, again) => {
      const found = troubles(now, again);
      return [
        h("p", { class: "hint" }, t("today.at", { date: date(now.businessDate), time: clock(now.generatedAt, zone()) })),
        h("section", { "aria-label": t("today.todo") },
          h("h2", {}, found.length > 0 ? t("today.todo") : t("today.fine")),
          h("ul", { class: "troubles-list" }, ...found.map((one) => h("li", { class: one.level }, h("div", {}, h("b", {}, one.text), ...(one.notes ?? []).map((note) => h("small", {}, note))), one.does)))),
        figures(now, daily),
        h("div", { class: "columns" }, suggested(suggestions), staff(now.staff), expiring(now.stock), states(now)),
      ];
    }, happened, lastToday()),
    may("notifications:read") ? h("section", { "aria-label": t("notices") }, h("h2", {}, t("notices")), notices()) : null,
  ];
}

/** @param {string} label @param {...string} to */
const link = (label, ...to) => h("a", { class: "button", href: at(...to) }, label);

/** What somebody should see to, the worst first. @param {any} now @param {() => void} again @returns {Trouble[]} */
function troubles(now, again) {
  /** @type {Trouble[]} */
  const found = [];
  /** @param {unknown} is @param {"bad" | "warn"} level @param {string} text @param {import("../kit/view.js").Child} does @param {string[]} [notes] */
  const add = (is, level, text, does, notes = []) => { if (is) found.push({ level, text, notes, does }); };
  const { approvals, backup, disk, displays, lateTickets: late, stock, sync, unusual } = now;
  add(now.clockDoubt, "bad", t("today.clock"), link(t("today.clock.set"), "settings", "box"));
  add(disk && disk.state !== "OK", "bad", t(disk?.state === "FULL" ? "today.disk.full" : "today.disk.low"), link(t("look"), "settings", "box"));
  add(late.count, "bad", t("today.late", { n: late.count }), may("kitchen:read") ? h("a", { class: "button", href: "/kitchen" }, t("today.kitchen")) : null,
    late.tickets.slice(0, 3).map((/** @type {any} */ one) => t("today.late.one", { table: one.tableNumber ?? one.orderNumber, station: one.stationName, minutes: one.lateMinutes })));
  add(approvals.qrOrders, "bad", t("today.qr", { n: approvals.qrOrders }), link(t("look"), "orders", "list", "PENDING"));
  add(displays?.unwatchedStations.length, "bad", t("today.unwatched", { names: (displays?.unwatchedStations ?? []).map((/** @type {any} */ one) => one.name).join(", ") }), link(t("look"), "devices", "screens"));
  add(displays?.silent.length, "warn", t("today.silent", { names: (displays?.silent ?? []).map((/** @type {any} */ one) => one.name).join(", ") }), link(t("look"), "devices", "screens"));
  add(stock.expiredCount, "bad", t("today.expired", { n: stock.expiredCount }), may("waste:log") ? link(t("today.expired.act"), "waste") : link(t("look"), "stock"),
    stock.expired.slice(0, 4).map((/** @type {any} */ one) => `${one.name}: ${amount(one.quantity, one.unit)}`));
  add(stock.lowCount, "warn", t("today.low", { n: stock.lowCount }), may("purchasing:write")
    ? act(t("today.low.act"), async () => { const { purchaseOrders: made } = await send("POST", "/purchase-orders/auto", {}); go("buying", "orders", ...(made.length === 1 ? [made[0].id] : [])); }, { sure: t("auto.sure") })
    : link(t("look"), "stock", "items", "low"),
  stock.low.slice(0, 4).map((/** @type {any} */ one) => `${one.name}: ${amount(one.currentStock, one.unit)} (${t("today.low.of", { least: amount(one.minStockThreshold, one.unit) })})`));
  add(approvals.urgentTickets, "bad", t("today.urgent", { n: approvals.urgentTickets }), link(t("look"), "voices", "queries"));
  add(approvals.leaveRequests, "warn", t("today.leave", { n: approvals.leaveRequests }), link(t("today.decide"), "people", "leave"));
  add(approvals.swaps, "warn", t("today.swaps", { n: approvals.swaps }), link(t("today.decide"), "people", "swaps"));
  add(approvals.needsReviewAttendance, "warn", t("today.punches", { n: approvals.needsReviewAttendance }), link(t("today.punches.act"), "people", "attendance", "review"));
  add(approvals.feedbackToAnswer, "warn", t("today.feedback", { n: approvals.feedbackToAnswer }), link(t("look"), "voices", "feedback"));
  add(backup?.overdue || backup?.secondOverdue, "bad", t("today.backup"), link(t("look"), "settings", "box"));
  add(sync?.enrolled && (sync.standing ?? "OK") !== "OK" && ["REPLACED", "REVOKED", "FORKED"].includes(sync.standing), "bad", t("box.notTheBranchs"), link(t("look"), "settings", "box"));
  add(sync?.openReviews, "warn", t("today.reviews", { n: sync?.openReviews }), link(t("today.decide"), "settings", "reviews"));
  add(unusual.count && may("audit:read"), "warn", t("today.unusual", { n: unusual.count }), link(t("look"), "reports", "audit"),
    unusual.latest.slice(0, 3).map((/** @type {any} */ one) => `${one.actorName} · ${word("audit", one.action)} · ${clock(one.at, zone())}`));
  void again;
  return found.sort((a, b) => Number(b.level === "bad") - Number(a.level === "bad"));
}

/** @param {any} now @param {any[]} daily */
function figures(now, daily) {
  const { sales } = now, change = sales.changePercentage;
  const open = ["PENDING", "ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED"].reduce((sum, state) => sum + (now.ordersByState[state] ?? 0), 0);
  return h("section", { class: "figures", "aria-label": t("today.figures") },
    h("a", { class: "tile", href: at("reports", "summary") }, figure(t("f.sales"), cash(sales.todayCents), change === null ? t("today.lastWeek", { amount: cash(sales.sameWeekdayLastWeekCents) })
      : t("today.change", { change: `${change > 0 ? "+" : ""}${percent(Math.round(change * 100), locale())}` })), spark(daily.map((one) => one.netRevenueCents))),
    h("a", { class: "tile", href: at("orders") }, figure(t("today.open"), amount(open), t("today.done", { n: sales.ordersCount }))),
    h("a", { class: "tile", href: at("orders") }, figure(t("today.tables"), `${now.tables.byStatus.OCCUPIED + now.tables.byStatus.BILL_PRINTED} / ${Object.values(now.tables.byStatus).reduce((/** @type {number} */ sum, one) => sum + Number(one), 0)}`, t("today.tables.note"))),
    may("attendance:read") ? h("a", { class: "tile", href: at("people", "attendance") }, figure(t("today.staff"), amount(now.staff.onShift.length), t("today.rostered", { rostered: now.staff.rostered, late: now.staff.late }))) : null);
}

/** @param {any[]} suggestions */
function suggested(suggestions) {
  return suggestions.length === 0 ? null : h("section", { class: "card" }, h("h2", {}, t("today.suggestions")),
    h("ul", { class: "plain" }, ...suggestions.map((one) => h("li", {}, h("b", {}, inWords(one.title)), h("small", {}, inWords(one.detail))))));
}

/** @param {any} staff */
function staff(staff) {
  return staff.onShift.length === 0 ? null : h("section", { class: "card" }, h("h2", {}, t("today.staff")),
    h("ul", { class: "plain" }, ...staff.onShift.map((/** @type {any} */ one) => h("li", {}, h("bdi", {}, one.name), " ", badge("state", one.state), h("small", {}, t("since", { time: clock(one.since, zone()) }))))));
}

/** @param {any} stock */
function expiring(stock) {
  return stock.expiring.length === 0 ? null : h("section", { class: "card" }, h("h2", {}, t("today.expiring", { n: stock.expiringCount })),
    h("ul", { class: "plain" }, ...stock.expiring.slice(0, 6).map((/** @type {any} */ one) => h("li", {}, h("a", { href: at("stock", "items", one.inventoryItemId) }, h("bdi", {}, one.name)), h("small", {}, `${amount(one.quantity, one.unit)} · ${date(one.expiryDate)}`)))));
}

/** @param {any} now */
function states(now) {
  const rows = Object.entries(now.ordersByState).filter(([, count]) => Number(count) > 0).map(([status, count]) => ({ status, count }));
  return rows.length === 0 ? null : h("section", { class: "card" }, h("h2", {}, t("today.states")),
    table({ caption: t("today.states"), columns: [{ name: "status", kind: "badge", words: "order" }, { name: "count", kind: "number" }], rows, open: (row) => at("orders", "list", row.status) }));
}

/** What the box told, and ticking it off. */
function notices() {
  return loaded(async () => (await ask("GET", "/notifications", { query: { unreadOnly: true, limit: 10 } })).data, (rows, again) => rows.length === 0 ? h("p", { class: "hint" }, t("notices.none")) : [
    h("ul", { class: "notices" }, ...rows.map((/** @type {any} */ one) => h("li", { class: one.severity === "CRITICAL" || one.severity === "URGENT" ? "bad" : "" },
      h("div", {}, h("b", {}, inWords(one.title)), one.body ? h("p", {}, inWords(one.body)) : null, h("small", {}, when(one.updatedAt), one.count > 1 ? ` · ${t("notices.times", { n: one.count })}` : "")),
      act(t("notices.read"), async () => { await send("POST", `/notifications/${one.id}/read`); again(); }, { class: "quiet", spoken: `${t("notices.read")}: ${inWords(one.title)}` })))),
    act(t("notices.all"), async () => { await send("POST", "/notifications/read-all"); again(); }),
  ], happened);
}
