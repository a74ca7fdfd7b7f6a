//! Prices by kind of order, channel, area, hour and date: on the menu, in orders, for guests, in quotes; and who is told when one begins
//! or ends.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, Events, House, Reply};

const MINUTE: i64 = 60_000;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Makes a price list.
async fn list(owner: &Client, list: Value) -> Value {
    owner.post("/menu/price-lists", list).await.expect(201).data()
}

/// The dish of that name in a menu.
fn dish_of(menu: &Value, name: &str) -> Value {
    let dishes = menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    dishes.clone().find(|dish| dish["name"] == name).unwrap_or(&Value::Null).clone()
}

/// What a dish costs on the menu of such an order.
async fn price(client: &Client, query: &str, name: &str) -> i64 {
    let menu = client.get(&format!("/menu{query}")).await.expect(200).data();
    dish_of(&menu, name)["priceCents"].as_i64().unwrap()
}

/// The menu, where it is another than that with `tag`.
async fn menu_since(client: &Client, path: &str, tag: &str) -> Reply {
    client.clone().with_header("if-none-match", tag).get(path).await
}

/// Asks for one portion of a dish at that price.
async fn ask(client: &Client, house: &House, order: Value, dish: &str, cents: i64) -> Reply {
    let mut order = order;
    order["items"] = json!([{"menuItemId": house.dish(dish), "quantity": 1, "unitPriceCents": cents}]);
    client.post("/orders", order).await
}

#[tokio::test]
async fn a_list_is_made_changed_and_archived_as_its_neighbours_are() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let happy = json!({"name": "Happy hour", "priority": 5, "orderTypes": ["DINE_IN"], "days": ["FRI", "SAT"],
        "from": "17:00", "to": "19:00", "startsOn": "2026-11-01", "endsOn": "2026-12-31",
        "entries": [{"menuItemId": house.dish("Lassi"), "priceCents": 7_000}, {"menuItemId": house.dish("Dal"), "adjustBps": -1_000}]});
    let made = list(owner, happy).await;
    assert_eq!(
        (&made["version"], &made["entriesCount"], &made["isInForce"]),
        (&json!(1), &json!(2), &json!(true))
    );
    assert_eq!(made["entries"][0], json!({"menuItemId": house.dish("Lassi"), "priceCents": 7_000}));
    let id = text(&made["id"]);
    assert_eq!(owner.get(&format!("/menu/price-lists/{id}")).await.expect(200).data(), made);
    let other = list(owner, json!({"name": "Lunch", "from": "12:00", "to": "15:00"})).await;
    let all = owner.get("/menu/price-lists").await.expect(200).json();
    assert_eq!((&all["meta"]["total"], &all["data"][1]["id"]), (&json!(2), &other["id"]));
    assert_eq!((&all["data"][0]["entriesCount"], &all["data"][0]["entries"]), (&json!(2), &Value::Null));

    // One entry in the place of all, and nothing else changes.
    let entries = json!({"entries": [{"menuItemId": house.dish("Dal"), "adjustBps": -2_000}]});
    let changed = owner.patch(&format!("/menu/price-lists/{id}"), entries.clone()).await.expect(200).data();
    assert_eq!((&changed["version"], &changed["entries"]), (&json!(2), &entries["entries"]));
    assert_eq!(
        owner.patch(&format!("/menu/price-lists/{id}"), entries).await.expect(200).data()["version"],
        2,
        "nothing has changed"
    );
    assert_eq!(changed["days"], json!(["FRI", "SAT"]));
    owner
        .clone()
        .with_header("if-match", "\"1\"")
        .patch(&format!("/menu/price-lists/{id}"), json!({"priority": 1}))
        .await
        .refused(412, "STALE_VERSION");
    let freed = owner
        .patch(&format!("/menu/price-lists/{id}"), json!({"days": null, "from": null, "to": null}))
        .await
        .expect(200)
        .data();
    assert_eq!((&freed["days"], &freed["from"]), (&Value::Null, &Value::Null));

    // Whoever may read the menu reads them; who may not write it does not.
    let waiter = branch.sign_in(Role::Waiter);
    waiter.get(&format!("/menu/price-lists/{id}")).await.expect(200);
    waiter.patch(&format!("/menu/price-lists/{id}"), json!({"priority": 9})).await.refused(403, "FORBIDDEN");
    owner.delete(&format!("/menu/price-lists/{id}")).await.expect(200);
    owner.get(&format!("/menu/price-lists/{id}")).await.refused(404, "NOT_FOUND");
    assert_eq!(price(owner, "?orderType=DINE_IN", "Dal").await, 18_000);
    let log = owner.get("/audit-log?entityType=price_list&limit=50").await.expect(200).data();
    let actions: Vec<&str> = log.as_array().unwrap().iter().map(|entry| text(&entry["action"])).collect();
    assert_eq!(actions.iter().filter(|action| **action == "menu.price-list.update").count(), 2);
    assert!(actions.contains(&"menu.price-list.archive"), "{actions:?}");
}

#[tokio::test]
async fn all_that_is_wrong_with_a_list_is_named_with_its_path() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    owner.post("/channels", json!({"name": "Swiggy", "kind": "AGGREGATOR"})).await.expect(201);
    let nobody = "01890000-0000-7000-8000-000000000000";
    let wrong = json!({"name": " ", "from": "17:00", "to": "17:00", "startsOn": "2026-12-31", "endsOn": "2026-12-01",
        "channelIds": [nobody], "entries": [
            {"menuItemId": nobody, "priceCents": 1}, {"menuItemId": house.dish("Dal")},
            {"menuItemId": house.dish("Lassi"), "categoryId": nobody, "priceCents": 1},
            {"variantId": house.dish("Dal"), "priceCents": 1, "adjustBps": 1}]});
    let mut fields =
        owner.post("/menu/price-lists", wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort_unstable();
    let expected = [
        "channelIds[0]",
        "endsOn",
        "entries[0].menuItemId",
        "entries[1]",
        "entries[2]",
        "entries[2].categoryId",
        "entries[3]",
        "entries[3].variantId",
        "entries[3].variantId",
        "name",
        "to",
    ];
    assert_eq!(fields, expected);
    let shape = json!({"name": "x", "entries": [{"menuItemId": house.dish("Dal"), "adjustBps": -10_001}]});
    let fields = owner.post("/menu/price-lists", shape).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(fields.invalid_fields(), ["entries[0].adjustBps"]);
    for number in 0..50 {
        list(owner, json!({"name": format!("List {number}")})).await;
    }
    owner.post("/menu/price-lists", json!({"name": "One more"})).await.refused(409, "CONFLICT");
    let unknown = owner.get(&format!("/menu?tableId={nobody}&channelId={nobody}")).await;
    assert_eq!(unknown.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["tableId", "channelId"]);
}

#[tokio::test]
async fn the_price_in_force_is_the_menus_and_the_orders() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let waiter = branch.sign_in(Role::Waiter);
    let terrace = json!({"number": "G1", "area": "Terrace", "seats": 4});
    let terrace = owner.post("/tables", terrace).await.expect(201).data()["id"].clone();
    let swiggy = json!({"name": "Swiggy", "kind": "AGGREGATOR"});
    let swiggy = owner.post("/channels", swiggy).await.expect(201).data()["id"].clone();
    let dal = house.dish("Dal");
    let entries = |cents: i64| json!([{"menuItemId": dal, "priceCents": cents}]);
    let away = list(
        owner,
        json!({"name": "Away", "orderTypes": ["TAKEAWAY", "DELIVERY"], "entries": entries(20_000)}),
    );
    let away = away.await;
    list(owner, json!({"name": "Terrace", "priority": 1, "areas": ["terrace"], "entries": entries(19_000)}))
        .await;
    let channel =
        json!({"name": "Swiggy", "priority": 1, "channelIds": [swiggy], "entries": entries(22_000)});
    let channel = list(owner, channel).await;

    let at_table = format!("?orderType=DINE_IN&tableId={}", text(&terrace));
    let by_channel = format!("?orderType=DELIVERY&channelId={}", text(&swiggy));
    for (query, cents) in [
        ("", 18_000),
        ("?orderType=DINE_IN", 18_000),
        ("?orderType=TAKEAWAY", 20_000),
        (at_table.as_str(), 19_000),
        (by_channel.as_str(), 22_000),
    ] {
        assert_eq!(price(&waiter, query, "Dal").await, cents, "{query}");
    }
    let shown = dish_of(&waiter.get("/menu?orderType=TAKEAWAY").await.expect(200).data(), "Dal");
    assert_eq!((&shown["priceListId"], &shown["basePriceCents"]), (&away["id"], &json!(18_000)));
    let same = waiter.get(&format!("/menu/items/{dal}")).await.expect(200).data();
    assert_eq!((&same["priceCents"], &same["priceListId"]), (&json!(18_000), &Value::Null));

    // A channel may have a list for itself, which then is for nobody else.
    let theirs = json!({"name": "Zomato", "channelIds": [], "entries": entries(23_000)});
    let theirs = list(owner, theirs).await;
    let zomato = json!({"name": "Zomato", "kind": "AGGREGATOR", "priceListId": theirs["id"]});
    let zomato = owner.post("/channels", zomato).await.expect(201).data();
    assert_eq!(zomato["priceListId"], theirs["id"]);
    let by_zomato = format!("?channelId={}", text(&zomato["id"]));
    assert_eq!((price(&waiter, &by_zomato, "Dal").await, price(&waiter, "", "Dal").await), (23_000, 18_000));
    let unknown = json!({"priceListId": swiggy});
    let unknown = owner.patch(&format!("/channels/{}", text(&zomato["id"])), unknown).await;
    assert_eq!(unknown.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["priceListId"]);

    // What the menu says is what an order is charged; anything else is refused with the right price.
    let takeaway = json!({"orderType": "TAKEAWAY"});
    let refused =
        ask(&waiter, &house, takeaway.clone(), "Dal", 18_000).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].unitPriceCents"]);
    assert!(refused.text.contains("must be 20000"), "{}", refused.text);
    let order = ask(&waiter, &house, takeaway, "Dal", 20_000).await.expect(201).json();
    assert_eq!((&order["subtotalCents"], &order["items"][0]["priceListId"]), (&json!(20_000), &away["id"]));
    let dine_in = json!({"orderType": "DINE_IN", "tableId": terrace});
    let seated = ask(&waiter, &house, dine_in, "Dal", 19_000).await.expect(201).json();
    // More lines are at the prices of the order as it is then: what it moves to changes nothing that was ordered.
    let lines = format!("/orders/{}/items", text(&seated["id"]));
    let more = |cents: i64| json!({"items": [{"menuItemId": dal, "quantity": 1, "unitPriceCents": cents}]});
    waiter.post(&lines, more(18_000)).await.refused(422, "PAYLOAD_VALIDATION");
    waiter.post(&lines, more(19_000)).await.expect(201);
    let indoors = json!({"tableId": house.table(1)});
    let moved = waiter.patch(&format!("/orders/{}", text(&seated["id"])), indoors).await.expect(200).data();
    assert_eq!(moved["subtotalCents"], 38_000);
    waiter.post(&lines, more(18_000)).await.expect(201);
    let brought = json!({"orderType": "DELIVERY", "channelId": swiggy});
    let brought = ask(&waiter, &house, brought, "Dal", 22_000).await.expect(201).json();
    assert_eq!(brought["items"][0]["priceListId"], channel["id"]);
    // None of that is an override; a manager's own price is, of what the list says.
    assert_eq!(
        branch.number("SELECT count(*) FROM audit_log WHERE action = 'order.price_override'").await,
        0
    );
    let manager = branch.sign_in(Role::Manager);
    let own = ask(&manager, &house, json!({"orderType": "TAKEAWAY"}), "Dal", 15_000).await.expect(201).json();
    assert_eq!(own["items"][0]["priceListId"], Value::Null);
    let over = owner.get("/audit-log?action=order.price_override").await.expect(200).data();
    assert_eq!(over[0]["before"]["unitPriceCents"], 20_000, "{over}");
}

#[tokio::test]
async fn the_highest_priority_wins_then_the_older_and_within_a_list_what_is_most_exact() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let sizes = json!({"variants": [{"name": "Half", "priceCents": 10_000}, {"name": "Full", "priceCents": 18_000, "isDefault": true}]});
    let dal = owner.patch(&format!("/menu/items/{}", house.dish("Dal")), sizes).await.expect(200).data();
    let half = &dal["variants"][0]["id"];
    let category = &dal["categoryId"];
    let older = json!({"name": "Older", "entries": [
        {"categoryId": category, "adjustBps": 1_000}, {"menuItemId": dal["id"], "adjustBps": -1_000}, {"variantId": half, "priceCents": 9_500}]});
    let older = list(owner, older).await;
    branch.pass(1_000);
    list(owner, json!({"name": "Younger", "entries": [{"categoryId": category, "priceCents": 1}]})).await;
    let menu = owner.get("/menu").await.expect(200).data();
    let shown = dish_of(&menu, "Dal");
    // The default size leads; the other has an entry of its own. All the rest goes by the category.
    assert_eq!((&shown["priceCents"], &shown["variants"][1]["priceCents"]), (&json!(16_200), &json!(16_200)));
    assert_eq!(
        (&shown["variants"][0]["priceCents"], &shown["variants"][0]["priceListId"]),
        (&json!(9_500), &older["id"])
    );
    assert_eq!(dish_of(&menu, "Lassi")["priceCents"], 9_900);
    // The adjustment is of the outlet's own price.
    let own = format!("/menu/items/{}/price", house.dish("Lassi"));
    owner.put(&own, json!({"priceCents": 9_005})).await.expect(200);
    assert_eq!(price(owner, "", "Lassi").await, 9_906, "9,905.5 is rounded away from zero");
    let line = json!({"menuItemId": dal["id"], "variantId": half, "quantity": 1, "unitPriceCents": 9_500});
    house.place(owner, json!({"orderType": "COUNTER", "items": [line]})).await;
    let first = json!({"name": "First", "priority": 1, "entries": [{"menuItemId": house.dish("Lassi"), "priceCents": 5_000}]});
    list(owner, first).await;
    assert_eq!(price(owner, "", "Lassi").await, 5_000);
    assert_eq!(price(owner, "", "Kulfi").await, 13_200);
}

/// The house with a happy hour that ends at 19:00, an hour after the clock's beginning.
async fn happy(branch: &Branch) -> (House, Value) {
    let house = House::open(branch).await;
    let happy = json!({"name": "Happy hour", "from": "16:00", "to": "19:00", "entries": [{"menuItemId": house.dish("Lassi"), "priceCents": 7_000}]});
    let made = list(&house.owner, happy).await;
    (house, made)
}

#[tokio::test]
async fn a_price_that_ends_between_quote_and_send_is_honoured_for_two_minutes_then_refused_with_the_right_one()
 {
    let branch = Branch::start().await;
    let (house, made) = happy(&branch).await;
    let order = json!({"orderType": "COUNTER"});
    // 18:59:30 on the outlet's clock, whatever a tablet's says.
    branch.at("2026-11-20T13:29:30Z");
    let cashier = branch.sign_in(Role::Cashier);
    let quoted = json!({"orderType": "COUNTER", "items": [{"menuItemId": house.dish("Lassi"), "quantity": 1, "unitPriceCents": 7_000}]});
    let quote = cashier.post("/orders/quote", quoted.clone()).await.expect(200).data();
    assert_eq!((&quote["subtotalCents"], &quote["items"][0]["priceListId"]), (&json!(7_000), &made["id"]));
    assert_eq!(price(&cashier, "", "Lassi").await, 7_000);
    // 19:00:30: the menu has the other price, and both are taken.
    branch.pass(MINUTE);
    assert_eq!(price(&cashier, "", "Lassi").await, 9_000);
    let late = ask(&cashier, &house, order.clone(), "Lassi", 7_000).await.expect(201).json();
    assert_eq!((&late["subtotalCents"], &late["items"][0]["priceListId"]), (&json!(7_000), &made["id"]));
    let lines = format!("/orders/{}/items", text(&late["id"]));
    cashier.post(&lines, json!({"items": quoted["items"]})).await.expect(201);
    let new = ask(&cashier, &house, order.clone(), "Lassi", 9_000).await.expect(201).json();
    assert_eq!(new["items"][0]["priceListId"], Value::Null);
    branch.at("2026-11-20T13:31:59.999Z");
    ask(&cashier, &house, order.clone(), "Lassi", 7_000).await.expect(201);
    assert_eq!(
        branch.number("SELECT count(*) FROM audit_log WHERE action = 'order.price_override'").await,
        0
    );
    branch.pass(1);
    let over = ask(&cashier, &house, order, "Lassi", 7_000).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(over.invalid_fields(), ["items[0].unitPriceCents"]);
    assert!(over.text.contains("must be 9000"), "{}", over.text);
    cashier.post("/orders/quote", quoted).await.refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn an_order_for_later_is_priced_when_it_is_ordered() {
    let branch = Branch::start().await;
    let (house, _) = happy(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    // At nine, when the happy hour is long over.
    let order = json!({"orderType": "TAKEAWAY", "scheduledFor": "2026-11-20T15:30:00Z"});
    let order = ask(&cashier, &house, order, "Lassi", 7_000).await.expect(201).json();
    assert_eq!((&order["subtotalCents"], &order["isScheduled"]), (&json!(7_000), &json!(true)));
}

#[tokio::test]
async fn guests_see_and_pay_the_prices_of_their_table() {
    let branch = Branch::start().await;
    let (house, _) = happy(&branch).await;
    let owner = &house.owner;
    let room = json!({"name": "Indoors", "areas": ["Indoor"], "orderTypes": ["DINE_IN"], "entries": [{"menuItemId": house.dish("Dal"), "adjustBps": 500}]});
    list(owner, room).await;
    let table = owner.get(&format!("/tables/{}", house.table(3))).await.expect(200).data();
    let token = text(&table["qrToken"]).to_owned();
    let guest = branch.anonymous();
    let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200);
    let (tag, menu) = (menu.header("etag").to_owned(), menu.data());
    assert_eq!(dish_of(&menu, "Dal")["priceCents"], 18_900);
    assert_eq!(dish_of(&menu, "Lassi")["priceCents"], 7_000);
    let body = |cents: Value, phone: &str| json!({"items": [{"menuItemId": house.dish("Lassi"), "quantity": 1, "unitPriceCents": cents}], "guestToken": phone});
    let quote = format!("/orders/tables/{token}/quote");
    let shown = guest.post(&quote, body(Value::Null, "phone-of-asha-0001")).await.expect(200).data();
    assert_eq!(shown["items"][0]["unitPriceCents"], 7_000);
    // A minute after its end the phone still pays what it was shown; two minutes later it is told the right price.
    branch.at("2026-11-20T13:30:30Z");
    let fresh = menu_since(&guest, &format!("/orders/tables/{token}/menu"), &tag).await.expect(200).data();
    assert_eq!(dish_of(&fresh, "Lassi")["priceCents"], 9_000);
    let orders = format!("/orders/tables/{token}/orders");
    let order = guest.post(&orders, body(json!(7_000), "phone-of-asha-0001")).await.expect(201).data();
    assert_eq!(order["items"][0]["lineTotalCents"], 7_000);
    branch.at("2026-11-20T13:32:00Z");
    let late = guest.post(&orders, body(json!(7_000), "phone-of-ravi-0002")).await;
    let late = late.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(late.invalid_fields(), ["items[0].unitPriceCents"]);
    assert!(late.text.contains("must be 9000"), "{}", late.text);
    let trusting = guest.post(&orders, body(Value::Null, "phone-of-ravi-0002")).await.expect(201).data();
    assert_eq!(trusting["items"][0]["lineTotalCents"], 9_000);
}

#[tokio::test]
async fn the_menus_tag_changes_and_tills_and_phones_are_told_when_a_price_begins_or_ends() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let soon = json!({"name": "Soon over", "to": "18:05", "entries": [{"menuItemId": house.dish("Lassi"), "priceCents": 7_000}]});
    let made = list(owner, soon).await;
    let menu = owner.get("/menu").await.expect(200);
    let tag = menu.header("etag").to_owned();
    menu_since(owner, "/menu", &tag).await.expect(304);
    let takeaway = owner.get("/menu?orderType=TAKEAWAY").await.expect(200);
    assert_eq!(takeaway.header("etag"), tag, "it shows the same");
    let away = json!({"name": "Away", "orderTypes": ["TAKEAWAY"], "entries": [{"menuItemId": house.dish("Dal"), "adjustBps": 100}]});
    list(owner, away).await;
    let tag = owner.get("/menu").await.expect(200).header("etag").to_owned();
    assert_ne!(owner.get("/menu?orderType=TAKEAWAY").await.expect(200).header("etag"), tag);
    // A party sits, and its phone follows.
    let seated = json!({"orderType": "DINE_IN", "tableId": house.table(3)});
    ask(owner, &house, seated, "Dal", 18_000).await.expect(201);
    let table = owner.get(&format!("/tables/{}", house.table(3))).await.expect(200).data();
    let path = format!("/orders/tables/{}/stream?guestToken=phone-of-asha-0001", text(&table["qrToken"]));
    let mut phone = Events::open(&branch.anonymous(), &path, None).await;
    let mut till = Events::open(owner, "/stream?topics=menu", None).await;
    assert_eq!((till.next().await.name, phone.next().await.name), ("hello".to_owned(), "hello".to_owned()));
    branch.pass(5 * MINUTE);
    let told = till.until(|event| event.name == "priceList").await;
    assert_eq!((&told.data["rowId"], &told.data["data"]["isInForce"]), (&made["id"], &json!(false)));
    phone.until(|event| event.name == "menu").await;
    menu_since(owner, "/menu", &tag).await.expect(200);
    // Somebody changes one: that, too.
    let path = format!("/menu/price-lists/{}", text(&made["id"]));
    let entries = json!({"entries": [{"menuItemId": house.dish("Kulfi"), "priceCents": 1}]});
    let changed = owner.patch(&path, entries).await.expect(200).data();
    let told = till.until(|event| event.name == "priceList").await;
    assert_eq!((&told.data["version"], &told.data["data"]["entriesCount"]), (&changed["version"], &json!(1)));
    phone.until(|event| event.name == "menu").await;
}
