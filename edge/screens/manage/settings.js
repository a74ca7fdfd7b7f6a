// How the outlet works, in groups with plain words; its channels; what head office and a restored backup left to decide; the box itself. Never
// changes what bills say in the past.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { now } from "../kit/time.js";
import { confirm, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, tabs, word } from "./parts.js";
import { amount, cash, happened, outlet, rate, send, when, zone } from "./store.js";
import { edit } from "./form.js";
import { listed } from "./list.js";
import { pick } from "./fields.js";
import { momentOf, onWall } from "./zones.js";
import { resource } from "./resource.js";

/** @typedef {import("./fields.js").Field} Field */

/** @param {string[]} parts */
export function draw([tab = "outlet"]) {
  const names = ["outlet", ...(may("channels:read") ? ["channels"] : []), "box", ...(may("audit:read") ? ["reviews"] : []), ...(may("guests:erase") ? ["privacy"] : [])];
  const shown = names.includes(tab) ? tab : "outlet";
  return [head(t("section.settings")), tabs("settings", names, shown), /** @type {Record<string, () => any>} */ ({ outlet: groups, channels, box, reviews, privacy })[shown]()];
}

/** A rate by role. @param {string} name @param {string} role @param {Field["kind"]} kind @returns {Field} */
const byRole = (name, role, kind) => ({ name: `${name}.${role}`, kind, label: `${t(`f.${name}`)}: ${t(`roles.${role}`)}` });

/** The settings by what they are about. @returns {[string, Field[]][]} */
function fields() {
  return [
    ["house", [{ name: "name", need: true }, { name: "address", kind: "area" }, { name: "phone" }, { name: "licenceNumber" }, { name: "businessDayStartsAt", kind: "time", need: true, hint: "set.dayStart.hint" }, { name: "fiscalYearStartsOn", need: true, hint: "set.fiscal.hint" }]],
    ["tax", [{ name: "taxId" }, { name: "taxScheme", kind: "choice", need: true, values: ["REGULAR", "COMPOSITION", "UNREGISTERED", "NONE"] }, { name: "pricesIncludeTax", kind: "tick" }, { name: "cashRoundingCents", kind: "money", empty: 0 }, { name: "serviceCharge.bps", label: t("f.serviceChargeBps"), kind: "percent", empty: 0 }, { name: "serviceCharge.orderTypes", label: t("f.serviceOn"), kind: "many", values: ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"], words: "orderType" }, { name: "serviceCharge.automatic", label: t("f.serviceAutomatic"), kind: "tick" }, { name: "serviceCharge.taxed", label: t("f.serviceTaxed"), kind: "tick" }]],
    ["till", [{ name: "waitersTakePayments", kind: "tick" }, { name: "approverPinMinDigits", kind: "number", need: true }, { name: "voidGraceSeconds", kind: "number", need: true, hint: "set.grace.hint" }, { name: "till.idleLockSeconds", label: t("f.idleLockSeconds"), kind: "number", need: true, hint: "set.idle.hint" }, { name: "till.ageing.warnMinutes", label: t("f.warnMinutes"), kind: "number", need: true }, { name: "till.ageing.lateMinutes", label: t("f.lateMinutes"), kind: "number", need: true }, byRole("discountLimitBps", "CASHIER", "percent"), byRole("discountLimitBps", "WAITER", "percent"), byRole("payOutLimitCents", "CASHIER", "money"), { name: "blindCount", kind: "tick", hint: "set.blind.hint" }]],
    ["reasons", ["void", "cancel", "discount", "refund", "writeOff", "payOut"].map((name) => ({ name: `till.reasons.${name}`, label: t(`reasons.${name}`), kind: "rows", once: true, of: [{ name: "code", need: true }, { name: "text", need: true }] }))],
    ["guests", [{ name: "qrOrderApproval", kind: "choice", need: true, values: ["FIRST_ORDER", "ALWAYS", "NEVER"] }, { name: "guestDataDays", kind: "number", need: true, hint: "set.guestDays.hint" }, { name: "holdCourses", kind: "tick", hint: "set.hold.hint" }, { name: "scheduleLeadMinutes", kind: "number", need: true, hint: "set.lead.hint" }]],
    ["store", [{ name: "stockPolicy", kind: "choice", need: true, values: ["ALLOW_NEGATIVE", "BLOCK"] }, { name: "autoAvailability", kind: "tick", hint: "set.auto.hint" }, { name: "quantityToleranceBps", kind: "percent", need: true, hint: "set.tolerance.hint" }, { name: "priceToleranceBps", kind: "percent", need: true }]],
    ["staff", [{ name: "attendance.graceMinutes", label: t("f.graceMinutes"), kind: "number", need: true }, { name: "attendance.maxBreakMinutes", label: t("f.maxBreakMinutes"), kind: "number", need: true }, ...["MORNING", "EVENING", "NIGHT"].flatMap((name) => ["start", "end"].map((end) => /** @type {Field} */ ({ name: `shiftTimes.${name}.${end}`, label: `${word("shift", name)}: ${t(`set.${end}`)}`, kind: "time", need: true })))]],
    ["pay", [{ name: "overtime.dailyMinutes", label: t("f.overtimeDaily"), kind: "number" }, { name: "overtime.weeklyMinutes", label: t("f.overtimeWeekly"), kind: "number" }, { name: "overtime.multiplierBps", label: t("f.overtimeMultiplier"), kind: "percent", need: true }, { name: "weeklyRestDays", kind: "many", values: ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], words: "weekday" }, { name: "leave.dayMinutes", label: t("f.dayMinutes"), kind: "number", need: true }, { name: "leave.holidaysPaid", label: t("f.holidaysPaid"), kind: "tick" }]],
  ];
}

/** A setting as it is read. @param {Field} field @param {any} value */
function shown(field, value) {
  if (value === null || value === undefined) return "–";
  switch (field.kind) {
    case "tick": return t(value ? "yes" : "no");
    case "percent": return rate(value);
    case "money": return cash(value);
    case "number": return amount(value);
    case "choice": return word(field.words ?? field.name, value);
    case "many": return value.map((/** @type {string} */ one) => word(field.words ?? field.name, one)).join(", ") || "–";
    case "rows": return value.map((/** @type {any} */ one) => one.text).join(", ") || "–";
    default: return String(value) || "–";
  }
}

function groups() {
  const writes = may("outlets:write");
  return [
    writes ? null : h("p", { class: "hint" }, t("set.readOnly")),
    () => h("div", { class: "columns wideCards" }, ...fields().map(([name, list]) => h("section", { class: "card" }, h("h2", {}, t(`set.${name}`)), h("p", { class: "hint" }, t(`set.${name}.text`)),
      facts(list.map((field) => [field.label ?? t(`f.${field.name}`), shown(field, pick(outlet(), field.name))])),
      writes ? h("div", { class: "acts" }, h("button", { type: "button", "aria-label": `${t("change")}: ${t(`set.${name}`)}`, onclick: () => void set(name, list) }, t("change"))) : null))),
  ];
}

/** @param {string} name @param {Field[]} list */
async function set(name, list) {
  const read = async () => (await ask("GET", `/outlets/${outlet.peek().id}`)).data;
  const done = await edit(t(`set.${name}`), {
    fields: list, value: await read(), read,
    // What is absent of the till's settings would have its default again: what is not shown here goes along.
    save: (typed, version) => send("PATCH", `/outlets/${outlet.peek().id}`, Object.fromEntries(Object.entries(typed).map(([key, value]) => [key, value && typeof value === "object" && !Array.isArray(value) ? whole(key, value) : value])), version),
  });
  if (done) { outlet.set(await read()); toast(t("saved")); }
}

/** A group with what it had besides; a role without a limit is left out. @param {string} key @param {any} value */
function whole(key, value) {
  const now = outlet.peek()[key];
  if (key === "till") return { ...now, ...value, ageing: { ...now.ageing, ...value.ageing }, reasons: { ...now.reasons, ...value.reasons } };
  return Object.fromEntries(Object.entries({ ...now, ...value }).filter(([, one]) => one !== null));
}

function channels() {
  return resource({
    name: "channels", path: "/channels", right: "channels:write", intro: t("channels.text"),
    fields: [{ name: "name", need: true }, { name: "kind", kind: "choice", need: true, values: ["AGGREGATOR", "DELIVERY", "WEBSITE", "OTHER"], words: "channelKind" }, { name: "commissionBps", kind: "percent", empty: 0 }, { name: "taxedBy", kind: "choice", need: true, values: ["RESTAURANT", "OPERATOR"], fresh: () => "RESTAURANT" }, { name: "operatorTaxId" }],
    columns: [{ name: "name" }, { name: "kind", kind: "word", words: "channelKind" }, { name: "commissionBps", kind: "percent" }, { name: "taxedBy", kind: "word" }],
  });
}

/** How the box is: exchange, backup, disk, clock. */
function box() {
  return loaded(async () => (await ask("GET", "/status")).data, (one, again) => h("div", { class: "columns" },
    h("section", { class: "card" }, h("h2", {}, t("box.sync")), one.sync.enrolled ? facts([[t("f.standing"), word("standing", one.sync.standing)], [t("f.rowsWaiting"), amount(one.sync.rowsWaiting)], [t("f.lastPushAt"), when(one.sync.lastPushAt)], [t("f.lastPullAt"), when(one.sync.lastPullAt)], [t("lamp.internet"), one.sync.internetReachable === null ? "–" : t(one.sync.internetReachable ? "yes" : "no")], [t("lamp.office"), one.sync.hubReachable === null ? "–" : t(one.sync.hubReachable ? "yes" : "no")], [t("f.openReviews"), amount(one.sync.openReviews)]]) : h("p", {}, t("box.alone"))),
    h("section", { class: "card" }, h("h2", {}, t("box.backup")), one.backup.overdue || one.backup.secondOverdue ? h("p", { class: "bad" }, t("today.backup")) : null, facts([[t("f.lastAt"), when(one.backup.lastAt)], [t("f.lastBytes"), one.backup.lastBytes === null ? "–" : `${amount(Math.round(one.backup.lastBytes / 1e6))} MB`], [t("f.secondPlace"), t(one.backup.secondPlace ? "yes" : "no")], [t("f.secondAt"), when(one.backup.secondAt)]])),
    h("section", { class: "card" }, h("h2", {}, t("box.disk")), facts([[t("f.state"), badge("disk", one.disk.state)], [t("f.freeBytes"), one.disk.freeBytes === null ? "–" : `${amount(Math.round(one.disk.freeBytes / 1e9))} GB`], [t("f.version"), one.version]])),
    h("section", { class: "card" }, h("h2", {}, t("box.clock")), facts([[t("box.clock.now"), when(one.clock)], [t("box.clock.doubt"), one.clockDoubt ? word("fault", one.clockDoubt.fault) : null]]),
      one.clockDoubt ? h("p", { class: "bad" }, t("today.clock")) : null,
      may("day:close") ? h("div", { class: "acts" }, h("button", { type: "button", onclick: async () => {
        if (await edit(t("today.clock.set"), { fields: [{ name: "now", label: t("box.clock.now"), kind: "moment", need: true, fresh: () => onWall(now(), zone()) }], save: (typed) => send("POST", "/status/clock", { now: momentOf(typed.now, zone()) }) })) { toast(t("saved")); again(); }
      } }, t("today.clock.set"))) : null)), happened);
}

/** What a restored backup left to decide. */
function reviews() {
  let again = () => {};
  const resolves = may("outlets:write") || may("employees:write");
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.reviews")), resolves ? act(t("review.all"), async () => { await send("POST", "/sync-reviews/resolve-all", {}); again(); }, { sure: t("review.all.sure") }) : null),
    h("p", { class: "hint" }, t("review.text")),
    listed({ path: "/sync-reviews", caption: t("tab.reviews"), onto: (reload) => { again = reload; },
      columns: [{ name: "reason" }, { name: "tableName", label: t("f.entityType") }, { name: "at", kind: "moment" }, { name: "kept", draw: (row) => h("details", {}, h("summary", {}, t("review.both")), h("h3", {}, t("review.kept")), h("pre", {}, JSON.stringify(row.kept, null, 1)), h("h3", {}, t("review.lost")), h("pre", {}, JSON.stringify(row.lost, null, 1))) }, { name: "resolvedAt", kind: "moment" }],
      acts: (row, reload) => (row.resolvedAt || !resolves ? null : h("button", { type: "button", onclick: async () => { if (await edit(t("review.resolve"), { act: t("review.resolve"), fields: [{ name: "note" }], save: ({ note }) => send("POST", `/sync-reviews/${row.id}/resolve`, note ? { note } : {}) })) reload(); } }, t("review.resolve"))) }),
  ];
}

/** Makes the box forget a guest. */
function privacy() {
  return h("section", { class: "card" }, h("h2", {}, t("tab.privacy")), h("p", {}, t("privacy.text")), h("div", { class: "acts start" }, h("button", { type: "button", onclick: async () => {
    const done = await edit(t("privacy.erase"), { act: t("privacy.erase"), fields: [{ name: "phone", need: true }, { name: "password", kind: "secret", need: true, hint: "privacy.password.hint" }], save: async (typed) => (await confirm(t("privacy.erase"), t("privacy.sure", { phone: typed.phone }), t("privacy.erase"), { bad: true })) && send("POST", "/privacy/erase", typed) });
    if (done?.orders !== undefined) toast(t("privacy.done", { orders: done.orders, feedback: done.feedback, documents: done.documentsKept }));
  } }, t("privacy.erase"))));
}
