//! The one thing that happens to the audit log: it grows.

use super::store;
use crate::access::{Actor, Approver};
use crate::db::{self, Transaction};
use serde::Serialize;
use serde_json::Value;
use tiffin_common::Uuid;

/// What is put on record.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) action: &'static str,
    pub(super) entity_type: &'static str,
    pub(super) entity_id: Option<Uuid>,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
    pub(super) reason: Option<String>,
    pub(super) approver: Option<Approver>,
}

impl Entry {
    /// `action` (such as `order.void`) on an entity.
    pub fn new(action: &'static str, entity_type: &'static str, entity_id: Option<Uuid>) -> Entry {
        Entry { action, entity_type, entity_id, before: None, after: None, reason: None, approver: None }
    }

    /// How it was.
    #[must_use]
    pub fn before(mut self, value: &impl Serialize) -> Entry {
        self.before = serde_json::to_value(value).ok();
        self
    }

    /// How it is now.
    #[must_use]
    pub fn after(mut self, value: &impl Serialize) -> Entry {
        self.after = serde_json::to_value(value).ok();
        self
    }

    /// The reason that was given.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Entry {
        self.reason = Some(reason.into());
        self
    }

    /// Who approved by PIN.
    #[must_use]
    pub fn approver(mut self, approver: Option<Approver>) -> Entry {
        self.approver = approver;
        self
    }
}

/// Puts `entry` on record as done by `actor` now.
pub fn record(tx: &Transaction<'_>, actor: &Actor, entry: Entry) -> db::Result<()> {
    store::insert(tx, actor, &entry)
}
