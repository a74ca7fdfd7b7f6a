// Keeps the pages of screens and their files for when the box is away. Never keeps an answer of the API, and never shows a kept page while
// the box gives its own.

const SHELF = "tiffin-screens";
const PAGES = ["/pos", "/kitchen", "/clock", "/manage"];

/** How long the box is waited for before the kept page is shown, in milliseconds. */
const PATIENCE = 4_000;

const worker = /** @type {any} */ (self);
worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/a/")) event.respondWith(file(request));
  else if (request.mode === "navigate" && PAGES.includes(pathname)) event.respondWith(page(pathname, request));
});

/** A file is named by what it holds: the kept one is the right one. @param {Request} request */
async function file(request) {
  const shelf = await caches.open(SHELF);
  const kept = await shelf.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await shelf.put(request, answer.clone());
  return answer;
}

/** The box's page, or the kept one where it gives none. @param {string} pathname @param {Request} request */
async function page(pathname, request) {
  const shelf = await caches.open(SHELF);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
    if (answer.ok && !answer.redirected) {
      await shelf.put(pathname, answer.clone());
      await forget(shelf, await answer.clone().text());
    }
    return answer;
  } catch (error) {
    const kept = await shelf.match(pathname);
    if (kept) return kept;
    throw error;
  }
}

/** Lets go of files that the newest page names by another hash. @param {Cache} shelf @param {string} text */
async function forget(shelf, text) {
  const current = /\/a\/[0-9a-f]{16}\//.exec(text)?.[0];
  for (const { url } of current ? await shelf.keys() : []) if (url.includes("/a/") && !url.includes(/** @type {string} */ (current))) await shelf.delete(url);
}
