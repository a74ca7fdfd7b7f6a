// The till's pure modules: drafts and their bodies, what the menu of now changes, tables in a word, finding dishes, cash, shares.

import assert from "node:assert/strict";
import { test } from "node:test";

const at = new URL("../../edge/screens/pos/", import.meta.url);
const draft = await import(new URL("draft.js", at).href);
const sums = await import(new URL("sums.js", at).href);

/** @param {any} more */
const dish = (more = {}) => ({
  id: "d1", name: "Paneer Tikka", sku: "M-002", priceCents: 28000, isActive: true, isAvailable: true, availability: { status: "IN_STOCK", quantityLeft: null },
  modifierGroups: [
    { id: "spice", name: "Spice", minSelections: 0, maxSelections: 1, options: [option("mild"), option("medium", { isDefault: true }), option("hot")] },
    { id: "extra", name: "Extras", minSelections: 0, maxSelections: 3, options: [option("chutney", { priceCents: 2000 }), option("cheese", { priceCents: 5000 })] },
  ], components: [], ...more,
});
/** @param {string} id @param {any} [more] */
const option = (id, more = {}) => ({ id, name: id, priceCents: 0, isDefault: false, isActive: true, isAvailable: true, ...more });

test("a dish is taken with what is chosen unless told otherwise; again is one portion more, otherwise chosen is another line", () => {
  const item = dish();
  let { lines, id } = draft.add([], draft.newLine(item, "a"));
  ({ lines, id } = draft.add(lines, draft.newLine(item, "b")));
  assert.deepEqual([lines.length, lines[0].quantity, id], [1, 2, "a"]);
  assert.deepEqual(lines[0].options.map((/** @type {any} */ one) => one.optionId), ["medium"]);
  lines = draft.change(lines, "a", (/** @type {any} */ line) => draft.tap(line, draft.groupsOf(item)[0], item.modifierGroups[0].options[2]));
  ({ lines } = draft.add(lines, draft.newLine(item, "b")));
  assert.deepEqual(lines.map((/** @type {any} */ line) => [line.quantity, line.options[0].optionId]), [[2, "hot"], [1, "medium"]]);
  assert.equal(draft.change(lines, "b", (/** @type {any} */ line) => ({ ...line, quantity: 0 })).length, 1);
});

test("one choice replaces another where one may be had, a tap on the chosen one keeps it; several count up to their most", () => {
  const item = dish(), [spice, extra] = draft.groupsOf(item);
  let line = draft.newLine(item, "a");
  line = draft.tap(line, spice, spice.options[1]);
  assert.equal(draft.count(line, spice), 1);
  line = draft.none(line, spice);
  assert.equal(draft.count(line, spice), 0);
  line = draft.tap(line, extra, extra.options[0]);
  line = draft.more(line, extra, "chutney", 1);
  line = draft.tap(line, extra, extra.options[1]);
  assert.equal(draft.count(line, extra), 3);
  assert.equal(draft.more(line, extra, "cheese", 1), line);
  assert.equal(draft.priceOfOne(line), 28000 + 2 * 2000 + 5000);
  line = draft.tap(line, extra, extra.options[1]);
  assert.equal(draft.priceOf({ ...line, quantity: 3 }), 3 * 32000);
  assert.deepEqual(draft.body(line).modifiers, [{ optionId: "chutney", priceCents: 2000 }, { optionId: "chutney", priceCents: 2000 }]);
});

test("what must be chosen is lacking until it is", () => {
  const item = dish({ modifierGroups: [{ id: "portion", name: "Portion", minSelections: 1, maxSelections: 1, options: [option("single"), option("family")] }] });
  let line = draft.newLine(item, "a");
  assert.deepEqual(draft.lacking(line, item).map((/** @type {any} */ group) => group.id), ["portion"]);
  line = draft.tap(line, item.modifierGroups[0], item.modifierGroups[0].options[1]);
  assert.deepEqual(draft.lacking(line, item), []);
});

test("a dish of several sizes asks for one like a required group; the line is sent as the size at its price", () => {
  const variants = [{ id: "half", name: "Half", priceCents: 16000, isDefault: false, isAvailable: true }, { id: "full", name: "Full", priceCents: 28000, isDefault: false, isAvailable: true }];
  const item = dish({ variants }), [size] = draft.groupsOf(item);
  let line = draft.newLine(item, "a");
  assert.deepEqual(draft.lacking(line, item).map((/** @type {any} */ group) => group.id), [draft.SIZE]);
  line = draft.tap(line, size, size.options[0]);
  assert.deepEqual([draft.lacking(line, item), draft.priceOf({ ...line, quantity: 2 })], [[], 32000]);
  const { variantId, unitPriceCents, modifiers } = draft.body(line);
  assert.deepEqual([variantId, unitPriceCents, modifiers], ["half", 16000, [{ optionId: "medium", priceCents: 0 }]]);
  assert.deepEqual(draft.differs(line, dish({ variants: [{ ...variants[0], priceCents: 17000 }, variants[1]] })), { kind: "PRICE", was: 16000, is: 17000 });
  assert.deepEqual(draft.differs(line, dish({ variants: [{ ...variants[0], isAvailable: false }, variants[1]] })), { kind: "OPTION", name: "Half" });
  assert.deepEqual(draft.newLine(dish({ variants: [variants[0], { ...variants[1], isDefault: true }] }), "b").options[0].optionId, "full");
  const same = draft.again({ menuItemId: "d1", variantId: "half", modifiers: [], seatNumber: null, notes: null, course: 1 }, item, "c");
  assert.equal(draft.body(same).variantId, "half");
});

test("the menu of now is held against what was typed: price, few, sold out, option, gone", () => {
  const line = { ...draft.newLine(dish(), "a"), quantity: 4 };
  assert.equal(draft.differs(line, dish()), null);
  assert.deepEqual(draft.differs(line, dish({ priceCents: 30000 })), { kind: "PRICE", was: 28000, is: 30000 });
  assert.deepEqual(draft.differs(line, dish({ isAvailable: false })), { kind: "OUT" });
  assert.deepEqual(draft.differs(line, undefined), { kind: "GONE" });
  assert.deepEqual(draft.differs(line, dish({ availability: { status: "LIMITED", quantityLeft: 2 } })), { kind: "FEW", left: 2 });
  const without = dish();
  without.modifierGroups[0].options[1].isAvailable = false;
  assert.deepEqual(draft.differs(line, without), { kind: "OPTION", name: "medium" });
  assert.deepEqual(draft.current(line, without).options, []);
  assert.equal(draft.current(line, dish({ priceCents: 30000 })).unitPriceCents, 30000);
  assert.equal(draft.current(line, dish({ availability: { status: "LIMITED", quantityLeft: 2 } })).quantity, 2);
});

test("a draft is the body of an order, with nothing that was not typed", () => {
  const one = draft.newDraft("t:1", "k", { lines: [draft.newLine(dish(), "a")], customerName: " ", notes: " no onion " });
  assert.deepEqual(draft.orderBody(one, "1"), { orderType: "DINE_IN", tableId: "1", notes: "no onion", items: [{ menuItemId: "d1", quantity: 1, unitPriceCents: 28000, name: "Paneer Tikka", modifiers: [{ optionId: "medium", priceCents: 0 }] }] });
  const two = draft.newDraft("n:1", "k", { orderType: "DELIVERY", deliveryAddress: "12 Road", channelId: "c", externalId: "Z1", customerPhone: "98", lines: [{ ...draft.newLine(dish(), "a"), hold: true, seat: 2, course: 3, notes: "x" }] });
  const body = draft.orderBody(two, null);
  assert.deepEqual([body.orderType, body.deliveryAddress, body.channelId, body.externalId, body.customerPhone], ["DELIVERY", "12 Road", "c", "Z1", "98"]);
  assert.deepEqual([body.items[0].hold, body.items[0].seatNumber, body.items[0].course, body.items[0].notes], [true, 2, 3, "x"]);
});

test("what was refused stands at its line, the rest apart", () => {
  const lines = [draft.newLine(dish(), "a"), draft.newLine(dish(), "b")];
  const said = draft.refused(lines, [{ name: "items[1].menuItemId", reason: "is out of stock" }, { name: "guestCount", reason: "is too many" }, { name: "items[7].x", reason: "y" }]);
  assert.deepEqual(said.lines.map((/** @type {any} */ line) => line.refusal), [null, "is out of stock"]);
  assert.deepEqual(said.rest, ["guestCount: is too many", "items[7].x: y"]);
});

test("the same again has the options of before, counted, at the price of now", () => {
  const sent = { menuItemId: "d1", name: "x", modifiers: [{ optionId: "chutney", name: "chutney", priceCents: 1 }, { optionId: "chutney", name: "chutney", priceCents: 1 }, { optionId: null, name: "hot!", priceCents: 0 }], notes: null, seatNumber: 2, course: 1, quantity: 5 };
  const line = draft.again(sent, dish(), "z");
  assert.deepEqual([line.quantity, line.seat, line.options], [1, 2, [{ optionId: "chutney", name: "chutney", priceCents: 2000, count: 2 }]]);
});

/** @param {any} more */
const table = (more = {}) => ({ id: "t", number: "1", area: "Hall", seats: 4, status: "OCCUPIED", position: { x: 0, y: 0 }, party: { id: "p", partySize: 2, openedAt: "2026-01-01T10:00:00Z", server: { id: "me", name: "A" } }, orders: [], dueCents: 0, calls: [], ...more });
/** @param {any} more */
const order = (more = {}) => ({ id: "o", awaitsApproval: false, bill: null, dueCents: 100, guestCount: 3, server: null, createdAt: "2026-01-01T10:05:00Z", lines: { held: 0, waiting: 0, ready: 0, served: 0, ...more.lines }, ...more, ...(more.lines ? { lines: { held: 0, waiting: 0, ready: 0, served: 0, ...more.lines } } : {}) });

test("a table is told in the word of what has to be done first", () => {
  const words = [
    [table({ status: "CLEANING" }), "DIRTY"], [table({ status: "AVAILABLE", party: null }), "FREE"], [table({ status: "RESERVED", party: null }), "RESERVED"], [table(), "SEATED"],
    [table({ orders: [order({ awaitsApproval: true, lines: { ready: 1 } })], dueCents: 100 }), "ACCEPT"], [table({ orders: [order({ lines: { ready: 1, waiting: 2 } })], dueCents: 100, calls: [{ what: "BILL" }] }), "READY"],
    [table({ orders: [order()], dueCents: 100, calls: [{ what: "BILL" }] }), "CALL"], [table({ orders: [order({ dueCents: 0 })] }), "PAID"], [table({ orders: [order({ bill: "B1", lines: { waiting: 1 } })], dueCents: 5 }), "BILL"],
    [table({ orders: [order({ lines: { waiting: 1 } })], dueCents: 5 }), "COOKING"], [table({ orders: [order({ lines: { held: 1 } })], dueCents: 5 }), "HELD"], [table({ orders: [order({ lines: { served: 1 } })], dueCents: 5 }), "EATING"], [table({ status: "BLOCKED" }), "BLOCKED"],
  ];
  for (const [one, word] of words) assert.equal(sums.wordOfTable(one), word);
  assert.equal(sums.isMine(table(), "me"), true);
  assert.equal(sums.isMine(table(), null), false);
  assert.equal(sums.coversOf(table({ party: { partySize: null, openedAt: "", server: null, id: "" }, orders: [order(), order()] })), 6);
  assert.deepEqual([sums.age(null, { warnMinutes: 15, lateMinutes: 30 }), sums.age(14, { warnMinutes: 15, lateMinutes: 30 }), sums.age(15, { warnMinutes: 15, lateMinutes: 30 }), sums.age(30, { warnMinutes: 15, lateMinutes: 30 })], ["", "new", "soon", "late"]);
});

test("a plan is a grid by the places of tables, and none where two share one", () => {
  const at = (/** @type {string} */ id, /** @type {number} */ x, /** @type {number} */ y) => table({ id, position: { x, y } });
  assert.deepEqual(sums.plan([at("a", 0, 0), at("b", 120, 0), at("c", 0, 140)])?.at, [{ id: "a", column: 1, row: 1 }, { id: "b", column: 2, row: 1 }, { id: "c", column: 1, row: 2 }]);
  assert.equal(sums.plan([at("a", 0, 0), at("b", 0, 0)]), null);
  assert.equal(sums.plan([table({ position: null })]), null);
});

test("dishes are found by first letters, initials, numbers and without accents, the best first", () => {
  const items = ["Paneer Tikka", "Paneer Butter Masala", "Café Latte", "Plain Dosa", "Tikka Roll"].map((name, n) => dish({ id: String(n), name, sku: `M-00${n}` }));
  const names = (/** @type {string} */ text) => sums.find(items, text).map((/** @type {any} */ item) => item.name);
  assert.deepEqual(names("pan"), ["Paneer Tikka", "Paneer Butter Masala"]);
  assert.deepEqual(names("pbm"), ["Paneer Butter Masala"]);
  assert.deepEqual(names("pa ti"), ["Paneer Tikka"]);
  assert.deepEqual(names("tikka"), ["Tikka Roll", "Paneer Tikka"]);
  assert.deepEqual(names("cafe"), ["Café Latte"]);
  assert.deepEqual(names("3"), ["Plain Dosa"]);
  assert.deepEqual(names("xyz"), []);
  assert.deepEqual(sums.favourites(items, { 3: 2, 0: 5 }).map((/** @type {any} */ item) => item.id), ["0", "3"]);
});

test("a dish is found by what it is called in any language, with and without accents", () => {
  const items = [dish({ id: "p", name: "Paneer Tikka", texts: { hi: { name: "पनीर टिक्का" }, ta: { name: "பன்னீர் டிக்கா" }, fr: { name: "Fromage grillé épicé" } } }), dish({ id: "d", name: "Plain Dosa", texts: { hi: { description: "सादा" } } })];
  const found = (/** @type {string} */ text) => sums.find(items, text).map((/** @type {any} */ item) => item.id);
  assert.deepEqual([found("पनीर"), found("टिक्का"), found("பன்னீர்"), found("grille epice"), found("épicé"), found("paneer"), found("சாதம்")], [["p"], ["p"], ["p"], ["p"], ["p"], ["p"], []]);
});

test("the till keeps the house's own name of a dish and says that of whoever stands there beside it; what is chosen of one is in theirs", () => {
  const group = { id: "g", name: "Spice", texts: { hi: { name: "तीखापन" } }, options: [{ id: "o", name: "Mild", texts: { hi: { name: "हल्का" } } }, { id: "q", name: "Hot" }] };
  const menu = [{ id: "c", name: "Starters", texts: { hi: { name: "स्टार्टर" } }, items: [dish({ id: "p", name: "Paneer", texts: { hi: { name: "पनीर" } }, variants: [{ id: "v", name: "Half", texts: { hi: { name: "हाफ़" } } }], modifierGroups: [group] }), dish({ id: "n", name: "Naan", texts: { hi: { name: "Naan" } }, variants: [], modifierGroups: [] })] }];
  const [hindi] = sums.readIn(menu, "hi");
  assert.deepEqual([hindi.name, hindi.items[0].name, hindi.items[0].own, hindi.items[0].variants[0].name, hindi.items[0].modifierGroups[0].name, hindi.items[0].modifierGroups[0].options.map((/** @type {any} */ one) => one.name), hindi.items[1].own],
    ["स्टार्टर", "Paneer", "पनीर", "हाफ़", "तीखापन", ["हल्का", "Hot"], null]);
  const offer = (/** @type {string} */ menuItemId, /** @type {string} */ name, variantId = null) => ({ id: name, menuItemId, variantId, name, extraCents: 0 });
  const combo = dish({ id: "c", name: "Meal", kind: "COMBO", variants: [], modifierGroups: [], components: [{ id: "m", name: "Main", texts: { hi: { name: "मुख्य" } }, options: [offer("p", "Paneer (Half)", /** @type {any} */ ("v")), offer("p", "Paneer"), offer("n", "Naan"), offer("x", "Gone")] }] });
  const [part] = sums.readIn([{ ...menu[0], items: [...menu[0].items, combo] }], "hi")[0].items[2].components;
  assert.deepEqual([part.name, part.own, part.options.map((/** @type {any} */ one) => [one.name, one.own])], ["Main", "मुख्य", [["Paneer (Half)", "पनीर (हाफ़)"], ["Paneer", "पनीर"], ["Naan", null], ["Gone", null]]]);
  // What is told of it later is put beside dishes that were read already.
  const read = new Map(hindi.items.map((/** @type {any} */ one) => [one.id, one]));
  assert.deepEqual(sums.dishIn(combo, "hi", read).components, [part]);
  assert.deepEqual(sums.dishIn(combo, "ta", new Map(menu[0].items.map((one) => [one.id, one]))).components[0].options.map((/** @type {any} */ one) => one.own), [null, null, null, null]);
  const [tamil] = sums.readIn(menu, "ta");
  assert.deepEqual([tamil.name, tamil.items[0].own, tamil.items[0].variants[0].name], ["Starters", null, "Half"]);
});

test("cash offers are above what is due, shares add up, seats and options are told once", () => {
  assert.deepEqual(sums.cashOffers(58800, [10000, 20000, 50000]), [60000, 100000]);
  assert.deepEqual(sums.cashOffers(9000, [10000, 20000, 50000]), [10000, 20000, 50000]);
  assert.ok(sums.cashOffers(123, []).every((/** @type {number} */ one) => one > 123));
  for (const [due, n] of [[100, 3], [64400, 3], [1, 2]]) assert.equal(sums.equalParts(due, n).reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0), due);
  assert.equal(sums.counted({ 50000: 2, 1000: 3 }), 103000);
  assert.deepEqual(sums.seatsOf([{ seatNumber: 2, quantity: 1 }, { seatNumber: 1, quantity: 1 }, { seatNumber: 3, quantity: 0 }, { quantity: 1 }]), [1, 2]);
  assert.deepEqual(sums.told([{ name: "a" }, { name: "b" }, { name: "a" }]), ["2 × a", "b"]);
});

test("an order names the channel it came through; staff answer what guests and channels sent, until it has gone on", () => {
  const channels = new Map([["c1", "Swiggy"]]);
  assert.equal(sums.originOf({ channelId: "c1", externalId: "SW-1" }, channels), "Swiggy SW-1");
  assert.equal(sums.originOf({ channelId: "c2", externalId: "SW-1" }, channels), "SW-1");
  assert.equal(sums.originOf({ channelId: null, externalId: "x" }, channels), "");
  const order = (/** @type {any} */ more) => ({ status: "PENDING", awaitsApproval: false, channelId: null, ...more });
  assert.deepEqual([order({}), order({ channelId: "c1" }), order({ channelId: "c1", status: "ACCEPTED" }), order({ awaitsApproval: true }), order({ awaitsApproval: true, status: "CANCELLED" })].map(sums.wantsAnswer), [false, true, false, true, false]);
});
