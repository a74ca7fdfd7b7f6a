// Where cards stand. A card keeps its place as long as it is there; a new one stands at the end; a gap closes after a while. Pure: the time is
// handed in, and nothing here moves by itself.

/** A place: the card that stands there, or the one that did and since when it is gone. @typedef {{ key: string, gone: number | null }} Place */
/** @typedef {{ places: Place[], former: Record<string, { at: number, gone: number }> }} Standing */

/** How long a gap stays, in milliseconds. */
export const GAP = 2_000;
/** How long a place is remembered for what comes back by an undo. */
const UNDONE = 15_000;

/** @returns {Standing} */
export function nowhere() { return { places: [], former: {} }; }

/** `standing` with the cards that are there now. @param {Standing} standing @param {string[]} keys @param {number} now @returns {Standing} */
export function settle(standing, keys, now) {
  const there = new Set(keys);
  let places = standing.places.map((place) => {
    if (there.has(place.key)) return place.gone === null ? place : { ...place, gone: null };
    return place.gone === null ? { ...place, gone: now } : place;
  });
  const known = new Set(places.map(({ key }) => key));
  const former = { ...standing.former };
  for (const key of keys) {
    if (known.has(key)) continue;
    const before = former[key];
    delete former[key];
    // What comes back by an undo stands where it stood.
    const at = before && now - before.gone < UNDONE ? before.at : places.length;
    places = [...places.slice(0, at), { key, gone: null }, ...places.slice(at)];
  }
  return { places, former };
}

/** Whether a gap is to be closed. @param {Standing} standing @param {number} now */
export function hasOldGap(standing, now) { return standing.places.some(({ gone }) => gone !== null && now - gone >= GAP); }

/** `standing` without the gaps that are old enough; what stood there is remembered. @param {Standing} standing @param {number} now @returns {Standing} */
export function close(standing, now) {
  const old = (/** @type {Place} */ place) => place.gone !== null && now - place.gone >= GAP;
  const former = { ...standing.former };
  standing.places.forEach((place, at) => { if (old(place)) former[place.key] = { at, gone: place.gone ?? now }; });
  const kept = Object.entries(former).filter(([, { gone }]) => now - gone < UNDONE);
  return { places: standing.places.filter((place) => !old(place)), former: Object.fromEntries(kept) };
}

/** What stands on a page. @param {Standing} standing @param {number} page @param {number} size */
export function onPage(standing, page, size) { return standing.places.slice(page * size, (page + 1) * size); }

/** How many pages there are, at least one. @param {Standing} standing @param {number} size */
export function pagesOf(standing, size) { return Math.max(1, Math.ceil(standing.places.length / size)); }
