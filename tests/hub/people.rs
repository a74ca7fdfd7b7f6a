//! The people of head office: signing in and out, who may add whom, what the audit log says of it.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_common::{Clock, Uuid};
use tiffin_tests::{Client, HeadOffice, people};

const PASSWORD: &str = "correct horse battery";

async fn add(admin: &Client, email: &str, role: &str, outlets: &[Uuid]) -> Value {
    let user =
        json!({"email": email, "name": "Meera", "password": PASSWORD, "role": role, "outlets": outlets});
    admin.post("/hub/users", user).await.expect(201).data()
}

async fn login(hub: &HeadOffice, email: &str, password: &str) -> tiffin_tests::Reply {
    hub.anonymous().post("/hub/auth/login", json!({"email": email, "password": password})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_refreshing_and_out() {
    let hub = HeadOffice::start().await;
    let outlet = hub.box_of("BLR1").await.outlet.id;
    add(&hub.admin(), "Meera@Example.com", "OWNER", &[outlet]).await;
    let signed_in = login(&hub, "meera@example.com", PASSWORD).await.expect(200).data();
    assert_eq!(signed_in["user"]["role"], "OWNER");
    assert_eq!(signed_in["user"]["outlets"][0]["code"], "BLR1");
    let bearer =
        |tokens: &Value| hub.anonymous().with_token(tokens["accessToken"].as_str().unwrap().to_owned());
    bearer(&signed_in).get("/hub/auth/me").await.expect(200);
    let first = json!({"refreshToken": signed_in["refreshToken"]});
    let second = hub.anonymous().post("/hub/auth/refresh", first.clone()).await.expect(200).data();
    // The answer may have been lost: for ten seconds the same one comes again.
    let again = hub.anonymous().post("/hub/auth/refresh", first.clone()).await.expect(200).data();
    assert_eq!(again["refreshToken"], second["refreshToken"]);
    hub.pass(11_000);
    // Later it is a theft: the whole family is out, at once.
    hub.anonymous().post("/hub/auth/refresh", first).await.refused(401, "UNAUTHORIZED");
    let stolen = json!({"refreshToken": second["refreshToken"]});
    hub.anonymous().post("/hub/auth/refresh", stolen).await.refused(401, "UNAUTHORIZED");
    bearer(&second).get("/hub/auth/me").await.refused(401, "UNAUTHORIZED");
    let signed_in = login(&hub, "meera@example.com", PASSWORD).await.expect(200).data();
    let out = json!({"refreshToken": signed_in["refreshToken"]});
    hub.anonymous().post("/hub/auth/logout", out).await.expect(200);
    bearer(&signed_in).get("/hub/auth/me").await.refused(401, "UNAUTHORIZED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browsers_refresh_token_is_in_a_cookie_that_other_sites_cannot_use() {
    let hub = HeadOffice::start().await;
    add(&hub.admin(), "meera@example.com", "SUPER_ADMIN", &[]).await;
    let origin = hub.base().to_owned();
    let page = hub.anonymous().with_header("origin", &origin);
    let who = json!({"email": "meera@example.com", "password": PASSWORD, "cookie": true});
    for stranger in [hub.anonymous(), hub.anonymous().with_header("origin", "http://evil.example")] {
        stranger.post("/hub/auth/login", who.clone()).await.refused(403, "FORBIDDEN");
    }
    let signed_in = page.post("/hub/auth/login", who).await.expect(200);
    assert_eq!(signed_in.data()["refreshToken"], Value::Null);
    let set = signed_in.header("set-cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/api/v1/hub/auth;", "Max-Age="] {
        assert!(set.contains(part), "{part}: {set}");
    }
    let cookie = set.split(';').next().unwrap().to_owned();
    assert!(!signed_in.text.contains(cookie.split_once('=').unwrap().1));
    let with = |client: &Client, cookie: &str| client.clone().with_header("cookie", cookie);
    let stranger = hub.anonymous().with_header("origin", "http://evil.example");
    with(&stranger, &cookie).post("/hub/auth/refresh", json!({})).await.refused(403, "FORBIDDEN");
    let refused = page.post("/hub/auth/refresh", json!({})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["refreshToken"]);
    let refreshed = with(&page, &cookie).post("/hub/auth/refresh", json!({})).await.expect(200);
    assert_eq!(refreshed.data()["refreshToken"], Value::Null);
    let next = refreshed.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_ne!(next, cookie);
    // Signing out takes the cookie away, and what it opened.
    let out = with(&page, &next).post("/hub/auth/logout", json!({})).await.expect(200);
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{}", out.header("set-cookie"));
    with(&page, &next).post("/hub/auth/refresh", json!({})).await.refused(401, "UNAUTHORIZED");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_offers_a_tap_at_a_demonstration_alone() {
    let hub = HeadOffice::start().await;
    let page = async || {
        let answer = reqwest::get(hub.base()).await.unwrap();
        assert!(
            answer.headers()["content-security-policy"]
                .to_str()
                .unwrap()
                .contains("require-trusted-types-for 'script'")
        );
        answer.text().await.unwrap()
    };
    assert!(!page().await.contains("data-sample"));
    add(&hub.admin(), "admin@chain.test", "SUPER_ADMIN", &[]).await;
    let page = page().await;
    assert!(page.contains("data-sample=\"tiffin-sample\""));
    // Every file that it names is there.
    let files: Vec<&str> = page.split('"').filter(|part| part.starts_with("/a/")).collect();
    assert!(files.len() > 10, "{page}");
    for file in files {
        let answer = reqwest::get(format!("{}{file}", hub.base())).await.unwrap();
        assert_eq!(answer.status(), 200, "{file}");
    }
    // What it asks for goes over the air compressed.
    let reader = hub.admin().with_header("accept-encoding", "gzip");
    assert_eq!(reader.get("/openapi.json").await.header("content-encoding"), "gzip");
    assert_eq!(hub.admin().get("/openapi.json").await.header("content-encoding"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_tells_whether_there_is_an_account() {
    let hub = HeadOffice::start().await;
    add(&hub.admin(), "a@example.com", "SUPER_ADMIN", &[]).await;
    for status in [401, 401, 401, 401, 401, 423] {
        let known = login(&hub, "a@example.com", "wrong password").await.expect(status);
        let unknown = login(&hub, "nobody@example.com", "wrong password").await.expect(status);
        assert_eq!(known.text, unknown.text);
        assert_eq!(known.header("retry-after"), unknown.header("retry-after"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_wrong_passwords_lock_and_the_audit_log_tells() {
    let hub = HeadOffice::start().await;
    add(&hub.admin(), "a@example.com", "SUPER_ADMIN", &[]).await;
    for _ in 0..5 {
        login(&hub, "a@example.com", "wrong password").await.refused(401, "INVALID_CREDENTIALS");
    }
    login(&hub, "a@example.com", PASSWORD).await.refused(423, "LOCKED");
    hub.pass(15 * 60_000);
    login(&hub, "a@example.com", PASSWORD).await.expect(200);
    let log = hub.admin().get("/hub/audit-log?limit=100").await.expect(200).json();
    let actions: Vec<&str> =
        log["data"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions.iter().filter(|action| **action == "auth.login_failed").count(), 4);
    assert!(actions.contains(&"auth.login_locked") && actions.contains(&"user.create"), "{actions:?}");
    assert!(!log.to_string().contains("wrong password"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reaches_above_their_role_or_beyond_their_outlets() {
    let hub = HeadOffice::start().await;
    let [mine, theirs] = [hub.box_of("BLR1").await.outlet.id, hub.box_of("BLR2").await.outlet.id];
    let owner = hub.sign_in(Role::Owner, &[mine]);
    let user = |role: &str, outlets: &[Uuid]| json!({"email": "x@example.com", "name": "X", "password": PASSWORD, "role": role, "outlets": outlets});
    owner.post("/hub/users", user("SUPER_ADMIN", &[])).await.refused(403, "FORBIDDEN");
    let refused = owner.post("/hub/users", user("MANAGER", &[mine, theirs])).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["outlets[1]"]);
    let refused = owner.post("/hub/users", user("WAITER", &[])).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["role", "outlets"]);
    let made = owner.post("/hub/users", user("MANAGER", &[mine])).await.expect(201).data();
    owner.post("/hub/users", user("MANAGER", &[mine])).await.refused(409, "CONFLICT");
    let other = add(&hub.admin(), "other@example.com", "OWNER", &[theirs]).await;
    let path = |user: &Value| format!("/hub/users/{}", user["id"].as_str().unwrap());
    owner.get(&path(&other)).await.refused(404, "NOT_FOUND");
    owner.patch(&path(&other), json!({"name": "Y"})).await.refused(404, "NOT_FOUND");
    assert_eq!(owner.get("/hub/users").await.expect(200).json()["meta"]["total"], 1);
    let stale = owner.clone().with_header("If-Match", "\"7\"");
    stale.patch(&path(&made), json!({"name": "Y"})).await.refused(412, "STALE_VERSION");
    let changed = owner.patch(&path(&made), json!({"name": "Y"})).await.expect(200).data();
    assert_eq!((changed["name"].as_str(), changed["version"].as_i64()), (Some("Y"), Some(2)));
    hub.sign_in(Role::Accountant, &[mine]).get("/hub/users").await.refused(403, "FORBIDDEN");
    hub.anonymous().get("/hub/users").await.refused(401, "UNAUTHORIZED");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_put_out_is_out_at_once_and_the_last_admin_stays() {
    let hub = HeadOffice::start().await;
    // Whom `sync-hub init` made.
    let admin = hub.admin().get("/hub/users").await.expect(200).data()[0].clone();
    let outlet = hub.box_of("BLR1").await.outlet.id;
    let manager = add(&hub.admin(), "m@example.com", "MANAGER", &[outlet]).await;
    let token = login(&hub, "m@example.com", PASSWORD).await.expect(200).data();
    let signed_in = hub.anonymous().with_token(token["accessToken"].as_str().unwrap().to_owned());
    signed_in.get("/hub/auth/me").await.expect(200);
    let path = |user: &Value| format!("/hub/users/{}", user["id"].as_str().unwrap());
    hub.admin().patch(&path(&manager), json!({"isActive": false})).await.expect(200);
    signed_in.get("/hub/auth/me").await.refused(401, "UNAUTHORIZED");
    login(&hub, "m@example.com", PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
    hub.admin().patch(&path(&admin), json!({"isActive": false})).await.refused(409, "CONFLICT");
    hub.admin()
        .patch(&path(&admin), json!({"role": "OWNER", "outlets": [outlet]}))
        .await
        .refused(409, "CONFLICT");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyed_request_is_answered_once_also_when_its_answer_is_a_secret() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let [first, again] = [
        admin.post_keyed("/hub/enrolments", "key-1", json!({})).await.expect(201),
        admin.post_keyed("/hub/enrolments", "key-1", json!({})).await.expect(201),
    ];
    assert_eq!(first.text, again.text);
    assert_eq!(again.header("idempotency-replayed"), "true");
    let other = admin.post_keyed("/hub/enrolments", "key-1", json!({"outletId": Uuid::from_u128(1)})).await;
    other.refused(422, "IDEMPOTENCY_KEY_REUSED");
    let code = first.data()["code"].as_str().unwrap().to_owned();
    assert!(!hub.holds(code.as_bytes()));
}

#[tokio::test(flavor = "multi_thread")]
async fn people_change_their_own_password_and_somebody_above_lets_them_in_again() {
    let hub = HeadOffice::start().await;
    let outlet = hub.box_of("BLR1").await.outlet.id;
    let owner = hub.sign_in(Role::Owner, &[outlet]);
    let meera = add(&owner, "meera@example.com", "MANAGER", &[outlet]).await;
    let path = format!("/hub/users/{}", meera["id"].as_str().unwrap());
    let bearer =
        |tokens: &Value| hub.anonymous().with_token(tokens["accessToken"].as_str().unwrap().to_owned());
    let here = bearer(&login(&hub, "meera@example.com", PASSWORD).await.expect(200).data());
    let other = bearer(&login(&hub, "meera@example.com", PASSWORD).await.expect(200).data());
    let change = |from: &str, to: &str| json!({"currentPassword": from, "newPassword": to});
    for easy in ["          ", "1234567890", "meera@example.com"] {
        let refused = here.post("/hub/auth/change-password", change(PASSWORD, easy)).await;
        assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["newPassword"], "{easy}");
        let user = json!({"email": "meera@example.com", "name": "X", "password": easy, "role": "MANAGER", "outlets": [outlet]});
        let refused = owner.post("/hub/users", user).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["password"], "{easy}");
    }
    let wrong =
        here.post("/hub/auth/change-password", change("not the right one", "naan tawa monsoon")).await;
    wrong.refused(401, "INVALID_CREDENTIALS");
    assert_eq!(here.get("/hub/auth/sessions").await.expect(200).json()["meta"]["total"], 2);
    here.post("/hub/auth/change-password", change(PASSWORD, "naan tawa monsoon")).await.expect(200);
    here.get("/hub/auth/me").await.expect(200);
    other.get("/hub/auth/me").await.refused(401, "UNAUTHORIZED");
    login(&hub, "meera@example.com", PASSWORD).await.refused(401, "INVALID_CREDENTIALS");

    // An equal neither sets a password nor makes a code, and a wish for one's own goes the way with the old one.
    let peer = hub.sign_in(Role::Manager, &[outlet]);
    peer.patch(&path, json!({"password": "curry leaf harbour"})).await.refused(403, "FORBIDDEN");
    peer.patch(&path, json!({"isActive": false})).await.refused(403, "FORBIDDEN");
    peer.post(&format!("{path}/reset-code"), json!({})).await.refused(403, "FORBIDDEN");
    here.patch(&path, json!({"password": "curry leaf harbour"})).await.refused(403, "FORBIDDEN");
    let admins = hub.admin().get("/hub/users").await.expect(200).data();
    let first = admins.as_array().unwrap().iter().find(|user| user["role"] == "SUPER_ADMIN").unwrap().clone();
    let of_admin = format!("/hub/users/{}", first["id"].as_str().unwrap());
    hub.admin().patch(&of_admin, json!({"password": "curry leaf harbour"})).await.refused(403, "FORBIDDEN");

    let made = owner.post(&format!("{path}/reset-code"), json!({})).await.expect(200).data();
    let code = made["code"].as_str().unwrap().to_owned();
    assert!(!hub.holds(code.as_bytes()) && !hub.holds(code.replace('-', "").as_bytes()));
    let reset = |token: &str| json!({"token": token, "newPassword": "curry leaf harbour"});
    hub.anonymous()
        .post("/hub/auth/reset-password", reset("NONE-NONE-NONE"))
        .await
        .refused(401, "INVALID_CREDENTIALS");
    hub.anonymous().post("/hub/auth/reset-password", reset(&code.to_lowercase())).await.expect(200);
    here.get("/hub/auth/me").await.refused(401, "UNAUTHORIZED");
    hub.anonymous().post("/hub/auth/reset-password", reset(&code)).await.refused(401, "INVALID_CREDENTIALS");
    let entries = async |action: &str| {
        hub.admin().get(&format!("/hub/audit-log?action={action}")).await.expect(200).json()
    };
    for (action, count) in [("auth.reset", 1), ("auth.reset_refused", 2), ("user.reset_code", 1)] {
        let found = entries(action).await;
        assert_eq!(found["meta"]["total"], count, "{action}: {found}");
        assert!(found["data"][0]["device"].is_string(), "{found}");
    }
    let again = bearer(&login(&hub, "meera@example.com", "curry leaf harbour").await.expect(200).data());

    // Devices: one's own, or of somebody below.
    let list = format!("/hub/auth/sessions?userId={}", meera["id"].as_str().unwrap());
    let open = owner.get(&list).await.expect(200).data();
    let session = format!("/hub/auth/sessions/{}", open[0]["id"].as_str().unwrap());
    peer.delete(&session).await.refused(403, "FORBIDDEN");
    hub.sign_in(Role::Accountant, &[outlet]).delete(&session).await.refused(404, "NOT_FOUND");
    hub.sign_in(Role::Accountant, &[outlet]).get(&list).await.refused(404, "NOT_FOUND");
    again.get("/hub/auth/me").await.expect(200);
    owner.delete(&session).await.expect(200);
    again.get("/hub/auth/me").await.refused(401, "UNAUTHORIZED");
    owner.delete(&session).await.refused(404, "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_end_after_a_month() {
    let hub = HeadOffice::start().await;
    add(&hub.admin(), "a@example.com", "SUPER_ADMIN", &[]).await;
    let mut token = login(&hub, "a@example.com", PASSWORD).await.expect(200).data()["refreshToken"].clone();
    for _ in 0..2 {
        hub.pass(14 * 86_400_000);
        let next =
            hub.anonymous().post("/hub/auth/refresh", json!({"refreshToken": token})).await.expect(200);
        token = next.data()["refreshToken"].clone();
    }
    hub.pass(3 * 86_400_000);
    hub.anonymous()
        .post("/hub/auth/refresh", json!({"refreshToken": token}))
        .await
        .refused(401, "UNAUTHORIZED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_factor_is_asked_for_once_it_opened_and_head_office_may_ask_for_it_of_all() {
    let off =
        [("limit-general", "off"), ("limit-login", "off"), ("limit-enrol", "off"), ("limit-exchange", "off")];
    let hub = HeadOffice::with(off.into_iter().chain([("require-totp", "yes")])).await;
    let outlet = hub.box_of("BLR1").await.outlet.id;
    let user = add(&hub.admin(), "meera@example.com", "OWNER", &[outlet]).await;
    let who = |password: &str, totp: Option<String>| json!({"email": "meera@example.com", "password": password, "totp": totp});
    let sign_in =
        async |totp: Option<String>| hub.anonymous().post("/hub/auth/login", who(PASSWORD, totp)).await;
    sign_in(None).await.refused(401, "TOTP_REQUIRED");
    hub.anonymous()
        .post("/hub/auth/totp", who("not the right one", None))
        .await
        .refused(401, "INVALID_CREDENTIALS");
    let told = hub.anonymous().post("/hub/auth/totp", who(PASSWORD, None)).await.expect(200).data();
    let secret = told["secret"].as_str().unwrap().to_owned();
    assert!(told["uri"].as_str().unwrap().starts_with("otpauth://totp/Tiffin:meera%40example.com?secret="));
    assert!(!hub.holds(secret.as_bytes()));
    let now = || hub.clock.now().get();
    sign_in(None).await.refused(401, "TOTP_REQUIRED");
    sign_in(Some(people::digits(&secret, now() + 600_000))).await.refused(401, "INVALID_CREDENTIALS");
    let code = people::digits(&secret, now());
    sign_in(Some(code.clone())).await.expect(200);
    // Each opens once; the secret is told once.
    sign_in(Some(code)).await.refused(401, "INVALID_CREDENTIALS");
    hub.anonymous().post("/hub/auth/totp", who(PASSWORD, None)).await.refused(409, "CONFLICT");
    hub.pass(30_000);
    sign_in(Some(people::digits(&secret, now()))).await.expect(200);
    // Whoever loses the authenticator asks somebody above.
    let path = format!("/hub/users/{}", user["id"].as_str().unwrap());
    hub.sign_in(Role::Owner, &[outlet]).patch(&path, json!({"totp": false})).await.refused(403, "FORBIDDEN");
    hub.admin().patch(&path, json!({"totp": false})).await.expect(200);
    hub.anonymous().post("/hub/auth/totp", who(PASSWORD, None)).await.expect(200);
}
