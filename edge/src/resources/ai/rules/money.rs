//! Amounts as people of the currency's country write them. Never a float.

use tiffin_common::{Cents, currency};

/// Symbols that need no explanation; any other currency shows its code.
const SYMBOLS: &[(&str, &str)] = &[("INR", "₹"), ("EUR", "€"), ("GBP", "£"), ("USD", "$"), ("JPY", "¥")];

/// Countries that group by lakh and crore.
const LAKHS: [&str; 4] = ["INR", "PKR", "BDT", "NPR"];

/// A currency by its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Currency(pub String);

impl Currency {
    /// `amount` with its symbol: `₹12,34,567.00`.
    pub fn show(&self, amount: Cents) -> String {
        let symbol = SYMBOLS.iter().find(|(code, _)| *code == self.0);
        let symbol = symbol.map_or_else(|| format!("{} ", self.0), |(_, symbol)| (*symbol).to_owned());
        let sign = if amount.get() < 0 { "−" } else { "" };
        format!("{sign}{symbol}{}", self.digits(amount))
    }

    /// `amount` without sign and symbol.
    fn digits(&self, amount: Cents) -> String {
        let text = currency::major(amount, &self.0);
        let text = text.trim_start_matches('-');
        let size = if LAKHS.contains(&self.0.as_str()) { 2 } else { 3 };
        match text.split_once('.') {
            Some((whole, fraction)) => format!("{}.{fraction}", group(whole, size)),
            None => group(text, size),
        }
    }
}

/// Puts commas before the last three digits, and before every `size` digits left of them.
fn group(digits: &str, size: usize) -> String {
    let (mut rest, last) = digits.split_at(digits.len().saturating_sub(3));
    let mut groups = vec![last];
    while !rest.is_empty() {
        let (front, group) = rest.split_at(rest.len().saturating_sub(size));
        groups.push(group);
        rest = front;
    }
    groups.reverse();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_look_as_they_do_in_their_country() {
        let show = |code: &str, cents| Currency(code.into()).show(Cents::new(cents));
        assert_eq!(show("INR", 123_456_789), "₹12,34,567.89");
        assert_eq!(show("EUR", 123_456_789), "€1,234,567.89");
        assert_eq!(show("EUR", -5), "−€0.05");
        assert_eq!(show("JPY", 1_234), "¥1,234");
        assert_eq!(show("KWD", 1_234), "KWD 1.234");
        assert_eq!(show("INR", 0), "₹0.00");
        assert_eq!(show("INR", i64::MIN), "−₹92,23,37,20,36,85,47,758.08");
    }
}
