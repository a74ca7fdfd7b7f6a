// What dishes cost by price lists at a moment of the outlet's wall: for looking ahead. Pure: the moment is an argument, no document, no fetch.
// Never the price of an order: that is the box's, by its own clock.

import { cents, decimal } from "../kit/money.js";
import { DAYS } from "../kit/dish.js";

/** @typedef {import("api").components["schemas"]["PriceList"]} PriceList */
/** @typedef {import("api").components["schemas"]["PriceEntry"]} PriceEntry */
/** What of an order its prices hang on. @typedef {{ orderType?: string, channelId?: string, area?: string }} Occasion */
/** @typedef {{ cents: number, list: PriceList | null }} Price */

/** A date some days later. @param {string} date @param {number} days */
const later = (date, days) => new Date(Date.parse(`${date}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
/** The day of the week of a date. @param {string} date */
export const weekday = (date) => DAYS[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7];

/** The hours of a list that begin on a day, as the wall shows them (2026-11-27T18:00); null where it does not begin then. @param {PriceList} list @param {string} date */
function begun(list, date) {
  if ((list.days && !list.days.includes(/** @type {any} */ (weekday(date)))) || (list.startsOn && date < list.startsOn) || (list.endsOn && date > list.endsOn)) return null;
  const from = list.from ?? "00:00", to = list.to && list.to !== "00:00" ? list.to : "24:00";
  const end = to === "24:00" ? `${later(date, 1)}T00:00` : `${from < to ? date : later(date, 1)}T${to}`;
  return { from: `${date}T${from}`, to: end };
}

/** The hours of a list that hold at a moment of the wall. @param {PriceList} list @param {string} wall */
function spanAt(list, wall) {
  const today = wall.slice(0, 10);
  return [today, later(today, -1)].map((date) => begun(list, date)).find((span) => span && span.from <= wall && wall < span.to) ?? null;
}

/** Whether its days and hours hold. @param {PriceList} list @param {string} wall 2026-11-27T18:30 */
export const holds = (list, wall) => spanAt(list, wall) !== null;

/**
 * When that ends, or when it begins next, as the wall shows it; null: never, or not within a year.
 * @param {PriceList} list @param {string} wall @returns {string | null}
 */
export function turn(list, wall) {
  let span = spanAt(list, wall);
  if (span) {
    // Hours that go on where others end are one.
    for (let n = 0; span && n < 370; n += 1) {
      const next = spanAt(list, span.to);
      if (!next) return span.to;
      if (next.to <= span.to) return span.to;
      span = next;
    }
    return null;
  }
  const first = list.startsOn && list.startsOn > wall.slice(0, 10) ? list.startsOn : wall.slice(0, 10);
  for (let n = 0; n < 370; n += 1) {
    const next = begun(list, later(first, n));
    if (next && next.from > wall) return next.from;
  }
  return null;
}

/** Whether it is for such an order. @param {PriceList} list @param {Occasion} occasion */
export function isFor(list, { orderType, channelId, area }) {
  return (!list.orderTypes || (!!orderType && list.orderTypes.includes(/** @type {any} */ (orderType)))) && (!list.channelIds || (!!channelId && list.channelIds.includes(channelId)))
    && (!list.areas || (!!area && list.areas.some((one) => one.toLowerCase() === area.toLowerCase())));
}

/** The lists in the order in which they are asked. @param {PriceList[]} lists */
export function inOrder(lists) {
  const text = (/** @type {PriceList} */ one) => `${one.createdAt} ${one.id}`;
  return [...lists].sort((one, other) => other.priority - one.priority || (text(one) < text(other) ? -1 : 1));
}

/** What an entry makes of the outlet's own price: rounded half away from zero, exactly. @param {number} own @param {PriceEntry} entry */
export function made(own, { priceCents, adjustBps }) {
  if (priceCents !== null && priceCents !== undefined) return priceCents;
  const product = BigInt(own) * BigInt(adjustBps ?? 0), sign = product < 0n ? -1n : 1n;
  return Math.max(0, own + Number(sign * ((sign * product + 5_000n) / 10_000n)));
}

/** What an entry is about. @param {PriceEntry} entry */
export const target = (entry) => entry.variantId ?? entry.menuItemId ?? entry.categoryId ?? "";

/**
 * What something costs: of the lists that hold, the first that names it, its dish or its category.
 * @param {number} own the outlet's own price @param {string[]} targets the nearest first @param {PriceList[]} lists those that hold, in their order @returns {Price}
 */
export function cost(own, targets, lists) {
  for (const list of lists) {
    for (const one of targets) {
      const entry = list.entries?.find((each) => target(each) === one);
      if (entry) return { cents: made(own, entry), list };
    }
  }
  return { cents: own, list: null };
}

/** The lists that hold for such an order then, in their order. @param {PriceList[]} lists @param {string} wall @param {Occasion} occasion */
export const inForce = (lists, wall, occasion) => inOrder(lists.filter((list) => holds(list, wall) && isFor(list, occasion)));

/** What is sold of a dish: itself, or each of its sizes, with the outlet's own price. @param {any} dish @returns {{ id: string, name: string, own: number, cents: number, priceListId: string | null, targets: string[] }[]} */
export function portions(dish) {
  const own = (/** @type {any} */ one) => one.outletPriceCents ?? one.basePriceCents;
  const shown = (/** @type {any} */ one) => ({ cents: one.priceCents, priceListId: one.priceListId ?? null });
  if (dish.variants.length === 0) return [{ id: dish.id, name: dish.name, own: own(dish), ...shown(dish), targets: [dish.id, dish.categoryId] }];
  return dish.variants.map((/** @type {any} */ one) => ({ id: one.id, name: `${dish.name} · ${one.name}`, own: own(one), ...shown(one), targets: [one.id, dish.id, dish.categoryId] }));
}

/** What an entry of a list is about, and how it is typed: what it costs, or so many per cent less or more. @typedef {{ kind: "menuItemId" | "variantId" | "categoryId", id: string, how: "costs" | "less" | "more", text: string }} Line */

/** An entry as it is typed. @param {PriceEntry} entry @param {number} decimals @returns {Line} */
export function lineOf(entry, decimals) {
  const kind = entry.variantId ? "variantId" : entry.menuItemId ? "menuItemId" : "categoryId";
  const { priceCents, adjustBps } = entry;
  if (priceCents !== null && priceCents !== undefined) return { kind, id: target(entry), how: "costs", text: decimal(priceCents, decimals) };
  return { kind, id: target(entry), how: (adjustBps ?? 0) < 0 ? "less" : "more", text: String(Number(decimal(Math.abs(adjustBps ?? 0), 2))) };
}

/** What was typed, as an entry; null where it is none. @param {Line} line @param {number} decimals @returns {PriceEntry | null} */
export function entryOf({ kind, id, how, text }, decimals) {
  const number = cents(text.trim(), how === "costs" ? decimals : 2);
  if (number === null || (how === "less" && number > 10_000) || (how === "more" && number > 100_000)) return null;
  return { [kind]: id, ...(how === "costs" ? { priceCents: number } : { adjustBps: how === "less" ? 0 - number : number }) };
}
