//! Boxes of other versions than head office's own: which are served, which are told to update, and that a released version's very
//! messages are answered in its own form.

use crate::enrolment::card;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tiffin_common::frame::{Body, Hash, Header, Kind};
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_common::sync::{EnrolRequest, OLDEST, PROTOCOL};
use tiffin_common::{Clock, Hlc, Uuid};
use tiffin_tests::{BoxClient, HeadOffice};

/// A greeting of a box that has nothing yet and speaks this protocol and schema.
fn greeting(of: &BoxClient, protocol: u32, schema: u32) -> Value {
    json!({
        "deviceId": of.device_id, "protocol": protocol, "schema": schema, "version": "1.0.0",
        "wall": "2026-11-20T12:30:05.000Z", "head": null, "epochs": [], "backlog": 0, "hubEpoch": null,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_of_any_version_from_the_oldest_on_is_served() {
    let hub = HeadOffice::start().await;
    let now = tiffin_migrations::edge_schema_version();
    let mut served = Vec::new();
    for protocol in OLDEST..=PROTOCOL + 1 {
        for schema in [now - 5, now, now + 1] {
            let place = served.len();
            let card = card(place as u128 + 1, &format!("T{place}"));
            let request =
                EnrolRequest { protocol, schema, ..hub.request(&hub.code(None).await, Some(&card)) };
            let sender = hub.enrol(&request).await;
            let mut hello = greeting(&sender, protocol, schema);
            hello["saidByANewerVersion"] = json!({"at": "its end"});
            let answer = sender.client.post("/sync/v1/hello", hello).await.expect(200).json();
            assert_eq!(answer["standing"]["state"], "NORMAL", "{answer}");
            served.push((protocol, schema));
        }
    }
    assert!(served.contains(&(PROTOCOL + 1, now + 1)), "one that is newer than head office is among them");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_too_old_is_told_to_update() {
    let hub = HeadOffice::start().await;
    let now = tiffin_migrations::edge_schema_version();
    let sender = hub.box_of("BLR1").await;
    let asked = hub.request(&hub.code(None).await, Some(&card(2, "BLR2")));
    for (protocol, schema) in [(OLDEST - 1, now), (PROTOCOL, now - 7), (OLDEST - 1, now - 7)] {
        let hello = greeting(&sender, protocol, schema);
        let refused =
            sender.client.post("/sync/v1/hello", hello).await.refused(426, "UPGRADE_REQUIRED").json();
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("protocol {OLDEST} or newer")), "{detail}");
        let request = serde_json::to_value(EnrolRequest { protocol, schema, ..asked.clone() }).unwrap();
        hub.anonymous().post("/sync/v1/enrol", request).await.refused(426, "UPGRADE_REQUIRED");
    }
    // After the update the code is as good as before.
    hub.enrol(&asked).await;
}

/// The messages of every released version; `tests/exchange/golden.rs` says how they come about.
fn released() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("exchange/golden");
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn message(version: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(version.join(name)).unwrap()).unwrap()
}

/// The path and query that a released version asked.
fn asked(version: &Path, name: &str) -> String {
    format!("/sync/v1/{}", std::fs::read_to_string(version.join(name)).unwrap().trim_end())
}

/// Fails unless `today` has every member of `released`, each of its type: what reads the one can read the other.
#[track_caller]
fn has_the_form_of(released: &Value, today: &Value, at: &str) {
    match (released, today) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                let at = format!("{at}/{name}");
                has_the_form_of(value, new.get(name).unwrap_or_else(|| panic!("{at} is gone")), &at);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let Some(form) = old.first() else { return };
            new.iter().for_each(|value| has_the_form_of(form, value, &format!("{at}/…")));
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (old, new) => {
            assert_eq!(std::mem::discriminant(old), std::mem::discriminant(new), "{at}: {old} is now {new}");
        }
    }
}

/// The body of a push that begins a log.
fn first_row(epoch: Uuid, hub: &HeadOffice) -> Vec<u8> {
    let (previous, body) = (Hash::START, Body::epoch_start(None));
    let schema = tiffin_migrations::edge_schema_version();
    let wall = hub.clock.now();
    let header = Header { seq: 1, epoch, kind: Kind::EpochStart, hlc: Hlc::ZERO, wall, schema, count: 0 };
    let hash = previous.next(&header, &body);
    batch::encode(&Batch { previous, frames: vec![Frame { header, body, hash }] }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_of_every_released_version_are_answered_in_its_form() {
    let versions = released();
    assert!(!versions.is_empty());
    for version in versions {
        let hub = HeadOffice::start().await;
        let form = |name: &str, today: &Value| has_the_form_of(&message(&version, name), today, name);
        let mut enrol = message(&version, "enrol.request.json");
        enrol["code"] = json!(hub.code(None).await);
        // What head office gives up in time is old schemas, not the messages.
        enrol["schema"] = json!(tiffin_migrations::edge_schema_version());
        let enrolled = hub.anonymous().post("/sync/v1/enrol", enrol.clone()).await.expect(200).json();
        form("enrol.answer.json", &enrolled);
        let client = hub.anonymous().with_token(enrolled["key"].as_str().unwrap().to_owned());
        let mut hello = message(&version, "hello.request.json");
        hello["schema"] = enrol["schema"].clone();
        form("hello.answer.json", &client.post("/sync/v1/hello", hello).await.expect(200).json());
        // The headers as that version writes them, in letters.
        let push = async |body| {
            let push =
                client.request(reqwest::Method::POST, "/sync/v1/push").header("x-tiffin-class", "live");
            client.send(push.header("content-type", "application/vnd.tiffin.frames").body(body)).await
        };
        let [mine, other] = [1, 2].map(|number| first_row(Uuid::from_u128(number), &hub));
        form("push.answer.json", &push(mine).await.expect(200).json());
        let refused = push(other).await.refused(409, "CONFLICT").json();
        form("push.refused.json", &refused["refused"]);
        let pulled = client.get(&asked(&version, "pull.request.txt")).await.expect(200).json();
        form("pull.answer.json", &pulled);
        let page = client.get(&asked(&version, "snapshot.request.txt")).await.expect(200).json();
        form("snapshot.answer.json", &page);
        // The question is understood; of the rows nothing is known here.
        client.get(&asked(&version, "frames.request.txt")).await.refused(404, "NOT_FOUND");
    }
}
