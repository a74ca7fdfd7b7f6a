//! Many at once: nothing is sold, made, paid or given back twice, and nothing gets lost.

use crate::path;
use edge::access::{Actor, Role};
use edge::db::DbError;
use edge::resources::orders;
use edge::resources::orders::rules::{Buyer, OrderError};
use futures_util::future::join_all;
use serde_json::json;
use std::collections::BTreeSet;
use tiffin_tests::{Branch, House, Reply};

fn statuses(replies: &[Reply]) -> (usize, usize) {
    let good = replies.iter().filter(|reply| (200..300).contains(&reply.status)).count();
    let refused = replies.iter().filter(|reply| (400..500).contains(&reply.status)).count();
    assert_eq!(good + refused, replies.len(), "{replies:?}");
    (good, refused)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_two_clients_order_the_last_ten_portions_and_ten_are_sold() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    house.owner.patch(&outlet, json!({"stockPolicy": "BLOCK"})).await.expect(200);
    // Ten lemons: ten sodas.
    let count = json!({"inventoryItemId": house.stock("Lemon"), "countedQuantity": 10, "reason": "count"});
    house.owner.post("/inventory/adjustments", count).await.expect(201);
    let clients: Vec<_> = (0..32).map(|_| branch.sign_in(Role::Waiter)).collect();
    let replies =
        join_all(clients.iter().map(|client| client.post("/orders", house.counter(&[("Lemon Soda", 1)]))))
            .await;
    assert_eq!(statuses(&replies), (10, 22));
    for refused in replies.iter().filter(|reply| reply.status != 201) {
        refused.clone().refused(422, "PAYLOAD_VALIDATION");
    }
    assert_eq!(house.on_hand("Lemon").await, json!(0));
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 10);
    assert_eq!(branch.number("SELECT max(token_number) FROM orders").await, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_ten_limited_portions_are_sold_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let limited = json!({"status": "LIMITED", "quantityLeft": 10});
    let availability = format!("/menu/items/{}/availability", house.dish("Kulfi"));
    house.owner.put(&availability, limited).await.expect(200);
    let waiter = branch.sign_in(Role::Waiter);
    let replies = join_all((0..32).map(|_| waiter.post("/orders", house.counter(&[("Kulfi", 1)])))).await;
    assert_eq!(statuses(&replies), (10, 22));
    assert_eq!(branch.number("SELECT sum(quantity) FROM order_items").await, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_sixteen_times_at_once_makes_one_order() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.at_table(1, &[("Dal", 2)]);
    let replies =
        join_all((0..16).map(|_| waiter.post_keyed("/orders", "table-1-round-1", order.clone()))).await;
    let first = replies[0].clone().expect(201).text;
    assert!(replies.iter().all(|reply| reply.status == 201 && reply.text == first));
    assert_eq!(replies.iter().filter(|r| r.header("idempotency-replayed") == "true").count(), 15);
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 1);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 1);
    assert_eq!(house.on_hand("Lentils").await, json!(7.82));
    let other = waiter.post_keyed("/orders", "table-1-round-1", house.at_table(1, &[("Dal", 3)])).await;
    other.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiters_who_add_at_once_keep_all_their_lines() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.at_table(1, &[("Dal", 1)])).await;
    let waiters: Vec<_> = (0..8).map(|_| branch.sign_in(Role::Waiter)).collect();
    let add = format!("{}/items", path(&order));
    let lines = json!({"items": [house.line("Lassi", 1)]});
    for reply in join_all(waiters.iter().map(|waiter| waiter.post(&add, lines.clone()))).await {
        reply.expect(201);
    }
    let order = house.owner.get(&path(&order)).await.expect(200).json();
    assert_eq!(order["items"].as_array().unwrap().len(), 9);
    // 180 + 8 × 90 = 900.00, and 5 % on it: 4.50 + 4.50 and 8 × (2.25 + 2.25).
    assert_eq!((&order["subtotalCents"], &order["taxCents"]), (&json!(90_000), &json!(4_500)));
    let numbers: BTreeSet<i64> =
        order["items"].as_array().unwrap().iter().map(|line| line["lineNumber"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (1..=9).collect());
    assert_eq!(branch.number("SELECT sum(quantity) FROM kitchen_ticket_items WHERE name = 'Lassi'").await, 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bill_paid_sixteen_times_at_once_is_paid_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let pay = format!("{}/payments", path(&order));
    let cashiers: Vec<_> = (0..16).map(|_| branch.sign_in(Role::Cashier)).collect();
    let money = json!({"method": "UPI", "amountCents": order["dueCents"]});
    let replies = join_all(cashiers.iter().map(|cashier| cashier.post(&pay, money.clone()))).await;
    assert_eq!(statuses(&replies), (1, 15));
    for refused in replies.iter().filter(|reply| reply.status != 201) {
        assert!(refused.invalid_fields().contains(&"amountCents".to_owned()), "{}", refused.text);
    }
    let order = house.owner.get(&path(&order)).await.expect(200).json();
    assert_eq!((&order["paidCents"], &order["dueCents"]), (&order["totalAmountCents"], &json!(0)));
    assert_eq!(branch.number("SELECT count(*) FROM payments").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_asked_sixteen_times_at_once_is_given_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    let refund = json!({"amountCents": order["totalAmountCents"], "reason": "cold", "restock": false});
    let to = format!("{}/refunds", path(&order));
    let replies = join_all((0..16).map(|_| house.owner.post(&to, refund.clone()))).await;
    assert_eq!(statuses(&replies), (1, 15));
    assert_eq!(
        branch.number("SELECT sum(amount_cents) FROM refunds").await,
        order["totalAmountCents"].as_i64().unwrap()
    );
    assert_eq!(branch.number("SELECT count(*) FROM invoices WHERE kind = 'CREDIT_NOTE'").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_bills_at_once_have_no_gap() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let count = json!({"inventoryItemId": house.stock("Water"), "countedQuantity": 500, "reason": "count"});
    house.owner.post("/inventory/adjustments", count).await.expect(201);
    let made =
        join_all((0..500).map(|_| house.owner.post("/orders", house.counter(&[("Bottled Water", 1)])))).await;
    let ids: Vec<String> =
        made.into_iter().map(|reply| reply.expect(201).json()["id"].as_str().unwrap().to_owned()).collect();
    // Every seventh is cancelled while the bills are made: whichever comes first, no number is lost.
    let bills = ids.iter().enumerate().map(|(i, id)| {
        let owner = house.owner.clone();
        async move {
            if i % 7 == 0 {
                owner
                    .patch(&format!("/orders/{id}/status"), json!({"status": "CANCELLED", "reason": "left"}))
                    .await;
            }
            owner.post(&format!("/orders/{id}/invoice"), json!({})).await
        }
    });
    // A crash between a number and its commit, in the middle of it all: the number goes to the next bill.
    let crashes = ids.iter().filter(|id| id.as_bytes()[35] % 16 == 0).map(|id| {
        let (db, outlet, order) = (branch.db.clone(), branch.outlet_id, id.parse().unwrap());
        async move {
            let crash = db.write(move |tx| -> Result<(), OrderError> {
                // A cancelled order makes no bill: then there is no number to lose either.
                let _made =
                    orders::actions::invoice(tx, &Actor::system(outlet), order, &Buyer::default(), None);
                Err(DbError::Overflow.into())
            });
            assert!(crash.await.is_err());
        }
    });
    let (billed, _) = tokio::join!(join_all(bills), join_all(crashes));
    let count = billed.iter().filter(|reply| reply.status == 201).count() as i64;
    assert!(count >= 428, "{count}");
    let mut numbers: Vec<String> = billed
        .iter()
        .filter(|reply| reply.status == 201)
        .map(|reply| reply.data()["invoiceNumber"].as_str().unwrap().to_owned())
        .collect();
    numbers.sort();
    let expected: Vec<String> = (1..=count).map(|serial| format!("BLR1/2627-{serial:06}")).collect();
    assert_eq!(numbers, expected);
    let proof = house.owner.get("/orders/invoices/verify").await.data();
    assert_eq!((&proof["valid"], &proof["checked"]), (&json!(true), &json!(count)));
    let report = sync_hub::verify::data_dir(branch.folder()).unwrap();
    assert!(report.is_good(), "{report}");
}
