//! `/tickets`: queries of the staff.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::people::{give_account, hire, sign_in};
use tiffin_tests::set_up::PASSWORD;
use tiffin_tests::{Branch, Client};

fn tap() -> Value {
    json!({"subject": " The tap drips ", "body": "Since Monday, in the bar", "category": "MAINTENANCE"})
}

async fn raise(client: &Client, body: Value) -> Value {
    client.post("/tickets", body).await.expect(201).data()
}

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// The titles of what a caller was told and has not ticked off.
async fn told(client: &Client) -> Vec<String> {
    let list = client.get("/notifications?unreadOnly=true").await.json();
    list["data"].as_array().unwrap().iter().map(|n| n["title"].as_str().unwrap().to_owned()).collect()
}

/// An employee with an account that can sign in: their id and their device.
async fn colleague(branch: &Branch, owner: &Client, code: &str) -> (String, Client) {
    let employee = hire(owner, code, &format!("Cook {code}"), "Cook").await;
    let email = format!("{code}@sample.test").to_lowercase();
    give_account(owner, &employee, &email, "KITCHEN").await;
    (employee, sign_in(&branch.anonymous(), &email, PASSWORD).await.with_outlet(branch.outlet_id))
}

#[tokio::test]
async fn a_query_is_raised_assigned_talked_about_and_settled() {
    let branch = Branch::start().await;
    let (owner, manager) = (branch.sign_in(Role::Owner), branch.sign_in(Role::Manager));
    let (waiter, stranger) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Cashier));
    let (cook_id, cook) = colleague(&branch, &owner, "E1").await;

    let ticket = raise(&waiter, tap()).await;
    assert_eq!((&ticket["status"], &ticket["priority"]), (&json!("OPEN"), &json!("NORMAL")));
    assert_eq!((&ticket["subject"], &ticket["raisedByName"]), (&json!("The tap drips"), &json!("WAITER")));
    let path = format!("/tickets/{}", id(&ticket));
    stranger.get(&path).await.refused(404, "NOT_FOUND");
    cook.get(&path).await.refused(404, "NOT_FOUND");

    let assign = json!({"assigneeId": cook_id, "priority": "HIGH"});
    waiter.patch(&path, assign.clone()).await.refused(403, "FORBIDDEN");
    let assigned = manager.patch(&path, assign).await.expect(200).data();
    assert_eq!((&assigned["assigneeName"], &assigned["version"]), (&json!("Cook E1"), &json!(2)));
    assert_eq!(told(&cook).await, ["“The tap drips” is yours to see to"]);
    let nobody = json!({"assigneeId": branch.outlet_id});
    let refused = manager.patch(&path, nobody).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["assigneeId"]);

    cook.post(&format!("/tickets/{}/comments", id(&ticket)), json!({"body": "A washer is ordered"}))
        .await
        .expect(201);
    cook.post(&format!("/tickets/{}/comments", id(&ticket)), json!({"body": "  "}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    cook.patch(&format!("/tickets/{}", id(&ticket)), json!({"status": "WAITING"})).await.expect(200);
    cook.patch(&path, json!({"subject": "Another tap"})).await.refused(403, "FORBIDDEN");
    assert_eq!(told(&waiter).await, ["“The tap drips” is waiting", "Cook E1 about “The tap drips”"]);
    let seen = waiter.get(&format!("/tickets/{}", id(&ticket))).await.expect(200).data();
    assert_eq!((&seen["commentsCount"], &seen["comments"][0]["byName"]), (&json!(1), &json!("Cook E1")));
    let comments = waiter.get(&format!("/tickets/{}/comments", id(&ticket))).await.expect(200).json();
    assert_eq!((&comments["meta"]["total"], &comments["data"]), (&json!(1), &seen["comments"]));
    stranger.get(&format!("{path}/comments")).await.refused(404, "NOT_FOUND");
    stranger.post(&format!("{path}/comments"), json!({"body": "me too"})).await.refused(404, "NOT_FOUND");

    cook.patch(&path, json!({"status": "RESOLVED"})).await.expect(200);
    let settled = waiter.patch(&path, json!({"status": "CLOSED"})).await.expect(200).data();
    assert!(settled["resolvedAt"].is_string());
    waiter.post(&format!("{path}/comments"), json!({"body": "x"})).await.refused(409, "INVALID_TRANSITION");
    let skip = manager.patch(&path, json!({"status": "WAITING"})).await.refused(409, "INVALID_TRANSITION");
    assert!(skip.json()["detail"].as_str().unwrap().contains("OPEN"));
    let reopened = waiter.patch(&path, json!({"status": "OPEN", "assigneeId": cook_id})).await.expect(200);
    assert_eq!(reopened.data()["resolvedAt"], Value::Null);
    let unassigned = manager.patch(&path, json!({"assigneeId": null})).await.expect(200).data();
    assert_eq!(unassigned["assigneeId"], Value::Null);
    cook.get(&path).await.refused(404, "NOT_FOUND");
    let log = owner.get("/audit-log?entity=ticket").await.json();
    assert_eq!(log["data"][0]["action"], "ticket.update");
    assert!(!log.to_string().contains("drips"), "the audit log keeps no words");
}

#[tokio::test]
async fn lists_are_filtered_and_everybody_sees_their_own() {
    let branch = Branch::start().await;
    let (manager, waiter) = (branch.sign_in(Role::Manager), branch.sign_in(Role::Waiter));
    raise(&waiter, tap()).await;
    let fire =
        json!({"subject": "Smoke", "body": "Above the fryer", "category": "SAFETY", "priority": "URGENT"});
    branch.pass(1_000);
    let urgent = raise(&branch.sign_in(Role::Kitchen), fire).await;
    raise(&manager, json!({"subject": "Aprons", "body": "Twelve"})).await;
    assert_eq!(told(&manager).await, ["Urgent: Smoke"]);
    assert_eq!(told(&waiter).await, Vec::<String>::new());
    let total = async |client: &Client, query: &str| {
        client.get(&format!("/tickets{query}")).await.expect(200).json()["meta"]["total"].clone()
    };
    assert_eq!(total(&manager, "").await, 3);
    assert_eq!(total(&manager, "?mine=true").await, 1);
    assert_eq!(total(&waiter, "").await, 1);
    assert_eq!(total(&manager, "?priority=URGENT&category=SAFETY&status=OPEN").await, 1);
    assert_eq!(total(&manager, &format!("?assigneeId={}", branch.outlet_id)).await, 0);
    assert_eq!(manager.get("/tickets?limit=1").await.json()["data"][0]["subject"], "Aprons");
    manager.get("/tickets?status=DONE").await.refused(400, "BAD_REQUEST");
    branch.sign_in(Role::Accountant).get("/tickets").await.refused(403, "FORBIDDEN");

    let path = format!("/tickets/{}", id(&urgent));
    waiter.delete(&path).await.refused(403, "FORBIDDEN");
    let stale = branch.sign_in(Role::Owner).with_header("If-Match", "\"2\"");
    stale.delete(&path).await.refused(412, "STALE_VERSION");
    stale.patch(&path, json!({"status": "CLOSED"})).await.refused(412, "STALE_VERSION");
    manager.delete(&format!("/tickets/{}", id(&urgent))).await.expect(200);
    manager.get(&path).await.refused(404, "NOT_FOUND");
    assert_eq!(total(&manager, "").await, 2);
    let blank = manager.post("/tickets", json!({"subject": "", "priority": "NOW"})).await;
    let mut fields = blank.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["body", "priority", "subject"]);
}
