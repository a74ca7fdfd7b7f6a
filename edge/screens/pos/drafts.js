// The drafts of whoever stands here, kept on this device, and their way out: handed to the outbox under the key they were begun with, so that
// a reload at any moment leaves one draft or one order. Never shows one person's draft to another.

import { newId } from "../kit/ids.js";
import { names, recall, remember } from "../kit/keep.js";
import { drop, entries, put, send, start } from "../kit/outbox.js";
import { ask, may, person, token, user } from "../kit/session.js";
import { toast } from "../kit/dialog.js";
import { money } from "../kit/money.js";
import { inWords, refusedIn } from "../kit/refused.js";
import { now } from "../kit/time.js";
import { batch, computed, effect, signal, untrack } from "../kit/view.js";
import { t } from "../kit/words.js";
import { current, differs, keeping, newDraft, orderBody, refused, settled, body } from "./draft.js";
import { dishes, floor, go, isOfOrder, lookAtMenu, me, order, outlet, purse, sellFor, sellingFor, took, view } from "./store.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("../kit/outbox.js").Entry} Entry */

/** Drafts by `person/place`, as they are kept. */
const drafts = signal(/** @type {Record<string, Draft>} */ (Object.fromEntries(names("pos.draft.").map((name) => [name.slice("pos.draft.".length), recall(name, null)]).filter(([, draft]) => draft))));

/** The line that is chosen, to be changed. */
export const chosen = signal(/** @type {string | null} */ (null));
/** The seat that the next dishes are for. */
export const seat = signal(/** @type {number | null} */ (null));

/** The place that is in view. */
export const place = computed(() => {
  const at = view();
  return at.at !== "order" ? null : at.tableId ? `t:${at.tableId}` : at.orderId ? `o:${at.orderId}` : at.draftId ? `n:${at.draftId}` : null;
});

/** @param {string} where */
const nameOf = (where) => `${me()}/${where}`;

/** The draft in view, if anything was typed. */
export const draft = computed(() => { const where = place(); return where ? drafts()[nameOf(where)] ?? null : null; });

/** My drafts with something in them, the newest first. */
export function mine() { return Object.entries(drafts()).filter(([name, one]) => name.startsWith(`${me()}/`) && one.lines.length > 0).map(([, one]) => one).sort((a, b) => b.madeAt - a.madeAt); }

/** @param {string} name @param {Draft | null} next */
function keep(name, next) {
  remember(`pos.draft.${name}`, next ?? undefined);
  drafts.update((all) => { const { [name]: _, ...rest } = all; return next ? { ...rest, [name]: next } : rest; });
}

/** Changes the draft of a place; it is begun by the first change. @param {(draft: Draft) => Partial<Draft>} change @param {string | null} [where] */
export function edit(change, where = place.peek()) {
  if (!where) return;
  const name = nameOf(where);
  const before = drafts.peek()[name] ?? newDraft(where, newId(), { madeAt: now() });
  keep(name, { ...before, ...change(before) });
}

/** Throws the draft of a place away. @param {string | null} [where] */
export function discard(where = place.peek()) { if (where) { keep(nameOf(where), null); chosen.set(null); } }

/** A draft goes to another place with its party. @param {string} from @param {string} to */
export function move(from, to) {
  const draft = drafts.peek()[nameOf(from)];
  if (!draft || from === to) return;
  batch(() => { keep(nameOf(from), null); edit((there) => ({ ...draft, place: to, key: there.key, lines: [...there.lines, ...draft.lines] }), to); });
}

/** Begins an order at no table: it opens on the dishes. @param {"TAKEAWAY" | "DELIVERY" | "COUNTER"} orderType */
export function openDraft(orderType) {
  const draftId = newId();
  go({ at: "order", draftId });
  edit(() => ({ orderType }));
}

/** What of this person and place is on its way. @param {string | null} where */
export function onItsWay(where) { return entries().filter((entry) => entry.subject === where && entry.person === me()); }

let sending = false;
/**
 * Hands the draft in view over: it is kept for the server first, then it is no draft any more. Answers whether it went.
 * @returns {Promise<boolean>}
 */
export async function sendDraft() {
  const one = draft.peek(), at = view.peek();
  if (sending || !one || one.lines.length === 0) return false;
  sending = true;
  try {
    const target = at.fresh ? null : at.orderId ?? null;
    const wanted = target
      ? { path: `/orders/${target}/items`, body: { items: one.lines.map(body) } }
      : { path: "/orders", body: orderBody(one, at.tableId ?? null) };
    await put({ key: one.key, subject: one.place, method: "POST", ...wanted, person: me(), about: { draft: one, tableId: at.tableId ?? null, orderId: target } });
    settle(one.key, one);
    return true;
  } finally {
    sending = false;
  }
}

/** What was handed over is no draft any more; what was typed since stays, under a new key. @param {string} key @param {Draft} sent */
function settle(key, sent) {
  for (const [name, one] of Object.entries(drafts.peek())) {
    if (one.key !== key) continue;
    const left = one.lines.flatMap((line) => {
      const quantity = line.quantity - (sent.lines.find((other) => other.id === line.id)?.quantity ?? 0);
      return quantity > 0 ? [{ ...line, id: newId(), quantity }] : [];
    });
    batch(() => { keep(name, left.length > 0 ? { ...one, key: newId(), lines: left } : null); chosen.set(null); });
  }
}

/** The server has it: its order comes into view where its draft was. @param {Entry} entry @param {any} data */
function done(entry, data) {
  settle(entry.key, entry.about.draft);
  const made = data.order ?? data, at = view.peek(), mine = entry.person === me();
  for (const warning of made.warnings ?? []) toast(inWords(warning.message), "bad");
  if (mine && at.at === "order" && (at.tableId ? `t:${at.tableId}` : at.orderId ? `o:${at.orderId}` : `n:${at.draftId}`) === entry.subject) {
    if (entry.subject.startsWith("n:")) move(entry.subject, `o:${made.id}`);
    go({ at: "order", ...(at.tableId ? { tableId: at.tableId } : {}), orderId: made.id });
    order.set(made);
  }
  remember("pos.used", (entry.about?.draft?.lines ?? []).reduce((/** @type {Record<string, number>} */ used, /** @type {any} */ line) => ({ ...used, [line.menuItemId]: (used[line.menuItemId] ?? 0) + line.quantity }), recall("pos.used", {})));
  took(made);
}

/** @type {Map<string, { token: string, until: number }>} The last token of everybody who was here: an ended turn may still send its orders for three minutes. */
const tokens = new Map();

/** @param {Entry} entry */
async function tokenFor(entry) {
  if (entry.person === me()) {
    if (user()?.kind === "DEVICE" && !person()) throw new Error("nobody is at the till");
    const held = await token();
    if (entry.person !== me()) throw new Error("its owner enters a PIN first");
    if (entry.person) tokens.set(entry.person, { token: held, until: Date.now() + 170_000 });
    return held;
  }
  const held = tokens.get(entry.person ?? "");
  if (held && held.until > Date.now()) return held.token;
  throw new Error("its owner enters a PIN first");
}

/** Begins to send, and takes back what was refused to where it was typed. */
export async function begin() {
  await start({ token: tokenFor, done });
  for (const entry of entries.peek()) if (entry.about?.draft) settle(entry.key, entry.about.draft);
  effect(() => {
    const owner = me();
    const back = entries().filter((entry) => entry.state === "NEEDS_YOU" && entry.person === owner && entry.about?.draft);
    untrack(() => { for (const entry of back) void takeBack(entry); });
  });
  // Whoever comes back sends what is theirs.
  effect(() => { if (me() && (person() || user()?.kind !== "DEVICE")) untrack(async () => {
    const who = me();
    // While the box is away nothing goes; `onBack` sends it.
    try { const held = await token(); if (who && who === me()) tokens.set(who, { token: held, until: Date.now() + 170_000 }); } catch { return; }
    send();
  }); });
}

/** What the box said of a field; of a price, the right one as an amount. @param {string} name @param {string} reason */
function saidOf(name, reason) {
  const cents = /priceCents$/i.test(name) ? /^must be (\d+)\b/.exec(reason)?.[1] : null;
  return cents ? t("refused.price", { price: money(Number(cents), purse()) }) : inWords(reason);
}

/** @type {Set<string>} */
const taking = new Set();
/** What was refused, or is too old to go by itself, becomes a draft again, with what was said of each line. @param {Entry} entry */
export async function takeBack(entry) {
  if (taking.has(entry.key)) return;
  taking.add(entry.key);
  const draft = /** @type {Draft} */ (entry.about.draft);
  const { lines, rest } = refused(draft.lines, (entry.refusal?.fields ?? []).map(({ name, reason }) => ({ name, reason: saidOf(name, reason) })));
  const whole = entry.refusal && entry.refusal.fields.length === 0 ? refusedIn(entry.refusal) : rest.join("; ");
  await lookAtMenu().catch(() => {});
  batch(() => edit((there) => ({ ...draft, key: newId(), lines: [...lines, ...there.lines], refusal: whole || null, madeAt: now() }), entry.subject));
  await drop(entry);
  taking.delete(entry.key);
}

/** Lines of the draft that the menu of now differs from. @param {Draft | null} one */
export function troubled(one) { return (one?.lines ?? []).filter((line) => differs(line, dishes().get(line.menuItemId), dishes())); }

/** Takes one line, or all, at the menu of now; what cannot be had is gone. @param {string} [id] */
export function accept(id) {
  edit((one) => ({
    refusal: null,
    lines: one.lines.flatMap((line) => {
      if (id && line.id !== id) return [line];
      const item = dishes.peek().get(line.menuItemId), how = differs(line, item, dishes.peek());
      if (!how) return [{ ...line, refusal: null }];
      if (!item || how.kind === "GONE" || how.kind === "OUT") return [];
      const next = { ...current(line, item, dishes.peek()), typedFor: sellingFor.peek() };
      return next.quantity > 0 ? [next] : [];
    }),
  }));
}

/** Sends a line at the price it was typed at, as long as the box still takes that. @param {string} id */
export function keepPrice(id) {
  edit((one) => ({ lines: one.lines.map((line) => { const item = dishes.peek().get(line.menuItemId); return line.id === id && item ? keeping(line, item, dishes.peek()) : line; }) }));
}

// The menu has the prices of the order in view, or of the one that the draft will be.
effect(() => {
  const at = view(), one = order(), plan = draft(), tables = floor()?.tables ?? [];
  if (at.at !== "order" || (at.orderId && !at.tableId && one?.id !== at.orderId)) return;
  const is = one && one.id === at.orderId && !at.fresh ? one : null;
  const tableId = is ? is.tableId : at.tableId, table = tables.find(({ id }) => id === tableId);
  // Prices go by area: any table of it will do, and the next table there needs no other menu.
  const near = table ? table.area && tables.find(({ area }) => area === table.area)?.id : tableId;
  const orderType = is?.orderType ?? (tableId ? "DINE_IN" : plan?.orderType ?? "TAKEAWAY");
  const channelId = is ? is.channelId : orderType === "DELIVERY" && !tableId ? plan?.channelId : null;
  untrack(() => sellFor({ orderType, ...(near ? { tableId: near } : {}), ...(channelId ? { channelId } : {}) }));
});

// What was typed before that menu was there takes its prices.
effect(() => {
  if (!isOfOrder() || !draft()?.lines.some(({ isEarly }) => isEarly)) return;
  const known = dishes();
  untrack(() => edit((one) => ({ lines: one.lines.map((line) => (line.isEarly ? settled(line, known.get(line.menuItemId), known) : line)) })));
});

/** What the draft in view would cost with taxes; null while it is not known. */
export const quote = signal(/** @type {import("api").components["schemas"]["OrderQuote"] | null} */ (null));
let asking = 0;
effect(() => {
  const one = draft(), at = view(), open = order();
  // What comes onto an order costs what it would on that order.
  const more = open && open.id === at.orderId && !at.fresh ? { orderType: open.orderType, ...(open.tableId ? { tableId: open.tableId } : {}), ...(open.channelId ? { channelId: open.channelId } : {}) } : null;
  quote.set(null);
  clearTimeout(asking);
  if (!one || one.lines.length === 0 || !outlet() || !may("orders:create")) return;
  asking = setTimeout(async () => {
    try {
      const asked = orderBody({ ...one, scheduledFor: null }, at.tableId ?? null);
      const { data } = await ask("POST", "/orders/quote", { body: more ? { ...asked, ...more } : asked });
      if (draft.peek() === one) quote.set(data);
    } catch { /* The sum by the menu is shown. */ }
  }, 250);
});
