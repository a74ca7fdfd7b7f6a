// What the till counts and sorts before it shows it: tables, dishes that are looked for, cash, shares. Pure: no clock, no server, no page.

import { nameIn, namesOf, plain } from "../kit/words.js";

/** @typedef {import("api").components["schemas"]["FloorTable"]} FloorTable */
/** @typedef {import("api").components["schemas"]["FloorOrder"]} FloorOrder */
/** @typedef {import("api").components["schemas"]["MenuItem"]} Item */
/** @typedef {"FREE" | "RESERVED" | "BLOCKED" | "DIRTY" | "ACCEPT" | "READY" | "CALL" | "PAID" | "BILL" | "COOKING" | "EATING" | "HELD" | "SEATED"} Word */

/** How a table or an order stands, in one word: what somebody has to do comes first. @param {FloorTable} table @returns {Word} */
export function wordOfTable(table) {
  if (table.status === "CLEANING") return "DIRTY";
  if (table.status === "BLOCKED") return "BLOCKED";
  if (table.status === "RESERVED" && !table.party) return "RESERVED";
  if (!table.party && table.orders.length === 0) return "FREE";
  if (table.orders.some((order) => order.awaitsApproval)) return "ACCEPT";
  if (table.orders.some((order) => order.lines.ready > 0)) return "READY";
  if (table.calls.length > 0) return "CALL";
  if (table.orders.length > 0 && table.dueCents === 0) return "PAID";
  if (table.status === "BILL_PRINTED" || (table.orders.length > 0 && table.orders.every((order) => order.bill))) return "BILL";
  if (table.orders.some((order) => order.lines.waiting > 0)) return "COOKING";
  if (table.orders.some((order) => order.lines.held > 0)) return "HELD";
  return table.orders.length > 0 ? "EATING" : "SEATED";
}

/** @param {FloorOrder} order @returns {Word} */
export function wordOfOrder(order) {
  if (order.awaitsApproval) return "ACCEPT";
  if (order.lines.ready > 0) return "READY";
  if (order.dueCents === 0) return order.lines.waiting > 0 ? "COOKING" : "PAID";
  if (order.lines.waiting > 0) return "COOKING";
  return order.bill ? "BILL" : "EATING";
}

/** When the party sat down, or the first order was taken. @param {FloorTable} table */
export function since(table) { return table.party?.openedAt ?? table.orders[0]?.createdAt ?? null; }

/** @param {FloorTable} table */
export function coversOf(table) {
  const guests = table.orders.reduce((sum, order) => sum + (order.guestCount ?? 0), 0);
  return table.party?.partySize ?? (guests || null);
}

/** @param {FloorTable} table @param {string | null} me */
export function isMine(table, me) {
  return me !== null && (table.party?.server?.id === me || table.orders.some((order) => order.server?.id === me));
}

/** How old a party may be: `late` and `warn` in minutes. @param {number | null} minutes @param {{ warnMinutes: number, lateMinutes: number }} ageing */
export function age(minutes, ageing) {
  if (minutes === null) return "";
  return minutes >= ageing.lateMinutes ? "late" : minutes >= ageing.warnMinutes ? "soon" : "new";
}

/** Whom an order came through, and its number there; empty where it is the house's own. @param {{ channelId?: string | null, externalId?: string | null }} order @param {ReadonlyMap<string, string>} channels */
export function originOf(order, channels) {
  return order.channelId ? [channels.get(order.channelId), order.externalId].filter(Boolean).join(" ") : "";
}

/** Whether staff have still to say yes or no: a guest's own order, or one that came through a channel. @param {{ status: string, awaitsApproval: boolean, channelId?: string | null }} order */
export function wantsAnswer(order) { return order.status !== "CANCELLED" && (order.awaitsApproval || (order.status === "PENDING" && Boolean(order.channelId))); }

/** The tables by area, in the order they came. @param {FloorTable[]} tables @returns {{ area: string, tables: FloorTable[] }[]} */
export function byArea(tables) {
  /** @type {Map<string, FloorTable[]>} */
  const areas = new Map();
  for (const table of tables) areas.set(table.area ?? "", [...(areas.get(table.area ?? "") ?? []), table]);
  return [...areas].map(([area, list]) => ({ area, tables: list }));
}

/**
 * Where tables stand on the plan, in per cent of it and as rows of a grid; null where they have no places of their own.
 * @param {FloorTable[]} tables
 */
export function plan(tables) {
  if (tables.some((table) => !table.position)) return null;
  const places = tables.map((table) => /** @type {{ x: number, y: number }} */ (table.position));
  /** @param {"x" | "y"} axis */
  const lines = (axis) => [...new Set(places.map((place) => place[axis]))].sort((a, b) => a - b);
  const xs = lines("x"), ys = lines("y");
  if (new Set(places.map(({ x, y }) => `${x}/${y}`)).size < places.length) return null;
  return { columns: xs.length, rows: ys.length, at: tables.map((table, n) => ({ id: table.id, column: xs.indexOf(places[n].x) + 1, row: ys.indexOf(places[n].y) + 1 })) };
}

/** @template {{ name: string, texts?: any }} T @param {T} one @param {string} tag @returns {T} */
const said = (one, tag) => { const own = nameIn(one, tag); return own ? { ...one, name: own } : one; };

/**
 * Chapters as somebody reads them who reads in `tag`: dishes keep the house's own name, with theirs as `own`; what they choose of is theirs alone.
 * @template {{ id: string, name: string, items: Item[] }} C @param {C[]} chapters @param {string} tag @returns {C[]}
 */
export function readIn(chapters, tag) {
  const all = new Map(chapters.flatMap((chapter) => chapter.items.map((item) => [item.id, item])));
  return chapters.map((chapter) => ({ ...said(chapter, tag), items: chapter.items.map((item) => dishIn(item, tag, all)) }));
}

/**
 * A dish as somebody reads it; what a combo is of keeps its name, by which it is sold, with theirs as `own`.
 * @param {Item} item @param {string} tag @param {ReadonlyMap<string, Item>} all the menu's dishes @returns {Item & { own: string | null }}
 */
export function dishIn(item, tag, all) {
  return { ...item, own: nameIn(item, tag), variants: item.variants.map((size) => said(size, tag)),
    modifierGroups: item.modifierGroups.map((group) => ({ ...said(group, tag), options: group.options.map((option) => said(option, tag)) })),
    components: item.components.map((component) => ({ ...component, own: nameIn(component, tag), options: component.options.map((offer) => ({ ...offer, own: offerIn(offer, all.get(offer.menuItemId), tag) })) })) };
}

/** What is offered for a combo, as somebody reads it: a dish, in its size where that is said. @param {{ name: string, variantId?: string | null }} offer @param {Item | undefined} dish @param {string} tag */
function offerIn({ name, variantId }, dish, tag) {
  const size = dish?.variants.find(({ id }) => id === variantId);
  if (!dish || (variantId && !size)) return null;
  const [own, portion] = [dish, size].map((one) => one && (nameIn(one, tag) ?? one.name)), whole = portion ? `${own} (${portion})` : own;
  return whole === name ? null : whole ?? null;
}

/**
 * Dishes by first letters of words (`pa ti`, `pt`) in any language of the menu, by number of the menu (`12`), then by letters within; the best first.
 * @param {Item[]} items @param {string} typed @returns {Item[]}
 */
export function find(items, typed) {
  const asked = plain(typed).trim();
  if (!asked) return items;
  /** @param {Item} item */
  const rank = (item) => Math.min(...namesOf(item).map((name) => rankOf(plain(name), plain(item.sku ?? ""))));
  const rankOf = (/** @type {string} */ name, /** @type {string} */ sku) => {
    const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    if (/^\d+$/.test(asked)) return sku === asked || Number(/(\d+)$/.exec(sku)?.[1] ?? NaN) === Number(asked) ? 0 : name.includes(asked) ? 4 : 9;
    if (name.startsWith(asked)) return 0;
    const parts = asked.split(/\s+/);
    if (parts.length > 1 && parts.every((part) => words.some((word) => word.startsWith(part)))) return 1;
    if (words.map((word) => word[0]).join("").startsWith(asked)) return 2;
    if (words.some((word) => word.startsWith(asked))) return 1;
    return sku.includes(asked) || name.includes(asked) ? 4 : 9;
  };
  return items.map((item, at) => ({ item, at, rank: rank(item) })).filter((one) => one.rank < 9)
    .sort((a, b) => a.rank - b.rank || a.at - b.at).map((one) => one.item);
}

/** The dishes used most, at most `most`. @param {Item[]} items @param {Record<string, number>} used @param {number} [most] */
export function favourites(items, used, most = 18) {
  return items.map((item, at) => ({ item, at, n: used[item.id] ?? 0 })).filter((one) => one.n > 0)
    .sort((a, b) => b.n - a.n || a.at - b.at).slice(0, most).map((one) => one.item);
}

/** Amounts of cash to offer beside the exact one: presets above it, else the next round ones; at most four. @param {number} due @param {number[]} presets */
export function cashOffers(due, presets) {
  const above = presets.filter((one) => one > due).sort((a, b) => a - b);
  const steps = presets.length > 0 ? presets : [1_000, 5_000, 10_000];
  const round = steps.map((step) => Math.ceil(due / step) * step).filter((one) => one > due);
  return [...new Set([...above, ...round])].sort((a, b) => a - b).slice(0, 4);
}

/** What counted coins and notes come to. @param {Record<string, number>} counts by their worth in cents */
export function counted(counts) { return Object.entries(counts).reduce((sum, [worth, n]) => sum + Number(worth) * n, 0); }

/** `due` in `n` parts that differ by a step at most, the larger first. @param {number} due @param {number} n */
export function equalParts(due, n) {
  const each = Math.floor(due / n), rest = due - each * n;
  return Array.from({ length: n }, (_, at) => each + (at < rest ? 1 : 0));
}

/** The seats of an order's lines. @param {{ seatNumber?: number | null, quantity: number }[]} lines */
export function seatsOf(lines) {
  return [...new Set(lines.filter((line) => line.quantity > 0).map((line) => line.seatNumber ?? 0))].filter((seat) => seat > 0).sort((a, b) => a - b);
}

/** Options of a line that was sent, each once with its number. @param {{ name: string }[]} modifiers */
export function told(modifiers) {
  /** @type {Map<string, number>} */
  const names = new Map();
  for (const { name } of modifiers) names.set(name, (names.get(name) ?? 0) + 1);
  return [...names].map(([name, n]) => (n > 1 ? `${n} × ${name}` : name));
}

/**
 * The dishes of a combo that was sent: the same ones once with their number, each with how far the kitchen is.
 * @param {{ itemName: string, modifiers: { name: string }[], kitchen?: { status: string } | null }[]} components
 */
export function madeOf(components) {
  /** @type {{ text: string, status: string, n: number }[]} */
  const rows = [];
  for (const one of components) {
    const text = [one.itemName, ...told(one.modifiers)].join(" · "), status = one.kitchen?.status ?? "";
    const same = rows.find((row) => row.text === text && row.status === status);
    if (same) same.n += 1; else rows.push({ text, status, n: 1 });
  }
  return rows.map(({ text, status, n }) => ({ text: n > 1 ? `${n} × ${text}` : text, status }));
}
