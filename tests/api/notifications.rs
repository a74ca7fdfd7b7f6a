//! `/notifications`.

use edge::access::Role;
use edge::resources::notifications::{Audience, Notice, Severity, actions};
use serde_json::json;
use tiffin_tests::Branch;

async fn tell(branch: &Branch, audience: Audience, key: &'static str) {
    let outlet = branch.outlet_id;
    let notice = Notice {
        kind: "TEST",
        severity: Severity::Info,
        title: key.into(),
        body: "…".into(),
        audience,
        entity: None,
        dedupe_key: key.into(),
    };
    branch.db.write(move |tx| actions::notify(tx, outlet, notice)).await.unwrap();
}

#[tokio::test]
async fn repeats_are_counted_and_managers_matters_stay_with_managers() {
    let branch = Branch::start().await;
    for _ in 0..3 {
        tell(&branch, Audience::Staff, "rice is low").await;
    }
    tell(&branch, Audience::Managers, "a reset code").await;
    let waiter = branch.sign_in(Role::Waiter);
    let seen = waiter.get("/notifications").await.json();
    assert_eq!((&seen["meta"]["total"], &seen["data"][0]["count"]), (&json!(1), &json!(3)));
    let manager = branch.sign_in(Role::Manager);
    let all = manager.get("/notifications?unreadOnly=true").await.json();
    assert_eq!(all["meta"]["total"], 2);
    let code =
        all["data"].as_array().unwrap().iter().find(|n| n["title"] == "a reset code").unwrap()["id"].clone();
    let code = code.as_str().unwrap();
    waiter.post(&format!("/notifications/{code}/read"), json!({})).await.refused(404, "NOT_FOUND");
    manager.post(&format!("/notifications/{code}/read"), json!({})).await.expect(200);
    manager.post(&format!("/notifications/{code}/read"), json!({})).await.expect(200);
    assert_eq!(manager.post("/notifications/read-all", json!({})).await.data()["read"], 1);
    assert_eq!(manager.get("/notifications?unreadOnly=true").await.json()["meta"]["total"], 0);
}

#[tokio::test]
async fn a_notification_for_one_account_is_nobody_elses() {
    let branch = Branch::start().await;
    let (meera, ravi) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Manager));
    let id = meera.account_id().unwrap();
    tell(&branch, Audience::Account(id), "your shift has changed").await;
    let seen = meera.get("/notifications").await.json();
    assert_eq!(seen["data"][0]["title"], "your shift has changed");
    assert_eq!(ravi.get("/notifications").await.json()["meta"]["total"], 0);
    assert_eq!(ravi.post("/notifications/read-all", json!({})).await.data()["read"], 0);
    assert_eq!(meera.post("/notifications/read-all", json!({})).await.data()["read"], 1);
}
