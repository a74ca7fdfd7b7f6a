//! What a publication changed, in words and values for people. Never shows a secret.

use super::super::catalogue::Catalogue;
use super::super::groups::Group;
use super::super::parts::{self, KEPT_APART, Part};
use super::super::rows::{self, Held, RowChange};
use crate::store::StoreError;
use edge::db::Source;
use serde_json::{Map, Value, json};
use tiffin_common::frame::OpKind;

/// Changes that a publication shows by name; it counts all.
const SHOWN: usize = 200;

/// Columns whose values nobody is shown.
const SECRET: [&str; 2] = ["password_hash", "pin_hash"];

/// What changed, for people: `{"total", "shown": [{"table", "rowId", "name", "change", "columns"}]}`.
pub(super) fn describe(
    from: &dyn Source,
    changes: &[RowChange],
    before: &Catalogue,
) -> Result<Value, StoreError> {
    let mut shown = Vec::new();
    for change in changes.iter().take(SHOWN) {
        let what = match change.kind {
            OpKind::Insert => "CREATED",
            OpKind::Update => "CHANGED",
            OpKind::Delete => "REMOVED",
        };
        let former = before.get(change.table, change.id);
        let mut columns = Map::new();
        for (number, value) in &change.columns {
            let Some(name) = change.table.columns.get(*number).copied() else { continue };
            if KEPT_APART.contains(&name) || ["created_at", "updated_at"].contains(&name) {
                continue;
            }
            let to = if SECRET.contains(&name) { json!(true) } else { value.json() };
            let from = former.and_then(|row| row.get(number)).filter(|_| !SECRET.contains(&name));
            columns.insert(name.to_owned(), json!({"from": from.map(Held::json), "to": to}));
        }
        shown.push(json!({
            "table": change.table.name, "rowId": change.id, "name": name_of(from, change, former, 3)?, "change": what,
            "columns": columns,
        }));
    }
    Ok(json!({"total": changes.len(), "shown": shown}))
}

/// What people call a row: its name, or that of what it belongs to.
fn name_of(
    from: &dyn Source,
    change: &RowChange,
    former: Option<&rows::Columns>,
    depth: u32,
) -> Result<Option<String>, StoreError> {
    if let Some(group) = Group::of_change(change) {
        return Ok(Some(group.name().to_owned()));
    }
    let value = |name: &str| {
        let column = change.table.column(name)?;
        change.columns.get(&column).or_else(|| former?.get(&column)).cloned()
    };
    if let Some(Held::Text(name)) = value("name") {
        return Ok(Some(name));
    }
    let Some(part) = parts::part(change.table) else { return Ok(None) };
    for (name, target) in part.refs.iter().rev() {
        let (Some(id), Some(table), true) = (
            value(name).and_then(|held| held.id()),
            parts::part_named(target).and_then(Part::table),
            depth > 0,
        ) else {
            continue;
        };
        if let Some((id, columns)) = rows::read(from, table, Some(("id", id)))?.pop() {
            let row = RowChange { table, kind: OpKind::Insert, id, columns };
            return name_of(from, &row, None, depth - 1);
        }
    }
    Ok(None)
}
