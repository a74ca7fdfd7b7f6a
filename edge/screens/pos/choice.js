// What is chosen of a dish and for a combo: sizes, options, and the dishes of a combo with their own options. Pure. Never knows a price of its
// own: it takes the menu's.

/** @typedef {import("api").components["schemas"]["MenuItem"]} Item */
/** @typedef {import("api").components["schemas"]["ComponentOption"] & { own?: string | null }} Offer A dish that may be chosen for a combo; `own`: as whoever stands here calls it. */
/** @typedef {Omit<import("api").components["schemas"]["Component"], "options"> & { own?: string | null, options: Offer[] }} Component */
/** @typedef {{ id: string, name: string, minSelections: number, maxSelections: number | null, options: { id: string, name: string, priceCents: number, isDefault: boolean, isActive: boolean, isAvailable: boolean }[] }} Group */
/** @typedef {{ optionId: string, name: string, priceCents: number, count: number, isSize?: boolean }} Choice An option, or (`isSize`) a variant of the dish. */
/** @typedef {{ component: string, menuItemId: string, variantId: string | null, name: string, extraCents: number, options: Choice[] }} Part One selection for a combo; `component` is the name of what it is for. */
/** @typedef {ReadonlyMap<string, Item>} Dishes The menu's dishes by their ids. */

/** The id of the group that the sizes of a dish are. */
export const SIZE = "size";

/** The sizes of a dish, as a group of which one must be chosen. @param {Item | undefined} item @returns {Group[]} */
export function sizesOf(item) {
  const options = (item?.variants ?? []).map(({ id, name, priceCents, isDefault, isAvailable }) => ({ id, name, priceCents, isDefault, isAvailable, isActive: true, isSize: true }));
  return options.length > 0 ? [{ id: SIZE, name: "", minSelections: 1, maxSelections: 1, options }] : [];
}

/** The groups of a dish that have something to choose, its sizes first. @param {Item | undefined} item @returns {Group[]} */
export function groupsOf(item) {
  return [...sizesOf(item), .../** @type {Group[]} */ (/** @type {unknown} */ (item?.modifierGroups ?? [])).filter((group) => group.options.some((option) => option.isActive))];
}

/** Whether a price list says what a dish, or one of its sizes, costs. @param {Item} item */
export const isListed = (item) => Boolean(item.priceListId) || (item.variants ?? []).some((size) => size.priceListId);

/** @param {{ id: string, name: string, priceCents: number, isSize?: boolean }} option @returns {Choice} */
export const choice = (option) => ({ optionId: option.id, name: option.name, priceCents: option.priceCents, count: 1, ...(option.isSize ? { isSize: true } : {}) });

/** What is chosen of a dish unless told otherwise. @param {Group[]} groups @returns {Choice[]} */
export function defaults(groups) {
  return groups.flatMap((group) => group.options.filter((one) => one.isDefault && one.isActive && one.isAvailable).slice(0, group.maxSelections ?? undefined).map(choice));
}

/** How many are chosen of a group. @param {{ options: Choice[] }} of @param {Group} group */
export function count(of, group) {
  return of.options.reduce((sum, one) => sum + (group.options.some((option) => option.id === one.optionId) ? one.count : 0), 0);
}

/**
 * Taps an option. Of a group with one choice the other one goes; a second tap on a chosen one takes it back where several may be chosen.
 * @template {{ options: Choice[] }} T @param {T} of @param {Group} group @param {Group["options"][number]} option @returns {T}
 */
export function tap(of, group, option) {
  const chosen = of.options.some((one) => one.optionId === option.id);
  const others = new Set(group.options.map((one) => one.id));
  if (group.maxSelections === 1) return chosen ? of : { ...of, options: [...of.options.filter((one) => !others.has(one.optionId)), choice(option)] };
  if (chosen) return { ...of, options: of.options.filter((one) => one.optionId !== option.id) };
  if (group.maxSelections !== null && count(of, group) >= group.maxSelections) return of;
  return { ...of, options: [...of.options, choice(option)] };
}

/** Another number of an option that is chosen; none takes it off. @template {{ options: Choice[] }} T @param {T} of @param {Group} group @param {string} optionId @param {number} by @returns {T} */
export function more(of, group, optionId, by) {
  if (by > 0 && group.maxSelections !== null && count(of, group) >= group.maxSelections) return of;
  return { ...of, options: of.options.flatMap((one) => (one.optionId !== optionId ? [one] : one.count + by > 0 ? [{ ...one, count: one.count + by }] : [])) };
}

/** Nothing of a group. @template {{ options: Choice[] }} T @param {T} of @param {Group} group @returns {T} */
export function none(of, group) {
  return { ...of, options: of.options.filter((one) => !group.options.some((option) => option.id === one.optionId)) };
}

/** Options as the menu of now has them; what cannot be had is gone. @param {Choice[]} options @param {Group[]} groups @returns {Choice[]} */
export function currentOptions(options, groups) {
  const there = groups.flatMap((group) => group.options.filter((option) => option.isActive && option.isAvailable));
  return options.flatMap((one) => {
    const option = there.find((other) => other.id === one.optionId);
    return option ? [{ ...one, name: option.name, priceCents: option.priceCents }] : [];
  });
}

/** Options that were sent, each once with its number. @param {{ optionId?: string | null, name: string, priceCents: number }[]} modifiers @returns {Choice[]} */
export function countedOptions(modifiers) {
  /** @type {Choice[]} */
  const options = [];
  for (const { optionId, name, priceCents } of modifiers) {
    if (!optionId) continue;
    const known = options.find((one) => one.optionId === optionId);
    if (known) known.count += 1;
    else options.push({ optionId, name, priceCents, count: 1 });
  }
  return options;
}

/** Options as they are sent, each as often as it is chosen. @param {Choice[]} options */
export function optionBodies(options) { return options.flatMap(({ optionId, priceCents, count }) => Array.from({ length: count }, () => ({ optionId, priceCents }))); }

/** What options cost. @param {Choice[]} options */
export const costOf = (options) => options.reduce((sum, one) => sum + one.priceCents * one.count, 0);

// Combos.

/** What is chosen for a combo, in its order; nothing of a dish. @param {Item | undefined} item @returns {Component[]} */
export function componentsOf(item) { return item?.components ?? []; }

/** The choices that a dish in a combo has of its own: its size is the combo's matter. @param {string} menuItemId @param {Dishes} dishes @returns {Group[]} */
export function ownGroups(menuItemId, dishes) {
  const dish = dishes.get(menuItemId);
  return dish ? groupsOf({ ...dish, variants: [] }) : [];
}

/** A selection. @param {Component} component @param {Offer} offer @param {Dishes} dishes @returns {Part} */
function part(component, offer, dishes) {
  return { component: component.name, menuItemId: offer.menuItemId, variantId: offer.variantId ?? null, name: offer.name, extraCents: offer.extraCents, options: defaults(ownGroups(offer.menuItemId, dishes)) };
}

/** Whether a selection is of that offer. @param {{ menuItemId: string, variantId?: string | null }} one @param {{ menuItemId: string, variantId?: string | null }} other */
export const isOf = (one, other) => one.menuItemId === other.menuItemId && (one.variantId ?? null) === (other.variantId ?? null);

/** The selections of a component, with their places among all. @param {Part[]} parts @param {Component} component */
export function partsOf(parts, component) { return parts.map((one, at) => ({ ...one, at })).filter((one) => one.component === component.name); }

/** Selections in the order of the combo. @param {Item | undefined} item @param {Part[]} parts */
function inOrder(item, parts) {
  const at = new Map(componentsOf(item).map((component, n) => [component.name, n]));
  return parts.map((one, n) => ({ one, n })).sort((a, b) => (at.get(a.one.component) ?? 99) - (at.get(b.one.component) ?? 99) || a.n - b.n).map(({ one }) => one);
}

/** `parts` with what can only be chosen in one way: something is needed, and one dish alone is to be had. @param {Item} item @param {Part[]} parts @param {Dishes} dishes @returns {Part[]} */
export function filled(item, parts, dishes) {
  const more = componentsOf(item).flatMap((component) => {
    const there = component.options.filter((offer) => offer.isAvailable), lacks = component.minSelections - partsOf(parts, component).length;
    return there.length === 1 && lacks > 0 ? Array.from({ length: lacks }, () => part(component, there[0], dishes)) : [];
  });
  return more.length > 0 ? inOrder(item, [...parts, ...more]) : parts;
}

/**
 * Taps a dish of a combo. Where one may be chosen it takes the place of the other; where several may be, a tap on a chosen one takes it back.
 * @param {Item} item @param {Part[]} parts @param {Component} component @param {Offer} offer @param {Dishes} dishes @returns {Part[]}
 */
export function pick(item, parts, component, offer, dishes) {
  const mine = partsOf(parts, component), chosen = mine.some((one) => isOf(one, offer));
  const without = (/** @type {(one: Part) => boolean} */ gone) => parts.filter((one) => one.component !== component.name || !gone(one));
  if (chosen && component.maxSelections === 1 && component.minSelections === 1) return parts;
  if (chosen) return without((one) => isOf(one, offer));
  if (component.maxSelections === 1) return inOrder(item, [...without(() => true), part(component, offer, dishes)]);
  return mine.length >= component.maxSelections ? parts : inOrder(item, [...parts, part(component, offer, dishes)]);
}

/** One more of a dish that is chosen for a combo already. @param {Item} item @param {Part[]} parts @param {Component} component @param {Offer} offer @param {Dishes} dishes @returns {Part[]} */
export function pickMore(item, parts, component, offer, dishes) {
  return partsOf(parts, component).length >= component.maxSelections ? parts : inOrder(item, [...parts, part(component, offer, dishes)]);
}

/** Changes the selection at a place. @param {Part[]} parts @param {number} at @param {(part: Part) => Part} change */
export function changePart(parts, at, change) { return parts.map((one, n) => (n === at ? change(one) : one)); }

/** What is still to be chosen for a combo: of its components, and of their dishes. @param {Item | undefined} item @param {Part[]} parts @param {Dishes} dishes @returns {{ id: string, name: string }[]} */
export function lackingParts(item, parts, dishes) {
  return componentsOf(item).flatMap((component) => {
    const mine = partsOf(parts, component);
    if (mine.length < component.minSelections) return [{ id: `part/${component.name}`, name: component.own ?? component.name }];
    return mine.flatMap((one) => ownGroups(one.menuItemId, dishes).filter((group) => count(one, group) < group.minSelections).map((group) => ({ id: `part/${one.at}/${group.id}`, name: `${one.name}: ${group.name}` })));
  });
}

/** What selections ask on top of a combo's price. @param {Part[]} parts */
export const extraOf = (parts) => parts.reduce((sum, one) => sum + one.extraCents + costOf(one.options), 0);

/** The name of what was chosen and cannot be had any more; null where all can. @param {Item} item @param {Part[]} parts @param {Dishes} dishes */
export function lostPart(item, parts, dishes) {
  for (const one of parts) {
    const offer = componentsOf(item).find(({ name }) => name === one.component)?.options.find((other) => isOf(one, other));
    if (!offer?.isAvailable) return one.name;
    const there = currentOptions(one.options, ownGroups(one.menuItemId, dishes));
    const lost = one.options.find((option) => !there.some(({ optionId }) => optionId === option.optionId));
    if (lost) return `${one.name}: ${lost.name}`;
  }
  return null;
}

/** Selections as the menu of now has them, without what cannot be had. @param {Item} item @param {Part[]} parts @param {Dishes} dishes @returns {Part[]} */
export function currentParts(item, parts, dishes) {
  const left = parts.flatMap((one) => {
    const offer = componentsOf(item).find(({ name }) => name === one.component)?.options.find((other) => isOf(one, other));
    return offer?.isAvailable ? [{ ...one, name: offer.name, extraCents: offer.extraCents, options: currentOptions(one.options, ownGroups(one.menuItemId, dishes)) }] : [];
  });
  return filled(item, left, dishes);
}

/** Selections as they are sent. @param {Part[]} parts */
export function partBodies(parts) {
  return parts.map(({ component, menuItemId, variantId, options }) => ({ name: component, menuItemId, ...(variantId ? { variantId } : {}), modifiers: optionBodies(options) }));
}

/** Selections as people read them: the same ones once with their number. @param {{ name: string, with: string[] }[]} parts */
export function told(parts) {
  /** @type {Map<string, number>} */
  const names = new Map();
  for (const one of parts) { const text = [one.name, ...one.with].join(" · "); names.set(text, (names.get(text) ?? 0) + 1); }
  return [...names].map(([text, n]) => (n > 1 ? `${n} × ${text}` : text));
}
