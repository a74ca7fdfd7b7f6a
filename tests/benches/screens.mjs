// How fast screens are there, and stay: first views on a slow tablet, the way from one screen's tap to another's picture on a busy box, and a
// kitchen display over a whole shift. Figures wander with the machine: read them beside each other. Never a test.
//
//     TIFFIN_PROGRAMS=target/shipped node tests/benches/screens.mjs [views] [way] [shift]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { branch, browser, open, signIn, until } from "../screens/harness.mjs";

const ROOT = new URL("../../", import.meta.url).pathname;
const wanted = process.argv.slice(2);
const wants = (/** @type {string} */ name) => wanted.length === 0 || wanted.includes(name);

/** @param {number[]} values @param {number} part */
const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** A dish that needs no choice, as the line of an order. @param {any} client */
async function line(client) {
  const { categories } = await client.get("/menu");
  const dish = categories.flatMap((/** @type {any} */ each) => each.items).find((/** @type {any} */ each) => each.isAvailable && each.modifierGroups.length === 0);
  return { menuItemId: dish.id, quantity: 1, unitPriceCents: dish.priceCents };
}

const [box, chromium] = await Promise.all([branch(), browser()]);
const waiter = await box.as("owner");
await waiter.ask("PATCH", `/outlets/${waiter.user.outlets[0].id}`, { autoAvailability: false });
const dish = await line(waiter);
const order = () => waiter.post("/orders", { orderType: "COUNTER", items: [dish] });

/** What a screen loads, and when it shows something that can be used: CPU four times slower, 20 ms away, 10 Mbit/s. */
async function views() {
  console.log("screen     modules  kB gzip  first view ms (first, second visit)  long tasks ms");
  for (const [screen, path, sign] of [["pos", "/pos", "Waiter"], ["kitchen", "/kitchen", "Kitchen"], ["clock", "/clock", "Manager"], ["manage", "/manage", "Manager"]]) {
    const { context, page } = await open(chromium);
    /** @type {Set<string>} */
    const loaded = new Set();
    page.on("response", (response) => { if (response.url().includes("/a/")) loaded.add(new URL(response.url()).pathname.split("/").slice(3).join("/")); });
    const wire = await context.newCDPSession(page);
    await wire.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await wire.send("Network.enable");
    await wire.send("Network.emulateNetworkConditions", { offline: false, latency: 20, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 });
    await page.addInitScript(() => {
      const seen = /** @type {any} */ (window);
      seen.long = 0;
      new PerformanceObserver((list) => { for (const each of list.getEntries()) seen.long = Math.max(seen.long, each.duration); }).observe({ type: "longtask", buffered: true });
    });
    const times = [];
    for (let visit = 0; visit < 2; visit += 1) {
      const began = performance.now();
      await page.goto(box.url + path);
      await page.getByRole("button", { name: sign, exact: true }).first().waitFor();
      times.push(Math.round(performance.now() - began));
    }
    const bytes = [...loaded].map((name) => gzipSync(readFileSync(join(ROOT, "edge/screens", name))).length).reduce((sum, one) => sum + one, 0);
    const long = Math.round(await page.evaluate(() => /** @type {any} */ (window).long));
    const modules = [...loaded].filter((name) => name.endsWith(".js")).length;
    console.log(`${screen.padEnd(10)} ${String(modules).padStart(7)}  ${(bytes / 1000).toFixed(1).padStart(7)}  ${times.join(", ").padStart(20)}  ${String(long).padStart(29)}`);
    await context.close();
  }
}

/** A display that shows all tickets of the house's first station. */
async function display() {
  const opened = await open(chromium, { night: true });
  await opened.page.goto(`${box.url}/kitchen`);
  await signIn(opened.page, "Kitchen");
  const station = opened.page.getByRole("button", { name: /Hot kitchen/ });
  await station.waitFor();
  await station.click();
  return opened;
}

/** From `POST /orders` to the ticket's picture on a display, with eight tills that never stop. */
async function way() {
  const { page, context } = await display();
  let goes = true;
  const load = Array.from({ length: 8 }, async () => { while (goes) await order().catch(() => {}); });
  const times = [];
  for (let n = 0; n < 60; n += 1) {
    const began = performance.now();
    const made = await waiter.post("/orders", { orderType: "COUNTER", items: [dish] }).catch(() => null);
    if (!made) continue;
    // Its card stands on this page, or it is named among those that wait on the next.
    const mark = String(Number(made.orderNumber.split("-").at(-1)));
    await page.waitForFunction((number) => new RegExp(`#0*${number}\\b`).test(document.body.textContent ?? ""), mark, { polling: "raf" });
    times.push(performance.now() - began);
  }
  goes = false;
  await Promise.all(load);
  console.log(`from POST to picture, ms: p50 ${Math.round(quantile(times, 0.5))}, p99 ${Math.round(quantile(times, 0.99))}`);
  await context.close();
}

/** Eight hours in one tab: 600 orders, some 2,000 tickets, all bumped. The heap after each quarter, with the garbage taken away. */
async function shift() {
  const { page, context } = await display();
  const wire = await context.newCDPSession(page);
  await wire.send("HeapProfiler.enable");
  const heaps = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    for (let n = 0; n < 150; n += 1) {
      await waiter.post("/orders", { orderType: "COUNTER", items: [dish, dish, dish] });
      if (n % 10 === 9) {
        for (const ticket of await waiter.get("/kitchen/tickets?limit=100")) await waiter.ask("POST", `/kitchen/tickets/${ticket.id}/ready`, {}).catch(() => {});
      }
    }
    await until("the display has gone as far as the kitchen", async () => (await page.locator("article").count()) < 12);
    await wire.send("HeapProfiler.collectGarbage");
    const { usedSize } = await wire.send("Runtime.getHeapUsage");
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    heaps.push(`${(usedSize / 1e6).toFixed(1)} MB, ${nodes} elements`);
  }
  console.log(`a shift in one tab, by quarters: ${heaps.join(" | ")}`);
  await context.close();
}

if (wants("views")) await views();
if (wants("way")) await way();
if (wants("shift")) await shift();
await chromium.close();
await box.end();
