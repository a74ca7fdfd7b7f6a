// What is typed at the till before it is sent: lines with their choices, as pure values. Never knows a price of its own: it takes the menu's
// and says where the menu has another one meanwhile.

import { weighed } from "../kit/money.js";
import { choice, componentsOf, costOf, count, countedOptions, currentOptions, currentParts, defaults, extraOf, filled, groupsOf, isListed, lackingParts, lostPart, optionBodies, partBodies, sizesOf, tap as tapped } from "./choice.js";
export { SIZE, count, groupsOf, more, none } from "./choice.js";

/** @typedef {import("./choice.js").Item} Item */
/** @typedef {import("./choice.js").Group} Group */
/** @typedef {import("./choice.js").Choice} Choice */
/** @typedef {import("./choice.js").Part} Part */
/** @typedef {import("./choice.js").Dishes} Dishes */
/**
 * @typedef {object} Line
 * @property {string} id @property {string} menuItemId @property {string} name @property {number} unitPriceCents @property {number} quantity
 * @property {Choice[]} options @property {string} notes @property {number | null} seat @property {number | null} course @property {boolean} hold
 * @property {string | null} refusal What the server said of it last.
 * @property {Part[]} [parts] What is chosen for a combo; none of a dish, nor of a draft from before there were combos.
 * @property {string} [weight] What was weighed of a dish that is sold by weight; its price is then that of one unit.
 * @property {string | null} [weightUnit]
 * @property {boolean} [isListed] A price list said its price.
 * @property {string} [typedFor] Whose prices it was typed at.
 * @property {number} [kept] The present price of one, where it is to be sent as it was typed all the same.
 * @property {boolean} [isEarly] It was typed before the menu of its order was there, and takes that menu's price when it comes.
 */
/**
 * @typedef {object} Draft
 * @property {string} place What it is for: `t:` and a table, `o:` and an order, `n:` and an id of its own.
 * @property {string} key Idempotency-Key of what is sent next: made at the first tap, another one after each answer.
 * @property {"DINE_IN" | "TAKEAWAY" | "DELIVERY" | "COUNTER"} orderType
 * @property {number | null} guestCount @property {string} customerName @property {string} customerPhone @property {string} deliveryAddress
 * @property {string | null} channelId @property {string} externalId @property {string} notes @property {string | null} scheduledFor
 * @property {Line[]} lines @property {string | null} refusal What the server said of all of it. @property {number} madeAt
 */

/** @param {string} place @param {string} key @param {Partial<Draft>} [more] @returns {Draft} */
export function newDraft(place, key, more = {}) {
  return {
    place, key, orderType: place.startsWith("n:") ? "TAKEAWAY" : "DINE_IN", guestCount: null, customerName: "", customerPhone: "", deliveryAddress: "",
    channelId: null, externalId: "", notes: "", scheduledFor: null, lines: [], refusal: null, madeAt: 0, ...more,
  };
}

/** What a dish costs without what is chosen: a size brings its own price. @param {Item} item */
const base = (item) => (sizesOf(item).length > 0 ? 0 : item.priceCents);

/** No menu: of dishes that are no combos nothing is looked up in it. @type {Dishes} */
const NONE = new Map();

/** Another weighing of a line; what was said of it before is no matter any more. @param {Line} line @param {string} weight @returns {Line} */
export const reweighed = (line, weight) => ({ ...line, weight, refusal: null });

/** Whether a dish is sold by weight: a line of it is one weighing. @param {any} item */
export const isByWeight = (item) => item?.soldBy === "WEIGHT";

/** A line of `item`, with what is chosen unless told otherwise. @param {Item} item @param {string} id @param {{ seat?: number | null, quantity?: number, dishes?: Dishes, weight?: string }} [more] @returns {Line} */
export function newLine(item, id, { seat = null, quantity = 1, dishes = NONE, weight } = {}) {
  const parts = componentsOf(item).length > 0 ? { parts: filled(item, [], dishes) } : {};
  return { id, menuItemId: item.id, name: item.name, unitPriceCents: base(item), quantity, options: defaults(groupsOf(item)), notes: "", seat, course: null, hold: false, refusal: null, ...parts, ...(isListed(item) ? { isListed: true } : {}), ...(weight ? { weight, weightUnit: item.weightUnit } : {}) };
}

/** What tells two lines apart for the kitchen. @param {Line} line */
function sort(line) {
  const { menuItemId, unitPriceCents, options, parts, notes, seat, course, hold } = line;
  const chosen = (/** @type {Choice[]} */ some) => some.map(({ optionId, count }) => [optionId, count]).sort();
  return JSON.stringify([menuItemId, unitPriceCents, chosen(options), (parts ?? []).map((one) => [one.component, one.menuItemId, one.variantId, chosen(one.options)]), notes, seat, course, hold]);
}

/**
 * One more of a dish: a portion more of the last line where that is the same, else a line of its own; so is each weighing. Answers the lines and the line's id.
 * @param {Line[]} lines @param {Line} line @returns {{ lines: Line[], id: string }}
 */
export function add(lines, line) {
  const last = lines.at(-1);
  if (last && !line.weight && !last.refusal && sort(last) === sort(line)) return { lines: lines.with(-1, { ...last, quantity: Math.min(999, last.quantity + line.quantity) }), id: last.id };
  return { lines: [...lines, line], id: line.id };
}

/** @param {Line[]} lines @param {string} id @param {(line: Line) => Line} change @returns {Line[]} a line of no portions is gone */
export function change(lines, id, change) {
  return lines.flatMap((line) => {
    if (line.id !== id) return [line];
    const next = change(line);
    return next.quantity > 0 ? [next] : [];
  });
}

/** Taps an option: what was said of the line before is no matter any more. @param {Line} line @param {Group} group @param {Group["options"][number]} option @returns {Line} */
export function tap(line, group, option) {
  const next = tapped(line, group, option);
  return next === line ? line : { ...next, refusal: null };
}

/** What is still to be chosen: the groups of a dish of which there is too little, and what a combo lacks. @param {Line} line @param {Item | undefined} item @param {Dishes} [dishes] @returns {{ id: string, name: string }[]} */
export function lacking(line, item, dishes = NONE) {
  return [...groupsOf(item).filter((group) => count(line, group) < group.minSelections), ...lackingParts(item, line.parts ?? [], dishes)];
}

/** What one portion costs. @param {Line} line */
export function priceOfOne(line) { return line.unitPriceCents + costOf(line.options) + extraOf(line.parts ?? []); }

/** What a line costs by the menu, before tax and discounts. @param {Line} line */
export function priceOf(line) { return line.weight ? weighed(priceOfUnit(line), line.weight) + priceOfOne(line) - priceOfUnit(line) : priceOfOne(line) * line.quantity; }

/** What one unit costs, without options: a size brings its own price. @param {Line} line */
export function priceOfUnit(line) { return line.unitPriceCents + costOf(line.options.filter(({ isSize }) => isSize)); }

/** @param {Line[]} lines */
export function total(lines) { return lines.reduce((sum, line) => sum + priceOf(line), 0); }

/** @param {Line[]} lines */
export function portions(lines) { return lines.reduce((sum, line) => sum + line.quantity, 0); }

/**
 * How the menu of now differs from what a line was typed at: another price, sold out, too few left, a choice that is gone.
 * @param {Line} line @param {Item | undefined} item @param {Dishes} [dishes]
 * @returns {{ kind: "GONE" | "OUT" | "FEW" | "OPTION" | "PRICE", was?: number, is?: number, left?: number, name?: string, mayKeep?: boolean } | null}
 */
export function differs(line, item, dishes = NONE) {
  if (!item || !item.isActive) return { kind: "GONE" };
  if (!item.isAvailable) return { kind: "OUT" };
  const left = item.availability.quantityLeft;
  if (left != null && !line.weight && Number(left) < line.quantity) return { kind: "FEW", left: Number(left) };
  const now = current(line, item, dishes);
  const lost = line.options.find((one) => !now.options.some((other) => other.optionId === one.optionId))?.name ?? lostPart(item, line.parts ?? [], dishes);
  if (lost) return { kind: "OPTION", name: lost };
  const was = priceOfOne(line), is = priceOfOne(now);
  if ((was === is && line.unitPriceCents === now.unitPriceCents) || line.kept === is) return null;
  // What a price list said holds a while longer: the server knows how long, and has not refused it yet.
  return { kind: "PRICE", was, is, ...((line.isListed || isListed(item)) && !line.refusal ? { mayKeep: true } : {}) };
}

/** The line at the menu of now, without choices that cannot be had. @param {Line} line @param {Item} item @param {Dishes} [dishes] @returns {Line} */
export function current(line, item, dishes = NONE) {
  const left = item.availability.quantityLeft, { isListed: _, kept: __, isEarly: ___, ...rest } = line;
  return {
    ...rest, refusal: null, unitPriceCents: base(item), ...(isListed(item) ? { isListed: true } : {}),
    quantity: left == null || line.weight ? line.quantity : Math.max(0, Math.min(line.quantity, Number(left))),
    options: currentOptions(line.options, groupsOf(item)),
    ...(componentsOf(item).length > 0 ? { parts: currentParts(item, line.parts ?? [], dishes) } : {}),
  };
}

/** A line that was typed before its menu was there, at that menu's prices; what cannot be had is told as of any other. @param {Line} line @param {Item | undefined} item @param {Dishes} [dishes] @returns {Line} */
export function settled(line, item, dishes = NONE) {
  return item?.isAvailable ? { ...current(line, item, dishes), quantity: line.quantity } : without(line, "isEarly");
}

/** Sends a line at the price it was typed at, although the menu has another one now. @param {Line} line @param {Item} item @param {Dishes} [dishes] @returns {Line} */
export function keeping(line, item, dishes = NONE) { return { ...line, kept: priceOfOne(current(line, item, dishes)) }; }

/** The same again of a line that was sent. @param {import("api").components["schemas"]["OrderItem"]} sent @param {Item} item @param {string} id @param {Dishes} [dishes] @returns {Line} */
export function again(sent, item, id, dishes = NONE) {
  const size = sizesOf(item).flatMap((group) => group.options.filter((one) => one.id === sent.variantId)).map(choice);
  // A dish of a combo without a size in it may have been sent in its usual one.
  const offers = componentsOf(item).flatMap((component) => component.options.map((offer) => ({ ...offer, component: component.name })));
  const parts = (sent.components ?? []).flatMap((one) => {
    const meant = offers.filter((offer) => offer.component === one.name && offer.menuItemId === one.menuItemId);
    const offer = meant.find((other) => other.variantId === one.variantId) ?? meant.find((other) => !other.variantId);
    return offer ? [{ component: one.name, menuItemId: one.menuItemId, variantId: offer.variantId ?? null, name: offer.name, extraCents: offer.extraCents, options: countedOptions(one.modifiers) }] : [];
  });
  const line = { ...newLine(item, id, { seat: sent.seatNumber ?? null, dishes }), options: [...size, ...countedOptions(sent.modifiers)], notes: sent.notes ?? "", course: sent.course, ...(offers.length > 0 ? { parts } : {}) };
  return { ...current(line, item, dishes), quantity: 1 };
}

/** A line as it is sent. @param {Line} line */
export function body(line) {
  const size = line.options.find((one) => one.isSize);
  return {
    menuItemId: line.menuItemId, ...(size ? { variantId: size.optionId } : {}), quantity: line.quantity, ...(line.weight ? { weight: Number(line.weight) } : {}), unitPriceCents: line.unitPriceCents + (size?.priceCents ?? 0), name: line.name,
    modifiers: optionBodies(line.options.filter((one) => one !== size)), ...(line.parts ? { components: partBodies(line.parts) } : {}),
    ...(line.notes.trim() ? { notes: line.notes.trim() } : {}), ...(line.seat ? { seatNumber: line.seat } : {}),
    ...(line.course ? { course: line.course } : {}), ...(line.hold ? { hold: true } : {}),
  };
}

/** A draft as a new order. @param {Draft} draft @param {string | null} tableId */
export function orderBody(draft, tableId) {
  /** @param {string} name @param {string} value */
  const text = (name, value) => (value.trim() ? { [name]: value.trim() } : {});
  return {
    orderType: tableId ? "DINE_IN" : draft.orderType, ...(tableId ? { tableId } : {}), ...(draft.guestCount ? { guestCount: draft.guestCount } : {}),
    ...text("customerName", draft.customerName), ...text("customerPhone", draft.customerPhone), ...text("notes", draft.notes),
    ...(draft.orderType === "DELIVERY" && !tableId ? { ...text("deliveryAddress", draft.deliveryAddress), ...(draft.channelId ? { channelId: draft.channelId, ...text("externalId", draft.externalId) } : {}) } : {}),
    ...(draft.scheduledFor ? { scheduledFor: draft.scheduledFor } : {}), items: draft.lines.map(body),
  };
}

/** @param {Line} line @param {"kept" | "isEarly"} name @returns {Line} */
function without(line, name) { const { [name]: _, ...rest } = line; return rest; }

/**
 * The lines of what was refused, each with what was said of it; what was said of the rest beside them.
 * @param {Line[]} lines @param {{ name: string, reason: string }[]} fields @returns {{ lines: Line[], rest: string[] }}
 */
export function refused(lines, fields) {
  /** @type {string[]} */
  const rest = [];
  const said = lines.map(() => /** @type {string[]} */ ([]));
  for (const { name, reason } of fields) {
    const at = /^items\[(\d+)\](?:\.components\[(\d+)\])?/.exec(name);
    const place = at ? said[Number(at[1])] : undefined;
    const part = at?.[2] ? lines[Number(at[1])]?.parts?.[Number(at[2])] : undefined;
    if (place) place.push(part ? `${part.name}: ${reason}` : reason);
    else rest.push(`${name}: ${reason}`);
  }
  // What was to keep its price and is refused keeps it no more.
  return { lines: lines.map((line, at) => (said[at].length > 0 ? { ...without(line, "kept"), refusal: said[at].join("; ") } : { ...line, refusal: null })), rest };
}
