// One order with its ledgers, what went into it, its paper, and what can still be put right. Never changes what was billed: a correction is a
// document or an entry of its own.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { show, toast } from "../kit/dialog.js";
import { lang, perUnit, t, weightOf } from "../kit/words.js";
import { act, badge, facts, head, loaded, word } from "./parts.js";
import { amount, cash, happened, send, when } from "./store.js";
import { table } from "./list.js";
import { edit } from "./form.js";
import { at } from "./route.js";
import { papers } from "./papers.js";

/** @param {string} id */
export function order(id) {
  return loaded(async () => (await ask("GET", `/orders/${id}`)).data, (one, again) => [
    head(one.orderNumber, h("a", { class: "button", href: at("orders") }, t("back")), ...does(one, again)),
    facts([[t("f.status"), badge("order", one.status)], [t("f.orderType"), [word("orderType", one.orderType), one.tableNumber ? ` · ${one.tableNumber}` : null]], [t("f.createdAt"), when(one.createdAt)], [t("f.server"), one.server?.name],
      [t("f.invoiceNumber"), one.invoiceNumber], [t("f.customerName"), one.customerName], [t("f.customerPhone"), one.customerPhone], [t("f.scheduledFor"), one.scheduledFor ? when(one.scheduledFor) : null], [t("f.notes"), one.notes]]),
    h("h2", {}, t("order.lines")),
    table({
      caption: t("order.lines"), rows: one.items,
      columns: [{ name: "name", draw: (row) => [h("bdi", {}, row.name), ...row.modifiers.map((/** @type {any} */ each) => h("small", {}, h("bdi", {}, each.name))), row.notes ? h("small", {}, h("bdi", {}, row.notes)) : null] },
        { name: "quantity", kind: "number", draw: (row) => [row.weight ? weightOf(row.weight, row.weightUnit) : amount(row.quantity), row.voidedQuantity ? ` (${t("order.voided", { n: row.voidedQuantity })})` : ""] }, { name: "unitPriceCents", kind: "money", draw: (row) => perUnit(row, cash(row.unitPriceCents)) }, { name: "discountCents", kind: "money" }, { name: "taxCents", kind: "money" }, { name: "lineTotalCents", kind: "money" }],
      ...(may("orders:void") && !one.invoiceNumber && !["COMPLETED", "CANCELLED"].includes(one.status) ? { acts: (row) => row.quantity > row.voidedQuantity ? ask1(t("order.void"), `${t("order.void")}: ${row.name}`, [{ name: "reason", need: true }, { name: "wasMade", kind: "tick" }], (typed) => send("POST", `/orders/${one.id}/items/${row.id}/void`, typed, row.version), again) : null } : {}),
    }),
    h("div", { class: "sums" }, facts([[t("f.subtotalCents"), cash(one.subtotalCents)], [t("f.discountCents"), cash(one.discountCents)], [t("f.serviceChargeCents"), cash(one.serviceChargeCents)], [t("f.taxCents"), cash(one.taxCents)], [t("f.roundingCents"), cash(one.roundingCents)],
      [t("f.totalAmountCents"), cash(one.totalAmountCents)], [t("f.paidCents"), cash(one.paidCents)], [t("f.dueCents"), cash(one.dueCents)]])),
    one.payments.length > 0 ? [h("h2", {}, t("order.payments")), table({
      caption: t("order.payments"), rows: one.payments,
      columns: [{ name: "method", draw: (row) => [word("method", row.method), row.isReversed ? ` · ${t("order.reversed")}` : ""] }, { name: "at", kind: "moment" }, { name: "by" }, { name: "reference" }, { name: "tipCents", kind: "money" }, { name: "amountCents", kind: "money" }],
      ...(may("refunds:make") ? { acts: (row) => (row.isReversed ? null : [correct(one, row, again), ask1(t("order.reverse"), t("order.reverse"), [{ name: "reason", need: true }], (typed) => send("POST", `/orders/${one.id}/payments/${row.id}/reverse`, typed), again)]) } : {}),
    })] : null,
    one.refunds.length > 0 ? [h("h2", {}, t("order.refunds")), table({ caption: t("order.refunds"), rows: one.refunds, columns: [{ name: "reason" }, { name: "at", kind: "moment" }, { name: "by" }, { name: "method", kind: "word" }, { name: "creditNoteNumber" }, { name: "amountCents", kind: "money" }] })] : null,
    papers(one),
    one.discounts.length > 0 ? [h("h2", {}, t("order.discounts")), table({ caption: t("order.discounts"), rows: one.discounts, columns: [{ name: "reason" }, { name: "at", kind: "moment" }, { name: "amountCents", kind: "money" }] })] : null,
    h("h2", {}, t("order.history")),
    table({ caption: t("order.history"), rows: one.statusHistory, columns: [{ name: "to", label: t("f.status"), draw: (row) => badge("order", row.to) }, { name: "at", kind: "moment" }, { name: "by" }, { name: "reason" }] }),
    may("inventory:read") ? h("details", {}, h("summary", {}, t("order.trace")), loaded(async () => (await ask("GET", `/orders/${one.id}/trace`)).data.items, (items) => table({
      caption: t("order.trace"), rows: items.flatMap((/** @type {any} */ item) => item.ingredients.map((/** @type {any} */ each) => ({ ...each, dish: item.name }))),
      columns: [{ name: "name", label: t("f.source") }, { name: "dish" }, { name: "quantity", kind: "amount" }, { name: "batchNumber" }, { name: "expiryDate", kind: "date" }, { name: "supplierName" }],
    }))) : null,
  ], happened);
}

/** A button that asks for something first. @param {string} label @param {string} title @param {import("./fields.js").Field[]} fields @param {(typed: any) => Promise<any>} save @param {() => void} again @param {any} [value] */
function ask1(label, title, fields, save, again, value) {
  return h("button", { type: "button", onclick: async () => {
    const done = await edit(title, { fields, act: label, save: (typed) => save({ ...value, ...typed }), });
    if (done) { toast(t("saved")); again(); }
  } }, label);
}

/** @param {any} one @param {any} row @param {() => void} again */
function correct(one, row, again) {
  return h("button", { type: "button", onclick: async () => {
    const done = await edit(t("order.correct"), {
      value: { ...row, version: undefined }, fields: [{ name: "method", kind: "choice", need: true, values: ["CASH", "CARD", "UPI", "WALLET", "VOUCHER", "OTHER"] }, { name: "tipCents", kind: "money", empty: 0 }, { name: "reference" }, { name: "reason", need: true }],
      save: (typed) => send("POST", `/orders/${one.id}/payments/${row.id}/correct`, typed),
    });
    if (done && done !== row) { toast(t("saved")); again(); }
  } }, t("order.correct"));
}

/** What can be done with the whole order. @param {any} one @param {() => void} again */
function does(one, again) {
  const open = !["COMPLETED", "CANCELLED"].includes(one.status);
  const reason = /** @type {import("./fields.js").Field} */ ({ name: "reason", need: true });
  return [
    one.awaitsApproval && may("orders:status") ? act(t("order.accept"), async () => { await send("PATCH", `/orders/${one.id}/status`, { status: "ACCEPTED" }, one.version); again(); }, { class: "main", done: t("saved") }) : null,
    h("button", { type: "button", onclick: () => void receipt(one) }, t("receipt")),
    open && !one.invoiceNumber && may("orders:cancel") ? ask1(t("order.cancel"), t("order.cancel"), [reason], (typed) => send("PATCH", `/orders/${one.id}/status`, { status: "CANCELLED", ...typed }, one.version), again) : null,
    one.invoiceNumber && open && one.paidCents === 0 && may("refunds:make") ? ask1(t("order.withdraw"), t("order.withdraw"), [reason], (typed) => send("POST", `/orders/${one.id}/invoice/withdraw`, typed), again) : null,
    one.invoiceNumber && may("refunds:make") ? ask1(t("order.credit"), t("order.credit"), [{ name: "reason", kind: "choice", need: true, values: ["OVERCHARGED", "RETURNED", "DEFICIENT"], words: "credit" }, { name: "amountCents", kind: "money", hint: "order.whole" }, { name: "note" }, { name: "restock", kind: "tick" }],
      ({ amountCents, note, ...typed }) => send("POST", `/orders/${one.id}/credit-note`, { ...typed, ...(amountCents === null ? {} : { amountCents }), ...(note ? { note } : {}) }), again) : null,
    one.paidCents - one.refundedCents > 0 && may("refunds:make") ? ask1(t("order.refund"), t("order.refund"), [reason, { name: "amountCents", kind: "money", hint: "order.whole" }, { name: "restock", kind: "tick" }],
      ({ amountCents, ...typed }) => send("POST", `/orders/${one.id}/refunds`, { ...typed, ...(amountCents === null ? {} : { amountCents }) }), again) : null,
    one.slipNumber && may("refunds:make") ? ask1(t("order.slipReturn"), t("order.slipReturn"), [reason, { name: "amountCents", kind: "money", hint: "order.whole" }, { name: "restock", kind: "tick" }],
      ({ amountCents, ...typed }) => send("POST", `/orders/${one.id}/slip/return`, { ...typed, ...(amountCents === null ? {} : { amountCents }) }), again) : null,
    (one.customerName || one.customerPhone) && may("guests:erase") ? ask1(t("privacy.erase"), t("privacy.erase.order", { number: one.orderNumber }), [{ name: "password", kind: "secret", need: true, hint: "privacy.password.hint" }], (typed) => send("POST", "/privacy/erase", { orderId: one.id, ...typed }), again) : null,
    one.invoiceNumber && one.dueCents > 0 && may("refunds:make") ? ask1(t("order.writeOff"), t("order.writeOff"), [reason], (typed) => send("POST", `/orders/${one.id}/write-off`, typed), again) : null,
  ];
}

/** @param {import("api").components["schemas"]["ReceiptRow"]} row */
function drawn(row) {
  const picture = row.kind === "PICTURE" ? row.text : row.picture;
  if (row.kind === "RULE") return h("hr");
  if (picture) return h("p", { class: "as-centre" }, h("img", { class: "logo", alt: row.kind === "QR" ? row.text : "", src: `data:image/png;base64,${picture}` }));
  return h("p", { class: `as-${row.kind.toLowerCase()}` }, h("span", {}, row.text ?? ""), row.right ? h("span", {}, row.right) : null);
}

/** The receipt as it is printed, in rows. @param {any} one */
async function receipt(one) {
  try {
    const { data: page } = await ask("GET", `/orders/${one.id}/receipt`, { query: { format: "json", lang: lang() === "qps" ? "en" : lang() } });
    await show(page.title, () => [
      h("div", { class: "receipt", dir: page.rightToLeft ? "rtl" : "ltr" }, ...page.rows.map(drawn)),
      may("printers:read") ? h("div", { class: "acts" }, act(t("print"), () => send("POST", `/orders/${one.id}/receipt/print`, {}), { class: "main", done: t("printing") })) : null,
    ]);
  } catch (error) {
    toast(said(error), "bad");
  }
}
