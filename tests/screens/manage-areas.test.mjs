// What managers do beside selling, in a real browser on a branch as it ships: paper and printers, screens, closed days, differences to settle,
// guests who want to be forgotten, a wrong clock, the backup, the assistant, one's own shifts. What came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atLast, branch, browser, call, client, clockAt, dated, dialog, examine, folderFor, freePort, kill, later, looks, open, run, signIn, SIZES, start, taps, today, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
/** @type {any} */
let manager;
/** @type {Awaited<ReturnType<typeof printer>>} */
let paper;
before(async () => {
  [box, chromium, paper] = await Promise.all([branch(["--limit-login", "off"]), browser(), printer()]);
  [owner, manager] = await Promise.all([box.as("owner"), box.as("manager")]);
});
after(async () => { await chromium?.close(); await box?.end(); });

/** A printer of the network that takes whatever comes, and keeps it. */
async function printer() {
  /** @type {Buffer[]} */
  const came = [];
  const server = createServer((socket) => { socket.on("data", (bytes) => came.push(bytes)); socket.on("error", () => {}); });
  const port = await freePort();
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  /** @type {Set<import("node:net").Socket>} */
  const calls = new Set();
  server.on("connection", (socket) => calls.add(socket));
  atLast(() => { server.close(); for (const socket of calls) socket.destroy(); });
  return { address: `127.0.0.1:${port}`, bytes: () => Buffer.concat(came) };
}

/** @type {Map<string, Awaited<ReturnType<typeof open>>>} */
const desks = new Map();

/** The page of somebody, at a place within it; loaded to its end. @param {string} hash @param {string} [role] @param {string} [url] */
async function desk(hash, role = "Owner", url = box.url) {
  const name = `${role} ${url}`, opened = desks.get(name) ?? (await open(chromium, { size: SIZES.desk, touch: false }));
  await opened.page.goto("about:blank");
  await opened.page.goto(`${url}/manage?lang=en#${hash}`);
  if (!desks.has(name)) { await signIn(opened.page, role); desks.set(name, opened); }
  await opened.page.locator(".manage main h1").first().waitFor();
  await loaded(opened.page);
  return opened.page;
}
const loaded = (/** @type {import("playwright-core").Page} */ page) => until("the page has loaded", async () => page.evaluate(() => document.querySelector("main h1") !== null && ![...document.querySelectorAll("main .hint[role=status]")].some((one) => one.checkVisibility() && /Loading/.test(one.textContent ?? ""))));
/** Presses the last dialog's button and waits until the dialog has gone. @param {import("playwright-core").Page} page @param {string} name */
async function finish(page, name) {
  await dialog(page).getByRole("button", { name, exact: true }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}
/** @param {string} path @param {any} [who] */
async function rows(path, who = owner) {
  const { data, items } = await who.ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`);
  return data ?? items;
}
/** An order without a table. @param {any} more */
async function order(more) {
  const dish = (await rows("/menu/items")).find((/** @type {any} */ one) => one.availability.status === "IN_STOCK" && one.modifierGroups.every((/** @type {any} */ group) => group.minSelections === 0));
  return owner.post("/orders", { orderType: "TAKEAWAY", items: [{ menuItemId: dish.id, quantity: 2, unitPriceCents: dish.priceCents }], ...more });
}

test("a printer is set up, tries itself, and prints a paper once more", async () => {
  const page = await desk("devices/printers");
  await page.getByRole("button", { name: "Add a printer" }).click();
  await dialog(page).locator("[name=name]").fill("Counter");
  await dialog(page).locator("[name=address]").fill(paper.address);
  await dialog(page).getByLabel("receipts", { exact: true }).check();
  await dialog(page).getByLabel("reports", { exact: true }).check();
  await finish(page, "Save");
  const [made] = await rows("/printers", manager);
  assert.deepEqual([made.name, made.address, made.roles], ["Counter", paper.address, ["RECEIPT", "REPORT"]]);
  await page.getByRole("button", { name: "Test page: Counter" }).click();
  await until("the page came out", async () => paper.bytes().length > 100 && (await rows("/print-jobs?status=DONE", manager)).length === 1);
  await examine(page, "manage-printers", looks);
  // A receipt, and the same again from the list of papers.
  const sold = await order({});
  await owner.post(`/orders/${sold.id}/invoice`, {});
  await owner.post(`/orders/${sold.id}/receipt/print`, {});
  await until("the receipt came out", async () => (await rows(`/print-jobs?orderId=${sold.id}`, manager)).every((/** @type {any} */ one) => one.status === "DONE"));
  const list = await desk("devices/jobs");
  await list.getByRole("row").filter({ hasText: "receipt" }).first().waitFor();
  await examine(list, "manage-jobs", looks);
  await list.getByRole("button", { name: /^Print again: receipt/ }).first().click();
  await until("a copy came out", async () => { const jobs = await rows(`/print-jobs?orderId=${sold.id}`, manager); return jobs.length === 2 && jobs[0].copyNumber === 1; });
  await list.getByText("copy 1").first().waitFor();
});

test("a logo and a text in each language stand on receipts, and go again", async () => {
  const page = await desk("devices/layout");
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAEklEQVQI12NgYGD4z8DAwMAAAAoAAgF+oXEAAAAASUVORK5CYII=", "base64");
  await page.locator("input[type=file]").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await page.locator(".toasts .bad").first().waitFor();
  assert.equal((await manager.get("/print-layout")).logo, null);
  await page.locator("input[type=file]").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: await picture(page).catch(() => png) });
  await page.getByRole("img", { name: "Logo" }).waitFor();
  assert.ok((await manager.get("/print-layout")).logo.length > 40);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await dialog(page).locator('[name="headers.hi"]').fill("फिर आइए");
  await dialog(page).locator('[name="footers.en"]').fill("Thank you");
  await finish(page, "Save");
  const now = await manager.get("/print-layout");
  assert.deepEqual([now.headers, now.footers], [{ hi: "फिर आइए" }, { en: "Thank you" }]);
  await page.locator(".receipt").getByText("Thank you").waitFor();
  await examine(page, "manage-layout", looks);
  await page.getByRole("button", { name: "Remove the logo" }).click();
  await until("it is gone", async () => (await manager.get("/print-layout")).logo === null);
});

/** A small picture, made by the browser. @param {import("playwright-core").Page} page */
async function picture(page) {
  const url = await page.evaluate(() => { const canvas = document.createElement("canvas"); canvas.width = 160; canvas.height = 60; const pen = canvas.getContext("2d"); if (pen) { pen.fillRect(0, 0, 160, 60); pen.clearRect(20, 20, 120, 20); } return canvas.toDataURL("image/png"); });
  return Buffer.from(url.split(",")[1], "base64");
}

test("a screen that nobody knows is refused, one that is let in is taken out again", async () => {
  const pair = async (/** @type {string} */ name) => (await call(box.url, "POST", "/devices/pair", { body: { kind: "POS", name } })).data;
  const stranger = await pair("Stranger"), till = await pair("Till 2");
  const page = await desk("devices", "Manager");
  await page.getByRole("button", { name: "Refuse a code" }).click();
  await dialog(page).locator("[name=userCode]").fill(stranger.userCode);
  await finish(page, "Refuse a code");
  await assert.rejects(call(box.url, "POST", "/devices/token", { body: { deviceCode: stranger.deviceCode } }));
  await page.getByRole("button", { name: "Let a screen in" }).click();
  await dialog(page).locator("[name=userCode]").fill("WRONG1");
  await dialog(page).getByRole("button", { name: "Let a screen in" }).click();
  await dialog(page).locator(".wrong:not(:empty)").first().waitFor();
  await dialog(page).locator("[name=userCode]").fill(till.userCode);
  await finish(page, "Let a screen in");
  await until("it is in", async () => (await rows("/devices")).some((/** @type {any} */ one) => one.name === "Till 2"));
  await page.getByRole("button", { name: "Remove: Till 2" }).waitFor();
  await examine(page, "manage-screens", looks);
  await page.getByRole("button", { name: "Remove: Till 2" }).click();
  await dialog(page).getByText(/signed out at once/).waitFor();
  await finish(page, "Remove");
  await until("it is out", async () => (await rows("/devices")).length === 0);
});

test("differences after a restored backup are seen with both versions and settled", async () => {
  const outlet = owner.user.outlets[0].id.replaceAll("-", "");
  const insert = (/** @type {number} */ n) => `INSERT INTO sync_reviews (id, outlet_id, table_name, row_id, reason, lost, kept, at) VALUES (randomblob(16), x'${outlet}', 'invoices', randomblob(16), 'NUMBER_TAKEN', '{"number":"BLR1/2627-00000${n}","total_cents":12300}', '{"number":"BLR1/2627-00000${n}","total_cents":9900}', ${Date.now()})`;
  await box.down();
  run("edge", ["sql", "--data-dir", join(box.folder, "data"), "--write", [1, 2, 3].map(insert).join("; ")]);
  await box.up();
  assert.equal((await rows("/sync-reviews", manager)).length, 3);
  const page = await desk("settings/reviews", "Manager");
  await page.locator("section.listed > table > tbody > tr").nth(2).waitFor();
  await page.locator("summary").first().click();
  await page.locator("details[open]").getByText("₹123.00").waitFor();
  await examine(page, "manage-reviews", looks);
  await page.getByRole("button", { name: "Settle", exact: true }).first().click();
  await dialog(page).locator("[name=note]").fill("the guest has the new bill");
  await finish(page, "Settle");
  await until("one is settled", async () => (await rows("/sync-reviews")).length === 2);
  const { data: [told] } = await owner.ask("GET", "/audit-log?action=sync_review.resolve");
  assert.equal(told.reason, "the guest has the new bill");
  await page.getByRole("button", { name: "Settle all" }).click();
  await finish(page, "Settle all");
  await until("none is left", async () => (await rows("/sync-reviews")).length === 0);
  await page.getByText("Nothing waits").or(page.getByText("Nothing here.")).first().waitFor();
});

test("a guest is forgotten by the number, and one without a number by the order", async () => {
  const known = await order({ customerName: "Lakshmi", customerPhone: "+91 98450 12345" }), nameless = await order({ customerName: "Ravi" });
  const page = await desk("settings/privacy");
  await examine(page, "manage-privacy", looks);
  await page.getByRole("button", { name: "Erase a guest" }).click();
  await dialog(page).locator("[name=phone]").fill("098450-12345");
  await dialog(page).locator("[name=password]").fill("not-the-password");
  await dialog(page).getByRole("button", { name: "Erase a guest" }).click();
  await dialog(page).getByText(/goes for good/).waitFor();
  await dialog(page).getByRole("button", { name: "Erase a guest" }).click();
  // A wrong password erases nobody, and says so where it was typed.
  await page.locator("dialog[open] [name=password]").waitFor();
  await until("the refusal is told", async () => (await page.locator("dialog[open] .wrong").allInnerTexts()).some((text) => text.trim() !== ""));
  assert.equal((await rows(`/orders?q=${known.orderNumber}`))[0].customerName, "Lakshmi");
  await dialog(page).locator("[name=password]").fill("tiffin-sample");
  await dialog(page).getByRole("button", { name: "Erase a guest" }).click();
  await dialog(page).getByText(/goes for good/).waitFor();
  await dialog(page).getByRole("button", { name: "Erase a guest" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await until("nobody knows Lakshmi", async () => !(await rows(`/orders?q=${known.orderNumber}`, manager))[0].customerName);
  const other = await desk(`orders/${nameless.id}`);
  await other.getByText("Ravi").first().waitFor();
  await other.getByRole("button", { name: "Erase a guest" }).click();
  await dialog(other).locator("[name=password]").fill("tiffin-sample");
  await finish(other, "Erase a guest");
  await until("nobody knows Ravi", async () => !(await rows(`/orders?q=${nameless.orderNumber}`, manager))[0].customerName);
});

test("the box tells of its backup, once there is one", async () => {
  const page = await desk("settings/box");
  assert.match(await page.locator("section").filter({ has: page.getByRole("heading", { name: "Backup" }) }).innerText(), /Last backup\s*–/);
  run("edge", ["backup", "--data-dir", join(box.folder, "data")]);
  const { backup } = await until("the box knows", async () => { const said = await owner.get("/status"); return said.backup.lastAt && said; });
  const again = await desk("settings/box");
  const shown = new Intl.DateTimeFormat("en-IN", { timeZone: "Asia/Kolkata", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(backup.lastAt));
  await again.locator("section").filter({ has: again.getByRole("heading", { name: "Backup" }) }).getByText(shown).waitFor();
  await examine(again, "manage-backup", looks);
});

test("a colleague is asked for a swap, agrees, and a manager approves: the shifts have changed hands", async () => {
  const waiter = await box.as("waiter"), cashier = await box.as("cashier");
  // Only who has the job may take the shift.
  const { jobTitle } = await owner.get(`/employees/${waiter.user.employeeId}`);
  await owner.ask("PATCH", `/employees/${cashier.user.employeeId}`, { jobTitle });
  const now = await today(owner), from = later(now, 2), to = later(now, 9);
  const shifts = (await rows(`/shifts?from=${from}&to=${to}`)).filter((/** @type {any} */ one) => one.status === "PUBLISHED" && one.shiftType !== "OFF");
  const mine = shifts.filter((/** @type {any} */ one) => one.employeeId === waiter.user.employeeId), theirs = shifts.filter((/** @type {any} */ one) => one.employeeId === cashier.user.employeeId);
  const pair = mine.flatMap((/** @type {any} */ one) => theirs.filter((/** @type {any} */ other) => other.date === one.date && other.shiftType !== one.shiftType).map((/** @type {any} */ other) => ({ one, other })))[0] ?? { one: mine[0], other: theirs.find((/** @type {any} */ other) => other.date === mine[0].date) };
  assert.ok(pair.one && pair.other);
  const day = dated(pair.one.date, { weekday: "short" });
  const page = await person("waiter", "mine");
  await page.getByRole("button", { name: new RegExp(`^Offer: ${day}`) }).click();
  await dialog(page).getByRole("button", { name: /Swap for another/ }).click();
  await dialog(page).locator(`[name=whom] option[value$="${pair.other.id}"]`).waitFor({ state: "attached" });
  await dialog(page).locator("[name=whom]").selectOption(`${cashier.user.employeeId} ${pair.other.id}`);
  await dialog(page).locator("[name=note]").fill("My sister's wedding");
  await examine(page, "manage-mine-offer", looks);
  await finish(page, "Offer");
  const [swap] = await until("it is asked", async () => { const found = await rows("/shifts/swaps"); return found.length === 1 && found; });
  assert.deepEqual([swap.kind, swap.status, swap.fromShiftId, swap.toShiftId], ["SWAP", "REQUESTED", pair.one.id, pair.other.id]);
  const other = await person("cashier", "mine");
  await other.getByText("My sister's wedding").waitFor();
  await examine(other, "manage-mine-asked", looks);
  const used = await taps(other, async () => { await other.getByRole("button", { name: /^Accept:/ }).click(); });
  assert.equal(used, 1);
  await until("it is accepted", async () => (await rows("/shifts/swaps"))[0].status === "ACCEPTED");
  const boss = await desk("people/swaps", "Manager");
  await boss.getByRole("button", { name: /^Approve:/ }).waitFor();
  await examine(boss, "manage-swaps", looks);
  await boss.getByRole("button", { name: /^Approve:/ }).click();
  await until("it is approved", async () => (await rows("/shifts/swaps"))[0].status === "APPROVED");
  assert.equal((await owner.get(`/shifts/${pair.one.id}`)).employeeId, cashier.user.employeeId);
});

/** The page of one of the staff, signed in by e-mail and password as at home. @param {string} role @param {string} hash @param {string} [lang] */
async function person(role, hash, lang = "en") {
  const { page } = await open(chromium, { size: SIZES.phone });
  await page.goto(`${box.url}/manage?lang=${lang}#${hash}`);
  await page.locator("details summary").click();
  await page.locator("[name=email]").fill(`${role}@sample.test`);
  await page.locator("[name=password]").fill("tiffin-sample");
  await page.locator("form button.main").click();
  await page.locator(".manage main h1").first().waitFor();
  await loaded(page);
  return page;
}

test("one's own work is as it should be in every language", async () => {
  for (const lang of ["hi", "ta", "qps"]) {
    const page = await person("waiter", "mine", lang);
    await page.locator("main table.list tbody tr").first().waitFor();
    await examine(page, `manage-mine-${lang}`, { nights: [false], sizes: ["phone", "desk"] });
    for (const [tab, ready] of [["absence", "main table.list tbody tr"], ["punches", "main .empty"]]) {
      await page.evaluate((to) => { location.hash = `#mine/${to}`; }, tab);
      await page.locator(`.tabs a[href$="${tab}"][aria-current]`).waitFor();
      await page.locator(ready).first().waitFor();
      await examine(page, `manage-mine-${tab}-${lang}`, { nights: [false], sizes: ["phone", "desk"] });
    }
  }
});

test("leave is asked for at home and taken back", async () => {
  const page = await person("kitchen", "mine/absence");
  const day = later(await today(owner), 40);
  await page.getByRole("button", { name: "Ask for leave" }).click();
  await dialog(page).locator("[name=leaveType]").selectOption("CASUAL");
  await dialog(page).locator("[name=fromDate]").fill(day);
  await dialog(page).locator("[name=toDate]").fill(day);
  await dialog(page).locator("[name=reason]").fill("School play");
  await finish(page, "Ask for leave");
  const asked = async () => (await rows("/leave-requests")).find((/** @type {any} */ one) => one.reason === "School play");
  assert.equal((await until("it is asked", asked)).status, "PENDING");
  await page.getByRole("button", { name: /^Take back:/ }).click();
  await finish(page, "Take back");
  await until("it is taken back", async () => (await asked()).status === "CANCELLED");
});

test("talks with the assistant are found again and forgotten", async () => {
  const page = await desk("assistant", "Manager");
  await page.getByLabel("Your question").fill("What runs low?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.locator(".talk .card code").first().waitFor();
  await examine(page, "manage-assistant-answer", looks);
  const again = await desk("assistant", "Manager");
  await again.getByRole("button", { name: "Earlier talks" }).click();
  await dialog(again).getByRole("button", { name: /What runs low/ }).first().click();
  await again.locator(".talk .card").first().waitFor();
  await again.getByRole("button", { name: "Forget this talk" }).click();
  await finish(again, "Forget this talk");
  await until("it is forgotten", async () => (await manager.get("/ai/conversations")).length === 0);
});

test("somebody who is let go has no account any more; a forgotten password is given a code", async () => {
  const page = await desk("people/staff");
  await page.getByRole("button", { name: "Hire somebody" }).click();
  await dialog(page).locator("[name=name]").fill("Farah Sheikh");
  await dialog(page).locator("[name=jobTitle]").fill("Captain");
  await finish(page, "Save");
  await page.getByRole("link", { name: "Farah Sheikh" }).click();
  await page.getByRole("button", { name: "Make an account" }).or(page.getByRole("button", { name: "Give an account" })).first().click();
  await dialog(page).locator("[name=email]").fill("farah@example.com");
  await dialog(page).locator("[name=password]").fill("a-long-password");
  await dialog(page).locator("[name=role]").selectOption("WAITER");
  await finish(page, "Save");
  const farah = await client(box.url, "farah@example.com", "a-long-password");
  assert.equal(farah.user.role, "WAITER");
  await page.getByRole("button", { name: /code/i }).first().click();
  await dialog(page).getByRole("button").last().click();
  const code = (await dialog(page).locator(".code").innerText()).trim();
  await dialog(page).getByRole("button", { name: "Close" }).click();
  // At home, with the code.
  const { page: home } = await open(chromium, { size: SIZES.phone });
  await home.goto(`${box.url}/manage?lang=en`);
  await home.getByText("With e-mail and password").click();
  await home.getByRole("button", { name: "I forgot my password" }).click();
  await dialog(home).getByRole("button", { name: "I have a code" }).click();
  await dialog(home).locator("[name=token]").fill(code);
  await dialog(home).locator("[name=newPassword]").fill("another-long-password");
  await examine(home, "manage-forgotten", looks);
  await finish(home, "Set the password");
  await client(box.url, "farah@example.com", "another-long-password");
});

test("a closed day tells what was sold, how the books agree and what went on, and prints again", async () => {
  const [paid, owing] = [await order({}), await order({})];
  for (const one of [paid, owing]) await owner.post(`/orders/${one.id}/invoice`, {});
  const detail = await owner.ask("GET", `/orders/${paid.id}`);
  await owner.post(`/orders/${paid.id}/payments`, { method: "UPI", amountCents: (detail.data ?? detail).dueCents });
  const { businessDate } = await owner.get("/dashboard");
  const closed = await owner.post("/day-close", { businessDate, early: true, carryOver: true });
  const page = await desk("orders/days", "Accountant");
  const money = (/** @type {number} */ cents) => new Intl.NumberFormat("en-IN", { style: "currency", currency: "INR" }).format(cents / 100);
  await page.getByRole("link").filter({ hasText: /26|27|\d/ }).locator("xpath=ancestor::main").waitFor();
  await page.locator("table.list tbody a").first().click();
  await page.getByRole("heading", { name: /^Z 1/ }).waitFor();
  await page.getByText("Bills, payments and money agree.").waitFor();
  const text = await page.locator("main").innerText();
  for (const cents of [closed.totalCents, closed.netRevenueCents]) assert.ok(text.includes(money(cents)), `${money(cents)} of ${text}`);
  await page.getByRole("link", { name: owing.orderNumber }).first().waitFor();
  await page.getByText("Line by line").click();
  await examine(page, "manage-day", looks);
  const boss = await desk(`orders/days/${businessDate}`);
  const before = (await rows("/print-jobs")).length;
  await boss.getByRole("button", { name: "Print", exact: true }).click();
  await until("the report is printed", async () => { const jobs = await rows("/print-jobs", manager); return jobs.length === before + 1 && jobs[0].kind === "REPORT"; });
  // The day after goes on already: reports begin with it.
  const sales = await desk("reports/sales");
  const { businessDate: next } = await owner.get("/dashboard");
  assert.notEqual(next, businessDate);
  assert.equal(await sales.getByLabel("To", { exact: true }).inputValue(), next);
});

test("a bill is seen as it was made", async () => {
  const [bill] = await rows("/orders/invoices");
  const page = await desk("orders/bills", "Accountant");
  await page.getByRole("button", { name: bill.number }).click();
  await dialog(page).getByText("How it is sealed").click();
  await dialog(page).getByText((await owner.get(`/orders/invoices/${bill.id}`)).hash).waitFor();
  await examine(page, "manage-bill", looks);
});

test("a box whose clock stands in another year says so, and a manager sets it right", async () => {
  const folder = folderFor("tiffin-clock-"), data = join(folder, "data"), port = await freePort(), url = `http://127.0.0.1:${port}`;
  run("edge", ["init", "--data-dir", data, "--outlet-code", "BLR1", "--outlet-name", "Tiffin", "--timezone", "Asia/Kolkata", "--currency", "INR", "--owner-email", "owner@sample.test", "--sample-data", "--sample-password", "tiffin-sample"]);
  const wrong = start("edge", ["serve", "--data-dir", data, "--listen", `127.0.0.1:${port}`], folder, clockAt("@2036-03-01 12:00:00"));
  await until("the branch answers", async () => (await fetch(`${url}/health`)).ok);
  const boss = await client(url, "manager@sample.test");
  assert.equal((await boss.get("/status")).clockDoubt.fault, "AHEAD");
  const { page } = await open(chromium, { size: SIZES.desk, touch: false });
  await page.goto(`${url}/manage?lang=en#today`);
  await page.getByText("With e-mail and password").or(page.locator("[name=email]")).first().waitFor();
  if (!(await page.locator("[name=email]").isVisible())) await page.getByText("With e-mail and password").click();
  await page.locator("[name=email]").fill("manager@sample.test");
  await page.locator("[name=password]").fill("tiffin-sample");
  await page.locator("form button.main").click();
  await page.locator(".troubles").getByText("The clock of the box is wrong. A manager sets it.").waitFor();
  await page.getByRole("link", { name: "Set the clock" }).click();
  await page.getByRole("button", { name: "Set the clock" }).waitFor();
  await examine(page, "manage-clock-wrong", looks);
  const right = new Date();
  const wall = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Kolkata", dateStyle: "short", timeStyle: "short" }).format(right).replace(" ", "T");
  await page.getByRole("button", { name: "Set the clock" }).click();
  await dialog(page).locator("[name=now]").fill(wall);
  await finish(page, "Save");
  // Tokens of the time before have ended with it: the page goes on by itself, this client signs in again.
  await until("the box goes by the manager's time", async () => Math.abs(Date.parse((await (await client(url, "manager@sample.test")).get("/status")).clock) - right.getTime()) < 180_000);
  await page.locator(".troubles").getByText("The clock of the box is wrong.").waitFor({ state: "detached" });
  // Today is the day that the box is at: until its cutoff in the night that is yesterday's date.
  const day = dated(await today(await client(url, "manager@sample.test")), { weekday: "short" });
  await page.evaluate(() => { location.hash = "#today"; });
  await page.locator("main .hint", { hasText: day }).first().waitFor();
  await kill(wrong);
});
