// Who is signed in at this screen: the device or person whose refresh token lies in the server's cookie, and whoever entered a PIN. Access
// tokens live in memory alone; a PIN is sent and forgotten.

import { request, ApiError } from "./api.js";
import { forgetLast, recall, recallTab, remember, rememberTab } from "./keep.js";
import { batch, effect, signal } from "./view.js";

/** @typedef {{ id: string, kind: string, name: string, role: string, permissions: string[], outlets: { id: string, code: string, name: string }[], employeeId: string | null, email: string | null }} User */
/** @typedef {{ token: string, until: number }} Held */

/** `asking` until the cookie was tried, then `out`, `in`, or `away` where the server does not answer. */
export const state = signal(/** @type {"asking" | "out" | "in" | "away"} */ ("asking"));
/** The device or person signed in. */
export const user = signal(/** @type {User | null} */ (null));
/** Whoever entered a PIN last, while it holds. */
export const person = signal(/** @type {{ id: string, name: string, role: string, permissions: string[] } | null} */ (null));

/** Whether who stands here is only remembered: the server has not answered since this page was loaded. What they ask for waits for it. */
export const isRemembered = signal(false);

/** Who stood at this tab before it was loaded anew. @type {ReturnType<typeof person>} */
const before = recallTab();
effect(() => { const who = person(); if (who || state() === "in" || state() === "out") rememberTab(who ?? undefined); });

/** @type {Held | null} */
let own = null;
/** @type {Held | null} */
let pinned = null;
/** @type {Promise<void> | null} */
let refreshing = null;

/** Where one signs in, below the API's path. */
let door = "/auth";

/** Says where one signs in, where it is not at a branch. Before anything else is asked. @param {string} path such as `/hub/auth` */
export function signInAt(path) { door = path; }

/** Signs in by what the server's cookie has. */
export async function resume() {
  try {
    // Who signed out while the server was away is signed out there before anything else.
    if (recall("leaves", false)) { await request("POST", `${door}/logout`, { body: {} }); remember("leaves", undefined); }
    await refresh();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) leave();
    else state.set("away");
  }
}

/** Stands in for the server's answer while it is away: the device or person that was signed in here, and who stood at this tab. @param {User} kept */
export function remembered(kept) {
  if (state.peek() !== "away" || user.peek()) return;
  batch(() => { isRemembered.set(true); user.set(kept); person.set(before); });
}

/** Who would stand here, were it only remembered. @param {User} kept */
export function wouldBe(kept) { return before?.id ?? kept.employeeId ?? kept.id; }

/** @param {string} email @param {string} password @param {string} [totp] */
export async function signIn(email, password, totp) {
  const { data } = await request("POST", `${door}/login`, { body: { email, password, cookie: true, ...(totp ? { totp } : {}) } });
  remember("leaves", undefined);
  await forgetLast();
  take(data);
  user.set(data.user);
  state.set("in");
}

/** Whether a code for a forgotten password may be asked for here by e-mail; head office hands codes over in person. */
export function mailsCodes() { return door === "/auth"; }

/** Asks for a code by e-mail; the answer is the same whether there is such an account or not. @param {string} email */
export async function askForCode(email) { await request("POST", "/auth/forgot-password", { body: { email } }); }

/** Sets another password by a one-time code. @param {string} code @param {string} newPassword */
export async function resetPassword(code, newPassword) { await request("POST", `${door}/reset-password`, { body: { token: code, newPassword } }); }

/** Signs this screen out, on the server too: as soon as it answers. */
export async function signOut() {
  remember("leaves", true);
  try { await request("POST", `${door}/logout`, { body: {}, token: own?.token }); remember("leaves", undefined); } catch { /* The next time it is opened. */ } finally { leave(); }
}

function leave() {
  own = null; pinned = null;
  batch(() => { isRemembered.set(false); person.set(null); user.set(null); state.set("out"); });
  void forgetLast();
}

/** Hands the screen to whoever has this PIN. @param {string} employeePin */
export async function enterPin(employeePin) {
  const { data } = await request("POST", "/auth/pin", { body: { employeePin }, token: await ownToken() });
  pinned = { token: data.accessToken, until: Date.now() + data.expiresIn * 1000 };
  const { data: me } = await request("GET", "/auth/me", { token: pinned.token });
  person.set({ ...data.employee, permissions: me.permissions });
}

/** Takes the screen back from whoever entered a PIN. */
export async function leavePin() {
  const token = pinned?.token;
  pinned = null; person.set(null);
  rememberTab(undefined);
  if (token) await request("DELETE", "/auth/pin", { token }).catch(() => {});
}

/** Whether whoever stands here may do what `permission` names. @param {string} permission */
export function may(permission) {
  return (person() ?? user())?.permissions.includes(permission) ?? false;
}

/** What the requests of whoever stands here carry. */
export async function token() {
  if (pinned) return pinned.token;
  const was = person.peek();
  const held = await ownToken();
  // Whoever was only remembered asks nothing in the name of the device: their turn has ended.
  if (was && !person.peek()) throw new ApiError(401, { code: "ERR_UNAUTHORIZED" }, new Headers());
  return held;
}

/** The sign-in's own token, renewed a minute before it ends. */
export async function ownToken() {
  if (!own || own.until - Date.now() < 60_000) await refresh();
  return /** @type {Held} */ (/** @type {unknown} */ (own)).token;
}

/** @param {any} data */
function take(data) { own = { token: data.accessToken, until: Date.now() + data.expiresIn * 1000 }; }

function refresh() {
  refreshing ??= (async () => {
    const { data } = await request("POST", `${door}/refresh`, { body: {} });
    const me = user.peek() && !isRemembered.peek() ? user.peek() : (await request("GET", `${door}/me`, { token: data.accessToken })).data;
    batch(() => {
      take(data);
      if (isRemembered.peek()) person.set(null);
      isRemembered.set(false);
      user.set(me);
      state.set("in");
    });
  })().finally(() => { refreshing = null; });
  return refreshing;
}

/**
 * Asks as whoever stands here. A PIN that ended is given up, and what was asked fails with the refusal; a sign-in that ended is renewed once.
 * @param {string} method @param {string} path @param {import("./api.js").Asked} [asked]
 */
export async function ask(method, path, asked = {}) {
  const used = await token();
  try {
    return await request(method, path, { ...asked, token: used });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    if (pinned?.token === used) { pinned = null; person.set(null); throw error; }
    own = null;
    try { await refresh(); } catch (lost) {
      if (lost instanceof ApiError && lost.status === 401) leave();
      throw lost;
    }
    return request(method, path, { ...asked, token: await ownToken() });
  }
}

/** All rows of a list, page by page. @param {string} path @param {import("./api.js").Asked["query"]} [query] @param {import("./api.js").Asked} [asked] */
export async function all(path, query = {}, asked = {}) {
  const rows = [];
  for (;;) {
    const { data, meta } = await ask("GET", path, { ...asked, query: { ...query, limit: 100, offset: rows.length } });
    // The store room counts its list in its own way.
    const page = Array.isArray(data) ? data : data.items;
    rows.push(...page);
    if (page.length < 100 || rows.length >= (meta?.total ?? data.totalCount ?? 0)) return rows;
  }
}
