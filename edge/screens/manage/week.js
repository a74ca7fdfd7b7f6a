// A week of the roster as a grid: who, which day, how long, what it costs. No document, no fetch, no clock.

/** @typedef {{ id: string, employeeId: string, date: string, shiftType: string, startTime?: string | null, endTime?: string | null, startsAt?: string | null, endsAt?: string | null, status: string, version: number, leaveRequestId?: string | null }} Shift */

/** The seven dates of the week of a date; weeks begin on Monday. @param {string} date */
export function weekOf(date) {
  const at = new Date(`${date}T00:00Z`);
  const monday = at.getTime() - ((at.getUTCDay() + 6) % 7) * 86_400_000;
  return Array.from({ length: 7 }, (_, day) => new Date(monday + day * 86_400_000).toISOString().slice(0, 10));
}

/** Shifts by whose and when, such as `E1 2026-11-30`; those of one day in the order they begin. @param {Shift[]} shifts */
export function byPlace(shifts) {
  /** @type {Map<string, Shift[]>} */
  const found = new Map();
  const begins = (/** @type {Shift} */ { startsAt, startTime, id }) => `${startsAt ?? startTime ?? ""} ${id}`;
  for (const shift of shifts) {
    const place = `${shift.employeeId} ${shift.date}`;
    found.set(place, [...(found.get(place) ?? []), shift].sort((one, other) => begins(one).localeCompare(begins(other))));
  }
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

/** @typedef {{ hourlyRateCents: number, payBasis?: string, monthlySalaryCents?: number, employmentType?: string, dayMinutes?: number | null }} Paid */
/** @typedef {{ dailyMinutes?: number | null, weeklyMinutes?: number | null, multiplierBps: number } | null | undefined} Overtime */
/** @typedef {{ date: string, minutes: number, overtimeMinutes: number, ordinaryCents: number, overtimeCents: number, holidayCents: number, cents: number }} Day */

/** What minutes cost at a wage of an hour, by a share in basis points. @param {number} minutes @param {number} wage @param {number} bps */
const worth = (minutes, wage, bps) => Math.floor((minutes * wage * bps + 300_000) / 600_000);

/**
 * What each day of somebody's week costs, in cents, as the box will reckon it: hours, overtime at what it pays, the days' shares of a salary, and
 * holidays of who is paid by the hour. What exceeds the week is the overtime of the day that exceeds it.
 * @param {Paid} who @param {[string, number][]} days dates with minutes, Monday first @param {Overtime} overtime
 * @param {(date: string) => number} [holiday] minutes that a date pays without work: 0 where it is none, or they would not have worked
 * @returns {Day[]}
 */
export function costsOfWeek(who, days, overtime, holiday = () => 0) {
  const over = (/** @type {number} */ worked, /** @type {number | null | undefined} */ limit) => (limit === null || limit === undefined ? 0 : Math.max(0, worked - limit));
  const monthly = who.payBasis === "MONTHLY", wage = who.hourlyRateCents;
  let worked = 0, overDays = 0, given = 0;
  return days.map(([date, minutes]) => {
    worked += minutes;
    overDays += overtime ? over(minutes, overtime.dailyMinutes) : 0;
    const whole = overtime ? Math.max(overDays, over(worked, overtime.weeklyMinutes)) : 0, extra = whole - given;
    given = whole;
    const bps = overtime?.multiplierBps ?? 10_000, overtimeCents = worth(extra, wage, bps);
    const ordinaryCents = monthly ? share(who.monthlySalaryCents ?? 0, date) : Math.floor((((minutes - extra) * 10_000 + extra * bps) * wage + 300_000) / 600_000) - overtimeCents;
    const holidayCents = monthly || who.employmentType === "CASUAL" ? 0 : worth(holiday(date), wage, 10_000);
    return { date, minutes, overtimeMinutes: extra, ordinaryCents, overtimeCents, holidayCents, cents: ordinaryCents + overtimeCents + holidayCents };
  });
}

/** The sum of some days. @param {Day[]} days @returns {Omit<Day, "date">} */
export function sumOf(days) {
  const sum = { minutes: 0, overtimeMinutes: 0, ordinaryCents: 0, overtimeCents: 0, holidayCents: 0, cents: 0 };
  for (const day of days) for (const name of /** @type {(keyof typeof sum)[]} */ (Object.keys(sum))) sum[name] += day[name];
  return sum;
}

/**
 * The shift, or the free cell, beside one, within the grid: up and down go through the shifts of a day first.
 * @param {{ row: number, day: number, nth?: number }} from @param {string} key @param {number} rows @param {(row: number, day: number) => number} [many] how many stand in a cell
 */
export function beside({ row, day, nth = 0 }, key, rows, many = () => 1) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -7], End: [0, 7] }[key];
  if (!step) return null;
  if (step[0] !== 0 && nth + step[0] >= 0 && nth + step[0] < many(row, day)) return { row, day, nth: nth + step[0] };
  const next = { row: Math.min(rows - 1, Math.max(0, row + step[0])), day: Math.min(6, Math.max(0, day + step[1])) };
  const last = many(next.row, next.day) - 1;
  // At the edge one stays where one is.
  return { ...next, nth: step[0] === 0 ? Math.min(nth, last) : next.row === row ? Math.min(nth, last) : step[0] < 0 ? last : 0 };
}
