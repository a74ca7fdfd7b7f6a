//! How the ledgers of an order are shown: its history, payments, refunds, discounts and taxes. Never the rows themselves.

use super::super::rules::{
    CorrectionKind, CorrectionRow, DiscountKind, DiscountRecord, History, OrderStatus, PaymentMethod,
    PaymentRow, RefundRow, TaxRow, discounts,
};
use chrono::NaiveDate;
use tiffin_common::{Bps, Cents, Millis, Quantity, Uuid};

view! {
    /// A change of state.
    pub struct StatusChange of entry: History {
        /// Where it was; none when it was taken.
        pub from: Option<OrderStatus>,
        /// Where it went.
        pub to: OrderStatus,
        /// When it changed.
        pub at: Millis,
        /// Who did it.
        pub by: String,
        /// Why, where somebody said so.
        pub reason: Option<String>,
    }
}

view! {
    /// Money that came in, as it was put right since.
    pub struct OrderPayment of payment: PaymentRow {
        /// Id of the payment.
        pub id: Uuid,
        /// What it was paid with.
        pub method: PaymentMethod,
        /// What it paid of the order.
        pub amount_cents: Cents = payment.amount,
        /// The tip, on top of the amount.
        pub tip_cents: Cents = payment.tip,
        /// Cash handed over.
        pub tendered_cents: Option<Cents> = payment.tendered,
        /// Cash given back as change.
        pub change_cents: Cents = payment.change,
        /// Of the terminal or app; never a card number.
        pub reference: Option<String>,
        /// The channel that pays it out: the guest paid there. Null: the guest paid the house.
        pub channel_id: Option<Uuid>,
        /// It did not hold and was taken back: it pays nothing.
        pub is_reversed: bool,
        /// What was put right about it, oldest first.
        pub corrections: Vec<OrderPaymentCorrection> = payment.corrections.into_iter().map(OrderPaymentCorrection::from).collect(),
        /// What of it was given back.
        pub refunded_cents: Cents = payment.refunded,
        /// The trading day it came in.
        pub business_date: NaiveDate,
        /// When it was paid.
        pub at: Millis,
        /// Who took it.
        pub by: String,
        pub clock_suspect: bool,
    }
}

view! {
    /// What was put right about a payment, or that it did not hold.
    pub struct OrderPaymentCorrection of correction: CorrectionRow {
        /// Id of the correction.
        pub id: Uuid,
        /// CORRECT: entered wrongly; REVERSE: it did not hold.
        pub kind: CorrectionKind,
        /// What it had been entered as.
        pub old_method: PaymentMethod,
        /// What it was paid with.
        pub new_method: PaymentMethod,
        /// What it had paid of the order.
        pub old_amount_cents: Cents = correction.old_amount,
        /// What it pays: 0 where it did not hold.
        pub new_amount_cents: Cents = correction.new_amount,
        /// The tip that had been entered.
        pub old_tip_cents: Cents = correction.old_tip,
        /// The tip as it is.
        pub new_tip_cents: Cents = correction.new_tip,
        /// The transaction's number that had been entered.
        pub old_reference: Option<String>,
        /// The transaction's number as it is.
        pub new_reference: Option<String>,
        /// Why it was put right, as whoever did it said.
        pub reason: String,
        /// The trading day it counts on.
        pub business_date: NaiveDate,
        /// When it was put right.
        pub at: Millis,
        /// Who did it.
        pub by: String,
        /// The employee whose PIN approved it.
        pub approver_id: Option<Uuid>,
    }
}

view! {
    /// Money that was given back.
    pub struct OrderRefund of refund: RefundRow {
        /// Id of the refund.
        pub id: Uuid,
        /// The payment it came from.
        pub payment_id: Uuid,
        /// How it was given back: the payment's method.
        #[schemars(with = "String")]
        pub method: PaymentMethod,
        /// How much was given back.
        pub amount_cents: Cents = refund.amount,
        /// Why it was given back.
        pub reason: String,
        /// Whether the ingredients went back.
        pub restock: bool,
        /// The credit note.
        pub credit_note_number: Option<String>,
        /// The trading day.
        pub business_date: NaiveDate,
        /// When it was given back.
        pub at: Millis,
        /// Who gave it.
        pub by: String,
        pub clock_suspect: bool,
    }
}

view! {
    /// A discount on an order.
    pub struct OrderDiscount of discount: DiscountRecord {
        /// Id of the discount.
        pub id: Uuid,
        /// Its line; none: the whole order.
        pub item_id: Option<Uuid> = discount.order_item_id,
        /// Share or amount.
        pub r#type: DiscountKind = discount.kind,
        /// Percent, or cents.
        pub value: Quantity = discounts::shown(discount.kind, discount.value),
        /// What it comes to in the menu's prices.
        pub amount_cents: Cents = discount.amount,
        /// The same without tax: what figures count.
        pub net_cents: Cents = discount.net,
        /// Why it was given.
        pub reason: String,
        /// When it was given.
        pub at: Millis,
        /// The account that gave it.
        pub by_id: Option<Uuid>,
        /// The employee whose PIN approved it.
        pub approver_id: Option<Uuid>,
    }
}

view! {
    /// The tax of one component on one line.
    pub struct OrderTax of tax: TaxRow {
        /// The line it is counted on.
        pub order_item_id: Uuid,
        /// The component, such as CGST.
        pub name: String = tax.line.name,
        /// Rate in basis points: 250 is 2.5 %.
        pub rate_bps: Bps = tax.line.rate,
        /// What it is counted on, without tax.
        pub taxable_cents: Cents = tax.line.taxable,
        /// The tax itself, in cents.
        pub tax_cents: Cents = tax.line.tax,
    }
}
