// The chain's price lists: what dishes cost for some orders, hours and dates. Every save is a publication. Never the outlets' own prices, and
// brings no dish to an outlet that has none of it.

import { may } from "../../kit/session.js";
import { hoursText } from "../../kit/dish.js";
import { cents, decimal } from "../../kit/money.js";
import { h, signal } from "../../kit/view.js";
import { ORDER_TYPES, perUnit, t } from "../../kit/words.js";
import { ask } from "../../kit/session.js";
import { currencyOf, names, ofOutlet } from "../chain.js";
import { changed, listed } from "../model.js";
import { amount, form, head, label, loaded, of, purse, shown, table, word } from "../parts.js";
import { catalogue, edit, split, whenAndWhere } from "../publish.js";
import { dishSelect } from "../combo.js";
import { hoursRow, labelled, rowsField } from "../rows.js";

/** The chain's money: that of its first outlet. */
const decimals = () => purse(currencyOf()).decimals;

/** The outlets' channels by name: each outlet has its own of a name. @returns {Promise<Map<string, string[]>>} */
async function channels() {
  const found = new Map();
  const lists = await Promise.all(names().filter(({ isNew }) => !isNew).map(({ id }) => ofOutlet(id, "/channels", { limit: 100 }).then(({ data }) => data, () => [])));
  for (const { id, name } of lists.flat()) found.set(name, [...(found.get(name) ?? []), id]);
  return found;
}

/** The entries as they are sent: one of three, and one of two. @param {any[]} entries */
const plain = (entries) => entries.map(({ menuItemId, variantId, categoryId, priceCents, adjustBps }) => ({ ...(variantId ? { variantId } : menuItemId ? { menuItemId } : { categoryId }), ...(priceCents === null || priceCents === undefined ? { adjustBps } : { priceCents }) }));

/** One price: of what, and how much. @param {any} lists @param {any} entry @returns {import("../rows.js").Row} */
function entryRow(lists, entry) {
  const kind = ["variantId", "menuItemId", "categoryId"].find((name) => entry[name]), adjust = entry.adjustBps ?? null;
  const what = dishSelect(lists, kind ? `${kind} ${entry[kind]}` : "", { combos: true, whole: true });
  const now = entry.priceCents !== null && entry.priceCents !== undefined ? "costs" : adjust > 0 ? "more" : "less";
  const how = /** @type {HTMLSelectElement} */ (h("select", {}, ...["costs", "less", "more"].map((one) => h("option", { value: one, selected: one === now }, t(`prices.${one}`)))));
  const text = now === "costs" ? decimal(entry.priceCents, decimals()) : adjust === null ? "" : String(Number(decimal(Math.abs(adjust), 2)));
  const value = /** @type {HTMLInputElement} */ (h("input", { value: text, inputmode: "decimal", autocomplete: "off" }));
  // What is sold by weight costs so much for one unit of it.
  const told = signal("");
  const tell = () => {
    const [, id] = what.value.split(" "), dish = lists.dishes.find((/** @type {any} */ one) => one.id === id), price = how.value === "costs" ? cents(value.value.trim(), decimals()) : null;
    told.set(dish?.weightUnit && price !== null ? perUnit(dish, amount(price, currencyOf())) : "");
  };
  for (const field of [what, how, value]) field.addEventListener("input", tell);
  tell();
  return { nodes: [labelled(t("prices.what"), what), labelled(t("prices.how"), how), h("label", {}, t("prices.value"), value, h("small", { role: "status" }, told))], typed() {
    const [name, id] = what.value.split(" "), number = cents(value.value.trim(), how.value === "costs" ? decimals() : 2);
    // What is no number the server refuses, and says where.
    return { ...(id ? { [name]: id } : {}), ...(number === null ? {} : how.value === "costs" ? { priceCents: number } : { adjustBps: how.value === "less" ? 0 - number : number }) };
  } };
}

/** @param {any | null} row @param {any} lists @param {() => Promise<void>} again */
async function listForm(row, lists, again) {
  const list = row ? (await ask("GET", `/hub/menu/price-lists/${row.id}`)).data : null;
  const hours = hoursRow(list ?? {});
  const names = [...lists.channels.keys()], chosen = names.filter((name) => lists.channels.get(name).some((/** @type {string} */ id) => list?.channelIds?.includes(id)));
  /** @type {import("../parts.js").Field[]} */
  const fields = [
    { name: "name", required: true, most: 120, value: list?.name },
    { name: "priority", kind: "whole", hint: t("prices.priorityHint"), value: list?.priority ?? 0 },
    { name: "orderTypes", kind: "ticks", label: t("prices.types"), hint: t("prices.any"), options: ORDER_TYPES.map((value) => ({ value, label: word(value) })), value: list?.orderTypes ?? [] },
    ...(names.length > 0 ? [{ name: "channelIds", kind: "ticks", label: t("prices.channels"), hint: t("prices.any"), options: names.map((name) => ({ value: name, label: name })), value: chosen }] : []),
    { name: "areas", label: t("prices.areas"), hint: `${t("f.listHint")} ${t("prices.any")}`, value: list?.areas?.join(", ") },
    { name: "hours", kind: "own", also: ["days", "from", "to"], typed: hours.typed, node: (reason) => h("fieldset", { class: "full" }, h("legend", {}, t("prices.when")), h("small", {}, t("hours.end")), reason, h("div", { class: "oneline" }, h("div", { class: "parts" }, ...hours.nodes))) },
    { name: "startsOn", kind: "date", label: t("prices.first"), value: list?.startsOn }, { name: "endsOn", kind: "date", label: t("prices.last"), value: list?.endsOn },
    rowsField("entries", t("prices.entries"), t("prices.addEntry"), list?.entries ?? [{}], (entry) => entryRow(lists, entry), t("prices.entriesHint")),
    ...whenAndWhere(),
  ];
  const done = await form(list?.name ?? t("prices.new"), fields, async (values) => {
    const { query, rest: { hours: typed, ...rest } } = split(values);
    const some = (/** @type {any[]} */ all) => (all.length > 0 ? all : null);
    // Channels that no outlet has any more stay as they were.
    const known = [...lists.channels.values()].flat();
    const ids = some([...(list?.channelIds ?? []).filter((/** @type {string} */ id) => !known.includes(id)), ...(rest.channelIds ?? []).flatMap((/** @type {string} */ name) => lists.channels.get(name))]);
    const body = { ...rest, ...typed, priority: rest.priority ?? 0, orderTypes: some(rest.orderTypes), channelIds: ids, areas: some(listed(rest.areas ?? "")) };
    if (!list) return edit("POST", "/hub/menu/price-lists", body, query);
    const before = { ...list, channelIds: list.channelIds && ids && [...list.channelIds].sort().join() === [...ids].sort().join() ? ids : list.channelIds, entries: plain(list.entries) };
    return edit("PATCH", `/hub/menu/price-lists/${list.id}`, changed(before, { ...body, entries: body.entries }), query, list.version);
  }, { act: t("publish.act"), wide: true });
  if (done) await again();
}

/** @param {any} row @param {() => Promise<void>} again */
async function remove(row, again) {
  const done = await form(t("menu.archiveOf", { name: row.name }), whenAndWhere(), async (values) => edit("DELETE", `/hub/menu/price-lists/${row.id}`, undefined, split(values).query, row.version), { act: t("archive"), bad: true });
  if (done) await again();
}

/** When it holds. @param {any} row */
function whenText(row) {
  const dates = [row.startsOn, row.endsOn].some(Boolean) ? `${row.startsOn ? shown(row.startsOn, "date") : "…"} – ${row.endsOn ? shown(row.endsOn, "date") : "…"}` : "";
  return [hoursText(row), dates].filter(Boolean).join(", ");
}

export function view() {
  const write = may("menu:write");
  const { node } = loaded(async () => {
    const [prices, dishes, categories, known] = await Promise.all([catalogue("/hub/menu/price-lists"), catalogue("/hub/menu/items"), catalogue("/hub/menu/categories"), channels()]);
    return { prices, dishes, categories, channels: known };
  }, (lists, again) => {
    const named = (/** @type {any} */ row) => [...lists.channels].filter(([, ids]) => ids.some((id) => row.channelIds?.includes(id))).map(([name]) => name);
    const whom = (/** @type {any} */ row) => [(row.orderTypes ?? []).map(word), named(row), row.areas ?? []].filter((part) => part.length > 0).map((part) => part.join(", ")).join(" · ") || t("prices.everybody");
    return [
      write && h("div", { class: "acts start" }, h("button", { type: "button", class: "main", onclick: () => void listForm(null, lists, again) }, t("prices.new"))),
      table(t("view.prices"), [
        { label: label("name"), head: true, cell: (row) => (write ? h("button", { type: "button", class: "quiet start", onclick: () => void listForm(row, lists, again) }, h("bdi", {}, row.name)) : h("bdi", {}, row.name)) },
        { label: t("prices.when"), cell: whenText }, { label: t("prices.whom"), cell: (row) => h("bdi", {}, whom(row)) },
        { label: t("prices.entries"), number: true, cell: (row) => String(row.entriesCount) }, { label: label("priority"), number: true, cell: (row) => String(row.priority) },
        ...(write ? [{ label: "", cell: (/** @type {any} */ row) => h("button", { type: "button", class: "quiet", onclick: () => void remove(row, again) }, of(t("archive"), row.name)) }] : []),
      ], lists.prices, t("prices.none")),
    ];
  });
  return [head(t("view.prices"), t("prices.hint"), h("a", { class: "button", href: "#/menu" }, t("view.menu"))), node];
}
