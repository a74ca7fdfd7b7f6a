// The server's refusals and notices in the words of whoever looks: it says them in English. What has no words of the screen's own stands as the
// server said it. Never asks, and never decides what is refused.

import { ApiError, Unreachable } from "./api.js";
import { has, locale, t } from "./words.js";

/** What is looked for: what is said always the same way comes before what begins with a name. */
let known = /** @type {{ name: string, pattern: RegExp }[]} */ ([]);

/** Loaded beside the screen: until then the server's own words stand. */
const loading = import("./words/server.js").then(({ default: sayings }) => {
  const texts = Object.entries(sayings).flatMap(([name, all]) => all.map((text) => ({ name: `says.${name}`, text })));
  known = texts.sort((a, b) => Number(a.text.startsWith("{")) - Number(b.text.startsWith("{")))
    .map(({ name, text }) => ({ name, pattern: new RegExp(`^${text.replace(/\.$/, "").replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+?)")}\\.?$`, "u") }));
}, () => { /* As it was said, then. */ });
export { loading as ready };

/** A date as people say it: Thu, 26 Nov. @param {string} date */
const day = (date) => new Intl.DateTimeFormat(locale(), { timeZone: "UTC", numberingSystem: "latn", weekday: "short", day: "numeric", month: "short" }).format(new Date(`${date}T00:00Z`));

/** What the server said, in the words of whoever looks; as it was where there are none. @param {string} text @returns {string} */
export function inWords(text) {
  for (const { name, pattern } of known) {
    const found = pattern.exec(text);
    if (!found) continue;
    // A date is said as people say it; a notice may end with another saying.
    const values = Object.fromEntries(Object.entries(found.groups ?? {}).map(([key, value]) => [key, /^\d{4}-\d\d-\d\d$/.test(value) ? day(value) : value]));
    return t(name, { ...values, ...(values.way ? { way: inWords(values.way) } : {}) });
  }
  return text;
}

/** What is wrong with a field, with the field's name where it has one here. @param {{ name: string, reason: string }} field */
function saidOf({ name, reason }) {
  const own = inWords(reason), label = `field.${name.split(".").at(-1)}`;
  if (has(label)) return `${t(label)}: ${own}`;
  return own === reason ? `${name}: ${reason}` : own;
}

/** A refusal in words: of its fields, of what it says, or of its kind. @param {{ status: number, code: string, message: string, fields: { name: string, reason: string }[], retryAfter?: number }} refusal */
export function refusedIn({ status, code, message, fields, retryAfter = 0 }) {
  if (status === 429 || (status === 423 && retryAfter > 0)) return t("refused.wait", { seconds: Math.max(1, retryAfter) });
  // What stands in the message of a field is said of the field.
  const isOfField = fields.length > 0 && (message === `${fields[0].name}: ${fields[0].reason}` || /^\d+ fields are invalid$/.test(message));
  const own = isOfField ? message : inWords(message);
  if (own !== message) return own;
  if (fields.length > 0) return fields.map(saidOf).join("; ");
  const kind = `refused.${code.replace(/^ERR_/, "")}`;
  return has(kind) ? t(kind, { why: message }) : message;
}

/** An error in words. What went wrong within the screen is no box that is away: the browser's own log has it. @param {unknown} error */
export function said(error) {
  if (error instanceof ApiError) return refusedIn(error);
  // A part of the screen that does not come is away with the box.
  if (error instanceof Unreachable || (error instanceof TypeError && /import|module/i.test(error.message))) return t("refused.away");
  console.error(error);
  return t("refused.here");
}
