// What the manager's forms, reports and roster compute: what is typed and what is meant, what differs, tables and weeks. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, major, meant, minor, NotMeant, pick, place, typed } from "../../edge/screens/manage/fields.js";
import { clashOf, fitOf, spanOf, warningsIn, warningsOf } from "../../edge/screens/manage/fit.js";
import { beside, byPlace, costsOfWeek, minutes, sumOf, weekOf } from "../../edge/screens/manage/week.js";
import { asColumns, asRows, drawable, lastMonth } from "../../edge/screens/manage/tables.js";
import { momentOf, onWall } from "../../edge/screens/manage/zones.js";

test("what is typed comes back as it was: money, rates, unit costs, whole numbers, quantities", () => {
  const back = (kind, value, decimals = 2) => meant({ name: "x", kind }, typed({ name: "x", kind }, value, decimals), decimals);
  for (const value of [0, 5, 100, 123456, 10]) assert.equal(back("money", value), value);
  for (const value of [0, 250, 1800, 10_000, 5]) assert.equal(back("percent", value), value);
  for (const value of [0, 1, 12.5, 11690.125, 0.000001, 120]) assert.equal(back("cost", value), value, `${value}`);
  assert.equal(back("cost", 7, 0), 7);
  assert.equal(back("number", 12), 12);
  assert.equal(back("decimal", 1.25), 1.25);
  assert.equal(major(15335, 2), "153.35");
  assert.equal(minor("1,234.5", 2), 123450);
});

test("what is no such value says which kind was wanted; what is empty means nothing, or is needed", () => {
  const wrong = (field, text) => { try { meant(field, text, 2); } catch (error) { assert.ok(error instanceof NotMeant); return error.message; } return "right"; };
  assert.equal(wrong({ name: "x", kind: "money" }, "12,3.4.5"), "money");
  assert.equal(wrong({ name: "x", kind: "money" }, "1.234"), "money");
  assert.equal(wrong({ name: "x", kind: "number" }, "1.5"), "number");
  assert.equal(wrong({ name: "x", kind: "decimal" }, "1.1234567"), "decimal");
  assert.equal(wrong({ name: "x", need: true }, "  "), "need");
  assert.equal(meant({ name: "x", kind: "money" }, "", 2), null);
  assert.equal(meant({ name: "x", kind: "number", empty: 0 }, "", 2), 0);
  assert.deepEqual(meant({ name: "x", kind: "list" }, "milk, nuts,", 2), ["milk", "nuts"]);
});

test("a field may lie within a group; what somebody else changed is found", () => {
  const row = {};
  place(row, "till.ageing.warnMinutes", 9);
  assert.deepEqual(row, { till: { ageing: { warnMinutes: 9 } } });
  assert.equal(pick(row, "till.ageing.warnMinutes"), 9);
  assert.equal(pick({}, "till.ageing.warnMinutes"), undefined);
  const fields = [{ name: "name" }, { name: "priceCents", get: (one) => one.basePriceCents }];
  assert.deepEqual(differences(fields, { name: "A", basePriceCents: 1 }, { name: "A", basePriceCents: 2 }).map(({ name }) => name), ["priceCents"]);
});

test("a week begins on Monday, also over a year's end", () => {
  assert.deepEqual(weekOf("2026-11-26"), ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"]);
  assert.equal(weekOf("2027-01-01")[0], "2026-12-28");
  assert.equal(weekOf("2026-11-29")[6], "2026-11-29");
});

test("a shift is as long as its moments say, and costs by the minute", () => {
  const night = { id: "s", employeeId: "e", date: "2026-10-24", shiftType: "NIGHT", status: "DRAFT", version: 1, startsAt: "2026-10-24T21:00:00Z", endsAt: "2026-10-25T06:00:00Z" };
  assert.equal(minutes(night), 540);
  assert.equal(minutes({ ...night, startsAt: null }), 0);
  const costOfWeek = (/** @type {Parameters<typeof costsOfWeek>} */ ...of) => sumOf(costsOfWeek(...of)).cents;
  const hourly = (/** @type {number} */ hourlyRateCents) => ({ hourlyRateCents, payBasis: "HOURLY" });
  assert.equal(costOfWeek(hourly(13000), [["2026-03-02", 480]], null), 104_000);
  assert.equal(costOfWeek(hourly(30), [["2026-03-02", 1]], null), 1);
  assert.equal(costOfWeek(hourly(29), [["2026-03-02", 1]], null), 0);
  // 54.5 hours: 1.5 over nine of a day, 6.5 over 48 of the week, at twice 100.00.
  const india = { dailyMinutes: 540, weeklyMinutes: 2880, multiplierBps: 20000 };
  const week = /** @type {[string, number][]} */ ([["2026-03-02", 630], ["2026-03-03", 540], ["2026-03-04", 540], ["2026-03-05", 540], ["2026-03-06", 540], ["2026-03-07", 480], ["2026-03-08", 0]]);
  assert.equal(costOfWeek(hourly(10000), week, india), 610_000);
  assert.equal(costOfWeek({ hourlyRateCents: 0, payBasis: "MONTHLY", monthlySalaryCents: 3_100_000 }, week, india), 700_000);
  assert.deepEqual(byPlace([night]).get("e 2026-10-24"), [night]);
  const late = { ...night, id: "late", startsAt: "2026-10-24T16:00:00Z" }, early = { ...night, id: "early", startsAt: "2026-10-24T05:00:00Z" };
  assert.deepEqual(byPlace([late, early]).get("e 2026-10-24")?.map(({ id }) => id), ["early", "late"], "a day's shifts in their order");
  // Overtime is of the day that exceeds: an hour and a half of Monday, then what Saturday exceeds the week by.
  assert.deepEqual(costsOfWeek(hourly(10000), week, india).map(({ overtimeMinutes }) => overtimeMinutes), [90, 0, 0, 0, 0, 300, 0]);
  assert.deepEqual(costsOfWeek(hourly(10000), week, india)[0], { date: "2026-03-02", minutes: 630, overtimeMinutes: 90, ordinaryCents: 90_000, overtimeCents: 30_000, holidayCents: 0, cents: 120_000 });
  const holiday = (/** @type {string} */ date) => (date === "2026-03-08" ? 450 : 0);
  assert.equal(costsOfWeek(hourly(10000), week, india, holiday)[6].holidayCents, 75_000);
  for (const nobody of [{ ...hourly(10000), employmentType: "CASUAL" }, { hourlyRateCents: 10000, payBasis: "MONTHLY", monthlySalaryCents: 3_100_000 }]) assert.equal(costsOfWeek(nobody, week, india, holiday)[6].holidayCents, 0);
});

/** @param {string} date @param {string} startTime @param {string} endTime */
const shift = (date, startTime, endTime, id = `${date} ${startTime}`) => ({ id, employeeId: "e", date, shiftType: "MORNING", startTime, endTime });
const MARCH = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06", "2026-03-07", "2026-03-08"];

test("what is unwise is said before it is planned: a seventh day, overtime, short rest; two shifts at once cannot be", () => {
  const zone = "Asia/Kolkata", seven = MARCH.slice(0, 7).map((date) => shift(date, "10:00", "16:00"));
  const codes = (/** @type {any} */ one, /** @type {any[]} */ others, /** @type {any} */ overtime) => warningsOf(one, others, overtime, zone).map(({ code }) => code);
  assert.deepEqual(codes(seven[6], seven.slice(0, 6)), ["SEVENTH_DAY"]);
  assert.deepEqual(codes(seven[3], seven), ["SEVENTH_DAY"], "one in the middle closes the row, too");
  assert.deepEqual(codes(seven[6], seven.slice(1, 6)), []);
  assert.deepEqual(codes({ ...seven[6], shiftType: "OFF", startTime: null, endTime: null }, seven.slice(0, 6)), []);
  assert.deepEqual(warningsOf(shift("2026-03-03", "07:00", "15:00"), [shift("2026-03-02", "16:00", "23:30")], null, zone), [{ code: "SHORT_REST", date: "2026-03-03", minutes: 450, side: "before" }]);
  assert.deepEqual(codes(shift("2026-03-03", "18:00", "23:00"), [shift("2026-03-03", "10:00", "15:00")]), ["OVERTIME_DAY"], "a split shift wants no rest between");
  // Where no law says so, more than nine hours and more than 48 are told all the same.
  const long = MARCH.slice(1, 7).map((date) => shift(date, "10:00", "18:30"));
  assert.deepEqual(codes(long[5], long.slice(0, 5)), ["OVERTIME_WEEK"]);
  assert.deepEqual(codes(long[5], long.slice(0, 5), { dailyMinutes: 480, weeklyMinutes: null }), ["OVERTIME_DAY"]);
  // A week's trouble is said once, not day by day.
  assert.deepEqual(warningsIn([...seven, ...long], [...seven.slice(0, 1), ...long, shift("2026-03-08", "10:00", "16:00")], null, zone).map(({ code }) => code).sort(), ["OVERTIME_WEEK", "SEVENTH_DAY"]);
  const night = shift("2026-03-02", "22:00", "06:00");
  assert.equal(clashOf(shift("2026-03-03", "05:00", "13:00"), [night], zone), night);
  assert.equal(clashOf(shift("2026-03-03", "06:00", "13:00"), [night], zone), null);
  assert.equal(clashOf(shift("2026-03-02", "06:00", "13:00"), [{ date: "2026-03-02", shiftType: "OFF" }], zone)?.shiftType, "OFF");
  assert.equal(clashOf(night, [night], zone), null);
});

test("a night is as long as the clocks make it", () => {
  const long = (/** @type {string} */ date) => { const span = spanOf(shift(date, "23:00", "07:00"), "Europe/Berlin"); assert.ok(span); return (span.to - span.from) / 3_600_000; };
  assert.deepEqual([long("2026-03-27"), long("2026-03-28"), long("2026-10-24")], [8, 7, 9]);
});

test("a swap that does not fit is seen on both sides", () => {
  const zone = "Asia/Kolkata", from = shift("2026-03-03", "10:00", "16:00", "from"), to = shift("2026-03-04", "10:00", "16:00", "to");
  const both = (/** @type {any[]} */ givers, /** @type {any[]} */ takers) => fitOf({ from, to }, givers, takers, null, zone).map(({ side, clash, warnings }) => [side, clash?.id ?? null, warnings.map(({ code }) => code)]);
  assert.deepEqual(both([from], [to]), [["taker", null, []], ["giver", null, []]]);
  assert.deepEqual(both([from, shift("2026-03-04", "15:00", "20:00", "x")], [to, shift("2026-03-03", "09:00", "11:00", "y")]), [["taker", "y", []], ["giver", "x", []]]);
  assert.deepEqual(both([from], [to, ...MARCH.filter((date) => date !== from.date && date !== to.date).map((date) => shift(date, "10:00", "16:00"))]), [["taker", null, []], ["giver", null, []]]);
  assert.deepEqual(fitOf({ from }, [from], [...MARCH.filter((date) => date !== from.date).map((date) => shift(date, "10:00", "16:00"))], null, zone), [{ side: "taker", clash: null, warnings: [{ code: "SEVENTH_DAY", date: from.date, days: 8, nth: 3 }] }]);
});

test("arrow keys go from cell to cell and stay within the grid", () => {
  assert.deepEqual(beside({ row: 0, day: 0 }, "ArrowUp", 3), { row: 0, day: 0, nth: 0 });
  assert.deepEqual(beside({ row: 2, day: 6 }, "ArrowRight", 3), { row: 2, day: 6, nth: 0 });
  assert.deepEqual(beside({ row: 1, day: 3 }, "Home", 3), { row: 1, day: 0, nth: 0 });
  // Two shifts on Monday of the first and the third.
  const many = (/** @type {number} */ row, /** @type {number} */ day) => (row !== 1 && day === 0 ? 2 : 1);
  const go = (/** @type {number[]} */ [row, day, nth], /** @type {string} */ key) => { const to = beside({ row, day, nth }, key, 3, many); return to && [to.row, to.day, to.nth]; };
  assert.deepEqual([go([0, 0, 0], "ArrowDown"), go([0, 0, 1], "ArrowDown"), go([1, 0, 0], "ArrowDown"), go([2, 0, 0], "ArrowDown"), go([2, 0, 1], "ArrowDown")], [[0, 0, 1], [1, 0, 0], [2, 0, 0], [2, 0, 1], [2, 0, 1]]);
  assert.deepEqual([go([2, 0, 1], "ArrowUp"), go([2, 0, 0], "ArrowUp"), go([1, 0, 0], "ArrowUp"), go([0, 0, 0], "ArrowUp"), go([0, 0, 1], "ArrowRight"), go([0, 1, 0], "ArrowLeft")], [[2, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]]);
  assert.equal(beside({ row: 1, day: 3 }, "x", 3), null);
});

test("a report is a table, and a chart where its first column tells rows apart", () => {
  const columns = [{ key: "businessDate", label: "Date", unit: "DATE" }, { key: "ordersCount", label: "Orders", unit: "COUNT" }, { key: "netRevenueCents", label: "Net", unit: "CENTS" }];
  const report = { columns, rows: [["2026-11-25", 1, 100], ["2026-11-26", 2, 300]], totals: {} };
  assert.deepEqual(asRows(report)[1], { businessDate: "2026-11-26", ordersCount: 2, netRevenueCents: 300 });
  assert.deepEqual(asColumns(columns).map(({ kind }) => kind), ["date", "number", "money"]);
  assert.deepEqual(drawable(report), { title: "Net", labels: ["2026-11-25", "2026-11-26"], values: [100, 300], isMoney: true });
  assert.equal(drawable({ ...report, rows: [report.rows[0]] }), null);
  assert.equal(drawable({ ...report, rows: [["a", 1, 1], ["a", 2, 2]] }), null);
  assert.deepEqual(lastMonth("2026-01-15"), ["2025-12-01", "2025-12-31"]);
  assert.deepEqual(lastMonth("2028-03-31"), ["2028-02-01", "2028-02-29"]);
});

test("the wall's time is a moment in the outlet's zone, and back", () => {
  assert.equal(momentOf("2026-11-26T19:02", "Asia/Kolkata"), "2026-11-26T13:32:00.000Z");
  assert.equal(onWall(Date.parse("2026-11-26T13:32:00Z"), "Asia/Kolkata"), "2026-11-26T19:02");
  // On the night when the clocks go forward an hour is not there; when they go back, the earlier of two is meant.
  assert.equal(momentOf("2026-10-25T01:30", "Europe/London"), "2026-10-25T00:30:00.000Z");
  assert.ok(momentOf("2026-03-29T01:30", "Europe/London"));
  assert.equal(momentOf("soon", "UTC"), null);
});
