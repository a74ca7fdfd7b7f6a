//! Why an order refuses.

use super::kinds::OrderStatus;
use crate::resources::auth::rules::AuthError;
use crate::resources::channels::ChannelError;
use crate::resources::inventory::rules::StockError;
use crate::resources::kitchen::rules::KitchenError;
use crate::resources::menu::rules::MenuError;
use crate::resources::printers::rules::PrinterError;
use crate::resources::tables::TableError;

refusals! {
    /// Why an order refuses.
    #[derive(Debug, thiserror::Error)]
    pub enum OrderError {
        /// The state may not follow; names those that may.
        #[error("an order that is {from} cannot become {to}")]
        Transition {
            /// Where it is.
            from: OrderStatus,
            /// Where it was to go.
            to: OrderStatus,
            /// Where it may go.
            allowed: Vec<OrderStatus>,
        },
        /// The state does not allow it; says why and what to do.
        #[error("{0}")]
        State(String),
        /// Something of it waits for the kitchen until it is fired; names the tickets.
        #[error("something of the order is held")]
        Held(Vec<crate::http::FieldError>),
        /// The bill that is there is made out to somebody else.
        #[error("{number} is made out to somebody else")]
        Billed {
            /// The bill's number.
            number: String,
            /// What of the buyer is another.
            field: &'static str,
        },
        /// The role may not, and nobody approved.
        #[error("{0}")]
        Forbidden(String),
        /// The approver's PIN.
        #[error(transparent)]
        Auth(#[from] AuthError),
        /// The channels refused.
        #[error(transparent)]
        Channel(#[from] ChannelError),
        /// The menu refused.
        #[error(transparent)]
        Menu(#[from] MenuError),
        /// The tables refused.
        #[error(transparent)]
        Table(#[from] TableError),
        /// The stock refused.
        #[error(transparent)]
        Stock(#[from] StockError),
        /// The kitchen refused.
        #[error(transparent)]
        Kitchen(#[from] KitchenError),
        /// The printers refused.
        #[error(transparent)]
        Printer(#[from] PrinterError),
    }
}
