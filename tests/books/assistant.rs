//! The assistant on two made-up days: 150 and more questions as owners ask them (`questions.txt`), each with a truth that is computed
//! independently. No answer may be wrong; a fifth may be refused.

use super::truths;
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// An order of a type, of these dishes.
async fn place(house: &House, client: &Client, order_type: &str, dishes: &[(&str, i64)]) -> Value {
    let mut order = house.counter(dishes);
    order["orderType"] = json!(order_type);
    if order_type == "DELIVERY" {
        order["deliveryAddress"] = json!("12 Hill Road");
    }
    house.place(client, order).await
}

async fn at_table(
    house: &House,
    client: &Client,
    table: usize,
    guests: i64,
    dishes: &[(&str, i64)],
) -> Value {
    let mut order = house.at_table(table, dishes);
    order["guestCount"] = json!(guests);
    house.place(client, order).await
}

fn path(order: &Value, route: &str) -> String {
    format!("/orders/{}{route}", order["id"].as_str().unwrap())
}

/// Pays what is due and completes the order.
async fn settle(client: &Client, order: &Value, method: &str, tip: i64) {
    let due = client.get(&path(order, "")).await.expect(200).json()["dueCents"].clone();
    let body = json!({"method": method, "amountCents": due, "tipCents": tip});
    client.post(&path(order, "/payments"), body).await.expect(201);
    client.patch(&path(order, "/status"), json!({"status": "COMPLETED"})).await.expect(200);
}

async fn cancel(client: &Client, order: &Value) {
    let body = json!({"status": "CANCELLED", "reason": "walked out"});
    client.patch(&path(order, "/status"), body).await.expect(200);
}

async fn waste(house: &House, client: &Client, item: &str, quantity: &str, reason: &str) {
    let quantity: Value = serde_json::from_str(quantity).unwrap();
    let body = json!({"inventoryItemId": house.stock(item), "quantity": quantity, "reason": reason});
    client.post("/waste-logs", body).await.expect(201);
}

/// Friday: every type of order, a discount, a tip, one called off, one portion given back, a drawer that is short, waste, work.
async fn friday(house: &House) {
    let owner = &house.owner;
    let drawer = owner.post("/cash-sessions", json!({"openingFloatCents": 5_000})).await.expect(201).data();
    let first = place(house, owner, "COUNTER", &[("Butter Chicken", 3), ("Lassi", 2)]).await;
    settle(owner, &first, "CASH", 0).await;
    let table = at_table(house, owner, 1, 4, &[("Paneer Tikka", 2), ("Dal", 1), ("Steamed Rice", 2)]).await;
    let off = json!({"type": "FIXED", "value": 1_000, "reason": "regulars"});
    owner.post(&path(&table, "/discounts"), off).await.expect(201);
    settle(owner, &table, "CARD", 500).await;
    settle(owner, &place(house, owner, "TAKEAWAY", &[("Bottled Water", 5)]).await, "UPI", 0).await;
    settle(owner, &place(house, owner, "DELIVERY", &[("Dal", 2), ("Steamed Rice", 1)]).await, "CARD", 0)
        .await;
    cancel(owner, &place(house, owner, "COUNTER", &[("Dal", 2)]).await).await;
    let kulfi = place(house, owner, "COUNTER", &[("Kulfi", 2)]).await;
    settle(owner, &kulfi, "CASH", 0).await;
    let back =
        json!({"items": [{"orderItemId": kulfi["items"][0]["id"], "quantity": 1}], "reason": "molten"});
    owner.post(&path(&kulfi, "/refunds"), back).await.expect(201);
    waste(house, owner, "Tomatoes", "0.5", "SPOILAGE").await;
    waste(house, owner, "Milk", "1", "DROPPED").await;
    let drawer = format!("/cash-sessions/{}", drawer["id"].as_str().unwrap());
    // 5,000 + 138,600 + 25,200 − 12,600, and 300 are gone.
    owner.post(&format!("{drawer}/close"), json!({"countedCents": 155_900})).await.expect(200);
    let meera = json!({"name": "Meera Nair", "jobTitle": "Cook", "hourlyRateCents": 10_000});
    let meera = owner.post("/employees", meera).await.expect(201).data()["id"].clone();
    for (event, time) in [("CLOCK_IN", "2026-11-20T04:30:00Z"), ("CLOCK_OUT", "2026-11-20T12:30:00Z")] {
        let body = json!({"employeeId": meera, "eventType": event, "time": time, "reason": "tablet was off"});
        owner.post("/attendance/corrections", body).await.expect(201);
    }
}

/// Saturday, which is today: a void, two orders called off, one that is open.
async fn saturday(house: &House, owner: &Client) {
    owner.post("/cash-sessions", json!({"openingFloatCents": 10_000})).await.expect(201);
    let table = at_table(house, owner, 2, 2, &[("Butter Chicken", 1), ("Dal", 4)]).await;
    let body = json!({"quantity": 1, "reason": "too salty", "wasMade": true});
    let dal = table["items"][1]["id"].as_str().unwrap();
    owner.post(&path(&table, &format!("/items/{dal}/void")), body).await.expect(200);
    settle(owner, &table, "CASH", 200).await;
    settle(owner, &place(house, owner, "TAKEAWAY", &[("Lemon Soda", 6)]).await, "UPI", 0).await;
    settle(owner, &place(house, owner, "DELIVERY", &[("Kulfi", 1)]).await, "CARD", 0).await;
    cancel(owner, &place(house, owner, "COUNTER", &[("Dal", 1)]).await).await;
    cancel(owner, &place(house, owner, "TAKEAWAY", &[("Lassi", 1)]).await).await;
    waste(house, owner, "Chicken", "0.2", "PREP_ERROR").await;
    at_table(house, owner, 3, 3, &[("Lassi", 1)]).await;
}

#[tokio::test]
async fn no_answer_is_wrong_and_few_are_refused() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    friday(&house).await;
    branch.pass(24 * 3_600_000);
    let owner = branch.sign_in(Role::Owner);
    saturday(&house, &owner).await;
    branch.pass(3_600_000);
    let owner = branch.sign_in(Role::Owner);
    let known = truths::all(&branch).await;
    let (mut wrong, mut refused, mut asked) = (Vec::new(), Vec::new(), 0);
    let questions = include_str!("questions.txt").lines().filter(|line| !line.starts_with('#'));
    for line in questions {
        let (question, expected) = line.rsplit_once(" | ").unwrap();
        let answer = owner.post("/ai/ask", json!({"question": question})).await.expect(200).data();
        let facts = answer["facts"].as_array().unwrap();
        let is_figure = facts.iter().any(|fact| fact["value"].is_number());
        if expected == "?" {
            if is_figure {
                wrong.push(format!("{question}: nobody can know, but {}", answer["answer"]));
            }
            continue;
        }
        asked += 1;
        if answer["sources"].as_array().unwrap().is_empty() || (!is_figure && expected != "none") {
            refused
                .push(format!("{question}: {}", answer["answer"].as_str().unwrap().lines().next().unwrap()));
            continue;
        }
        for pair in expected.split("; ").filter(|pair| *pair != "none") {
            let (label, name) = pair.split_once(" = ").unwrap();
            let truth = known.get(name).unwrap_or_else(|| panic!("no truth is called {name}"));
            let said = facts.iter().find(|fact| fact["label"] == label).map(|fact| &fact["value"]);
            if said != Some(truth) {
                wrong.push(format!("{question}: {label} is {truth}, but {}", answer["answer"]));
            }
        }
    }
    println!("{asked} questions with an answer, {} refused: {refused:#?}", refused.len());
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    assert!(asked >= 140 && refused.len() * 5 <= asked, "{} of {asked} refused: {refused:#?}", refused.len());
}

/// Whoever is to count a drawer is not told by the assistant either.
#[tokio::test]
async fn the_assistant_knows_what_its_caller_may_know() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    cashier.post("/cash-sessions", json!({"openingFloatCents": 10_000})).await.expect(201);
    let ask = async |client: &Client| {
        client
            .post("/ai/ask", json!({"question": "How much cash is in the drawer?"}))
            .await
            .expect(200)
            .data()
    };
    let told = ask(&house.owner).await;
    assert_eq!(told["facts"][0]["value"], 10_000, "{told}");
    let hidden = ask(&cashier).await;
    assert!(!hidden.to_string().contains("10000") && !hidden.to_string().contains("100.00"), "{hidden}");
    // What is not understood is said, and why.
    let body = json!({"question": "sales by waiter yesterday"});
    let unclear = house.owner.post("/ai/ask", body).await.expect(200).data();
    assert!(unclear["answer"].as_str().unwrap().starts_with("I have no figures that tell “waiter” apart."));
    assert_eq!(unclear["sources"], json!([]));
}
