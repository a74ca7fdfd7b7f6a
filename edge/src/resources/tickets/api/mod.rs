//! `/tickets` over HTTP: what its handlers share.

pub(super) mod feedback;
pub(super) mod guests;
pub(super) mod queries;

use super::rules::{TicketError, TicketStatus};
use crate::http::{Code, Problem};

answered! {
    TicketError of "record" {
        TicketError::Transition(from) => {
            let allowed: Vec<&str> = from.followers().iter().copied().map(TicketStatus::name).collect();
            let allowed = allowed.join(", ");
            Problem::new(Code::InvalidTransition)
                .detail(format!("{} may be followed by {allowed}", from.name()))
                .with_field("status", format!("must be one of {allowed}"))
        }
        TicketError::Closed => {
            Problem::new(Code::InvalidTransition).detail("The ticket is closed: reopen it first")
        }
        TicketError::Given(field) => Problem::new(Code::Conflict)
            .detail("Thank you: there is feedback about this already")
            .with_field(field, "has its feedback already"),
        TicketError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
    }
}
