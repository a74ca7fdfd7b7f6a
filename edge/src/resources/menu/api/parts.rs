//! What the routes of all parts of the menu ask and answer alike.

use super::super::store::Search;
use crate::http::Paging;
use tiffin_common::Uuid;

/// A record that was taken off the menu; history still refers to it.
#[apply(answer!)]
pub struct MenuArchived {
    /// Id of what was archived.
    id: Uuid,
    /// True: nobody can order it any more, history keeps it.
    archived: bool,
}

impl MenuArchived {
    pub(super) fn of(id: Uuid) -> MenuArchived {
        MenuArchived { id, archived: true }
    }
}

/// Which categories, groups or tax categories.
#[apply(request!)]
pub struct ListMenuParts {
    /// A part of the name, in any case.
    #[schemars(length(max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    pub(super) paging: Paging,
}

impl ListMenuParts {
    pub(super) fn search(&self) -> Search {
        search(self.q.clone(), self.paging)
    }
}

/// A search without an empty text.
pub(super) fn search(q: Option<String>, paging: Paging) -> Search {
    Search { q: q.filter(|q| !q.trim().is_empty()), limit: paging.limit, offset: paging.offset }
}
