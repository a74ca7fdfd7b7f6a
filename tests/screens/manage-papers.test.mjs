// A bill and its credit note once more on paper, from the manager's page: in a real browser, with two printers. What was asked of which printer is
// read from the branch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, examine, open, signIn, SIZES, until } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [box, chromium] = await Promise.all([branch(), browser()]); });
after(async () => { await chromium?.close(); await box?.end(); });

test("a bill and a credit note are printed on the printer that is chosen, from the list and from their order", async () => {
  const owner = await box.as("owner");
  const { data: dishes } = await owner.ask("GET", "/menu/items?limit=20");
  const dish = dishes.find((/** @type {any} */ one) => one.modifierGroups.every((/** @type {any} */ group) => group.minSelections === 0));
  const order = await owner.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 2, unitPriceCents: dish.priceCents }] });
  await owner.post(`/orders/${order.id}/invoice`, {});
  await owner.post(`/orders/${order.id}/credit-note`, { reason: "OVERCHARGED", amountCents: 1_000, restock: false });
  const [note] = await owner.get(`/orders/invoices?orderId=${order.id}&kind=CREDIT_NOTE`);
  const [bill] = await owner.get(`/orders/invoices?orderId=${order.id}&kind=INVOICE`);
  for (const [name, port] of [["Counter", 9], ["Office", 10]]) await owner.post("/printers", { name, connection: "TCP", address: `127.0.0.1:${port}`, width: 80, roles: ["RECEIPT"], autoPrint: "NEVER" });
  const office = (await owner.get("/printers")).find((/** @type {any} */ one) => one.name === "Office");
  const { page, complaints } = await open(chromium, { size: SIZES.desk, touch: false });
  await page.goto(`${box.url}/manage?lang=en#orders/bills`);
  await signIn(page, "Manager");
  const dialog = page.locator("dialog[open]");
  const jobs = async () => (await owner.get("/print-jobs?limit=100")).filter((/** @type {any} */ one) => one.kind === "RECEIPT");

  // From the list.
  await page.getByRole("button", { name: `Print: ${note.number}` }).click();
  await dialog.getByRole("button", { name: "Office" }).click();
  await page.getByText("It is being printed.").waitFor();
  await until("the credit note is with its printer", async () => (await jobs()).some((/** @type {any} */ one) => one.printerId === office.id));
  // From the document itself.
  await page.getByRole("button", { name: bill.number, exact: true }).click();
  await dialog.getByText(dish.name).waitFor();
  await examine(page, "manage-bill");
  await dialog.getByRole("button", { name: `Print: ${bill.number}` }).click();
  await page.locator("dialog[open]").last().getByRole("button", { name: "Counter" }).click();
  await until("the bill is with its printer", async () => (await jobs()).length === 2);
  // From the order.
  await dialog.getByRole("link", { name: order.orderNumber }).click();
  const papers = page.getByRole("table", { name: "Bills and credit notes" });
  await papers.getByRole("row", { name: new RegExp(note.number) }).getByRole("button", { name: /^Print/ }).click();
  await dialog.getByRole("button", { name: "Close" }).click();
  assert.equal((await jobs()).length, 2, "who leaves the choice prints nothing");
  await examine(page, "manage-order-papers");
  assert.deepEqual(complaints, []);
});
