// Several of a kind within a form, one below the other: hours, parts of a combo, prices of a list. Never asks and never sends.

import { h } from "../kit/view.js";
import { locale, t } from "../kit/words.js";
import { of } from "./parts.js";

/** @typedef {import("./parts.js").Field} Field */
/** @typedef {{ days: string[] | null, from: string | null, to: string | null }} Hours */
/** What is drawn of one, and what was typed of it. @typedef {{ nodes: import("../kit/view.js").Child[], typed: () => any }} Row */

/** A set of rows with its buttons. @param {string} label @param {string} add @param {any[]} given @param {(row: any) => Row} draw @param {string} [hint] */
export function rowsIn(label, add, given, draw, hint) {
  /** @type {{ row: Row, node: HTMLElement }[]} */
  let shown = [];
  const place = h("div", { class: "lines" });
  const more = h("button", { type: "button", onclick: () => /** @type {HTMLElement | null} */ (put({}).querySelector("input, select"))?.focus() }, add);
  /** @param {any} one */
  function put(one) {
    const row = draw(one);
    const node = h("div", { class: "oneline", role: "group", "aria-label": `${label} ${shown.length + 1}` }, h("div", { class: "parts" }, ...row.nodes),
      h("button", { type: "button", class: "quiet", onclick: () => { shown = shown.filter((other) => other.node !== node); node.remove(); more.focus(); } }, of("✕", `${t("rows.remove")} ${shown.length + 1}`)));
    shown.push({ row, node });
    place.append(node);
    return node;
  }
  for (const one of given) put(one);
  const node = (/** @type {import("../kit/view.js").Child} */ reason) => h("fieldset", { class: "full" }, h("legend", {}, label), hint ? h("small", {}, hint) : null, reason, place, more);
  return { node, typed: () => shown.map(({ row }) => row.typed()) };
}

/** Rows as a field of a form. @param {string} name @param {string} label @param {string} add @param {any[]} given @param {(row: any) => Row} draw @param {string} [hint] @param {string[]} [also] @returns {Field} */
export function rowsField(name, label, add, given, draw, hint, also) {
  const rows = rowsIn(label, add, given, draw, hint);
  return { name, kind: "own", full: true, also, typed: rows.typed, node: (reason) => rows.node(reason) };
}

/** A field within a row. @param {string} label @param {Element} input */
export const labelled = (label, input) => h("label", {}, label, input);

export const DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];
/** The name of a day of the week; the 5th of January 2026 is a Monday. @param {string} day */
const dayName = (day) => new Intl.DateTimeFormat(locale(), { weekday: "short", timeZone: "UTC" }).format(new Date(Date.UTC(2026, 0, 5 + DAYS.indexOf(day))));

/** Hours of some days, as one types them. @param {Partial<Hours>} given @returns {Row} */
export function hoursRow(given) {
  const ticks = DAYS.map((day) => /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: (given.days ?? DAYS).includes(day) })));
  const clock = (/** @type {string | null | undefined} */ value) => /** @type {HTMLInputElement} */ (h("input", { type: "time", value: value ?? "" }));
  const from = clock(given.from), to = clock(given.to);
  return {
    nodes: [h("div", { class: "days", role: "group", "aria-label": t("hours.days") }, ...DAYS.map((day, at) => h("label", { class: "tick" }, ticks[at], dayName(day)))), labelled(t("f.from"), from), labelled(t("hours.to"), to)],
    typed() {
      const days = DAYS.filter((_, at) => ticks[at].checked);
      return { days: days.length % 7 === 0 ? null : days, from: from.value || null, to: to.value || null };
    },
  };
}

/** The hours something is sold in. @param {Hours[] | undefined} given @returns {Field} */
export function windowsField(given) {
  return rowsField("windows", t("hours.sold"), t("hours.add"), given ?? [], hoursRow, t("hours.hint"), ["availableFrom", "availableTo", "availableDays"]);
}

/** Hours in words. @param {Partial<Hours>} hours */
export function hoursText({ days, from, to }) {
  const open = (/** @type {string[]} */ some) => some.map(dayName).join(", ");
  const clock = from && to ? `${from}–${to}` : from ? t("hours.after", { time: from }) : to ? t("hours.before", { time: to }) : "";
  return [days ? open(days) : "", clock].filter(Boolean).join(" ") || t("hours.always");
}
