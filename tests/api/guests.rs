//! Guests ordering behind a table's QR code, and parties that change tables.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House};

async fn token(house: &House, table: usize) -> String {
    let table = house.owner.get(&format!("/tables/{}", house.table(table))).await.expect(200).data();
    table["qrToken"].as_str().unwrap().to_owned()
}

fn guest_order(house: &House, dish: &str) -> Value {
    json!({"items": [{"menuItemId": house.dish(dish), "quantity": 1}], "customerName": "Asha"})
}

#[tokio::test]
async fn a_guests_first_order_waits_and_the_next_one_does_not() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let guest = branch.anonymous();
    let token = token(&house, 5).await;
    let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200).data();
    assert_eq!((&menu["table"]["number"], &menu["session"]), (&json!("T5"), &Value::Null));
    assert_eq!(menu["categories"][0]["items"].as_array().unwrap().len(), 8);
    assert!(!menu.to_string().contains("qrToken"));

    let first = guest
        .post(&format!("/orders/tables/{token}/orders"), guest_order(&house, "Dal"))
        .await
        .expect(201)
        .data();
    assert_eq!((&first["status"], &first["awaitsApproval"]), (&json!("PENDING"), &json!(true)));
    assert_eq!(first["totalAmountCents"], json!(18_900));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 0);
    assert_eq!(house.on_hand("Lentils").await, json!(7.91), "stock is taken at once");
    let waiter = branch.sign_in(Role::Waiter);
    let id = first["id"].as_str().unwrap();
    waiter.post(&format!("/orders/{id}/fire"), json!({"course": 1})).await.refused(409, "INVALID_TRANSITION");
    let accepted = waiter.patch(&format!("/orders/{id}/status"), json!({"status": "ACCEPTED"})).await.data();
    assert_eq!((&accepted["source"], &accepted["customerName"]), (&json!("QR"), &json!("Asha")));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE status = 'QUEUED'").await, 1);

    let second = guest
        .post(&format!("/orders/tables/{token}/orders"), guest_order(&house, "Lassi"))
        .await
        .expect(201)
        .data();
    assert_eq!(second["awaitsApproval"], json!(false));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE status = 'QUEUED'").await, 2);
    let seen = guest.get(&format!("/orders/tables/{token}/orders")).await.expect(200);
    assert_eq!(seen.data().as_array().unwrap().len(), 2);
    assert!(!seen.text.contains("Asha"), "no personal data");
}

#[tokio::test]
async fn a_guest_never_sets_a_price_and_a_key_orders_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let guest = branch.anonymous();
    let token = token(&house, 1).await;
    let path = format!("/orders/tables/{token}/orders");
    let mut body = guest_order(&house, "Dal");
    body["items"][0]["unitPriceCents"] = json!(1);
    body["items"][0]["modifiers"] = json!([{"name": "extra hot", "priceCents": -500}]);
    let order = guest.post_keyed(&path, "tap", body.clone()).await.expect(201).data();
    assert_eq!(order["subtotalCents"], json!(18_000));
    let again = guest.post_keyed(&path, "tap", body).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 1);
    let fields = guest.post(&path, json!({"items": []})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(fields.invalid_fields(), ["items"]);
}

#[tokio::test]
async fn guests_see_nothing_of_the_party_before_them() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let guest = branch.anonymous();
    let token = token(&house, 2).await;
    let path = format!("/orders/tables/{token}/orders");
    let order = guest.post(&path, guest_order(&house, "Lassi")).await.expect(201).data();
    let status = format!("/orders/{}/status", order["id"].as_str().unwrap());
    house.owner.patch(&status, json!({"status": "CANCELLED"})).await.expect(200);
    assert_eq!(guest.get(&path).await.data(), json!([]), "the party left with its last order");
    assert_eq!(branch.number("SELECT count(*) FROM table_sessions WHERE closed_at IS NULL").await, 0);
    house.owner.post(&format!("/tables/{}/qr", house.table(2)), json!({})).await.expect(200);
    guest.get(&path).await.refused(404, "NOT_FOUND");
    guest.post(&path, guest_order(&house, "Lassi")).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_party_moves_to_a_free_table_and_nothing_is_cooked_again() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.at_table(1, &[("Dal", 1)])).await;
    house.place(&waiter, house.at_table(3, &[("Lassi", 1)])).await;
    let (from, to, taken) = (house.table(1), house.table(2), house.table(3));
    let busy = waiter.post(&format!("/tables/{from}/transfer"), json!({"toTableId": taken})).await;
    busy.refused(409, "INVALID_TRANSITION");
    let moved =
        waiter.post(&format!("/tables/{from}/transfer"), json!({"toTableId": to})).await.expect(200).data();
    assert_eq!(moved["orders"][0]["id"], order["id"]);
    assert_eq!(moved["orders"][0]["tableNumber"], "T2");
    assert_eq!(
        branch.number("SELECT count(*) FROM kitchen_tickets WHERE type IN ('NEW', 'ADDITION')").await,
        2
    );
    waiter
        .post(&format!("/tables/{from}/transfer"), json!({"toTableId": to}))
        .await
        .refused(409, "INVALID_TRANSITION");
    let nowhere = json!({"toTableId": branch.outlet_id});
    let fields =
        waiter.post(&format!("/tables/{to}/transfer"), nowhere).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(fields.invalid_fields(), ["toTableId"]);

    let merged =
        waiter.post(&format!("/tables/{to}/merge"), json!({"tableIds": [taken]})).await.expect(200).data();
    assert_eq!(merged["orders"][0]["tableNumber"], "T2");
    assert_eq!(branch.number("SELECT count(*) FROM table_sessions WHERE closed_at IS NULL").await, 1);
    assert_eq!(branch.number("SELECT count(DISTINCT table_session_id) FROM orders").await, 1);
    waiter
        .post(&format!("/tables/{taken}/merge"), json!({"tableIds": [from]}))
        .await
        .refused(409, "INVALID_TRANSITION");
}
