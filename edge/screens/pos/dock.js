// The choices of one line of the draft, beside the dishes: number, options, note, seat, course. Optional ones never stand in the way; what
// must be chosen is asked for before it is sent.

import { money } from "../kit/money.js";
import { each, computed, h } from "../kit/view.js";
import { t, weightOf } from "../kit/words.js";
import { combo, field, options } from "./chips.js";
import { change, groupsOf, lacking, priceOf, priceOfUnit, reweighed } from "./draft.js";
import { chosen, draft, edit, seat } from "./drafts.js";
import { lackingLine } from "./dishes.js";
import { dishes, order, purse, view } from "./store.js";

/** @typedef {import("./draft.js").Line} Line */

/** The id of the first line that lacks a choice. */
export function firstLacking() { return lackingLine()?.id ?? null; }

/** @param {(line: Line) => Line} how */
function set(how) {
  const id = chosen.peek();
  if (id) edit((one) => ({ lines: change(one.lines, id, how) }));
}

export function dock() {
  const id = computed(() => (draft()?.lines.some((line) => line.id === chosen()) ? chosen() : null));
  return () => {
    const now = id();
    return now ? panel(() => /** @type {Line} */ (draft()?.lines.find((line) => line.id === now) ?? GONE)) : null;
  };
}

/** Stands in for a line in the moment it goes. @type {Line} */
const GONE = { id: "", menuItemId: "", name: "", unitPriceCents: 0, quantity: 0, options: [], notes: "", seat: null, course: null, hold: false, refusal: null };

/** @param {() => Line} line */
function panel(line) {
  const item = computed(() => dishes().get(line().menuItemId));
  const lacks = computed(() => new Set(lacking(line(), item(), dishes()).map((group) => group.id)));
  const groups = computed(() => [...groupsOf(item())].sort((a, b) => Number(b.minSelections > 0) - Number(a.minSelections > 0)));
  const seats = computed(() => Math.max(4, draft()?.guestCount ?? 0, order()?.guestCount ?? 0, ...(order()?.items ?? []).map((one) => one.seatNumber ?? 0), line().seat ?? 0));
  const atTable = () => Boolean(view().tableId);
  /** @type {HTMLElement | undefined} */
  let place;
  /** What is to be chosen next comes into sight by itself. */
  const toNext = () => place?.querySelector("fieldset.lacks")?.scrollIntoView({ block: "nearest" });
  return h("section", { class: () => `dock${(item()?.components ?? []).length > 0 ? " combo" : ""}`, "aria-label": t("dock", { dish: line().name }) },
    h("div", { class: "dockhead" }, h("h2", {}, h("bdi", {}, () => line().name), " ", h("small", {}, () => money(priceOf(line()), purse(), true))),
      much(line, set),
      h("button", { type: "button", class: "quiet", onclick: () => chosen.set(null) }, t("done"))),
    h("div", { class: "choosing", ref: (/** @type {HTMLElement} */ element) => { place = element; } },
      each(groups, (group) => group.id, (group) => field(group, () => lacks().has(group().id), options(group, line, (how) => set((one) => ({ ...how(one), refusal: null }))))),
      combo(item, () => line().parts ?? [], lacks, (how) => { set((one) => ({ ...one, parts: how(one.parts ?? []), refusal: null })); queueMicrotask(toNext); }),
      h("label", {}, t("line.note"), h("input", { value: () => line().notes, maxlength: "200", oninput: (/** @type {any} */ event) => set((one) => ({ ...one, notes: event.target.value })) })),
      () => (atTable() ? h("div", { class: "pairs" },
        picker(t("line.seat"), () => Array.from({ length: seats() }, (_, n) => n + 1), () => line().seat, (n) => { seat.set(n); set((one) => ({ ...one, seat: n })); }),
        picker(t("line.course"), () => [1, 2, 3, 4], () => line().course, (n) => set((one) => ({ ...one, course: n }))),
        h("button", { type: "button", class: "chip", "aria-pressed": () => String(line().hold), onclick: () => set((one) => ({ ...one, hold: !one.hold })) }, t("line.hold"))) : null)));
}

/** How much there is of a line: so many, one more or less; or what was weighed, to be taken away or (not where it is `brief`) weighed anew. @param {() => Line} line @param {(how: (line: Line) => Line) => void} set @param {boolean} [brief] */
export function much(line, set, brief = false) {
  const isWeighed = computed(() => Boolean(line().weight));
  return () => (!isWeighed() ? stepper(() => line().quantity, (by) => set((one) => ({ ...one, quantity: one.quantity + by })), () => line().name)
    : h("span", { class: "stepper" },
      h("button", { type: "button", "aria-label": t("weigh.remove", { what: line().name }), onclick: () => set((one) => ({ ...one, quantity: 0 })) }, "−"),
      brief ? null : h("button", { type: "button", class: "weighed", onclick: async () => {
        const item = dishes.peek().get(line().menuItemId);
        const weight = item && await (await import("./weigh.js")).weigh(item, { price: priceOfUnit(line()), act: "save", was: line().weight });
        if (weight) set((one) => reweighed(one, weight));
      } }, () => weightOf(line().weight ?? "0", line().weightUnit ?? ""), h("span", { class: "spoken" }, () => ` ${t("weigh.anew", { what: line().name })}`))));
}

/** One more, one less. @param {() => number} n @param {(by: number) => void} by @param {() => string} what */
export function stepper(n, by, what) {
  return h("span", { class: "stepper" },
    h("button", { type: "button", "aria-label": () => t("less", { what: what() }), onclick: () => by(-1) }, "−"),
    h("output", { "aria-live": "polite" }, () => String(n())),
    h("button", { type: "button", "aria-label": () => t("add", { what: what() }), onclick: () => by(1) }, "+"));
}

/** How many portions of a line are taken, none to all, by id. @param {{ id: string, name: string, quantity: number }} line @param {import("../kit/view.js").Signal<Record<string, number>>} taken */
export function portionsOf(line, taken) {
  const is = () => taken()[line.id] ?? 0;
  return stepper(is, (by) => taken.update((all) => ({ ...all, [line.id]: Math.max(0, Math.min(line.quantity, (all[line.id] ?? 0) + by)) })), () => line.name);
}

/** A number or none of it. @param {string} name @param {() => number[]} numbers @param {() => number | null} is @param {(n: number | null) => void} pick */
function picker(name, numbers, is, pick) {
  return h("div", { class: "chips picker", role: "group", "aria-label": name }, h("span", { class: "label" }, name),
    each(numbers, (n) => n, (n) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(is() === n()), "aria-label": () => `${name} ${n()}`, onclick: () => pick(is() === n() ? null : n()) }, () => String(n()))));
}
