//! Days a question is about: "yesterday", "last 7 days", "in October", "from 1 to 7 November". Business dates, weeks from
//! Monday. Never reads the clock: today is given.

use super::words::{Word, number};
use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use serde::{Deserialize, Serialize};

/// Days from the first to the last, both counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// First day.
    pub from: NaiveDate,
    /// Last day.
    pub to: NaiveDate,
    /// As a sentence names it: `today`, `in October 2026`.
    pub name: String,
}

/// A period found in a question, and which of its words say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The first word.
    pub at: usize,
    /// The word behind the last one.
    pub end: usize,
    /// The days.
    pub period: Period,
}

/// The months, in lower case.
pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Mon),
    ("tuesday", Weekday::Tue),
    ("wednesday", Weekday::Wed),
    ("thursday", Weekday::Thu),
    ("friday", Weekday::Fri),
    ("saturday", Weekday::Sat),
    ("sunday", Weekday::Sun),
];

impl Period {
    /// `from` to `to`, called `name`.
    pub fn new(from: NaiveDate, to: NaiveDate, name: impl Into<String>) -> Period {
        Period { from, to, name: name.into() }
    }

    /// One day, called by its date.
    pub fn day(date: NaiveDate) -> Period {
        Period::new(date, date, format!("on {}", date.format("%A %-d %B %Y")))
    }

    /// Today.
    pub fn today(today: NaiveDate) -> Period {
        Period::new(today, today, "today")
    }

    /// Its number of days.
    pub fn days(&self) -> i64 {
        self.to.signed_duration_since(self.from).num_days().saturating_add(1)
    }

    /// The days of the same number before it, or what people compare it with: a week with the same days of the week
    /// before, a month with the same days of the month before.
    pub fn before(&self) -> Option<Period> {
        let back =
            |from: Option<NaiveDate>, to: Option<NaiveDate>, name: &str| Some(Period::new(from?, to?, name));
        let days = |n| (self.from.checked_sub_days(Days::new(n)), self.to.checked_sub_days(Days::new(n)));
        match self.name.as_str() {
            "today" => days(1).0.map(|date| Period::new(date, date, "yesterday")),
            "yesterday" => days(1).0.map(|date| Period::new(date, date, "the day before yesterday")),
            "this week" => back(days(7).0, days(7).1, "the same days of last week"),
            "last week" => back(days(7).0, days(7).1, "the week before last"),
            "this month" => {
                let month = Months::new(1);
                back(
                    self.from.checked_sub_months(month),
                    self.to.checked_sub_months(month),
                    "the same days of last month",
                )
            }
            _ if self.from.day() == 1 && month(self.from).is_some_and(|whole| whole.to == self.to) => {
                month(self.from.checked_sub_months(Months::new(1))?)
            }
            _ => {
                let size = u64::try_from(self.days()).ok()?;
                if size == 1 {
                    // A Friday is like a Friday, not like a Thursday.
                    return days(7).0.map(Period::day);
                }
                let (from, to) = (days(size).0?, days(size).1?);
                Some(Period::new(from, to, format!("the {size} days before")))
            }
        }
    }
}

/// The week of `date`, from Monday, `weeks` later.
fn week(date: NaiveDate, weeks: i64, name: &str) -> Option<Period> {
    let monday = date.checked_sub_days(Days::new(date.weekday().num_days_from_monday().into()))?;
    let from = monday.checked_add_signed(chrono::Duration::try_weeks(weeks)?)?;
    Some(Period::new(from, from.checked_add_days(Days::new(6))?, name))
}

/// The month of `date`, called by its name.
fn month(date: NaiveDate) -> Option<Period> {
    let from = date.with_day(1)?;
    let to = from.checked_add_months(Months::new(1))?.pred_opt()?;
    Some(Period::new(from, to, format!("in {}", from.format("%B %Y"))))
}

/// What has passed of `period`, as far as `today`.
fn so_far(period: Period, today: NaiveDate) -> Period {
    Period { to: period.to.min(today), ..period }
}

/// Every period in `words`, in their order. `ahead`: a weekday means the next one, and a week is shown to its end.
pub fn find(words: &[Word], today: NaiveDate, ahead: bool) -> Vec<Found> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let rest: Vec<&str> = words[at..].iter().map(|word| word.stem.as_str()).collect();
        let hit = named(&rest, today, ahead).or_else(|| span(&rest, today)).or_else(|| date(&rest, today));
        match hit {
            Some((length, period)) => {
                found.push(Found { at, end: at.saturating_add(length), period });
                at = at.saturating_add(length);
            }
            None => at = at.saturating_add(1),
        }
    }
    found
}

type Hit = Option<(usize, Period)>;

/// Periods with names of their own.
fn named(words: &[&str], today: NaiveDate, ahead: bool) -> Hit {
    let days = |n: i64| today.checked_add_signed(chrono::Duration::try_days(n)?);
    let one = |n: i64, name: &str| days(n).map(|date| Period::new(date, date, name));
    let current = |period: Period| if ahead { period } else { so_far(period, today) };
    let hit = match words {
        ["day", "before", "yesterday", ..] => (3, one(-2, "the day before yesterday")?),
        ["same", "day", "last", "week", ..] => (4, Period::day(days(-7)?)),
        ["week", "before", "last", ..] => (3, week(today, -2, "the week before last")?),
        ["today" | "tonight" | "todays", ..] => (1, Period::today(today)),
        ["this", "morning" | "afternoon" | "evening", ..] => (2, Period::today(today)),
        ["yesterday" | "yesterdays", ..] => (1, one(-1, "yesterday")?),
        ["tomorrow", ..] => (1, one(1, "tomorrow")?),
        ["this" | "current", "week", ..] => (2, current(week(today, 0, "this week")?)),
        ["last" | "previous" | "past", "week", ..] => (2, week(today, -1, "last week")?),
        ["next", "week", ..] => (2, week(today, 1, "next week")?),
        [this @ ("this" | "last" | "previous" | "past"), "weekend", ..] => {
            // On a weekend, "this" is the one that runs.
            let back = i64::from(*this != "this" || today.weekday().num_days_from_monday() < 5);
            let whole =
                week(today, back.checked_neg()?, if back == 0 { "this weekend" } else { "last weekend" })?;
            let from = whole.from.checked_add_days(Days::new(5))?;
            (2, so_far(Period { from, ..whole }, today))
        }
        ["this" | "current", "month", ..] => {
            (2, current(Period { name: "this month".to_owned(), ..month(today)? }))
        }
        ["last" | "previous" | "past", "month", ..] => {
            let whole = month(today.checked_sub_months(Months::new(1))?)?;
            (2, Period { name: "last month".to_owned(), ..whole })
        }
        ["this" | "current", "year", ..] => (2, Period::new(today.with_ordinal(1)?, today, "this year")),
        ["last" | "previous" | "past", "year", ..] => {
            let from = NaiveDate::from_ymd_opt(today.year().checked_sub(1)?, 1, 1)?;
            (2, Period::new(from, today.with_ordinal(1)?.pred_opt()?, "last year"))
        }
        ["last" | "previous" | "past", day, ..] if weekday(day).is_some() => {
            (2, Period::day(recent(today.pred_opt()?, weekday(day)?)?))
        }
        ["next" | "this" | "coming", day, ..] if ahead && weekday(day).is_some() => {
            (2, Period::day(coming(today, weekday(day)?)?))
        }
        [day, ..] if weekday(day).is_some() => {
            let day = weekday(day)?;
            (1, Period::day(if ahead { coming(today, day)? } else { recent(today, day)? }))
        }
        _ => return None,
    };
    Some(hit)
}

fn weekday(word: &str) -> Option<Weekday> {
    let short = |name: &str| name.get(..3) == Some(word) && !["sun", "sat"].contains(&word);
    WEEKDAYS.iter().find(|(name, _)| *name == word || short(name)).map(|(_, day)| *day)
}

/// The latest such weekday up to `today`.
fn recent(today: NaiveDate, day: Weekday) -> Option<NaiveDate> {
    let back = today.weekday().days_since(day);
    today.checked_sub_days(Days::new(back.into()))
}

/// The first such weekday from `today`.
fn coming(today: NaiveDate, day: Weekday) -> Option<NaiveDate> {
    let on = day.days_since(today.weekday());
    today.checked_add_days(Days::new(on.into()))
}

/// `last 7 days`, `past two weeks`: up to today.
fn span(words: &[&str], today: NaiveDate) -> Hit {
    let ["last" | "past" | "previous", count, unit, ..] = words else { return None };
    let count = number(count).filter(|n| (1..=400).contains(n))?;
    let from = match *unit {
        "day" => today.checked_sub_days(Days::new(count.saturating_sub(1).into()))?,
        "week" => today.checked_sub_days(Days::new(u64::from(count).saturating_mul(7).saturating_sub(1)))?,
        "month" => today.checked_sub_months(Months::new(count))?.succ_opt()?,
        _ => return None,
    };
    let plural = if count == 1 { "" } else { "s" };
    let number = if count == 1 { String::new() } else { format!("{count} ") };
    Some((3, Period::new(from, today, format!("in the last {number}{unit}{plural}"))))
}

/// A month, or a date in one of its usual spellings. Without a year it is the latest one up to today.
fn date(words: &[&str], today: NaiveDate) -> Hit {
    if let [first, ..] = words
        && let Some(date) = numeric(first)
    {
        return Some((1, Period::day(date)));
    }
    let (length, day, name) = match words {
        [day, "of", name, ..] if ordinal(day).is_some() && month_number(name).is_some() => {
            (3, ordinal(day), *name)
        }
        [day, name, ..] if ordinal(day).is_some() && month_number(name).is_some() => (2, ordinal(day), *name),
        [name, day, ..] if month_number(name).is_some() && ordinal(day).is_some() => (2, ordinal(day), *name),
        [name, ..] if month_number(name).is_some() && *name != "may" && *name != "mar" => (1, None, *name),
        ["in", "may", ..] => (2, None, "may"),
        ["the", day, ..] if day.ends_with(['t', 'h', 'd']) && ordinal(day).is_some() => {
            return day_of_month(day, today);
        }
        _ => return None,
    };
    let number = month_number(name)?;
    let year = words
        .get(length)
        .and_then(|word| word.parse::<i32>().ok())
        .filter(|year| (2000..2200).contains(year));
    let length = if year.is_some() { length.saturating_add(1) } else { length };
    let on = |year| NaiveDate::from_ymd_opt(year, number, day.unwrap_or(1));
    let date = match year {
        Some(year) => on(year)?,
        None => {
            [today.year(), today.year().saturating_sub(1)].into_iter().filter_map(on).find(|d| *d <= today)?
        }
    };
    let period = if day.is_some() { Period::day(date) } else { so_far(month(date)?, today.max(date)) };
    Some((length, period))
}

/// `the 15th`: the latest one.
fn day_of_month(word: &str, today: NaiveDate) -> Hit {
    let day = ordinal(word)?;
    let months =
        (0..3).filter_map(|back| today.with_day(1)?.checked_sub_months(Months::new(back))?.with_day(day));
    months.into_iter().find(|date| *date <= today).map(|date| (2, Period::day(date)))
}

fn month_number(word: &str) -> Option<u32> {
    let position = MONTHS.iter().position(|name| {
        *name == word || (word.len() >= 3 && name.get(..3) == word.get(..3) && name.starts_with(word))
    })?;
    u32::try_from(position).ok()?.checked_add(1)
}

/// `7`, `7th`, `1st`.
fn ordinal(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..).unwrap_or_default();
    let fits = ["", "st", "nd", "rd", "th"].contains(&ending);
    digits.parse().ok().filter(|day| fits && (1..=31).contains(day))
}

/// `2026-11-20`, `20/11/2026`, `20-11-26`: the day first unless the year is.
fn numeric(word: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = word.split(['-', '/']).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let number = |text: &str| text.parse::<u32>().ok();
    let (year, day) = if first.len() == 4 { (*first, *third) } else { (*third, *first) };
    let year = if year.len() == 2 { number(year)?.checked_add(2000)? } else { number(year)? };
    let year = Some(year).filter(|year| (2000..2200).contains(year))?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, number(second)?, number(day)?)
}

#[cfg(test)]
mod tests {
    use super::super::words::split;
    use super::*;

    /// A Friday.
    const TODAY: (i32, u32, u32) = (2026, 11, 20);

    fn spans(question: &str, ahead: bool) -> Vec<String> {
        let today = NaiveDate::from_ymd_opt(TODAY.0, TODAY.1, TODAY.2).unwrap();
        find(&split(question), today, ahead)
            .into_iter()
            .map(|found| format!("{}..{} {}", found.period.from, found.period.to, found.period.name))
            .collect()
    }

    fn span_of(question: &str) -> String {
        let found = spans(question, false);
        assert_eq!(found.len(), 1, "{question}: {found:?}");
        found[0].split(' ').next().unwrap().to_owned()
    }

    #[test]
    fn the_days_people_mean() {
        for (question, days) in [
            ("sales today", "2026-11-20..2026-11-20"),
            ("how was yesterday?", "2026-11-19..2026-11-19"),
            ("the day before yesterday", "2026-11-18..2026-11-18"),
            ("this week", "2026-11-16..2026-11-20"),
            ("last week's waste", "2026-11-09..2026-11-15"),
            ("week before last", "2026-11-02..2026-11-08"),
            ("this month", "2026-11-01..2026-11-20"),
            ("last month", "2026-10-01..2026-10-31"),
            ("last 7 days", "2026-11-14..2026-11-20"),
            ("past two weeks", "2026-11-07..2026-11-20"),
            ("last 3 months", "2026-08-21..2026-11-20"),
            ("this year", "2026-01-01..2026-11-20"),
            ("last weekend", "2026-11-14..2026-11-15"),
            ("this weekend", "2026-11-14..2026-11-15"),
            ("on monday", "2026-11-16..2026-11-16"),
            ("on friday", "2026-11-20..2026-11-20"),
            ("last friday", "2026-11-13..2026-11-13"),
            ("in october", "2026-10-01..2026-10-31"),
            ("december sales", "2025-12-01..2025-12-31"),
            ("november", "2026-11-01..2026-11-20"),
            ("october 2025", "2025-10-01..2025-10-31"),
            ("on 2026-11-03", "2026-11-03..2026-11-03"),
            ("on 03/11/2026", "2026-11-03..2026-11-03"),
            ("on 3 november", "2026-11-03..2026-11-03"),
            ("on 3rd of november 2025", "2025-11-03..2025-11-03"),
            ("on nov 3", "2026-11-03..2026-11-03"),
            ("on december 24", "2025-12-24..2025-12-24"),
            ("on the 15th", "2026-11-15..2026-11-15"),
            ("on the 31st", "2026-10-31..2026-10-31"),
            ("same day last week", "2026-11-13..2026-11-13"),
        ] {
            assert_eq!(span_of(question), days, "{question}");
        }
        assert_eq!(spans("how much rice may be left", false), Vec::<String>::new());
        assert_eq!(spans("monday", true), ["2026-11-23..2026-11-23 on Monday 23 November 2026"]);
        assert_eq!(spans("this week", true), ["2026-11-16..2026-11-22 this week"]);
        assert_eq!(spans("today or 99/99/9999 or 0000-00-00", false).len(), 1);
    }

    #[test]
    fn a_period_is_compared_with_the_one_before() {
        let today = NaiveDate::from_ymd_opt(TODAY.0, TODAY.1, TODAY.2).unwrap();
        for (question, days) in [
            ("today", "2026-11-19..2026-11-19"),
            ("this week", "2026-11-09..2026-11-13"),
            ("last week", "2026-11-02..2026-11-08"),
            ("this month", "2026-10-01..2026-10-20"),
            ("october", "2026-09-01..2026-09-30"),
            ("last 7 days", "2026-11-07..2026-11-13"),
            ("on monday", "2026-11-09..2026-11-09"),
        ] {
            let before = find(&split(question), today, false)[0].period.before().unwrap();
            assert_eq!(format!("{}..{}", before.from, before.to), days, "{question}");
        }
    }
}
