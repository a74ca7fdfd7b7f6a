// Edits made at both ends: what the branch has, what head office has, who and when, and which holds. Somebody decides: the one that lost comes
// back, or it stays. Never decides by itself.

import { ask } from "../../kit/session.js";
import { confirm, toast } from "../../kit/dialog.js";
import { may } from "../../kit/session.js";
import { h, signal } from "../../kit/view.js";
import { decimal, percent, quantity } from "../../kit/money.js";
import { has, locale, t } from "../../kit/words.js";
import { currencyOf, nameOf, names, readOutlets } from "../chain.js";
import { bothValues } from "../model.js";
import { act, amount, at, head, loaded, mark, word } from "../parts.js";

/** A column's name in words. @param {string} column */
export function columnWord(column) { return has(`c.${column}`) ? t(`c.${column}`) : column; }

/** A table's name in words. @param {string} table */
export function tableWord(table) { return has(`table.${table}`) ? t(`table.${table}`) : table; }

/** Settings that are on or off, as they lie in a row. */
const SWITCHES = ["prices_include_tax", "service_charge_automatic", "service_charge_taxed", "waiters_take_payments", "blind_count", "hold_courses", "auto_availability"];

/** Quantities that lie in a row as millionths. */
const MILLIONTHS = ["quantity", "yield_quantity", "min_stock_threshold", "par_level"];

/** Whether a value names another row: nobody reads that. @param {unknown} value */
export const isReference = (value) => typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** A value as it lies in a row. @param {unknown} value @param {string} column @param {string | undefined} currency */
export function valueWord(value, column, currency) {
  if (value === null || value === undefined) return "–";
  if (column.endsWith("_cents") && typeof value === "number") return amount(value, currency);
  if (column.endsWith("_bps") && typeof value === "number") return percent(value, locale());
  if (MILLIONTHS.includes(column) && typeof value === "number") return quantity(decimal(value, 6), locale());
  if (typeof value === "string" && /^[{[]/.test(value)) return t("settings.list");
  if (["tax_scheme", "qr_order_approval", "stock_policy"].includes(column)) return word(/** @type {string} */ (value));
  if ((column.startsWith("is_") || SWITCHES.includes(column)) && (value === 0 || value === 1 || typeof value === "boolean")) return t(value ? "yes" : "no");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {any} conflict @param {() => Promise<void>} again */
function drawn(conflict, again) {
  const currency = currencyOf(conflict.outletId);
  const rows = bothValues(conflict);
  const holds = (/** @type {string} */ side) => (conflict.winner === "BRANCH") === (side === "BRANCH");
  const side = (/** @type {any} */ one, /** @type {string} */ name) => h("th", { scope: "col" }, t(`side.${name}`), " ", holds(name) ? mark(t("conflict.holds"), "good") : mark(t("conflict.lost"), "plain"), h("small", {}, h("bdi", {}, one.by ?? "–"), " · ", at(one.at)));
  const settle = (/** @type {"restore" | "dismiss"} */ how) => async () => {
    if (how === "restore" && !(await confirm(t("conflict.restore"), t("conflict.restoreHint", { outlet: nameOf(conflict.outletId) }), t("conflict.restore")))) return;
    await ask("POST", `/hub/conflicts/${conflict.id}/${how}`, { query: { outletId: conflict.outletId } });
    toast(t(`conflict.done.${how}`));
    await Promise.all([again(), readOutlets()]);
  };
  return h("article", { class: "card conflict" },
    h("header", {}, h("h2", {}, h("bdi", {}, conflict.name ?? conflict.rowId)), h("span", { class: "hint" }, tableWord(conflict.table), " · ", h("bdi", {}, nameOf(conflict.outletId)), " · ", at(conflict.at))),
    h("div", { class: "sheet", role: "region", tabindex: "0", "aria-label": t("conflict.values", { name: conflict.name ?? conflict.rowId }) }, h("table", { class: "both" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("f.field")), side(conflict.branch, "BRANCH"), side(conflict.headOffice, "HEAD_OFFICE"))),
      h("tbody", {}, ...rows.map(({ column, branch, office, differs }) => h("tr", { class: differs ? "differs" : null }, h("th", { scope: "row" }, columnWord(column)), h("td", {}, h("bdi", {}, valueWord(branch, column, currency))), h("td", {}, h("bdi", {}, valueWord(office, column, currency)))))))),
    conflict.settledAt
      ? h("p", { class: "hint" }, t("conflict.settled", { as: has(`v.${conflict.settledAs}`) ? t(`v.${conflict.settledAs}`) : conflict.settledAs, by: conflict.settledBy ?? "–", at: at(conflict.settledAt) }))
      : may("menu:write") && h("div", { class: "acts" }, act(t("conflict.dismiss"), settle("dismiss"), undefined, conflict.name ?? conflict.rowId), act(t("conflict.restore"), settle("restore"), "main", conflict.name ?? conflict.rowId)));
}

/** @param {string[]} route */
export function view(route) {
  const state = signal("OPEN"), outlet = signal(route[1] ?? "");
  return [
    head(t("view.conflicts"), t("conflict.hint")),
    h("div", { class: "choose" },
      h("div", { class: "segments", role: "group", "aria-label": t("f.status") }, ...["OPEN", "ALL"].map((value) => h("button", { type: "button", "aria-pressed": () => String(state() === value), onclick: () => state.set(value) }, t(`conflict.${value}`)))),
      () => names().length > 1 && h("label", {}, t("f.outlet"), h("select", { onchange: (/** @type {Event} */ event) => outlet.set(/** @type {HTMLSelectElement} */ (event.target).value) },
        h("option", { value: "" }, t("outlets.all")), ...names().map(({ id, name }) => h("option", { value: id, selected: id === outlet.peek() }, name))))),
    loaded(() => ask("GET", "/hub/conflicts", { query: { state: state(), outletId: outlet() || undefined, limit: 100 } }), ({ data }, again) =>
      data.length === 0 ? h("p", { class: "good" }, t("conflict.none")) : data.map((/** @type {any} */ conflict) => drawn(conflict, again))).node,
  ];
}
