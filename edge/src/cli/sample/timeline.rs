//! A planned day in the order in which things happen. Pure: visits in, steps out.

use super::plan::{Fate, Kind, MINUTE, Visit};

/// One thing that happens to a visit's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It is ordered.
    Place,
    /// It is cancelled before the kitchen began.
    Cancel,
    /// A line is taken off before the kitchen began.
    Void,
    /// The kitchen begins what has been fired.
    Start,
    /// The first course is ready, the next is fired and begun.
    NextCourse,
    /// The kitchen has finished.
    Ready,
    /// It is on the table, in the bag or with the rider.
    Serve,
    /// More is ordered.
    Add,
    /// What was added is begun and finished.
    AddReady,
    /// Bill, money and goodbye.
    Pay,
    /// Something was wrong: money back.
    Refund,
}

/// A step of the visit at place `visit`, at `at` milliseconds after the business date's local midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When.
    pub at: i64,
    /// Whose.
    pub visit: usize,
    /// What.
    pub step: Step,
}

/// Everything that happens to `visits`, in order.
pub fn of(visits: &[Visit]) -> Vec<Event> {
    let mut events: Vec<Event> =
        visits.iter().enumerate().flat_map(|(place, visit)| steps(place, visit)).collect();
    events.sort_unstable();
    events
}

/// Whether the guests eat course after course. Elsewhere everything is made at once.
pub fn in_courses(visit: &Visit) -> bool {
    visit.kind == Kind::DineIn && visit.at >= 11 * 60 * MINUTE
}

fn steps(place: usize, visit: &Visit) -> Vec<Event> {
    let mut steps = vec![(visit.at, Step::Place)];
    if visit.fate == Fate::Cancelled {
        steps.push((visit.at + MINUTE / 2, Step::Cancel));
    } else {
        if visit.void_first {
            steps.push((visit.at + 35_000, Step::Void));
        }
        steps.push((visit.starts_at, Step::Start));
        if in_courses(visit) {
            steps.push(((visit.starts_at + visit.ready_at) / 2, Step::NextCourse));
        }
        steps.push((visit.ready_at, Step::Ready));
        steps.push((visit.ready_at + MINUTE / 2, Step::Serve));
        if !visit.later.is_empty() {
            steps.push((visit.later_at, Step::Add));
            steps.push((visit.later_at + 6 * MINUTE, Step::AddReady));
        }
        steps.push((visit.pays_at, Step::Pay));
        if visit.fate == Fate::Refunded {
            steps.push((visit.pays_at + 9 * MINUTE, Step::Refund));
        }
    }
    steps.into_iter().map(|(at, step)| Event { at, visit: place, step }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{data, plan};
    use super::*;

    #[test]
    fn every_order_is_placed_first_and_ends_once() {
        let all = data::load().unwrap();
        let visits = plan::day(&all, "2026-11-21".parse().unwrap(), 5, 2).visits;
        let events = of(&visits);
        assert!(events.is_sorted());
        for (place, visit) in visits.iter().enumerate() {
            let steps: Vec<Step> = events.iter().filter(|e| e.visit == place).map(|e| e.step).collect();
            assert_eq!(steps.first(), Some(&Step::Place));
            assert!(steps.is_sorted(), "{visit:?} {steps:?}");
            let ends = steps.iter().filter(|s| matches!(s, Step::Cancel | Step::Pay)).count();
            assert_eq!(ends, 1);
        }
    }
}
