//! Rows of combo_components and combo_options as they are. Never asks what the menu says of the dishes.

use crate::db::{self, Bind, Columns, Row, Source, list};
use crate::resources::menu::rules::combos::{Component, ComponentOption};
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Components with their options, by combo, of two statements with the same values.
fn read<P: Bind + Copy>(
    conn: &dyn Source,
    (components, options): (&str, &str),
    args: P,
) -> db::Result<HashMap<Uuid, Vec<Component>>> {
    let mut of_component: HashMap<Uuid, Vec<ComponentOption>> = HashMap::new();
    let option = |row: &Row<'_>| Ok((row.get("component_id")?, ComponentOption::read(row)?));
    for (component, option) in list(conn, options, args, option)? {
        of_component.entry(component).or_default().push(option);
    }
    let mut of_combo: HashMap<Uuid, Vec<Component>> = HashMap::new();
    let component = |row: &Row<'_>| Ok((row.get("combo_id")?, Component::read(row)?));
    for (combo, mut component) in list(conn, components, args, component)? {
        component.options = of_component.remove(&component.id).unwrap_or_default();
        of_combo.entry(combo).or_default().push(component);
    }
    Ok(of_combo)
}

/// What is chosen for a combo, in its order, without what the menu says of the dishes. On the hot path of an order.
pub(super) fn list_bare(conn: &dyn Source, outlet: Uuid, combo: Uuid) -> db::Result<Vec<Component>> {
    let components = select!(
        Component as c,
        "c.menu_item_id AS combo_id",
        "WHERE c.menu_item_id = ?2 AND c.outlet_id = ?1 ORDER BY c.sort_order, c.id"
    );
    let options = select!(
        ComponentOption as o,
        "o.component_id",
        "JOIN combo_components c ON c.id = o.component_id WHERE c.menu_item_id = ?2 AND c.outlet_id = ?1
           ORDER BY o.sort_order, o.id"
    );
    Ok(read(conn, (components, options), [outlet, combo])?.remove(&combo).unwrap_or_default())
}

/// What is chosen for each of the outlet's combos, without what the menu says of the dishes.
pub(super) fn list_all_bare(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, Vec<Component>>> {
    let components = select!(
        Component as c,
        "c.menu_item_id AS combo_id",
        "WHERE c.outlet_id = ?1 ORDER BY c.sort_order, c.id"
    );
    let options =
        select!(ComponentOption as o, "o.component_id", "WHERE o.outlet_id = ?1 ORDER BY o.sort_order, o.id");
    read(conn, (components, options), [outlet])
}
