// The outlet's settings in groups, as a form asks for them. No document, no fetch, no clock, no word of its own: those are given.

import { ORDER_TYPES, TONGUES, languageName } from "../kit/words.js";

/** @typedef {import("./fields.js").Field} Field */

/**
 * The settings by what they are about.
 * @param {(name: string) => string} t a word @param {(kind: string, value: string) => string} word a value's word
 * @returns {[string, Field[]][]}
 */
export function groupsOf(t, word) {
  /** A rate or an amount by role. @param {string} name @param {string} role @param {Field["kind"]} kind @returns {Field} */
  const byRole = (name, role, kind) => ({ name: `${name}.${role}`, kind, label: `${t(`f.${name}`)}: ${t(`roles.${role}`)}` });
  /** The terms of a type of leave. They go whole: what is left out would be as usual again. @param {string} type @returns {Field[]} */
  const leaveOf = (type) => [["entitledDays", { kind: "decimal", need: true }], ["accrual", { kind: "choice", need: true, values: ["YEARLY", "MONTHLY"], words: "accrual" }], ["carryOverDays", { kind: "decimal", empty: 0 }], ["paid", { kind: "tick" }]]
    .map(([name, how]) => /** @type {Field} */ ({ name: `leave.${type}.${name}`, label: `${word("leave", type.toUpperCase())}: ${t(`f.${name}`)}`, .../** @type {any} */ (how) }));
  return [
    ["house", [{ name: "name", need: true }, { name: "address", kind: "area" }, { name: "phone" }, { name: "licenceNumber" }, { name: "businessDayStartsAt", kind: "time", need: true, hint: "set.dayStart.hint" }, { name: "fiscalYearStartsOn", need: true, hint: "set.fiscal.hint" }]],
    ["languages", [{ name: "languages", kind: "rows", once: true, hint: "set.languages.hint", more: "set.languages.add", get: (row) => row.languages?.map((/** @type {string} */ tag) => ({ tag })), of: [{ name: "tag", kind: "choice", need: true, choices: async () => TONGUES.map((value) => ({ value, label: languageName(value) })) }] }]],
    ["place", [{ name: "code", label: t("f.outletCode"), fixed: true }, { name: "country", need: true, hint: "set.country.hint" }, { name: "currency", need: true, hint: "set.currency.hint" }, { name: "timezone", need: true, hint: "set.zone.hint" }]],
    ["tax", [{ name: "taxId" }, { name: "taxScheme", kind: "choice", need: true, values: ["REGULAR", "COMPOSITION", "UNREGISTERED", "NONE"] }, { name: "pricesIncludeTax", kind: "tick" }, { name: "cashRoundingCents", kind: "money", empty: 0 }, { name: "serviceCharge.bps", label: t("f.serviceChargeBps"), kind: "percent", empty: 0 }, { name: "serviceCharge.orderTypes", label: t("f.serviceOn"), kind: "many", values: ORDER_TYPES, words: "orderType" }, { name: "serviceCharge.automatic", label: t("f.serviceAutomatic"), kind: "tick" }, { name: "serviceCharge.taxed", label: t("f.serviceTaxed"), kind: "tick" }]],
    ["till", [{ name: "waitersTakePayments", kind: "tick" }, { name: "approverPinMinDigits", kind: "number", need: true }, { name: "voidGraceSeconds", kind: "number", need: true, hint: "set.grace.hint" }, { name: "till.idleLockSeconds", label: t("f.idleLockSeconds"), kind: "number", need: true, hint: "set.idle.hint" }, { name: "till.ageing.warnMinutes", label: t("f.warnMinutes"), kind: "number", need: true }, { name: "till.ageing.lateMinutes", label: t("f.lateAfter"), kind: "number", need: true },
      { name: "till.tipPresetsBps", label: `${t("f.tipPresetsBps")} (%)`, kind: "list", each: "percent", hint: "set.tips.hint" }, { name: "till.cashPresetsCents", label: t("f.cashPresetsCents"), kind: "list", each: "money", hint: "set.cash.hint" },
      byRole("discountLimitBps", "CASHIER", "percent"), byRole("discountLimitBps", "WAITER", "percent"), byRole("payOutLimitCents", "CASHIER", "money"), { name: "blindCount", kind: "tick", hint: "set.blind.hint" }]],
    ["reasons", ["void", "cancel", "discount", "refund", "writeOff", "payOut"].map((name) => ({ name: `till.reasons.${name}`, label: t(`reasons.${name}`), kind: "rows", once: true, hint: name === "void" ? "reasons.hint" : undefined, of: [{ name: "text", need: true }, { name: "code", need: true }] }))],
    ["guests", [{ name: "qrOrderApproval", kind: "choice", need: true, values: ["FIRST_ORDER", "ALWAYS", "NEVER"] }, { name: "guestDataDays", kind: "number", need: true, hint: "set.guestDays.hint" }, { name: "holdCourses", kind: "tick", hint: "set.hold.hint" }, { name: "scheduleLeadMinutes", kind: "number", need: true, hint: "set.lead.hint" }]],
    ["store", [{ name: "stockPolicy", kind: "choice", need: true, values: ["ALLOW_NEGATIVE", "BLOCK"] }, { name: "autoAvailability", kind: "tick", hint: "set.auto.hint" }, { name: "quantityToleranceBps", kind: "percent", need: true, hint: "set.tolerance.hint" }, { name: "priceToleranceBps", kind: "percent", need: true }]],
    ["staff", [{ name: "attendance.graceMinutes", label: t("f.graceMinutes"), kind: "number", need: true }, { name: "attendance.maxBreakMinutes", label: t("f.maxBreakMinutes"), kind: "number", need: true }, ...["MORNING", "EVENING", "NIGHT"].flatMap((name) => ["start", "end"].map((end) => /** @type {Field} */ ({ name: `shiftTimes.${name}.${end}`, label: `${word("shift", name)}: ${t(`set.${end}`)}`, kind: "time", need: true })))]],
    ["pay", [{ name: "overtime.dailyMinutes", label: t("f.overtimeDaily"), kind: "number" }, { name: "overtime.weeklyMinutes", label: t("f.overtimeWeekly"), kind: "number" }, { name: "overtime.multiplierBps", label: t("f.overtimeMultiplier"), kind: "percent", empty: 10_000 }, { name: "weeklyRestDays", kind: "many", values: ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], words: "weekday" }, { name: "leave.dayMinutes", label: t("f.dayMinutes"), kind: "number", need: true }, { name: "leave.holidaysPaid", label: t("f.holidaysPaid"), kind: "tick" }, ...["annual", "sick", "casual"].flatMap(leaveOf), { name: "leave.otherPaid", label: t("f.otherPaid"), kind: "tick" }]],
  ];
}
