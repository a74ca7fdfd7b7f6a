// Drawing anew under somebody's hands: the focus stays at what is called as before, and nothing changes under a finger. Never draws by itself.

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

/** What an element is called, to find it again when it was drawn anew. @param {Element} one */
const called = (one) => `${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent} ${one.getAttribute("href") ?? ""}`;

/** The elements that are called as `one` is. @param {Element} one @param {string} name */
const namesakes = (one, name) => [...document.querySelectorAll(one.tagName)].filter((other) => called(other) === name);

/** Draws anew and leaves the focus where it was, unless there are more or fewer of that name now: then nobody knows which it was. @param {() => void} work */
export function redraw(work) {
  const was = document.activeElement;
  if (!was || was === document.body) { work(); return; }
  const name = called(was), before = namesakes(was, name);
  work();
  if (was.isConnected) return;
  const now = namesakes(was, name), same = now[before.indexOf(was)];
  if (now.length === before.length && same instanceof HTMLElement) same.focus({ preventScroll: true });
}
