// Moments as a clock on the wall of the outlet shows them, and back. No document, no fetch, no clock of its own.

/** One for each zone: they are costly to make. @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** What the wall shows at a moment: 2026-11-26T19:02. @param {number} moment @param {string} zone */
export function onWall(moment, zone) {
  let format = formats.get(zone);
  if (!format) formats.set(zone, (format = new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" })));
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/** The moment at which the wall shows that; where the clocks change, the earlier of two. @param {string} wall @param {string} zone @returns {string | null} */
export function momentOf(wall, zone) {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(wall)) return null;
  const asUtc = Date.parse(`${wall}Z`);
  for (const guess of [asUtc - away(asUtc - 86_400_000, zone), asUtc - away(asUtc + 86_400_000, zone)]) {
    if (onWall(guess, zone) === wall) return new Date(guess).toISOString();
  }
  return new Date(asUtc - away(asUtc, zone)).toISOString();
}

/** How far the wall is from UTC at a moment, in milliseconds. @param {number} moment @param {string} zone */
const away = (moment, zone) => Date.parse(`${onWall(moment, zone)}Z`) - Math.floor(moment / 60_000) * 60_000;
