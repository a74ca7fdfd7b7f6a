// One's own password, PIN and second factor. What is typed here is sent and forgotten; a secret is shown once.

import { h } from "../kit/view.js";
import { choose, show, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { edit } from "./form.js";
import { send } from "./store.js";

/** Asks what to change. */
export async function own() {
  const what = await choose(t("self"), ["password", "pin", "totp"].map((value) => ({ value, label: t(`self.${value}`) })));
  if (what === "password") {
    if (await edit(t("self.password"), { fields: [{ name: "currentPassword", kind: "secret", need: true }, { name: "newPassword", kind: "secret", need: true, hint: "account.password.hint" }], save: (typed) => send("POST", "/auth/change-password", typed) })) toast(t("saved"));
  } else if (what === "pin") {
    if (await edit(t("self.pin"), { fields: [{ name: "employeePin", kind: "secret", need: true }, { name: "pin", label: t("f.newPin"), kind: "secret", need: true, hint: "person.pin.hint" }], save: (typed) => send("PUT", "/auth/pin", typed) })) toast(t("saved"));
  } else if (what === "totp") {
    const made = await edit(t("self.totp"), { note: h("p", {}, t("self.totp.text")), fields: [{ name: "currentPassword", kind: "secret", need: true }], act: t("self.totp"), save: (typed) => send("POST", "/auth/totp", typed) });
    if (made?.secret) await show(t("self.totp"), () => [h("p", {}, t("self.totp.once")), h("p", { class: "code" }, made.secret), h("p", {}, h("a", { href: made.uri }, t("self.totp.open")))]);
  }
}
