//! `/audit-log`.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::Branch;

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
