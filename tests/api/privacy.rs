//! `/privacy/erase`: what is known of a guest ends, wherever it stands, and nobody else's does.

use edge::access::Role;
use edge::backup::{Destinations, erased};
use edge::retention;
use serde_json::{Value, json};
use tiffin_tests::people::sign_in;
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::traces::places;
use tiffin_tests::{Branch, Client, House};

/// What is known of the guest, however it is written.
const WORDS: [&str; 5] = ["Zebulon Quixote", "98451 77661", "9845177661", "98451-77661", "17 Windmill Lane"];

/// Another guest.
const OTHER: [&str; 2] = ["Asha Rao", "98450 12345"];

const DAY_MS: i64 = 86_400_000;

/// The owner, by their password.
async fn owner(branch: &Branch) -> Client {
    sign_in(&branch.anonymous(), OWNER, PASSWORD).await
}

fn found(branch: &Branch, words: &[&str]) -> Vec<String> {
    places(branch.db.path(), words)
}

fn order_of(house: &House, name: &str, phone: &str) -> Value {
    let mut order = house.counter(&[("Dal", 1)]);
    (order["customerName"], order["customerPhone"]) = (json!(name), json!(phone));
    order
}

/// An evening with both guests: two orders of the one, of which one is billed and spoken of, and one of the other. Answers the billed one.
async fn evening(branch: &Branch, house: &House, owner: &Client) -> Value {
    let mut first = order_of(house, "Zebulon Quixote", "+91 98451 77661");
    first["deliveryAddress"] = json!("17 Windmill Lane");
    first["notes"] = json!("ring 9845177661 at the gate, ask for Zebulon Quixote");
    first["items"][0]["notes"] = json!("zebulon quixote's usual");
    let placed = owner.post_keyed("/orders", "tap", first).await.expect(201).json();
    assert_eq!(placed["deliveryAddress"], "17 Windmill Lane");
    house.settle(owner, &placed).await;
    owner.post("/orders", order_of(house, "Zebulon", "098451-77661")).await.expect(201);
    owner.post("/orders", order_of(house, OTHER[0], OTHER[1])).await.expect(201);
    let words = json!({"orderNumber": placed["orderNumber"], "receiptCode": placed["receiptCode"], "rating": 2, "comment":
        "Zebulon Quixote never waits again", "customerName": "Zebulon Quixote", "customerPhone": "98451-77661"});
    branch.anonymous().post_keyed("/tickets/feedback", "say", words).await.expect(201);
    let ticket = json!({"subject": "Umbrella of Zebulon Quixote", "body": "call 98451 77661; Asha Rao has found it", "category": "OTHER"});
    let ticket = owner.post("/tickets", ticket).await.expect(201).data();
    let comment = json!({"body": "Called 98451-77661 twice"});
    owner.post(&format!("/tickets/{}/comments", ticket["id"].as_str().unwrap()), comment).await.expect(201);
    placed
}

#[tokio::test]
async fn no_table_and_no_answer_has_a_word_of_whom_the_owner_erased() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = owner(&branch).await;
    let order = evening(&branch, &house, &owner).await;
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let receipt = format!("{path}/receipt?format=text");
    assert!(owner.get(&receipt).await.expect(200).text.contains("Zebulon Quixote"));
    let before = found(&branch, &WORDS);
    for place in [
        "feedback.comment",
        "guests.address",
        "guests.name",
        "guests.phone",
        "idempotency.body",
        "orders.notes",
        "ticket_comments.body",
        "tickets.subject",
    ] {
        assert!(before.contains(&place.to_owned()), "{place}: {before:?}");
    }
    assert!(!before.contains(&"invoices.body".to_owned()), "{before:?}");

    let wish = json!({"phone": "9845177661", "password": PASSWORD});
    let erased = owner.post_keyed("/privacy/erase", "erase", wish.clone()).await.expect(200);
    assert_eq!(erased.data(), json!({"orders": 2, "feedback": 1, "documentsKept": 1}));
    assert_eq!(found(&branch, &WORDS), Vec::<String>::new());
    assert_eq!(found(&branch, &["zebulon", "Zebulon"]), Vec::<String>::new());
    let again = owner.post_keyed("/privacy/erase", "erase", wish).await.expect(200);
    assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &erased.text));

    // What was answered once is answered again, without the guest.
    let mut first = order_of(&house, "Zebulon Quixote", "+91 98451 77661");
    first["deliveryAddress"] = json!("17 Windmill Lane");
    first["notes"] = json!("ring 9845177661 at the gate, ask for Zebulon Quixote");
    first["items"][0]["notes"] = json!("zebulon quixote's usual");
    let replayed = owner.post_keyed("/orders", "tap", first).await.expect(201);
    assert_eq!((replayed.header("idempotency-replayed"), &replayed.json()["id"]), ("true", &order["id"]));
    for text in [
        replayed.text,
        owner.get(&path).await.expect(200).text,
        owner.get("/orders").await.expect(200).text,
        owner.get(&receipt).await.expect(200).text,
        owner.get("/tickets").await.expect(200).text,
        owner.get("/tickets/feedback").await.expect(200).text,
        owner.get("/notifications").await.expect(200).text,
        owner.get("/audit-log?limit=100").await.expect(200).text,
        owner.get("/orders/invoices").await.expect(200).text,
    ] {
        assert!(WORDS.iter().all(|word| !text.contains(word)), "{text}");
    }
    assert_eq!(owner.get("/orders?q=Zebulon").await.json()["pagination"]["total"], 0);
    let tickets = owner.get("/tickets").await.expect(200).data();
    assert_eq!(tickets[0]["subject"], "Umbrella of …");
    assert_eq!(tickets[0]["body"], "call …; Asha Rao has found it");
    // Bills stand, and the other guest.
    assert_eq!(owner.get("/orders/invoices/verify").await.expect(200).data()["valid"], true);
    assert_eq!(owner.get("/orders?q=98450%2012345").await.json()["data"][0]["customerName"], OTHER[0]);
    let told = owner.get("/audit-log?action=privacy.erase").await.expect(200).data();
    assert_eq!(told[0]["after"], json!({"orders": 2, "feedback": 1, "documentsKept": 1}));
}

#[tokio::test]
async fn only_the_owner_erases_and_only_with_the_password() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = owner(&branch).await;
    let order = house.place(&owner, order_of(&house, OTHER[0], OTHER[1])).await;
    let wish = |part: Value| {
        let mut wish = json!({"password": PASSWORD});
        wish.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        wish
    };
    let by_phone = wish(json!({"phone": OTHER[1]}));
    for role in [Role::Manager, Role::Cashier, Role::Accountant, Role::Integration] {
        branch.sign_in(role).post("/privacy/erase", by_phone.clone()).await.refused(403, "FORBIDDEN");
    }
    let wrong = json!({"phone": OTHER[1], "password": "not the password"});
    owner.post("/privacy/erase", wrong).await.expect(401);
    let refused = owner.post("/privacy/erase", json!({"phone": OTHER[1]})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["password"]);
    for (part, field) in [
        (json!({}), "phone"),
        (json!({"phone": "12 a"}), "phone"),
        (json!({"phone": OTHER[1], "orderId": order["id"]}), "orderId"),
    ] {
        let refused = owner.post("/privacy/erase", wish(part)).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), [field]);
    }
    owner.post("/privacy/erase", wish(json!({"orderId": branch.outlet_id}))).await.refused(404, "NOT_FOUND");
    assert!(found(&branch, &OTHER).contains(&"guests.phone".to_owned()), "nothing was erased");
    // A number that nobody gave.
    let none = owner.post("/privacy/erase", wish(json!({"phone": "9000000001"}))).await.expect(200);
    assert_eq!(none.data(), json!({"orders": 0, "feedback": 0, "documentsKept": 0}));
}

#[tokio::test]
async fn a_guest_without_a_number_is_erased_by_order_with_what_was_split_from_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = owner(&branch).await;
    let mut order = house.counter(&[("Dal", 2)]);
    order["customerName"] = json!("Zebulon");
    order["notes"] = json!("Zebulon sits by the door");
    let placed = house.place(&owner, order).await;
    let id = placed["id"].as_str().unwrap();
    let take = json!({"items": [{"orderItemId": placed["items"][0]["id"], "quantity": 1}]});
    owner.post(&format!("/orders/{id}/split"), take).await.expect(201);
    let other =
        json!({"subject": "Zebulon wants Sunday off", "body": "Zebulon, the cook", "category": "OTHER"});
    owner.post("/tickets", other).await.expect(201);
    let erased = owner.post("/privacy/erase", json!({"orderId": id, "password": PASSWORD})).await.expect(200);
    assert_eq!(erased.data()["orders"], 2);
    // A name of one word is many a person's: it goes from what belongs to the order.
    assert_eq!(found(&branch, &["Zebulon"]), ["tickets.body", "tickets.subject"]);
}

#[tokio::test]
async fn who_was_a_guest_long_ago_is_forgotten() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = owner(&branch).await;
    evening(&branch, &house, &owner).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let refused = owner.patch(&outlet, json!({"guestDataDays": 29})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["guestDataDays"]);
    assert_eq!(owner.get(&outlet).await.expect(200).data()["guestDataDays"], 365);
    owner.patch(&outlet, json!({"guestDataDays": 60})).await.expect(200);
    let forget = async || while retention::step(&branch.db).await.unwrap() {};
    branch.pass(59 * DAY_MS);
    forget().await;
    assert!(found(&branch, &WORDS).contains(&"guests.phone".to_owned()), "it is not time yet");
    branch.pass(2 * DAY_MS);
    forget().await;
    assert_eq!(found(&branch, &[&WORDS[..], &OTHER[1..]].concat()), Vec::<String>::new());
    assert_eq!(branch.number("SELECT count(*) FROM guests").await, 0);
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 3);
}

#[tokio::test]
async fn who_was_erased_stands_beside_the_backups_by_id_alone() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = owner(&branch).await;
    let order = evening(&branch, &house, &owner).await;
    let to = Destinations::of(branch.folder(), None);
    erased::look(&branch.db, &to).await.unwrap();
    assert!(erased::read(&to.own, "BLR1").unwrap().is_empty());
    owner.post("/privacy/erase", json!({"phone": "98451 77661", "password": PASSWORD})).await.expect(200);
    erased::look(&branch.db, &to).await.unwrap();
    let listed = erased::read(&to.own, "BLR1").unwrap();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().any(|(id, _)| order["id"] == json!(id)));
}
