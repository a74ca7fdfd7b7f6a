// What can be done with an order and its table as a whole: guests, move, split, discount, fire, and what is seldom needed. Each waits for the
// box's answer; nothing is shown as done before.

import { ApiError } from "../kit/api.js";
import { choose, confirm, show, toast } from "../kit/dialog.js";
import { cents, money } from "../kit/money.js";
import { said } from "../kit/pin.js";
import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { amountOf, t } from "../kit/words.js";
import { approved, reason, reasons } from "./approve.js";
import { draft, edit, seat } from "./drafts.js";
import { weighing } from "./dishes.js";
import { portionsOf, stepper } from "./dock.js";
import { madeOf, seatsOf } from "./sums.js";
import { floor, go, lookAtFloor, onOrder, once, openOrder, order, purse, tableOf, tried, view } from "./store.js";
import { amend, cancelOrder } from "./amend.js";
import { mergeTables, moveTable, sessionCode, tableStatus } from "./tables.js";

/** @param {string} name */
export async function act(name) {
  switch (name) {
    case "guests": return guests();
    case "move": return moveTable();
    case "split": return split();
    case "discount": return discount(null);
    case "fire": return fire();
    case "details": return amend();
    case "accept": return tried(() => onOrder("PATCH", "/status", { status: "ACCEPTED" }));
    case "refuse": return (await import("./floor.js")).refuse(/** @type {string} */ (order.peek()?.id));
    case "left": case "handed": return leave();
    default: return more();
  }
}

/** The guests have left, or have what they ordered: the order is over, and its table to be cleaned. */
async function leave() {
  if (await tried(() => onOrder("PATCH", "/status", { status: "COMPLETED" }))) go({ at: "floor" });
}

/** Says how many guests there are; seats them where nobody sits. */
async function guests() {
  const one = order.peek(), table = tableOf(view.peek().tableId);
  const n = signal(one?.guestCount ?? table?.party?.partySize ?? draft.peek()?.guestCount ?? 2);
  const answer = await show(t("act.guests"), (close) => [
    h("div", { class: "choices numbers" }, ...[1, 2, 3, 4, 5, 6, 8, 10].map((many) => h("button", { type: "button", "aria-pressed": () => String(n() === many), onclick: () => close(many) }, String(many)))),
    h("div", { class: "acts" }, stepper(n, (by) => n.update((is) => Math.max(1, Math.min(99, is + by))), () => t("act.guests")), h("button", { type: "button", class: "main", onclick: () => close(n.peek()) }, t("save"))),
  ]);
  if (!answer) return;
  if (one) await tried(() => onOrder("PATCH", "", { guestCount: answer }));
  else {
    if (table && !table.party) await tried(async () => { await once("POST", `/tables/${table.id}/seat`, { partySize: answer }); lookAtFloor(); });
    edit(() => ({ guestCount: answer }));
  }
}

/** Everything of this order that is ready has gone out. */
export async function serve() {
  const id = order.peek()?.id;
  if (!id) return;
  const { data } = await ask("GET", "/kitchen/tickets", { query: { orderId: id, status: "READY", limit: 100 } });
  for (const ticket of data) await once("POST", `/kitchen/tickets/${ticket.id}/serve`, {}).catch((error) => { if (!(error instanceof ApiError) || error.status !== 409) throw error; });
  await openOrder(id);
  lookAtFloor();
}

/** Releases what is held: one course, or all of it. */
async function fire() {
  const held = (order.peek()?.items ?? []).filter((line) => line.quantity > 0 && line.kitchen?.status === "HELD");
  const courses = [...new Set(held.map((line) => line.course))].sort((a, b) => a - b);
  const course = courses.length < 2 ? 0 : await choose(t("act.fire"), [
    ...courses.map((one) => ({ label: t("course.n", { n: one }), hint: held.filter((line) => line.course === one).map((line) => `${amountOf(line)} ${line.name}`).join(", "), value: one })),
    { label: t("fire.all"), value: 0 }]);
  if (course === null) return;
  const id = /** @type {string} */ (order.peek()?.id);
  await tried(async () => { await once("POST", `/orders/${id}/fire`, course ? { course } : {}); await openOrder(id); toast(t("fired")); });
}

/** Divides the order: seats, dishes, or what is due in equal parts. */
async function split() {
  const one = /** @type {import("./store.js").Order} */ (order.peek()), seats = seatsOf(one.items);
  const how = await choose(t("act.split"), [
    ...(seats.length > 0 ? [{ label: t("split.seats"), hint: seats.join(", "), value: "seats" }] : []),
    { label: t("split.lines"), hint: t("split.lines.how"), value: "lines" }, { label: t("split.equally"), hint: t("split.equally.how"), value: "equally" }]);
  if (how === "equally") {
    const n = await choose(t("split.equally"), [2, 3, 4, 5, 6, 8].map((many) => ({ label: String(many), value: many })));
    if (n) await (await import("./pay.js")).pay({ parts: n });
  } else if (how === "seats") {
    const rest = one.items.some((line) => line.quantity > 0 && !line.seatNumber);
    const moved = rest ? seats : seats.slice(1);
    if (moved.length === 0) return void toast(t("split.oneSeat"), "bad");
    await divided({ seats: moved });
  } else if (how === "lines") await splitLines(one);
}

/** @param {any} body */
async function divided(body) {
  await tried(async () => {
    const data = await once("POST", `/orders/${order.peek()?.id}/split`, body);
    order.set(data.orders[0]);
    lookAtFloor();
    toast(t("split.done", { n: data.orders.length }));
  });
}

/** @param {import("./store.js").Order} one */
async function splitLines(one) {
  const taken = signal(/** @type {Record<string, number>} */ ({}));
  const lines = one.items.filter((line) => line.quantity > 0);
  const sum = () => lines.reduce((all, line) => all + Math.round(line.lineTotalCents / line.quantity) * (taken()[line.id] ?? 0), 0);
  const go = await show(t("split.lines"), (close) => [
    h("p", { class: "hint" }, t("split.pick")),
    h("ul", { class: "rows" }, ...lines.map((line) => h("li", {}, h("button", { type: "button", class: "what", "aria-pressed": () => String((taken()[line.id] ?? 0) > 0), onclick: () => taken.update((all) => ({ ...all, [line.id]: all[line.id] ? 0 : line.quantity })) }, h("span", { class: "named" }, h("bdi", {}, line.name), weighing(line) ? h("small", {}, weighing(line)) : null, madeOf(line.components).map(({ text }) => h("small", {}, h("bdi", {}, text)))), " ", h("small", {}, () => t("of", { n: taken()[line.id] ?? 0, all: line.quantity }))),
      portionsOf(line, taken)))),
    h("div", { class: "acts" }, h("button", { type: "button", class: "main", disabled: () => Object.values(taken()).every((n) => n === 0), onclick: () => close(true) }, () => t("split.go", { total: money(sum(), purse(), true) }))),
  ]);
  if (go) await divided({ items: Object.entries(taken.peek()).filter(([, n]) => n > 0).map(([orderItemId, quantity]) => ({ orderItemId, quantity })) });
}

/** A discount on the order or on one line of it. @param {import("api").components["schemas"]["OrderItem"] | null} line */
export async function discount(line) {
  const type = signal(/** @type {"PERCENT" | "FIXED"} */ ("PERCENT")), value = signal("10");
  const title = line ? t("discount.line", { dish: line.name }) : t("act.discount");
  const given = await show(title, (close) => [
    h("div", { class: "chips" }, ...[5, 10, 15, 20, 50, 100].map((n) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(type() === "PERCENT" && value() === String(n)), onclick: () => { type.set("PERCENT"); value.set(String(n)); } }, `${n} %`))),
    h("div", { class: "inline" }, h("label", {}, t("discount.how"), h("select", { value: type, onchange: (/** @type {any} */ event) => type.set(event.target.value) }, h("option", { value: "PERCENT" }, t("discount.PERCENT")), h("option", { value: "FIXED" }, t("discount.FIXED")))),
      h("label", {}, t("discount.much"), h("input", { inputmode: "decimal", value, oninput: (/** @type {any} */ event) => value.set(event.target.value) }))),
    reasons("discount", (why) => close(why)),
  ]);
  if (!given) return;
  const number = type.peek() === "FIXED" ? cents(value.peek(), purse().decimals) : /^\d{1,3}(\.\d{1,2})?$/.test(value.peek().trim()) ? Number(value.peek()) : null;
  if (!number) return void toast(t("discount.no"), "bad");
  await tried(async () => { await approved(title, (approverPin) => onOrder("POST", "/discounts", { type: type.peek(), value: number, reason: given, ...(line ? { itemId: line.id } : {}), ...(approverPin ? { approverPin } : {}) })); });
}

/** What is seldom needed. */
async function more() {
  const one = order.peek(), at = view.peek(), table = tableOf(at.tableId);
  const open = one && !["COMPLETED", "CANCELLED"].includes(one.status), free = open && !one.invoiceNumber;
  /** @type {[string, any, () => Promise<unknown>][]} */
  const all = [
    ["details", !one || free, amend],
    ["newOrder", table && one && may("orders:create"), async () => { seat.set(null); go({ at: "order", tableId: table?.id, orderId: null, fresh: true }); }],
    ["tableStatus", table && !table.party && may("tables:operate"), () => tableStatus(/** @type {any} */ (table))],
    ["code", table?.party, () => sessionCode(/** @type {any} */ (table))],
    ["mergeTables", table?.party && may("tables:operate"), mergeTables],
    ["mergeOrders", free && may("orders:update"), mergeOrders],
    ["service", free && may("orders:update"), service],
    ["undiscount", free && one.discounts.length > 0, undiscount],
    ["buyer", free && may("payments:take"), buyer],
    ["bill", open && one.items.length > 0 && may("payments:take"), bill],
    ["receipt", one && one.items.length > 0, async () => (await import("./receipt.js")).receipt(/** @type {any} */ (one))],
    ["served", open && one.status !== "DELIVERED" && may("orders:status") && !one.awaitsApproval, () => tried(() => onOrder("PATCH", "/status", { status: "DELIVERED" }))],
    ["complete", open && one.dueCents === 0 && may("orders:status"), () => tried(() => onOrder("PATCH", "/status", { status: "COMPLETED" }))],
    ["undo", one && (one.payments.length > 0 || one.invoiceNumber || one.slipNumber), async () => (await import("./undo.js")).undo(/** @type {any} */ (one))],
    ["cancel", free, cancelOrder],
  ];
  const to = await choose(t("act.more"), all.filter(([, is]) => is).map(([name]) => ({ label: t(`more.${name}`), value: name })));
  const found = all.find(([name]) => name === to);
  if (found) await found[2]();
}

/** Puts other open orders into this one. */
async function mergeOrders() {
  const one = order.peek(), here = view.peek().tableId;
  const others = [...(floor.peek()?.tables ?? []).flatMap((table) => table.orders.map((other) => ({ other, name: `${t("table")} ${table.number}`, near: table.id === here }))), ...(floor.peek()?.orders ?? []).map((other) => ({ other, name: t(`orderType.${other.orderType}`), near: false }))]
    .filter(({ other }) => other.id !== one?.id && !other.bill).sort((a, b) => Number(b.near) - Number(a.near));
  if (others.length === 0) return void toast(t("merge.none"), "bad");
  const id = await choose(t("more.mergeOrders"), others.map(({ other, name }) => ({ label: `${name} #${other.tokenNumber}`, hint: money(other.dueCents, purse(), true), value: other.id })));
  if (id && await confirm(t("more.mergeOrders"), t("merge.sure"), t("merge.go"))) await tried(() => onOrder("POST", "/merge", { orderIds: [id] }));
}

/** The outlet's service charge, on or off. */
async function service() {
  const one = /** @type {import("./store.js").Order} */ (order.peek());
  if (one.serviceChargeCents === 0) return void (await tried(() => onOrder("POST", "/service-charge", {})));
  const why = await reason(t("more.service"), "discount");
  if (why) await tried(async () => { await ask("DELETE", `/orders/${one.id}/service-charge`, { query: { reason: why } }); await openOrder(one.id); });
}

/** Takes a discount off. */
async function undiscount() {
  const one = /** @type {import("./store.js").Order} */ (order.peek());
  const id = await choose(t("more.undiscount"), one.discounts.map((each) => ({ label: `−${money(each.amountCents, purse())}`, hint: one.items.find((line) => line.id === each.itemId)?.name ?? t("discount.all"), value: each.id })));
  if (id) await tried(async () => { await ask("DELETE", `/orders/${one.id}/discounts/${id}`); await openOrder(one.id); lookAtFloor(); });
}

/** Makes the bill out to a business. */
async function buyer() {
  const wrong = signal("");
  await show(t("more.buyer"), (close) => h("form", { onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const body = Object.fromEntries([...given].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value));
    try { await onOrder("POST", "/invoice", body); toast(t("billed")); close(true); } catch (error) { wrong.set(said(error)); }
  } },
    ...["customerTaxId", "customerLegalName", "customerAddress"].map((name) => h("label", {}, t(`buyer.${name}`), h("input", { name, required: name === "customerTaxId", maxlength: "200" }))),
    h("p", { class: "hint" }, t("buyer.how")), h("p", { class: "wrong", role: "alert" }, wrong), h("div", { class: "acts" }, h("button", { class: "main" }, t("more.bill")))));
}

/** Makes the bill, and brings it on paper. */
async function bill() {
  const id = /** @type {string} */ (order.peek()?.id);
  if (!order.peek()?.invoiceNumber && !(await tried(() => onOrder("POST", "/invoice", {})))) return;
  await (await import("./receipt.js")).printReceipt(id);
}

