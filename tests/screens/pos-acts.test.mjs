// What a till does besides: guests' orders, discounts with an approver, dividing and joining, orders for later, refunds, the drawer, the day, a
// paired device with its lock. Done by touching, read from the branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atView, branch, browser, call, codes, examine, open, signIn, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {import("playwright-core").Page} */
let page;
/** @type {string[]} */
let complaints;
/** @type {any[]} */
let dishes;
/** @type {any[]} */
let tables;
before(async () => {
  [box, chromium] = await Promise.all([branch(), browser()]);
  manager = await box.as("manager");
  dishes = (await manager.get("/menu")).categories.flatMap((/** @type {any} */ one) => one.items);
  ({ tables } = await manager.get("/floor"));
  ({ page, complaints } = await open(chromium));
  await page.goto(`${box.url}/pos`);
  await signIn(page, "Manager");
  await page.locator("[data-table]").first().waitFor();
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @param {string} name @param {number} [quantity] @param {any} [more] */
const item = (name, quantity = 1, more = {}) => { const dish = dishes.find((one) => one.name === name); return { menuItemId: dish.id, quantity, unitPriceCents: dish.priceCents, ...more }; };
/** @param {string} number */
const idOf = (number) => tables.find((one) => one.number === number).id;
/** An order at a table, made elsewhere, in view. @param {string} number @param {any[]} items */
async function ordered(number, items) {
  const made = await manager.post("/orders", { orderType: "DINE_IN", tableId: idOf(number), guestCount: 2, items });
  await go({ at: "order", tableId: idOf(number), orderId: made.id });
  await page.locator(".sent .line").nth(items.length - 1).waitFor();
  return made;
}
/** @param {any} view */
async function go(view) {
  await atView(page, view);
  await page.locator("main .place").waitFor();
}
const dialog = () => page.locator("dialog[open]").last();
/** @param {string | RegExp} name */
const press = (name) => dialog().getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).click();
/** @param {string} name */
const act = (name) => page.locator(`[data-act="${name}"]`).click();
/** @param {string} name */
async function more(name) { await act("more"); await press(name); }
/** @param {string} id */
const detail = (id) => manager.ask("GET", `/orders/${id}`);
/** @param {string} what @param {string} id @param {(order: any) => boolean} is */
const becomes = (what, id, is) => until(what, async () => is(await detail(id)));

test("a guest's order is accepted by one touch, and its party's code is told", async () => {
  const { qrToken } = (await manager.get("/tables?limit=100")).find((/** @type {any} */ one) => one.number === "10");
  await call(box.url, "POST", `/orders/tables/${qrToken}/orders`, { body: { guestToken: crypto.randomUUID(), items: [{ menuItemId: item("Paneer Tikka").menuItemId, quantity: 1 }] } });
  await page.locator(".asking").getByRole("button", { name: "Accept" }).click();
  await page.locator(".asking .card").waitFor({ state: "detached" });
  const [order] = await manager.get("/orders?tableNumber=10");
  assert.deepEqual([order.status === "PENDING", order.awaitsApproval], [false, false]);
  await page.locator('[data-table="10"]').click();
  await page.locator(".sent .line").waitFor();
  await more("Code for guests' phones");
  assert.match(await dialog().locator(".amount b").textContent() ?? "", /^\d{4}$/);
  await press("Close");
  // The party calls; whoever goes there ticks it off by one touch.
  await call(box.url, "POST", `/orders/tables/${qrToken}/call`, { body: { what: "BILL" } });
  await page.getByRole("button", { name: "wants the bill – Seen" }).click();
  await until("nobody calls", async () => (await manager.get("/floor")).tables.find((/** @type {any} */ one) => one.number === "10").calls.length === 0);
});

test("a discount has a reason; service charge, guest and note are changed; the bill of a business names it", async () => {
  const { id } = await ordered("1", [item("Paneer Tikka", 2), item("Chicken 65")]);
  await act("discount");
  await press("20 %");
  await press("Regular guest");
  await becomes("the discount", id, (one) => one.discounts.length === 1 && Number(one.discounts[0].value) === 20 && one.discounts[0].reason === "REGULAR");
  await page.locator(".sums").getByText("Discount").waitFor();
  await more("Take a discount off");
  await press(/The whole order/);
  await becomes("no discount", id, (one) => one.discounts.length === 0);
  await more("Guest, type, time, note");
  await dialog().getByLabel("Name").fill("Asha");
  await dialog().getByLabel("Note").fill("window seat");
  await press("Save");
  await becomes("the guest", id, (one) => one.customerName === "Asha" && one.notes === "window seat");
  await act("guests");
  await press("4");
  await becomes("four guests", id, (one) => one.guestCount === 4);
  await more("Bill for a business");
  await dialog().getByLabel("Tax number (GSTIN)").fill("29AAACT2727Q1ZZ");
  await press("Make the bill");
  await dialog().locator(".wrong").filter({ hasText: "Tax number: That is no valid GSTIN: a digit is wrong." }).waitFor();
  await dialog().getByLabel("Tax number (GSTIN)").fill("29AAFCT4512Q1ZS");
  await dialog().getByLabel("Registered name").fill("Asha Traders");
  await dialog().getByLabel("Address", { exact: true }).fill("MG Road");
  await press("Make the bill");
  await becomes("the bill", id, (one) => Boolean(one.invoiceNumber));
});

test("seats and dishes become bills of their own, and orders are joined", async () => {
  const { id } = await ordered("2", [item("Paneer Tikka", 1, { seatNumber: 1 }), item("Chicken 65", 3, { seatNumber: 2 })]);
  await act("split");
  await press(/By seat/);
  await page.locator(".tabs .chip").nth(1).waitFor();
  let open = await manager.get("/orders?tableNumber=2");
  assert.equal(open.length, 2);
  await more("Put orders together");
  await dialog().locator(".choices button").first().click();
  await press("Put together");
  await until("one order", async () => (await manager.get("/orders?tableNumber=2&status=PENDING,ACCEPTED,IN_PREPARATION,READY")).length === 1);
  const [left] = await manager.get("/orders?tableNumber=2&status=PENDING,ACCEPTED,IN_PREPARATION,READY");
  assert.equal((await detail(left.id)).totalAmountCents, (await detail(id)).totalAmountCents);
  await act("split");
  await press(/By dish/);
  await dialog().getByRole("button", { name: "One Chicken 65 more" }).click();
  await press(/^New bill/);
  await until("two orders", async () => (await manager.get("/orders?tableNumber=2&status=PENDING,ACCEPTED,IN_PREPARATION,READY")).length === 2);
  open = await Promise.all((await manager.get("/orders?tableNumber=2&status=PENDING,ACCEPTED,IN_PREPARATION,READY")).map((/** @type {any} */ one) => detail(one.id)));
  assert.deepEqual(open.flatMap((/** @type {any} */ one) => one.items.filter((/** @type {any} */ line) => line.name === "Chicken 65" && line.quantity > 0).map((/** @type {any} */ line) => line.quantity)).sort(), [1, 2]);
});

test("what is held is fired; an order is called off with a reason", async () => {
  const { id } = await ordered("4", [item("Paneer Tikka"), item("Gajar Halwa", 1, { hold: true, course: 3 })]);
  await page.locator(".sent .state.HELD").waitFor();
  await act("fire");
  await becomes("nothing held", id, (one) => one.items.every((/** @type {any} */ line) => line.kitchen?.status !== "HELD"));
  await more("Cancel the order");
  await dialog().getByText("1 Paneer Tikka, 1 Gajar Halwa").waitFor();
  await press("Guest left");
  await becomes("cancelled", id, (one) => one.status === "CANCELLED");
  await page.locator("[data-table]").first().waitFor();
});

test("a delivery for later has its guest and its time; it is found by its guest's name", async () => {
  await go({ at: "floor" });
  await page.getByRole("button", { name: "Delivery", exact: true }).click();
  await page.locator(".strip").getByRole("button", { name: "Starters" }).click();
  await page.locator('.order [data-dish="Chicken 65"]').click();
  await act("details");
  await dialog().getByLabel("Name").fill("Lakshmi");
  await dialog().getByLabel("Phone").fill("+91 98450 12345");
  await dialog().getByLabel("Address").fill("12, Residency Road");
  await press("in 120 min");
  await press("Save");
  await page.locator(".send").click();
  await page.locator(".sent .line").waitFor();
  const [later] = await manager.get("/orders?scheduled=true");
  assert.deepEqual([later.customerName, later.deliveryAddress, later.isScheduled], ["Lakshmi", "12, Residency Road", true]);
  await page.locator(".back").click();
  await page.getByRole("button", { name: "Orders", exact: true }).click();
  await page.getByRole("button", { name: "For later" }).click();
  await page.locator(".rows").getByText("Lakshmi").waitFor();
  await page.getByLabel("Number, name or table").fill("laksh");
  await page.locator(".rows").getByText("Lakshmi").waitFor();
  await page.locator(".rows .what").first().click();
  await page.getByRole("heading", { name: /^Delivery/ }).waitFor();
});

test("a paid bill is given back in part, and a tip comes later", async () => {
  const { id, dueCents } = await ordered("5", [item("Paneer Tikka", 2)]);
  await manager.post(`/orders/${id}/payments`, { method: "CARD", amountCents: dueCents, reference: "T1" });
  await page.locator(".pay", { hasText: "Receipt" }).click();
  await press("Put right");
  await press(/^Give money back/);
  await dialog().getByRole("button", { name: "One Paneer Tikka more" }).click();
  await press("Charged too much");
  await becomes("the refund", id, (one) => one.refunds.length === 1 && one.refundedCents === dueCents / 2);
  // Who gets money back gets its paper.
  await dialog().locator(".receipt").getByText(/credit note/i).first().waitFor();
  await dialog().getByRole("button", { name: "Print", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".pay", { hasText: "Receipt" }).click();
  await press("Put right");
  await press(/^A payment/);
  await dialog().locator(".choices button").first().click();
  await press(/^Correct it/);
  await dialog().getByLabel("Tip").fill("50");
  await press("Not as it should be");
  await becomes("the tip", id, (one) => one.tipCents === 5000);
});

test("an unpaid bill is credited in part, a payment that did not hold is due again, a bill is taken back and a bad debt given up", async () => {
  const { id } = await ordered("6", [item("Paneer Tikka", 2)]);
  await more("Make the bill");
  await becomes("the bill", id, (one) => Boolean(one.invoiceNumber));
  await more("Refund and corrections");
  await press(/^Take the bill back/);
  await press("Charged too much");
  await becomes("no bill", id, (one) => !one.invoiceNumber);
  await more("Make the bill");
  await becomes("the bill again", id, (one) => Boolean(one.invoiceNumber));
  await more("Refund and corrections");
  await press(/^Credit note/);
  await dialog().getByLabel(/^Amount/).fill("100");
  await press("Not as it should be");
  await becomes("less due", id, (one) => one.creditedCents === 10000);
  await dialog().locator(".receipt").getByText(/credit note/i).first().waitFor();
  await page.keyboard.press("Escape");
  await manager.post(`/orders/${id}/payments`, { method: "UPI", amountCents: 20000, reference: "U1" });
  await page.locator(".sums").getByText("Still due").waitFor();
  await more("Refund and corrections");
  await press(/^A payment/);
  await dialog().locator(".choices button").first().click();
  await press(/^It did not hold/);
  await press("Not as it should be");
  await becomes("the payment taken back", id, (one) => one.payments[0].isReversed && one.paidCents === 0);
  await more("Refund and corrections");
  await press(/^Give it up/);
  await press("Guest left without paying");
  await becomes("written off", id, (one) => one.dueCents === 0 && one.writtenOffCents > 0);
});

test("a cashier's discount above the limit wants a PIN of somebody who may, for this once", async () => {
  const { page: other } = await open(chromium);
  const made = await manager.post("/orders", { orderType: "DINE_IN", tableId: idOf("8"), items: [item("Paneer Tikka", 2)] });
  await other.goto(`${box.url}/pos`);
  await signIn(other, "Cashier");
  await other.locator('[data-table="8"]').click();
  await other.locator(".sent .line").waitFor();
  const box2 = other.locator("dialog[open]").last();
  await other.locator('[data-act="discount"]').click();
  await box2.getByRole("button", { name: "50 %" }).click();
  await box2.getByRole("button", { name: "Regular guest" }).click();
  await box2.locator(".pin").waitFor();
  await examine(other, "pos-approver", { sizes: ["phone", "tablet"] });
  await other.keyboard.type("1003");
  await box2.locator(".wrong").filter({ hasText: /\S/ }).waitFor();
  assert.equal((await detail(made.id)).discounts.length, 0);
  await other.keyboard.type("1001");
  await becomes("the discount", made.id, (one) => one.discounts.length === 1 && one.discounts[0].approverId);
  await other.locator("dialog[open]").waitFor({ state: "detached" });
});

test("a till has its own printer: its payments name it, its receipts come from it", async () => {
  const printer = await manager.post("/printers", { name: "Counter", connection: "TCP", address: "127.0.0.1:9", width: 80, drawer: true, roles: ["RECEIPT"] });
  await manager.post("/printers", { name: "Bar", connection: "TCP", address: "127.0.0.1:10", width: 80, roles: ["RECEIPT"] });
  await go({ at: "floor" });
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await press("Printer beside this till");
  await press(/^Counter/);
  const { id } = await ordered("7", [item("Paneer Tikka")]);
  await page.locator(".pay").click();
  await press(/^Take /);
  await page.getByText("Everything is paid.").waitFor();
  await press("Print");
  await page.locator(".toasts").getByText("Sent to the printer.").waitFor();
  await press("Guests left");
  const jobs = await manager.get(`/print-jobs?orderId=${id}`);
  assert.ok(jobs.length >= 1 && jobs.every((/** @type {any} */ job) => job.printerId === printer.id));
  await becomes("over", id, (one) => one.status === "COMPLETED");
  await manager.ask("PATCH", `/tables/${idOf("7")}/status`, { status: "AVAILABLE" });
});

test("a credit note is found where the bill is, and comes from the till's printer; its codes can be scanned from the screen", async () => {
  await manager.ask("PATCH", "/print-layout", { billCode: true });
  const { id, dueCents } = await ordered("7", [item("Paneer Tikka")]);
  await manager.post(`/orders/${id}/payments`, { method: "CARD", amountCents: dueCents, reference: "T7" });
  const note = await manager.post(`/orders/${id}/refunds`, { amountCents: 1000, reason: "cold" });
  await page.locator(".pay", { hasText: "Receipt" }).click();
  const bill = await manager.ask("GET", `/orders/${id}/receipt?format=json`);
  const guests = dialog().locator("figure.guest img.code");
  await guests.waitFor();
  assert.deepEqual([...codes(await guests.screenshot())], [bill.data.guestUrl]);
  await press(new RegExp(`^Credit note ${note.number}`));
  await dialog().getByRole("heading", { name: note.number }).waitFor();
  await dialog().locator(".receipt").getByText(/credit note/i).first().waitFor();
  const code = dialog().locator(".receipt img.code");
  await code.waitFor();
  assert.match([...codes(await code.screenshot())].join(), new RegExp(`^${note.number} `));
  const before = (await manager.get(`/print-jobs?orderId=${id}`)).length;
  await press("Print");
  await page.locator(".toasts").getByText("Sent to the printer.").waitFor();
  assert.equal((await manager.get(`/print-jobs?orderId=${id}`)).length, before + 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await manager.ask("PATCH", `/orders/${id}/status`, { status: "COMPLETED" });
  await manager.ask("PATCH", `/tables/${idOf("7")}/status`, { status: "AVAILABLE" });
});

test("a drawer is opened, put into, taken from, opened without a sale, counted blind by its pieces, and closed", async () => {
  await go({ at: "floor" });
  await page.getByRole("button", { name: "Drawer", exact: true }).click();
  await page.getByText("No drawer is open.").waitFor();
  await page.getByRole("button", { name: "Open a drawer" }).click();
  await dialog().getByLabel("Float").fill("2000");
  await press("Open a drawer");
  await page.locator(".card .choices").waitFor();
  await page.getByRole("button", { name: "Put in", exact: true }).click();
  await dialog().getByLabel("Amount").fill("100");
  await press("Small expenses");
  await page.locator(".card .rows li", { hasText: /\d put in Small expenses/ }).waitFor();
  await page.getByRole("button", { name: "Take out", exact: true }).click();
  await dialog().getByLabel("Amount").fill("50.50");
  await press("Supplier paid in cash");
  await page.locator(".card .rows li", { hasText: /\d taken out Supplier paid in cash/ }).waitFor();
  await page.getByRole("button", { name: "Open without a sale" }).click();
  await press("Small expenses");
  await page.locator(".card .rows li", { hasText: /\d opened without a sale Small expenses/ }).waitFor();
  assert.equal(await page.getByText("Should be in it", { exact: true }).count(), 0);
  await page.getByRole("button", { name: "Count and close" }).click();
  await dialog().locator('[data-worth="50000"]').fill("4");
  await dialog().locator('[data-worth="1000"]').fill("5");
  await press("Count and close");
  await dialog().getByText("₹2,049.50").waitFor();
  await dialog().getByText("₹0.50").waitFor();
  await press("Close");
  const [closed] = await manager.get("/cash-sessions?status=CLOSED");
  assert.deepEqual([closed.countedCents, closed.expectedCents, closed.overShortCents, closed.denominations.length], [205000, 204950, 50, 2]);
});

test("the day says what stands in its way, and is closed with what goes on carried over", async () => {
  await page.getByRole("button", { name: "Day", exact: true }).click();
  await page.getByLabel("Before it ends: the next day begins at once").check();
  const close = page.locator(".card .main", { hasText: "Close the day" });
  await close.click();
  await press("Close the day");
  await page.getByText("This stands in its way:").waitFor();
  await page.getByLabel("Carry open orders and drawers over").check();
  await close.click();
  await press("Close the day");
  await dialog().getByText("Everything agrees.").waitFor();
  await press("Close");
  assert.equal((await manager.get("/day-close")).length, 1);
  await page.locator(".card").getByText(/^Z 1/).waitFor();
});

test("an order that the box was too busy to show is shown as soon as it can be", async () => {
  const made = await manager.post("/orders", { orderType: "DINE_IN", tableId: idOf("5"), guestCount: 2, items: [item("Paneer Tikka")] });
  let refusals = 0;
  const path = new RegExp(`/api/v1/orders/${made.id}$`);
  await page.route(path, (route) => ((refusals += 1) < 4 ? route.fulfill({ status: 503, json: { error: { code: "ERR_BUSY", message: "Busy." } } }) : route.continue()));
  await go({ at: "order", tableId: idOf("5"), orderId: made.id });
  await page.locator(".sent .line").waitFor();
  assert.equal(refusals, 4);
  await page.unroute(path);
});

test("a paired till is nobody's until a PIN is entered, locks itself when nobody touches it, and keeps what was typed", async () => {
  const { data: pair } = await call(box.url, "POST", "/devices/pair", { body: { kind: "POS", name: "Till 1" } });
  await manager.ask("POST", "/devices/approve", { userCode: pair.userCode });
  const outlet = (await manager.get("/outlets"))[0];
  const owner = await box.as("owner");
  const { page: till, complaints: said } = await open(chromium);
  await till.goto(`${box.url}/pos`);
  await until("the tokens", () => till.evaluate(async (deviceCode) => (await fetch("/api/v1/devices/token", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ deviceCode, cookie: true }) })).ok, pair.deviceCode));
  await till.reload();
  await till.getByRole("heading", { name: "Who is it?" }).waitFor();
  await till.locator(".lock .pin").waitFor();
  await examine(till, "pos-lock");
  await till.keyboard.type("1004");
  await till.locator("dialog.lock").waitFor({ state: "detached" });
  await till.getByRole("button", { name: "Arjun Kumar", exact: true }).waitFor();
  await till.locator('[data-table="7"]').click();
  await till.locator('.order [data-dish="Paneer Tikka"]').click();
  await till.locator('[data-draft="Paneer Tikka"]').waitFor();
  await owner.ask("PATCH", `/outlets/${outlet.id}`, { till: { ...outlet.till, idleLockSeconds: 5 } });
  await till.reload();
  await till.getByRole("heading", { name: "Who is it?" }).waitFor();
  await till.locator(".lock .pin").waitFor();
  await till.keyboard.type("1004");
  await till.locator('[data-draft="Paneer Tikka"]').waitFor();
  await till.getByRole("heading", { name: "Locked" }).waitFor();
  await till.locator(".lock .pin").waitFor();
  await till.keyboard.type("1004");
  await till.locator("dialog.lock").waitFor({ state: "detached" });
  await till.locator(".send").click();
  await till.locator(".sent .line").waitFor();
  const [order] = await manager.get("/orders?tableNumber=7");
  assert.equal((await detail(order.id)).server.name, "Arjun Kumar");
  assert.deepEqual([...said, ...complaints], []);
});
