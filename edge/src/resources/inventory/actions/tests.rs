//! Stock in motion: picking, recipes, returns, deficits, and that the ledger and the levels never part.

mod prepared;
mod store_room;

use super::super::rules::{Result, StockError};
use super::*;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::recipe::Target;
use crate::resources::inventory::rules::{
    Adjustment, Amount, Cause, IngredientDraft, ItemDraft, Kind, MadeDish, Portions, Receipt, RecipeDraft,
    Rotation, Use,
};
use crate::resources::inventory::store::levels::LedgerSums;
use crate::resources::inventory::store::movements::{newest, of_item};
use crate::resources::inventory::store::{items, levels, makings, movements, portions};
use crate::resources::outlets;
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use crate::testing::Fixture;
use chrono::Days;
use proptest::prelude::*;
use rusqlite::params;
use tiffin_common::{Quantity, UnitCost, Uuid};

fn q(text: &str) -> Quantity {
    text.parse().unwrap()
}

fn cost(text: &str) -> UnitCost {
    text.parse().unwrap()
}

fn item_draft(name: &str, unit: &str) -> ItemDraft {
    ItemDraft {
        name: name.into(),
        category: "Dry".into(),
        unit: unit.into(),
        sku: None,
        rotation: Rotation::Fefo,
        min_stock_threshold: Quantity::ZERO,
        par_level: None,
        supplier_id: None,
        unit_conversions: Vec::new(),
    }
}

fn outlet(tx: &Tx<'_>, actor: &Actor, policy: StockPolicy) -> Outlet {
    let mut outlet = outlets::store::find(tx, actor.outlet_id).unwrap();
    outlet.row.settings.stock_policy = policy;
    outlet
}

fn dish(tx: &Tx<'_>, actor: &Actor, name: &str) -> Uuid {
    let (category, id) = (tx.new_id(), tx.new_id());
    let now = tx.now();
    let values = params![category, actor.outlet_id, name, now];
    tx.execute("INSERT INTO menu_categories (id, outlet_id, name, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)", values)
        .unwrap();
    tx.execute(
        "INSERT INTO menu_items (id, outlet_id, category_id, name, price_cents, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, 100, ?5, ?5)",
        params![id, actor.outlet_id, category, name, now],
    )
    .unwrap();
    id
}

fn option(tx: &Tx<'_>, actor: &Actor) -> Uuid {
    let (group, id) = (tx.new_id(), tx.new_id());
    let values = params![group, actor.outlet_id, tx.now()];
    tx.execute("INSERT INTO modifier_groups (id, outlet_id, name, created_at, updated_at) VALUES (?1, ?2, 'G', ?3, ?3)", values)
        .unwrap();
    tx.execute(
        "INSERT INTO modifier_options (id, outlet_id, group_id, name) VALUES (?1, ?2, ?3, 'O')",
        params![id, actor.outlet_id, group],
    )
    .unwrap();
    id
}

fn of(item: Uuid, quantity: &str, unit: &str) -> IngredientDraft {
    IngredientDraft {
        stock_item_id: Some(item),
        sub_recipe_id: None,
        quantity: q(quantity),
        unit: unit.into(),
    }
}

fn made_of(item: Uuid, quantity: &str, unit: &str) -> IngredientDraft {
    IngredientDraft {
        stock_item_id: None,
        sub_recipe_id: Some(item),
        quantity: q(quantity),
        unit: unit.into(),
    }
}

fn recipe(makes: &str, unit: &str, ingredients: Vec<IngredientDraft>) -> RecipeDraft {
    RecipeDraft { makes: q(makes), yield_unit: unit.into(), shelf_life_days: None, ingredients }
}

fn incoming(
    item: Uuid,
    quantity: Quantity,
    unit_cost: UnitCost,
    number: &str,
    expiry: Option<&str>,
) -> Receipt {
    Receipt {
        stock_item_id: item,
        quantity,
        unit_cost,
        batch_number: Some(number.into()),
        expiry_date: expiry.map(|text| text.parse().unwrap()),
        supplier_id: None,
        kind: Kind::Receipt,
        cause: Cause::new("DELIVERY", None),
    }
}

fn line(order_item_id: Uuid, menu_item_id: Uuid, quantity: i64) -> Use<'static> {
    Use { order_item_id, menu_item_id, variant_id: None, option_ids: &[], quantity, weight: None, index: 0 }
}

fn all_of(order_item_id: Uuid, outstanding: i64) -> Portions {
    Portions { order_item_id, quantity: outstanding, outstanding }
}

fn made(menu_item_id: Uuid, portions: Portions) -> MadeDish<'static> {
    let order_item_id = portions.order_item_id;
    MadeDish {
        portions,
        order_item_id,
        menu_item_id,
        variant_id: None,
        name: "Dish",
        station_id: None,
        weight: None,
    }
}

fn void() -> Cause {
    Cause::new("ORDER_ITEM_VOID", None)
}

/// (batch number or `-`, kind, delta, cost in micros) of an item, in order.
fn ledger(tx: &Tx<'_>, item: Uuid) -> Vec<(String, String, i64, i64)> {
    crate::db::list(
        tx,
        "SELECT coalesce(b.batch_number, '-'), m.kind, m.quantity_delta, m.cost_micros FROM stock_movements m
         LEFT JOIN stock_batches b ON b.id = m.batch_id WHERE m.stock_item_id = ?1 ORDER BY m.id",
        [item],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )
    .unwrap()
}

fn left(tx: &Tx<'_>, item: Uuid) -> Vec<(String, i64)> {
    let sql = "SELECT b.batch_number, coalesce(l.quantity, 0) FROM stock_batches b
               LEFT JOIN stock_batch_levels l ON l.batch_id = b.id WHERE b.stock_item_id = ?1 ORDER BY b.batch_number";
    crate::db::list(tx, sql, [item], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

fn count(tx: &Tx<'_>, sql: &str) -> i64 {
    crate::db::one(tx, sql, [], |row| row.get(0)).unwrap()
}

/// Everything the levels say is what the ledger sums up to.
fn assert_levels_are_the_ledger(tx: &Tx<'_>, outlet: Uuid) {
    let read = |tx: &Tx<'_>| {
        let sql = "SELECT batch_id, quantity FROM stock_batch_levels UNION ALL
                   SELECT stock_item_id, on_hand FROM stock_levels UNION ALL SELECT stock_item_id, deficit FROM stock_levels
                   UNION ALL SELECT stock_item_id, deficit_cost_micros FROM stock_levels
                   UNION ALL SELECT stock_item_id, last_unit_cost FROM stock_levels
                   UNION ALL SELECT stock_item_id, largest_need FROM stock_levels ORDER BY 1, 2";
        crate::db::list(tx, sql, [], |row| Ok((row.get::<_, Uuid>(0)?, row.get::<_, i64>(1)?))).unwrap()
    };
    let kept = read(tx);
    assert!(are_levels_right(tx, outlet).unwrap());
    take_last_costs(tx, outlet).unwrap();
    assert_eq!(kept, read(tx));
    rebuild_levels(tx, &LedgerSums::none(outlet)).unwrap();
    assert_eq!(kept, read(tx));
    rebuild_levels(tx, &sum_ledger(tx, outlet).unwrap()).unwrap();
    assert_eq!(kept, read(tx));
    let gaps = "SELECT count(*) FROM (SELECT quantity_before, quantity_after, quantity_delta,
                  lag(quantity_after, 1, 0) OVER (PARTITION BY stock_item_id ORDER BY rowid) AS expected FROM stock_movements)
                WHERE quantity_before <> expected OR quantity_after <> quantity_before + quantity_delta";
    assert_eq!(count(tx, gaps), 0, "before and after of the ledger follow each other");
}

type Outcome = Result<()>;

/// complaints.md row 8: FEFO over three batches, one of them expired.
#[test]
fn the_earliest_expiry_goes_first_and_the_expired_never() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let milk = create_item(tx, actor, item_draft("Milk", "l"))?.id;
            for (number, expiry) in [
                ("never", None),
                ("late", Some("2026-12-01")),
                ("old", Some("2026-11-19")),
                ("soon", Some("2026-11-20")),
            ] {
                receive(tx, actor, &outlet, &incoming(milk, q("1"), cost("100"), number, expiry))?;
            }
            let tea = dish(tx, actor, "Tea");
            put_recipe(tx, actor, tea, None, recipe("1", "pcs", vec![of(milk, "500", "ml")]))?;
            deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), tea, 5)])?;
            let left = left(tx, milk);
            let left: Vec<(&str, i64)> = left.iter().map(|(n, l)| (n.as_str(), *l)).collect();
            assert_eq!(left, [("late", 0), ("never", 500_000), ("old", 1_000_000), ("soon", 0)]);
            let level = levels::list(tx, actor.outlet_id, &[milk], "2026-11-20".parse().unwrap())?;
            assert_eq!(level[&milk].current()?, q("0.5"), "what has expired does not count");
            assert_levels_are_the_ledger(tx, actor.outlet_id);
            Ok(())
        })
        .unwrap();
}

#[test]
fn levels_are_made_from_sums_of_before_and_what_came_since() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let milk = create_item(tx, actor, item_draft("Milk", "l"))?.id;
            let tea = dish(tx, actor, "Tea");
            put_recipe(tx, actor, tea, None, recipe("1", "pcs", vec![of(milk, "500", "ml")]))?;
            receive(tx, actor, &outlet, &incoming(milk, q("1"), cost("100"), "used up", None))?;
            receive(tx, actor, &outlet, &incoming(milk, q("2"), cost("110"), "begun", None))?;
            deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), tea, 3)])?;
            let before = sum_ledger(tx, actor.outlet_id)?;
            // What is left, what is not there, and what then comes.
            for portions in [2, 4] {
                deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), tea, portions)])?;
                rebuild_levels(tx, &before)?;
                assert_levels_are_the_ledger(tx, actor.outlet_id);
            }
            receive(tx, actor, &outlet, &incoming(milk, q("1"), cost("120"), "new", None))?;
            rebuild_levels(tx, &before)?;
            assert_levels_are_the_ledger(tx, actor.outlet_id);
            Ok(())
        })
        .unwrap();
}

#[test]
fn fifo_goes_by_arrival_whatever_expires_first() {
    let fixture = Fixture::new();
    fixture
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::Block);
            let draft = ItemDraft { rotation: Rotation::Fifo, ..item_draft("Rice", "kg") };
            let rice = create_item(tx, actor, draft)?.id;
            receive(tx, actor, &outlet, &incoming(rice, q("1"), cost("1"), "first", Some("2027-05-01")))?;
            receive(tx, actor, &outlet, &incoming(rice, q("1"), cost("1"), "second", Some("2026-12-01")))?;
            let plain = dish(tx, actor, "Plain rice");
            put_recipe(tx, actor, plain, None, recipe("4", "pcs", vec![of(rice, "1", "kg")]))?;
            deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), plain, 3)])?;
            assert_eq!(left(tx, rice), [("first".to_owned(), 250_000), ("second".to_owned(), 1_000_000)]);
            Ok(())
        })
        .unwrap();
}

#[test]
fn options_add_and_leave_out_and_preparations_are_expanded() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::Block);
            let chilli = create_item(tx, actor, item_draft("Chilli", "kg"))?.id;
            let tomato = create_item(tx, actor, item_draft("Tomato", "kg"))?.id;
            for item in [chilli, tomato] {
                receive(tx, actor, &outlet, &incoming(item, q("10"), cost("5000"), "b", None))?;
            }
            let gravy = create_preparation(
                tx,
                actor,
                "Gravy".into(),
                recipe("3", "kg", vec![of(tomato, "4", "kg"), of(chilli, "30", "g")]),
            )?;
            let curry = dish(tx, actor, "Curry");
            put_recipe(
                tx,
                actor,
                curry,
                None,
                recipe("1", "pcs", vec![made_of(gravy.id, "300", "g"), of(chilli, "5", "g")]),
            )?;
            let (hot, mild) = (option(tx, actor), option(tx, actor));
            set_option_recipe(tx, actor, hot, None, option_draft(vec![of(chilli, "7", "g")]))?;
            set_option_recipe(tx, actor, mild, None, option_draft(vec![of(chilli, "-6", "g")]))?;
            let order_lines = [
                Use { option_ids: &[hot], ..line(tx.new_id(), curry, 2) },
                Use { option_ids: &[mild], index: 1, ..line(tx.new_id(), curry, 1) },
            ];
            deduct(tx, actor, &outlet, tx.new_id(), &order_lines)?;
            // Tomato: 3 portions of 0.4 kg. Chilli: 2 × (3 + 5 + 7) g and 3 + 5 − 6 g.
            assert_eq!(left(tx, tomato), [("b".to_owned(), 8_800_000)]);
            assert_eq!(left(tx, chilli), [("b".to_owned(), 10_000_000 - 30_000 - 2_000)]);
            Ok(())
        })
        .unwrap();
}

/// complaints.md row 8: void, then void again, then cancel: each portion comes back once, to its own batch, to the millionth.
#[test]
fn void_then_cancel_returns_each_portion_once() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let salt = create_item(tx, actor, item_draft("Salt", "kg"))?.id;
            receive(
                tx,
                actor,
                &outlet,
                &incoming(salt, q("0.1"), cost("33.333333"), "a", Some("2026-12-01")),
            )?;
            receive(tx, actor, &outlet, &incoming(salt, q("5"), cost("7"), "b", None))?;
            let soup = dish(tx, actor, "Soup");
            put_recipe(tx, actor, soup, None, recipe("3", "pcs", vec![of(salt, "100.001", "g")]))?;
            let item = tx.new_id();
            deduct(tx, actor, &outlet, tx.new_id(), &[line(item, soup, 7)])?;
            for outstanding in [7, 6] {
                return_line(
                    tx,
                    actor,
                    &outlet,
                    Portions { order_item_id: item, quantity: 1, outstanding },
                    &void(),
                )?;
            }
            let portions = Portions { order_item_id: item, quantity: 2, outstanding: 5 };
            waste_line(tx, actor, &outlet, &made(soup, portions), &void())?;
            return_line(tx, actor, &outlet, all_of(item, 3), &void())?;
            return_line(tx, actor, &outlet, all_of(item, 3), &void())?;
            return_line(tx, actor, &outlet, all_of(item, 7), &void())?;
            let sold =
                count(tx, "SELECT sum(quantity_delta) FROM stock_movements WHERE kind IN ('SALE', 'RETURN')");
            let cost_of_sales =
                count(tx, "SELECT sum(cost_micros) FROM stock_movements WHERE kind IN ('SALE', 'RETURN')");
            assert_eq!((sold, cost_of_sales), (0, 0));
            let (wasted, all) = (
                count(tx, "SELECT -sum(quantity_delta) FROM stock_movements WHERE kind = 'WASTE'"),
                count(tx, "SELECT -sum(quantity_delta) FROM stock_movements WHERE kind = 'SALE'"),
            );
            assert_eq!(
                (wasted as f64 / all as f64 * 7.0).round() as i64,
                2,
                "two of seven portions were wasted"
            );
            let logged =
                count(tx, "SELECT sum(cost_micros) FROM waste_logs WHERE reason = 'VOID_AFTER_PREP'");
            let booked =
                count(tx, "SELECT -sum(cost_micros) FROM stock_movements WHERE cause_type = 'WASTE_LOG'");
            assert_eq!(logged, booked, "the entry has the cost of its movements");
            let there: i64 = left(tx, salt).iter().map(|(_, l)| l).sum();
            assert_eq!(there, 5_100_000 - wasted);
            assert_levels_are_the_ledger(tx, actor.outlet_id);
            Ok(())
        })
        .unwrap();
}

#[test]
fn what_was_sold_without_stock_is_settled_by_the_next_receipt_at_its_true_cost() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let egg = create_item(tx, actor, item_draft("Egg", "pcs"))?.id;
            receive(tx, actor, &outlet, &incoming(egg, q("2"), cost("500"), "a", None))?;
            let omelette = dish(tx, actor, "Omelette");
            put_recipe(tx, actor, omelette, None, recipe("1", "pcs", vec![of(egg, "0.25", "dozen")]))?;
            let item = tx.new_id();
            deduct(tx, actor, &outlet, tx.new_id(), &[line(item, omelette, 2)])?;
            assert_eq!(count(tx, "SELECT deficit FROM stock_levels"), 4_000_000);
            assert_eq!(count(tx, "SELECT count(*) FROM notifications WHERE type = 'NEGATIVE_STOCK'"), 1);
            receive(tx, actor, &outlet, &incoming(egg, q("1"), cost("600"), "b", None))?;
            receive(tx, actor, &outlet, &incoming(egg, q("12"), cost("700"), "c", None))?;
            let kinds: Vec<_> = ledger(tx, egg).into_iter().map(|(b, k, d, c)| (b, k, d / 1_000_000, c / 1_000_000)).collect();
            let expect = [
                ("a", "RECEIPT", 2, 1_000),
                ("a", "SALE", -2, -1_000),
                ("-", "SALE", -4, -2_000),
                ("b", "RECEIPT", 1, 600),
                ("-", "SETTLEMENT", 1, 500),
                ("b", "SETTLEMENT", -1, -600),
                ("c", "RECEIPT", 12, 8_400),
                ("-", "SETTLEMENT", 3, 1_500),
                ("c", "SETTLEMENT", -3, -2_100),
            ];
            let kinds: Vec<_> = kinds.iter().map(|(b, k, d, c)| (b.as_str(), k.as_str(), *d, *c)).collect();
            assert_eq!(kinds, expect);
            // Sold after all at what it truly cost: 2 × 500 + 600 + 3 × 700.
            let cogs = count(tx, "SELECT -sum(cost_micros) / 1000000 FROM stock_movements WHERE kind IN ('SALE', 'SETTLEMENT')");
            assert_eq!(cogs, 3_700);
            // The void of a line whose deficit was met meanwhile goes to the batches that met it.
            return_line(tx, actor, &outlet, all_of(item, 2), &void())?;
            let value = count(tx, "SELECT sum(cost_micros) / 1000000 FROM stock_movements");
            let shelf = count(tx, "SELECT sum(quantity / 1000000 * unit_cost) / 1000000 FROM stock_batch_levels");
            assert_eq!((value, shelf), (10_000, 10_000), "the ledger's money is what stands on the shelf");
            assert_levels_are_the_ledger(tx, actor.outlet_id);
            Ok(())
        })
        .unwrap();
}

#[test]
fn block_names_every_line_and_takes_nothing() {
    let fixture = Fixture::new();
    let short = fixture
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::Block);
            let (a, b) = (
                create_item(tx, actor, item_draft("A", "g"))?.id,
                create_item(tx, actor, item_draft("B", "g"))?.id,
            );
            receive(tx, actor, &outlet, &incoming(a, q("10"), cost("1"), "a", None))?;
            let (first, second) = (dish(tx, actor, "First"), dish(tx, actor, "Second"));
            put_recipe(tx, actor, first, None, recipe("1", "pcs", vec![of(a, "6", "g")]))?;
            put_recipe(tx, actor, second, None, recipe("1", "pcs", vec![of(a, "6", "g"), of(b, "1", "g")]))?;
            let lines = [line(tx.new_id(), first, 1), Use { index: 1, ..line(tx.new_id(), second, 1) }];
            let refused = deduct(tx, actor, &outlet, tx.new_id(), &lines);
            assert_eq!(left(tx, a), [("a".to_owned(), 10_000_000)]);
            refused
        })
        .unwrap_err();
    let StockError::Short(short) = short else { panic!("{short}") };
    assert_eq!(short.len(), 1);
    assert_eq!((short[0].index, short[0].reason().as_str()), (1, "not enough stock: A, B"));
    assert_eq!(fixture.number("SELECT count(*) FROM stock_movements"), 0);
}

#[test]
fn falling_to_the_threshold_is_told_once() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let draft = ItemDraft { min_stock_threshold: q("5"), ..item_draft("Cola", "pcs") };
            let cola = create_item(tx, actor, draft)?.id;
            receive(tx, actor, &outlet, &incoming(cola, q("8"), cost("1"), "a", None))?;
            let glass = dish(tx, actor, "Glass");
            put_recipe(tx, actor, glass, None, recipe("1", "pcs", vec![of(cola, "1", "pcs")]))?;
            let told = |tx: &Tx<'_>| {
                count(tx, "SELECT coalesce(sum(count), 0) FROM notifications WHERE type = 'LOW_STOCK'")
            };
            for expected in [0, 0, 1, 1, 1] {
                deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), glass, 1)])?;
                assert_eq!(told(tx), expected);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_recipe_that_contains_itself_is_refused_and_leaves_nothing() {
    let fixture = Fixture::new();
    let made = fixture
        .write(|tx, actor| -> Result<(Uuid, Uuid)> {
            let salt = create_item(tx, actor, item_draft("Salt", "g"))?.id;
            let inner =
                create_preparation(tx, actor, "Inner".into(), recipe("1", "kg", vec![of(salt, "1", "g")]))?
                    .id;
            let outer = create_preparation(
                tx,
                actor,
                "Outer".into(),
                recipe("1", "kg", vec![made_of(inner, "1", "kg")]),
            )?
            .id;
            Ok((inner, outer))
        })
        .unwrap();
    let refused = fixture.write(move |tx, actor| {
        let draft = recipe("1", "kg", vec![made_of(made.1, "1", "kg")]);
        update_preparation(tx, actor, made.0, None, "Inner", draft).map(drop)
    });
    assert!(
        matches!(refused, Err(StockError::Invalid(fields)) if fields[0].reason.contains("contains itself"))
    );
    assert_eq!(fixture.number("SELECT count(*) FROM recipe_ingredients"), 2);
    let used = fixture.write(move |tx, actor| archive_preparation(tx, actor, made.0, None).map(drop));
    assert!(matches!(used, Err(StockError::Conflict(text)) if text.contains("Outer")));
}

#[test]
fn adjustments_count_by_item_and_by_batch() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let own = rules_crate("12");
            let cola =
                create_item(tx, actor, ItemDraft { unit_conversions: own, ..item_draft("Cola", "pcs") })?.id;
            let base = Adjustment {
                stock_item_id: cola,
                batch_number: None,
                amount: Amount::Delta(q("2")),
                unit: Some("crate".into()),
                unit_cost: Some(cost("900")),
                expiry_date: Some("2026-12-24".parse().unwrap()),
                reason: "opening".into(),
                note: None,
            };
            let opened = adjust(tx, actor, &outlet, &base)?;
            assert_eq!((opened.before, opened.after), (Quantity::ZERO, q("24")));
            assert_eq!(opened.movements[0].kind, Kind::Opening);
            assert_eq!(opened.movements[0].batch_number.as_deref(), Some("OPN-261120-1"));
            let count_it = Adjustment {
                amount: Amount::Counted(q("21")),
                unit: None,
                unit_cost: None,
                expiry_date: None,
                reason: "COUNT".into(),
                ..base.clone()
            };
            let counted = adjust(tx, actor, &outlet, &count_it)?;
            assert_eq!((counted.after, counted.movements[0].quantity_delta), (q("21"), q("-3")));
            let by_batch = Adjustment {
                batch_number: Some("OPN-261120-1".into()),
                amount: Amount::Counted(q("30")),
                ..count_it.clone()
            };
            assert_eq!(adjust(tx, actor, &outlet, &by_batch)?.after, q("30"));
            assert_eq!(left(tx, cola).len(), 1, "the same batch again");
            let too_much = Adjustment { amount: Amount::Delta(q("-31")), ..count_it };
            assert!(matches!(adjust(tx, actor, &outlet, &too_much), Err(StockError::Invalid(_))));
            assert_eq!(
                super::tests::count(tx, "SELECT count(*) FROM audit_log WHERE action = 'inventory.adjust'"),
                3
            );
            assert_levels_are_the_ledger(tx, actor.outlet_id);
            Ok(())
        })
        .unwrap();
}

fn rules_crate(factor: &str) -> Vec<crate::resources::inventory::rules::UnitConversion> {
    vec![crate::resources::inventory::rules::UnitConversion { unit: "crate".into(), factor: q(factor) }]
}

#[test]
fn another_outlets_records_are_unknown() {
    let fixture = Fixture::new();
    let item = fixture
        .write(|tx, actor| create_item(tx, actor, item_draft("Salt", "g")).map(|item| item.id))
        .unwrap();
    let stranger = Actor::system(fixture.second_outlet());
    let refused = fixture.db.write_blocking(move |tx| -> Result<bool> {
        let outlet = outlet(tx, &stranger, StockPolicy::AllowNegative);
        let received = receive(tx, &stranger, &outlet, &incoming(item, q("1"), cost("1"), "x", None));
        let changed = update_item(tx, &stranger, item, None, |draft| draft);
        let used = create_preparation(tx, &stranger, "P".into(), recipe("1", "kg", vec![of(item, "1", "g")]));
        let none = Target::Dish(item);
        let removed = remove_recipe(tx, &stranger, &none, None);
        Ok(received.is_err() && changed.is_err() && used.is_err() && removed.is_err())
    });
    assert!(refused.unwrap());
}

#[test]
fn picking_reads_one_range_of_one_index_already_in_order() {
    let fixture = Fixture::new();
    for rotation in [Rotation::Fefo, Rotation::Fifo] {
        let plan = fixture.plan(levels::pick_sql(rotation));
        let index = format!("stock_batch_levels_{}", rotation.name().to_lowercase());
        assert!(plan.len() == 1 && plan[0].contains(&index), "{plan:?}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Receive { item: usize, quantity: i64, cost: i64, expires_in: Option<i64> },
    Order { portions: i64 },
    Return { line: usize, portions: i64 },
    Waste { line: usize, portions: i64 },
    Count { item: usize, quantity: i64 },
    NextDay,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0usize..3, 1i64..3_000_000, 0i64..900_000_000, proptest::option::of(0i64..4))
            .prop_map(|(item, quantity, cost, expires_in)| Step::Receive { item, quantity, cost, expires_in }),
        5 => (1i64..9).prop_map(|portions| Step::Order { portions }),
        2 => (0usize..9, 1i64..9).prop_map(|(line, portions)| Step::Return { line, portions }),
        2 => (0usize..9, 1i64..9).prop_map(|(line, portions)| Step::Waste { line, portions }),
        1 => (0usize..3, 0i64..2_000_000).prop_map(|(item, quantity)| Step::Count { item, quantity }),
        1 => Just(Step::NextDay),
    ]
}

/// A kitchen with three items and one dish, and what its guests did.
struct Kitchen {
    items: Vec<Uuid>,
    dish: Uuid,
    lines: Vec<(Uuid, i64)>,
    days: i64,
}

impl Kitchen {
    fn open(tx: &Tx<'_>, actor: &Actor) -> Result<Kitchen> {
        let mut items = Vec::new();
        for name in ["A", "B", "C"] {
            items.push(create_item(tx, actor, item_draft(name, "kg"))?.id);
        }
        let dish = dish(tx, actor, "Dish");
        let paste = create_preparation(
            tx,
            actor,
            "Paste".into(),
            recipe("7", "kg", vec![of(items[0], "3", "kg"), of(items[1], "1", "kg")]),
        )?;
        let ingredients =
            vec![made_of(paste.id, "100", "g"), of(items[1], "33.3", "g"), of(items[2], "250", "g")];
        put_recipe(tx, actor, dish, None, recipe("3", "pcs", ingredients))?;
        Ok(Kitchen { items, dish, lines: Vec::new(), days: 0 })
    }

    fn run(&mut self, tx: &Tx<'_>, actor: &Actor, policy: StockPolicy, step: &Step, n: usize) -> Outcome {
        let tx = &tx.at(tx.now().after(self.days * 86_400_000));
        let outlet = &outlet(tx, actor, policy);
        let today = outlet.business_date(tx.now());
        match *step {
            Step::NextDay => {
                self.days += 1;
                let tomorrow = tx.at(tx.now().after(86_400_000));
                availability::follow(&tomorrow, actor, outlet, None)?;
            }
            Step::Receive { item, quantity, cost, expires_in } => {
                let quantity = Quantity::from_millionths(quantity);
                let expiry =
                    expires_in.map(|days| (today + chrono::Days::new(days.unsigned_abs())).to_string());
                let unit_cost = UnitCost::from_millionths(cost);
                let receipt =
                    incoming(self.items[item], quantity, unit_cost, &format!("b{n}"), expiry.as_deref());
                receive(tx, actor, outlet, &receipt)?;
            }
            Step::Order { portions } => {
                let id = tx.new_id();
                match deduct(tx, actor, outlet, tx.new_id(), &[line(id, self.dish, portions)]) {
                    Ok(()) => self.lines.push((id, portions)),
                    Err(StockError::Short(_)) if policy == StockPolicy::Block => {}
                    Err(other) => return Err(other),
                }
            }
            Step::Return { line, portions } | Step::Waste { line, portions } => {
                let Some((id, outstanding)) = self.lines.get_mut(line) else { return Ok(()) };
                let quantity = portions.min(*outstanding);
                let part = Portions { order_item_id: *id, quantity, outstanding: *outstanding };
                *outstanding -= quantity;
                match step {
                    Step::Return { .. } => return_line(tx, actor, outlet, part, &void())?,
                    _ => waste_line(tx, actor, outlet, &made(self.dish, part), &void()).map(drop)?,
                }
            }
            Step::Count { item, quantity } => {
                let adjustment = Adjustment {
                    stock_item_id: self.items[item],
                    batch_number: None,
                    amount: Amount::Counted(Quantity::from_millionths(quantity)),
                    unit: None,
                    unit_cost: None,
                    expiry_date: None,
                    reason: "COUNT".into(),
                    note: None,
                };
                let counted = adjust(tx, actor, outlet, &adjustment)?;
                assert_eq!(counted.after.get(), quantity);
            }
        }
        Ok(())
    }
}

fn assert_invariants(tx: &Tx<'_>, actor: &Actor, policy: StockPolicy, kitchen: &Kitchen) {
    assert_levels_are_the_ledger(tx, actor.outlet_id);
    let over = "SELECT count(*) FROM stock_movements s WHERE s.kind = 'SALE' AND -s.quantity_delta <
                (SELECT coalesce(sum(r.quantity_delta), 0) FROM stock_movements r WHERE r.reverses_id = s.id)";
    assert_eq!(count(tx, over), 0, "never more back than was taken");
    for (id, _) in kitchen.lines.iter().filter(|(_, outstanding)| *outstanding == 0) {
        let held = "SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements WHERE order_item_id = ?1 AND kind IN ('SALE', 'RETURN')";
        let held: i64 = crate::db::one(tx, held, [id], |row| row.get(0)).unwrap();
        assert_eq!(held, 0, "a line with nothing left holds nothing");
    }
    let now = tx.now().after(kitchen.days * 86_400_000);
    assert_eq!(due(tx, &outlet(tx, actor, policy), now, None).unwrap(), [], "the dish follows its stock");
}

fn assert_nothing_is_owed(tx: &Tx<'_>, policy: StockPolicy) {
    if policy == StockPolicy::Block {
        assert_eq!(count(tx, "SELECT count(*) FROM stock_movements WHERE batch_id IS NULL"), 0);
        assert_eq!(count(tx, "SELECT count(*) FROM stock_levels WHERE on_hand < 0"), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_happens_the_ledger_adds_up(steps in proptest::collection::vec(step(), 1..30), block in any::<bool>()) {
        let policy = if block { StockPolicy::Block } else { StockPolicy::AllowNegative };
        Fixture::new()
            .write(move |tx, actor| -> Outcome {
                let mut kitchen = Kitchen::open(tx, actor)?;
                availability::follow(tx, actor, &outlet(tx, actor, policy), None)?;
                for (n, step) in steps.iter().enumerate() {
                    kitchen.run(tx, actor, policy, step, n)?;
                }
                assert_invariants(tx, actor, policy, &kitchen);
                assert_nothing_is_owed(tx, policy);
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn a_close_look_reads_only_the_dishes_that_are_touched() {
    let steps = Fixture::new().plan(&portions::shortages_sql(true)).join("\n");
    assert!(steps.contains("SEARCH t USING COVERING INDEX portion_needs_by_item"), "{steps}");
    assert!(steps.contains("SEARCH n USING PRIMARY KEY (target_id=?)"), "{steps}");
    assert!(!steps.contains("B-TREE"), "{steps}");
}

/// What is filed is found by item, what is not by date, and what comes late to a filed date is filed at once.
#[test]
fn an_items_ledger_is_read_where_it_lies() {
    let fixture = Fixture::new();
    fixture
        .write(|tx, actor| -> Outcome {
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            let milk = create_item(tx, actor, item_draft("Milk", "l"))?.id;
            let total = |tx: &Tx<'_>| {
                movements::list(tx, actor.outlet_id, milk, &Default::default(), (10, 0)).unwrap().total
            };
            let filed = |tx: &Tx<'_>| count(tx, "SELECT count(*) FROM stock_filed_movements");
            let receive_at = |tx: &Tx<'_>, number: &str| {
                receive(tx, actor, &outlet, &incoming(milk, q("1"), cost("1"), number, None)).map(drop)
            };
            let tomorrow = tx.at(tx.now().after(86_400_000));
            let today = outlet.business_date(tx.now());
            receive_at(tx, "today")?;
            receive_at(&tomorrow, "tomorrow")?;
            assert_eq!(movements::find_unfiled(tx, actor.outlet_id, today)?, None, "today is not over");
            let date = movements::find_unfiled(tx, actor.outlet_id, outlet.business_date(tomorrow.now()))?;
            assert_eq!(date, Some(today));
            file_movements(tx, actor.outlet_id, today)?;
            assert_eq!((filed(tx), total(tx)), (1, 2));
            receive_at(tx, "late")?;
            assert_eq!((filed(tx), total(tx)), (2, 3));
            let page = |filter: &movements::LedgerFilter, paging| {
                let page = movements::list(tx, actor.outlet_id, milk, filter, paging).unwrap();
                (page.items.iter().map(|movement| movement.id).collect::<Vec<_>>(), page.total)
            };
            let all = movements::LedgerFilter { from: Some(today - Days::new(1)), ..Default::default() };
            for paging in [(50, 0), (2, 0), (2, 2)] {
                assert_eq!(page(&Default::default(), paging), page(&all, paging), "{paging:?}");
            }
            tx.execute("DELETE FROM stock_movements WHERE business_date = ?1", [today])?;
            assert_eq!((filed(tx), total(tx)), (0, 1));
            Ok(())
        })
        .unwrap();
    let newest = fixture.plan(newest!()).join("\n");
    let sorted = newest.matches("USE TEMP B-TREE FOR ORDER BY").count();
    assert!(
        newest.contains("MERGE (UNION ALL)") && sorted <= 1,
        "only what is not filed is sorted: {newest}"
    );
    let steps = fixture.plan(concat!("SELECT id FROM ", of_item!(), " f")).join("\n");
    assert!(steps.contains("SEARCH stock_filed_movements USING PRIMARY KEY (stock_item_id=?)"), "{steps}");
    let by_date =
        "SEARCH stock_movements USING INDEX stock_movements_by_date (outlet_id=? AND business_date>?)";
    assert!(steps.contains(by_date), "{steps}");
}

/// After a restore, or with recipes from head office, what a portion takes is worked out anew.
#[test]
fn what_a_portion_takes_is_learnt_when_it_is_missing() {
    Fixture::new()
        .write(|tx, actor| -> Outcome {
            let kitchen = Kitchen::open(tx, actor)?;
            let needs = "SELECT sum(quantity) FROM portion_needs";
            // 100 g of paste (3/7 and 1/7 of it), 33.3 g and 250 g make three dishes.
            assert_eq!(count(tx, needs), 14_286 + 4_762 + 11_100 + 83_333);
            assert!(!needs_are_stale(tx, actor.outlet_id).unwrap());
            let outlet = outlet(tx, actor, StockPolicy::AllowNegative);
            receive(tx, actor, &outlet, &incoming(kitchen.items[2], q("0.1"), cost("1"), "b", None))?;
            tx.execute("UPDATE portion_needs SET quantity = 1", []).unwrap();
            tx.execute("UPDATE stock_levels SET largest_need = 0", []).unwrap();
            deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), kitchen.dish, 1)])?;
            assert_eq!(count(tx, "SELECT count(*) FROM menu_availability"), 0, "nothing known, nothing done");
            assert!(needs_are_stale(tx, actor.outlet_id).unwrap());
            rebuild_needs(tx, actor)?;
            assert_eq!(count(tx, needs), 14_286 + 4_762 + 11_100 + 83_333);
            assert_eq!(count(tx, "SELECT max(largest_need) FROM stock_levels"), 83_333);
            let out = "SELECT count(*) FROM menu_availability WHERE status = 'OUT_OF_STOCK' AND source = 'AUTO_RECIPE'";
            assert_eq!(count(tx, out), 1);
            Ok(())
        })
        .unwrap();
}
