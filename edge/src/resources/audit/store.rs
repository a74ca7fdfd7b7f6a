//! Rows of `audit_log`.

use super::rules::Record;
use crate::db::{self, Source, Tx, Unreadable, one};
use crate::http::{Page, Paging};
use rusqlite::params;
use tiffin_common::{BusinessDay, Millis, Uuid};

pub(super) fn insert(tx: &Tx<'_>, outlet: Uuid, record: &Record) -> db::Result<()> {
    insert!(tx, audit_log { outlet_id: outlet, ..record })
}

/// How the outlet counts its days: all that the log reads of outlets, which stand above it.
pub(super) fn find_business_day(conn: &dyn Source, outlet: Uuid) -> db::Result<BusinessDay> {
    let sql = "SELECT id, timezone, business_day_starts_at FROM outlets WHERE id = ?1";
    one(conn, sql, [outlet], |row| {
        let wrong = |_| Unreadable::new("outlets", "timezone", outlet, "it is no time that is known here");
        let timezone = row.get::<_, String>("timezone")?.parse().map_err(wrong)?;
        Ok(BusinessDay::new(timezone, row.get("business_day_starts_at")?))
    })
}

/// Which entries a list shows; none of a field: any.
#[derive(Debug)]
pub(super) struct Filter {
    /// By this account.
    pub(super) actor: Option<Uuid>,
    /// Of this action.
    pub(super) action: Option<String>,
    /// On this kind of entity.
    pub(super) entity: Option<String>,
    /// From this moment.
    pub(super) from: Option<Millis>,
    /// Before this moment.
    pub(super) to: Option<Millis>,
}

pub(super) fn list(conn: &dyn Source, outlet: Uuid, f: &Filter, paging: Paging) -> db::Result<Page<Record>> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR actor_id = ?2) AND (?3 IS NULL OR action = ?3)
       AND (?4 IS NULL OR entity_type = ?4) AND at >= coalesce(?5, -4611686018427387904)
       AND at < coalesce(?6, 4611686018427387904)";
    let params = params![outlet, f.actor, f.action, f.entity, f.from, f.to];
    Page::read(conn, (condition, "at DESC, id DESC"), params, paging)
}
