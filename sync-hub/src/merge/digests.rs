//! The comparison of what a branch says it holds with what is held here, at exactly the position of its log row.

use chrono::NaiveDate;

/// The day of a bucket, by the number it is stored under; 0 stands for the whole table.
pub(super) fn day_of(number: i32) -> Option<NaiveDate> {
    if number == 0 { None } else { NaiveDate::from_num_days_from_ce_opt(number) }
}
