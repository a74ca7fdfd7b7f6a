//! Puts publications into the feeds of their outlets, each in one unit of work of the outlet that is done once whoever does it, and
//! notes how far they have come. Never holds up an edit, and never waits for a branch.

use super::catalogue::Catalogue;
use super::mapping::{Link, Lookup, Mapped, Mapping, Outcome};
use super::place::At;
use super::publications::{self, Kind, Open, Progress, Publication, Target};
use super::rows::{self, RowChange, pack};
use super::{Desk, DeskError, HQ, settings};
use crate::hub::HubError;
use crate::merge::{self, Edit, Scheduled};
use crate::store::{OutletTx, StoreError, Stores, Wake};
use edge::db::{Source, list, opt};
use edge::insert;
use rusqlite::params;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::{Millis, Uuid};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

/// How often everything is looked at even if nobody calls: for what takes effect at its time, and after a failure.
const ROUND: Duration = Duration::from_secs(20);

/// A publication with what it means to every outlet.
struct Loaded {
    publication: Publication,
    changes: Vec<RowChange>,
    catalogue: Arc<Catalogue>,
}

impl Desk {
    /// Puts publications into feeds as they are made, and notes their arrival, until `stopping` turns true.
    pub async fn run(self, mut stopping: watch::Receiver<bool>) {
        let mut wakes = self.hub().stores().store().wakes();
        // One clock for all rounds: chains that never pause would put off each new one.
        let mut rounds = tokio::time::interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut whole, mut touched) = (false, None);
        loop {
            if whole || touched.is_some() {
                let only = if whole { None } else { touched };
                if let Err(error) = self.deliver(only).await {
                    tracing::warn!(%error, "publications could not be delivered; trying again");
                }
            }
            (whole, touched) = tokio::select! {
                heard = wakes.recv() => match heard {
                    Ok(Wake::Registry) => (true, None),
                    Ok(Wake::Pushed(HQ)) => (false, None),
                    Ok(Wake::Pushed(outlet)) => (false, self.is_awaited(outlet).then_some(outlet)),
                    Ok(Wake::Feed(_) | Wake::Parcels(_)) => (false, None),
                    Err(RecvError::Lagged(_)) => (true, None),
                    Err(RecvError::Closed) => return,
                },
                _ = rounds.tick() => (true, None),
                _ = stopping.changed() => (false, None),
            };
            if *stopping.borrow() {
                return;
            }
        }
    }

    /// Does what is to be done now, for all outlets or for one.
    ///
    /// # Errors
    /// The last failure; what could be done is done.
    pub async fn deliver(&self, outlet: Option<Uuid>) -> Result<(), DeskError> {
        let hub = self.hub().clone();
        let open = hub
            .stores()
            .run(move |stores| {
                stores.read_outlet_blocking(HQ, |from| {
                    publications::open(from, outlet).map_err(DeskError::from)
                })
            })
            .await;
        let open = match open {
            Err(DeskError::Store(StoreError::NoOutlet)) => Vec::new(),
            open => open?,
        };
        self.await_outlets(outlet, open.iter().map(|open| open.outlet));
        let mut loaded: HashMap<Uuid, Arc<Loaded>> = HashMap::new();
        let mut failure = None;
        let mut by_outlet: BTreeMap<Uuid, Vec<Open>> = BTreeMap::new();
        for open in open {
            by_outlet.entry(open.outlet).or_default().push(open);
        }
        for (outlet, publications) in by_outlet {
            if let Err(error) = self.advance(outlet, publications, &mut loaded).await {
                tracing::warn!(%outlet, %error, "an outlet's publications wait");
                failure = Some(error);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Takes one outlet's open publications as far as they come, in their order.
    async fn advance(
        &self,
        outlet: Uuid,
        open: Vec<Open>,
        loaded: &mut HashMap<Uuid, Arc<Loaded>>,
    ) -> Result<(), DeskError> {
        for Open { publication: id, progress, cancelled, .. } in open {
            if cancelled {
                let at = self.hub().at(outlet);
                self.unit(outlet, move |tx| take_back(tx, &at, id)).await?;
            } else if progress == Progress::Pending {
                let publication = match loaded.get(&id) {
                    Some(publication) => Arc::clone(publication),
                    None => {
                        let publication = Arc::new(self.load(id).await?);
                        loaded.insert(id, Arc::clone(&publication));
                        publication
                    }
                };
                let at = self.hub().at(outlet);
                match self.unit(outlet, move |tx| materialise(tx, &at, &publication)).await {
                    Err(DeskError::Hub(HubError::Invalid(why))) => {
                        // The publications after it must not wait for ever.
                        tracing::error!(%outlet, publication = %id, why, "a publication cannot be delivered");
                        let now = self.hub().env().clock.now();
                        self.unit(outlet, move |tx| refuse(tx, outlet, id, &why, now)).await?;
                    }
                    put => put?,
                }
            }
            let now = self.hub().env().clock.now();
            let target = self.hub().stores().run(move |stores| look(stores, outlet, id, now)).await?;
            if target.progress != progress {
                self.note(id, target).await?;
            }
        }
        Ok(())
    }

    /// A unit of work at an outlet that may bring its feed something new.
    async fn unit(
        &self,
        outlet: Uuid,
        work: impl FnOnce(&mut dyn OutletTx) -> Result<bool, DeskError> + Send + 'static,
    ) -> Result<(), DeskError> {
        let stores = self.hub().stores();
        if stores.run(move |stores| stores.outlet_blocking(outlet, work)).await? {
            stores.store().wake(Wake::Feed(outlet));
        }
        Ok(())
    }

    async fn note(&self, id: Uuid, target: Target) -> Result<(), DeskError> {
        let note = move |stores: &Stores| {
            stores.outlet_blocking(HQ, |tx| Ok(publications::note(&*tx, id, &target).map(drop)?))
        };
        self.hub().stores().run(note).await
    }

    async fn load(&self, id: Uuid) -> Result<Loaded, DeskError> {
        let now = self.hub().env().clock.now();
        self.hub()
            .stores()
            .run(move |stores| {
                stores.read_outlet_blocking(HQ, |from| -> Result<_, DeskError> {
                    let publication =
                        publications::find(from, id)?.ok_or(DeskError::NotFound("publication"))?;
                    let (changes, _) = publications::changes(from, id)?;
                    let mut catalogue = Catalogue::read(from)?;
                    for later in publications::not_yet(from, &publication, now)? {
                        let (made, undo) = publications::changes(from, later)?;
                        catalogue.undo(&made, &undo);
                    }
                    Ok(Loaded { publication, changes, catalogue: Arc::new(catalogue) })
                })
            })
            .await
    }
}

/// The unit of work of one publication at one outlet; answers whether the feed has something new.
fn materialise(tx: &mut dyn OutletTx, at: &merge::Desk, loaded: &Loaded) -> Result<bool, DeskError> {
    let Loaded { publication, changes, catalogue } = loaded;
    let outlet = at.outlet;
    let known = "SELECT 1 FROM hub_deliveries WHERE outlet_id = ?1 AND publication_id = ?2";
    if opt(&*tx, known, [outlet, publication.id], |_| Ok(()))?.is_some() {
        return Ok(false);
    }
    let now = at.env.clock.now();
    let from = publication.effective_at.filter(|effective| *effective > now);
    let outcome = {
        let place = At { outlet, from: &*tx };
        let mapping = Mapping::new(catalogue, &place, from);
        match publication.kind {
            Kind::Edit => mapping.changes(changes)?,
            Kind::Catalogue => mapping.everything(publication.people)?,
            Kind::Import => Outcome::default(),
            Kind::Settings => settings::at_outlet(changes, outlet, from),
        }
    };
    tie(tx, outlet, publication.id, &outcome.links)?;
    let later = |mapped: &&Mapped| mapped.from.is_some_and(|from| from > now);
    let editor = &publication.made_by;
    let entries: Vec<Scheduled> = outcome
        .changes
        .iter()
        .filter(later)
        .map(|mapped| Scheduled {
            id: at.env.ids.next(now),
            effective_at: mapped.from.unwrap_or(now),
            change: pack([&mapped.change]),
            editor: editor.clone(),
            publication: Some(publication.id),
        })
        .collect();
    let at_once = outcome.changes.iter().filter(|mapped| !later(mapped)).map(|mapped| &mapped.change);
    let edit = Edit {
        changes: pack(at_once),
        editor: editor.clone(),
        publication: Some(publication.id),
        // Meant for then, whatever happened until it was put here.
        made_at: Some(publication.effective_at.filter(|at| *at <= now).unwrap_or(publication.made_at)),
        ..Edit::default()
    };
    let mut feed = 0;
    if !edit.changes.is_empty() {
        feed = merge::set_master(tx, at, &edit)?.feed;
    }
    if !entries.is_empty() {
        feed = feed.max(merge::schedule(tx, at, &entries)?.feed);
    }
    insert!(
        &*tx,
        hub_deliveries {
            outlet_id: outlet,
            publication_id: publication.id,
            feed: feed,
            effective_at: from,
            delivered_at: now,
            state: Progress::Delivered,
        }
    )?;
    Ok(!outcome.changes.is_empty())
}

/// Notes that a publication cannot be put into an outlet's feed.
fn refuse(
    tx: &mut dyn OutletTx,
    outlet: Uuid,
    publication: Uuid,
    why: &str,
    now: Millis,
) -> Result<bool, DeskError> {
    insert!(
        &*tx,
        hub_deliveries {
            outlet_id: outlet,
            publication_id: publication,
            feed: 0,
            delivered_at: now,
            state: Progress::Refused,
            refusal: why,
        },
        "ON CONFLICT (outlet_id, publication_id) DO NOTHING"
    )?;
    Ok(false)
}

/// Remembers which rows stand for which.
pub(super) fn tie(
    tx: &mut dyn OutletTx,
    outlet: Uuid,
    publication: Uuid,
    links: &[Link],
) -> Result<(), DeskError> {
    for link in links {
        insert!(
            &*tx,
            hub_catalogue_links {
                outlet_id: outlet,
                table_no: link.table,
                catalogue_id: link.catalogue_id,
                row_id: link.row_id,
                from_at: link.from,
                publication_id: publication,
            },
            "ON CONFLICT (outlet_id, table_no, catalogue_id) DO NOTHING"
        )?;
    }
    Ok(())
}

/// How far a publication has come, by the outlet's own rows.
fn look(stores: &Stores, outlet: Uuid, id: Uuid, now: Millis) -> Result<Target, DeskError> {
    stores.read_outlet_blocking(outlet, |from| {
        let mut target = Target {
            outlet,
            progress: Progress::Pending,
            delivered_at: None,
            arrived_at: None,
            effective_at: None,
            refusal: None,
        };
        let sql = "SELECT feed, effective_at, delivered_at, state, refusal FROM hub_deliveries
                   WHERE outlet_id = ?1 AND publication_id = ?2";
        let delivery = opt(from, sql, [outlet, id], |row| {
            target.delivered_at = row.get("delivered_at")?;
            target.refusal = row.get("refusal")?;
            Ok((row.get("feed")?, row.get::<_, Option<Millis>>("effective_at")?, row.get("state")?))
        })?;
        let Some((feed, effective_at, state)) = delivery else { return Ok(target) };
        target.progress = state;
        if state != Progress::Delivered {
            return Ok(target);
        }
        let standings = merge::standings(from, outlet)?;
        if standings.arrived < feed {
            return Ok(target);
        }
        target.progress = Progress::Arrived;
        target.arrived_at = Some(now);
        let in_force = match effective_at {
            None => true,
            Some(at) => at <= now && is_in_force(from, outlet, id)?,
        };
        if in_force {
            target.progress = Progress::Effective;
            target.effective_at = Some(effective_at.unwrap_or(now));
        }
        Ok(target)
    })
}

/// Whether every scheduled change of a publication was made here, and the branch's own rows are as head office has them where it touched
/// them: as it made them, or as somebody made them since.
fn is_in_force(from: &dyn Source, outlet: Uuid, id: Uuid) -> Result<bool, DeskError> {
    let sql = "SELECT op, applied_at FROM hub_scheduled WHERE outlet_id = ?1 AND publication = ?2";
    let entries = list(from, sql, [outlet, id], |row| {
        Ok((row.get::<_, Vec<u8>>("op")?, row.get::<_, Option<Millis>>("applied_at")?))
    })?;
    let place = At { outlet, from };
    for (packed, applied_at) in entries {
        if applied_at.is_none() {
            return Ok(false);
        }
        for change in rows::unpack(&packed)? {
            let row = rows::read(from, change.table, Some(("id", change.id)))?.pop();
            let same = match (place.row(change.table, change.id)?, row) {
                (None, None) => true,
                (Some(master), Some((_, row))) => change
                    .columns
                    .keys()
                    .filter(|column| is_compared(&change, **column))
                    .all(|column| master.get(column) == row.get(column)),
                _ => false,
            };
            if !same {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn is_compared(change: &RowChange, column: usize) -> bool {
    let name = change.table.columns.get(column).copied().unwrap_or_default();
    !["version", "updated_at", "created_at"].contains(&name)
}

/// Takes a cancelled publication off an outlet's list; one that is not on it never gets there. Answers whether the feed has something new.
fn take_back(tx: &mut dyn OutletTx, at: &merge::Desk, id: Uuid) -> Result<bool, DeskError> {
    let (outlet, now) = (at.outlet, at.env.clock.now());
    let sql = "SELECT id FROM hub_scheduled WHERE outlet_id = ?1 AND publication = ?2";
    let entries = list(&*tx, sql, [outlet, id], |row| row.get::<_, Uuid>(0))?;
    let taken = if entries.is_empty() { 0 } else { merge::unschedule(tx, at, &entries)?.changed };
    insert!(
        &*tx,
        hub_deliveries {
            outlet_id: outlet,
            publication_id: id,
            feed: 0,
            delivered_at: now,
            state: Progress::Cancelled,
        },
        "ON CONFLICT (outlet_id, publication_id) DO UPDATE SET state = excluded.state"
    )?;
    let rows = "DELETE FROM hub_catalogue_links WHERE outlet_id = ?1 AND publication_id = ?2 AND from_at IS NOT NULL";
    tx.execute(rows, params![outlet, id])?;
    Ok(taken > 0)
}
