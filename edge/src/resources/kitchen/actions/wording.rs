//! Which language somebody reads the kitchen in, and tickets in it: dishes, sizes, choices, combos, stations and tables as they are called
//! in it now: a few queries, however many tickets. Never changes what is kept.

use crate::access::Role;
use crate::db::{self, Source};
use crate::http::language::choose;
use crate::resources::kitchen::rules::Ticket;
use crate::resources::kitchen::store;
use crate::resources::{menu, outlets, tables};
use axum::http::HeaderMap;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// The language that is read by who asks: `lang`, where it is one of the outlet's; else that of the station that is asked about; else that of
/// the station a paired display stands at. None: everything as it is called.
pub fn language_of(
    conn: &dyn Source,
    outlet: Uuid,
    (role, account): (Option<Role>, Option<Uuid>),
    asked: Option<Uuid>,
    lang: Option<&str>,
) -> db::Result<Option<String>> {
    if lang.is_some() {
        let house = outlets::store::find(conn, outlet)?;
        return Ok(choose(&house.languages, lang, &HeaderMap::new()).map(str::to_owned));
    }
    let station = match (asked, role) {
        (None, Some(Role::DeviceKitchen)) => store::find_display(conn, outlet, account)?.flatten(),
        (asked, _) => asked,
    };
    let Some(station) = station else { return Ok(None) };
    Ok(store::find_station(conn, outlet, station)?.and_then(|station| station.fields.language))
}

/// Lets tickets read in `language`.
pub fn put_in(conn: &dyn Source, outlet: Uuid, language: &str, tickets: &mut [Ticket]) -> db::Result<()> {
    let items = || tickets.iter().flat_map(|ticket| &ticket.items);
    let components = items().filter(|item| item.combo_name.is_some()).map(|item| item.order_item_id);
    let components: Vec<Uuid> = components.collect();
    let combos = match components.is_empty() {
        true => HashMap::new(),
        false => store::list_combos(conn, outlet, components)?,
    };
    let dishes = items().map(|item| (item.menu_item_id, item.variant_id));
    let dishes = dishes.chain(combos.values().map(|combo| (*combo, None)));
    let said = menu::store::list_said(conn, outlet, language, dishes)?;
    let stations = tickets.iter().map(|ticket| ticket.station_id).collect();
    let stations = store::list_station_texts(conn, outlet, &stations)?;
    let numbers = tickets.iter().filter_map(|ticket| ticket.table_number.as_deref());
    let numbers = tables::store::list_texts(conn, outlet, numbers)?;
    for ticket in tickets {
        if let Some(texts) = stations.get(&ticket.station_id) {
            texts.put(language, &mut ticket.station_name, None);
        }
        if let Some(number) = &mut ticket.table_number
            && let Some(texts) = numbers.get(number.as_str())
        {
            texts.put(language, number, None);
        }
        for item in &mut ticket.items {
            let combo = combos.get(&item.order_item_id).and_then(|combo| said.dish(*combo, None));
            if let Some(name) = combo {
                item.combo_name = Some(name.to_owned());
            }
            if let Some(name) = said.dish(item.menu_item_id, item.variant_id) {
                name.clone_into(&mut item.name);
            }
            for modifier in &mut item.modifiers {
                if let Some(name) = said.option(item.menu_item_id, modifier) {
                    name.clone_into(modifier);
                }
            }
        }
    }
    Ok(())
}

/// A ticket to be read in `language`, where there is one.
pub fn worded(
    conn: &dyn Source,
    outlet: Uuid,
    language: Option<&str>,
    mut ticket: Ticket,
) -> db::Result<Ticket> {
    if let Some(language) = language {
        put_in(conn, outlet, language, std::slice::from_mut(&mut ticket))?;
    }
    Ok(ticket)
}
