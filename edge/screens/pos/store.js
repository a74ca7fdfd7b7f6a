// What the till knows of the branch and of itself: outlet, menu, floor, the order in view, where somebody stands. Follows the server and
// never runs ahead of it; drafts alone are the till's own.

import { ApiError, Unreachable, isPassing } from "../kit/api.js";
import { status } from "../kit/connection.js";
import { toast } from "../kit/dialog.js";
import { newId } from "../kit/ids.js";
import { keepLast, lastKept, recall, remember } from "../kit/keep.js";
import { said } from "../kit/pin.js";
import { ask, isRemembered, may, person, remembered, token, user, wouldBe } from "../kit/session.js";
import { follow, lastHeard } from "../kit/stream.js";
import { businessDate, setClock, now } from "../kit/time.js";
import { batch, computed, effect, onEnd, signal, untrack } from "../kit/view.js";
import { lang, locale, t } from "../kit/words.js";
import { isListed } from "./choice.js";
import { dishIn, readIn } from "./sums.js";

/** @typedef {import("api").components["schemas"]["OrderDetail"]} Order */
/** @typedef {import("./draft.js").Item} Item */
/** @typedef {{ at: "floor" | "order" | "orders" | "dishes" | "drawer" | "day", tableId?: string, orderId?: string | null, draftId?: string, fresh?: boolean }} View `fresh`: a new order beside those at the table. */

/** The outlet with its settings. */
export const outlet = signal(/** @type {import("api").components["schemas"]["Outlet"] | null} */ (null));
/** The menu's categories with their dishes. */
export const menu = signal(/** @type {{ id: string, name: string, items: Item[] }[]} */ ([]));
/** The floor as it was read last. */
export const floor = signal(/** @type {import("api").components["schemas"]["Floor"] | null} */ (null));
/** The order in view, as it was read last. */
export const order = signal(/** @type {Order | null} */ (null));
/** Whom orders come through, by their ids. */
export const channels = signal(/** @type {ReadonlyMap<string, string>} */ (new Map()));
/** What the staff are to be told of. */
export const notices = signal(/** @type {import("api").components["schemas"]["Notification"][]} */ ([]));
/** Where somebody stands. */
export const view = signal(/** @type {View} */ (recall("pos.view", { at: "floor" })));

/** Every dish by its id. */
export const dishes = computed(() => new Map(menu().flatMap((category) => category.items.map((item) => [item.id, item]))));

/** Who stands here: whoever entered a PIN, else who signed in. Their drafts are theirs. */
export function me() { return person()?.id ?? user()?.employeeId ?? user()?.id ?? null; }
/** What to call them. */
export function myName() { return person()?.name ?? user()?.name ?? ""; }
/** Whether payments are theirs to take. */
export function mayPay() { return may("payments:take") || (may("orders:create") && outlet()?.waitersTakePayments === true); }
/** The outlet's money. */
export function purse() { return { currency: outlet()?.currency ?? "INR", decimals: outlet()?.currencyDecimals ?? 2, locale: locale() }; }
/** The outlet's time zone. */
export function zone() { return outlet()?.timezone ?? "UTC"; }
/** The business date of now: after midnight it is still the evening's. */
export function tradingDay() { return businessDate(now(), zone(), outlet()?.businessDayStartsAt); }
/** @typedef {{ code: string, text: string }[]} Reasons */
/** What the outlet's till is set to. @returns {{ reasons: Partial<Record<string, Reasons>>, tipPresetsBps: number[], cashPresetsCents: number[], ageing: { warnMinutes: number, lateMinutes: number }, idleLockSeconds: number }} */
export function till() { return outlet()?.till ?? { reasons: {}, tipPresetsBps: [], cashPresetsCents: [], ageing: { warnMinutes: 15, lateMinutes: 30 }, idleLockSeconds: 0 }; }
/** The table of an id. @param {string | undefined} id */
export function tableOf(id) { return floor()?.tables.find((table) => table.id === id) ?? null; }

/** Goes to another place; a reload comes back to it. @param {View} next */
export function go(next) {
  batch(() => {
    remember("pos.view", next);
    if (order.peek()?.id !== next.orderId) order.set(null);
    view.set(next);
  });
}

/** Shows what is wrong and goes on. @param {unknown} error */
export function tell(error) { toast(error instanceof ApiError ? said(error) : error instanceof Unreachable ? t("away.nothing") : String(error), "bad"); }

/**
 * Does something once; says what went wrong. Answers whether it was done.
 * @param {() => Promise<unknown>} work
 */
export async function tried(work) {
  try { await work(); return true; } catch (error) { tell(error); return false; }
}

/** Keys of what was asked and not answered: the same question goes under the same key. @type {Map<string, string>} */
const asked = new Map();

/**
 * A POST that must not happen twice: asked again after no answer it goes under the same key.
 * @param {string} method @param {string} path @param {unknown} body
 */
export async function once(method, path, body) {
  const name = JSON.stringify([method, path, body]);
  const key = asked.get(name) ?? newId();
  asked.set(name, key);
  try {
    const { data } = await ask(method, path, { body, key });
    asked.delete(name);
    return data;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) asked.delete(name);
    throw error;
  }
}

/** Shows an order, unless a newer one of it is shown: answers overtake each other. @param {Order} next */
function show(next) { const now = order.peek(); if (now?.id !== next.id || next.version >= now.version) order.set(next); }

/** An order as a route answered it. @param {any} data */
export function took(data) {
  const next = /** @type {Order} */ (data.order ?? data);
  if (next?.id && next.id === (order.peek()?.id ?? view.peek().orderId)) show(next);
  lookAtFloor();
  return next;
}

/** Changes the order in view by a route of it. @param {string} method @param {string} path below the order @param {unknown} [body] @param {string} [id] */
export async function onOrder(method, path, body, id = order.peek()?.id) {
  return took(await once(method, `/orders/${id}${path}`, body));
}

/** Reads an order into view. @param {string} id */
export async function openOrder(id) {
  const { data } = await ask("GET", `/orders/${id}`);
  if (view.peek().orderId === id) show(data);
  return /** @type {Order} */ (data);
}

/** How long an order that could not be read is left alone, in milliseconds. */
const AGAIN = 3_000;
let orderSoon = 0;
/** Reads an order into view, again where asking again may help and it is still wanted. @param {string} id */
async function awaitOrder(id) {
  try { await openOrder(id); } catch (error) {
    if (error instanceof ApiError && error.status === 404) go({ at: "floor" });
    else if (isPassing(error)) {
      // Whoever leaves an order and comes back to it asks once, not twice.
      clearTimeout(orderSoon);
      orderSoon = setTimeout(() => { if (view.peek().orderId === id && order.peek()?.id !== id) void awaitOrder(id); }, AGAIN);
    }
  }
}

let reading = false, stale = false;
/** Reads the floor, soon and once for several reasons. */
export function lookAtFloor() {
  stale = true;
  if (reading) return;
  reading = true;
  (async () => {
    while (stale) {
      stale = false;
      const who = me();
      try { const { data } = await ask("GET", "/floor"); seen(who, data); } catch (error) { if (!(error instanceof Unreachable)) console.warn(error); break; }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    reading = false;
  })();
}

/** Whose reading of the floor is shown. @type {string | null} */
let seenBy = null;
/** @param {string | null} who @param {import("api").components["schemas"]["Floor"]} data */
function seen(who, data) { seenBy = who; floor.set(data); }

let keeping = 0;
/** Keeps what is shown for its reader alone, for a reload while the box is away: soon, and not with every change. */
function keepSoon() {
  keeping ||= setTimeout(() => {
    keeping = 0;
    if (!user.peek() || isRemembered.peek() || seenBy !== me()) return;
    void keepLast("pos", { who: seenBy, user: user.peek(), at: lastHeard.peek(), offset: now() - Date.now(), outlet: outlet.peek(), menu: menu.peek(), floor: floor.peek() });
  }, 500);
}

/** Shows the last floor and menu, where they were read by who stands here: the box is away since the page was loaded. */
export async function last() {
  const kept = await lastKept("pos");
  if (!kept?.user || kept.who !== wouldBe(kept.user)) return;
  batch(() => {
    remembered(kept.user);
    if (!isRemembered.peek()) return;
    setClock(new Date(Date.now() + kept.offset).toISOString());
    lastHeard.set(kept.at);
    outlet.set(kept.outlet); menu.set(kept.menu); floor.set(kept.floor);
  });
}

/** @typedef {{ orderType?: string, tableId?: string, channelId?: string }} Occasion */
/** Whose prices the menu is asked for: the kind of the order in view, a table of its area, its channel. */
const occasion = signal(/** @type {Occasion} */ ({}));
/** Whose prices the menu has that is shown; empty until it was read. */
const shownFor = signal("");
/** Menus as they were read last, by whose prices they have. @type {Map<string, ReturnType<typeof menu>>} */
const menus = new Map();

/** Whose prices the order in view is sold at, as one text. */
export const sellingFor = computed(() => JSON.stringify(occasion()));

/** Whether the menu that is shown has the prices of the order in view. */
export const isOfOrder = computed(() => shownFor() === sellingFor());

/** Says what the order in view is: the menu that is shown has the prices of such an order. @param {Occasion} next */
export function sellFor(next) {
  const name = JSON.stringify(next);
  if (name === JSON.stringify(occasion.peek())) return;
  batch(() => { occasion.set(next); const kept = menus.get(name); if (kept) menu.set(kept); });
  if (user.peek() && !isRemembered.peek()) void lookAtMenu().catch(() => { /* What is shown stays; it is read when the box is back. */ });
}

let menuReading = 0;
/** Reads the menu, at the prices of the order in view. */
export async function lookAtMenu() {
  const mine = (menuReading += 1), asked = occasion.peek();
  // In no language in particular: that is the house's own, which bills and cooks have; what it is called in others stands beside it.
  const { data } = await ask("GET", "/menu", { query: { ...asked, lang: "und" } }).catch((error) => {
    // A table or a channel that is there no more has no prices of its own.
    if (error instanceof ApiError && error.status === 422 && asked.orderType) return ask("GET", "/menu", { query: { orderType: asked.orderType, lang: "und" } });
    throw error;
  });
  if (mine !== menuReading) return;
  const name = JSON.stringify(asked), read = readIn(/** @type {ReturnType<typeof menu>} */ (data.categories), lang());
  menus.set(name, read);
  batch(() => { menu.set(read); shownFor.set(name); });
}

let menuSoon = 0;
/** Reads the menu soon, and once for several reasons. */
function readMenuSoon() { menuSoon ||= setTimeout(() => { menuSoon = 0; void lookAtMenu().catch(() => {}); }, 150); }

/** Applies an event of the stream. @param {import("../kit/stream.js").Event} event */
function apply(event) {
  switch (event.type) {
    case "status": status.set(event.data); setClock(event.data.clock); break;
    case "menuItem": {
      const item = /** @type {Item} */ (event.data);
      const known = dishes.peek().get(event.rowId);
      // What is told has the prices of orders in general: where those of the order in view are others, they are read. Marks of food are told of whole menus alone.
      if (!item || !known || known.categoryId !== item.categoryId || known.dietary !== item.dietary || isListed(item) || isListed(known)) { readMenuSoon(); break; }
      const next = { ...dishIn(item, lang(), dishes.peek()), foodMark: known.foodMark };
      menu.update((list) => list.map((category) => (category.id === item.categoryId ? { ...category, items: category.items.map((one) => (one.id === item.id ? next : one)) } : category)));
      break;
    }
    case "menuCategory": case "modifierGroup": case "priceList": readMenuSoon(); break;
    case "order":
      if (event.data && event.rowId === order.peek()?.id) show(event.data);
      lookAtFloor();
      break;
    case "ticket":
      if (event.data?.orderId && event.data.orderId === order.peek()?.id) void openOrder(event.data.orderId).catch(() => {});
      if (event.data?.status === "READY" && event.data.readyAt && now() - Date.parse(event.data.readyAt) < 60_000) readyTold(event.data);
      lookAtFloor();
      break;
    case "table": lookAtFloor(); break;
    case "notification": notices.update((list) => [event.data, ...list.filter((one) => one.id !== event.rowId)].filter((one) => one && !one.readAt).slice(0, 50)); lookAtFloor(); break;
  }
}

/** @type {Set<string>} */
const rung = new Set();
/** Says once that food of one's own waits at the pass. @param {any} ticket */
function readyTold(ticket) {
  const name = `${ticket.id}/${ticket.readyAt}`;
  if (rung.has(name) || (ticket.server && ticket.server.id !== me())) return;
  rung.add(name);
  toast(ticket.tableNumber ? t("ready.table", { table: ticket.tableNumber, station: ticket.stationName }) : t("ready.order", { token: ticket.tokenNumber, station: ticket.stationName }));
}

/** What a topic wants. */
const RIGHTS = { orders: "orders:read", tables: "tables:read", tickets: "kitchen:follow", menu: "menu:read", notifications: "notifications:read" };

/** Reads all, and follows it as whoever stands here, until what is drawn goes away. */
export function live() {
  effect(() => { if (outlet() && floor() && menu()) keepSoon(); });
  effect(() => {
    me();
    const topics = Object.entries(RIGHTS).filter(([, right]) => may(right)).map(([topic]) => topic);
    onEnd(follow([...topics, "status"], { onEvent: (event) => untrack(() => apply(event)), onReset: readAll, token }));
  });
}

async function readAll() {
  const who = me();
  const [own, , room] = await Promise.all([
    ask("GET", "/outlets"), lookAtMenu(), ask("GET", "/floor"), ask("GET", "/status").then(({ data }) => { status.set(data); setClock(data.clock); }),
    may("channels:read") ? ask("GET", "/channels", { query: { limit: 100 } }).then(({ data }) => channels.set(new Map(data.map((/** @type {any} */ one) => [one.id, one.name])))) : null,
    may("notifications:read") ? ask("GET", "/notifications", { query: { unreadOnly: true, limit: 50 } }).then(({ data }) => notices.set(data)) : null,
  ]);
  batch(() => { outlet.set(own.data[0] ?? null); seen(who, room.data); });
  const id = view.peek().orderId;
  if (id && may("orders:read")) await openOrder(id).catch(() => {});
}

// Where the box's answer is newer than what is shown: the order in view is read when it changes.
effect(() => {
  const { at, orderId } = view();
  if (at !== "order" || !orderId || !me()) return;
  untrack(() => { if (order()?.id !== orderId && may("orders:read")) void awaitOrder(orderId); });
});
