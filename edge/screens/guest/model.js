// What a guest's phone computes: which dishes are shown, what was chosen of one, what is in the cart. Pure: never asks, never draws. The price
// that counts is the server's quote; sums here are what the menu says.

/** @typedef {import("api").components["schemas"]["MenuItem"]} Dish */
/** @typedef {import("api").components["schemas"]["ModifierGroup"]} Group */
/** @typedef {import("api").components["schemas"]["Component"]} Component */
/** @typedef {Component["options"][number]} Offer A dish that may be chosen for a combo. */
/** @typedef {{ id: string, name: string, cents: number, isSize?: boolean }} Option */
/** @typedef {{ component: string, dish: string, variant: string | null, name: string, cents: number, options: Option[] }} Part One selection for a combo; `component` is the name of what it is for. */
/** @typedef {{ id: number, dish: string, name: string, cents: number, quantity: number, options: Option[], notes: string, parts?: Part[] }} Line */
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

/** Whether a dish is weighed: guests see what a unit costs, and ask the staff. @param {any} dish */
export const isByWeight = (dish) => dish.soldBy === "WEIGHT";

/** The id of the group that the sizes of a dish are. */
export const SIZE = "size";

/** The sizes of a dish, as a group of which one must be chosen. @param {Dish} dish @returns {any[]} */
function sizesOf(dish) {
  const options = (dish.variants ?? []).map(({ id, name, priceCents, isDefault, isAvailable, servingSize, energyKcal }) => ({ id, name, priceCents, isDefault, isAvailable, servingSize, energyKcal, isActive: true }));
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

/** What is chosen of groups, as a line has it. @param {Group[]} groups @param {string[]} chosen @returns {Option[]} */
function optionsOf(groups, chosen) {
  return groups.flatMap((group) => group.options.filter((option) => chosen.includes(option.id)).map(({ id, name, priceCents }) => ({ id, name, cents: priceCents, ...(group.id === SIZE ? { isSize: true } : {}) })));
}

/** A line of the cart. @param {number} id @param {Dish} dish @param {string[]} chosen @param {number} quantity @param {string} notes @param {Part[]} [parts] of a combo @returns {Line} */
export function lineOf(id, dish, chosen, quantity, notes, parts = []) {
  const options = optionsOf(groupsOf(dish), chosen);
  return { id, dish: dish.id, name: dish.name, cents: options.some(({ isSize }) => isSize) ? 0 : dish.priceCents, quantity, options, notes: notes.trim(), ...(parts.length > 0 ? { parts } : {}) };
}

/** What is chosen for a combo, in its order; nothing of a dish. @param {Dish} dish @returns {Component[]} */
export function componentsOf(dish) { return dish.components ?? []; }

/** The choices that a dish in a combo has of its own: its size is the combo's matter. @param {string} id @param {Dish[]} dishes */
export function ownGroups(id, dishes) {
  const dish = dishes.find((one) => one.id === id);
  return dish ? groupsOf({ ...dish, variants: [] }) : [];
}

/** Whether a selection is of that offer. @param {Part} part @param {Offer} offer */
export const isOf = (part, offer) => part.dish === offer.menuItemId && part.variant === (offer.variantId ?? null);

/** A selection. @param {Component} component @param {Offer} offer @param {Dish[]} dishes @returns {Part} */
export function partOf(component, offer, dishes) {
  const groups = ownGroups(offer.menuItemId, dishes), usual = groups.flatMap(({ options }) => options.filter(({ isDefault }) => isDefault).map(({ id }) => id));
  return { component: component.name, dish: offer.menuItemId, variant: offer.variantId ?? null, name: offer.name, cents: offer.extraCents, options: optionsOf(groups, usual) };
}

/** `parts` in the order of the combo, with what can only be chosen in one way: something is needed, and one dish alone is to be had. @param {Dish} dish @param {Part[]} parts @param {Dish[]} dishes @returns {Part[]} */
export function filled(dish, parts, dishes) {
  return componentsOf(dish).flatMap((component) => {
    const mine = parts.filter((part) => part.component === component.name), there = component.options.filter(({ isAvailable }) => isAvailable);
    return [...mine, ...(there.length === 1 ? Array.from({ length: Math.max(0, component.minSelections - mine.length) }, () => partOf(component, there[0], dishes)) : [])];
  });
}

/** `parts` with so many of an offer; where one may be chosen it takes the place of the other. @param {Dish} dish @param {Part[]} parts @param {Component} component @param {Offer} offer @param {number} many @param {Dish[]} dishes @returns {Part[]} */
export function withOffer(dish, parts, component, offer, many, dishes) {
  const mine = parts.filter((part) => part.component === component.name), same = mine.filter((part) => isOf(part, offer));
  const others = component.maxSelections === 1 && many > 0 ? [] : mine.filter((part) => !isOf(part, offer));
  const next = Array.from({ length: Math.min(many, component.maxSelections - others.length) }, (_, n) => same[n] ?? partOf(component, offer, dishes));
  return filled(dish, [...parts.filter((part) => part.component !== component.name), ...others, ...next], dishes);
}

/** A selection after a touch on an option of its dish. @param {Part} part @param {Group} group @param {string} option @returns {Part} */
export function withOption(part, group, option) {
  const mine = new Set(group.options.map(({ id }) => id));
  return { ...part, options: [...part.options.filter(({ id }) => !mine.has(id)), ...optionsOf([group], toggled(group, part.options.map(({ id }) => id), option))] };
}

/** What is still to be chosen for a combo: the name of a component, or of a choice of one of its dishes; null when all is well. @param {Dish} dish @param {Part[]} parts @param {Dish[]} dishes */
export function wrongPart(dish, parts, dishes) {
  for (const component of componentsOf(dish)) {
    const mine = parts.filter((part) => part.component === component.name);
    if (mine.length < component.minSelections) return component.name;
    for (const part of mine) {
      const group = ownGroups(part.dish, dishes).find(({ minSelections, maxSelections, options }) => {
        const count = options.filter(({ id }) => part.options.some((one) => one.id === id)).length;
        return count < minSelections || (maxSelections !== null && count > maxSelections);
      });
      if (group) return `${part.name}: ${group.name}`;
    }
  }
  return null;
}

/** Selections that can still be had, as the menu of now has them. @param {Dish} dish @param {Part[]} parts @param {Dish[]} dishes @returns {Part[]} */
export function currentParts(dish, parts, dishes) {
  return filled(dish, parts.flatMap((part) => {
    const offer = componentsOf(dish).find(({ name }) => name === part.component)?.options.find((one) => isOf(part, one));
    return offer?.isAvailable ? [{ ...part, name: offer.name, cents: offer.extraCents, options: optionsOf(ownGroups(part.dish, dishes), part.options.map(({ id }) => id)) }] : [];
  }), dishes);
}

/** Selections as people read them, the same ones once with their number. @param {{ name: string, with: string[] }[]} parts */
export function told(parts) {
  /** @type {Map<string, number>} */
  const names = new Map();
  for (const one of parts) { const text = [one.name, ...one.with].join(" · "); names.set(text, (names.get(text) ?? 0) + 1); }
  return [...names].map(([text, n]) => (n > 1 ? `${n} × ${text}` : text));
}

/** @param {Option[]} options */
const costOf = (options) => options.reduce((sum, { cents }) => sum + cents, 0);

/** What one portion of a line costs by the menu. @param {Line} line */
export function portionOf(line) { return line.cents + costOf(line.options) + (line.parts ?? []).reduce((sum, part) => sum + part.cents + costOf(part.options), 0); }

/** What the phone shows for one, without options and what they ask on top: a size brings its own price. @param {Line} line */
export function unitOf(line) { return line.cents + costOf(line.options.filter(({ isSize }) => isSize)); }

/** A line at another price of one. @param {Line} line @param {number} cents @returns {Line} */
export function atPrice(line, cents) {
  return line.options.some(({ isSize }) => isSize) ? { ...line, options: line.options.map((option) => (option.isSize ? { ...option, cents } : option)) } : { ...line, cents };
}

/** What the cart costs by the menu, before taxes. @param {Line[]} cart */
export function sumOf(cart) { return cart.reduce((sum, line) => sum + portionOf(line) * line.quantity, 0); }

/** @param {Line[]} cart */
export function countOf(cart) { return cart.reduce((sum, { quantity }) => sum + quantity, 0); }

/** `cart` with a line more; the same again is one line. @param {Line[]} cart @param {Line} line @returns {Line[]} */
export function withLine(cart, line) {
  const kindOf = (/** @type {Line} */ { dish, notes, options, parts = [], ...one }) => JSON.stringify([dish, unitOf({ ...one, dish, notes, options }), notes, options.map(({ id }) => id), parts.map((part) => [part.component, part.dish, part.variant, part.options.map(({ id }) => id)])]);
  const same = cart.find((one) => kindOf(one) === kindOf(line));
  return same ? cart.map((one) => (one === same ? { ...one, quantity: Math.min(99, one.quantity + line.quantity) } : one)) : [...cart, line];
}

/** What is sent. @param {Line[]} cart @param {string} guestToken @param {string} sessionCode */
export function bodyOf(cart, guestToken, sessionCode) {
  const modifiers = (/** @type {Option[]} */ options) => options.filter(({ isSize }) => !isSize).map(({ id }) => ({ optionId: id }));
  const items = cart.map((line) => {
    const { dish, quantity, options, notes, parts = [] } = line, size = options.find(({ isSize }) => isSize);
    return {
      menuItemId: dish, ...(size ? { variantId: size.id } : {}), quantity, unitPriceCents: unitOf(line), modifiers: modifiers(options), ...(notes ? { notes } : {}),
      ...(parts.length > 0 ? { components: parts.map((part) => ({ name: part.component, menuItemId: part.dish, ...(part.variant ? { variantId: part.variant } : {}), modifiers: modifiers(part.options) })) } : {}),
    };
  });
  return { items, guestToken, ...(/^\d{4}$/.test(sessionCode) ? { sessionCode } : {}) };
}

/** Which lines of the cart a refusal is about. @param {{ name: string }[]} fields @returns {number[]} */
export function refusedLines(fields) {
  return [...new Set(fields.map(({ name }) => /^items\[(\d+)\]/.exec(name)?.[1]).filter((at) => at !== undefined).map(Number))];
}

/** The right prices that a refusal names, by the lines of the cart that they are of. @param {{ name: string, reason: string }[]} fields @returns {Record<number, number>} */
export function rightPrices(fields) {
  return Object.fromEntries(fields.flatMap(({ name, reason }) => {
    const at = /^items\[(\d+)\]\.unitPriceCents$/.exec(name), cents = /^must be (\d+)\b/.exec(reason);
    return at && cents ? [[Number(at[1]), Number(cents[1])]] : [];
  }));
}

/** The selection of a combo that a refusal is about, by the line of the cart. @param {{ name: string }[]} fields @param {Line[]} cart @returns {Record<number, string>} */
export function refusedParts(fields, cart) {
  return Object.fromEntries(fields.flatMap(({ name }) => {
    const at = /^items\[(\d+)\]\.components\[(\d+)\]/.exec(name), part = at && cart[Number(at[1])]?.parts?.[Number(at[2])];
    return part ? [[Number(at[1]), part.name]] : [];
  }));
}

/** How far an order is: 0 waits for staff, 1 accepted, 2 cooking, 3 on its way, 4 served; -1: not taken. @param {{ status: string, awaitsApproval: boolean }} order */
export function stepOf({ status, awaitsApproval }) {
  if (status === "CANCELLED") return -1;
  if (awaitsApproval) return 0;
  return { PENDING: 1, ACCEPTED: 1, IN_PREPARATION: 2, READY: 3 }[status] ?? 4;
}

/** @typedef {{ orderNumber: string, receiptCode: string }} Bill An order, as a guest names it who says how it was. */

/** The last of a party's orders that were not refused. @param {{ orderNumber: string, receiptCode?: string | null, status: string, awaitsApproval: boolean }[]} orders @returns {Bill | null} */
export function billOf(orders) {
  return orders.flatMap((order) => (order.receiptCode && stepOf(order) >= 0 ? [{ orderNumber: order.orderNumber, receiptCode: order.receiptCode }] : [])).at(-1) ?? null;
}

/** The decimals of a currency. @param {string} currency @param {string} locale */
export function purseOf(currency, locale) {
  return { currency, locale, decimals: new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2 };
}
