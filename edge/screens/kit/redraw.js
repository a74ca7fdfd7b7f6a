// Drawing anew under somebody's hands: the focus stays at what is called as before, and nothing changes under a finger. Never draws by itself.

import { keepFocus } from "./dialog.js";

/** Resolves once no finger or button is down. @type {Promise<void> | null} */
let down = null;
addEventListener("pointerdown", () => {
  down ??= new Promise((resolve) => {
    const up = () => { removeEventListener("pointerup", up, true); removeEventListener("pointercancel", up, true); setTimeout(() => { down = null; resolve(); }, 0); };
    addEventListener("pointerup", up, true);
    addEventListener("pointercancel", up, true);
  });
}, true);

/** Waits while a finger or a button is down: what it presses would be gone before it is let go. */
export async function released() { if (down) await down; }

/** Draws anew and leaves the focus where it was, at what is called as before. @param {() => void} work */
export function redraw(work) {
  const was = document.activeElement, back = keepFocus();
  work();
  if (!was?.isConnected) back();
}
