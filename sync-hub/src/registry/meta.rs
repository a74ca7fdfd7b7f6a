//! What a head office is: its epoch, and which secret it was made with. Never the secret itself.

use super::{Change, RegistryError};
use edge::db::{Columns, Source, opt};
use edge::{insert, select, table, update};
use tiffin_common::{Millis, Uuid};

table! {
    /// The one row.
    #[derive(PartialEq, Eq)]
    pub struct Meta: hub_meta {
        /// Changes whenever head office was restored from a backup.
        pub hub_epoch: Uuid,
        /// Stands for the secret.
        pub secret_check: Vec<u8>,
    }
}

/// What this head office is; none before its first start.
pub fn find(from: &dyn Source) -> edge::db::Result<Option<Meta>> {
    opt(from, select!(Meta, "WHERE id = 1"), [], Meta::read)
}

/// When this head office was made.
pub fn founded_at(from: &dyn Source) -> edge::db::Result<Option<Millis>> {
    opt(from, "SELECT created_at FROM hub_meta WHERE id = 1", [], |row| row.get(0))
}

/// Makes this a head office with a new epoch, if it is none yet; several processes may do so at once.
pub fn found(change: &Change<'_>, secret_check: &[u8]) -> Result<Meta, RegistryError> {
    let epoch = Uuid::from_bytes(change.env.random_bytes());
    insert!(
        change.sql,
        hub_meta { id: 1, hub_epoch: epoch, secret_check: secret_check, created_at: change.now },
        "ON CONFLICT (id) DO NOTHING"
    )?;
    find(change.sql)?.ok_or(RegistryError::NotFound("head office"))
}

/// Gives head office a new epoch: it was restored from a backup, and boxes must not take its positions for the ones they know.
pub fn renew_epoch(change: &Change<'_>) -> Result<Uuid, RegistryError> {
    let epoch = Uuid::from_bytes(change.env.random_bytes());
    update!(change.sql, hub_meta { hub_epoch: epoch } where { id: 1 })?;
    Ok(epoch)
}
