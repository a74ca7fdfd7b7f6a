// The page around the sections: their list, the lamps, who is signed in. Loads a section when it is opened, never before.

import { effect, h, mount, onEnd, signal, untrack } from "../kit/view.js";
import { LANGUAGES, choose, lang, t } from "../kit/words.js";
import { lampsBar, onBack, troubles } from "../kit/connection.js";
import { isRemembered, may, signOut, user } from "../kit/session.js";
import { said } from "../kit/pin.js";
import { show } from "../kit/dialog.js";
import { outlet, prepare, zone } from "./store.js";
import { at, route } from "./route.js";

/** The sections in their order: the right that opens each (any one of them), and where it is. @type {Record<string, { rights: string[], load: () => Promise<{ draw: (parts: string[]) => import("../kit/view.js").Child }> }>} */
const SECTIONS = {
  today: { rights: ["analytics:read"], load: () => import("./today.js") },
  orders: { rights: ["orders:read"], load: () => import("./orders.js") },
  menu: { rights: ["menu:write"], load: () => import("./menu.js") },
  floor: { rights: ["tables:write"], load: () => import("./floor.js") },
  stock: { rights: ["inventory:read"], load: () => import("./stock.js") },
  buying: { rights: ["purchasing:read"], load: () => import("./buying.js") },
  waste: { rights: ["waste:read"], load: () => import("./waste.js") },
  people: { rights: ["employees:read", "attendance:read"], load: () => import("./people.js") },
  roster: { rights: ["roster:write"], load: () => import("./roster.js") },
  mine: { rights: ["shifts:swap"], load: () => import("./mine.js") },
  reports: { rights: ["analytics:read", "audit:read"], load: () => import("./reports.js") },
  voices: { rights: ["feedback:manage", "tickets:raise"], load: () => import("./voices.js") },
  devices: { rights: ["devices:manage", "printers:write"], load: () => import("./devices.js") },
  settings: { rights: ["outlets:read"], load: () => import("./settings.js") },
  assistant: { rights: ["ai:ask"], load: () => import("./assistant.js") },
};

const mine = () => Object.keys(SECTIONS).filter((name) => SECTIONS[name].rights.some(may) && (name !== "mine" || user()?.employeeId));
/** On a phone these stand at the foot; the others behind "More". */
const FIRST = ["today", "orders", "stock", "buying", "reports", "menu", "mine"];

/** @param {string} now @param {string[]} names @param {() => void} [left] */
function links(now, names, left) {
  return h("ul", {}, ...names.map((name) => h("li", {}, h("a", { href: at(name), "aria-current": name === now ? "page" : null, onclick: left ?? (() => {}) }, t(`section.${name}`)))));
}

/** Everything there is, for a phone. @param {string} now */
function drawer(now) {
  void show(t("sections"), (close) => h("nav", { class: "all", "aria-label": t("sections") }, links(now, mine(), () => close(null)), self()), { side: true });
}

/** Who is signed in, the language, the way out. */
function self() {
  return h("div", { class: "self" },
    h("p", {}, h("bdi", {}, user()?.name), h("small", {}, t(`role.${(user()?.role ?? "").toLowerCase().replaceAll("_", "-")}`))),
    h("label", {}, t("language"), h("select", { onchange: (/** @type {any} */ event) => choose("manage", event.target.value) },
      ...Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === lang(), lang: code }, name)))),
    h("div", { class: "acts start" }, h("button", { type: "button", onclick: () => void import("./self.js").then((module) => module.own()) }, t("self")), h("button", { type: "button", onclick: () => void signOut() }, t("signout"))));
}

export function shell() {
  const ready = signal(false), wrong = signal("");
  /** @type {() => void} */
  let end = () => {};
  let gone = false;
  onEnd(() => { gone = true; end(); });
  async function begin() {
    try {
      wrong.set("");
      const stop = await prepare();
      if (gone) { stop(); return; }
      end = stop;
      ready.set(true);
    } catch (error) {
      wrong.set(said(error));
      setTimeout(() => { if (!gone) void begin(); }, 3_000);
    }
  }
  // Who is only remembered sees what was kept, until the box answers.
  if (isRemembered.peek() && outlet.peek()) ready.set(true);
  void begin();
  return () => (ready() ? untrack(page) : h("main", { class: "centre" }, h("h1", {}, t("opening")), h("p", { class: "wrong", role: "alert" }, () => wrong())));
}

function page() {
  const names = mine();
  const now = () => (names.includes(route()[0]) ? route()[0] : names[0]);
  const foot = FIRST.filter((name) => names.includes(name)).slice(0, 4);
  return h("div", { class: "manage" },
    h("a", { class: "skip", href: "#content", onclick: (/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("content")?.focus(); } }, t("skip")),
    h("header", { class: "bar top" }, h("strong", {}, h("bdi", {}, outlet().name)), h("span", { class: "gap" }), lampsBar()),
    troubles(zone(), t("works.away")),
    h("nav", { class: "side", "aria-label": t("sections") }, () => links(now(), names), self()),
    h("main", { id: "content", tabindex: "-1", ref: section(now) }),
    h("nav", { class: "foot", "aria-label": t("sections.main") }, () => links(now(), foot), h("button", { type: "button", class: "quiet", onclick: () => drawer(now()) }, t("more"))));
}

/** Draws the section that the hash names; what came too late is not drawn. @param {() => string} now */
function section(now) {
  return (/** @type {Element} */ place) => {
    let round = 0, drawn = false, end = () => {};
    effect(() => {
      const name = now(), parts = route().slice(1), mine = (round += 1);
      document.title = `${t(`section.${name}`)} · ${t("title")}`;
      SECTIONS[name].load().then((module) => {
        if (mine !== round) return;
        end();
        end = untrack(() => mount(place, () => module.draw(parts)));
        // The first page leaves the focus at its top, for the way past the sections.
        if (drawn) { /** @type {HTMLElement} */ (place.querySelector("h1") ?? place).focus({ preventScroll: true }); scrollTo(0, 0); }
        drawn = true;
      }, (error) => {
        if (mine !== round) return;
        end();
        end = untrack(() => mount(place, () => { onBack(() => location.reload()); return [h("h1", { tabindex: "-1" }, t(`section.${name}`)), h("p", { class: "bad", role: "alert" }, said(error), " ", h("button", { type: "button", onclick: () => location.reload() }, t("retry")))]; }));
      });
    });
    onEnd(() => { round += 1; end(); });
  };
}
