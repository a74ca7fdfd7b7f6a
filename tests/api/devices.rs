//! Devices that are paired by a code, and what each kind may do.

use edge::access::{Permission, Role};
use serde_json::{Value, json};
use tiffin_tests::paired::{at_till, by_pin, pair, paired, paired_at, poll};
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Events, House, people};

#[tokio::test]
async fn a_screen_shows_a_code_a_manager_types_it_in_and_the_screen_is_signed_in() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let codes = pair(&branch, "KITCHEN").await;
    assert_eq!((&codes["expiresIn"], &codes["interval"]), (&json!(600), &json!(5)));
    let shown = codes["userCode"].as_str().unwrap();
    assert!(shown.len() == 9 && shown.chars().nth(4) == Some('-'), "{shown}");
    // Whoever asks too often is told so, and waits longer from then on.
    poll(&branch, &codes).await.refused(400, "AUTHORIZATION_PENDING");
    poll(&branch, &codes).await.refused(400, "SLOW_DOWN");
    branch.pass(6_000);
    poll(&branch, &codes).await.refused(400, "SLOW_DOWN");
    branch.pass(15_000);
    poll(&branch, &codes).await.refused(400, "AUTHORIZATION_PENDING");
    // No waiter lets a device in, and a station is the outlet's own.
    let typed = shown.to_lowercase().replace('-', " ");
    branch
        .sign_in(Role::Waiter)
        .post("/devices/approve", json!({"userCode": typed}))
        .await
        .refused(403, "FORBIDDEN");
    let nowhere = json!({"userCode": typed, "stationId": "00000000-0000-7000-8000-000000000000"});
    let refused = manager.post("/devices/approve", nowhere).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["stationId"]);
    let stations = manager.get("/kitchen/stations").await.data();
    let station = stations[0]["id"].clone();
    let made = manager.post("/devices/approve", json!({"userCode": typed, "stationId": station})).await;
    let made = made.expect(201).data();
    assert_eq!(
        (&made["kind"], &made["stationId"], &made["signedIn"]),
        (&json!("KITCHEN"), &station, &json!(false))
    );
    manager.post("/devices/approve", json!({"userCode": typed})).await.refused(409, "CONFLICT");
    // The tokens come at once, again while the answer may have been lost, and then never.
    let tokens = poll(&branch, &codes).await.expect(200).data();
    assert_eq!((&tokens["expiresIn"], &tokens["device"]["id"]), (&json!(900), &made["id"]));
    branch.pass(30_000);
    let again = poll(&branch, &codes).await.expect(200).data();
    assert_eq!(again["refreshToken"], tokens["refreshToken"]);
    branch.pass(31_000);
    poll(&branch, &codes).await.refused(400, "EXPIRED_TOKEN");
    let device = branch.anonymous().with_token(again["accessToken"].as_str().unwrap().to_owned());
    let me = device.get("/auth/me").await.expect(200).data();
    assert_eq!(
        (&me["kind"], &me["role"], &me["email"]),
        (&json!("DEVICE"), &json!("DEVICE_KITCHEN"), &Value::Null)
    );
    assert_eq!(device.get("/devices/own").await.expect(200).data()["stationId"], station);
    manager.get("/devices/own").await.refused(404, "NOT_FOUND");
    let next = json!({"refreshToken": tokens["refreshToken"]});
    branch.anonymous().post("/auth/refresh", next).await.expect(200);
    // All of it is on record, with the address; no code is.
    let log = manager.get("/audit-log?limit=100").await.expect(200).data();
    let actions: Vec<_> =
        log.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    for action in ["device.asked", "device.approve", "auth.signed_in", "device.code_replayed"] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
    let approved = log.as_array().unwrap().iter().find(|entry| entry["action"] == "device.approve").unwrap();
    assert_eq!(approved["after"]["address"], "127.0.0.1");
    assert!(!log.to_string().contains(&shown[..4]) || !log.to_string().contains(&shown[5..]));
    let plain = "SELECT count(*) FROM device_pairings WHERE length(user_code_hash) <> 32 OR length(device_code_hash) <> 32";
    assert_eq!(branch.number(plain).await, 0);
    drop(house);
}

#[tokio::test]
async fn a_refused_device_a_late_one_and_a_made_up_code_get_nothing() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let unwanted = pair(&branch, "POS").await;
    manager.post("/devices/deny", json!({"userCode": unwanted["userCode"]})).await.expect(200);
    poll(&branch, &unwanted).await.refused(400, "ACCESS_DENIED");
    manager
        .post("/devices/approve", json!({"userCode": unwanted["userCode"]}))
        .await
        .refused(409, "CONFLICT");
    let late = pair(&branch, "CLOCK").await;
    branch.pass(600_000);
    poll(&branch, &late).await.refused(400, "EXPIRED_TOKEN");
    manager.post("/devices/approve", json!({"userCode": late["userCode"]})).await.refused(404, "NOT_FOUND");
    let approved = pair(&branch, "CLOCK").await;
    manager.post("/devices/approve", json!({"userCode": approved["userCode"]})).await.expect(201);
    branch.pass(600_000);
    poll(&branch, &approved).await.refused(400, "EXPIRED_TOKEN");
    poll(&branch, &json!({"deviceCode": "made up"})).await.refused(400, "EXPIRED_TOKEN");
    for wrong in
        [json!({"kind": "PHONE", "name": "x"}), json!({"kind": "POS"}), json!({"kind": "POS", "name": " "})]
    {
        branch.anonymous().post("/devices/pair", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    }
    let board = pair(&branch, "BOARD").await;
    let station = json!({"userCode": board["userCode"], "stationId": "00000000-0000-7000-8000-000000000000"});
    let refused = manager.post("/devices/approve", station).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["stationId"]);
}

#[tokio::test]
async fn codes_are_not_found_by_trying() {
    let branch = Branch::with([("limit-pairing", "3/900")]).await;
    let manager = branch.sign_in(Role::Manager);
    let codes = pair(&branch, "POS").await;
    for _ in 0..5 {
        manager.post("/devices/approve", json!({"userCode": "AAAA-AAAA"})).await.refused(404, "NOT_FOUND");
    }
    let right = json!({"userCode": codes["userCode"]});
    let locked = manager.post("/devices/approve", right.clone()).await.refused(423, "LOCKED");
    assert_eq!(locked.header("retry-after"), "900");
    manager.post("/devices/deny", right).await.refused(423, "LOCKED");
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'device.code_locked'").await, 1);
    // Nor does anybody fill the list of those that ask.
    pair(&branch, "POS").await;
    pair(&branch, "POS").await;
    let wanted = json!({"kind": "POS", "name": "x"});
    branch.anonymous().post("/devices/pair", wanted).await.refused(429, "RATE_LIMITED");
}

#[tokio::test]
async fn a_removed_device_is_signed_out_at_once_with_its_streams_and_turns() {
    let branch = Branch::start().await;
    House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    at_till(&owner, "A1", "WAITER", "2580").await;
    let (display, given) = paired(&branch, &owner, "KITCHEN").await;
    let (till, tills) = paired(&branch, &owner, "POS").await;
    let (asha, _) = by_pin(&till, "2580").await;
    let mut stream = Events::open(&display, "/kitchen/stream", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let listed = owner.get("/devices").await.expect(200).json();
    assert_eq!(listed["meta"]["total"], 2);
    assert_eq!(
        (&listed["data"][0]["name"], &listed["data"][0]["signedIn"]),
        (&json!("The KITCHEN"), &json!(true))
    );
    assert!(listed["data"][0]["lastSeenAt"].is_string() && listed["data"][0]["approvedByName"].is_string());
    let path = format!("/devices/{}", given["device"]["id"].as_str().unwrap());
    let id = given["device"]["id"].as_str().unwrap();
    let renamed = owner.patch(&format!("/devices/{id}"), json!({"name": "Tandoor"})).await.expect(200).data();
    assert_eq!((&renamed["name"], &renamed["version"]), (&json!("Tandoor"), &json!(2)));
    owner.clone().with_header("if-match", "\"1\"").delete(&path).await.refused(412, "STALE_VERSION");
    branch.pass(1_000);
    owner.delete(&path).await.expect(200);
    stream.ends().await;
    display.get("/kitchen/tickets").await.refused(401, "UNAUTHORIZED");
    let refresh = |tokens: &Value| json!({"refreshToken": tokens["refreshToken"]});
    branch.anonymous().post("/auth/refresh", refresh(&given)).await.refused(401, "UNAUTHORIZED");
    owner.delete(&path).await.refused(404, "NOT_FOUND");
    // The till goes with whoever's turn it is there.
    asha.get("/orders").await.expect(200);
    owner.delete(&format!("/devices/{}", tills["device"]["id"].as_str().unwrap())).await.expect(200);
    asha.get("/orders").await.refused(401, "UNAUTHORIZED");
    till.get("/menu").await.refused(401, "UNAUTHORIZED");
    assert_eq!(owner.get("/devices").await.json()["meta"]["total"], 0);
    let log = owner.get("/audit-log?action=device.remove").await.expect(200).data();
    assert_eq!(log[1]["before"]["name"], "Tandoor");
}

#[tokio::test]
async fn a_device_nobody_used_for_three_months_is_paired_anew() {
    let branch = Branch::start().await;
    let (_, given) = paired(&branch, &branch.sign_in(Role::Manager), "BOARD").await;
    let refresh =
        async |token: &Value| branch.anonymous().post("/auth/refresh", json!({"refreshToken": token})).await;
    branch.pass(89 * 86_400_000);
    let next = refresh(&given["refreshToken"]).await.expect(200).data();
    branch.pass(89 * 86_400_000);
    let next = refresh(&next["refreshToken"]).await.expect(200).data();
    branch.pass(91 * 86_400_000);
    refresh(&next["refreshToken"]).await.refused(401, "UNAUTHORIZED");
    assert_eq!(branch.sign_in(Role::Manager).get("/devices").await.data()[0]["signedIn"], false);
}

#[tokio::test]
async fn a_kitchen_device_does_what_a_display_does_and_nothing_else() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (display, _) = paired(&branch, &house.owner, "KITCHEN").await;
    house.place(&house.owner, house.at_table(1, &[("Dal", 1)])).await;
    let tickets = display.get("/kitchen/tickets").await.expect(200).data();
    let ticket = tickets[0]["id"].as_str().unwrap();
    for verb in ["ack", "start", "ready", "serve"] {
        display.post(&format!("/kitchen/tickets/{ticket}/{verb}"), json!({})).await.expect(200);
    }
    let dal = house.dish("Dal");
    let out = json!({"status": "OUT_OF_STOCK"});
    display.put(&format!("/menu/items/{dal}/availability"), out).await.expect(200);
    let rights = display.get("/auth/me").await.expect(200).data()["permissions"].clone();
    let expected: Vec<_> = Role::DeviceKitchen.permissions().into_iter().map(Permission::name).collect();
    assert_eq!(rights, json!(expected));
    display.post("/auth/pin", json!({"employeePin": "2580"})).await.refused(401, "INVALID_PIN");
    display.post("/orders", house.counter(&[("Dal", 1)])).await.refused(403, "FORBIDDEN");
    let punch = json!({"employeePin": "2580", "eventType": "CLOCK_IN"});
    display.post("/workforce/attendance", punch).await.refused(403, "FORBIDDEN");
    for path in
        ["/orders", "/employees", "/devices", "/tables", "/analytics/summary", "/notifications", "/tickets"]
    {
        display.get(path).await.refused(403, "FORBIDDEN");
    }
}

#[tokio::test]
async fn nobody_is_given_a_devices_role_or_a_password_for_a_device() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let id = people::hire(&owner, "E1", "Asha Rao", "Waiter").await;
    let wish = json!({"email": "e@sample.test", "password": PASSWORD, "role": "DEVICE_POS"});
    let path = format!("/employees/{id}/account");
    let refused = owner.post(&path, wish).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["role"]);
    people::give_account(&owner, &id, "e@sample.test", "WAITER").await;
    owner.patch(&path, json!({"role": "DEVICE_KITCHEN"})).await.refused(422, "PAYLOAD_VALIDATION");
    let (_, given) = paired(&branch, &owner, "POS").await;
    let email = format!("{}@device.invalid", given["device"]["accountId"].as_str().unwrap());
    for password in ["*", PASSWORD] {
        let who = json!({"email": email, "password": password});
        branch.anonymous().post("/auth/login", who).await.refused(401, "INVALID_CREDENTIALS");
    }
    branch.anonymous().post("/auth/forgot-password", json!({"email": email})).await.expect(200);
    assert_eq!(branch.number("SELECT count(*) FROM notifications WHERE type = 'PASSWORD_RESET'").await, 0);
    // A role at the till is that of somebody who works in the house, and never above one's own.
    for role in ["DEVICE_POS", "SUPER_ADMIN", "INTEGRATION"] {
        let refused = owner.patch(&format!("/employees/{id}"), json!({"tillRole": role})).await;
        assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["tillRole"], "{role}");
    }
    let manager = branch.sign_in(Role::Manager);
    manager.patch(&format!("/employees/{id}"), json!({"tillRole": "OWNER"})).await.refused(403, "FORBIDDEN");
    manager.patch(&format!("/employees/{id}"), json!({"tillRole": "CASHIER"})).await.expect(200);
}

#[tokio::test]
async fn a_clock_takes_punches_and_a_board_shows_what_is_ready() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    at_till(&house.owner, "A1", "WAITER", "2580").await;
    let (clock, _) = paired(&branch, &house.owner, "CLOCK").await;
    let punch = json!({"employeePin": "2580", "eventType": "CLOCK_IN"});
    let punched = clock.post("/workforce/attendance", punch.clone()).await.expect(201).json();
    assert_eq!(punched["employeeName"], "A1 Rao");
    clock.get("/workforce/roster?startDate=2026-11-20&endDate=2026-11-21").await.expect(200);
    clock.post("/auth/pin", json!({"employeePin": "2580"})).await.refused(403, "FORBIDDEN");
    let (board, _) = paired(&branch, &house.owner, "BOARD").await;
    board.get("/kitchen/tickets").await.expect(200);
    board.get("/menu").await.expect(200);
    board.post("/workforce/attendance", punch).await.refused(403, "FORBIDDEN");
    for device in [&clock, &board] {
        for path in ["/orders", "/employees", "/tables", "/devices"] {
            device.get(path).await.refused(403, "FORBIDDEN");
        }
        device.post("/orders", house.counter(&[("Dal", 1)])).await.refused(403, "FORBIDDEN");
    }
}

#[tokio::test]
async fn cooks_make_batches_at_a_kitchen_display_by_their_pin_and_nobody_has_more_there() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let (display, _) = paired_at(&branch, owner, "KITCHEN", house.station("Hot")).await;
    let path = format!("/inventory/preparations/{}/produce", house.stock("Gravy"));
    for path in ["/inventory/preparations", "/inventory/items"] {
        display.get(path).await.refused(403, "FORBIDDEN");
    }
    display.post(&path, json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
    for (code, role, pin) in [
        ("E91", "KITCHEN", "2580"),
        ("E92", "WAITER", "1470"),
        ("E93", "STOREKEEPER", "3690"),
        ("E94", "MANAGER", "258013"),
    ] {
        at_till(owner, code, role, pin).await;
    }
    let (cook, turn) = by_pin(&display, "2580").await;
    assert_eq!(turn["employee"]["role"], "KITCHEN");
    assert_eq!(cook.get("/auth/me").await.expect(200).data()["role"], "KITCHEN");
    cook.get("/inventory/preparations").await.expect(200);
    cook.get("/inventory/items").await.expect(200);
    let made = cook.post(&path, json!({"quantity": 1})).await.expect(201).data();
    assert_eq!(made["batch"]["quantity"], 1);
    let by = "SELECT count(*) FROM stock_movements m JOIN employees e ON e.id = m.actor_id WHERE e.employee_code = 'E91'";
    assert!(branch.number(by).await > 0, "the cook made it, not the display");
    // Who does not cook gets no turn there, not from a cook's turn either; the display itself goes on as it was.
    for who in [&display, &cook] {
        for pin in ["1470", "3690"] {
            let no = who.post("/auth/pin", json!({"employeePin": pin})).await.refused(403, "FORBIDDEN");
            assert!(no.text.contains("no role at this device"), "{}", no.text);
        }
    }
    cook.get("/inventory/preparations").await.expect(200);
    // A manager cooks there, and takes no money.
    let (manager, turn) = by_pin(&cook, "258013").await;
    assert_eq!(turn["employee"]["role"], "KITCHEN");
    let me = manager.get("/auth/me").await.expect(200).data();
    assert_eq!((&me["role"], &me["name"]), (&json!("KITCHEN"), &json!("E94 Rao")));
    assert!(!me["permissions"].to_string().contains("payments"), "{me}");
    manager.post(&path, json!({"quantity": 1})).await.expect(201);
    manager.post("/orders", house.counter(&[("Dal", 1)])).await.refused(403, "FORBIDDEN");
    manager.post("/cash-sessions", json!({"openingFloatCents": 0})).await.refused(403, "FORBIDDEN");
    cook.get("/inventory/preparations").await.refused(401, "UNAUTHORIZED");
    manager.delete("/auth/pin").await.expect(200);
    manager.get("/inventory/preparations").await.refused(401, "UNAUTHORIZED");
    display.get("/kitchen/tickets").await.expect(200);
    // At a till the same PIN opens all that the till has for its owner.
    let (till, _) = paired(&branch, owner, "POS").await;
    let (manager, turn) = by_pin(&till, "258013").await;
    assert_eq!(turn["employee"]["role"], "MANAGER");
    manager.post("/orders", house.counter(&[("Dal", 1)])).await.expect(201);
}
