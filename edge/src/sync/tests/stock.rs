//! The same stock in two lives of a branch: what both met, and what both sold.

use super::recovering::{RICE, number, sql, twice};
use super::*;
use crate::access::Actor;
use crate::resources::inventory::actions::{follow_transfers, rebuild_levels, receive, receive_transfer};
use crate::resources::inventory::rules::transfers::Arrival;
use crate::resources::inventory::rules::{Cause, Kind, Receipt};
use crate::resources::inventory::store::levels::LedgerSums;
use crate::resources::outlets;
use tiffin_common::{Quantity, UnitCost};

const ITEM: Uuid = Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0010);

/// A delivery of rice, at so many cents a unit.
fn delivered(db: &Db, outlet: Uuid, quantity: i64, cents: i64) {
    db.write_blocking(move |tx: &Tx<'_>| {
        let found = outlets::store::find(tx, outlet)?;
        let receipt = Receipt {
            stock_item_id: ITEM,
            quantity: Quantity::from_millionths(quantity),
            unit_cost: UnitCost::from_millionths(cents * 1_000_000),
            batch_number: None,
            expiry_date: None,
            supplier_id: None,
            kind: Kind::Receipt,
            cause: Cause::new("DELIVERY", None),
        };
        receive(tx, &Actor::system(outlet), &found, &receipt).unwrap();
        Ok::<_, DbError>(())
    })
    .unwrap();
}

/// A sale of rice out of its newest batch, or without stock.
fn sold(db: &Db, outlet: Uuid, end: u8, quantity: i64, has_batch: bool) {
    let batch = if has_batch { "(SELECT max(id) FROM stock_batches)" } else { "NULL" };
    let text = format!(
        "INSERT INTO stock_movements (id, outlet_id, stock_item_id, batch_id, kind, quantity_delta, quantity_before, quantity_after, unit_cost,
           cost_micros, cause_type, business_date, at)
         VALUES (x'019700000000700080000000000000{end}', ?1, x'01970000000070008000000000000010', {batch}, 'SALE', -{quantity}, 0, 0, 5000000,
           -5 * {quantity}, 'ORDER', '2026-11-20', 1)"
    );
    db.write_blocking(move |tx: &Tx<'_>| {
        tx.execute(&text, [outlet])?;
        rebuild_levels(tx, &LedgerSums::none(outlet)).unwrap();
        Ok::<_, DbError>(())
    })
    .unwrap();
}

/// Nothing of the ledger is less than nothing, and the levels are what it gives.
fn assert_even(db: &Db) {
    let odd = "SELECT count(*) FROM (SELECT batch_id, sum(quantity_delta) AS left FROM stock_movements GROUP BY batch_id)
        WHERE batch_id IS NULL AND left > 0 OR batch_id IS NOT NULL AND left < 0";
    assert_eq!(number(db, odd), 0);
    let held = "SELECT on_hand - coalesce((SELECT sum(quantity) FROM stock_batch_levels), 0) + deficit FROM stock_levels";
    assert_eq!(number(db, held), 0, "what is there is in batches, less what is owed");
    let cost = "SELECT (SELECT deficit_cost_micros FROM stock_levels) + coalesce(sum(cost_micros), 0) FROM stock_movements
        WHERE batch_id IS NULL";
    assert_eq!(number(db, cost), 0);
}

#[tokio::test]
async fn what_both_lives_met_is_met_once_and_the_rest_is_in_a_batch() {
    let twice = twice(
        |fixture| {
            sql(&fixture.db, fixture.outlet_id, RICE);
            sold(&fixture.db, fixture.outlet_id, 20, 3_000_000, false);
        },
        |db, outlet| delivered(db, outlet, 5_000_000, 7),
        |db, outlet| delivered(db, outlet, 4_000_000, 6),
    );
    twice.recover(Bugs::default()).await;
    assert_even(&twice.db);
    assert_eq!(number(&twice.db, "SELECT on_hand FROM stock_levels"), 6_000_000);
    assert_eq!(number(&twice.db, "SELECT sum(quantity) FROM stock_batch_levels"), 6_000_000);
    assert_eq!(number(&twice.db, "SELECT deficit_cost_micros FROM stock_levels"), 0);
}

#[tokio::test]
async fn what_both_lives_sold_of_a_batch_that_held_less_is_owed() {
    let twice = twice(
        |fixture| {
            sql(&fixture.db, fixture.outlet_id, RICE);
            delivered(&fixture.db, fixture.outlet_id, 5_000_000, 7);
        },
        |db, outlet| sold(db, outlet, 21, 4_000_000, true),
        |db, outlet| sold(db, outlet, 22, 3_000_000, true),
    );
    twice.recover(Bugs::default()).await;
    assert_even(&twice.db);
    assert_eq!(number(&twice.db, "SELECT on_hand FROM stock_levels"), -2_000_000);
    assert_eq!(number(&twice.db, "SELECT deficit FROM stock_levels"), 2_000_000);
    assert_eq!(number(&twice.db, "SELECT deficit_cost_micros FROM stock_levels"), 14_000_000);
}

const TRANSFER: Uuid = Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0012);
const LINE: Uuid = Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0013);

/// Rice is on its way here: 5 units.
fn on_its_way(db: &Db, outlet: Uuid) {
    let line = serde_json::json!({
        "id": LINE, "lineNumber": 1, "stockItemId": ITEM, "name": "Rice", "sku": null, "unit": "kg", "batchId": Uuid::from_u128(14),
        "batchNumber": "R-1", "expiryDate": null, "unitCost": 7_000_000, "quantity": 5_000_000, "costMicros": 35_000_000,
        "movementId": Uuid::from_u128(15), "category": "Dry",
    });
    let text = format!(
        "INSERT INTO incoming_transfers (id, outlet_id, from_outlet_id, from_outlet_code, from_outlet_name, transfer_number, business_date,
           sent_at, sent_by_name, lines, lines_count, cost_micros)
         VALUES (?2, ?1, x'01970000000070008000000000000014', 'BLR9', 'Depot', 'TR-1', '2026-11-20', 1, 'Asha', '[{line}]', 1, 35000000)"
    );
    db.write_blocking(move |tx: &Tx<'_>| tx.execute(&text, [outlet, TRANSFER])).unwrap();
}

/// So much of it is taken in.
fn taken_in(db: &Db, outlet: Uuid, quantity: i64) {
    db.write_blocking(move |tx: &Tx<'_>| {
        let found = outlets::store::find(tx, outlet)?;
        let arrival = Arrival {
            line_id: Some(LINE),
            quantity: Some(Quantity::from_millionths(quantity)),
            stock_item_id: None,
        };
        receive_transfer(tx, &Actor::system(outlet), &found, TRANSFER, &[arrival], None).unwrap();
        Ok::<_, DbError>(())
    })
    .unwrap();
}

#[tokio::test]
async fn of_a_transfer_that_both_lives_took_in_as_much_is_here_as_was_said_here() {
    for (lost, since) in [(2_000_000, 0), (0, 2_000_000), (2_000_000, 3_000_000)] {
        let twice = twice(
            |fixture| {
                sql(&fixture.db, fixture.outlet_id, RICE);
                on_its_way(&fixture.db, fixture.outlet_id);
            },
            |db, outlet| taken_in(db, outlet, lost),
            |db, outlet| taken_in(db, outlet, since),
        );
        twice.recover(Bugs::default()).await;
        assert_even(&twice.db);
        let said = "SELECT sum(quantity_received) FROM stock_transfer_receipt_lines";
        assert_eq!(number(&twice.db, said), since);
        assert_eq!(number(&twice.db, "SELECT coalesce(sum(on_hand), 0) FROM stock_levels"), since);
        let on_record = "SELECT count(*) > 0 FROM sync_reviews WHERE reason = 'CHANGED_SINCE'";
        assert_eq!(number(&twice.db, on_record), 1, "{lost} there, {since} here: a person is told");
    }
}

/// A receipt from before is undone: a part is in no batch any more where some was sold.
fn undone(db: &Db, outlet: Uuid, end: u8, sale: i64) {
    if sale > 0 {
        sold(db, outlet, end, sale, true);
    }
    db.write_blocking(move |tx: &Tx<'_>| {
        tx.execute("UPDATE incoming_transfers SET outcome = 'CANCELLED' WHERE id = ?1", [TRANSFER])?;
        follow_transfers(tx, &Actor::system(outlet), &[], &[]).unwrap();
        Ok::<_, DbError>(())
    })
    .unwrap();
}

#[tokio::test]
async fn what_both_lives_booked_out_of_a_transfer_is_booked_out_once() {
    let twice = twice(
        |fixture| {
            sql(&fixture.db, fixture.outlet_id, RICE);
            on_its_way(&fixture.db, fixture.outlet_id);
            taken_in(&fixture.db, fixture.outlet_id, 5_000_000);
        },
        |db, outlet| undone(db, outlet, 20, 4_000_000),
        |db, outlet| undone(db, outlet, 21, 0),
    );
    twice.recover(Bugs::default()).await;
    assert_even(&twice.db);
    let of_it = "SELECT sum(quantity_delta) FROM stock_movements WHERE kind = 'TRANSFER_IN'";
    assert_eq!(number(&twice.db, of_it), 0);
    assert_eq!(number(&twice.db, "SELECT on_hand FROM stock_levels"), -4_000_000);
}
