// Head office's screen on a real head office with two real branches: what it shows of them, what it sends them, and what somebody decides.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PASSWORD, browser, examine, open, signIn, taps, until } from "./harness.mjs";
import { ADMIN, chain, desk, sell, tile } from "./hq-harness.mjs";

/** @type {Awaited<ReturnType<typeof chain>>} */
let all;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => {
  [all, chromium] = await Promise.all([chain(), browser()]);
  const [north] = await all.admin.get("/hub/outlets").then((/** @type {any[]} */ list) => list.filter(({ code }) => code === "NRTH"));
  await all.admin.post("/hub/catalogue/import", { outletId: north.id, includeStaff: true });
});
/** A moment that is not now, for whoever reads this in whichever year. */
const LATER = `${new Date().getFullYear() + 2}-01-01T10:00`;
after(async () => { await chromium?.close(); await all?.office.end(); });

const office = (at = "overview") => desk(chromium, all.office.url, `#/${at}`);

/** @param {string} code */
const idOf = async (code) => (await all.admin.get("/hub/outlets")).find((/** @type {any} */ outlet) => outlet.code === code).id;

test("both outlets are shown; an order at a branch is in the chain's figures", async () => {
  const { page, context, complaints } = await office();
  await tile(page, "North Street").getByText(/Online$/).waitFor();
  await tile(page, "Harbour").getByText("All is well").waitFor();
  const before = await tile(page, "North Street").locator(".sales strong").innerText();
  const { order } = await sell(all.north);
  // It comes by the stream: nobody reloads.
  await page.waitForFunction(([name, was]) => [...document.querySelectorAll(".tile")].find((one) => one.querySelector("h2")?.textContent === name)?.querySelector(".sales strong")?.textContent !== was, /** @type {const} */ (["North Street", before]));
  await page.goto(`${all.office.url}/#/figures`);
  await page.getByRole("button", { name: "Today", exact: true }).click();
  const row = page.getByRole("table", { name: "Outlets side by side" }).getByRole("row", { name: /North Street/ });
  await row.getByText(/^₹[1-9]/).first().waitFor();
  // The order itself, as the branch would show it.
  await page.goto(`${all.office.url}/#/outlet/${await idOf("NRTH")}/orders`);
  await page.getByRole("link", { name: order.orderNumber }).click();
  await page.getByRole("heading", { name: order.orderNumber }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a price goes to both branches, and the screen says that it arrived at 2 of 2", async () => {
  const { page, context, complaints } = await office("menu");
  const touched = await taps(page, async () => {
    await page.getByRole("button", { name: "Price of Masala Dosa" }).click();
    await page.getByRole("dialog").getByLabel("Price").fill("199");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
  assert.equal(touched, 2, "a new price for the whole chain");
  await page.getByRole("button", { name: "Price of Masala Dosa" }).getByText("₹199.00").waitFor();
  await page.getByRole("link", { name: "Publications" }).click();
  const row = page.getByRole("row", { name: /Masala Dosa/ });
  await row.getByText("Arrived 2 of 2").waitFor();
  for (const branch of [all.north, all.harbour]) {
    const manager = await branch.as("manager");
    const menu = await manager.get("/menu");
    const dish = menu.categories.flatMap((/** @type {any} */ chapter) => chapter.items).find((/** @type {any} */ one) => one.name === "Masala Dosa");
    assert.equal(dish.priceCents, 19_900, branch.name);
  }
  await row.getByRole("button").first().click();
  await page.getByRole("dialog").getByText("₹199.00").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what is to take effect later can be taken back", async () => {
  const { page, context, complaints } = await office("menu");
  await page.getByRole("button", { name: "Price of Plain Dosa" }).click();
  await page.getByRole("dialog").getByLabel("Price").fill("777");
  await page.getByLabel("Takes effect").fill(LATER);
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Publications" }).click();
  const row = page.getByRole("row", { name: /Plain Dosa/ });
  await row.getByRole("button", { name: /Take back/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await row.getByText("Taken back").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("settings go to both branches, now and later; each is seen to arrive, and what is to come can be taken back", async () => {
  const { page, context, complaints } = await office("settings");
  const guests = page.locator(".settings", { has: page.getByRole("heading", { name: "Guests and courses" }) });
  // What is on its way is said, and then that it came, while the focus stays at the button: nobody touches anything.
  all.harbour.internet.cut();
  const touched = await taps(page, async () => {
    await guests.getByRole("button", { name: "At many outlets" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Hold later courses").check();
    await dialog.getByLabel(/^Orders for later start/).fill("25");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.waitFor({ state: "detached" });
  });
  assert.equal(touched, 3, "a setting for the whole chain");
  await guests.locator("header").getByText("On its way").waitFor();
  all.harbour.internet.mend();
  await guests.getByText("In force").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "At many outlets Guests and courses");
  await guests.getByText("25", { exact: true }).waitFor();
  for (const branch of [all.north, all.harbour]) {
    const manager = await branch.as("manager");
    await until(`${branch.name} goes by it`, async () => { const [outlet] = await manager.get("/outlets"); return outlet.holdCourses && outlet.scheduleLeadMinutes === 25; });
  }
  // Somebody types what a branch would not take, then for later, at one outlet.
  const tax = page.locator(".settings", { has: page.getByRole("heading", { name: "Tax and service charge" }) });
  await tax.getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("GSTIN").fill("nonsense");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await examine(page, "hq-settings-form");
  await dialog.getByRole("button", { name: "Close" }).click();
  await tax.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("Service charge (%)").fill("7.5");
  await dialog.getByLabel("Takes effect").fill(LATER);
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.waitFor({ state: "detached" });
  await tax.locator(".pending").getByText(/7.5\s?%/).waitFor();
  await examine(page, "hq-settings-pending");
  await page.getByRole("link", { name: "Publications" }).click();
  await page.getByRole("row", { name: /Settings: Guests/ }).getByText("Arrived 2 of 2").waitFor();
  const later = page.getByRole("row", { name: /Settings: Tax/ });
  await later.getByRole("button").first().click();
  await dialog.getByText(/7.5\s?%/).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await later.getByRole("button", { name: /Take back/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await later.getByText("Taken back").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("an edit made at both ends is shown with both values, and somebody decides", async () => {
  const manager = await all.north.as("manager");
  const find = async (/** @type {(path: string) => Promise<any>} */ get, /** @type {string} */ path) => (await get(path)).find((/** @type {any} */ one) => one.name === "Onion Uttapam");
  all.north.internet.cut();
  const there = await find(manager.get, "/menu/items?limit=100&q=Onion");
  await manager.ask("PATCH", `/menu/items/${there.id}`, { priceCents: 15_500 }, { "if-match": `"${there.version}"` });
  const here = await find(all.admin.get, "/hub/menu/items?limit=100&q=Onion");
  await all.admin.ask("PATCH", `/hub/menu/items/${here.id}`, { priceCents: 16_600 }, { "if-match": `"${here.version}"` });
  // Once it lies ready for the branch, neither end knew of the other's edit.
  await until("head office's edit lies ready", async () => { const north = await all.admin.get(`/hub/outlets/${await idOf("NRTH")}`); return north.feed > north.feedArrived; });
  all.north.internet.mend();
  const { page, context, complaints } = await office();
  await tile(page, "North Street").getByRole("link", { name: /Conflicts to decide/ }).click({ timeout: 120_000 });
  const conflict = page.locator(".conflict", { hasText: "Onion Uttapam" });
  await conflict.getByText("₹155.00").waitFor();
  await conflict.getByText("₹166.00").waitFor();
  await examine(page, "hq-conflict");
  const loser = await conflict.locator("th", { hasText: "lost" }).innerText();
  const wanted = loser.startsWith("Branch") ? 15_500 : 16_600;
  await conflict.getByRole("button", { name: /^Bring the other/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Bring the other back" }).click();
  await conflict.waitFor({ state: "detached" });
  await until("the branch has the value that came back", async () => (await find(manager.get, "/menu/items?limit=100&q=Onion")).basePriceCents === wanted);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator(".conflict", { hasText: "Onion Uttapam" }).getByText(/^Brought back by/).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a box in the place of another: the code is made here, what the old one still had is read row by row and taken over", async () => {
  const { page, context, complaints } = await office("enrolment");
  const pier = await all.office.branch("PIER", "Pier");
  await pier.enrol((await all.admin.post("/hub/enrolments", {})).code);
  await pier.up();
  const id = await until("the branch is heard", () => idOf("PIER"));
  await until("it has sent what it has", async () => (await all.admin.get(`/hub/outlets/${id}`)).rowsWaiting === 0);
  // The old box sells while it is cut off, then another takes its place.
  pier.internet.cut();
  const { order } = await sell(pier);
  await pier.down();
  await page.getByRole("button", { name: "Replace the box Pier" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make a code" }).click();
  const code = await page.getByRole("dialog").locator(".code code").innerText();
  const next = await all.office.replacement(pier, code);
  // It comes back and hears that it is the branch's no more.
  pier.internet.mend();
  await pier.up();
  const left = await open(chromium, { touch: false });
  await left.page.goto(`${pier.url}/manage?lang=en`);
  await signIn(left.page, "Manager");
  await left.page.locator(".troubles").getByText("This box is no longer the branch's").waitFor();
  await left.context.close();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: /^Outlets/ }).click();
  await tile(page, "Pier").getByRole("link", { name: /Left at a replaced box/ }).click();
  await page.getByRole("button", { name: "Read it" }).first().click();
  await page.getByRole("dialog").locator("dd").first().waitFor();
  await examine(page, "hq-salvage-row");
  await page.getByRole("button", { name: "Close" }).click();
  await examine(page, "hq-salvage");
  // Row by row, too.
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Take the chosen over (1)" }).waitFor();
  await page.getByRole("button", { name: "Take all over" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take over" }).click();
  const manager = await next.as("manager");
  await until("the order of the old box is at the new one", async () => (await manager.get("/orders")).some((/** @type {any} */ one) => one.id === order.id));
  await page.getByText("Nothing is left over.").waitFor();
  await next.end();
  await pier.end();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a code that is made in the browser enrols a branch", async () => {
  const { page, context, complaints } = await office();
  const third = await all.office.branch("LAKE", "Lake View");
  const touched = await taps(page, async () => {
    await page.getByRole("link", { name: "New outlet" }).click();
    await page.getByRole("button", { name: "New outlet" }).click();
    await page.getByRole("dialog").waitFor();
  });
  assert.equal(touched, 2, "a code for a new outlet");
  const code = await page.getByRole("dialog").locator(".code code").innerText();
  await examine(page, "hq-code");
  await third.enrol(code);
  await third.up();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: /^Outlets/ }).click();
  await tile(page, "Lake View").getByText(/Online$/).waitFor();
  // It is shown nowhere a second time.
  assert.ok(!(await page.content()).includes(code));
  await third.end();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("somebody is added with one outlet, signs in, sees it alone, and is signed out from afar", async () => {
  const { page, context, complaints } = await office("users");
  await page.getByRole("button", { name: "Add somebody" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Meera");
  await dialog.getByLabel("E-mail").fill("meera@example.com");
  await dialog.getByLabel("Role").selectOption("MANAGER");
  await dialog.getByRole("checkbox", { name: /North Street/ }).check();
  await dialog.getByLabel(/^Password/).fill("correct horse battery");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: /meera@example.com/ }).waitFor();
  const other = await open(chromium, { touch: false });
  await other.page.goto(all.office.url);
  await other.page.getByLabel("E-mail").fill("meera@example.com");
  await other.page.getByLabel("Password").fill("correct horse battery");
  await other.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await tile(other.page, "North Street").waitFor();
  assert.equal(await other.page.locator(".tile").count(), 1);
  assert.equal(await other.page.getByRole("link", { name: "New outlet" }).count(), 0);
  // A reload stays signed in: the cookie does it, and no script can read it.
  await other.page.reload();
  await tile(other.page, "North Street").waitFor();
  assert.equal(await other.page.evaluate(() => document.cookie), "");
  assert.equal(await other.page.evaluate(() => JSON.stringify({ ...localStorage }).includes("ey")), false);
  await page.getByRole("button", { name: "Signed-in devices Meera" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog").getByText("Nothing here.").waitFor();
  await other.page.reload();
  await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual([...complaints, ...other.complaints], []);
  await other.context.close();
  await context.close();
});

test("a wrong password is said, a second factor is set up and asked for", async () => {
  await all.admin.post("/hub/users", { email: "asha@example.com", name: "Asha", password: "correct horse battery", role: "MANAGER", outlets: [await idOf("HRBR")] });
  const { page, context } = await open(chromium, { touch: false });
  await page.goto(all.office.url);
  await page.getByLabel("E-mail").fill("asha@example.com");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("E-mail, password or code is wrong.").waitFor();
  await examine(page, "hq-door");
  await page.getByRole("button", { name: "I need an authenticator" }).click();
  await page.getByLabel("E-mail").fill("asha@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Make a secret" }).click();
  const secret = (await page.locator(".secret code").innerText()).replaceAll(" ", "");
  await examine(page, "hq-secret");
  await page.getByLabel("Code of your authenticator").fill(await totp(secret));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await tile(page, "Harbour").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  // From now on it is asked for.
  await page.getByLabel("E-mail").fill("asha@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("The password is right. Now the code of your authenticator.").waitFor();
  await context.close();
});

/** The code of now, as an authenticator makes it. @param {string} secret in base 32 */
async function totp(secret) {
  const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const count = new DataView(new ArrayBuffer(8));
  count.setBigUint64(0, BigInt(Math.floor(Date.now() / 30_000)));
  const sum = new DataView(await crypto.subtle.sign("HMAC", key, count.buffer));
  const at = sum.getUint8(19) & 15;
  return String((sum.getUint32(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

const VIEWS = ["overview", "figures", "losses", "low", "recall", "transfers", "menu", "prices", "catalogue/taxes", "catalogue/groups", "catalogue/items", "catalogue/preparations", "catalogue/suppliers", "catalogue/recipes", "staff", "settings", "publications", "conflicts", "boxes", "enrolment", "users", "audit", "account"];
const PARTS = ["now", "orders", "days", "reports", "stock", "team", "quality", "records", "exchange"];

test("every view is sound at every size by day and night, and nothing is without a word", async () => {
  const { page, context, complaints } = await office();
  const north = await idOf("NRTH");
  for (const at of [...VIEWS, ...PARTS.map((part) => `outlet/${north}/${part}`)]) {
    await page.evaluate((to) => { location.hash = `#/${to}`; }, at);
    await page.locator("main#view h1").waitFor();
    await page.waitForFunction(() => !document.querySelector(".loaded[aria-busy=true]"));
    assert.deepEqual(await page.locator("#view .refused").allInnerTexts(), [], at);
    await examine(page, `hq-${at.replace(north, "north").replaceAll("/", "-")}`);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const language of ["hi", "ta", "qps"]) {
  test(`every view has its words in ${language}, and they have room`, async () => {
    const { page, context, complaints } = await desk(chromium, all.office.url, `?lang=${language}`);
    const north = await idOf("NRTH");
    for (const at of [...VIEWS, ...PARTS.map((part) => `outlet/${north}/${part}`)]) {
      await page.evaluate((to) => { location.hash = `#/${to}`; }, at);
      await page.locator("main#view h1").waitFor();
      await page.waitForFunction(() => !document.querySelector(".loaded[aria-busy=true]"));
      await examine(page, `hq-${language}-${at.replace(north, "north").replaceAll("/", "-")}`, { nights: [false], sizes: ["phone", "desk"] });
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test("by keyboard alone: in, to the menu, a new price, out", async () => {
  const { page, context, complaints } = await open(chromium, { touch: false });
  await page.goto(all.office.url);
  await page.getByLabel("E-mail").focus();
  await page.keyboard.type(ADMIN);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.locator("main#view h1").waitFor();
  /** Tabs on until what has the focus is called so. @param {RegExp} name */
  const tabTo = async (name) => {
    for (let presses = 0; presses < 300; presses += 1) {
      await page.keyboard.press("Tab");
      const on = await page.evaluate(() => { const one = document.activeElement; return one?.getAttribute("aria-label") ?? /** @type {any} */ (one)?.labels?.[0]?.textContent ?? one?.textContent ?? ""; });
      if (name.test(on.trim())) return;
    }
    throw new Error(`no way by Tab to ${name}`);
  };
  await tabTo(/^Menu and prices$/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Price of Curd Rice" }).waitFor();
  // The reader goes on at the new view.
  assert.equal(await page.evaluate(() => document.activeElement?.id), "view");
  await tabTo(/^Find a dish/);
  await page.keyboard.type("curd");
  await tabTo(/Price of Curd Rice$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(/^Price/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("145.50");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Price of Curd Rice" }).getByText("₹145.50").waitFor();
  await tabTo(/^Sign out$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});
