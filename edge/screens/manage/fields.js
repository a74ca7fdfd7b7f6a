// What is typed into a form and what it means to the server: texts to cents, quantities, basis points, dates and back. No document, no fetch,
// no clock.

import { cents, decimal } from "../kit/money.js";

/**
 * A field of a form. `kind`: text, area, number, money, cost (cents with parts), decimal, percent, tick, choice, many, date, time, secret, rows,
 * texts (in other languages; `values`: of what), list (with commas; `each`: what its parts are). `words`: the value is one of a kind of words. `empty`: what an empty field means; without it,
 * null. `fixed`: it is shown and never changed. `more`: the word for one more
 * row. `also`: other names the server has for parts of it. Choices with a `group` stand below its name.
 * @typedef {{ name: string, kind?: string, label?: string, hint?: string, need?: boolean, wide?: boolean, words?: string, values?: string[],
 *   choices?: () => Promise<{ value: any, label: string, row?: any, group?: string }[]>, of?: Field[], empty?: unknown, once?: boolean, unit?: (row: any) => string,
 *   get?: (row: any) => any, fresh?: () => any, min?: number, each?: "money" | "percent", fixed?: boolean, more?: string, also?: Record<string, string> }} Field
 */

/** The value of a path such as `till.idleLockSeconds`. @param {any} row @param {string} name */
export function pick(row, name) {
  return name.split(".").reduce((part, key) => part?.[key], row);
}

/** Sets it. @param {any} row @param {string} name @param {unknown} value */
export function place(row, name, value) {
  const keys = name.split("."), last = /** @type {string} */ (keys.pop());
  let part = row;
  for (const key of keys) part = part[key] ??= {};
  part[last] = value;
}

/** What one unit costs, in cents that may have parts, as it is typed: 12.345 cents are 0.12345. @param {number} cost @param {number} decimals */
export function major(cost, decimals) {
  const [whole, parts = ""] = cost.toFixed(6).split(".");
  const text = `${decimal(Number(whole), decimals)}${decimals === 0 ? "." : ""}${parts}`;
  return text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace(/(\.\d)$/, decimals === 2 ? "$10" : "$1");
}

/** Back: the point moves by the decimals, as a text. @param {string} text @param {number} decimals @returns {number | null} */
export function minor(text, decimals) {
  const found = /^(\d{1,9})(?:\.(\d{0,8}))?$/.exec(text.replace(/[\s,]/g, ""));
  if (!found) return null;
  const parts = (found[2] ?? "").padEnd(decimals, "0");
  return Number(`${found[1]}${parts.slice(0, decimals)}.${parts.slice(decimals) || "0"}`);
}

/** As it is typed: a text, a list or a yes. @param {Field} field @param {any} value @param {number} decimals @returns {any} */
export function typed(field, value, decimals) {
  switch (field.kind) {
    case "money": return value === null || value === undefined ? "" : decimal(value, decimals);
    case "cost": return value === null || value === undefined ? "" : major(value, decimals);
    case "percent": return value === null || value === undefined ? "" : String(Number(decimal(value, 2)));
    case "tick": return value === true;
    case "many": return value ?? [];
    case "rows": return value ?? [];
    case "texts": return Object.entries(value ?? {}).flatMap(([tag, said]) => (said?.name ? `${tag} ${said.name}` : [])).join(", ");
    case "list": return (value ?? []).map((/** @type {any} */ one) => (field.each ? typed({ name: field.name, kind: field.each }, one, decimals) : one)).join(", ");
    default: return value === null || value === undefined ? "" : String(value);
  }
}

/** Thrown by `meant`: what was typed is no such value. */
export class NotMeant extends Error {}

/** What was typed, as the server takes it. @param {Field} field @param {any} text @param {number} decimals @returns {any} */
export function meant(field, text, decimals) {
  if (field.kind === "tick" || field.kind === "many") return text;
  const plain = String(text).trim();
  if (field.kind === "list") {
    const { each } = field;
    return plain.split(",").map((one) => one.trim()).filter(Boolean).map((one) => (each ? meant({ name: field.name, kind: each }, one, decimals) : one));
  }
  if (plain === "") {
    if (field.need) throw new NotMeant("need");
    return field.empty === undefined ? null : field.empty;
  }
  switch (field.kind) {
    case "money": {
      const found = cents(plain, decimals);
      if (found === null) throw new NotMeant("money");
      return found;
    }
    case "percent": {
      const found = cents(plain, 2);
      if (found === null) throw new NotMeant("percent");
      return found;
    }
    case "cost": {
      const found = minor(plain, decimals);
      if (found === null) throw new NotMeant("money");
      return found;
    }
    case "number": {
      if (!/^-?\d+$/.test(plain)) throw new NotMeant("number");
      return Number(plain);
    }
    case "decimal": {
      // A quantity travels as a decimal text would: six places at most, read by the server exactly.
      if (!/^-?\d+(\.\d{0,6})?$/.test(plain)) throw new NotMeant("decimal");
      return Number(plain);
    }
    case "area": return String(text);
    default: return plain;
  }
}

/** What differs between two records, of the given fields. @param {Field[]} fields @param {any} before @param {any} after @returns {Field[]} */
export function differences(fields, before, after) {
  return fields.filter(({ name, get }) => JSON.stringify(get ? get(before) : pick(before, name) ?? null) !== JSON.stringify(get ? get(after) : pick(after, name) ?? null));
}
