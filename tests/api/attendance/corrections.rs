//! What was forgotten, punched wrongly, or punched while the clock was wrong, and how it is put right.

use super::{HOUR, day, hire, punch};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::Branch;

#[tokio::test]
async fn a_forgotten_clock_out_needs_review_and_stands_in_nobodys_way() {
    let branch = Branch::start().await;
    let meera = hire(&branch, "Meera Nair", "1003").await;
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    let first = punch(&tablet, "1003", "CLOCK_IN").await.expect(201).json();
    branch.pass(16 * HOUR - 1);
    assert_eq!(manager.get("/attendance?needsReview=true").await.json()["meta"]["total"], 0);
    assert_eq!(day(&manager, "2026-11-20").await["workedMinutes"], 959);
    branch.pass(1);
    let open = manager.get("/attendance?needsReview=true").await.expect(200).json();
    assert_eq!((&open["meta"]["total"], &open["data"][0]["id"]), (&json!(1), &first["id"]));
    let sheet = day(&manager, "2026-11-20").await;
    assert_eq!(
        (&sheet["needsReview"], &sheet["workedMinutes"], &sheet["costCents"]),
        (&json!(true), &json!(0), &json!(0))
    );
    assert_eq!(manager.get("/attendance/present").await.json()["meta"]["total"], 0);
    let late = punch(&tablet, "1003", "CLOCK_OUT").await.refused(409, "INVALID_TRANSITION");
    assert!(late.text.contains("2026-11-20T12:30:00.000Z was never clocked out"), "{}", late.text);

    punch(&tablet, "1003", "CLOCK_IN").await.expect(201);
    let told = manager.get("/notifications").await.json();
    assert_eq!((&told["data"][0]["type"], &told["meta"]["total"]), (&json!("ATTENDANCE_REVIEW"), &json!(1)));
    let out = json!({"employeeId": meera, "eventType": "CLOCK_OUT", "time": "2026-11-20T20:30:00Z", "reason": "forgot"});
    let added = manager.post("/attendance/corrections", out.clone()).await.expect(201).data();
    assert_eq!(
        (&added["isManual"], &added["attendanceId"]),
        (&json!(true), &open["data"][0]["attendanceId"])
    );
    assert_eq!(added["corrections"][0].get("oldTime"), None);
    assert_eq!(added["attendance"].as_array().unwrap().len(), 2);
    let sheet = day(&manager, "2026-11-20").await;
    assert_eq!((&sheet["needsReview"], &sheet["workedMinutes"]), (&json!(false), &json!(480)));
    manager.post("/attendance/corrections", out).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(manager.get("/attendance?needsReview=true").await.json()["meta"]["total"], 0);
    assert_eq!(manager.get("/attendance/present").await.json()["meta"]["total"], 1);
}

#[tokio::test]
async fn a_correction_keeps_the_raw_punch_and_is_on_record() {
    let branch = Branch::start().await;
    hire(&branch, "Meera Nair", "1003").await;
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    let came = punch(&tablet, "1003", "CLOCK_IN").await.expect(201).json();
    branch.pass(8 * HOUR);
    let left = punch(&tablet, "1003", "CLOCK_OUT").await.expect(201).json();
    let (came, left) = (came["id"].as_str().unwrap(), left["id"].as_str().unwrap());
    let to = |time: &str| json!({"newTime": time, "reason": "the tablet was off"});
    let earlier = to("2026-11-20T12:00:00Z");
    tablet.post(&format!("/attendance/{came}/corrections"), earlier.clone()).await.refused(403, "FORBIDDEN");
    let corrected =
        manager.post(&format!("/attendance/{came}/corrections"), earlier).await.expect(201).data();
    assert_eq!(
        (&corrected["timestamp"], &corrected["recordedAt"]),
        (&json!("2026-11-20T12:00:00.000Z"), &json!("2026-11-20T12:30:00.000Z"))
    );
    assert_eq!((&corrected["isCorrected"], &corrected["version"]), (&json!(true), &json!(2)));
    manager.post(&format!("/attendance/{came}/corrections"), to("2026-11-20T12:10:00Z")).await.expect(201);
    let seen = manager.get(&format!("/attendance/{came}")).await.expect(200).data();
    let times: Vec<_> =
        seen["corrections"].as_array().unwrap().iter().map(|c| (&c["oldTime"], &c["newTime"])).collect();
    assert_eq!(times[1], (&json!("2026-11-20T12:00:00.000Z"), &json!("2026-11-20T12:10:00.000Z")));
    assert_eq!(day(&manager, "2026-11-20").await["workedMinutes"], 500);
    // 20:30 UTC is 02:00 in Kolkata.
    for (time, reason) in [
        ("2026-11-20T20:31:00Z", "must not be in the future"),
        ("2025-11-18T12:00:00Z", "must not be more than a year ago"),
        ("2026-11-20T12:09:59Z", "does not fit between the events around it"),
    ] {
        let refused = manager.post(&format!("/attendance/{left}/corrections"), to(time)).await;
        let refused = refused.refused(422, "PAYLOAD_VALIDATION").json();
        assert_eq!(refused["invalidParams"], json!([{"name": "newTime", "reason": reason}]));
    }
    let long = manager.post(&format!("/attendance/{came}/corrections"), to("2026-11-19T20:29:59Z")).await;
    assert!(long.refused(422, "PAYLOAD_VALIDATION").text.contains("more than 24 hours"));
    let log = manager.get("/audit-log?action=attendance.correct").await.json();
    assert_eq!(log["meta"]["total"], 2);
    assert_eq!(log["data"][0]["before"]["time"], "2026-11-20T12:00:00.000Z");
    assert_eq!(log["data"][0]["after"]["time"], "2026-11-20T12:10:00.000Z");
    assert_eq!(branch.number("SELECT count(*) FROM attendance_records WHERE at <> effective_at").await, 1);
}

#[tokio::test]
async fn an_approver_corrects_on_the_tablet() {
    let branch = Branch::start().await;
    let (meera, boss) = (hire(&branch, "Meera Nair", "1003").await, hire(&branch, "Boss", "100479").await);
    let owner = branch.sign_in(Role::SuperAdmin);
    let account =
        json!({"email": "boss@sample.test", "password": "correct horse battery", "role": "MANAGER"});
    owner.post(&format!("/employees/{boss}/account"), account).await.expect(201);
    let tablet = branch.sign_in(Role::Terminal);
    let add = |pin: Value, time: &str| json!({"employeeId": meera, "eventType": "CLOCK_IN", "time": time, "reason": "queue", "approverPin": pin});
    tablet
        .post("/attendance/corrections", add(json!("9999"), "2026-11-20T12:00:00Z"))
        .await
        .refused(401, "INVALID_PIN");
    tablet
        .post("/attendance/corrections", add(json!("1003"), "2026-11-20T12:00:00Z"))
        .await
        .refused(403, "FORBIDDEN");
    let made = tablet.post("/attendance/corrections", add(json!("100479"), "2026-11-20T12:00:00Z")).await;
    assert_eq!(made.expect(201).data()["corrections"][0]["approverName"], "Boss");
    // It began work, so what fits next is the end of it; a second one does not fit into it.
    let within = tablet.post("/attendance/corrections", add(json!("100479"), "2026-11-20T12:15:00Z")).await;
    assert!(within.refused(422, "PAYLOAD_VALIDATION").text.contains("within other work"));
    punch(&tablet, "1003", "CLOCK_OUT").await.expect(201);
    let nobody = json!({"employeeId": branch.outlet_id, "eventType": "CLOCK_IN", "time": "2026-11-20T12:00:00Z", "reason": "x"});
    let refused = owner.post("/attendance/corrections", nobody).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["employeeId"]);
    let first =
        json!({"employeeId": boss, "eventType": "BREAK_END", "time": "2026-11-20T12:00:00Z", "reason": "x"});
    let refused = owner.post("/attendance/corrections", first).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["time"]);
    let log = owner.get("/audit-log?action=attendance.add").await.json();
    assert_eq!((&log["meta"]["total"], &log["data"][0]["approverName"]), (&json!(1), &json!("Boss")));
}

#[tokio::test]
async fn a_morning_that_was_never_punched_is_added_behind_an_evening_that_was() {
    let branch = Branch::start().await;
    let meera = hire(&branch, "Meera Nair", "1003").await;
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    punch(&tablet, "1003", "CLOCK_IN").await.expect(201);
    branch.pass(3 * HOUR);
    let add = |event: &str, time: &str| json!({"employeeId": meera, "eventType": event, "time": time, "reason": "no network"});
    manager.post("/attendance/corrections", add("CLOCK_IN", "2026-11-20T04:00:00Z")).await.expect(201);
    // Until it has its end, it needs review; the evening goes on.
    assert_eq!(manager.get("/attendance?needsReview=true").await.json()["meta"]["total"], 1);
    let present = manager.get("/attendance/present").await.json();
    assert_eq!(
        (&present["meta"]["total"], &present["data"][0]["since"]),
        (&json!(1), &json!("2026-11-20T12:30:00.000Z"))
    );
    manager.post("/attendance/corrections", add("CLOCK_OUT", "2026-11-20T08:00:00Z")).await.expect(201);
    manager.post("/attendance/corrections", add("BREAK_START", "2026-11-20T05:00:00Z")).await.expect(201);
    manager.post("/attendance/corrections", add("BREAK_END", "2026-11-20T05:30:00Z")).await.expect(201);
    punch(&tablet, "1003", "CLOCK_OUT").await.expect(201);
    let sheet = day(&manager, "2026-11-20").await;
    assert_eq!((&sheet["workedMinutes"], &sheet["breakMinutes"]), (&json!(390), &json!(30)));
    assert_eq!((&sheet["needsReview"], sheet["records"].as_array().unwrap().len()), (&json!(false), 6));
}

#[tokio::test]
async fn a_clock_that_jumps_is_flagged_and_told_of_once_a_day() {
    let branch = Branch::start().await;
    hire(&branch, "Meera Nair", "1003").await;
    hire(&branch, "Ravi", "1004").await;
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    punch(&tablet, "1003", "CLOCK_IN").await.expect(201);
    // Somebody sets the clock back two hours to have been on time.
    branch.at("2026-11-20T10:30:00.000Z");
    punch(&tablet, "1004", "CLOCK_IN").await.expect(201);
    branch.pass(HOUR);
    punch(&tablet, "1003", "CLOCK_OUT").await.expect(201);
    let told = manager.get("/notifications").await.json();
    assert_eq!((&told["data"][0]["type"], &told["data"][0]["count"]), (&json!("CLOCK_SUSPECT"), &json!(1)));
    let flagged = |list: &Value| {
        let list = list["data"].as_array().unwrap();
        list.iter().map(|r| r["clockSuspect"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    let list = manager.get("/attendance").await.json();
    assert_eq!(flagged(&list), [false, true, true], "by time: the first one has the latest");
    // Times that run backwards make no work until they are corrected, one after the other.
    let sheets = manager.get("/attendance/timesheets?from=2026-11-20&to=2026-11-20").await.data();
    assert_eq!(sheets["employees"][0]["days"][0]["needsReview"], true);
    let came = list["data"][0]["id"].as_str().unwrap();
    let body = json!({"newTime": "2026-11-20T10:00:00Z", "reason": "the clock was wrong"});
    let corrected = manager.post(&format!("/attendance/{came}/corrections"), body).await.expect(201).data();
    assert_eq!((&corrected["needsReview"], &corrected["clockSuspect"]), (&json!(false), &json!(false)));
    let sheets = manager.get("/attendance/timesheets?from=2026-11-20&to=2026-11-20").await.data();
    assert_eq!(sheets["employees"][0]["days"][0]["workedMinutes"], 90);
    // A year ahead.
    branch.at("2027-11-20T12:30:00.000Z");
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    punch(&tablet, "1004", "CLOCK_IN").await.expect(201);
    let list = manager.get("/attendance?from=2027-11-20").await.json();
    assert_eq!(flagged(&list), [true]);
}
