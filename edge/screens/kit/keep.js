// What a screen keeps on this device: small things under a name over a reload, its own page for when the box is away, the light of its
// display. A device that keeps nothing (a private window) works on without.

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
