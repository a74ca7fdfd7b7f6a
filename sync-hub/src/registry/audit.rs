//! The audit log of head office: who changed what, in the same transaction as the change. Never edited, never deleted.

use super::{Actor, Change, RegistryError};
use edge::db::{Json, Row, Source, list as rows, one};
use edge::http::{Page, Paging};
use edge::insert;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use tiffin_common::{Millis, Uuid};

/// One entry of head office's audit log.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Id of the entry.
    pub id: Uuid,
    /// When it was done.
    pub at: Millis,
    /// The user; none for a box or the command line.
    pub actor_id: Option<Uuid>,
    /// Name of who did it.
    pub actor_name: String,
    /// The signed-in device or the client's address.
    pub device: Option<String>,
    /// What was done, such as `user.create`.
    pub action: String,
    /// To what kind of record.
    pub entity: String,
    /// Id of what it was done to.
    pub entity_id: Option<Uuid>,
    /// At which outlet.
    pub outlet_id: Option<Uuid>,
    /// What changed, before and after.
    pub detail: Option<Value>,
}

/// What is written of a change.
#[derive(Debug, Clone)]
pub struct Note {
    action: Cow<'static, str>,
    entity: &'static str,
    entity_id: Option<Uuid>,
    outlet_id: Option<Uuid>,
    detail: Option<Value>,
}

impl Note {
    /// `action` on a record.
    pub fn new(action: &'static str, entity: &'static str, entity_id: Option<Uuid>) -> Note {
        Note { action: action.into(), entity, entity_id, outlet_id: None, detail: None }
    }

    /// `action` that a command on this machine did, as it says itself.
    pub fn told(action: &str) -> Note {
        Note { action: Cow::Owned(action.to_owned()), ..Note::new("", "database", None) }
    }

    /// At this outlet.
    #[must_use]
    pub fn at(mut self, outlet: Option<Uuid>) -> Note {
        self.outlet_id = outlet;
        self
    }

    /// With this to tell. Never a secret.
    #[must_use]
    pub fn detail(mut self, detail: Value) -> Note {
        self.detail = Some(detail);
        self
    }
}

/// Writes an entry.
pub fn record(change: &Change<'_>, actor: &Actor, note: Note) -> Result<(), RegistryError> {
    insert!(
        change.sql,
        registry_audit {
            id: change.new_id(),
            at: change.now,
            actor_id: actor.user_id,
            actor_name: actor.name,
            device: actor.device,
            action: note.action,
            entity: note.entity,
            entity_id: note.entity_id,
            outlet_id: note.outlet_id,
            detail: note.detail.map(Json),
        }
    )?;
    Ok(())
}

/// What head office itself should have seen seldom, of its own doings.
const UNUSUAL: &str = "('auth.login_locked', 'auth.password_locked', 'auth.refresh_reused', 'auth.reset_refused', 'user.reset_code',
    'data.export', 'data.restore')";

/// What should not be usual and was done since `since`, the newest `most` first.
pub fn unusual(from: &dyn Source, since: Millis, most: i64) -> edge::db::Result<Page<Entry>> {
    let matching = format!("FROM registry_audit WHERE at >= ?1 AND action IN {UNUSUAL}");
    let total = one(from, &format!("SELECT count(*) {matching}"), [since], |row| row.get(0))?;
    let sql = format!("SELECT {COLUMNS} {matching} ORDER BY at DESC, id DESC LIMIT ?2");
    Ok(Page { items: rows(from, &sql, (since, most), read)?, total })
}

/// The columns of an entry.
const COLUMNS: &str = "id, at, actor_id, actor_name, device, action, entity, entity_id, outlet_id, detail";

fn read(row: &Row<'_>) -> edge::db::Result<Entry> {
    Ok(Entry {
        id: row.get("id")?,
        at: row.get("at")?,
        actor_id: row.get("actor_id")?,
        actor_name: row.get("actor_name")?,
        device: row.get("device")?,
        action: row.get("action")?,
        entity: row.get("entity")?,
        entity_id: row.get("entity_id")?,
        outlet_id: row.get("outlet_id")?,
        detail: row.get::<_, Option<Json<Value>>>("detail")?.map(|detail| detail.0),
    })
}

/// Which entries are asked for.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this user.
    pub actor: Option<Uuid>,
    /// This action.
    pub action: Option<String>,
    /// This kind of record.
    pub entity: Option<String>,
    /// This outlet.
    pub outlet: Option<Uuid>,
    /// From this moment on.
    pub from: Option<Millis>,
    /// Before this moment.
    pub to: Option<Millis>,
    /// Only these outlets; none: all, and what is of no outlet.
    pub visible: Option<Vec<Uuid>>,
}

/// A page of entries, the newest first.
pub fn list(from: &dyn Source, filter: &Filter, paging: Paging) -> edge::db::Result<Page<Entry>> {
    let visible = match &filter.visible {
        None => "1 = 1".to_owned(),
        Some(outlets) if outlets.is_empty() => "1 = 0".to_owned(),
        Some(outlets) => {
            let ids: Vec<String> =
                outlets.iter().map(|id| format!("'{}'", id.simple()).to_ascii_uppercase()).collect();
            format!("hex(outlet_id) IN ({})", ids.join(", "))
        }
    };
    let matching = format!(
        "FROM registry_audit WHERE (?1 IS NULL OR actor_id = ?1) AND (?2 IS NULL OR action = ?2)
           AND (?3 IS NULL OR entity = ?3) AND (?4 IS NULL OR outlet_id = ?4)
           AND at >= ?5 AND at < ?6 AND {visible}"
    );
    let (first, last) = (Millis::new(i64::MIN / 2), Millis::new(i64::MAX / 2));
    let (since, until) = (filter.from.unwrap_or(first), filter.to.unwrap_or(last));
    let values: [&dyn rusqlite::ToSql; 8] = [
        &filter.actor,
        &filter.action,
        &filter.entity,
        &filter.outlet,
        &since,
        &until,
        &paging.limit,
        &paging.offset,
    ];
    let total = one(from, &format!("SELECT count(*) {matching}"), &values[..6], |row| row.get(0))?;
    let sql = format!("SELECT {COLUMNS} {matching} ORDER BY at DESC, id DESC LIMIT ?7 OFFSET ?8");
    Ok(Page { items: rows(from, &sql, values, read)?, total })
}
