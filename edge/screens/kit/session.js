// Who is signed in at this screen: the device or person whose refresh token lies in the server's cookie, and whoever entered a PIN. Access
// tokens live in memory alone; a PIN is sent and forgotten.

import { request, ApiError, Unreachable } from "./api.js";
import { signal } from "./view.js";

/** @typedef {{ id: string, kind: string, name: string, role: string, permissions: string[], outlets: { id: string, code: string, name: string }[], employeeId: string | null, email: string | null }} User */
/** @typedef {{ token: string, until: number }} Held */

/** `asking` until the cookie was tried, then `out`, `in`, or `away` where the server does not answer. */
export const state = signal(/** @type {"asking" | "out" | "in" | "away"} */ ("asking"));
/** The device or person signed in. */
export const user = signal(/** @type {User | null} */ (null));
/** Whoever entered a PIN last, while it holds. */
export const person = signal(/** @type {{ id: string, name: string, role: string, permissions: string[] } | null} */ (null));

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
    await refresh();
  } catch (error) {
    if (error instanceof Unreachable) state.set("away");
    else if (error instanceof ApiError && error.status < 500 && error.status !== 429) state.set("out");
    else state.set("away");
  }
}

/** @param {string} email @param {string} password @param {string} [totp] */
export async function signIn(email, password, totp) {
  const { data } = await request("POST", `${door}/login`, { body: { email, password, cookie: true, ...(totp ? { totp } : {}) } });
  take(data);
  user.set(data.user);
  state.set("in");
}

/** Signs this screen out, on the server too. */
export async function signOut() {
  try { await request("POST", `${door}/logout`, { body: {}, token: own?.token }); } finally { leave(); }
}

function leave() {
  own = null; pinned = null;
  person.set(null); user.set(null); state.set("out");
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
  if (token) await request("DELETE", "/auth/pin", { token }).catch(() => {});
}

/** Whether whoever stands here may do what `permission` names. @param {string} permission */
export function may(permission) {
  return (person() ?? user())?.permissions.includes(permission) ?? false;
}

/** What the requests of whoever stands here carry. */
export async function token() {
  if (pinned) return pinned.token;
  return ownToken();
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
    take(data);
    if (!user.peek()) user.set((await request("GET", `${door}/me`, { token: data.accessToken })).data);
    state.set("in");
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

/** All rows of a list, page by page. @param {string} path @param {import("./api.js").Asked["query"]} [query] */
export async function all(path, query = {}) {
  const rows = [];
  for (;;) {
    const { data, meta } = await ask("GET", path, { query: { ...query, limit: 100, offset: rows.length } });
    rows.push(...data);
    if (data.length < 100 || rows.length >= (meta?.total ?? 0)) return rows;
  }
}
