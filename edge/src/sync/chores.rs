//! What has its own time: taking up a new enrolment, changes of head office that take effect now, digests and repairs, the filling
//! of a replaced box, papers of the staff, and letting go of old log. One small thing a step. Never waits for head office but to fill a
//! replaced box and for papers.

use super::adoption::take_up;
use super::carrier::Way;
use super::digest::{self, Repairs};
use super::exchange::{Exchange, LOOK_EVERY, Next};
use super::papers::Papers;
use super::retention::Retention;
use super::retry::Retry;
use super::store::{self, Peer};
use super::{Enrolment, Hub, apply, mark, reseed, restore, salvage};
use crate::db::DbError;
use crate::exchange::Footing;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::time::Instant;

/// The longest rest: the wall clock may be set meanwhile.
const LONGEST: Duration = Duration::from_secs(30);

/// The pause after a step that has more to do: the guests go first.
const PACE: Duration = Duration::from_millis(50);

/// The chores loop.
pub(super) struct Chores {
    exchange: Exchange,
    /// The way to the head office of the enrolment in the data directory; none where head office was given.
    way: Option<Way>,
    /// The enrolment that was taken up last.
    taken: Option<(Uuid, String)>,
    repairs: Repairs,
    retry: Retry,
    summed: Option<Instant>,
    closed: Option<Option<Uuid>>,
    retention: Retention,
    papers: Papers,
}

impl Chores {
    pub(super) fn new(exchange: Exchange, way: Option<Way>) -> Chores {
        Chores {
            exchange,
            way,
            taken: None,
            repairs: Repairs::default(),
            retry: Retry::default(),
            summed: None,
            closed: None,
            retention: Retention::default(),
            papers: Papers::default(),
        }
    }

    pub(super) async fn step(&mut self) -> Next {
        match self.advance().await {
            Ok(next) => next,
            Err(error) => {
                self.exchange.heed(&error);
                tracing::warn!(%error, "the exchange's chores");
                let env = self.exchange.db().env().clone();
                Next::after(self.retry.next(&env, Some(Duration::from_secs(1))))
            }
        }
    }

    async fn advance(&mut self) -> Result<Next, DbError> {
        self.look_for_enrolment().await?;
        let Some((hub, peer)) = self.exchange.open().await? else {
            let more = self.retention.step(&self.exchange, None).await?;
            return Ok(Next::after(if more { PACE } else { LOOK_EVERY }));
        };
        let next_due = self.make_due_changes(&peer).await?;
        if let Some(next) = digest::repair_one(&self.exchange, &mut self.repairs).await? {
            return Ok(next);
        }
        if reseed::step(&self.exchange).await? {
            return Ok(Next::after(PACE));
        }
        if peer.restore.is_some() {
            return self.fill(&hub, &peer).await;
        }
        if let Err(error) = salvage::take_over(&self.exchange, &hub).await {
            tracing::warn!(%error, "what another box had could not be taken over");
        }
        if peer.standing == Footing::Normal {
            self.sum_up(&peer).await?;
        }
        if self.retention.step(&self.exchange, Some(&peer)).await? {
            return Ok(Next::after(PACE));
        }
        match self.papers.step(&self.exchange, &hub).await {
            Ok(true) => return Ok(Next::after(PACE)),
            Ok(false) => {}
            Err(error) => tracing::debug!(%error, "papers of the staff"),
        }
        self.retry.reset();
        let rest = if self.way.is_some() { LOOK_EVERY } else { LONGEST };
        Ok(Next::after(rest.min(next_due.unwrap_or(LONGEST))))
    }

    /// Applies what takes effect now, by head office's clock; how long until there is more.
    async fn make_due_changes(&self, peer: &Peer) -> Result<Option<Duration>, DbError> {
        let now = self.exchange.hub_now(peer.clock_offset_ms);
        let next = self.exchange.db().read(|from| store::find_next_due(from)).await?;
        let Some(at) = next else { return Ok(None) };
        if at > now {
            return Ok(Some(Duration::from_millis(at.since(now).unsigned_abs())));
        }
        let applied = self.exchange.db().write(move |tx| apply::apply_due(tx, now)).await?;
        self.exchange.0.revocations.revoke_all(applied.signed_out.iter().copied(), self.exchange.now());
        Ok(Some(Duration::ZERO))
    }

    /// The next page of what a replaced box still lacks.
    async fn fill(&mut self, hub: &Hub, peer: &Peer) -> Result<Next, DbError> {
        let begin = Instant::now();
        match restore::fill_one(&self.exchange, hub, peer).await? {
            Ok(()) => {
                self.retry.reset();
                // The guests go first, here and at head office.
                Ok(Next::after((begin.elapsed() / 3).max(Duration::from_millis(20))))
            }
            Err(error) => {
                tracing::debug!(%error, "filling");
                let env = self.exchange.db().env().clone();
                Ok(Next::after(self.retry.next(&env, None)))
            }
        }
    }

    /// Sums up what changed: every hour, and when a business day was closed.
    async fn sum_up(&mut self, peer: &Peer) -> Result<(), DbError> {
        let closed = self.exchange.db().read(|from| store::find_last_close(from)).await?;
        let is_closed = self.closed.is_some_and(|before| before != closed);
        let every = self.exchange.0.settings.digest_every;
        if !is_closed && self.summed.is_some_and(|at| at.elapsed() < every) {
            self.closed.get_or_insert(closed);
            return Ok(());
        }
        let (seq, now) = (peer.digest_seq, self.exchange.now());
        let changed = self.exchange.db().read(move |from| digest::changed_since(from, seq, now)).await?;
        let (buckets, seq) = changed;
        if !buckets.is_empty() {
            digest::sum_up(&self.exchange, buckets, seq).await?;
        }
        self.closed = Some(closed);
        self.summed = Some(Instant::now());
        Ok(())
    }

    /// A new enrolment in the data directory becomes this box's.
    pub(super) async fn look_for_enrolment(&mut self) -> Result<(), DbError> {
        let (Some(way), Some(folder)) = (&self.way, &self.exchange.0.folder) else { return Ok(()) };
        let found = match Enrolment::load(folder) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(()),
            Err(error) => return Err(DbError::Unavailable(format!("secrets/hub.key: {error}"))),
        };
        let is_taken =
            |(device, key): &(Uuid, String)| *device == found.device_id && key == found.key.reveal();
        if self.taken.as_ref().is_some_and(is_taken) {
            return Ok(());
        }
        let taken = (found.device_id, found.key.reveal().to_owned());
        let client = way(&found).map_err(DbError::unavailable)?;
        if self.exchange.db().write(move |tx| take_up(tx, &found)).await? {
            // It tells of a log that is no more.
            let forgotten = mark::forget(folder);
            forgotten.map_err(|error| DbError::Unavailable(format!("sync.mark: {error}")))?;
        }
        self.exchange.set_hub(Some(Hub::new(client)));
        self.taken = Some(taken);
        self.exchange.0.wake_push.notify_one();
        self.exchange.0.wake_pull.notify_one();
        Ok(())
    }
}
