// Price lists: when, for whom and how much. What holds now is said by the box. Never changes the outlet's own prices.

import { all, ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { now } from "../kit/time.js";
import { toast } from "../kit/dialog.js";
import { hoursText } from "../kit/dish.js";
import { ORDER_TYPES, t } from "../kit/words.js";
import { act, badge, facts, loaded, word } from "./parts.js";
import { amount, date, happened, rowsOf, send, when, zone } from "./store.js";
import { at, go } from "./route.js";
import { momentOf, onWall } from "./zones.js";
import { edit } from "./form.js";
import { table } from "./list.js";
import { turn } from "./pricing.js";
import { asHours, hoursFields } from "./windows.js";
import { entries } from "./entries.js";
import { costs } from "./costs.js";

/** @typedef {import("api").components["schemas"]["PriceList"]} PriceList */
/** Where lists may hold. @typedef {{ channels: { id: string, name: string }[], areas: string[], tables: any[] }} Places */


/** @param {string[]} parts */
export function priceLists([id]) {
  if (id === "costs") return costs(places);
  return id ? one(id) : list();
}

/** Channels, and areas of the dining room. @returns {Promise<Places>} */
export async function places() {
  const [channels, tables] = await Promise.all([may("channels:read") ? rowsOf("/channels") : [], may("tables:read") ? rowsOf("/tables") : []]);
  return { channels, tables, areas: [...new Set(tables.map((table) => table.area).filter(Boolean))] };
}

/** When it holds, in words. @param {PriceList} list */
export function whenText(list) {
  const { startsOn, endsOn } = list;
  const dates = startsOn && endsOn ? `${date(startsOn)} – ${date(endsOn)}` : startsOn ? t("list.from", { date: date(startsOn) }) : endsOn ? t("list.until", { date: date(endsOn) }) : "";
  const hours = list.days || list.from || list.to || !dates ? hoursText(list) : "";
  return [hours, dates].filter(Boolean).join(", ");
}

/** For whom, in words. @param {PriceList} list @param {Places} places */
export function whomText(list, { channels }) {
  const named = (list.channelIds ?? []).map((id) => channels.find((one) => one.id === id)?.name ?? "?");
  return [(list.orderTypes ?? []).map((one) => word("orderType", one)), named, list.areas ?? []].filter((part) => part.length > 0).map((part) => part.join(", ")).join(" · ") || t("list.everybody");
}

/** Whether it holds now, and until or from when. @param {PriceList} list */
export function stand(list) {
  const next = turn(list, onWall(now(), zone())), moment = next ? when(momentOf(next, zone())) : "";
  return h("span", {}, list.isInForce ? badge("list", "NOW") : h("span", { class: "badge idle" }, word("list", moment ? "LATER" : "OVER")),
    moment ? h("small", {}, t(list.isInForce ? "list.ends" : "list.begins", { moment })) : null);
}

/** @param {Places} places @param {PriceList} [list] @returns {import("./fields.js").Field[]} */
function fields({ channels, areas }, list) {
  const known = [...new Set([...areas, ...(list?.areas ?? [])])];
  return [
    { name: "name", need: true }, { name: "priority", kind: "number", empty: 0, label: t("list.priority"), hint: "list.priority.hint" },
    { name: "orderTypes", kind: "many", values: ORDER_TYPES, words: "orderType", hint: "list.types.hint" },
    ...(channels.length > 0 ? [/** @type {import("./fields.js").Field} */ ({ name: "channelIds", kind: "many", hint: "list.channels.hint", choices: async () => channels.map((one) => ({ value: one.id, label: one.name })) })] : []),
    ...(known.length > 0 ? [/** @type {import("./fields.js").Field} */ ({ name: "areas", kind: "many", hint: "list.areas.hint", choices: async () => known.map((area) => ({ value: area, label: area })) })] : []),
    ...hoursFields(), { name: "startsOn", kind: "date" }, { name: "endsOn", kind: "date", hint: "list.ends.hint" },
  ];
}

/** As the server takes it: what is not said sets no condition. @param {any} typed */
const asTerms = (typed) => Object.fromEntries(Object.entries(asHours(typed)).map(([name, value]) => [name, ["orderTypes", "channelIds", "areas"].includes(name) && value.length === 0 ? null : value]));

/** @param {Places} places */
async function add(places) {
  const made = await edit(t("list.add"), { fields: fields(places), keep: true, save: (typed) => send("POST", "/menu/price-lists", asTerms(typed)) });
  if (made) { toast(t("saved")); go("menu", "price-lists", made.id); }
}

/** @param {PriceList} list */
const remove = (list) => send("DELETE", `/menu/price-lists/${list.id}`, undefined, list.version);

function list() {
  const writes = may("menu:write");
  return loaded(async () => ({ lists: await all("/menu/price-lists"), places: await places() }), ({ lists, places }, again) => [
    h("header", { class: "sub" }, h("h2", {}, t("lists.title")), h("div", { class: "acts" }, h("a", { class: "button", href: at("menu", "price-lists", "costs") }, t("costs.title")),
      writes ? h("button", { type: "button", class: "main", onclick: () => void add(places) }, t("list.add")) : null)),
    h("p", { class: "hint" }, t("lists.text")),
    table({
      caption: t("lists.title"), rows: lists, empty: t("lists.none"), open: (row) => at("menu", "price-lists", row.id),
      columns: [{ name: "name" }, { name: "isInForce", label: t("list.stand"), draw: stand }, { name: "when", label: t("list.when"), draw: whenText }, { name: "whom", label: t("list.whom"), draw: (row) => h("bdi", {}, whomText(row, places)) },
        { name: "entriesCount", label: t("list.entries"), kind: "number" }, { name: "priority", label: t("list.priority"), kind: "number" }],
      ...(writes ? { acts: (/** @type {PriceList} */ row) => act(t("archive"), async () => { await remove(row); again(); }, { class: "quiet", bad: true, sure: t("list.archive.sure", { name: row.name }), done: t("archived"), spoken: `${t("archive")}: ${row.name}` }) } : {}),
    }),
  ], happened);
}

/** @param {string} id */
function one(id) {
  const writes = may("menu:write");
  const read = async () => (await ask("GET", `/menu/price-lists/${id}`)).data;
  return loaded(async () => ({ list: /** @type {PriceList} */ (await read()), places: await places(), dishes: await rowsOf("/menu/items"), categories: await rowsOf("/menu/categories") }), ({ list, places, dishes, categories }, again) => {
    async function change() {
      const done = await edit(list.name, { fields: fields(places, list), value: list, read, save: (typed, version) => send("PATCH", `/menu/price-lists/${id}`, asTerms(typed), version) });
      if (done) { toast(t("saved")); again(); }
    }
    return [
      h("p", {}, h("a", { class: "back", href: at("menu", "price-lists") }, t("lists.back"))),
      h("header", { class: "sub" }, h("h2", {}, h("bdi", {}, list.name)), writes ? h("div", { class: "acts" },
        h("button", { type: "button", onclick: () => void change() }, t("list.change")),
        act(t("archive"), async () => { await remove(list); go("menu", "price-lists"); }, { class: "quiet", bad: true, sure: t("list.archive.sure", { name: list.name }), done: t("archived") })) : null),
      facts([[t("list.stand"), stand(list)], [t("list.when"), whenText(list)], [t("list.whom"), whomText(list, places)], [t("list.priority"), amount(list.priority)]]),
      entries(list, dishes, categories, again),
    ];
  });
}
