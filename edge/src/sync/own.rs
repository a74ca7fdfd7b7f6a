//! What was changed here since a position of the log: rows, and of each the columns. Never counts what a recovery itself took back.

use super::{steps, store};
use crate::db::{DbError, Source};
use crate::log::RowKey;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_common::frame::{Body, Op, OpKind};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// Of each row its columns; none for a row that was made or deleted.
    rows: BTreeMap<RowKey, Option<BTreeSet<usize>>>,
    /// The last log row that was looked at.
    to: i64,
    /// What is taken: what stands here as taken of it is not this box's own.
    taken: Uuid,
}

impl Own {
    /// Nothing yet: the log is looked at after row `ancestor`. Rows that it tells as `taken`, a process start or a takeover, do not count.
    pub(super) fn since(ancestor: i64, taken: Uuid) -> Own {
        Own { to: ancestor, taken, ..Own::default() }
    }

    /// Takes in what the log has besides.
    pub(super) fn read_on(&mut self, from: &dyn Source) -> Result<(), DbError> {
        loop {
            let frames = store::list_after(from, self.to, 4 * 1024 * 1024, 4_096)?;
            let Some(last) = frames.last() else { return Ok(()) };
            self.to = last.header.seq;
            for frame in &frames {
                let body = steps::decoded(frame)?;
                match &body {
                    Body::Recovered { origin, .. } if origin.epoch == self.taken => {}
                    _ => body.ops().iter().for_each(|op| self.count(op)),
                }
            }
        }
    }

    /// Counts a change: of this log, or of another box of the outlet, whose this log need not tell.
    pub(super) fn count(&mut self, op: &Op<'_>) {
        let Some(id) = op.row_id() else { return };
        let entry = self.rows.entry((op.table, id)).or_insert_with(|| Some(BTreeSet::new()));
        match (op.kind, entry.as_mut()) {
            (OpKind::Update, Some(columns)) => columns.extend(op.columns.iter().map(|(no, _)| *no)),
            _ => *entry = None,
        }
    }

    /// Whether a row was changed.
    pub(super) fn has(&self, row: &RowKey) -> bool {
        self.rows.contains_key(row)
    }

    /// The columns of a row that were changed, if it was; none within where it was made or deleted.
    pub(super) fn columns(&self, row: &RowKey) -> Option<Option<BTreeSet<usize>>> {
        self.rows.get(row).cloned()
    }
}
