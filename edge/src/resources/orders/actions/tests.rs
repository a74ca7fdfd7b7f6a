//! Orders against a menu, a stock and a kitchen in memory's clock: what is written, what goes back, and what is refused.

use super::command::PlaceOrder;
use super::place::Placed;
use super::status::SetStatus;
use super::voids::VoidLine;
use super::*;
use crate::access::Role;
use crate::db::{self, DbError, one};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::inventory::rules as stock;
use crate::resources::menu::rules::{CategoryDraft, GroupDraft, ItemDraft, OptionDraft, TaxComponent};
use crate::resources::orders::actions::discounts::GiveDiscount;
use crate::resources::orders::api::view::{OrderDetail, view};
use crate::resources::orders::rules::{
    DiscountKind, Guest, LineRequest, ModifierRequest, OrderStatus, OrderType, Source,
};
use crate::resources::{inventory, kitchen, menu, outlets};
use crate::testing::Fixture;
use tiffin_common::{Bps, Cents, Quantity, UnitCost};

mod money;
mod sizes;
mod steps;

/// A branch that sells dosa (5 % GST, a size to choose, 100 g of batter) and coffee (no tax, nothing in stock).
struct Diner {
    fixture: Fixture,
    dosa: Uuid,
    coffee: Uuid,
    large: Uuid,
}

fn kilos(millionths: i64) -> Quantity {
    Quantity::from_millionths(millionths)
}

impl Diner {
    fn new() -> Diner {
        let fixture = Fixture::new();
        let (dosa, coffee, large) = fixture.write(stock_the_menu).unwrap();
        fixture.write(move |tx, actor| stock_the_larder(tx, actor, dosa)).unwrap();
        Diner { fixture, dosa, coffee, large }
    }

    fn line(item: Uuid, quantity: i64, price: i64) -> LineRequest {
        LineRequest {
            variant_id: None,
            sku: None,
            menu_item_id: item,
            quantity,
            weight: None,
            unit_price: Some(Cents::new(price)),
            modifiers: Vec::new(),
            components: Vec::new(),
            notes: None,
            course: None,
            seat_number: None,
            hold: false,
        }
    }

    fn order(lines: Vec<LineRequest>) -> PlaceOrder {
        PlaceOrder {
            guest_key: None,
            channel_id: None,
            external_id: None,
            channel: None,
            order_type: OrderType::Counter,
            source: Source::Pos,
            table_id: None,
            table_number: None,
            guest: Guest::default(),
            notes: None,
            guest_count: None,
            scheduled_for: None,
            lines,
        }
    }

    fn place(&self, lines: Vec<LineRequest>) -> Result<Placed, OrderError> {
        let command = Diner::order(lines);
        self.as_role(Role::Manager, move |tx, actor| place(tx, actor, command, &ApproverPin::none()))
    }

    fn as_role<T: Send + 'static>(
        &self,
        role: Role,
        change: impl FnOnce(&Tx<'_>, &Actor) -> Result<T, OrderError> + Send + 'static,
    ) -> Result<T, OrderError> {
        let actor = self.fixture.actor_as(role);
        self.fixture.db.write_blocking(move |tx| change(tx, &actor))
    }

    fn batter_left(&self) -> i64 {
        self.fixture.number("SELECT on_hand FROM stock_levels")
    }

    fn set_status(&self, id: Uuid, status: OrderStatus) -> Result<OrderRecord, OrderError> {
        let change = SetStatus::to(status, Some("left"));
        self.as_role(Role::Manager, move |tx, actor| {
            set_status(tx, actor, id, None, &change, &ApproverPin::none())
        })
    }

    fn invalid(result: Result<Placed, OrderError>) -> Vec<String> {
        match result {
            Err(OrderError::Invalid(fields)) => fields.into_iter().map(|field| field.name).collect(),
            other => panic!("{other:?}"),
        }
    }
}

fn stock_the_menu(tx: &Tx<'_>, actor: &Actor) -> Result<(Uuid, Uuid, Uuid), menu::rules::MenuError> {
    let category = menu::actions::create_category(tx, actor, CategoryDraft::named("Mains", 1))?.id;
    let component = |name: &str| TaxComponent { name: name.into(), rate: Bps::new(250), kind: None };
    let taxes = vec![component("CGST"), component("SGST")];
    let tax = menu::actions::create_tax(tx, actor, "GST 5".into(), taxes, None)?.id;
    let mut regular = OptionDraft::new("Regular", Cents::ZERO);
    regular.is_default = true;
    let options = vec![regular, OptionDraft::new("Large", Cents::new(2_000))];
    let size = GroupDraft { min: 1, max: Some(1), ..GroupDraft::new("Size", options) };
    let size = menu::actions::create_group(tx, actor, size)?;
    let dosa = ItemDraft {
        tax_category_id: Some(tax),
        group_ids: vec![size.id],
        ..ItemDraft::new(category, "Dosa", Cents::new(10_000))
    };
    let dosa = menu::actions::create_item(tx, actor, dosa)?.id;
    let coffee =
        menu::actions::create_item(tx, actor, ItemDraft::new(category, "Coffee", Cents::new(5_000)))?.id;
    Ok((dosa, coffee, size.options[1].id))
}

fn stock_the_larder(tx: &Tx<'_>, actor: &Actor, dosa: Uuid) -> Result<Uuid, stock::StockError> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let item = stock::ItemDraft {
        name: "Batter".into(),
        category: "Kitchen".into(),
        unit: "kg".into(),
        sku: None,
        rotation: stock::Rotation::Fefo,
        min_stock_threshold: Quantity::ZERO,
        par_level: None,
        supplier_id: None,
        unit_conversions: Vec::new(),
    };
    let batter = inventory::actions::create_item(tx, actor, item)?.id;
    for (number, quantity) in [("B1", 150_000), ("B2", 1_000_000)] {
        let receipt = stock::Receipt {
            stock_item_id: batter,
            quantity: kilos(quantity),
            unit_cost: UnitCost::from_millionths(5_000_000_000),
            batch_number: Some(number.into()),
            expiry_date: None,
            supplier_id: None,
            kind: stock::Kind::Opening,
            cause: stock::Cause::new("OPENING", None),
        };
        inventory::actions::receive(tx, actor, &outlet, &receipt)?;
    }
    let ingredient = stock::IngredientDraft {
        stock_item_id: Some(batter),
        sub_recipe_id: None,
        quantity: Quantity::units(100)?,
        unit: "g".into(),
    };
    let recipe = stock::RecipeDraft {
        makes: Quantity::units(1)?,
        yield_unit: "pcs".into(),
        shelf_life_days: None,
        ingredients: vec![ingredient],
    };
    inventory::actions::put_recipe(tx, actor, dosa, None, recipe)?;
    Ok(batter)
}

#[test]
fn an_order_is_priced_numbered_deducted_and_sent() {
    let diner = Diner::new();
    let mut dosa = Diner::line(diner.dosa, 2, 10_000);
    dosa.modifiers.push(ModifierRequest {
        option_id: None,
        name: Some("large".into()),
        price: Some(Cents::new(2_000)),
    });
    dosa.modifiers.push(ModifierRequest { option_id: None, name: Some("no onion".into()), price: None });
    let placed = diner.place(vec![dosa, Diner::line(diner.coffee, 1, 5_000)]).unwrap();
    let order = &placed.order;
    assert_eq!(order.order_number, "BLR1-261120-0001");
    assert_eq!(
        (order.subtotal, order.tax, order.total),
        (Cents::new(29_000), Cents::new(1_200), Cents::new(30_200))
    );
    assert_eq!(order.lines[0].modifiers[0].option_id, Some(diner.large));
    assert_eq!(diner.batter_left(), 950_000);
    assert_eq!(diner.fixture.number("SELECT count(*) FROM kitchen_tickets WHERE type = 'NEW'"), 1);
    let second = diner.place(vec![Diner::line(diner.coffee, 1, 5_000)]).unwrap().order;
    assert_eq!((second.token_number, second.status), (2, OrderStatus::Pending));
    let (outlet, id) = (diner.fixture.outlet_id, order.id);
    let shown = diner.fixture.db.read_blocking(move |conn| {
        view(conn, outlet, id)
            .map_err(|_| DbError::Overflow)
            .map(|order| serde_json::to_value(order).unwrap())
    });
    let fresh = serde_json::to_value(OrderDetail::fresh(placed)).unwrap();
    assert_eq!(shown.unwrap(), fresh, "the answer built from memory is what is stored");
}

#[test]
fn every_offending_field_is_named_at_once_and_nothing_is_written() {
    let diner = Diner::new();
    let mut dosa = Diner::line(diner.dosa, 1, 9_999);
    dosa.modifiers = ["Large", "Regular", "extra love"]
        .map(|name| ModifierRequest { option_id: None, name: Some(name.into()), price: Some(Cents::new(5)) })
        .to_vec();
    let lines = vec![dosa, Diner::line(Uuid::nil(), 1, 1)];
    let mut command = Diner::order(lines);
    command.table_number = Some("99".into());
    let result =
        diner.as_role(Role::Cashier, move |tx, actor| place(tx, actor, command, &ApproverPin::none()));
    let names = Diner::invalid(result);
    assert_eq!(
        names,
        [
            "tableNumber",
            "items[0].unitPriceCents",
            "items[0].modifiers[0].priceCents",
            "items[0].modifiers[1].priceCents",
            "items[0].modifiers[2].priceCents",
            "items[0].modifiers",
            "items[1].menuItemId",
        ]
    );
    assert_eq!(diner.fixture.number("SELECT count(*) FROM counters"), 0, "a refused order takes no number");
}

#[test]
fn a_manager_may_charge_another_price_and_it_is_on_record() {
    let diner = Diner::new();
    let order = diner.place(vec![Diner::line(diner.coffee, 1, 4_000)]).unwrap().order;
    assert_eq!(order.total, Cents::new(4_000));
    assert_eq!(
        diner.fixture.number("SELECT count(*) FROM audit_log WHERE action = 'order.price_override'"),
        1
    );
}

#[test]
fn two_waiters_who_add_at_once_both_keep_what_they_added() {
    let diner = Diner::new();
    let id = diner.place(vec![Diner::line(diner.coffee, 1, 5_000)]).unwrap().order.id;
    for quantity in [1, 2] {
        let line = Diner::line(diner.dosa, quantity, 10_000);
        let added = diner
            .as_role(Role::Waiter, move |tx, actor| add_lines(tx, actor, id, &[line], &ApproverPin::none()));
        assert!(added.is_ok(), "{added:?}");
    }
    assert_eq!(diner.fixture.number("SELECT sum(quantity) FROM order_items"), 4);
    assert_eq!(diner.fixture.number("SELECT total_cents FROM orders"), 36_500);
    assert_eq!(diner.fixture.number("SELECT count(*) FROM kitchen_tickets WHERE type = 'ADDITION'"), 2);
    assert_eq!(diner.batter_left(), 850_000);
}

#[test]
fn a_void_gives_each_portion_back_once_or_writes_it_off_once() {
    let diner = Diner::new();
    let order = diner.place(vec![Diner::line(diner.dosa, 3, 10_000)]).unwrap().order;
    let (id, line) = (order.id, order.lines[0].id);
    let void = |quantity, was_made| {
        let void = VoidLine { quantity, reason: "changed mind".into(), was_made: Some(was_made) };
        diner.as_role(Role::Manager, move |tx, actor| {
            void_line(tx, actor, id, line, &void, &ApproverPin::none())
        })
    };
    assert_eq!(void(Some(1), false).unwrap().total, Cents::new(21_000));
    assert_eq!(diner.batter_left(), 950_000);
    assert!(matches!(void(Some(3), false), Err(OrderError::Invalid(_))));
    void(Some(1), true).unwrap();
    assert_eq!(diner.batter_left(), 950_000);
    void(None, false).unwrap();
    assert_eq!(diner.batter_left(), 1_050_000);
    assert!(matches!(void(None, false), Err(OrderError::State(_))));
    assert_eq!(diner.fixture.number("SELECT total_cents FROM orders"), 0);
    assert_eq!(diner.fixture.number("SELECT count(*) FROM order_taxes"), 0);
    diner.set_status(id, OrderStatus::Cancelled).unwrap();
    assert_eq!(diner.batter_left(), 1_050_000, "cancelling gives nothing back twice");
}

#[test]
fn a_waiter_needs_an_approver_to_void() {
    let diner = Diner::new();
    let order = diner.place(vec![Diner::line(diner.dosa, 1, 10_000)]).unwrap().order;
    let (id, line) = (order.id, order.lines[0].id);
    let void = VoidLine { quantity: None, reason: "x".into(), was_made: None };
    diner.fixture.clock.advance(60_000);
    let refused = diner
        .as_role(Role::Waiter, move |tx, actor| void_line(tx, actor, id, line, &void, &ApproverPin::none()));
    assert!(matches!(refused, Err(OrderError::Auth(_))), "{refused:?}");
}

#[test]
fn cancelling_before_the_kitchen_began_gives_back_and_after_is_waste() {
    let diner = Diner::new();
    let first = diner.place(vec![Diner::line(diner.dosa, 1, 10_000)]).unwrap().order.id;
    diner.set_status(first, OrderStatus::Cancelled).unwrap();
    assert_eq!(diner.batter_left(), 1_150_000);
    let second = diner.place(vec![Diner::line(diner.dosa, 1, 10_000)]).unwrap().order.id;
    let started = diner.as_role(Role::Kitchen, move |tx, actor| {
        let ticket: Uuid =
            crate::db::one(tx, "SELECT id FROM kitchen_tickets WHERE order_id = ?1", [second], |row| {
                row.get(0)
            })?;
        kitchen::actions::act(tx, actor, ticket, kitchen::rules::Verb::Start, follow_kitchen)?;
        Ok(store::find_head(tx, actor.outlet_id, second)?.status)
    });
    assert_eq!(started.unwrap(), OrderStatus::InPreparation);
    diner.set_status(second, OrderStatus::Cancelled).unwrap();
    assert_eq!(diner.batter_left(), 1_050_000);
    assert_eq!(diner.fixture.number("SELECT count(*) FROM stock_movements WHERE kind = 'WASTE'"), 1);
    assert_eq!(diner.fixture.number("SELECT count FROM order_counts WHERE status = 'CANCELLED'"), 2);
    assert_eq!(diner.fixture.number("SELECT sum(count) FROM order_counts"), 2);
}

#[test]
fn states_go_forward_and_name_what_is_allowed() {
    let diner = Diner::new();
    let id = diner.place(vec![Diner::line(diner.coffee, 1, 5_000)]).unwrap().order.id;
    diner.set_status(id, OrderStatus::Ready).unwrap();
    match diner.set_status(id, OrderStatus::Accepted) {
        Err(OrderError::Transition { allowed, .. }) => {
            assert_eq!(allowed, [OrderStatus::Delivered, OrderStatus::Completed, OrderStatus::Cancelled]);
        }
        other => panic!("{other:?}"),
    }
    assert!(
        matches!(diner.set_status(id, OrderStatus::Completed), Err(OrderError::State(_))),
        "it is not paid"
    );
    assert_eq!(diner.fixture.number("SELECT count(*) FROM order_status_history"), 2);
}

#[test]
fn small_discounts_do_not_add_up_past_the_limit() {
    let diner = Diner::new();
    let id = diner.place(vec![Diner::line(diner.coffee, 2, 5_000)]).unwrap().order.id;
    let give = |role, value| {
        let give =
            GiveDiscount { kind: DiscountKind::Percent, value, line_id: None, reason: "regular".into() };
        diner.as_role(role, move |tx, actor| discount(tx, actor, id, give, &ApproverPin::none()))
    };
    assert_eq!(give(Role::Cashier, 600).unwrap().total, Cents::new(9_400));
    assert!(matches!(give(Role::Cashier, 600), Err(OrderError::Auth(_))), "12 % is above a cashier's 10 %");
    let order = give(Role::Manager, 600).unwrap();
    assert_eq!((order.discount, order.total), (Cents::new(1_200), Cents::new(8_800)));
    let first: Vec<u8> = diner
        .fixture
        .db
        .read_blocking(|conn| one(conn, "SELECT id FROM order_discounts LIMIT 1", [], |row| row.get(0)))
        .unwrap();
    let first = Uuid::from_slice(&first).unwrap();
    let order = diner.as_role(Role::Manager, move |tx, actor| remove_discount(tx, actor, id, first)).unwrap();
    assert_eq!(order.total, Cents::new(9_400));
}

#[test]
fn changing_a_line_moves_only_the_difference() {
    let diner = Diner::new();
    let order = diner.place(vec![Diner::line(diner.dosa, 2, 10_000)]).unwrap().order;
    let (id, line) = (order.id, order.lines[0].id);
    let set = |quantity| {
        let change = lines::LineChange { quantity: Some(quantity), ..lines::LineChange::default() };
        let pin = ApproverPin::none();
        diner.as_role(Role::Waiter, move |tx, actor| change_line(tx, actor, id, line, None, change, &pin))
    };
    assert_eq!(set(5).unwrap().total, Cents::new(52_500));
    assert_eq!(diner.batter_left(), 650_000);
    assert_eq!(set(1).unwrap().total, Cents::new(10_500));
    assert_eq!(diner.batter_left(), 1_050_000);
}

#[test]
fn another_outlets_order_is_not_found() {
    let diner = Diner::new();
    let id = diner.place(vec![Diner::line(diner.coffee, 1, 5_000)]).unwrap().order.id;
    let other = diner.fixture.second_outlet();
    let found = diner.fixture.db.read_blocking(move |conn| -> db::Result<bool> {
        Ok(matches!(store::find(conn, other, id), Err(OrderError::NotFound(_))))
    });
    assert!(found.unwrap());
}
