//! What can happen to a notification.

use super::rules::{Audience, Mail, MailJob, Notice, NoticeRow, Notification};
use super::store;
use crate::access::{Actor, Permission, Role};
use crate::db::{self, Source, Topic, Tx};
use tiffin_common::{Millis, Uuid};

/// Tells the staff of `outlet_id`.
pub fn notify(tx: &Tx<'_>, outlet_id: Uuid, notice: Notice) -> db::Result<()> {
    store::insert_or_count(tx, outlet_id, &NoticeRow::from(notice))
}

/// How long a mail is tried. Half of a code's life is left when it becomes a notification.
const MAIL_LIFETIME_MS: i64 = 10 * 60_000;

/// Puts a mail into the box from which the worker takes it once this transaction is durable.
pub fn send_mail(tx: &Tx<'_>, outlet_id: Uuid, mail: Mail) -> db::Result<()> {
    let job = MailJob {
        id: tx.new_id(),
        outlet_id,
        recipient: mail.recipient,
        subject: mail.subject,
        body: mail.body,
        instead: mail.instead.into(),
        created_at: tx.now(),
        expires_at: tx.now().after(MAIL_LIFETIME_MS),
        attempts: 0,
        next_attempt_at: tx.now(),
    };
    store::insert_mail(tx, &job)?;
    tx.signal(Topic::Mail);
    Ok(())
}

/// The mail has gone: nothing of it stays.
pub(super) fn mail_went(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    store::delete_mail(tx, id)
}

/// The mail could not be sent now; it is tried again at `next`.
pub(super) fn mail_waits(tx: &Tx<'_>, id: Uuid, next: Millis) -> db::Result<()> {
    store::set_mail_failed(tx, id, next)
}

/// The mail will never go: those are told who were to be told instead.
pub(super) fn mail_failed(tx: &Tx<'_>, job: &MailJob) -> db::Result<()> {
    store::delete_mail(tx, job.id)?;
    store::insert_or_count(tx, job.outlet_id, &job.instead)
}

/// Ticks off one notification. None when there is no such one for the actor.
pub fn read(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<Option<Notification>> {
    let audiences = audiences(actor);
    if store::find(tx, actor.outlet_id, id, &audiences)?.is_none() {
        return Ok(None);
    }
    store::set_read(tx, actor, id)?;
    store::find(tx, actor.outlet_id, id, &audiences)
}

/// Ticks off everything the actor sees, and returns how many that were.
pub fn read_all(tx: &Tx<'_>, actor: &Actor) -> db::Result<usize> {
    let unread = store::list_unread(tx, actor.outlet_id, &audiences(actor))?;
    for id in &unread {
        store::set_read(tx, actor, *id)?;
    }
    Ok(unread.len())
}

/// What nobody has ticked off of one kind: its key, and when it was told last; the oldest first.
pub fn unread_of(conn: &dyn Source, outlet: Uuid, kind: &str) -> db::Result<Vec<(String, Millis)>> {
    store::list_unread_of(conn, outlet, kind)
}

/// How many notifications the actor sees that nobody has ticked off.
pub fn unread(conn: &dyn Source, actor: &Actor) -> db::Result<i64> {
    store::count_unread(conn, actor.outlet_id, &audiences(actor))
}

/// How long a notification is kept after it was last repeated or ticked off: a year later somebody may still ask what was told.
const KEPT_MS: i64 = 400 * 86_400_000;

/// At most `most` notifications that are kept no longer.
pub fn find_old(conn: &dyn Source, now: Millis, most: u32) -> db::Result<Vec<Uuid>> {
    store::list_old(conn, now.after(-KEPT_MS), most)
}

/// Deletes what [`find_old`] found.
pub fn forget(tx: &Tx<'_>, ids: &[Uuid]) -> db::Result<()> {
    ids.iter().try_for_each(|id| store::delete(tx, *id))
}

/// The audiences the actor belongs to, by name.
pub fn audiences(actor: &Actor) -> String {
    let is_owner = actor.role.is_none_or(|role| role.may_grant(Role::Owner));
    let mut audiences = match actor.may(Permission::AccountsManage) {
        true if is_owner => "STAFF MANAGERS OWNERS",
        true => "STAFF MANAGERS",
        false => "STAFF",
    }
    .to_owned();
    if let Some(id) = actor.account_id {
        audiences.push(' ');
        audiences.push_str(&Audience::Account(id).name());
    }
    audiences
}
