// The four lamps: this screen, the box, the internet, head office. Silent when all is well; otherwise they say what fails, and each screen
// beside them what still works. Never a guess: a lamp whose state is not known is not lit.

import { h, effect, signal } from "./view.js";
import { isAway, lastHeard } from "./stream.js";
import { clock } from "./time.js";
import { t } from "./words.js";

/** What the box last said of itself: `GET /status`. */
export const status = signal(/** @type {any} */ (null));
/** Whether this screen can keep what is typed. */
export const keeps = signal(true);

try { localStorage.setItem("tiffin.try", "1"); localStorage.removeItem("tiffin.try"); } catch { keeps.set(false); }

/** @typedef {"good" | "bad" | "unknown"} Lit */

/** How each lamp is lit. @returns {{ screen: Lit, box: Lit, internet: Lit, office: Lit }} */
export function lamps() {
  const away = isAway(), sync = status()?.sync;
  /** @param {boolean | null | undefined} is @returns {Lit} */
  const lit = (is) => (away || is === null || is === undefined ? "unknown" : is ? "good" : "bad");
  return {
    screen: keeps() ? "good" : "bad",
    box: away ? "bad" : lastHeard() ? "good" : "unknown",
    internet: sync?.enrolled ? lit(sync.internetReachable) : "unknown",
    office: sync?.enrolled ? lit(sync.hubReachable) : "unknown",
  };
}

/** The sign of a lamp: its shape tells as much as its colour. @param {Lit} lit */
const sign = (lit) => (lit === "good" ? "●" : lit === "bad" ? "✕" : "○");

/** The lamps as they stand in a bar. */
export function lampsBar() {
  return h("ul", { class: "lamps", "aria-label": t("lamps") }, ...(/** @type {const} */ (["screen", "box", "internet", "office"])).map((name) =>
    h("li", { class: () => `lamp ${lamps()[name]}`, hidden: () => (name === "internet" || name === "office") && status()?.sync?.enrolled !== true },
      h("span", { "aria-hidden": "true" }, () => sign(lamps()[name])), " ", t(`lamp.${name}`),
      h("span", { class: "spoken" }, () => ` ${t(`lit.${lamps()[name]}`)}`))));
}

/**
 * What fails now, across the page; nothing while all is well. `works` says what still works without the box.
 * @param {string} zone @param {string} works
 */
export function troubles(zone, works) {
  return h("div", { class: "troubles", role: "status", "aria-live": "polite" },
    () => isAway() && h("p", { class: "bad" }, h("b", {}, t("box.away")), " ", lastHeard() ? t("box.lastHeard", { time: clock(lastHeard(), zone) }) : "", " ", works),
    () => !keeps() && h("p", { class: "bad" }, t("screen.keepsNothing")),
    () => status()?.clockDoubt && h("p", { class: "bad" }, t("clock.wrong")),
    () => ["FENCED", "REVOKED", "FORK"].includes(status()?.sync?.standing) && h("p", { class: "bad" }, t("box.notTheBranchs")),
    () => ["RESTORING", "RECOVERING"].includes(status()?.sync?.standing) && h("p", { class: "warn" }, t("box.filling")),
    () => !isAway() && status()?.sync?.enrolled && status().sync.hubReachable === false && h("p", { class: "warn" }, t("office.away")));
}

/** Runs `work` whenever the box is back. @param {() => void} work */
export function onBack(work) {
  let was = isAway.peek();
  return effect(() => { const is = isAway(); if (was && !is) work(); was = is; });
}
