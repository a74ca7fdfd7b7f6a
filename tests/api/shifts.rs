//! `/shifts`, `/shifts/swaps` and `/workforce/roster`.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client};

pub(crate) fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// Hires somebody and answers their id.
pub(crate) async fn hire(manager: &Client, name: &str) -> String {
    let person = json!({"name": name, "jobTitle": "Waiter", "hiredOn": "2024-01-15"});
    id(&manager.post("/employees", person).await.expect(201).data()).to_owned()
}

/// Plans a shift of the outlet's times and answers it.
pub(crate) async fn plan(manager: &Client, employee: &str, date: &str, kind: &str) -> Value {
    let shift = json!({"employeeId": employee, "date": date, "shiftType": kind});
    manager.post("/shifts", shift).await.expect(201).data()
}

pub(crate) async fn publish(manager: &Client) -> Value {
    let days = json!({"from": "2026-11-16", "to": "2026-12-06"});
    manager.post("/shifts/publish", days).await.expect(200).data()
}

#[tokio::test]
async fn a_shift_is_planned_changed_and_taken_off() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager, "Meera Nair").await;
    let planned = plan(&manager, &meera, "2026-11-23", "NIGHT").await;
    assert_eq!((&planned["startTime"], &planned["endTime"]), (&json!("23:00"), &json!("07:00")));
    assert_eq!(
        (&planned["startsAt"], &planned["endsAt"]),
        (&json!("2026-11-23T17:30:00.000Z"), &json!("2026-11-24T01:30:00.000Z"))
    );
    assert_eq!((&planned["status"], &planned["employeeName"]), (&json!("DRAFT"), &json!("Meera Nair")));
    assert_eq!(planned["warnings"], json!([]));
    let path = format!("/shifts/{}", id(&planned));

    let early =
        json!({"employeeId": meera, "date": "2026-11-24", "shiftType": "MORNING", "startTime": "06:30"});
    let clash = manager.post("/shifts", early).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(clash.invalid_fields(), ["startTime"]);
    assert!(clash.text.contains("NIGHT shift 23:00–07:00 on 2026-11-23"), "{}", clash.text);
    let tired =
        json!({"employeeId": meera, "date": "2026-11-24", "shiftType": "EVENING", "startTime": "12:00"});
    let tired = manager.post("/shifts", tired).await.expect(201).data();
    let codes: Vec<&Value> = tired["warnings"].as_array().unwrap().iter().map(|w| &w["code"]).collect();
    assert_eq!(codes, ["OVERTIME", "SHORT_REST"]);
    let bad = json!({"employeeId": meera, "date": "2026-11-25", "shiftType": "OFF", "startTime": "9:00", "endTime": "10:00"});
    assert_eq!(
        manager.post("/shifts", bad).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["startTime"]
    );
    let bad = json!({"employeeId": meera, "date": "2036-11-25", "shiftType": "OFF", "startTime": "09:00", "endTime": "10:00"});
    let bad = manager.post("/shifts", bad).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(bad.invalid_fields(), ["date", "startTime", "endTime"]);

    let old = manager.clone().with_header("If-Match", "\"7\"");
    old.patch(&path, json!({"station": "Pass"})).await.refused(412, "STALE_VERSION");
    let changed = manager
        .patch(&format!("/shifts/{}", id(&planned)), json!({"endTime": "06:00", "station": "Pass"}))
        .await;
    let changed = changed.expect(200).data();
    assert_eq!((&changed["endTime"], &changed["version"]), (&json!("06:00"), &json!(2)));
    let changed = manager.patch(&path, json!({"endTime": null, "station": null})).await.expect(200).data();
    assert_eq!((&changed["endTime"], changed.get("station")), (&json!("07:00"), None));
    let changed = manager.patch(&path, json!({"shiftType": "MORNING"})).await.expect(200).data();
    assert_eq!((&changed["startTime"], &changed["endTime"]), (&json!("07:00"), &json!("15:00")));
    manager.patch(&path, json!({"date": null})).await.refused(422, "PAYLOAD_VALIDATION");

    let list = manager
        .get(&format!("/shifts?from=2026-11-24&to=2026-11-30&employeeId={meera}&status=DRAFT"))
        .await
        .json();
    assert_eq!((&list["meta"]["total"], &list["data"][0]["id"]), (&json!(1), &tired["id"]));
    old.delete(&path).await.refused(412, "STALE_VERSION");
    manager.delete(&format!("/shifts/{}", id(&planned))).await.expect(200);
    manager.get(&path).await.refused(404, "NOT_FOUND");
    assert_eq!(manager.get("/shifts").await.json()["meta"]["total"], 1);
    branch.sign_in(Role::Waiter).delete(&path).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn the_roster_shows_drafts_to_planners_and_the_rest_to_everybody() {
    let branch = Branch::start().await;
    let (manager, waiter) = (branch.sign_in(Role::Manager), branch.sign_in(Role::Waiter));
    let (meera, arjun) = (hire(&manager, "Meera Nair").await, hire(&manager, "Arjun Kumar").await);
    let draft = plan(&manager, &meera, "2026-11-23", "MORNING").await;
    plan(&manager, &meera, "2026-11-24", "OFF").await;
    let asked = "/workforce/roster?startDate=2026-11-23&endDate=2026-11-24";
    let roster =
        manager.get("/workforce/roster?startDate=2026-11-23&endDate=2026-11-24").await.expect(200).json();
    assert_eq!((&roster["outletId"], &roster["startDate"]), (&json!(branch.outlet_id), &json!("2026-11-23")));
    assert_eq!(roster["matrix"][0]["role"], "Waiter");
    let shift = &roster["matrix"][0]["shifts"][0];
    assert_eq!((&shift["startTime"], &shift["shiftType"]), (&json!("07:00"), &json!("MORNING")));
    assert_eq!(roster["matrix"][0]["shifts"][1].get("startTime"), None);
    let hidden = waiter.get(asked).await.expect(200).json();
    assert_eq!(hidden["matrix"].as_array().unwrap().len(), 2, "also who has no shifts");
    assert!(hidden["matrix"].as_array().unwrap().iter().all(|row| row["shifts"] == json!([])));
    waiter.get(&format!("/shifts/{}", id(&draft))).await.refused(404, "NOT_FOUND");
    assert_eq!(waiter.get("/shifts?status=DRAFT").await.json()["meta"]["total"], 0);

    let published = publish(&manager).await;
    assert_eq!((&published["published"], &published["employees"]), (&json!(2), &json!(1)));
    assert_eq!(publish(&manager).await["alreadyPublished"], 2);
    assert_eq!(waiter.get(asked).await.json()["matrix"], manager.get(asked).await.json()["matrix"]);
    assert_eq!(waiter.get("/shifts").await.json()["meta"]["total"], 2);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'roster.publish'").await, 1);
    assert_eq!(branch.number("SELECT count(*) FROM notifications WHERE type = 'ROSTER_PUBLISHED'").await, 1);
    let backwards = json!({"from": "2026-11-24", "to": "2026-11-23"});
    manager.post("/shifts/publish", backwards).await.refused(422, "PAYLOAD_VALIDATION");

    manager.delete(&format!("/employees/{meera}")).await.expect(200);
    manager.delete(&format!("/employees/{arjun}")).await.expect(200);
    let after = manager.get(asked).await.json();
    assert_eq!(after["matrix"], json!([]), "who has left keeps no shift after their last day");
    for (query, field) in [
        ("startDate=2026-11-23", "endDate"),
        ("startDate=2026-11-23&endDate=soon", "endDate"),
        ("startDate=2026-11-23&endDate=2026-11-22", "endDate"),
        ("startDate=2026-11-23&endDate=2027-01-24", "endDate"),
    ] {
        let refused = manager.get(&format!("/workforce/roster?{query}")).await.refused(400, "BAD_REQUEST");
        assert_eq!(refused.invalid_fields(), [field], "{query}");
    }
    manager.get("/workforce/roster?startDate=2026-11-23&endDate=2027-01-23").await.expect(200);
}

#[tokio::test]
async fn a_published_shift_stays_published_and_its_employee_is_told() {
    let branch = Branch::start().await;
    let (head_office, manager) = (branch.sign_in(Role::SuperAdmin), branch.sign_in(Role::Manager));
    let meera = hire(&manager, "Meera Nair").await;
    let account = json!({"email": "meera@sample.test", "password": "naan tawa monsoon", "role": "WAITER"});
    head_office.post(&format!("/employees/{meera}/account"), account).await.expect(201);
    let shift = plan(&manager, &meera, "2026-11-23", "MORNING").await;
    publish(&manager).await;
    let path = format!("/shifts/{}", id(&shift));
    let changed = manager.patch(&path, json!({"endTime": "16:00"})).await.expect(200).data();
    assert_eq!(changed["status"], "PUBLISHED");
    let told = branch.number(
        "SELECT count(*) FROM notifications WHERE type = 'SHIFT_CHANGED' AND audience LIKE 'ACCOUNT:%'",
    );
    assert_eq!(told.await, 1);
    let sign_in = json!({"email": "meera@sample.test", "password": "naan tawa monsoon"});
    let signed = branch.anonymous().post("/auth/login", sign_in).await.expect(200).data();
    let she = branch.anonymous().with_token(signed["accessToken"].as_str().unwrap().to_owned());
    let inbox = she.get("/notifications").await.json();
    assert_eq!(inbox["data"][0]["entity"]["id"], shift["id"]);
    let body = inbox["data"][0]["body"].as_str().unwrap();
    assert_eq!(
        body,
        "Was: MORNING shift 07:00–15:00 on 2026-11-23. Now: MORNING shift 07:00–16:00 on 2026-11-23."
    );
    assert_eq!(
        branch.sign_in(Role::Waiter).get("/notifications").await.json()["meta"]["total"],
        1,
        "the roster alone"
    );
    manager.delete(&path).await.expect(200);
    assert_eq!(
        she.get("/notifications").await.json()["data"][0]["title"],
        "A shift was taken off the roster"
    );
}

#[tokio::test]
async fn a_week_is_copied_as_drafts() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager, "Meera Nair").await;
    plan(&manager, &meera, "2026-11-23", "MORNING").await;
    plan(&manager, &meera, "2026-11-24", "OFF").await;
    plan(&manager, &meera, "2026-12-01", "NIGHT").await;
    let weeks = json!({"fromWeekStart": "2026-11-23", "toWeekStart": "2026-11-30"});
    let copied = manager.post("/shifts/copy-week", weeks.clone()).await.expect(201).data();
    assert_eq!((&copied["copied"], &copied["removed"]), (&json!(1), &json!(0)));
    let skipped = &copied["skipped"][0];
    assert_eq!((&skipped["date"], &skipped["employeeName"]), (&json!("2026-12-01"), &json!("Meera Nair")));
    let mut over = weeks;
    over["overwrite"] = json!(true);
    let copied = manager.post("/shifts/copy-week", over).await.expect(201).data();
    assert_eq!(
        (&copied["copied"], &copied["removed"], &copied["skipped"]),
        (&json!(2), &json!(2), &json!([]))
    );
    let bad = json!({"fromWeekStart": "2026-11-24", "toWeekStart": "2026-11-24"});
    let bad = manager.post("/shifts/copy-week", bad).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(bad.invalid_fields(), ["fromWeekStart", "toWeekStart", "toWeekStart"]);
    branch.sign_in(Role::Cashier).post("/shifts/copy-week", json!({})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn colleagues_swap_and_a_manager_approves() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let (meera, arjun) = (hire(&manager, "Meera Nair").await, hire(&manager, "Arjun Kumar").await);
    let divya = hire(&manager, "Divya Pillai").await;
    let (she, he) = (branch.sign_in_as(Role::Waiter, &meera), branch.sign_in_as(Role::Waiter, &arjun));
    let third = branch.sign_in_as(Role::Waiter, &divya);
    let hers = plan(&manager, &meera, "2026-11-23", "MORNING").await;
    let his = plan(&manager, &arjun, "2026-11-24", "EVENING").await;
    publish(&manager).await;
    let wish =
        json!({"kind": "SWAP", "fromShiftId": hers["id"], "toEmployeeId": arjun, "toShiftId": his["id"]});
    third.post("/shifts/swaps", wish.clone()).await.refused(403, "FORBIDDEN");
    let swap = she.post("/shifts/swaps", wish.clone()).await.expect(201).data();
    assert_eq!((&swap["status"], &swap["fromEmployeeName"]), (&json!("REQUESTED"), &json!("Meera Nair")));
    she.post("/shifts/swaps", wish).await.refused(409, "CONFLICT");
    let path = format!("/shifts/swaps/{}", id(&swap));
    manager.post(&format!("{path}/approve"), json!({})).await.refused(409, "INVALID_TRANSITION");
    she.post(&format!("/shifts/swaps/{}/accept", id(&swap)), json!({})).await.refused(403, "FORBIDDEN");
    third.post(&format!("{path}/accept"), json!({})).await.refused(404, "NOT_FOUND");
    third.get(&path).await.refused(404, "NOT_FOUND");
    he.post(&format!("{path}/accept"), json!({})).await.expect(200);
    he.post(&format!("{path}/accept"), json!({})).await.refused(409, "INVALID_TRANSITION");
    he.post(&format!("{path}/cancel"), json!({})).await.refused(403, "FORBIDDEN");
    he.post(&format!("{path}/approve"), json!({})).await.refused(403, "FORBIDDEN");

    // What is agreed on must still fit when it is approved.
    let in_the_way = plan(&manager, &meera, "2026-11-24", "EVENING").await;
    let late = manager.post(&format!("{path}/approve"), json!({})).await.refused(409, "CONFLICT");
    assert_eq!(late.invalid_fields(), ["toShiftId"]);
    manager.delete(&format!("/shifts/{}", id(&in_the_way))).await.expect(200);
    let done =
        manager.post(&format!("/shifts/swaps/{}/approve", id(&swap)), json!({})).await.expect(200).data();
    assert_eq!((&done["status"], &done["warnings"]), (&json!("APPROVED"), &json!([])));
    assert_eq!(she.get(&format!("/shifts/{}", id(&hers))).await.data()["employeeId"], json!(arjun));
    assert_eq!(she.get(&format!("/shifts/{}", id(&his))).await.data()["employeeId"], json!(meera));
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'shift_swap.approve'").await, 1);

    let give = json!({"kind": "GIVE_AWAY", "fromShiftId": his["id"], "toEmployeeId": divya});
    let given = she.post("/shifts/swaps", give.clone()).await.expect(201).data();
    third.post(&format!("/shifts/swaps/{}/reject", id(&given)), json!({"reason": "exam"})).await.expect(200);
    let given = she.post("/shifts/swaps", give).await.expect(201).data();
    she.post(&format!("/shifts/swaps/{}/cancel", id(&given)), json!({})).await.expect(200);
    she.post(&format!("/shifts/swaps/{}/cancel", id(&given)), json!({}))
        .await
        .refused(409, "INVALID_TRANSITION");
    assert_eq!(she.get(&format!("/shifts/swaps/{}", id(&given))).await.data()["status"], "CANCELLED");
    let totals = [&she, &he, &third, &manager].map(|client| client.get("/shifts/swaps"));
    let mut seen = Vec::new();
    for reply in totals {
        seen.push(reply.await.expect(200).json()["meta"]["total"].as_i64().unwrap());
    }
    assert_eq!(seen, [3, 1, 2, 3]);
    assert_eq!(
        manager.get("/shifts/swaps?status=REJECTED").await.json()["data"][0]["decisionReason"],
        "exam"
    );
    let bad = json!({"kind": "GIVE_AWAY", "fromShiftId": his["id"], "toEmployeeId": meera, "toShiftId": hers["id"]});
    let bad = manager.post("/shifts/swaps", bad).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(bad.invalid_fields(), ["toEmployeeId", "toShiftId"]);
}

/// Berlin puts the clock back in the night to 2026-10-25 and forward in the night to 2026-03-29.
#[tokio::test]
async fn shifts_are_as_long_as_they_really_are() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"timezone": "Europe/Berlin"}))
        .await
        .expect(200);
    let meera = hire(&owner, "Meera Nair").await;
    let long = plan(&owner, &meera, "2026-10-24", "NIGHT").await;
    assert_eq!(
        (&long["startsAt"], &long["endsAt"]),
        (&json!("2026-10-24T21:00:00.000Z"), &json!("2026-10-25T06:00:00.000Z"))
    );
    assert_eq!(long["warnings"], json!([]), "nine hours are allowed");
    let longer =
        owner.patch(&format!("/shifts/{}", id(&long)), json!({"endTime": "07:30"})).await.expect(200).data();
    assert_eq!(longer["warnings"][0]["message"], "9 h 30 min on 2026-10-24, more than 9 h");
    let short = plan(&owner, &meera, "2026-03-28", "NIGHT").await;
    assert_eq!(
        (&short["startsAt"], &short["endsAt"]),
        (&json!("2026-03-28T22:00:00.000Z"), &json!("2026-03-29T05:00:00.000Z"))
    );
}
