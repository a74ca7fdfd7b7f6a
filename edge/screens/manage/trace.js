// Where one batch came from and where it went: deliveries, what it was made of, what was made of it, orders. Each other batch is a way to its own
// trace. Never says more of a guest than the number of their order.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { facts, head, loaded } from "./parts.js";
import { amount, date } from "./store.js";
import { at } from "./route.js";
import { table } from "./list.js";

/** A batch as a way to its trace; what was taken without stock has none. @param {string | null} id @param {string | null} number */
const batchLink = (id, number) => (id ? h("a", { class: "open", href: at("stock", "batches", id) }, h("bdi", {}, number)) : h("span", { class: "badge warn" }, t("produce.without")));
/** @param {{ inventoryItemId: string, name: string }} row */
const itemLink = (row) => h("a", { class: "open", href: at("stock", "items", row.inventoryItemId) }, h("bdi", {}, row.name));

/** @param {string} id */
export function trace(id) {
  return loaded(async () => {
    const said = (await ask("GET", `/inventory/batches/${id}/trace`, { query: { limit: 100 } })).data;
    return { said, item: (await ask("GET", `/inventory/items/${said.batch.inventoryItemId}`)).data };
  }, ({ said, item }) => {
    const { batch, madeFrom, madeInto, deliveries } = said, deep = madeFrom.some((/** @type {any} */ one) => one.madeBatchId !== batch.id);
    const made = new Map(madeFrom.map((/** @type {any} */ one) => [one.batchId, `${one.name} · ${one.batchNumber}`]));
    return [
      head(t("item.trace.of", { batch: batch.batchNumber }), h("a", { class: "button", href: at("stock", "items", batch.inventoryItemId) }, t("back"))),
      facts([[t("f.name"), h("a", { href: at("stock", "items", batch.inventoryItemId) }, h("bdi", {}, said.itemName))], [t("f.left"), amount(batch.quantity, item.unit)], [t("f.expiryDate"), batch.expiryDate ? date(batch.expiryDate) : t("produce.noDate")], [t("f.supplierName"), said.supplierName]]),
      madeFrom.length > 0 ? [h("h2", {}, t("trace.from")), table({ caption: t("trace.from"), rows: madeFrom, columns: [
        { name: "name", draw: itemLink }, { name: "batchNumber", draw: (row) => batchLink(row.batchId, row.batchNumber) }, { name: "quantity", kind: "amount" }, { name: "expiryDate", draw: (row) => (row.expiryDate ? date(row.expiryDate) : "–") },
        ...(deep ? [{ name: "into", label: t("trace.within"), draw: (/** @type {any} */ row) => h("bdi", {}, row.madeBatchId === batch.id ? batch.batchNumber : made.get(row.madeBatchId) ?? "–") }] : []), { name: "supplierName" }] })] : null,
      madeInto.length > 0 ? [h("h2", {}, t("trace.into")), table({ caption: t("trace.into"), rows: madeInto, columns: [
        { name: "name", draw: itemLink }, { name: "batchNumber", draw: (row) => batchLink(row.batchId, row.batchNumber) }, { name: "at", kind: "moment" }, { name: "quantity", label: t("trace.made"), kind: "amount" }, { name: "holdsQuantity", label: t("trace.holds", { batch: batch.batchNumber }), draw: (row) => amount(row.holdsQuantity, item.unit), kind: "number" }] })] : null,
      deliveries.length > 0 || madeFrom.length === 0 ? [h("h2", {}, t("item.deliveries")), table({ caption: t("item.deliveries"), rows: deliveries, columns: [{ name: "poNumber" }, { name: "at", kind: "moment" }, { name: "supplierName" }, { name: "invoiceRef" }, { name: "quantity", kind: "number" }] })] : null,
      h("h2", {}, t("item.orders", { n: said.ordersCount })), table({ caption: t("section.orders"), rows: said.orders, columns: [
        { name: "orderNumber", draw: (row) => (row.orderId && may("orders:read") ? h("a", { class: "open", href: at("orders", row.orderId) }, h("bdi", {}, row.orderNumber)) : h("bdi", {}, row.orderNumber)) }, { name: "at", kind: "moment" }, { name: "quantity", kind: "number" }] }),
    ];
  });
}
