// The pad for a weight: what the scale shows is typed, by keys of a finger's size or any keyboard, and what it costs is seen before it is taken.
// Never adds anything by itself, and never rounds what was typed.

import { show } from "../kit/dialog.js";
import { recall, remember } from "../kit/keep.js";
import { money, weighed, weightIn } from "../kit/money.js";
import { h, signal } from "../kit/view.js";
import { t, weightOf } from "../kit/words.js";
import { purse } from "./store.js";

/** Smaller units that a weight may be typed in, and how many of them are one. @type {Record<string, { unit: string, parts: bigint }>} */
const SMALLER = { KG: { unit: "G", parts: 1000n }, LB: { unit: "OZ", parts: 16n } };

/**
 * Asks what the scale shows of a dish. Answers the weight in the dish's unit; null where it was left.
 * @param {any} item @param {{ price?: number, act?: string, was?: string }} [more] `price`: of one unit, where it is not the menu's
 * @returns {Promise<string | null>}
 */
export function weigh(item, { price = item.priceCents, act = "weigh.add", was = "" } = {}) {
  const unit = item.weightUnit, smaller = SMALLER[unit];
  const small = signal(/** @type {boolean} */ (Boolean(smaller) && recall("pos.weigh.small", false))), typed = signal("");
  const weight = () => weightIn(typed(), small() ? smaller.parts : 1n);
  /** @param {string} key */
  const press = (key) => typed.update((text) => clean(text + key));
  /** @type {HTMLInputElement | undefined} */
  let input;
  return show(t("weigh", { dish: item.name }), (close) => h("form", { class: "pin weigh", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); const is = weight(); if (is) close(is); } },
    was ? h("p", { class: "hint" }, t("weigh.was", { weight: weightOf(was, unit) })) : null,
    h("label", {}, h("span", { class: "spoken" }, t("weigh.label")),
      // The pad is the keyboard: none of the system's lies over it.
      h("input", { class: "scale", inputmode: "none", autocomplete: "off", autofocus: true, placeholder: "0", value: typed, "aria-describedby": "weigh-comes", ref: (/** @type {HTMLInputElement} */ element) => { input = element; }, oninput: (/** @type {any} */ event) => { typed.set(clean(event.target.value)); event.target.value = typed.peek(); } })),
    smaller ? h("div", { class: "chips", role: "group", "aria-label": t("weigh.unit") }, ...[false, true].map((is) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(small() === is), onclick: () => { small.set(is); remember("pos.weigh.small", is); typed.set(""); input?.focus(); } }, t(`unit.${is ? smaller.unit : unit}`)))) : null,
    h("p", { id: "weigh-comes", class: "comes", role: "status" }, () => { const is = weight(); return is ? [h("span", {}, t("weighed", { weight: weightOf(is, unit), price: money(price, purse()) })), h("b", {}, money(weighed(price, is), purse()))] : h("span", {}, t(`per.${unit}`, { price: money(price, purse()) })); }),
    h("div", { class: "keys", dir: "ltr" },
      ...["1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "0"].map((key) => h("button", { type: "button", "aria-label": key === "." ? t("weigh.point") : key, disabled: () => key === "." && typed().includes("."), onclick: () => press(key) }, key)),
      h("button", { type: "button", "aria-label": t("weigh.back"), onclick: () => typed.update((text) => text.slice(0, -1)) }, "⌫")),
    h("div", { class: "acts" }, h("button", { class: "main", disabled: () => !weight() }, t(act)))));
}

/** What may stand in the field of a weight: digits with one point, at most six behind it. @param {string} text */
function clean(text) {
  const [whole, ...rest] = text.replace(/,/g, ".").replace(/[^\d.]/g, "").split(".");
  return rest.length > 0 ? `${whole.slice(0, 6)}.${rest.join("").slice(0, 6)}` : whole.slice(0, 6);
}
