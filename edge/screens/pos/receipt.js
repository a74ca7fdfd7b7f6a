// A bill or credit note to show, to print, to hand over as a code, and a bill to put right. Prints and encodes nothing by itself: paper and codes are the box's.

import { choose, show, toast } from "../kit/dialog.js";
import { recall, remember } from "../kit/keep.js";
import { money } from "../kit/money.js";
import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { lang, t } from "../kit/words.js";
import { once, purse, tell, tried } from "./store.js";

/** @typedef {import("api").components["schemas"]["ReceiptRow"]} Row */
/** @typedef {import("api").components["schemas"]["ReceiptPage"]} Page */
/** A credit note, as lists and refunds have it. @typedef {{ id: string, number: string }} Note */
/** How a paper is read, and printed. @typedef {{ read: () => Promise<{ data: Page }>, print: (printerId: string) => Promise<unknown> }} Paper */

const wanted = () => ({ query: { format: "json", lang: lang() } });
/** The bill of an order. @param {string} id @returns {Paper} */
const billOf = (id) => ({ read: () => ask("GET", `/orders/${id}/receipt`, wanted()), print: (printerId) => once("POST", `/orders/${id}/receipt/print`, { printerId }) });
/** A document by itself. @param {string} id @returns {Paper} */
const documentOf = (id) => ({ read: () => ask("GET", `/orders/invoices/${id}/receipt`, wanted()), print: (printerId) => once("POST", `/orders/invoices/${id}/print`, { printerId }) });

/** @param {string} picture a PNG in base64 @param {string} name @param {string} look */
const drawing = (picture, name, look) => h("img", { class: look, alt: name, src: `data:image/png;base64,${picture}` });

/** The bill for the guest's own phone: to scan, or as an address. @param {string} url @param {string | null | undefined} picture */
function forGuest(url, picture) {
  const name = t(picture ? "receipt.code" : "receipt.address");
  return h("figure", { class: "guest" }, picture ? drawing(picture, name, "code") : null, h("figcaption", {}, name, h("small", { dir: "ltr" }, url)));
}

/** The rows of an order's bill as they stand on paper. @param {string} id */
export function receiptRows(id) { return paperRows(billOf(id)); }

/** @param {Paper} paper */
function paperRows(paper) {
  const page = signal(/** @type {Page | null} */ (null));
  paper.read().then(({ data }) => page.set(data)).catch(tell);
  return () => {
    const one = page();
    if (!one) return h("p", { role: "status" }, t("loading"));
    const rows = one.rows.filter((row) => row.kind !== "QR" || row.text !== one.guestUrl);
    return h("div", { class: "bill" }, one.guestUrl ? forGuest(one.guestUrl, one.guestCode) : null,
      h("div", { class: "receipt", dir: one.rightToLeft ? "rtl" : "ltr", role: "group", "aria-label": one.title }, ...rows.map(drawn)));
  };
}

/** @param {Row} row */
function drawn(row) {
  switch (row.kind) {
    case "RULE": return h("hr");
    case "PICTURE": return h("p", { class: "CENTRE" }, drawing(row.text ?? "", "", "logo"));
    case "QR": return h("p", { class: "CENTRE" }, row.picture ? drawing(row.picture, row.text ?? "", "code") : row.text);
    case "PAIR": case "STRONG": return h("p", { class: `pair ${row.kind}` }, h("span", {}, row.text ?? ""), h("span", {}, row.right ?? ""));
    default: return h("p", { class: row.kind }, row.text ?? "");
  }
}

/** The printer beside this till, whose drawer opens for cash; none: the outlet's first. @returns {string | null} */
export function ownPrinter() { return recall("pos.printer", null); }

/** Says which printer stands beside this till. */
export async function choosePrinter() {
  await tried(async () => {
    const { data } = await ask("GET", "/printers", { query: { limit: 100 } });
    const fit = data.filter((/** @type {any} */ one) => one.roles.includes("RECEIPT"));
    if (fit.length === 0) return toast(t("print.none"), "bad");
    const id = await choose(t("printer.own"), [...fit.map((/** @type {any} */ one) => ({ label: one.name, hint: one.drawer ? t("nav.drawer") : "", value: one.id })), { label: t("printer.first"), hint: "", value: "" }]);
    if (id !== null) remember("pos.printer", id || undefined);
  });
}

/** Prints an order's bill. @param {string} id */
export function printReceipt(id) { return printPaper(billOf(id)); }

/** Prints: on the one printer for receipts, or on the one that is chosen. @param {Paper} paper */
async function printPaper(paper) {
  await tried(async () => {
    const { data: printers } = await ask("GET", "/printers");
    const fit = printers.filter((/** @type {any} */ one) => one.roles.includes("RECEIPT"));
    if (fit.length === 0) return toast(t("print.none"), "bad");
    const printerId = fit.some((/** @type {any} */ one) => one.id === ownPrinter()) ? ownPrinter() : fit.length === 1 ? fit[0].id : await choose(t("receipt.print"), fit.map((/** @type {any} */ one) => ({ label: one.name, value: one.id })));
    if (!printerId) return;
    await paper.print(printerId);
    toast(t("print.sent"));
  });
}

/** A credit note, to show and to print. @param {Note} note */
export function creditNote(note) {
  const paper = documentOf(note.id);
  return show(note.number, () => [
    h("div", { class: "acts start" }, h("button", { type: "button", class: "main", onclick: () => printPaper(paper) }, t("receipt.print"))),
    paperRows(paper),
  ]);
}

/** The bill of an order, with its credit notes and what may be done about it. @param {import("./store.js").Order} one */
export function receipt(one) {
  const notes = signal(/** @type {import("api").components["schemas"]["InvoiceSummary"][]} */ ([]));
  if (may("payments:read")) ask("GET", "/orders/invoices", { query: { orderId: one.id, kind: "CREDIT_NOTE", limit: 100 } }).then(({ data }) => notes.set(data)).catch(tell);
  return show(one.invoiceNumber ?? one.orderNumber, (close) => [
    h("div", { class: "acts start" },
      h("button", { type: "button", class: "main", onclick: () => printReceipt(one.id) }, t("receipt.print")),
      may("orders:read") ? h("button", { type: "button", onclick: async () => { close(null); try { await (await import("./undo.js")).undo(one); } catch (error) { tell(error); } } }, t("undo")) : null),
    () => (notes().length === 0 ? null : h("div", { class: "acts start", role: "group", "aria-label": t("credit.notes") }, ...notes().map((note) => h("button", { type: "button", onclick: () => void creditNote(note) }, t("credit.note", { number: note.number, amount: money(note.totalCents, purse()) }))))),
    receiptRows(one.id),
  ]);
}
