//! What a guest's phone opens that scanned a table's code: a page, a menu that is kept, the party's orders as they change, and a call.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Events, House, Reply};

async fn token(house: &House, table: usize) -> String {
    let table = house.owner.get(&format!("/tables/{}", house.table(table))).await.expect(200).data();
    table["qrToken"].as_str().unwrap().to_owned()
}

/// What is below the address of the branch itself.
async fn page(branch: &Branch, path: &str) -> (u16, String) {
    let answer = reqwest::get(format!("{}{path}", branch.base())).await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

const PHONE: &str = "guestToken=phone-of-asha-0001";

#[tokio::test]
async fn a_scanned_code_opens_a_page_that_needs_no_script() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (waiter, token) = (branch.sign_in(Role::Waiter), token(&house, 4).await);
    let path = format!("/t/{token}");
    let (status, html) = page(&branch, &path).await;
    assert_eq!(status, 200, "{html}");
    assert!(html.contains("Kulfi") && html.contains("₹"), "{html}");
    assert!(
        !html.contains("<script>") && html.contains("/guest/main.js"),
        "the one script is a file: {html}"
    );
    assert!(!html.contains("Call waiter"), "nobody sits there");
    let dish = house.dish("Kulfi");
    let out = json!({"status": "OUT_OF_STOCK"});
    house.owner.put(&format!("/menu/items/{dish}/availability"), out).await.expect(200);
    let mut body = house.at_table(4, &[("Lassi", 2)]);
    body["customerName"] = json!("Meera");
    house.place(&waiter, body).await;
    let (_, html) = page(&branch, &path).await;
    assert!(html.contains("Sold out") && html.contains("being prepared") && html.contains("2 × Lassi"));
    assert!(!html.contains("Meera"), "no name of anybody");
    // The form's answer leads back to the page, which says what was done.
    let http = reqwest::Client::new();
    let call = async |what: &str| {
        let url = format!("{}{path}/call", branch.base());
        let kind = "application/x-www-form-urlencoded";
        let sent = http.post(url).header("content-type", kind).body(format!("what={what}")).send().await;
        let answer = sent.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (status, html) = call("BILL").await;
    assert!(status == 200 && html.contains("you would like the bill"), "{html}");
    assert_eq!(call("DANCE").await.0, 422);
    for gone in ["/t/AAAAAAAAAAAAAAAAAAAAAA", "/t/x"] {
        let (status, html) = page(&branch, gone).await;
        assert!(status == 404 && html.contains("scan the code"), "{html}");
    }
    house.owner.post(&format!("/tables/{}/qr", house.table(4)), json!({})).await;
    assert_eq!(page(&branch, &path).await.0, 404, "a rotated code is dead");
}

#[tokio::test]
async fn a_call_is_on_the_floor_until_somebody_ticks_it_off_and_ten_a_minute_are_taken() {
    let branch = Branch::with([("limit-qr-call", "10/60")]).await;
    let house = House::open(&branch).await;
    let (waiter, token) = (branch.sign_in(Role::Waiter), token(&house, 4).await);
    house.place(&waiter, house.at_table(4, &[("Lassi", 1)])).await;
    let call = async |what: &str| {
        branch.anonymous().post(&format!("/orders/tables/{token}/call"), json!({"what": what})).await
    };
    let calls = async || {
        let floor = waiter.get("/floor").await.expect(200).data();
        let tables = floor["tables"].as_array().unwrap().clone();
        let own = tables.into_iter().find(|table| table["id"] == house.table(4)).unwrap();
        own["calls"].as_array().unwrap().iter().map(|call| call["what"].clone()).collect::<Vec<Value>>()
    };
    let mut stream = Events::open(&waiter, "/stream?topics=notifications", None).await;
    call("WAITER").await.expect(200);
    branch.pass(1_000);
    call("BILL").await.expect(200);
    assert_eq!(calls().await, [json!("WAITER"), json!("BILL")]);
    let told = stream.until(|event| event.name == "notification").await;
    assert_eq!(
        (&told.data["data"]["type"], &told.data["data"]["entity"]["id"]),
        (&json!("GUEST_CALL"), &json!(house.table(4)))
    );
    waiter.post(&format!("/notifications/{}/read", told.data["rowId"].as_str().unwrap()), json!({})).await;
    assert_eq!(calls().await, [json!("BILL")]);
    let mut last: Option<Reply> = None;
    for _ in 0..9 {
        last = Some(call("WAITER").await);
    }
    last.unwrap().refused(429, "RATE_LIMITED");
}

#[tokio::test]
async fn a_guests_menu_is_kept_until_something_of_it_changes() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let path = format!("/orders/tables/{}/menu", token(&house, 4).await);
    let first = branch.anonymous().get(&path).await.expect(200);
    let tag = first.header("etag").to_owned();
    let known = branch.anonymous().with_header("If-None-Match", &tag);
    let same = known.get(&path).await.expect(304);
    assert_eq!((same.text.as_str(), same.header("etag")), ("", tag.as_str()));
    let out = json!({"status": "OUT_OF_STOCK"});
    house.owner.put(&format!("/menu/items/{}/availability", house.dish("Kulfi")), out).await.expect(200);
    let fresh = known.get(&path).await.expect(200);
    assert!(first.text.contains("Kulfi") && !fresh.text.contains("Kulfi"));
    assert_ne!(fresh.header("etag"), tag);
}

#[tokio::test]
async fn a_phone_follows_its_partys_orders_until_they_leave() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cashier, guest) = (branch.sign_in(Role::Cashier), branch.anonymous());
    let token = token(&house, 4).await;
    let path = format!("/orders/tables/{token}/stream?{PHONE}");
    guest.get(&path).await.refused(409, "INVALID_TRANSITION");
    guest.get("/orders/tables/nothing/stream").await.refused(404, "NOT_FOUND");
    let order = house.place(&cashier, house.at_table(4, &[("Lassi", 1)])).await;
    let mut before = Events::open(&guest, &path, None).await;
    assert_eq!(before.next().await.name, "hello");
    // The same phone again takes the place of its first stream; another phone has its own.
    let mut stream = Events::open(&guest, &path, None).await;
    before.ends().await;
    let other = format!("/orders/tables/{token}/stream?guestToken=phone-of-ravi-0002");
    let mut other = Events::open(&guest, &other, None).await;
    // What happens at another table is nobody's business here.
    house.place(&cashier, house.at_table(5, &[("Dal", 1)])).await;
    let cooks = json!({"status": "IN_PREPARATION"});
    cashier.patch(&format!("/orders/{}/status", order["id"].as_str().unwrap()), cooks).await.expect(200);
    for stream in [&mut stream, &mut other] {
        let told = stream.until(|event| event.name == "order").await;
        assert_eq!(
            (&told.data["rowId"], &told.data["data"]["status"]),
            (&order["id"], &json!("IN_PREPARATION"))
        );
        let listed = guest.get(&format!("/orders/tables/{token}/orders")).await.expect(200).data();
        assert_eq!(told.data["data"], listed[0]);
    }
    house.settle(&cashier, &order).await;
    let done = json!({"status": "COMPLETED"});
    cashier.patch(&format!("/orders/{}/status", order["id"].as_str().unwrap()), done).await.expect(200);
    stream.ends().await;
    other.ends().await;
}

#[tokio::test]
async fn two_hundred_phones_follow_and_one_more_may_when_one_leaves() {
    let branch = Branch::with([("limit-qr-menu", "1000/60"), ("limit-connections", "1000")]).await;
    let house = House::open(&branch).await;
    let (waiter, guest, token) = (branch.sign_in(Role::Waiter), branch.anonymous(), token(&house, 4).await);
    let order = house.place(&waiter, house.at_table(4, &[("Lassi", 1)])).await;
    let path = |phone: usize| format!("/orders/tables/{token}/stream?guestToken=phone-of-guest-{phone:04}");
    let mut streams = Vec::new();
    for phone in 0..200 {
        streams.push(Events::open(&guest, &path(phone), None).await);
    }
    let refused = guest.get(&path(200)).await.refused(429, "RATE_LIMITED");
    assert_eq!(refused.header("retry-after"), "30");
    // A phone that follows already has its place, and staff need none.
    streams[7] = Events::open(&guest, &path(7), None).await;
    let mut staff = Events::open(&waiter, "/stream?topics=orders", None).await;
    drop(streams.pop());
    tiffin_tests::until("the place of who left is free", async || {
        let request = guest.request(reqwest::Method::GET, &path(200));
        (request.send().await.unwrap().status() == 200).then_some(())
    })
    .await;
    // All of them are told.
    let cooks = json!({"status": "IN_PREPARATION"});
    waiter.patch(&format!("/orders/{}/status", order["id"].as_str().unwrap()), cooks).await.expect(200);
    for stream in streams.iter_mut().chain([&mut staff]) {
        stream.until(|event| event.data["data"]["status"] == "IN_PREPARATION").await;
    }
}
