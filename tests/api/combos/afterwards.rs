//! What becomes of combos that were ordered: in the kitchen, in stock, off the bill, on it, and in the reports.

use super::{Meals, TODAY, list, number, sold, text};
use serde_json::json;
use tiffin_tests::Branch;

#[tokio::test]
async fn each_component_goes_to_its_own_station_and_takes_its_own_recipe() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let on_hand = async |name: &str| meals.house.on_hand(name).await.to_string();
    let mut line = meals.line(2, "Paneer Tikka", &["Lassi"]);
    line["notes"] = json!("no onions");
    let order = meals.place(json!([line])).await;
    let tickets = owner.get("/kitchen/tickets").await.expect(200).data();
    let mut shown: Vec<_> = list(&tickets)
        .iter()
        .map(|ticket| {
            let item = &ticket["items"][0];
            assert_eq!(list(&ticket["items"]).len(), 1, "{ticket}");
            (
                text(&ticket["stationName"]),
                text(&item["name"]),
                text(&item["comboName"]),
                number(&item["quantity"]),
                text(&item["notes"]),
            )
        })
        .collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            ("Bar", "Lassi", "MEAL", 2, "no onions"),
            ("Hot", "Steamed Rice", "MEAL", 2, "no onions"),
            ("Tandoor", "Paneer Tikka", "MEAL", 2, "no onions"),
        ]
    );
    let used = (on_hand("Paneer").await, on_hand("Rice").await, on_hand("Milk").await);
    assert_eq!(used, ("4.7".into(), "9.76".into(), "19.5".into()));

    // The combo is as far as what is least far of it.
    let kitchen = async || meals.get(&order).await["items"][0]["kitchen"]["status"].clone();
    assert_eq!(kitchen().await, "QUEUED");
    for ticket in list(&tickets) {
        owner.post(&format!("/kitchen/tickets/{}/ready", text(&ticket["id"])), json!({})).await.expect(200);
    }
    assert_eq!(kitchen().await, "READY");
    let id = text(&order["id"]);
    let trace = owner.get(&format!("/orders/{id}/trace")).await.expect(200).data();
    let traced: Vec<_> = list(&trace["items"])
        .iter()
        .map(|item| (text(&item["name"]), list(&item["ingredients"]).len()))
        .collect();
    assert_eq!(traced, [("Paneer Tikka", 2), ("Steamed Rice", 1), ("Lassi", 1)]);
    // Whoever ate of a batch is found.
    let batches = format!("/inventory/items/{}/batches", meals.house.stock("Rice"));
    let batches = owner.get(&batches).await.expect(200).data();
    let batch = text(&batches[0]["id"]);
    let recall = owner.get(&format!("/inventory/batches/{batch}/trace")).await.expect(200).text;
    assert!(recall.contains(text(&order["orderNumber"])), "{recall}");
}

#[tokio::test]
async fn portions_come_off_with_all_their_components() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let order =
        meals.place(json!([meals.line(3, "Paneer Tikka", &["Lassi"]), meals.house.line("Kulfi", 1)])).await;
    let id = text(&order["id"]);
    let (item, part) = (text(&order["items"][0]["id"]), text(&order["items"][0]["components"][0]["id"]));
    let path = |line: &str| format!("/orders/{id}/items/{line}");
    let void = json!({"quantity": 1, "reason": "x", "wasMade": false});
    owner.post(&format!("{}/void", path(part)), void.clone()).await.refused(409, "INVALID_TRANSITION");
    owner.patch(&path(part), json!({"quantity": 1})).await.refused(409, "INVALID_TRANSITION");
    owner.post(&format!("{}/void", path(item)), void).await.expect(200);
    let left = meals.get(&order).await;
    assert_eq!((&left["items"][0]["quantity"], &left["items"][0]["voidedQuantity"]), (&json!(2), &json!(1)));
    assert_eq!(
        (&left["items"][0]["lineTotalCents"], &left["subtotalCents"]),
        (&json!(80_000), &json!(92_000))
    );
    assert_eq!(meals.house.on_hand("Rice").await.to_string(), "9.76");
    owner.patch(&path(item), json!({"quantity": 4})).await.expect(200);
    assert_eq!(meals.house.on_hand("Rice").await.to_string(), "9.52");
    owner.patch(&path(item), json!({"quantity": 2, "reason": "two left", "wasMade": true})).await.expect(200);
    assert_eq!(meals.house.on_hand("Rice").await.to_string(), "9.52", "it was made");
    let voids = owner.get(&format!("/analytics/reports/voids?{TODAY}")).await.expect(200).data();
    assert_eq!(
        (&voids["totals"]["amountCents"], &voids["totals"]["quantity"]),
        (&json!(40_000 + 80_000), &json!(3 + 6)),
        "{voids}"
    );
    let all_day = owner.get("/kitchen/all-day").await.expect(200).data();
    let open: Vec<_> = list(&all_day["dishes"])
        .iter()
        .map(|dish| (text(&dish["name"]), number(&dish["quantity"])))
        .collect();
    assert!(open.contains(&("Steamed Rice", 2)) && open.contains(&("Lassi", 2)), "{open:?}");

    // A discount on the combo is one on all of it.
    let ten = json!({"type": "PERCENT", "value": 10, "reason": "regular", "itemId": item});
    owner.post(&format!("/orders/{id}/discounts"), ten).await.expect(201);
    let off = meals.get(&order).await;
    assert_eq!((&off["discountCents"], &off["items"][0]["discountCents"]), (&json!(8_000), &json!(8_000)));
    let on_part = json!({"type": "PERCENT", "value": 10, "reason": "regular", "itemId": part});
    owner.post(&format!("/orders/{id}/discounts"), on_part).await.refused(422, "PAYLOAD_VALIDATION");

    // One of the two to another bill, with its components and its part of the discount.
    let split = json!({"items": [{"orderItemId": item, "quantity": 1}]});
    let split = owner.post(&format!("/orders/{id}/split"), split).await.expect(201).data();
    let bills = list(&split["orders"]);
    let totals: i64 = bills.iter().map(|bill| number(&bill["totalAmountCents"])).sum();
    assert_eq!(totals, number(&off["totalAmountCents"]));
    let other = meals.get(&bills[1]).await;
    assert_eq!(list(&other["items"]).len(), 1);
    assert_eq!(
        (&other["items"][0]["quantity"], list(&other["items"][0]["components"]).len()),
        (&json!(1), 3)
    );
    assert_eq!(
        (&other["discountCents"], &other["items"][0]["lineTotalCents"]),
        (&json!(4_000), &json!(40_000))
    );
    let merge = json!({"orderIds": [other["id"]]});
    let merged = owner.post(&format!("/orders/{id}/merge"), merge).await.expect(200).data();
    assert_eq!((list(&merged["items"]).len(), &merged["discountCents"]), (3, &json!(8_000)), "{merged}");
    assert_eq!(merged["totalAmountCents"], off["totalAmountCents"]);
}

#[tokio::test]
async fn a_bill_shows_the_combo_with_its_components_and_takes_it_back_whole() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let order = meals
        .place(json!([
            meals.line(3, "Butter Chicken", &["Bottled Water", "Lassi"]),
            meals.house.line("Lassi", 1)
        ]))
        .await;
    let id = text(&order["id"]);
    meals.house.settle(owner, &order).await;
    let receipt = owner.get(&format!("/orders/{id}/receipt?format=text")).await.expect(200).text;
    let rows: Vec<_> =
        receipt.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let at = rows.iter().position(|row| row == "Meal").unwrap_or_else(|| panic!("{receipt}"));
    assert_eq!(rows[at + 1], "3 x 400.00 1200.00", "{receipt}");
    assert_eq!(rows[at + 2], "- Butter Chicken 150.00", "{receipt}");
    assert_eq!(rows[at + 3..at + 6], ["- Steamed Rice", "- Bottled Water", "- Lassi"], "{receipt}");
    let before = sold(owner).await;
    let invoices = owner.get("/orders/invoices?kind=INVOICE").await.expect(200).data();
    let invoice = text(&invoices[0]["id"]).to_owned();
    let bill = owner.get(&format!("/orders/invoices/{invoice}")).await.expect(200).data();
    let lines = list(&bill["lines"]);
    let sum: i64 = lines.iter().map(|line| number(&line["amountCents"])).sum();
    assert_eq!((lines.len(), sum), (5, number(&bill["totalCents"])), "{bill}");

    let (item, part) = (&order["items"][0]["id"], &order["items"][0]["components"][1]["id"]);
    let refunds = format!("/orders/{id}/refunds");
    let alone = json!({"items": [{"orderItemId": part, "quantity": 1}], "reason": "cold", "restock": false});
    assert_eq!(
        owner.post(&refunds, alone).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["items[0].orderItemId"]
    );
    let one = |quantity: i64| json!({"items": [{"orderItemId": item, "quantity": quantity}], "reason": "cold", "restock": false});
    owner.post(&refunds, one(1)).await.expect(201);
    let some = sold(owner).await;
    assert_eq!((before.0 - some.0, before.1 - some.1), (4, 45_000));
    assert_eq!(
        owner.post(&refunds, one(3)).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["items[0].quantity"]
    );
    owner.post(&refunds, one(2)).await.expect(201);
    assert_eq!(sold(owner).await.1, 9_000);
    let rest = json!({"items": [{"orderItemId": order["items"][1]["id"], "quantity": 1}], "reason": "cold", "restock": false});
    owner.post(&refunds, rest).await.expect(201);
    assert_eq!(sold(owner).await, (0, 0, 0));
    let detail = meals.get(&order).await;
    assert_eq!((&detail["refundedCents"], &detail["dueCents"]), (&detail["totalAmountCents"], &json!(0)));
    let report = meals.report().await;
    for figure in ["combosCount", "quantity", "revenueCents", "cogsCents"] {
        assert_eq!(report["totals"][figure], 0, "{figure} {report}");
    }
    let verified = owner.get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(verified["valid"], true, "{verified}");
}

#[tokio::test]
async fn sales_by_dish_by_size_by_combo_and_by_component_are_the_same_sums() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let mut dal = meals.line(2, "Dal", &["Lassi"]);
    dal["components"][0]["variantId"] = json!(meals.half);
    let order = meals
        .place(json!([
            dal,
            meals.line(1, "Butter Chicken", &["Lassi", "Lemon Soda"]),
            meals.house.line("Lassi", 2)
        ]))
        .await;
    let ten = json!({"type": "PERCENT", "value": 10, "reason": "regular"});
    owner.post(&format!("/orders/{}/discounts", text(&order["id"])), ten).await.expect(201);
    meals.house.settle(owner, &order).await;
    let summary = owner.get(&format!("/analytics/summary?{TODAY}")).await.expect(200).json();
    let (quantity, revenue, cost) = sold(owner).await;
    // Two meals of three dishes, one of four, and two lassis.
    assert_eq!(quantity, 6 + 4 + 2);
    assert_eq!(revenue, number(&summary["netRevenueCents"]), "{summary}");
    let report = meals.report().await;
    let totals = &report["totals"];
    assert_eq!(
        (number(&totals["quantity"]), number(&totals["revenueCents"]), number(&totals["cogsCents"])),
        (quantity, revenue, cost)
    );
    assert_eq!(totals["combosCount"], 3);
    let keys: Vec<_> = list(&report["columns"]).iter().map(|column| text(&column["key"])).collect();
    let at = |key: &str| keys.iter().position(|known| *known == key).unwrap();
    let rows: Vec<_> = list(&report["rows"])
        .iter()
        .map(|row| {
            (
                text(&row[at("combo")]),
                text(&row[at("item")]),
                number(&row[at("combosCount")]),
                number(&row[at("quantity")]),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("Meal", "Meal", 3, 0),
            ("Meal", "Butter Chicken", 0, 1),
            ("Meal", "Dal (Half)", 0, 2),
            ("Meal", "Lassi", 0, 3),
            ("Meal", "Lemon Soda", 0, 1),
            ("Meal", "Steamed Rice", 0, 3),
            ("", "Lassi", 0, 2),
        ]
    );
    let csv = owner.get(&format!("/analytics/reports/combos?{TODAY}&format=csv")).await.expect(200).text;
    assert!(csv.starts_with("Combo id,Combo,"), "{csv}");
    let analysis = owner.get(&format!("/analytics/menu-engineering?{TODAY}")).await.expect(200).data();
    assert!(!list(&analysis["items"]).iter().any(|dish| dish["name"] == "Meal"), "{analysis}");
    let asked = json!({"question": "What are our best sellers today?"});
    let answer = owner.post("/ai/ask", asked).await.expect(200).text;
    assert!(answer.contains("Lassi") && !answer.contains("Meal"), "{answer}");
    let answer =
        owner.post("/ai/ask", json!({"question": "How many meal were sold today?"})).await.expect(200).text;
    assert!(answer.contains("Meal: 3 combos sold"), "{answer}");
}

#[tokio::test]
async fn combos_go_out_and_come_in_with_the_menus_file() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let file = owner.get("/menu/export").await.expect(200).data();
    let counts = owner.post("/menu/import", file).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(0), &json!(0)), "{counts}");
    let sheet = owner.get("/menu/export?format=csv").await.expect(200).text;
    let counts = owner.post_raw("/menu/import", "text/csv", sheet).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(0), &json!(0)), "{counts}");
    // The combo stands before the dish that is new with it.
    let rows = json!({"items": [
        {"category": "Everything", "name": "Snack", "priceCents": 15_000, "kind": "COMBO", "components": [
            {"name": "Bite", "minSelections": 1, "maxSelections": 1, "options": [{"item": "Samosa"}, {"item": "Dal", "variant": "Half", "extraCents": 500}]}]},
        {"category": "Everything", "name": "Samosa", "priceCents": 6_000},
    ]});
    let counts = owner.post("/menu/import", rows).await.expect(200).data();
    assert_eq!(counts["created"], 2, "{counts}");
    let wrong = json!({"items": [{"category": "Everything", "name": "Feast", "priceCents": 1, "kind": "COMBO", "components": [
        {"name": "Bite", "minSelections": 1, "maxSelections": 1, "options": [{"item": "Unknown"}, {"item": "Meal"}, {"item": "Dal", "variant": "Huge"}]}]}]});
    let mut fields =
        owner.post("/menu/import", wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort_unstable();
    let expected = ["item", "item", "variant"].into_iter().enumerate();
    let expected: Vec<_> =
        expected.map(|(i, field)| format!("items[0].components[0].options[{i}].{field}")).collect();
    assert_eq!(fields, expected);
}

#[tokio::test]
async fn a_dish_keeps_the_size_that_a_combo_offers() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let path = |dish: &str| format!("/menu/items/{}", meals.house.dish(dish));
    let full = owner.get(&path("Dal")).await.expect(200).data()["variants"][1].clone();
    let only =
        json!({"variants": [{"id": full["id"], "name": "Full", "priceCents": 18_000, "isDefault": true}]});
    let sized =
        json!({"variants": [{"name": "Small", "priceCents": 5_000}, {"name": "Large", "priceCents": 9_000}]});
    for (dish, change) in [("Dal", &only), ("Dal", &json!({"variants": null})), ("Lassi", &sized)] {
        let refused = owner.patch(&path(dish), change.clone()).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["variants"], "{dish}");
        assert!(refused.text.contains("must keep the size that is chosen for Meal"), "{}", refused.text);
    }
    // A file says it too, unless another of its rows changes what is offered.
    let found = owner.get("/menu/export").await.expect(200).data();
    let rows = found["items"].as_array().unwrap();
    let category = &rows.iter().find(|row| row["name"] == "Dal").unwrap()["category"];
    let mut file = json!({"items": [{"category": category, "name": "Dal", "variants": [
        {"name": "Full", "priceCents": 18_000, "isDefault": true}]}]});
    let refused = owner.post("/menu/import", file.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].variants"]);
    let mut meal = rows.iter().find(|row| row["name"] == "Meal").unwrap().clone();
    meal["components"][0]["options"].as_array_mut().unwrap().retain(|option| option["variant"].is_null());
    file["items"].as_array_mut().unwrap().push(meal);
    owner.post("/menu/import", file).await.expect(200);
    // One of the sizes is the default one, which is meant where a combo names none.
    let sized = json!({"variants": [{"name": "Small", "priceCents": 5_000}, {"name": "Large", "priceCents": 9_000, "isDefault": true}]});
    owner.patch(&path("Lassi"), sized).await.expect(200);
    assert_eq!(owner.get(&meals.path()).await.expect(200).data()["isAvailable"], true);
    let file = owner.get("/menu/export").await.expect(200).data();
    let counts = owner.post("/menu/import", file).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(0), &json!(0)), "{counts}");
}
