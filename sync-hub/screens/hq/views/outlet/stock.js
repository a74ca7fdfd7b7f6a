// What lies in an outlet's store: balances, batches, the ledger of an item, how many portions it suffices for. Reads alone.

import { show } from "../../../kit/dialog.js";
import { all } from "../../../kit/session.js";
import { day } from "../../../kit/time.js";
import { h, signal } from "../../../kit/view.js";
import { t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { amount, at, loaded, mark, number, table, word } from "../../parts.js";

/** @param {import("../../model.js").Outlet} outlet @param {any} item */
function look(outlet, item) {
  return show(item.name, () => loaded(async () => {
    const [batches, ledger] = await Promise.all([ofOutlet(outlet.id, `/inventory/items/${item.id}/batches`, { limit: 50 }), ofOutlet(outlet.id, `/inventory/items/${item.id}/movements`, { limit: 50 })]);
    return { batches: batches.data, ledger: ledger.data };
  }, ({ batches, ledger }) => [
    h("h3", {}, t("stock.batches")), table(t("stock.batches"), [
      { label: t("f.batchNumber"), head: true, cell: (row) => row.batchNumber }, { label: t("f.expiryDate"), cell: (row) => (row.expiryDate ? mark(day(row.expiryDate, outlet.timezone), row.isExpired ? "bad" : "plain") : "–") },
      { label: t("f.quantity"), number: true, cell: (row) => `${number(row.quantity)} ${item.unit}` }, { label: t("f.receivedAt"), cell: (row) => at(row.receivedAt, outlet.timezone) },
    ], batches),
    h("h3", {}, t("stock.ledger")), table(t("stock.ledger"), [
      { label: t("f.at"), head: true, cell: (row) => at(row.at, outlet.timezone) }, { label: t("f.kind"), cell: (row) => word(row.kind) }, { label: t("f.change"), number: true, cell: (row) => number(row.quantityDelta) },
      { label: t("f.left"), number: true, cell: (row) => number(row.quantityAfter) }, { label: t("f.cost"), number: true, cell: (row) => amount(row.costCents, outlet.currency) }, { label: t("f.reason"), cell: (row) => row.reason ?? row.note ?? "–" },
    ], ledger),
  ]).node, { wide: true });
}

/** @param {import("../../model.js").Outlet} outlet */
export function view(outlet) {
  const onlyLow = signal(false);
  return [
    h("label", { class: "tick" }, h("input", { type: "checkbox", onchange: (/** @type {Event} */ event) => onlyLow.set(/** @type {HTMLInputElement} */ (event.target).checked) }), t("stock.onlyLow")),
    loaded(() => all("/inventory/items", {}, { headers: { "x-outlet-id": outlet.id } }), (items) => () => table(t("part.stock"), [
      { label: t("f.name"), head: true, cell: (row) => h("button", { type: "button", class: "quiet start", onclick: () => void look(outlet, row) }, h("bdi", {}, row.name)) },
      { label: t("f.category"), cell: (row) => h("bdi", {}, row.category) }, { label: t("f.currentStock"), number: true, cell: (row) => `${number(row.currentStock)} ${row.unit}` },
      { label: t("f.minStockThreshold"), number: true, cell: (row) => number(row.minStockThreshold) }, { label: t("f.status"), cell: (row) => (row.isLowStock ? mark(t("stock.low"), "warn") : mark(t("stock.enough"), "good")) },
      { label: t("f.value"), number: true, cell: (row) => amount(row.stockValueCents, outlet.currency) },
    ], items.filter((/** @type {any} */ item) => !onlyLow() || item.isLowStock))).node,
  ];
}
