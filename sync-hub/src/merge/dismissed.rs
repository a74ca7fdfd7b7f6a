//! Who of the staff may not sign in any more, for a box that head office takes nothing from: what takes a right away, and nothing that a
//! stranger with the box could read of anybody. Never writes.

use super::error::HubError;
use super::rows::{self, Cell, Image};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use edge::db::{Source, list};
use tiffin_common::Uuid;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::{self, Table};
use tiffin_common::sync::Dismissed;

/// What head office says of the outlet's staff.
pub fn dismissed(from: &dyn Source, outlet: Uuid) -> Result<Dismissed, HubError> {
    const ROWS: &str =
        "SELECT row_id, row FROM hub_master WHERE outlet_id = ?1 AND table_no = ?2 ORDER BY row_id";
    let mut changes = Vec::new();
    for table in ["employees", "accounts", "account_outlets"].into_iter().filter_map(registry::table_named) {
        let held: Vec<(Uuid, Vec<u8>)> =
            list(from, ROWS, (outlet, table.no), |row| Ok((row.get("row_id")?, row.get("row")?)))?;
        for (id, packed) in held {
            let op = rows::one_op(&packed)?;
            let held = (op.kind != OpKind::Delete).then(|| Image::of_op(table, &op));
            changes.extend(taken_away(table, id, held.as_ref()).map(|change| STANDARD.encode(change)));
        }
    }
    Ok(Dismissed { changes })
}

/// The change that takes a right away, if head office did; `held` is its row, none where it was deleted.
fn taken_away(table: &'static Table, id: Uuid, held: Option<&Image>) -> Option<Vec<u8>> {
    let get = |name: &str| Some(held?.get(table.column(name)?).clone());
    let mut change = Image::default();
    match table.name {
        "accounts" if get("is_active").is_none_or(|active| active == Cell::Integer(0)) => {
            change.put(table, "is_active", Cell::Integer(0));
        }
        "employees" => {
            let ended = Cell::Text("ENDED".into());
            let archived = get("archived_at").filter(|at| *at != Cell::Null);
            if held.is_some() && archived.is_none() && get("status") != Some(ended.clone()) {
                return None;
            }
            change.put(table, "status", ended);
            archived.into_iter().for_each(|at| change.put(table, "archived_at", at));
        }
        "account_outlets" if held.is_none() => return Some(rows::packed_delete(table, id)),
        _ => return None,
    }
    Some(change.packed_update(table, id))
}
