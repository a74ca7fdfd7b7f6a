//! A forgotten password on branches as their owners make them. (By the setup page: `lan`.)

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tiffin_tests::people::{hire_waiter, is_reset, sign_in};
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, Edge, HeadOffice, Reply, sample, until};

/// Who forgets the password.
const ASHA: &str = "asha@sample.test";

async fn owner(branch: &Branch) -> Client {
    sign_in(&branch.anonymous(), OWNER, PASSWORD).await
}

#[tokio::test]
async fn it_is_reset_on_a_branch_made_by_init() {
    let branch = Branch::start().await;
    let owner = owner(&branch).await;
    hire_waiter(&owner, ASHA).await;
    is_reset(&branch.anonymous(), &owner, ASHA).await;
}

#[tokio::test]
async fn it_is_reset_in_the_sample_restaurant() {
    let branch = Branch::sample(&[]).await;
    let anyone = branch.anonymous();
    let owner = sign_in(&anyone, "owner@sample.test", PASSWORD).await;
    is_reset(&anyone, &owner, "waiter@sample.test").await;
}

#[tokio::test]
async fn it_is_reset_on_a_branch_that_belongs_to_a_head_office() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    branch.enroll(&hub).await;
    let mut worker = branch.worker();
    worker.chores_step().await;
    assert_eq!(branch.number("SELECT count(*) FROM sync_peer").await, 1);
    let owner = owner(&branch).await;
    hire_waiter(&owner, ASHA).await;
    is_reset(&branch.anonymous(), &owner, ASHA).await;
}

#[tokio::test]
async fn it_is_reset_on_a_box_that_took_the_place_of_another() {
    let (hub, first) = (HeadOffice::start().await, Branch::start().await);
    first.enroll(&hub).await;
    hire_waiter(&owner(&first).await, ASHA).await;
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
    is_reset(&second.anonymous(), &owner(&second).await, ASHA).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_reset_on_a_box_that_a_backup_was_put_back_on() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (first, second, stick) = (place("first"), place("second"), place("stick"));
    sample::init(first.as_ref(), "BLR1");
    std::fs::create_dir(&stick).unwrap();
    Edge::run(&["backup", "--data-dir", &first, "--to", &stick]);
    let backup = std::fs::read_dir(&stick).unwrap().next().unwrap().unwrap().path();
    Edge::run(&["restore", "--new", "--data-dir", &second, backup.to_str().unwrap()]);
    let edge = Edge::serve(second.as_ref(), &[]).await;
    is_reset(&edge.client(), &sample::owner(&edge).await, "waiter@sample.test").await;
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
    hire_waiter(&owner(&branch).await, ASHA).await;
    let mut told = Vec::new();
    for _ in 0..8 {
        told.push(tells(&branch, &branch.anonymous().post(path, asked(path, email)).await));
    }
    told
}

fn asked(path: &str, email: &str) -> Value {
    match path {
        "/auth/login" => json!({"email": email, "password": "not the right one"}),
        _ => json!({"email": email}),
    }
}

#[tokio::test]
async fn no_answer_tells_whether_there_is_an_account() {
    for (path, last) in [("/auth/forgot-password", 429), ("/auth/login", 423)] {
        let known = answers(path, ASHA).await;
        assert_eq!(known, answers(path, "nobody@sample.test").await, "{path}");
        assert_eq!(known.last().unwrap().0, last, "{path}");
    }
}

/// How long requests for a known and for an unknown email take at best: what disturbs one makes it longer, never shorter.
async fn times(branch: &Branch, path: &str) -> [Duration; 2] {
    let (anyone, mut best) = (branch.anonymous(), [Duration::MAX; 2]);
    for _ in 0..40 {
        // Whoever was locked out may try again.
        branch.pass(15 * 60_000);
        for (email, best) in [ASHA, "nobody@sample.test"].iter().zip(&mut best) {
            let begin = Instant::now();
            let reply = anyone.post(path, asked(path, email)).await;
            *best = (*best).min(begin.elapsed());
            assert!(reply.status < 402, "{path}: {}", reply.text);
        }
    }
    best
}

#[tokio::test]
async fn no_time_tells_whether_there_is_an_account() {
    let branch = Branch::start().await;
    hire_waiter(&owner(&branch).await, ASHA).await;
    for path in ["/auth/forgot-password", "/auth/login"] {
        let mut measured = Vec::new();
        for _ in 0..3 {
            let [known, unknown] = times(&branch, path).await;
            measured.push(known.as_secs_f64() / unknown.as_secs_f64());
        }
        // A machine that does much else may spoil one of them.
        assert!(measured.iter().any(|ratio| (0.8..1.25).contains(ratio)), "{path}: {measured:?}");
    }
}
