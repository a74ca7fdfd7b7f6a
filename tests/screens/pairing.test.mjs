// A tablet that is paired by its code in a browser, and the people who use it in turns by PIN. Its page needs no script.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { bearer, branch, browser, call, examinePage, open, until } from "./harness.mjs";

/** A tablet that is held upright. */
const TABLET = { width: 820, height: 1180 };

/** The people: code, role at the till, PIN. */
const PEOPLE = [["ASHA", "WAITER", "739182"], ["RAVI", "CASHIER", "518294"], ["CHITRA", "WAITER", "846205"], ["DEEPA", "MANAGER", "927516"]];

/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
before(async () => { [chromium, box] = await Promise.all([browser(), branch()]); });
after(async () => { await chromium?.close(); await box?.end(); });

/** Asks for a code in the page that is open. @param {import("playwright-core").Page} page @param {string} kind @param {string} name */
async function ask(page, kind, name) {
  await page.locator("#kind").selectOption(kind);
  await page.locator("#name").fill(name);
  await page.locator("form button").click();
}

/** What the page of a screen that waits shows. @param {import("playwright-core").Page} page */
async function codeOn(page) {
  const code = await page.locator("code.print").innerText();
  assert.match(code, /^\w{4}-\w{4}$/);
  return code;
}

/** The status of what a token is refused. @param {{ token: string }} who @param {string} path */
const refused = async ({ token }, path) => (await fetch(`${box.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Sends an order whose answer begins and never arrives. @param {string} token @param {string} key @param {any} order */
function sendAndLose(token, key, order) {
  const body = JSON.stringify(order);
  const { hostname, port, host } = new URL(box.url);
  const head = `POST /api/v1/orders HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\nidempotency-key: ${key}\r\n`
    + `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const line = connect(Number(port), hostname, () => line.write(head + body));
    line.once("data", () => { line.destroy(); resolve(undefined); });
    line.once("error", reject);
  });
}

test("a tablet is paired by its code, and four people use it in turns", async () => {
  const owner = await box.as("owner");
  const { page, context, complaints } = await open(chromium, { size: TABLET });
  await page.goto(box.url);
  await page.locator("a[href='/pair']").click();
  await page.locator("h1", { hasText: "Pair this screen" }).waitFor();
  await examinePage(page, "pair-form");
  await ask(page, "POS", "  ");
  assert.equal(await page.locator("#name ~ #name-wrong").innerText(), "It must not be blank.");
  await examinePage(page, "pair-wrong");

  // A manager refuses the first one; the page hears of it by itself, and begins anew.
  await ask(page, "BOARD", "Nobody's");
  await owner.post("/devices/deny", { userCode: await codeOn(page) });
  await page.getByText("A manager refused this screen.").waitFor();
  await ask(page, "POS", "Bar till");
  await owner.post("/devices/approve", { userCode: await codeOn(page) });
  await page.getByText("A manager has let this screen in.").waitFor();
  await examinePage(page, "pair-let-in");
  await page.locator("form button").click();
  await page.getByText("This screen is paired: Bar till.").waitFor();
  await examinePage(page, "paired");

  // No script reads what the page was given; this server's own pages sign in by it.
  assert.equal(await page.evaluate(() => document.cookie), "");
  const cookies = await context.cookies();
  assert.equal(cookies.length, 1, JSON.stringify(cookies));
  const [cookie] = cookies;
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/api/v1/auth"]);
  const refreshed = await call(box.url, "POST", "/auth/refresh", { body: {}, headers: { origin: box.url, cookie: `${cookie.name}=${cookie.value}` } });
  assert.equal(refreshed.data.refreshToken ?? null, null);
  const tablet = bearer(box.url, refreshed.data.accessToken);
  const device = await tablet.get("/devices/own");
  assert.deepEqual([device.name, device.kind, device.signedIn], ["Bar till", "POS", true]);

  for (const [code, tillRole, pin] of PEOPLE) {
    const hired = await owner.post("/employees", { employeeCode: code, name: `${code} Rao`, jobTitle: "Staff", tillRole });
    await owner.ask("PUT", `/employees/${hired.id}/pin`, { pin });
  }
  const menu = await owner.get("/menu");
  const [dish] = menu.categories.flatMap((/** @type {any} */ each) => each.items).filter((/** @type {any} */ each) => each.isAvailable && each.modifierGroups.length === 0);
  const order = (/** @type {number} */ quantity) => ({ orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity, unitPriceCents: dish.priceCents }] });
  const count = async () => (await owner.ask("GET", "/orders")).pagination.total;
  const before = await count();
  const byPin = async (/** @type {string} */ employeePin) => bearer(box.url, (await tablet.post("/auth/pin", { employeePin })).accessToken);

  // Asha taps twice.
  const asha = await byPin(PEOPLE[0][2]);
  const [one, two] = await Promise.all([asha.post("/orders", order(1), "a"), asha.post("/orders", order(1), "a")]);
  assert.equal(one.id, two.id);
  // Ravi's answer is lost, and Chitra has entered her PIN by the time the tablet asks again: it is his order all the same.
  const ravi = await byPin(PEOPLE[1][2]);
  await sendAndLose(ravi.token, "b", order(2));
  const chitra = await byPin(PEOPLE[2][2]);
  await chitra.post("/orders", order(2), "b");
  await chitra.post("/orders", order(3), "c");
  const deepa = await byPin(PEOPLE[3][2]);
  const mine = await deepa.post("/orders", order(4), "d");
  assert.equal(await refused(ravi, "/orders"), 401);

  assert.equal(await count(), before + 4, "each order is there once");
  const orders = await owner.get("/orders?limit=50");
  const served = [];
  for (const { id } of orders) {
    const { data, ...bare } = await owner.ask("GET", `/orders/${id}`);
    const detail = data ?? bare;
    for (const line of detail.items) served.push(`${line.quantity} ${detail.server?.name}`);
  }
  PEOPLE.forEach(([code], at) => assert.equal(served.filter((each) => each === `${at + 1} ${code} Rao`).length, 1, `${code} in ${served}`));

  // Whoever removes it ends it at once, the cookie too.
  await owner.ask("DELETE", `/devices/${device.id}`);
  assert.equal(await refused(deepa, `/orders/${mine.id}`), 401);
  assert.equal(await refused(tablet, "/menu"), 401);
  // No other site's page begins or ends a pairing.
  for (const path of ["/pair/ask", "/pair/open"]) {
    const sent = await fetch(box.url + path, { method: "POST", headers: { origin: "http://evil.example", "content-type": "application/x-www-form-urlencoded" }, body: "kind=POS&name=x" });
    assert.equal(sent.status, 403, path);
  }
  await until("the page is told nothing more", async () => complaints.length === 0);
  await context.close();
});
