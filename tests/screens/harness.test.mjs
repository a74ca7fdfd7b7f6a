// What a test leaves when it fails, is not begun, or is interrupted: nothing that runs, and no file of tests that waits for it for ever. Files of
// tests are written here and run by a Node of their own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { atLast, folderFor, kill, until } from "./harness.mjs";

/** Runs a file of tests; what it tells of itself is in `told`. @param {string} body what stands in it @param {string[]} [how] */
function file(body, how = ["--test"]) {
  const folder = folderFor("tiffin-harness-"), [at, telling] = [join(folder, "one.test.mjs"), join(folder, "told")];
  writeFileSync(at, `
    import { writeFileSync } from "node:fs";
    import { after, before, test } from "node:test";
    import { browser, folderFor, home, plain } from ${JSON.stringify(new URL("harness.mjs", import.meta.url).href)};
    import { headOffice } from ${JSON.stringify(new URL("hq-harness.mjs", import.meta.url).href)};
    const tell = (said) => writeFileSync(${JSON.stringify(telling)}, JSON.stringify(said));
    ${body}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...how, at], { stdio: "ignore", env });
  atLast(() => kill(child));
  return {
    child,
    told: () => until("it tells", async () => existsSync(telling) && JSON.parse(readFileSync(telling, "utf8"))),
    ended: () => until("the file of tests ends", async () => child.exitCode !== null || child.signalCode !== null),
  };
}

/** Whether anything of it is left. @param {{ urls: string[], folders: string[] }} told */
async function left({ urls, folders }) {
  const answers = await Promise.all(urls.map((url) => fetch(`${url}/health`).then(() => url, () => null)));
  return [...answers.filter(Boolean), ...folders.filter((folder) => existsSync(folder))];
}

test("a test that fails before its own end leaves no box, no browser and no folder, and its file ends", async () => {
  const { child, told, ended } = file(`
    test("fails", async () => {
      const [box, chromium] = await Promise.all([plain(), browser()]), at = folderFor("tiffin-home-"), friend = await home(at), office = await headOffice();
      await (await chromium.newPage()).goto(box.url);
      await (await friend.newPage()).goto(box.url);
      tell({ urls: [box.url, office.url], folders: [box.folder, office.folder, at] });
      throw new Error("before its end");
    });`);
  const were = await told();
  await ended();
  assert.equal(child.exitCode, 1);
  assert.deepEqual(await left(were), []);
});

test("where half of what a file needs does not come, the other half is ended, also what comes too late", async () => {
  const { child, told, ended } = file(`
    let box, chromium;
    before(async () => {
      const begun = plain();
      begun.then(({ url, folder }) => tell({ urls: [url], folders: [folder] }), (error) => tell({ urls: [], folders: [], error: String(error) }));
      [box, chromium] = await Promise.all([begun, browser(), Promise.reject(new Error("it did not come"))]);
    });
    after(async () => { await chromium?.close(); await box?.end(); });
    test("is never begun", () => {});`);
  const were = await told();
  await ended();
  assert.equal(child.exitCode, 1);
  assert.deepEqual(await left(were), []);
});

test("a file that is interrupted takes its programs with it", async () => {
  const { child, told, ended } = file(`
    test("waits", async () => {
      const box = await plain();
      tell({ urls: [box.url], folders: [] });
      await new Promise(() => {});
    });`, []);
  const were = await told();
  assert.deepEqual(await left(were), were.urls);
  child.kill("SIGTERM");
  await ended();
  await until("its box is gone", async () => (await left(were)).length === 0);
});
