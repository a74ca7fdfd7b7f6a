//! Head office's own view of shared rows, kept beside the branch's: the row, the version of the feed that brought its last
//! change, and who changed each column last. A deleted row stays as a tombstone.

use super::error::HubError;
use super::rows::{self, Image};
use super::state::State;
use edge::db::{Json, Source, Sql, opt};
use edge::insert;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiffin_common::conflict::ROW;
use tiffin_common::frame::{Header, OpKind};
use tiffin_common::registry::Table;
use tiffin_common::{Hlc, Millis, Uuid};

/// Who changed a column last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touch {
    /// The version of the feed that brought it; 0 when the branch did it.
    #[serde(rename = "f", default)]
    pub(super) feed: i64,
    /// When, by the logical clock.
    #[serde(rename = "h", default)]
    pub(super) hlc: i64,
    /// When, by the wall clock of whoever did it.
    #[serde(rename = "t", default)]
    pub(super) at: i64,
    /// Who.
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    /// The row of the branch's log that told of it; 0 when head office did it.
    #[serde(rename = "s", default, skip_serializing_if = "is_none")]
    pub(super) seq: i64,
    /// When that came here, by head office's clock.
    #[serde(rename = "c", default, skip_serializing_if = "is_none")]
    came_at: i64,
}

fn is_none(number: &i64) -> bool {
    *number == 0
}

impl Touch {
    pub(super) fn new(feed: i64, hlc: Hlc, at: Millis, by: Option<&str>) -> Touch {
        Touch { feed, hlc: hlc.get(), at: at.get(), by: by.map(str::to_owned), seq: 0, came_at: 0 }
    }

    /// The branch did it, in that row of its log, which came at `came_at`.
    pub(super) fn by_branch(header: &Header, by: Option<&str>, came_at: Millis) -> Touch {
        let (seq, came_at) = (header.seq, came_at.get());
        Touch { seq, came_at, ..Touch::new(0, header.hlc, header.wall, by) }
    }

    /// Whether head office's people did it after version `base`: what was taken back from a branch's log names nobody.
    pub(super) fn is_edit_after(&self, base: i64) -> bool {
        self.feed > base && self.by.is_some()
    }

    /// Whether the branch did it, and what head office did at `moment` was done before it was known here.
    pub(super) fn came_after(&self, moment: Millis) -> bool {
        self.feed == 0 && self.came_at > moment.get()
    }
}

/// A shared row as head office has it.
#[derive(Debug, Clone)]
pub(super) struct Master {
    pub(super) table: &'static Table,
    pub(super) id: Uuid,
    /// See the schema.
    pub(super) feed: i64,
    /// None: deleted.
    pub(super) row: Option<Image>,
    touches: BTreeMap<String, Touch>,
}

impl Master {
    /// A row that is new to head office.
    pub(super) fn new(table: &'static Table, id: Uuid, row: Image, touch: Touch) -> Master {
        let mut new = Master { table, id, feed: touch.feed, row: Some(row), touches: BTreeMap::new() };
        new.touch_all(touch);
        new
    }

    /// Who changed the column last.
    pub(super) fn touch_of(&self, column: usize) -> Option<&Touch> {
        let name = self.table.columns.get(column)?;
        self.touches.get(*name).or_else(|| self.touches.get(ROW))
    }

    /// Notes who changed the column.
    pub(super) fn touch(&mut self, column: usize, touch: Touch) {
        if let Some(name) = self.table.columns.get(column) {
            self.touches.insert((*name).to_owned(), touch);
        }
    }

    /// Notes who made or deleted the row.
    pub(super) fn touch_all(&mut self, touch: Touch) {
        self.touches.clear();
        self.touches.insert(ROW.to_owned(), touch);
    }

    /// The row comes with version `feed` from now on: so do the changes of head office that no log of the branch shows as applied
    /// (`arrived` is the newest version that one does). A branch that stops in the middle of the feed has seen none of them.
    pub(super) fn bump(&mut self, feed: i64, arrived: i64) {
        self.touches.values_mut().filter(|touch| touch.feed > arrived).for_each(|touch| touch.feed = feed);
        self.feed = feed;
    }

    /// The last change of head office that a branch which had seen version `base` did not know of.
    pub(super) fn unseen(&self, base: i64) -> Option<&Touch> {
        self.touches.values().filter(|touch| touch.feed > base).max_by_key(|touch| touch.feed)
    }

    /// The last edit of head office's people after version `base`.
    pub(super) fn edited_after(&self, base: i64) -> Option<&Touch> {
        self.touches.values().filter(|touch| touch.is_edit_after(base)).max_by_key(|touch| touch.feed)
    }

    /// The last change of the branch that was not known here at `moment`.
    pub(super) fn crossed(&self, moment: Millis) -> Option<&Touch> {
        self.touches.values().filter(|touch| touch.came_after(moment)).max_by_key(|touch| touch.seq)
    }

    /// The row as head office has it, as one packed change.
    pub(super) fn packed(&self) -> Vec<u8> {
        match &self.row {
            Some(row) => row.packed(self.table),
            None => rows::packed_delete(self.table, self.id),
        }
    }

    pub(super) fn load(
        from: &dyn Source,
        outlet: Uuid,
        table: &'static Table,
        id: Uuid,
    ) -> Result<Option<Master>, HubError> {
        const LOAD: &str =
            "SELECT feed, row, groups FROM hub_master WHERE outlet_id = ?1 AND table_no = ?2 AND row_id = ?3";
        let found = opt(from, LOAD, (outlet, table.no, id), |row| {
            let touches: Json<BTreeMap<String, Touch>> = row.get("groups")?;
            Ok((row.get("feed")?, row.get::<_, Vec<u8>>("row")?, touches.0))
        })?;
        let Some((feed, packed, touches)) = found else { return Ok(None) };
        let op = rows::one_op(&packed)?;
        let row = (op.kind == OpKind::Insert).then(|| Image::of_packed(table, &op));
        Ok(Some(Master { table, id, feed, row, touches }))
    }

    pub(super) fn save(&self, sql: &dyn Sql, state: &State) -> Result<(), HubError> {
        insert!(
            sql,
            hub_master {
                outlet_id: state.outlet,
                table_no: self.table.no,
                row_id: self.id,
                feed: self.feed,
                deleted: self.row.is_none(),
                row: self.packed(),
                groups: Json(&self.touches),
            },
            "ON CONFLICT (outlet_id, table_no, row_id) DO UPDATE SET
               feed = excluded.feed, deleted = excluded.deleted, row = excluded.row, groups = excluded.groups"
        )?;
        Ok(())
    }
}
