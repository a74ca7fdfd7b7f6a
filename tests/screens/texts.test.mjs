// What the menu is called in several languages, in a real browser on a branch as it ships: where they are said, the forms, who finds and reads
// what, and what guests are told of a dish. What came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, dialog, examine, open, signIn, SIZES, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "off", "--limit-general", "off"]), browser()]);
  manager = await box.as("owner");
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @param {string} path */
const rows = async (path) => (await manager.ask("GET", `${path}?limit=100`)).data;
const named = async (/** @type {string} */ path, /** @type {string} */ name) => (await rows(path)).find((/** @type {any} */ one) => one.name === name);
/** Says the languages of the menu. @param {string[]} languages */
async function speak(languages) {
  const [{ id, version }] = await rows("/outlets");
  await manager.ask("PATCH", `/outlets/${id}`, { languages }, { "if-match": `"${version}"` });
}

/** @type {import("playwright-core").Page | null} */
let owner = null;
/** The owner's page at a place; it has loaded once `ready` is seen. @param {string} hash @param {string} ready @param {string} [lang] */
async function desk(hash, ready, lang = "en") {
  const page = owner ?? (await open(chromium, { size: SIZES.desk, touch: false })).page;
  await page.goto("about:blank");
  await page.goto(`${box.url}/manage?lang=${lang}#${hash}`);
  if (!owner) { await signIn(page, "Owner"); owner = page; }
  await page.locator(ready).first().waitFor();
  return page;
}
/** Saves the last dialog; it has gone when this is done. @param {import("playwright-core").Page} page @param {string} [name] */
async function save(page, name = "Save") {
  await dialog(page).getByRole("button", { name, exact: true }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}
const LIST = "table.list tbody button.open";
/** Opens the form of a record by its name. @param {import("playwright-core").Page} page @param {string} name */
async function form(page, name) {
  await page.locator(LIST, { hasText: name }).first().click();
  await dialog(page).locator("[name=name]").first().waitFor();
  return dialog(page);
}

test("a menu without languages says where they are said; there they are chosen by name", async () => {
  const page = await desk("menu/dishes", LIST);
  const dish = await form(page, "Paneer Tikka");
  assert.equal(await dish.locator(".tongue").count(), 0);
  await dish.getByRole("link", { name: "Settings: languages of the menu" }).click();
  await page.getByRole("button", { name: "Change: Languages of the menu" }).waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 0);
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "Change: Languages of the menu" }).click();
    for (const [n, tag] of ["en", "hi", "ur"].entries()) {
      await dialog(page).getByRole("button", { name: "Add a language" }).click();
      const select = dialog(page).locator("[name=tag]").nth(n);
      await select.locator(`option[value=${tag}]`).waitFor({ state: "attached" });
      await select.selectOption(tag);
    }
    await save(page);
  });
  assert.equal(used, 5);
  assert.deepEqual((await rows("/outlets"))[0].languages, ["en", "hi", "ur"]);
  await page.locator(".wideCards").getByText("हिन्दी · Hindi").waitFor();
});

test("a dish has a name and a description in each other language; what is left empty is the house's own", async () => {
  const page = await desk("menu/dishes", LIST);
  const used = await taps(page, async () => {
    const dish = await form(page, "Paneer Tikka");
    const [hindi, urdu] = [dish.locator("[name='texts.hi.name']"), dish.locator("[name='texts.ur.name']")];
    assert.deepEqual([await hindi.getAttribute("lang"), await hindi.getAttribute("dir"), await urdu.getAttribute("dir")], ["hi", "ltr", "rtl"]);
    await hindi.fill("पनीर टिक्का");
    await dish.locator("[name='texts.hi.description']").fill("तंदूर में भुना");
    await urdu.fill("پنیر ٹکہ");
    await save(page);
  });
  assert.equal(used, 2);
  assert.deepEqual((await named("/menu/items", "Paneer Tikka")).texts, { hi: { name: "पनीर टिक्का", description: "तंदूर में भुना" }, ur: { name: "پنیر ٹکہ" } });
  const dish = await form(page, "Paneer Tikka");
  await dish.locator("[name='texts.ur.name']").fill("");
  await dish.locator("[name='texts.hi.name']").fill("x".repeat(120));
  await save(page);
  await form(page, "Paneer Tikka").then((again) => again.locator("[name='texts.hi.name']").fill("पनीर टिक्का"));
  await save(page);
  assert.deepEqual((await named("/menu/items", "Paneer Tikka")).texts, { hi: { name: "पनीर टिक्का", description: "तंदूर में भुना" } });
});

test("sizes, categories, choices and their options have theirs, and nothing else of them is touched", async () => {
  const { id, priceCents } = await named("/menu/items", "Chicken 65");
  await manager.ask("PATCH", `/menu/items/${id}`, { variants: [{ name: "Half", priceCents: 18_000 }, { name: "Full", priceCents }] });
  const page = await desk("menu/dishes", LIST);
  const dish = await form(page, "Chicken 65");
  await dish.locator(".rows .row").nth(0).locator("[name='texts.hi.name']").fill("हाफ़");
  await dish.locator(".rows .row").nth(1).locator("[name=energyKcal]").fill("500");
  await save(page);
  const variants = (await named("/menu/items", "Chicken 65")).variants;
  assert.deepEqual(variants.map((/** @type {any} */ one) => [one.name, one.texts?.hi?.name ?? null, one.energyKcal, one.basePriceCents]), [["Half", "हाफ़", null, 18_000], ["Full", null, 500, priceCents]]);

  await desk("menu/categories", LIST);
  await form(page, "Starters").then((one) => one.locator("[name='texts.hi.name']").fill("स्टार्टर"));
  await save(page);
  assert.equal((await named("/menu/categories", "Starters")).texts.hi.name, "स्टार्टर");

  const before = await named("/menu/modifier-groups", "Spice level");
  await desk("menu/modifiers", LIST);
  const group = await form(page, "Spice level");
  await group.locator(".texts [name='texts.hi.name']").fill("तीखापन");
  await group.locator(".rows .row").nth(1).locator("[name='texts.hi.name']").fill("मध्यम");
  await save(page);
  const now = await named("/menu/modifier-groups", "Spice level");
  assert.deepEqual([now.texts.hi.name, now.options.map((/** @type {any} */ one) => [one.id, one.texts?.hi?.name ?? null])], ["तीखापन", before.options.map((/** @type {any} */ one, /** @type {number} */ n) => [one.id, n === 1 ? "मध्यम" : null])]);
});

test("what is chosen for a combo, stations, tables and areas have theirs", async () => {
  const [dish, drink] = [await named("/menu/items", "Masala Dosa"), await named("/menu/items", "Filter Coffee")];
  await manager.post("/menu/items", { kind: "COMBO", name: "Breakfast", categoryId: dish.categoryId, priceCents: 20_000, components: [{ name: "Main", minSelections: 1, maxSelections: 1, options: [{ menuItemId: dish.id, extraCents: 0 }] }, { name: "Drink", minSelections: 1, maxSelections: 1, options: [{ menuItemId: drink.id, extraCents: 500 }] }] });
  const page = await desk("menu/dishes", LIST);
  await page.getByRole("searchbox").fill("Breakfast");
  const combo = await form(page, "Breakfast");
  await combo.locator(".rows .row", { has: page.locator("[name='texts.hi.name']") }).nth(1).locator(":scope > .fields > .tongues [name='texts.hi.name']").fill("पेय");
  await save(page);
  const { components } = await named("/menu/items", "Breakfast");
  assert.deepEqual(components.map((/** @type {any} */ one) => [one.name, one.texts?.hi?.name ?? null, one.options[0].extraCents]), [["Main", null, 0], ["Drink", "पेय", 500]]);

  await desk("devices/stations", LIST);
  await form(page, "Tandoor").then((one) => one.locator("[name='texts.hi.name']").fill("तंदूर"));
  await save(page);
  assert.equal((await named("/kitchen/stations", "Tandoor")).texts.hi.name, "तंदूर");

  await desk("floor", ".plan .table");
  await page.locator(".plan .table").first().click();
  await page.getByRole("button", { name: "Change", exact: true }).first().click();
  await dialog(page).locator("[name='areaTexts.hi.name']").fill("अंदर");
  await save(page);
  await until("the area has it at all its tables", async () => { const all = await rows("/tables"), changed = all.find((/** @type {any} */ one) => one.areaTexts?.hi?.name === "अंदर"); return changed && all.filter((/** @type {any} */ one) => one.area === changed.area).every((/** @type {any} */ one) => one.areaTexts?.hi?.name === "अंदर"); });
});

test("the forms stand on phones, tablets and desks, by day and by night, in every language", async () => {
  const lacking = [];
  for (const lang of ["en", "hi", "ta", "qps"]) {
    const page = await desk("menu/dishes", LIST, lang);
    const dish = await form(page, "Chicken 65");
    await dish.evaluate((/** @type {HTMLElement} */ one) => { if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); one.scrollTop = 0; });
    try { await examine(page, `texts-dish-${lang}`, { nights: [lang === "ta"], sizes: lang === "en" ? ["phone", "tablet", "desk"] : ["phone", "desk"] }); } catch (error) { lacking.push(`${error}`); }
  }
  assert.deepEqual(lacking, []);
});

test("a dish is found by any of its names, in the list and at the till, where the reader's own stands beside the house's", async () => {
  const page = await desk("menu/dishes", LIST);
  await page.getByRole("searchbox").fill("टिक्का");
  await until("one dish is found", async () => (await page.locator(LIST).allTextContents()).join() === "Paneer Tikka");

  const { page: till, context, complaints } = await open(chromium);
  await till.goto(`${box.url}/pos`);
  await signIn(till, "Waiter");
  const tile = (/** @type {string} */ name) => till.locator(`[data-dish="${name}"]`);
  await till.locator("[data-table='5']").click();
  await tile("Masala Dosa").or(tile("Paneer Tikka")).first().waitFor();
  await till.getByRole("searchbox").fill("पनीर टि");
  await until("the till finds it alone", async () => (await till.locator(".dishes .dish").count()) === 1 && tile("Paneer Tikka").isVisible());
  assert.equal(await till.locator(".dishes .dish .alias").count(), 0, "who reads English reads the house's own name alone");
  await till.goto(`${box.url}/pos?lang=hi`);
  await tile("Paneer Tikka").locator(".alias", { hasText: "पनीर टिक्का" }).waitFor();
  await tile("Paneer Tikka").click();
  await till.locator(".dock").getByText("तीखापन").first().waitFor();
  assert.ok(await till.locator("[data-draft='Paneer Tikka']").count() > 0, "the order has the name that bills and cooks have");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what may be chosen for a combo is named at the till as whoever stands there calls it, and sold by the house's own names", async () => {
  await manager.ask("PATCH", `/menu/items/${(await named("/menu/items", "Filter Coffee")).id}`, { texts: { hi: { name: "फ़िल्टर कॉफ़ी" } } });
  const { page, context, complaints } = await open(chromium);
  await page.goto(`${box.url}/pos`);
  await signIn(page, "Waiter");
  await page.locator("[data-table='6']").click();
  await page.locator("[data-dish='Breakfast']").or(page.getByRole("searchbox")).first().waitFor();
  await page.goto(`${box.url}/pos?lang=hi`);
  await page.getByRole("searchbox").fill("break");
  await page.locator("[data-dish='Breakfast']").click();
  const drink = page.locator(".component").filter({ has: page.locator("[data-offer='Filter Coffee']") });
  await drink.locator("legend").getByText("पेय").waitFor();
  await drink.locator(".alias", { hasText: "फ़िल्टर कॉफ़ी" }).waitFor();
  await examine(page, "texts-combo-hi", { nights: [false], sizes: ["phone", "tablet"] });
  await page.locator(".send").click();
  const found = await until("the order arrives", async () => (await manager.ask("GET", "/orders?tableNumber=6")).data[0]);
  const { items } = await manager.ask("GET", `/orders/${found.id}`).then((/** @type {any} */ said) => said.data ?? said);
  assert.deepEqual(items[0].components.map((/** @type {any} */ one) => [one.name, one.itemName]), [["Main", "Masala Dosa"], ["Drink", "Filter Coffee"]]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a cook who is signed in by name reads the station's language: tickets that were there, that come, and that were touched", async () => {
  const station = await named("/kitchen/stations", "Tandoor"), tikka = await named("/menu/items", "Paneer Tikka");
  await manager.ask("PATCH", `/kitchen/stations/${station.id}`, { language: "hi" });
  const order = () => manager.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: tikka.id, quantity: 1, unitPriceCents: tikka.priceCents }] });
  await order();
  const { page, context, complaints } = await open(chromium);
  await page.goto(`${box.url}/kitchen`);
  await signIn(page, "Kitchen");
  await page.getByRole("button", { name: /^Tandoor/ }).click();
  const dish = page.locator(".ticket .dish", { hasText: "पनीर टिक्का" });
  await until("the ticket that was there", async () => (await dish.count()) > 0);
  const before = await dish.count();
  await order();
  await until("the ticket that comes", async () => (await dish.count()) === before + 1);
  const answered = page.waitForResponse((answer) => /\/start(\?|$)/.test(answer.url()));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.ok((await answered).ok());
  await page.locator(".ticket .dish.IN_PREPARATION").first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(await dish.count(), before + 1);
  assert.equal(await page.locator(".ticket .dish", { hasText: "Paneer Tikka" }).count(), 0, "nothing is told in the house's own name");
  await manager.ask("PATCH", `/kitchen/stations/${station.id}`, { language: null });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("guests and the till see the law's mark by shape and word, and what a serving is and has", async () => {
  const { id } = await named("/menu/items", "Paneer Tikka");
  await manager.ask("PATCH", `/menu/items/${id}`, { energyKcal: 320, servingSize: "200 g" });
  const { id: egg } = await named("/menu/items", "Fish Amritsari");
  await manager.ask("PATCH", `/menu/items/${egg}`, { dietary: "EGG" });
  const { id: unknown } = await named("/menu/items", "Chilli Paneer");
  await manager.ask("PATCH", `/menu/items/${unknown}`, { dietary: null });
  const [{ qrToken }] = await rows("/tables");
  const { page, context, complaints } = await open(chromium, { size: SIZES.phone });
  for (const [lang, name, veg, withEgg] of [["en", "Paneer Tikka", "Vegetarian", "Not vegetarian, with egg"], ["hi", "पनीर टिक्का", "शाकाहारी", "मांसाहारी, अंडे वाला"], ["ta", "Paneer Tikka", "சைவம்", "அசைவம், முட்டை உண்டு"]]) {
    await page.goto(`${box.url}/t/${qrToken}?lang=${lang}`);
    const paneer = page.locator(".dish", { hasText: name }).first();
    await paneer.waitFor();
    assert.deepEqual([await paneer.getByRole("img", { name: veg, exact: true }).locator("circle").count(), await paneer.locator(".serving").textContent()], [1, "200 g · 320 kcal"]);
    const fish = page.locator(".dish", { hasText: "Fish Amritsari" });
    assert.equal(await fish.getByRole("img", { name: withEgg, exact: true }).locator("path").count(), 1, "egg has the mark of what is not vegetarian");
    assert.equal(await page.locator(".dish", { hasText: "Chilli Paneer" }).locator(".mark").count(), 0, "what nobody said is not marked");
  }
  await examine(page, "texts-guest", { sizes: ["phone", "tablet"] });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a menu of one language has nothing of it", async () => {
  await speak(["en"]);
  const page = await desk("menu/dishes", LIST);
  const dish = await form(page, "Chicken 65");
  assert.deepEqual([await dish.locator(".texts, .tongues, .tongue").count(), await dish.getByText("other languages").count()], [0, 0]);
});
