// Reports: which, of when, as chart and table, as CSV, as the file a portal takes. Every figure is the server's own; none is added up here.

import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { chart } from "../kit/chart.js";
import { money } from "../kit/money.js";
import { has, soldOf, t } from "../kit/words.js";
import { act, facts, figure, head, loaded, word } from "./parts.js";
import { amount, cash, date, purse, today, when } from "./store.js";
import { listed, table } from "./list.js";
import { at, go } from "./route.js";
import { save } from "./files.js";
import { asColumns, asRows, drawable } from "./tables.js";
import { period } from "./period.js";

/** Reports that are a table of the server's, by what they are about. */
const TABLES = {
  trade: ["sales", "payments", "channels", "discounts", "voids", "servers", "tips", "corrections", "slips"],
  stock: ["inventory", "variance", "waste", "purchases", "price-variance", "labor", "pnl"],
  books: ["register", "journal", "tally", "tax", "hsn", "gstr1", "gstr3b", "cmp08"],
};
const PORTALS = /** @type {Record<string, string>} */ ({ gstr1: "json", gstr3b: "json", cmp08: "json", tally: "xml" });
const VIEWS = ["summary", "daily", "hourly", "top", "engineering", "kitchen"];

const views = () => VIEWS.filter((name) => name !== "kitchen" || may("kitchen:read"));

/** Of when, kept while one goes from report to report. */
const span = signal(/** @type {import("./period.js").Span} */ ({ from: "", to: "" }));

/** @param {string[]} parts */
export function draw([name = ""]) {
  const figures = may("analytics:read");
  const known = [...(figures ? [...views(), ...Object.values(TABLES).flat()] : []), ...(may("audit:read") ? ["losses", "audit"] : [])];
  const now = known.includes(name) ? name : known[0];
  const groups = /** @type {[string, string[]][]} */ ([...(figures ? [["figures", views()], ...Object.entries(TABLES)] : []), ...(may("audit:read") ? [["watch", ["losses", "audit"]]] : [])]);
  const select = /** @type {HTMLSelectElement} */ (h("select", { onchange: () => go("reports", select.value) }, ...groups.map(([group, names]) => h("optgroup", { label: t(`reports.${group}`) }, ...names.map((one) => h("option", { value: one, selected: one === now }, t(`report.${one}`)))))));
  if (!span.peek().from) span.set({ from: today(), to: today() });
  return [
    head(t("section.reports")),
    h("div", { class: "filters" }, h("label", {}, t("report"), select), now === "audit" ? null : period(span)),
    h("h2", {}, t(`report.${now}`)),
    now === "audit" ? audit() : () => {
      const of = span();
      return /** @type {Record<string, (of: any) => any>} */ ({ summary, daily, hourly, top, engineering, kitchen, losses })[now]?.(of) ?? report(now, of);
    },
  ];
}

/** Of which moment the figures are, and what is not in them. @param {any} said */
const moment = (said) => h("p", { class: "hint" }, t("report.at", { time: when(said.generatedAt) }), said.openOrders ? ` ${t("report.open", { n: said.openOrders })}` : "");
const short = (/** @type {number} */ cents) => money(Math.round(cents / 10 ** purse().decimals) * 10 ** purse().decimals, purse(), true);

/** @param {any} of */
function summary(of) {
  return loaded(async () => (await ask("GET", "/analytics/summary", { query: of })).data, (said) => {
    const { change } = said.comparison ?? {};
    const note = (/** @type {string} */ name) => (change?.[name] === null || change?.[name] === undefined ? null : t("report.before", { change: `${change[name] > 0 ? "+" : ""}${amount(change[name])} %` }));
    return [
      h("section", { class: "figures", "aria-label": t("report.summary") }, ...["netRevenueCents", "ordersCount", "guestsCount", "averageOrderValueCents", "cogsCents", "foodWasteCents", "laborCostCents"].map((name) =>
        h("div", { class: "tile" }, figure(t(`f.${name}`), name.endsWith("Cents") ? cash(said[name]) : amount(said[name]), note(name)))),
      h("div", { class: "tile" }, figure(t("f.primeCostPercentage"), `${amount(said.primeCostPercentage)} %`))),
      h("div", { class: "columns" },
        h("section", { class: "card ledger" }, h("h2", {}, t("report.pnl")), facts(Object.entries(said.profitAndLoss).map(([name, value]) => /** @type {[string, string]} */ ([t(`f.${name}`), cash(/** @type {number} */ (value))])))),
        said.byOrderType.length > 0 ? h("section", { class: "card" }, h("h2", {}, t("f.orderType")), table({ caption: t("f.orderType"), rows: said.byOrderType, columns: [{ name: "orderType", kind: "word" }, { name: "ordersCount", kind: "number" }, { name: "salesCents", kind: "money" }] })) : null),
      moment(said),
    ];
  });
}

/** @param {any} of */
function daily(of) {
  return loaded(async () => (await ask("GET", "/analytics/daily", { query: of })).data, (said) => [
    chart({ title: t("f.netRevenueCents"), kind: said.days.length > 14 ? "line" : "bar", labels: said.days.map((/** @type {any} */ one) => date(one.businessDate)), series: [{ name: t("f.netRevenueCents"), values: said.days.map((/** @type {any} */ one) => one.netRevenueCents) }], shown: cash, short }),
    table({ caption: t("report.daily"), rows: said.days, totals: said.totals, columns: [{ name: "businessDate", kind: "date" }, { name: "ordersCount", kind: "number" }, { name: "guestsCount", kind: "number" }, { name: "grossRevenueCents", kind: "money" }, { name: "discountCents", kind: "money" }, { name: "refundCents", kind: "money" }, { name: "netRevenueCents", kind: "money" }, { name: "taxCents", kind: "money" }] }),
    moment(said),
  ]);
}

/** @param {any} of */
function hourly(of) {
  return loaded(async () => (await ask("GET", "/analytics/hourly", { query: of })).data, (said) => [
    chart({ title: t("report.hourly"), labels: said.hours.map((/** @type {any} */ one) => String(one.hour).padStart(2, "0")), series: [{ name: t("f.revenueCents"), values: said.hours.map((/** @type {any} */ one) => one.revenueCents) }], shown: cash, short }),
    chart({ title: t("report.weekdays"), labels: said.weekdays.map((/** @type {any} */ one) => t(`weekday.${one.weekday}`)), series: [{ name: t("f.revenueCents"), values: said.weekdays.map((/** @type {any} */ one) => one.revenueCents) }], shown: cash, short }),
    moment(said),
  ]);
}

/** @param {any} of */
function top(of) {
  return listed({ path: "/analytics/top-sellers", caption: t("report.top"), query: of, filters: [{ name: "by", values: ["quantity", "revenue", "margin"], words: "by", label: t("f.ranked"), start: "quantity", whole: true }, { name: "order", values: ["desc", "asc"], words: "sorted", label: t("f.sorted"), start: "desc", whole: true }],
    columns: [{ name: "name", draw: (row) => [h("bdi", {}, row.name), ...row.variants.map((/** @type {any} */ one) => h("small", {}, ` ${one.quantity} × `, h("bdi", {}, one.name)))] }, { name: "categoryName" }, { name: "quantity", kind: "number", draw: (row) => soldOf(row, amount(row.quantity)) }, { name: "revenueCents", kind: "money" }, { name: "cogsCents", kind: "money" }, { name: "marginCents", kind: "money" }] });
}

/** @param {any} of */
function engineering(of) {
  return loaded(async () => (await ask("GET", "/analytics/menu-engineering", { query: of })).data, (said) => [
    h("p", { class: "hint" }, t("engineering.text")),
    h("div", { class: "columns" }, ...["STAR", "PLOWHORSE", "PUZZLE", "DOG"].map((kind) => h("section", { class: "card" }, h("h2", {}, word("class", kind)), h("p", { class: "hint" }, t(`class.${kind}.text`)),
      h("ul", { class: "plain" }, ...said.items.filter((/** @type {any} */ one) => one.class === kind).map((/** @type {any} */ one) => h("li", {}, h("bdi", {}, one.name), h("small", {}, t("engineering.one", { n: soldOf(one, amount(one.quantity)), margin: cash(one.contributionMarginCents) })))))))),
    moment(said),
  ]);
}

/** How fast the kitchen was. @param {any} of */
function kitchen(of) {
  const minutes = (/** @type {string} */ name) => ({ name, kind: "number", draw: (/** @type {any} */ row) => t("time.minutes", { minutes: amount(Math.round(row[name] / 6) / 10) }) });
  return loaded(async () => (await ask("GET", "/kitchen/stats", { query: of })).data, (said) => [
    said.stations.length > 1 ? chart({ title: t("f.averageTotalSeconds"), labels: said.stations.map((/** @type {any} */ one) => one.name), series: [{ name: t("f.averageTotalSeconds"), values: said.stations.map((/** @type {any} */ one) => Math.round(one.averageTotalSeconds / 60)) }], shown: (minutes) => t("time.minutes", { minutes }) }) : null,
    table({ caption: t("report.kitchen"), rows: said.stations, empty: t("report.none"), columns: [{ name: "name" }, { name: "ticketsCount", kind: "number" }, { name: "lateCount", kind: "number" }, minutes("averageWaitSeconds"), minutes("averagePreparationSeconds"), minutes("averageTotalSeconds"), minutes("longestTotalSeconds"), { name: "recalledCount", kind: "number" }] }),
  ]);
}

/** @param {any} of */
function losses(of) {
  const columns = /** @type {import("./list.js").Column[]} */ ([{ name: "count", kind: "number" }, { name: "amountCents", kind: "money" }, { name: "costCents", kind: "money" }]);
  return loaded(async () => (await ask("GET", "/audit/losses", { query: of })).data, (said) => [
    said.kinds.length > 0 ? chart({ title: t("report.losses"), labels: said.kinds.map((/** @type {any} */ one) => word("loss", one.kind)), series: [{ name: t("f.amountCents"), values: said.kinds.map((/** @type {any} */ one) => one.amountCents) }], shown: cash, short }) : null,
    h("div", { class: "columns" }, ...["people", "approvers", "pairs", "hours", "tables"].filter((name) => said[name].length > 0).map((name) => h("section", { class: "card" }, h("h2", {}, t(`losses.${name}`)),
      table({ caption: t(`losses.${name}`), rows: said[name], columns: [{ name: "name", draw: (row) => [h("bdi", {}, row.approverName ? `${row.name} → ${row.approverName}` : row.name), row.isUnusual ? [" ", h("span", { class: "badge bad" }, t("losses.unusual"))] : null] }, ...columns] })))),
    h("h2", {}, t("losses.entries")),
    table({ caption: t("losses.entries"), rows: said.entries, columns: [{ name: "kind", kind: "word", words: "loss" }, { name: "at", kind: "moment" }, { name: "by" }, { name: "approver" }, { name: "reason" }, { name: "orderNumber" }, { name: "amountCents", kind: "money" }] }),
    moment(said),
  ]);
}

/** A report that is one table. @param {string} name @param {{ from: string, to: string }} of */
function report(name, of) {
  const file = `${name}-${of.from}-${of.to}`;
  return loaded(async () => (await ask("GET", `/analytics/reports/${name}`, { query: of })).data, (said) => {
    const columns = asColumns(said.columns.map((/** @type {any} */ one) => (has(`f.${one.key}`) ? { ...one, label: t(`f.${one.key}`) } : one))), rows = asRows(said), drawn = drawable(said);
    return [
      h("div", { class: "acts start" }, act(t("csv"), () => save(`/analytics/reports/${name}`, { ...of, format: "csv" }, `${file}.csv`)),
        name in PORTALS ? act(t("portal"), () => save(`/analytics/reports/${name}`, { ...of, format: "portal" }, `${file}.${PORTALS[name]}`)) : null),
      drawn ? chart({ title: drawn.title, kind: drawn.labels.length > 14 ? "line" : "bar", labels: drawn.labels.map((one) => (/^\d{4}-\d\d-\d\d$/.test(one) ? date(one) : one)), series: [{ name: drawn.title, values: drawn.values }], shown: drawn.isMoney ? cash : amount, ...(drawn.isMoney ? { short } : {}) }) : null,
      table({ caption: t(`report.${name}`), rows, columns, ...(Object.keys(said.totals).length > 0 && rows.length > 0 ? { totals: said.totals } : {}), empty: t("report.none") }),
      moment(said),
    ];
  });
}

/** Who did what. */
function audit() {
  return listed({
    path: "/audit-log", caption: t("report.audit"), filters: [{ name: "from", kind: "date" }, { name: "to", kind: "date" }],
    columns: [
      { name: "at", kind: "moment" }, { name: "actorName", draw: (row) => h("bdi", {}, row.approverName ? `${row.actorName} → ${row.approverName}` : row.actorName) }, { name: "action", kind: "word", words: "audit" }, { name: "entityType", kind: "word", words: "entity" }, { name: "reason" },
      { name: "after", label: t("audit.what"), draw: (row) => (row.before || row.after ? h("details", {}, h("summary", {}, t("look")), h("pre", {}, JSON.stringify(row.before ? { before: row.before, after: row.after } : row.after, null, 1))) : "–") },
    ],
    ...(may("orders:read") ? { acts: (row) => (row.entityType === "order" && row.entityId ? h("a", { class: "button", href: at("orders", row.entityId) }, t("section.orders")) : null) } : {}),
  });
}
