// One's own work: shifts of the next weeks and what colleagues ask of them, leave, punches, the day's checkout. Never decides for oneself: that is a manager's.

import { all, ask, user } from "../kit/session.js";
import { h } from "../kit/view.js";
import { choose, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, head, loaded, tabs, word } from "./parts.js";
import { amount, date, later, onCalendar as today, outlet, send, zone } from "./store.js";
import { checkout, seesCheckout } from "./checkout.js";
import { edit } from "./form.js";
import { fitOf } from "./fit.js";
import { inTheWay, marked, shiftSaid, unwise } from "./unwise.js";
import { listed, table } from "./list.js";

const WEEKS = 4;
const self = () => user.peek()?.employeeId ?? "";

/** @param {string[]} parts */
export function draw([tab = "shifts"]) {
  const names = ["shifts", "absence", "punches", ...(seesCheckout(true) ? ["checkout"] : [])], now = names.includes(tab) ? tab : "shifts";
  return [head(t("section.mine")), tabs("mine", names, now), /** @type {Record<string, () => any>} */ ({ shifts, absence, punches, checkout: () => checkout(self()) })[now]()];
}

function shifts() {
  const from = today(), to = later(from, WEEKS * 7 - 1);
  return loaded(async () => {
    const [own, swaps, { data: roster }] = await Promise.all([all("/shifts", { employeeId: self(), from, to, status: "PUBLISHED" }), all("/shifts/swaps"), ask("GET", "/workforce/roster", { query: { startDate: later(from, -7), endDate: to } })]);
    return { own, swaps, roster };
  }, ({ own, swaps, roster }, again) => {
    const rows = (/** @type {string} */ id) => roster.matrix.find((/** @type {any} */ one) => one.employeeId === id)?.shifts ?? [];
    /** What a yes would mean for oneself. @param {any} one */
    const meant = (one) => fitOf({ from: one.fromShift, to: one.toShift }, rows(one.fromEmployeeId), rows(self()), outlet()?.overtime, zone()).filter(({ side }) => side === "taker").flatMap(({ clash, warnings }) => [...(clash ? [inTheWay(clash)] : []), ...warnings.map(unwise)]);
    const asked = swaps.filter((one) => one.toEmployeeId === self() && one.status === "REQUESTED"), others = swaps.filter((one) => one.fromEmployeeId === self() || one.toEmployeeId === self()).filter((one) => !asked.includes(one)).slice(0, 20);
    const waits = new Set(swaps.filter((one) => ["REQUESTED", "ACCEPTED"].includes(one.status)).map((one) => one.fromShiftId));
    return [
      asked.length > 0 ? h("section", { "aria-label": t("mine.asked") }, h("h2", {}, t("mine.asked")), h("ul", { class: "troubles-list" }, ...asked.map((one) => h("li", { class: "warn" },
        h("div", {}, h("b", {}, h("bdi", {}, one.fromEmployeeName), ": ", shiftSaid(one.fromShift)), h("small", {}, one.toShift ? t("mine.for", { shift: shiftSaid(one.toShift) }) : t("mine.given")), one.note ? h("small", {}, h("bdi", {}, one.note)) : null, meant(one).length > 0 ? h("small", {}, marked(meant(one))) : null),
        h("span", { class: "acts start" }, refuse("reject", "mine.decline", one, again), act(t("mine.accept"), async () => { await send("POST", `/shifts/swaps/${one.id}/accept`); again(); }, { class: "main", done: t("mine.accepted"), spoken: `${t("mine.accept")}: ${one.fromEmployeeName}` })))))) : null,
      h("h2", {}, t("mine.shifts")),
      table({ caption: t("mine.shifts"), rows: own, empty: t("mine.none"), columns: [{ name: "date", kind: "date" }, { name: "shiftType", label: t("f.shift"), draw: (row) => (row.shiftType === "OFF" ? badge("shift", "OFF") : [`${word("shift", row.shiftType)} ${row.startTime}–${row.endTime}`, row.station ? h("small", {}, h("bdi", {}, row.station)) : null, row.notes ? h("small", {}, h("bdi", {}, row.notes)) : null]) }],
        acts: (row) => (row.shiftType === "OFF" || row.date <= today() ? null : waits.has(row.id) ? badge("swap", "REQUESTED") : h("button", { type: "button", "aria-label": `${t("mine.offer")}: ${shiftSaid(row)}`, onclick: () => void offer(row, roster).then((done) => { if (done) again(); }) }, t("mine.offer"))) }),
      others.length > 0 ? [h("h2", {}, t("tab.swaps")), table({ caption: t("tab.swaps"), rows: others,
        columns: [{ name: "fromShift", draw: (row) => [h("bdi", {}, row.fromEmployeeName), h("small", {}, shiftSaid(row.fromShift))] }, { name: "toShift", draw: (row) => [h("bdi", {}, row.toEmployeeName), h("small", {}, row.toShift ? shiftSaid(row.toShift) : t("mine.given"))] }, { name: "status", kind: "badge", words: "swap" }, { name: "decisionReason", label: t("f.reason") }],
        acts: (row) => (row.fromEmployeeId === self() && ["REQUESTED", "ACCEPTED"].includes(row.status) ? refuse("cancel", "mine.takeBack", row, again) : null) })] : null,
    ];
  });
}

/** A button that says no, or takes one's own word back. @param {string} how @param {string} label @param {any} one @param {() => void} again */
function refuse(how, label, one, again) {
  return h("button", { type: "button", "aria-label": `${t(label)}: ${how === "cancel" ? one.toEmployeeName : one.fromEmployeeName}`, onclick: async () => {
    if (await edit(t(label), { act: t(label), fields: [{ name: "reason" }], save: ({ reason }) => send("POST", `/shifts/swaps/${one.id}/${how}`, reason ? { reason } : {}) })) { toast(t("saved")); again(); }
  } }, t(label));
}

/** Offers a shift: for one of a colleague's, or for nothing. @param {any} shift @param {any} roster */
async function offer(shift, roster) {
  const kind = await choose(shiftSaid(shift), [{ value: "SWAP", label: t("mine.swap"), hint: t("mine.swap.hint") }, { value: "GIVE_AWAY", label: t("mine.give"), hint: t("mine.give.hint") }]);
  if (!kind) return null;
  const own = roster.matrix.find((/** @type {any} */ one) => one.employeeId === self());
  const colleagues = roster.matrix.filter((/** @type {any} */ one) => one !== own).sort((/** @type {any} */ a, /** @type {any} */ b) => Number(b.role === own?.role) - Number(a.role === own?.role));
  /** What can be asked for: who works then already cannot; what would be unwise is said beside it. @param {any} one @param {any} [theirs] */
  const offered = (one, theirs) => {
    const fits = fitOf({ from: shift, to: theirs }, own?.shifts ?? [], one.shifts, outlet()?.overtime, zone());
    const doubts = marked(fits.flatMap(({ side, warnings }) => warnings.map((each) => (side === "giver" ? t("mine.you", { what: unwise(each) }) : unwise(each)))));
    const label = [one.employeeName, theirs ? shiftSaid(theirs) : one.role, ...(theirs && one.role !== own?.role ? [one.role] : []), doubts].filter(Boolean).join(" · ");
    return fits.some(({ clash }) => clash) ? [] : [{ value: theirs ? `${one.employeeId} ${theirs.id}` : one.employeeId, label, day: theirs?.date ?? "" }];
  };
  const choices = kind === "SWAP"
    ? colleagues.flatMap((/** @type {any} */ one) => one.shifts.filter((/** @type {any} */ each) => each.status === "PUBLISHED" && each.date > today()).flatMap((/** @type {any} */ each) => offered(one, each)))
    : colleagues.flatMap((/** @type {any} */ one) => offered(one));
  const done = await edit(t(kind === "SWAP" ? "mine.swap" : "mine.give"), {
    act: t("mine.offer"), note: [h("p", {}, h("b", {}, shiftSaid(shift))), h("p", { class: "hint" }, t("mine.offer.text"))], fields: [{ name: "whom", label: t(kind === "SWAP" ? "f.toShift" : "f.toWhom"), kind: "choice", need: true, wide: true, choices: async () => choices }, { name: "note", wide: true }],
    save: ({ whom, note }) => { const [toEmployeeId, toShiftId] = whom.split(" "); return send("POST", "/shifts/swaps", { kind, fromShiftId: shift.id, toEmployeeId, ...(toShiftId ? { toShiftId } : {}), ...(note ? { note } : {}) }); },
  });
  if (done) toast(t("mine.offered"));
  return done;
}

function absence() {
  const year = Number(today().slice(0, 4));
  let again = () => {};
  return [
    h("header", { class: "sub" }, h("h2", {}, t("mine.leave")), h("button", { type: "button", class: "main", onclick: async () => {
      const made = await edit(t("mine.leave.ask"), { act: t("mine.leave.ask"), keep: true, fields: [{ name: "leaveType", kind: "choice", need: true, values: ["ANNUAL", "SICK", "CASUAL", "UNPAID", "OTHER"], words: "leave" }, { name: "fromDate", kind: "date", need: true }, { name: "toDate", kind: "date", need: true }, { name: "halfDay", kind: "tick" }, { name: "reason", need: true, wide: true }], save: (typed) => send("POST", "/leave-requests", typed) });
      if (made) { toast(t("saved")); again(); }
    } }, t("mine.leave.ask"))),
    listed({ path: "/leave-requests", caption: t("mine.leave"), query: { employeeId: self() }, onto: (reload) => { again = reload; }, columns: [{ name: "leaveType", kind: "word", words: "leave" }, { name: "fromDate", kind: "date" }, { name: "toDate", kind: "date" }, { name: "days", kind: "number" }, { name: "reason" }, { name: "status", kind: "badge", words: "decided" }],
      acts: (row, reload) => (["PENDING", "APPROVED"].includes(row.status) && row.fromDate > today() ? act(t("mine.takeBack"), async () => { await send("POST", `/leave-requests/${row.id}/cancel`, {}); reload(); }, { sure: t("mine.takeBack.sure"), done: t("saved"), spoken: `${t("mine.takeBack")}: ${date(row.fromDate)}` }) : null) }),
    h("h2", {}, t("leave.balances", { year: String(year) })),
    loaded(async () => (await ask("GET", "/leave-requests/balances", { query: { year } })).data.balances, (rows) => table({ caption: t("leave.balances", { year: String(year) }), rows, columns: [{ name: "leaveType", kind: "word", words: "leave" }, ...["entitledDays", "usedDays", "remainingDays"].map((name) => ({ name, kind: "number", draw: (/** @type {any} */ row) => (row[name] === null ? "–" : amount(row[name])) }))] })),
  ];
}

function punches() {
  return listed({ path: "/attendance/me", caption: t("tab.punches"), filters: [{ name: "from", kind: "date", start: later(today(), -13) }, { name: "to", kind: "date" }],
    columns: [{ name: "eventType", kind: "word", words: "punch" }, { name: "timestamp", kind: "moment" }, { name: "status", kind: "badge", words: "time" }, { name: "isCorrected", draw: (row) => [row.isCorrected ? h("small", {}, t("punch.corrected")) : null, row.needsReview ? badge("review", "REVIEW") : null, row.isCorrected || row.needsReview ? null : "–"] }] });
}
