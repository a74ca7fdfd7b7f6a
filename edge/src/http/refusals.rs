//! Why a resource refuses, declared: what each may say, said once, beside what only one does. Never knows a resource.

use super::error::{FieldError, camel_case};
use crate::db::DbError;

/// A refusal that may be the fault of fields.
pub trait Refused: Sized {
    /// The fields whose fault it is: those that offend, or one whose value is taken.
    ///
    /// # Errors
    /// The refusal, where it is no field's fault.
    fn into_fields(self) -> Result<Vec<FieldError>, Self>;
}

impl Refused for DbError {
    fn into_fields(self) -> Result<Vec<FieldError>, Self> {
        match self {
            DbError::Taken { column, .. } => {
                Ok(vec![FieldError::new(camel_case(&column), "is already in use")])
            }
            other => Err(other),
        }
    }
}

/// Declares why a resource refuses, with the `Result` of what it answers. Every resource may say that nothing of the kind is there, that
/// the record has another version, that fields are invalid, and what the store says; its own variants follow.
macro_rules! refusals {
    ($(#[$meta:meta])* pub enum $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        pub enum $name {
            /// No such record of the outlet; the kind is named.
            #[error("no such {0}")]
            NotFound(&'static str),
            /// The record has changed since the client read it.
            #[error("{0}")]
            Stale(#[from] $crate::http::Stale),
            /// Offending fields.
            #[error("invalid fields: {0:?}")]
            Invalid(Vec<$crate::http::FieldError>),
            /// The store.
            #[error("{0}")]
            Db(#[from] $crate::db::DbError),
            $($own)*
        }

        /// What the resource answers, or a refusal.
        pub type Result<T, E = $name> = std::result::Result<T, E>;

        impl $name {
            /// One offending field.
            pub fn field(name: impl Into<String>, reason: impl Into<String>) -> Self {
                $name::Invalid(vec![$crate::http::FieldError::new(name, reason)])
            }
        }

        impl $crate::http::Refused for $name {
            fn into_fields(self) -> std::result::Result<Vec<$crate::http::FieldError>, Self> {
                match self {
                    $name::Invalid(fields) => Ok(fields),
                    $name::Db(error) => error.into_fields().map_err($name::Db),
                    other => Err(other),
                }
            }
        }

        impl From<Vec<$crate::http::FieldError>> for $name {
            fn from(fields: Vec<$crate::http::FieldError>) -> Self {
                $name::Invalid(fields)
            }
        }

        impl From<tiffin_common::Overflow> for $name {
            fn from(error: tiffin_common::Overflow) -> Self {
                $name::Db(error.into())
            }
        }
    };
}

/// What a client is told of refusals declared by `refusals!`: `of` names what has a version; the arms are those of the resource's own.
macro_rules! answered {
    ($refusal:ident of $what:literal { $($own:tt)* }) => {
        impl From<$refusal> for $crate::http::Problem {
            fn from(refusal: $refusal) -> Self {
                match refusal {
                    $refusal::NotFound(what) => $crate::http::Problem::not_found(what),
                    $refusal::Stale(stale) => $crate::http::Problem::stale($what, stale),
                    $refusal::Invalid(fields) => $crate::http::Problem::invalid(fields),
                    $refusal::Db(error) => error.into(),
                    $($own)*
                }
            }
        }
    };
}
