// What is told of people's work, in a real browser on a branch as it ships: what a waiter hands over, what somebody is owed and why, what a week
// costs, and what is unwise about a plan before it is made. What came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { clashOf, warningsOf } from "../../edge/screens/manage/fit.js";
import { branch, browser, dialog, examine, later, looks, open, signIn, SIZES, taps, until, weekAhead } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
/** @type {any} */
let waiter;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "off"]), browser()]);
  [owner, waiter] = await Promise.all([box.as("owner"), box.as("waiter")]);
});
after(async () => { await chromium?.close(); await box?.end(); });

/** @type {Map<string, Awaited<ReturnType<typeof open>>>} */
const desks = new Map();

/** The owner's page at a place within it, loaded to its end. @param {string} hash @param {string} [lang] */
async function desk(hash, lang = "en") {
  const opened = desks.get("owner") ?? (await open(chromium, { size: SIZES.desk, touch: false }));
  await opened.page.goto("about:blank");
  await opened.page.goto(`${box.url}/manage?lang=${lang}#${hash}`);
  if (!desks.has("owner")) { await signIn(opened.page, "Owner"); desks.set("owner", opened); }
  await opened.page.locator(".manage main h1").first().waitFor();
  await loaded(opened.page);
  return opened.page;
}
const loaded = (/** @type {import("playwright-core").Page} */ page) => until("the page has loaded", async () => page.evaluate(() => document.querySelector("main h1") !== null && ![...document.querySelectorAll("main .hint[role=status]")].some((one) => one.checkVisibility())));
/** @param {number} cents */
const rupees = (cents) => new Intl.NumberFormat("en-IN", { style: "currency", currency: "INR" }).format(cents / 100);

/** A dish that asks nothing. */
async function plainDish() {
  const { data } = await owner.ask("GET", "/menu/items?limit=100");
  return data.find((/** @type {any} */ one) => one.modifierGroups.every((/** @type {any} */ group) => group.minSelections === 0) && (one.variants ?? []).length === 0);
}

test("at the end of the shift a waiter sees in two taps what cash is owed; a manager sees the same at the person, and the waiter at home", async () => {
  const [outlet] = await owner.get("/outlets");
  await owner.ask("PATCH", `/outlets/${outlet.id}`, { waitersTakePayments: true });
  const dish = await plainDish(), me = waiter.user.employeeId;
  const order = await waiter.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 2, unitPriceCents: dish.priceCents }] });
  await waiter.post(`/orders/${order.id}/invoice`, {});
  const { dueCents } = await owner.ask("GET", `/orders/${order.id}`);
  await waiter.post(`/orders/${order.id}/payments`, { method: "CASH", amountCents: dueCents, tipCents: 5_000 });
  await waiter.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 1, unitPriceCents: dish.priceCents }] });
  const truth = await owner.get(`/employees/${me}/checkout`);
  assert.deepEqual([truth.cashOwedCents, truth.tipsCents, truth.openOrdersCount], [dueCents, 5_000, 2]);

  const till = await open(chromium, { size: SIZES.phone });
  await till.page.goto(`${box.url}/pos?lang=en`);
  await signIn(till.page, "Waiter");
  const who = till.page.locator("button.who");
  await who.waitFor();
  await till.page.locator("[data-table]").first().waitFor();
  const used = await taps(till.page, async () => {
    await who.click();
    await dialog(till.page).getByRole("button", { name: "My checkout" }).click();
    await dialog(till.page).locator(".owed").waitFor();
  });
  assert.equal(used, 2);
  assert.match(await dialog(till.page).locator(".owed").innerText(), /Cash to hand over/);
  assert.ok((await dialog(till.page).locator(".owed").innerText()).includes(rupees(dueCents)));
  await dialog(till.page).getByText("2 orders are still open").waitFor();
  assert.equal(await dialog(till.page).getByRole("button", { name: "Somebody's checkout" }).count(), 0, "a waiter's rights end at the own");
  await examine(till.page, "pos-checkout", { nights: [false, true] });
  assert.deepEqual(till.complaints, []);
  await till.context.close();

  const page = await desk(`people/staff/${me}`);
  await page.locator(".checkout .owed").waitFor();
  assert.ok((await page.locator(".checkout .owed").innerText()).includes(rupees(dueCents)));
  await examine(page, "manage-person-checkout", looks);
  await page.locator(".checkout").getByRole("button", { name: "Yesterday" }).click();
  await page.locator(".checkout").getByText("No payment was taken.").waitFor();

  const home = await open(chromium, { size: SIZES.phone });
  await home.page.goto(`${box.url}/manage?lang=en#mine/checkout`);
  await home.page.locator("details summary").click();
  await home.page.locator("[name=email]").fill("waiter@sample.test");
  await home.page.locator("[name=password]").fill("tiffin-sample");
  await home.page.locator("form button.main").click();
  await home.page.locator(".checkout .owed").waitFor();
  assert.ok((await home.page.locator(".checkout .owed").innerText()).includes(rupees(dueCents)));
  await examine(home.page, "manage-mine-checkout", looks);
  assert.deepEqual(home.complaints, []);
  await home.context.close();
});

test("a cashier sees a colleague's checkout at the drawer, gives tips to whose they are and an advance to who asked", async () => {
  const till = await open(chromium);
  await till.page.goto(`${box.url}/pos?lang=en`);
  await signIn(till.page, "Cashier");
  await till.page.getByRole("button", { name: "Drawer", exact: true }).click();
  await till.page.getByRole("button", { name: "Open a drawer" }).click();
  await dialog(till.page).getByLabel("Float").fill("3000");
  await dialog(till.page).getByRole("button", { name: "Open a drawer" }).click();
  await till.page.locator(".card .choices").waitFor();
  const { name } = await owner.get(`/employees/${waiter.user.employeeId}`);
  await till.page.getByRole("button", { name: "Somebody's checkout" }).click();
  await dialog(till.page).getByRole("button", { name }).click();
  await dialog(till.page).locator(".owed").waitFor();
  assert.match(await dialog(till.page).locator("h2").innerText(), new RegExp(name));
  await dialog(till.page).getByRole("button", { name: "Close" }).click();
  await till.page.getByRole("button", { name: "Pay tips out" }).click();
  await dialog(till.page).getByLabel("Amount").fill("50");
  await dialog(till.page).getByLabel("Whose tips").selectOption({ label: name });
  await examine(till.page, "pos-tip-out", looks);
  await dialog(till.page).getByRole("button", { name: "Pay tips out" }).click();
  await till.page.locator(".card .rows li", { hasText: new RegExp(`Tips paid out · ${name}`) }).waitFor();
  await till.page.getByRole("button", { name: "Take out", exact: true }).click();
  await dialog(till.page).getByLabel("Amount").fill("200");
  await dialog(till.page).getByLabel("An advance on somebody's pay").selectOption({ label: name });
  await examine(till.page, "pos-advance", looks);
  await dialog(till.page).getByRole("button", { name: "Give the advance" }).click();
  await till.page.locator(".card .rows li", { hasText: new RegExp(`Advance on pay · ${name}`) }).waitFor();
  const truth = await owner.get(`/employees/${waiter.user.employeeId}/checkout`);
  assert.equal(truth.tipsPaidOutCents, 5_000);
  assert.deepEqual(till.complaints, []);
  await till.context.close();
});

test("an advance is given at the person, and payroll says what is due and what it is made of", async () => {
  const me = waiter.user.employeeId;
  const { name, employeeCode } = await owner.get(`/employees/${me}`);
  const page = await desk(`people/staff/${me}`);
  await page.getByRole("button", { name: "Give an advance" }).click();
  await dialog(page).locator("[name=amountCents]").fill("300");
  await dialog(page).getByRole("button", { name: "Give an advance" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  const at = (await owner.get(`/employees/${me}/checkout`)).businessDate, from = `${at.slice(0, 7)}-01`;
  const truth = (await owner.get(`/attendance/payroll?from=${from}&to=${at}`)).employees.find((/** @type {any} */ one) => one.employeeId === me);
  assert.equal(truth.advancesCents, 50_000, "200 at the till, 300 here");
  await desk("people/payroll/now");
  await page.getByRole("row", { name: new RegExp(name) }).waitFor();
  await examine(page, "manage-payroll", looks);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
  assert.match(saved.suggestedFilename(), /^payroll-.*\.csv$/);
  assert.ok((await readFile(await saved.path(), "utf8")).includes(name));
  await page.getByRole("button", { name }).click();
  const box = dialog(page);
  await box.getByText("What is due").waitFor();
  await until("the days are there", async () => (await box.locator("table, .empty").count()) > 0);
  assert.ok((await box.innerText()).includes(rupees(-50_000)) && (await box.innerText()).includes(rupees(truth.dueCents)));
  await examine(page, "manage-payroll-details", looks);
  const [own] = await Promise.all([page.waitForEvent("download"), box.getByRole("button", { name: "Save as CSV" }).click()]);
  assert.ok(own.suggestedFilename().startsWith(`timesheet-${employeeCode}-`));
});

test("a seventh day in a row is said before it is planned and before it is published; holidays, overtime and costs stand in the week", async () => {
  const days = await weekAhead(owner, 5);
  const { data: [first] } = await owner.ask("GET", "/employees?status=ACTIVE&limit=1");
  for (const date of days.slice(0, 6)) await owner.post("/shifts", { employeeId: first.id, date, shiftType: "MORNING", ...(date === days[1] ? { startTime: "07:00", endTime: "18:00" } : {}) });
  await owner.post("/holidays", { date: days[6], name: "Holi" });
  const page = await desk(`roster/${days[0]}`);
  await page.getByText("Holi", { exact: true }).waitFor();
  const cell = page.locator('[data-row="0"][data-day="6"]');
  await cell.focus();
  await page.locator(".ahead", { hasText: "7 days of work in a row" }).waitFor();
  await cell.click();
  const morning = dialog(page).getByRole("button", { name: /^Morning/ });
  await morning.waitFor();
  assert.match(await morning.innerText(), /07:00–15:00 · ₹.*▲ .*7 days of work in a row/);
  await examine(page, "manage-roster-advice", looks);
  assert.equal((await owner.get(`/shifts?from=${days[0]}&to=${days[6]}`)).length, 6, "nothing is planned by looking");
  await morning.click();
  await until("it is planned", async () => (await owner.get(`/shifts?from=${days[0]}&to=${days[6]}`)).length === 7);
  const row = page.locator("tr", { has: page.locator('[data-row="0"]') });
  await row.getByText("▲ 7 days of work in a row").waitFor();
  assert.match(await page.locator('[data-row="0"][data-day="1"]').innerText(), /▲ 2 h overtime/);
  assert.match(await page.locator('[data-row="0"][data-day="6"]').innerText(), /▲ day 7 in a row/);
  await examine(page, "manage-roster-costs", { nights: [false, true] });
  for (const lang of ["hi", "ta", "qps"]) await examine(await desk(`roster/${days[0]}`, lang), `manage-roster-costs-${lang}`, { nights: [false], sizes: ["phone", "desk"] });
  await desk(`roster/${days[0]}`);
  await page.getByRole("button", { name: "Publish" }).click();
  await dialog(page).getByText(/7 days of work in a row/).waitFor();
  await examine(page, "manage-roster-publish", looks);
  assert.ok((await owner.get(`/shifts?from=${days[0]}&to=${days[6]}`)).every((/** @type {any} */ one) => one.status === "DRAFT"));
  await dialog(page).getByRole("button", { name: "Publish" }).click();
  await until("it is published", async () => (await owner.get(`/shifts?from=${days[0]}&to=${days[6]}`)).every((/** @type {any} */ one) => one.status === "PUBLISHED"));
});

test("the screen doubts what the box doubts, shift by shift", async () => {
  const { data: people } = await owner.ask("GET", "/employees?status=ACTIVE&limit=100"), who = people.at(-1);
  const [{ overtime, timezone, shiftTimes }] = await owner.get("/outlets"), [, first] = await weekAhead(owner, 12);
  let seed = 20_261_126;
  const draw = (/** @type {number} */ n) => { seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648; return Math.floor((seed / 2_147_483_648) * n); };
  const hour = (/** @type {number} */ n) => `${String(n % 24).padStart(2, "0")}:00`;
  /** @type {any[]} */
  const planned = [];
  let refused = 0, doubted = 0;
  for (let n = 0; n < 60; n += 1) {
    const date = later(first, draw(18)), shiftType = ["MORNING", "EVENING", "NIGHT", "OFF"][draw(9) % 4], from = draw(24);
    const times = shiftType === "OFF" ? {} : draw(2) ? { startTime: hour(from), endTime: hour(from + 3 + draw(9)) } : { startTime: shiftTimes[shiftType].start, endTime: shiftTimes[shiftType].end };
    const plan = { date, shiftType, ...times }, others = planned.slice();
    const answer = await fetch(`${box.url}/api/v1/shifts`, { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${owner.token}`, "idempotency-key": crypto.randomUUID() }, body: JSON.stringify({ employeeId: who.id, ...plan }) });
    const said = await answer.json();
    assert.equal(clashOf(plan, others, timezone) === null, answer.ok, `${JSON.stringify(plan)}: ${JSON.stringify(said)}`);
    if (!answer.ok) { refused += 1; continue; }
    planned.push(said.data);
    const own = warningsOf(plan, others, overtime, timezone).map(({ code }) => code.replace(/^OVERTIME_.*/, "OVERTIME"));
    assert.deepEqual(own, said.data.warnings.map((/** @type {any} */ one) => one.code), `${JSON.stringify(plan)} beside ${JSON.stringify(others.map(({ date: day, startTime, endTime }) => [day, startTime, endTime]))}`);
    doubted += own.length;
  }
  assert.ok(refused > 5 && doubted > 20, `${refused} refused, ${doubted} doubts`);
});

test("a swap is approved with its doubts in sight", async () => {
  const colleague = (await owner.ask("GET", "/employees?q=Divya")).data[0], me = waiter.user.employeeId;
  const days = await weekAhead(owner, 8);
  for (const date of days) if (date !== days[3]) await owner.post("/shifts", { employeeId: colleague.id, date, shiftType: "MORNING" });
  const shift = await owner.post("/shifts", { employeeId: me, date: days[3], shiftType: "MORNING" });
  await owner.post("/shifts/publish", { from: days[0], to: days[6] });
  const swap = await waiter.post("/shifts/swaps", { kind: "GIVE_AWAY", fromShiftId: shift.id, toEmployeeId: colleague.id });
  await owner.post(`/shifts/swaps/${swap.id}/accept`, {});
  const page = await desk("people/swaps");
  await page.getByText(`${colleague.name}: 7 days of work in a row`).waitFor();
  await examine(page, "manage-swap-doubts", looks);
  await page.getByRole("button", { name: /^Approve:/ }).click();
  await until("it is approved", async () => (await owner.get(`/shifts/swaps/${swap.id}`)).status === "APPROVED");
  assert.deepEqual(desks.get("owner")?.complaints, []);
});
