// What was thrown away: written down in one step, undone once, and what it cost. Never more than there is: the box refuses.

import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { chart } from "../kit/chart.js";
import { show, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { facts, head, loaded, tabs, word } from "./parts.js";
import { amount, cash, later, rowsOf, send, today, when } from "./store.js";
import { at } from "./route.js";
import { edit } from "./form.js";
import { listed, table } from "./list.js";
import { period } from "./period.js";

const REASONS = ["SPOILAGE", "EXPIRED", "PREP_ERROR", "OVERPRODUCTION", "DROPPED", "CUSTOMER_RETURN", "STAFF_MEAL", "THEFT_LOSS", "OTHER"];

/** @param {string[]} parts */
export function draw([tab = "log"]) {
  const names = ["log", "costs"], now = names.includes(tab) ? tab : "log";
  return [head(t("section.waste")), tabs("waste", names, now), now === "log" ? log() : costs()];
}

function log() {
  let again = () => {};
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.log")), may("waste:log") ? h("button", { type: "button", class: "main", onclick: async () => { if (await add()) again(); } }, t("waste.add")) : null),
    listed({ path: "/waste-logs", caption: t("tab.log"), onto: (reload) => { again = reload; },
      filters: [{ name: "reason", values: REASONS, words: "waste" }, { name: "from", kind: "date" }, { name: "to", kind: "date" }],
      columns: [{ name: "name", draw: (row) => [h("bdi", {}, row.name), row.isReversed ? [" ", h("span", { class: "badge warn" }, t("waste.undone"))] : null] }, { name: "quantity", kind: "amount" }, { name: "reason", kind: "word", words: "waste" }, { name: "loggedAt", kind: "moment" }, { name: "loggedBy" }, { name: "note" }, { name: "costCents", kind: "money" }],
      open: (row) => () => void entry(row),
      ...(may("waste:log") ? { acts: (row, reload) => (row.isReversed ? null : h("button", { type: "button", "aria-label": `${t("waste.undo")}: ${row.name}`, onclick: async () => {
        if (await edit(t("waste.undo"), { act: t("waste.undo"), fields: [{ name: "reason", need: true }], save: (typed) => send("POST", `/waste-logs/${row.id}/reverse`, typed) })) { toast(t("saved")); reload(); }
      } }, t("waste.undo"))) } : {}) }),
  ];
}

/** One entry, with the batches that it took from. @param {any} row */
function entry(row) {
  return show(row.name, () => loaded(async () => (await ask("GET", `/waste-logs/${row.id}`)).data, (one) => [
    facts([[t("f.quantity"), amount(one.quantity, one.unit)], [t("f.reason"), word("waste", one.reason)], [t("f.loggedAt"), when(one.loggedAt)], [t("f.loggedBy"), one.loggedBy], [t("f.note"), one.note], [t("f.costCents"), cash(one.costCents)], [t("f.orderNumber"), one.orderId ? h("a", { href: at("orders", one.orderId) }, t("look")) : null], [t("waste.undone"), one.isReversed ? `${when(one.reversedAt)} · ${one.reversedBy ?? ""} · ${one.reversalReason ?? ""}` : null]]),
    table({ caption: t("f.ingredients"), rows: one.ingredients, columns: [{ name: "name" }, { name: "quantity", kind: "amount" }, { name: "costCents", kind: "money" }] }),
  ]), { wide: true });
}

async function add() {
  const done = await edit(t("waste.add"), {
    fields: [
      { name: "what", kind: "choice", need: true, wide: true, choices: async () => {
        const [items, dishes] = await Promise.all([rowsOf("/inventory/items"), rowsOf("/menu/items")]);
        return [...items.map((one) => ({ value: `i:${one.id}`, label: `${one.name} (${amount(one.currentStock, one.unit)})` })), ...dishes.flatMap((one) => (one.variants.length > 0 ? one.variants.map((/** @type {any} */ size) => ({ value: `d:${one.id}:${size.id}`, label: `${t("f.dish")}: ${one.name} · ${size.name}` })) : [{ value: `d:${one.id}`, label: `${t("f.dish")}: ${one.name}` }]))];
      } },
      { name: "quantity", kind: "decimal", need: true }, { name: "unit", hint: "waste.unit.hint" }, { name: "reason", kind: "choice", need: true, values: REASONS, words: "waste" }, { name: "batchNumber", hint: "waste.batch.hint" }, { name: "note" },
    ],
    act: t("waste.add"),
    save: ({ what, unit, batchNumber, note, ...typed }) => send("POST", "/waste-logs", { ...typed, ...(what.startsWith("i:") ? { inventoryItemId: what.slice(2) } : { menuItemId: what.split(":")[1], ...(what.split(":")[2] ? { variantId: what.split(":")[2] } : {}) }), ...(unit ? { unit } : {}), ...(batchNumber ? { batchNumber } : {}), ...(note ? { note } : {}) }),
  });
  if (done) toast(t("waste.done", { cost: cash(done.costCents) }));
  return done;
}

/** Of when what it cost is looked at. */
const span = signal(/** @type {import("./period.js").Span} */ ({ from: "", to: "" }));

/** What it cost. */
function costs() {
  if (!span.peek().from) span.set({ from: later(today(), -29), to: today() });
  return [h("div", { class: "filters" }, period(span)), () => sums(span())];
}

/** @param {import("./period.js").Span} of */
function sums(of) {
  return loaded(async () => (await ask("GET", "/waste-logs/summary", { query: of })).data, (said) => [
    h("p", { role: "status" }, t("waste.sum", { n: said.entriesCount, cost: cash(said.costCents) })),
    said.byReason.length > 0 ? chart({ title: t("waste.byReason"), labels: said.byReason.map((/** @type {any} */ one) => word("waste", one.reason)), series: [{ name: t("f.costCents"), values: said.byReason.map((/** @type {any} */ one) => one.costCents) }], shown: cash }) : null,
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, t("waste.byItem")), table({ caption: t("waste.byItem"), rows: said.byItem.slice(0, 20), columns: [{ name: "name" }, { name: "quantity", kind: "amount" }, { name: "costCents", kind: "money" }] })),
      h("section", { class: "card" }, h("h2", {}, t("waste.byStation")), table({ caption: t("waste.byStation"), rows: said.byStation, columns: [{ name: "name" }, { name: "costCents", kind: "money" }] }))),
  ]);
}
