// The clock in a browser: five touches from a PIN to a punch, only what is possible, an answer large enough, a lock that says until when, and
// nothing at all while the box is away.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, examine, open, signIn, SIZES, taps, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [box, chromium] = await Promise.all([branch(["--limit-pin", "1000/60", "--limit-login", "1000/900"]), browser()]); });
after(async () => { await chromium?.close(); await box?.end(); });

/** The clock, signed in. @param {any} [look] @param {string} [query] */
async function clock(look, query = "") {
  const opened = await open(chromium, look);
  await opened.page.goto(`${box.url}/clock${query}`);
  if (query) await opened.page.locator(".sample button").first().click();
  else await signIn(opened.page, "Shared terminal");
  await opened.page.locator(".pin").waitFor();
  const pad = opened.page.locator(".pin .keys");
  /** @param {string} pin */
  const type = async (pin) => { for (const digit of pin) await pad.getByRole("button", { name: digit, exact: true }).click(); };
  return { ...opened, type };
}
/** @param {any} page @param {string} name */
const event = (page, name) => page.locator(".events").getByRole("button", { name, exact: true });

test("a punch is five touches, and the answer stands in letters of 64 pixels until it goes by itself", async () => {
  const { page, type, complaints, context } = await clock();
  const touched = await taps(page, async () => {
    await type("1004");
    await event(page, "In").click();
  });
  assert.equal(touched, 5);
  const answer = page.locator(".answer bdi");
  await answer.waitFor();
  assert.match(await page.locator(".answer").innerText(), /^Arjun Kumar – in \d\d:\d\d – (on time|early|late)$/);
  assert.equal(await page.locator(".answer").evaluate((one) => getComputedStyle(one).fontSize), "64px");
  await page.locator(".pin").waitFor();
  // Only what is possible now, and what was worked.
  await type("1004");
  await event(page, "Break").waitFor();
  assert.deepEqual(await page.locator(".events button").allInnerTexts().then((all) => all.sort()), ["Break", "Out"]);
  await event(page, "Break").click();
  await page.locator(".pin").waitFor();
  await type("1004");
  assert.match(await page.locator(".state").innerText(), /^On a break/);
  await event(page, "Back").click();
  await page.locator(".pin").waitFor();
  await type("1004");
  await event(page, "Out").click();
  await page.locator(".pin").waitFor();
  const manager = await box.as("manager");
  const punches = (await manager.get("/attendance")).filter((/** @type {any} */ one) => one.employeeName === "Arjun Kumar");
  assert.deepEqual(punches.map((/** @type {any} */ one) => one.eventType).sort(), ["BREAK_END", "BREAK_START", "CLOCK_IN", "CLOCK_OUT"]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a double tap, or an answer lost on the way, is one punch", async () => {
  const { page, type, context } = await clock();
  let lost = 0;
  await context.route("**/workforce/attendance", async (route) => {
    if (lost++ === 0) { await route.fetch().catch(() => {}); await route.abort().catch(() => {}); } else await route.continue();
  });
  await type("1005");
  await event(page, "In").dblclick();
  await page.locator(".answer bdi").waitFor();
  const manager = await box.as("manager");
  const punches = (await manager.get("/attendance")).filter((/** @type {any} */ one) => one.employeeName === "Divya Pillai");
  assert.equal(punches.length, 1);
  await context.close();
});

test("by keys alone: digits, Enter, and Escape for somebody else", async () => {
  const { page, context } = await clock({ touch: false });
  for (const digit of "1006") await page.keyboard.press(digit);
  await page.keyboard.press("Enter");
  await page.locator(".who").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".pin").waitFor();
  for (const digit of "1006") await page.keyboard.press(digit);
  await page.waitForFunction(() => document.activeElement?.closest(".events"));
  await page.keyboard.press("Enter");
  await page.locator(".answer bdi").waitFor();
  await context.close();
});

test("every state, by day and by night, at three sizes; the roster of today and of the week", async () => {
  const { page, type, complaints, context } = await clock();
  await examine(page, "clock-pad");
  await page.getByRole("button", { name: "Roster" }).click();
  await page.locator("dialog .today li").first().waitFor();
  await examine(page, "clock-today");
  await page.getByRole("button", { name: "This week" }).click();
  await page.locator("dialog .week").waitFor();
  assert.equal(await page.locator(".week thead th").count(), 8);
  await examine(page, "clock-week");
  await page.keyboard.press("Escape");
  await type("1007");
  await page.locator(".who").waitFor();
  await examine(page, "clock-who", { nights: [false], sizes: ["phone"] });
  await event(page, "In").click();
  await page.locator(".answer bdi").waitFor();
  await examine(page, "clock-answer", { nights: [true], sizes: ["phone"] });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("nothing is cut in Hindi, in Tamil, or from right to left", async () => {
  for (const [at, language] of ["hi", "ta", "qps"].entries()) {
    const { page, type, context } = await clock({}, `?lang=${language}`);
    await examine(page, `clock-pad-${language}`, { nights: [false] });
    await type(["1008", "1009", "1010"][at]);
    await page.locator(".who").waitFor();
    await examine(page, `clock-who-${language}`, { nights: [false], sizes: ["phone", "tablet"] });
    await context.close();
  }
});

test("a wrong PIN is said, and a lock says until when", async () => {
  const { page, type, context } = await clock({ size: SIZES.phone });
  const wrong = async () => {
    const answered = page.waitForResponse(/attendance\/look/);
    await type("9999");
    await answered;
  };
  await wrong();
  await page.getByText("That PIN is not known. Try again.").waitFor();
  await until("the pad is locked", async () => {
    if (await page.locator(".shut").count()) return true;
    await wrong();
    return (await page.locator(".shut").count()) > 0;
  });
  assert.match(await page.locator(".shut").innerText(), /Try again at \d\d:\d\d/);
  await examine(page, "clock-locked");
  await context.close();
});

test("while the box is away nobody clocks in: a punch has the box's time", async () => {
  const { page, context } = await clock();
  await box.down();
  await page.locator(".shut").waitFor();
  assert.equal(await page.locator(".pin").count(), 0);
  await examine(page, "clock-away");
  await box.up();
  await page.locator(".pin").waitFor();
  await context.close();
});
