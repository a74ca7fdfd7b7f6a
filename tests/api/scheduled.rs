//! Orders for later: numbered and priced now, cooked, counted and taken from stock when their moment comes.

use edge::access::Role;
use edge::resources::orders::worker;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

const MINUTE: i64 = 60_000;

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

/// A takeaway of 20 portions of dal, which take 25 minutes, for `wanted`.
async fn order_for(house: &House, client: &Client, wanted: &str) -> Value {
    let slow = json!({"prepMinutes": 25});
    house.owner.patch(&format!("/menu/items/{}", house.dish("Dal")), slow).await.expect(200);
    let mut body = house.counter(&[("Dal", 20), ("Lassi", 1)]);
    body["orderType"] = json!("TAKEAWAY");
    body["scheduledFor"] = json!(wanted);
    house.place(client, body).await
}

async fn summary(house: &House) -> (i64, i64) {
    let summary = house.owner.get("/analytics/summary").await.expect(200).json();
    (summary["ordersCount"].as_i64().unwrap(), summary["openOrders"].as_i64().unwrap_or(0))
}

#[tokio::test]
async fn it_is_cooked_when_it_has_to_be_and_not_before() {
    let branch = Branch::start().await;
    let mut house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let before = house.on_hand("Lentils").await;
    let order = order_for(&house, &cashier, "2026-11-25T12:00:00Z").await;
    // 25 minutes of cooking, 10 of lead.
    assert_eq!(order["releaseAt"], "2026-11-25T11:25:00.000Z");
    assert_eq!((&order["isScheduled"], &order["awaitsApproval"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&order["businessDate"], &order["orderNumber"]),
        (&json!("2026-11-25"), &json!("BLR1-261125-0001"))
    );
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 0);
    assert_eq!(house.on_hand("Lentils").await, before);
    assert_eq!(summary(&house).await, (0, 0), "it is in no figure");
    let states = house.owner.get("/dashboard").await.expect(200).data();
    assert_eq!(states["ordersByState"]["PENDING"], 0, "{states}");
    let close = json!({"businessDate": "2026-11-20", "early": true});
    house.owner.post("/day-close", close).await.expect(201);
    let later = cashier.get("/orders?scheduled=true").await.expect(200).json();
    assert_eq!((&later["data"][0]["id"], &later["pagination"]["total"]), (&order["id"], &json!(1)));
    assert_eq!(cashier.get("/orders?scheduled=false").await.expect(200).json()["pagination"]["total"], 0);

    branch.at("2026-11-25T11:24:00Z");
    house.owner = branch.sign_in(Role::Owner);
    let cashier = branch.sign_in(Role::Cashier);
    worker::look(&branch.db).await.unwrap();
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 0);
    branch.pass(MINUTE);
    worker::look(&branch.db).await.unwrap();
    worker::look(&branch.db).await.unwrap();
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 2, "one a station, once");
    let order = cashier.get(&format!("/orders/{}", id(&order))).await.expect(200).json();
    assert_eq!((&order["isScheduled"], &order["releasedLate"]), (&json!(false), &json!(false)));
    assert_eq!(
        (&order["businessDate"], &order["items"][0]["kitchen"]["status"]),
        (&json!("2026-11-25"), &json!("QUEUED"))
    );
    assert_eq!(house.on_hand("Lentils").await, json!(before.as_f64().unwrap() - 1.8));
    assert_eq!(summary(&house).await.0, 1);
    assert_eq!(cashier.get("/orders?scheduled=true").await.expect(200).json()["pagination"]["total"], 0);
}

#[tokio::test]
async fn how_long_before_is_the_houses_own_choice() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    let path = format!("/outlets/{}", id(&outlet));
    assert_eq!(outlet["scheduleLeadMinutes"], 10);
    for wrong in [-1, 100_000] {
        let refused = house.owner.patch(&path, json!({"scheduleLeadMinutes": wrong})).await;
        assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["scheduleLeadMinutes"]);
    }
    for (lead, release) in [(0, "11:35"), (45, "10:50")] {
        house.owner.patch(&path, json!({"scheduleLeadMinutes": lead})).await.expect(200);
        let order = order_for(&house, &cashier, "2026-11-25T12:00:00Z").await;
        assert_eq!(order["releaseAt"], format!("2026-11-25T{release}:00.000Z"));
    }
    // What was promised before goes by what was said then; what is moved goes by what is said now.
    let order = order_for(&house, &cashier, "2026-11-25T12:00:00Z").await;
    house.owner.patch(&path, json!({"scheduleLeadMinutes": 5})).await.expect(200);
    let shown = cashier.get(&format!("/orders/{}", id(&order))).await.expect(200).json();
    assert_eq!(shown["releaseAt"], "2026-11-25T10:50:00.000Z");
    let later = json!({"scheduledFor": "2026-11-25T12:30:00Z"});
    let moved = cashier.patch(&format!("/orders/{}", id(&order)), later).await.expect(200).data();
    assert_eq!(moved["releaseAt"], "2026-11-25T12:00:00.000Z");
    // That is when the kitchen gets them.
    for (moment, orders) in
        [("10:49:59", 0), ("10:50:00", 1), ("11:34:59", 1), ("11:35:00", 2), ("11:59:59", 2), ("12:00:00", 3)]
    {
        branch.at(&format!("2026-11-25T{moment}Z"));
        worker::look(&branch.db).await.unwrap();
        let sent = branch.number("SELECT count(DISTINCT order_id) FROM kitchen_tickets").await;
        assert_eq!(sent, orders, "{moment}");
    }
}

#[tokio::test]
async fn a_box_that_was_off_sends_it_at_once_and_says_that_it_is_late() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = order_for(&house, &cashier, "2026-11-21T12:00:00Z").await;
    // The power goes; what lies on the disk then is all that the next start has.
    let disk = tempfile::tempdir().unwrap();
    tiffin_tests::disk::copy(branch.folder(), disk.path());
    let off = ["limit-general", "limit-login"].map(|limit| (limit, "off"));
    let branch = Branch::open(disk, std::sync::Arc::clone(&branch.clock), off).await;
    branch.at("2026-11-22T12:30:00Z");
    let cashier = branch.sign_in(Role::Cashier);
    worker::look(&branch.db).await.unwrap();
    let order = cashier.get(&format!("/orders/{}", id(&order))).await.expect(200).json();
    assert_eq!((&order["isScheduled"], &order["releasedLate"]), (&json!(false), &json!(true)));
    assert_eq!(order["businessDate"], "2026-11-22", "no date that may be closed is changed");
    let tickets = branch.sign_in(Role::Kitchen).get("/kitchen/tickets").await.expect(200).json();
    assert_eq!(tickets["data"][0]["isLate"], true);
    assert_eq!(tickets["data"][0]["scheduledFor"], "2026-11-21T12:00:00.000Z");
    let told = cashier.get("/notifications").await.expect(200).json();
    assert!(told.to_string().contains("SCHEDULED_ORDER_LATE"), "{told}");
}

#[tokio::test]
async fn the_past_and_next_year_are_refused_and_soon_is_now() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    for wanted in
        ["2020-01-01T12:00:00Z", "2026-11-20T12:30:00Z", "2027-01-19T12:30:01Z", "2027-01-20T12:30:00Z"]
    {
        let mut body = house.counter(&[("Dal", 1)]);
        body["scheduledFor"] = json!(wanted);
        let refused = cashier.post("/orders", body).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["scheduledFor"], "{wanted}");
    }
    let last = order_for(&house, &cashier, "2027-01-19T12:30:00Z").await;
    assert_eq!(last["isScheduled"], true, "sixty days are not too many");
    let soon = order_for(&house, &cashier, "2026-11-20T13:00:00Z").await;
    assert_eq!((&soon["isScheduled"], &soon["businessDate"]), (&json!(false), &json!("2026-11-20")));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 2);
}

#[tokio::test]
async fn it_can_be_moved_called_off_and_made_now() {
    let branch = Branch::start().await;
    let mut house = House::open(&branch).await;
    let (cashier, manager) = (branch.sign_in(Role::Cashier), branch.sign_in(Role::Manager));
    let before = house.on_hand("Lentils").await;
    let order = order_for(&house, &cashier, "2026-11-25T12:00:00Z").await;
    let path = format!("/orders/{}", id(&order));
    let moved =
        cashier.patch(&path, json!({"scheduledFor": "2026-11-26T12:00:00Z"})).await.expect(200).data();
    assert_eq!(
        (&moved["releaseAt"], &moved["businessDate"]),
        (&json!("2026-11-26T11:25:00.000Z"), &json!("2026-11-26"))
    );
    let past = cashier.patch(&path, json!({"scheduledFor": "2026-11-19T12:00:00Z"})).await;
    assert_eq!(past.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["scheduledFor"]);
    cashier.patch(&format!("{path}/status"), json!({"status": "ACCEPTED"})).await.expect(200);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 0, "yes, but not yet");
    let off = json!({"status": "CANCELLED", "reason": "rain"});
    manager.patch(&format!("{path}/status"), off).await.expect(200);
    branch.at("2026-11-26T12:00:00Z");
    house.owner = branch.sign_in(Role::Owner);
    let cashier = branch.sign_in(Role::Cashier);
    worker::look(&branch.db).await.unwrap();
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 0);
    assert_eq!(house.on_hand("Lentils").await, before);

    let order = order_for(&house, &cashier, "2026-11-28T12:00:00Z").await;
    let now = cashier
        .patch(&format!("/orders/{}", id(&order)), json!({"scheduledFor": null}))
        .await
        .expect(200)
        .data();
    assert_eq!((&now["isScheduled"], &now["businessDate"]), (&json!(false), &json!("2026-11-26")));
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 2);
    let again = json!({"scheduledFor": "2026-11-28T12:00:00Z"});
    cashier.patch(&format!("/orders/{}", id(&order)), again).await.refused(409, "INVALID_TRANSITION");
}
