// Files that the server gives: saved as files, under a name. Never opens what it got as a page.

import { ask } from "../kit/session.js";

/** Saves what a route answers. @param {string} path @param {Record<string, any>} query @param {string} name */
export async function save(path, query, name) {
  const { data } = await ask("GET", path, { query, raw: true, headers: { accept: "*/*" } });
  const address = URL.createObjectURL(await data.blob());
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
