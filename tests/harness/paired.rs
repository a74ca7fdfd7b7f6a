//! Devices that are paired, and the people who enter their PIN at them. Over HTTP alone.

use crate::{Branch, Client, Reply};
use serde_json::{Value, json};

/// A device of that kind asks to be paired: its codes.
pub async fn pair(branch: &Branch, kind: &str) -> Value {
    let wanted = json!({"kind": kind, "name": format!("The {kind}")});
    branch.anonymous().post("/devices/pair", wanted).await.expect(201).data()
}

/// It asks for its tokens.
pub async fn poll(branch: &Branch, codes: &Value) -> Reply {
    branch.anonymous().post("/devices/token", json!({"deviceCode": codes["deviceCode"]})).await
}

/// A device of that kind, let in by `manager`, and what it was given.
pub async fn paired(branch: &Branch, manager: &Client, kind: &str) -> (Client, Value) {
    let_in(branch, manager, kind, Value::Null).await
}

/// The same for the tickets of one station.
pub async fn paired_at(branch: &Branch, manager: &Client, kind: &str, station: &str) -> (Client, Value) {
    let_in(branch, manager, kind, json!(station)).await
}

async fn let_in(branch: &Branch, manager: &Client, kind: &str, station: Value) -> (Client, Value) {
    let codes = pair(branch, kind).await;
    let approval = json!({"userCode": codes["userCode"], "stationId": station});
    manager.post("/devices/approve", approval).await.expect(201);
    let tokens = poll(branch, &codes).await.expect(200).data();
    (branch.anonymous().with_token(tokens["accessToken"].as_str().unwrap().to_owned()), tokens)
}

/// Whoever enters that PIN at `device`, and what they are told.
pub async fn by_pin(device: &Client, pin: &str) -> (Client, Value) {
    let turn = device.post("/auth/pin", json!({"employeePin": pin})).await.expect(200).data();
    (device.clone().with_token(turn["accessToken"].as_str().unwrap().to_owned()), turn)
}

/// Somebody without an account whose PIN opens that role at the till; their id.
pub async fn at_till(owner: &Client, code: &str, role: &str, pin: &str) -> String {
    let who =
        json!({"employeeCode": code, "name": format!("{code} Rao"), "jobTitle": "Staff", "tillRole": role});
    let made = owner.post("/employees", who).await.expect(201).data();
    assert_eq!(made["tillRole"], role);
    let id = made["id"].as_str().unwrap().to_owned();
    owner.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
    id
}
