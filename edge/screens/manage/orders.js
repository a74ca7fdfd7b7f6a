// Orders, bills, money, drawers and day closes: lists to look through. Never takes a payment: that is the till's.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { ORDER_TYPES, t } from "../kit/words.js";
import { act, badge, facts, head, loaded, tabs, word } from "./parts.js";
import { cash, from, today, when } from "./store.js";
import { listed, table } from "./list.js";
import { at } from "./route.js";
import { order } from "./order.js";
import { dayClosed } from "./day.js";
import { bill, print } from "./papers.js";
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
      { name: "status", values: STATES, words: "order", ...(status ? { start: status } : {}) }, { name: "orderType", values: ORDER_TYPES },
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
      open: (row) => () => void bill(row), ...(may("orders:update") ? { acts: print } : {}),
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
