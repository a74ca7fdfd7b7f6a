// Combos of the chain: dishes that are sold together at one price. What is asked of one, and what it is in short. Never has sizes, choices or a
// tax of its own: those are its dishes'.

import { cents, decimal } from "../kit/money.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { labelled, rowsField, rowsIn } from "./rows.js";
import { textsIn, textsRow } from "./texts.js";

/** Dishes to choose from by category, each also in its sizes. @param {any} lists @param {string} value @param {{ combos?: boolean, whole?: boolean }} [how] `whole`: categories, too, and dishes of several sizes */
export function dishSelect({ dishes, categories }, value, { combos = false, whole = false } = {}) {
  const option = (/** @type {string} */ id, /** @type {string} */ name) => h("option", { value: id, selected: id === value }, name);
  return /** @type {HTMLSelectElement} */ (h("select", { required: true }, h("option", { value: "" }, "–"), ...categories.map((/** @type {any} */ category) => {
    const own = dishes.filter((/** @type {any} */ dish) => dish.categoryId === category.id && (combos || dish.kind !== "COMBO"));
    return h("optgroup", { label: category.name }, whole ? option(`categoryId ${category.id}`, t("prices.category", { name: category.name })) : null, ...own.flatMap((/** @type {any} */ dish) => {
      const sizes = dish.variants.map((/** @type {any} */ size) => option(whole ? `variantId ${size.id}` : `${dish.id} ${size.id}`, `${dish.name} · ${size.name}`));
      const bare = whole || sizes.length === 0 || dish.variants.some((/** @type {any} */ size) => size.isDefault);
      return [bare ? option(whole ? `menuItemId ${dish.id}` : dish.id, dish.name) : null, ...sizes];
    }));
  })));
}

/** @param {string | number} value @param {string} [mode] */
const input = (value, mode = "text") => /** @type {HTMLInputElement} */ (h("input", { value: String(value), inputmode: mode, autocomplete: "off" }));
const whole = (/** @type {string} */ text) => (/^\d+$/.test(text.trim()) ? Number(text) : null);

/** What is chosen for a combo. @param {any | null} combo @param {any} lists @param {number} decimals @returns {import("./parts.js").Field} */
export function componentsField(combo, lists, decimals) {
  return rowsField("components", t("combo.parts"), t("combo.addPart"), combo?.components ?? [{ options: [{}] }], (part) => {
    const name = input(part.name ?? ""), min = input(part.minSelections ?? 1, "numeric"), max = input(part.maxSelections ?? 1, "numeric"), texts = textsRow(lists.tongues, part.texts);
    const options = rowsIn(t("combo.dishes"), t("combo.addDish"), part.options ?? [{}], (one) => {
      const dish = dishSelect(lists, one.variantId ? `${one.menuItemId} ${one.variantId}` : one.menuItemId ?? ""), extra = input(decimal(one.extraCents ?? 0, decimals), "decimal");
      return { nodes: [labelled(t("f.dish"), dish), labelled(t("combo.extra"), extra)], typed() {
        const [menuItemId, variantId] = dish.value.split(" ");
        return { menuItemId: menuItemId || null, variantId: variantId ?? null, extraCents: extra.value.trim() ? cents(extra.value, decimals) ?? extra.value : 0 };
      } };
    });
    return { nodes: [labelled(t("combo.part"), name), labelled(t("f.minSelections"), min), labelled(t("f.maxSelections"), max), ...texts.nodes, options.node(null)],
      typed: () => ({ name: name.value.trim(), minSelections: whole(min.value), maxSelections: whole(max.value), ...texts.typed(), options: options.typed() }) };
  }, t("combo.hint"));
}

/** The parts of a combo as they are sent. @param {any} combo @param {any} lists */
export const partsOf = (combo, lists) => combo?.components.map((/** @type {any} */ { name, minSelections, maxSelections, options, texts }) => ({ name, minSelections, maxSelections, ...(textsIn(lists.tongues, texts) ? { texts: textsIn(lists.tongues, texts) } : {}),
  options: options.map((/** @type {any} */ { menuItemId, variantId, extraCents }) => ({ menuItemId, variantId: variantId ?? null, extraCents })) }));

/** What a combo is, in short. @param {any} dish */
export function summary(dish) {
  return h("small", {}, `${t("combo.mark")}: `, dish.components.map((/** @type {any} */ { name, minSelections: min, maxSelections: max, options }) =>
    (options.length === 1 ? options[0].name : t("combo.of", { name, count: min === max ? min : `${min}–${max}`, of: options.length }))).join(" · "));
}
