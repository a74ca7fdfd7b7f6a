//! Whether every number of a text was in the answers it is about. Never lets a figure pass because it looks likely.

use super::language;
use super::period::MONTHS;
use serde_json::Value;
use std::collections::HashSet;

/// The numbers, texts and dates that a text may name.
#[derive(Debug, Default)]
pub struct Known {
    numbers: HashSet<String>,
    texts: Vec<String>,
    dates: Vec<(u32, u32, u32)>,
}

impl Known {
    /// Nothing yet.
    pub fn new() -> Known {
        Known::default()
    }

    /// Adds every number, text and date of `value`.
    pub fn add(&mut self, value: &Value) {
        self.walk("", value);
    }

    fn walk(&mut self, key: &str, value: &Value) {
        match value {
            Value::Number(number) => {
                let text = number.to_string();
                if key.ends_with("Cents") && !text.contains(['.', 'e', 'E']) {
                    // Money is told in units, at times in cents.
                    self.numbers.insert(plain(&shifted(text.trim_start_matches('-'))));
                }
                self.numbers.insert(plain(text.trim_start_matches('-')));
            }
            Value::String(text) => self.text(text),
            Value::Array(list) => list.iter().for_each(|element| self.walk(key, element)),
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| self.walk(key, value));
                self.report(value);
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The money in a report's rows, which its columns tell.
    fn report(&mut self, value: &Value) {
        let list =
            |key: &str| value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (at, column) in list("columns").iter().enumerate() {
            if column.get("unit").and_then(Value::as_str) == Some("CENTS") {
                list("rows").iter().filter_map(|row| row.get(at)).for_each(|cell| self.walk("Cents", cell));
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(date) = text.get(..10).and_then(|day| day.parse::<chrono::NaiveDate>().ok()) {
            use chrono::Datelike;
            self.dates.push((date.year().unsigned_abs(), date.month(), date.day()));
        }
        if text.bytes().any(|b| b.is_ascii_digit()) {
            self.texts.push(text.to_lowercase());
        }
    }

    /// The first thing in `text` that looks like a figure and is not known.
    pub fn unknown(&self, text: &str) -> Option<String> {
        let mut left = text.to_lowercase();
        let mut texts: Vec<&String> = self.texts.iter().collect();
        // The longest first: "T12" is not "T1" and a 2.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        for known in texts {
            left = mask(&left, known);
        }
        for (year, month, day) in &self.dates {
            for spelling in spellings(*year, *month, *day) {
                left = mask(&left, &spelling);
            }
        }
        let lines: Vec<&str> = left.lines().map(without_numbering).collect();
        let left = lines.join("\n");
        let spelt = left.split(|c: char| !c.is_alphabetic()).find(|word| language::has("spelt", word));
        if let Some(word) = spelt {
            return Some(word.to_owned());
        }
        numbers(&left).into_iter().find(|number| !self.numbers.contains(&plain(number)))
    }
}

/// Takes `known` out of `text` wherever it stands by itself.
fn mask(text: &str, known: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(known) {
        let (before, found) = rest.split_at(at);
        let after = found.get(known.len()..).unwrap_or_default();
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let last = before.chars().last().or_else(|| result.chars().last());
        result.push_str(before);
        if joined(last) || joined(after.chars().next()) {
            result.push_str(known);
        } else {
            result.push(' ');
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

/// How a date is written; the longest first.
fn spellings(year: u32, month: u32, day: u32) -> Vec<String> {
    let index = usize::try_from(month).unwrap_or_default().saturating_sub(1);
    let long = MONTHS.get(index).copied().unwrap_or_default();
    let short = long.get(..3).unwrap_or_default();
    let ending = match day {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    };
    let mut found = vec![format!("{year}-{month:02}-{day:02}"), format!("{day:02}/{month:02}/{year}")];
    for name in [long, short] {
        for day in [format!("{day}{ending}"), day.to_string()] {
            for (first, second) in [(day.as_str(), name), (name, day.as_str())] {
                found.extend([
                    format!("{first} {second} {year}"),
                    format!("{first} {second}, {year}"),
                    format!("{first} {second}"),
                ]);
            }
        }
        found.push(format!("{name} {year}"));
    }
    found.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
    found
}

/// A line of a list without its `1.` or `2)`.
fn without_numbering(line: &str) -> &str {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let size = line.len().saturating_sub(digits.len());
    if (1..=2).contains(&size) {
        digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")).unwrap_or(line)
    } else {
        line
    }
}

/// Every number of `text`: digits of any script, with the commas and points inside them.
fn numbers(text: &str) -> Vec<String> {
    let (mut found, mut number) = (Vec::new(), String::new());
    for c in text.chars().chain([' ']) {
        let inside = c.is_numeric() || (!number.is_empty() && (c == '.' || c == ','));
        if inside {
            number.push(c);
        } else if !number.is_empty() {
            // A thousand as "3k" is another number than 3.
            let joined = if c.is_alphabetic() { c.to_string() } else { String::new() };
            let scale = matches!(c, 'k' | 'm' | 'b');
            let digits = number.trim_end_matches(['.', ',']);
            found.push(if scale && number.len() == digits.len() {
                format!("{digits}{joined}")
            } else {
                digits.to_owned()
            });
            number.clear();
        }
    }
    found
}

/// A number without commas and without zeros that say nothing.
fn plain(number: &str) -> String {
    let number = number.replace(',', "");
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    let trimmed = number.trim_start_matches('0');
    if trimmed.is_empty() || trimmed.starts_with('.') { format!("0{trimmed}") } else { trimmed.to_owned() }
}

/// Cents as units: `1234` → `12.34`.
fn shifted(cents: &str) -> String {
    let text = format!("{cents:0>3}");
    let (whole, fraction) = text.split_at(text.len().saturating_sub(2));
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known() -> Known {
        let mut known = Known::new();
        known.add(&json!({
            "from": "2026-11-20", "netRevenueCents": 1_234_500, "ordersCount": 34, "quantity": 2.5, "share": -3.1,
            "items": [{"name": "7 Up", "cents": 5}, {"name": "Table T4"}, {"order": "BLR1-261120-0001"}],
        }));
        known
    }

    #[test]
    fn figures_of_the_answers_pass_however_they_are_written() {
        for text in [
            "Net revenue was ₹12,345.00 from 34 orders.",
            "12345 rupees; ₹12,345; 1234500 cents.",
            "On 20 November 2026 (2026-11-20), Nov 20th, it was 2.50 kg.",
            "It fell by 3.1%.",
            "1. 7 Up\n2) Table T4\n3. order BLR1-261120-0001",
            "No figures at all, and one of two.",
        ] {
            assert_eq!(known().unknown(text), None, "{text}");
        }
    }

    #[test]
    fn any_other_figure_is_caught() {
        for (text, figure) in [
            ("Revenue was ₹12,346.", "12,346"),
            ("34 orders and 35 guests", "35"),
            ("Rs 12k", "12k"),
            ("about twelve thousand", "twelve"),
            ("it doubled, a double", "double"),
            ("order BLR1-261120-00012", "1"),
            ("７ orders", "７"),
            ("३४ orders", "३४"),
            ("7 dishes", "7"),
            ("20 orders", "20"),
            ("on 21 November 2026", "21"),
            ("1.5 times", "1.5"),
            ("12345.000001", "12345.000001"),
        ] {
            assert_eq!(known().unknown(text).as_deref(), Some(figure), "{text}");
        }
    }

    #[test]
    fn money_of_reports_is_known_by_its_column() {
        let mut known = Known::new();
        known.add(&json!({"columns": [{"unit": "COUNT"}, {"unit": "CENTS"}], "rows": [[500, 123_456]]}));
        assert_eq!(known.unknown("500 payments of ₹1,234.56"), None);
        assert_eq!(known.unknown("₹5.00").as_deref(), Some("5.00"));
    }

    #[test]
    fn nothing_known_lets_nothing_pass() {
        assert_eq!(Known::new().unknown("5"), Some("5".into()));
        assert_eq!(Known::new().unknown("none"), None);
    }
}
