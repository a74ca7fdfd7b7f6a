// Stock that goes from one branch of a chain to another, as the managers of both see it: sent, taken in with something missing, called back.
// Head office and both branches are the real programs; what came of it is read at the other branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, dialog, examine, open, PASSWORD, SIZES, until } from "./harness.mjs";
import { chain } from "./hq-harness.mjs";

/** @type {Awaited<ReturnType<typeof chain>>} */
let all;
/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {any} */
let north;
/** @type {any} */
let harbour;
before(async () => {
  [all, chromium] = await Promise.all([chain(), browser()]);
  [north, harbour] = await Promise.all([all.north.as("manager"), all.harbour.as("manager")]);
});
after(async () => { await chromium?.close(); await all?.office.end(); });

/** A manager's page at a branch. @param {{ url: string }} branch @param {string} hash */
async function desk(branch, hash) {
  const { page } = await open(chromium, { size: SIZES.desk, touch: false });
  await page.goto(`${branch.url}/manage?lang=en#${hash}`);
  await page.locator("[name=email]").or(page.getByText("With e-mail and password")).first().waitFor();
  await page.locator("details").evaluateAll((all) => { for (const one of all) /** @type {HTMLDetailsElement} */ (one).open = true; });
  await page.locator("[name=email]").fill("manager@sample.test");
  await page.locator("[name=password]").fill(PASSWORD);
  await page.locator("form button.main").click();
  await page.locator(".manage main h1").first().waitFor();
  return page;
}
const stock = async (/** @type {any} */ who, /** @type {string} */ id) => (await who.get(`/inventory/items/${id}`)).currentStock;
/** @param {import("playwright-core").Page} page @param {string} label of the item's choice @param {string} quantity */
async function send(page, label, quantity) {
  await page.getByRole("button", { name: "Send stock" }).first().click();
  await dialog(page).locator("[name=toOutletId] option", { hasText: "Harbour" }).waitFor({ state: "attached" });
  await dialog(page).locator("[name=toOutletId]").selectOption({ label: "Harbour (HRBR)" });
  await dialog(page).locator("[name=inventoryItemId] option", { hasText: label }).first().waitFor({ state: "attached" });
  await dialog(page).locator("[name=inventoryItemId]").selectOption({ label });
  await dialog(page).locator("[name=quantity]").fill(quantity);
}

test("stock leaves one branch and comes to the other, less what is missing, and both are told", async () => {
  const [item] = (await north.ask("GET", "/inventory/items?limit=100")).items.filter((/** @type {any} */ one) => one.currentStock > 6);
  await until("the branch knows its sister", async () => (await north.get("/inventory/transfers/outlets")).length === 1);
  const page = await desk(all.north, "stock/transfers");
  const label = `${item.name} (${item.unit})`, had = await stock(north, item.id);
  await send(page, label, "4");
  await examine(page, "manage-transfer-form", { nights: [false, true], sizes: ["phone", "desk"] });
  await dialog(page).getByRole("button", { name: "Send stock" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Call it back" }).waitFor();
  assert.equal(await stock(north, item.id), had - 4);
  await examine(page, "manage-transfer-sent", { nights: [false, true], sizes: ["phone", "desk"] });
  const [coming] = await until("it is announced at the other", async () => { const rows = await harbour.get("/inventory/transfers?direction=IN"); return rows.length === 1 && rows; });
  const other = await desk(all.harbour, "stock/transfers");
  await other.getByRole("link", { name: coming.transferNumber }).click();
  await other.getByRole("button", { name: "Something is missing" }).click();
  await dialog(other).locator('[name^="came."]').fill("3");
  await dialog(other).locator("[name=note]").fill("one was broken");
  await examine(other, "manage-transfer-receive", { nights: [false, true], sizes: ["phone", "desk"] });
  await dialog(other).locator("button.main").click();
  await other.locator("dialog[open]").waitFor({ state: "detached" });
  await until("it is taken in", async () => (await harbour.get(`/inventory/transfers/${coming.id}`)).status === "RECEIVED");
  await examine(other, "manage-transfer-received", { nights: [false, true], sizes: ["phone", "desk"] });
  const told = await until("the sender is told", async () => { const one = await north.get(`/inventory/transfers/${coming.id}`); return one.status === "RECEIVED" && one; });
  assert.deepEqual(told.lines.map((/** @type {any} */ line) => [line.quantity, line.quantityReceived, line.shortfallQuantity]), [[4, 3, 1]]);
});

test("what is called back in time is back on its shelf", async () => {
  const [item] = (await north.ask("GET", "/inventory/items?limit=100")).items.filter((/** @type {any} */ one) => one.currentStock > 6);
  const page = await desk(all.north, "stock/transfers"), had = await stock(north, item.id);
  // While the other branch has no line, nothing of it can have come there.
  all.harbour.internet.cut();
  await send(page, `${item.name} (${item.unit})`, "2");
  await dialog(page).getByRole("button", { name: "Send stock" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Call it back" }).click();
  await dialog(page).locator("[name=reason]").fill("sent by mistake");
  await dialog(page).getByRole("button", { name: "Call it back" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  all.harbour.internet.mend();
  await until("it is back", async () => (await stock(north, item.id)) === had);
  await until("it is called back", async () => (await north.get("/inventory/transfers?direction=OUT"))[0].status === "CANCELLED");
});

test("the box tells how the exchange with head office stands", async () => {
  const page = await desk(all.north, "settings/box");
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Head office" }) });
  await until("its state is shown", async () => /State\s*in order/i.test(await card.innerText()) || /normal/i.test(await card.innerText()));
  await examine(page, "manage-box-chain", { nights: [false, true], sizes: ["phone", "desk"] });
});
