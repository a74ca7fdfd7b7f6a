// One way to do a form: fields declared in a list, what is wrong said beside each, what somebody else changed meanwhile said on top. Never
// closes before the server said yes.

import { ApiError } from "../kit/api.js";
import { h, onEnd, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { inWords } from "../kit/refused.js";
import { show } from "../kit/dialog.js";
import { recall, remember } from "../kit/keep.js";
import { user } from "../kit/session.js";
import { has, t } from "../kit/words.js";
import { differences, meant, NotMeant, pick, place, typed } from "./fields.js";
import { outlet } from "./store.js";
import { word } from "./parts.js";
import { textsOf } from "./texts.js";

/** @typedef {import("./fields.js").Field} Field */
/** @typedef {{ nodes: Node[], read: (wrong: Map<string, string>) => any }} Sub */

let count = 0;
const decimals = () => outlet.peek()?.currencyDecimals ?? 2;
/** @param {Field} field */
export const labelOf = (field) => field.label ?? t(`f.${field.name}`);
/** @param {Field} field @param {any} value */
const initial = (field, value) => (field.get ? field.get(value) ?? pick(value, field.name) : pick(value, field.name)) ?? (value && Object.keys(value).length > 0 && !field.fresh ? undefined : field.fresh?.());

/**
 * The fields of one record. `wrong` holds what is wrong by the field's path.
 * @param {Field[]} fields @param {any} value @param {import("../kit/view.js").Signal<Map<string, string>>} wrong @param {string} [path] @param {boolean} [isRow] one of several
 * @returns {Sub}
 */
export function fieldset(fields, value, wrong, path = "", isRow = false) {
  /** @type {((found: Map<string, string>) => void)[]} */
  const readers = [];
  /** @type {any} */
  let result = {};
  const nodes = fields.map((field) => {
    const at = path + field.name;
    if (field.kind === "rows") {
      const rows = rowsOf(field, initial(field, value) ?? [], wrong, at);
      readers.push((found) => place(result, field.name, rows.read(found)));
      return rows.node;
    }
    if (field.kind === "texts") {
      const texts = textsOf(field, initial(field, value) ?? {}, wrong, at, isRow);
      readers.push(() => { const said = texts.read(); if (Object.keys(said).length > 0) place(result, field.name, said); });
      return texts.node;
    }
    let now = typed(field, initial(field, value), decimals());
    const { node } = control(field, now, (next) => { now = next; if (wrong.peek().has(at)) wrong.update((all) => { const rest = new Map(all); rest.delete(at); return rest; }); }, () => wrong().get(at) ?? "");
    readers.push((found) => {
      try { place(result, field.name, meant(field, now, decimals())); } catch (error) {
        if (!(error instanceof NotMeant)) throw error;
        found.set(at, t(`wrong.${error.message}`));
      }
    });
    return node;
  });
  return { nodes, read(found) { result = {}; for (const reader of readers) reader(found); return result; } };
}

/** Several records below one another. @param {Field} field @param {any[]} rows @param {import("../kit/view.js").Signal<Map<string, string>>} wrong @param {string} at */
function rowsOf(field, rows, wrong, at) {
  /** @type {{ sub: Sub, node: HTMLElement, kept: any }[]} */
  let shown = [];
  const place = h("div", { class: "rows" });
  /** @param {any} row */
  function add(row) {
    const own = signal(new Map());
    const sub = fieldset(field.of ?? [], row, own, "", true);
    const node = h("div", { class: "row", role: "group", "aria-label": `${labelOf(field)} ${shown.length + 1}` }, h("div", { class: "fields" }, ...sub.nodes),
      h("button", { type: "button", class: "quiet", "aria-label": `${t("row.remove")} ${shown.length + 1}`, onclick: () => { shown = shown.filter((one) => one.node !== node); node.remove(); more.focus(); } }, "✕"));
    shown.push({ sub, node, kept: row });
    Object.assign(node, { wrong: own });
    place.append(node);
    return node;
  }
  const more = h("button", { type: "button", onclick: () => /** @type {HTMLElement | null} */ (add({}).querySelector("input, select"))?.focus() }, t(field.more ?? "row.add"));
  for (const row of rows) add(row);
  // The server names a row's field as items[0].quantity: it is told to that row.
  const node = h("fieldset", { class: "wide" }, h("legend", {}, labelOf(field)), field.hint ? h("small", {}, t(field.hint)) : null, h("p", { class: "wrong" }, () => {
    const all = wrong();
    shown.forEach(({ node: row }, index) => {
      const start = `${at}[${index}]`;
      const own = new Map([...all].filter(([name]) => name.startsWith(`${start}.`)).map(([name, reason]) => [name.slice(start.length + 1), reason]));
      /** @type {any} */ (row).wrong.set(own);
    });
    // What is wrong with a row as a whole, or with a part of it that has no field, is told to all of them.
    const own = (/** @type {string} */ rest) => rest === "" || (/^\[\d+\]/.test(rest) && !(field.of ?? []).some((one) => new RegExp(`^\\[\\d+\\]\\.${one.name.replaceAll(".", "\\.")}(?![A-Za-z])`).test(rest)));
    return [...new Set([...all].filter(([name]) => name.startsWith(at) && own(name.slice(at.length))).map(([, reason]) => reason))].join(" ");
  }), place, more);
  /** @param {Map<string, string>} found */
  function read(found) {
    return shown.map(({ sub, kept }, index) => {
      const mine = new Map();
      const row = sub.read(mine);
      for (const [name, reason] of mine) found.set(`${at}[${index}].${name}`, reason);
      return kept.id && !field.once ? { id: kept.id, ...row } : row;
    });
  }
  return { node, read };
}

/** One field with its label, its hint and what is wrong with it. @param {Field} field @param {any} value @param {(value: any) => void} set @param {() => string} wrong */
function control(field, value, set, wrong) {
  const id = `f${(count += 1)}`;
  const about = { id, name: field.name, "aria-describedby": `${id}-w${field.hint ? ` ${id}-h` : ""}`, "aria-invalid": () => (wrong() ? "true" : null), "aria-required": field.need ? "true" : null };
  const notes = [field.hint ? h("small", { id: `${id}-h` }, t(field.hint)) : null, h("span", { class: "wrong", id: `${id}-w` }, wrong)];
  const label = [labelOf(field), field.need ? h("span", { class: "need", "aria-hidden": "true" }, " *") : null];
  const look = field.wide || field.kind === "area" || field.kind === "many" ? "field wide" : "field";
  if (field.kind === "tick") {
    return { node: h("div", { class: look }, h("label", { class: "tick" }, h("input", { ...about, type: "checkbox", checked: value, onchange: (/** @type {any} */ event) => set(event.target.checked) }), labelOf(field)), ...notes) };
  }
  if (field.kind === "many") return { node: ticks(field, value, set, notes) };
  if (field.kind === "choice") {
    const select = /** @type {HTMLSelectElement} */ (h("select", { ...about, onchange: () => set(select.value) }));
    const fill = (/** @type {{ value: any, label: string, group?: string }[]} */ choices) => {
      const groups = [...new Set(choices.map(({ group }) => group ?? ""))];
      const drawn = (/** @type {{ value: any, label: string }} */ one) => h("option", { value: one.value }, one.label);
      select.replaceChildren(...(field.need && value ? [] : [drawn({ value: "", label: t("none") })]), ...groups.flatMap((group) => {
        const own = choices.filter((one) => (one.group ?? "") === group).map(drawn);
        return group ? [h("optgroup", { label: group }, ...own)] : own;
      }));
      if (value && !choices.some((one) => String(one.value) === value)) select.append(h("option", { value }, value));
      select.value = value;
    };
    if (field.values) fill(field.values.map((one) => ({ value: one, label: word(field.words ?? field.name, one) })));
    else void field.choices?.().then(fill, () => fill([]));
    return { node: h("div", { class: look }, h("label", { for: id }, ...label), select, ...notes) };
  }
  if (field.kind === "area") {
    return { node: h("div", { class: look }, h("label", { for: id }, ...label), h("textarea", { ...about, rows: 3, value, oninput: (/** @type {any} */ event) => set(event.target.value) }), ...notes) };
  }
  const types = /** @type {Record<string, string>} */ ({ date: "date", time: "time", secret: "password", moment: "datetime-local" });
  const number = ["money", "cost", "decimal", "percent", "number"].includes(field.kind ?? "");
  return { node: h("div", { class: look }, h("label", { for: id }, ...label, field.kind === "percent" ? " (%)" : field.kind === "money" || field.kind === "cost" ? ` (${outlet.peek()?.currency ?? ""})` : null),
    h("input", { ...about, type: types[field.kind ?? ""] ?? "text", inputmode: number ? "decimal" : null, autocomplete: "off", class: number ? "number" : null, value, oninput: (/** @type {any} */ event) => set(event.target.value) }), ...notes) };
}

/** Some of several. @param {Field} field @param {string[]} value @param {(value: any) => void} set @param {any[]} notes */
function ticks(field, value, set, notes) {
  let now = [...value];
  const box = h("div", { class: "ticks" });
  const fill = (/** @type {{ value: string, label: string }[]} */ choices) => box.replaceChildren(...choices.map((one) => h("label", { class: "tick" },
    h("input", { type: "checkbox", checked: now.includes(one.value), onchange: (/** @type {any} */ event) => { now = now.filter((other) => other !== one.value); if (event.target.checked) now = [...now, one.value]; set(now); } }), one.label)));
  if (field.values) fill(field.values.map((one) => ({ value: one, label: word(field.words ?? field.name, one) })));
  else void field.choices?.().then(fill, () => fill([]));
  return h("fieldset", { class: "field wide" }, h("legend", {}, labelOf(field)), box, ...notes);
}

/**
 * A form in a dialog. `save` gets what was typed, of a record that exists only what changed, and its version; `read` reads the record again where
 * somebody else was faster. With `keep`, what is typed outlives leaving and reloading, for whoever typed it. Answers what `save` answered, or null; where `save` answers false it was thought better of, and the form stays.
 * @param {string} title
 * @param {{ fields: Field[], value?: any, save: (typed: any, version?: number) => Promise<any>, read?: () => Promise<any>, act?: string, keep?: boolean, note?: import("../kit/view.js").Child, more?: (close: (answer: any) => void) => import("../kit/view.js").Child }} how
 * @returns {Promise<any>}
 */
export function edit(title, { fields, value, save, read, act, keep, note, more }) {
  const draft = keep ? `manage.draft.${user.peek()?.id}.${title}` : "";
  return show(title, (close) => {
    const kept = signal(draft ? recall(draft, null) : null);
    let before = value ?? kept.peek() ?? {};
    const wrong = signal(/** @type {Map<string, string>} */ (new Map())), top = signal(""), busy = signal(false);
    let sub = fieldset(fields, before, wrong);
    const place = h("div", { class: "fields" }, ...sub.nodes);
    onEnd(() => { busy.set(true); });
    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      if (busy.peek()) return;
      const found = new Map(), all = sub.read(found);
      wrong.set(found);
      top.set("");
      if (found.size > 0) { focusWrong(place); return; }
      const old = value ? fieldset(fields, before, signal(new Map())).read(new Map()) : {};
      const changes = value ? Object.fromEntries(Object.entries(all).filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(old[name]))) : all;
      if (value && Object.keys(changes).length === 0) { close(value); return; }
      busy.set(true);
      try {
        const done = (await save(changes, before.version)) ?? true;
        if (done === false) return;
        if (draft) remember(draft, undefined);
        close(done);
      } catch (error) {
        if (error instanceof ApiError && error.status === 412 && read) await meanwhile(changes).catch(told);
        else told(error);
      } finally {
        busy.set(false);
      }
    }
    /** Somebody else was faster: says what they changed, takes it over where nothing was typed here. @param {any} changes */
    async function meanwhile(changes) {
      const now = await read?.();
      // What was meant is already so: it was this form's own change, whose answer was lost.
      const meant = fieldset(fields, now, signal(new Map())).read(new Map());
      if (Object.entries(changes).every(([name, one]) => JSON.stringify(one) === JSON.stringify(meant[name]))) { close(now); return; }
      const theirs = differences(fields, before, now).map((field) => `${labelOf(field)}: ${typed(field, initial(field, now), decimals())}`);
      before = now;
      sub = fieldset(fields, { ...now, ...changes }, wrong);
      place.replaceChildren(...sub.nodes);
      top.set(`${t("meanwhile")} ${theirs.join("; ")}`);
    }
    /** @param {unknown} error */
    function told(error) {
      if (!(error instanceof ApiError) || error.fields.length === 0) { top.set(said(error)); return; }
      // What the server calls otherwise than the form does is told where it was typed.
      const named = error.fields.map((one) => ({ ...one, name: fields.map(({ also }) => also?.[one.name]).find(Boolean) ?? one.name }));
      // The server may name a part of a field, such as items[0].quantity or till.cashPresetsCents[1].
      const of = (/** @type {string} */ name) => fields.find((field) => name === field.name || name.startsWith(`${field.name}[`) || name.startsWith(`${field.name}.`));
      const known = named.filter(({ name }) => of(name));
      wrong.set(new Map(known.map(({ name, reason }) => [["rows", "texts"].includes(of(name)?.kind ?? "") ? name : of(name)?.name ?? name, inWords(reason)])));
      top.set(named.filter((one) => !known.includes(one)).map(({ name, reason }) => `${has(`f.${name}`) ? t(`f.${name}`) : name}: ${inWords(reason)}`).join("; "));
      focusWrong(place);
    }
    // A secret is not kept anywhere.
    const type = () => { if (draft) remember(draft, Object.fromEntries(Object.entries(sub.read(new Map())).filter(([name]) => fields.every((field) => field.name !== name || field.kind !== "secret")))); };
    function drop() {
      remember(draft, undefined);
      kept.set(null);
      sub = fieldset(fields, {}, wrong);
      place.replaceChildren(...sub.nodes);
    }
    return h("form", { novalidate: true, onsubmit: submit, oninput: type, onchange: type },
      () => (kept() ? h("p", { class: "warn", role: "status" }, t("draft.kept"), " ", h("button", { type: "button", onclick: drop }, t("draft.drop"))) : null),
      note ?? null,
      h("p", { class: "wrong", role: "alert" }, () => top()),
      place,
      h("div", { class: "acts" }, more?.(close) ?? null, h("button", { class: "main", disabled: busy }, act ?? t("save"))));
  }, { wide: fields.length > 4 });
}

/** @param {HTMLElement} place */
function focusWrong(place) {
  /** @type {HTMLElement | null} */ (place.querySelector('[aria-invalid="true"]'))?.focus();
}
