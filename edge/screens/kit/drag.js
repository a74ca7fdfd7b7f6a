// Things that are moved by finger, mouse or pen, and by arrow keys just the same. Never moves anything itself: it says where to, and the screen
// decides. Every drag also has buttons or keys.

/**
 * Lets `element` be dragged. `onMove` hears how far it is from where it began, in pixels; `onDrop` where it was let go, `onCancel` that it was
 * left. A touch that does not move stays a tap. Arrow keys call `onKey` with a step in either direction.
 * @param {HTMLElement | SVGElement} element
 * @param {{ onStart?: () => void, onMove: (dx: number, dy: number, at: { x: number, y: number }) => void, onDrop: (dx: number, dy: number, at: { x: number, y: number }) => void, onCancel?: () => void, onKey?: (x: number, y: number, far: boolean) => void }} how
 */
export function draggable(element, { onStart, onMove, onDrop, onCancel, onKey }) {
  /** @type {{ id: number, x: number, y: number, moved: boolean } | null} */
  let held = null;
  element.style.touchAction = "none";
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (event.button !== 0 || held) return;
    held = { id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  };
  /** @param {PointerEvent} event */
  const move = (event) => {
    if (!held || event.pointerId !== held.id) return;
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    if (!held.moved && Math.hypot(dx, dy) < 6) return;
    if (!held.moved) { held.moved = true; element.setPointerCapture(held.id); onStart?.(); }
    onMove(dx, dy, { x: event.clientX, y: event.clientY });
    event.preventDefault();
  };
  /** @param {PointerEvent} event */
  const up = (event) => {
    if (!held || event.pointerId !== held.id) return;
    const was = held;
    held = null;
    if (was.moved) onDrop(event.clientX - was.x, event.clientY - was.y, { x: event.clientX, y: event.clientY });
    // What was dragged is not also tapped.
    if (was.moved) element.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => element.removeEventListener("click", swallow, { capture: true }), 0);
  };
  const swallow = (/** @type {Event} */ event) => { event.preventDefault(); event.stopImmediatePropagation(); };
  const left = () => { if (held?.moved) onCancel?.(); held = null; };
  /** @param {Event} pressed */
  const key = (pressed) => {
    const event = /** @type {KeyboardEvent} */ (pressed);
    if (event.key === "Escape" && held?.moved) { left(); return; }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || !onKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onKey(step[0], step[1], event.shiftKey);
  };
  element.addEventListener("pointerdown", /** @type {EventListener} */ (down));
  element.addEventListener("pointermove", /** @type {EventListener} */ (move));
  element.addEventListener("pointerup", /** @type {EventListener} */ (up));
  element.addEventListener("pointercancel", left);
  element.addEventListener("keydown", key);
}
