//! Rows of price_lists and price_list_entries. Never decides whose price holds.

use super::{Search, found, list_named};
use crate::db::{self, Columns, Row, Source, Tx, list, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::price_lists::{PriceEntry, PriceList, PriceListDraft, Rate};
use crate::resources::menu::rules::prices::{PriceLists, Rated};
use crate::resources::menu::rules::{LocalNow, Occasion, Result};
use rusqlite::params;
use std::collections::{HashMap, HashSet};
use tiffin_common::{Bps, Cents, Uuid};

/// Entries whose dish, variant or category is on the menu.
const ENTRIES: &str = "SELECT e.id, e.menu_item_id, e.category_id, e.price_cents, e.adjust_bps, i.variant_of_id
    FROM price_list_entries e LEFT JOIN menu_items i ON i.id = e.menu_item_id AND i.archived_at IS NULL
      LEFT JOIN menu_categories c ON c.id = e.category_id AND c.archived_at IS NULL
    WHERE e.price_list_id = ?2 AND e.outlet_id = ?1 AND (i.id IS NOT NULL OR c.id IS NOT NULL) ORDER BY e.sort_order, e.id";

fn read_entry(row: &Row<'_>) -> db::Result<PriceEntry> {
    let dish: Option<Uuid> = row.get("menu_item_id")?;
    let is_variant = row.get::<_, Option<Uuid>>("variant_of_id")?.is_some();
    Ok(PriceEntry {
        menu_item_id: dish.filter(|_| !is_variant),
        variant_id: dish.filter(|_| is_variant),
        category_id: row.get("category_id")?,
        price_cents: row.get("price_cents")?,
        adjust_bps: row.get("adjust_bps")?,
    })
}

/// One price list of the outlet with what it says.
///
/// # Errors
/// No such one.
pub fn find_price_list(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<PriceList> {
    let sql = select!(PriceList, "WHERE outlet_id = ?1 AND archived_at IS NULL AND id = ?2");
    let mut one = found(opt(conn, sql, [outlet, id], PriceList::read), "price list")?;
    let entries = list(conn, ENTRIES, [outlet, id], read_entry)?;
    (one.is_in_force, one.entries_count) = (one.draft.holds(at), entries.len());
    one.entries = Some(entries);
    Ok(one)
}

/// A page of price lists without what they say, in the order in which they are asked.
pub fn list_price_lists(
    conn: &dyn Source,
    outlet: Uuid,
    search: &Search,
    at: &LocalNow,
) -> db::Result<Page<PriceList>> {
    let mut page: Page<PriceList> = list_named(conn, outlet, search, ORDER)?;
    let sql = "SELECT e.price_list_id, count(*) AS entries FROM price_list_entries e
        LEFT JOIN menu_items i ON i.id = e.menu_item_id AND i.archived_at IS NULL
        LEFT JOIN menu_categories c ON c.id = e.category_id AND c.archived_at IS NULL
        WHERE e.outlet_id = ?1 AND (i.id IS NOT NULL OR c.id IS NOT NULL) GROUP BY e.price_list_id";
    let counts = list(conn, sql, [outlet], |row| {
        Ok((row.get::<_, Uuid>("price_list_id")?, row.get::<_, i64>("entries")?))
    })?;
    let counts: HashMap<Uuid, i64> = counts.into_iter().collect();
    for one in &mut page.items {
        one.is_in_force = one.draft.holds(at);
        one.entries_count = counts.get(&one.id).and_then(|count| usize::try_from(*count).ok()).unwrap_or(0);
    }
    Ok(page)
}

/// The order in which lists are asked.
const ORDER: &str = "priority DESC, created_at, id";

/// All price lists of the outlet without what they say, in the order in which they are asked.
pub(super) fn list_heads(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<PriceList>> {
    let sql = select!(
        PriceList,
        "WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY priority DESC, created_at, id"
    );
    list(conn, sql, [outlet], PriceList::read)
}

/// What is said by those of the outlet's price lists that are `wanted`. What an entry says that is both, or neither, of its two kinds is
/// not said; of two about the same the later one holds.
fn rated(conn: &dyn Source, outlet: Uuid, wanted: impl Fn(&PriceList) -> bool) -> db::Result<PriceLists> {
    let sql = "SELECT coalesce(menu_item_id, category_id) AS target_id, price_cents, adjust_bps
        FROM price_list_entries WHERE outlet_id = ?1 AND price_list_id = ?2 ORDER BY id";
    let mut lists = Vec::new();
    for one in list_heads(conn, outlet)?.into_iter().filter(|one| wanted(one)) {
        let rates = list(conn, sql, [outlet, one.id], |row| {
            let (target, price, adjust): (Option<Uuid>, Option<Cents>, Option<Bps>) =
                (row.get("target_id")?, row.get("price_cents")?, row.get("adjust_bps")?);
            Ok(target.zip(Rate::of(price, adjust)))
        })?;
        lists.push(Rated { list: one, rates: rates.into_iter().flatten().collect() });
    }
    Ok(PriceLists(lists))
}

/// The price lists that may say a price of such an order at `at`.
pub fn find_prices(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
    occasion: &Occasion,
) -> db::Result<PriceLists> {
    rated(conn, outlet, |one| one.matters(at, occasion))
}

/// All price lists of the outlet, of shared tables alone: for an action that keeps them.
pub fn find_all_prices(conn: &dyn Source, outlet: Uuid) -> db::Result<PriceLists> {
    rated(conn, outlet, |_| true)
}

/// How many price lists the outlet has.
pub fn count_price_lists(conn: &dyn Source, outlet: Uuid) -> db::Result<usize> {
    let sql = "SELECT count(*) FROM price_lists WHERE outlet_id = ?1 AND archived_at IS NULL";
    let count: i64 = one(conn, sql, [outlet], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// What a price list may speak of.
#[derive(Debug, Default)]
pub struct Targets {
    /// Dishes.
    pub items: HashSet<Uuid>,
    /// Variants.
    pub variants: HashSet<Uuid>,
    /// Categories.
    pub categories: HashSet<Uuid>,
}

/// All that is on the outlet's menu.
pub fn list_targets(conn: &dyn Source, outlet: Uuid) -> db::Result<Targets> {
    let mut targets = Targets::default();
    let sql = "SELECT id, variant_of_id FROM menu_items WHERE outlet_id = ?1 AND archived_at IS NULL";
    let read = |row: &Row<'_>| Ok((row.get::<_, Uuid>("id")?, row.get::<_, Option<Uuid>>("variant_of_id")?));
    for (id, dish) in list(conn, sql, [outlet], read)? {
        let those = if dish.is_some() { &mut targets.variants } else { &mut targets.items };
        those.insert(id);
    }
    let sql = "SELECT id FROM menu_categories WHERE outlet_id = ?1 AND archived_at IS NULL";
    targets.categories.extend(list(conn, sql, [outlet], |row| row.get::<_, Uuid>(0))?);
    Ok(targets)
}

/// The area of a table of the outlet; none: there is no such table. Tables are not the menu's; this only looks.
pub fn find_area(conn: &dyn Source, outlet: Uuid, table: Uuid) -> db::Result<Option<Option<String>>> {
    let sql = "SELECT area FROM dining_tables WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    opt(conn, sql, [outlet, table], |row| row.get(0))
}

/// Adds a checked price list.
pub fn insert_price_list(
    tx: &Tx<'_>,
    outlet: Uuid,
    draft: &PriceListDraft,
    entries: &[PriceEntry],
) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(tx, price_lists { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })?;
    set_entries(tx, outlet, id, entries)?;
    Ok(id)
}

/// Changes a price list, and with `entries` all that it says.
pub fn update_price_list(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    draft: &PriceListDraft,
    entries: Option<&[PriceEntry]>,
) -> db::Result<()> {
    update!(tx, price_lists { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })?;
    entries.map_or(Ok(()), |entries| set_entries(tx, outlet, id, entries))
}

/// Archives a price list: what was sold by it keeps naming it.
pub fn set_price_list_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, price_lists { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Makes a list say exactly `entries`. A row whose dish, variant or category stays is changed, not replaced: both ends may be at it.
fn set_entries(tx: &Tx<'_>, outlet: Uuid, id: Uuid, entries: &[PriceEntry]) -> db::Result<()> {
    let sql = "SELECT id, coalesce(menu_item_id, category_id) AS target_id FROM price_list_entries
        WHERE outlet_id = ?1 AND price_list_id = ?2 ORDER BY id";
    let read = |row: &Row<'_>| Ok((row.get::<_, Option<Uuid>>("target_id")?, row.get::<_, Uuid>("id")?));
    // What is gone from the menu goes here, too.
    let wanted: HashSet<Uuid> = entries.iter().filter_map(PriceEntry::target).collect();
    let (mut present, mut gone) = (HashMap::new(), Vec::new());
    for (target, row) in list(tx, sql, [outlet, id], read)? {
        match target.filter(|target| wanted.contains(target)) {
            Some(target) => gone.extend(present.insert(target, row)),
            None => gone.push(row),
        }
    }
    for row in gone {
        tx.execute("DELETE FROM price_list_entries WHERE id = ?1 AND outlet_id = ?2", params![row, outlet])?;
    }
    for (place, entry) in (0_i64..).zip(entries) {
        let (price, adjust) = (entry.price_cents, entry.adjust_bps);
        if let Some(row) = entry.target().and_then(|target| present.get(&target)) {
            update!(tx, price_list_entries { price_cents: price, adjust_bps: adjust, sort_order: place }
                where { id: *row, outlet_id: outlet })?;
            continue;
        }
        insert!(
            tx,
            price_list_entries {
                id: tx.new_id(),
                outlet_id: outlet,
                price_list_id: id,
                menu_item_id: entry.variant_id.or(entry.menu_item_id),
                category_id: entry.category_id,
                price_cents: price,
                adjust_bps: adjust,
                sort_order: place
            }
        )?;
    }
    Ok(())
}
