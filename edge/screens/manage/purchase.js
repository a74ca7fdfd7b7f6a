// One order to a supplier, and taking in what came of it: only what differs is typed. What the box doubts is shown with its reasons, and goes on
// with somebody's yes alone.

import { ask, may } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { h, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { show, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, word } from "./parts.js";
import { amount, cash, date, from, send, when } from "./store.js";
import { fieldset } from "./form.js";
import { at } from "./route.js";
import { edit } from "./form.js";
import { table } from "./list.js";
import { enter, ofOrder, waits } from "./bills.js";
import { debitNotes, sendBack } from "./returns.js";

/** @param {string} id */
export function purchase(id) {
  return loaded(async () => (await ask("GET", `/purchase-orders/${id}`)).data, (one, again) => [
    head(one.poNumber, h("a", { class: "button", href: at("buying") }, t("back")), ...(may("purchasing:write") ? does(one, again) : [])),
    facts([[t("f.supplierName"), one.supplierName], [t("f.status"), [badge("po", one.status), one.isOverdue ? [" ", badge("po", "OVERDUE")] : null]], [t("f.expectedDeliveryDate"), date(one.expectedDeliveryDate)], [t("f.totalCents"), cash(one.totalCents)], [t("f.mode"), word("mode", one.mode)], [t("f.sentAt"), one.sentAt ? when(one.sentAt) : null], [t("f.notes"), one.notes], [t("f.closeReason"), one.closeReason]]),
    h("h2", {}, t("po.items")),
    table({ caption: t("po.items"), rows: one.items, columns: [{ name: "name", draw: (row) => [h("bdi", {}, row.name), row.isExtra ? [" ", h("span", { class: "badge warn" }, t("po.extra"))] : null] }, { name: "quantityOrdered", kind: "amount" }, { name: "quantityReceived", kind: "amount" }, { name: "quantityOutstanding", kind: "amount" }, { name: "unitCostCents", kind: "cost" }, { name: "lineTotalCents", kind: "money" }] }),
    ofOrder(one, again),
    debitNotes(one),
    one.deliveries.length > 0 ? [h("h2", {}, t("po.deliveries")), waits(one), ...one.deliveries.map((/** @type {any} */ each) => h("section", { class: "card delivered" }, h("h3", {}, `${when(each.at)} · ${each.invoiceRef ?? t("po.noInvoice")} · ${cash(each.totalCents)}`), h("p", { class: "hint" }, each.byName, each.note ? ` · ${each.note}` : ""),
      table({ caption: t("po.deliveries"), rows: each.items, columns: [{ name: "name", draw: (row) => h("bdi", {}, row.name ?? one.items.find((/** @type {any} */ line) => line.inventoryItemId === row.inventoryItemId)?.name) }, { name: "quantityReceived", kind: "amount", draw: (row) => amount(row.quantityReceived ?? row.quantity, row.unit) }, { name: "batchNumber" }, { name: "expiryDate", kind: "date" }, { name: "unitCostCents", kind: "cost" }] })))] : null,
  ]);
}

/** @param {any} one @param {() => void} again */
function does(one, again) {
  const open = ["SENT", "PARTIALLY_RECEIVED"].includes(one.status);
  return [
    one.deliveries.length > 0 ? [
      h("button", { type: "button", onclick: async () => { if (await sendBack(one)) { toast(t("back.done")); again(); } } }, t("back.act")),
      h("button", { type: "button", onclick: async () => { if (await enter(one)) again(); } }, t("bill.enter")),
    ] : null,
    one.status === "DRAFT" ? [
      h("button", { type: "button", onclick: async () => {
        const { full, lines } = await import("./buying.js");
        const done = await edit(one.poNumber, { value: one, read: async () => (await ask("GET", `/purchase-orders/${one.id}`)).data, fields: [{ name: "expectedDeliveryDate", kind: "date", need: true }, lines(), { name: "notes", kind: "area" }],
          save: (typed, version) => send("PATCH", `/purchase-orders/${one.id}`, "items" in typed ? { ...typed, items: full(typed.items) } : typed, version) });
        if (done) { toast(t("saved")); again(); }
      } }, t("change")),
      act(t("po.send"), async () => { await send("POST", `/purchase-orders/${one.id}/send`); again(); }, { class: "main", done: t("po.sent") }),
    ] : null,
    one.status !== "CLOSED" && one.status !== "RECEIVED" ? h("button", { type: "button", onclick: async () => {
      if (await edit(t("po.close"), { act: t("po.close"), fields: [{ name: "reason", hint: "po.close.hint" }], save: ({ reason }) => send("POST", `/purchase-orders/${one.id}/close`, reason ? { reason } : {}) })) again();
    } }, t("po.close")) : null,
    open ? h("button", { type: "button", class: "main", onclick: async () => { if (await deliver(one)) { toast(t("po.taken")); again(); } } }, t("po.deliver")) : null,
  ];
}

/** Takes a delivery in. @param {any} one @returns {Promise<any>} */
export function deliver(one) {
  return show(t("po.deliver.of", { number: one.poNumber }), (close) => {
    const due = one.items.filter((/** @type {any} */ each) => each.quantityOutstanding > 0);
    const reasons = signal(/** @type {{ name: string, reason: string }[]} */ ([])), top = signal(""), busy = signal(false), extra = signal(/** @type {Map<string, string>} */ (new Map()));
    const rows = /** @type {{ line: any, sub: import("./form.js").Sub, wrong: import("../kit/view.js").Signal<Map<string, string>>, node: HTMLElement }[]} */ (due.map((/** @type {any} */ line) => {
      const wrong = signal(/** @type {Map<string, string>} */ (new Map()));
      const sub = fieldset([
        { name: "quantityReceived", kind: "decimal", label: `${t("f.quantityReceived")} (${line.unit})`, empty: 0 }, { name: "unitCostCents", kind: "cost", need: true }, { name: "expiryDate", kind: "date" }, { name: "batchNumber" },
      ], { quantityReceived: line.quantityOutstanding, unitCostCents: line.unitCostCents }, wrong);
      const node = h("fieldset", { class: "came" }, h("legend", {}, h("bdi", {}, line.name), h("small", {}, t("po.due", { quantity: amount(line.quantityOutstanding, line.unit) }))), h("div", { class: "fields" }, ...sub.nodes));
      return { line, sub, wrong, node };
    }));
    const more = fieldset([{ name: "items", label: t("po.more"), kind: "rows", hint: "po.more.hint", of: [{ name: "inventoryItemId", kind: "choice", need: true, choices: from("/inventory/items", (row) => `${row.name} (${row.unit})`) }, { name: "quantityReceived", kind: "decimal", need: true }, { name: "unitCostCents", kind: "cost", need: true }, { name: "expiryDate", kind: "date" }] }], {}, extra);
    const rest = fieldset([{ name: "invoiceRef" }, { name: "note" }], {}, signal(new Map()));
    /** @param {boolean} confirm */
    async function go(confirm) {
      if (busy.peek()) return;
      let bad = 0;
      const items = rows.flatMap(({ line, sub, wrong }) => {
        const found = new Map(), typed = sub.read(found);
        wrong.set(found);
        bad += found.size;
        return typed.quantityReceived ? [{ inventoryItemId: line.inventoryItemId, unit: line.unit, ...given(typed) }] : [];
      });
      const found = new Map(), added = more.read(found).items.map(given);
      extra.set(found);
      if (bad + found.size > 0) return;
      busy.set(true);
      top.set("");
      try {
        close(await send("POST", `/purchase-orders/${one.id}/deliveries`, { items: [...items, ...added], ...given(rest.read(new Map())), ...(confirm ? { confirm: true } : {}) }));
      } catch (error) {
        reasons.set([]);
        if (error instanceof ApiError && error.code === "ERR_CONFIRMATION_NEEDED") reasons.set(error.fields.map(({ name, reason }) => ({ name: nameOf(name, items, added, one), reason })));
        else if (error instanceof ApiError && error.fields.length > 0) top.set(error.fields.map(({ name, reason }) => `${nameOf(name, items, added, one)}: ${reason}`).join("; "));
        else top.set(said(error));
      } finally {
        busy.set(false);
      }
    }
    return h("form", { novalidate: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void go(false); } },
      h("p", { class: "hint" }, t("po.deliver.text")),
      ...rows.map(({ node }) => node), h("details", {}, h("summary", {}, t("po.more")), ...more.nodes), h("div", { class: "fields" }, ...rest.nodes),
      h("p", { class: "wrong", role: "alert" }, () => top()),
      h("div", { role: "alert" }, () => reasons().length > 0 && h("div", { class: "doubts" }, h("p", { class: "warn" }, t("po.doubt")), h("ul", {}, ...reasons().map(({ name, reason }) => h("li", {}, h("b", {}, h("bdi", {}, name)), ` ${reason}`))),
        h("button", { type: "button", class: "bad", disabled: busy, onclick: () => void go(true) }, t("po.confirm")))),
      h("div", { class: "acts" }, h("button", { class: "main", disabled: busy }, t("po.deliver"))));
  }, { wide: true });
}

/** Without what was left empty. @param {any} typed */
const given = (typed) => Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null && value !== ""));

/** The item that `items[2].unitCostCents` means. @param {string} path @param {any[]} items @param {any[]} added @param {any} one */
function nameOf(path, items, added, one) {
  const found = /^items\[(\d+)\]/.exec(path);
  const id = found ? [...items, ...added][Number(found[1])]?.inventoryItemId : null;
  return one.items.find((/** @type {any} */ line) => line.inventoryItemId === id)?.name ?? path;
}
