// Records out as a file and in again: what would change is said before anything does, every mistake with its row and column. Never takes a file
// in that was not looked through first.

import { ask, may } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { h, signal } from "../kit/view.js";
import { newId } from "../kit/ids.js";
import { said } from "../kit/pin.js";
import { inWords } from "../kit/refused.js";
import { show } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, figure } from "./parts.js";
import { amount } from "./store.js";
import { save } from "./files.js";
import { cellsOf, doesAnything, placeOf, told, typeOf } from "./sheet.js";
import { table } from "./list.js";

/** What there are files of: where, whose it is, and how the file is called. */
const KINDS = /** @type {Record<string, { path: string, right: string, file: string }>} */ ({
  dishes: { path: "/menu", right: "menu:write", file: "menu" },
  items: { path: "/inventory/items", right: "inventory:write", file: "stock" },
  recipes: { path: "/inventory/recipes", right: "inventory:write", file: "recipes" },
  suppliers: { path: "/inventory/suppliers", right: "inventory:write", file: "suppliers" },
  staff: { path: "/employees", right: "employees:write", file: "staff" },
  tables: { path: "/tables", right: "tables:write", file: "tables" },
});

/** So many mistakes are shown: more are mended in several goes. */
const MOST = 200;

/** The button that opens the dialog; nothing for whom it is not. @param {string} kind @param {() => void} took called once something was taken in */
export function files(kind, took) {
  if (!may(KINDS[kind].right)) return null;
  return h("button", { type: "button", onclick: async () => { let changed = false; await show(t(`files.${kind}`), () => exchange(kind, () => { changed = true; }, "h3"), { wide: true }); if (changed) took(); } }, t("files"));
}

/** Both ways, to stand in a dialog or on a page. @param {string} kind @param {() => void} [took] @param {"h2" | "h3"} [title] what its headings are */
export function exchange(kind, took = () => {}, title = "h2") {
  const { path, file } = KINDS[kind];
  const found = signal(/** @type {{ counts?: any, bad?: any[], top?: string, done?: boolean } | null} */ (null)), busy = signal(false), pasted = signal("");
  /** What was chosen, under the key it is taken in by. @type {{ body: unknown, type: string, cells: string[][], key: string } | null} */
  let chosen = null;
  /** @param {string} name @param {string} text @param {unknown} bytes */
  function choose(name, text, bytes) {
    const type = typeOf(name, text);
    found.set(null);
    try {
      chosen = { type, key: newId(), cells: type === "text/csv" ? cellsOf(text) : [], body: type === "text/csv" ? bytes : JSON.parse(text) };
    } catch {
      chosen = null;
      found.set({ top: t("files.noJson") });
      return;
    }
    void go(true);
  }
  /** @param {boolean} dry */
  async function go(dry) {
    const now = chosen;
    if (!now || busy.peek()) return;
    busy.set(true);
    try {
      const { data } = await ask("POST", `${path}/import`, { query: { dryRun: dry || null }, body: now.body, headers: { "content-type": now.type }, ...(dry ? {} : { key: now.key }) });
      found.set({ counts: data, done: !dry });
      if (!dry) { chosen = null; took(); }
    } catch (error) {
      // What was refused is looked at again under another key; what had no answer is asked again under the same.
      if (error instanceof ApiError) now.key = newId();
      if (error instanceof ApiError && error.fields.length > 0) found.set({ bad: error.fields.map(({ name, reason }) => ({ ...placeOf(name, now.cells), reason: inWords(reason) })) });
      else found.set({ ...found.peek(), top: said(error) });
    } finally {
      busy.set(false);
    }
  }
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "file", accept: ".csv,.tsv,.json,text/csv,application/json",
    // The same file may be chosen again, once it is mended.
    onclick: () => { input.value = ""; },
    onchange: async () => { const [one] = input.files ?? []; if (one) choose(one.name, await one.text(), one); } }));
  return h("div", { class: "files" },
    h("section", {}, h(title, {}, t("files.out")), h("p", { class: "hint" }, t("files.out.text")), h("div", { class: "acts start" }, act(t("csv"), () => save(`${path}/export`, { format: "csv" }, `${file}.csv`)))),
    h("section", {}, h(title, {}, t("files.in")), h("p", { class: "hint" }, t("files.in.text"), " ", t(`files.${kind}.text`)),
      h("label", {}, t("files.choose"), input),
      h("details", {}, h("summary", {}, t("files.paste")), h("label", {}, t("files.pasted"), h("textarea", { rows: 6, spellcheck: false, class: "sheet", oninput: (/** @type {any} */ event) => pasted.set(event.target.value) })),
        h("div", { class: "acts start" }, h("button", { type: "button", disabled: () => busy() || pasted().trim() === "", onclick: () => choose("", pasted.peek(), pasted.peek()) }, t("files.look")))),
      h("div", { role: "status" }, () => (busy() ? h("p", { class: "hint" }, t("files.reading")) : null)),
      () => { const now = found(); return now ? outcome(now, busy, () => void go(false)) : null; }));
}

/** What would come of it, what came of it, or what is wrong. @param {{ counts?: any, bad?: any[], top?: string, done?: boolean }} now @param {import("../kit/view.js").Signal<boolean>} busy @param {() => void} take */
function outcome({ counts, bad, top, done }, busy, take) {
  const wrong = top ? h("p", { class: "bad", role: "alert" }, top) : null;
  if (bad) {
    return [wrong, h("p", { class: "bad", role: "alert" }, t("files.bad", { n: bad.length })),
      table({ caption: t("files.mistakes"), rows: bad.slice(0, MOST), columns: [
        { name: "row", label: t("files.row"), draw: (one) => (one.row === null ? "–" : t("files.at", { n: one.row })) }, { name: "column", label: t("files.column"), draw: (one) => (one.column ? h("code", {}, h("bdi", {}, one.column)) : "–") },
        { name: "value", label: t("files.cell"), draw: (one) => (one.value ? h("bdi", {}, one.value.length > 60 ? `${one.value.slice(0, 60)}…` : one.value) : h("span", { class: "hint" }, t("files.blank"))) }, { name: "reason", label: t("files.wrong") }] }),
      bad.length > MOST ? h("p", { class: "hint" }, t("files.more", { n: bad.length - MOST })) : null];
  }
  if (!counts) return wrong;
  const changes = doesAnything(counts);
  return [
    h("p", { class: "good", role: "status" }, t(done ? "files.done" : changes ? "files.ready" : "files.same", { n: counts.rows })),
    h("div", { class: "figures" }, ...told(counts).map(([name, n]) => h("div", { class: "tile" }, figure(t(`files.n.${name}`), amount(n))))),
    counts.ignoredColumns?.length ? h("p", { class: "warn" }, t("files.ignored", { names: counts.ignoredColumns.join(", ") })) : null,
    wrong,
    done || !changes ? null : h("div", { class: "acts" }, h("button", { type: "button", class: "main", disabled: busy, onclick: take }, t("files.take"))),
  ];
}
