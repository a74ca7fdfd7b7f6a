//! Rows of `accounts`, `account_outlets`, `sessions`, `refresh_tokens`, `password_resets` and `throttles`. Never returns a
//! password's hash with an account: `password_hash` is asked for it.

mod expired;

pub(super) use expired::{forget_expired, has_expired};

use super::rules::{Account, Limit, NewAccount, RESET_LIFETIME_MS, Spent, Throttle};
use crate::access::Role;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

const COLUMNS: &str = "a.id, a.outlet_id, a.email, a.name, a.role, a.employee_id, a.is_active,
  e.id IS NOT NULL AND (e.archived_at IS NOT NULL OR e.status = 'ENDED'), a.version
  FROM accounts a LEFT JOIN employees e ON e.id = a.employee_id";

fn read(row: &Row<'_>) -> db::Result<(Account, bool)> {
    let role = Role::of_name(&row.get::<_, String>(4)?);
    let account = Account {
        id: row.get(0)?,
        outlet_id: row.get(1)?,
        email: row.get(2)?,
        name: row.get(3)?,
        role: role.unwrap_or(Role::Terminal),
        employee_id: row.get(5)?,
        is_active: row.get(6)?,
        employee_left: row.get(7)?,
        outlets: Vec::new(),
        version: row.get(8)?,
    };
    Ok((account, role.is_some()))
}

fn with_outlets(conn: &dyn Source, found: Option<(Account, bool)>) -> db::Result<Option<Account>> {
    let Some((mut account, role_known)) = found else { return Ok(None) };
    // A role this version does not know opens nothing.
    account.is_active &= role_known;
    let sql = "SELECT outlet_id FROM account_outlets WHERE account_id = ?1 ORDER BY position";
    account.outlets = rows(conn, sql, [account.id], |row| row.get(0))?;
    Ok(Some(account))
}

/// The account of that id, at whatever outlet.
pub fn find(conn: &dyn Source, id: Uuid) -> db::Result<Option<Account>> {
    let found = opt(conn, &format!("SELECT {COLUMNS} WHERE a.id = ?1"), [id], read)?;
    with_outlets(conn, found)
}

/// The account that signs in with `email`.
pub fn find_by_email(conn: &dyn Source, email: &str) -> db::Result<Option<Account>> {
    let found = opt(conn, &format!("SELECT {COLUMNS} WHERE a.email = ?1"), [email], read)?;
    with_outlets(conn, found)
}

/// The account that was made first.
pub(super) fn find_first(conn: &dyn Source) -> db::Result<Option<Account>> {
    let found = opt(conn, &format!("SELECT {COLUMNS} ORDER BY a.id LIMIT 1"), [], read)?;
    with_outlets(conn, found)
}

/// The account of an employee of `outlet`.
pub fn find_by_employee(conn: &dyn Source, outlet: Uuid, employee: Uuid) -> db::Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} WHERE a.employee_id = ?1 AND e.outlet_id = ?2");
    let found = opt(conn, &sql, params![employee, outlet], read)?;
    with_outlets(conn, found)
}

/// The PHC string of an account's password.
pub(super) fn password_hash(conn: &dyn Source, id: Uuid) -> db::Result<Option<String>> {
    opt(conn, "SELECT password_hash FROM accounts WHERE id = ?1", [id], |row| row.get(0))
}

const PASSWORD_OF: &str = "SELECT password_hash FROM accounts WHERE email = ?1";

/// The PHC string of the password that `email` signs in with: one look, whether there is such an account or not.
pub(super) fn find_password(conn: &dyn Source, email: &str) -> db::Result<Option<String>> {
    opt(conn, PASSWORD_OF, [email], |row| row.get(0))
}

pub(super) fn insert(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, new: &NewAccount) -> db::Result<()> {
    tx.execute(
        "INSERT INTO accounts (id, outlet_id, email, name, password_hash, role, employee_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
        params![
            id,
            outlet,
            new.email,
            new.name,
            new.password_hash,
            new.role.name(),
            new.employee_id,
            tx.now()
        ],
    )?;
    set_outlets(tx, id, &new.outlets)
}

pub(super) fn update(tx: &Transaction<'_>, id: Uuid, role: Role, is_active: bool) -> db::Result<()> {
    tx.execute(
        "UPDATE accounts SET role = ?2, is_active = ?3, updated_at = ?4, version = version + 1 WHERE id = ?1",
        params![id, role.name(), is_active, tx.now()],
    )
    .map(drop)
}

/// Makes `outlets` the account's, in that order. Rows that stay are kept as they are.
pub(super) fn set_outlets(tx: &Transaction<'_>, id: Uuid, outlets: &[Uuid]) -> db::Result<()> {
    let sql = "SELECT outlet_id FROM account_outlets WHERE account_id = ?1";
    let before: Vec<Uuid> = rows(tx, sql, [id], |row| row.get(0))?;
    for gone in before.iter().filter(|outlet| !outlets.contains(outlet)) {
        let sql = "DELETE FROM account_outlets WHERE account_id = ?1 AND outlet_id = ?2";
        tx.execute(sql, params![id, gone])?;
    }
    for (position, outlet) in (0_i64..).zip(outlets) {
        tx.execute(
            "INSERT INTO account_outlets (id, outlet_id, account_id, position) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (account_id, outlet_id) DO UPDATE SET position = excluded.position",
            params![tx.new_id(), outlet, id, position],
        )?;
    }
    Ok(())
}

pub(super) fn set_password(tx: &Transaction<'_>, id: Uuid, hash: &str) -> db::Result<()> {
    let sql = "UPDATE accounts SET password_hash = ?2, updated_at = ?3, version = version + 1 WHERE id = ?1";
    tx.execute(sql, params![id, hash, tx.now()]).map(drop)
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
    "s.id, s.account_id, a.name, a.role, s.device_name, s.created_at, s.last_used_at, s.expires_at
  FROM sessions s JOIN accounts a ON a.id = s.account_id";

/// Open sessions of one account, or (`?2` null) of every account that works at the outlet.
const OPEN: &str = "s.revoked_at IS NULL AND s.expires_at > ?3 AND (?2 IS NULL OR s.account_id = ?2)
  AND (?2 IS NOT NULL OR s.account_id IN (SELECT account_id FROM account_outlets WHERE outlet_id = ?1))";

fn read_session(row: &Row<'_>) -> db::Result<Session> {
    Ok(Session {
        id: row.get(0)?,
        account_id: row.get(1)?,
        account_name: row.get(2)?,
        role: Role::of_name(&row.get::<_, String>(3)?).unwrap_or(Role::SuperAdmin),
        device_name: row.get(4)?,
        created_at: row.get(5)?,
        last_used_at: row.get(6)?,
        expires_at: row.get(7)?,
    })
}

/// A page of the devices signed in at `outlet`, the last used first; of one account when it is named.
pub(super) fn list_sessions(
    conn: &dyn Source,
    outlet: Uuid,
    account: Option<Uuid>,
    now: Millis,
    paging: Paging,
) -> db::Result<Page<Session>> {
    let sql = format!("SELECT count(*) FROM sessions s WHERE {OPEN}");
    let total = one(conn, &sql, params![outlet, account, now], |row| row.get(0))?;
    let sql = format!("SELECT {SESSION} WHERE {OPEN} ORDER BY s.last_used_at DESC, s.id LIMIT ?4 OFFSET ?5");
    let args = params![outlet, account, now, paging.limit, paging.offset];
    Ok(Page { items: rows(conn, &sql, args, read_session)?, total })
}

/// An open session of an account that works at `outlet`, or of `own` account.
pub(super) fn find_session(
    conn: &dyn Source,
    outlet: Uuid,
    own: Option<Uuid>,
    id: Uuid,
    now: Millis,
) -> db::Result<Option<Session>> {
    let sql = format!(
        "SELECT {SESSION} WHERE s.id = ?1 AND s.revoked_at IS NULL AND s.expires_at > ?4
           AND (s.account_id = ?3 OR s.account_id IN (SELECT account_id FROM account_outlets WHERE outlet_id = ?2))"
    );
    opt(conn, &sql, params![id, outlet, own, now], read_session)
}

pub(super) fn insert_session(
    tx: &Transaction<'_>,
    account: &Account,
    id: Uuid,
    device_name: Option<&str>,
    expires_at: Millis,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO sessions (id, outlet_id, account_id, device_name, created_at, last_used_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)",
        params![id, account.outlet_id, account.id, device_name, tx.now(), expires_at],
    )
    .map(drop)
}

pub(super) fn touch_session(tx: &Transaction<'_>, id: Uuid, expires_at: Millis) -> db::Result<()> {
    let sql = "UPDATE sessions SET last_used_at = ?2, expires_at = ?3 WHERE id = ?1";
    tx.execute(sql, params![id, tx.now(), expires_at]).map(drop)
}

/// The open sessions of an account but one.
pub(super) fn open_sessions(conn: &dyn Source, account: Uuid, but: Option<Uuid>) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM sessions WHERE account_id = ?1 AND revoked_at IS NULL AND id IS NOT ?2";
    rows(conn, sql, params![account, but], |row| row.get(0))
}

pub(super) fn revoke_session(tx: &Transaction<'_>, id: Uuid, reason: &str) -> db::Result<()> {
    let sql = "UPDATE sessions SET revoked_at = ?2, revoked_reason = ?3 WHERE id = ?1 AND revoked_at IS NULL";
    tx.execute(sql, params![id, tx.now(), reason]).map(drop)
}

/// Forgets the sessions of an account that ended so long ago that nobody asks about them.
pub(super) fn prune_sessions(tx: &Transaction<'_>, account: Uuid, before: Millis) -> db::Result<()> {
    tx.execute("DELETE FROM sessions WHERE account_id = ?1 AND expires_at < ?2", params![account, before])
        .map(drop)
}

/// Sessions and accounts whose access tokens became void since `since`, and when.
pub(super) fn voided(conn: &dyn Source, since: Millis) -> db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, revoked_at FROM sessions WHERE revoked_at >= ?1
      UNION ALL SELECT id, updated_at FROM accounts WHERE updated_at >= ?1 AND version > 1
      UNION ALL SELECT a.id, e.updated_at FROM accounts a JOIN employees e ON e.id = a.employee_id
        WHERE e.updated_at >= ?1 AND (e.status = 'ENDED' OR e.archived_at IS NOT NULL)";
    rows(conn, sql, [since], |row| Ok((row.get(0)?, row.get(1)?)))
}

// ---------------------------------------------------------------------------------------------------- refresh tokens

/// A refresh token's row with its family.
#[derive(Debug)]
pub(super) struct Refresh {
    pub(super) session_id: Uuid,
    pub(super) account_id: Uuid,
    pub(super) expires_at: Millis,
    pub(super) signed_out: bool,
    pub(super) spent: Option<Spent>,
}

const FIND_REFRESH: &str =
    "SELECT t.session_id, s.account_id, t.expires_at, s.revoked_at IS NOT NULL, t.spent_at,
        n.spent_at IS NOT NULL
      FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
      LEFT JOIN refresh_tokens n ON n.hash = t.successor_hash
      WHERE t.hash = ?1";

pub(super) fn find_refresh(conn: &dyn Source, hash: &[u8; 32]) -> db::Result<Option<Refresh>> {
    opt(conn, FIND_REFRESH, [hash.as_slice()], |row| {
        let successor_spent = row.get(5)?;
        let spent = row.get::<_, Option<Millis>>(4)?.map(|at| Spent { at, successor_spent });
        Ok(Refresh {
            session_id: row.get(0)?,
            account_id: row.get(1)?,
            expires_at: row.get(2)?,
            signed_out: row.get(3)?,
            spent,
        })
    })
}

pub(super) fn insert_refresh(
    tx: &Transaction<'_>,
    outlet: Uuid,
    session: Uuid,
    hash: &[u8; 32],
    expires_at: Millis,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO refresh_tokens (hash, session_id, outlet_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![hash.as_slice(), session, outlet, tx.now(), expires_at],
    )
    .map(drop)
}

/// Notes that a token was replaced, and forgets the family's tokens that have expired.
pub(super) fn spend_refresh(
    tx: &Transaction<'_>,
    session: Uuid,
    hash: &[u8; 32],
    successor: &[u8; 32],
) -> db::Result<()> {
    let sql = "UPDATE refresh_tokens SET spent_at = ?2, successor_hash = ?3 WHERE hash = ?1";
    tx.execute(sql, params![hash.as_slice(), tx.now(), successor.as_slice()])?;
    let sql = "DELETE FROM refresh_tokens WHERE session_id = ?1 AND expires_at <= ?2";
    tx.execute(sql, params![session, tx.now()]).map(drop)
}

// ----------------------------------------------------------------------------------------------------------- resets

/// Voids the account's earlier codes and keeps a new one.
pub(super) fn insert_reset(tx: &Transaction<'_>, account: &Account, hash: &[u8; 32]) -> db::Result<()> {
    tx.execute("DELETE FROM password_resets WHERE account_id = ?1", [account.id])?;
    tx.execute(
        "INSERT INTO password_resets (hash, outlet_id, account_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            hash.as_slice(),
            account.outlet_id,
            account.id,
            tx.now(),
            tx.now().after(RESET_LIFETIME_MS)
        ],
    )
    .map(drop)
}

/// The account a code that still holds is for.
pub(super) fn find_reset(conn: &dyn Source, hash: &[u8; 32], now: Millis) -> db::Result<Option<Uuid>> {
    let sql =
        "SELECT account_id FROM password_resets WHERE hash = ?1 AND used_at IS NULL AND expires_at > ?2";
    opt(conn, sql, params![hash.as_slice(), now], |row| row.get(0))
}

pub(super) fn spend_reset(tx: &Transaction<'_>, hash: &[u8; 32]) -> db::Result<()> {
    let sql = "UPDATE password_resets SET used_at = ?2 WHERE hash = ?1";
    tx.execute(sql, params![hash.as_slice(), tx.now()]).map(drop)
}

// --------------------------------------------------------------------------------------------------------- throttles

/// The failures counted under `key`.
pub(super) fn throttle(conn: &dyn Source, key: &str) -> db::Result<Throttle> {
    let sql = "SELECT failures, window_started_at, locked_until FROM throttles WHERE key = ?1";
    let found = opt(conn, sql, [key], |row| {
        Ok(Throttle { failures: row.get(0)?, window_started_at: row.get(1)?, locked_until: row.get(2)? })
    })?;
    Ok(found.unwrap_or_default())
}

/// Counts one failure under `key`; true when it is the one that locks. Forgets what is a day old.
pub(super) fn count_failure(tx: &Transaction<'_>, outlet: Uuid, key: &str, limit: Limit) -> db::Result<bool> {
    let (next, locks) = throttle(tx, key)?.after_failure(limit, tx.now());
    tx.execute(
        "INSERT INTO throttles (key, outlet_id, failures, window_started_at, locked_until) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, window_started_at = excluded.window_started_at,
           locked_until = excluded.locked_until",
        params![key, outlet, next.failures, next.window_started_at, next.locked_until],
    )?;
    tx.execute("DELETE FROM throttles WHERE window_started_at < ?1", [tx.now().after(-86_400_000)])?;
    Ok(locks)
}

/// Forgets the failures under `prefix` and every key that begins with it.
pub(super) fn clear_failures(tx: &Transaction<'_>, prefix: &str) -> db::Result<()> {
    tx.execute("DELETE FROM throttles WHERE key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || ':'", [prefix])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn what_every_sign_in_asks_is_found_by_an_index() {
        let by_email = format!("SELECT {COLUMNS} WHERE a.email = ?1");
        let by_employee = format!("SELECT {COLUMNS} WHERE a.employee_id = ?1 AND e.outlet_id = ?2");
        let by_pin =
            "SELECT id FROM employees WHERE outlet_id = ?1 AND pin_hash = ?2 AND archived_at IS NULL";
        for sql in [by_email.as_str(), &by_employee, PASSWORD_OF, FIND_REFRESH, by_pin] {
            let steps = Fixture::new().plan(sql);
            assert!(steps.iter().all(|step| !step.starts_with("SCAN")), "{sql}: {steps:?}");
        }
    }
}
