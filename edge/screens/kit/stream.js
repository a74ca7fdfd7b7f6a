// The server's one stream of rows as they change. It comes back by itself, from where it was; `reset` means that the lists are to be read
// again. Never a second stream in one screen: browsers open few connections.

import { listen, onHeard, SILENCE } from "./api.js";
import { ownToken } from "./session.js";
import { signal } from "./view.js";

/** @typedef {{ id: string, type: string, rowId: string, version: number, data: any }} Event */

/** When this server was last heard, by this screen's clock; 0: not yet. */
export const lastHeard = signal(0);
/** Whether it does not answer: silence, or two failed calls two seconds apart. */
export const isAway = signal(false);

let failedAt = 0;
onHeard((answered) => {
  if (answered) { failedAt = 0; lastHeard.set(Date.now()); isAway.set(false); return; }
  if (!failedAt) failedAt = Date.now();
  else if (Date.now() - failedAt >= 2_000) isAway.set(true);
});

/**
 * Follows `topics` until it is ended. `onReset` is awaited before events are handed on, at the first connection too: it reads the lists.
 * `token` says whose stream it is; without it, the sign-in's own. `language`: which one tickets and the menu are read in, where that is known here.
 * @param {string[]} topics @param {{ onEvent: (event: Event) => void, onReset: () => Promise<void> | void, token?: () => Promise<string>, language?: () => string | null | undefined }} handlers
 * @returns {() => void}
 */
export function follow(topics, { onEvent, onReset, token = ownToken, language = () => null }) {
  const ended = new AbortController();
  let position = "";
  void stay(async () => {
    /** @type {Record<string, string>} */
    const headers = { authorization: `Bearer ${await token()}` };
    if (position) headers["last-event-id"] = position;
    const lang = language();
    await listen(`/stream?topics=${topics.join(",")}${lang ? `&lang=${encodeURIComponent(lang)}` : ""}`, {
      headers,
      signal: ended.signal,
      onOpen: () => (position ? undefined : onReset()),
      onMessage: async ({ id, event, data }) => {
        if (event === "reset") await onReset();
        else if (event !== "hello" && event !== "heartbeat" && data) onEvent(data);
        if (id) position = id;
      },
    });
  }, ended.signal);
  return () => ended.abort();
}

/** Does `once`, which hears a stream, again and again until it is `ended`: the later, the more often it failed. @param {() => Promise<void>} once @param {AbortSignal} ended */
export async function stay(once, ended) {
  for (let tries = 0; !ended.aborted; tries += 1) {
    const began = Date.now();
    try {
      await once();
    } catch { /* Tried again below; the lamps tell. */ }
    if (ended.aborted) return;
    if (Date.now() - began > 10_000) tries = 0;
    if (Date.now() - lastHeard.peek() > SILENCE) isAway.set(true);
    await pause(Math.min(15_000, 500 * 2 ** Math.min(tries, 5)) * (0.5 + Math.random()), ended);
  }
}

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(undefined); }, { once: true });
  });
}
