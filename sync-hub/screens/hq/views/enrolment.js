// Codes by which a box becomes an outlet's: a new outlet, or a box in the place of another. A code is shown once. Never a box's key.

import { confirm, show, toast } from "../../kit/dialog.js";
import { newId } from "../../kit/ids.js";
import { ask, may } from "../../kit/session.js";
import { h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { nameOf, names, outletOf, readOutlets } from "../chain.js";
import { Wrong, act, at, awaited, copy, form, head, loaded, mark, of, table } from "../parts.js";

/** Shows a code with what to type at the box. @param {{ code: string, expiresAt: string, outletId: string | null }} made */
export function showCode(made) {
  const command = `edge enroll --data-dir DIR --hub ${location.origin} --code ${made.code}${made.outletId ? " --replace" : ""}`;
  return show(t("enrol.code"), () => [
    h("p", { class: "code" }, h("code", {}, made.code)),
    h("p", {}, t(made.outletId ? "enrol.replaceHint" : "enrol.codeHint", { time: at(made.expiresAt) })),
    h("pre", { class: "sheet", tabindex: "0" }, h("code", {}, command)),
    h("div", { class: "acts" }, h("button", { type: "button", onclick: () => void copy(command) }, t("enrol.copyCommand")), h("button", { type: "button", class: "main", onclick: () => void copy(made.code) }, t("enrol.copyCode"))),
  ]);
}

/** Makes a code and shows it. @param {string | null} outletId */
export async function makeCode(outletId) {
  const { data } = await ask("POST", "/hub/enrolments", { body: outletId ? { outletId } : {}, key: newId() });
  await showCode(data);
}

/** Asks first: a box that is replaced is the outlet's no more. @param {{ id: string, name: string }} outlet */
export async function replaceBox(outlet) {
  if (await confirm(t("enrol.replaceOf", { name: outlet.name }), t("enrol.replaceWarning"), t("enrol.makeCode"))) await makeCode(outlet.id);
}

/** Takes an outlet's key away. @param {{ id: string, name: string, code: string }} outlet */
export async function revoke(outlet) {
  const done = await form(t("enrol.revokeOf", { name: outlet.name }), [{ name: "typed", label: t("enrol.typeCode", { code: outlet.code }), required: true, full: true }], async ({ typed }) => {
    if (typed !== outlet.code) throw new Wrong(t("enrol.wrongCode"));
    await ask("DELETE", `/hub/enrolments/${outlet.id}`);
    return true;
  }, { act: t("enrol.revoke"), bad: true, about: h("p", { class: "bad" }, t("enrol.revokeWarning")) });
  if (done) { toast(t("enrol.revoked")); await readOutlets(); }
}

/** @param {{ id: string }} outlet */
const isRevoked = ({ id }) => outletOf(id)?.standing === "REVOKED";

export function view() {
  const { node, again } = loaded(() => ask("GET", "/hub/enrolments"), ({ data }, reload) => {
    awaited(data.length > 0, reload, 5_000);
    return table(t("enrol.waiting"), [
      { label: t("f.for"), head: true, cell: (row) => (row.outletId ? t("enrol.forOutlet", { name: nameOf(row.outletId) }) : t("enrol.forNew")) },
      { label: t("f.madeBy"), cell: (row) => h("bdi", {}, row.createdBy) },
      { label: t("f.createdAt"), cell: (row) => at(row.createdAt) },
      { label: t("f.expiresAt"), cell: (row) => at(row.expiresAt) },
      { label: "", cell: (row) => act(t("enrol.withdraw"), async () => { await ask("DELETE", `/hub/enrolments/${row.id}`); toast(t("enrol.withdrawn")); await reload(); }, "quiet") },
    ], data, t("enrol.noneWaiting"));
  });
  return [
    head(t("view.enrolment"), t("enrol.hint"), may("outlets:create") && act(t("enrol.new"), async () => { await makeCode(null); await Promise.all([again(), readOutlets()]); }, "main")),
    h("h2", {}, t("enrol.waiting")), node,
    h("h2", {}, t("enrol.outlets")),
    () => table(t("enrol.outlets"), [
      { label: t("f.outlet"), head: true, cell: (row) => h("a", { href: `#/outlet/${row.id}/exchange` }, h("bdi", {}, row.name), ` (${row.code})`) },
      { label: t("f.status"), cell: (row) => () => (isRevoked(row) ? mark(t("trouble.REVOKED"), "bad") : outletOf(row.id)?.online ? mark(t("online"), "good") : mark(t("offline"), "bad")) },
      { label: "", cell: (row) => h("span", { class: "rowacts" },
        h("button", { type: "button", onclick: () => void replaceBox(row).then(again) }, of(t("enrol.replace"), row.name)),
        h("button", { type: "button", class: "quiet", hidden: () => isRevoked(row), onclick: () => void revoke(row) }, of(t("enrol.revoke"), row.name))) },
    ], names(), t("overview.empty")),
  ];
}
