//! Combos where the bill is another's or is divided, and combos for later: food and goods of one through a channel, seats that pay apart, and
//! tickets that wait for their moment.

use super::{Meals, TODAY, list, number, text};
use edge::resources::orders::worker;
use serde_json::json;
use tiffin_tests::Branch;

#[tokio::test]
async fn a_channels_operator_bills_the_food_of_a_combo_and_the_house_its_goods() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let (house, owner) = (&meals.house, &meals.house.owner);
    let components = json!([{"name": "CGST", "rateBps": 1_400}, {"name": "SGST", "rateBps": 1_400}]);
    let goods = json!({"name": "Aerated", "isGoods": true, "components": components});
    let goods = owner.post("/menu/tax-categories", goods).await.expect(201).data();
    let category = &owner.get(&meals.path()).await.expect(200).data()["categoryId"];
    let cola =
        json!({"categoryId": category, "name": "Cola", "priceCents": 8_000, "taxCategoryId": goods["id"]});
    let cola = owner.post("/menu/items", cola).await.expect(201).data();
    let one = |name: &str, dish: &str| json!({"name": name, "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": dish}]});
    let boxed = json!({"categoryId": category, "name": "Box", "priceCents": 30_000, "kind": "COMBO",
        "components": [one("Main", house.dish("Paneer Tikka")), one("Drink", text(&cola["id"]))]});
    let boxed = owner.post("/menu/items", boxed).await.expect(201).data();
    let swiggy = json!({"name": "Swiggy", "kind": "AGGREGATOR", "taxedBy": "OPERATOR", "operatorTaxId": "29AAGCB7383J1Z4"});
    let swiggy = owner.post("/channels", swiggy).await.expect(201).data();
    let chosen = json!([{"name": "Main", "menuItemId": house.dish("Paneer Tikka")}, {"name": "Drink", "menuItemId": cola["id"]}]);
    let line =
        json!({"menuItemId": boxed["id"], "quantity": 2, "unitPriceCents": 30_000, "components": chosen});
    let order =
        json!({"orderType": "DELIVERY", "channelId": swiggy["id"], "externalId": "SW-1", "items": [line]});
    let order = house.place(owner, order).await;
    // 300.00 over 320.00 and 80.00: 240.00 of food without tax, 60.00 of cola with 28 %; twice.
    let taxes: Vec<i64> =
        list(&order["items"][0]["components"]).iter().map(|part| number(&part["taxCents"])).collect();
    assert_eq!(
        (taxes, &order["subtotalCents"], &order["taxCents"], &order["totalAmountCents"]),
        (vec![0, 3_360], &json!(60_000), &json!(3_360), &json!(63_360))
    );
    let path = format!("/orders/{}", text(&order["id"]));
    let paid = json!({"method": "OTHER", "amountCents": 63_360});
    owner.post(&format!("{path}/payments"), paid).await.expect(201);
    let done = json!({"status": "COMPLETED"});
    let done = owner.patch(&format!("{path}/status"), done).await.expect(200).data();
    assert_eq!(
        (&done["slipNumber"], &done["invoiceNumber"]),
        (&json!("BLR1/S2627-00001"), &json!("BLR1/2627-000001"))
    );
    let bill = owner.get("/orders/invoices").await.expect(200).json()["data"][0].clone();
    assert_eq!((&bill["totalCents"], &bill["taxCents"]), (&json!(15_360), &json!(3_360)), "the cola's");
    let summary = owner.get(&format!("/analytics/summary?{TODAY}")).await.expect(200).json();
    assert_eq!(summary["operatorTaxed"]["soldCents"], 48_000);
    assert_eq!(meals.report().await["totals"]["revenueCents"], 60_000);

    // One of the two comes back: the operator's part by the slip, the house's by a credit note.
    let back = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 1}], "reason": "spilled", "restock": false});
    let back = owner.post(&format!("{path}/refunds"), back).await.expect(201).data();
    assert_eq!(
        (&back["slipReturn"]["amountCents"], &back["amountCents"], &back["taxCents"]),
        (&json!(24_000), &json!(7_680), &json!(1_680)),
        "{back}"
    );
    assert_eq!(meals.get(&order).await["refundedCents"], 31_680);
    let totals = meals.report().await["totals"].clone();
    assert_eq!((&totals["revenueCents"], &totals["combosCount"]), (&json!(30_000), &json!(1)));
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}

#[tokio::test]
async fn each_seat_pays_its_combos_with_all_their_components() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let mut lines = [
        meals.line(1, "Paneer Tikka", &["Lassi"]),
        meals.line(2, "Paneer Tikka", &["Lassi"]),
        meals.house.line("Kulfi", 1),
    ];
    for (line, seat) in lines.iter_mut().zip([1, 2, 2]) {
        line["seatNumber"] = json!(seat);
    }
    let order = meals.place(json!(lines)).await;
    let (tickets, paneer) = ("SELECT count(*) FROM kitchen_tickets", meals.house.on_hand("Paneer").await);
    let before = branch.number(tickets).await;
    let split = format!("/orders/{}/split", text(&order["id"]));
    let parts = owner.post(&split, json!({"seats": [1, 2]})).await.expect(201).data()["orders"].clone();
    // 5 % on each part of a meal and on the kulfi; the last seat keeps the order.
    for (part, (total, shown)) in list(&parts)
        .iter()
        .zip([(96_600, vec![("Meal", 2, 3), ("Kulfi", 1, 0)]), (42_000, vec![("Meal", 1, 3)])])
    {
        let part = meals.get(part).await;
        let found: Vec<_> = list(&part["items"])
            .iter()
            .map(|item| (text(&item["name"]), number(&item["quantity"]), list(&item["components"]).len()))
            .collect();
        assert_eq!((found, number(&part["totalAmountCents"])), (shown, total), "{part}");
    }
    assert_eq!((branch.number(tickets).await, meals.house.on_hand("Paneer").await), (before, paneer));
    for part in list(&parts) {
        meals.house.settle(owner, part).await;
    }
    let report = meals.report().await;
    assert_eq!(
        (&report["totals"]["combosCount"], &report["totals"]["revenueCents"]),
        (&json!(3), &json!(3 * 40_000 + 12_000))
    );
}

#[tokio::test]
async fn a_combo_for_later_waits_for_what_of_it_takes_longest() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let slow = json!({"prepMinutes": 25});
    owner.patch(&format!("/menu/items/{}", meals.house.dish("Paneer Tikka")), slow).await.expect(200);
    let before = meals.house.on_hand("Paneer").await;
    let order = json!({"orderType": "TAKEAWAY", "scheduledFor": "2026-11-20T15:30:00Z",
        "items": [meals.line(1, "Paneer Tikka", &["Lassi"])]});
    let order = meals.house.place(owner, order).await;
    assert_eq!(
        (&order["releaseAt"], &order["totalAmountCents"]),
        (&json!("2026-11-20T14:55:00.000Z"), &json!(42_000))
    );
    // One more of it, at the price that was promised, though the meal is dearer by then.
    owner.patch(&meals.path(), json!({"priceCents": 44_000})).await.expect(200);
    let line = format!("/orders/{}/items/{}", text(&order["id"]), text(&order["items"][0]["id"]));
    owner.patch(&line, json!({"quantity": 2})).await.expect(200);
    let tickets = "SELECT count(*) FROM kitchen_tickets";
    branch.at("2026-11-20T14:54:59.999Z");
    worker::look(&branch.db).await.unwrap();
    assert_eq!((branch.number(tickets).await, meals.house.on_hand("Paneer").await), (0, before));
    branch.pass(1);
    worker::look(&branch.db).await.unwrap();
    worker::look(&branch.db).await.unwrap();
    assert_eq!(branch.number(tickets).await, 3, "one a station, once");
    assert_eq!(meals.house.on_hand("Paneer").await.to_string(), "4.7");
    let order = meals.get(&order).await;
    assert_eq!((&order["isScheduled"], &order["totalAmountCents"]), (&json!(false), &json!(84_000)));
    let shown = owner.get("/kitchen/tickets").await.expect(200).data();
    let mut shown: Vec<_> = list(&shown)
        .iter()
        .map(|ticket| {
            let item = &ticket["items"][0];
            (text(&ticket["stationName"]), text(&item["name"]), number(&item["quantity"]))
        })
        .collect();
    shown.sort_unstable();
    assert_eq!(shown, [("Bar", "Lassi", 2), ("Hot", "Steamed Rice", 2), ("Tandoor", "Paneer Tikka", 2)]);
}
