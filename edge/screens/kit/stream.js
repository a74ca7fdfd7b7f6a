// The server's one stream of rows as they change. It comes back by itself, from where it was; `reset` means that the lists are to be read
// again. Never a second stream in one screen: browsers open few connections.

import { BASE, onHeard } from "./api.js";
import { ownToken } from "./session.js";
import { signal } from "./view.js";

/** @typedef {{ id: string, type: string, rowId: string, version: number, data: any }} Event */

/** Milliseconds without a sign of life after which the stream counts as broken; the server says `heartbeat` every 15 seconds. */
const SILENCE = 20_000;

/** When this server was last heard, by this screen's clock; 0: not yet. */
export const lastHeard = signal(0);
/** Whether it does not answer: silence, or two failed calls two seconds apart. */
export const isAway = signal(false);

let failedAt = 0;
/** @param {boolean} answered */
function heard(answered) {
  if (answered) { failedAt = 0; lastHeard.set(Date.now()); isAway.set(false); return; }
  if (!failedAt) failedAt = Date.now();
  else if (Date.now() - failedAt >= 2_000) isAway.set(true);
}
onHeard(heard);

/**
 * Follows `topics` until it is ended. `onReset` is awaited before events are handed on, at the first connection too: it reads the lists.
 * `token` says whose stream it is; without it, the sign-in's own.
 * @param {string[]} topics @param {{ onEvent: (event: Event) => void, onReset: () => Promise<void> | void, token?: () => Promise<string> }} handlers
 * @returns {() => void}
 */
export function follow(topics, { onEvent, onReset, token = ownToken }) {
  const ended = new AbortController();
  let position = "";
  (async () => {
    for (let tries = 0; !ended.signal.aborted; tries += 1) {
      const began = Date.now();
      try {
        await once();
      } catch { /* Tried again below; the lamps tell. */ }
      if (ended.signal.aborted) return;
      if (Date.now() - began > 10_000) tries = 0;
      if (Date.now() - lastHeard.peek() > SILENCE) isAway.set(true);
      await pause(Math.min(15_000, 500 * 2 ** Math.min(tries, 5)) * (0.5 + Math.random()), ended.signal);
    }
  })();

  async function once() {
    const silent = new AbortController();
    const signal = AbortSignal.any([ended.signal, silent.signal]);
    let timer = setTimeout(() => silent.abort(), SILENCE);
    try {
      /** @type {Record<string, string>} */
      const headers = { authorization: `Bearer ${await token()}` };
      if (position) headers["last-event-id"] = position;
      // Coming back is a call as any other: where it fails, nobody waits for the silence to be long.
      const response = await fetch(`${BASE}/stream?topics=${topics.join(",")}`, { headers, signal, cache: "no-store" }).catch((error) => {
        if (!ended.signal.aborted) heard(false);
        throw error;
      });
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      if (!position) await onReset();
      for await (const message of messages(response.body, () => {
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), SILENCE);
        lastHeard.set(Date.now());
        isAway.set(false);
      })) {
        if (message.event === "reset") await onReset();
        else if (message.event !== "hello" && message.event !== "heartbeat" && message.data) onEvent(JSON.parse(message.data));
        if (message.id) position = message.id;
      }
    } finally {
      clearTimeout(timer);
    }
  }
  return () => ended.abort();
}

/** The messages of an event stream. @param {ReadableStream<Uint8Array<ArrayBuffer>>} body @param {() => void} onBytes */
export async function* messages(body, onBytes) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    rest += decoder.decode(value, { stream: true });
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      /** @type {Record<string, string>} */
      const message = {};
      for (const line of rest.slice(0, end).split("\n")) {
        const found = /^(\w+): ?(.*)$/.exec(line);
        if (found) message[found[1]] = found[1] === "data" && message.data ? `${message.data}\n${found[2]}` : found[2];
      }
      rest = rest.slice(end + 2);
      if (Object.keys(message).length > 0) yield message;
    }
  }
}

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(undefined); }, { once: true });
  });
}
