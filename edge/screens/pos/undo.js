// What puts a bill or a payment right: money back, a credit note, a correction, a payment that did not hold, what is given up. Each is an entry
// of its own; nothing that was written is changed.

import { choose, show, toast } from "../kit/dialog.js";
import { cents, decimal, money } from "../kit/money.js";
import { may } from "../kit/session.js";
import { moment } from "../kit/time.js";
import { h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { approved, reason, reasons } from "./approve.js";
import { weighing } from "./dishes.js";
import { portionsOf } from "./dock.js";
import { madeOf } from "./sums.js";
import { once, purse, took, tried, zone } from "./store.js";

/** @typedef {import("./store.js").Order} Order */
/** @typedef {import("api").components["schemas"]["OrderPayment"]} Payment */

/** What may be put right about an order, by what stands in it. @param {Order} one */
export async function undo(one) {
  const paid = one.payments.filter((payment) => !payment.isReversed && payment.refundedCents < payment.amountCents);
  const acts = [
    one.invoiceNumber && paid.length > 0 ? { label: t("undo.refund"), hint: t("undo.refund.how"), value: "refund" } : null,
    one.invoiceNumber && one.dueCents > 0 ? { label: t("undo.credit"), hint: t("undo.credit.how"), value: "credit" } : null,
    one.slipNumber ? { label: t("undo.slip"), hint: t("undo.slip.how"), value: "slip" } : null,
    one.payments.length > 0 ? { label: t("undo.payment"), hint: t("undo.payment.how"), value: "payment" } : null,
    one.invoiceNumber && one.paidCents === 0 ? { label: t("undo.withdraw"), hint: t("undo.withdraw.how"), value: "withdraw" } : null,
    one.invoiceNumber && one.dueCents > 0 ? { label: t("undo.writeOff"), hint: t("undo.writeOff.how"), value: "writeOff" } : null,
  ].filter((act) => act !== null);
  if (acts.length === 0) return toast(t("undo.none"), "bad");
  switch (await choose(t("undo"), acts)) {
    case "refund": return giveBack(one, "refund");
    case "credit": return giveBack(one, "credit");
    case "slip": return giveBack(one, "slip");
    case "payment": return payments(one);
    case "withdraw": return withReason(one, t("undo.withdraw"), "/invoice/withdraw", "refund");
    case "writeOff": return withReason(one, t("undo.writeOff"), "/write-off", "writeOff");
    default: return undefined;
  }
}

/** @param {Order} one @param {string} title @param {string} path @param {"refund" | "writeOff"} kind */
async function withReason(one, title, path, kind) {
  const why = await reason(title, kind);
  if (why) await act(one, title, path, { reason: why });
}

/** Answers what was made; null where nothing was. @param {Order} one @param {string} title @param {string} path @param {any} body @returns {Promise<any>} */
async function act(one, title, path, body) {
  let made = null;
  await tried(async () => {
    made = await approved(title, (approverPin) => once("POST", `/orders/${one.id}${path}`, { ...body, ...(approverPin ? { approverPin } : {}) }));
    if (!made) return;
    took(made);
    toast(t("undo.done"));
  });
  return made;
}

/** Money back of what is paid, or less due of what is not: an amount, or dishes that came back. @param {Order} one @param {"refund" | "credit" | "slip"} what */
async function giveBack(one, what) {
  const most = what === "refund" ? one.paidCents - one.refundedCents : what === "slip" ? one.totalAmountCents : one.dueCents;
  const taken = signal(/** @type {Record<string, number>} */ ({})), typed = signal(decimal(most, purse().decimals)), restock = signal(false);
  const lines = one.items.filter((line) => line.quantity > 0), title = t(`undo.${what}`);
  const some = () => Object.values(taken()).some((n) => n > 0);
  const why = await show(`${title}: ${what === "slip" ? one.slipNumber : one.invoiceNumber}`, (close) => [
    h("label", {}, t("undo.amount", { most: money(most, purse()) }), h("input", { inputmode: "decimal", value: typed, disabled: some, oninput: (/** @type {any} */ event) => typed.set(event.target.value) })),
    h("h3", {}, t("undo.dishes")),
    h("ul", { class: "rows" }, ...lines.map((line) => h("li", {}, h("span", { class: "what" }, h("span", { class: "named" }, h("bdi", {}, line.name), weighing(line) ? h("small", {}, weighing(line)) : null, madeOf(line.components).map(({ text }) => h("small", {}, h("bdi", {}, text)))), " ", h("small", {}, () => t("of", { n: taken()[line.id] ?? 0, all: line.quantity }))),
      portionsOf(line, taken)))),
    what === "slip" ? null : h("label", { class: "tick" }, h("input", { type: "checkbox", checked: restock, onchange: (/** @type {any} */ event) => restock.set(event.target.checked) }), t("undo.restock")),
    what !== "credit" ? reasons("refund", (given) => close(given))
      : h("fieldset", { class: "reasons" }, h("legend", {}, t("why")), h("div", { class: "choices" }, ...["OVERCHARGED", "RETURNED", "DEFICIENT"].map((code) => h("button", { type: "button", onclick: () => close(code) }, t(`credit.${code}`))))),
  ]);
  if (!why) return;
  const items = Object.entries(taken.peek()).filter(([, n]) => n > 0).map(([orderItemId, quantity]) => ({ orderItemId, quantity }));
  const amountCents = cents(typed.peek(), purse().decimals);
  if (items.length === 0 && !amountCents) return void toast(t("undo.noAmount"), "bad");
  const made = await act(one, title, { refund: "/refunds", credit: "/credit-note", slip: "/slip/return" }[what], { reason: why, ...(what === "slip" ? {} : { restock: restock.peek() }), ...(items.length > 0 ? { items } : { amountCents }) });
  // Who gets money back gets its paper.
  if (made && what !== "slip" && may("payments:read")) await (await import("./receipt.js")).creditNote(made);
}

/** One payment of several. @param {Order} one */
async function payments(one) {
  const payment = await choose(t("undo.payment"), one.payments.map((each) => ({
    label: `${t(`method.${each.method}`)} ${money(each.amountCents, purse())}`, hint: [moment(each.at, zone()), each.by, each.tipCents > 0 ? `${t("tip")} ${money(each.tipCents, purse())}` : "", each.isReversed ? t("undo.reversed") : ""].filter(Boolean).join(" · "), value: each })));
  if (!payment || payment.isReversed) return;
  const to = await choose(`${t(`method.${payment.method}`)} ${money(payment.amountCents, purse())}`, [
    { label: t("undo.correct"), hint: t("undo.correct.how"), value: "correct" },
    ...(may("payments:take") ? [{ label: t("undo.reverse"), hint: t("undo.reverse.how"), value: "reverse" }] : [])]);
  if (to === "correct") await correct(one, payment);
  else if (to === "reverse") await withReason(one, t("undo.reverse"), `/payments/${payment.id}/reverse`, "refund");
}

/** Method, tip or reference as they really were. @param {Order} one @param {Payment} payment */
async function correct(one, payment) {
  const method = signal(/** @type {string} */ (payment.method)), tip = signal(decimal(payment.tipCents, purse().decimals)), reference = signal(payment.reference ?? "");
  const why = await show(t("undo.correct"), (close) => [
    h("div", { class: "chips", role: "group", "aria-label": t("pay.how") }, ...["CASH", "CARD", "UPI", "WALLET", "VOUCHER", "OTHER"].map((name) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(method() === name), onclick: () => method.set(name) }, t(`method.${name}`)))),
    h("div", { class: "columns fields" }, h("label", {}, t("tip"), h("input", { inputmode: "decimal", value: tip, oninput: (/** @type {any} */ event) => tip.set(event.target.value) })),
      h("label", {}, t("reference"), h("input", { value: reference, maxlength: "60", oninput: (/** @type {any} */ event) => reference.set(event.target.value) }))),
    reasons("refund", (given) => close(given)),
  ]);
  if (!why) return;
  const tipCents = cents(tip.peek() || "0", purse().decimals);
  await act(one, t("undo.correct"), `/payments/${payment.id}/correct`, {
    reason: why, ...(method.peek() !== payment.method ? { method: method.peek() } : {}), ...(tipCents !== null && tipCents !== payment.tipCents ? { tipCents } : {}),
    ...(reference.peek().trim() !== (payment.reference ?? "") ? { reference: reference.peek().trim() || null } : {}) });
}
