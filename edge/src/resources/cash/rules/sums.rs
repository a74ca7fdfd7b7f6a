//! Sums of a day that its report shows and its reconciliation adds up.

use crate::resources::orders::rules::PaymentMethod;
use tiffin_common::Cents;

/// Money by method.
#[apply(value!)]
pub struct MethodSum {
    /// CASH, CARD, UPI, WALLET, VOUCHER or OTHER.
    #[schemars(with = "String")]
    pub method: PaymentMethod,
    /// How many payments were taken.
    pub payment_count: i64,
    /// What they settled.
    pub amount_cents: Cents,
    /// Tips that came with the payments.
    pub tip_cents: Cents,
    /// How many refunds were given.
    pub refund_count: i64,
    /// What was given back to guests.
    pub refunded_cents: Cents,
    /// amount + tips − given back.
    pub net_cents: Cents,
}

/// How often, and how much.
#[apply(value!)]
#[derive(Default)]
pub struct CountAndSum {
    /// How often it happened.
    pub count: i64,
    /// What it comes to in all.
    pub amount_cents: Cents,
}

/// The documents of one kind that were made on the day.
#[apply(value!)]
#[derive(Default)]
pub struct DocumentSum {
    /// How many documents there are.
    pub count: i64,
    /// What they come to.
    pub total_cents: Cents,
    /// The taxes in them, in cents.
    pub tax_cents: Cents,
    /// The first number.
    pub first_number: Option<String>,
    /// The last one.
    pub last_number: Option<String>,
}
