// The pad for a PIN: keys of a finger's size, digits from any keyboard. What was typed is handed on and forgotten; it is shown as dots alone.

import { show } from "./dialog.js";
import { said } from "./refused.js";
import { h, signal, onEnd } from "./view.js";
import { t } from "./words.js";

/**
 * A pad. `enter` is given the digits; what it throws is said beside the pad, and the digits are gone. It is asked by itself once there are
 * `digits`, or once `pause` milliseconds went by after four or more, or by the key.
 * @param {{ enter: (pin: string) => Promise<void>, digits?: number, pause?: number }} how
 */
export function pinPad({ enter, digits, pause }) {
  let timer = 0;
  const typed = signal(""), wrong = signal(""), busy = signal(false);
  async function go() {
    clearTimeout(timer);
    if (busy.peek() || typed.peek().length < 4) return;
    busy.set(true);
    const pin = typed.peek();
    typed.set("");
    try {
      wrong.set("");
      await enter(pin);
    } catch (error) {
      wrong.set(said(error));
    } finally {
      busy.set(false);
    }
  }
  /** @param {string} digit */
  function press(digit) {
    if (busy.peek() || typed.peek().length >= 8) return;
    typed.update((before) => before + digit);
    clearTimeout(timer);
    if (digits && typed.peek().length === digits) void go();
    else if (pause && typed.peek().length >= 4) timer = setTimeout(() => void go(), pause);
  }
  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    if (/^\d$/.test(event.key)) press(event.key);
    else if (event.key === "Backspace") typed.update((before) => before.slice(0, -1));
    else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) void go();
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", key);
  onEnd(() => { clearTimeout(timer); document.removeEventListener("keydown", key); });
  return h("div", { class: "pin" },
    h("output", { class: "dots", "aria-label": t("pin.typed") }, () => (typed() ? "●".repeat(typed().length) : t("pin.enter"))),
    h("p", { class: "wrong", role: "alert" }, () => wrong()),
    // Digits stand as on every pad, whichever way one reads.
    h("div", { class: "keys", dir: "ltr" },
      ...["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((digit) => h("button", { type: "button", onclick: () => press(digit) }, digit)),
      h("button", { type: "button", onclick: () => typed.update((before) => before.slice(0, -1)), "aria-label": t("pin.back") }, "⌫"),
      h("button", { type: "button", onclick: () => press("0") }, "0"),
      h("button", { type: "button", class: "main", "aria-label": t("pin.go"), disabled: () => busy() || typed().length < 4, onclick: go }, "↵")));
}

export { said } from "./refused.js";

/** Asks for the PIN of somebody who may approve, for this one act. Null when it was left. @param {string} why @returns {Promise<string | null>} */
export function approver(why) {
  return show(t("approver"), (close) => [h("p", {}, why), pinPad({ enter: async (pin) => close(pin) })]);
}
