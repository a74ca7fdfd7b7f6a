//! Tickets that come twice, late, or never; and paper.

use crate::{id, path};
use edge::access::Role;
use edge::app;
use edge::config::{Config, Sources};
use serde_json::{Value, json};
use std::time::Duration;
use tiffin_tests::{Branch, Client, Events, House};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

/// Portions of everything that is or was to be cooked: slips tell, they are not cooked.
async fn portions(branch: &Branch) -> i64 {
    branch
        .number(
            "SELECT coalesce(sum(i.quantity), 0) FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
             WHERE t.type IN ('NEW', 'ADDITION')",
        )
        .await
}

async fn tickets(client: &Client, order: &Value) -> Vec<Value> {
    let list =
        client.get(&format!("/kitchen/tickets?orderId={}&limit=100", id(order))).await.expect(200).json();
    list["data"].as_array().unwrap().clone()
}

fn workers(branch: &Branch) -> tokio::task::JoinSet<()> {
    app::start_workers(branch.state(), &Config::resolve(&Sources::default()).unwrap())
}

#[tokio::test]
async fn complaint_04_the_kitchen_gets_a_ticket_twice() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    // A double tap is one order.
    let body = house.at_table(1, &[("Dal", 2), ("Butter Chicken", 1), ("Lassi", 2)]);
    for _ in 0..2 {
        waiter.post_keyed("/orders", "tap", body.clone()).await.expect(201);
    }
    assert_eq!(portions(&branch).await, 5);
    let order = waiter.get("/orders").await.json()["data"][0].clone();
    let order = waiter.get(&path(&order)).await.json();
    // An addition sends only what was added.
    let add = json!({"items": [house.line("Steamed Rice", 1)]});
    waiter.post(&format!("{}/items", path(&order)), add).await.expect(201);
    assert_eq!(portions(&branch).await, 6);
    // Divided, put together again, taken to another table, joined with another party: cooked once.
    let split = json!({"items": [{"orderItemId": id(&order["items"][0]), "quantity": 1}, {"orderItemId": id(&order["items"][2])}]});
    let parts = waiter.post(&format!("{}/split", path(&order)), split).await.expect(201).data();
    let part = parts["orders"][1].clone();
    assert_eq!(portions(&branch).await, 6);
    waiter.post(&format!("{}/merge", path(&order)), json!({"orderIds": [id(&part)]})).await.expect(200);
    assert_eq!(portions(&branch).await, 6);
    waiter
        .post(&format!("/tables/{}/transfer", house.table(1)), json!({"toTableId": house.table(2)}))
        .await
        .expect(200);
    let neighbour = house.place(&waiter, house.at_table(3, &[("Kulfi", 1)])).await;
    let join = json!({"tableIds": [house.table(3)]});
    waiter.post(&format!("/tables/{}/merge", house.table(2)), join).await.expect(200);
    assert_eq!(portions(&branch).await, 7);
    assert_eq!(waiter.get(&path(&neighbour)).await.json()["tableNumber"], "T2");
    // The tickets of the parts are the order's own again.
    let found = tickets(&waiter, &order).await;
    assert!(found.iter().all(|ticket| ticket["status"] != "CANCELLED"), "{found:?}");
    // A copy says so, and starting twice starts once.
    let kitchen = branch.sign_in(Role::Kitchen);
    let first = found.iter().find(|ticket| ticket["type"] == "NEW").unwrap();
    let copy =
        kitchen.post(&format!("/kitchen/tickets/{}/reprint", id(first)), json!({})).await.expect(201).data();
    assert_eq!((&copy["type"], &copy["copyNumber"]), (&json!("REPRINT"), &json!(1)));
    assert_eq!(portions(&branch).await, 7);
    let start = format!("/kitchen/tickets/{}/start", id(first));
    let once = kitchen.post(&start, json!({})).await.expect(200).data();
    branch.pass(1_000);
    let twice = kitchen.post(&start, json!({})).await.expect(200).data();
    assert_eq!(once["startedAt"], twice["startedAt"]);
}

#[tokio::test]
async fn complaint_04_a_course_is_fired_once_however_often_it_is_tapped() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let holds = json!({"holdCourses": true});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), holds).await.expect(200);
    let order = house.place(&waiter, house.at_table(1, &[("Dal", 1), ("Kulfi", 2)])).await;
    let fire = format!("{}/fire", path(&order));
    assert_eq!(waiter.post(&fire, json!({"course": 3})).await.data()["ticketsFired"], 1);
    assert_eq!(waiter.post(&fire, json!({"course": 3})).await.data()["ticketsFired"], 0);
    assert_eq!(portions(&branch).await, 3);
}

#[tokio::test]
async fn complaint_05_the_kitchen_never_gets_it_silently() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let _workers = workers(&branch);
    let waiter = branch.sign_in(Role::Waiter);
    // A station that is gone, and a dish that never had one: the default station cooks them.
    house.owner.delete(&format!("/kitchen/stations/{}", house.station("Tandoor"))).await.expect(200);
    let dal = format!("/menu/items/{}", house.dish("Dal"));
    house.owner.patch(&dal, json!({"stationId": null})).await.expect(200);
    let bar = format!("/kitchen/stations/{}", house.station("Bar"));
    house.owner.patch(&bar, json!({"fallbackStationId": house.station("Hot")})).await.expect(200);
    let mut hot =
        Events::open(&waiter, &format!("/kitchen/stream?stationId={}", house.station("Hot")), None).await;
    let mut alarms = Events::open(&house.owner, "/notifications/stream", None).await;
    let order = house.place(&waiter, house.counter(&[("Paneer Tikka", 1), ("Dal", 1), ("Lassi", 1)])).await;
    let event = hot.until(|event| event.name == "ticket.created").await;
    let names: Vec<&str> =
        event.data["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Paneer Tikka", "Dal"]);
    waiter
        .post(&format!("/kitchen/tickets/{}/ack", id(&event.data)), json!({}))
        .await
        .refused(403, "FORBIDDEN");
    let kitchen = branch.sign_in(Role::Kitchen);
    kitchen.post(&format!("/kitchen/tickets/{}/ack", id(&event.data)), json!({})).await.expect(200);
    // Nobody is at the bar's display. The next order wakes the watchman, as any change does.
    branch.pass(21_000);
    house.place(&waiter, house.counter(&[("Dal", 1)])).await;
    let alarm = alarms.until(|event| event.data["type"] == "TICKET_UNACKED").await;
    assert_eq!(alarm.data["severity"], "CRITICAL");
    let shown = hot.until(|event| event.data["stationName"] == "Bar").await;
    assert_eq!(shown.data["orderId"], order["id"]);
    // Once: the same ticket raises no second alarm.
    branch.pass(60_000);
    let count = "SELECT count(*) FROM kitchen_tickets WHERE escalated_at IS NOT NULL AND station_id <> escalated_to_id";
    assert_eq!(branch.number(count).await, 1);
    for ticket in tickets(&waiter, &order).await {
        assert!(!ticket["firedAt"].is_null());
    }
}

#[tokio::test]
async fn complaint_11_a_dead_printer_blocks_the_others_and_the_backlog_prints_in_the_morning() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let alive = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // Something that was bound and is closed: nobody answers there.
    let dead = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for (station, address) in [("Hot", dead.to_string()), ("Bar", alive.local_addr().unwrap().to_string())] {
        let printer = json!({"printerAddress": address, "printTickets": true});
        house
            .owner
            .patch(&format!("/kitchen/stations/{}", house.station(station)), printer)
            .await
            .expect(200);
    }
    let _workers = workers(&branch);
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.counter(&[("Dal", 1), ("Lassi", 1)])).await;
    let print = async {
        let (mut paper, _) = alive.accept().await.unwrap();
        let mut bytes = Vec::new();
        paper.read_to_end(&mut bytes).await.unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let printed = tokio::time::timeout(Duration::from_secs(30), print).await.unwrap();
    assert!(printed.contains("Lassi"), "{printed}");
    // In the morning the dead printer works again: yesterday's ticket stays unprinted, today's comes out.
    branch.pass(10 * 3_600_000);
    let repaired = TcpListener::bind(dead).await.unwrap();
    house.place(&waiter, house.counter(&[("Steamed Rice", 1)])).await;
    let print = async {
        loop {
            let (mut paper, _) = repaired.accept().await.unwrap();
            let mut bytes = Vec::new();
            paper.read_to_end(&mut bytes).await.unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!text.contains("Dal"), "{} was printed too late: {text}", order["orderNumber"]);
            if text.contains("Rice") {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), print).await.unwrap();
    assert_eq!(branch.number("SELECT count(*) FROM print_jobs WHERE status = 'EXPIRED'").await, 1);
}
