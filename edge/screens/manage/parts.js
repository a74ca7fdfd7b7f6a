// Parts that sections are made of: what is being read, a button that acts, tabs, a head. Never a figure of their own.

import { isPassing } from "../kit/api.js";
import { confirm, toast } from "../kit/dialog.js";
import { redraw, released } from "../kit/redraw.js";
import { h, onEnd, signal, untrack } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { t, has } from "../kit/words.js";
import { at } from "./route.js";

/** @typedef {import("../kit/view.js").Child} Child */

/** How long what could not be read is left alone, in milliseconds. */
const AGAIN = 3_000;

/** What was read, without the moment of the answer. @param {unknown} value */
const content = (value) => JSON.stringify(value, (key, one) => (key === "generatedAt" ? undefined : one));

/**
 * What is read from the server, then drawn. `again` reads it anew; what is shown stays until another answer is there, and under a finger.
 * @template T @param {() => Promise<T>} read @param {(value: T, again: () => void) => Child} draw @param {() => unknown} [follows] a signal that asks for it anew
 * @param {T | null} [first] what is shown until there is an answer
 */
export function loaded(read, draw, follows, first) {
  const shown = signal(/** @type {{ value: T } | null} */ (first ? { value: first } : null)), wrong = signal("");
  let round = 0, gone = false, timer = 0;
  onEnd(() => { gone = true; clearTimeout(timer); });
  async function again(quiet = false) {
    const mine = (round += 1);
    clearTimeout(timer);
    try {
      const value = await read();
      await released();
      if (gone || mine !== round) return;
      wrong.set("");
      const before = shown.peek();
      if (quiet && before && content(before.value) === content(value)) return;
      redraw(() => shown.set({ value }));
    } catch (error) {
      if (gone || mine !== round) return;
      wrong.set(said(error));
      // The box comes back by itself, and so does what it says.
      if (isPassing(error)) timer = setTimeout(() => void again(true), AGAIN);
    }
  }
  void again();
  return [
    // Many changes in a row are one reading.
    follows ? () => { follows(); if (untrack(shown)) { clearTimeout(timer); timer = setTimeout(() => void again(true), 1_000); } return null; } : null,
    () => (wrong() ? h("p", { class: "bad", role: "alert" }, wrong(), " ", h("button", { type: "button", onclick: () => void again() }, t("retry"))) : null),
    () => { const now = shown(); return now ? draw(now.value, () => void again()) : wrong() ? null : h("p", { role: "status", class: "hint" }, t("loading")); },
  ];
}

/**
 * A button that does something, once at a time; a refusal is said at the foot of the page.
 * @param {string} label @param {() => Promise<unknown>} work @param {{ class?: string, sure?: string, bad?: boolean, done?: string, hidden?: boolean, spoken?: string }} [look] `sure`: is asked before
 */
export function act(label, work, look = {}) {
  const busy = signal(false);
  return h("button", {
    type: "button", class: look.class ?? null, disabled: busy, "aria-busy": () => (busy() ? "true" : null), hidden: look.hidden, "aria-label": look.spoken ?? null,
    async onclick() {
      if (busy.peek()) return;
      if (look.sure && !(await confirm(label, look.sure, label, look.bad ? { bad: true } : {}))) return;
      busy.set(true);
      try {
        await work();
        if (look.done) toast(look.done);
      } catch (error) {
        toast(said(error), "bad");
      } finally {
        busy.set(false);
      }
    },
  }, label);
}

/** The head of a page with what can be done there. @param {string} title @param {...Child} acts */
export function head(title, ...acts) {
  return h("header", { class: "head" }, h("h1", { tabindex: "-1" }, h("bdi", {}, title)), h("div", { class: "acts" }, ...acts));
}

/** Tabs of a section, as links: each has its own address. @param {string} section @param {string[]} names @param {string} now */
export function tabs(section, names, now) {
  return names.length < 2 ? null : h("nav", { class: "tabs", "aria-label": t(`section.${section}`) }, ...names.map((name) =>
    h("a", { href: at(section, name), "aria-current": name === now ? "page" : null }, t(`tab.${name}`))));
}

/** A value of a kind, such as a status, in words. @param {string} kind @param {string | null | undefined} value */
export function word(kind, value) {
  if (value === null || value === undefined) return "–";
  return has(`${kind}.${value}`) ? t(`${kind}.${value}`) : String(value).replaceAll("_", " ").toLowerCase();
}

/** A value with a sign of its own. @param {string} kind @param {string | null | undefined} value */
export function badge(kind, value) {
  const look = /CANCEL|REJECT|FAIL|OVERDUE|LATE|OUT|SHORT|URGENT|EXPIRED|ABSENT/.test(value ?? "") ? "bad"
    : kind === "swap" && value === "ACCEPTED" || /PENDING|DRAFT|OPEN|PARTIAL|LOW|WAIT|REQUEST|REVIEW|LIMITED|ASKED/.test(value ?? "") ? "warn" : "good";
  return h("span", { class: `badge ${look}` }, word(kind, value));
}

/** A list of facts: names and values. @param {[string, Child][]} pairs */
export function facts(pairs) {
  return h("dl", { class: "facts" }, ...pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, h("bdi", {}, value)))));
}

/** A large figure with its name. @param {string} name @param {Child} value @param {Child} [note] */
export function figure(name, value, note) {
  return h("div", { class: "figure" }, h("span", { class: "name" }, name), h("b", {}, value), note ? h("small", {}, note) : null);
}
