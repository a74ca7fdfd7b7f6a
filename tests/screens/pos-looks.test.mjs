// How the till looks and is used: every state by day and night at three sizes under axe, nothing cut or overlapping, in all languages; by
// keyboard alone; a paired device with its lock. What it shows is the sample restaurant's.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atView, branch, browser, call, examine, open, signIn, SIZES, until } from "./harness.mjs";

/** Many page loads a minute, and those of a page with a route of Playwright keep no file. */
const FREELY = ["--limit-general", "off", "--limit-login", "off"];
/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {Awaited<ReturnType<typeof open>>} */
let till;
before(async () => {
  [box, chromium] = await Promise.all([branch(FREELY), browser()]);
  manager = await box.as("manager");
  await evening();
  till = await open(chromium);
  await till.page.goto(`${box.url}/pos`);
  await till.page.getByRole("button", { name: "Manager", exact: true }).waitFor();
});
after(async () => { await chromium?.close(); await box?.end(); });

/** Tables in every state, a guest's order that waits, a drawer, an order for later. */
async function evening() {
  const menu = await manager.get("/menu");
  const dishes = menu.categories.flatMap((/** @type {any} */ one) => one.items);
  const item = (/** @type {string} */ name, quantity = 1, more = {}) => { const dish = dishes.find((/** @type {any} */ one) => one.name === name); return { menuItemId: dish.id, quantity, unitPriceCents: dish.priceCents, ...more }; };
  const { tables } = await manager.get("/floor");
  const id = (/** @type {number} */ n) => tables.find((/** @type {any} */ one) => one.number === String(n)).id;
  const order = (/** @type {any} */ body) => manager.post("/orders", body);
  await order({ orderType: "DINE_IN", tableId: id(1), guestCount: 2, items: [item("Paneer Tikka", 2, { seatNumber: 1, notes: "no onion" }), item("Chicken 65", 1, { seatNumber: 2 }), item("Gajar Halwa", 1, { hold: true, course: 3 })] });
  const ready = await order({ orderType: "DINE_IN", tableId: id(2), guestCount: 4, items: [item("Chilli Paneer", 3)] });
  const kitchen = await box.as("kitchen");
  for (const ticket of (await kitchen.ask("GET", `/kitchen/tickets?orderId=${ready.id}`)).data) await kitchen.post(`/kitchen/tickets/${ticket.id}/ready`, {});
  const paid = await order({ orderType: "DINE_IN", tableId: id(3), items: [item("Fish Amritsari")] });
  await manager.post(`/orders/${paid.id}/payments`, { method: "CARD", amountCents: paid.dueCents, reference: "R1" });
  await order({ orderType: "DELIVERY", customerName: "Lakshmi Venkataraman", customerPhone: "+91 98450 12345", deliveryAddress: "12, Residency Road", items: [item("Paneer Tikka")] });
  await order({ orderType: "TAKEAWAY", customerName: "Ravi", scheduledFor: new Date(Date.now() + 5 * 3_600_000).toISOString(), items: [item("Chicken 65", 2)] });
  await manager.post(`/tables/${id(9)}/seat`, { partySize: 3 });
  const { qrToken } = (await manager.get("/tables?limit=100")).find((/** @type {any} */ one) => one.number === "10");
  await call(box.url, "POST", `/orders/tables/${qrToken}/orders`, { body: { guestToken: crypto.randomUUID(), items: [{ menuItemId: item("Paneer Tikka").menuItemId, quantity: 1 }] } });
  await call(box.url, "POST", `/orders/tables/${qrToken}/call`, { body: { what: "WAITER" } });
  await manager.post("/cash-sessions", { openingFloatCents: 200000 });
  const samosa = dishes.find((/** @type {any} */ one) => one.name.startsWith("Vegetable Samosa"));
  await manager.ask("PUT", `/menu/items/${samosa.id}/availability`, { status: "LIMITED", quantityLeft: 3 });
  const prawns = dishes.find((/** @type {any} */ one) => one.name === "Tandoori Prawns");
  await manager.ask("PUT", `/menu/items/${prawns.id}/availability`, { status: "OUT_OF_STOCK" });
}

/** What a person can do in each state. @param {string} language @param {any} how */
async function walk(language, how) {
  const { page } = till;
  const state = (/** @type {string} */ name) => examine(page, `pos-${name}-${language}`, how);
  const wide = () => page.setViewportSize(SIZES.tablet);
  const shut = async () => { await page.locator("dialog[open] > header button").last().click(); await page.locator("dialog[open]").waitFor({ state: "detached" }); };
  const view = (/** @type {any} */ to) => atView(page, to);
  await page.goto(`${box.url}/pos?lang=${language}`);
  await view({ at: "floor" });
  await page.locator('[data-table="1"]').waitFor();
  await page.locator(".asking .card").waitFor();
  await state("floor");
  await wide();
  await page.locator('[data-table="1"]').click();
  await page.locator(".sent .line").nth(2).waitFor();
  await page.locator('.order [data-dish="Paneer Tikka"]').click();
  await page.locator(".dock").waitFor();
  await until("the quote", () => page.locator(".sums .draft").isVisible());
  await state("order");
  for (const act of ["guests", "move", "split", "discount", "more"]) {
    await page.locator(`[data-act="${act}"]`).click();
    await page.locator("dialog[open] button").nth(1).waitFor();
    await state(act);
    await shut();
  }
  await page.locator(".sent .what").first().click();
  await page.locator("dialog[open] button.bad").waitFor();
  await state("line");
  await page.locator("dialog[open] button.bad").click();
  await page.locator("dialog[open] [data-reason]").first().waitFor();
  await state("void");
  await shut();
  await page.locator(".pay").click();
  await page.locator(".paydesk").waitFor();
  await state("pay");
  await shut();
  await page.locator(".top .menu").click();
  await page.locator("dialog[open]").waitFor();
  await state("menu");
  await shut();
  for (const [at, ready] of /** @type {const} */ ([["orders", ".rows li"], ["dishes", ".off .dish"], ["drawer", ".card .choices"], ["day", ".card .acts"]])) {
    await view({ at });
    await page.locator(ready).first().waitFor();
    await state(at);
    await wide();
    if (at !== "drawer") continue;
    await page.locator(".card .choices .main").click();
    await page.locator(".pieces").waitFor();
    await state("count");
    await shut();
  }
}

test("signing in is fit for everybody", async () => {
  await examine(till.page, "pos-signin");
  await signIn(till.page, "Manager");
  await till.page.locator("[data-table]").first().waitFor();
});

test("every state in English, by day and night, at three sizes", async () => { await walk("en", {}); });

for (const language of ["hi", "ta", "qps"]) test(`every state in ${language}: nothing cut, nothing over another`, async () => { await walk(language, { nights: [language === "ta"] }); });

test("what is seldom seen is fit for everybody, too", async () => {
  const { page } = till;
  const shut = async () => { await page.locator("dialog[open] > header button").last().click(); };
  const view = (/** @type {any} */ to) => atView(page, to);
  const press = (/** @type {string | RegExp} */ name) => page.locator("dialog[open]").last().getByRole("button", { name }).first().click();
  const state = (/** @type {string} */ name) => examine(page, `pos-${name}-en`, { sizes: ["phone", "tablet"] });
  await page.goto(`${box.url}/pos?lang=en`);
  const { tables } = await manager.get("/floor");
  const table = (/** @type {string} */ number) => tables.find((/** @type {any} */ one) => one.number === number);
  const at = async (/** @type {string} */ number) => { await view({ at: "order", tableId: table(number).id, orderId: table(number).orders[0]?.id ?? null }); await page.locator(".order").waitFor(); };
  await page.getByRole("button", { name: /^News/ }).click();
  await page.locator(".tellings li").first().waitFor();
  await state("news");
  await shut();
  await at("1");
  await page.locator(".sent .line").first().waitFor();
  for (const [name, how] of /** @type {const} */ ([["details", /^Guest, type/], ["buyer", /^Bill for a business/], ["cancel", /^Cancel the order/], ["merge", /^Put orders/]])) {
    await page.locator('[data-act="more"]').click();
    await press(how);
    await page.locator("dialog[open] button").nth(1).waitFor();
    await state(name);
    await shut();
  }
  await page.locator('[data-act="split"]').click();
  await press(/^By dish/);
  await page.locator("dialog[open] .rows").waitFor();
  await state("split-dishes");
  await shut();
  await at("3");
  await page.locator(".pay").click();
  await page.locator("dialog[open] .receipt").waitFor();
  await state("receipt");
  await press("Put right");
  await press(/^Give money back/);
  await page.locator("dialog[open] .rows").waitFor();
  await state("refund");
  await shut();
  await at("2");
  await page.locator(".sent .state.READY").waitFor();
  await state("ready");
  await page.locator(".pay").click();
  await press("4");
  await page.locator("dialog[open] .take").click();
  await page.getByText("Part 2 of 4").waitFor();
  await state("pay-part");
  await press("Whole");
  await press(/^₹/);
  await page.locator("dialog[open] .take").click();
  await page.getByText("Everything is paid.").waitFor();
  await page.locator("dialog[open] .receipt").waitFor();
  await state("paid");
  await press("Done");
  await page.evaluate(() => { for (const name of Object.keys(localStorage)) if (name.startsWith("tiffin.pos.draft")) localStorage.removeItem(name); });
  await view({ at: "dishes" });
  await page.locator(".off .limit").first().click();
  await page.locator("dialog[open] .choices").waitFor();
  await state("limit");
  await shut();
  await page.getByRole("button", { name: "Ananya Rao", exact: true }).click();
  await page.locator("dialog[open] .pin").waitFor();
  await state("pin");
  await shut();
  await box.down();
  await page.locator(".troubles .bad").waitFor();
  await state("away");
  await box.up();
  await page.locator(".troubles .bad").waitFor({ state: "detached" });
});

test("an order by keyboard alone: table, dish by its letters, number, send", async () => {
  const { page } = till;
  await page.goto(`${box.url}/pos?lang=en`);
  await page.evaluate(() => { for (const name of Object.keys(localStorage)) if (name.startsWith("tiffin.pos.")) localStorage.removeItem(name); });
  await page.reload();
  await page.locator('[data-table="12"]').focus();
  await page.keyboard.press("Enter");
  await page.locator(".order").waitFor();
  await page.locator(".dishes .dish").first().waitFor();
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await page.keyboard.type("pan");
  await until("the dish is found", async () => (await page.locator(".dishes .dish").first().getAttribute("data-dish")) === "Paneer Tikka");
  await page.keyboard.press("Enter");
  await page.locator('[data-draft="Paneer Tikka"]').waitFor();
  for (let n = 0; n < 200 && !(await page.evaluate(() => document.activeElement?.classList.contains("send"))); n += 1) await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement?.classList.contains("send")), "Send is reached by Tab");
  await page.keyboard.press("Enter");
  await page.locator(".sent .line").waitFor();
  const reach = async (/** @type {string} */ name) => {
    for (let n = 0; n < 200 && !(await page.evaluate((what) => document.activeElement?.matches(what), name)); n += 1) await page.keyboard.press("Tab");
    assert.ok(await page.evaluate((what) => document.activeElement?.matches(what), name), `${name} is reached by Tab`);
  };
  await reach(".pay");
  await page.keyboard.press("Enter");
  await page.locator("dialog .take").waitFor();
  await reach(".take");
  await page.keyboard.press("Enter");
  await page.getByText("Everything is paid.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await page.keyboard.press("Escape");
  await page.locator('[data-table="12"]').waitFor();
  assert.deepEqual(till.complaints, []);
});
