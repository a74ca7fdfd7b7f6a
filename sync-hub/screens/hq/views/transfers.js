// Stock on its way between outlets, and what became of it. Head office sees them; who sends, takes in or calls back is a branch.

import { ask } from "../../kit/session.js";
import { show } from "../../kit/dialog.js";
import { h, signal } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { currencyOf } from "../chain.js";
import { askedOutlets, outletFields } from "../choose.js";
import { amount, at, figure, head, loaded, mark, number, pairs, table, word } from "../parts.js";
import { freshness } from "./figures.js";

const STATES = ["", "SENT", "CANCEL_REQUESTED", "RECEIVED", "CANCELLED"];

/** @param {any} transfer @param {string | undefined} currency */
function look(transfer, currency) {
  return show(transfer.transferNumber, () => [
    pairs([[t("f.fromOutlet"), h("bdi", {}, transfer.fromOutlet.name)], [t("f.toOutlet"), h("bdi", {}, transfer.toOutlet.name)], [t("f.status"), word(transfer.status)], [t("f.sentAt"), at(transfer.sentAt)], [t("f.sentBy"), h("bdi", {}, transfer.sentBy)],
      [t("f.receivedAt"), at(transfer.receivedAt)], [t("f.receivedBy"), transfer.receivedBy ?? "–"], [t("f.cancelRequestedAt"), at(transfer.cancelRequestedAt)], [t("f.cancelledAt"), at(transfer.cancelledAt)], [t("f.reason"), transfer.cancelReason ?? "–"],
      [t("f.note"), transfer.note ?? "–"], [t("f.receiptNote"), transfer.receiptNote ?? "–"], [t("f.cost"), amount(transfer.costCents, currency)], [t("f.shortfall"), amount(transfer.shortfallCostCents, currency)]]),
    transfer.status === "CANCEL_REQUESTED" && h("p", { class: "warn" }, t("transfers.waits")),
    table(t("transfers.lines"), [
      { label: t("f.item"), head: true, cell: (row) => h("bdi", {}, row.name) },
      { label: t("f.batchNumber"), cell: (row) => row.batchNumber },
      { label: t("f.quantity"), number: true, cell: (row) => `${number(row.quantity)} ${row.unit}` },
      { label: t("f.quantityReceived"), number: true, cell: (row) => number(row.quantityReceived) },
      { label: t("f.cost"), number: true, cell: (row) => amount(row.costCents, currency) },
    ], transfer.lines),
  ], { wide: true });
}

export function view() {
  const status = signal("");
  return [
    head(t("view.transfers"), t("transfers.hint")),
    h("div", { class: "segments", role: "group", "aria-label": t("f.status") }, ...STATES.map((value) => h("button", { type: "button", "aria-pressed": () => String(status() === value), onclick: () => status.set(value) }, value ? word(value) : t("transfers.open")))),
    outletFields(),
    loaded(() => ask("GET", "/hub/transfers", { query: { status: status() || undefined, ...askedOutlets() } }), ({ data }) => {
      const all = data.outlets.flatMap((/** @type {any} */ sender) => sender.transfers.map((/** @type {any} */ transfer) => ({ ...transfer, currency: currencyOf(sender.outletId) })));
      return [freshness(data.outlets),
        h("div", { class: "figures" }, figure(t("transfers.inTransit"), number(data.inTransitCount)), figure(t("transfers.inTransitCost"), amount(data.inTransitCostCents, all[0]?.currency))),
        table(t("view.transfers"), [
          { label: t("f.transferNumber"), head: true, cell: (row) => h("button", { type: "button", class: "quiet start", onclick: () => void look(row, row.currency) }, row.transferNumber) },
          { label: t("f.fromOutlet"), cell: (row) => h("bdi", {}, row.fromOutlet.name ?? "–") },
          { label: t("f.toOutlet"), cell: (row) => h("bdi", {}, row.toOutlet.name ?? "–") },
          { label: t("f.sentAt"), cell: (row) => at(row.sentAt) },
          { label: t("f.status"), cell: (row) => mark(word(row.status), row.status === "RECEIVED" ? "good" : row.status === "CANCELLED" ? "plain" : "warn") },
          { label: t("f.cost"), number: true, cell: (row) => amount(row.costCents, row.currency) },
        ], all, t("transfers.none"))];
    }).node,
  ];
}
