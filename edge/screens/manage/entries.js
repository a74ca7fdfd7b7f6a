// What a price list says: of dishes, of their sizes, of whole categories. Typed all in one place and saved at once; what is not saved yet is kept
// on this device. Never guesses whose price was meant: what comes of each line stands beside it.

import { ApiError } from "../kit/api.js";
import { ask, may, user } from "../kit/session.js";
import { computed, each, h, signal, untrack } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { inWords } from "../kit/refused.js";
import { show, toast } from "../kit/dialog.js";
import { recall, remember } from "../kit/keep.js";
import { perUnit, t } from "../kit/words.js";
import { act } from "./parts.js";
import { cash, outlet, send } from "./store.js";
import { entryOf, lineOf, made, portions } from "./pricing.js";

/** @typedef {import("./pricing.js").Line} Line */
/** @typedef {{ id: string, kind: Line["kind"], name: string, category: string, owns: number[], weightUnit?: string | null }} Target `weightUnit`: its prices are those of one of them. */

const decimals = () => outlet.peek()?.currencyDecimals ?? 2;

/** Amounts from the lowest to the highest. @param {number[]} amounts */
function range(amounts) {
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  return amounts.length === 0 ? "" : low === high ? cash(low) : `${cash(low)} – ${cash(high)}`;
}

/** All that a line may be about, in the menu's order. @param {any[]} dishes @param {any[]} categories @returns {Target[]} */
function targetsOf(dishes, categories) {
  return categories.flatMap((category) => {
    const own = dishes.filter((dish) => dish.categoryId === category.id);
    return [
      { id: category.id, kind: /** @type {const} */ ("categoryId"), name: t("entry.category", { name: category.name }), category: category.id, owns: own.flatMap(portions).map((one) => one.own) },
      ...own.flatMap((dish) => [
        { id: dish.id, kind: /** @type {const} */ ("menuItemId"), name: dish.name, category: category.id, owns: portions(dish).map((one) => one.own), weightUnit: dish.weightUnit },
        ...(dish.variants.length > 0 ? portions(dish).map((one) => ({ id: one.id, kind: /** @type {const} */ ("variantId"), name: one.name, category: category.id, owns: [one.own] })) : []),
      ]),
    ];
  });
}

/** How much: what it costs, or per cent less or more. @param {string} name @param {() => Line} line @param {(part: Partial<Line>) => void} set @param {() => boolean} wrong */
function rate(name, line, set, wrong) {
  return [
    h("select", { "aria-label": `${t("entry.how")}: ${name}`, onchange: (/** @type {any} */ event) => set({ how: event.target.value }) }, ...["costs", "less", "more"].map((how) => h("option", { value: how, selected: line().how === how }, t(`entry.${how}`)))),
    h("input", { class: "number", inputmode: "decimal", autocomplete: "off", "aria-label": `${t("entry.value")}: ${name}`, "aria-invalid": () => (wrong() ? "true" : null), value: line().text, oninput: (/** @type {any} */ event) => set({ text: event.target.value }) }),
  ];
}

/**
 * The lines of a list, and how to change them.
 * @param {import("api").components["schemas"]["PriceList"]} list @param {any[]} dishes @param {any[]} categories @param {() => void} again
 */
export function entries(list, dishes, categories, again) {
  const writes = may("menu:write"), targets = targetsOf(dishes, categories), order = new Map(targets.map((one, place) => [one.id, { one, place }]));
  const draft = `manage.draft.${user.peek()?.id}.list.${list.id}`;
  const before = (list.entries ?? []).map((entry) => lineOf(entry, decimals()));
  const kept = /** @type {Line[] | null} */ (recall(draft, null));
  const lines = signal(kept ?? before), wrong = signal(/** @type {Map<string, string>} */ (new Map())), top = signal(kept ? t("draft.kept") : "");
  let version = list.version;
  const plain = (/** @type {Line[]} */ all) => JSON.stringify(all.map((line) => entryOf(line, decimals()) ?? line));
  const changed = computed(() => plain(lines()) !== plain(before));
  /** @param {Line[]} next */
  function put(next) {
    lines.set(next);
    remember(draft, changed.peek() ? next : undefined);
  }
  const change = (/** @type {string} */ id, /** @type {Partial<Line>} */ part) => {
    if (wrong.peek().has(id)) wrong.update((all) => new Map([...all].filter(([one]) => one !== id)));
    put(lines.peek().map((line) => (line.id === id ? { ...line, ...part } : line)));
  };
  async function save() {
    const all = lines.peek(), bad = all.filter((line) => !entryOf(line, decimals()));
    wrong.set(new Map(bad.map((line) => [line.id, t(line.how === "costs" ? "wrong.money" : "entry.wrong")])));
    top.set("");
    if (bad.length > 0) { document.querySelector(".entry [aria-invalid]")?.scrollIntoView({ block: "center" }); return; }
    try {
      await send("PATCH", `/menu/price-lists/${list.id}`, { entries: all.map((line) => entryOf(line, decimals())) }, version);
      remember(draft, undefined);
      toast(t("saved"));
      again();
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        version = (await ask("GET", `/menu/price-lists/${list.id}`)).data.version;
        top.set(t("entry.meanwhile"));
      } else if (error instanceof ApiError && error.fields.length > 0) {
        const at = (/** @type {string} */ name) => all[Number(/^entries\[(\d+)\]/.exec(name)?.[1] ?? -1)]?.id ?? "";
        wrong.set(new Map(error.fields.map(({ name, reason }) => [at(name), inWords(reason)])));
        top.set(wrong.peek().get("") ?? "");
      } else top.set(said(error));
    }
  }
  const chapters = computed(() => categories.filter((category) => lines().some((line) => order.get(line.id)?.one.category === category.id)));
  const within = (/** @type {string} */ category) => lines().filter((line) => order.get(line.id)?.one.category === category).sort((one, other) => (order.get(one.id)?.place ?? 0) - (order.get(other.id)?.place ?? 0));
  return h("section", { class: "entries" },
    h("header", { class: "sub" }, h("h3", {}, t("entries.title")), writes ? h("div", { class: "acts" }, h("button", { type: "button", onclick: async () => {
      const added = await choose(targets, categories, new Set(lines.peek().map(({ id }) => id)));
      if (added) put([...lines.peek(), ...added]);
    } }, t("entry.add"))) : null),
    h("p", { class: "warn", role: "status", hidden: () => !top() }, () => top()),
    () => (lines().length === 0 ? h("p", { class: "hint empty" }, t("entries.none")) : null),
    each(chapters, (category) => category.id, (given) => {
      const category = untrack(given);
      return h("section", { class: "chapter" }, h("h4", {}, h("bdi", {}, category.name)),
        h("ul", { class: "plain" }, each(() => within(category.id), (line) => line.id, (line) => row(line, /** @type {Target} */ (order.get(untrack(line).id)?.one)))));
    }),
    writes ? h("div", { class: "savebar", hidden: () => !changed() }, h("span", { class: "grow" }, t("entry.unsaved")),
      h("button", { type: "button", class: "quiet", onclick: () => { wrong.set(new Map()); top.set(""); put(before); } }, t("entry.undo")), act(t("save"), save, { class: "main" })) : null);

  /** @param {() => Line} line @param {Target} target */
  function row(line, target) {
    const result = () => { const entry = entryOf(line(), decimals()); return entry ? perUnit(target, range(target.owns.map((own) => made(own, entry)))) : ""; };
    const isWrong = () => wrong().has(target.id);
    const own = h("small", {}, target.kind === "categoryId" ? t("entry.of", { n: target.owns.length }) : target.owns.length > 1 ? t("entry.sizes", { n: target.owns.length, amount: range(target.owns) }) : t("entry.own", { amount: perUnit(target, range(target.owns)) }));
    const shown = h("output", {}, () => (result() ? `→ ${result()}` : ""));
    return h("li", { class: "entry" }, h("span", { class: "grow" }, h("bdi", {}, target.name), own, h("span", { class: "wrong" }, () => wrong().get(target.id) ?? "")),
      writes ? [h("div", { class: "rate" }, rate(target.name, () => untrack(line), (part) => change(target.id, part), isWrong)), shown,
        h("button", { type: "button", class: "quiet", "aria-label": `${t("entry.remove")}: ${target.name}`, onclick: () => put(lines.peek().filter(({ id }) => id !== target.id)) }, "✕")] : shown);
  }
}

/** Which dishes, sizes or categories, and what all of them cost. @param {Target[]} targets @param {any[]} categories @param {Set<string>} known @returns {Promise<Line[] | null>} */
function choose(targets, categories, known) {
  return show(t("entry.add"), (close) => {
    const chosen = signal(/** @type {Set<string>} */ (new Set())), wanted = signal(""), wrong = signal("");
    let line = /** @type {Line} */ ({ kind: "menuItemId", id: "", how: "less", text: "" });
    const fits = (/** @type {Target} */ one) => one.name.toLowerCase().includes(wanted().trim().toLowerCase());
    const tick = (/** @type {Target} */ one) => h("label", { class: `tick as-${one.kind}`, hidden: () => !fits(one) }, h("input", { type: "checkbox", disabled: known.has(one.id), checked: known.has(one.id), onchange: (/** @type {any} */ event) => chosen.update((all) => { const next = new Set(all); if (event.target.checked) next.add(one.id); else next.delete(one.id); return next; }) }),
      h("span", { class: "grow" }, h("bdi", {}, one.name)), h("span", { class: "own" }, perUnit(one, range(one.owns))));
    function done() {
      if (!entryOf({ ...line, id: "x" }, decimals())) { wrong.set(t(line.how === "costs" ? "wrong.money" : "entry.wrong")); return; }
      close(targets.filter(({ id }) => chosen.peek().has(id)).map(({ id, kind }) => ({ ...line, id, kind })));
    }
    return h("form", { class: "picker", novalidate: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); done(); } },
      h("p", {}, t("entry.text")), h("div", { class: "rate" }, rate(t("entry.all"), () => line, (part) => { line = { ...line, ...part }; wrong.set(""); }, () => wrong() !== "")),
      h("p", { class: "wrong", role: "alert" }, () => wrong()),
      h("label", {}, t("search"), h("input", { type: "search", oninput: (/** @type {any} */ event) => wanted.set(event.target.value) })),
      ...categories.map((category) => h("fieldset", { hidden: () => !targets.some((one) => one.category === category.id && fits(one)) }, h("legend", {}, h("bdi", {}, category.name)), ...targets.filter((one) => one.category === category.id).map(tick))),
      h("div", { class: "acts savebar" }, h("button", { class: "main", disabled: () => chosen().size === 0 }, () => (chosen().size === 0 ? t("entry.add") : t("entry.put", { n: chosen().size })))));
  }, { wide: true });
}
