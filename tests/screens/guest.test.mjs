// A guest's phone in a browser: from the scan to the meal, with approval and with the party's code, with answers lost, codes dead and parties gone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, call, examine, open, SIZES, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {any[]} */
let tables;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-qr-menu", "off", "--limit-qr-order", "off", "--limit-qr-call", "off", "--limit-feedback", "off", "--limit-login", "1000/900"]), browser()]);
  manager = await box.as("manager");
  tables = await manager.get("/tables?limit=100");
});
after(async () => { await chromium?.close(); await box?.end(); });

let turn = 0;
/** A table of its own for each test. */
const next = () => tables[turn++];
/** A phone at `table`. @param {any} table @param {any} [look] @param {string} [query] */
async function phone(table, look = {}, query = "") {
  const opened = await open(chromium, { size: SIZES.phone, ...look });
  await opened.page.goto(`${box.url}/t/${table.qrToken}${query}`);
  await opened.page.locator(".dishes .dish").first().waitFor();
  const { page } = opened;
  const dish = (/** @type {string} */ name) => page.locator(".dish").filter({ hasText: name }).first();
  /** Into the cart. @param {string} name */
  const add = async (name) => {
    await dish(name).click();
    await page.locator(".one .add").click();
    await page.locator(".dishes .dish").first().waitFor();
  };
  return { ...opened, dish, add,
    // The way to the cart, and in it the one that sends it: each waits for its own view.
    dock: page.locator("main > .dock .add"), send: page.locator(".cart .dock .add"), step: page.locator(".orders .step"),
  };
}
const ordersAt = async (/** @type {any} */ table) => (await call(box.url, "GET", `/orders/tables/${table.qrToken}/orders`, {})).data;
const set = (/** @type {string} */ order, /** @type {string} */ status) => manager.ask("PATCH", `/orders/${order}/status`, { status });

test("four touches order a dish; it waits for staff, cooks, is on its way, and feedback is asked for once it is served", async () => {
  const table = next();
  const { page, dish, dock, send, step, complaints, context } = await phone(table);
  const touched = await taps(page, async () => {
    await dish("Vegetable Samosa").click();
    await page.locator(".one .add").click();
    await dock.click();
    await page.locator(".sums .total").waitFor();
    await send.click();
    await page.locator(".orders .card").waitFor();
  });
  assert.equal(touched, 4);
  assert.match(await step.innerText(), /Waiting for our staff/);
  const [order] = await ordersAt(table);
  assert.match(await page.locator(".due").innerText(), /126\.00/);
  await set(order.id, "ACCEPTED");
  await page.getByText("Accepted", { exact: true }).waitFor();
  const [ticket] = await manager.get(`/kitchen/tickets?orderId=${order.id}`);
  await manager.ask("POST", `/kitchen/tickets/${ticket.id}/start`);
  await page.getByText("Cooking", { exact: true }).waitFor();
  // The phone whose order was accepted is told the party's code.
  assert.match(await page.locator(".digits").innerText(), /^\d{4}$/);
  await manager.ask("POST", `/kitchen/tickets/${ticket.id}/ready`);
  await page.getByText("On its way", { exact: true }).waitFor();
  await examine(page, "guest-on-its-way");
  await set(order.id, "DELIVERED");
  await page.getByText("Served", { exact: true }).waitFor();
  await page.getByRole("button", { name: "5 stars" }).click();
  await page.getByLabel("Would you tell us more?").fill("Crisp");
  await examine(page, "guest-feedback");
  await page.getByRole("button", { name: "Tell us" }).click();
  await page.getByText("Thank you!").waitFor();
  const [said] = await manager.get("/tickets/feedback");
  assert.deepEqual([said.rating, said.comment], [5, "Crisp"]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the total has its taxes before anything is sent, and asking writes nothing", async () => {
  const table = next();
  const { page, add, dock, context } = await phone(table);
  await add("Vegetable Samosa");
  await dock.click();
  await page.locator(".sums .total").waitFor();
  assert.match(await page.locator(".sums").innerText(), /CGST 2\.5%[\s\S]*SGST 2\.5%[\s\S]*Total\s+₹126\.00/);
  await page.getByRole("button", { name: "One more" }).click();
  await page.locator(".sums .total", { hasText: "₹252.00" }).waitFor();
  assert.deepEqual(await ordersAt(table), []);
  await examine(page, "guest-cart");
  await context.close();
});

test("with the party's code a second phone does not wait", async () => {
  const table = next();
  const first = await phone(table);
  await first.add("Vegetable Samosa");
  await first.dock.click();
  await first.send.click();
  await first.page.locator(".orders .card").waitFor();
  const [order] = await ordersAt(table);
  await set(order.id, "ACCEPTED");
  const code = await first.page.locator(".digits").innerText();
  const second = await phone(table);
  // What it costs is told late: that does not take away why it was refused meanwhile.
  /** @type {(value?: any) => void} */
  let release = () => {};
  const held = new Promise((resolve) => { release = resolve; });
  await second.context.route("**/quote", async (route) => { await held; await route.continue(); });
  await second.add("Masala Dosa");
  const asked = second.page.waitForRequest(/\/quote$/);
  await second.dock.click();
  await asked;
  await second.page.getByLabel("Your table's code").fill("0000" === code ? "0001" : "0000");
  await second.send.click();
  const why = second.page.locator(".cart .dock .wrong", { hasText: /\S/ });
  await why.waitFor();
  release();
  await second.page.locator(".sums .total").waitFor();
  assert.equal(await why.count(), 1);
  await second.page.getByLabel("Your table's code").fill(code);
  await second.send.click();
  await second.page.locator(".orders .card").nth(1).waitFor();
  const all = await ordersAt(table);
  assert.equal(all.length, 2);
  assert.equal(all.find((/** @type {any} */ one) => one.id !== order.id).awaitsApproval, false);
  // The first phone is told of it, too.
  await first.page.locator(".orders .card").nth(1).waitFor();
  await first.context.close();
  await second.context.close();
});

test("a double tap, or an answer lost on the way and a reload: one order", async () => {
  const table = next();
  const { page, add, dock, send, context } = await phone(table);
  await add("Vegetable Samosa");
  await dock.click();
  await page.locator(".sums .total").waitFor();
  let lost = 0;
  await context.route("**/orders/tables/*/orders", async (route) => {
    if (route.request().method() === "POST" && lost++ === 0) { await route.fetch().catch(() => {}); await route.abort().catch(() => {}); } else await route.continue();
  });
  await send.dblclick();
  await page.locator(".wrong", { hasText: "no answer" }).waitFor();
  assert.equal(lost, 1);
  await examine(page, "guest-unanswered", { nights: [false], sizes: ["phone"] });
  await page.reload();
  await page.getByText("There was no answer. Your order is safe here").waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.locator(".orders .card").waitFor();
  assert.equal((await ordersAt(table)).length, 1);
  await context.close();
});

test("what is sold out meanwhile is said at its line, and the rest can be sent", async () => {
  const table = next();
  const { page, add, dock, send, context } = await phone(table);
  await add("Vegetable Samosa");
  await add("Plain Dosa");
  await dock.click();
  await page.locator(".sums .total").waitFor();
  const menu = await manager.get("/menu");
  const dosa = menu.categories.flatMap((/** @type {any} */ each) => each.items).find((/** @type {any} */ one) => one.name === "Plain Dosa");
  await manager.ask("PUT", `/menu/items/${dosa.id}/availability`, { status: "OUT_OF_STOCK" });
  await send.click();
  await page.locator(".lines .refused", { hasText: "Plain Dosa" }).waitFor();
  await examine(page, "guest-refused", { nights: [false], sizes: ["phone"] });
  assert.deepEqual(await ordersAt(table), []);
  await page.locator(".lines .refused").getByRole("button", { name: /^Remove/ }).click();
  await page.locator(".sums .total", { hasText: "₹126.00" }).waitFor();
  await send.click();
  await page.locator(".orders .card").waitFor();
  await manager.ask("DELETE", `/menu/items/${dosa.id}/availability`);
  await context.close();
});

test("staff are called, and the bill, once somebody sits there", async () => {
  const table = next();
  const { page, add, dock, send, context } = await phone(table);
  await page.getByRole("button", { name: "Your orders" }).click();
  await page.getByRole("button", { name: "Call waiter" }).click();
  await page.getByText("Nobody has ordered at this table yet").waitFor();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await add("Vegetable Samosa");
  await dock.click();
  await send.click();
  await page.locator(".orders .card").waitFor();
  await page.getByRole("button", { name: "Bill, please" }).click();
  await page.getByText("the bill will come").waitFor();
  const floor = await manager.get("/floor");
  assert.deepEqual(floor.tables.find((/** @type {any} */ one) => one.id === table.id).calls.map((/** @type {any} */ one) => one.what), ["BILL"]);
  await context.close();
});

test("filters: vegetarian, vegan, egg, without allergens; the sign is told by shape and word", async () => {
  const { page, dish, context } = await phone(next());
  await examine(page, "guest-menu");
  assert.ok(await dish("Chicken 65").isVisible());
  await page.getByRole("button", { name: "Veg", exact: true }).click();
  assert.equal(await dish("Chicken 65").count(), 0);
  assert.ok(await dish("Paneer Tikka").getByRole("img", { name: "Vegetarian" }).isVisible());
  await page.getByText("Without allergens").click();
  await page.getByLabel("milk").check();
  assert.equal(await dish("Paneer Tikka").count(), 0);
  await examine(page, "guest-filtered");
  await page.getByRole("button", { name: "Vegan", exact: true }).click();
  assert.deepEqual([...new Set(await page.locator(".dish .mark").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))))], ["Vegan"]);
  await context.close();
});

test("a dish says what is in it and asks what must be chosen; by keys alone", async () => {
  const { page, dish, dock, send, context } = await phone(next(), { touch: false });
  await dish("Paneer Tikka").focus();
  await page.keyboard.press("Enter");
  await page.locator(".one").waitFor();
  await examine(page, "guest-dish");
  await page.getByLabel("Hot", { exact: true }).focus();
  await page.keyboard.press("Space");
  await page.locator(".one .add").focus();
  await page.keyboard.press("Enter");
  await dock.focus();
  await page.keyboard.press("Enter");
  await page.locator(".lines", { hasText: "Hot" }).waitFor();
  await page.locator(".sums .total").waitFor();
  await send.focus();
  await page.keyboard.press("Enter");
  await page.locator(".orders .card").waitFor();
  await context.close();
});

test("a dish of two sizes asks for one, and the size is what is ordered and paid", async () => {
  const dal = (await manager.get("/menu/items?q=Dal%20Makhani&limit=1"))[0];
  await manager.ask("PATCH", `/menu/items/${dal.id}`, { priceCents: 17000, variants: [{ name: "Half", priceCents: 17000 }, { name: "Full", priceCents: dal.priceCents }] });
  const table = next();
  const { page, dish, dock, send, context } = await phone(table);
  await dish("Dal Makhani").click();
  assert.ok(await page.locator(".one .add").isDisabled());
  await page.getByLabel("Half", { exact: false }).click();
  await page.locator(".one .add").click();
  await dock.click();
  await page.locator(".lines", { hasText: "Half" }).waitFor();
  await page.locator(".sums .total").waitFor();
  await send.click();
  await page.locator(".orders .card", { hasText: "Dal Makhani (Half)" }).waitFor();
  await manager.ask("PATCH", `/menu/items/${dal.id}`, { variants: null, priceCents: dal.priceCents });
  await context.close();
});

test("the phone's language, and another one on top; the cart stays", async () => {
  const { page, add, dock, context } = await phone(next(), { locale: "hi-IN" });
  await page.getByRole("button", { name: "शाकाहारी", exact: true }).waitFor();
  await examine(page, "guest-menu-hi");
  await add("Vegetable Samosa");
  await page.locator(".language select").selectOption("ta");
  await page.getByRole("button", { name: "சைவம்", exact: true }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "ta");
  await dock.waitFor();
  await examine(page, "guest-menu-ta");
  await dock.click();
  await page.locator(".sums .total").waitFor();
  await examine(page, "guest-cart-ta", { nights: [false] });
  await context.close();
  const pseudo = await phone(tables[0], {}, "?lang=qps");
  await examine(pseudo.page, "guest-menu-qps", { nights: [false] });
  await pseudo.context.close();
});

test("a dead code asks for another scan, with a script and without", async () => {
  const { page, context } = await open(chromium, { size: SIZES.phone });
  await page.goto(`${box.url}/t/AAAAAAAAAAAAAAAAAAAAAA`);
  await page.getByRole("heading", { name: "Please scan again" }).waitFor();
  await examine(page, "guest-dead");
  await context.close();
  const plain = await chromium.newContext({ javaScriptEnabled: false });
  const without = await plain.newPage();
  await without.goto(`${box.url}/t/AAAAAAAAAAAAAAAAAAAAAA`);
  assert.match(await without.locator("body").innerText(), /scan the code/);
  await without.goto(`${box.url}/t/${tables[0].qrToken}`);
  assert.match(await without.locator("body").innerText(), /Vegetable Samosa/);
  await plain.close();
});

/** What a phone ordered at `table` is accepted, paid for and served; then the party has left. @param {any} table */
async function served(table) {
  const [order] = await ordersAt(table);
  await set(order.id, "ACCEPTED");
  const { dueCents } = await manager.ask("GET", `/orders/${order.id}`);
  await manager.post(`/orders/${order.id}/payments`, { method: "UPI", amountCents: dueCents });
  for (const one of await manager.get(`/kitchen/tickets?orderId=${order.id}`)) await manager.ask("POST", `/kitchen/tickets/${one.id}/serve`);
  await set(order.id, "COMPLETED").catch(() => {});
  await until("the party has left", async () => (await ordersAt(table)).length === 0);
  return order;
}

/** The page of a phone whose party has left, read anew: it shows nothing of what was ordered. @param {import("playwright-core").Page} page */
async function wakes(page) {
  await page.reload();
  await page.getByRole("button", { name: /^Your orders/ }).click();
  await page.getByText("You have ordered nothing yet.").waitFor();
  assert.equal(await page.locator(".orders .card").count(), 0);
}

/** Says how it was, of which staff know which order it is about. @param {import("playwright-core").Page} page @param {any} order */
async function saysHow(page, order) {
  await page.getByRole("button", { name: "4 stars" }).click();
  await page.getByRole("button", { name: "Tell us" }).click();
  await page.getByText("Thank you!").waitFor();
  const said = await manager.get("/tickets/feedback");
  assert.ok(said.some((/** @type {any} */ one) => one.rating === 4 && one.orderNumber === order.orderNumber), JSON.stringify(said));
}

/** Whose party has left. @type {any} */
let empty;
test("a party that left is seen by nobody: not its orders, not its code, not its cart", async () => {
  const table = (empty = next());
  const before = await phone(table);
  await before.add("Vegetable Samosa");
  await before.dock.click();
  await before.send.click();
  await before.page.locator(".orders .card").waitFor();
  const order = await served(table);
  const later = await phone(table);
  await later.page.getByRole("button", { name: "Your orders" }).click();
  await later.page.getByText("You have ordered nothing yet.").waitFor();
  assert.equal(await later.page.locator(".digits, .orders .card, .stars").count(), 0);
  // The phone of before shows the same, but may say how it was.
  await wakes(before.page);
  await saysHow(before.page, order);
  await later.context.close();
  await before.context.close();
});

test("a phone that slept since it ordered may say how it was when its party has left, once", async () => {
  const table = empty;
  const { page, context, add, dock, send } = await phone(table);
  // It hears no news, neither before it sleeps nor when it wakes.
  await context.route("**/stream**", (route) => route.abort());
  await add("Vegetable Samosa");
  await dock.click();
  await send.click();
  await page.locator(".orders .card").waitFor();
  const order = await served(table);
  await wakes(page);
  await saysHow(page, order);
  await wakes(page);
  assert.equal(await page.locator(".stars").count(), 0);
  await context.close();
});

test("the box is away: the menu stays, and says whom to ask", async () => {
  const table = next() ?? tables[0];
  const { page, add, dock, send, context } = await phone(table);
  await add("Vegetable Samosa");
  await dock.click();
  await page.locator(".sums .total").waitFor();
  await box.down();
  await send.click();
  await page.locator(".away").waitFor();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.locator(".dishes .dish").first().waitFor();
  await examine(page, "guest-away", { sizes: ["phone"] });
  await box.up();
  await page.goBack();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.locator(".orders .card").waitFor();
  assert.equal((await ordersAt(table)).filter((/** @type {any} */ one) => one.awaitsApproval).length, 1);
  await context.close();
});
