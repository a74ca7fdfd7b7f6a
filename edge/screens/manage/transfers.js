// Stock on its way to or from other outlets. Never takes in more than was sent.

import { ask } from "../kit/session.js";
import { h } from "../kit/view.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded } from "./parts.js";
import { amount, cash, from, send, when } from "./store.js";
import { at, go } from "./route.js";
import { edit } from "./form.js";
import { listed, table } from "./list.js";

export function transfers() {
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.transfers")), h("button", { type: "button", class: "main", onclick: async () => {
      const made = await edit(t("transfer.send"), {
        act: t("transfer.send"), keep: true, note: h("p", { class: "hint" }, t("transfer.text")),
        fields: [
          { name: "toOutletId", kind: "choice", need: true, choices: async () => (await ask("GET", "/inventory/transfers/outlets")).data.map((/** @type {any} */ one) => ({ value: one.id, label: `${one.name} (${one.code})` })) },
          { name: "note" }, { name: "items", kind: "rows", fresh: () => [{}], of: [{ name: "inventoryItemId", kind: "choice", need: true, choices: from("/inventory/items", (row) => `${row.name} (${row.unit})`) }, { name: "quantity", kind: "decimal", need: true }, { name: "unit" }, { name: "batchNumber" }] },
        ],
        save: ({ toOutletId, note, items }) => send("POST", "/inventory/transfers", { toOutletId, ...(note ? { note } : {}), items: items.map((/** @type {any} */ one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null))) }),
      });
      if (made) go("stock", "transfers", made.id);
    } }, t("transfer.send"))),
    listed({ path: "/inventory/transfers", caption: t("tab.transfers"), filters: [{ name: "direction", values: ["IN", "OUT"], words: "direction" }, { name: "status", values: ["SENT", "RECEIVED", "CANCEL_REQUESTED", "CANCELLED"], words: "transfer" }],
      columns: [{ name: "transferNumber" }, { name: "direction", kind: "word" }, { name: "status", kind: "badge", words: "transfer" }, { name: "toOutlet", draw: (row) => h("bdi", {}, row.direction === "IN" ? row.fromOutlet.name : row.toOutlet.name) }, { name: "sentAt", kind: "moment" }, { name: "linesCount", kind: "number" }, { name: "costCents", kind: "money" }],
      open: (row) => at("stock", "transfers", row.id) }),
  ];
}

/** @param {string} id */
export function transfer(id) {
  return loaded(async () => (await ask("GET", `/inventory/transfers/${id}`)).data, (one, again) => [
    head(one.transferNumber, h("a", { class: "button", href: at("stock", "transfers") }, t("back")),
      one.direction === "OUT" && one.status === "SENT" ? h("button", { type: "button", onclick: async () => {
        if (await edit(t("transfer.cancel"), { act: t("transfer.cancel"), fields: [{ name: "reason" }], save: ({ reason }) => send("POST", `/inventory/transfers/${id}/cancel`, reason ? { reason } : {}) })) { toast(t("saved")); again(); }
      } }, t("transfer.cancel")) : null,
      one.direction === "IN" && one.status === "SENT" ? [
        h("button", { type: "button", onclick: async () => {
          const done = await edit(t("transfer.receive.part"), { act: t("transfer.receive.some"), fields: [...one.lines.map((/** @type {any} */ line) => ({ name: `came.${line.id}`, label: `${line.name} · ${line.batchNumber} (${t("transfer.sent", { quantity: amount(line.quantity, line.unit) })})`, kind: "decimal", need: true, wide: true, fresh: () => line.quantity })), { name: "note", wide: true }],
            save: ({ came, note }) => send("POST", `/inventory/transfers/${id}/receive`, { items: Object.entries(came).map(([lineId, quantityReceived]) => ({ lineId, quantityReceived })), ...(note ? { note } : {}) }) });
          if (done) { toast(t("saved")); again(); }
        } }, t("transfer.receive.part")),
        act(t("transfer.receive"), async () => { await send("POST", `/inventory/transfers/${id}/receive`, {}); again(); }, { class: "main", done: t("saved") }),
      ] : null),
    facts([[t("f.status"), badge("transfer", one.status)], [t("f.fromOutlet"), one.fromOutlet.name], [t("f.toOutlet"), one.toOutlet.name], [t("f.sentAt"), when(one.sentAt)], [t("f.sentBy"), one.sentBy], [t("f.receivedAt"), one.receivedAt ? when(one.receivedAt) : null], [t("f.receivedBy"), one.receivedBy], [t("f.note"), one.note], [t("f.costCents"), cash(one.costCents)], [t("f.shortfallCostCents"), one.shortfallCostCents ? cash(one.shortfallCostCents) : null]]),
    table({ caption: one.transferNumber, rows: one.lines, columns: [{ name: "name" }, { name: "batchNumber" }, { name: "expiryDate", kind: "date" }, { name: "quantity", kind: "amount" }, { name: "quantityReceived", kind: "amount" }, { name: "shortfallQuantity", kind: "amount" }, { name: "costCents", kind: "money" }] }),
  ]);
}
