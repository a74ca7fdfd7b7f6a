//! The desk itself: what it refuses, what it repeats, and two of them at once.

use crate::site::{Site, dish};
use axum::body::Body;
use axum::extract::Extension;
use axum::http::Request;
use edge::access::{Principal, Role};
use edge::config::LimitRates;
use edge::http::limit::Limits;
use serde_json::{Value, json};
use sync_hub::desk::Desk;
use tiffin_common::Uuid;
use tiffin_tests::HeadOffice;
use tower::ServiceExt;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_is_answered_as_before_and_edits_once() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let _site = Site::open(&hub, "BLR1").await;
    let body = json!({"name": "Starters"});
    let first = admin.post_keyed("/hub/menu/categories", "key-1", body.clone()).await.expect(201);
    let again = admin.post_keyed("/hub/menu/categories", "key-1", body).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(
        (first.text.as_str(), first.header("x-publication-id")),
        (again.text.as_str(), again.header("x-publication-id"))
    );
    let other = json!({"name": "Mains"});
    let other = admin.post_keyed("/hub/menu/categories", "key-1", other).await;
    other.refused(422, "IDEMPOTENCY_KEY_REUSED");
    let list = admin.get("/hub/menu/categories").await.expect(200).json();
    assert_eq!(list["meta"]["total"], 1);
    assert_eq!(admin.get("/hub/publications").await.expect(200).json()["meta"]["total"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_refused_and_leaves_nothing() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let first = Site::open(&hub, "BLR1").await;
    let second = Site::open(&hub, "BLR2").await;
    hub.anonymous().get("/hub/menu").await.refused(401, "UNAUTHORIZED");
    hub.sign_in(Role::Waiter, &[first.outlet])
        .post("/hub/menu/categories", json!({"name": "A"}))
        .await
        .expect(403);
    let bad =
        admin.post("/hub/menu/categories", json!({"name": ""})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(bad.invalid_fields(), ["name"]);
    let past = "/hub/menu/categories?effectiveAt=2020-01-01T00:00:00.000Z&outletIds=x";
    let past = admin.post(past, json!({"name": "A"})).await.refused(400, "BAD_REQUEST");
    assert_eq!(past.invalid_fields(), ["effectiveAt", "outletIds"]);
    let owner = hub.sign_in(Role::Owner, &[first.outlet]);
    let theirs = format!("/hub/menu/categories?outletIds={}", second.outlet);
    owner.post(&theirs, json!({"name": "A"})).await.refused(403, "INVALID_OUTLET_SCOPE");
    assert_eq!(admin.get("/hub/menu/categories").await.expect(200).json()["meta"]["total"], 0);

    // An owner publishes to their own outlets, and cannot change what others have.
    let mine = owner.post("/hub/menu/categories", json!({"name": "Mine"})).await.expect(201);
    let shown = format!("/hub/publications/{}", mine.header("x-publication-id"));
    let shown = owner.get(&shown).await.expect(200).data();
    assert_eq!(shown["outlets"].as_array().unwrap().len(), 1, "{shown}");
    let narrow = format!("/hub/menu/categories?outletIds={}", second.outlet);
    let narrow = admin.post(&narrow, json!({"name": "Theirs"})).await.expect(201).data();
    let path = format!("/hub/menu/categories/{}", narrow["id"].as_str().unwrap());
    owner.patch(&path, json!({"name": "Mine too"})).await.expect(403);
    assert_eq!(admin.get(&path).await.expect(200).data()["name"], "Theirs");
    admin.get(&format!("/hub/publications/{}", first.outlet)).await.refused(404, "NOT_FOUND");
    // What was published to one outlet by name stays there.
    let renamed = admin.patch(&path, json!({"name": "Theirs only"})).await.expect(200);
    let shown = format!("/hub/publications/{}", renamed.header("x-publication-id"));
    let shown = admin.get(&shown).await.expect(200).data();
    let outlets: Vec<&Value> = shown["outlets"].as_array().unwrap().iter().map(|o| &o["outletId"]).collect();
    assert_eq!(outlets, [&json!(second.outlet.to_string())]);
}

/// A second process of the same head office, as far as the desk is concerned.
struct Other(axum::Router);

impl Other {
    fn of(hub: &HeadOffice) -> Other {
        let principal = Principal {
            account_id: Uuid::from_u128(5),
            session_id: Uuid::from_u128(6),
            employee_id: None,
            name: "Asha".into(),
            role: Role::SuperAdmin,
            outlets: Vec::new(),
            by_pin: false,
        };
        let routes = Desk::new(hub.app.hub.clone()).routes::<()>();
        let limits = Limits::new(&LimitRates::default());
        Other(
            routes.into_router_behind(&(), &limits, |_, handler| handler.layer(Extension(principal.clone()))),
        )
    }

    async fn add(&self, name: &str) -> u16 {
        let body = Body::from(json!({"name": name}).to_string());
        let request = Request::post("/hub/menu/categories").header("content-type", "application/json");
        self.0.clone().oneshot(request.body(body).unwrap()).await.unwrap().status().as_u16()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_desks_on_one_store_lose_nothing_and_double_nothing() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let _site = Site::open(&hub, "BLR1").await;
    let (one, other) = (Other::of(&hub), Other::of(&hub));
    let mut made = 0;
    for round in 0..6 {
        let [a, b] = [format!("A{round}"), format!("B{round}")];
        let (a, b) = tokio::join!(one.add(&a), other.add(&b));
        for status in [a, b] {
            assert!(status == 201 || status == 503, "{status}");
            made += i64::from(status == 201);
        }
    }
    assert!(made >= 6, "one of two is always first");
    let same = tokio::join!(one.add("Same"), other.add("Same"));
    assert!(matches!(same, (201, 409) | (409, 201) | (201, 503) | (503, 201)), "{same:?}");
    let list = admin.get("/hub/menu/categories?limit=100").await.expect(200).json();
    assert_eq!(list["meta"]["total"], made + 1);
    let publications = admin.get("/hub/publications?limit=100").await.expect(200).json();
    assert_eq!(publications["meta"]["total"], made + 1);
    let numbers: Vec<i64> =
        publications["data"].as_array().unwrap().iter().map(|p| p["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (1..=made + 1).rev().collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_catalogue_outlives_the_process() {
    let hub = HeadOffice::start().await;
    let (site, _) = Site::trading(&hub, "BLR1").await;
    let admin = hub.admin();
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dal = dish(&admin, "Dal").await;
    let fresh = Other::of(&hub);
    let path = format!("/hub/menu/items/{}", dal["id"].as_str().unwrap());
    let request = Request::get(&path).body(Body::empty()).unwrap();
    let answer = fresh.0.clone().oneshot(request).await.unwrap();
    let body = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    let found: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&found["data"]["name"], &found["data"]["priceCents"]), (&json!("Dal"), &dal["priceCents"]));
}
