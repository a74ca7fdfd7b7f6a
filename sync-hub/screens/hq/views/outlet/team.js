// Who works at an outlet and when, what everybody worked, and what is left of their leave, by the branch's own rows. Never changes any of it.

import { may } from "../../../kit/session.js";
import { dateOf, day } from "../../../kit/time.js";
import { h, signal } from "../../../kit/view.js";
import { locale, t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { daysBefore, hours } from "../../model.js";
import { amount, figure, label, loaded, mark, number, table, word } from "../../parts.js";

/** @typedef {import("../../model.js").Outlet} Outlet */

/** The name of a weekday with its day of the month. @param {string} date */
function dayName(date) { return new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", timeZone: "UTC" }).format(new Date(`${date}T00:00Z`)); }

/** The Monday of the week of a date. @param {string} date */
function mondayOf(date) { return daysBefore(date, (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7); }

/** One shift in a cell. @param {any} shift */
function shiftOf(shift) {
  const hoursOf = shift.startTime ? `${shift.startTime}–${shift.endTime}` : word(shift.shiftType);
  return h("div", { class: `shift ${shift.status === "DRAFT" ? "draft" : ""}` }, h("span", {}, hoursOf), shift.startTime ? h("small", {}, word(shift.shiftType), shift.status === "DRAFT" ? ` · ${word("DRAFT")}` : "") : null);
}

/** @param {Outlet} outlet @param {string} today */
function roster(outlet, today) {
  const from = signal(mondayOf(today));
  const to = () => daysBefore(from(), -6);
  return [
    h("header", { class: "section" }, h("h2", {}, t("record.shifts")), h("span", { class: "weeks" },
      h("button", { type: "button", onclick: () => from.update((date) => daysBefore(date, 7)) }, h("span", { "aria-hidden": "true" }, "‹ "), t("week.before")),
      h("strong", { role: "status" }, () => `${day(from(), "UTC")} – ${day(to(), "UTC")}`),
      h("button", { type: "button", onclick: () => from.update((date) => daysBefore(date, -7)) }, t("week.after"), h("span", { "aria-hidden": "true" }, " ›")))),
    loaded(() => ofOutlet(outlet.id, "/workforce/roster", { startDate: from(), endDate: to() }), ({ data }) => {
      const days = Array.from({ length: 7 }, (_, n) => daysBefore(data.startDate, -n));
      return h("div", { class: "roster" }, table(t("record.shifts"), [
        { label: t("f.employeeName"), head: true, cell: (row) => [h("bdi", {}, row.employeeName), h("small", {}, h("bdi", {}, row.role))] },
        ...days.map((date) => ({ label: dayName(date), cell: (/** @type {any} */ row) => { const shifts = row.shifts.filter((/** @type {any} */ shift) => shift.date === date); return shifts.length ? shifts.map(shiftOf) : h("span", { class: "hint" }, "–"); } })),
      ], data.matrix));
    }).node,
  ];
}

/** The fields of a span of days. @param {{ peek: () => { from: string, to: string }, set: (span: { from: string, to: string }) => void }} span */
export function spanFields(span) {
  return h("form", { class: "row", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); const given = new FormData(/** @type {HTMLFormElement} */ (event.target)); span.set({ from: String(given.get("from")), to: String(given.get("to")) }); } },
    h("label", {}, t("f.from"), h("input", { type: "date", name: "from", required: true, value: span.peek().from })), h("label", {}, t("f.to"), h("input", { type: "date", name: "to", required: true, value: span.peek().to })), h("button", {}, t("show")));
}

/** @param {Outlet} outlet @param {string} today */
function timesheets(outlet, today) {
  const span = signal({ from: `${today.slice(0, 8)}01`, to: today });
  return [h("h2", {}, t("team.timesheets")), spanFields(span), loaded(() => ofOutlet(outlet.id, "/attendance/timesheets", span()), ({ data }) => [
    h("div", { class: "figures" }, figure(label("workedMinutes"), hours(data.totals.workedMinutes), t("team.planned", { hours: hours(data.totals.scheduledMinutes) })), figure(label("overtimeMinutes"), hours(data.totals.overtimeMinutes)), figure(label("lateMinutes"), hours(data.totals.lateMinutes)), figure(label("costCents"), amount(data.totals.costCents, outlet.currency))),
    table(t("team.timesheets"), [
      { label: t("f.employeeName"), head: true, cell: (row) => h("bdi", {}, row.employeeName) },
      ...["scheduledMinutes", "workedMinutes", "breakMinutes", "overtimeMinutes", "lateMinutes"].map((name) => ({ label: label(name), number: true, cell: (/** @type {any} */ row) => hours(row.totals[name]) })),
      { label: label("costCents"), number: true, cell: (row) => amount(row.totals.costCents, outlet.currency) },
      { label: t("f.status"), cell: (row) => (row.totals.needsReview ? mark(label("needsReview"), "warn") : "–") },
    ], data.employees),
  ]).node];
}

/** @param {Outlet} outlet @param {string} today */
function leave(outlet, today) {
  const who = signal("");
  return loaded(() => ofOutlet(outlet.id, "/employees", { limit: 100 }), ({ data }) => data.length > 0 && [
    h("h2", {}, t("team.leave")),
    h("div", { class: "choose" }, h("label", {}, t("f.employeeName"), h("select", { onchange: (/** @type {Event} */ event) => who.set(/** @type {HTMLSelectElement} */ (event.target).value) }, ...data.map((/** @type {any} */ one) => h("option", { value: one.id }, one.name))))),
    loaded(() => ofOutlet(outlet.id, "/leave-requests/balances", { employeeId: who() || data[0].id, year: today.slice(0, 4) }), (answer) => table(t("team.leave"), [
      { label: t("f.leaveType"), head: true, cell: (row) => word(row.leaveType) },
      ...["entitledDays", "usedDays", "pendingDays", "remainingDays"].map((name) => ({ label: label(name), number: true, cell: (/** @type {any} */ row) => number(row[name]) })),
    ], answer.data.balances)).node,
  ]).node;
}

/** @param {Outlet} outlet */
export function view(outlet) {
  const today = dateOf(Date.now(), outlet.timezone);
  return [roster(outlet, today), may("attendance:read") && timesheets(outlet, today), may("employees:read") && may("leave:request") && leave(outlet, today)];
}
