//! The states of a purchase order and which may follow which (contract section 8). Never asks what came of it.

use tiffin_common::words;

words! {
    /// The state of a purchase order.
    #[schemars(rename = "PurchaseOrderStatus")]
    pub enum Status {
        /// Being written.
        Draft = "DRAFT",
        /// The supplier has it.
        Sent = "SENT",
        /// Some of it has come.
        PartiallyReceived = "PARTIALLY_RECEIVED",
        /// All of it has come.
        Received = "RECEIVED",
        /// Done with, whatever came.
        Closed = "CLOSED",
    }
}

words! {
    /// How a purchase order came to be.
    #[derive(Default)]
    #[schemars(rename = "PurchaseOrderMode")]
    pub enum Mode {
        /// Written by a person.
        #[default]
        Manual = "MANUAL",
        /// Drafted from low stock.
        Auto = "AUTO",
    }
}

impl Status {
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

    /// Whether the supplier still owes something of it.
    pub fn is_awaited(self) -> bool {
        matches!(self, Status::Sent | Status::PartiallyReceived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status as S;

    #[test]
    fn each_state_leads_where_the_contract_says() {
        let allowed: Vec<(Status, Status)> = S::ALL
            .iter()
            .flat_map(|from| S::ALL.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| from.next().contains(to))
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
            assert_eq!(S::of_name(status.name()), Some(*status));
        }
        for mode in [Mode::Manual, Mode::Auto] {
            assert_eq!(Mode::of_name(mode.name()), Some(mode));
        }
        assert_eq!(S::of_name("LOST"), None);
    }
}
