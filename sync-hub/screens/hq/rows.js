// Several of a kind within a form, one below the other: hours, parts of a combo, prices of a list. Never asks and never sends.

import { DAYS, asDays } from "../kit/dish.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { of } from "./parts.js";

/** @typedef {import("./parts.js").Field} Field */
/** @typedef {import("../kit/dish.js").Hours} Hours */
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

/** Hours of some days, as one types them. @param {Hours} given @returns {Row} */
export function hoursRow(given) {
  const ticks = DAYS.map((day) => /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: (given.days ?? DAYS).includes(day) })));
  const clock = (/** @type {string | null | undefined} */ value) => /** @type {HTMLInputElement} */ (h("input", { type: "time", value: value ?? "" }));
  const from = clock(given.from), to = clock(given.to);
  return {
    nodes: [h("div", { class: "days", role: "group", "aria-label": t("hours.days") }, ...DAYS.map((day, at) => h("label", { class: "tick" }, ticks[at], t(`weekday.${day}`)))), labelled(t("f.from"), from), labelled(t("hours.to"), to)],
    typed() {
      return { days: asDays(DAYS.filter((_, at) => ticks[at].checked)), from: from.value || null, to: to.value || null };
    },
  };
}

/** The hours something is sold in. @param {Hours[] | undefined} given @returns {Field} */
export function windowsField(given) {
  return rowsField("windows", t("hours.sold"), t("hours.add"), given ?? [], hoursRow, t("hours.hint"), ["availableFrom", "availableTo", "availableDays"]);
}
