//! The bad network itself: that it does to a request what its name says, or the tests on top of it show nothing.

use axum::Router;
use axum::routing::post;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tiffin_tests::Dice;
use tiffin_tests::proxy::{Fate, Network, Proxy, Weather};

/// A server that counts what arrives, and what arrives whole.
struct Server {
    base: String,
    arrived: Arc<AtomicU64>,
}

async fn server() -> Server {
    let arrived = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&arrived);
    let answer = move |body: String| {
        let counted = Arc::clone(&counted);
        async move {
            counted.fetch_add(1, Ordering::SeqCst);
            format!("{} bytes {}", body.len(), "x".repeat(2_000))
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/", post(answer))).await });
    Server { base, arrived }
}

async fn until(what: &str, mut done: impl FnMut() -> bool) {
    let wait = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// What an asker sees: the status and whether the body came whole; none when the connection broke.
async fn ask(client: &reqwest::Client, base: &str) -> Option<(u16, bool)> {
    let sent = client.post(base).body("b".repeat(5_000)).timeout(Duration::from_secs(5)).send().await.ok()?;
    let status = sent.status().as_u16();
    sent.text().await.ok().map(|text| (status, text.starts_with("5000 bytes")))
}

#[tokio::test]
async fn it_does_to_each_request_what_it_says() {
    let server = server().await;
    let proxy = Proxy::start(Network::new("test", Dice::new(1))).await;
    proxy.to(&[&server.base]);
    let client = reqwest::Client::new();
    let arrived = || server.arrived.load(Ordering::SeqCst);
    let soon = Duration::from_millis(30);
    let cases = [
        (Fate::Pass, Some((200, true)), 1),
        (Fate::Slow(soon), Some((200, true)), 1),
        (Fate::LoseRequest, None, 0),
        (Fate::LoseReply, None, 1),
        (Fate::CutRequest(600), None, 0),
        (Fate::CutReply(700), None, 1),
        (Fate::Late(soon), None, 1),
        (Fate::Twice(soon), Some((200, true)), 2),
        (Fate::Portal, Some((200, false)), 0),
        (Fate::Busy(503, Some(2)), Some((503, false)), 0),
    ];
    for (fate, seen, times) in cases {
        let before = arrived();
        // The asker's library asks again by itself on a kept connection that breaks; a connection of its own it does not.
        let fresh = if seen.is_none() { reqwest::Client::new() } else { client.clone() };
        proxy.network.script(&[fate]);
        assert_eq!(ask(&fresh, proxy.base()).await, seen, "{fate:?}");
        until(&format!("{fate:?} arrives {times} times"), || arrived() == before + times).await;
        assert_eq!(ask(&client, proxy.base()).await, Some((200, true)), "after {fate:?}");
        assert_eq!(arrived(), before + times + 1, "{fate:?}");
    }
}

#[tokio::test]
async fn a_cut_cable_breaks_what_is_under_way() {
    let server = server().await;
    let proxy = Proxy::start(Network::new("test", Dice::new(2))).await;
    proxy.to(&[&server.base]);
    let client = reqwest::Client::new();
    proxy.network.script(&[Fate::HalfOpen]);
    let waiting = tokio::spawn({
        let (client, base) = (client.clone(), proxy.base().to_owned());
        async move { client.post(base).body("waiting").timeout(Duration::from_secs(60)).send().await.is_err() }
    });
    until("the request is under way", || !proxy.network.fates().is_empty()).await;
    proxy.network.set_up(false);
    assert!(waiting.await.unwrap());
    assert_eq!(ask(&client, proxy.base()).await, None);
    proxy.network.set_up(true);
    assert_eq!(ask(&client, proxy.base()).await, Some((200, true)));
}

#[test]
fn the_weather_is_that_of_its_seed() {
    let draw = |seed| {
        let network = Network::new("test", Dice::new(seed));
        network.weather(Weather::STORM);
        (0..200).map(|_| network.draw()).collect::<Vec<_>>()
    };
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
    let passed = draw(3).iter().filter(|fate| **fate == Fate::Pass).count();
    assert!((60..180).contains(&passed), "{passed} of 200 pass");
}
