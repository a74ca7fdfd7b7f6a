//! Rows of `audit_log`.

use super::actions::Entry;
use super::api::{AuditEntry, ListAuditLog};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one};
use crate::http::Page;
use crate::resources::outlets;
use rusqlite::params;
use serde_json::Value;
use tiffin_common::Uuid;

pub(super) fn insert(tx: &Transaction<'_>, actor: &Actor, entry: &Entry) -> db::Result<()> {
    let date = outlets::store::find(tx, actor.outlet_id).map(|outlet| outlet.business_date(tx.now()))?;
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    tx.execute(
        "INSERT INTO audit_log (id, outlet_id, at, business_date, actor_id, actor_name, approver_id, approver_name, device,
           action, entity_type, entity_id, before, after, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            tx.new_id(),
            actor.outlet_id,
            tx.now(),
            date.to_string(),
            actor.account_id,
            actor.name,
            entry.approver.as_ref().map(|a| a.employee_id),
            entry.approver.as_ref().map(|a| &a.name),
            actor.device,
            entry.action,
            entry.entity_type,
            entry.entity_id,
            text(&entry.before),
            text(&entry.after),
            entry.reason,
        ],
    )
    .map(drop)
}

fn read(row: &Row<'_>) -> db::Result<AuditEntry> {
    let json = |text: Option<String>| text.and_then(|t| serde_json::from_str(&t).ok());
    Ok(AuditEntry {
        id: row.get(0)?,
        at: row.get(1)?,
        business_date: row.get(2)?,
        actor_id: row.get(3)?,
        actor_name: row.get(4)?,
        approver_id: row.get(5)?,
        approver_name: row.get(6)?,
        device: row.get(7)?,
        action: row.get(8)?,
        entity_type: row.get(9)?,
        entity_id: row.get(10)?,
        before: json(row.get(11)?),
        after: json(row.get(12)?),
        reason: row.get(13)?,
    })
}

pub(super) fn list(conn: &dyn Source, outlet: Uuid, filter: &ListAuditLog) -> db::Result<Page<AuditEntry>> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR actor_id = ?2) AND (?3 IS NULL OR action = ?3)
       AND (?4 IS NULL OR entity_type = ?4) AND at >= coalesce(?5, -4611686018427387904)
       AND at < coalesce(?6, 4611686018427387904)";
    let args = params![outlet, filter.actor, filter.action, filter.entity, filter.from, filter.to];
    let total =
        one(conn, &format!("SELECT count(*) FROM audit_log WHERE {condition}"), args, |row| row.get(0))?;
    let sql = format!(
        "SELECT id, at, business_date, actor_id, actor_name, approver_id, approver_name, device, action, entity_type,
           entity_id, before, after, reason
         FROM audit_log WHERE {condition} ORDER BY at DESC, id DESC LIMIT ?7 OFFSET ?8"
    );
    let args = params![
        outlet,
        filter.actor,
        filter.action,
        filter.entity,
        filter.from,
        filter.to,
        filter.paging.limit,
        filter.paging.offset
    ];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}
