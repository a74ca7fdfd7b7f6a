// What was thrown away at an outlet and what its guests said, in figures, by the branch's own rows. Never changes either.

import { may } from "../../../kit/session.js";
import { dateOf } from "../../../kit/time.js";
import { h, signal } from "../../../kit/view.js";
import { t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { bars } from "../../draw.js";
import { daysBefore } from "../../model.js";
import { amount, figure, label, loaded, mark, number, table, word } from "../../parts.js";
import { spanFields } from "./team.js";

/** @typedef {import("../../model.js").Outlet} Outlet */

/** @param {Outlet} outlet @param {() => { from: string, to: string }} span */
function waste(outlet, span) {
  const cost = { label: label("costCents"), number: true, cell: (/** @type {any} */ row) => amount(row.costCents, outlet.currency) };
  return [h("h2", {}, t("record.waste")), loaded(() => ofOutlet(outlet.id, "/waste-logs/summary", span()), ({ data }) => [
    h("div", { class: "figures" }, figure(label("costCents"), amount(data.costCents, outlet.currency)), figure(t("f.count"), number(data.entriesCount))),
    data.entriesCount === 0 ? h("p", { class: "good" }, t("quality.noWaste")) : h("div", { class: "columns" },
      h("section", {}, h("h3", {}, t("f.reason")), table(t("f.reason"), [{ label: t("f.reason"), head: true, cell: (row) => word(row.reason) }, { label: t("f.count"), number: true, cell: (row) => number(row.entriesCount) }, cost], data.byReason)),
      h("section", {}, h("h3", {}, t("f.name")), table(t("f.name"), [{ label: t("f.name"), head: true, cell: (row) => h("bdi", {}, row.name) }, { label: t("f.quantity"), number: true, cell: (row) => `${number(row.quantity)} ${row.unit}` }, cost], data.byItem)),
      h("section", {}, h("h3", {}, t("f.station")), table(t("f.station"), [{ label: t("f.station"), head: true, cell: (row) => h("bdi", {}, row.name ?? "–") }, cost], data.byStation))),
  ]).node];
}

/** @param {Outlet} outlet @param {() => { from: string, to: string }} span */
function guests(outlet, span) {
  return [h("h2", {}, t("record.feedback")), loaded(() => ofOutlet(outlet.id, "/tickets/feedback/summary", span()), ({ data }) => {
    if (data.count === 0) return h("p", { class: "hint" }, t("quality.noWords"));
    return [
      h("div", { class: "figures" }, figure(label("rating"), number(data.averageRating), t("quality.of", { n: number(data.count) })), ...["averageFood", "averageService", "averageCleanliness"].map((name) => figure(label(name), number(data[name]))), figure(label("nps"), number(data.nps.score))),
      data.lowRatingsOpen > 0 && h("p", {}, mark(t("quality.low", { n: data.lowRatingsOpen }), "bad")), data.callbacksOpen > 0 && h("p", {}, mark(t("quality.callbacks", { n: data.callbacksOpen }), "warn")),
      bars(label("rating"), data.byRating.map((/** @type {any} */ one) => ({ label: number(one.rating), value: one.count })), number, t("f.count")),
    ];
  }).node];
}

/** @param {Outlet} outlet */
export function view(outlet) {
  const today = dateOf(Date.now(), outlet.timezone), span = signal({ from: daysBefore(today, 29), to: today });
  return [spanFields(span), may("waste:read") && waste(outlet, span), may("feedback:manage") && guests(outlet, span), h("p", {}, h("a", { href: `#/outlet/${outlet.id}/records/waste` }, t("record.waste")), " · ", h("a", { href: `#/outlet/${outlet.id}/records/feedback` }, t("record.feedback")))];
}
