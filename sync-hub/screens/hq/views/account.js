// One's own: who one is, the password, the second factor, the devices that are signed in. Never anybody else's.

import { request } from "../../kit/api.js";
import { show, toast } from "../../kit/dialog.js";
import { ask, user } from "../../kit/session.js";
import { h } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { chooseLook } from "../look.js";
import { copy, form, head, pairs, word } from "../parts.js";
import { sessions } from "./users.js";

async function changePassword() {
  await form(t("account.password"), [
    { name: "currentPassword", kind: "password", required: true, full: true, autocomplete: "current-password" }, { name: "newPassword", kind: "password", required: true, full: true, autocomplete: "new-password", hint: t("users.passwordHint") },
  ], async (values) => {
    await ask("POST", "/hub/auth/change-password", { body: values });
    toast(t("account.passwordSet"));
    return true;
  });
}

async function authenticator() {
  /** @type {{ secret: string, uri: string } | null} */
  let made = null;
  await form(t("account.authenticator"), [{ name: "password", kind: "password", label: t("signin.secret"), required: true, full: true, autocomplete: "current-password" }], async ({ password }) => {
    made = (await request("POST", "/hub/auth/totp", { body: { email: user.peek()?.email, password } })).data;
    return true;
  }, { act: t("door.makeSecret"), about: h("p", {}, t("account.authenticatorHint")) });
  const { secret, uri } = /** @type {any} */ (made) ?? {};
  if (secret) await show(t("account.authenticator"), () => [h("p", {}, t("door.secretHint")), h("p", { class: "code" }, h("code", {}, secret.replace(/(.{4})/g, "$1 ").trim())), h("div", { class: "acts" }, h("button", { type: "button", onclick: () => void copy(secret) }, t("enrol.copyCode")), h("a", { class: "button main", href: uri }, t("door.openAuthenticator")))]);
}

export function view() {
  const own = /** @type {NonNullable<ReturnType<typeof user>>} */ (user.peek());
  return [
    head(t("view.account")),
    h("section", { class: "card" }, pairs([[t("f.name"), h("bdi", {}, own.name)], [t("signin.email"), h("bdi", {}, own.email)], [t("f.role"), word(own.role)], [t("f.outlets"), own.outlets.map(({ name }) => name).join(", ") || "–"]]),
      h("div", { class: "acts start" }, h("button", { type: "button", onclick: () => void changePassword() }, t("account.password")), h("button", { type: "button", onclick: () => void authenticator() }, t("account.authenticator")), h("button", { type: "button", onclick: () => void chooseLook() }, t("look")))),
    h("h2", {}, t("users.sessions")), sessions(undefined),
    h("p", { class: "foot" }, h("a", { href: "/docs" }, t("door.docs")), " · ", h("a", { href: "/certificate" }, t("door.certificate"))),
  ];
}
