// The store room and buying beyond counting, in a real browser on a branch as it ships: batches made ahead, goods that go back, suppliers' bills
// against what came. What came of it is read by the API, as another person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dialog, examine, looks, open, scene, signIn, SIZES, taps, until } from "./harness.mjs";

const all = scene(["--limit-login", "off"], ["manager"]);

/** @type {Map<string, import("playwright-core").Page>} */
const desks = new Map();

/** The page of somebody, at a place within it. @param {string} hash @param {string} [role] */
async function desk(hash, role = "Owner") {
  const known = desks.get(role), page = known ?? (await open(all.chromium, { size: SIZES.desk, touch: false })).page;
  await page.goto("about:blank");
  await page.goto(`${all.box.url}/manage?lang=en#${hash}`);
  if (!known) { await signIn(page, role); desks.set(role, page); }
  await page.locator(".manage main h1").first().waitFor();
  return page;
}

/** @param {string} path */
async function rows(path) {
  const { data, items } = await all.manager.ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`);
  return data?.items ?? data ?? items;
}

/** An order that came whole: ten of one item and four of another. @param {string} [invoiceRef] */
async function delivered(invoiceRef) {
  const [supplier] = await rows("/inventory/suppliers"), [one, other] = await rows("/inventory/items");
  const order = await all.manager.post("/inventory/purchase-orders", { supplierId: supplier.id, items: [{ inventoryItemId: one.id, quantityOrdered: 10, unitCostCents: 5000 }, { inventoryItemId: other.id, quantityOrdered: 4, unitCostCents: 2500 }] });
  await all.manager.post(`/purchase-orders/${order.id}/send`, {});
  return all.manager.post(`/purchase-orders/${order.id}/deliveries`, { items: [{ inventoryItemId: one.id, quantityReceived: 10, unitCostCents: 5000 }, { inventoryItemId: other.id, quantityReceived: 4, unitCostCents: 2500 }], ...(invoiceRef ? { invoiceRef } : {}), confirm: true });
}

test("a batch is made ahead in two taps, and lies on the shelf with its date and unit", async () => {
  const page = await desk("stock/preparations");
  const [batter] = (await rows("/inventory/preparations")).filter((/** @type {any} */ one) => one.name === "Dosa and idli batter");
  const make = page.getByRole("button", { name: "Make: Dosa and idli batter" });
  await make.waitFor();
  assert.equal(await taps(page, async () => {
    await make.click();
    await dialog(page).getByRole("row").filter({ hasText: "Idli rice" }).getByText("4 kg").waitFor();
    await dialog(page).getByRole("button", { name: "It is made" }).click();
  }), 2);
  await dialog(page).locator(".code").waitFor();
  assert.match(await dialog(page).locator(".code").innerText(), /^PRD-/);
  await dialog(page).getByRole("row").filter({ hasText: "Idli rice" }).first().waitFor();
  await examine(page, "manage-made", looks);
  await dialog(page).getByRole("button", { name: "Done" }).click();
  const now = await all.manager.get(`/inventory/preparations/${batter.id}`);
  assert.deepEqual([now.preparedQuantity, now.unit], [10, "kg"]);
  await page.getByRole("row").filter({ hasText: "Dosa and idli batter" }).getByRole("link", { name: "10 kg" }).click();
  await page.getByText("made here ahead").waitFor();
  await page.getByRole("row").filter({ hasText: "PRD-" }).first().waitFor();
});

test("a storekeeper makes half a batch with a date; what the books lack is said before and after", async () => {
  const page = await desk("stock/preparations", "Storekeeper");
  await page.getByRole("button", { name: "Make: Sambar", exact: true }).click();
  const form = dialog(page);
  await form.locator("[name=quantity]").fill("0");
  await form.getByRole("button", { name: "It is made" }).click();
  await form.getByText("Must be more than 0.").waitFor();
  await form.locator("[name=expiryDate]").fill("2020-01-01");
  await form.locator("[name=quantity]").fill("4");
  await form.getByRole("row").filter({ hasText: "Tomato" }).getByText("350 g").waitFor();
  await form.getByRole("button", { name: "It is made" }).click();
  await form.getByText("This date is over.").waitFor();
  // More than there is.
  await form.locator("[name=expiryDate]").fill("2099-12-31");
  await form.locator("[name=quantity]").fill("80000");
  await form.getByText("By the books there is too little").waitFor();
  await form.getByText("too little", { exact: true }).first().waitFor();
  await examine(page, "manage-make", looks);
  await form.getByRole("button", { name: "It is made" }).click();
  await dialog(page).getByText("The books say there was too little").waitFor();
  await dialog(page).getByText(/^Toor dal: .* more than the books have\.$/).waitFor();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  const sambar = (await rows("/inventory/items")).find((/** @type {any} */ one) => one.name === "Sambar") ?? (await rows("/inventory/items?q=Sambar")).find((/** @type {any} */ one) => one.preparationId);
  assert.deepEqual([sambar.currentStock, sambar.unit, sambar.activeBatches[0].expiryDate], [80000, "l", "2099-12-31"]);
  const list = await desk("stock");
  await list.getByRole("searchbox").fill("Sambar");
  const row = list.getByRole("row").filter({ hasText: "made here" });
  await row.getByText("80,000 l").waitFor();
  await row.getByText(/31 Dec/).waitFor();
  await examine(list, "manage-shelf", looks);
});

test("what is spoiled goes back to the supplier with a debit note, and never more than came", async () => {
  const order = await delivered(), page = await desk(`buying/orders/${order.id}`);
  await page.getByRole("button", { name: "Send back", exact: true }).click();
  const form = dialog(page);
  await form.getByRole("button", { name: "Send it back" }).click();
  await form.getByText("Nothing has a quantity yet.").waitFor();
  await form.locator("[name=quantity]").first().fill("12");
  await form.locator("[name=reason]").first().fill("Spoiled");
  await form.getByRole("button", { name: "Send it back" }).click();
  await form.getByText("At most 10").waitFor();
  await examine(page, "manage-back", looks);
  await form.locator("[name=quantity]").first().fill("2.5");
  await form.locator("[name=quantity]").nth(1).fill("1");
  await form.locator("fieldset [name=reason]").nth(1).fill("Wrong kind");
  await form.getByRole("button", { name: "Send it back" }).click();
  await form.waitFor({ state: "detached" });
  await page.getByText(/^DN\//).first().waitFor();
  const [note] = (await all.manager.get(`/purchase-orders/${order.id}`)).returns;
  assert.deepEqual(note.items.map((/** @type {any} */ one) => [one.quantity, one.reason]), [[2.5, "Spoiled"], [1, "Wrong kind"]]);
  assert.equal(note.totalCents, 15_000);
  await examine(page, "manage-debit-note", looks);
});

test("a supplier's bill is held against what came; a difference is accepted with a reason, a wrong one goes again", async () => {
  const order = await delivered("INV-77"), page = await desk(`buying/orders/${order.id}`);
  /** @param {string} ref @param {string} total @param {string} tax */
  const enter = async (ref, total, tax) => {
    await page.getByRole("button", { name: "Enter the bill" }).click();
    if (ref) await dialog(page).locator("[name=ref]").fill(ref); else assert.equal(await dialog(page).locator("[name=ref]").inputValue(), "INV-77");
    await dialog(page).locator("[name=totalCents]").fill(total);
    await dialog(page).locator("[name=taxCents]").fill(tax);
    await dialog(page).getByRole("button", { name: "Save" }).click();
  };
  await enter("", "680", "30");
  await page.getByText("The bill is ₹50.00 more than what came.").first().waitFor();
  await page.getByRole("row").filter({ hasText: "INV-77" }).getByText("too much").waitFor();
  await examine(page, "manage-bill", looks);
  // The same number again is refused where it was typed.
  await enter("INV-77", "1", "");
  await dialog(page).getByText("This bill was entered before.").first().waitFor();
  await dialog(page).getByRole("button", { name: "Close", exact: true }).click();
  // All that is not settled stands in one list, with what came without a bill.
  const other = await delivered();
  const list = await desk("buying/bills", "Manager");
  await list.getByRole("row").filter({ hasText: order.poNumber }).getByText("too much").waitFor();
  await list.getByRole("row").filter({ hasText: other.poNumber }).getByText("no bill yet").waitFor();
  await examine(list, "manage-bills", looks);
  await list.getByRole("row").filter({ hasText: order.poNumber }).getByRole("link").click();
  await list.getByRole("button", { name: "Accept: INV-77" }).click();
  await dialog(list).locator("[name=reason]").fill("Freight");
  await dialog(list).getByRole("button", { name: "Accept", exact: true }).click();
  await list.getByText(/accepted by .*Freight/).waitFor();
  assert.deepEqual((await all.manager.get(`/purchase-orders/${order.id}`)).invoices.map((/** @type {any} */ one) => [one.status, one.isOpen, one.acceptedReason]), [["OVER", false, "Freight"]]);
  await desk("buying/bills", "Manager");
  await list.getByRole("row").filter({ hasText: other.poNumber }).waitFor();
  assert.equal(await list.getByRole("row").filter({ hasText: order.poNumber }).count(), 0);
  await list.getByLabel("Also what is settled").check();
  await list.getByRole("row").filter({ hasText: order.poNumber }).waitFor();
  // What was accepted stays; one that was entered wrongly goes again.
  const again = await desk(`buying/orders/${order.id}`);
  await again.getByText(/accepted by .*Freight/).waitFor();
  assert.equal(await again.getByRole("button", { name: "Remove: INV-77" }).count(), 0);
  await all.manager.post(`/purchase-orders/${other.id}/invoice`, { ref: "INV-78", totalCents: 1, taxCents: 0 });
  await desk(`buying/orders/${other.id}`);
  await again.getByRole("button", { name: "Remove: INV-78" }).click();
  await dialog(again).getByRole("button", { name: "Remove", exact: true }).click();
  await until("it is gone", async () => (await all.manager.get(`/purchase-orders/${other.id}`)).invoices.length === 0);
});
