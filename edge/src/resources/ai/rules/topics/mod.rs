//! What can be asked: a table of topics. Each has the phrases that mean it, the calls it needs, and how their answers
//! become sentences. A new topic is a row here, two functions beside its neighbours, and its phrases in `language.txt`.

mod costs;
mod drawers;
mod kinds;
mod kitchen;
mod money;
mod people;
mod report;
mod sales;
mod sellers;
mod stock;
mod supply;
mod topic;

pub use topic::{Days, Heard, Subject, Topic};

use super::answer::Statement;
use super::call::{Call, Reply};

/// Every topic; where two fit as well, the earlier one is meant.
pub fn all() -> impl Iterator<Item = &'static Topic> {
    let groups = [
        stock::TOPICS,
        kitchen::TOPICS,
        people::TOPICS,
        sellers::TOPICS,
        costs::TOPICS,
        drawers::TOPICS,
        kinds::TOPICS,
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

/// What the assistant says of a question that fits no topic, or that it understands in part: `why`.
pub fn help(why: Option<&str>) -> Statement {
    let examples: Vec<&str> = all().map(Topic::example).collect();
    let text =
        "I do not know how to answer that. I answer questions about this outlet's own figures, such as:";
    let text = why.map_or_else(|| text.to_owned(), |why| format!("{why} {text}"));
    Statement::text(format!(
        "{text}\n{}",
        examples.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
    ))
}

/// The answer to a question whose calls were not all answered.
pub fn refusal(asked: &[(Call, Reply)]) -> Option<Statement> {
    let (call, reply) = asked.iter().find(|(_, reply)| !reply.is_success())?;
    Some(Statement::text(match reply.status {
        400 => format!("{} does not answer this: the period may be too long.", call.endpoint),
        403 => format!("You may not see this: your role has no right to {}.", call.endpoint),
        _ => format!("{} could not be read at the moment.", call.endpoint),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::money::Currency;
    use super::super::period::Period;
    use super::super::plan::Plan;
    use super::*;
    use chrono::NaiveDate;
    use chrono_tz::Tz;
    use serde_json::{Value, json};
    use tiffin_common::Millis;

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
                if let Some(statement) = (topic.tells)(&heard)
                    && statement
                        .facts
                        .iter()
                        .any(|fact| fact.text.contains(|c: char| ('1'..='9').contains(&c)))
                {
                    wrong.push(format!("{}: {statement:?}", topic.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
