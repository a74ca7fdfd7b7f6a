//! What should not be usual of all outlets and of head office itself is one list; who signs in and who takes a file is on record.

use crate::{enrol, push_all};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, HeadOffice, House};

/// Locks the sign-in of somebody who is not there.
async fn guess(client: &tiffin_tests::Client, path: &str) {
    for _ in 0..5 {
        let guess = json!({"email": "nobody@example.com", "password": "wrong password"});
        client.post(path, guess).await.refused(401, "INVALID_CREDENTIALS");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_unusual_anywhere_is_one_list_for_those_who_may_see_it() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let sender = enrol(&hub, &branch).await;
    guess(&branch.anonymous(), "/auth/login").await;
    guess(&hub.anonymous(), "/hub/auth/login").await;
    push_all(&branch, &sender).await;
    let other = hub.box_of("BLR9").await.outlet.id;
    let of = |found: &Value| -> Vec<(Value, Value)> {
        let all = found["latest"].as_array().unwrap();
        all.iter().map(|entry| (entry["code"].clone(), entry["action"].clone())).collect()
    };
    let found = hub.admin().get("/hub/unusual").await.expect(200).data();
    assert_eq!(found["count"], 2, "{found}");
    let mut all = of(&found);
    all.sort_by_key(|(code, _)| code.to_string());
    assert_eq!(all, [(json!("BLR1"), json!("auth.login_locked")), (json!(null), json!("auth.login_locked"))]);
    assert_eq!(
        found["outlets"],
        json!([{"outletId": branch.outlet_id, "code": "BLR1", "name": "Outlet BLR1", "count": 1}])
    );
    // Head office's own doings are for those who see all of it.
    let owner = hub.sign_in(Role::Owner, &[branch.outlet_id, other]);
    assert_eq!(of(&owner.get("/hub/unusual").await.expect(200).data()).len(), 1);
    let elsewhere = hub.sign_in(Role::Owner, &[other]);
    assert_eq!(
        elsewhere.get("/hub/unusual").await.expect(200).data(),
        json!({"count": 0, "latest": [], "outlets": []})
    );
    elsewhere
        .get(&format!("/hub/unusual?outletIds={}", branch.outlet_id))
        .await
        .refused(403, "INVALID_OUTLET_SCOPE");
    hub.sign_in(Role::Waiter, &[branch.outlet_id]).get("/hub/unusual").await.refused(403, "FORBIDDEN");
    let later = hub.admin().get("/hub/unusual?from=2030-01-01T00:00:00.000Z").await.expect(200).data();
    assert_eq!(later["count"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_in_and_who_takes_a_file_is_on_record() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    House::open(&branch).await;
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    let password = "correct horse battery";
    let user = json!({
        "email": "asha@example.com", "name": "Asha", "password": password, "role": "OWNER", "outlets": [branch.outlet_id],
    });
    hub.admin().post("/hub/users", user).await.expect(201);
    let login = json!({"email": "asha@example.com", "password": password, "deviceName": "Laptop"});
    let tokens = hub.anonymous().post("/hub/auth/login", login).await.expect(200).data();
    let asha = hub.anonymous().with_token(tokens["accessToken"].as_str().unwrap().to_owned());
    let asha = asha.with_outlet(branch.outlet_id);
    asha.get("/analytics/reports/labor").await.expect(200);
    let file = asha.get("/analytics/reports/labor?format=csv").await.expect(200);
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    let entries = async |action: &str| {
        hub.admin().get(&format!("/hub/audit-log?action={action}")).await.expect(200).json()
    };
    let came = entries("auth.login").await;
    assert_eq!(
        (&came["meta"]["total"], &came["data"][0]["detail"]["deviceName"]),
        (&json!(1), &json!("Laptop"))
    );
    assert_eq!(
        (&came["data"][0]["actorName"], &came["data"][0]["device"]),
        (&json!("Asha"), &json!("127.0.0.1"))
    );
    let taken = entries("report.export").await;
    assert_eq!(taken["meta"]["total"], 1, "{taken}");
    let entry = &taken["data"][0];
    assert_eq!(
        (&entry["actorName"], &entry["outletId"]),
        (&json!("Asha"), &json!(branch.outlet_id)),
        "{entry}"
    );
    assert!(entry["detail"]["path"].as_str().unwrap().ends_with("/analytics/reports/labor"), "{entry}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proof_at_head_office_outlives_what_is_done_to_the_branch() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    let bill = format!("/orders/{}/invoice", order["id"].as_str().unwrap());
    house.owner.post(&bill, json!({})).await;
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    let there = house.owner.get("/orders/invoices/verify").await.expect(200).data();
    let manager = hub.sign_in(Role::Manager, &[branch.outlet_id]).with_outlet(branch.outlet_id);
    let here = async || manager.get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(here().await, there, "the same keys, heads and verdict");
    assert_eq!((&there["valid"], &there["series"][0]["signed"]), (&json!(true), &json!(1)), "{there}");
    let conn = rusqlite::Connection::open(branch.db.path()).unwrap();
    conn.execute_batch("DROP TRIGGER capture_keep_invoices_delete; DROP TRIGGER capture_invoices_delete; DELETE FROM invoices")
        .unwrap();
    assert_eq!(house.owner.get("/orders/invoices/verify").await.expect(200).data()["valid"], false);
    assert_eq!(here().await, there);
}
