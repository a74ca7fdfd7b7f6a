// Money and quantities as people read and type them. Amounts are whole cents and quantities decimal texts: never a float in between.

/** @typedef {{ currency: string, decimals: number, locale: string }} Purse */

/** Cents as a decimal text: 123456 is "1234.56" with two decimals. @param {number} cents @param {number} decimals */
export function decimal(cents, decimals) {
  const sign = cents < 0 ? "-" : "";
  const digits = String(Math.abs(cents)).padStart(decimals + 1, "0");
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** @param {string} locale @param {Intl.NumberFormatOptions} options */
function format(locale, options) {
  const key = locale + JSON.stringify(options);
  let known = formats.get(key);
  if (!known) formats.set(key, (known = new Intl.NumberFormat(locale, { numberingSystem: "latn", ...options })));
  return known;
}

/** An amount with its currency, as ₹1,23,456.00; without decimals where there are none and `short` is asked. @param {number} cents @param {Purse} purse @param {boolean} [short] */
export function money(cents, purse, short = false) {
  const whole = short && cents % 10 ** purse.decimals === 0;
  const digits = whole ? 0 : purse.decimals;
  const options = { style: /** @type {const} */ ("currency"), currency: purse.currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return format(purse.locale, options).format(/** @type {any} */ (decimal(cents, purse.decimals)));
}

/** What was typed, in cents; null where it is no amount. @param {string} text @param {number} decimals @returns {number | null} */
export function cents(text, decimals) {
  const plain = text.replace(/[\s,'’_]/g, "");
  const found = /^(\d{1,11})(?:\.(\d*))?$/.exec(plain);
  if (!found || (found[2] ?? "").length > decimals) return null;
  return Number(found[1] + (found[2] ?? "").padEnd(decimals, "0"));
}

/** A quantity as read: "2.500000" is 2.5. @param {string | number} quantity @param {string} locale */
export function quantity(quantity, locale) {
  return format(locale, { maximumFractionDigits: 6 }).format(/** @type {any} */ (String(quantity)));
}

/** A decimal text in millionths; null where it is none, or has more than six decimals. @param {string} text */
function millionths(text) {
  const found = /^(\d{0,9})(?:[.,](\d{0,6}))?$/.exec(text.trim());
  return found && (found[1] || found[2]) ? BigInt(found[1] + (found[2] ?? "").padEnd(6, "0")) : null;
}

/** What was typed as a weight, as a plain decimal text; null where it is none, or nothing. `parts`: it was typed in so many parts of the unit, as 1000 for grams of a kilogram. @param {string} text @param {bigint} [parts] */
export function weightIn(text, parts = 1n) {
  const typed = millionths(text);
  if (!typed || typed % parts !== 0n) return null;
  const digits = String(typed / parts).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}

/** What a weight costs at a price of one unit, in whole cents, half a cent up. @param {number} cents @param {string | number} weight */
export function weighed(cents, weight) { return Number((BigInt(cents) * (millionths(String(weight)) ?? 0n) + 500_000n) / 1_000_000n); }

/** Basis points as per cent: 250 is 2.5 %. @param {number} bps @param {string} locale */
export function percent(bps, locale) {
  return format(locale, { style: "percent", maximumFractionDigits: 2 }).format(/** @type {any} */ (decimal(bps, 4)));
}
