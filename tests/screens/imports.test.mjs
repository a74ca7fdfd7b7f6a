// Records out as files and in again, in a real browser on a branch as it ships: stock, recipes, suppliers, staff, tables and dishes, by one dialog.
// What came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { branch, browser, examine, looks, open, signIn, SIZES, taps } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {import("playwright-core").Page} */
let page;
/** @type {any} */
let manager;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "off"]), browser()]);
  manager = await box.as("manager");
  ({ page } = await open(chromium, { size: SIZES.desk, touch: false }));
  await page.goto(`${box.url}/manage?lang=en#stock`);
  await signIn(page, "Owner");
  await page.locator(".manage main h1").first().waitFor();
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @param {string} hash */
async function at(hash) {
  await page.goto("about:blank");
  await page.goto(`${box.url}/manage?lang=en#${hash}`);
  await page.locator(".manage main h1").first().waitFor();
}
/** Where the files are: a dialog, or the tab of the menu. */
const place = () => page.locator(".files");
/** @param {string} text @param {string} [name] */
const choose = (text, name = "file.csv") => place().locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
/** What a tile says. @param {string} name */
const tile = (name) => place().locator(".tile").filter({ has: page.getByText(name, { exact: true }) }).locator("b");
/** @param {string} path */
async function rows(path) {
  const { data, items } = await manager.ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`);
  return data?.items ?? data ?? items;
}

test("every mistake of a file is shown by row and column with what stands there, and nothing is taken in", async () => {
  await at("stock");
  await page.getByRole("button", { name: "Files" }).click();
  await choose("name,category,unit,batches.quantity\nRagi flour,Dry,kg,ten\n,Dry,kg,2\n");
  await place().getByText("Nothing was taken in: 2 mistakes.").waitFor();
  assert.deepEqual(await place().locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent))), [["Row 2", "batches.quantity", "ten", "Must be a number."], ["Row 3", "name", "nothing", "Needed for what is new here."]]);
  assert.equal(await place().getByRole("button", { name: "Take it in" }).count(), 0);
  assert.equal((await rows("/inventory/items?q=Ragi%20flour")).length, 0);
  await examine(page, "manage-import-wrong", looks);
});

test("what would change is seen before anything does, and then taken in; columns that mean nothing are named", async () => {
  await choose("name,category,unit,batches.quantity,batches.unitCostCents,colour\nRagi flour,Dry,kg,10,4500,brown\nBajra,Dry,kg,3,4000,\n");
  await place().getByText("2 records were read. Nothing is wrong with them.").waitFor();
  assert.deepEqual([await tile("New").innerText(), await tile("Changed").innerText(), await tile("Batches of opening stock").innerText()], ["2", "0", "2"]);
  await place().getByText("were not read: colour").waitFor();
  assert.equal((await rows("/inventory/items?q=Bajra")).length, 0);
  await examine(page, "manage-import", looks);
  assert.equal(await taps(page, () => place().getByRole("button", { name: "Take it in" }).click()), 1);
  await place().getByText("Taken in: 2 records.").waitFor();
  const [ragi] = await rows("/inventory/items?q=Ragi%20flour");
  assert.deepEqual([ragi.currentStock, ragi.unit, ragi.stockValueCents], [10, "kg", 45_000]);
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Bajra" }).waitFor();
});

/** Where the files of a kind are, a file of it, and what is there afterwards. @type {[string, string, string, string, (made: any) => any, any][]} */
const KINDS = [
  ["stock/preparations", "Preparations", "preparation,yield,unit,ingredients.item,ingredients.quantity,ingredients.unit\nGinger tea base,2,l,Ginger,100,g\n,,,Milk,,\n", "", () => null, null],
  ["buying/suppliers", "Suppliers", "name,phone,leadTimeDays\nHill Farms,+91 80 5550 1000,2\n", "/inventory/suppliers?q=Hill", (one) => [one.name, one.leadTimeDays], ["Hill Farms", 2]],
  ["people/staff", "Staff", "name,jobTitle,employmentType,hourlyRate\nKavya Iyer,Waiter,FULL_TIME,120.50\n", "/employees?q=Kavya", (one) => [one.name, one.hourlyRateCents], ["Kavya Iyer", 12_050]],
  ["floor", "Tables", "number,seats,area\nG1,4,Garden\n", "/tables?area=Garden", (one) => [one.number, one.seats], ["G1", 4]],
];

for (const [hash, name, file, path, of, expected] of KINDS) {
  test(`files of ${name} are looked through and taken in where ${name} are`, async () => {
    await at(hash);
    await page.getByRole("button", { name: "Files" }).click();
    if (!path) {
      // A quantity is missing: the ingredient's row is named.
      await choose(file);
      await place().getByText(/Nothing was taken in/).waitFor();
      await choose(file.split("\n").slice(0, 2).join("\n"));
      await place().getByRole("button", { name: "Take it in" }).click();
      await place().getByText("Taken in: 1 record.").waitFor();
      assert.ok((await rows("/inventory/preparations")).some((/** @type {any} */ one) => one.name === "Ginger tea base" && one.yield === 2));
      return;
    }
    await choose(file);
    await place().getByRole("button", { name: "Take it in" }).click();
    await place().getByText("Taken in: 1 record.").waitFor();
    const all = await rows(path), made = all.find((/** @type {any} */ one) => expected.includes(one.name ?? one.number)) ?? all[0];
    assert.deepEqual(of(made), expected);
  });
}

test("what is saved as a file and taken in again unchanged changes nothing", async () => {
  await at("floor");
  await page.getByRole("button", { name: "Files" }).click();
  const [saved] = await Promise.all([page.waitForEvent("download"), place().getByRole("button", { name: "Save as CSV" }).click()]);
  assert.equal(saved.suggestedFilename(), "tables.csv");
  const text = await readFile(await saved.path(), "utf8");
  assert.match(text, /^id,number,/);
  await choose(text);
  await place().getByText(/They are so already: nothing would change/).waitFor();
  assert.equal(await place().getByRole("button", { name: "Take it in" }).count(), 0);
  // JSON, and JSON that breaks off.
  await choose('{"items":[{"number":"G9","seats":0}]}', "tables.json");
  await place().getByText("Nothing was taken in: 1 mistake.").waitFor();
  await choose('{"items":[{"number":', "tables.json");
  await place().getByText("This is no JSON").waitFor();
});

test("dishes are pasted in the menu's own tab", async () => {
  await at("menu/import");
  await place().getByText("Or paste a table").click();
  await place().getByLabel("Rows, the first with the names of the columns").fill("category,name,price\nSnacks,Murukku,60\nSnacks,Mixture,55\n");
  await place().getByRole("button", { name: "Look it through" }).click();
  await place().getByRole("button", { name: "Take it in" }).click();
  await place().getByText("Taken in: 2 records.").waitFor();
  assert.deepEqual((await rows("/menu/items?q=Murukku")).map((/** @type {any} */ one) => one.priceCents), [6_000]);
  await examine(page, "manage-import-menu", looks);
});
