// One way to do a list: a table that becomes cards on a phone, search, filters, pages. Never more rows than a page has.

import { h, signal, untrack } from "../kit/view.js";
import { all, ask } from "../kit/session.js";
import { t } from "../kit/words.js";
import { pick } from "./fields.js";
import { amount, cash, cost, date, rate, when } from "./store.js";
import { badge, loaded, word } from "./parts.js";

/** @typedef {import("../kit/view.js").Child} Child */
/**
 * A column. `kind`: money, cost, amount, number, percent, date, moment, badge, word, yes; `draw` draws it otherwise.
 * @typedef {{ name: string, label?: string, kind?: string, words?: string, draw?: (row: any) => Child }} Column
 */

/** @param {Column} column @param {any} row @returns {Child} */
export function cell(column, row) {
  if (column.draw) return column.draw(row);
  const value = pick(row, column.name);
  switch (column.kind) {
    case "money": return cash(value);
    case "cost": return cost(value);
    case "amount": return amount(value, row.unit);
    case "number": return value === null || value === undefined ? "–" : amount(value);
    case "percent": return rate(value);
    case "date": return date(value);
    case "moment": return when(value);
    case "badge": return badge(column.words ?? column.name, value);
    case "word": return word(column.words ?? column.name, value);
    case "yes": return value ? t("yes") : t("no");
    default: return value === null || value === undefined || value === "" ? "–" : h("bdi", {}, value);
  }
}

const RIGHT = new Set(["money", "cost", "amount", "number", "percent"]);

/**
 * A table; on a phone each row is a card. `open` makes the first column a link or a button.
 * @param {{ caption: string, columns: Column[], rows: any[], open?: (row: any) => string | (() => void), acts?: (row: any) => Child, totals?: any, empty?: Child }} how
 */
export function table({ caption, columns, rows, open, acts, totals, empty }) {
  if (rows.length === 0) return h("p", { class: "hint empty" }, empty ?? t("nothing"));
  /** @param {Column} column @param {number} index @param {any} row @returns {Child} */
  function first(column, index, row) {
    const shown = cell(column, row);
    const to = index === 0 ? open?.(row) : undefined;
    if (typeof to === "string") return h("a", { href: to, class: "open" }, shown);
    if (to) return h("button", { type: "button", class: "open", onclick: to }, shown);
    return shown;
  }
  const label = (/** @type {Column} */ column) => column.label ?? t(`f.${column.name}`);
  const look = (/** @type {Column} */ column) => (RIGHT.has(column.kind ?? "") ? "number" : null);
  const drawn = h("table", { class: "list", role: "table" }, h("caption", { class: "spoken" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...columns.map((column) => h("th", { role: "columnheader", scope: "col", class: look(column) }, label(column))),
      acts ? h("th", { role: "columnheader", scope: "col" }, h("span", { class: "spoken" }, t("acts"))) : null)),
    h("tbody", { role: "rowgroup" }, ...rows.map((row) => h("tr", { role: "row" },
      ...columns.map((column, index) => h(index === 0 ? "th" : "td", { role: index === 0 ? "rowheader" : "cell", scope: index === 0 ? "row" : null, class: look(column), "data-label": label(column) }, first(column, index, row))),
      acts ? h("td", { role: "cell", class: "does" }, acts(row)) : null))),
    totals ? h("tfoot", { role: "rowgroup" }, h("tr", { role: "row" }, ...columns.map((column, index) => h(index === 0 ? "th" : "td", { role: index === 0 ? "rowheader" : "cell", class: look(column), "data-label": label(column) },
      index === 0 ? t("total") : pick(totals, column.name) === undefined ? "" : cell(column, totals))))) : null);
  // What is wider than the page scrolls within itself.
  return columns.length > 8 ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, drawn) : drawn;
}

/**
 * A filter above a list: a choice, a date, a tick. `whole`: its values are all there are, there is no "all" besides.
 * @typedef {{ name: string, kind?: "choice" | "date" | "tick", label?: string, values?: string[], words?: string, choices?: () => Promise<{ value: any, label: string }[]>, start?: string, whole?: boolean }} Filter
 */

/**
 * A list of the server's, page by page.
 * @param {{ path: string, caption: string, columns: Column[], filters?: Filter[], search?: boolean, query?: Record<string, any>, pages?: boolean,
 *   open?: (row: any, again: () => void) => string | (() => void), acts?: (row: any, again: () => void) => Child, follows?: () => unknown, empty?: Child, size?: number, onto?: (again: () => void) => void, finds?: (row: any, typed: string) => boolean }} how
 * `pages`: the list counts by `page`, not by `offset`. `finds`: what a search finds, where the server's own does not look into all that is meant.
 */
export function listed(how) {
  const size = how.size ?? 25;
  const start = Object.fromEntries((how.filters ?? []).filter(({ start: given }) => given).map(({ name, start: given }) => [name, given]));
  const chosen = signal(/** @type {Record<string, any>} */ (start)), offset = signal(0);
  let timer = 0;
  /** @param {string} name @param {any} value */
  const choose = (name, value) => { offset.set(0); chosen.set({ ...chosen.peek(), [name]: value }); };
  return h("section", { class: "listed", "aria-label": how.caption },
    how.search || how.filters?.length ? h("div", { class: "filters", role: "search" },
      how.search ? h("label", {}, t("search"), h("input", { type: "search", oninput: (/** @type {any} */ event) => { clearTimeout(timer); const value = event.target.value; timer = setTimeout(() => choose("q", value), 250); } })) : null,
      ...(how.filters ?? []).map((filter) => filterBox(filter, choose))) : null,
    () => {
      const query = { ...how.query, ...chosen(), limit: size, ...(how.pages ? { page: offset() / size + 1 } : { offset: offset() }) };
      const { finds } = how, { q, limit: _limit, offset: _offset, ...rest } = /** @type {any} */ (query);
      const found = async () => { const rows = (await all(how.path, rest)).filter((row) => finds?.(row, q)); return { data: rows.slice(offset.peek(), offset.peek() + size), meta: { total: rows.length } }; };
      return untrack(() => loaded(/** @returns {Promise<{ data: any, meta?: any }>} */ async () => (finds && q ? found() : ask("GET", how.path, { query })), ({ data, meta }, again) => {
        how.onto?.(again);
        const rows = Array.isArray(data) ? data : data.items ?? data.rows ?? [];
        const open = how.open, acts = how.acts;
        return [table({ caption: how.caption, columns: how.columns, rows, ...(open ? { open: (row) => open(row, again) } : {}), ...(acts ? { acts: (row) => acts(row, again) } : {}), empty: how.empty }),
          pager(meta?.total ?? data.totalCount ?? data.total ?? rows.length, offset, size)];
      }, how.follows));
    });
}

/** @param {Filter} filter @param {(name: string, value: any) => void} choose */
function filterBox(filter, choose) {
  const label = filter.label ?? t(`f.${filter.name}`);
  const changed = (/** @type {any} */ event) => choose(filter.name, filter.kind === "tick" ? event.target.checked || "" : event.target.value);
  if (filter.kind === "tick") return h("label", { class: "tick" }, h("input", { type: "checkbox", onchange: changed }), label);
  if (filter.kind === "date") return h("label", {}, label, h("input", { type: "date", value: filter.start ?? "", onchange: changed }));
  const select = h("select", { onchange: changed }, filter.whole ? null : h("option", { value: "" }, t("all")), ...(filter.values ?? []).map((value) => h("option", { value, selected: value === filter.start }, word(filter.words ?? filter.name, value))));
  void filter.choices?.().then((choices) => select.append(...choices.map(({ value, label: name }) => h("option", { value }, name))), () => {});
  return h("label", {}, label, select);
}

/** @param {number} total @param {import("../kit/view.js").Signal<number>} offset @param {number} size */
function pager(total, offset, size) {
  const at = offset.peek();
  if (total <= size && at === 0) return null;
  return h("nav", { class: "pager", "aria-label": t("pages") },
    h("button", { type: "button", disabled: at === 0, onclick: () => offset.set(Math.max(0, at - size)) }, t("page.before")),
    h("span", {}, t("page.of", { from: at + 1, to: Math.min(at + size, total), total })),
    h("button", { type: "button", disabled: at + size >= total, onclick: () => offset.set(at + size) }, t("page.next")));
}
