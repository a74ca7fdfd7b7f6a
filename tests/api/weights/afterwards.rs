//! What becomes of weighed lines: stock to the gram, what is taken off and given back, bills on paper and pages, returns to the tax office
//! and figures.

use super::{DATES, Sweets, text};
use serde_json::{Value, json};
use tiffin_tests::Branch;

impl Sweets {
    /// What is left of the paneer, in grams.
    async fn paneer(&self, branch: &Branch) -> i64 {
        const LEFT: &str = "SELECT on_hand / 1000 FROM stock_levels
            WHERE stock_item_id = (SELECT id FROM stock_items WHERE name = 'Paneer')";
        branch.number(LEFT).await
    }

    pub(super) fn boxed(&self, weight: Value) -> Value {
        let mut line = self.line(weight);
        line["modifiers"] = json!([{"optionId": self.boxed, "priceCents": 2_500}]);
        line
    }
}

impl Sweets {
    /// The fields of an order of so much that are refused.
    async fn short(&self, weight: Value) -> Vec<String> {
        let order = json!({"orderType": "COUNTER", "items": [self.line(weight)]});
        super::refused(self.house.owner.post("/orders", order).await)
    }
}

fn path(order: &Value) -> String {
    format!("/orders/{}", text(&order["id"]))
}

#[tokio::test]
async fn a_line_takes_its_recipe_times_its_weight_and_gives_back_or_throws_away_exactly_that() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    assert_eq!(sweets.paneer(&branch).await, 5_000);
    let lines = json!([sweets.boxed(json!(1.25)), sweets.line(json!(0.335)), sweets.line(json!(0.0015))]);
    let order = sweets.house.place(owner, json!({"orderType": "COUNTER", "items": lines})).await;
    // 1000 g, 268 g and 1.2 g.
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(3.7308));
    assert_eq!(sweets.house.on_hand("Lemon").await, json!(99), "a box is a box, whatever is in it");
    let void = |at: usize| format!("{}/items/{}/void", path(&order), text(&order["items"][at]["id"]));
    owner.post(&void(2), json!({"reason": "x", "wasMade": false})).await.expect(200);
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(3.732));
    let left = owner.post(&void(1), json!({"reason": "fell", "wasMade": true})).await.expect(200).data();
    assert_eq!((&left["subtotalCents"], &left["items"][1]["lineTotalCents"]), (&json!(115_000), &json!(0)));
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(3.732), "what was made is gone");
    let thrown = owner.get("/waste-logs?reason=VOID_AFTER_PREP").await.expect(200).data();
    let entry = &thrown[0];
    assert_eq!(
        (&entry["quantity"], &entry["unit"], &entry["name"]),
        (&json!(0.335), &json!("kg"), &json!("Mithai"))
    );
    let voids = owner.get(&format!("/analytics/reports/voids?{DATES}")).await.expect(200).data();
    assert_eq!(voids["totals"]["quantity"], json!(2));
    assert_eq!(voids["totals"]["amountCents"], json!(30_150 + 135));
    // Both told in kilograms, in the file, too: 0.335 and 0.0015.
    let file = owner.get(&format!("/analytics/reports/voids?{DATES}&format=csv")).await.expect(200).text;
    let rows: Vec<&str> = file.lines().collect();
    assert!(rows[0].ends_with(",Kind,Weight,Unit of weight"), "{file}");
    assert!(rows[1].ends_with(",VOID,0.335,KG") && rows[2].ends_with(",VOID,0.0015,KG"), "{file}");

    // What is paid and comes back goes back on the shelf whole.
    sweets.house.settle(owner, &order).await;
    let back = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 1}], "reason": "too sweet", "restock": true});
    let back = owner.post(&format!("{}/refunds", path(&order)), back).await.expect(201).data();
    assert_eq!(
        (sweets.house.on_hand("Paneer").await, sweets.house.on_hand("Lemon").await),
        (json!(4.732), json!(100))
    );
    let line = &back["lines"][0];
    assert_eq!(
        (&line["weight"], &line["weightUnit"], &line["grossCents"]),
        (&json!(1.25), &json!("KG"), &json!(115_000))
    );
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);

    // By hand, in kilograms.
    let waste = json!({"menuItemId": sweets.sweet, "quantity": 0.25, "unit": "kg", "reason": "DROPPED"});
    let waste = owner.post("/waste-logs", waste).await.expect(201).data();
    assert_eq!((&waste["quantity"], &waste["unit"]), (&json!(0.25), &json!("kg")));
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(4.532));
    for (dish, unit) in [(sweets.sweet.as_str(), "lb"), (sweets.house.dish("Dal"), "kg")] {
        let waste = json!({"menuItemId": dish, "quantity": 1, "unit": unit, "reason": "DROPPED"});
        let refused = owner.post("/waste-logs", waste).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["unit"]);
    }
}

#[tokio::test]
async fn it_is_sold_until_nothing_is_left_and_told_in_its_unit() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let portions = format!("/inventory/portions?menuItemId={}", sweets.sweet);
    let of = owner.get(&portions).await.expect(200).data();
    assert_eq!((&of[0]["portionsLeft"], &of[0]["weightUnit"]), (&json!(6), &json!("KG")), "5 kg by 800 g");
    owner.patch(&format!("/outlets/{}", branch.outlet_id), json!({"stockPolicy": "BLOCK"})).await.expect(200);
    sweets.place(&[json!(6)]).await;
    // A quarter of a kilogram is left: there is no whole one, and it is sold.
    let shown = owner.get(&sweets.path()).await.expect(200).data();
    assert_eq!(shown["isAvailable"], true, "{shown}");
    assert_eq!(sweets.short(json!(0.251)).await, ["items[0].weight"]);
    sweets.place(&[json!(0.25)]).await;
    let shown = owner.get(&sweets.path()).await.expect(200).data();
    assert_eq!(
        (&shown["isAvailable"], &shown["availability"]["status"]),
        (&json!(false), &json!("OUT_OF_STOCK"))
    );
    assert_eq!(sweets.refused(sweets.line(json!(0.001))).await, ["items[0].menuItemId"]);
}

#[tokio::test]
async fn a_limit_counts_how_often_it_is_sold_whatever_it_weighs() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let two = json!({"status": "LIMITED", "quantityLeft": 2});
    owner.put(&format!("{}/availability", sweets.path()), two).await.expect(200);
    let left =
        async || owner.get(&sweets.path()).await.expect(200).data()["availability"]["quantityLeft"].clone();
    let order = sweets.place(&[json!(1.75)]).await;
    assert_eq!(left().await, 1);
    let line = format!("{}/items/{}", path(&order), text(&order["items"][0]["id"]));
    for weight in [json!(3), json!(0.1)] {
        owner.patch(&line, json!({"weight": weight, "reason": "x", "wasMade": false})).await.expect(200);
        assert_eq!(left().await, 1, "it is still one of them");
    }
    sweets.place(&[json!(0.1)]).await;
    assert_eq!(left().await, 0);
    assert_eq!(sweets.refused(sweets.line(json!(0.1))).await, ["items[0].menuItemId"]);
    owner.post(&format!("{line}/void"), json!({"reason": "x", "wasMade": false})).await.expect(200);
    assert_eq!(left().await, 1);
}

#[tokio::test]
async fn bills_notes_and_pages_say_what_it_weighed() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let lines = json!([sweets.boxed(json!(1.25)), sweets.line(json!(0.5)), sweets.house.line("Dal", 2)]);
    let order = sweets.house.place(owner, json!({"orderType": "COUNTER", "items": lines})).await;
    let told = "1.25 kg x 900.00 + 25.00";
    let preview = owner.get(&format!("{}/receipt?format=text", path(&order))).await.expect(200).text;
    assert!(
        preview.contains(told) && preview.contains("0.5 kg x 900.00") && preview.contains("2 x 180.00"),
        "{preview}"
    );
    sweets.house.settle(owner, &order).await;
    for form in ["text", "html"] {
        let receipt = owner.get(&format!("{}/receipt?format={form}", path(&order))).await.expect(200).text;
        assert!(receipt.contains(told) && receipt.contains("1150.00"), "{receipt}");
    }
    let hindi = owner.get(&format!("{}/receipt?format=text&lang=hi", path(&order))).await.expect(200).text;
    assert!(hindi.contains("1.25 कि.ग्रा. x 900.00"), "{hindi}");
    let page = format!("{}/r/{}", branch.base(), text(&order["receiptCode"]));
    let page = reqwest::get(page).await.unwrap().text().await.unwrap();
    assert!(page.contains(told), "{page}");
    let printer = json!({"name": "Till", "address": "10.0.0.9", "autoPrint": "NEVER"});
    owner.post("/printers", printer).await.expect(201);
    owner.post(&format!("{}/receipt/print", path(&order)), json!({})).await.expect(201);
    assert_eq!(
        branch
            .number("SELECT count(*) FROM print_jobs WHERE document LIKE '%1.25 kg x 900.00 + 25.00%'")
            .await,
        1
    );

    let paid = owner.get(&path(&order)).await.expect(200).json();
    let found = owner.get("/orders/invoices").await.expect(200).data();
    let invoice =
        found.as_array().unwrap().iter().find(|one| one["number"] == paid["invoiceNumber"]).unwrap();
    let invoice = owner.get(&format!("/orders/invoices/{}", text(&invoice["id"]))).await.expect(200).data();
    let line = &invoice["lines"][0];
    assert_eq!(
        (&line["weight"], &line["weightUnit"], &line["quantity"]),
        (&json!(1.25), &json!("KG"), &json!(1))
    );
    assert_eq!(
        (&line["unitPriceCents"], &line["modifiersCents"], &line["grossCents"]),
        (&json!(90_000), &json!(2_500), &json!(115_000))
    );
    assert_eq!(
        (&invoice["lines"][2]["weight"], &invoice["lines"][2]["unitPriceCents"]),
        (&Value::Null, &json!(18_000))
    );
}

#[tokio::test]
async fn returns_to_the_tax_office_count_kilograms_and_figures_of_dishes_what_was_weighed() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let ours = json!({"taxId": "29AAFCT4512Q1ZS"});
    owner.patch(&format!("/outlets/{}", branch.outlet_id), ours).await.expect(200);
    let order = sweets.place(&[json!(1.25), json!(0.333)]).await;
    sweets.house.settle(owner, &order).await;
    let hsn = owner.get(&format!("/analytics/reports/hsn?{DATES}")).await.expect(200).data();
    let rows = hsn["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[1] == "2106").unwrap().as_array().unwrap();
    assert_eq!(row[2..4], [json!("KGS"), json!(1.583)]);
    let file = owner.get(&format!("/analytics/reports/gstr1?{DATES}&format=portal")).await.expect(200).json();
    let rows = file["hsn"]["hsn_b2c"].as_array().unwrap();
    let row = rows.iter().find(|row| row["hsn_sc"] == "2106").unwrap();
    assert_eq!((&row["uqc"], &row["qty"]), (&json!("KGS"), &json!(1.58)));

    let back = json!({"items": [{"orderItemId": order["items"][1]["id"], "quantity": 1}], "reason": "stale", "restock": false});
    owner.post(&format!("{}/refunds", path(&order)), back).await.expect(201);
    let hsn = owner.get(&format!("/analytics/reports/hsn?{DATES}")).await.expect(200).data();
    let row = hsn["rows"].as_array().unwrap().iter().find(|row| row[1] == "2106").unwrap().clone();
    assert_eq!((&row[2], &row[3]), (&json!("KGS"), &json!(1.25)));
    for unit in ["KG", "G", "LB"] {
        owner.patch(&sweets.path(), json!({"weightUnit": unit})).await.expect(200);
        for report in ["top-sellers", "menu-engineering"] {
            let found = owner.get(&format!("/analytics/{report}?{DATES}")).await.expect(200).data();
            let dish =
                found["items"].as_array().unwrap().iter().find(|dish| dish["name"] == "Mithai").unwrap();
            let weight = match unit {
                "KG" => json!(1.25),
                "G" => json!(1_250),
                _ => json!(2.755778),
            };
            assert_eq!(
                (&dish["quantity"], &dish["weight"], &dish["weightUnit"]),
                (&json!(1), &weight, &json!(unit))
            );
        }
    }
    let by_combo =
        async |form: &str| owner.get(&format!("/analytics/reports/combos?{DATES}{form}")).await.expect(200);
    let report = by_combo("").await.data();
    let row = report["rows"].as_array().unwrap().iter().find(|row| row[4] == "Mithai").unwrap().clone();
    assert_eq!((&row[6], &row[12], &row[13]), (&json!(1), &json!(2.755778), &json!("LB")));
    let dal = report["rows"].as_array().unwrap().iter().find(|row| row[4] == "Dal").unwrap();
    assert_eq!((&dal[12], &dal[13], &report["totals"]["weight"]), (&Value::Null, &json!(""), &Value::Null));
    assert!(
        by_combo("&format=csv")
            .await
            .text
            .lines()
            .any(|line| line.contains("Mithai") && line.ends_with(",2.755778,LB"))
    );
    // The same of kept days.
    branch.pass(3 * 24 * 3_600_000);
    let owner = branch.sign_in(edge::access::Role::Owner);
    for _ in 0..2 {
        let found = owner.get(&format!("/analytics/top-sellers?{DATES}")).await.expect(200).data();
        let dish = |name: &str| {
            found["items"].as_array().unwrap().iter().find(|dish| dish["name"] == name).unwrap().clone()
        };
        assert_eq!((&dish("Mithai")["weight"], &dish("Dal")["weight"]), (&json!(2.755778), &Value::Null));
    }
}

#[tokio::test]
async fn a_weighed_line_goes_whole_to_another_bill_and_shares_discounts_and_tax_as_others_do() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let order = sweets.place(&[json!(1.25), json!(0.333)]).await;
    let discount = json!({"type": "PERCENT", "value": 10, "reason": "regular"});
    let before = owner.post(&format!("{}/discounts", path(&order)), discount).await.expect(201).data();
    let (sweet, rest) = (112_500, 29_970);
    assert_eq!(before["subtotalCents"], json!(sweet + rest + 18_000));
    assert_eq!(before["discountCents"], json!((sweet + rest + 18_000) / 10));
    let split = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 1}]});
    let split = owner.post(&format!("{}/split", path(&order)), split).await.expect(201).data();
    let parts = split["orders"].as_array().unwrap();
    let total: i64 = parts.iter().map(|part| part["totalAmountCents"].as_i64().unwrap()).sum();
    assert_eq!(total, before["totalAmountCents"].as_i64().unwrap());
    let other = parts.iter().find(|part| part["id"] != order["id"]).unwrap();
    let other = owner.get(&path(other)).await.expect(200).json();
    assert_eq!(
        (&other["items"][0]["weight"], &other["items"][0]["lineTotalCents"]),
        (&json!(1.25), &json!(sweet))
    );
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(3.7336));
    // Called off before anything was made, all of it is back.
    for part in parts {
        let off = json!({"status": "CANCELLED", "reason": "left"});
        owner.patch(&format!("{}/status", path(part)), off).await.expect(200);
    }
    assert_eq!(sweets.house.on_hand("Paneer").await, json!(5));
}
