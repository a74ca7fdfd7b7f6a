// What of a plan is unwise, and what cannot be: overtime, short rest, a seventh day in a row, two shifts at once. By the same rules as the box,
// before anything is sent; the box's own word is the one that counts. No document, no fetch, no clock.

import { momentOf } from "./zones.js";

/** @typedef {{ id?: string, employeeId?: string, date: string, shiftType: string, startTime?: string | null, endTime?: string | null, startsAt?: string | null, endsAt?: string | null }} Planned */
/** @typedef {{ code: "OVERTIME_DAY" | "OVERTIME_WEEK" | "SHORT_REST" | "SEVENTH_DAY", date: string, minutes?: number, limit?: number, days?: number, nth?: number, side?: "before" | "after" }} Warning */

const MINUTE = 60_000, DAY = 1_440 * MINUTE;
/** The least rest between two days' work, in minutes. */
const REST = 660;
/** Days in a row that nobody should work. */
const IN_A_ROW = 7;
/** What counts as overtime where no law and no setting says so. */
const USUAL = { dailyMinutes: 540, weeklyMinutes: 2_880 };

/** @param {string} date @param {number} days */
const later = (date, days) => new Date(Date.parse(`${date}T00:00Z`) + days * DAY).toISOString().slice(0, 10);
/** @param {string} date */
const mondayOf = (date) => later(date, -((new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7));

/** Spans by their shifts: a week is looked at again and again. @type {WeakMap<Planned, { from: number, to: number }>} */
const known = new WeakMap();

/** From when to when a shift is, in milliseconds; null of a day off. @param {Planned} shift @param {string} zone @returns {{ from: number, to: number } | null} */
export function spanOf(shift, zone) {
  if (shift.startsAt && shift.endsAt) return { from: Date.parse(shift.startsAt), to: Date.parse(shift.endsAt) };
  if (shift.shiftType === "OFF" || !shift.startTime || !shift.endTime) return null;
  const at = (/** @type {string} */ date, /** @type {string} */ time) => Date.parse(momentOf(`${date}T${time}`, zone) ?? "");
  const span = known.get(shift) ?? { from: at(shift.date, shift.startTime), to: at(shift.endTime > shift.startTime ? shift.date : later(shift.date, 1), shift.endTime) };
  known.set(shift, span);
  return span;
}

/** Whether two are the same shift. @param {Planned} one @param {Planned} other */
const same = (one, other) => one.id !== undefined && one.id === other.id;

/** The first of somebody's other shifts that one cannot stand beside: at the same time, or a day off and anything else. @template {Planned} T @param {Planned} shift @param {T[]} others @param {string} zone @returns {T | null} */
export function clashOf(shift, others, zone) {
  const mine = spanOf(shift, zone);
  return others.find((other) => {
    if (same(shift, other)) return false;
    const theirs = spanOf(other, zone);
    return mine && theirs ? mine.from < theirs.to && theirs.from < mine.to : other.date === shift.date;
  }) ?? null;
}

/**
 * What is unwise about a shift beside the others of the same person, of the week before and after.
 * @param {Planned} shift @param {Planned[]} others @param {{ dailyMinutes?: number | null, weeklyMinutes?: number | null } | null | undefined} overtime @param {string} zone
 * @returns {Warning[]}
 */
export function warningsOf(shift, others, overtime, zone) {
  const { date } = shift;
  if (!spanOf(shift, zone)) return [];
  const spans = [...others.filter((other) => !same(shift, other)), shift].flatMap((one) => { const span = spanOf(one, zone); return span ? [{ date: one.date, ...span }] : []; });
  /** @type {Warning[]} */
  const found = [];
  const total = (/** @type {(date: string) => boolean} */ counts) => spans.filter((one) => counts(one.date)).reduce((sum, { from, to }) => sum + (to - from) / MINUTE, 0);
  const { dailyMinutes, weeklyMinutes } = overtime ?? USUAL;
  const day = total((one) => one === date), week = total((one) => mondayOf(one) === mondayOf(date));
  if (typeof dailyMinutes === "number" && day > dailyMinutes) found.push({ code: "OVERTIME_DAY", date, minutes: day, limit: dailyMinutes });
  if (typeof weeklyMinutes === "number" && week > weeklyMinutes) found.push({ code: "OVERTIME_WEEK", date, minutes: week, limit: weeklyMinutes });
  const worked = new Set(spans.map((one) => one.date));
  let first = date, last = date;
  while (worked.has(later(first, -1))) first = later(first, -1);
  while (worked.has(later(last, 1))) last = later(last, 1);
  const between = (/** @type {string} */ from, /** @type {string} */ to) => Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY) + 1;
  if (between(first, last) >= IN_A_ROW) found.push({ code: "SEVENTH_DAY", date, days: between(first, last), nth: between(first, date) });
  const own = spans.filter((one) => one.date === date), before = spans.filter((one) => one.date < date), after = spans.filter((one) => one.date > date);
  const begins = Math.min(...own.map(({ from }) => from)), ends = Math.max(...own.map(({ to }) => to));
  for (const [rest, side] of /** @type {const} */ ([[begins - Math.max(...before.map(({ to }) => to)), "before"], [Math.min(...after.map(({ from }) => from)) - ends, "after"]])) {
    if (rest / MINUTE < REST) found.push({ code: "SHORT_REST", date, minutes: rest / MINUTE, side });
  }
  return found;
}

/**
 * What is unwise about some shifts of one person, each thing once: what is true of a week, or of days in a row, not day by day.
 * @param {Planned[]} shifts those that are looked at @param {Planned[]} all theirs, with the week before and after @param {Parameters<typeof warningsOf>[2]} overtime @param {string} zone
 */
export function warningsIn(shifts, all, overtime, zone) {
  /** @type {Map<string, Warning>} */
  const found = new Map();
  for (const shift of shifts) {
    for (const one of warningsOf(shift, all, overtime, zone)) {
      const key = one.code === "OVERTIME_WEEK" ? `${one.code} ${mondayOf(one.date)}` : one.code === "SEVENTH_DAY" ? one.code : one.code === "SHORT_REST" ? `${one.code} ${one.minutes} ${one.side === "before" ? one.date : later(one.date, 1)}` : `${one.code} ${one.date}`;
      if (!found.has(key)) found.set(key, one);
    }
  }
  return [...found.values()];
}

/**
 * What becomes of a swap: who could not work then, and what would be unwise. `from` goes to the colleague, `to` comes back, where there is one.
 * @param {{ from: Planned, to?: Planned | null }} swap @param {Planned[]} givers the shifts of who offers @param {Planned[]} takers the colleague's @param {Parameters<typeof warningsOf>[2]} overtime @param {string} zone
 * @returns {{ side: "taker" | "giver", clash: Planned | null, warnings: Warning[] }[]}
 */
export function fitOf({ from, to }, givers, takers, overtime, zone) {
  const without = (/** @type {Planned[]} */ list) => list.filter((one) => one.id !== from.id && (!to || one.id !== to.id));
  const sides = /** @type {const} */ ([["taker", from, without(takers)], ...(to ? [/** @type {const} */ (["giver", to, without(givers)])] : [])]);
  return sides.map(([side, shift, others]) => ({ side, clash: clashOf(shift, others, zone), warnings: warningsOf(shift, others, overtime, zone) })).map((one) => (one.clash ? { ...one, warnings: [] } : one));
}
