// A closed day: what was sold and paid, how the books agree, what was carried over, on paper again. Never changes it: a day is closed once.

import { all, ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, word } from "./parts.js";
import { amount, cash, date as named, send, when } from "./store.js";
import { table } from "./list.js";
import { at } from "./route.js";

/** How often and how much, by kind: what the day has of each. */
const SUMS = ["invoices", "creditNotes", "discounts", "refunds", "reversals", "corrections", "writeOffs", "voids", "cancelled", "tipsPaidOut", "channelPayouts", "operatorTaxed", "operatorReturned"];

/** @param {string} date */
export function dayClosed(date) {
  return loaded(async () => ({ day: (await ask("GET", `/day-close/${date}`)).data, printers: may("printers:read") ? await all("/printers") : [] }), ({ day, printers }) => [
    head(`Z ${day.zNumber} · ${named(date)}`, h("a", { class: "button", href: at("orders", "days") }, t("back")),
      printers.length > 0 && may("cash:operate") ? act(t("print"), () => send("POST", `/day-close/${date}/print`, {}), { done: t("printing") }) : null),
    facts([[t("f.closedAt"), when(day.closedAt)], [t("f.early"), day.early ? t("yes") : null], ...["netRevenueCents", "serviceChargeCents", "roundingCents", "totalCents", "tipCents", "stockValueCents"].map((name) => /** @type {[string, string]} */ ([t(`f.${name}`), cash(day[name])]))]),
    h("h2", {}, t("day.payments")),
    table({ caption: t("day.payments"), rows: day.payments, columns: [{ name: "method", kind: "word" }, ...["paymentCount", "amountCents", "tipCents", "refundCount", "refundedCents", "netCents"].map((name) => ({ name, kind: name.endsWith("Cents") ? "money" : "number" }))] }),
    h("h2", {}, t("day.byType")),
    table({ caption: t("day.byType"), rows: day.salesByType, totals: day.sales, columns: [{ name: "orderType", kind: "word" }, { name: "orderCount", label: t("f.ordersCount"), kind: "number" }, { name: "grossCents", label: t("f.subtotalCents"), kind: "money" }, { name: "discountCents", kind: "money" }, { name: "serviceChargeCents", kind: "money" }, { name: "taxCents", kind: "money" }, { name: "totalCents", kind: "money" }] }),
    h("h2", {}, t("day.taxes")),
    table({ caption: t("day.taxes"), rows: day.taxes, columns: [{ name: "name" }, { name: "rateBps", kind: "percent" }, { name: "taxableCents", kind: "money" }, { name: "taxCents", kind: "money" }] }),
    h("h2", {}, t("day.counts")),
    table({ caption: t("day.counts"), rows: SUMS.map((name) => ({ ...day[name], name })).filter((one) => one.count > 0 || one.name === "invoices"), columns: [
      { name: "name", draw: (row) => [t(`day.${row.name}`), row.firstNumber ? h("small", {}, row.firstNumber === row.lastNumber ? row.firstNumber : `${row.firstNumber} – ${row.lastNumber}`) : null] },
      { name: "count", kind: "number", draw: (row) => amount(row.quantity ?? row.count) }, { name: "amountCents", kind: "money", draw: (row) => cash(row.amountCents ?? row.totalCents) }] }),
    agrees(day.reconciliation), drawers(day), carried(day), away(day),
  ]);
}

/** How documents, money and the places of money agree. @param {any} said */
function agrees(said) {
  const name = (/** @type {any} */ line) => [word("agreed", line.kind), line.kind === "TENDER" || line.kind === "SLIPS" ? `: ${word("method", /method=(\w+)/.exec(line.rows)?.[1])}` : "", line.kind === "DRAWER" ? [": ", h("bdi", {}, line.name.split(": ").at(-1))] : null];
  return [
    h("h2", {}, t("day.agreed")), h("p", { class: said.isReconciled ? "good" : "bad" }, t(said.isReconciled ? "day.agrees" : "day.differs", { documents: cash(said.documentsDifferenceCents), places: cash(said.placesDifferenceCents) })),
    h("details", {}, h("summary", {}, t("day.lines")), table({ caption: t("day.agreed"), rows: said.lines, columns: [{ name: "name", draw: (line) => [line.drawerId ? h("a", { href: at("orders", "drawers", line.drawerId) }, name(line)) : name(line), ...(line.orders ?? []).map((/** @type {any} */ one) => h("small", {}, h("a", { href: at("orders", one.orderId) }, one.orderNumber), ` ${cash(one.amountCents)}`))] }, { name: "amountCents", kind: "money" }] })),
  ];
}

/** @param {any} day */
function drawers({ cash: sum, losses }) {
  return [
    h("h2", {}, t("tab.drawers")),
    facts([...["expectedCents", "countedCents", "overShortCents", "outsideDrawersCents"].map((name) => /** @type {[string, string]} */ ([t(`f.${name}`), cash(sum[name])])), [t("movement.NO_SALE"), losses.noSaleCount > 0 ? amount(losses.noSaleCount) : null], [t("movement.PAY_OUT"), losses.payOuts.count > 0 ? cash(losses.payOuts.amountCents) : null], [t("movement.PAY_IN"), losses.payIns.count > 0 ? cash(losses.payIns.amountCents) : null], [t("section.waste"), losses.wasteCents > 0 ? cash(losses.wasteCents) : null]]),
    sum.sessions.length === 0 ? null : table({ caption: t("tab.drawers"), rows: sum.sessions, open: (row) => at("orders", "drawers", row.id), columns: [{ name: "drawer" }, { name: "openedBy" }, { name: "expectedCents", kind: "money" }, { name: "countedCents", kind: "money" }, { name: "overShortCents", kind: "money" }] }),
  ];
}

/** What went on with the next day. @param {any} day */
function carried({ openOrders, openDrawers }) {
  return openOrders.length + openDrawers.length === 0 ? null : [
    h("h2", {}, t("f.carriedOver")),
    openOrders.length > 0 ? table({ caption: t("section.orders"), rows: openOrders, open: (row) => at("orders", row.id), columns: [{ name: "orderNumber" }, { name: "status", draw: (row) => badge("order", row.status) }, { name: "totalCents", kind: "money" }, { name: "dueCents", kind: "money" }] }) : null,
    openDrawers.length > 0 ? table({ caption: t("tab.drawers"), rows: openDrawers, open: (row) => at("orders", "drawers", row.id), columns: [{ name: "drawer" }, { name: "openedBy" }] }) : null,
  ];
}

/** What came after the close, and when the box did not run. @param {any} day */
function away({ afterClose, outages }) {
  const after = afterClose && (afterClose.orderCount || afterClose.paymentCents || afterClose.refundCents);
  return [
    after ? [h("h2", {}, t("day.after")), facts([[t("f.ordersCount"), amount(afterClose.orderCount)], [t("f.totalCents"), cash(afterClose.orderTotalCents)], [t("f.paymentsCents"), cash(afterClose.paymentCents)], [t("f.refundsCents"), cash(afterClose.refundCents)]])] : null,
    (outages ?? []).length > 0 ? [h("h2", {}, t("day.outages")), h("ul", { class: "plain" }, ...outages.map((/** @type {any} */ one) => h("li", {}, `${when(one.lastRecordedAt)} – ${when(one.restartedAt)}`)))] : null,
  ];
}
