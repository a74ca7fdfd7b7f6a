//! What somebody inside would try with PINs, peers and reset codes.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, people};

const MINUTE: i64 = 60_000;

/// Somebody with a PIN, and an account of `role`; their id.
async fn person(branch: &Branch, name: &str, pin: &str, role: &str) -> String {
    let admin = branch.sign_in(Role::SuperAdmin);
    let id = people::hire(&admin, name, name, "Staff").await;
    people::give_account(&admin, &id, &format!("{name}@sample.test"), role).await;
    admin.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
    id
}

async fn with_password(branch: &Branch, name: &str) -> Client {
    let email = format!("{name}@sample.test");
    people::sign_in(&branch.anonymous(), &email, tiffin_tests::set_up::PASSWORD)
        .await
        .with_outlet(branch.outlet_id)
}

async fn by_pin(branch: &Branch, pin: &str) -> Client {
    let tokens = branch
        .sign_in(Role::Terminal)
        .post("/auth/pin", json!({"employeePin": pin}))
        .await
        .expect(200)
        .data();
    branch
        .anonymous()
        .with_token(tokens["accessToken"].as_str().unwrap().to_owned())
        .with_outlet(branch.outlet_id)
}

async fn put_pin(client: &Client, id: &str, pin: &str) -> tiffin_tests::Reply {
    client.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await
}

#[tokio::test]
async fn nobody_learns_a_pin_by_asking_for_it() {
    let branch = Branch::start().await;
    person(&branch, "Omar", "904716", "OWNER").await;
    let waiter = person(&branch, "Asha", "2580", "WAITER").await;
    let manager = branch.sign_in(Role::Manager);
    let easy = put_pin(&manager, &waiter, "1111").await.refused(422, "PAYLOAD_VALIDATION").json();
    for _ in 0..3 {
        let taken = put_pin(&manager, &waiter, "904716").await.refused(422, "PAYLOAD_VALIDATION").json();
        assert_eq!((&taken["detail"], &taken["invalidParams"]), (&easy["detail"], &easy["invalidParams"]));
    }
    // From then on a free and a taken one are answered alike: the box chooses.
    let mut given = Vec::new();
    for wanted in ["904716", "3690"] {
        let set = put_pin(&manager, &waiter, wanted).await.expect(200).data();
        let assigned = set["assignedPin"].as_str().unwrap().to_owned();
        assert!(assigned.len() == 6 && assigned != wanted, "{assigned}");
        given.push(assigned);
    }
    by_pin(&branch, &given[1]).await.get("/auth/me").await.expect(200);
    branch.pass(24 * 60 * MINUTE);
    assert_eq!(
        put_pin(&branch.sign_in(Role::Manager), &waiter, "3690").await.expect(200).data()["assignedPin"],
        Value::Null
    );
}

#[tokio::test]
async fn a_pin_opens_the_till_and_nothing_else() {
    let branch = Branch::start().await;
    let id = person(&branch, "Omar", "904716", "OWNER").await;
    let waiter = person(&branch, "Asha", "2580", "WAITER").await;
    let owner = by_pin(&branch, "904716").await;
    owner.get("/menu").await.expect(200);
    owner.get("/orders").await.expect(200);
    let account = json!({"email": "x@sample.test", "password": "a long password", "role": "OWNER"});
    owner.post(&format!("/employees/{waiter}/account"), account).await.refused(403, "FORBIDDEN");
    owner.post(&format!("/employees/{waiter}/account/reset-code"), json!({})).await.refused(403, "FORBIDDEN");
    put_pin(&owner, &id, "258013").await.refused(403, "FORBIDDEN");
    owner
        .patch(&format!("/employees/{waiter}"), json!({"hourlyRateCents": 1}))
        .await
        .refused(403, "FORBIDDEN");
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"name": "Mine"}))
        .await
        .refused(403, "FORBIDDEN");
    for path in
        ["/employees", "/auth/sessions", "/auth/sessions?all=true", "/audit-log", "/analytics/summary"]
    {
        owner.get(path).await.refused(403, "FORBIDDEN");
    }
    let rights = owner.get("/auth/me").await.expect(200).data()["permissions"].clone();
    assert!(!rights.as_array().unwrap().contains(&json!("accounts:manage")), "{rights}");
    with_password(&branch, "Omar").await.get("/employees").await.expect(200);
}

#[tokio::test]
async fn one_chooses_ones_own_pin_at_a_device_and_needs_more_digits_to_approve() {
    let branch = Branch::start().await;
    person(&branch, "Mira", "2580", "MANAGER").await;
    let tablet = branch.sign_in(Role::Cashier);
    let no_sale = |pin: &str| json!({"reason": "change", "approverPin": pin});
    let session = tablet.post("/cash-sessions", json!({"openingFloatCents": 0})).await.expect(201).data();
    let path = format!("/cash-sessions/{}/no-sale", session["id"].as_str().unwrap());
    let short = tablet.post(&path, no_sale("2580")).await.refused(403, "FORBIDDEN");
    assert!(short.text.contains("approverPinMinDigits"), "{}", short.text);
    tablet
        .put("/auth/pin", json!({"employeePin": "3690", "pin": "258013"}))
        .await
        .refused(401, "INVALID_PIN");
    let changed = tablet.put("/auth/pin", json!({"employeePin": "2580", "pin": "258013"})).await.expect(200);
    assert!(!changed.text.contains("258013"));
    tablet.post(&path, no_sale("2580")).await.refused(401, "INVALID_PIN");
    tablet.post(&path, no_sale("258013")).await.expect(201);
    let owner = branch.sign_in(Role::Owner);
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"approverPinMinDigits": 3}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn wrong_pins_lock_for_longer_each_time_and_a_manager_is_told() {
    let branch = Branch::start().await;
    person(&branch, "Asha", "2580", "WAITER").await;
    let tablet = branch.sign_in(Role::Terminal);
    let enter = async |pin: &str| tablet.post("/auth/pin", json!({"employeePin": pin})).await;
    for minutes in [5, 10, 20, 40] {
        for _ in 0..5 {
            enter("3690").await.refused(401, "INVALID_PIN");
        }
        assert_eq!(
            enter("2580").await.refused(423, "LOCKED").header("retry-after"),
            (minutes * 60).to_string()
        );
        branch.pass(minutes * MINUTE);
    }
    enter("2580").await.expect(200);
    // From many devices at once it is the outlet that notices.
    for _ in 0..10 {
        let another = branch.sign_in(Role::Terminal);
        for _ in 0..4 {
            another.post("/auth/pin", json!({"employeePin": "3690"})).await.refused(401, "INVALID_PIN");
        }
    }
    let told = branch.sign_in(Role::Manager).get("/notifications").await.json();
    let told = told["data"].as_array().unwrap().iter().filter(|notice| notice["type"] == "PIN_GUESSING");
    assert_eq!(told.count(), 1);
    // Nobody is locked out by that: a right PIN opens, slowly.
    let began = std::time::Instant::now();
    branch.sign_in(Role::Terminal).post("/auth/pin", json!({"employeePin": "2580"})).await.expect(200);
    assert!(began.elapsed() >= std::time::Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn nobody_raises_themselves_or_an_equal() {
    let branch = Branch::start().await;
    let own = person(&branch, "Mira", "258013", "MANAGER").await;
    let peer = person(&branch, "Nils", "369014", "MANAGER").await;
    let waiter = person(&branch, "Asha", "2580", "WAITER").await;
    let manager = with_password(&branch, "Mira").await;
    put_pin(&manager, &peer, "471025").await.refused(403, "FORBIDDEN");
    put_pin(&manager, &own, "471025").await.expect(200);
    for (id, change) in [
        (&own, json!({"hourlyRateCents": 99_999})),
        (&peer, json!({"hourlyRateCents": 99_999})),
        (&peer, json!({"name": "Nobody"})),
    ] {
        manager.patch(&format!("/employees/{id}"), change).await.refused(403, "FORBIDDEN");
    }
    manager.patch(&format!("/employees/{own}"), json!({"phone": "080"})).await.expect(200);
    manager.patch(&format!("/employees/{waiter}"), json!({"hourlyRateCents": 200})).await.expect(200);
    for id in [&own, &peer] {
        manager
            .patch(&format!("/employees/{id}/account"), json!({"active": false}))
            .await
            .refused(403, "FORBIDDEN");
        manager
            .post(&format!("/employees/{id}/account/reset-code"), json!({}))
            .await
            .refused(403, "FORBIDDEN");
        let punch = json!({"employeeId": id, "eventType": "CLOCK_IN", "time": "2026-11-20T12:00:00Z", "reason": "forgot"});
        manager.post("/attendance/corrections", punch).await.refused(403, "FORBIDDEN");
        let leave = json!({"employeeId": id, "leaveType": "ANNUAL", "fromDate": "2026-12-01", "toDate": "2026-12-02", "reason": "sun"});
        let leave = manager.post("/leave-requests", leave).await.expect(201).data();
        let path = format!("/leave-requests/{}/approve", leave["id"].as_str().unwrap());
        manager.post(&path, json!({})).await.refused(403, "FORBIDDEN");
        branch.sign_in(Role::Owner).post(&path, json!({})).await.expect(200);
        let more = json!({"leaveType": "ANNUAL", "year": 2026, "entitledDays": 60});
        manager.put(&format!("/leave-requests/balances/{id}"), more).await.refused(403, "FORBIDDEN");
    }
    assert_eq!(branch.number("SELECT count(*) FROM leave_entitlements").await, 0);
}

#[tokio::test]
async fn a_reset_code_is_shown_once_to_somebody_above_and_nothing_that_is_stored_tells_it() {
    let branch = Branch::with([
        ("smtp-url", "smtp://127.0.0.1:9"),
        ("mail-from", "no-reply@sample.test"),
        ("limit-forgot-password", "off"),
    ])
    .await;
    person(&branch, "Nils", "369014", "MANAGER").await;
    person(&branch, "Mira", "258013", "MANAGER").await;
    branch.anonymous().post("/auth/forgot-password", json!({"email": "Nils@sample.test"})).await.expect(200);
    let letter = branch
        .db
        .read(|conn| edge::db::one(conn, "SELECT body FROM mail_jobs", [], |row| row.get::<_, String>(0)));
    let letter = letter.await.unwrap();
    assert!(
        !letter.split_whitespace().any(|word| word.len() == 14 && word.matches('-').count() == 2),
        "{letter}"
    );
    let code = people::make_code(&branch.sign_in(Role::Owner), "nils@sample.test").await;
    let seen = with_password(&branch, "Mira").await.get("/notifications").await.expect(200).text;
    assert!(!seen.contains(&code));
    let stored = branch.db.read(move |conn| -> Result<_, edge::db::DbError> {
        let sql =
            "SELECT count(*) FROM audit_log WHERE instr(coalesce(before, '') || coalesce(after, ''), ?1) > 0";
        edge::db::one(conn, sql, [&code], |row| row.get::<_, i64>(0))
    });
    assert_eq!(stored.await.unwrap(), 0);
}
