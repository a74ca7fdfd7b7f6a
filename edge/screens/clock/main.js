// The clock: a PIN, then what that person can punch now, then what was recorded. Never punches while the box is away: a punch has the box's time.

import { ask, user } from "../kit/session.js";
import { ApiError, Unreachable } from "../kit/api.js";
import { clock, day, duration, now, setClock, ticking } from "../kit/time.js";
import { follow, isAway } from "../kit/stream.js";
import { computed, h, mount, onEnd, signal } from "../kit/view.js";
import { lampsBar, status, troubles } from "../kit/connection.js";
import { LANGUAGES, choose, lang, learn, t, wordOf } from "../kit/words.js";
import { newId } from "../kit/ids.js";
import { pinPad, said } from "../kit/pin.js";
import { signedIn } from "../kit/signin.js";
import { rosterDialog } from "./roster.js";

/** @typedef {import("api").components["schemas"]["AttendanceLook"]} Look */

const zone = signal("Asia/Kolkata");
/** How long an answer stands, and how long somebody may think, in milliseconds. */
const ANSWER = 4_000, THINK = 20_000;

/** Who stands here, with the PIN until it was used. */
const here = signal(/** @type {{ look: Look, pin: string } | null} */ (null));
const answer = signal(/** @type {{ name: string, text: string, bad: boolean } | null} */ (null));
const trouble = signal("");
/** Until when nobody's PIN is taken here, by the box's clock. */
const lockedUntil = signal(0);
const busy = signal("");
let timer = 0;

function leave() { clearTimeout(timer); here.set(null); answer.set(null); busy.set(""); }

/** @param {unknown} error */
function refuse(error) {
  if (!(error instanceof ApiError)) { trouble.set(error instanceof Unreachable ? t("away.now") : String(error)); return; }
  if ((error.status === 429 || error.status === 423) && error.retryAfter > 0) { lockedUntil.set(now() + error.retryAfter * 1_000); trouble.set(""); return; }
  trouble.set(error.status === 401 || error.status === 403 || error.fields.some(({ name }) => name === "employeePin") ? t("wrong") : error.status === 409 ? t("changed") : t("refused", { why: said(error) }));
}

/** @param {string} pin */
async function enter(pin) {
  trouble.set("");
  try {
    const { data } = await ask("POST", "/attendance/look", { body: { employeePin: pin } });
    here.set({ look: data, pin });
    clearTimeout(timer);
    timer = setTimeout(leave, THINK);
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(".events button"))?.focus());
  } catch (error) { refuse(error); }
}

/** One touch is one punch: what was not answered is asked again under its key. @param {Look["possibleEvents"][number]} eventType */
async function punch(eventType) {
  const who = here.peek();
  if (!who || busy.peek()) return;
  clearTimeout(timer);
  busy.set(eventType);
  const key = newId();
  for (let tries = 0; ; tries += 1) {
    try {
      const { data } = await ask("POST", "/workforce/attendance", { body: { employeePin: who.pin, eventType }, key });
      const said = data.data ?? data;
      tell(said.employeeName, t("answer", { what: wordOf("did", said.eventType), time: clock(said.timestamp, zone.peek()), how: wordOf("status", said.status) }), false);
      return;
    } catch (error) {
      if (error instanceof Unreachable && tries < 2) continue;
      leave();
      refuse(error);
      return;
    }
  }
}

/** @param {string} name @param {string} text @param {boolean} bad */
function tell(name, text, bad) {
  leave();
  answer.set({ name, text, bad });
  timer = setTimeout(leave, ANSWER);
}

/** @param {{ look: Look }} who */
function person({ look }) {
  return h("section", { class: "who", "aria-labelledby": "who" },
    h("h2", { id: "who" }, h("bdi", {}, look.employeeName)),
    h("p", { class: "state" }, look.since ? t(`state.${look.state}`, { time: clock(look.since, zone.peek()) }) : t("state.OUT")),
    h("dl", {},
      h("div", {}, h("dt", {}, t("shift")), h("dd", {}, look.shift ? `${clock(look.shift.startsAt, zone.peek())}–${clock(look.shift.endsAt, zone.peek())}` : t("shift.none"))),
      h("div", {}, h("dt", {}, t("worked")), h("dd", {}, duration(look.workedMinutes))),
      h("div", {}, h("dt", {}, t("break")), h("dd", {}, duration(look.breakMinutes)))),
    h("div", { class: "events" }, ...look.possibleEvents.map((event) => h("button", { type: "button", class: `event ${event}`, disabled: () => busy() !== "", onclick: () => void punch(event) },
      () => (busy() === event ? t("busy") : wordOf("do", event))))),
    h("p", {}, h("button", { type: "button", class: "quiet", disabled: () => busy() !== "", onclick: leave }, t("not.me"))));
}

function screen() {
  const own = user.peek()?.outlets[0];
  ask("GET", `/outlets/${own?.id}`).then(({ data }) => zone.set(data.timezone), () => {});
  onEnd(follow(["status"], {
    async onReset() { const { data } = await ask("GET", "/status"); setClock(data.clock); status.set(data); },
    onEvent({ type, data }) { if (type === "status" && data) { setClock(data.clock); status.set(data); } },
  }));
  /** @param {KeyboardEvent} event */
  const escape = (event) => { if (event.key === "Escape" && !document.querySelector("dialog[open]")) leave(); };
  document.addEventListener("keydown", escape);
  onEnd(() => document.removeEventListener("keydown", escape));
  const isLocked = computed(() => lockedUntil() > ticking());
  return h("div", { class: "clock" },
    h("header", { class: "bar" }, h("span", {}, h("bdi", {}, own?.name ?? "")), h("span", { class: "gap" }), lampsBar(),
      h("label", { class: "language" }, h("span", { class: "spoken" }, t("language")), h("select", { onchange: (/** @type {any} */ event) => choose("clock", event.target.value) },
        ...Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code, selected: code === lang() }, name)))),
      h("button", { type: "button", onclick: () => void rosterDialog(zone.peek()) }, t("roster"))),
    troubles(zone(), t("away.punch")),
    h("main", {},
      h("h1", { class: "spoken" }, t("title")),
      h("p", { class: "time", "aria-hidden": "true" }, () => clock(ticking(), zone())),
      h("p", { class: "date" }, () => day(new Date(ticking()).toISOString(), zone())),
      () => { const said = answer(); return h("p", { class: "answer", role: "status", "aria-live": "assertive" }, said ? [h("bdi", {}, said.name), " – ", said.text] : ""); },
      () => {
        const who = here();
        if (answer()) return null;
        if (isAway()) return h("p", { class: "shut" }, t("away.shut"));
        if (who) return person(who);
        return isLocked() ? h("p", { class: "shut", role: "alert" }, () => t("locked", { time: clock(lockedUntil(), zone()) }))
          : pinPad({ enter, pause: 600 });
      },
      h("p", { class: "wrong", role: "alert" }, () => (isLocked() ? "" : trouble()))));
}

await learn("clock");
document.title = t("title");
mount(document.getElementById("screen"), () => signedIn({ draw: screen, roles: ["terminal", "manager"], pairs: "CLOCK" }));
