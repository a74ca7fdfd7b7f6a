//! Sends the change log to head office: from where head office says it stands, in pieces that fit the link, again and again until
//! it is confirmed. Only head office's answer says what is confirmed. Never changes a row of the branch.

use super::exchange::{Exchange, LOOK_EVERY, Next};
use super::greeting;
use super::mark::{self, Mark};
use super::retry::Retry;
use super::review_lane::{self, Review};
use super::store::{self, Ack, LogRow, Peer};
use super::trouble::Trouble;
use super::{Hub, HubError, digest, life, recovery, reseed};
use crate::db::{DbError, Source, Tx};
use crate::exchange::Footing;
use std::time::Duration;
use tiffin_common::frame::{Hash, Kind, Ops, Position};
use tiffin_common::sync::batch::{self, Batch, Dictionary};
use tiffin_common::sync::{At, Class, Pacing, PushReply, Refused, RefusedReason, Standing};
use tokio::sync::watch;
use tokio::time::Instant;

/// The size of a body, in bytes: it begins in the middle and follows the link.
const SMALLEST: usize = 4 * 1024;
const FIRST: usize = 64 * 1024;
const LARGEST: usize = 1024 * 1024;

/// Log rows are several times larger than what becomes of them on the wire.
const SHRINKS: usize = 4;

/// Most rows of one body.
const MOST_ROWS: usize = 8_192;

/// Rows behind which a box has caught up: what it sends then is live.
const LIVE: i64 = 256;

/// A piece that took longer than this was too large.
const SLOW: Duration = Duration::from_secs(8);
const FAST: Duration = Duration::from_secs(2);

/// How long to wait when there is nothing to send, and when head office wants nothing from this box.
const IDLE: Duration = Duration::from_secs(30);
const SHUT_OUT: Duration = Duration::from_secs(120);

/// Payments and refunds are sent at once.
const URGENT: [u16; 2] = [78, 79];

/// Since the last hello.
#[derive(Debug, Clone, Copy)]
struct Session {
    /// The last row that head office holds.
    from: i64,
    pacing: Pacing,
    /// What both know to pack with.
    dictionary: Dictionary,
    /// Whether what is sent is only kept there for review.
    salvage: bool,
}

/// The push loop.
pub(super) struct Push {
    exchange: Exchange,
    session: Option<Session>,
    retry: Retry,
    /// How many bytes the next body should have.
    target: usize,
    unsaved: Option<Ack>,
    saved: Option<Instant>,
    /// Whether the last row sent or seen was urgent is asked of rows after this one.
    seen: i64,
    /// What head office said of its comparisons, as far as it is kept.
    compared: digest::Told,
    /// What the review lane has.
    review: Review,
    /// The last attempt failed and nothing wakes it again: a known bug, see `Bugs`.
    stuck: bool,
}

impl Push {
    pub(super) fn new(exchange: Exchange) -> Push {
        Push {
            exchange,
            session: None,
            retry: Retry::default(),
            target: FIRST,
            unsaved: None,
            saved: None,
            seen: 0,
            review: Review::default(),
            compared: digest::Told::default(),
            stuck: false,
        }
    }

    /// One request at most, or two where it has to say hello first.
    pub(super) async fn step(&mut self) -> Next {
        if self.exchange.0.settings.bugs.no_retry_timer() && std::mem::take(&mut self.stuck) {
            return Next { after: Duration::from_secs(86_400), nudge: true };
        }
        let open = match self.exchange.open().await {
            Ok(open) => open,
            Err(error) => return self.failed(Trouble::Db(error)).await,
        };
        let Some((hub, peer)) = open else { return Next::after(LOOK_EVERY) };
        match self.advance(&hub, &peer).await {
            Ok(next) => next,
            Err(trouble) => self.failed(trouble).await,
        }
    }

    /// Waits as `next` says. A commit that is a reason to go on waits a moment for others, unless money was paid.
    pub(super) async fn rest(&mut self, next: Next, commits: &mut watch::Receiver<u64>) {
        let commit = async {
            if !next.nudge || commits.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = tokio::time::sleep(next.after) => return,
            () = commit => {}
        }
        if !self.is_urgent().await {
            tokio::time::sleep(self.exchange.0.settings.coalesce).await;
        }
        commits.mark_unchanged();
    }

    /// Whether a row after the last one looked at holds a payment.
    async fn is_urgent(&mut self) -> bool {
        let after = self.seen;
        let look = move |from: &dyn Source| -> Result<(bool, i64), DbError> {
            let head = store::find_head(from)?.map_or(0, |head| head.seq);
            let rows = store::list_after(from, after.max(head - 16), 256 * 1024, 16)?;
            let pays = |row: &LogRow| {
                matches!(row.header.kind, Kind::Data | Kind::Proposal)
                    && Ops::of(&row.body).flatten().any(|op| URGENT.contains(&op.table))
            };
            Ok((rows.iter().any(pays), head))
        };
        let Ok((urgent, head)) = self.exchange.db().read(look).await else { return false };
        self.seen = head;
        urgent
    }

    async fn advance(&mut self, hub: &Hub, peer: &Peer) -> Result<Next, Trouble> {
        let session = match self.session.filter(|_| !self.exchange.is_to_greet()) {
            Some(session) => session,
            None => self.greet(hub, peer).await?,
        };
        let Some(piece) = self.piece(session).await? else {
            self.keep().await?;
            if session.salvage {
                self.session = None;
                return Ok(Next::after(SHUT_OUT));
            }
            let after = if self.unsaved.is_some() { self.exchange.0.settings.keep_every } else { IDLE };
            return Ok(Next { after, nudge: true });
        };
        let began = Instant::now();
        let sent = piece.last;
        let is_alone = piece.rows == 1;
        let answer = hub.push(piece.body, piece.class).await;
        let took = began.elapsed();
        match answer {
            Ok(reply) => {
                self.confirmed(session, sent, &reply).await?;
                self.target = match took {
                    took if took < FAST => self.target.saturating_mul(2),
                    took if took > SLOW => self.target / 2,
                    _ => self.target,
                }
                .clamp(SMALLEST, LARGEST);
                let gap = Duration::from_millis(reply.pacing.min_gap_ms.into());
                let is_live = piece.class == Class::Live;
                Ok(Next::after(if is_live { Duration::ZERO } else { gap.min(Duration::from_secs(60)) }))
            }
            Err(error) => {
                if matches!(error, HubError::Offline(_) | HubError::TooLarge) {
                    self.target = (self.target / 2).max(SMALLEST);
                }
                if error == HubError::TooLarge && !is_alone {
                    self.target = (piece.size / 2).max(SMALLEST);
                    self.session = Some(session);
                    return Ok(Next::at_once());
                }
                Err(error.into())
            }
        }
    }

    /// Says hello; head office answers where it stands, and what has to be done before it takes anything.
    async fn greet(&mut self, hub: &Hub, peer: &Peer) -> Result<Session, Trouble> {
        let hello = greeting::greet(&self.exchange, hub, peer).await?;
        // It said so before now: the difference is this much at least, and nothing that takes effect later is early by it.
        let offset = hello.wall.since(self.exchange.now());
        self.exchange.hear_time(hello.wall);
        if let Some(watch) = &self.exchange.db().env().watch {
            watch.hear(hello.wall);
        }
        self.exchange.db().write(move |tx| store::set_hello(tx, offset)).await.map_err(Trouble::Db)?;
        life::heed(&self.exchange, &hello).await?;
        let (pacing, dictionary) = (hello.pacing, Dictionary::among(&hello.dictionaries));
        let mut salvage = false;
        let from = match &hello.standing {
            Standing::Normal => self.known(hello.cursor).await?,
            Standing::LostSuffix { ancestor, lost_to } => {
                let lost_to = Position::from(*lost_to);
                if peer.recovered != Some((lost_to.seq, lost_to.hash)) {
                    self.exchange.stand(Footing::Recovering).await?;
                    let ancestor = ancestor.map(Position::from);
                    recovery::recover(&self.exchange, hub, ancestor, lost_to, dictionary).await?;
                    self.exchange.0.wake_pull.notify_one();
                }
                self.known(*ancestor).await?
            }
            Standing::Fork => {
                self.exchange.stand(Footing::Fork).await?;
                salvage = true;
                self.review.begin(peer.acked_to())
            }
        };
        if !salvage && peer.standing != Footing::Normal && peer.restore.is_none() {
            self.exchange.stand(Footing::Normal).await?;
        }
        if !salvage && peer.lacking_since.is_some() {
            self.exchange.db().write(|tx| store::set_lacking(tx, None)).await.map_err(Trouble::Db)?;
        }
        if hello.feed > peer.feed {
            self.exchange.0.wake_pull.notify_one();
        }
        let session = Session { from, pacing, dictionary, salvage };
        self.session = Some(session);
        Ok(session)
    }

    /// The number of a row that both have.
    async fn known(&self, cursor: Option<At>) -> Result<i64, Trouble> {
        let look = move |from: &dyn Source| -> Result<Option<(i64, bool)>, DbError> {
            let seq = cursor.map_or(0, |at| at.seq);
            let wanted = cursor.map_or(Hash::START, |at| at.hash.0);
            let is_kept = store::find_first_kept(from)?.is_none_or(|first| first <= seq + 1);
            let is_known = store::find_hash(from, seq)? == Some(wanted);
            Ok((is_known || !is_kept).then_some((seq, is_kept)))
        };
        match self.exchange.db().read(look).await? {
            Some((seq, true)) => Ok(seq),
            Some((_, false)) => Err(Trouble::Gone),
            None => Err(Trouble::Nonsense("its cursor is no row of this log")),
        }
    }

    /// The next rows, encoded; none when there are none.
    async fn piece(&self, session: Session) -> Result<Option<Piece>, Trouble> {
        let bytes =
            self.target.min(usize::try_from(session.pacing.max_bytes).unwrap_or(LARGEST).max(SMALLEST));
        let look = move |from: &dyn Source| -> Result<Option<Piece>, DbError> {
            let frames = store::list_after(from, session.from, bytes * SHRINKS, MOST_ROWS)?;
            let head = store::find_head(from)?.filter(|head| head.seq >= session.from);
            let head = head.ok_or_else(|| DbError::Unavailable("the log has begun anew".into()))?;
            let Some(last) = frames.last() else { return Ok(None) };
            let class = match session.salvage {
                true => Class::Salvage,
                false if head.seq - session.from <= LIVE => Class::Live,
                false => Class::Backlog,
            };
            let (last, rows) = (last.header.seq, frames.len());
            let previous = store::find_hash(from, session.from)?.unwrap_or(Hash::START);
            let body = batch::encode_with(&Batch { previous, frames }, session.dictionary)
                .map_err(DbError::unavailable)?;
            Ok(Some(Piece { size: body.len(), body, class, last, rows }))
        };
        Ok(self.exchange.db().read(look).await?)
    }

    /// Head office has confirmed: the rows up to its cursor are durable there.
    async fn confirmed(&mut self, session: Session, sent: i64, reply: &PushReply) -> Result<(), Trouble> {
        if session.salvage {
            let told = (session.from, sent, reply.cursor);
            let from = review_lane::hear(&self.exchange, &mut self.review, told).await?;
            self.session = Some(Session { from, ..session });
            self.retry.reset();
            return Ok(());
        }
        let Some(cursor) = reply.cursor else { return Err(Trouble::Nonsense("it confirms nothing")) };
        let from = self.known(Some(cursor)).await?;
        if from <= session.from || from > sent {
            return Err(Trouble::Nonsense("its cursor does not move with what is sent"));
        }
        self.exchange.hear_time(reply.wall);
        self.session = Some(Session { from, pacing: reply.pacing, ..session });
        self.retry.reset();
        self.unsaved = Some(Ack { position: cursor.into(), at: self.exchange.now() });
        self.keep().await?;
        digest::verdict(&self.exchange, &mut self.compared, &reply.bad, reply.agreed_at).await?;
        let feed = reply.feed;
        let held = self.exchange.open().await?.map_or(0, |(_, peer)| peer.feed);
        if feed > held {
            self.exchange.0.wake_pull.notify_one();
        }
        Ok(())
    }

    /// Keeps what was confirmed, now and then: it costs a commit.
    async fn keep(&mut self) -> Result<(), Trouble> {
        let recent = self.saved.is_some_and(|at| at.elapsed() < self.exchange.0.settings.keep_every);
        let Some(ack) = self.unsaved.filter(|_| !recent) else { return Ok(()) };
        let deletes = self.exchange.0.settings.bugs.ack_deletes_log();
        let saved = move |tx: &Tx<'_>| -> Result<_, DbError> {
            store::set_acked(tx, &ack)?;
            if deletes {
                store::delete_confirmed(tx, ack.position.seq, 1 << 40)?;
            }
            store::list_counters(tx)
        };
        let counters = self.exchange.db().write(saved).await?;
        self.unsaved = None;
        self.saved = Some(Instant::now());
        let Some(folder) = self.exchange.0.folder.clone() else { return Ok(()) };
        let kept = Mark { acked: ack.position.into(), counters };
        let write = move || mark::save(&folder, &kept);
        let written = match self.exchange.db().env().inline {
            true => write(),
            false => tokio::task::spawn_blocking(write).await.unwrap_or(Ok(())),
        };
        if let Err(error) = written {
            tracing::warn!(%error, "how far the log has come could not be kept beside the database");
        }
        Ok(())
    }

    /// What a failure means, and when to go on. Whatever it was, the next attempt begins with a hello.
    async fn failed(&mut self, trouble: Trouble) -> Next {
        let drained = self.session.take().is_some_and(|session| session.salvage);
        self.stuck = true;
        let env = self.exchange.db().env().clone();
        let after = match &trouble {
            Trouble::Hub(error) => {
                tracing::debug!(%error, "push");
                self.exchange.reached(Some(error)).await;
                match error {
                    HubError::Busy { retry_after } => self.retry.next(&env, *retry_after),
                    HubError::Refused(Refused { reason: RefusedReason::Fork, .. }) => {
                        self.shut_out(Footing::Fork, drained).await
                    }
                    HubError::Fenced => self.shut_out(Footing::Fenced, drained).await,
                    HubError::Unauthorized => self.shut_out(Footing::Revoked, drained).await,
                    HubError::TooOld => self.shut_out(Footing::TooOld, drained).await,
                    _ => self.retry.next(&env, None),
                }
            }
            Trouble::Db(error) => {
                self.exchange.heed(error);
                tracing::warn!(%error, "push");
                self.retry.next(&env, None)
            }
            Trouble::Nonsense(_) => {
                tracing::warn!(%trouble, "push");
                self.retry.next(&env, Some(Duration::from_secs(1)))
            }
            Trouble::Gone if self.exchange.0.settings.bugs.lack_is_silent() => self.retry.next(&env, None),
            Trouble::Gone => {
                let told = self.exchange.db().write(reseed::note_lacking).await;
                told.unwrap_or_else(|error| tracing::warn!(%error, "push"));
                SHUT_OUT + self.retry.next(&env, None)
            }
        };
        Next::after(after)
    }

    /// Head office takes nothing from this box as it is. What a fenced or forked box still has goes to the review lane.
    /// Whatever failed before it was told so; but what goes there and is refused waits.
    async fn shut_out(&mut self, standing: Footing, drained: bool) -> Duration {
        let kept = self.exchange.stand(standing).await;
        kept.unwrap_or_else(|error| tracing::warn!(%error, "the standing could not be kept"));
        let wait = self.retry.next(self.exchange.db().env(), None);
        if !matches!(standing, Footing::Fenced | Footing::Fork) {
            return SHUT_OUT + wait;
        }
        if !drained {
            let acked = self.exchange.open().await.ok().flatten().map_or(0, |(_, peer)| peer.acked_to());
            let pacing = Pacing { max_bytes: 256 * 1024, min_gap_ms: 1_000 };
            self.session = Some(Session {
                from: self.review.begin(acked),
                pacing,
                // It has not greeted.
                dictionary: Dictionary::NONE,
                salvage: true,
            });
            return wait;
        }
        SHUT_OUT + wait
    }
}

/// Rows ready to be sent.
struct Piece {
    body: Vec<u8>,
    size: usize,
    class: Class,
    last: i64,
    rows: usize,
}
