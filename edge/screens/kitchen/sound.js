// Tones of a display, and the flash of its frame. A browser plays nothing before it was touched: `isMute` says so until then. Never a file.

import { h, signal } from "../kit/view.js";
import { recall, remember } from "../kit/keep.js";
import { t } from "../kit/words.js";

/** Whether nothing would be heard now. */
export const isMute = signal(true);
/** Whether somebody wants to hear anything here. */
export const isWanted = signal(recall("kitchen.sound", true));
/** Which frame flashes now, and a number that grows with each flash. */
export const flash = signal(/** @type {{ kind: string, n: number }} */ ({ kind: "", n: 0 }));

/** Frequencies and their beginnings in seconds. @type {Record<string, [number, number][]>} */
const TUNES = {
  new: [[880, 0], [1320, .16]],
  changed: [[660, 0], [660, .2], [440, .4]],
  late: [[392, 0], [392, .3]],
  away: [[220, 0], [196, .35]],
};

/** @type {AudioContext | null} */
let context = null;

/** Tries to have a voice; a touch gives it one. */
export async function wake() {
  try {
    context ??= new AudioContext();
    context.onstatechange = () => isMute.set(context?.state !== "running");
    isMute.set(context.state !== "running");
    await context.resume();
    isMute.set(context.state !== "running");
  } catch { isMute.set(true); }
}

/** @param {boolean} wanted */
export function want(wanted) { isWanted.set(wanted); remember("kitchen.sound", wanted); }

/** Tells by a tone and by the frame. @param {"new" | "changed" | "late" | "away"} kind */
export function tell(kind) {
  flash.set({ kind, n: flash.peek().n + 1 });
  if (!context || context.state !== "running" || !isWanted.peek()) return;
  for (const [frequency, begins] of TUNES[kind]) {
    const voice = context.createOscillator(), loud = context.createGain(), at = context.currentTime + begins;
    voice.type = "triangle";
    voice.frequency.value = frequency;
    loud.gain.setValueAtTime(0, at);
    loud.gain.linearRampToValueAtTime(.5, at + .02);
    loud.gain.exponentialRampToValueAtTime(.001, at + .3);
    voice.connect(loud).connect(context.destination);
    voice.start(at);
    voice.stop(at + .32);
  }
}

/** Across the display while nothing would be heard: a touch gives it a voice. */
export const muteBar = () => () => isMute() && isWanted() && h("button", { type: "button", class: "mute", onclick: () => void wake() }, t("mute"));

/** The frame that flashes with each tone. */
export const frame = () => () => flash().n > 0 && h("div", { class: `flash ${flash().kind}`, "aria-hidden": "true", "data-n": flash().n });
