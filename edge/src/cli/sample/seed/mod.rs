//! The sample restaurant becomes rows: every row by the action that HTTP calls. Never writes a table itself, never makes a
//! password or hashes one.

mod failure;
mod keys;
mod menu;
mod people;
mod roster;
mod stock;

pub(super) use failure::making;
pub use failure::{Result, SampleError};
pub use people::Hashes;
pub(super) use roster::lay as lay_roster;
pub(super) use stock::expiry;

use super::data::Restaurant;
use crate::access::{Actor, Role};
use crate::config::Printers;
use crate::db::Tx;
use crate::resources::outlets::rules::Outlet;
use crate::resources::{kitchen, outlets, tables};
use keys::Keys;
use std::collections::BTreeMap;
use tiffin_common::Uuid;

/// What was made, by the places in the restaurant's lists.
#[derive(Debug, Clone)]
pub struct Seeded {
    /// The outlet.
    pub outlet: Outlet,
    /// Menu items.
    pub menu_items: Vec<Uuid>,
    /// Options of each modifier group.
    pub options: Vec<Vec<Uuid>>,
    /// Tables.
    pub tables: Vec<Uuid>,
    /// Stock items.
    pub stock_items: Vec<Uuid>,
    /// Suppliers by key.
    pub suppliers: BTreeMap<String, Uuid>,
    /// The staff by role, as actors.
    pub staff: BTreeMap<&'static str, Actor>,
}

impl Seeded {
    /// The sample account of `role` as the one who acts; the box itself when there is none.
    pub fn actor(&self, role: Role) -> Actor {
        self.staff.get(role.name()).cloned().unwrap_or_else(|| Actor::system(self.outlet.id))
    }
}

/// Fills the new outlet `outlet_id` with everything. Accounts whose email is in `skip` are left out.
///
/// # Errors
/// The first refusal; nothing of it must then be committed.
pub fn seed(
    tx: &Tx<'_>,
    restaurant: &Restaurant,
    outlet_id: Uuid,
    hashes: &Hashes,
    skip: &str,
) -> Result<Seeded> {
    let system = Actor::system(outlet_id);
    let outlet = outlets::store::find(tx, outlet_id).map_err(making("the outlet"))?;
    let stations = stations(tx, &system, restaurant)?;
    let menu = menu::seed(tx, &system, restaurant, &stations)?;
    let tables = tables(tx, &system, restaurant)?;
    let store_room = stock::seed(tx, &system, &outlet, restaurant, &menu)?;
    let staff = people::seed(tx, &system, restaurant, hashes, skip)?;
    roster::seed(tx, &system, outlet.business_date(tx.now()))?;
    Ok(Seeded {
        outlet,
        menu_items: menu.items,
        options: menu.options,
        tables,
        stock_items: store_room.items,
        suppliers: store_room.suppliers,
        staff,
    })
}

fn stations(tx: &Tx<'_>, actor: &Actor, restaurant: &Restaurant) -> Result<Keys> {
    use kitchen::rules::{StationFields, StationKind};
    let mut made = Keys::new();
    for station in &restaurant.stations {
        let fields = StationFields {
            name: station.name.clone(),
            kind: if station.kind == "EXPO" { StationKind::Expo } else { StationKind::Prep },
            is_default: station.is_default,
            target_minutes: station.target_minutes,
            ..StationFields::first()
        };
        let nowhere = Printers::nowhere();
        let station_id =
            kitchen::actions::create_station(tx, actor, fields, &nowhere).map_err(making(&station.name))?.id;
        made.insert(station.key.clone(), station_id);
    }
    Ok(made)
}

fn tables(tx: &Tx<'_>, actor: &Actor, restaurant: &Restaurant) -> Result<Vec<Uuid>> {
    let mut made = Vec::with_capacity(restaurant.tables.len());
    for table in &restaurant.tables {
        let draft = tables::rules::TableFields {
            area: Some(table.area.clone()),
            position: Some(tables::rules::TablePosition { x: table.position.x, y: table.position.y }),
            ..tables::rules::TableFields::new(&table.number, table.seats)
        };
        made.push(tables::actions::create(tx, actor, draft).map_err(making(&table.number))?.id);
    }
    Ok(made)
}
