// What a display computes: cards of tickets, ages, places that stay, keys. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, allDayOf, allergensOf, cardsOf, DISTANCES, gridOf, isFor, KEYS, meaningOf, portionsOf, wished } from "../../edge/screens/kitchen/model.js";
import { close, GAP, hasOldGap, nowhere, onPage, pagesOf, settle } from "../../edge/screens/kitchen/places.js";

let made = 0;
const item = (name, more = {}) => ({ id: `i${(made += 1)}`, name, quantity: 1, modifiers: [], notes: null, allergens: [], status: "QUEUED", seatNumber: null, ...more });
const ticket = (more = {}) => ({
  id: `t${(made += 1)}`, orderId: "o1", stationId: "s1", course: 1, type: "NEW", status: "QUEUED", priority: 0, items: [item("Dosa")], createdAt: "2026-11-26T10:00:00Z",
  firedAt: "2026-11-26T10:00:00Z", readyAt: null, escalatedAt: null, escalatedToId: null, refersToId: null, notes: null, ...more,
});
const cards = (tickets, slips = []) => cardsOf(tickets, slips, () => false);

test("an addition stands below what it was added to, under its own line", () => {
  const first = ticket(), added = ticket({ type: "ADDITION", firedAt: "2026-11-26T10:12:00Z", createdAt: "2026-11-26T10:12:00Z" });
  const [card, ...rest] = cards([first, added]);
  assert.equal(rest.length, 0);
  assert.deepEqual(card.parts.map(({ line }) => line), [null, "ADDED"]);
  assert.equal(card.isAdded, false);
  assert.equal(card.firedAt, first.firedAt);
});

test("an addition to what has long been finished stands alone, and says so", () => {
  const done = ticket({ status: "READY", readyAt: "2026-11-26T10:05:00Z" }), added = ticket({ type: "ADDITION", createdAt: "2026-11-26T10:12:00Z", firedAt: "2026-11-26T10:12:00Z" });
  const [card] = cards([done, added]);
  assert.deepEqual(card.parts.map((part) => part.ticket.id), [added.id]);
  assert.ok(card.isAdded);
});

test("what is finished stays on the card while the rest of it is cooked, so that nothing moves", () => {
  const first = ticket(), added = ticket({ type: "ADDITION", createdAt: "2026-11-26T10:02:00Z", firedAt: "2026-11-26T10:02:00Z" });
  const after = [{ ...first, status: "READY", readyAt: "2026-11-26T10:06:00Z" }, added];
  assert.equal(cards(after)[0].parts.length, 2);
});

test("courses, stations and orders have cards of their own; what is held has none", () => {
  assert.equal(cards([ticket(), ticket({ course: 2 }), ticket({ stationId: "s2" }), ticket({ orderId: "o2" }), ticket({ orderId: "o3", status: "HELD" })]).length, 4);
});

test("a cancellation stands on the card it is about, and on its own once that is gone", () => {
  const open = ticket(), slip = ticket({ type: "CANCELLATION", refersToId: open.id });
  assert.deepEqual(cards([open], [slip]).map((card) => card.slips.length), [1]);
  const [alone] = cards([], [slip]);
  assert.ok(alone.isSlip && alone.slips[0] === slip);
});

test("a copy is never cooked: it stands on its own", () => {
  const open = ticket(), copy = ticket({ type: "REPRINT", refersToId: open.id });
  assert.deepEqual(cards([open], [copy]).map(({ isSlip }) => isSlip), [false, true]);
});

test("a touch shows before the box has heard of it", () => {
  const two = ticket({ items: [item("Dosa"), item("Vada"), item("Gone", { status: "CANCELLED" })] });
  assert.equal(wished(two, [{ ticket: two.id, item: null, act: "ready" }]).status, "READY");
  const one = wished(two, [{ ticket: two.id, item: two.items[0].id, act: "ready" }]);
  assert.deepEqual([one.status, one.items.map(({ status }) => status)], ["IN_PREPARATION", ["READY", "QUEUED", "CANCELLED"]]);
  assert.equal(wished(two, [{ ticket: two.id, item: null, act: "ready" }, { ticket: two.id, item: null, act: "recall" }]).status, "IN_PREPARATION");
  assert.equal(wished(two, [{ ticket: "other", item: null, act: "ready" }]), two);
  assert.equal(wished(two, [{ ticket: two.id, item: null, act: "rush", value: 9 }]).priority, 9);
});

test("age follows the outlet's limits", () => {
  const limits = { warnMinutes: 15, lateMinutes: 30 };
  assert.deepEqual([0, 14, 15, 29, 30, 99].map((minutes) => ageOf(minutes, limits)), ["NEW", "NEW", "SOON", "SOON", "LATE", "LATE"]);
});

test("all that is to be cooked is summed by dish, without what is ready or cancelled", () => {
  const some = cards([
    ticket({ items: [item("Naan", { quantity: 3 }), item("Paneer", { quantity: 1, modifiers: ["Mild"], status: "IN_PREPARATION" })] }),
    ticket({ orderId: "o2", items: [item("Paneer", { quantity: 4 }), item("Naan", { quantity: 9, status: "CANCELLED" }), item("Roti", { status: "READY" })] }),
  ]);
  assert.deepEqual(allDayOf(some).map(({ name, quantity, begun }) => [name, quantity, begun]), [["Paneer", 5, 1], ["Naan", 3, 0]]);
  assert.equal(portionsOf(some[0]), 4);
});

test("allergens of what was cancelled are not named", () => {
  assert.deepEqual(allergensOf(cards([ticket({ items: [item("A", { allergens: ["milk"] }), item("B", { allergens: ["nuts"], status: "CANCELLED" }), item("C", { allergens: ["egg", "milk"] })] })])[0]), ["egg", "milk"]);
});

test("what nobody acknowledged elsewhere is at the station that stood in, whichever stands in now", () => {
  const lost = ticket({ escalatedAt: "2026-11-26T10:00:20Z", escalatedToId: "s2" });
  assert.deepEqual(["s1", "s2", "s3", null].map((station) => isFor(lost, station)), [true, true, false, true]);
  assert.equal(isFor(ticket(), "s2"), false);
  // Nobody stood in: it alarmed people, and stays where it was.
  assert.equal(isFor(ticket({ escalatedAt: "2026-11-26T10:00:20Z" }), "s2"), false);
});

test("a card keeps its place; the new stand at the end; a gap closes after two seconds", () => {
  let standing = settle(nowhere(), ["a", "b", "c"], 0);
  standing = settle(standing, ["a", "c", "d"], 1_000);
  assert.deepEqual(standing.places.map(({ key, gone }) => [key, gone]), [["a", null], ["b", 1_000], ["c", null], ["d", null]]);
  assert.ok(!hasOldGap(standing, 1_000 + GAP - 1) && hasOldGap(standing, 1_000 + GAP));
  standing = close(standing, 1_000 + GAP);
  assert.deepEqual(standing.places.map(({ key }) => key), ["a", "c", "d"]);
});

test("what is undone stands where it stood, what is recalled later at the end", () => {
  let standing = settle(settle(nowhere(), ["a", "b", "c"], 0), ["b", "c"], 0);
  assert.deepEqual(settle(standing, ["a", "b", "c"], 500).places.map(({ key, gone }) => [key, gone]), [["a", null], ["b", null], ["c", null]]);
  standing = close(standing, 2_500);
  assert.deepEqual(settle(standing, ["b", "c", "a"], 9_000).places.map(({ key }) => key), ["a", "b", "c"]);
  assert.deepEqual(settle(standing, ["b", "c", "a"], 600_000).places.map(({ key }) => key), ["b", "c", "a"]);
});

test("pages", () => {
  const standing = settle(nowhere(), ["a", "b", "c", "d", "e"], 0);
  assert.deepEqual([pagesOf(standing, 2), onPage(standing, 2, 2).map(({ key }) => key), pagesOf(nowhere(), 9)], [3, ["e"], 1]);
});

test("letters are as large as the design's table says, and five columns fit at a metre and a half", () => {
  assert.deepEqual(DISTANCES, { 0.5: 18, 1: 26, 1.5: 40, 2: 53, 3: 79 });
  assert.equal(gridOf(1900, 900, DISTANCES["1.5"]).columns, 5);
  for (const letter of Object.values(DISTANCES)) for (const [width, height] of [[366, 500], [1000, 600], [1416, 700], [1896, 900]]) {
    const { places, columns, rows } = gridOf(width, height, letter);
    assert.ok(places >= 1 && places <= 9 && places <= columns * rows);
  }
});

test("a learned key takes the place of the one it stands for, and no other", () => {
  assert.equal(meaningOf("1", {}), "bump1");
  assert.equal(meaningOf("R", {}), "recall");
  assert.equal(meaningOf("x", { bump1: "x" }), "bump1");
  assert.equal(meaningOf("1", { bump1: "x" }), null);
  assert.equal(meaningOf("2", { bump1: "2" }), "bump1");
  assert.equal(new Set(Object.values(KEYS)).size, Object.keys(KEYS).length);
});
