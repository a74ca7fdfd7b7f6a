// A station's display: cards at fixed places, pages, what waits on other pages, all that is to be cooked, undo. Nothing moves while a finger is down.

import { h, computed, each, effect, onEnd, signal, untrack } from "../kit/view.js";
import { may } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { keys } from "../kit/keys.js";
import { recall } from "../kit/keep.js";
import { lampsBar, troubles } from "../kit/connection.js";
import { stopwatch, ticking } from "../kit/time.js";
import { again, drop } from "../kit/outbox.js";
import { amountOf, t } from "../kit/words.js";
import { allDayOf, dishesOf, gridOf, meaningOf, portionsOf } from "./model.js";
import { close, hasOldGap, nowhere, onPage, pagesOf, settle } from "./places.js";
import { begin, bump, finish, isCalm, moved, nameOf, undo, undoable } from "./acts.js";
import { cards, drawn, held, sayRefusals, station, stations, waiting, zone } from "./data.js";
import { cardAge, ticketCard } from "./card.js";
import { allDayDialog, recallDialog, settingsDialog, ticketDialog } from "./dialogs.js";
import { frame, muteBar, tell, wake } from "./sound.js";

/** @typedef {import("./model.js").Card} Card */

/** The size of dishes' letters, in pixels: kept on this device. */
export const letter = signal(recall("kitchen.letter", innerWidth >= 1200 ? 26 : 18));
/** Keys that were learned on this device. */
export const learned = signal(/** @type {Record<string, string>} */ (recall("kitchen.keys", {})));

/** @param {{ leave: () => void }} how `leave`: another station is chosen */
export function display({ leave }) {
  const standing = signal(nowhere()), page = signal(0), room = signal({ width: 1000, height: 600 });
  /** The card that keys act on, and its dish; -1: the whole card. */
  const chosen = signal(/** @type {{ key: string, at: number } | null} */ (null));
  const grid = computed(() => { const { width, height } = room(); return gridOf(width, height, letter()); });
  const size = () => grid().places;
  const byKey = computed(() => new Map(cards().map((card) => [card.key, card])));
  const shown = computed(() => onPage(standing(), page(), size()));
  /** The last there was, so that a card can still be drawn while it goes. @type {Map<string, Card>} */
  const last = new Map();
  /** @param {string} key @returns {Card} */
  const cardAt = (key) => { const card = byKey().get(key); if (card) last.set(key, card); return card ?? /** @type {Card} */ (last.get(key)); };

  // Places: whoever is new stands at the end; a gap closes once no finger is down.
  let isDown = false;
  const down = () => { isDown = true; void wake(); }, up = () => { isDown = false; };
  addEventListener("pointerdown", down, true); addEventListener("pointerup", up, true); addEventListener("pointercancel", up, true);
  onEnd(() => { removeEventListener("pointerdown", down, true); removeEventListener("pointerup", up, true); removeEventListener("pointercancel", up, true); });
  effect(() => { const there = cards().map(({ key }) => key); untrack(() => standing.update((before) => settle(before, there, Date.now()))); });
  effect(() => {
    ticking();
    untrack(() => {
      if (isDown || !hasOldGap(standing(), Date.now())) return;
      moved();
      standing.update((before) => close(before, Date.now()));
      for (const key of last.keys()) if (!standing().places.some((place) => place.key === key)) last.delete(key);
    });
  });
  effect(() => { if (page() >= pagesOf(standing(), size())) page.set(pagesOf(standing(), size()) - 1); });

  // What is on the page, or named among those that wait, was shown; the box is told.
  const elsewhere = computed(() => standing().places.filter(({ gone, key }) => gone === null && !shown().some((place) => place.key === key)).map(({ key }) => byKey().get(key)).filter((card) => card !== undefined));
  /** How many of those that wait elsewhere are named, and dishes of the whole day, in one line each. */
  const chips = () => Math.max(2, Math.floor((room().width - 190) / 130)), sums = () => Math.max(2, Math.floor((room().width - 260) / 130));
  const sight = signal(0);
  const seen = () => sight.set(sight.peek() + 1);
  document.addEventListener("visibilitychange", seen);
  onEnd(() => document.removeEventListener("visibilitychange", seen));
  effect(() => {
    sight();
    const here = shown().map(({ key }) => byKey().get(key)).filter((card) => card !== undefined);
    const named = [...here, ...elsewhere().slice(0, chips())];
    drawn(named.flatMap((card) => [...card.slips, ...(card.isSlip ? [] : card.parts.map(({ ticket }) => ticket))]));
  });
  effect(sayRefusals);

  // Tones: late once a card, away once a minute.
  /** @type {Set<string>} */
  const late = new Set();
  effect(() => {
    for (const key of late) if (!byKey().has(key)) late.delete(key);
    for (const card of cards()) if (!card.isSlip && cardAge(card) === "LATE" && !late.has(card.key)) { late.add(card.key); untrack(() => tell("late")); }
  });
  effect(() => {
    if (!isAway()) return;
    tell("away");
    const timer = setInterval(() => tell("away"), 60_000);
    onEnd(() => clearInterval(timer));
  });
  void wake();

  /** @param {number} by */
  function turn(by) { const all = pagesOf(standing.peek(), size()); page.update((at) => (at + by + all) % all); moved(); chosen.set(null); }
  /** @param {number} by */
  function chooseDish(by) {
    const here = shown().filter(({ gone }) => gone === null), now = chosen.peek();
    if (here.length === 0) return;
    const card = now && byKey().get(now.key);
    if (!now || !card || !here.some(({ key }) => key === now.key)) { chosen.set({ key: here[0].key, at: by > 0 ? 0 : -1 }); return; }
    chosen.set({ key: now.key, at: Math.max(-1, Math.min(dishesOf(card).length - 1, now.at + by)) });
  }
  /** @param {number} by */
  function chooseCard(by) {
    const here = shown().filter(({ gone }) => gone === null);
    const at = here.findIndex(({ key }) => key === chosen.peek()?.key);
    if (here.length > 0) chosen.set({ key: here[at < 0 ? (by > 0 ? 0 : here.length - 1) : (at + by + here.length) % here.length].key, at: -1 });
  }
  function enter() {
    const now = chosen.peek(), card = now && byKey().get(now.key);
    if (!now || !card) return;
    const dish = dishesOf(card)[now.at];
    if (!dish) begin(card);
    else if (dish.item.status === "QUEUED") begin(card, dish);
    else finish(card, dish);
  }
  /** @param {Card} card */
  const more = (card) => void ticketDialog(card.key, (key) => byKey().get(key));
  const settings = () => void settingsDialog({ letter, learned, leave });
  /** @type {Record<string, () => void>} */
  const acts = {
    page: () => turn(1), up: () => chooseDish(-1), down: () => chooseDish(1), left: () => chooseCard(-1), right: () => chooseCard(1),
    start: enter, undo, recall: () => void recallDialog(), allDay: () => void allDayDialog(cards),
  };
  keys({}, (event) => {
    const meaning = meaningOf(event.key, learned());
    if (!meaning) return false;
    void wake();
    if (acts[meaning]) acts[meaning]();
    else if (isCalm()) { const place = shown()[Number(meaning.slice(4)) - 1]; const card = place?.gone === null && byKey().get(place.key); if (card && !event.repeat) bump(card); }
    return true;
  });

  const open = () => cards().filter(({ isSlip }) => !isSlip);
  const lateOnes = () => open().filter((card) => cardAge(card) === "LATE").length;
  const old = () => waiting().filter(({ state }) => state === "ASK");
  const name = () => stations().find(({ id }) => id === station())?.name ?? t("station.all");
  const cells = h("div", { class: "cells", style: () => ({ "--columns": String(grid().columns), "--rows": String(grid().rows) }) },
    each(shown, ({ key, gone }) => (gone === null ? key : `gap ${key}`), (place) => (place().gone === null
      ? h("div", { class: "cell" }, ticketCard(() => cardAt(place().key), {
        place: () => shown().findIndex(({ key }) => key === place().key) + 1,
        chosen: () => { const now = chosen(); return now?.key === place().key ? now.at : null; },
        more,
      }))
      : h("div", { class: "cell gap" }))));
  const sizes = new ResizeObserver(([entry]) => room.set({ width: entry.contentRect.width, height: entry.contentRect.height }));
  sizes.observe(cells);
  onEnd(() => sizes.disconnect());

  return h("main", { class: () => `display${isAway() ? " away" : ""}`, style: () => ({ "--letter": `${letter()}px` }) },
    h("header", { class: "bar" },
      h("h1", {}, h("bdi", {}, name)),
      h("p", { class: "counts", "aria-live": "polite" }, () => t("open", { n: open().length }),
        () => lateOnes() > 0 && h("b", { class: "latecount" }, ` · ${t("late", { n: lateOnes() })}`),
        () => held() > 0 && ` · ${t("held", { n: held() })}`),
      h("span", { class: "gap" }), lampsBar(),
      h("button", { type: "button", hidden: () => !may("inventory:count") && !may("pin:switch"), disabled: isAway, onclick: () => void import("./batch.js").then((module) => module.makeBatch()) }, t("batch")),
      h("button", { type: "button", onclick: () => void recallDialog() }, t("recall")),
      h("button", { type: "button", onclick: settings }, t("settings"))),
    troubles(zone(), t("works")),
    muteBar(),
    () => waiting().length > 0 && isAway() && h("p", { class: "unsent", role: "status" }, h("b", {}, t("unsent", { n: waiting().length })), " ",
      h("bdi", {}, [...new Set(waiting().map(({ about }) => about.label))].join(" · "))),
    () => old().length > 0 && !isAway() && h("div", { class: "unsent", role: "alert" }, h("b", {}, t("old", { n: old().length })), " ",
      h("bdi", {}, [...new Set(old().map(({ about }) => about.label))].join(" · ")),
      h("button", { type: "button", class: "main", onclick: () => { for (const entry of old()) void again(entry); } }, t("old.send")),
      h("button", { type: "button", onclick: () => { for (const entry of old()) void drop(entry); } }, t("old.drop"))),
    cells,
    () => cards().length === 0 && h("p", { class: "calm", role: "status" }, t("calm")),
    h("footer", { class: "foot" },
      h("div", { class: "elsewhere", hidden: () => elsewhere().length === 0 },
        h("button", { type: "button", onclick: () => turn(1) }, h("kbd", {}, "0"), h("span", {}, () => t("page", { n: page() + 1, all: pagesOf(standing(), size()) }))),
        h("ul", { "aria-label": t("elsewhere") },
          each(() => elsewhere().slice(0, chips()), ({ key }) => key, (card) => h("li", { class: () => cardAge(card()) }, h("bdi", {}, () => nameOf(card().first)), () => ` ${stopwatch(card().firedAt, ticking())} · ${portionsOf(card())}`, () => (card().isRush ? ` · ${t("rush")}` : ""))),
          h("li", { hidden: () => elsewhere().length <= chips() }, () => `+${elsewhere().length - chips()}`))),
      h("div", { class: "sum" },
        h("button", { type: "button", class: "allday", onclick: () => void allDayDialog(cards) }, h("b", {}, t("allDay")), " ",
          h("bdi", {}, () => allDayOf(cards()).slice(0, sums()).map((dish) => `${dish.name} ${amountOf(dish)}`).join(" · ") || "–", () => { const rest = allDayOf(cards()).length - sums(); return rest > 0 ? ` · +${rest}` : ""; })),
        h("button", { type: "button", class: "undo", disabled: () => undoable().length === 0, onclick: undo },
          () => (undoable().length > 0 ? t("undo.of", { name: undoable().at(-1)?.label ?? "" }) : t("undo")), h("kbd", {}, "⌫")))),
    frame());
}
