// A till that is reloaded, closed, or loses the box at each step of an order: in the end there is one order and one payment, never two, never
// none. Every step with every disturbance; what came of it is read from the branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atView, branch, browser, open, signIn, until } from "./harness.mjs";

/** Many page loads a minute, and those of a page with a route of Playwright keep no file. */
const FREELY = ["--limit-general", "off", "--limit-login", "off"];
/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {import("playwright-core").BrowserContext} */
let context;
/** @type {import("playwright-core").Page} */
let page;
before(async () => {
  [box, chromium] = await Promise.all([branch(FREELY), browser()]);
  manager = await box.as("manager");
  ({ context, page } = await open(chromium));
  await page.goto(`${box.url}/pos`);
  await signIn(page, "Cashier");
  await page.locator("[data-table]").first().waitFor();
});
after(async () => { await chromium?.close(); await box?.end(); });

/** All orders as the branch has them. */
const all = async () => (await manager.ask("GET", "/orders?orderType=TAKEAWAY&limit=1")).pagination.total;

/** The steps of an order at no table; each begins where the one before has ended, also on a page that was loaded anew. @type {[string, () => Promise<unknown>][]} */
const STEPS = [
  ["begin", () => page.getByRole("button", { name: "Takeaway", exact: true }).click()],
  ["dish", async () => { await page.locator(".strip").getByRole("button", { name: "Starters" }).click(); await page.locator('.order [data-dish="Chicken 65"]').click(); }],
  ["choice", async () => { if (!(await page.locator(".dock").isVisible())) await page.locator('[data-draft="Chicken 65"]').click(); await page.locator(".dock").getByRole("button", { name: "Hot", exact: true }).click(); }],
  ["send", () => page.locator(".send").click()],
  ["pay", async () => { await page.locator(".sent .line").first().waitFor(); await page.locator(".pay").click(); await page.locator("dialog .take").waitFor(); }],
  ["take", async () => { if (!(await page.locator("dialog .take").isVisible())) await page.locator(".pay").click(); await page.locator("dialog .take").click(); }],
];

/** What goes wrong while a step is done. @type {Record<string, (step: () => Promise<unknown>) => Promise<void>>} */
const DISTURBANCES = {
  "a reload": async (step) => { await step(); await page.reload(); },
  "a tab that is closed": async (step) => { await step(); const old = page; page = await context.newPage(); await page.goto(`${box.url}/pos`); await old.close(); },
  "a lost answer": async (step) => {
    let lost = false;
    await context.route("**/api/v1/orders{,/*/payments}", async (route) => {
      if (lost || route.request().method() !== "POST") return route.continue();
      lost = true;
      await route.fetch().catch(() => {});
      return route.abort().catch(() => {});
    });
    await step();
  },
  "a lost request, and a reload": async (step) => {
    let lost = false;
    await context.route("**/api/v1/orders{,/*/payments}", async (route) => {
      if (lost || route.request().method() !== "POST") return route.continue();
      lost = true;
      return route.abort().catch(() => {});
    });
    await step();
    await page.reload();
  },
};

for (const [how, disturb] of Object.entries(DISTURBANCES)) {
  for (const [disturbed] of STEPS) {
    test(`${how} at “${disturbed}”`, async () => {
      await page.goto(`${box.url}/pos`);
      await atView(page, { at: "floor" });
      await page.locator("[data-table]").first().waitFor();
      const before = await all();
      for (const [name, step] of STEPS) {
        if (name === disturbed) await disturb(step); else await step();
        await page.locator(".order, [data-table]").first().waitFor();
      }
      await until("the bill is paid", async () => {
        const [order] = await manager.get("/orders?orderType=TAKEAWAY&limit=1");
        return order.dueCents === 0;
      });
      await context.unroute("**/api/v1/orders{,/*/payments}");
      assert.equal(await all(), before + 1, "one order");
      const [order] = await manager.get("/orders?orderType=TAKEAWAY&limit=1");
      const detail = await manager.ask("GET", `/orders/${order.id}`);
      assert.deepEqual([detail.items.map((/** @type {any} */ line) => [line.name, line.quantity, line.modifiers.map((/** @type {any} */ one) => one.name)]), detail.payments.length], [[["Chicken 65", 1, ["Hot"]]], 1]);
      await until("nothing is left to send", async () => (await page.evaluate(() => Object.keys(localStorage).filter((key) => /pos\.(draft|pay)\./.test(key)))).length === 0);
      assert.equal((await manager.ask("GET", `/orders/${order.id}`)).payments.length, 1);
    });
  }
}
