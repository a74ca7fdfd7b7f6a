// The till in a real browser, on a branch as it ships: an evening at it with its taps counted, turns by PIN, double taps, lost answers, a reload
// at every step. What came of it is read from the branch as the manager, never from the page alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, open, signIn, SIZES, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {any} */
let kitchen;
before(async () => {
  [box, chromium] = await Promise.all([branch(), browser()]);
  manager = await box.as("manager");
  kitchen = await box.as("kitchen");
});
after(async () => { await chromium?.close(); await box?.end(); });

/** One till a role: sign-ins are counted by the branch. @type {Map<string, Awaited<ReturnType<typeof open>>>} */
const tills = new Map();

/** A till with somebody at it, on the floor, with nothing of the test before. @param {string} role */
async function till(role) {
  const known = tills.get(role), opened = known ?? (await open(chromium));
  const { page, context } = opened;
  await context.unrouteAll();
  await page.setViewportSize(SIZES.tablet);
  if (known) await page.evaluate(() => { for (const name of Object.keys(localStorage)) if (name.startsWith("tiffin.pos.")) localStorage.removeItem(name); });
  await page.goto(`${box.url}/pos`);
  if (!known) await signIn(page, role);
  tills.set(role, opened);
  await page.locator("[data-table]").first().waitFor();
  return opened;
}

/** @param {import("playwright-core").Page} page @param {string} number */
const table = (page, number) => page.locator(`[data-table="${number}"]`).click();
/** @param {import("playwright-core").Page} page @param {string} name */
const dish = (page, name) => page.locator(`.order [data-dish="${name}"]`).click();
/** @param {import("playwright-core").Page} page */
const send = (page) => page.locator(".send").click();
/** @param {import("playwright-core").Page} page @param {number} n lines that were sent */
const sent = (page, n) => until(`${n} sent lines`, async () => (await page.locator(".sent .line").count()) === n);
/** @param {import("playwright-core").Page} page */
const back = (page) => page.locator(".back").click();
/** @param {import("playwright-core").Page} page @param {string} digits */
async function pin(page, digits) { for (const digit of digits) await page.locator("dialog .pin .keys").getByRole("button", { name: digit, exact: true }).click(); }

/** The open orders of a table, as the branch has them. @param {string} number */
const ordersOf = async (number) => manager.get(`/orders?tableNumber=${number}&status=PENDING,ACCEPTED,IN_PREPARATION,READY,DELIVERED,COMPLETED&limit=100`);

/** All that is done at the stations for an order. @param {string} orderId */
async function cook(orderId) {
  const { data } = await kitchen.ask("GET", `/kitchen/tickets?orderId=${orderId}&limit=100`);
  for (const ticket of data) if (!ticket.readyAt) await kitchen.post(`/kitchen/tickets/${ticket.id}/ready`, {});
}

test("an evening: sent, seen ready, served, billed, paid, the receipt; every act within its taps", async () => {
  const { page, complaints } = await till("Waiter");
  // Two paneer tikka, medium, sent: 5.
  assert.ok(await taps(page, async () => {
    await table(page, "7");
    await dish(page, "Paneer Tikka");
    await page.locator(".dock").getByRole("button", { name: "One Paneer Tikka more" }).click();
    await page.locator(".dock").getByRole("button", { name: "Medium", exact: true }).click();
    await send(page);
    await sent(page, 1);
  }) <= 5, "two paneer tikka, medium, sent");
  const [made] = await ordersOf("7");
  const detail = await manager.ask("GET", `/orders/${made.id}`);
  assert.deepEqual(detail.items.map((/** @type {any} */ line) => [line.name, line.quantity, line.modifiers.map((/** @type {any} */ one) => one.name)]), [["Paneer Tikka", 2, ["Medium"]]]);
  assert.equal(await page.locator(".sent .state").textContent(), "○ waiting");
  // The same again: 2.
  assert.ok(await taps(page, async () => {
    await page.getByRole("button", { name: "Paneer Tikka: the same again" }).click();
    await send(page);
    await sent(page, 2);
  }) <= 2, "the same again");
  // Ready food is told and marked until it is served.
  await cook(made.id);
  await page.locator(".sent .state.READY").first().waitFor();
  await page.locator(".toasts").getByText("Table 7: food is ready").first().waitFor();
  await page.getByRole("button", { name: /as served$/ }).click();
  await page.locator(".sent .state.SERVED").nth(1).waitFor();
  await back(page);
  // A move: 3.
  assert.ok(await taps(page, async () => {
    await table(page, "7");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await page.locator("dialog").getByRole("button", { name: /^8/ }).click();
    await page.getByRole("heading", { name: "Table 8" }).waitFor();
  }) <= 3, "a table moved");
  assert.equal((await ordersOf("8")).length, 1);
  // A sent line off: 4, and a PIN, for it is past the grace or was cooked.
  await back(page);
  assert.ok(await taps(page, async () => {
    await table(page, "8");
    await page.locator("[data-line]").nth(1).click();
    await page.locator("dialog").getByRole("button", { name: "Take off" }).click();
    await page.locator('dialog [data-reason="QUALITY"]').click();
    await page.getByRole("heading", { name: "Somebody who may approve this" }).waitFor();
  }) <= 4, "a void");
  await pin(page, "1001");
  await page.locator(".sent .line.VOIDED").waitFor();
  // The waiter may not take money: a cashier's PIN, four digits.
  await back(page);
  assert.equal(await taps(page, async () => {
    await page.getByRole("button", { name: "Arjun Kumar", exact: true }).click();
    await pin(page, "1003");
    await page.getByRole("button", { name: "Meera Nair", exact: true }).waitFor();
  }), 5, "another person: four digits at the pad, which one touch brings");
  // Bill and exact cash: 4.
  assert.ok(await taps(page, async () => {
    await table(page, "8");
    await page.locator(".pay").click();
    await page.locator("dialog").getByRole("button", { name: /^Exact/ }).click();
    await page.locator("dialog .take").click();
    await page.getByText("Everything is paid.").waitFor();
  }) <= 4, "bill and exact cash");
  await page.locator(".receipt").getByText("TOTAL INR").waitFor();
  await page.locator(".receipt").getByText("588.00").first().waitFor();
  const paid = await manager.ask("GET", `/orders/${made.id}`);
  assert.deepEqual([paid.dueCents, paid.payments.length, paid.payments[0].method, paid.payments[0].amountCents], [0, 1, "CASH", 58800]);
  assert.ok(paid.invoiceNumber);
  const paper = await fetch(`${box.url}/api/v1/orders/${made.id}/receipt?format=escpos`, { headers: { authorization: `Bearer ${await bearer()}` } });
  assert.ok((await paper.arrayBuffer()).byteLength > 200);
  await page.getByRole("button", { name: "Done", exact: true }).click();
  // The guests leave; the table is cleaned, and free.
  await table(page, "8");
  await page.getByRole("button", { name: "Guests left" }).click();
  await page.locator('[data-table="8"].DIRTY').click();
  await page.locator("dialog").getByRole("button", { name: "Free now" }).click();
  await page.locator('[data-table="8"].FREE').waitFor();
  assert.deepEqual(complaints, []);
});

/** The manager's token. */
async function bearer() {
  const answer = await (await fetch(`${box.url}/api/v1/auth/login`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ email: "manager@sample.test", password: "tiffin-sample" }) })).json();
  return answer.data.accessToken;
}

test("the same taps suffice on a phone", async () => {
  const { page } = await till("Waiter");
  await page.setViewportSize(SIZES.phone);
  assert.ok(await taps(page, async () => {
    await table(page, "5");
    await dish(page, "Paneer Tikka");
    await page.locator(".dock").getByRole("button", { name: "One Paneer Tikka more" }).click();
    await page.locator(".dock").getByRole("button", { name: "Medium", exact: true }).click();
    await send(page);
    await sent(page, 1);
  }) <= 5, "two paneer tikka, medium, sent");
  await back(page);
  assert.ok(await taps(page, async () => {
    await table(page, "5");
    await page.locator(".sent .line").waitFor();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await page.locator("dialog").getByRole("button", { name: /^4/ }).click();
    await page.getByRole("heading", { name: "Table 4" }).waitFor();
  }) <= 3, "a table moved");
  await back(page);
  assert.ok(await taps(page, async () => {
    await table(page, "4");
    await page.locator("[data-line]").click();
    await page.locator("dialog").getByRole("button", { name: "Take off" }).click();
    await page.locator('dialog [data-reason="MISTAKE"]').click();
    await page.locator(".sent .line.VOIDED").waitFor();
  }) <= 4, "a void, within the grace");
  const [order] = await ordersOf("4");
  await manager.ask("PATCH", `/orders/${order.id}/status`, { status: "CANCELLED", reason: "MISTAKE" });
});

test("a dish is 86 in two taps, and back in one; every till sees it", async () => {
  const { page } = await till("Waiter");
  const other = await till("Cashier");
  await table(other.page, "1");
  await other.page.locator('.order [data-dish="Paneer Tikka"]').waitFor();
  assert.ok(await taps(page, async () => {
    await page.getByRole("button", { name: "Sold out", exact: true }).click();
    await page.locator('.grid [data-dish="Paneer Tikka"]').last().click();
    await page.locator('.off [data-dish="Paneer Tikka"]').waitFor();
  }) <= 2, "86");
  await other.page.locator('.order .dish.out[data-dish="Paneer Tikka"]').waitFor();
  await page.locator('.off [data-dish="Paneer Tikka"]').click();
  await page.locator(".off").waitFor({ state: "detached" });
  await other.page.locator('.order .dish:not(.out)[data-dish="Paneer Tikka"]').waitFor();
});

test("a bill in three parts is four taps, and the parts are the bill", async () => {
  const { page } = await till("Cashier");
  await table(page, "2");
  await dish(page, "Paneer Tikka");
  await send(page);
  await sent(page, 1);
  await back(page);
  assert.ok(await taps(page, async () => {
    await table(page, "2");
    await page.locator(".pay").click();
    await page.locator("dialog").getByRole("button", { name: "3", exact: true }).click();
    await page.locator("dialog .take").click();
    await page.locator("dialog").getByText("Part 2 of 3").waitFor();
  }) <= 4, "split by three");
  for (const part of ["CARD", "UPI"]) {
    await page.locator("dialog .methods").getByRole("button", { name: part === "CARD" ? "Card" : "UPI" }).click();
    await page.locator("dialog").getByLabel(/^Reference/).fill(`R-${part}`);
    await page.locator("dialog .take").click();
    if (part === "CARD") await page.locator("dialog").getByText("Part 3 of 3").waitFor();
  }
  await page.getByText("Everything is paid.").waitFor();
  const [order] = await ordersOf("2");
  const detail = await manager.ask("GET", `/orders/${order.id}`);
  assert.deepEqual(detail.payments.map((/** @type {any} */ one) => [one.method, one.reference]), [["CASH", null], ["CARD", "R-CARD"], ["UPI", "R-UPI"]]);
  assert.equal(detail.payments.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.amountCents, 0), detail.totalAmountCents);
});

test("a turn by PIN in mid-order leaves each their own draft", async () => {
  const { page } = await till("Waiter");
  await table(page, "3");
  await dish(page, "Chilli Paneer");
  await page.locator('[data-draft="Chilli Paneer"]').waitFor();
  await page.getByRole("button", { name: "Arjun Kumar", exact: true }).click();
  await pin(page, "1003");
  await page.getByRole("button", { name: "Meera Nair", exact: true }).waitFor();
  assert.equal(await page.locator("[data-draft]").count(), 0);
  await dish(page, "Chicken 65");
  await send(page);
  await sent(page, 1);
  await page.getByRole("button", { name: "Meera Nair", exact: true }).click();
  await pin(page, "1004");
  await page.getByRole("button", { name: "Arjun Kumar", exact: true }).waitFor();
  await page.locator('[data-draft="Chilli Paneer"]').waitFor();
  await send(page);
  await sent(page, 2);
  const orders = await ordersOf("3");
  assert.equal(orders.length, 1);
  const detail = await manager.ask("GET", `/orders/${orders[0].id}`);
  assert.deepEqual(detail.items.map((/** @type {any} */ line) => line.name), ["Chicken 65", "Chilli Paneer"]);
  assert.equal(detail.server.name, "Meera Nair");
});

test("a turn that ended asks for the PIN, and nothing that was typed is lost", async () => {
  const { page, context } = await till("Manager");
  await page.getByRole("button", { name: "Ananya Rao", exact: true }).click();
  await pin(page, "1004");
  await page.getByRole("button", { name: "Arjun Kumar", exact: true }).waitFor();
  await table(page, "4");
  await dish(page, "Chilli Paneer");
  await page.locator(".dock").getByRole("button", { name: "One Chilli Paneer more" }).click();
  await page.locator(".sums").getByText("Draft with tax").waitFor();
  // Somebody's PIN elsewhere with the same sign-in ends the turn; here the server says so to the next request.
  await context.route("**/api/v1/orders/quote", (route) => route.fulfill({ status: 401, contentType: "application/json", body: JSON.stringify({ code: "ERR_UNAUTHORIZED", title: "Sign in first" }) }));
  await page.locator(".dock").getByRole("button", { name: "One Chilli Paneer more" }).click();
  await page.getByRole("heading", { name: "Your time at the till ended" }).waitFor();
  await context.unroute("**/api/v1/orders/quote");
  await page.keyboard.press("Escape");
  await pin(page, "9999");
  await page.getByText("Wrong PIN.").waitFor();
  await pin(page, "1004");
  await page.locator("dialog").getByRole("button", { name: "Go on" }).click();
  await page.locator("dialog.lock").waitFor({ state: "detached" });
  assert.equal(await page.locator(".drafts output").textContent(), "3");
  await send(page);
  await sent(page, 1);
  assert.equal((await ordersOf("4")).length, 1);
});

test("a double tap, and an answer that was lost, are one order and one payment", async () => {
  const { page, context } = await till("Cashier");
  await table(page, "6");
  await dish(page, "Paneer Tikka");
  let lost = 0;
  await context.route("**/api/v1/orders", async (route) => {
    if (route.request().method() !== "POST" || lost > 0) return route.continue();
    lost += 1;
    await route.fetch().catch(() => {});
    return route.abort().catch(() => {});
  });
  await page.locator(".send").dblclick();
  await sent(page, 1);
  assert.equal(lost, 1);
  assert.equal((await ordersOf("6")).length, 1);
  // The payment is taken, its answer lost: the till asks again under the same key.
  let gone = 0;
  await context.route("**/payments", async (route) => {
    if (gone > 0) return route.continue();
    gone += 1;
    await route.fetch().catch(() => {});
    return route.abort().catch(() => {});
  });
  await page.locator(".pay").click();
  await page.locator("dialog .take").dblclick();
  await page.getByText("Everything is paid.").waitFor();
  const [order] = await ordersOf("6");
  assert.equal((await manager.ask("GET", `/orders/${order.id}`)).payments.length, 1);
});

test("a price that changed meanwhile stands old and new at its line, and is taken by one tap", async () => {
  const { page, context } = await till("Waiter");
  await table(page, "9");
  await dish(page, "Hara Bhara Kebab");
  const item = (await manager.get("/menu/items?q=Hara&limit=1"))[0];
  await manager.ask("PUT", `/menu/items/${item.id}/price`, { priceCents: item.priceCents + 1500 });
  await page.getByText("The price changed:").waitFor();
  assert.ok(await page.locator(".send").isDisabled());
  await page.locator(".drafts").getByRole("button", { name: "Accept", exact: true }).click();
  await send(page);
  await sent(page, 1);
  assert.match(await page.locator(".sent .price").first().textContent() ?? "", /245/);
  // Sold out between the tap and the box: it comes back as a draft that says so.
  await page.locator(".chip", { hasText: "Starters" }).click();
  await context.route("**/api/v1/stream?**", (route) => route.abort().catch(() => {}));
  await dish(page, "Chilli Paneer");
  await page.route("**/api/v1/orders/*/items", async (route) => {
    const chilli = (await manager.get("/menu/items?q=Chilli&limit=5")).find((/** @type {any} */ one) => one.name === "Chilli Paneer");
    await manager.ask("PUT", `/menu/items/${chilli.id}/availability`, { status: "OUT_OF_STOCK" });
    await route.continue();
  });
  await send(page);
  await page.locator(".drafts").getByText("Sold out meanwhile").waitFor();
  await page.locator(".drafts").getByRole("button", { name: "Remove" }).click();
  await page.locator("[data-draft]").waitFor({ state: "detached" });
  const chilli = (await manager.get("/menu/items?q=Chilli&limit=5")).find((/** @type {any} */ one) => one.name === "Chilli Paneer");
  await manager.ask("DELETE", `/menu/items/${chilli.id}/availability`);
});

test("a dish of two sizes asks for one by itself; the size is on the line, the ticket and the bill", async () => {
  const dal = (await manager.get("/menu/items?q=Dal%20Makhani&limit=1"))[0];
  const sizes = [{ name: "Half", priceCents: 17000 }, { name: "Full", priceCents: dal.priceCents }];
  await manager.ask("PATCH", `/menu/items/${dal.id}`, { priceCents: 17000, variants: sizes });
  const { page } = await till("Waiter");
  await table(page, "1");
  await page.locator("input[type=search]").fill("Dal Makhani");
  await dish(page, "Dal Makhani");
  const dock = page.locator(".dock");
  await dock.locator(".lacks").getByText("Size", { exact: true }).waitFor();
  await dock.getByRole("button", { name: /^Half/ }).click();
  await dock.locator(".lacks").waitFor({ state: "detached" });
  await send(page);
  await sent(page, 1);
  await page.locator('.sent [data-line="Dal Makhani (Half)"]').waitFor();
  const [{ id }] = (await ordersOf("1")).slice(-1);
  const [ticket] = await kitchen.get(`/kitchen/tickets?orderId=${id}`);
  assert.equal(ticket.items[0].name, "Dal Makhani (Half)");
  // The same again is the same size.
  await page.locator(".sent .again").first().click();
  await page.locator("[data-draft]", { hasText: "Half" }).waitFor();
  await manager.ask("PATCH", `/menu/items/${dal.id}`, { variants: null, priceCents: dal.priceCents });
});

test("a till that is reloaded at any step has one order and one payment, or a draft", async () => {
  const { page } = await till("Cashier");
  /** @type {[string, () => Promise<unknown>][]} */
  const steps = [
    ["the table", () => table(page, "10")], ["a dish", () => dish(page, "Paneer Tikka")], ["more", () => page.locator(".drafts").getByRole("button", { name: "One Paneer Tikka more" }).click()],
    ["send", () => send(page)], ["another dish", async () => { await sent(page, 1); await page.locator(".strip").getByRole("button", { name: "Starters" }).click(); await dish(page, "Chicken 65"); }], ["send again", () => send(page)],
    ["pay", async () => { await sent(page, 2); await page.locator(".pay").click(); await page.locator("dialog .take").waitFor(); }], ["take", async () => { await page.locator(".pay").click(); await page.locator("dialog .take").click(); }],
  ];
  for (const [name, step] of steps) {
    await step();
    await page.reload();
    await page.locator(".order").waitFor();
    const orders = await ordersOf("10");
    assert.ok(orders.length <= 1, `${name}: ${orders.length} orders`);
    if (name === "a dish" || name === "more") assert.equal(await page.locator('[data-draft="Paneer Tikka"]').count(), 1, name);
    if (name === "send") { await sent(page, 1); assert.equal(await page.locator("[data-draft]").count(), 0); }
    if (name === "send again") { await sent(page, 2); assert.equal(await page.locator("[data-draft]").count(), 0); }
  }
  const [order] = await ordersOf("10");
  // The payment was asked for before the last reload: the till asks again for its answer by itself.
  const detail = await until("the payment is there", async () => { const one = await manager.ask("GET", `/orders/${order.id}`); return one.dueCents === 0 ? one : null; });
  assert.deepEqual(detail.items.map((/** @type {any} */ line) => [line.name, line.quantity]), [["Paneer Tikka", 2], ["Chicken 65", 1]]);
  assert.deepEqual([detail.payments.length, detail.dueCents], [1, 0]);
});

test("without the box floor and menu stay, drafts are kept, nothing is paid; when it is back what was sent goes once", async () => {
  const { page } = await till("Cashier");
  await table(page, "11");
  await dish(page, "Paneer Tikka");
  await send(page);
  await sent(page, 1);
  await box.down();
  await page.getByText("The box does not answer.", { exact: false }).first().waitFor();
  assert.ok(await page.locator(".pay").isDisabled());
  await dish(page, "Chicken 65");
  await page.locator('[data-draft="Chicken 65"]').waitFor();
  await send(page);
  await page.locator(".foot").getByText("Kept here until the box is back").waitFor();
  await back(page);
  await page.getByText("The floor as it was at").waitFor();
  await table(page, "12");
  await dish(page, "Paneer Tikka");
  await page.getByRole("button", { name: "Meera Nair", exact: true }).click();
  await page.locator("dialog").getByText("nobody can be changed now").waitFor();
  await page.locator("dialog").getByRole("button", { name: "Close" }).click();
  await box.up();
  manager = await box.as("manager");
  kitchen = await box.as("kitchen");
  await page.locator(".troubles .bad").waitFor({ state: "detached" });
  await back(page);
  await table(page, "11");
  await sent(page, 2);
  const orders = await ordersOf("11");
  assert.equal(orders.length, 1);
  assert.equal((await manager.ask("GET", `/orders/${orders[0].id}`)).items.length, 2);
  assert.equal((await ordersOf("12")).length, 0);
  await back(page);
  await table(page, "12");
  await page.locator('[data-draft="Paneer Tikka"]').waitFor();
});
