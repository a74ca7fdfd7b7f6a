//! Who may call what: every route asks for a token and for its permission, and hides what is not the caller's. New routes are covered
//! by being in the route table.

use crate::UNKNOWN;
use edge::access::{Access, Role};
use reqwest::Method;
use serde_json::json;
use sync_hub::api;
use tiffin_tests::{Client, HeadOffice};

/// Routes that anybody may call: they ask for a password or a code themselves. May only shrink.
const PUBLIC: &[&str] = &[
    "POST /hub/auth/login",
    "POST /hub/auth/logout",
    "POST /hub/auth/refresh",
    "POST /hub/auth/reset-password",
    "POST /hub/auth/totp",
];

fn routes(hub: &HeadOffice) -> Vec<(Method, String, Access)> {
    let filled = |path: &str| {
        let part = |part: &str| match part {
            _ if !part.starts_with('{') => part.to_owned(),
            "{date}" => "2026-11-20".to_owned(),
            _ => UNKNOWN.to_string(),
        };
        path.split('/').map(part).collect::<Vec<_>>().join("/")
    };
    let listing = api::all_routes(&hub.app.desk).listing();
    listing.into_iter().map(|(method, path, access)| (method, filled(path), access)).collect()
}

async fn ask(client: &Client, method: &Method, path: &str) -> tiffin_tests::Reply {
    let request = client.request(method.clone(), path);
    let request =
        if matches!(*method, Method::GET | Method::DELETE) { request } else { request.json(&json!({})) };
    client.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_asks_for_a_token_and_its_permission() {
    let hub = HeadOffice::start().await;
    let outlet = hub.box_of("BLR1").await.outlet.id;
    let terminal = hub.sign_in(Role::Integration, &[outlet]).with_outlet(outlet);
    let mut public = Vec::new();
    for (method, path, access) in routes(&hub) {
        if access == Access::Public {
            public.push(format!("{method} {path}"));
            continue;
        }
        let reply = ask(&hub.anonymous(), &method, &path).await.refused(401, "UNAUTHORIZED");
        assert_eq!(reply.json()["detail"], "No token provided");
        let broken = hub.anonymous().with_token("x.y.z".into());
        ask(&broken, &method, &path).await.refused(401, "UNAUTHORIZED");
        if let Access::Needs(permission) = access
            && !Role::Integration.holds(permission)
        {
            ask(&terminal, &method, &path).await.refused(403, "FORBIDDEN");
        }
    }
    public.sort();
    assert_eq!(public, PUBLIC);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_404_and_so_is_another_owners_outlet() {
    let hub = HeadOffice::start().await;
    let [mine, theirs] = [hub.box_of("BLR1").await.outlet.id, hub.box_of("BLR2").await.outlet.id];
    let owner = hub.sign_in(Role::Owner, &[mine]);
    for id in [UNKNOWN, theirs] {
        for path in ["", "/quarantine", "/reviews", "/salvage"] {
            owner.get(&format!("/hub/outlets/{id}{path}")).await.refused(404, "NOT_FOUND");
        }
        let decision =
            owner.post(&format!("/hub/outlets/{id}/forks/{UNKNOWN}"), json!({"accept": true})).await;
        decision.refused(404, "NOT_FOUND");
        let taken = owner.post(&format!("/hub/outlets/{id}/salvage/take"), json!({})).await;
        taken.refused(404, "NOT_FOUND");
        owner.delete(&format!("/hub/enrolments/{id}")).await.refused(404, "NOT_FOUND");
        owner.post("/hub/enrolments", json!({"outletId": id})).await.refused(404, "NOT_FOUND");
        let named = owner.get(&format!("/hub/analytics/summary?outletIds={id}")).await;
        named.refused(403, "INVALID_OUTLET_SCOPE");
    }
    owner.get(&format!("/hub/users/{UNKNOWN}")).await.refused(404, "NOT_FOUND");
    hub.admin()
        .post(&format!("/hub/outlets/{mine}/forks/{UNKNOWN}"), json!({"accept": true}))
        .await
        .refused(404, "NOT_FOUND");
    // An owner adds no outlet, but may replace a box of theirs.
    owner.post("/hub/enrolments", json!({})).await.refused(403, "FORBIDDEN");
    owner.post("/hub/enrolments", json!({"outletId": mine})).await.expect(201);
    assert_eq!(owner.get("/hub/outlets").await.expect(200).json()["meta"]["total"], 1);
    assert_eq!(hub.admin().get("/hub/outlets").await.expect(200).json()["meta"]["total"], 2);
    hub.admin().get("/hub/nowhere").await.refused(404, "NOT_FOUND");
    hub.admin().get("/hub/analytics/summary?outletIds=nonsense").await.refused(400, "BAD_REQUEST");
    let range = hub.admin().get("/hub/analytics/summary?from=2026-11-20&to=2026-11-19").await;
    assert_eq!(range.status, 200, "no outlet holds rows yet: there is nothing to be wrong about");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_machines_need_tls_unless_it_is_allowed() {
    let hub = HeadOffice::start().await;
    let answer = async |allow: &'static str| {
        let config = sync_hub::config::Config::with([("allow-plain-http", allow)]).unwrap();
        let app = sync_hub::state::AppState { config: std::sync::Arc::new(config), ..hub.app.clone() };
        let mut router = sync_hub::app::router(app);
        let mut request = axum::http::Request::get("/health").body(axum::body::Body::empty()).unwrap();
        let peer: std::net::SocketAddr = "192.0.2.7:5000".parse().unwrap();
        request.extensions_mut().insert(axum::extract::ConnectInfo(peer));
        tower::Service::call(&mut router, request).await.unwrap().status().as_u16()
    };
    assert_eq!((answer("no").await, answer("yes").await), (403, 200));
}
