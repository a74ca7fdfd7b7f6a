// Orders, bills, money, drawers and day closes: lists to look through. Never takes a payment: that is the till's.

import { all, ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, tabs, word } from "./parts.js";
import { cash, from, send, today, when } from "./store.js";
import { listed, table } from "./list.js";
import { at } from "./route.js";
import { order } from "./order.js";
import { toast } from "../kit/dialog.js";

/** @param {string[]} parts */
export function draw([tab = "list", id = ""]) {
  if (/^[0-9a-f]{8}-/.test(tab)) return order(tab);
  const names = ["list", ...(may("payments:read") ? ["bills", "money", "drawers", "days"] : [])];
  const now = names.includes(tab) ? tab : "list";
  if (now === "drawers" && id) return drawer(id);
  if (now === "days" && id) return dayClosed(id);
  return [head(t("section.orders")), tabs("orders", names, now), /** @type {Record<string, () => any>} */ ({ list: () => orders(id), bills, money: moneyList, drawers, days })[now]()];
}

const STATES = ["PENDING", "ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED", "COMPLETED", "CANCELLED"];

/** @param {string} status */
function orders(status) {
  return listed({
    path: "/orders", caption: t("section.orders"), pages: true, search: true,
    filters: [
      { name: "status", values: STATES, words: "order", ...(status ? { start: status } : {}) }, { name: "orderType", values: ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"] },
      { name: "source", values: ["POS", "WAITER", "QR", "KIOSK", "PHONE", "AGGREGATOR", "API"], label: t("f.cameBy"), words: "source" },
      ...(may("channels:read") ? [{ name: "channelId", choices: from("/channels") }] : []),
      { name: "from", kind: /** @type {const} */ ("date") }, { name: "to", kind: /** @type {const} */ ("date") }, { name: "scheduled", kind: /** @type {const} */ ("tick") },
    ],
    columns: [
      { name: "orderNumber" }, { name: "status", draw: (row) => badge("order", row.status) }, { name: "orderType", draw: (row) => [word("orderType", row.orderType), row.tableNumber ? [" · ", h("bdi", {}, row.tableNumber)] : null] },
      { name: "server", draw: (row) => h("bdi", {}, row.server?.name ?? row.customerName ?? "–") }, { name: "createdAt", kind: "moment" }, { name: "totalAmountCents", kind: "money" }, { name: "dueCents", kind: "money" },
    ],
    open: (row) => at("orders", row.id),
  });
}

function bills() {
  return [
    h("div", { class: "acts start" }, act(t("bills.verify"), async () => {
      const { data } = await ask("GET", "/orders/invoices/verify");
      toast(data.valid ? t("bills.whole", { n: data.checked }) : `${t("bills.broken")} ${data.problems.join("; ")}`, data.valid ? "good" : "bad");
    })),
    listed({
      path: "/orders/invoices", caption: t("tab.bills"),
      filters: [{ name: "kind", values: ["INVOICE", "CREDIT_NOTE"], words: "invoice" }, { name: "from", kind: "date" }, { name: "to", kind: "date" }, { name: "b2b", kind: "tick" }],
      columns: [{ name: "number" }, { name: "kind", kind: "word", words: "invoice" }, { name: "at", kind: "moment" }, { name: "customerLegalName" }, { name: "taxCents", kind: "money" }, { name: "totalCents", kind: "money" }],
      open: (row) => at("orders", row.orderId),
    }),
  ];
}

function moneyList() {
  return listed({
    path: "/orders/payments", caption: t("tab.money"),
    filters: [{ name: "kind", values: ["PAYMENT", "CORRECTION", "REVERSAL", "REFUND", "WRITE_OFF"], words: "entry" }, { name: "method", values: ["CASH", "CARD", "UPI", "WALLET", "VOUCHER", "OTHER"] }, { name: "from", kind: "date", start: today() }, { name: "to", kind: "date" }],
    columns: [{ name: "orderNumber" }, { name: "kind", kind: "word", words: "entry" }, { name: "method", kind: "word" }, { name: "at", kind: "moment" }, { name: "by" }, { name: "reference" }, { name: "tipCents", kind: "money" }, { name: "amountCents", kind: "money" }],
    open: (row) => at("orders", row.orderId),
  });
}

function drawers() {
  return listed({
    path: "/cash-sessions", caption: t("tab.drawers"), filters: [{ name: "status", values: ["OPEN", "CLOSED"], words: "drawer" }, { name: "businessDate", kind: "date" }],
    columns: [{ name: "drawer" }, { name: "status", kind: "badge", words: "drawer" }, { name: "openedAt", kind: "moment" }, { name: "openedBy" }, { name: "expectedCents", kind: "money" }, { name: "countedCents", kind: "money" }, { name: "overShortCents", kind: "money" }],
    open: (row) => at("orders", "drawers", row.id),
  });
}

/** @param {string} id */
function drawer(id) {
  return loaded(async () => (await ask("GET", `/cash-sessions/${id}`)).data, (one) => [
    head(one.drawer, h("a", { class: "button", href: at("orders", "drawers") }, t("back"))),
    facts([[t("f.status"), badge("drawer", one.status)], [t("f.openedAt"), when(one.openedAt)], [t("f.openedBy"), one.openedBy], [t("f.closedAt"), when(one.closedAt)],
      ...["openingFloatCents", "paymentsCents", "refundsCents", "paidInCents", "paidOutCents", "tipsPaidOutCents", "expectedCents", "countedCents", "overShortCents"].filter((name) => one[name] !== undefined && one[name] !== null).map((name) => /** @type {[string, string]} */ ([t(`f.${name}`), cash(one[name])])), [t("f.note"), one.note]]),
    h("h2", {}, t("drawer.movements")),
    table({ caption: t("drawer.movements"), rows: one.movements, columns: [{ name: "at", kind: "moment" }, { name: "kind", kind: "word", words: "movement" }, { name: "reason" }, { name: "amountCents", kind: "money" }] }),
  ]);
}

function days() {
  return listed({
    path: "/day-close", caption: t("tab.days"),
    columns: [{ name: "businessDate", kind: "date" }, { name: "zNumber", kind: "number" }, { name: "closedAt", kind: "moment" }, { name: "early", kind: "yes" }, { name: "carriedOver", kind: "yes" }, { name: "totalCents", kind: "money" }],
    open: (row) => at("orders", "days", row.businessDate),
  });
}

/** @param {string} date */
function dayClosed(date) {
  return loaded(async () => ({ day: (await ask("GET", `/day-close/${date}`)).data, printers: may("printers:read") ? await all("/printers") : [] }), ({ day, printers }) => [
    head(`Z ${day.zNumber} · ${date}`, h("a", { class: "button", href: at("orders", "days") }, t("back")),
      printers.length > 0 && may("cash:operate") ? act(t("print"), () => send("POST", `/day-close/${date}/print`, {}), { done: t("printing") }) : null),
    facts([[t("f.closedAt"), when(day.closedAt)], ...["netRevenueCents", "serviceChargeCents", "roundingCents", "totalCents", "tipCents", "stockValueCents"].map((name) => /** @type {[string, string]} */ ([t(`f.${name}`), cash(day[name])]))]),
    h("div", { class: "columns" }, ...["invoices", "creditNotes", "discounts", "refunds", "reversals", "corrections", "writeOffs", "voids", "cancelled", "tipsPaidOut"].map((name) =>
      h("section", { class: "card" }, h("h2", {}, t(`day.${name}`)), facts([[t("f.count"), day[name].count ?? day[name].quantity ?? day[name].linesCount], [t("f.amountCents"), cash(day[name].amountCents ?? day[name].totalCents)]])))),
    h("h2", {}, t("day.payments")),
    table({ caption: t("day.payments"), rows: day.payments, columns: Object.keys(day.payments[0] ?? {}).map((name) => (name.endsWith("Cents") ? { name, kind: "money" } : name === "method" ? { name, kind: "word" } : { name, kind: "number" })) }),
    h("h2", {}, t("day.taxes")),
    table({ caption: t("day.taxes"), rows: day.taxes, columns: [{ name: "name" }, { name: "rateBps", kind: "percent" }, { name: "taxableCents", kind: "money" }, { name: "taxCents", kind: "money" }] }),
  ]);
}
