// What head office's screen works out by itself: which trouble comes first, how far a publication has come, both values of a conflict.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrival, bothValues, changed, daysBefore, heardOf, hours, isCancellable, listed, momentOf, parts, troubleFirst, troublesOf, weight } from "../../sync-hub/screens/hq/model.js";
import { gathered, spread } from "../../sync-hub/screens/hq/settings.js";

const well = /** @type {any} */ ({ id: "a", name: "A", online: true, standing: "NORMAL", digest: "OK", quarantined: 0, salvage: 0, withheld: 0, conflicts: 0, rowsWaiting: 0, lagSeconds: 0, clockOffsetMs: 0 });
const kinds = (/** @type {any} */ outlet, /** @type {any} */ now) => troublesOf({ ...well, ...outlet }, now).map(({ kind }) => kind);

test("an outlet that is well has no trouble, and each thing that is not has its own", () => {
  assert.deepEqual(kinds({}, undefined), []);
  assert.deepEqual(kinds({ online: false }, undefined), ["OFFLINE"]);
  assert.deepEqual(kinds({ standing: "FORK" }, undefined), ["FORK"]);
  assert.deepEqual(kinds({ digest: "BAD", quarantined: 2, salvage: 3, withheld: 1 }, undefined), ["DIGEST", "QUARANTINE", "SALVAGE", "WITHHELD"]);
  assert.deepEqual(kinds({ clockOffsetMs: -180_000 }, undefined), ["CLOCK"]);
  assert.deepEqual(kinds({ rowsWaiting: 9, lagSeconds: 10 }, undefined), []);
  assert.deepEqual(kinds({ rowsWaiting: 9, lagSeconds: 900 }, undefined), ["SLOW"]);
  assert.deepEqual(kinds({}, { late: 2 }), ["LATE"]);
  // Who never sent a row, or has no key, is not said to be cut off.
  assert.deepEqual(kinds({ online: false, standing: "NEW" }, undefined), ["NEW"]);
  assert.deepEqual(kinds({ online: false, standing: "REVOKED" }, undefined), ["REVOKED"]);
});

test("the worst stands first, in an outlet and among them", () => {
  assert.deepEqual(kinds({ conflicts: 4, online: false }, { late: 3 }), ["OFFLINE", "CONFLICTS", "LATE"]);
  const tile = (/** @type {string} */ name, /** @type {any} */ what) => ({ outlet: { ...well, ...what, name }, troubles: troublesOf({ ...well, ...what }, undefined) });
  const order = troubleFirst([tile("Beach", {}), tile("Airport", {}), tile("Harbour", { conflicts: 1 }), tile("Pier", { online: false })]).map(({ outlet }) => outlet.name);
  assert.deepEqual(order, ["Pier", "Harbour", "Airport", "Beach"]);
  assert.equal(weight([]), 0);
});

test("news of the stream change what is live, and a withdrawn key stays withdrawn", () => {
  const said = { outletId: "a", code: "A", name: "A", online: false, position: 7, asOf: "x", lagSeconds: 30, rowsWaiting: 4, standing: "NORMAL" };
  assert.deepEqual(heardOf(well, said), { ...well, online: false, position: 7, asOf: "x", lagSeconds: 30, rowsWaiting: 4 });
  assert.equal(heardOf({ ...well, standing: "REVOKED" }, said).standing, "REVOKED");
});

test("arrived 17 of 19", () => {
  const progress = { pending: 1, delivered: 0, arrived: 7, effective: 10, cancelled: 0, refused: 1 };
  assert.deepEqual(arrival(progress), { arrived: 17, of: 19, refused: 1, cancelled: 0, waiting: 1 });
});

test("only what is still to come can be taken back", () => {
  const now = Date.parse("2026-11-26T10:00:00Z");
  assert.equal(isCancellable({ effectiveAt: "2026-11-26T11:00:00Z" }, now), true);
  assert.equal(isCancellable({ effectiveAt: "2026-11-26T09:00:00Z" }, now), false);
  assert.equal(isCancellable({ effectiveAt: null }, now), false);
  assert.equal(isCancellable({ effectiveAt: "2026-11-26T11:00:00Z", cancelledAt: "2026-11-26T09:59:00Z" }, now), false);
});

test("both values of a conflict, what differs first", () => {
  const rows = bothValues({ branch: { values: { name: "Dosa", price_cents: 100 } }, headOffice: { values: { name: "Dosa", price_cents: 120 } } });
  assert.deepEqual(rows, [{ column: "price_cents", branch: 100, office: 120, differs: true }, { column: "name", branch: "Dosa", office: "Dosa", differs: false }]);
  assert.deepEqual(bothValues({ branch: { values: null }, headOffice: { values: { name: "Dosa" } } }), [{ column: "name", branch: undefined, office: "Dosa", differs: true }]);
});

test("a change names what is not as it was, and nothing else", () => {
  assert.deepEqual(changed({ name: "A", price: 1, tags: ["x"], note: null }, { name: "A", price: 2, tags: ["x"], note: null }), { price: 2 });
  assert.deepEqual(changed({}, { note: null }), {});
});

test("addresses, dates, lists", () => {
  assert.deepEqual(parts(""), ["overview"]);
  assert.deepEqual(parts("#/outlet/a%20b/orders"), ["outlet", "a b", "orders"]);
  assert.equal(daysBefore("2026-03-01", 1), "2026-02-28");
  assert.deepEqual(listed(" milk, nuts\n, soy "), ["milk", "nuts", "soy"]);
  assert.deepEqual([0, 65, -5, null].map(hours), ["0:00", "1:05", "−0:05", "–"]);
  assert.equal(momentOf(""), null);
  assert.equal(momentOf("never"), null);
  assert.match(String(momentOf("2026-11-26T10:30")), /^2026-11-2\dT\d\d:\d\d:00\.000Z$/);
});

test("settings are one value a field, and what is changed goes back with what hangs together", () => {
  const tax = { taxId: "1", serviceCharge: { bps: 500, orderTypes: ["DINE_IN"], automatic: false, taxed: true } };
  assert.equal(spread("TAX", tax)["serviceCharge.bps"], 500);
  assert.deepEqual(gathered("TAX", { "serviceCharge.bps": 750, taxId: null }, tax), { taxId: null, serviceCharge: { bps: 750 } });
  // A part of a group alone, as a publication brings it.
  assert.deepEqual(spread("TAX", { serviceCharge: { bps: 700 } }), { "serviceCharge.bps": 700 });
  const staff = { attendance: { graceMinutes: 5, maxBreakMinutes: 60 }, shiftTimes: { MORNING: { start: "07:00", end: "15:00" } } };
  assert.deepEqual(gathered("STAFF", { "attendance.graceMinutes": 10 }, staff), { attendance: { graceMinutes: 10, maxBreakMinutes: 60 } });
  const limits = { discountLimitBps: { CASHIER: 1000, WAITER: 500 } };
  assert.deepEqual(gathered("TILL", { "discountLimitBps.WAITER": null }, limits), { discountLimitBps: { CASHIER: 1000 } });
});

test("reasons are lines: one that was there keeps its code, a new one gets one of its own", () => {
  const till = { till: { idleLockSeconds: 30, reasons: { void: [{ code: "MISTAKE", text: "Entered by mistake" }, { code: "R", text: "Old" }], cancel: [{ code: "LEFT", text: "Left" }] } } };
  assert.equal(spread("TILL", till)["till.reasons.void"], "Entered by mistake\nOld");
  const { reasons, idleLockSeconds } = gathered("TILL", { "till.reasons.void": "Entered by mistake\n\n  Too late \nमहँगा\nबासी\nMistake" }, till).till;
  assert.deepEqual(reasons.void.map((/** @type {any} */ one) => one.code), ["MISTAKE", "TOO_LATE", "REASON", "REASON_2", "MISTAKE_2"]);
  assert.deepEqual([reasons.cancel, idleLockSeconds], [till.till.reasons.cancel, 30]);
});
