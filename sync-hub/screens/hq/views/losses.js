// What took money off the books at each outlet, and what was done by hand. Never judges: it shows who stands out, and by how much.

import { ask } from "../../kit/session.js";
import { h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { asked, periodFields } from "../choose.js";
import { amount, at, head, hundredths, loaded, mark, number, table, word } from "../parts.js";
import { freshness } from "./figures.js";

/** @param {any} outlet */
function ofOutlet(outlet) {
  const { losses } = outlet;
  if (!losses) return h("section", { class: "card" }, h("h2", {}, h("bdi", {}, outlet.name)), h("p", { class: "hint" }, t("noFigures")));
  return h("section", { class: "card" }, h("h2", {}, h("bdi", {}, outlet.name)),
    h("p", {}, h("strong", {}, amount(losses.total.amountCents, losses.currency)), " ", t("losses.share", { percent: hundredths(losses.percentOfGross), n: losses.total.count })),
    table(t("losses.kinds"), [
      { label: t("f.kind"), head: true, cell: (row) => word(row.kind) },
      { label: t("f.count"), number: true, cell: (row) => number(row.count) },
      { label: t("f.amount"), number: true, cell: (row) => amount(row.amountCents, losses.currency) },
    ], losses.kinds),
    losses.unusual.length > 0 && [h("h3", {}, t("losses.unusual")), h("ul", {}, ...losses.unusual.map((/** @type {any} */ group) => h("li", {},
      h("bdi", {}, group.name || group.approverName || "–"), " ", mark(t("losses.times", { times: number(group.timesAverageAmount), amount: amount(group.amountCents, losses.currency) }), "warn"))))]);
}

export function view() {
  return [
    head(t("view.losses"), t("losses.hint")), periodFields(),
    loaded(() => ask("GET", "/hub/losses", { query: asked() }), ({ data }) => [freshness(data.outlets), h("div", { class: "columns" }, ...data.outlets.map(ofOutlet))]).node,
    h("h2", {}, t("losses.byHand")), h("p", { class: "hint" }, t("losses.byHandHint")),
    loaded(() => ask("GET", "/hub/unusual", { query: { outletIds: asked().outletIds } }), ({ data }) => table(t("losses.byHand"), [
      { label: t("f.at"), head: true, cell: (row) => at(row.at) },
      { label: t("f.outlet"), cell: (row) => row.code ?? t("hq.title") },
      { label: t("f.action"), cell: (row) => word(row.action) },
      { label: t("f.actorName"), cell: (row) => h("bdi", {}, row.actorName) },
      { label: t("f.device"), cell: (row) => row.device ?? "–" },
    ], data.latest)).node,
  ];
}
