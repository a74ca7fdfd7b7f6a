// The people: who works here, leave, swaps, attendance and timesheets. Never shows a wage to whom it is denied: what the box refuses is not there.

import { ask, may } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { h, signal } from "../kit/view.js";
import { duration, now } from "../kit/time.js";
import { confirm, show, toast } from "../kit/dialog.js";
import { said } from "../kit/pin.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, tabs, word } from "./parts.js";
import { cash, date, from, later, send, today, when, zone } from "./store.js";
import { edit } from "./form.js";
import { listed, table } from "./list.js";
import { period } from "./period.js";
import { momentOf, onWall } from "./zones.js";
import { resource } from "./resource.js";
import { byDay, payroll, sheets } from "./payroll.js";
import { employees, person } from "./person.js";
import { end, swaps } from "./swaps.js";

/** @param {string[]} parts */
export function draw([tab = "", id = ""]) {
  const names = [...(may("employees:read") ? ["staff"] : []), ...(may("leave:approve") ? ["leave"] : []), ...(may("roster:write") ? ["swaps"] : []), ...(may("attendance:read") ? ["attendance", "timesheets", "payroll"] : []), ...(may("roster:write") ? ["holidays"] : [])];
  const shown = names.includes(tab) ? tab : names[0];
  if (shown === "staff" && id) return person(id);
  return [head(t("section.people")), tabs("people", names, shown), /** @type {Record<string, () => any>} */ ({ staff: () => resource(employees()), leave, swaps, attendance: () => attendance(id === "review"), timesheets, payroll: () => payroll(id), holidays })[shown]()];
}

function leave() {
  let again = () => {};
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.leave")), h("button", { type: "button", class: "main", onclick: async () => {
      const made = await edit(t("leave.add"), { fields: [{ name: "employeeId", kind: "choice", need: true, choices: from("/employees") }, { name: "leaveType", kind: "choice", need: true, values: ["ANNUAL", "SICK", "CASUAL", "UNPAID", "OTHER"], words: "leave" }, { name: "fromDate", kind: "date", need: true }, { name: "toDate", kind: "date", need: true }, { name: "halfDay", kind: "tick" }, { name: "reason", need: true, wide: true }],
        save: (typed) => send("POST", "/leave-requests", typed) });
      if (made) { toast(t("saved")); again(); }
    } }, t("leave.add"))),
    listed({ path: "/leave-requests", caption: t("tab.leave"), onto: (reload) => { again = reload; }, filters: [{ name: "status", values: ["PENDING", "APPROVED", "REJECTED", "CANCELLED"], words: "decided" }],
      columns: [{ name: "employeeName" }, { name: "leaveType", kind: "word", words: "leave" }, { name: "fromDate", kind: "date" }, { name: "toDate", kind: "date" }, { name: "days", kind: "number" }, { name: "reason" }, { name: "status", kind: "badge", words: "decided" }],
      acts: (row, reload) => (row.status === "PENDING" ? [
        end("reject", `/leave-requests/${row.id}/reject`, reload, row.employeeName),
        act(t("approve"), async () => { await approve(row.id); reload(); }, { class: "main", done: t("saved"), spoken: `${t("approve")}: ${row.employeeName}` }),
      ] : row.status === "APPROVED" ? end("cancel", `/leave-requests/${row.id}/cancel`, reload, row.employeeName) : null) }),
  ];
}

/** More than is left, or days that were worked, are granted only by who says so. @param {string} id */
async function approve(id) {
  const grant = (/** @type {object} */ how) => send("POST", `/leave-requests/${id}/approve`, how);
  try {
    await grant({});
  } catch (error) {
    const mayForce = error instanceof ApiError && error.fields.some(({ name }) => name === "force");
    if (!mayForce || !(await confirm(t("approve"), said(error), t("approve.force")))) throw error;
    await grant({ force: true });
  }
}

const EVENTS = ["CLOCK_IN", "BREAK_START", "BREAK_END", "CLOCK_OUT"];

/** @param {boolean} review */
function attendance(review) {
  let again = () => {};
  const corrects = may("attendance:correct");
  return [
    loaded(async () => (await ask("GET", "/attendance/present", { query: { limit: 100 } })).data, (rows) => h("section", { class: "card" }, h("h2", {}, t("today.staff")), rows.length === 0 ? h("p", { class: "hint" }, t("present.none")) :
      h("ul", { class: "plain" }, ...rows.map((/** @type {any} */ one) => h("li", {}, h("bdi", {}, one.employeeName), h("small", {}, t("since", { time: when(one.since) }), one.onBreakSince ? ` · ${t("state.ON_BREAK")}` : "")))))),
    h("header", { class: "sub" }, h("h2", {}, t("tab.attendance")), corrects ? h("button", { type: "button", class: "main", onclick: async () => { if (await punch({})) again(); } }, t("punch.add")) : null),
    listed({ path: "/attendance", caption: t("tab.attendance"), onto: (reload) => { again = reload; }, query: review ? { needsReview: true } : {},
      filters: [{ name: "employeeId", choices: from("/employees") }, { name: "needsReview", kind: "tick" }, { name: "from", kind: "date", ...(review ? {} : { start: later(today(), -6) }) }, { name: "to", kind: "date" }],
      columns: [{ name: "employeeName" }, { name: "eventType", kind: "word", words: "punch" }, { name: "timestamp", kind: "moment" }, { name: "status", kind: "badge", words: "time" }, { name: "needsReview", draw: (row) => [row.needsReview ? badge("review", "REVIEW") : null, row.isCorrected ? h("small", {}, t("punch.corrected")) : null, row.clockSuspect ? h("small", { class: "bad" }, t("punch.suspect")) : null] }],
      open: (row) => () => void punchOf(row),
      ...(corrects ? { acts: (row, reload) => [
        row.needsReview ? h("button", { type: "button", class: "main", "aria-label": `${t("punch.out")}: ${row.employeeName}`, onclick: async () => { if (await punch({ employeeId: row.employeeId, eventType: "CLOCK_OUT" })) reload(); } }, t("punch.out")) : null,
        h("button", { type: "button", "aria-label": `${t("order.correct")}: ${row.employeeName}`, onclick: async () => {
          const done = await edit(t("punch.correct"), { fields: [{ name: "newTime", kind: "moment", need: true, fresh: () => onWall(Date.parse(row.timestamp), zone()) }, { name: "reason", need: true }], save: ({ newTime, reason }) => send("POST", `/attendance/${row.id}/corrections`, { newTime: momentOf(newTime, zone()), reason }) });
          if (done) { toast(t("saved")); reload(); }
        } }, t("order.correct"))] } : {}) }),
  ];
}

/** A punch with what was corrected of it. @param {any} row */
function punchOf(row) {
  return show(row.employeeName, () => loaded(async () => (await ask("GET", `/attendance/${row.id}`)).data, (punch) => [
    facts([[t("f.eventType"), word("punch", punch.eventType)], [t("f.timestamp"), when(punch.timestamp)], [t("punch.raw"), when(punch.recordedAt)], [t("f.businessDate"), date(punch.businessDate)], [t("f.status"), badge("time", punch.status)], [t("punch.manual"), punch.isManual ? t("yes") : null], [t("punch.suspect"), punch.clockSuspect ? t("yes") : null]]),
    table({ caption: t("punch.corrections"), rows: punch.corrections, empty: t("punch.untouched"), columns: [{ name: "oldTime", kind: "moment" }, { name: "newTime", kind: "moment" }, { name: "reason" }, { name: "byName", label: t("f.by") }, { name: "approverName" }, { name: "at", kind: "moment" }] }),
  ]), { wide: true });
}

/** Adds a punch that somebody forgot. @param {any} known */
async function punch(known) {
  const done = await edit(t("punch.add"), {
    fields: [{ name: "employeeId", kind: "choice", need: true, choices: from("/employees"), fresh: () => known.employeeId }, { name: "eventType", kind: "choice", need: true, values: EVENTS, words: "punch", fresh: () => known.eventType ?? "CLOCK_IN" }, { name: "time", kind: "moment", need: true, fresh: () => onWall(now(), zone()) }, { name: "reason", need: true }],
    save: ({ time, ...typed }) => send("POST", "/attendance/corrections", { ...typed, time: momentOf(time, zone()) }),
  });
  if (done) toast(t("saved"));
  return done;
}

/** Of when timesheets are looked at: the last full week and this one at first. */
const span = signal(/** @type {import("./period.js").Span} */ ({ from: "", to: "" }));

/** What everybody worked. */
function timesheets() {
  if (!span.peek().from) span.set({ from: later(today(), -13), to: today() });
  return [h("div", { class: "filters" }, period(span)), () => [h("div", { class: "acts start" }, sheets(span())), worked(span())]];
}

/** @param {import("./period.js").Span} of */
function worked(of) {
  const columns = /** @type {import("./list.js").Column[]} */ ([
    ...["scheduledMinutes", "workedMinutes", "breakMinutes", "lateMinutes", "overtimeMinutes"].map((name) => ({ name, kind: "number", draw: (/** @type {any} */ row) => duration((row.totals ?? row)[name]) })), { name: "costCents", kind: "money", draw: (row) => cash((row.totals ?? row).costCents) }]);
  return loaded(async () => (await ask("GET", "/attendance/timesheets", { query: of })).data, (said) => [
    h("p", { class: "hint" }, t("timesheets.of", { from: date(of.from), to: date(of.to) })),
    table({ caption: t("tab.timesheets"), rows: said.employees, totals: { employeeName: t("total"), ...said.totals }, open: (row) => () => void show(row.employeeName, () => byDay(row.employeeName, row), { wide: true }),
      columns: [{ name: "employeeName" }, ...columns, { name: "needsReview", draw: (row) => (row.totals?.needsReview ? badge("review", "REVIEW") : "–") }] }),
  ]);
}

/** Days on which nobody has to work. */
function holidays() {
  let again = () => {};
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.holidays")), h("button", { type: "button", class: "main", onclick: async () => {
      if (await edit(t("holidays.add"), { fields: [{ name: "date", kind: "date", need: true }, { name: "name", need: true }], save: (typed) => send("POST", "/holidays", typed) })) { toast(t("saved")); again(); }
    } }, t("holidays.add"))),
    h("p", { class: "hint" }, t("holidays.text")),
    listed({ path: "/holidays", caption: t("tab.holidays"), query: { from: `${today().slice(0, 4)}-01-01` }, onto: (reload) => { again = reload; }, columns: [{ name: "date", kind: "date" }, { name: "name" }],
      acts: (row, reload) => [act(t("remove"), async () => { await send("DELETE", `/holidays/${row.id}`); reload(); }, { bad: true, class: "quiet", sure: t("holidays.sure", { name: row.name }), spoken: `${t("remove")}: ${row.name}` })] }),
  ];
}
