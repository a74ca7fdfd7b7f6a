//! `/ai` over HTTP. Never decides what an answer says: that is `rules`.

pub mod asking;
pub mod conversations;

use super::rules::AiError;
use crate::http::Problem;

impl From<AiError> for Problem {
    fn from(error: AiError) -> Self {
        match error {
            AiError::NotFound => Problem::not_found("conversation"),
            AiError::Invalid(fields) => fields.into(),
            AiError::Db(error) => error.into(),
        }
    }
}
