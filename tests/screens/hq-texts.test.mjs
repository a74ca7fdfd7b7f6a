// What the chain's menu is called in several languages: where they are said, what the forms ask for, that branches get it. On a real head office
// with two real branches; what came of it is read at a branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { taps, until } from "./harness.mjs";
import { examineForm, publish, publishing } from "./hq-harness.mjs";

/** @type {Awaited<ReturnType<typeof publishing>>} */
let scene;
before(async () => { scene = await publishing(); });
after(() => scene?.end());

const looks = { sizes: ["phone", "desk"] };
/** @param {string} path @param {string} name */
const atBranch = async (path, name) => (await scene.manager.ask("GET", `${path}?limit=100&q=${encodeURIComponent(name)}`)).data.find((/** @type {any} */ one) => one.name === name);

test("where no outlet says its languages the form says so; they are chosen by name and go to the branch", async () => {
  const { page, context, complaints } = await scene.office("menu", "section.menu table");
  await page.getByRole("button", { name: "Palak Paneer", exact: true }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Settings: languages of the menu" }).click();
  const house = page.locator(".settings", { has: page.getByRole("heading", { name: "The house" }) });
  await house.waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 0);
  await page.locator(".choose select").selectOption({ label: "North Street (NRTH)" });
  await house.getByText("North Street").first().waitFor();
  await house.getByRole("button", { name: /^Change/ }).click();
  for (const [n, tag] of ["en", "hi", "ta"].entries()) {
    await page.getByRole("dialog").getByRole("button", { name: "Add a language" }).click();
    await page.getByRole("dialog").locator(".oneline select").nth(n).selectOption(tag);
  }
  await examineForm(page, "hq-texts-languages", looks);
  await publish(page);
  await house.getByText("हिन्दी · Hindi").first().waitFor();
  await until("the branch has them", async () => (await scene.manager.ask("GET", "/outlets")).data[0].languages.join() === "en,hi,ta");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("dishes with their sizes, categories and choices have names in the other languages, and branches get them", async () => {
  const { page, context, complaints } = await scene.office("menu", "section.menu table");
  const form = page.getByRole("dialog");
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "Palak Paneer", exact: true }).click();
    await form.locator(".tongue [data-text='hi.name']").fill("पालक पनीर");
    await form.locator(".tongue [data-text='ta.description']").fill("கீரையும் பன்னீரும்");
    await publish(page);
  });
  assert.equal(used, 2);
  await until("the dish has come", async () => JSON.stringify((await atBranch("/menu/items", "Palak Paneer")).texts) === JSON.stringify({ hi: { name: "पालक पनीर" }, ta: { description: "கீரையும் பன்னீரும்" } }));

  await page.getByRole("button", { name: "Butter Chicken", exact: true }).click();
  await form.getByRole("button", { name: "Add a size" }).click();
  await form.getByRole("button", { name: "Add a size" }).click();
  const sizes = form.locator(".oneline");
  for (const [n, [name, price, hindi]] of [["Half", "240", "हाफ़"], ["Full", "420", ""]].entries()) {
    await sizes.nth(n).getByLabel("Name", { exact: true }).fill(name);
    await sizes.nth(n).getByLabel("Price").fill(price);
    await sizes.nth(n).locator("[data-text='hi.name']").fill(hindi);
  }
  await sizes.nth(1).getByLabel("Energy").fill("610");
  await sizes.nth(1).getByLabel("The usual one").check();
  await examineForm(page, "hq-texts-dish", looks);
  await publish(page);
  await until("the sizes have come", async () => (await atBranch("/menu/items", "Butter Chicken")).variants.length === 2);
  const made = await atBranch("/menu/items", "Butter Chicken");
  assert.deepEqual(made.variants.map((/** @type {any} */ one) => [one.name, one.basePriceCents, one.isDefault, one.energyKcal, one.texts?.hi?.name ?? null]), [["Half", 24_000, false, null, "हाफ़"], ["Full", 42_000, true, 610, null]]);

  // The list was read again: a dish costs what its usual size costs.
  await page.getByRole("row", { name: /Butter Chicken/ }).getByText("₹420").waitFor();
  await page.getByRole("button", { name: "Butter Chicken", exact: true }).click();
  await sizes.nth(0).locator("[data-text='hi.name']").fill("");
  await publish(page);
  await until("it was taken away, and nothing else", async () => { const now = await atBranch("/menu/items", "Butter Chicken"); return now.variants.every((/** @type {any} */ one, /** @type {number} */ n) => one.id === made.variants[n].id && !one.texts?.hi); });

  await page.getByRole("button", { name: "Change Curries" }).click();
  await form.locator(".tongue [data-text='hi.name']").fill("सब्ज़ियाँ");
  await publish(page);
  await until("the category has come", async () => (await atBranch("/menu/categories", "Curries")).texts?.hi?.name === "सब्ज़ियाँ");

  const search = page.getByRole("searchbox");
  await search.fill("पालक");
  await until("it is found by its Hindi name", async () => (await page.locator("section.menu tbody th").allTextContents()).join() === "Palak Paneer");

  await page.goto(`${scene.all.office.url}/?lang=en#/catalogue/groups`);
  await page.getByRole("button", { name: "Spice level", exact: true }).click();
  await form.locator(".tongue [data-text='hi.name']").fill("तीखापन");
  await form.locator(".oneline").nth(0).locator("[data-text='ta.name']").fill("மிதம்");
  await form.locator(".oneline").nth(1).getByLabel("Price").fill("5.50");
  await examineForm(page, "hq-texts-choice", looks);
  const before = await atBranch("/menu/modifier-groups", "Spice level");
  await publish(page);
  await until("the choice has come", async () => (await atBranch("/menu/modifier-groups", "Spice level")).texts?.hi?.name === "तीखापन");
  const now = await atBranch("/menu/modifier-groups", "Spice level");
  assert.deepEqual(now.options.map((/** @type {any} */ one) => [one.id, one.name, one.priceCents, one.isDefault, one.isActive]), before.options.map((/** @type {any} */ one, /** @type {number} */ n) => [one.id, one.name, n === 1 ? 550 : one.priceCents, one.isDefault, one.isActive]));
  assert.equal(now.options[0].texts.ta.name, "மிதம்");
  assert.deepEqual(complaints, []);
  await context.close();
});
