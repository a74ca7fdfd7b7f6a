//! Purchasing over HTTP.

pub(super) mod auto;
pub(super) mod deliveries;
pub(super) mod invoices;
pub(super) mod orders;
pub(super) mod suppliers;
mod view;

pub(super) use view::PurchaseOrderDetail;

use super::rules::{PurchaseError, Status};
use crate::http::{Code, Problem};

answered! {
    PurchaseError of "record" {
        PurchaseError::Transition { from, to } => {
            let names: Vec<&str> = from.next().iter().copied().map(Status::name).collect();
            let allowed =
                if names.is_empty() { "nothing: it is closed".into() } else { names.join(", ") };
            Problem::new(Code::InvalidTransition)
                .detail(format!("A purchase order that is {from} cannot become {to}; allowed: {allowed}"))
                .with_field("status", format!("allowed: {allowed}"))
        }
        PurchaseError::State(why) => Problem::new(Code::InvalidTransition).detail(why),
        PurchaseError::Unconfirmed(reasons) => Problem::new(Code::ConfirmationNeeded)
            .detail("What comes is not what was ordered. Send the same with confirm: true when it is right")
            .with_fields(reasons),
        PurchaseError::Invoiced(why) => {
            Problem::new(Code::Conflict).detail(why).with_field("ref", "was entered before")
        }
        PurchaseError::Stock(error) => error.into(),
    }
}

/// A text without the space around it; none when nothing is left.
fn text(value: Option<String>) -> Option<String> {
    value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}
