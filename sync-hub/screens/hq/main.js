// Head office's screen: who is in, where one is, and the view that is loaded for it. Never a figure of its own.

import { choose as chooseFrom } from "../kit/dialog.js";
import { may, signOut, user } from "../kit/session.js";
import { isAway, lastHeard } from "../kit/stream.js";
import { clock } from "../kit/time.js";
import { effect, h, mount, onEnd, signal } from "../kit/view.js";
import { LANGUAGES, choose, lang, learn, t } from "../kit/words.js";
import { followChain, inTrouble } from "./chain.js";
import { door } from "./door.js";
import { chooseLook } from "./look.js";
import { parts } from "./model.js";
import { ZONE, loaded, once } from "./parts.js";

/** @typedef {{ view: (route: string[]) => import("../kit/view.js").Child }} View */

/** The views: the part of the address, what it needs, and its module. @type {Record<string, { needs: string, load: () => Promise<View> }>} */
const VIEWS = {
  overview: { needs: "outlets:read", load: () => import("./views/overview.js") },
  figures: { needs: "analytics:read", load: () => import("./views/figures.js") },
  losses: { needs: "audit:read", load: () => import("./views/losses.js") },
  low: { needs: "inventory:read", load: () => import("./views/low.js") },
  recall: { needs: "inventory:read", load: () => import("./views/recall.js") },
  transfers: { needs: "inventory:read", load: () => import("./views/transfers.js") },
  menu: { needs: "menu:read", load: () => import("./views/menu.js") },
  prices: { needs: "menu:read", load: () => import("./views/prices.js") },
  catalogue: { needs: "menu:read", load: () => import("./views/catalogue.js") },
  staff: { needs: "employees:read", load: () => import("./views/staff.js") },
  settings: { needs: "outlets:read", load: () => import("./views/settings.js") },
  publications: { needs: "menu:read", load: () => import("./views/publications.js") },
  conflicts: { needs: "menu:read", load: () => import("./views/conflicts.js") },
  boxes: { needs: "outlets:read", load: () => import("./views/boxes.js") },
  enrolment: { needs: "outlets:write", load: () => import("./views/enrolment.js") },
  users: { needs: "accounts:manage", load: () => import("./views/users.js") },
  audit: { needs: "audit:read", load: () => import("./views/audit.js") },
  account: { needs: "", load: () => import("./views/account.js") },
  outlet: { needs: "outlets:read", load: () => import("./views/outlet.js") },
};

/** How they stand in the list, in groups. */
const GROUPS = { chain: ["overview", "figures", "losses"], stock: ["low", "recall", "transfers"], catalogue: ["menu", "prices", "catalogue", "staff", "settings", "publications"], care: ["conflicts", "boxes", "enrolment"], office: ["users", "audit", "account"] };

const route = signal(parts(location.hash));
addEventListener("hashchange", () => route.set(parts(location.hash)));

/** The list of views. @param {() => void} [then] */
function list(then) {
  const allowed = (/** @type {string} */ name) => !VIEWS[name].needs || may(VIEWS[name].needs);
  return Object.entries(GROUPS).filter(([, names]) => names.some(allowed)).map(([group, names]) => h("div", { class: "group" },
    h("h2", { id: `group-${group}${then ? "-menu" : ""}` }, t(`group.${group}`)),
    h("ul", { "aria-labelledby": `group-${group}${then ? "-menu" : ""}` }, ...names.filter(allowed).map((name) => h("li", {}, h("a", {
      href: `#/${name}`, "aria-current": () => (route()[0] === name || (name === "overview" && route()[0] === "outlet") ? "page" : null), onclick: then ?? (() => {}),
    }, t(`view.${name}`), () => name === "overview" && inTrouble() > 0 && h("span", { class: "count" }, h("span", { class: "spoken" }, t("nav.trouble")), String(inTrouble()))))))));
}

async function chooseLanguage() {
  const next = await chooseFrom(t("language"), Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })));
  if (next && next !== lang()) choose("hq", next);
}

function office() {
  followChain();
  const open = signal(false);
  const escape = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") open.set(false); };
  document.addEventListener("keydown", escape);
  onEnd(() => document.removeEventListener("keydown", escape));
  const main = h("main", { id: "view", tabindex: "-1" }, () => view(route()));
  let first = true;
  effect(() => {
    document.title = `${t(`view.${route()[0] in VIEWS ? route()[0] : "overview"}`)} – ${t("hq.title")}`;
    // Whoever came by a link reads on at the new view, not at the list.
    if (!first) { main.focus({ preventScroll: true }); scrollTo(0, 0); }
    first = false;
  });
  return h("div", { class: "office" },
    h("a", { class: "skip", href: "#view", onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }, t("skip")),
    h("header", { class: "top" },
      h("button", { type: "button", class: "burger", "aria-expanded": () => String(open()), "aria-controls": "nav", onclick: () => open.update((is) => !is) }, h("span", { "aria-hidden": "true" }, "☰"), " ", t("nav.menu")),
      h("strong", { class: "brand" }, t("hq.title")),
      h("span", { class: "gap" }),
      h("button", { type: "button", class: "quiet looks", onclick: chooseLook }, t("look")),
      h("button", { type: "button", class: "quiet", onclick: chooseLanguage }, h("span", { class: "spoken" }, `${t("language")}: `), LANGUAGES[/** @type {"en"} */ (lang())] ?? lang()),
      h("span", { class: "who" }, h("bdi", {}, () => user()?.name ?? "")),
      h("button", { type: "button", class: "quiet", onclick: () => void signOut().catch(() => {}) }, t("signout"))),
    h("div", { class: "troubles", role: "status" }, () => isAway() && h("p", { class: "bad" }, h("b", {}, t("office.silent")), " ", lastHeard() ? t("box.lastHeard", { time: clock(lastHeard(), ZONE) }) : "", " ", t("office.stale"))),
    h("div", { class: "frame" },
      h("nav", { id: "nav", class: () => (open() ? "open" : "shut"), "aria-label": t("nav.views") }, ...list(() => open.set(false))),
      main));
}

/** The view of that part of the address. @param {string[]} at */
function view(at) {
  const known = VIEWS[at[0]] ?? VIEWS.overview;
  if (known.needs && !may(known.needs)) return h("p", { class: "warn" }, t("notAllowed"));
  return loaded(() => known.load(), (module) => once(() => module.view(at))).node;
}

await learn("hq");
mount(document.getElementById("screen"), () => door(office));
