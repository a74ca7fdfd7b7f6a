// One line that was sent: less of it, weighed anew, off the bill, a note, a discount, fire or back to the kitchen. Every act names the dish; nothing is done
// to another line.

import { show, toast } from "../kit/dialog.js";
import { money } from "../kit/money.js";
import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { amountOf, t, weightOf } from "../kit/words.js";
import { approved, reasons } from "./approve.js";
import { madeChoice } from "./amend.js";
import { weighing } from "./dishes.js";
import { stepper } from "./dock.js";
import { madeOf, told } from "./sums.js";
import { lookAtFloor, onOrder, once, openOrder, order, purse, tried } from "./store.js";

/** @param {string} id */
export async function lineDialog(id) {
  const one = order.peek(), line = one?.items.find((each) => each.id === id);
  if (!one || !line) return;
  const open = !["COMPLETED", "CANCELLED"].includes(one.status), free = open && !one.invoiceNumber && line.quantity > 0;
  const act = await show(line.quantity > 0 && line.weight ? `${line.name} · ${amountOf(line)}` : `${line.quantity} × ${line.name}`, (close) => [
    line.components.length > 0 ? h("ul", { class: "combo" }, ...madeOf(line.components).map(({ text, status }) => h("li", {}, h("bdi", {}, text), status ? h("small", {}, t(`state.${status}`)) : null))) : null,
    h("p", { class: "hint" }, [weighing(line), ...told(line.modifiers), line.notes, money(line.lineTotalCents, purse())].filter(Boolean).join(" · ")),
    h("div", { class: "choices" },
      free ? h("button", { type: "button", class: "bad", onclick: () => close("void") }, t("line.void")) : null,
      free && line.weight && may("orders:update") ? h("button", { type: "button", onclick: () => close("weigh") }, t("weigh.anew", { what: line.name })) : null,
      free && may("orders:update") ? h("button", { type: "button", onclick: () => close("note") }, t("line.note")) : null,
      free && may("orders:discount") ? h("button", { type: "button", onclick: () => close("discount") }, t("act.discount")) : null,
      free && line.kitchen?.status === "HELD" ? h("button", { type: "button", onclick: () => close("fire") }, t("line.fire", { n: line.course })) : null,
      open && line.kitchen?.status === "READY" && may("kitchen:serve") ? h("button", { type: "button", onclick: () => close("serve") }, t("line.serve")) : null,
      open && ["READY", "SERVED"].includes(line.kitchen?.status ?? "") && may("kitchen:operate") ? h("button", { type: "button", onclick: () => close("recall") }, t("line.recall")) : null),
  ]);
  switch (act) {
    case "void": return takeOff(line);
    case "weigh": return weighAnew(line);
    case "note": return note(line);
    case "discount": return (await import("./acts.js")).discount(line);
    case "fire": return tried(async () => { await once("POST", `/orders/${one.id}/fire`, { course: line.course }); await openOrder(one.id); });
    case "serve": case "recall": return tickets(one.id, [line.id, ...line.components.map(({ id }) => id)], act);
    default: return undefined;
  }
}

/** Portions off the bill: how many, whether they were made, why. @param {import("api").components["schemas"]["OrderItem"]} line */
async function takeOff(line) {
  const n = signal(line.quantity), made = signal(/** @type {boolean | null} */ (null));
  const title = t("void.title", { dish: line.name });
  const why = await show(title, (close) => [
    line.quantity > 1 ? h("p", { class: "inline" }, h("span", { class: "label" }, t("void.many")), stepper(n, (by) => n.update((is) => Math.max(1, Math.min(line.quantity, is + by))), () => line.name)) : null,
    madeChoice(made), reasons("void", (reason) => close(reason)),
  ]);
  if (!why) return;
  await tried(async () => {
    const done = await approved(`${title}: ${n.peek()}`, (approverPin) => onOrder("POST", `/items/${line.id}/void`, {
      reason: why, quantity: n.peek(), ...(made.peek() === null ? {} : { wasMade: made.peek() }), ...(approverPin ? { approverPin } : {}) }));
    if (done) toast(t("void.done", { n: n.peek(), dish: line.name }));
  });
}

/** What it weighs really: more goes to the kitchen, what it was more than that comes off the bill. @param {import("api").components["schemas"]["OrderItem"]} line */
async function weighAnew(line) {
  const was = Number(line.weight), unit = line.weightUnit ?? "";
  const typed = await (await import("./weigh.js")).weigh(line, { price: line.unitPriceCents, act: "save", was: String(line.weight) });
  const weight = Number(typed);
  if (!typed || weight === was) return;
  const made = signal(/** @type {boolean | null} */ (null)), title = `${line.name}: ${weightOf(was, unit)} → ${weightOf(typed, unit)}`;
  const why = weight < was ? await show(title, (/** @type {(reason: string | null) => void} */ close) => [madeChoice(made), reasons("void", (reason) => close(reason))]) : "";
  if (why === null) return;
  await tried(() => approved(title, (approverPin) => onOrder("PATCH", `/items/${line.id}`, {
    weight, ...(why ? { reason: why } : {}), ...(made.peek() === null ? {} : { wasMade: made.peek() }), ...(approverPin ? { approverPin } : {}) })));
}

/** @param {import("api").components["schemas"]["OrderItem"]} line */
async function note(line) {
  const text = signal(line.notes ?? "");
  const done = await show(t("line.note"), (close) => h("form", { onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); close(true); } },
    h("label", {}, line.name, h("input", { value: text, maxlength: "200", oninput: (/** @type {any} */ event) => text.set(event.target.value) })),
    h("div", { class: "acts" }, h("button", { class: "main" }, t("save")))));
  if (done) await tried(() => onOrder("PATCH", `/items/${line.id}`, { notes: text.peek().trim() || null }));
}

/** The tickets of a line, or of all that a combo is: gone out, or back to the cooks. @param {string} orderId @param {string[]} itemIds @param {"serve" | "recall"} what */
async function tickets(orderId, itemIds, what) {
  await tried(async () => {
    const { data } = await ask("GET", "/kitchen/tickets", { query: { orderId, limit: 100 } });
    const wanted = what === "serve" ? ["READY"] : ["READY", "SERVED"];
    const found = data.filter((/** @type {any} */ ticket) => wanted.includes(ticket.status) && ticket.items.some((/** @type {any} */ item) => itemIds.includes(item.orderItemId)));
    for (const ticket of found) await once("POST", `/kitchen/tickets/${ticket.id}/${what}`, {});
    await openOrder(orderId);
    lookAtFloor();
    toast(t(what === "serve" ? "served" : "recalled"));
  });
}
