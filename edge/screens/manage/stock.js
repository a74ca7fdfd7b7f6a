// The store room: items with batches and movements, preparations, portions, stocktakes, transfers. Never changes a stock without a reason.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { toast } from "../kit/dialog.js";
import { badge, facts, head, loaded, tabs, word } from "./parts.js";
import { amount, cash, cost, date, from, send } from "./store.js";
import { soonest } from "../kit/amounts.js";
import { files } from "./imports.js";
import { produce } from "./produce.js";
import { asSent, ingredients } from "./recipes.js";
import { at, go } from "./route.js";
import { change, resource } from "./resource.js";
import { edit } from "./form.js";
import { listed } from "./list.js";

/** @param {string[]} parts */
export function draw([tab = "items", id = ""]) {
  const names = ["items", "stocktakes", "preparations", "portions", ...(may("inventory:adjust") ? ["transfers"] : [])];
  const now = names.includes(tab) ? tab : "items";
  if (tab === "batches" && id) return later(() => import("./trace.js"), (module) => module.trace(id));
  if (now === "items" && id && id !== "low") return item(id);
  if (now === "stocktakes" && id) return later(() => import("./stocktake.js"), (module) => module.stocktake(id));
  if (now === "transfers" && id) return later(() => import("./transfers.js"), (module) => module.transfer(id));
  return [head(t("section.stock")), tabs("stock", names, now), /** @type {Record<string, () => any>} */ ({
    items: () => resource({ ...items, ...(id === "low" ? { query: { lowStockOnly: true } } : {}) }), preparations, portions, stocktakes, transfers: () => later(() => import("./transfers.js"), (module) => module.transfers()),
  })[now]()];
}

/** What is loaded only when it is opened. @template T @param {() => Promise<T>} load @param {(module: T) => import("../kit/view.js").Child} draw */
const later = (load, draw) => loaded(load, draw);

/** @type {import("./resource.js").Resource} */
const items = {
  name: "items", path: "/inventory/items", right: "inventory:write", search: true, extra: (again) => files("items", again),
  filters: [{ name: "lowStockOnly", kind: "tick" }],
  fields: [
    { name: "name", need: true }, { name: "category", need: true }, { name: "unit", need: true, hint: "item.unit.hint" }, { name: "minStockThreshold", kind: "decimal", empty: 0, hint: "item.min.hint" }, { name: "parLevel", kind: "decimal", hint: "item.par.hint" },
    { name: "rotation", kind: "choice", need: true, values: ["FEFO", "FIFO"], fresh: () => "FEFO" }, { name: "supplierId", kind: "choice", choices: from("/inventory/suppliers") }, { name: "sku" },
    { name: "unitConversions", kind: "rows", hint: "item.units.hint", of: [{ name: "unit", need: true }, { name: "factor", kind: "decimal", need: true }] },
  ],
  columns: [
    { name: "name", draw: (row) => h("span", {}, h("bdi", {}, row.name), row.preparationId ? [" ", h("span", { class: "badge kind" }, t("item.made"))] : null, h("small", {}, h("bdi", {}, row.category))) },
    { name: "currentStock", kind: "amount", draw: (row) => h("span", {}, row.isLowStock ? h("span", { class: "badge warn" }, t("low")) : null, " ", amount(row.currentStock, row.unit), keeps(row), row.expiredQuantity > 0 ? h("small", { class: "bad" }, t("item.expired", { quantity: amount(row.expiredQuantity, row.unit) })) : null, row.deficitQuantity > 0 ? h("small", { class: "bad" }, t("item.deficit", { quantity: amount(row.deficitQuantity, row.unit) })) : null) },
    { name: "minStockThreshold", kind: "amount" }, { name: "stockValueCents", kind: "money" },
  ],
  href: (row) => at("stock", "items", row.id),
};

/** Until when the batch that goes off first may be used. @param {any} row */
function keeps(row) {
  const last = soonest(row.activeBatches ?? []);
  return last ? h("small", {}, t("item.keeps", { date: date(last) })) : null;
}

/** One item with its batches and what moved. @param {string} id */
function item(id) {
  return loaded(async () => (await ask("GET", `/inventory/items/${id}`)).data, (one, again) => [
    head(one.name, h("a", { class: "button", href: at("stock", "items") }, t("back")),
      may("inventory:write") ? h("button", { type: "button", onclick: async () => { if (await change(items, one)) again(); } }, t("change")) : null,
      may("inventory:adjust") ? h("button", { type: "button", class: one.preparationId ? null : "main", onclick: async () => { if (await adjust(one)) again(); } }, t("adjust")) : null,
      one.preparationId && may("inventory:count") ? makes(one.preparationId, again) : null),
    facts([[t("f.kind"), one.preparationId ? t("item.made.text") : null], [t("f.currentStock"), [amount(one.currentStock, one.unit), one.isLowStock ? [" ", h("span", { class: "badge warn" }, t("low"))] : null]], [t("f.minStockThreshold"), amount(one.minStockThreshold, one.unit)], [t("f.parLevel"), one.parLevel === null ? null : amount(one.parLevel, one.unit)],
      [t("f.category"), one.category], [t("f.rotation"), word("rotation", one.rotation)], [t("f.averageCostCents"), cost(one.averageCostCents)], [t("f.lastCostCents"), cost(one.lastCostCents)], [t("f.stockValueCents"), cash(one.stockValueCents)],
      [t("f.expiredQuantity"), one.expiredQuantity > 0 ? amount(one.expiredQuantity, one.unit) : null], [t("f.deficitQuantity"), one.deficitQuantity > 0 ? amount(one.deficitQuantity, one.unit) : null], [t("f.unitConversions"), one.unitConversions.map((/** @type {any} */ each) => `1 ${each.unit} = ${amount(each.factor, one.unit)}`).join(", ")]]),
    h("h2", {}, t("item.batches")),
    listed({ path: `/inventory/items/${id}/batches`, caption: t("item.batches"), query: { openOnly: true }, columns: [{ name: "batchNumber" }, { name: "quantity", draw: (row) => amount(row.quantity, one.unit), kind: "number" }, { name: "expiryDate", draw: (row) => [date(row.expiryDate), row.isExpired ? [" ", badge("batch", "EXPIRED")] : null] }, { name: "receivedAt", kind: "moment" }, { name: "unitCostCents", kind: "cost" }],
      acts: (row) => h("a", { class: "button", href: at("stock", "batches", row.id), "aria-label": `${t("item.trace")}: ${row.batchNumber}` }, t("item.trace")) }),
    h("h2", {}, t("item.movements")),
    listed({ path: `/inventory/items/${id}/movements`, caption: t("item.movements"), filters: [{ name: "from", kind: "date" }, { name: "to", kind: "date" }], columns: [{ name: "at", kind: "moment" }, { name: "kind", kind: "word", words: "moved" }, { name: "quantityDelta", kind: "number" }, { name: "quantityAfter", kind: "number" }, { name: "batchNumber" }, { name: "reason", draw: (row) => h("bdi", {}, row.note ?? (row.reason && row.reason !== row.kind ? row.reason : "–")) }, { name: "costCents", kind: "money" }] }),
  ]);
}

/** Makes a batch of what an item is, by its preparation. @param {string} id @param {() => void} again */
const makes = (id, again) => h("button", { type: "button", class: "main", onclick: async () => { if (await produce((await ask("GET", `/inventory/preparations/${id}`)).data)) again(); } }, t("produce.one"));

/** @param {any} one */
async function adjust(one) {
  const done = await edit(t("adjust.of", { name: one.name }), {
    note: h("p", {}, t("adjust.now", { quantity: amount(one.currentStock, one.unit) })),
    fields: [{ name: "countedQuantity", kind: "decimal", hint: "adjust.counted.hint" }, { name: "quantityDelta", kind: "decimal", hint: "adjust.delta.hint" }, { name: "reason", need: true }, { name: "batchNumber", hint: "adjust.batch.hint" }, { name: "expiryDate", kind: "date" }, { name: "unitCostCents", kind: "cost" }, { name: "note" }],
    save: (typed) => send("POST", "/inventory/adjustments", { inventoryItemId: one.id, ...Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null)) }),
  });
  if (done) toast(t("saved"));
  return done;
}

function preparations() {
  return resource({
    name: "preparations", path: "/inventory/preparations", right: "inventory:write", does: "inventory:count", search: true, one: true, extra: (again) => files("recipes", again), intro: t("preparations.text"),
    shape: (typed) => ("ingredients" in typed ? { ...typed, ingredients: asSent(typed.ingredients) } : typed),
    fields: [{ name: "name", need: true }, { name: "yield", kind: "decimal", need: true }, { name: "unit", need: true }, { name: "shelfLifeDays", kind: "number", hint: "prep.shelf.hint" }, ingredients()],
    columns: [{ name: "name" }, { name: "preparedQuantity", label: t("produce.ready"), kind: "amount", draw: (row) => (row.inventoryItemId ? h("a", { href: at("stock", "items", row.inventoryItemId) }, amount(row.preparedQuantity, row.unit)) : "–") }, { name: "yield", kind: "amount" }, { name: "costCents", kind: "money" }, { name: "ingredients", draw: (row) => row.ingredients.map((/** @type {any} */ one) => one.name).join(", ") }],
    acts: (row, again) => [may("inventory:count") ? h("button", { type: "button", class: "main", "aria-label": `${t("produce")}: ${row.name}`, onclick: async () => { if (await produce(row)) again(); } }, t("produce")) : null],
  });
}

/** How many of each dish can still be made. */
function portions() {
  return listed({ path: "/inventory/portions", caption: t("tab.portions"), search: true,
    columns: [{ name: "name" }, { name: "availability", draw: (row) => badge("stock", row.availability.status) }, { name: "portionsLeft", kind: "number", draw: (row) => (row.portionsLeft === null ? t("portions.noRecipe") : row.weightUnit ? t(`weight.${row.weightUnit}`, { n: amount(row.portionsLeft) }) : amount(row.portionsLeft)) }, { name: "limitingItem", draw: (row) => (row.limitingItem ? h("a", { href: at("stock", "items", row.limitingItem.id) }, h("bdi", {}, row.limitingItem.name)) : "–") }] });
}

function stocktakes() {
  const opens = may("inventory:count");
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.stocktakes")), opens ? h("button", { type: "button", class: "main", onclick: async () => {
      const made = await edit(t("stocktake.open"), {
        fields: [{ name: "name", hint: "stocktake.name.hint" }, { name: "category", kind: "choice", hint: "stocktake.category.hint", choices: async () => { const rows = await from("/inventory/items")(); return [...new Set(rows.map(({ row }) => row.category))].sort().map((value) => ({ value, label: value })); } },
          { name: "blind", kind: "tick", hint: "stocktake.blind.hint" }], act: t("stocktake.open"),
        save: ({ name, category, blind }) => send("POST", "/inventory/stocktakes", { ...(name ? { name } : {}), ...(category ? { category } : {}), blind }),
      });
      if (made) go("stock", "stocktakes", made.id);
    } }, t("stocktake.open")) : null),
    listed({ path: "/inventory/stocktakes", caption: t("tab.stocktakes"), filters: [{ name: "status", values: ["OPEN", "CLOSED", "CANCELLED"], words: "stocktake" }],
      columns: [{ name: "name" }, { name: "status", kind: "badge", words: "stocktake" }, { name: "openedAt", kind: "moment" }, { name: "openedBy" }, { name: "countedCount", draw: (row) => `${row.countedCount} / ${row.itemsCount}` }, { name: "varianceCostCents", kind: "money" }],
      open: (row) => at("stock", "stocktakes", row.id) }),
  ];
}
