// The page behind a table's code: which of its views is shown, in which language. Until the menu is there, the page stays as the server made it.

import { h, mount, signal } from "../kit/view.js";
import { remember } from "../kit/keep.js";
import { LANGUAGES, lang, learn, t } from "../kit/words.js";
import { cart, isAway, isDead, menu, orders, readMenu } from "./table.js";
import { cartBar, cartView, dishView, menuView, ordersView } from "./views.js";

const view = signal(location.hash.slice(1));
addEventListener("hashchange", () => { view.set(location.hash.slice(1)); scrollTo(0, at.get(view.peek()) ?? 0); });
/** Where one was in each view, so that going back leads there. @type {Map<string, number>} */
const at = new Map();
addEventListener("scroll", () => at.set(view.peek(), scrollY), { passive: true });

/** The phone's own way back leads through the views. @param {string} next */
function go(next) { at.delete(next); location.hash = next; }
function back() { history.back(); }

/** Another language, without loading the page again. @param {string} next */
async function speak(next) {
  const url = new URL(location.href);
  url.searchParams.delete("lang");
  url.searchParams.delete("called");
  history.replaceState(null, "", url);
  try { localStorage.setItem("tiffin.lang.guest", next); } catch { remember("lang.guest", next); }
  await learn("guest");
  // Dishes have names in it, too.
  await readMenu();
  draw();
}

/** A line of the cart, to be changed. @param {string} id */
function edited(id) {
  const line = cart.peek().find((one) => String(one.id) === id);
  return line ? dishView(line.dish, back, line) : h("p", {}, t("cart.empty"));
}

function header() {
  return h("header", { class: "top" },
    h("div", {}, h("p", { class: "house" }, h("bdi", {}, () => menu()?.outlet.name ?? "")), h("p", { class: "table" }, () => (menu() ? t("table", { n: menu()?.table.number ?? "" }) : ""))),
    h("label", { class: "language" }, h("span", { class: "spoken" }, t("language")), h("select", { onchange: (/** @type {any} */ event) => void speak(event.target.value) },
      ...Object.entries(LANGUAGES).map(([key, name]) => h("option", { value: key, lang: key, selected: key === lang() }, name)))),
    h("nav", { class: "tabs", "aria-label": t("tabs") },
      h("button", { type: "button", "aria-current": () => (view() === "" ? "true" : null), onclick: () => go("") }, t("tab.menu")),
      h("button", { type: "button", "aria-current": () => (view() === "orders" ? "true" : null), onclick: () => go("orders") }, t("tab.orders"), () => orders().length > 0 && ` (${orders().length})`)));
}

function screen() {
  return [
    () => !isDead() && header(),
    () => isAway() && !isDead() && h("p", { class: "warn away", role: "status" }, t("away")),
    () => {
      if (isDead()) return h("main", { class: "dead" }, h("h1", {}, t("dead")), h("p", {}, t("dead.text")));
      const [what, id] = view().split("/");
      return h("main", {}, ["dish", "edit", "cart"].includes(what) ? h("button", { type: "button", class: "quiet back", onclick: back }, t("back")) : null,
        what === "dish" ? dishView(id, back) : what === "edit" ? edited(id) : what === "cart" ? cartView(() => location.replace("#orders"), go) : what === "orders" ? ordersView() : [h("h1", { class: "spoken" }, t("title")), menuView(go)],
        what === "" || what === "orders" ? cartBar(go) : null);
    },
  ];
}

let end = () => {};
function draw() {
  end();
  document.title = menu.peek()?.outlet.name ?? t("title");
  end = mount(document.getElementById("screen"), screen);
}

// The language is known at once, its words come beside the menu.
const learned = learn("guest");
await readMenu();
await learned;
// What the server made is better than nothing, as long as there is no menu.
if (menu.peek() || isDead.peek()) draw();
else { const again = setInterval(async () => { await readMenu(); if (menu.peek() || isDead.peek()) { clearInterval(again); draw(); } }, 7_000); }
// Dishes sell out while one reads: looked at again when the page is, and every few minutes.
let readAt = Date.now();
async function refresh() { if (document.visibilityState === "visible" && Date.now() - readAt > 60_000) { readAt = Date.now(); await readMenu(); } }
document.addEventListener("visibilitychange", () => void refresh());
setInterval(() => void refresh(), 180_000);
