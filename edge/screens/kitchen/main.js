// The kitchen's screen: which station it shows, then that station's display, the pass, or at `?board` the guests' board. Always by night.

import { learn, t } from "../kit/words.js";
import { request } from "../kit/api.js";
import { ask, ownToken, user } from "../kit/session.js";
import { h, mount, onEnd, signal } from "../kit/view.js";
import { recall, remember } from "../kit/keep.js";
import { said } from "../kit/pin.js";
import { signedIn } from "../kit/signin.js";
import { begin, isReady, outlet, prepare, station, stations, watch } from "./data.js";
import { display } from "./grid.js";
import { pass } from "./pass.js";

/** What this screen is: not known, to be chosen, or one of the three. @type {import("../kit/view.js").Signal<"asking" | "choose" | "display" | "pass" | "board">} */
const view = signal("asking");
const wrong = signal("");

/** What it is for: a paired device knows, else it was chosen here, else somebody chooses. */
async function decide() {
  try {
    wrong.set("");
    await prepare();
    const isDevice = user.peek()?.role.startsWith("DEVICE_");
    const own = isDevice ? (await ask("GET", "/devices/own")).data : null;
    if (new URLSearchParams(location.search).has("board") || own?.kind === "BOARD") { view.set("board"); return; }
    await begin();
    const chosen = own?.stationId ?? recall("kitchen.station", undefined);
    if (chosen === undefined || (chosen !== null && !stations.peek().some(({ id }) => id === chosen))) view.set("choose");
    else go(chosen);
  } catch (error) {
    wrong.set(said(error));
    setTimeout(() => void decide(), 3_000);
  }
}

/** @param {string | null} chosen */
function go(chosen) {
  station.set(chosen);
  isReady.set(false);
  view.set(stations.peek().find(({ id }) => id === chosen)?.kind === "EXPO" ? "pass" : "display");
}

/** @param {string | null} chosen */
function choose(chosen) { remember("kitchen.station", chosen); go(chosen); }
function leave() { remember("kitchen.station", undefined); view.set("choose"); }

function chooser() {
  return h("main", { class: "centre" },
    h("h1", {}, t("station.choose")),
    h("p", { class: "hint" }, h("bdi", {}, outlet()?.name)),
    h("div", { class: "choices" }, ...stations().map((one) => h("button", { type: "button", onclick: () => choose(one.id) },
      h("bdi", {}, one.name), h("small", {}, one.kind === "EXPO" ? t("station.expo") : t("station.watched", { n: one.displays })))),
    h("button", { type: "button", onclick: () => choose(null) }, t("station.all"), h("small", {}, t("station.all.hint")))),
    h("p", {}, h("a", { class: "button", href: "?board" }, t("board.open"))));
}

/** A manager may have put the device at another station while it runs. */
async function look() {
  if (!user.peek()?.role.startsWith("DEVICE_")) return;
  const { stationId } = (await request("GET", "/devices/own", { token: await ownToken() })).data;
  if (stationId && stationId !== station.peek()) go(stationId);
}

/** A station's own display: its tickets are followed as long as it stands here. */
function followed() {
  onEnd(watch(undefined, look));
  return () => (isReady() ? display({ leave }) : h("main", { class: "centre" }, h("p", { role: "status" }, t("loading"))));
}

/** The guests' board, which few screens are: it is loaded when it is wanted. */
function guests() {
  const spot = h("div", {}, h("p", { role: "status" }, t("loading")));
  const load = () => import("./board.js").then(({ board }) => { mount(spot, board); }, () => setTimeout(load, 3_000));
  void load();
  return spot;
}

function screen() {
  void decide();
  return () => {
    switch (view()) {
      case "choose": return chooser();
      case "display": return followed();
      case "pass": return pass({ leave, look });
      case "board": return guests();
      default: return h("main", { class: "centre" }, h("h1", {}, t("opening")), h("p", { class: "wrong", role: "alert" }, () => wrong()));
    }
  };
}

document.documentElement.dataset.look = "night";
await learn("kitchen");
document.title = t("title");
const isBoard = new URLSearchParams(location.search).has("board");
mount(document.getElementById("screen"), () => signedIn({ draw: screen, roles: ["kitchen", "manager"], pairs: isBoard ? "BOARD" : "KITCHEN" }));
