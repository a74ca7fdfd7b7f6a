//! Passwords that are guessed first, whose a PIN's turn is, what ends with a sign-in, and whose an idempotency key is.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_common::Clock;
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, Events, House, people};

/// An employee of that role with a PIN and an account; their id.
async fn hire(owner: &Client, code: &str, role: &str, pin: &str) -> String {
    let id = people::hire(owner, code, &format!("{role} {code}"), "Staff").await;
    people::give_account(owner, &id, &format!("{code}@sample.test"), role).await;
    owner.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
    id
}

/// The caller on `terminal` after that PIN.
async fn by_pin(terminal: &Client, pin: &str) -> Client {
    let switched = terminal.post("/auth/pin", json!({"employeePin": pin})).await.expect(200).data();
    terminal.clone().with_token(switched["accessToken"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn what_everybody_tries_first_is_no_password() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let id = people::hire(&owner, "E1", "Asha Rao", "Waiter").await;
    for easy in ["          ", "1234567890", "password123", "qwertyuiop", "aaaaaaaaaa"] {
        let account = json!({"email": "asha@sample.test", "password": easy, "role": "WAITER"});
        let refused = owner.post(&format!("/employees/{id}/account"), account).await;
        assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["password"], "{easy}");
        let change = json!({"currentPassword": PASSWORD, "newPassword": easy});
        let refused = owner.post("/auth/change-password", change).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["newPassword"], "{easy}");
    }
    people::give_account(&owner, &id, "asha@sample.test", "WAITER").await;
    let token = people::make_code(&owner, "asha@sample.test").await;
    let reset = |password: &str| json!({"token": token, "newPassword": password});
    let refused = branch.anonymous().post("/auth/reset-password", reset("asha rao 12")).await;
    assert_eq!(
        refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["newPassword"],
        "their own name"
    );
    branch.anonymous().post("/auth/reset-password", reset("naan tawa monsoon")).await.expect(200);
}

#[tokio::test]
async fn a_persons_sign_in_ends_after_a_month_and_a_terminals_when_nobody_used_it_for_three() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    for (code, role) in [("waiter", "WAITER"), ("terminal", "TERMINAL")] {
        let id = people::hire(&owner, code, code, "Staff").await;
        people::give_account(&owner, &id, &format!("{code}@sample.test"), role).await;
    }
    let sign_in = async |email: &str| {
        let who = json!({"email": email, "password": PASSWORD});
        branch.anonymous().post("/auth/login", who).await.expect(200).data()["refreshToken"].clone()
    };
    let refresh =
        async |token: &Value| branch.anonymous().post("/auth/refresh", json!({"refreshToken": token})).await;
    let (waiter, terminal) = (sign_in("waiter@sample.test").await, sign_in("terminal@sample.test").await);
    branch.pass(29 * 86_400_000);
    let waiter = refresh(&waiter).await.expect(200).data()["refreshToken"].clone();
    let terminal = refresh(&terminal).await.expect(200).data()["refreshToken"].clone();
    branch.pass(2 * 86_400_000);
    refresh(&waiter).await.refused(401, "UNAUTHORIZED");
    branch.pass(87 * 86_400_000);
    let terminal = refresh(&terminal).await.expect(200).data()["refreshToken"].clone();
    branch.pass(91 * 86_400_000);
    refresh(&terminal).await.refused(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn the_next_persons_pin_ends_the_turn_of_the_one_before_but_for_what_they_had_taken() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    hire(&owner, "A1", "WAITER", "2580").await;
    hire(&owner, "B1", "CASHIER", "1470").await;
    let tablet = people::hire(&owner, "T1", "Tablet", "Tablet").await;
    people::give_account(&owner, &tablet, "tablet@sample.test", "TERMINAL").await;
    let terminal = people::sign_in(&branch.anonymous(), "tablet@sample.test", PASSWORD).await;
    let asha = by_pin(&terminal, "2580").await;
    asha.get("/auth/me").await.expect(200);
    branch.pass(1_000);
    let ravi = by_pin(&terminal, "1470").await;
    ravi.get("/auth/me").await.expect(200);
    asha.get("/auth/me").await.refused(401, "UNAUTHORIZED");
    asha.post("/orders", house.counter(&[("Dal", 1)])).await.refused(401, "UNAUTHORIZED");
    // What Asha had typed before the connection broke still comes in, once, as hers.
    let late = asha.post_keyed("/orders", "typed before", house.counter(&[("Dal", 1)])).await.expect(201);
    let more = json!({"items": house.counter(&[("Lassi", 1)])["items"]});
    let id = late.json()["id"].as_str().unwrap().to_owned();
    asha.post_keyed(&format!("/orders/{id}/items"), "and then", more).await.expect(201);
    let cancel = json!({"status": "CANCELLED", "reason": "x"});
    asha.patch(&format!("/orders/{id}/status"), cancel).await.refused(401, "UNAUTHORIZED");
    branch.pass(181_000);
    let later = asha.post_keyed("/orders", "later", house.counter(&[("Dal", 1)])).await;
    later.refused(401, "UNAUTHORIZED");
    // The terminal is taken back, and a restart forgets none of it.
    terminal.delete("/auth/pin").await.expect(200);
    ravi.get("/auth/me").await.refused(401, "UNAUTHORIZED");
    terminal.get("/auth/me").await.expect(200);
    assert_eq!(branch.number("SELECT count(*) FROM sessions WHERE pin_ended_at IS NOT NULL").await, 1);
}

#[tokio::test]
async fn streams_end_with_the_sign_in() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let cook = hire(&owner, "C1", "KITCHEN", "2580").await;
    hire(&owner, "C2", "KITCHEN", "1470").await;
    let login = json!({"email": "C1@sample.test", "password": PASSWORD});
    let sign_in = async || {
        let tokens = branch.anonymous().post("/auth/login", login.clone()).await.expect(200).data();
        let client = branch.anonymous().with_token(tokens["accessToken"].as_str().unwrap().to_owned());
        (client, tokens["refreshToken"].clone())
    };
    let (signed_out, refresh) = sign_in().await;
    let (switched_off, _) = sign_in().await;
    let first = by_pin(&owner, "1470").await;
    let path = "/kitchen/stream";
    let mut streams = Vec::new();
    for client in [&signed_out, &switched_off, &first] {
        let mut stream = Events::open(client, path, None).await;
        assert_eq!(stream.next().await.name, "hello");
        streams.push(stream);
    }
    branch.pass(1_000);
    let mut rest = streams.into_iter();
    branch.anonymous().post("/auth/logout", json!({"refreshToken": refresh})).await.expect(200);
    rest.next().unwrap().ends().await;
    by_pin(&owner, "2580").await;
    let (mut switched, mut by_pin) = (rest.next().unwrap(), rest.next().unwrap());
    by_pin.ends().await;
    owner.patch(&format!("/employees/{cook}/account"), json!({"active": false})).await.expect(200);
    switched.ends().await;
    switched_off.get("/auth/me").await.refused(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn a_key_belongs_to_outlet_and_device() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let other = branch.second_outlet().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let [asha, ravi] = [("A1", "WAITER", "2580"), ("B1", "CASHIER", "1470")];
    hire(&owner, asha.0, asha.1, asha.2).await;
    hire(&owner, ravi.0, ravi.1, ravi.2).await;
    let body = house.counter(&[("Dal", 1)]);
    // The same device, whoever's turn it is: the first answer. Asha's tablet lost it before Ravi's PIN.
    let first = by_pin(&owner, "2580").await.post_keyed("/orders", "k", body.clone()).await.expect(201);
    branch.pass(1_000);
    let ravis = by_pin(&owner, "1470").await;
    let again = ravis.post_keyed("/orders", "k", body.clone()).await.expect(201);
    assert_eq!((&again.text, again.header("idempotency-replayed")), (&first.text, "true"));
    // Nobody is given an answer whose route they may not call.
    let wage = json!({"name": "Nila", "jobTitle": "Helper", "hourlyRateCents": 900});
    owner.post_keyed("/employees", "k2", wage.clone()).await.expect(201);
    ravis.post_keyed("/employees", "k2", wage).await.refused(403, "FORBIDDEN");
    // Another system's keys are its account's, however often it signs in.
    let id = people::hire(&owner, "S1", "System", "Bridge").await;
    people::give_account(&owner, &id, "system@sample.test", "INTEGRATION").await;
    let mut answers = Vec::new();
    for _ in 0..2 {
        let system = people::sign_in(&branch.anonymous(), "system@sample.test", PASSWORD).await;
        answers.push(system.post_keyed("/orders", "s", body.clone()).await.expect(201));
    }
    assert_eq!((&answers[1].text, answers[1].header("idempotency-replayed")), (&answers[0].text, "true"));
    // Another device has keys of its own, though it is the same account's.
    let elsewhere = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let second = elsewhere.post_keyed("/orders", "k", body.clone()).await.expect(201);
    assert_eq!(second.header("idempotency-replayed"), "");
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 3);
    // Another outlet is never answered with the first one's order.
    let admin = branch.sign_in(Role::SuperAdmin);
    admin.post_keyed("/tables", "k", json!({"number": "K1", "seats": 2})).await.expect(201);
    let there = admin.clone().with_outlet(other);
    let made = there.post_keyed("/tables", "k", json!({"number": "K1", "seats": 2})).await.expect(201);
    assert_eq!(made.header("idempotency-replayed"), "");
    assert_eq!(branch.number("SELECT count(*) FROM dining_tables WHERE number = 'K1'").await, 2);
}

#[tokio::test]
async fn two_phones_at_a_table_do_not_answer_each_other() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let table = house.owner.get(&format!("/tables/{}", house.table(5))).await.expect(200).data();
    let path = format!("/orders/tables/{}/orders", table["qrToken"].as_str().unwrap());
    let order = |phone: &str| json!({"items": [{"menuItemId": house.dish("Dal"), "quantity": 1}], "guestToken": phone});
    let [one, two] = ["phone-of-asha-0001", "phone-of-ravi-0002"];
    let first = branch.anonymous().post_keyed(&path, "1", order(one)).await.expect(201);
    let other = branch.anonymous().post_keyed(&path, "1", order(two)).await.expect(201);
    assert_eq!(other.header("idempotency-replayed"), "");
    let again = branch.anonymous().post_keyed(&path, "1", order(one)).await.expect(201);
    assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &first.text));
}

#[tokio::test]
async fn answers_are_kept_by_nobody_on_the_way_and_a_stranger_learns_nothing_of_the_branch() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    for path in ["/employees", "/orders", "/analytics/summary", "/auth/me", "/nowhere", "/status"] {
        assert_eq!(house.owner.get(path).await.header("cache-control"), "no-store", "{path}");
    }
    let order = house.owner.post("/orders", house.counter(&[("Dal", 1)])).await.expect(201);
    assert_eq!(order.header("cache-control"), "no-store");
    assert_eq!(house.owner.get("/menu").await.header("cache-control"), "private, no-cache");
    let told = branch.anonymous().get("/status").await.expect(200).data();
    assert_eq!(told, json!({"ok": true}));
    let forged = branch.anonymous().with_token("a.b.c".into()).get("/status").await.expect(200).data();
    assert_eq!(forged, told);
    let known = branch.sign_in(Role::Kitchen).get("/status").await.expect(200).data();
    assert_eq!((&known["ok"], &known["outlet"]["code"]), (&json!(true), &json!("BLR1")));
}

#[tokio::test]
async fn who_does_not_need_guests_phones_neither_sees_nor_finds_them() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let mut order = house.counter(&[("Dal", 1)]);
    order["customerName"] = json!("Asha Rao");
    order["customerPhone"] = json!("98450 12345");
    let placed = house.owner.post("/orders", order).await.expect(201).json();
    let path = format!("/orders/{}", placed["id"].as_str().unwrap());
    for (role, sees) in
        [(Role::Waiter, true), (Role::Cashier, true), (Role::Kitchen, false), (Role::Accountant, false)]
    {
        let client = branch.sign_in(role);
        for path in [&path, "/orders", "/orders?q=98450"] {
            let told = client.get(path).await.expect(200).text;
            assert_eq!(told.contains("98450"), sees, "{role:?} {path}");
        }
        let found = client.get("/orders?q=98450").await.json()["pagination"]["total"].clone();
        assert_eq!(found, i64::from(sees), "{role:?}");
        assert_eq!(client.get("/orders?q=Asha").await.json()["pagination"]["total"], 1, "{role:?}");
    }
}

#[tokio::test]
async fn a_second_factor_is_asked_for_from_its_first_code_on_and_each_code_opens_once() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let id = hire(&owner, "M1", "MANAGER", "258013").await;
    let who = |totp: Option<String>| json!({"email": "M1@sample.test", "password": PASSWORD, "totp": totp});
    let sign_in = async |totp: Option<String>| branch.anonymous().post("/auth/login", who(totp)).await;
    let manager = people::sign_in(&branch.anonymous(), "M1@sample.test", PASSWORD).await;
    let begin = |password: &str| json!({"currentPassword": password});
    manager.post("/auth/totp", begin("not the right one")).await.refused(401, "INVALID_CREDENTIALS");
    by_pin(&owner, "258013").await.post("/auth/totp", begin(PASSWORD)).await.refused(403, "FORBIDDEN");
    let told = manager.post("/auth/totp", begin(PASSWORD)).await.expect(200).data();
    let secret = told["secret"].as_str().unwrap().to_owned();
    assert!(told["uri"].as_str().unwrap().starts_with("otpauth://totp/Tiffin:m1%40sample.test?secret="));
    // Until a code of it has opened nobody is shut out by it.
    sign_in(None).await.expect(200);
    let now = || branch.clock.now().get();
    let code = people::digits(&secret, now());
    sign_in(Some(people::digits(&secret, now() + 600_000))).await.refused(401, "INVALID_CREDENTIALS");
    sign_in(Some(code.clone())).await.expect(200);
    sign_in(None).await.refused(401, "TOTP_REQUIRED");
    sign_in(Some(code)).await.refused(401, "INVALID_CREDENTIALS");
    branch.pass(30_000);
    let signed_in = sign_in(Some(people::digits(&secret, now()))).await.expect(200).data();
    assert_eq!(signed_in["user"]["totp"], true);
    manager.post("/auth/totp", begin(PASSWORD)).await.refused(409, "CONFLICT");
    // The PIN opens the till without it.
    by_pin(&owner, "258013").await.get("/menu").await.expect(200);
    // Whoever loses the authenticator asks somebody above.
    let path = format!("/employees/{id}/account");
    assert_eq!(owner.get(&path).await.data()["totp"], true);
    branch.sign_in(Role::Manager).patch(&path, json!({"totp": false})).await.refused(403, "FORBIDDEN");
    owner.patch(&path, json!({"totp": true})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(owner.patch(&path, json!({"totp": false})).await.expect(200).data()["totp"], false);
    sign_in(None).await.expect(200);
    let stored = "SELECT count(*) FROM audit_log WHERE action LIKE 'account.second_factor%'";
    assert_eq!(branch.number(stored).await, 3);
}
