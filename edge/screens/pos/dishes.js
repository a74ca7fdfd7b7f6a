// The dishes to choose from: favourites, categories, and a search that takes letters and numbers from any keyboard. Never hides a dish that is
// sold out: it says so.

import { newId } from "../kit/ids.js";
import { recall } from "../kit/keep.js";
import { keys } from "../kit/keys.js";
import { toast } from "../kit/dialog.js";
import { money } from "../kit/money.js";
import { ask, may } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { batch, computed, each, effect, h, signal, svg } from "../kit/view.js";
import { amountOf, perUnit, t } from "../kit/words.js";
import { add, isByWeight, lacking, newLine } from "./draft.js";
import { chosen, draft, edit, seat } from "./drafts.js";
import { favourites, find } from "./sums.js";
import { dishes, isOfOrder, menu, order, purse, sellingFor, tell, tried } from "./store.js";

/** What is looked for. */
export const search = signal("");
/** Whether a tap says that a dish is sold out, or back. */
export const marking = signal(false);

const used = recall("pos.used", {});
const category = signal(/** @type {string | null} */ (null));
/** The category that is open: what is used most here, until somebody chooses. */
const open = computed(() => category() ?? (Object.keys(used).some((id) => dishes().has(id)) ? "FAV" : menu()[0]?.id ?? "FAV"));

/** One portion more of a dish, or what is weighed of it; its choices open beside it. @param {import("./draft.js").Item} item */
export async function take(item) {
  if (!item.isAvailable) return toast(t("dish.out", { dish: item.name }), "bad");
  const weight = isByWeight(item) ? await weighed(item) : undefined;
  if (weight === null) return;
  batch(() => {
    let id = "";
    edit((one) => {
      const line = { ...newLine(item, newId(), { seat: seat.peek(), dishes: dishes.peek(), weight }), typedFor: sellingFor.peek() };
      const made = add(one.lines, isOfOrder() || isAway() ? line : { ...line, isEarly: true });
      id = made.id;
      return { lines: made.lines, refusal: null };
    });
    chosen.set(id);
    search.set("");
  });
}

/** What the scale shows of a dish; null where nobody said. @param {import("./draft.js").Item} item */
async function weighed(item) {
  try { return await (await import("./weigh.js")).weigh(item); } catch (error) { tell(error); return null; }
}

/** What was weighed of a line, and what one unit costs; nothing where it is counted. @param {any} line @param {number} [price] */
export const weighing = (line, price = line.unitPriceCents) => (line.weight ? t("weighed", { weight: amountOf(line), price: money(price, purse()) }) : null);

/** Sold out until somebody says otherwise, or for sale again. @param {import("./draft.js").Item} item */
export async function mark(item) {
  const path = `/menu/items/${item.id}/availability`;
  await tried(async () => {
    if (item.isAvailable) await ask("PUT", path, { body: { status: "OUT_OF_STOCK" } });
    else await ask("DELETE", path);
    toast(t(item.isAvailable ? "marked.out" : "marked.back", { dish: item.name }));
  });
}

/** What is on sale now, of an open order that is not billed. */
const closed = () => { const one = order(); return one !== null && (["COMPLETED", "CANCELLED"].includes(one.status) || Boolean(one.invoiceNumber)); };

export function dishPane() {
  const all = computed(() => menu().flatMap((one) => one.items.filter((item) => item.isActive)));
  const list = computed(() => (search().trim() ? find(all(), search()).slice(0, 60) : open() === "FAV" ? favourites(all(), used) : menu().find((one) => one.id === open())?.items.filter((item) => item.isActive) ?? []));
  // The pad is there before it is needed: while the box is away nothing else comes.
  const isWeighing = computed(() => all().some(isByWeight));
  effect(() => { if (isWeighing()) void import("./weigh.js").catch(() => {}); });
  keys({
    Backspace: () => search.update((text) => text.slice(0, -1)),
    Enter: () => { if (search.peek() && list()[0]) take(list()[0]); },
  }, (event) => {
    if (event.key.length !== 1 || (event.key === " " && !search.peek())) return false;
    search.update((text) => text + event.key);
    return true;
  });
  return h("section", { class: "dishes", "aria-label": t("dishes") },
    h("div", { class: "finder" },
      h("input", { type: "search", "aria-label": t("search"), placeholder: t("search"), value: search, autocomplete: "off", oninput: (/** @type {any} */ event) => search.set(event.target.value), onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" && list()[0]) { take(list()[0]); /** @type {HTMLElement} */ (event.target).blur(); } if (event.key === "Escape") { search.set(""); /** @type {HTMLElement} */ (event.target).blur(); } } }),
      () => (may("menu:availability") ? h("button", { type: "button", class: "mark", disabled: isAway, "aria-pressed": () => String(marking()), onclick: () => marking.update((is) => !is) }, t("mark.out")) : null)),
    h("div", { class: "strip", role: "group", "aria-label": t("categories"), tabindex: "-1" },
      h("button", { type: "button", class: "chip", "aria-pressed": () => String(!search() && open() === "FAV"), onclick: () => { search.set(""); category.set("FAV"); } }, t("favourites")),
      each(menu, (one) => one.id, (one) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(!search() && open() === one().id), onclick: () => { search.set(""); category.set(one().id); } }, h("bdi", {}, () => one().name)))),
    () => (marking() ? h("p", { class: "warn" }, t("mark.how")) : closed() ? h("p", { class: "hint" }, t("dishes.closed")) : null),
    h("ul", { class: "grid" }, each(list, (item) => item.id, dish)),
    () => (list().length > 0 ? null : h("p", { class: "empty" }, menu().length === 0 ? t("menu.none") : search() ? t("search.none", { text: search() }) : t("favourites.none"))));
}

/** @param {() => import("./draft.js").Item} item */
function dish(item) {
  const left = () => item().availability.quantityLeft;
  const inDraft = computed(() => (draft()?.lines ?? []).filter((line) => line.menuItemId === item().id).reduce((sum, line) => sum + line.quantity, 0));
  // Where a price list says another price than the house's own, both are seen.
  const usually = () => { const own = item().outletPriceCents ?? item().basePriceCents; return item().priceListId && item().variants.length === 0 && own !== item().priceCents ? [" ", h("s", {}, h("span", { class: "spoken" }, t("price.usually")), money(own, purse(), true))] : null; };
  return h("li", {}, h("button", {
    type: "button", class: () => `dish${item().isAvailable ? "" : " out"}`, "data-dish": () => item().name, "aria-disabled": () => (item().isAvailable || marking() ? null : "true"),
    disabled: () => closed() && !marking(), onclick: () => (marking.peek() ? mark(item()) : take(item())),
  },
    h("span", { class: "name" }, () => foodMark(item()), h("span", {}, h("bdi", {}, () => item().name), () => ownName(item()), () => servingOf(item()))),
    h("span", { class: "facts" }, h("span", { class: "price" }, () => perUnit(item(), money(item().priceCents, purse(), true)), usually),
      () => (item().kind === "COMBO" ? h("span", { class: "kind" }, t("combo")) : null),
      () => (!item().isAvailable ? h("b", { class: "gone" }, t("dish.OUT")) : left() != null ? h("b", { class: "few" }, t("dish.left", { n: Number(left()) })) : null),
      () => (inDraft() > 0 ? h("b", { class: "count" }, String(inDraft())) : null))));
}

/** The mark of what a dish is made of, as the law of the country has it drawn: by shape and colour, with its word for who hears it; none where the law wants none. @param {import("./draft.js").Item} item */
export function foodMark({ foodMark: kind, dietary }) {
  if (!kind) return null;
  const shape = kind === "NON_VEG" ? svg("path", { d: "M8 3.500 13 12.500H3z" }) : kind === "VEGAN" ? svg("path", { d: "M3.800 4.500 8 13 12.200 4.500H9.900L8 8.600 6.100 4.500z" }) : svg("circle", { cx: 8, cy: 8, r: 3.8 });
  return h("span", { class: `diet ${kind}` }, svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, svg("rect", { x: 1, y: 1, width: 14, height: 14, fill: "none", "stroke-width": 1.6 }), shape), h("span", { class: "spoken" }, t(dietary === "EGG" ? "dietary.NON_VEG.egg" : `dietary.${kind}`)));
}

/** What a dish is called in the language of whoever stands here, where that is another name than the house's. @param {any} item */
export const ownName = ({ own }) => (own ? h("small", { class: "alias" }, h("bdi", {}, own)) : null);

/** What one serving is and has, and of what it is made where no mark says so. @param {import("./draft.js").Item} item */
export function servingOf({ servingSize, energyKcal, dietary, foodMark: kind }) {
  const known = [!kind && dietary && dietary !== "NON_VEG" ? t(`dietary.${dietary}`) : null, servingSize, energyKcal === null || energyKcal === undefined ? null : t("kcal", { n: energyKcal })].filter(Boolean);
  return known.length > 0 ? h("small", { class: "serving" }, known.map((text, n) => [n > 0 ? " · " : "", h("bdi", {}, text)])) : null;
}

/** The first line of the draft that lacks a choice. */
export function lackingLine() { return draft.peek()?.lines.find((line) => lacking(line, dishes.peek().get(line.menuItemId), dishes.peek()).length > 0) ?? null; }

