//! `/sync-reviews`: what a recovery could not put back is seen, settled once, and on record.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::restaurant::put_on_review;
use tiffin_tests::{Branch, UNKNOWN};

#[tokio::test]
async fn a_manager_sees_both_versions_and_settles_them() {
    let branch = Branch::start().await;
    let first = put_on_review(&branch, "BLR1/2627-000007").await;
    for number in ["BLR1/2627-000008", "BLR1/2627-000009"] {
        put_on_review(&branch, number).await;
    }
    let manager = branch.sign_in(Role::Manager);
    let list = async |query: &str| manager.get(&format!("/sync-reviews{query}")).await.expect(200).json();
    let open = list("?limit=2").await;
    assert_eq!((&open["meta"]["total"], open["data"].as_array().unwrap().len()), (&json!(3), 2));
    let newest = &open["data"][0];
    assert_eq!((&newest["tableName"], &newest["reason"]), (&json!("invoices"), &json!("NUMBER_TAKEN")));
    assert_eq!((&newest["lost"]["number"], &newest["kept"]), (&json!("BLR1/2627-000009"), &json!(null)));
    assert_eq!(manager.get("/status").await.data()["sync"]["openReviews"], 3);

    let path = format!("/sync-reviews/{first}/resolve");
    let note = json!({"note": "the guest has the new bill"});
    let settled = manager.post(&path, note.clone()).await.expect(200).data();
    assert_eq!(settled["resolvedBy"], json!(manager.account_id()));
    let again = manager.post(&path, note).await.expect(200).data();
    assert_eq!(again, settled, "settled once, it stays settled");
    let audited = manager.get("/audit-log?action=sync_review.resolve").await.json();
    assert_eq!(audited["meta"]["total"], 1);
    assert_eq!(audited["data"][0]["reason"], "the guest has the new bill");
    assert_eq!(list("").await["meta"]["total"], 2);
    assert_eq!(list("?state=ALL").await["meta"]["total"], 3);

    assert_eq!(manager.post("/sync-reviews/resolve-all", json!({})).await.data()["resolved"], 2);
    assert_eq!(manager.post("/sync-reviews/resolve-all", json!({})).await.data()["resolved"], 0);
    assert_eq!(list("").await["meta"]["total"], 0);
    assert_eq!(manager.get("/status").await.data()["sync"]["openReviews"], 0);
}

#[tokio::test]
async fn only_who_answers_for_the_books_settles() {
    let branch = Branch::start().await;
    let id = put_on_review(&branch, "BLR1/2627-000007").await;
    let accountant = branch.sign_in(Role::Accountant);
    assert_eq!(accountant.get("/sync-reviews").await.expect(200).json()["meta"]["total"], 1);
    for path in [format!("/sync-reviews/{id}/resolve"), "/sync-reviews/resolve-all".to_owned()] {
        accountant.post(&path, json!({})).await.refused(403, "FORBIDDEN");
    }
    branch.sign_in(Role::Cashier).get("/sync-reviews").await.refused(403, "FORBIDDEN");
    let owner = branch.sign_in(Role::Owner);
    owner.post(&format!("/sync-reviews/{UNKNOWN}/resolve"), json!({})).await.refused(404, "NOT_FOUND");
    owner.get("/sync-reviews?state=SOME").await.refused(400, "BAD_REQUEST");
    owner.post("/sync-reviews/resolve-all", json!({"note": 7})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(owner.get("/sync-reviews").await.json()["meta"]["total"], 1);
}
