//! Brings head office's rows down: asks, waits there until there is something new, and hands it to `apply`. Never sends a row, and
//! never waits for the push.

use super::apply::{self, Applied, Fed, Feed, Packed};
use super::exchange::{Exchange, LOOK_EVERY, Next};
use super::retry::Retry;
use super::store::Peer;
use super::trouble::Trouble;
use super::{Hub, HubError, dismissed};
use crate::db::{DbError, Tx};
use crate::exchange::Footing;
use crate::resources::outlets::{self, rules::ChainOutlet};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tiffin_common::sync::{ChainCard, PullQuery, PullReply};
use tokio::time::Instant;

/// Most pages of one answer that are put together; head office has a few thousand shared rows of an outlet.
const MOST_PAGES: usize = 2_000;

/// That a pull went well is kept at most this often when it brought nothing.
const KEEP_EVERY: Duration = Duration::from_secs(60);

/// How long to wait while the box may not ask.
const SHUT_OUT: Duration = Duration::from_secs(60);

/// An answer that took longer was held back until there was something new.
const HELD: Duration = Duration::from_secs(1);

/// How long the push gets to send what the feed waits for.
const FOR_PUSH: Duration = Duration::from_secs(1);

/// The pull loop.
pub(super) struct Pull {
    exchange: Exchange,
    retry: Retry,
    kept: Option<Instant>,
    /// How often head office had been greeted when its feed was found to be of another life.
    untold: Option<u64>,
}

impl Pull {
    pub(super) fn new(exchange: Exchange) -> Pull {
        Pull { exchange, retry: Retry::default(), kept: None, untold: None }
    }

    /// Asks once; head office may wait `poll` until there is something new.
    pub(super) async fn step(&mut self, poll: Duration) -> Next {
        let (hub, peer) = match self.exchange.open().await {
            Ok(Some(open)) => open,
            Ok(None) => return Next::after(LOOK_EVERY),
            Err(error) => return self.failed(&Trouble::Db(error)),
        };
        match peer.standing {
            // What was lost is taken back first: until then nobody knows what was edited here.
            Footing::Recovering => return Next::after(LOOK_EVERY),
            // Whoever of two boxes goes on, both hear who may no longer sign in and what things cost.
            Footing::Fork => {}
            // It may not understand what it is told.
            Footing::TooOld => return Next::after(SHUT_OUT),
            standing if standing.is_shut_out() => return self.hear_dismissed(&hub).await,
            _ => {}
        }
        match self.bring(&hub, &peer, poll).await {
            Ok(next) => next,
            Err(trouble) => self.failed(&trouble),
        }
    }

    /// A box that is no longer the branch's hears of dismissed staff alone.
    async fn hear_dismissed(&self, hub: &Hub) -> Next {
        match dismissed::hear(&self.exchange, hub).await {
            Ok(()) => {}
            Err(Trouble::Hub(error)) => tracing::debug!(%error, "who was dismissed"),
            Err(trouble) => tracing::warn!(%trouble, "who was dismissed"),
        }
        Next::after(SHUT_OUT)
    }

    async fn bring(&mut self, hub: &Hub, peer: &Peer, poll: Duration) -> Result<Next, Trouble> {
        // Who asks for the first time, or as a new program, is told what there is before it waits for more.
        let is_new = peer.feed_schema != tiffin_migrations::edge_schema_version();
        let (asked, poll) = (Instant::now(), if is_new { Duration::ZERO } else { poll });
        let greetings = self.exchange.0.greetings.load(Ordering::SeqCst);
        let feed = self.fetch(hub, peer, poll).await?;
        if self.is_untold(&feed, peer, greetings) {
            self.exchange.greet_again();
            return Ok(Next::after(self.retry.next(self.exchange.db().env(), Some(FOR_PUSH))));
        }
        // Whoever answers a long poll at once with nothing is not asked again at once.
        let is_held = !poll.is_zero() && asked.elapsed() >= HELD;
        let is_same = feed.feed == peer.feed && Some(&feed.mark) == peer.feed_mark.as_ref();
        let is_news =
            !is_same || feed.reset || !feed.rows.is_empty() || Some(feed.hub_epoch) != peer.hub_epoch;
        let recent = self.kept.is_some_and(|at| at.elapsed() < KEEP_EVERY);
        if !is_news && recent && !is_new && !self.is_other_schedule(&feed).await? {
            self.retry.reset();
            return Ok(if is_held { Next::at_once() } else { Next::after(LOOK_EVERY) });
        }
        let bugs = self.exchange.0.settings.bugs;
        if bugs.cursor_before_write() {
            let (epoch, version, mark) = (feed.hub_epoch, feed.feed, feed.mark.clone());
            let early = move |tx: &Tx<'_>| -> Result<(), DbError> {
                let schema = tiffin_migrations::edge_schema_version();
                super::store::set_feed(tx, epoch, version, &mark, schema)
            };
            self.exchange.db().write(early).await?;
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        let applied = self.exchange.db().write(move |tx| apply::apply(tx, &feed, bugs)).await?;
        Ok(self.done(&applied, poll))
    }

    /// Whether head office was put back and had not been told what this box holds of what takes effect later when it was asked for `feed`,
    /// after so many `greetings`: what it took back and has forgotten would come again, what it published and has forgotten would go.
    fn is_untold(&mut self, feed: &Feed, peer: &Peer, greetings: u64) -> bool {
        let is_other = feed.reset || peer.hub_epoch.is_some_and(|known| known != feed.hub_epoch);
        if !is_other || self.exchange.0.settings.bugs.list_before_greeting() {
            self.untold = None;
            return false;
        }
        greetings == *self.untold.get_or_insert_with(|| self.exchange.0.greetings.load(Ordering::SeqCst))
    }

    fn done(&mut self, applied: &Applied, poll: Duration) -> Next {
        let now = self.exchange.now();
        self.exchange.0.revocations.revoke_all(applied.signed_out.iter().copied(), now);
        if !applied.complete {
            // Where it was put back, the push has nothing to send as far as it knows.
            self.exchange.greet_again();
            // The push brings a decision, sooner or later.
            return Next::after(self.retry.next(self.exchange.db().env(), Some(FOR_PUSH)));
        }
        self.retry.reset();
        self.untold = None;
        self.kept = Some(Instant::now());
        self.exchange.0.wake_chores.notify_one();
        if poll.is_zero() { Next::after(LOOK_EVERY) } else { Next::at_once() }
    }

    /// All pages of an answer: the rows of one come with those they name.
    async fn fetch(&self, hub: &Hub, peer: &Peer, poll: Duration) -> Result<Feed, Trouble> {
        // A new schema may know columns that were left out before.
        let is_known = peer.feed_schema == tiffin_migrations::edge_schema_version();
        let mut query = PullQuery {
            feed: if is_known { peer.feed } else { 0 },
            mark: peer.feed_mark.clone().filter(|_| is_known),
            hub_epoch: peer.hub_epoch.filter(|_| is_known),
            wait: u32::try_from(poll.as_secs()).ok().filter(|wait| *wait > 0),
            chain: Some(peer.chain_mark.clone().unwrap_or_default()),
        };
        let mut whole: Option<Feed> = None;
        for _ in 0..MOST_PAGES {
            let mut reply = hub.pull(&query).await?;
            if let Some(chain) = reply.chain.take() {
                self.exchange.db().write(move |tx| learn(tx, chain)).await?;
            }
            let more = reply.more;
            if reply.salvage {
                self.exchange.0.salvage.store(true, Ordering::SeqCst);
                self.exchange.0.wake_chores.notify_one();
            }
            query = PullQuery {
                feed: reply.feed,
                mark: Some(reply.mark.clone()),
                hub_epoch: Some(reply.hub_epoch),
                wait: None,
                chain: None,
            };
            let page = decode(reply)?;
            whole = Some(match whole {
                // It changed its mind in between: from the beginning, then.
                Some(first) if page.reset || page.hub_epoch != first.hub_epoch => page,
                Some(mut first) => {
                    first.rows.extend(page.rows);
                    // What is decided in all pages is what is decided in the first.
                    first.decided_to = first.decided_to.min(page.decided_to);
                    Feed { rows: first.rows, reset: first.reset, decided_to: first.decided_to, ..page }
                }
                None => page,
            });
            if !more {
                break;
            }
        }
        whole.ok_or(Trouble::Nonsense("it sends no end of rows"))
    }

    async fn is_other_schedule(&self, feed: &Feed) -> Result<bool, DbError> {
        let ids: Vec<_> = feed.scheduled.iter().map(|(id, ..)| *id).collect();
        let look = move |from: &dyn crate::db::Source| super::store::is_other_schedule(from, &ids);
        self.exchange.db().read(look).await
    }

    fn failed(&mut self, trouble: &Trouble) -> Next {
        if let Trouble::Db(error) = trouble {
            self.exchange.heed(error);
        }
        let env = self.exchange.db().env().clone();
        let floor = match trouble {
            Trouble::Hub(HubError::Busy { retry_after }) => *retry_after,
            // The push loop finds out what it means, and says so.
            Trouble::Hub(HubError::Fenced | HubError::Unauthorized | HubError::TooOld) => {
                self.exchange.0.wake_push.notify_one();
                Some(SHUT_OUT)
            }
            _ => None,
        };
        match trouble {
            Trouble::Hub(error) => tracing::debug!(%error, "pull"),
            _ => tracing::warn!(%trouble, "pull"),
        }
        Next::after(self.retry.next(&env, floor))
    }
}

/// Keeps the list of the chain's outlets.
fn learn(tx: &Tx<'_>, chain: ChainCard) -> Result<(), DbError> {
    let outlets = chain.outlets.into_iter().map(|card| ChainOutlet {
        id: card.id,
        code: card.code,
        name: card.name,
        currency: card.currency,
    });
    outlets::actions::learn_chain(tx, &outlets.collect::<Vec<_>>())?;
    super::store::set_chain_mark(tx, &chain.mark)
}

fn decode(reply: PullReply) -> Result<Feed, Trouble> {
    let unpack = |text: &str| STANDARD.decode(text).map_err(|_| Trouble::Nonsense("its rows are no base64"));
    let rows = reply.rows.iter().map(|row| Ok(Fed { feed: row.feed, row: Packed(unpack(&row.op)?) }));
    let rows = rows.collect::<Result<_, Trouble>>()?;
    let later = |row: &tiffin_common::sync::ScheduledRow| Ok((row.id, row.effective_at, unpack(&row.op)?));
    let scheduled = reply.scheduled.iter().map(later).collect::<Result<_, Trouble>>()?;
    Ok(Feed {
        hub_epoch: reply.hub_epoch,
        reset: reply.reset,
        decided_to: reply.decided_to,
        rows,
        scheduled,
        feed: reply.feed,
        mark: reply.mark,
    })
}
