// The lines of an order: what was sent, with how far the kitchen is, and what is only typed. The two never look alike, and what is chosen of
// one never touches another.

import { newId } from "../kit/ids.js";
import { money } from "../kit/money.js";
import { may } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { clock } from "../kit/time.js";
import { computed, each, h } from "../kit/view.js";
import { amountOf, t } from "../kit/words.js";
import { titleOf } from "./chips.js";
import { told as toldParts } from "./choice.js";
import { add, again, change, differs, isByWeight, lacking, priceOf, priceOfUnit } from "./draft.js";
import { accept, chosen, discard, draft, edit, keepPrice, onItsWay, place, takeBack, troubled } from "./drafts.js";
import { much } from "./dock.js";
import { take, weighing } from "./dishes.js";
import { madeOf, told } from "./sums.js";
import { dishes, order, purse, sellingFor, tell, view, zone } from "./store.js";
import { toast } from "../kit/dialog.js";

/** @typedef {import("api").components["schemas"]["OrderItem"]} Sent */

/** Shapes of how far a line is. */
const SIGNS = { HELD: "‖", QUEUED: "○", IN_PREPARATION: "◔", READY: "✓", SERVED: "✔" };

/** How far the kitchen is with a line. @param {Sent} line */
function stateOf(line) {
  if (line.quantity === 0) return "VOIDED";
  return line.kitchen?.status ?? (order()?.awaitsApproval || order()?.isScheduled ? "WAITS" : "NONE");
}

/** The dishes of a combo that was sent, each with how far it is where they differ. @param {Sent} line */
function dishesOf(line) {
  const parts = madeOf(line.components ?? []), isApart = line.quantity > 0 && new Set(parts.map(({ status }) => status)).size > 1;
  return parts.map(({ text, status }) => h("small", { class: "of" }, isApart && status ? [h("span", { class: `state ${status}`, "aria-hidden": "true" }, /** @type {any} */ (SIGNS)[status] ?? ""), " "] : null,
    h("bdi", {}, text), isApart && status ? h("span", { class: "spoken" }, ` ${t(`state.${status}`)}`) : null));
}

export function sentLines() {
  const lines = computed(() => order()?.items ?? []);
  const ready = computed(() => lines().filter((line) => line.quantity > 0 && line.kitchen?.status === "READY").length);
  return [
    () => (ready() > 0 && may("kitchen:serve") ? h("button", { type: "button", class: "serve", disabled: isAway, onclick: async () => { try { await (await import("./acts.js")).serve(); } catch (error) { tell(error); } } }, t("serve", { n: ready() })) : null),
    () => (order()?.notes ? h("p", { class: "hint" }, t("order.note"), ": ", h("bdi", {}, order()?.notes)) : null),
    // Nothing in sight is not nothing sent: the box alone knows it.
    () => (view().orderId && isAway() && order()?.id !== view().orderId ? h("p", { class: "hint" }, t("sent.unknown")) : null),
    h("ul", { class: "sent", "aria-label": t("sent") }, each(lines, (line) => line.id, sentLine)),
    // What is on its way to the box: no draft any more, and not confirmed.
    h("ul", { class: "ongoing" }, each(() => onItsWay(place()).flatMap((entry) => entry.about.draft.lines.map((/** @type {any} */ line) => ({ ...line, entry }))), (line) => line.id, (line) =>
      h("li", {}, h("span", {}, () => `${amountOf(line())} `, h("bdi", {}, () => line().name), () => (line().parts ?? []).length > 0 && h("small", {}, line().parts.map((/** @type {any} */ one) => one.name).join(" · "))), h("span", { class: "state" }, () => t(line().entry.state === "ASK" ? "state.ASK" : isAway() ? "state.KEPT" : "state.SENDING"))))),
    () => (isAway() ? onItsWay(place()).map((entry) => h("button", { type: "button", onclick: () => takeBack(entry) }, t("waits.back"))) : null),
  ];
}

/** @param {() => Sent} line */
function sentLine(line) {
  const state = computed(() => stateOf(line()));
  const off = computed(() => (order()?.discounts ?? []).some((one) => one.itemId === line().id));
  return h("li", { class: () => `line ${state()}` },
    h("button", { type: "button", class: "what", disabled: isAway, "data-line": () => line().name, onclick: async () => { try { await (await import("./line.js")).lineDialog(line().id); } catch (error) { tell(error); } } },
      h("span", { class: "n" }, () => String(line().quantity)),
      h("span", { class: "text" }, h("bdi", {}, () => line().name), () => dishesOf(line()),
        h("small", {}, () => [weighing(line()), ...told(line().modifiers), line().notes, line().seatNumber ? t("seat.n", { n: /** @type {number} */ (line().seatNumber) }) : null, line().voidedQuantity > 0 ? t("voided", { n: line().voidedQuantity }) : null, off() ? t("discounted") : null].filter(Boolean).join(" · "))),
      h("span", { class: "ends" }, h("span", { class: "price" }, () => money(line().lineTotalCents, purse(), true)),
        h("span", { class: () => `state ${state()}` }, h("span", { "aria-hidden": "true" }, () => `${/** @type {any} */ (SIGNS)[state()] ?? ""} `), () => (state() === "READY" && line().kitchen?.readyAt ? `${t("state.READY")} ${clock(/** @type {any} */ (line().kitchen).readyAt, zone())}` : t(`state.${state()}`))))),
    h("button", { type: "button", class: "again", hidden: () => closed(), "aria-label": () => t("again", { dish: line().name }), onclick: () => same(line()) }, h("span", { "aria-hidden": "true" }, "↻")));
}

const closed = () => { const one = order(); return !one || ["COMPLETED", "CANCELLED"].includes(one.status) || Boolean(one.invoiceNumber) || !may("orders:update"); };

/** The same again, as a draft. @param {Sent} sent */
function same(sent) {
  const item = dishes.peek().get(sent.menuItemId);
  if (!item || !item.isAvailable) return toast(t("dish.out", { dish: sent.name }), "bad");
  // What is weighed is weighed anew.
  if (isByWeight(item)) return void take(item);
  edit((one) => ({ lines: add(one.lines, again(sent, item, newId(), dishes.peek())).lines }));
}

export function draftLines() {
  const lines = computed(() => draft()?.lines ?? []);
  return h("section", { class: "drafts", hidden: () => lines().length === 0, "aria-label": t("draft") },
    h("h2", { class: "rule" }, h("span", {}, t("draft")), h("button", { type: "button", class: "quiet", onclick: () => discard() }, t("draft.discard"))),
    () => (draft()?.refusal ? h("p", { class: "bad", role: "alert" }, draft()?.refusal) : null),
    () => (troubled(draft()).length > 1 ? h("button", { type: "button", class: "main", onclick: () => accept() }, t("accept.all")) : null),
    h("ul", {}, each(lines, (line) => line.id, draftLine)));
}

/** @param {() => import("./draft.js").Line} line */
function draftLine(line) {
  const item = computed(() => dishes().get(line().menuItemId));
  const how = computed(() => differs(line(), item(), dishes()));
  const lacks = computed(() => lacking(line(), item(), dishes()));
  /** A price that the clock has ended holds a while longer, for the same kind of order alone. */
  const mayKeep = () => how()?.mayKeep === true && line().typedFor === sellingFor();
  const parts = () => toldParts((line().parts ?? []).map((one) => ({ name: one.name, with: one.options.map(counted) })));
  return h("li", { class: () => `line draft${line().id === chosen() ? " is" : ""}${how() || line().refusal || lacks().length > 0 ? " trouble" : ""}` },
    h("button", { type: "button", class: "what", "aria-pressed": () => String(line().id === chosen()), "data-draft": () => line().name, onclick: () => chosen.set(chosen.peek() === line().id ? null : line().id) },
      h("span", { class: "text" }, h("bdi", {}, () => line().name), () => parts().map((text) => h("small", { class: "of" }, h("bdi", {}, text))), h("small", {}, () => [
        weighing(line(), priceOfUnit(line())), ...line().options.map(counted), line().notes, line().seat ? t("seat.n", { n: /** @type {number} */ (line().seat) }) : null,
        line().course ? t("course.n", { n: /** @type {number} */ (line().course) }) : null, line().hold ? t("line.hold") : null].filter(Boolean).join(" · "))),
      h("span", { class: "price" }, () => money(priceOf(line()), purse(), true))),
    much(line, (how) => edit((one) => ({ lines: change(one.lines, line().id, how) })), true),
    () => (lacks().length > 0 ? h("p", { class: "bad" }, t("lacks", { what: lacks().map(titleOf).join(", ") })) : null),
    () => { const is = how(); return is ? h("p", { class: "bad", role: "alert" }, saidOf(is), " ", h("button", { type: "button", class: "main", onclick: () => accept(line().id) }, is.kind === "OUT" || is.kind === "GONE" ? t("accept.remove") : mayKeep() ? t("accept.price", { price: money(is.is ?? 0, purse(), true) }) : t("accept")),
      mayKeep() ? h("button", { type: "button", onclick: () => keepPrice(line().id) }, t("accept.keep", { price: money(is.was ?? 0, purse(), true) })) : null) : null; },
    () => (line().refusal && !how() ? h("p", { class: "bad", role: "alert" }, line().refusal) : null));
}

/** @param {{ name: string, count: number }} one */
const counted = (one) => (one.count > 1 ? `${one.count} × ${one.name}` : one.name);

/** @param {NonNullable<ReturnType<typeof differs>>} how */
function saidOf(how) {
  switch (how.kind) {
    case "PRICE": return t("differs.PRICE", { was: money(how.was ?? 0, purse()), is: money(how.is ?? 0, purse()) });
    case "FEW": return t("differs.FEW", { n: how.left ?? 0 });
    case "OPTION": return t("differs.OPTION", { name: how.name ?? "" });
    default: return t(`differs.${how.kind}`);
  }
}
