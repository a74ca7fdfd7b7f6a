// The bill: amounts, tenders, tip, change. Every payment has a key that is kept until the box has answered, so that it is never taken twice;
// nothing is shown as paid before that.

import { ApiError, isPassing } from "../kit/api.js";
import { show } from "../kit/dialog.js";
import { newId } from "../kit/ids.js";
import { names, recall, remember } from "../kit/keep.js";
import { cents, decimal, money } from "../kit/money.js";
import { said } from "../kit/pin.js";
import { ask, may } from "../kit/session.js";
import { isAway } from "../kit/stream.js";
import { batch, computed, effect, h, onEnd, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { openDraft } from "./drafts.js";
import { ownPrinter, receiptRows, printReceipt } from "./receipt.js";
import { cashOffers, equalParts } from "./sums.js";
import { go, onOrder, order, purse, till, took, tried, view } from "./store.js";

/** @typedef {{ key: string, body: any, at: number }} Open What was asked and not answered. */
const METHODS = /** @type {const} */ (["CASH", "CARD", "UPI", "WALLET", "VOUCHER", "OTHER"]);

/** @param {string} id */
const openOf = (id) => /** @type {Open | null} */ (recall(`pos.pay.${id}`, null));

/**
 * Takes a payment, or asks again for the one that was not answered. The key is kept before it is asked, and goes with the answer.
 * @param {string} id the order @param {any} [body] @returns {Promise<import("api").components["schemas"]["OrderPayment"]>}
 */
async function take(id, body) {
  const open = openOf(id) ?? { key: newId(), body, at: Date.now() };
  remember(`pos.pay.${id}`, open);
  try {
    const { data } = await ask("POST", `/orders/${id}/payments`, { body: open.body, key: open.key });
    remember(`pos.pay.${id}`, undefined);
    took(data);
    return data.payment;
  } catch (error) {
    // A refusal is an answer; a turn that ended is none: the payment waits for the next person's PIN.
    if (error instanceof ApiError && error.status !== 401 && !isPassing(error)) {
      remember(`pos.pay.${id}`, undefined);
      // A printer that is there no more is no reason not to be paid.
      if (error.fields.some((field) => field.name === "printerId")) remember("pos.printer", undefined);
    }
    throw error;
  }
}

/** Asks again, under their keys, for payments that were not answered lately. */
export async function settleOpen() {
  for (const name of names("pos.pay.")) {
    const id = name.slice("pos.pay.".length), open = openOf(id);
    if (open && Date.now() - open.at < 180_000) await take(id).catch(() => {});
  }
}

/** The bill of the order in view. @param {{ parts?: number }} [from] */
export async function pay({ parts = 0 } = {}) {
  const one = order.peek();
  if (!one) return;
  await show(t("pay.title", { total: money(one.dueCents, purse()) }), (close) => desk(one.id, parts, () => close(null)), { wide: true });
}

/** @param {string} id @param {number} from in so many parts @param {() => void} close */
function desk(id, from, close) {
  const method = signal(/** @type {typeof METHODS[number]} */ ("CASH")), tendered = signal(/** @type {number | null} */ (null)), typed = signal(""), tip = signal(0);
  const reference = signal(""), own = signal(""), busy = signal(false), wrong = signal(""), unknown = signal(Boolean(openOf(id)));
  const parts = signal(from), shares = signal(/** @type {number[]} */ ([])), paid = signal(/** @type {import("api").components["schemas"]["OrderPayment"] | null} */ (null));
  const due = computed(() => (order()?.id === id ? order()?.dueCents ?? 0 : 0));
  const amount = computed(() => Math.min(due(), shares()[0] ?? due()));
  const clear = () => batch(() => { tendered.set(null); typed.set(""); tip.set(0); reference.set(""); own.set(""); wrong.set(""); });
  /** In equal parts, as the box rounds them. @param {number} n */
  async function split(n) {
    batch(() => { clear(); parts.set(n); shares.set(n > 1 ? equalParts(due.peek(), n) : []); });
    if (n < 2) return;
    busy.set(true);
    try {
      const { data } = await ask("POST", `/orders/${id}/split`, { body: { equally: n } });
      if (parts.peek() === n) shares.set(data.shares.map((/** @type {any} */ share) => share.amountCents));
    } catch (error) { wrong.set(said(error)); } finally { busy.set(false); }
  }
  if (from > 1) void split(from);
  /** So much of it now, the rest by something else: with every digit, for what moves when a field is left moves under the finger. @param {string} text */
  function some(text) {
    const much = cents(text, purse().decimals);
    batch(() => { clear(); own.set(text); parts.set(0); shares.set(much && much < due.peek() ? [much] : []); });
  }
  async function go2() {
    if (busy.peek()) return;
    busy.set(true);
    wrong.set("");
    try {
      const body = {
        method: method.peek(), amountCents: amount.peek(), ...(tip.peek() > 0 ? { tipCents: tip.peek() } : {}),
        ...(method.peek() === "CASH" && tendered.peek() !== null ? { tenderedCents: tendered.peek() } : {}),
        ...(ownPrinter() ? { printerId: ownPrinter() } : {}),
        ...(reference.peek().trim() ? { reference: reference.peek().trim() } : {}),
      };
      const payment = await take(id, body);
      batch(() => { unknown.set(false); clear(); paid.set(payment); shares.update((list) => list.slice(1)); });
    } catch (error) {
      unknown.set(Boolean(openOf(id)));
      wrong.set(unknown.peek() ? "" : said(error));
    } finally { busy.set(false); }
  }
  // What was not answered is asked again by itself as soon as there is somebody to answer.
  effect(() => {
    if (!unknown() || busy() || isAway()) return;
    const timer = setTimeout(() => { if (Date.now() - (openOf(id)?.at ?? 0) < 180_000) void go2(); }, 1_000);
    onEnd(() => clearTimeout(timer));
  });
  const done = () => { close(); leave(); };
  return () => (due() === 0 && !unknown() ? finished(id, paid(), done) : h("div", { class: "paydesk" },
    h("section", { "aria-label": t("pay.amount") },
      h("p", { class: "amount" }, h("span", {}, () => (shares().length === 0 ? t("pay.due") : parts() > 1 ? t("pay.part", { n: parts() - shares().length + 1, all: parts() }) : t("pay.of", { due: money(due(), purse()) }))), h("b", {}, () => money(amount(), purse()))),
      () => { const last = paid(); return last ? h("p", { class: "good", role: "status" }, t("pay.was", { amount: money(last.amountCents, purse()), method: t(`method.${last.method}`) }), " ", last.changeCents > 0 ? h("b", {}, t("change.n", { amount: money(last.changeCents, purse()) })) : "") : null; },
      () => (unknown() ? h("div", { class: "bad card", role: "alert" }, h("p", {}, h("b", {}, t("pay.unknown"))), h("p", {}, t("pay.unknown.how")), h("button", { type: "button", class: "main", disabled: busy, onclick: go2 }, t("pay.again"))) : null),
      h("div", { class: "chips", role: "group", "aria-label": t("pay.split") }, h("span", { class: "label" }, t("pay.split")),
        ...[1, 2, 3, 4, 5, 6].map((n) => h("button", { type: "button", class: "chip", "aria-pressed": () => String((parts() || (shares().length > 0 ? 0 : 1)) === n), disabled: unknown, onclick: () => split(n) }, n === 1 ? t("pay.whole") : String(n))),
        h("label", { class: "short" }, h("span", { class: "spoken" }, t("pay.some")), h("input", { inputmode: "decimal", placeholder: t("pay.some"), value: own, disabled: unknown, oninput: (/** @type {any} */ event) => some(event.target.value) }))),
      h("div", { class: "chips", role: "group", "aria-label": t("tip") }, h("span", { class: "label" }, t("tip")),
        h("button", { type: "button", class: "chip", "aria-pressed": () => String(tip() === 0), onclick: () => tip.set(0) }, t("tip.none")),
        ...(till().tipPresetsBps ?? []).map((bps) => { const of = () => Math.round(amount() * bps / 1_000_000) * 100; return h("button", { type: "button", class: "chip", "aria-pressed": () => String(tip() > 0 && tip() === of()), onclick: () => tip.set(of()) }, () => `${bps / 100} % · ${money(of(), purse(), true)}`); }),
        h("label", { class: "short" }, h("span", { class: "spoken" }, t("tip.other")), h("input", { inputmode: "decimal", placeholder: t("tip.other"), oninput: (/** @type {any} */ event) => tip.set(cents(event.target.value, purse().decimals) ?? 0) })))),
    h("section", { "aria-label": t("pay.how") },
      h("div", { class: "methods", role: "group", "aria-label": t("pay.how") }, ...METHODS.map((one) => h("button", { type: "button", "aria-pressed": () => String(method() === one), onclick: () => { method.set(one); tendered.set(null); typed.set(""); } }, t(`method.${one}`)))),
      () => (method() === "CASH" ? h("div", {},
        h("div", { class: "choices cash" },
          h("button", { type: "button", "aria-pressed": () => String(tendered() === amount() + tip()), onclick: () => { tendered.set(amount() + tip()); typed.set(""); } }, t("cash.exact"), h("small", {}, () => money(amount() + tip(), purse(), true))),
          () => cashOffers(amount() + tip(), till().cashPresetsCents ?? []).map((worth) => h("button", { type: "button", "aria-pressed": () => String(tendered() === worth), onclick: () => { tendered.set(worth); typed.set(""); } }, money(worth, purse(), true)))),
        h("label", {}, t("cash.given"), h("input", { inputmode: "decimal", value: typed, placeholder: () => decimal(amount() + tip(), purse().decimals), oninput: (/** @type {any} */ event) => { typed.set(event.target.value); tendered.set(cents(event.target.value, purse().decimals)); } })),
        h("p", { class: "change", "aria-live": "polite" }, h("span", {}, () => (tendered() !== null && /** @type {number} */ (tendered()) < amount() + tip() ? t("cash.short") : t("change"))), h("b", {}, () => money(Math.abs((tendered() ?? amount() + tip()) - amount() - tip()), purse()))))
        : h("label", {}, t(method() === "VOUCHER" ? "reference.must" : "reference"), h("input", { value: reference, maxlength: "60", autocomplete: "off", oninput: (/** @type {any} */ event) => reference.set(event.target.value) }), h("small", {}, t("reference.how")))),
      h("p", { class: "wrong", role: "alert" }, () => wrong()),
      h("button", { type: "button", class: "main take", disabled: () => busy() || unknown() || isAway() || amount() === 0 || (method() === "CASH" && tendered() !== null && /** @type {number} */ (tendered()) < amount() + tip()) || (method() === "VOUCHER" && !reference().trim()), onclick: go2 },
        () => (busy() ? t("pay.asking") : t("pay.take", { amount: money(amount() + tip(), purse()), method: t(`method.${method()}`) }))))));
}

/** Everything is paid: the change, and what the guest wants of the bill. @param {string} id @param {import("api").components["schemas"]["OrderPayment"] | null} last @param {() => void} done */
function finished(id, last, done) {
  return h("div", { class: "finished" },
    h("p", { class: "good", role: "status" }, t("paid.all")),
    last?.method === "CASH" && last.changeCents > 0 ? h("p", { class: "change" }, h("span", {}, t("change")), h("b", {}, money(last.changeCents, purse()))) : null,
    h("div", { class: "acts" },
      h("button", { type: "button", onclick: () => printReceipt(id) }, t("receipt.print")),
      may("orders:status") && !["COMPLETED", "CANCELLED"].includes(order.peek()?.status ?? "") ? h("button", { type: "button", onclick: async () => { if (await tried(() => onOrder("PATCH", "/status", { status: "COMPLETED" }, id))) done(); } }, t(order.peek()?.tableId ? "act.left" : "act.handed")) : null,
      h("button", { type: "button", class: "main", onclick: done }, t("done"))),
    receiptRows(id));
}

/** Where one goes when the bill is done: the next guest. */
function leave() {
  if (recall("pos.counter", false) && !view.peek().tableId) openDraft("COUNTER");
  else go({ at: "floor" });
}
