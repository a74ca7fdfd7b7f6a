// What all sections share: the outlet with its money and clock, lists to choose from, and one way to send a change. Never keeps a figure: those
// are read anew where they are shown.

import { all, ask, isRemembered, may, remembered, user } from "../kit/session.js";
import { keepLast, lastKept } from "../kit/keep.js";
import { isPassing } from "../kit/api.js";
import { follow } from "../kit/stream.js";
import { money, quantity, percent } from "../kit/money.js";
import { businessDate, dateOf, day, moment, now, setClock } from "../kit/time.js";
import { locale } from "../kit/words.js";
import { newId } from "../kit/ids.js";
import { signal } from "../kit/view.js";
import { status } from "../kit/connection.js";

/** The outlet's settings. @type {import("../kit/view.js").Signal<any>} */
export const outlet = signal(null);
/** Counts what changed at the branch, for those who show what happens now. */
export const happened = signal(0);

export const zone = () => outlet()?.timezone ?? "UTC";
/** @returns {import("../kit/money.js").Purse} */
export const purse = () => ({ currency: outlet()?.currency ?? "INR", decimals: outlet()?.currencyDecimals ?? 2, locale: locale() });

/** @param {number | null | undefined} cents */
export const cash = (cents) => (cents === null || cents === undefined ? "–" : money(cents, purse()));
/** What one unit costs, in cents that may have parts. @param {number | null | undefined} cents */
export const cost = (cents) => (cents === null || cents === undefined ? "–" : money(Math.round(cents), purse()));
/** @param {string | number | null | undefined} number @param {string} [unit] */
export const amount = (number, unit = "") => (number === null || number === undefined ? "–" : `${quantity(number, locale())}${unit ? ` ${unit}` : ""}`);
/** @param {number | null | undefined} bps */
export const rate = (bps) => (bps === null || bps === undefined ? "–" : percent(bps, locale()));
/** The year of a date, where it is another than now's. @param {string} date */
const year = (date) => (date.slice(0, 4) === today().slice(0, 4) ? "" : ` ${date.slice(0, 4)}`);
/** @param {string | null | undefined} at */
export const when = (at) => (at ? `${moment(at, zone())}${year(at)}` : "–");
/** @param {string | null | undefined} date */
export const date = (date) => (date ? `${day(date, zone())}${year(date)}` : "–");

/** The last day that was closed: where it was closed early, the next one goes on already. */
let closed = "";

/** Says which business date the box is at, where it said so itself. @param {string} date */
export function atDay(date) { closed = later(date, -1); }

/** The business date of now. */
export function today() {
  const date = businessDate(now(), outlet.peek()?.timezone ?? "UTC", outlet.peek()?.businessDayStartsAt);
  return closed >= date ? later(closed, 1) : date;
}

/** The date on the wall: shifts and leave go by it, whenever a business day begins and ends. */
export const onCalendar = () => dateOf(now(), zone());

/** A date some days later. @param {string} from @param {number} days */
export function later(from, days) {
  return new Date(Date.parse(`${from}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Today's figures as they were read last, where the box is away since the page was loaded. @type {any} */
let kept = null;
export const lastToday = () => (isRemembered.peek() ? kept : null);

/** Keeps today's figures for a reload while the box is away. @param {any} today */
export function keepToday(today) {
  if (!isRemembered.peek()) void keepLast("manage", { user: user.peek(), outlet: outlet.peek(), offset: now() - Date.now(), today });
}

/** Shows what was kept to whoever read it: the box is away since the page was loaded. */
export async function last() {
  const one = await lastKept("manage");
  if (!one?.user || !one.outlet) return;
  setClock(new Date(Date.now() + one.offset).toISOString());
  outlet.set(one.outlet);
  kept = one.today;
  remembered(one.user);
}

/** Reads what every section needs, and follows what changes. @returns {Promise<() => void>} how to end it */
export async function prepare() {
  const [{ data: said }, { data: settings }] = await Promise.all([ask("GET", "/status"), ask("GET", `/outlets/${user.peek()?.outlets[0]?.id}`)]);
  setClock(said.clock);
  status.set(said);
  outlet.set(settings);
  if (may("payments:read")) closed = (await ask("GET", "/day-close", { query: { limit: 1 } })).data[0]?.businessDate ?? "";
  const rights = { orders: "orders:read", tickets: "kitchen:read", tables: "tables:read", menu: "menu:read", notifications: "notifications:read" };
  const topics = Object.entries(rights).filter(([, right]) => may(right)).map(([topic]) => topic);
  return follow([...topics, "status"], {
    onReset: () => { happened.update((n) => n + 1); },
    onEvent({ type, data }) {
      if (type === "status" && data) { setClock(data.clock); status.set(data); }
      happened.update((n) => n + 1);
    },
  });
}

/** Lists to choose from, read once until something is changed here. @type {Map<string, Promise<any[]>>} */
const lists = new Map();

/** All rows of a list, for choices. @param {string} path @returns {Promise<any[]>} */
export function rowsOf(path) {
  let known = lists.get(path);
  if (!known) {
    known = all(path);
    lists.set(path, known);
    known.catch(() => lists.delete(path));
  }
  return known;
}

/** Choices of a form from a list. @param {string} path @param {(row: any) => string} [label] */
export const from = (path, label = (row) => row.name) => async () => (await rowsOf(path)).map((row) => ({ value: row.id, label: label(row), row }));

/** Keys of what was sent and has no answer yet: the same request again has the same key. @type {Map<string, string>} */
const keys = new Map();

/**
 * Sends a change. What had no answer is sent again under its key; a refusal and an answer end it.
 * @param {string} method @param {string} path @param {unknown} [body] @param {number} [version]
 */
export async function send(method, path, body, version) {
  const same = `${method} ${path} ${JSON.stringify(body)}`;
  const key = keys.get(same) ?? newId();
  keys.set(same, key);
  try {
    const answer = await ask(method, path, { ...(body === undefined ? {} : { body }), ...(method === "POST" ? { key } : {}), ...(version === undefined ? {} : { version }) });
    keys.delete(same);
    return answer.data;
  } catch (error) {
    if (!isPassing(error)) keys.delete(same);
    throw error;
  } finally {
    lists.clear();
  }
}
