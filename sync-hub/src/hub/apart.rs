//! Known bugs: a push and an edit in two transactions. Answers nothing where they are not put back, which is everywhere but in
//! tests.

use super::Hub;
use crate::merge::{Desk, Edit, Edited, HubError, Push, Pushed, apart};
use crate::store::Wake;
use std::time::Duration;
use tiffin_common::sync::Class;

/// How long there is between the two for a crash, or for somebody to look.
const BETWEEN: Duration = Duration::from_millis(300);

impl Hub {
    /// The push in two transactions, where a bug makes it so.
    pub(super) async fn push_apart(&self, push: &Push) -> Result<Option<Pushed>, HubError> {
        let (bugs, outlet) = (push.at.bugs, push.at.outlet);
        let is_apart = bugs.cursor_before_write() || bugs.rows_apart();
        if !is_apart || push.class == Class::Salvage {
            return Ok(None);
        }
        let first = push.clone();
        let (_, before) = self.run(outlet, move |tx| apart::push_cursor(tx, &first)).await?;
        tokio::time::sleep(BETWEEN).await;
        let rest = push.clone();
        self.run(outlet, move |tx| apart::push_rows(tx, &rest, before)).await.map(Some)
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
