// Times as people read them, in the outlet's time zone. The server's clock is the one that counts: this screen's may be wrong.

import { locale, t } from "./words.js";
import { signal } from "./view.js";

let offset = 0;

/** Sets the screen's clock by a moment that the server said just now. @param {string} iso */
export function setClock(iso) { offset = Date.parse(iso) - Date.now(); }

/** Now, by the server's clock, in milliseconds. */
export function now() { return Date.now() + offset; }

/** Now, once a second, for what counts. */
export const ticking = signal(Date.now());
setInterval(() => ticking.set(now()), 1_000);

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone @param {Intl.DateTimeFormatOptions} options */
function format(zone, options) {
  const key = zone + locale() + JSON.stringify(options);
  let known = formats.get(key);
  if (!known) formats.set(key, (known = new Intl.DateTimeFormat(locale(), { timeZone: zone, numberingSystem: "latn", ...options })));
  return known;
}

/** 19:02. @param {string | number} moment @param {string} zone */
export function clock(moment, zone) { return format(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(moment)); }

/** Thu, 26 Nov. @param {string} date a date or a moment @param {string} zone */
export function day(date, zone) {
  const options = /** @type {const} */ ({ weekday: "short", day: "numeric", month: "short" });
  return /^\d{4}-\d\d-\d\d$/.test(date) ? format("UTC", options).format(new Date(`${date}T00:00Z`)) : format(zone, options).format(new Date(date));
}

/** 26 Nov, 19:02. @param {string | number} moment @param {string} zone */
export function moment(moment, zone) {
  return format(zone, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(moment));
}

/** Whole minutes since `moment`. @param {string | number} moment @param {number} [at] */
export function minutesSince(moment, at = now()) { return Math.max(0, Math.floor((at - new Date(moment).getTime()) / 60_000)); }

/** 9:05 since `moment`, as minutes and seconds. @param {string | number} moment @param {number} [at] */
export function stopwatch(moment, at = now()) {
  const seconds = Math.max(0, Math.floor((at - new Date(moment).getTime()) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** 1 h 05 min; 8 h. @param {number} minutes */
export function duration(minutes) {
  const hours = Math.floor(minutes / 60), rest = minutes % 60;
  if (hours > 0 && rest === 0) return t("time.whole", { hours });
  return hours > 0 ? t("time.hours", { hours, minutes: String(rest).padStart(2, "0") }) : t("time.minutes", { minutes: rest });
}

/** The date of a moment in a zone, YYYY-MM-DD. @param {number} moment @param {string} zone */
export function dateOf(moment, zone) {
  const parts = Object.fromEntries(new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** The business date of a moment: before the outlet's day begins, by the clock on its wall, it is the date before. @param {number} moment @param {string} zone @param {string} [begins] such as `04:00` */
export function businessDate(moment, zone, begins = "00:00") {
  const wall = new Intl.DateTimeFormat("en", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(moment), date = dateOf(moment, zone);
  return wall < begins ? new Date(Date.parse(`${date}T00:00Z`) - 86_400_000).toISOString().slice(0, 10) : date;
}
