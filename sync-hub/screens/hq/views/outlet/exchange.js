// How an outlet's box stands with head office: what waits, what it says is wrong with it, its boxes, two boxes that speak for one outlet, rows put aside, what could not be put
// back, what a replaced box still had. What is decided here is asked once more. Never a key.

import { confirm, show, toast } from "../../../kit/dialog.js";
import { newId } from "../../../kit/ids.js";
import { inWords } from "../../../kit/refused.js";
import { all, ask, may } from "../../../kit/session.js";
import { day } from "../../../kit/time.js";
import { h, signal } from "../../../kit/view.js";
import { t } from "../../../kit/words.js";
import { ofOutlet, outletOf, readOutlets } from "../../chain.js";
import { troublesOf } from "../../model.js";
import { act, at, awaited, form, label, loaded, mark, number, pairs, shown, table, word } from "../../parts.js";
import { clockWord } from "../boxes.js";
import { columnWord, tableWord, valueWord } from "../conflicts.js";
import { replaceBox, revoke } from "../enrolment.js";
import { troubleWord } from "../overview.js";

/** @typedef {import("../../model.js").Outlet} Outlet */

/** @param {Outlet} outlet */
function health(outlet) {
  const now = () => outletOf(outlet.id) ?? outlet;
  return h("section", { class: "card" }, h("h2", {}, t("exchange.health")),
    () => { const troubles = troublesOf(now(), undefined); return h("ul", { class: "marks" }, ...(troubles.length ? troubles.map((one) => h("li", {}, mark(troubleWord(one), one.level))) : [h("li", {}, mark(t("allWell"), "good"))])); },
    () => pairs([
      [t("f.online"), now().online ? mark(t("online"), "good") : mark(t("offline"), "bad")], [t("f.lastSeenAt"), at(now().lastSeenAt)], [t("f.standing"), word(now().standing)], [t("f.rowsWaiting"), number(now().rowsWaiting)],
      [t("f.lagSeconds"), number(now().lagSeconds)], [t("f.asOf"), at(now().asOf)], [t("f.position"), number(now().position)], [t("f.digest"), now().digest ? t(`digest.${now().digest}`) : "–"], [t("f.digestAgreedAt"), at(now().digestAgreedAt)],
      [t("f.clock"), clockWord(now().clockOffsetMs)], [t("f.version"), now().version ?? "–"], [t("f.schema"), number(now().schema)], [t("f.feed"), t("of", { n: now().feedArrived, of: now().feed })], [t("f.timezone"), now().timezone], [t("f.currency"), now().currency],
    ]),
    may("outlets:write") && h("div", { class: "acts start" }, h("button", { type: "button", onclick: () => void replaceBox(now()) }, t("enrol.replace")), () => now().standing !== "REVOKED" && h("button", { type: "button", class: "quiet", onclick: () => void revoke(now()) }, t("enrol.revoke"))));
}

/** @param {Outlet} outlet */
function boxes(outlet) {
  return loaded(async () => (await ask("GET", `/hub/outlets/${outlet.id}`)).data, (detail, again) => [
    h("h2", {}, t("exchange.notices")), table(t("exchange.notices"), [
      { label: t("f.at"), head: true, cell: (row) => at(row.updatedAt) }, { label: t("f.severity"), cell: (row) => mark(word(row.severity), row.severity === "CRITICAL" ? "bad" : "warn") }, { label: t("f.title"), cell: (row) => [h("b", {}, inWords(row.title)), h("small", {}, inWords(row.body))] },
    ], detail.troubles, t("exchange.noNotices")),
    detail.forks.length > 0 && [h("h2", {}, t("exchange.forks")), h("p", { class: "hint" }, t("exchange.forksHint")), table(t("exchange.forks"), [
      { label: t("f.device"), head: true, cell: (row) => row.deviceId }, { label: t("f.headSeq"), number: true, cell: (row) => number(row.headSeq) }, { label: t("f.seenAt"), cell: (row) => at(row.seenAt) },
      { label: t("f.status"), cell: (row) => (row.accepted === null ? mark(t("fork.open"), "bad") : t(row.accepted ? "fork.accepted" : "fork.refused")) },
      { label: "", cell: (row) => row.accepted === null && may("outlets:write") && h("span", { class: "rowacts" }, ...[true, false].map((accept) => act(t(accept ? "fork.accept" : "fork.refuse"), async () => {
        if (!(await confirm(t(accept ? "fork.accept" : "fork.refuse"), t(accept ? "fork.acceptHint" : "fork.refuseHint"), t(accept ? "fork.accept" : "fork.refuse"), { bad: !accept }))) return;
        await ask("POST", `/hub/outlets/${outlet.id}/forks/${row.epoch}`, { body: { accept }, key: newId() });
        await Promise.all([again(), readOutlets()]);
      }))) },
    ], detail.forks)],
    detail.differing.length > 0 && [h("h2", {}, t("exchange.differing")), h("ul", {}, ...detail.differing.map((/** @type {any} */ one) => h("li", {}, `${tableWord(String(one.table ?? ""))} ${one.day ? day(one.day, "UTC") : ""}`)))],
    h("h2", {}, t("exchange.boxes")), table(t("exchange.boxes"), [
      { label: t("f.device"), head: true, cell: (row) => h("code", {}, row.deviceId) }, { label: t("f.enrolledAt"), cell: (row) => at(row.enrolledAt) }, { label: t("f.endedAt"), cell: (row) => at(row.endedAt) }, { label: t("f.status"), cell: (row) => (row.endedAs ? mark(word(row.endedAs)) : mark(t("exchange.speaks"), "good")) },
    ], detail.boxes),
  ]).node;
}

/** @param {Outlet} outlet */
function quarantine(outlet) {
  return loaded(() => all(`/hub/outlets/${outlet.id}/quarantine`), (list, again) => list.length > 0 && [h("h2", {}, t("exchange.quarantine")), h("p", { class: "hint" }, t("exchange.quarantineHint")), table(t("exchange.quarantine"), [
    { label: t("f.position"), head: true, cell: (row) => number(row.seq) }, { label: t("f.at"), cell: (row) => at(row.at) }, { label: t("f.reason"), cell: (row) => row.reason },
    { label: "", cell: (row) => may("outlets:write") && act(t("exchange.seen"), async () => {
      const done = await form(t("exchange.seen"), [{ name: "note", kind: "long" }], (body) => ask("POST", `/hub/outlets/${outlet.id}/quarantine/${row.epoch}/${row.seq}/dismiss`, { body, key: newId() }));
      if (done) await Promise.all([again(), readOutlets()]);
    }) },
  ], list)]).node;
}

/** What a row has, by the names of its columns. @param {any} values @param {Outlet} outlet */
function values(values, outlet) { return pairs(Object.entries(values ?? {}).map(([column, value]) => [columnWord(column), h("bdi", {}, valueWord(value, column, outlet.currency))])); }

/** @param {Outlet} outlet */
function reviews(outlet) {
  const state = signal("OPEN");
  return [h("header", { class: "section" }, h("h2", {}, t("exchange.reviews")), toggle(state)), loaded(() => all(`/hub/outlets/${outlet.id}/reviews`, { state: state() }), (list) => table(t("exchange.reviews"), [
    { label: t("f.table"), head: true, cell: (row) => tableWord(row.tableName) }, { label: t("f.at"), cell: (row) => at(row.at) }, { label: t("f.reason"), cell: (row) => word(row.reason) },
    { label: t("f.status"), cell: (row) => (row.resolvedAt ? at(row.resolvedAt) : mark(t("review.open"), "warn")) },
    { label: "", cell: (row) => h("button", { type: "button", class: "quiet", onclick: () => void show(t("review.both"), () => h("div", { class: "columns" }, h("section", {}, h("h3", {}, t("review.kept")), values(row.kept, outlet)), h("section", {}, h("h3", {}, t("review.lost")), values(row.lost, outlet))), { wide: true }) }, t("review.both")) },
  ], list, t("review.none"))).node, h("p", { class: "hint" }, t("review.hint"))];
}

/** @param {ReturnType<typeof signal<string>>} state */
function toggle(state) { return h("div", { class: "segments", role: "group", "aria-label": t("f.status") }, ...["OPEN", "ALL"].map((value) => h("button", { type: "button", "aria-pressed": () => String(state() === value), onclick: () => state.set(value) }, t(`conflict.${value}`)))); }

/** @param {Outlet} outlet */
function salvage(outlet) {
  const state = signal("OPEN"), chosen = signal(/** @type {Set<string>} */ (new Set()));
  const take = async (/** @type {string[] | null} */ rowIds, /** @type {() => Promise<void>} */ again) => {
    const done = await form(t("salvage.take"), [{ name: "note", kind: "long" }], async ({ note }) => {
      const { data } = await ask("POST", `/hub/outlets/${outlet.id}/salvage/take`, { body: { rowIds, note }, key: newId() });
      toast(t("salvage.ordered", { n: data.rows }));
      return true;
    }, { act: t("salvage.take"), about: h("p", {}, t(rowIds ? "salvage.someHint" : "salvage.allHint", { n: rowIds?.length ?? 0 })) });
    if (done) { chosen.set(new Set()); await Promise.all([again(), readOutlets()]); }
  };
  return [h("header", { class: "section" }, h("h2", {}, t("exchange.salvage")), toggle(state)), h("p", { class: "hint" }, t("salvage.hint")),
    loaded(() => all(`/hub/outlets/${outlet.id}/salvage`, { state: state() }), (list, again) => {
      // What was ordered is on its way until the branch's own log says that it was taken over.
      awaited(list.some((/** @type {any} */ row) => row.state === "ORDERED"), again);
      return [
      list.length > 0 && may("outlets:write") && h("div", { class: "acts start" }, h("button", { type: "button", disabled: () => chosen().size === 0, onclick: () => void take([...chosen.peek()], again) }, () => t("salvage.takeSome", { n: chosen().size })), h("button", { type: "button", onclick: () => void take(null, again) }, t("salvage.takeAll"))),
      table(t("exchange.salvage"), [
        { label: t("f.table"), head: true, cell: (row) => h("label", { class: "tick" }, row.state === "WAITING" && may("outlets:write") ? h("input", { type: "checkbox", checked: chosen.peek().has(row.rowId), onchange: (/** @type {Event} */ event) => chosen.update((before) => { const next = new Set(before); if (/** @type {HTMLInputElement} */ (event.target).checked) next.add(row.rowId); else next.delete(row.rowId); return next; }) }) : null, tableWord(row.table)) },
        { label: t("f.what"), cell: (row) => word(row.change) }, { label: t("f.receivedAt"), cell: (row) => at(row.receivedAt) }, { label: t("f.status"), cell: (row) => word(row.state) },
        { label: "", cell: (row) => h("button", { type: "button", class: "quiet", onclick: () => void show(tableWord(row.table), () => values(row.values, outlet)) }, t("salvage.look")) },
      ], list, t("salvage.none")),
      ];
    }).node];
}

/** @param {Outlet} outlet */
export function view(outlet) {
  return [
    health(outlet), boxes(outlet), quarantine(outlet), reviews(outlet), salvage(outlet),
    may("outlets:read") && h("details", {}, h("summary", {}, t("exchange.settings")), loaded(() => ofOutlet(outlet.id, `/outlets/${outlet.id}`), ({ data }) => pairs(Object.entries(data).filter(([, value]) => value === null || typeof value !== "object").map(([name, value]) => [label(name), shown(value, typeof value === "boolean" ? "yes" : "text")]))).node),
  ];
}
