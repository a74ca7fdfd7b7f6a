//! The assistant: right figures with their sources, nothing the caller may not see, one's own conversations only.

mod questions;
mod remote;

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn ask(client: &Client, question: &str) -> Value {
    client.post("/ai/ask", json!({"question": question})).await.expect(200).data()
}

/// The values of the facts of that label.
fn fact(answer: &Value, label: &str) -> Value {
    let facts = answer["facts"].as_array().unwrap();
    let found = facts.iter().find(|fact| fact["label"] == label);
    found.unwrap_or_else(|| panic!("no {label} in {answer:#}"))["value"].clone()
}

fn text(answer: &Value) -> &str {
    answer["answer"].as_str().unwrap()
}

#[tokio::test]
async fn an_answer_has_its_figures_and_where_they_are_from() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let answer = ask(&house.owner, "How much panner do we have left?").await;
    assert_eq!(text(&answer), "There is 5 kg of Paneer.");
    assert_eq!(answer["facts"], json!([{"label": "Paneer", "value": 5, "unit": "kg", "text": "5 kg"}]));
    assert_eq!(answer["sources"], json!([{"endpoint": "/inventory/items", "params": {}, "status": 200}]));
    assert_eq!((&answer["engine"], &answer["fallbackReason"]), (&json!("local"), &Value::Null));
    assert_eq!(answer["table"]["rows"][1], json!(["Paneer", "Paneer-2", 3, "kg", "2026-11-25"]));
    let soon = ask(&house.owner, "What expires tomorrow or on sunday?").await;
    assert_eq!(soon["sources"][0]["endpoint"], "/inventory/items");
    let nothing = ask(&house.owner, "Who will win the cup?").await;
    assert_eq!((&nothing["facts"], &nothing["sources"]), (&json!([]), &json!([])));
    assert!(text(&nothing).starts_with("I do not know how to answer that."), "{nothing}");
}

#[tokio::test]
async fn a_conversation_goes_on_and_belongs_to_who_began_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let first = ask(&house.owner, "How much paneer is left?").await;
    let id = first["conversationId"].as_str().unwrap();
    branch.pass(1_000);
    let body = json!({"question": "and rice?", "conversationId": id});
    let next = house.owner.post("/ai/ask", body.clone()).await.expect(200).data();
    assert_eq!((text(&next), &next["conversationId"]), ("There is 10 kg of Rice.", &json!(id)));
    ask(&house.owner, "What is running low?").await;

    let list = house.owner.get("/ai/conversations?limit=1").await.expect(200).json();
    assert_eq!(
        (&list["meta"]["total"], &list["data"][0]["title"]),
        (&json!(2), &json!("What is running low?"))
    );
    let found = house.owner.get(&format!("/ai/conversations/{id}")).await.expect(200).data();
    assert_eq!((&found["title"], &found["messagesCount"]), (&json!("How much paneer is left?"), &json!(4)));
    let roles: Vec<_> = found["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["USER", "ASSISTANT", "USER", "ASSISTANT"]);
    assert_eq!(found["messages"][3]["answer"]["facts"], next["facts"]);

    let other = branch.sign_in(Role::Manager);
    other.get(&format!("/ai/conversations/{id}")).await.refused(404, "NOT_FOUND");
    other.delete(&format!("/ai/conversations/{id}")).await.refused(404, "NOT_FOUND");
    let reply = other.post("/ai/ask", body).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(reply.invalid_fields(), ["conversationId"]);
    assert_eq!(other.get("/ai/conversations").await.json()["meta"]["total"], 0);
    house.owner.delete(&format!("/ai/conversations/{id}")).await.expect(200);
    house.owner.get(&format!("/ai/conversations/{id}")).await.refused(404, "NOT_FOUND");
    assert_eq!(branch.number("SELECT count(*) FROM ai_messages").await, 2);
}

#[tokio::test]
async fn nobody_learns_what_their_role_may_not_see() {
    let branch = Branch::start().await;
    House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let answer = ask(&waiter, "How much paneer do we have?").await;
    assert!(text(&answer).starts_with("You may not see this"), "{answer}");
    assert_eq!((&answer["facts"], &answer["sources"][0]["status"]), (&json!([]), &json!(403)));
    branch.sign_in(Role::Terminal).post("/ai/ask", json!({"question": "x"})).await.refused(403, "FORBIDDEN");
    // What the waiter may see is answered.
    let open = ask(&waiter, "Which orders are still open?").await;
    assert_eq!((text(&open), &open["sources"][0]["status"]), ("No order is open.", &json!(200)));
    // Another outlet has other figures.
    let other = branch.second_outlet().await;
    let stranger = branch.sign_in_at(Role::Owner, other);
    assert_eq!(
        text(&ask(&stranger, "How much paneer do we have?").await),
        "There is no stock item called “paneer”."
    );
}

#[tokio::test]
async fn a_question_is_answered_once_per_key_and_has_its_bounds() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let body = json!({"question": "How much rice is in stock?"});
    let first = house.owner.post_keyed("/ai/ask", "k1", body.clone()).await.expect(200);
    let again = house.owner.post_keyed("/ai/ask", "k1", body).await.expect(200);
    assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &first.text));
    assert_eq!(branch.number("SELECT count(*) FROM ai_conversations").await, 1);
    house
        .owner
        .post_keyed("/ai/ask", "k1", json!({"question": "x"}))
        .await
        .refused(422, "IDEMPOTENCY_KEY_REUSED");
    for question in [json!(""), json!("   "), json!("x".repeat(2_001)), json!(5), Value::Null] {
        let reply = house.owner.post("/ai/ask", json!({"question": question})).await;
        assert_eq!(reply.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["question"]);
    }
    house.owner.post("/ai/ask", json!({"question": "x".repeat(2_000)})).await.expect(200);
}

#[tokio::test]
async fn suggestions_are_what_presses_most() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let empty = branch.sign_in_at(Role::Owner, branch.second_outlet().await);
    assert_eq!(empty.get("/ai/suggestions").await.expect(200).data()["suggestions"], json!([]));
    house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    branch.pass(3_600_000);
    let found = house.owner.get("/ai/suggestions").await.expect(200).data();
    let kinds: Vec<_> = found["suggestions"].as_array().unwrap().iter().map(|s| s["kind"].clone()).collect();
    assert_eq!(kinds, ["LATE_TICKETS", "EXPIRING_STOCK"], "{found:#}");
    assert_eq!(found["businessDate"], "2026-11-20");
    assert_eq!(fact(&found["suggestions"][0], "Late tickets"), 1);
    assert_eq!(fact(&found["suggestions"][1], "Chicken, 2026-11-22"), 6);
    assert_eq!(found["suggestions"][1]["sources"][0]["endpoint"], "/inventory/items");
    // A waiter sees the kitchen, but not the store.
    let waiter = branch.sign_in(Role::Waiter).get("/ai/suggestions").await.expect(200).data();
    assert_eq!(waiter["suggestions"].as_array().unwrap().len(), 1);
}
