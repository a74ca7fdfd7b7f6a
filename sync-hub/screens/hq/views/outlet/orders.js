// An outlet's orders: found by date, state and words; one with its lines, money, history and bill. Never changes one.

import { h, signal } from "../../../kit/view.js";
import { perUnit, t, weightOf } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { today } from "../../choose.js";
import { amount, at, loaded, mark, number, pairs, table, word } from "../../parts.js";

const STATES = ["PENDING", "ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED", "COMPLETED", "CANCELLED"];
const PAGE = 50;

/** @param {import("../../model.js").Outlet} outlet @param {string[]} rest */
export function view(outlet, rest) {
  if (rest[0]) return one(outlet, rest[0]);
  const filter = signal(/** @type {Record<string, any>} */ ({})), page = signal(1);
  return [
    h("form", {
      class: "choose", role: "search",
      onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); page.set(1); filter.set(Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (event.target)))); },
    },
    h("label", {}, t("f.search"), h("input", { name: "q", type: "search", autocomplete: "off" })),
    h("label", {}, t("f.status"), h("select", { name: "status" }, h("option", { value: "" }, t("all")), ...STATES.map((value) => h("option", { value }, word(value))))),
    h("label", {}, t("f.from"), h("input", { name: "from", type: "date", max: today() })), h("label", {}, t("f.to"), h("input", { name: "to", type: "date" })), h("button", {}, t("show"))),
    loaded(() => ofOutlet(outlet.id, "/orders", { ...filter(), limit: PAGE, page: page() }), ({ data, meta }) => [
      table(t("part.orders"), [
        { label: t("f.orderNumber"), head: true, cell: (row) => h("a", { href: `#/outlet/${outlet.id}/orders/${row.id}` }, row.orderNumber) },
        { label: t("f.at"), cell: (row) => at(row.createdAt, outlet.timezone) }, { label: t("f.table"), cell: (row) => row.tableNumber ?? word(row.orderType) },
        { label: t("f.status"), cell: (row) => mark(word(row.status), row.status === "COMPLETED" ? "good" : "plain") },
        { label: t("f.server"), cell: (row) => h("bdi", {}, row.server?.name ?? "–") }, { label: t("f.total"), number: true, cell: (row) => amount(row.totalAmountCents, outlet.currency) },
      ], data),
      h("div", { class: "acts" },
        page() > 1 && h("button", { type: "button", onclick: () => page.update((n) => n - 1) }, t("page.newer")),
        data.length === PAGE && (meta?.total ?? Infinity) > page() * PAGE && h("button", { type: "button", onclick: () => page.update((n) => n + 1) }, t("page.older"))),
    ]).node,
  ];
}

/** @param {import("../../model.js").Outlet} outlet @param {string} id */
function one(outlet, id) {
  const { currency, timezone } = outlet;
  return [h("p", {}, h("a", { href: `#/outlet/${outlet.id}/orders` }, t("part.orders"))), loaded(async () => {
    const [order, receipt, trace] = await Promise.all([ofOutlet(outlet.id, `/orders/${id}`), ofOutlet(outlet.id, `/orders/${id}/receipt`, { format: "json" }).catch(() => null), ofOutlet(outlet.id, `/orders/${id}/trace`).catch(() => null)]);
    return { order: order.data, receipt: receipt?.data, trace: trace?.data };
  }, ({ order, receipt, trace }) => [
    h("h2", {}, order.orderNumber, " ", mark(word(order.status))),
    pairs([[t("f.at"), at(order.createdAt, timezone)], [t("f.table"), order.tableNumber ?? word(order.orderType)], [t("f.guests"), number(order.guestCount)], [t("f.server"), h("bdi", {}, order.server?.name ?? "–")], [t("f.invoiceNumber"), order.invoiceNumber ?? "–"], [t("f.total"), amount(order.totalAmountCents, currency)], [t("f.paid"), amount(order.paidCents, currency)], [t("f.due"), amount(order.dueCents, currency)], [t("f.refundedCents"), amount(order.refundedCents, currency)]]),
    table(t("order.lines"), [
      { label: t("f.dish"), head: true, cell: (row) => [h("bdi", {}, row.name), row.modifiers.length ? h("small", {}, h("bdi", {}, row.modifiers.map((/** @type {any} */ one) => one.name).join(", "))) : null, row.notes ? h("small", {}, h("bdi", {}, row.notes)) : null] },
      { label: t("f.quantity"), number: true, cell: (row) => (row.weight ? weightOf(row.weight, row.weightUnit) : number(row.quantity)) }, { label: t("f.voided"), number: true, cell: (row) => number(row.voidedQuantity) },
      { label: t("f.unitPriceCents"), number: true, cell: (row) => perUnit(row, amount(row.unitPriceCents, currency)) }, { label: t("f.total"), number: true, cell: (row) => amount(row.lineTotalCents, currency) },
    ], order.items),
    h("div", { class: "columns" },
      h("section", {}, h("h3", {}, t("order.payments")), table(t("order.payments"), [{ label: t("f.method"), head: true, cell: (row) => word(row.method) }, { label: t("f.at"), cell: (row) => at(row.at, timezone) }, { label: t("f.amount"), number: true, cell: (row) => amount(row.amountCents, currency) }], order.payments)),
      h("section", {}, h("h3", {}, t("order.history")), table(t("order.history"), [{ label: t("f.status"), head: true, cell: (row) => word(row.to) }, { label: t("f.at"), cell: (row) => at(row.at, timezone) }, { label: t("f.actorName"), cell: (row) => h("bdi", {}, row.by) }], order.statusHistory))),
    receipt && h("details", {}, h("summary", {}, t("order.receipt")), h("div", { class: "receipt", dir: receipt.rightToLeft ? "rtl" : "ltr" }, ...receipt.rows.map(drawn))),
    trace && h("details", {}, h("summary", {}, t("order.trace")), table(t("order.trace"), [
      { label: t("f.item"), head: true, cell: (row) => h("bdi", {}, row.name) }, { label: t("f.batchNumber"), cell: (row) => row.batchNumber ?? "–" }, { label: t("f.quantity"), number: true, cell: (row) => `${number(row.quantity)} ${row.unit}` }, { label: t("f.supplier"), cell: (row) => h("bdi", {}, row.supplierName ?? "–") },
    ], trace.items.flatMap((/** @type {any} */ line) => line.ingredients ?? [line]))),
  ]).node];
}

/** A row of a bill, as it stands on paper. @param {import("api").components["schemas"]["ReceiptRow"]} row */
function drawn(row) {
  const picture = row.kind === "PICTURE" ? row.text : row.picture;
  if (picture) return h("p", { class: "centre" }, h("img", { alt: row.kind === "QR" ? row.text : "", src: `data:image/png;base64,${picture}` }));
  return h("p", { class: row.kind.toLowerCase() }, h("bdi", {}, row.text ?? ""), row.right ? h("bdi", {}, row.right) : null);
}
