//! Devices: tills, kitchen displays, clocks and boards that are paired with this box as RFC 8628 has it. A screen shows a code, a manager
//! types it in, and the screen is signed in to an account of its own, whose rights follow from its kind.
//!
//! - Codes are stored as hashes alone, hold for ten minutes, and make one device once; wrong ones that somebody types in lock their account.
//! - No person is given a device's role, and no password opens a device's account: it is paired, or nothing.
//! - A removed device is signed out at once, its streams too, and can only be paired anew. Nobody used it for 90 days: the same.
//! - A display that followed the kitchen and does so no more is told of, once each time (`worker`).
//! - The public POSTs keep no answer under an `Idempotency-Key`: their answers are credentials. Each is safe to repeat in its own way: a
//!   second pairing is another code, and the tokens whose answer was lost are given again for a minute.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;
pub mod worker;

use crate::access::{Access, Permission, delete, get, patch, post};
use crate::http::limit::Class;
use crate::state::Routes;

/// `/devices`.
pub fn routes() -> Routes {
    Routes::group(
        "devices",
        [
            post("/devices/pair", Access::Public, api::pairing::pair_device)
                .summary("Ask to be paired: a code to show on the screen, and one to ask with")
                .limited(Class::Pairing),
            post("/devices/token", Access::Public, api::pairing::poll_token).summary(
                "The tokens of a device that was approved; until then an error that says how to go on",
            ),
            post("/devices/approve", Permission::DevicesManage, api::pairing::approve_device)
                .summary("Let the device in that shows this code"),
            post("/devices/deny", Permission::DevicesManage, api::pairing::deny_device)
                .summary("Refuse the device that shows this code"),
            get("/devices", Permission::DevicesManage, api::list_devices)
                .summary("The paired devices, by name"),
            get("/devices/own", Access::SignedIn, api::get_own_device)
                .summary("What the device that asks was paired as"),
            patch("/devices/{id}", Permission::DevicesManage, api::update_device)
                .summary("Give a device another name or station"),
            delete("/devices/{id}", Permission::DevicesManage, api::delete_device)
                .summary("Remove a device; it is signed out at once"),
        ],
    )
}
