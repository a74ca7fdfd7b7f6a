//! The catalogue taken from a branch that has one, and a publication taken back: changes of the catalogue that no handler makes.

use super::catalogue::{Catalogue, is_live};
use super::deliver::tie;
use super::edit::{Caller, Errand, Wish};
use super::mapping::{Link, Mapping};
use super::place::AtHeadOffice;
use super::post::{Answer, Reach};
use super::publications::{self, Kind, Publication};
use super::rows::{self, Columns, Held, RowChange};
use super::{Desk, DeskError};
use crate::store::Stores;
use edge::db::{Source, list};
use edge::http::{Code, Problem};
use std::collections::HashMap;
use std::sync::Arc;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;
use tiffin_common::{Millis, Uuid};

/// The rows of a branch, and the catalogue's row for each that has one.
struct Branch {
    rows: Catalogue,
    known: HashMap<(u16, Uuid), Uuid>,
}

impl Desk {
    /// Adds to the catalogue what an outlet has and the catalogue does not; answers how many rows were added. What both have under the same
    /// name stays as the catalogue has it, and is tied together.
    pub(super) async fn import(
        &self,
        who: &Caller,
        outlet: Uuid,
        people: bool,
        answer: impl FnOnce(usize) -> Result<Answer, DeskError>,
    ) -> Result<(Answer, bool), DeskError> {
        self.hub().create_outlet(super::HQ).await?;
        let look = move |stores: &Stores| stores.read_outlet_blocking(outlet, |from| branch(from, outlet));
        let branch = Arc::new(self.hub().stores().run(look).await?);
        let counted = Arc::clone(&branch);
        let added = self.at_head_office(move |from| Ok(additions(from, &counted, people)?.0.len())).await?;
        let wish = Wish { effective_at: None, outlets: Some(vec![outlet]) };
        let publication = (self.draft(who, &wish, Kind::Import), Reach::default());
        let import = publication.0.id;
        let answer = Answer { publication: Some(import), ..answer(added)? };
        let errand = Errand { publication: Some(publication), cancels: None, answer };
        let made = Arc::clone(&branch);
        let done = self.write(who, &errand, move |from| Ok(additions(from, &made, people)?.0)).await?;
        // The rows are there: tied to those they came from. Were this lost, they would be recognised by their names.
        let links = self.at_head_office(move |from| Ok(additions(from, &branch, people)?.1)).await?;
        let tie = move |stores: &Stores| {
            stores.outlet_blocking(outlet, |tx| {
                let links: Vec<Link> = links
                    .iter()
                    .map(|link| Link { catalogue_id: link.row_id, row_id: link.catalogue_id, ..link.clone() })
                    .collect();
                tie(tx, outlet, import, &links)
            })
        };
        self.hub().stores().run(tie).await?;
        Ok(done)
    }

    /// Takes a publication back before it takes effect, here and at its outlets.
    ///
    /// # Errors
    /// 409 when it is too late.
    pub(super) async fn cancel(
        &self,
        who: &Caller,
        publication: &Publication,
        answer: Answer,
    ) -> Result<(Answer, bool), DeskError> {
        let now = self.hub().env().clock.now();
        if publication.cancelled_at.is_none() && publication.effective_at.is_none_or(|at| at <= now) {
            let detail = "The publication is in force already: publish another change instead";
            return Err(Problem::new(Code::InvalidTransition).detail(detail).into());
        }
        let id = publication.id;
        let errand = Errand { publication: None, cancels: Some(id), answer };
        let done = self.write(who, &errand, move |from| reversal(from, id, now)).await?;
        if let Err(error) = self.deliver(None).await {
            // The loop goes on with it.
            tracing::warn!(%error, "a cancelled publication is not yet off every outlet's list");
        }
        Ok(done)
    }
}

fn branch(from: &dyn Source, outlet: Uuid) -> Result<Branch, DeskError> {
    let sql = "SELECT table_no, row_id, catalogue_id FROM hub_catalogue_links WHERE outlet_id = ?1";
    let links = list(from, sql, [outlet], |row| {
        Ok(((row.get("table_no")?, row.get("row_id")?), row.get("catalogue_id")?))
    })?;
    Ok(Branch { rows: Catalogue::read(from)?, known: links.into_iter().collect() })
}

/// What the catalogue lacks of the branch's rows, and which of them stand for which.
fn additions(
    from: &dyn Source,
    branch: &Branch,
    people: bool,
) -> Result<(Vec<RowChange>, Vec<Link>), DeskError> {
    let place = AtHeadOffice { from, known: &branch.known };
    let outcome = Mapping::new(&branch.rows, &place, None).everything(people)?;
    let made = outcome.changes.into_iter().map(|mapped| mapped.change);
    Ok((made.filter(|change| change.kind == OpKind::Insert).collect(), outcome.links))
}

/// The changes that take a publication out of the catalogue again, where nothing else has touched it since.
fn reversal(from: &dyn Source, id: Uuid, now: Millis) -> Result<Vec<RowChange>, DeskError> {
    let (made, undo) = publications::changes(from, id)?;
    let mut changes = Vec::new();
    for back in undo {
        let present = rows::read(from, back.table, Some(("id", back.id)))?.pop().map(|(_, columns)| columns);
        let change = match (back.kind, present) {
            (OpKind::Insert, None) => back,
            (OpKind::Delete, Some(row)) => withdrawal(back.table, back.id, &row, now),
            (OpKind::Update, Some(row)) => RowChange { columns: untouched(&made, &back, &row), ..back },
            _ => continue,
        };
        if change.kind != OpKind::Update || !change.columns.is_empty() {
            changes.push(change);
        }
    }
    Ok(changes)
}

/// The former values of the columns that still hold what the publication gave them.
fn untouched(made: &[RowChange], back: &RowChange, row: &Columns) -> Columns {
    let last = |number: &usize| {
        let same = |change: &&RowChange| change.table == back.table && change.id == back.id;
        made.iter().rev().filter(same).find_map(|change| change.columns.get(number))
    };
    let kept = back.columns.iter().filter(|(number, _)| {
        last(number).is_none_or(|given| given == row.get(number).unwrap_or(&Held::Null))
    });
    let version = back.table.column("version");
    let mut columns: Columns = kept.map(|(number, former)| (*number, former.clone())).collect();
    // Versions never go back.
    if let (Some(version), false) = (version, columns.is_empty()) {
        if let Some(Held::Integer(present)) = row.get(&version) {
            columns.insert(version, Held::Integer(present + 1));
        }
        if columns.len() == 1 {
            columns.clear();
        }
    }
    columns
}

/// A row that was new goes as rows of its kind go: archived, closed, or deleted where nothing can refer to it.
fn withdrawal(table: &'static Table, id: Uuid, row: &Columns, now: Millis) -> RowChange {
    let update = |name: &str, value| {
        let columns = table.column(name).map(|column| Columns::from([(column, value)]));
        columns.map(|columns| RowChange { table, kind: OpKind::Update, id, columns })
    };
    let gone = RowChange { table, kind: OpKind::Delete, id, columns: Columns::new() };
    if !is_live(table, row) {
        return RowChange { kind: OpKind::Update, ..gone };
    }
    let archived = update("archived_at", Held::Integer(now.get()));
    archived.or_else(|| update("is_active", Held::Integer(0))).unwrap_or(gone)
}
