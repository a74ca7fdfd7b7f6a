// One person: what they are hired as, their wage over time, their papers, their account and PIN, leave that is left. A PIN and a password are sent and
// forgotten; a reset code is shown once.

import { ask, may, user } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { h } from "../kit/view.js";
import { newId } from "../kit/ids.js";
import { show, toast } from "../kit/dialog.js";
import { said } from "../kit/pin.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, word } from "./parts.js";
import { advance, checkout, seesCheckout } from "./checkout.js";
import { amount, cash, date, from, send, today, when } from "./store.js";
import { at } from "./route.js";
import { change } from "./resource.js";
import { edit } from "./form.js";
import { save } from "./files.js";
import { files } from "./imports.js";
import { listed, table } from "./list.js";

const ROLES = ["OWNER", "MANAGER", "CASHIER", "WAITER", "KITCHEN", "STOREKEEPER", "ACCOUNTANT"];

/** @returns {import("./resource.js").Resource} */
export function employees() {
  return {
    name: "staff", path: "/employees", right: "employees:write", search: true, removes: false, extra: (again) => files("staff", again), href: (row) => at("people", "staff", row.id),
    filters: [{ name: "status", values: ["ACTIVE", "ON_LEAVE", "ENDED"], words: "employed", start: "ACTIVE" }],
    shape: (typed, row) => (row ? typed : Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null))),
    fields: [{ name: "name", need: true }, { name: "jobTitle", need: true }, { name: "employmentType", kind: "choice", need: true, values: ["FULL_TIME", "PART_TIME", "CASUAL", "CONTRACT", "TRAINEE"], fresh: () => "FULL_TIME" }, { name: "payBasis", kind: "choice", need: true, values: ["HOURLY", "MONTHLY"], fresh: () => "HOURLY" }, { name: "hourlyRateCents", kind: "money", empty: 0, hint: "person.hourly.hint" }, { name: "monthlySalaryCents", kind: "money", empty: 0 }, { name: "dayMinutes", kind: "number", hint: "person.day.hint" }, { name: "phone" }, { name: "email" }, { name: "station" }, { name: "tillRole", kind: "choice", values: ROLES, words: "roles", hint: "person.tillRole.hint" }, { name: "hiredOn", kind: "date" }],
    columns: [{ name: "name" }, { name: "jobTitle" }, { name: "status", kind: "badge", words: "employed" }, { name: "tillRole", kind: "word", words: "roles" }, { name: "phone" }, { name: "hasPin", kind: "yes" }, { name: "hourlyRateCents", kind: "money" }],
  };
}

/** @param {string} id */
export function person(id) {
  const writes = may("employees:write");
  return loaded(async () => (await ask("GET", `/employees/${id}`)).data, (one, again) => [
    head(one.name, h("a", { class: "button", href: at("people", "staff") }, t("back")), writes ? [
      h("button", { type: "button", onclick: async () => { if (await change(employees(), one)) again(); } }, t("change")),
      h("button", { type: "button", onclick: () => void pin(one).then(again) }, t("person.pin")),
      may("cash:operate") && one.status !== "ENDED" ? act(t("advance"), () => advance(one)) : null,
      one.status !== "ENDED" ? h("button", { type: "button", onclick: async () => {
        if (await edit(t("person.end"), { act: t("person.end"), note: h("p", {}, t("person.end.text")), fields: [{ name: "endedOn", kind: "date", need: true, fresh: () => today() }], save: (typed) => send("PATCH", `/employees/${id}`, { ...typed, status: "ENDED" }, one.version) })) { toast(t("saved")); again(); }
      } }, t("person.end")) : null] : null),
    facts([[t("f.status"), badge("employed", one.status)], [t("f.jobTitle"), one.jobTitle], [t("f.employmentType"), word("employmentType", one.employmentType)], [t("f.employeeCode"), one.employeeCode], [t("f.payBasis"), word("payBasis", one.payBasis)], [t("f.hourlyRateCents"), one.hourlyRateCents ? cash(one.hourlyRateCents) : null], [t("f.monthlySalaryCents"), one.monthlySalaryCents ? cash(one.monthlySalaryCents) : null], [t("f.tillRole"), one.tillRole ? word("roles", one.tillRole) : null], [t("f.phone"), one.phone], [t("f.email"), one.email], [t("f.station"), one.station], [t("f.hiredOn"), one.hiredOn ? date(one.hiredOn) : null], [t("f.endedOn"), one.endedOn ? date(one.endedOn) : null], [t("f.hasPin"), t(one.hasPin ? "yes" : "no")]]),
    h("div", { class: "columns wideCards" }, may("accounts:manage") ? account(one) : null, may("leave:approve") ? balances(one) : null),
    seesCheckout(user.peek()?.employeeId === id) ? [h("h2", {}, t("checkout")), checkout(id)] : null,
    writes ? [h("h2", {}, t("person.wages")), listed({ path: `/employees/${id}/wages`, caption: t("person.wages"), columns: [{ name: "effectiveAt", kind: "moment" }, { name: "payBasis", kind: "word" }, { name: "hourlyRateCents", kind: "money" }, { name: "monthlySalaryCents", kind: "money" }] }), papers(one)] : null,
  ]);
}

/** @param {any} one */
async function pin(one) {
  if (await edit(t("person.pin.of", { name: one.name }), { act: t("save"), fields: [{ name: "pin", kind: "secret", need: true, hint: "person.pin.hint" }], save: (typed) => send("PUT", `/employees/${one.id}/pin`, typed) })) toast(t("saved"));
}

/** The account somebody signs in with. @param {any} one */
function account(one) {
  const read = async () => {
    try { return (await ask("GET", `/employees/${one.id}/account`)).data; } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  };
  return h("section", { class: "card" }, h("h2", {}, t("account")), loaded(read, (has, again) => (has === null ? [
    h("p", { class: "hint" }, t("account.none")),
    h("button", { type: "button", onclick: async () => {
      if (await edit(t("account.add"), { fields: [{ name: "email", need: true }, { name: "password", kind: "secret", need: true, hint: "account.password.hint" }, { name: "role", kind: "choice", need: true, values: ROLES, words: "roles" }], save: (typed) => send("POST", `/employees/${one.id}/account`, typed) })) { toast(t("saved")); again(); }
    } }, t("account.add")),
  ] : [
    facts([[t("f.email"), has.email], [t("f.role"), word("roles", has.role)], [t("f.active"), t(has.active ? "yes" : "no")], [t("f.totp"), t(has.totp ? "yes" : "no")]]),
    h("div", { class: "acts" },
      h("button", { type: "button", onclick: async () => { if (await edit(t("account"), { value: has, read, fields: [{ name: "role", kind: "choice", need: true, values: ROLES, words: "roles" }, ...((user.peek()?.outlets.length ?? 0) > 1 ? [/** @type {import("./fields.js").Field} */ ({ name: "outlets", kind: "many", choices: from("/outlets") })] : []), { name: "active", kind: "tick" }], save: (typed, version) => send("PATCH", `/employees/${one.id}/account`, typed, version) })) again(); } }, t("change")),
      has.totp ? act(t("account.totp.off"), async () => { await send("PATCH", `/employees/${one.id}/account`, { totp: false }, has.version); again(); }, { sure: t("account.totp.off.sure", { name: one.name }), bad: true, done: t("saved") }) : null,
      act(t("account.code"), async () => {
        const { code, expiresAt } = await send("POST", `/employees/${one.id}/account/reset-code`);
        await show(t("account.code"), () => [h("p", {}, t("account.code.text", { until: when(expiresAt) })), h("p", { class: "code" }, code)]);
      }, { sure: t("account.code.sure") })),
  ])));
}

/** Leave that is left this year. @param {any} one */
function balances(one) {
  const year = Number(today().slice(0, 4));
  return h("section", { class: "card" }, h("h2", {}, t("leave.balances", { year: String(year) })), loaded(async () => (await ask("GET", "/leave-requests/balances", { query: { employeeId: one.id, year } })).data.balances, (rows, again) => [
    table({ caption: t("leave.balances", { year: String(year) }), rows, columns: [{ name: "leaveType", kind: "word", words: "leave" }, { name: "entitledDays", kind: "number" }, { name: "carriedOverDays", kind: "number" }, { name: "accruedDays", kind: "number" }, { name: "usedDays", kind: "number" }, { name: "remainingDays", kind: "number" }] }),
    h("div", { class: "acts" }, h("button", { type: "button", onclick: async () => {
      if (await edit(t("leave.entitle"), { fields: [{ name: "leaveType", kind: "choice", need: true, values: ["ANNUAL", "SICK", "CASUAL", "UNPAID", "OTHER"], words: "leave" }, { name: "entitledDays", kind: "decimal", need: true }], save: (typed) => send("PUT", `/leave-requests/balances/${one.id}`, { ...typed, year }) })) { toast(t("saved")); again(); }
    } }, t("leave.entitle"))),
  ]));
}

/** Papers: contracts, certificates. @param {any} one */
function papers(one) {
  const path = `/employees/${one.id}/documents`;
  let again = () => {};
  /** @param {any} event */
  async function put(event) {
    const [file] = event.target.files;
    if (!file) return;
    const body = new FormData();
    body.set("file", file);
    body.set("title", file.name);
    try {
      // The browser makes up the boundary between the parts; the type has to name the same.
      const parts = new Response(body);
      await ask("POST", path, { body: await parts.clone().blob(), headers: { "content-type": parts.headers.get("content-type") ?? "" }, key: newId() });
      toast(t("saved"));
      again();
    } catch (error) {
      toast(said(error), "bad");
    }
    event.target.value = "";
  }
  return [
    h("h2", {}, t("person.papers")),
    h("label", {}, t("person.paper.add"), h("input", { type: "file", accept: ".pdf,.jpg,.jpeg,.png", onchange: put })),
    listed({ path, caption: t("person.papers"), onto: (reload) => { again = reload; }, columns: [{ name: "title" }, { name: "kind", kind: "word", words: "paper" }, { name: "createdAt", kind: "moment" }, { name: "uploadedByName" }, { name: "sizeBytes", draw: (row) => `${amount(Math.ceil(row.sizeBytes / 1024))} kB` }],
      acts: (row, reload) => [act(t("download"), () => save(`${path}/${row.id}`, {}, row.fileName), { spoken: `${t("download")}: ${row.title}` }), act(t("remove"), async () => { await send("DELETE", `${path}/${row.id}`); reload(); }, { sure: t("person.paper.sure", { name: row.title }), bad: true, class: "quiet", spoken: `${t("remove")}: ${row.title}` })] }),
  ];
}
