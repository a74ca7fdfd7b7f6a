//! A weighed line that weighs otherwise than was said: what it costs, takes from stock and tells the kitchen, and what comes off on record.

use super::{DATES, Sweets, refused, text};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::Branch;

fn line_of(order: &Value, at: usize) -> String {
    format!("/orders/{}/items/{}", text(&order["id"]), text(&order["items"][at]["id"]))
}

impl Sweets {
    async fn shelves(&self) -> [Value; 2] {
        [self.house.on_hand("Paneer").await, self.house.on_hand("Lemon").await]
    }

    /// Kind, voids, portions, amount, cost, weight and its unit of each row of the report, the largest amount first.
    async fn voids(&self) -> Vec<Value> {
        let found =
            self.house.owner.get(&format!("/analytics/reports/voids?{DATES}")).await.expect(200).data();
        let wanted = ["kind", "voidsCount", "quantity", "amountCents", "costCents", "weight", "weightUnit"];
        let places: Vec<usize> = wanted
            .iter()
            .map(|key| {
                found["columns"].as_array().unwrap().iter().position(|one| one["key"] == *key).unwrap()
            })
            .collect();
        let row = |row: &Value| places.iter().map(|place| row[*place].clone()).collect::<Value>();
        found["rows"].as_array().unwrap().iter().map(row).collect()
    }
}

#[tokio::test]
async fn a_weight_is_put_right_and_what_comes_off_is_on_record() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let (owner, waiter) = (&sweets.house.owner, branch.sign_in(Role::Waiter));
    let items = json!([sweets.boxed(json!(1.25)), sweets.house.line("Dal", 1)]);
    let order = sweets.house.place(&waiter, json!({"orderType": "COUNTER", "items": items})).await;
    let line = line_of(&order, 0);
    assert_eq!(sweets.shelves().await, [json!(4), json!(99)]);

    // More of it takes more from the shelf; its box is one box.
    let more = waiter.patch(&line, json!({"weight": 1.35, "notes": "sliced"})).await.expect(200).data();
    let shown = &more["items"][0];
    assert_eq!(
        (&shown["weight"], &shown["quantity"], &shown["lineTotalCents"], &shown["unitPriceCents"]),
        (&json!(1.35), &json!(1), &json!(124_000), &json!(90_000))
    );
    assert_eq!(more["subtotalCents"], 124_000 + 18_000);
    assert_eq!(sweets.shelves().await, [json!(3.92), json!(99)]);
    let ticket =
        owner.get(&format!("/kitchen/tickets?orderId={}", text(&order["id"]))).await.expect(200).data();
    let ticket =
        ticket.as_array().unwrap().iter().find(|one| one["items"][0]["name"] == "Mithai").unwrap().clone();
    assert_eq!(
        (&ticket["items"][0]["weight"], &ticket["items"][0]["notes"]),
        (&json!(1.35), &json!("sliced"))
    );
    owner.post(&format!("/kitchen/tickets/{}/ack", text(&ticket["id"])), json!({})).await.expect(200);

    // Less comes off freely within the grace, rounded once: 900.00 × 0.00005 is four and a half paise.
    let less = waiter.patch(&line, json!({"weight": 0.00005})).await.expect(200).data();
    assert_eq!(
        (&less["items"][0]["lineTotalCents"], &less["items"][0]["voidedQuantity"]),
        (&json!(2_505), &json!(0))
    );
    assert_eq!(sweets.shelves().await, [json!(4.99996), json!(99)]);
    let slips = owner.get("/kitchen/tickets?limit=100").await.expect(200).data();
    let told: Vec<&Value> =
        slips.as_array().unwrap().iter().filter(|one| one["type"] == "MODIFICATION").collect();
    assert_eq!((told.len(), &told[0]["notes"]), (1, &json!("Was 1.35 kg, now 0.00005 kg")));
    assert_eq!(told[0]["items"][0]["weight"], json!(0.00005));
    let read = owner.get(&format!("/orders/{}", text(&order["id"]))).await.expect(200).json();
    assert_eq!(read["items"], less["items"]);

    // Afterwards more does, less wants somebody's leave and a reason.
    branch.pass(61_000);
    waiter.patch(&line, json!({"weight": 1})).await.expect(200);
    let alone = waiter.patch(&line, json!({"weight": 0.5})).await.refused(403, "FORBIDDEN");
    assert_eq!(alone.invalid_fields(), ["approverPin"]);
    assert_eq!(refused(owner.patch(&line, json!({"weight": 0.5})).await), ["reason"]);
    let wrong = json!({"weight": 0.5, "reason": "typed wrong", "wasMade": false});
    owner.patch(&line, wrong).await.expect(200);
    assert_eq!(sweets.shelves().await, [json!(4.6), json!(99)]);
    // What fell is thrown away, and what is left of the line is still its own.
    let fell = json!({"weight": 0.25, "reason": "fell", "wasMade": true});
    owner.patch(&line, fell).await.expect(200);
    assert_eq!(sweets.shelves().await, [json!(4.6), json!(99)]);
    let thrown = owner.get("/waste-logs?reason=VOID_AFTER_PREP").await.expect(200).data();
    assert_eq!(
        (&thrown[0]["quantity"], &thrown[0]["unit"], &thrown[0]["costCents"]),
        (&json!(0.25), &json!("kg"), &json!(8_000))
    );
    owner.post(&format!("{line}/void"), json!({"reason": "x", "wasMade": false})).await.expect(200);
    assert_eq!(sweets.shelves().await, [json!(4.8), json!(100)]);
    let off = |kind: &str, quantity: i64, amount: i64, cost: i64, weight: Value| {
        json!([kind, 1, quantity, amount, cost, weight, "KG"])
    };
    assert_eq!(
        sweets.voids().await,
        [
            off("LESS", 0, 124_000 - 2_505, 0, json!(1.34995)),
            off("LESS", 0, 45_000, 0, json!(0.5)),
            off("VOID", 1, 25_000, 0, json!(0.25)),
            off("LESS", 0, 22_500, 8_000, json!(0.25)),
        ]
    );
    let kept = "SELECT count(*) FROM audit_log WHERE action = 'order.line_change' AND reason = 'fell'
        AND json_extract(before, '$.weight') = '0.5 kg' AND json_extract(after, '$.weight') = '0.25 kg'";
    assert_eq!(branch.number(kept).await, 1);
    let gone = owner.patch(&line, json!({"weight": 1})).await;
    gone.refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn a_weight_is_changed_within_what_it_may_be_and_before_it_is_cooked() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let order = sweets.place(&[json!(1)]).await;
    let (line, dal) = (line_of(&order, 0), line_of(&order, 1));
    assert_eq!(refused(owner.patch(&dal, json!({"weight": 1})).await), ["weight"]);
    for weight in [json!(0), json!(-1), json!(10_000.000001), json!(0.0000001), json!("1"), Value::Null] {
        assert_eq!(refused(owner.patch(&line, json!({"weight": weight})).await), ["weight"], "{weight}");
    }
    let both = json!({"quantity": 2, "weight": 0});
    assert_eq!(refused(owner.patch(&line, both).await), ["quantity", "weight"]);
    let one = owner.patch(&line, json!({"quantity": 1, "weight": 1.1})).await.expect(200).data();
    assert_eq!(one["items"][0]["lineTotalCents"], 99_000);
    let same = owner.patch(&line, json!({"weight": 1.1})).await.expect(200).data();
    assert_eq!(same["items"][0]["weight"], json!(1.1));
    assert!(sweets.voids().await.is_empty(), "nothing came off");

    // There are 5 kg, and one takes 800 g.
    owner.patch(&format!("/outlets/{}", branch.outlet_id), json!({"stockPolicy": "BLOCK"})).await.expect(200);
    assert_eq!(refused(owner.patch(&line, json!({"weight": 6.251})).await), ["weight"]);
    owner.patch(&line, json!({"weight": 6.25})).await.expect(200);
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(0));
    owner.patch(&line, json!({"weight": 1.25})).await.expect(200);
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(4));

    // Once it is begun there is no more of it; less has been made.
    let cook = branch.sign_in(Role::Kitchen);
    for ticket in cook.get("/kitchen/tickets").await.data().as_array().unwrap() {
        cook.post(&format!("/kitchen/tickets/{}/start", text(&ticket["id"])), json!({})).await.expect(200);
    }
    owner.patch(&line, json!({"weight": 1.3})).await.refused(409, "INVALID_TRANSITION");
    let less = json!({"weight": 1, "reason": "too much"});
    branch.sign_in(Role::Waiter).patch(&line, less.clone()).await.refused(403, "FORBIDDEN");
    owner.patch(&line, less).await.expect(200);
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(4), "what was cut is not on the shelf");
    // What is paid is not to be owed back.
    sweets.house.settle(owner, &order).await;
    owner.patch(&line, json!({"weight": 0.5, "reason": "x"})).await.refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn what_was_sold_last_is_weighed_up_as_long_as_there_is_stock() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let state = format!("{}/availability", sweets.path());
    owner.put(&state, json!({"status": "LIMITED", "quantityLeft": 1})).await.expect(200);
    let line = line_of(&sweets.place(&[json!(0.5)]).await, 0);
    sweets.refused(sweets.line(json!(0.5))).await;
    let heavier = async |weight: f64| {
        let order = owner.patch(&line, json!({"weight": weight})).await.expect(200).data();
        assert_eq!(order["items"][0]["weight"], json!(weight));
    };
    heavier(0.7).await;
    owner.put(&state, json!({"status": "OUT_OF_STOCK", "reason": "off"})).await.expect(200);
    heavier(0.8).await;
    owner.put(&state, json!({"status": "IN_STOCK"})).await.expect(200);
    owner.patch(&sweets.path(), json!({"availableFrom": "07:00", "availableTo": "11:00"})).await.expect(200);
    heavier(0.9).await;
    owner.delete(&sweets.path()).await.expect(200);
    heavier(1.25).await;
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(4), "it is taken from the shelf all the same");
    owner.patch(&format!("/outlets/{}", branch.outlet_id), json!({"stockPolicy": "BLOCK"})).await.expect(200);
    assert_eq!(refused(owner.patch(&line, json!({"weight": 6.251})).await), ["weight"]);
}

#[tokio::test]
async fn an_order_for_later_is_weighed_anew_without_stock_or_record() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let later = json!({"orderType": "TAKEAWAY", "scheduledFor": "2026-11-22T12:00:00Z", "items": [sweets.boxed(json!(2))]});
    let order = sweets.house.place(&branch.sign_in(Role::Waiter), later).await;
    let line = line_of(&order, 0);
    let changed = branch.sign_in(Role::Waiter).patch(&line, json!({"weight": 1.5})).await.expect(200).data();
    assert_eq!((&changed["items"][0]["weight"], &changed["subtotalCents"]), (&json!(1.5), &json!(137_500)));
    let changed = owner.patch(&line, json!({"weight": 3})).await.expect(200).data();
    assert_eq!(changed["subtotalCents"], 272_500);
    assert_eq!(sweets.shelves().await, [json!(5), json!(100)]);
    assert!(sweets.voids().await.is_empty());
}
