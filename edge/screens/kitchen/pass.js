// The pass: each order with a lamp per station, and what goes out. Never cooks anything: what is not ready cannot be served here.

import { ask } from "../kit/session.js";
import { h, computed, each, effect, onEnd, signal, untrack } from "../kit/view.js";
import { isAway } from "../kit/stream.js";
import { keys } from "../kit/keys.js";
import { clock, minutesSince, stopwatch, ticking } from "../kit/time.js";
import { lampsBar, troubles } from "../kit/connection.js";
import { amountOf, t, wordOf } from "../kit/words.js";
import { ageOf, combosOf } from "./model.js";
import { nameOf } from "./acts.js";
import { ageing, language, sayRefusals, station, stations, waiting, watch, wish, zone } from "./data.js";
import { learned, letter } from "./grid.js";
import { recallDialog, settingsDialog } from "./dialogs.js";
import { frame, muteBar, wake } from "./sound.js";

/** @typedef {import("api").components["schemas"]["ExpoOrder"]} Order */

/** Orders at the pass, read again whenever a ticket changes. @param {() => Promise<void>} [look] asks first where this display was put */
export function orders(look) {
  const list = signal(/** @type {Order[] | null} */ (null));
  let timer = 0, isReading = false;
  const read = async () => {
    if (isReading) { later(); return; }
    isReading = true;
    try { list.set((await ask("GET", "/kitchen/orders", { query: { lang: language() } })).data); } catch { later(3_000); } finally { isReading = false; }
  };
  const later = (wait = 150) => { clearTimeout(timer); timer = setTimeout(() => void read(), wait); };
  onEnd(watch(later, look));
  onEnd(() => clearTimeout(timer));
  void read();
  return { list, later };
}

/**
 * What belongs together on the orders of the pass: an order's tickets are read where its lamps have changed, and after the first time only where
 * it has a combo, or more to cook.
 * @param {() => Order[] | null} list
 */
function combos(list) {
  const found = signal(/** @type {ReadonlyMap<string, ReturnType<typeof combosOf>>} */ (new Map()));
  /** @type {Map<string, { look: string, amount: number }>} */
  const known = new Map();
  let isReading = false;
  async function read() {
    if (isReading) return;
    isReading = true;
    for (let next = stale(); next; next = stale()) {
      const { orderId } = next, look = lookOf(next), amount = amountOf(next);
      try {
        const all = combosOf((await ask("GET", "/kitchen/tickets", { query: { orderId, lang: language(), limit: 100 } })).data);
        found.update((map) => { const rest = new Map(map); if (all.length > 0) rest.set(orderId, all); else rest.delete(orderId); return rest; });
        known.set(orderId, { look, amount });
      } catch { break; }
    }
    isReading = false;
    const there = new Set((list() ?? []).map(({ orderId }) => orderId));
    for (const id of known.keys()) if (!there.has(id)) known.delete(id);
    if ([...found.peek().keys()].some((id) => !there.has(id))) found.set(new Map([...found.peek()].filter(([id]) => there.has(id))));
  }
  const lookOf = (/** @type {Order} */ order) => JSON.stringify(order.stations.map(({ stationId, status, ready, quantity }) => [stationId, status, ready, quantity]));
  const amountOf = (/** @type {Order} */ order) => order.stations.reduce((sum, { quantity }) => sum + quantity, 0);
  const stale = () => (list() ?? []).find((order) => {
    const before = known.get(order.orderId);
    return !before || (before.look !== lookOf(order) && (found.peek().has(order.orderId) || before.amount !== amountOf(order)));
  });
  effect(() => { list(); untrack(() => void read()); });
  return found;
}

const SIGNS = { HELD: "‖", QUEUED: "○", IN_PREPARATION: "◔", READY: "✓", SERVED: "→", CANCELLED: "✕" };

/** @param {{ leave: () => void, look: () => Promise<void> }} how */
export function pass({ leave, look }) {
  const { list, later } = orders(look), together = combos(list);
  /** Served here, and not answered yet. */
  const gone = computed(() => new Set(waiting().filter(({ about }) => about.wish.act === "serve").map(({ about }) => about.wish.ticket)));
  const undoable = signal(/** @type {{ label: string, tickets: string[] } | null} */ (null));
  const open = computed(() => (list() ?? []).map((order) => ({ ...order, stations: order.stations.map((lamp) => (lamp.ticketIds.some((id) => gone().has(id)) ? { ...lamp, status: /** @type {const} */ ("SERVED") } : lamp)) }))
    .filter((order) => order.stations.some(({ status }) => status !== "SERVED")));
  effect(sayRefusals);
  effect(() => { waiting().length; later(); });
  const ready = (/** @type {Order} */ order) => order.stations.filter(({ status }) => status === "READY");
  const age = (/** @type {Order} */ order) => ageOf(minutesSince(order.createdAt, ticking()), ageing());
  /** @param {Order} order */
  const label = (order) => nameOf(/** @type {any} */ (order));
  let servedAt = 0;
  /** @param {Order} order */
  function serve(order) {
    const tickets = ready(order).flatMap(({ ticketIds }) => ticketIds);
    if (tickets.length === 0 || performance.now() - servedAt < 250) return;
    servedAt = performance.now();
    const one = { label: label(order), tickets };
    undoable.set(one);
    setTimeout(() => { if (undoable.peek() === one) undoable.set(null); }, 10_000);
    for (const ticket of tickets) void wish({ ticket, item: null, act: "serve" }, one.label);
  }
  function undo() {
    const one = undoable.peek();
    undoable.set(null);
    if (!one) return;
    // Back from the guests means back to the cooks; they had finished it, so it is ready again at once.
    for (const ticket of one.tickets) void wish({ ticket, item: null, act: "recall" }, one.label).then(() => wish({ ticket, item: null, act: "ready" }, one.label));
  }
  keys({
    r: () => void recallDialog(), Backspace: undo,
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), () => { const order = open()[n - 1]; if (order) serve(order); }])),
  });
  void wake();
  return h("main", { class: () => `display pass${isAway() ? " away" : ""}`, style: () => ({ "--letter": `${letter()}px` }), onpointerdown: () => void wake() },
    h("header", { class: "bar" },
      h("h1", {}, h("bdi", {}, () => stations().find(({ id }) => id === station())?.name ?? t("pass"))),
      h("p", { class: "counts", "aria-live": "polite" }, () => t("pass.ready", { n: open().filter(({ isReady }) => isReady).length }), () => ` · ${t("open", { n: open().length })}`),
      h("span", { class: "gap" }), lampsBar(),
      h("button", { type: "button", onclick: () => void recallDialog() }, t("recall")),
      h("button", { type: "button", onclick: () => void settingsDialog({ letter, learned, leave }) }, t("settings"))),
    troubles(zone(), t("works")),
    muteBar(),
    h("ul", { class: "orders" }, each(open, ({ orderId }) => orderId, (order) => h("li", { "data-key": order().orderId, class: () => `order ${order().isReady ? "ready" : age(order())}` },
      h("div", { class: "whose" },
        h("p", { class: "top" }, () => { const at = open().findIndex(({ orderId }) => orderId === order().orderId) + 1; return at > 0 && at <= 9 && h("kbd", {}, String(at)); }, h("bdi", { class: "name" }, () => label(order())), h("span", { class: "time" }, () => stopwatch(order().createdAt, ticking()))),
        h("p", { class: "under" },
          () => h("b", {}, order().isReady ? t("pass.all") : wordOf("age", age(order()))),
          () => order().serverName && h("bdi", {}, order().serverName), () => order().customerName && h("bdi", {}, order().customerName),
          () => order().guestCount && h("span", {}, t("guests", { n: Number(order().guestCount) })),
          () => order().orderType !== "DINE_IN" && h("span", {}, wordOf("orderType", order().orderType)),
          h("span", {}, () => clock(order().createdAt, zone())))),
      h("div", {}, h("ul", { class: "lights" }, each(() => order().stations, ({ stationId }) => stationId, (lamp) => h("li", { class: () => `light ${lamp().status}${lamp().isLate ? " late" : ""}` },
        h("span", { "aria-hidden": "true", class: "sign" }, () => SIGNS[lamp().status]),
        h("bdi", {}, () => lamp().stationName), h("small", {}, () => `${lamp().ready}/${lamp().quantity} · ${wordOf("status", lamp().status)}${lamp().isLate ? ` · ${t("late.one")}` : ""}`)))),
        h("ul", { class: "together", hidden: () => !together().has(order().orderId) }, each(() => together().get(order().orderId) ?? [], ({ key }) => key, (combo) => h("li", { class: () => (combo().isReady ? "READY" : null) },
          h("b", {}, h("bdi", {}, () => combo().name), () => combo().seat && ` ${t("seat", { n: Number(combo().seat) })}`, () => combo().isReady && !combo().isWeighed && h("small", {}, ` ${t("pass.together")}`)),
          each(() => combo().pieces, ({ key }) => key, (piece) => h("span", { class: () => `piece ${piece().status}` }, h("span", { "aria-hidden": "true", class: "sign" }, () => SIGNS[piece().status]), h("span", { class: "spoken" }, () => `${wordOf("status", piece().status)}: `),
            () => (piece().weight ? h("b", { class: "weight" }, amountOf(piece()), piece().modifiers ? " · " : "") : piece().quantity > 1 ? `${piece().quantity} × ` : ""), h("bdi", {}, () => [piece().name, piece().modifiers].filter(Boolean).join(" · "))))))) ),
      h("button", { type: "button", class: "serve main", disabled: () => ready(order()).length === 0, onclick: () => serve(order()) },
        () => (order().isReady || ready(order()).length === 0 ? t("serve") : t("serve.part", { n: ready(order()).length })), h("span", { class: "spoken" }, " ", () => label(order())))))),
    () => list() && open().length === 0 && h("p", { class: "calm", role: "status" }, t("calm")),
    h("footer", { class: "foot" }, h("div", { class: "sum" },
      h("button", { type: "button", class: "undo", disabled: () => !undoable(), onclick: undo }, () => { const one = undoable(); return one ? t("undo.of", { name: one.label }) : t("undo"); }, h("kbd", {}, "⌫")))),
    frame());
}
