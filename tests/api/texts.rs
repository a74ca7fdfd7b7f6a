//! What guests and cooks read in other languages: the menu, the guests' menu and page, kitchen tickets and receipts; what a serving has.

use edge::db::list;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// The id of what was answered.
pub fn id(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

/// The house with its tikka, its choices and its category in Hindi, and its dal in two sizes of which one is said.
pub async fn in_hindi(branch: &Branch) -> House {
    let house = House::open(branch).await;
    let owner = &house.owner;
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"languages": ["en", "hi", "ta"]}))
        .await
        .expect(200);
    let menu = owner.get("/menu").await.expect(200).data();
    let category = id(&menu["categories"][0]);
    let said = json!({"texts": {"hi": {"name": "सब कुछ"}}});
    owner.patch(&format!("/menu/categories/{category}"), said).await.expect(200);
    let tikka = format!("/menu/items/{}", house.dish("Paneer Tikka"));
    let said = json!({"energyKcal": 430, "servingSize": "250 g",
        "texts": {"HI": {"name": "पनीर टिक्का", "description": "तंदूर से"}, "ta": {"name": "பன்னீர்"}}});
    let tikka = owner.patch(&tikka, said).await.expect(200).data();
    assert_eq!(tikka["texts"]["hi"]["name"], "पनीर टिक्का");
    let group = &tikka["modifierGroups"][0];
    let options: Vec<Value> = group["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| {
            let mut kept =
                json!({"id": option["id"], "name": option["name"], "priceCents": option["priceCents"]});
            if option["name"] == "Extra paneer" {
                kept["texts"] = json!({"hi": {"name": "और पनीर"}});
            }
            kept
        })
        .collect();
    let said = json!({"texts": {"hi": {"name": "ऊपर से"}}, "options": options});
    owner.patch(&format!("/menu/modifier-groups/{}", id(group)), said).await.expect(200);
    let sizes = json!({"texts": {"hi": {"name": "दाल"}}, "variants": [
        {"name": "Half", "priceCents": 10_000, "texts": {"hi": {"name": "आधा"}}, "energyKcal": 90},
        {"name": "Full", "priceCents": 18_000, "isDefault": true}]});
    owner.patch(&format!("/menu/items/{}", house.dish("Dal")), sizes).await.expect(200);
    house
}

/// The dish of that id in a menu.
pub fn dish<'m>(menu: &'m Value, id: &str) -> &'m Value {
    let all = menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let mut all = all;
    all.find(|dish| dish["id"] == id).unwrap()
}

/// `client`, whose browser prefers these languages.
pub fn asking(client: &Client, languages: &str) -> Client {
    client.clone().with_header("accept-language", languages)
}

#[tokio::test]
async fn the_menu_reads_in_the_language_that_is_asked_for() {
    let branch = Branch::start().await;
    let house = in_hindi(&branch).await;
    let owner = &house.owner;
    let tikka = house.dish("Paneer Tikka").to_owned();
    let plain = owner.get("/menu").await.expect(200);
    assert_eq!(dish(&plain.data(), &tikka)["name"], "Paneer Tikka");
    assert_eq!(
        dish(&plain.data(), &tikka)["texts"]["ta"]["name"],
        "பன்னீர்",
        "a search finds it by any of them"
    );
    assert!(plain.header("vary").contains("accept-language"), "{}", plain.header("vary"));
    let hindi = asking(owner, "hi-IN,hi;q=0.9,en;q=0.5").get("/menu").await.expect(200);
    assert_eq!(hindi.header("content-language"), "hi");
    assert_ne!(hindi.header("etag"), plain.header("etag"), "an answer in one language is none in another");
    let menu = hindi.data();
    assert_eq!(menu["categories"][0]["name"], "सब कुछ");
    let (shown, dal) = (dish(&menu, &tikka), dish(&menu, house.dish("Dal")));
    assert_eq!((&shown["name"], &shown["description"]), (&json!("पनीर टिक्का"), &json!("तंदूर से")));
    let group = &shown["modifierGroups"][0];
    assert_eq!((&group["name"], &group["options"][0]["name"]), (&json!("ऊपर से"), &json!("और पनीर")));
    assert_eq!(group["options"][1]["name"], "No spice", "what is not said is as it is");
    assert_eq!((&dal["name"], &dal["variants"][0]["name"]), (&json!("दाल"), &json!("आधा")));
    let known = hindi.header("etag").to_owned();
    asking(owner, "hi").with_header("if-none-match", &known).get("/menu").await.expect(304);
    owner.clone().with_header("if-none-match", &known).get("/menu").await.expect(200);
    let tamil = asking(owner, "hi").get("/menu?lang=ta").await.expect(200).data();
    assert_eq!(dish(&tamil, &tikka)["name"], "பன்னீர்");
    assert_eq!(dish(&tamil, house.dish("Dal"))["name"], "Dal");
    for (asked, found) in
        [("टिक्का", "Paneer Tikka"), ("பன்னீர்", "Paneer Tikka"), ("दाल", "Dal"), ("PANEER", "Paneer Tikka")]
    {
        let listed = owner.get(&format!("/menu/items?q={asked}")).await.expect(200).json();
        assert_eq!(
            (&listed["meta"]["total"], &listed["data"][0]["name"]),
            (&json!(1), &json!(found)),
            "{asked}"
        );
    }
    let none = owner.get("/menu/items?q=तंदूर").await.expect(200).json();
    assert_eq!(none["meta"]["total"], 0, "what is said of it is no name");
    let english = asking(owner, "en-GB,hi;q=0.9").get("/menu").await.expect(200).data();
    assert_eq!(dish(&english, &tikka)["name"], "Paneer Tikka");
}

#[tokio::test]
async fn guests_read_the_menu_in_their_language_and_what_a_serving_has() {
    let branch = Branch::start().await;
    let house = in_hindi(&branch).await;
    let tables = house.owner.get("/tables").await.expect(200).data();
    let token = tables[0]["qrToken"].as_str().unwrap().to_owned();
    let phone = asking(&branch.anonymous(), "hi-IN");
    let answer = phone.get(&format!("/orders/tables/{token}/menu")).await.expect(200);
    assert_eq!(answer.header("content-language"), "hi");
    let menu = answer.data();
    let tikka = dish(&menu, house.dish("Paneer Tikka"));
    assert_eq!(tikka["name"], "पनीर टिक्का");
    assert_eq!(
        (&tikka["energyKcal"], &tikka["servingSize"], &tikka["texts"]),
        (&json!(430), &json!("250 g"), &Value::Null)
    );
    assert_eq!(menu["outlet"]["languages"], json!(["en", "hi", "ta"]));
    let tamil = phone.get(&format!("/orders/tables/{token}/menu?lang=ta")).await.expect(200);
    assert_ne!(tamil.header("etag"), answer.header("etag"));
    let page = format!("{}/t/{token}", branch.base().trim_end_matches("/api/v1"));
    let page = reqwest::Client::new().get(page).header("accept-language", "hi").send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(
        page.contains("पनीर टिक्का") && page.contains("250 g · 430 kcal") && page.contains("आधा"),
        "{page}"
    );
}

/// The rows of all paper of a kind that waits.
pub async fn papers(branch: &Branch, kind: &'static str) -> String {
    let sql = "SELECT document FROM print_jobs WHERE kind = ?1 ORDER BY created_at, id";
    let kept: Vec<String> =
        branch.db.read(move |conn| list(conn, sql, [kind], |row| row.get(0))).await.unwrap();
    kept.concat()
}

#[tokio::test]
async fn a_ticket_is_in_the_stations_language_and_a_receipt_in_its_printers() {
    let branch = Branch::start().await;
    let house = in_hindi(&branch).await;
    let owner = &house.owner;
    for (name, language) in [("Tandoor", json!("hi")), ("Hot", Value::Null)] {
        let station =
            json!({"printerAddress": "192.168.1.50:9100", "printTickets": true, "language": language});
        owner.patch(&format!("/kitchen/stations/{}", house.station(name)), station).await.expect(200);
    }
    let printer = json!({"name": "Till", "connection": "TCP", "address": "192.168.1.51:9100", "roles": ["RECEIPT"],
        "language": "hi", "autoPrint": "NEVER"});
    owner.post("/printers", printer).await.expect(201);
    let menu = owner.get("/menu").await.expect(200).data();
    let half = id(&dish(&menu, house.dish("Dal"))["variants"][0]);
    let extra = house.option("Extra paneer");
    let order = json!({"orderType": "COUNTER", "items": [
        {"menuItemId": house.dish("Paneer Tikka"), "quantity": 1, "unitPriceCents": 32_000,
            "modifiers": [{"optionId": extra, "priceCents": 6_000}]},
        {"menuItemId": house.dish("Dal"), "variantId": half, "quantity": 2, "unitPriceCents": 10_000}]});
    let order = house.place(owner, order).await;
    assert_eq!(order["items"][0]["name"], "Paneer Tikka", "an order keeps what was sold");
    let tickets = papers(&branch, "KITCHEN").await;
    assert!(tickets.contains("1 x पनीर टिक्का") && tickets.contains("+ और पनीर"), "{tickets}");
    assert!(tickets.contains("2 x Dal (Half)"), "without a language there is what was ordered: {tickets}");
    let path = format!("/orders/{}", id(&order));
    owner.post(&format!("{path}/receipt/print"), json!({})).await.expect(201);
    let receipts = papers(&branch, "RECEIPT").await;
    for said in ["पनीर टिक्का", "+ और पनीर", "दाल (आधा)"] {
        assert!(receipts.contains(said), "{receipts}");
    }
    owner.post(&format!("{path}/invoice"), json!({})).await.expect(201);
    let bill = owner.get(&format!("{path}/receipt?format=text&lang=hi")).await.expect(200).text;
    assert!(bill.contains("दाल (आधा)"), "{bill}");
    let plain = owner.get(&format!("{path}/receipt?format=text")).await.expect(200).text;
    assert!(
        plain.contains("Dal (Half)") && !plain.contains("दाल"),
        "the document is as it was made: {plain}"
    );
}

#[tokio::test]
async fn texts_come_and_go_with_the_menus_file_and_are_checked() {
    let branch = Branch::start().await;
    let house = in_hindi(&branch).await;
    let owner = &house.owner;
    let file = owner.get("/menu/export?format=csv").await.expect(200).text;
    let header = file.lines().next().unwrap();
    assert!(header.ends_with(
        "servingSize,soldBy,weightUnit,texts.hi.name,texts.hi.description,texts.ta.name,texts.ta.description"
    ));
    let import =
        async |file: String| owner.post_raw("/menu/import", "text/csv", file).await.expect(200).data();
    let same = import(file).await;
    assert_eq!(same["unchanged"], same["rows"], "{same}");
    let done =
        import("category,name,texts.ta.name,texts.mr.name\nEverything,Paneer Tikka,,पनीर\n".into()).await;
    assert_eq!(done["updated"], 1, "{done}");
    let tikka = owner.get(&format!("/menu/items/{}", house.dish("Paneer Tikka"))).await.expect(200).data();
    let texts = json!({"hi": {"name": "पनीर टिक्का", "description": "तंदूर से"}, "mr": {"name": "पनीर"}});
    assert_eq!(tikka["texts"], texts);
    let path = format!("/menu/items/{}", house.dish("Dal"));
    let wrong = json!({"texts": {"xx": {"name": "a"}, "hi": {"name": "x".repeat(121)}}, "energyKcal": -1});
    let found = owner.patch(&path, wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert!(
        found.contains(&"texts.hi.name".to_owned()) && found.contains(&"energyKcal".to_owned()),
        "{found:?}"
    );
    let many: serde_json::Map<String, Value> =
        ["hi", "ta", "te", "kn", "ml", "mr", "bn", "gu", "pa", "or", "as"]
            .iter()
            .map(|tag| ((*tag).to_owned(), json!({"name": "x"})))
            .collect();
    let found =
        owner.patch(&path, json!({"texts": many})).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(found, ["texts"]);
    let unknown = json!({"languages": ["en", "klingon", "en"]});
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let found = owner.patch(&outlet, unknown).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(found, ["languages[1]", "languages[2]"]);
    let dal = owner.patch(&path, json!({"texts": {"hi": null}})).await.expect(200).data();
    assert_eq!(dal["texts"], Value::Null, "nothing is said any more");
    assert_eq!(dal["variants"][0]["energyKcal"], 90);
}

#[tokio::test]
async fn marks_are_indias_and_egg_is_not_vegetarian() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    for (name, dietary) in
        [("Dal", "VEG"), ("Kulfi", "EGG"), ("Lassi", "VEGAN"), ("Butter Chicken", "NON_VEG")]
    {
        owner
            .patch(&format!("/menu/items/{}", house.dish(name)), json!({"dietary": dietary}))
            .await
            .expect(200);
    }
    let marks = async || -> Vec<Value> {
        let menu = owner.get("/menu").await.expect(200).data();
        let of = |name: &str| dish(&menu, house.dish(name))["foodMark"].clone();
        ["Dal", "Kulfi", "Lassi", "Butter Chicken", "Lemon Soda"].map(of).to_vec()
    };
    assert_eq!(
        marks().await,
        [json!("VEG"), json!("NON_VEG"), json!("VEGAN"), json!("NON_VEG"), Value::Null]
    );
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"country": "AE", "taxId": null}))
        .await
        .expect(200);
    assert_eq!(marks().await, vec![Value::Null; 5]);
}
