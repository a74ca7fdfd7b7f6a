//! Every reading route of head office, asked what the branch is asked: the answers must be the same to the byte. New routes and
//! new parameters are asked for by being in the route table and in the published document.

mod copies;
mod exports;
mod questions;
mod sums;

use axum::middleware::from_fn_with_state;
use edge::access::Role;
use edge::http::finish;
use edge::resources;
use edge::state::AppState;
use questions::Questions;
use std::collections::BTreeSet;
use std::sync::Arc;
use sync_hub::reads::{self, LEFT_OUT};
use sync_hub::store::Stores;
use tiffin_tests::{Branch, Client, Reply, restaurant};
use tokio::net::TcpListener;

/// How many routes may tell nothing of the restaurant, however they are asked: an empty list proves little. May only shrink.
const SILENT: usize = 12;

/// Head office's reading routes before `stores`, with the branch's clock and keys.
async fn serve(branch: &Branch, stores: Stores) -> String {
    // What a store refuses is told to its log alone.
    let log = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::WARN);
    log.with_test_writer().try_init().ok();
    let db = reads::db(stores, branch.db.env().clone());
    let state = AppState { db, ..branch.state().clone() };
    let api = reads::routes().into_router(&state);
    let router = axum::Router::new().nest("/api/v1", api.clone()).nest("/v1", api);
    let public_url = Arc::clone(&state.public_url.0);
    let router = router.layer(from_fn_with_state(public_url, finish::write_problems)).with_state(state);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    base
}

/// What of an answer must be equal.
fn told(reply: &Reply) -> (u16, String, String) {
    let media_type = reply.headers.get("content-type").map(|value| value.to_str().unwrap().to_owned());
    // How a branch stands with head office is no question to head office.
    let text = reply.text.split(",\"sync\":").next().unwrap_or_default();
    // The restaurant's box has a row of the outlet that a transfer goes to, which a box of one outlet does not.
    let text = text.replace(r#""code":"BLR3","name":"Outlet BLR3""#, r#""code":null,"name":null"#);
    // Guests' phones reach the branch alone.
    let text = ["guestUrl", "guestCode"].iter().fold(text, |text, name| {
        let Some((before, rest)) = text.split_once(&format!(r#""{name}":""#)) else { return text };
        format!("{before}\"{name}\":null{}", rest.split_once('"').map_or("", |(_, after)| after))
    });
    (reply.status, media_type.unwrap_or_default(), text)
}

/// Asks both everything below `prefix`, and says what they do not agree on.
async fn compare(branch: &Branch, stores: Stores, prefix: &str) {
    let base = serve(branch, stores).await;
    let owner = branch.sign_in(Role::Owner);
    let at_hub =
        Client::new(&base).with_token(owner.token().unwrap().to_owned()).with_outlet(branch.outlet_id);
    let questions = Questions::of(branch, &owner).await;
    let (mut wrong, mut told_something) = (Vec::new(), BTreeSet::new());
    let asked = questions.0.iter().filter(|(path, _)| path.starts_with(prefix));
    let mut asked: Vec<(&str, &String)> =
        asked.flat_map(|(path, variants)| variants.iter().map(|variant| (path.as_str(), variant))).collect();
    // A file leaves a row in the audit log of the branch alone: it is asked for after everything else.
    asked.sort_by_key(|(_, variant)| variant.contains("format=csv") || variant.contains("format=portal"));
    for (path, variant) in &asked {
        let (here, there) = (owner.get(variant).await, at_hub.get(variant).await);
        assert!(here.status < 500, "{variant} at the branch: {}", here.text);
        if here.status == 200 && questions::says_something(&here) {
            told_something.insert(*path);
        }
        let (here, there) = (told(&here), told(&there));
        if here != there {
            wrong.push(format!(
                "{variant}\n  branch      {}\n  head office {}",
                show(&here, &there),
                show(&there, &here)
            ));
        }
    }
    let empty: BTreeSet<&str> =
        asked.iter().map(|(path, _)| *path).filter(|path| !told_something.contains(path)).collect();
    let asked = asked.len();
    println!("{asked} questions to {} routes", questions.0.len());
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    println!("told nothing: {empty:?}");
    assert!(empty.len() <= SILENT, "routes that told nothing: {empty:?}");
}

/// The status and the part of a text that is not as the other's.
fn show((status, _, text): &(u16, String, String), (_, _, other): &(u16, String, String)) -> String {
    let same = text.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let from = (0..=same.saturating_sub(60)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{status} …{}", text[from..].chars().take(400).collect::<String>())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_office_answers_as_the_branch_does_from_sqlite() {
    let branch = restaurant::trading_restaurant().await;
    let folder = tempfile::tempdir().unwrap();
    let stores = copies::on_sqlite(folder.path());
    copies::replay(&branch, &stores).await;
    compare(&branch, stores.clone(), "/").await;
    // And the same once the figures of finished days are kept.
    assert!(copies::keep_days(&branch, &stores).await > 0);
    compare(&branch, stores, "/analytics").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_office_answers_as_the_branch_does_from_postgresql() {
    let branch = restaurant::trading_restaurant().await;
    let stores = copies::on_postgres().await;
    copies::replay(&branch, &stores).await;
    compare(&branch, stores.clone(), "/").await;
    // And the same once the figures of finished days are kept.
    assert!(copies::keep_days(&branch, &stores).await > 0);
    compare(&branch, stores, "/analytics").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outlet_that_head_office_does_not_hold_is_none_of_the_callers() {
    let branch = Branch::start().await;
    let folder = tempfile::tempdir().unwrap();
    let base = serve(&branch, copies::on_sqlite(folder.path())).await;
    let token = branch.sign_in(Role::SuperAdmin).token().unwrap().to_owned();
    let admin = Client::new(&base).with_token(token);
    admin.get("/orders").await.refused(400, "INVALID_OUTLET_SCOPE");
    admin.with_outlet(branch.outlet_id).get("/orders").await.refused(403, "INVALID_OUTLET_SCOPE");
    Client::new(&base).get("/orders").await.refused(401, "UNAUTHORIZED");
}

#[test]
fn what_is_left_out_is_there_to_be_left_out_and_nothing_else_is() {
    let all = resources::routes().listing();
    let gets = all.iter().filter(|(method, _, access)| {
        *method == reqwest::Method::GET && *access != edge::access::Access::Public
    });
    let gets: BTreeSet<&str> = gets.map(|(_, path, _)| *path).collect();
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(path, _)| *path).collect();
    assert!(left_out.is_subset(&gets), "no such route: {:?}", left_out.difference(&gets));
    let answered = reads::routes::<AppState>().listing();
    assert!(answered.iter().all(|(method, _, _)| *method == reqwest::Method::GET));
    let answered: BTreeSet<&str> = answered.iter().map(|(_, path, _)| *path).collect();
    assert_eq!(answered, gets.difference(&left_out).copied().collect());
}
