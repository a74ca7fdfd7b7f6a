//! What was published: rows of `hub_publications` and what hangs on them, at head office's own outlet. The only texts that write them.

mod audience;
mod describe;

pub use audience::audience;

use super::HQ;
use super::catalogue::{Catalogue, inverse};
use super::parts;
use super::rows::{self, RowChange, pack, unpack};
use crate::store::StoreError;
use edge::db::{Row, Source, Sql, list, one, opt};
use rusqlite::params;
use std::collections::BTreeSet;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;
use tiffin_common::{Millis, Uuid};

/// What is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Changes of some rows.
    Edit,
    /// The whole catalogue, as it is.
    Catalogue,
    /// What the catalogue took from an outlet, which has it already.
    Import,
}

impl Kind {
    /// As it is kept and shown.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Edit => "EDIT",
            Kind::Catalogue => "CATALOGUE",
            Kind::Import => "IMPORT",
        }
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
}

/// How far a publication has come at an outlet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "PublicationState")]
pub enum Progress {
    /// Not yet in the outlet's feed.
    Pending,
    /// In the outlet's feed: its box gets it with its next pull.
    Delivered,
    /// The box has it: its own log says so.
    Arrived,
    /// It is in force there.
    Effective,
    /// Taken back before it took effect.
    Cancelled,
    /// It could not be put into the outlet's feed.
    Refused,
}

impl Progress {
    const ALL: [(Progress, &'static str); 6] = [
        (Progress::Pending, "PENDING"),
        (Progress::Delivered, "DELIVERED"),
        (Progress::Arrived, "ARRIVED"),
        (Progress::Effective, "EFFECTIVE"),
        (Progress::Cancelled, "CANCELLED"),
        (Progress::Refused, "REFUSED"),
    ];

    /// As it is kept and shown.
    pub fn name(self) -> &'static str {
        Progress::ALL.iter().find(|(known, _)| *known == self).map_or("PENDING", |(_, name)| name)
    }

    fn of_name(name: &str) -> Progress {
        Progress::ALL.iter().find(|(_, known)| *known == name).map_or(Progress::Pending, |(known, _)| *known)
    }
}

/// A change of the catalogue on its way to the outlets.
#[derive(Debug, Clone)]
pub struct Publication {
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
    pub made_by: String,
    /// When it takes effect, if not at once.
    pub effective_at: Option<Millis>,
    /// When it was taken back.
    pub cancelled_at: Option<Millis>,
    /// Who took it back.
    pub cancelled_by: Option<String>,
    /// What changed, for people: `{"total", "shown": [...]}`.
    pub changes: String,
}

/// How far a publication has come at one outlet.
#[derive(Debug, Clone)]
pub struct Target {
    /// The outlet.
    pub outlet: Uuid,
    /// How far.
    pub progress: Progress,
    /// When it came into the outlet's feed.
    pub delivered_at: Option<Millis>,
    /// When it was seen to have arrived.
    pub arrived_at: Option<Millis>,
    /// When it came into force there.
    pub effective_at: Option<Millis>,
    /// Why not.
    pub refusal: Option<String>,
}

const COLUMNS: &str =
    "id, number, kind, people, made_at, made_by_name, effective_at, cancelled_at, cancelled_by_name, changes
  FROM hub_publications";

fn read(row: &Row<'_>) -> edge::db::Result<Publication> {
    let kind: String = row.get(2)?;
    Ok(Publication {
        id: row.get(0)?,
        number: row.get(1)?,
        kind: match kind.as_str() {
            "CATALOGUE" => Kind::Catalogue,
            "IMPORT" => Kind::Import,
            _ => Kind::Edit,
        },
        people: row.get::<_, i64>(3)? != 0,
        made_at: row.get(4)?,
        made_by: row.get(5)?,
        effective_at: row.get(6)?,
        cancelled_at: row.get(7)?,
        cancelled_by: row.get(8)?,
        changes: row.get(9)?,
    })
}

/// The publication.
pub fn find(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<Publication>> {
    opt(from, &format!("SELECT {COLUMNS} WHERE outlet_id = ?1 AND id = ?2"), [HQ, id], read)
}

/// Publications, the newest first, and how many there are.
pub fn page(from: &dyn Source, limit: u32, offset: u32) -> edge::db::Result<(Vec<Publication>, i64)> {
    let sql = format!("SELECT {COLUMNS} WHERE outlet_id = ?1 ORDER BY number DESC LIMIT ?2 OFFSET ?3");
    let found = list(from, &sql, (HQ, limit, offset), read)?;
    let total =
        one(from, "SELECT count(*) FROM hub_publications WHERE outlet_id = ?1", [HQ], |row| row.get(0))?;
    Ok((found, total))
}

/// Where a publication goes, and how far it has come.
pub fn targets(from: &dyn Source, id: Uuid) -> edge::db::Result<Vec<Target>> {
    let sql = "SELECT target_id, state, delivered_at, arrived_at, effective_at, refusal FROM hub_publication_targets
               WHERE outlet_id = ?1 AND publication_id = ?2 ORDER BY target_id";
    list(from, sql, [HQ, id], |row| {
        Ok(Target {
            outlet: row.get(0)?,
            progress: Progress::of_name(&row.get::<_, String>(1)?),
            delivered_at: row.get(2)?,
            arrived_at: row.get(3)?,
            effective_at: row.get(4)?,
            refusal: row.get(5)?,
        })
    })
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
            outlet: row.get(0)?,
            publication: row.get(1)?,
            progress: Progress::of_name(&row.get::<_, String>(2)?),
            cancelled: row.get::<_, Option<Millis>>(3)?.is_some(),
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
    let (ops, undo): (Vec<u8>, Vec<u8>) = one(from, sql, [HQ, id], |row| Ok((row.get(0)?, row.get(1)?)))?;
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
    let mut keys: Vec<(&'static Table, Uuid)> =
        changes.iter().map(|change| (change.table, change.id)).collect();
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
    sql.execute(
        "INSERT INTO hub_publications (outlet_id, id, number, kind, people, to_all, made_at, made_by, made_by_name,
           effective_at, ops, undo, changes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            HQ,
            draft.id,
            number,
            draft.kind.name(),
            i64::from(draft.people),
            i64::from(draft.named.is_none()),
            draft.made_at,
            draft.made_by.0,
            draft.made_by.1,
            draft.effective_at,
            pack(meant),
            pack(&inverse(meant, before)),
            shown
        ],
    )?;
    // What was taken from one outlet is not meant for it alone, but people are.
    let is_named = |change: &&RowChange| {
        draft.kind != Kind::Import || parts::part(change.table).is_some_and(|part| part.people)
    };
    let rows: BTreeSet<(u16, Uuid)> =
        changes.iter().filter(is_named).map(|change| (change.table.no, change.id)).collect();
    for (table, row) in rows {
        sql.execute(
            "INSERT INTO hub_publication_rows (outlet_id, table_no, row_id, publication_id) VALUES (?1, ?2, ?3, ?4)",
            params![HQ, i64::from(table), row, draft.id],
        )?;
    }
    for target in targets {
        sql.execute(
            "INSERT INTO hub_publication_targets (outlet_id, publication_id, target_id, number) VALUES (?1, ?2, ?3, ?4)",
            params![HQ, draft.id, target, number],
        )?;
    }
    Ok(number)
}

/// Marks a publication as taken back.
pub fn cancel(sql: &dyn Sql, id: Uuid, at: Millis, by: &str) -> edge::db::Result<usize> {
    sql.execute(
        "UPDATE hub_publications SET cancelled_at = ?3, cancelled_by_name = ?4
         WHERE outlet_id = ?1 AND id = ?2 AND cancelled_at IS NULL",
        params![HQ, id, at, by],
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
            target.progress.name(),
            target.delivered_at,
            target.arrived_at,
            target.effective_at,
            target.refusal
        ],
    )
}
