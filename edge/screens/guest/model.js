// What a guest's phone computes: which dishes are shown, what was chosen of one, what is in the cart. Pure: never asks, never draws. The price
// that counts is the server's quote; sums here are what the menu says.

/** @typedef {import("api").components["schemas"]["MenuItem"]} Dish */
/** @typedef {import("api").components["schemas"]["ModifierGroup"]} Group */
/** @typedef {{ id: number, dish: string, name: string, cents: number, quantity: number, options: { id: string, name: string, cents: number, isSize?: boolean }[], notes: string }} Line */
/** @typedef {{ diet: "" | "VEG" | "VEGAN" | "EGG", without: string[] }} Filter */

/** What a filter lets through: who eats egg eats what has none. @type {Record<string, string[]>} */
const DIETS = { VEG: ["VEG", "VEGAN"], VEGAN: ["VEGAN"], EGG: ["VEG", "VEGAN", "EGG"] };

/** Whether `filter` lets a dish through. What says nothing of itself is shown where nothing is asked. @param {Dish} dish @param {Filter} filter */
export function fits(dish, filter) {
  if (filter.diet && !DIETS[filter.diet].includes(dish.dietary ?? "")) return false;
  return !dish.allergens.some((one) => filter.without.includes(one));
}

/** Chapters with the dishes that are shown. @template {{ items: Dish[] }} C @param {C[]} chapters @param {Filter} filter @returns {C[]} */
export function shownOf(chapters, filter) {
  return chapters.map((chapter) => ({ ...chapter, items: chapter.items.filter((dish) => fits(dish, filter)) })).filter(({ items }) => items.length > 0);
}

/** What guests can ask to be without. @param {{ items: Dish[] }[]} chapters */
export function allergensOf(chapters) { return [...new Set(chapters.flatMap(({ items }) => items.flatMap(({ allergens }) => allergens)))].sort(); }

/** The id of the group that the sizes of a dish are. */
export const SIZE = "size";

/** The sizes of a dish, as a group of which one must be chosen. @param {Dish} dish @returns {any[]} */
function sizesOf(dish) {
  const options = (dish.variants ?? []).map(({ id, name, priceCents, isDefault, isAvailable }) => ({ id, name, priceCents, isDefault, isAvailable, isActive: true }));
  return options.length > 0 ? [{ id: SIZE, name: "", minSelections: 1, maxSelections: 1, options }] : [];
}

/** The groups that there is something to choose from, its sizes first. @param {Dish} dish @returns {Group[]} */
export function groupsOf(dish) {
  return /** @type {Group[]} */ ([...sizesOf(dish), ...dish.modifierGroups]).map((group) => ({ ...group, options: group.options.filter(({ isActive, isAvailable }) => isActive && isAvailable) })).filter(({ options }) => options.length > 0);
}

/** What is chosen unless told otherwise. @param {Dish} dish */
export function defaultsOf(dish) { return groupsOf(dish).flatMap(({ options }) => options.filter(({ isDefault }) => isDefault).map(({ id }) => id)); }

/** The first group from which too little or too much is chosen; null when all is well. @param {Dish} dish @param {string[]} chosen @returns {Group | null} */
export function wrongGroup(dish, chosen) {
  return groupsOf(dish).find((group) => {
    const count = group.options.filter(({ id }) => chosen.includes(id)).length;
    return count < group.minSelections || (group.maxSelections !== null && count > group.maxSelections);
  }) ?? null;
}

/** Whether one takes the place of another. @param {Group} group */
export function isOne(group) { return group.maxSelections === 1; }

/** `chosen` after a touch on an option. @param {Group} group @param {string[]} chosen @param {string} option */
export function toggled(group, chosen, option) {
  if (chosen.includes(option)) return isOne(group) && group.minSelections > 0 ? chosen : chosen.filter((id) => id !== option);
  const others = isOne(group) ? chosen.filter((id) => !group.options.some((one) => one.id === id)) : chosen;
  return [...others, option];
}

/** A line of the cart. @param {number} id @param {Dish} dish @param {string[]} chosen @param {number} quantity @param {string} notes @returns {Line} */
export function lineOf(id, dish, chosen, quantity, notes) {
  const options = groupsOf(dish).flatMap((group) => group.options.filter((option) => chosen.includes(option.id))
    .map(({ id, name, priceCents }) => ({ id, name, cents: priceCents, ...(group.id === SIZE ? { isSize: true } : {}) })));
  return { id, dish: dish.id, name: dish.name, cents: options.some(({ isSize }) => isSize) ? 0 : dish.priceCents, quantity, options, notes: notes.trim() };
}

/** What one portion of a line costs by the menu. @param {Line} line */
export function portionOf(line) { return line.cents + line.options.reduce((sum, { cents }) => sum + cents, 0); }

/** What the cart costs by the menu, before taxes. @param {Line[]} cart */
export function sumOf(cart) { return cart.reduce((sum, line) => sum + portionOf(line) * line.quantity, 0); }

/** @param {Line[]} cart */
export function countOf(cart) { return cart.reduce((sum, { quantity }) => sum + quantity, 0); }

/** `cart` with a line more; the same again is one line. @param {Line[]} cart @param {Line} line @returns {Line[]} */
export function withLine(cart, line) {
  const same = cart.find((one) => one.dish === line.dish && one.notes === line.notes && one.options.map(({ id }) => id).join() === line.options.map(({ id }) => id).join());
  return same ? cart.map((one) => (one === same ? { ...one, quantity: Math.min(99, one.quantity + line.quantity) } : one)) : [...cart, line];
}

/** What is sent. @param {Line[]} cart @param {string} guestToken @param {string} sessionCode */
export function bodyOf(cart, guestToken, sessionCode) {
  const items = cart.map(({ dish, quantity, options, notes }) => {
    const size = options.find(({ isSize }) => isSize);
    return { menuItemId: dish, ...(size ? { variantId: size.id } : {}), quantity, modifiers: options.filter((one) => one !== size).map(({ id }) => ({ optionId: id })), ...(notes ? { notes } : {}) };
  });
  return { items, guestToken, ...(/^\d{4}$/.test(sessionCode) ? { sessionCode } : {}) };
}

/** Which lines of the cart a refusal is about. @param {{ name: string }[]} fields @returns {number[]} */
export function refusedLines(fields) {
  return [...new Set(fields.map(({ name }) => /^items\[(\d+)\]/.exec(name)?.[1]).filter((at) => at !== undefined).map(Number))];
}

/** How far an order is: 0 waits for staff, 1 accepted, 2 cooking, 3 on its way, 4 served; -1: not taken. @param {{ status: string, awaitsApproval: boolean }} order */
export function stepOf({ status, awaitsApproval }) {
  if (status === "CANCELLED") return -1;
  if (awaitsApproval) return 0;
  return { PENDING: 1, ACCEPTED: 1, IN_PREPARATION: 2, READY: 3 }[status] ?? 4;
}

/** The decimals of a currency. @param {string} currency @param {string} locale */
export function purseOf(currency, locale) {
  return { currency, locale, decimals: new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2 };
}
