//! An outlet's row as the branch's own rules read it, and back. Never decides what a setting may be.

use super::super::groups;
use super::super::rows::{Columns, Held};
use edge::db::{self, Column, Columns as _, DbError, Row, Values};
use edge::resources::outlets::OutletView;
use edge::resources::outlets::rules::OutletRow;
use rusqlite::types::ValueRef;
use serde_json::Value;
use std::borrow::Cow;
use tiffin_common::Uuid;

/// Columns that may be empty: in a row without them they are, and not as old as the row.
const MAY_BE_EMPTY: [&str; 4] = ["address", "phone", "tax_id", "licence_number"];

/// The columns of `row` over those of `under`, which is whole.
pub fn over(under: &Columns, row: &Columns) -> Columns {
    let mut whole = under.clone();
    if let Some(table) = groups::table() {
        for number in MAY_BE_EMPTY.iter().filter_map(|name| table.column(name)) {
            whole.remove(&number);
        }
    }
    whole.extend(row.iter().map(|(number, value)| (*number, value.clone())));
    whole
}

/// The outlet that a row is.
///
/// # Errors
/// A row that lacks something, as one from before an upgrade may.
pub fn outlet(id: Uuid, columns: &Columns) -> db::Result<OutletRow> {
    let mut names = Vec::new();
    OutletRow::names(&mut names);
    OutletRow::read(&Row::of(&Given { id: Held::Id(id), names, columns }))
}

/// The outlet as clients of the branch see it.
///
/// # Errors
/// As [`outlet`].
pub fn view(id: Uuid, columns: &Columns) -> db::Result<Value> {
    let view = OutletView::from(outlet(id, columns)?);
    serde_json::to_value(view).map_err(|error| DbError::Other(error.to_string()))
}

/// The `wanted` columns of an outlet.
///
/// # Errors
/// What JSON cannot say.
pub fn columns(outlet: &OutletRow, wanted: &[&str]) -> db::Result<Columns> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    OutletRow::names(&mut names);
    outlet.values(&mut values)?;
    let mut columns = Columns::new();
    let Some(table) = groups::table() else { return Ok(columns) };
    for (name, value) in names.into_iter().zip(&values).filter(|(name, _)| wanted.contains(name)) {
        let held = match rusqlite::types::ToSql::to_sql(value)? {
            rusqlite::types::ToSqlOutput::Borrowed(value) => held(value)?,
            rusqlite::types::ToSqlOutput::Owned(value) => held(ValueRef::from(&value))?,
            _ => return Err(DbError::Other(format!("the value of {name} cannot be kept"))),
        };
        columns.extend(table.column(name).map(|number| (number, held)));
    }
    Ok(columns)
}

fn held(value: ValueRef<'_>) -> db::Result<Held> {
    let value =
        tiffin_common::frame::Value::try_from(value).map_err(|error| DbError::Other(error.to_string()))?;
    Ok(Held::from(value))
}

/// A row that no database holds.
struct Given<'a> {
    id: Held,
    names: Vec<&'static str>,
    columns: &'a Columns,
}

impl Values for Given<'_> {
    fn value(&self, wanted: Column<'_>) -> db::Result<ValueRef<'_>> {
        let name = match wanted {
            Column::Place(place) => self.names.get(place).copied().unwrap_or_default(),
            Column::Name(name) => name,
        };
        if name == "id" {
            return Ok(self.id.as_sql());
        }
        let number = groups::table().and_then(|table| table.column(name));
        let value = number.and_then(|number| self.columns.get(&number));
        Ok(value.unwrap_or(&Held::Null).as_sql())
    }

    fn name(&self, place: usize) -> Option<Cow<'_, str>> {
        self.names.get(place).map(|name| Cow::Borrowed(*name))
    }
}
