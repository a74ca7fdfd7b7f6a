// The checkout of whoever stands here at the end of their shift: what they sold and took, their tips, the cash that they hand over. And of a
// colleague, for who may see payments. Never books anything: money is put into a drawer there.

import { choose, show } from "../kit/dialog.js";
import { money } from "../kit/money.js";
import { ask, may, person, user } from "../kit/session.js";
import { day } from "../kit/time.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { go, purse, tradingDay, tried, zone } from "./store.js";

/** @typedef {import("api").components["schemas"]["EmployeeCheckout"]} Checkout */

/** The employee who stands here, if it is one. */
export const self = () => person()?.id ?? user()?.employeeId ?? null;

/** Who works here, by name. @returns {Promise<{ value: string, label: string, hint: string }[]>} */
export async function staff() {
  const today = tradingDay();
  const { data } = await ask("GET", "/workforce/roster", { query: { startDate: today, endDate: today } });
  return data.matrix.map((/** @type {any} */ one) => ({ value: one.employeeId, label: one.employeeName, hint: one.role }));
}

/** Shows the checkout of who stands here. @param {string | null} [id] or of somebody else */
export async function checkout(id = self()) {
  if (!id) return;
  await tried(async () => {
    const of = /** @type {Checkout} */ ((await ask("GET", `/employees/${id}/checkout`)).data);
    const to = await show(t("checkout.of", { name: of.employeeName, date: day(of.businessDate, zone()) }), (close) => [
      h("p", { class: "owed" }, h("span", {}, t(of.cashOwedCents < 0 ? "checkout.gets" : "checkout.owes")), h("b", {}, amount(Math.abs(of.cashOwedCents)))),
      of.openOrdersCount > 0 ? h("p", { class: "warn" }, t("checkout.open", { n: of.openOrdersCount, due: amount(of.openDueCents) }), " ", id === self() ? h("button", { type: "button", onclick: () => close("orders") }, t("nav.orders")) : null) : null,
      h("div", { class: "columns" },
        rows("checkout.took", [...of.tenders.map((one) => /** @type {[string, string]} */ ([`${t(`method.${one.method}`)} × ${one.paymentCount}`, amount(one.netCents)])), ...(of.tenders.length === 0 ? [/** @type {[string, string]} */ ([t("checkout.none"), ""])] : [])]),
        rows("checkout.tips", [[t("tip"), amount(of.tipsCents)], [t("drawer.tips"), amount(-of.tipsPaidOutCents)], [t("checkout.tipsDue"), amount(of.tipsCents - of.tipsPaidOutCents)]]),
        rows("checkout.sold", [[t("nav.orders"), String(of.ordersCount)], ...(of.coversCount > 0 ? [/** @type {[string, string]} */ ([t("checkout.guests"), String(of.coversCount)])] : []), [t("sum.total"), amount(of.salesCents)], ...(of.refundCents ? [/** @type {[string, string]} */ ([t("drawer.refunds"), amount(-of.refundCents)])] : [])])),
      h("p", { class: "hint" }, t("checkout.how")),
      may("payments:read") ? h("div", { class: "acts" }, h("button", { type: "button", onclick: () => close("other") }, t("checkout.other"))) : null,
    ]);
    if (to === "orders") go({ at: "orders" });
    else if (to === "other") await another();
  });
}

/** Of a colleague. */
export async function another() {
  const id = await choose(t("checkout.other"), await staff());
  if (id) await checkout(id);
}

/** @param {number} cents */
const amount = (cents) => money(cents, purse());
/** @param {string} title @param {[string, string][]} pairs */
const rows = (title, pairs) => h("section", { class: "card" }, h("h3", {}, t(title)), h("ul", { class: "rows" }, ...pairs.map(([name, value]) => h("li", {}, h("span", {}, name), h("b", {}, value)))));
