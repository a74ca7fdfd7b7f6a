// Batches made ahead, where a cook stands and where stock is kept, and what is traced of them: in a real browser on a branch as it ships. What
// came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, dialog, examine, looks, open, scene, signIn, SIZES, taps, until } from "./harness.mjs";

const all = scene(["--limit-login", "off"], ["manager"]);

/** @param {string} name */
const preparation = async (name) => (await all.manager.ask("GET", "/inventory/preparations?limit=100")).data.find((/** @type {any} */ one) => one.name === name);

/** A station's display. @param {any} [look] @param {string} [lang] */
async function display(look, lang = "en") {
  const opened = await open(all.chromium, look);
  await opened.page.goto(`${all.box.url}/kitchen`);
  await signIn(opened.page, "Kitchen");
  await opened.page.getByRole("button", { name: /^Hot kitchen/ }).click();
  await opened.page.locator(".cells").waitFor();
  if (lang !== "en") { await opened.page.goto(`${all.box.url}/kitchen?lang=${lang}`); await opened.page.locator(".cells").waitFor(); }
  return opened;
}

test("a cook makes a batch at the kitchen's screen in three touches, and reads the number for its label", async () => {
  const { page, context, complaints } = await display();
  const used = await taps(page, async () => {
    await page.getByRole("button", { name: "Make ahead" }).click();
    await dialog(page).getByRole("button", { name: /^Dosa and idli batter/ }).click();
    await dialog(page).getByRole("listitem").filter({ hasText: "Idli rice" }).getByText("4 kg").waitFor();
    await dialog(page).getByRole("button", { name: "It is made" }).click();
    await dialog(page).locator(".label").waitFor();
  });
  assert.equal(used, 3);
  assert.match(await dialog(page).locator(".label").innerText(), /^PRD-/);
  await examine(page, "kitchen-made", { sizes: ["phone", "desk"], nights: [true] });
  await dialog(page).getByRole("button", { name: "Done" }).click();
  assert.equal((await preparation("Dosa and idli batter")).preparedQuantity, 10);

  // Half of it, until tomorrow; nothing is no batch.
  await page.getByRole("button", { name: "Make ahead" }).click();
  await dialog(page).getByRole("button", { name: /^Dosa and idli batter Ready: 10 kg/ }).click();
  await dialog(page).getByLabel("Another amount").fill("x");
  await dialog(page).getByRole("button", { name: "It is made" }).click();
  await dialog(page).getByText("Say how much is made.").waitFor();
  await dialog(page).getByRole("button", { name: "5 kg" }).click();
  await dialog(page).getByRole("button", { name: "Tomorrow" }).click();
  await dialog(page).getByRole("listitem").filter({ hasText: "Idli rice" }).getByText("2 kg").waitFor();
  await examine(page, "kitchen-make", { sizes: ["phone", "tablet", "desk"], nights: [true] });
  await dialog(page).getByRole("button", { name: "It is made" }).click();
  await dialog(page).getByText(/5 kg · use by/).waitFor();
  assert.equal((await preparation("Dosa and idli batter")).preparedQuantity, 15);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a paired display is nobody's: a cook's PIN makes the batch theirs, and their turn ends with it", async () => {
  const owner = await all.box.as("owner");
  /** @type {Record<string, string>} */
  const people = {};
  for (const [employeeCode, tillRole, pin] of [["COOK", "KITCHEN", "739182"], ["WAIT", "WAITER", "518294"]]) {
    const hired = await owner.post("/employees", { employeeCode, name: `${employeeCode} Rao`, jobTitle: "Staff", tillRole });
    await owner.ask("PUT", `/employees/${hired.id}/pin`, { pin });
    people[employeeCode] = hired.id;
  }
  const station = (await all.manager.get("/kitchen/stations")).find((/** @type {any} */ one) => one.name === "Hot kitchen");
  const { data: pair } = await call(all.box.url, "POST", "/devices/pair", { body: { kind: "KITCHEN", name: "At the stove" } });
  await all.manager.ask("POST", "/devices/approve", { userCode: pair.userCode, stationId: station.id });
  const { page, context, complaints } = await open(all.chromium, { size: SIZES.desk });
  await page.goto(`${all.box.url}/kitchen?lang=en`);
  await until("the tokens", () => page.evaluate(async (deviceCode) => (await fetch("/api/v1/devices/token", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ deviceCode, cookie: true }) })).ok, pair.deviceCode));
  await page.reload();
  await page.locator(".cells").waitFor();
  /** @type {string[]} */
  const turns = [];
  page.on("response", (answer) => { if (answer.url().endsWith("/auth/pin")) turns.push(`${answer.request().method()} ${answer.status()}`); });
  // The display stands where it was, whoever has a turn at it.
  await page.locator(".cells").evaluate((cells) => { /** @type {any} */ (window).cells = cells; });

  await page.getByRole("button", { name: "Make ahead" }).click();
  await dialog(page).getByRole("heading", { name: "Who makes it?" }).waitFor();
  await examine(page, "kitchen-who", { nights: [true] });
  await page.keyboard.type("518294");
  await dialog(page).getByText("This person has no role at this device.").waitFor();
  const before = (await preparation("Dosa and idli batter")).preparedQuantity;
  await page.keyboard.type("739182");
  await dialog(page).getByRole("button", { name: /^Dosa and idli batter/ }).click();
  await dialog(page).getByRole("button", { name: "It is made" }).click();
  await dialog(page).locator(".label").waitFor();
  assert.deepEqual(turns, ["POST 403", "POST 200", "DELETE 200"], "the turn has ended before the label is read");
  await dialog(page).getByRole("button", { name: "Done" }).click();
  const batter = await preparation("Dosa and idli batter");
  assert.equal(batter.preparedQuantity, before + 10);
  const [moved] = await all.manager.get(`/inventory/items/${batter.inventoryItemId}/movements?limit=1`);
  assert.equal(moved.actorId, people.COOK, "the cook made it, not the display");

  // Left in the middle, it ends too; the next one is asked again.
  await page.getByRole("button", { name: "Make ahead" }).click();
  await dialog(page).locator(".pin").waitFor();
  await page.keyboard.type("739182");
  await dialog(page).locator(".choices button").first().waitFor();
  await page.keyboard.press("Escape");
  await until("the turn has ended", async () => turns.length === 5);
  assert.deepEqual(turns.slice(3), ["POST 200", "DELETE 200"]);
  await page.getByRole("button", { name: "Make ahead" }).click();
  await dialog(page).locator(".pin").waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  assert.ok(await page.evaluate(() => /** @type {any} */ (window).cells.isConnected));
  assert.deepEqual(complaints, []);
  await context.close();
});

test("making ahead has room in every language", async () => {
  for (const [lang, name] of [["hi", "पहले से बनाएँ"], ["ta", "முன்தயாரிப்பு"], ["qps", /^\[Mákë áhëád/]]) {
    const { page, context } = await display({ size: SIZES.phone }, /** @type {string} */ (lang));
    await page.getByRole("button", { name }).click();
    await dialog(page).locator(".choices button").first().waitFor();
    await examine(page, `kitchen-ahead-${lang}`, { sizes: ["phone", "desk"], nights: [true] });
    await dialog(page).locator(".choices button").first().click();
    await dialog(page).locator("form").waitFor();
    await examine(page, `kitchen-make-${lang}`, { sizes: ["phone", "desk"], nights: [true] });
    await context.close();
  }
});

test("the shelf of what is made here has the way to make it, and each batch the way to what it was made of and into", async () => {
  const { page, context, complaints } = await open(all.chromium, { size: SIZES.desk, touch: false });
  // It has a shelf from its first batch on.
  await all.manager.post(`/inventory/preparations/${(await preparation("Dosa and idli batter")).id}/produce`, { quantity: 1 });
  const batter = await preparation("Dosa and idli batter");
  await page.goto(`${all.box.url}/manage?lang=en#stock/items/${batter.inventoryItemId}`);
  await signIn(page, "Storekeeper");
  await page.getByRole("button", { name: "Make a batch" }).click();
  await dialog(page).getByRole("button", { name: "It is made" }).click();
  await dialog(page).locator(".code").waitFor();
  const number = await dialog(page).locator(".code").innerText();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: `Trace: ${number}` }).click();
  await page.getByRole("heading", { name: `Batch ${number}` }).waitFor();
  const made = page.getByRole("table", { name: "Made of" });
  const rice = made.getByRole("row").filter({ hasText: "Idli rice" });
  await rice.waitFor();
  await examine(page, "manage-trace-made", looks);
  const ingredient = await rice.getByRole("link").nth(1).innerText();
  await rice.getByRole("link", { name: ingredient }).click();
  await page.getByRole("heading", { name: `Batch ${ingredient}` }).waitFor();
  const into = page.getByRole("table", { name: "What was made of it" });
  await into.getByRole("row").filter({ hasText: number }).waitFor();
  await examine(page, "manage-trace-into", looks);
  await into.getByRole("link", { name: number }).click();
  await page.getByRole("heading", { name: `Batch ${number}` }).waitFor();
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await page.getByText("made here ahead").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});
