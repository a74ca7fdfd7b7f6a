//! `GET /stream`: what changes, as the GETs show it to whoever follows; resumed, ended with its sign-in, and shared by all.

use edge::access::Role;
use edge::db::DbError;
use edge::http::shutdown::Shutdown;
use edge::resources::notifications::actions::notify;
use edge::resources::notifications::{Audience, Notice, Severity};
use edge::serve::{self, Bounds};
use edge::{app, config};
use serde_json::{Value, json};
use std::collections::HashMap;
use tiffin_tests::paired::{at_till, by_pin, pair, poll};
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, Event, Events, House, people};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

fn notice(number: usize) -> Notice {
    Notice {
        kind: "LOW_STOCK",
        severity: Severity::Info,
        title: format!("n:{number}"),
        body: "x".repeat(900),
        audience: Audience::Staff,
        entity: None,
        dedupe_key: format!("n:{number}"),
    }
}

/// What `stream` brings until `last` names a change of table T12's seats, by kind and row: only the last of each row.
async fn settled(stream: &mut Events, house: &House, seats: i64) -> HashMap<(String, String), Event> {
    house.owner.patch(&format!("/tables/{}", house.table(12)), json!({"seats": seats})).await.expect(200);
    let mut found = HashMap::new();
    loop {
        let event = stream.next().await;
        let row = event.data["rowId"].as_str().unwrap_or_default().to_owned();
        let is_last = row == house.table(12) && event.data["data"]["seats"] == seats;
        found.insert((event.name.clone(), row), event);
        if is_last {
            return found;
        }
    }
}

/// Fails unless every row that `stream` told of is now as `client` is shown it; answers how many of each kind there were.
async fn compare(client: &Client, found: &HashMap<(String, String), Event>) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for ((name, row), event) in found {
        let path = match name.as_str() {
            "order" => format!("/orders/{row}"),
            "table" => format!("/tables/{row}"),
            "ticket" => format!("/kitchen/tickets/{row}"),
            "menuItem" => format!("/menu/items/{row}"),
            _ => continue,
        };
        let shown = client.get(&path).await.expect(200).json();
        let shown = if name == "order" { &shown } else { &shown["data"] };
        assert_eq!(&event.data["data"], shown, "{path}");
        assert_eq!(
            (&event.data["type"], &event.data["version"]),
            (&json!(name), &shown["version"]),
            "{path}"
        );
        *counts.entry(name.clone()).or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn a_row_that_changed_is_told_as_its_get_shows_it_to_whoever_follows() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let mut owner = Events::open(&house.owner, "/stream", None).await;
    let mut waiter = Events::open(&branch.sign_in(Role::Waiter), "/stream?topics=orders,tables", None).await;
    let reader = branch.sign_in(Role::Accountant);
    let mut accountant = Events::open(&reader, "/stream?topics=orders,menu", None).await;
    for stream in [&mut owner, &mut waiter, &mut accountant] {
        let hello = stream.next().await;
        assert_eq!((hello.name.as_str(), hello.data["position"].is_string()), ("hello", true));
    }
    let mut body = house.at_table(4, &[("Dal", 1), ("Lassi", 2)]);
    body["customerPhone"] = json!("9811122233");
    let order = house.place(&cashier, body).await;
    house.settle(&cashier, &order).await;
    let dish = house.dish("Kulfi");
    let out = json!({"status": "OUT_OF_STOCK"});
    house.owner.put(&format!("/menu/items/{dish}/availability"), out).await.expect(200);

    let found = settled(&mut owner, &house, 3).await;
    let counts = compare(&house.owner, &found).await;
    assert!(counts["order"] == 1 && counts["ticket"] >= 1 && counts["table"] >= 2, "{counts:?}");
    assert_eq!(counts["menuItem"], 1);
    let order_event = |found: &HashMap<(String, String), Event>| {
        found[&("order".to_owned(), id(&order).to_owned())].data["data"].clone()
    };
    assert_eq!(order_event(&found)["customerPhone"], "9811122233");
    assert_eq!(order_event(&found)["paidCents"], order["totalAmountCents"]);

    let found = settled(&mut waiter, &house, 4).await;
    compare(&branch.sign_in(Role::Waiter), &found).await;
    assert!(found.keys().all(|(name, _)| ["order", "table"].contains(&name.as_str())), "{found:?}");
    assert!(!found.values().any(|event| event.data.to_string().contains("qrToken")));
    // Who may not see guests' phones is not told them.
    let told = accountant.until(|event| event.name == "order").await;
    assert_eq!(told.data["data"]["customerPhone"], Value::Null);
    accountant.until(|event| event.name == "menuItem" && event.data["rowId"] == dish).await;
}

#[tokio::test]
async fn a_topic_wants_the_right_of_its_gets() {
    let branch = Branch::start().await;
    House::open(&branch).await;
    let terminal = branch.sign_in(Role::Terminal);
    terminal.get("/stream?topics=orders").await.refused(403, "FORBIDDEN");
    terminal.get("/stream?topics=menu,tickets").await.refused(403, "FORBIDDEN");
    terminal.get("/stream?topics=weather").await.refused(400, "BAD_REQUEST");
    branch.anonymous().get("/stream").await.refused(401, "UNAUTHORIZED");
    // What it may see is told; the state of the branch at once.
    let mut stream = Events::open(&terminal, "/stream?topics=menu,status", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let status = stream.next().await;
    let shown = terminal.get("/status").await.expect(200).data();
    assert_eq!((status.name.as_str(), &status.data["data"]["outlet"]), ("status", &shown["outlet"]));
}

#[tokio::test]
async fn a_display_is_told_of_its_stations_tickets_and_another_system_of_its_own_orders() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let codes = pair(&branch, "KITCHEN").await;
    let station = house.station("Bar");
    let approve = json!({"userCode": codes["userCode"], "stationId": station});
    owner.post("/devices/approve", approve).await.expect(201);
    let tokens = poll(&branch, &codes).await.expect(200).data();
    let display = branch.anonymous().with_token(tokens["accessToken"].as_str().unwrap().to_owned());
    let mut at_bar = Events::open(&display, "/stream?topics=tickets", None).await;
    let (mine, other) = (branch.sign_in(Role::Integration), branch.sign_in(Role::Integration));
    let mut its_own = Events::open(&mine, "/stream?topics=orders", None).await;

    let elsewhere = house.place(&other, house.counter(&[("Dal", 1), ("Lassi", 1)])).await;
    let own = house.place(&mine, house.counter(&[("Lassi", 1)])).await;
    let told = its_own.until(|event| event.name == "order").await;
    assert_eq!(told.data["rowId"], own["id"], "not {}", id(&elsewhere));
    for order in [&elsewhere, &own] {
        let ticket = at_bar.until(|event| event.name == "ticket").await;
        assert_eq!(
            (&ticket.data["data"]["stationId"], &ticket.data["data"]["orderId"]),
            (&json!(station), &order["id"])
        );
    }
    let stations = house.owner.get("/kitchen/stations").await.expect(200).data();
    let bar = stations.as_array().unwrap().iter().find(|one| one["id"] == station).unwrap().clone();
    assert_eq!(bar["displays"], 1, "the display counts as watching");
}

#[tokio::test]
async fn who_was_away_misses_nothing_also_over_a_restart_and_another_history_is_seen() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let mut stream = Events::open(&cashier, "/stream?topics=orders", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let first = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    stream.until(|event| event.data["rowId"] == first["id"]).await;
    let last = stream.last_id.clone().unwrap();
    drop(stream);
    let mut missed = Vec::new();
    for quantity in 1..=3 {
        missed.push(house.place(&cashier, house.counter(&[("Dal", quantity)])).await["id"].clone());
    }
    // Another start knows nothing of who followed before.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let again = cashier.clone().at(&format!("http://{}", listener.local_addr().unwrap()));
    let bounds = Bounds::from(&config::Config::resolve(&config::Sources::default()).unwrap().network);
    let (router, shutdown) = (app::router(branch.state().clone()), Shutdown::new());
    let signal = shutdown.clone();
    let server = tokio::spawn(async move { serve::run(&listener, router, bounds, &signal).await });
    for client in [&cashier, &again] {
        let mut stream = Events::open(client, "/stream?topics=orders", Some(&last)).await;
        assert_eq!(stream.next().await.name, "hello");
        let mut told = Vec::new();
        while told.len() < missed.len() {
            told.push(stream.next().await.data["rowId"].clone());
        }
        assert_eq!(told, missed, "each once, in their order");
        let fresh = house.place(&cashier, house.counter(&[("Lassi", 1)])).await;
        missed.push(fresh["id"].clone());
        assert_eq!(stream.next().await.data["rowId"], fresh["id"]);
    }
    let (seq, rest) = last.split_once('.').unwrap();
    let other_history = format!("{seq}.{}.0badc0de", rest.split_once('.').unwrap().0);
    for gone in [other_history.as_str(), "99999999.0.00000000", "yesterday"] {
        let mut stream = Events::open(&cashier, "/stream?topics=orders", Some(gone)).await;
        assert_eq!(stream.next().await.name, "reset", "{gone}");
    }
    shutdown.trigger();
    server.await.unwrap();
}

/// The last that `stream` tells of a table once `told` of it, as its GET shows it now.
async fn table(stream: &mut Events, house: &House, number: usize, told: impl Fn(&Value) -> bool) {
    let id = house.table(number);
    let event = stream.until(|event| event.data["rowId"] == id && told(&event.data["data"])).await;
    let shown = house.owner.get(&format!("/tables/{id}")).await.expect(200).data();
    assert_eq!(event.data["data"], shown, "T{number}");
}

#[tokio::test]
async fn a_table_is_told_when_orders_come_to_it_leave_it_and_are_done() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let mut first = Vec::new();
    for _ in 0..2 {
        first.push(house.place(&manager, house.at_table(4, &[("Lassi", 1)])).await);
    }
    let other = house.place(&manager, house.at_table(6, &[("Lassi", 1)])).await;
    let mut stream = Events::open(&house.owner, "/stream?topics=tables", None).await;
    let open = |count: i64| move |table: &Value| table["currentSession"]["openOrders"] == count;
    let free = |status: &'static str| {
        move |table: &Value| table["status"] == status && table["currentSession"].is_null()
    };
    // One of two orders goes elsewhere; the party stays.
    let elsewhere = json!({"tableId": house.table(5)});
    manager.patch(&format!("/orders/{}", id(&first[1])), elsewhere).await.expect(200);
    let mut again = Events::open(&house.owner, "/stream?topics=tables", None).await;
    table(&mut stream, &house, 4, open(1)).await;
    // The other leaves for the counter: nobody sits there any more.
    let away = json!({"orderType": "TAKEAWAY", "tableId": null});
    manager.patch(&format!("/orders/{}", id(&first[0])), away).await.expect(200);
    table(&mut stream, &house, 4, free("AVAILABLE")).await;
    // The party moves, and is joined by another.
    let to = json!({"toTableId": house.table(7)});
    manager.post(&format!("/tables/{}/transfer", house.table(5)), to).await.expect(200);
    table(&mut stream, &house, 5, free("AVAILABLE")).await;
    table(&mut again, &house, 7, open(1)).await;
    let merge = json!({"orderIds": [id(&other)]});
    manager.post(&format!("/orders/{}/merge", id(&first[1])), merge).await.expect(200);
    table(&mut stream, &house, 6, free("AVAILABLE")).await;
    // Paid and done.
    let order = manager.get(&format!("/orders/{}", id(&first[1]))).await.expect(200).json();
    house.settle(&manager, &order).await;
    let done = json!({"status": "COMPLETED"});
    manager.patch(&format!("/orders/{}/status", id(&order)), done).await.expect(200);
    table(&mut stream, &house, 7, free("CLEANING")).await;
}

#[tokio::test]
async fn hours_that_begin_and_states_that_lapse_are_told_though_nobody_wrote_them() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    // 18:00 in Kolkata; the next ten minutes bring one dish, end another, and give back a third.
    let (from, to) = (json!({"availableFrom": "18:05"}), json!({"availableTo": "18:05"}));
    house.owner.patch(&format!("/menu/items/{}", house.dish("Dal")), from).await.expect(200);
    house.owner.patch(&format!("/menu/items/{}", house.dish("Kulfi")), to).await.expect(200);
    let out = json!({"status": "OUT_OF_STOCK", "until": "2026-11-20T12:35:00Z"});
    house.owner.put(&format!("/menu/items/{}/availability", house.dish("Lassi")), out).await.expect(200);
    let mut stream = Events::open(&house.owner, "/stream?topics=menu", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let last = stream.last_id.clone().unwrap();
    let mut orders = Events::open(&house.owner, "/stream?topics=orders", None).await;
    assert_eq!(orders.next().await.name, "hello");
    branch.pass(10 * 60_000);
    let mut back = Events::open(&house.owner, "/stream?topics=menu", Some(&last)).await;
    assert_eq!(back.next().await.name, "hello");
    // Who followed is told, and who was away, too; each dish as its GET shows it.
    for stream in [&mut stream, &mut back] {
        let mut told = HashMap::new();
        while told.len() < 3 {
            let event = stream.next().await;
            if event.name == "menuItem" {
                told.insert(event.data["rowId"].clone(), event.data["data"].clone());
            }
        }
        for (dish, is_available) in [("Dal", true), ("Kulfi", false), ("Lassi", true)] {
            let shown =
                house.owner.get(&format!("/menu/items/{}", house.dish(dish))).await.expect(200).data();
            assert_eq!(
                (&told[&shown["id"]], &shown["isAvailable"]),
                (&shown, &json!(is_available)),
                "{dish}"
            );
        }
    }
    // That is the menu's business alone.
    let order = house.place(&house.owner, house.counter(&[("Lassi", 1)])).await;
    assert_eq!(orders.until(|event| event.name != "heartbeat").await.data["rowId"], order["id"]);
}

#[tokio::test]
async fn who_never_reads_is_cut_off_and_everybody_else_is_told() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let address = branch.base().trim_start_matches("http://").split('/').next().unwrap();
    let mut deaf = TcpStream::connect(address).await.unwrap();
    let ask = format!(
        "GET /api/v1/stream?topics=notifications HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\r\n",
        owner.token().unwrap()
    );
    deaf.write_all(ask.as_bytes()).await.unwrap();
    deaf.readable().await.unwrap();
    let mut stream = Events::open(&owner, "/stream?topics=notifications", None).await;
    stream.next().await;
    let outlet = branch.outlet_id;
    for round in 0..80 {
        let tell = branch.db.write(move |tx| -> Result<(), DbError> {
            (0..100).try_for_each(|n| notify(tx, outlet, notice(round * 100 + n)))
        });
        tell.await.unwrap();
        let last = format!("n:{}", round * 100 + 99);
        stream.until(|event| event.data["data"]["title"] == last.as_str()).await;
    }
    // What was sent before is still on its way; then it is told to read the lists again, and the connection ends.
    let mut rest = Vec::new();
    deaf.read_to_end(&mut rest).await.unwrap();
    let rest = String::from_utf8_lossy(&rest);
    assert!(rest.contains("event: hello") && rest.contains("n:0\""), "{}", rest.len());
    assert!(rest.contains("event: reset") && !rest.contains("n:7999\""), "{}", rest.len());
}

#[tokio::test]
async fn a_stream_ends_when_the_rights_of_who_follows_are_others() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let person = people::hire(&owner, "M1", "Meera", "Manager").await;
    people::give_account(&owner, &person, "meera@sample.test", "MANAGER").await;
    let meera = people::sign_in(&branch.anonymous(), "meera@sample.test", PASSWORD).await;
    let mut all = Events::open(&meera, "/stream", None).await;
    let mut old = Events::open(&meera, "/notifications/stream", None).await;
    for stream in [&mut all, &mut old] {
        assert_eq!(stream.next().await.name, "hello");
    }
    branch.pass(1_000);
    let path = format!("/employees/{person}/account");
    owner.patch(&path, json!({"role": "KITCHEN"})).await.expect(200);
    all.ends().await;
    old.ends().await;
    // Signed in again she follows what a cook may.
    let meera = people::sign_in(&branch.anonymous(), "meera@sample.test", PASSWORD).await;
    meera.get("/stream?topics=tables").await.refused(403, "FORBIDDEN");
    assert_eq!(Events::open(&meera, "/stream?topics=tickets", None).await.next().await.name, "hello");
}

#[tokio::test]
async fn a_stream_ends_with_its_sign_in() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    at_till(&owner, "A1", "WAITER", "2580").await;
    at_till(&owner, "B1", "WAITER", "3690").await;
    let codes = pair(&branch, "POS").await;
    owner.post("/devices/approve", json!({"userCode": codes["userCode"]})).await.expect(201);
    let given = poll(&branch, &codes).await.expect(200).data();
    let tablet = branch.anonymous().with_token(given["accessToken"].as_str().unwrap().to_owned());
    // The next person's PIN ends the turn; removing the device ends all.
    let (asha, _) = by_pin(&tablet, "2580").await;
    let mut turn = Events::open(&asha, "/stream?topics=orders,tickets", None).await;
    let mut own = Events::open(&tablet, "/stream?topics=tables", None).await;
    branch.pass(1_000);
    by_pin(&tablet, "3690").await;
    turn.ends().await;
    house.owner.patch(&format!("/tables/{}", house.table(1)), json!({"seats": 9})).await.expect(200);
    own.until(|event| event.data["data"]["seats"] == 9).await;
    owner.delete(&format!("/devices/{}", given["device"]["id"].as_str().unwrap())).await.expect(200);
    own.ends().await;
    // Signed out.
    let manager = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let mut stream = Events::open(&manager, "/stream", None).await;
    assert_eq!(stream.next().await.name, "hello");
    branch.pass(1_000);
    let own = owner.get("/auth/sessions").await.expect(200).json();
    for session in own["data"].as_array().unwrap() {
        if session["current"] != json!(true) {
            owner.delete(&format!("/auth/sessions/{}", id(session))).await;
        }
    }
    stream.ends().await;
}
