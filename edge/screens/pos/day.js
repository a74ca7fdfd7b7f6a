// The end of the day: what stands in its way, closing it, the report with its reconciliation, on paper. Nothing of it can be taken back.

import { ApiError } from "../kit/api.js";
import { confirm, show, toast } from "../kit/dialog.js";
import { money } from "../kit/money.js";
import { inWords } from "../kit/refused.js";
import { ask } from "../kit/session.js";
import { day, moment } from "../kit/time.js";
import { each, h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { go, once, purse, tell, tradingDay, tried, zone } from "./store.js";

export function dayView() {
  const today = signal(tradingDay()), closes = signal(/** @type {import("api").components["schemas"]["DayCloseSummary"][]} */ ([])), carry = signal(false), early = signal(false), busy = signal(false);
  const stands = signal(/** @type {{ text: string, fields: { name: string, reason: string }[] } | null} */ (null));
  async function look() { try { closes.set((await ask("GET", "/day-close", { query: { limit: 14 } })).data); } catch (error) { tell(error); } }
  void look();
  async function close() {
    if (busy.peek() || !(await confirm(t("day.close", { date: day(today.peek(), zone()) }), t("day.sure"), t("day.go")))) return;
    busy.set(true);
    stands.set(null);
    try {
      const done = await once("POST", "/day-close", { businessDate: today.peek(), carryOver: carry.peek(), early: early.peek() });
      toast(t("day.closed", { n: done.zNumber }));
      void look();
      await report(done);
    } catch (error) {
      if (error instanceof ApiError) stands.set({ text: inWords(error.message), fields: error.fields });
      else tell(error);
    } finally { busy.set(false); }
  }
  return h("div", { class: "pages" },
    h("h1", {}, t("nav.day")),
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, () => t("day.close", { date: day(today(), zone()) })),
        h("label", {}, t("day.date"), h("input", { type: "date", value: today, onchange: (/** @type {any} */ event) => { if (event.target.value) today.set(event.target.value); } })),
        h("label", { class: "tick" }, h("input", { type: "checkbox", checked: carry, onchange: (/** @type {any} */ event) => carry.set(event.target.checked) }), t("day.carry")),
        h("label", { class: "tick" }, h("input", { type: "checkbox", checked: early, onchange: (/** @type {any} */ event) => early.set(event.target.checked) }), t("day.early")),
        () => { const what = stands(); return what ? h("div", { role: "alert", class: "bad card" }, h("p", {}, h("b", {}, t("day.stands"))), h("p", {}, what.text),
          h("ul", { class: "rows" }, ...what.fields.map(({ name, reason }) => h("li", {}, h("span", {}, inWords(reason)), h("button", { type: "button", onclick: () => goTo(name, reason) }, t("guest.look")))))) : null; },
        h("div", { class: "acts" }, h("button", { type: "button", onclick: () => print(today.peek()) }, t("day.x")), h("button", { type: "button", class: "main", disabled: busy, onclick: close }, t("day.go")))),
      h("section", { class: "card" }, h("h2", {}, t("day.before")),
        h("ul", { class: "rows" }, each(closes, (one) => one.id, (one) => h("li", {}, h("button", { type: "button", class: "quiet what", onclick: () => tried(async () => report((await ask("GET", `/day-close/${one().businessDate}`)).data)) }, () => `Z ${one().zNumber} · ${day(one().businessDate, zone())}`), h("b", {}, () => money(one().totalCents, purse()))))),
        () => (closes().length === 0 ? h("p", { class: "empty" }, t("day.none")) : null))));
}

/** Goes to what stands in the way: a drawer, or the order whose number the refusal names. @param {string} name @param {string} reason */
async function goTo(name, reason) {
  if (name.startsWith("openDrawers")) return go({ at: "drawer" });
  const number = reason.split(" ")[0];
  await tried(async () => {
    const { data } = await ask("GET", "/orders", { query: { q: number, limit: 1 } });
    if (data[0]) go({ at: "order", ...(data[0].tableId ? { tableId: data[0].tableId } : {}), orderId: data[0].id });
  });
  return undefined;
}

/** Prints the report: X while the day goes on, Z after. @param {string} date */
async function print(date) {
  await tried(async () => { await once("POST", `/day-close/${date}/print`, {}); toast(t("print.sent")); });
}

/** @param {import("api").components["schemas"]["DayClose"]} one */
function report(one) {
  /** @param {string} name @param {number} amount */
  const row = (name, amount) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, money(amount, purse())));
  return show(t("day.report", { n: one.zNumber, date: day(one.businessDate, zone()) }), () => [
    h("p", { class: "hint" }, moment(one.closedAt, zone())),
    h("div", { class: "columns" },
      h("div", {}, h("h3", {}, t("day.sales")), h("table", {}, h("tbody", {}, row(t("sum.total"), one.totalCents), row(t("day.net"), one.netRevenueCents), ...one.payments.map((each) => row(t(`method.${each.method}`), each.amountCents)), row(t("tip"), one.tipCents), row(t("day.cashExpected"), one.cash.expectedCents ?? 0)))),
      h("div", {}, h("h3", {}, t("day.reconciled")), h("p", { class: one.reconciliation.isReconciled ? "good" : "bad" }, t(one.reconciliation.isReconciled ? "day.agrees" : "day.differs")),
        h("table", {}, h("tbody", {}, ...one.reconciliation.lines.map((each) => row(each.name, each.amountCents)))))),
    h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => print(one.businessDate) }, t("receipt.print"))),
  ], { wide: true });
}
