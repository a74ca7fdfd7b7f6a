//! Opening the branch of a data directory for a command, while no server runs on it. Never makes one.

use super::failure::{Failure, Result};
use crate::config::Config;
use crate::data_dir::{DataDir, Lock};
use crate::db::{Db, Env, Options};
use crate::{clock, doctor, health};
use rusqlite::Connection;

/// Opens the initialised branch of `config` for writing, while no server runs on it.
///
/// # Errors
/// When it is not initialised, in use, or cannot be opened.
pub(super) fn open_alone(config: &Config) -> Result<(Db, DataDir, Lock)> {
    let data = DataDir::at(&config.store.data_dir);
    health::examine(&data)?;
    if !data.is_initialised() {
        return Err(not_initialised(&data));
    }
    let lock = data.lock()?;
    let env = prepared(&data, config)?;
    let db = Db::open(&Options::new(data.database()), env)?;
    Ok((db, data, lock))
}

/// Clock, ids and randomness for the branch in `data`: its time goes on from the newest moment that it has on record.
pub(super) fn env_of(data: &DataDir) -> Env {
    doctor::open_to_read(&data.database()).map_or_else(|_| Env::watched(None, 0), |conn| env_by(&conn))
}

/// As [`env_of`], for who is about to open the branch and has its lock: a backup was taken where the schema is about to be changed.
///
/// # Errors
/// When there is none and there should be.
pub(super) fn prepared(data: &DataDir, config: &Config) -> Result<Env> {
    let Ok(conn) = doctor::open_to_read(&data.database()) else { return Ok(Env::watched(None, 0)) };
    let env = env_by(&conn);
    health::prepare((data, &conn), &config.backups, &env)?;
    Ok(env)
}

fn env_by(conn: &Connection) -> Env {
    let offset = conn.query_row("SELECT clock_offset_ms FROM box", [], |row| row.get(0)).unwrap_or_default();
    let env = Env::watched(doctor::database::newest_moment(conn), offset);
    if let Some(moment) = clock::kept_right() {
        env.watch.iter().for_each(|watch| watch.hear(moment));
    }
    env
}

pub(super) fn not_initialised(data: &DataDir) -> Failure {
    Failure::new(format!("there is no branch in {} yet; make one with: edge init", data.path().display()))
}
