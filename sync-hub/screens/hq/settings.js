// The settings of an outlet as a form has them: one value a field, by group, and back into what the API takes. Pure: no page, no question to
// the server. Never leaves out of a list what the form does not show.

/** @typedef {{ name: string, column: string, kind: string, of?: string, need?: boolean, values?: string[] }} Setting */

/** @param {string} name @param {string} column @param {string} [kind] @param {Partial<Setting>} [more] @returns {Setting} */
const one = (name, column, kind = "text", more = {}) => ({ name, column, kind, need: !["text", "long", "ticks", "tick"].includes(kind), ...more });

const REASONS = ["void", "cancel", "discount", "refund", "writeOff", "payOut"];
const SHIFTS = ["MORNING", "EVENING", "NIGHT"];

/** The settings by group. @type {Record<string, Setting[]>} */
export const GROUPS = {
  HOUSE: [one("name", "name", "text", { need: true }), one("address", "address", "long"), one("phone", "phone"), one("licenceNumber", "licence_number"), one("businessDayStartsAt", "business_day_starts_at", "time"), one("fiscalYearStartsOn", "fiscal_year_starts_on", "text", { need: true }), one("languages", "languages", "languages", { need: false })],
  TAX: [one("taxId", "tax_id"), one("taxScheme", "tax_scheme", "choice", { values: ["REGULAR", "COMPOSITION", "UNREGISTERED", "NONE"] }), one("country", "country", "text", { need: true }), one("pricesIncludeTax", "prices_include_tax", "tick"), one("cashRoundingCents", "cash_rounding_cents", "money"), one("serviceCharge.bps", "service_charge_bps", "percent"), one("serviceCharge.orderTypes", "service_charge_order_types", "ticks", { values: ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"] }), one("serviceCharge.automatic", "service_charge_automatic", "tick"), one("serviceCharge.taxed", "service_charge_taxed", "tick")],
  TILL: [one("waitersTakePayments", "waiters_take_payments", "tick"), one("blindCount", "blind_count", "tick"), one("approverPinMinDigits", "approver_pin_min_digits", "whole"), one("voidGraceSeconds", "void_grace_seconds", "whole"),
    ...["CASHIER", "WAITER"].map((role) => one(`discountLimitBps.${role}`, "discount_limit_bps", "percent", { of: role, need: false })), one("payOutLimitCents.CASHIER", "pay_out_limit_cents", "money", { of: "CASHIER", need: false }),
    one("till.idleLockSeconds", "till", "whole", { of: "idleLockSeconds" }), one("till.ageing.warnMinutes", "till", "whole", { of: "warnMinutes" }), one("till.ageing.lateMinutes", "till", "whole", { of: "lateMinutes" }),
    ...REASONS.map((reason) => one(`till.reasons.${reason}`, "till", "long", { of: reason }))],
  GUESTS: [one("qrOrderApproval", "qr_order_approval", "choice", { values: ["FIRST_ORDER", "ALWAYS", "NEVER"] }), one("guestDataDays", "guest_data_days", "whole"), one("scheduleLeadMinutes", "schedule_lead_minutes", "whole"), one("holdCourses", "hold_courses", "tick")],
  STORE: [one("stockPolicy", "stock_policy", "choice", { values: ["ALLOW_NEGATIVE", "BLOCK"] }), one("autoAvailability", "auto_availability", "tick"), one("quantityToleranceBps", "quantity_tolerance_bps", "percent"), one("priceToleranceBps", "price_tolerance_bps", "percent")],
  STAFF: [one("attendance.graceMinutes", "attendance_grace_minutes", "whole"), one("attendance.maxBreakMinutes", "attendance_max_break_minutes", "whole"), ...SHIFTS.flatMap((shift) => ["start", "end"].map((end) => one(`shiftTimes.${shift}.${end}`, "shift_times", "time", { of: `${shift}.${end}` })))],
};

/** Settings that the API takes as a whole: what a form does not show of them goes along. */
const WHOLE = ["attendance", "shiftTimes", "discountLimitBps", "payOutLimitCents", "till"];

/** A value within others. @param {any} value @param {string[]} path */
function within(value, path) { return path.reduce((one, name) => one?.[name], value); }

/** The settings that there are, one value a field. @param {string} group @param {any} settings @returns {Record<string, any>} */
export function spread(group, settings) {
  /** @type {Record<string, any>} */
  const flat = {};
  for (const { name } of GROUPS[group]) {
    const path = name.split(".");
    if (within(settings, [path[0]]) === undefined || (path[0] === "serviceCharge" && within(settings, path) === undefined)) continue;
    const value = within(settings, path);
    flat[name] = name.startsWith("till.reasons.") ? (value ?? []).map((/** @type {{ text: string }} */ reason) => reason.text).join("\n") || null : value ?? null;
  }
  return flat;
}

/** The code of a reason: the one it had, or one of its letters. @param {string} text @param {{ code: string, text: string }[]} known @param {Set<string>} taken */
function codeOf(text, known, taken) {
  const had = known.find((reason) => reason.text === text && !taken.has(reason.code))?.code;
  const letters = text.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 36) || "REASON";
  const used = (/** @type {string} */ code) => taken.has(code) || (!had && known.some((reason) => reason.code === code && reason.text !== text));
  let code = had ?? letters;
  for (let n = 2; used(code); n += 1) code = `${letters}_${n}`;
  taken.add(code);
  return code;
}

/** Reasons, one a line. @param {string | null} lines @param {{ code: string, text: string }[]} known */
function reasonsOf(lines, known) {
  /** @type {Set<string>} */
  const taken = new Set();
  return (lines ?? "").split("\n").map((text) => text.trim()).filter(Boolean).map((text) => ({ code: codeOf(text, known, taken), text }));
}

/**
 * What was changed, as the API takes it; with it what hangs together, as it is.
 * @param {string} group @param {Record<string, any>} flat what was changed @param {any} present @returns {Record<string, any>}
 */
export function gathered(group, flat, present) {
  /** @type {Record<string, any>} */
  const settings = {};
  for (const { name } of GROUPS[group]) {
    if (!(name in flat)) continue;
    const [outer, ...inner] = name.split(".");
    if (inner.length === 0) { settings[outer] = flat[name]; continue; }
    settings[outer] ??= WHOLE.includes(outer) ? structuredClone(present[outer] ?? {}) : {};
    const last = /** @type {string} */ (inner.pop());
    const place = inner.reduce((one, key) => (one[key] ??= {}), settings[outer]);
    if (name.startsWith("till.reasons.")) place[last] = reasonsOf(flat[name], place[last] ?? []);
    else if (flat[name] === null) delete place[last];
    else place[last] = flat[name];
  }
  return settings;
}
