//! The assistant: answers the questions a manager asks, from the figures of the API. What holds always:
//!
//! - It sees what the caller sees: every figure comes from one of the API's own GET routes, called inside this process with the
//!   caller's own token and outlet, so permissions, outlet scope and figures are the API's. The sources of an answer are the
//!   calls that were made.
//! - It writes nothing but the caller's own conversations. The routes it can call are a list of GET routes; no other is in reach.
//! - It works with no internet: the local engine understands a table of topics and says so when a question is none of them. Where
//!   a model is configured, it may plan and phrase, with those routes as functions; when it fails in any way, or names a number
//!   that no answer contained, the local engine's answer stands.
//!   What that check cannot see: a right number beside the wrong name. The answer's facts and table never come from the model.
//! - No network call is made inside a transaction.

pub mod actions;
pub mod api;
mod assistant;
mod reads;
mod remote;
pub mod rules;
pub mod store;

pub use assistant::Assistant;

use crate::access::{Permission, delete, get, post};
use crate::state::Routes;
use api::{asking, conversations};

/// `/ai` (contract section 11).
pub fn routes() -> Routes {
    Routes::group(
        "ai",
        [
            post("/ai/ask", Permission::AiAsk, asking::ask).summary(
                "Ask a question about the outlet; the answer names its figures and where they are from",
            ),
            get("/ai/suggestions", Permission::AiAsk, asking::get_suggestions)
                .summary("Up to three things to act on today, with their figures"),
            get("/ai/conversations", Permission::AiAsk, conversations::list_conversations)
                .summary("The caller's conversations with the assistant, the newest first"),
            get("/ai/conversations/{id}", Permission::AiAsk, conversations::get_conversation)
                .summary("A conversation of the caller with its messages"),
            delete("/ai/conversations/{id}", Permission::AiAsk, conversations::delete_conversation)
                .summary("Forget a conversation"),
        ],
    )
}
