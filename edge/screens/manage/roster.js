// The week's roster: a grid of people and days, planned by keys, taps or dragging; what each shift costs and what is unwise about it is seen before
// it is planned. Nothing is shown to the staff before it is published.

import { all, may } from "../kit/session.js";
import { each, h, signal, untrack } from "../kit/view.js";
import { draggable } from "../kit/drag.js";
import { money } from "../kit/money.js";
import { day as named, duration } from "../kit/time.js";
import { said } from "../kit/pin.js";
import { choose, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, head, loaded, word } from "./parts.js";
import { cash, date, later, onCalendar as today, outlet, purse, send, zone } from "./store.js";
import { at, go } from "./route.js";
import { edit } from "./form.js";
import { clashOf, spanOf, warningsIn, warningsOf } from "./fit.js";
import { allTheSame, inTheWay, marked, unwise } from "./unwise.js";
import { beside, byPlace, costsOfWeek, minutes, sumOf, weekOf } from "./week.js";

/** @typedef {import("./week.js").Shift} Shift */
/** @typedef {import("./fit.js").Planned} Planned */
const KEYS = /** @type {Record<string, string>} */ ({ m: "MORNING", e: "EVENING", n: "NIGHT", o: "OFF" });

/** A day of the week that is shown: its year stands above. @param {string} date */
const dayOf = (date) => named(date, zone());
/** @param {number} cents */
const short = (cents) => money(cents, purse(), true);

/** @param {string[]} parts */
export function draw([from = today()]) {
  const days = weekOf(/^\d{4}-\d\d-\d\d$/.test(from) ? from : today());
  return loaded(async () => {
    // Seven days in a row reach over the week on either side.
    const [people, shifts, holidays, leave] = await Promise.all([
      all("/employees", { status: "ACTIVE" }), all("/shifts", { from: later(days[0], -7), to: later(days[6], 7) }), all("/holidays", { from: days[0], to: days[6] }),
      may("leave:approve") ? all("/leave-requests", { status: "APPROVED", from: days[0], to: days[6] }) : [],
    ]);
    return { people, shifts, holidays: new Map(holidays.map((one) => [one.date, one.name])), leave };
  }, (known, again) => week(days, known, again));
}

/** @param {string[]} days @param {{ people: any[], shifts: Shift[], holidays: Map<string, string>, leave: any[] }} known @param {() => void} again */
function week(days, { people, shifts: first, holidays, leave }, again) {
  const shifts = signal(byPlace(first)), place = signal({ row: 0, day: 0, nth: 0 }), stands = signal(false);
  /** @type {HTMLElement[][]} */
  const cells = people.map(() => []);
  const ofWeek = () => [...shifts().values()].flat().filter((one) => days.includes(one.date));
  /** What is planned for somebody on a day, in its order. @param {any} who @param {string} day */
  const on = (who, day) => shifts().get(`${who.id} ${day}`) ?? [];
  /** How many stand in a cell; a free one is one place, too. @param {number} row @param {number} day */
  const many = (row, day) => Math.max(1, shifts.peek().get(`${people[row].id} ${days[day]}`)?.length ?? 0);
  /** Where the focus is, of what is there now. */
  const here = () => { const { row, day, nth } = place(); return { row, day, nth: Math.min(nth, Math.max(1, on(people[row] ?? {}, days[day]).length) - 1) }; };
  /** @param {{ row: number, day: number, nth: number }} to */
  const focus = ({ row, day, nth }) => /** @type {HTMLElement | undefined} */ (cells[row]?.[day]?.querySelectorAll("button")[nth])?.focus();
  const drafts = () => ofWeek().filter(({ status }) => status === "DRAFT").length;
  /** @param {any} who */
  const theirs = (who) => [...shifts().values()].flat().filter((one) => one.employeeId === who.id);

  /** What is unwise about a plan for somebody, in words. @param {any} who @param {string} day @param {any} plan @param {Shift} [instead] the shift that it takes the place of, or that is moved */
  function advice(who, day, plan, instead) {
    const given = outlet()?.shiftTimes?.[plan.shiftType] ?? {};
    const planned = /** @type {Planned} */ ({ shiftType: plan.shiftType, date: day, startTime: plan.startTime ?? given.start, endTime: plan.endTime ?? given.end });
    const others = theirs(who).filter((one) => one.id !== instead?.id);
    const clash = clashOf(planned, others, zone()), away = planned.shiftType === "OFF" ? null : absent(who, day);
    return { planned, texts: [clash ? inTheWay(clash) : "", away ? t("fit.LEAVE", { kind: word("leave", away.leaveType) }) : "", ...warningsOf(planned, others, outlet()?.overtime, zone()).map(unwise)].filter(Boolean) };
  }
  /** The leave of somebody on a day. @param {any} who @param {string} day */
  const absent = (who, day) => leave.find((one) => one.employeeId === who.id && one.fromDate <= day && day <= one.toDate);
  /** What is there now instead of a shift. Whoever stood on it stands on what came of it. @param {Shift | undefined} old @param {any} made */
  function put(old, made) {
    const stood = stands.peek();
    shifts.set(byPlace([...[...shifts.peek().values()].flat().filter((one) => one.id !== old?.id), ...(made ? [made] : [])]));
    if (!stood) return;
    const at = here(), nth = on(people[at.row], days[at.day]).findIndex((one) => one.id === made?.id);
    focus({ ...at, nth: nth >= 0 ? nth : at.nth });
  }
  /** Plans what is told in place of a shift, or as another one; null takes it away. @param {any} who @param {string} day @param {any} plan @param {Shift} [old] */
  async function set(who, day, plan, old) {
    try {
      if (plan === null) { if (old) { await send("DELETE", `/shifts/${old.id}`, undefined, old.version); put(old, null); } return; }
      put(old, old ? await send("PATCH", `/shifts/${old.id}`, plan, old.version) : await send("POST", "/shifts", { employeeId: who.id, date: day, ...plan }));
    } catch (error) {
      toast(`${who.name}, ${date(day)}: ${said(error)}`, "bad");
    }
  }
  /** Moves a shift to another cell. @param {Shift} shift @param {any} who @param {string} day */
  async function move(shift, who, day) {
    if (shift.employeeId === who.id && shift.date === day) return;
    if (!(await allTheSame(`${who.name}, ${date(day)}`, advice(who, day, shift, shift).texts, t("roster.moveGo")))) return;
    try {
      put(shift, await send("PATCH", `/shifts/${shift.id}`, { employeeId: who.id, date: day }, shift.version));
    } catch (error) {
      toast(`${who.name}, ${date(day)}: ${said(error)}`, "bad");
    }
  }

  /** @param {any} who @param {number} row @param {string} day @param {number} column */
  function cell(who, row, day, column) {
    // By their order, not by what they are: whoever plans by keys stays where they are.
    /** @returns {{ nth: number, shift: Shift | undefined, isLast: boolean }[]} */
    const places = () => { const list = on(who, day); return list.length > 0 ? list.map((shift, nth) => ({ nth, shift, isLast: nth === list.length - 1 })) : [{ nth: 0, shift: undefined, isLast: true }]; };
    return h("td", { role: "gridcell", "data-at": `${row} ${column}`, ref: (/** @type {HTMLElement} */ element) => { cells[row][column] = element; } }, each(places, ({ nth }) => nth, (one) => shiftIn(who, row, day, column, one)));
  }

  /** A shift, or the place of one. @param {any} who @param {number} row @param {string} day @param {number} column @param {() => { nth: number, shift: Shift | undefined, isLast: boolean }} one */
  function shiftIn(who, row, day, column, one) {
    const shift = () => one().shift, { nth } = untrack(one);
    const button = h("button", {
      type: "button", class: () => `shift ${shift()?.shiftType ?? "none"} ${shift()?.status ?? ""}`, tabindex: () => { const at = here(); return at.row === row && at.day === column && at.nth === nth ? 0 : -1; }, "data-row": row, "data-day": column,
      onfocus: () => { place.set({ row, day: column, nth }); stands.set(true); }, onblur: () => stands.set(false), onclick: () => void ask1(who, day, shift()), onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const next = beside({ row, day: column, nth }, event.key, people.length, many), kind = KEYS[event.key.toLowerCase()];
        if (next) focus(next);
        // With Shift it is another one of the same day.
        else if (kind) void set(who, day, { shiftType: kind }, event.shiftKey ? undefined : shift());
        else if (event.key === "Delete" || event.key === "Backspace") void set(who, day, null, shift());
        else return;
        event.preventDefault();
      },
    }, h("span", { class: "spoken" }, t("roster.cell", { name: who.name, day: date(day) }), " ", () => (shift() ? "" : t("roster.free"))), () => inCell(who, day, shift(), one().isLast));
    draggable(button, {
      onMove: (dx, dy) => { if (shift()) button.style.transform = `translate(${dx}px, ${dy}px)`; },
      onCancel: () => { button.style.transform = ""; },
      onDrop: (_dx, _dy, { x, y }) => {
        button.style.transform = "";
        const moved = shift();
        const target = /** @type {HTMLElement | null} */ (document.elementsFromPoint(x, y).filter((under) => !button.contains(under)).map((under) => under.closest("[data-at]")).find(Boolean) ?? null);
        const [toRow, toDay] = (target?.dataset.at ?? "").split(" ").map(Number);
        if (moved && target) void move(moved, people[toRow], days[toDay]);
      },
    });
    button.style.touchAction = "pan-x pan-y";
    return button;
  }

  /** What stands in a cell: the shift and its times; with the last of a day what that day costs, what of it is overtime, what is unwise. @param {any} who @param {string} day @param {Shift | undefined} shift @param {boolean} isLast */
  function inCell(who, day, shift, isLast) {
    const cost = costs(who)[days.indexOf(day)], away = absent(who, day);
    const holiday = sees && isLast && cost.holidayCents > 0 ? h("small", {}, t("roster.holidayPay", { amount: short(cost.holidayCents) })) : null;
    if (!shift) return [away ? h("small", {}, t("employed.ON_LEAVE")) : h("span", { "aria-hidden": "true" }, "+"), holiday];
    // A row is marked where it gets too long, not on each of its days.
    const found = isLast ? warningsOf(shift, theirs(who), outlet()?.overtime, zone()).filter(({ code, nth = 0 }) => code === "SHORT_REST" || (code === "SEVENTH_DAY" && nth >= 7)) : [];
    return [
      h("b", {}, word("shift", shift.shiftType)), shift.startTime ? h("small", {}, `${shift.startTime}–${shift.endTime}`) : null, shift.status === "DRAFT" ? h("small", { class: "draft" }, t("roster.draft")) : null,
      sees && isLast && shift.startTime && paidByShift(who, cost) > 0 ? h("small", {}, short(paidByShift(who, cost))) : null,
      isLast && cost.overtimeMinutes > 0 ? h("small", { class: "mark" }, `▲ ${t("roster.over", { time: duration(cost.overtimeMinutes) })}`) : null,
      ...found.map((one) => h("small", { class: "mark" }, `▲ ${one.code === "SEVENTH_DAY" ? t("fit.nth", { n: one.nth ?? 0 }) : t("fit.rest", { rest: duration(one.minutes ?? 0) })}`)), holiday,
    ];
  }

  /** What a tap on a cell asks, with what each answer costs and what would be unwise about it. @param {any} who @param {string} day @param {Shift} [old] @param {boolean} [isAnother] besides what is planned already */
  async function ask1(who, day, old, isAnother = false) {
    const instead = isAnother ? undefined : old;
    const of = (/** @type {string} */ shiftType) => {
      const { planned, texts } = advice(who, day, { shiftType }, instead), money = sees ? paidByShift(who, costs(who, planned, instead)[days.indexOf(day)]) : 0;
      return [planned.startTime ? `${planned.startTime}–${planned.endTime}` : "", money > 0 ? short(money) : "", marked(texts)].filter(Boolean).join(" · ");
    };
    const kinds = [...["MORNING", "EVENING", "NIGHT"].map((value) => ({ value, label: word("shift", value), hint: of(value) })), ...(isAnother ? [] : [{ value: "OFF", label: word("shift", "OFF") }]), { value: "TIMES", label: t("roster.times") }];
    const kind = await choose(`${isAnother ? `${t("roster.another")}: ` : ""}${who.name} · ${date(day)}`, [...kinds, ...(instead ? [...(instead.shiftType === "OFF" ? [] : [{ value: "ANOTHER", label: t("roster.another") }]), { value: "MOVE", label: t("roster.move") }, { value: "NONE", label: t("remove") }] : [])]);
    if (kind === "NONE") await set(who, day, null, instead);
    else if (kind === "ANOTHER") await ask1(who, day, old, true);
    else if (kind === "MOVE" && instead) {
      // Where nothing is in the way.
      const fits = (/** @type {any} */ one, /** @type {string} */ other) => (one.id !== who.id || other !== day) && !clashOf(/** @type {Planned} */ (advice(one, other, instead, instead).planned), theirs(one).filter(({ id }) => id !== instead.id), zone());
      const to = await choose(t("roster.move"), people.flatMap((one) => days.filter((other) => fits(one, other)).map((other) => ({ value: { one, other }, label: one.name, hint: [date(other), marked(advice(one, other, instead, instead).texts)].filter(Boolean).join(" · ") }))));
      if (to) await move(instead, to.one, to.other);
    } else if (kind === "TIMES") {
      await edit(t("roster.times"), { fields: [{ name: "shiftType", kind: "choice", need: true, values: ["MORNING", "EVENING", "NIGHT"], words: "shift", fresh: () => instead?.shiftType ?? "MORNING" }, { name: "startTime", kind: "time", need: true, fresh: () => instead?.startTime }, { name: "endTime", kind: "time", need: true, fresh: () => instead?.endTime }, { name: "station" }, { name: "notes" }],
        save: async (typed) => { if (!(await allTheSame(`${who.name}, ${date(day)}`, advice(who, day, typed, instead).texts, t("roster.planGo")))) return false; await set(who, day, typed, instead); return true; } });
    } else if (kind) await set(who, day, { shiftType: kind }, instead);
  }

  const sees = may("employees:read");
  const rests = outlet()?.weeklyRestDays ?? [], weekday = (/** @type {number} */ column) => ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"][column];
  /** What each day of somebody costs; with a plan besides, instead of one of its shifts. @param {any} who @param {Planned} [plan] @param {Shift} [instead] */
  function costs(who, plan, instead) {
    const long = (/** @type {string} */ day) => {
      const span = plan?.date === day ? spanOf(plan, zone()) : null;
      return on(who, day).filter((one) => one.id !== instead?.id).reduce((sum, one) => sum + minutes(one), span ? Math.round((span.to - span.from) / 60_000) : 0);
    };
    // Nobody has a day off paid that would have been one anyway.
    const free = (/** @type {string} */ day) => !holidays.has(day) || outlet()?.leave?.holidaysPaid === false || rests.includes(weekday(days.indexOf(day))) || on(who, day).some(({ shiftType }) => shiftType === "OFF");
    return costsOfWeek(who, days.map((day) => /** @type {[string, number]} */ ([day, long(day)])), outlet()?.overtime, (day) => (free(day) ? 0 : who.dayMinutes ?? outlet()?.leave?.dayMinutes ?? 0));
  }
  /** Of a day's cost what its shift makes: a salary is paid without it. @param {any} who @param {import("./week.js").Day} day */
  const paidByShift = (who, day) => (who.payBasis === "MONTHLY" ? 0 : day.ordinaryCents) + day.overtimeCents;
  const everybody = () => people.map((who) => costs(who));
  /** What the sum of some days is made of. @param {ReturnType<typeof sumOf>} sum */
  const parts = (sum) => [duration(sum.minutes), sees ? h("small", {}, short(sum.cents)) : null, sum.overtimeMinutes > 0 ? h("small", { class: "warn" }, `▲ ${t("roster.over", { time: duration(sum.overtimeMinutes) })}`) : null];
  /** What is unwise about the week of somebody. @param {any} who */
  const doubts = (who) => warningsIn(ofWeek().filter((one) => one.employeeId === who.id), theirs(who), outlet()?.overtime, zone())
    // What is paid as overtime stands with the hours already.
    .filter(({ code }) => !outlet()?.overtime || !code.startsWith("OVERTIME")).map((one) => (one.code === "SHORT_REST" || one.code === "OVERTIME_DAY" ? `${dayOf(one.date)}: ${unwise(one)}` : unwise(one)));
  /** What would be unwise where the focus stands, by key, before a key is pressed. */
  function ahead() {
    const { row, day, nth } = here(), who = people[row], at = days[day];
    if (!who || !stands()) return "";
    const instead = on(who, at)[nth];
    const found = Object.entries(KEYS).filter(([, shiftType]) => shiftType !== "OFF").map(([key, shiftType]) => ({ key: key.toUpperCase(), texts: advice(who, at, { shiftType }, instead).texts }));
    // What any work there would mean is said once.
    const always = found[0].texts.filter((text) => found.every(({ texts }) => texts.includes(text)));
    const parts = [marked(always), ...found.map(({ key, texts }) => [key, texts.filter((text) => !always.includes(text))]).filter(([, texts]) => texts.length > 0).map(([key, texts]) => `${key} ${marked(/** @type {string[]} */ (texts))}`)].filter(Boolean);
    return parts.length === 0 ? "" : `${who.name}, ${dayOf(at)}: ${parts.join("; ")}`;
  }
  /** Asks before what is unwise is shown to the staff. */
  const certain = () => allTheSame(t("roster.publish"), people.flatMap((who) => doubts(who).map((text) => `${who.name} · ${text}`)), t("roster.publish"));
  return [
    head(t("section.roster"),
      act(t("roster.copy"), async () => {
        const { copied, skipped } = await send("POST", "/shifts/copy-week", { fromWeekStart: later(days[0], -7), toWeekStart: days[0] });
        toast(t("roster.copied", { n: copied, skipped: skipped.length }));
        again();
      }, { sure: t("roster.copy.sure") }),
      act(t("roster.publish"), async () => { if (!(await certain())) return; const { published, employees } = await send("POST", "/shifts/publish", { from: days[0], to: days[6] }); toast(t("roster.published", { n: published, people: employees })); again(); }, { class: "main" })),
    h("div", { class: "filters" }, h("button", { type: "button", onclick: () => go("roster", later(days[0], -7)) }, t("roster.before")), h("b", {}, `${date(days[0])} – ${date(days[6])}`), h("button", { type: "button", onclick: () => go("roster", later(days[0], 7)) }, t("roster.after")), h("a", { class: "button", href: at("roster", today()) }, t("roster.now"))),
    h("p", { class: "hint" }, t("roster.text")),
    h("p", { role: "status" }, () => { const sum = sumOf(everybody().flat()); return [t("roster.sum", { cost: sees ? cash(sum.cents) : "–", drafts: drafts() }), sees && sum.overtimeMinutes > 0 ? ` · ${t("roster.sumOver", { time: duration(sum.overtimeMinutes), cost: cash(sum.overtimeCents) })}` : "", sees && sum.holidayCents > 0 ? ` · ${t("roster.sumHoliday", { cost: cash(sum.holidayCents) })}` : ""].join(""); }),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("section.roster") }, h("table", { class: "week", role: "grid" }, h("caption", { class: "spoken" }, t("section.roster")),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("f.employeeName")), ...days.map((day) => h("th", { scope: "col", "aria-current": day === today() ? "date" : null }, dayOf(day), holidays.has(day) ? h("small", { class: "holiday" }, h("bdi", {}, holidays.get(day))) : null)), h("th", { scope: "col" }, t("roster.hours")))),
      h("tbody", {}, ...people.map((who, row) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, who.name), h("small", {}, h("bdi", {}, who.jobTitle))), ...days.map((day, column) => cell(who, row, day, column)),
        h("td", { role: "gridcell", class: "sum" }, () => parts(sumOf(costs(who))), () => doubts(who).map((text) => h("small", { class: "warn" }, `▲ ${text}`)))))),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, t("total")), ...days.map((_, column) => h("td", { role: "gridcell", class: "sum" }, () => parts(sumOf(everybody().map((each) => each[column]))))), h("td", { role: "gridcell", class: "sum" }, () => parts(sumOf(everybody().flat()))))))),
    // Below the week, and fast at the foot of the page: what comes and goes moves no cell under a finger.
    h("p", { class: "warn ahead", role: "status" }, ahead),
  ];
}
