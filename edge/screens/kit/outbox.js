// What a screen has to tell the server and may not lose: kept on this device before it is sent, under a key made at the first tap, sent again
// until there is an answer. One subject's entries go in their order. Never payments, bills, voids or punches: those wait for their answer.

import { request, ApiError, isPassing } from "./api.js";
import { newId } from "./ids.js";
import { signal } from "./view.js";

/**
 * @typedef {object} Entry
 * @property {string} key Idempotency-Key.
 * @property {string} subject Entries of one subject, such as an order, go one after the other.
 * @property {string} method @property {string} path @property {unknown} body
 * @property {string | null} person Whose it is: the employee's id.
 * @property {any} about What the screen needs to show it.
 * @property {number} madeAt @property {number} tries
 * @property {"WAITING" | "ASK" | "NEEDS_YOU"} state
 * @property {{ status: number, code: string, message: string, fields: { name: string, reason: string }[], body: any } | null} refusal
 */

/** Older than this, in milliseconds, an entry asks before it goes: food that is fired an hour late is worse than none. */
const FRESH = 180_000;

/** What is not answered yet, the oldest first. */
export const entries = signal(/** @type {Entry[]} */ ([]));

/** @type {Promise<IDBDatabase> | null} */
let opened = null;
/** @type {(entry: Entry, data: any) => void} */
let onDone = () => {};
/** @type {(entry: Entry) => Promise<string>} */
let tokenFor = async () => { throw new Error("the outbox was not started"); };
/** @type {Set<string>} Subjects that are being sent. */
const busy = new Set();
let timer = 0;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("tiffin", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("outbox", { keyPath: "key" });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opened;
}

/** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work @returns {Promise<any>} */
async function stored(mode, work) {
  const db = await database();
  return new Promise((resolve, reject) => {
    const transaction = db.transaction("outbox", mode, { durability: "strict" });
    const asked = work(transaction.objectStore("outbox"));
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * Begins to send what is there. `token` answers what the request of an entry carries, or fails while nobody may send it; `done` hears each
 * answer before its entry goes.
 * @param {{ token: (entry: Entry) => Promise<string>, done: (entry: Entry, data: any) => void }} how
 */
export async function start({ token, done }) {
  tokenFor = token;
  onDone = done;
  const found = /** @type {Entry[]} */ (await stored("readonly", (store) => store.getAll()));
  entries.set(found.sort((a, b) => a.madeAt - b.madeAt));
  for (const entry of entries.peek()) if (entry.state === "WAITING" && Date.now() - entry.madeAt > FRESH) await change(entry, { state: "ASK" });
  send();
}

/**
 * Keeps `wanted` on this device, then sends it. Answers when it is kept.
 * @param {{ key?: string, subject: string, method: string, path: string, body: unknown, person: string | null, about: any }} wanted
 */
export async function put(wanted) {
  /** @type {Entry} */
  const entry = { key: newId(), ...wanted, madeAt: Date.now(), tries: 0, state: "WAITING", refusal: null };
  await stored("readwrite", (store) => store.put(entry));
  entries.update((list) => [...list, entry]);
  send();
  return entry;
}

/** @param {Entry} entry @param {Partial<Entry>} changes */
async function change(entry, changes) {
  const next = { ...entry, ...changes };
  await stored("readwrite", (store) => store.put(next));
  entries.update((list) => list.map((one) => (one.key === entry.key ? next : one)));
  return next;
}

/** Sends an entry that asked, or that was mended: `body` takes the place of its body, under a new key. @param {Entry} entry @param {unknown} [body] */
export async function again(entry, body) {
  if (body === undefined) await change(entry, { state: "WAITING", madeAt: Date.now(), refusal: null });
  else { await put({ ...entry, key: newId(), body }); await drop(entry); }
  send();
}

/** Gives an entry up. @param {Entry} entry */
export async function drop(entry) {
  await stored("readwrite", (store) => store.delete(entry.key));
  entries.update((list) => list.filter((one) => one.key !== entry.key));
}

/** Sends now what waits, one entry of each subject at a time. */
export function send() {
  clearTimeout(timer);
  const first = new Map();
  for (const entry of entries.peek()) if (!first.has(entry.subject)) first.set(entry.subject, entry);
  for (const entry of first.values()) if (entry.state === "WAITING" && !busy.has(entry.subject)) void one(entry);
}

/** @param {Entry} entry */
async function one(entry) {
  busy.add(entry.subject);
  let wait = 0;
  try {
    const token = await tokenFor(entry);
    const { data } = await request(entry.method, entry.path, { body: entry.body, key: entry.key, token });
    onDone(entry, data);
    await drop(entry);
  } catch (error) {
    // A sign-in that ended is asked for by the screen; the entry waits for it.
    const signedOut = error instanceof ApiError && error.status === 401;
    if (error instanceof ApiError && !signedOut && !isPassing(error)) {
      const { status, code, message, fields, body } = error;
      await change(entry, { state: "NEEDS_YOU", refusal: { status, code, message, fields, body } });
    } else {
      const old = Date.now() - entry.madeAt > FRESH;
      const next = await change(entry, { tries: entry.tries + 1, state: old ? "ASK" : "WAITING" });
      const asked = error instanceof ApiError ? error.retryAfter * 1_000 : 0;
      wait = Math.max(asked, Math.min(30_000, 1_000 * 2 ** Math.min(next.tries - 1, 5)) * (0.5 + Math.random()));
    }
  } finally {
    busy.delete(entry.subject);
  }
  clearTimeout(timer);
  if (entries.peek().some((other) => other.state === "WAITING")) timer = setTimeout(send, wait);
}
