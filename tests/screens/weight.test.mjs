// A dish by weight in a real browser: made by a manager, weighed at the till by touch and by keyboard alone, read by the cook and at the pass, on
// the guest's phone with its price and no way to order it, paid to the receipt. Amounts are read from the branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, examine, open, signIn, SIZES, taps, today, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {any} */
let dish;
/** @type {any[]} */
let tables;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-qr-menu", "off", "--limit-login", "1000/900"]), browser()]);
  manager = await box.as("manager");
  tables = await manager.get("/tables?limit=100");
  const categories = (await manager.get("/menu")).categories, taxes = await manager.get("/menu/tax-categories");
  dish = await manager.post("/menu/items", { name: "Seer Fish", categoryId: categories.find((/** @type {any} */ one) => one.name === "Tandoor & Breads").id, taxCategoryId: taxes.find((/** @type {any} */ one) => one.name === "GST 5 %").id, priceCents: 90_000, soldBy: "WEIGHT", dietary: "NON_VEG" });
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @param {string} number @param {Parameters<typeof open>[1]} [look] @param {string} [lang] */
async function till(number, look = {}, lang = "en") {
  const opened = await open(chromium, look);
  const { page } = opened;
  await page.goto(`${box.url}/pos?lang=${lang}`);
  // Its name, drawn out where it is nobody's language.
  await page.getByRole("button", { name: { en: "Manager", hi: "मैनेजर", ta: "மேலாளர்" }[lang] ?? /^\[M.n.g.r~/, exact: true }).click();
  await page.locator("[data-table]").first().waitFor();
  const pad = page.locator("dialog[open]");
  return { ...opened, pad, table: page.locator(`[data-table="${number}"]`), tile: page.locator('[data-dish="Seer Fish"]'), drafts: page.locator(".line.draft"), sent: page.locator(".sent .line") };
}
/** @param {string} number */
const orderAt = async (number) => { const [one] = await manager.get(`/orders?tableId=${tables.find((each) => each.number === number).id}&limit=1`), answer = await manager.ask("GET", `/orders/${one.id}`); return answer.data ?? answer; };

test("a manager makes a dish that is sold by weight; the list says what a unit costs", async () => {
  const { page, complaints, context } = await open(chromium, { size: SIZES.desk, touch: false });
  await page.goto(`${box.url}/manage?lang=en#menu`);
  await signIn(page, "Manager");
  await page.getByRole("button", { name: "Add a dish" }).click();
  const form = page.locator("dialog[open]");
  await form.locator("[name=name]").fill("Crab");
  for (const [name, label] of [["categoryId", "Tandoor & Breads"], ["taxCategoryId", "GST 5 %"]]) {
    await form.locator(`[name=${name}] option`, { hasText: label }).first().waitFor({ state: "attached" });
    await form.locator(`[name=${name}]`).selectOption({ label });
  }
  await form.locator("[name=priceCents]").fill("900");
  await form.getByLabel(/^Sold by/).selectOption({ label: "weight" });
  await form.getByLabel(/^Unit of weight/).selectOption({ label: "g" });
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  await page.getByRole("searchbox").fill("Crab");
  await page.getByRole("row", { name: /Crab/ }).getByText("₹900.00/g").waitFor();
  const [made] = (await manager.ask("GET", "/menu/items?q=Crab")).data;
  assert.deepEqual([made.soldBy, made.weightUnit, made.priceCents], ["WEIGHT", "G", 90_000]);
  assert.deepEqual([dish.soldBy, dish.weightUnit], ["WEIGHT", "KG"], "kilograms unless another unit is chosen");
  // What it was goes on, when it is sold by the piece again.
  await page.getByRole("button", { name: "Crab", exact: true }).click();
  await form.getByLabel(/^Sold by/).selectOption({ label: "piece" });
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  await page.getByRole("row", { name: /Crab/ }).getByText("₹900.00", { exact: true }).waitFor();
  await examine(page, "manage-by-weight", { nights: [false] });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("from the tap to the receipt: each weighing is a line of its own, and comes to the cent", async () => {
  const { page, pad, table, tile, drafts, sent, complaints, context } = await till("3");
  await table.click();
  await page.getByRole("button", { name: "Tandoor & Breads" }).click();
  await tile.getByText("₹900/kg").waitFor();
  const touched = await taps(page, async () => {
    await tile.click();
    for (const key of ["1", "Point", "2", "5"]) await pad.getByRole("button", { name: key, exact: true }).click();
    await pad.locator(".comes").getByText("₹1,125.00").waitFor();
    await pad.getByRole("button", { name: "Add" }).click();
    await drafts.first().getByText("1.250 kg × ₹900.00").waitFor();
  });
  assert.equal(touched, 6, "a weighing: the dish, what the scale shows, Add");
  // In grams, the same again: two lines.
  await tile.click();
  await pad.getByRole("button", { name: "g", exact: true }).click();
  await page.keyboard.type("1250");
  await examine(page, "pos-weigh");
  await page.keyboard.press("Enter");
  await drafts.nth(1).waitFor();
  assert.equal(await drafts.count(), 2);
  // Weighed anew before it is sent.
  await page.locator(".dock .weighed").click();
  await pad.getByText("Until now: 1.250 kg").waitFor();
  await page.keyboard.type("333");
  await pad.getByRole("button", { name: "Save" }).click();
  await drafts.nth(1).getByText("0.333 kg × ₹900.00").waitFor();
  await drafts.nth(1).getByText("₹299.70").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await examine(page, "pos-weighed-draft");
  await page.getByRole("button", { name: "Send 2" }).click();
  await sent.nth(1).getByText("0.333 kg × ₹900.00").waitFor();
  await examine(page, "pos-weighed");
  const order = await orderAt("3");
  assert.deepEqual(order.items.map((/** @type {any} */ one) => [one.quantity, one.weight, one.weightUnit, one.unitPriceCents, one.lineTotalCents]), [[1, 1.25, "KG", 90_000, 112_500], [1, 0.333, "KG", 90_000, 29_970]]);

  // The cook reads the weight, big; so does the pass.
  const kitchen = await open(chromium, { size: SIZES.desk, touch: true });
  await kitchen.page.goto(`${box.url}/kitchen?lang=en`);
  await signIn(kitchen.page, "Kitchen");
  await kitchen.page.getByRole("button", { name: /All stations/ }).click();
  await kitchen.page.locator(".ticket .dish", { hasText: "Seer Fish" }).first().getByText("1.250 kg").waitFor();
  await examine(kitchen.page, "kitchen-by-weight", { nights: [true] });
  await kitchen.page.keyboard.press("a");
  await kitchen.page.locator("dialog[open]").getByText("1.583 kg").waitFor();
  assert.deepEqual(kitchen.complaints, []);
  await kitchen.context.close();

  // What is on the line's own dialog; taken off, and weighed anew.
  await sent.nth(1).locator(".what").click();
  await pad.getByRole("heading", { name: "Seer Fish · 0.333 kg" }).waitFor();
  await examine(page, "pos-weighed-line", { nights: [false] });
  await pad.getByRole("button", { name: "Close" }).click();
  await sent.nth(1).locator(".again").click();
  await pad.getByRole("heading", { name: "Weigh: Seer Fish" }).waitFor();
  await page.keyboard.press("Escape");
  await pad.waitFor({ state: "detached" });
  assert.equal(await drafts.count(), 0);

  // Split, paid, receipt.
  await page.getByRole("button", { name: "Split" }).click();
  await pad.getByRole("button", { name: /^By dish|^Dishes/ }).first().click();
  await pad.getByText("1.250 kg × ₹900.00").waitFor();
  await examine(page, "pos-weighed-split", { nights: [false] });
  await pad.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await pad.getByRole("button", { name: /Exact/ }).click();
  await pad.locator(".take").click();
  await pad.locator(".receipt").getByText(/1\.250? kg/).first().waitFor();
  assert.match(await pad.locator(".receipt").innerText(), /1\.250? kg[^]*1,?125\.00/);
  await examine(page, "pos-weighed-receipt", { nights: [false] });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("by keyboard alone, and kept while the box is away", async () => {
  const { page, pad, table, drafts, complaints, context } = await till("5", { touch: false });
  await table.focus();
  await page.keyboard.press("Enter");
  await page.locator(".dish").first().waitFor();
  await page.keyboard.type("seer");
  await page.locator('[data-dish="Seer Fish"]').waitFor();
  // The pad was never opened here, and opens without the box.
  await until("the pad is on this device", () => page.evaluate(() => performance.getEntriesByType("resource").some((/** @type {any} */ one) => one.name.endsWith("/pos/weigh.js"))));
  await box.down();
  await page.keyboard.press("Enter");
  await pad.waitFor();
  await page.keyboard.type("0,75x");
  assert.equal(await pad.locator(".scale").inputValue(), "0.75");
  await page.keyboard.press("Enter");
  await drafts.first().getByText("0.750 kg × ₹900.00").waitFor();
  await page.reload().catch(() => {});
  await box.up();
  await page.goto(`${box.url}/pos?lang=en`);
  await drafts.first().getByText("0.750 kg × ₹900.00").waitFor();
  await page.getByRole("button", { name: "Send 1" }).click();
  await until("it was sent as it was weighed", async () => (await orderAt("5").catch(() => null))?.items[0]?.weight === 0.75);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a line that was sent is weighed anew: more is taken, less comes off as at a void, none is more than was begun", async () => {
  const outlet = (await manager.get("/outlets"))[0], owner = await box.as("owner");
  const made = await manager.post("/orders", { orderType: "DINE_IN", tableId: tables.find((one) => one.number === "11").id, items: [{ menuItemId: dish.id, quantity: 1, weight: 1.25, unitPriceCents: 90_000 }] });
  const { page, pad, table, sent, complaints, context } = await till("11");
  await table.click();
  /** @param {string} was @param {string} kilograms */
  const weigh = async (was, kilograms) => {
    await sent.first().locator(".what").click();
    await pad.getByRole("button", { name: "Weigh Seer Fish again" }).click();
    await pad.getByText(`Until now: ${was}`).waitFor();
    await pad.getByRole("button", { name: "kg", exact: true }).click();
    await page.keyboard.type(kilograms);
  };
  // What came off by weight, as the report of voids has it.
  const gone = async () => {
    const day = await today(manager), { columns, rows } = await owner.get(`/analytics/reports/voids?from=${day}&to=${day}`);
    const at = columns.findIndex((/** @type {any} */ one) => one.key === "weight");
    return rows.map((/** @type {any} */ row) => row[at]).filter(Boolean).sort();
  };
  await weigh("1.250 kg", "1.35");
  await pad.locator(".comes").getByText("₹1,215.00").waitFor();
  await pad.getByRole("button", { name: "Save" }).click();
  await sent.first().getByText("1.350 kg × ₹900.00").waitFor();
  assert.deepEqual(await gone(), [], "nothing came off");
  // The same again changes nothing, and asks nothing.
  await weigh("1.350 kg", "1.350");
  await page.keyboard.press("Enter");
  await pad.waitFor({ state: "detached" });

  // Less: why, and whether it was made.
  await weigh("1.350 kg", "1");
  await page.keyboard.press("Enter");
  await pad.getByRole("heading", { name: "Seer Fish: 1.350 kg → 1.000 kg" }).waitFor();
  await examine(page, "pos-weighed-less");
  await pad.getByRole("button", { name: "No", exact: true }).click();
  await pad.locator("[data-reason]").first().click();
  await sent.first().getByText("1.000 kg × ₹900.00").waitFor();
  assert.deepEqual([(await orderAt("11")).items[0].weight, (await orderAt("11")).items[0].lineTotalCents], [1, 90_000]);

  // A waiter needs somebody's leave for it once the grace is over; more than was begun is refused.
  await owner.ask("PATCH", `/outlets/${outlet.id}`, { voidGraceSeconds: 0 });
  for (const ticket of await manager.get(`/kitchen/tickets?orderId=${made.id}`)) if (ticket.status === "QUEUED") await manager.ask("POST", `/kitchen/tickets/${ticket.id}/start`);
  const waiter = await open(chromium, {});
  await waiter.page.goto(`${box.url}/pos?lang=en`);
  await signIn(waiter.page, "Waiter");
  await waiter.page.locator('[data-table="11"]').click();
  const line = waiter.page.locator(".sent .line").first(), asked = waiter.page.locator("dialog[open]");
  for (const kilograms of ["2", "0.9"]) {
    await line.locator(".what").click();
    await asked.getByRole("button", { name: "Weigh Seer Fish again" }).click();
    await asked.getByRole("button", { name: "kg", exact: true }).click();
    await waiter.page.keyboard.type(kilograms);
    await waiter.page.keyboard.press("Enter");
    if (kilograms === "2") await waiter.page.getByText("The kitchen has begun already.").waitFor();
  }
  await asked.locator("[data-reason]").first().click();
  await asked.getByText("Seer Fish: 1.000 kg → 0.900 kg").waitFor();
  await waiter.page.keyboard.type("1001");
  await line.getByText("0.900 kg × ₹900.00").waitFor();
  assert.equal((await orderAt("11")).items[0].weight, 0.9);
  assert.deepEqual(await gone(), [0.1, 0.35]);
  await owner.ask("PATCH", `/outlets/${outlet.id}`, { voidGraceSeconds: outlet.voidGraceSeconds });
  assert.deepEqual([...complaints, ...waiter.complaints], []);
  await Promise.all([context.close(), waiter.context.close()]);
});

test("a guest reads what a unit costs, and asks", async () => {
  for (const lang of ["en", "hi", "ta"]) {
    const { page, complaints, context } = await open(chromium, { size: SIZES.phone });
    await page.goto(`${box.url}/t/${tables.find((one) => one.number === "7").qrToken}?lang=${lang}`);
    const row = page.locator(".dish").filter({ hasText: "Seer Fish" });
    await row.getByText({ en: "₹900/kg", hi: "₹900/किलो", ta: "₹900/கிலோ" }[lang] ?? "").waitFor();
    await row.click();
    await page.locator(".byWeight").waitFor();
    assert.equal(await page.locator(".one .add").count(), 0);
    await examine(page, `guest-by-weight-${lang}`, { sizes: ["phone", "tablet"] });
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("reports tell how much was sold by weight beside how often", async () => {
  const made = await manager.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 1, weight: 0.5, unitPriceCents: 90_000 }] });
  await manager.post(`/orders/${made.id}/payments`, { method: "CASH", amountCents: made.dueCents });
  const sold = async () => (await manager.get("/analytics/top-sellers")).items.find((/** @type {any} */ one) => one.name === "Seer Fish");
  const { quantity, weight } = await until("it is among the figures", async () => { const one = await sold(); return one?.weight >= 0.5 && one; });
  const said = `${quantity} · ${weight.toFixed(3)} kg`;
  const { page, complaints, context } = await open(chromium, { size: SIZES.desk, touch: false });
  await page.goto(`${box.url}/manage?lang=en#reports/top`);
  await signIn(page, "Manager");
  await page.getByRole("row", { name: /Seer Fish/ }).getByText(said, { exact: true }).waitFor();
  await examine(page, "manage-sold-by-weight", { nights: [false] });
  await page.evaluate(() => { location.hash = "#reports/engineering"; });
  await page.locator("main li", { hasText: "Seer Fish" }).getByText(`${said} sold`).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the pad has room in every language", async () => {
  for (const lang of ["hi", "ta", "qps"]) {
    const { page, tile, pad, table, drafts, complaints, context } = await till("9", {}, lang);
    await table.click();
    await page.locator(".strip .chip", { hasText: "Tandoor & Breads" }).click();
    await tile.click();
    await pad.locator(".scale").waitFor();
    await page.keyboard.type("1.5");
    await examine(page, `pos-weigh-${lang}`, { nights: [false] });
    await page.keyboard.press("Enter");
    await drafts.first().waitFor();
    await examine(page, `pos-weighed-draft-${lang}`, { nights: [false] });
    await drafts.first().locator(".stepper button").first().click();
    await drafts.first().waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
    await context.close();
  }
});
