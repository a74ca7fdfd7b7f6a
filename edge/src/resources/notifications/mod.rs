//! Notifications: what staff should look at. Repeats of an unread one are counted on its row, not sent a hundred times.
//! And mail, which becomes a notification when it does not go.
//!
//! Beside the files of every resource: `mail` (the worker that sends).

pub mod actions;
mod api;
pub mod mail;
mod rules;
mod store;

pub use api::{Notification, of_box, shown};
pub use rules::{Audience, Mail, Notice, Severity};

use crate::access::{Permission, get, post};
use crate::state::Routes;

/// `/notifications` (contract section 12).
pub fn routes() -> Routes {
    Routes::group(
        "notifications",
        [
            get("/notifications", Permission::NotificationsRead, api::list_notifications)
                .summary("Notifications, newest first"),
            post("/notifications/{id}/read", Permission::NotificationsRead, api::read_notification)
                .summary("Tick off a notification"),
            post("/notifications/read-all", Permission::NotificationsRead, api::read_all_notifications)
                .summary("Tick off all notifications"),
        ],
    )
}
