//! What the punches of one attendance make together: when it began and ended, the breaks, the worked stretches. Real time,
//! so that a change of daylight saving adds or takes nothing. Pure.

use super::{EventType, State};
use tiffin_common::Millis;

/// One punch, at its time after corrections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// What.
    pub event: EventType,
    /// When.
    pub at: Millis,
}

/// An attendance whose punches are in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// When it began.
    pub start: Millis,
    /// When it ended.
    pub end: Option<Millis>,
    /// From when to when; the last may not have ended.
    breaks: Vec<(Millis, Option<Millis>)>,
}

impl Span {
    /// What `marks` make in the order of their times (their own order where times are equal); none when they are out of order.
    pub fn of(marks: &[Mark]) -> Option<Span> {
        let mut marks = marks.to_vec();
        marks.sort_by_key(|mark| mark.at);
        let first = marks.first()?;
        let mut span = Span { start: first.at, end: None, breaks: Vec::new() };
        let mut state = State::Out;
        for mark in &marks {
            if span.end.is_some() {
                return None;
            }
            state = state.after(mark.event)?;
            match mark.event {
                EventType::ClockIn => {}
                EventType::BreakStart => span.breaks.push((mark.at, None)),
                EventType::BreakEnd | EventType::ClockOut => {
                    if let Some((_, end @ None)) = span.breaks.last_mut() {
                        *end = Some(mark.at);
                    }
                }
            }
            if mark.event == EventType::ClockOut {
                span.end = Some(mark.at);
            }
        }
        Some(span)
    }

    /// Where the employee is after it.
    pub fn state(&self) -> State {
        match (self.end, self.breaks.last()) {
            (Some(_), _) => State::Out,
            (None, Some((_, None))) => State::Break,
            (None, _) => State::In,
        }
    }

    /// When the break began that is not over.
    pub fn on_break_since(&self) -> Option<Millis> {
        self.breaks.last().filter(|_| self.state() == State::Break).map(|(from, _)| *from)
    }

    /// When it ends, or `until` while it goes on, but never before the last that happened in it.
    fn end_or(&self, until: Millis) -> Millis {
        let last = self.breaks.last().map_or(self.start, |(from, to)| to.unwrap_or(*from));
        self.end.unwrap_or(until.max(last))
    }

    /// Milliseconds of breaks before `until`.
    pub fn break_ms(&self, until: Millis) -> i64 {
        let until = self.end.map_or(until, |end| end.min(until));
        self.breaks.iter().map(|(from, to)| to.unwrap_or(until).min(until).since(*from).max(0)).sum()
    }

    /// The worked stretches, in order, until `now` where it goes on.
    pub fn worked(&self, now: Millis) -> Vec<(Millis, Millis)> {
        let end = self.end_or(now);
        let mut stretches = Vec::with_capacity(self.breaks.len() + 1);
        let mut from = self.start;
        for (begins, ends) in &self.breaks {
            stretches.push((from, *begins));
            from = ends.unwrap_or(end);
        }
        stretches.push((from, end));
        stretches.retain(|(from, to)| from < to);
        stretches
    }

    /// Milliseconds from its beginning to its end, or to `now` while it goes on.
    pub fn length_ms(&self, now: Millis) -> i64 {
        self.end_or(now).since(self.start)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Marks that follow each other at these distances, as far as `events` fit.
    pub(in super::super) fn day(start: i64, steps: &[(EventType, i64)]) -> Vec<Mark> {
        let mut at = start;
        let mut marks = vec![Mark { event: EventType::ClockIn, at: Millis::new(at) }];
        let mut state = State::In;
        for (event, wait) in steps {
            if let Some(next) = state.after(*event).filter(|_| state != State::Out) {
                at += wait;
                state = next;
                marks.push(Mark { event: *event, at: Millis::new(at) });
            }
        }
        marks
    }

    pub(in super::super) fn any_day() -> impl Strategy<Value = Vec<Mark>> {
        let event = prop_oneof![
            4 => Just(EventType::BreakStart),
            4 => Just(EventType::BreakEnd),
            1 => Just(EventType::ClockOut),
        ];
        let steps = proptest::collection::vec((event, 0i64..5_000_000), 0..12);
        (0i64..1_000_000_000, steps).prop_map(|(start, steps)| day(start, &steps))
    }

    fn total(stretches: &[(Millis, Millis)]) -> i64 {
        stretches.iter().map(|(from, to)| to.since(*from)).sum()
    }

    proptest! {
        #[test]
        fn worked_and_breaks_are_the_whole_and_never_negative(marks in any_day(), wait in 0i64..90_000_000) {
            let span = Span::of(&marks).unwrap();
            let now = marks.last().unwrap().at.after(wait);
            let worked = total(&span.worked(now));
            prop_assert!(worked >= 0 && span.break_ms(now) >= 0);
            prop_assert_eq!(worked + span.break_ms(now), span.length_ms(now));
            prop_assert!(span.worked(now).windows(2).all(|pair| pair[0].1 <= pair[1].0));
        }

        #[test]
        fn a_clock_that_went_back_takes_nothing_away(marks in any_day(), back in 0i64..90_000_000) {
            let span = Span::of(&marks).unwrap();
            let now = marks.last().unwrap().at.after(-back);
            prop_assert!(total(&span.worked(now)) >= 0);
            prop_assert!(span.break_ms(now) >= 0 && span.length_ms(now) >= 0);
        }

        #[test]
        fn the_state_is_what_the_punches_led_to(marks in any_day()) {
            let state = marks.iter().try_fold(State::Out, |state, mark| state.after(mark.event));
            prop_assert_eq!(Some(Span::of(&marks).unwrap().state()), state);
        }
    }

    #[test]
    fn leaving_on_a_break_ends_both() {
        use EventType::{BreakStart, ClockOut};
        let span = Span::of(&day(0, &[(BreakStart, 100), (ClockOut, 50)])).unwrap();
        assert_eq!((span.end, span.state()), (Some(Millis::new(150)), State::Out));
        assert_eq!(span.worked(Millis::new(999)), [(Millis::new(0), Millis::new(100))]);
        assert_eq!(span.break_ms(Millis::new(999)), 50);
    }

    #[test]
    fn punches_out_of_order_make_nothing() {
        use EventType::{BreakEnd, ClockIn, ClockOut};
        let marks = |list: &[(EventType, i64)]| {
            list.iter().map(|(event, at)| Mark { event: *event, at: Millis::new(*at) }).collect::<Vec<_>>()
        };
        assert_eq!(Span::of(&[]), None);
        assert_eq!(Span::of(&marks(&[(ClockIn, 100), (ClockOut, 50)])), None);
        assert_eq!(Span::of(&marks(&[(ClockIn, 100), (BreakEnd, 150)])), None);
        assert_eq!(Span::of(&marks(&[(ClockIn, 1), (ClockOut, 2), (ClockIn, 3)])), None);
        assert_eq!(Span::of(&marks(&[(ClockOut, 2)])), None);
        assert!(Span::of(&marks(&[(ClockIn, 100), (ClockOut, 100)])).is_some());
    }
}
