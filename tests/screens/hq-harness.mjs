// A head office and branches that are enrolled with it as people do it: `init`, a code, `enroll`, `serve`; each branch behind a link of its own
// that can be cut. Starts and stops only its own processes, on loopback.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { PASSWORD, atLast, browser, client, examine, folderFor, freePort, kill, open, run, start, until } from "./harness.mjs";

/** Who administers the sample chain. */
export const ADMIN = "admin@chain.test";

/** A link to a port of this machine that can be cut, as the internet is. @param {number} to */
async function link(to) {
  /** @type {Set<import("node:net").Socket>} */
  const open = new Set();
  let isCut = false;
  const server = createServer((one) => {
    if (isCut) { one.destroy(); return; }
    const other = connect(to, "127.0.0.1");
    for (const [from, into] of [[one, other], [other, one]]) {
      open.add(from);
      from.on("error", () => into.destroy());
      from.on("close", () => { open.delete(from); into.destroy(); });
      from.pipe(into);
    }
  });
  const port = await freePort();
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const cut = () => { isCut = true; for (const socket of open) socket.destroy(); };
  const end = async () => { cut(); await new Promise((resolve) => server.close(resolve)); };
  atLast(end);
  return { url: `http://127.0.0.1:${port}`, cut, mend() { isCut = false; }, end };
}

/** A head office, empty but for its administrator. */
export async function headOffice() {
  const folder = folderFor("tiffin-office-");
  const data = join(folder, "hub"), password = join(folder, "password");
  writeFileSync(password, PASSWORD);
  run("sync-hub", ["init", "--data-dir", data, "--admin-email", ADMIN, "--admin-password-file", password]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  /** @type {import("node:child_process").ChildProcess | null} */
  let child = null;
  /** @type {Branch[]} */
  const branches = [];
  const office = {
    url,
    folder,
    async up() {
      child = start("sync-hub", ["serve", "--data-dir", data, "--listen", `127.0.0.1:${port}`, "--limit-login", "off", "--limit-general", "off"], folder);
      await until("head office answers", async () => (await fetch(`${url}/ready`)).ok);
    },
    async down() { const gone = child; child = null; await kill(gone); },
    async end() {
      for (const one of branches) await one.end();
      await office.down();
      rmSync(folder, { recursive: true, force: true });
    },
    /** A client of its API. @param {string} [email] @param {string} [password] */
    as: (email = ADMIN, password = PASSWORD) => client(url, email, password, "/hub/auth/login"),
    /** Another box in the place of a branch's, in an empty folder. @param {Branch} old @param {string} enrolment */
    async replacement(old, enrolment) {
      const one = await branchOf(folder, port, `${old.code}-2`, old.name, 0);
      await one.enrol(enrolment, "--replace");
      await one.up();
      branches.push(one);
      return one;
    },
    /** A branch's disk once more, behind the same link. @param {Branch} old @param {string} code @param {(from: string, to: string) => void} copied */
    async copy(old, code, copied) {
      const one = await branchOf(folder, port, code, old.name, 0, old.internet);
      copied(join(folder, old.code), join(folder, code));
      branches.push(one);
      return one;
    },
    /** A branch with sample data, not enrolled yet. @param {string} code @param {string} name */
    async branch(code, name) {
      const one = await branchOf(folder, port, code, name, branches.length + 1);
      branches.push(one);
      return one;
    },
  };
  await office.up();
  return office;
}

/** @typedef {Awaited<ReturnType<typeof branchOf>>} Branch */

/** @param {string} folder @param {number} office @param {string} code @param {string} name @param {number} seed @param {Awaited<ReturnType<typeof link>>} [shared] the link of the box it is a copy of */
async function branchOf(folder, office, code, name, seed, shared) {
  const data = join(folder, code), port = await freePort(), url = `http://127.0.0.1:${port}`, internet = shared ?? (await link(office));
  // A box that takes another's place begins with nothing.
  if (seed > 0) run("edge", ["init", "--data-dir", data, "--outlet-code", code, "--outlet-name", name, "--timezone", "Asia/Kolkata", "--currency", "INR", "--owner-email", "owner@sample.test", "--sample-data", "--sample-password", PASSWORD, "--seed", String(seed)]);
  /** @type {import("node:child_process").ChildProcess | null} */
  let child = null;
  return {
    url,
    code,
    name,
    internet,
    /** What somebody types at the box. Not waited for by standing still: the link lives in this process. @param {string} enrolment @param {...string} more */
    async enrol(enrolment, ...more) {
      const asked = start("edge", ["enroll", "--data-dir", data, "--hub", internet.url, "--code", enrolment, ...more], folder);
      const left = await new Promise((resolve) => asked.once("exit", resolve));
      assert.equal(left, 0, `${name} was not enrolled`);
    },
    async up() {
      child = start("edge", ["serve", "--data-dir", data, "--listen", `127.0.0.1:${port}`, "--limit-general", "off"], folder);
      await until(`${name} answers`, async () => (await fetch(`${url}/health`)).ok);
    },
    async down() { const gone = child; child = null; await kill(gone); },
    async end() { const gone = child; child = null; await kill(gone); if (!shared) await internet.end(); },
    as: (/** @type {string} */ role) => client(url, `${role}@sample.test`),
  };
}

/** A chain: head office and two branches that it knows and that have sent what they have. */
export async function chain() {
  const office = await headOffice();
  const admin = await office.as();
  const branches = [];
  for (const [code, name] of [["NRTH", "North Street"], ["HRBR", "Harbour"]]) {
    const one = await office.branch(code, name);
    await one.enrol((await admin.post("/hub/enrolments", {})).code);
    await one.up();
    branches.push(one);
  }
  await until("both branches are heard", async () => { const all = await admin.get("/hub/outlets"); return all.length === 2 && all.every((/** @type {any} */ outlet) => outlet.online && outlet.rowsWaiting === 0 && outlet.standing === "NORMAL"); });
  return { office, admin, north: branches[0], harbour: branches[1] };
}

/** An order at a branch, of the first dish that needs no choice. @param {Branch} branch @param {any} [seller] who takes it: a client of the branch's */
export async function sell(branch, seller) {
  const manager = seller ?? (await branch.as("manager"));
  const menu = await manager.get("/menu");
  const dish = menu.categories.flatMap((/** @type {any} */ chapter) => chapter.items).find((/** @type {any} */ one) => one.isAvailable && one.modifierGroups.every((/** @type {any} */ group) => group.minSelections === 0));
  const order = await manager.post("/orders", { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 2, unitPriceCents: dish.priceCents }] });
  return { order, dish };
}

/**
 * A page of head office, signed in by one tap; the view has loaded once `ready` is seen.
 * @param {import("playwright-core").Browser} chromium @param {string} url @param {string} at with what stands before it, such as the language @param {string} [ready]
 */
export async function desk(chromium, url, at, ready = "main#view h1") {
  const opened = await open(chromium, { touch: false });
  await opened.page.goto(`${url}/${at}`);
  await opened.page.locator("section.card button").click();
  await opened.page.locator(ready).first().waitFor();
  return opened;
}

/** An outlet's tile on the first view. @param {import("playwright-core").Page} page @param {string} name */
export const tile = (page, name) => page.locator(".tile", { has: page.getByRole("heading", { name }) });

/** A chain whose head office has taken over a branch's menu and staff, and a browser to change them with; `manager` reads what came of it at that branch. */
export async function publishing() {
  const [all, chromium] = await Promise.all([chain(), browser()]);
  const [north] = (await all.admin.get("/hub/outlets")).filter((/** @type {any} */ one) => one.code === "NRTH");
  await all.admin.post("/hub/catalogue/import", { outletId: north.id, includeStaff: true });
  const manager = await all.north.as("manager");
  const office = (/** @type {string} */ at, /** @type {string} */ ready, lang = "en") => desk(chromium, all.office.url, `?lang=${lang}#/${at}`, ready);
  const end = async () => { await chromium.close(); await all.office.end(); };
  return { all, manager: /** @type {any} */ (manager), office, end };
}

/** Presses the dialog's button; it has gone when this is done. @param {import("playwright-core").Page} page */
export async function publish(page) {
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Looks the dialog through, from its top and with its foot at its end: what is scrolled lies under them. @param {import("playwright-core").Page} page @param {string} name @param {any} how */
export async function examineForm(page, name, how) {
  await page.getByRole("dialog").evaluate((/** @type {HTMLElement} */ one) => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    one.scrollTop = 0;
    for (const foot of one.querySelectorAll(".acts")) /** @type {HTMLElement} */ (foot).style.position = "static";
  });
  await examine(page, name, how);
}
