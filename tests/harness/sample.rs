//! The sample restaurant in a process of its own: made, its owner signed in, dishes to sell, a sale. Never knows its numbers: see
//! `House` for a restaurant whose numbers a test knows.

use crate::{Client, Edge};
use serde_json::{Value, json};
use std::path::Path;

/// The owner's account.
pub const EMAIL: &str = "owner@sample.test";
/// Everybody's password.
pub const PASSWORD: &str = "tiffin-sample";

/// Makes the sample restaurant in `data`, with the outlet `code`.
pub fn init(data: &Path, code: &str) {
    init_after(data, code, "0");
}

/// The same, which has traded for so many days.
pub fn init_after(data: &Path, code: &str, days: &str) {
    let place = ["--timezone", "Asia/Kolkata", "--currency", "INR"];
    let names = ["--outlet-code", code, "--outlet-name", code, "--owner-email", "me@sample.test"];
    let begin = ["init", "--sample-data", "--history-days", days, "--data-dir", data.to_str().unwrap()];
    Edge::run(&[&begin[..], &names, &place].concat());
}

/// The owner, signed in and naming the outlet.
pub async fn owner(edge: &Edge) -> Client {
    owner_at(&edge.client()).await
}

/// The owner of the branch that `client`, without a token, speaks to.
pub async fn owner_at(client: &Client) -> Client {
    let body = json!({"email": EMAIL, "password": PASSWORD});
    let signed_in = client.post("/auth/login", body).await.expect(200).data();
    let token = signed_in["accessToken"].as_str().unwrap().to_owned();
    let outlet = signed_in["user"]["outlets"][0]["id"].as_str().unwrap().parse().unwrap();
    client.clone().with_token(token).with_outlet(outlet)
}

/// The same, where more is sold than there ever was: nothing goes out of stock.
pub async fn owner_of_plenty(edge: &Edge) -> Client {
    let owner = owner(edge).await;
    let outlets = owner.get("/outlets").await.expect(200).data();
    let path = format!("/outlets/{}", outlets[0]["id"].as_str().unwrap());
    owner.patch(&path, json!({"autoAvailability": false})).await.expect(200);
    owner
}

/// Up to `count` dishes of the menu that need no choice, as lines of an order.
pub async fn lines(client: &Client, count: usize) -> Vec<Value> {
    let menu = client.get("/menu").await.expect(200).data();
    let items = menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let is_free =
        |item: &&Value| item["modifierGroups"].as_array().unwrap().iter().all(|g| g["minSelections"] == 0);
    let line =
        |item: &Value| json!({"menuItemId": item["id"], "quantity": 1, "unitPriceCents": item["priceCents"]});
    items.filter(is_free).filter(|item| item["isAvailable"] == true).take(count).map(line).collect()
}

/// Sells once: order, payment, bill. Answers order and bill.
pub async fn sell(client: &Client, lines: &[Value]) -> (Value, Value) {
    let body = json!({"orderType": "COUNTER", "items": lines});
    let order = client.post("/orders", body).await.expect(201).json();
    let path = pay(client, &order).await;
    let bill = client.post(&format!("{path}/invoice"), json!({})).await.expect(200).data();
    (order, bill)
}

/// All of an order is paid in cash. Answers the order's path.
pub async fn pay(client: &Client, order: &Value) -> String {
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let all = json!({"method": "CASH", "amountCents": order["totalAmountCents"]});
    client.post(&format!("{path}/payments"), all).await.expect(201);
    path
}
