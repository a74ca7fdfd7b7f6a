//! Purchasing in motion: drafts, deliveries, what is short, and that orders, deliveries and the ledger never part.

use super::*;
use crate::db::{self, Tx};
use crate::resources::inventory;
use crate::resources::inventory::rules::{ItemDraft, Rotation, SupplierDraft, UnitConversion};
use crate::resources::purchase_orders::rules::delivery::Arrival;
use crate::resources::purchase_orders::rules::lines::LineDraft;
use crate::resources::purchase_orders::rules::{Mode, Status, shortage::SkipReason};
use crate::testing::Fixture;
use proptest::prelude::*;
use tiffin_common::Quantity;

fn q(text: &str) -> Quantity {
    text.parse().unwrap()
}

fn supplier(tx: &Tx<'_>, actor: &Actor, name: &str) -> Uuid {
    let draft = SupplierDraft {
        name: name.into(),
        contact_name: None,
        phone: None,
        email: None,
        address: None,
        tax_id: None,
        lead_time_days: 2,
        agreed_prices: Vec::new(),
    };
    inventory::actions::create_supplier(tx, actor, draft).unwrap().id
}

/// An item counted in kilos, low at 5, filled up to 20; a crate holds 7.5.
fn item(tx: &Tx<'_>, actor: &Actor, name: &str, supplier_id: Option<Uuid>) -> Uuid {
    let draft = ItemDraft {
        name: name.into(),
        category: "Vegetables".into(),
        unit: "kg".into(),
        sku: None,
        rotation: Rotation::Fefo,
        min_stock_threshold: q("5"),
        par_level: Some(q("20")),
        supplier_id,
        unit_conversions: vec![UnitConversion { unit: "crate".into(), factor: q("7.5") }],
    };
    inventory::actions::create_item(tx, actor, draft).unwrap().id
}

fn line(item: Uuid, quantity: &str, unit: Option<&str>) -> LineDraft {
    LineDraft {
        stock_item_id: item,
        quantity: q(quantity),
        unit: unit.map(Into::into),
        unit_cost: Some("3000".parse().unwrap()),
    }
}

fn order(supplier_id: Uuid, lines: Vec<LineDraft>) -> NewPurchaseOrder {
    NewPurchaseOrder { supplier_id, mode: Mode::Manual, expected_on: None, notes: None, lines }
}

fn arrival(item: Uuid, quantity: Quantity, unit: Option<&str>) -> Arrival {
    Arrival {
        stock_item_id: item,
        quantity,
        unit: unit.map(Into::into),
        unit_cost: "3000".parse().unwrap(),
        batch_number: None,
        expiry_date: None,
    }
}

fn delivery(arrivals: Vec<Arrival>) -> NewDelivery {
    NewDelivery { arrivals, invoice_ref: None, note: None, is_confirmed: true }
}

fn status(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Status {
    find(tx, actor, id).unwrap().status
}

#[test]
fn an_order_goes_its_way_and_no_other() {
    let fixture = Fixture::new();
    let done = fixture.write(|tx, actor| -> db::Result<()> {
        let farm = supplier(tx, actor, "Farm");
        let rice = item(tx, actor, "Rice", Some(farm));
        let made = create(tx, actor, order(farm, vec![line(rice, "2", Some("crate"))])).unwrap();
        assert_eq!((made.po_number.as_str(), made.status), ("PO-BLR1-261120-001", Status::Draft));
        assert_eq!(made.expected_on.to_string(), "2026-11-22", "after two days");
        assert_eq!(made.total.get(), 6_000);
        let early = deliver(tx, actor, made.id, delivery(vec![arrival(rice, q("1"), None)]));
        assert!(matches!(early, Err(PurchaseError::Transition { from: Status::Draft, .. })));
        send(tx, actor, made.id).unwrap();
        assert!(matches!(send(tx, actor, made.id), Err(PurchaseError::Transition { .. })));
        let changed = update(tx, actor, made.id, None, DraftChange::default());
        assert!(matches!(changed, Err(PurchaseError::State(_))));
        deliver(tx, actor, made.id, delivery(vec![arrival(rice, q("1"), None)])).unwrap();
        assert_eq!(status(tx, actor, made.id), Status::PartiallyReceived);
        assert!(matches!(close(tx, actor, made.id, None), Err(PurchaseError::Invalid(_))));
        deliver(tx, actor, made.id, delivery(vec![arrival(rice, q("7.5"), Some("kg"))])).unwrap();
        assert_eq!(status(tx, actor, made.id), Status::Received);
        deliver(tx, actor, made.id, delivery(vec![arrival(rice, q("500"), Some("g"))])).unwrap();
        assert_eq!(status(tx, actor, made.id), Status::Received, "more than was ordered is still received");
        let lines = store::list_lines(tx, actor.outlet_id, made.id).unwrap();
        assert_eq!(lines[0].received_stock_quantity, q("15.5"));
        close(tx, actor, made.id, None).unwrap();
        let late = deliver(tx, actor, made.id, delivery(vec![arrival(rice, q("1"), None)]));
        assert!(matches!(late, Err(PurchaseError::Transition { from: Status::Closed, .. })));
        let draft = create(tx, actor, order(farm, vec![line(rice, "1", None)])).unwrap();
        assert_eq!(draft.po_number, "PO-BLR1-261120-002");
        close(tx, actor, draft.id, None).unwrap();
        Ok(())
    });
    done.unwrap();
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE entity_type = 'purchase_order'"), 6);
}

#[test]
fn a_crate_costs_stock_exactly_what_was_paid_for_it() {
    let fixture = Fixture::new();
    let done = fixture.write(|tx, actor| -> db::Result<()> {
        let farm = supplier(tx, actor, "Farm");
        let rice = item(tx, actor, "Rice", Some(farm));
        let made = create(tx, actor, order(farm, vec![line(rice, "2", Some("crate"))])).unwrap();
        send(tx, actor, made.id).unwrap();
        deliver(tx, actor, made.id, delivery(vec![arrival(rice, q("2"), None)])).unwrap();
        Ok(())
    });
    done.unwrap();
    // 3000 cents a crate of 7.5 kg: 400 cents a kilo, 15 kilos, 6000 cents.
    assert_eq!(fixture.number("SELECT unit_cost FROM stock_batches"), 400_000_000);
    assert_eq!(fixture.number("SELECT quantity_delta FROM stock_movements"), 15_000_000);
    assert_eq!(fixture.number("SELECT cost_micros FROM stock_movements"), 6_000_000_000);
    assert_eq!(fixture.number("SELECT total_cents FROM purchase_deliveries"), 6_000);
    assert_eq!(fixture.number("SELECT last_unit_cost FROM stock_levels"), 400_000_000);
}

#[test]
fn what_is_low_is_drafted_once_for_each_supplier() {
    let fixture = Fixture::new();
    let done = fixture.write(|tx, actor| -> db::Result<()> {
        let (farm, dairy) = (supplier(tx, actor, "Farm"), supplier(tx, actor, "Dairy"));
        let (rice, peas) = (item(tx, actor, "Rice", Some(farm)), item(tx, actor, "Peas", Some(farm)));
        let milk = item(tx, actor, "Milk", Some(dairy));
        let lost = item(tx, actor, "Ice", None);
        // 2 of the 20 kilos of peas are ordered already.
        create(tx, actor, order(farm, vec![line(peas, "2", None)])).unwrap();
        let done = draft_low_stock(tx, actor, &Scope::default()).unwrap();
        assert_eq!(done.orders.len(), 2);
        let of = |supplier| {
            let order = done.orders.iter().find(|order| order.supplier_id == supplier).unwrap();
            assert_eq!((order.mode, order.status), (Mode::Auto, Status::Draft));
            let lines = store::list_lines(tx, actor.outlet_id, order.id).unwrap();
            lines
                .into_iter()
                .map(|line| (line.ordered.stock_item_id, line.ordered.quantity))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(farm), [(peas, q("18")), (rice, q("20"))]);
        assert_eq!(of(dairy), [(milk, q("20"))]);
        let skipped = |done: &Drafted| -> Vec<(Uuid, SkipReason)> {
            done.skipped.iter().map(|item| (item.stock_item_id, item.reason)).collect()
        };
        assert_eq!(skipped(&done), [(lost, SkipReason::NoSupplier)]);

        let again = draft_low_stock(tx, actor, &Scope::default()).unwrap();
        assert!(again.orders.is_empty());
        let on_order = |id| (id, SkipReason::OnOrder);
        assert_eq!(
            skipped(&again),
            [(lost, SkipReason::NoSupplier), on_order(milk), on_order(peas), on_order(rice)]
        );
        // What is given up is short again.
        for order in &done.orders {
            close(tx, actor, order.id, None).unwrap();
        }
        inventory::actions::archive_supplier(tx, actor, dairy, None).unwrap();
        let scope = Scope { supplier_id: Some(farm), stock_item_ids: Some(vec![rice, milk]) };
        let some = draft_low_stock(tx, actor, &scope).unwrap();
        assert_eq!(some.orders.len(), 1);
        let named = Scope { supplier_id: None, stock_item_ids: Some(vec![milk]) };
        assert_eq!(
            skipped(&draft_low_stock(tx, actor, &named).unwrap()),
            [(milk, SkipReason::NoSupplier)],
            "an archived supplier is none"
        );
        let unknown = Scope { supplier_id: Some(rice), stock_item_ids: Some(vec![milk, farm]) };
        let Err(PurchaseError::Invalid(fields)) = draft_low_stock(tx, actor, &unknown) else { panic!() };
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["supplierId", "inventoryItemIds[1]"]);
        Ok(())
    });
    done.unwrap();
}

#[test]
fn staff_hear_of_a_late_order_once() {
    let fixture = Fixture::new();
    let id = fixture
        .write(|tx, actor| -> db::Result<Uuid> {
            let farm = supplier(tx, actor, "Farm");
            let rice = item(tx, actor, "Rice", Some(farm));
            let made = create(tx, actor, order(farm, vec![line(rice, "2", None)])).unwrap();
            create(tx, actor, order(farm, vec![line(rice, "2", None)])).unwrap();
            send(tx, actor, made.id).unwrap();
            Ok(made.id)
        })
        .unwrap();
    let tell = || fixture.write(|tx, actor| tell_overdue(tx, actor.outlet_id)).unwrap();
    let day = 24 * 3_600_000;
    fixture.clock.advance(2 * day);
    assert_eq!(tell(), 0, "promised for today");
    fixture.clock.advance(day);
    assert_eq!((tell(), tell()), (1, 0), "and never of a draft");
    assert_eq!(fixture.number("SELECT count(*) FROM notifications WHERE type = 'PO_OVERDUE'"), 1);
    assert_eq!(fixture.number("SELECT max(version) FROM purchase_orders"), 2, "nobody edited it");
    assert!(fixture.write(move |tx, actor| find(tx, actor, id)).unwrap().status.is_awaited());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever comes in whatever units: what came of a line is the sum of its deliveries and of the ledger's receipts.
    #[test]
    fn deliveries_lines_and_the_ledger_agree(
        brought in proptest::collection::vec((0usize..3, 1i64..40_000, 0usize..3), 1..20),
    ) {
        let fixture = Fixture::new();
        let done = fixture.write(move |tx, actor| -> db::Result<()> {
            let farm = supplier(tx, actor, "Farm");
            let items: Vec<Uuid> =
                ["Rice", "Peas", "Oats"].iter().map(|name| item(tx, actor, name, Some(farm))).collect();
            let lines = items.iter().map(|id| line(*id, "4", Some("crate"))).collect();
            let made = create(tx, actor, order(farm, lines)).unwrap();
            send(tx, actor, made.id).unwrap();
            for chunk in brought.chunks(3) {
                let arrivals = chunk.iter().map(|(which, thousandths, unit)| {
                    let quantity = Quantity::from_millionths(thousandths * 1_000);
                    arrival(items[*which], quantity, [None, Some("kg"), Some("g")][*unit])
                });
                deliver(tx, actor, made.id, delivery(arrivals.collect())).unwrap();
            }
            let lines = store::list_lines(tx, actor.outlet_id, made.id).unwrap();
            let sum = |sql: &str, id: Uuid| -> i64 { crate::db::one(tx, sql, [id], |row| row.get(0)).unwrap() };
            for line in &lines {
                let delivered =
                    sum("SELECT coalesce(sum(stock_quantity), 0) FROM purchase_delivery_lines WHERE purchase_order_line_id = ?1", line.id);
                let ledger = sum(
                    "SELECT coalesce(sum(m.quantity_delta), 0) FROM stock_movements m
                     JOIN purchase_deliveries d ON d.id = m.cause_id WHERE m.kind = 'RECEIPT' AND m.stock_item_id = ?1",
                    line.ordered.stock_item_id,
                );
                assert_eq!((line.received_stock_quantity.get(), delivered), (ledger, ledger));
            }
            let complete = lines.iter().all(|line| line.received_stock_quantity >= line.ordered.stock_quantity);
            let expected = if complete { Status::Received } else { Status::PartiallyReceived };
            assert_eq!(status(tx, actor, made.id), expected);
            Ok(())
        });
        done.unwrap();
    }
}
