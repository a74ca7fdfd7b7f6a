//! Proves that the sample restaurant fits together: every reference resolves, every recipe converts, nothing is missing.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// What does not fit together, in words; empty when all is well.
fn problems(restaurant: &Restaurant) -> Vec<String> {
    let mut found = Vec::new();
    let stations = keys("station", restaurant.stations.iter().map(|s| &s.key), &mut found);
    let suppliers = keys("supplier", restaurant.suppliers.iter().map(|s| &s.key), &mut found);
    let taxes = keys("tax category", restaurant.tax_categories.iter().map(|t| &t.key), &mut found);
    let categories = keys("category", restaurant.categories.iter().map(|c| &c.key), &mut found);
    let groups = keys("modifier group", restaurant.modifier_groups.iter().map(|g| &g.key), &mut found);
    let people = keys("employee", restaurant.employees.iter().map(|e| &e.employee_code), &mut found);
    keys("menu item", restaurant.menu_items.iter().map(|i| &i.key), &mut found);
    keys("menu sku", restaurant.menu_items.iter().map(|i| &i.sku), &mut found);
    keys("stock sku", restaurant.stock_items.iter().map(|i| &i.sku), &mut found);
    keys("table", restaurant.tables.iter().map(|t| &t.number), &mut found);
    keys("pin", restaurant.employees.iter().map(|e| &e.pin), &mut found);
    keys("email", restaurant.accounts.iter().map(|a| &a.email), &mut found);
    let mut refer = |from: &str, to: &str, known: &BTreeSet<&str>| {
        if !known.contains(to) {
            found.push(format!("{from} refers to {to}, which is not there"));
        }
    };
    for item in &restaurant.stock_items {
        refer(&item.key, &item.supplier, &suppliers);
    }
    for item in &restaurant.menu_items {
        refer(&item.key, &item.category, &categories);
        refer(&item.key, &item.tax_category, &taxes);
        refer(&item.key, &item.station, &stations);
        item.modifier_groups.iter().for_each(|group| refer(&item.key, group, &groups));
    }
    for employee in &restaurant.employees {
        employee.station.iter().for_each(|station| refer(&employee.employee_code, station, &stations));
    }
    for account in &restaurant.accounts {
        account.employee.iter().for_each(|code| refer(&account.email, code, &people));
    }
    recipe_problems(restaurant, &mut found);
    found
}

fn keys<'a>(what: &str, all: impl Iterator<Item = &'a String>, found: &mut Vec<String>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    for key in all {
        if !seen.insert(key.as_str()) {
            found.push(format!("{what} {key} is there twice"));
        }
    }
    seen
}

/// Every ingredient names one thing that is there (a preparation only earlier ones), in a unit of its kind.
fn recipe_problems(restaurant: &Restaurant, found: &mut Vec<String>) {
    let items: BTreeMap<&str, &str> =
        restaurant.stock_items.iter().map(|i| (i.key.as_str(), i.unit.as_str())).collect();
    let mut preparations: BTreeMap<&str, &str> = BTreeMap::new();
    let check = |of: &str, list: &[Ingredient], made: &BTreeMap<&str, &str>, found: &mut Vec<String>| {
        for ingredient in list {
            let unit = match (&ingredient.item, &ingredient.recipe) {
                (Some(item), None) => items.get(item.as_str()),
                (None, Some(recipe)) => made.get(recipe.as_str()),
                _ => None,
            };
            match unit {
                None => found.push(format!("{of}: {ingredient:?} is not there")),
                Some(unit) if kind(unit) != kind(&ingredient.unit) => {
                    found.push(format!("{of}: {ingredient:?} does not convert to {unit}"));
                }
                Some(_) => {}
            }
        }
    };
    for preparation in &restaurant.preparations {
        check(&preparation.key, &preparation.ingredients, &preparations, found);
        preparations.insert(&preparation.key, &preparation.unit);
    }
    for item in &restaurant.menu_items {
        check(&item.key, &item.recipe.ingredients, &preparations, found);
    }
    for option in restaurant.modifier_groups.iter().flat_map(|g| &g.options) {
        check(&option.key, &option.recipe, &preparations, found);
    }
}

fn kind(unit: &str) -> Option<u8> {
    match unit {
        "mg" | "g" | "kg" => Some(1),
        "ml" | "l" => Some(2),
        "pcs" | "dozen" => Some(3),
        _ => None,
    }
}

#[test]
fn everything_referred_to_is_there() {
    assert_eq!(problems(&load().unwrap()), Vec::<String>::new());
}

#[test]
fn it_is_a_whole_restaurant() {
    let all = load().unwrap();
    assert!(all.categories.len() >= 5 && all.menu_items.len() >= 40);
    assert!(all.stock_items.len() >= 60 && all.stock_items.iter().all(|i| !i.batches.is_empty()));
    assert!(all.menu_items.iter().all(|i| i.recipe.ingredients.iter().any(|x| x.quantity.is_positive())));
    assert!(all.preparations.len() >= 3 && all.suppliers.len() == 5);
    assert!(all.stations.iter().filter(|s| s.kind == "PREP").count() >= 3);
    assert_eq!(all.stations.iter().filter(|s| s.is_default).count(), 1);
    assert_eq!((all.tables.len(), all.employees.len(), all.accounts.len()), (12, 12, 10));
    for (at, employee) in all.employees.iter().enumerate() {
        assert_eq!(
            (employee.employee_code.clone(), employee.pin.clone()),
            (format!("EMP{:02}", at + 1), (1001 + at).to_string())
        );
    }
    for account in &all.accounts {
        assert_eq!(account.email, format!("{}@sample.test", account.role.to_lowercase().replace('_', "-")));
    }
}

#[test]
fn every_category_and_modifier_group_is_used() {
    let all = load().unwrap();
    for category in &all.categories {
        assert!(all.menu_items.iter().any(|i| i.category == category.key), "{}", category.key);
    }
    for group in &all.modifier_groups {
        assert!(all.menu_items.iter().any(|i| i.modifier_groups.contains(&group.key)), "{}", group.key);
        let defaults = group.options.iter().filter(|o| o.is_default).count();
        assert!(group.max_selections.is_none_or(|max| usize::try_from(max).unwrap() >= defaults));
    }
}
