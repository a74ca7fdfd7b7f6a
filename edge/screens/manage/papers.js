// Bills and credit notes as they were made, and once more on paper. Never makes one and never changes one.

import { ask, may } from "../kit/session.js";
import { choose, show, toast } from "../kit/dialog.js";
import { h } from "../kit/view.js";
import { perUnit, t, weightOf } from "../kit/words.js";
import { act, facts, loaded, word } from "./parts.js";
import { amount, cash, rate, rowsOf, send, when } from "./store.js";
import { table } from "./list.js";
import { at } from "./route.js";

/** Prints a bill or credit note: on the one printer for receipts, or on the one that is chosen. @param {{ id: string, number: string }} one */
export function print(one) {
  return act(t("print"), async () => {
    const printers = may("printers:read") ? (await rowsOf("/printers")).filter((each) => each.roles.includes("RECEIPT")) : [];
    const printerId = printers.length < 2 ? printers[0]?.id : await choose(t("print.where", { number: one.number }), printers.map((each) => ({ label: each.name, value: each.id })));
    if (printers.length > 1 && !printerId) return;
    await send("POST", `/orders/invoices/${one.id}/print`, printerId ? { printerId } : {});
    toast(t("printing"));
  }, { spoken: `${t("print")}: ${one.number}` });
}

/** What was billed of an order, and what was taken back. @param {any} order @param {() => unknown} [follows] */
export function papers(order, follows) {
  if (!order.invoiceNumber || !may("payments:read")) return null;
  return [h("h2", {}, t("order.papers")), loaded(async () => (await ask("GET", "/orders/invoices", { query: { orderId: order.id, limit: 100 } })).data, (rows) => table({
    caption: t("order.papers"), rows, open: (row) => () => void bill(row), ...(may("orders:update") ? { acts: print } : {}),
    columns: [{ name: "number" }, { name: "kind", kind: "word", words: "invoice" }, { name: "at", kind: "moment" }, { name: "totalCents", kind: "money" }],
  }), follows)];
}

/** A bill or credit note as it was made. @param {any} row */
export function bill(row) {
  return show(row.number, (close) => loaded(async () => (await ask("GET", `/orders/invoices/${row.id}`)).data, (one) => [
    may("orders:update") ? h("div", { class: "acts start" }, print(one)) : null,
    facts([[t("f.kind"), word("invoice", one.kind)], [t("f.at"), when(one.at)], [t("f.by"), one.by], [t("f.orderNumber"), h("a", { href: at("orders", one.orderId), onclick: () => close(null) }, one.orderNumber)], [t("bill.refersTo"), one.refersTo?.number], [t("f.reason"), one.reason], [t("f.customerName"), one.customerName], [t("f.customerLegalName"), one.customerLegalName], [t("f.taxId"), one.customerTaxId], [t("f.address"), one.customerAddress]]),
    table({ caption: t("order.lines"), rows: one.lines, columns: [{ name: "name", draw: (line) => [h("bdi", {}, line.name), ...line.modifiers.map((/** @type {string} */ each) => h("small", {}, h("bdi", {}, each)))] }, { name: "hsnSac" }, { name: "quantity", kind: "number", draw: (line) => (line.weight ? weightOf(line.weight, line.weightUnit) : amount(line.quantity)) }, { name: "unitPriceCents", kind: "money", draw: (line) => perUnit(line, cash(line.unitPriceCents)) }, { name: "taxCents", kind: "money" }, { name: "amountCents", kind: "money" }] }),
    h("div", { class: "sums" }, facts([[t("f.subtotalCents"), cash(one.subtotalCents)], [t("f.discountCents"), one.discountCents ? cash(one.discountCents) : null], [t("f.serviceChargeCents"), one.serviceChargeCents ? cash(one.serviceChargeCents) : null], ...one.taxes.map((/** @type {any} */ each) => /** @type {[string, string]} */ ([`${each.name} ${rate(each.rateBps)}`, cash(each.taxCents ?? each.amountCents)])), [t("f.roundingCents"), one.roundingCents ? cash(one.roundingCents) : null], [t("f.totalCents"), cash(one.totalCents)]])),
    h("details", {}, h("summary", {}, t("bill.seal")), facts([[t("bill.hash"), h("code", {}, one.hash)], [t("bill.before"), h("code", {}, one.previousHash)], [t("bill.serial"), amount(one.serial)]])),
  ]), { wide: true });
}
