// What is sold by weight, in the pure modules of the screens: amounts to the cent without a float, lines of which none is merged with another,
// what a cook and the pass read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { weighed, weightIn } from "../../edge/screens/kit/money.js";
import { add, again, body, change, current, differs, isByWeight, newLine, portions, priceOf, refused, reweighed, total } from "../../edge/screens/pos/draft.js";
import { allDayOf, cardsOf, combosOf } from "../../edge/screens/kitchen/model.js";
import { isByWeight as isForStaff } from "../../edge/screens/guest/model.js";

/** @param {any} more @returns {any} */
const fish = (more = {}) => ({ id: "f", name: "Seer Fish", priceCents: 90_000, soldBy: "WEIGHT", weightUnit: "KG", isActive: true, isAvailable: true, availability: { status: "IN_STOCK", quantityLeft: null }, variants: [], components: [], modifierGroups: [
  { id: "masala", name: "Masala", minSelections: 0, maxSelections: 1, options: [{ id: "red", name: "Red", priceCents: 3_000, isDefault: false, isActive: true, isAvailable: true }] }], ...more });

test("what a weight costs is whole cents, half a cent up, for every number of decimals", () => {
  for (const [cents, weight, is] of /** @type {[number, string | number, number][]} */ ([
    [90_000, "1.25", 112_500], [90_000, 1.25, 112_500], [333, "0.5", 167], [1, "0.5", 1], [1, "0.499999", 0], [99_999, "0.333333", 33_333], [1_00, "0.005", 1], [1_00, "0.004999", 0],
    // A float says 1.005 × 100 = 100.49999999999999.
    [100, "1.005", 101], [100, 1.005, 101], [10_000_000_00, "999999.999999", 999_999_999_999_000], [0, "3", 0], [5_00, "0.000001", 0],
  ])) assert.equal(weighed(cents, weight), is, `${cents} × ${weight}`);
});

test("a weight is what was typed, in the unit or in a smaller one; what is none is refused", () => {
  for (const [typed, is] of [["1.250", "1.25"], ["1,25", "1.25"], [".5", "0.5"], ["10", "10"], ["100.0", "100"], ["0.000001", "0.000001"], ["007", "7"]]) assert.equal(weightIn(typed), is, typed);
  for (const typed of ["", ".", "0", "0.000", "1.2.3", "1e3", "-1", "1.2345678", "kg"]) assert.equal(weightIn(typed), null, typed);
  assert.equal(weightIn("1250", 1_000n), "1.25");
  assert.equal(weightIn("5", 1_000n), "0.005");
  assert.equal(weightIn("12", 16n), "0.75");
  assert.equal(weightIn("0.0001", 1_000n), null, "finer than a millionth is not told");
});

test("each weighing is a line of its own, at its weight and its price; options are asked once", () => {
  const item = fish();
  assert.ok(isByWeight(item) && isForStaff(item) && !isByWeight(undefined) && !isByWeight({ soldBy: "PIECE" }));
  let { lines } = add([], newLine(item, "a", { weight: "1.25" }));
  ({ lines } = add(lines, newLine(item, "b", { weight: "1.25" })));
  assert.deepEqual(lines.map((line) => [line.id, line.quantity, line.weight, line.weightUnit, priceOf(line)]), [["a", 1, "1.25", "KG", 112_500], ["b", 1, "1.25", "KG", 112_500]]);
  lines = change(lines, "b", (line) => reweighed({ ...line, refusal: "too much" }, "0.333"));
  assert.deepEqual([priceOf(lines[1]), lines[1].refusal, portions(lines), total(lines)], [29_970, null, 2, 142_470]);
  const line = { ...lines[0], options: [{ optionId: "red", name: "Red", priceCents: 3_000, count: 1 }] };
  assert.equal(priceOf(line), 115_500);
  assert.deepEqual(body(line), { menuItemId: "f", quantity: 1, weight: 1.25, unitPriceCents: 90_000, name: "Seer Fish", modifiers: [{ optionId: "red", priceCents: 3_000 }] });
  assert.equal(change(lines, "a", (one) => ({ ...one, quantity: 0 })).length, 1);
  // A dish that is counted is sent as ever.
  assert.ok(!("weight" in body(newLine(fish({ soldBy: "PIECE", weightUnit: null }), "c"))));
});

test("another price of the unit is told, taken at the weight that was weighed; what was sent is weighed anew", () => {
  const line = newLine(fish(), "a", { weight: "0.5" }), dearer = fish({ priceCents: 100_000 });
  assert.deepEqual(differs(line, dearer), { kind: "PRICE", was: 90_000, is: 100_000 });
  const now = current(line, dearer);
  assert.deepEqual([now.weight, now.quantity, priceOf(now)], ["0.5", 1, 50_000]);
  assert.equal(again(/** @type {any} */ ({ menuItemId: "f", name: "Seer Fish", modifiers: [], components: [], course: 1, weight: 0.5 }), fish(), "b").weight, undefined);
  assert.equal(refused([line], [{ name: "items[0].weight", reason: "must be more" }]).lines[0].refusal, "must be more");
});

/** @param {any[]} items @param {any} [more] @returns {any} */
const ticket = (items, more = {}) => ({ id: "t1", orderId: "o1", stationId: "s1", course: 1, type: "NEW", status: "QUEUED", priority: 0, createdAt: "2026-11-26T10:00:00Z", firedAt: null, readyAt: null, refersToId: null, items, ...more });
/** @param {string} id @param {any} [more] */
const piece = (id, more = {}) => ({ id, menuItemId: "f", name: "Seer Fish", quantity: 1, modifiers: [], allergens: [], notes: null, status: "QUEUED", seatNumber: null, comboName: null, weight: 0.1, weightUnit: "KG", ...more });

test("all that is to be cooked is told by weight, exactly; what is counted stays counted", () => {
  const cards = cardsOf([ticket([piece("a"), piece("b", { weight: 0.2, status: "IN_PREPARATION" }), piece("c", { name: "Roti", weight: null, weightUnit: null, quantity: 3 })])], [], () => false);
  assert.deepEqual(allDayOf(cards).map(({ name, quantity, weight, begunWeight, weightUnit }) => [name, quantity, weight, begunWeight, weightUnit]), [["Roti", 3, 0, 0, null], ["Seer Fish", 2, 0.3, 0.2, "KG"]]);
});

test("at the pass each weighing stands by itself until it is served", () => {
  const one = combosOf([ticket([piece("a", { seatNumber: 2 }), piece("b", { status: "READY" }), piece("c", { weight: null })])]);
  assert.deepEqual(one.map(({ name, seat, isWeighed, isReady, pieces }) => [name, seat, isWeighed, isReady, pieces[0].weight, pieces[0].status]), [["Seer Fish", 2, true, false, 0.1, "QUEUED"], ["Seer Fish", null, true, true, 0.1, "READY"]]);
  assert.deepEqual(combosOf([ticket([piece("a")], { status: "SERVED" })]), []);
});
