//! What a currency's smallest unit is (ISO 4217): amounts are integers of it, and people write them with its decimals. Never a float.

use crate::Cents;

/// Currencies whose smallest unit is not a hundredth.
const DECIMALS: &[(u32, &str)] = &[
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
];

/// How many decimals amounts of `currency` (ISO 4217) have: 2 but for few.
pub fn decimals(currency: &str) -> u32 {
    let of = |(_, codes): &&(u32, &str)| codes.split(' ').any(|code| code == currency);
    DECIMALS.iter().find(of).map_or(2, |(decimals, _)| *decimals)
}

/// `amount` in major units of `currency`, as `-1234.50` or, where there is no smaller unit, `1234`.
pub fn major(amount: Cents, currency: &str) -> String {
    with_decimals(amount, decimals(currency))
}

/// `amount` with that many decimals.
pub fn with_decimals(amount: Cents, decimals: u32) -> String {
    let sign = if amount < Cents::ZERO { "-" } else { "" };
    let decimals = usize::try_from(decimals).unwrap_or(2);
    let digits = format!("{:0>width$}", amount.get().unsigned_abs(), width = decimals.saturating_add(1));
    let (whole, part) = digits.split_at(digits.len().saturating_sub(decimals));
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let written = |amount, currency| major(Cents::new(amount), currency);
        assert_eq!(written(123_450, "INR"), "1234.50");
        assert_eq!(written(-5, "EUR"), "-0.05");
        assert_eq!(written(1_500, "JPY"), "1500");
        assert_eq!(written(0, "JPY"), "0");
        assert_eq!(written(1_500, "KWD"), "1.500");
        assert_eq!(written(-1, "CLF"), "-0.0001");
        assert_eq!(written(i64::MIN, "USD"), "-92233720368547758.08");
    }
}
