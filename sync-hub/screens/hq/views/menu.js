// The chain's menu: what dishes cost, when and where a new price holds, new dishes, categories. Every save is a publication; how far it came
// is told under Publications. Never touches a branch by itself: that takes it over.

import { ApiError } from "../../kit/api.js";
import { ask, may } from "../../kit/session.js";
import { toast } from "../../kit/dialog.js";
import { byWeight, sized } from "../../kit/dish.js";
import { newId } from "../../kit/ids.js";
import { cents, decimal } from "../../kit/money.js";
import { h, signal } from "../../kit/view.js";
import { WEIGHT_UNITS, namesOf, perUnit, plain, t } from "../../kit/words.js";
import { choices, currencyOf } from "../chain.js";
import { changed, listed } from "../model.js";
import { Wrong, act, amount, download, form, head, label, loaded, mark, of, purse, table, word } from "../parts.js";
import { catalogue, edit, split, whenAndWhere } from "../publish.js";
import { componentsField, partsOf, summary } from "../combo.js";
import { labelled, rowsField, windowsField } from "../rows.js";
import { textsField, textsIn, textsRow, tongues } from "../texts.js";

/** What a combo has not: these are its dishes'. */
const OF_DISHES = ["taxCategoryId", "soldBy", "weightUnit", "modifierGroups", "variants"];

/** What a dish costs. @param {any} dish */
const priceOf = (dish) => perUnit(dish, amount(dish.basePriceCents, currencyOf()));

/** @param {any[]} list @returns {{ value: string, label: string }[]} */
const options = (list) => list.map(({ id, name }) => ({ value: id, label: name }));

/** The sizes of a dish, as they are sent. @param {any} dish @param {any} lists */
const sizesOf = (dish, { tongues }) => (dish?.variants ?? []).map((/** @type {any} */ one) => ({ id: one.id, name: one.name, priceCents: one.basePriceCents, sku: one.sku, energyKcal: one.energyKcal, servingSize: one.servingSize, isDefault: one.isDefault, ...(textsIn(tongues, one.texts) ? { texts: textsIn(tongues, one.texts) } : {}) }));

/** The sizes as one types them. A dish costs what the usual one costs, else the first. @param {any} dish @param {any} lists @returns {import("../parts.js").Field} */
function sizesField(dish, lists) {
  const decimals = purse(currencyOf()).decimals;
  const input = (/** @type {any} */ value, mode = "text") => /** @type {HTMLInputElement} */ (h("input", { value: value ?? "", inputmode: mode, autocomplete: "off" }));
  return rowsField("variants", label("variants"), t("menu.addSize"), sizesOf(dish, lists), (one) => {
    const name = input(one.name), price = input(one.priceCents === undefined ? "" : decimal(one.priceCents, decimals), "decimal"), sku = input(one.sku), energy = input(one.energyKcal, "numeric"), serving = input(one.servingSize);
    const usual = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: one.isDefault ?? false })), texts = textsRow(lists.tongues, one.texts);
    return {
      nodes: [labelled(label("name"), name), labelled(t("f.price"), price), labelled(label("sku"), sku), labelled(label("energyKcal"), energy), labelled(label("servingSize"), serving), ...texts.nodes, h("label", { class: "tick" }, usual, t("menu.usualSize"))],
      typed: () => ({ ...(one.id ? { id: one.id } : {}), name: name.value.trim(), priceCents: cents(price.value, decimals) ?? price.value, sku: sku.value.trim() || null, energyKcal: energy.value.trim() ? Number(energy.value) : null, servingSize: serving.value.trim() || null, isDefault: usual.checked, ...texts.typed() }),
    };
  });
}


/** @param {any | null} dish @param {any} lists @param {() => Promise<void>} again @param {boolean} [combo] */
async function dishForm(dish, lists, again, combo = dish?.kind === "COMBO") {
  /** @type {import("../parts.js").Field[]} */
  const all = [
    { name: "name", required: true, most: 120, value: dish?.name },
    { name: "priceCents", kind: "money", label: t("f.price"), required: true, decimals: purse(currencyOf()).decimals, value: dish?.basePriceCents },
    { name: "soldBy", kind: "choice", required: true, hint: t("menu.soldByHint"), options: ["PIECE", "WEIGHT"].map((value) => ({ value, label: word(value) })), value: dish?.soldBy ?? "PIECE" },
    { name: "weightUnit", kind: "choice", hint: t("menu.weightUnitHint"), options: WEIGHT_UNITS.map((value) => ({ value, label: t(`unit.${value}`) })), value: dish?.weightUnit },
    { name: "categoryId", kind: "choice", label: t("f.category"), required: true, options: options(lists.categories), value: dish?.categoryId },
    { name: "taxCategoryId", kind: "choice", label: t("f.taxCategory"), options: options(lists.taxes), value: dish?.taxCategoryId },
    { name: "dietary", kind: "choice", options: ["VEG", "NON_VEG", "EGG", "VEGAN"].map((value) => ({ value, label: word(value) })), value: dish?.dietary },
    { name: "kitchenName", value: dish?.kitchenName },
    { name: "description", kind: "long", value: dish?.description },
    { name: "allergens", hint: t("f.listHint"), value: dish?.allergens?.join(", ") },
    { name: "energyKcal", kind: "whole", min: 0, value: dish?.energyKcal },
    { name: "servingSize", hint: t("menu.servingHint"), most: 40, value: dish?.servingSize },
    { name: "prepMinutes", kind: "whole", min: 0, value: dish?.prepMinutes },
    { name: "course", kind: "whole", min: 1, value: dish?.course },
    { name: "sku", value: dish?.sku },
    { name: "hsnSac", value: dish?.hsnSac },
    { name: "sortOrder", kind: "whole", value: dish?.sortOrder ?? 0 },
    { name: "modifierGroups", kind: "ticks", options: options(lists.groups), value: dish?.modifierGroups?.map((/** @type {any} */ group) => group.id) ?? [] },
    sizesField(dish, lists),
    windowsField(dish?.windows),
    { name: "isActive", kind: "tick", value: dish?.isActive ?? true },
    textsField(lists.tongues, dish?.texts, ["name", "description"]),
    ...whenAndWhere(),
  ];
  const fields = combo ? all.filter(({ name }) => !OF_DISHES.includes(name)).flatMap((field) => (field.name === "description" ? [componentsField(dish, lists, purse(currencyOf()).decimals), field] : [field])) : all;
  const done = await form(dish ? dish.name : t(combo ? "combo.new" : "menu.newDish"), fields, async (values) => {
    if (combo) {
      const { query, rest } = split({ ...values, allergens: listed(values.allergens ?? ""), sortOrder: values.sortOrder ?? 0 });
      if (!dish) return edit("POST", "/hub/menu/items", { ...rest, kind: "COMBO" }, query);
      return edit("PATCH", `/hub/menu/items/${dish.id}`, changed({ ...dish, priceCents: dish.basePriceCents, components: partsOf(dish, lists), texts: textsIn(lists.tongues, dish.texts, ["name", "description"]) }, rest), query, dish.version);
    }
    const { query, rest } = split({ ...sized(byWeight(values)), allergens: listed(values.allergens ?? ""), sortOrder: values.sortOrder ?? 0 });
    if (!dish) return edit("POST", "/hub/menu/items", rest, query);
    const before = { ...dish, variants: sizesOf(dish, lists), texts: textsIn(lists.tongues, dish.texts, ["name", "description"]), priceCents: dish.basePriceCents, modifierGroups: dish.modifierGroups.map((/** @type {any} */ group) => group.id) };
    return edit("PATCH", `/hub/menu/items/${dish.id}`, changed(before, rest), query, dish.version);
  }, { act: t("publish.act"), wide: true });
  if (done) await again();
}

/** @param {any} dish @param {() => Promise<void>} again */
async function priceForm(dish, again) {
  const done = await form(t("menu.priceOf", { name: dish.name }), [
    { name: "priceCents", kind: "money", label: t("f.price"), required: true, decimals: purse(currencyOf()).decimals, value: dish.basePriceCents, full: true },
    ...whenAndWhere(),
  ], async (values) => {
    const { query, rest } = split(values);
    return edit("PATCH", `/hub/menu/items/${dish.id}`, rest, query, dish.version);
  }, { act: t("publish.act") });
  if (done) await again();
}

/** @param {any} dish @param {() => Promise<void>} again */
async function removeDish(dish, again) {
  const done = await form(t("menu.archiveOf", { name: dish.name }), whenAndWhere(), async (values) => edit("DELETE", `/hub/menu/items/${dish.id}`, undefined, split(values).query, dish.version), { act: t("archive"), bad: true });
  if (done) await again();
}

/** @param {any | null} category @param {any} lists @param {() => Promise<void>} again */
async function categoryForm(category, lists, again) {
  const done = await form(category ? category.name : t("menu.newCategory"), [
    { name: "name", required: true, value: category?.name }, { name: "description", kind: "long", value: category?.description }, { name: "sortOrder", kind: "whole", value: category?.sortOrder ?? 0 }, windowsField(category?.windows),
    { name: "isActive", kind: "tick", value: category?.isActive ?? true }, textsField(lists.tongues, category?.texts, ["name", "description"]), ...whenAndWhere(),
  ], async (values) => {
    const { query, rest } = split({ ...values, sortOrder: values.sortOrder ?? 0 });
    return category ? edit("PATCH", `/hub/menu/categories/${category.id}`, changed({ ...category, texts: textsIn(lists.tongues, category.texts, ["name", "description"]) }, rest), query, category.version) : edit("POST", "/hub/menu/categories", rest, query);
  }, { act: t("publish.act") });
  if (done) await again();
}

/** @param {() => Promise<void>} again */
async function takeFromBranch(again) {
  const done = await form(t("menu.take"), [
    { name: "outletId", kind: "choice", label: t("f.outlet"), required: true, options: choices(), full: true },
    { name: "includeStaff", kind: "tick", label: t("publish.includeStaff"), value: true },
  ], async (values) => {
    const { data } = await ask("POST", "/hub/catalogue/import", { body: values, key: newId() });
    toast(t("menu.taken", { n: data.rowsAdded }));
    return true;
  }, { act: t("menu.takeAct"), about: h("p", {}, t("menu.takeHint")) });
  if (done) await again();
}

/** A mistake with its place in the file, whose first row names the columns. @param {{ name: string, reason: string }} field */
function placeOf({ name, reason }) {
  const [, row, column] = /^rows\[(\d+)\]\.?(.*)$/.exec(name) ?? [];
  return row === undefined ? `${name}: ${reason}` : `${t("menu.row", { n: Number(row) + 2 })}, ${label(column) === column ? label(column.replace(/Cents$/, "")) : label(column)}: ${reason}`;
}

/** @param {() => Promise<void>} again */
async function importFile(again) {
  const file = signal(/** @type {File | null} */ (null));
  const done = await form(t("menu.import"), whenAndWhere(), async (values) => {
    const chosen = file.peek();
    if (!chosen) throw new Wrong(t("needed"));
    const { data } = await ask("POST", "/hub/menu/import", { body: await chosen.text(), headers: { "content-type": chosen.name.endsWith(".csv") ? "text/csv" : "application/json; charset=utf-8" }, query: split(values).query, key: newId() })
      .catch((/** @type {unknown} */ error) => { throw error instanceof ApiError && error.fields.length > 0 ? new Wrong(error.fields.slice(0, 5).map(placeOf).join("; ")) : error; });
    toast(t("menu.imported", { created: data.created, updated: data.updated }));
    return true;
  }, { act: t("publish.act"), about: h("label", {}, t("menu.file"), h("input", { type: "file", accept: ".csv,.json", onchange: (/** @type {Event} */ event) => file.set(/** @type {HTMLInputElement} */ (event.target).files?.[0] ?? null) })) });
  if (done) await again();
}

async function exportFile() {
  const { data } = await ask("GET", "/hub/menu/export", { query: { format: "csv" }, raw: true });
  download("menu.csv", await /** @type {Response} */ (data).blob());
}

export function view() {
  const wanted = signal(""), write = may("menu:write");
  const { node, again } = loaded(async () => {
    const [said, [dishes, categories, taxes, groups]] = await Promise.all([tongues(), Promise.all(["items", "categories", "tax-categories", "modifier-groups"].map((name) => catalogue(`/hub/menu/${name}`)))]);
    return { dishes, categories, taxes, groups, tongues: said };
  }, (lists, reload) => {
    const named = (/** @type {any} */ dish) => !wanted().trim() || [...namesOf(dish), dish.sku ?? ""].some((name) => plain(name).includes(plain(wanted()).trim()));
    return lists.dishes.length === 0 ? h("div", { class: "card empty" }, h("p", {}, t("menu.empty")), write && h("button", { type: "button", class: "main", onclick: () => void takeFromBranch(reload) }, t("menu.take"))) : [
      h("form", { class: "row", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, h("label", {}, t("menu.find"), h("input", { type: "search", autocomplete: "off", value: wanted.peek(), oninput: (/** @type {Event} */ event) => wanted.set(/** @type {HTMLInputElement} */ (event.target).value) }))),
      () => lists.categories.map((/** @type {any} */ category) => ({ category, dishes: lists.dishes.filter((/** @type {any} */ dish) => dish.categoryId === category.id && named(dish)) }))
        .filter((/** @type {any} */ one) => one.dishes.length > 0 || !wanted())
        .map(({ category, dishes }) => h("section", { class: "menu" },
          h("header", { class: "section" }, h("h2", {}, h("bdi", {}, category.name)), write && h("button", { type: "button", class: "quiet", onclick: () => void categoryForm(category, lists, reload) }, of(t("change"), category.name)),
            write && dishes.length === 0 && act(t("archive"), async () => { await edit("DELETE", `/hub/menu/categories/${category.id}`, undefined, {}, category.version); await reload(); }, "quiet", category.name)),
          table(category.name, [
            { label: t("f.dish"), head: true, cell: (dish) => write ? h("button", { type: "button", class: "quiet start", onclick: () => void dishForm(dish, lists, reload) }, h("span", {}, h("bdi", {}, dish.name), dish.kind === "COMBO" ? summary(dish) : null)) : h("bdi", {}, dish.name) },
            { label: t("f.dietary"), cell: (dish) => word(dish.dietary) },
            { label: t("f.status"), cell: (dish) => (dish.isActive ? mark(t("active"), "good") : mark(t("inactive"))) },
            { label: t("f.price"), number: true, cell: (dish) => write ? h("button", { type: "button", class: "price", onclick: () => void priceForm(dish, reload) }, of(priceOf(dish), t("menu.priceOf", { name: dish.name }))) : priceOf(dish) },
            ...(write ? [{ label: "", cell: (/** @type {any} */ dish) => h("button", { type: "button", class: "quiet", onclick: () => void removeDish(dish, reload) }, of(t("archive"), dish.name)) }] : []),
          ], dishes))),
      write && h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => void dishForm(null, lists, reload) }, t("menu.newDish")), h("button", { type: "button", onclick: () => void dishForm(null, lists, reload, true) }, t("combo.new")), h("button", { type: "button", onclick: () => void categoryForm(null, lists, reload) }, t("menu.newCategory"))),
    ];
  });
  return [
    head(t("view.menu"), t("menu.hint"),
      act(t("menu.export"), exportFile),
      write && h("button", { type: "button", onclick: () => void importFile(again) }, t("menu.import")),
      write && h("button", { type: "button", onclick: () => void takeFromBranch(again) }, t("menu.take")),
      h("a", { class: "button", href: "#/prices" }, t("view.prices")),
      h("a", { class: "button", href: "#/catalogue" }, t("view.catalogue"))),
    node,
    h("p", { class: "hint" }, label("currency"), ": ", () => purse(currencyOf()).currency),
  ];
}
