//! `POST /workforce/attendance` and `/attendance`.

mod corrections;
mod plan;

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, Reply};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// Somebody with a PIN and a wage of 120.00 an hour.
async fn hire(branch: &Branch, name: &str, pin: &str) -> String {
    let manager = branch.sign_in(Role::Manager);
    let body = json!({"name": name, "jobTitle": "Waiter", "hourlyRateCents": 12_000});
    let id = manager.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    manager.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
    id
}

async fn punch(tablet: &Client, pin: &str, event: &str) -> Reply {
    tablet.post("/workforce/attendance", json!({"employeePin": pin, "eventType": event})).await
}

/// The status of a punch that is taken.
async fn status(tablet: &Client, pin: &str, event: &str) -> String {
    punch(tablet, pin, event).await.expect(201).json()["status"].as_str().unwrap().to_owned()
}

async fn day(client: &Client, date: &str) -> Value {
    let sheets =
        client.get(&format!("/attendance/timesheets?from={date}&to={date}")).await.expect(200).data();
    sheets["employees"][0]["days"][0].clone()
}

#[tokio::test]
async fn a_day_is_punched_and_becomes_a_timesheet() {
    let branch = Branch::start().await;
    let meera = hire(&branch, "Meera Nair", "1003").await;
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    let first = punch(&tablet, "1003", "CLOCK_IN").await.expect(201).json();
    let fields: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["employeeName", "eventType", "id", "status", "timestamp"], "typed, bare");
    assert_eq!((&first["employeeName"], &first["eventType"]), (&json!("Meera Nair"), &json!("CLOCK_IN")));
    assert_eq!(
        (&first["timestamp"], &first["status"]),
        (&json!("2026-11-20T12:30:00.000Z"), &json!("ON_TIME"))
    );

    let present = manager.get("/attendance/present").await.expect(200).json();
    assert_eq!(present["meta"]["total"], 1);
    assert_eq!(
        (&present["data"][0]["employeeId"], &present["data"][0]["since"]),
        (&json!(meera), &first["timestamp"])
    );
    branch.pass(2 * HOUR);
    punch(&tablet, "1003", "BREAK_START").await.expect(201);
    let present = manager.get("/attendance/present").await.json();
    assert_eq!(present["data"][0]["onBreakSince"], "2026-11-20T14:30:00.000Z");
    branch.pass(61 * MINUTE);
    assert_eq!(status(&tablet, "1003", "BREAK_END").await, "LATE");
    branch.pass(2 * HOUR);
    // Still at work: it counts until now.
    let now = day(&manager, "2026-11-20").await;
    assert_eq!(
        (&now["workedMinutes"], &now["breakMinutes"], &now["costCents"]),
        (&json!(240), &json!(61), &json!(48_000))
    );
    branch.pass(7 * HOUR + 30 * MINUTE);
    assert_eq!(status(&tablet, "1003", "CLOCK_OUT").await, "ON_TIME");
    assert_eq!(manager.get("/attendance/present").await.json()["meta"]["total"], 0);

    let sheets = manager.get("/attendance/timesheets?from=2026-11-16&to=2026-11-22").await.expect(200).data();
    let sheet = &sheets["employees"][0];
    assert_eq!((&sheet["employeeName"], sheet["days"].as_array().unwrap().len()), (&json!("Meera Nair"), 1));
    let day = &sheet["days"][0];
    assert_eq!((&day["date"], &day["workedMinutes"]), (&json!("2026-11-20"), &json!(690)));
    assert_eq!((&day["overtimeMinutes"], &day["costCents"]), (&json!(150), &json!(168_000)));
    assert_eq!((&day["needsReview"], day["records"].as_array().unwrap().len()), (&json!(false), 4));
    assert_eq!(sheets["totals"], sheet["totals"]);
    assert_eq!(sheet["totals"]["workedMinutes"], day["workedMinutes"]);

    // 06:00 the next morning in Kolkata: a record of its own business date, in the attendance of the day before.
    let list = manager.get("/attendance?from=2026-11-21&to=2026-11-21").await.expect(200).json();
    assert_eq!(list["meta"]["total"], 1);
    let out = &list["data"][0];
    assert_eq!((&out["businessDate"], &out["attendanceDate"]), (&json!("2026-11-21"), &json!("2026-11-20")));
    let late = manager.get(&format!("/attendance?status=LATE&employeeId={meera}")).await.json();
    assert_eq!((&late["meta"]["total"], &late["data"][0]["eventType"]), (&json!(1), &json!("BREAK_END")));
    manager.get("/attendance/timesheets?from=2026-11-20&to=2026-11-19").await.refused(400, "BAD_REQUEST");
    manager.get("/attendance/timesheets?from=2026-11-20").await.refused(400, "BAD_REQUEST");
    tablet.get("/attendance").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn only_what_fits_is_taken_and_the_refusal_names_what_does() {
    let branch = Branch::start().await;
    hire(&branch, "Meera Nair", "1003").await;
    let tablet = branch.sign_in(Role::Terminal);
    let refused = async |event: &str, allowed: &str| {
        let reply = punch(&tablet, "1003", event).await.refused(409, "INVALID_TRANSITION");
        let detail = reply.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.ends_with(&format!("Possible now: {allowed}.")), "{detail}");
    };
    for event in ["CLOCK_OUT", "BREAK_START", "BREAK_END"] {
        refused(event, "CLOCK_IN").await;
    }
    punch(&tablet, "1003", "CLOCK_IN").await.expect(201);
    branch.pass(2 * MINUTE);
    refused("CLOCK_IN", "BREAK_START, CLOCK_OUT").await;
    refused("BREAK_END", "BREAK_START, CLOCK_OUT").await;
    punch(&tablet, "1003", "BREAK_START").await.expect(201);
    branch.pass(2 * MINUTE);
    refused("BREAK_START", "BREAK_END, CLOCK_OUT").await;
    // Leaving on a break ends both.
    punch(&tablet, "1003", "CLOCK_OUT").await.expect(201);
    let sheet = day(&branch.sign_in(Role::Owner), "2026-11-20").await;
    assert_eq!((&sheet["workedMinutes"], &sheet["breakMinutes"]), (&json!(2), &json!(2)));
    branch.pass(2 * MINUTE);
    refused("CLOCK_OUT", "CLOCK_IN").await;
    let bad = punch(&tablet, "12", "SLEEP").await.refused(422, "PAYLOAD_VALIDATION");
    let mut fields = bad.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["employeePin", "eventType"]);
}

#[tokio::test]
async fn a_second_tap_within_a_minute_is_the_first_one() {
    let branch = Branch::start().await;
    hire(&branch, "Meera Nair", "1003").await;
    let [one, other] = [branch.sign_in(Role::Terminal), branch.sign_in(Role::Cashier)];
    let first = punch(&one, "1003", "CLOCK_IN").await.expect(201);
    branch.pass(59_000);
    assert_eq!(punch(&other, "1003", "CLOCK_IN").await.expect(201).json(), first.json());
    branch.pass(2_000);
    punch(&one, "1003", "CLOCK_IN").await.refused(409, "INVALID_TRANSITION");
    // In on one tablet, out on another.
    let out = punch(&other, "1003", "CLOCK_OUT").await.expect(201).json();
    assert_ne!(out["id"], first.json()["id"]);
    assert_eq!(branch.number("SELECT count(*) FROM attendance_records").await, 2);
}

#[tokio::test]
async fn two_tablets_at_the_same_instant_make_one_record() {
    let branch = Branch::start().await;
    for (name, pin) in [("Meera", "1003"), ("Ravi", "1004"), ("Asha", "1005")] {
        hire(&branch, name, pin).await;
    }
    let taps = (0..12).map(|n| {
        let tablet = branch.sign_in(Role::Terminal);
        tokio::spawn(async move {
            punch(&tablet, ["1003", "1004", "1005"][n % 3], "CLOCK_IN").await.expect(201).json()
        })
    });
    let mut ids = std::collections::HashSet::new();
    for tap in taps.collect::<Vec<_>>() {
        ids.insert(tap.await.unwrap()["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 3);
    assert_eq!(branch.number("SELECT count(*) FROM attendance_records").await, 3);
    assert_eq!(branch.number("SELECT count(*) FROM attendances").await, 3);
}

#[tokio::test]
async fn wrong_pins_lock_the_tablet_and_whoever_has_left_is_unknown() {
    let branch = Branch::start().await;
    hire(&branch, "Meera Nair", "1003").await;
    let ravi = hire(&branch, "Ravi", "1004").await;
    let (tablet, other) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Terminal));
    punch(&tablet, "1004", "CLOCK_IN").await.expect(201);
    branch.sign_in(Role::Manager).delete(&format!("/employees/{ravi}")).await.expect(200);
    for pin in ["1004", "9021", "9022", "9023", "9024"] {
        punch(&tablet, pin, "CLOCK_OUT").await.refused(401, "INVALID_PIN");
    }
    let locked = punch(&tablet, "1003", "CLOCK_IN").await.refused(423, "LOCKED");
    assert_eq!(locked.header("retry-after"), "300");
    punch(&other, "1003", "CLOCK_IN").await.expect(201);
    branch.pass(301_000);
    punch(&tablet, "1003", "CLOCK_OUT").await.expect(201);
    branch.sign_in(Role::Accountant).post("/workforce/attendance", json!({})).await.refused(403, "FORBIDDEN");
    let nobody = branch.anonymous().post("/workforce/attendance", json!({})).await;
    nobody.refused(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn staff_see_their_own_punches_and_no_others() {
    let branch = Branch::start().await;
    let meera = hire(&branch, "Meera Nair", "1003").await;
    hire(&branch, "Ravi", "1004").await;
    let owner = branch.sign_in(Role::SuperAdmin);
    let account =
        json!({"email": "meera@sample.test", "password": "correct horse battery", "role": "WAITER"});
    owner.post(&format!("/employees/{meera}/account"), account).await.expect(201);
    let tablet = branch.sign_in(Role::Terminal);
    punch(&tablet, "1003", "CLOCK_IN").await.expect(201);
    punch(&tablet, "1004", "CLOCK_IN").await.expect(201);
    let tokens = tablet.post("/auth/pin", json!({"employeePin": "1003"})).await;
    // The terminal's own session is none of the database's here, so the token may not be refreshed; it is read all the same.
    let token = tokens.expect(200).data()["accessToken"].as_str().unwrap().to_owned();
    let waiter = branch.anonymous().with_token(token).with_outlet(branch.outlet_id);
    let own = waiter.get("/attendance/me").await.expect(200).json();
    assert_eq!((&own["meta"]["total"], &own["data"][0]["employeeId"]), (&json!(1), &json!(meera)));
    waiter.get("/attendance").await.refused(403, "FORBIDDEN");
    assert_eq!(tablet.get("/attendance/me").await.json()["meta"]["total"], 0);
}
