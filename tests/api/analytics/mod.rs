//! `/analytics`.

mod history;

use edge::access::Role;
use edge::db::DbError;
use edge::resources::analytics::worker;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

/// Keeps every finished day, as the worker does.
async fn keep_days(branch: &Branch) {
    while worker::keep_one(&branch.db).await.unwrap() {}
}

async fn forget_days(branch: &Branch) {
    let forget = |tx: &edge::db::Tx<'_>| -> Result<(), DbError> {
        tx.execute("DELETE FROM analytics_days", []).map(drop)
    };
    branch.db.write(forget).await.unwrap();
}

const REPORTS: [&str; 11] = [
    "sales",
    "payments",
    "tax",
    "discounts",
    "voids",
    "inventory",
    "variance",
    "waste",
    "labor",
    "purchases",
    "pnl",
];

/// Every answer about a range, to be compared with itself.
async fn answers(client: &Client, dates: &str) -> Vec<(String, Value)> {
    let mut paths: Vec<String> = ["summary", "daily", "hourly", "menu-engineering"]
        .map(|name| format!("/analytics/{name}?{dates}"))
        .into();
    paths.push(format!("/analytics/top-sellers?{dates}&by=margin&order=asc&limit=100"));
    paths.extend(REPORTS.map(|name| format!("/analytics/reports/{name}?{dates}")));
    let mut found = Vec::new();
    for path in paths {
        found.push((path.clone(), client.get(&path).await.expect(200).json()));
    }
    found
}

fn assert_same(now: &[(String, Value)], then: &[(String, Value)]) {
    for ((path, now), (_, then)) in now.iter().zip(then) {
        assert_eq!(now, then, "{path}");
    }
}

async fn complete(house: &House, client: &Client, order: &Value) {
    house.settle(client, order).await;
    client.patch(&format!("{}/status", path(order)), json!({"status": "COMPLETED"})).await.expect(200);
}

/// One evening by hand: 5 % tax on top, prices as the house has them.
#[tokio::test]
async fn the_figures_of_an_evening_are_those_of_its_rows() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    // 2 Dal (36 000), a discount of 10 %, paid; half an hour at table 1 with four guests.
    let mut dal = house.at_table(1, &[("Dal", 2)]);
    dal["guestCount"] = json!(4);
    let dal = house.place(owner, dal).await;
    let off = json!({"type": "PERCENT", "value": 10, "reason": "regulars"});
    owner.post(&format!("{}/discounts", path(&dal)), off).await.expect(201);
    branch.pass(30 * 60_000);
    complete(&house, owner, &dal).await;
    // 3 bottles (9 000, no tax), one handed back for its price: the bill is credited.
    let water = house.place(owner, house.counter(&[("Bottled Water", 3)])).await;
    complete(&house, owner, &water).await;
    let back = json!({"items": [{"orderItemId": water["items"][0]["id"], "quantity": 1}], "reason": "warm"});
    owner.post(&format!("{}/refunds", path(&water)), back).await.expect(201);
    // A lassi of two is voided after it was made: waste, not cost of sales. The order stays open.
    let lassi = house.place(owner, house.counter(&[("Lassi", 2)])).await;
    let void = json!({"quantity": 1, "reason": "spilt", "wasMade": true});
    let line = lassi["items"][0]["id"].as_str().unwrap();
    owner.post(&format!("{}/items/{line}/void", path(&lassi)), void).await.expect(200);
    // What is called off is nothing.
    let gone = house.place(owner, house.counter(&[("Kulfi", 5)])).await;
    owner
        .patch(&format!("{}/status", path(&gone)), json!({"status": "CANCELLED", "reason": "left"}))
        .await
        .expect(200);

    let summary = owner.get("/analytics/summary").await.expect(200).json();
    let expected = json!({
        "period": "TODAY", "from": "2026-11-20", "to": "2026-11-20",
        "grossRevenueCents": 36_000 + 9_000 + 9_000,
        "discountCents": 3_600, "refundCents": 3_000, "netRevenueCents": 47_400,
        "taxCents": 1_620 + 450, "ordersCount": 3, "guestsCount": 4, "averageOrderValueCents": 15_800,
        // Dal: 90 g lentils at 12 000 a kilogram, 50 ml gravy; see the house's recipes.
        "foodWasteCents": 1_500 + 1_500, "laborCostCents": 0, "laborCostPercentage": 0,
        "tableTurns": 0.08, "averageTurnMinutes": 30, "openOrders": 1,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&summary[name], value, "{name}");
    }
    // 2 Dal: lentils 2 × 1 080; gravy 100 ml of 2 l: tomatoes 125 g 500, cream 10 ml 200, spice 2 g 100. Water 2 × 1 500: the third came back and was thrown away.
    // Lassi 250 ml 1 500.
    assert_eq!(summary["cogsCents"], 2_160 + 800 + 3_000 + 1_500);
    assert_eq!(summary["cogsPercentage"], 15.74);
    assert_eq!(summary["primeCostPercentage"], 15.74);
    let lines = &summary["profitAndLoss"];
    assert_eq!(lines["grossProfitCents"], 47_400 - 7_460 - 3_000);
    assert_eq!(lines["operatingProfitCents"], lines["grossProfitCents"]);
    assert_eq!(summary["comparison"]["previous"]["from"], "2026-11-19");
    assert_eq!(summary["comparison"]["change"]["netRevenueCents"], Value::Null);

    let daily = owner.get("/analytics/daily?from=2026-11-19&to=2026-11-20").await.expect(200).data();
    assert_eq!(daily["days"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&daily["days"][0]["ordersCount"], &daily["days"][1]["netRevenueCents"]),
        (&json!(0), &json!(47_400))
    );
    assert_eq!(daily["totals"]["cogsCents"], 7_460);
    let hourly = owner.get("/analytics/hourly?from=2026-11-20").await.expect(200).data();
    assert_eq!(hourly["totals"]["revenueCents"], 50_400);
    let eighteen = hourly["hours"].as_array().unwrap().iter().find(|hour| hour["hour"] == 18).unwrap();
    assert_eq!((&eighteen["ordersCount"], &hourly["weekdays"][4]["weekday"]), (&json!(3), &json!("FRI")));

    let top = owner.get("/analytics/top-sellers?by=revenue&limit=2").await.expect(200).data();
    assert_eq!((&top["items"][0]["name"], &top["items"][0]["revenueCents"]), (&json!("Dal"), &json!(32_400)));
    assert_eq!(top["items"][0]["marginCents"], 32_400 - 2_960);
    assert_eq!((top["items"].as_array().unwrap().len(), &top["total"]), (2, &json!(8)));
    let worst = owner.get("/analytics/top-sellers?order=asc").await.expect(200).data();
    assert_eq!(worst["items"][0]["quantity"], 0);
    // Margins per portion: Dal 14 720, Lassi 7 500, water 1 500, all together 7 988; popular is a share of 23.3 %.
    let menu = owner.get("/analytics/menu-engineering").await.expect(200).data();
    let class = |name: &str| {
        let items = menu["items"].as_array().unwrap();
        items.iter().find(|item| item["name"] == name).map(|item| item["class"].clone())
    };
    assert_eq!(
        [class("Dal"), class("Bottled Water"), class("Lassi"), class("Kulfi")],
        [Some(json!("STAR")), Some(json!("PLOWHORSE")), Some(json!("DOG")), None]
    );
}

/// The reports of the same day agree with each other and with the summary.
#[tokio::test]
async fn reports_add_up_and_are_files_too() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let dal = house.place(owner, house.counter(&[("Dal", 2), ("Kulfi", 1)])).await;
    let off = json!({"type": "FIXED", "value": 1_000, "reason": "=cmd()"});
    owner.post(&format!("{}/discounts", path(&dal)), off).await.expect(201);
    let card = json!({"method": "CARD", "amountCents": 10_000, "tipCents": 500});
    owner.post(&format!("{}/payments", path(&dal)), card).await.expect(201);
    complete(&house, owner, &dal).await;
    let back = json!({"amountCents": 5_000, "reason": "cold"});
    owner.post(&format!("{}/refunds", path(&dal)), back).await.expect(201);
    let lassi = house.place(owner, house.counter(&[("Lassi", 3)])).await;
    let void = json!({"quantity": 1, "reason": "spilt", "wasMade": true});
    let line = lassi["items"][0]["id"].as_str().unwrap();
    owner.post(&format!("{}/items/{line}/void", path(&lassi)), void).await.expect(200);
    let less = json!({"inventoryItemId": house.stock("Rice"), "quantityDelta": -1, "reason": "gone"});
    owner.post("/inventory/adjustments", less).await.expect(201);

    let summary = owner.get("/analytics/summary").await.expect(200).json();
    let totals = |report: &Value, key: &str| report["totals"][key].clone();
    let sales = owner.get("/analytics/reports/sales").await.expect(200).data();
    assert_eq!(totals(&sales, "netRevenueCents"), summary["netRevenueCents"]);
    assert_eq!(totals(&sales, "taxCents"), summary["taxCents"]);
    let tax = owner.get("/analytics/reports/tax").await.expect(200).data();
    let open = summary["openOrdersTaxCents"].as_i64().unwrap();
    assert_eq!(open, 900);
    assert_eq!(totals(&tax, "netTaxCents"), summary["taxCents"].as_i64().unwrap() - open);
    assert_eq!((&tax["rows"][0][0], &tax["rows"][0][1]), (&json!("CGST"), &json!(2.5)));
    let payments = owner.get("/analytics/reports/payments").await.expect(200).data();
    let total = dal["totalAmountCents"].as_i64().unwrap() - 1_050;
    assert_eq!(totals(&payments, "amountCents"), total);
    assert_eq!(
        (totals(&payments, "tipCents"), totals(&payments, "refundedCents")),
        (json!(500), json!(5_000))
    );
    let discounts = owner.get("/analytics/reports/discounts").await.expect(200).data();
    assert_eq!(totals(&discounts, "amountCents"), summary["discountCents"]);
    let voids = owner.get("/analytics/reports/voids").await.expect(200).data();
    assert_eq!((&voids["rows"][0][0], &voids["rows"][0][1]), (&json!("spilt"), &json!("YES")));
    assert_eq!(totals(&voids, "amountCents"), 9_000);
    let rice = json!({"inventoryItemId": house.stock("Rice"), "quantity": 1, "reason": "SPOILAGE"});
    let log = owner.post("/waste-logs", rice).await.expect(201).data();
    let reverse = format!("/waste-logs/{}/reverse", log["id"].as_str().unwrap());
    owner.post(&reverse, json!({"reason": "it was fine"})).await.expect(200);
    let waste = owner.get("/analytics/reports/waste").await.expect(200).data();
    assert_eq!(totals(&waste, "costCents"), summary["foodWasteCents"]);
    assert_eq!(waste["rows"][0][2], "VOID_AFTER_PREP");
    assert_eq!(
        waste["rows"][1].as_array().unwrap()[1..5],
        [json!("Rice"), json!("SPOILAGE"), json!(2), json!(0)]
    );
    let variance = owner.get("/analytics/reports/variance").await.expect(200).data();
    assert_eq!(totals(&variance, "theoreticalCents"), summary["cogsCents"]);
    assert_eq!(totals(&variance, "wasteCents"), summary["foodWasteCents"]);
    assert_eq!(totals(&variance, "unexplainedCents"), 6_000);
    assert_eq!(summary["profitAndLoss"]["stockVarianceCents"], -6_000);
    let inventory = owner.get("/analytics/reports/inventory").await.expect(200).data();
    let rice = inventory["rows"].as_array().unwrap().iter().find(|row| row[1] == "Rice").unwrap().clone();
    assert_eq!((&rice[4], &rice[5]), (&json!(9), &json!(54_000)));
    let pnl = owner.get("/analytics/reports/pnl").await.expect(200).data();
    for line in pnl["rows"].as_array().unwrap() {
        assert_eq!(line[2], summary["profitAndLoss"][line[0].as_str().unwrap()], "{}", line[0]);
    }
    owner.get("/analytics/reports/labor").await.expect(200);
    owner.get("/analytics/reports/purchases").await.expect(200);

    let file =
        owner.get("/analytics/reports/discounts?format=csv&from=2026-11-20&to=2026-11-20").await.expect(200);
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"discounts-2026-11-20-2026-11-20.csv\""
    );
    assert_eq!(
        file.text,
        "Reason,Type,Given by,Approved by,Discounts,Amount (INR)\r\n'=cmd(),FIXED,,,1,10.00\r\n"
    );
    for name in REPORTS {
        let file = owner.get(&format!("/analytics/reports/{name}?format=csv")).await.expect(200);
        let report = owner.get(&format!("/analytics/reports/{name}")).await.expect(200).data();
        assert_eq!(file.text.matches("\r\n").count(), report["rows"].as_array().unwrap().len() + 1, "{name}");
    }
    // Every file is on record with who took it; what is only looked at is not.
    let taken = owner.get("/audit-log?action=report.export&limit=100").await.expect(200).json();
    assert_eq!(taken["meta"]["total"], json!(REPORTS.len() + 1), "{taken}");
    let first = taken["data"].as_array().unwrap().last().unwrap();
    assert_eq!(first["after"], json!({"report": "discounts", "from": "2026-11-20", "to": "2026-11-20"}));
    assert!(first["actorId"].is_string() && first["device"].is_string(), "{first}");
}

#[tokio::test]
async fn a_guests_order_counts_once_it_is_accepted() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let token = house.owner.get(&format!("/tables/{}", house.table(1))).await.data()["qrToken"].clone();
    let items = json!({"items": [{"menuItemId": house.dish("Dal"), "quantity": 1}]});
    let guest = branch.anonymous();
    guest.post(&format!("/orders/tables/{}/orders", token.as_str().unwrap()), items).await.expect(201);
    let summary = house.owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!((&summary["ordersCount"], &summary["openOrders"]), (&json!(0), &json!(0)));
    let order = house.owner.get("/orders").await.json()["data"][0].clone();
    house.owner.patch(&format!("{}/status", path(&order)), json!({"status": "ACCEPTED"})).await.expect(200);
    let summary = house.owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!((&summary["ordersCount"], &summary["grossRevenueCents"]), (&json!(1), &json!(18_000)));
}

#[tokio::test]
async fn parameters_are_checked_and_figures_are_for_those_who_may_see_them() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let bad = owner.get("/analytics/summary?period=TOMORROW").await.refused(400, "BAD_REQUEST");
    assert_eq!(bad.invalid_fields(), ["period"]);
    let long = owner.get("/analytics/daily?from=2025-01-01&to=2026-11-20").await.refused(400, "BAD_REQUEST");
    assert_eq!(long.invalid_fields(), ["to"]);
    let bad = owner.get("/analytics/top-sellers?by=name&limit=0&from=x").await.refused(400, "BAD_REQUEST");
    let mut fields = bad.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["by", "from", "limit"]);
    owner.get("/analytics/reports/gossip").await.refused(404, "NOT_FOUND");
    branch.sign_in(Role::Cashier).get("/analytics/summary").await.refused(403, "FORBIDDEN");
    branch.sign_in(Role::Accountant).get("/analytics/summary?period=LAST_MONTH").await.expect(200);
    // Another outlet has figures of its own.
    let house = House::open(&branch).await;
    house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let other = branch.sign_in_at(Role::Owner, branch.second_outlet().await);
    for (path, answer) in answers(&other, "from=2026-11-20&to=2026-11-20").await {
        assert!(!answer.to_string().contains("Dal"), "{path}");
    }
    let summary = other.get("/analytics/summary").await.expect(200).json();
    assert_eq!((&summary["ordersCount"], &summary["cogsCents"]), (&json!(0), &json!(0)));
}
