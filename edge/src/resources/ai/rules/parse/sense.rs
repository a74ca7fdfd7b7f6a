//! A question cut up: its words, what a misspelt one is meant as, its periods. Never decides what the question is about.

use super::super::language;
use super::super::period::{self, Found, Period};
use super::super::plan::By;
use super::super::topics::{self, Subject, Topic};
use super::super::words::{Word, is_near, number, split};
use chrono::NaiveDate;
use std::collections::HashSet;
use std::sync::LazyLock;

/// What somebody asks about who says "than last week".
fn counterpart(against: &Period) -> Option<Period> {
    let day = |n: u64| against.to.checked_add_days(chrono::Days::new(n));
    match against.name.as_str() {
        "yesterday" => day(1).map(Period::today),
        _ => None,
    }
}

static VOCABULARY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let phrases = topics::all().flat_map(Topic::phrases).flat_map(|phrase| phrase.split([' ', '|']));
    let lists = ["small", "weak", "comparing", "trends", "periods"];
    phrases
        .chain(topics::all().flat_map(Topic::also))
        .chain(lists.into_iter().flat_map(language::words))
        .collect()
});

/// A question cut up: its words, what each may be meant as, and its periods.
pub(super) struct Sense {
    words: Vec<Word>,
    /// The word of the vocabulary a misspelt word is near to.
    meant: Vec<Option<&'static str>>,
    found: Vec<Found>,
}

impl Sense {
    pub(super) fn of(question: &str, today: NaiveDate, ahead: bool) -> Sense {
        let mut words = split(question);
        let meant: Vec<_> = words.iter().map(meant).collect();
        let mut corrected = words.clone();
        for (word, meant) in corrected.iter_mut().zip(&meant) {
            if let Some(known) = meant.filter(|known| language::has("periods", known)) {
                known.clone_into(&mut word.stem);
            }
        }
        let found = period::find(&corrected, today, ahead);
        for (i, word) in words.iter_mut().enumerate() {
            if found.iter().any(|found| (found.at..found.end).contains(&i)) {
                word.stem.clear();
                word.text.clear();
            }
        }
        Sense { words, meant, found }
    }

    pub(super) fn has(&self, wanted: &str) -> bool {
        self.words.iter().any(|word| word.stem == wanted || word.text == wanted)
    }

    /// How well `phrase` fits: all its terms must be there; telling words count, slips count less.
    pub(super) fn score(&self, phrase: &str) -> Option<i32> {
        phrase.split(' ').try_fold(0, |sum: i32, term| {
            let best = term.split('|').filter_map(|alternative| self.weight(alternative)).max()?;
            sum.checked_add(best)
        })
    }

    fn weight(&self, wanted: &str) -> Option<i32> {
        let weight = if language::has("weak", wanted) { 2 } else { 8 };
        if self.has(wanted) {
            return Some(weight);
        }
        self.meant.contains(&Some(wanted)).then(|| weight.saturating_sub(1))
    }

    /// The words that may be a name: neither known nor small, nor part of a period, nor a number, nor a misspelt word of
    /// `phrases`.
    pub(super) fn subject(&self, phrases: &[&str]) -> String {
        let named =
            |known: &str| phrases.iter().any(|phrase| phrase.split([' ', '|']).any(|word| word == known));
        let unknown = self.words.iter().zip(&self.meant).filter(|(word, meant)| {
            let known = |text: &str| VOCABULARY.contains(text);
            let name = !word.stem.is_empty()
                && !known(&word.stem)
                && !known(&word.text)
                && number(&word.text).is_none();
            name && !meant.is_some_and(named)
        });
        unknown.map(|(word, _)| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The words that say something which is no part of `topic`: an answer would leave it out, and be of something else.
    pub(super) fn leftover(&self, topic: &Topic, subject: &str) -> Vec<String> {
        const LISTS: [&str; 5] = ["small", "weak", "comparing", "trends", "periods"];
        let is_topics = |word: &str| {
            topic.phrases().iter().any(|phrase| phrase.split([' ', '|']).any(|known| known == word))
                || topic.also().any(|known| known == word)
        };
        let is_known =
            |word: &str| is_topics(word) || LISTS.into_iter().any(|list| language::has(list, word));
        let is_subject =
            |word: &str| topic.subject != Subject::None && subject.split(' ').any(|of| of == word);
        let rest = self.words.iter().zip(&self.meant).filter(|(word, meant)| {
            let Word { text, stem } = word;
            let says_nothing = stem.is_empty() || number(text).is_some() || is_known(text) || is_known(stem);
            !says_nothing && !meant.is_some_and(is_known) && !is_subject(text)
        });
        rest.map(|(word, _)| word.text.clone()).collect()
    }

    pub(super) fn by(&self) -> Option<By> {
        let any = |words: &[&str]| words.iter().any(|word| self.has(word));
        if any(&["margin", "profit", "profitable", "earner"]) {
            return Some(By::Margin);
        }
        if any(&["revenue", "value", "money", "amount"]) {
            return Some(By::Revenue);
        }
        any(&["quantity", "number", "unit", "portion", "count"]).then_some(By::Quantity)
    }

    /// `top 3`, `the five best`: a number that is no part of a period.
    pub(super) fn top(&self) -> Option<u32> {
        self.words.iter().filter_map(|word| number(&word.text)).find(|n| (1..=50).contains(n))
    }

    pub(super) fn is_comparison(&self) -> bool {
        language::words("comparing").chain(language::words("trends")).any(|word| self.has(word))
    }

    pub(super) fn is_ahead(&self, today: NaiveDate) -> bool {
        self.found.iter().any(|found| found.period.from > today)
    }

    /// The days asked about and those to compare with, where the question names them.
    pub(super) fn periods(&self) -> (Option<Period>, Option<Period>) {
        let comparing = self.words.iter().position(|word| language::has("comparing", &word.stem));
        match self.found.as_slice() {
            [] => (None, None),
            [only] if comparing.is_some_and(|at| at < only.at) && !self.has("compare") => {
                (counterpart(&only.period), Some(only.period.clone()))
            }
            [only] => (Some(only.period.clone()), None),
            [first, second, ..] if comparing.is_none() && is_range(first, second) => {
                (Some(range(&first.period, &second.period)), None)
            }
            [first, second, ..] => (Some(first.period.clone()), Some(second.period.clone())),
        }
    }
}

/// The vocabulary's word a misspelt word is near to; none for a word that is known, and none when several are as near.
fn meant(word: &Word) -> Option<&'static str> {
    if VOCABULARY.contains(word.stem.as_str()) || VOCABULARY.contains(word.text.as_str()) {
        return None;
    }
    let near = |known: &&&'static str| is_near(&word.stem, known) || is_near(&word.text, known);
    let distance = |known: &&'static str| {
        (strsim::osa_distance(&word.stem, known), known.len().abs_diff(word.stem.len()))
    };
    VOCABULARY.iter().filter(near).min_by_key(|known| (distance(known), **known)).copied()
}

/// Two plain days with nothing compared are a range.
fn is_range(first: &Found, second: &Found) -> bool {
    let close = second.at.saturating_sub(first.end) <= 1;
    close && first.period.from <= second.period.to && first.period.name.starts_with("on ")
        || close && first.period.name.starts_with("in ") && second.period.name.starts_with("in ")
}

fn range(first: &Period, second: &Period) -> Period {
    let show = |date: NaiveDate| date.format("%-d %B %Y").to_string();
    Period::new(first.from, second.to, format!("from {} to {}", show(first.from), show(second.to)))
}
