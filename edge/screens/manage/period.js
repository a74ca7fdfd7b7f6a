// Of when: by name, or by two dates. Never a date that is still to come.

import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { later, today } from "./store.js";
import { lastMonth } from "./tables.js";

/** @typedef {{ from: string, to: string }} Span */

/** Monday of the week of a date. @param {string} day */
const mondayOf = (day) => later(day, -((new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7));

/** What is offered by name. @returns {Record<string, Span>} */
export function presets() {
  const day = today(), monday = mondayOf(day), [first, last] = lastMonth(day);
  return {
    TODAY: { from: day, to: day }, YESTERDAY: { from: later(day, -1), to: later(day, -1) }, THIS_WEEK: { from: monday, to: day },
    LAST_WEEK: { from: later(monday, -7), to: later(monday, -1) }, THIS_MONTH: { from: `${day.slice(0, 8)}01`, to: day }, LAST_MONTH: { from: first, to: last },
  };
}

/** The choice of a period, to stand among filters. @param {import("../kit/view.js").Signal<Span>} span */
export function period(span) {
  const change = (/** @type {Partial<Span>} */ part) => {
    const next = { ...span.peek(), ...part };
    if (!next.from || !next.to) return;
    // The other end follows where it would lie on the wrong side.
    if (next.from > next.to) span.set("from" in part ? { from: next.from, to: next.from } : { from: next.to, to: next.to });
    else span.set(next);
  };
  const date = (/** @type {"from" | "to"} */ name) => h("label", {}, t(`f.${name}`), h("input", { type: "date", value: () => span()[name], max: today(), onchange: (/** @type {any} */ event) => change({ [name]: event.target.value }) }));
  return [
    h("div", { class: "presets", role: "group", "aria-label": t("period") }, ...Object.entries(presets()).map(([name, { from, to }]) =>
      h("button", { type: "button", "aria-pressed": () => (span().from === from && span().to === to ? "true" : "false"), onclick: () => span.set({ from, to }) }, t(`period.${name}`)))),
    h("div", { class: "dates" }, date("from"), date("to")),
  ];
}
