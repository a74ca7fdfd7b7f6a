//! The staff of a simulated day: they come, take a break and go, mostly on time, and now and then somebody forgets to clock
//! out. Never writes a table itself; the same seed gives the same punches.

use super::Branch;
use crate::access::Role;
use crate::cli::sample::dice::Dice;
use crate::cli::sample::plan::MINUTE;
use crate::cli::sample::seed::{Result, making};
use crate::db::{TimeOfDay, Tx};
use crate::resources::attendance::actions::{Added, add, punch};
use crate::resources::attendance::rules::{AttendanceError, EventType};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::outlets::rules::ShiftTime;
use crate::resources::{employees, shifts};
use chrono::{Datelike, NaiveDate};
use std::collections::BTreeMap;
use tiffin_common::{BusinessDay, Millis, Uuid};

/// One punch to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tap {
    /// When.
    pub(super) at: Millis,
    employee: Uuid,
    event: EventType,
}

/// The punches of a day, by time, and the clock-outs that are forgotten.
pub(super) struct Day {
    pub(super) taps: Vec<Tap>,
    pub(super) forgotten: Vec<Added>,
}

/// What everybody does on `date`.
pub(super) fn day(branch: &Branch, tx: &Tx<'_>, date: NaiveDate) -> Result<Day> {
    let number = u64::from(date.num_days_from_ce().unsigned_abs());
    let mut day = Day { taps: Vec::new(), forgotten: Vec::new() };
    for (place, (employee, start, end)) in (0..).zip(work(branch, tx, date)?) {
        let mut dice = Dice::new(branch.seed, 3 << 56 | number << 16 | place);
        let minutes = |dice: &mut Dice, low, high| i64::from(dice.between(low, high)) * MINUTE;
        let late = if dice.chance(70) { minutes(&mut dice, 8, 35) } else { -minutes(&mut dice, 0, 4) };
        let came = start.after(late + i64::from(dice.below(60_000)));
        let pause = came.after(minutes(&mut dice, 180, 260));
        let length = if dice.chance(60) { minutes(&mut dice, 61, 80) } else { minutes(&mut dice, 25, 50) };
        let left = end.after(minutes(&mut dice, 0, 9) - 2 * MINUTE + i64::from(dice.below(60_000)));
        let mut tap = |event, at| day.taps.push(Tap { at, employee, event });
        tap(EventType::ClockIn, came);
        tap(EventType::BreakStart, pause);
        tap(EventType::BreakEnd, pause.after(length));
        if dice.chance(6) {
            let reason = "Forgot to clock out".to_owned();
            day.forgotten.push(Added {
                employee_id: employee,
                event: EventType::ClockOut,
                time: end,
                reason,
            });
        } else {
            tap(EventType::ClockOut, left);
        }
    }
    day.taps.sort_by_key(|tap| tap.at);
    Ok(day)
}

/// Who works from when to when: by the roster, and where it is silent by turns, with a day off in seven.
fn work(branch: &Branch, tx: &Tx<'_>, date: NaiveDate) -> Result<Vec<(Uuid, Millis, Millis)>> {
    let outlet = &branch.seeded.outlet;
    let planned = shifts::store::list_between(tx, outlet.id, date, date).map_err(making("the roster"))?;
    let names = employees::store::list_names(tx, outlet.id).map_err(making("the staff"))?;
    // By name: the order of the ids in a map is chance.
    let people: BTreeMap<String, Uuid> = names.into_iter().map(|(id, name)| (name, id)).collect();
    let mut work = Vec::with_capacity(people.len());
    for (place, employee) in (0..).zip(people.into_values()) {
        let mut own = planned.iter().filter(|shift| shift.employee_id == employee).peekable();
        if own.peek().is_some() {
            let spans = own.filter_map(|shift| shift.span(outlet.timezone));
            work.extend(spans.map(|span| (employee, span.start, span.end)));
        } else if (date.num_days_from_ce() + place) % 7 != 0 {
            let times = &outlet.shift_times;
            let time = if place % 2 == 0 { &times.morning } else { &times.evening };
            work.extend(moments(branch, date, time).map(|(start, end)| (employee, start, end)));
        }
    }
    Ok(work)
}

fn moments(branch: &Branch, date: NaiveDate, time: &ShiftTime) -> Option<(Millis, Millis)> {
    let moment = |time: TimeOfDay| BusinessDay::new(branch.seeded.outlet.timezone, time.0).start(date);
    Some((moment(time.start), moment(time.end))).filter(|(start, end)| start < end)
}

/// Carries out `taps`, each at its moment.
pub(super) fn carry_out(branch: &Branch, tx: &Tx<'_>, taps: &[Tap]) -> Result<()> {
    let tablet = branch.seeded.actor(Role::Terminal);
    for tap in taps {
        let found =
            employees::store::find(tx, tablet.outlet_id, tap.employee).map_err(making("the staff"))?;
        let Some(employee) = found else { continue };
        match punch(&tx.at(tap.at), &tablet, &employee, tap.event) {
            // Whoever forgot to clock out yesterday may have to wait for the manager.
            Ok(_) | Err(AttendanceError::Order { .. }) => {}
            Err(error) => return Err(making("a punch")(error)),
        }
    }
    Ok(())
}

/// What was forgotten the day before is added, most of it, by the manager; what a manager forgot by the owner. Nobody stands above the owner.
pub(super) fn put_right(branch: &Branch, tx: &Tx<'_>, forgotten: &[Added]) -> Result<()> {
    for added in forgotten {
        let mut dice = Dice::new(branch.seed, 4 << 56 | added.time.get().unsigned_abs());
        if !dice.chance(750) {
            continue;
        }
        for actor in [Role::Manager, Role::Owner].map(|role| branch.seeded.actor(role)) {
            let above = employees::store::is_above(tx, actor.employee_id, actor.role, added.employee_id);
            if above.map_err(making("the staff"))? {
                add(tx, &actor, added, &ApproverPin::none()).map_err(making("a correction"))?;
                break;
            }
        }
    }
    Ok(())
}
