// When and where an edit takes effect: asked with each edit of the catalogue, and told after it. Never publishes by itself.

import { toast } from "../kit/dialog.js";
import { newId } from "../kit/ids.js";
import { all, ask } from "../kit/session.js";
import { t } from "../kit/words.js";
import { choices } from "./chain.js";
import { momentOf } from "./model.js";

/** @typedef {import("./parts.js").Field} Field */

/** The fields of when and where. @returns {Field[]} */
export function whenAndWhere() {
  return [
    { name: "effectiveAt", kind: "moment", label: t("publish.when"), hint: t("publish.whenHint") },
    { name: "outletIds", kind: "ticks", label: t("publish.where"), hint: t("publish.whereHint"), options: choices() },
  ];
}

/** What they say, as the query of an edit; the rest of the values. @param {Record<string, any>} values */
export function split(values) {
  const { effectiveAt, outletIds, ...rest } = values;
  return { query: { effectiveAt: momentOf(effectiveAt ?? "") ?? undefined, outletIds: outletIds?.length ? outletIds.join(",") : undefined }, rest };
}

/**
 * Edits the catalogue, once under its key, and says that it is on its way.
 * @param {string} method @param {string} path @param {any} body @param {Record<string, any>} query @param {number} [version]
 */
export async function edit(method, path, body, query, version) {
  const answer = await ask(method, path, { body, query, version, ...(method === "POST" ? { key: newId() } : {}) });
  toast(t(query.effectiveAt ? "publish.scheduled" : "publish.onItsWay"));
  return answer.data ?? true;
}

/** All rows of a list of the catalogue. @param {string} path @param {Record<string, any>} [query] */
export function catalogue(path, query) { return all(path, query); }
