//! Boxes of other versions than head office's own: which are served, which are told to update.

use crate::enrolment::card;
use serde_json::{Value, json};
use tiffin_common::sync::{EnrolRequest, OLDEST, PROTOCOL};
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
        for schema in [now - 2, now, now + 1] {
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
    for (protocol, schema) in [(OLDEST - 1, now), (PROTOCOL, now - 3), (OLDEST - 1, now - 3)] {
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
