// Buying: orders to suppliers, what was delivered, who delivers what at which price. Never books more or dearer goods without somebody's yes.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { show, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, tabs, word } from "./parts.js";
import { amount, date, from, send } from "./store.js";
import { at, go } from "./route.js";
import { edit } from "./form.js";
import { listed, table } from "./list.js";
import { purchase } from "./purchase.js";
import { files } from "./imports.js";
import { resource } from "./resource.js";
import { unmatched } from "./bills.js";

/** @param {string[]} parts */
export function draw([tab = "purchases", id = ""]) {
  if (tab === "orders" && id || /^[0-9a-f]{8}-/.test(tab)) return purchase(id || tab);
  const names = ["purchases", "suppliers", ...(may("analytics:read") ? ["bills"] : [])], now = names.includes(tab) ? tab : "purchases";
  return [head(t("section.buying")), tabs("buying", names, now), now === "purchases" ? purchases() : now === "bills" ? unmatched() : suppliers()];
}

/** What is ordered, line by line. @returns {import("./fields.js").Field} */
export function lines() {
  return { name: "items", label: t("tab.items"), kind: "rows", once: true, fresh: () => [{}], of: [
    { name: "inventoryItemId", kind: "choice", need: true, choices: from("/inventory/items", (row) => `${row.name} (${row.unit})`) }, { name: "quantityOrdered", kind: "decimal", need: true }, { name: "unit", hint: "po.unit.hint" }, { name: "unitCostCents", kind: "cost", hint: "po.cost.hint" }] };
}

/** What was left empty is not sent: the box knows it. @param {any[]} items */
export const full = (items) => items.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)));

function purchases() {
  const writes = may("purchasing:write");
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.purchases")), writes ? h("div", { class: "acts" },
      act(t("today.low.act"), async () => {
        const { purchaseOrders: made, skipped } = await send("POST", "/purchase-orders/auto", {});
        if (made.length === 0) toast(t("auto.none"));
        if (skipped.length > 0) await show(t("auto.skipped"), () => h("ul", {}, ...skipped.map((/** @type {any} */ one) => h("li", {}, h("bdi", {}, one.name), h("small", {}, word("skip", one.reason))))));
        if (made.length === 1) go("buying", "orders", made[0].id); else if (made.length > 0) location.reload();
      }, { sure: t("auto.sure") }),
      h("button", { type: "button", class: "main", onclick: async () => {
        const made = await edit(t("purchases.add"), {
          keep: true,
          fields: [{ name: "supplierId", kind: "choice", need: true, choices: from("/inventory/suppliers") }, { name: "expectedDeliveryDate", kind: "date", hint: "po.date.hint" }, lines(), { name: "notes", kind: "area" }],
          save: ({ supplierId, expectedDeliveryDate, items, notes }) => send("POST", "/inventory/purchase-orders", { supplierId, items: full(items), ...(expectedDeliveryDate ? { expectedDeliveryDate } : {}), ...(notes ? { notes } : {}) }),
        });
        if (made) go("buying", "orders", made.id);
      } }, t("purchases.add"))) : null),
    listed({ path: "/purchase-orders", caption: t("tab.purchases"), filters: [{ name: "status", values: ["DRAFT", "SENT", "PARTIALLY_RECEIVED", "RECEIVED", "CLOSED"], words: "po" }, { name: "supplierId", choices: from("/inventory/suppliers") }, { name: "from", kind: "date" }, { name: "to", kind: "date" }],
      columns: [{ name: "poNumber" }, { name: "supplierName" }, { name: "status", draw: (row) => [badge("po", row.status), row.isOverdue ? [" ", badge("po", "OVERDUE")] : null] }, { name: "expectedDeliveryDate", kind: "date" }, { name: "mode", kind: "word" }, { name: "totalCents", kind: "money" }],
      open: (row) => at("buying", "orders", row.id) }),
  ];
}

function suppliers() {
  return resource({
    name: "suppliers", path: "/inventory/suppliers", right: "purchasing:write", search: true, one: true, extra: (again) => files("suppliers", again),
    fields: [{ name: "name", need: true }, { name: "contactName" }, { name: "phone" }, { name: "email" }, { name: "taxId" }, { name: "leadTimeDays", kind: "number", empty: 1, hint: "supplier.lead.hint" }, { name: "address", kind: "area" },
      { name: "agreedPrices", kind: "rows", once: true, of: [{ name: "inventoryItemId", kind: "choice", need: true, choices: from("/inventory/items", (row) => `${row.name} (${row.unit})`) }, { name: "unit" }, { name: "unitCostCents", kind: "cost", need: true }] }],
    columns: [{ name: "name" }, { name: "contactName" }, { name: "phone" }, { name: "email" }, { name: "leadTimeDays", kind: "number" }],
    acts: (row) => [h("button", { type: "button", "aria-label": `${t("supplier.prices")}: ${row.name}`, onclick: () => void prices(row) }, t("supplier.prices"))],
  });
}

/** What a supplier agreed to and last asked, and how they deliver. @param {any} one */
function prices(one) {
  return show(one.name, () => loaded(async () => ({ prices: (await ask("GET", `/inventory/suppliers/${one.id}/prices`)).data, how: (await ask("GET", `/inventory/suppliers/${one.id}/performance`)).data }), ({ prices, how }) => [
    facts([[t("f.ordersCount"), amount(how.ordersCount)], [t("f.onTimePercentage"), how.onTimePercentage === null ? null : `${amount(how.onTimePercentage)} %`], [t("f.fillRatePercentage"), how.fillRatePercentage === null ? null : `${amount(how.fillRatePercentage)} %`], [t("f.averagePromisedDays"), how.averagePromisedDays === null ? null : amount(how.averagePromisedDays)], [t("f.averageActualDays"), how.averageActualDays === null ? null : amount(how.averageActualDays)], [t("f.lastDeliveryAt"), how.lastDeliveryAt ? date(how.lastDeliveryAt) : null]]),
    table({ caption: t("supplier.prices"), rows: prices, columns: [{ name: "name" }, { name: "agreedUnitCostCents", kind: "cost" }, { name: "agreedUnit" }, { name: "lastUnitCostCents", kind: "cost" }, { name: "lastUnit" }, { name: "lastDeliveredOn", kind: "date" }] }),
  ]), { wide: true });
}
