//! The states of a purchase order and which may follow which (contract section 8). Never asks what came of it beyond the
//! quantities handed in.

use super::PurchaseError;
use super::record::OrderLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a purchase order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "PurchaseOrderStatus")]
pub enum Status {
    /// Being written.
    Draft,
    /// The supplier has it.
    Sent,
    /// Some of it has come.
    PartiallyReceived,
    /// All of it has come.
    Received,
    /// Done with, whatever came.
    Closed,
}

/// How a purchase order came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "PurchaseOrderMode")]
pub enum Mode {
    /// Written by a person.
    #[default]
    Manual,
    /// Drafted from low stock.
    Auto,
}

impl Mode {
    /// The name in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Manual => "MANUAL",
            Mode::Auto => "AUTO",
        }
    }

    /// The mode of that name.
    pub fn of_name(name: &str) -> Option<Mode> {
        [Mode::Manual, Mode::Auto].into_iter().find(|mode| mode.name() == name)
    }
}

impl Status {
    /// All of them, in their order.
    pub const ALL: [Status; 5] =
        [Status::Draft, Status::Sent, Status::PartiallyReceived, Status::Received, Status::Closed];

    /// The name in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Status::Draft => "DRAFT",
            Status::Sent => "SENT",
            Status::PartiallyReceived => "PARTIALLY_RECEIVED",
            Status::Received => "RECEIVED",
            Status::Closed => "CLOSED",
        }
    }

    /// The state of that name.
    pub fn of_name(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The states that may follow.
    pub fn next(self) -> &'static [Status] {
        match self {
            Status::Draft => &[Status::Sent, Status::Closed],
            Status::Sent | Status::PartiallyReceived => {
                &[Status::PartiallyReceived, Status::Received, Status::Closed]
            }
            // A supplier who sends more than was ordered leaves it received.
            Status::Received => &[Status::Received, Status::Closed],
            Status::Closed => &[],
        }
    }

    /// Refuses unless `to` may follow.
    ///
    /// # Errors
    /// [`PurchaseError::Transition`].
    pub fn check(self, to: Status) -> Result<(), PurchaseError> {
        if self.next().contains(&to) { Ok(()) } else { Err(PurchaseError::Transition { from: self, to }) }
    }

    /// Whether the supplier still owes something of it.
    pub fn is_awaited(self) -> bool {
        matches!(self, Status::Sent | Status::PartiallyReceived)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Where an order stands after a delivery.
pub fn after_delivery(lines: &[OrderLine]) -> Status {
    let complete = lines.iter().all(|line| line.received_stock_quantity >= line.stock_quantity);
    if complete { Status::Received } else { Status::PartiallyReceived }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status as S;

    #[test]
    fn each_state_leads_where_the_contract_says() {
        let allowed: Vec<(Status, Status)> = S::ALL
            .into_iter()
            .flat_map(|from| S::ALL.into_iter().map(move |to| (from, to)))
            .filter(|(from, to)| from.check(*to).is_ok())
            .collect();
        assert_eq!(
            allowed,
            [
                (S::Draft, S::Sent),
                (S::Draft, S::Closed),
                (S::Sent, S::PartiallyReceived),
                (S::Sent, S::Received),
                (S::Sent, S::Closed),
                (S::PartiallyReceived, S::PartiallyReceived),
                (S::PartiallyReceived, S::Received),
                (S::PartiallyReceived, S::Closed),
                (S::Received, S::Received),
                (S::Received, S::Closed),
            ]
        );
    }

    #[test]
    fn names_are_read_back() {
        for status in S::ALL {
            assert_eq!(S::of_name(status.name()), Some(status));
        }
        for mode in [Mode::Manual, Mode::Auto] {
            assert_eq!(Mode::of_name(mode.name()), Some(mode));
        }
        assert_eq!(S::of_name("LOST"), None);
    }
}
