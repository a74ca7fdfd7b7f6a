// Swaps of shifts, for who plans: what was agreed on, and beside it, before a yes, whether it fits both. Never decides by itself.

import { all, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, loaded, word } from "./parts.js";
import { later, outlet, send, zone } from "./store.js";
import { edit } from "./form.js";
import { fitOf } from "./fit.js";
import { inTheWay, listOf, shiftSaid, unwise } from "./unwise.js";
import { listed } from "./list.js";

/** A button that ends something with a reason. @param {string} name @param {string} path @param {() => void} reload @param {string} whose */
export function end(name, path, reload, whose) {
  return h("button", { type: "button", "aria-label": `${t(name)}: ${whose}`, onclick: async () => {
    if (await edit(t(name), { act: t(name), fields: [{ name: "reason" }], save: ({ reason }) => send("POST", path, reason ? { reason } : {}) })) { toast(t("saved")); reload(); }
  } }, t(name));
}

/** Whether it fits both, read from the roster around it. @param {any} row */
function fit(row) {
  return loaded(async () => {
    const dates = [row.fromShift.date, row.toShift?.date ?? row.fromShift.date].sort(), days = { from: later(dates[0], -7), to: later(dates[1], 7) };
    const [givers, takers, leave] = await Promise.all([all("/shifts", { employeeId: row.fromEmployeeId, ...days }), all("/shifts", { employeeId: row.toEmployeeId, ...days }), may("leave:approve") ? all("/leave-requests", { status: "APPROVED", ...days }) : []]);
    return { givers, takers, leave };
  }, ({ givers, takers, leave }) => {
    const texts = fitOf({ from: row.fromShift, to: row.toShift }, givers, takers, outlet()?.overtime, zone()).flatMap(({ side, clash, warnings }) => {
      const [id, name, shift] = side === "taker" ? [row.toEmployeeId, row.toEmployeeName, row.fromShift] : [row.fromEmployeeId, row.fromEmployeeName, row.toShift];
      const away = shift.shiftType === "OFF" ? null : leave.find((one) => one.employeeId === id && one.fromDate <= shift.date && shift.date <= one.toDate);
      return [...(clash ? [inTheWay(clash)] : []), ...(away ? [t("fit.LEAVE", { kind: word("leave", away.leaveType) })] : []), ...warnings.map(unwise)].map((text) => `${name}: ${text}`);
    });
    return texts.length > 0 ? listOf(texts) : h("span", { class: "good" }, t("fit.fits"));
  });
}

export function swaps() {
  return listed({ path: "/shifts/swaps", caption: t("tab.swaps"), filters: [{ name: "status", values: ["REQUESTED", "ACCEPTED", "APPROVED", "REJECTED", "CANCELLED"], words: "swap" }],
    columns: [{ name: "fromEmployeeName" }, { name: "fromShift", draw: (row) => shiftSaid(row.fromShift) }, { name: "toEmployeeName" }, { name: "toShift", draw: (row) => (row.toShift ? shiftSaid(row.toShift) : t("mine.given")) }, { name: "note" }, { name: "status", kind: "badge", words: "swap" },
      { name: "fit", draw: (row) => (["REQUESTED", "ACCEPTED"].includes(row.status) ? fit(row) : "–") }],
    acts: (row, reload) => (["REQUESTED", "ACCEPTED"].includes(row.status) ? [end("reject", `/shifts/swaps/${row.id}/reject`, reload, row.fromEmployeeName),
      row.status === "ACCEPTED" ? act(t("approve"), async () => { await send("POST", `/shifts/swaps/${row.id}/approve`); reload(); }, { class: "main", done: t("saved"), spoken: `${t("approve")}: ${row.fromEmployeeName}` }) : null] : null) });
}
