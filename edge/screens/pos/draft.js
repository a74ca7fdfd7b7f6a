// What is typed at the till before it is sent: lines with their choices, as pure values. Never knows a price of its own: it takes the menu's
// and says where the menu has another one meanwhile.

/** @typedef {import("api").components["schemas"]["MenuItem"]} Item */
/** @typedef {{ id: string, name: string, minSelections: number, maxSelections: number | null, options: { id: string, name: string, priceCents: number, isDefault: boolean, isActive: boolean, isAvailable: boolean }[] }} Group */
/** @typedef {{ optionId: string, name: string, priceCents: number, count: number, isSize?: boolean }} Choice An option, or (`isSize`) a variant of the dish. */
/**
 * @typedef {object} Line
 * @property {string} id @property {string} menuItemId @property {string} name @property {number} unitPriceCents @property {number} quantity
 * @property {Choice[]} options @property {string} notes @property {number | null} seat @property {number | null} course @property {boolean} hold
 * @property {string | null} refusal What the server said of it last.
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

/** The id of the group that the sizes of a dish are. */
export const SIZE = "size";

/** The sizes of a dish, as a group of which one must be chosen. @param {Item | undefined} item @returns {Group[]} */
function sizesOf(item) {
  const options = (item?.variants ?? []).map(({ id, name, priceCents, isDefault, isAvailable }) => ({ id, name, priceCents, isDefault, isAvailable, isActive: true, isSize: true }));
  return options.length > 0 ? [{ id: SIZE, name: "", minSelections: 1, maxSelections: 1, options }] : [];
}

/** What a dish costs without what is chosen: a size brings its own price. @param {Item} item */
const base = (item) => (sizesOf(item).length > 0 ? 0 : item.priceCents);

/** The groups of a dish that have something to choose, its sizes first. @param {Item | undefined} item @returns {Group[]} */
export function groupsOf(item) {
  return [...sizesOf(item), .../** @type {Group[]} */ (/** @type {unknown} */ (item?.modifierGroups ?? [])).filter((group) => group.options.some((option) => option.isActive))];
}

/** @param {Item} item @returns {Choice[]} */
function defaults(item) {
  return groupsOf(item).flatMap((group) => group.options.filter((one) => one.isDefault && one.isActive && one.isAvailable)
    .slice(0, group.maxSelections ?? undefined).map(choice));
}

/** @param {{ id: string, name: string, priceCents: number, isSize?: boolean }} option @returns {Choice} */
const choice = (option) => ({ optionId: option.id, name: option.name, priceCents: option.priceCents, count: 1, ...(option.isSize ? { isSize: true } : {}) });

/** A line of `item`, with what is chosen unless told otherwise. @param {Item} item @param {string} id @param {{ seat?: number | null, quantity?: number }} [more] @returns {Line} */
export function newLine(item, id, { seat = null, quantity = 1 } = {}) {
  return { id, menuItemId: item.id, name: item.name, unitPriceCents: base(item), quantity, options: defaults(item), notes: "", seat, course: null, hold: false, refusal: null };
}

/** What tells two lines apart for the kitchen. @param {Line} line */
function sort(line) {
  const { menuItemId, options, notes, seat, course, hold } = line;
  return JSON.stringify([menuItemId, options.map(({ optionId, count }) => [optionId, count]).sort(), notes, seat, course, hold]);
}

/**
 * One more of a dish: a portion more of the last line where that is the same, else a line of its own. Answers the lines and the line's id.
 * @param {Line[]} lines @param {Line} line @returns {{ lines: Line[], id: string }}
 */
export function add(lines, line) {
  const last = lines.at(-1);
  if (last && !last.refusal && sort(last) === sort(line)) return { lines: lines.with(-1, { ...last, quantity: Math.min(999, last.quantity + line.quantity) }), id: last.id };
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

/**
 * Taps an option. Of a group with one choice the other one goes; a second tap on a chosen one takes it back where several may be chosen.
 * @param {Line} line @param {Group} group @param {Group["options"][number]} option @returns {Line}
 */
export function tap(line, group, option) {
  const chosen = line.options.some((one) => one.optionId === option.id);
  const others = new Set(group.options.map((one) => one.id));
  if (group.maxSelections === 1) {
    if (chosen) return line;
    return { ...line, refusal: null, options: [...line.options.filter((one) => !others.has(one.optionId)), choice(option)] };
  }
  if (chosen) return { ...line, refusal: null, options: line.options.filter((one) => one.optionId !== option.id) };
  if (group.maxSelections !== null && count(line, group) >= group.maxSelections) return line;
  return { ...line, refusal: null, options: [...line.options, choice(option)] };
}

/** Another number of an option that is chosen; none takes it off. @param {Line} line @param {Group} group @param {string} optionId @param {number} by @returns {Line} */
export function more(line, group, optionId, by) {
  if (by > 0 && group.maxSelections !== null && count(line, group) >= group.maxSelections) return line;
  const options = line.options.flatMap((one) => (one.optionId !== optionId ? [one] : one.count + by > 0 ? [{ ...one, count: one.count + by }] : []));
  return { ...line, options };
}

/** Nothing of a group. @param {Line} line @param {Group} group @returns {Line} */
export function none(line, group) {
  return { ...line, options: line.options.filter((one) => !group.options.some((option) => option.id === one.optionId)) };
}

/** How many are chosen of a group. @param {Line} line @param {Group} group */
export function count(line, group) {
  return line.options.reduce((sum, one) => sum + (group.options.some((option) => option.id === one.optionId) ? one.count : 0), 0);
}

/** The groups of which too little is chosen. @param {Line} line @param {Item | undefined} item */
export function lacking(line, item) { return groupsOf(item).filter((group) => count(line, group) < group.minSelections); }

/** What one portion costs. @param {Line} line */
export function priceOfOne(line) { return line.options.reduce((sum, one) => sum + one.priceCents * one.count, line.unitPriceCents); }

/** What a line costs by the menu, before tax and discounts. @param {Line} line */
export function priceOf(line) { return priceOfOne(line) * line.quantity; }

/** @param {Line[]} lines */
export function total(lines) { return lines.reduce((sum, line) => sum + priceOf(line), 0); }

/** @param {Line[]} lines */
export function portions(lines) { return lines.reduce((sum, line) => sum + line.quantity, 0); }

/**
 * How the menu of now differs from what a line was typed at: another price, sold out, too few left, an option that is gone.
 * @param {Line} line @param {Item | undefined} item
 * @returns {{ kind: "GONE" | "OUT" | "FEW" | "OPTION" | "PRICE", was?: number, is?: number, left?: number, name?: string } | null}
 */
export function differs(line, item) {
  if (!item || !item.isActive) return { kind: "GONE" };
  if (!item.isAvailable) return { kind: "OUT" };
  const left = item.availability.quantityLeft;
  if (left != null && Number(left) < line.quantity) return { kind: "FEW", left: Number(left) };
  const now = current(line, item);
  const lost = line.options.find((one) => !now.options.some((other) => other.optionId === one.optionId));
  if (lost) return { kind: "OPTION", name: lost.name };
  const was = priceOfOne(line), is = priceOfOne(now);
  return was === is && line.unitPriceCents === now.unitPriceCents ? null : { kind: "PRICE", was, is };
}

/** The line at the menu of now, without options that cannot be had. @param {Line} line @param {Item} item @returns {Line} */
export function current(line, item) {
  const options = groupsOf(item).flatMap((group) => group.options.filter((option) => option.isActive && option.isAvailable));
  const left = item.availability.quantityLeft;
  return {
    ...line, refusal: null, unitPriceCents: base(item),
    quantity: left == null ? line.quantity : Math.max(0, Math.min(line.quantity, Number(left))),
    options: line.options.flatMap((one) => {
      const option = options.find((other) => other.id === one.optionId);
      return option ? [{ ...one, name: option.name, priceCents: option.priceCents }] : [];
    }),
  };
}

/** The same again of a line that was sent. @param {import("api").components["schemas"]["OrderItem"]} sent @param {Item} item @param {string} id @returns {Line} */
export function again(sent, item, id) {
  /** @type {Choice[]} */
  const options = sizesOf(item).flatMap((group) => group.options.filter((size) => size.id === sent.variantId)).map(choice);
  for (const { optionId, name, priceCents } of sent.modifiers) {
    if (!optionId) continue;
    const known = options.find((one) => one.optionId === optionId);
    if (known) known.count += 1;
    else options.push({ optionId, name, priceCents, count: 1 });
  }
  const line = { ...newLine(item, id, { seat: sent.seatNumber ?? null }), options, notes: sent.notes ?? "", course: sent.course };
  return { ...current(line, item), quantity: 1 };
}

/** A line as it is sent. @param {Line} line */
export function body(line) {
  const size = line.options.find((one) => one.isSize);
  return {
    menuItemId: line.menuItemId, ...(size ? { variantId: size.optionId } : {}), quantity: line.quantity, unitPriceCents: line.unitPriceCents + (size?.priceCents ?? 0), name: line.name,
    modifiers: line.options.filter((one) => one !== size).flatMap(({ optionId, priceCents, count }) => Array.from({ length: count }, () => ({ optionId, priceCents }))),
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

/**
 * The lines of what was refused, each with what was said of it; what was said of the rest beside them.
 * @param {Line[]} lines @param {{ name: string, reason: string }[]} fields @returns {{ lines: Line[], rest: string[] }}
 */
export function refused(lines, fields) {
  /** @type {string[]} */
  const rest = [];
  const said = lines.map(() => /** @type {string[]} */ ([]));
  for (const { name, reason } of fields) {
    const at = /^items\[(\d+)\]/.exec(name);
    const place = at ? said[Number(at[1])] : undefined;
    if (place) place.push(reason);
    else rest.push(`${name}: ${reason}`);
  }
  return { lines: lines.map((line, at) => ({ ...line, refusal: said[at].join("; ") || null })), rest };
}
