//! What can be asked: a table of topics. Each has the phrases that mean it, the calls it needs, and how their answers
//! become sentences. A new topic is a row here and two functions beside its neighbours.

mod costs;
mod kitchen;
mod money;
mod people;
mod report;
mod sales;
mod sellers;
mod stock;
mod supply;

use super::answer::Told;
use super::call::{Call, Reply};
use super::money::Currency;
use super::period::{self, Period};
use super::plan::Plan;
use super::words::split;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde_json::Value;
use tiffin_common::Millis;

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
    fn clock(&self, moment: &str) -> Option<String> {
        let moment: Millis = moment.parse().ok()?;
        Some(moment.to_utc().with_timezone(&self.timezone).format("%H:%M").to_string())
    }

    /// The date and the time on the wall.
    fn local_now(&self) -> (String, String) {
        let local = self.now.to_utc().with_timezone(&self.timezone);
        (local.format("%Y-%m-%d").to_string(), local.format("%H:%M").to_string())
    }
}

/// Something that can be asked.
pub struct Topic {
    /// Its name.
    pub name: &'static str,
    /// Phrases that mean it: every word must be there, in any order; `a|b` is either.
    pub phrases: &'static [&'static str],
    /// Whether it is about a thing with a name.
    pub subject: Subject,
    /// Its usual days.
    pub days: Days,
    /// A question of this kind, for people who want to know what they can ask.
    pub example: &'static str,
    /// The calls it needs.
    pub asks: fn(&Plan) -> Vec<Call>,
    /// Calls that depend on what the first ones answered.
    pub then: Option<fn(&Heard<'_>) -> Vec<Call>>,
    /// Its answer; nothing when the answers do not have the figures.
    pub tells: fn(&Heard<'_>) -> Option<Told>,
}

/// Every topic; where two fit as well, the earlier one is meant.
pub fn all() -> impl Iterator<Item = &'static Topic> {
    let groups = [
        stock::TOPICS,
        kitchen::TOPICS,
        people::TOPICS,
        sellers::TOPICS,
        costs::TOPICS,
        money::TOPICS,
        supply::TOPICS,
        sales::TOPICS,
    ];
    groups.into_iter().flatten()
}

/// The topic of that name.
pub fn named(name: &str) -> Option<&'static Topic> {
    all().find(|topic| topic.name == name)
}

/// What the assistant says of a question that fits no topic.
pub fn help() -> Told {
    let examples: Vec<&str> = all().map(|topic| topic.example).collect();
    let text =
        "I do not know how to answer that. I answer questions about this outlet's own figures, such as:";
    Told::text(format!(
        "{text}\n{}",
        examples.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
    ))
}

/// The answer to a question whose calls were not all answered.
pub fn refusal(asked: &[(Call, Reply)]) -> Option<Told> {
    let (call, reply) = asked.iter().find(|(_, reply)| !reply.is_success())?;
    Some(Told::text(match reply.status {
        400 => format!("{} does not answer this: the period may be too long.", call.endpoint),
        403 => format!("You may not see this: your role has no right to {}.", call.endpoint),
        _ => format!("{} could not be read at the moment.", call.endpoint),
    }))
}

/// Adds `from` and `to` to a call.
fn within(call: Call, period: &Period) -> Call {
    call.with("from", period.from.to_string()).with("to", period.to.to_string())
}

/// A sentence with a capital.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::super::plan::Plan;
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_of_another_shape_are_told_as_such_and_never_as_figures() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        let currency = Currency("INR".into());
        let mut wrong = Vec::new();
        for topic in all() {
            let plan = Plan {
                topic: topic.name.to_owned(),
                period: Period::today(today),
                against: Some(Period::today(today)),
                subject: "rice".to_owned(),
                by: None,
                worst: false,
                top: None,
            };
            for body in
                [Value::Null, json!({}), json!([{}]), json!({"items": [{}], "rows": [[]], "columns": [{}]})]
            {
                let data = vec![body; (topic.asks)(&plan).len()];
                let (timezone, now) = (Tz::UTC, Millis::new(0));
                let heard = Heard { plan: &plan, data: &data, currency: &currency, today, now, timezone };
                topic.then.map(|then| then(&heard));
                if let Some(told) = (topic.tells)(&heard)
                    && told.facts.iter().any(|fact| fact.text.contains(|c: char| ('1'..='9').contains(&c)))
                {
                    wrong.push(format!("{}: {told:?}", topic.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
