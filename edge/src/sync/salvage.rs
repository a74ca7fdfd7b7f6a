//! Takes over, on head office's word, what a box had that spoke for this outlet before: as a recovery does, so nothing that was done here
//! since is overwritten, and the log tells that it was done. Never decides what is taken over.

use super::exchange::{Exchange, outlet};
use super::own::Own;
use super::recovery;
use super::steps::Action;
use super::trouble::Trouble;
use super::{Hub, notices, restore};
use crate::db::{DbError, Tx};
use std::iter;
use std::sync::atomic::Ordering;
use tiffin_common::frame::{Changes, DecodeError, Hash, Op, Ops, Position};
use tiffin_common::sync::SalvagePage;

/// Fetches what is to be taken over, if anything is, and takes it. Done twice, the second time changes nothing.
pub(super) async fn take_over(exchange: &Exchange, hub: &Hub) -> Result<(), Trouble> {
    if !exchange.0.salvage.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let page = hub.salvage().await?;
    let Some(id) = page.id else { return Ok(()) };
    let (own, actions) = read(&page, Own::since(page.after, id))?;
    let origin = Position { epoch: id, seq: page.after.saturating_add(1), hash: Hash::START };
    let done = |tx: &Tx<'_>, rows, reviews| -> Result<(), DbError> {
        tracing::warn!(rows, reviews, "took over what another box had");
        notices::taken_over(tx, outlet(tx)?, rows, reviews)
    };
    recovery::take_in_steps(exchange, own, actions, origin, done).await?;
    exchange.0.wake_push.notify_one();
    Ok(())
}

/// Changes of the other box, packed, which are taken over together.
#[derive(Debug, PartialEq, Eq)]
struct Together {
    packed: Vec<u8>,
    count: u32,
}

impl Action for Together {
    fn count(&self) -> u32 {
        self.count
    }

    fn read(&self) -> Result<(Vec<Op<'_>>, bool), DbError> {
        let ops =
            Ops::of(&self.packed).collect::<Result<_, _>>().map_err(DbError::unavailable::<DecodeError>)?;
        Ok((ops, false))
    }
}

/// What a page hands over, and `own` with what was changed of it by a box between the two.
fn read(page: &SalvagePage, mut own: Own) -> Result<(Own, Vec<Together>), Trouble> {
    let unpack = |part: &str| restore::unpack(part).map_err(|_| UNREADABLE);
    for op in Ops::of(&unpack(&page.changed)?) {
        own.count(&op.map_err(|_| UNREADABLE)?);
    }
    Ok((own, apart(&unpack(&page.rows)?, &page.actions).map_err(|_| UNREADABLE)?))
}

const UNREADABLE: Trouble = Trouble::Nonsense("salvage that cannot be read");

/// The changes by the action that made them: `counts` of each. What is left over goes together.
fn apart(packed: &[u8], counts: &[u32]) -> Result<Vec<Together>, DecodeError> {
    let mut ops = Ops::of(packed).peekable();
    let mut counts = counts.iter().copied().chain(iter::repeat(u32::MAX));
    let mut actions = Vec::new();
    while ops.peek().is_some() {
        let mut action = Changes::default();
        let count = counts.next().unwrap_or(u32::MAX).max(1);
        ops.by_ref().take(count as usize).try_for_each(|op| op.map(|op| action.push(&op)))?;
        actions.push(Together { packed: action.bytes().to_vec(), count: action.count() });
    }
    Ok(actions)
}
