// What head office's people decide and look up when something is not as it should be: a copied box, a bad batch, stock on its way, and a menu
// that comes as a file. On a real head office with two real branches.

import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { browser, examine, taps, until } from "./harness.mjs";
import { chain, desk, sell, tile } from "./hq-harness.mjs";

/** @type {Awaited<ReturnType<typeof chain>>} */
let all;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [all, chromium] = await Promise.all([chain(), browser()]); });
after(async () => { await chromium?.close(); await all?.office.end(); });

const office = (at = "overview") => desk(chromium, all.office.url, `#/${at}`);

/** @param {string} code */
const idOf = async (code) => (await all.admin.get("/hub/outlets")).find((/** @type {any} */ outlet) => outlet.code === code).id;

test("the menu of a branch is taken over, then a file changes it: what is wrong is said, what is right goes out", async () => {
  const { page, context, complaints } = await office("menu");
  await page.locator(".empty").waitFor();
  await examine(page, "hq-menu-empty");
  await page.getByRole("button", { name: "Take from a branch" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Outlet").selectOption({ label: "North Street (NRTH)" });
  await examine(page, "hq-menu-take");
  await dialog.getByRole("button", { name: "Take it" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Price of Masala Dosa" }).waitFor();
  const [exported] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const lines = readFileSync(await exported.path(), "utf8").split(/\r?\n/);
  assert.match(lines.join("\n"), /Masala Dosa/);
  const put = (/** @type {string} */ value) => `${lines[0]}\n${lines.find((line) => line.includes(",Masala Dosa,"))?.replace(/,14000,/, `,${value},`)}\n`;
  assert.match(put("1"), /,1,/);
  const choose = async (/** @type {string} */ text) => page.getByLabel("File").setInputFiles({ name: "menu.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Import" }).click();
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByText("This is needed.").waitFor();
  await choose(put("a lot"));
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByRole("alert").getByText(/Row \d+, Price/).waitFor();
  await examine(page, "hq-menu-import-wrong");
  await choose(put("21300"));
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Price of Masala Dosa" }).getByText(/₹213/).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("stock on its way: sent, called back while the receiver is cut off, and taken in", async () => {
  const [sender, receiver] = [await all.north.as("manager"), await all.harbour.as("manager")];
  const to = await until("the sender knows the other outlet", async () => (await sender.get("/inventory/transfers/outlets")).find((/** @type {any} */ one) => one.code === "HRBR"));
  const { items } = await sender.ask("GET", "/inventory/items?limit=100");
  const item = items.find((/** @type {any} */ one) => one.currentStock > 5);
  const send = () => sender.post("/inventory/transfers", { toOutletId: to.outletId ?? to.id, items: [{ inventoryItemId: item.id, quantity: 2 }] });
  const first = await send();
  const { page, context, complaints } = await office("transfers");
  const row = page.getByRole("row", { name: new RegExp(first.transferNumber) });
  const again = async () => { await page.reload(); await page.locator("main#view h1").waitFor(); };
  await until("it is on its way", async () => (await all.admin.get("/hub/transfers")).inTransitCount === 1);
  await again();
  await row.getByText("On the way").waitFor();
  await examine(page, "hq-transfers");
  await until("the receiver knows of it", async () => (await receiver.get("/inventory/transfers")).some((/** @type {any} */ one) => one.id === first.id));
  await receiver.post(`/inventory/transfers/${first.id}/receive`, {});
  await until("it was taken in", async () => (await all.admin.get("/hub/transfers")).inTransitCount === 0);
  await page.getByRole("button", { name: "Received", exact: true }).click();
  await row.getByText("Received").waitFor();
  // Called back while the receiver cannot be asked: who has it is not known yet, and the screen says so.
  all.harbour.internet.cut();
  const second = await send();
  await sender.post(`/inventory/transfers/${second.id}/cancel`, { reason: "wrong van" });
  await until("head office knows", async () => (await all.admin.get("/hub/transfers?status=CANCEL_REQUESTED")).outlets.some((/** @type {any} */ one) => one.transfers.length > 0));
  await page.getByRole("button", { name: "Called back", exact: true }).click();
  await page.getByRole("button", { name: second.transferNumber }).click();
  await page.getByRole("dialog").getByText("it waits until the receiver’s box says which came first").waitFor();
  await page.getByRole("dialog").getByText("wrong van").waitFor();
  await examine(page, "hq-transfer");
  await page.getByRole("button", { name: "Close" }).click();
  all.harbour.internet.mend();
  await until("it is decided", async () => (await all.admin.get("/hub/transfers?status=CANCELLED")).outlets.some((/** @type {any} */ one) => one.transfers.length > 0));
  await page.getByRole("button", { name: "Cancelled", exact: true }).click();
  await page.getByRole("row", { name: new RegExp(second.transferNumber) }).getByText("Cancelled").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a batch is found over the whole chain, with the orders it went into; one that is nowhere is said to be nowhere", async () => {
  const { dish } = await sell(all.north);
  const north = await idOf("NRTH"), manager = await all.north.as("manager");
  const trail = await until("stock left for the order", async () => {
    for (const item of (await manager.ask("GET", "/inventory/items?limit=100")).items) {
      const sale = (await manager.get(`/inventory/items/${item.id}/movements?limit=50`)).find((/** @type {any} */ one) => one.kind === "SALE" && one.batchNumber);
      if (sale) return { batch: sale.batchNumber, item: item.name };
    }
    return null;
  });
  assert.ok(dish);
  const { page, context, complaints } = await office("recall");
  const found = page.locator("section.card", { has: page.getByRole("heading", { name: "North Street" }) }).filter({ hasText: trail.item });
  const touched = await taps(page, async () => {
    await page.getByLabel("Batch", { exact: true }).fill(trail.batch);
    await page.getByRole("button", { name: "Find the batch" }).click();
    await found.first().waitFor();
  });
  assert.equal(touched, 1, "a batch over the whole chain");
  await found.locator(`a[href^="#/outlet/${north}/orders/"]`).first().waitFor();
  await examine(page, "hq-recall-found");
  const [kept] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Keep as a file" }).click()]);
  assert.match(readFileSync(await kept.path(), "utf8"), new RegExp(trail.batch.replace(/[^\w-]/g, ".")));
  await page.getByLabel("Batch", { exact: true }).fill("NO-SUCH-BATCH");
  await page.getByRole("button", { name: "Find the batch" }).click();
  await page.getByText("Batch NO-SUCH-BATCH is at no outlet.").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what a box says is wrong with itself is read at head office, until its people have seen it", async () => {
  const manager = await all.north.as("manager"), north = await idOf("NRTH");
  const printer = await manager.post("/printers", { name: "Counter", connection: "TCP", address: "127.0.0.1:9", width: 80, roles: ["RECEIPT"] });
  await manager.ask("POST", `/printers/${printer.id}/test`);
  const told = async () => (await all.admin.get(`/hub/outlets/${north}`)).troubles;
  const [trouble] = await until("head office has heard", async () => { const list = await told(); return list.length > 0 && list; });
  assert.equal(trouble.type, "PRINTER_DOWN");
  const { page, context, complaints } = await office(`outlet/${north}/exchange`);
  const table = page.getByRole("table", { name: "What the box says is wrong with it" });
  await table.getByText("The printer Counter does not print").waitFor();
  await examine(page, "hq-troubles");
  await manager.ask("POST", `/notifications/${trouble.id}/read`);
  await until("head office has heard", async () => (await told()).length === 0);
  await page.reload();
  await page.getByText("Nothing that its people have not seen.").waitFor();
  // In the words of whoever looks, at the other outlet too.
  await page.goto(`${all.office.url}/?lang=hi#/outlet/${await idOf("HRBR")}/exchange`);
  await page.getByText("ऐसा कुछ नहीं जो वहाँ के लोगों ने न देखा हो।").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a box that was copied is two boxes: the outlet stands first, and somebody decides which goes on", async () => {
  const twin = await all.office.branch("TWIN", "Twin Lanes");
  await twin.enrol((await all.admin.post("/hub/enrolments", {})).code);
  await twin.up();
  const id = await until("the branch is heard", () => idOf("TWIN"));
  const known = () => all.admin.get(`/hub/outlets/${id}`);
  await until("it has sent what it has", async () => (await known()).rowsWaiting === 0);
  await twin.down();
  const copy = await all.office.copy(twin, "TWIN-COPY", (from, to) => cpSync(from, to, { recursive: true }));
  await twin.up();
  await sell(twin);
  await until("the first has sent more", async () => (await known()).rowsWaiting === 0);
  // The copy takes in what the first had sold, as a restored box does, and goes on; now the first is the one that was left behind.
  await copy.up();
  const { order } = await sell(copy);
  await until("what the copy sold has come", async () => (await all.admin.ask("GET", `/orders/${order.id}`, undefined, { "x-outlet-id": id })).id === order.id);
  await sell(twin);
  // It says that it is shut out; somebody starts it anew, as people do.
  await twin.down();
  await twin.up();
  await until("head office sees two boxes", async () => (await known()).forks.length > 0);
  const { page, context, complaints } = await office();
  const twins = tile(page, "Twin Lanes");
  await twins.getByRole("link", { name: /Two boxes speak for it/ }).click();
  await page.getByText("To be decided").waitFor();
  await examine(page, "hq-fork");
  await page.getByRole("button", { name: "Keep it out" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it out" }).click();
  await page.getByText("Stays out").waitFor();
  await until("the outlet goes on with one", async () => (await known()).standing === "NORMAL");
  await page.getByRole("link", { name: /^Outlets/ }).first().click();
  await twins.getByText(/Online$/).waitFor();
  await twins.getByRole("link", { name: /Two boxes speak for it/ }).waitFor({ state: "detached" });
  await copy.end();
  await twin.end();
  assert.deepEqual(complaints, []);
  await context.close();
});
