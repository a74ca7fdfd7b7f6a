// What head office publishes beside dishes: combos, hours in windows and price lists. On a real head office with two real branches; what came of it
// is read at a branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { examine, looks, taps, until } from "./harness.mjs";
import { examineForm, publish, publishing, sell } from "./hq-harness.mjs";

/** @type {Awaited<ReturnType<typeof publishing>>} */
let scene;
before(async () => { scene = await publishing(); });
after(() => scene?.end());

/** @param {string} name @param {any} [who] */
const dish = async (name, who = scene.manager) => (await who.ask("GET", `/menu/items?limit=100&q=${encodeURIComponent(name)}`)).data.find((/** @type {any} */ one) => one.name === name);

test("a combo of the chain goes to the branches, and so does what is changed of it", async () => {
  const { page, context, complaints } = await scene.office("menu", "section.menu table");
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "New combo" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").first().fill("Chain lunch");
    await form.getByLabel("Price", { exact: true }).fill("349");
    await form.getByLabel(/^Category/).selectOption({ label: "Curries" });
    await form.getByLabel("Part", { exact: true }).fill("Main");
    await form.locator(".oneline .oneline select").selectOption({ label: "Palak Paneer" });
    await form.getByRole("button", { name: "Add a dish" }).click();
    await form.locator(".oneline .oneline select").nth(1).selectOption({ label: "Butter Chicken" });
    await form.getByLabel("Extra price").nth(1).fill("30");
    await form.getByRole("button", { name: "Add hours" }).click();
    await form.getByLabel("From", { exact: true }).fill("12:00");
    await form.getByLabel("Until", { exact: true }).fill("12:00");
    await examineForm(page, "hq-combo", looks);
    await form.getByRole("button", { name: "Publish" }).click();
    // What is wrong is said at what it is about.
    await form.locator("fieldset", { hasText: "Hours it is sold in" }).locator(".wrong", { hasText: "another time" }).waitFor();
    await form.getByLabel("Until", { exact: true }).fill("16:00");
    await publish(page);
  });
  assert.equal(used, 5);
  await page.getByText("Combo: Main (1 of 2)").waitFor();
  for (const branch of [scene.all.north, scene.all.harbour]) {
    const who = await branch.as("manager");
    const made = await until(`${branch.name} has it`, () => dish("Chain lunch", who));
    assert.deepEqual([made.kind, made.priceCents, made.windows, made.components.map((/** @type {any} */ one) => [one.name, one.minSelections, one.maxSelections, one.options.length])], ["COMBO", 34_900, [{ days: null, from: "12:00", to: "16:00" }], [["Main", 1, 1, 2]]]);
    // The dishes are the other branch's own where it has them by the same id alone.
    if (branch === scene.all.north) assert.deepEqual(made.components[0].options.map((/** @type {any} */ one) => [one.name, one.extraCents]), [["Palak Paneer", 0], ["Butter Chicken", 3_000]]);
  }
  await page.getByRole("button", { name: /^Chain lunch/ }).click();
  await page.getByRole("dialog").getByLabel("Extra price").nth(1).fill("45");
  await page.getByRole("dialog").getByRole("button", { name: /Remove row 1/ }).last().click();
  await publish(page);
  await until("the change has come", async () => { const now = await dish("Chain lunch"); return now.components[0].options[1].extraCents === 4_500 && now.windows.length === 0; });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a category's hours go to the branches", async () => {
  const { page, context, complaints } = await scene.office("menu", "section.menu table");
  await page.getByRole("button", { name: "Change Desserts" }).click();
  await page.getByRole("button", { name: "Add hours" }).click();
  await page.getByRole("dialog").getByLabel("From", { exact: true }).fill("19:00");
  for (const day of ["Sat", "Sun"]) await page.getByRole("dialog").getByLabel(day, { exact: true }).uncheck();
  await publish(page);
  await until("they have come", async () => { const found = (await scene.manager.ask("GET", "/menu/categories?q=Desserts")).data[0]; return JSON.stringify(found.windows) === JSON.stringify([{ days: ["MON", "TUE", "WED", "THU", "FRI"], from: "19:00", to: null }]); });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a price list of the chain holds at a branch, is changed, and is archived", async () => {
  const { page, context, complaints } = await scene.office("prices", "#view .loaded .hint:not([role])");
  await examine(page, "hq-prices-none");
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "New price list" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").first().fill("Takeaway offer");
    await form.getByLabel("Takeaway", { exact: true }).check();
    await form.getByLabel(/^Dish, size or category/).selectOption({ label: "Everything in Desserts" });
    await form.getByLabel("How much").fill("10");
    await form.getByRole("button", { name: "Add a price" }).click();
    await form.getByLabel(/^Dish, size or category/).nth(1).selectOption({ label: "Rasmalai (2 pcs)" });
    await form.getByLabel(/^How(?! much)/).nth(1).selectOption("costs");
    await examineForm(page, "hq-prices-form", looks);
    await form.getByRole("button", { name: "Publish" }).click();
    await form.locator("fieldset", { hasText: "A size goes before its dish" }).locator(".wrong", { hasText: /^2: / }).waitFor();
    await form.getByLabel("How much").nth(1).fill("99");
    await publish(page);
  });
  assert.equal(used, 5);
  await page.getByRole("cell", { name: "Takeaway", exact: true }).waitFor();
  await examine(page, "hq-prices");
  const price = async (/** @type {string} */ name, query = "") => (await scene.manager.get(`/menu${query}`)).categories.flatMap((/** @type {any} */ one) => one.items).find((/** @type {any} */ one) => one.name === name).priceCents;
  const usual = await price("Gulab Jamun (2 pcs)");
  await until("it has come", async () => (await price("Rasmalai (2 pcs)", "?orderType=TAKEAWAY")) === 9_900);
  assert.equal(await price("Gulab Jamun (2 pcs)", "?orderType=TAKEAWAY"), Math.round(usual * .9));
  assert.equal(await price("Gulab Jamun (2 pcs)"), usual);
  await page.getByRole("button", { name: "Takeaway offer", exact: true }).click();
  await page.getByRole("dialog").getByLabel("How much").first().fill("20");
  await page.getByRole("dialog").getByLabel("Priority").fill("7");
  await publish(page);
  await until("the change has come", async () => (await price("Gulab Jamun (2 pcs)", "?orderType=TAKEAWAY")) === Math.round(usual * .8));
  const [list] = (await scene.manager.ask("GET", "/menu/price-lists")).data;
  assert.deepEqual([list.name, list.priority, list.entriesCount, list.orderTypes], ["Takeaway offer", 7, 2, ["TAKEAWAY"]]);
  await page.getByRole("button", { name: "Archive Takeaway offer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await until("it is gone", async () => (await scene.manager.ask("GET", "/menu/price-lists")).data.length === 0);
  await page.goto(`${scene.all.office.url}/#/publications`);
  await page.getByRole("row", { name: /Price list/ }).first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const lang of ["hi", "ta", "qps"]) {
  test(`combos and price lists have their words in ${lang}, and they have room`, async () => {
    const { page, context, complaints } = await scene.office("prices", "#view .acts.start button.main", lang);
    const seldom = { nights: [false], sizes: ["phone", "desk"] };
    await page.locator("#view .acts.start button.main").click();
    await page.getByRole("dialog").locator("[name=priority]").waitFor();
    await examineForm(page, `hq-prices-form-${lang}`, seldom);
    await page.keyboard.press("Escape");
    await page.evaluate(() => { location.hash = "#/menu"; });
    const combo = page.getByRole("button", { name: /^Chain lunch/ });
    await combo.click();
    await page.getByRole("dialog").locator(".oneline .oneline select").first().waitFor();
    await examineForm(page, `hq-combo-${lang}`, seldom);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test("what is looked for, and where the focus stands, stay while branches are heard and while something is published", async () => {
  const { page, context, complaints } = await scene.office("menu", "section.menu table");
  const heard = async () => {
    const read = page.waitForResponse((answer) => answer.url().includes("/hub/outlets?"));
    await sell(scene.all.north, scene.manager);
    await read;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  };
  await page.getByRole("searchbox").fill("palak");
  await until("one dish is found", async () => (await page.locator("section.menu tbody tr").count()) === 1);
  const field = await page.getByRole("searchbox").elementHandle();
  await heard();
  assert.deepEqual(await field?.evaluate((/** @type {any} */ one) => [one.isConnected, one === document.activeElement, one.value]), [true, true, "palak"]);
  await page.locator("section.menu tbody tr button.price").click();
  await page.getByRole("dialog").getByLabel("Price", { exact: true }).fill("301");
  await publish(page);
  await page.locator("section.menu tbody tr").getByText("₹301.00").waitFor();
  assert.deepEqual([await page.getByRole("searchbox").inputValue(), await page.locator("section.menu tbody tr").count()], ["palak", 1]);
  for (const [view, button] of [["staff", "button.quiet.start"], ["enrolment", ".rowacts button"], ["boxes", "tbody th a"], ["conflicts", ".choose select"], ["recall", "details summary"]]) {
    await page.evaluate((to) => { location.hash = `#/${to}`; }, view);
    const one = page.locator("#view").locator(button).first();
    await one.focus();
    await heard();
    assert.ok(await one.evaluate((element) => element === document.activeElement), `the focus is gone at ${view}`);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a dish of the chain is sold by weight: the list says what a unit costs, and the branches have it so", async () => {
  const { page, context, complaints } = await scene.office("menu", "section.menu table");
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "New dish" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").first().fill("Chain crab");
    await form.getByLabel("Price", { exact: true }).fill("1200");
    await form.getByLabel(/^Category/).selectOption({ label: "Curries" });
    await form.getByLabel(/^Tax/).selectOption({ label: "GST 5 %" });
    await form.getByLabel(/^Sold by/).selectOption({ label: "weight" });
    await publish(page);
  });
  assert.equal(used, 2, "a dish by weight for the whole chain");
  await page.getByRole("row", { name: /Chain crab/ }).getByText("₹1,200.00/kg").waitFor();
  // A price list says so, too.
  await page.evaluate(() => { location.hash = "#/prices"; });
  await page.getByRole("button", { name: "New price list" }).click();
  await page.getByRole("dialog").getByLabel(/^Dish, size or category/).selectOption({ label: "Chain crab" });
  const how = page.getByRole("dialog").getByLabel(/^How(?! much)/);
  await how.selectOption("costs");
  await page.getByRole("dialog").getByLabel("How much").fill("990");
  await page.getByRole("dialog").getByText("₹990.00/kg").waitFor();
  await how.selectOption("less");
  await page.getByRole("dialog").getByText("₹990.00/kg").waitFor({ state: "detached" });
  await examineForm(page, "hq-price-by-weight", looks);
  await page.keyboard.press("Escape");
  await until("the branch has it", async () => { const one = await dish("Chain crab"); return one?.soldBy === "WEIGHT" && one.weightUnit === "KG" && one.priceCents === 120_000; });
  assert.deepEqual(complaints, []);
  await context.close();
});
