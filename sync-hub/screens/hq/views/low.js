// What runs out, outlet by outlet. Never orders anything: that is the branch's to do.

import { ask } from "../../kit/session.js";
import { h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { askedOutlets, outletFields } from "../choose.js";
import { head, loaded, number, table } from "../parts.js";
import { freshness } from "./figures.js";

export function view() {
  return [
    head(t("view.low"), t("low.hint")), outletFields(),
    loaded(() => ask("GET", "/hub/inventory/low-stock", { query: askedOutlets() }), ({ data }) => {
      const some = data.outlets.filter((/** @type {any} */ outlet) => outlet.items.length > 0);
      return [freshness(data.outlets), some.length === 0 ? h("p", { class: "good" }, t("low.none")) : some.map((/** @type {any} */ outlet) => h("section", {},
        h("h2", {}, h("a", { href: `#/outlet/${outlet.outletId}/stock` }, h("bdi", {}, outlet.name)), " ", h("small", {}, t("low.count", { n: outlet.items.length }))),
        table(outlet.name, [
          { label: t("f.name"), head: true, cell: (row) => h("bdi", {}, row.name) },
          { label: t("f.currentStock"), number: true, cell: (row) => `${number(row.currentStock)} ${row.unit}` },
          { label: t("f.minStockThreshold"), number: true, cell: (row) => `${number(row.minStockThreshold)} ${row.unit}` },
        ], outlet.items)))];
    }).node,
  ];
}
