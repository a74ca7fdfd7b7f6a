// What everybody is owed, and what it is made of: hours, overtime, leave, holidays, salaries, tips, advances, day by day. Every figure is the
// server's own; a wage is shown to nobody whom it is denied.

import { ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { duration } from "../kit/time.js";
import { show } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, loaded } from "./parts.js";
import { amount, cash, date } from "./store.js";
import { table } from "./list.js";
import { period, presets } from "./period.js";
import { save } from "./files.js";
import { at } from "./route.js";

/** Of when, kept while one goes to and fro: the month that is over at first. */
const span = signal(/** @type {import("./period.js").Span} */ ({ from: "", to: "" }));
const long = (/** @type {string} */ name) => ({ name, kind: /** @type {const} */ ("number"), draw: (/** @type {any} */ row) => duration(row[name] ?? 0) });

/** @param {string} which `now`: the present month */
export function payroll(which) {
  const { LAST_MONTH, THIS_MONTH } = presets();
  if (which === "now") span.set(THIS_MONTH);
  else if (!span.peek().from) span.set(LAST_MONTH);
  return [h("div", { class: "filters" }, period(span)), () => owed(span())];
}

/** @param {import("./period.js").Span} of */
function owed(of) {
  return [
    h("div", { class: "acts start" }, act(t("csv"), () => save("/attendance/payroll", { ...of, format: "csv" }, `payroll-${of.from}-${of.to}.csv`))),
    loaded(async () => (await ask("GET", "/attendance/payroll", { query: of })).data, (said) => {
      const open = said.employees.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.daysToReview, 0);
      return [
        h("p", { class: "hint" }, t("payroll.of", { from: date(of.from), to: date(of.to) })),
        open > 0 ? h("p", { class: "warn" }, t("payroll.review", { n: open }), " ", may("attendance:correct") ? h("a", { class: "button", href: at("people", "attendance", "review") }, t("today.punches.act")) : null) : null,
        table({ caption: t("tab.payroll"), rows: said.employees, totals: { employeeName: t("total"), grossPayCents: said.grossPayCents, dueCents: said.dueCents }, open: (row) => () => void details(row, of),
          columns: [{ name: "employeeName", draw: (row) => [h("bdi", {}, row.employeeName), row.daysToReview > 0 ? badge("review", "REVIEW") : null] }, long("workedMinutes"), long("overtimeMinutes"), { name: "grossPayCents", kind: "money" }, { name: "tipsDueCents", kind: "money", draw: (row) => cash(row.tipsCents - row.tipsPaidOutCents) }, { name: "advancesCents", kind: "money" }, { name: "dueCents", kind: "money" }] }),
      ];
    }),
  ];
}

/** What somebody is owed, added up, and the days that it comes from. @param {any} one @param {import("./period.js").Span} of */
function details(one, of) {
  const file = `timesheet-${one.employeeCode}-${of.from}-${of.to}.csv`;
  /** @param {string} name @param {number} cents @param {string} [note] @returns {[string, import("../kit/view.js").Child]} */
  const row = (name, cents, note) => [t(`payroll.${name}`), [cash(cents), note ? h("small", {}, note) : null]];
  const days = (/** @type {number} */ n) => t("payroll.days", { n, days: amount(n) });
  return show(`${one.employeeName} · ${date(of.from)} – ${date(of.to)}`, () => [
    h("div", { class: "columns" },
      h("section", { class: "card ledger" }, h("h2", {}, t("payroll.pay")), facts([
        row("ordinary", one.ordinaryCents, `${days(one.days)} · ${duration(one.workedMinutes - one.overtimeMinutes)}`), ...(one.overtimeMinutes > 0 ? [row("overtime", one.overtimeCents, duration(one.overtimeMinutes))] : []),
        ...(one.paidLeaveDays > 0 ? [row("leave", one.leaveCents, days(one.paidLeaveDays))] : []), ...(one.holidays > 0 ? [row("holiday", one.holidayCents, days(one.holidays))] : []),
        ...(one.unpaidLeaveDays > 0 ? [/** @type {[string, import("../kit/view.js").Child]} */ ([t("payroll.unpaid"), days(one.unpaidLeaveDays)])] : []), row("gross", one.grossPayCents)])),
      h("section", { class: "card ledger" }, h("h2", {}, t("payroll.due")), facts([row("gross", one.grossPayCents), row("tips", one.tipsCents), row("tipsPaid", -one.tipsPaidOutCents), row("advances", -one.advancesCents), [t("payroll.due.sum"), cash(one.dueCents)]]))),
    h("div", { class: "sub" }, h("h3", {}, t("report.daily")), act(t("csv"), () => save("/attendance/timesheets", { ...of, employeeId: one.employeeId, format: "csv" }, file))),
    loaded(async () => (await ask("GET", "/attendance/timesheets", { query: { ...of, employeeId: one.employeeId } })).data, (said) => byDay(one.employeeName, said.employees[0])),
  ], { wide: true });
}

/** The days of a timesheet with what each pays. @param {string} name @param {any} sheet */
export function byDay(name, sheet) {
  const hides = (/** @type {string} */ key) => !sheet?.totals[key];
  return table({ caption: name, rows: sheet?.days ?? [], totals: sheet?.totals, empty: t("report.none"), columns: [
    { name: "date", draw: (/** @type {any} */ day) => (day.date ? [date(day.date), day.needsReview ? badge("review", "REVIEW") : null] : t("total")) }, long("scheduledMinutes"), long("workedMinutes"), ...(hides("breakMinutes") ? [] : [long("breakMinutes")]), ...(hides("lateMinutes") ? [] : [long("lateMinutes")]), ...(hides("overtimeMinutes") ? [] : [long("overtimeMinutes")]),
    { name: "ordinaryCents", kind: "money" }, ...["overtimeCents", "leaveCents", "holidayCents"].filter((key) => !hides(key)).map((key) => ({ name: key, kind: "money" })), { name: "costCents", kind: "money" }] });
}

/** Timesheets of everybody in one file. @param {import("./period.js").Span} of */
export const sheets = (of) => act(t("csv"), () => save("/attendance/timesheets", { ...of, format: "csv" }, `timesheets-${of.from}-${of.to}.csv`));
