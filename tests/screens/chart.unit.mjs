// The arithmetic of charts and of dragging: limits that are round, marks with zero among them, bars that do not touch, places on a grid.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ceiling, marks, settled, spots } from "../../edge/screens/kit/scale.js";

test("the top of a chart is the next round number, never below what it shows", () => {
  assert.deepEqual([0, 1, 3, 7, 10, 11, 24, 26, 501, 99_999].map(ceiling), [0, 1, 5, 10, 10, 20, 25, 50, 1000, 100_000]);
  for (let value = 1; value < 5_000; value += 7) assert.ok(ceiling(value) >= value);
});

test("marks are few, evenly apart, within the limits, and zero is one of them", () => {
  for (const [least, most] of [[0, 100], [-50, 100], [0, 25_000], [-10, 0]]) {
    const found = marks(least, most);
    assert.ok(found.length >= 2 && found.length <= 7, `${found}`);
    assert.ok(found.includes(0) || found.some((one) => one === 0));
    assert.ok(found[0] >= least && found[found.length - 1] <= most);
  }
  assert.deepEqual(marks(0, 0), [0]);
});

test("bars stand side by side and never over one another", () => {
  const places = spots(12, 600);
  for (let at = 1; at < places.length; at += 1) assert.ok(places[at - 1].x + places[at - 1].wide < places[at].x);
  assert.ok(places[11].x + places[11].wide <= 600);
  assert.deepEqual(spots(0, 600), []);
});

test("what is dropped lies on the grid and within the plan", () => {
  assert.equal(settled(37, 20, 0, 1000), 40);
  assert.equal(settled(-80, 20, 0, 1000), 0);
  assert.equal(settled(4_000, 20, 0, 1000), 1000);
});
