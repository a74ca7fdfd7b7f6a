// How the outlets work, by group: what is in force at each branch, what is on its way there, and changes for one outlet or for many, now or
// later. Never says that a branch goes by something before its own log does.

import { ApiError } from "../../kit/api.js";
import { toast } from "../../kit/dialog.js";
import { ask, may } from "../../kit/session.js";
import { h, signal } from "../../kit/view.js";
import { TONGUES, languageName, t } from "../../kit/words.js";
import { choices, outletOf } from "../chain.js";
import { changed, momentOf } from "../model.js";
import { Wrong, amount, at, awaited, form, head, loaded, mark, number, pairs, shown, word } from "../parts.js";
import { whenAndWhere } from "../publish.js";
import { labelled, rowsField } from "../rows.js";
import { GROUPS, gathered, spread } from "../settings.js";
import { forgetTongues } from "../texts.js";
import { columnWord } from "./conflicts.js";

/** @typedef {import("hub-api").components["schemas"]["HubOutletSettings"]} Settings */
/** @typedef {import("hub-api").components["schemas"]["HubSettingsGroup"]} Group */
/** @typedef {import("../settings.js").Setting} Setting */

/** What a setting is called. @param {Setting} setting */
export function settingWord({ column, of }) {
  const part = of ? t(`s.${of}`) : "";
  if (column === "till") return part;
  return part ? `${columnWord(column)}: ${part}` : columnWord(column);
}

/** A setting as it is read. @param {Setting} setting @param {any} value @param {string} currency */
function drawn({ kind }, value, currency) {
  if (value === null || value === undefined || value === "") return "–";
  switch (kind) {
    case "tick": return t(value ? "yes" : "no");
    case "percent": return shown(value, "bps");
    case "money": return amount(value, currency);
    case "whole": return number(value);
    case "choice": return word(value);
    case "ticks": return value.map(word).join(", ") || "–";
    case "languages": return h("bdi", {}, value.map(languageName).join(", ") || "–");
    case "long": return h("bdi", {}, String(value).split("\n").join(", "));
    default: return h("bdi", {}, String(value));
  }
}

/** The settings that a publication brings, in words. @param {string} group @param {any} settings @param {string} currency */
function brought(group, settings, currency) {
  const flat = spread(group, settings);
  return h("ul", { class: "plain" }, ...GROUPS[group].filter(({ name }) => name in flat).map((setting) => h("li", {}, `${settingWord(setting)}: `, h("b", {}, drawn(setting, flat[setting.name], currency)))));
}

/** The languages of the menu: the first is the one it is written in. @param {Setting} setting @param {string[]} tags */
function languagesField(setting, tags) {
  const field = rowsField(setting.name, settingWord(setting), t("settings.addLanguage"), tags, (given) => {
    const now = typeof given === "string" ? given : "";
    const select = /** @type {HTMLSelectElement} */ (h("select", {}, h("option", { value: "" }, "–"), ...[...TONGUES, ...(now && !TONGUES.includes(now) ? [now] : [])].map((tag) => h("option", { value: tag, selected: tag === now }, languageName(tag)))));
    return { nodes: [labelled(t("f.language"), select)], typed: () => select.value };
  }, t("settings.languagesHint"));
  return { ...field, typed: () => field.typed?.().filter(Boolean) };
}

/** The fields of a group. @param {string} group @param {Record<string, any>} flat @param {string} currency @returns {import("../parts.js").Field[]} */
function fields(group, flat, currency) {
  const decimals = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
  return GROUPS[group].map((setting) => (setting.kind === "languages" ? languagesField(setting, flat[setting.name] ?? []) : {
    name: setting.name, label: settingWord(setting) + (setting.kind === "percent" ? " (%)" : ""), value: flat[setting.name], min: setting.kind === "whole" ? 0 : undefined,
    // A rate in hundredths of a per cent is typed as an amount with two decimals is.
    kind: setting.kind === "percent" ? "money" : setting.kind, decimals: setting.kind === "percent" ? 2 : decimals, required: setting.need,
    options: setting.values?.map((value) => ({ value, label: word(value) })), hint: setting.kind === "long" && group === "TILL" ? t("settings.lines") : undefined,
  }));
}

/** Asks for settings of a group and publishes what is not as it was. @param {Settings} its @param {Group} group @param {boolean} many @param {() => Promise<void>} again */
async function publish(its, group, many, again) {
  const before = spread(group.group, group.wanted);
  const all = fields(group.group, before, its.currency);
  const where = whenAndWhere().filter(({ name }) => many || name !== "outletIds");
  const title = t(many ? "settings.changeMany" : "settings.changeOne", { group: t(`settings.${group.group}`), outlet: its.name });
  const done = await form(title, [...all, ...where], async ({ effectiveAt, outletIds, ...typed }) => {
    const settings = gathered(group.group, changed(before, typed), group.wanted);
    if (Object.keys(settings).length === 0) throw new Wrong(t("settings.same"));
    const body = { group: group.group, settings, effectiveAt: momentOf(effectiveAt ?? ""), ...(many ? { outletIds: outletIds?.length ? outletIds : null } : {}) };
    try {
      await ask("PATCH", many ? "/hub/settings" : `/hub/outlets/${its.outletId}/settings`, { body });
    } catch (error) {
      // The form's fields are called as settings are.
      if (error instanceof ApiError) for (const field of error.fields) field.name = field.name.replace(/^settings\./, "");
      throw error;
    }
    forgetTongues();
    toast(t(body.effectiveAt ? "publish.scheduled" : "publish.onItsWay"));
    return true;
  }, { act: t("publish.act"), wide: true, about: h("p", { class: "hint" }, t(many ? "settings.manyHint" : "settings.oneHint")) });
  if (done) await again();
}

/** @param {Settings} its @param {Group} group @param {() => Promise<void>} again */
function card(its, group, again) {
  const flat = spread(group.group, group.inForce);
  const name = t(`settings.${group.group}`);
  const writes = may("outlets:write");
  return h("section", { class: "card settings" },
    h("header", { class: "section" }, h("h2", {}, name), group.isArrived ? mark(t("settings.inForce"), "good") : mark(t("settings.underWay"), "warn")),
    pairs(GROUPS[group.group].map((setting) => [settingWord(setting), drawn(setting, flat[setting.name], its.currency)])),
    group.pending.length > 0 && h("div", { class: "pending" }, h("h3", {}, t("settings.pending")), ...group.pending.map((one) => h("div", {},
      h("p", { class: "hint" }, mark(word(one.state)), " · ", one.effectiveAt ? t("settings.from", { at: at(one.effectiveAt) }) : t("publish.atOnce"), " · ", h("bdi", {}, one.madeBy)),
      brought(group.group, one.settings, its.currency)))),
    writes && h("div", { class: "acts start" },
      h("button", { type: "button", onclick: () => void publish(its, group, false, again) }, t("change"), h("span", { class: "spoken" }, ` ${name}`)),
      choices().length > 1 && h("button", { type: "button", class: "quiet", onclick: () => void publish(its, group, true, again) }, t("settings.many"), h("span", { class: "spoken" }, ` ${name}`))));
}

/** @param {string[]} route */
export function view(route) {
  const outlet = signal(route[1] ?? "");
  const id = () => outletOf(outlet())?.id ?? choices()[0]?.value ?? "";
  const chosen = signal(id());
  return [
    head(t("view.settings"), t("settings.hint")),
    () => choices().length > 1 && h("div", { class: "choose" }, h("label", {}, t("f.outlet"), h("select", { onchange: (/** @type {Event} */ event) => { outlet.set(/** @type {HTMLSelectElement} */ (event.target).value); chosen.set(id()); } },
      ...choices().map(({ value, label }) => h("option", { value, selected: value === (chosen.peek() || id()) }, label))))),
    loaded(async () => {
      const wanted = chosen() || id();
      return wanted ? (await ask("GET", `/hub/outlets/${wanted}/settings`)).data : null;
    }, (/** @type {Settings | null} */ its, again) => {
      if (!its) return h("p", { class: "hint" }, t("overview.empty"));
      awaited(its.groups.some(({ isArrived, pending }) => !isArrived || pending.length > 0), again);
      return [
        its.conflicts > 0 && h("p", { class: "warn" }, h("a", { href: `#/conflicts/${its.outletId}` }, t("settings.conflicts", { n: its.conflicts }))),
        its.groups.length === 0 ? h("p", { class: "hint" }, t("settings.none")) : h("div", { class: "groups" }, ...its.groups.map((group) => card(its, group, again))),
      ];
    }).node,
  ];
}
