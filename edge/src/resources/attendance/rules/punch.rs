//! How punches are judged: which planned shift they belong to, and whether they are early or late. Pure.

use super::span::{Mark, Span};
use super::{EventType, Planned, PunchStatus};
use tiffin_common::Millis;

/// How long before its start somebody may clock in to a shift.
const AHEAD_MS: i64 = 4 * 60 * 60_000;

/// What punches are judged by.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// So much earlier or later is on time.
    pub grace_ms: i64,
    /// The breaks of one attendance may take so long together.
    pub max_break_ms: i64,
    /// The shift it belongs to.
    pub planned: Option<Planned>,
}

/// The shift that a CLOCK_IN at `moment` begins: of those it is not too early and not too late for, the one whose start is
/// nearest; the earlier where two are as near.
pub fn shift_at(moment: Millis, planned: &[Planned]) -> Option<Planned> {
    let fits = |shift: &&Planned| moment >= shift.start.after(-AHEAD_MS) && moment < shift.end;
    planned
        .iter()
        .filter(fits)
        .min_by_key(|shift| (moment.since(shift.start).saturating_abs(), shift.start))
        .copied()
}

/// The status of each of `marks`, in their order. `span` is what they make together; where they make nothing, breaks cannot
/// be judged.
pub fn judge(marks: &[Mark], span: Option<&Span>, terms: &Terms) -> Vec<PunchStatus> {
    marks.iter().map(|mark| status(*mark, span, terms)).collect()
}

fn status(mark: Mark, span: Option<&Span>, terms: &Terms) -> PunchStatus {
    let beside = |planned: Millis| match mark.at.since(planned) {
        late if late > terms.grace_ms => PunchStatus::Late,
        early if early < -terms.grace_ms => PunchStatus::Early,
        _ => PunchStatus::OnTime,
    };
    match (mark.event, terms.planned) {
        (EventType::ClockIn, Some(planned)) => beside(planned.start),
        (EventType::ClockOut, Some(planned)) => beside(planned.end),
        (EventType::BreakEnd, _) if span.is_some_and(|s| s.break_ms(mark.at) > terms.max_break_ms) => {
            PunchStatus::Late
        }
        _ => PunchStatus::OnTime,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiffin_common::Uuid;

    const MINUTE: i64 = 60_000;

    fn planned(id: u128, start: i64, end: i64) -> Planned {
        let moment = |minutes| Millis::new(minutes * MINUTE);
        Planned { shift_id: Uuid::from_u128(id), start: moment(start), end: moment(end) }
    }

    fn shift(moment: i64, shifts: &[Planned]) -> Option<u128> {
        shift_at(Millis::new(moment * MINUTE), shifts).map(|shift| shift.shift_id.as_u128())
    }

    #[test]
    fn a_clock_in_belongs_to_the_nearest_shift_it_is_not_too_early_for() {
        let day = [planned(1, 420, 900), planned(2, 1_080, 1_380)];
        assert_eq!(shift(179, &day), None);
        assert_eq!(shift(180, &day), Some(1));
        assert_eq!(shift(430, &day), Some(1));
        assert_eq!(shift(840, &day), Some(2), "14:00 is nearer to 18:00 than to 07:00");
        assert_eq!(shift(1_379, &day), Some(2));
        assert_eq!(shift(1_380, &day), None);
        assert_eq!(shift(430, &[]), None);
        // Across midnight: 23:00 to 07:00.
        assert_eq!(shift(1_500, &[planned(3, 1_380, 1_860)]), Some(3));
    }

    #[test]
    fn the_grace_is_on_time_to_the_millisecond() {
        let terms =
            Terms { grace_ms: 5 * MINUTE, max_break_ms: 60 * MINUTE, planned: Some(planned(1, 420, 900)) };
        let judged = |event, minutes: i64, ms: i64| {
            let mark = Mark { event, at: Millis::new(minutes * MINUTE + ms) };
            judge(&[mark], None, &terms).remove(0)
        };
        use EventType::{ClockIn, ClockOut};
        use PunchStatus::{Early, Late, OnTime};
        assert_eq!(judged(ClockIn, 425, 0), OnTime);
        assert_eq!(judged(ClockIn, 425, 1), Late);
        assert_eq!(judged(ClockIn, 415, 0), OnTime);
        assert_eq!(judged(ClockIn, 415, -1), Early);
        assert_eq!(judged(ClockOut, 895, -1), Early);
        assert_eq!(judged(ClockOut, 895, 0), OnTime);
        assert_eq!(judged(ClockOut, 905, 1), Late);
        let free = Terms { planned: None, ..terms };
        assert_eq!(judge(&[Mark { event: ClockIn, at: Millis::new(0) }], None, &free), [OnTime]);
    }

    #[test]
    fn breaks_are_summed_and_the_one_that_exceeds_the_allowance_is_late() {
        let terms = Terms { grace_ms: 0, max_break_ms: 60 * MINUTE, planned: None };
        use EventType::{BreakEnd, BreakStart, ClockIn};
        let marks = [(ClockIn, 0), (BreakStart, 100), (BreakEnd, 140), (BreakStart, 200), (BreakEnd, 221)]
            .map(|(event, at)| Mark { event, at: Millis::new(at * MINUTE) });
        let span = Span::of(&marks);
        let judged = judge(&marks, span.as_ref(), &terms);
        assert_eq!(judged[2], PunchStatus::OnTime);
        assert_eq!(judged[4], PunchStatus::Late, "40 and 21 minutes");
    }
}
