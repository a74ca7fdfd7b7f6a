// An outlet's closed days with what its branch counted, and head office's own sums of the same rows beside it. Never changes either.

import { ask } from "../../../kit/session.js";
import { day } from "../../../kit/time.js";
import { h } from "../../../kit/view.js";
import { t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { amount, at, figure, label, loaded, mark, number, pairs, table, word } from "../../parts.js";

/** @param {import("../../model.js").Outlet} outlet @param {string[]} rest */
export function view(outlet, rest) {
  if (rest[0]) return one(outlet, rest[0]);
  return loaded(async () => {
    const [days, detail] = await Promise.all([ofOutlet(outlet.id, "/day-close", { limit: 100 }), ask("GET", `/hub/outlets/${outlet.id}`)]);
    return { days: days.data, compared: new Map(detail.data.reconciledDays.map((/** @type {any} */ one) => [one.businessDate, one])) };
  }, ({ days, compared }) => table(t("part.days"), [
    { label: t("f.businessDate"), head: true, cell: (row) => h("a", { href: `#/outlet/${outlet.id}/days/${row.businessDate}` }, day(row.businessDate, outlet.timezone)) },
    { label: t("f.zNumber"), cell: (row) => `Z${row.zNumber}` }, { label: t("f.closedAt"), cell: (row) => at(row.closedAt, outlet.timezone) },
    { label: t("days.compared"), cell: (row) => { const one = compared.get(row.businessDate); return one ? (one.reconciled ? mark(t("days.agrees"), "good") : mark(t("days.differs", { n: one.differences.length }), "bad")) : "–"; } },
    { label: t("f.total"), number: true, cell: (row) => amount(row.totalCents, outlet.currency) },
  ], days, t("days.none"))).node;
}

/** @param {import("../../model.js").Outlet} outlet @param {string} date */
function one(outlet, date) {
  const { currency, timezone } = outlet;
  return [h("p", {}, h("a", { href: `#/outlet/${outlet.id}/days` }, t("part.days"))), loaded(async () => {
    const [close, detail] = await Promise.all([ofOutlet(outlet.id, `/day-close/${date}`), ask("GET", `/hub/outlets/${outlet.id}`)]);
    return { close: close.data, compared: detail.data.reconciledDays.find((/** @type {any} */ one) => one.businessDate === date) };
  }, ({ close, compared }) => [
    h("h2", {}, `Z${close.zNumber} · ${day(close.businessDate, timezone)}`),
    h("p", { class: close.reconciliation.isReconciled ? "good" : "bad" }, t(close.reconciliation.isReconciled ? "days.reconciled" : "days.unreconciled", { amount: amount(close.reconciliation.documentsDifferenceCents + close.reconciliation.placesDifferenceCents, currency) })),
    compared && !compared.reconciled && h("div", { class: "bad" }, h("p", { class: "bad" }, t("days.differs", { n: compared.differences.length })), table(t("days.compared"), [
      { label: t("f.line"), head: true, cell: (row) => row.figure }, { label: t("side.BRANCH"), cell: (row) => String(row.branch) }, { label: t("side.HEAD_OFFICE"), cell: (row) => String(row.headOffice) }], compared.differences)),
    h("div", { class: "figures" }, figure(t("f.total"), amount(close.totalCents, currency)), figure(label("netRevenueCents"), amount(close.netRevenueCents, currency)), figure(t("f.orders"), number(close.sales.orderCount)), figure(label("guestsCount"), number(close.sales.guestCount)), figure(t("days.tips"), amount(close.tipCents, currency)), figure(t("days.overShort"), amount(close.cash.overShortCents, currency))),
    h("h3", {}, t("order.payments")), table(t("order.payments"), [{ label: t("f.method"), head: true, cell: (row) => word(row.method) }, { label: t("f.count"), number: true, cell: (row) => number(row.paymentCount) }, { label: t("f.amount"), number: true, cell: (row) => amount(row.amountCents, currency) }, { label: t("f.refundedCents"), number: true, cell: (row) => amount(row.refundedCents, currency) }, { label: t("f.net"), number: true, cell: (row) => amount(row.netCents, currency) }], close.payments),
    h("h3", {}, t("days.taxes")), table(t("days.taxes"), [{ label: t("f.name"), head: true, cell: (row) => `${row.name} ${number(row.rateBps / 100)} %` }, { label: t("f.taxable"), number: true, cell: (row) => amount(row.taxableCents, currency) }, { label: t("f.taxCents"), number: true, cell: (row) => amount(row.taxCents, currency) }], close.taxes),
    h("h3", {}, t("days.drawers")), table(t("days.drawers"), [{ label: t("f.name"), head: true, cell: (row) => h("bdi", {}, row.drawer) }, { label: t("f.expected"), number: true, cell: (row) => amount(row.expectedCents, currency) }, { label: t("f.counted"), number: true, cell: (row) => amount(row.countedCents, currency) }, { label: t("days.overShort"), number: true, cell: (row) => amount(row.overShortCents, currency) }], close.cash.sessions),
    pairs([[t("days.bills"), `${close.invoices.count}: ${close.invoices.firstNumber ?? "–"} – ${close.invoices.lastNumber ?? "–"}`], [t("days.creditNotes"), number(close.creditNotes.count)], [t("days.discounts"), amount(close.discounts.amountCents, currency)], [t("days.voids"), amount(close.voids.amountCents, currency)], [t("days.refunds"), amount(close.refunds.amountCents, currency)], [t("days.openOrders"), number(close.openOrders.length)], [t("days.stock"), amount(close.stockValueCents, currency)]]),
  ]).node];
}
