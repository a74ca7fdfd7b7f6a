//! How a box comes to belong to a head office, or to take the place of another box: it asks with a one-time code, and what head office
//! answers goes into one file. Never prints, never chooses the way to head office.

use super::restore::{self, RestoreError};
use super::{Bugs, Enrolment, Hub, HubError};
use super::{reseed, store};
use crate::config::Value;
use crate::data_dir::{DataDir, DataDirError};
use crate::db::{DbError, Env};
use crate::secrets::{self, SecretsError};
use rusqlite::{Connection, OpenFlags};
use std::io;
use std::path::PathBuf;
use tiffin_common::Uuid;
use tiffin_common::sync::{At, EnrolRequest, OutletCard, PROTOCOL};

/// Why a box does not belong to head office now. For the person who asked for it.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Head office.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The box's enrolment cannot be read or kept.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The box's secrets.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// The data directory.
    #[error(transparent)]
    Directory(#[from] DataDirError),
    /// The database.
    #[error("{0}")]
    Db(#[from] DbError),
    /// The rows that head office sends.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The code.
    #[error(
        "head office does not take this code: it is mistyped, was used, or is too old. Have a new one made"
    )]
    Code,
    /// There is nothing to belong to it.
    #[error("there is no outlet in this data directory")]
    NoOutlet,
    /// What head office answers cannot be a key.
    #[error("head office gave no key")]
    NoKey,
    /// It is the box that lacks something.
    #[error(
        "head office has changes of this outlet that this box has not: enrol it without --reseed, and it takes them back"
    )]
    Ahead,
    /// The PINs of the outlet could not be checked here.
    #[error("head office does not have the secret of this outlet's PINs")]
    NoPepper,
}

/// What a box asks head office with, and how it will find it again.
#[derive(Debug, Clone)]
pub struct Application {
    /// Where head office answers.
    pub hub_url: String,
    /// The one-time code that it gave out.
    pub code: String,
    /// Whether the box takes the place of the one that the outlet has.
    pub replace: bool,
    /// Whether all rows are sent again where head office lacks what the log no longer keeps.
    pub reseed: bool,
    /// The certificate authority of head office, where it has its own.
    pub authority: Option<PathBuf>,
    /// Whether plain HTTP over a network is allowed.
    pub insecure: bool,
}

/// Makes the box, whose branch is in `data`, belong to `hub`. A server that runs on it takes that up within seconds.
///
/// # Errors
/// See [`JoinError`].
pub async fn join(
    hub: &Hub,
    data: &DataDir,
    application: &Application,
    env: &Env,
) -> Result<Enrolment, JoinError> {
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY);
    let outlet = store::find_outlet_card(&conn.map_err(DbError::from)?)?.ok_or(JoinError::NoOutlet)?;
    enrol(hub, data, application, Some(outlet), env).await
}

/// Makes the box, whose data directory is empty, the one of an outlet that has another. Its rows are still to come: [`fill`].
///
/// # Errors
/// See [`JoinError`].
pub async fn take_place(
    hub: &Hub,
    data: &DataDir,
    application: &Application,
    env: &Env,
) -> Result<Enrolment, JoinError> {
    enrol(hub, data, application, None, env).await
}

/// Asks head office, and keeps its answer.
async fn enrol(
    hub: &Hub,
    data: &DataDir,
    application: &Application,
    outlet: Option<OutletCard>,
    env: &Env,
) -> Result<Enrolment, JoinError> {
    let known = Enrolment::load(data.path())?;
    let device_id = known.map_or_else(|| new_device(env), |known| known.device_id);
    let is_new = outlet.is_none();
    let request = EnrolRequest {
        code: application.code.trim().to_owned(),
        device_id,
        outlet,
        replace: application.replace,
        protocol: PROTOCOL,
        schema: tiffin_migrations::edge_schema_version(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        wall: env.clock.now(),
        reseed: application.reseed,
        pepper: if is_new { None } else { secrets::pepper(data.path()).ok() },
    };
    let enrolled = hub.enrol(&request).await.map_err(|error| match error {
        HubError::Unauthorized => JoinError::Code,
        other => other.into(),
    })?;
    let reseed = match application.reseed {
        true => lacks(data, enrolled.cursor)?.then(|| new_device(env)),
        false => None,
    };
    if is_new {
        let pepper = enrolled.pepper.as_ref().ok_or(JoinError::NoPepper)?;
        // Before there are secrets, which tell of a branch.
        std::fs::write(data.unfinished(), "edge enroll --replace\n")?;
        secrets::create_with_pepper(data.path(), &*env.random, pepper)?;
        if let Some(authority) = &enrolled.tls_authority {
            secrets::keep_tls_authority(data.path(), authority)?;
        }
    }
    let enrolment = Enrolment {
        hub_url: application.hub_url.trim_end_matches('/').to_owned(),
        device_id,
        outlet: enrolled.outlet,
        key: Value::read(&enrolled.key).map_err(|_| JoinError::NoKey)?,
        hub_epoch: enrolled.hub_epoch,
        replaces: enrolled.cursor,
        replaced_by_snapshot: is_new,
        reseed,
        lives: enrolled.lives,
        authority: application.authority.clone(),
        insecure: application.insecure,
    };
    enrolment.save(data.path())?;
    Ok(enrolment)
}

/// Fills the empty data directory by `hub`, which knows the box's key, so far that it opens for business; answers how many rows came.
///
/// # Errors
/// See [`JoinError`]. It can be begun again.
pub async fn fill(
    hub: &Hub,
    data: &DataDir,
    enrolment: &Enrolment,
    env: Env,
    bugs: Bugs,
) -> Result<u64, JoinError> {
    let _lock = data.lock()?;
    std::fs::write(data.unfinished(), "edge enroll --replace\n")?;
    let rows = restore::open_for_business(hub, data, enrolment, env, bugs).await?;
    std::fs::remove_file(data.unfinished())?;
    Ok(rows)
}

/// Whether head office lacks what the log of the branch in `data` no longer keeps.
fn lacks(data: &DataDir, cursor: Option<At>) -> Result<bool, JoinError> {
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY);
    reseed::is_lacking(&conn.map_err(DbError::from)?, cursor)?.ok_or(JoinError::Ahead)
}

fn new_device(env: &Env) -> Uuid {
    env.ids.next(env.clock.now())
}
