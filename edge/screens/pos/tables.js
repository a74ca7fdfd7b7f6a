// What is done with a table and its party: move, put together, free, the code that lets its guests order. Never moves a party onto another one.

import { choose, confirm, show, toast } from "../kit/dialog.js";
import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { move } from "./drafts.js";
import { floor, go, lookAtFloor, notices, once, tableOf, tried, view } from "./store.js";

/** Moves the party to a free table. */
export async function moveTable() {
  const at = view.peek(), from = tableOf(at.tableId);
  const free = (floor.peek()?.tables ?? []).filter((table) => table.id !== from?.id && !table.party && table.orders.length === 0 && ["AVAILABLE", "RESERVED"].includes(table.status));
  if (free.length === 0) return void toast(t("move.none"), "bad");
  const to = await choose(t("move.title", { table: from?.number ?? "" }), free.map((table) => ({ label: table.number, hint: [table.area, t("seats", { n: table.seats })].filter(Boolean).join(" · "), value: table })));
  if (!to || !from) return;
  await tried(async () => {
    await once("POST", `/tables/${from.id}/transfer`, { toTableId: to.id });
    move(`t:${from.id}`, `t:${to.id}`);
    go({ at: "order", tableId: to.id, orderId: at.orderId ?? null });
    lookAtFloor();
    toast(t("moved", { from: from.number, to: to.number }));
  });
}

/** Puts another party to this one. */
export async function mergeTables() {
  const here = tableOf(view.peek().tableId);
  const others = (floor.peek()?.tables ?? []).filter((table) => table.id !== here?.id && table.party);
  if (others.length === 0 || !here) return void toast(t("merge.noTable"), "bad");
  const other = await choose(t("more.mergeTables"), others.map((table) => ({ label: table.number, hint: table.party?.server?.name ?? "", value: table })));
  if (!other || !(await confirm(t("more.mergeTables"), t("merge.tables", { from: other.number, to: here.number }), t("merge.go")))) return;
  await tried(async () => { await once("POST", `/tables/${here.id}/merge`, { tableIds: [other.id] }); move(`t:${other.id}`, `t:${here.id}`); lookAtFloor(); });
}

/** A table nobody can sit at: makes it free. @param {import("./sums.js").FloorTable} table */
export async function freeTable(table) {
  if (!may("tables:operate")) return;
  if (await confirm(`${t("table")} ${table.number}`, t(table.status === "CLEANING" ? "free.dirty" : "free.blocked"), t("free.go"))) await setStatus(table.id, "AVAILABLE");
}

/** Says what a table is where nobody sits. @param {import("./sums.js").FloorTable} table */
export async function tableStatus(table) {
  const to = await choose(`${t("table")} ${table.number}`, ["AVAILABLE", "RESERVED", "CLEANING", "BLOCKED"].filter((status) => status !== table.status).map((status) => ({ label: t(`set.${status}`), value: status })));
  if (!to) return;
  await setStatus(table.id, to);
  go({ at: "floor" });
}

/** @param {string} id @param {string} status */
export async function setStatus(id, status) {
  await tried(async () => { await ask("PATCH", `/tables/${id}/status`, { body: { status } }); lookAtFloor(); });
}

/** What the party tells the box to order without waiting, and what the table is. @param {import("./sums.js").FloorTable} table */
export async function sessionCode(table) {
  await tried(async () => {
    const { data } = await ask("GET", `/tables/${table.id}`);
    const code = data.currentSession?.sessionCode;
    await show(`${t("table")} ${table.number}`, (close) => [
      h("p", {}, t("code.how")), h("p", { class: "amount" }, h("span", {}, t("code")), h("b", {}, code ?? "–")),
      may("tables:operate") ? h("div", { class: "acts" }, h("button", { type: "button", onclick: () => { close(null); void setStatus(table.id, "BILL_PRINTED"); } }, t("status.bill"))) : null,
    ]);
  });
}

/** Ticks off what the party called for: somebody is there. @param {import("./sums.js").FloorTable} table */
export async function callsSeen(table) {
  await tried(async () => {
    const { data } = await ask("GET", "/notifications", { query: { unreadOnly: true, limit: 100 } });
    const calls = data.filter((/** @type {any} */ one) => one.type === "GUEST_CALL" && one.entity?.id === table.id);
    for (const call of calls) await ask("POST", `/notifications/${call.id}/read`, { body: {} });
    notices.update((list) => list.filter((one) => !calls.some((/** @type {any} */ call) => call.id === one.id)));
    lookAtFloor();
  });
}
