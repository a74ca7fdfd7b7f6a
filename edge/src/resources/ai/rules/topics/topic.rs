//! What a topic is, and what it is told. Never which topics there are.

use super::super::answer::Statement;
use super::super::call::Call;
use super::super::language;
use super::super::money::Currency;
use super::super::period::{self, Period};
use super::super::plan::Plan;
use super::super::words::split;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde_json::Value;
use tiffin_common::Millis;

/// Begins the line of words that may stand in a question of a topic.
const ALSO: &str = "+ ";

/// Whether a topic is about a thing with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// About nothing in particular.
    None,
    /// May be narrowed to one.
    Optional,
    /// Makes no sense without one.
    Needed,
}

/// The days a topic means unless the question says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Days {
    /// Today; also of what has no period because it is about this moment.
    Today,
    /// This week.
    Week,
    /// The last 30 days.
    Thirty,
    /// Today, looking ahead: weekdays are the coming ones.
    Ahead,
}

impl Days {
    /// The period.
    pub fn usual(self, today: NaiveDate) -> Period {
        let phrase = match self {
            Days::Today | Days::Ahead => "today",
            Days::Week => "this week",
            Days::Thirty => "last 30 days",
        };
        period::find(&split(phrase), today, false)
            .pop()
            .map_or_else(|| Period::today(today), |found| found.period)
    }
}

/// What a topic is told: the plan, the answers to its calls in their order, and the outlet's currency and date.
pub struct Heard<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The contents of the answers; null where an optional call was not answered.
    pub data: &'a [Value],
    /// The outlet's currency.
    pub currency: &'a Currency,
    /// The outlet's date.
    pub today: NaiveDate,
    /// The moment of the question.
    pub now: Millis,
    /// The outlet's time zone.
    pub timezone: Tz,
}

impl Heard<'_> {
    /// The content of the call's answer.
    pub fn body(&self, call: usize) -> &Value {
        self.data.get(call).unwrap_or(&Value::Null)
    }

    /// A moment of the API as the clock on the wall shows it.
    pub(super) fn clock(&self, moment: &str) -> Option<String> {
        let moment: Millis = moment.parse().ok()?;
        Some(moment.to_utc().with_timezone(&self.timezone).format("%H:%M").to_string())
    }

    /// The date and the time on the wall.
    pub(super) fn local_now(&self) -> (String, String) {
        let local = self.now.to_utc().with_timezone(&self.timezone);
        (local.format("%Y-%m-%d").to_string(), local.format("%H:%M").to_string())
    }
}

/// Something that can be asked.
pub struct Topic {
    /// Its name, which is its section's in `language.txt`.
    pub name: &'static str,
    /// Whether it is about a thing with a name.
    pub subject: Subject,
    /// Its usual days.
    pub days: Days,
    /// The calls it needs.
    pub asks: fn(&Plan) -> Vec<Call>,
    /// Calls that depend on what the first ones answered.
    pub then: Option<fn(&Heard<'_>) -> Vec<Call>>,
    /// Its answer; nothing when the answers do not have the figures.
    pub tells: fn(&Heard<'_>) -> Option<Statement>,
}

impl Topic {
    /// About nothing in particular, of today, with one round of calls.
    pub(super) const PLAIN: Topic = Topic {
        name: "",
        subject: Subject::None,
        days: Days::Today,
        asks: |_| Vec::new(),
        then: None,
        tells: |_| None,
    };

    /// A question of this kind, for people who want to know what they can ask.
    pub fn example(&self) -> &'static str {
        language::lines(self.name).first().copied().unwrap_or_default()
    }

    /// Phrases that mean it: every word must be there, in any order; `a|b` is either.
    pub fn phrases(&self) -> &'static [&'static str] {
        match language::lines(self.name) {
            [_, phrases @ .., last] if last.starts_with(ALSO) => phrases,
            [_, phrases @ ..] => phrases,
            [] => &[],
        }
    }

    /// Words that may stand in such a question and say nothing more.
    pub fn also(&self) -> impl Iterator<Item = &'static str> {
        let last = language::lines(self.name).last().and_then(|line| line.strip_prefix(ALSO));
        last.into_iter().flat_map(|line| line.split(' '))
    }
}

/// Adds `from` and `to` to a call.
pub(super) fn within(call: Call, period: &Period) -> Call {
    call.with("from", period.from.to_string()).with("to", period.to.to_string())
}

/// A sentence with a capital.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
