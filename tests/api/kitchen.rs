//! `/kitchen`: stations, what cooks do, and the displays' stream. Orders send the tickets; here the kitchen's own action does.

use edge::access::{Actor, Role};
use edge::resources::kitchen::{Holding, KitchenError, TicketLine, TicketOrder, TicketType, actions, worker};
use serde_json::{Value, json};
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client, Events};

/// Sends one ticket for each dish to the kitchen, one order a dish; returns the tickets' ids.
async fn send(branch: &Branch, station: Option<Uuid>, dishes: &'static [&'static str]) -> Vec<String> {
    let actor = Actor::system(branch.outlet_id);
    let made = branch.db.write(move |tx| -> Result<Vec<Uuid>, KitchenError> {
        let mut made = Vec::new();
        for (n, dish) in dishes.iter().enumerate() {
            let order = TicketOrder {
                order_id: tx.new_id(),
                order_number: "BLR1-261120-0001",
                token_number: n as i64 + 1,
                order_type: "DINE_IN",
                table_number: Some("4"),
                business_date: "2026-11-20".parse().unwrap(),
                notes: None,
                holding: Holding::Nothing,
                wanted_at: None,
            };
            let line = TicketLine {
                order_item_id: tx.new_id(),
                menu_item_id: tx.new_id(),
                variant_id: None,
                name: dish,
                quantity: 2,
                weight: None,
                modifiers: vec!["no onion".into()],
                notes: None,
                seat_number: None,
                course: None,
                station_id: station,
                combo_name: None,
                prep_minutes: None,
                hold: false,
            };
            made.extend(actions::dispatch(tx, &actor, &order, &[line], TicketType::New)?);
        }
        Ok(made)
    });
    made.await.unwrap().iter().map(Uuid::to_string).collect()
}

async fn make_station(manager: &Client, body: Value) -> Value {
    manager.post("/kitchen/stations", body).await.expect(201).data()
}

#[tokio::test]
async fn stations_are_made_changed_and_archived() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let grill = make_station(&manager, json!({"name": "Grill"})).await;
    assert_eq!(
        (&grill["isDefault"], &grill["targetMinutes"], &grill["kind"]),
        (&json!(true), &json!(15), &json!("PREP"))
    );
    let bar = json!({"name": "Bar", "fallbackStationId": grill["id"], "printerAddress": "10.0.0.9:9100"});
    let bar = make_station(&manager, bar).await;
    assert_eq!(bar["isDefault"], false);
    let taken = manager.post("/kitchen/stations", json!({"name": "Grill"})).await.refused(409, "CONFLICT");
    assert_eq!(taken.invalid_fields(), ["name"]);
    let bad = json!({"name": "", "kind": "WARM", "targetMinutes": 0, "fallbackStationId": "x"});
    let bad = manager.post("/kitchen/stations", bad).await.refused(422, "PAYLOAD_VALIDATION");
    let mut fields = bad.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["fallbackStationId", "kind", "name", "targetMinutes"]);

    let (grill, bar) = (grill["id"].as_str().unwrap(), bar["id"].as_str().unwrap());
    let stale = manager.clone().with_header("If-Match", "\"7\"");
    stale
        .patch(&format!("/kitchen/stations/{bar}"), json!({"name": "Y"}))
        .await
        .refused(412, "STALE_VERSION");
    let change = json!({"name": "Drinks", "printerAddress": null});
    let changed = manager.patch(&format!("/kitchen/stations/{bar}"), change).await.data();
    assert_eq!(
        (&changed["name"], &changed["printerAddress"], &changed["version"]),
        (&json!("Drinks"), &json!(null), &json!(2))
    );
    let undo = manager.patch(&format!("/kitchen/stations/{grill}"), json!({"isDefault": false})).await;
    undo.refused(422, "PAYLOAD_VALIDATION");
    manager.delete(&format!("/kitchen/stations/{grill}")).await.refused(409, "CONFLICT");
    manager.delete(&format!("/kitchen/stations/{bar}")).await.expect(200);
    manager.get(&format!("/kitchen/stations/{bar}")).await.refused(404, "NOT_FOUND");
    assert_eq!(manager.get("/kitchen/stations").await.json()["meta"]["total"], 1);
    branch
        .sign_in(Role::Kitchen)
        .post("/kitchen/stations", json!({"name": "X"}))
        .await
        .refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_ticket_goes_from_queued_to_served_and_every_tap_counts_once() {
    let branch = Branch::start().await;
    let cook = branch.sign_in(Role::Kitchen);
    let id = send(&branch, None, &["Masala dosa"]).await.remove(0);
    let ticket = cook.get(&format!("/kitchen/tickets/{id}")).await.data();
    assert_eq!(
        (&ticket["status"], &ticket["type"], &ticket["ticketNumber"]),
        (&json!("QUEUED"), &json!("NEW"), &json!(1))
    );
    assert_eq!(
        (&ticket["items"][0]["quantity"], &ticket["items"][0]["modifiers"][0]),
        (&json!(2), &json!("no onion"))
    );
    assert_eq!(ticket["targetReadyAt"], "2026-11-20T12:45:00.000Z");
    let tap = async |verb: &str| {
        cook.post(&format!("/kitchen/tickets/{id}/{verb}"), json!({})).await.expect(200).data()
    };
    for (verb, status) in
        [("ack", "QUEUED"), ("start", "IN_PREPARATION"), ("ready", "READY"), ("serve", "SERVED")]
    {
        branch.pass(60_000);
        let first = tap(verb).await;
        assert_eq!(first["status"], status, "{verb}");
        branch.pass(400);
        assert_eq!(tap(verb).await, first, "a second {verb}");
    }
    let recalled = tap("recall").await;
    assert_eq!((&recalled["status"], &recalled["recalledCount"]), (&json!("IN_PREPARATION"), &json!(1)));
    assert_eq!(tap("recall").await["recalledCount"], 1);
    let item = recalled["items"][0]["id"].as_str().unwrap();
    // Already begun by the recall: nothing changes.
    let begun = cook.post(&format!("/kitchen/tickets/{id}/items/{item}/start"), json!({})).await.data();
    assert_eq!(begun["version"], recalled["version"]);
    assert_eq!(tap(&format!("items/{item}/ready")).await["status"], "READY");
    cook.post(&format!("/kitchen/tickets/{id}/recall"), json!({})).await.expect(200);
    cook.post(&format!("/kitchen/tickets/{id}/items/{id}/ready"), json!({})).await.refused(404, "NOT_FOUND");

    let copy = cook.post(&format!("/kitchen/tickets/{id}/reprint"), json!({})).await.expect(201).data();
    assert_eq!(
        (&copy["type"], &copy["copyNumber"], &copy["refersToId"]),
        (&json!("REPRINT"), &json!(1), &json!(id))
    );
    let copy = copy["id"].as_str().unwrap();
    cook.post(&format!("/kitchen/tickets/{copy}/start"), json!({})).await.refused(409, "INVALID_TRANSITION");

    let elsewhere = branch.sign_in_at(Role::Kitchen, branch.second_outlet().await);
    elsewhere.get(&format!("/kitchen/tickets/{id}")).await.refused(404, "NOT_FOUND");
    elsewhere.post(&format!("/kitchen/tickets/{id}/ack"), json!({})).await.refused(404, "NOT_FOUND");
    branch
        .sign_in(Role::Waiter)
        .post(&format!("/kitchen/tickets/{id}/ack"), json!({}))
        .await
        .refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn the_list_shows_what_is_open_and_finds_the_rest() {
    let branch = Branch::start().await;
    let cook = branch.sign_in(Role::Kitchen);
    let bar = make_station(&branch.sign_in(Role::Manager), json!({"name": "Bar"})).await;
    let bar = bar["id"].as_str().unwrap();
    let ids = send(&branch, None, &["A", "B", "C"]).await;
    cook.post(&format!("/kitchen/tickets/{}/serve", ids[0]), json!({})).await.expect(200);
    cook.patch(&format!("/kitchen/tickets/{}", ids[2]), json!({"priority": 5})).await.expect(200);
    let names = async |query: &str| -> Vec<String> {
        let list = cook.get(&format!("/kitchen/tickets{query}")).await.expect(200).json();
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["items"][0]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("").await, ["C", "B"]);
    assert_eq!(names(&format!("?stationId={bar}")).await, ["C", "B"]);
    assert_eq!(names("?status=SERVED").await, ["A"]);
    assert_eq!(names("?status=SERVED,QUEUED&limit=2&offset=1").await, ["A", "B"]);
    assert_eq!(names("?since=2026-11-20T12:00:00Z").await.len(), 3);
    assert_eq!(names("?since=2026-11-20T13:00:00Z").await.len(), 0);
    let refused = cook.get("/kitchen/tickets?status=BURNT").await.refused(400, "BAD_REQUEST");
    assert_eq!(refused.invalid_fields(), ["status"]);
    cook.get(&format!("/kitchen/tickets?stationId={}", ids[0])).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_display_that_was_away_misses_nothing_and_the_pass_sees_all_stations() {
    let branch = Branch::start().await;
    let (manager, cook) = (branch.sign_in(Role::Manager), branch.sign_in(Role::Kitchen));
    let grill = make_station(&manager, json!({"name": "Grill"})).await["id"].as_str().unwrap().to_owned();
    let bar = make_station(&manager, json!({"name": "Bar"})).await["id"].as_str().unwrap().to_owned();
    let pass = make_station(&manager, json!({"name": "Pass", "kind": "EXPO"})).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let grill_path = format!("/kitchen/stream?stationId={grill}");
    let mut display = Events::open(&cook, &grill_path, None).await;
    let mut expo = Events::open(&cook, &format!("/kitchen/stream?stationId={pass}"), None).await;
    assert_eq!(display.next().await.name, "hello");
    let dosa = send(&branch, None, &["Dosa"]).await.remove(0);
    send(&branch, Some(bar.parse().unwrap()), &["Lassi"]).await;
    let event = display.next().await;
    assert_eq!((event.name.as_str(), &event.data["id"]), ("ticket.created", &json!(dosa)));
    let dish = async |events: &mut Events| {
        let event = events.until(|event| event.name.starts_with("ticket.")).await;
        (event.name, event.data["items"][0]["name"].as_str().unwrap().to_owned())
    };
    assert_eq!(dish(&mut expo).await.1, "Dosa");
    assert_eq!(dish(&mut expo).await.1, "Lassi");
    // The display loses its Wi-Fi while things happen, and comes back.
    let last_id = display.last_id.clone();
    drop(display);
    send(&branch, Some(grill.parse().unwrap()), &["Vada", "Idli"]).await;
    cook.post(&format!("/kitchen/tickets/{dosa}/ack"), json!({})).await.expect(200);
    let mut display = Events::open(&cook, &grill_path, last_id.as_deref()).await;
    assert_eq!(dish(&mut display).await, ("ticket.created".into(), "Vada".into()));
    assert_eq!(dish(&mut display).await, ("ticket.created".into(), "Idli".into()));
    assert_eq!(dish(&mut display).await, ("ticket.updated".into(), "Dosa".into()));
    let mut lost = Events::open(&cook, &grill_path, Some("999999")).await;
    assert_eq!(lost.next().await.name, "reset");
    branch.sign_in(Role::Accountant).get("/kitchen/stream").await.refused(403, "FORBIDDEN");
    cook.get(&format!("/kitchen/stream?stationId={dosa}")).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_unacknowledged_ticket_alarms_the_staff_on_their_stream() {
    let branch = Branch::start().await;
    let mut staff = Events::open(&branch.sign_in(Role::Waiter), "/notifications/stream", None).await;
    assert_eq!(staff.next().await.name, "hello");
    let id = send(&branch, None, &["Dosa"]).await.remove(0);
    let manager = branch.sign_in(Role::Manager);
    let grill = make_station(&manager, json!({"name": "Grill"})).await;
    let bar = make_station(&manager, json!({"name": "Bar", "fallbackStationId": grill["id"]})).await;
    let bar = bar["id"].as_str().unwrap().parse().unwrap();
    let elsewhere = send(&branch, Some(bar), &["Lassi"]).await.remove(0);
    branch.sign_in(Role::Terminal).get("/notifications/stream").await.refused(403, "FORBIDDEN");
    branch.pass(20_000);
    let stopping = branch.state().stopping.0.clone();
    let watchman = tokio::spawn(worker::run(branch.db.clone(), Duration::from_secs(20), stopping));
    let alarm = staff.until(|event| event.name == "notification").await.data;
    assert_eq!((&alarm["type"], &alarm["entity"]["id"]), (&json!("TICKET_UNACKED"), &json!(id)));
    let ticket = branch.sign_in(Role::Kitchen).get(&format!("/kitchen/tickets/{id}")).await.data();
    assert_eq!(
        (&ticket["escalatedAt"], &ticket["escalatedToId"]),
        (&json!("2026-11-20T12:30:20.000Z"), &Value::Null)
    );
    let path = format!("/kitchen/tickets/{elsewhere}");
    let ticket = branch.sign_in(Role::Kitchen).get(&path).await.expect(200).data();
    assert_eq!(ticket["escalatedToId"], grill["id"], "who shows it says so");
    watchman.abort();
}

#[tokio::test]
async fn preparation_times_by_station_and_item() {
    let branch = Branch::start().await;
    let cook = branch.sign_in(Role::Kitchen);
    let ids = send(&branch, None, &["Dosa", "Vada"]).await;
    for (id, seconds) in ids.iter().zip([100, 1_000]) {
        branch.pass(10_000);
        cook.post(&format!("/kitchen/tickets/{id}/start"), json!({})).await.expect(200);
        branch.pass(seconds * 1_000);
        cook.post(&format!("/kitchen/tickets/{id}/ready"), json!({})).await.expect(200);
    }
    let stats = cook.get("/kitchen/stats").await.data();
    let station = &stats["stations"][0];
    assert_eq!((&station["ticketsCount"], &station["lateCount"]), (&json!(2), &json!(1)));
    // Dosa: waits 10 s, cooks 100 s. Vada: waits 120 s, cooks 1000 s.
    assert_eq!(
        (&station["averageWaitSeconds"], &station["averagePreparationSeconds"]),
        (&json!(65), &json!(550))
    );
    assert_eq!(
        (&station["averageTotalSeconds"], &station["longestTotalSeconds"]),
        (&json!(615), &json!(1_120))
    );
    assert_eq!((&stats["items"][0]["name"], &stats["items"][0]["quantity"]), (&json!("Vada"), &json!(2)));
    assert_eq!(cook.get("/kitchen/stats?from=2026-11-21&to=2026-11-22").await.data()["stations"], json!([]));
    cook.get("/kitchen/stats?from=2026-11-22&to=2026-11-21").await.refused(400, "BAD_REQUEST");
    cook.get("/kitchen/stats?from=yesterday").await.refused(400, "BAD_REQUEST");
}
