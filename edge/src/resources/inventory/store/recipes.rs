//! Rows of `recipes` and `recipe_ingredients`.

use super::like;
use crate::db::{self, Columns, Json, Page, Row, Tx, list as rows, one, opt, page, table};
use crate::resources::inventory::rules::recipe::{Book, Head, Ingredient, Recipe, Shelf, Source, Target};
use crate::resources::inventory::rules::{IngredientDraft, RecipeDraft, UnitConversion};
use rusqlite::params;
use std::sync::LazyLock;
use tiffin_common::Uuid;

/// The outlet's recipe of a dish, an option, or the preparation of that name.
pub fn find_for(conn: &dyn db::Source, outlet: Uuid, target: &Target) -> db::Result<Option<Head>> {
    macro_rules! of {
        ($column:literal) => {
            select!(Head, concat!("WHERE outlet_id = ?1 AND ", $column, " = ?2 AND archived_at IS NULL"))
        };
    }
    match target {
        Target::Dish(id) => opt(conn, of!("menu_item_id"), [outlet, *id], Head::read),
        Target::Option(id) => opt(conn, of!("option_id"), [outlet, *id], Head::read),
        Target::Preparation(name) => opt(conn, of!("name"), params![outlet, name], Head::read),
    }
}

/// The outlet's preparation of that id.
pub fn find_preparation(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Head>> {
    let sql = select!(Head, "WHERE id = ?1 AND outlet_id = ?2 AND name IS NOT NULL AND archived_at IS NULL");
    opt(conn, sql, [id, outlet], Head::read)
}

/// All of the outlet's recipes: of dishes, of options, and preparations.
pub fn list_heads(conn: &dyn db::Source, outlet: Uuid) -> db::Result<Vec<Head>> {
    rows(
        conn,
        select!(Head, "WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY id"),
        [outlet],
        Head::read,
    )
}

/// A page of the outlet's preparations by name.
pub fn list_preparations(
    conn: &dyn db::Source,
    outlet: Uuid,
    search: Option<&str>,
    paging: (u32, u32),
) -> db::Result<Page<Head>> {
    let holds = "WHERE outlet_id = ?1 AND name IS NOT NULL AND archived_at IS NULL
      AND (?2 IS NULL OR name LIKE ?2 ESCAPE '\\')";
    let sql = table::select::<Head>("", "", &format!("{holds} ORDER BY name, id"));
    let count = format!("SELECT count(*) FROM recipes {holds}");
    page(conn, (&sql, &count), params![outlet, search.map(like)], paging, Head::read)
}

/// The ingredients of a recipe, each with its name.
pub fn list_ingredients(conn: &dyn db::Source, recipe: Uuid) -> db::Result<Vec<(IngredientDraft, String)>> {
    let sql = select!(
        IngredientDraft as i,
        "coalesce(s.name, r.name, '') AS name",
        "LEFT JOIN stock_items s ON s.id = i.stock_item_id LEFT JOIN recipes r ON r.id = i.sub_recipe_id
         WHERE i.recipe_id = ?1 ORDER BY i.sort_order"
    );
    rows(conn, sql, [recipe], |row| Ok((IngredientDraft::read(row)?, row.get("name")?)))
}

/// Whether a dish or an option of that id can have a recipe here: a combo's are its components'.
pub fn has_target(conn: &dyn db::Source, outlet: Uuid, target: &Target) -> db::Result<bool> {
    let (sql, id) = match target {
        Target::Dish(id) => (
            "SELECT EXISTS (SELECT 1 FROM menu_items WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL AND kind = 'ITEM')",
            id,
        ),
        Target::Option(id) => (
            "SELECT EXISTS (SELECT 1 FROM modifier_options WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL)",
            id,
        ),
        Target::Preparation(_) => return Ok(true),
    };
    one(conn, sql, [*id, outlet], |row| row.get(0))
}

/// Names of live recipes that use the preparation, or the stock item.
pub fn list_users(conn: &dyn db::Source, id: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT coalesce(m.name, o.name, r.name, '') FROM recipe_ingredients i JOIN recipes r ON r.id = i.recipe_id
                 LEFT JOIN menu_items m ON m.id = r.menu_item_id LEFT JOIN modifier_options o ON o.id = r.option_id
               WHERE (i.sub_recipe_id = ?1 OR i.stock_item_id = ?1) AND r.archived_at IS NULL
                 AND m.archived_at IS NULL AND o.archived_at IS NULL
               ORDER BY 1 LIMIT 5";
    rows(conn, sql, [id], |row| row.get(0))
}

/// The names of the preparations that lie in the store room as the item.
pub fn list_kept_as(conn: &dyn db::Source, id: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT r.name FROM stock_items s JOIN recipes r ON r.id = s.preparation_id
               WHERE s.id = ?1 AND r.archived_at IS NULL";
    rows(conn, sql, [id], |row| row.get(0))
}

const BOOK: &str =
    "r.id, r.yield_quantity, r.yield_unit, i.stock_item_id, i.sub_recipe_id, i.quantity, i.unit,
  s.unit AS stock_unit, s.unit_conversions, r.name IS NULL AS is_root, f.id AS shelf_id, f.unit AS shelf_unit,
  f.unit_conversions AS shelf_conversions";

/// Where what is made of recipe `r` lies: one item, though two lives of a box may each have made one.
macro_rules! shelf {
    () => {
        "LEFT JOIN stock_items f ON f.id = (SELECT min(l.id) FROM stock_items l
           WHERE l.preparation_id = r.id AND l.archived_at IS NULL)"
    };
}

/// Adds one row of [`BOOK`]; answers the recipe and whether it is a dish's or an option's.
fn add_row(book: &mut Book, row: &Row<'_>) -> db::Result<(Uuid, bool)> {
    let id: Uuid = row.get("id")?;
    let (makes, yield_unit) = (row.get("yield_quantity")?, row.get_ref("yield_unit")?.as_str()?);
    let shelf = match row.get("shelf_id")? {
        Some(id) => {
            let Json(conversions) = row.get("shelf_conversions")?;
            Some(Shelf { id, unit: row.get("shelf_unit")?, conversions })
        }
        None => None,
    };
    let recipe = book.entry(id).or_insert_with(|| Recipe {
        makes,
        yield_unit: yield_unit.to_owned(),
        ingredients: Vec::new(),
        shelf,
    });
    let stock_item: Option<Uuid> = row.get("stock_item_id")?;
    let source = match (stock_item, row.get("sub_recipe_id")?) {
        (Some(id), _) => {
            let Json::<Vec<UnitConversion>>(conversions) = row.get("unit_conversions")?;
            Some(Source::Stock { id, unit: row.get("stock_unit")?, conversions })
        }
        (None, Some(other)) => Some(Source::Preparation(other)),
        (None, None) => None,
    };
    if let Some(source) = source {
        recipe.ingredients.push(Ingredient {
            source,
            quantity: row.get("quantity")?,
            unit: row.get("unit")?,
        });
    }
    Ok((id, row.get("is_root")?))
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
           {} ORDER BY r.id, i.sort_order",
        shelf!()
    )
}

/// The recipe of a dish or an option with everything it is made of, in one statement. Its own id comes with it.
pub fn find_book(conn: &dyn db::Source, outlet: Uuid, target: &Target) -> db::Result<Option<(Uuid, Book)>> {
    let (sql, id) = match target {
        Target::Dish(id) => (&*DISH_BOOK, id),
        Target::Option(id) => (&*OPTION_BOOK, id),
        Target::Preparation(_) => return Ok(None),
    };
    let mut book = Book::new();
    let mut root = None;
    for (id, is_root) in rows(conn, sql, [outlet, *id], |row| add_row(&mut book, row))? {
        if is_root {
            root = Some(id);
        }
    }
    Ok(root.map(|id| (id, book)))
}

/// All live recipes of the outlet.
pub fn find_whole_book(conn: &dyn db::Source, outlet: Uuid) -> db::Result<Book> {
    let sql = format!(
        "SELECT {BOOK} FROM recipes r LEFT JOIN recipe_ingredients i ON i.recipe_id = r.id
           LEFT JOIN stock_items s ON s.id = i.stock_item_id {}
         WHERE r.outlet_id = ?1 AND r.archived_at IS NULL ORDER BY r.id, i.sort_order",
        shelf!()
    );
    let mut book = Book::new();
    rows(conn, &sql, [outlet], |row| add_row(&mut book, row))?;
    Ok(book)
}

pub(in super::super) fn insert(
    tx: &Tx<'_>,
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
    let now = tx.now();
    insert!(
        tx,
        recipes {
            id: id,
            outlet_id: outlet,
            menu_item_id: dish,
            option_id: option,
            name: name,
            created_at: now,
            updated_at: now,
            ..draft
        }
    )?;
    insert_ingredients(tx, outlet, id, draft)
}

pub(in super::super) fn update(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    name: Option<&str>,
    draft: &RecipeDraft,
) -> db::Result<()> {
    update!(tx, recipes { name: name, updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })?;
    tx.execute(
        "DELETE FROM recipe_ingredients WHERE recipe_id = ?1 AND outlet_id = ?2",
        params![id, outlet],
    )?;
    insert_ingredients(tx, outlet, id, draft)
}

fn insert_ingredients(tx: &Tx<'_>, outlet: Uuid, recipe: Uuid, draft: &RecipeDraft) -> db::Result<()> {
    for (position, ingredient) in (0i64..).zip(&draft.ingredients) {
        insert!(
            tx,
            recipe_ingredients {
                id: tx.new_id(),
                outlet_id: outlet,
                recipe_id: recipe,
                sort_order: position,
                ..ingredient
            }
        )?;
    }
    Ok(())
}

pub(in super::super) fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, recipes { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}
