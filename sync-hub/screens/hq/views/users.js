// The people of head office: who they are, what they may, which outlets are theirs, where they are signed in. Nobody is given more than the one
// who gives has. Never a password that was set before.

import { confirm, show, toast } from "../../kit/dialog.js";
import { newId } from "../../kit/ids.js";
import { all, ask, user } from "../../kit/session.js";
import { h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { choices, nameOf } from "../chain.js";
import { changed } from "../model.js";
import { act, at, form, head, loaded, mark, of, table, word } from "../parts.js";
import { showResetCode } from "./staff.js";

/** @typedef {import("../parts.js").Field} Field */

const ROLES = ["SUPER_ADMIN", "OWNER", "MANAGER", "ACCOUNTANT"];

/** The roles that the one who is signed in may give. */
function roles() {
  const own = ROLES.indexOf(user.peek()?.role ?? "");
  return ROLES.slice(Math.max(0, own)).map((value) => ({ value, label: word(value) }));
}

/** @param {any | null} one @param {() => Promise<void>} again */
async function person(one, again) {
  const done = await form(one?.name ?? t("users.invite"), [
    { name: "name", required: true, value: one?.name }, { name: "email", kind: "email", required: true, value: one?.email },
    { name: "role", kind: "choice", required: true, options: roles(), value: one?.role ?? "MANAGER" },
    { name: "outlets", kind: "ticks", hint: t("users.outletsHint"), options: choices(), value: one?.outlets ?? [] },
    { name: "password", kind: "password", required: !one, hint: t(one ? "users.newPasswordHint" : "users.passwordHint"), autocomplete: "new-password" },
    ...(one ? [/** @type {Field} */ ({ name: "isActive", kind: "tick", value: one.isActive }), /** @type {Field} */ ({ name: "noTotp", kind: "tick", label: t("users.noTotp"), value: false })] : []),
  ], async (values) => {
    const { noTotp, ...rest } = values;
    if (!rest.password) delete rest.password;
    if (one) await ask("PATCH", `/hub/users/${one.id}`, { body: { ...changed(one, rest), ...(noTotp ? { totp: false } : {}) }, version: one.version });
    else await ask("POST", "/hub/users", { body: rest, key: newId() });
    toast(t("saved"));
    return true;
  }, { wide: true });
  if (done) await again();
}

/** The devices of somebody, each to be signed out. @param {string | undefined} id */
export function sessions(id) {
  return loaded(() => all("/hub/auth/sessions", { userId: id }), (list, again) => table(t("users.sessions"), [
    { label: t("f.device"), head: true, cell: (row) => [h("bdi", {}, row.deviceName ?? t("users.browser")), row.current ? h("small", {}, t("users.thisOne")) : null] },
    { label: t("f.createdAt"), cell: (row) => at(row.createdAt) }, { label: t("f.lastUsedAt"), cell: (row) => at(row.lastUsedAt) }, { label: t("f.expiresAt"), cell: (row) => at(row.expiresAt) },
    { label: "", cell: (row) => !row.current && act(t("signout"), async () => { await ask("DELETE", `/hub/auth/sessions/${row.id}`); toast(t("users.signedOut")); await again(); }, "quiet") },
  ], list)).node;
}

export function view() {
  const { node, again } = loaded(() => all("/hub/users"), (list, reload) => table(t("view.users"), [
    { label: t("f.name"), head: true, cell: (row) => h("button", { type: "button", class: "quiet start", onclick: () => void person(row, reload) }, h("bdi", {}, row.name)) },
    { label: t("signin.email"), cell: (row) => h("bdi", {}, row.email) }, { label: t("f.role"), cell: (row) => word(row.role) },
    { label: t("f.outlets"), cell: (row) => (row.role === "SUPER_ADMIN" ? t("outlets.all") : row.outlets.map(nameOf).join(", ") || "–") },
    { label: t("f.status"), cell: (row) => (row.isActive ? mark(t("active"), "good") : mark(t("inactive"))) },
    { label: "", cell: (row) => row.id !== user.peek()?.id && h("span", { class: "rowacts" },
      h("button", { type: "button", class: "quiet", onclick: () => void show(t("users.sessionsOf", { name: row.name }), () => sessions(row.id), { wide: true }) }, of(t("users.sessions"), row.name)),
      act(t("users.resetCode"), async () => {
        if (!(await confirm(t("users.resetCodeOf", { name: row.name }), t("users.resetAsk"), t("enrol.makeCode")))) return;
        await showResetCode((await ask("POST", `/hub/users/${row.id}/reset-code`, { key: newId() })).data);
      }, "quiet", row.name)) },
  ], list));
  return [head(t("view.users"), t("users.hint"), h("button", { type: "button", class: "main", onclick: () => void person(null, again) }, t("users.invite"))), node];
}
