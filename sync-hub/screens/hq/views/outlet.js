// One outlet: its day, orders, closed days, reports, stock and records as its branch would show them, and how its box stands. Reads alone; what
// head office decides about a box is under its exchange.

import { computed, h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { may } from "../../kit/session.js";
import { isKnown, outletOf } from "../chain.js";
import { loaded, mark, once } from "../parts.js";

/** @typedef {{ view: (outlet: import("../model.js").Outlet, rest: string[]) => import("../../kit/view.js").Child }} Part */

/** @type {Record<string, { needs: string, load: () => Promise<Part> }>} */
const PARTS = {
  now: { needs: "analytics:read", load: () => import("./outlet/now.js") },
  orders: { needs: "orders:read", load: () => import("./outlet/orders.js") },
  days: { needs: "payments:read", load: () => import("./outlet/days.js") },
  reports: { needs: "analytics:read", load: () => import("./outlet/reports.js") },
  stock: { needs: "inventory:read", load: () => import("./outlet/stock.js") },
  team: { needs: "roster:read", load: () => import("./outlet/team.js") },
  quality: { needs: "waste:read", load: () => import("./outlet/quality.js") },
  records: { needs: "orders:read", load: () => import("./outlet/records.js") },
  exchange: { needs: "outlets:read", load: () => import("./outlet/exchange.js") },
};

/** @param {string[]} route */
export function view(route) {
  const [, id, wanted, ...rest] = route;
  const allowed = Object.keys(PARTS).filter((name) => may(PARTS[name].needs));
  const at = wanted && allowed.includes(wanted) ? wanted : allowed[0];
  const there = computed(() => !!outletOf(id));
  return [
    h("p", { class: "crumbs" }, h("a", { href: "#/overview" }, t("view.overview"))),
    h("header", { class: "viewhead" }, h("h1", { tabindex: "-1" }, h("bdi", {}, () => outletOf(id)?.name ?? "…")), h("span", {}, () => { const outlet = outletOf(id); return outlet && (outlet.online ? mark(t("online"), "good") : mark(t("offline"), "bad")); })),
    h("nav", { class: "tabs", "aria-label": t("outlet.parts") }, ...allowed.map((name) => h("a", { href: `#/outlet/${id}/${name}`, "aria-current": name === at ? "page" : null }, t(`part.${name}`)))),
    () => there() && once(() => {
      const outlet = /** @type {import("../model.js").Outlet} */ (outletOf(id));
      return loaded(() => PARTS[at].load(), (part) => once(() => part.view(outlet, rest))).node;
    }),
    () => isKnown() && !there() && h("p", { class: "warn" }, t("outlet.unknown")),
  ];
}
