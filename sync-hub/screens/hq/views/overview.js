// All outlets at a glance, trouble first. A tile that somebody points at or has the focus in does not move. Never changes anything.

import { clock, moment } from "../../kit/time.js";
import { each, effect, h, onEnd, signal } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { may } from "../../kit/session.js";
import { isKnown, outlets, tiles } from "../chain.js";
import { ZONE, amount, figure, head, mark, number, trend } from "../parts.js";

/** @typedef {import("../chain.js").Tile} Tile */

/** What a trouble leads to. @param {string} id @param {string} kind */
function way(id, kind) {
  if (kind === "LATE") return `#/outlet/${id}/now`;
  if (kind === "CONFLICTS") return `#/conflicts/${id}`;
  return `#/outlet/${id}/exchange`;
}

/** @param {import("../model.js").Trouble} trouble */
export function troubleWord({ kind, n }) { return t(`trouble.${kind}`, { n }); }

/** @param {() => Tile} tile */
function drawn(tile) {
  const { outlet: { id } } = tile();
  const currency = () => tile().outlet.currency;
  return h("li", { class: () => `card tile ${tile().troubles[0]?.level ?? "well"}` },
    h("header", {},
      h("h2", {}, h("a", { href: `#/outlet/${id}` }, h("bdi", {}, () => tile().outlet.name))),
      () => (tile().outlet.online ? mark(t("online"), "good") : mark(t("offline"), tile().outlet.standing === "NEW" ? "plain" : "bad"))),
    h("div", { class: "sales" },
      h("strong", {}, () => amount(tile().sales?.netRevenueCents ?? tile().now?.todayCents, currency(), true)),
      () => tile().now ? trend(tile().now?.changePercentage) : h("span", { class: "hint" }, t("noFigures"))),
    h("ul", { class: "marks" }, () => (tile().troubles.length === 0
      ? h("li", {}, mark(t("allWell"), "good"))
      : tile().troubles.map((trouble) => h("li", {}, h("a", { href: way(id, trouble.kind) }, mark(troubleWord(trouble), trouble.level)))))),
    h("dl", { class: "facts" },
      fact(t("f.orders"), () => number(tile().sales?.ordersCount ?? tile().now?.orders)),
      fact(t("f.rowsWaiting"), () => number(tile().outlet.rowsWaiting)),
      fact(t("f.late"), () => number(tile().now?.late)),
      fact(t("f.low"), () => number(tile().now?.low)),
      fact(t("f.digest"), () => (tile().outlet.digest ? t(`digest.${tile().outlet.digest}`) : "–")),
      fact(t("f.lastSeenAt"), () => { const at = tile().outlet.lastSeenAt; return at ? moment(at, ZONE) : "–"; })));
}

/** @param {string} name @param {() => string} value */
function fact(name, value) { return h("div", {}, h("dt", {}, name), h("dd", {}, value)); }

/** The sums of the day by currency. */
function sums() {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const { outlet, sales, now } of tiles()) {
    const today = sales?.netRevenueCents ?? now?.todayCents;
    if (today !== undefined) found.set(outlet.currency, (found.get(outlet.currency) ?? 0) + today);
  }
  return [...found].map(([currency, sum]) => amount(sum, currency, true)).join(" · ") || "–";
}

export function view() {
  /** The order in which they stand: it changes only while nobody points at one. */
  const order = signal(/** @type {string[]} */ ([]));
  const list = h("ul", { class: "tiles" }, each(() => {
    const known = new Map(tiles().map((tile) => [tile.outlet.id, tile]));
    const standing = order().filter((id) => known.has(id));
    const all = [...standing, ...[...known.keys()].filter((id) => !standing.includes(id))];
    return all.map((id) => /** @type {Tile} */ (known.get(id)));
  }, (tile) => tile.outlet.id, drawn));
  const settle = () => { if (!list.matches(":hover, :focus-within")) order.set(tiles().map(({ outlet }) => outlet.id)); };
  effect(settle);
  list.addEventListener("pointerleave", settle);
  const again = setInterval(settle, 3_000);
  onEnd(() => clearInterval(again));
  const online = () => outlets().filter((outlet) => outlet.online).length;
  return [
    head(t("view.overview"), undefined, may("outlets:create") ? h("a", { class: "button", href: "#/enrolment" }, t("enrol.new")) : null),
    h("section", { class: "figures", "aria-label": t("overview.sums") },
      figure(t("overview.online"), () => t("of", { n: online(), of: outlets().length })),
      figure(t("overview.trouble"), () => number(tiles().filter(({ troubles }) => troubles.some(({ level }) => level === "bad")).length)),
      figure(t("f.rowsWaiting"), () => number(outlets().reduce((sum, outlet) => sum + (outlet.rowsWaiting ?? 0), 0))),
      figure(t("overview.today"), sums)),
    () => !isKnown() && h("p", { role: "status", class: "hint" }, t("loading")),
    () => isKnown() && outlets().length === 0 && h("div", { class: "card empty" }, h("p", {}, t("overview.empty")), may("outlets:create") ? h("a", { class: "button main", href: "#/enrolment" }, t("enrol.new")) : null),
    list,
    h("p", { class: "hint" }, () => (outlets().length > 0 ? t("overview.asOf", { time: clock(Date.now(), ZONE) }) : "")),
  ];
}
