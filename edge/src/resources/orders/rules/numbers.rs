//! The texts of an order's numbers, and what tells the numbers of one life of a box from those of another. Never counts: that is the
//! store's.
//!
//! A box that was put back, replaced or copied begins its numbers anew, in a life of its own: a letter that no life before it had stands in
//! them, so that no number means two things. A life that nobody knew of (an old disk, and no way to head office) cannot be told apart: then
//! two bills may have one number, and both stay.

use chrono::{Datelike, NaiveDate};

/// The counter whose value is the life that numbers are given in; 1 where there is none.
pub const LIFE: &str = "LIFE";

/// The letters of the second life and those after it, on bills and orders; without those that are read as digits.
const LETTERS: [char; 11] = ['A', 'B', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'L', 'M'];

/// The same on credit notes.
const CREDIT_LETTERS: [char; 12] = ['N', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z'];

/// The letter of a life after the first. Lives that have used up the letters go on in the series of the first that had theirs.
fn letter_of(letters: &[char], life: i64) -> Option<char> {
    let place = usize::try_from(life.checked_sub(2)?).ok()?.checked_rem(letters.len())?;
    letters.get(place).copied()
}

/// The letter that stands in the numbers of bills and orders; none in the first life.
pub fn letter(life: i64) -> Option<char> {
    letter_of(&LETTERS, life)
}

/// The letter that stands in the numbers of credit notes; none in the first life.
pub fn credit_letter(life: i64) -> Option<char> {
    letter_of(&CREDIT_LETTERS, life)
}

/// `{outletCode}-{yymmdd}-{nnnn}`; past 9999 the last part grows. A letter of a later life stands before it: `BLR1-260721-A0001`.
pub fn order_number(outlet_code: &str, date: NaiveDate, life: i64, token: i64) -> String {
    let year = date.year().rem_euclid(100);
    let letter = letter(life).map(String::from).unwrap_or_default();
    format!("{outlet_code}-{year:02}{:02}{:02}-{letter}{token:04}", date.month(), date.day())
}

/// The counter an order of `date` is numbered from.
pub fn order_series(date: NaiveDate, life: i64) -> String {
    match letter(life) {
        Some(letter) => format!("ORDER:{date}:{letter}"),
        None => format!("ORDER:{date}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_names_outlet_day_and_token() {
        let date: NaiveDate = "2026-11-05".parse().unwrap();
        assert_eq!(order_number("BLR1", date, 1, 7), "BLR1-261105-0007");
        assert_eq!(order_number("BLR1", date, 1, 12345), "BLR1-261105-12345");
        assert_eq!(order_number("BLR1", date, 2, 1), "BLR1-261105-A0001");
        assert_eq!(order_series(date, 1), "ORDER:2026-11-05");
        assert_eq!(order_series(date, 3), "ORDER:2026-11-05:B");
    }

    #[test]
    fn each_life_has_a_letter_until_they_are_used_up() {
        let letters: String = (1..=13).map(|life| letter(life).unwrap_or('-')).collect();
        assert_eq!(letters, "-ABDEFGHJKLMA");
        let letters: String = (1..=14).map(|life| credit_letter(life).unwrap_or('C')).collect();
        assert_eq!(letters, "CNPQRSTUVWXYZN");
    }
}
