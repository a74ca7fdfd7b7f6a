// Batches made ahead, where a cook stands and where stock is kept, and what is traced of them: in a real browser on a branch as it ships. What
// came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dialog, examine, looks, open, scene, signIn, SIZES, taps } from "./harness.mjs";

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
