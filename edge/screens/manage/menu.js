// The menu: dishes and combos with all they have, categories, modifiers with their recipes, taxes, import and export. Never changes a price
// without saying whose it is: the chain's or this outlet's.

import { may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { show, toast } from "../kit/dialog.js";
import { byWeight, sized } from "../kit/dish.js";
import { WEIGHT_UNITS, namesOf, perUnit, plain, t } from "../kit/words.js";
import { act, badge, head, tabs } from "./parts.js";
import { cash, from, happened, rate, rowsOf, send, zone } from "./store.js";
import { momentOf } from "./zones.js";
import { picture } from "./picture.js";
import { recipe } from "./recipes.js";
import { exchange } from "./imports.js";
import { add, resource } from "./resource.js";
import { edit } from "./form.js";
import { componentsField, outText, summary } from "./combo.js";
import { textsField } from "./texts.js";
import { asComponents, isOut } from "./meal.js";
import { asWindows, windowsField, windowsText } from "./windows.js";
import { priceLists } from "./pricelists.js";

const TABS = ["dishes", "categories", "price-lists", "modifiers", "taxes", "import"];
/** What a combo has not: these are its dishes'. */
const OF_DISHES = ["taxCategoryId", "stationId", "soldBy", "weightUnit", "variants", "modifierGroups"];

/** What a search finds: by any of the names, in whichever language, or by the code. @param {any} row @param {string} typed */
const finds = (row, typed) => [...namesOf(row), row.sku, ...(row.variants ?? []).map((/** @type {any} */ one) => one.sku)].some((name) => name && plain(name).includes(plain(typed).trim()));

/** @param {string[]} parts */
export function draw([tab = "dishes", ...rest]) {
  const now = TABS.includes(tab) ? tab : "dishes";
  return [head(t("section.menu")), tabs("menu", TABS, now), /** @type {Record<string, () => any>} */ ({ dishes, categories, "price-lists": () => priceLists(rest), modifiers, taxes, import: () => exchange("dishes") })[now]()];
}

function dishes() {
  const lists = signal(/** @type {Map<string, string>} */ (new Map()));
  void rowsOf("/menu/price-lists").then((all) => lists.set(new Map(all.map((one) => [one.id, one.name]))), () => {});
  /** @type {import("./fields.js").Field[]} */
  const fields = [
    { name: "name", need: true }, { name: "categoryId", kind: "choice", need: true, choices: from("/menu/categories") },
    { name: "priceCents", kind: "money", need: true, get: (row) => row.basePriceCents, hint: "dish.price.hint" },
    { name: "soldBy", kind: "choice", need: true, values: ["PIECE", "WEIGHT"], fresh: () => "PIECE", hint: "dish.soldBy.hint" }, { name: "weightUnit", kind: "choice", values: WEIGHT_UNITS, words: "unit", hint: "dish.weightUnit.hint" },
    { name: "taxCategoryId", kind: "choice", choices: from("/menu/tax-categories") },
    { name: "description", kind: "area" }, { name: "kitchenName", hint: "dish.kitchen.hint" },
    { name: "stationId", kind: "choice", choices: from("/kitchen/stations") }, { name: "course", kind: "number" }, { name: "prepMinutes", kind: "number" },
    { name: "dietary", kind: "choice", values: ["VEG", "VEGAN", "EGG", "NON_VEG"] }, { name: "allergens", kind: "list", hint: "list.hint" }, { name: "energyKcal", kind: "number" }, { name: "servingSize", hint: "serving.hint" },
    { name: "sku" }, { name: "hsnSac" }, { name: "imageUrl" },
    { name: "variants", kind: "rows", hint: "dish.sizes.hint", of: [{ name: "name", need: true }, { name: "priceCents", kind: "money", need: true, get: (row) => row.basePriceCents }, { name: "sku" }, { name: "energyKcal", kind: "number" }, { name: "servingSize" }, { name: "isDefault", kind: "tick" }, textsField(["name"])] },
    { name: "modifierGroups", kind: "many", get: (row) => (row.modifierGroups ?? []).map((/** @type {any} */ one) => one.id), choices: from("/menu/modifier-groups", (row) => `${row.name} (${row.options.slice(0, 3).map((/** @type {any} */ one) => one.name).join(", ")}${row.options.length > 3 ? "…" : ""})`) },
    windowsField(),
    { name: "sortOrder", kind: "number", empty: 0 }, { name: "isActive", kind: "tick", fresh: () => true },
    textsField(),
  ];
  /** @type {import("./resource.js").Resource} */
  const combos = {
    name: "combos", path: "/menu/items", right: "menu:write", columns: [],
    fields: fields.filter(({ name }) => !OF_DISHES.includes(name)).flatMap((field) => (field.name === "description" ? [componentsField(), field] : [field.name === "priceCents" ? { ...field, hint: "combo.price.hint" } : field])),
    shape: (typed, row) => ({ ...asComponents(asWindows(typed)), ...(row ? {} : { kind: "COMBO" }) }),
  };
  return resource({
    name: "dishes", path: "/menu/items", right: "menu:write", search: true, finds, fields,
    shape: (typed) => sized(byWeight(asWindows(typed))), as: (row) => (row.kind === "COMBO" ? combos : undefined), follows: happened,
    extra: (again) => may("menu:write") && h("button", { type: "button", onclick: async () => { if (await add(combos)) again(); } }, t("combos.add")),
    filters: [{ name: "categoryId", choices: from("/menu/categories") }, { name: "isActive", values: ["true", "false"], words: "sold" }],
    columns: [
      { name: "name", draw: (row) => (row.kind === "COMBO" ? h("span", { class: "combo" }, h("bdi", {}, row.name), h("span", { class: "badge kind" }, t("combo.mark")), summary(row)) : h("bdi", {}, row.name)) },
      { name: "priceCents", kind: "money", draw: (row) => [perUnit(row, cash(row.priceCents)), row.priceListId ? h("small", {}, () => t("dish.listed", { list: lists().get(row.priceListId) ?? "" })) : null] },
      { name: "dietary", kind: "word" },
      { name: "availability", draw: (row) => [badge("stock", isOut(row) ? "OUT_OF_STOCK" : row.availability.status), row.availability.quantityLeft === null ? null : ` ${row.availability.quantityLeft}`, outText(row)] },
    ],
    acts: (row, again) => [
      h("button", { type: "button", "aria-label": `${t("dish.price")}: ${row.name}`, onclick: () => void price(row, `/menu/items/${row.id}`).then((done) => { if (done) again(); }) }, t("dish.price")),
      row.variants.length > 0 ? h("button", { type: "button", "aria-label": `${t("f.variants")}: ${row.name}`, onclick: () => void sizes(row).then(again) }, t("f.variants")) : null,
      h("button", { type: "button", "aria-label": `${t("picture")}: ${row.name}`, onclick: () => void picture(row).then((done) => { if (done) again(); }) }, t("picture")),
      may("inventory:read") && row.kind !== "COMBO" ? h("button", { type: "button", "aria-label": `${t("recipe")}: ${row.name}`, onclick: () => void recipe(row.name, `/inventory/recipes/${row.id}`, { yields: true }) }, t("recipe")) : null,
      row.availability.status === "IN_STOCK"
        ? h("button", { type: "button", "aria-label": `${t("dish.out")}: ${row.name}`, onclick: () => void soldOut(row.name, `/menu/items/${row.id}/availability`).then((done) => { if (done) again(); }) }, t("dish.out"))
        : act(t("dish.back"), async () => { await back(row.availability, `/menu/items/${row.id}/availability`); again(); }, { spoken: `${t("dish.back")}: ${row.name}` }),
    ],
  });
}

/** What each size of a dish costs here, whether it is there, and what it takes. @param {any} dish */
function sizes(dish) {
  return show(t("dish.sizes.of", { name: dish.name }), (close) => [
    h("ul", { class: "options" }, ...dish.variants.map((/** @type {any} */ one) => offered({ ...one, name: `${dish.name} · ${one.name}` }, `/menu/variants/${one.id}`, { path: `/inventory/recipes/${one.id}`, yields: true, hint: "recipe.size.hint" },
      may("menu:write") ? h("button", { type: "button", class: "quiet", "aria-label": `${t("dish.price")}: ${one.name}`, onclick: () => void price(one, `/menu/variants/${one.id}`).then((done) => { if (done) close(done); }) }, t("dish.price")) : null))),
  ]);
}

/** What is offered with a dish: what it costs, whether it is there, what it takes. @param {any} one @param {string} path @param {{ path: string, yields?: boolean, hint: string }} takes @param {import("../kit/view.js").Child[]} more */
function offered(one, path, takes, ...more) {
  return h("li", {}, h("span", { class: "grow" }, h("bdi", {}, one.name), one.priceCents ? ` ${cash(one.priceCents)}` : "", one.isActive === false ? ` (${t("sold.false")})` : null),
    one.availability.status !== "IN_STOCK" ? [badge("stock", one.availability.status), act(t("dish.back"), () => back(one.availability, `${path}/availability`), { class: "quiet", spoken: `${t("dish.back")}: ${one.name}`, done: t("saved") })]
      : h("button", { type: "button", class: "quiet", "aria-label": `${t("dish.out")}: ${one.name}`, onclick: () => void soldOut(one.name, `${path}/availability`).then((done) => { if (done) toast(t("saved")); }) }, t("dish.out")),
    may("inventory:read") ? h("button", { type: "button", class: "quiet", "aria-label": `${t("recipe")}: ${one.name}`, onclick: () => void recipe(one.name, takes.path, takes) }, t("recipe")) : null, ...more);
}

/** What a dish or a size of it costs here; empty takes the chain's price. @param {any} row @param {string} path */
function price(row, path) {
  return edit(t("dish.price.of", { name: row.name }), {
    fields: [{ name: "outletPriceCents", kind: "money", hint: "dish.outletPrice.hint" }], value: row,
    note: h("p", {}, t("dish.price.base", { amount: perUnit(row, cash(row.basePriceCents)) })),
    save: ({ outletPriceCents }, version) => send("PUT", `${path}/price`, { priceCents: outletPriceCents }, version),
  });
}

/** Brings something back: what a person sold out follows the stock again, what the stock sold out is there all the same. @param {any} now @param {string} path */
const back = (now, path) => (now.source.startsWith("AUTO") ? send("PUT", path, { status: "IN_STOCK" }) : send("DELETE", path));

/** Sells something out, or limits it. @param {string} name @param {string} path */
function soldOut(name, path) {
  return edit(t("dish.out.of", { name }), {
    fields: [{ name: "quantityLeft", kind: "number", hint: "dish.left.hint" }, { name: "until", kind: "moment", hint: "dish.until.hint" }, { name: "reason" }],
    act: t("dish.out"),
    save: ({ quantityLeft, until, reason }) => send("PUT", path, { status: quantityLeft ? "LIMITED" : "OUT_OF_STOCK", ...(quantityLeft ? { quantityLeft } : {}), ...(until ? { until: momentOf(until, zone()) } : {}), ...(reason ? { reason } : {}) }),
  });
}

function categories() {
  return resource({
    name: "categories", path: "/menu/categories", right: "menu:write", search: true, finds,
    fields: [{ name: "name", need: true }, { name: "description", kind: "area" }, windowsField(), { name: "sortOrder", kind: "number", empty: 0 }, { name: "isActive", kind: "tick", fresh: () => true }, textsField()],
    shape: asWindows,
    columns: [{ name: "name" }, { name: "description" }, { name: "windows", draw: (row) => windowsText(row.windows) }, { name: "sortOrder", kind: "number" }, { name: "isActive", kind: "yes" }],
  });
}

function modifiers() {
  return resource({
    name: "modifiers", path: "/menu/modifier-groups", right: "menu:write", search: true, finds,
    fields: [
      { name: "name", need: true }, { name: "minSelections", kind: "number", empty: 0, hint: "group.min.hint" }, { name: "maxSelections", kind: "number", hint: "group.max.hint" },
      { name: "options", kind: "rows", of: [{ name: "name", need: true }, { name: "priceCents", kind: "money", empty: 0 }, { name: "isDefault", kind: "tick" }, { name: "isActive", kind: "tick", fresh: () => true }, textsField(["name"])] },
      textsField(["name"]),
    ],
    columns: [
      { name: "name" }, { name: "minSelections", label: t("group.rule"), draw: (row) => t("group.rule.of", { min: row.minSelections, max: row.maxSelections ?? "∞" }) },
      { name: "options", draw: (row) => h("ul", { class: "options" }, ...row.options.map((/** @type {any} */ one) => offered(one, `/menu/modifier-options/${one.id}`, { path: `/menu/modifier-options/${one.id}/recipe`, hint: "recipe.option.hint" }))) },
    ],
  });
}

function taxes() {
  return resource({
    name: "taxes", path: "/menu/tax-categories", right: "menu:write",
    fields: [{ name: "name", need: true }, { name: "isGoods", kind: "tick", hint: "tax.goods.hint" },
      { name: "components", kind: "rows", of: [{ name: "name", need: true }, { name: "rateBps", kind: "percent", need: true }, { name: "kind", kind: "choice", values: ["GST", "CESS", "VAT"], words: "taxKind" }] }],
    columns: [{ name: "name" }, { name: "components", draw: (row) => row.components.map((/** @type {any} */ one) => `${one.name} ${rate(one.rateBps)}`).join(" + ") || t("tax.none") }, { name: "isGoods", kind: "yes" }],
  });
}
