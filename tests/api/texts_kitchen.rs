//! What cooks read in their language: tickets on displays and as they change, the pass, stations and tables; and combos in it, from the
//! menu to the bill.

use crate::texts::{asking, dish, id, in_hindi, papers};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::paired::paired_at;
use tiffin_tests::{Branch, Client, Events, House};

/// The house in Hindi, whose tandoor reads it, and with it its first table.
async fn kitchen_in_hindi(branch: &Branch) -> House {
    let house = in_hindi(branch).await;
    let station = json!({"language": "hi", "texts": {"hi": {"name": "तंदूर"}}});
    let path = format!("/kitchen/stations/{}", house.station("Tandoor"));
    let station = house.owner.patch(&path, station).await.expect(200).data();
    assert_eq!(station["texts"], json!({"hi": {"name": "तंदूर"}}));
    let table = json!({"texts": {"hi": {"name": "मेज़ १"}}});
    house.owner.patch(&format!("/tables/{}", house.table(1)), table).await.expect(200);
    house
}

/// A tikka with more paneer and a rice at the first table.
async fn order(house: &House) -> Value {
    let mut order = house.at_table(1, &[("Paneer Tikka", 1), ("Steamed Rice", 1)]);
    order["items"][0]["modifiers"] = json!([{"optionId": house.option("Extra paneer"), "priceCents": 6_000}]);
    house.place(&house.owner, order).await
}

async fn ticket_of(client: &Client, query: &str) -> Value {
    let tickets = client.get(&format!("/kitchen/tickets{query}")).await.expect(200).data();
    let tickets = tickets.as_array().unwrap();
    tickets.iter().find(|ticket| ticket["items"][0]["modifiers"] != json!([])).unwrap().clone()
}

fn in_words(ticket: &Value) -> [&str; 4] {
    let item = &ticket["items"][0];
    [&item["name"], &item["modifiers"][0], &ticket["stationName"], &ticket["tableNumber"]]
        .map(|value| value.as_str().unwrap())
}

const HINDI: [&str; 4] = ["पनीर टिक्का", "और पनीर", "तंदूर", "मेज़ १"];
const AS_CALLED: [&str; 4] = ["Paneer Tikka", "Extra paneer", "Tandoor", "T1"];

#[tokio::test]
async fn a_display_reads_everything_in_its_stations_language() {
    let branch = Branch::start().await;
    let house = kitchen_in_hindi(&branch).await;
    let owner = &house.owner;
    let tandoor = house.station("Tandoor");
    let (display, _) = paired_at(&branch, owner, "KITCHEN", tandoor).await;
    order(&house).await;
    let ticket = ticket_of(&display, "").await;
    assert_eq!(in_words(&ticket), HINDI);
    assert_eq!(in_words(&ticket_of(&display, "?lang=en").await), AS_CALLED, "what is asked for is told");
    assert_eq!(in_words(&ticket_of(owner, "").await), AS_CALLED, "a till is at no station");
    for query in [format!("?stationId={tandoor}"), "?lang=hi".to_owned()] {
        assert_eq!(in_words(&ticket_of(owner, &query).await), HINDI, "{query}");
    }
    let tamil = ticket_of(owner, "?lang=ta").await;
    assert_eq!(in_words(&tamil), ["பன்னீர்", "Extra paneer", "Tandoor", "T1"], "what is not said is as it is");
    let path = format!("/kitchen/tickets/{}", id(&ticket));
    assert_eq!(in_words(&display.get(&path).await.expect(200).data()), HINDI);
    assert_eq!(in_words(&owner.get(&format!("{path}?lang=hi")).await.expect(200).data()), HINDI);
    for verb in ["ack", "start"] {
        let done = display.post(&format!("{path}/{verb}"), json!({})).await.expect(200).data();
        assert_eq!(in_words(&done), HINDI, "{verb}");
    }
    let item = id(&ticket["items"][0]);
    let done = owner.post(&format!("{path}/items/{item}/ready?lang=hi"), json!({})).await.expect(200).data();
    assert_eq!(in_words(&done), HINDI);
    let first = owner.patch(&format!("{path}?lang=hi"), json!({"priority": 1})).await.expect(200).data();
    assert_eq!(in_words(&first), HINDI);
    let copy = display.post(&format!("{path}/reprint"), json!({})).await.expect(201).data();
    assert_eq!(in_words(&copy), HINDI);
    // The whole kitchen.
    let other = order(&house).await;
    let all_day = display.get("/kitchen/all-day").await.expect(200).data();
    assert_eq!(
        (&all_day["dishes"][0]["name"], &all_day["dishes"][0]["modifiers"][0]),
        (&json!(HINDI[0]), &json!(HINDI[1]))
    );
    let pass = owner.get("/kitchen/orders?lang=hi").await.expect(200).data();
    let at_pass = pass.as_array().unwrap().iter().find(|one| one["orderId"] == other["id"]).unwrap();
    let lamps = at_pass["stations"].as_array().unwrap();
    assert!(lamps.iter().any(|lamp| lamp["stationName"] == HINDI[2]), "{at_pass}");
    assert_eq!(at_pass["tableNumber"], HINDI[3]);
    let named = async |client: &Client, query: &str| -> Vec<Value> {
        let stations = client.get(&format!("/kitchen/stations{query}")).await.expect(200).data();
        stations.as_array().unwrap().iter().map(|station| station["name"].clone()).collect()
    };
    assert!(named(&display, "").await.contains(&json!(HINDI[2])));
    assert!(named(owner, "?lang=hi").await.contains(&json!(HINDI[2])));
    assert!(
        named(owner, "").await.contains(&json!("Tandoor")),
        "whoever edits them reads what they are called"
    );
}

#[tokio::test]
async fn who_follows_reads_each_row_in_their_language() {
    let branch = Branch::start().await;
    let house = kitchen_in_hindi(&branch).await;
    let owner = &house.owner;
    let tandoor = house.station("Tandoor");
    let (display, _) = paired_at(&branch, owner, "KITCHEN", tandoor).await;
    let topics = "/stream?topics=tickets,menu";
    let mut at_tandoor = Events::open(&display, topics, None).await;
    let mut plain = Events::open(owner, topics, None).await;
    let mut tamil = Events::open(owner, &format!("{topics}&lang=ta"), None).await;
    let mut browser = Events::open(&asking(owner, "hi-IN"), topics, None).await;
    let mut before = Events::open(owner, &format!("/kitchen/stream?stationId={tandoor}"), None).await;
    order(&house).await;
    let is_ours = |ticket: &Value| ticket["stationId"] == tandoor;
    for (stream, words) in [(&mut at_tandoor, HINDI), (&mut plain, AS_CALLED), (&mut browser, AS_CALLED)] {
        let event = stream.until(|event| event.name == "ticket" && is_ours(&event.data["data"])).await;
        assert_eq!(in_words(&event.data["data"]), words);
    }
    let event = tamil.until(|event| event.name == "ticket" && is_ours(&event.data["data"])).await;
    assert_eq!(in_words(&event.data["data"])[0], "பன்னீர்");
    let event = before.until(|event| event.name == "ticket.created").await;
    assert_eq!(in_words(&event.data), HINDI);
    // The menu: a dish runs out, a category and a group of choices get another place and another limit.
    let tikka = house.dish("Paneer Tikka");
    let out = json!({"status": "OUT_OF_STOCK"});
    owner.put(&format!("/menu/items/{tikka}/availability"), out).await.expect(200);
    for (stream, name) in [
        (&mut at_tandoor, HINDI[0]),
        (&mut plain, AS_CALLED[0]),
        (&mut tamil, "பன்னீர்"),
        (&mut browser, HINDI[0]),
    ] {
        let event = stream.until(|event| event.data["rowId"] == tikka).await;
        assert_eq!(event.data["data"]["name"], name);
    }
    let menu = owner.get("/menu").await.expect(200).data();
    let category = id(&menu["categories"][0]);
    let group = id(&dish(&menu, tikka)["modifierGroups"][0]);
    owner.patch(&format!("/menu/categories/{category}"), json!({"sortOrder": 9})).await.expect(200);
    owner.patch(&format!("/menu/modifier-groups/{group}"), json!({"maxSelections": 1})).await.expect(200);
    for (row, said, called) in [(&category, "सब कुछ", "Everything"), (&group, "ऊपर से", "Extras")]
    {
        for (stream, name) in [(&mut at_tandoor, said), (&mut plain, called)] {
            let event = stream.until(|event| event.data["rowId"] == *row).await;
            assert_eq!(event.data["data"]["name"], name);
        }
    }
    // The cooks read another language now: their display begins anew, and nobody else's.
    let english = json!({"language": "en"});
    owner.patch(&format!("/kitchen/stations/{tandoor}"), english).await.expect(200);
    at_tandoor.until(|event| event.name == "reset").await;
    assert_eq!(in_words(&ticket_of(&display, "").await), AS_CALLED);
}

#[tokio::test]
async fn a_combo_reads_in_every_language_and_is_ordered_in_any() {
    let branch = Branch::start().await;
    let house = kitchen_in_hindi(&branch).await;
    let owner = &house.owner;
    let menu = owner.get("/menu").await.expect(200).data();
    let half = id(&dish(&menu, house.dish("Dal"))["variants"][0]);
    let components = json!([
        {"name": "Main", "minSelections": 1, "maxSelections": 1, "texts": {"hi": {"name": "मुख्य"}}, "options": [
            {"menuItemId": house.dish("Paneer Tikka")}, {"menuItemId": house.dish("Dal"), "variantId": half}]},
        {"name": "Drink", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": house.dish("Lassi")}]}]);
    let meal = json!({"categoryId": menu["categories"][0]["id"], "name": "Meal", "priceCents": 40_000, "kind": "COMBO",
        "texts": {"hi": {"name": "थाली"}}, "components": components});
    let meal = owner.post("/menu/items", meal).await.expect(201).data();
    assert_eq!(meal["warnings"], json!([]), "a combo is taxed as its components are");
    let path = format!("/menu/items/{}", id(&meal));
    let names = |combo: &Value| -> Vec<String> {
        let of = |component: &Value| -> Vec<String> {
            let options = component["options"].as_array().unwrap().iter();
            [component]
                .into_iter()
                .chain(options)
                .map(|one| one["name"].as_str().unwrap().to_owned())
                .collect()
        };
        combo["components"].as_array().unwrap().iter().flat_map(of).collect()
    };
    let in_hindi = ["मुख्य", "पनीर टिक्का", "दाल (आधा)", "Drink", "Lassi"];
    let hindi = owner.get("/menu?lang=hi").await.expect(200).data();
    assert_eq!(names(dish(&hindi, &id(&meal))), in_hindi);
    let tables = owner.get("/tables").await.expect(200).data();
    let guests = format!("/orders/tables/{}/menu?lang=hi", tables[0]["qrToken"].as_str().unwrap());
    let guests = branch.anonymous().get(&guests).await.expect(200).data();
    assert_eq!(names(dish(&guests, &id(&meal))), in_hindi);
    assert_eq!(dish(&guests, &id(&meal))["components"][0]["texts"], Value::Null);
    assert_eq!(guests["table"]["number"], "मेज़ १");
    // What is absent stays, and two components are never called the same.
    let mut again = components.clone();
    again[0].as_object_mut().unwrap().remove("texts");
    let kept = owner.patch(&path, json!({"components": again})).await.expect(200).data();
    assert_eq!(kept["components"][0]["texts"], json!({"hi": {"name": "मुख्य"}}));
    again[1]["texts"] = json!({"ta": {"name": "main"}});
    let refused = owner.patch(&path, json!({"components": again})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["components[1].texts"]);
    let file = owner.get("/menu/export").await.expect(200).data();
    let same = owner.post("/menu/import", file).await.expect(200).data();
    assert_eq!(same["unchanged"], same["rows"], "{same}");

    let chosen = json!([{"name": "मुख्य", "menuItemId": house.dish("Paneer Tikka")},
        {"name": "Drink", "menuItemId": house.dish("Lassi")}]);
    let mut order = house.at_table(1, &[]);
    order["items"] =
        json!([{"menuItemId": id(&meal), "quantity": 1, "unitPriceCents": 40_000, "components": chosen}]);
    let order = house.place(owner, order).await;
    assert_eq!(order["items"][0]["components"][0]["name"], "Main", "an order keeps what it is called");
    let tickets = owner.get(&format!("/kitchen/tickets?stationId={}", house.station("Tandoor"))).await;
    let item = tickets.expect(200).data()[0]["items"][0].clone();
    assert_eq!((&item["name"], &item["comboName"]), (&json!("पनीर टिक्का"), &json!("थाली")));
    let bill =
        owner.get(&format!("/orders/{}/receipt?format=text&lang=hi", id(&order))).await.expect(200).text;
    for said in ["थाली", "पनीर टिक्का", "मेज़ १"] {
        assert!(bill.contains(said), "{said}: {bill}");
    }
}

#[tokio::test]
async fn paper_calls_stations_tables_and_combos_as_its_cooks_do() {
    let branch = Branch::start().await;
    let house = kitchen_in_hindi(&branch).await;
    let station = json!({"printerAddress": "192.168.1.50:9100", "printTickets": true});
    let path = format!("/kitchen/stations/{}", house.station("Tandoor"));
    house.owner.patch(&path, station).await.expect(200);
    order(&house).await;
    let tickets = papers(&branch, "KITCHEN").await;
    assert!(tickets.contains("#1 तंदूर") && tickets.contains("Table मेज़ १"), "{tickets}");
}

#[tokio::test]
async fn an_area_is_called_the_same_at_all_its_tables() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"languages": ["en", "hi"]}))
        .await
        .expect(200);
    let area = json!({"areaTexts": {"hi": {"name": "अंदर"}}});
    let first = owner.patch(&format!("/tables/{}", house.table(1)), area.clone()).await.expect(200).data();
    assert_eq!(first["areaTexts"], area["areaTexts"]);
    let new = json!({"number": "N1", "seats": 2, "area": "Indoor", "texts": {"hi": {"name": "न १"}}});
    let new = owner.post("/tables", new).await.expect(201).data();
    let everywhere = async |wanted: &Value| {
        let tables = owner.get("/tables?area=Indoor&limit=100").await.expect(200).data();
        let tables = tables.as_array().unwrap();
        assert!(tables.len() == 13 && tables.iter().all(|table| table["areaTexts"] == *wanted), "{tables:?}");
    };
    everywhere(&area["areaTexts"]).await;
    let floor = owner.get("/floor").await.expect(200).data();
    let on_floor = floor["tables"].as_array().unwrap().iter().find(|table| table["id"] == new["id"]).unwrap();
    assert_eq!(
        (&on_floor["texts"], &on_floor["areaTexts"]),
        (&json!({"hi": {"name": "न १"}}), &area["areaTexts"])
    );
    // By a file, which gives out what it takes in.
    let file = owner.get("/tables/export?format=csv").await.expect(200).text;
    assert!(file.lines().next().unwrap().ends_with("rotation,texts.hi.name,areaTexts.hi.name"), "{file}");
    let same = owner.post_raw("/tables/import", "text/csv", file).await.expect(200).data();
    assert_eq!(same["unchanged"], same["rows"], "{same}");
    let file = "number,areaTexts.hi.name\nN1,भीतर\n";
    owner.post_raw("/tables/import", "text/csv", file).await.expect(200);
    everywhere(&json!({"hi": {"name": "भीतर"}})).await;
    let drawn = json!({"tables": [{"id": new["id"], "areaTexts": {"hi": null}}]});
    owner.patch("/tables/plan", drawn).await.expect(200);
    everywhere(&Value::Null).await;
    // A table that is put elsewhere is called as its new neighbours are; what nobody says stays.
    let terrace = json!({"number": "O1", "seats": 2, "area": "Terrace", "areaTexts": {"hi": {"name": "छत"}}});
    owner.post("/tables", terrace).await.expect(201);
    let path = format!("/tables/{}", id(&new));
    let moved = owner.patch(&path, json!({"area": "Terrace"})).await.expect(200).data();
    assert_eq!(
        (&moved["areaTexts"]["hi"]["name"], &moved["texts"]["hi"]["name"]),
        (&json!("छत"), &json!("न १"))
    );
    let garden = owner.patch(&path, json!({"area": "Garden"})).await.expect(200).data();
    assert_eq!(garden["areaTexts"], Value::Null);
    let rows = json!({"items": [{"number": "N1", "areaTexts": {"hi": {"name": "बाग़"}}}, {"number": "N2", "seats": 2, "area": "Garden"},
        {"number": "O1", "seats": 3}]});
    owner.post("/tables/import", rows).await.expect(200);
    let tables = owner.get("/tables?limit=100").await.expect(200).data();
    let area_of = |number: &str| {
        let mut tables = tables.as_array().unwrap().iter();
        tables.find(|table| table["number"] == number).unwrap()["areaTexts"]["hi"]["name"].clone()
    };
    assert_eq!(["N1", "N2", "O1"].map(area_of), [json!("बाग़"), json!("बाग़"), json!("छत")]);
    let nowhere = owner.patch(&path, json!({"area": null})).await.expect(200).data();
    assert_eq!((&nowhere["areaTexts"], &nowhere["texts"]["hi"]["name"]), (&Value::Null, &json!("न १")));
    let long = json!({"texts": {"hi": {"name": "x".repeat(21)}}, "areaTexts": {"xx": {"name": "a"}}});
    let refused = owner.patch(&format!("/tables/{}", house.table(1)), long).await;
    let mut fields = refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort_unstable();
    assert_eq!(fields, ["areaTexts.xx", "texts.hi.name"]);
    let station = json!({"texts": {"xx": {"name": "a"}}});
    let path = format!("/kitchen/stations/{}", house.station("Bar"));
    let refused = owner.patch(&path, station).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["texts.xx"]);
    let waiter = branch.sign_in(Role::Waiter).get("/tables?limit=1").await.expect(200).data();
    assert!(waiter[0]["qrToken"].is_null());
}
