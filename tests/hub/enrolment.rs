//! Boxes and their codes: once, for a quarter of an hour, for one outlet; who replaces whom; guessing gets nowhere.

use serde_json::json;
use tiffin_common::Uuid;
use tiffin_common::sync::OutletCard;
use tiffin_tests::{BoxClient, Client, HeadOffice, Reply};

pub fn card(id: u128, code: &str) -> OutletCard {
    OutletCard {
        id: Uuid::from_u128(id),
        code: code.into(),
        name: "Indiranagar".into(),
        timezone: "Asia/Kolkata".into(),
        currency: "INR".into(),
    }
}

async fn enrol(hub: &HeadOffice, request: &tiffin_common::sync::EnrolRequest) -> Reply {
    hub.anonymous().post("/sync/v1/enrol", serde_json::to_value(request).unwrap()).await
}

/// What the box's key opens: an empty pull.
async fn pull(of: &Client) -> Reply {
    of.get("/sync/v1/pull?feed=0").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_makes_a_box_once() {
    let hub = HeadOffice::start().await;
    let given = hub.admin().post("/hub/enrolments", json!({})).await.expect(201).data();
    let code = given["code"].as_str().unwrap();
    let request = hub.request(code, Some(&card(1, "BLR1")));
    let enrolled = enrol(&hub, &request).await.expect(200).json();
    assert_eq!(enrolled["outlet"]["code"], "BLR1");
    assert_eq!(enrolled["cursor"], json!(null));
    let key = enrolled["key"].as_str().unwrap();
    assert!(key.starts_with("tfk_") && key.len() == 80, "{key}");
    pull(&hub.anonymous().with_token(key.to_owned())).await.expect(200);
    // Another box gets nothing for the same code; the same one may ask again, because its answer may have been lost.
    enrol(&hub, &hub.request(code, Some(&card(2, "BLR2")))).await.refused(401, "INVALID_CREDENTIALS");
    let again = enrol(&hub, &request).await.expect(200).json();
    let newer = again["key"].as_str().unwrap().to_owned();
    pull(&hub.anonymous().with_token(key.to_owned())).await.refused(401, "UNAUTHORIZED");
    pull(&hub.anonymous().with_token(newer)).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_holds_for_a_quarter_of_an_hour_and_can_be_withdrawn() {
    let hub = HeadOffice::start().await;
    let late = hub.code(None).await;
    hub.pass(15 * 60_000);
    enrol(&hub, &hub.request(&late, Some(&card(1, "BLR1")))).await.refused(401, "INVALID_CREDENTIALS");
    let admin = hub.admin();
    let given = admin.post("/hub/enrolments", json!({})).await.expect(201).data();
    let listed = admin.get("/hub/enrolments").await.expect(200).data();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed[0].get("code"), None, "a code is shown once");
    admin.delete(&format!("/hub/enrolments/{}", given["id"].as_str().unwrap())).await.expect(200);
    let request = hub.request(given["code"].as_str().unwrap(), Some(&card(1, "BLR1")));
    enrol(&hub, &request).await.refused(401, "INVALID_CREDENTIALS");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_fences_the_box_before() {
    let hub = HeadOffice::start().await;
    let first = hub.box_of("BLR1").await;
    let outlet = first.outlet.clone();
    // A general code does not take an outlet over.
    let general = hub.code(None).await;
    enrol(&hub, &hub.request(&general, Some(&outlet))).await.refused(409, "CONFLICT");
    let named = hub.code(Some(outlet.id)).await;
    let mut request = hub.request(&named, None);
    enrol(&hub, &request).await.refused(409, "CONFLICT");
    request.replace = true;
    let second: BoxClient = hub.enrol(&request).await;
    assert_eq!(second.outlet, outlet);
    pull(&first.client).await.refused(410, "DEVICE_FENCED");
    pull(&second.client).await.expect(200);
    // A code for one outlet is worth nothing for another.
    let named = hub.code(Some(outlet.id)).await;
    enrol(&hub, &hub.request(&named, Some(&card(9, "DEL1")))).await.refused(409, "CONFLICT");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pepper_comes_back_to_a_box_without_data_and_never_stands_in_the_database() {
    let hub = HeadOffice::start().await;
    let pepper = "5a".repeat(32);
    let mut request = hub.request(&hub.code(None).await, Some(&card(1, "BLR1")));
    request.pepper = Some(pepper.clone());
    assert_eq!(hub.enrol(&request).await.enrolled["pepper"], json!(null));
    let mut replacement = hub.request(&hub.code(Some(Uuid::from_u128(1))).await, None);
    replacement.replace = true;
    assert_eq!(hub.enrol(&replacement).await.enrolled["pepper"], json!(pepper));
    assert!(!hub.holds(pepper.as_bytes()) && !hub.holds(&[0x5a; 32]));
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_are_slowed_down_and_counted_over_a_restart() {
    let hub = HeadOffice::start().await;
    for _ in 0..10 {
        enrol(&hub, &hub.request("AAAA-BBBB-CCCC", Some(&card(1, "BLR1"))))
            .await
            .refused(401, "INVALID_CREDENTIALS");
    }
    let good = hub.code(None).await;
    let locked = enrol(&hub, &hub.request(&good, Some(&card(1, "BLR1")))).await.refused(423, "LOCKED");
    assert!(locked.header("retry-after").parse::<u64>().unwrap() > 60);
    // The count stands in the registry, not in this process.
    let kept = hub
        .app
        .look(|from| Ok(sync_hub::registry::codes::lock(from, "127.0.0.1".parse().unwrap(), hub_start())?));
    assert!(kept.await.unwrap().is_some());
    let entries = hub.admin().get("/hub/audit-log?action=enrolment.locked").await.expect(200).json();
    assert_eq!(entries["meta"]["total"], 1, "{entries}");
    hub.pass(15 * 60_000);
    let fresh = hub.code(None).await;
    enrol(&hub, &hub.request(&fresh, Some(&card(1, "BLR1")))).await.expect(200);
}

fn hub_start() -> tiffin_common::Millis {
    "2026-11-20T12:30:00.000Z".parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_boxes_with_one_code_one_gets_it() {
    let hub = HeadOffice::start().await;
    let code = hub.code(None).await;
    let requests: Vec<_> = (0..8).map(|n| hub.request(&code, Some(&card(n + 1, &format!("B{n}"))))).collect();
    let answers = futures_util::future::join_all(requests.iter().map(|request| enrol(&hub, request))).await;
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(done, 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
    let outlets = hub.app.look(|from| Ok(sync_hub::registry::outlets::list(from)?)).await.unwrap();
    assert_eq!(outlets.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_request_is_said_all_at_once() {
    let hub = HeadOffice::start().await;
    let code = hub.code(None).await;
    let wrong = OutletCard { timezone: "Mars/Base".into(), currency: "rupees".into(), ..card(1, "toolong") };
    let mut request = hub.request(&code, Some(&wrong));
    request.pepper = Some("short".into());
    let refused = enrol(&hub, &request).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["pepper", "outlet.code", "outlet.timezone", "outlet.currency"]);
    enrol(&hub, &hub.request(&code, None)).await.refused(422, "PAYLOAD_VALIDATION");
    let mut old = hub.request(&code, Some(&card(1, "BLR1")));
    old.protocol = 0;
    enrol(&hub, &old).await.refused(426, "UPGRADE_REQUIRED");
    // None of it has used the code up.
    enrol(&hub, &hub.request(&code, Some(&card(1, "BLR1")))).await.expect(200);
    let taken = hub.code(None).await;
    enrol(&hub, &hub.request(&taken, Some(&card(2, "BLR1")))).await.refused(409, "CONFLICT");
    hub.anonymous().post_raw("/sync/v1/enrol", "application/json", "{").await.refused(400, "BAD_REQUEST");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_opens_nothing() {
    let hub = HeadOffice::start().await;
    let [first, other] = [hub.box_of("BLR1").await, hub.box_of("BLR2").await];
    hub.admin().delete(&format!("/hub/enrolments/{}", first.outlet.id)).await.expect(200);
    pull(&first.client).await.refused(401, "UNAUTHORIZED");
    pull(&other.client).await.expect(200);
    // But who may not sign in there any more.
    let dismissed = async |client: &Client| client.get("/sync/v1/dismissed").await;
    assert_eq!(dismissed(&first.client).await.expect(200).json(), json!({"changes": []}));
    dismissed(&hub.anonymous()).await.refused(401, "UNAUTHORIZED");
    for wrong in ["", "tfk_", "nonsense", &other.key()[..79]] {
        pull(&hub.anonymous().with_token(wrong.to_owned())).await.refused(401, "UNAUTHORIZED");
    }
    // A user's token is no key, and a key is no user's token.
    pull(&hub.admin()).await.refused(401, "UNAUTHORIZED");
    other.client.get("/hub/users").await.refused(401, "UNAUTHORIZED");
}
