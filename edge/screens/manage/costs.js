// What dishes cost: now as the box says it, or at another moment by the lists as they are, for each kind of order. Never the price of an order.

import { all, ask } from "../kit/session.js";
import { h, signal, untrack } from "../kit/view.js";
import { ORDER_TYPES, perUnit, t } from "../kit/words.js";
import { loaded, word } from "./parts.js";
import { cash, happened } from "./store.js";
import { at } from "./route.js";
import { table } from "./list.js";
import { cost, inForce, portions } from "./pricing.js";

/** @typedef {import("./pricelists.js").Places} Places */

/** Lists with all that they say. @returns {Promise<any[]>} */
async function whole() {
  return Promise.all((await all("/menu/price-lists")).map(async ({ id }) => (await ask("GET", `/menu/price-lists/${id}`)).data));
}

/** @param {() => Promise<Places>} places */
export function costs(places) {
  const how = signal({ orderType: "", area: "", channelId: "", wall: "", all: false });
  /** @param {string} name @param {string} label @param {{ value: string, label: string }[]} choices */
  const choice = (name, label, choices) => (choices.length === 0 ? null : h("label", {}, label, h("select", { onchange: (/** @type {any} */ event) => how.update((was) => ({ ...was, [name]: event.target.value })) }, h("option", { value: "" }, t("costs.any")), ...choices.map((one) => h("option", { value: one.value }, one.label)))));
  return [
    h("p", {}, h("a", { class: "back", href: at("menu", "price-lists") }, t("lists.back"))),
    h("header", { class: "sub" }, h("h2", {}, t("costs.title"))),
    loaded(places, (known) => [
      h("div", { class: "filters", role: "search" },
        choice("orderType", t("f.orderType"), ORDER_TYPES.map((value) => ({ value, label: word("orderType", value) }))),
        choice("area", t("f.area"), known.areas.map((area) => ({ value: area, label: area }))),
        choice("channelId", t("f.channelId"), known.channels.map((one) => ({ value: one.id, label: one.name }))),
        h("label", {}, t("costs.at"), h("input", { type: "datetime-local", onchange: (/** @type {any} */ event) => how.update((was) => ({ ...was, wall: event.target.value })) })),
        h("label", { class: "tick" }, h("input", { type: "checkbox", onchange: (/** @type {any} */ event) => how.update((was) => ({ ...was, all: event.target.checked })) }), t("costs.all"))),
      () => { const asked = how(); return untrack(() => answer(asked, known)); },
    ]),
  ];
}

/** @param {{ orderType: string, area: string, channelId: string, wall: string, all: boolean }} asked @param {Places} known */
function answer(asked, known) {
  const tableId = asked.area ? known.tables.find((table) => table.area === asked.area)?.id : undefined;
  const occasion = { orderType: asked.orderType || undefined, channelId: asked.channelId || undefined, area: asked.area || undefined };
  return loaded(async () => {
    const { data } = await ask("GET", "/menu", { query: { ...(occasion.orderType ? { orderType: occasion.orderType } : {}), ...(tableId ? { tableId } : {}), ...(occasion.channelId ? { channelId: occasion.channelId } : {}) } });
    return { categories: data.categories, lists: asked.wall ? await whole() : await all("/menu/price-lists") };
  }, ({ categories, lists }) => {
    const hold = asked.wall ? inForce(lists, asked.wall, occasion) : [];
    const rows = categories.flatMap((/** @type {any} */ category) => category.items.flatMap((/** @type {any} */ dish) => portions(dish).map((one) => {
      const price = asked.wall ? cost(one.own, one.targets, hold) : { cents: one.cents, list: lists.find(({ id }) => id === one.priceListId) ?? null };
      return { id: one.id, name: one.name, category: category.name, own: one.own, cents: price.cents, list: price.list, weightUnit: dish.weightUnit };
    })));
    const shown = asked.all ? rows : rows.filter((/** @type {any} */ row) => row.list);
    return [
      h("p", { class: "hint", role: "status" }, asked.wall ? t("costs.ahead") : t("costs.now"), " ", t("costs.count", { n: rows.filter((/** @type {any} */ row) => row.list).length, of: rows.length })),
      table({
        caption: t("costs.title"), rows: shown, empty: t("costs.none"),
        columns: [{ name: "name" }, { name: "category", label: t("f.categoryId") }, { name: "own", label: t("costs.own"), kind: "money", draw: (row) => perUnit(row, cash(row.own)) },
          { name: "cents", label: t("costs.cents"), kind: "money", draw: (row) => (row.cents === row.own ? perUnit(row, cash(row.cents)) : h("b", {}, perUnit(row, cash(row.cents)))) },
          { name: "list", label: t("costs.list"), draw: (row) => (row.list ? h("a", { href: at("menu", "price-lists", row.list.id) }, h("bdi", {}, row.list.name)) : "–") }],
      }),
    ];
  }, happened);
}
