//! An outlet as the mapping of a publication asks about it, and head office's own outlet as an import asks about it. Only looks.

use super::mapping::{Link, Lookup};
use super::rows::{self, Columns, Held};
use crate::store::StoreError;
use edge::db::{Source, each, list, opt};
use std::collections::HashMap;
use tiffin_common::Uuid;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;

/// An outlet's rows within a transaction.
pub struct At<'a> {
    /// The outlet.
    pub outlet: Uuid,
    /// Its rows.
    pub from: &'a dyn Source,
}

impl Lookup for At<'_> {
    type Error = StoreError;

    fn outlet(&self) -> Uuid {
        self.outlet
    }

    fn link(&self, table: &'static Table, catalogue_id: Uuid) -> Result<Option<Link>, StoreError> {
        let sql = "SELECT row_id, from_at FROM hub_catalogue_links
                   WHERE outlet_id = ?1 AND table_no = ?2 AND catalogue_id = ?3";
        let params = (self.outlet, i64::from(table.no), catalogue_id);
        Ok(opt(self.from, sql, params, |row| {
            Ok(Link { table: table.no, catalogue_id, row_id: row.get("row_id")?, from: row.get("from_at")? })
        })?)
    }

    fn is_linked(&self, table: &'static Table, row_id: Uuid) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM hub_catalogue_links WHERE outlet_id = ?1 AND table_no = ?2 AND row_id = ?3";
        let params = (self.outlet, i64::from(table.no), row_id);
        Ok(opt(self.from, sql, params, |_| Ok(()))?.is_some())
    }

    fn row(&self, table: &'static Table, id: Uuid) -> Result<Option<Columns>, StoreError> {
        let sql =
            "SELECT row, deleted FROM hub_master WHERE outlet_id = ?1 AND table_no = ?2 AND row_id = ?3";
        let params = (self.outlet, i64::from(table.no), id);
        let master = opt(self.from, sql, params, |row| {
            Ok((row.get::<_, Vec<u8>>("row")?, row.get::<_, bool>("deleted")?))
        })?;
        match master {
            Some((_, true)) => Ok(None),
            Some((packed, false)) => {
                let row = rows::unpack(&packed)?.pop().filter(|change| change.kind == OpKind::Insert);
                Ok(row.map(|change| change.columns))
            }
            None => Ok(rows::read(self.from, table, Some(("id", id)))?.pop().map(|(_, columns)| columns)),
        }
    }

    fn alike(
        &self,
        table: &'static Table,
        values: &[(&'static str, Held)],
        archived: bool,
    ) -> Result<Vec<Uuid>, StoreError> {
        alike(self.from, table, values, archived)
    }
}

fn alike(
    from: &dyn Source,
    table: &'static Table,
    values: &[(&'static str, Held)],
    archived: bool,
) -> Result<Vec<Uuid>, StoreError> {
    let mut conditions: Vec<String> = Vec::new();
    for (place, (name, value)) in (1..).zip(values) {
        conditions.push(match value {
            Held::Text(_) => format!("lower(trim(\"{name}\")) = lower(trim(?{place}))"),
            _ => format!("\"{name}\" = ?{place}"),
        });
    }
    if !archived && table.column("archived_at").is_some() {
        conditions.push("archived_at IS NULL".to_owned());
    }
    let sql =
        format!("SELECT id FROM \"{}\" WHERE {} ORDER BY id LIMIT 200", table.name, conditions.join(" AND "));
    Ok(list(from, &sql, each(values.iter().map(|(_, value)| value)), |row| row.get(0))?)
}

/// Head office's own outlet, as the rows of a branch are taken into it.
pub struct AtHeadOffice<'a> {
    /// Its rows.
    pub from: &'a dyn Source,
    /// The catalogue's row for each row of the branch that has one: table and row.
    pub known: &'a HashMap<(u16, Uuid), Uuid>,
}

impl Lookup for AtHeadOffice<'_> {
    type Error = StoreError;

    fn outlet(&self) -> Uuid {
        super::HQ
    }

    fn link(&self, table: &'static Table, catalogue_id: Uuid) -> Result<Option<Link>, StoreError> {
        let row = self.known.get(&(table.no, catalogue_id));
        Ok(row.map(|row| Link { table: table.no, catalogue_id, row_id: *row, from: None }))
    }

    fn is_linked(&self, table: &'static Table, row_id: Uuid) -> Result<bool, StoreError> {
        Ok(self.known.iter().any(|((no, _), row)| *no == table.no && *row == row_id))
    }

    fn row(&self, table: &'static Table, id: Uuid) -> Result<Option<Columns>, StoreError> {
        Ok(rows::read(self.from, table, Some(("id", id)))?.pop().map(|(_, columns)| columns))
    }

    fn alike(
        &self,
        table: &'static Table,
        values: &[(&'static str, Held)],
        archived: bool,
    ) -> Result<Vec<Uuid>, StoreError> {
        alike(self.from, table, values, archived)
    }
}
