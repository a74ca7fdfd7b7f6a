// An outlet's reports by name and dates, as a table, as a drawing where there is one figure a row, and as a file. Never a report of its own.

import { recall, remember } from "../../../kit/keep.js";
import { ask } from "../../../kit/session.js";
import { day } from "../../../kit/time.js";
import { h, signal } from "../../../kit/view.js";
import { has, t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { today } from "../../choose.js";
import { daysBefore } from "../../model.js";
import { act, amount, download, hundredths, loaded, number, table } from "../../parts.js";

const REPORTS = ["sales", "payments", "tax", "channels", "discounts", "voids", "corrections", "tips", "servers", "slips", "register", "inventory", "variance", "waste", "labor", "purchases", "price-variance", "pnl", "journal", "hsn", "gstr1", "gstr3b", "cmp08", "tally"];
/** Those that the authority's or another program's own file is made of, too. @type {Record<string, string>} */
const PORTALS = { gstr1: "json", tally: "xml" };

/** @param {any} value @param {string} unit @param {string} currency */
function cell(value, unit, currency) {
  if (value === null || value === undefined || value === "") return "–";
  switch (unit) {
    case "CENTS": return amount(value, currency);
    case "PERCENT": return hundredths(value);
    case "DATE": return day(value, "UTC");
    case "COUNT": case "QUANTITY": case "MINUTES": return number(value);
    case "UNIT_COST": return amount(value, currency);
    default: return h("bdi", {}, String(value));
  }
}

/** @param {import("../../model.js").Outlet} outlet */
export function view(outlet) {
  const wanted = signal(recall("hq.report", { name: "sales", from: daysBefore(today(), 6), to: today() }));
  async function keep(/** @type {string} */ format) {
    const { name, from, to } = wanted.peek();
    const { data } = await ask("GET", `/analytics/reports/${name}`, { query: { from, to, format }, headers: { "x-outlet-id": outlet.id }, raw: true });
    download(`${outlet.code}-${name}-${from}-${to}.${format === "csv" ? "csv" : PORTALS[name]}`, await /** @type {Response} */ (data).blob());
  }
  return [
    h("form", {
      class: "choose",
      onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); const next = /** @type {any} */ (Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (event.target)))); remember("hq.report", next); wanted.set(next); },
    },
    h("label", {}, t("f.report"), h("select", { name: "name" }, ...REPORTS.map((name) => h("option", { value: name, selected: name === wanted.peek().name }, t(`report.${name}`))))),
    h("label", {}, t("f.from"), h("input", { name: "from", type: "date", required: true, value: wanted.peek().from })), h("label", {}, t("f.to"), h("input", { name: "to", type: "date", required: true, value: wanted.peek().to })), h("button", { class: "main" }, t("show"))),
    loaded(async () => { const { name, from, to } = wanted(); return { name, report: (await ofOutlet(outlet.id, `/analytics/reports/${name}`, { from, to })).data }; }, ({ name, report }) => [
      h("header", { class: "section" }, h("h2", {}, t(`report.${name}`)), act(t("report.csv"), () => keep("csv")), PORTALS[name] && act(t("report.portal"), () => keep("portal"))),
      table(t(`report.${name}`), report.columns.map((/** @type {any} */ column, /** @type {number} */ at) => ({ label: has(`f.${column.key}`) ? t(`f.${column.key}`) : column.label, head: at === 0, number: !["TEXT", "DATE"].includes(column.unit), cell: (/** @type {any[]} */ row) => cell(row[at], column.unit, report.currency) })), report.rows, t("report.none")),
      Object.keys(report.totals).length > 0 && h("dl", { class: "pairs" }, ...report.columns.filter((/** @type {any} */ column) => column.key in report.totals).map((/** @type {any} */ column) => h("div", {}, h("dt", {}, has(`f.${column.key}`) ? t(`f.${column.key}`) : column.label), h("dd", {}, h("b", {}, cell(report.totals[column.key], column.unit, report.currency)))))),
    ]).node,
  ];
}
