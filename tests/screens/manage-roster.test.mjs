// Several shifts of one person on one day, planned by keys, by taps and by dragging, in a real browser on a branch as it ships. What came of it is read
// by the API, as another person.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, dialog, examine, open, signIn, SIZES, taps, until, weekAhead } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
/** Weeks in which nobody has planned anything. @type {Record<"keys" | "taps" | "drags", string[]>} */
let weeks;
before(async () => {
  [box, chromium] = await Promise.all([branch(["--limit-login", "off"]), browser()]);
  owner = await box.as("owner");
  weeks = { keys: await weekAhead(owner, 6), taps: await weekAhead(owner, 8), drags: await weekAhead(owner, 10) };
});
after(async () => { await chromium?.close(); await box?.end(); });

/** The first person's shifts of a week, in the order they begin. @param {string} from @param {string} to */
const shifts = async (from, to) => (await owner.ask("GET", `/shifts?from=${from}&to=${to}&limit=100`)).data.sort((/** @type {any} */ one, /** @type {any} */ other) => (one.startsAt ?? one.date).localeCompare(other.startsAt ?? other.date));
/** The owner's roster. @param {string} from @param {string} [lang] */
async function roster(from, lang = "en") {
  const opened = await open(chromium, { size: SIZES.desk, touch: false });
  await opened.page.goto(`${box.url}/manage?lang=en`);
  await signIn(opened.page, "Owner");
  await opened.page.locator(".manage main h1").waitFor();
  await opened.page.goto("about:blank");
  await opened.page.goto(`${box.url}/manage?lang=${lang}#roster/${from}`);
  await opened.page.locator("[data-day]").first().waitFor();
  return opened;
}
/** The shifts in a cell. @param {import("playwright-core").Page} page @param {number} row @param {number} day */
const cell = (page, row, day) => page.locator(`[data-row="${row}"][data-day="${day}"]`);
const focused = (/** @type {import("playwright-core").Page} */ page) => page.evaluate(() => { const one = /** @type {HTMLElement} */ (document.activeElement); return `${one.dataset.row} ${one.dataset.day} ${one.querySelector("b")?.textContent ?? "-"}`; });

test("a split day is planned by keys; up and down go through it, and what is taken away is the one that has the focus", async () => {
  const { page, context, complaints } = await roster(weeks.keys[0]);
  await cell(page, 0, 0).first().focus();
  await page.keyboard.press("n");
  await cell(page, 0, 0).filter({ hasText: "Night" }).waitFor();
  await page.keyboard.press("Shift+M");
  await until("two are planned", async () => (await shifts(weeks.keys[0], weeks.keys[0])).length === 2);
  await until("both are seen, the earlier first", async () => (await cell(page, 0, 0).locator("b").allTextContents()).join() === "Morning,Night");
  assert.equal(await focused(page), "0 0 Morning", "the one that was planned");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(page), "0 0 Night");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(page), "1 0 -");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(page), "0 0 Night");
  // Another kind is of the one that has the focus alone.
  await page.keyboard.press("e");
  await until("the second is an evening", async () => (await shifts(weeks.keys[0], weeks.keys[0])).map((/** @type {any} */ one) => one.shiftType).join() === "MORNING,EVENING");
  // What it cannot be is refused, and said.
  await page.keyboard.press("o");
  await page.locator(".toasts .bad").first().waitFor();
  assert.equal((await shifts(weeks.keys[0], weeks.keys[0])).length, 2);
  await page.keyboard.press("Delete");
  await until("it is gone", async () => (await shifts(weeks.keys[0], weeks.keys[0])).map((/** @type {any} */ one) => one.shiftType).join() === "MORNING");
  await until("the other stands", async () => (await cell(page, 0, 0).locator("b").allTextContents()).join() === "Morning");
  assert.equal(await focused(page), "0 0 Morning");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("another shift is planned by taps, with what the day then costs; hours and cost of the day are of both", async () => {
  const { page, context, complaints } = await roster(weeks.taps[0]);
  const used = await taps(page, async () => {
    await cell(page, 0, 1).click();
    await dialog(page).getByRole("button", { name: /^Morning/ }).click();
    await cell(page, 0, 1).filter({ hasText: "Morning" }).waitFor();
    await cell(page, 0, 1).click();
    await dialog(page).getByRole("button", { name: "Another shift that day" }).click();
    await dialog(page).getByRole("heading", { name: /^Another shift that day/ }).waitFor();
    await dialog(page).getByRole("button", { name: "Other times" }).click();
    await dialog(page).locator("[name=startTime]").fill("18:00");
    await dialog(page).locator("[name=endTime]").fill("22:00");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    // Twelve hours in a day: it is said before it is planned.
    await dialog(page).getByRole("button", { name: "Plan it all the same" }).click();
    await page.locator("dialog[open]").waitFor({ state: "detached" });
  });
  assert.equal(used, 7);
  await until("two are planned", async () => (await shifts(weeks.taps[1], weeks.taps[1])).map((/** @type {any} */ one) => `${one.startTime}-${one.endTime}`).join() === "07:00-15:00,18:00-22:00");
  await cell(page, 0, 1).nth(1).filter({ hasText: "18:00–22:00" }).waitFor();
  assert.match(await cell(page, 0, 1).nth(1).innerText(), /₹.*\n.*▲ 3 h overtime/s, "with the last of the day, what the day costs");
  assert.doesNotMatch(await cell(page, 0, 1).nth(0).innerText(), /₹/);
  await page.locator("tr", { has: cell(page, 0, 1) }).locator("td.sum").getByText(/12/).first().waitFor();
  await examine(page, "manage-roster-split");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a shift is dragged to a day that has one, and stands beside it; one of two is dragged away and the other stays", async () => {
  const { data: [first] } = await owner.ask("GET", "/employees?status=ACTIVE&limit=1");
  await owner.post("/shifts", { employeeId: first.id, date: weeks.drags[0], shiftType: "MORNING" });
  await owner.post("/shifts", { employeeId: first.id, date: weeks.drags[1], shiftType: "MORNING", startTime: "18:00", endTime: "22:00" });
  const { page, context, complaints } = await roster(weeks.drags[0]);
  const drag = async (/** @type {import("playwright-core").Locator} */ what, /** @type {import("playwright-core").Locator} */ onto) => {
    const [from, to] = [await what.boundingBox(), await onto.boundingBox()];
    assert.ok(from && to);
    await page.mouse.move(from.x + 20, from.y + 20);
    await page.mouse.down();
    await page.mouse.move(to.x + 30, to.y + 20, { steps: 25 });
    await page.mouse.up();
  };
  const monday = weeks.drags[0].slice(8);
  const days = async () => (await shifts(weeks.drags[0], weeks.drags[6])).map((/** @type {any} */ one) => `${one.date.slice(8)} ${one.startTime}`).join();
  await drag(cell(page, 0, 1), cell(page, 0, 0));
  // More hours than a day's: the move is asked about.
  await dialog(page).getByRole("button", { name: "Move it all the same" }).click();
  await until("both are on Monday", async () => (await days()) === `${monday} 07:00,${monday} 18:00`);
  await cell(page, 0, 0).nth(1).filter({ hasText: "18:00" }).waitFor();
  await cell(page, 0, 1).filter({ hasText: "+" }).waitFor();
  await drag(cell(page, 0, 0).nth(0), cell(page, 0, 2));
  await until("the morning is on Wednesday", async () => (await days()) === `${monday} 18:00,${weeks.drags[2].slice(8)} 07:00`);
  await until("the evening stayed", async () => (await cell(page, 0, 0).locator("small").first().textContent()) === "18:00–22:00" && (await cell(page, 0, 0).count()) === 1);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a split day has room in every language", async () => {
  for (const lang of ["hi", "ta", "qps"]) {
    const { page, context } = await roster(weeks.taps[0], lang);
    await cell(page, 0, 1).nth(1).waitFor();
    await examine(page, `manage-roster-split-${lang}`, { nights: [lang === "hi"], sizes: ["phone", "desk"] });
    await context.close();
  }
});
