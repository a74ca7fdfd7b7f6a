//! `/ai` over HTTP. Never decides what an answer says: that is `rules`.

pub mod asking;
pub mod conversations;

use super::rules::AiError;

answered! {
    AiError of "conversation" {}
}
