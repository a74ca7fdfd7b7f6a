// The rest of what head office publishes: categories of tax, choices of dishes, stock items, preparations, suppliers, recipes. Each kind says
// its fields; lists and forms are the same for all. Never a branch's own stock.

import { ask, may } from "../../kit/session.js";
import { show } from "../../kit/dialog.js";
import { cents, decimal as plainly } from "../../kit/money.js";
import { h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { currencyOf } from "../chain.js";
import { changed } from "../model.js";
import { Wrong, act, amount, form, head, hundredths, label, loaded, number, of, pairs, purse, shown, table, word } from "../parts.js";
import { catalogue, edit, split, whenAndWhere } from "../publish.js";
import { labelled, rowsField } from "../rows.js";
import { textsField, textsIn, textsRow, tongues } from "../texts.js";

/** @typedef {import("../parts.js").Field} Field */
/** @typedef {{ path: string, needs: string, columns: [string, string][], fields: (row: any, lists: any) => Field[], before?: (row: any, lists: any) => any, lists?: string[], read?: (values: any, row: any, lists: any) => any, more?: (row: any, lists: any, again: () => Promise<void>) => import("../../kit/view.js").Child }} Kind */

/** The lines of a text as numbered parts between bars. @param {string | null} text */
export const rows = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter(Boolean).map((line) => line.split("|").map((part) => part.trim()));
export const decimal = (/** @type {string | undefined} */ text) => { const value = Number(text); if (!text || Number.isNaN(value)) throw new Wrong(t("catalogue.lineWrong")); return value; };

/** Ingredients as lines: what, how much, unit. @param {string} text @param {any} lists */
function ingredients(text, lists) {
  return rows(text).map(([name, quantity, unit]) => {
    const item = lists["inventory/items"].find((/** @type {any} */ one) => one.name.toLowerCase() === name.toLowerCase());
    const made = lists["inventory/preparations"]?.find((/** @type {any} */ one) => one.name.toLowerCase() === name.toLowerCase());
    if (!item && !made) throw new Wrong(t("catalogue.noItem", { name }));
    return { ...(item ? { inventoryItemId: item.id } : { subRecipeId: made.id }), quantity: decimal(quantity), unit: unit || (item ?? made).unit };
  });
}
/** @param {any[]} list */
const asLines = (list) => list.map(({ name, quantity, unit }) => `${name} | ${quantity} | ${unit}`).join("\n");

/** The options of a choice, as they are sent. @param {any} group @param {any} lists */
const optionsOf = (group, { tongues: said }) => (group?.options ?? []).map((/** @type {any} */ one) => ({ id: one.id, name: one.name, priceCents: one.priceCents, isDefault: one.isDefault, isActive: one.isActive, ...(textsIn(said, one.texts) ? { texts: textsIn(said, one.texts) } : {}) }));

/** The options as one types them. @param {any} group @param {any} lists @returns {Field} */
function optionsField(group, lists) {
  const { decimals } = purse(currencyOf());
  const tick = (/** @type {boolean} */ checked) => /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked }));
  return rowsField("options", label("options"), t("catalogue.addOption"), group ? optionsOf(group, lists) : [{}], (one) => {
    const name = /** @type {HTMLInputElement} */ (h("input", { value: one.name ?? "", autocomplete: "off" })), price = /** @type {HTMLInputElement} */ (h("input", { value: plainly(one.priceCents ?? 0, decimals), inputmode: "decimal", autocomplete: "off" }));
    const chosen = tick(one.isDefault ?? false), used = tick(one.isActive ?? true), texts = textsRow(lists.tongues, one.texts);
    return {
      nodes: [labelled(label("name"), name), labelled(t("f.price"), price), ...texts.nodes, h("label", { class: "tick" }, chosen, t("catalogue.usualOption")), h("label", { class: "tick" }, used, label("isActive"))],
      typed: () => ({ ...(one.id ? { id: one.id } : {}), name: name.value.trim(), priceCents: price.value.trim() ? cents(price.value, decimals) ?? price.value : 0, isDefault: chosen.checked, isActive: used.checked, ...texts.typed() }),
    };
  });
}

/** @type {Record<string, Kind>} */
const KINDS = {
  taxes: {
    path: "menu/tax-categories", needs: "menu:write", columns: [["name", "text"], ["components", "taxes"]],
    fields: (row) => [{ name: "name", required: true, value: row?.name }, { name: "components", kind: "long", required: true, hint: t("catalogue.taxHint"), value: row?.components.map((/** @type {any} */ one) => `${one.name} | ${one.rateBps / 100}`).join("\n") }, { name: "isGoods", kind: "tick", value: row?.isGoods }],
    read: (values, row) => ({ ...values, components: rows(values.components).map(([name, rate]) => { const known = row?.components.find((/** @type {any} */ one) => one.name === name); return { ...(known?.kind ? { kind: known.kind } : {}), name, rateBps: Math.round(decimal(rate) * 100) }; }) }),
  },
  groups: {
    path: "menu/modifier-groups", needs: "menu:write", columns: [["name", "text"], ["minSelections", "number"], ["maxSelections", "number"], ["options", "names"]],
    fields: (row, lists) => [{ name: "name", required: true, value: row?.name }, { name: "minSelections", kind: "whole", min: 0, value: row?.minSelections ?? 0 }, { name: "maxSelections", kind: "whole", min: 1, value: row?.maxSelections }, optionsField(row, lists), textsField(lists.tongues, row?.texts)],
    before: (row, lists) => ({ ...row, options: optionsOf(row, lists), texts: textsIn(lists.tongues, row.texts) }),
    read: (values) => ({ ...values, minSelections: values.minSelections ?? 0 }),
    lists: ["inventory/items"],
    more: (group, lists, again) => may("inventory:write") && h("button", { type: "button", class: "quiet", onclick: () => void optionRecipes(group, lists, again) }, of(t("catalogue.optionRecipes"), group.name)),
  },
  items: {
    path: "inventory/items", needs: "inventory:write", lists: ["inventory/suppliers"], columns: [["name", "text"], ["category", "text"], ["unit", "text"], ["minStockThreshold", "number"], ["sku", "text"]],
    fields: (row, lists) => [{ name: "name", required: true, value: row?.name }, { name: "category", required: true, value: row?.category }, { name: "unit", required: true, value: row?.unit, hint: t("catalogue.unitHint") }, { name: "minStockThreshold", kind: "decimal", min: 0, value: row?.minStockThreshold ?? 0 }, { name: "parLevel", kind: "decimal", min: 0, value: row?.parLevel },
      { name: "rotation", kind: "choice", options: ["FEFO", "FIFO"].map((value) => ({ value, label: word(value) })), value: row?.rotation, required: true }, { name: "sku", value: row?.sku },
      { name: "supplierId", kind: "choice", label: t("f.supplier"), options: lists["inventory/suppliers"].map((/** @type {any} */ one) => ({ value: one.id, label: one.name })), value: row?.supplierId },
      { name: "unitConversions", kind: "long", hint: t("catalogue.conversionsHint"), value: row?.unitConversions.map((/** @type {any} */ one) => `${one.unit} | ${one.factor}`).join("\n") }],
    read: (values) => ({ ...values, minStockThreshold: values.minStockThreshold ?? 0, unitConversions: rows(values.unitConversions).map(([unit, factor]) => ({ unit, factor: decimal(factor) })) }),
  },
  preparations: {
    path: "inventory/preparations", needs: "inventory:write", lists: ["inventory/items"], columns: [["name", "text"], ["yield", "number"], ["unit", "text"]],
    fields: (row) => [{ name: "name", required: true, value: row?.name }, { name: "yield", kind: "decimal", required: true, min: 0, value: row?.yield }, { name: "unit", required: true, value: row?.unit }, { name: "shelfLifeDays", kind: "whole", min: 0, hint: t("catalogue.shelfHint"), value: row?.shelfLifeDays }, { name: "ingredients", kind: "long", required: true, hint: t("catalogue.ingredientsHint"), value: row && asLines(row.ingredients) }],
    before: (row) => ({ ...row, ingredients: row.ingredients.map((/** @type {any} */ one) => ({ ...(one.inventoryItemId ? { inventoryItemId: one.inventoryItemId } : { subRecipeId: one.subRecipeId }), quantity: one.quantity, unit: one.unit })) }),
    read: (values, _row, lists) => ({ ...values, ingredients: ingredients(values.ingredients, lists) }),
  },
  suppliers: {
    path: "inventory/suppliers", needs: "inventory:write", columns: [["name", "text"], ["contactName", "text"], ["phone", "text"], ["leadTimeDays", "number"]],
    fields: (row) => [{ name: "name", required: true, value: row?.name }, { name: "contactName", value: row?.contactName }, { name: "phone", value: row?.phone }, { name: "email", kind: "email", value: row?.email }, { name: "taxId", value: row?.taxId }, { name: "leadTimeDays", kind: "whole", min: 0, value: row?.leadTimeDays ?? 1 }, { name: "address", kind: "long", value: row?.address }],
    read: (values) => ({ ...values, leadTimeDays: values.leadTimeDays ?? 1 }),
    more: (supplier) => h("button", { type: "button", class: "quiet", onclick: () => void supplierLook(supplier) }, of(t("catalogue.supplierLook"), supplier.name)),
  },
  recipes: {
    path: "menu/items", needs: "inventory:write", lists: ["inventory/items", "inventory/preparations"], columns: [["name", "text"], ["basePriceCents", "money"]], fields: () => [],
    more: (dish, lists) => [dish, ...dish.variants].map((/** @type {any} */ one) => h("button", { type: "button", onclick: () => void recipe(`/hub/inventory/recipes/${one.id}`, one === dish ? dish.name : `${dish.name} · ${one.name}`, lists, true) }, of(one === dish ? t("catalogue.recipe") : one.name, dish.name))),
  },
};

/** The recipe of a dish or of an option: looked at, set, taken away. @param {string} path @param {string} name @param {any} lists @param {boolean} hasYield */
async function recipe(path, name, lists, hasYield) {
  const found = await ask("GET", path).then(({ data }) => data, () => null);
  if (!may("inventory:write")) { await show(name, () => (found ? h("pre", {}, asLines(found.ingredients)) : h("p", {}, t("nothing")))); return; }
  /** @type {Field[]} */
  const yields = hasYield ? [{ name: "yield", kind: "decimal", min: 0, value: found?.yield ?? 1 }] : [];
  await form(t("catalogue.recipeOf", { name }), [{ name: "ingredients", kind: "long", hint: t("catalogue.recipeHint"), value: found && asLines(found.ingredients) }, ...yields, ...whenAndWhere()], async (values) => {
    const { query, rest } = split(values);
    if (!rest.ingredients) return found ? edit("DELETE", path, undefined, query) : true;
    return edit("PUT", path, { ...rest, ingredients: ingredients(rest.ingredients, lists) }, query);
  }, { act: t("publish.act"), about: found?.costCents > 0 && h("p", { class: "hint" }, `${label("costCents")}: ${amount(found.costCents, currencyOf())}`) });
}

/** @param {any} group @param {any} lists @param {() => Promise<void>} again */
async function optionRecipes(group, lists, again) {
  await show(t("catalogue.optionRecipes"), () => h("div", { class: "choices" }, ...group.options.map((/** @type {any} */ option) => h("button", { type: "button", onclick: () => void recipe(`/hub/menu/modifier-options/${option.id}/recipe`, option.name, lists, false) }, h("bdi", {}, option.name)))));
  await again();
}

/** How a supplier keeps their word, and what they take. @param {any} supplier */
async function supplierLook(supplier) {
  const currency = currencyOf();
  await show(supplier.name, () => loaded(async () => ({
    word: (await ask("GET", `/hub/inventory/suppliers/${supplier.id}/performance`)).data, prices: (await ask("GET", `/hub/inventory/suppliers/${supplier.id}/prices`)).data,
  }), ({ word: kept, prices }) => [
    pairs([[t("f.ordersCount"), number(kept.ordersCount)], [t("f.onTimePercentage"), hundredths(kept.onTimePercentage)], [t("f.fillRatePercentage"), hundredths(kept.fillRatePercentage)], [t("f.averagePromisedDays"), number(kept.averagePromisedDays)], [t("f.averageActualDays"), number(kept.averageActualDays)]]),
    table(t("catalogue.prices"), [
      { label: t("f.item"), head: true, cell: (row) => h("bdi", {}, row.name) },
      { label: t("f.agreed"), number: true, cell: (row) => amount(row.agreedUnitCostCents, currency) },
      { label: t("f.last"), number: true, cell: (row) => amount(row.lastUnitCostCents, currency) },
    ], prices),
  ]).node, { wide: true });
}

/** @param {Kind} kind @param {any | null} row @param {any} lists @param {() => Promise<void>} again */
async function rowForm(kind, row, lists, again) {
  const fields = kind.fields(row, lists);
  if (fields.length === 0) return;
  const done = await form(row?.name ?? t("catalogue.new"), [...fields, ...whenAndWhere()], async (values) => {
    const { query, rest } = split(values);
    const body = kind.read ? kind.read(rest, row, lists) : rest;
    return row ? edit("PATCH", `/hub/${kind.path}/${row.id}`, changed(kind.before ? kind.before(row, lists) : row, body), query, row.version) : edit("POST", `/hub/${kind.path}`, body, query);
  }, { act: t("publish.act"), wide: true });
  if (done) await again();
}

/** @param {any} row @param {string} name @param {string} kind */
function cell(row, name, kind) {
  if (kind === "names") return h("bdi", {}, row[name].map((/** @type {any} */ one) => one.name).join(", "));
  if (kind === "taxes") return h("bdi", {}, row[name].map((/** @type {any} */ one) => `${one.name} ${number(one.rateBps / 100)} %`).join(", "));
  return shown(row[name], kind, currencyOf());
}

/** @param {string[]} route */
export function view(route) {
  const at = route[1] in KINDS ? route[1] : "taxes", kind = KINDS[at], write = may(kind.needs), makes = kind.fields(null, { "inventory/suppliers": [] }).length > 0;
  const { node, again } = loaded(async () => {
    const lists = Object.fromEntries(await Promise.all((kind.lists ?? []).map(async (path) => /** @type {const} */ ([path, await catalogue(`/hub/${path}`)]))));
    return { rows: await catalogue(`/hub/${kind.path}`), lists: at === "groups" ? { ...lists, tongues: await tongues() } : lists };
  }, ({ rows: all, lists }, reload) => [
    write && makes && h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => void rowForm(kind, null, lists, reload) }, t("catalogue.new"))),
    table(t(`kind.${at}`), [
      ...kind.columns.map(([name, what], n) => ({ label: label(name), head: n === 0, number: ["number", "money"].includes(what), cell: (/** @type {any} */ row) => (n === 0 && write && makes ? h("button", { type: "button", class: "quiet start", onclick: () => void rowForm(kind, row, lists, reload) }, cell(row, name, what)) : cell(row, name, what)) })),
      { label: "", cell: (/** @type {any} */ row) => h("span", { class: "rowacts" }, kind.more?.(row, lists, reload), write && makes && act(t("archive"), async () => {
        const done = await form(t("archiveOf", { name: row.name }), whenAndWhere(), async (values) => edit("DELETE", `/hub/${kind.path}/${row.id}`, undefined, split(values).query, row.version), { act: t("archive"), bad: true });
        if (done) await reload();
      }, "quiet", row.name)) },
    ], all),
  ]);
  void again;
  return [
    head(t("view.catalogue"), t("catalogue.hint")),
    h("nav", { class: "tabs", "aria-label": t("view.catalogue") }, ...Object.keys(KINDS).map((name) => h("a", { href: `#/catalogue/${name}`, "aria-current": name === at ? "page" : null }, t(`kind.${name}`)))),
    node,
  ];
}
