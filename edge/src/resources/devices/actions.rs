//! What can happen to devices. Wrong and early questions are outcomes, not errors: that they were asked must be kept.

use super::rules::{
    Device, DeviceError, DeviceKind, INTERVAL_MS, MOST_WAITING, Pairing, Result, Standing, Wanted, user_code,
};
use super::store;
use crate::access::Actor;
use crate::db::{DbError, Tx};
use crate::http::Stale;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, actions::Client, actions::hash_of, rules::normal_code};
use crate::resources::kitchen::rules::Turn;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::{kitchen, outlets};
use serde_json::{Value, json};
use tiffin_common::Uuid;

/// The codes of a device that asks to be paired.
#[derive(Debug)]
pub struct Codes {
    /// For a person: `XXXX-XXXX`.
    pub user: String,
    /// For the device itself.
    pub device: String,
}

/// A device asks to be paired.
///
/// # Errors
/// Offending fields; so many devices ask that no more may; no branch.
pub fn ask(tx: &Tx<'_>, wanted: Wanted) -> Result<Codes> {
    let wanted = wanted.checked()?;
    let outlet = outlets::store::find_box_outlet(tx)?.ok_or(DbError::NoOutlet)?;
    if store::count_waiting(tx, tx.now())? >= MOST_WAITING {
        return Err(DeviceError::TooMany);
    }
    let device: [u8; 32] = tx.random();
    let codes =
        Codes { user: user_code(tx.random()), device: blake3::Hash::from_bytes(device).to_hex().to_string() };
    let hashes = (hash_of(&normal_code(&codes.user)), hash_of(&codes.device));
    let id = store::insert_pairing(tx, outlet, &wanted, (&hashes.0, &hashes.1))?;
    let asker =
        Actor { name: "unknown".into(), device: Some(wanted.address.clone()), ..Actor::guest(outlet) };
    let entry = Entry::new("device.asked", "device_pairing", Some(id)).after(&on_record(&wanted));
    audit::actions::record(tx, &asker, entry)?;
    Ok(codes)
}

/// Lets the device in that shows the code of that hash.
///
/// # Errors
/// No such code; one that somebody decided about; a station for what is no display, or none of the outlet's.
pub fn approve(tx: &Tx<'_>, actor: &Actor, code: &[u8; 32], station: Option<Uuid>) -> Result<Device> {
    let pairing = find_undecided(tx, code)?;
    let Wanted { kind, name, address } = pairing.wanted.clone();
    demand_station(tx, actor, kind, station)?;
    let device = Device {
        id: tx.new_id(),
        outlet_id: actor.outlet_id,
        account_id: auth::actions::make_device(tx, actor, &name, kind.role())?,
        kind,
        name,
        station_id: station,
        session_id: None,
        approved_by: actor.account_id,
        approved_by_name: actor.name.clone(),
        paired_at: tx.now(),
        version: 1,
        updated_at: tx.now(),
        last_seen_at: None,
        is_signed_in: false,
        followed_at: None,
        silent_since: None,
    };
    store::insert(tx, &device)?;
    store::set_decided(tx, pairing.id, actor.outlet_id, Some(device.id))?;
    let entry = Entry::new("device.approve", "device", Some(device.id))
        .after(&json!({"device": device, "address": address}));
    audit::actions::record(tx, actor, entry)?;
    Ok(device)
}

/// Refuses the device that shows the code of that hash.
///
/// # Errors
/// No such code; one that somebody decided about.
pub fn deny(tx: &Tx<'_>, actor: &Actor, code: &[u8; 32]) -> Result<()> {
    let pairing = find_undecided(tx, code)?;
    store::set_decided(tx, pairing.id, actor.outlet_id, None)?;
    let entry =
        Entry::new("device.deny", "device_pairing", Some(pairing.id)).after(&on_record(&pairing.wanted));
    Ok(audit::actions::record(tx, actor, entry)?)
}

fn find_undecided(tx: &Tx<'_>, code: &[u8; 32]) -> Result<Pairing> {
    let found = store::find_by_user_code(tx, code, tx.now())?.ok_or(DeviceError::NotFound("code"))?;
    if found.decided_at.is_some() { Err(DeviceError::Decided) } else { Ok(found) }
}

fn demand_station(tx: &Tx<'_>, actor: &Actor, kind: DeviceKind, station: Option<Uuid>) -> Result<()> {
    let Some(station) = station else { return Ok(()) };
    if kind != DeviceKind::Kitchen {
        return Err(DeviceError::field("stationId", "is for KITCHEN devices"));
    }
    match kitchen::actions::has_station(tx, actor.outlet_id, station)? {
        true => Ok(()),
        false => Err(DeviceError::field("stationId", "is no station of this outlet")),
    }
}

/// What a device that asks for its tokens gets.
#[derive(Debug)]
pub enum Poll {
    /// It is signed in.
    Done(Box<(auth::actions::Device, Device)>),
    /// It is told so.
    No(Standing),
}

/// Answers a device that asks for its tokens with `code` from the address in `client`. Its first token is what `sealing_key` makes of the code, so
/// that it can be given again when the answer was lost. `shows`: the certificate authority that it is the first to believe.
pub fn poll(
    tx: &Tx<'_>,
    code: &str,
    client: Client,
    (sealing_key, shows): (&[u8; 32], Option<&str>),
) -> Result<Poll> {
    let Some(pairing) = store::find_by_device_code(tx, &hash_of(code))? else {
        return Ok(Poll::No(Standing::Expired));
    };
    let standing = pairing.standing(tx.now());
    match standing {
        Standing::Approved(device) => {
            let done = sign_in(tx, &pairing, device, client, (code, sealing_key))?;
            if let (Poll::Done(_), Some(authority)) = (&done, shows) {
                outlets::actions::certificate_believed(tx, pairing.outlet_id, authority)?;
            }
            return Ok(done);
        }
        Standing::TooSoon => {
            store::set_polled(tx, pairing.id, pairing.interval_ms.saturating_add(INTERVAL_MS))?
        }
        Standing::Pending => store::set_polled(tx, pairing.id, pairing.interval_ms)?,
        Standing::Replayed => {
            let address = Some(client.ip.to_string());
            let asker = Actor { name: "unknown".into(), device: address, ..Actor::guest(pairing.outlet_id) };
            let entry = Entry::new("device.code_replayed", "device", pairing.device_id);
            audit::actions::record(tx, &asker, entry)?;
        }
        Standing::Denied | Standing::Expired => {}
    }
    Ok(Poll::No(standing))
}

fn sign_in(
    tx: &Tx<'_>,
    pairing: &Pairing,
    device: Uuid,
    client: Client,
    (code, sealing_key): (&str, &[u8; 32]),
) -> Result<Poll> {
    let Some(device) = store::find(tx, pairing.outlet_id, device, tx.now())? else {
        return Ok(Poll::No(Standing::Denied));
    };
    let mut token = blake3::Hasher::new_keyed(sealing_key);
    token.update(b"the first token of a device ").update(code.as_bytes());
    let client = Client { device_name: Some(device.name.clone()), ..client };
    let signed_in =
        auth::actions::sign_in_device(tx, device.account_id, &client, token.finalize().as_bytes())?;
    let Some(signed_in) = signed_in else { return Ok(Poll::No(Standing::Expired)) };
    store::set_redeemed(tx, pairing.id)?;
    store::set_session(tx, device.id, signed_in.session_id)?;
    Ok(Poll::Done(Box::new((signed_in, find(tx, pairing.outlet_id, device.id)?))))
}

fn find(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> Result<Device> {
    store::find(tx, outlet, id, tx.now())?.ok_or(DeviceError::NotFound("device"))
}

/// Makes of a device's name and station what `change` makes of them.
///
/// # Errors
/// No such device; another version than `expected`; a blank name; a station as in [`approve`].
pub fn change(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(Device) -> Device,
) -> Result<Device> {
    let before = find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let wanted = change(before.clone());
    let name = wanted.name.trim();
    if name.is_empty() {
        return Err(DeviceError::field("name", "must not be blank"));
    }
    if wanted.station_id != before.station_id {
        demand_station(tx, actor, before.kind, wanted.station_id)?;
    }
    store::update(tx, id, name, wanted.station_id)?;
    if name != before.name {
        auth::actions::rename_device(tx, before.account_id, name)?;
    }
    let after = find(tx, actor.outlet_id, id)?;
    let entry = Entry::new("device.update", "device", Some(id)).before(&before).after(&after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}

/// Notes what changed about a display, and tells when it fell silent.
pub fn turned(tx: &Tx<'_>, device: &Device, turn: Turn) -> Result<()> {
    let since = match turn {
        Turn::Came => return Ok(store::set_following(tx, device.id)?),
        Turn::Went(since) => since,
    };
    store::set_silent(tx, device.id, since)?;
    let notice = Notice {
        kind: "DISPLAY_SILENT",
        severity: Severity::Warning,
        title: format!("{} fell silent", device.name),
        body: "The screen follows the kitchen no more. Is it on, charged and in the network?".into(),
        audience: Audience::Staff,
        entity: Some(("device", device.id)),
        dedupe_key: format!("display-silent:{}", device.id),
    };
    Ok(notifications::actions::notify(tx, device.outlet_id, notice)?)
}

/// Removes a device; answers what it was, and its sign-ins, which end.
///
/// # Errors
/// No such device; another version than `expected`.
pub fn remove(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<(Device, Vec<Uuid>)> {
    let gone = find(tx, actor.outlet_id, id)?;
    Stale::check(expected, gone.version)?;
    let ended = auth::actions::remove_device(tx, gone.account_id)?;
    store::delete(tx, id)?;
    let entry = Entry::new("device.remove", "device", Some(id)).before(&gone);
    audit::actions::record(tx, actor, entry)?;
    Ok((gone, ended))
}

/// What the audit log keeps of a device that asks.
fn on_record(wanted: &Wanted) -> Value {
    json!({"kind": wanted.kind, "name": wanted.name, "address": wanted.address})
}
