// A password that is forgotten: asks for a code by e-mail, and sets another with a code, which a manager may also have made. Loaded when it is
// needed; what is typed is sent and forgotten. Never says whether there is such an account.

import { h, signal } from "./view.js";
import { said } from "./pin.js";
import { show, toast } from "./dialog.js";
import { askForCode, mailsCodes, resetPassword } from "./session.js";
import { t } from "./words.js";

/** @param {string} email what was typed so far */
export function forgot(email) {
  const step = signal(/** @type {"mail" | "code"} */ (mailsCodes() ? "mail" : "code"));
  return show(t("forgot"), (close) => () => (step() === "mail"
    ? form(t("forgot.mail.text"), [["email", "email", t("signin.email"), email]], t("forgot.mail"), async (given) => { await askForCode(given.email); step.set("code"); toast(t("forgot.mailed")); },
      h("button", { type: "button", onclick: () => step.set("code") }, t("forgot.have")))
    : form(t("forgot.code.text"), [["token", "text", t("forgot.code"), ""], ["newPassword", "password", t("forgot.new"), ""]], t("forgot.set"), async (given) => { await resetPassword(given.token, given.newPassword); toast(t("forgot.done")); close(true); })));
}

/** @param {string} text @param {[name: string, type: string, label: string, value: string][]} fields @param {string} act @param {(given: Record<string, string>) => Promise<void>} work @param {Node} [more] */
function form(text, fields, act, work, more) {
  const wrong = signal(""), busy = signal(false);
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (busy.peek()) return;
    busy.set(true);
    wrong.set("");
    try {
      await work(Object.fromEntries([...new FormData(/** @type {HTMLFormElement} */ (event.target))].map(([name, value]) => [name, String(value)])));
    } catch (error) {
      wrong.set(said(error));
    } finally {
      busy.set(false);
    }
  }
  return h("form", { onsubmit: submit }, h("p", {}, text),
    ...fields.map(([name, type, label, value]) => h("label", {}, label, h("input", { name, type, value, required: true, autocomplete: type === "password" ? "new-password" : type === "email" ? "username" : "one-time-code" }))),
    h("p", { class: "wrong", role: "alert" }, () => wrong()),
    h("div", { class: "acts" }, more ?? null, h("button", { class: "main", disabled: busy }, act)));
}
