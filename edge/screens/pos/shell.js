// The till's frame: where one can go, who stands here, what fails and what still works, what the staff are told. Never decides for a view.

import { lampsBar, onBack, troubles } from "../kit/connection.js";
import { show } from "../kit/dialog.js";
import { names, recall, remember } from "../kit/keep.js";
import { entries, again, send } from "../kit/outbox.js";
import { inWords } from "../kit/refused.js";
import { ask, may, signOut } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { moment } from "../kit/time.js";
import { computed, each, effect, h, mount, onEnd, untrack } from "../kit/view.js";
import { LANGUAGES, choose, lang, t } from "../kit/words.js";
import { begin, mine, openDraft, takeBack } from "./drafts.js";
import { floorView } from "./floor.js";
import { lock, switchPerson } from "./lock.js";
import { go, live, mayPay, me, myName, notices, outlet, tableOf, tell, tried, view, zone } from "./store.js";

/** Views that few need are loaded when they are opened. @type {Record<string, () => Promise<() => import("../kit/view.js").Child>>} */
const LATER = {
  order: async () => (await import("./order.js")).orderView,
  orders: async () => (await import("./orders.js")).ordersView,
  dishes: async () => (await import("./stock.js")).stockView,
  drawer: async () => (await import("./drawer.js")).drawerView,
  day: async () => (await import("./day.js")).dayView,
};

/** Whether a counter's till has begun its first order. */
let began = false;

/** Where one may go. */
function places() {
  return /** @type {const} */ ([["floor", true], ["orders", may("orders:read")], ["dishes", may("menu:availability")], ["drawer", may("cash:operate")], ["day", may("day:close")]])
    .filter(([, is]) => is).map(([at]) => at);
}

/** The till, once somebody is signed in. */
export function shell() {
  const where = computed(() => view().at), ready = computed(() => outlet() !== null);
  live();
  void begin();
  // A till at a counter opens on the dishes.
  if (recall("pos.counter", false) && view.peek().at === "floor") effect(() => { if (ready() && may("orders:create")) untrack(() => { if (!began) { began = true; openDraft("COUNTER"); } }); });
  stayWhileAway();
  // What is needed next is there before it is.
  void LATER.order();
  const payments = () => { if (names("pos.pay.").length > 0) void import("./pay.js").then((part) => part.settleOpen()); };
  onBack(() => { send(); payments(); });
  effect(() => { if (me() && ready() && mayPay()) untrack(payments); });
  return [
    h("a", { class: "skip", href: "#main" }, t("skip")),
    h("header", { class: "bar top" },
      h("button", { type: "button", class: "quiet menu", "aria-label": t("menu"), onclick: more }, h("span", { "aria-hidden": "true" }, "☰")),
      h("nav", { "aria-label": t("nav") }, () => places().map((at) =>
        h("button", { type: "button", class: "quiet", "aria-current": () => (view().at === at || (at === "floor" && view().at === "order") ? "true" : null), onclick: () => go({ at }) }, t(`nav.${at}`)))),
      h("span", { class: "gap" }),
      lampsBar(),
      () => (may("notifications:read") ? h("button", { type: "button", class: "quiet bell", onclick: tellings }, t("notices"), () => (notices().length > 0 ? h("b", { class: "count" }, String(notices().length)) : null)) : null),
      h("button", { type: "button", class: "who", onclick: who }, h("bdi", {}, () => myName()))),
    () => troubles(zone(), t("away.works")),
    waiting(),
    h("main", { id: "main", tabindex: "-1" }, () => h("div", { class: "place", "data-at": where() }, place(where(), ready()))),
    lock(),
  ];
}

/** A page that no worker keeps is gone after a reload while the box is away: the browser asks first. */
function stayWhileAway() {
  const ask = (/** @type {BeforeUnloadEvent} */ event) => { if (isAway.peek() && !navigator.serviceWorker?.controller) event.preventDefault(); };
  addEventListener("beforeunload", ask);
  onEnd(() => removeEventListener("beforeunload", ask));
}

/** @param {string} at @param {boolean} ready */
function place(at, ready) {
  if (!ready) return h("p", { role: "status", class: "empty" }, t("loading"));
  if (at === "floor") return floorView();
  const spot = h("div", {}, h("p", { role: "status", class: "empty" }, t("loading")));
  LATER[at]?.().then((draw) => { if (spot.isConnected) mount(spot, draw); }).catch(() => spot.replaceChildren(h("p", { class: "bad" }, t("away.nothing"))));
  return spot;
}

/** What could not be sent yet and wants a word: too old to go by itself, or somebody else's. */
function waiting() {
  return h("div", { class: "waiting", role: "status" }, each(() => entries().filter((entry) => entry.state === "ASK" || (entry.person !== me() && entry.tries > 0) || (isAway() && entry.person === me())), (entry) => entry.key, (entry) => {
    const { about, madeAt, key } = entry();
    const table = tableOf(about?.tableId)?.number;
    return h("p", { class: "warn" },
      h("span", {}, table ? t("waits.table", { table, n: about.draft.lines.length, time: moment(madeAt, zone()) }) : t("waits.order", { n: about?.draft?.lines?.length ?? 1, time: moment(madeAt, zone()) })), " ",
      () => (entry().person !== me() ? h("button", { type: "button", onclick: () => switchPerson() }, t("waits.pin")) : entry().state === "ASK" ? [
        h("button", { type: "button", class: "main", onclick: () => again(entry()) }, t("waits.now")),
        h("button", { type: "button", "data-entry": key, onclick: () => takeBack(entry()) }, t("waits.back"))] : t("waits.box")));
  }));
}

/** All that stands in the menu of a phone, and what is seldom needed. */
async function more() {
  const to = await show(t("menu"), (close) => [
    h("div", { class: "choices" }, ...places().map((at) => h("button", { type: "button", onclick: () => close(at) }, t(`nav.${at}`))),
      ...["TAKEAWAY", "DELIVERY"].filter(() => may("orders:create")).map((kind) => h("button", { type: "button", onclick: () => close(kind) }, t(`new.${kind}`)))),
    may("orders:create") ? h("label", { class: "tick" }, h("input", { type: "checkbox", checked: recall("pos.counter", false), onchange: (/** @type {any} */ event) => remember("pos.counter", event.target.checked) }), t("counter.mode")) : null,
    may("printers:read") ? h("p", {}, h("button", { type: "button", onclick: async () => { close(null); try { await (await import("./receipt.js")).choosePrinter(); } catch (error) { tell(error); } } }, t("printer.own"))) : null,
    h("h3", {}, t("lamps")), lampsBar(),
    h("h3", {}, t("language")),
    h("div", { class: "choices" }, ...Object.entries(LANGUAGES).map(([code, name]) => h("button", { type: "button", lang: code, "aria-pressed": code === lang() ? "true" : "false", onclick: () => choose("pos", code) }, name))),
    h("p", { class: "acts" }, h("a", { class: "button", href: "/certificate" }, t("certificate"))),
    h("div", { class: "acts" }, h("button", { type: "button", class: "quiet", onclick: () => { close(null); void signOut(); } }, t("signout"))),
  ]);
  if (to === "TAKEAWAY" || to === "DELIVERY") openDraft(to);
  else if (to) go({ at: /** @type {any} */ (to) });
}

/** Who stands here hands over: four digits of the next one. */
function who() {
  if (isAway()) return void show(myName(), () => h("p", {}, t("lock.away")));
  const open = mine();
  return void switchPerson(undefined, open.length > 0 ? t("drafts.left", { n: open.length }) : undefined);
}

/** What the staff are told, and ticked off. */
function tellings() {
  return show(t("notices"), (close) => [
    h("ul", { class: "tellings" }, each(notices, (one) => one.id, (one) => h("li", { class: () => one().severity.toLowerCase() },
      h("div", {}, h("b", {}, () => inWords(one().title)), h("small", {}, () => `${inWords(one().body)} · ${moment(one().updatedAt, zone())}`)),
      h("button", { type: "button", onclick: () => tried(async () => { await ask("POST", `/notifications/${one().id}/read`, { body: {} }); notices.update((list) => list.filter((other) => other.id !== one().id)); }) }, t("read"))))),
    () => (notices().length === 0 ? h("p", { class: "empty" }, t("notices.none")) : h("div", { class: "acts" },
      h("button", { type: "button", onclick: () => tried(async () => { await ask("POST", "/notifications/read-all", { body: {} }); notices.set([]); close(null); }) }, t("read.all")))),
  ]);
}
