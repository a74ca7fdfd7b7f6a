// Hours of some days, wherever they are kept: a dish, a category, a price list. One way to type them and one way to say them. Never decides
// what is sold: the box does, by its own clock.

import { t } from "../kit/words.js";

export const DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];

/** @typedef {{ days?: string[] | null, from?: string | null, to?: string | null }} Hours */

/** The fields of hours. @param {boolean} [alone] whether they stand without others, which have said how they are meant. @returns {import("./fields.js").Field[]} */
export function hoursFields(alone = true) {
  return [
    { name: "days", kind: "many", values: DAYS, words: "weekday", get: (row) => row.days ?? DAYS, fresh: () => DAYS },
    { name: "from", kind: "time", label: t("hours.from") }, { name: "to", kind: "time", label: t("hours.to"), ...(alone ? { hint: "hours.to.hint" } : {}) },
  ];
}

/** Several hours, one below the other. @returns {import("./fields.js").Field} */
export function windowsField() {
  return { name: "windows", kind: "rows", hint: "windows.hint", more: "windows.add", of: hoursFields(false), also: { availableFrom: "windows[0].from", availableTo: "windows[0].to", availableDays: "windows[0].days" } };
}

/** Days as the server takes them: in their order; all, or none, is every day. @param {string[]} days */
export const asDays = (days) => (days.length % 7 === 0 ? null : DAYS.filter((day) => days.includes(day)));

/** Typed hours as the server takes them. @template {Record<string, any>} T @param {T} typed @returns {T} */
export function asHours(typed) {
  return "days" in typed ? { ...typed, days: asDays(typed.days) } : typed;
}

/** A record with the windows that were typed. @template {Record<string, any>} T @param {T} typed @returns {T} */
export function asWindows(typed) {
  return "windows" in typed ? { ...typed, windows: typed.windows.map(asHours) } : typed;
}

/** Days as runs: Monday to Friday, Sunday. @param {string[]} days @returns {string[][]} */
export function runs(days) {
  /** @type {string[][]} */
  const found = [];
  DAYS.forEach((day, at) => {
    if (!days.includes(day)) return;
    const run = found.at(-1);
    if (run && DAYS.indexOf(/** @type {string} */ (run.at(-1))) === at - 1) run.push(day); else found.push([day]);
  });
  return found;
}

/** Days in words: Mon–Fri, Sun; nothing where it is every day. @param {string[] | null | undefined} days */
export function daysText(days) {
  if (!days || days.length % 7 === 0) return "";
  const name = (/** @type {string} */ day) => t(`weekday.${day}`);
  return runs(days).map((run) => (run.length > 2 ? `${name(run[0])}–${name(/** @type {string} */ (run.at(-1)))}` : run.map(name).join(", "))).join(", ");
}

/** Hours in words: Mon–Fri 12:00–15:00; always where nothing is said. @param {Hours} hours */
export function hoursText({ days, from, to }) {
  const clock = from && to ? `${from}–${to}` : from ? t("hours.after", { time: from }) : to ? t("hours.before", { time: to }) : "";
  const said = [daysText(days), clock].filter(Boolean).join(" ");
  return said || t("hours.always");
}

/** Several hours in words. @param {Hours[] | null | undefined} windows */
export const windowsText = (windows) => (windows?.length ? windows.map(hoursText).join("; ") : t("hours.always"));
