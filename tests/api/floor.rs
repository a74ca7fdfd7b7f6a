//! Between the floor and the kitchen: what is held, what is amended, what is sold on, and what the pass sees.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

async fn hold_courses(house: &House) {
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    let path = format!("/outlets/{}", id(&outlet));
    house.owner.patch(&path, json!({"holdCourses": true})).await.expect(200);
}

const HELD: &str = "SELECT count(*) FROM kitchen_tickets WHERE status = 'HELD'";

#[tokio::test]
async fn a_till_that_knows_nothing_of_courses_leaves_nothing_stuck() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    // A starter, a main and a sweet, of courses 1 and 3.
    let order =
        house.place(&cashier, house.at_table(4, &[("Paneer Tikka", 1), ("Dal", 1), ("Kulfi", 1)])).await;
    assert_eq!(branch.number(HELD).await, 0);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 3);
    let states: Vec<&Value> =
        order["items"].as_array().unwrap().iter().map(|i| &i["kitchen"]["status"]).collect();
    assert_eq!(states, ["QUEUED", "QUEUED", "QUEUED"]);
    house.settle(&cashier, &order).await;
    let done = json!({"status": "COMPLETED"});
    cashier.patch(&format!("/orders/{}/status", id(&order)), done).await.expect(200);
}

#[tokio::test]
async fn what_is_held_by_somebody_keeps_the_order_open_until_it_is_fired() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let mut body = house.at_table(4, &[("Dal", 1), ("Lassi", 1)]);
    body["items"][1]["hold"] = json!(true);
    let order = house.place(&cashier, body).await;
    assert_eq!(
        (&order["items"][1]["hold"], &order["items"][1]["kitchen"]["status"]),
        (&json!(true), &json!("HELD"))
    );
    house.settle(&cashier, &order).await;
    let path = format!("/orders/{}", id(&order));
    let complete = async || cashier.patch(&format!("{path}/status"), json!({"status": "COMPLETED"})).await;
    let refused = complete().await.refused(409, "INVALID_TRANSITION");
    assert_eq!(refused.invalid_fields(), ["heldTickets[0]"]);
    assert!(refused.text.contains("fire course 1"), "{}", refused.text);
    assert_eq!(
        cashier.post(&format!("{path}/fire"), json!({"course": 1})).await.expect(200).data()["ticketsFired"],
        1
    );
    complete().await.expect(200);

    // What was left behind by orders that are closed can be fired, too.
    let sql = "UPDATE kitchen_tickets SET status = 'HELD', fired_at = NULL";
    branch.db.write(move |tx| tx.execute(sql, [])).await.unwrap();
    let fired = cashier.post(&format!("{path}/fire"), json!({})).await.expect(200).data();
    assert_eq!((&fired["ticketsFired"], branch.number(HELD).await), (&json!(2), 0));

    // A void clears it as well.
    let mut body = house.at_table(5, &[("Dal", 1), ("Lassi", 1)]);
    body["items"][1]["hold"] = json!(true);
    let other = house.place(&cashier, body).await;
    let (own, line) = (format!("/orders/{}", id(&other)), id(&other["items"][1]));
    let void = json!({"quantity": 1, "reason": "changed their mind", "wasMade": false});
    house.owner.post(&format!("{own}/items/{line}/void"), void).await.expect(200);
    assert_eq!(branch.number(HELD).await, 0);
    house.settle(&cashier, &other).await;
    let done = json!({"status": "COMPLETED"});
    cashier.patch(&format!("{own}/status"), done).await.expect(200);
}

#[tokio::test]
async fn guests_channels_and_the_counter_hold_nothing() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    hold_courses(&house).await;
    let cashier = branch.sign_in(Role::Cashier);
    let mut counter = house.counter(&[("Dal", 1)]);
    counter["items"][0]["hold"] = json!(true);
    let refused = cashier.post("/orders", counter).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].hold"]);
    let mut channel = house.at_table(5, &[("Dal", 1), ("Kulfi", 1)]);
    channel["source"] = json!("AGGREGATOR");
    house.place(&cashier, channel).await;
    assert_eq!(branch.number(HELD).await, 0);
    // Whoever types in what came through a channel.
    let site = json!({"name": "Our site", "kind": "WEBSITE", "taxedBy": "RESTAURANT"});
    let site = house.owner.post("/channels", site).await.expect(201).data();
    let mut typed = house.at_table(6, &[("Dal", 1), ("Kulfi", 1)]);
    (typed["channelId"], typed["externalId"]) = (site["id"].clone(), json!("W-1"));
    let mut wrong = typed.clone();
    wrong["items"][1]["hold"] = json!(true);
    let refused = house.owner.post("/orders", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[1].hold"]);
    house.place(&house.owner, typed).await;
    assert_eq!(branch.number(HELD).await, 0);
    let order = house.place(&cashier, house.at_table(4, &[("Dal", 1), ("Kulfi", 1)])).await;
    assert_eq!(branch.number(HELD).await, 1, "the outlet holds courses at its tables");
    // It leaves its table: nobody would fire it any more.
    let gone = json!({"orderType": "TAKEAWAY", "customerName": "Asha"});
    let amended = cashier.patch(&format!("/orders/{}", id(&order)), gone).await.expect(200).data();
    assert_eq!(
        (&amended["orderType"], &amended["customerName"], &amended["tableNumber"]),
        (&json!("TAKEAWAY"), &json!("Asha"), &Value::Null)
    );
    assert_eq!(branch.number(HELD).await, 0);
    let table = cashier.get(&format!("/tables/{}", house.table(4))).await.expect(200).data();
    assert_eq!(table["status"], "AVAILABLE");
}

#[tokio::test]
async fn an_order_is_amended_and_the_kitchen_is_told() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (waiter, cook) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Kitchen));
    let order = house.place(&waiter, house.counter(&[("Dal", 1)])).await;
    let ticket = cook.get("/kitchen/tickets").await.expect(200).json()["data"][0].clone();
    cook.post(&format!("/kitchen/tickets/{}/ack", id(&ticket)), json!({})).await.expect(200);
    let path = format!("/orders/{}", id(&order));
    let change =
        json!({"orderType": "DINE_IN", "tableId": house.table(7), "guestCount": 4, "notes": "no onion"});
    let amended = waiter.patch(&path, change).await.expect(200).data();
    assert_eq!((&amended["tableNumber"], &amended["guestCount"]), (&json!("T7"), &json!(4)));
    let slips = cook.get("/kitchen/tickets").await.expect(200).json();
    let kinds: Vec<&str> =
        slips["data"].as_array().unwrap().iter().map(|t| t["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["NEW", "TRANSFER", "MODIFICATION"]);
    assert_eq!(
        (&slips["data"][0]["orderType"], &slips["data"][0]["notes"]),
        (&json!("DINE_IN"), &json!("no onion"))
    );
    assert_eq!(slips["data"][0]["guestCount"], 4);
    let table = waiter.get(&format!("/tables/{}", house.table(7))).await.expect(200).data();
    assert_eq!(table["status"], "OCCUPIED");
    let wrong = waiter.patch(&path, json!({"tableId": order["id"], "guestCount": 0})).await;
    assert_eq!(wrong.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["guestCount"]);
    let wrong = waiter.patch(&path, json!({"tableId": order["id"]})).await;
    assert_eq!(wrong.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["tableId"]);
}

#[tokio::test]
async fn an_order_at_the_counter_becomes_a_delivery_with_its_guest_and_address() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cashier, cook) = (branch.sign_in(Role::Cashier), branch.sign_in(Role::Kitchen));
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    let path = format!("/orders/{}", id(&order));
    let guest = json!({"orderType": "DELIVERY", "customerName": "Asha Rao", "customerPhone": "9811122233",
        "deliveryAddress": "17 Windmill Lane"});
    let shown = cashier.patch(&path, guest.clone()).await.expect(200).data();
    for field in ["orderType", "customerName", "customerPhone", "deliveryAddress"] {
        assert_eq!(shown[field], guest[field], "{field}");
    }
    let moved = cashier.patch(&path, json!({"deliveryAddress": "3 Mill Road"})).await.expect(200).data();
    assert_eq!(
        (&moved["deliveryAddress"], &moved["customerName"]),
        (&json!("3 Mill Road"), &json!("Asha Rao"))
    );
    // The cook sees whom it is for, and not where they live.
    let ticket = cook.get("/kitchen/tickets").await.expect(200).data()[0].clone();
    assert_eq!((&ticket["orderType"], &ticket["customerName"]), (&json!("DELIVERY"), &json!("Asha Rao")));
    assert!(!ticket.to_string().contains("Mill"), "{ticket}");
    assert_eq!(cook.get(&path).await.text.matches("Mill").count(), 0);
    let gone = cashier.patch(&path, json!({"deliveryAddress": null})).await.expect(200).data();
    assert_eq!(gone["deliveryAddress"], Value::Null);
    let long = cashier.patch(&path, json!({"deliveryAddress": "x".repeat(5_000)})).await;
    assert_eq!(long.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["deliveryAddress"]);
    assert_eq!(branch.number("SELECT count(*) FROM guests WHERE address IS NOT NULL").await, 0);
}

#[tokio::test]
async fn merged_covers_add_up_and_the_server_stays() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (waiter, manager) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Manager));
    let mut made = Vec::new();
    for (n, guests) in [2, 3, 4].into_iter().enumerate() {
        let mut body = house.at_table(n + 1, &[("Dal", 1)]);
        body["guestCount"] = json!(guests);
        made.push(house.place(if n == 0 { &waiter } else { &manager }, body).await);
    }
    let path = format!("/orders/{}/merge", id(&made[0]));
    let merged =
        manager.post(&path, json!({"orderIds": [made[1]["id"], made[2]["id"]]})).await.expect(200).data();
    assert_eq!(merged["guestCount"], 9);
    assert_eq!(merged["server"], made[0]["server"]);
    assert_ne!(made[0]["server"]["id"], made[1]["server"]["id"]);
    let open = manager.get("/orders?status=PENDING,CANCELLED").await.expect(200).json();
    assert_eq!(open["pagination"]["total"], 3);
    let open = manager.get("/orders?status=PENDING,READY").await.expect(200).json();
    assert_eq!(open["pagination"]["total"], 1);
    manager.get("/orders?status=PENDING,EATEN").await.refused(400, "BAD_REQUEST");
    let mut phoned = house.counter(&[("Dal", 1)]);
    phoned["source"] = json!("PHONE");
    house.place(&manager, phoned).await;
    for (sources, count) in [("PHONE", 1), ("PHONE,QR", 1), ("POS,PHONE", 3), ("QR,KIOSK", 0)] {
        let open = manager.get(&format!("/orders?source={sources}")).await.expect(200).json();
        assert_eq!(open["pagination"]["total"], count, "{sources}");
    }
    let refused = manager.get("/orders?source=POS,PIGEON").await.refused(400, "BAD_REQUEST");
    assert_eq!(refused.invalid_fields(), ["source"]);
}

#[tokio::test]
async fn staff_sell_on_when_the_books_say_that_stock_has_run_out() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    // 6 kg of chicken are 33 portions.
    let first = house.place(&cashier, house.counter(&[("Butter Chicken", 40)])).await;
    assert_eq!(first["warnings"], json!([]));
    let next = house.place(&cashier, house.counter(&[("Lassi", 1), ("Butter Chicken", 1)])).await;
    assert_eq!(
        (&next["warnings"][0]["code"], &next["warnings"][0]["path"]),
        (&json!("OUT_OF_STOCK"), &json!("items[1].menuItemId"))
    );
    assert!(next["warnings"][0]["message"].as_str().unwrap().contains("Butter Chicken"), "{next}");
    let path = format!("/orders/{}/items", id(&next));
    let more = json!({"items": [house.line("Butter Chicken", 1)]});
    assert_eq!(cashier.post(&path, more).await.expect(201).data()["warnings"][0]["code"], "OUT_OF_STOCK");
    let channel = branch.sign_in(Role::Integration);
    assert_eq!(
        house.place(&channel, house.counter(&[("Butter Chicken", 1)])).await["warnings"][0]["code"],
        "OUT_OF_STOCK"
    );
    // Guests see it as out, and cannot have it.
    let table = house.owner.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    let token = table["qrToken"].as_str().unwrap().to_owned();
    let items = json!({"items": [{"menuItemId": house.dish("Butter Chicken"), "quantity": 1}]});
    let guest = branch.anonymous();
    let ordered = guest.post(&format!("/orders/tables/{token}/orders"), items.clone()).await;
    assert_eq!(ordered.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[0].menuItemId"]);
    let quoted = guest.post(&format!("/orders/tables/{token}/quote"), items).await;
    assert_eq!(quoted.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[0].menuItemId"]);
    // A person's word counts, and so does an outlet that sells nothing that is not there.
    let dish = format!("/menu/items/{}/availability", house.dish("Lassi"));
    branch.sign_in(Role::Waiter).put(&dish, json!({"status": "OUT_OF_STOCK"})).await.expect(200);
    cashier.post("/orders", house.counter(&[("Lassi", 1)])).await.refused(422, "PAYLOAD_VALIDATION");
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    let block = json!({"stockPolicy": "BLOCK"});
    house.owner.patch(&format!("/outlets/{}", id(&outlet)), block).await.expect(200);
    cashier.post("/orders", house.counter(&[("Butter Chicken", 1)])).await.refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn the_pass_sees_each_order_with_a_lamp_per_station_and_everybody_what_is_to_be_cooked() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (waiter, cook) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Kitchen));
    let path = format!("/menu/items/{}", house.dish("Dal"));
    house.owner.patch(&path, json!({"allergens": ["mustard"]})).await.expect(200);
    let mut body = house.at_table(4, &[("Dal", 2), ("Lassi", 1)]);
    body["guestCount"] = json!(3);
    let order = house.place(&waiter, body).await;
    house.place(&waiter, house.counter(&[("Dal", 1)])).await;
    let all = cook.get("/kitchen/all-day").await.expect(200).data();
    assert_eq!(
        (&all["dishes"][0]["name"], &all["dishes"][0]["quantity"], &all["quantity"]),
        (&json!("Dal"), &json!(3), &json!(4))
    );
    let bar =
        cook.get(&format!("/kitchen/all-day?stationId={}", house.station("Bar"))).await.expect(200).data();
    assert_eq!((bar["dishes"].as_array().unwrap().len(), &bar["quantity"]), (1, &json!(1)));

    let hot =
        cook.get(&format!("/kitchen/tickets?stationId={}", house.station("Hot"))).await.expect(200).json();
    let ticket = &hot["data"][0];
    assert_eq!((&ticket["guestCount"], &ticket["server"]), (&json!(3), &order["server"]));
    assert_eq!(ticket["items"][0]["allergens"], json!(["mustard"]));
    let acked = cook.post(&format!("/kitchen/stations/{}/ack-all", house.station("Hot")), json!({})).await;
    assert_eq!(acked.expect(200).data()["tickets"], 2);
    cook.post(&format!("/kitchen/tickets/{}/ready", id(ticket)), json!({})).await.expect(200);
    let expo = cook.get("/kitchen/orders").await.expect(200).data();
    assert_eq!((&expo[0]["orderNumber"], &expo[0]["isReady"]), (&order["orderNumber"], &json!(false)));
    let lamps: Vec<_> = expo[0]["stations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lamp| {
            (
                lamp["stationName"].as_str().unwrap(),
                lamp["status"].as_str().unwrap(),
                lamp["ready"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(lamps, [("Hot", "READY", 2), ("Bar", "QUEUED", 0)]);
    // A waiter carries it out: it stays on the pass while the bar is not ready.
    waiter.post(&format!("/kitchen/tickets/{}/serve", id(ticket)), json!({})).await.expect(200);
    waiter
        .post(&format!("/kitchen/tickets/{}/recall", id(ticket)), json!({}))
        .await
        .refused(403, "FORBIDDEN");
    assert_eq!(cook.get("/kitchen/orders").await.expect(200).data()[0]["stations"][0]["status"], "SERVED");
    let lines = waiter.get(&format!("/orders/{}", id(&order))).await.expect(200).json()["items"].clone();
    assert_eq!(
        (&lines[0]["kitchen"]["status"], &lines[1]["kitchen"]["status"]),
        (&json!("SERVED"), &json!("QUEUED"))
    );
    assert_ne!(lines[0]["kitchen"]["readyAt"], Value::Null);
}

/// The tickets of a type that nobody has acknowledged.
async fn unseen(cook: &Client, kind: &str) -> Vec<Value> {
    let list = cook.get("/kitchen/tickets").await.expect(200).data();
    let is_unseen = |ticket: &&Value| ticket["type"] == kind && ticket["ackedAt"] == Value::Null;
    list.as_array().unwrap().iter().filter(is_unseen).cloned().collect()
}

/// Acknowledges the one slip of the type there is and answers what it says: the dish, the portions, the note.
async fn acknowledge(cook: &Client, kind: &str) -> (Value, Value, Value) {
    let mut slips = unseen(cook, kind).await;
    assert_eq!(slips.len(), 1, "{kind}: {slips:?}");
    let slip = slips.remove(0);
    cook.post(&format!("/kitchen/tickets/{}/ack", id(&slip)), json!({})).await.expect(200);
    let item = &slip["items"][0];
    (item["name"].clone(), item["quantity"].clone(), slip["notes"].clone())
}

#[tokio::test]
async fn cooks_hear_of_what_comes_off_whatever_is_said_of_its_having_been_made() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cook = branch.sign_in(Role::Kitchen);
    for said in [json!(null), json!(true), json!(false)] {
        let order = house.place(&house.owner, house.at_table(3, &[("Dal", 4)])).await;
        let ticket = unseen(&cook, "NEW").await.remove(0);
        let ticket = format!("/kitchen/tickets/{}", id(&ticket));
        cook.post(&format!("{ticket}/start"), json!({})).await.expect(200);
        let line = format!("/orders/{}/items/{}", id(&order), id(&order["items"][0]));
        let mut void = json!({"quantity": 1, "reason": "not wanted", "wasMade": said});
        house.owner.post(&format!("{line}/void"), void.clone()).await.expect(200);
        let slip = acknowledge(&cook, "CANCELLATION").await;
        assert_eq!(slip, (json!("Dal"), json!(1), json!("not wanted")), "{said}");
        void["quantity"] = json!(2);
        house.owner.patch(&line, void).await.expect(200);
        let slip = acknowledge(&cook, "MODIFICATION").await;
        assert_eq!(slip, (json!("Dal"), json!(2), json!("Was 3, now 2")), "{said}");
        let open = cook.get(&ticket).await.expect(200).data();
        assert_eq!((&open["status"], &open["items"][0]["quantity"]), (&json!("IN_PREPARATION"), &json!(2)));
        let mut cancel = json!({"status": "CANCELLED", "reason": "they left"});
        if said != Value::Null {
            cancel["lines"] = json!([{"itemId": order["items"][0]["id"], "wasMade": said}]);
        }
        house.owner.patch(&format!("/orders/{}/status", id(&order)), cancel).await.expect(200);
        let slip = acknowledge(&cook, "CANCELLATION").await;
        assert_eq!(slip, (json!("Dal"), json!(2), json!("Order cancelled")), "{said}");
        assert_eq!(cook.get(&ticket).await.expect(200).data()["status"], "CANCELLED");
    }
}

#[tokio::test]
async fn cooks_hear_of_what_was_paid_and_is_given_back() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cook = branch.sign_in(Role::Kitchen);
    let order = house.place(&house.owner, house.counter(&[("Dal", 3), ("Lassi", 1)])).await;
    house.settle(&house.owner, &order).await;
    for ticket in unseen(&cook, "NEW").await {
        let verb = if ticket["items"][0]["name"] == "Dal" { "start" } else { "ready" };
        cook.post(&format!("/kitchen/tickets/{}/{verb}", id(&ticket)), json!({})).await.expect(200);
    }
    let refund = |quantity: i64| {
        let items = json!([{"orderItemId": order["items"][0]["id"], "quantity": quantity}]);
        json!({"items": items, "reason": "no time to wait"})
    };
    let path = format!("/orders/{}/refunds", id(&order));
    house.owner.post(&path, refund(1)).await.expect(201);
    let slip = acknowledge(&cook, "CANCELLATION").await;
    assert_eq!(slip, (json!("Dal"), json!(1), json!("no time to wait")));
    let status = async || house.owner.get(&format!("/orders/{}", id(&order))).await.json()["status"].clone();
    assert_eq!(status().await, "IN_PREPARATION");
    house.owner.post(&path, refund(2)).await.expect(201);
    assert_eq!(acknowledge(&cook, "CANCELLATION").await.1, 2);
    assert_eq!(status().await, "READY", "what is left is ready");
    // What was handed over is no work for the kitchen, whatever its tickets say.
    let eaten = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &eaten).await;
    let ticket = unseen(&cook, "NEW").await.remove(0);
    cook.post(&format!("/kitchen/tickets/{}/start", id(&ticket)), json!({})).await.expect(200);
    let gone = json!({"status": "COMPLETED"});
    house.owner.patch(&format!("/orders/{}/status", id(&eaten)), gone).await.expect(200);
    let all = json!({"amountCents": eaten["totalAmountCents"], "reason": "too salty"});
    house.owner.post(&format!("/orders/{}/refunds", id(&eaten)), all).await.expect(201);
    assert_eq!(unseen(&cook, "CANCELLATION").await, Vec::<Value>::new());
}
