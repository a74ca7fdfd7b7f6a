// What the clock computes of a roster: the days of a week, and who works on one. Pure.

/** @typedef {import("api").components["schemas"]["RosterRow"]} Row */
/** @typedef {import("api").components["schemas"]["RosterShift"]} Shift */

/** The days of the week of `date`, from Monday. @param {string} date @returns {string[]} */
export function daysOf(date) {
  const moment = Date.parse(`${date}T00:00Z`), monday = moment - ((new Date(moment).getUTCDay() + 6) % 7) * 86_400_000;
  return Array.from({ length: 7 }, (_, at) => new Date(monday + at * 86_400_000).toISOString().slice(0, 10));
}

/** Who has a shift on `date`, by its beginning; days off come last. @param {Row[]} matrix @param {string} date */
export function onDay(matrix, date) {
  const rows = matrix.map((row) => ({ name: row.employeeName, role: row.role, shifts: row.shifts.filter((shift) => shift.date === date) })).filter(({ shifts }) => shifts.length > 0);
  const begins = (/** @type {{ shifts: Shift[] }} */ { shifts }) => shifts.map(({ startTime }) => startTime ?? "99").sort()[0];
  return rows.sort((a, b) => begins(a).localeCompare(begins(b)) || a.name.localeCompare(b.name));
}
