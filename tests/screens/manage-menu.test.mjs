// The menu as its manager makes it, in a real browser on a branch as it ships: combos, hours in windows, price lists and what comes of them. What
// came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, dialog, examine, looks, open, signIn, SIZES, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {any[]} */
let dishes;
/** @type {any[]} */
let categories;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "off"]), browser()]);
  manager = await box.as("manager");
  [dishes, categories] = [await rows("/menu/items"), await rows("/menu/categories")];
  // A dish in two sizes, of which none is the usual one.
  const { id, priceCents } = named("Chicken 65");
  await manager.ask("PATCH", `/menu/items/${id}`, { variants: [{ name: "Half", priceCents: 18_000 }, { name: "Full", priceCents }] });
  dishes = await rows("/menu/items");
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @param {string} path */
const rows = async (path) => (await manager.ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`)).data;
const named = (/** @type {string} */ name) => { const found = dishes.find((one) => one.name === name); assert.ok(found, name); return found; };
const category = (/** @type {string} */ name) => { const found = categories.find((one) => one.name === name); assert.ok(found, name); return found; };
const cash = (/** @type {number} */ cents) => new Intl.NumberFormat("en-IN", { style: "currency", currency: "INR" }).format(cents / 100);

/** @type {import("playwright-core").Page | null} */
let owner = null;
/** The owner's page at a place; it has loaded once `ready` is seen. @param {string} hash @param {string} ready @param {string} [lang] */
async function desk(hash, ready, lang = "en") {
  const page = owner ?? (await open(chromium, { size: SIZES.desk, touch: false })).page;
  await page.goto("about:blank");
  await page.goto(`${box.url}/manage?lang=${lang}#menu/${hash}`);
  if (!owner) { await signIn(page, "Owner"); owner = page; }
  await page.locator(ready).first().waitFor();
  return page;
}
/** Presses the last dialog's button; it has gone when this is done. @param {import("playwright-core").Page} page @param {string} name */
async function finish(page, name) {
  await dialog(page).getByRole("button", { name, exact: true }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}
/** Chooses by the text of an option, once it is there. @param {import("playwright-core").Locator} select @param {string} label */
async function pick(select, label) {
  await select.locator("option", { hasText: label }).first().waitFor({ state: "attached" });
  await select.selectOption({ label });
}
/** Looks the last dialog through, from its top: what is scrolled lies under its head. @param {import("playwright-core").Page} page @param {string} name @param {{ nights: boolean[], sizes: string[] }} how */
async function examineForm(page, name, how = looks) {
  await dialog(page).evaluate((/** @type {HTMLElement} */ one) => { if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); one.scrollTop = 0; });
  await examine(page, name, how);
}
const DISHES = "table.list tbody button.open";

test("a combo is made of dishes and sizes, and the list says in short what it is", async () => {
  const page = await desk("dishes", DISHES);
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "Add a combo" }).click();
    const form = dialog(page);
    await form.locator("[name=name]").first().fill("Office lunch");
    await pick(form.locator("[name=categoryId]"), "Curries");
    await form.locator("[name=priceCents]").fill("399");
    const parts = form.locator(".rows").first().locator(":scope > .row");
    await parts.nth(0).locator("[name=name]").fill("Main");
    await pick(parts.nth(0).locator("[name=menuItemId]"), "Paneer Tikka");
    await parts.nth(0).getByRole("button", { name: "Add a dish" }).click();
    await pick(parts.nth(0).locator("[name=menuItemId]").nth(1), "Chicken 65 · Full");
    await parts.nth(0).locator("[name=extraCents]").nth(1).fill("40");
    await form.getByRole("button", { name: "Add a part" }).click();
    await parts.nth(1).locator("[name=name]").fill("Drink");
    await parts.nth(1).locator("[name=minSelections]").fill("0");
    await pick(parts.nth(1).locator("[name=menuItemId]"), "Masala Chai");
    await parts.nth(1).getByRole("button", { name: "Add a dish" }).click();
    await pick(parts.nth(1).locator("[name=menuItemId]").nth(1), "Sweet Lassi");
    await examineForm(page, "manage-menu-combo");
    await finish(page, "Save");
  });
  assert.equal(used, 5);
  const made = await until("it is there", async () => (await rows("/menu/items?q=Office lunch"))[0]);
  const options = (/** @type {any} */ part) => part.options.map((/** @type {any} */ one) => [one.menuItemId, one.variantId, one.extraCents]);
  assert.deepEqual([made.kind, made.priceCents, made.components.map((/** @type {any} */ one) => [one.name, one.minSelections, one.maxSelections])], ["COMBO", 39_900, [["Main", 1, 1], ["Drink", 0, 1]]]);
  const sized = named("Chicken 65");
  assert.deepEqual(options(made.components[0]), [[named("Paneer Tikka").id, null, 0], [sized.id, sized.variants[1].id, 4_000]]);
  await page.getByText("Main (choose 1 of 2)").waitFor();
  await page.getByText("Drink (up to 1 of 2)").waitFor();
  // It bears its dishes' taxes: nobody is warned of having none.
  assert.equal(await page.locator(".toasts .bad").count(), 0);
});

test("a combo is changed, what is wrong is said at its part, and what of it cannot be had is seen", async () => {
  const page = await desk("dishes", DISHES);
  const row = page.locator("tr").filter({ hasText: "Office lunch" });
  await row.locator("button.open").click();
  const parts = dialog(page).locator(".rows").first().locator(":scope > .row");
  await parts.nth(1).locator("[name=menuItemId]").nth(1).locator("option:checked", { hasText: "Sweet Lassi" }).waitFor({ state: "attached" });
  await parts.nth(0).locator("[name=minSelections]").fill("3");
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await parts.nth(0).locator(".wrong", { hasText: "must not be below at least" }).waitFor();
  assert.equal(await parts.nth(0).locator("[name=maxSelections]").getAttribute("aria-invalid"), "true");
  await parts.nth(0).locator("[name=minSelections]").fill("1");
  await pick(parts.nth(1).locator("[name=menuItemId]").nth(1), "Masala Chai");
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await parts.nth(1).locator(".wrong", { hasText: "twice" }).first().waitFor();
  await pick(parts.nth(1).locator("[name=menuItemId]").nth(1), "Filter Coffee");
  await parts.nth(0).locator("[name=extraCents]").nth(1).fill("55.50");
  await finish(page, "Save");
  const now = (await rows("/menu/items?q=Office lunch"))[0];
  assert.deepEqual([now.components[0].options[1].extraCents, now.components[1].options[1].menuItemId], [5_550, named("Filter Coffee").id]);
  await manager.ask("PUT", `/menu/items/${named("Masala Chai").id}/availability`, { status: "OUT_OF_STOCK" });
  await row.getByText("Drink: no Masala Chai").waitFor();
  await row.getByText("available", { exact: true }).waitFor();
  for (const name of ["Paneer Tikka", "Chicken 65"]) await manager.ask("PUT", `/menu/items/${named(name).id}/availability`, { status: "OUT_OF_STOCK" });
  await row.getByText(/^Main: nothing left \(Paneer Tikka, Chicken 65.*Full/).waitFor();
  await row.getByText("sold out", { exact: true }).waitFor();
  await examine(page, "manage-menu-dishes", looks);
  for (const name of ["Paneer Tikka", "Chicken 65", "Masala Chai"]) await manager.ask("DELETE", `/menu/items/${named(name).id}/availability`);
  await row.getByText("available", { exact: true }).waitFor();
});

test("a dish and a category have several hours, typed in the same way", async () => {
  const page = await desk("categories", DISHES);
  await page.getByRole("button", { name: "South Indian", exact: true }).click();
  const hours = dialog(page).locator(".rows > .row");
  for (const [n, from, to] of /** @type {[number, string, string][]} */ ([[0, "07:00", "11:00"], [1, "19:00", "23:00"]])) {
    await dialog(page).getByRole("button", { name: "Add hours" }).click();
    await hours.nth(n).locator("[name=from]").fill(from);
    await hours.nth(n).locator("[name=to]").fill(to);
  }
  for (const day of ["Sat", "Sun"]) await hours.nth(0).getByLabel(day, { exact: true }).uncheck();
  await examineForm(page, "manage-menu-hours");
  await finish(page, "Save");
  assert.deepEqual((await manager.get(`/menu/categories/${category("South Indian").id}`)).windows, [{ days: ["MON", "TUE", "WED", "THU", "FRI"], from: "07:00", to: "11:00" }, { days: null, from: "19:00", to: "23:00" }]);
  await page.getByText("Mon–Fri 07:00–11:00; 19:00–23:00").waitFor();
  const list = await desk("dishes", DISHES);
  await list.getByRole("button", { name: "Fish Amritsari", exact: true }).click();
  await dialog(list).getByRole("button", { name: "Add hours" }).click();
  await dialog(list).locator("[name=from]").fill("22:00");
  await dialog(list).locator("[name=to]").fill("22:00");
  await dialog(list).getByRole("button", { name: "Save", exact: true }).click();
  await dialog(list).locator(".row .wrong", { hasText: "another time" }).waitFor();
  await dialog(list).locator("[name=to]").fill("02:00");
  await finish(list, "Save");
  const fish = await manager.get(`/menu/items/${named("Fish Amritsari").id}`);
  assert.deepEqual([fish.windows, fish.availableFrom, fish.availableTo], [[{ days: null, from: "22:00", to: "02:00" }], "22:00", "02:00"]);
  // Taken away again, it is always sold.
  await list.getByRole("button", { name: "Fish Amritsari", exact: true }).click();
  await dialog(list).getByRole("button", { name: "Remove row 1" }).click();
  await finish(list, "Save");
  assert.deepEqual((await manager.get(`/menu/items/${named("Fish Amritsari").id}`)).windows, []);
});

test("a price list is made for some orders and hours, its prices are typed in one place, and it says when it holds", async () => {
  const page = await desk("price-lists", "main .empty");
  await examine(page, "manage-lists-none", looks);
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "Add a price list" }).click();
    await dialog(page).locator("[name=name]").fill("Table price");
    await dialog(page).locator("[name=priority]").fill("10");
    await dialog(page).getByLabel("Dine in").check();
    await examineForm(page, "manage-list-terms");
    await finish(page, "Save");
    await page.getByRole("heading", { name: "Table price" }).waitFor();
    await page.getByRole("button", { name: "Add dishes" }).click();
    await dialog(page).getByLabel("How much: all that is chosen").fill("10");
    await dialog(page).getByLabel("Everything in Beverages").check();
    await dialog(page).getByLabel("Search").fill("chicken 65");
    await dialog(page).getByLabel("Chicken 65 · Full").check();
    await examineForm(page, "manage-list-picker");
    await finish(page, "Add 2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
  });
  assert.equal(used, 8);
  const [list] = await until("what it says is saved", async () => { const found = await rows("/menu/price-lists"); return found[0]?.entriesCount === 2 && found; });
  const sized = named("Chicken 65"), full = sized.variants[1];
  assert.deepEqual([list.name, list.priority, list.orderTypes, list.channelIds, list.areas, list.days, list.from, list.startsOn, list.isInForce], ["Table price", 10, ["DINE_IN"], null, null, null, null, null, true]);
  await page.locator(".facts").getByText("in force").waitFor();
  await page.locator(".entry", { hasText: "Chicken 65 · Full" }).getByText(`→ ${cash(Math.round(full.priceCents * .9))}`).waitFor();
  await page.getByText("Not saved yet.").waitFor({ state: "hidden" });
  await examine(page, "manage-list", looks);
  // Not saved is not lost; what is no price is said beside its line.
  await page.getByLabel("How: Chicken 65 · Full").selectOption("costs");
  await page.getByLabel("How much: Chicken 65 · Full").fill("cheap");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".entry .wrong", { hasText: "Type an amount" }).waitFor();
  await page.getByLabel("How much: Chicken 65 · Full").fill("250");
  const again = await desk(`price-lists/${list.id}`, ".entry");
  assert.equal(await again.getByLabel("How much: Chicken 65 · Full").inputValue(), "250");
  await again.getByText("Not saved yet.").waitFor();
  await again.getByRole("button", { name: "Save", exact: true }).click();
  await again.getByText("Not saved yet.").waitFor({ state: "hidden" });
  const { entries } = await until("it is saved", async () => { const found = await manager.get(`/menu/price-lists/${list.id}`); return found.version > list.version && found; });
  assert.deepEqual(new Set(entries.map((/** @type {any} */ one) => JSON.stringify(one))), new Set([JSON.stringify({ categoryId: category("Beverages").id, adjustBps: -1_000 }), JSON.stringify({ variantId: full.id, priceCents: 25_000 })]));
});

test("what somebody else changed meanwhile is told, and nothing typed is lost", async () => {
  const [list] = await rows("/menu/price-lists");
  const page = await desk(`price-lists/${list.id}`, ".entry");
  await page.getByLabel("How much: Everything in Beverages").fill("15");
  await manager.ask("PATCH", `/menu/price-lists/${list.id}`, { priority: 11 });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Somebody else changed this list meanwhile.").waitFor();
  assert.equal(await page.getByLabel("How much: Everything in Beverages").inputValue(), "15");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const now = await until("it is saved", async () => { const found = await manager.get(`/menu/price-lists/${list.id}`); return found.entries.some((/** @type {any} */ one) => one.adjustBps === -1_500) && found; });
  assert.equal(now.priority, 11);
});

test("what a dish costs is seen for each kind of order, now as the box says it and ahead by the lists", async () => {
  const chai = named("Masala Chai"), outlet = await manager.get(`/outlets/${manager.user.outlets[0].id}`);
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone: outlet.timezone }).format(new Date());
  const later = new Date(Date.parse(`${today}T00:00Z`) + 20 * 86_400_000).toISOString().slice(0, 10);
  const winter = await manager.post("/menu/price-lists", { name: "Winter", priority: 50, startsOn: later, from: "18:00", to: "02:00", entries: [{ menuItemId: chai.id, priceCents: 7_500 }] });
  const page = await desk("price-lists/costs", "main .empty");
  const row = page.locator("tbody tr").filter({ hasText: "Masala Chai" });
  await page.getByLabel("Kind of order").selectOption("DINE_IN");
  await row.getByText(cash(Math.round(chai.priceCents * .85))).waitFor();
  const { categories: shown } = await manager.get("/menu?orderType=DINE_IN");
  assert.equal(shown.flatMap((/** @type {any} */ one) => one.items).find((/** @type {any} */ one) => one.id === chai.id).priceCents, Math.round(chai.priceCents * .85));
  await examine(page, "manage-costs", looks);
  // In the night after that evening: the higher priority counts.
  await page.getByLabel("At (empty: now)").fill(`${later}T19:30`);
  await page.getByLabel("At (empty: now)").press("Tab");
  await row.getByText(cash(7_500)).waitFor();
  await row.getByRole("link", { name: "Winter" }).waitFor();
  await page.getByLabel("At (empty: now)").fill(`${later}T02:30`);
  await page.getByLabel("At (empty: now)").press("Tab");
  await row.getByText(cash(Math.round(chai.priceCents * .85))).waitFor();
  const lists = await desk("price-lists", DISHES.replace("button", "a"));
  const waits = lists.locator("tr").filter({ hasText: "Winter" });
  await waits.getByText("not now").waitFor();
  await waits.getByText(/^from .*18:00/).waitFor();
  // In force for every order, it is the dish's price in the list of dishes, too.
  await manager.ask("PATCH", `/menu/price-lists/${winter.id}`, { startsOn: null, from: null, to: null });
  await waits.getByText("in force").waitFor();
  await examine(lists, "manage-lists", looks);
  const menu = await desk("dishes", DISHES);
  await menu.getByLabel("Search").fill("Masala Chai");
  await menu.locator("tr").filter({ hasText: "Masala Chai" }).getByText("by Winter").waitFor();
});

test("a price list is changed and archived", async () => {
  const [winter] = (await rows("/menu/price-lists")).filter((/** @type {any} */ one) => one.name === "Winter");
  const page = await desk(`price-lists/${winter.id}`, ".entry");
  await page.getByRole("button", { name: "Change when and for whom" }).click();
  for (const day of ["Mon", "Tue", "Wed", "Thu"]) await dialog(page).getByLabel(day, { exact: true }).uncheck();
  await dialog(page).getByLabel("Terrace", { exact: true }).check();
  await dialog(page).locator("[name=from]").fill("18:00");
  await dialog(page).locator("[name=endsOn]").fill("2099-12-31");
  await finish(page, "Save");
  await page.getByText("Fri–Sun from 18:00, until").waitFor();
  await page.locator(".facts").getByText("Terrace").waitFor();
  const now = await manager.get(`/menu/price-lists/${winter.id}`);
  assert.deepEqual([now.days, now.areas, now.from, now.endsOn, now.entries.length], [["FRI", "SAT", "SUN"], ["Terrace"], "18:00", "2099-12-31", 1]);
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await finish(page, "Archive");
  await page.getByRole("heading", { name: "Price lists", level: 2 }).waitFor();
  assert.deepEqual((await rows("/menu/price-lists")).map((/** @type {any} */ one) => one.name), ["Table price"]);
});

test("the menu is as it should be in every language", async () => {
  const [list] = await rows("/menu/price-lists");
  const seldom = { nights: [false], sizes: ["phone", "tablet", "desk"] };
  for (const lang of ["hi", "ta", "qps"]) {
    for (const [name, hash, ready] of [["dishes", "dishes", DISHES], ["categories", "categories", DISHES], ["lists", "price-lists", "a.open"], ["list", `price-lists/${list.id}`, ".entry"], ["costs", "price-lists/costs", "main .filters + .hint, main .filters ~ *"]]) {
      const page = await desk(hash, ready, lang);
      await examine(page, `manage-menu-${name}-${lang}`, seldom);
    }
    const page = await desk("dishes", DISHES, lang);
    await page.getByRole("button", { name: /Office lunch/ }).first().click();
    await dialog(page).locator("[name=menuItemId] option:checked", { hasText: "Paneer Tikka" }).waitFor({ state: "attached" });
    await examineForm(page, `manage-menu-combo-${lang}`, { nights: [false], sizes: ["phone", "desk"] });
  }
});
