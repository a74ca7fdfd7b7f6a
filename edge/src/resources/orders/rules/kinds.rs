//! The named values of an order: types, states, sources, kinds of discount, ways to pay. Never logic beyond their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! names {
    ($(#[$meta:meta])* $type:ident { $($variant:ident $name:literal $doc:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $type { $(#[doc = $doc] #[serde(rename = $name)] $variant,)* }

        impl $type {
            /// All values.
            pub const ALL: &'static [$type] = &[$($type::$variant,)*];

            /// The name that clients see and the database holds.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }

            /// The value of that name.
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

names! {
    /// How an order reaches its guest.
    OrderType {
        DineIn "DINE_IN" "At a table.",
        Takeaway "TAKEAWAY" "Packed, taken along.",
        Delivery "DELIVERY" "Brought to the guest's door.",
        Counter "COUNTER" "Handed over at the counter.",
    }
}

names! {
    /// The state of an order. Both ends are final.
    OrderStatus {
        Pending "PENDING" "Taken.",
        Accepted "ACCEPTED" "Staff have accepted it.",
        InPreparation "IN_PREPARATION" "The kitchen has begun.",
        Ready "READY" "All of it is ready.",
        Delivered "DELIVERED" "The guest has it.",
        Completed "COMPLETED" "Paid and closed.",
        Cancelled "CANCELLED" "Called off.",
    }
}

names! {
    /// Where an order came from.
    Source {
        Pos "POS" "A till.",
        Waiter "WAITER" "A waiter's device.",
        Qr "QR" "A guest's own phone at the table.",
        Kiosk "KIOSK" "A self-service screen.",
        Phone "PHONE" "A call.",
        Aggregator "AGGREGATOR" "A delivery platform.",
        Api "API" "Another system.",
    }
}

names! {
    /// How a discount is counted.
    DiscountKind {
        Percent "PERCENT" "A share of what it applies to.",
        Fixed "FIXED" "An amount.",
    }
}

names! {
    /// How money came in.
    PaymentMethod {
        Cash "CASH" "Notes and coins.",
        Card "CARD" "A card terminal.",
        Upi "UPI" "UPI.",
        Wallet "WALLET" "A wallet.",
        Voucher "VOUCHER" "A voucher.",
        Other "OTHER" "Anything else.",
    }
}

impl OrderStatus {
    /// Whether nothing can follow.
    pub fn is_final(self) -> bool {
        matches!(self, OrderStatus::Completed | OrderStatus::Cancelled)
    }
}
