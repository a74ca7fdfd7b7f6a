// A dish as whoever makes one types it, for one branch as for a chain: its unit, its leading size, its hours. No document, no fetch, no clock; never
// decides what is sold: the box does.

import { t } from "./words.js";

export const DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];

/** @typedef {{ days?: string[] | null, from?: string | null, to?: string | null }} Hours */

/** Days as the server takes them: in their order; all, or none, is every day. @param {string[]} days */
export const asDays = (days) => (days.length % 7 === 0 ? null : DAYS.filter((day) => days.includes(day)));

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
function daysText(days) {
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

/** Only what is sold by weight has a unit: kilograms unless another is chosen. @param {any} typed */
export function byWeight({ weightUnit, ...typed }) { return typed.soldBy === "WEIGHT" ? { ...typed, weightUnit: weightUnit || "KG" } : typed; }

/** A dish costs what its leading size costs: the one that is meant, else the first. @param {any} typed */
export function sized(typed) {
  const lead = typed.variants?.find((/** @type {any} */ one) => one.isDefault) ?? typed.variants?.[0];
  return lead ? { ...typed, priceCents: lead.priceCents } : typed;
}
