// What something on the menu is called in the menu's other languages: a calm part of its form, with a row for each. Never makes a name up: what is
// left empty is as the house itself calls it.

import { h } from "../kit/view.js";
import { directionOf, languageName, locale, t } from "../kit/words.js";
import { at as address } from "./route.js";
import { outlet } from "./store.js";

/** @typedef {import("./fields.js").Field} Field */

/** The longest of each part. @type {Record<string, number>} */
const LONGEST = { name: 120, description: 1_000 };
let count = 0;

/** Names, and descriptions where there are some, in the other languages. @param {string[]} [parts] @returns {Field} */
export function textsField(parts = ["name", "description"]) { return { name: "texts", kind: "texts", values: parts }; }

/**
 * The part of a form, and what was typed there; a menu of one language has none. In a row of several it is names alone.
 * @param {Field} field @param {Record<string, any>} said @param {import("../kit/view.js").Signal<Map<string, string>>} wrong @param {string} path @param {boolean} isRow
 */
export function textsOf({ values: parts = ["name"], name: field, label: legend }, said, wrong, path, isRow) {
  const languages = /** @type {string[]} */ (outlet.peek()?.languages ?? []), tags = languages.slice(1);
  /** @type {Record<string, Record<string, string>>} */
  const typed = Object.fromEntries(tags.map((tag) => [tag, Object.fromEntries(parts.map((part) => [part, said[tag]?.[part] ?? ""]))]));
  /** @param {string} tag @param {string} part @param {string} label */
  function input(tag, part, label) {
    const id = `t${(count += 1)}`, at = `${path}.${tag}.${part}`, reason = () => wrong().get(at) ?? "";
    const about = { id, name: `${path}.${tag}.${part}`, lang: tag, dir: directionOf(tag), maxlength: LONGEST[part], autocomplete: "off", value: typed[tag][part], "aria-describedby": `${id}-w`, "aria-invalid": () => (reason() ? "true" : null),
      oninput: (/** @type {any} */ event) => { typed[tag][part] = event.target.value; if (wrong.peek().has(at)) wrong.update((all) => new Map([...all].filter(([name]) => name !== at))); } };
    return h("div", { class: "field" }, h("label", { for: id }, label, part === parts[0] && isRow ? null : h("span", { class: "spoken" }, ` (${languageName(tag)})`)), part === "description" ? h("textarea", { ...about, rows: 2 }) : h("input", about), h("span", { class: "wrong", id: `${id}-w` }, reason));
  }
  const node = tags.length === 0 ? (languages.length === 0 && !isRow && field === "texts" ? none() : document.createComment(""))
    : isRow ? h("div", { class: "wide tongues", role: "group", "aria-label": t("texts") }, ...tags.map((tag) => input(tag, parts[0], t("texts.nameIn", { language: languageName(tag) }))))
      : h("fieldset", { class: "wide texts" }, h("legend", {}, legend ?? t("texts")), h("small", {}, t("texts.hint", { language: new Intl.DisplayNames([locale()], { type: "language" }).of(languages[0]) ?? languages[0] })),
        ...tags.map((tag) => h("div", { class: "tongue" }, h("b", {}, languageName(tag)), ...parts.map((part) => input(tag, part, t(`f.${part}`))))));
  return { node, read: () => Object.fromEntries(tags.map((tag) => [tag, Object.fromEntries(parts.map((part) => [part, typed[tag][part].trim() || null]))])) };
}

/** Where the languages are said, while nobody has said any. */
function none() {
  const leave = (/** @type {any} */ event) => event.target.closest("dialog")?.close();
  // With its page: a link within a page that lies out of sight is taken for one that skips what is before it.
  return h("p", { class: "wide hint" }, t("texts.none"), " ", h("a", { href: `${window.location.pathname}${window.location.search}${address("settings", "outlet")}`, onclick: leave }, t("texts.where")));
}
