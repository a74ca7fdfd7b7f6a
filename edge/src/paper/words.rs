//! The fixed words of paper in other languages than English, as data: `words.tsv`, a column for each. What people typed is never
//! translated: only rows that hold nothing of theirs are looked at, and a text that no line of the table has stays as it is.

use super::Row;
use std::collections::HashMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("words.tsv");

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 5] = ["ar", "fa", "he", "ps", "ur"];

type Words = HashMap<&'static str, &'static str>;

/// The words of each language by the English ones.
static LANGUAGES: LazyLock<HashMap<&'static str, Words>> = LazyLock::new(|| {
    let mut lines = TABLE.lines();
    let names = lines.next().unwrap_or_default().split('\t').skip(1);
    let mut languages: Vec<(&str, Words)> = names.map(|name| (name, Words::new())).collect();
    for line in lines {
        let mut cells = line.split('\t');
        let Some(english) = cells.next() else { continue };
        for ((_, words), said) in languages.iter_mut().zip(cells) {
            words.insert(english, said);
        }
    }
    languages.into_iter().collect()
});

/// `hi` of `hi-IN`.
fn base(language: &str) -> &str {
    language.split('-').next().unwrap_or(language)
}

/// Whether `text` may name a language: `hi`, `pt-br`.
pub fn is_language(text: &str) -> bool {
    (2..=12).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether `language` is written from right to left: then what stands at the left elsewhere stands at the right.
pub fn is_right_to_left(language: Option<&str>) -> bool {
    language.is_some_and(|language| RIGHT_TO_LEFT.contains(&base(language)))
}

/// The rows with their fixed words in `language`; as they are where there are none of it.
pub fn in_language(rows: Vec<Row>, language: Option<&str>) -> Vec<Row> {
    match language.and_then(|language| LANGUAGES.get(base(language))) {
        Some(words) => rows.into_iter().map(|row| said(row, words)).collect(),
        None => rows,
    }
}

/// The name of the house and plain rows, among them names of dishes, are people's; so is the right of a pair.
fn said(row: Row, words: &Words) -> Row {
    match row {
        Row::Pair(left, right) => Row::Pair(label(&left, words), right),
        Row::Strong(left, right) => Row::Strong(label(&left, words), right),
        Row::Large(text) => Row::Large(label(&text, words)),
        Row::Centre(text) => Row::Centre(label(&text, words)),
        Row::Bold(text) => Row::Bold(label(&text, words)),
        Row::Reverse(text) => Row::Reverse(label(&text, words)),
        row @ (Row::Title(_) | Row::Plain(_) | Row::Rule | Row::Qr(_) | Row::Picture(_)) => row,
    }
}

/// A label, perhaps indented, and perhaps with a code, a number or a count behind it: `TOTAL INR`, `Course 2`, `CASH (3)`.
fn label(text: &str, words: &Words) -> String {
    let words_of = |text: &str| words.get(text).copied();
    let bare = text.trim_start_matches(' ');
    let indent = text.get(..text.len().saturating_sub(bare.len())).unwrap_or_default();
    if let Some(said) = words_of(bare) {
        return format!("{indent}{said}");
    }
    match bare.rsplit_once(' ') {
        Some((head, code)) => match words_of(head) {
            // After a colon stands a word of ours: `Paid: CASH`.
            Some(said) if head.ends_with(':') => format!("{indent}{said} {}", words_of(code).unwrap_or(code)),
            Some(said) => format!("{indent}{said} {code}"),
            None => text.to_owned(),
        },
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_word() {
        let columns = TABLE.lines().next().unwrap().split('\t').count();
        for line in TABLE.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), columns, "{line}");
            assert!(cells.iter().all(|cell| !cell.trim().is_empty() && cell.trim() == *cell), "{line}");
        }
        assert_eq!(LANGUAGES.len(), columns - 1);
    }

    #[test]
    fn labels_are_said_and_what_people_typed_is_not() {
        let rows = vec![
            Row::Title("Table".into()),
            Row::Plain("Date".into()),
            Row::Large("Table T3".into()),
            Row::Pair("  Tip".into(), "Tip".into()),
            Row::Strong("TOTAL INR".into(), "10.00".into()),
            Row::Pair("CASH (3)".into(), "1.00".into()),
            Row::Pair("CGST 2.5% on 10.00".into(), "0.25".into()),
            Row::Pair("Paid: CARD".into(), "9.00".into()),
            Row::Large("Table OTHER".into()),
        ];
        let hindi = in_language(rows.clone(), Some("hi-IN"));
        assert_eq!(hindi[..2], rows[..2]);
        assert_eq!(hindi[2], Row::Large("मेज़ T3".into()));
        assert_eq!(hindi[3], Row::Pair("  टिप".into(), "Tip".into()));
        assert_eq!(hindi[4], Row::Strong("कुल INR".into(), "10.00".into()));
        assert_eq!(hindi[5], Row::Pair("नकद (3)".into(), "1.00".into()));
        assert_eq!(hindi[6], rows[6]);
        assert_eq!(hindi[7], Row::Pair("भुगतान: कार्ड".into(), "9.00".into()));
        assert_eq!(hindi[8], Row::Large("मेज़ OTHER".into()));
        assert_eq!(in_language(rows.clone(), Some("en")), rows);
        assert!(is_right_to_left(Some("ar-EG")) && !is_right_to_left(Some("hi")) && !is_right_to_left(None));
    }
}
