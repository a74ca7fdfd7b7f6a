//! Rows of `notifications` and of mail that is to be sent.

use super::rules::{MailJob, NoticeRow, Notification};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use tiffin_common::digest::first_id;
use tiffin_common::{Millis, Uuid};

/// Inserts the notice, or counts it on the unread row of the same key.
pub(super) fn insert_or_count(tx: &Tx<'_>, outlet: Uuid, notice: &NoticeRow) -> db::Result<()> {
    let sql = "SELECT id FROM notifications WHERE outlet_id = ?1 AND dedupe_key = ?2 AND read_at IS NULL";
    if let Some(id) = opt(tx, sql, params![outlet, notice.dedupe_key], |row| row.get::<_, Uuid>(0))? {
        return update!(tx, notifications {
            title: notice.title, body: notice.body, updated_at: tx.now(); "count = count + 1"
        } where { id: id });
    }
    let (id, now) = (tx.new_id(), tx.now());
    insert!(tx, notifications { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..notice })
}

/// Some that were made, repeated and ticked off before then, of every outlet; the oldest first.
pub(super) fn list_old(conn: &dyn Source, before: Millis, limit: u32) -> db::Result<Vec<Uuid>> {
    rows(conn, OLD, params![first_id(before), before, limit], |row| row.get("id"))
}

/// Ids are made in the order of time: the key's index ends the search.
const OLD: &str = "SELECT id FROM notifications WHERE id < ?1 AND updated_at < ?2 ORDER BY id LIMIT ?3";

pub(super) fn delete(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM notifications WHERE id = ?1", [id])
}

pub(super) fn find(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    audiences: &str,
) -> db::Result<Option<Notification>> {
    let sql = select!(Notification, "WHERE outlet_id = ?1 AND id = ?2 AND instr(?3, audience) > 0");
    opt(conn, sql, params![outlet, id, audiences], Notification::read)
}

/// The notification with the name of the audience that sees it.
pub(super) fn find_addressed(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
) -> db::Result<Option<(String, Notification)>> {
    let sql = select!(Notification as n, "n.audience", "WHERE n.outlet_id = ?1 AND n.id = ?2");
    opt(conn, sql, params![outlet, id], |row| Ok((row.get("audience")?, Notification::read(row)?)))
}

/// What nobody has ticked off and whose key begins with `kind` and a colon: its key, and when it was told last.
pub(super) fn list_unread_of(
    conn: &dyn Source,
    outlet: Uuid,
    kind: &str,
) -> db::Result<Vec<(String, Millis)>> {
    // A semicolon comes right behind a colon.
    let sql = "SELECT dedupe_key, updated_at FROM notifications
        WHERE outlet_id = ?1 AND read_at IS NULL AND dedupe_key >= ?2 || ':' AND dedupe_key < ?2 || ';'
        ORDER BY updated_at, id LIMIT 1000";
    rows(conn, sql, params![outlet, kind], |row| Ok((row.get("dedupe_key")?, row.get("updated_at")?)))
}

/// What nobody has ticked off of the troubles of the box itself, the newest first.
pub(super) fn list_of_box(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Notification>> {
    let sql = select!(
        Notification,
        "WHERE outlet_id = ?1 AND read_at IS NULL AND type IN ('BACKUP_FAILED', 'BACKUP_NOT_COPIED', 'DATABASE_DAMAGED', 'DISK_LOW',
           'DISK_FULL', 'CLOCK_SUSPECT', 'PRINTER_DOWN', 'PRINT_QUEUE_FULL', 'DISPLAY_SILENT', 'STATION_UNWATCHED')
         ORDER BY updated_at DESC, id LIMIT 50"
    );
    rows(conn, sql, [outlet], Notification::read)
}

pub(super) fn set_read(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE notifications SET read_at = ?2, read_by = ?3, updated_at = ?2 WHERE id = ?1 AND read_at IS NULL";
    tx.execute(sql, params![id, tx.now(), actor.account_id])
}

pub(super) fn list_unread(conn: &dyn Source, outlet: Uuid, audiences: &str) -> db::Result<Vec<Uuid>> {
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
    unread_only: bool,
    paging: Paging,
) -> db::Result<Page<Notification>> {
    let condition = "outlet_id = ?1 AND instr(?2, audience) > 0 AND (NOT ?3 OR read_at IS NULL)";
    Page::read(conn, (condition, "created_at DESC, id DESC"), params![outlet, audiences, unread_only], paging)
}

// -------------------------------------------------------------------------------------------------------------- mail

pub(super) fn insert_mail(tx: &Tx<'_>, job: &MailJob) -> db::Result<()> {
    insert!(tx, mail_jobs { ..job })
}

/// The mail that is due first.
pub(super) fn next_mail(conn: &dyn Source) -> db::Result<Option<MailJob>> {
    opt(conn, select!(MailJob, "ORDER BY next_attempt_at, id LIMIT 1"), [], MailJob::read)
}

pub(super) fn set_mail_failed(tx: &Tx<'_>, id: Uuid, next: Millis) -> db::Result<()> {
    let sql =
        "UPDATE mail_jobs SET attempts = attempts + 1, next_attempt_at = min(?2, expires_at) WHERE id = ?1";
    tx.execute(sql, params![id, next])
}

pub(super) fn delete_mail(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM mail_jobs WHERE id = ?1", [id])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn what_is_old_is_found_by_the_keys_index() {
        let plan = Fixture::new().plan(OLD);
        assert!(
            matches!(plan.as_slice(), [step] if step.ends_with("sqlite_autoindex_notifications_1 (id<?)")),
            "{plan:?}"
        );
    }
}
