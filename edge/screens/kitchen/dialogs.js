// What a display shows on top of its cards: one ticket whole, what was finished, all that is to be cooked, the settings of this screen.

import { amountOf, choose as chooseLanguage, LANGUAGES, lang, t, wordOf } from "../kit/words.js";
import { all, ask, may, signOut, user } from "../kit/session.js";
import { clock, duration } from "../kit/time.js";
import { confirm, show, toast } from "../kit/dialog.js";
import { each, h, signal } from "../kit/view.js";
import { remember } from "../kit/keep.js";
import { said } from "../kit/pin.js";
import { allDayOf, allergensOf, dishesOf, DISTANCES, KEYS } from "./model.js";
import { begin, bump, finish, nameOf, recallTicket, reprint, rush, sellOut } from "./acts.js";
import { finished, outlet, station } from "./data.js";
import { allergen, comboOf } from "./card.js";
import { isWanted, tell, wake, want } from "./sound.js";

/** @typedef {import("./model.js").Card} Card */

const zone = () => outlet.peek()?.timezone ?? "Asia/Kolkata";

/** One ticket with everything that can be done to it. @param {string} key @param {(key: string) => Card | undefined} find */
export function ticketDialog(key, find) {
  const first = find(key);
  if (!first) return Promise.resolve(null);
  return show(nameOf(first.first), (close) => {
    const card = () => find(key) ?? first;
    return [
      () => allergensOf(card()).length > 0 && h("p", {}, t("contains", { what: allergensOf(card()).map(allergen).join(", ") })),
      h("ul", { class: "whole" }, each(() => dishesOf(card()), ({ item }) => item.id, (dish) => h("li", {},
        h("p", {}, h("b", {}, () => `${amountOf(dish().item)} `), h("bdi", {}, () => dish().item.name), " ", () => comboOf(dish().item), " ", h("span", { class: "hint" }, () => wordOf("item", dish().item.status)),
          () => dish().item.modifiers.length > 0 && h("small", {}, dish().item.modifiers.join(" · ")), () => dish().item.notes && h("mark", {}, dish().item.notes)),
        h("div", { class: "acts" },
          h("button", { type: "button", disabled: () => dish().item.status !== "QUEUED", onclick: () => begin(card(), dish()) }, t("begin")),
          h("button", { type: "button", disabled: () => dish().item.status === "READY" || dish().item.status === "CANCELLED", onclick: () => finish(card(), dish()) }, t("ready")),
          may("menu:availability") && h("button", { type: "button", onclick: async () => {
            if (await confirm(t("out.ask", { name: dish().item.name }), t("out.text"), t("out.go"), { bad: true })) void sellOut(dish());
          } }, t("out")))))),
      h("div", { class: "acts" },
        h("button", { type: "button", onclick: () => { rush(card()); close(null); } }, card().isRush ? t("rush.end") : t("rush.go")),
        h("button", { type: "button", onclick: () => { void reprint(card()); close(null); } }, t("reprint")),
        h("button", { type: "button", class: "main", onclick: () => { bump(card()); close(null); } }, t("bump"))),
    ];
  }, { wide: true });
}

/** What was finished lately: one touch brings it back. */
export function recallDialog() {
  const rows = signal(/** @type {import("./model.js").Ticket[] | null} */ (null)), wrong = signal("");
  finished().then((list) => rows.set(list), (error) => wrong.set(said(error)));
  return show(t("recall"), (close) => [
    h("p", { class: "wrong", role: "alert" }, () => wrong()),
    () => (rows() ?? []).length === 0 && !wrong() && h("p", { role: "status" }, rows() ? t("recall.none") : t("loading")),
    h("div", { class: "choices recalls" }, each(() => rows() ?? [], ({ id }) => id, (row) => h("button", { type: "button", onclick: () => { recallTicket(row()); close(null); } },
      h("b", {}, h("bdi", {}, nameOf(row()))), h("span", {}, `${clock(row().readyAt ?? row().updatedAt, zone())} · ${wordOf("status", row().status)}`),
      h("small", {}, row().items.filter(({ status }) => status !== "CANCELLED").map((item) => `${amountOf(item)} ${item.name}`).join(", "))))),
  ], { wide: true });
}

/** All that is to be cooked. @param {() => Card[]} cards */
export function allDayDialog(cards) {
  return show(t("allDay"), () => () => (allDayOf(cards()).length === 0 ? h("p", {}, t("calm")) : h("table", { class: "whole" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("dish")), h("th", { scope: "col", class: "number" }, t("portions")), h("th", { scope: "col", class: "number" }, t("begun")))),
    h("tbody", {}, allDayOf(cards()).map((dish) => h("tr", {},
      h("td", {}, h("b", {}, h("bdi", {}, dish.name)), ...dish.modifiers.filter(({ text }) => text).map(({ text, quantity }) => h("small", {}, `${quantity} × ${text}`))),
      h("td", { class: "number" }, h("b", {}, amountOf(dish))), h("td", { class: "number" }, amountOf({ ...dish, quantity: dish.begun, weight: dish.begunWeight }))))))), { wide: true });
}

/**
 * The settings of this screen.
 * @param {{ letter: import("../kit/view.js").Signal<number>, learned: import("../kit/view.js").Signal<Record<string, string>>, leave: () => void }} how
 */
export function settingsDialog({ letter, learned, leave }) {
  const isDevice = user.peek()?.role.startsWith("DEVICE_") ?? false;
  return show(t("settings"), (close) => {
    /** @param {() => unknown} work */
    const then = (work) => () => { close(null); work(); };
    return [
      h("fieldset", {}, h("legend", {}, t("distance")), h("div", { class: "row" }, ...Object.entries(DISTANCES).sort(([, one], [, other]) => one - other).map(([metres, pixels]) =>
        h("button", { type: "button", "aria-pressed": () => String(letter() === pixels), onclick: () => { letter.set(pixels); remember("kitchen.letter", pixels); } }, t("metres", { n: metres }))))),
      h("fieldset", {}, h("legend", {}, t("sound")), h("div", { class: "row" },
        h("button", { type: "button", "aria-pressed": () => String(isWanted()), onclick: () => want(true) }, t("sound.on")),
        h("button", { type: "button", "aria-pressed": () => String(!isWanted()), onclick: () => want(false) }, t("sound.off")),
        h("button", { type: "button", onclick: async () => { await wake(); tell("new"); } }, t("sound.try")))),
      h("fieldset", {}, h("legend", {}, t("language")), h("div", { class: "row" }, ...Object.entries(LANGUAGES).map(([code, name]) =>
        h("button", { type: "button", lang: code, "aria-pressed": String(code === lang()), onclick: () => chooseLanguage("kitchen", code) }, name)))),
      h("div", { class: "choices" },
        !(isDevice && station.peek()) && h("button", { type: "button", onclick: then(leave) }, t("station.other")),
        h("button", { type: "button", onclick: then(() => keysDialog(learned)) }, t("keys")),
        h("button", { type: "button", onclick: then(timesDialog) }, t("times")),
        may("menu:availability") && h("button", { type: "button", onclick: then(outDialog) }, t("out.list")),
        station.peek() && may("kitchen:operate") && h("button", { type: "button", onclick: then(seenAll) }, t("ackAll")),
        !isDevice && h("button", { type: "button", onclick: then(() => void signOut()) }, t("signout"))),
    ];
  });
}

/** Keys are learned by pressing, so that any bump bar fits. @param {import("../kit/view.js").Signal<Record<string, string>>} learned */
function keysDialog(learned) {
  const asked = signal(/** @type {string | null} */ (null));
  /** @param {KeyboardEvent} event */
  function press(event) {
    const act = asked.peek();
    if (!act || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    asked.set(null);
    if (event.key === "Escape") return;
    // One key means one thing.
    const others = Object.fromEntries(Object.entries(learned.peek()).filter(([, key]) => key !== event.key));
    learned.set({ ...others, [act]: event.key });
    remember("kitchen.keys", learned.peek());
  }
  document.addEventListener("keydown", press, true);
  return show(t("keys"), () => [
    h("p", { role: "status" }, () => { const act = asked(); return act ? t("keys.press", { what: t(`key.${act}`) }) : t("keys.how"); }),
    h("div", { class: "choices" }, ...Object.keys(KEYS).map((act) => h("button", { type: "button", "aria-pressed": () => String(asked() === act), onclick: () => asked.set(act) },
      t(`key.${act}`), h("kbd", {}, () => keyName(learned()[act] ?? KEYS[act]))))),
    h("div", { class: "acts" }, h("button", { type: "button", onclick: () => { learned.set({}); remember("kitchen.keys", undefined); } }, t("keys.reset"))),
  ], { wide: true }).finally(() => document.removeEventListener("keydown", press, true));
}

/** @param {string} key */
function keyName(key) { return { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Enter: "↵", Backspace: "⌫", " ": "␣" }[key] ?? (key.length === 1 ? key.toUpperCase() : key); }

/** How long things took today. */
async function timesDialog() {
  try {
    // Of the business day that the box is at: after midnight that is yesterday's date.
    const { data } = await ask("GET", "/kitchen/stats", { query: { stationId: station.peek() ?? null } });
    await show(t("times"), () => data.items.length === 0 ? h("p", {}, t("times.none")) : h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("dish")), h("th", { scope: "col", class: "number" }, t("portions")), h("th", { scope: "col", class: "number" }, t("times.mean")))),
      h("tbody", {}, ...data.items.map((/** @type {any} */ one) => h("tr", {}, h("td", {}, h("bdi", {}, one.name)), h("td", { class: "number" }, String(one.quantity)),
        h("td", { class: "number" }, duration(Math.round(one.averageTotalSeconds / 60)))))))), { wide: true });
  } catch (error) { toast(said(error), "bad"); }
}

/** What is sold out, and back again. */
async function outDialog() {
  try {
    const rows = signal((await all("/menu/items")).filter((dish) => dish.availability.status === "OUT_OF_STOCK"));
    await show(t("out.list"), () => [
      () => rows().length === 0 && h("p", {}, t("out.none")),
      h("ul", { class: "whole" }, each(rows, ({ id }) => id, (dish) => h("li", {}, h("p", {}, h("bdi", {}, dish().name)),
        h("button", { type: "button", onclick: async () => {
          try { await ask("DELETE", `/menu/items/${dish().id}/availability`); rows.update((list) => list.filter(({ id }) => id !== dish().id)); } catch (error) { toast(said(error), "bad"); }
        } }, t("out.back"))))),
    ]);
  } catch (error) { toast(said(error), "bad"); }
}

/** Everything at this station counts as seen. */
async function seenAll() {
  if (!(await confirm(t("ackAll"), t("ackAll.text"), t("ackAll.go")))) return;
  try { await ask("POST", `/kitchen/stations/${station.peek()}/ack-all`); } catch (error) { toast(said(error), "bad"); }
}
