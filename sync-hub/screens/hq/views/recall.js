// A batch over the whole chain: where it lies, who delivered it, which orders it went into. Never blocks a batch: it says whom to call.

import { ask } from "../../kit/session.js";
import { h, signal } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { nameOf } from "../chain.js";
import { askedOutlets, outletFields } from "../choose.js";
import { at, download, head, loaded, number, pairs, shown, table } from "../parts.js";
import { freshness } from "./figures.js";

/** What was asked for, kept while one looks at an order and comes back. */
const wanted = signal("");

/** @param {any} found */
function place({ outletId, trace }) {
  const traces = Array.isArray(trace) ? trace : [trace];
  return h("section", { class: "card" }, h("h2", {}, h("bdi", {}, nameOf(outletId))), ...traces.map((/** @type {any} */ one) => [
    pairs([[t("f.item"), h("bdi", {}, one.itemName ?? "–")], [t("f.left"), number(one.batch.quantity)], [t("f.expiryDate"), shown(one.batch.expiryDate, "date")], [t("f.supplier"), h("bdi", {}, one.supplierName ?? "–")], [t("f.receivedAt"), at(one.batch.receivedAt)]]),
    h("h3", {}, t("recall.deliveries")), table(`${t("recall.deliveries")}: ${nameOf(outletId)}, ${one.itemName}`, [
      { label: t("f.poNumber"), head: true, cell: (row) => row.poNumber },
      { label: t("f.at"), cell: (row) => at(row.at) },
      { label: t("f.supplier"), cell: (row) => h("bdi", {}, row.supplierName) },
      { label: t("f.quantity"), number: true, cell: (row) => number(row.quantity) },
    ], one.deliveries),
    h("h3", {}, t("recall.orders", { n: one.ordersCount })), table(`${t("recall.orders", { n: one.ordersCount })}: ${nameOf(outletId)}, ${one.itemName}`, [
      { label: t("f.orderNumber"), head: true, cell: (row) => h("a", { href: `#/outlet/${outletId}/orders/${row.orderId}` }, row.orderNumber ?? "–") },
      { label: t("f.at"), cell: (row) => at(row.at) },
      { label: t("f.quantity"), number: true, cell: (row) => number(row.quantity) },
    ], one.orders),
  ]));
}

export function view() {
  return [
    head(t("view.recall"), t("recall.hint")),
    h("form", {
      class: "row", role: "search",
      onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); wanted.set(String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("batch")).trim()); },
    }, h("label", {}, t("f.batchNumber"), h("input", { name: "batch", required: true, autocomplete: "off", value: wanted.peek() })), h("button", { class: "main" }, t("recall.find"))),
    outletFields(),
    () => wanted() && loaded(() => ask("GET", "/hub/recall", { query: { batchNumber: wanted(), ...askedOutlets() } }), ({ data }) => [
      freshness(data.outlets),
      h("p", { role: "status", class: data.found.length ? "warn" : "good" }, data.found.length ? t("recall.found", { batch: data.batchNumber, n: data.found.length }) : t("recall.none", { batch: data.batchNumber })),
      data.found.length > 0 && h("button", { type: "button", onclick: () => download(`recall-${data.batchNumber}.json`, new Blob([JSON.stringify(data, null, 2)], { type: "application/json" })) }, t("recall.keep")),
      ...data.found.map(place),
    ]).node,
  ];
}
