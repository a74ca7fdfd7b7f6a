//! What staff are told, and letters. Pure.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// How urgent a notification is.
    pub enum Severity {
        /// Good to know.
        Info = "INFO",
        /// Needs a look today.
        Warning = "WARNING",
        /// Needs a look now.
        Critical = "CRITICAL",
    }
}

/// Who sees a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// All staff of the outlet.
    Staff,
    /// Those who may manage accounts.
    Managers,
    /// Owners and super-admins alone.
    Owners,
    /// The holder of one account.
    Account(Uuid),
}

impl Audience {
    /// The name the database holds.
    pub(super) fn name(self) -> Cow<'static, str> {
        match self {
            Audience::Staff => "STAFF".into(),
            Audience::Managers => "MANAGERS".into(),
            Audience::Owners => "OWNERS".into(),
            Audience::Account(id) => format!("ACCOUNT:{id}").into(),
        }
    }
}

/// What is told.
#[derive(Debug, Clone)]
pub struct Notice {
    /// Such as `LOW_STOCK`.
    pub kind: &'static str,
    /// How urgent.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// What to do about it.
    pub body: String,
    /// Who sees it.
    pub audience: Audience,
    /// What it is about.
    pub entity: Option<(&'static str, Uuid)>,
    /// Repeats of the same key are counted on one row while it is unread.
    pub dedupe_key: String,
}

/// A letter to one person.
#[derive(Debug, Clone)]
pub struct Mail {
    /// The address.
    pub recipient: String,
    /// One line.
    pub subject: String,
    /// Plain text.
    pub body: String,
    /// Whom to tell what when it cannot be sent.
    pub instead: Notice,
}

table! {
    /// A notice in the words of its row.
    #[derive(Serialize, Deserialize)]
    pub(super) struct NoticeRow: notifications {
        kind: String => type,
        severity: Severity,
        pub(super) title: String,
        pub(super) body: String,
        audience: String,
        entity_type: Option<String>,
        entity_id: Option<Uuid>,
        pub(super) dedupe_key: String,
    }
}

impl From<Notice> for NoticeRow {
    fn from(notice: Notice) -> Self {
        let (entity_type, entity_id) = notice.entity.map(|(kind, id)| (kind.to_owned(), id)).unzip();
        NoticeRow {
            kind: notice.kind.to_owned(),
            severity: notice.severity,
            title: notice.title,
            body: notice.body,
            audience: notice.audience.name().into_owned(),
            entity_type,
            entity_id,
            dedupe_key: notice.dedupe_key,
        }
    }
}

table! {
    /// What a notification is about.
    pub struct Entity: notifications {
        pub(super) kind: String => entity_type,
        pub(super) id: Uuid => entity_id,
    }
}

table! {
    /// A notification, as kept.
    pub struct Notification: notifications {
        pub(super) id: Uuid,
        pub(super) kind: String => type,
        pub(super) severity: Severity,
        pub(super) title: String,
        pub(super) body: String,
        pub(super) entity: Option<Entity> => flat,
        pub(super) count: i64,
        pub(super) created_at: Millis,
        pub(super) updated_at: Millis,
        pub(super) read_at: Option<Millis>,
    }
}

table! {
    /// A mail that waits to be sent.
    pub(super) struct MailJob: mail_jobs {
        pub(super) id: Uuid,
        pub(super) outlet_id: Uuid,
        pub(super) recipient: String,
        pub(super) subject: String,
        pub(super) body: String,
        pub(super) instead: NoticeRow => json,
        pub(super) created_at: Millis,
        pub(super) expires_at: Millis,
        pub(super) attempts: i64,
        pub(super) next_attempt_at: Millis,
    }
}
