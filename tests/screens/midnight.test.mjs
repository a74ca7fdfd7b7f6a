// After midnight and before the day ends: what was sold, cooked and earned is still today's, on every screen. In a real browser on a branch whose
// clock stands half an hour past midnight, at whatever hour this runs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atView, branch, browser, clockAt, dated, dialog, later, open, signIn, SIZES, today, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** What was sold and cooked tonight. @type {any} */
let order;
/** The date on the wall. @type {string} */
let wall;
before(async () => {
  const tomorrow = later(new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Kolkata" }).format(new Date()), 1);
  const ahead = Math.round((Date.parse(`${tomorrow}T00:30:00+05:30`) - Date.now()) / 1_000);
  [box, chromium] = await Promise.all([branch(["--limit-login", "off"], clockAt(`+${ahead}`)), browser()]);
  manager = await box.as("manager");
  wall = tomorrow;
  const dish = (await manager.get("/menu")).categories.flatMap((/** @type {any} */ one) => one.items).find((/** @type {any} */ one) => one.name === "Paneer Tikka");
  order = await manager.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 2, unitPriceCents: dish.priceCents }] });
  const kitchen = await box.as("kitchen");
  for (const ticket of (await kitchen.ask("GET", `/kitchen/tickets?orderId=${order.id}`)).data) await kitchen.post(`/kitchen/tickets/${ticket.id}/ready`, {});
  await manager.post(`/orders/${order.id}/payments`, { method: "CASH", amountCents: order.dueCents });
  if ((await manager.ask("GET", `/orders/${order.id}`)).status !== "COMPLETED") await manager.ask("PATCH", `/orders/${order.id}/status`, { status: "COMPLETED" });
});
after(async () => { await chromium?.close(); await box?.end(); });

test("the day of the branch is the evening's", async () => {
  assert.deepEqual([await today(manager), order.businessDate], [later(wall, -1), later(wall, -1)]);
  assert.match((await manager.get("/status")).clock, /T1[89]:/);
});

test("the till lists what is done today, and closes today", async () => {
  const { page, context, complaints } = await open(chromium);
  await page.goto(`${box.url}/pos?lang=en`);
  await signIn(page, "Manager");
  await page.locator("[data-table]").first().waitFor();
  await atView(page, { at: "orders" });
  await page.getByRole("button", { name: "Done today" }).click();
  await page.locator("ul.rows li", { hasText: order.orderNumber }).waitFor();
  await atView(page, { at: "day" });
  await page.getByRole("heading", { name: new RegExp(dated(later(wall, -1))) }).first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the kitchen tells how long things took today", async () => {
  const { page, context, complaints } = await open(chromium, { size: SIZES.desk });
  await page.goto(`${box.url}/kitchen?lang=en`);
  await signIn(page, "Kitchen");
  await page.getByRole("button", { name: /All stations/ }).click();
  await page.locator(".cells").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await dialog(page).getByRole("button", { name: /times$/ }).click();
  await dialog(page).getByRole("row", { name: /Paneer Tikka/ }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a manager sees today's figures under today's date, and reports begin with it", async () => {
  const { page, context, complaints } = await open(chromium, { size: SIZES.desk, touch: false });
  await page.goto(`${box.url}/manage?lang=en#today`);
  await signIn(page, "Manager");
  await page.locator("main .hint", { hasText: "as of 00:" }).filter({ hasText: dated(later(wall, -1)) }).waitFor();
  await page.evaluate(() => { location.hash = "#reports/sales"; });
  await until("the report is of today", async () => (await page.getByLabel("To", { exact: true }).inputValue()) === later(wall, -1));
  await page.locator("table.list tbody tr").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});
