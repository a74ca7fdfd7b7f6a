// What goes back to a supplier, batch by batch, and the debit notes of it. Never sends back what did not come with the order.

import { ApiError } from "../kit/api.js";
import { h, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { inWords } from "../kit/refused.js";
import { show } from "../kit/dialog.js";
import { has, t } from "../kit/words.js";
import { mayGoBack } from "../kit/amounts.js";
import { amount, cash, date, send, when } from "./store.js";
import { fieldset } from "./form.js";
import { table } from "./list.js";

/** Without what was left empty. @param {any} typed */
const given = (typed) => Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null && value !== ""));

/** Asks what goes back; answers the order after it. @param {any} one @returns {Promise<any>} */
export function sendBack(one) {
  return show(t("back.of", { number: one.poNumber }), (close) => {
    const top = signal(""), busy = signal(false), common = signal(/** @type {Map<string, string>} */ (new Map()));
    const why = fieldset([{ name: "reason", need: true, hint: "back.reason.hint" }, { name: "note" }], {}, common);
    const rows = mayGoBack(one).map((batch) => {
      const wrong = signal(/** @type {Map<string, string>} */ (new Map()));
      const sub = fieldset([
        { name: "quantity", label: `${t("back.quantity")} (${batch.unit})`, kind: "decimal" }, { name: "unitCostCents", label: t("back.price"), kind: "cost" }, { name: "reason", label: t("back.why") },
      ], { unitCostCents: batch.unitCostCents }, wrong);
      const node = h("fieldset", { class: "came" }, h("legend", {}, h("bdi", {}, batch.name), h("small", {}, t("back.came", { quantity: amount(batch.left, batch.unit), batch: batch.batchNumber })), batch.expiryDate ? h("small", {}, date(batch.expiryDate)) : null), h("div", { class: "fields" }, ...sub.nodes));
      return { batch, sub, wrong, node };
    });
    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      if (busy.peek()) return;
      let bad = 0;
      const all = new Map(), { reason, note } = why.read(all);
      const chosen = rows.flatMap((row) => {
        const found = new Map(), typed = row.sub.read(found);
        const back = typed.quantity !== null || found.has("quantity");
        row.wrong.set(back ? found : new Map());
        if (!back) return [];
        bad += found.size;
        return [{ row, typed }];
      });
      // Where each says why, nothing needs to be said for all.
      if (chosen.length > 0 && chosen.every(({ typed }) => typed.reason)) all.delete("reason");
      common.set(all);
      top.set(chosen.length === 0 ? t("back.none") : "");
      if (bad + all.size > 0 || chosen.length === 0) return;
      busy.set(true);
      try {
        close(await send("POST", `/purchase-orders/${one.id}/returns`, { items: chosen.map(({ row, typed }) => ({ batchId: row.batch.batchId, unit: row.batch.unit, reason, ...given(typed) })), ...(note ? { note } : {}) }));
      } catch (error) {
        told(error, chosen);
      } finally {
        busy.set(false);
      }
    }
    /** What the box refuses stands where it was typed. @param {unknown} error @param {{ row: typeof rows[number] }[]} chosen */
    function told(error, chosen) {
      if (!(error instanceof ApiError) || error.fields.length === 0) { top.set(said(error)); return; }
      /** @type {string[]} */
      const rest = [];
      for (const { name, reason } of error.fields) {
        const found = /^items\[(\d+)\]\.(\w+)$/.exec(name), row = found ? chosen[Number(found[1])]?.row : undefined;
        if (row && found && ["quantity", "unitCostCents", "reason"].includes(found[2])) row.wrong.update((before) => new Map([...before, [found[2], inWords(reason)]]));
        else rest.push(`${row ? row.batch.name : has(`f.${name}`) ? t(`f.${name}`) : name}: ${inWords(reason)}`);
      }
      top.set(rest.join("; "));
    }
    return h("form", { novalidate: true, onsubmit: submit },
      h("p", { class: "hint" }, t("back.text")),
      rows.length === 0 ? h("p", { class: "hint empty" }, t("back.nothing")) : [
        h("div", { class: "fields" }, ...why.nodes), ...rows.map(({ node }) => node),
        h("p", { class: "wrong", role: "alert" }, () => top()), h("div", { class: "acts" }, h("button", { class: "main", disabled: busy }, t("back.go")))]);
  }, { wide: true });
}

/** The debit notes of an order. @param {any} one */
export function debitNotes(one) {
  if (!one.returns?.length) return null;
  return [h("h2", {}, t("back.notes")), ...one.returns.map((/** @type {any} */ each) => h("section", { class: "card delivered" },
    h("h3", {}, h("bdi", {}, each.number), ` · ${when(each.at)} · ${t("back.owes", { amount: cash(each.totalCents + each.taxCents), tax: cash(each.taxCents) })}`), h("p", { class: "hint" }, h("bdi", {}, each.byName), each.note ? [" · ", h("bdi", {}, each.note)] : null),
    table({ caption: `${t("back.notes")} ${each.number}`, rows: each.items, columns: [{ name: "name" }, { name: "batchNumber" }, { name: "quantity", kind: "amount" }, { name: "unitCostCents", kind: "cost" }, { name: "lineTotalCents", kind: "money" }, { name: "reason" }] })))];
}
