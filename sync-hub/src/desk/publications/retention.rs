//! Publications that have been over everywhere for long: they go, with what was kept about them at their outlets. To whom a row of the
//! catalogue was published by name stays known. Never lets go of one that somebody still waits for, nor of a later one than that.

use super::targets;
use crate::desk::{Desk, DeskError, HQ, parts};
use crate::store::{StoreError, Stores};
use edge::db::{Columns, Row, Source, Sql, list};
use edge::{insert, select, table};
use std::collections::BTreeMap;
use tiffin_common::registry;
use tiffin_common::{Millis, Uuid};

/// Publications that go in one unit of work.
const MOST: i64 = 50;

/// Stands for all outlets that there were.
const EVERYBODY: Uuid = Uuid::max();

/// Stands for no outlet: said once of every row, so that one which went nowhere by name is known to have been published.
const NOBODY: Uuid = Uuid::nil();

table! {
    /// What is needed of a publication that goes.
    struct Old: hub_publications {
        id: Uuid,
        number: i64,
        to_all: bool,
    }
}

/// An outlet, and a publication that went there.
type Place = (Uuid, Uuid);

impl Desk {
    /// Lets go of some of what was published, and over everywhere, before `before`; answers how many publications and places of
    /// publications went.
    ///
    /// # Errors
    /// The store's. What went is gone, and the rest goes the next time.
    pub async fn let_go(&self, before: Millis) -> Result<usize, DeskError> {
        let go = move |stores: &Stores| match let_go(stores, before) {
            // Nothing was published yet.
            Err(StoreError::NoOutlet) => Ok(0),
            gone => gone,
        };
        Ok(self.hub().stores().run(go).await?)
    }
}

fn let_go(stores: &Stores, before: Millis) -> Result<usize, StoreError> {
    let (over, places, again) = stores.read_outlet_blocking(HQ, |from| -> Result<_, StoreError> {
        let (over, again) = (over(from, before)?, superseded(from, before)?);
        let mut places = again.clone();
        for old in &over {
            places.extend(targets(from, old.id)?.into_iter().map(|target| (target.outlet, old.id)));
        }
        Ok((over, places, again))
    })?;
    let gone = over.len() + again.len();
    if gone == 0 {
        return Ok(0);
    }
    // First at the outlets: head office asks none of them about a publication that is over.
    let mut by_outlet: BTreeMap<Uuid, Vec<Uuid>> = BTreeMap::new();
    for (outlet, publication) in &places {
        by_outlet.entry(*outlet).or_default().push(*publication);
    }
    for (outlet, publications) in by_outlet {
        match stores.outlet_blocking(outlet, |tx| forget_deliveries(&*tx, outlet, &publications)) {
            Ok(()) | Err(StoreError::NoOutlet) => {}
            Err(error) => return Err(error),
        }
    }
    stores.outlet_blocking(HQ, |tx| -> Result<(), StoreError> {
        over.iter().try_for_each(|old| forget(&*tx, old))?;
        Ok(forget_places(&*tx, &again)?)
    })?;
    Ok(gone)
}

/// Changes of rows that were over everywhere before then, and nothing that was published earlier is open: what is put into a feed late is
/// worked out from all that came after it.
fn over(from: &dyn Source, before: Millis) -> edge::db::Result<Vec<Old>> {
    let sql = select!(
        Old,
        "WHERE outlet_id = ?1 AND kind <> 'CATALOGUE' AND made_at < ?2 AND coalesce(effective_at, 0) < ?2
           AND number < coalesce((SELECT min(number) FROM hub_publication_targets
             WHERE outlet_id = ?1 AND state IN ('PENDING', 'DELIVERED', 'ARRIVED')), 9223372036854775807)
         ORDER BY number LIMIT ?3"
    );
    list(from, sql, (HQ, before, MOST), Old::read)
}

/// Where the whole catalogue went before then, and went again since.
fn superseded(from: &dyn Source, before: Millis) -> edge::db::Result<Vec<Place>> {
    const SUPERSEDED: &str = "SELECT t.target_id, t.publication_id FROM hub_publications p
          JOIN hub_publication_targets t ON t.outlet_id = p.outlet_id AND t.publication_id = p.id
        WHERE p.outlet_id = ?1 AND p.kind = 'CATALOGUE' AND p.made_at < ?2 AND t.state IN ('EFFECTIVE', 'CANCELLED', 'REFUSED')
          AND EXISTS (SELECT 1 FROM hub_publications q
            JOIN hub_publication_targets u ON u.outlet_id = q.outlet_id AND u.publication_id = q.id
            WHERE q.outlet_id = p.outlet_id AND q.kind = 'CATALOGUE' AND q.people >= p.people AND q.number > p.number
              AND u.target_id = t.target_id)
        ORDER BY p.number LIMIT ?3";
    list(from, SUPERSEDED, (HQ, before, MOST), |row| Ok((row.get("target_id")?, row.get("publication_id")?)))
}

/// To whom a row was published by publications that went: the number of the first of them, whether it went to all there were, and an
/// outlet that it went to by name.
pub(super) fn audience_before(
    from: &dyn Source,
    table: u16,
    row: Uuid,
) -> edge::db::Result<Vec<(i64, bool, Option<Uuid>)>> {
    const BEFORE: &str = "SELECT number, target_id FROM hub_audiences
        WHERE outlet_id = ?1 AND table_no = ?2 AND row_id = ?3";
    list(from, BEFORE, (HQ, i64::from(table), row), |row| {
        let target: Uuid = row.get("target_id")?;
        let named = Some(target).filter(|target| ![NOBODY, EVERYBODY].contains(target));
        Ok((row.get("number")?, target == EVERYBODY, named))
    })
}

/// Keeps to whom its rows went, and deletes the publication.
fn forget(sql: &dyn Sql, old: &Old) -> Result<(), StoreError> {
    const ROWS: &str = "SELECT table_no, row_id FROM hub_publication_rows
        WHERE outlet_id = ?1 AND publication_id = ?2 ORDER BY table_no, row_id";
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>("table_no")?, row.get::<_, Uuid>("row_id")?));
    let outlets: Vec<Uuid> = targets(sql, old.id)?.into_iter().map(|target| target.outlet).collect();
    for (table, row) in list(sql, ROWS, [HQ, old.id], read)? {
        let part = u16::try_from(table).ok().and_then(registry::table).and_then(parts::part);
        let everybody = old.to_all && !part.is_some_and(|part| part.people);
        let to = if everybody { &[EVERYBODY][..] } else { &outlets };
        for target in to.iter().chain([&NOBODY]) {
            insert!(
                sql,
                hub_audiences {
                    outlet_id: HQ,
                    table_no: table,
                    row_id: row,
                    target_id: target,
                    number: old.number
                },
                "ON CONFLICT (outlet_id, table_no, row_id, target_id) DO NOTHING"
            )?;
        }
    }
    const GO: [&str; 3] = [
        "DELETE FROM hub_publication_rows WHERE outlet_id = ?1 AND publication_id = ?2",
        "DELETE FROM hub_publication_targets WHERE outlet_id = ?1 AND publication_id = ?2",
        "DELETE FROM hub_publications WHERE outlet_id = ?1 AND id = ?2",
    ];
    Ok(GO.iter().try_for_each(|text| sql.execute(text, &[&HQ, &old.id]).map(drop))?)
}

/// Deletes where the whole catalogue went, and its publications that are nowhere any more.
fn forget_places(sql: &dyn Sql, places: &[Place]) -> edge::db::Result<()> {
    const PLACE: &str = "DELETE FROM hub_publication_targets
        WHERE outlet_id = ?1 AND publication_id = ?2 AND target_id = ?3";
    const EMPTY: &str = "DELETE FROM hub_publications WHERE outlet_id = ?1 AND id = ?2 AND kind = 'CATALOGUE'
        AND NOT EXISTS (SELECT 1 FROM hub_publication_targets t WHERE t.outlet_id = ?1 AND t.publication_id = ?2)";
    for (outlet, publication) in places {
        sql.execute(PLACE, &[&HQ, publication, outlet])?;
        sql.execute(EMPTY, &[&HQ, publication])?;
    }
    Ok(())
}

fn forget_deliveries(sql: &dyn Sql, outlet: Uuid, publications: &[Uuid]) -> Result<(), StoreError> {
    const GO: &str = "DELETE FROM hub_deliveries WHERE outlet_id = ?1 AND publication_id = ?2";
    Ok(publications.iter().try_for_each(|publication| sql.execute(GO, &[&outlet, publication]).map(drop))?)
}
