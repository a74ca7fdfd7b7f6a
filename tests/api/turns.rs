//! Whose turn it is at a device, whose a key is there, and the cookie of a browser.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::paired::{at_till, by_pin, pair, paired};
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, House, people};

#[tokio::test]
async fn four_people_use_one_tablet_in_turns_and_each_order_is_there_once_and_names_who_sent_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    for (code, role, pin) in [
        ("A1", "WAITER", "2580"),
        ("B1", "CASHIER", "1470"),
        ("C1", "WAITER", "3690"),
        ("D1", "MANAGER", "258013"),
    ] {
        at_till(&owner, code, role, pin).await;
    }
    let (tablet, _) = paired(&branch, &owner, "POS").await;
    let body = |quantity: i64| house.counter(&[("Dal", quantity)]);
    // Asha taps twice.
    let (asha, turn) = by_pin(&tablet, "2580").await;
    assert_eq!((&turn["employee"]["name"], &turn["employee"]["role"]), (&json!("A1 Rao"), &json!("WAITER")));
    assert_eq!((&turn["expiresIn"], &turn["idleSeconds"]), (&json!(43_200), &json!(600)));
    let taps =
        tokio::join!(asha.post_keyed("/orders", "a", body(1)), asha.post_keyed("/orders", "a", body(1)));
    assert_eq!(taps.0.expect(201).json()["id"], taps.1.expect(201).json()["id"]);
    // Ravi's answer is lost; Chitra has entered her PIN by the time the tablet sends it again: by Ravi's token, and by hers.
    let (ravi, _) = by_pin(&tablet, "1470").await;
    let sent = ravi.post_keyed("/orders", "b", body(2)).await.expect(201).json();
    branch.pass(1_000);
    let (chitra, _) = by_pin(&tablet, "3690").await;
    for client in [&ravi, &chitra] {
        let again = client.post_keyed("/orders", "b", body(2)).await.expect(201);
        assert_eq!((&again.json()["id"], again.header("idempotency-replayed")), (&sent["id"], "true"));
    }
    // What Ravi had typed and not sent is still his; Chitra's is hers.
    ravi.post_keyed("/orders", "b2", body(3)).await.expect(201);
    chitra.post_keyed("/orders", "c", body(4)).await.expect(201);
    branch.pass(1_000);
    let (deepa, _) = by_pin(&tablet, "258013").await;
    deepa.post_keyed("/orders", "d", body(5)).await.expect(201);
    ravi.get("/orders").await.refused(401, "UNAUTHORIZED");
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 5);
    let orders = owner.get("/orders?limit=50").await.expect(200).json();
    let mut senders = Vec::new();
    for order in orders["data"].as_array().unwrap() {
        let order = owner.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.json();
        let by = order["statusHistory"][0]["by"].as_str().unwrap().to_owned();
        assert_eq!(order["server"]["name"], by, "whoever sent it first serves it");
        senders.push((order["items"][0]["quantity"].as_i64().unwrap(), by));
    }
    senders.sort();
    let expected = [(1, "A1 Rao"), (2, "B1 Rao"), (3, "B1 Rao"), (4, "C1 Rao"), (5, "D1 Rao")];
    assert_eq!(senders, expected.map(|(quantity, by)| (quantity, by.to_owned())));
    // Another tablet has keys of its own.
    let (other, _) = paired(&branch, &owner, "POS").await;
    let (asha, _) = by_pin(&other, "2580").await;
    let fresh = asha.post_keyed("/orders", "a", body(1)).await.expect(201);
    assert_eq!(fresh.header("idempotency-replayed"), "");
}

#[tokio::test]
async fn a_turn_needs_no_account_ends_when_nobody_is_there_and_opens_the_till_alone() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let id = at_till(&owner, "D1", "MANAGER", "258013").await;
    let nobody = people::hire(&owner, "N1", "Nila", "Helper").await;
    owner.put(&format!("/employees/{nobody}/pin"), json!({"pin": "3690"})).await.expect(200);
    let (tablet, _) = paired(&branch, &owner, "POS").await;
    tablet.post("/auth/pin", json!({"employeePin": "3690"})).await.refused(403, "FORBIDDEN");
    let (deepa, _) = by_pin(&tablet, "258013").await;
    let me = deepa.get("/auth/me").await.expect(200).data();
    assert_eq!(
        (&me["name"], &me["role"], &me["employeeId"]),
        (&json!("D1 Rao"), &json!("MANAGER"), &json!(id))
    );
    for path in ["/employees", "/devices", "/audit-log", "/auth/sessions"] {
        deepa.get(path).await.refused(403, "FORBIDDEN");
    }
    // It slides with use, up to twelve hours.
    for _ in 0..40 {
        branch.pass(599_000);
        deepa.get("/menu").await.expect(200);
    }
    branch.pass(600_000);
    deepa.get("/menu").await.refused(401, "UNAUTHORIZED");
    // What had been typed by then may still come, for three minutes.
    deepa.post_keyed("/orders", "typed", house.counter(&[("Dal", 1)])).await.expect(201);
    branch.pass(181_000);
    deepa.post_keyed("/orders", "late", house.counter(&[("Dal", 1)])).await.refused(401, "UNAUTHORIZED");
    let tablet = again(&branch, &owner).await;
    let (deepa, _) = by_pin(&tablet, "258013").await;
    for _ in 0..72 {
        deepa.get("/menu").await.expect(200);
        branch.pass(598_000);
    }
    deepa.get("/menu").await.expect(200);
    branch.pass(43_200_000 - 72 * 598_000);
    deepa.get("/menu").await.refused(401, "TOKEN_EXPIRED");
    // Another role at the till, and who leaves: the turn ends at once.
    let tablet = again(&branch, &owner).await;
    let (deepa, _) = by_pin(&tablet, "258013").await;
    branch.pass(1_000);
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    owner.patch(&format!("/employees/{id}"), json!({"tillRole": "WAITER"})).await.expect(200);
    deepa.get("/menu").await.refused(401, "UNAUTHORIZED");
    branch.pass(1_000);
    let (deepa, turn) = by_pin(&tablet, "258013").await;
    assert_eq!(turn["employee"]["role"], "WAITER");
    branch.pass(1_000);
    owner.delete(&format!("/employees/{id}")).await.expect(200);
    deepa.get("/menu").await.refused(401, "UNAUTHORIZED");
}

/// Another till: the access token of one that waited for hours is over.
async fn again(branch: &Branch, _: &Client) -> Client {
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    paired(branch, &owner, "POS").await.0
}

#[tokio::test]
async fn who_has_no_account_approves_by_the_role_at_the_till() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    at_till(&owner, "D1", "MANAGER", "258013").await;
    at_till(&owner, "W1", "WAITER", "369014").await;
    let cashier = branch.sign_in(Role::Cashier);
    let session = cashier.post("/cash-sessions", json!({"openingFloatCents": 0})).await.expect(201).data();
    let path = format!("/cash-sessions/{}/no-sale", session["id"].as_str().unwrap());
    let no_sale = |pin: &str| json!({"reason": "change", "approverPin": pin});
    cashier.post(&path, no_sale("369014")).await.refused(403, "FORBIDDEN");
    cashier.post(&path, no_sale("258013")).await.expect(201);
}

#[tokio::test]
async fn a_browsers_refresh_token_is_in_a_cookie_that_other_sites_cannot_use() {
    let branch = Branch::start().await;
    let origin = branch.base().to_owned();
    let page = branch.anonymous().with_header("origin", &origin);
    let who = json!({"email": OWNER, "password": PASSWORD, "cookie": true});
    for stranger in [branch.anonymous(), branch.anonymous().with_header("origin", "http://evil.example")] {
        stranger.post("/auth/login", who.clone()).await.refused(403, "FORBIDDEN");
    }
    let signed_in = page.post("/auth/login", who).await.expect(200);
    assert_eq!(signed_in.data()["refreshToken"], Value::Null);
    let set = signed_in.header("set-cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/api/v1/auth", "Max-Age=2592000"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    assert!(!set.contains("Secure"), "{set}");
    let cookie = set.split(';').next().unwrap().to_owned();
    assert!(!signed_in.text.contains(cookie.split_once('=').unwrap().1));
    let with =
        |client: &Client, cookie: &str| client.clone().with_header("cookie", &format!("a=b; {cookie}"));
    // Another site's page has the browser, not the cookie.
    let stranger = branch.anonymous().with_header("origin", "http://evil.example");
    with(&stranger, &cookie).post("/auth/refresh", json!({})).await.refused(403, "FORBIDDEN");
    with(&branch.anonymous(), &cookie).post("/auth/refresh", json!({})).await.refused(403, "FORBIDDEN");
    let refused = page.post("/auth/refresh", json!({})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["refreshToken"]);
    let refreshed = with(&page, &cookie).post("/auth/refresh", json!({})).await.expect(200);
    assert_eq!(refreshed.data()["refreshToken"], Value::Null);
    let next = refreshed.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_ne!(next, cookie);
    // Signing out takes the cookie away, and what it opened.
    let out = with(&page, &next).post("/auth/logout", json!({})).await.expect(200);
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{}", out.header("set-cookie"));
    with(&page, &next).post("/auth/refresh", json!({})).await.refused(401, "UNAUTHORIZED");
    // A page that came over TLS, ended by a proxy, has one that goes over TLS alone.
    let secure = branch.anonymous().with_header("origin", &origin.replace("http:", "https:"));
    let who = json!({"email": OWNER, "password": PASSWORD, "cookie": true});
    assert!(secure.post("/auth/login", who).await.expect(200).header("set-cookie").contains("Secure"));
    // A device's, too.
    let codes = pair(&branch, "POS").await;
    branch
        .sign_in(Role::Manager)
        .post("/devices/approve", json!({"userCode": codes["userCode"]}))
        .await
        .expect(201);
    let ask = json!({"deviceCode": codes["deviceCode"], "cookie": true});
    branch.anonymous().post("/devices/token", ask.clone()).await.refused(403, "FORBIDDEN");
    let given = page.post("/devices/token", ask).await.expect(200);
    assert_eq!(given.data()["refreshToken"], Value::Null);
    let cookie = given.header("set-cookie").split(';').next().unwrap().to_owned();
    with(&page, &cookie).post("/auth/refresh", json!({})).await.expect(200);
}
