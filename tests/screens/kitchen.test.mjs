// The kitchen's display in a browser: what a waiter sends is drawn, acknowledged, bumped, undone, recalled, cancelled, and told once, also
// when the box was away meanwhile. Never waits for a time alone.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { branch, browser, examine, open, signIn, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let manager;
/** @type {any[]} */
let dishes, tables, stations;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "1000/900"]), browser()]);
  manager = await box.as("manager");
  const menu = await manager.get("/menu");
  [tables, stations] = [await manager.get("/tables?limit=100"), await manager.get("/kitchen/stations")];
  dishes = menu.categories.flatMap((/** @type {any} */ each) => each.items);
});
after(async () => { await chromium?.close(); await box?.end(); });

const station = (/** @type {string} */ name) => stations.find((each) => each.name === name);
/** Dishes of one course at a station. @param {string} name */
const of = (name) => { const here = dishes.filter((dish) => dish.stationId === station(name).id && dish.course === 2); return here; };
/** @param {any} dish */
const line = (dish, quantity = 1, more = {}) => ({ menuItemId: dish.id, quantity, unitPriceCents: dish.priceCents, ...more });
let turn = 0;
/** An order at a table of its own. @param {any[]} items */
async function order(items, more = {}) {
  const table = tables[(turn += 1) % tables.length];
  const made = await manager.post("/orders", { orderType: "DINE_IN", tableId: table.id, guestCount: 2, items, ...more });
  return { ...made, table };
}
const ticketsOf = async (/** @type {string} */ orderId) => (await manager.get(`/kitchen/tickets?orderId=${orderId}`)).filter((/** @type {any} */ one) => one.type === "NEW" || one.type === "ADDITION");

/** A display at `name`. @param {string} name @param {any} [look] */
async function display(name, look) {
  const opened = await open(chromium, look);
  await opened.page.goto(`${box.url}/kitchen`);
  await signIn(opened.page, "Kitchen");
  await opened.page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await opened.page.locator(name === "Expo" ? ".pass" : ".cells").waitFor();
  const card = (/** @type {string} */ key) => opened.page.locator(`.ticket[data-key^="${key}"]`);
  return { ...opened, card, head: (/** @type {string} */ key) => card(key).locator(".head") };
}
// Everything that is left is served, so that the next test begins with an empty kitchen.
afterEach(async () => {
  for (const one of await manager.get("/kitchen/tickets?limit=100")) {
    await manager.ask("POST", `/kitchen/tickets/${one.id}/${["NEW", "ADDITION"].includes(one.type) ? "serve" : "ack"}`).catch(() => {});
  }
});

test("what a waiter sends is drawn, and acknowledged because it was drawn", async () => {
  const { card, complaints, context } = await display("Hot kitchen");
  const made = await order([line(of("Hot kitchen")[0], 2, { notes: "No mustard" })]);
  await card(made.id).waitFor();
  assert.match(await card(made.id).innerText(), /No mustard/);
  assert.ok(await card(made.id).locator("mark").isVisible());
  assert.match(await card(made.id).innerText(), new RegExp(`T${made.table.number}`));
  await until("it is acknowledged", async () => (await ticketsOf(made.id))[0].ackedAt);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a hidden page acknowledges nothing until it is looked at", async () => {
  const { page, card, context } = await display("Hot kitchen");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => /** @type {any} */ (window).seenNow ?? "hidden" });
  });
  const acks = [];
  page.on("request", (request) => { if (request.url().endsWith("/ack")) acks.push(request.url()); });
  const made = await order([line(of("Hot kitchen")[0])]);
  await card(made.id).waitFor();
  // Another ticket has been drawn and heard of meanwhile: there was time enough to acknowledge the first.
  const second = await order([line(of("Hot kitchen")[0])]);
  await card(second.id).waitFor();
  assert.deepEqual(acks, []);
  assert.equal((await ticketsOf(made.id))[0].ackedAt, null);
  await page.evaluate(() => { /** @type {any} */ (window).seenNow = "visible"; document.dispatchEvent(new Event("visibilitychange")); });
  await until("it is acknowledged", async () => (await ticketsOf(made.id))[0].ackedAt);
  await context.close();
});

test("an answer that was overtaken brings nothing back: what has gone out stays out", async () => {
  const { page, card, context } = await display("Hot kitchen");
  /** @type {(value?: any) => void} */
  let release = () => {};
  const held = new Promise((resolve) => { release = resolve; });
  let answered = 0;
  await context.route("**/ack", async (route) => {
    const answer = await route.fetch();
    await held;
    await route.fulfill({ response: answer });
    answered += 1;
  });
  const made = await order([line(of("Hot kitchen")[0])]);
  await card(made.id).waitFor();
  const [ticket] = await until("it is acknowledged", async () => { const all = await ticketsOf(made.id); return all[0].ackedAt ? all : null; });
  await manager.ask("POST", `/kitchen/tickets/${ticket.id}/serve`);
  await card(made.id).waitFor({ state: "detached" });
  release();
  await until("the old answer is there", async () => answered > 0);
  // What came after it has been drawn.
  const next = await order([line(of("Hot kitchen")[1])]);
  await card(next.id).waitFor();
  assert.equal(await card(made.id).count(), 0);
  assert.equal(await page.locator(".ticket").count(), 1);
  // Who closes while an answer is still on its way has it fail.
  await context.unrouteAll({ behavior: "wait" });
  await context.close();
});

test("bump 1 touch, undo 1, recall 2; the rest keeps its place", async () => {
  const { page, card, head, context } = await display("Hot kitchen");
  const [one, two] = [await order([line(of("Hot kitchen")[0])]), await order([line(of("Hot kitchen")[1])])];
  await card(two.id).waitFor();
  const place = await card(two.id).boundingBox();
  assert.equal(await taps(page, () => head(one.id).click()), 1);
  await card(one.id).waitFor({ state: "detached" });
  await until("it is ready", async () => (await ticketsOf(one.id))[0].status === "READY");
  assert.equal(await taps(page, () => page.getByRole("button", { name: /^Undo T/ }).click()), 1);
  await card(one.id).waitFor();
  await until("it is cooked again", async () => (await ticketsOf(one.id))[0].status === "IN_PREPARATION");
  assert.deepEqual(await card(two.id).boundingBox(), place);
  await head(one.id).click();
  await until("it is ready", async () => (await ticketsOf(one.id))[0].status === "READY");
  const touched = await taps(page, async () => {
    await page.getByRole("button", { name: "Recall", exact: true }).click();
    await page.locator(".recalls button").first().click();
  });
  assert.equal(touched, 2);
  await card(one.id).waitFor();
  await until("it is cooked again", async () => (await ticketsOf(one.id))[0].recalledCount === 2);
  await context.close();
});

test("by keys alone: a number bumps, Backspace undoes, arrows and Enter start and finish a dish, R recalls, A sums up", async () => {
  const { page, card, complaints, context } = await display("Hot kitchen", { touch: false });
  const [a, b] = of("Hot kitchen");
  const made = await order([line(a), line(b)]);
  await card(made.id).waitFor();
  const state = async () => (await ticketsOf(made.id))[0];
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until("one dish is begun", async () => (await state()).items.filter((/** @type {any} */ item) => item.status === "IN_PREPARATION").length === 1);
  await page.keyboard.press("Enter");
  await until("one dish is ready", async () => (await state()).items.filter((/** @type {any} */ item) => item.status === "READY").length === 1);
  await page.keyboard.press("a");
  await page.locator("dialog table").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("1");
  await until("all of it is ready", async () => (await state()).status === "READY");
  await page.keyboard.press("Backspace");
  await until("it is cooked again", async () => (await state()).status === "IN_PREPARATION");
  await card(made.id).waitFor();
  await page.keyboard.press("1");
  await until("all of it is ready", async () => (await state()).status === "READY");
  await page.keyboard.press("r");
  await page.locator(".recalls button").first().waitFor();
  const recalls = () => page.evaluate(() => document.activeElement?.matches(".recalls button") ?? false);
  for (let n = 0; n < 20 && !(await recalls()); n += 1) await page.keyboard.press("Tab");
  assert.ok(await recalls(), "what was finished is reached by Tab");
  await page.keyboard.press("Enter");
  await until("it is cooked again", async () => (await state()).status === "IN_PREPARATION");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a bump bar is learned by pressing, and known after a reload", async () => {
  const { page, card, context } = await display("Hot kitchen");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Keys and bump bar" }).click();
  await page.getByRole("button", { name: /^Place 1/ }).click();
  await page.keyboard.press("q");
  await page.getByRole("button", { name: /^Place 1 ?Q/ }).waitFor();
  await examine(page, "kitchen-keys", { nights: [true] });
  await page.reload();
  await page.locator(".cells").waitFor();
  const made = await order([line(of("Hot kitchen")[0])]);
  await card(made.id).waitFor();
  await page.keyboard.press("q");
  await card(made.id).waitFor({ state: "detached" });
  await until("it is ready", async () => (await ticketsOf(made.id))[0].status === "READY");
  await context.close();
});

test("one dish is one touch; the last bumps the ticket", async () => {
  const { page, card, context } = await display("Hot kitchen");
  const [a, b] = of("Hot kitchen");
  const made = await order([line(a), line(b)]);
  await card(made.id).locator(".dish").nth(1).waitFor();
  await card(made.id).locator(".dish").nth(0).click();
  await card(made.id).locator('.dish[aria-pressed="true"]').waitFor();
  await until("one is ready", async () => (await ticketsOf(made.id))[0].items.filter((/** @type {any} */ item) => item.status === "READY").length === 1);
  await card(made.id).locator(".dish").nth(1).click();
  await card(made.id).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Undo T/ }).waitFor();
  await context.close();
});

test("an addition stands on the same card under its time; a cancellation while it cooks stays until it is touched, over a reload too", async () => {
  const { page, card, head, context } = await display("Hot kitchen");
  const [a, b] = of("Hot kitchen");
  const made = await order([line(a, 2), line(b)]);
  await card(made.id).waitFor();
  await manager.post(`/orders/${made.id}/items`, { items: [line(b, 3)] });
  await card(made.id).locator(".line").waitFor();
  assert.match(await card(made.id).locator(".line").innerText(), /^Added \d\d:\d\d$/);
  assert.equal(await page.locator(".ticket").count(), 1);
  await card(made.id).getByRole("button", { name: "Start" }).click();
  await until("it cooks", async () => (await ticketsOf(made.id)).every((/** @type {any} */ one) => one.status === "IN_PREPARATION"));
  const detail = await manager.ask("GET", `/orders/${made.id}`);
  await manager.post(`/orders/${made.id}/items/${(detail.data ?? detail).items[0].id}/void`, { quantity: 2, reason: "Guest changed their mind", wasMade: false });
  await card(made.id).locator(".band.CANCELLATION").waitFor();
  await examine(page, "kitchen-cancelled", { nights: [true] });
  await page.reload();
  await card(made.id).locator(".band.CANCELLATION").waitFor();
  // The first touch says that it was seen, and finishes nothing.
  await head(made.id).click();
  await card(made.id).locator(".band").waitFor({ state: "detached" });
  assert.ok((await ticketsOf(made.id)).every((/** @type {any} */ one) => one.status === "IN_PREPARATION"));
  // All of another order is called off, which nobody has begun: that stays, too, until somebody has seen it.
  const gone = await order([line(a)]);
  await card(gone.id).waitFor();
  await until("it is acknowledged", async () => (await ticketsOf(gone.id))[0].ackedAt);
  await manager.ask("PATCH", `/orders/${gone.id}/status`, { status: "CANCELLED", reason: "Guest left" });
  await page.locator(".ticket.slip").first().waitFor();
  // A touch just after something moved counts for nothing: a cook touches again.
  await until("all of it was seen", async () => {
    const slip = page.locator(".ticket.slip").first();
    if ((await slip.count()) === 0) return true;
    await slip.locator(".head").click({ timeout: 1_000 });
    return false;
  });
  await context.close();
});

test("the box is gone: tickets stay, bumps wait with a mark, and are told once when it is back", async () => {
  const { page, card, head, context } = await display("Hot kitchen");
  const [a, b] = of("Hot kitchen");
  const made = [await order([line(a)]), await order([line(b)]), await order([line(a), line(b)])];
  for (const one of made) await card(one.id).waitFor();
  await until("they are acknowledged", async () => (await Promise.all(made.map((one) => ticketsOf(one.id)))).flat().every((one) => one.ackedAt));
  await box.down();
  await page.locator(".display.away").waitFor();
  await head(made[0].id).click();
  await card(made[0].id).waitFor({ state: "detached" });
  await card(made[2].id).locator(".dish").first().click();
  await card(made[2].id).locator(".dish.waits").waitFor();
  await page.locator(".unsent").waitFor();
  assert.match(await page.locator(".unsent").innerText(), new RegExp(`2 bumps.*T${made[0].table.number}`, "s"));
  assert.ok(await card(made[1].id).isVisible());
  await examine(page, "kitchen-away", { nights: [true] });
  const sent = [];
  page.on("response", (response) => { if (/\/ready$/.test(response.url())) sent.push(response.status()); });
  await box.up();
  manager = await box.as("manager");
  await page.locator(".display:not(.away)").waitFor();
  await until("the bump arrived", async () => (await ticketsOf(made[0].id))[0].status === "READY");
  await until("the dish arrived", async () => (await ticketsOf(made[2].id))[0].items.some((/** @type {any} */ item) => item.status === "READY"));
  await page.locator(".unsent").waitFor({ state: "detached" });
  assert.deepEqual(sent.filter((status) => status === 200), [200, 200]);
  await context.close();
});

test("a bump that is minutes old asks before it goes: nobody wants to be told late that a dish is ready", async () => {
  const { page, card, head, context } = await display("Hot kitchen");
  const made = await order([line(of("Hot kitchen")[0])]);
  await card(made.id).waitFor();
  await context.route("**/ready", (route) => route.abort().catch(() => {}));
  await head(made.id).click();
  await card(made.id).waitFor({ state: "detached" });
  // As if it had waited for four minutes.
  await page.evaluate(() => new Promise((resolve, reject) => {
    const opened = indexedDB.open("tiffin");
    opened.onsuccess = () => {
      const store = opened.result.transaction("outbox", "readwrite").objectStore("outbox"), all = store.getAll();
      all.onsuccess = () => { for (const entry of all.result) store.put({ ...entry, madeAt: entry.madeAt - 240_000 }); };
      store.transaction.oncomplete = resolve;
      store.transaction.onerror = reject;
    };
  }));
  await page.reload();
  await page.getByText("1 bump could not be sent for minutes:").waitFor();
  await examine(page, "kitchen-old", { nights: [true] });
  assert.equal((await ticketsOf(made.id))[0].status, "QUEUED");
  await context.unroute("**/ready");
  await page.getByRole("button", { name: "Send now" }).click();
  await until("it is ready", async () => (await ticketsOf(made.id))[0].status === "READY");
  await page.getByText("could not be sent for minutes").waitFor({ state: "detached" });
  await context.close();
});

test("every state stands by itself under the eyes of axe, at three sizes", async () => {
  const { page, complaints, context } = await display("Hot kitchen");
  await examine(page, "kitchen-empty", { nights: [true] });
  const hot = of("Hot kitchen");
  for (let at = 0; at < 12; at += 1) await order(hot.slice(at % 4, (at % 4) + 1 + (at % 6)).map((dish, n) => line(dish, 1 + n, n === 1 ? { notes: "No onion, no garlic, very mild" } : {})));
  await page.locator(".elsewhere").waitFor();
  await examine(page, "kitchen-full", { nights: [true] });
  await page.locator(".ticket .more").first().click();
  await page.locator("dialog .whole li").first().waitFor();
  await examine(page, "kitchen-ticket", { nights: [true] });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "1.5 m" }).click();
  await examine(page, "kitchen-settings", { nights: [true] });
  await page.keyboard.press("Escape");
  await examine(page, "kitchen-far", { nights: [true] });
  await page.keyboard.press("a");
  await page.locator("dialog table").waitFor();
  await examine(page, "kitchen-all-day", { nights: [true] });
  await page.keyboard.press("Escape");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("nothing is cut in Hindi, in Tamil, or from right to left", async () => {
  const hot = of("Hot kitchen");
  for (let at = 0; at < 7; at += 1) await order(hot.slice(at % 4, (at % 4) + 1 + (at % 6)).map((dish, n) => line(dish, 1 + n)));
  for (const language of ["hi", "ta", "qps"]) {
    const { page, context } = await open(chromium);
    await page.goto(`${box.url}/kitchen?lang=${language}`);
    await page.locator(".sample button").first().click();
    await page.locator(".sample").waitFor({ state: "detached" });
    await page.locator(".choices button").first().click();
    await page.locator(".ticket").first().waitFor();
    await examine(page, `kitchen-full-${language}`, { nights: [true] });
    await page.locator(".bar button").last().click();
    await page.locator("dialog fieldset").first().waitFor();
    await examine(page, `kitchen-settings-${language}`, { nights: [true] });
    await context.close();
  }
});

test("rush, a copy and a dish sold out, from one ticket", async () => {
  const { page, card, context } = await display("Hot kitchen");
  const dish = of("Hot kitchen")[3];
  const made = await order([line(dish)]);
  await card(made.id).locator(".more").click();
  await page.getByRole("button", { name: "Rush this" }).click();
  await page.locator(".ticket.rush").waitFor();
  await until("it is before the others", async () => (await ticketsOf(made.id))[0].priority > 0);
  await card(made.id).locator(".more").click();
  await page.getByRole("button", { name: "Print a copy" }).click();
  await page.locator(".ticket.slip").waitFor();
  await page.locator(".ticket.slip").getByRole("button", { name: "Seen", exact: true }).click();
  await page.locator(".ticket.slip").waitFor({ state: "detached" });
  await card(made.id).locator(".more").click();
  await page.getByRole("button", { name: /^Sold out/ }).click();
  await page.getByRole("button", { name: "Sold out", exact: true }).click();
  await until("nobody can order it", async () => (await manager.get(`/menu/items/${dish.id}`)).availability.status === "OUT_OF_STOCK");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Sold-out dishes" }).click();
  await page.getByRole("button", { name: "Bring back" }).click();
  await until("it can be ordered again", async () => (await manager.get(`/menu/items/${dish.id}`)).availability.status !== "OUT_OF_STOCK");
  await context.close();
});

test("a browser that plays nothing says so across the page until it is touched", async () => {
  const { page, context } = await open(chromium);
  await context.addInitScript(() => {
    let isAllowed = false;
    addEventListener("pointerdown", () => { isAllowed = true; }, true);
    const resume = AudioContext.prototype.resume;
    Object.defineProperty(AudioContext.prototype, "state", { get() { return isAllowed ? "running" : "suspended"; } });
    AudioContext.prototype.resume = function () { return isAllowed ? resume.call(this) : Promise.resolve(); };
  });
  await page.goto(`${box.url}/kitchen`);
  await page.getByRole("button", { name: "Kitchen", exact: true }).press("Enter");
  await page.getByRole("button", { name: /^Hot kitchen/ }).press("Enter");
  const bar = page.getByRole("button", { name: "Sound is off: touch" });
  await bar.waitFor();
  await examine(page, "kitchen-mute", { nights: [true] });
  await bar.click();
  await bar.waitFor({ state: "detached" });
  await context.close();
});

test("the pass: a lamp per station, and Serve once it is ready; one touch brings it back", async () => {
  const { page, complaints, context } = await display("Expo");
  const made = await order([line(of("Hot kitchen")[0]), line(of("Tandoor")[0])]);
  const row = page.locator(`.order[data-key="${made.id}"]`);
  await row.locator(".light").nth(1).waitFor();
  const serve = row.getByRole("button", { name: /^Serve/ });
  assert.ok(await serve.isDisabled());
  for (const one of await ticketsOf(made.id)) await manager.ask("POST", `/kitchen/tickets/${one.id}/ready`);
  await page.locator(".order.ready").waitFor();
  await examine(page, "pass", { nights: [true] });
  assert.equal(await taps(page, () => serve.click()), 1);
  await row.waitFor({ state: "detached" });
  await until("it is served", async () => (await ticketsOf(made.id)).every((/** @type {any} */ one) => one.status === "SERVED"));
  await page.getByRole("button", { name: /^Undo T/ }).click();
  await row.waitFor();
  await until("it is ready again", async () => (await ticketsOf(made.id)).every((/** @type {any} */ one) => one.status === "READY"));
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the guests' board tells numbers and nothing else", async () => {
  const { page, complaints, context } = await open(chromium);
  await page.goto(`${box.url}/kitchen?board`);
  await signIn(page, "Kitchen");
  const made = await manager.post("/orders", { orderType: "TAKEAWAY", customerName: "Priya", items: [line(of("Hot kitchen")[0])] });
  await page.locator(".cooking li", { hasText: String(made.tokenNumber) }).waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /Priya|BLR1/);
  for (const one of await ticketsOf(made.id)) await manager.ask("POST", `/kitchen/tickets/${one.id}/ready`);
  await page.locator(".ready li", { hasText: String(made.tokenNumber) }).waitFor();
  await examine(page, "board", { nights: [true] });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a paired display knows its station, and a paired board is one; from the code to the screen", async () => {
  for (const [kind, stationId, shown, link] of [["KITCHEN", station("Tandoor").id, ".display", "/kitchen"], ["BOARD", null, ".guests", "/kitchen?board"]]) {
    const { page, complaints, context } = await open(chromium);
    await page.goto(`${box.url}/kitchen${kind === "BOARD" ? "?board" : ""}`);
    await page.getByRole("link", { name: "Pair this screen" }).click();
    assert.equal(await page.locator("#kind").inputValue(), kind);
    await page.getByLabel("Name").fill("At the wall");
    await page.getByRole("button", { name: "Show the code" }).click();
    const userCode = await page.locator("code").innerText();
    await manager.post("/devices/approve", { userCode, ...(stationId ? { stationId } : {}) });
    await page.getByRole("link", { name: "ask now" }).click();
    await page.getByRole("button", { name: "Open" }).click();
    const go = page.getByRole("link", { name: /^Go on/ });
    assert.equal(await go.getAttribute("href"), link);
    await go.click();
    await page.locator(String(shown)).waitFor();
    if (kind === "KITCHEN") {
      await page.getByRole("heading", { name: "Tandoor" }).waitFor();
      const made = await order([line(of("Tandoor")[0])]);
      await page.locator(`.ticket[data-key^="${made.id}"]`).waitFor();
      await until("it is acknowledged", async () => (await ticketsOf(made.id)).some((/** @type {any} */ one) => one.ackedAt));
      // A manager puts it at another station while it runs.
      const device = (await manager.get("/devices")).find((/** @type {any} */ one) => one.kind === "KITCHEN");
      await manager.ask("PATCH", `/devices/${device.id}`, { stationId: station("Hot kitchen").id });
      await page.getByRole("heading", { name: "Hot kitchen" }).waitFor();
      const there = await order([line(of("Hot kitchen")[0])]);
      await page.locator(`.ticket[data-key^="${there.id}"]`).waitFor();
      assert.equal(await page.locator(`.ticket[data-key^="${made.id}"]`).count(), 0);
      // The station is the manager's choice: it cannot be left here.
      await page.getByRole("button", { name: "Settings" }).click();
      assert.equal(await page.getByRole("button", { name: "Another station" }).count(), 0);
    }
    assert.deepEqual(complaints, []);
    await context.close();
  }
});
