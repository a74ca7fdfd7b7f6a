// What a touch or a key does to cards, and what can be undone for ten seconds. Decides nothing about what stands where, and never acts on
// what moved under the finger just now.

import { signal } from "../kit/view.js";
import { ask } from "../kit/session.js";
import { said } from "../kit/pin.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { dishesOf, isOpen } from "./model.js";
import { seen, takeBack, wish } from "./data.js";

/** @typedef {import("./model.js").Card} Card */
/** @typedef {import("./model.js").Dish} Dish */
/** @typedef {import("./model.js").Ticket} Ticket */

/** How long a bump can be undone, in milliseconds. */
const UNDO = 10_000;
/** A touch this soon after something moved was meant for what stood there before. */
const GUARD = 300;

/** What was bumped and can still be undone, the last at the end. */
export const undoable = signal(/** @type {{ label: string, tickets: string[], at: number }[]} */ ([]));

let movedAt = -Infinity;
/** Something moved just now. */
export function moved() { movedAt = performance.now(); }
/** Whether a touch now counts. */
export function isCalm() { return performance.now() - movedAt >= GUARD; }

/** What a card is called aloud: its table, else its number. @param {Ticket} ticket */
export function nameOf(ticket) {
  if (!ticket.tableNumber) return t("number", { n: ticket.tokenNumber });
  return /^\d/.test(ticket.tableNumber) ? t("table", { n: ticket.tableNumber }) : ticket.tableNumber;
}

/** @param {string} label @param {string[]} tickets */
function undoLater(label, tickets) {
  const one = { label, tickets, at: Date.now() };
  undoable.update((list) => [...list, one]);
  setTimeout(() => undoable.update((list) => list.filter((other) => other !== one)), UNDO);
}

/** The head of a card was touched: what is news on it was seen, or else all of it is ready. @param {Card} card */
export function bump(card) {
  if (card.slips.length > 0) { moved(); seen(card.slips); return; }
  const open = card.parts.map(({ ticket }) => ticket).filter(isOpen), label = nameOf(card.first);
  if (open.length === 0) return;
  undoLater(label, open.map(({ id }) => id));
  for (const { id } of open) void wish({ ticket: id, item: null, act: "ready" }, label);
}

/** A dish was touched: it is ready. The last one bumps its ticket. @param {Card} card @param {Dish} dish */
export function finish(card, { ticket, item }) {
  if (item.status === "READY" || item.status === "CANCELLED" || !isOpen(ticket)) return;
  const label = nameOf(card.first);
  const left = ticket.items.filter((one) => one.id !== item.id && one.status !== "READY" && one.status !== "CANCELLED");
  if (left.length === 0) undoLater(label, [ticket.id]);
  void wish({ ticket: ticket.id, item: item.id, act: "ready" }, label);
}

/** Cooking begins: of one dish, or of all that nobody has begun. @param {Card} card @param {Dish} [dish] */
export function begin(card, dish) {
  const label = nameOf(card.first);
  if (dish) {
    if (dish.item.status === "QUEUED" && isOpen(dish.ticket)) void wish({ ticket: dish.ticket.id, item: dish.item.id, act: "start" }, label);
    return;
  }
  const open = new Set(dishesOf(card).filter(({ ticket, item }) => isOpen(ticket) && item.status === "QUEUED").map(({ ticket }) => ticket.id));
  for (const ticket of open) void wish({ ticket, item: null, act: "start" }, label);
}

/** Brings back what was bumped last. */
export function undo() {
  const last = undoable.peek().at(-1);
  if (!last) return;
  undoable.update((list) => list.filter((one) => one !== last));
  for (const ticket of last.tickets) void wish({ ticket, item: null, act: "recall" }, last.label);
}

/** Brings back a ticket that was finished. @param {Ticket} ticket */
export function recallTicket(ticket) {
  takeBack(ticket);
  void wish({ ticket: ticket.id, item: null, act: "recall" }, nameOf(ticket));
}

/** Puts a card before the others, or back among them. @param {Card} card */
export function rush(card) {
  const value = card.isRush ? 0 : 9;
  for (const { ticket } of card.parts) if (isOpen(ticket)) void wish({ ticket: ticket.id, item: null, act: "rush", value }, nameOf(card.first));
}

/** A copy on paper and on the display. @param {Card} card */
export async function reprint(card) {
  try {
    for (const { ticket } of card.parts) await ask("POST", `/kitchen/tickets/${ticket.id}/reprint`);
    toast(t("reprint.done", { name: nameOf(card.first) }));
  } catch (error) { toast(said(error), "bad"); }
}

/** Nobody can order the dish, in the size it is on the ticket, any more. @param {Dish} dish */
export async function sellOut({ item }) {
  try {
    const path = item.variantId ? `/menu/variants/${item.variantId}` : `/menu/items/${item.menuItemId}`;
    await ask("PUT", `${path}/availability`, { body: { status: "OUT_OF_STOCK" } });
    toast(t("out.done", { name: item.name }));
  } catch (error) { toast(said(error), "bad"); }
}
