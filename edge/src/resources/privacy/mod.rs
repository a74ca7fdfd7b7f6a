//! Privacy: who a guest was ends, by wish or by age. Owns no table: names, phones and addresses of guests are rows of orders', and what
//! people typed is everybody's. What holds always:
//!
//! - What is erased is gone from every row and every kept answer of this box in one transaction, and from head office's copies with the
//!   next push: they are changes like any other. Documents stay, and name no guest.
//! - Who was erased by wish stays on record without a word about them, so that a backup from before is clean after its restore.
//! - What the change log and backups still hold ends with their age.

pub mod actions;
mod api;
pub mod rules;
mod store;

use crate::access::{Permission, post};
use crate::http::limit::Class;
use crate::state::Routes;

/// `/privacy`.
pub fn routes() -> Routes {
    Routes::group(
        "privacy",
        [post("/privacy/erase", Permission::GuestsErase, api::erase_guest)
            .summary("Erase who a guest was, by phone or order; needs one's own password")
            .limited(Class::Login)],
    )
}
