// The checkout of who served: what they sold and took on a day, their tips, and the cash that they hand over. And an advance on their pay, out of an
// open drawer. Every figure is the server's own; nothing is handed over here.

import { all, ask, may } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { facts, loaded } from "./parts.js";
import { cash, later, send, today } from "./store.js";
import { edit } from "./form.js";
import { table } from "./list.js";

/** Whether somebody's checkout may be seen here. @param {boolean} own */
export const seesCheckout = (own) => may("orders:read") && (own || may("payments:read"));

/** Somebody's checkout, day by day. @param {string} id of the employee */
export function checkout(id) {
  const day = signal(today());
  return h("section", { class: "checkout", "aria-label": t("checkout") },
    h("div", { class: "filters" }, h("label", {}, t("f.businessDate"), h("input", { type: "date", value: () => day(), max: today(), onchange: (/** @type {any} */ event) => { if (event.target.value) day.set(event.target.value); } })),
      h("div", { class: "presets" }, ...[0, -1].map((back) => h("button", { type: "button", "aria-pressed": () => (day() === later(today(), back) ? "true" : "false"), onclick: () => day.set(later(today(), back)) }, t(back === 0 ? "period.TODAY" : "period.YESTERDAY"))))),
    () => { const businessDate = day(); return loaded(async () => (await ask("GET", `/employees/${id}/checkout`, { query: { businessDate } })).data, drawn); });
}

/** @param {import("api").components["schemas"]["EmployeeCheckout"]} of */
function drawn(of) {
  return [
    of.openOrdersCount > 0 ? h("p", { class: "warn" }, t("checkout.open", { n: of.openOrdersCount, due: cash(of.openDueCents) })) : null,
    h("p", { class: "owed" }, h("span", {}, t(of.cashOwedCents < 0 ? "checkout.gets" : "checkout.owes")), h("b", {}, cash(Math.abs(of.cashOwedCents)))),
    h("div", { class: "columns" },
      h("section", { class: "card ledger" }, h("h2", {}, t("checkout.sold")), facts([[t("f.ordersCount"), String(of.ordersCount)], [t("f.guestsCount"), of.coversCount ? String(of.coversCount) : null], [t("f.salesCents"), cash(of.salesCents)], [t("f.refundedCents"), of.refundCents ? cash(-of.refundCents) : null]])),
      h("section", { class: "card ledger" }, h("h2", {}, t("f.tipsCents")), facts([[t("checkout.tips"), cash(of.tipsCents)], [t("f.tipsPaidOutCents"), cash(-of.tipsPaidOutCents)], [t("checkout.tipsDue"), cash(of.tipsCents - of.tipsPaidOutCents)]]))),
    h("h3", {}, t("checkout.took")),
    table({ caption: t("checkout.took"), rows: of.tenders, empty: t("checkout.none"), columns: [{ name: "method", kind: "word" }, { name: "paymentCount", kind: "number" }, { name: "amountCents", kind: "money" }, { name: "tipCents", kind: "money" }, { name: "refundedCents", kind: "money" }, { name: "netCents", label: t("total"), kind: "money" }] }),
  ];
}

/** Gives somebody money on account of their pay, out of an open drawer; payroll takes it off. @param {{ id: string, name: string }} one */
export async function advance(one) {
  const drawers = await all("/cash-sessions", { status: "OPEN" });
  if (drawers.length === 0) { toast(t("advance.noDrawer"), "bad"); return; }
  const done = await edit(t("advance.of", { name: one.name }), { act: t("advance"), note: h("p", {}, t("advance.text")),
    fields: [...(drawers.length > 1 ? [/** @type {import("./fields.js").Field} */ ({ name: "drawerId", label: t("f.drawer"), kind: "choice", need: true, choices: async () => drawers.map(({ id, drawer }) => ({ value: id, label: drawer })) })] : []), { name: "amountCents", kind: "money", need: true }, { name: "reason", need: true, fresh: () => t("advance.reason") }],
    save: ({ drawerId = drawers[0].id, amountCents, reason }) => send("POST", `/cash-sessions/${drawerId}/pay-out`, { employeeId: one.id, amountCents, reason }) });
  if (done) toast(t("advance.done", { name: one.name }));
}
