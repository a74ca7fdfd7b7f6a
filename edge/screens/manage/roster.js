// The week's roster: a grid of people and days, planned by keys, taps or dragging; what it costs and what the box warns of beside it. Nothing
// is shown to the staff before it is published.

import { all, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { draggable } from "../kit/drag.js";
import { duration } from "../kit/time.js";
import { said } from "../kit/pin.js";
import { choose, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, head, loaded, word } from "./parts.js";
import { cash, date, later, onCalendar as today, outlet, send } from "./store.js";
import { at, go } from "./route.js";
import { edit } from "./form.js";
import { beside, byPlace, costOfWeek, minutes, weekOf } from "./week.js";

/** @typedef {import("./week.js").Shift} Shift */
const KEYS = /** @type {Record<string, string>} */ ({ m: "MORNING", e: "EVENING", n: "NIGHT", o: "OFF" });

/** @param {string[]} parts */
export function draw([from = today()]) {
  const days = weekOf(/^\d{4}-\d\d-\d\d$/.test(from) ? from : today());
  return loaded(async () => {
    const [people, shifts] = await Promise.all([all("/employees", { status: "ACTIVE" }), all("/shifts", { from: days[0], to: days[6] })]);
    return { people, shifts };
  }, ({ people, shifts }, again) => week(days, people, shifts, again));
}

/** @param {string[]} days @param {any[]} people @param {Shift[]} first @param {() => void} again */
function week(days, people, first, again) {
  const shifts = signal(byPlace(first)), warnings = signal(/** @type {Map<string, string[]>} */ (new Map())), place = signal({ row: 0, day: 0 });
  /** @type {HTMLElement[][]} */
  const cells = people.map(() => []);
  const drafts = () => [...shifts().values()].filter(({ status }) => status === "DRAFT").length;

  /** @param {string} employee @param {any[]} [found] */
  const warn = (employee, found = []) => warnings.update((before) => new Map(before).set(employee, found.map(({ date: day, message }) => `${date(day)}: ${message}`)));
  /** @param {Shift | undefined} old @param {any} made */
  function put(old, made) {
    const next = new Map(shifts.peek());
    if (old) next.delete(`${old.employeeId} ${old.date}`);
    if (made) next.set(`${made.employeeId} ${made.date}`, made);
    shifts.set(next);
    if (made) warn(made.employeeId, made.warnings);
  }
  /** Plans what is told in a cell; null takes away. @param {any} who @param {string} day @param {any} plan */
  async function set(who, day, plan) {
    const old = shifts.peek().get(`${who.id} ${day}`);
    try {
      if (plan === null) { if (old) { await send("DELETE", `/shifts/${old.id}`, undefined, old.version); put(old, null); } return; }
      put(old, old ? await send("PATCH", `/shifts/${old.id}`, plan, old.version) : await send("POST", "/shifts", { employeeId: who.id, date: day, ...plan }));
    } catch (error) {
      toast(`${who.name}, ${date(day)}: ${said(error)}`, "bad");
    }
  }
  /** Moves a shift to another cell. @param {Shift} shift @param {any} who @param {string} day */
  async function move(shift, who, day) {
    if (shift.employeeId === who.id && shift.date === day) return;
    try {
      put(shift, await send("PATCH", `/shifts/${shift.id}`, { employeeId: who.id, date: day }, shift.version));
    } catch (error) {
      toast(`${who.name}, ${date(day)}: ${said(error)}`, "bad");
    }
  }

  /** @param {any} who @param {number} row @param {string} day @param {number} column */
  function cell(who, row, day, column) {
    const shift = () => shifts().get(`${who.id} ${day}`);
    const button = h("button", {
      type: "button", class: () => `shift ${shift()?.shiftType ?? "none"} ${shift()?.status ?? ""}`, tabindex: () => (place().row === row && place().day === column ? 0 : -1), "data-row": row, "data-day": column,
      onfocus: () => place.set({ row, day: column }), onclick: () => void ask1(who, day), onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const next = beside({ row, day: column }, event.key, people.length), kind = KEYS[event.key.toLowerCase()];
        if (next) cells[next.row][next.day].focus();
        else if (kind) void set(who, day, { shiftType: kind });
        else if (event.key === "Delete" || event.key === "Backspace") void set(who, day, null);
        else return;
        event.preventDefault();
      },
    }, h("span", { class: "spoken" }, t("roster.cell", { name: who.name, day: date(day) }), " ", () => (shift() ? "" : t("roster.free"))), () => (shift() ? [h("b", {}, word("shift", shift()?.shiftType)), shift()?.startTime ? h("small", {}, `${shift()?.startTime}–${shift()?.endTime}`) : null, shift()?.status === "DRAFT" ? h("small", { class: "draft" }, t("roster.draft")) : null] : h("span", { "aria-hidden": "true" }, "+")));
    cells[row][column] = button;
    draggable(button, {
      onMove: (dx, dy) => { if (shift()) button.style.transform = `translate(${dx}px, ${dy}px)`; },
      onCancel: () => { button.style.transform = ""; },
      onDrop: (_dx, _dy, { x, y }) => {
        button.style.transform = "";
        const moved = shift();
        const target = /** @type {HTMLElement | null} */ (document.elementsFromPoint(x, y).map((one) => one.closest("[data-day]")).find((one) => one && one !== button) ?? null);
        if (moved && target) void move(moved, people[Number(target.dataset.row)], days[Number(target.dataset.day)]);
      },
    });
    button.style.touchAction = "pan-x pan-y";
    return h("td", { role: "gridcell" }, button);
  }

  /** What a tap on a cell asks. @param {any} who @param {string} day */
  async function ask1(who, day) {
    const old = shifts.peek().get(`${who.id} ${day}`);
    const kind = await choose(`${who.name} · ${date(day)}`, [...["MORNING", "EVENING", "NIGHT", "OFF"].map((value) => ({ value, label: word("shift", value) })), { value: "TIMES", label: t("roster.times") }, ...(old ? [{ value: "MOVE", label: t("roster.move") }, { value: "NONE", label: t("remove") }] : [])]);
    if (kind === "NONE") await set(who, day, null);
    else if (kind === "MOVE" && old) {
      const to = await choose(t("roster.move"), people.flatMap((one) => days.filter((other) => !shifts.peek().has(`${one.id} ${other}`)).map((other) => ({ value: { one, other }, label: one.name, hint: date(other) }))));
      if (to) await move(old, to.one, to.other);
    } else if (kind === "TIMES") {
      await edit(t("roster.times"), { fields: [{ name: "shiftType", kind: "choice", need: true, values: ["MORNING", "EVENING", "NIGHT"], words: "shift", fresh: () => old?.shiftType ?? "MORNING" }, { name: "startTime", kind: "time", need: true, fresh: () => old?.startTime }, { name: "endTime", kind: "time", need: true, fresh: () => old?.endTime }, { name: "station" }, { name: "notes" }], save: async (typed) => { await set(who, day, typed); return true; } });
    } else if (kind) await set(who, day, { shiftType: kind });
  }

  const worked = (/** @type {any} */ who) => days.reduce((sum, day) => { const shift = shifts().get(`${who.id} ${day}`); return sum + (shift ? minutes(shift) : 0); }, 0);
  const cost = (/** @type {any} */ who) => costOfWeek(who, days.map((day) => { const shift = shifts().get(`${who.id} ${day}`); return /** @type {[string, number]} */ ([day, shift ? minutes(shift) : 0]); }), outlet()?.overtime);
  const total = () => people.reduce((sum, who) => sum + cost(who), 0);
  return [
    head(t("section.roster"),
      act(t("roster.copy"), async () => {
        const { copied, skipped, warnings: found } = await send("POST", "/shifts/copy-week", { fromWeekStart: later(days[0], -7), toWeekStart: days[0] });
        toast(t("roster.copied", { n: copied, skipped: skipped.length }));
        for (const one of found.slice(0, 3)) toast(one.message, "bad");
        again();
      }, { sure: t("roster.copy.sure") }),
      act(t("roster.publish"), async () => { const { published, employees } = await send("POST", "/shifts/publish", { from: days[0], to: days[6] }); toast(t("roster.published", { n: published, people: employees })); again(); }, { class: "main" })),
    h("div", { class: "filters" }, h("button", { type: "button", onclick: () => go("roster", later(days[0], -7)) }, t("roster.before")), h("b", {}, `${date(days[0])} – ${date(days[6])}`), h("button", { type: "button", onclick: () => go("roster", later(days[0], 7)) }, t("roster.after")), h("a", { class: "button", href: at("roster", today()) }, t("roster.now"))),
    h("p", { class: "hint" }, t("roster.text")),
    h("p", { role: "status" }, () => t("roster.sum", { cost: may("employees:read") ? cash(total()) : "–", drafts: drafts() })),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("section.roster") }, h("table", { class: "week", role: "grid" }, h("caption", { class: "spoken" }, t("section.roster")),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("f.employeeName")), ...days.map((day) => h("th", { scope: "col", "aria-current": day === today() ? "date" : null }, date(day))), h("th", { scope: "col" }, t("roster.hours")))),
      h("tbody", {}, ...people.map((who, row) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, who.name), h("small", {}, h("bdi", {}, who.jobTitle))), ...days.map((day, column) => cell(who, row, day, column)),
        h("td", { role: "gridcell", class: "sum" }, () => duration(worked(who)), h("small", {}, () => cash(cost(who))), () => (warnings().get(who.id) ?? []).map((text) => h("small", { class: "warn" }, `▲ ${text}`)))))))),
  ];
}
