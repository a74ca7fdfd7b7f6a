//! Money that moved, entry by entry, as the books of a date have it.

use super::kinds::PaymentMethod;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Uuid, words};

words! {
    /// What moved money.
    pub enum EntryKind {
        /// Money came in.
        Payment = "PAYMENT",
        /// What a payment had been entered as is taken off, or what it really is added: two entries.
        Correction = "CORRECTION",
        /// A payment did not hold.
        Reversal = "REVERSAL",
        /// Money went back.
        Refund = "REFUND",
        /// What was due was given up: no money.
        WriteOff = "WRITE_OFF",
    }
}

/// An entry.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named as the answer's fields, which say what they are")]
pub struct Entry {
    pub kind: EntryKind,
    pub id: Uuid,
    pub order_id: Uuid,
    pub order_number: String,
    pub method: Option<PaymentMethod>,
    pub amount: Cents,
    pub tip: Cents,
    pub reference: Option<String>,
    pub cash_session_id: Option<Uuid>,
    pub business_date: NaiveDate,
    pub at: Millis,
    pub by: String,
}

/// Which entries.
#[derive(Debug, Clone)]
pub struct EntryFilter {
    /// Of this business date or later.
    pub from: NaiveDate,
    /// Of this business date or earlier.
    pub to: NaiveDate,
    /// Of this kind.
    pub kind: Option<EntryKind>,
    /// Of this method.
    pub method: Option<PaymentMethod>,
    /// Through this drawer's session.
    pub drawer: Option<Uuid>,
    /// Only those of no drawer.
    pub outside_drawers: bool,
    /// Only those that a channel pays out, or only the others.
    pub channel_payouts: Option<bool>,
}
