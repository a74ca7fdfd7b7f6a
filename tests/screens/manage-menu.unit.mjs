// What the menu's forms compute: hours in words, when a price list holds and what comes of it, what of a combo is lacking. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asDays, byWeight, runs, sized } from "../../edge/screens/kit/dish.js";
import { asComponents, isOut, lacking } from "../../edge/screens/manage/meal.js";
import { asWindows } from "../../edge/screens/manage/windows.js";
import { cost, entryOf, holds, inForce, inOrder, isFor, lineOf, made, portions, turn, weekday } from "../../edge/screens/manage/pricing.js";

/** @param {any} more */
const list = (more) => ({ id: "l", name: "L", priority: 0, orderTypes: null, channelIds: null, areas: null, days: null, from: null, to: null, startsOn: null, endsOn: null, createdAt: "2026-11-01T00:00:00Z", entries: [], ...more });

test("days are said as runs, and all or none of them are every day", () => {
  assert.deepEqual(runs(["FRI", "MON", "TUE", "WED", "SUN"]), [["MON", "TUE", "WED"], ["FRI"], ["SUN"]]);
  assert.deepEqual(asDays(["SUN", "MON"]), ["MON", "SUN"]);
  assert.equal(asDays([]), null);
  assert.equal(asDays(["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]), null);
  assert.deepEqual(asWindows({ name: "x", windows: [{ days: [], from: "12:00", to: null }] }), { name: "x", windows: [{ days: null, from: "12:00", to: null }] });
  assert.deepEqual(asWindows({ name: "x" }), { name: "x" });
});

test("what is weighed has a unit and nothing else has; a dish costs what its leading size costs", () => {
  assert.deepEqual(byWeight({ soldBy: "WEIGHT", weightUnit: "" }), { soldBy: "WEIGHT", weightUnit: "KG" });
  assert.deepEqual(byWeight({ soldBy: "WEIGHT", weightUnit: "LB" }), { soldBy: "WEIGHT", weightUnit: "LB" });
  assert.deepEqual([byWeight({ soldBy: "PIECE", weightUnit: "LB" }), byWeight({ name: "x", weightUnit: null })], [{ soldBy: "PIECE" }, { name: "x" }]);
  const sizes = [{ name: "Half", priceCents: 100 }, { name: "Full", priceCents: 180, isDefault: true }];
  assert.deepEqual([sized({ priceCents: 1, variants: sizes }).priceCents, sized({ priceCents: 1, variants: sizes.slice(0, 1) }).priceCents], [180, 100]);
  assert.deepEqual([sized({ priceCents: 1, variants: [] }).priceCents, sized({ priceCents: 1 }).priceCents], [1, 1]);
});

test("hours that pass midnight belong to the day they begin on, as the box has them", () => {
  assert.equal(weekday("2026-11-27"), "FRI");
  const late = list({ days: ["FRI"], from: "22:00", to: "02:00" });
  for (const [wall, is] of [["2026-11-27T21:59", false], ["2026-11-27T22:00", true], ["2026-11-28T01:59", true], ["2026-11-28T02:00", false], ["2026-11-28T22:30", false], ["2026-11-27T01:00", false]]) assert.equal(holds(late, /** @type {string} */ (wall)), is, `${wall}`);
  const dinner = list({ from: "18:00" }), early = list({ to: "11:00" }), whole = list({ to: "00:00", from: "18:00" });
  assert.deepEqual([holds(dinner, "2026-11-27T23:59"), holds(dinner, "2026-11-28T00:00"), holds(whole, "2026-11-27T23:59"), holds(whole, "2026-11-28T00:00"), holds(early, "2026-11-28T00:00"), holds(early, "2026-11-28T11:00")], [true, false, true, false, true, false]);
  // The last day is the last it begins on: its night goes on.
  const season = list({ from: "22:00", to: "02:00", startsOn: "2026-11-20", endsOn: "2026-11-27" });
  assert.deepEqual([holds(season, "2026-11-20T01:00"), holds(season, "2026-11-20T22:00"), holds(season, "2026-11-28T01:00"), holds(season, "2026-11-28T22:00")], [false, true, true, false]);
});

test("a list says when it ends, or begins next", () => {
  const happy = list({ days: ["FRI", "SAT"], from: "18:00", to: "20:00" });
  assert.equal(turn(happy, "2026-11-26T12:00"), "2026-11-27T18:00");
  assert.equal(turn(happy, "2026-11-27T18:30"), "2026-11-27T20:00");
  assert.equal(turn(happy, "2026-11-27T20:00"), "2026-11-28T18:00");
  assert.equal(turn(happy, "2026-11-28T20:00"), "2026-12-04T18:00");
  assert.equal(turn(list({}), "2026-11-28T20:00"), null, "for good");
  assert.equal(turn(list({ days: ["SAT", "SUN"] }), "2026-11-28T20:00"), "2026-11-30T00:00", "two whole days are one time");
  assert.equal(turn(list({ startsOn: "2027-12-01" }), "2026-11-28T20:00"), "2027-12-01T00:00");
  assert.equal(turn(list({ endsOn: "2026-11-01" }), "2026-11-28T20:00"), null, "over");
});

test("a list is for the orders that fit all it asks for; the highest priority goes first, then the older", () => {
  const delivery = list({ orderTypes: ["DELIVERY"], channelIds: ["c"] }), terrace = list({ areas: ["Terrace"] });
  assert.deepEqual([isFor(delivery, {}), isFor(delivery, { orderType: "DELIVERY" }), isFor(delivery, { orderType: "DELIVERY", channelId: "c" }), isFor(terrace, { area: "terrace" }), isFor(terrace, {}), isFor(list({}), {})], [false, false, true, true, false, true]);
  const lists = [list({ id: "new", createdAt: "2026-11-02T00:00:00Z" }), list({ id: "old" }), list({ id: "high", priority: 5, createdAt: "2026-11-03T00:00:00Z" }), list({ id: "never", priority: 9, endsOn: "2020-01-01" })];
  assert.deepEqual(inOrder(lists).map(({ id }) => id), ["never", "high", "old", "new"]);
  assert.deepEqual(inForce(lists, "2026-11-28T20:00", {}).map(({ id }) => id), ["high", "old", "new"]);
});

test("a variant goes before its dish, a dish before its category; changes round half away from zero, without a float", () => {
  const dish = { id: "d", name: "Paneer", categoryId: "k", basePriceCents: 1005, outletPriceCents: null, priceCents: 1005, priceListId: null, variants: [{ id: "v", name: "Full", basePriceCents: 3000, outletPriceCents: 2800, priceCents: 2800 }, { id: "w", name: "Half", basePriceCents: 1500, priceCents: 1500 }] };
  const [full, half] = portions(dish);
  assert.deepEqual([full.name, full.own, half.own], ["Paneer · Full", 2800, 1500]);
  const one = list({ entries: [{ categoryId: "k", adjustBps: -1000 }, { menuItemId: "d", priceCents: 1200 }, { variantId: "v", adjustBps: 500 }] });
  assert.deepEqual([cost(full.own, full.targets, [one]).cents, cost(half.own, half.targets, [one]).cents, cost(500, ["x", "k"], [one]).cents, cost(500, ["x", "y"], [one])], [2940, 1200, 450, { cents: 500, list: null }]);
  const over = list({ id: "over", entries: [{ categoryId: "k", priceCents: 1 }] });
  assert.equal(cost(full.own, full.targets, [over, one]).cents, 1, "the list counts before the nearness");
  assert.deepEqual([made(1005, { adjustBps: 1000 }), made(1005, { adjustBps: -1000 }), made(1, { adjustBps: 5000 }), made(1, { adjustBps: -5000 }), made(100, { adjustBps: -10_000 }), made(999_999_999_999, { adjustBps: 1 })], [1106, 904, 2, 0, 0, 1_000_099_999_999]);
  assert.deepEqual(portions({ ...dish, variants: [] }).map(({ id, own }) => [id, own]), [["d", 1005]]);
});

test("an entry is typed as what it costs, or as per cent less or more, and comes back as it was", () => {
  for (const entry of [{ menuItemId: "d", priceCents: 19_900 }, { variantId: "v", adjustBps: -1250 }, { categoryId: "k", adjustBps: 100_000 }, { categoryId: "k", priceCents: 0 }, { menuItemId: "d", adjustBps: 0 }]) assert.deepEqual(entryOf(lineOf(/** @type {any} */ (entry), 2), 2), entry);
  assert.deepEqual(lineOf({ variantId: "v", adjustBps: -1250 }, 2), { kind: "variantId", id: "v", how: "less", text: "12.5" });
  const typed = (/** @type {any} */ how, /** @type {string} */ text) => entryOf({ kind: "menuItemId", id: "d", how, text }, 2);
  assert.deepEqual([typed("less", "101"), typed("more", "1001"), typed("costs", "-1"), typed("costs", ""), typed("less", "x")], [null, null, null, null, null]);
  assert.deepEqual(entryOf({ kind: "menuItemId", id: "d", how: "costs", text: "1200" }, 0), { menuItemId: "d", priceCents: 1200 });
});

test("a combo's choices are dishes or sizes; what of it cannot be had is told, and whether there is any without it", () => {
  assert.deepEqual(asComponents({ name: "Lunch", components: [{ id: "c", name: "Main", minSelections: 1, maxSelections: 2, options: [{ id: "o", menuItemId: "d v", extraCents: 500 }, { menuItemId: "e", extraCents: 0 }] }] }),
    { name: "Lunch", components: [{ name: "Main", minSelections: 1, maxSelections: 2, options: [{ menuItemId: "d", variantId: "v", extraCents: 500 }, { menuItemId: "e", variantId: null, extraCents: 0 }] }] });
  assert.deepEqual(asComponents({ name: "Lunch" }), { name: "Lunch" });
  const part = (/** @type {string} */ name, /** @type {number} */ minSelections, /** @type {boolean[]} */ ...there) => ({ name, minSelections, options: there.map((isAvailable, n) => ({ name: `${name} ${n}`, isAvailable })) });
  const lunch = { kind: "COMBO", components: [part("Main", 1, true, false), part("Bread", 2, true), part("Drink", 0, false)] };
  assert.deepEqual(lacking(lunch), [{ name: "Main", out: ["Main 1"], needed: false }, { name: "Drink", out: ["Drink 0"], needed: false }]);
  assert.equal(isOut(lunch), false);
  assert.equal(isOut({ kind: "COMBO", components: [part("Main", 1, false, false)] }), true);
  assert.deepEqual(lacking({ kind: "ITEM", components: [] }), []);
});
