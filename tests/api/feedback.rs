//! `/tickets/feedback`: what guests say.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn token(house: &House, table: usize) -> Value {
    house.owner.get(&format!("/tables/{}", house.table(table))).await.expect(200).data()["qrToken"].clone()
}

async fn give(guest: &Client, body: Value) -> Value {
    guest.post("/tickets/feedback", body).await.expect(201).data()
}

async fn complete(house: &House, order: &Value) {
    house.settle(&house.owner, order).await;
    let path = format!("/orders/{}/status", order["id"].as_str().unwrap());
    house.owner.patch(&path, json!({"status": "COMPLETED"})).await.expect(200);
}

#[tokio::test]
async fn an_order_has_one_feedback_and_managers_hear_of_a_low_one() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (guest, manager) = (branch.anonymous(), branch.sign_in(Role::Manager));
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let number = order["orderNumber"].as_str().unwrap();
    let code = order["receiptCode"].as_str().unwrap();
    assert_eq!(code.len(), 8);
    let body = json!({"orderNumber": number.to_lowercase(), "receiptCode": format!(" {} ", code.to_lowercase()), "rating": 2, "food": 1, "nps": 3, "comment": " Cold. ",
        "customerName": "Asha Rao", "customerPhone": "98450 12345", "callbackWanted": true});
    let given = guest.post_keyed("/tickets/feedback", "tap", body.clone()).await.expect(201);
    assert!(!given.text.contains("Asha") && !given.text.contains("BLR1"), "{}", given.text);
    let again = guest.post_keyed("/tickets/feedback", "tap", body.clone()).await.expect(201);
    assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &given.text));
    let second = guest.post("/tickets/feedback", body).await.refused(409, "CONFLICT");
    assert_eq!(second.invalid_fields(), ["orderNumber"]);

    let told = manager.get("/notifications").await.json();
    let notice = told["data"].as_array().unwrap().iter().find(|n| n["type"] == "LOW_RATING").unwrap();
    assert_eq!(notice["entity"]["id"], given.data()["id"]);
    assert!(notice["body"].as_str().unwrap().contains(number), "{notice}");
    assert!(!told.to_string().contains("Asha") && !told.to_string().contains("98450"));
    let waiter = branch.sign_in(Role::Waiter);
    assert!(!waiter.get("/notifications").await.text.contains("LOW_RATING"));
    waiter.get("/tickets/feedback").await.refused(403, "FORBIDDEN");

    let id = given.data()["id"].as_str().unwrap().to_owned();
    let seen = manager.get(&format!("/tickets/feedback/{id}")).await.expect(200).data();
    assert_eq!((&seen["comment"], &seen["status"]), (&json!("Cold."), &json!("NEW")));
    assert_eq!((&seen["orderId"], &seen["customerPhone"]), (&order["id"], &json!("98450 12345")));
    let called = json!({"status": "RESOLVED", "note": "Called, a dessert on us"});
    manager
        .clone()
        .with_header("If-Match", "7")
        .patch(&format!("/tickets/feedback/{id}"), called.clone())
        .await
        .refused(412, "STALE_VERSION");
    let done = manager.patch(&format!("/tickets/feedback/{id}"), called).await.expect(200).data();
    assert_eq!((&done["note"], &done["version"]), (&json!("Called, a dessert on us"), &json!(2)));
    let nobody = json!({"assigneeId": branch.outlet_id});
    let refused = manager.patch(&format!("/tickets/feedback/{id}"), nobody).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["assigneeId"]);
}

#[tokio::test]
async fn a_party_speaks_once_by_its_tables_code_also_when_it_has_paid() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let guest = branch.anonymous();
    let token = token(&house, 4).await;
    let order = house.place(&house.owner, house.at_table(4, &[("Lassi", 1)])).await;
    complete(&house, &order).await;
    branch.pass(30 * 60_000);
    give(&guest, json!({"tableToken": token, "rating": 5})).await;
    let twice = guest.post("/tickets/feedback", json!({"tableToken": token, "rating": 1})).await;
    assert_eq!(twice.refused(409, "CONFLICT").invalid_fields(), ["tableToken"]);
    // The same party about its order, and the next party.
    give(&guest, json!({"tableToken": token, "orderNumber": order["orderNumber"], "rating": 4})).await;
    house.place(&house.owner, house.at_table(4, &[("Dal", 1)])).await;
    give(&guest, json!({"tableToken": token, "rating": 3})).await;
    // Hours later the code speaks for nobody in particular.
    branch.pass(20 * 3_600_000);
    let tables = house.owner.get("/tickets/feedback?rating=3").await.json();
    assert_eq!(tables["data"][0]["tableNumber"], "T4");
    assert_eq!(branch.number("SELECT count(*) FROM feedback WHERE table_session_id IS NOT NULL").await, 3);
    // Good ratings trouble nobody.
    assert!(!house.owner.get("/notifications").await.text.contains("LOW_RATING"));
}

#[tokio::test]
async fn what_is_not_known_is_refused_in_the_same_words() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let guest = branch.anonymous();
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let number = order["orderNumber"].as_str().unwrap().to_owned();
    // A number can be guessed: it does for nothing without what stands beside it on the bill.
    let guessed = guest.post("/tickets/feedback", json!({"orderNumber": number, "rating": 1})).await;
    assert_eq!(guessed.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["receiptCode"]);
    let nameless = guest.post("/tickets/feedback", json!({"rating": 1})).await;
    assert_eq!(nameless.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["receiptCode"]);
    let table = token(&house, 3).await;
    let elsewhere = json!({"tableToken": table, "orderNumber": number, "rating": 1});
    let elsewhere = guest.post("/tickets/feedback", elsewhere).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(elsewhere.invalid_fields(), ["orderNumber"]);
    let mut answers = vec![elsewhere.json()["invalidParams"].clone()];
    for unknown in ["BLR1-261120-0777", "XXXX-261120-0001", "BLR1-251120-0001", "nonsense", &number] {
        let reply = guest
            .post(
                "/tickets/feedback",
                json!({"orderNumber": unknown, "receiptCode": "00000000", "rating": 5}),
            )
            .await;
        answers.push(reply.refused(422, "PAYLOAD_VALIDATION").json()["invalidParams"].clone());
    }
    answers.dedup();
    assert_eq!(answers, [json!([{"name": "orderNumber", "reason": "is not known here"}])]);
    let odd =
        guest.post("/tickets/feedback", json!({"tableToken": "AAAAAAAAAAAAAAAAAAAAAA", "rating": 5})).await;
    assert_eq!(odd.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["tableToken"]);
    let wrong = json!({"rating": 6, "food": 0, "nps": 11, "callbackWanted": "yes"});
    let reply = guest.post("/tickets/feedback", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    let mut fields = reply.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["callbackWanted", "food", "nps", "rating"]);
    branch.pass(20 * 86_400_000);
    guest
        .post(
            "/tickets/feedback",
            json!({"orderNumber": number, "receiptCode": order["receiptCode"], "rating": 5}),
        )
        .await
        .refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn feedback_is_filtered_and_summed_up() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    for (rating, food, nps) in [(5, 5, 10), (5, 4, 9), (4, 4, 8), (1, 1, 2)] {
        let words = json!({"rating": rating, "food": food, "nps": nps, "callbackWanted": rating == 1});
        branch.give_feedback(words).await.expect(201);
    }
    branch.pass(12 * 3_600_000);
    branch.give_feedback(json!({"rating": 3})).await.expect(201);
    let total = async |query: &str| {
        manager.get(&format!("/tickets/feedback{query}")).await.expect(200).json()["meta"]["total"].clone()
    };
    assert_eq!(total("").await, 5);
    assert_eq!(total("?rating=5").await, 2);
    assert_eq!(total("?callbackWanted=true&handled=false").await, 1);
    assert_eq!(total("?callbackWanted=false").await, 4);
    assert_eq!(total("?from=2026-11-21&to=2026-11-21").await, 1);
    assert_eq!(total("?handled=true").await, 0);
    let summary = manager.get("/tickets/feedback/summary").await.expect(200).data();
    assert_eq!((&summary["count"], &summary["averageRating"]), (&json!(5), &json!(3.6)));
    assert_eq!((&summary["averageFood"], &summary["averageService"]), (&json!(3.5), &Value::Null));
    let nps = json!({"score": 25, "promoters": 2, "passives": 1, "detractors": 1});
    assert_eq!((&summary["nps"], &summary["callbacksOpen"]), (&nps, &json!(1)));
    assert_eq!(summary["byRating"][4], json!({"rating": 5, "count": 2}));
    let days = "/tickets/feedback/summary?from=2026-11-20&to=2026-11-20";
    assert_eq!(manager.get(days).await.data()["averageRating"], json!(3.75));
    for wrong in ["from=2026-11-22&to=2026-11-21", "from=2020-01-01", "from=monday"] {
        manager.get(&format!("/tickets/feedback/summary?{wrong}")).await.refused(400, "BAD_REQUEST");
    }
}

#[tokio::test]
async fn one_address_gives_five_feedbacks_in_a_quarter_of_an_hour() {
    let branch = Branch::with([("limit-general", "off")]).await;
    for _ in 0..5 {
        branch.give_feedback(json!({"rating": 5})).await.expect(201);
    }
    let sixth = branch.give_feedback(json!({"rating": 5})).await;
    assert!(!sixth.refused(429, "RATE_LIMITED").header("retry-after").is_empty());
}
