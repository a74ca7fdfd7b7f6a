// Making a batch of a preparation ahead: how much, until when it keeps, what that takes from the shelves. Never says that something was taken
// before the box did.

import { all } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { h, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { inWords } from "../kit/refused.js";
import { show } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { isShort, scaled } from "../kit/amounts.js";
import { facts, loaded } from "./parts.js";
import { amount, cash, date, rowsOf, send, today } from "./store.js";
import { fieldset } from "./form.js";
import { table } from "./list.js";

/** Asks how much is made; answers true where a batch was made. @param {any} one a preparation @returns {Promise<boolean>} */
export async function produce(one) {
  const made = await show(t("produce.of", { name: one.name }), (close) => loaded(() => all("/inventory/items"), (items) => form(one, items, close)), { wide: true });
  if (!made) return false;
  await show(t("produce.made", { name: one.name }), (close) => [result(one, made), h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => close(true) }, t("produce.done")))], { wide: true });
  return true;
}

/** @param {any} one @param {any[]} items @param {(answer: any) => void} close */
function form(one, items, close) {
  const wrong = signal(/** @type {Map<string, string>} */ (new Map())), top = signal(""), busy = signal(false), much = signal(/** @type {number} */ (one.yield));
  const sub = fieldset([
    { name: "quantity", label: `${t("produce.much")} (${one.unit})`, kind: "decimal", need: true }, { name: "expiryDate", label: t("produce.keeps"), kind: "date", hint: typeof one.shelfLifeDays === "number" ? "produce.shelf.hint" : "produce.keeps.hint" },
  ], { quantity: one.yield }, wrong);
  const typed = () => { const { quantity } = sub.read(new Map()); much.set(quantity > 0 ? quantity : 0); };
  const known = new Map(items.map((item) => [item.id, item]));
  const takes = () => one.ingredients.map((/** @type {any} */ each) => {
    const needs = scaled(each.quantity, much(), one.yield), item = known.get(each.inventoryItemId ?? "");
    return { name: each.name, needs, unit: each.unit, item, short: item ? isShort(needs, each.unit, item) : false };
  });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (busy.peek()) return;
    const found = new Map(), { quantity, expiryDate } = sub.read(found);
    if (!found.has("quantity") && !(quantity > 0)) found.set("quantity", t("produce.nothing"));
    if (expiryDate && expiryDate < today()) found.set("expiryDate", t("produce.past"));
    wrong.set(found);
    top.set("");
    if (found.size > 0) return;
    busy.set(true);
    try {
      close(await send("POST", `/inventory/preparations/${one.id}/produce`, { quantity, ...(expiryDate ? { expiryDate } : {}) }));
    } catch (error) {
      const told = error instanceof ApiError ? error.fields.filter(({ name }) => name === "quantity" || name === "expiryDate") : [];
      if (told.length > 0) wrong.set(new Map(told.map(({ name, reason }) => [name, inWords(reason)]))); else top.set(said(error));
    } finally {
      busy.set(false);
    }
  }
  return h("form", { novalidate: true, onsubmit: submit, oninput: typed },
    h("p", { class: "hint" }, t("produce.text", { quantity: amount(one.preparedQuantity ?? 0, one.unit) })),
    h("div", { class: "fields" }, ...sub.nodes),
    h("h3", {}, t("produce.takes")),
    () => table({ caption: t("produce.takes"), rows: takes(), columns: [
      { name: "name" }, { name: "needs", label: t("produce.needs"), kind: "number", draw: (row) => amount(row.needs, row.unit) },
      { name: "item", label: t("f.currentStock"), kind: "number", draw: (row) => (row.item ? h("span", {}, row.short ? [h("span", { class: "badge warn" }, t("produce.short")), " "] : null, amount(row.item.currentStock, row.item.unit)) : "–") }] }),
    () => (takes().some((/** @type {any} */ each) => each.short) ? h("p", { class: "warn", role: "status" }, t("produce.short.text")) : null),
    h("p", { class: "wrong", role: "alert" }, () => top()),
    h("div", { class: "acts" }, h("button", { class: "main", disabled: busy }, t("produce.go"))));
}

/** What came of it: the number for the label, what it cost, what the box doubts, what went in from which batch. @param {any} one @param {any} made */
function result(one, made) {
  return [
    h("p", { class: "code" }, h("bdi", {}, made.batch.batchNumber)), h("p", { class: "hint", style: { textAlign: "center" } }, t("produce.label")),
    made.warnings.length > 0 ? h("div", { class: "doubts" }, h("p", { class: "warn" }, t("produce.warn")), h("ul", {}, ...made.warnings.map((/** @type {any} */ each) => h("li", {}, inWords(each.message))))) : null,
    facts([[t("f.quantity"), amount(made.batch.quantity, made.unit)], [t("f.expiryDate"), made.batch.expiryDate ? date(made.batch.expiryDate) : t("produce.noDate")], [t("f.costCents"), cash(made.costCents)]]),
    h("h3", {}, t("produce.took")),
    loaded(() => rowsOf("/inventory/items"), (items) => {
      const known = new Map(items.map((item) => [item.id, item]));
      return table({ caption: t("produce.took"), rows: made.ingredients.map((/** @type {any} */ each) => ({ ...each, name: known.get(each.inventoryItemId)?.name, unit: known.get(each.inventoryItemId)?.unit })),
        columns: [{ name: "name" }, { name: "quantity", kind: "amount" }, { name: "batchNumber", draw: (row) => (row.batchId ? h("bdi", {}, row.batchNumber) : h("span", { class: "badge warn" }, t("produce.without"))) }, { name: "unitCostCents", kind: "cost" }] });
    }),
  ];
}
