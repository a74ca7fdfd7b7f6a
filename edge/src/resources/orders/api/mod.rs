//! Orders over HTTP: one file per group of verbs.

pub mod amend;
pub mod bills;
pub mod changes;
pub mod division;
pub mod entries;
pub mod floor;
pub mod guest_lines;
pub mod guests;
pub mod items;
pub mod ledgers;
pub mod list;
pub mod money;
pub mod place;
pub mod quote;
pub mod receipts;
pub mod service_charge;
pub mod slips;
pub mod table_menu;
pub mod tables;
pub mod view;

use super::rules::OrderError;
use crate::http::{Code, Problem};

answered! {
    OrderError of "order" {
        OrderError::Transition { from, to, allowed } => {
            let names: Vec<&str> = allowed.iter().map(|status| status.name()).collect();
            let allowed =
                if names.is_empty() { "nothing: it is closed".into() } else { names.join(", ") };
            Problem::new(Code::InvalidTransition)
                .detail(format!("An order that is {from} cannot become {to}; allowed: {allowed}"))
                .with_field("status", format!("allowed: {allowed}"))
        }
        OrderError::State(why) => Problem::new(Code::InvalidTransition).detail(why),
        OrderError::Held(tickets) => Problem::new(Code::InvalidTransition)
            .detail("Something of the order is still held: fire it, or void it")
            .with_fields(tickets),
        OrderError::Billed { number, field } => Problem::new(Code::Conflict)
            .detail(format!("{number} is made out to somebody else: withdraw it, or credit it and bill anew"))
            .with_field(field, "is not what the bill has"),
        OrderError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
        OrderError::Auth(error) => error.into(),
        OrderError::Channel(error) => error.into(),
        OrderError::Menu(error) => error.into(),
        OrderError::Table(error) => error.into(),
        OrderError::Stock(error) => error.into(),
        OrderError::Kitchen(error) => error.into(),
        OrderError::Printer(error) => error.into(),
    }
}
