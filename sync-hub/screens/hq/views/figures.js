// The figures of the chain: sums beside the period before, outlets side by side, day by day, what sold. Each figure has its table. Never adds
// two currencies up.

import { ask } from "../../kit/session.js";
import { day } from "../../kit/time.js";
import { h, signal } from "../../kit/view.js";
import { soldOf, t } from "../../kit/words.js";
import { asked, periodFields } from "../choose.js";
import { bars, lines } from "../draw.js";
import { ZONE, amount, at, figure, head, hundredths, label, loaded, mark, number, table, trend } from "../parts.js";

/** @typedef {import("../parts.js").Column} Column */

/** The figures that are compared, and what they are. */
const COMPARED = /** @type {const} */ ([["netRevenueCents", "money"], ["ordersCount", "number"], ["guestsCount", "number"], ["averageOrderValueCents", "money"], ["discountCents", "money"], ["refundCents", "money"],
  ["cogsPercentage", "percent"], ["laborCostPercentage", "percent"], ["primeCostPercentage", "percent"], ["foodWasteCents", "money"], ["tableTurns", "number"]]);

const LINES = ["grossRevenueCents", "discountCents", "netRevenueCents", "cogsCents", "grossProfitCents", "laborCostCents", "foodWasteCents", "operatingProfitCents", "taxCents", "tipsCents"];

/** @param {any} row @param {string} name @param {string} kind */
function value(row, name, kind) {
  return kind === "money" ? amount(row[name], row.currency, true) : kind === "percent" ? hundredths(row[name]) : number(row[name]);
}

/** How fresh the outlets' parts are; silent where nothing is missing. @param {any[]} outlets */
export function freshness(outlets) {
  const behind = outlets.filter(({ lagSeconds }) => lagSeconds !== 0);
  return behind.length > 0 && h("p", { class: "warn" }, t("behind"), " ", ...behind.flatMap(({ name, asOf }, n) => [n > 0 ? ", " : "", h("bdi", {}, name), ` (${asOf ? at(asOf, ZONE) : t("never")})`]));
}

/** The sums of one currency. @param {any} sum */
function sumsOf(sum) {
  const change = sum.comparison?.change ?? {};
  return h("section", {}, h("h2", {}, t("figures.sums", { currency: sum.currency, n: sum.outletsCount })),
    h("div", { class: "figures" }, ...COMPARED.map(([name, kind]) => figure(label(name), value(sum, name, kind), name in change ? trend(change[name]) : null))),
    h("details", {}, h("summary", {}, t("figures.pnl")), table(t("figures.pnl"), [
      { label: t("f.line"), cell: (name) => label(name), head: true },
      { label: t("f.amount"), number: true, cell: (name) => amount(sum.profitAndLoss[name], sum.currency) },
    ], LINES)));
}

function summary() {
  return loaded(() => ask("GET", "/hub/analytics/summary", { query: asked() }), ({ data }) => [
    freshness(data.outlets),
    data.byCurrency.length === 0 ? h("p", { class: "hint" }, t("noFigures")) : data.byCurrency.map(sumsOf),
  ]).node;
}

function compare() {
  return loaded(() => ask("GET", "/hub/analytics/compare", { query: asked() }), ({ data }) => {
    const currencies = [...new Set(data.outlets.map((/** @type {any} */ outlet) => outlet.currency))];
    return h("section", {}, h("h2", {}, t("figures.compare")),
      currencies.map((currency) => bars(t("figures.compareNet", { currency: String(currency) }),
        data.outlets.filter((/** @type {any} */ outlet) => outlet.currency === currency && outlet.netRevenueCents !== undefined).map((/** @type {any} */ outlet) => ({ label: outlet.name, value: outlet.netRevenueCents })),
        (cents) => amount(cents, String(currency), true), label("netRevenueCents"))),
      table(t("figures.compare"), [
        { label: t("f.outlet"), head: true, cell: (row) => h("a", { href: `#/outlet/${row.outletId}` }, h("bdi", {}, row.name)) },
        ...COMPARED.slice(0, 9).filter(([name]) => !["discountCents", "refundCents"].includes(name)).map(([name, kind]) => ({ label: label(name), number: true, cell: (/** @type {any} */ row) => value(row, name, kind) })),
        { label: t("f.change"), cell: (row) => trend(row.comparison?.change?.netRevenueCents) },
        { label: t("f.asOf"), cell: (row) => (row.online ? mark(t("online"), "good") : mark(at(row.asOf), "bad")) },
      ], data.outlets));
  }).node;
}

function daily() {
  return loaded(() => ask("GET", "/hub/analytics/daily", { query: asked() }), ({ data }) => {
    const currencies = [...new Set(data.days.map((/** @type {any} */ row) => row.currency))];
    return h("section", {}, h("h2", {}, t("figures.daily")),
      currencies.map((currency) => lines(t("figures.dailyNet", { currency: String(currency) }),
        data.days.filter((/** @type {any} */ row) => row.currency === currency).map((/** @type {any} */ row) => ({ label: day(row.businessDate, ZONE), value: row.netRevenueCents })),
        (cents) => amount(cents, String(currency), true), label("netRevenueCents"))),
      h("details", {}, h("summary", {}, t("figures.days")), table(t("figures.daily"), [
        { label: t("f.businessDate"), head: true, cell: (row) => day(row.businessDate, ZONE) },
        ...(currencies.length > 1 ? [{ label: t("f.currency"), cell: (/** @type {any} */ row) => row.currency }] : []),
        ...COMPARED.map(([name, kind]) => ({ label: label(name), number: true, cell: (/** @type {any} */ row) => value(row, name, kind) })),
      ], data.days)));
  }).node;
}

function sellers() {
  const by = signal("revenue"), order = signal("desc");
  const choice = (/** @type {typeof by} */ held, /** @type {string} */ value, /** @type {string} */ text) => h("button", { type: "button", "aria-pressed": () => String(held() === value), onclick: () => held.set(value) }, text);
  return h("section", {}, h("h2", {}, t("figures.sellers")),
    h("div", { class: "choose" },
      h("div", { class: "segments", role: "group", "aria-label": t("figures.by") }, choice(by, "revenue", t("by.revenue")), choice(by, "quantity", t("by.quantity")), choice(by, "margin", t("by.margin"))),
      h("div", { class: "segments", role: "group", "aria-label": t("figures.order") }, choice(order, "desc", t("order.best")), choice(order, "asc", t("order.worst")))),
    loaded(() => ask("GET", "/hub/analytics/top-sellers", { query: { ...asked(), by: by(), order: order(), limit: 25 } }), ({ data }) => data.currencies.map((/** @type {any} */ found) =>
      table(`${t("figures.sellers")} (${found.currency})`, [
        { label: t("f.dish"), head: true, cell: (row) => h("bdi", {}, row.name) },
        { label: t("f.category"), cell: (row) => h("bdi", {}, row.categoryName) },
        { label: t("f.quantity"), number: true, cell: (row) => soldOf(row, number(row.quantity)) },
        { label: t("f.revenueCents"), number: true, cell: (row) => amount(row.revenueCents, found.currency) },
        { label: t("f.marginCents"), number: true, cell: (row) => amount(row.marginCents, found.currency) },
        { label: t("f.marginPercentage"), number: true, cell: (row) => hundredths(row.marginPercentage) },
      ], order() === "desc" ? found.items.filter((/** @type {any} */ item) => item.quantity > 0) : found.items, t("noFigures")))).node);
}

export function view() {
  return [head(t("view.figures"), t("figures.hint")), periodFields(), summary(), compare(), daily(), sellers()];
}
