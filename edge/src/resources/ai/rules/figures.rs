//! Reads figures out of answers of the API and writes them as facts. Never a float: decimals pass through their text.

use super::answer::{Amount, Fact};
use super::money::Currency;
use serde_json::Value;
use tiffin_common::money::round_div;
use tiffin_common::{Cents, Quantity};

/// Reading a figure by its JSON pointer; nothing when it is not there.
pub trait Figures {
    /// An amount of money.
    fn cents(&self, pointer: &str) -> Option<Cents>;
    /// A whole number.
    fn count(&self, pointer: &str) -> Option<i64>;
    /// A number with decimals.
    fn decimal(&self, pointer: &str) -> Option<Quantity>;
    /// A text.
    fn text(&self, pointer: &str) -> Option<&str>;
    /// The elements of a list; none when it is not there.
    fn each(&self, pointer: &str) -> &[Value];
    /// Whether it says true.
    fn says(&self, pointer: &str) -> bool;
}

impl Figures for Value {
    fn cents(&self, pointer: &str) -> Option<Cents> {
        self.count(pointer).map(Cents::new)
    }

    fn count(&self, pointer: &str) -> Option<i64> {
        self.pointer(pointer)?.as_i64()
    }

    fn decimal(&self, pointer: &str) -> Option<Quantity> {
        match self.pointer(pointer)? {
            Value::Number(number) => number.to_string().parse().ok(),
            _ => None,
        }
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.pointer(pointer)?.as_str()
    }

    fn each(&self, pointer: &str) -> &[Value] {
        self.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn says(&self, pointer: &str) -> bool {
        self.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// Money as a fact.
pub fn money(label: &str, amount: Cents, currency: &Currency) -> Fact {
    fact(label, Amount::Whole(amount.get()), "cents", currency.show(amount))
}

/// A count as a fact; `unit` is its plural.
pub fn count(label: &str, number: i64, unit: &str) -> Fact {
    fact(label, Amount::Whole(number), unit, several(number, unit))
}

/// A quantity as a fact.
pub fn quantity(label: &str, amount: Quantity, unit: &str) -> Fact {
    let text = format!("{amount} {unit}");
    fact(label, Amount::Decimal(amount), unit, text.trim_end().to_owned())
}

/// A percentage as a fact.
pub fn percent(label: &str, amount: Quantity) -> Fact {
    fact(label, Amount::Decimal(amount), "percent", format!("{amount} %"))
}

/// A name, date or time as a fact.
pub fn named(label: &str, text: &str, unit: &str) -> Fact {
    fact(label, Amount::Text(text.to_owned()), unit, text.to_owned())
}

fn fact(label: &str, value: Amount, unit: &str, text: String) -> Fact {
    Fact { label: label.to_owned(), value, unit: unit.to_owned(), text }
}

/// `1 order`, `2 orders`.
pub fn several(number: i64, unit: &str) -> String {
    match number {
        _ if unit.is_empty() => number.to_string(),
        1 | -1 => format!("{number} {}", one_of(unit)),
        _ => format!("{number} {unit}"),
    }
}

/// The singular of a plural unit.
fn one_of(unit: &str) -> String {
    match unit.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => unit
            .strip_suffix("ches")
            .map_or_else(|| unit.strip_suffix('s').unwrap_or(unit).to_owned(), |stem| format!("{stem}ch")),
    }
}

/// `part` of `whole` in percent, two decimals, half away from zero; nothing of nothing.
pub fn share(part: i64, whole: i64) -> Option<Quantity> {
    if whole == 0 {
        return None;
    }
    let hundredths = round_div(i128::from(part) * 10_000, i128::from(whole)).ok()?;
    hundredths.checked_mul(10_000).map(Quantity::from_millionths)
}

/// `now` against `before`: `12.5 % more than`, `3 % less than`, `the same as`; nothing where there was nothing.
pub fn change(now: i64, before: i64) -> Option<(Quantity, String)> {
    let percent = share(now.checked_sub(before)?, before.checked_abs()?)?;
    let size = Quantity::from_millionths(percent.get().checked_abs()?);
    let words = match percent.get() {
        0 if now == before => "the same as".to_owned(),
        0 => "almost the same as".to_owned(),
        1.. => format!("{size} % more than"),
        _ => format!("{size} % less than"),
    };
    Some((percent, words))
}

/// `a, b and c`.
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// Minutes as `2 h 05 min`.
pub fn duration(minutes: i64) -> String {
    let (hours, rest) = (minutes.div_euclid(60), minutes.rem_euclid(60));
    if hours == 0 { format!("{rest} min") } else { format!("{hours} h {rest:02} min") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_read_exactly_or_not_at_all() {
        let body = json!({"a": {"cents": 120, "kg": 0.1, "name": "x"}, "list": [1, 2], "big": 1e300});
        assert_eq!(body.cents("/a/cents"), Some(Cents::new(120)));
        assert_eq!(body.decimal("/a/kg"), Some(Quantity::from_millionths(100_000)));
        assert_eq!((body.count("/a/kg"), body.decimal("/a/name"), body.decimal("/big")), (None, None, None));
        assert_eq!((body.each("/list").len(), body.each("/a").len()), (2, 0));
    }

    #[test]
    fn changes_are_shares_of_what_was_before() {
        let words = |now, before| change(now, before).map(|(_, words)| words);
        assert_eq!(words(150, 100).unwrap(), "50 % more than");
        assert_eq!(words(2, 3).unwrap(), "33.33 % less than");
        assert_eq!(words(5, 5).unwrap(), "the same as");
        assert_eq!(words(1_000_001, 1_000_000).unwrap(), "almost the same as");
        assert_eq!(words(5, 0), None);
        assert_eq!(words(0, -10).unwrap(), "100 % more than");
        assert_eq!(words(i64::MIN, 1), None);
    }

    #[test]
    fn one_of_many_is_singular() {
        assert_eq!(several(1, "orders"), "1 order");
        assert_eq!(several(2, "orders"), "2 orders");
        assert_eq!(several(1, "batches"), "1 batch");
        assert_eq!(several(1, "deliveries"), "1 delivery");
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!((duration(5), duration(125)), ("5 min".into(), "2 h 05 min".into()));
    }
}
