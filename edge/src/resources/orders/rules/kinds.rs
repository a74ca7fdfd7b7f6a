//! The named values of an order: types, states, sources, kinds of discount, ways to pay. Never logic beyond their names.

pub use crate::resources::outlets::rules::OrderType;
use tiffin_common::words;

words! {
    /// The state of an order. Both ends are final.
    pub enum OrderStatus {
        /// Taken, and not yet accepted.
        Pending = "PENDING",
        /// Staff have accepted it.
        Accepted = "ACCEPTED",
        /// The kitchen has begun.
        InPreparation = "IN_PREPARATION",
        /// All of it is ready.
        Ready = "READY",
        /// The guest has it.
        Delivered = "DELIVERED",
        /// Paid and closed.
        Completed = "COMPLETED",
        /// Called off.
        Cancelled = "CANCELLED",
    }
}

words! {
    /// Where an order came from.
    pub enum Source {
        /// A till.
        Pos = "POS",
        /// A waiter's device.
        Waiter = "WAITER",
        /// A guest's own phone at the table.
        Qr = "QR",
        /// A self-service screen.
        Kiosk = "KIOSK",
        /// A call.
        Phone = "PHONE",
        /// A delivery platform.
        Aggregator = "AGGREGATOR",
        /// Another system.
        Api = "API",
    }
}

words! {
    /// How a discount is counted.
    pub enum DiscountKind {
        /// A share of what it applies to.
        Percent = "PERCENT",
        /// An amount.
        Fixed = "FIXED",
    }
}

words! {
    /// How money came in.
    pub enum PaymentMethod {
        /// Notes and coins.
        Cash = "CASH",
        /// A card terminal.
        Card = "CARD",
        /// UPI, by phone.
        Upi = "UPI",
        /// A wallet.
        Wallet = "WALLET",
        /// A voucher.
        Voucher = "VOUCHER",
        /// Anything else.
        Other = "OTHER",
    }
}

impl OrderStatus {
    /// Whether nothing can follow.
    pub fn is_final(self) -> bool {
        matches!(self, OrderStatus::Completed | OrderStatus::Cancelled)
    }
}
