// One card: whose it is and how old, what was changed, its dishes, and how many of them do not fit. Draws and hands touches on; keeps nothing.

import { h, computed, each, effect, onEnd, svg } from "../kit/view.js";
import { clock, minutesSince, stopwatch, ticking } from "../kit/time.js";
import { amountOf, has, t, wordOf } from "../kit/words.js";
import { ageOf, allergensOf, dishesOf } from "./model.js";
import { begin, bump, finish, isCalm, moved, nameOf } from "./acts.js";
import { ageing, zone } from "./data.js";

/** @typedef {import("./model.js").Card} Card */
/** @typedef {import("./model.js").Dish} Dish */

const SHAPES = { NEW: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11", SOON: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 3v10a5 5 0 0 0 0-10", LATE: "M8 2l6.5 12h-13z" };

/** How old a card is now. @param {Card} card */
export function cardAge(card) { return ageOf(minutesSince(card.firedAt, ticking()), ageing()); }

/** An allergen in words. @param {string} name */
export function allergen(name) { return has(`allergen.${name}`) ? t(`allergen.${name}`) : name; }

/** The shape of an age. @param {() => keyof typeof SHAPES} age */
const shape = (age) => svg("svg", { viewBox: "0 0 16 16", class: () => `shape ${age()}`, "aria-hidden": "true" }, svg("path", { d: () => SHAPES[age()] }));

/**
 * @param {() => Card} card @param {{ place: () => number, chosen: () => number | null, more: (card: Card) => void }} how `place`: the key that names it, from 1;
 * `chosen`: the dish that keys act on, -1 the card, null another card
 */
export function ticketCard(card, { place, chosen, more }) {
  const age = computed(() => cardAge(card()));
  const rest = { left: 0 };
  const count = h("span", { class: "count" });
  const moreButton = h("button", { type: "button", class: "more", onclick: () => more(card()) }, count, t("more"), h("span", { class: "spoken" }, " ", () => nameOf(card().first)));
  /** What moved under the finger just now was not meant. @param {() => void} work */
  const once = (work) => () => { if (isCalm()) work(); };
  const parts = h("div", { class: "parts" }, each(() => card().parts, ({ ticket }) => ticket.id, (part) => h("section", { class: "part" },
    () => part().line && h("h2", { class: "line" }, part().line === "ADDED"
      ? t("added", { time: clock(part().ticket.firedAt ?? part().ticket.createdAt, zone()) }) : t("course", { n: part().ticket.course })),
    () => part().ticket.notes && !card().isSlip && h("p", { class: "note" }, part().ticket.notes),
    h("ul", { class: "dishes" }, each(() => part().dishes, ({ item }) => item.id, (dish) => h("li", {}, dishRow(card, dish, chosen, once)))))));
  const root = h("article", { class: () => `ticket ${card().isSlip ? "slip" : age()}${card().isRush ? " rush" : ""}${chosen() !== null ? " chosen" : ""}`, "data-key": () => card().key, "aria-label": () => nameOf(card().first) },
    h("button", { type: "button", class: "head", onclick: once(() => bump(card())) },
      h("span", { class: "top" },
        () => place() > 0 && h("kbd", {}, String(place())),
        h("bdi", { class: "name" }, () => nameOf(card().first)),
        h("span", { class: "time" }, () => stopwatch(card().firedAt, ticking()))),
      h("span", { class: "under" },
        () => (card().isSlip ? h("b", {}, wordOf("type", card().first.type)) : h("b", { class: "age" }, shape(age), " ", wordOf("age", age()))),
        () => card().isRush && h("b", { class: "rushed" }, t("rush")),
        () => card().isAdded && h("b", {}, t("added.short")),
        () => !card().isSlip && card().first.course > 1 && h("span", {}, t("course", { n: card().first.course })),
        () => card().first.server && h("bdi", {}, card().first.server?.name),
        () => card().first.customerName && h("bdi", {}, card().first.customerName),
        () => card().first.guestCount && h("span", {}, t("guests", { n: Number(card().first.guestCount) })),
        () => card().first.orderType !== "DINE_IN" && h("span", {}, wordOf("orderType", card().first.orderType)),
        () => card().first.scheduledFor && h("span", {}, t("for", { time: clock(String(card().first.scheduledFor), zone()) }))),
      h("span", { class: "spoken" }, () => ` ${card().slips.length > 0 ? t("act.seen") : t("act.bump")}`)),
    () => { const found = card().isSlip ? [] : allergensOf(card()); return found.length > 0 && h("p", { class: "allergens" }, t("contains", { what: found.map(allergen).join(", ") })); },
    () => !card().isSlip && card().slips.length > 0 && h("div", { class: "bands" }, ...card().slips.map((slip) => band(card, slip, once))),
    () => card().isSlip && card().first.notes && h("p", { class: "note" }, card().first.notes),
    parts,
    h("footer", {},
      () => (card().isSlip ? h("button", { type: "button", class: "begin", onclick: once(() => bump(card())) }, t("seen"))
        : h("button", { type: "button", class: "begin", disabled: () => card().isStarted, onclick: once(() => begin(card())) }, () => (card().isStarted ? t("cooking") : t("begin")))),
      () => !card().isSlip && moreButton));
  // What does not fit is counted, as often as the room or the dishes change.
  const fit = () => {
    const rows = [...parts.querySelectorAll("li, .line, .note")], end = parts.getBoundingClientRect().bottom + 1;
    for (const row of rows) row.classList.remove("cut");
    const cut = rows.filter((row) => row.getBoundingClientRect().bottom > end);
    for (const row of cut) row.classList.add("cut");
    const left = cut.filter((row) => row.tagName === "LI").length;
    if (left !== rest.left) { rest.left = left; count.textContent = left > 0 ? `+${left}` : ""; root.classList.toggle("more", left > 0); }
  };
  const sizes = new ResizeObserver(fit);
  sizes.observe(parts);
  onEnd(() => sizes.disconnect());
  effect(() => { dishesOf(card()); card().slips.length; queueMicrotask(fit); });
  // What was changed pushes the dishes down: a touch meant for one of them is not taken for another.
  let bands = card().slips.length;
  effect(() => { const next = card().slips.length; if (next !== bands) moved(); bands = next; });
  return root;
}

/** What staff changed, until somebody touches it. @param {() => Card} card @param {import("./model.js").Ticket} slip @param {(work: () => void) => () => void} once */
function band(card, slip, once) {
  return h("button", { type: "button", class: `band ${slip.type}`, onclick: once(() => bump(card())) },
    h("b", {}, slip.type === "CANCELLATION" ? "✕ " : "↻ ", wordOf("type", slip.type)),
    ...slip.items.filter(() => slip.type !== "TRANSFER").slice(0, 4).map((item) => h("bdi", {}, `${amountOf(item)} ${item.name}`)),
    slip.notes && h("span", {}, slip.notes),
    h("small", {}, t("touch.seen")));
}

/** Which combo a dish is a part of: its other dishes come from other stations. @param {import("./model.js").Item} item */
export function comboOf(item) { return item.comboName ? h("span", { class: "combo" }, h("span", { class: "spoken" }, t("combo"), " "), h("bdi", {}, item.comboName)) : null; }

/** @param {() => Card} card @param {() => Dish} dish @param {() => number | null} chosen @param {(work: () => void) => () => void} once */
function dishRow(card, dish, chosen, once) {
  const item = () => dish().item;
  const isChosen = () => { const at = chosen(); return at !== null && at >= 0 && dishesOf(card())[at]?.item.id === item().id; };
  return h("button", { type: "button", disabled: () => card().isSlip || item().status === "CANCELLED",
    class: () => `dish ${item().status}${dish().waits ? " waits" : ""}${isChosen() ? " chosen" : ""}`, "aria-pressed": () => String(item().status === "READY"),
    onclick: once(() => finish(card(), dish())) },
    h("b", { class: () => `quantity${item().weight ? " weight" : ""}` }, () => amountOf(item())),
    h("span", { class: "what" },
      h("bdi", { class: "dishname" }, () => item().name), " ", () => comboOf(item()),
      () => item().seatNumber && h("span", { class: "seat" }, t("seat", { n: Number(item().seatNumber) })),
      () => item().modifiers.length > 0 && h("span", { class: "modifiers" }, item().modifiers.join(" · ")),
      () => item().notes && h("mark", {}, item().notes)),
    h("span", { class: "state" }, () => sign(item().status), h("span", { class: "spoken" }, () => wordOf("item", item().status)), () => dish().waits && h("span", { class: "spoken" }, ` ${t("waits")}`)));
}

/** @param {import("./model.js").Item["status"]} status */
function sign(status) { return { QUEUED: "", IN_PREPARATION: "◔", READY: "✓", CANCELLED: "✕" }[status]; }

