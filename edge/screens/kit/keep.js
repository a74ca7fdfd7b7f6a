// What a screen keeps on this device: small things under a name over a reload, what it showed last, its own page for when the box is away,
// the light of its display. A device that keeps nothing (a private window) works on without.

/** @template T @param {string} name @param {T} fallback @returns {T} */
export function recall(name, fallback) {
  try {
    const text = localStorage.getItem(`tiffin.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Keeps `value` under `name`; `undefined` forgets it. @param {string} name @param {unknown} value */
export function remember(name, value) {
  try {
    if (value === undefined) localStorage.removeItem(`tiffin.${name}`);
    else localStorage.setItem(`tiffin.${name}`, JSON.stringify(value));
  } catch { /* Nothing is kept then. */ }
}

/** The names under `prefix`. @param {string} prefix @returns {string[]} */
export function names(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`tiffin.${prefix}`)).map((key) => key.slice("tiffin.".length));
  } catch {
    return [];
  }
}

/** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work @returns {Promise<any>} */
async function shelf(mode, work) {
  const db = await new Promise((resolve, reject) => {
    const asked = indexedDB.open("tiffin-last", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("last");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction("last", mode), asked = work(transaction.objectStore("last"));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally { db.close(); }
}

/** Keeps what a screen shows, for a reload while the box is away. It goes when the screen is signed out. @param {string} name @param {unknown} value */
export function keepLast(name, value) { return shelf("readwrite", (store) => store.put(value, name)).catch(() => { /* Nothing is kept then. */ }); }

/** What was kept last under `name`; null where nothing was. @param {string} name @returns {Promise<any>} */
export async function lastKept(name) { return (await shelf("readonly", (store) => store.get(name)).catch(() => null)) ?? null; }

/** Forgets all that was kept to be shown. */
export function forgetLast() { return shelf("readwrite", (store) => store.clear()).catch(() => { /* There was nothing. */ }); }

/** Who stood at this tab, over a reload of it and no longer; `undefined` forgets them. @param {unknown} value */
export function rememberTab(value) {
  try { if (value === undefined) sessionStorage.removeItem("tiffin.tab"); else sessionStorage.setItem("tiffin.tab", JSON.stringify(value)); } catch { /* Nobody is remembered then. */ }
}

/** @returns {any} */
export function recallTab() {
  try { return JSON.parse(sessionStorage.getItem("tiffin.tab") ?? "null"); } catch { return null; }
}

/** The pages that a browser keeps for when the box is away; `worker.js` knows them, too. */
const PAGES = ["/pos", "/kitchen", "/clock", "/manage"];

/** Keeps this screen itself: its page is there when it is reloaded while the box is away. Browsers do that over TLS alone. */
export function keepPage() {
  if (!isSecureContext || !("serviceWorker" in navigator) || !PAGES.includes(location.pathname)) return;
  const only = "/worker.js";
  const trusted = /** @type {any} */ (window).trustedTypes?.createPolicy("worker", { createScriptURL: () => only });
  navigator.serviceWorker.register(trusted ? trusted.createScriptURL(only) : only).catch(() => { /* It works on without. */ });
}

/** Keeps the display from going dark while the page is seen. Browsers do that over TLS alone. */
export function keepAwake() {
  const wish = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => { /* The machine's own rule stands. */ });
  };
  document.addEventListener("visibilitychange", wish);
  wish();
}
