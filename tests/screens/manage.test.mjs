// The manager's page in a real browser, on a branch as it ships: what is changed here is read from the branch, never from the page alone.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { branch, browser, call, dialog, open, signIn, SIZES, taps, today, until, weekAhead } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
before(async () => {
  [box, chromium] = await Promise.all([branch(), browser()]);
  owner = await box.as("owner");
});
after(async () => { await chromium?.close(); await box?.end(); });

/** One page a role: sign-ins are counted by the branch. @type {Map<string, Awaited<ReturnType<typeof open>>>} */
const desks = new Map();

/** The page of somebody, at a place within it. @param {string} hash @param {string} [role] */
async function desk(hash, role = "Owner") {
  const known = desks.get(role), opened = known ?? (await open(chromium, { size: SIZES.desk, touch: false }));
  if (!known) {
    await opened.page.goto(`${box.url}/manage?lang=en#${hash}`);
    await signIn(opened.page, role);
    await opened.page.locator(".manage").waitFor();
    desks.set(role, opened);
  } else {
    await opened.page.goto("about:blank");
    await opened.page.goto(`${box.url}/manage?lang=en#${hash}`);
  }
  await opened.page.locator(".manage main h1").first().waitFor();
  return opened;
}

/** Everything of the lists of a branch. @param {string} path */
async function rows(path) {
  const { data, items } = await owner.ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`);
  return data ?? items;
}

test("a dish that is added is on the till's menu, what is wrong with it stands beside its field", async () => {
  const { page, complaints } = await desk("menu");
  await page.getByRole("button", { name: "Add a dish" }).click();
  const form = dialog(page);
  await form.getByLabel("Price", { exact: false }).fill("12,3.4.5");
  await form.getByRole("button", { name: "Save" }).click();
  // Here: what can be seen without asking.
  await form.locator("[name=name][aria-invalid=true]").waitFor();
  assert.match((await form.locator("[name=priceCents]").locator("xpath=..").innerText()), /120\.50/);
  await form.locator("[name=name]").fill("Beetroot Poriyal");
  await form.locator("[name=categoryId] option", { hasText: "Curries" }).first().waitFor({ state: "attached" });
  await form.locator("[name=categoryId]").selectOption({ label: "Curries" });
  await form.locator("[name=priceCents]").fill("185.50");
  await form.locator("[name=hsnSac]").fill("12");
  await form.getByRole("button", { name: "Save" }).click();
  // There: what the branch refuses, beside its field.
  await form.locator("[name=hsnSac][aria-invalid=true]").waitFor();
  assert.notEqual((await form.locator("[name=hsnSac]").locator("xpath=..").locator(".wrong").innerText()).trim(), "");
  await form.locator("[name=hsnSac]").fill("996331");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  const menu = await owner.get("/menu");
  const dish = menu.categories.flatMap((/** @type {any} */ one) => one.items).find((/** @type {any} */ one) => one.name === "Beetroot Poriyal");
  assert.equal(dish.priceCents, 18550);
  assert.deepEqual(complaints, []);
});

test("a price of this outlet changes in three taps, the shared one stays", async () => {
  const { page } = await desk("menu");
  await page.getByLabel("Search").fill("Paneer Tikka");
  await page.getByRole("row").filter({ hasText: "Paneer Tikka" }).first().waitFor();
  await until("the list is short", async () => (await page.getByRole("row").count()) <= 4);
  await page.getByRole("button", { name: "Price: Paneer Tikka", exact: true }).click();
  await dialog(page).locator("[name=outletPriceCents]").fill("295");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const [dish] = await rows("/menu/items?q=Paneer%20Tikka");
  assert.deepEqual([dish.priceCents, dish.basePriceCents, dish.outletPriceCents], [29500, 28000, 29500]);
});

test("what somebody else changed meanwhile is said, and what was typed here stays", async () => {
  const { page } = await desk("menu/categories");
  await page.getByRole("button", { name: "Desserts", exact: true }).click();
  const form = dialog(page);
  await form.locator("[name=description]").fill("Sweet things");
  const [category] = await rows("/menu/categories?q=Desserts");
  await owner.ask("PATCH", `/menu/categories/${category.id}`, { sortOrder: 77 }, { "if-match": `"${category.version}"` });
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText(/Somebody else changed this.*77/).waitFor();
  assert.equal(await form.locator("[name=description]").inputValue(), "Sweet things");
  assert.equal(await form.locator("[name=sortOrder]").inputValue(), "77");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  const [now] = await rows("/menu/categories?q=Desserts");
  assert.deepEqual([now.description, now.sortOrder], ["Sweet things", 77]);
});

test("what is typed outlives Escape and a reload, and is gone once it is saved or dropped", async () => {
  const { page } = await desk("menu/categories");
  await page.getByRole("button", { name: "Add a category" }).click();
  await dialog(page).locator("[name=name]").fill("Monsoon specials");
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Add a category" }).click();
  assert.equal(await dialog(page).locator("[name=name]").inputValue(), "Monsoon specials");
  await dialog(page).getByRole("button", { name: "Begin anew" }).click();
  assert.equal(await dialog(page).locator("[name=name]").inputValue(), "");
  await dialog(page).locator("[name=name]").fill("Tiffin boxes");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add a category" }).click();
  assert.equal(await dialog(page).locator("[name=name]").inputValue(), "");
});

test("an answer that is lost is asked for again under its key: one record, not two", async () => {
  const { page } = await desk("menu/categories");
  let lost = 0;
  await page.route("**/api/v1/menu/categories", async (route) => {
    if (route.request().method() !== "POST" || lost > 0) { await route.continue(); return; }
    lost += 1;
    await route.fetch().catch(() => {});
    await route.abort().catch(() => {});
  });
  await page.getByRole("button", { name: "Add a category" }).click();
  await dialog(page).locator("[name=name]").fill("Once only");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByText(/does not answer/).waitFor();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });
  await page.unroute("**/api/v1/menu/categories");
  assert.equal((await rows("/menu/categories?q=Once")).length, 1);
});

test("an import names every bad row and takes none", async () => {
  const { page } = await desk("menu/import");
  const before = (await owner.ask("GET", "/menu/items?limit=1")).meta.total;
  await page.getByText("Or paste a table").click();
  await page.getByLabel("Rows, the first with the names of the columns").fill("category,name,priceCents\nSnacks,Murukku,6000\nSnacks,,6000\nSnacks,Mixture,dear\n");
  await page.getByRole("button", { name: "Look it through" }).click();
  await page.getByText("Nothing was taken in: 2 mistakes.").waitFor();
  assert.deepEqual(await page.locator(".files tbody tr").evaluateAll((all) => all.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent))), [["Row 3", "name", "nothing"], ["Row 4", "priceCents", "dear"]]);
  assert.equal((await owner.ask("GET", "/menu/items?limit=1")).meta.total, before);
});

test("a screen is let in by the code it shows, and its name is changed", async () => {
  const asked = (await call(box.url, "POST", "/devices/pair", { body: { kind: "KITCHEN", name: "Tandoor screen" } })).data;
  const { page } = await desk("devices");
  await page.getByRole("button", { name: "Let a screen in" }).click();
  await dialog(page).locator("[name=userCode]").fill(asked.userCode);
  await dialog(page).getByRole("button", { name: "Let a screen in" }).click();
  await page.getByRole("button", { name: "Tandoor screen", exact: true }).click();
  await dialog(page).locator("[name=name]").fill("Tandoor, left");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Tandoor, left", exact: true }).waitFor();
  const [device] = await rows("/devices");
  assert.deepEqual([device.name, device.kind], ["Tandoor, left", "KITCHEN"]);
});

test("stock is counted with keys alone: numbers, and Enter for the next", async () => {
  const { page } = await desk("stock/stocktakes");
  await page.getByRole("button", { name: "Begin a count" }).focus();
  await page.keyboard.press("Enter");
  await dialog(page).locator("[name=category] option", { hasText: "Dairy" }).waitFor({ state: "attached" });
  await dialog(page).locator("[name=category]").focus();
  await page.keyboard.type("Dairy");
  await dialog(page).locator("[name=name]").focus();
  await page.keyboard.type("Friday");
  await page.keyboard.press("Enter");
  const inputs = page.locator(".counts input");
  await inputs.first().waitFor();
  const count = await inputs.count();
  assert.ok(count > 2);
  await inputs.first().focus();
  for (let at = 0; at < count; at += 1) {
    await page.keyboard.type(String(at + 1));
    await page.keyboard.press("Enter");
  }
  await page.getByText("0 left to count.").waitFor();
  const [take] = await rows("/inventory/stocktakes?status=OPEN");
  const detail = await owner.get(`/inventory/stocktakes/${take.id}`);
  assert.deepEqual(detail.lines.map((/** @type {any} */ line) => line.countedQuantity).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b), Array.from({ length: count }, (_, at) => at + 1));
  assert.equal(take.category, "Dairy");
});

test("a delivery asks about what differs and goes on with somebody's yes alone", async () => {
  const [supplier] = await rows("/inventory/suppliers"), [item] = await rows("/inventory/items");
  const order = await owner.post("/inventory/purchase-orders", { supplierId: supplier.id, items: [{ inventoryItemId: item.id, quantityOrdered: 10, unitCostCents: 5000 }] });
  const { page } = await desk(`buying/orders/${order.id}`);
  await page.getByRole("button", { name: "Send it" }).click();
  await page.getByRole("button", { name: "Take in" }).click();
  const form = dialog(page);
  assert.equal(await form.locator("[name=quantityReceived]").first().inputValue(), "10");
  await form.locator("[name=quantityReceived]").first().fill("25");
  await form.locator("[name=unitCostCents]").first().fill("90");
  await form.getByRole("button", { name: "Take in" }).click();
  await form.getByText("Look at this first").waitFor();
  assert.ok((await form.locator(".doubts li").count()) >= 2);
  assert.equal((await owner.get(`/purchase-orders/${order.id}`)).deliveries.length, 0);
  await form.getByRole("button", { name: "It is right, take it in" }).click();
  await form.waitFor({ state: "detached" });
  const now = await owner.get(`/purchase-orders/${order.id}`);
  assert.equal(now.deliveries.length, 1);
  assert.equal(now.items[0].quantityReceived, 25);
});

test("a week is planned by keys and published", async () => {
  const week = await weekAhead(owner, 5), planned = () => rows(`/shifts?from=${week[0]}&to=${week[6]}`);
  const { page } = await desk(`roster/${week[0]}`);
  const cells = page.locator("[data-day]");
  await cells.first().focus();
  await page.keyboard.press("m");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("o");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("e");
  await until("three shifts are drafts", async () => (await planned()).length === 3);
  await until("the page tells of them", async () => /3 drafts/.test(await page.locator("main").innerText()));
  await page.keyboard.press("Delete");
  await until("one is gone", async () => (await planned()).length === 2);
  // By hand: the first shift is dragged two days on.
  const first = page.locator('[data-row="0"][data-day="0"]'), third = page.locator('[data-row="0"][data-day="2"]');
  const [from, to] = [await first.boundingBox(), await third.boundingBox()];
  assert.ok(from && to);
  await page.mouse.move(from.x + 20, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 30, to.y + 25, { steps: 4 });
  await page.mouse.up();
  await until("it stands on Wednesday", async () => (await rows(`/shifts?from=${week[2]}&to=${week[2]}`)).length === 1);
  await page.getByRole("button", { name: "Publish" }).click();
  await until("they are published", async () => (await planned()).every((/** @type {any} */ one) => one.status === "PUBLISHED"));
});

test("a report's table has the branch's own sums, and its CSV is saved", async () => {
  const [dish] = await rows("/menu/items?q=Masala%20Dosa");
  const order = await owner.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 3, unitPriceCents: dish.priceCents }] });
  await owner.post(`/orders/${order.id}/invoice`, {});
  const { page } = await desk("reports/sales");
  await page.getByRole("button", { name: "This month" }).click();
  const date = order.businessDate;
  const report = await owner.get(`/analytics/reports/sales?from=${date.slice(0, 8)}01&to=${date}`);
  assert.ok(report.totals.netRevenueCents > 0);
  const shown = new Intl.NumberFormat("en-IN", { style: "currency", currency: "INR" }).format(report.totals.netRevenueCents / 100);
  await until("the totals are shown", async () => (await page.locator("tfoot").innerText()).includes(shown));
  assert.equal(await page.locator("table.list tbody tr").count(), report.rows.length);
  // One day alone, as on the first of a month, is no chart.
  assert.equal(await page.locator(".chart details table tbody tr").count(), report.rows.length > 1 ? report.rows.length : 0);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
  const text = await readFile(await saved.path(), "utf8");
  assert.ok(text.split("\n").length > report.rows.length);
  assert.match(saved.suggestedFilename(), /^sales-.*\.csv$/);
});

test("a table is moved on the plan by dragging and by keys, and stays there", async () => {
  const { page } = await desk("floor");
  const [first] = (await rows("/tables")).filter((/** @type {any} */ one) => one.area === "Indoor");
  const table = page.locator(".plan .table").filter({ has: page.locator("b", { hasText: new RegExp(`^${first.number}$`) }) });
  const at = await table.boundingBox();
  assert.ok(at);
  await page.mouse.move(at.x + 30, at.y + 30);
  await page.mouse.down();
  await page.mouse.move(at.x + 90, at.y + 175, { steps: 5 });
  await page.mouse.up();
  const there = { x: first.position.x + 60, y: first.position.y + 140 };
  await until("it stands there", async () => { const { position } = await owner.get(`/tables/${first.id}`); return position.x === there.x && Math.abs(position.y - there.y) <= 20; });
  await table.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await until("the keys moved it", async () => (await owner.get(`/tables/${first.id}`)).position.x === there.x + 40);
  await page.getByRole("button", { name: "To the left" }).click();
  await until("the button moved it", async () => (await owner.get(`/tables/${first.id}`)).position.x === there.x + 20);
});

test("today's matters are acted on in two taps", async () => {
  const { page } = await desk("today");
  const [asked] = await rows("/leave-requests?status=PENDING");
  const used = await taps(page, async () => {
    await page.getByRole("listitem").filter({ hasText: "1 leave request" }).getByRole("link", { name: "Decide" }).click();
    await page.getByRole("button", { name: `Approve: ${asked.employeeName}` }).click();
  });
  assert.equal(used, 2);
  await until("it is approved", async () => (await owner.get(`/leave-requests/${asked.id}`)).status === "APPROVED");
});

test("somebody is hired, gets a PIN, and clocks in with it", async () => {
  const { page } = await desk("people/staff");
  await page.getByRole("button", { name: "Hire somebody" }).click();
  await dialog(page).locator("[name=name]").fill("Kavya Iyer");
  await dialog(page).locator("[name=jobTitle]").fill("Waiter");
  await dialog(page).locator("[name=hourlyRateCents]").fill("120");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Kavya Iyer" }).click();
  await page.getByRole("button", { name: "Set PIN" }).click();
  await dialog(page).locator("[name=pin]").fill("7391");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const [person] = await rows("/employees?q=Kavya");
  assert.deepEqual([person.hasPin, person.hourlyRateCents], [true, 12000]);
  await owner.post("/workforce/attendance", { employeePin: "7391", eventType: "CLOCK_IN" });
});

test("a salary is told, a holiday entered, and the payroll has both", async () => {
  const { page } = await desk("people/holidays");
  await page.getByRole("button", { name: "Add a holiday" }).click();
  await dialog(page).locator("[name=date]").fill(`${Number((await today(owner)).slice(0, 4)) + 1}-01-26`);
  await dialog(page).locator("[name=name]").fill("Republic Day");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "Republic Day", exact: true }).waitFor();
  const made = await owner.post("/employees", { name: "Mira Sen", jobTitle: "Chef", payBasis: "MONTHLY", monthlySalaryCents: 3000000 });
  await page.goto(page.url().replace(/people.*/, `people/staff/${made.id}`));
  await page.getByText("by the month").first().waitFor();
  await page.goto(page.url().replace(/people.*/, "people/payroll/now"));
  await page.getByRole("row").filter({ hasText: "Mira Sen" }).waitFor();
});

test("a setting is changed and the others of its group stay", async () => {
  const { page } = await desk("settings");
  const before = (await owner.get("/outlets"))[0];
  await page.getByRole("button", { name: "Change: Till and drawers" }).click();
  await dialog(page).locator('[name="till.ageing.lateMinutes"]').fill("42");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const now = (await owner.get("/outlets"))[0];
  assert.deepEqual(now.till, { ...before.till, ageing: { ...before.till.ageing, lateMinutes: 42 } });
  assert.deepEqual(now.discountLimitBps, before.discountLimitBps);
});

test("the assistant answers with figures and says where from", async () => {
  const { page } = await desk("assistant");
  await page.getByLabel("Your question").fill("How much paneer is left?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.locator(".talk code").first().waitFor();
  assert.match(await page.locator(".talk").innerText(), /[Pp]aneer/);
});

test("a storekeeper and an accountant see what their rights open, and no more", async () => {
  const sections = async (/** @type {import("playwright-core").Page} */ page) => page.locator("nav.side li").allInnerTexts();
  const store = (await desk("stock", "Storekeeper")).page;
  assert.deepEqual(await sections(store), ["Stock", "Buying", "Waste", "My work", "Feedback", "Settings", "Assistant"]);
  await store.getByRole("button", { name: "Add an item" }).waitFor();
  await store.goto(`${box.url}/manage?lang=en#settings`);
  await store.getByText("Only the owner changes these.").waitFor();
  assert.equal(await store.getByRole("button", { name: /^Change/ }).count(), 0);
  const books = (await desk("reports/register", "Accountant")).page;
  assert.deepEqual(await sections(books), ["Today", "Orders", "Stock", "Buying", "Waste", "People", "Reports", "Settings", "Assistant"]);
  await books.goto(`${box.url}/manage?lang=en#stock`);
  await books.getByRole("link", { name: /Basmati/ }).waitFor();
  assert.equal(await books.getByRole("button", { name: /Add an item|Archive/ }).count(), 0);
});
