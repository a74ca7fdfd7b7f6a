// How one comes in: by the cookie that the browser has, by one tap at a demonstration, by e-mail and password with the authenticator's code, or
// with a code for a new password. Never keeps what was typed.

import { ApiError, request } from "../kit/api.js";
import { said } from "../kit/pin.js";
import { resume, signIn, signInAt, state, user } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { has, t } from "../kit/words.js";

/** @param {() => import("../kit/view.js").Child} draw what is shown once somebody is in */
export function door(draw) {
  signInAt("/hub/auth");
  void resume();
  setInterval(() => { if (state.peek() === "away") void resume(); }, 3_000);
  return () => {
    if (user()) return draw();
    switch (state()) {
      case "asking": return h("main", { class: "centre" }, h("p", { role: "status" }, t("opening")));
      case "away": return h("main", { class: "centre" }, h("h1", {}, t("office.silent")), h("p", { role: "status" }, t("box.trying")));
      default: return entrance();
    }
  };
}

/** The password of a demonstration's accounts; absent at a real head office. */
function samplePassword() { return document.getElementById("screen")?.dataset.sample ?? null; }

function entrance() {
  const step = signal(/** @type {"password" | "code" | "reset" | "authenticator"} */ ("password"));
  const wrong = signal(""), note = signal(""), busy = signal(false);
  /** What is needed again when the code is asked for; gone with this form. @type {{ email: string, password: string }} */
  let typed = { email: "", password: "" };
  const secret = signal(/** @type {{ secret: string, uri: string } | null} */ (null));

  /** @param {() => Promise<void>} work */
  async function go(work) {
    if (busy.peek()) return;
    busy.set(true);
    wrong.set("");
    try {
      await work();
    } catch (error) {
      if (error instanceof ApiError && error.code === "ERR_TOTP_REQUIRED") { note.set(t("door.codeNeeded")); step.set("code"); }
      else wrong.set(error instanceof ApiError && has(`refused.${error.code}`) ? t(`refused.${error.code}`) : said(error));
    } finally {
      busy.set(false);
    }
  }
  /** @param {(given: FormData) => Promise<void>} work */
  const submit = (work) => (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    void go(() => work(given));
  };
  /** @param {"password" | "code" | "reset" | "authenticator"} next */
  const to = (next) => { wrong.set(""); note.set(""); step.set(next); };
  const sample = samplePassword();

  /** @param {string} name @param {string} text @param {Record<string, any>} more */
  const field = (name, text, more) => h("label", {}, text, h("input", { name, required: true, ...more }));
  const email = () => field("email", t("signin.email"), { type: "email", autocomplete: "username", value: typed.email });
  const secretField = () => field("password", t("signin.secret"), { type: "password", autocomplete: "current-password", value: typed.password });
  const button = (/** @type {string} */ text) => h("button", { class: "main", disabled: busy }, text);
  const link = (/** @type {string} */ text, /** @type {any} */ next) => h("button", { type: "button", class: "quiet", onclick: () => to(next) }, text);
  const keep = (/** @type {FormData} */ given) => { typed = { email: String(given.get("email")), password: String(given.get("password")) }; };

  const forms = {
    password: () => h("form", { onsubmit: submit(async (given) => { keep(given); await signIn(typed.email, typed.password); }) },
      email(), secretField(), button(t("signin.go")),
      h("div", { class: "links" }, link(t("door.lost"), "reset"), link(t("door.newAuthenticator"), "authenticator"))),
    code: () => h("form", { onsubmit: submit(async (given) => { await signIn(typed.email, typed.password, String(given.get("code")).trim()); }) },
      h("p", {}, t("door.codeHint")), field("code", t("signin.code"), { inputmode: "numeric", autocomplete: "one-time-code", maxlength: 10 }), button(t("signin.go")),
      h("div", { class: "links" }, link(t("door.newAuthenticator"), "authenticator"), link(t("back"), "password"))),
    reset: () => h("form", {
      onsubmit: submit(async (given) => {
        await request("POST", "/hub/auth/reset-password", { body: { token: String(given.get("token")), newPassword: String(given.get("newPassword")) } });
        to("password");
        note.set(t("door.passwordSet"));
      }),
    }, h("p", {}, t("door.resetHint")), field("token", t("door.resetCode"), { autocomplete: "one-time-code" }),
    field("newPassword", t("f.newPassword"), { type: "password", autocomplete: "new-password", minlength: 10 }), button(t("door.setPassword")), h("div", { class: "links" }, link(t("back"), "password"))),
    authenticator: () => h("form", {
      onsubmit: submit(async (given) => {
        keep(given);
        secret.set((await request("POST", "/hub/auth/totp", { body: typed })).data);
        note.set(t("door.secretHint"));
        step.set("code");
      }),
    }, h("p", {}, t("door.authenticatorHint")), email(), secretField(), button(t("door.makeSecret")), h("div", { class: "links" }, link(t("back"), "password"))),
  };
  return h("main", { class: "centre signin" },
    h("h1", {}, t("hq.title")),
    sample && h("section", { class: "card" }, h("p", {}, t("door.sample")),
      h("button", { type: "button", class: "main", disabled: busy, onclick: () => void go(() => signIn("admin@chain.test", sample)) }, t("role.super-admin"))),
    h("h2", {}, () => t(`door.${step()}`)),
    h("p", { class: "good", role: "status", hidden: () => !note() }, () => note()),
    () => { const made = secret(); return made && step() === "code" && h("div", { class: "card secret" }, h("code", {}, made.secret.replace(/(.{4})/g, "$1 ").trim()), h("a", { class: "button", href: made.uri }, t("door.openAuthenticator"))); },
    () => forms[step()](),
    h("p", { class: "wrong", role: "alert" }, () => wrong()),
    h("p", { class: "foot" }, h("a", { href: "/docs" }, t("door.docs")), " · ", h("a", { href: "/certificate" }, t("door.certificate"))));
}
