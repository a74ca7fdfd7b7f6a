// A branch as it ships, a browser that opens it, and what every screen must be. Starts and stops only its own processes, on loopback; what a test
// did not end is ended with its file. Never waits for a time: for conditions alone.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = process.env.TIFFIN_TEST_TOOLS ?? join(root, "target/test-tools");
const programs = process.env.TIFFIN_PROGRAMS ?? join(root, "target/debug");
const require = createRequire(join(tools, "screens/package.json"));
export const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** How long a condition is waited for, in milliseconds, on a machine that does much else. */
export const PATIENCE = 60_000;
export const PASSWORD = "tiffin-sample";
/** Where pictures are put, if anywhere: `tests/screenshots` says so. */
const pictures = process.env.TIFFIN_PICTURES;

/** What ends what was begun, the newest last. @type {Set<() => unknown>} */
const begun = new Set();
/** Programs that run. @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
let isOver = false;

/** Ends something with the tests of this file at the latest: a test that fails before its own end leaves nothing that its file would wait for. @param {() => unknown} end */
export function atLast(end) { if (isOver) void end(); else begun.add(end); }

// A bench is no file of tests: it ends what it began.
if (/\.test\.mjs$/.test(process.argv[1] ?? "")) {
  after(async () => {
    isOver = true;
    for (const end of [...begun].reverse()) await Promise.resolve().then(end).catch(() => {});
  });
}
// Whatever ends this process ends what it started.
process.once("exit", () => { for (const child of running) child.kill("SIGKILL"); });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

/** A folder that goes when the tests of this file have ended. @param {string} name */
export function folderFor(name) {
  const folder = mkdtempSync(join(tmpdir(), name));
  atLast(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @returns {Promise<number>} a loopback port that nobody listens on, and that no outgoing connection is given before it is used */
export function freePort() {
  return new Promise((resolve) => {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    server.once("error", () => resolve(freePort()));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(port)));
  });
}

/** Asks until `look` answers something true. @template T @param {string} what @param {() => Promise<T>} look @returns {Promise<T>} */
export async function until(what, look) {
  const end = Date.now() + PATIENCE;
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end || isOver) throw new Error(`${what} did not come about: ${last ?? "it stayed untrue"}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Starts a program of ours. Its words go to a file beside its data. @param {string} name @param {string[]} args @param {string} folder @param {Record<string, string>} [more] */
export function start(name, args, folder, more = {}) {
  const log = openSync(join(folder, `${name}.log`), "a");
  const env = { ...process.env, RUST_LOG: "warn", TIFFIN_PRINTER_NETWORKS: "127.0.0.0/8", TIFFIN_PRINTER_PORTS: "1-65535", ...more };
  const child = spawn(join(programs, name), args, { stdio: ["ignore", log, log], env });
  running.add(child);
  child.once("exit", () => running.delete(child));
  atLast(() => kill(child));
  return child;
}

/** Runs a command of ours to its end and answers what it printed. @param {string} name @param {string[]} args */
export function run(name, args) {
  const done = spawnSync(join(programs, name), args, { encoding: "utf8" });
  assert.equal(done.status, 0, `${name} ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** The environment of a program whose clock is another: `@2036-03-01 12:00:00`, or so many seconds ahead: `+3600`. What passes is real. @param {string} clock */
export function clockAt(clock) {
  const library = readdirSync("/usr/lib").map((name) => join("/usr/lib", name, "faketime/libfaketime.so.1")).find(existsSync);
  assert.ok(library, "libfaketime is not installed; tests/run installs it");
  return { FAKETIME: clock, LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1", NO_FAKE_STAT: "1", TZ: "UTC" };
}

/** A branch of the sample restaurant, as `edge serve --sample-data` makes it. `args`: more of them; `env`: of its environment. @param {string[]} [args] @param {Record<string, string>} [env] */
export async function branch(args = [], env = {}) {
  const folder = folderFor("tiffin-screens-");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const all = ["serve", "--data-dir", join(folder, "data"), "--sample-data", "--listen", `127.0.0.1:${port}`, ...args];
  /** @type {import("node:child_process").ChildProcess | null} */
  let child = null;
  const box = {
    url,
    folder,
    /** Starts it, or starts it again. */
    async up() {
      child = start("edge", all, folder, env);
      await until("the branch answers", async () => (await fetch(`${url}/health`)).ok);
    },
    /** Ends it as a power cut does. */
    async down() {
      const gone = child;
      child = null;
      await kill(gone);
    },
    async end() {
      await box.down();
      rmSync(folder, { recursive: true, force: true });
    },
    /** A client of the API, signed in as a sample account. @param {string} role */
    as: (role) => client(url, `${role}@sample.test`),
  };
  await box.up();
  return box;
}

/**
 * What the tests of a file share, once they have begun: a branch, a browser, and clients of the API by their roles.
 * @param {string[]} args of the branch @param {string[]} roles @returns {{ box: Awaited<ReturnType<typeof branch>>, chromium: import("playwright-core").Browser } & Record<string, any>}
 */
export function scene(args, roles) {
  /** @type {any} */
  const all = {};
  before(async () => {
    [all.box, all.chromium] = await Promise.all([branch(args), browser()]);
    for (const role of roles) all[role] = await all.box.as(role);
  });
  return all;
}

/** A client that signs in at `at` first. @param {string} url @param {string} email @param {string} [password] @param {string} [at] */
export async function client(url, email, password = PASSWORD, at = "/auth/login") {
  const { accessToken, user } = (await call(url, "POST", at, { body: { email, password } })).data;
  return { user, ...bearer(url, accessToken) };
}

/** A client with this token. @param {string} url @param {string} token */
export function bearer(url, token) {
  /** @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [headers] */
  const ask = (method, path, body, headers = {}) => call(url, method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } });
  return {
    token,
    ask,
    /** What a GET answers, without its envelope. @param {string} path @param {Record<string, string>} [headers] */
    get: async (path, headers = {}) => (await ask("GET", path, undefined, headers)).data,
    /** What a POST answers. @param {string} path @param {any} body @param {string} [key] */
    post: async (path, body, key = crypto.randomUUID()) => { const answer = await ask("POST", path, body, { "idempotency-key": key }); return answer.data ?? answer; },
  };
}

/** @param {string} url @param {string} method @param {string} path @param {{ body?: any, headers?: Record<string, string> }} asked */
export async function call(url, method, path, { body, headers = {} }) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${url}/api/v1${path}`, { method, headers: { "content-type": "application/json", ...headers }, ...sent });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** A free box of one's own: `init` as shipped, then `serve`; with TLS where it is asked for. @param {{ tls?: boolean }} [how] */
export async function plain({ tls } = {}) {
  const folder = folderFor("tiffin-screens-");
  const data = join(folder, "data");
  run("edge", ["init", "--data-dir", data, "--outlet-name", "Dosa & Co", "--owner-email", "me@example.com"]);
  const [port, secure] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const child = start("edge", ["serve", "--data-dir", data, "--listen", `127.0.0.1:${port}`, ...(tls ? ["--tls-listen", `127.0.0.1:${secure}`] : [])], folder);
  await until("the branch answers", async () => (await fetch(`${url}/health`)).ok);
  return { url, data, folder, tls: secure, end: () => stop(child, folder) };
}

/** A box without a branch, and the link that its console shows. @param {Record<string, string>} env */
export async function fresh(env) {
  const folder = folderFor("tiffin-screens-");
  const port = await freePort();
  const child = start("edge", ["serve", "--data-dir", join(folder, "data"), "--listen", `127.0.0.1:${port}`], folder, env);
  const log = () => readFileSync(join(folder, "edge.log"), "utf8");
  const link = await until("the console shows the link", async () => /\S+\/setup\?code=\S+/.exec(log())?.[0]);
  return {
    link: String(link),
    url: String(link).split("/setup")[0],
    /** Waits until the console says so. @param {string} words */
    says: (words) => until(words, async () => log().includes(words)),
    end: () => stop(child, folder),
  };
}

/** Ends a program as a power cut does. @param {import("node:child_process").ChildProcess | null} child */
export async function kill(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Ends a program, and takes its folder away. @param {import("node:child_process").ChildProcess} child @param {string} folder */
async function stop(child, folder) {
  await kill(child);
  rmSync(folder, { recursive: true, force: true });
}

/** What a browser for tests leaves alone; and the names that the box's announcement, and a liar, would give in a network. */
const FLAGS = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--host-resolver-rules=MAP blr1.local 127.0.0.1, MAP bank.example 127.0.0.1"];

/** A browser with a home of its own, where its user has installed certificates. @param {string} folder */
export async function home(folder) {
  const context = await chromium.launchPersistentContext(join(folder, "profile"), { executablePath: "/usr/bin/chromium", args: FLAGS, env: { ...process.env, HOME: folder } });
  atLast(() => context.close());
  context.setDefaultTimeout(PATIENCE);
  return { newPage: () => context.newPage(), end: async () => { await context.close(); rmSync(folder, { recursive: true, force: true }); } };
}

/** A browser; every test opens pages of its own in it. */
export async function browser() {
  const launched = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  atLast(() => launched.close());
  return launched;
}

/** The sizes that every state is looked at. */
export const SIZES = { phone: { width: 390, height: 844 }, tablet: { width: 1024, height: 768 }, desk: { width: 1440, height: 900 } };

/**
 * A page in a context of its own. What the browser complains of is kept in `complaints`; a test ends with none.
 * @param {import("playwright-core").Browser} browser
 * @param {{ size?: { width: number, height: number }, night?: boolean, touch?: boolean, locale?: string }} [look]
 */
export async function open(browser, { size = SIZES.tablet, night = false, touch = true, locale = "en-IN" } = {}) {
  const context = await browser.newContext({ viewport: size, hasTouch: touch, colorScheme: night ? "dark" : "light", locale, timezoneId: "Asia/Kolkata" });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("console", (said) => { if (said.type() === "error" && !/Failed to load resource|net::ERR_/.test(said.text())) complaints.push(said.text()); });
  await context.addInitScript(() => {
    // Every touch or click that was meant for something, for the budgets.
    const counted = /** @type {any} */ (window);
    counted.taps = 0;
    addEventListener("click", (event) => { if (event.isTrusted && event.detail > 0) counted.taps += 1; }, true);
  });
  return { context, page, complaints };
}

/** How most states are looked at: at the smallest and the largest, by day and by night. */
export const looks = { nights: [false, true], sizes: ["phone", "desk"] };

/** The dialog that lies on top. @param {import("playwright-core").Page} page */
export const dialog = (page) => page.locator("dialog[open]").last();

/** A phone that is held upright. */
export const PHONE = SIZES.phone;

/**
 * Looks a page through that needs no script: on phones, a tablet and a desk, by day and by night, with all that is folded unfolded.
 * @param {import("playwright-core").Page} page @param {string} name @param {{ scripts?: boolean }} [how] `scripts`: it may have some.
 */
export async function examinePage(page, name, { scripts = false } = {}) {
  const wrong = [];
  if (!scripts && (await page.evaluate(() => document.scripts.length)) > 0) wrong.push("it needs a script");
  const folded = await page.evaluate(() => [...document.querySelectorAll("details")].map((each) => { const was = each.open; each.open = true; return was; }));
  const before = page.viewportSize();
  for (const night of [true, false]) {
    await page.emulateMedia({ colorScheme: night ? "dark" : "light" });
    for (const [size, viewport] of Object.entries({ ...SIZES, small: { width: 360, height: 740 } })) {
      await page.setViewportSize(viewport);
      const on = `${size} by ${night ? "night" : "day"}`;
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > viewport.width) wrong.push(`${on}: one must scroll sideways: ${width}`);
      const small = await page.evaluate(() => [...document.querySelectorAll("a, button, select, summary, textarea, input:not([type=hidden])")]
        .map((each) => (each.getAttribute("type") === "checkbox" ? each.closest("label") ?? each : each))
        .filter((each) => each.getClientRects().length > 0 && Math.round(each.getClientRects()[0].height) < 44)
        .map((each) => each.outerHTML.slice(0, 80)));
      for (const one of small) wrong.push(`${on}: too small to tap: ${one}`);
      for (const one of await findings(page)) wrong.push(`${on}: ${one}`);
      await picture(page, `${name}-${size}-${night ? "night" : "day"}`);
    }
  }
  await page.evaluate((was) => { [...document.querySelectorAll("details")].forEach((each, n) => { each.open = was[n]; }); }, folded);
  if (before) await page.setViewportSize(before);
  assert.deepEqual([...new Set(wrong)], [], name);
}

/** Takes a picture of what is seen, where pictures are wanted. @param {import("playwright-core").Page} page @param {string} name */
async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Signs in by one tap at the sample restaurant. @param {import("playwright-core").Page} page @param {string} role as it is on the button */
export async function signIn(page, role) {
  await page.getByRole("button", { name: role, exact: true }).click();
}

/** Until the browser keeps a screen for when the box is away: its page, all that the page names, and those of its files. @param {import("playwright-core").Page} page @param {string} path @param {...string} files */
export async function isShelved(page, path, ...files) {
  await until("the page and its files are kept", () => page.evaluate(async (ends) => {
    const urls = (await (await caches.open("tiffin-screens")).keys()).map(({ url }) => url);
    const named = [...document.querySelectorAll("link[rel=modulepreload], link[rel=stylesheet], script[src]")].map((one) => /** @type {any} */ (one).href || /** @type {any} */ (one).src);
    return named.length > 0 && named.every((one) => urls.includes(one)) && ends.every((end) => urls.some((url) => url.endsWith(end)));
  }, [path, ...files]));
}

/** What a screen keeps to be shown where the box is away when it is loaded. @param {import("playwright-core").Page} page @returns {Promise<any[]>} */
export function lastKept(page) {
  return page.evaluate(() => new Promise((resolve, reject) => {
    const opened = indexedDB.open("tiffin-last", 1);
    opened.onupgradeneeded = () => opened.result.createObjectStore("last");
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => { const all = opened.result.transaction("last").objectStore("last").getAll(); all.onsuccess = () => { opened.result.close(); resolve(all.result); }; all.onerror = () => reject(all.error); };
  }));
}

/** What the screens call a date, in English. @param {string} date @param {{ weekday?: "short" }} [more] */
export const dated = (date, more = {}) => new Intl.DateTimeFormat("en-IN", { timeZone: "UTC", day: "numeric", month: "short", ...more }).format(new Date(`${date}T00:00Z`));

/** The date so many days after another. @param {string} date @param {number} days */
export const later = (date, days) => new Date(Date.parse(`${date}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** The business day at the branch: until its cutoff in the night that is yesterday's date. @param {any} client @returns {Promise<string>} */
export const today = async (client) => (await client.get("/dashboard")).businessDate;

/** The days of a week that lies so many weeks ahead, Monday first; the sample's own roster has this one and the next. @param {any} client @param {number} weeks */
export async function weekAhead(client, weeks) {
  const now = await today(client), monday = later(now, 7 * weeks - ((new Date(`${now}T00:00Z`).getUTCDay() + 6) % 7));
  return Array.from({ length: 7 }, (_, n) => later(monday, n));
}

/** Taps since `work` began. @param {import("playwright-core").Page} page @param {() => Promise<void>} work */
export async function taps(page, work) {
  const before = await page.evaluate(() => /** @type {any} */ (window).taps);
  await work();
  return (await page.evaluate(() => /** @type {any} */ (window).taps)) - before;
}

/**
 * The till's page, read again, at a view of it. Where the page before was about to go is kept by nobody.
 * @param {import("playwright-core").Page} page @param {any} view
 */
export async function atView(page, view) {
  await page.evaluate((text) => {
    const name = "tiffin.pos.view", { setItem } = Storage.prototype;
    localStorage.setItem(name, text);
    Storage.prototype.setItem = function (key, value) { if (key !== name) setItem.call(this, key, value); };
  }, JSON.stringify(view));
  await page.reload();
}

/** What axe-core finds on the page as it stands. @param {import("playwright-core").Page} page @returns {Promise<string[]>} */
export async function findings(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const rules = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"] };
    const found = await /** @type {any} */ (window).axe.run(document, rules);
    return found.violations.map((/** @type {any} */ each) => `${each.id}: ${each.help}: ${each.nodes.map((/** @type {any} */ node) => `${node.html} ${node.any?.[0]?.message ?? ""}`).join(" | ")}`);
  });
}

/** What is cut off, laid over another, too small for a finger, or without a word. @param {import("playwright-core").Page} page @returns {Promise<string[]>} */
export async function flaws(page) {
  return page.evaluate(() => {
    const wrong = [];
    const place = document.querySelector("dialog[open]:last-of-type") ?? document.body;
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`one must scroll sideways: ${document.documentElement.scrollWidth} > ${innerWidth}`);
    const shown = (/** @type {Element} */ one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && one.getClientRects().length > 0;
    const name = (/** @type {Element} */ one) => `<${one.tagName.toLowerCase()} class="${one.getAttribute("class") ?? ""}"> ${(one.textContent ?? "").trim().slice(0, 40)}`;
    const tapped = [...place.querySelectorAll("button, a.button, select, summary, input:not([type=hidden]), textarea")].filter(shown);
    for (const one of tapped) {
      const box = (one.matches("[type=checkbox], [type=radio]") ? one.closest("label") ?? one : one).getBoundingClientRect();
      if (box.height < 43.5 || box.width < 43.5) wrong.push(`too small to tap: ${name(one)} ${Math.round(box.width)}×${Math.round(box.height)}`);
    }
    for (const one of place.querySelectorAll("*")) {
      if (!shown(one) || !(one instanceof HTMLElement) || one.closest(".spoken")) continue;
      const style = getComputedStyle(one);
      const hides = style.overflowX === "hidden" || style.overflowX === "clip";
      if (hides && one.scrollWidth > one.clientWidth + 1 && (one.textContent ?? "").trim()) wrong.push(`cut off: ${name(one)}`);
      if ([...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && (child.textContent ?? "").includes("⟦"))) wrong.push(`no word: ${name(one)}`);
    }
    // What is scrolled out of its box is not seen.
    const seen = (/** @type {Element} */ one) => {
      const box = one.getBoundingClientRect(), shown = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
      for (let around = one.parentElement; around; around = around.parentElement) {
        if (getComputedStyle(around).overflowY === "visible") continue;
        const clip = around.getBoundingClientRect();
        shown.left = Math.max(shown.left, clip.left); shown.right = Math.min(shown.right, clip.right); shown.top = Math.max(shown.top, clip.top); shown.bottom = Math.min(shown.bottom, clip.bottom);
      }
      return shown;
    };
    // Two things to tap never lie over one another.
    for (let a = 0; a < tapped.length; a += 1) {
      for (let b = a + 1; b < tapped.length; b += 1) {
        if (tapped[a].contains(tapped[b]) || tapped[b].contains(tapped[a])) continue;
        const [one, other] = [seen(tapped[a]), seen(tapped[b])];
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        const under = document.elementFromPoint((Math.max(one.left, other.left) + Math.min(one.right, other.right)) / 2, (Math.max(one.top, other.top) + Math.min(one.bottom, other.bottom)) / 2);
        if (wide > 2 && high > 2 && under && (tapped[a].contains(under) || tapped[b].contains(under)) && getComputedStyle(tapped[a]).position === "static" && getComputedStyle(tapped[b]).position === "static") wrong.push(`over one another: ${name(tapped[a])} and ${name(tapped[b])}`);
      }
    }
    return wrong;
  });
}

/**
 * Looks the present state through at every size, by day and by night, and takes its picture where pictures are wanted. The page is left at
 * the size it had.
 * @param {import("playwright-core").Page} page @param {string} state such as `pos-floor` @param {{ nights?: boolean[], sizes?: string[] }} [how]
 */
export async function examine(page, state, { nights = [false, true], sizes = Object.keys(SIZES) } = {}) {
  const before = page.viewportSize();
  const wrong = [];
  for (const night of nights) {
    await page.emulateMedia({ colorScheme: night ? "dark" : "light", reducedMotion: "reduce" });
    for (const size of sizes) {
      await page.setViewportSize(SIZES[/** @type {keyof typeof SIZES} */ (size)]);
      // Two frames: what follows the size has been drawn.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const on = `${state} on ${size} by ${night ? "night" : "day"}`;
      for (const one of [...(await findings(page)), ...(await flaws(page))]) wrong.push(`${on}: ${one}`);
      await picture(page, `${state}-${size}-${night ? "night" : "day"}`);
    }
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual([...new Set(wrong)], [], state);
}

/** Runs a program of the machine. @param {string} program @param {string[]} args */
export function machine(program, args) {
  const done = spawnSync(program, args, { encoding: "utf8" });
  assert.ok(done.status === 0 || program === "zbarimg", `${program} ${args.join(" ")}: ${done.error ?? done.stderr}`);
  return done.stdout;
}

/** All QR codes of a picture, read by other code than draws them. @param {Buffer} picture */
export function codes(picture) {
  const folder = mkdtempSync(join(tmpdir(), "tiffin-codes-"));
  writeFileSync(join(folder, "picture.png"), picture);
  const read = machine("zbarimg", ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", join(folder, "picture.png")]);
  rmSync(folder, { recursive: true });
  return new Set(read.split("\n").filter(Boolean));
}
