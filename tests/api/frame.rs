//! What holds for every request: prefixes, the error body, ids, media types, sizes, idempotency, versions.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::Branch;

#[tokio::test]
async fn both_prefixes_serve_the_same_api() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let long = owner.get("/outlets").await.expect(200);
    let short = owner.get("/v1/outlets").await.expect(200);
    assert_eq!(long.json(), short.json());
}

#[tokio::test]
async fn an_error_is_both_shapes_and_names_the_request() {
    let branch = Branch::start().await;
    let reply = branch.anonymous().with_header("x-request-id", "till-7").get("/outlets").await;
    let reply = reply.refused(401, "UNAUTHORIZED");
    let body = reply.json();
    assert_eq!(body["detail"], "No token provided");
    assert_eq!(body["instance"], "/api/v1/outlets");
    assert_eq!(body["type"], format!("{}/problems/unauthorized", branch.base()));
    assert_eq!(body["error"]["message"], body["detail"]);
    assert_eq!(reply.header("x-request-id"), "till-7");
    let page = branch.anonymous().get("/problems/unauthorized").await.expect(200);
    assert!(page.header("content-type").starts_with("text/html"));
}

#[tokio::test]
async fn unknown_routes_methods_media_types_and_ids_are_named() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    owner.get("/nothing").await.refused(404, "NOT_FOUND");
    let wrong = owner.delete("/outlets").await.refused(405, "METHOD_NOT_ALLOWED");
    assert!(wrong.header("allow").contains("GET"));
    owner.get("/outlets/1234").await.refused(400, "BAD_REQUEST");
    let admin = branch.sign_in(Role::SuperAdmin);
    admin.post_raw("/outlets", "text/plain", "x").await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    admin.post_raw("/outlets", "application/json", "{\"name\":").await.refused(400, "BAD_REQUEST");
    admin
        .post_raw("/outlets", "application/json", vec![b'"', 0xff, 0xfe, b'"'])
        .await
        .refused(400, "BAD_REQUEST");
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(2 * 1024 * 1024));
    admin.post_raw("/outlets", "application/json", large).await.refused(413, "PAYLOAD_TOO_LARGE");
    owner.get("/outlets?limit=0&offset=-1").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn all_offending_fields_are_named_at_once() {
    let branch = Branch::start().await;
    let admin = branch.sign_in(Role::SuperAdmin);
    let body = json!({"code": "toolong", "timezone": 5, "serviceChargeBps": 10_001, "stockPolicy": "MAYBE"});
    let reply = admin.post("/outlets", body).await.refused(422, "PAYLOAD_VALIDATION");
    let mut fields = reply.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["code", "name", "serviceChargeBps", "stockPolicy", "timezone"]);
}

#[tokio::test]
async fn a_super_admin_names_the_outlet_and_nobody_leaves_their_own() {
    let branch = Branch::start().await;
    let other = branch.second_outlet().await;
    branch
        .sign_in(Role::SuperAdmin)
        .without_outlet()
        .get("/outlets")
        .await
        .refused(400, "INVALID_OUTLET_SCOPE");
    branch.sign_in(Role::SuperAdmin).with_outlet(other).get("/outlets").await.expect(200);
    branch.sign_in(Role::Owner).without_outlet().get("/outlets").await.expect(200);
    branch.sign_in(Role::Owner).with_outlet(other).get("/outlets").await.refused(403, "INVALID_OUTLET_SCOPE");
    let odd = branch.sign_in(Role::Owner).without_outlet().with_header("x-outlet-id", "here");
    odd.get("/outlets").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn tokens_expire_and_cannot_be_forged() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let token = owner.token().unwrap().to_owned();
    let forged = branch.anonymous().with_token(format!("{}x", &token[..token.len() - 2]));
    forged.get("/outlets").await.refused(401, "UNAUTHORIZED");
    branch.anonymous().with_token("none.none.none".into()).get("/outlets").await.refused(401, "UNAUTHORIZED");
    branch
        .anonymous()
        .with_header("Authorization", "Basic eDp5")
        .get("/outlets")
        .await
        .refused(401, "UNAUTHORIZED");
    branch.pass(25 * 3_600_000);
    owner.get("/outlets").await.refused(401, "TOKEN_EXPIRED");
}

#[tokio::test]
async fn the_same_key_gets_the_first_answer_even_sixteen_times_at_once() {
    let branch = Branch::start().await;
    let admin = branch.sign_in(Role::SuperAdmin);
    let body = json!({"code": "CHN1", "name": "Chennai"});
    let tries = (0..16).map(|_| admin.post_keyed("/outlets", "key-1", body.clone()));
    let replies = futures_util::future::join_all(tries).await;
    let first = replies[0].clone().expect(201).json();
    assert!(replies.iter().all(|reply| reply.status == 201 && reply.json() == first));
    let replayed = replies.iter().filter(|reply| reply.header("idempotency-replayed") == "true").count();
    assert_eq!(replayed, 15);
    assert_eq!(branch.number("SELECT count(*) FROM outlets").await, 2);
    let other = admin.post_keyed("/outlets", "key-1", json!({"code": "CHN2", "name": "Chennai"})).await;
    other.refused(422, "IDEMPOTENCY_KEY_REUSED");
    admin.post_keyed("/outlets", &"k".repeat(256), body.clone()).await.refused(400, "BAD_REQUEST");
    // Seven days later the key is free again. The same caller: keys belong to an account.
    let forget = "UPDATE idempotency SET created_at = created_at - 8 * 86400000";
    branch.db.write(move |tx| tx.execute(forget, [])).await.unwrap();
    admin.post_keyed("/outlets", "key-1", json!({"code": "CHN3", "name": "Chennai"})).await.expect(201);
}

#[tokio::test]
async fn a_stale_version_is_refused_and_a_taken_value_names_its_field() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let path = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&path, json!({"name": "Tiffin"})).await.expect(200);
    let stale = owner.clone().with_header("If-Match", "\"1\"");
    stale.patch(&path, json!({"name": "Late"})).await.refused(412, "STALE_VERSION");
    let fresh = owner.clone().with_header("If-Match", "\"2\"").patch(&path, json!({"phone": "080"})).await;
    assert_eq!(fresh.data()["version"], 3);
    owner.with_header("If-Match", "yesterday").patch(&path, json!({})).await.refused(400, "BAD_REQUEST");
    let taken = branch.sign_in(Role::SuperAdmin).post("/outlets", json!({"code": "BLR1", "name": "x"})).await;
    assert_eq!(taken.refused(409, "CONFLICT").invalid_fields(), ["code"]);
}

#[tokio::test]
async fn system_routes_need_no_token() {
    let branch = Branch::start().await;
    let guest = branch.anonymous();
    for path in ["/health", "/ready", "/docs", "/metrics", "/status", "/openapi.json"] {
        guest.get(path).await.expect(200);
    }
    let document = guest.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/outlets/{id}"]["patch"]["requestBody"].is_object());
}

#[tokio::test]
async fn limits_are_announced_and_enforced() {
    let branch = Branch::with([("limit-general", "3/60")]).await;
    let guest = branch.anonymous();
    for left in ["2", "1", "0"] {
        let reply = guest.get("/outlets").await.expect(401);
        assert_eq!((reply.header("ratelimit-limit"), reply.header("ratelimit-remaining")), ("3", left));
    }
    let over = guest.get("/outlets").await.refused(429, "RATE_LIMITED");
    assert!(over.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(over.header("ratelimit-remaining"), "0");
    // Behind the same address the tills go on, as many as there are; a token that is none is nobody's.
    for _ in 0..4 {
        let reply = branch.sign_in(Role::Cashier).get("/menu").await.expect(200);
        assert_eq!(reply.header("ratelimit-remaining"), "3");
    }
    guest.with_token("none.none.none".into()).get("/menu").await.refused(429, "RATE_LIMITED");
}
