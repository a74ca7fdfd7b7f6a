// The cash drawer: open, in, out, tips, without a sale, count, close. Who counts is not told what should be in it.

import { show, toast } from "../kit/dialog.js";
import { cents, decimal, money } from "../kit/money.js";
import { ask, may } from "../kit/session.js";
import { moment } from "../kit/time.js";
import { computed, each, h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { approved, reason, reasons, reasonText } from "./approve.js";
import { another, staff } from "./checkout.js";
import { counted } from "./sums.js";
import { once, purse, tell, tried, zone } from "./store.js";

/** @typedef {import("api").components["schemas"]["CashSessionDetail"]} Drawer */

/** Notes and coins by currency, in cents; elsewhere one and ten and a hundred of everything. @type {Record<string, number[]>} */
const PIECES = {
  INR: [50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100], EUR: [20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1],
  USD: [10_000, 5_000, 2_000, 1_000, 500, 100, 25, 10, 5, 1], GBP: [5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1], AED: [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 100, 50, 25],
  SGD: [10_000, 5_000, 1_000, 500, 200, 100, 50, 20, 10, 5], JPY: [10_000, 5_000, 2_000, 1_000, 500, 100, 50, 10, 5, 1],
};

export function drawerView() {
  const drawers = signal(/** @type {Drawer[]} */ ([])), read = signal(false), names = signal(/** @type {Map<string, string>} */ (new Map()));
  if (may("roster:read")) void staff().then((list) => names.set(new Map(list.map(({ value, label }) => [value, label]))), () => { /* It says no names, then. */ });
  async function look() {
    try {
      const { data } = await ask("GET", "/cash-sessions", { query: { status: "OPEN", limit: 20 } });
      drawers.set(await Promise.all(data.map(async (/** @type {any} */ one) => (await ask("GET", `/cash-sessions/${one.id}`)).data)));
      read.set(true);
    } catch (error) { tell(error); }
  }
  void look();
  /** @param {Drawer} next */
  const put = (next) => drawers.update((list) => (next.status === "OPEN" ? list.map((one) => (one.id === next.id ? next : one)) : list.filter((one) => one.id !== next.id)));
  return h("div", { class: "pages" },
    h("div", { class: "tools" }, h("h1", {}, t("nav.drawer")), h("div", { class: "acts" }, may("orders:read") && may("payments:read") ? h("button", { type: "button", onclick: () => tried(another) }, t("checkout.other")) : null, h("button", { type: "button", class: "main", onclick: () => open().then(look) }, t("drawer.open")))),
    () => (read() && drawers().length === 0 ? h("p", { class: "empty" }, t("drawer.none")) : null),
    h("div", { class: "columns" }, each(drawers, (one) => one.id, (one) => box(one, put, names))));
}

/** @param {() => Drawer} one @param {(next: Drawer) => void} put @param {() => Map<string, string>} names of whom money was given to */
function box(one, put, names) {
  const rows = computed(() => /** @type {[string, number | null][]} */ ([
    ["drawer.float", one().openingFloatCents], ["drawer.payments", one().paymentsCents ?? 0], ["tip", one().tipsCents ?? 0], ["drawer.in", one().paidInCents ?? 0], ["drawer.out", -(one().paidOutCents ?? 0)],
    ["drawer.tips", -(one().tipsPaidOutCents ?? 0)], ["drawer.refunds", -(one().refundsCents ?? 0)], ["drawer.expected", one().currentExpectedCents ?? null]]).filter(([, amount]) => amount !== null && amount !== undefined && amount !== 0));
  return h("section", { class: "card", "aria-label": () => one().drawer },
    h("h2", {}, h("bdi", {}, () => one().drawer), h("small", {}, () => t("drawer.since", { time: moment(one().openedAt, zone()), name: one().openedBy }))),
    h("ul", { class: "rows" }, each(rows, (row) => row[0], (row) => h("li", {}, h("span", {}, () => t(row()[0])), h("b", {}, () => money(row()[1] ?? 0, purse()))))),
    () => (one().currentExpectedCents == null ? h("p", { class: "hint" }, t("drawer.blind")) : null),
    h("ul", { class: "rows" }, each(() => one().movements ?? [], (move) => move.id, (move) => h("li", {}, h("span", {}, () => `${moment(move().at, zone())} ${t(`move.${move().kind}`)}`, " ", h("small", {}, () => [reasonText("payOut", move().reason), names().get(move().employeeId ?? "")].filter(Boolean).join(" · "))), h("b", {}, () => (move().amountCents ? money(move().amountCents, purse()) : ""))))),
    h("div", { class: "choices" }, .../** @type {const} */ (["pay-in", "pay-out", "tip-out"]).map((kind) => h("button", { type: "button", onclick: () => move(one(), kind, put) }, t(`drawer.${kind}`))),
      h("button", { type: "button", onclick: () => noSale(one(), put) }, t("drawer.no-sale")), h("button", { type: "button", class: "main", onclick: () => count(one(), put) }, t("drawer.close"))));
}

/** A form for an amount. @param {string} name @param {import("../kit/view.js").Signal<string>} typed */
const amountField = (name, typed) => h("label", {}, name, h("input", { inputmode: "decimal", value: typed, autocomplete: "off", oninput: (/** @type {any} */ event) => typed.set(event.target.value) }));

/** Opens a drawer with its float. */
async function open() {
  const typed = signal(""), name = signal("MAIN");
  const go = await show(t("drawer.open"), (close) => h("form", { onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); close(true); } },
    amountField(t("drawer.float"), typed), h("label", {}, t("drawer.name"), h("input", { value: name, maxlength: "40", oninput: (/** @type {any} */ event) => name.set(event.target.value) })),
    h("div", { class: "acts" }, h("button", { class: "main", disabled: () => cents(typed() || "0", purse().decimals) === null }, t("drawer.open")))));
  if (go) await tried(() => once("POST", "/cash-sessions", { openingFloatCents: cents(typed.peek() || "0", purse().decimals), ...(name.peek().trim() ? { drawer: name.peek().trim() } : {}) }));
}

/** @param {Drawer} one @param {"pay-in" | "pay-out" | "tip-out"} kind @param {(next: Drawer) => void} put */
async function move(one, kind, put) {
  const typed = signal(""), whom = signal("");
  const title = t(`drawer.${kind}`);
  // Of tips it is said whose they are, of money taken out whether it is somebody's pay: payroll takes it off.
  const people = kind !== "pay-in" && may("roster:read") ? await staff().catch(() => []) : [];
  const why = await show(title, (close) => [
    amountField(t("pay.amount"), typed),
    people.length > 0 ? h("label", {}, t(kind === "tip-out" ? "drawer.whose" : "drawer.advance"), h("select", { onchange: (/** @type {any} */ event) => whom.set(event.target.value) }, h("option", { value: "" }, t(kind === "tip-out" ? "drawer.everybody" : "drawer.nobody")), ...people.map(({ value, label }) => h("option", { value }, label)))) : null,
    () => (kind === "tip-out" || whom() ? h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => close(t(kind === "tip-out" ? "drawer.tips" : "drawer.advanceOn")) }, kind === "tip-out" ? title : t("drawer.advanceGo"))) : reasons("payOut", (given) => close(given))),
  ]);
  const amountCents = cents(typed.peek(), purse().decimals), employeeId = whom.peek();
  if (!why) return;
  if (!amountCents) return void toast(t("undo.noAmount"), "bad");
  await tried(async () => { const next = await approved(title, (approverPin) => once("POST", `/cash-sessions/${one.id}/${kind}`, { amountCents, reason: why, ...(employeeId ? { employeeId } : {}), ...(approverPin ? { approverPin } : {}) })); if (next) put(next); });
}

/** Opens it without a sale, with a reason. @param {Drawer} one @param {(next: Drawer) => void} put */
async function noSale(one, put) {
  const why = await reason(t("drawer.no-sale"), "payOut");
  if (why) await tried(async () => { const next = await approved(t("drawer.no-sale"), (approverPin) => once("POST", `/cash-sessions/${one.id}/no-sale`, { reason: why, ...(approverPin ? { approverPin } : {}) })); if (next) put(next); });
}

/** Counts it piece by piece, and closes it. @param {Drawer} one @param {(next: Drawer) => void} put */
async function count(one, put) {
  const counts = signal(/** @type {Record<string, number>} */ ({})), whole = signal(""), note = signal("");
  const pieces = PIECES[purse().currency] ?? [10_000, 1_000, 100, 10, 1];
  const some = () => Object.values(counts()).some((n) => n > 0);
  const sum = () => (some() ? counted(counts()) : cents(whole(), purse().decimals));
  const go = await show(t("drawer.count", { name: one.drawer }), (close) => [
    h("p", { class: "hint" }, t("drawer.count.how")),
    h("div", { class: "pieces" }, ...pieces.map((worth) => h("label", {}, h("span", {}, money(worth, purse(), true)), h("input", { inputmode: "numeric", "data-worth": String(worth), oninput: (/** @type {any} */ event) => counts.update((all) => ({ ...all, [worth]: /^\d{1,5}$/.test(event.target.value) ? Number(event.target.value) : 0 })) })))),
    h("label", {}, t("drawer.whole"), h("input", { inputmode: "decimal", value: whole, disabled: some, placeholder: decimal(0, purse().decimals), oninput: (/** @type {any} */ event) => whole.set(event.target.value) })),
    h("label", {}, t("drawer.note"), h("input", { value: note, maxlength: "300", oninput: (/** @type {any} */ event) => note.set(event.target.value) })),
    h("p", { class: "amount", "aria-live": "polite" }, h("span", {}, t("drawer.counted")), h("b", {}, () => money(sum() ?? 0, purse()))),
    h("div", { class: "acts" }, h("button", { type: "button", class: "main", disabled: () => sum() === null, onclick: () => close(true) }, t("drawer.close"))),
  ], { wide: true });
  if (!go) return;
  const denominations = Object.entries(counts.peek()).filter(([, n]) => n > 0).map(([worth, n]) => ({ valueCents: Number(worth), count: n }));
  await tried(async () => {
    const done = await once("POST", `/cash-sessions/${one.id}/close`, { countedCents: sum(), ...(denominations.length > 0 ? { denominations } : {}), ...(note.peek().trim() ? { note: note.peek().trim() } : {}) });
    put(done);
    const off = done.overShortCents ?? 0;
    await show(t("drawer.closed"), () => h("ul", { class: "rows" }, ...[["drawer.expected", done.expectedCents], ["drawer.counted", done.countedCents], [off < 0 ? "drawer.short" : "drawer.over", Math.abs(off)]].map(([name, amount]) => h("li", {}, h("span", {}, t(String(name))), h("b", {}, money(Number(amount), purse()))))));
  });
}
