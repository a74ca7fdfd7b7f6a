// Where one is within the page: the parts of its hash, such as `#stock/items/ID`. Never a second history: back and forward are the browser's.

import { signal } from "../kit/view.js";

const parts = () => location.hash.slice(1).split("/").filter(Boolean).map(decodeURIComponent);

/** The parts of the hash; the first is the section. */
export const route = signal(parts());
addEventListener("hashchange", () => route.set(parts()));

/** The address of a place within the page. @param {...string} to */
export function at(...to) { return `#${to.map(encodeURIComponent).join("/")}`; }

/** Goes there. @param {...string} to */
export function go(...to) { location.hash = at(...to); }
