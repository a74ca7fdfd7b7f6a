// How fast screens are there, and stay: first views on a slow tablet, the way from one screen's tap to another's picture on a busy box, and a
// kitchen display and a till over a whole shift. Figures wander with the machine: read them beside each other. Never a test.
//
//     TIFFIN_PROGRAMS=target/shipped node tests/benches/screens.mjs [views] [way] [shift]
//
// TIFFIN_SCALE=0.05 does a twentieth of `way` and `shift`: to see that they run to their end, not for figures.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { branch, browser, open, signIn, until } from "../screens/harness.mjs";

const ROOT = new URL("../../", import.meta.url).pathname;
const wanted = process.argv.slice(2);
const scale = Number(process.env.TIFFIN_SCALE ?? 1);
/** So many, at this scale; one at least. @param {number} many */
const scaled = (many) => Math.max(1, Math.round(many * scale));
const wants = (/** @type {string} */ name) => wanted.length === 0 || wanted.includes(name);

/** @param {number[]} values @param {number} part */
const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** A dish that needs no choice of each station, as the lines of an order; the hot kitchen's first. @param {any} client */
async function lines(client) {
  const { categories } = await client.get("/menu");
  const stations = await client.get("/kitchen/stations");
  const hot = stations.find((/** @type {any} */ each) => each.name === "Hot kitchen").id;
  const dishes = categories.flatMap((/** @type {any} */ each) => each.items).filter((/** @type {any} */ each) => each.isAvailable && each.modifierGroups.every((/** @type {any} */ group) => group.minSelections === 0));
  const first = new Map(dishes.map((/** @type {any} */ each) => [each.stationId, each]));
  return [...first.entries()].sort(([one], [other]) => Number(other === hot) - Number(one === hot)).map(([, each]) => ({ menuItemId: each.id, quantity: 1, unitPriceCents: each.priceCents }));
}

const FREELY = ["--limit-general", "off", "--limit-login", "off"];
const [box, chromium] = await Promise.all([branch(FREELY), browser()]);
const waiter = await box.as("owner");
await waiter.ask("PATCH", `/outlets/${waiter.user.outlets[0].id}`, { autoAvailability: false });
const all = await lines(waiter), [dish, elsewhere] = all;

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

/** A display of the hot kitchen, or of the whole house. @param {boolean} [whole] */
async function display(whole = false) {
  const opened = await open(chromium, { night: true });
  await opened.page.goto(`${box.url}/kitchen`);
  await signIn(opened.page, "Kitchen");
  const station = opened.page.getByRole("button", { name: whole ? /^All stations/ : /Hot kitchen/ });
  await station.waitFor();
  await station.click();
  return opened;
}

/** From `POST /orders` to the ticket's picture on a display, with eight tills that order 160 times a second: what they order is cooked at another station. */
async function way() {
  const { page, context } = await display();
  let goes = true;
  const load = Array.from({ length: 8 }, async () => { while (goes) { await waiter.post("/orders", { orderType: "COUNTER", items: [elsewhere] }).catch(() => {}); await new Promise((after) => setTimeout(after, 50)); } });
  const times = [];
  for (let n = 0; n < scaled(60); n += 1) {
    const began = performance.now();
    const made = await waiter.post("/orders", { orderType: "COUNTER", items: [dish] }).catch(() => null);
    if (!made) continue;
    await page.waitForFunction((key) => document.querySelector(`.ticket[data-key^="${key}"]`) !== null, made.id, { polling: "raf" });
    times.push(performance.now() - began);
    for (const ticket of await waiter.get(`/kitchen/tickets?orderId=${made.id}`)) await waiter.ask("POST", `/kitchen/tickets/${ticket.id}/ready`, {}).catch(() => {});
    // A card that goes leaves its place empty for a moment; with none free the next one stands on another page.
    await page.waitForFunction(() => document.querySelector(".cell") === null);
  }
  goes = false;
  await Promise.all(load);
  console.log(`from POST to picture, ${times.length} orders, ms: p50 ${Math.round(quantile(times, 0.5))}, p99 ${Math.round(quantile(times, 0.99))}`);
  await context.close();
}

/** Eight hours in one tab: 600 orders, some 2,000 tickets, all cooked, served and paid. The heap after each quarter, with the garbage taken away. */
async function shift() {
  const kitchen = await display(true), till = await open(chromium);
  await till.page.goto(`${box.url}/pos`);
  await signIn(till.page, "Manager");
  await till.page.locator("[data-table]").first().waitFor();
  const tabs = await Promise.all([["kitchen", kitchen], ["till", till]].map(async ([name, { page, context }]) => {
    const wire = await context.newCDPSession(page);
    await wire.send("HeapProfiler.enable");
    return { name, page, wire, born: await page.evaluate(() => performance.timeOrigin), heaps: /** @type {string[]} */ ([]) };
  }));
  const each = scaled(150);
  let orders = 0, tickets = 0;
  /** @type {{ id: string, due: number }[]} */
  let unpaid = [];
  /** All that stands is cooked, goes out, and is paid. */
  async function clear() {
    for (;;) {
      const standing = await waiter.get("/kitchen/tickets?status=QUEUED,IN_PREPARATION,READY&limit=100");
      if (standing.length === 0) break;
      for (const ticket of standing) { await waiter.ask("POST", `/kitchen/tickets/${ticket.id}/serve`, {}); tickets += 1; }
    }
    for (const { id, due } of unpaid) {
      await waiter.post(`/orders/${id}/payments`, { method: "UPI", amountCents: due, reference: "B" });
      await waiter.ask("PATCH", `/orders/${id}/status`, { status: "COMPLETED" });
    }
    unpaid = [];
  }
  for (let quarter = 0; quarter < 4; quarter += 1) {
    for (let n = 0; n < each; n += 1) {
      const made = await waiter.post("/orders", { orderType: "COUNTER", items: all });
      unpaid.push({ id: made.id, due: made.dueCents });
      orders += 1;
      if (n % 10 === 9) await clear();
    }
    await clear();
    await until("the display has gone as far as the kitchen", async () => (await kitchen.page.locator("article").count()) === 0);
    await until("the till has no order left", async () => (await till.page.locator(".table .number", { hasText: "#" }).count()) === 0);
    for (const { page, wire, heaps } of tabs) {
      await wire.send("HeapProfiler.collectGarbage");
      const { usedSize } = await wire.send("Runtime.getHeapUsage");
      heaps.push(`${(usedSize / 1e6).toFixed(1)} MB, ${await page.evaluate(() => document.querySelectorAll("*").length)} elements`);
    }
  }
  console.log(`a shift of ${orders} orders and ${tickets} tickets, by quarters`);
  for (const { name, page, born, heaps } of tabs) console.log(`${name.padEnd(10)} ${heaps.join(" | ")}${(await page.evaluate(() => performance.timeOrigin)) === born ? "" : "; it was loaded anew"}`);
  await kitchen.context.close();
  await till.context.close();
}

if (wants("views")) await views();
if (wants("way")) await way();
if (wants("shift")) await shift();
await chromium.close();
await box.end();
