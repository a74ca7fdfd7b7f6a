//! What follows when rows came from elsewhere: what is derived from them is made anew, and who lost a right is signed out. Never
//! writes a row that head office owns.

use super::store;
use crate::access::Actor;
use crate::db::{DbError, Tx};
use crate::log::{RowKey, Touched};
use crate::resources::{auth, employees, inventory, menu, shifts};
use std::collections::BTreeSet;
use tiffin_common::Uuid;
use tiffin_common::registry;

/// Tables by which a menu is read.
const MENU: &[&str] = &[
    "outlets",
    "tax_categories",
    "menu_categories",
    "menu_items",
    "modifier_groups",
    "modifier_options",
    "menu_item_modifier_groups",
    "combo_components",
    "combo_options",
    "menu_prices",
    "menu_availability",
    "price_lists",
    "price_list_entries",
];

/// Tables from which the needs of a portion are worked out.
const KITCHEN: &[&str] =
    &["outlets", "menu_items", "modifier_options", "stock_items", "recipes", "recipe_ingredients"];

/// Tables that head office delivers: what is sent here, and what became of what was sent from here.
const TRANSFERS: &[&str] = &["incoming_transfers", "transfer_outcomes"];

/// Makes anew what is derived from the rows that were touched.
pub(super) fn follow(tx: &Tx<'_>, touched: &[Touched]) -> Result<(), DbError> {
    let tables: BTreeSet<&str> =
        touched.iter().filter_map(|touched| registry::table(touched.row.0)).map(|table| table.name).collect();
    if tables.is_empty() {
        return Ok(());
    }
    let any = |names: &[&str]| names.iter().any(|name| tables.contains(name));
    for outlet in store::list_outlets(tx)? {
        if any(MENU) {
            menu::store::next_revision(tx, outlet)?;
        }
        if any(KITCHEN) {
            inventory::actions::rebuild_needs(tx, &Actor::system(outlet))?;
        }
    }
    let ids = |name: &str| -> Vec<Uuid> {
        let of = |row: &RowKey| registry::table(row.0).is_some_and(|table| table.name == name);
        touched.iter().map(|touched| touched.row).filter(of).map(|(_, id)| id).collect()
    };
    for employee in ids("employees") {
        if let Some((outlet, last)) = employees::store::find_end(tx, employee)? {
            shifts::actions::employee_ended(tx, &Actor::system(outlet), employee, last)?;
        }
    }
    if any(TRANSFERS) {
        transfers(tx, &ids(TRANSFERS[0]), &ids(TRANSFERS[1]))?;
    }
    Ok(())
}

/// What follows from the transfers that head office delivered: those to this branch (`came`), and those from it (`ended`).
pub(super) fn transfers(tx: &Tx<'_>, came: &[Uuid], ended: &[Uuid]) -> Result<(), DbError> {
    // A box that is being filled does not know yet what its predecessor did.
    if store::find_peer(tx)?.is_none_or(|peer| peer.restore.is_some()) {
        return Ok(());
    }
    let actor = Actor::system(super::exchange::outlet(tx)?);
    inventory::actions::follow_transfers(tx, &actor, came, ended).map_err(DbError::unavailable)
}

/// Signs out whose account was closed or changed in what it may do, and whose PIN opens something else now; `linked` are accounts whose
/// outlets were changed. Names the sessions that ended, and the people: a turn of their PIN is in another's session.
pub(super) fn sign_out(tx: &Tx<'_>, touched: &[Touched], linked: Vec<Uuid>) -> Result<Vec<Uuid>, DbError> {
    let mut accounts: BTreeSet<Uuid> = linked.into_iter().collect();
    let mut people = Vec::new();
    let mut changed_links = false;
    for Touched { row: (no, id), columns } in touched {
        let Some(table) = registry::table(*no) else { continue };
        let sets = |names: &[&str]| {
            columns.is_empty()
                || columns.iter().any(|no| table.columns.get(*no).is_some_and(|c| names.contains(c)))
        };
        match table.name {
            "accounts" if sets(&["is_active", "role", "password_hash", "employee_id"]) => {
                accounts.insert(*id);
            }
            "employees" if sets(&["status", "archived_at", "pin_hash", "till_role"]) => {
                people.push(*id);
                accounts.extend(store::list_accounts(tx, *id)?);
            }
            "account_outlets" => {
                changed_links = true;
                accounts.extend(store::find_account(tx, *id)?);
            }
            _ => {}
        }
    }
    if !changed_links && touched.iter().all(|touched| !matches!(touched.row.0, 10 | 15)) {
        return Ok(Vec::new());
    }
    let mut signed_out = people;
    for account in accounts {
        signed_out.push(account);
        let ended = auth::actions::end_sessions(tx, account, None, "head office changed the account");
        signed_out.extend(ended.map_err(DbError::unavailable)?);
    }
    Ok(signed_out)
}
