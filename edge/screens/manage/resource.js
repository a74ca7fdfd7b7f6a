// Records that are listed, added, changed and archived in the same way: declared once. Never shows what may not be done.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { toast } from "../kit/dialog.js";
import { inWords } from "../kit/refused.js";
import { edit } from "./form.js";
import { listed } from "./list.js";
import { act } from "./parts.js";
import { send } from "./store.js";

/**
 * `does`: the permission of what is in `acts`, where it is another than `right`.
 * @typedef {{ name: string, path: string, right: string, fields: import("./fields.js").Field[], as?: (row: any) => Resource | undefined, follows?: () => unknown, does?: string, columns: import("./list.js").Column[], search?: boolean, finds?: (row: any, typed: string) => boolean,
 *   filters?: import("./list.js").Filter[], query?: Record<string, any>, href?: (row: any) => string, acts?: (row: any, again: () => void) => import("../kit/view.js").Child[],
 *   adds?: boolean, removes?: boolean, shape?: (typed: any, row?: any) => any, intro?: import("../kit/view.js").Child, extra?: import("../kit/view.js").Child | ((again: () => void) => import("../kit/view.js").Child), put?: boolean, after?: (made: any) => void, one?: boolean }} Resource
 */

/** What a record is changed as, where not all of a list are of one kind. @param {Resource} how @param {any} row @returns {Resource} */
const of = (how, row) => how.as?.(row) ?? how;

/** A form for a new one. @param {Resource} how */
export async function add(how) {
  const made = await edit(t(`${how.name}.add`), {
    fields: how.fields, keep: true,
    save: (typed) => send("POST", how.path, how.shape ? how.shape(typed) : typed),
  });
  if (made) { toast(t("saved")); warn(made); how.after?.(made); }
  return made;
}

/** A form for one that exists. @param {Resource} how @param {any} row */
export async function change(how, row) {
  const read = async () => (await ask("GET", `${how.path}/${row.id}`)).data;
  const done = await edit(row.name ?? row.displayName ?? t(`${how.name}.change`), {
    fields: how.fields.filter((field) => !field.once), value: how.one ? await read() : row, read,
    save: (typed, version) => send("PATCH", `${how.path}/${row.id}`, how.shape ? how.shape(typed, row) : typed, version),
  });
  if (done) { toast(t("saved")); warn(done); }
  return done;
}

/** What the server doubts about what it took. @param {any} made */
function warn(made) {
  // A combo bears the taxes of its dishes.
  for (const { message } of (made?.warnings ?? []).filter((/** @type {any} */ one) => one.code !== "NO_TAX_CATEGORY" || made.kind !== "COMBO")) toast(inWords(message), "bad");
}

/** The list with all that can be done. @param {Resource} how */
export function resource(how) {
  const writes = may(how.right);
  let again = () => {};
  return [
    h("header", { class: "sub" }, h("h2", {}, t(`${how.name}.title`)), h("div", { class: "acts" }, typeof how.extra === "function" ? how.extra(() => again()) : how.extra ?? null,
      writes && how.adds !== false ? h("button", { type: "button", class: "main", onclick: async () => { if (await add(how)) again(); } }, t(`${how.name}.add`)) : null)),
    how.intro ? h("p", { class: "hint" }, how.intro) : null,
    listed({
      path: how.path, caption: t(`${how.name}.title`), columns: how.columns, search: how.search ?? false, ...(how.finds ? { finds: how.finds } : {}), filters: how.filters ?? [], query: how.query ?? {},
      onto: (reload) => { again = reload; }, follows: how.follows,
      ...(how.href ? { open: (row) => how.href?.(row) ?? "" } : writes ? { open: (row, reload) => () => void change(of(how, row), row).then((done) => { if (done) reload(); }) } : {}),
      ...((writes && (how.acts || how.removes !== false)) || (how.does && may(how.does)) ? { acts: (row, reload) => [
        ...(how.acts?.(row, reload) ?? []),
        writes && how.removes !== false ? act(t("archive"), async () => { await send("DELETE", `${how.path}/${row.id}`, undefined, row.version); reload(); }, { class: "quiet", bad: true, sure: t("archive.sure", { name: row.name ?? "" }), done: t("archived"), spoken: `${t("archive")}: ${row.name ?? ""}` }) : null,
      ] } : {}),
    }),
  ];
}
