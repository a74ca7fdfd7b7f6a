//! `/auth` and the accounts of employees.

use edge::access::{Actor, Role, hashing};
use edge::resources::auth::actions::create_account;
use edge::resources::auth::rules::{AuthError, NewAccount};
use serde_json::{Value, json};
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client};

const PASSWORD: &str = "correct horse battery";

/// An account that can really sign in, `<role>@sample.test`.
async fn account(branch: &Branch, role: Role) -> String {
    let email = format!("{}@sample.test", role.name().to_lowercase());
    let (outlet, name) = (branch.outlet_id, email.clone());
    let password_hash = hashing::password(PASSWORD, [3; 16]).unwrap();
    let new = NewAccount {
        email: email.clone(),
        name,
        role,
        password_hash,
        employee_id: None,
        outlets: vec![outlet],
    };
    let made = branch.db.write(move |tx| create_account(tx, &Actor::system(outlet), new)).await;
    made.map_err(|error: AuthError| error.to_string()).unwrap();
    email
}

async fn login(branch: &Branch, email: &str) -> Value {
    let body = json!({"email": email, "password": PASSWORD, "deviceName": "Till 1"});
    branch.anonymous().post("/auth/login", body).await.expect(200).data()
}

async fn signed_in(branch: &Branch, role: Role) -> Client {
    let email = account(branch, role).await;
    client(branch, &login(branch, &email).await)
}

fn client(branch: &Branch, tokens: &Value) -> Client {
    let token = tokens["accessToken"].as_str().unwrap().to_owned();
    branch.anonymous().with_token(token).with_outlet(branch.outlet_id)
}

async fn employee(owner: &Client, code: &str, pin: Option<&str>) -> String {
    let body = json!({"employeeCode": code, "name": "Meera Nair", "jobTitle": "Cashier"});
    let id = owner.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    if let Some(pin) = pin {
        owner.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
    }
    id
}

async fn give_account(owner: &Client, employee: &str, role: &str) -> Value {
    let email = format!("{}@sample.test", role.to_lowercase());
    let body = json!({"email": email, "password": PASSWORD, "role": role});
    owner.post(&format!("/employees/{employee}/account"), body).await.expect(201).data()
}

#[tokio::test]
async fn signing_in_tells_who_one_is() {
    let branch = Branch::start().await;
    let email = account(&branch, Role::Cashier).await;
    let tokens = login(&branch, &email.to_uppercase()).await;
    assert_eq!(tokens["expiresIn"], 900);
    assert_eq!(tokens["user"]["email"], email);
    assert_eq!(tokens["user"]["role"], "CASHIER");
    assert_eq!(tokens["user"]["outlets"][0]["code"], "BLR1");
    let cashier = client(&branch, &tokens).without_outlet();
    assert_eq!(cashier.get("/auth/me").await.data(), tokens["user"]);
    branch.pass(900_000);
    cashier.get("/auth/me").await.refused(401, "TOKEN_EXPIRED");
    let body = json!({"email": email, "password": "wrong"});
    let wrong = branch.anonymous().post("/auth/login", body).await.refused(401, "INVALID_CREDENTIALS");
    let body = json!({"email": "nobody@sample.test", "password": "wrong"});
    let unknown = branch.anonymous().post("/auth/login", body).await.refused(401, "INVALID_CREDENTIALS");
    assert_eq!(wrong.text, unknown.text);
}

#[tokio::test]
async fn wrong_passwords_lock_the_account_at_that_address() {
    let branch = Branch::start().await;
    let email = account(&branch, Role::Cashier).await;
    let guess = |password: &str| json!({"email": email, "password": password});
    for _ in 0..5 {
        branch.anonymous().post("/auth/login", guess("wrong")).await.refused(401, "INVALID_CREDENTIALS");
    }
    let locked = branch.anonymous().post("/auth/login", guess(PASSWORD)).await.refused(423, "LOCKED");
    assert_eq!(locked.header("retry-after"), "900");
    branch.pass(900_000);
    login(&branch, &email).await;
    let owner = branch.sign_in(Role::Owner);
    let log = owner.get("/audit-log?action=auth.login_locked").await.json();
    assert_eq!(log["meta"]["total"], 1);
}

#[tokio::test]
async fn many_guesses_at_once_get_no_more_than_the_limit() {
    let branch = Branch::start().await;
    let email = account(&branch, Role::Cashier).await;
    let guesses = (0..20).map(|_| {
        let (client, email) = (branch.anonymous(), email.clone());
        tokio::spawn(async move {
            client.post("/auth/login", json!({"email": email, "password": "wrong"})).await.status
        })
    });
    let mut refused = 0;
    for guess in guesses.collect::<Vec<_>>() {
        refused += usize::from(guess.await.unwrap() == 401);
    }
    assert_eq!(refused, 5);
}

#[tokio::test]
async fn a_refresh_token_is_replaced_and_a_spent_one_gives_the_theft_away() {
    let branch = Branch::start().await;
    let email = account(&branch, Role::Cashier).await;
    let first = login(&branch, &email).await;
    let refresh =
        async |token: &Value| branch.anonymous().post("/auth/refresh", json!({"refreshToken": token})).await;
    branch.pass(60_000);
    let second = refresh(&first["refreshToken"]).await.expect(200).data();
    assert_ne!(second["refreshToken"], first["refreshToken"]);
    branch.pass(9_000);
    let again = refresh(&first["refreshToken"]).await.expect(200).data();
    assert_eq!(again["refreshToken"], second["refreshToken"]);
    branch.pass(2_000);
    let till = client(&branch, &again);
    till.get("/auth/me").await.expect(200);
    refresh(&first["refreshToken"]).await.refused(401, "UNAUTHORIZED");
    till.get("/auth/me").await.refused(401, "UNAUTHORIZED");
    refresh(&second["refreshToken"]).await.refused(401, "UNAUTHORIZED");
    refresh(&json!("nonsense")).await.refused(401, "UNAUTHORIZED");
    // Nothing of the tokens is in the database as it is.
    let stored = branch.number("SELECT count(*) FROM refresh_tokens WHERE length(hash) = 32").await;
    assert_eq!(stored, 2);
}

#[tokio::test]
async fn signing_out_ends_the_device_at_once_and_only_that_device() {
    let branch = Branch::start().await;
    let email = account(&branch, Role::Cashier).await;
    let [till, tablet] = [login(&branch, &email).await, login(&branch, &email).await];
    let body = json!({"refreshToken": till["refreshToken"]});
    branch.anonymous().post("/auth/logout", body.clone()).await.expect(200);
    branch.anonymous().post("/auth/logout", body).await.expect(200);
    client(&branch, &till).get("/auth/me").await.refused(401, "UNAUTHORIZED");
    client(&branch, &tablet).get("/auth/me").await.expect(200);
}

#[tokio::test]
async fn devices_are_listed_and_signed_out() {
    let branch = Branch::start().await;
    let waiter = account(&branch, Role::Waiter).await;
    let lost = login(&branch, &waiter).await;
    let waiter = client(&branch, &login(&branch, &waiter).await);
    let list = waiter.get("/auth/sessions").await.json();
    assert_eq!(list["meta"]["total"], 2);
    let devices = list["data"].as_array().unwrap();
    let other = devices.iter().find(|device| device["current"] == false).unwrap();
    assert_eq!(other["deviceName"], "Till 1");
    waiter.get("/auth/sessions?all=true").await.refused(403, "FORBIDDEN");
    let manager = signed_in(&branch, Role::Manager).await;
    assert_eq!(manager.get("/auth/sessions?all=true").await.json()["meta"]["total"], 3);
    let own = manager.get("/auth/sessions").await.json()["data"][0]["id"].as_str().unwrap().to_owned();
    waiter.delete(&format!("/auth/sessions/{own}")).await.refused(404, "NOT_FOUND");
    let lost_id = other["id"].as_str().unwrap();
    manager.delete(&format!("/auth/sessions/{lost_id}")).await.expect(200);
    client(&branch, &lost).get("/auth/me").await.refused(401, "UNAUTHORIZED");
    let body = json!({"refreshToken": lost["refreshToken"]});
    branch.anonymous().post("/auth/refresh", body).await.refused(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn a_forgotten_password_is_reset_with_a_code_from_a_manager() {
    let branch = Branch::start().await;
    let owner = signed_in(&branch, Role::Owner).await;
    let asha = employee(&owner, "EMP01", None).await;
    let email = give_account(&owner, &asha, "CASHIER").await["email"].as_str().unwrap().to_owned();
    let tokens = login(&branch, &email).await;
    let anyone = branch.anonymous();
    let known = anyone.post("/auth/forgot-password", json!({"email": email})).await.expect(200);
    let body = json!({"email": "nobody@sample.test"});
    let unknown = anyone.post("/auth/forgot-password", body).await.expect(200);
    assert_eq!(known.text, unknown.text);
    let notices = branch.sign_in(Role::Manager).get("/notifications").await.json();
    assert_eq!(notices["meta"]["total"], 1);
    assert_eq!(branch.sign_in(Role::Cashier).get("/notifications").await.json()["meta"]["total"], 0);
    let code = tiffin_tests::people::make_code(&owner, &email).await;
    let short = json!({"token": code, "newPassword": "short"});
    let refused = anyone.post("/auth/reset-password", short).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["newPassword"]);
    let body = json!({"token": code, "newPassword": "another long one"});
    anyone.post("/auth/reset-password", body.clone()).await.expect(200);
    anyone.post("/auth/reset-password", body).await.refused(401, "INVALID_CREDENTIALS");
    client(&branch, &tokens).get("/auth/me").await.refused(401, "UNAUTHORIZED");
    let body = json!({"email": email, "password": PASSWORD});
    anyone.post("/auth/login", body).await.refused(401, "INVALID_CREDENTIALS");
    let body = json!({"email": email, "password": "another long one"});
    let tokens = anyone.post("/auth/login", body).await.expect(200).data();
    client(&branch, &tokens).get("/auth/me").await.expect(200);
}

#[tokio::test]
async fn changing_ones_password_signs_the_other_devices_out() {
    let branch = Branch::start().await;
    let email = account(&branch, Role::Cashier).await;
    let other = login(&branch, &email).await;
    let here = client(&branch, &login(&branch, &email).await);
    let change = |current: &str| json!({"currentPassword": current, "newPassword": "another long one"});
    for _ in 0..5 {
        let reply = here.post("/auth/change-password", change("wrong")).await;
        reply.refused(401, "INVALID_CREDENTIALS");
    }
    here.post("/auth/change-password", change(PASSWORD)).await.refused(423, "LOCKED");
    branch.pass(800_000);
    let body = json!({"refreshToken": other["refreshToken"]});
    let other = branch.anonymous().post("/auth/refresh", body).await.expect(200).data();
    branch.pass(99_000);
    here.post("/auth/change-password", change(PASSWORD)).await.refused(423, "LOCKED");
    branch.pass(1_000);
    let here = client(&branch, &login(&branch, &email).await);
    here.post("/auth/change-password", change(PASSWORD)).await.expect(200);
    here.get("/auth/me").await.expect(200);
    client(&branch, &other).get("/auth/me").await.refused(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn a_terminal_is_handed_over_by_pin_while_it_is_used() {
    let branch = Branch::start().await;
    let owner = signed_in(&branch, Role::Owner).await;
    let meera = employee(&owner, "EMP01", Some("1003")).await;
    let ravi = employee(&owner, "EMP02", Some("1004")).await;
    give_account(&owner, &meera, "CASHIER").await;
    let terminal = signed_in(&branch, Role::Terminal).await;
    let enter = async |pin: &str| terminal.post("/auth/pin", json!({"employeePin": pin})).await;
    let switched = enter("1003").await.expect(200).data();
    assert_eq!(switched["expiresIn"], 43_200);
    assert_eq!(switched["employee"]["role"], "CASHIER");
    assert_eq!(switched["user"]["role"], "CASHIER");
    assert_eq!(switched["user"]["employeeId"], *meera);
    let till = client(&branch, &switched);
    till.get("/auth/me").await.expect(200);
    enter("1004").await.refused(403, "FORBIDDEN");
    enter("12ab").await.refused(422, "PAYLOAD_VALIDATION");

    // Whoever has left is unknown, and the token in hand is void.
    owner.delete(&format!("/employees/{meera}")).await.expect(200);
    till.get("/auth/me").await.refused(401, "UNAUTHORIZED");
    give_account(&owner, &ravi, "WAITER").await;
    for _ in 0..5 {
        enter("1003").await.refused(401, "INVALID_PIN");
    }
    let locked = enter("1004").await.refused(423, "LOCKED");
    assert_eq!(locked.header("retry-after"), "300");
    branch.pass(300_000);
    let till = client(&branch, &enter("1004").await.expect(200).data());
    branch.pass(599_000);
    till.get("/auth/me").await.expect(200);
    branch.pass(600_000);
    till.get("/auth/me").await.refused(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn accounts_are_given_and_changed_up_to_ones_own_role() {
    let branch = Branch::start().await;
    let owner = signed_in(&branch, Role::Owner).await;
    let manager = signed_in(&branch, Role::Manager).await;
    let id = employee(&owner, "EMP01", None).await;
    let path = format!("/employees/{id}/account");
    owner.get(&format!("/employees/{id}/account")).await.refused(404, "NOT_FOUND");
    let wish = |role: &str| json!({"email": "e@sample.test", "password": PASSWORD, "role": role});
    manager.post(&path, wish("OWNER")).await.refused(403, "FORBIDDEN");
    owner.post(&path, wish("SUPER_ADMIN")).await.refused(403, "FORBIDDEN");
    let elsewhere = branch.second_outlet().await;
    let abroad =
        json!({"email": "e@sample.test", "password": PASSWORD, "role": "WAITER", "outlets": [elsewhere]});
    let refused = owner.post(&path, abroad).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["outlets[0]"]);
    let made = manager.post(&path, wish("WAITER")).await.expect(201).data();
    assert_eq!((&made["role"], &made["active"]), (&json!("WAITER"), &json!(true)));
    assert_eq!(made["outlets"], json!([branch.outlet_id]));
    let taken = manager.post(&path, wish("WAITER")).await.refused(409, "CONFLICT");
    assert_eq!(taken.invalid_fields(), ["employeeId"]);

    let waiter = client(&branch, &login(&branch, "e@sample.test").await);
    let changed = owner.patch(&format!("/employees/{id}/account"), json!({"role": "CASHIER"})).await;
    assert_eq!(changed.data()["version"], 2);
    waiter.get("/auth/me").await.refused(401, "UNAUTHORIZED");
    let cashier = client(&branch, &login(&branch, "e@sample.test").await);
    assert_eq!(cashier.get("/auth/me").await.data()["role"], "CASHIER");
    owner.patch(&path, json!({"active": false})).await.expect(200);
    cashier.get("/auth/me").await.refused(401, "UNAUTHORIZED");
    let body = json!({"email": "e@sample.test", "password": PASSWORD});
    branch.anonymous().post("/auth/login", body).await.refused(401, "INVALID_CREDENTIALS");
}

#[tokio::test]
async fn a_request_names_an_outlet_of_its_account() {
    let branch = Branch::start().await;
    let elsewhere = branch.second_outlet().await;
    let cashier = signed_in(&branch, Role::Cashier).await;
    cashier.clone().with_outlet(elsewhere).get("/auth/me").await.refused(403, "INVALID_OUTLET_SCOPE");
    cashier
        .without_outlet()
        .with_header("x-outlet-id", "x")
        .get("/auth/me")
        .await
        .refused(400, "BAD_REQUEST");
    let admin = signed_in(&branch, Role::SuperAdmin).await;
    admin.clone().without_outlet().get("/auth/me").await.refused(400, "INVALID_OUTLET_SCOPE");
    let me = admin.with_outlet(elsewhere).get("/auth/me").await.data();
    assert_eq!(me["outlets"].as_array().unwrap().len(), 2);
    let nowhere = branch.sign_in(Role::SuperAdmin).with_outlet(Uuid::nil());
    nowhere.get("/auth/me").await.refused(403, "INVALID_OUTLET_SCOPE");
}
