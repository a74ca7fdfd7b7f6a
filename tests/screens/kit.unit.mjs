// The kit's pure modules: amounts, quantities, ids, the messages of a stream, the words of all languages.

import assert from "node:assert/strict";
import { readdirSync, existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const screens = new URL("../../edge/screens/", import.meta.url);
const { cents, decimal, money, percent, quantity } = await import(new URL("kit/money.js", screens).href);
const { messagesIn } = await import(new URL("kit/api.js", screens).href);
const { newId } = await import(new URL("kit/ids.js", screens).href);

const rupees = { currency: "INR", decimals: 2, locale: "en-IN" };
const yen = { currency: "JPY", decimals: 0, locale: "en-IN" };
const dinars = { currency: "KWD", decimals: 3, locale: "en-IN" };

test("an amount is written exactly, in the currency's own decimals", () => {
  assert.equal(decimal(5, 2), "0.05");
  assert.equal(decimal(-12345, 2), "-123.45");
  assert.equal(decimal(1500, 0), "1500");
  assert.equal(decimal(1, 3), "0.001");
  assert.equal(money(12345600, rupees), "₹1,23,456.00");
  assert.equal(money(12345600, rupees, true), "₹1,23,456");
  assert.equal(money(12345650, rupees, true), "₹1,23,456.50");
  assert.equal(money(1500, yen).replace("JP¥", "¥"), "¥1,500");
  assert.match(money(1005, dinars), /1\.005$/);
});

test("what is typed as an amount is read exactly, and what is none is null", () => {
  for (const [typed, expected] of [["12", 1200], ["12.5", 1250], ["1,234.56", 123456], ["0.07", 7], ["1 000", 100000], ["12.", 1200]]) assert.equal(cents(/** @type {string} */ (typed), 2), expected, String(typed));
  for (const typed of ["", "abc", "-5", "1.234", "1e5", "12.3.4", "٣", "123456789012"]) assert.equal(cents(typed, 2), null, typed);
  assert.equal(cents("1500", 0), 1500);
  assert.equal(cents("1500.5", 0), null);
  assert.equal(cents("4.35", 2), 435);
});

test("quantities and per cent lose nothing", () => {
  assert.equal(quantity("2.500000", "en-IN"), "2.5");
  assert.equal(quantity("0.000001", "en-IN"), "0.000001");
  assert.equal(percent(250, "en-IN"), "2.5%");
  assert.equal(percent(1800, "en-IN"), "18%");
});

test("ids are UUIDs of version 7, in the order they were made", () => {
  const made = Array.from({ length: 1000 }, newId);
  for (const id of made) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...made].sort(), made);
  assert.equal(new Set(made).size, made.length);
});

test("a stream is read whole, however it is cut", () => {
  const text = 'event: hello\n\nid: 1\nevent: order\ndata: {"data": {"id": "o"}}\n\nevent: heart';
  const all = messagesIn(text);
  assert.deepEqual([all.messages.map((/** @type {any} */ { event }) => event), all.messages[1].data.data.id, all.rest], [["hello", "order"], "o", "event: heart"]);
  let rest = "";
  /** @type {any[]} */
  let seen = [];
  for (const char of text) { const { messages, rest: left } = messagesIn(rest + char); rest = left; seen = [...seen, ...messages]; }
  assert.deepEqual(seen, all.messages);
});

/** Every folder of words. */
const folders = ["../../edge/screens/", "../../sync-hub/screens/"].flatMap((root) => {
  const at = new URL(root, import.meta.url);
  if (!existsSync(fileURLToPath(at))) return [];
  return readdirSync(at, { withFileTypes: true }).filter((one) => one.isDirectory()).map((one) => new URL(`${one.name}/words/`, at)).filter((one) => existsSync(fileURLToPath(one)));
});

test("every language has the same words, with the same values to fill in", async () => {
  assert.ok(folders.length >= 1);
  for (const folder of folders) {
    const [en, ...others] = await Promise.all(["en", "hi", "ta"].map(async (language) => (await import(new URL(`${language}.js`, folder).href)).default));
    for (const words of others) {
      assert.deepEqual(Object.keys(words).sort(), Object.keys(en).sort(), folder.pathname);
      for (const [name, word] of Object.entries(words)) assert.deepEqual(holes(word), holes(en[name]), `${folder.pathname}: ${name}`);
    }
  }
});

/** What is filled in. @param {string | Record<string, string>} word */
function holes(word) {
  const texts = typeof word === "string" ? [word] : [word.other];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1])))].sort();
}
