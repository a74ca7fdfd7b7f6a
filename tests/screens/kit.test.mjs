// The kit in a real browser, served as the screens are: what it draws follows its signals, keeps elements, and lets go of what is gone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { branch, browser, call, open } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof branch>>} */
let box;
/** @type {import("playwright-core").Browser} */
let chromium;
before(async () => { [box, chromium] = await Promise.all([branch(), browser()]); });
after(async () => { await chromium?.close(); await box?.end(); });

/** A page of the branch with the kit's module `name` as `window.kit`. @param {string} name */
async function withKit(name) {
  const { page, context, complaints } = await open(chromium);
  await page.goto(`${box.url}/clock`);
  const place = await page.evaluate(() => /** @type {HTMLScriptElement} */ (document.querySelector("script")).src.replace("clock/main.js", "kit/"));
  await page.evaluate(async ([at, file]) => { /** @type {any} */ (window).kit = await import(at + file); }, [place, name]);
  return { page, context, complaints };
}

test("a text and an attribute follow their signal, and only they are touched", async () => {
  const { page, context } = await withKit("view.js");
  const seen = await page.evaluate(() => {
    const { signal, h, mount } = /** @type {any} */ (window).kit;
    const count = signal(1), place = document.createElement("div");
    let drawn = 0;
    mount(place, () => { drawn += 1; return h("p", { "data-n": () => count(), class: "x" }, "n ", () => String(count())); });
    const before = place.firstElementChild;
    count.set(2);
    return [place.textContent, /** @type {any} */ (place.firstElementChild).dataset.n, before === place.firstElementChild, drawn];
  });
  assert.deepEqual(seen, ["n 2", "2", true, 1]);
  await context.close();
});

test("a list keeps the element of a key, moves it, and ends what it drew", async () => {
  const { page, context } = await withKit("view.js");
  const seen = await page.evaluate(() => {
    const { signal, h, each, mount, onEnd } = /** @type {any} */ (window).kit;
    const rows = signal([{ id: "a", n: 1 }, { id: "b", n: 2 }, { id: "c", n: 3 }]), place = document.createElement("ul");
    /** @type {string[]} */
    const ended = [];
    mount(place, () => each(rows, (/** @type {any} */ row) => row.id, (/** @type {any} */ row) => {
      const { id } = row();
      onEnd(() => ended.push(id));
      return h("li", {}, () => `${row().id}${row().n}`);
    }));
    const b = place.children[1];
    rows.set([{ id: "c", n: 9 }, { id: "b", n: 2 }]);
    return [place.textContent, place.children[1] === b, ended];
  });
  assert.deepEqual(seen, ["c9b2", true, ["a"]]);
  await context.close();
});

test("what is mounted is drawn once, whatever it reads, and ends with what it stands in", async () => {
  const { page, context } = await withKit("view.js");
  const seen = await page.evaluate(() => {
    const { signal, h, mount, onEnd } = /** @type {any} */ (window).kit;
    const news = signal(1), there = signal(true), place = document.createElement("div");
    let drawn = 0, ended = 0;
    mount(place, () => () => {
      if (!there()) return null;
      const part = document.createDocumentFragment();
      mount(part, () => { drawn += 1; news(); onEnd(() => { ended += 1; }); return ["a", h("input", { value: news() }), () => String(news())]; });
      return part;
    });
    const input = place.querySelector("input");
    news.set(2);
    const before = [place.textContent, drawn, place.querySelector("input") === input, ended];
    there.set(false);
    return [before, place.textContent, ended];
  });
  assert.deepEqual(seen, [["a2", 1, true, 0], "", 1]);
  await context.close();
});

test("what is drawn anew ends what it had begun, so that nothing grows", async () => {
  const { page, context } = await withKit("view.js");
  const runs = await page.evaluate(() => {
    const { signal, h, mount, effect } = /** @type {any} */ (window).kit;
    const outer = signal(0), inner = signal(0), place = document.createElement("div");
    let count = 0;
    mount(place, () => () => { outer(); effect(() => { inner(); count += 1; }); return h("b", {}, "x"); });
    for (let n = 1; n <= 50; n += 1) outer.set(n);
    count = 0;
    inner.set(1);
    return count;
  });
  assert.equal(runs, 1);
  await context.close();
});

test("several signals set in one batch draw once, and an error in one place does not stop the rest for ever", async () => {
  const { page, context } = await withKit("view.js");
  const seen = await page.evaluate(() => {
    const { signal, effect, batch } = /** @type {any} */ (window).kit;
    const a = signal(0), b = signal(0);
    let runs = 0;
    effect(() => { runs += 1; if (a() + b() === 3) throw new Error("three"); });
    batch(() => { a.set(1); b.set(1); });
    const after = runs;
    try { b.set(2); } catch { /* It is thrown to who set it. */ }
    b.set(5);
    return [after, runs];
  });
  assert.deepEqual(seen, [2, 4]);
  await context.close();
});

test("the business date is the evening's until the day begins, by the clock on the wall, also when clocks change", async () => {
  const { page, context } = await withKit("time.js");
  const dates = await page.evaluate(() => {
    const { businessDate } = /** @type {any} */ (window).kit;
    return [
      ["2026-11-26T18:29:59Z", "Asia/Kolkata", "04:00"], ["2026-11-26T18:30:00Z", "Asia/Kolkata", "04:00"], ["2026-11-26T22:29:59Z", "Asia/Kolkata", "04:00"], ["2026-11-26T22:30:00Z", "Asia/Kolkata", "04:00"],
      ["2026-12-31T18:45:00Z", "Asia/Kolkata", "04:00"], ["2028-02-29T20:00:00Z", "Asia/Kolkata", "04:00"], ["2026-11-26T18:30:00Z", "Asia/Kolkata", undefined],
      // London: 04:10 on the day that has 23 hours, 03:10 on the one that has 25.
      ["2027-03-28T03:10:00Z", "Europe/London", "04:00"], ["2027-03-28T02:50:00Z", "Europe/London", "04:00"], ["2027-10-31T03:10:00Z", "Europe/London", "04:00"], ["2027-10-31T04:00:00Z", "Europe/London", "04:00"],
    ].map(([moment, zone, begins]) => businessDate(Date.parse(/** @type {string} */ (moment)), zone, begins));
  });
  assert.deepEqual(dates, ["2026-11-26", "2026-11-26", "2026-11-26", "2026-11-27", "2026-12-31", "2028-02-29", "2026-11-27", "2027-03-28", "2027-03-27", "2027-10-30", "2027-10-31"]);
  await context.close();
});

test("a text is never markup, and the page's policy lets no script of others in", async () => {
  const { page, context } = await withKit("view.js");
  const seen = await page.evaluate(() => {
    const { h } = /** @type {any} */ (window).kit;
    const drawn = h("p", { title: "<b>" }, "<img src=x onerror=alert(1)>");
    let refused = false;
    try { document.createElement("div").innerHTML = "<b>x</b>"; } catch { refused = true; }
    return [drawn.children.length, drawn.textContent, refused];
  });
  assert.deepEqual(seen, [0, "<img src=x onerror=alert(1)>", true]);
  const policy = (await fetch(`${box.url}/pos`)).headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "trusted-types worker", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), part);
  await context.close();
});

test("every page of staff names its files by the hash of all, which a browser keeps for ever", async () => {
  for (const path of ["/pos", "/kitchen", "/clock", "/manage"]) {
    const page = await (await fetch(box.url + path)).text();
    const files = [...page.matchAll(/(?:href|src)="(\/a\/[0-9a-f]{16}\/[^"]+)"/g)].map((found) => found[1]);
    assert.ok(files.length >= 5, path);
    for (const file of files) {
      const answer = await fetch(box.url + file);
      assert.equal(answer.status, 200, file);
      assert.match(answer.headers.get("cache-control") ?? "", /immutable/, file);
    }
    assert.equal((await fetch(box.url + files[0].replace(/[0-9a-f]{16}/, "0".repeat(16)))).headers.get("cache-control"), "no-store");
  }
});

test("an entry of the outbox outlives its tab, and goes once", async () => {
  const { page, context } = await open(chromium);
  await page.goto(`${box.url}/clock`);
  const signedIn = await call(box.url, "POST", "/auth/login", { body: { email: "waiter@sample.test", password: "tiffin-sample" } });
  const menu = await call(box.url, "GET", "/menu", { headers: { authorization: `Bearer ${signedIn.data.accessToken}` } });
  const dish = menu.data.categories[0].items[0];
  const body = { orderType: "COUNTER", items: [{ menuItemId: dish.id, quantity: 1, unitPriceCents: dish.priceCents }] };
  const use = async (/** @type {string} */ work) => page.evaluate(async ([place, token, order, what]) => {
    const box = await import(`${place}outbox.js`);
    await box.start({ token: async () => token, done: () => {} });
    if (what === "put") await box.put({ subject: "a", method: "POST", path: "/orders", body: order, person: null, about: {} });
    for (let tries = 0; tries < 200 && box.entries.peek().length > 0 && what === "send"; tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    return box.entries.peek().length;
  }, /** @type {const} */ ([await page.evaluate(() => /** @type {HTMLScriptElement} */ (document.querySelector("script")).src.replace("clock/main.js", "kit/")), signedIn.data.accessToken, body, work]));
  // The server takes it, and the answer is lost on the way.
  await context.route("**/api/v1/orders", async (route) => { await route.fetch().catch(() => {}); await route.abort().catch(() => {}); });
  assert.equal(await use("put"), 1);
  await context.unroute("**/api/v1/orders");
  await page.reload();
  assert.equal(await use("send"), 0);
  const manager = await box.as("manager");
  assert.equal((await manager.get("/orders?orderType=COUNTER")).length, 1);
  await context.close();
});

test("a dialog gives the focus back to what it was opened from, though that was drawn anew behind it", async () => {
  const { page, context } = await withKit("dialog.js");
  const seen = await page.evaluate(async () => {
    const { show } = /** @type {any} */ (window).kit;
    const place = document.createElement("main");
    document.body.append(place);
    const draw = (/** @type {string[]} */ ...names) => place.replaceChildren(...names.map((name) => Object.assign(document.createElement("button"), { textContent: name })));
    /** @type {string[]} */
    const focused = [];
    // Still there, drawn anew, one of two of that name, and gone: then nobody knows which it was.
    for (const [before, after] of [[["Change"], null], [["Change"], ["Change"]], [["Change", "Change"], ["Other", "Change", "Change"]], [["Change"], ["Other"]]]) {
      draw(...(before ?? []));
      /** @type {HTMLElement} */ (place.lastElementChild).focus();
      let close = (/** @type {any} */ _) => {};
      const asked = show("Sure?", (/** @type {any} */ given) => { close = given; return "…"; });
      if (after) draw(...after);
      close(true);
      await asked;
      focused.push(`${document.activeElement?.tagName} ${[...place.children].indexOf(/** @type {any} */ (document.activeElement))}`);
    }
    return focused;
  });
  assert.deepEqual(seen, ["BUTTON 0", "BUTTON 0", "BUTTON 2", "BODY -1"]);
  await context.close();
});
