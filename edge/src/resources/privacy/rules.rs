//! How words about a guest are told from others, and blanked. Pure.

use crate::resources::orders::rules::Guest;
use serde_json::Value;
use std::ops::{BitOr, Range};

/// What stands where words about a guest stood.
pub const BLANK: &str = "…";

/// Digits that a phone number has at least.
const LEAST: usize = 5;

/// Digits that a number has at least to be known by its end, however it begins, and to be looked for among other words.
const SURE: usize = 7;

/// The last digits by which a number is found among other words.
const TAIL: usize = 8;

/// The most digits of a country's code.
const COUNTRY: usize = 3;

refusals! {
    /// Why nobody was erased.
    #[derive(Debug, thiserror::Error)]
    pub enum PrivacyError {}
}

/// What was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    /// Orders.
    pub orders: i64,
    /// Feedbacks.
    pub feedback: i64,
    /// Bills and credit notes that stay.
    pub documents_kept: i64,
}

/// A phone number by its digits, without zeros before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    /// The number that `phone` is, however it is written; none of too few digits.
    pub fn of(phone: &str) -> Option<Number> {
        let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_start_matches('0');
        (digits.len() >= LEAST).then(|| Number(digits.to_owned()))
    }

    /// Whether both are one number, be it with or without its country.
    pub fn is(&self, other: &Number) -> bool {
        let (short, long) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        let before = long.0.len() - short.0.len();
        before == 0 && short == long
            || (1..=COUNTRY).contains(&before) && short.0.len() >= SURE && long.0.ends_with(&short.0)
    }

    /// A guest of whom nothing else is known.
    pub fn guest(&self) -> Guest {
        Guest { phone: Some(self.0.clone()), ..Guest::default() }
    }
}

/// What is looked for in words: numbers however they are written, names and addresses as whole words in whatever case.
#[derive(Debug, Clone, Default)]
pub struct Traces {
    numbers: Vec<String>,
    words: Vec<String>,
}

impl Traces {
    /// The traces of `guests`.
    pub fn of(guests: &[Guest]) -> Traces {
        let mut traces = Traces::default();
        for Guest { name, phone, address } in guests {
            let number = phone.as_deref().and_then(Number::of).filter(|number| number.0.len() >= SURE);
            traces.numbers.extend(number.map(|number| number.0));
            let words = [name, address].into_iter().flatten().map(|words| words.trim());
            traces.words.extend(words.filter(|words| words.chars().count() > 1).map(str::to_owned));
        }
        for list in [&mut traces.numbers, &mut traces.words] {
            list.sort_unstable();
            list.dedup();
        }
        traces
    }

    /// Those that are nobody else's: a name of one word is many a person's.
    pub fn unmistakable(&self) -> Traces {
        let words = self.words.iter().filter(|words| words.contains(char::is_whitespace)).cloned();
        Traces { numbers: self.numbers.clone(), words: words.collect() }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.words.is_empty()
    }

    /// `text` with the traces blanked; none where there are none in it. In JSON only strings are looked at.
    pub fn blanked(&self, text: &str) -> Option<String> {
        if text.starts_with(['{', '['])
            && let Ok(mut value) = serde_json::from_str::<Value>(text)
        {
            return self.blank_in(&mut value).then(|| value.to_string());
        }
        self.blanked_words(text)
    }

    /// Whether something was blanked.
    fn blank_in(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.blanked_words(text).map(|blanked| *text = blanked).is_some(),
            Value::Array(parts) => parts.iter_mut().map(|part| self.blank_in(part)).fold(false, BitOr::bitor),
            Value::Object(parts) => {
                parts.values_mut().map(|part| self.blank_in(part)).fold(false, BitOr::bitor)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn blanked_words(&self, text: &str) -> Option<String> {
        let mut found = self.numbers_in(text);
        found.extend(self.words.iter().flat_map(|words| words_in(text, words)));
        if found.is_empty() {
            return None;
        }
        found.sort_unstable_by_key(|range| range.start);
        let (mut blanked, mut behind) = (String::with_capacity(text.len()), 0);
        for range in found {
            // One that begins within the one before is blanked with it.
            if range.start >= behind {
                blanked.push_str(text.get(behind..range.start).unwrap_or_default());
                blanked.push_str(BLANK);
            }
            behind = behind.max(range.end);
        }
        blanked.push_str(text.get(behind..).unwrap_or_default());
        Some(blanked)
    }

    /// Where numbers stand: a run of digits may be broken by what people put between them.
    fn numbers_in(&self, text: &str) -> Vec<Range<usize>> {
        let (mut found, mut run) = (Vec::new(), Vec::new());
        for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
            match c {
                '0'..='9' => run.push((at, c)),
                ' ' | '-' | '.' | '(' | ')' | '/' | '+' | '\u{a0}' => {}
                _ => self.numbers_of(&std::mem::take(&mut run), &mut found),
            }
        }
        found
    }

    fn numbers_of(&self, run: &[(usize, char)], found: &mut Vec<Range<usize>>) {
        if run.len() < SURE {
            return;
        }
        let digits: String = run.iter().map(|(_, digit)| digit).collect();
        for number in &self.numbers {
            let tail = number.get(number.len().saturating_sub(TAIL)..).unwrap_or(number);
            for (place, _) in digits.match_indices(tail) {
                let before = number.len().saturating_sub(tail.len()).saturating_add(COUNTRY);
                let first = run.get(place.saturating_sub(before));
                let last = run.get(place.saturating_add(tail.len()).saturating_sub(1));
                found.extend(first.zip(last).map(|(first, last)| first.0..last.0.saturating_add(1)));
            }
        }
    }
}

/// Where `words` stand in `text`, as whole words.
fn words_in(text: &str, words: &str) -> Vec<Range<usize>> {
    let mut before = None;
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        if !before.replace(c).is_some_and(char::is_alphanumeric)
            && let Some(length) = text.get(at..).and_then(|rest| begins_with(rest, words))
        {
            found.push(at..at.saturating_add(length));
        }
    }
    found
}

/// How many bytes of `text` are `words`, in whatever case, where it begins with them and another word follows.
fn begins_with(text: &str, words: &str) -> Option<usize> {
    let mut rest = text.chars();
    let mut length = 0usize;
    for wanted in words.chars() {
        let held = rest.next().filter(|held| held.to_lowercase().eq(wanted.to_lowercase()))?;
        length = length.saturating_add(held.len_utf8());
    }
    let ends = rest.next().is_none_or(|next| !next.is_alphanumeric());
    ends.then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guest(name: &str, phone: &str) -> Guest {
        Guest { name: Some(name.into()), phone: Some(phone.into()), address: None }
    }

    #[test]
    fn a_number_is_itself_however_it_is_written() {
        let number = |phone: &str| Number::of(phone).unwrap();
        let one = number("+91 98450 12345");
        for same in ["9845012345", "098450-12345", "0091 (98450) 12345", "91.98450.12345"] {
            assert!(one.is(&number(same)) && number(same).is(&one), "{same}");
        }
        for other in ["98450 12346", "8450 12345 7", "12345", "1239191 98450 12345"] {
            assert!(!one.is(&number(other)), "{other}");
        }
        assert!(!number("12345").is(&number("9912345")), "short ones are equal or not");
        assert_eq!(Number::of("room 12"), None);
    }

    #[test]
    fn words_about_a_guest_are_blanked_and_no_others() {
        let traces = Traces::of(&[guest("Asha Rao", "98450 12345"), guest("Émile", "12345")]);
        let blanked = |text: &str| traces.blanked(text);
        assert_eq!(blanked("for ASHA RAO, ring +91 98450-12345.").unwrap(), "for …, ring +….");
        assert_eq!(blanked("émile's table; 009845012345").unwrap(), "…'s table; …");
        for untouched in
            ["Asha", "Ashaa Rao", "Asha Raoul", "Émilean", "12345", "98450 1234", "BLR1-261120-0042"]
        {
            assert_eq!(blanked(untouched), None, "{untouched}");
        }
        let far = traces.unmistakable();
        assert_eq!(far.blanked("Émile and Asha Rao").unwrap(), "Émile and …");
        assert!(!far.is_empty() && Traces::default().is_empty());
    }

    #[test]
    fn in_json_strings_alone_are_blanked() {
        let traces = Traces::of(&[guest("Asha Rao", "98450 12345")]);
        let text = r#"{"at":9845012345,"list":["x","Asha Rao"],"phone":"9845012345"}"#;
        let blanked = traces.blanked(text).unwrap();
        let value: Value = serde_json::from_str(&blanked).unwrap();
        assert_eq!(value, serde_json::json!({"at": 9_845_012_345_i64, "list": ["x", BLANK], "phone": BLANK}));
        assert_eq!(traces.blanked(r#"["Asha"]"#), None);
        assert_eq!(traces.blanked("[Asha Rao"), Some(format!("[{BLANK}")));
    }
}
