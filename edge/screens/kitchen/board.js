// The guests' board: the numbers that are being prepared and those that are ready, and nothing else of anybody. What is eaten at a table is
// carried there and not called.

import { h, computed, each } from "../kit/view.js";
import { isAway } from "../kit/stream.js";
import { t } from "../kit/words.js";
import { orders } from "./pass.js";

export function board() {
  const { list } = orders();
  const called = computed(() => (list() ?? []).filter((order) => !order.tableNumber && order.stations.some(({ status }) => status !== "HELD" && status !== "SERVED")));
  const ready = () => called().filter(({ isReady }) => isReady), cooking = () => called().filter(({ isReady }) => !isReady);
  /** @param {string} kind @param {() => import("./pass.js").Order[]} which */
  const column = (kind, which) => h("section", { class: kind },
    h("h1", {}, t(`board.${kind}`)),
    h("ol", { "aria-live": kind === "ready" ? "polite" : null }, each(which, ({ orderId }) => orderId, (order) => h("li", {}, () => String(order().tokenNumber)))));
  return h("main", { class: "guests" }, column("cooking", cooking), column("ready", ready),
    () => isAway() && h("p", { class: "ask", role: "status" }, t("board.away")));
}
