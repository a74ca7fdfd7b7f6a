//! The assistant: answers from the figures of the API, under the rights of whoever asks. Never writes but its conversations.

use crate::state::Routes;

/// `/ai`.
pub fn routes() -> Routes {
    Routes::group("ai", [])
}
