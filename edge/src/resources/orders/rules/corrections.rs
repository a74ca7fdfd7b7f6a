//! What may be put right about a payment (second edition, A8), and how a payment reads afterwards. Never changes the payment's own
//! row: a correction is a row of its own, and counts on its own date.

use super::kinds::PaymentMethod;
use super::ledgers::{CorrectionKind, CorrectionRow, PaymentRow};
use super::payments::{CARD, holds_card_number};
use crate::http::{Checks, FieldError};
use tiffin_common::Cents;

/// A correction as asked for; what is not given stays.
#[derive(Debug, Clone)]
pub struct NewCorrection {
    /// How the money really came in.
    pub method: Option<PaymentMethod>,
    /// The tip as it should have been; 0 gives it back.
    pub tip: Option<Cents>,
    /// The terminal's or wallet's own number of the transaction.
    pub reference: Option<String>,
    /// Why.
    pub reason: String,
}

/// What a payment becomes: method, tip, reference.
pub type Corrected = (PaymentMethod, Cents, Option<String>);

impl NewCorrection {
    /// What `payment` becomes.
    ///
    /// # Errors
    /// All offending fields, `method` where nothing would change.
    pub fn of(&self, payment: &PaymentRow) -> Result<Corrected, Vec<FieldError>> {
        let mut checks = Checks::new();
        let method = self.method.unwrap_or(payment.method);
        let tip = self.tip.unwrap_or(payment.tip);
        let reference = self.reference.clone().or_else(|| payment.reference.clone());
        let changes = method != payment.method || tip != payment.tip || reference != payment.reference;
        checks.require(changes, "method", "or tipCents or reference must be another than it is");
        if method == PaymentMethod::Voucher {
            checks.require(reference.is_some(), "reference", "is needed: the voucher's number");
        }
        if self.reference.as_deref().is_some_and(holds_card_number) {
            checks.add("reference", CARD);
        }
        checks.require(payment.amount.plus(tip).is_ok(), "tipCents", "is too large");
        checks.finish((method, tip, reference))
    }

    /// Whether somebody has to approve it: all but a tip that was not there, and the transaction's number.
    pub fn needs_approval(&self, payment: &PaymentRow) -> bool {
        let is_new_tip = payment.tip == Cents::ZERO || self.tip.is_none_or(|tip| tip == payment.tip);
        self.method.is_some_and(|method| method != payment.method) || !is_new_tip
    }
}

impl PaymentRow {
    /// Whether a channel pays it out: the guest paid there.
    pub fn is_payout(&self) -> bool {
        self.channel_id.is_some() && self.method == PaymentMethod::Other
    }

    /// Reads as `correction` says from now on. The amount of a payment that did not hold stays to be seen.
    pub fn put_right(&mut self, correction: CorrectionRow) {
        self.method = correction.new_method;
        self.tip = correction.new_tip;
        self.reference.clone_from(&correction.new_reference);
        if correction.old_method != correction.new_method {
            self.drawer = correction.drawer;
        }
        self.is_reversed |= correction.kind == CorrectionKind::Reverse;
        self.corrections.push(correction);
    }
}
