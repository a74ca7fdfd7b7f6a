// Keys that act for the whole screen, while nobody types a text and no dialog is open.

import { onEnd } from "./view.js";

/** Acts on keys by name, such as `Enter` or `r`, until what is drawn goes away. @param {Record<string, (event: KeyboardEvent) => void>} acts @param {(event: KeyboardEvent) => boolean} [other] */
export function keys(acts, other) {
  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const target = event.target;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return;
    if (event.key === "Enter" && (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement)) return;
    const act = acts[event.key];
    if (act) act(event);
    else if (!other?.(event)) return;
    event.preventDefault();
  }
  document.addEventListener("keydown", pressed);
  onEnd(() => document.removeEventListener("keydown", pressed));
}
