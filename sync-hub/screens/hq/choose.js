// What many views ask for first: a period, and which outlets. Kept over a reload. Never asks the server.

import { recall, remember } from "../kit/keep.js";
import { dateOf } from "../kit/time.js";
import { h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { choices } from "./chain.js";
import { daysBefore } from "./model.js";
import { ZONE } from "./parts.js";

const PERIODS = ["TODAY", "YESTERDAY", "THIS_WEEK", "THIS_MONTH", "LAST_MONTH"];

/** Today, where one sits. */
export function today() { return dateOf(Date.now(), ZONE); }

/** The period that was chosen: a named one, or two dates. */
export const period = signal(recall("hq.period", /** @type {{ period?: string, from?: string, to?: string }} */ ({ period: "THIS_WEEK" })));
/** The outlets that were chosen; none: all. */
export const chosen = signal(/** @type {string[]} */ ([]));

/** Both as the API takes them. @returns {Record<string, string | undefined>} */
export function asked() { return { ...period(), outletIds: chosen().join(",") || undefined }; }

/** The outlets that a question is about. */
export function askedOutlets() { return { outletIds: chosen().join(",") || undefined }; }

/** @param {{ period?: string, from?: string, to?: string }} next */
function take(next) { period.set(next); remember("hq.period", next); }

/** The fields of a period, and which outlets. */
export function periodFields() {
  return h("div", { class: "choose" },
    h("div", { class: "segments", role: "group", "aria-label": t("period") }, ...PERIODS.map((name) =>
      h("button", { type: "button", "aria-pressed": () => String(period().period === name), onclick: () => take({ period: name }) }, t(`period.${name}`)))),
    h("details", { class: "dates" }, h("summary", {}, t("period.dates")),
      h("form", {
        class: "row",
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
          take({ from: String(given.get("from")), to: String(given.get("to")) });
        },
      },
      h("label", {}, t("f.from"), h("input", { type: "date", name: "from", required: true, value: period.peek().from ?? daysBefore(today(), 27) })),
      h("label", {}, t("f.to"), h("input", { type: "date", name: "to", required: true, value: period.peek().to ?? today() })),
      h("button", {}, t("show")))),
    outletFields());
}

/** Which outlets; nothing where there is one. */
export function outletFields() {
  return () => choices().length > 1 && h("details", { class: "dates" }, h("summary", {}, () => (chosen().length ? t("outlets.some", { n: chosen().length, of: choices().length }) : t("outlets.all"))),
    h("div", { class: "ticks" }, ...choices().map(({ value, label }) => h("label", { class: "tick" },
      h("input", {
        type: "checkbox", checked: chosen.peek().includes(value),
        onchange: (/** @type {Event} */ event) => {
          const is = /** @type {HTMLInputElement} */ (event.target).checked;
          chosen.update((before) => (is ? [...before, value] : before.filter((id) => id !== value)));
        },
      }), h("bdi", {}, label)))));
}
