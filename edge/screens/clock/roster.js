// The published roster, to look at: who works today, and the week. Never changes a shift.

import { ask } from "../kit/session.js";
import { day, dateOf, now } from "../kit/time.js";
import { h, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { show, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { daysOf, onDay } from "./model.js";

/** @param {string} zone */
export async function rosterDialog(zone) {
  const today = dateOf(now(), zone), days = daysOf(today);
  const which = signal(/** @type {"today" | "week"} */ ("today"));
  try {
    const { data } = await ask("GET", "/workforce/roster", { query: { startDate: days[0], endDate: days[6] } });
    /** @param {import("./model.js").Shift} shift */
    const shiftOf = (shift) => (shift.shiftType === "OFF" ? h("span", { class: "hint" }, t("off")) : h("span", {}, `${shift.startTime}–${shift.endTime}`, shift.station ? h("small", {}, h("bdi", {}, shift.station)) : null));
    await show(t("roster"), () => [
      h("div", { class: "choices two" }, ...(/** @type {const} */ (["today", "week"])).map((one) => h("button", { type: "button", "aria-pressed": () => String(which() === one), onclick: () => which.set(one) }, t(`roster.${one}`)))),
      () => {
        if (which() === "today") {
          const rows = onDay(data.matrix, today);
          return rows.length === 0 ? h("p", {}, t("roster.none")) : h("ul", { class: "today" }, ...rows.map(({ name, role, shifts }) => h("li", {}, h("b", {}, h("bdi", {}, name)), h("span", { class: "hint" }, role), h("span", { class: "when" }, ...shifts.map(shiftOf)))));
        }
        return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("roster.week") }, h("table", { class: "week" },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("name")), ...days.map((date) => h("th", { scope: "col", class: date === today ? "now" : null }, day(date, zone))))),
          h("tbody", {}, ...data.matrix.map((/** @type {import("./model.js").Row} */ row) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, row.employeeName)),
            ...days.map((date) => h("td", { class: date === today ? "now" : null }, ...row.shifts.filter((shift) => shift.date === date).map(shiftOf))))))));
      },
    ], { wide: true });
  } catch (error) { toast(said(error), "bad"); }
}
