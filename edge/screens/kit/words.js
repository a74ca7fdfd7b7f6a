// The words of a screen in the language of whoever looks at it. A text stands in a file of words and nowhere else; a name that has no word
// shows itself, so that the tests find it.

/** The languages that are spoken, in their own words, and the direction they are written in. */
export const LANGUAGES = { en: "English", hi: "हिन्दी", ta: "தமிழ்" };

/** A language of tests: longer than English, and from right to left. */
const PSEUDO = "qps";

/** Languages to choose from for a menu: India's, then those of who comes from elsewhere. The server knows more. */
export const TONGUES = "en hi ta te kn ml mr gu bn pa or as ur kok ne si ar fa he fr de es it pt nl pl ru tr zh ja ko th vi id ms".split(" ");

/** The kinds of order, and what is weighed in: the words `orderType.…` and `unit.…`. */
export const ORDER_TYPES = ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"], WEIGHT_UNITS = ["KG", "G", "LB", "OZ"];

/** Languages that are written from right to left. */
const FROM_RIGHT = ["ar", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"];

/** Which way a language is written. @param {string} tag such as `hi` */
export function directionOf(tag) { return FROM_RIGHT.includes(tag.split("-")[0]) ? "rtl" : "ltr"; }

/** What a language calls itself, and what it is called here. @param {string} tag such as `hi` */
export function languageName(tag) {
  const [own, here] = [tag, locale()].map((one) => new Intl.DisplayNames([one], { type: "language" }).of(tag) ?? tag);
  return own === here ? own : `${own} · ${here}`;
}

/** Plain letters for looking up: no case, no accents. @param {string} text */
export function plain(text) { return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(); }

/** What a record of the menu is called, in all the languages it has a name in; the house's own first. @param {{ name: string, texts?: Record<string, { name?: string | null }> | null }} one @returns {string[]} */
export function namesOf({ name, texts }) { return [name, ...Object.values(texts ?? {}).flatMap((said) => said.name ?? [])]; }

/** What it is called in `tag`, or in the language of its base; null where nothing else is said there. @param {{ name: string, texts?: Record<string, { name?: string | null }> | null }} one @param {string} [tag] */
export function nameIn({ name, texts }, tag = language) {
  const own = texts?.[tag]?.name ?? texts?.[tag.split("-")[0]]?.name ?? null;
  return own === name ? null : own;
}

/** @typedef {string | { one?: string, other: string }} Word */
/** @typedef {(name: string, values?: Record<string, string | number>) => string} Say */

/** @type {Record<string, Word>} */
let known = {};
let language = "en";

/** The language in force. */
export function lang() { return language; }

/** For `Intl`: Indian English writes ₹1,23,456.00. */
export function locale() { return language === PSEUDO ? "en-IN" : `${language}-IN`; }

/** The one that was chosen here, or else the first of the browser's that is spoken. @param {string} screen */
function chosen(screen) {
  const asked = new URLSearchParams(location.search).get("lang") ?? stored(screen);
  const wanted = asked ? [asked] : navigator.languages.map((one) => one.split("-")[0]);
  return wanted.find((one) => one === PSEUDO || one in LANGUAGES) ?? "en";
}

/** @param {string} screen */
function stored(screen) {
  try { return localStorage.getItem(`tiffin.lang.${screen}`); } catch { return null; }
}

/** Changes the language of a screen: it is drawn anew, drafts stay. @param {string} screen @param {string} next */
export function choose(screen, next) {
  try { localStorage.setItem(`tiffin.lang.${screen}`, next); } catch { /* It holds for this page then. */ }
  const url = new URL(location.href);
  if (url.searchParams.has("lang")) url.searchParams.set("lang", next);
  if (url.href === location.href) location.reload();
  else location.replace(url.href);
}

/** Learns the words of `screen`, and the kit's. @param {string} screen */
export async function learn(screen) {
  language = chosen(screen);
  const file = language === PSEUDO ? "en" : language;
  const [kit, own] = await Promise.all([import(`./words/${file}.js`), import(`../${screen}/words/${file}.js`)]);
  known = { ...kit.default, ...own.default };
  if (language === PSEUDO) known = Object.fromEntries(Object.entries(known).map(([name, word]) => [name, stretched(word)]));
  document.documentElement.lang = language === PSEUDO ? "en" : language;
  document.documentElement.dir = language === PSEUDO ? "rtl" : "ltr";
}

/** @type {Say} */
export function t(name, values = {}) {
  const word = known[name] ?? `⟦${name}⟧`;
  const text = typeof word === "string" ? word : word[/** @type {"one" | "other"} */ (new Intl.PluralRules(locale()).select(Number(values.n ?? 0)))] ?? word.other;
  return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

/** Whether there is a word of that name. @param {string} name */
export function has(name) { return name in known; }

/** The word of a value such as `IN_PREPARATION` of a kind such as `status`. @param {string} kind @param {string} value */
export function wordOf(kind, value) { return t(`${kind}.${value}`); }

/** A weight with its unit as read, such as 1.250 kg: kilograms and pounds to the thousandth, and as exactly as it was weighed. @param {string | number} weight @param {string} unit */
export function weightOf(weight, unit) {
  const format = new Intl.NumberFormat(locale(), { numberingSystem: "latn", minimumFractionDigits: unit === "KG" || unit === "LB" ? 3 : 0, maximumFractionDigits: 6 });
  return t(`weight.${unit}`, { n: format.format(/** @type {any} */ (String(weight))) });
}

/** How much there is of something: so many, or what was weighed of it. @param {any} one */
export function amountOf(one) { return one.weight ? weightOf(one.weight, one.weightUnit) : String(one.quantity); }

/** How often something was sold, and where it is weighed how much that is together. @param {any} one @param {string} times how often, as it is written */
export function soldOf(one, times) { return one.weightUnit && one.weight !== null && one.weight !== undefined ? `${times} · ${weightOf(one.weight, one.weightUnit)}` : times; }

/** A price as it is told: of one unit where that is weighed. @param {any} of a dish or a line of it @param {string} price */
export function perUnit(of, price) { return of.weightUnit ? t(`per.${of.weightUnit}`, { price }) : price; }

/** Four tenths longer, accented, and marked at both ends, so that what is cut off is seen. @param {Word} word @returns {Word} */
function stretched(word) {
  if (typeof word !== "string") return /** @type {Word} */ (Object.fromEntries(Object.entries(word).map(([key, one]) => [key, stretched(one)])));
  const accented = word.replace(/\{\w+\}|[aeiou]/g, (one) => (one.length > 1 ? one : { a: "á", e: "ë", i: "í", o: "ö", u: "ü" }[one] ?? one));
  return `[${accented}${"~".repeat(Math.ceil(word.length * 0.4))}]`;
}
