//! Rows of `portion_needs`, and what can be made with the stock there is. Never decides what becomes of a dish.

use crate::db::{self, Row, Source, Sql, Tx, list as rows};
use crate::resources::inventory::rules::portions::{
    Orderable, PARTS_OF_WEIGHT, PortionNeeds, Stock, Stocked,
};
use crate::resources::inventory::store::like;
use crate::resources::menu::rules::WeightUnit;
use chrono::NaiveDate;
use rusqlite::params;
use std::sync::LazyLock;
use tiffin_common::Uuid;

fn read_orderable(row: &Row<'_>) -> db::Result<Orderable> {
    Ok(Orderable { id: row.get("target_id")?, is_option: row.get("is_option")? })
}

/// The recipes of what can be ordered now: of a dish that has variants, these are ordered, each by its own recipe or else the dish's.
pub fn list_recipes(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, Orderable)>> {
    let sql = "SELECT r.id, coalesce(v.id, r.menu_item_id, r.option_id) AS target_id, r.option_id IS NOT NULL AS is_option
               FROM recipes r LEFT JOIN menu_items m ON m.id = r.menu_item_id
                 LEFT JOIN menu_items v ON v.variant_of_id = m.id AND v.archived_at IS NULL
                 LEFT JOIN modifier_options o ON o.id = r.option_id
               WHERE r.outlet_id = ?1 AND r.archived_at IS NULL AND r.name IS NULL
                 AND m.archived_at IS NULL AND o.archived_at IS NULL
                 AND NOT EXISTS (SELECT 1 FROM recipes w WHERE w.menu_item_id = v.id AND w.archived_at IS NULL)";
    rows(conn, sql, [outlet], |row| Ok((row.get("id")?, read_orderable(row)?)))
}

/// What is kept of the needs of one portion.
pub fn list_needs(conn: &dyn Source, outlet: Uuid) -> db::Result<PortionNeeds> {
    let sql = "SELECT target_id, is_option, stock_item_id, is_made, quantity FROM portion_needs WHERE outlet_id = ?1";
    let found = rows(conn, sql, [outlet], |row| {
        Ok(((read_orderable(row)?, row.get("stock_item_id")?, row.get("is_made")?), row.get("quantity")?))
    })?;
    Ok(found.into_iter().collect())
}

/// Keeps `after`, where `before` is what is kept.
pub(in super::super) fn set_needs(
    store: &dyn Sql,
    outlet: Uuid,
    before: &PortionNeeds,
    after: &PortionNeeds,
) -> db::Result<()> {
    let gone = before.iter().filter(|(key, quantity)| after.get(*key) != Some(quantity));
    for ((orderable, item, is_made), _) in gone {
        let sql = "DELETE FROM portion_needs WHERE target_id = ?1 AND stock_item_id = ?2 AND is_made = ?3";
        store.execute(sql, params![orderable.id, item, is_made])?;
    }
    let new = after.iter().filter(|(key, quantity)| before.get(*key) != Some(quantity));
    for ((orderable, item, is_made), quantity) in new {
        insert!(
            store,
            portion_needs {
                target_id: orderable.id,
                stock_item_id: item,
                outlet_id: outlet,
                is_option: orderable.is_option,
                quantity: quantity,
                is_made: is_made
            }
        )?;
    }
    Ok(())
}

/// Keeps the largest need of every item.
pub(in super::super) fn set_largest_needs(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE stock_levels SET largest_need = n.quantity
         FROM (SELECT l.stock_item_id AS id, coalesce((SELECT max(quantity) FROM portion_needs p
                 WHERE p.stock_item_id = l.stock_item_id), 0) AS quantity
               FROM stock_levels l WHERE l.outlet_id = ?1) n
         WHERE stock_item_id = n.id AND largest_need <> n.quantity",
        [outlet],
    )
}

/// What may still be sold of an ingredient on date ?2; see `Level::current`.
const CURRENT: &str = "(coalesce(l.on_hand, 0) - coalesce((SELECT sum(b.quantity) FROM stock_batch_levels b
  WHERE b.stock_item_id = n.stock_item_id AND b.expiry_date < ?2), 0))";

/// Whether an ingredient counts: its stock was entered once, or (?3) the outlet sells nothing it does not have.
const COUNTS: &str = "(?3 OR EXISTS (SELECT 1 FROM stock_batches e WHERE e.stock_item_id = n.stock_item_id))";

const INGREDIENTS: &str = "FROM portion_needs n JOIN stock_items s ON s.id = n.stock_item_id
  LEFT JOIN stock_levels l ON l.stock_item_id = n.stock_item_id";

/// Whose stock, and when.
#[derive(Debug, Clone)]
pub struct Larder {
    /// The outlet.
    pub outlet: Uuid,
    /// The business date.
    pub date: NaiveDate,
    /// Whether items count whose stock was never entered.
    pub all_count: bool,
}

/// What can be ordered, and whether it can be made.
#[derive(Debug, Clone)]
pub struct Judged {
    /// What.
    pub orderable: Orderable,
    /// The name of an ingredient that does not suffice for a portion, were nothing made ahead.
    pub short_of: Option<String>,
    /// Whether it takes anything that is made ahead.
    pub is_made: bool,
    /// Into how many parts a portion is cut: what is sold by weight has run out when there is not enough for one of them.
    pub parts: i64,
}

/// What takes any of `items` (of all, when none).
pub fn list_shortages(conn: &dyn Source, larder: &Larder, items: Option<&[Uuid]>) -> db::Result<Vec<Judged>> {
    let sql = shortages_sql(items.is_some());
    let ids = items.map(|ids| serde_json::json!(ids).to_string());
    let Larder { outlet, date, all_count } = larder;
    rows(conn, &sql, params![outlet, date, all_count, ids], |row| {
        Ok(Judged {
            orderable: read_orderable(row)?,
            short_of: row.get("short_of")?,
            is_made: row.get("is_made")?,
            parts: row.get("parts")?,
        })
    })
}

/// What there is of every stock item of the outlet.
pub fn list_stock(conn: &dyn Source, Larder { outlet, date, all_count }: &Larder) -> db::Result<Stock> {
    let sql = format!(
        "SELECT n.stock_item_id, n.name, {CURRENT} AS left_over, {COUNTS} AS is_counted
         FROM (SELECT id AS stock_item_id, outlet_id, name FROM stock_items) n
           LEFT JOIN stock_levels l ON l.stock_item_id = n.stock_item_id WHERE n.outlet_id = ?1"
    );
    let found = rows(conn, &sql, params![outlet, date, all_count], |row| {
        let stocked = Stocked {
            name: row.get("name")?,
            current: row.get("left_over")?,
            counts: row.get("is_counted")?,
        };
        Ok((row.get("stock_item_id")?, stocked))
    })?;
    Ok(found.into_iter().collect())
}

/// Into how many parts a portion of `n` is cut.
static PARTS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "CASE WHEN n.is_option = 0 AND EXISTS (SELECT 1 FROM menu_items d WHERE d.id = n.target_id AND d.sold_by = 'WEIGHT')
           THEN {PARTS_OF_WEIGHT} ELSE 1 END"
    )
});

/// The statement of [`list_shortages`]: of some items only, or of all.
pub(in super::super) fn shortages_sql(of_items: bool) -> String {
    let touched = if of_items {
        "n.target_id IN (SELECT t.target_id FROM portion_needs t
         WHERE t.stock_item_id IN (SELECT unhex(value, '-') FROM json_each(?4)))"
    } else {
        "?4 IS NULL"
    };
    format!(
        "SELECT n.target_id, max(n.is_option) AS is_option, max(n.is_made) AS is_made, max({parts}) AS parts,
           min(CASE WHEN n.is_made = 0 AND {CURRENT} < max(n.quantity / {parts}, 1) AND {COUNTS} THEN s.name END) AS short_of
         {INGREDIENTS} WHERE n.outlet_id = ?1 AND {touched} GROUP BY n.target_id",
        parts = *PARTS
    )
}

/// A dish, or a variant of one, and how many portions of it can be made.
#[derive(Debug, Clone)]
pub struct Portions {
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant.
    pub variant_id: Option<Uuid>,
    /// Its name.
    pub name: String,
    /// How many; none when nothing that is counted goes in.
    pub left: Option<i64>,
    /// The stock item that allows no more, and its name.
    pub limiting: Option<(Uuid, String)>,
    /// Whether it takes anything that is made ahead, which is not counted in.
    pub is_made: bool,
    /// What it is weighed in: a portion is one of it.
    pub weight_unit: Option<WeightUnit>,
}

/// Which dishes.
#[derive(Debug, Clone, Default)]
pub struct PortionFilter {
    /// Only this one, with its variants.
    pub menu_item_id: Option<Uuid>,
    /// A part of the name, in any case.
    pub search: Option<String>,
}

/// The outlet's dishes with recipes by name, variants each for itself, with how many portions their ingredients suffice for.
pub fn list(
    conn: &dyn Source,
    Larder { outlet, date, all_count }: &Larder,
    filter: &PortionFilter,
) -> db::Result<Vec<Portions>> {
    let sql = format!(
        "SELECT dish, variant_of, name, weight_unit, portions, item, item_name,
           (SELECT max(w.is_made) FROM portion_needs w WHERE w.target_id = dish) AS is_made FROM (
           SELECT *, row_number() OVER (PARTITION BY dish ORDER BY portions IS NULL, portions, item_name, item) AS place
           FROM (SELECT m.id AS dish, m.variant_of_id AS variant_of, m.name AS name, m.weight_unit, s.id AS item, s.name AS item_name,
                   CASE WHEN {COUNTS} THEN max({CURRENT}, 0) / n.quantity END AS portions
                 {INGREDIENTS} JOIN menu_items m ON m.id = n.target_id
                 WHERE n.outlet_id = ?1 AND n.is_option = 0 AND n.is_made = 0 AND m.archived_at IS NULL
                   AND (?4 IS NULL OR coalesce(m.variant_of_id, m.id) = ?4)
                   AND (?5 IS NULL OR m.name LIKE ?5 ESCAPE '\\')) AS ingredients) AS placed
         WHERE place = 1 ORDER BY name, dish"
    );
    let values = params![outlet, date, all_count, filter.menu_item_id, filter.search.as_deref().map(like)];
    rows(conn, &sql, values, |row| {
        let left: Option<i64> = row.get("portions")?;
        let limiting = match left {
            Some(_) => Some((row.get("item")?, row.get("item_name")?)),
            None => None,
        };
        let (id, of): (Uuid, Option<Uuid>) = (row.get("dish")?, row.get("variant_of")?);
        let (menu_item_id, variant_id) = of.map_or((id, None), |dish| (dish, Some(id)));
        let (name, is_made) = (row.get("name")?, row.get("is_made")?);
        let weight_unit = row.get("weight_unit")?;
        Ok(Portions { menu_item_id, variant_id, name, left, limiting, is_made, weight_unit })
    })
}
