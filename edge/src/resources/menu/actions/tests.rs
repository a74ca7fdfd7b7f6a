//! The menu against a store: prices, stock states, what an order reads, import, and the indexes.

use super::super::rules::{MenuError, Result};
use super::*;
use crate::http::intake::{ImportCounts, Rows};
use crate::resources::menu::rules::import::{ImportedItem, exported, write_csv};
use crate::resources::menu::rules::{
    AvailabilityChange, CategoryDraft, GroupDraft, ItemDraft, MenuItem, ModifierGroup, Occasion, OptionDraft,
    Sellable, Status, TaxComponent, Texts, Window,
};
use crate::testing::Fixture;
use serde_json::{Value, json};
use std::collections::HashMap;
use tiffin_common::{Bps, Cents, Millis, Uuid};

fn thali(fixture: &Fixture) -> MenuItem {
    fixture
        .write(|tx, actor| {
            let category = create_category(tx, actor, CategoryDraft::named("Mains", 0))?;
            let gst = vec![
                TaxComponent { name: "CGST".into(), rate: Bps::new(250), kind: None },
                TaxComponent { name: "SGST".into(), rate: Bps::new(250), kind: None },
            ];
            let tax = create_tax(tx, actor, "GST 5 %".into(), gst, None)?;
            let group = GroupDraft {
                name: "Spice".into(),
                min: 0,
                max: Some(1),
                texts: Texts::default(),
                options: vec![
                    OptionDraft::new("Mild", Cents::ZERO),
                    OptionDraft::new("Hot", Cents::new(500)),
                ],
            };
            let group = create_group(tx, actor, group)?;
            let draft = ItemDraft {
                tax_category_id: Some(tax.id),
                sku: Some("M-1".into()),
                group_ids: vec![group.id],
                ..ItemDraft::new(category.id, "Thali", Cents::new(18_000))
            };
            create_item(tx, actor, draft)
        })
        .unwrap()
}

fn change(status: Status, quantity_left: Option<i64>, until: Option<Millis>) -> AvailabilityChange {
    AvailabilityChange { status, quantity_left, until, reason: None }
}

fn sell(fixture: &Fixture, id: Uuid) -> Option<Sellable> {
    fixture
        .write(move |tx, actor| -> Result<_> {
            Ok(store::list_sellable(tx, actor.outlet_id, &[id, id], &here(tx, actor)?)?)
        })
        .unwrap()
        .pop()
}

#[test]
fn an_order_reads_price_taxes_and_choices_at_once() {
    let fixture = Fixture::new();
    let dish = thali(&fixture);
    let sold = sell(&fixture, dish.id).unwrap();
    assert_eq!((sold.price, sold.tax_components.len(), sold.groups.len()), (Cents::new(18_000), 2, 1));
    assert_eq!(sold.groups[0].options.iter().map(|o| o.price.get()).collect::<Vec<_>>(), [0, 500]);
    let id = dish.id;
    fixture.write(move |tx, actor| set_price(tx, actor, id, Some(Cents::new(19_900)))).unwrap();
    assert_eq!(sell(&fixture, id).unwrap().price, Cents::new(19_900));
    let back = fixture.write(move |tx, actor| set_price(tx, actor, id, None)).unwrap();
    assert_eq!((back.price, back.outlet_price), (Cents::new(18_000), None));
    fixture.write(move |tx, actor| archive_item(tx, actor, id, None)).unwrap();
    assert_eq!(sell(&fixture, id), None);
}

#[test]
fn a_counted_dish_runs_out_and_comes_back_by_what_is_given_back() {
    let fixture = Fixture::new();
    let id = thali(&fixture).id;
    let limit = change(Status::Limited, Some(3), None);
    fixture.write(move |tx, actor| set_availability(tx, actor, id, limit)).unwrap();
    fixture.write(move |tx, actor| take_limited(tx, actor, id, 2)).unwrap();
    let refused = fixture.write(move |tx, actor| take_limited(tx, actor, id, 2));
    assert!(matches!(refused, Err(MenuError::SoldOut { left: 1 })), "{refused:?}");
    fixture.write(move |tx, actor| take_limited(tx, actor, id, 1)).unwrap();
    assert_eq!(sell(&fixture, id).unwrap().unavailable, Some("is out of stock"));
    assert_eq!(fixture.number("SELECT count(*) FROM notifications WHERE type = 'SOLD_OUT'"), 1);
    fixture.write(move |tx, actor| give_back(tx, actor, id, 2)).unwrap();
    let sold = sell(&fixture, id).unwrap();
    assert_eq!((sold.availability.status, sold.availability.quantity_left), (Status::Limited, Some(2)));
}

#[test]
fn what_was_taken_off_by_hand_is_not_given_back() {
    let fixture = Fixture::new();
    let id = thali(&fixture).id;
    fixture
        .write(move |tx, actor| set_availability(tx, actor, id, change(Status::OutOfStock, None, None)))
        .unwrap();
    fixture.write(move |tx, actor| give_back(tx, actor, id, 5)).unwrap();
    assert!(sell(&fixture, id).unwrap().availability.is_out());
    assert!(fixture.write(move |tx, actor| take_limited(tx, actor, id, 1)).is_err());
}

#[test]
fn until_passes_by_itself_and_changes_what_the_tag_stands_for() {
    let fixture = Fixture::new();
    let id = thali(&fixture).id;
    let until = fixture.db.env().clock.now().after(60_000);
    let out = change(Status::OutOfStock, None, Some(until));
    fixture.write(move |tx, actor| set_availability(tx, actor, id, out)).unwrap();
    let conditions = || {
        fixture
            .write(|tx, actor| -> Result<_> {
                Ok(store::find_conditions(tx, actor.outlet_id, &here(tx, actor)?, &Occasion::default())?)
            })
            .unwrap()
    };
    let before = conditions();
    assert_eq!(conditions(), before);
    assert!(sell(&fixture, id).unwrap().unavailable.is_some());
    fixture.clock.advance(60_000);
    assert_ne!(conditions(), before);
    assert_eq!(sell(&fixture, id).unwrap().unavailable, None);
}

#[test]
fn hours_change_what_the_tag_stands_for() {
    let fixture = Fixture::new();
    let id = thali(&fixture).id;
    // The fixture begins at 18:00 by the outlet's clock.
    let dinner = Window { from: Some("19:00".into()), ..Window::default() };
    fixture
        .write(move |tx, actor| {
            update_item(tx, actor, id, None, |present| ItemDraft { window: dinner, ..present })
        })
        .unwrap();
    assert_eq!(sell(&fixture, id).unwrap().unavailable, Some("is not sold at this hour"));
    fixture.clock.advance(3_600_000);
    assert_eq!(sell(&fixture, id).unwrap().unavailable, None);
}

#[test]
fn every_change_of_what_is_shown_moves_the_revision() {
    let fixture = Fixture::new();
    let dish = thali(&fixture);
    let (id, group) = (dish.id, dish.modifier_groups[0].clone());
    let revision = || fixture.number("SELECT revision FROM menu_revision");
    let mut last = revision();
    let mut moved = |what: &str| {
        let now = revision();
        assert!(now > last, "{what}");
        last = now;
    };
    fixture.write(move |tx, actor| set_price(tx, actor, id, Some(Cents::new(1)))).unwrap();
    moved("price");
    let option = group.options[0].id;
    let out = change(Status::OutOfStock, None, None);
    fixture.write(move |tx, actor| set_option_availability(tx, actor, option, out)).unwrap();
    moved("option");
    let draft = |mut d: GroupDraft| {
        d.options.pop();
        d.options.push(OptionDraft::new("Fiery", Cents::new(700)));
        d
    };
    let after = fixture.write(move |tx, actor| update_group(tx, actor, group.id, Some(1), draft)).unwrap();
    moved("group");
    assert_eq!(after.options.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["Mild", "Fiery"]);
    assert_eq!(after.options[0].id, option);
    assert!(!after.options[0].available);
    fixture.write(move |tx, actor| archive_item(tx, actor, id, None)).unwrap();
    moved("archive");
}

#[test]
fn what_dishes_refer_to_stays() {
    let fixture = Fixture::new();
    let dish = thali(&fixture);
    let (category, tax, group) =
        (dish.draft.category_id, dish.draft.tax_category_id.unwrap(), dish.modifier_groups[0].id);
    let in_use = |outcome: Result<()>| assert!(matches!(outcome, Err(MenuError::InUse(_))));
    in_use(fixture.write(move |tx, actor| archive_category(tx, actor, category, None)).map(drop));
    in_use(fixture.write(move |tx, actor| archive_tax(tx, actor, tax, None)).map(drop));
    in_use(fixture.write(move |tx, actor| archive_group(tx, actor, group, None)).map(drop));
    fixture.write(move |tx, actor| archive_item(tx, actor, dish.id, Some(1))).unwrap();
    fixture.write(move |tx, actor| archive_category(tx, actor, category, None)).unwrap();
    fixture.write(move |tx, actor| archive_group(tx, actor, group, None)).unwrap();
    assert!(fixture.write(move |tx, actor| archive_tax(tx, actor, tax, Some(7))).is_err());
}

fn csv(text: &str) -> Rows<ImportedItem> {
    Rows::of_csv(text, 2).unwrap_or_else(|found| panic!("{found:?}"))
}

fn file(items: Value) -> Rows<ImportedItem> {
    Rows::of_json(json!({ "items": items }).to_string().as_bytes()).unwrap()
}

fn take_in(fixture: &Fixture, file: Rows<ImportedItem>) -> Result<MenuImport> {
    fixture.write(move |tx, actor| import(tx, actor, file, |_, _| Ok(())))
}

fn export(fixture: &Fixture) -> String {
    let text = fixture.write(|tx, actor| -> Result<_> {
        let outlet = actor.outlet_id;
        let everything = store::Search { q: None, limit: u32::MAX, offset: 0 };
        let taxes = store::list_taxes(tx, outlet, &everything)?.items.into_iter().map(|t| (t.id, t));
        let taxes: HashMap<_, _> = taxes.collect();
        let menu = store::find_tree(tx, outlet, &here(tx, actor)?, &Occasion::default(), false)?;
        let (stations, others) = (HashMap::new(), HashMap::new());
        let dishes = menu.categories.iter().flat_map(|chapter| {
            let row = |item| exported(item, &chapter.category.draft.name, &taxes, &stations, &others);
            chapter.items.iter().map(row).collect::<Vec<_>>()
        });
        Ok(write_csv(&dishes.collect::<Vec<_>>(), &[]).unwrap())
    });
    text.unwrap()
}

#[test]
fn an_export_taken_in_again_changes_nothing_and_fills_an_empty_outlet() {
    let fixture = Fixture::new();
    thali(&fixture);
    let more = file(json!([{
        "category": "Drinks", "name": "=Lassi", "priceCents": 9000, "taxCategory": "Exempt", "taxComponents": [],
        "description": "two\nlines, \"quoted\"", "dietary": "VEG", "allergens": ["milk", "nuts"],
        "availableFrom": "11:00", "availableDays": ["SAT", "SUN"], "isActive": false,
        "modifierGroups": [{"name": "Size", "minSelections": 1, "maxSelections": 1,
            "options": [{"name": "Small", "isDefault": true}, {"name": "Large", "priceCents": 3000}]}],
    }]));
    take_in(&fixture, more).unwrap();
    let text = export(&fixture);
    assert!(text.contains("'=Lassi"), "{text}");
    let counts = take_in(&fixture, csv(&text)).unwrap();
    let dishes = ImportCounts { rows: 2, unchanged: 2, ..ImportCounts::default() };
    assert_eq!(counts, MenuImport { dishes, ..MenuImport::default() });

    let empty = Fixture::new();
    let counts = take_in(&empty, csv(&text)).unwrap();
    let made = (
        counts.dishes.created,
        counts.categories_created,
        counts.tax_categories_created,
        counts.modifier_groups_created,
    );
    assert_eq!(made, (2, 2, 2, 2));
    assert_eq!(export(&empty), text);
}

#[test]
fn an_import_is_all_or_nothing_and_names_every_bad_cell() {
    let fixture = Fixture::new();
    thali(&fixture);
    let bad = file(json!([
        {"category": "Mains", "name": "Dal", "priceCents": 12000},
        {"category": "Mains", "name": "Roti"},
        {"category": "Mains", "name": "Naan", "priceCents": 1, "taxCategory": "VAT", "station": "Grill", "hsnSac": "x"},
        {"category": "Mains", "name": "Rice", "priceCents": 1, "modifierGroups": [{"name": "Nothing"}]},
        {"category": "Mains", "name": "dal", "priceCents": 1},
    ]));
    let Err(MenuError::Invalid(fields)) = take_in(&fixture, bad) else {
        panic!("taken in");
    };
    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    let expected = [
        "items[1].priceCents",
        "items[2].taxCategory",
        "items[2].station",
        "items[2].hsnSac",
        "items[3].modifierGroups[0]",
        "items[4].name",
    ];
    assert_eq!(names, expected);
    assert_eq!(fixture.number("SELECT count(*) FROM menu_items"), 1);
}

#[test]
fn a_file_with_few_columns_keeps_what_it_does_not_name() {
    let fixture = Fixture::new();
    let before = thali(&fixture);
    let counts = take_in(&fixture, csv("category,name,price\nMains,thali,199.50\n")).unwrap().dishes;
    assert_eq!((counts.updated, counts.created), (1, 0));
    let id = before.id;
    let after =
        fixture.write(move |tx, actor| store::find_item(tx, actor.outlet_id, id, &here(tx, actor)?)).unwrap();
    assert_eq!(
        (after.price, after.draft.sku, after.modifier_groups),
        (Cents::new(19_950), before.draft.sku, before.modifier_groups)
    );
}

#[test]
fn another_outlet_has_a_menu_of_its_own() {
    let fixture = Fixture::new();
    let dish = thali(&fixture);
    let other = fixture.second_outlet();
    let found = fixture.write(move |tx, actor| store::find_item(tx, other, dish.id, &here(tx, actor)?));
    assert!(matches!(found, Err(MenuError::NotFound(_))));
    let borrowed = fixture.db.write_blocking(move |tx| {
        let actor = Actor::system(other);
        let draft = ItemDraft { group_ids: vec![dish.modifier_groups[0].id], ..dish.draft.clone() };
        create_item(tx, &actor, draft)
    });
    let Err(MenuError::Invalid(fields)) = borrowed else { panic!("taken") };
    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["categoryId", "taxCategoryId", "modifierGroups[0]"]);
}

#[test]
fn the_groups_of_a_dish_keep_their_order() {
    let fixture = Fixture::new();
    let dish = thali(&fixture);
    let id = dish.id;
    let ids: Vec<Uuid> = fixture
        .write(move |tx, actor| -> Result<_> {
            let make = |name: &str| -> Result<ModifierGroup> {
                let options = vec![OptionDraft::new("x", Cents::ZERO)];
                create_group(tx, actor, GroupDraft::new(name, options))
            };
            let ids = vec![make("B")?.id, make("A")?.id, dish.modifier_groups[0].id];
            let wanted = ids.clone();
            update_item(tx, actor, id, None, |present| ItemDraft { group_ids: wanted, ..present })?;
            Ok(ids)
        })
        .unwrap();
    let sold = sell(&fixture, id).unwrap();
    assert_eq!(sold.groups.iter().map(|g| g.id).collect::<Vec<_>>(), ids);
}

#[test]
fn an_order_reads_the_menu_by_its_indexes() {
    let fixture = Fixture::new();
    for sql in store::hot_queries() {
        let plan = fixture
            .write(move |tx, _| -> Result<String> {
                let mut statement = tx.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                let zero = Uuid::nil();
                let rows = statement.query_map([zero, zero], |row| row.get::<_, String>(3)).unwrap();
                Ok(rows.collect::<Result<Vec<_>, _>>().unwrap().join("; "))
            })
            .unwrap();
        let scans =
            plan.split("; ").filter(|step| step.starts_with("SCAN ") && !step.contains("VIRTUAL TABLE"));
        assert_eq!(scans.count(), 0, "{plan}");
    }
}
