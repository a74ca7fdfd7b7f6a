// Combos and prices in force, in browsers: at the till, on a guest's phone, in the kitchen and at the pass. Each is done by touching and read from
// the branch by other eyes. Never waits for a time alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atView, branch, browser, call, examine, open, signIn, SIZES, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
/** @type {any} */
let waiter;
/** @type {any[]} */
let tables;
/** @type {Map<string, any>} */
let dishes;
/** @type {any} */
let thali;

/** @param {string} name @param {number} [extraCents] */
const offer = (name, extraCents = 0) => ({ menuItemId: dishes.get(name).id, extraCents });
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-general", "off", "--limit-login", "off", "--limit-qr-menu", "off", "--limit-qr-order", "off"]), browser()]);
  [owner, waiter] = [await box.as("owner"), await box.as("waiter")];
  tables = await owner.get("/tables?limit=100");
  dishes = new Map((await owner.get("/menu")).categories.flatMap((/** @type {any} */ one) => one.items).map((/** @type {any} */ one) => [one.name, one]));
  thali = await owner.post("/menu/items", {
    categoryId: dishes.get("Paneer Tikka").categoryId, name: "Tandoori thali", kitchenName: "THALI", description: "From the tandoor, with bread and a drink", priceCents: 45_000, kind: "COMBO", dietary: "VEG", sortOrder: -1,
    components: [
      { name: "Main", minSelections: 1, maxSelections: 1, options: [offer("Paneer Tikka"), offer("Hara Bhara Kebab"), offer("Chicken Tikka", 5_000), offer("Fish Amritsari", 9_000)] },
      { name: "Bread", minSelections: 1, maxSelections: 1, options: [offer("Butter Naan")] },
      { name: "Drink", minSelections: 1, maxSelections: 2, options: [offer("Sweet Lassi"), offer("Fresh Lime Soda"), offer("Cola 300 ml")] },
    ],
  });
  await sell("Fish Amritsari", false);
});
after(async () => { await chromium?.close(); await box?.end(); });

/** Sold out, or back. @param {string} name @param {boolean} is */
const sell = (name, is) => { const path = `/menu/items/${dishes.get(name).id}/availability`; return is ? owner.ask("DELETE", path) : owner.ask("PUT", path, { status: "OUT_OF_STOCK" }); };
/** @param {string} number */
const table = (number) => tables.find((one) => one.number === number);
/** @param {any[]} parts @param {number} [quantity] */
const sold = (parts, quantity = 1) => ({ menuItemId: thali.id, quantity, unitPriceCents: 45_000, components: parts.map(([name, dish]) => ({ name, menuItemId: dishes.get(dish).id })) });
const MEAL = [["Main", "Paneer Tikka"], ["Bread", "Butter Naan"], ["Drink", "Sweet Lassi"]];
/** @param {string} id */
const detail = (id) => owner.ask("GET", `/orders/${id}`);
/** The order that is open at a table, once there is one. @param {string} number @param {(order: any) => boolean} [is] */
const orderAt = (number, is = () => true) => until(`the order at table ${number}`, async () => {
  const at = (await owner.get("/floor")).tables.find((/** @type {any} */ one) => one.number === number).orders.at(-1);
  const order = at && await detail(at.id);
  return order && is(order) ? order : null;
});
/** @param {any} line */
const madeOf = (line) => line.components.map((/** @type {any} */ one) => one.itemName);

/** A till with a waiter at it, on the dishes of a table, or of a draft at no table. @param {string | null} number @param {{ look?: any, query?: string, role?: string }} [how] */
async function till(number, { look, query = "", role = "Waiter" } = {}) {
  const opened = await open(chromium, look);
  const { page } = opened;
  await page.goto(`${box.url}/pos${query}`);
  await page.locator(".signin .sample button").nth(["Waiter", "Cashier", "Manager"].indexOf(role)).click();
  await page.locator("[data-table]").first().waitFor();
  if (number) {
    await atView(page, { at: "order", tableId: table(number).id });
    await page.locator(".order").waitFor();
    await starters(page);
  }
  const dish = (/** @type {string} */ name) => page.locator(`[data-dish="${name}"]`);
  return {
    ...opened, dish, offered: (/** @type {string} */ name) => page.locator(`[data-offer="${name}"]`), send: page.locator(".foot .send"),
    line: page.locator(".line.draft"), sent: page.locator(".sent .line"), dialog: () => page.locator("dialog[open]").last(),
    shows: (/** @type {string} */ name, /** @type {string} */ price) => dish(name).locator(".price", { hasText: price }).waitFor(),
  };
}
/** @param {import("playwright-core").Page} page */
async function starters(page) {
  await page.locator(".strip .chip").nth(1).click();
  await page.locator(`[data-dish="Tandoori thali"]`).waitFor();
}

test("a combo is sold with a touch for each choice; what is out is no choice, what has one way is chosen; its dishes go to their stations", async () => {
  const { page, dish, offered, send, line, sent, complaints, context } = await till(null);
  const touched = await taps(page, async () => {
    await page.locator(`[data-table="1"], [data-table]`).first().click();
    await starters(page);
    await dish("Tandoori thali").click();
    await page.locator(".dock.combo").waitFor();
    await offered("Chicken Tikka").click();
    await offered("Sweet Lassi").click();
    await send.click();
    await sent.first().waitFor();
  });
  // Table, category, combo, main, drink, send: the bread is chosen.
  assert.equal(touched, 6);
  assert.equal(await line.count(), 0);
  for (const name of ["Chicken Tikka", "Butter Naan", "Sweet Lassi"]) await sent.locator(".of", { hasText: name }).waitFor();
  const number = /\d+/.exec(await page.locator(".where h1").innerText())?.[0] ?? "";
  const order = await orderAt(number);
  assert.deepEqual([madeOf(order.items[0]), order.items[0].lineTotalCents], [["Chicken Tikka", "Butter Naan", "Sweet Lassi"], 50_000]);
  const tickets = await owner.get(`/kitchen/tickets?orderId=${order.id}`);
  assert.deepEqual([...new Set(tickets.map((/** @type {any} */ one) => one.stationName))].sort(), ["Bar & Beverages", "Tandoor"]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the sheet of a combo: what is lacking is asked for before it is sent, what is sold out is said, all by day and night", async () => {
  const { page, dish, offered, send, line, complaints, context } = await till("2");
  await dish("Tandoori thali").click();
  assert.ok(await offered("Fish Amritsari").isDisabled());
  assert.match(await offered("Fish Amritsari").innerText(), /OUT/);
  assert.match(await offered("Chicken Tikka").innerText(), /\+₹50/);
  assert.equal(await offered("Butter Naan").getAttribute("aria-pressed"), "true");
  await line.locator(".bad", { hasText: "Choose: Main, Drink" }).waitFor();
  await send.click();
  await page.getByText("First choose what is missing.").waitFor();
  await examine(page, "combo-begun");
  await offered("Paneer Tikka").click();
  await offered("Sweet Lassi").click();
  await page.getByRole("button", { name: "One more Sweet Lassi" }).click();
  assert.ok(await offered("Cola 300 ml").isDisabled(), "two drinks at most");
  // Each of the two has a size of its own.
  await page.locator("fieldset", { hasText: "Sweet Lassi 2" }).getByRole("button", { name: /^Large/ }).click();
  await line.locator(".of", { hasText: "Sweet Lassi · Large" }).waitFor();
  await line.locator(".price", { hasText: "₹490" }).waitFor();
  await examine(page, "combo-chosen");
  await send.click();
  const order = await orderAt("2", (one) => one.items.length > 0);
  assert.deepEqual(madeOf(order.items[0]), ["Paneer Tikka", "Butter Naan", "Sweet Lassi", "Sweet Lassi"]);
  assert.deepEqual(order.items[0].components.slice(2).map((/** @type {any} */ one) => one.modifiers.map((/** @type {any} */ each) => each.name)), [["Glass"], ["Large"]]);
  assert.equal(order.items[0].lineTotalCents, 49_000);
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const query of ["hi", "ta", "qps"]) {
  test(`the sheet of a combo and its line in ${query}`, async () => {
    const { page, dish, offered, context } = await till("2", { query: `?lang=${query}` });
    await dish("Tandoori thali").click();
    await offered("Paneer Tikka").click();
    await page.locator(".line.draft .of").first().waitFor();
    await examine(page, `combo-${query}`, { nights: [false] });
    await context.close();
  });
}

test("a draft keeps what is chosen for its combo over a reload, and sends it when the box is back", async () => {
  const { page, dish, offered, send, line, sent, context } = await till("3");
  await dish("Tandoori thali").click();
  await offered("Hara Bhara Kebab").click();
  await page.reload();
  await line.locator(".of", { hasText: "Hara Bhara Kebab" }).waitFor();
  await line.locator("[data-draft]").click();
  await offered("Fresh Lime Soda").click();
  await context.route("**/api/v1/orders", (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
  await send.click();
  await page.locator(".ongoing", { hasText: "Hara Bhara Kebab · Butter Naan · Fresh Lime Soda" }).waitFor();
  await page.reload();
  await page.locator(".ongoing", { hasText: "Hara Bhara Kebab" }).waitFor();
  await context.unroute("**/api/v1/orders");
  await sent.locator(".of", { hasText: "Hara Bhara Kebab" }).waitFor();
  const order = await orderAt("3");
  assert.equal(order.items.length, 1);
  assert.deepEqual(madeOf(order.items[0]), ["Hara Bhara Kebab", "Butter Naan", "Fresh Lime Soda"]);
  await context.close();
});

test("a line of a combo is taken off, had again, given a seat and split off as a whole; the receipt has its dishes", async () => {
  const made = await waiter.post("/orders", { orderType: "DINE_IN", tableId: table("4").id, guestCount: 2, items: [{ ...sold(MEAL, 2), seatNumber: 1 }, { ...sold([["Main", "Hara Bhara Kebab"], ["Bread", "Butter Naan"], ["Drink", "Cola 300 ml"]]), seatNumber: 2 }] });
  const { page, sent, line, send, dialog, context } = await till("4");
  await sent.locator(".of", { hasText: "Cola 300 ml" }).waitFor();
  // One of its dishes is ready: the others are seen to be behind.
  const tickets = await owner.get(`/kitchen/tickets?orderId=${made.id}`);
  const bar = tickets.find((/** @type {any} */ one) => one.stationName === "Bar & Beverages");
  await owner.ask("POST", `/kitchen/tickets/${bar.id}/ready`);
  await sent.locator(".of", { hasText: "✓ Cola 300 ml" }).waitFor();
  await sent.nth(0).locator("[data-line]").click();
  await dialog().locator(".combo li", { hasText: "Paneer Tikka" }).waitFor();
  await examine(page, "combo-line");
  await dialog().getByRole("button", { name: "Take off", exact: true }).click();
  await dialog().getByRole("button", { name: "One Tandoori thali less" }).click();
  await dialog().getByRole("button", { name: "Entered by mistake" }).click();
  const approve = dialog().locator(".pin");
  await Promise.race([approve.waitFor(), page.locator(".sent", { hasText: "1 taken off" }).waitFor()]);
  if (await approve.isVisible()) await page.keyboard.type("1001");
  await page.locator(".sent", { hasText: "1 taken off" }).waitFor();
  assert.deepEqual((await detail(made.id)).items.map((/** @type {any} */ one) => [one.quantity, one.components.length]), [[1, 3], [1, 3]]);
  await sent.nth(1).getByRole("button", { name: /the same again/ }).click();
  await line.locator(".of", { hasText: "Cola 300 ml" }).waitFor();
  await send.click();
  await orderAt("4", (one) => one.items.length === 3 && madeOf(one.items[2]).includes("Cola 300 ml") && one.items[2].seatNumber === 2);
  await sent.nth(2).waitFor();
  await page.locator('[data-act="split"]').click();
  await dialog().getByRole("button", { name: /^By seat/ }).click();
  const floor = await until("two bills", async () => { const found = (await owner.get("/floor")).tables.find((/** @type {any} */ one) => one.number === "4"); return found.orders.length === 2 ? found : null; });
  const parts = await Promise.all(floor.orders.map((/** @type {any} */ one) => detail(one.id)));
  assert.deepEqual(parts.map((one) => one.items.filter((/** @type {any} */ each) => each.quantity > 0).map((/** @type {any} */ each) => each.components.length)).flat().sort(), [3, 3, 3]);
  await page.locator('[data-act="more"]').click();
  await dialog().getByRole("button", { name: "Show the receipt" }).click();
  const receipt = dialog().locator(".receipt");
  await receipt.getByText(/Tandoori thali/).first().waitFor();
  await receipt.getByText(/Butter Naan/).first().waitFor();
  await examine(page, "combo-receipt", { nights: [false] });
  await context.close();
});

test("what of a combo is sold out meanwhile, or refused, is said by its name; the draft asks for another", async () => {
  const { page, dish, offered, send, line, context } = await till("5");
  await dish("Tandoori thali").click();
  await offered("Paneer Tikka").click();
  await offered("Cola 300 ml").click();
  await sell("Cola 300 ml", false);
  await line.getByText("Cola 300 ml is sold out").waitFor();
  assert.ok(await send.isDisabled());
  await line.getByRole("button", { name: "Accept", exact: true }).click();
  await line.getByText("Choose: Drink").waitFor();
  await offered("Sweet Lassi").click();
  await sell("Cola 300 ml", true);
  // Sold out between the last look and the sending: the box refuses, and its reason is at the line.
  await context.route("**/api/v1/orders", async (route) => { if (route.request().method() === "POST") await sell("Sweet Lassi", false); await route.continue(); });
  await send.click();
  await line.getByText(/Sweet Lassi(:| is) .*(sold out|out of stock)/i).first().waitFor();
  await context.unroute("**/api/v1/orders");
  await sell("Sweet Lassi", true);
  await page.locator(".send:enabled").waitFor();
  await send.click();
  const order = await orderAt("5");
  assert.deepEqual(madeOf(order.items[0]), ["Paneer Tikka", "Butter Naan", "Sweet Lassi"]);
  await context.close();
});

/** @param {any} list */
const priced = (list) => owner.post("/menu/price-lists", list);
/** @param {any} list */
const ended = (list) => owner.ask("DELETE", `/menu/price-lists/${list.id}`);

test("the menu has the prices of the order in view: its kind, its table's area; another kind says what changes before it is sent", async () => {
  const entries = (/** @type {number} */ cents) => [{ menuItemId: dishes.get("Paneer Tikka").id, priceCents: cents }, { menuItemId: thali.id, priceCents: cents + 20_000 }];
  const lists = [await priced({ name: "Away", orderTypes: ["TAKEAWAY"], entries: entries(30_000) }), await priced({ name: "Terrace", areas: ["Terrace"], entries: entries(33_000) })];
  const { page, dish, line, shows, send, dialog, context } = await till("6");
  await shows("Paneer Tikka", "₹280");
  await page.locator(".where .back").click();
  await page.locator(`[data-table="9"]`).click();
  await starters(page);
  await shows("Paneer Tikka", "₹330");
  await shows("Tandoori thali", "₹530");
  // The house's own is seen beside it.
  assert.match(await dish("Paneer Tikka").innerText(), /₹330\s+usually\s*₹280/);
  await examine(page, "price-terrace", { nights: [false] });
  await page.locator(".where .back").click();
  await page.getByRole("button", { name: "Takeaway", exact: true }).click();
  await starters(page);
  await shows("Paneer Tikka", "₹300");
  await dish("Paneer Tikka").click();
  await line.locator(".price", { hasText: "₹300" }).waitFor();
  await page.locator('[data-act="details"]').click();
  await dialog().getByRole("button", { name: "Counter", exact: true }).click();
  await dialog().getByRole("button", { name: "Save", exact: true }).click();
  await line.getByText("The price changed: ₹300.00 → ₹280.00").waitFor();
  await shows("Paneer Tikka", "₹280");
  assert.ok(await send.isDisabled());
  // Another kind of order is no price that the clock has ended: it is not kept.
  assert.equal(await line.getByRole("button", { name: /^Keep/ }).count(), 0);
  await examine(page, "price-changed");
  await line.getByRole("button", { name: "Accept", exact: true }).click();
  await send.click();
  await page.locator(".sent .line").first().waitFor();
  const [order] = (await owner.ask("GET", "/orders?limit=1")).data;
  assert.deepEqual([order.orderType, order.subtotalCents], ["COUNTER", 28_000]);
  for (const list of lists) await ended(list);
  await context.close();
});

test("a price list that begins or ends is seen at once; what was typed is taken at the new price, or sent as it was until the box refuses it", async () => {
  const lassi = dishes.get("Sweet Lassi");
  const { page, dish, line, send, shows, context } = await till("7");
  await page.locator(".strip .chip").last().click();
  await shows("Sweet Lassi", "₹110");
  const happy = await priced({ name: "Happy hour", entries: [{ menuItemId: lassi.id, priceCents: 7_000 }, { categoryId: lassi.categoryId, adjustBps: -1_000 }] });
  await shows("Sweet Lassi", "₹70");
  await dish("Sweet Lassi").click();
  await line.locator(".price", { hasText: "₹70" }).waitFor();
  await ended(happy);
  await shows("Sweet Lassi", "₹110");
  await line.getByText("The price changed: ₹70.00 → ₹110.00").waitFor();
  // What somebody ends by hand is over at once: the box says so, with the right price.
  await line.getByRole("button", { name: "Keep ₹70" }).click();
  await page.locator(".send:enabled").click();
  await line.getByText("The price changed: ₹70.00 → ₹110.00").waitFor();
  assert.equal(await line.getByRole("button", { name: /^Keep/ }).count(), 0);
  await line.getByRole("button", { name: "Accept", exact: true }).click();
  await send.click();
  const order = await orderAt("7");
  assert.equal(order.items[0].unitPriceCents, 11_000);
  await context.close();
});

/** A guest's phone at a table. @param {string} number @param {any} [look] @param {string} [query] */
async function phone(number, look = {}, query = "") {
  const opened = await open(chromium, { size: SIZES.phone, ...look });
  const { page } = opened;
  await page.goto(`${box.url}/t/${table(number).qrToken}${query}`);
  await page.locator(".dishes .dish").first().waitFor();
  return { ...opened, dish: (/** @type {string} */ name) => page.locator(`.dish`).filter({ hasText: name }).first(), add: page.locator(".one .add"), dock: page.locator("main > .dock .add"), send: page.locator(".cart .dock .add"),
    pick: (/** @type {string} */ name) => page.locator(".offer").filter({ hasText: name }).locator("input") };
}
/** @param {string} number */
const guestOrders = async (number) => (await call(box.url, "GET", `/orders/tables/${table(number).qrToken}/orders`, {})).data;

test("a guest chooses the dishes of a combo, with their pictures and words, changes one in the basket, and sends it", async () => {
  const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==", "base64");
  await fetch(`${box.url}/api/v1/menu/items/${dishes.get("Paneer Tikka").id}/image`, { method: "PUT", headers: { authorization: `Bearer ${owner.token}`, "content-type": "image/png" }, body: picture });
  const { page, dish, add, dock, send, pick, complaints, context } = await phone("10");
  await dish("Tandoori thali").click();
  await page.locator(".offer").first().waitFor();
  await page.locator(".offer", { hasText: "Paneer Tikka" }).locator("img").waitFor({ state: "attached" });
  assert.ok(await pick("Fish Amritsari").isDisabled());
  assert.ok(await pick("Butter Naan").isChecked());
  await page.locator(".dock .wrong", { hasText: "Please choose: Main" }).waitFor();
  assert.ok(await add.isDisabled());
  await examine(page, "guest-combo");
  await pick("Chicken Tikka").check();
  await pick("Sweet Lassi").check();
  await page.locator(".offer", { hasText: "Sweet Lassi" }).getByRole("button", { name: "One more" }).click();
  assert.ok(await pick("Cola 300 ml").isDisabled(), "two at most");
  await add.getByText("₹500").waitFor();
  await examine(page, "guest-combo-chosen");
  await add.click();
  await dock.click();
  await page.locator(".lines", { hasText: "2 × Sweet Lassi" }).waitFor();
  await page.locator(".sums .total").waitFor();
  await examine(page, "guest-combo-cart");
  await page.getByRole("button", { name: /^Change/ }).click();
  assert.ok(await pick("Chicken Tikka").isChecked());
  await pick("Hara Bhara Kebab").check();
  await add.getByText("Save ₹450").waitFor();
  await add.click();
  await page.locator(".lines", { hasText: "Hara Bhara Kebab" }).waitFor();
  // It stays over a reload, as everything in the basket does.
  await page.reload();
  await page.locator(".lines", { hasText: "2 × Sweet Lassi" }).waitFor();
  await page.locator(".sums .total").waitFor();
  await send.click();
  await page.locator(".orders .card", { hasText: "Hara Bhara Kebab" }).waitFor();
  await examine(page, "guest-combo-ordered", { nights: [false], sizes: ["phone"] });
  const [order] = await guestOrders("10");
  assert.deepEqual([madeOf(order.items[0]), order.items[0].lineTotalCents], [["Hara Bhara Kebab", "Butter Naan", "Sweet Lassi", "Sweet Lassi"], 45_000]);
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const query of ["hi", "ta", "qps"]) {
  test(`a guest's combo in ${query}`, async () => {
    const { page, dish, pick, context } = await phone("10", {}, `?lang=${query}`);
    await dish("Tandoori thali").click();
    await pick("Sweet Lassi").check();
    await page.locator(".offer .stepper").waitFor();
    await examine(page, `guest-combo-${query}`, { nights: [false] });
    await context.close();
  });
}

test("a price that has changed meanwhile is refused with the right one, and taken by one tap", async () => {
  const { page, dish, add, dock, send, context } = await phone("11");
  const happy = await priced({ name: "Happy hour", entries: [{ menuItemId: dishes.get("Vegetable Samosa (2 pcs)").id, priceCents: 9_000 }] });
  await page.reload();
  await dish("Vegetable Samosa").getByText("₹90").waitFor();
  await dish("Vegetable Samosa").click();
  await add.click();
  await dock.click();
  await page.locator(".sums .total").waitFor();
  await ended(happy);
  await send.click();
  await page.locator(".lines .wrong", { hasText: "It costs ₹120 now, not ₹90." }).waitFor();
  await examine(page, "guest-price");
  assert.deepEqual(await guestOrders("11"), []);
  const touched = await taps(page, () => page.getByRole("button", { name: "Take the new price" }).click());
  assert.equal(touched, 1);
  await page.locator(".sums .total", { hasText: "₹126.00" }).waitFor();
  await page.getByRole("button", { name: "Send order" }).click();
  await page.locator(".orders .card").waitFor();
  const [order] = await guestOrders("11");
  assert.equal(order.items[0].lineTotalCents, 12_000);
  await context.close();
});

test("what of a combo is sold out meanwhile is named to the guest, who chooses another", async () => {
  const { page, dish, add, dock, send, pick, context } = await phone("12");
  await dish("Tandoori thali").click();
  await pick("Paneer Tikka").check();
  await pick("Cola 300 ml").check();
  await add.click();
  await dock.click();
  await page.locator(".sums .total").waitFor();
  await sell("Cola 300 ml", false);
  await send.click();
  await page.locator(".lines .wrong", { hasText: "Cola 300 ml" }).waitFor();
  await until("the menu without it", async () => { await page.getByRole("button", { name: /^Change/ }).click(); await page.locator(".offer").first().waitFor(); const is = await pick("Cola 300 ml").isDisabled(); if (!is) { await page.goBack(); await page.locator(".lines").waitFor(); } return is; });
  await pick("Fresh Lime Soda").check();
  await add.click();
  await page.locator(".sums .total").waitFor();
  await send.click();
  await page.locator(".orders .card", { hasText: "Fresh Lime Soda" }).waitFor();
  await sell("Cola 300 ml", true);
  await context.close();
});

test("the kitchen sees which combo a dish is a part of; the pass sees what belongs together, until it goes out", async () => {
  for (const one of await owner.get("/kitchen/tickets?limit=100")) await owner.ask("POST", `/kitchen/tickets/${one.id}/${["NEW", "ADDITION"].includes(one.type) ? "serve" : "ack"}`).catch(() => {});
  const order = await waiter.post("/orders", { orderType: "DINE_IN", tableId: table("8").id, items: [sold(MEAL)] });
  const tandoor = await open(chromium, { size: SIZES.desk, night: true });
  await tandoor.page.goto(`${box.url}/kitchen`);
  await signIn(tandoor.page, "Kitchen");
  await tandoor.page.getByRole("button", { name: /^Tandoor/ }).click();
  await tandoor.page.locator(".dish", { hasText: "Paneer Tikka" }).locator(".combo", { hasText: "THALI" }).waitFor();
  await examine(tandoor.page, "kitchen-combo", { nights: [true] });
  const pass = await open(chromium, { size: SIZES.desk, night: true });
  await pass.page.goto(`${box.url}/kitchen`);
  await signIn(pass.page, "Kitchen");
  await pass.page.getByRole("button", { name: /^Expo/ }).click();
  const combo = pass.page.locator(`[data-key="${order.id}"] .together li`);
  await combo.getByText("THALI").waitFor();
  assert.equal(await combo.locator(".piece.QUEUED").count(), 3);
  const tickets = await owner.get(`/kitchen/tickets?orderId=${order.id}`);
  const bar = tickets.find((/** @type {any} */ one) => one.stationName === "Bar & Beverages");
  await owner.ask("POST", `/kitchen/tickets/${bar.id}/ready`);
  await combo.locator(".piece.READY", { hasText: "Sweet Lassi" }).waitFor();
  await examine(pass.page, "pass-combo", { nights: [true] });
  for (const one of tickets) if (one.id !== bar.id) await owner.ask("POST", `/kitchen/tickets/${one.id}/ready`);
  await combo.getByText("complete").waitFor();
  await pass.page.getByRole("button", { name: /^Serve/ }).click();
  await combo.waitFor({ state: "detached" });
  assert.deepEqual([...tandoor.complaints, ...pass.complaints], []);
  await tandoor.context.close();
  await pass.context.close();
});
