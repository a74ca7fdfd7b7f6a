//! Rows of `recipes` and `recipe_ingredients`.

use super::like;
use crate::db::{self, Row, Transaction, list as rows, one, opt};
use crate::resources::inventory::rules::recipe::{Book, Ingredient, Recipe, Source};
use crate::resources::inventory::rules::{RecipeDraft, UnitConversion};
use rusqlite::params;
use std::sync::LazyLock;
use tiffin_common::{Millis, Quantity, Uuid};

/// What a recipe is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A dish.
    Dish(Uuid),
    /// A modifier option: what it adds or removes.
    Option(Uuid),
    /// A preparation that others use, by its name.
    Preparation(String),
}

/// A recipe's head.
#[derive(Debug, Clone)]
pub struct Head {
    /// Id.
    pub id: Uuid,
    /// What it is for.
    pub target: Target,
    /// How much one making gives.
    pub makes: Quantity,
    /// Of which unit.
    pub yield_unit: String,
    /// 1, 2, ….
    pub version: i64,
    /// When it was last changed.
    pub updated_at: Millis,
}

/// An ingredient as it is shown.
#[derive(Debug, Clone)]
pub struct IngredientRow {
    /// A stock item …
    pub stock_item_id: Option<Uuid>,
    /// … or a preparation.
    pub sub_recipe_id: Option<Uuid>,
    /// Its name.
    pub name: String,
    /// How much one making takes.
    pub quantity: Quantity,
    /// Of which unit.
    pub unit: String,
}

const HEAD: &str = "id, menu_item_id, option_id, name, yield_quantity, yield_unit, version, updated_at";

fn read_head(row: &Row<'_>) -> db::Result<Head> {
    let target = match (row.get(1)?, row.get(2)?) {
        (Some(dish), _) => Target::Dish(dish),
        (None, Some(option)) => Target::Option(option),
        (None, None) => Target::Preparation(row.get::<_, Option<String>>(3)?.unwrap_or_default()),
    };
    Ok(Head {
        id: row.get(0)?,
        target,
        makes: row.get(4)?,
        yield_unit: row.get(5)?,
        version: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

/// The outlet's recipe of a dish, an option, or the preparation of that name.
pub fn find_for(conn: &dyn db::Source, outlet: Uuid, target: &Target) -> db::Result<Option<Head>> {
    let find = |column: &str| {
        format!("SELECT {HEAD} FROM recipes WHERE outlet_id = ?1 AND {column} = ?2 AND archived_at IS NULL")
    };
    match target {
        Target::Dish(id) => opt(conn, &find("menu_item_id"), params![outlet, id], read_head),
        Target::Option(id) => opt(conn, &find("option_id"), params![outlet, id], read_head),
        Target::Preparation(name) => opt(conn, &find("name"), params![outlet, name], read_head),
    }
}

/// The outlet's preparation of that id.
pub fn find_preparation(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Head>> {
    let sql = format!(
        "SELECT {HEAD} FROM recipes WHERE id = ?1 AND outlet_id = ?2 AND name IS NOT NULL AND archived_at IS NULL"
    );
    opt(conn, &sql, params![id, outlet], read_head)
}

/// A page of the outlet's preparations by name; and how many there are.
pub fn page_preparations(
    conn: &dyn db::Source,
    outlet: Uuid,
    search: Option<&str>,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Head>, i64)> {
    let holds = "outlet_id = ?1 AND name IS NOT NULL AND archived_at IS NULL AND (?2 IS NULL OR name LIKE ?2 ESCAPE '\\')";
    let search = search.map(like);
    let sql = format!("SELECT {HEAD} FROM recipes WHERE {holds} ORDER BY name, id LIMIT ?3 OFFSET ?4");
    let heads = rows(conn, &sql, params![outlet, search, limit, offset], read_head)?;
    let count = format!("SELECT count(*) FROM recipes WHERE {holds}");
    let total = one(conn, &count, params![outlet, search], |row| row.get(0))?;
    Ok((heads, total))
}

/// The ingredients of a recipe with their names.
pub fn ingredients(conn: &dyn db::Source, recipe: Uuid) -> db::Result<Vec<IngredientRow>> {
    let sql = "SELECT i.stock_item_id, i.sub_recipe_id, coalesce(s.name, r.name, ''), i.quantity, i.unit
               FROM recipe_ingredients i LEFT JOIN stock_items s ON s.id = i.stock_item_id
                 LEFT JOIN recipes r ON r.id = i.sub_recipe_id
               WHERE i.recipe_id = ?1 ORDER BY i.sort_order";
    rows(conn, sql, [recipe], |row| {
        Ok(IngredientRow {
            stock_item_id: row.get(0)?,
            sub_recipe_id: row.get(1)?,
            name: row.get(2)?,
            quantity: row.get(3)?,
            unit: row.get(4)?,
        })
    })
}

/// Whether a dish or an option of that id can have a recipe here.
pub fn target_exists(conn: &dyn db::Source, outlet: Uuid, target: &Target) -> db::Result<bool> {
    let (sql, id) = match target {
        Target::Dish(id) => (
            "SELECT EXISTS (SELECT 1 FROM menu_items WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL)",
            id,
        ),
        Target::Option(id) => (
            "SELECT EXISTS (SELECT 1 FROM modifier_options WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL)",
            id,
        ),
        Target::Preparation(_) => return Ok(true),
    };
    one(conn, sql, params![id, outlet], |row| row.get(0))
}

/// Names of live recipes that use the preparation, or the stock item.
pub fn users_of(conn: &dyn db::Source, id: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT coalesce(m.name, o.name, r.name, '') FROM recipe_ingredients i JOIN recipes r ON r.id = i.recipe_id
                 LEFT JOIN menu_items m ON m.id = r.menu_item_id LEFT JOIN modifier_options o ON o.id = r.option_id
               WHERE (i.sub_recipe_id = ?1 OR i.stock_item_id = ?1) AND r.archived_at IS NULL
                 AND m.archived_at IS NULL AND o.archived_at IS NULL
               ORDER BY 1 LIMIT 5";
    rows(conn, sql, [id], |row| row.get(0))
}

const BOOK: &str =
    "r.id, r.yield_quantity, r.yield_unit, i.stock_item_id, i.sub_recipe_id, i.quantity, i.unit, s.unit,
  s.unit_conversions, r.name IS NULL";

/// Adds one row of [`BOOK`]; answers the recipe and whether it is a dish's or an option's.
fn add_row(book: &mut Book, row: &Row<'_>) -> db::Result<(Uuid, bool)> {
    let id: Uuid = row.get(0)?;
    let (makes, yield_unit) = (row.get(1)?, row.get_ref(2)?.as_str()?);
    let recipe = book.entry(id).or_insert_with(|| Recipe {
        makes,
        yield_unit: yield_unit.to_owned(),
        ingredients: Vec::new(),
    });
    let source = match (row.get::<_, Option<Uuid>>(3)?, row.get::<_, Option<Uuid>>(4)?) {
        (Some(id), _) => {
            Some(Source::Stock { id, unit: row.get(7)?, conversions: conversions(row.get_ref(8)?.as_str()?) })
        }
        (None, Some(other)) => Some(Source::Preparation(other)),
        (None, None) => None,
    };
    if let Some(source) = source {
        recipe.ingredients.push(Ingredient { source, quantity: row.get(5)?, unit: row.get(6)? });
    }
    Ok((id, row.get(9)?))
}

fn conversions(text: &str) -> Vec<UnitConversion> {
    if text == "[]" { Vec::new() } else { serde_json::from_str(text).unwrap_or_default() }
}

/// The text is made once: it is run for every dish of every order.
static DISH_BOOK: LazyLock<String> = LazyLock::new(|| book_sql("menu_item_id"));
static OPTION_BOOK: LazyLock<String> = LazyLock::new(|| book_sql("option_id"));

fn book_sql(column: &str) -> String {
    format!(
        "WITH RECURSIVE used (id) AS (
           SELECT id FROM recipes WHERE outlet_id = ?1 AND {column} = ?2 AND archived_at IS NULL
           UNION
           SELECT i.sub_recipe_id FROM used JOIN recipe_ingredients i ON i.recipe_id = used.id
           WHERE i.sub_recipe_id IS NOT NULL)
         SELECT {BOOK} FROM used CROSS JOIN recipes r ON r.id = used.id
           LEFT JOIN recipe_ingredients i ON i.recipe_id = r.id LEFT JOIN stock_items s ON s.id = i.stock_item_id
         ORDER BY r.id, i.sort_order"
    )
}

/// The recipe of a dish or an option with everything it is made of, in one statement. Its own id comes with it.
pub fn book_for(conn: &dyn db::Source, outlet: Uuid, target: &Target) -> db::Result<Option<(Uuid, Book)>> {
    let (sql, id) = match target {
        Target::Dish(id) => (&*DISH_BOOK, id),
        Target::Option(id) => (&*OPTION_BOOK, id),
        Target::Preparation(_) => return Ok(None),
    };
    let mut book = Book::new();
    let mut root = None;
    for (id, is_root) in rows(conn, sql, params![outlet, id], |row| add_row(&mut book, row))? {
        if is_root {
            root = Some(id);
        }
    }
    Ok(root.map(|id| (id, book)))
}

/// All live recipes of the outlet.
pub fn whole_book(conn: &dyn db::Source, outlet: Uuid) -> db::Result<Book> {
    let sql = format!(
        "SELECT {BOOK} FROM recipes r LEFT JOIN recipe_ingredients i ON i.recipe_id = r.id
           LEFT JOIN stock_items s ON s.id = i.stock_item_id
         WHERE r.outlet_id = ?1 AND r.archived_at IS NULL ORDER BY r.id, i.sort_order"
    );
    let mut book = Book::new();
    rows(conn, &sql, [outlet], |row| add_row(&mut book, row))?;
    Ok(book)
}

pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    target: &Target,
    draft: &RecipeDraft,
) -> db::Result<()> {
    let (dish, option, name) = match target {
        Target::Dish(id) => (Some(id), None, None),
        Target::Option(id) => (None, Some(id), None),
        Target::Preparation(name) => (None, None, Some(name)),
    };
    tx.execute(
        "INSERT INTO recipes (id, outlet_id, menu_item_id, option_id, name, yield_quantity, yield_unit, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
        params![id, outlet, dish, option, name, draft.makes, draft.yield_unit, tx.now()],
    )?;
    insert_ingredients(tx, outlet, id, draft)
}

pub(in super::super) fn update(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    name: Option<&str>,
    draft: &RecipeDraft,
) -> db::Result<()> {
    tx.execute(
        "UPDATE recipes SET name = ?3, yield_quantity = ?4, yield_unit = ?5, updated_at = ?6, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, name, draft.makes, draft.yield_unit, tx.now()],
    )?;
    tx.execute(
        "DELETE FROM recipe_ingredients WHERE recipe_id = ?1 AND outlet_id = ?2",
        params![id, outlet],
    )?;
    insert_ingredients(tx, outlet, id, draft)
}

fn insert_ingredients(
    tx: &Transaction<'_>,
    outlet: Uuid,
    recipe: Uuid,
    draft: &RecipeDraft,
) -> db::Result<()> {
    for (position, ingredient) in (0i64..).zip(&draft.ingredients) {
        tx.execute(
            "INSERT INTO recipe_ingredients (id, outlet_id, recipe_id, stock_item_id, sub_recipe_id, quantity, unit, sort_order)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                tx.new_id(),
                outlet,
                recipe,
                ingredient.stock_item_id,
                ingredient.sub_recipe_id,
                ingredient.quantity,
                ingredient.unit,
                position
            ],
        )?;
    }
    Ok(())
}

pub(in super::super) fn set_archived(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE recipes SET archived_at = ?3, updated_at = ?3, version = version + 1 WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, tx.now()],
    )
    .map(drop)
}
