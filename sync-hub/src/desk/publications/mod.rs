//! What was published: rows of `hub_publications` and what hangs on them, at head office's own outlet. The only texts that write them.

mod audience;
mod describe;
mod retention;

pub use audience::audience;

use super::HQ;
use super::catalogue::{Catalogue, inverse};
use super::parts;
use super::rows::{self, RowChange, pack, unpack};
use crate::store::StoreError;
use edge::db::{Columns, Row, Source, Sql, list, one, opt};
use edge::http::{Page, Paging};
use edge::{insert, select, table, updated};
use rusqlite::params;
use std::collections::BTreeSet;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// What is published.
    pub enum Kind {
        /// Changes of some rows.
        Edit = "EDIT",
        /// The whole catalogue, as it is.
        Catalogue = "CATALOGUE",
        /// What the catalogue took from an outlet, which has it already.
        Import = "IMPORT",
        /// Settings of outlets.
        Settings = "SETTINGS",
    }
}

/// A publication that is being made.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Its id.
    pub id: Uuid,
    /// What it is.
    pub kind: Kind,
    /// With the whole catalogue: whether the staff go along.
    pub people: bool,
    /// When it is made.
    pub made_at: Millis,
    /// Who makes it.
    pub made_by: (Uuid, String),
    /// When it takes effect; none for at once.
    pub effective_at: Option<Millis>,
    /// The outlets it was made for; none: all it concerns.
    pub named: Option<Vec<Uuid>>,
    /// The settings it brings: a change of each outlet's own row, which no row of the catalogue stands for.
    pub settings: Option<RowChange>,
}

words! {
    /// How far a publication has come at an outlet.
    #[schemars(rename = "PublicationState")]
    pub enum Progress {
        /// Not yet in the outlet's feed.
        Pending = "PENDING",
        /// In the outlet's feed: its box gets it with its next pull.
        Delivered = "DELIVERED",
        /// The box has it: its own log says so.
        Arrived = "ARRIVED",
        /// It is in force there.
        Effective = "EFFECTIVE",
        /// Taken back before it took effect.
        Cancelled = "CANCELLED",
        /// It could not be put into the outlet's feed.
        Refused = "REFUSED",
    }
}

table! {
    /// A change of the catalogue on its way to the outlets.
    pub struct Publication: hub_publications {
        /// Its id.
        pub id: Uuid,
        /// Its place in the order in which publications reach each outlet.
        pub number: i64,
        /// What it is.
        pub kind: Kind,
        /// With the whole catalogue: whether the staff go along.
        pub people: bool,
        /// When it was made.
        pub made_at: Millis,
        /// Who made it.
        pub made_by: String => made_by_name,
        /// When it takes effect, if not at once.
        pub effective_at: Option<Millis>,
        /// When it was taken back.
        pub cancelled_at: Option<Millis>,
        /// Who took it back.
        pub cancelled_by: Option<String> => cancelled_by_name,
        /// What changed, for people: `{"total", "shown": [...]}`.
        pub changes: String,
    }
}

table! {
    /// How far a publication has come at one outlet.
    pub struct Target: hub_publication_targets {
        /// The outlet.
        pub outlet: Uuid => target_id,
        /// How far.
        pub progress: Progress => state,
        /// When it came into the outlet's feed.
        pub delivered_at: Option<Millis>,
        /// When it was seen to have arrived.
        pub arrived_at: Option<Millis>,
        /// When it came into force there.
        pub effective_at: Option<Millis>,
        /// Why not.
        pub refusal: Option<String>,
    }
}

/// The publication.
pub fn find(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<Publication>> {
    opt(from, select!(Publication, "WHERE outlet_id = ?1 AND id = ?2"), [HQ, id], Publication::read)
}

/// A page of publications, the newest first.
pub fn page(from: &dyn Source, Paging { limit, offset }: Paging) -> edge::db::Result<Page<Publication>> {
    let sql = select!(Publication, "WHERE outlet_id = ?1 ORDER BY number DESC LIMIT ?2 OFFSET ?3");
    let items = list(from, sql, (HQ, limit, offset), Publication::read)?;
    let total =
        one(from, "SELECT count(*) FROM hub_publications WHERE outlet_id = ?1", [HQ], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// Where a publication goes, and how far it has come.
pub fn targets(from: &dyn Source, id: Uuid) -> edge::db::Result<Vec<Target>> {
    let sql = select!(Target, "WHERE outlet_id = ?1 AND publication_id = ?2 ORDER BY target_id");
    list(from, sql, [HQ, id], Target::read)
}

/// A publication that waits to be put into an outlet's feed, to arrive, or to take effect.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// The outlet.
    pub outlet: Uuid,
    /// The publication.
    pub publication: Uuid,
    /// How far it has come.
    pub progress: Progress,
    /// Whether it is to be taken back.
    pub cancelled: bool,
}

/// What is to be done, for all outlets or one, in the order in which it is to be done.
pub fn open(from: &dyn Source, outlet: Option<Uuid>) -> edge::db::Result<Vec<Open>> {
    let condition = if outlet.is_some() { "AND t.target_id = ?2" } else { "" };
    let sql = format!(
        "SELECT t.target_id, t.publication_id, t.state, p.cancelled_at FROM hub_publication_targets t
           JOIN hub_publications p ON p.outlet_id = t.outlet_id AND p.id = t.publication_id
         WHERE t.outlet_id = ?1 AND t.state IN ('PENDING', 'DELIVERED', 'ARRIVED') {condition}
         ORDER BY t.target_id, t.number"
    );
    let read = |row: &Row<'_>| {
        Ok(Open {
            outlet: row.get("target_id")?,
            publication: row.get("publication_id")?,
            progress: row.get("state")?,
            cancelled: row.get::<_, Option<Millis>>("cancelled_at")?.is_some(),
        })
    };
    match outlet {
        Some(outlet) => list(from, &sql, [HQ, outlet], read),
        None => list(from, &sql, [HQ], read),
    }
}

/// The changes of a publication, and the same the other way round.
///
/// # Errors
/// Bytes that cannot be read.
pub fn changes(from: &dyn Source, id: Uuid) -> Result<(Vec<RowChange>, Vec<RowChange>), StoreError> {
    let sql = "SELECT ops, undo FROM hub_publications WHERE outlet_id = ?1 AND id = ?2";
    let read = |row: &Row<'_>| Ok((row.get::<_, Vec<u8>>("ops")?, row.get::<_, Vec<u8>>("undo")?));
    let (ops, undo) = one(from, sql, [HQ, id], read)?;
    Ok((unpack(&ops)?, unpack(&undo)?))
}

/// Publications that are not part of the catalogue as `of` means it at `now`: later ones, and earlier ones that take effect later. The
/// newest first.
pub fn not_yet(from: &dyn Source, of: &Publication, now: Millis) -> edge::db::Result<Vec<Uuid>> {
    let sql =
        "SELECT id FROM hub_publications WHERE outlet_id = ?1 AND cancelled_at IS NULL AND kind = 'EDIT'
                 AND (number > ?2 OR (number < ?2 AND effective_at > ?3)) ORDER BY number DESC";
    list(from, sql, (HQ, of.number, of.effective_at.unwrap_or(now)), |row| row.get(0))
}

/// The rows that `changes` touch, as they are now.
pub fn before(from: &dyn Source, changes: &[RowChange]) -> edge::db::Result<Catalogue> {
    let of_catalogue = changes.iter().filter(|change| parts::part(change.table).is_some());
    let mut keys: Vec<(&'static Table, Uuid)> =
        of_catalogue.map(|change| (change.table, change.id)).collect();
    keys.sort_unstable_by_key(|(table, id)| (table.no, *id));
    keys.dedup();
    let mut found = Vec::new();
    for (table, id) in keys {
        if let Some((_, columns)) = rows::read(from, table, Some(("id", id)))?.pop() {
            found.push(RowChange { table, kind: OpKind::Insert, id, columns });
        }
    }
    let mut before = Catalogue::default();
    before.undo(&[], &found);
    Ok(before)
}

/// Keeps a publication of `changes`, which were made on the rows as they were `before`.
pub fn insert(
    sql: &dyn Sql,
    draft: &Draft,
    targets: &[Uuid],
    changes: &[RowChange],
    before: &Catalogue,
) -> Result<i64, StoreError> {
    let last = "SELECT coalesce(max(number), 0) FROM hub_publications WHERE outlet_id = ?1";
    let number: i64 = one(sql, last, [HQ], |row| row.get::<_, i64>(0))? + 1;
    let shown = describe::describe(sql, changes, before)?.to_string();
    let meant: &[RowChange] = if draft.kind == Kind::Import { &[] } else { changes };
    insert!(
        sql,
        hub_publications {
            outlet_id: HQ,
            id: draft.id,
            number: number,
            kind: draft.kind,
            people: draft.people,
            to_all: draft.named.is_none(),
            made_at: draft.made_at,
            made_by: draft.made_by.0,
            made_by_name: draft.made_by.1,
            effective_at: draft.effective_at,
            ops: pack(meant),
            undo: pack(&inverse(meant, before)),
            changes: shown,
        }
    )?;
    // What was taken from one outlet is not meant for it alone, but people are.
    let is_named = |change: &&RowChange| {
        parts::part(change.table).is_some_and(|part| draft.kind != Kind::Import || part.people)
    };
    let rows: BTreeSet<(u16, Uuid)> =
        changes.iter().filter(is_named).map(|change| (change.table.no, change.id)).collect();
    for (table, row) in rows {
        insert!(
            sql,
            hub_publication_rows { outlet_id: HQ, table_no: table, row_id: row, publication_id: draft.id }
        )?;
    }
    for target in targets {
        insert!(
            sql,
            hub_publication_targets {
                outlet_id: HQ,
                publication_id: draft.id,
                target_id: target,
                number: number
            }
        )?;
    }
    Ok(number)
}

/// Marks a publication as taken back.
pub fn cancel(sql: &dyn Sql, id: Uuid, at: Millis, by: &str) -> edge::db::Result<usize> {
    updated!(
        sql,
        hub_publications { cancelled_at: at, cancelled_by_name: by }
            where { outlet_id: HQ, id: id; "cancelled_at IS NULL" }
    )
}

/// Notes how far a publication has come at an outlet. Never goes back.
pub fn note(sql: &dyn Sql, id: Uuid, target: &Target) -> edge::db::Result<usize> {
    sql.execute(
        "UPDATE hub_publication_targets SET state = ?4, delivered_at = coalesce(delivered_at, ?5),
           arrived_at = coalesce(arrived_at, ?6), effective_at = coalesce(effective_at, ?7), refusal = ?8
         WHERE outlet_id = ?1 AND publication_id = ?2 AND target_id = ?3
           AND state NOT IN ('EFFECTIVE', 'CANCELLED', 'REFUSED')",
        params![
            HQ,
            id,
            target.outlet,
            target.progress,
            target.delivered_at,
            target.arrived_at,
            target.effective_at,
            target.refusal
        ],
    )
}
