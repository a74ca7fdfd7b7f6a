// Head office's screen while a branch is cut off, and while head office itself is away: what is said meanwhile, and that it comes back by itself.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, examine } from "./harness.mjs";
import { chain, desk, headOffice, sell, tile } from "./hq-harness.mjs";

/** @type {Awaited<ReturnType<typeof chain>>} */
let all;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [all, chromium] = await Promise.all([chain(), browser()]); });
after(async () => { await chromium?.close(); await all?.office.end(); });

test("a branch that is cut off stands first with its trouble, and is well again when it is back", async () => {
  const { page, context, complaints } = await desk(chromium, all.office.url, "");
  await tile(page, "Harbour").getByText(/Online$/).waitFor();
  all.harbour.internet.cut();
  await sell(all.harbour);
  // Head office calls a box offline after 90 seconds of silence.
  await tile(page, "Harbour").getByText(/Offline$/).waitFor({ timeout: 150_000 });
  await tile(page, "Harbour").getByText("Box not heard").waitFor();
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => document.querySelector(".tile h2")?.textContent === "Harbour");
  all.harbour.internet.mend();
  await tile(page, "Harbour").getByText("All is well").waitFor({ timeout: 120_000 });
  // What it sold meanwhile has come.
  await page.waitForFunction(() => [...document.querySelectorAll(".tile")].find((one) => one.querySelector("h2")?.textContent === "Harbour")?.querySelector(".sales strong")?.textContent !== "₹0");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("while head office is away the screen says so and keeps what it knew; it comes back by itself", async () => {
  const away = await headOffice();
  const { page, context } = await desk(chromium, away.url, "");
  await page.getByText("No outlet yet.").waitFor();
  await away.down();
  await page.getByText("Head office does not answer.").waitFor();
  await examine(page, "hq-away");
  await away.up();
  await page.getByText("Head office does not answer.").waitFor({ state: "detached" });
  await context.close();
  await away.end();
});
