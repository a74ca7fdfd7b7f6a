// What all views of head office are put together from: questions that are waited for, tables, forms, figures. Never decides what is shown.

import { ApiError } from "../kit/api.js";
import { show, toast } from "../kit/dialog.js";
import { cents, decimal, money, percent, quantity } from "../kit/money.js";
import { said } from "../kit/pin.js";
import { redraw, released } from "../kit/redraw.js";
import { inWords } from "../kit/refused.js";
import { clock, day, moment } from "../kit/time.js";
import { effect, h, mount, onEnd, signal } from "../kit/view.js";
import { has, locale, t } from "../kit/words.js";

/** @typedef {import("../kit/view.js").Child} Child */
/** @typedef {{ label: string, cell: (row: any) => Child, number?: boolean, head?: boolean }} Column */
/**
 * A field of a form. One of the kind `own` draws itself and says what was typed; `also`: other names the server has for it.
 * @typedef {{ name: string, kind?: string, label?: string, hint?: string, required?: boolean, options?: { value: string, label: string }[], value?: any, full?: boolean, autocomplete?: string, min?: number, most?: number, decimals?: number,
 *   node?: (reason: () => Child) => Node, typed?: () => any, also?: string[] }} Field
 */

/** The time zone of whoever sits here. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What was typed is wrong, in words for whoever typed it. */
export class Wrong extends Error {}

/** How a currency is written. @param {string | null | undefined} currency @returns {import("../kit/money.js").Purse} */
export function purse(currency) {
  const known = currency || "INR";
  const decimals = new Intl.NumberFormat("en", { style: "currency", currency: known }).resolvedOptions().maximumFractionDigits ?? 2;
  return { currency: known, decimals, locale: locale() };
}

/** An amount in a currency. @param {number | null | undefined} amount @param {string | null | undefined} currency @param {boolean} [short] */
export function amount(amount, currency, short) { return amount === null || amount === undefined ? "–" : money(Math.round(amount), purse(currency), short); }

/** @param {number | string | null | undefined} value */
export function number(value) { return value === null || value === undefined ? "–" : quantity(value, locale()); }

/** Hundredths as they come from the server. @param {number | null | undefined} value */
export function hundredths(value) { return value === null || value === undefined ? "–" : percent(Math.round(value * 100), locale()); }

/** A moment in words; a dash where there is none. @param {string | null | undefined} at @param {string} [zone] */
export function at(at, zone = ZONE) { return at ? moment(at, zone) : "–"; }

/** The word of a value that the server names in capitals; some are the kit's. @param {string | null | undefined} value */
export function word(value) {
  const kind = ["v", "orderType", "soldBy"].find((one) => has(`${one}.${value}`));
  return value === null || value === undefined ? "–" : kind ? t(`${kind}.${value}`) : value;
}

/** The name of a field. @param {string} name */
export function label(name) { return has(`f.${name}`) ? t(`f.${name}`) : name; }

/** What a value of a kind looks like. @param {any} value @param {string} kind @param {string} [currency] @param {string} [zone] @returns {Child} */
export function shown(value, kind, currency, zone = ZONE) {
  if (value === null || value === undefined || value === "") return "–";
  switch (kind) {
    case "money": return amount(value, currency);
    case "moment": return moment(value, zone);
    case "clock": return clock(value, zone);
    case "date": return day(value, zone);
    case "number": return number(value);
    case "percent": return hundredths(value);
    case "state": return word(value);
    case "yes": return t(value ? "yes" : "no");
    case "bps": return percent(value, locale());
    default: return h("bdi", {}, String(value));
  }
}

/** @param {string} kind */
export function isNumber(kind) { return ["money", "number", "percent", "bps"].includes(kind); }

/**
 * What `load` answers, drawn by `draw`; asked again whenever a signal that `load` reads at its beginning changes, and by `again`. What was
 * there stays until the next is.
 * @template T @param {() => Promise<T>} load @param {(value: T, again: () => Promise<void>) => Child} draw
 * @returns {{ node: Node, again: () => Promise<void> }}
 */
export function loaded(load, draw) {
  const value = signal(/** @type {{ is: T } | null} */ (null)), wrong = signal("");
  let turn = 0;
  async function again() {
    const mine = (turn += 1);
    try {
      const is = await load();
      await released();
      if (mine !== turn) return;
      wrong.set("");
      const held = node.contains(document.activeElement);
      redraw(() => value.set({ is }));
      if (held && !node.contains(document.activeElement)) node.focus({ preventScroll: true });
    } catch (error) {
      if (mine === turn) wrong.set(said(error));
    }
  }
  const node = h("div", { class: "loaded", tabindex: "-1", "aria-busy": () => String(!value() && !wrong()) },
    () => wrong() && h("div", { class: "refused", role: "alert" }, h("p", { class: "bad" }, wrong()), h("button", { type: "button", onclick: () => void again() }, t("retry"))),
    () => { const is = value(); return is ? draw(is.is, again) : !wrong() && h("p", { class: "hint", role: "status" }, t("loading")); });
  effect(() => { void again(); });
  return { node, again };
}

/**
 * Where something is awaited, `again` is asked for every so many milliseconds: not under a dialog, nor while somebody types.
 * @param {boolean} isAwaited @param {() => Promise<void>} again @param {number} [every]
 */
export function awaited(isAwaited, again, every = 2_000) {
  if (!isAwaited) return;
  const timer = setInterval(() => { if (!document.querySelector("dialog[open], .loaded :is(input:not([type=checkbox]), select, textarea):focus")) void again(); }, every);
  onEnd(() => clearInterval(timer));
}

/** What `draw` draws, and never again: news that it reads leave alone what was typed and chosen in it. @param {() => Child} draw @returns {Node} */
export function once(draw) {
  const part = document.createDocumentFragment();
  mount(part, draw);
  return part;
}

/** A table that becomes cards on a narrow screen. @param {string} caption @param {Column[]} columns @param {any[]} rows @param {string} [none] */
export function table(caption, columns, rows, none) {
  if (rows.length === 0) return h("p", { class: "hint" }, none ?? t("nothing"));
  return h("div", { class: "sheet", role: "region", tabindex: "0", "aria-label": caption }, h("table", { class: "cards" },
    h("caption", { class: "spoken" }, caption),
    h("thead", {}, h("tr", {}, ...columns.map(({ label, number }) => h("th", { scope: "col", class: number ? "number" : null }, label || h("span", { class: "spoken" }, t("f.act")))))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...columns.map(({ label, cell, number, head }) =>
      h(head ? "th" : "td", { class: number ? "number" : null, scope: head ? "row" : null, "data-label": label }, cell(row))))))));
}

/** Names with their values. @param {[string, Child][]} pairs */
export function pairs(pairs) {
  return h("dl", { class: "pairs" }, ...pairs.filter(([, value]) => value !== undefined).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A figure in large letters with its name, and what it is compared with. @param {string} name @param {Child} value @param {Child} [beside] */
export function figure(name, value, beside) {
  return h("div", { class: "figure" }, h("span", { class: "hint" }, name), h("strong", {}, value), beside ? h("span", { class: "beside" }, beside) : null);
}

/** A change in per cent by sign, colour and word. @param {number | null | undefined} change */
export function trend(change) {
  if (change === null || change === undefined) return h("span", { class: "hint" }, t("noComparison"));
  const way = change > 0 ? "up" : change < 0 ? "down" : "same";
  return h("span", { class: `trend ${way}` }, h("span", { "aria-hidden": "true" }, change > 0 ? "▲ " : change < 0 ? "▼ " : "= "), t(`trend.${way}`, { percent: hundredths(Math.abs(change)) }));
}

/** A mark that says how something stands. @param {string} text @param {"good" | "warn" | "bad" | "plain"} [kind] */
export function mark(text, kind = "plain") {
  const sign = { good: "●", warn: "▲", bad: "✕", plain: "○" }[kind];
  return h("span", { class: `mark ${kind}` }, h("span", { "aria-hidden": "true" }, sign), h("span", {}, text));
}

/** The head of a view: its name, what it is for, what one can do. @param {string} title @param {string} [hint] @param {...Child} acts */
export function head(title, hint, ...acts) {
  return h("header", { class: "viewhead" }, h("div", {}, h("h1", { tabindex: "-1" }, title), hint ? h("p", { class: "hint" }, hint) : null), h("div", { class: "acts" }, ...acts));
}

/** The text of a button in a row, with the name of what it is about for who only hears it. @param {Child} text @param {string} name */
export function of(text, name) { return [text, h("span", { class: "spoken" }, ` ${name}`)]; }

/** A button whose work is waited for; what is refused is said. @param {string} text @param {() => Promise<any>} work @param {string} [look] @param {string} [name] what it is about, where it stands in a row */
export function act(text, work, look, name) {
  const busy = signal(false);
  return h("button", {
    type: "button", class: look ?? null, disabled: busy,
    onclick: async () => {
      if (busy.peek()) return;
      busy.set(true);
      try { await work(); } catch (error) { toast(said(error), "bad"); } finally { busy.set(false); }
    },
  }, name ? of(text, name) : text);
}

/** What a field has, as the API takes it; undefined where it is left out. @param {Field} field @param {HTMLFormElement} form */
function read(field, form) {
  const input = /** @type {any} */ (form.elements.namedItem(field.name));
  switch (field.kind) {
    case "own": return field.typed?.();
    case "tick": return input.checked;
    case "ticks": return field.options?.filter((_, at) => /** @type {any} */ (form.elements.namedItem(`${field.name}.${at}`)).checked).map(({ value }) => value);
    case "money": return input.value.trim() ? cents(input.value, field.decimals ?? 2) ?? input.value : null;
    case "whole": case "decimal": return input.value.trim() ? Number(input.value) : null;
    default: return input.value.trim() || null;
  }
}

/** @param {Field} field @param {() => Record<string, string>} wrong @param {string} id */
function control(field, wrong, id) {
  const { name, kind = "text", value, required, options = [] } = field;
  const text = field.label ?? label(name);
  const isWrong = () => (wrong()[name] ? "true" : null);
  const reason = () => wrong()[name] && h("span", { class: "wrong", id: `${id}-${name}` }, wrong()[name]);
  const common = { name, required: !!required, "aria-invalid": isWrong, "aria-describedby": () => (wrong()[name] ? `${id}-${name}` : null), autocomplete: field.autocomplete ?? "off" };
  const hint = field.hint ? h("small", {}, field.hint) : null;
  if (field.node) return field.node(reason);
  if (kind === "tick") return h("label", { class: "tick" }, h("input", { ...common, type: "checkbox", checked: !!value }), h("span", {}, text, hint));
  if (kind === "ticks") {
    return h("fieldset", { class: "full" }, h("legend", {}, text), hint, h("div", { class: "ticks" }, ...options.map((option, at) =>
      h("label", { class: "tick" }, h("input", { type: "checkbox", name: `${name}.${at}`, checked: (value ?? []).includes(option.value) }), h("bdi", {}, option.label)))), reason);
  }
  const given = value === null || value === undefined ? "" : kind === "money" ? decimal(value, field.decimals ?? 2) : String(value);
  const input = kind === "choice"
    ? h("select", common, ...(required ? [] : [h("option", { value: "" }, "–")]), ...options.map((option) => h("option", { value: option.value, selected: option.value === given }, option.label)))
    : kind === "long" ? h("textarea", { ...common, rows: "4", value: given })
      : h("input", { ...common, value: given, min: field.min ?? null, maxlength: field.most ?? null,
        type: { whole: "number", decimal: "number", date: "date", moment: "datetime-local", email: "email", password: "password", time: "time" }[kind] ?? "text",
        inputmode: kind === "money" ? "decimal" : null, step: kind === "decimal" ? "any" : null });
  return h("label", { class: field.full || kind === "long" ? "full" : null }, text, hint, input, reason);
}

/**
 * A dialog with a form. `save` is given what was typed; what it throws is said at the fields it names, and the form stays. Answers what it
 * answered; null when the form was left.
 * @param {string} title @param {Field[]} fields @param {(values: Record<string, any>) => Promise<any>} save
 * @param {{ act?: string, about?: Child, wide?: boolean, bad?: boolean }} [look]
 */
export function form(title, fields, save, look = {}) {
  const wrong = signal(/** @type {Record<string, string>} */ ({})), refusal = signal(""), busy = signal(false);
  const id = `form-${Math.random().toString(36).slice(2)}`;
  return show(title, (close) => h("form", {
    class: "form", novalidate: true,
    onsubmit: async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (busy.peek()) return;
      const place = /** @type {HTMLFormElement} */ (event.target);
      const values = Object.fromEntries(fields.map((field) => [field.name, read(field, place)]));
      const missing = fields.filter(({ name, required, kind }) => required && kind !== "tick" && (values[name] === null || values[name] === undefined));
      wrong.set(Object.fromEntries(missing.map(({ name }) => [name, t("needed")])));
      refusal.set("");
      if (missing.length > 0) { /** @type {any} */ (place.elements.namedItem(missing[0].name))?.focus(); return; }
      busy.set(true);
      try {
        close(await save(values) ?? true);
      } catch (error) {
        // The server names a part of a field, too: entries[3].priceCents.
        const of = (/** @type {string} */ name) => fields.find((field) => name === field.name || name.startsWith(`${field.name}[`) || name.startsWith(`${field.name}.`) || field.also?.includes(name));
        const named = error instanceof ApiError ? error.fields.filter(({ name }) => of(name)) : [];
        wrong.set(Object.fromEntries(named.map(({ name, reason }) => { const part = /\[(\d+)\]/.exec(name)?.[1]; return [of(name)?.name ?? name, `${part ? `${Number(part) + 1}: ` : ""}${inWords(reason)}`]; })));
        refusal.set(named.length > 0 && error instanceof ApiError && named.length === error.fields.length ? t("lookThrough") : error instanceof Wrong ? error.message : said(error));
      } finally {
        busy.set(false);
      }
    },
  }, look.about, h("div", { class: "fields" }, ...fields.map((field) => control(field, wrong, id))),
  h("p", { class: "wrong", role: "alert" }, () => refusal()),
  h("div", { class: "acts" }, h("button", { class: look.bad ? "bad" : "main", disabled: busy }, look.act ?? t("save")))), { wide: look.wide });
}

/** Puts a text on the clipboard where the browser lets one. @param {string} text */
export async function copy(text) {
  try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(t("copyByHand"), "bad"); }
}

/** Has the browser keep a file. @param {string} name @param {Blob} content */
export function download(name, content) {
  const url = URL.createObjectURL(content);
  const link = /** @type {HTMLAnchorElement} */ (h("a", { href: url, download: name, hidden: true }));
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
