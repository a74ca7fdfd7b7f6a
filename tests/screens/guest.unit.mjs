// What a guest's phone computes: filters, choices, the cart, how far an order is. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allergensOf, billOf, bodyOf, countOf, defaultsOf, fits, groupsOf, lineOf, portionOf, purseOf, refusedLines, shownOf, stepOf, sumOf, toggled, withLine, wrongGroup } from "../../edge/screens/guest/model.js";

const option = (id, more = {}) => ({ id, name: id, priceCents: 0, isDefault: false, isActive: true, isAvailable: true, ...more });
const group = (more = {}) => ({ id: "g", name: "Spice", minSelections: 0, maxSelections: null, options: [option("mild"), option("hot", { priceCents: 500 })], ...more });
const dish = (more = {}) => ({ id: "d", name: "Dosa", priceCents: 10_000, dietary: "VEG", allergens: [], modifierGroups: [group()], ...more });

test("who eats egg eats what has none; vegan is vegetarian, not the other way round", () => {
  const shown = (diet) => ["VEG", "VEGAN", "EGG", "NON_VEG", null].filter((dietary) => fits(dish({ dietary }), { diet, without: [] }));
  assert.deepEqual(shown(""), ["VEG", "VEGAN", "EGG", "NON_VEG", null]);
  assert.deepEqual(shown("VEG"), ["VEG", "VEGAN"]);
  assert.deepEqual(shown("VEGAN"), ["VEGAN"]);
  assert.deepEqual(shown("EGG"), ["VEG", "VEGAN", "EGG"]);
});

test("what must not be eaten is not shown, and a chapter without dishes neither", () => {
  const chapters = [{ id: "1", items: [dish({ allergens: ["milk"] })] }, { id: "2", items: [dish({ allergens: ["nuts"] }), dish({ allergens: ["milk", "nuts"] })] }];
  assert.deepEqual(allergensOf(chapters), ["milk", "nuts"]);
  assert.deepEqual(shownOf(chapters, { diet: "", without: ["milk"] }).map(({ id, items }) => [id, items.length]), [["2", 1]]);
});

test("an option that is out cannot be chosen, not even by itself", () => {
  const some = dish({ modifierGroups: [group({ options: [option("mild", { isAvailable: false, isDefault: true }), option("hot", { isDefault: true })] }), group({ id: "e", options: [option("x", { isActive: false })] })] });
  assert.deepEqual(groupsOf(some).map(({ id, options }) => [id, options.length]), [["g", 1]]);
  assert.deepEqual(defaultsOf(some), ["hot"]);
});

test("one takes the place of another where one is meant, and a required one stays", () => {
  const one = group({ minSelections: 1, maxSelections: 1 }), any = group({ maxSelections: 1 });
  assert.deepEqual(toggled(one, ["mild", "other"], "hot"), ["other", "hot"]);
  assert.deepEqual(toggled(one, ["hot"], "hot"), ["hot"]);
  assert.deepEqual(toggled(any, ["hot"], "hot"), []);
  assert.deepEqual(toggled(group(), ["mild"], "hot"), ["mild", "hot"]);
});

test("a dish of several sizes asks for one, and the size is what is sent and paid", () => {
  const sized = dish({ variants: [{ id: "half", name: "Half", priceCents: 6_000, isDefault: false, isAvailable: true }, { id: "full", name: "Full", priceCents: 10_000, isDefault: false, isAvailable: true }] });
  assert.equal(wrongGroup(sized, [])?.id, "size");
  const line = lineOf(1, sized, ["half", "hot"], 2, "");
  assert.equal(sumOf([line]), 2 * 6_500);
  assert.deepEqual(bodyOf([line], "t", "").items, [{ menuItemId: "d", variantId: "half", quantity: 2, unitPriceCents: 6_000, modifiers: [{ optionId: "hot" }] }]);
  assert.deepEqual(defaultsOf(dish({ variants: [{ id: "full", name: "Full", priceCents: 1, isDefault: true, isAvailable: true }] })), ["full"]);
});

test("too little and too much are said by the group", () => {
  const two = dish({ modifierGroups: [group({ minSelections: 1, maxSelections: 1 })] });
  assert.equal(wrongGroup(two, [])?.name, "Spice");
  assert.equal(wrongGroup(two, ["mild"]), null);
  assert.equal(wrongGroup(two, ["mild", "hot"])?.name, "Spice");
});

test("the same again is one line; another note is another", () => {
  const line = (chosen, quantity, notes, id) => lineOf(id, dish(), chosen, quantity, notes);
  let cart = withLine([], line(["hot"], 1, "", 1));
  cart = withLine(cart, line(["hot"], 2, " ", 2));
  cart = withLine(cart, line(["hot"], 1, "no salt", 3));
  assert.deepEqual(cart.map(({ quantity, notes }) => [quantity, notes]), [[3, ""], [1, "no salt"]]);
  assert.deepEqual([portionOf(cart[0]), sumOf(cart), countOf(cart)], [10_500, 42_000, 4]);
});

test("what is sent names options by id, and a code only when it is one", () => {
  const cart = [lineOf(1, dish(), ["hot"], 2, "no salt")];
  assert.deepEqual(bodyOf(cart, "phone", "12"), { guestToken: "phone", items: [{ menuItemId: "d", quantity: 2, unitPriceCents: 10_000, modifiers: [{ optionId: "hot" }], notes: "no salt" }] });
  assert.equal(bodyOf(cart, "phone", "1234").sessionCode, "1234");
});

test("a refusal names the lines it is about", () => {
  assert.deepEqual(refusedLines([{ name: "items[2].menuItemId" }, { name: "items[0].modifiers[1].optionId" }, { name: "items[2].quantity" }, { name: "sessionCode" }, { name: "items" }]), [2, 0]);
});

test("how far an order is", () => {
  const step = (status, awaitsApproval = false) => stepOf({ status, awaitsApproval });
  assert.deepEqual([step("PENDING", true), step("PENDING"), step("ACCEPTED"), step("IN_PREPARATION"), step("READY"), step("DELIVERED"), step("COMPLETED"), step("CANCELLED", true)], [0, 1, 1, 2, 3, 4, 4, -1]);
});

test("what a party is asked about is its last order that was not refused", () => {
  const order = (/** @type {string} */ orderNumber, /** @type {string} */ status, receiptCode = `of ${orderNumber}`) => ({ orderNumber, receiptCode, status, awaitsApproval: false });
  assert.equal(billOf([]), null);
  assert.deepEqual(billOf([order("1", "COMPLETED"), order("2", "PENDING"), order("3", "CANCELLED")]), { orderNumber: "2", receiptCode: "of 2" });
  assert.equal(billOf([order("1", "CANCELLED"), { ...order("2", "ACCEPTED"), receiptCode: null }]), null);
});

test("a currency knows its decimals", () => {
  assert.deepEqual(["INR", "JPY", "KWD"].map((currency) => purseOf(currency, "en-IN").decimals), [2, 0, 3]);
});
