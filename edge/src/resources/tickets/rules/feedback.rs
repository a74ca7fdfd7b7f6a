//! Decisions about what guests say. Pure.

use crate::resources::orders::rules::Guest;
use chrono::NaiveDate;
use tiffin_common::{Millis, Overflow, Quantity, Uuid, words};

words! {
    /// How far feedback has been followed up.
    pub enum FeedbackStatus {
        /// Nobody has looked at it.
        New = "NEW",
        /// Somebody follows it up.
        InProgress = "IN_PROGRESS",
        /// Done with.
        Resolved = "RESOLVED",
    }
}

/// How many days back an order can still be spoken about: nobody remembers longer.
pub const ORDER_DAYS: u64 = 14;

/// How long after a party has gone its table's code still speaks for it: people rate when they have paid.
pub const SEATING_MS: i64 = 3 * 3_600_000;

table! {
    /// What a guest says.
    #[derive(PartialEq, Eq)]
    #[expect(missing_docs, reason = "the columns of feedback")]
    pub struct Words: feedback {
        pub rating: i64,
        pub food: Option<i64>,
        pub service: Option<i64>,
        pub cleanliness: Option<i64>,
        pub nps: Option<i64>,
        pub comment: Option<String>,
        pub callback_wanted: bool,
        pub guest: Guest => none,
    }
}

impl Words {
    /// Whether managers should hear of it now.
    pub fn is_low(&self) -> bool {
        self.rating <= 2 || self.callback_wanted
    }
}

table! {
    /// What it is about.
    #[derive(Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the columns of feedback")]
    pub struct Subject: feedback {
        pub order_id: Option<Uuid>,
        pub order_number: Option<String>,
        pub table_session_id: Option<Uuid>,
        pub table_number: Option<String>,
    }
}

impl Subject {
    /// For a notification: nothing that says who the guest is.
    pub fn place(&self) -> String {
        match (&self.order_number, &self.table_number) {
            (Some(order), Some(table)) => format!("order {order} at table {table}"),
            (Some(order), None) => format!("order {order}"),
            (None, Some(table)) => format!("table {table}"),
            (None, None) => "no order or table named".to_owned(),
        }
    }
}

table! {
    /// How it was followed up.
    #[derive(PartialEq, Eq)]
    #[expect(missing_docs, reason = "the columns of feedback")]
    pub struct FollowUp: feedback {
        pub status: FeedbackStatus,
        pub note: Option<String>,
        pub assignee_id: Option<Uuid>,
    }
}

table! {
    /// Feedback, as kept.
    #[expect(missing_docs, reason = "the columns of feedback")]
    pub struct Feedback: feedback {
        pub id: Uuid,
        pub words: Words => flat,
        pub subject: Subject => flat,
        pub follow_up: FollowUp => flat,
        pub assignee_name: Option<String> => none,
        pub business_date: NaiveDate,
        pub version: i64,
        pub created_at: Millis,
        pub updated_at: Millis,
    }
}

/// The parts of an order number: `BLR1-261120-0042`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderNumber {
    /// The outlet's code.
    pub code: String,
    /// The business date.
    pub date: NaiveDate,
    /// What was called out.
    pub token: i64,
}

impl OrderNumber {
    /// The parts of `text`, however it is spelled.
    pub fn parse(text: &str) -> Option<OrderNumber> {
        let mut parts = text.trim().splitn(3, '-');
        let (code, date, token) = (parts.next()?, parts.next()?, parts.next()?);
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if date.len() != 6 || !digits(date) || !(4..=9).contains(&token.len()) || !digits(token) {
            return None;
        }
        let date = NaiveDate::parse_from_str(&format!("20{date}"), "%Y%m%d").ok()?;
        Some(OrderNumber { code: code.to_ascii_uppercase(), date, token: token.parse().ok()? })
    }
}

/// The mean of `sum` over `count`, with two decimals; none of nothing.
///
/// # Errors
/// A sum beyond any range.
pub fn mean(sum: i64, count: i64) -> Result<Option<Quantity>, Overflow> {
    if count == 0 {
        return Ok(None);
    }
    // Rounded to hundredths first, which are then exact in millionths.
    let hundredths = Quantity::from_millionths(sum).ratio(100, count)?;
    hundredths.times(10_000).map(Some)
}

/// The net promoter score: the share of 9 and 10 less the share of 0 to 6, in whole percent; none of nothing.
///
/// # Errors
/// Counts beyond any range.
pub fn net_promoter_score(promoters: i64, detractors: i64, answers: i64) -> Result<Option<i64>, Overflow> {
    if answers == 0 {
        return Ok(None);
    }
    let difference = promoters.checked_sub(detractors).ok_or(Overflow)?;
    Quantity::from_millionths(difference).ratio(100, answers).map(|score| Some(score.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_numbers_are_read_however_they_are_spelled() {
        let date: NaiveDate = "2026-11-05".parse().unwrap();
        let expected = OrderNumber { code: "BLR1".into(), date, token: 7 };
        assert_eq!(OrderNumber::parse(" blr1-261105-0007 "), Some(expected));
        assert_eq!(OrderNumber::parse("BLR1-261105-12345").unwrap().token, 12_345);
        for wrong in
            ["", "BLR1", "BLR1-261105", "BLR1-261305-0007", "BLR1-261105-7", "BLR1-261105-+007", "--"]
        {
            assert_eq!(OrderNumber::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn means_have_two_decimals_and_scores_none() {
        assert_eq!(mean(14, 3).unwrap().unwrap().to_string(), "4.67");
        assert_eq!(mean(0, 0).unwrap(), None);
        assert_eq!(net_promoter_score(5, 2, 10).unwrap(), Some(30));
        assert_eq!(net_promoter_score(0, 3, 3).unwrap(), Some(-100));
        assert_eq!(net_promoter_score(0, 0, 0).unwrap(), None);
    }
}
