// A till whose page is loaded anew while the box is away: the last floor and menu with their time, drafts, and what was sent goes once. Never to
// another person, and nothing after a sign-out. The browser's own host counts as secure, so the page is kept as over TLS (`lan.test.mjs`).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, call, examine, isShelved, lastKept, open, signIn, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [box, chromium] = await Promise.all([branch(["--limit-general", "off", "--limit-login", "off"]), browser()]); });
after(async () => { await chromium?.close(); await box?.end(); });

/** Until the page, its files, and what it shows are kept for whoever `name` is. @param {import("playwright-core").Page} page @param {string} name */
async function isKept(page, name) {
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await page.reload();
  await page.locator("[data-table]").first().waitFor();
  await isShelved(page, "/pos", "/pos/order.js");
  await until("the floor is kept", async () => (await lastKept(page)).some((one) => one.floor.tables.length > 0 && one.menu.length > 0 && one.user && one.who && JSON.stringify(one).includes(name)));
}

test("a reload while the box is away shows the last floor and menu with their time; what is sent then goes once", async () => {
  const { page, context, complaints } = await open(chromium);
  await page.goto(`${box.url}/pos`);
  await signIn(page, "Cashier");
  await page.locator("[data-table]").first().waitFor();
  await isKept(page, "Meera Nair");
  await page.locator('[data-table="3"]').click();
  await page.locator('.order [data-dish="Paneer Tikka"]').click();
  await page.locator('[data-draft="Paneer Tikka"]').waitFor();
  await box.down();
  await page.reload();
  await page.locator('[data-draft="Paneer Tikka"]').waitFor();
  await page.getByText("The box does not answer.").first().waitFor();
  await page.getByRole("button", { name: "Meera Nair", exact: true }).waitFor();
  await page.locator(".strip").getByRole("button", { name: "Starters" }).click();
  await page.locator('.order [data-dish="Chicken 65"]').click();
  await page.locator(".send").click();
  await page.locator(".foot").getByText("Kept here until the box is back").waitFor();
  await page.locator(".back").click();
  await page.getByText(/^The floor as it was at \d\d:\d\d/).waitFor();
  await page.locator('[data-table="12"]').waitFor();
  await examine(page, "pos-last", { sizes: ["phone", "tablet"] });
  await page.reload();
  await page.getByText(/^The floor as it was at \d\d:\d\d/).waitFor();
  await box.up();
  await page.getByText(/^The floor as it was at/).waitFor({ state: "detached" });
  await page.locator(".troubles .bad").waitFor({ state: "detached" });
  const manager = await box.as("manager");
  const found = await until("the order arrives", async () => (await manager.get("/orders?tableNumber=3"))[0]);
  const detail = await manager.ask("GET", `/orders/${found.id}`);
  assert.deepEqual(detail.items.map((/** @type {any} */ line) => [line.name, line.quantity]), [["Paneer Tikka", 1], ["Chicken 65", 1]]);
  assert.equal(detail.server.name, "Meera Nair");
  // Somebody signs the screen out: what it showed is gone with them, also for a reload.
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await until("nothing is kept", async () => (await lastKept(page)).length === 0);
  await box.down();
  await page.reload();
  await page.getByRole("heading", { name: "The box does not answer." }).waitFor();
  assert.equal(await page.locator("[data-table]").count(), 0);
  await box.up();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // Signed out while the box is away is signed out: also when it is back, and the page is loaded anew.
  await signIn(page, "Waiter");
  await page.locator("[data-table]").first().waitFor();
  await box.down();
  await page.getByText("The box does not answer.").first().waitFor();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await box.up();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("at a paired till the tab stays whose it was; the box asks for the PIN again; another tab shows nobody's floor", async () => {
  const manager = await box.as("manager");
  const { data: pair } = await call(box.url, "POST", "/devices/pair", { body: { kind: "POS", name: "Till 1" } });
  await manager.ask("POST", "/devices/approve", { userCode: pair.userCode });
  const { page, context, complaints } = await open(chromium);
  await page.goto(`${box.url}/pos`);
  await until("the tokens", () => page.evaluate(async (deviceCode) => (await fetch("/api/v1/devices/token", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ deviceCode, cookie: true }) })).ok, pair.deviceCode));
  await page.reload();
  await page.locator(".lock .pin").waitFor();
  await isKept(page, "Till 1");
  await page.locator(".lock .pin").waitFor();
  await page.keyboard.type("1004");
  await page.locator("dialog.lock").waitFor({ state: "detached" });
  await until("the floor is kept for the waiter", async () => { const me = await page.evaluate(() => JSON.parse(sessionStorage.getItem("tiffin.tab") ?? "null")?.id); return me && (await lastKept(page)).some((one) => one.who === me); });
  await box.down();
  await page.reload();
  await page.getByRole("button", { name: "Arjun Kumar", exact: true }).waitFor();
  await page.locator('[data-table="5"]').click();
  await page.locator('.order [data-dish="Paneer Tikka"]').click();
  await page.locator(".send").click();
  await page.locator(".foot").getByText("Kept here until the box is back").waitFor();
  // A tab that nobody stood at shows nobody's floor.
  const other = await context.newPage();
  await other.goto(`${box.url}/pos`);
  await other.getByRole("heading", { name: "The box does not answer." }).waitFor();
  assert.equal(await other.locator("[data-table]").count(), 0);
  await other.close();
  await box.up();
  await page.getByRole("heading", { name: "Your time at the till ended" }).waitFor();
  const seer = await box.as("manager");
  assert.deepEqual(await seer.get("/orders?tableNumber=5"), []);
  await page.locator(".lock .pin").waitFor();
  await page.keyboard.type("1004");
  await page.locator("dialog.lock").waitFor({ state: "detached" });
  const found = await until("the order arrives", async () => (await seer.get("/orders?tableNumber=5"))[0]);
  assert.equal((await seer.ask("GET", `/orders/${found.id}`)).server.name, "Arjun Kumar");
  // A manager lets the device in no more: what it showed goes.
  const device = (await seer.get("/devices")).find((/** @type {any} */ one) => one.name === "Till 1");
  await seer.ask("DELETE", `/devices/${device.id}`);
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await until("nothing is kept", async () => (await lastKept(page)).length === 0);
  assert.deepEqual(complaints, []);
  await context.close();
});
