//! A tablet that is paired by its code in a browser, and the people who use it in turns by PIN.

use super::Browser;
use super::looks::examine;
use serde_json::{Value, json};
use tiffin_tests::paired::{at_till, by_pin};
use tiffin_tests::{Client, Edge, sample, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A tablet that is held upright.
const TABLET: (u32, u32) = (820, 1180);

/// The people: code, role at the till, PIN.
const PEOPLE: [(&str, &str, &str); 4] = [
    ("ASHA", "WAITER", "739182"),
    ("RAVI", "CASHIER", "518294"),
    ("CHITRA", "WAITER", "846205"),
    ("DEEPA", "MANAGER", "927516"),
];

/// What the page of a screen that waits shows.
async fn code_on(browser: &Browser) -> String {
    let code = browser.text_of("code.print").await;
    assert!(code.len() == 9 && code.as_bytes()[4] == b'-', "{code}");
    code
}

/// Asks for a code in the page that is open.
async fn ask(browser: &Browser, kind: &str, name: &str) {
    browser.tap(&format!("option[value={kind}]")).await;
    browser.fill("#name", name).await;
    browser.tap("button").await;
}

/// Waits until the page says `words`, which may be another one by then.
async fn says(browser: &Browser, words: &str) {
    until(words, async || browser.text().await.contains(words).then_some(())).await;
}

/// The tablet as a program of its own page: signed in by the cookie alone.
async fn signed_in(browser: &Browser, edge: &Edge) -> Client {
    // No script reads what the page was given.
    assert_eq!(browser.run("return document.cookie").await, "");
    let kept = browser.command("Network.getAllCookies", json!({})).await;
    let [cookie] = kept["cookies"].as_array().unwrap().as_slice() else { panic!("one cookie: {kept}") };
    assert_eq!(
        [&cookie["httpOnly"], &cookie["sameSite"], &cookie["path"]],
        [&json!(true), &json!("Strict"), &json!("/api/v1/auth")]
    );
    let cookie = format!("{}={}", cookie["name"].as_str().unwrap(), cookie["value"].as_str().unwrap());
    let page = edge.client().with_header("origin", edge.base()).with_header("cookie", &cookie);
    let tokens = page.post("/auth/refresh", json!({})).await.expect(200).data();
    assert_eq!(tokens["refreshToken"], Value::Null);
    edge.client().with_token(tokens["accessToken"].as_str().unwrap().to_owned())
}

/// Sends an order whose answer begins and never arrives.
async fn send_and_lose(edge: &Edge, who: &Client, key: &str, body: &Value) {
    let body = body.to_string();
    let head = format!(
        "POST /api/v1/orders HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nidempotency-key: {key}\r\ncontent-type: \
         application/json\r\ncontent-length: {}\r\n\r\n",
        edge.listen(),
        who.token().unwrap(),
        body.len()
    );
    let mut line = tokio::net::TcpStream::connect(edge.listen()).await.unwrap();
    line.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    line.read_exact(&mut [0]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tablet_is_paired_by_its_code_and_four_people_use_it_in_turns() {
    let folder = tempfile::tempdir().unwrap();
    sample::init(folder.path(), "BLR1");
    let edge = Edge::serve(folder.path(), &[]).await;
    let owner = sample::owner_of_plenty(&edge).await;
    let browser = Browser::start().await;
    browser.screen(TABLET, true, false).await;
    browser.open(edge.base()).await;
    browser.tap("a[href='/pair']").await;
    assert_eq!(browser.text_of("h1").await, "Pair this screen");
    examine(&browser, "the form").await;
    ask(&browser, "POS", "  ").await;
    assert_eq!(browser.text_of("#name ~ #name-wrong").await, "It must not be blank.");
    examine(&browser, "the form with what is wrong").await;

    // A manager refuses the first one; the page hears of it by itself, and begins anew.
    ask(&browser, "BOARD", "Nobody's").await;
    let unwanted = json!({"userCode": code_on(&browser).await});
    owner.post("/devices/deny", unwanted).await.expect(200);
    says(&browser, "A manager refused this screen.").await;
    ask(&browser, "POS", "Bar till").await;
    let shown = code_on(&browser).await;
    owner.post("/devices/approve", json!({"userCode": shown})).await.expect(201);
    says(&browser, "A manager has let this screen in.").await;
    examine(&browser, "let in").await;
    browser.tap("button").await;
    says(&browser, "This screen is paired: Bar till.").await;
    examine(&browser, "paired").await;
    let tablet = signed_in(&browser, &edge).await;
    let device = tablet.get("/devices/own").await.expect(200).data();
    assert_eq!(json!([device["name"], device["kind"], device["signedIn"]]), json!(["Bar till", "POS", true]));

    for (code, role, pin) in PEOPLE {
        at_till(&owner, code, role, pin).await;
    }
    let line = sample::lines(&owner, 1).await.remove(0);
    let body = |quantity: i64| {
        let mut line = line.clone();
        line["quantity"] = json!(quantity);
        json!({"orderType": "COUNTER", "items": [line]})
    };
    let before = owner.get("/orders").await.expect(200).json()["pagination"]["total"].as_i64().unwrap();
    // Asha taps twice.
    let (asha, _) = by_pin(&tablet, PEOPLE[0].2).await;
    let (one, two) =
        tokio::join!(asha.post_keyed("/orders", "a", body(1)), asha.post_keyed("/orders", "a", body(1)));
    assert_eq!(one.expect(201).json()["id"], two.expect(201).json()["id"]);
    // Ravi's answer is lost, and Chitra has entered her PIN by the time the tablet asks again: it is his order all the same.
    let (ravi, _) = by_pin(&tablet, PEOPLE[1].2).await;
    send_and_lose(&edge, &ravi, "b", &body(2)).await;
    let (chitra, _) = by_pin(&tablet, PEOPLE[2].2).await;
    let lost = chitra.post_keyed("/orders", "b", body(2)).await.expect(201);
    assert_eq!(lost.header("idempotency-replayed"), "true");
    chitra.post_keyed("/orders", "c", body(3)).await.expect(201);
    let (deepa, _) = by_pin(&tablet, PEOPLE[3].2).await;
    let mine = deepa.post_keyed("/orders", "d", body(4)).await.expect(201).json();
    ravi.get("/orders").await.refused(401, "UNAUTHORIZED");

    let orders = owner.get("/orders?limit=50").await.expect(200).json();
    assert_eq!(orders["pagination"]["total"].as_i64().unwrap(), before + 4, "each order is there once");
    let mut served = Vec::new();
    for order in orders["data"].as_array().unwrap() {
        let order = owner.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.json();
        let server = order["server"]["name"].as_str().unwrap_or_default().to_owned();
        served.extend(
            order["items"].as_array().unwrap().iter().map(|line| (line["quantity"].clone(), server.clone())),
        );
    }
    for (quantity, (code, ..)) in (1..).zip(PEOPLE) {
        let of = (json!(quantity), format!("{code} Rao"));
        assert_eq!(served.iter().filter(|line| **line == of).count(), 1, "{of:?} in {served:?}");
    }

    // Whoever removes it ends it at once, the cookie too.
    owner.delete(&format!("/devices/{}", device["id"].as_str().unwrap())).await.expect(200);
    deepa.get(&format!("/orders/{}", mine["id"].as_str().unwrap())).await.refused(401, "UNAUTHORIZED");
    tablet.get("/menu").await.refused(401, "UNAUTHORIZED");
    // No other site's page begins or ends a pairing.
    for path in ["/pair/ask", "/pair/open"] {
        let url = format!("{}{path}", edge.base());
        let form = reqwest::Client::new().post(url).header("origin", "http://evil.example");
        let sent = form.header("content-type", "application/x-www-form-urlencoded").body("kind=POS&name=x");
        assert_eq!(sent.send().await.unwrap().status(), 403, "{path}");
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
