// The till's rarer jobs, each done by touching and read from the branch by other eyes: food called back, the service charge, what an operator gave
// back, tables put together, orders of channels and of guests, what is too old to go by itself, looking for orders, several tenders with change.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atView, branch, browser, call, examine, open, signIn, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {any} */
let owner;
/** @type {any[]} */
let dishes;
/** @type {any[]} */
let tables;
/** @type {Record<string, any>} */
const channels = {};
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-general", "off", "--limit-login", "off"]), browser()]);
  [manager, owner] = [await box.as("manager"), await box.as("owner")];
  dishes = (await manager.get("/menu")).categories.flatMap((/** @type {any} */ one) => one.items);
  ({ tables } = await manager.get("/floor"));
  for (const [name, taxedBy] of [["Swiggy", "OPERATOR"], ["Zomato", "RESTAURANT"]]) channels[name] = await owner.post("/channels", { name, kind: "AGGREGATOR", taxedBy, operatorTaxId: "29AAGCB7383J1Z4", commissionBps: 2000 });
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @type {Map<string, Awaited<ReturnType<typeof open>>>} */
const tills = new Map();
/** A till with somebody at it, who looks at `view`. @param {string} role @param {any} [view] */
async function till(role, view = { at: "floor" }) {
  const known = tills.get(role), opened = known ?? (await open(chromium));
  const { page, context } = opened;
  await context.unrouteAll();
  if (!known) { await page.goto(`${box.url}/pos`); await signIn(page, role); await page.locator("[data-table]").first().waitFor(); }
  tills.set(role, opened);
  await atView(page, view);
  await page.locator(view.at === "floor" ? "[data-table]" : view.at === "order" ? ".order" : ".pages").first().waitFor();
  const dialog = () => page.locator("dialog[open]").last();
  return {
    ...opened, dialog,
    /** @param {string | RegExp} name */
    press: (name) => dialog().getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).click(),
    /** @param {string} name */
    act: (name) => page.locator(`[data-act="${name}"]`).click(),
    /** @param {string | RegExp} name */
    more: async (name) => { await page.locator('[data-act="more"]').click(); await dialog().getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).click(); },
  };
}
/** @param {string} name @param {number} [quantity] @param {any} [more] */
const item = (name, quantity = 1, more = {}) => { const dish = dishes.find((one) => one.name === name); return { menuItemId: dish.id, quantity, unitPriceCents: dish.priceCents, ...more }; };
/** @param {string} number */
const idOf = (number) => tables.find((one) => one.number === number).id;
/** @param {string} number @param {any[]} items */
const ordered = (number, items) => manager.post("/orders", { orderType: "DINE_IN", tableId: idOf(number), guestCount: 2, items });
/** @param {string} number @param {any} order */
const at = (number, order) => ({ at: "order", tableId: idOf(number), orderId: order.id });
/** @param {string} id */
const detail = (id) => manager.ask("GET", `/orders/${id}`);
/** @param {string} what @param {string} id @param {(order: any) => boolean} is */
const becomes = (what, id, is) => until(what, async () => { const one = await detail(id); return is(one) ? one : null; });
/** @param {string} number */
const floorOf = async (number) => (await manager.get("/floor")).tables.find((/** @type {any} */ one) => one.number === number);

test("food that went out wrong is called back to the kitchen", async () => {
  const made = await ordered("1", [item("Chilli Paneer")]);
  const [ticket] = await manager.get(`/kitchen/tickets?orderId=${made.id}`);
  await manager.post(`/kitchen/tickets/${ticket.id}/ready`, {});
  const { page, press } = await till("Manager", at("1", made));
  await page.locator(".sent .state.READY").waitFor();
  await page.locator('[data-line="Chilli Paneer"]').click();
  await press("Served");
  await page.locator(".sent .state.SERVED").waitFor();
  assert.equal((await manager.get(`/kitchen/tickets?orderId=${made.id}&status=SERVED`)).length, 1);
  await page.locator('[data-line="Chilli Paneer"]').click();
  await press("Back to the kitchen");
  await page.locator(".sent .state.IN_PREPARATION").waitFor();
  const [back] = await manager.get(`/kitchen/tickets?orderId=${made.id}`);
  assert.deepEqual([back.status, back.recalledCount], ["IN_PREPARATION", 1]);
});

test("the service charge is taken off with a reason, on record, and put back; a waiter may, too", async () => {
  const { id } = (await manager.get("/outlets"))[0];
  await owner.ask("PATCH", `/outlets/${id}`, { serviceCharge: { bps: 1000, automatic: true, orderTypes: ["DINE_IN"], taxed: true } });
  const made = await ordered("2", [item("Paneer Tikka", 2)]);
  const before = (await detail(made.id)).serviceChargeCents;
  assert.equal(before, 5600);
  const { page, press, more } = await till("Waiter", at("2", made));
  await page.locator(".sums").getByText("Service charge").waitFor();
  await more("Service charge on or off");
  await press("Regular guest");
  await becomes("no service charge", made.id, (one) => one.serviceChargeCents === 0);
  await page.locator(".sums").getByText("Service charge").waitFor({ state: "detached" });
  const noted = await owner.get(`/audit-log?entityId=${made.id}&limit=50`);
  assert.ok(noted.some((/** @type {any} */ one) => one.entityId === made.id && one.reason === "REGULAR" && one.actorName === "Arjun Kumar"), JSON.stringify(noted));
  await more("Service charge on or off");
  await becomes("the service charge", made.id, (one) => one.serviceChargeCents === before);
  await page.locator(".sums").getByText("Service charge").waitFor();
  await owner.ask("PATCH", `/outlets/${id}`, { serviceCharge: { bps: 1000, automatic: false, orderTypes: ["DINE_IN"], taxed: true } });
});

test("what an operator gave back to the guest is entered on its slip, with the PIN of somebody who may", async () => {
  const made = await manager.post("/orders", { orderType: "DELIVERY", channelId: channels.Swiggy.id, externalId: "SW-77", items: [item("Paneer Tikka", 2)] });
  await manager.post(`/orders/${made.id}/payments`, { method: "OTHER", amountCents: made.dueCents, reference: "SW-77" });
  await manager.ask("PATCH", `/orders/${made.id}/status`, { status: "COMPLETED" });
  const { slipNumber } = await becomes("the slip", made.id, (one) => Boolean(one.slipNumber));
  const { page, press, more, dialog } = await till("Cashier", { at: "order", orderId: made.id });
  await page.locator(".where").getByText("Swiggy SW-77").waitFor();
  await page.locator(".where").getByText(slipNumber).waitFor();
  await more("Refund and corrections");
  await press(/^The channel gave back/);
  await dialog().getByRole("button", { name: "One Paneer Tikka more" }).click();
  await press("Charged too much");
  await dialog().locator(".pin").waitFor();
  assert.equal((await detail(made.id)).refundedCents, 0);
  await page.keyboard.type("1001");
  const back = await becomes("half of it back", made.id, (one) => one.refunds.length > 0);
  assert.deepEqual([back.refundedCents, back.refunds[0].reason], [made.totalAmountCents / 2, "OVERCHARGED"]);
  const slips = await owner.ask("GET", "/analytics/reports/slips");
  assert.ok(JSON.stringify(slips).includes(slipNumber), "the slip is in the books");
});

test("two parties sit together: their orders come to one table, the other is free to be cleaned", async () => {
  const [one, other] = [await ordered("3", [item("Paneer Tikka")]), await ordered("4", [item("Chicken 65")])];
  const { page, press, more, dialog } = await till("Waiter", at("3", one));
  await more("Put tables together");
  await dialog().getByRole("button", { name: /^4/ }).click();
  await dialog().getByText("The party of table 4 comes to table 3.").waitFor();
  await press("Put together");
  await until("both orders are at one table", async () => (await floorOf("3")).orders.length === 2);
  assert.deepEqual([(await floorOf("3")).orders.map((/** @type {any} */ each) => each.id).sort(), (await floorOf("4")).orders, (await floorOf("4")).party], [[one.id, other.id].sort(), [], null]);
  await page.locator(".tabs .chip").nth(1).waitFor();
});

test("a channel's order names it, is accepted by one touch, or refused with a reason and a PIN; what came late says so", async () => {
  /** @param {string} number */
  const sent = (number) => manager.post("/orders", { orderType: "DELIVERY", channelId: channels.Zomato.id, externalId: number, customerName: "Ravi", items: [item("Chicken 65")] });
  const [first, second] = [await sent("Z-1"), await sent("Z-2")];
  const { page, context, press, act, dialog } = await till("Cashier", { at: "orders" });
  await page.getByRole("button", { name: "Channels", exact: true }).click();
  const row = (/** @type {string} */ number) => page.locator(".rows li").filter({ hasText: `Zomato ${number}` });
  await row("Z-1").waitFor();
  await examine(page, "pos-channels");
  await row("Z-1").getByRole("button", { name: "Accept" }).click();
  await becomes("it is accepted", first.id, (one) => one.status === "ACCEPTED");
  await row("Z-1").getByRole("button", { name: "Accept" }).waitFor({ state: "detached" });
  await row("Z-2").locator(".what").click();
  await page.locator(".where").getByText("Zomato Z-2").waitFor();
  const [ticket] = await manager.get(`/kitchen/tickets?orderId=${second.id}`);
  await manager.post(`/kitchen/tickets/${ticket.id}/start`, {});
  await page.locator(".sent .state.IN_PREPARATION").waitFor();
  await page.locator('[data-act="accept"]').waitFor({ state: "detached" });
  const third = await sent("Z-3");
  const { more } = await till("Cashier", { at: "order", orderId: third.id });
  await page.locator(".where").getByText("Zomato Z-3").waitFor();
  await act("refuse");
  await dialog().locator(".choices button").first().click();
  // Within the grace anybody may; the one that cooks needs somebody who may.
  const gone = await becomes("it is called off", third.id, (one) => one.status === "CANCELLED");
  assert.ok(gone.statusHistory.some((/** @type {any} */ one) => one.reason), "with its reason");
  await till("Cashier", { at: "order", orderId: second.id });
  await page.locator(".where").getByText("Zomato Z-2").waitFor();
  await more("Cancel the order");
  await press("Guest left");
  await dialog().locator(".pin").waitFor();
  assert.notEqual((await detail(second.id)).status, "CANCELLED");
  await page.keyboard.type("1001");
  await becomes("it is called off, too", second.id, (one) => one.status === "CANCELLED");
  // The box was off when its time came.
  await context.route(`**/api/v1/orders/${first.id}`, async (route) => {
    const answer = await route.fetch(), body = await answer.json();
    await route.fulfill({ response: answer, json: body.data ? { ...body, data: { ...body.data, releasedLate: true } } : { ...body, releasedLate: true } });
  });
  await atView(page, { at: "order", orderId: first.id });
  await page.locator(".where").getByText("late to the kitchen").waitFor();
});

test("what is older than three minutes asks before it goes, or is a draft again", async () => {
  for (const [number, wants] of /** @type {const} */ ([["5", "Send now"], ["6", "Back to draft"]])) {
    const { page, context } = await open(chromium);
    await page.clock.install();
    await page.goto(`${box.url}/pos`);
    await signIn(page, "Waiter");
    await page.locator(`[data-table="${number}"]`).click();
    await page.locator('.order [data-dish="Paneer Tikka"]').click();
    let asked = 0;
    await context.route("**/api/v1/orders", (route) => { if (route.request().method() !== "POST") return route.continue(); asked += 1; return route.abort().catch(() => {}); });
    await page.locator(".send").click();
    await until("it was tried", async () => asked > 0);
    await page.clock.fastForward("04:00");
    const waits = page.locator(".waiting").getByText(`Table ${number}: 1 dish typed at`);
    await waits.waitFor();
    await page.locator(".foot").getByText("Not sent: it is minutes old.").waitFor();
    await context.unroute("**/api/v1/orders");
    // It is let through now, and waits to be asked for.
    await page.clock.fastForward("02:00");
    assert.deepEqual(await manager.get(`/orders?tableNumber=${number}`), []);
    if (wants === "Send now") await examine(page, "pos-old", { sizes: ["phone", "tablet"] });
    await page.locator(".waiting").getByRole("button", { name: wants }).click();
    await waits.waitFor({ state: "detached" });
    if (wants === "Send now") {
      const [order] = await until("it went", async () => { const all = await manager.get(`/orders?tableNumber=${number}`); return all.length > 0 ? all : null; });
      assert.equal((await detail(order.id)).items.length, 1);
    } else {
      await page.locator('[data-draft="Paneer Tikka"]').waitFor();
      assert.deepEqual(await manager.get(`/orders?tableNumber=${number}`), []);
    }
    await context.close();
  }
});

test("a guest's order is refused with a reason, or accepted from the list, or in the order itself; the kitchen has only what was accepted", async () => {
  const codes = await manager.get("/tables?limit=100");
  const { page, act, dialog } = await till("Waiter");
  /** @param {string} number */
  async function guest(number) {
    const { qrToken } = codes.find((/** @type {any} */ one) => one.number === number);
    await call(box.url, "POST", `/orders/tables/${qrToken}/orders`, { body: { guestToken: crypto.randomUUID(), items: [{ menuItemId: item("Paneer Tikka").menuItemId, quantity: 1 }] } });
    return (await manager.get(`/orders?tableNumber=${number}`))[0];
  }
  const refused = await guest("9");
  await page.locator(".asking .card").getByRole("button", { name: "Refuse" }).click();
  await dialog().locator(".choices button").first().click();
  // A waiter may not call an order off alone.
  await dialog().locator(".pin").waitFor();
  assert.notEqual((await detail(refused.id)).status, "CANCELLED");
  await page.keyboard.type("1001");
  await becomes("it is refused", refused.id, (one) => one.status === "CANCELLED");
  assert.deepEqual((await manager.get(`/kitchen/tickets?orderId=${refused.id}`)), []);
  const listed = await guest("10");
  await page.getByRole("button", { name: "Orders", exact: true }).click();
  await page.getByRole("button", { name: "Guests' orders" }).click();
  await page.locator(".rows li").getByRole("button", { name: "Accept" }).click();
  await becomes("it is accepted", listed.id, (one) => !one.awaitsApproval);
  const looked = await guest("11");
  await page.getByRole("button", { name: "Floor", exact: true }).click();
  await page.locator(".asking .card").getByRole("button", { name: "Look" }).click();
  await page.locator(".sent .state.WAITS").waitFor();
  await act("accept");
  await becomes("it is accepted, too", looked.id, (one) => !one.awaitsApproval);
  await page.locator('[data-act="accept"]').waitFor({ state: "detached" });
  for (const one of [listed, looked]) assert.equal((await manager.get(`/kitchen/tickets?orderId=${one.id}`)).length, 1);
});

test("an order is found by its number, its table, its guest, or its telephone", async () => {
  const made = await manager.post("/orders", { orderType: "TAKEAWAY", customerName: "Padma Iyer", customerPhone: "+91 99000 77777", items: [item("Chicken 65")] });
  const seated = await ordered("12", [item("Chicken 65")]);
  const { page } = await till("Waiter", { at: "orders" });
  const found = page.locator(".rows li");
  for (const [typed, order] of [[made.orderNumber, made], [String(Number(made.orderNumber.split("-").at(-1))), made], ["padma", made], ["77777", made], ["12", seated]]) {
    await page.getByLabel("Number, name or table").fill(typed);
    await until(`${typed} finds it`, async () => (await found.count()) === 1 && (await found.first().innerText()).includes(`#${order.tokenNumber}`));
  }
  await page.getByLabel("Number, name or table").fill("nobody at all");
  await page.getByText("No orders.").waitFor();
});

test("one bill by several tenders: so much by card, the rest in cash with its change", async () => {
  const made = await ordered("8", [item("Paneer Tikka", 2)]);
  const { page, press, dialog } = await till("Cashier", at("8", made));
  await page.locator(".sent .line").waitFor();
  await page.locator(".pay").click();
  await dialog().getByLabel("Another amount").fill("250");
  await dialog().getByRole("button", { name: "Card", exact: true }).click();
  await dialog().getByLabel(/^Reference/).fill("T-9");
  await press(/^Take ₹250\.00 · Card/);
  await dialog().getByText("₹250.00 by Card is taken.").waitFor();
  await dialog().getByRole("button", { name: "Cash", exact: true }).click();
  await dialog().getByLabel("Given").fill("500");
  await dialog().locator(".change").getByText("₹162.00").waitFor();
  await examine(page, "pos-change", { sizes: ["phone", "tablet"] });
  await press(/^Take ₹338\.00 · Cash/);
  await page.getByText("Everything is paid.").waitFor();
  await dialog().locator(".change").getByText("₹162.00").waitFor();
  const paid = await detail(made.id);
  assert.deepEqual(paid.payments.map((/** @type {any} */ one) => [one.method, one.amountCents, one.tenderedCents, one.changeCents]), [["CARD", 25000, null, 0], ["CASH", 33800, 50000, 16200]]);
  assert.ok(paid.invoiceNumber);
});

test("by keys alone: a line comes off, a PIN approves, a bill is divided by dish, by seat and in parts, and paid", async () => {
  const made = await ordered("7", [item("Paneer Tikka", 1, { seatNumber: 1 }), item("Chicken 65", 2, { seatNumber: 2 }), item("Fish Amritsari")]);
  for (const ticket of await manager.get(`/kitchen/tickets?orderId=${made.id}`)) await manager.post(`/kitchen/tickets/${ticket.id}/start`, {});
  const { page, dialog } = await till("Cashier");
  /** Tabs on until the focus is on what `selector` names, with this text. @param {string} selector @param {RegExp} [text] */
  async function reach(selector, text = /(?:)/) {
    await page.locator(selector).filter({ hasText: text }).first().waitFor();
    const is = () => page.evaluate(([what, words]) => { const on = document.activeElement; return Boolean(on?.matches(what) && new RegExp(words).test(on.textContent ?? "")); }, [selector, text.source]);
    for (let n = 0; n < 200 && !(await is()); n += 1) await page.keyboard.press("Tab");
    assert.ok(await is(), `${selector} ${text} is reached by Tab`);
  }
  /** @param {string} selector @param {RegExp} [text] */
  async function enter(selector, text) { await reach(selector, text); await page.keyboard.press("Enter"); }
  await enter('[data-table="7"]');
  await page.locator(".sent .line").nth(2).waitFor();
  await enter('[data-line="Fish Amritsari"]');
  await enter("dialog button.bad");
  await enter('dialog [data-reason="QUALITY"]');
  await dialog().locator(".pin").waitFor();
  await page.keyboard.type("1001");
  await becomes("it is off", made.id, (one) => one.items.some((/** @type {any} */ line) => line.name === "Fish Amritsari" && line.quantity === 0));
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  // The focus is where it was.
  assert.equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.dataset.line), "Fish Amritsari");
  await enter('[data-act="split"]');
  await enter("dialog .choices button", /^By dish/);
  await enter('dialog .stepper button[aria-label="One Chicken 65 more"]');
  await enter("dialog button.main", /^New bill/);
  await until("two orders", async () => (await floorOf("7")).orders.length === 2);
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await page.locator(".tabs .chip").nth(1).waitFor();
  assert.equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.dataset.act), "split");
  await enter('[data-act="split"]');
  await enter("dialog .choices button", /^By seat/);
  await until("three orders", async () => (await floorOf("7")).orders.length === 3);
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await enter('[data-act="split"]');
  await enter("dialog .choices button", /^Equally/);
  await enter("dialog .choices button", /^2$/);
  await dialog().getByText("Part 1 of 2").waitFor();
  await enter("dialog .take:enabled");
  await dialog().getByText("Part 2 of 2").waitFor();
  await enter("dialog .take:enabled");
  await page.getByText("Everything is paid.").waitFor();
  await until("one of three is paid in two parts", async () => (await Promise.all((await floorOf("7")).orders.map((/** @type {any} */ one) => detail(one.id)))).some((one) => one.dueCents === 0 && one.payments.length === 2));
});

test("a bill with an address for its guest stands as a code beside its rows; where the box draws none, the address does; a logo is a picture", async () => {
  const made = await ordered("2", [item("Paneer Tikka")]);
  await manager.post(`/orders/${made.id}/payments`, { method: "CARD", amountCents: made.dueCents, reference: "R" });
  const { page, context, dialog, complaints } = await till("Cashier", at("2", made));
  const url = `${box.url}/r/0123456789abcdef`;
  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  let draws = true;
  await context.route("**/api/v1/orders/*/receipt?format=json**", async (route) => {
    const answer = await route.fetch(), body = await answer.json(), picture = draws ? dot : null;
    const own = body.data.rows.filter((/** @type {any} */ row) => row.kind !== "QR");
    const rows = [{ kind: "PICTURE", text: dot, right: null, picture: null }, ...own, { kind: "QR", text: url, right: null, picture }, { kind: "QR", text: "signed by the authority", right: null, picture }];
    await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, rows, guestUrl: url, guestCode: picture } } });
  });
  await page.locator(".pay", { hasText: "Receipt" }).click();
  await dialog().locator(".guest img.code").waitFor();
  await until("the pictures are drawn", () => dialog().locator("img").evaluateAll((all) => all.length === 3 && all.every((one) => /** @type {HTMLImageElement} */ (one).naturalWidth > 0)));
  await dialog().locator(".guest").getByText(url).waitFor();
  await examine(page, "pos-code");
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  draws = false;
  await page.locator(".pay", { hasText: "Receipt" }).click();
  await dialog().getByText("The bill's address for the guest").waitFor();
  await dialog().getByText("signed by the authority").waitFor();
  assert.equal(await dialog().locator("img.code").count(), 0);
  assert.deepEqual(complaints, []);
});

test("in Hindi the branch's news and refusals are in Hindi, too", async () => {
  const made = await ordered("10", [item("Paneer Tikka")]);
  const { qrToken } = (await manager.get("/tables?limit=100")).find((/** @type {any} */ one) => one.number === "10");
  await call(box.url, "POST", `/orders/tables/${qrToken}/call`, { body: { what: "BILL" } });
  const { page, dialog } = await till("Waiter", at("10", made));
  await page.goto(`${box.url}/pos?lang=hi`);
  await page.getByRole("button", { name: /^सूचना/ }).click();
  await dialog().getByText("टेबल 10 बिल माँग रही है").waitFor();
  await dialog().getByText("बिल बनाकर ले जाएँ।").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  // The bill is made elsewhere: what is added then is refused.
  await page.locator(".strip .chip").nth(1).click();
  await page.locator('.order [data-dish="Chicken 65"]').click();
  await page.route("**/orders/*/items", async (route) => { await manager.post(`/orders/${made.id}/invoice`, {}); await route.continue(); });
  await page.locator(".send").click();
  await page.locator(".drafts .bad").getByText("बिल बन चुका है: उसे सुधारें या नया ऑर्डर लें।").waitFor();
});
