// What suppliers want to be paid, held against what came: entered, accepted with a reason where it differs, taken away where it was entered wrongly;
// and all that is not settled. Never pays anything.

import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, loaded, word } from "./parts.js";
import { cash, date, later, send, today } from "./store.js";
import { save } from "./files.js";
import { period } from "./period.js";
import { asRows } from "./tables.js";
import { at } from "./route.js";
import { edit } from "./form.js";
import { table } from "./list.js";

/** Asks what an invoice says. @param {any} one the order @returns {Promise<any>} */
export async function enter(one) {
  const entered = new Set((one.invoices ?? []).map((/** @type {any} */ each) => each.ref)), refs = one.deliveries.map((/** @type {any} */ each) => each.invoiceRef);
  const done = await edit(t("bill.add"), {
    note: h("p", { class: "hint" }, t("bill.text")),
    fields: [{ name: "ref", label: t("bill.ref"), need: true, fresh: () => refs.find((/** @type {string | null} */ ref) => ref && !entered.has(ref)), hint: "bill.ref.hint" }, { name: "totalCents", label: t("bill.total"), kind: "money", need: true }, { name: "taxCents", label: t("bill.tax"), kind: "money", empty: 0 }],
    save: (typed) => send("POST", `/purchase-orders/${one.id}/invoice`, typed),
  });
  if (!done) return null;
  const { status, differenceCents } = done.invoice;
  toast(t(`bill.says.${status}`, { amount: cash(Math.abs(differenceCents)) }), status === "MATCHED" ? "good" : "bad");
  return done;
}

/** How an invoice stands to what came. @param {any} row */
function stands(row) {
  const settled = row.status === "MATCHED" || row.acceptedBy || (row.acceptedByName && !row.isOpen);
  return h("span", {}, h("span", { class: `badge ${settled ? "good" : row.status === "NO_INVOICE" ? "warn" : "bad"}` }, word("match", row.status)), row.status !== "MATCHED" && settled ? h("small", {}, t("bill.accepted", { name: row.acceptedBy || row.acceptedByName }), row.acceptedReason ? [": ", h("bdi", {}, row.acceptedReason)] : null) : null);
}

/** The invoices of one order with what may be done about each. @param {any} one @param {() => void} again */
export function ofOrder(one, again) {
  if (!one.invoices?.length) return null;
  const approves = may("purchasing:approve"), writes = may("purchasing:write");
  return [h("h2", {}, t("bill.title")), table({
    caption: t("bill.title"), rows: one.invoices,
    columns: [{ name: "ref", label: t("bill.ref") }, { name: "businessDate", kind: "date" }, { name: "totalCents", kind: "money" }, { name: "taxCents", kind: "money" }, { name: "deliveredCents", label: t("bill.delivered"), kind: "money" }, { name: "differenceCents", label: t("bill.difference"), kind: "money" }, { name: "status", draw: stands }],
    ...(approves || writes ? { acts: (row) => [
      // What was accepted stays: somebody answers for it.
      writes && !row.acceptedAt ? act(t("remove"), async () => { await send("DELETE", `/purchase-orders/${one.id}/invoices/${row.id}`); again(); }, { class: "quiet", bad: true, sure: t("bill.remove.sure", { ref: row.ref }), done: t("bill.removed"), spoken: `${t("remove")}: ${row.ref}` }) : null,
      approves && row.isOpen ? h("button", { type: "button", class: "main", "aria-label": `${t("bill.accept")}: ${row.ref}`, onclick: async () => { if (await accept(one, row)) again(); } }, t("bill.accept")) : null,
    ] } : {}),
  })];
}

/** Asks why a difference is right. @param {any} one @param {any} row */
async function accept(one, row) {
  const done = await edit(t("bill.accept.of", { ref: row.ref }), {
    act: t("bill.accept"), note: h("p", {}, t(`bill.says.${row.status}`, { amount: cash(Math.abs(row.differenceCents)) })),
    fields: [{ name: "reason", need: true, wide: true, hint: "bill.reason.hint" }],
    save: (typed) => send("POST", `/purchase-orders/${one.id}/invoices/${row.id}/accept`, typed),
  });
  if (done) toast(t("saved"));
  return done;
}

/** Of when, and whether only what is still to be settled: kept while one goes to an order and back. */
const span = signal(/** @type {import("./period.js").Span} */ ({ from: "", to: "" })), all = signal(false);

/** All invoices, and what came without one. */
export function unmatched() {
  if (!span.peek().from) span.set({ from: later(today(), -29), to: today() });
  return [
    h("header", { class: "sub" }, h("h2", {}, t("bill.list")), act(t("csv"), () => save("/analytics/reports/supplier-invoices", { ...span.peek(), format: "csv" }, `supplier-invoices-${span.peek().from}-${span.peek().to}.csv`))),
    h("p", { class: "hint" }, t("bill.list.text")),
    h("div", { class: "filters" }, period(span), h("label", { class: "tick" }, h("input", { type: "checkbox", checked: all.peek(), onchange: (/** @type {any} */ event) => all.set(event.target.checked) }), t("bill.all"))),
    () => { const query = span(); return loaded(async () => (await ask("GET", "/analytics/reports/supplier-invoices", { query })).data, (said) => () => {
      const rows = asRows(said).filter((row) => all() || (row.status !== "MATCHED" && !row.acceptedBy));
      return table({ caption: t("bill.list"), rows, empty: t("bill.list.none"), open: (row) => at("buying", "orders", row.purchaseOrderId),
        columns: [{ name: "poNumber", draw: (row) => h("span", {}, h("bdi", {}, row.poNumber), h("small", {}, h("bdi", {}, row.supplier))) }, { name: "ref", label: t("bill.ref"), draw: (row) => h("span", {}, row.ref ? h("bdi", {}, row.ref) : "–", h("small", {}, date(row.businessDate))) }, { name: "totalCents", kind: "money", draw: (row) => (row.status === "NO_INVOICE" ? "–" : cash(row.totalCents)) }, { name: "deliveredCents", label: t("bill.delivered"), kind: "money" }, { name: "differenceCents", label: t("bill.difference"), kind: "money", draw: (row) => (row.status === "NO_INVOICE" ? "–" : cash(row.differenceCents)) }, { name: "status", draw: stands }] });
    }); },
  ];
}

/** What of an order waits for its invoice, in words; nothing where all is there. @param {any} one */
export const waits = (one) => one.deliveries.length > 0 && !one.invoices?.length ? h("p", { class: "hint" }, t("bill.waits", { date: date(one.deliveries[0].businessDate) })) : null;
