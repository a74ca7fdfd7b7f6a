//! Which lines make one ticket, and which courses wait. Pure.
//!
//! One ticket per station and course. Nothing waits (HELD) unless somebody holds it: a line by itself, or the outlet, which has
//! later courses at a table wait. There a course waits while an earlier one is with the kitchen, until it is fired; the earliest
//! course of an order never waits, and neither does a dessert that is ordered when everything before it has gone out: nothing
//! is held that nobody would think of firing. Orders without a table are never held, nor those of guests and other systems.

use super::{Holding, Station, StationKind, TicketLine};
use tiffin_common::Uuid;

/// How far an order's courses are in the kitchen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Courses {
    /// The highest course that was fired.
    pub fired: Option<i64>,
    /// The lowest course that is held, queued or being cooked.
    pub lowest_open: Option<i64>,
}

impl Courses {
    /// The highest course that goes to the kitchen at once when lines of `lowest_new` and later come in.
    fn threshold(self, lowest_new: i64) -> i64 {
        let fired = self.fired.unwrap_or(i64::MIN);
        match self.lowest_open {
            Some(open) if open < lowest_new => fired,
            _ => fired.max(lowest_new),
        }
    }
}

/// One ticket to be.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Where.
    pub station: &'a Station,
    /// Which course.
    pub course: i64,
    /// Whether it waits to be fired.
    pub is_held: bool,
    /// The longest preparation of its lines that is known, or the station's target.
    pub target_minutes: i64,
    /// Its lines, in the order's order.
    pub lines: Vec<&'a TicketLine<'a>>,
}

/// The tickets that `lines` make, the earliest course first. Nothing is dropped: what has no station goes to the default
/// one. Empty only when there are no lines or no stations.
pub fn plan<'a>(
    stations: &'a [Station],
    lines: &'a [TicketLine<'a>],
    holding: Holding,
    so_far: Courses,
) -> Vec<Plan<'a>> {
    let Some(default) = default_station(stations) else { return Vec::new() };
    let course_of = |line: &TicketLine<'_>| line.course.unwrap_or(1);
    let lowest = lines.iter().map(course_of).min().unwrap_or(1);
    let threshold = if holding == Holding::LaterCourses { so_far.threshold(lowest) } else { i64::MAX };
    let mut plans: Vec<Plan<'a>> = Vec::new();
    for line in lines.iter().filter(|line| line.quantity > 0) {
        let station = line.station_id.and_then(|id| find(stations, id)).unwrap_or(default);
        let course = course_of(line);
        let is_held = course > threshold || (line.hold && holding != Holding::Nothing);
        let fits =
            |p: &&mut Plan<'_>| p.station.id == station.id && p.course == course && p.is_held == is_held;
        match plans.iter_mut().find(fits) {
            Some(plan) => plan.lines.push(line),
            None => plans.push(Plan {
                station,
                course,
                is_held,
                target_minutes: station.fields.target_minutes,
                lines: vec![line],
            }),
        }
    }
    for plan in &mut plans {
        let longest = plan.lines.iter().filter_map(|line| line.prep_minutes).max();
        plan.target_minutes = longest.unwrap_or(plan.station.fields.target_minutes).max(0);
    }
    plans.sort_by_key(|plan| plan.course);
    plans
}

fn find(stations: &[Station], id: Uuid) -> Option<&Station> {
    stations.iter().find(|station| station.id == id)
}

/// The station that `wanted` names, or else the default one. None only when there are no stations.
pub fn station_for(stations: &[Station], wanted: Option<Uuid>) -> Option<&Station> {
    wanted.and_then(|id| find(stations, id)).or_else(|| default_station(stations))
}

fn default_station(stations: &[Station]) -> Option<&Station> {
    let first_prep = || stations.iter().find(|station| station.fields.kind == StationKind::Prep);
    stations.iter().find(|station| station.fields.is_default).or_else(first_prep).or_else(|| stations.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::kitchen::rules::StationFields;
    use tiffin_common::Millis;

    fn station(n: u128, is_default: bool) -> Station {
        Station {
            id: Uuid::from_u128(n),
            fields: StationFields { name: format!("S{n}"), is_default, ..StationFields::first() },
            version: 1,
            created_at: Millis::default(),
            updated_at: Millis::default(),
        }
    }

    fn line(station: Option<u128>, course: Option<i64>) -> TicketLine<'static> {
        TicketLine {
            order_item_id: Uuid::nil(),
            menu_item_id: Uuid::nil(),
            variant_id: None,
            name: "Dosa",
            quantity: 1,
            weight: None,
            modifiers: Vec::new(),
            notes: None,
            seat_number: None,
            course,
            station_id: station.map(Uuid::from_u128),
            combo_name: None,
            prep_minutes: None,
            hold: false,
        }
    }

    fn shape(plans: &[Plan<'_>]) -> Vec<(u128, i64, bool, usize)> {
        plans.iter().map(|p| (p.station.id.as_u128(), p.course, p.is_held, p.lines.len())).collect()
    }

    #[test]
    fn one_ticket_per_station_and_course_and_nothing_dropped() {
        let stations = [station(1, false), station(2, true)];
        let lines = [
            line(Some(1), None),
            line(Some(2), Some(2)),
            line(Some(99), Some(1)),
            line(None, None),
            line(Some(1), Some(1)),
        ];
        let plans = plan(&stations, &lines, Holding::LaterCourses, Courses::default());
        assert_eq!(shape(&plans), [(1, 1, false, 2), (2, 1, false, 2), (2, 2, true, 1)]);
        for holding in [Holding::Nothing, Holding::Lines] {
            assert!(plan(&stations, &lines, holding, Courses::default()).iter().all(|p| !p.is_held));
        }
    }

    #[test]
    fn a_line_is_held_by_itself_where_that_is_possible() {
        let stations = [station(1, true)];
        let held = TicketLine { hold: true, ..line(None, None) };
        let lines = [line(None, None), held];
        assert_eq!(
            shape(&plan(&stations, &lines, Holding::Lines, Courses::default())),
            [(1, 1, false, 1), (1, 1, true, 1)]
        );
        assert_eq!(shape(&plan(&stations, &lines, Holding::Nothing, Courses::default())), [(1, 1, false, 2)]);
    }

    #[test]
    fn the_earliest_course_is_never_held() {
        let stations = [station(1, true)];
        let lines = [line(None, Some(3)), line(None, Some(4))];
        let held = |so_far| -> Vec<bool> {
            plan(&stations, &lines, Holding::LaterCourses, so_far).iter().map(|p| p.is_held).collect()
        };
        assert_eq!(held(Courses::default()), [false, true]);
        // Mains are still cooking: the dessert waits.
        assert_eq!(held(Courses { fired: Some(2), lowest_open: Some(2) }), [true, true]);
        // Everything has gone out: the dessert is cooked.
        assert_eq!(held(Courses { fired: Some(2), lowest_open: None }), [false, true]);
        // The course was fired already.
        assert_eq!(held(Courses { fired: Some(4), lowest_open: Some(2) }), [false, false]);
    }

    #[test]
    fn the_slowest_dish_sets_the_target() {
        let stations = [station(1, true)];
        let mut slow = line(None, None);
        slow.prep_minutes = Some(25);
        assert_eq!(
            plan(&stations, &[line(None, None), slow], Holding::Nothing, Courses::default())[0]
                .target_minutes,
            25
        );
        let lines = [line(None, None)];
        let plain = plan(&stations, &lines, Holding::Nothing, Courses::default());
        assert_eq!(plain[0].target_minutes, 15);
    }
}
