// How a screen comes to be signed in: by the cookie it has, as a device that a manager lets in, or by e-mail and password. Draws what it is
// given once somebody is in, and keeps it drawn while the server is away.

import { ApiError } from "./api.js";
import { keepAwake, keepPage } from "./keep.js";
import { resume, signIn, state, user } from "./session.js";
import { isAway } from "./stream.js";
import { computed, h, signal } from "./view.js";
import { said } from "./pin.js";
import { t } from "./words.js";

/** The password of the sample accounts; absent at a real branch. */
function samplePassword() { return document.getElementById("screen")?.dataset.sample ?? null; }

/**
 * @param {{ draw: () => import("./view.js").Child, roles: string[], pairs?: string, last?: () => Promise<void> }} how `roles`: the sample accounts
 * that are offered first; `pairs`: the kind of device this screen can be, such as `POS`; `last`: shows what was kept, where the server is away when
 * the page is loaded.
 */
export function signedIn({ draw, roles, pairs, last }) {
  void resume().then(() => { if (state.peek() === "away") { isAway.set(true); void last?.(); } });
  keepPage();
  keepAwake();
  const again = setInterval(() => { if (state.peek() === "away") void resume(); }, 3_000);
  void again;
  // The same one, answered for by the server, is not drawn anew.
  const who = computed(() => user()?.id ?? null);
  return () => {
    if (who()) return draw();
    switch (state()) {
      case "asking": return h("main", { class: "centre" }, h("p", { role: "status" }, t("opening")));
      case "away": return h("main", { class: "centre" }, h("h1", {}, t("box.away")), h("p", { role: "status" }, t("box.trying")));
      default: return form(roles, pairs);
    }
  };
}

/** @param {string[]} roles @param {string} [pairs] */
function form(roles, pairs) {
  const wrong = signal(""), busy = signal(false), asksCode = signal(false);
  /** @param {string} email @param {string} password @param {string} [code] */
  async function go(email, password, code) {
    if (busy.peek()) return;
    busy.set(true);
    wrong.set("");
    try {
      await signIn(email, password, code);
    } catch (error) {
      if (error instanceof ApiError && error.code === "ERR_TOTP_REQUIRED") asksCode.set(true);
      else wrong.set(said(error));
    } finally {
      busy.set(false);
    }
  }
  const sample = samplePassword();
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    void go(String(given.get("email")), String(given.get("password")), String(given.get("code") ?? "") || undefined);
  }
  /** @param {any} event */
  function forget(event) {
    const typed = String(new FormData(event.target.form).get("email") ?? "");
    import("./forgot.js").then((module) => module.forgot(typed), (error) => wrong.set(said(error)));
  }
  return h("main", { class: "centre signin" },
    h("h1", {}, t("signin")),
    sample && h("div", { class: "sample" }, h("p", {}, t("signin.sample")),
      h("div", { class: "choices" }, ...roles.map((role) =>
        h("button", { type: "button", disabled: busy, onclick: () => go(`${role}@sample.test`, sample) }, t(`role.${role}`))))),
    pairs && h("p", {}, h("a", { class: "button main", href: `/pair?kind=${pairs}` }, t("signin.pair"))),
    h("details", { open: !sample && !pairs },
      h("summary", {}, t("signin.password")),
      h("form", { onsubmit: submit },
        h("label", {}, t("signin.email"), h("input", { name: "email", type: "email", autocomplete: "username", required: true })),
        h("label", {}, t("signin.secret"), h("input", { name: "password", type: "password", autocomplete: "current-password", required: true })),
        () => asksCode() && h("label", {}, t("signin.code"), h("input", { name: "code", inputmode: "numeric", autocomplete: "one-time-code", required: true })),
        h("div", { class: "acts start" }, h("button", { class: "main", disabled: busy }, t("signin.go")), h("button", { type: "button", class: "quiet", onclick: forget }, t("forgot"))))),
    h("p", { class: "wrong", role: "alert" }, () => wrong()));
}

