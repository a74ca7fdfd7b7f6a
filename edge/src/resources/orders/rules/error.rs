//! Why an order refuses.

use super::kinds::OrderStatus;
use crate::db::DbError;
use crate::http::{FieldError, Stale};
use crate::resources::auth::rules::AuthError;
use crate::resources::inventory::rules::StockError;
use crate::resources::kitchen::rules::KitchenError;
use crate::resources::menu::rules::MenuError;
use crate::resources::tables::TableError;

/// Why an order refuses.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// No such record in this outlet; names the kind.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The caller's version is not the present one.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Offending fields.
    #[error("{} fields are invalid", .0.len())]
    Invalid(Vec<FieldError>),
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
    /// The role may not, and nobody approved.
    #[error("{0}")]
    Forbidden(String),
    /// The approver's PIN.
    #[error(transparent)]
    Auth(#[from] AuthError),
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
    /// The store failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What orders answer, or a refusal.
pub type Result<T, E = OrderError> = std::result::Result<T, E>;

crate::store_errors!(OrderError);

impl OrderError {
    /// One offending field.
    pub fn field(name: impl Into<String>, reason: impl Into<String>) -> OrderError {
        OrderError::Invalid(vec![FieldError::new(name, reason)])
    }
}

impl From<Vec<FieldError>> for OrderError {
    fn from(fields: Vec<FieldError>) -> Self {
        OrderError::Invalid(fields)
    }
}
