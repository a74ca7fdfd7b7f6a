// Combos: dishes that are sold together at one price. What is asked of one, and what it is in words. Never has sizes, choices, a station or a
// tax of its own: those are its dishes'.

import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { lacking } from "./meal.js";
import { rowsOf } from "./store.js";
import { textsField } from "./texts.js";

/** @typedef {import("./fields.js").Field} Field */

/** What may be chosen: each dish, or each of its sizes, by category. */
async function dishes() {
  const [all, categories] = await Promise.all([rowsOf("/menu/items"), rowsOf("/menu/categories")]);
  const named = new Map(categories.map((one) => [one.id, one.name]));
  return all.filter((one) => one.kind !== "COMBO").flatMap((one) => {
    const group = named.get(one.categoryId) ?? "";
    if (one.variants.length === 0) return [{ value: one.id, label: one.name, group }];
    const sizes = one.variants.map((/** @type {any} */ size) => ({ value: `${one.id} ${size.id}`, label: `${one.name} · ${size.name}`, group }));
    const usual = one.variants.find((/** @type {any} */ size) => size.isDefault);
    return usual ? [{ value: one.id, label: t("combo.usual", { name: one.name, size: usual.name }), group }, ...sizes] : sizes;
  });
}

/** What is chosen for a combo. @returns {Field} */
export function componentsField() {
  return {
    name: "components", kind: "rows", label: t("combo.components"), hint: "combo.components.hint", more: "combo.component.add", fresh: () => [{}], of: [
      { name: "name", need: true, label: t("combo.component.name") },
      { name: "minSelections", kind: "number", need: true, fresh: () => 1 }, { name: "maxSelections", kind: "number", need: true, fresh: () => 1 },
      { name: "options", kind: "rows", label: t("combo.options"), more: "combo.option.add", fresh: () => [{}], of: [
        { name: "menuItemId", kind: "choice", need: true, label: t("combo.dish"), choices: dishes, get: (row) => (row.menuItemId && row.variantId ? `${row.menuItemId} ${row.variantId}` : row.menuItemId) },
        { name: "extraCents", kind: "money", empty: 0, label: t("combo.extra") },
      ] },
      textsField(["name"]),
    ],
  };
}

/** How many are chosen, in words. @param {any} component */
export function ruleText({ minSelections: min, maxSelections: max, options }) {
  const of = options.length;
  if (min === 1 && max === 1 && of === 1) return "";
  if (min === max) return t("combo.rule.exactly", { n: min, of });
  return min === 0 ? t("combo.rule.upTo", { n: max, of }) : t("combo.rule.between", { min, max, of });
}

/** What a combo is, in short. @param {any} dish */
export function summary(dish) {
  return h("small", { class: "parts" }, ...dish.components.map((/** @type {any} */ one) => {
    const rule = ruleText(one);
    // A part without a choice is its dish.
    return h("span", {}, h("bdi", {}, one.options.length === 1 ? one.options[0].name : one.name), rule ? ` (${rule})` : null);
  }));
}

/** What cannot be had, in words. @param {any} dish */
export function outText(dish) {
  const found = lacking(dish);
  return found.length === 0 ? null : h("span", {}, ...found.map(({ name, out, needed }) => h("small", { class: needed ? "bad" : "warn" }, t(needed ? "combo.out.all" : "combo.out.some", { name, dishes: out.join(", ") }))));
}
