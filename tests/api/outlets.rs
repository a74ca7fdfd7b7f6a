//! `/outlets`.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::Branch;

#[tokio::test]
async fn an_outlet_has_the_contracts_defaults() {
    let branch = Branch::start().await;
    let outlet = branch.sign_in(Role::Waiter).get(&format!("/outlets/{}", branch.outlet_id)).await.data();
    assert_eq!(outlet["businessDayStartsAt"], "04:00");
    assert_eq!(outlet["stockPolicy"], "ALLOW_NEGATIVE");
    assert_eq!(outlet["qrOrderApproval"], "FIRST_ORDER");
    assert_eq!(outlet["attendance"], json!({"graceMinutes": 5, "maxBreakMinutes": 60}));
    assert_eq!(outlet["shiftTimes"]["NIGHT"], json!({"start": "23:00", "end": "07:00"}));
    assert_eq!(outlet["fiscalYearStartsOn"], "04-01");
}

#[tokio::test]
async fn an_owner_changes_settings_and_the_audit_log_keeps_both_values() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let path = format!("/outlets/{}", branch.outlet_id);
    branch.sign_in(Role::Manager).patch(&path, json!({"name": "x"})).await.refused(403, "FORBIDDEN");
    owner.patch(&path, json!({"serviceChargeBps": 500, "address": "12 MG Road"})).await.expect(200);
    let cleared = owner.patch(&path, json!({"address": null})).await.data();
    assert_eq!((&cleared["address"], &cleared["serviceChargeBps"]), (&json!(null), &json!(500)));
    owner.patch(&path, json!({"code": "NEW"})).await.refused(422, "PAYLOAD_VALIDATION");
    owner.patch(&path, json!({"timezone": "Mars/Base"})).await.refused(422, "PAYLOAD_VALIDATION");
    let log = owner.get("/audit-log?action=outlet.update").await.json();
    assert_eq!(log["meta"]["total"], 2);
    assert_eq!(log["data"][1]["before"]["serviceCharge"]["bps"], 0);
    assert_eq!(log["data"][1]["after"]["serviceCharge"]["bps"], 500);
}

#[tokio::test]
async fn an_account_sees_its_own_outlets_only() {
    let branch = Branch::start().await;
    let other = branch.second_outlet().await;
    let owner = branch.sign_in(Role::Owner);
    assert_eq!(owner.get("/outlets").await.json()["meta"]["total"], 1);
    owner.get(&format!("/outlets/{other}")).await.refused(404, "NOT_FOUND");
    owner.patch(&format!("/outlets/{other}"), json!({"name": "Mine"})).await.refused(404, "NOT_FOUND");
    assert_eq!(branch.sign_in(Role::SuperAdmin).get("/outlets").await.json()["meta"]["total"], 2);
}
