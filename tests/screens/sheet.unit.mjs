// What the store room's forms compute before they ask, and which cell of a file a complaint means. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const manage = new URL("../../edge/screens/manage/", import.meta.url);
const { cellsOf, doesAnything, placeOf, told, typeOf } = await import(new URL("sheet.js", manage).href);
const { isShort, mayGoBack, scaled, soonest } = await import(new URL("../kit/amounts.js", manage).href);

test("a complaint is shown with its row, its column and what stands there", () => {
  const cells = cellsOf('\uFEFFname,unit,"batches.quantity"\r\n"Rice, ""Sona""\nmasoori",kg,ten\r\n,kg,2\r\n');
  assert.deepEqual(cells, [["name", "unit", "batches.quantity"], ['Rice, "Sona"\nmasoori', "kg", "ten"], ["", "kg", "2"]]);
  assert.deepEqual(placeOf("rows[2].batches.quantity", cells), { row: 2, column: "batches.quantity", value: "ten" });
  assert.deepEqual(placeOf("rows[3].name", cells), { row: 3, column: "name", value: "" });
  assert.deepEqual(placeOf("rows[1].number", cells), { row: 1, column: "number", value: "" });
  assert.deepEqual(placeOf("rows[9].unit", cells), { row: 9, column: "unit", value: "" });
  assert.deepEqual(placeOf("rows[2]", cells), { row: 2, column: "", value: "" });
  // A record of JSON counts from nought; what is about the file as a whole has no row.
  assert.deepEqual(placeOf("items[11].unit", []), { row: 12, column: "unit", value: "" });
  assert.deepEqual(placeOf("rows", cells), { row: null, column: "rows", value: "" });
});

test("cells stand between commas, semicolons or tabs", () => {
  assert.deepEqual(cellsOf("name;price\nRice;1,5"), [["name", "price"], ["Rice", "1,5"]]);
  assert.deepEqual(cellsOf("name\tunit\nRice\tkg\n\nDal\tkg\n"), [["name", "unit"], ["Rice", "kg"], [""], ["Dal", "kg"]]);
  assert.deepEqual(cellsOf(""), []);
});

test("a file is what its name says, else what it begins with", () => {
  assert.equal(typeOf("stock.json", ""), "application/json");
  assert.equal(typeOf("stock.CSV", '{"a"'), "text/csv");
  assert.equal(typeOf("", ' {"items": []}'), "application/json");
  assert.equal(typeOf("", "name,unit"), "text/csv");
});

test("what would change is told in order, and what changes nothing is known", () => {
  const counts = { rows: 5, created: 0, updated: 0, unchanged: 5, ignoredColumns: ["x"], batchesCreated: 0, batchesKept: 2 };
  assert.equal(doesAnything(counts), false);
  assert.equal(doesAnything({ ...counts, batchesCreated: 1 }), true);
  assert.equal(doesAnything({ ...counts, updated: 1 }), true);
  assert.deepEqual(told(counts), [["created", 0], ["updated", 0], ["unchanged", 5], ["batchesKept", 2]]);
});

test("a batch takes of each ingredient in proportion, without a float", () => {
  assert.equal(scaled(4, 5, 10), "2");
  assert.equal(scaled(0.1, 0.3, 1), "0.03");
  assert.equal(scaled(1, 1, 3), "0.333333");
  assert.equal(scaled(1, 2, 3), "0.666667");
  assert.equal(scaled(1, 1, 0), "0");
});

test("what is too little is known across units, and not guessed where nothing says so", () => {
  const flour = { currentStock: 1.5, unit: "kg", unitConversions: [{ unit: "bag", factor: 25 }] };
  assert.equal(isShort("1500", "g", flour), false);
  assert.equal(isShort("1500.1", "g", flour), true);
  assert.equal(isShort("0.07", "bag", flour), true);
  assert.equal(isShort("0.06", "bag", flour), false);
  assert.equal(isShort("900", "pcs", flour), false);
});

test("what may go back is what came of a batch, without what went back already", () => {
  const item = { batchId: "b", name: "Rice", batchNumber: "DEL-1", unit: "kg", unitCostCents: 50, expiryDate: null };
  const order = { deliveries: [{ items: [{ ...item, quantityReceived: 2.1 }, { ...item, batchId: "c", quantityReceived: 1 }] }, { items: [{ ...item, quantityReceived: 0.2 }] }], returns: [{ items: [{ batchId: "b", unit: "kg", quantity: 0.3 }, { batchId: "c", unit: "kg", quantity: 1 }] }] };
  assert.deepEqual(mayGoBack(order), [{ ...item, left: "2" }]);
  assert.deepEqual(mayGoBack({ deliveries: [] }), []);
});

test("the soonest date of some batches is found; what keeps has none", () => {
  assert.equal(soonest([{ expiryDate: "2026-12-02" }, { expiryDate: null }, { expiryDate: "2026-11-30" }]), "2026-11-30");
  assert.equal(soonest([{ expiryDate: null }]), null);
});
