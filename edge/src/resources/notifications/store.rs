//! Rows of `notifications` and `notification_events`.

use super::actions::{Mail, Notice, Severity};
use super::api::{Entity, ListNotifications, Notification};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::Page;
use crate::http::sse::Bounds;
use rusqlite::params;
use rusqlite::types::Type;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

const COLUMNS: &str =
    "id, type, severity, title, body, entity_type, entity_id, count, created_at, updated_at, read_at";

fn from_row(row: &Row<'_>) -> db::Result<Notification> {
    let entity_type: Option<String> = row.get(5)?;
    let entity_id: Option<Uuid> = row.get(6)?;
    Ok(Notification {
        id: row.get(0)?,
        r#type: row.get(1)?,
        severity: row.get(2)?,
        title: row.get(3)?,
        body: row.get(4)?,
        entity: entity_type.zip(entity_id).map(|(r#type, id)| Entity { r#type, id }),
        count: row.get(7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
        read_at: row.get(10)?,
    })
}

/// A notice in the words of its row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct NoticeRow {
    kind: String,
    severity: String,
    title: String,
    body: String,
    audience: String,
    entity_type: Option<String>,
    entity_id: Option<Uuid>,
    dedupe_key: String,
}

impl From<Notice> for NoticeRow {
    fn from(notice: Notice) -> Self {
        let severity = match notice.severity {
            Severity::Info => "INFO",
            Severity::Warning => "WARNING",
            Severity::Critical => "CRITICAL",
        };
        NoticeRow {
            kind: notice.kind.to_owned(),
            severity: severity.to_owned(),
            title: notice.title,
            body: notice.body,
            audience: notice.audience.name().into_owned(),
            entity_type: notice.entity.map(|(kind, _)| kind.to_owned()),
            entity_id: notice.entity.map(|(_, id)| id),
            dedupe_key: notice.dedupe_key,
        }
    }
}

/// Inserts the notice, or counts it on the unread row of the same key. Returns the row's id.
pub(super) fn upsert(tx: &Transaction<'_>, outlet: Uuid, notice: &NoticeRow) -> db::Result<Uuid> {
    let unread = opt(
        tx,
        "SELECT id FROM notifications WHERE outlet_id = ?1 AND dedupe_key = ?2 AND read_at IS NULL",
        params![outlet, notice.dedupe_key],
        |row| row.get(0),
    )?;
    if let Some(id) = unread {
        tx.execute(
            "UPDATE notifications SET count = count + 1, title = ?2, body = ?3, updated_at = ?4 WHERE id = ?1",
            params![id, notice.title, notice.body, tx.now()],
        )?;
        return Ok(id);
    }
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO notifications (id, outlet_id, type, severity, title, body, audience, entity_type, entity_id, dedupe_key,
           created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)",
        params![
            id,
            outlet,
            notice.kind,
            notice.severity,
            notice.title,
            notice.body,
            notice.audience,
            notice.entity_type,
            notice.entity_id,
            notice.dedupe_key,
            tx.now(),
        ],
    )?;
    Ok(id)
}

pub(super) fn insert_event(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let sql = "INSERT INTO notification_events (outlet_id, notification_id, at) VALUES (?1, ?2, ?3)";
    tx.execute(sql, params![outlet, id, tx.now()]).map(drop)
}

/// The oldest event kept and the newest number ever given.
pub(super) fn event_bounds(conn: &dyn Source) -> db::Result<Bounds> {
    let sql = "SELECT (SELECT min(seq) FROM notification_events),
                      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notification_events'), 0)";
    one(conn, sql, [], |row| Ok(Bounds { oldest: row.get(0)?, newest: row.get(1)? }))
}

/// At most `limit` events after `position`: number, outlet, notification. Unfiltered, so that the position advances past
/// what a client does not get.
pub(super) fn events_after(
    conn: &dyn Source,
    position: i64,
    limit: usize,
) -> db::Result<Vec<(i64, Uuid, Uuid)>> {
    let sql = "SELECT seq, outlet_id, notification_id FROM notification_events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    rows(conn, sql, params![position, limit], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// Deletes the events before the first that is not older than `before`.
pub(super) fn forget_events(tx: &Transaction<'_>, before: Millis) -> db::Result<usize> {
    let sql = "DELETE FROM notification_events WHERE seq < coalesce(
                 (SELECT seq FROM notification_events WHERE at >= ?1 ORDER BY seq LIMIT 1), 9223372036854775807)";
    tx.execute(sql, [before])
}

pub(super) fn find(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    audiences: &str,
) -> db::Result<Option<Notification>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications WHERE outlet_id = ?1 AND id = ?2 AND instr(?3, audience) > 0"
    );
    opt(conn, &sql, params![outlet, id, audiences], from_row)
}

pub(super) fn set_read(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE notifications SET read_at = ?2, read_by = ?3, updated_at = ?2 WHERE id = ?1 AND read_at IS NULL";
    tx.execute(sql, params![id, tx.now(), actor.account_id]).map(drop)
}

pub(super) fn unread_ids(conn: &dyn Source, outlet: Uuid, audiences: &str) -> db::Result<Vec<Uuid>> {
    let sql =
        "SELECT id FROM notifications WHERE outlet_id = ?1 AND read_at IS NULL AND instr(?2, audience) > 0";
    rows(conn, sql, params![outlet, audiences], |row| row.get(0))
}

pub(super) fn count_unread(conn: &dyn Source, outlet: Uuid, audiences: &str) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM notifications WHERE outlet_id = ?1 AND read_at IS NULL AND instr(?2, audience) > 0";
    one(conn, sql, params![outlet, audiences], |row| row.get(0))
}

pub(super) fn list(
    conn: &dyn Source,
    outlet: Uuid,
    audiences: &str,
    filter: &ListNotifications,
) -> db::Result<Page<Notification>> {
    let condition = "outlet_id = ?1 AND instr(?2, audience) > 0 AND (NOT ?3 OR read_at IS NULL)";
    let count = format!("SELECT count(*) FROM notifications WHERE {condition}");
    let total = one(conn, &count, params![outlet, audiences, filter.unread_only], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications WHERE {condition} ORDER BY created_at DESC, id DESC LIMIT ?4 OFFSET ?5"
    );
    let args = params![outlet, audiences, filter.unread_only, filter.paging.limit, filter.paging.offset];
    Ok(Page { items: rows(conn, &sql, args, from_row)?, total })
}

// -------------------------------------------------------------------------------------------------------------- mail

/// A mail that waits to be sent.
#[derive(Debug, Clone)]
pub(super) struct MailJob {
    pub(super) id: Uuid,
    pub(super) outlet_id: Uuid,
    pub(super) recipient: String,
    pub(super) subject: String,
    pub(super) body: String,
    pub(super) instead: NoticeRow,
    pub(super) expires_at: Millis,
    pub(super) attempts: i64,
    pub(super) next_attempt_at: Millis,
}

pub(super) fn insert_mail(
    tx: &Transaction<'_>,
    outlet: Uuid,
    mail: &Mail,
    expires_at: Millis,
) -> db::Result<()> {
    let instead = serde_json::to_string(&NoticeRow::from(mail.instead.clone()))
        .map_err(|error| db::DbError::from(rusqlite::Error::ToSqlConversionFailure(error.into())))?;
    tx.execute(
        "INSERT INTO mail_jobs (id, outlet_id, recipient, subject, body, instead, created_at, expires_at, next_attempt_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7)",
        params![tx.new_id(), outlet, mail.recipient, mail.subject, mail.body, instead, tx.now(), expires_at],
    )
    .map(drop)
}

/// The mail that is due first.
pub(super) fn next_mail(conn: &dyn Source) -> db::Result<Option<MailJob>> {
    let sql = "SELECT id, outlet_id, recipient, subject, body, instead, expires_at, attempts, next_attempt_at FROM mail_jobs
               ORDER BY next_attempt_at, id LIMIT 1";
    opt(conn, sql, [], |row| {
        let instead = serde_json::from_str(row.get_ref(5)?.as_str()?).map_err(|error| {
            db::DbError::from(rusqlite::Error::FromSqlConversionFailure(5, Type::Text, error.into()))
        })?;
        Ok(MailJob {
            id: row.get(0)?,
            outlet_id: row.get(1)?,
            recipient: row.get(2)?,
            subject: row.get(3)?,
            body: row.get(4)?,
            instead,
            expires_at: row.get(6)?,
            attempts: row.get(7)?,
            next_attempt_at: row.get(8)?,
        })
    })
}

pub(super) fn set_mail_failed(tx: &Transaction<'_>, id: Uuid, next: Millis) -> db::Result<()> {
    let sql =
        "UPDATE mail_jobs SET attempts = attempts + 1, next_attempt_at = min(?2, expires_at) WHERE id = ?1";
    tx.execute(sql, params![id, next]).map(drop)
}

pub(super) fn delete_mail(tx: &Transaction<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM mail_jobs WHERE id = ?1", [id]).map(drop)
}
