// What the chain's menu is called in its outlets' other languages: which those are, and what a form asks for. Never makes a name up: what is left
// empty is as the menu itself is written.

import { all, ask } from "../kit/session.js";
import { h } from "../kit/view.js";
import { directionOf, languageName, locale, t } from "../kit/words.js";
import { isKnown, outlets } from "./chain.js";
import { labelled } from "./rows.js";

/** @typedef {{ own: string | null, others: string[] }} Tongues `own`: what the menu is written in; null: nobody has said any. */
/** @typedef {Record<string, { name?: string | null, description?: string | null }>} Said */

/** @type {Promise<Tongues> | null} */
let known = null;

/** What each outlet says. The list of outlets may be on its way still. @returns {Promise<string[][]>} */
async function read() {
  const list = isKnown.peek() ? outlets.peek() : await all("/hub/outlets");
  return Promise.all(list.map(async ({ id }) => (await ask("GET", `/hub/outlets/${id}/settings`)).data.groups.find((/** @type {any} */ one) => one.group === "HOUSE")?.wanted.languages ?? []));
}

/** The languages that the outlets say, once until they are said anew. @returns {Promise<Tongues>} */
export function tongues() {
  known ??= read().then((said) => {
    const own = said.find((list) => list.length > 0)?.[0] ?? null;
    return { own, others: [...new Set(said.flat())].filter((tag) => tag !== own) };
  }, () => { known = null; return { own: null, others: [] }; });
  return known;
}

/** They were said anew. */
export function forgetTongues() { known = null; }

/** What was said, as a form sends it; nothing where the menu has one language. @param {Tongues | undefined} tongues @param {Said | undefined} said @param {("name" | "description")[]} [parts] */
export function textsIn(tongues, said, parts = ["name"]) {
  if (!tongues || tongues.others.length === 0) return undefined;
  return Object.fromEntries(tongues.others.map((tag) => [tag, Object.fromEntries(parts.map((part) => [part, said?.[tag]?.[part] ?? null]))]));
}

/** @param {string} tag @param {"name" | "description"} part @param {Said | undefined} said */
function input(tag, part, said) {
  const about = { lang: tag, dir: directionOf(tag), autocomplete: "off", value: said?.[tag]?.[part] ?? "", "data-text": `${tag}.${part}` };
  return /** @type {HTMLInputElement} */ (part === "description" ? h("textarea", { ...about, rows: 2, maxlength: 1_000 }) : h("input", { ...about, maxlength: 120 }));
}

/** @param {Record<string, Partial<Record<"name" | "description", HTMLInputElement>>>} inputs */
const typedIn = (inputs) => Object.fromEntries(Object.entries(inputs).map(([tag, parts]) => [tag, Object.fromEntries(Object.entries(parts).map(([part, one]) => [part, one?.value.trim() || null]))]));

/** Names in a row of several. @param {Tongues | undefined} tongues @param {Said | undefined} said */
export function textsRow(tongues, said) {
  const inputs = Object.fromEntries((tongues?.others ?? []).map((tag) => [tag, { name: input(tag, "name", said) }]));
  return { nodes: Object.entries(inputs).map(([tag, { name }]) => labelled(t("texts.nameIn", { language: languageName(tag) }), name)), typed: () => (Object.keys(inputs).length > 0 ? { texts: typedIn(inputs) } : {}) };
}

/** The part of a form. @param {Tongues | undefined} tongues @param {Said | undefined} said @param {("name" | "description")[]} [parts] @returns {import("./parts.js").Field} */
export function textsField(tongues, said, parts = ["name"]) {
  const { own = null, others = [] } = tongues ?? {};
  const inputs = Object.fromEntries(others.map((tag) => [tag, Object.fromEntries(parts.map((part) => [part, input(tag, part, said)]))]));
  const leave = (/** @type {any} */ event) => event.target.closest("dialog")?.close();
  return {
    name: "texts", kind: "own", full: true, typed: () => (others.length > 0 ? typedIn(inputs) : undefined),
    node: (reason) => (others.length > 0
      ? h("fieldset", { class: "full texts" }, h("legend", {}, t("texts")), h("small", {}, t("texts.hint", { language: new Intl.DisplayNames([locale()], { type: "language" }).of(own ?? others[0]) ?? "" })), reason,
        ...others.map((tag) => h("div", { class: "tongue", role: "group", "aria-label": languageName(tag) }, h("b", {}, languageName(tag)), ...parts.map((part) => labelled(t(`f.${part}`), inputs[tag][part])))))
      : own === null ? h("p", { class: "full hint" }, t("texts.none"), " ", h("a", { href: "#/settings", onclick: leave }, t("texts.where"))) : document.createComment("")),
  };
}
