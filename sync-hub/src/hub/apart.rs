//! Known bugs: a push and an edit in two transactions. Never where they are not put back, which is everywhere but in tests.

use super::Hub;
use crate::merge::{Desk, Edit, Edited, HubError, Push, Pushed, apart};
use crate::store::Wake;
use std::time::Duration;
use tiffin_common::sync::Class;

/// How long there is between the two for a crash, or for somebody to look.
const BETWEEN: Duration = Duration::from_millis(300);

impl Hub {
    /// Whether a bug takes pushes of `class` apart.
    pub(super) fn is_pushed_apart(&self, class: Class) -> bool {
        let bugs = self.inner.bugs;
        (bugs.cursor_before_write() || bugs.rows_apart()) && class != Class::Salvage
    }

    /// The push in two transactions.
    pub(super) async fn push_apart(&self, push: Push) -> Result<Pushed, HubError> {
        let (outlet, first) = (push.at.outlet, push.clone());
        let (_, before) = self.run(outlet, move |tx| apart::push_cursor(tx, &first)).await?;
        tokio::time::sleep(BETWEEN).await;
        self.run(outlet, move |tx| apart::push_rows(tx, &push, before)).await
    }

    /// The edit in two transactions, where a bug makes it so.
    pub(super) async fn edit_apart(&self, at: &Desk, edit: &Edit) -> Result<Option<Edited>, HubError> {
        if !at.bugs.sequence_feed() {
            return Ok(None);
        }
        let (desk, outlet) = (at.clone(), at.outlet);
        let drawn = self.run(outlet, move |tx| apart::draw_feed(tx, &desk)).await?;
        self.stores().store().wake(Wake::Feed(outlet));
        tokio::time::sleep(BETWEEN).await;
        let (desk, edit) = (at.clone(), edit.clone());
        self.run(outlet, move |tx| apart::edit_at(tx, &desk, &edit, drawn)).await.map(Some)
    }
}
