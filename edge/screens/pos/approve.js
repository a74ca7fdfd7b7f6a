// What some may do alone and others with a PIN of somebody who may: tried first, then asked for, for this one act. Never keeps a PIN.

import { ApiError } from "../kit/api.js";
import { show } from "../kit/dialog.js";
import { pinPad } from "../kit/pin.js";
import { inWords } from "../kit/refused.js";
import { h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { outlet, till } from "./store.js";

/**
 * Does `run`; where it needs somebody's approval, again with their PIN. Answers what it answered, null when it was left.
 * @template T @param {string} what the act in words @param {(approverPin?: string) => Promise<T>} run @returns {Promise<T | null>}
 */
export async function approved(what, run) {
  try { return await run(); } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403 || !error.fields.some(({ name }) => name === "approverPin")) throw error;
    // The rule that asks for it, where the server names one beside.
    const why = error.fields.filter(({ name }) => name !== "approverPin").map(({ reason }) => inWords(reason)).join("; ");
    return show(t("approver"), (close) => [
      h("p", {}, h("b", {}, what)), h("p", { class: "hint" }, t("approve.once")),
      pinPad({ digits: outlet.peek()?.approverPinMinDigits === 4 ? 4 : undefined, enter: async (pin) => close(await run(pin)) }),
      why ? h("p", { class: "hint" }, why) : null,
    ]);
  }
}

/**
 * Why: one of the outlet's reasons by one touch, or in words. Null when it was left.
 * @param {string} title names what it is for @param {"void" | "cancel" | "discount" | "refund" | "writeOff" | "payOut"} kind @param {(close: (reason: string | null) => void) => import("../kit/view.js").Child} [more] drawn above
 */
export function reason(title, kind, more) {
  return show(title, (/** @type {(reason: string | null) => void} */ close) => [more?.(close), reasons(kind, close)]);
}

/** One of the outlet's reasons in words; what was typed as it is. @param {"payOut"} kind @param {string | null | undefined} given */
export function reasonText(kind, given) { return inWords((till().reasons[kind] ?? []).find(({ code }) => code === given)?.text ?? given ?? ""); }

/** The reasons themselves. @param {"void" | "cancel" | "discount" | "refund" | "writeOff" | "payOut"} kind @param {(reason: string) => void} pick */
export function reasons(kind, pick) {
  const typed = signal("");
  const known = till().reasons[kind] ?? [];
  return h("fieldset", { class: "reasons" }, h("legend", {}, t("why")),
    h("div", { class: "choices" }, ...known.map(({ code, text }) => h("button", { type: "button", "data-reason": code, onclick: () => pick(code) }, inWords(text)))),
    h("form", { class: "inline", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); if (typed.peek().trim()) pick(typed.peek().trim()); } },
      h("label", {}, t("why.else"), h("input", { value: typed, maxlength: "200", oninput: (/** @type {any} */ event) => typed.set(event.target.value) })),
      h("button", { disabled: () => !typed().trim() }, t("go"))));
}
