// Who stands at the till: the pad that hands it over, the lock when nobody has, and the lock after nobody touched it. Never takes anything
// away that was typed: what is drawn beneath stays as it is.

import { ApiError } from "../kit/api.js";
import { show } from "../kit/dialog.js";
import { pinPad, said } from "../kit/pin.js";
import { enterPin, leavePin, may, person, user } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { computed, effect, h, mount, onEnd, signal, untrack } from "../kit/view.js";
import { t } from "../kit/words.js";
import { outlet, till } from "./store.js";

/** Why a PIN is asked for; null while somebody is there. */
export const locked = signal(/** @type {"nobody" | "ended" | "idle" | null} */ (null));

/** A switch that was wanted is no turn that ended. */
let wanted = false;

/** A pad that takes four digits by themselves where PINs have four here; after a wrong try it waits for Enter, for some are longer. @param {() => void} [done] */
function pad(done) {
  const short = signal(outlet.peek()?.approverPinMinDigits === 4), wrong = signal("");
  return [
    () => pinPad({
      digits: short() ? 4 : undefined,
      enter: async (pin) => {
        wrong.set("");
        try { await enterPin(pin); } catch (error) {
          if (error instanceof ApiError && error.status === 401) short.set(false);
          wrong.set(error instanceof ApiError && error.code === "ERR_INVALID_PIN" ? t("pin.wrong") : said(error));
          return;
        }
        locked.set(null);
        done?.();
      },
    }),
    h("p", { class: "wrong", role: "alert" }, () => wrong()),
  ];
}

/** Hands the till to somebody else: a pad at once, the lock and one's own checkout beside it. Answers whether it was handed over. @param {string} [why] @param {string} [left] what is left undone */
export async function switchPerson(why, left) {
  const ends = !why && may("orders:read") && (person.peek()?.id ?? user.peek()?.employeeId);
  return (await show(t("switch"), (close) => [
    why ? h("p", {}, why) : null, left ? h("p", { class: "warn" }, left) : null, ...pad(() => close(true)),
    why ? null : h("div", { class: "acts" }, ends ? h("button", { type: "button", onclick: () => { close(null); void import("./checkout.js").then((part) => part.checkout()); } }, t("checkout")) : null, h("button", { type: "button", onclick: () => { close(null); void lockNow(); } }, t("lock"))),
  ])) === true;
}

/** Nobody's till now, until somebody enters a PIN. */
export async function lockNow() {
  wanted = true;
  locked.set("nobody");
  await leavePin();
  wanted = false;
}

/** Watches who is there, and draws the lock over everything while nobody is. */
export function lock() {
  let before = person.peek();
  effect(() => {
    const now = person();
    if (before && !now && !wanted) locked.set("ended");
    else if (!now && user()?.kind === "DEVICE" && !locked.peek()) locked.set("nobody");
    before = now;
  });
  watchIdle();
  // How long a PIN is here is known with the outlet: a pad that is drawn anew would lose its digits.
  const known = computed(() => outlet() !== null);
  return () => {
    const why = locked();
    if (!why) return null;
    const box = /** @type {HTMLDialogElement} */ (h("dialog", { class: "lock", closedby: "none", "aria-labelledby": "lock-title" }));
    const end = untrack(() => mount(box, () => [
      h("h1", { id: "lock-title" }, t(`lock.${why}`)),
      h("p", { class: "hint" }, () => (isAway() ? t("lock.away") : t("lock.how", { till: outlet()?.name ?? "" }))),
      () => (isAway() ? null : known() ? h("div", {}, ...pad()) : h("p", { role: "status" }, t("loading"))),
    ]));
    box.addEventListener("cancel", (event) => event.preventDefault());
    box.addEventListener("close", () => { if (box.isConnected && locked.peek()) box.showModal(); });
    onEnd(end);
    queueMicrotask(() => { if (box.isConnected) box.showModal(); });
    return box;
  };
}

/** Locks after the outlet's time without a touch or a key; never while the box is away, for no PIN opens then. */
function watchIdle() {
  let last = Date.now();
  const touched = () => { last = Date.now(); };
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, touched, true);
  const timer = setInterval(() => {
    const seconds = Number(till().idleLockSeconds ?? 0);
    if (!seconds || locked.peek() || isAway.peek() || Date.now() - last < seconds * 1_000) return;
    void lockNow().then(() => { if (locked.peek()) locked.set("idle"); });
  }, 1_000);
  onEnd(() => { clearInterval(timer); for (const kind of ["pointerdown", "keydown"]) document.removeEventListener(kind, touched, true); });
}
