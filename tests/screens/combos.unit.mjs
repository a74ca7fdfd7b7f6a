// What the till and a guest's phone compute of combos and of prices that change: what is chosen, what it costs, what is sent, what is lost
// meanwhile. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const at = new URL("../../edge/screens/", import.meta.url);
const choice = await import(new URL("pos/choice.js", at).href);
const draft = await import(new URL("pos/draft.js", at).href);
const sums = await import(new URL("pos/sums.js", at).href);
const guest = await import(new URL("guest/model.js", at).href);

/** @param {string} id @param {any} [more] */
const option = (id, more = {}) => ({ id, name: id, priceCents: 0, isDefault: false, isActive: true, isAvailable: true, ...more });
/** @param {string} id @param {any} [more] */
const dish = (id, more = {}) => ({ id, name: id, kind: "ITEM", priceCents: 10_000, isActive: true, isAvailable: true, availability: { status: "IN_STOCK", quantityLeft: null }, dietary: null, allergens: [], modifierGroups: [], variants: [], components: [], ...more });
/** @param {string} id @param {any} [more] */
const offer = (id, more = {}) => ({ id: `o-${id}-${more.variantId ?? ""}`, menuItemId: id, variantId: null, name: id, extraCents: 0, priceCents: 10_000, isAvailable: true, ...more });
const spice = { id: "spice", name: "Spice", minSelections: 1, maxSelections: 1, options: [option("mild"), option("hot", { priceCents: 500 })] };
const size = { id: "glass", name: "Glass", minSelections: 0, maxSelections: 1, options: [option("small", { isDefault: true }), option("large", { priceCents: 4_000 })] };
const menu = new Map([dish("tikka", { modifierGroups: [spice] }), dish("dal", { variants: [option("half", { priceCents: 6_000 }), option("full")] }), dish("naan"), dish("lassi", { modifierGroups: [size] }), dish("soda")].map((one) => [one.id, one]));
/** @param {any} [more] @param {any} [offers] */
const thali = (more = {}, offers = {}) => dish("thali", {
  kind: "COMBO", priceCents: 40_000, components: [
    { id: "c1", name: "Main", minSelections: 1, maxSelections: 1, options: [offer("tikka", offers.tikka), offer("dal", { variantId: "half", name: "dal (half)", extraCents: 2_000, ...offers.dal })] },
    { id: "c2", name: "Bread", minSelections: 1, maxSelections: 1, options: [offer("naan")] },
    { id: "c3", name: "Drink", minSelections: 1, maxSelections: 2, options: [offer("lassi", offers.lassi), offer("soda", { isAvailable: false })] },
  ], ...more,
});
const names = (/** @type {any[]} */ parts) => parts.map((one) => one.name);

test("what can be chosen in one way alone is chosen already; what is sold out is no choice", () => {
  const line = draft.newLine(thali(), "a", { dishes: menu });
  assert.deepEqual(line.parts.map((/** @type {any} */ one) => [one.component, one.name]), [["Bread", "naan"], ["Drink", "lassi"]]);
  assert.deepEqual(line.parts[1].options.map((/** @type {any} */ one) => one.optionId), ["small"]);
  assert.deepEqual(draft.lacking(line, thali(), menu).map(({ name }) => name), ["Main"]);
  assert.equal(draft.newLine(dish("naan"), "b").parts, undefined);
});

test("a dish of a combo takes the place of the other; several are as many as fit, each with choices of its own", () => {
  const item = thali(), [main, , drink] = item.components;
  let { parts } = draft.newLine(item, "a", { dishes: menu });
  parts = choice.pick(item, parts, main, main.options[0], menu);
  assert.deepEqual(names(parts), ["tikka", "naan", "lassi"]);
  assert.deepEqual(choice.lackingParts(item, parts, menu).map(({ id, name }) => [id, name]), [["part/0/spice", "tikka: Spice"]]);
  parts = choice.changePart(parts, 0, (/** @type {any} */ one) => choice.tap(one, spice, spice.options[1]));
  assert.deepEqual(choice.lackingParts(item, parts, menu), []);
  assert.equal(choice.pick(item, parts, main, main.options[0], menu), parts, "what is needed is not taken back by a second tap");
  parts = choice.pickMore(item, parts, drink, drink.options[0], menu);
  assert.equal(choice.pickMore(item, parts, drink, drink.options[0], menu), parts, "no more than two");
  parts = choice.changePart(parts, 3, (/** @type {any} */ one) => choice.tap(one, size, size.options[1]));
  assert.deepEqual(parts.slice(2).map((/** @type {any} */ one) => one.options[0].optionId), ["small", "large"]);
  assert.equal(choice.extraOf(parts), 500 + 4_000);
  assert.deepEqual(names(choice.pick(item, parts, drink, drink.options[0], menu)), ["tikka", "naan"], "a tap on one that is chosen twice takes both back");
  assert.deepEqual(names(choice.pick(item, parts, main, main.options[1], menu))[0], "dal (half)");
});

test("a combo is sent at its price without what is asked on top, with each selection; the line shows all it costs", () => {
  const item = thali(), [main] = item.components;
  const begun = draft.newLine(item, "a", { dishes: menu });
  const line = { ...begun, quantity: 2, parts: choice.pick(item, begun.parts, main, main.options[1], menu) };
  assert.equal(draft.priceOf(line), 2 * 42_000);
  const { unitPriceCents, components, modifiers } = draft.body(line);
  assert.deepEqual([unitPriceCents, modifiers], [40_000, []]);
  assert.deepEqual(components, [
    { name: "Main", menuItemId: "dal", variantId: "half", modifiers: [] }, { name: "Bread", menuItemId: "naan", modifiers: [] },
    { name: "Drink", menuItemId: "lassi", modifiers: [{ optionId: "small", priceCents: 0 }] }]);
  // Its size is the combo's matter: the dish asks for none.
  assert.deepEqual(choice.ownGroups("dal", menu), []);
  const same = draft.add([line], { ...line, id: "b", quantity: 1 });
  assert.deepEqual([same.lines.length, same.lines[0].quantity], [1, 3]);
  assert.equal(draft.add([line], { ...begun, id: "b" }).lines.length, 2);
});

test("what of a combo is sold out meanwhile is named and goes, what asks for more is told as a price", () => {
  const item = thali(), [main] = item.components;
  const begun = draft.newLine(item, "a", { dishes: menu });
  const line = { ...begun, parts: choice.pick(item, begun.parts, main, main.options[1], menu) };
  assert.equal(draft.differs(line, item, menu), null);
  const out = thali({}, { dal: { isAvailable: false } });
  assert.deepEqual(draft.differs(line, out, menu), { kind: "OPTION", name: "dal (half)" });
  // The one that is left is chosen, since there is no other way.
  assert.deepEqual(names(draft.current(line, out, menu).parts), ["tikka", "naan", "lassi"]);
  assert.deepEqual(draft.differs(line, thali({}, { dal: { extraCents: 3_000 } }), menu), { kind: "PRICE", was: 42_000, is: 43_000 });
  assert.deepEqual(draft.differs(line, thali({ isAvailable: false }), menu), { kind: "OUT" });
  assert.deepEqual(draft.differs({ ...line, parts: line.parts.map((/** @type {any} */ one) => (one.name === "lassi" ? { ...one, options: [{ optionId: "gone", name: "jug", priceCents: 0, count: 1 }] } : one)) }, item, menu), { kind: "OPTION", name: "lassi: jug" });
});

test("the same again of a combo has its dishes and their choices; what was refused of it is named", () => {
  const sent = { menuItemId: "thali", variantId: null, modifiers: [], notes: null, seatNumber: 3, course: 1, quantity: 2, components: [
    { name: "Main", menuItemId: "tikka", variantId: null, modifiers: [{ optionId: "hot", name: "hot", priceCents: 1 }] }, { name: "Bread", menuItemId: "naan", variantId: null, modifiers: [] },
    { name: "Drink", menuItemId: "lassi", variantId: null, modifiers: [{ optionId: "large", name: "large", priceCents: 4_000 }, { optionId: null, name: "no ice", priceCents: 0 }] }] };
  const line = draft.again(sent, thali(), "z", menu);
  assert.deepEqual([line.quantity, line.seat, draft.priceOfOne(line)], [1, 3, 40_000 + 500 + 4_000]);
  const said = draft.refused([line], [{ name: "items[0].components[2].menuItemId", reason: "is out of stock" }, { name: "items[0].components", reason: "must choose at least 1 of Main" }]);
  assert.equal(said.lines[0].refusal, "lassi: is out of stock; must choose at least 1 of Main");
});

test("a price that a list ended may be kept for a while, until it is refused; another change is taken or not", () => {
  const happy = dish("lassi", { priceCents: 7_000, priceListId: "l" }), usual = dish("lassi", { priceCents: 9_000 });
  const line = draft.newLine(happy, "a");
  assert.deepEqual(draft.differs(line, usual), { kind: "PRICE", was: 7_000, is: 9_000, mayKeep: true });
  const kept = draft.keeping(line, usual);
  assert.equal(draft.differs(kept, usual), null);
  assert.equal(draft.body(kept).unitPriceCents, 7_000);
  assert.deepEqual(draft.differs(kept, dish("lassi", { priceCents: 9_500 })).is, 9_500, "a third price is told anew");
  const [back] = draft.refused([kept], [{ name: "items[0].unitPriceCents", reason: "must be 9000, the price of the outlet" }]).lines;
  assert.deepEqual(draft.differs(back, usual), { kind: "PRICE", was: 7_000, is: 9_000 });
  assert.equal(draft.current(back, usual).unitPriceCents, 9_000);
  assert.deepEqual(draft.differs(draft.newLine(usual, "b"), dish("lassi", { priceCents: 9_500 })), { kind: "PRICE", was: 9_000, is: 9_500 });
  // What was typed before the menu of its order was there takes that menu's price by itself.
  assert.deepEqual(draft.settled({ ...draft.newLine(usual, "c"), isEarly: true, quantity: 2 }, happy), { ...draft.newLine(happy, "c"), quantity: 2 });
});

test("the dishes of a combo that was sent: the same ones once, each with how far it is", () => {
  const part = (/** @type {string} */ itemName, /** @type {string} */ status, modifiers = []) => ({ itemName, modifiers, kitchen: { status } });
  assert.deepEqual(sums.madeOf([part("naan", "READY"), part("lassi", "QUEUED"), part("lassi", "QUEUED"), part("lassi", "READY", /** @type {any} */ ([{ name: "large" }]))]),
    [{ text: "naan", status: "READY" }, { text: "2 × lassi", status: "QUEUED" }, { text: "lassi · large", status: "READY" }]);
});

test("a guest's combo: filled, chosen, priced, told, and sent with the price that was shown", () => {
  const dishes = [...menu.values()], item = thali(), [main, , drink] = item.components;
  let parts = guest.filled(item, [], dishes);
  assert.deepEqual(names(parts), ["naan", "lassi"]);
  assert.equal(guest.wrongPart(item, parts, dishes), "Main");
  parts = guest.withOffer(item, parts, main, main.options[0], 1, dishes);
  assert.equal(guest.wrongPart(item, parts, dishes), "tikka: Spice");
  parts = parts.map((/** @type {any} */ part, /** @type {number} */ n) => (n === 0 ? guest.withOption(part, spice, "hot") : part));
  assert.equal(guest.wrongPart(item, parts, dishes), null);
  parts = guest.withOffer(item, parts, drink, drink.options[0], 3, dishes);
  assert.deepEqual(names(parts), ["tikka", "naan", "lassi", "lassi"], "two at most");
  const line = guest.lineOf(1, item, [], 1, "", parts);
  assert.deepEqual([guest.portionOf(line), guest.unitOf(line)], [40_500, 40_000]);
  assert.deepEqual(guest.told(parts.map((/** @type {any} */ part) => ({ name: part.name, with: part.options.map((/** @type {any} */ one) => one.name) }))), ["tikka · hot", "naan", "2 × lassi · small"]);
  const [sent] = guest.bodyOf([line], "phone", "").items;
  assert.deepEqual([sent.unitPriceCents, sent.components[0]], [40_000, { name: "Main", menuItemId: "tikka", modifiers: [{ optionId: "hot" }] }]);
  assert.equal(guest.withLine([line], { ...line, id: 2 }).length, 1);
  assert.equal(guest.withLine([line], guest.lineOf(2, item, [], 1, "", parts.slice(0, 3))).length, 2);
  assert.equal(guest.withLine([line], guest.atPrice({ ...line, id: 2 }, 39_000)).length, 2, "what was shown at another price is another line");
  // Sold out meanwhile: what is left is chosen where there is one way alone.
  assert.deepEqual(names(guest.currentParts(thali({}, { tikka: { isAvailable: false } }), parts, dishes)), ["dal (half)", "naan", "lassi", "lassi"]);
});

test("a refusal names right prices and what of a combo is gone; a new price takes its place in dish or size", () => {
  const cart = [guest.lineOf(1, dish("dal", { variants: [option("half", { priceCents: 6_000 })] }), ["half"], 1, ""), guest.lineOf(2, thali(), [], 1, "", guest.filled(thali(), [], [...menu.values()]))];
  const fields = [{ name: "items[0].unitPriceCents", reason: "must be 6500, the price of the outlet" }, { name: "items[1].components[1].menuItemId", reason: "is out of stock" }];
  assert.deepEqual([guest.rightPrices(fields), guest.refusedParts(fields, cart)], [{ 0: 6_500 }, { 1: "lassi" }]);
  const next = guest.atPrice(cart[0], 6_500);
  assert.deepEqual([guest.unitOf(next), guest.portionOf(next), guest.bodyOf([next], "p", "").items[0].unitPriceCents], [6_500, 6_500, 6_500]);
  assert.equal(guest.atPrice(cart[1], 41_000).cents, 41_000);
});

test("the pass sees the dishes of a combo together, by seat and by when they were sent; what is out or off is no matter", async () => {
  const { combosOf } = await import(new URL("kitchen/model.js", at).href);
  const item = (/** @type {string} */ name, more = {}) => ({ id: `i-${name}-${JSON.stringify(more)}`, name, comboName: "THALI", quantity: 1, modifiers: [], seatNumber: null, status: "QUEUED", ...more });
  const ticket = (/** @type {any[]} */ items, more = {}) => ({ type: "NEW", status: "QUEUED", createdAt: "1", items, ...more });
  const [first, later, ...rest] = combosOf([
    ticket([item("tikka", { status: "READY" }), item("roti", { comboName: null })]), ticket([item("lassi", { status: "READY" }), item("lassi", { status: "READY", modifiers: ["large"] })]),
    ticket([item("tikka")], { createdAt: "2" }), ticket([item("naan"), item("naan", { id: "again" })], { createdAt: "2", status: "HELD" }),
    ticket([item("tikka", { status: "CANCELLED" })]), ticket([item("tikka")], { type: "REPRINT" }), ticket([item("old")], { createdAt: "0", status: "SERVED" })]);
  assert.deepEqual([first.isReady, first.pieces.map((/** @type {any} */ one) => [one.name, one.modifiers, one.status])], [true, [["tikka", "", "READY"], ["lassi", "", "READY"], ["lassi", "large", "READY"]]]);
  assert.deepEqual([later.isReady, later.pieces.map((/** @type {any} */ one) => [one.quantity, one.name, one.status])], [false, [[1, "tikka", "QUEUED"], [2, "naan", "HELD"]]]);
  assert.deepEqual(rest, []);
});
