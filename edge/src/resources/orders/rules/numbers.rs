//! The texts of an order's numbers. Never counts: that is the store's.

use chrono::{Datelike, NaiveDate};

/// `{outletCode}-{yymmdd}-{nnnn}`; past 9999 the last part grows.
pub fn order_number(outlet_code: &str, date: NaiveDate, token: i64) -> String {
    let year = date.year().rem_euclid(100);
    format!("{outlet_code}-{year:02}{:02}{:02}-{token:04}", date.month(), date.day())
}

/// The counter an order of `date` is numbered from.
pub fn order_series(date: NaiveDate) -> String {
    format!("ORDER:{date}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_names_outlet_day_and_token() {
        let date: NaiveDate = "2026-11-05".parse().unwrap();
        assert_eq!(order_number("BLR1", date, 7), "BLR1-261105-0007");
        assert_eq!(order_number("BLR1", date, 12345), "BLR1-261105-12345");
        assert_eq!(order_series(date), "ORDER:2026-11-05");
    }
}
