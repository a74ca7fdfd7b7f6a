// What is unwise about a plan, in words, and a question before it is planned all the same. Never decides: a planner does.

import { show } from "../kit/dialog.js";
import { duration } from "../kit/time.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { word } from "./parts.js";
import { date } from "./store.js";

/** A shift as one says it: its day, its kind, its times. @param {import("./fit.js").Planned | null | undefined} one */
export const shiftSaid = (one) => (one ? `${date(one.date)} · ${word("shift", one.shiftType)}${one.startTime ? ` ${one.startTime}–${one.endTime}` : ""}` : "–");

/** @param {import("./fit.js").Warning} one */
export function unwise({ code, minutes = 0, limit = 0, days = 0, side = "before" }) {
  if (code === "SEVENTH_DAY") return t("fit.SEVENTH_DAY", { days });
  if (code === "SHORT_REST") return t(`fit.SHORT_REST.${side}`, { rest: duration(minutes) });
  return t(`fit.${code}`, { worked: duration(minutes), limit: duration(limit) });
}

/** What stands in the way of a shift beside another. @param {import("./fit.js").Planned} other */
export const inTheWay = (other) => (other.shiftType === "OFF" ? t("fit.OFF") : t("fit.CLASH", { shift: shiftSaid(other) }));

/** Several of them in one line, each with its sign. @param {string[]} texts */
export const marked = (texts) => texts.map((text) => `▲ ${text}`).join(" · ");

/** A list of them. @param {string[]} texts */
export const listOf = (texts) => h("ul", { class: "plain unwise" }, ...texts.map((text) => h("li", { class: "warn" }, h("span", { "aria-hidden": "true" }, "▲ "), text)));

/** Asks whether to go on all the same; nothing to say is a yes. @param {string} title @param {string[]} texts @param {string} go what the button does @returns {Promise<boolean>} */
export async function allTheSame(title, texts, go) {
  return texts.length === 0 || (await show(title, (close) => [
    h("p", {}, t("fit.ask")), listOf(texts), h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => close(true) }, go)),
  ])) === true;
}
