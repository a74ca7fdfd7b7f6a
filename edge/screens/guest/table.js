// The table that was scanned: its menu, what the party ordered, what is in this phone's cart, and what it sends. Asks without a sign-in. Nothing of
// a party that has left is shown or kept, but this phone's own way to say how it was.

import { ApiError, isPassing, listen, request } from "../kit/api.js";
import { effect, signal } from "../kit/view.js";
import { newId } from "../kit/ids.js";
import { recall, remember } from "../kit/keep.js";
import { lang } from "../kit/words.js";
import { atPrice, billOf, bodyOf, refusedLines, refusedParts, rightPrices, unitOf } from "./model.js";

/** @typedef {import("api").components["schemas"]["GuestMenu"]} Menu */
/** @typedef {import("api").components["schemas"]["GuestOrder"]} Order */
/** @typedef {import("api").components["schemas"]["OrderQuote"]} Quote */
/** @typedef {import("./model.js").Line} Line */

const token = location.pathname.split("/")[2] ?? "";
const path = `/orders/tables/${encodeURIComponent(token)}`;
const name = (/** @type {string} */ what) => `guest.${token}.${what}`;
/** How long a cart and what it belongs to are kept, in milliseconds. */
const EVENING = 6 * 3_600_000;

/** Whether the code is no table's any more. */
export const isDead = signal(false);
/** Whether the restaurant's box does not answer. */
export const isAway = signal(false);
export const menu = signal(/** @type {Menu | null} */ (null));
export const orders = signal(/** @type {Order[]} */ ([]));
/** What is asked of the kitchen next. */
export const cart = signal(/** @type {Line[]} */ ([]));
/** The party's four digits, as they were told or typed. */
export const code = signal("");
export const quote = signal(/** @type {Quote | null} */ (null));
/** What is being sent, until it is answered: kept, so that it is one order whatever happens. */
export const sending = signal(/** @type {{ key: string, body: any } | null} */ (null));
export const isBusy = signal(false);
/**
 * Why it was not taken: lines of the cart, a word's name, and by line the right price or what of a combo it is about.
 * @typedef {{ lines: number[], why: string, seconds: number, prices: Record<number, number>, parts: Record<number, string> }} Refusal
 */
export const refusal = signal(/** @type {Refusal | null} */ (null));
/** @typedef {import("./model.js").Bill} Bill */
/** The last order that was paid: this phone may say how it was. */
export const thanks = signal(/** @type {Bill | null} */ (null));
/** The party's last order, to be thanked for if the party leaves while this phone sleeps. */
const bill = signal(/** @type {Bill | null} */ (null));
/** Whether this phone has said how it was: nobody is asked twice. */
const isSaid = signal(false);

/** What this phone is known by at this table; made up here, and told to nobody else. */
const phone = recall(name("phone"), "") || `${newId()}${Math.random().toString(36).slice(2, 12)}`;
remember(name("phone"), phone);

/** What was kept of this evening. @type {{ session: string | null, at: number, cart: Line[], code: string, sending: { key: string, body: any } | null, thanks: Bill | null, bill?: Bill | null, isSaid?: boolean }} */
const kept = recall(name("kept"), /** @type {any} */ ({ session: null, at: 0, cart: [], code: "", sending: null, thanks: null }));
let session = kept.session;
if (Date.now() - kept.at < EVENING) { cart.set(kept.cart); code.set(kept.code); sending.set(kept.sending); thanks.set(kept.thanks); bill.set(kept.bill ?? null); isSaid.set(kept.isSaid ?? false); }
effect(() => remember(name("kept"), { session, at: Date.now(), cart: cart(), code: code(), sending: sending(), thanks: thanks(), bill: bill(), isSaid: isSaid() }));

/**
 * Another party sits here now, or none: what was of the one before goes, but for its thanks.
 * @param {string | null} now @param {Bill | null} [known] what was the party's last order when that was asked
 */
function seat(now, known = bill.peek()) {
  const isOther = session !== null && session !== now, isGone = now === null && known !== null && known === bill.peek();
  session = now;
  if (isOther || isGone) { thank(bill.peek()); bill.set(null); isSaid.set(false); orders.set([]); code.set(""); }
  if (isOther) { cart.set([]); sending.set(null); }
}

/** Asks how an order was, once for a party. @param {Bill | null} order */
function thank(order) { if (order && !isSaid.peek()) thanks.set(order); }

/** @param {unknown} error */
function failed(error) {
  if (error instanceof ApiError && error.status === 404) isDead.set(true);
  isAway.set(isPassing(error) && !(error instanceof ApiError && error.status === 429));
}

/** Reads the menu in the language of the page; the browser keeps it and asks only whether it still holds. */
export async function readMenu() {
  const known = bill.peek();
  try {
    const { data } = await request("GET", `${path}/menu`, { query: { lang: lang() } });
    seat(data.session?.id ?? null, known);
    menu.set(data);
    isAway.set(false);
    if (data.session) void follow();
  } catch (error) { failed(error); }
}

async function readOrders() {
  const { data } = await request("GET", `${path}/orders`, { query: { guestToken: phone } });
  for (const order of data) hear(order);
  orders.update((list) => list.filter((order) => data.some((/** @type {Order} */ one) => one.id === order.id)));
}

/** @param {Order} order */
function hear(order) {
  orders.update((list) => (list.some(({ id }) => id === order.id) ? list.map((one) => (one.id === order.id ? order : one)) : [...list, order]).sort((a, b) => a.createdAt.localeCompare(b.createdAt)));
  if (order.sessionCode) code.set(order.sessionCode);
  bill.set(billOf(orders.peek()));
  if (order.status === "COMPLETED") thank(billOf([order]));
}

let isFollowing = false;
/** Follows the party's orders until it leaves. */
export async function follow() {
  if (isFollowing) return;
  isFollowing = true;
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        await once();
        tries = 0;
      } catch (error) {
        // Nobody sits here: there is nothing to follow until something is ordered.
        if (error instanceof ApiError && error.status === 409) { left(); return; }
        if (error instanceof ApiError && error.status === 404) { isDead.set(true); return; }
        isAway.set(isPassing(error) && !(error instanceof ApiError && error.status === 429));
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(30_000, 3_000 * 2 ** Math.min(tries, 4)) * (.5 + Math.random())));
    }
  } finally { isFollowing = false; }
}

/** The party has paid and left. */
function left() { seat(null); }

const once = () => listen(`${path}/stream?guestToken=${phone}`, {
  onOpen: readOrders,
  onAlive: () => isAway.set(false),
  onMessage: async ({ event, data }) => {
    if (event === "reset") await readOrders();
    else if (event === "order" && data?.data) hear(data.data);
    // Prices begin and end while one reads.
    else if (event === "menu") await readMenu();
  },
});

let asked = 0;
/** What the cart costs with taxes, once nothing has changed for a moment. */
export function askQuote() {
  clearTimeout(asked);
  quote.set(null);
  if (cart.peek().length === 0) return;
  // What was refused since is no matter of this cart's price, and stays to be read.
  const before = refusal.peek();
  asked = setTimeout(async () => {
    const lines = cart.peek();
    try {
      const { data } = await request("POST", `${path}/quote`, { body: bodyOf(lines, phone, ""), key: newId() });
      if (cart.peek() === lines) { quote.set(data); if (refusal.peek() === before) refusal.set(null); }
    } catch (error) { refuse(error); }
  }, 350);
}

/** @param {unknown} error */
function refuse(error) {
  failed(error);
  if (!(error instanceof ApiError)) { refusal.set({ lines: [], why: "send.away", seconds: 0, prices: {}, parts: {} }); return; }
  const lines = refusedLines(error.fields), prices = rightPrices(error.fields);
  // Where prices alone are others, one tap takes them; the menu says them, too.
  const isPrice = lines.length > 0 && lines.every((at) => at in prices);
  if (lines.length > 0) void readMenu();
  const why = error.status === 429 ? "send.slow" : isPrice ? "send.prices" : lines.length > 0 ? "send.lines" : error.fields.some((field) => field.name === "sessionCode") ? "send.code"
    : error.status === 409 ? "send.waits" : error.status >= 500 ? "send.away" : error.fields.length > 0 ? "send.much" : "send.refused";
  refusal.set({ lines, why, seconds: Math.max(1, error.retryAfter), prices, parts: refusedParts(error.fields, cart.peek()) });
}

/** Takes the right prices of the lines whose price was refused. */
export function acceptPrices() {
  const prices = refusal.peek()?.prices ?? {};
  refusal.set(null);
  cart.update((list) => list.map((line, at) => (at in prices && prices[at] !== unitOf(line) ? atPrice(line, prices[at]) : line)));
}

/** Sends the cart, or again what was not answered: under one key it is one order. Answers whether it was taken. */
export async function send() {
  if (isBusy.peek()) return false;
  const wanted = sending.peek() ?? { key: newId(), body: bodyOf(cart.peek(), phone, code.peek()) };
  isBusy.set(true);
  refusal.set(null);
  sending.set(wanted);
  try {
    const { data } = await request("POST", `${path}/orders`, wanted);
    sending.set(null);
    cart.set([]);
    quote.set(null);
    hear(data);
    void readMenu();
    return true;
  } catch (error) {
    refuse(error);
    // What was refused was not done; what was not answered may have been, and is asked again under its key.
    if (error instanceof ApiError && !isPassing(error)) sending.set(null);
    if (error instanceof ApiError && !isPassing(error) && error.fields.some(({ name: field }) => field === "sessionCode")) code.set("");
    return false;
  } finally { isBusy.set(false); }
}

/** @param {"WAITER" | "BILL"} what */
export async function call(what) { await request("POST", `${path}/call`, { body: { what }, key: newId() }); }

/** Says how it was. @param {{ rating: number, food?: number, service?: number, comment?: string }} said @param {Order | null} order */
export async function say(said, order) {
  const whose = order ? { tableToken: token, orderNumber: order.orderNumber } : thanks.peek() ?? { tableToken: token };
  await request("POST", "/tickets/feedback", { body: { ...said, ...whose }, key: newId() });
  isSaid.set(order !== null);
  thanks.set(null);
}
