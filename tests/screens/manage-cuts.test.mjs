// Manage while the box goes away: what is half typed stays, what was sent and not answered is one change or none, figures stay with their time;
// and everything by keys and buttons alone, without a drag. What came of it is read by the API.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, dated, dialog, examine, isShelved, open, signIn, SIZES, until, weekAhead } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
/** @type {Awaited<ReturnType<typeof open>>} */
let desk;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "off"]), browser()]);
  owner = await box.as("owner");
  desk = await open(chromium, { size: SIZES.desk, touch: false });
  await desk.page.goto(`${box.url}/manage?lang=en`);
  await signIn(desk.page, "Owner");
  await desk.page.locator(".manage").waitFor();
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @param {string} hash */
async function at(hash) {
  const { page } = desk;
  await page.goto("about:blank");
  await page.goto(`${box.url}/manage?lang=en#${hash}`);
  await page.locator(".manage main h1").first().waitFor();
  return page;
}
const categories = async (/** @type {string} */ q) => (await owner.ask("GET", `/menu/categories?q=${q}`)).data;
/** Starts the box again; clients of before are signed in anew. */
async function back() { await box.up(); owner = await box.as("owner"); }
const away = (/** @type {import("playwright-core").Page} */ page) => page.locator(".troubles").getByText("The box does not answer.").waitFor();

test("the box goes away while a form is half filled: what is typed stays, and is saved once it is back", async () => {
  const page = await at("menu/categories");
  await page.getByRole("button", { name: "Add a category" }).click();
  await dialog(page).locator("[name=name]").fill("Chaat corner");
  await box.down();
  await away(page);
  await dialog(page).locator("[name=description]").fill("Typed while the box was away");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByText(/does not answer/).waitFor();
  assert.equal(await dialog(page).locator("[name=description]").inputValue(), "Typed while the box was away");
  await examine(page, "manage-form-away", { nights: [false, true], sizes: ["phone", "desk"] });
  await back();
  await page.locator(".troubles p").waitFor({ state: "detached" });
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  assert.deepEqual((await categories("Chaat")).map((/** @type {any} */ one) => one.description), ["Typed while the box was away"]);
});

/** Loses the answer of the next request of this kind, after the box has done it or before it hears of it. @param {string} path @param {string} method @param {"after" | "before"} when */
async function lose(path, method, when) {
  const { page } = desk;
  let lost = 0;
  await page.route(path, async (route) => {
    if (route.request().method() !== method || lost > 0) { await route.continue(); return; }
    lost += 1;
    if (when === "after") await route.fetch().catch(() => {});
    await route.abort().catch(() => {});
  });
  return { count: () => lost, end: () => page.unroute(path) };
}

for (const when of /** @type {const} */ (["before", "after"])) {
  test(`a change whose answer is lost ${when} the box has heard of it is one change, and nobody else's`, async () => {
    const page = await at("menu/categories");
    await page.getByRole("button", { name: "Desserts", exact: true }).click();
    const [before] = await categories("Desserts");
    const text = `Sweet, ${when}`;
    await dialog(page).locator("[name=description]").fill(text);
    const line = await lose("**/api/v1/menu/categories/*", "PATCH", when);
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText(/does not answer/).waitFor();
    assert.equal(await dialog(page).locator("[name=description]").inputValue(), text);
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await line.end();
    const [now] = await categories("Desserts");
    assert.deepEqual([line.count(), now.description, now.version], [1, text, before.version + 1]);
  });

  test(`an order to a supplier whose answer is lost ${when} the box has heard of it is one order`, async () => {
    const page = await at("buying");
    const count = async () => (await owner.ask("GET", "/purchase-orders?limit=1")).meta?.total ?? (await owner.ask("GET", "/purchase-orders?limit=100")).data.length;
    const had = await count();
    await page.getByRole("button", { name: "New order" }).click();
    await dialog(page).locator("[name=supplierId] option").nth(1).waitFor({ state: "attached" });
    await dialog(page).locator("[name=supplierId]").selectOption({ index: 1 });
    await dialog(page).locator("[name=inventoryItemId] option").nth(1).waitFor({ state: "attached" });
    await dialog(page).locator("[name=inventoryItemId]").selectOption({ index: 1 });
    await dialog(page).locator("[name=quantityOrdered]").fill("3");
    const line = await lose("**/api/v1/inventory/purchase-orders", "POST", when);
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText(/does not answer/).waitFor();
    assert.equal(await dialog(page).locator("[name=quantityOrdered]").inputValue(), "3");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await line.end();
    assert.deepEqual([line.count(), await count()], [1, had + 1]);
  });
}

test("figures stay with their time while the box is away, and go on by themselves when it is back", async () => {
  const page = await at("today");
  const tile = page.locator(".figures .tile").first();
  await tile.waitFor();
  const [shown, time] = [await tile.innerText(), await page.locator("main .hint").first().innerText()];
  assert.match(time, /as of \d\d:\d\d/);
  await box.down();
  await away(page);
  assert.match(await page.locator(".troubles").innerText(), /Last heard \d\d:\d\d.*What is shown is from before/s);
  assert.deepEqual([await tile.innerText(), await page.locator("main .hint").first().innerText()], [shown, time]);
  await examine(page, "manage-today-away", { nights: [false, true], sizes: ["phone", "desk"] });
  // Another section cannot be read; it says so, and is there by itself later.
  await page.evaluate(() => { location.hash = "#stock"; });
  await page.locator("main p.bad[role=alert]").waitFor();
  await back();
  await page.locator("main table.list tbody tr").first().waitFor();
  await page.locator(".troubles p").waitFor({ state: "detached" });
});

test("a count goes on where the box went away: what was typed is sent when it is back", async () => {
  const take = await owner.post("/inventory/stocktakes", { category: "Dairy", blind: false });
  const page = await at(`stock/stocktakes/${take.id}`);
  const inputs = page.locator(".counts input");
  await inputs.first().focus();
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await page.locator(".count.done").first().waitFor();
  await box.down();
  await away(page);
  await page.keyboard.type("7.5");
  await page.keyboard.press("Enter");
  await page.locator(".count.wrong").first().waitFor();
  assert.equal(await inputs.nth(1).inputValue(), "7.5");
  await back();
  await page.locator(".troubles p").waitFor({ state: "detached" });
  await until("both counts are booked", async () => (await owner.get(`/inventory/stocktakes/${take.id}`)).lines.filter((/** @type {any} */ one) => one.countedQuantity !== null).map((/** @type {any} */ one) => one.countedQuantity).sort().join() === "5,7.5");
  await page.locator(".count.wrong").waitFor({ state: "detached" });
});

test("a floor is planned by buttons alone: moved, turned, widened, its areas put in order", async () => {
  const page = await at("floor");
  const first = (await owner.ask("GET", "/tables?limit=100")).data.find((/** @type {any} */ one) => one.area === "Indoor");
  const press = async (/** @type {string | RegExp} */ name) => { const button = page.getByRole("button", { name, exact: true }).first(); await button.focus(); await page.keyboard.press("Enter"); };
  const table = page.locator(".plan .table").filter({ has: page.locator("b", { hasText: new RegExp(`^${first.number}$`) }) });
  await table.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `Table ${first.number}` }).waitFor();
  for (const name of ["To the right", "To the right", "Down", "Turn"]) await press(name);
  const place = { x: first.position.x + 40, y: first.position.y + 20 };
  await until("it is moved and turned", async () => { const one = await owner.get(`/tables/${first.id}`); return one.position.x === place.x && one.position.y === place.y && one.rotation === 45; });
  await press("Change");
  await dialog(page).locator('[name="size.width"]').fill("180");
  await dialog(page).locator("[name=rotation]").fill("90");
  await examine(page, "manage-table-form", { nights: [false, true], sizes: ["phone", "desk"] });
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  const now = await owner.get(`/tables/${first.id}`);
  assert.deepEqual([now.size, now.rotation], [{ width: 180, height: 96 }, 90]);
  await press("Order of the areas");
  await dialog(page).getByRole("button", { name: "Up: Terrace" }).focus();
  await page.keyboard.press("Enter");
  // The one that was moved keeps the focus, for the next step.
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Down: Terrace");
  await examine(page, "manage-areas-order", { nights: [false, true], sizes: ["phone", "desk"] });
  await dialog(page).getByRole("button", { name: "Save" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  const order = (/** @type {string} */ area) => owner.ask("GET", "/tables?limit=100").then((/** @type {any} */ { data }) => data.find((/** @type {any} */ one) => one.area === area).areaOrder);
  assert.ok((await order("Terrace")) < (await order("Indoor")));
  await page.locator(".presets button").first().filter({ hasText: "Terrace" }).waitFor();
});

test("a week is planned by keys and buttons alone: planned, moved, given other times, copied, published", async () => {
  const week = await weekAhead(owner, 6), next = await weekAhead(owner, 7);
  const page = await at(`roster/${week[0]}`);
  const shifts = async (/** @type {string} */ from, /** @type {string} */ to) => (await owner.ask("GET", `/shifts?from=${from}&to=${to}&limit=100`)).data;
  await page.locator("[data-day]").first().focus();
  for (const key of ["n", "ArrowRight", "ArrowRight", "e", "ArrowDown", "m", "Home", "o", "End"]) await page.keyboard.press(key);
  await until("four are planned", async () => (await shifts(week[0], week[6])).length === 4);
  await until("the page tells of them", async () => /4 drafts/.test(await page.locator("main").innerText()));
  assert.deepEqual(await page.evaluate(() => { const one = /** @type {HTMLElement} */ (document.activeElement); return [one.dataset.row, one.dataset.day]; }), ["1", "6"]);
  // By Enter: other times.
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("button", { name: "Other times" }).focus();
  await page.keyboard.press("Enter");
  await dialog(page).locator("[name=startTime]").fill("10:00");
  await dialog(page).locator("[name=endTime]").fill("16:30");
  await dialog(page).locator("[name=endTime]").press("Enter");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await until("five are planned", async () => (await shifts(week[6], week[6])).some((/** @type {any} */ one) => one.startTime === "10:00" && one.endTime === "16:30"));
  // And moved to a free place of somebody.
  const cell = page.locator('[data-row="1"][data-day="6"]');
  await cell.filter({ hasText: "10:00" }).waitFor();
  await cell.focus();
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("button", { name: "Move to …" }).focus();
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("heading", { name: "Move to …" }).waitFor();
  const free = dialog(page).locator(".choices button").nth(3), text = await free.innerText();
  await examine(page, "manage-roster-move", { nights: [false], sizes: ["phone", "desk"] });
  await free.focus();
  await page.keyboard.press("Enter");
  await until("it has moved", async () => (await shifts(week[0], week[6])).some((/** @type {any} */ one) => one.startTime === "10:00" && text.includes(one.employeeName) && one.date !== week[6]));
  await page.getByRole("button", { name: "Publish" }).focus();
  await page.keyboard.press("Enter");
  await until("they are published", async () => (await shifts(week[0], week[6])).every((/** @type {any} */ one) => one.status === "PUBLISHED"));
  // The week after is a copy.
  await page.getByRole("button", { name: "Next week" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(dated(next[0])).first().waitFor();
  await page.getByRole("button", { name: "Copy last week" }).focus();
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("button", { name: "Copy last week" }).focus();
  await page.keyboard.press("Enter");
  await until("it is copied", async () => (await shifts(next[0], next[6])).length === 5);
  assert.deepEqual(desk.complaints, []);
});

test("a reload while the box is away shows today's figures as they were, with their time, to whoever read them", async () => {
  const { page } = await open(chromium, { size: SIZES.phone });
  await page.goto(`${box.url}/manage?lang=en#today`);
  await signIn(page, "Manager");
  await page.locator(".figures .tile").first().waitFor();
  // The browser's own host counts as secure, so the page is kept as over TLS.
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await page.reload();
  await page.locator(".figures .tile").first().waitFor();
  await isShelved(page, "/manage", "/manage/today.js", "/manage/words/en.js");
  const [shown, time] = [await page.locator(".figures .tile").first().innerText(), await page.locator("main .hint").first().innerText()];
  await box.down();
  await page.reload();
  await page.locator(".figures .tile").first().waitFor();
  await away(page);
  assert.deepEqual([await page.locator(".figures .tile").first().innerText(), await page.locator("main .hint").first().innerText()], [shown, time]);
  await examine(page, "manage-today-kept", { nights: [false, true], sizes: ["phone", "desk"] });
  await back();
  await page.locator(".troubles p").waitFor({ state: "detached" });
  await until("nothing is said to be away", async () => (await page.locator("main p.bad[role=alert]").count()) === 0);
  // Who signs out leaves nothing to be seen.
  await page.getByRole("button", { name: "More", exact: true }).click();
  await dialog(page).getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await box.down();
  await page.reload();
  await page.getByRole("heading", { name: "The box does not answer." }).waitFor();
  await back();
});
