//! Enrolment: one-time codes, and what a box may become with one. Never keeps a code, only its hash.

use super::devices::{self, Ended, Key};
use super::{Actor, Change, RegistryError, audit, outlets, throttle};
use edge::db::{Columns, Source, list as rows, opt};
use edge::http::FieldError;
use edge::resources::auth::rules::{normal_code, reset_code};
use edge::{insert, select, table, update};
use rusqlite::params;
use serde_json::json;
use std::net::IpAddr;
use tiffin_common::sync::{EnrolRequest, OutletCard};
use tiffin_common::{Millis, Uuid};

/// How long a code holds: 15 minutes.
pub const LIFETIME_MS: i64 = 15 * 60 * 1000;

/// Codes that have ended are remembered for 30 days.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// Codes that may wait to be used at once: a head office that is being set up needs hundreds, nobody needs more.
const MOST_OPEN: i64 = 5_000;

table! {
    /// A code that was given out, without its text.
    #[derive(PartialEq, Eq)]
    pub struct Code: registry_codes {
        /// Its id.
        pub id: Uuid,
        /// The outlet it is for; none: a new one.
        pub outlet_id: Option<Uuid>,
        /// When it was given out.
        pub created_at: Millis,
        /// Who gave it out.
        pub created_by_name: String,
        /// Until when it holds.
        pub expires_at: Millis,
        /// When it was used.
        pub used_at: Option<Millis>,
    }
}

/// Gives out a code; its text is in the answer and nowhere else.
///
/// # Errors
/// No such outlet, or not one of the actor's; too many open codes.
pub fn create(
    change: &Change<'_>,
    actor: &Actor,
    outlet: Option<Uuid>,
) -> Result<(String, Code), RegistryError> {
    if let Some(id) = outlet
        && (!actor.covers(id) || outlets::find(change.sql, id)?.is_none())
    {
        return Err(RegistryError::NotFound("outlet"));
    }
    let open = opt(
        change.sql,
        "SELECT count(*) FROM registry_codes WHERE used_at IS NULL AND expires_at > ?1",
        [change.now],
        |row| row.get::<_, i64>(0),
    )?;
    if open.unwrap_or(0) >= MOST_OPEN {
        return Err(RegistryError::Conflict("Too many codes wait to be used; they expire within 15 minutes"));
    }
    let text = reset_code(change.env.random_bytes());
    let code = Code {
        id: change.new_id(),
        outlet_id: outlet,
        created_at: change.now,
        created_by_name: actor.name.clone(),
        expires_at: change.now.after(LIFETIME_MS),
        used_at: None,
    };
    change
        .sql
        .execute("DELETE FROM registry_codes WHERE expires_at < ?1", params![change.now.after(-KEPT_MS)])?;
    insert!(change.sql, registry_codes { hash: hash_of(&text), created_by: actor.user_id, ..&code })?;
    let note = audit::Note::new("enrolment.create", "enrolment", Some(code.id)).at(outlet);
    audit::record(change, actor, note)?;
    Ok((text, code))
}

fn hash_of(text: &str) -> [u8; 32] {
    *blake3::hash(normal_code(text).as_bytes()).as_bytes()
}

/// The codes that can still be used, the newest first.
pub fn open(from: &dyn Source, now: Millis) -> edge::db::Result<Vec<Code>> {
    let sql = select!(
        Code,
        "WHERE used_at IS NULL AND expires_at > ?1 ORDER BY created_at DESC, id DESC LIMIT 1000"
    );
    rows(from, sql, [now], Code::read)
}

/// The seconds for which codes from `ip` are refused unseen.
pub fn lock(from: &dyn Source, ip: IpAddr, now: Millis) -> edge::db::Result<Option<u64>> {
    let own = throttle::find(from, &throttle_key(ip))?.locked_for(throttle::CODES, now);
    let all = throttle::find(from, ALL)?.locked_for(throttle::CODES_OF_ALL, now);
    Ok(own.max(all))
}

const ALL: &str = "enrol:all";

fn throttle_key(ip: IpAddr) -> String {
    format!("enrol:{}", throttle::network(ip))
}

/// The code of `text`, when `device` may still use it: nobody has, or that very box, whose answer may have been lost.
pub fn find(from: &dyn Source, text: &str, device: Uuid, now: Millis) -> edge::db::Result<Option<Code>> {
    let sql = select!(Code, "WHERE hash = ?1 AND expires_at > ?2 AND (used_at IS NULL OR used_by = ?3)");
    opt(from, sql, (hash_of(text), now, device), Code::read)
}

/// How an enrolment ended. A wrong code is an outcome, not an error: its count must be kept.
pub enum Enrolment {
    /// The box has a key.
    Done {
        /// The outlet it stands for.
        outlet: Box<OutletCard>,
        /// Its key.
        key: Key,
        /// The sealed pepper of the outlet's PINs, for a box that comes without data.
        pepper: Option<Vec<u8>>,
        /// The sealed certificate authority that its tablets believe, likewise.
        tls_authority: Option<Vec<u8>>,
        /// How many boxes the outlet has had, this one among them.
        boxes: i64,
    },
    /// The code opens nothing.
    Wrong,
    /// Locked for so many seconds.
    Locked(u64),
}

/// Makes the box of `request` the one that speaks for its outlet. `sealed` is its pepper, sealed for that outlet.
///
/// # Errors
/// When the code is for something else, the outlet has another live box, or its code is taken.
pub fn enrol(
    change: &Change<'_>,
    ip: IpAddr,
    request: &EnrolRequest,
    sealed: Option<&[u8]>,
) -> Result<Enrolment, RegistryError> {
    // Asked again here: many guesses may be on their way at once.
    if let Some(seconds) = lock(change.sql, ip, change.now)? {
        return Ok(Enrolment::Locked(seconds));
    }
    let box_itself = Actor::named(format!("box {}", request.device_id), Some(ip.to_string()));
    let Some(code) = find(change.sql, &request.code, request.device_id, change.now)? else {
        throttle::count(change, ALL, throttle::CODES_OF_ALL)?;
        if throttle::count(change, &throttle_key(ip), throttle::CODES)? {
            let note = audit::Note::new("enrolment.locked", "enrolment", None);
            audit::record(change, &box_itself, note)?;
        }
        return Ok(Enrolment::Wrong);
    };
    let card = outlet_of(change, &code, request)?;
    make_room(change, &code, request, card.id)?;
    let used = change.sql.execute(
        "UPDATE registry_codes SET used_at = ?2, used_by = ?3 WHERE id = ?1 AND (used_at IS NULL OR used_by = ?3)",
        params![code.id, change.now, request.device_id],
    )?;
    if used != 1 {
        return Ok(Enrolment::Wrong);
    }
    let key = Key::new(change.env);
    devices::insert(change, &key, card.id, request.device_id, &code.created_by_name)?;
    let (pepper, tls_authority) = match sealed {
        Some(sealed) => {
            outlets::set_pepper(change, card.id, sealed)?;
            (None, None)
        }
        None => (outlets::pepper(change.sql, card.id)?, outlets::tls_authority(change.sql, card.id)?),
    };
    let note = audit::Note::new("device.enrol", "device", Some(request.device_id)).at(Some(card.id)).detail(
        json!({"enrolment": code.id, "givenOutBy": code.created_by_name, "replace": request.replace, "reseed": request.reseed, "version": request.version}),
    );
    audit::record(change, &box_itself, note)?;
    let boxes = devices::count(change.sql, card.id)?;
    Ok(Enrolment::Done { outlet: Box::new(card), key, pepper, tls_authority, boxes })
}

/// The outlet that the box is to stand for; made when nobody knows it yet.
fn outlet_of(change: &Change<'_>, code: &Code, request: &EnrolRequest) -> Result<OutletCard, RegistryError> {
    let known = |id| outlets::find(change.sql, id).map(|found| found.map(|outlet| outlet.card));
    match (code.outlet_id, &request.outlet) {
        (Some(named), Some(own)) if named != own.id => Err(RegistryError::Conflict(
            "The code is for another outlet than the one in this box's data directory",
        )),
        (Some(named), _) => known(named)?.ok_or(RegistryError::NotFound("outlet")),
        (None, None) => Err(RegistryError::Invalid(vec![FieldError::new(
            "outlet",
            "is required: the code names no outlet, and the data directory of the box is empty",
        )])),
        (None, Some(own)) => match known(own.id)? {
            Some(card) => Ok(card),
            None => {
                outlets::insert(change, own)?;
                Ok(own.clone())
            }
        },
    }
}

/// Ends the keys that the new one replaces.
fn make_room(
    change: &Change<'_>,
    code: &Code,
    request: &EnrolRequest,
    outlet: Uuid,
) -> Result<(), RegistryError> {
    let Some(live) = devices::live(change.sql, outlet)? else { return Ok(()) };
    if live.device_id == request.device_id {
        return devices::end_of_device(change, outlet, request.device_id, Ended::Renewed);
    }
    if code.outlet_id.is_none() {
        return Err(RegistryError::Conflict(
            "That outlet has a box already; give out a code that names the outlet to replace it",
        ));
    }
    if !request.replace {
        return Err(RegistryError::Conflict(
            "That outlet has a box already; enrol with --replace to put this one in its place",
        ));
    }
    devices::end(change, outlet, Ended::Fenced, Some(request.device_id))?;
    let actor = Actor::named(format!("box {}", request.device_id), None);
    let note = audit::Note::new("device.fence", "device", Some(live.device_id)).at(Some(outlet));
    audit::record(change, &actor, note)
}

/// Withdraws the keys of an outlet, and the codes that were given out for it.
///
/// # Errors
/// No such outlet, or not one of the actor's.
pub fn revoke(change: &Change<'_>, actor: &Actor, outlet: Uuid) -> Result<usize, RegistryError> {
    if !actor.covers(outlet) || outlets::find(change.sql, outlet)?.is_none() {
        return Err(RegistryError::NotFound("outlet"));
    }
    let ended = devices::end(change, outlet, Ended::Revoked, None)?;
    change.sql.execute(
        "UPDATE registry_codes SET expires_at = ?2 WHERE outlet_id = ?1 AND used_at IS NULL AND expires_at > ?2",
        params![outlet, change.now],
    )?;
    let note = audit::Note::new("device.revoke", "outlet", Some(outlet))
        .at(Some(outlet))
        .detail(json!({"keys": ended}));
    audit::record(change, actor, note)?;
    Ok(ended)
}

/// Withdraws a code that was not used yet.
///
/// # Errors
/// No such code, or not one the actor may see.
pub fn withdraw(change: &Change<'_>, actor: &Actor, id: Uuid) -> Result<(), RegistryError> {
    let sql = select!(Code, "WHERE id = ?1 AND used_at IS NULL AND expires_at > ?2");
    let found = opt(change.sql, sql, (id, change.now), Code::read)?;
    let visible = |code: &Code| match code.outlet_id {
        Some(outlet) => actor.covers(outlet),
        None => actor.role.is_none_or(|role| role == edge::access::Role::SuperAdmin),
    };
    let code = found.filter(visible).ok_or(RegistryError::NotFound("enrolment"))?;
    update!(change.sql, registry_codes { expires_at: change.now } where { id: id })?;
    let note = audit::Note::new("enrolment.withdraw", "enrolment", Some(id)).at(code.outlet_id);
    audit::record(change, actor, note)
}
