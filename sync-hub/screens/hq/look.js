// How head office's screen looks: by day, by night, or as the machine says. Kept on this device; never asked of the server.

import { choose } from "../kit/dialog.js";
import { recall, remember } from "../kit/keep.js";
import { effect, signal } from "../kit/view.js";
import { t } from "../kit/words.js";

const look = signal(recall("hq.look", ""));
effect(() => { const chosen = look(); if (chosen) document.documentElement.dataset.look = chosen; else delete document.documentElement.dataset.look; });

/** Asks how it shall look. */
export async function chooseLook() {
  const next = await choose(t("look"), ["", "day", "night"].map((value) => ({ value, label: t(`look.${value || "auto"}`) })));
  if (next === null) return;
  remember("hq.look", next || undefined);
  look.set(next);
}
