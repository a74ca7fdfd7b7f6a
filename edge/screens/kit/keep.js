// What a screen remembers over a reload: small things under a name, on this device. A device that keeps nothing (a private window) works on
// without.

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
