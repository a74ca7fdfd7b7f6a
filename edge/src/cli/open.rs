//! Opening the branch of a data directory for a command, while no server runs on it. Never makes one.

use super::failure::Failure;
use crate::config::Config;
use crate::data_dir::{DataDir, Lock};
use crate::db::{Db, Env, Options};
use crate::health;

/// Opens the initialised branch of `config` for writing, while no server runs on it.
///
/// # Errors
/// When it is not initialised, in use, or cannot be opened.
pub(super) fn open_alone(config: &Config) -> Result<(Db, DataDir, Lock), Failure> {
    let data = DataDir::at(&config.store.data_dir);
    health::examine(&data)?;
    if !data.is_initialised() {
        return Err(not_initialised(&data));
    }
    let lock = data.lock()?;
    health::prepare(&data, &config.backups, &Env::system())?;
    let db = Db::open(&Options::new(data.database()), Env::system())?;
    Ok((db, data, lock))
}

pub(super) fn not_initialised(data: &DataDir) -> Failure {
    Failure::new(format!("there is no branch in {} yet; make one with: edge init", data.path().display()))
}
