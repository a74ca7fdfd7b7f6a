//! A forgotten password on branches as their owners make them.

use serde_json::json;
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, HeadOffice, Reply, until};

/// Somebody signs in with email and password.
async fn sign_in(branch: &Branch, email: &str, password: &str) -> Client {
    let body = json!({"email": email, "password": password});
    let signed_in = branch.anonymous().post("/auth/login", body).await.expect(200).data();
    let token = signed_in["accessToken"].as_str().unwrap().to_owned();
    branch.anonymous().with_token(token).with_outlet(branch.outlet_id)
}

/// The waiter `email` forgets the password, is handed a code by the owner, and has another one.
async fn is_reset(branch: &Branch, owner: &Client, email: &str) {
    let anyone = branch.anonymous();
    anyone.post("/auth/forgot-password", json!({"email": email})).await.expect(200);
    let notices = owner.get("/notifications?unread=true").await.expect(200).data();
    let told = notices.as_array().unwrap().iter().find(|notice| notice["type"] == "PASSWORD_RESET");
    let told = told.unwrap_or_else(|| panic!("nobody is told of a code: {notices}"));
    let text = told["body"].as_str().unwrap();
    let code = text.split([' ', '.']).find(|word| word.matches('-').count() == 2).unwrap();
    let body = json!({"token": code, "newPassword": "another long one"});
    anyone.post("/auth/reset-password", body).await.expect(200);
    sign_in(branch, email, "another long one").await.get("/auth/me").await.expect(200);
}

/// Hires a waiter with an account of that email.
async fn hire(owner: &Client, email: &str) {
    let person = json!({"employeeCode": "W9", "name": "Asha Rao", "jobTitle": "Waiter"});
    let person = owner.post("/employees", person).await.expect(201).data();
    let path = format!("/employees/{}/account", person["id"].as_str().unwrap());
    let account = json!({"email": email, "password": PASSWORD, "role": "WAITER"});
    owner.post(&path, account).await.expect(201);
}

#[tokio::test]
async fn it_is_reset_on_a_branch_made_by_init() {
    let branch = Branch::start().await;
    let owner = sign_in(&branch, OWNER, PASSWORD).await;
    hire(&owner, "asha@sample.test").await;
    is_reset(&branch, &owner, "asha@sample.test").await;
}

#[tokio::test]
async fn it_is_reset_in_the_sample_restaurant() {
    let branch = Branch::made(&["--sample-data"], []).await;
    let owner = sign_in(&branch, "owner@sample.test", PASSWORD).await;
    is_reset(&branch, &owner, "waiter@sample.test").await;
}

#[tokio::test]
async fn it_is_reset_on_a_branch_that_belongs_to_a_head_office() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    branch.enroll(&hub).await;
    let mut worker = branch.worker();
    worker.chores_step().await;
    assert_eq!(branch.number("SELECT count(*) FROM sync_peer").await, 1);
    let owner = sign_in(&branch, OWNER, PASSWORD).await;
    hire(&owner, "asha@sample.test").await;
    is_reset(&branch, &owner, "asha@sample.test").await;
}

#[tokio::test]
async fn it_is_reset_on_a_box_that_took_the_place_of_another() {
    let (hub, first) = (HeadOffice::start().await, Branch::start().await);
    first.enroll(&hub).await;
    hire(&sign_in(&first, OWNER, PASSWORD).await, "asha@sample.test").await;
    let mut worker = first.worker();
    worker.chores_step().await;
    let waiting = "SELECT (SELECT max(seq) FROM sync_log) - (SELECT acked_seq FROM sync_peer)";
    until("everything is at head office", async || {
        worker.push_step().await;
        (first.number(waiting).await == 0).then_some(())
    })
    .await;
    let second = Branch::replacing(first.outlet_id, &hub).await;
    assert_eq!(second.outlet_id, first.outlet_id);
    let owner = sign_in(&second, OWNER, PASSWORD).await;
    is_reset(&second, &owner, "asha@sample.test").await;
}

/// What an answer tells: its status, its headers but for time and id, its text. Seconds of the rate limiter are the machine's own.
fn tells(branch: &Branch, reply: &Reply) -> (u16, Vec<(String, String)>, String) {
    let is_told = |name: &&str| match *name {
        "date" | "x-request-id" | "ratelimit-reset" => false,
        "retry-after" => reply.status != 429,
        _ => true,
    };
    let mut names: Vec<&str> = reply.headers.keys().map(|name| name.as_str()).filter(is_told).collect();
    names.sort_unstable();
    let headers = names.into_iter().map(|name| (name.to_owned(), reply.header(name).to_owned())).collect();
    let text = if reply.status == 429 { String::new() } else { reply.text.replace(branch.base(), "") };
    (reply.status, headers, text)
}

/// The answers to eight requests in a row for `email`, on a branch of its own with the limits that a branch has.
async fn answers(path: &str, email: &str) -> Vec<(u16, Vec<(String, String)>, String)> {
    let branch = Branch::with([]).await;
    let owner = sign_in(&branch, OWNER, PASSWORD).await;
    hire(&owner, "asha@sample.test").await;
    let mut told = Vec::new();
    for _ in 0..8 {
        let body = match path {
            "/auth/login" => json!({"email": email, "password": "not the right one"}),
            _ => json!({"email": email}),
        };
        told.push(tells(&branch, &branch.anonymous().post(path, body).await));
    }
    told
}

#[tokio::test]
async fn no_answer_tells_whether_there_is_an_account() {
    for (path, last) in [("/auth/forgot-password", 429), ("/auth/login", 423)] {
        let known = answers(path, "asha@sample.test").await;
        assert_eq!(known, answers(path, "nobody@sample.test").await, "{path}");
        assert_eq!(known.last().unwrap().0, last, "{path}");
    }
}
