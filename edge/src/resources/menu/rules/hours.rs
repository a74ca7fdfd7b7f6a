//! Hours by the outlet's wall clock: when a dish, a category or a price list holds. Hours that pass midnight belong to the day they begin
//! on. Pure: the moment is an argument. Never counts in hours and minutes what the clock may do twice or leave out: from and to are moments.

use crate::http::Checks;
use crate::resources::outlets::rules::Weekday;
use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{BusinessDay, Millis};

/// The most windows of hours a dish or a category may have.
pub const MAX_WINDOWS: usize = 8;

/// A moment, as the outlet's wall clock shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalNow {
    /// The moment.
    pub now: Millis,
    today: NaiveDate,
    timezone: Tz,
}

impl LocalNow {
    /// `now` in `timezone`.
    pub fn new(now: Millis, timezone: Tz) -> LocalNow {
        LocalNow { now, today: now.to_utc().with_timezone(&timezone).date_naive(), timezone }
    }

    /// The moment so many milliseconds earlier.
    #[must_use]
    pub fn earlier(&self, ms: i64) -> LocalNow {
        LocalNow::new(self.now.after(-ms), self.timezone)
    }

    /// When the clock shows so many minutes after the midnight that `day` begins with: the first time where it shows that twice; where it
    /// leaves that out, the moment it goes on.
    fn moment(&self, day: NaiveDate, minutes: u32) -> Millis {
        let day = if minutes < DAY { day } else { day.succ_opt().unwrap_or(day) };
        let minutes = minutes % DAY;
        let time = NaiveTime::from_num_seconds_from_midnight_opt(minutes * 60, 0).unwrap_or_default();
        BusinessDay::new(self.timezone, time).start(day)
    }
}

/// Minutes of a day.
const DAY: u32 = 24 * 60;

/// Minutes since midnight of `HH:MM`.
fn minutes(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let two = |part: &str| (part.len() == 2).then(|| part.parse::<u32>().ok()).flatten();
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

/// Hours of some days, wherever they are kept.
#[derive(Debug, Clone, Copy)]
pub struct Span<'h> {
    /// The days they begin on; none: every day.
    pub days: Option<&'h [Weekday]>,
    /// When they begin; none: at midnight.
    pub from: Option<&'h str>,
    /// When they end; none: at midnight.
    pub to: Option<&'h str>,
}

impl Span<'_> {
    /// Notes what is wrong with it; its parts are called `names`: from, to, days.
    pub(super) fn check(&self, [from_name, to_name, days_name]: [&str; 3], checks: &mut Checks) {
        let (from, to) = (self.from.map(minutes), self.to.map(minutes));
        checks.require(from != Some(None), from_name, "must be a time of day, HH:MM");
        checks.require(to != Some(None), to_name, "must be a time of day, HH:MM");
        if let (Some(Some(from)), Some(Some(to))) = (from, to) {
            checks.require(from != to, to_name, format!("must differ from {from_name}"));
        }
        if let Some(days) = &self.days {
            checks.require(!days.is_empty(), days_name, "must not be empty");
            let repeated = days.iter().enumerate().any(|(i, d)| days.iter().skip(i + 1).any(|e| e == d));
            checks.require(!repeated, days_name, "must not repeat an element");
        }
    }

    /// The days on which hours began that hold at `at`.
    pub fn begun(self, at: &LocalNow) -> impl Iterator<Item = NaiveDate> {
        let from = self.from.and_then(minutes).unwrap_or(0);
        let to = self.to.and_then(minutes).filter(|to| *to != 0).unwrap_or(DAY);
        let until = if from < to { to } else { to + DAY };
        let days = [Some(at.today), at.today.pred_opt()];
        days.into_iter().flatten().filter(move |day| {
            let on = self.days.is_none_or(|days| Weekday::of(*day).is_some_and(|day| days.contains(&day)));
            on && at.moment(*day, from) <= at.now && at.now < at.moment(*day, until)
        })
    }

    /// Whether the hours hold at `at`.
    pub fn contains(self, at: &LocalNow) -> bool {
        self.begun(at).next().is_some()
    }
}

/// Hours of some days.
#[apply(value!)]
#[derive(Default)]
pub struct MenuHours {
    /// The days they begin on; every day when null.
    #[serde(default)]
    #[schemars(length(min = 1, max = 7))]
    pub days: Option<Vec<Weekday>>,
    /// `HH:MM` by the outlet's clock; midnight when null.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub from: Option<String>,
    /// `HH:MM` by the outlet's clock, exclusive; before `from` it is on the next day, midnight when null.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub to: Option<String>,
}

impl MenuHours {
    fn span(&self) -> Span<'_> {
        Span { days: self.days.as_deref(), from: self.from.as_deref(), to: self.to.as_deref() }
    }

    /// Notes what is wrong with the windows of a list, which stand from place `first` of it on.
    pub(super) fn check_all(windows: &[MenuHours], first: usize, checks: &mut Checks) {
        let most = windows.len().saturating_add(first) <= MAX_WINDOWS;
        checks.require(most, "windows", format!("must have at most {MAX_WINDOWS} elements"));
        for (place, window) in (first..).zip(windows) {
            let path = |field: &str| format!("windows[{place}].{field}");
            window.span().check([&path("from"), &path("to"), &path("days")], checks);
            let says = *window != MenuHours::default();
            checks.require(says, format!("windows[{place}]"), "must name days, from or to");
        }
    }

    /// Whether any of them holds at `at`; always where there are none.
    pub fn any_holds(windows: &[MenuHours], at: &LocalNow) -> bool {
        windows.is_empty() || windows.iter().any(|window| window.span().contains(at))
    }
}

table! {
    /// The hours a dish is sold in.
    #[derive(Default, PartialEq, Eq, Serialize, JsonSchema)]
    pub struct Window: menu_items {
        /// `HH:MM` by the outlet's clock.
        #[serde(rename = "availableFrom")]
        pub from: Option<String> => available_from,
        /// `HH:MM` by the outlet's clock, exclusive.
        #[serde(rename = "availableTo")]
        pub to: Option<String> => available_to,
        /// Every day when null.
        #[serde(rename = "availableDays")]
        pub days: Option<Vec<Weekday>> => json available_days,
        /// Further hours, beside those.
        #[serde(skip)]
        pub more: Vec<MenuHours> => json more_windows,
    }
}

impl Window {
    /// The hours of `windows`, of which the first stands apart.
    pub fn of(windows: Vec<MenuHours>) -> Window {
        let mut windows = windows.into_iter();
        let MenuHours { days, from, to } = windows.next().unwrap_or_default();
        Window { from, to, days, more: windows.collect() }
    }

    /// All of its hours, the first first; none: always.
    pub fn all(&self) -> Vec<MenuHours> {
        if self.is_always() {
            return Vec::new();
        }
        let first = MenuHours { days: self.days.clone(), from: self.from.clone(), to: self.to.clone() };
        std::iter::once(first).chain(self.more.iter().cloned()).collect()
    }

    fn first(&self) -> Span<'_> {
        Span { days: self.days.as_deref(), from: self.from.as_deref(), to: self.to.as_deref() }
    }

    /// Where the first hours were cleared, the next ones are the first.
    pub(super) fn settle(&mut self) {
        let is_cleared = self.from.is_none() && self.to.is_none() && self.days.is_none();
        if is_cleared && !self.more.is_empty() {
            *self = Window::of(std::mem::take(&mut self.more));
        }
    }

    /// Notes what is wrong with it.
    pub(super) fn check(&self, checks: &mut Checks) {
        let names = match self.more.is_empty() {
            true => ["availableFrom", "availableTo", "availableDays"],
            false => ["windows[0].from", "windows[0].to", "windows[0].days"],
        };
        self.first().check(names, checks);
        MenuHours::check_all(&self.more, 1, checks);
    }

    /// Whether the dish is always sold.
    pub fn is_always(&self) -> bool {
        *self == Window::default()
    }

    /// Whether the dish is sold at `at`.
    pub fn contains(&self, at: &LocalNow) -> bool {
        self.is_always()
            || self.first().contains(at)
            || self.more.iter().any(|window| window.span().contains(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> LocalNow {
        LocalNow::new(text.parse().unwrap(), Tz::Asia__Kolkata)
    }

    fn hours(from: &str, to: &str, days: Option<Vec<Weekday>>) -> MenuHours {
        MenuHours { from: Some(from.into()), to: Some(to.into()), days }
    }

    fn window(from: &str, to: &str, days: Option<Vec<Weekday>>) -> Window {
        Window::of(vec![hours(from, to, days)])
    }

    #[test]
    fn hours_are_the_outlets_wall_clock() {
        let breakfast = window("07:00", "11:00", None);
        assert!(breakfast.contains(&at("2026-11-20T01:30:00Z")));
        assert!(breakfast.contains(&at("2026-11-20T05:29:59Z")));
        assert!(!breakfast.contains(&at("2026-11-20T05:30:00Z")));
        assert!(!breakfast.contains(&at("2026-11-20T01:29:59Z")));
        assert!(Window::default().contains(&at("2026-11-20T05:30:00Z")));
    }

    #[test]
    fn hours_past_midnight_belong_to_the_day_they_begin_on() {
        // Friday 22:00 to Saturday 02:00 in Kolkata.
        let late = window("22:00", "02:00", Some(vec![Weekday::Fri]));
        assert!(late.contains(&at("2026-11-20T17:00:00Z")));
        assert!(late.contains(&at("2026-11-20T20:00:00Z")));
        assert!(!late.contains(&at("2026-11-20T20:31:00Z")));
        assert!(!late.contains(&at("2026-11-19T20:00:00Z")));
        assert!(!late.contains(&at("2026-11-21T17:00:00Z")));
    }

    #[test]
    fn an_open_end_reaches_midnight() {
        let dinner = Window { from: Some("18:00".into()), ..Window::default() };
        assert!(dinner.contains(&at("2026-11-20T18:29:00Z")));
        assert!(!dinner.contains(&at("2026-11-20T18:30:00Z")));
        assert!(window("18:00", "00:00", None).contains(&at("2026-11-20T18:29:00Z")));
    }

    #[test]
    fn hours_begin_once_and_end_once_in_the_nights_the_clocks_change() {
        let in_london = |text: &str| LocalNow::new(text.parse().unwrap(), Tz::Europe__London);
        // Clocks go back at 02:00 to 01:00: 01:30 comes twice, at 00:30 and at 01:30 by UTC.
        let (early, late) = (window("23:00", "01:30", None), window("01:30", "03:00", None));
        assert!(early.contains(&in_london("2026-10-25T00:29:59Z")));
        for second in ["2026-10-25T00:30:00Z", "2026-10-25T01:10:00Z", "2026-10-25T02:59:59Z"] {
            assert!(!early.contains(&in_london(second)), "{second}");
            assert!(late.contains(&in_london(second)), "{second}");
        }
        assert!(!late.contains(&in_london("2026-10-25T03:00:00Z")));
        // They go forward at 01:00 to 02:00: 01:30 is left out, and is the moment the clock goes on.
        let (until, after) = (window("00:00", "01:30", None), window("01:30", "03:00", None));
        assert!(until.contains(&in_london("2027-03-28T00:59:59Z")));
        assert!(!until.contains(&in_london("2027-03-28T01:00:00Z")));
        assert!(after.contains(&in_london("2027-03-28T01:00:00Z")));
        assert!(!after.contains(&in_london("2027-03-28T02:00:00Z")));
    }

    #[test]
    fn any_of_several_windows_suffices_and_the_first_stands_apart() {
        let weekend = Some(vec![Weekday::Sat, Weekday::Sun]);
        let mut twice = Window::of(vec![hours("12:00", "15:00", None), hours("19:00", "23:00", weekend)]);
        assert_eq!((twice.from.as_deref(), twice.more.len()), (Some("12:00"), 1));
        assert!(twice.contains(&at("2026-11-20T07:00:00Z")), "Friday at half past noon");
        assert!(!twice.contains(&at("2026-11-20T14:00:00Z")), "Friday at half past seven");
        assert!(twice.contains(&at("2026-11-21T14:00:00Z")), "Saturday at half past seven");
        assert_eq!(Window::of(twice.all()), twice);
        (twice.from, twice.to) = (None, None);
        twice.settle();
        assert_eq!((twice.from.as_deref(), twice.more.len()), (Some("19:00"), 0));
    }

    #[test]
    fn odd_windows_are_refused() {
        let reasons = |w: Window| {
            let mut checks = Checks::new();
            w.check(&mut checks);
            let fields = checks.finish(()).err().unwrap_or_default();
            fields.into_iter().map(|field| field.name).collect::<Vec<_>>()
        };
        assert_eq!(
            reasons(window("7:00", "25:00", Some(vec![]))),
            ["availableFrom", "availableTo", "availableDays"]
        );
        let twice = Some(vec![Weekday::Mon, Weekday::Mon]);
        assert_eq!(reasons(window("07:00", "07:00", twice.clone())), ["availableTo", "availableDays"]);
        assert!(reasons(window("22:00", "02:00", None)).is_empty());
        let wrong = vec![hours("7:00", "08:00", None), hours("07:00", "08:00", twice), MenuHours::default()];
        assert_eq!(reasons(Window::of(wrong)), ["windows[0].from", "windows[1].days", "windows[2]"]);
        let many = Window::of(vec![hours("07:00", "08:00", None); MAX_WINDOWS + 1]);
        assert_eq!(reasons(many), ["windows"]);
    }
}
