// What asks before it goes on: native dialogs, which keep the focus within, close with Escape and give the focus back. Never `alert`: that blocks
// a till.

import { h, mount } from "./view.js";
import { t } from "./words.js";

/** What an element is called, to find it again when it was drawn anew. @param {Element} one */
const called = (one) => `${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent} ${one.getAttribute("href") ?? ""}`;

/** The elements that are called as `one` is. @param {Element} one @param {string} name */
const namesakes = (one, name) => [...document.querySelectorAll(one.tagName)].filter((other) => called(other) === name);

/**
 * Remembers where the focus is. What it answers puts it back there: at what is called as before where it was drawn anew, unless there are more
 * or fewer of that name now: then nobody knows which it was.
 */
export function keepFocus() {
  const was = document.activeElement;
  if (!(was instanceof HTMLElement) || was === document.body) return () => {};
  const name = called(was), before = namesakes(was, name), turn = before.indexOf(was);
  return () => {
    if (was.isConnected) { was.focus({ preventScroll: true }); return; }
    const now = namesakes(was, name);
    if (now.length === before.length) /** @type {HTMLElement} */ (now[turn]).focus({ preventScroll: true });
  };
}

let count = 0;

/**
 * Shows `draw` in a dialog, which calls `close` with the answer. Answers null when it was left.
 * @template T
 * @param {string} title @param {(close: (answer: T | null) => void) => import("./view.js").Child} draw @param {{ wide?: boolean, side?: boolean }} [look]
 * @returns {Promise<T | null>}
 */
export function show(title, draw, look = {}) {
  return new Promise((resolve) => {
    // What it was opened from may be drawn anew behind it.
    const back = keepFocus();
    const name = `dialog-${(count += 1)}`;
    /** @type {T | null} */
    let answer = null;
    const box = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": name, class: [look.wide ? "wide" : "", look.side ? "side" : ""].join(" ").trim() || null }));
    const close = (/** @type {T | null} */ given) => { answer = given; box.close(); };
    const end = mount(box, () => [
      h("header", {}, h("h2", { id: name }, title), h("button", { type: "button", class: "quiet", onclick: () => close(null) }, t("close"))),
      draw(close),
    ]);
    box.addEventListener("close", () => {
      end();
      box.remove();
      back();
      resolve(answer);
    });
    document.body.append(box);
    box.showModal();
  });
}

/** Asks whether to go on; the button says what will happen. @param {string} title @param {string} text @param {string} act @param {{ bad?: boolean }} [look] */
export async function confirm(title, text, act, look = {}) {
  return (await show(title, (close) => [
    h("p", {}, text),
    h("div", { class: "acts" }, h("button", { type: "button", class: look.bad ? "bad" : "main", onclick: () => close(true) }, act)),
  ])) === true;
}

/** One of some choices; null when it was left. @template T @param {string} title @param {{ label: string, value: T, hint?: string }[]} choices @returns {Promise<T | null>} */
export function choose(title, choices) {
  return show(title, (close) => h("div", { class: "choices" }, ...choices.map(({ label, value, hint }) =>
    h("button", { type: "button", onclick: () => close(value) }, label, hint ? h("small", {}, hint) : null))));
}

/** A short word at the foot of the page that goes by itself; read aloud. @param {string} text @param {"good" | "bad"} [kind] */
export function toast(text, kind = "good") {
  let place = /** @type {HTMLElement | null} */ (document.querySelector(".toasts"));
  if (!place) document.body.append((place = h("div", { class: "toasts", popover: "manual", role: "status", "aria-live": "polite" })));
  const one = h("p", { class: kind }, text);
  // It is seen above whatever dialog was opened last.
  if (place.matches(":popover-open") && document.querySelector("dialog[open]")) place.hidePopover();
  if (!place.matches(":popover-open")) place.showPopover();
  place.append(one);
  setTimeout(() => one.remove(), kind === "bad" ? 8_000 : 4_000);
}
