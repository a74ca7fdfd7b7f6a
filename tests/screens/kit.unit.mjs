// The kit's pure modules: amounts, quantities, ids, the messages of a stream, the words of all languages.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

test("what the server refuses and tells is said in the words of the screen; what has none stands as it was said", async () => {
  // A page's own, for the words.
  Object.assign(globalThis, { location: { search: "", href: "http://box/pos" }, document: { documentElement: {} } });
  const { learn } = await import(new URL("kit/words.js", screens).href);
  const { inWords, ready, refusedIn } = await import(new URL("kit/refused.js", screens).href);
  await ready;
  /** @param {string} code @param {string} message @param {{ name: string, reason: string }[]} [fields] */
  const refusal = (code, message, fields = [], more = {}) => refusedIn({ status: 409, code: `ERR_${code}`, message, fields, ...more });
  for (const [language, closed, price, rest, table, wait] of [
    ["en", "The order is over: it can no longer be changed.", "Amount: Nothing is due.", "The moon is full", "Table 12 wants the bill", "Too many tries. Wait 9 s."],
    ["hi", "ऑर्डर पूरा हो चुका है: अब बदल नहीं सकता।", "रकम: कुछ बाकी नहीं है।", "अभी यह नहीं हो सकता: The moon is full", "टेबल 12 बिल माँग रही है", "बहुत बार कोशिश हुई। 9 सेकंड रुकें।"],
    ["ta", "ஆர்டர் முடிந்துவிட்டது: இனி மாற்ற முடியாது.", "தொகை: பாக்கி எதுவும் இல்லை.", "இப்போது இதைச் செய்ய முடியாது: The moon is full", "டேபிள் 12 பில் கேட்கிறது", "பல முயற்சிகள். 9 நொடி காத்திருங்கள்."],
  ]) {
    location.search = `?lang=${language}`;
    await learn("pos");
    assert.equal(refusal("INVALID_TRANSITION", "The order is COMPLETED: it can no longer be changed"), closed);
    assert.equal(refusal("PAYLOAD_VALIDATION", "amountCents: nothing is due", [{ name: "amountCents", reason: "nothing is due" }]), price);
    assert.equal(refusal("INVALID_TRANSITION", "The moon is full"), rest);
    assert.equal(inWords("Table 12 asks for the bill"), table);
    const told = inWords("Order BLR1-261126-0003, table 3. There is no printer and no fallback station: tell the cooks.");
    assert.ok(told.includes("BLR1-261126-0003") && !told.includes("fallback"), told);
    assert.equal(refusal("RATE_LIMITED", "Too many requests", [], { status: 429, retryAfter: 9 }), wait);
    // A field whose name the screen does not know, and one that says enough by itself.
    assert.equal(refusal("PAYLOAD_VALIDATION", "x: is odd", [{ name: "x", reason: "is odd" }]), "x: is odd");
    assert.notEqual(refusal("PAYLOAD_VALIDATION", "items[0].menuItemId: is sold out", [{ name: "items[0].menuItemId", reason: "is sold out" }]), "items[0].menuItemId: is sold out");
    assert.doesNotMatch(refusal("PAYLOAD_VALIDATION", "2 fields are invalid", [{ name: "items[0].quantity", reason: "only 2 left" }, { name: "reason", reason: "must say why" }]), /[{}]|only 2 left|must say why/);
  }
});

test("what people meet most is said in Hindi and Tamil without a word of English", async () => {
  const { learn } = await import(new URL("kit/words.js", screens).href);
  const { inWords, ready } = await import(new URL("kit/refused.js", screens).href);
  await ready;
  // As the server fills them in; names and numbers stay as they are.
  const met = /** @type {[string, RegExp][]} */ ([
    ["Enter your PIN: somebody else's was entered, this one was ended, or nobody was here for a while", /^$/], ["Too many wrong entries; try again in 30 s", /30/], ["must be 4 to 8 digits", /^$/], ["is already in use", /^$/], ["must have at most 60 characters", /60/],
    ["must be at most ₹280.00, which is what is due", /₹280\.00/], ["Only somebody above them may change this", /^$/], ["2026-11-26 has been closed already (number 12)", /2026-11-26|12|Z/], ["must choose at least 1 of Spice", /1|Spice/], ["Your shift has changed", /^$/],
    ["Divya Pillai agrees; a manager has to approve", /Divya Pillai/], ["Leave was approved", /^$/], ["Leave was rejected", /^$/], ["clashes with the employee's MORNING shift 07:00–15:00 on 2026-11-26", /^$/], ["the employee is on ANNUAL leave from 2026-11-26 to 2026-11-28", /2026-11-2[68]/],
    ["takes more than there is (4 kg)", /4|kg/], ["TR-0007 is on its way here", /TR-0007/], ["3.5 kg were sold without stock. Count it, or enter what was delivered.", /3\.5|kg/], ["CLOCK_IN is not possible: this employee is at work. Possible now: CLOCK_OUT, BREAK_START.", /^$/],
    ["The printer Hot kitchen did not print in time", /Hot kitchen/], ["Bread is used by: Masala Dosa", /Masala Dosa/], ["1 order is open at the table: complete, cancel or move first; until then it is OCCUPIED or BILL_PRINTED", /^$/],
  ]);
  for (const language of ["hi", "ta"]) {
    location.search = `?lang=${language}`;
    await learn("manage");
    for (const [text, kept] of met) {
      const own = inWords(text);
      assert.notEqual(own, text, language);
      assert.doesNotMatch(kept.source === "^$" ? own : own.replace(new RegExp(kept.source, "g"), ""), /[A-Za-z{}⟦]/, `${language}: ${own}`);
    }
  }
});

test("every saying of the server has its words, with the same values, and is still said by the server", async () => {
  const { default: sayings } = await import(new URL("kit/words/server.js", screens).href);
  const { default: words } = await import(new URL("kit/words/en.js", screens).href);
  const code = ["edge", "sync-hub"].flatMap((program) => readdirSync(new URL(`../../${program}/src/`, import.meta.url), { recursive: true, withFileTypes: true })).filter((one) => one.isFile() && one.name.endsWith(".rs")).map((one) => readFileSync(`${one.parentPath}/${one.name}`, "utf8")).join("\n");
  for (const [name, texts] of Object.entries(sayings)) {
    const word = words[`says.${name}`];
    assert.ok(word, name);
    for (const text of texts) {
      for (const hole of holes(word)) assert.ok(holes(text).includes(hole), `${name}: ${hole} is not in “${text}”`);
      // The longest part between what is filled in.
      const part = text.split(/\{\w+\}/).sort((/** @type {string} */ a, /** @type {string} */ b) => b.length - a.length)[0].trim();
      assert.ok(code.includes(part), `nobody says “${part}” any more`);
    }
  }
});

test("a language is called as it calls itself and as it is called here, and is written its own way", async () => {
  const { directionOf, languageName, locale, nameIn, namesOf } = await import(new URL("kit/words.js", screens).href);
  const here = new Intl.DisplayNames([locale()], { type: "language" }), both = (/** @type {string} */ own, /** @type {string} */ tag) => (own === here.of(tag) ? own : `${own} · ${here.of(tag)}`);
  assert.deepEqual([languageName("en"), languageName("hi"), languageName("pt-br")], [both("English", "en"), both("हिन्दी", "hi"), both("português (Brasil)", "pt-br")]);
  assert.deepEqual(["hi", "ur", "ar-eg", "ta"].map(directionOf), ["ltr", "rtl", "rtl", "ltr"]);
  const dish = { name: "Dosa", texts: { hi: { name: "डोसा" }, pt: { name: "Dosa" }, ta: { name: null } } };
  assert.deepEqual([namesOf(dish), nameIn(dish, "hi-in"), nameIn(dish, "pt"), nameIn(dish, "ta"), nameIn({ name: "Dosa" }, "hi")], [["Dosa", "डोसा", "Dosa"], "डोसा", null, null, null]);
});
