// What the clock computes of a roster. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { daysOf, onDay } from "../../edge/screens/clock/model.js";

test("a week begins on Monday, over the end of a month and of a year", () => {
  assert.deepEqual(daysOf("2026-11-26"), ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"]);
  assert.equal(daysOf("2026-11-23")[0], "2026-11-23");
  assert.equal(daysOf("2026-11-29")[0], "2026-11-23");
  assert.deepEqual([daysOf("2027-01-01")[0], daysOf("2027-01-01")[6]], ["2026-12-28", "2027-01-03"]);
});

test("who works on a day stands by the beginning of the shift; days off come last", () => {
  const row = (name, ...shifts) => ({ employeeId: name, employeeName: name, role: "Cook", shifts });
  const shift = (date, startTime) => ({ id: date + startTime, date, startTime, endTime: "23:00", shiftType: startTime ? "MORNING" : "OFF", status: "PUBLISHED" });
  const matrix = [row("Asha", shift("d", "15:00")), row("Bala", shift("d", undefined)), row("Chitra", shift("d", "07:00"), shift("e", "07:00")), row("Dev", shift("e", "06:00"))];
  assert.deepEqual(onDay(matrix, "d").map(({ name }) => name), ["Chitra", "Asha", "Bala"]);
  assert.deepEqual(onDay(matrix, "d")[0].shifts.length, 1);
});
