// Making a batch ahead, where a cook stands: who, at a display that is nobody's; what, how much, until when it keeps; then the number for its label.
// Never says that something was made before the box did, and leaves nobody's turn open behind it.

import { isShort, scaled } from "../kit/amounts.js";
import { all, ask, enterPin, leavePin, may } from "../kit/session.js";
import { ApiError, isPassing } from "../kit/api.js";
import { each, h, signal } from "../kit/view.js";
import { newId } from "../kit/ids.js";
import { inWords } from "../kit/refused.js";
import { isAway } from "../kit/stream.js";
import { quantity } from "../kit/money.js";
import { dateOf, day, now } from "../kit/time.js";
import { pinPad, said } from "../kit/pin.js";
import { show, toast } from "../kit/dialog.js";
import { locale, t } from "../kit/words.js";
import { outlet } from "./data.js";

/** How often a batch is made at once, against what its recipe says. */
const TIMES = [.5, 1, 2, 3];
/** How many days it may keep, to choose from. */
const DAYS = [0, 1, 2, 3];

const zone = () => outlet.peek()?.timezone ?? "Asia/Kolkata";
/** @param {number | string} n @param {string} unit */
const amount = (n, unit) => `${quantity(n, locale())} ${unit}`;
/** @param {number} days */
const later = (days) => dateOf(now() + days * 86_400_000, zone());

/** Whether whoever stands here makes batches; where nobody does, a cook's PIN is asked for. */
async function isCook() {
  return may("inventory:count") || (await show(t("batch.who"), (close) => pinPad({ pause: 600, enter: async (pin) => { await enterPin(pin); close(true); } }))) === true;
}

/** Asks what is made, and how much; says the number for its label. */
export async function makeBatch() {
  // Only a turn that began here ends here.
  const end = may("inventory:count") ? async () => {} : leavePin;
  try {
    if (!(await isCook())) return;
    const preparations = signal(await all("/inventory/preparations"));
    const one = await show(t("batch"), (close) => (preparations().length === 0 ? h("p", {}, t("batch.none")) : h("div", { class: "choices" }, each(preparations, ({ id }) => id, (row) =>
      h("button", { type: "button", onclick: () => close(row()) }, h("bdi", {}, row().name), h("small", {}, t("batch.ready", { amount: amount(row().preparedQuantity ?? 0, row().unit) })))))), { wide: true });
    if (!one) return;
    const items = new Map((await all("/inventory/items")).map((item) => [item.id, item]));
    const made = await show(t("batch.of", { name: one.name }), (close) => form(one, items, close), { wide: true });
    await end();
    if (made) await show(t("batch.made", { name: one.name }), (close) => [
      h("p", { class: "label" }, h("bdi", {}, made.batch.batchNumber)), h("p", { class: "hint centred" }, t("batch.label"), " · ", amount(made.batch.quantity, made.unit), made.batch.expiryDate ? ` · ${t("batch.until", { date: day(made.batch.expiryDate, zone()) })}` : ""),
      made.warnings.length > 0 ? h("div", {}, h("p", { class: "warn" }, t("batch.warn")), h("ul", {}, ...made.warnings.map((/** @type {any} */ each) => h("li", {}, inWords(each.message))))) : null,
      h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => close(true) }, t("batch.done")))]);
  } catch (error) { toast(said(error), "bad"); } finally { await end(); }
}

/** @param {any} one a preparation @param {Map<string, any>} items @param {(answer: any) => void} close */
function form(one, items, close) {
  const typed = signal(String(one.yield)), keeps = signal(/** @type {string} */ ("")), wrong = signal(""), busy = signal(false);
  const much = () => (/^\d{1,9}([.,]\d{1,6})?$/.test(typed().trim()) ? typed().trim().replace(",", ".") : "0");
  const takes = () => one.ingredients.map((/** @type {any} */ each) => {
    const needs = scaled(each.quantity, /** @type {any} */ (much()), one.yield), item = items.get(each.inventoryItemId ?? "");
    return { name: each.name, needs, unit: each.unit, short: item ? isShort(needs, each.unit, item) : false };
  });
  // The same batch again, after no answer, goes under its key.
  const keys = /** @type {Map<string, string>} */ (new Map());
  /** @param {Event} event */
  async function make(event) {
    event.preventDefault();
    if (busy.peek()) return;
    if (Number(much()) <= 0) { wrong.set(t("batch.nothing")); return; }
    // A turn that ended meanwhile is begun anew.
    if (!(await isCook())) return;
    const body = { quantity: Number(much()), ...(keeps.peek() ? { expiryDate: keeps.peek() } : {}) }, name = JSON.stringify(body);
    keys.set(name, keys.get(name) ?? newId());
    busy.set(true);
    wrong.set("");
    try {
      close((await ask("POST", `/inventory/preparations/${one.id}/produce`, { body, key: keys.get(name) })).data);
    } catch (error) {
      if (!isPassing(error)) keys.delete(name);
      wrong.set(error instanceof ApiError && error.fields.length > 0 ? error.fields.map(({ reason }) => inWords(reason)).join(" ") : said(error));
    } finally { busy.set(false); }
  }
  const date = (/** @type {string} */ value, /** @type {string} */ label) => h("button", { type: "button", "aria-pressed": () => String(keeps() === value), onclick: () => keeps.set(value) }, label);
  return h("form", { novalidate: true, onsubmit: make },
    h("fieldset", {}, h("legend", {}, t("batch.much", { unit: one.unit })), h("div", { class: "row" },
      ...TIMES.map((times) => { const value = scaled(one.yield, times, 1); return h("button", { type: "button", "aria-pressed": () => String(much() === value), onclick: () => typed.set(value) }, amount(value, one.unit)); }),
      h("label", {}, t("batch.other"), h("input", { inputmode: "decimal", autocomplete: "off", value: typed, oninput: (/** @type {any} */ event) => typed.set(event.target.value) })))),
    h("fieldset", {}, h("legend", {}, t("batch.keeps")), h("div", { class: "row" }, date("", typeof one.shelfLifeDays === "number" ? t("batch.usual", { n: one.shelfLifeDays }) : t("batch.always")), ...DAYS.map((days) => date(later(days), days === 0 ? t("batch.today") : days === 1 ? t("batch.tomorrow") : day(later(days), zone()))),
      h("label", {}, t("batch.date"), h("input", { type: "date", min: later(0), value: keeps, onchange: (/** @type {any} */ event) => keeps.set(event.target.value) })))),
    h("h3", {}, t("batch.takes")),
    h("ul", { class: "whole" }, each(() => takes().map((/** @type {any} */ row, /** @type {number} */ at) => ({ ...row, at })), ({ at }) => at, (row) => h("li", {}, h("p", {}, h("bdi", {}, () => row().name), () => row().short && h("small", { class: "warn" }, `▲ ${t("batch.short")}`)), h("b", {}, () => amount(row().needs, row().unit))))),
    h("p", { class: "wrong", role: "alert" }, () => (isAway() ? t("batch.away") : wrong())),
    h("div", { class: "acts" }, h("button", { class: "main", disabled: () => busy() || isAway() }, t("batch.go"))));
}
