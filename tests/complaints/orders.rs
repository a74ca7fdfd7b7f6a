//! Orders that double, get lost, overwrite each other, or take numbers with them.

use crate::{id, path};
use edge::access::Role;
use edge::db::DbError;
use edge::resources::orders;
use futures_util::future::join_all;
use serde_json::json;
use tiffin_tests::{Branch, House};

#[tokio::test]
async fn complaint_01_orders_doubled_after_a_reconnect_or_a_slow_reply() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let body = house.at_table(3, &[("Dal", 1), ("Lassi", 2)]);
    // The reply gets lost: the client gives up before it has read it, and tries again with the same key.
    let request =
        waiter.request(reqwest::Method::POST, "/orders").header("Idempotency-Key", "lost").json(&body);
    drop(request.send().await.unwrap());
    let again = waiter.post_keyed("/orders", "lost", body.clone()).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    let third = waiter.post_keyed("/orders", "lost", body).await.expect(201);
    assert_eq!(third.bytes, again.bytes);
    let order = again.json();
    let pay = json!({"method": "CASH", "amountCents": 1_000});
    let to = format!("{}/payments", path(&order));
    let cashier = branch.sign_in(Role::Cashier);
    let first = cashier.post_keyed(&to, "pay", pay.clone()).await.expect(201).text;
    assert_eq!(cashier.post_keyed(&to, "pay", pay).await.expect(201).text, first);
    let add = json!({"items": [house.line("Kulfi", 1)]});
    for _ in 0..3 {
        waiter.post_keyed(&format!("{}/items", path(&order)), "add", add.clone()).await.expect(201);
    }
    for (sql, count) in [
        ("SELECT count(*) FROM orders", 1),
        ("SELECT count(*) FROM order_items", 3),
        ("SELECT count(*) FROM payments", 1),
        ("SELECT sum(amount_cents) FROM payments", 1_000),
        ("SELECT sum(quantity) FROM kitchen_ticket_items", 4),
    ] {
        assert_eq!(branch.number(sql).await, count, "{sql}");
    }
    assert_eq!(house.on_hand("Milk").await, json!(19.4));
}

#[tokio::test]
async fn complaint_02_orders_or_payments_lost_and_a_paid_order_reopens() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    // What was answered is on the disk, for any other process to see.
    let file = branch.folder().join("tiffin.db");
    let other =
        rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let number: String = other.query_row("SELECT order_number FROM orders", [], |row| row.get(0)).unwrap();
    assert_eq!(order["orderNumber"], number);
    house.settle(&house.owner, &order).await;
    let count: i64 = other.query_row("SELECT count(*) FROM payments", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
    let to = path(&order);
    house.owner.patch(&format!("{to}/status"), json!({"status": "COMPLETED"})).await.expect(200);
    for status in ["PENDING", "ACCEPTED", "READY", "CANCELLED"] {
        house
            .owner
            .patch(&format!("{to}/status"), json!({"status": status}))
            .await
            .refused(409, "INVALID_TRANSITION");
    }
    let line = house.owner.get(&to).await.json()["items"][0].clone();
    let add = json!({"items": [house.line("Dal", 1)]});
    assert_eq!(house.owner.post(&format!("{to}/items"), add).await.status, 409);
    assert_eq!(
        house.owner.patch(&format!("{to}/items/{}", id(&line)), json!({"quantity": 2})).await.status,
        409
    );
    assert_eq!(house.owner.delete(&to).await.status, 405);
    let after = house.owner.get(&to).await.expect(200).json();
    assert_eq!((&after["status"], &after["paidCents"]), (&json!("COMPLETED"), &order["totalAmountCents"]));
    assert_eq!(after["payments"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn complaint_03_two_waiters_one_table_one_overwrites_the_other() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (anna, ben) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Waiter));
    let order = house.place(&anna, house.at_table(1, &[("Dal", 1)])).await;
    let add = format!("{}/items", path(&order));
    let (one, two) = tokio::join!(
        anna.post(&add, json!({"items": [house.line("Lassi", 1)]})),
        ben.post(&add, json!({"items": [house.line("Kulfi", 2)]})),
    );
    one.expect(201);
    two.expect(201);
    let line = format!("{add}/{}", id(&order["items"][0]));
    // Ben changes a line from a screen that does not show Anna's change yet: the line as it was is not written back.
    let seen = ben.get(&path(&order)).await.json()["version"].clone();
    anna.patch(&line, json!({"notes": "no onion"})).await.expect(200);
    let stale = ben.clone().with_header("If-Match", &format!("\"{seen}\""));
    stale.patch(&line, json!({"quantity": 3})).await.refused(412, "STALE_VERSION");
    ben.patch(&line, json!({"quantity": 3})).await.expect(200);
    let order = anna.get(&path(&order)).await.expect(200).json();
    let lines = order["items"].as_array().unwrap();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["notes"], &lines[0]["quantity"]), (&json!("no onion"), &json!(3)));
    // There is no command that replaces an order.
    assert_eq!(anna.put(&path(&order), json!({"items": []})).await.status, 405);
    let amended = anna.patch(&path(&order), json!({"items": []})).await.expect(200).data();
    assert_eq!(amended["items"], order["items"], "what an order is for is changed, never what is on it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn complaint_06_numbers_collide_or_have_gaps() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    // Every third order is refused, half of those late: none of them takes a number with it.
    let orders = (0..60).map(|i| {
        let mut order = house.counter(&[("Dal", 1)]);
        match i % 6 {
            0 => order["items"][0]["unitPriceCents"] = json!(1),
            3 => order["tableNumber"] = json!("none"),
            _ => {}
        }
        waiter.post("/orders", order)
    });
    let replies = join_all(orders).await;
    let mut numbers: Vec<String> = replies
        .iter()
        .filter(|reply| reply.status == 201)
        .map(|reply| reply.json()["orderNumber"].as_str().unwrap().to_owned())
        .collect();
    numbers.sort();
    let expected: Vec<String> = (1..=40).map(|n| format!("BLR1-261120-{n:04}")).collect();
    assert_eq!(numbers, expected);
    // A crash between the number and the commit gives the number back.
    let outlet = branch.outlet_id;
    let crash = branch.db.write(move |tx| -> Result<(), DbError> {
        assert_eq!(orders::store::next_number(tx, outlet, "ORDER:2026-11-20")?, 41);
        Err(DbError::Overflow)
    });
    assert!(crash.await.is_err());
    let next = house.place(&waiter, house.counter(&[("Dal", 1)])).await;
    assert_eq!((&next["orderNumber"], &next["tokenNumber"]), (&json!("BLR1-261120-0041"), &json!(41)));
    // The next trading day begins at four in the morning, with 1.
    branch.at("2026-11-20T22:29:59.999Z");
    assert_eq!(house.place(&waiter, house.counter(&[("Lassi", 1)])).await["orderNumber"], "BLR1-261120-0042");
    branch.at("2026-11-20T22:30:00.000Z");
    assert_eq!(house.place(&waiter, house.counter(&[("Lassi", 1)])).await["orderNumber"], "BLR1-261121-0001");
}

#[tokio::test]
async fn complaint_13_one_branch_sees_or_changes_anothers_data() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.at_table(1, &[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    let ticket = house.owner.get("/kitchen/tickets").await.json()["data"][0].clone();
    let drawer =
        house.owner.post("/cash-sessions", json!({"openingFloatCents": 1_000})).await.expect(201).data();
    let supplier = house.owner.post("/inventory/suppliers", json!({"name": "Farm"})).await.expect(201).data();
    let bill = house.owner.post(&format!("{}/invoice", path(&order)), json!({})).await.expect(200).data();
    let batch = house.owner.get(&format!("/inventory/items/{}/batches", house.stock("Rice"))).await.json();
    let category = house.owner.get("/menu").await.data()["categories"][0].clone();
    let other = branch.second_outlet().await;
    let stranger = branch.sign_in_at(Role::Owner, other);
    let (dal, rice, t1, bar) = (house.dish("Dal"), house.stock("Rice"), house.table(1), house.station("Bar"));
    let order_path = path(&order);
    let line = id(&order["items"][0]);
    for path in [
        order_path.clone(),
        format!("{order_path}/trace"),
        format!("{order_path}/receipt"),
        format!("/orders/invoices/{}", id(&bill)),
        format!("/menu/items/{dal}"),
        format!("/menu/categories/{}", id(&category)),
        format!("/tables/{t1}"),
        format!("/tables/{t1}/qr"),
        format!("/kitchen/stations/{bar}"),
        format!("/kitchen/tickets/{}", id(&ticket)),
        format!("/kitchen/stream?stationId={bar}"),
        format!("/inventory/items/{rice}"),
        format!("/inventory/items/{rice}/batches"),
        format!("/inventory/items/{rice}/movements"),
        format!("/inventory/recipes/{dal}"),
        format!("/inventory/suppliers/{}", id(&supplier)),
        format!("/inventory/batches/{}/trace", id(&batch["data"][0])),
        format!("/cash-sessions/{}", id(&drawer)),
        format!("/outlets/{}", branch.outlet_id),
    ] {
        stranger.get(&path).await.refused(404, "NOT_FOUND");
    }
    for (path, body) in [
        (format!("{order_path}/items"), json!({"items": [house.line("Dal", 1)]})),
        (format!("{order_path}/items/{line}/void"), json!({"reason": "x"})),
        (format!("{order_path}/payments"), json!({"method": "CASH", "amountCents": 1})),
        (format!("{order_path}/refunds"), json!({"amountCents": 1, "reason": "x", "restock": false})),
        (format!("{order_path}/discounts"), json!({"type": "FIXED", "value": 1, "reason": "x"})),
        (format!("{order_path}/fire"), json!({"course": 1})),
        (format!("{order_path}/invoice"), json!({})),
        (format!("{order_path}/split"), json!({"equally": 2})),
        (format!("/kitchen/tickets/{}/start", id(&ticket)), json!({})),
        (format!("/tables/{t1}/qr"), json!({})),
        (format!("/tables/{t1}/seat"), json!({"partySize": 2})),
        (format!("/cash-sessions/{}/close", id(&drawer)), json!({"countedCents": 0})),
    ] {
        stranger.post(&path, body).await.refused(404, "NOT_FOUND");
    }
    // Ids of another outlet inside a body are unknown too.
    stranger.post("/orders", house.counter(&[("Dal", 1)])).await.refused(422, "PAYLOAD_VALIDATION");
    let adjust = json!({"inventoryItemId": rice, "quantityDelta": 1, "reason": "x"});
    assert!(matches!(stranger.post("/inventory/adjustments", adjust).await.status, 404 | 422));
    for list in
        ["/orders", "/kitchen/tickets", "/tables", "/cash-sessions", "/inventory/suppliers", "/audit-log"]
    {
        let found = stranger.get(list).await.expect(200).json();
        assert_eq!(found["data"], json!([]), "{list}");
    }
    assert_eq!(stranger.get("/inventory/items").await.json()["totalCount"], 0);
    assert_eq!(stranger.get("/menu").await.data()["categories"], json!([]));
}
