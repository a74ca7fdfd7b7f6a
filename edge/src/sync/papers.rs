//! The papers of the staff, beside the log: contents that head office lacks are sent, contents that this box lacks (it took another's
//! place, or was put back) are fetched, a part a step. Never sends one that no row at head office names, and keeps none whose hash is not
//! what its row says.

use super::exchange::Exchange;
use super::trouble::Trouble;
use super::{Hub, HubError};
use crate::db::{DbError, Tx};
use crate::resources::employees::actions::documents::{self, Lacking};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::VecDeque;
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_common::sync::{PAPER_PART, PaperPart, PaperPlace};
use tokio::time::Instant;

/// How often head office is asked where nothing is known to be lacking.
const LOOK_EVERY: Duration = Duration::from_secs(3_600);

/// The same while something is, or is about to be.
const LOOK_SOON: Duration = Duration::from_secs(5);

/// The same after head office did not answer.
const LOOK_LATER: Duration = Duration::from_secs(60);

/// What is to be done for one paper.
enum Job {
    Send(PaperPlace),
    Fetch(Lacking, Vec<u8>),
}

/// What is under way.
#[derive(Default)]
pub(super) struct Papers {
    jobs: VecDeque<Job>,
    look_at: Option<Instant>,
    /// The newest paper here when head office was last asked.
    newest: Option<Uuid>,
}

impl Papers {
    /// Does a little; whether there is more.
    pub(super) async fn step(&mut self, exchange: &Exchange, hub: &Hub) -> Result<bool, Trouble> {
        let moved = match self.jobs.pop_front() {
            None => self.look(exchange, hub).await,
            Some(Job::Send(place)) => send(exchange, hub, place).await.map(|next| self.go_on(next)),
            Some(Job::Fetch(paper, held)) => {
                fetch(exchange, hub, paper, held).await.map(|next| self.go_on(next))
            }
        };
        if moved.is_err() {
            self.look_at = Some(Instant::now() + LOOK_LATER);
        }
        moved.map(|()| !self.jobs.is_empty())
    }

    /// One paper after the other: a part of one is held in memory.
    fn go_on(&mut self, next: Option<Job>) {
        next.into_iter().for_each(|job| self.jobs.push_front(job));
    }

    /// Finds out what is to be done, when that may have changed.
    async fn look(&mut self, exchange: &Exchange, hub: &Hub) -> Result<(), Trouble> {
        let newest = exchange.db().read(|from| documents::newest(from)).await?;
        if newest == self.newest && self.look_at.is_some_and(|at| Instant::now() < at) {
            return Ok(());
        }
        self.newest = newest;
        self.look_at = Some(Instant::now() + LOOK_EVERY);
        let lacking = exchange.db().read(|from| documents::lacking(from)).await?;
        if newest.is_none() {
            return Ok(());
        }
        let told = hub.papers().await?;
        let is_told = |paper: &Lacking| told.papers.iter().any(|place| place.document == paper.id);
        // What neither has is lost.
        let is_here = |place: &PaperPlace| !lacking.iter().any(|paper| paper.id == place.document);
        self.jobs.extend(told.papers.iter().copied().filter(is_here).map(Job::Send));
        let fetched = lacking.iter().filter(|paper| !is_told(paper)).cloned();
        self.jobs.extend(fetched.map(|paper| Job::Fetch(paper, Vec::new())));
        // A newer row is on the way, or more is to be done than was told.
        if told.newest < newest || !self.jobs.is_empty() {
            self.look_at = Some(Instant::now() + LOOK_SOON);
        }
        Ok(())
    }
}

/// Sends the part at `place`; what is to be done next for this paper.
async fn send(exchange: &Exchange, hub: &Hub, place: PaperPlace) -> Result<Option<Job>, Trouble> {
    let PaperPlace { document, offset } = place;
    let part = exchange.db().read(move |from| documents::part(from, document, offset, PAPER_PART)).await?;
    let Some(part) = part.filter(|part| !part.is_empty()) else { return Ok(None) };
    let part = PaperPart { document, offset, content: STANDARD.encode(part) };
    let next = hub.send_paper(&part).await?;
    // One that came out wrong begins anew, but not at once.
    Ok((next.offset > offset).then_some(Job::Send(next)))
}

/// Fetches the next part, and keeps the paper when it is whole.
async fn fetch(
    exchange: &Exchange,
    hub: &Hub,
    paper: Lacking,
    mut held: Vec<u8>,
) -> Result<Option<Job>, Trouble> {
    let offset = i64::try_from(held.len()).unwrap_or(i64::MAX);
    let part = match hub.paper(&PaperPlace { document: paper.id, offset }).await {
        Ok(part) => part,
        // Head office never had it.
        Err(HubError::Bad { status: 404, .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let content = STANDARD.decode(part.content).unwrap_or_default();
    held.extend_from_slice(&content);
    if held.len() < paper.size && !content.is_empty() {
        return Ok(Some(Job::Fetch(paper, held)));
    }
    if held.len() != paper.size || *blake3::hash(&held).as_bytes() != paper.hash {
        return Err(Trouble::Nonsense("a paper that is not what its row says"));
    }
    let keep = move |tx: &Tx<'_>| -> Result<(), DbError> { documents::fill(tx, paper.id, &held) };
    exchange.db().write(keep).await?;
    Ok(None)
}
