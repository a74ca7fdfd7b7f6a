//! Punches beside the plan: early, late, across midnight, in the night the clocks change.

use super::{day, hire, status};
use edge::access::Role;
use serde_json::json;
use tiffin_tests::Branch;
use tiffin_tests::people::plan;

#[tokio::test]
async fn every_status_is_by_the_plan_and_the_grace() {
    let branch = Branch::start().await;
    let names = ["Asha", "Bina", "Chand", "Dev"];
    for (name, pin) in names.iter().zip(["1003", "1004", "1005", "1006"]) {
        let id = hire(&branch, name, pin).await;
        // 19:00 to 23:00 in Kolkata is 13:30 to 17:30.
        plan(&branch.sign_in(Role::Manager), &id, "2026-11-20", "EVENING", "19:00", "23:00").await;
    }
    let tablet = branch.sign_in(Role::Terminal);
    for (moment, pin, event, expected) in [
        ("2026-11-20T13:24:59.999Z", "1003", "CLOCK_IN", "EARLY"),
        ("2026-11-20T13:25:00.000Z", "1004", "CLOCK_IN", "ON_TIME"),
        ("2026-11-20T13:35:00.000Z", "1005", "CLOCK_IN", "ON_TIME"),
        ("2026-11-20T13:35:00.001Z", "1006", "CLOCK_IN", "LATE"),
        ("2026-11-20T15:00:00.000Z", "1003", "BREAK_START", "ON_TIME"),
        ("2026-11-20T15:00:00.000Z", "1004", "BREAK_START", "ON_TIME"),
        ("2026-11-20T16:00:00.000Z", "1003", "BREAK_END", "ON_TIME"),
        ("2026-11-20T16:00:00.001Z", "1004", "BREAK_END", "LATE"),
        ("2026-11-20T16:30:00.000Z", "1003", "BREAK_START", "ON_TIME"),
        ("2026-11-20T16:31:01.000Z", "1003", "BREAK_END", "LATE"),
        ("2026-11-20T17:24:59.999Z", "1003", "CLOCK_OUT", "EARLY"),
        ("2026-11-20T17:25:00.000Z", "1004", "CLOCK_OUT", "ON_TIME"),
        ("2026-11-20T17:35:00.000Z", "1005", "CLOCK_OUT", "ON_TIME"),
        ("2026-11-20T17:35:00.001Z", "1006", "CLOCK_OUT", "LATE"),
    ] {
        branch.at(moment);
        assert_eq!(status(&tablet, pin, event).await, expected, "{event} at {moment}");
    }
    let manager = branch.sign_in(Role::Manager);
    let sheets = manager.get("/attendance/timesheets?from=2026-11-20&to=2026-11-20").await.data();
    let sheets = sheets["employees"].as_array().unwrap();
    let late: Vec<_> = sheets.iter().map(|s| s["totals"]["lateMinutes"].as_i64().unwrap()).collect();
    assert_eq!(late, [0, 0, 0, 5]);
    assert!(sheets.iter().all(|sheet| sheet["totals"]["scheduledMinutes"] == 240));
    // What is put right is judged again.
    let list = manager.get("/attendance?status=LATE").await.json();
    let came = list["data"].as_array().unwrap().iter().find(|r| r["eventType"] == "CLOCK_IN").unwrap();
    let body = json!({"newTime": "2026-11-20T13:30:00Z", "reason": "queue at the tablet"});
    let path = format!("/attendance/{}/corrections", came["id"].as_str().unwrap());
    assert_eq!(manager.post(&path, body).await.expect(201).data()["status"], "ON_TIME");
}

#[tokio::test]
async fn a_night_belongs_to_the_evening_it_began_in() {
    let branch = Branch::start().await;
    let meera = hire(&branch, "Meera Nair", "1003").await;
    plan(&branch.sign_in(Role::Manager), &meera, "2026-11-20", "NIGHT", "23:00", "07:00").await;
    plan(&branch.sign_in(Role::Manager), &meera, "2026-11-21", "NIGHT", "23:00", "07:00").await;
    for (moment, event, expected) in [
        ("2026-11-20T17:30:00.000Z", "CLOCK_IN", "ON_TIME"),
        ("2026-11-20T21:30:00.000Z", "BREAK_START", "ON_TIME"),
        ("2026-11-20T22:30:00.000Z", "BREAK_END", "ON_TIME"),
        ("2026-11-21T01:20:00.000Z", "CLOCK_OUT", "EARLY"),
        // After midnight, to the shift that began before it.
        ("2026-11-21T19:00:00.000Z", "CLOCK_IN", "LATE"),
        ("2026-11-22T01:30:00.000Z", "CLOCK_OUT", "ON_TIME"),
    ] {
        branch.at(moment);
        let tablet = branch.sign_in(Role::Terminal);
        assert_eq!(status(&tablet, "1003", event).await, expected, "{event} at {moment}");
    }
    let manager = branch.sign_in(Role::Manager);
    let sheets = manager.get("/attendance/timesheets?from=2026-11-20&to=2026-11-21").await.data();
    let days = &sheets["employees"][0]["days"];
    assert_eq!((&days[0]["workedMinutes"], &days[0]["breakMinutes"]), (&json!(410), &json!(60)));
    assert_eq!((&days[1]["workedMinutes"], &days[1]["lateMinutes"]), (&json!(390), &json!(90)));
    let records = days[0]["records"].as_array().unwrap();
    let dates: Vec<_> = records.iter().map(|r| r["businessDate"].as_str().unwrap()).collect();
    assert_eq!(dates, ["2026-11-20", "2026-11-20", "2026-11-21", "2026-11-21"]);
    assert!(
        records.iter().all(|r| r["shiftId"] == records[0]["shiftId"] && r["attendanceDate"] == "2026-11-20")
    );
    assert_ne!(days[1]["records"][0]["shiftId"], records[0]["shiftId"]);
}

#[tokio::test]
async fn the_night_the_clocks_change_is_paid_for_what_it_was() {
    let branch = Branch::start().await;
    branch.at("2026-10-20T12:00:00.000Z");
    let admin = branch.sign_in(Role::Owner);
    let berlin = json!({"timezone": "Europe/Berlin"});
    admin.patch(&format!("/outlets/{}", branch.outlet_id), berlin).await.expect(200);
    let meera = hire(&branch, "Meera Nair", "1003").await;
    // 22:00 to 06:00 by the clock on the wall; one hour of it comes twice.
    plan(&branch.sign_in(Role::Manager), &meera, "2026-10-24", "NIGHT", "22:00", "06:00").await;
    for (moment, event) in
        [("2026-10-24T20:00:00.000Z", "CLOCK_IN"), ("2026-10-25T05:00:00.000Z", "CLOCK_OUT")]
    {
        branch.at(moment);
        // Nobody punched for days; that is told of elsewhere.
        let tablet = branch.sign_in(Role::Terminal);
        assert_eq!(status(&tablet, "1003", event).await, "ON_TIME", "{event}");
    }
    let sheet = day(&branch.sign_in(Role::Owner), "2026-10-24").await;
    assert_eq!((&sheet["workedMinutes"], &sheet["scheduledMinutes"]), (&json!(540), &json!(540)));
    assert_eq!((&sheet["overtimeMinutes"], &sheet["costCents"]), (&json!(0), &json!(108_000)));
}
