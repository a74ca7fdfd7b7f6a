//! What a push says first, and why a step of it brought nothing. Never sends anything itself.

use super::store::{self, Peer};
use super::{Exchange, HubError, recovery};
use crate::db::{DbError, Source};
use tiffin_common::sync::{At, HelloRequest, PROTOCOL};

/// Why a step brought nothing.
pub(super) enum Trouble {
    Hub(HubError),
    Db(DbError),
    /// Head office needs rows that are no longer kept.
    Gone,
    /// What it says cannot be.
    Nonsense(&'static str),
}

impl From<HubError> for Trouble {
    fn from(error: HubError) -> Self {
        Trouble::Hub(error)
    }
}

impl From<DbError> for Trouble {
    fn from(error: DbError) -> Self {
        Trouble::Db(error)
    }
}

impl From<recovery::RecoveryError> for Trouble {
    fn from(error: recovery::RecoveryError) -> Self {
        match error {
            recovery::RecoveryError::Hub(error) => Trouble::Hub(error),
            recovery::RecoveryError::Db(error) => Trouble::Db(error),
            recovery::RecoveryError::Nonsense(why) => Trouble::Nonsense(why),
        }
    }
}

/// What the box says first.
pub(super) async fn request(
    exchange: &Exchange,
    peer: &Peer,
    wall: tiffin_common::Millis,
) -> Result<HelloRequest, DbError> {
    let (device_id, hub_epoch, acked) = (peer.device_id, peer.hub_epoch, peer.acked);
    let look = move |from: &dyn Source| -> Result<HelloRequest, DbError> {
        let head = store::head(from)?;
        let backlog = head.map_or(0, |head| head.seq) - acked.map_or(0, |acked| acked.seq);
        Ok(HelloRequest {
            device_id,
            protocol: PROTOCOL,
            schema: tiffin_migrations::edge_schema_version(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            wall,
            head: head.map(At::from),
            epochs: store::newest_epochs(from, 64)?,
            backlog: backlog.max(0),
            hub_epoch,
        })
    };
    exchange.db().read(look).await
}
