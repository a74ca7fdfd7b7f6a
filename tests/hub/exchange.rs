//! The exchange over HTTP: the outlet comes from the key alone, fresh rows pass while backlogs wait, and every place is given back.

use crate::{enrol, log, push_all};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use sync_hub::exchange::{Admission, Load, Work};
use sync_hub::store::Wake;
use tiffin_common::sync::batch::{self, Batch, Dictionary};
use tiffin_common::sync::{Class, FRAMES_TYPE, PROTOCOL};
use tiffin_tests::{BoxClient, Branch, HeadOffice, House};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Waits until `holds`, which other tasks must bring about.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let patience = tokio::time::timeout(Duration::from_secs(30), async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    });
    assert!(patience.await.is_ok(), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_in_and_the_outlet_shows_it() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    House::open(&branch).await;
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    // Once more, all of it: nothing changes.
    push_all(&branch, &sender).await;
    let head = branch.number("SELECT max(seq) FROM sync_log").await;
    let hello = json!({
        "deviceId": sender.device_id, "protocol": PROTOCOL, "schema": tiffin_migrations::edge_schema_version(),
        "version": "1.0.0", "wall": "2026-11-20T12:30:05.000Z", "head": null, "epochs": [], "backlog": 0, "hubEpoch": null,
    });
    let answer = sender.client.post("/sync/v1/hello", hello.clone()).await.expect(200).json();
    assert_eq!(answer["cursor"]["seq"], head);
    let listed = hub.admin().get("/hub/outlets").await.expect(200).json();
    let outlet = &listed["data"][0];
    assert_eq!(
        (outlet["online"].as_bool(), outlet["position"].as_i64()),
        (Some(true), Some(head)),
        "{outlet}"
    );
    assert_eq!((outlet["rowsWaiting"].as_i64(), outlet["clockOffsetMs"].as_i64()), (Some(0), Some(5_000)));
    assert_eq!((outlet["lagSeconds"].as_i64(), outlet["quarantined"].as_i64()), (Some(0), Some(0)));
    hub.pass(91_000);
    let path = format!("/hub/outlets/{}", branch.outlet_id);
    let later = hub.admin().get(&path).await.expect(200).data();
    assert_eq!((later["online"].as_bool(), later["lagSeconds"].as_i64()), (Some(false), Some(91)));
    // What the box said outlives the process.
    hub.app.note_presences().await.unwrap();
    let outlet = branch.outlet_id;
    let kept = hub
        .app
        .look(move |from| Ok(sync_hub::registry::outlets::find(from, outlet)?))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(kept.presence.unwrap().version.as_deref(), Some("1.0.0"));
    let mut stranger = hello;
    stranger["deviceId"] = json!(crate::UNKNOWN);
    sender.client.post("/sync/v1/hello", stranger).await.refused(403, "FORBIDDEN");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_reads_and_writes_its_own_outlet_only() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    House::open(&branch).await;
    let [mine, other] = [enrol(&hub, &branch).await, hub.box_of("BLR2").await];
    push_all(&branch, &mine).await;
    // The other's key brings the same rows: they are of an outlet that is not its own.
    let batch = batch::encode(&log(&branch, 0).await).unwrap();
    other.push(Class::Live, batch).await;
    let admin = hub.admin();
    let orders = admin.clone().with_outlet(other.outlet.id).get("/menu/items").await;
    assert!(orders.status == 403 || orders.json()["meta"]["total"] == 0, "{}", orders.text);
    let epoch = branch
        .state()
        .db
        .read(|conn| {
            edge::db::one(conn, "SELECT epoch FROM sync_log WHERE seq = 5", [], |row| {
                row.get::<_, tiffin_common::Uuid>(0)
            })
        })
        .await
        .unwrap();
    let frames = format!("/sync/v1/frames?epoch={epoch}&to=5&after=0");
    let own = mine.client.get(&frames).await.expect(200);
    assert_eq!(own.header("content-type"), FRAMES_TYPE);
    let snapshot = other.client.get("/sync/v1/snapshot?phase=A").await.expect(200).json();
    assert_eq!(snapshot["count"], 0, "{snapshot}");
    assert!(
        mine.client.get("/sync/v1/snapshot?phase=A").await.expect(200).json()["count"].as_i64() > Some(0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_push_must_be_is_said() {
    let hub = HeadOffice::with([
        ("push-limit-bytes", "4096"),
        ("limit-general", "off"),
        ("limit-exchange", "off"),
        ("limit-enrol", "off"),
    ])
    .await;
    let sender = hub.box_of("BLR1").await;
    sender.push(Class::Live, vec![0; 5000]).await.refused(413, "PAYLOAD_TOO_LARGE");
    sender.push(Class::Live, b"no frames at all in here".to_vec()).await.refused(400, "BAD_REQUEST");
    let plain = sender.client.request(Method::POST, "/sync/v1/push").body("x");
    sender.client.send(plain).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    let push = |name: &'static str, value: &'static str| {
        sender
            .client
            .request(Method::POST, "/sync/v1/push")
            .header("content-type", FRAMES_TYPE)
            .header(name, value)
            .body("x")
    };
    sender.client.send(push("content-encoding", "gzip")).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    sender.client.send(push("x-tiffin-class", "urgent")).await.refused(400, "BAD_REQUEST");
    sender.client.get("/sync/v1/pull?feed=many").await.refused(400, "BAD_REQUEST");
    assert_eq!(Load { turned_away: 0, ..hub.app.admission.load() }, Load::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn hello_names_the_dictionaries_that_both_know() {
    let hub = HeadOffice::start().await;
    let sender = hub.box_of("BLR1").await;
    let greet = async |more: serde_json::Value| {
        let mut hello = json!({
            "deviceId": sender.device_id, "protocol": PROTOCOL, "schema": tiffin_migrations::edge_schema_version(),
            "version": "1.0.0", "wall": "2026-11-20T12:30:00.000Z", "head": null, "epochs": [], "backlog": 0, "hubEpoch": null,
        });
        hello.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sender.client.post("/sync/v1/hello", hello).await.expect(200).json()
    };
    assert_eq!(greet(json!({})).await["dictionaries"], json!([]));
    let newest = Dictionary::NEWEST.number().unwrap();
    assert_eq!(greet(json!({"dictionaries": [newest, newest + 1]})).await["dictionaries"], json!([newest]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_is_refused_with_where_to_go_on() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    House::open(&branch).await;
    let sender = enrol(&hub, &branch).await;
    let later = batch::encode(&log(&branch, 5).await).unwrap();
    let refused = sender.push(Class::Live, later).await.refused(409, "CONFLICT").json();
    assert_eq!(refused["refused"]["reason"], "GAP", "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fenced_box_may_only_hand_in_what_it_still_has() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    House::open(&branch).await;
    let first = enrol(&hub, &branch).await;
    push_all(&branch, &first).await;
    let mut request = hub.request(&hub.code(Some(branch.outlet_id)).await, None);
    request.replace = true;
    hub.enrol(&request).await;
    let body = batch::encode(&log(&branch, 0).await).unwrap();
    first.push(Class::Live, body.clone()).await.refused(410, "DEVICE_FENCED");
    first.push(Class::Salvage, body).await.expect(200);
    first.client.get("/sync/v1/pull?feed=0").await.refused(410, "DEVICE_FENCED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fenced_box_hears_what_of_its_log_is_missing() {
    for hub in [HeadOffice::start().await, HeadOffice::on_postgres().await] {
        let branch = Branch::start().await;
        House::open(&branch).await;
        let old = enrol(&hub, &branch).await;
        let all = log(&branch, 0).await;
        let part = |after: usize, to: usize| {
            let previous = after.checked_sub(1).map_or(all.previous, |last| all.frames[last].hash);
            batch::encode(&Batch { previous, frames: all.frames[after..to].to_vec() }).unwrap()
        };
        old.push(Class::Live, part(0, 5)).await.expect(200);
        let mut request = hub.request(&hub.code(Some(branch.outlet_id)).await, None);
        request.replace = true;
        let new = hub.enrol(&request).await;
        // Where head office holds all from the first row on, the last one is told, otherwise the last that is missing.
        let sent = [
            ((8, 12), 8),
            ((11, 12), 8),
            ((10, 13), 8),
            ((6, 12), 6),
            ((5, 6), 6),
            ((12, 13), 13),
            ((9, 14), 14),
        ];
        for ((after, to), told) in sent {
            let answer = old.push(Class::Salvage, part(after, to)).await.expect(200).json();
            assert_eq!(answer["cursor"]["seq"], told, "rows {} to {to}: {answer}", after + 1);
        }
        // The box in its place is told at once what to take over, and then need not be told again.
        let (client, path) = (new.client.clone(), wait_for_news(&new).await);
        let waiting = tokio::spawn(async move { client.get(&path).await.expect(200).json() });
        assert!(hub.app.hub.take_over(branch.outlet_id, "Asha".into(), None).await.unwrap() > 0);
        until("it hears of it", || {
            // It may not have waited yet when that was ordered.
            hub.app.stores().store().wake(Wake::Feed(branch.outlet_id));
            waiting.is_finished()
        })
        .await;
        assert_eq!(waiting.await.unwrap()["salvage"], true);
    }
}

/// The path of a pull that waits for what is new.
async fn wait_for_news(sender: &BoxClient) -> String {
    let first = sender.client.get("/sync/v1/pull?feed=0").await.expect(200).json();
    let text = |name: &str| first[name].as_str().unwrap().to_owned();
    format!(
        "/sync/v1/pull?feed={}&mark={}&hubEpoch={}&wait=50",
        first["feed"],
        text("mark"),
        text("hubEpoch")
    )
}

/// A push whose body never ends: its place is taken as long as the connection lives.
async fn hang(hub: &HeadOffice, sender: &BoxClient, class: Class) -> TcpStream {
    let address = hub.base().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /sync/v1/push HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-type: {FRAMES_TYPE}\r\n\
         x-tiffin-class: {}\r\ncontent-length: 1000\r\n\r\nhalf",
        sender.key(),
        class.name()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn fresh_rows_pass_while_backlogs_hold_every_place_and_cut_connections_give_theirs_back() {
    let bounds = [
        ("backlog-permits", "1"),
        ("backlog-waiting", "1"),
        ("limit-general", "off"),
        ("limit-exchange", "off"),
        ("limit-enrol", "off"),
    ];
    let (hub, branch) = (HeadOffice::with(bounds).await, Branch::start().await);
    House::open(&branch).await;
    let sender = enrol(&hub, &branch).await;
    let other = hub.box_of("BLR2").await;
    let hanging = [hang(&hub, &other, Class::Backlog).await, hang(&hub, &other, Class::Backlog).await];
    until("two backlogs wait", || hub.app.admission.load().backlog == 2).await;
    let body = batch::encode(&log(&branch, 0).await).unwrap();
    let turned_away = sender.push(Class::Backlog, body.clone()).await.refused(503, "UNAVAILABLE");
    assert!((5..30).contains(&turned_away.header("retry-after").parse::<u64>().unwrap()));
    sender.push(Class::Live, body.clone()).await.expect(200);
    drop(hanging);
    until("their places are free again", || hub.app.admission.load().backlog == 0).await;
    until("and so is their memory", || hub.app.admission.load().bytes == 0).await;
    sender.push(Class::Backlog, body).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_stops_sending_is_cut_off() {
    let bounds = [
        ("push-idle-seconds", "1"),
        ("limit-general", "off"),
        ("limit-exchange", "off"),
        ("limit-enrol", "off"),
    ];
    let hub = HeadOffice::with(bounds).await;
    let sender = hub.box_of("BLR1").await;
    let mut stream = hang(&hub, &sender, Class::Live).await;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 400");
    assert_eq!(hub.app.admission.load().live, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_waits_for_its_own_outlets_feed_and_nobody_elses() {
    let hub = HeadOffice::start().await;
    let [mine, other] = [hub.box_of("BLR1").await, hub.box_of("BLR2").await];
    let path = wait_for_news(&mine).await;
    let waiting = tokio::spawn({
        let (client, path) = (mine.client.clone(), path.clone());
        async move { client.get(&path).await }
    });
    // A wake-up of another outlet's changes nothing; its own with nothing new makes it look again and wait on.
    let store = hub.app.stores().store();
    for outlet in [other.outlet.id, mine.outlet.id] {
        store.wake(Wake::Feed(outlet));
    }
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!waiting.is_finished());
    // Waiting takes no place: the lane is for those at work.
    until("nobody reads", || hub.app.admission.load().reading == 0).await;
    waiting.abort();
}

// A release has no switches for known bugs.
#[cfg(debug_assertions)]
#[test]
fn the_switched_mistake_is_only_in_reach_of_tests() {
    let config = sync_hub::config::Config::with([]).unwrap();
    let env = edge::db::Env::system();
    let bugs = sync_hub::bugs::Bugs { leaky_gate: true, ..Default::default() };
    let leaky = Admission::with_bugs(&config.exchange, bugs);
    drop(leaky.enter(Work::Push(Class::Live), &env).unwrap());
    assert_eq!(leaky.load().live, 1);
}
