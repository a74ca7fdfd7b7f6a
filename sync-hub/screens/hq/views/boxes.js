// The health of every box: is it heard, what waits, are the rows equal, its clock, its version, what was put aside. Only what boxes say of
// themselves; it does not reach into one.

import { computed, h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { nameOf, outlets, tiles } from "../chain.js";
import { CLOCK_OFF_MS } from "../model.js";
import { at, head, mark, number, table } from "../parts.js";
import { troubleWord } from "./overview.js";

/** The newest program of the chain's boxes. */
function newest() { return outlets().map(({ version }) => version ?? "").sort((one, other) => one.localeCompare(other, "en", { numeric: true })).pop(); }

/** A clock's difference in words. @param {number | null | undefined} ms */
export function clockWord(ms) {
  if (ms === null || ms === undefined) return "–";
  return mark(t("seconds", { n: number(Math.round(ms / 1000)) }), Math.abs(ms) > CLOCK_OFF_MS ? "bad" : "good");
}

export function view() {
  const order = computed(() => tiles().map(({ outlet }) => outlet.id).join());
  /** A cell follows its box where it stands: whoever reads in the table by keys is not thrown out of it. @param {(tile: import("../chain.js").Tile) => import("../../kit/view.js").Child} draw */
  const now = (draw) => (/** @type {{ id: string }} */ { id }) => () => { const tile = tiles().find(({ outlet }) => outlet.id === id); return tile && draw(tile); };
  return [
    head(t("view.boxes"), t("boxes.hint")),
    () => table(t("view.boxes"), [
      { label: t("f.outlet"), head: true, cell: ({ id }) => h("a", { href: `#/outlet/${id}/exchange` }, h("bdi", {}, () => nameOf(id))) },
      { label: t("f.online"), cell: now(({ outlet }) => (outlet.online ? mark(t("online"), "good") : [mark(t("offline"), "bad"), h("small", {}, at(outlet.lastSeenAt))])) },
      { label: t("f.troubles"), cell: now(({ troubles }) => (troubles.length ? h("ul", { class: "marks" }, ...troubles.map((/** @type {any} */ one) => h("li", {}, mark(troubleWord(one), one.level)))) : mark(t("allWell"), "good"))) },
      { label: t("f.rowsWaiting"), number: true, cell: now(({ outlet }) => number(outlet.rowsWaiting)) },
      { label: t("f.digest"), cell: now(({ outlet }) => [outlet.digest ? mark(t(`digest.${outlet.digest}`), outlet.digest === "OK" ? "good" : "bad") : "–", outlet.digestAgreedAt ? h("small", {}, at(outlet.digestAgreedAt)) : null]) },
      { label: t("f.clock"), cell: now(({ outlet }) => clockWord(outlet.clockOffsetMs)) },
      { label: t("f.version"), cell: now(({ outlet }) => (outlet.version ? mark(outlet.version, outlet.version === newest() ? "good" : "warn") : "–")) },
      { label: t("f.feed"), number: true, cell: now(({ outlet }) => t("of", { n: outlet.feedArrived, of: outlet.feed })) },
    ], order().split(",").filter(Boolean).map((id) => ({ id })), t("overview.empty")),
  ];
}
