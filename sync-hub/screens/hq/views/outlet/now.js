// How an outlet's day goes, as its branch counts it: sales, kitchen, tables, stock, staff, what waits for a decision. Read again by itself.

import { h, onEnd } from "../../../kit/view.js";
import { t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { bars } from "../../draw.js";
import { amount, at, figure, loaded, mark, number, pairs, table, trend, word } from "../../parts.js";

/** @param {import("../../model.js").Outlet} outlet */
export function view(outlet) {
  const { currency, timezone } = outlet;
  const { node, again } = loaded(async () => {
    const [now, hours] = await Promise.all([ofOutlet(outlet.id, "/dashboard"), ofOutlet(outlet.id, "/analytics/hourly")]);
    return { now: now.data, hours: hours.data };
  }, ({ now, hours }) => [
    h("p", { class: "hint" }, t("now.asOf", { time: at(outlet.asOf, timezone) })),
    now.clockDoubt && h("p", { class: "bad" }, t("trouble.CLOCK", { n: 1 })),
    h("div", { class: "figures" },
      figure(t("now.sales"), amount(now.sales.todayCents, currency, true), trend(now.sales.changePercentage)),
      figure(t("now.lastWeek"), amount(now.sales.sameWeekdayLastWeekCents, currency, true)), figure(t("f.orders"), number(now.sales.ordersCount)),
      figure(t("f.late"), number(now.lateTickets.count)), figure(t("now.staff"), t("of", { n: now.staff.onShift.length, of: now.staff.rostered })), figure(t("f.low"), number(now.stock.lowCount))),
    bars(t("now.hours"), hours.hours.filter((/** @type {any} */ hour) => hour.ordersCount > 0).map((/** @type {any} */ hour) => ({ label: `${hour.hour}:00`, value: hour.revenueCents })), (cents) => amount(cents, currency, true), t("f.revenueCents")),
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, t("now.orders")), pairs(Object.entries(now.ordersByState).map(([state, n]) => [word(state), number(/** @type {number} */ (n))]))),
      h("section", { class: "card" }, h("h2", {}, t("now.tables")), pairs(Object.entries(now.tables.byStatus).map(([state, n]) => [word(state), number(/** @type {number} */ (n))]))),
      h("section", { class: "card" }, h("h2", {}, t("now.approvals")), pairs(Object.entries(now.approvals).map(([name, n]) => [t(`approval.${name}`), number(/** @type {number} */ (n))])))),
    now.lateTickets.count > 0 && [h("h2", {}, t("now.lateTickets")), table(t("now.lateTickets"), [
      { label: t("f.orderNumber"), head: true, cell: (row) => h("a", { href: `#/outlet/${outlet.id}/orders/${row.orderId}` }, row.orderNumber) }, { label: t("f.table"), cell: (row) => row.tableNumber ?? "–" },
      { label: t("f.station"), cell: (row) => h("bdi", {}, row.stationName) }, { label: t("f.late"), cell: (row) => mark(t("time.minutes", { minutes: row.lateMinutes }), "warn") },
    ], now.lateTickets.tickets)],
    now.stock.low.length > 0 && [h("h2", {}, t("now.low")), table(t("now.low"), [
      { label: t("f.name"), head: true, cell: (row) => h("bdi", {}, row.name) }, { label: t("f.currentStock"), number: true, cell: (row) => `${number(row.currentStock)} ${row.unit}` }, { label: t("f.minStockThreshold"), number: true, cell: (row) => `${number(row.minStockThreshold)} ${row.unit}` },
    ], now.stock.low)],
    now.staff.onShift.length > 0 && [h("h2", {}, t("now.present")), h("ul", { class: "chips" }, ...now.staff.onShift.map((/** @type {any} */ one) => h("li", {}, h("bdi", {}, one.name), ` – ${at(one.since, timezone)}`)))],
  ]);
  const timer = setInterval(() => void again(), 30_000);
  onEnd(() => clearInterval(timer));
  return node;
}
