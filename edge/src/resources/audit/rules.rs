//! What the audit log keeps of a change. Pure.

use crate::access::Approver;
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::Value;
use tiffin_common::{Millis, Uuid};

table! {
    /// What is put on record.
    #[must_use]
    pub struct Entry: audit_log {
        pub(super) action: String,
        pub(super) entity_type: String,
        pub(super) entity_id: Option<Uuid>,
        pub(super) before: Option<Value> => json,
        pub(super) after: Option<Value> => json,
        pub(super) reason: Option<String>,
        pub(super) approver_id: Option<Uuid>,
        pub(super) approver_name: Option<String>,
    }
}

table! {
    /// An entry with who did it, when, and on which device.
    pub(super) struct Record: audit_log {
        pub(super) id: Uuid,
        pub(super) at: Millis,
        pub(super) business_date: NaiveDate,
        pub(super) actor_id: Option<Uuid>,
        pub(super) actor_name: String,
        pub(super) device: Option<String>,
        pub(super) clock_suspect: bool,
        pub(super) entry: Entry => flat,
    }
}

impl Entry {
    /// `action` (such as `order.void`) on an entity.
    pub fn new(action: &str, entity_type: &str, entity_id: Option<Uuid>) -> Entry {
        Entry {
            action: action.to_owned(),
            entity_type: entity_type.to_owned(),
            entity_id,
            before: None,
            after: None,
            reason: None,
            approver_id: None,
            approver_name: None,
        }
    }

    /// How it was.
    pub fn before(mut self, value: &impl Serialize) -> Entry {
        self.before = serde_json::to_value(value).ok();
        self
    }

    /// How it is now.
    pub fn after(mut self, value: &impl Serialize) -> Entry {
        self.after = serde_json::to_value(value).ok();
        self
    }

    /// The reason that was given.
    pub fn reason(mut self, reason: impl Into<String>) -> Entry {
        self.reason = Some(reason.into());
        self
    }

    /// Who approved by PIN.
    pub fn approver(mut self, approver: Option<Approver>) -> Entry {
        (self.approver_id, self.approver_name) = approver.map(|by| (by.employee_id, by.name)).unzip();
        self
    }
}
