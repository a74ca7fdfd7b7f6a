//! The lives of a box's numbers: where it is known in time that this box goes on from an older state than head office has seen, or beside
//! another box, its numbers begin anew with a mark of their own, so that they never meet those already given out. Never waits longer for
//! head office than its caller lets it.

use super::HubError;
use super::exchange::{Exchange, outlet};
use super::greeting;
use super::store::{self, Peer};
use super::trouble::Trouble;
use crate::db::{DbError, Tx};
use crate::exchange::Footing;
use crate::resources::orders::rules::numbers::LIFE;
use crate::resources::orders::store::find_life;
use tiffin_common::frame::Hash;
use tiffin_common::sync::{Hello, Standing};

/// Stands for the end of a lost log that is not known yet.
const AHEAD: Hash = Hash([0; 16]);

/// Numbers begin anew, in a life after the present one and after those that head office knows of.
pub(super) fn begin(tx: &Tx<'_>, known: i64) -> Result<(), DbError> {
    for outlet in store::list_outlets(tx)? {
        let life = find_life(tx, outlet)?.max(known).saturating_add(1);
        tracing::warn!(life, %outlet, "the numbers of this box begin a new life");
        store::set_counter(tx, outlet, LIFE, life)?;
    }
    Ok(())
}

/// Numbers begin anew before it is known what was lost: this database was put back.
pub fn begin_life(tx: &Tx<'_>) -> Result<(), DbError> {
    begin(tx, 1)?;
    store::set_life_of(tx, Some(AHEAD))
}

/// Numbers begin anew, if they have not since this database was found to be an old one: in a life after those that are `known`.
pub(super) fn begin_once(tx: &Tx<'_>, known: i64) -> Result<(), DbError> {
    let is_ahead = store::find_peer(tx)?.is_some_and(|peer| peer.life_of == Some(AHEAD));
    // The same backup may have been put back before, and that life be known, too.
    if is_ahead && find_life(tx, outlet(tx)?)? > known {
        return Ok(());
    }
    begin(tx, known)?;
    store::set_life_of(tx, Some(AHEAD))
}

/// This is the outlet's `boxes`th box, as head office counts them: as many lives there have been, whether it has heard of them or not.
pub(super) fn follow(tx: &Tx<'_>, boxes: i64) -> Result<(), DbError> {
    for outlet in store::list_outlets(tx)? {
        if find_life(tx, outlet)? < boxes {
            begin(tx, boxes.saturating_sub(1))?;
        }
    }
    Ok(())
}

/// Head office has said how the logs stand: begins a life where this box goes on from less than head office holds, or beside another.
pub(super) async fn heed(exchange: &Exchange, hello: &Hello) -> Result<(), DbError> {
    let (standing, lives) = (hello.standing.clone(), hello.lives);
    let Some((_, peer)) = exchange.open().await? else { return Ok(()) };
    if !is_news(&peer, &standing) {
        return Ok(());
    }
    exchange.db().write(move |tx| meet(tx, &standing, lives)).await
}

fn is_news(peer: &Peer, standing: &Standing) -> bool {
    match standing {
        Standing::Normal => peer.life_of == Some(AHEAD),
        Standing::LostSuffix { lost_to, .. } => {
            let is_known = |hash: Hash| hash == lost_to.hash.0;
            !peer.life_of.is_some_and(is_known) && !peer.recovered.is_some_and(|(_, hash)| is_known(hash))
        }
        Standing::Fork => peer.standing != Footing::Fork,
    }
}

fn meet(tx: &Tx<'_>, standing: &Standing, lives: i64) -> Result<(), DbError> {
    match standing {
        Standing::Normal => store::set_life_of(tx, None),
        Standing::LostSuffix { lost_to, .. } => {
            begin_once(tx, lives)?;
            store::set_life_of(tx, Some(lost_to.hash.0))
        }
        Standing::Fork => begin(tx, lives),
    }
}

/// Asks head office where it stands and heeds the answer. A box in whose place is another, or whose key
/// was withdrawn, says so from the start.
pub(super) async fn ask(exchange: &Exchange) -> Result<(), Trouble> {
    let Some((hub, peer)) = exchange.open().await? else { return Ok(()) };
    match greeting::greet(exchange, &hub, &peer).await {
        Ok(hello) => Ok(heed(exchange, &hello).await?),
        Err(Trouble::Hub(HubError::Fenced)) => Ok(exchange.stand(Footing::Fenced).await?),
        Err(Trouble::Hub(HubError::Unauthorized)) => Ok(exchange.stand(Footing::Revoked).await?),
        Err(trouble) => Err(trouble),
    }
}
