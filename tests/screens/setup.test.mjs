// The link on the console of a new box, opened on a phone: typed in wrong, typed in right, opened again; and the guide to the API. These pages
// need no script.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { atLast, browser, call, examinePage, fresh, open, plain, PHONE, until } from "./harness.mjs";

const SECRET = "a good long password";

/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { chromium = await browser(); });
after(() => chromium?.close());

/** A new box, and a page with its link open. @param {{ touch?: boolean, size?: { width: number, height: number } }} [look] */
async function opened(look = { size: PHONE }) {
  const box = await fresh({ TZ: "Europe/Berlin" });
  const { page, context, complaints } = await open(chromium, look);
  await page.goto(box.link);
  const end = async () => { await context.close(); await box.end(); };
  return { box, page, complaints, end };
}

/** @param {import("playwright-core").Page} page @param {Record<string, string>} fields */
async function fill(page, fields) {
  for (const [id, text] of Object.entries(fields)) await page.locator(`#${id}`).fill(text);
}

/** @param {import("playwright-core").Page} page @param {string} first @param {string} again */
const passwords = (page, first, again) => fill(page, { "owner-password": first, "owner-password-again": again });

/** What is said beside a field. @param {import("playwright-core").Page} page @param {string} field */
const beside = (page, field) => page.locator(`#${field} ~ #${field}-wrong`).innerText();

test("a phone makes the branch by typing, and the link works once", async () => {
  const { box, page, end } = await opened();
  assert.equal(await page.locator("h1").innerText(), "Set up this box");
  assert.equal(await page.locator("#timezone").inputValue(), "Europe/Berlin");
  assert.equal(await page.locator("#currency").inputValue(), "EUR");
  await examinePage(page, "setup-empty");

  // Wrong: each error beside its field and in the list above, which has the focus; what was typed stays, but for passwords.
  await fill(page, { "outlet-code": "B-1", "outlet-name": "Dosa & <Co>", "owner-email": "nobody" });
  await passwords(page, "short", "short");
  await page.locator("button").click();
  assert.equal(await beside(page, "outlet-code"), "Outlet code must be 1 to 4 letters and digits");
  assert.equal(await beside(page, "owner-email"), "Email must be an email address");
  assert.equal(await beside(page, "owner-password"), "Password must be 10 to 128 characters long");
  assert.equal(await page.locator("#owner-email").getAttribute("aria-describedby"), "owner-email-wrong owner-email-hint");
  await until("the errors have the focus", async () => (await page.evaluate(() => document.activeElement?.getAttribute("role"))) === "alert");
  assert.equal(await page.title(), "Error: Set up this box");
  assert.deepEqual(await page.locator("[role=alert] a").allInnerTexts(), ["Outlet code", "Email", "Password"], "in the order of the page");
  for (const [field, typed] of [["outlet-code", "B-1"], ["outlet-name", "Dosa & <Co>"], ["owner-email", "nobody"], ["owner-password", ""]]) {
    assert.equal(await page.locator(`#${field}`).inputValue(), typed, field);
  }
  await examinePage(page, "setup-errors");
  await page.locator("[role=alert] li:nth-child(2) a").click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "owner-email", "a tap on an error leads to its field");

  await fill(page, { "outlet-code": "ber1", "owner-email": "owner@example.com" });
  await passwords(page, SECRET, "another password");
  await page.locator("button").click();
  assert.equal(await beside(page, "owner-password-again"), "Password again is not the same password");

  // A part that is folded away unfolds where something in it is wrong.
  await page.locator("details:nth-of-type(2) summary").click();
  await fill(page, { "hub-code": "ABCD-EFGH" });
  await passwords(page, SECRET, SECRET);
  await page.locator("button").click();
  assert.equal(await beside(page, "hub"), "Head office is needed with a code");
  await examinePage(page, "setup-head-office");
  await fill(page, { "hub-code": "" });

  await passwords(page, SECRET, SECRET);
  await page.locator("button").click();
  await page.locator("h1", { hasText: "Done" }).waitFor();
  const told = await page.locator("body").innerText();
  assert.ok(told.includes("BER1 Dosa & <Co> is set up") && told.includes("signs in as owner@example.com"), told);
  await examinePage(page, "setup-end");
  await box.says("Tiffin is open at");

  // The branch is what was typed, and the next step leads on.
  await until("it is ready", async () => (await fetch(`${box.url}/ready`)).ok);
  const signedIn = await call(box.url, "POST", "/auth/login", { body: { email: "owner@example.com", password: SECRET } });
  assert.equal(signedIn.data.user.role, "OWNER");
  const { outlet } = (await call(box.url, "GET", "/status", { headers: { authorization: `Bearer ${signedIn.data.accessToken}` } })).data;
  assert.deepEqual([outlet.code, outlet.name], ["BER1", "Dosa & <Co>"]);
  await page.locator("main a[href='/sheet']").click();
  await page.locator("h1", { hasText: "Dosa & <Co>" }).waitFor();

  // Once.
  await page.goto(box.link);
  assert.equal(await page.locator("h1").innerText(), "Already set up");
  assert.ok(!(await page.locator("body").innerText()).includes("certificate"), "there is none without TLS");
  await examinePage(page, "setup-closed");
  await page.goto(box.url);
  assert.equal(await page.locator("h1").innerText(), "Dosa & <Co>");
  await examinePage(page, "home");
  await end();
});

test("work that takes long goes on behind a page that asks again by itself", async () => {
  const { page, complaints, end } = await opened();
  // A head office that takes the call and says nothing.
  /** @type {import("node:net").Socket[]} */
  const calls = [];
  const silent = createServer((socket) => { calls.push(socket); socket.on("error", () => {}); });
  await new Promise((resolve) => silent.listen(0, "127.0.0.1", () => resolve(undefined)));
  atLast(() => { silent.close(); for (const socket of calls) socket.destroy(); });
  const { port } = /** @type {import("node:net").AddressInfo} */ (silent.address());
  await fill(page, { "outlet-code": "BER1", "outlet-name": "Dosa & Co", "owner-email": "owner@example.com" });
  await passwords(page, SECRET, SECRET);
  await page.locator("details:nth-of-type(2) summary").click();
  await fill(page, { hub: `http://127.0.0.1:${port}`, "hub-code": "ABCD-EFGH" });
  await page.locator("button").click();
  await until("the page says to wait", async () => (await page.title()) === "One moment");
  // It hangs up: nobody taps anything, and the form is there again with what was typed.
  silent.close();
  await until("it was called", async () => calls.length > 0);
  for (const socket of calls) socket.destroy();
  await until("the form is there again", async () => (await page.title()) === "Error: Set up this box");
  assert.match(await beside(page, "hub"), /^Head office does not take this box/);
  assert.equal(await page.locator("#owner-email").inputValue(), "owner@example.com");
  assert.deepEqual(complaints, []);
  await end();
});

test("a wrong code is said beside its field, and a guesser must wait", async () => {
  const { box, page, end } = await opened();
  await page.goto(box.url);
  await until("the code has the focus", async () => (await page.evaluate(() => document.activeElement?.id)) === "code");
  await examinePage(page, "setup-code");
  await page.locator("#code").fill("WRNG-CODE");
  await page.locator("button").click();
  assert.equal(await beside(page, "code"), "Code is not the one on the box's screen");
  await until("the code has the focus", async () => (await page.evaluate(() => document.activeElement?.id)) === "code");
  await examinePage(page, "setup-wrong-code");
  for (let tries = 0; tries < 10; tries += 1) await page.goto(`${box.url}/setup?code=WRNG-CODE`);
  assert.ok((await page.locator("body").innerText()).includes("Too many wrong codes from this device. Wait 10 min"));
  await examinePage(page, "setup-wait");
  await end();
});

test("the form is filled in without a mouse, and one sees where one is", async () => {
  const { page, end } = await opened({ size: { width: 1280, height: 900 }, touch: false });
  await page.evaluate(() => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
  const order = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const [name, style, width] = await page.evaluate(() => {
      const at = /** @type {HTMLElement} */ (document.activeElement), look = getComputedStyle(at);
      return /** @type {const} */ ([at.id || at.localName, look.outlineStyle, parseFloat(look.outlineWidth)]);
    });
    assert.ok(style === "solid" && width >= 2, `${name} does not show its focus`);
    order.push(name);
    if (name === "button") break;
  }
  const outlet = ["outlet-code", "outlet-name", "timezone", "currency", "country"];
  const owner = ["owner-email", "owner-password", "owner-password-again"];
  assert.deepEqual(order, [...outlet, ...owner, "summary", "sample-data", "summary", "hub", "hub-code", "hub-ca", "replace", "button"]);
  // What keyboards and password stores go by.
  const told = await page.evaluate(() => ["owner-email", "owner-password", "hub"].map((id) => {
    const field = /** @type {HTMLInputElement} */ (document.getElementById(id));
    return [field.type, field.autocomplete];
  }));
  assert.deepEqual(told, [["email", "email"], ["password", "new-password"], ["url", "off"]]);
  await end();
});

test("the guide is read on every screen, and leads to the reference", async () => {
  const box = await plain();
  const { page, context, complaints } = await open(chromium, { size: PHONE });
  await page.goto(`${box.url}/docs/guide`);
  assert.equal(await page.locator("h1").innerText(), "Guide to the Tiffin API");
  await examinePage(page, "guide", { scripts: true });
  assert.deepEqual(complaints, []);
  await context.close();
  await box.end();
});

test("a bad page is found to be bad", async () => {
  const { page, context, complaints } = await open(chromium, { size: PHONE });
  const text = "<title>x</title><style>p{color:%23999;background:%23fff}</style><main><h1>x</h1><p style='width:99em'>pale</p><input>"
    + "<button style='all:unset'>x</button><img src='data:,'></main><script>nonsense()</script>";
  await page.goto(`data:text/html,${text}`);
  await assert.rejects(examinePage(page, "bad"), (error) => {
    const said = String(/** @type {Error} */ (error).message) + JSON.stringify(/** @type {any} */ (error).actual);
    for (const each of ["it needs a script", "phone by day: one must scroll sideways", "desk by night: too small to tap", "color-contrast", "html-has-lang", "label", "image-alt"]) assert.ok(said.includes(each), `${each} is not found`);
    return true;
  });
  assert.ok(complaints.some((said) => said.includes("nonsense is not defined")));
  await context.close();
});
