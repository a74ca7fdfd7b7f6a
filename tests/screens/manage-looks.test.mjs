// How the manager's page looks: every section at three sizes by day and by night, in every language, its dialogs; by keyboard alone; with
// reports that are long. Nothing is cut off, over another, too small for a finger, or without a word.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, examine, open, signIn, SIZES, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let owner;
/** @type {Awaited<ReturnType<typeof open>>} */
let desk;
before(async () => {
  [box, chromium] = await Promise.all([branch(), browser()]);
  owner = await box.as("owner");
  const { data: dishes } = await owner.ask("GET", "/menu/items?limit=20");
  for (const dish of dishes.filter((/** @type {any} */ one) => one.modifierGroups.every((/** @type {any} */ group) => group.minSelections === 0)).slice(0, 6)) {
    const order = await owner.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 2, unitPriceCents: dish.priceCents }] });
    await owner.post(`/orders/${order.id}/invoice`, {});
    const { data } = await owner.ask("GET", `/orders/${order.id}`).then((/** @type {any} */ answer) => ({ data: answer.data ?? answer }));
    await owner.post(`/orders/${order.id}/payments`, { method: "UPI", amountCents: data.dueCents });
  }
  desk = await open(chromium, { size: SIZES.desk, touch: false });
  await desk.page.goto(`${box.url}/manage?lang=en`);
  await signIn(desk.page, "Owner");
  await desk.page.locator(".manage").waitFor();
});
after(async () => { await chromium?.close(); await box?.end(); });

/** Goes to a place within the page; it is there when nothing loads any more. @param {string} hash @param {string} [lang] */
async function at(hash, lang = "en") {
  const { page } = desk;
  await page.goto("about:blank");
  await page.goto(`${box.url}/manage?lang=${lang}#${hash}`);
  await page.locator(".manage main h1").first().waitFor();
  // What could not be read at first comes by itself.
  await until(`${hash} has loaded`, async () => {
    assert.equal(await page.locator("main p.bad[role=alert]").count(), 0, await page.locator("main").innerText());
    return page.evaluate(() => ![...document.querySelectorAll("main .hint[role=status]")].some((one) => one.checkVisibility()));
  });
  return page;
}

/** Every section with its tabs. */
const PLACES = [
  "today", "orders", "orders/bills", "orders/money", "orders/drawers", "orders/days", "menu", "menu/categories", "menu/modifiers", "menu/taxes", "menu/import", "floor", "stock", "stock/stocktakes", "stock/preparations", "stock/portions", "stock/transfers", "buying", "buying/suppliers", "buying/bills",
  "waste", "waste/costs", "people", "people/leave", "people/swaps", "people/attendance", "people/timesheets", "people/payroll", "people/holidays", "roster", "reports/summary", "reports/daily", "reports/hourly", "reports/top", "reports/engineering", "reports/kitchen", "reports/sales", "reports/gstr1", "reports/losses", "reports/audit",
  "voices", "voices/queries", "devices", "devices/printers", "devices/jobs", "devices/layout", "devices/stations", "devices/sessions", "settings", "settings/channels", "settings/box", "settings/reviews", "settings/privacy", "assistant",
];
/** The first of each section stands for it by night and in the other languages. */
const FIRSTS = PLACES.filter((place, index) => PLACES.findIndex((one) => one.split("/")[0] === place.split("/")[0]) === index);

for (const place of PLACES) {
  test(`${place} is as it should be at every size`, async () => {
    const page = await at(place);
    await examine(page, `manage-${place.replace("/", "-")}`, { nights: FIRSTS.includes(place) ? [false, true] : [false], sizes: FIRSTS.includes(place) ? Object.keys(SIZES) : ["phone", "desk"] });
    assert.deepEqual(desk.complaints, []);
  });
}

for (const lang of ["hi", "ta", "qps"]) {
  test(`nothing is cut off in ${lang}`, async () => {
    for (const place of [...FIRSTS, "menu/import", "people/leave", "people/timesheets", "waste/costs", "reports/audit", "settings/box", "settings/reviews", "devices/printers", "devices/layout", "stock/preparations", "buying/bills"]) {
      const page = await at(place, lang);
      await examine(page, `manage-${place.replace("/", "-")}-${lang}`, { nights: [false], sizes: ["phone", "desk"] });
    }
  });
}

test("forms are as they should be: long ones, ones with rows, ones with something wrong", async () => {
  for (const [place, button] of [["menu", "Add a dish"], ["menu/modifiers", "Add a group of choices"], ["stock", "Add an item"], ["buying", "New order"], ["people/staff", "Hire somebody"], ["devices", "Let a screen in"], ["settings", "Change: Tax and service charge"]]) {
    const page = await at(place);
    await page.getByRole("button", { name: button }).click();
    await page.locator("dialog[open] form").waitFor();
    // Of what exists nothing is wrong: its form is looked at as it opens.
    if (place !== "settings") await page.locator("dialog[open] button.main").last().click();
    await examine(page, `manage-form-${place.replace("/", "-")}`, { nights: [false, true], sizes: ["phone", "desk"] });
    assert.deepEqual(desk.complaints, []);
  }
});

test("details are as they should be: an order, an item, a person, a purchase", async () => {
  const first = async (/** @type {string} */ path) => { const { data, items } = await owner.ask("GET", path); return (data ?? items)[0].id; };
  const [supplier, item] = [await first("/inventory/suppliers"), await first("/inventory/items")];
  const purchase = await owner.post("/inventory/purchase-orders", { supplierId: supplier, items: [{ inventoryItemId: item, quantityOrdered: 4 }] });
  for (const place of [`orders/${await first("/orders")}`, `stock/items/${item}`, `people/staff/${await first("/employees")}`, `buying/orders/${purchase.id}`]) {
    await examine(await at(place), `manage-detail-${place.split("/")[0]}`, { nights: [false, true], sizes: ["phone", "desk"] });
  }
});

test("on a phone the other sections are behind one tap, and the way out too", async () => {
  const page = await at("today");
  await page.setViewportSize(SIZES.phone);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.locator("dialog[open]").getByRole("link", { name: "Roster" }).waitFor();
  await examine(page, "manage-drawer", { sizes: ["phone"] });
  await page.locator("dialog[open]").getByRole("link", { name: "Roster" }).click();
  await page.getByRole("heading", { name: "Roster" }).waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 0);
  await page.setViewportSize(SIZES.desk);
});

test("one gets everywhere with the keyboard alone", async () => {
  const page = await at("today");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.className), "skip");
  // Down the list of sections to the menu, in, and to a dish's form and back.
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await page.evaluate(() => document.activeElement?.textContent)) === "Menu") break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  const add = page.getByRole("button", { name: "Add a dish" });
  await add.waitFor();
  await until("the head has the focus", async () => page.evaluate(() => document.activeElement?.tagName === "H1"));
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await page.evaluate(() => document.activeElement?.textContent)) === "Add a dish") break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.locator("dialog[open] form").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Add a dish");
});

test("charts say as a table what they draw, and a drag that did not move stays a tap", async () => {
  const page = await at("reports/daily");
  const address = await page.evaluate(() => /** @type {HTMLLinkElement} */ (document.querySelector('link[href*="/kit/view.js"], script[src*="/manage/main.js"]'))?.href ?? /** @type {HTMLScriptElement} */ (document.querySelector("script[src]")).src);
  const kit = address.replace(/\/(kit|manage)\/[^/]*$/, "/kit");
  const said = await page.evaluate(async (base) => {
    const { chart, spark } = await import(`${base}/chart.js`), { draggable } = await import(`${base}/drag.js`);
    const shown = (/** @type {number} */ value) => `₹${value}`;
    const drawn = ["bar", "line", "stacked"].map((kind) => chart({ title: kind, kind, labels: ["Mon", "Tue", "Wed"], series: [{ name: "A", values: [1, null, 3] }, { name: "B", values: [4, 5, -6] }], shown }));
    const thing = document.createElement("button");
    document.body.append(thing);
    /** @type {string[]} */
    const told = [];
    draggable(thing, { onMove: () => told.push("move"), onDrop: (/** @type {number} */ x, /** @type {number} */ y) => told.push(`drop ${x} ${y}`), onKey: (/** @type {number} */ x, /** @type {number} */ y) => told.push(`key ${x} ${y}`) });
    thing.addEventListener("click", () => told.push("tap"));
    thing.setPointerCapture = () => {};
    const point = (/** @type {string} */ type, /** @type {number} */ x) => thing.dispatchEvent(new PointerEvent(type, { pointerId: 1, button: 0, clientX: x, clientY: 0, bubbles: true, cancelable: true }));
    point("pointerdown", 0); point("pointermove", 3); point("pointerup", 3); thing.click();
    point("pointerdown", 0); point("pointermove", 50); point("pointerup", 50); thing.click();
    thing.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", cancelable: true }));
    thing.remove();
    return {
      tables: drawn.map((one) => [...one.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent))),
      marks: drawn.map((one) => one.querySelectorAll("rect.block, circle.dot").length), names: drawn.map((one) => one.querySelector("svg[role=img]")?.getAttribute("aria-label")), told, spark: spark([1, 2, 3]).getAttribute("aria-hidden"),
    };
  }, kit);
  for (const rows of said.tables) assert.deepEqual(rows, [["Mon", "₹1", "₹4"], ["Tue", "–", "₹5"], ["Wed", "₹3", "₹-6"]]);
  // A legend has one of each series besides.
  assert.deepEqual(said.marks, [8, 5, 8]);
  assert.ok(said.names.every((name) => name));
  assert.deepEqual(said.told, ["tap", "move", "drop 50 0", "key 0 1"]);
  assert.equal(said.spark, "true");
});
