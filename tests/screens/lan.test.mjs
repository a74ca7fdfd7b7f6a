// The certificate's page and the sheet for tablets, as a browser meets them: whom it believes, what paper shows, what a camera reads; and what a
// screen that came by the box's own certificate shows when it is loaded anew while the box is away.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { branch, browser, codes, examinePage, folderFor, freePort, home, isShelved, lastKept, machine, open, plain, PHONE, run, signIn, until } from "./harness.mjs";

/** @type {import("playwright-core").Browser} */
let chromium;
/** @type {Awaited<ReturnType<typeof plain>>} */
let box;
before(async () => { [chromium, box] = await Promise.all([browser(), plain({ tls: true })]); });
after(async () => { await chromium?.close(); await box?.end(); });

/** A browser whose user has imported the authority's certificate, as the steps for Linux say. @param {string} certificate */
async function trusting(certificate) {
  const at = folderFor("tiffin-home-");
  const store = join(at, ".pki/nssdb");
  mkdirSync(store, { recursive: true });
  machine("certutil", ["-N", "--empty-password", "-d", `sql:${store}`]);
  machine("certutil", ["-A", "-n", "tiffin", "-t", "C,,", "-i", certificate, "-d", `sql:${store}`]);
  return home(at);
}

/** The pages of a PDF as pictures. @param {Buffer} pdf */
function pages(pdf) {
  const folder = mkdtempSync(join(tmpdir(), "tiffin-paper-"));
  writeFileSync(join(folder, "sheet.pdf"), pdf);
  machine("pdftoppm", ["-png", "-r", "150", join(folder, "sheet.pdf"), join(folder, "page")]);
  const drawn = readdirSync(folder).filter((name) => name.endsWith(".png")).map((name) => readFileSync(join(folder, name)));
  rmSync(folder, { recursive: true });
  return drawn;
}

test("a browser opens the branch over TLS with the certificate of the page, and only with it", async () => {
  const { page, context, complaints } = await open(chromium, { size: PHONE });
  await page.goto(`${box.url}/certificate`);
  assert.equal(await page.locator("h1").innerText(), "Trust this box");
  // The fingerprint is the one that the console shows.
  const print = await page.locator("code.print").innerText();
  const said = run("edge", ["tls", "status", "--data-dir", box.data]);
  assert.ok(print.length === 95 && said.includes(print), `${print} is not in\n${said}`);
  await examinePage(page, "certificate");
  // Each kind of device finds its own steps unfolded.
  const devices = [
    ["Mozilla/5.0 (Linux; Android 14; SM-X200) AppleWebKit/537.36 Chrome/150.0 Safari/537.36", "Android"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "iPhone and iPad"],
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36", "Linux"],
  ];
  for (const [userAgent, name] of devices) {
    const other = await chromium.newContext({ userAgent });
    const seen = await other.newPage();
    await seen.goto(`${box.url}/certificate`);
    assert.deepEqual(await seen.locator("details[open] h3").allInnerTexts(), [name]);
    await other.close();
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("details[open] a.button").first().click()]);
  const file = join(box.folder, "given.crt");
  await download.saveAs(file);
  assert.equal(download.suggestedFilename(), "tiffin-ca.crt");
  assert.deepEqual(readFileSync(file), readFileSync(join(box.data, "tls/tiffin-ca.crt")));
  assert.deepEqual(complaints, []);

  // Who did not install it is warned and sees nothing of the branch.
  const secure = `https://127.0.0.1:${box.tls}/sheet`;
  await assert.rejects(page.goto(secure), /ERR_CERT_AUTHORITY_INVALID/);
  await context.close();

  // Who did is not.
  const friend = await trusting(file);
  const seen = await friend.newPage();
  await seen.goto(secure);
  assert.equal(await seen.locator("h1").innerText(), "Dosa & Co");
  assert.deepEqual(await seen.evaluate(() => [location.protocol, isSecureContext]), ["https:", true]);
  // By its name as well; another name is not believed.
  await seen.goto(`https://blr1.local:${box.tls}/sheet`);
  assert.equal(await seen.locator("h1").innerText(), "Dosa & Co");
  await assert.rejects(seen.goto(`https://bank.example:${box.tls}/sheet`), /ERR_CERT_COMMON_NAME_INVALID/);
  await friend.end();
});

test("a tablet that trusts the box finds its screen again while the box is away, and no answer of the API is kept", async () => {
  const own = await plain({ tls: true });
  const friend = await trusting(join(own.data, "tls/tiffin-ca.crt"));
  const page = await friend.newPage();
  await page.goto(`https://127.0.0.1:${own.tls}/clock`);
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  // The first visit came before the worker: the second is kept.
  await page.reload();
  await page.locator("main").waitFor();
  await isShelved(page, "/clock");
  const wanted = await page.locator("h1").innerText();
  await own.end();
  await page.reload();
  await page.locator("main").waitFor();
  assert.notEqual(await page.locator("h1").innerText(), wanted);
  assert.equal(await page.locator("h1").innerText(), "The box does not answer.");
  const kept = await page.evaluate(async () => (await (await caches.open("tiffin-screens")).keys()).map(({ url }) => new URL(url).pathname));
  assert.deepEqual(kept.filter((path) => path.startsWith("/api") || path.startsWith("/v1")), []);
  await friend.end();
});

/** A branch that sells, behind its own certificate, and a browser that trusts it. */
async function selling() {
  const port = await freePort(), own = await branch(["--tls-listen", `127.0.0.1:${port}`, "--limit-login", "off"]);
  const friend = await trusting(join(own.folder, "data/tls/tiffin-ca.crt"));
  return { own, friend, url: `https://127.0.0.1:${port}` };
}

test("a till over TLS that is loaded anew while the box is away shows the last floor, keeps what is sent, and sends it once", async () => {
  const { own, friend, url } = await selling();
  const page = await friend.newPage();
  await page.goto(`${url}/pos?lang=en`);
  await signIn(page, "Cashier");
  await page.locator("[data-table]").first().waitFor();
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await page.reload();
  await page.locator("[data-table]").first().waitFor();
  await isShelved(page, "/pos", "/pos/order.js", "/pos/words/en.js");
  await until("the floor is kept", async () => (await lastKept(page)).some((one) => one.floor.tables.length > 0 && one.menu.length > 0));
  // What signs this screen in never leaves the secure way, and no script reads it.
  assert.deepEqual((await page.context().cookies(`${url}/api/v1/auth`)).map(({ secure, httpOnly, sameSite }) => [secure, httpOnly, sameSite]), [[true, true, "Strict"]]);
  assert.deepEqual(await page.evaluate(() => [isSecureContext, document.cookie]), [true, ""]);
  await page.locator('[data-table="4"]').click();
  await page.locator('.order [data-dish="Paneer Tikka"]').click();
  await page.locator('[data-draft="Paneer Tikka"]').waitFor();
  await own.down();
  await page.reload();
  await page.locator('[data-draft="Paneer Tikka"]').waitFor();
  await page.getByText("The box does not answer.").first().waitFor();
  await page.locator(".send").click();
  await page.locator(".foot").getByText("Kept here until the box is back").waitFor();
  await page.reload();
  await page.locator(".foot").getByText("Kept here until the box is back").waitFor();
  await page.locator(".back").click();
  await page.getByText(/^The floor as it was at \d\d:\d\d/).waitFor();
  await own.up();
  await page.getByText(/^The floor as it was at/).waitFor({ state: "detached" });
  await page.locator(".troubles .bad").waitFor({ state: "detached" });
  const manager = await own.as("manager");
  await until("the order arrives", async () => (await manager.get("/orders?tableNumber=4")).length > 0);
  const found = await manager.get("/orders?tableNumber=4");
  assert.equal(found.length, 1);
  assert.deepEqual((await manager.ask("GET", `/orders/${found[0].id}`)).items.map((/** @type {any} */ line) => [line.name, line.quantity]), [["Paneer Tikka", 1]]);
  await friend.end();
  await own.end();
});

test("today's figures over TLS are there again while the box is away, with their time, and nobody's after a sign-out", async () => {
  const { own, friend, url } = await selling();
  const page = await friend.newPage();
  await page.goto(`${url}/manage?lang=en#today`);
  await signIn(page, "Manager");
  const tile = page.locator(".figures .tile").first(), time = page.locator("main .hint").first();
  await tile.waitFor();
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await page.reload();
  await tile.waitFor();
  await isShelved(page, "/manage", "/manage/today.js", "/manage/words/en.js");
  await until("the figures are kept", async () => (await lastKept(page)).some((one) => one.today));
  const shown = [await tile.innerText(), await time.innerText()];
  assert.match(shown[1], /as of \d\d:\d\d/);
  await own.down();
  await page.reload();
  await tile.waitFor();
  await page.locator(".troubles").getByText("The box does not answer.").waitFor();
  assert.deepEqual([await tile.innerText(), await time.innerText()], shown);
  await own.up();
  await page.locator(".troubles p").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await own.down();
  await page.reload();
  await page.getByRole("heading", { name: "The box does not answer." }).waitFor();
  assert.equal(await page.locator(".figures").count(), 0);
  await friend.end();
  await own.end();
});

test("the sheet prints on one page, and its codes lead to the branch", async () => {
  const friend = await trusting(join(box.data, "tls/tiffin-ca.crt"));
  const page = await friend.newPage();
  await page.goto(`${box.url}/sheet?wifi=Kitchen`);
  await examinePage(page, "sheet");
  const wanted = new Set([`${box.url}/certificate`, `https://127.0.0.1:${box.tls}`, box.url]);
  for (const [width, height] of [[390, 1600], [820, 1180], [1280, 1100]]) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(codes(await page.screenshot()), wanted, `on a screen of ${width} × ${height}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  const steps = await page.locator("ol").first().innerText();
  const printed = pages(await page.pdf({ preferCSSPageSize: true }));
  assert.equal(printed.length, 1, "it prints on one page");
  assert.deepEqual(codes(printed[0]), wanted, "on paper");
  // What a tablet finds that scans them.
  for (const url of wanted) {
    await page.goto(url);
    const title = await page.locator("h1").innerText();
    if (url.endsWith("/certificate")) assert.equal(title, "Trust this box");
    else {
      assert.equal(title, "Dosa & Co", url);
      assert.ok((await page.locator("body").innerText()).includes("This branch is open."), url);
      // How a screen is paired is said there and on the sheet in the same words.
      assert.ok(await page.locator("a[href='/pair']").isVisible(), url);
      const pairing = (await page.locator("ol.steps li").allInnerTexts()).slice(-3);
      assert.ok(pairing.join().includes("edge devices approve"), url);
      for (const step of pairing) assert.ok(steps.includes(step), `${step} is not among ${steps}`);
    }
  }
  await friend.end();
});
