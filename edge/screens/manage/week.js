// A week of the roster as a grid: who, which day, how long, what it costs. No document, no fetch, no clock.

/** @typedef {{ id: string, employeeId: string, date: string, shiftType: string, startTime?: string | null, endTime?: string | null, startsAt?: string | null, endsAt?: string | null, status: string, version: number, leaveRequestId?: string | null }} Shift */

/** The seven dates of the week of a date; weeks begin on Monday. @param {string} date */
export function weekOf(date) {
  const at = new Date(`${date}T00:00Z`);
  const monday = at.getTime() - ((at.getUTCDay() + 6) % 7) * 86_400_000;
  return Array.from({ length: 7 }, (_, day) => new Date(monday + day * 86_400_000).toISOString().slice(0, 10));
}

/** Shifts by whose and when, such as `E1 2026-11-30`. @param {Shift[]} shifts */
export function byPlace(shifts) {
  /** @type {Map<string, Shift>} */
  const found = new Map();
  for (const shift of shifts) found.set(`${shift.employeeId} ${shift.date}`, shift);
  return found;
}

/** How long a shift is, in minutes: by its moments, which know when clocks change. @param {Shift} shift */
export function minutes(shift) {
  if (!shift.startsAt || !shift.endsAt) return 0;
  return Math.max(0, Math.round((Date.parse(shift.endsAt) - Date.parse(shift.startsAt)) / 60_000));
}

/** What minutes cost at an hourly rate, in cents; half a cent and more is one. @param {number} worked @param {number} hourlyCents */
export function costOf(worked, hourlyCents) {
  return Math.floor((worked * hourlyCents * 2 + 60) / 120);
}

/** The cell beside one, within the grid. @param {{ row: number, day: number }} from @param {string} key @param {number} rows */
export function beside({ row, day }, key, rows) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -7], End: [0, 7] }[key];
  if (!step) return null;
  return { row: Math.min(rows - 1, Math.max(0, row + step[0])), day: Math.min(6, Math.max(0, day + step[1])) };
}
