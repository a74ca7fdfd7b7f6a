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

/** The share of a month's salary that a date has: the shares of a month add up to it. @param {number} salary @param {string} date */
function share(salary, date) {
  const [year, month, day] = date.split("-").map(Number);
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const until = (/** @type {number} */ last) => Math.floor((salary * last * 2 + length) / (2 * length));
  return until(day) - until(day - 1);
}

/**
 * What a week of somebody costs, in cents, as the box will reckon it: hours, overtime at what it pays, or the days' shares of a salary.
 * @param {{ hourlyRateCents: number, payBasis?: string, monthlySalaryCents?: number }} who @param {[string, number][]} days dates with minutes
 * @param {{ dailyMinutes?: number | null, weeklyMinutes?: number | null, multiplierBps: number } | null | undefined} overtime
 */
export function costOfWeek(who, days, overtime) {
  const over = (/** @type {number} */ worked, /** @type {number | null | undefined} */ limit) => (limit === null || limit === undefined ? 0 : Math.max(0, worked - limit));
  const worked = days.reduce((sum, [, minutes]) => sum + minutes, 0);
  const extra = overtime ? Math.max(days.reduce((sum, [, minutes]) => sum + over(minutes, overtime.dailyMinutes), 0), over(worked, overtime.weeklyMinutes)) : 0;
  const paid = extra * (overtime?.multiplierBps ?? 10_000);
  const monthly = who.payBasis === "MONTHLY";
  const hours = Math.floor((((monthly ? 0 : worked - extra) * 10_000 + paid) * who.hourlyRateCents + 300_000) / 600_000);
  return hours + (monthly ? days.reduce((sum, [date]) => sum + share(who.monthlySalaryCents ?? 0, date), 0) : 0);
}

/** The cell beside one, within the grid. @param {{ row: number, day: number }} from @param {string} key @param {number} rows */
export function beside({ row, day }, key, rows) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -7], End: [0, 7] }[key];
  if (!step) return null;
  return { row: Math.min(rows - 1, Math.max(0, row + step[0])), day: Math.min(6, Math.max(0, day + step[1])) };
}
