//! Guests ordering behind a table's QR code, and parties that change tables.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House};

async fn token(house: &House, table: usize) -> String {
    let table = house.owner.get(&format!("/tables/{}", house.table(table))).await.expect(200).data();
    table["qrToken"].as_str().unwrap().to_owned()
}

fn guest_order(house: &House, dish: &str) -> Value {
    json!({"items": [{"menuItemId": house.dish(dish), "quantity": 1}], "customerName": "Asha", "guestToken": PHONE})
}

/// What a phone made up.
const PHONE: &str = "phone-of-asha-0001";
const OTHER: &str = "phone-of-ravi-0002";

#[tokio::test]
async fn a_guests_first_order_waits_and_takes_nothing_and_the_next_one_with_the_partys_code_does_not() {
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
    assert_eq!(house.on_hand("Lentils").await, json!(8), "nothing leaves the shelf before staff accept");
    let waiter = branch.sign_in(Role::Waiter);
    let id = first["id"].as_str().unwrap();
    waiter.post(&format!("/orders/{id}/fire"), json!({"course": 1})).await.refused(409, "INVALID_TRANSITION");
    let accepted = waiter.patch(&format!("/orders/{id}/status"), json!({"status": "ACCEPTED"})).await.data();
    assert_eq!((&accepted["source"], &accepted["customerName"]), (&json!("QR"), &json!("Asha")));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE status = 'QUEUED'").await, 1);

    assert_eq!(house.on_hand("Lentils").await, json!(7.91));
    // The code is on the till, and on the phone whose order was accepted.
    let table = waiter.get(&format!("/tables/{}", house.table(5))).await.expect(200).data();
    let code = table["currentSession"]["sessionCode"].as_str().unwrap().to_owned();
    let mine =
        guest.get(&format!("/orders/tables/{token}/orders?guestToken={PHONE}")).await.expect(200).data();
    assert_eq!(mine[0]["sessionCode"], code);
    for asked in ["", "?guestToken=phone-of-ravi-0002"] {
        let seen = guest.get(&format!("/orders/tables/{token}/orders{asked}")).await.expect(200).data();
        assert_eq!(seen[0]["sessionCode"], Value::Null);
    }
    let mut body = guest_order(&house, "Lassi");
    body["sessionCode"] = json!(code);
    let second = guest.post(&format!("/orders/tables/{token}/orders"), body).await.expect(201).data();
    assert_eq!(second["awaitsApproval"], json!(false));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE status = 'QUEUED'").await, 2);
    let seen = guest.get(&format!("/orders/tables/{token}/orders")).await.expect(200);
    assert_eq!(seen.data().as_array().unwrap().len(), 2);
    assert!(!seen.text.contains("Asha"), "no personal data");
}

#[tokio::test]
async fn what_a_guest_orders_is_held_by_nobody_also_where_the_house_holds_its_courses() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let courses = json!({"holdCourses": true});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), courses).await.expect(200);
    let guest = branch.anonymous();
    let path = format!("/orders/tables/{}/orders", token(&house, 5).await);
    // Of courses 1 and 3.
    let mut body = guest_order(&house, "Dal");
    body["items"][0]["hold"] = json!(true);
    let sweet = json!({"menuItemId": house.dish("Kulfi"), "quantity": 1, "hold": true});
    body["items"].as_array_mut().unwrap().push(sweet);
    let order = guest.post(&path, body).await.expect(201).data();
    let accept = json!({"status": "ACCEPTED"});
    let accepted = branch
        .sign_in(Role::Waiter)
        .patch(&format!("/orders/{}/status", order["id"].as_str().unwrap()), accept)
        .await
        .expect(200)
        .data();
    for line in accepted["items"].as_array().unwrap() {
        assert_eq!((&line["hold"], &line["kitchen"]["status"]), (&json!(false), &json!("QUEUED")), "{line}");
        assert_eq!(line["kitchen"]["firedAt"], "2026-11-20T12:30:00.000Z");
    }
    assert_eq!(accepted["items"].as_array().unwrap().len(), 2);
    // Nor is what staff add to it: who reads the phone would wait for it.
    let sweet = json!({"items": [{"menuItemId": house.dish("Kulfi"), "quantity": 1, "unitPriceCents": 12_000, "hold": true}]});
    let path = format!("/orders/{}/items", order["id"].as_str().unwrap());
    let refused = house.owner.post(&path, sweet).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].hold"]);
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
    let cheap = guest.post(&path, body.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(cheap.invalid_fields(), ["items[0].unitPriceCents"]);
    body["items"][0].as_object_mut().unwrap().remove("unitPriceCents");
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

#[tokio::test]
async fn whoever_holds_a_photo_of_the_code_empties_no_shelf_and_has_nothing_cooked() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (guest, waiter) = (branch.anonymous(), branch.sign_in(Role::Waiter));
    let path = format!("/orders/tables/{}/orders", token(&house, 1).await);
    let mut body = guest_order(&house, "Steamed Rice");
    body["items"][0]["quantity"] = json!(30);
    let first = guest.post(&path, body.clone()).await.expect(201).data();
    // One order of a phone waits at a time, and three of a table, whatever the phones say they are.
    guest.post(&path, body.clone()).await.refused(409, "INVALID_TRANSITION");
    body["guestToken"] = Value::Null;
    for _ in 0..2 {
        guest.post(&path, body.clone()).await.expect(201);
    }
    guest.post(&path, body.clone()).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(house.on_hand("Rice").await, json!(10));
    house.place(&waiter, house.counter(&[("Steamed Rice", 2)])).await;
    // After staff accepted one, the photo still asks and no more.
    let status = |id: &Value| format!("/orders/{}/status", id.as_str().unwrap());
    waiter.patch(&status(&first["id"]), json!({"status": "ACCEPTED"})).await.expect(200);
    let tickets = branch.number("SELECT count(*) FROM kitchen_tickets").await;
    body["items"][0]["quantity"] = json!(20);
    body["guestToken"] = json!(OTHER);
    let late = guest.post(&path, body.clone()).await.expect(201).data();
    assert_eq!(late["awaitsApproval"], true);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, tickets);
    // Too much for guests alone is refused whole.
    body["items"][0]["quantity"] = json!(41);
    body["guestToken"] = Value::Null;
    let refused = guest.post(&path, body).await;
    assert!([409, 422].contains(&refused.status), "{}", refused.text);
    // Nobody accepts the rest: it is called off, and nothing comes back that was never taken.
    let before = house.on_hand("Rice").await;
    branch.pass(15 * 60_000 + 1);
    edge::resources::orders::worker::look(&branch.db).await.unwrap();
    assert_eq!(
        branch.number("SELECT count(*) FROM orders WHERE status = 'PENDING' AND source = 'QR'").await,
        0
    );
    assert_eq!(house.on_hand("Rice").await, before);
}

#[tokio::test]
async fn every_order_waits_or_none_where_the_outlet_says_so() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (guest, waiter) = (branch.anonymous(), branch.sign_in(Role::Waiter));
    let path = format!("/orders/tables/{}/orders", token(&house, 1).await);
    house.place(&waiter, house.at_table(1, &[("Dal", 1)])).await;
    let table = waiter.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    let mut body = guest_order(&house, "Lassi");
    body["sessionCode"] = table["currentSession"]["sessionCode"].clone();
    for (approval, waits) in [("ALWAYS", true), ("NEVER", false)] {
        let setting = json!({"qrOrderApproval": approval});
        house.owner.patch(&format!("/outlets/{}", branch.outlet_id), setting).await.expect(200);
        let milk = house.on_hand("Milk").await;
        let order = guest.post(&path, body.clone()).await.expect(201).data();
        assert_eq!(order["awaitsApproval"], waits, "{approval}");
        assert_eq!(house.on_hand("Milk").await == milk, waits, "{approval}");
    }
}

#[tokio::test]
async fn guests_alone_order_no_more_than_a_party_eats() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (guest, waiter) = (branch.anonymous(), branch.sign_in(Role::Waiter));
    let path = format!("/orders/tables/{}/orders", token(&house, 1).await);
    let wish = |dish: &str, lines: usize, quantity: i64| {
        let line = json!({"menuItemId": house.dish(dish), "quantity": quantity});
        json!({"items": vec![line; lines]})
    };
    let is_too_much = async |wish: Value| {
        let refused = guest.post(&path, wish).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["items"]);
    };
    is_too_much(wish("Lassi", 31, 1)).await;
    is_too_much(wish("Lassi", 2, 21)).await;
    let dear = json!({"priceCents": 2_600_000});
    house.owner.patch(&format!("/menu/items/{}", house.dish("Kulfi")), dear).await.expect(200);
    is_too_much(wish("Kulfi", 1, 2)).await;
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 0);
    // A seating has its bound, too, however many phones it is spread over.
    for dish in ["Steamed Rice", "Lassi", "Dal"] {
        let order = guest.post(&path, wish(dish, 1, 40)).await.expect(201).data();
        let status = format!("/orders/{}/status", order["id"].as_str().unwrap());
        waiter.patch(&status, json!({"status": "ACCEPTED"})).await.expect(200);
    }
    is_too_much(wish("Steamed Rice", 1, 31)).await;
    guest.post(&path, wish("Steamed Rice", 1, 30)).await.expect(201);
    // Staff sell on.
    house.place(&waiter, house.at_table(1, &[("Lassi", 10)])).await;
}

#[tokio::test]
async fn a_partys_code_is_not_guessed_and_dies_with_the_bill() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (guest, waiter) = (branch.anonymous(), branch.sign_in(Role::Waiter));
    let path = format!("/orders/tables/{}/orders", token(&house, 1).await);
    let order = house.place(&waiter, house.at_table(1, &[("Dal", 1)])).await;
    let table = waiter.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    let code = table["currentSession"]["sessionCode"].as_str().unwrap().to_owned();
    let with = |code: &str, phone: &str| {
        let mut body = guest_order(&house, "Lassi");
        (body["sessionCode"], body["guestToken"]) = (json!(code), json!(phone));
        body
    };
    assert_eq!(guest.post(&path, with(&code, PHONE)).await.expect(201).data()["awaitsApproval"], false);
    let owner = branch.sign_in(Role::Owner);
    owner.post(&format!("/orders/{}/invoice", order["id"].as_str().unwrap()), json!({})).await.expect(201);
    assert_eq!(
        guest.post(&path, with(&code, PHONE)).await.expect(201).data()["awaitsApproval"],
        true,
        "after the bill"
    );

    let path = format!("/orders/tables/{}/orders", token(&house, 2).await);
    house.place(&waiter, house.at_table(2, &[("Dal", 1)])).await;
    let table = waiter.get(&format!("/tables/{}", house.table(2))).await.expect(200).data();
    let code = table["currentSession"]["sessionCode"].as_str().unwrap().to_owned();
    let wrong = if code == "0000" { "1111" } else { "0000" };
    for _ in 0..5 {
        let refused = guest.post(&path, with(wrong, OTHER)).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["sessionCode"]);
    }
    // From then on right and wrong ones are alike: they wait.
    assert_eq!(guest.post(&path, with(&code, OTHER)).await.expect(201).data()["awaitsApproval"], true);
}
