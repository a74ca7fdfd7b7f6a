//! Displays: each paired one ends at its station, a board shows no guest, and whoever misses a screen is told.

use edge::access::Role;
use edge::resources::{devices, kitchen};
use serde_json::{Value, json};
use std::time::Duration;
use tiffin_tests::paired::{paired, paired_at};
use tiffin_tests::{Branch, Client, Events, House, until};

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

/// An order of a dish each at two stations, of a guest who said who they are and what they cannot eat.
async fn order_for_asha(house: &House) -> Value {
    let mut body = house.at_table(1, &[("Dal", 1), ("Lassi", 2)]);
    body["customerName"] = json!("Asha Rao");
    body["customerPhone"] = json!("+919812345678");
    body["notes"] = json!("peanut allergy");
    body["items"][0]["notes"] = json!("no peanut oil");
    body["items"][1]["notes"] = json!("no peanuts");
    house.place(&house.owner, body).await
}

async fn ticket_at(house: &House, station: &str) -> Value {
    let path = format!("/kitchen/tickets?stationId={}", house.station(station));
    house.owner.get(&path).await.expect(200).data()[0].clone()
}

#[tokio::test]
async fn a_kitchen_device_ends_at_its_station() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (display, given) = paired_at(&branch, &house.owner, "KITCHEN", house.station("Bar")).await;
    order_for_asha(&house).await;
    let (own, other) = (ticket_at(&house, "Bar").await, ticket_at(&house, "Hot").await);
    let listed = display.get("/kitchen/tickets").await.expect(200).data();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &own["id"]));
    assert_eq!(listed[0]["customerName"], "Asha Rao", "a cook may have to ask");
    let order = own["orderId"].as_str().unwrap();
    let of_order = display.get(&format!("/kitchen/tickets?orderId={order}")).await.expect(200).data();
    assert_eq!(of_order.as_array().unwrap().len(), 1);
    display.get(&format!("/kitchen/tickets/{}", id(&own))).await.expect(200);
    // Another station's work is not there for it, whichever way it asks.
    let hot = house.station("Hot");
    for path in [
        format!("/kitchen/tickets?stationId={hot}"),
        format!("/kitchen/tickets/{}", id(&other)),
        format!("/kitchen/all-day?stationId={hot}"),
        format!("/kitchen/stats?stationId={hot}"),
        format!("/kitchen/stream?stationId={hot}"),
    ] {
        display.get(&path).await.refused(404, "NOT_FOUND");
    }
    let item = id(&other["items"][0]);
    for path in ["ack", "start", "ready", "serve", "recall", "reprint"] {
        let path = format!("/kitchen/tickets/{}/{path}", id(&other));
        display.post(&path, json!({})).await.refused(404, "NOT_FOUND");
    }
    for verb in ["start", "ready"] {
        let path = format!("/kitchen/tickets/{}/items/{item}/{verb}", id(&other));
        display.post(&path, json!({})).await.refused(404, "NOT_FOUND");
    }
    let first = json!({"priority": 1});
    display.patch(&format!("/kitchen/tickets/{}", id(&other)), first).await.refused(404, "NOT_FOUND");
    display.post(&format!("/kitchen/stations/{hot}/ack-all"), json!({})).await.refused(404, "NOT_FOUND");
    let untouched = house.owner.get(&format!("/kitchen/tickets/{}", id(&other))).await.expect(200).data();
    assert_eq!((&untouched["version"], &untouched["ackedAt"]), (&other["version"], &Value::Null));
    let all_day = display.get("/kitchen/all-day").await.expect(200).data();
    assert_eq!((&all_day["dishes"][0]["name"], &all_day["quantity"]), (&json!("Lassi"), &json!(2)));
    let pass = display.get("/kitchen/orders").await.expect(200).data();
    assert_eq!(pass[0]["stations"].as_array().unwrap().len(), 1);
    display.post(&format!("/kitchen/stations/{}/ack-all", house.station("Bar")), json!({})).await.expect(200);
    for verb in ["start", "ready", "serve"] {
        display.post(&format!("/kitchen/tickets/{}/{verb}", id(&own)), json!({})).await.expect(200);
    }
    // One without a station sees everything, and so does one at the pass.
    let path = format!("/devices/{}", id(&given["device"]));
    house.owner.patch(&path, json!({"stationId": null})).await.expect(200);
    display.get(&format!("/kitchen/tickets/{}", id(&other))).await.expect(200);
    let pass = json!({"name": "Pass", "kind": "EXPO"});
    let pass = house.owner.post("/kitchen/stations", pass).await.expect(201).data();
    house.owner.patch(&path, json!({"stationId": pass["id"]})).await.expect(200);
    display.get(&format!("/kitchen/tickets/{}", id(&other))).await.expect(200);
}

#[tokio::test]
async fn a_displays_stream_begins_anew_at_another_station() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (display, given) = paired_at(&branch, &house.owner, "KITCHEN", house.station("Bar")).await;
    let mut stream = Events::open(&display, "/kitchen/stream", None).await;
    let dish = async |stream: &mut Events| {
        let event = stream.until(|event| event.name == "ticket.created").await;
        event.data["items"][0]["name"].as_str().unwrap().to_owned()
    };
    let displays = async |station: &str| {
        let path = format!("/kitchen/stations/{}", house.station(station));
        house.owner.get(&path).await.expect(200).data()["displays"].clone()
    };
    order_for_asha(&house).await;
    assert_eq!(dish(&mut stream).await, "Lassi");
    assert_eq!((displays("Bar").await, displays("Hot").await), (json!(1), json!(0)));
    let path = format!("/devices/{}", id(&given["device"]));
    house.owner.patch(&path, json!({"stationId": house.station("Hot")})).await.expect(200);
    stream.until(|event| event.name == "reset").await;
    stream.ends().await;
    let mut stream = Events::open(&display, "/kitchen/stream", stream.last_id.as_deref()).await;
    order_for_asha(&house).await;
    assert_eq!(dish(&mut stream).await, "Dal");
    assert_eq!((displays("Bar").await, displays("Hot").await), (json!(0), json!(1)));
    // Who only looks is no display.
    let _waiter = Events::open(&branch.sign_in(Role::Waiter), "/kitchen/stream", None).await;
    assert_eq!(displays("Hot").await, 1);
}

#[tokio::test]
async fn the_one_stream_shows_a_display_its_station_and_a_board_no_guest() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (display, given) = paired_at(&branch, &house.owner, "KITCHEN", house.station("Bar")).await;
    let (board, _) = paired(&branch, &house.owner, "BOARD").await;
    let mut stream = Events::open(&display, "/stream?topics=tickets", None).await;
    let mut public = Events::open(&board, "/stream?topics=tickets", None).await;
    for stream in [&mut stream, &mut public] {
        stream.next().await;
    }
    order_for_asha(&house).await;
    let shown = stream.until(|event| event.name == "ticket").await.data["data"].clone();
    assert_eq!(
        (&shown["stationName"], &shown["items"][0]["name"], &shown["customerName"]),
        (&json!("Bar"), &json!("Lassi"), &json!("Asha Rao"))
    );
    for _ in 0..2 {
        let shown = public.until(|event| event.name == "ticket").await.data.to_string();
        for secret in ["Asha", "98123", "peanut"] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
    }
    // At another station it begins anew: the stream says so and ends.
    let path = format!("/devices/{}", id(&given["device"]));
    house.owner.patch(&path, json!({"stationId": house.station("Hot")})).await.expect(200);
    stream.until(|event| event.name == "reset").await;
    stream.ends().await;
    let mut stream = Events::open(&display, "/stream?topics=tickets", None).await;
    stream.next().await;
    order_for_asha(&house).await;
    let shown = stream.until(|event| event.name == "ticket").await.data["data"].clone();
    assert_eq!(shown["items"][0]["name"], "Dal");
}

#[tokio::test]
async fn a_board_shows_what_is_ready_and_no_guest() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (board, _) = paired(&branch, &house.owner, "BOARD").await;
    let mut stream = Events::open(&board, "/kitchen/stream", None).await;
    let order = order_for_asha(&house).await;
    let ticket = ticket_at(&house, "Bar").await;
    let shown = stream.until(|event| event.name == "ticket.created").await.data;
    assert_eq!(shown["orderNumber"], order["orderNumber"]);
    let mut texts = vec![shown.to_string()];
    let own = format!("/kitchen/tickets/{}", id(&ticket));
    for path in ["/kitchen/tickets", own.as_str(), "/kitchen/orders", "/kitchen/all-day"] {
        texts.push(board.get(path).await.expect(200).text);
    }
    assert!(texts[1].contains(order["orderNumber"].as_str().unwrap()) && texts[4].contains("Lassi"));
    for text in texts {
        for secret in ["Asha", "98123", "peanut"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    let station = format!("/kitchen/stations/{}", house.station("Bar"));
    assert_eq!(house.owner.get(&station).await.data()["displays"], 0, "guests look at it, no cook does");
}

async fn told(client: &Client, kind: &str) -> Vec<Value> {
    let all = client.get("/notifications?limit=100").await.expect(200).data();
    all.as_array().unwrap().iter().filter(|notice| notice["type"] == kind).cloned().collect()
}

#[tokio::test]
async fn a_screen_that_went_dark_is_missed_once_and_forgotten_when_it_is_back() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (screen, given) = paired_at(&branch, &house.owner, "KITCHEN", house.station("Bar")).await;
    let stopping = || branch.state().stopping.0.clone();
    let watchmen = [
        tokio::spawn(kitchen::worker::run(branch.db.clone(), Duration::from_secs(3_600), stopping())),
        tokio::spawn(devices::worker::run(branch.db.clone(), stopping())),
    ];
    let noted = "SELECT (SELECT count(*) FROM station_displays WHERE unwatched_since IS NULL)
        + (SELECT count(*) FROM devices WHERE followed_at IS NOT NULL AND silent_since IS NULL)";
    let gone = "SELECT (SELECT count(*) FROM station_displays WHERE unwatched_since IS NOT NULL)
        + (SELECT count(*) FROM devices WHERE silent_since IS NOT NULL)";
    let is = async |sql: &'static str, wanted: i64| {
        until("it is noted", async || (branch.number(sql).await == wanted).then_some(())).await
    };
    let mut stream = Events::open(&screen, "/kitchen/stream", None).await;
    stream.next().await;
    is(noted, 2).await;
    let dashboard = async || house.owner.get("/dashboard").await.expect(200).data()["displays"].clone();
    assert_eq!(dashboard().await, json!({"silent": [], "unwatchedStations": []}));
    drop(stream);
    // The server notices with its next write to the stream; what nobody sees waits there.
    house.place(&house.owner, house.counter(&[("Lassi", 1)])).await;
    let path = format!("/kitchen/stations/{}", house.station("Bar"));
    let station = async || house.owner.get(&path).await.expect(200).data();
    while station().await["displays"] != 0 {}
    branch.pass(119_000);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(branch.number(gone).await, 0, "a tablet that changes its network comes back by itself");
    branch.pass(1_000);
    is(gone, 2).await;
    let missed = told(&house.owner, "STATION_UNWATCHED").await;
    assert_eq!((missed.len(), &missed[0]["severity"]), (1, &json!("CRITICAL")), "a ticket waits there");
    assert!(missed[0]["title"].as_str().unwrap().contains("Bar"), "{missed:?}");
    let silent = told(&house.owner, "DISPLAY_SILENT").await;
    assert_eq!((silent.len(), &silent[0]["entity"]["id"]), (1, &given["device"]["id"]));
    let since = json!("2026-11-20T12:30:00.000Z");
    let seen = station().await;
    assert_eq!(
        (&seen["displays"], &seen["lastSeenAt"], &seen["unwatchedSince"]),
        (&json!(0), &since, &since)
    );
    let listed = house.owner.get("/devices").await.expect(200).data();
    assert_eq!(listed[0]["silentSince"], since);
    let shown = dashboard().await;
    assert_eq!(
        (&shown["silent"][0]["since"], &shown["unwatchedStations"][0]["name"]),
        (&since, &json!("Bar"))
    );
    let status = house.owner.get("/status").await.expect(200).data();
    assert_eq!(
        (&status["devices"][0]["silentSince"], &status["devices"][0]["kind"]),
        (&since, &json!("KITCHEN"))
    );
    assert_eq!(status["unwatchedStations"][0]["since"], since);
    // It stays dark, and nobody is told again until it has been back.
    branch.pass(300_000);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(told(&house.owner, "DISPLAY_SILENT").await[0]["count"], 1);
    let mut stream = Events::open(&screen, "/kitchen/stream", None).await;
    stream.next().await;
    is(noted, 2).await;
    assert_eq!(dashboard().await, json!({"silent": [], "unwatchedStations": []}));
    assert_eq!(station().await["unwatchedSince"], Value::Null);
    watchmen.iter().for_each(tokio::task::JoinHandle::abort);
}
