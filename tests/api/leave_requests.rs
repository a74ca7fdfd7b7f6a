//! `/leave-requests`.

use super::shifts::{hire, id, plan, publish};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client};

fn annual(from: &str, to: &str) -> Value {
    json!({"leaveType": "ANNUAL", "fromDate": from, "toDate": to, "reason": "a wedding"})
}

async fn left(client: &Client, query: &str) -> Value {
    let found = client.get(&format!("/leave-requests/balances?{query}")).await.expect(200).data();
    let annual = found["balances"].as_array().unwrap().iter().find(|b| b["leaveType"] == "ANNUAL").unwrap();
    annual["remainingDays"].clone()
}

#[tokio::test]
async fn leave_is_asked_for_granted_and_turns_shifts_off() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let (meera, arjun) = (hire(&manager, "Meera Nair").await, hire(&manager, "Arjun Kumar").await);
    let (she, he) = (branch.sign_in_as(Role::Waiter, &meera), branch.sign_in_as(Role::Waiter, &arjun));
    let shift = plan(&manager, &meera, "2026-11-24", "MORNING").await;
    publish(&manager).await;
    let asked = she.post("/leave-requests", annual("2026-11-23", "2026-11-25")).await.expect(201).data();
    assert_eq!(
        (&asked["status"], &asked["days"], &asked["halfDay"]),
        (&json!("PENDING"), &json!(3), &json!(false))
    );
    let path = format!("/leave-requests/{}", id(&asked));
    let twice = she.post("/leave-requests", annual("2026-11-25", "2026-11-26")).await;
    assert_eq!(twice.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["fromDate"]);
    let mut other = annual("2026-12-01", "2026-12-01");
    other["employeeId"] = json!(meera);
    he.post("/leave-requests", other).await.refused(403, "FORBIDDEN");
    he.get(&path).await.refused(404, "NOT_FOUND");
    he.post(&format!("{path}/cancel"), json!({})).await.refused(404, "NOT_FOUND");
    assert_eq!(he.get("/leave-requests").await.json()["meta"]["total"], 0);
    she.post(&format!("{path}/approve"), json!({})).await.refused(403, "FORBIDDEN");
    assert_eq!(she.get(&format!("/leave-requests/{}", id(&asked))).await.data(), asked);

    let granted =
        manager.post(&format!("/leave-requests/{}/approve", id(&asked)), json!({"reason": "enjoy"})).await;
    let granted = granted.expect(200).data();
    assert_eq!((&granted["status"], &granted["decidedBy"]), (&json!("APPROVED"), &json!("MANAGER")));
    let clash = &granted["clashingShifts"][0];
    assert_eq!(
        (&clash["id"], &clash["outcome"], &clash["startTime"]),
        (&shift["id"], &json!("OFF"), &json!("07:00"))
    );
    let off = she.get(&format!("/shifts/{}", id(&shift))).await.data();
    assert_eq!(
        (&off["shiftType"], &off["offReason"]),
        (&json!("OFF"), &json!("ANNUAL leave, approved by MANAGER"))
    );
    let refused = json!({"employeeId": meera, "date": "2026-11-25", "shiftType": "MORNING"});
    let refused = manager.post("/shifts", refused).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["date"]);
    assert_eq!(left(&she, "").await, json!(15));
    manager.post(&format!("{path}/reject"), json!({})).await.refused(409, "INVALID_TRANSITION");

    let back =
        she.post(&format!("/leave-requests/{}/cancel", id(&asked)), json!({"reason": "put off"})).await;
    let back = back.expect(200).data();
    assert_eq!((&back["status"], &back["clashingShifts"][0]["id"]), (&json!("CANCELLED"), &shift["id"]));
    assert_eq!(left(&she, "").await, json!(18));
    assert_eq!(she.get(&format!("/shifts/{}", id(&shift))).await.data()["shiftType"], "OFF");
    plan(&manager, &meera, "2026-11-25", "MORNING").await;

    let begun = she.post("/leave-requests", annual("2026-11-20", "2026-11-21")).await.expect(201).data();
    manager.post(&format!("/leave-requests/{}/approve", id(&begun)), json!({})).await.expect(200);
    she.post(&format!("/leave-requests/{}/cancel", id(&begun)), json!({}))
        .await
        .refused(409, "INVALID_TRANSITION");
    // Who may grant it takes it back all the same, and says why.
    let taken_back = format!("/leave-requests/{}/cancel", id(&begun));
    let unsaid = manager.post(&taken_back, json!({"reason": " "})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(unsaid.invalid_fields(), ["reason"]);
    let back = manager.post(&taken_back, json!({"reason": "called back to work"})).await.expect(200).data();
    assert_eq!(
        (&back["status"], &back["decisionReason"]),
        (&json!("CANCELLED"), &json!("called back to work"))
    );
    assert_eq!(left(&she, "").await, json!(18));
    let third = she.post("/leave-requests", annual("2026-12-20", "2026-12-21")).await.expect(201).data();
    manager
        .post(&format!("/leave-requests/{}/reject", id(&third)), json!({"reason": "too busy"}))
        .await
        .expect(200);
    let list = manager.get(&format!("/leave-requests?status=REJECTED&employeeId={meera}")).await.json();
    assert_eq!((&list["meta"]["total"], &list["data"][0]["decisionReason"]), (&json!(1), &json!("too busy")));
    let audited =
        "SELECT count(*) FROM audit_log WHERE action IN ('leave.approve', 'leave.reject', 'leave.cancel')";
    assert_eq!(branch.number(audited).await, 5);
}

#[tokio::test]
async fn nobody_takes_more_than_is_left_unless_it_is_forced() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager, "Meera Nair").await;
    let she = branch.sign_in_as(Role::Waiter, &meera);
    let path = format!("/leave-requests/balances/{meera}");
    let two = json!({"year": 2026, "leaveType": "ANNUAL", "entitledDays": 2.5});
    manager.put(&format!("/leave-requests/balances/{meera}"), two.clone()).await.expect(200);
    assert_eq!(left(&she, "").await, json!(2.5));
    assert_eq!(left(&she, "year=2027").await, json!(18));
    for (field, value) in [("entitledDays", json!(0.3)), ("leaveType", json!("UNPAID")), ("year", json!(1))] {
        let mut bad = two.clone();
        bad[field] = value;
        assert_eq!(
            manager.put(&path, bad).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
            [field]
        );
    }
    // Half a day keeps the shift, and is shown.
    let shift = plan(&manager, &meera, "2026-12-03", "MORNING").await;
    let mut half = annual("2026-12-03", "2026-12-03");
    half["halfDay"] = json!(true);
    let asked = she.post("/leave-requests", half).await.expect(201).data();
    assert_eq!(asked["days"], json!(0.5));
    let granted =
        manager.post(&format!("/leave-requests/{}/approve", id(&asked)), json!({})).await.expect(200).data();
    let kept = &granted["clashingShifts"][0];
    assert_eq!((&kept["id"], &kept["outcome"]), (&shift["id"], &json!("KEPT")));
    assert_eq!(left(&she, "").await, json!(2));

    // Two approvals at once take the last days once.
    let mut asked = Vec::new();
    for (from, to) in [("2026-12-07", "2026-12-08"), ("2026-12-10", "2026-12-11")] {
        asked.push(she.post("/leave-requests", annual(from, to)).await.expect(201).data());
    }
    let paths: Vec<String> = asked.iter().map(|a| format!("/leave-requests/{}/approve", id(a))).collect();
    let (first, second) =
        tokio::join!(manager.post(&paths[0], json!({})), manager.post(&paths[1], json!({})));
    let (won, lost) = if first.status == 200 { (first, second) } else { (second, first) };
    won.expect(200);
    let lost = lost.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(lost.invalid_fields(), ["force"]);
    assert!(lost.text.contains("2 days of ANNUAL leave in 2026, 0 left"), "{}", lost.text);
    let open = manager.get("/leave-requests?status=PENDING").await.json();
    let open = format!("/leave-requests/{}/approve", id(&open["data"][0]));
    let forced = manager.post(&open, json!({"force": true})).await.expect(200).data();
    assert_eq!(forced["forced"], true);
    assert_eq!(left(&manager, &format!("employeeId={meera}")).await, json!(-2));

    // A request over New Year counts for both years; unpaid leave has no limit.
    she.post("/leave-requests", annual("2026-12-31", "2027-01-02")).await.expect(201);
    let next = she.get("/leave-requests/balances?year=2027").await.data();
    assert_eq!(next["balances"][0]["pendingDays"], 2);
    assert_eq!(next["balances"][3]["remainingDays"], Value::Null);
    let stranger = branch.sign_in_as(Role::Waiter, &hire(&manager, "Arjun Kumar").await);
    stranger.get(&format!("/leave-requests/balances?employeeId={meera}")).await.refused(403, "FORBIDDEN");
    manager.get("/leave-requests/balances").await.refused(400, "BAD_REQUEST");
    let nobody = manager.post("/leave-requests", annual("2026-12-24", "2026-12-24")).await;
    assert_eq!(nobody.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["employeeId"]);
    let bad = json!({"leaveType": "ANNUAL", "fromDate": "2026-12-24", "toDate": "2026-12-23", "halfDay": true, "reason": "x"});
    let bad = she.post("/leave-requests", bad).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(bad.invalid_fields(), ["toDate", "halfDay"]);
}

#[tokio::test]
async fn leave_over_hours_that_were_worked_is_granted_only_by_force() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = json!({"name": "Meera Nair", "jobTitle": "Waiter", "hiredOn": "2026-03-01"});
    let meera = id(&manager.post("/employees", meera).await.expect(201).data()).to_owned();
    for (event, time) in [("CLOCK_IN", "2026-11-18T03:30:00Z"), ("CLOCK_OUT", "2026-11-18T11:30:00Z")] {
        let added =
            json!({"employeeId": meera, "eventType": event, "time": time, "reason": "by the paper list"});
        manager.post("/attendance/corrections", added).await.expect(201);
    }
    let ask = async |from: &str, to: &str, half: bool| {
        let wish = json!({"employeeId": meera, "leaveType": "SICK", "fromDate": from, "toDate": to, "halfDay": half, "reason": "ill"});
        format!("/leave-requests/{}", id(&manager.post("/leave-requests", wish).await.expect(201).data()))
    };
    let path = ask("2026-11-17", "2026-11-19", false).await;
    let refused =
        manager.post(&format!("{path}/approve"), json!({})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["force"]);
    assert!(
        refused.text.contains("work was done on 2026-11-18; true approves all the same"),
        "{}",
        refused.text
    );
    let forced = manager.post(&format!("{path}/approve"), json!({"force": true})).await.expect(200).data();
    assert_eq!((&forced["status"], &forced["forced"]), (&json!("APPROVED"), &json!(true)));
    manager.post(&format!("{path}/cancel"), json!({"reason": "she worked"})).await.expect(200);
    // Half a day of it, and days beside it, are as ever.
    for (from, half) in [("2026-11-18", true), ("2026-11-17", false)] {
        let path = ask(from, from, half).await;
        let granted = manager.post(&format!("{path}/approve"), json!({})).await.expect(200).data();
        assert_eq!(granted["forced"], false);
    }
}
