// Who an order is for and when: its type, guest, place, note, time; and calling it off. Never asks for a name that nobody needs.

import { show, toast } from "../kit/dialog.js";
import { said } from "../kit/pin.js";
import { ask, may } from "../kit/session.js";
import { dateOf, now } from "../kit/time.js";
import { h, signal } from "../kit/view.js";
import { ORDER_TYPES, amountOf, t } from "../kit/words.js";
import { approved, reasons } from "./approve.js";
import { draft, edit } from "./drafts.js";
import { go, onOrder, order, tableOf, tried, view, zone } from "./store.js";

/** Minutes from now that an order for later is offered at. */
const LATER = [30, 45, 60, 90, 120];

/** A moment as a field of date and time shows it, in the outlet's zone. @param {number} moment */
function local(moment) {
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone(), hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(moment);
  return `${dateOf(moment, zone())}T${clock}`;
}

/** The moment that a field of date and time means in the outlet's zone. @param {string} text */
function meant(text) {
  let at = Date.parse(`${text}:00Z`);
  for (let n = 0; n < 2; n += 1) at += Date.parse(`${text}:00Z`) - Date.parse(`${local(at)}:00Z`);
  return new Date(at).toISOString();
}

/** Changes the order, or the draft that will be one. */
export async function amend() {
  const one = order.peek(), plan = draft.peek(), from = one ?? plan;
  const atTable = Boolean(tableOf(view.peek().tableId));
  const type = signal(one?.orderType ?? plan?.orderType ?? (atTable ? "DINE_IN" : "TAKEAWAY")), wrong = signal(""), later = signal(from?.scheduledFor ?? "");
  const channels = may("channels:read") ? (await ask("GET", "/channels", { query: { limit: 100 } }).catch(() => ({ data: [] }))).data : [];
  /** @param {SubmitEvent} event @param {(done: true) => void} close */
  async function save(event, close) {
    event.preventDefault();
    const given = Object.fromEntries([...new FormData(/** @type {HTMLFormElement} */ (event.target))].map(([name, value]) => [name, String(value).trim()]));
    const time = given.when ? meant(given.when) : null;
    if (!one) {
      edit(() => ({ orderType: /** @type {any} */ (type.peek()), customerName: given.customerName ?? "", customerPhone: given.customerPhone ?? "", deliveryAddress: given.deliveryAddress ?? "", notes: given.notes ?? "", channelId: given.channelId || null, externalId: given.externalId ?? "", scheduledFor: time }));
      return close(true);
    }
    /** @type {Record<string, unknown>} */
    const body = {};
    for (const name of /** @type {const} */ (["customerName", "customerPhone", "deliveryAddress", "notes"])) if (given[name] !== undefined && given[name] !== (one[name] ?? "")) body[name] = given[name] || null;
    if (type.peek() !== one.orderType) body.orderType = type.peek();
    if ((time ?? null) !== (one.scheduledFor ?? null) && (time || one.isScheduled) && local(Date.parse(time ?? "0")) !== local(Date.parse(one.scheduledFor ?? "0"))) body.scheduledFor = time;
    try { if (Object.keys(body).length > 0) await onOrder("PATCH", "", body); close(true); } catch (error) { wrong.set(said(error)); }
  }
  await show(t("more.details"), (close) => h("form", { onsubmit: (/** @type {SubmitEvent} */ event) => save(event, close) },
    h("div", { class: "chips", role: "group", "aria-label": t("type") }, ...ORDER_TYPES.filter((name) => one || atTable === (name === "DINE_IN")).map((name) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(type() === name), onclick: () => type.set(/** @type {any} */ (name)) }, t(`orderType.${name}`)))),
    h("div", { class: "columns fields" },
      h("label", {}, t("customer.name"), h("input", { name: "customerName", value: from?.customerName ?? "", maxlength: "100", autocomplete: "off" })),
      h("label", {}, t("customer.phone"), h("input", { name: "customerPhone", type: "tel", value: from?.customerPhone ?? "", maxlength: "30", autocomplete: "off" }))),
    () => (type() === "DELIVERY" ? [h("label", {}, t("customer.address"), h("textarea", { name: "deliveryAddress", rows: "2", maxlength: "500" }, from?.deliveryAddress ?? "")),
      !one && channels.length > 0 ? h("div", { class: "columns fields" }, h("label", {}, t("channel"), h("select", { name: "channelId" }, h("option", { value: "" }, t("channel.none")), ...channels.map((/** @type {any} */ each) => h("option", { value: each.id, selected: plan?.channelId === each.id }, each.name)))), h("label", {}, t("channel.number"), h("input", { name: "externalId", value: plan?.externalId ?? "", maxlength: "64" }))) : null] : null),
    h("label", {}, t("order.note"), h("input", { name: "notes", value: from?.notes ?? "", maxlength: "300" })),
    !one || one.isScheduled ? h("div", {}, h("label", {}, t("when"), h("input", { name: "when", type: "datetime-local", value: () => (later() ? local(Date.parse(later())) : ""), onchange: (/** @type {any} */ event) => later.set(event.target.value ? meant(event.target.value) : "") })),
      h("div", { class: "chips" }, h("button", { type: "button", class: "chip", "aria-pressed": () => String(!later()), onclick: () => later.set("") }, t("when.now")), ...LATER.map((minutes) => h("button", { type: "button", class: "chip", onclick: () => later.set(new Date(now() + minutes * 60_000).toISOString()) }, t("when.in", { n: minutes }))))) : null,
    h("p", { class: "wrong", role: "alert" }, wrong), h("div", { class: "acts" }, h("button", { class: "main" }, t("save")))));
}

/** Calls the order off; what the kitchen made is waste. */
export async function cancelOrder() {
  const one = /** @type {import("./store.js").Order} */ (order.peek());
  const made = signal(/** @type {boolean | null} */ (null));
  const title = t("cancel.title", { order: one.tableNumber ? `${t("table")} ${one.tableNumber}` : `#${one.tokenNumber}` });
  const why = await show(title, (close) => [
    h("p", { class: "warn" }, t("cancel.names", { what: one.items.filter((line) => line.quantity > 0).map((line) => `${amountOf(line)} ${line.name}`).join(", ") || "–" })),
    madeChoice(made),
    reasons("cancel", (reason) => close(reason)),
  ]);
  if (!why) return;
  const lines = made.peek() === null ? undefined : one.items.filter((line) => line.quantity > 0).map((line) => ({ itemId: line.id, wasMade: made.peek() }));
  await tried(async () => {
    if (!(await approved(title, (approverPin) => onOrder("PATCH", "/status", { status: "CANCELLED", reason: why, ...(lines ? { lines } : {}), ...(approverPin ? { approverPin } : {}) })))) return;
    toast(t("cancelled"));
    go({ at: "floor" });
  });
}

/** Whether the food had been made: yes, no, or as the kitchen knows. @param {import("../kit/view.js").Signal<boolean | null>} made */
export function madeChoice(made) {
  return h("div", { class: "chips", role: "group", "aria-label": t("made") }, h("span", { class: "label" }, t("made")),
    .../** @type {const} */ ([[null, "made.kitchen"], [true, "made.yes"], [false, "made.no"]]).map(([value, word]) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(made() === value), onclick: () => made.set(value) }, t(word))));
}
