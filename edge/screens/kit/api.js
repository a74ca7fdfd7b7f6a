// Requests to this server. A refusal is an `ApiError` with its code and all its fields, no answer at all an `Unreachable`. Never decides who
// asks: the token comes from whoever calls, or from `session.js`.

/** Below this path stands the API. */
export const BASE = "/api/v1";

/** How long an answer is waited for, in milliseconds. */
const PATIENCE = 15_000;

/** Milliseconds without a sign of life after which a stream counts as broken; the server says `heartbeat` every 15 seconds. */
export const SILENCE = 20_000;

/** @typedef {{ name: string, reason: string }} FieldError */

/** The server refused. */
export class ApiError extends Error {
  /** @param {number} status @param {any} body @param {Headers} headers */
  constructor(status, body, headers) {
    super(body?.detail ?? body?.title ?? `HTTP ${status}`);
    this.status = status;
    /** Such as `ERR_CONFLICT`. @type {string} */
    this.code = body?.code ?? "ERR_UNKNOWN";
    /** What is wrong with which field. @type {FieldError[]} */
    this.fields = body?.invalidParams ?? [];
    /** Everything the refusal says. @type {any} */
    this.body = body ?? {};
    /** Seconds to wait, where the server says so. */
    this.retryAfter = Number(headers.get("retry-after") ?? 0);
  }
}

/** There was no answer: it may have been done or not. Ask again with the same key. */
export class Unreachable extends Error {}

/**
 * @typedef {object} Asked
 * @property {unknown} [body]
 * @property {string} [key] Idempotency-Key.
 * @property {number} [version] If-Match.
 * @property {string | null} [token]
 * @property {Record<string, string | number | boolean | null | undefined>} [query]
 * @property {AbortSignal} [signal]
 * @property {Record<string, string>} [headers]
 * @property {boolean} [raw] Answers the response itself.
 */
/** @typedef {{ data: any, meta: any, status: number, replayed: boolean, headers: Headers }} Answer */

/** Told of every try, and of every sign of life of a stream: whether there was an answer. @type {(answered: boolean) => void} */
let heard = () => {};

/** @param {(answered: boolean) => void} listener */
export function onHeard(listener) { heard = listener; }

/** The address of a route. @param {string} path @param {Asked["query"]} [query] */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return BASE + path + (asked ? `?${asked}` : "");
}

/**
 * Asks the server. What it wraps in `data` comes without; `meta` is a list's.
 * @param {string} method @param {string} path below the API's, such as `/orders` @param {Asked} [asked] @returns {Promise<Answer>}
 */
export async function request(method, path, asked = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json", ...asked.headers };
  if (asked.token) headers.authorization = `Bearer ${asked.token}`;
  if (asked.key) headers["idempotency-key"] = asked.key;
  if (asked.version !== undefined) headers["if-match"] = `"${asked.version}"`;
  if (asked.body !== undefined && !headers["content-type"]) headers["content-type"] = "application/json";
  const body = asked.body === undefined ? null : headers["content-type"] === "application/json" ? JSON.stringify(asked.body) : /** @type {any} */ (asked.body);
  const patience = AbortSignal.timeout(PATIENCE);
  const signal = asked.signal ? AbortSignal.any([asked.signal, patience]) : patience;
  let response, text;
  try {
    response = await fetch(address(path, asked.query), { method, headers, body, signal, cache: "no-cache", credentials: "same-origin" });
    text = asked.raw && response.ok ? null : await response.text();
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    heard(false);
    throw new Unreachable(String(error));
  }
  heard(true);
  const answer = read(text);
  if (!response.ok) throw new ApiError(response.status, answer, response.headers);
  return {
    data: asked.raw ? response : answer?.success === true && "data" in answer ? answer.data : answer?.pagination && "data" in answer ? answer.data : answer,
    meta: answer?.meta ?? answer?.pagination ?? null,
    status: response.status,
    replayed: response.headers.get("idempotency-replayed") === "true",
    headers: response.headers,
  };
}

/** @param {string | null} text */
function read(text) {
  if (!text) return null;
  try { return JSON.parse(text); } catch { return null; }
}

/** Whether asking again may help: no answer, or the server is too busy. @param {unknown} error */
export function isPassing(error) {
  return error instanceof Unreachable || (error instanceof ApiError && (error.status === 429 || error.status >= 500));
}

/** @typedef {{ id: string, event: string, data: any }} Message */

/** What a stream says, and what is left of it that is not whole yet. @param {string} text @returns {{ messages: Message[], rest: string }} */
export function messagesIn(text) {
  const parts = text.split("\n\n"), rest = parts.pop() ?? "";
  const messages = parts.map((part) => {
    const of = (/** @type {string} */ name) => part.split("\n").filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim()).join("\n");
    return { id: of("id"), event: of("event"), data: read(of("data")) };
  });
  return { messages, rest };
}

/**
 * Hears an event stream until it ends, is silent for too long, or `signal` ends it. Each message waits for the one before.
 * @param {string} path below the API's, such as `/stream`
 * @param {{ onMessage: (message: Message) => Promise<void> | void, onOpen?: () => Promise<void> | void, onAlive?: () => void, headers?: Record<string, string>, signal?: AbortSignal }} how
 * `onOpen` is awaited before anything is handed on; `onAlive` hears of each sign of life.
 */
export async function listen(path, { onMessage, onOpen, onAlive, headers = {}, signal }) {
  const silent = new AbortController();
  const either = signal ? AbortSignal.any([signal, silent.signal]) : silent.signal;
  let timer = setTimeout(() => silent.abort(), SILENCE);
  try {
    // Coming back is a call as any other: where it fails, nobody waits for the silence to be long.
    const response = await fetch(BASE + path, { headers, signal: either, cache: "no-store" }).catch((error) => {
      if (!signal?.aborted) heard(false);
      throw new Unreachable(String(error));
    });
    if (!response.ok || !response.body) throw new ApiError(response.status, null, response.headers);
    await onOpen?.();
    const reader = response.body.getReader(), decoder = new TextDecoder();
    for (let text = ""; ;) {
      const { done, value } = await reader.read().catch((error) => { throw new Unreachable(String(error)); });
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE);
      heard(true);
      onAlive?.();
      const { messages, rest } = messagesIn(text + decoder.decode(value, { stream: true }));
      text = rest;
      for (const message of messages) await onMessage(message);
    }
  } finally {
    clearTimeout(timer);
  }
}
