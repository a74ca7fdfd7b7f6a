// How the outlet works, in groups with plain words; its channels; what head office and a restored backup left to decide; the box itself. Never
// changes what bills say in the past.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { now } from "../kit/time.js";
import { confirm, toast } from "../kit/dialog.js";
import { redraw } from "../kit/redraw.js";
import { has, languageName, locale, t } from "../kit/words.js";
import { act, badge, facts, head, loaded, tabs, word } from "./parts.js";
import { amount, cash, from, happened, outlet, rate, send, when, zone } from "./store.js";
import { edit } from "./form.js";
import { listed, table } from "./list.js";
import { pick } from "./fields.js";
import { groupsOf } from "./outletfields.js";
import { momentOf, onWall } from "./zones.js";
import { resource } from "./resource.js";

/** @typedef {import("./fields.js").Field} Field */

/** @param {string[]} parts */
export function draw([tab = "outlet"]) {
  const names = ["outlet", ...(may("channels:read") ? ["channels"] : []), "box", ...(may("audit:read") ? ["reviews"] : []), ...(may("guests:erase") ? ["privacy"] : [])];
  const shown = names.includes(tab) ? tab : "outlet";
  return [head(t("section.settings")), tabs("settings", names, shown), /** @type {Record<string, () => any>} */ ({ outlet: groups, channels, box, reviews, privacy })[shown]()];
}

/** A setting as it is read. @param {Field} field @param {any} value */
function shown(field, value) {
  if (value === null || value === undefined) return "–";
  if (field.name === "country" || field.name === "currency") return `${new Intl.DisplayNames(locale(), { type: field.name === "country" ? "region" : "currency" }).of(value)} (${value})`;
  switch (field.kind) {
    case "tick": return t(value ? "yes" : "no");
    case "percent": return rate(value);
    case "money": return cash(value);
    case "number": return amount(value);
    case "choice": return word(field.words ?? field.name, value);
    case "many": return value.map((/** @type {string} */ one) => word(field.words ?? field.name, one)).join(", ") || "–";
    case "rows": return value.map((/** @type {any} */ one) => (field.name === "languages" ? languageName(one) : one.text)).join(", ") || "–";
    case "list": return value.map((/** @type {any} */ one) => (field.each === "percent" ? rate(one) : field.each === "money" ? cash(one) : String(one))).join(", ") || "–";
    default: return String(value) || "–";
  }
}

function groups() {
  const writes = may("outlets:write");
  return [
    writes ? null : h("p", { class: "hint" }, t("set.readOnly")),
    () => h("div", { class: "columns wideCards" }, ...groupsOf(t, word).map(([name, list]) => h("section", { class: "card" }, h("h2", {}, t(`set.${name}`)), h("p", { class: "hint" }, t(`set.${name}.text`)),
      facts(list.map((field) => [field.label ?? t(`f.${field.name}`), shown(field, pick(outlet(), field.name))])),
      writes ? h("div", { class: "acts" }, h("button", { type: "button", "aria-label": `${t("change")}: ${t(`set.${name}`)}`, onclick: () => void set(name, list) }, t("change"))) : null))),
  ];
}

/** @param {string} name @param {Field[]} list */
async function set(name, list) {
  let fresh = outlet.peek();
  const read = async () => { fresh = (await ask("GET", `/outlets/${fresh.id}`)).data; return fresh; };
  const done = await edit(t(`set.${name}`), {
    fields: list.filter(({ fixed }) => !fixed), value: await read(), read,
    // What is absent of the till's settings would have its default again: what is not shown here goes along.
    save: (typed, version) => send("PATCH", `/outlets/${outlet.peek().id}`, Object.fromEntries(Object.entries(typed).map(([key, value]) => [key, key === "languages" ? value.map((/** @type {any} */ one) => one.tag) : value && typeof value === "object" && !Array.isArray(value) ? whole(key, value, fresh[key]) : value])), version),
  });
  if (done) { await read(); redraw(() => outlet.set(fresh)); toast(t("saved")); }
}

/** A group with what it had besides; a role without a limit is left out. @param {string} key @param {any} value @param {any} now */
function whole(key, value, now) {
  if (key === "till") return { ...now, ...value, ageing: { ...now.ageing, ...value.ageing }, reasons: { ...now.reasons, ...value.reasons } };
  return Object.fromEntries(Object.entries({ ...now, ...value }).filter(([, one]) => one !== null));
}

function channels() {
  return resource({
    name: "channels", path: "/channels", right: "channels:write", intro: t("channels.text"),
    fields: [{ name: "name", need: true }, { name: "kind", kind: "choice", need: true, values: ["AGGREGATOR", "DELIVERY", "WEBSITE", "OTHER"], words: "channelKind" }, { name: "commissionBps", kind: "percent", empty: 0 }, { name: "taxedBy", kind: "choice", need: true, values: ["RESTAURANT", "OPERATOR"], fresh: () => "RESTAURANT" }, { name: "operatorTaxId" }, { name: "priceListId", kind: "choice", hint: "channel.list.hint", choices: from("/menu/price-lists") }],
    columns: [{ name: "name" }, { name: "kind", kind: "word", words: "channelKind" }, { name: "commissionBps", kind: "percent" }, { name: "taxedBy", kind: "word" }],
  });
}

/** How the box is: exchange, backup, disk, clock. */
function box() {
  return loaded(async () => (await ask("GET", "/status")).data, (one, again) => h("div", { class: "columns" },
    h("section", { class: "card" }, h("h2", {}, t("box.sync")), one.sync.enrolled ? facts([[t("f.standing"), word("standing", one.sync.standing)], [t("f.rowsWaiting"), amount(one.sync.rowsWaiting)], [t("f.lastPushAt"), when(one.sync.lastPushAt)], [t("f.lastPullAt"), when(one.sync.lastPullAt)], [t("lamp.internet"), one.sync.internetReachable === null ? "–" : t(one.sync.internetReachable ? "yes" : "no")], [t("lamp.office"), one.sync.hubReachable === null ? "–" : t(one.sync.hubReachable ? "yes" : "no")], [t("f.openReviews"), amount(one.sync.openReviews)]]) : h("p", {}, t("box.alone"))),
    h("section", { class: "card" }, h("h2", {}, t("box.backup")), one.backup.overdue || one.backup.secondOverdue ? h("p", { class: "bad" }, t("today.backup")) : null, facts([[t("f.lastAt"), when(one.backup.lastAt)], [t("f.lastBytes"), one.backup.lastBytes === null ? "–" : one.backup.lastBytes < 1e6 ? `${amount(Math.ceil(one.backup.lastBytes / 1e3))} kB` : `${amount(Math.round(one.backup.lastBytes / 1e6))} MB`], [t("f.secondPlace"), t(one.backup.secondPlace ? "yes" : "no")], [t("f.secondAt"), when(one.backup.secondAt)]])),
    h("section", { class: "card" }, h("h2", {}, t("box.disk")), facts([[t("f.state"), badge("disk", one.disk.state)], [t("f.freeBytes"), one.disk.freeBytes === null ? "–" : `${amount(Math.round(one.disk.freeBytes / 1e9))} GB`], [t("f.version"), one.version]])),
    h("section", { class: "card" }, h("h2", {}, t("box.clock")), facts([[t("box.clock.now"), when(one.clock)], [t("box.clock.doubt"), one.clockDoubt ? word("fault", one.clockDoubt.fault) : null]]),
      one.clockDoubt ? h("p", { class: "bad" }, t("today.clock")) : null,
      may("day:close") ? h("div", { class: "acts" }, h("button", { type: "button", onclick: async () => {
        if (await edit(t("today.clock.set"), { fields: [{ name: "now", label: t("box.clock.now"), kind: "moment", need: true, fresh: () => onWall(now(), zone()) }], save: (typed) => send("POST", "/status/clock", { now: momentOf(typed.now, zone()) }) })) { toast(t("saved")); again(); }
      } }, t("today.clock.set"))) : null)), happened);
}

/** What a restored backup left to decide. */
function reviews() {
  let again = () => {};
  const resolves = may("outlets:write") || may("employees:write");
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.reviews")), resolves ? act(t("review.all"), async () => { await send("POST", "/sync-reviews/resolve-all", {}); again(); }, { sure: t("review.all.sure") }) : null),
    h("p", { class: "hint" }, t("review.text")),
    listed({ path: "/sync-reviews", caption: t("tab.reviews"), onto: (reload) => { again = reload; },
      filters: [{ name: "state", label: t("f.state.review"), values: ["OPEN", "ALL"], words: "reviewed", start: "OPEN", whole: true }],
      columns: [{ name: "reason", kind: "word", words: "clash" }, { name: "tableName", label: t("f.entityType"), kind: "word", words: "rows" }, { name: "at", kind: "moment" }, { name: "kept", draw: (row) => h("details", {}, h("summary", {}, t("review.both")), versions(row)) }, { name: "resolvedAt", kind: "moment" }],
      acts: (row, reload) => (row.resolvedAt || !resolves ? null : h("button", { type: "button", onclick: async () => { if (await edit(t("review.resolve"), { act: t("review.resolve"), fields: [{ name: "note" }], save: ({ note }) => send("POST", `/sync-reviews/${row.id}/resolve`, note ? { note } : {}) })) reload(); } }, t("review.resolve"))) }),
  ];
}

/** What differs between the version that stands and the one that was lost. @param {any} row */
function versions({ kept, lost }) {
  const value = (/** @type {string} */ name, /** @type {any} */ one) => (one === null || one === undefined ? "–" : name.endsWith("_cents") && typeof one === "number" ? cash(one) : name.endsWith("_at") && typeof one === "number" ? when(new Date(one).toISOString()) : typeof one === "object" ? JSON.stringify(one) : String(one));
  const named = (/** @type {string} */ name) => { const known = `f.${name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())}`; return has(known) ? t(known) : name.replaceAll("_", " "); };
  const names = [...new Set([...Object.keys(kept ?? {}), ...Object.keys(lost ?? {})])].filter((name) => JSON.stringify(kept?.[name]) !== JSON.stringify(lost?.[name]));
  return table({ caption: t("review.both"), rows: names.map((name) => ({ name: named(name), kept: kept ? value(name, kept[name]) : "–", lost: value(name, lost?.[name]) })), columns: [{ name: "name", label: t("f.what") }, { name: "kept", label: t("review.kept") }, { name: "lost", label: t("review.lost") }] });
}

/** Makes the box forget a guest. */
function privacy() {
  return h("section", { class: "card" }, h("h2", {}, t("tab.privacy")), h("p", {}, t("privacy.text")), h("div", { class: "acts start" }, h("button", { type: "button", onclick: async () => {
    const done = await edit(t("privacy.erase"), { act: t("privacy.erase"), fields: [{ name: "phone", need: true }, { name: "password", kind: "secret", need: true, hint: "privacy.password.hint" }], save: async (typed) => (await confirm(t("privacy.erase"), t("privacy.sure", { phone: typed.phone }), t("privacy.erase"), { bad: true })) && send("POST", "/privacy/erase", typed) });
    if (done?.orders !== undefined) toast(t("privacy.done", { orders: done.orders, feedback: done.feedback, documents: done.documentsKept }));
  } }, t("privacy.erase"))));
}
