// What a display makes of the kitchen's tickets: cards, their dishes, their age, what is to be cooked in all. Pure: never asks, never draws,
// never reads a clock.

/** @typedef {import("api").components["schemas"]["KitchenTicket"]} Ticket */
/** @typedef {import("api").components["schemas"]["KitchenTicketItem"]} Item */
/** @typedef {"NEW" | "SOON" | "LATE"} Age */
/** A dish on a card, and whether what is shown of it still waits to be told. @typedef {{ ticket: Ticket, item: Item, waits: boolean }} Dish */
/** What was fired together: the first part of a card has no line above it. @typedef {{ ticket: Ticket, line: "ADDED" | "COURSE" | null, dishes: Dish[] }} Part */
/**
 * @typedef {object} Card
 * @property {string} key @property {Ticket} first whose words stand in the head
 * @property {Part[]} parts @property {Ticket[]} slips what staff changed and nobody here has seen
 * @property {boolean} isSlip whether there is nothing to cook
 * @property {string} firedAt since when it is waited for @property {boolean} isAdded @property {boolean} isRush @property {boolean} isStarted
 */
/** What a touch wants that the server has not confirmed. @typedef {{ ticket: string, item: string | null, act: "start" | "ready" | "serve" | "recall" | "rush", value?: number }} Wish */

const SLIPS = ["MODIFICATION", "CANCELLATION", "TRANSFER", "REPRINT"];

/** Whether it only tells: nothing on it is cooked. @param {Ticket} ticket */
export function isSlip(ticket) { return SLIPS.includes(ticket.type); }

/** Whether a cook has to do with it now. @param {Ticket} ticket */
export function isOpen(ticket) { return !isSlip(ticket) && (ticket.status === "QUEUED" || ticket.status === "IN_PREPARATION"); }

/**
 * Whether a display at `station` shows it; null shows all. What nobody acknowledged elsewhere is at the station that stood in then, too.
 * @param {Ticket} ticket @param {string | null} station
 */
export function isFor(ticket, station) { return station === null || ticket.stationId === station || ticket.escalatedToId === station; }

/** How old something is, by the outlet's two limits. @param {number} minutes @param {{ warnMinutes: number, lateMinutes: number }} ageing @returns {Age} */
export function ageOf(minutes, ageing) {
  return minutes >= ageing.lateMinutes ? "LATE" : minutes >= ageing.warnMinutes ? "SOON" : "NEW";
}

/** A ticket as it will be once the server has heard of `wishes`. @param {Ticket} ticket @param {Wish[]} wishes @returns {Ticket} */
export function wished(ticket, wishes) {
  for (const wish of wishes) {
    if (wish.ticket !== ticket.id) continue;
    if (wish.act === "rush") { ticket = { ...ticket, priority: wish.value ?? 0 }; continue; }
    const live = ticket.items.filter((item) => item.status !== "CANCELLED");
    const meant = wish.item ? live.filter((item) => item.id === wish.item) : live;
    const items = ticket.items.map((item) => (meant.includes(item) ? { ...item, status: statusAfter(item.status, wish.act) } : item));
    ticket = { ...ticket, items, status: settled(ticket, items, wish) };
  }
  return ticket;
}

/** @param {Item["status"]} status @param {Wish["act"]} act @returns {Item["status"]} */
function statusAfter(status, act) {
  if (act === "start") return status === "QUEUED" ? "IN_PREPARATION" : status;
  return act === "recall" ? "IN_PREPARATION" : "READY";
}

/** @param {Ticket} ticket @param {Item[]} items @param {Wish} wish @returns {Ticket["status"]} */
function settled(ticket, items, wish) {
  if (wish.act === "serve") return "SERVED";
  const live = items.filter((item) => item.status !== "CANCELLED");
  if (live.length > 0 && live.every((item) => item.status === "READY")) return ticket.status === "SERVED" ? "SERVED" : "READY";
  return live.some((item) => item.status !== "QUEUED") ? "IN_PREPARATION" : ticket.status;
}

/** @param {Ticket} ticket */
const keyOf = (ticket) => `${ticket.orderId}/${ticket.course}/${ticket.stationId}`;
/** @param {Ticket} ticket */
const fired = (ticket) => ticket.firedAt ?? ticket.createdAt;

/**
 * The cards: what is to be cooked of one order, course and station stands on one, additions below it. What staff changed stands on the card
 * that it is about, or on one of its own.
 * @param {Ticket[]} tickets in the order in which they are to be cooked @param {Ticket[]} slips @param {(item: string) => boolean} waits
 * @returns {Card[]}
 */
export function cardsOf(tickets, slips, waits) {
  /** @type {Map<string, Ticket[]>} */
  const groups = new Map();
  for (const ticket of tickets.filter(isOpen)) groups.set(keyOf(ticket), [...(groups.get(keyOf(ticket)) ?? []), ticket]);
  /** @type {Card[]} */
  const cards = [];
  for (const [key, open] of groups) {
    const since = open.map((one) => one.createdAt).sort()[0];
    // What was finished while the rest was on the card stays there, so that nothing moves.
    const done = tickets.filter((one) => !isSlip(one) && one.status === "READY" && keyOf(one) === key && (one.readyAt ?? "9") >= since);
    const all = [...done, ...open].sort((a, b) => fired(a).localeCompare(fired(b)) || a.id.localeCompare(b.id));
    cards.push(cardOf(key, all, waits));
  }
  for (const slip of slips) {
    const about = cards.find((card) => card.parts.some(({ ticket }) => ticket.id === slip.refersToId || ticket.orderId === slip.orderId && ticket.stationId === slip.stationId));
    if (about && slip.type !== "REPRINT") about.slips.push(slip);
    else cards.push({ ...cardOf(`slip/${slip.id}`, [slip], waits), slips: [slip], isSlip: true });
  }
  return cards;
}

/** @param {string} key @param {Ticket[]} all @param {(item: string) => boolean} waits @returns {Card} */
function cardOf(key, all, waits) {
  const open = all.filter(isOpen);
  const first = all[0];
  const parts = all.map((ticket, at) => ({
    ticket,
    line: /** @type {Part["line"]} */ (at === 0 ? null : ticket.type === "ADDITION" ? "ADDED" : "COURSE"),
    dishes: ticket.items.map((item) => ({ ticket, item, waits: waits(item.id) || waits(ticket.id) })),
  }));
  return {
    key, first, parts, slips: [], isSlip: false,
    firedAt: fired(open[0] ?? first),
    isAdded: first.type === "ADDITION",
    isRush: open.some((one) => one.priority > 0),
    isStarted: open.length > 0 && open.every((one) => one.items.every((item) => item.status !== "QUEUED")),
  };
}

/** What guests must not eat unknowing, of all that is on the card. @param {Card} card @returns {string[]} */
export function allergensOf(card) {
  const live = card.parts.flatMap(({ dishes }) => dishes).filter(({ item }) => item.status !== "CANCELLED");
  return [...new Set(live.flatMap(({ item }) => item.allergens))].sort();
}

/** The dishes of a card that can still be touched. @param {Card} card @returns {Dish[]} */
export function dishesOf(card) { return card.isSlip ? [] : card.parts.flatMap(({ dishes }) => dishes); }

/** How many portions are still to be cooked. @param {Card} card */
export function portionsOf(card) {
  return dishesOf(card).filter(({ item }) => item.status === "QUEUED" || item.status === "IN_PREPARATION").reduce((sum, { item }) => sum + item.quantity, 0);
}

/** What is to be cooked of a dish; of one that is weighed its weight counts. @typedef {{ name: string, quantity: number, begun: number, modifiers: { text: string, quantity: number }[], weight: number, begunWeight: number, weightUnit: string | null }} AllDay */

/** Two weights together, to the millionth. @param {number} one @param {number} other */
const sumOf = (one, other) => (Math.round(one * 1_000_000) + Math.round(other * 1_000_000)) / 1_000_000;

/**
 * What is to be cooked in all, what there is most of first.
 * @param {Card[]} cards @returns {AllDay[]}
 */
export function allDayOf(cards) {
  /** @type {Map<string, AllDay>} */
  const dishes = new Map();
  for (const { item } of cards.flatMap(dishesOf)) {
    if (item.status !== "QUEUED" && item.status !== "IN_PREPARATION") continue;
    const { weight, weightUnit = null } = item, key = `${item.name}/${weightUnit ?? ""}`;
    const dish = dishes.get(key) ?? { name: item.name, quantity: 0, begun: 0, modifiers: [], weight: 0, begunWeight: 0, weightUnit };
    dish.quantity += item.quantity;
    dish.weight = sumOf(dish.weight, weight ?? 0);
    if (item.status === "IN_PREPARATION") { dish.begun += item.quantity; dish.begunWeight = sumOf(dish.begunWeight, weight ?? 0); }
    const text = item.modifiers.join(", ");
    const same = dish.modifiers.find((one) => one.text === text);
    if (same) same.quantity += item.quantity;
    else dish.modifiers.push({ text, quantity: item.quantity });
    dishes.set(key, dish);
  }
  return [...dishes.values()].sort((a, b) => b.quantity - a.quantity || a.name.localeCompare(b.name));
}

/** The sizes of dishes by how far away they are read, in metres: capitals of 16 arc minutes. */
export const DISTANCES = { "0.5": 18, "1": 26, "1.5": 40, "2": 53, "3": 79 };

/**
 * How many places there are on a page: columns and rows by the size of letters, and never more than the nine that a key names.
 * @param {number} width @param {number} height @param {number} letter
 */
export function gridOf(width, height, letter) {
  const fit = Math.max(1, Math.min(9, Math.floor(width / Math.max(216, letter * 9.2))));
  const rows = Math.max(1, Math.min(4, Math.floor(height / (letter * 8 + 130))));
  // Nobody looks at a place that no key names: the others are wider instead.
  const columns = Math.min(fit, Math.ceil(9 / rows));
  return { columns, rows, places: Math.min(9, columns * rows) };
}

/** The keys of a display until others are learned. @type {Record<string, string>} */
export const KEYS = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [`bump${n}`, String(n)])),
  page: "0", up: "ArrowUp", down: "ArrowDown", left: "ArrowLeft", right: "ArrowRight", start: "Enter", undo: "Backspace", recall: "r", allDay: "a",
};

/** What a key means; null: nothing. @param {string} key @param {Record<string, string>} learned */
export function meaningOf(key, learned) {
  const same = (/** @type {string} */ other) => other.length === 1 ? other.toLowerCase() === key.toLowerCase() : other === key;
  const own = Object.entries(learned).find(([, one]) => same(one));
  if (own) return own[0];
  return Object.entries(KEYS).find(([act, one]) => !(act in learned) && same(one))?.[0] ?? null;
}

/** A dish of a combo, at whatever station, and how far it is; or one weighing, without a name. @typedef {{ key: string, name: string, quantity: number, modifiers: string, status: Item["status"] | "HELD" | "SERVED", weight?: number, weightUnit?: string | null }} Piece */

/**
 * What belongs together: the dishes of an order's combos, at whatever station; those of each seat, and of what was sent later, apart. And what was
 * weighed, each weighing by itself: whoever hands it out sees which piece it is.
 * @param {Ticket[]} tickets of one order @returns {{ key: string, name: string, seat: number | null, isReady: boolean, isWeighed?: boolean, pieces: Piece[] }[]}
 */
export function combosOf(tickets) {
  /** @type {Map<string, { key: string, name: string, seat: number | null, isWeighed?: boolean, pieces: Piece[] }>} */
  const combos = new Map();
  for (const ticket of tickets.filter((one) => !isSlip(one) && one.status !== "CANCELLED")) {
    for (const item of ticket.items) {
      if (item.status === "CANCELLED") continue;
      const { weight, weightUnit } = item;
      if (weight) {
        const status = ticket.status === "SERVED" || ticket.status === "HELD" ? ticket.status : item.status;
        combos.set(item.id, { key: item.id, name: item.name, seat: item.seatNumber ?? null, isWeighed: true, pieces: [{ key: `${item.id}/${status}`, name: "", quantity: 1, modifiers: item.modifiers.join(" · "), status, weight, weightUnit }] });
        continue;
      }
      if (!item.comboName) continue;
      const key = `${item.comboName}/${item.seatNumber ?? ""}/${ticket.createdAt}`, combo = combos.get(key) ?? { key, name: item.comboName, seat: item.seatNumber ?? null, pieces: [] };
      const status = ticket.status === "SERVED" || ticket.status === "HELD" ? ticket.status : item.status, modifiers = item.modifiers.join(" · ");
      const same = combo.pieces.find((one) => one.name === item.name && one.modifiers === modifiers && one.status === status);
      if (same) same.quantity += item.quantity;
      else combo.pieces.push({ key: `${item.id}/${status}`, name: item.name, quantity: item.quantity, modifiers, status });
      combos.set(key, combo);
    }
  }
  return [...combos.values()].filter(({ pieces }) => pieces.some(({ status }) => status !== "SERVED")).map((combo) => ({ ...combo, isReady: combo.pieces.every(({ status }) => status === "READY" || status === "SERVED") }));
}
