// What a dish, a preparation or an option takes from the store. Never guesses a unit: the item's own and its conversions are offered.

import { ask, may } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { h } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { edit } from "./form.js";
import { act } from "./parts.js";
import { cash, rowsOf, send } from "./store.js";

/** Ingredients of a recipe: stock items, or preparations. @returns {import("./fields.js").Field} */
export function ingredients() {
  return {
    name: "ingredients", kind: "rows", once: true, of: [
      { name: "source", kind: "choice", need: true, get: (row) => (row.subRecipeId ? `p:${row.subRecipeId}` : row.inventoryItemId ? `i:${row.inventoryItemId}` : undefined), choices: async () => {
        const [items, made] = await Promise.all([rowsOf("/inventory/items"), rowsOf("/inventory/preparations")]);
        return [...items.map((one) => ({ value: `i:${one.id}`, label: `${one.name} (${one.unit})` })), ...made.map((one) => ({ value: `p:${one.id}`, label: `${one.name} (${one.unit ?? one.yieldUnit ?? ""})` }))];
      } },
      { name: "quantity", kind: "decimal", need: true }, { name: "unit", need: true },
    ],
  };
}

/** As the server takes them. @param {any[]} rows */
export function asSent(rows) {
  return rows.map(({ source, quantity, unit }) => ({ ...(source.startsWith("p:") ? { subRecipeId: source.slice(2) } : { inventoryItemId: source.slice(2) }), quantity, unit }));
}

/** Shows a recipe and lets it be changed. @param {string} name @param {string} path @param {{ yields?: boolean, hint?: string }} [how] */
export async function recipe(name, path, { yields = false, hint } = {}) {
  try {
    const read = async () => {
      try { return (await ask("GET", path)).data; } catch (error) {
        if (error instanceof ApiError && error.status === 404) return { ingredients: [], yield: 1 };
        throw error;
      }
    };
    const value = await read();
    const writes = may("inventory:write") && may("menu:write");
    const done = await edit(t("recipe.of", { name }), {
      value, read, fields: [...(yields ? [/** @type {import("./fields.js").Field} */ ({ name: "yield", kind: "decimal", need: true, hint: "recipe.yield.hint" })] : []), ingredients()],
      note: [value.costCents !== undefined ? h("p", {}, t("recipe.cost", { amount: cash(value.costCents) })) : null, hint ? h("p", { class: "hint" }, t(hint)) : null, writes ? null : h("p", { class: "hint" }, t("readOnly"))],
      more: (close) => (writes && value.version !== undefined ? act(t("recipe.remove"), async () => { await send("DELETE", path, undefined, value.version); close(true); }, { class: "quiet", bad: true, sure: t("recipe.remove.sure", { name }) }) : null),
      save: async (typed) => send("PUT", path, { ...(yields ? { yield: typed.yield ?? value.yield } : {}), ingredients: asSent(typed.ingredients ?? value.ingredients.map((/** @type {any} */ one) => ({ source: one.subRecipeId ? `p:${one.subRecipeId}` : `i:${one.inventoryItemId}`, quantity: one.quantity, unit: one.unit }))) }, value.version),
    });
    if (done) toast(t("saved"));
  } catch (error) {
    toast(said(error), "bad");
  }
}
