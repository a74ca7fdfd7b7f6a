//! Dishes follow the stock: how many portions are left, what goes out of stock by itself on every channel, and what comes back.

use edge::access::Role;
use edge::resources::inventory::worker;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// Counts a stock item: so much is there.
async fn count(house: &House, item: &str, quantity: f64) {
    let body = json!({"inventoryItemId": house.stock(item), "countedQuantity": quantity, "reason": "count"});
    house.owner.post("/inventory/adjustments", body).await.expect(201);
}

/// A dish as the menu has it.
async fn on_menu(client: &Client, dish: &str) -> Value {
    let menu = client.get("/menu").await.expect(200).data();
    let chapters = menu["categories"].as_array().unwrap().iter();
    let mut items = chapters.flat_map(|chapter| chapter["items"].as_array().unwrap());
    items.find(|item| item["name"] == dish).cloned().unwrap()
}

/// Status and source of a dish.
async fn state(house: &House, dish: &str) -> (String, String) {
    let item = on_menu(&house.owner, dish).await;
    let text = |name: &str| item["availability"][name].as_str().unwrap().to_owned();
    assert_eq!(item["isAvailable"], text("status") != "OUT_OF_STOCK");
    (text("status"), text("source"))
}

fn is(status: &str, source: &str) -> (String, String) {
    (status.to_owned(), source.to_owned())
}

async fn portions(house: &House, dish: &str) -> Value {
    let path = format!("/inventory/portions?menuItemId={}", house.dish(dish));
    let list = house.owner.get(&path).await.expect(200).json();
    assert_eq!(list["meta"]["total"], 1);
    list["data"][0].clone()
}

#[tokio::test]
async fn portions_are_counted_by_what_runs_out_first() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let list = house.owner.get("/inventory/portions").await.expect(200).json();
    let shown: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dish| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&dish["name"]), dish["portionsLeft"].as_i64().unwrap(), text(&dish["limitingItem"]["name"]))
        })
        .collect();
    let expected = [
        ("Butter Chicken", 33, "Chicken"),
        ("Paneer Tikka", 33, "Paneer"),
        ("Bottled Water", 48, "Water"),
        ("Lemon Soda", 48, "Water"),
        ("Lassi", 80, "Milk"),
        ("Steamed Rice", 83, "Rice"),
        ("Dal", 88, "Lentils"),
        ("Kulfi", 200, "Milk"),
    ];
    assert_eq!(shown, expected.map(|(dish, left, item)| (dish.to_owned(), left, item.to_owned())));
    assert_eq!(list["meta"], json!({"limit": 20, "offset": 0, "total": 8}));
    assert_eq!(list["data"][0]["availability"]["status"], "IN_STOCK");
    let page = house.owner.get("/inventory/portions?limit=1&offset=2&q=a").await.expect(200).json();
    assert_eq!((&page["data"][0]["name"], &page["meta"]["total"]), (&json!("Lemon Soda"), &json!(6)));
    // A guest's order has its portions once staff have accepted it.
    let table = house.owner.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    let orders = format!("/orders/tables/{}/orders", table["qrToken"].as_str().unwrap());
    let order = json!({"items": [{"menuItemId": house.dish("Lemon Soda"), "quantity": 40}]});
    let order = branch.anonymous().post(&orders, order).await.expect(201).data();
    assert_eq!(order["awaitsApproval"], true);
    assert_eq!(portions(&house, "Bottled Water").await["portionsLeft"], 48);
    let accept = format!("/orders/{}/status", order["id"].as_str().unwrap());
    house.owner.patch(&accept, json!({"status": "ACCEPTED"})).await.expect(200);
    assert_eq!(portions(&house, "Bottled Water").await["portionsLeft"], 8);
    // Fewer than none are not shown.
    house.place(&house.owner, house.counter(&[("Bottled Water", 9)])).await;
    let dish = portions(&house, "Lemon Soda").await;
    assert_eq!((&dish["portionsLeft"], &dish["availability"]["status"]), (&json!(0), &json!("OUT_OF_STOCK")));
    branch.sign_in(Role::Terminal).get("/inventory/portions").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn what_cannot_be_made_is_out_on_every_channel_and_comes_back_with_its_stock() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (owner, guest) = (&house.owner, branch.anonymous());
    let table = owner.get(&format!("/tables/{}", house.table(2))).await.expect(200).data();
    let token = table["qrToken"].as_str().unwrap();
    let on_phone = async || {
        let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200).text;
        menu.contains("Lemon Soda")
    };
    count(&house, "Water", 1.0).await;
    assert_eq!(state(&house, "Lemon Soda").await, is("IN_STOCK", "AUTO_RECIPE"));
    let tag = owner.get("/menu").await.expect(200).header("etag").to_owned();
    let again = owner.clone().with_header("If-None-Match", &tag);

    let order = house.place(owner, house.counter(&[("Lemon Soda", 1)])).await;
    let shown = on_menu(&again, "Lemon Soda").await;
    assert_eq!(shown["availability"]["reason"], "Not enough Water");
    for dish in ["Lemon Soda", "Bottled Water"] {
        assert_eq!(state(&house, dish).await, is("OUT_OF_STOCK", "AUTO_RECIPE"));
    }
    assert_eq!(state(&house, "Dal").await, is("IN_STOCK", "AUTO_RECIPE"));
    assert!(!on_phone().await);
    let quote = owner.post("/orders/quote", house.counter(&[("Dal", 1), ("Lemon Soda", 1)])).await;
    let warning = &quote.expect(200).data()["warnings"][0];
    assert_eq!(warning["path"], "items[1].menuItemId", "staff are told, and sell on if they like");
    let body = json!({"items": [{"menuItemId": house.dish("Lemon Soda"), "quantity": 1}]});
    let refused = guest.post(&format!("/orders/tables/{token}/orders"), body).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[0].menuItemId"]);
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let told = "SELECT count(*) FROM notifications WHERE type = 'SOLD_OUT'";
    assert_eq!(branch.number(told).await, 2);

    // The bottle comes back.
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    owner.patch(&format!("{path}/status"), cancel).await.expect(200);
    for dish in ["Lemon Soda", "Bottled Water"] {
        assert_eq!(state(&house, dish).await, is("IN_STOCK", "AUTO_RECIPE"));
    }
    assert!(on_phone().await);
    let back = owner.get("/menu").await.expect(200).header("etag").to_owned();
    assert_ne!(back, tag, "a client that missed both sees the newest");
    house.place(owner, house.counter(&[("Lemon Soda", 1)])).await;
    assert_eq!(state(&house, "Bottled Water").await.0, "OUT_OF_STOCK");
    count(&house, "Water", 24.0).await;
    assert_eq!(state(&house, "Bottled Water").await.0, "IN_STOCK");
}

#[tokio::test]
async fn what_somebody_set_stays_until_it_is_given_back() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let kitchen = branch.sign_in(Role::Kitchen);
    let set = async |dish: &str, body: Value| {
        let path = format!("/menu/items/{}/availability", house.dish(dish));
        kitchen.put(&path, body).await.expect(200);
    };
    let give_back = async |dish: &str| {
        let id = house.dish(dish);
        kitchen.delete(&format!("/menu/items/{id}/availability")).await.expect(200).data()
    };
    set("Bottled Water", json!({"status": "IN_STOCK"})).await;
    set("Lemon Soda", json!({"status": "LIMITED", "quantityLeft": 3})).await;
    set("Dal", json!({"status": "OUT_OF_STOCK", "reason": "the cook is ill"})).await;
    count(&house, "Water", 0.0).await;
    count(&house, "Lentils", 0.0).await;
    // There are bottles nobody has entered: the kitchen sells on.
    house.place(&house.owner, house.counter(&[("Bottled Water", 2), ("Lemon Soda", 1)])).await;
    assert_eq!(state(&house, "Bottled Water").await, is("IN_STOCK", "MANUAL"));
    assert_eq!(on_menu(&house.owner, "Lemon Soda").await["availability"]["quantityLeft"], 2);
    count(&house, "Lentils", 5.0).await;
    assert_eq!(state(&house, "Dal").await, is("OUT_OF_STOCK", "MANUAL"));

    let given = give_back("Bottled Water").await;
    assert_eq!((&given["status"], &given["isAvailable"]), (&json!("OUT_OF_STOCK"), &json!(false)));
    assert_eq!(give_back("Lemon Soda").await["status"], "OUT_OF_STOCK");
    let given = give_back("Dal").await;
    assert_eq!(
        given,
        json!({"id": house.dish("Dal"), "isAvailable": true, "status": "IN_STOCK", "quantityLeft": null, "until": null,
               "reason": null, "source": "AUTO_RECIPE"})
    );
    let recorded = "SELECT count(*) FROM audit_log WHERE action = 'menu.availability'";
    assert_eq!(branch.number(recorded).await, 6, "three set, three given back");
    give_back("Dal").await;
    assert_eq!(branch.number(recorded).await, 6, "there was nothing to give back");
    count(&house, "Water", 10.0).await;
    assert_eq!(state(&house, "Lemon Soda").await, is("IN_STOCK", "AUTO_RECIPE"));
    let id = house.dish("Dal");
    let terminal = branch.sign_in(Role::Terminal);
    terminal.delete(&format!("/menu/items/{id}/availability")).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn options_follow_their_stock_too() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let option = async || {
        let dish = on_menu(&house.owner, "Paneer Tikka").await;
        dish["modifierGroups"][0]["options"][0]["availability"]["status"].clone()
    };
    // 40 g: neither a portion of 150 g nor an extra of 50 g.
    count(&house, "Paneer", 0.04).await;
    assert_eq!(
        (state(&house, "Paneer Tikka").await.0.as_str(), option().await),
        ("OUT_OF_STOCK", json!("OUT_OF_STOCK"))
    );
    count(&house, "Paneer", 0.1).await;
    assert_eq!(
        (state(&house, "Paneer Tikka").await.0.as_str(), option().await),
        ("OUT_OF_STOCK", json!("IN_STOCK"))
    );
    count(&house, "Paneer", 0.15).await;
    assert_eq!(state(&house, "Paneer Tikka").await.0, "IN_STOCK");
    let id = house.option("Extra paneer");
    let out = json!({"status": "OUT_OF_STOCK"});
    house.owner.put(&format!("/menu/modifier-options/{id}/availability"), out).await.expect(200);
    assert_eq!(option().await, "OUT_OF_STOCK");
    let given = house.owner.delete(&format!("/menu/modifier-options/{id}/availability")).await.expect(200);
    assert_eq!(given.data()["status"], "IN_STOCK");
}

#[tokio::test]
async fn a_kitchen_that_keeps_no_stock_turns_it_off() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let shown = house.owner.get(&outlet).await.expect(200).data();
    assert_eq!(shown["autoAvailability"], true);
    count(&house, "Water", 0.0).await;
    assert_eq!(state(&house, "Bottled Water").await.0, "OUT_OF_STOCK");
    house.owner.patch(&outlet, json!({"autoAvailability": false})).await.expect(200);
    assert_eq!(state(&house, "Bottled Water").await, is("IN_STOCK", "AUTO_RECIPE"));
    house.place(&house.owner, house.counter(&[("Bottled Water", 3)])).await;
    assert_eq!(state(&house, "Bottled Water").await.0, "IN_STOCK");
    let on = house.owner.patch(&outlet, json!({"autoAvailability": true})).await.expect(200).data();
    assert_eq!(on["autoAvailability"], true);
    assert_eq!(state(&house, "Bottled Water").await.0, "OUT_OF_STOCK");
}

#[tokio::test]
async fn recipes_decide_and_stock_that_was_never_entered_does_not() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let item = json!({"name": "Saffron", "category": "Kitchen", "unit": "g"});
    let saffron = owner.post("/inventory/items", item).await.expect(201).data()["id"].clone();
    let recipe = format!("/inventory/recipes/{}", house.dish("Kulfi"));
    let with = |quantity: &str| {
        let milk = json!({"inventoryItemId": house.stock("Milk"), "quantity": 100, "unit": "ml"});
        json!({"ingredients": [milk, {"inventoryItemId": saffron, "quantity": quantity.parse::<f64>().unwrap(), "unit": "g"}]})
    };
    owner.put(&recipe, with("0.1")).await.expect(200);
    // Nobody keeps the stock of saffron: it limits nothing, also when it is sold.
    house.place(owner, house.counter(&[("Kulfi", 2)])).await;
    assert_eq!(state(&house, "Kulfi").await.0, "IN_STOCK");
    assert_eq!(portions(&house, "Kulfi").await["limitingItem"]["name"], "Milk");
    // Once it is entered it does: 0.5 g, less 0.2 g that were sold before.
    let opening = json!({"inventoryItemId": saffron, "quantityDelta": 0.5, "reason": "OPENING"});
    owner.post("/inventory/adjustments", opening).await.expect(201);
    assert_eq!(portions(&house, "Kulfi").await["portionsLeft"], 3);
    owner.put(&recipe, with("0.4")).await.expect(200);
    assert_eq!(state(&house, "Kulfi").await, is("OUT_OF_STOCK", "AUTO_RECIPE"));
    owner.delete(&recipe).await.expect(200);
    assert_eq!(state(&house, "Kulfi").await.0, "IN_STOCK", "without a recipe nothing is missing");
    let gone =
        owner.get(&format!("/inventory/portions?menuItemId={}", house.dish("Kulfi"))).await.expect(200);
    assert_eq!(gone.json()["meta"]["total"], 0);
    // What a preparation takes counts for every dish it goes into.
    count(&house, "Tomatoes", 0.2).await;
    assert_eq!(
        (state(&house, "Butter Chicken").await.0, state(&house, "Dal").await.0),
        ("OUT_OF_STOCK".into(), "IN_STOCK".into())
    );
    let gravy =
        json!({"ingredients": [{"inventoryItemId": house.stock("Tomatoes"), "quantity": 0.5, "unit": "kg"}]});
    owner.patch(&format!("/inventory/preparations/{}", house.stock("Gravy")), gravy).await.expect(200);
    assert_eq!(state(&house, "Butter Chicken").await.0, "IN_STOCK");
    // Where nothing is sold that is not there, what was never entered is not there.
    owner
        .put(
            &recipe,
            json!({"ingredients": [{"inventoryItemId": house.stock("Milk"), "quantity": 1, "unit": "l"}]}),
        )
        .await
        .expect(200);
    let item = json!({"name": "Rose water", "category": "Kitchen", "unit": "ml"});
    let rose = owner.post("/inventory/items", item).await.expect(201).data()["id"].clone();
    owner
        .put(&recipe, json!({"ingredients": [{"inventoryItemId": rose, "quantity": 1, "unit": "ml"}]}))
        .await
        .expect(200);
    assert_eq!(state(&house, "Kulfi").await.0, "IN_STOCK");
    assert_eq!(portions(&house, "Kulfi").await["portionsLeft"], Value::Null);
    let outlet = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&outlet, json!({"stockPolicy": "BLOCK"})).await.expect(200);
    assert_eq!(state(&house, "Kulfi").await.0, "OUT_OF_STOCK");
}

#[tokio::test]
async fn the_clock_alone_takes_dishes_off_and_lets_settings_lapse() {
    let branch = Branch::start().await;
    let mut house = House::open(&branch).await;
    let until = json!({"status": "OUT_OF_STOCK", "until": "2026-11-22T12:00:00Z"});
    house.owner.put(&format!("/menu/items/{}/availability", house.dish("Dal")), until).await.expect(200);
    count(&house, "Lentils", 0.0).await;
    worker::look(&branch.db).await.unwrap();
    assert_eq!(state(&house, "Butter Chicken").await.0, "IN_STOCK");
    assert_eq!(state(&house, "Dal").await, is("OUT_OF_STOCK", "MANUAL"));
    // Chicken may be used on its last date; the business date ends at four in the morning in Kolkata.
    branch.at("2026-11-22T22:00:00Z");
    house.owner = branch.sign_in(Role::Owner);
    worker::look(&branch.db).await.unwrap();
    assert_eq!(state(&house, "Butter Chicken").await.0, "IN_STOCK");
    assert_eq!(state(&house, "Dal").await, is("OUT_OF_STOCK", "AUTO_RECIPE"));
    branch.at("2026-11-22T22:30:00Z");
    worker::look(&branch.db).await.unwrap();
    assert_eq!(state(&house, "Butter Chicken").await, is("OUT_OF_STOCK", "AUTO_RECIPE"));
    assert_eq!(
        portions(&house, "Paneer Tikka").await["portionsLeft"],
        20,
        "the older paneer has expired too"
    );
    let rows = "SELECT count(*) FROM sync_log";
    let before = branch.number(rows).await;
    worker::learn(&branch.db).await.unwrap();
    worker::look(&branch.db).await.unwrap();
    assert_eq!(branch.number(rows).await, before, "looking again writes nothing");
}

#[tokio::test]
async fn a_receipt_is_the_outlets_own_business() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let proposals = "SELECT count(*) FROM sync_log WHERE kind = 5";
    let before = (branch.number(proposals).await, branch.number("SELECT count(*) FROM sync_log").await);
    let more = json!({"inventoryItemId": house.stock("Rice"), "quantityDelta": 5, "unitCostCents": 7_000, "reason": "OPENING"});
    house.owner.post("/inventory/adjustments", more).await.expect(201);
    let item = house.owner.get(&format!("/inventory/items/{}", house.stock("Rice"))).await.expect(200).data();
    assert_eq!(item["lastCostCents"], 7_000);
    let after = (branch.number(proposals).await, branch.number("SELECT count(*) FROM sync_log").await);
    assert_eq!(after, (before.0, before.1 + 1), "head office has nothing to decide");
}
