// The outlets as they stand now: the list, what the stream says since, and how each one's day goes. Never anything that a branch did not send;
// while head office itself does not answer, what was last known stays, with its time.

import { listen } from "../kit/api.js";
import { all, ask, ownToken, user } from "../kit/session.js";
import { stay } from "../kit/stream.js";
import { computed, onEnd, signal } from "../kit/view.js";
import { heardOf, troubleFirst, troublesOf } from "./model.js";

/** @typedef {import("./model.js").Outlet} Outlet */
/** @typedef {import("./model.js").Now} Now */
/** @typedef {{ outlet: Outlet, now: Now | undefined, sales: { ordersCount: number, netRevenueCents: number, currency: string } | undefined, troubles: import("./model.js").Trouble[] }} Tile */

/** Every outlet of whoever is signed in, as head office holds it. */
export const outlets = signal(/** @type {Outlet[]} */ ([]));
/** Whether the list was read. */
export const isKnown = signal(false);
/** How the day of each goes, by id. */
export const nows = signal(/** @type {Record<string, Now>} */ ({}));
/** The sales of the day as the stream tells them, by id. */
const sales = signal(/** @type {Record<string, any>} */ ({}));

/** Milliseconds: the list is read again so often; after news a look waits so long for more. */
const LIST_EVERY = 20_000, GATHER = 700, DAY_EVERY = 60_000;

/** The outlets with their troubles, those with trouble first. @type {() => Tile[]} */
export const tiles = () => troubleFirst(outlets().map((outlet) => ({ outlet, now: nows()[outlet.id], sales: sales()[outlet.id], troubles: troublesOf(outlet, nows()[outlet.id]) })));

/** The outlet of that id, if it is known. @param {string} id */
export function outletOf(id) { return outlets().find((outlet) => outlet.id === id); }

/** What of the outlets seldom changes, while every few seconds is told how they stand: who follows this is left alone meanwhile. */
const known = computed(() => JSON.stringify(outlets().map(({ id, code, name, currency, standing }) => ({ id, code, name, currency, isNew: standing === "NEW" }))));
/** What the outlets are, as it seldom changes. @returns {{ id: string, code: string, name: string, currency: string, isNew: boolean }[]} */
export const names = () => JSON.parse(known());

/** What outlets are called, for choosing. */
export function choices() { return names().map(({ id, code, name }) => ({ value: id, label: `${name} (${code})` })); }

/** The name of an outlet by its id. @param {string | null | undefined} id */
export function nameOf(id) { return names().find((outlet) => outlet.id === id)?.name ?? "–"; }

/** The currency of an outlet; without an id, of the chain's prices: that of its first outlet. @param {string} [id] @returns {string | undefined} */
export function currencyOf(id) { return (id ? names().find((outlet) => outlet.id === id) : names()[0])?.currency; }

/** Asks the branch's reading routes for one outlet. @param {string} outlet @param {string} path @param {Record<string, any>} [query] */
export function ofOutlet(outlet, path, query = {}) { return ask("GET", path, { query, headers: { "x-outlet-id": outlet } }); }

/** Reads the list anew. */
export async function readOutlets() {
  outlets.set(await all("/hub/outlets"));
  isKnown.set(true);
}

/** Reads how the day of an outlet goes. @param {Outlet} outlet */
async function readNow(outlet) {
  if (outlet.standing === "NEW") return;
  const { data } = await ofOutlet(outlet.id, "/dashboard");
  nows.update((before) => ({
    ...before,
    [outlet.id]: {
      todayCents: data.sales.todayCents, lastWeekCents: data.sales.sameWeekdayLastWeekCents, changePercentage: data.sales.changePercentage, orders: data.sales.ordersCount,
      late: data.lateTickets.count, low: data.stock.lowCount, clockDoubt: !!data.clockDoubt, unusual: data.unusual?.count ?? 0,
    },
  }));
}

/** Reads the days of those outlets, a few at a time. @param {Outlet[]} list */
async function readDays(list) {
  const waiting = [...list];
  const worker = async () => { for (let next = waiting.shift(); next; next = waiting.shift()) await readNow(next).catch(() => {}); };
  await Promise.all(Array.from({ length: 4 }, worker));
}

/** Follows the chain until what is drawn now goes away. */
export function followChain() {
  const ended = new AbortController();
  const may = (/** @type {string} */ permission) => user.peek()?.permissions.includes(permission) ?? false;
  /** @type {Set<string>} */
  const changed = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;
  const look = async () => {
    soon = undefined;
    const ids = new Set(changed);
    changed.clear();
    await readOutlets().catch(() => {});
    if (may("analytics:read")) await readDays(outlets.peek().filter(({ id }) => ids.has(id)));
  };
  const gather = (/** @type {string} */ id) => { changed.add(id); soon ??= setTimeout(() => void look(), GATHER); };
  const every = () => { for (const { id } of outlets.peek()) changed.add(id); return look(); };
  void readOutlets().then(() => (may("analytics:read") ? readDays(outlets.peek()) : undefined)).catch(() => {});
  const timers = [setInterval(() => void readOutlets().catch(() => {}), LIST_EVERY), setInterval(() => void every(), DAY_EVERY)];
  /** @param {string} name @param {any} data */
  function heard(name, data) {
    if (name === "outlet") {
      if (!outlets.peek().some(({ id }) => id === data.outletId)) return gather(data.outletId);
      outlets.update((list) => list.map((outlet) => (outlet.id === data.outletId ? heardOf(outlet, data) : outlet)));
    } else if (name === "sales") {
      sales.update((before) => ({ ...before, [data.outletId]: data }));
    }
    if (name !== "outlet" || data.standing !== "NORMAL") gather(data.outletId);
  }
  if (may("analytics:read")) void stream(ended.signal, heard);
  onEnd(() => { ended.abort(); clearTimeout(soon); timers.forEach(clearInterval); });
}

/** Hears `/hub/stream`, which tells everything as it stands whenever one comes back. @param {AbortSignal} ended @param {(name: string, data: any) => void} heard */
async function stream(ended, heard) {
  await stay(async () => listen("/hub/stream", {
    headers: { authorization: `Bearer ${await ownToken()}` },
    signal: ended,
    onMessage: ({ event, data }) => { if (event && data && event !== "heartbeat") heard(event, data); },
  }), ended);
}

/** How many outlets have something that somebody has to see to. */
export const inTrouble = computed(() => tiles().filter(({ troubles }) => troubles.some(({ level }) => level === "bad")).length);
