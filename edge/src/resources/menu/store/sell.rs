//! The reading of dishes that an order does: few statements, prepared once. Never writes.

use super::{availability, groups, json_opt};
use crate::db::{self, Row, Source, opt};
use crate::resources::menu::rules::{LocalNow, Sellable, Window};
use rusqlite::params;
use tiffin_common::Uuid;

pub(super) const SELECT: &str =
    "SELECT i.id, i.name, i.kitchen_name, i.hsn_sac, i.station_id, i.course, i.prep_minutes,
    coalesce(p.price_cents, i.price_cents), t.components, i.available_from, i.available_to, i.available_days,
    a.status, a.quantity_left, a.until, a.reason, a.source,
    EXISTS (SELECT 1 FROM menu_item_modifier_groups l WHERE l.menu_item_id = i.id)
  FROM menu_items i
  JOIN menu_categories c ON c.id = i.category_id AND c.is_active = 1 AND c.archived_at IS NULL
  LEFT JOIN tax_categories t ON t.id = i.tax_category_id
  LEFT JOIN menu_prices p ON p.outlet_id = i.outlet_id AND p.menu_item_id = i.id
  LEFT JOIN menu_availability a ON a.outlet_id = i.outlet_id AND a.menu_item_id = i.id
  WHERE i.id = ?2 AND i.outlet_id = ?1 AND i.is_active = 1 AND i.archived_at IS NULL";

fn read(row: &Row<'_>, at: &LocalNow) -> db::Result<(Sellable, bool)> {
    let window = Window { from: row.get(9)?, to: row.get(10)?, days: json_opt(row, 11)? };
    let state = availability::read(row, 12)?.at(at.now);
    let unavailable = match (state.is_out(), window.contains(at)) {
        (true, _) => Some("is out of stock"),
        (false, false) => Some("is not sold at this hour"),
        (false, true) => None,
    };
    let dish = Sellable {
        id: row.get(0)?,
        name: row.get(1)?,
        kitchen_name: row.get(2)?,
        hsn_sac: row.get(3)?,
        station_id: row.get(4)?,
        course: row.get(5)?,
        prep_minutes: row.get(6)?,
        price: row.get(7)?,
        tax_components: json_opt(row, 8)?.unwrap_or_default(),
        availability: state,
        unavailable,
        groups: Vec::new(),
    };
    Ok((dish, row.get(17)?))
}

/// The dishes of `ids` that the outlet sells (active, not archived, in an active category), each once, in the order they
/// were first named. What is missing is not for sale. One statement a dish, two where it has choices.
pub fn sellable(conn: &dyn Source, outlet: Uuid, ids: &[Uuid], at: &LocalNow) -> db::Result<Vec<Sellable>> {
    let mut dishes: Vec<Sellable> = Vec::with_capacity(ids.len());
    for (i, id) in ids.iter().enumerate() {
        if ids.iter().take(i).any(|earlier| earlier == id) {
            continue;
        }
        let Some((mut dish, has_groups)) = opt(conn, SELECT, params![outlet, id], |row| read(row, at))?
        else {
            continue;
        };
        if has_groups {
            dish.groups = groups::groups_of_item(conn, outlet, *id, at)?;
        }
        dishes.push(dish);
    }
    Ok(dishes)
}
