//! The service charge: asked for where the outlet says, put on and taken off by people, and taxed as the house's service is.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House};

fn id(order: &Value) -> &str {
    order["id"].as_str().unwrap()
}

fn path(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

#[tokio::test]
async fn in_india_it_is_put_on_by_somebody_and_comes_off_with_a_reason() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let set = house.owner.patch(&outlet, json!({"serviceChargeBps": 1_000})).await.expect(200).data();
    let is = json!({"bps": 1_000, "orderTypes": ["DINE_IN"], "automatic": false, "taxed": true});
    assert_eq!((&set["serviceCharge"], &set["serviceChargeBps"]), (&is, &json!(1_000)));
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.at_table(1, &[("Dal", 1)])).await;
    assert_eq!((cents(&order, "serviceChargeCents"), cents(&order, "totalAmountCents")), (0, 18_900));
    let of = id(&order);
    for _ in 0..2 {
        let with = waiter.post(&format!("/orders/{of}/service-charge"), json!({})).await.expect(201).data();
        assert_eq!((cents(&with, "serviceChargeCents"), cents(&with, "totalAmountCents")), (1_800, 20_790));
    }
    waiter.delete(&format!("/orders/{of}/service-charge")).await.expect(400);
    let declined = format!("/orders/{of}/service-charge?reason=the%20guest%20declined");
    let off = waiter.delete(&declined).await.expect(200).data();
    assert_eq!((cents(&off, "serviceChargeCents"), cents(&off, "totalAmountCents")), (0, 18_900));
    waiter
        .delete(&format!("/orders/{of}/service-charge?reason=again"))
        .await
        .refused(409, "INVALID_TRANSITION");
    let log = house.owner.get("/audit-log?action=order.service_charge_off").await.expect(200).json();
    assert_eq!((&log["data"][0]["reason"], &log["meta"]["total"]), (&json!("the guest declined"), &json!(1)));
    // Not on what is taken along, nor on a bill that is made.
    let along = house.place(&waiter, house.counter(&[("Dal", 1)])).await;
    waiter
        .post(&format!("/orders/{}/service-charge", id(&along)), json!({}))
        .await
        .refused(409, "INVALID_TRANSITION");
    house.owner.post(&format!("{}/invoice", path(&order)), json!({})).await.expect(201);
    waiter.post(&format!("/orders/{of}/service-charge"), json!({})).await.refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn it_follows_the_type_of_the_order_where_it_is_automatic() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let terms = json!({"serviceCharge": {"bps": 1_000, "automatic": true}});
    house.owner.patch(&outlet, terms).await.expect(200);
    let twice = json!({"serviceCharge": {"orderTypes": ["DINE_IN", "DINE_IN"]}});
    let refused = house.owner.patch(&outlet, twice).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["serviceCharge.orderTypes[1]"]);
    let order = house.place(&house.owner, house.at_table(1, &[("Dal", 1)])).await;
    assert_eq!(cents(&order, "serviceChargeCents"), 1_800);
    let along = house.owner.patch(&path(&order), json!({"orderType": "TAKEAWAY"})).await.expect(200).data();
    assert_eq!((cents(&along, "serviceChargeCents"), cents(&along, "totalAmountCents")), (0, 18_900));
    let takeaway = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    assert_eq!(cents(&takeaway, "serviceChargeCents"), 0);
    let quote = house.owner.post("/orders/quote", house.at_table(1, &[("Dal", 1)])).await.expect(200).data();
    assert_eq!(cents(&quote, "serviceChargeCents"), 1_800);
}

/// Beer with service charge bore the beer's VAT on the charge.
#[tokio::test]
async fn on_beer_it_bears_the_tax_of_the_service_and_not_of_the_beer() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let vat = json!({"name": "Alcohol", "components": [{"name": "VAT", "rateBps": 2_000}]});
    let vat = owner.post("/menu/tax-categories", vat).await.expect(201).data();
    assert_eq!(vat["isGoods"], true, "alcohol is outside GST");
    let menu = owner.get("/menu").await.expect(200).data();
    let beer = json!({
        "categoryId": menu["categories"][0]["id"], "name": "Lager", "priceCents": 50_000, "taxCategoryId": vat["id"],
    });
    let beer = owner.post("/menu/items", beer).await.expect(201).data();
    assert_eq!(beer["warnings"], json!([]));
    let outlet = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&outlet, json!({"serviceCharge": {"bps": 1_000, "automatic": true}})).await.expect(200);
    let mut body = house.at_table(1, &[("Dal", 1)]);
    body["items"] = json!([{"menuItemId": beer["id"], "quantity": 1, "unitPriceCents": 50_000}]);
    let order = house.place(owner, body).await;
    let taxes: Vec<(&str, i64, i64)> = order["taxes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tax| (tax["name"].as_str().unwrap(), cents(tax, "taxableCents"), cents(tax, "taxCents")))
        .collect();
    assert_eq!(taxes, [("VAT", 50_000, 10_000), ("CGST", 5_000, 125), ("SGST", 5_000, 125)]);
    assert_eq!(cents(&order, "totalAmountCents"), 65_250);
    house.settle(owner, &order).await;
    let report = owner.get("/analytics/reports/tax").await.expect(200).data();
    assert_eq!(report["totals"]["netTaxCents"], 10_250);
    // And none where the outlet says that it is not taxed.
    owner.patch(&outlet, json!({"serviceCharge": {"taxed": false}})).await.expect(200);
    let order = house.place(owner, house.at_table(2, &[("Dal", 1)])).await;
    assert_eq!((cents(&order, "serviceChargeCents"), cents(&order, "taxCents")), (1_800, 900));
}

/// "Rounding −0.63" at a step of 1.00.
#[tokio::test]
async fn the_parts_of_a_split_round_as_a_bill_does() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let terms = json!({"cashRoundingCents": 100, "serviceCharge": {"bps": 750, "automatic": true}});
    owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
    for dishes in
        [[("Dal", 1), ("Steamed Rice", 1)], [("Lassi", 3), ("Kulfi", 1)], [("Dal", 3), ("Lemon Soda", 1)]]
    {
        let order = house.place(owner, house.at_table(3, &dishes)).await;
        let take = json!({"items": [{"orderItemId": order["items"][0]["id"]}]});
        let parts =
            owner.post(&format!("{}/split", path(&order)), take).await.expect(201).data()["orders"].clone();
        for part in parts.as_array().unwrap() {
            assert_eq!(cents(part, "totalAmountCents") % 100, 0);
            assert!(cents(part, "roundingCents").abs() <= 50, "{part}");
        }
    }
}

#[tokio::test]
async fn what_is_stale_or_untaxed_is_said() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let waiter = branch.sign_in(Role::Waiter);
    let mut line = house.line("Paneer Tikka", 1);
    line["modifiers"] = json!([{"optionId": house.option("Extra paneer"), "priceCents": 1}]);
    let mut order = house.counter(&[("Dal", 1)]);
    order["items"] = json!([line]);
    let refused = waiter.post("/orders", order.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].modifiers[0].priceCents"]);
    assert!(refused.text.contains("6000"), "the price that holds is named: {}", refused.text);
    order["items"][0]["modifiers"][0]["priceCents"] = json!(6_000);
    waiter.post("/orders", order.clone()).await.expect(201);
    // Who may sell at another price sells the option at it, on record.
    order["items"][0]["modifiers"][0]["priceCents"] = json!(1);
    let sold = owner.post("/orders", order).await.expect(201).json();
    assert_eq!(sold["items"][0]["modifiersCents"], 1);
    let log = owner.get("/audit-log?action=order.price_override").await.expect(200).json();
    assert_eq!(
        log["data"][0]["before"],
        json!({"item": "Paneer Tikka", "option": "Extra paneer", "priceCents": 6_000})
    );
    let menu = owner.get("/menu").await.expect(200).data();
    let dish = json!({"categoryId": menu["categories"][0]["id"], "name": "Mystery", "priceCents": 5_000});
    let made = owner.post("/menu/items", dish).await.expect(201).data();
    assert_eq!(
        (&made["warnings"][0]["code"], &made["warnings"][0]["path"]),
        (&json!("NO_TAX_CATEGORY"), &json!("taxCategoryId"))
    );
}
