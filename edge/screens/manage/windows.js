// Hours of some days, wherever they are kept: a dish, a category, a price list. One way to type them and one way to say them. Never decides
// what is sold: the box does, by its own clock.

import { DAYS, asDays, hoursText } from "../kit/dish.js";
import { t } from "../kit/words.js";

/** @typedef {import("../kit/dish.js").Hours} Hours */

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

/** Typed hours as the server takes them. @template {Record<string, any>} T @param {T} typed @returns {T} */
export function asHours(typed) {
  return "days" in typed ? { ...typed, days: asDays(typed.days) } : typed;
}

/** A record with the windows that were typed. @template {Record<string, any>} T @param {T} typed @returns {T} */
export function asWindows(typed) {
  return "windows" in typed ? { ...typed, windows: typed.windows.map(asHours) } : typed;
}

/** Several hours in words. @param {Hours[] | null | undefined} windows */
export const windowsText = (windows) => (windows?.length ? windows.map(hoursText).join("; ") : t("hours.always"));
