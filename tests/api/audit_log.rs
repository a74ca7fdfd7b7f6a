//! `/audit-log`.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::{Branch, House};

#[tokio::test]
async fn the_audit_log_is_filtered_and_only_for_those_who_may_read_it() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    owner.patch(&format!("/outlets/{}", branch.outlet_id), json!({"phone": "1"})).await.expect(200);
    branch.sign_in(Role::Cashier).get("/audit-log").await.refused(403, "FORBIDDEN");
    let total =
        async |query: &str| owner.get(&format!("/audit-log{query}")).await.json()["meta"]["total"].clone();
    // The owner's account, which came with the branch, and the change.
    assert_eq!(total("").await, 2);
    assert_eq!(total("?entity=outlet&from=2026-11-20T12:30:00Z&to=2026-11-20T12:30:01Z").await, 1);
    assert_eq!(total("?entity=order").await, 0);
    assert_eq!(total("?to=2026-11-20T12:30:00Z").await, 0);
    owner.get("/audit-log?actor=me&from=now").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn who_signs_in_switches_and_tries_is_on_record_and_what_is_unusual_on_the_dashboard() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let login =
        |password: &str| json!({"email": "meera@sample.test", "password": password, "deviceName": "Till 1"});
    let anonymous = branch.anonymous();
    let signed = anonymous.post("/auth/login", login("long enough 1")).await.expect(200).data();
    let till = branch.anonymous().with_token(signed["accessToken"].as_str().unwrap().to_owned());
    till.post("/auth/pin", json!({"employeePin": pin})).await.expect(200);
    for _ in 0..5 {
        anonymous.post("/auth/login", login("wrong password")).await.refused(401, "INVALID_CREDENTIALS");
    }
    let cashier = branch.sign_in(Role::Cashier);
    let drawer = cashier.post("/cash-sessions", json!({"openingFloatCents": 5})).await.expect(201).data();
    let out = json!({"amountCents": 6, "reason": "ice"});
    let path = format!("/cash-sessions/{}/pay-out", drawer["id"].as_str().unwrap());
    cashier.post(&path, out).await.refused(422, "PAYLOAD_VALIDATION");
    let entries =
        async |action: &str| house.owner.get(&format!("/audit-log?action={action}")).await.expect(200).data();
    let came = entries("auth.signed_in").await;
    assert_eq!(came.as_array().unwrap().len(), 1);
    assert_eq!(came[0]["after"], json!({"address": "127.0.0.1", "deviceName": "Till 1"}));
    let switched = entries("auth.pin_switched").await;
    assert_eq!(
        (&switched[0]["device"], &switched[0]["after"]["name"]),
        (&came[0]["device"], &json!("Meera Nair"))
    );
    assert_eq!(entries("auth.login_failed").await.as_array().unwrap().len(), 4);
    let unusual = house.owner.get("/dashboard").await.expect(200).data()["unusual"].clone();
    assert_eq!(unusual["count"], 2);
    assert_eq!(unusual["latest"][0]["action"], "cash.pay_out_refused");
    assert_eq!(unusual["latest"][1]["action"], "auth.login_locked");
    branch.pass(25 * 3_600_000);
    let later = branch.sign_in(Role::Owner).get("/dashboard").await.expect(200).data();
    assert_eq!(later["unusual"], json!({"count": 0, "latest": []}));
}
