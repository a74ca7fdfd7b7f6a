//! The accounts and sign-ins of paired devices, and the codes that are typed in for them. A device has no password: what it signs in with
//! is made when it is paired.

use super::super::rules::{Account, AuthError, NewAccount, PAIRING_CODES, Result, Standing, standing};
use super::super::store;
use super::sessions::{Client, Device, end_sessions, hash, open_session};
use crate::access::{Actor, Role};
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use tiffin_common::{Millis, Uuid};

/// What stands where a person's password would: no password fits.
const NO_PASSWORD: &str = "*";

/// Makes the account of a device at the actor's outlet.
pub fn make_device(tx: &Tx<'_>, actor: &Actor, name: &str, role: Role) -> Result<Uuid> {
    let id = tx.new_id();
    let new = NewAccount {
        // Nobody gets mail there (RFC 2606); an account has one.
        email: format!("{id}@device.invalid"),
        name: name.to_owned(),
        role,
        password_hash: NO_PASSWORD.to_owned(),
        employee_id: None,
        outlets: vec![actor.outlet_id],
    };
    store::insert(tx, actor.outlet_id, id, &new)?;
    Ok(id)
}

/// Gives the account of a device another name; its access tokens go on with the old one for minutes.
pub fn rename_device(tx: &Tx<'_>, account: Uuid, name: &str) -> db::Result<()> {
    store::set_name(tx, account, name)
}

/// Closes the account of a device; names its sign-ins, which end.
pub fn remove_device(tx: &Tx<'_>, account: Uuid) -> Result<Vec<Uuid>> {
    let found = store::find(tx, account)?.ok_or(AuthError::NotFound("account"))?;
    store::update(tx, account, found.role, false, &found.channel_ids)?;
    end_sessions(tx, account, None, "the device was removed")
}

/// Signs a device in with that refresh token; where the answer was lost, again with the same one while it is not spent. None where the
/// account was closed, or the token is spent.
pub fn sign_in_device(
    tx: &Tx<'_>,
    account: Uuid,
    client: &Client,
    token: &[u8; 32],
) -> Result<Option<Device>> {
    let Some(account) = store::find(tx, account)?.filter(Account::is_usable) else { return Ok(None) };
    let Some(row) = store::find_refresh(tx, &hash(token))? else {
        return open_session(tx, account, client, token).map(Some);
    };
    let is_current = standing(row.spent, row.expires_at, row.signed_out, tx.now()) == Standing::Current;
    let refresh_token = blake3::Hash::from_bytes(*token).to_hex().to_string();
    let (session_id, until) = (row.session_id, row.expires_at);
    Ok(is_current.then_some(Device { account, session_id, refresh_token, until }))
}

fn code_key(account: Option<Uuid>) -> String {
    format!("pairing:{}", account.unwrap_or_default())
}

/// The seconds for which codes that the actor types in are refused unseen.
pub fn code_lock(conn: &dyn Source, actor: &Actor, now: Millis) -> db::Result<Option<u64>> {
    Ok(store::find_throttle(conn, &code_key(actor.account_id))?.locked_for(PAIRING_CODES, now))
}

/// Counts a code of a device that nobody was given.
pub fn wrong_code(tx: &Tx<'_>, actor: &Actor) -> Result<()> {
    let locks = store::count_failure(tx, actor.outlet_id, &code_key(actor.account_id), PAIRING_CODES)?;
    let action = if locks { "device.code_locked" } else { "device.code_failed" };
    Ok(audit::actions::record(tx, actor, Entry::new(action, "device", None))?)
}
