//! Rows of `accounts`, `account_outlets`, `sessions`, `refresh_tokens`, `password_resets` and `throttles`. Never returns a
//! password's hash with an account: it is asked for by itself.

pub(super) mod factors;

use super::rules::{Account, Limit, NewAccount, RESET_LIFETIME_MS, Spent, Throttle};
use crate::access::Role;
use crate::db::{self, Bind, Columns, Json, Source, Tx, list as rows, one, opt, page};
use crate::http::{Page, Paging};
use crate::resources::employees::rules::EmployeeStatus;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// A query of accounts with what their employees are.
macro_rules! accounts {
    ($rest:literal) => {
        select!(
            Account as a,
            "e.status AS employee_status, e.archived_at AS employee_archived_at",
            concat!("LEFT JOIN employees e ON e.id = a.employee_id ", $rest)
        )
    };
}

/// The account that a query of accounts finds.
fn account(conn: &dyn Source, sql: &str, params: impl Bind) -> db::Result<Option<Account>> {
    let found = opt(conn, sql, params, |row| {
        let status: Option<EmployeeStatus> = row.get("employee_status")?;
        let archived: Option<Millis> = row.get("employee_archived_at")?;
        let employee_left = status == Some(EmployeeStatus::Ended) || archived.is_some();
        Ok(Account { employee_left, ..Account::read(row)? })
    })?;
    let Some(account) = found else { return Ok(None) };
    let sql = "SELECT outlet_id FROM account_outlets WHERE account_id = ?1 ORDER BY position";
    let outlets = rows(conn, sql, [account.id], |row| row.get(0))?;
    Ok(Some(Account { outlets, ..account }))
}

/// The account of that id, at whatever outlet.
pub fn find(conn: &dyn Source, id: Uuid) -> db::Result<Option<Account>> {
    account(conn, accounts!("WHERE a.id = ?1"), [id])
}

/// The account that signs in with `email`.
pub fn find_by_email(conn: &dyn Source, email: &str) -> db::Result<Option<Account>> {
    account(conn, accounts!("WHERE a.email = ?1"), [email])
}

/// The account that was made first.
pub(super) fn find_first(conn: &dyn Source) -> db::Result<Option<Account>> {
    account(conn, accounts!("ORDER BY a.id LIMIT 1"), [])
}

/// The account of an employee of `outlet`.
pub fn find_by_employee(conn: &dyn Source, outlet: Uuid, employee: Uuid) -> db::Result<Option<Account>> {
    account(conn, accounts!("WHERE a.employee_id = ?1 AND e.outlet_id = ?2"), [employee, outlet])
}

/// Through which channel an order came, and whose account took it: that decides whether another system reaches it.
pub fn find_origin(
    conn: &dyn Source,
    outlet: Uuid,
    order: Uuid,
) -> db::Result<Option<(Option<Uuid>, Option<Uuid>)>> {
    let sql = "SELECT channel_id, created_by FROM orders WHERE id = ?1 AND outlet_id = ?2";
    opt(conn, sql, [order, outlet], |row| Ok((row.get("channel_id")?, row.get("created_by")?)))
}

/// The PHC string of an account's password.
pub(super) fn find_password(conn: &dyn Source, id: Uuid) -> db::Result<Option<String>> {
    opt(conn, "SELECT password_hash FROM accounts WHERE id = ?1", [id], |row| row.get(0))
}

const PASSWORD_OF: &str = "SELECT password_hash FROM accounts WHERE email = ?1";

/// The PHC string of the password that `email` signs in with: one look, whether there is such an account or not.
pub(super) fn find_password_of(conn: &dyn Source, email: &str) -> db::Result<Option<String>> {
    opt(conn, PASSWORD_OF, [email], |row| row.get(0))
}

pub(super) fn insert(tx: &Tx<'_>, outlet: Uuid, id: Uuid, new: &NewAccount) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, accounts { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..new })?;
    set_outlets(tx, id, &new.outlets)
}

pub(super) fn update(
    tx: &Tx<'_>,
    id: Uuid,
    role: Role,
    is_active: bool,
    channel_ids: &[Uuid],
) -> db::Result<()> {
    update!(tx, accounts { role: role, is_active: is_active, channel_ids: Json(channel_ids), updated_at: tx.now(); "version = version + 1" }
        where { id: id })
    .map(drop)
}

pub(super) fn set_name(tx: &Tx<'_>, id: Uuid, name: &str) -> db::Result<()> {
    update!(tx, accounts { name: name, updated_at: tx.now(); "version = version + 1" } where { id: id })
        .map(drop)
}

/// Makes `outlets` the account's, in that order. Rows that stay are kept as they are.
pub(super) fn set_outlets(tx: &Tx<'_>, id: Uuid, outlets: &[Uuid]) -> db::Result<()> {
    let sql = "SELECT outlet_id FROM account_outlets WHERE account_id = ?1";
    let before: Vec<Uuid> = rows(tx, sql, [id], |row| row.get(0))?;
    for gone in before.iter().filter(|outlet| !outlets.contains(outlet)) {
        let sql = "DELETE FROM account_outlets WHERE account_id = ?1 AND outlet_id = ?2";
        tx.execute(sql, params![id, gone])?;
    }
    for (position, outlet) in (0_i64..).zip(outlets) {
        insert!(
            tx,
            account_outlets { id: tx.new_id(), outlet_id: outlet, account_id: id, position: position },
            "ON CONFLICT (account_id, outlet_id) DO UPDATE SET position = excluded.position"
        )?;
    }
    Ok(())
}

pub(super) fn set_password(tx: &Tx<'_>, id: Uuid, hash: &str) -> db::Result<()> {
    update!(tx, accounts { password_hash: hash, updated_at: tx.now(); "version = version + 1" } where { id: id })
        .map(drop)
}

// ---------------------------------------------------------------------------------------------------------- sessions

/// A signed-in device.
#[derive(Debug, Clone)]
pub struct Session {
    pub(super) id: Uuid,
    pub(super) account_id: Uuid,
    pub(super) account_name: String,
    pub(super) role: Role,
    pub(super) device_name: Option<String>,
    pub(super) created_at: Millis,
    pub(super) last_used_at: Millis,
    pub(super) expires_at: Millis,
}

const SESSION: &str =
    "SELECT s.id, s.account_id, a.name AS account_name, a.role, s.device_name, s.created_at,
  s.last_used_at, s.expires_at FROM sessions s JOIN accounts a ON a.id = s.account_id";

/// Open at `?2`.
const OPEN: &str = "s.revoked_at IS NULL AND s.expires_at > ?2";

/// Of any account that works at outlet `?1`.
const OF_OUTLET: &str = "s.account_id IN (SELECT account_id FROM account_outlets WHERE outlet_id = ?1)";

fn read_session(row: &db::Row<'_>) -> db::Result<Session> {
    Ok(read!(row => Session {
        id, account_id, account_name, role, device_name, created_at, last_used_at, expires_at
    }))
}

/// A page of the devices signed in at `outlet`, the last used first; of one account when it is named.
pub(super) fn list_sessions(
    conn: &dyn Source,
    outlet: Uuid,
    account: Option<Uuid>,
    now: Millis,
    paging: Paging,
) -> db::Result<Page<Session>> {
    let open = format!("{OPEN} AND (s.account_id = ?3 OR ?3 IS NULL AND {OF_OUTLET})");
    let sql = format!("{SESSION} WHERE {open} ORDER BY s.last_used_at DESC, s.id");
    let count = format!("SELECT count(*) FROM sessions s WHERE {open}");
    page(conn, (&sql, &count), params![outlet, now, account], paging.into(), read_session)
}

/// An open session of an account that works at `outlet`, or of `own` account.
pub(super) fn find_session(
    conn: &dyn Source,
    outlet: Uuid,
    own: Option<Uuid>,
    id: Uuid,
    now: Millis,
) -> db::Result<Option<Session>> {
    let sql = format!("{SESSION} WHERE s.id = ?4 AND {OPEN} AND (s.account_id = ?3 OR {OF_OUTLET})");
    opt(conn, &sql, params![outlet, now, own, id], read_session)
}

/// What the account is that is signed in by that session.
pub(super) fn find_role_of_session(conn: &dyn Source, id: Uuid) -> db::Result<Option<Role>> {
    let sql = "SELECT a.role FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.id = ?1";
    opt(conn, sql, [id], |row| row.get(0))
}

pub(super) fn insert_session(
    tx: &Tx<'_>,
    account: &Account,
    id: Uuid,
    device_name: Option<&str>,
    expires_at: Millis,
) -> db::Result<()> {
    insert!(
        tx,
        sessions {
            id: id,
            outlet_id: account.outlet_id,
            account_id: account.id,
            device_name: device_name,
            created_at: tx.now(),
            last_used_at: tx.now(),
            expires_at: expires_at,
        }
    )
    .map(drop)
}

pub(super) fn set_session_used(tx: &Tx<'_>, id: Uuid, expires_at: Millis) -> db::Result<()> {
    update!(tx, sessions { last_used_at: tx.now(), expires_at: expires_at } where { id: id }).map(drop)
}

/// The open sessions of an account but one.
pub(super) fn list_open_sessions(
    conn: &dyn Source,
    account: Uuid,
    but: Option<Uuid>,
) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM sessions WHERE account_id = ?1 AND revoked_at IS NULL AND id IS NOT ?2";
    rows(conn, sql, params![account, but], |row| row.get(0))
}

pub(super) fn set_session_revoked(tx: &Tx<'_>, id: Uuid, reason: &str) -> db::Result<()> {
    update!(tx, sessions { revoked_at: tx.now(), revoked_reason: reason } where { id: id; "revoked_at IS NULL" })
        .map(drop)
}

/// Notes that the turn of whoever entered a PIN on the device is over.
pub(super) fn set_pin_ended(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    update!(tx, sessions { pin_ended_at: tx.now() } where { id: id }).map(drop)
}

/// The devices on which the turn of a PIN ended since `since`, and when.
pub(super) fn list_pins_ended(conn: &dyn Source, since: Millis) -> db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, pin_ended_at FROM sessions WHERE pin_ended_at >= ?1";
    rows(conn, sql, [since], |row| Ok((row.get("id")?, row.get("pin_ended_at")?)))
}

/// Forgets the sessions of an account that ended so long ago that nobody asks about them.
pub(super) fn delete_sessions(tx: &Tx<'_>, account: Uuid, before: Millis) -> db::Result<()> {
    tx.execute("DELETE FROM sessions WHERE account_id = ?1 AND expires_at < ?2", params![account, before])
        .map(drop)
}

/// Sessions, accounts and employees whose access tokens became void since `since`, and when. Whatever was changed about somebody: what
/// it was is not told here, and a token is had anew in a moment.
pub(super) fn list_voided(conn: &dyn Source, since: Millis) -> db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, revoked_at AS at FROM sessions WHERE revoked_at >= ?1
      UNION ALL SELECT id, updated_at FROM accounts WHERE updated_at >= ?1 AND version > 1
      UNION ALL SELECT a.id, e.updated_at FROM accounts a JOIN employees e ON e.id = a.employee_id
        WHERE e.updated_at >= ?1 AND e.version > 1
      UNION ALL SELECT id, updated_at FROM employees WHERE updated_at >= ?1 AND version > 1";
    rows(conn, sql, [since], |row| Ok((row.get("id")?, row.get("at")?)))
}

// ---------------------------------------------------------------------------------------------------- refresh tokens

/// A refresh token's row with its family.
#[derive(Debug)]
pub(super) struct Refresh {
    pub(super) session_id: Uuid,
    pub(super) account_id: Uuid,
    pub(super) signed_in_at: Millis,
    pub(super) expires_at: Millis,
    pub(super) signed_out: bool,
    pub(super) spent: Option<Spent>,
}

const FIND_REFRESH: &str =
    "SELECT t.session_id, s.account_id, s.created_at AS signed_in_at, t.expires_at, s.revoked_at IS NOT NULL AS signed_out, t.spent_at,
        n.spent_at IS NOT NULL AS successor_spent
      FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
      LEFT JOIN refresh_tokens n ON n.hash = t.successor_hash
      WHERE t.hash = ?1";

pub(super) fn find_refresh(conn: &dyn Source, hash: &[u8; 32]) -> db::Result<Option<Refresh>> {
    opt(conn, FIND_REFRESH, [hash], |row| {
        let (at, successor_spent): (Option<Millis>, bool) =
            (row.get("spent_at")?, row.get("successor_spent")?);
        let spent = at.map(|at| Spent { at, successor_spent });
        Ok(
            read!(row => Refresh { session_id, account_id, signed_in_at, expires_at, signed_out, spent: spent }),
        )
    })
}

pub(super) fn insert_refresh(
    tx: &Tx<'_>,
    outlet: Uuid,
    session: Uuid,
    hash: &[u8; 32],
    expires_at: Millis,
) -> db::Result<()> {
    insert!(
        tx,
        refresh_tokens {
            hash: hash,
            session_id: session,
            outlet_id: outlet,
            created_at: tx.now(),
            expires_at: expires_at,
        }
    )
    .map(drop)
}

/// Notes that a token was replaced, and forgets the family's tokens that have expired.
pub(super) fn set_refresh_spent(
    tx: &Tx<'_>,
    session: Uuid,
    hash: &[u8; 32],
    successor: &[u8; 32],
) -> db::Result<()> {
    update!(tx, refresh_tokens { spent_at: tx.now(), successor_hash: successor } where { hash: hash })?;
    let sql = "DELETE FROM refresh_tokens WHERE session_id = ?1 AND expires_at <= ?2";
    tx.execute(sql, params![session, tx.now()]).map(drop)
}

// ----------------------------------------------------------------------------------------------------------- resets

/// Voids the account's earlier codes and keeps a new one.
pub(super) fn insert_reset(tx: &Tx<'_>, account: &Account, hash: &[u8; 32]) -> db::Result<()> {
    tx.execute("DELETE FROM password_resets WHERE account_id = ?1", [account.id])?;
    insert!(
        tx,
        password_resets {
            hash: hash,
            outlet_id: account.outlet_id,
            account_id: account.id,
            created_at: tx.now(),
            expires_at: tx.now().after(RESET_LIFETIME_MS),
        }
    )
    .map(drop)
}

/// The account a code that still holds is for.
pub(super) fn find_reset(conn: &dyn Source, hash: &[u8; 32], now: Millis) -> db::Result<Option<Uuid>> {
    let sql =
        "SELECT account_id FROM password_resets WHERE hash = ?1 AND used_at IS NULL AND expires_at > ?2";
    opt(conn, sql, params![hash, now], |row| row.get(0))
}

pub(super) fn set_reset_used(tx: &Tx<'_>, hash: &[u8; 32]) -> db::Result<()> {
    update!(tx, password_resets { used_at: tx.now() } where { hash: hash }).map(drop)
}

// --------------------------------------------------------------------------------------------------------- throttles

/// The failures counted under `key`.
pub(super) fn find_throttle(conn: &dyn Source, key: &str) -> db::Result<Throttle> {
    let found = opt(conn, select!(Throttle, "WHERE key = ?1"), [key], Throttle::read)?;
    Ok(found.unwrap_or_default())
}

/// Counts one failure under `key`; true when it is the one that locks. Forgets what is a day old.
pub(super) fn count_failure(tx: &Tx<'_>, outlet: Uuid, key: &str, limit: Limit) -> db::Result<bool> {
    let (next, locks) = find_throttle(tx, key)?.after_failure(limit, tx.now());
    insert!(
        tx,
        throttles { key: key, outlet_id: outlet, ..&next },
        "ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, window_started_at = excluded.window_started_at,
           locked_until = excluded.locked_until"
    )?;
    tx.execute("DELETE FROM throttles WHERE window_started_at < ?1", [tx.now().after(-86_400_000)])?;
    Ok(locks)
}

/// Forgets the failures under `prefix` and every key that begins with it.
pub(super) fn delete_failures(tx: &Tx<'_>, prefix: &str) -> db::Result<()> {
    tx.execute("DELETE FROM throttles WHERE key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || ':'", [prefix])
        .map(drop)
}

// ----------------------------------------------------------------------------------------------------------- expired

/// Whether there are signed-in devices that expired before `before`, or reset codes that have expired at `now`.
pub(super) fn has_expired(conn: &dyn Source, now: Millis, before: Millis) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sessions WHERE expires_at < ?1)
        OR EXISTS (SELECT 1 FROM password_resets WHERE expires_at < ?2)";
    one(conn, sql, [before, now], |row| row.get(0))
}

/// Forgets some of them, with the devices' refresh tokens.
pub(super) fn delete_expired(tx: &Tx<'_>, before: Millis, most: u32) -> db::Result<()> {
    let sql = "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ?1 LIMIT ?2)";
    tx.execute(sql, params![before, most])?;
    let sql = "DELETE FROM password_resets WHERE hash IN
        (SELECT hash FROM password_resets WHERE expires_at < ?1 LIMIT ?2)";
    tx.execute(sql, params![tx.now(), most]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn what_every_sign_in_asks_is_found_by_an_index() {
        let by_email = accounts!("WHERE a.email = ?1");
        let by_employee = accounts!("WHERE a.employee_id = ?1 AND e.outlet_id = ?2");
        let by_pin =
            "SELECT id FROM employees WHERE outlet_id = ?1 AND pin_hash = ?2 AND archived_at IS NULL";
        for sql in [by_email, by_employee, PASSWORD_OF, FIND_REFRESH, by_pin] {
            let steps = Fixture::new().plan(sql);
            assert!(steps.iter().all(|step| !step.starts_with("SCAN")), "{sql}: {steps:?}");
        }
    }
}
