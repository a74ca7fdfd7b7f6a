// The arithmetic of charts and of dragging: round limits, marks between them, where bars stand, where a thing comes to lie. No document, no clock.

/** The next round number that is not below `value`: 1, 2, 2.5, 5 and their tens. @param {number} value @returns {number} */
export function ceiling(value) {
  if (value <= 0) return 0;
  const tens = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * tens).find((step) => step >= value - tens * 1e-9) ?? 10 * tens;
}

/** At most six values from `least` to `most`, with zero among them. @param {number} least @param {number} most @returns {number[]} */
export function marks(least, most) {
  if (most === least) return [0];
  const step = ceiling((most - least) / 5);
  const found = [];
  for (let at = Math.ceil(least / step); at * step <= most + step * 1e-9; at += 1) found.push(at * step);
  return found;
}

/** The widest that a bar is drawn. */
const WIDEST = 96;

/** Where `count` bars stand side by side: a fifth of each place is air, more where they are few. @param {number} count @param {number} wide */
export function spots(count, wide) {
  const each = wide / Math.max(1, count), bar = Math.min(WIDEST, each * 0.8);
  return Array.from({ length: count }, (_, at) => ({ x: (at + 0.5) * each - bar / 2, wide: bar, middle: (at + 0.5) * each }));
}

/** Within limits and on a grid. @param {number} value @param {number} step @param {number} least @param {number} most */
export function settled(value, step, least, most) {
  return Math.min(most, Math.max(least, Math.round(value / step) * step));
}
