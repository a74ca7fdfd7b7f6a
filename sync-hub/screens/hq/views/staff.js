// The staff of the chain as head office publishes them: records, wages, accounts, a code for who lost a password. Never a PIN or a password that
// was set before.

import { ask, may } from "../../kit/session.js";
import { show } from "../../kit/dialog.js";
import { newId } from "../../kit/ids.js";
import { h, signal } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { choices, currencyOf } from "../chain.js";
import { changed } from "../model.js";
import { act, amount, at, copy, form, head, loaded, mark, of, purse, table, word } from "../parts.js";
import { catalogue, edit, split, whenAndWhere } from "../publish.js";

/** @typedef {import("../parts.js").Field} Field */

const options = (/** @type {string[]} */ values) => values.map((value) => ({ value, label: word(value) }));
/** What an employee's account may be. */
const ROLES = ["OWNER", "MANAGER", "CASHIER", "WAITER", "KITCHEN", "STOREKEEPER", "ACCOUNTANT"];

/** @param {any | null} one @param {() => Promise<void>} again */
async function record(one, again) {
  const done = await form(one?.name ?? t("staff.hire"), [
    { name: "name", required: true, value: one?.name }, { name: "jobTitle", required: true, value: one?.jobTitle }, { name: "employeeCode", value: one?.employeeCode, hint: t("staff.codeHint") }, { name: "phone", value: one?.phone },
    { name: "email", kind: "email", value: one?.email }, { name: "employmentType", kind: "choice", required: true, options: options(["FULL_TIME", "PART_TIME", "CASUAL", "CONTRACT", "TRAINEE"]), value: one?.employmentType ?? "FULL_TIME" },
    { name: "hourlyRateCents", kind: "money", decimals: purse(currencyOf()).decimals, value: one?.hourlyRateCents ?? 0 }, { name: "hiredOn", kind: "date", value: one?.hiredOn }, { name: "station", value: one?.station },
    { name: "tillRole", kind: "choice", options: options(["MANAGER", "CASHIER", "WAITER", "KITCHEN"]), value: one?.tillRole }, ...(one ? [/** @type {Field} */ ({ name: "status", kind: "choice", required: true, options: options(["ACTIVE", "ON_LEAVE", "ENDED"]), value: one.status })] : []),
    ...whenAndWhere(),
  ], async (values) => {
    const { query, rest } = split({ ...values, hourlyRateCents: values.hourlyRateCents ?? 0 });
    if (!rest.employeeCode) delete rest.employeeCode;
    return one ? edit("PATCH", `/hub/employees/${one.id}`, changed(one, rest), query, one.version) : edit("POST", "/hub/employees", rest, query);
  }, { act: t("publish.act"), wide: true });
  if (done) await again();
}

/** @param {any} one */
async function account(one) {
  const found = await ask("GET", `/hub/employees/${one.id}/account`).then(({ data }) => data, () => null);
  /** @type {Field[]} */
  const fields = [
    ...(found ? [] : [/** @type {Field} */ ({ name: "email", kind: "email", required: true, value: one.email }), /** @type {Field} */ ({ name: "password", kind: "password", required: true, hint: t("users.passwordHint"), autocomplete: "new-password" })]),
    { name: "role", kind: "choice", required: true, options: options(ROLES), value: found?.role },
    { name: "outlets", kind: "ticks", options: choices(), value: found?.outlets ?? [] },
    ...(found ? [/** @type {Field} */ ({ name: "active", kind: "tick", label: t("f.isActive"), value: found.active })] : []),
    ...(found?.totp ? [/** @type {Field} */ ({ name: "totp", kind: "tick", value: true })] : []),
    ...whenAndWhere().slice(0, 1),
  ];
  await form(t("staff.accountOf", { name: one.name }), fields, async (values) => {
    const { effectiveAt, outlets, ...typed } = values, { query } = split({ effectiveAt });
    // An account that was taken from a branch names head office itself: it stays where it was until outlets are chosen.
    const rest = { ...typed, ...(outlets.length > 0 ? { outlets } : {}) };
    return found ? edit("PATCH", `/hub/employees/${one.id}/account`, changed(found, rest), query, found.version) : edit("POST", `/hub/employees/${one.id}/account`, rest, query);
  }, { act: t("publish.act"), about: found && h("div", { class: "acts" }, h("bdi", {}, found.email), act(t("users.resetCode"), async () => {
    const { data } = await ask("POST", `/hub/employees/${one.id}/account/reset-code`, { key: newId() });
    await showResetCode(data);
  })) });
}

/** Shows a code for a new password, this once. @param {{ code: string, expiresAt: string }} made */
export function showResetCode(made) {
  return show(t("users.resetCode"), () => [h("p", { class: "code" }, h("code", {}, made.code)), h("p", {}, t("users.resetHint", { time: at(made.expiresAt) })), h("div", { class: "acts" }, h("button", { type: "button", class: "main", onclick: () => void copy(made.code) }, t("enrol.copyCode")))]);
}

/** @param {any} one */
async function wages(one) {
  await show(t("staff.wagesOf", { name: one.name }), () => loaded(() => ask("GET", `/hub/employees/${one.id}/wages`), ({ data }) => table(t("staff.wages"), [
    { label: t("f.effectiveAt"), head: true, cell: (row) => at(row.effectiveAt) }, { label: t("f.hourlyRateCents"), number: true, cell: (row) => amount(row.hourlyRateCents, currencyOf()) },
  ], data)).node);
}

export function view() {
  const wanted = signal(""), status = signal(""), write = may("employees:write");
  const { node, again } = loaded(() => catalogue("/hub/employees", { status: status() || undefined }), (list, reload) => () => table(t("view.staff"), [
    { label: t("f.name"), head: true, cell: (row) => {
      const name = h("span", {}, h("bdi", {}, row.name), h("small", {}, h("span", { class: "spoken" }, `${t("f.employeeCode")} `), h("bdi", {}, row.employeeCode)));
      return write ? h("button", { type: "button", class: "quiet start", onclick: () => void record(row, reload) }, name) : name;
    } },
    { label: t("f.jobTitle"), cell: (row) => h("bdi", {}, row.jobTitle) },
    { label: t("f.status"), cell: (row) => mark(word(row.status), row.status === "ACTIVE" ? "good" : "plain") },
    { label: t("f.hourlyRateCents"), number: true, cell: (row) => amount(row.hourlyRateCents, currencyOf()) },
    { label: "", cell: (row) => h("span", { class: "rowacts short" },
      may("accounts:manage") && h("button", { type: "button", class: "quiet", onclick: () => void account(row) }, of(t("staff.account"), row.name)),
      h("button", { type: "button", class: "quiet", onclick: () => void wages(row) }, of(t("staff.wages"), row.name)),
      write && row.status !== "ENDED" && h("button", { type: "button", class: "quiet", onclick: async () => {
        const done = await form(t("staff.endOf", { name: row.name }), whenAndWhere(), async (values) => edit("DELETE", `/hub/employees/${row.id}`, undefined, split(values).query, row.version), { act: t("staff.end"), bad: true, about: h("p", {}, t("staff.endHint")) });
        if (done) await reload();
      } }, of(t("staff.end"), row.name))) },
  ], list.filter((/** @type {any} */ one) => `${one.name} ${one.employeeCode} ${one.jobTitle}`.toLowerCase().includes(wanted().toLowerCase())), t("staff.empty")));
  return [
    head(t("view.staff"), t("staff.hint"), write ? h("button", { type: "button", class: "main", onclick: () => void record(null, again) }, t("staff.hire")) : null),
    h("div", { class: "choose" },
      h("label", {}, t("staff.find"), h("input", { type: "search", autocomplete: "off", oninput: (/** @type {Event} */ event) => wanted.set(/** @type {HTMLInputElement} */ (event.target).value) })),
      h("div", { class: "segments", role: "group", "aria-label": t("f.status") }, ...["", "ACTIVE", "ON_LEAVE", "ENDED"].map((value) => h("button", { type: "button", "aria-pressed": () => String(status() === value), onclick: () => status.set(value) }, value ? word(value) : t("all"))))),
    node,
  ];
}

