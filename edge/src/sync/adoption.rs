//! A box comes to belong to a head office. Never speaks to it: what was agreed lies in the enrolment.

use super::enrolment::Enrolment;
use super::{life, store};
use crate::db::{DbError, Tx};
use crate::exchange::Footing;
use tiffin_common::frame::Position;
use tiffin_common::sync::Phase;

/// Belongs to the head office of `found`, which may be the one it belongs to already. Whether the log begins anew.
pub(super) fn take_up(tx: &Tx<'_>, found: &Enrolment) -> Result<bool, DbError> {
    let peer = store::find_peer(tx)?;
    let is_known =
        peer.as_ref().is_some_and(|peer| peer.device_id == found.device_id && peer.hub_url == found.hub_url);
    let (seen, reseeded) = peer.as_ref().map_or((0, None), |peer| (peer.feed, peer.reseed));
    if is_known {
        // A new key for the same box: whatever shut it out is over.
        if peer.is_some_and(|peer| peer.standing == Footing::Revoked) {
            store::set_standing(tx, Footing::Normal)?;
        }
    } else {
        adopt(tx, found)?;
    }
    match found.reseed.filter(|reseed| reseeded != Some(*reseed)) {
        Some(reseed) => super::reseed::begin(tx, found, reseed, seen + 1).map(|()| true),
        None => Ok(false),
    }
}

/// Belongs to it for the first time.
fn adopt(tx: &Tx<'_>, found: &Enrolment) -> Result<(), DbError> {
    let at = found.replaces.map(Position::from);
    let is_own = at.is_some_and(|at| store::find_hash(tx, at.seq).is_ok_and(|hash| hash == Some(at.hash)));
    let restore = at.filter(|_| is_own && found.replaced_by_snapshot).map(|_| Phase::B);
    store::insert_peer(tx, found.device_id, &found.hub_url, found.hub_epoch, restore, at.filter(|_| is_own))?;
    life::follow(tx, found.lives)
}
