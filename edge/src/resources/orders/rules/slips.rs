//! Order slips: what stands instead of a bill where the operator of a channel owes the tax and makes the bill. Each kind has gapless numbers
//! of its own, which no bill or credit note can have: a letter stands before the year.

use super::invoices::LONGEST_NUMBER;
use super::numbers;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Uuid, words};

words! {
    /// What a slip says.
    pub enum SlipKind {
        /// What was sold.
        Slip = "SLIP",
        /// What the operator gave back to the guest.
        Return = "RETURN",
    }
}

table! {
    /// A slip.
    #[expect(missing_docs, reason = "the columns of order_slips")]
    pub struct SlipRow: order_slips {
        pub id: Uuid,
        pub kind: SlipKind,
        pub fiscal_year: String,
        pub serial: i64,
        pub number: String,
        pub order_id: Uuid,
        pub channel_id: Uuid,
        pub refers_to_id: Option<Uuid>,
        pub total: Cents => total_cents,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by: String => by_name,
        pub reason: Option<String>,
        pub clock_suspect: bool,
    }
}

impl SlipKind {
    fn letter(self) -> char {
        match self {
            SlipKind::Slip => 'S',
            SlipKind::Return => 'R',
        }
    }

    /// The counter that slips of the kind are numbered from.
    pub fn series(self, fiscal_year: &str, life: i64) -> String {
        match numbers::letter(life) {
            Some(letter) => format!("ORDER_{self}:{fiscal_year}:{letter}"),
            None => format!("ORDER_{self}:{fiscal_year}"),
        }
    }

    /// `{code}/S{fy}{mark}{serial:05}`, such as `BLR1/S2627-00001`; the mark is a bill's of the same life. None once the series is full.
    pub fn number(self, outlet_code: &str, fiscal_year: &str, life: i64, serial: i64) -> Option<String> {
        let mark = numbers::letter(life).unwrap_or('-');
        let number = format!("{outlet_code}/{}{fiscal_year}{mark}{serial:05}", self.letter());
        (number.len() <= LONGEST_NUMBER).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_and_meet_no_bill() {
        let number = |kind: SlipKind, life, serial| kind.number("BLR1", "2627", life, serial);
        assert_eq!(number(SlipKind::Slip, 1, 1).as_deref(), Some("BLR1/S2627-00001"));
        assert_eq!(number(SlipKind::Slip, 2, 1).as_deref(), Some("BLR1/S2627A00001"));
        assert_eq!(number(SlipKind::Return, 1, 12).as_deref(), Some("BLR1/R2627-00012"));
        assert_eq!(number(SlipKind::Slip, 1, 100_000), None);
        assert_eq!(SlipKind::Slip.series("2627", 1), "ORDER_SLIP:2627");
        assert_eq!(SlipKind::Return.series("2627", 3), "ORDER_RETURN:2627:B");
    }
}
