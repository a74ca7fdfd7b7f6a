//! The fixed words of paper in other languages than English, as data: `words.tsv`, a column for each. What people typed is never
//! translated: only rows that hold nothing of theirs are looked at, and a text that no line of the table has stays as it is.
//!
//! A line may have gaps, which every language has in the same order: `{}` for whatever stands there, `{#}` for a figure, `{w}` for a
//! text that has a line of its own or else stays as it is. The first line that fits is taken.

use super::Row;
use std::collections::HashMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("words.tsv");

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 5] = ["ar", "fa", "he", "ps", "ur"];

/// The words of a language by the English ones, and what has gaps.
#[derive(Default)]
struct Words {
    whole: HashMap<&'static str, &'static str>,
    gapped: Vec<(&'static str, &'static str)>,
}

/// The gaps.
const GAPS: [&str; 3] = ["{}", "{#}", "{w}"];

/// At the right of it stands why a bill was lowered.
const REASON: &str = "Reason";

/// Lists that stand at the right of these are words of ours.
const LISTED: &str = "Allergens";

/// The words of each language by the English ones.
static LANGUAGES: LazyLock<HashMap<&'static str, Words>> = LazyLock::new(|| {
    let mut lines = TABLE.lines();
    let names = lines.next().unwrap_or_default().split('\t').skip(1);
    let mut languages: Vec<(&str, Words)> = names.map(|name| (name, Words::default())).collect();
    for line in lines {
        let mut cells = line.split('\t');
        let Some(english) = cells.next() else { continue };
        for ((_, words), said) in languages.iter_mut().zip(cells) {
            match next_gap(english) {
                Some(_) => words.gapped.push((english, said)),
                None => drop(words.whole.insert(english, said)),
            }
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

/// The first language of an `Accept-Language` header that paper has words of, English among them; browsers send the best first.
pub fn preferred(header: &str) -> Option<&'static str> {
    let known = |name: &str| {
        let name = name.to_ascii_lowercase();
        let mut names = LANGUAGES.keys().copied().chain(["en"]);
        names.find(|known| *known == base(&name))
    };
    header.split(',').filter_map(|part| known(part.split(';').next()?.trim())).next()
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
        // A word of ours, perhaps with somebody's note behind a colon.
        Row::Pair(left, right) if left == REASON => {
            let code = right.split(": ").next().unwrap_or_default();
            let right = words.of(code).map_or(right.clone(), |said| right.replacen(code, said, 1));
            Row::Pair(label(&left, words), right)
        }
        Row::Pair(left, right) => Row::Pair(label(&left, words), right),
        Row::Strong(left, right) if left.trim_start() == LISTED => {
            let right: Vec<_> =
                right.split(", ").map(|word| words.of(&word.to_uppercase()).unwrap_or(word)).collect();
            Row::Strong(label(&left, words), right.join(", "))
        }
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
    let words_of = |text: &str| words.of(text);
    let bare = text.trim_start_matches(' ');
    let indent = text.get(..text.len().saturating_sub(bare.len())).unwrap_or_default();
    if let Some(said) = words_of(bare) {
        return format!("{indent}{said}");
    }
    if let Some(said) = words.gapped.iter().find_map(|(english, said)| words.filled(english, said, bare)) {
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

/// The first gap of `line`: what stands before it, the gap, and what stands behind it.
fn next_gap(line: &str) -> Option<(&str, &str, &str)> {
    let (at, gap) = GAPS.into_iter().filter_map(|gap| Some((line.find(gap)?, gap))).min()?;
    Some((line.get(..at)?, gap, line.get(at.saturating_add(gap.len())..)?))
}

impl Words {
    fn of(&self, english: &str) -> Option<&'static str> {
        self.whole.get(english).copied()
    }

    /// `text` as `said` has it, where it fits `english`.
    fn filled(&self, mut english: &str, mut said: &str, text: &str) -> Option<String> {
        let mut rest = text;
        let mut all = String::new();
        while let Some((before, gap, after)) = next_gap(english) {
            rest = rest.strip_prefix(before)?;
            let literal = next_gap(after).map_or(after, |(literal, ..)| literal);
            let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
            let (what, behind) = rest.split_at_checked(end)?;
            let is_figure = what.chars().all(|c| c.is_ascii_digit() || ".,-".contains(c));
            if what.is_empty() || (gap == "{#}" && !is_figure) {
                return None;
            }
            let (lead, _, more) = next_gap(said)?;
            all.push_str(lead);
            all.push_str(if gap == "{w}" { self.of(what).unwrap_or(what) } else { what });
            (rest, english, said) = (behind, after, more);
        }
        (rest == english).then(|| all + said)
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
        let gaps = |mut line: &'static str| {
            let mut found = Vec::new();
            while let Some((_, gap, rest)) = next_gap(line) {
                found.push(gap);
                line = rest;
            }
            found
        };
        for (english, said) in LANGUAGES.values().flat_map(|words| &words.gapped) {
            assert_eq!(gaps(english), gaps(said), "{english}: {said}");
        }
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
            Row::Centre("PREVIEW - NOT A TAX INVOICE".into()),
            Row::Reverse("Table 4 -> no table".into()),
            Row::Reverse("Was 4, now 3".into()),
            Row::Centre("10% on your next visit".into()),
            Row::Strong("   Allergens".into(), "milk, Jam".into()),
            Row::Pair("  1.25 kg x 900.00 + 25.00".into(), "1,150.00".into()),
            Row::Large("-0.5 lb x Cake".into()),
        ];
        let hindi = in_language(rows.clone(), Some("hi-IN"));
        assert_eq!(hindi[..2], rows[..2]);
        assert_eq!(hindi[2], Row::Large("मेज़ T3".into()));
        assert_eq!(hindi[3], Row::Pair("  टिप".into(), "Tip".into()));
        assert_eq!(hindi[4], Row::Strong("कुल INR".into(), "10.00".into()));
        assert_eq!(hindi[5], Row::Pair("नकद (3)".into(), "1.00".into()));
        assert_eq!(hindi[6], Row::Pair("CGST 2.5% (10.00 पर)".into(), "0.25".into()));
        assert_eq!(hindi[7], Row::Pair("भुगतान: कार्ड".into(), "9.00".into()));
        assert_eq!(hindi[8], Row::Large("मेज़ OTHER".into()));
        assert_eq!(hindi[9], Row::Centre("पूर्वावलोकन - टैक्स इनवॉइस नहीं".into()));
        assert_eq!(hindi[10], Row::Reverse("मेज़ 4 -> कोई मेज़ नहीं".into()));
        assert_eq!(hindi[11], Row::Reverse("4 की जगह अब 3".into()));
        assert_eq!(hindi[12], rows[12]);
        assert_eq!(hindi[13], Row::Strong("   एलर्जेन".into(), "दूध, Jam".into()));
        assert_eq!(hindi[14], Row::Pair("  1.25 कि.ग्रा. x 900.00 + 25.00".into(), "1,150.00".into()));
        assert_eq!(hindi[15], Row::Large("-0.5 पाउंड x Cake".into()));
        assert_eq!(in_language(rows.clone(), Some("en")), rows);
        assert_eq!(preferred("fr-FR,fr;q=0.9,hi-IN;q=0.8,en;q=0.7"), Some("hi"));
        assert_eq!((preferred("en-GB,hi"), preferred("xx"), preferred("")), (Some("en"), None, None));
        assert!(is_right_to_left(Some("ar-EG")) && !is_right_to_left(Some("hi")) && !is_right_to_left(None));
    }
}
