//! What a publication means at an outlet that has some of it already.

use super::*;
use std::convert::Infallible;
use tiffin_common::registry::table_named;

const OUTLET: Uuid = Uuid::from_u128(0xA);

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn table(name: &str) -> &'static Table {
    table_named(name).unwrap()
}

fn columns(table: &Table, values: &[(&str, Held)]) -> Columns {
    values.iter().map(|(name, value)| (table.column(name).unwrap(), value.clone())).collect()
}

fn text(text: &str) -> Held {
    Held::Text(text.to_owned())
}

/// An outlet of rows in memory.
#[derive(Default)]
struct Branch {
    rows: Vec<(&'static Table, Uuid, Columns)>,
    links: Vec<Link>,
}

impl Branch {
    fn with(mut self, name: &str, row: u128, values: &[(&str, Held)]) -> Branch {
        self.rows.push((table(name), id(row), columns(table(name), values)));
        self
    }

    fn tied(mut self, name: &str, catalogue: u128, row: u128) -> Branch {
        let (catalogue_id, row_id) = (id(catalogue), id(row));
        self.links.push(Link { table: table(name).no, catalogue_id, row_id, from: None });
        self
    }
}

impl Lookup for Branch {
    type Error = Infallible;

    fn outlet(&self) -> Uuid {
        OUTLET
    }

    fn link(&self, table: &'static Table, catalogue_id: Uuid) -> Result<Option<Link>, Infallible> {
        let found =
            self.links.iter().find(|link| link.table == table.no && link.catalogue_id == catalogue_id);
        Ok(found.cloned())
    }

    fn is_linked(&self, table: &'static Table, row_id: Uuid) -> Result<bool, Infallible> {
        Ok(self.links.iter().any(|link| link.table == table.no && link.row_id == row_id))
    }

    fn row(&self, table: &'static Table, id: Uuid) -> Result<Option<Columns>, Infallible> {
        let found = self.rows.iter().find(|(known, row, _)| known.no == table.no && *row == id);
        Ok(found.map(|(_, _, columns)| columns.clone()))
    }

    fn alike(
        &self,
        table: &'static Table,
        values: &[(&'static str, Held)],
        archived: bool,
    ) -> Result<Vec<Uuid>, Infallible> {
        let same = |row: &Columns| {
            values.iter().all(|(name, value)| row.get(&table.column(name).unwrap()) == Some(value))
        };
        let found = self
            .rows
            .iter()
            .filter(|(known, _, row)| known.no == table.no && (archived || is_live(table, row)) && same(row));
        Ok(found.map(|(_, id, _)| *id).collect())
    }
}

type Seed<'a> = (&'a str, u128, &'a [(&'a str, Held)]);

/// A category with one dish, its group with one option, and its recipe of one stock item.
fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    let rows: &[Seed<'_>] = &[
        ("menu_categories", 1, &[("name", text("Grill"))]),
        (
            "menu_items",
            2,
            &[
                ("category_id", Held::Id(id(1))),
                ("name", text("Paneer tikka")),
                ("price_cents", Held::Integer(280)),
                ("station_id", Held::Id(id(99))),
            ],
        ),
        ("modifier_groups", 3, &[("name", text("Size"))]),
        ("modifier_options", 4, &[("group_id", Held::Id(id(3))), ("name", text("Large"))]),
        ("menu_item_modifier_groups", 5, &[("menu_item_id", Held::Id(id(2))), ("group_id", Held::Id(id(3)))]),
        ("stock_items", 6, &[("name", text("Paneer"))]),
        ("recipes", 7, &[("menu_item_id", Held::Id(id(2)))]),
        (
            "recipe_ingredients",
            8,
            &[
                ("recipe_id", Held::Id(id(7))),
                ("stock_item_id", Held::Id(id(6))),
                ("quantity", Held::Integer(150)),
            ],
        ),
        ("employees", 9, &[("employee_code", text("EMP01")), ("name", text("Ravi"))]),
    ];
    let undo: Vec<RowChange> = rows
        .iter()
        .map(|(name, row, values)| RowChange {
            table: table(name),
            kind: OpKind::Insert,
            id: id(*row),
            columns: columns(table(name), values),
        })
        .collect();
    catalogue.undo(&[], &undo);
    catalogue
}

fn edit(name: &str, row: u128, kind: OpKind, values: &[(&str, Held)]) -> RowChange {
    RowChange { table: table(name), kind, id: id(row), columns: columns(table(name), values) }
}

fn find<'o>(outcome: &'o Outcome, name: &str) -> &'o RowChange {
    let mut found = outcome.changes.iter().filter(|mapped| mapped.change.table.name == name);
    let change = &found.next().unwrap_or_else(|| panic!("nothing of {name}: {outcome:?}")).change;
    assert_eq!(found.next(), None);
    change
}

#[test]
fn a_dish_that_is_new_brings_everything_it_needs_under_ids_of_the_outlet() {
    let (catalogue, branch) = (catalogue(), Branch::default());
    let change = edit("menu_items", 2, OpKind::Insert, &[]);
    let outcome = Mapping::new(&catalogue, &branch, None).changes(std::slice::from_ref(&change)).unwrap();
    let names: Vec<_> = outcome.changes.iter().map(|mapped| mapped.change.table.name).collect();
    let expected = [
        "menu_categories",
        "menu_items",
        "modifier_groups",
        "modifier_options",
        "menu_item_modifier_groups",
        "recipes",
        "stock_items",
        "recipe_ingredients",
    ];
    assert_eq!(names, expected, "each after what it names");
    let dish = find(&outcome, "menu_items");
    assert_eq!(dish.id, derived(OUTLET, dish.table.no, id(2)));
    assert_eq!(dish.get("category_id"), Some(&Held::Id(find(&outcome, "menu_categories").id)));
    assert_eq!(dish.get("outlet_id"), Some(&Held::Id(OUTLET)));
    assert_eq!(dish.get("station_id"), None, "stations are the outlet's own");
    assert_eq!(outcome.links.len(), 8);
    let again = Mapping::new(&catalogue, &branch, None).changes(&[change]).unwrap();
    assert_eq!(again, outcome);
}

#[test]
fn a_dish_the_outlet_has_is_recognised_and_keeps_what_is_its_own() {
    let catalogue = catalogue();
    let branch = Branch::default()
        .with("menu_categories", 21, &[("name", text("Grill"))])
        .with(
            "menu_items",
            22,
            &[
                ("category_id", Held::Id(id(21))),
                ("name", text("Paneer tikka")),
                ("price_cents", Held::Integer(250)),
                ("station_id", Held::Id(id(77))),
            ],
        )
        .with("recipes", 27, &[("menu_item_id", Held::Id(id(22)))])
        .with("stock_items", 26, &[("name", text("Paneer"))])
        .with("stock_items", 36, &[("name", text("Cream"))])
        .with(
            "recipe_ingredients",
            28,
            &[
                ("recipe_id", Held::Id(id(27))),
                ("stock_item_id", Held::Id(id(26))),
                ("quantity", Held::Integer(100)),
            ],
        )
        .with(
            "recipe_ingredients",
            38,
            &[
                ("recipe_id", Held::Id(id(27))),
                ("stock_item_id", Held::Id(id(36))),
                ("quantity", Held::Integer(5)),
            ],
        );
    let change = edit("menu_items", 2, OpKind::Update, &[("price_cents", Held::Integer(280))]);
    let outcome = Mapping::new(&catalogue, &branch, None).changes(&[change]).unwrap();
    let dish = find(&outcome, "menu_items");
    assert_eq!(
        (dish.kind, dish.id, &dish.columns),
        (OpKind::Update, id(22), &columns(dish.table, &[("price_cents", Held::Integer(280))]))
    );
    let ingredients: Vec<_> = outcome
        .changes
        .iter()
        .filter(|mapped| mapped.change.table.name == "recipe_ingredients")
        .map(|mapped| (mapped.change.kind, mapped.change.id))
        .collect();
    let expected = [(OpKind::Update, id(28)), (OpKind::Delete, id(38))];
    assert_eq!(ingredients, expected, "the recipe becomes head office's, not both");
}

#[test]
fn two_rows_alike_or_one_that_is_taken_are_no_match() {
    let catalogue = catalogue();
    let twice = Branch::default().with("modifier_groups", 31, &[("name", text("Size"))]).with(
        "modifier_groups",
        32,
        &[("name", text("Size"))],
    );
    let change = [edit("modifier_groups", 3, OpKind::Insert, &[])];
    let outcome = Mapping::new(&catalogue, &twice, None).changes(&change).unwrap();
    assert_eq!(find(&outcome, "modifier_groups").kind, OpKind::Insert);
    let taken = Branch::default().with("modifier_groups", 31, &[("name", text("Size"))]).tied(
        "modifier_groups",
        333,
        31,
    );
    let outcome = Mapping::new(&catalogue, &taken, None).changes(&change).unwrap();
    assert_eq!(find(&outcome, "modifier_groups").kind, OpKind::Insert);
}

#[test]
fn what_the_outlet_archived_stays_archived_when_everything_is_published_again() {
    let catalogue = catalogue();
    let branch = Branch::default()
        .with("menu_categories", 21, &[("name", text("Grill")), ("archived_at", Held::Integer(5))])
        .tied("menu_categories", 1, 21);
    let outcome = Mapping::new(&catalogue, &branch, None).everything(false).unwrap();
    assert!(outcome.changes.iter().all(|mapped| mapped.change.id != id(21)), "{outcome:?}");
    assert!(outcome.changes.iter().all(|mapped| mapped.change.table.name != "employees"), "no staff");
}

#[test]
fn a_code_that_somebody_else_has_is_spelled_differently() {
    let catalogue = catalogue();
    let branch =
        Branch::default().with("employees", 41, &[("employee_code", text("EMP01")), ("name", text("Meera"))]);
    let change = [edit("employees", 9, OpKind::Insert, &[])];
    let outcome = Mapping::new(&catalogue, &branch, None).changes(&change).unwrap();
    assert_eq!(find(&outcome, "employees").get("employee_code"), Some(&text("HQ-EMP01")));
    let same =
        Branch::default().with("employees", 41, &[("employee_code", text("EMP01")), ("name", text("Ravi"))]);
    let outcome = Mapping::new(&catalogue, &same, None).changes(&change).unwrap();
    assert_eq!(outcome.links[0].row_id, id(41), "the same person");
    assert_eq!(outcome.changes, [], "who is as they were");
}

#[test]
fn an_edit_of_what_comes_tomorrow_comes_tomorrow() {
    let catalogue = catalogue();
    let tomorrow = Some(Millis::new(1_000));
    let mut branch = Branch::default().tied("menu_items", 2, 22);
    branch.links[0].from = tomorrow;
    let change = edit("menu_items", 2, OpKind::Update, &[("price_cents", Held::Integer(300))]);
    let outcome = Mapping::new(&catalogue, &branch, None).changes(&[change]).unwrap();
    assert_eq!(outcome.changes[0].from, tomorrow);
}
