// A dish's picture in a real browser: from a manager's disk to a guest's phone. What is kept is looked at in the branch, never on the page alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, examine, open, signIn, SIZES, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [box, chromium] = await Promise.all([branch(["--limit-qr-menu", "off"]), browser()]); });
after(async () => { await chromium?.close(); await box?.end(); });

/** What a camera would take, as a file. @param {import("playwright-core").Page} page @param {number} width @param {number} height */
async function photo(page, width, height) {
  const bytes = await page.evaluate(async ([across, down]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: across, height: down });
    const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    for (let row = 0; row < 16; row += 1) { brush.fillStyle = `hsl(${20 + row * 4} 80% 45%)`; brush.fillRect(0, (down / 16) * row, across, down / 16); }
    const made = /** @type {Blob} */ (await new Promise((resolve) => canvas.toBlob(resolve, "image/png")));
    return [...new Uint8Array(await made.arrayBuffer())];
  }, [width, height]);
  return { name: "IMG_0001.png", mimeType: "image/png", buffer: Buffer.from(bytes) };
}

/** @param {import("playwright-core").Locator} image */
const drawn = (image) => until("the picture is drawn", () => image.evaluate((/** @type {any} */ one) => one.complete && one.naturalWidth > 0));

test("a photo is chosen for a dish, seen by guests in the list and alone, and taken away", async () => {
  const desk = await open(chromium, { size: SIZES.desk, touch: false });
  await desk.page.goto(`${box.url}/manage?lang=en#menu`);
  await signIn(desk.page, "Manager");
  const manager = await box.as("manager");
  const chapters = (await manager.get("/menu")).categories;
  const dish = chapters[0].items[0];
  await desk.page.getByRole("button", { name: `Picture: ${dish.name}` }).click();
  const form = desk.page.locator("dialog[open]");
  await form.getByText("No picture yet").waitFor();
  await form.getByLabel("Choose a picture").setInputFiles(await photo(desk.page, 3_000, 2_000));
  await drawn(form.locator("img"));
  await examine(desk.page, "manage-picture");
  const [table] = await manager.get("/tables?limit=100");
  const shown = (await manager.get(`/menu/items/${dish.id}`)).imageUrl;
  const kept = await fetch(`${box.url}${shown}`);
  assert.equal(kept.headers.get("content-type"), "image/jpeg");

  const phone = await open(chromium, { size: SIZES.phone });
  await phone.page.goto(`${box.url}/t/${table.qrToken}`);
  const row = phone.page.locator(".dish").filter({ hasText: dish.name }).first();
  await drawn(row.locator("img"));
  assert.equal(await row.locator("img").evaluate((/** @type {any} */ one) => one.naturalWidth), 320);
  await examine(phone.page, "guest-pictures");
  await row.click();
  await drawn(phone.page.locator(".one img"));
  assert.equal(await phone.page.locator(".one img").evaluate((/** @type {any} */ one) => one.naturalWidth), 1_200);
  await examine(phone.page, "guest-dish-picture");
  assert.deepEqual(phone.complaints, []);

  // What is no picture is refused, and the one before stays.
  await form.getByLabel("Choose a picture").setInputFiles({ name: "menu.png", mimeType: "image/png", buffer: Buffer.from("%PDF-1.7") });
  await form.locator(".wrong", { hasText: /\S/ }).waitFor();
  assert.equal((await manager.get(`/menu/items/${dish.id}`)).imageUrl, shown);
  await form.getByRole("button", { name: "Take the picture away" }).click();
  await form.getByText("No picture yet").waitFor();
  assert.equal((await manager.get(`/menu/items/${dish.id}`)).imageUrl ?? null, null);
  assert.equal((await fetch(`${box.url}${shown}`)).status, 404);
  await phone.context.close();
  await desk.context.close();
});
