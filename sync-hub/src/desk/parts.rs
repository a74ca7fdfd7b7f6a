//! What the catalogue is made of: the shared tables that head office publishes, how their rows hang together, how a row is
//! recognised in an outlet that had it before, and what stays the outlet's own. Data only.

use tiffin_common::registry::{self, Table};

/// One table of the catalogue.
#[derive(Debug)]
pub struct Part {
    /// The table's name.
    pub name: &'static str,
    /// Columns that name rows of other parts.
    pub refs: &'static [(&'static str, &'static str)],
    /// The column among them that, where it is set, names the row of the same table that this one is a part of.
    pub within: Option<&'static str>,
    /// The column among them that names the row this one is a part of otherwise.
    pub owner: Option<&'static str>,
    /// By what a row is recognised in an outlet that has it already: the first list of columns that all have values, and that
    /// exactly one row there shares.
    pub alike: &'static [&'static [&'static str]],
    /// Columns that are the outlet's own: never published.
    pub own: &'static [&'static str],
    /// Columns that are published with a new row and when an edit names them, but leave a row that was there before as it is.
    pub first: &'static [&'static str],
    /// Columns among `refs` whose rows an outlet has to have: for the sake of this one none is brought there, and without them neither is this.
    pub known: &'static [&'static str],
    /// Whether it is about people: published to where they work.
    pub people: bool,
}

const NOTHING: Part = Part {
    name: "",
    refs: &[],
    within: None,
    owner: None,
    alike: &[],
    own: &[],
    first: &[],
    known: &[],
    people: false,
};

/// The parts, each after those it names.
pub const PARTS: &[Part] = &[
    Part { name: "tax_categories", alike: &[&["name"]], ..NOTHING },
    Part { name: "menu_categories", alike: &[&["name"]], first: &["sort_order"], ..NOTHING },
    Part {
        name: "menu_items",
        refs: &[
            ("category_id", "menu_categories"),
            ("tax_category_id", "tax_categories"),
            ("variant_of_id", "menu_items"),
        ],
        // A variant goes where its dish is.
        within: Some("variant_of_id"),
        // A dish that is new in a category goes where the category is.
        owner: Some("category_id"),
        alike: &[&["sku"], &["category_id", "name"], &["name"]],
        own: &["station_id"],
        first: &["sort_order"],
        ..NOTHING
    },
    Part { name: "modifier_groups", alike: &[&["name"]], ..NOTHING },
    Part {
        name: "modifier_options",
        refs: &[("group_id", "modifier_groups")],
        owner: Some("group_id"),
        alike: &[&["group_id", "name"]],
        ..NOTHING
    },
    Part {
        name: "menu_item_modifier_groups",
        refs: &[("menu_item_id", "menu_items"), ("group_id", "modifier_groups")],
        owner: Some("menu_item_id"),
        alike: &[&["menu_item_id", "group_id"]],
        ..NOTHING
    },
    // Which channels there are, an outlet knows for itself.
    Part { name: "price_lists", alike: &[&["name"]], first: &["channel_ids"], ..NOTHING },
    Part {
        name: "price_list_entries",
        refs: &[
            ("price_list_id", "price_lists"),
            ("menu_item_id", "menu_items"),
            ("category_id", "menu_categories"),
        ],
        owner: Some("price_list_id"),
        alike: &[&["price_list_id", "menu_item_id"], &["price_list_id", "category_id"]],
        // A price puts no dish on a menu.
        known: &["menu_item_id", "category_id"],
        ..NOTHING
    },
    Part {
        name: "combo_components",
        refs: &[("menu_item_id", "menu_items")],
        owner: Some("menu_item_id"),
        alike: &[&["menu_item_id", "name"]],
        ..NOTHING
    },
    Part {
        name: "combo_options",
        refs: &[
            ("component_id", "combo_components"),
            ("menu_item_id", "menu_items"),
            ("variant_id", "menu_items"),
        ],
        owner: Some("component_id"),
        alike: &[&["component_id", "variant_id"], &["component_id", "menu_item_id"]],
        ..NOTHING
    },
    Part { name: "suppliers", alike: &[&["name"]], ..NOTHING },
    Part {
        name: "recipes",
        refs: &[("menu_item_id", "menu_items"), ("option_id", "modifier_options")],
        alike: &[&["menu_item_id"], &["option_id"], &["name"]],
        ..NOTHING
    },
    Part {
        name: "stock_items",
        refs: &[("supplier_id", "suppliers"), ("preparation_id", "recipes")],
        alike: &[&["sku"], &["name"]],
        first: &["min_stock_threshold", "par_level", "supplier_id", "rotation"],
        ..NOTHING
    },
    Part {
        name: "recipe_ingredients",
        refs: &[("recipe_id", "recipes"), ("stock_item_id", "stock_items"), ("sub_recipe_id", "recipes")],
        owner: Some("recipe_id"),
        alike: &[&["recipe_id", "stock_item_id"], &["recipe_id", "sub_recipe_id"]],
        ..NOTHING
    },
    Part {
        name: "employees",
        alike: &[&["email"], &["employee_code", "name"]],
        own: &["pin_hash"],
        first: &["station", "employee_code"],
        people: true,
        ..NOTHING
    },
    Part {
        name: "employee_wages",
        refs: &[("employee_id", "employees")],
        owner: Some("employee_id"),
        alike: &[&["employee_id", "effective_at"]],
        people: true,
        ..NOTHING
    },
    Part {
        name: "accounts",
        refs: &[("employee_id", "employees")],
        owner: Some("employee_id"),
        alike: &[&["email"], &["employee_id"]],
        first: &["password_hash"],
        people: true,
        ..NOTHING
    },
    Part {
        name: "account_outlets",
        refs: &[("account_id", "accounts")],
        owner: Some("account_id"),
        alike: &[&["account_id", "outlet_id"]],
        people: true,
        ..NOTHING
    },
];

/// Columns that every row has and that mapping sets itself.
pub const KEPT_APART: &[&str] = &["id", "outlet_id", "version"];

impl Part {
    /// The table.
    pub fn table(&self) -> Option<&'static Table> {
        registry::table_named(self.name)
    }

    /// The part whose rows `column` names.
    pub fn named_by(&self, column: &str) -> Option<&'static Part> {
        let (_, name) = self.refs.iter().find(|(known, _)| *known == column)?;
        part_named(name)
    }
}

/// The part with that table.
pub fn part(table: &Table) -> Option<&'static Part> {
    part_named(table.name)
}

/// The part of that name.
pub fn part_named(name: &str) -> Option<&'static Part> {
    PARTS.iter().find(|part| part.name == name)
}

/// What goes with a row of `parent`: the parts with a column that names it as what they belong to, with that column.
pub fn children(parent: &Part) -> impl Iterator<Item = (&'static Part, &'static str)> {
    let name = parent.name;
    PARTS.iter().flat_map(move |part| {
        let belongs = move |column: &str| match name {
            // A dish is not a part of its category, though it follows it.
            "menu_categories" => false,
            "menu_items" | "modifier_options" if part.name == "recipes" => true,
            _ => part.within == Some(column) || part.owner == Some(column),
        };
        part.refs
            .iter()
            .filter(move |(column, target)| *target == name && belongs(column))
            .map(move |(column, _)| (part, *column))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tiffin_common::registry::{Owner, TABLES};

    #[test]
    fn every_shared_table_is_published_but_the_outlets_own_record_and_transfers() {
        let shared: BTreeSet<_> =
            TABLES.iter().filter(|table| table.owner == Owner::Shared).map(|table| table.name).collect();
        let mut published: BTreeSet<_> = PARTS.iter().map(|part| part.name).collect();
        published.extend(["outlets", "incoming_transfers", "transfer_outcomes"]);
        assert_eq!(published, shared);
    }

    #[test]
    fn columns_exist_and_references_point_backwards() {
        for (place, part) in PARTS.iter().enumerate() {
            let table = part.table().unwrap();
            let named = part.refs.iter().map(|(column, _)| column);
            let columns = named
                .chain(part.own)
                .chain(part.first)
                .chain(part.known)
                .chain(part.alike.iter().copied().flatten());
            for column in columns.chain(part.owner.iter()) {
                assert!(table.columns.contains(column), "{}.{column}", part.name);
            }
            for (_, target) in part.refs {
                let before = PARTS.iter().position(|other| other.name == *target).unwrap();
                assert!(before <= place, "{} names {target}", part.name);
            }
        }
    }

    #[test]
    fn a_dish_brings_its_groups_and_its_recipe() {
        let names = |parent: &str| -> Vec<_> {
            children(part_named(parent).unwrap()).map(|(part, column)| (part.name, column)).collect()
        };
        assert_eq!(
            names("menu_items"),
            [
                ("menu_items", "variant_of_id"),
                ("menu_item_modifier_groups", "menu_item_id"),
                ("combo_components", "menu_item_id"),
                ("recipes", "menu_item_id")
            ]
        );
        assert_eq!(names("modifier_groups"), [("modifier_options", "group_id")]);
        assert_eq!(names("combo_components"), [("combo_options", "component_id")]);
        assert_eq!(names("recipes"), [("recipe_ingredients", "recipe_id")]);
        assert_eq!(names("employees"), [("employee_wages", "employee_id"), ("accounts", "employee_id")]);
        assert_eq!(names("menu_categories"), []);
        assert_eq!(names("price_lists"), [("price_list_entries", "price_list_id")]);
    }
}
