//! From a question to a plan: words, periods, topic, subject. Never a guess: what fits no topic is not understood.

mod sense;

use super::period::{self, Period};
use super::plan::Plan;
use super::topics::{self, Days, Subject, Topic};
use super::words::split;
use chrono::NaiveDate;
use sense::Sense;

/// What comes natural where the question names only what it compares with, and that: this week for last week, cut to
/// the days that have passed on both sides.
fn natural(against: &Period, today: NaiveDate) -> Option<(Period, Period)> {
    let phrase = match against.name.as_str() {
        "last week" => "this week",
        "last month" => "this month",
        _ => return None,
    };
    let now = period::find(&split(phrase), today, false).pop()?.period;
    let before = now.before()?;
    Some((now, before))
}

/// What a word that is part of no phrase of its topic costs that topic.
const UNSAID: i32 = 3;

/// Understands `question`, asked at `today`, after `before` was understood in the same conversation.
pub fn parse(question: &str, before: Option<&Plan>, today: NaiveDate) -> Option<Plan> {
    let sense = Sense::of(question, today, false);
    let Some(Meant { topic, subject, leftover }) = best(&sense, today) else {
        return before.and_then(|plan| follow(plan, &sense, today));
    };
    // What a word adds is not in the figures of the topic: its answer would be one to another question.
    if !leftover.is_empty() {
        return None;
    }
    let sense = if topic.days == Days::Ahead { Sense::of(question, today, true) } else { sense };
    let (period, against) = periods(&sense, topic, today);
    let period = period.unwrap_or_else(|| topic.days.usual(today));
    if topic.days != Days::Ahead && period.from > today {
        return None;
    }
    Some(Plan {
        topic: topic.name.to_owned(),
        period,
        against,
        subject: if topic.subject == Subject::None { String::new() } else { subject },
        by: sense.by(),
        worst: ["worst", "least", "lowest", "bottom", "slowest", "poor", "unpopular"]
            .iter()
            .any(|word| sense.has(word)),
        top: sense.top(),
    })
}

/// Why `question` is not understood, where there is more to say than that: the words that are in no figure, or days to come.
pub fn why_not(question: &str, today: NaiveDate) -> Option<String> {
    let sense = Sense::of(question, today, false);
    let Meant { topic, leftover, .. } = best(&sense, today)?;
    if leftover.is_empty() {
        let is_to_come = topic.days != Days::Ahead && sense.is_ahead(today);
        return is_to_come.then(|| "I cannot know what is to come.".to_owned());
    }
    let words: Vec<String> = leftover.iter().map(|word| format!("“{word}”")).collect();
    Some(format!("I have no figures that tell {} apart.", words.join(", ")))
}

fn periods(sense: &Sense, topic: &Topic, today: NaiveDate) -> (Option<Period>, Option<Period>) {
    let (period, against) = sense.periods();
    if let (None, Some(against)) = (&period, &against)
        && let Some((now, before)) = natural(against, today)
    {
        return (Some(now), Some(before));
    }
    if against.is_none() && sense.is_comparison() {
        let period = period.unwrap_or_else(|| topic.days.usual(today));
        let before = period.before();
        return (Some(period), before);
    }
    (period, against)
}

/// A topic, the thing that a question names, and its words that are about neither.
struct Meant {
    topic: &'static Topic,
    subject: String,
    leftover: Vec<String>,
}

/// The topic that fits best, with what the question says besides.
fn best(sense: &Sense, today: NaiveDate) -> Option<Meant> {
    let mut found: Option<(i32, Meant)> = None;
    for topic in topics::all() {
        let Some(score) = topic.phrases().iter().filter_map(|phrase| sense.score(phrase)).max() else {
            continue;
        };
        let subject = sense.subject(topic.phrases());
        let needed = topic.subject == Subject::Needed;
        if needed && subject.is_empty() {
            continue;
        }
        // A thing that is named is meant, unless something more telling is asked of it.
        let score = if needed { score.saturating_add(3) } else { score };
        // Who asks of days to come asks what is planned.
        let score =
            if topic.days == Days::Ahead && sense.is_ahead(today) { score.saturating_add(4) } else { score };
        let leftover = sense.leftover(topic, &subject);
        let unsaid = i32::try_from(leftover.len()).unwrap_or(i32::MAX).saturating_mul(UNSAID);
        let score = score.saturating_sub(unsaid);
        if found.as_ref().is_none_or(|(best, _)| score > *best) {
            found = Some((score, Meant { topic, subject, leftover }));
        }
    }
    found.map(|(_, meant)| meant)
}

/// A question that names no topic goes on with the last one: another period, another thing, another order.
fn follow(before: &Plan, sense: &Sense, today: NaiveDate) -> Option<Plan> {
    let topic = topics::named(&before.topic)?;
    let subject = sense.subject(topic.phrases());
    if topic.subject == Subject::None && !sense.leftover(topic, &subject).is_empty() {
        return None;
    }
    let (period, against) = periods(sense, topic, today);
    let subject = Some(subject).filter(|subject| !subject.is_empty() && topic.subject != Subject::None);
    let (by, top) = (sense.by(), sense.top());
    if period.is_none() && against.is_none() && subject.is_none() && by.is_none() && top.is_none() {
        return None;
    }
    Some(Plan {
        topic: before.topic.clone(),
        period: period.unwrap_or_else(|| before.period.clone()),
        against,
        subject: subject.unwrap_or_else(|| before.subject.clone()),
        by: by.or(before.by),
        worst: before.worst,
        top: top.or(before.top),
    })
}

#[cfg(test)]
mod tests;
