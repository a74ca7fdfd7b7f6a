//! Channels: who brings orders beside the house's own staff and guests, such as a delivery platform or the house's website. What holds:
//!
//! - An order keeps what its channel was when it came: whose the tax is and what the commission is never change afterwards.
//! - A channel that orders came through is archived, never deleted.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

pub use rules::{Channel, ChannelError};

use crate::access::{Permission, delete, get, patch, post};
use crate::state::Routes;

/// `/channels`.
pub fn routes() -> Routes {
    let (read, write) = (Permission::ChannelsRead, Permission::ChannelsWrite);
    Routes::group(
        "channels",
        [
            get("/channels", read, api::list_channels).summary("Whom orders come through"),
            post("/channels", write, api::create_channel).summary("Make a channel"),
            get("/channels/{id}", read, api::get_channel).summary("One channel"),
            patch("/channels/{id}", write, api::update_channel).summary("Change a channel"),
            delete("/channels/{id}", write, api::delete_channel)
                .summary("Archive a channel: its orders stay, no new ones come"),
        ],
    )
}
