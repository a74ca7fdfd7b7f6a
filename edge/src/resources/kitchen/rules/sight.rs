//! How much of the kitchen somebody sees: a display its station, a board what guests may read. Pure.

use super::{ExpoOrder, Ticket};
use tiffin_common::Uuid;

/// How much of the kitchen somebody sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// All of it.
    Whole,
    /// What is of this station, or was sent to it because nobody saw it elsewhere.
    Station(Uuid),
    /// All of it, but nothing that guests or the staff wrote or are called: anybody reads a board.
    Board,
}

impl Sight {
    /// The station that it ends at.
    pub fn station(self) -> Option<Uuid> {
        match self {
            Sight::Station(own) => Some(own),
            Sight::Whole | Sight::Board => None,
        }
    }

    /// Whether `ticket` is within it.
    pub fn covers(self, ticket: &Ticket) -> bool {
        self.station().is_none_or(|own| ticket.station_id == own || ticket.escalated_to_id == Some(own))
    }

    /// `ticket` as it is seen.
    pub fn of_ticket(self, mut ticket: Ticket) -> Ticket {
        if self == Sight::Board {
            ticket.notes = None;
            ticket.of_order.customer_name = None;
            ticket.of_order.server_id = None;
            ticket.of_order.server_name = None;
            for item in &mut ticket.items {
                item.notes = None;
            }
        }
        ticket
    }

    /// `order` as it is seen at the pass.
    pub fn of_order(self, order: ExpoOrder) -> ExpoOrder {
        match self {
            Sight::Board => ExpoOrder { customer_name: None, server_name: None, ..order },
            Sight::Whole | Sight::Station(_) => order,
        }
    }
}
