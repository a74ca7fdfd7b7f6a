//! `/dashboard`: one call for a manager's screen.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::people::plan;
use tiffin_tests::{Branch, Client, House};

async fn dashboard(branch: &Branch) -> Value {
    branch.sign_in(Role::Manager).get("/dashboard").await.expect(200).data()
}

#[tokio::test]
async fn sales_are_compared_with_the_same_weekday_up_to_the_same_time() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    branch.at("2026-11-13T12:00:00Z");
    let owner = branch.sign_in(Role::Owner);
    let bill = async |owner: &Client, dish: &str| {
        let order = house.place(owner, house.counter(&[(dish, 1)])).await;
        owner
            .post(&format!("/orders/{}/invoice", order["id"].as_str().unwrap()), json!({}))
            .await
            .expect(201);
    };
    bill(&owner, "Dal").await;
    branch.at("2026-11-13T15:00:00Z");
    bill(&branch.sign_in(Role::Owner), "Kulfi").await;
    branch.at("2026-11-20T12:30:00Z");
    let order = house.place(&branch.sign_in(Role::Owner), house.counter(&[("Dal", 1), ("Lassi", 1)])).await;
    let off = json!({"type": "FIXED", "value": 1_000, "reason": "regulars"});
    let path = format!("/orders/{}/discounts", order["id"].as_str().unwrap());
    branch.sign_in(Role::Owner).post(&path, off).await.expect(201);
    let seen = dashboard(&branch).await;
    let sales = json!({"todayCents": 27_000, "ordersCount": 1, "sameWeekdayLastWeekCents": 18_000, "changePercentage": 50});
    assert_eq!(seen["sales"], sales);
    assert_eq!(seen["businessDate"], "2026-11-20");
    // Before the discount and without tax, as the summary has it.
    let summary = branch.sign_in(Role::Owner).get("/analytics/summary").await;
    if summary.status == 200 {
        assert_eq!(summary.json()["grossRevenueCents"], 27_000);
    }
    branch.sign_in(Role::Accountant).get("/dashboard").await.expect(200);
    branch.sign_in(Role::Waiter).get("/dashboard").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn one_look_says_what_needs_somebody() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    house.place(&house.owner, house.at_table(2, &[("Dal", 1), ("Lassi", 1)])).await;
    let token = house.owner.get(&format!("/tables/{}", house.table(5))).await.data()["qrToken"].clone();
    let guest = json!({"items": [{"menuItemId": house.dish("Dal"), "quantity": 1}]});
    let orders = format!("/orders/tables/{}/orders", token.as_str().unwrap());
    branch.anonymous().post(&orders, guest).await.expect(201);
    branch.give_feedback(json!({"rating": 1})).await.expect(201);
    let urgent = json!({"subject": "Smoke", "body": "Fryer", "priority": "URGENT"});
    house.owner.post("/tickets", urgent).await.expect(201);
    let take = json!({"inventoryItemId": house.stock("Rice"), "countedQuantity": 0.5, "reason": "counted"});
    house.owner.post("/inventory/adjustments", take).await.expect(201);
    branch.pass(20 * 60_000);

    let seen = dashboard(&branch).await;
    assert_eq!(seen["generatedAt"], "2026-11-20T12:50:00.000Z");
    assert_eq!(
        (&seen["ordersByState"]["PENDING"], &seen["ordersByState"]["COMPLETED"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(seen["sales"]["ordersCount"], 1, "what staff have not accepted is not sold");
    assert_eq!(seen["sales"]["changePercentage"], Value::Null);
    assert_eq!(seen["lateTickets"]["count"], 2);
    assert_eq!(
        (
            &seen["lateTickets"]["tickets"][0]["lateMinutes"],
            &seen["lateTickets"]["tickets"][0]["tableNumber"]
        ),
        (&json!(8), &json!("T2"))
    );
    assert_eq!(
        (&seen["tables"]["byStatus"]["OCCUPIED"], &seen["tables"]["byStatus"]["AVAILABLE"]),
        (&json!(2), &json!(10))
    );
    let stock = &seen["stock"];
    assert_eq!((&stock["lowCount"], &stock["low"][0]["name"]), (&json!(1), &json!("Rice")));
    assert_eq!(stock["low"][0]["currentStock"], json!(0.5));
    // Paneer and chicken expire on the 22nd, milk on the 23rd; the rest later.
    assert_eq!((&stock["expiringCount"], &stock["expiredCount"]), (&json!(3), &json!(0)));
    assert_eq!(stock["expiring"][2]["name"], "Milk");
    let approvals = &seen["approvals"];
    assert_eq!((&approvals["qrOrders"], &approvals["feedbackToAnswer"]), (&json!(1), &json!(1)));
    assert_eq!((&approvals["urgentTickets"], &approvals["leaveRequests"]), (&json!(1), &json!(0)));
    assert!(seen["notificationsUnread"].as_i64().unwrap() >= 2, "the low rating and the smoke");
    let status = branch.sign_in(Role::Kitchen).get("/status").await.data();
    assert_eq!(seen["sync"]["enrolled"], status["sync"]["enrolled"]);

    branch.at("2026-11-23T12:00:00Z");
    let seen = dashboard(&branch).await;
    assert_eq!((&seen["stock"]["expiredCount"], &seen["stock"]["expiringCount"]), (&json!(2), &json!(2)));
    assert_eq!(seen["ordersByState"]["PENDING"], 2, "what is open stays on the screen");
    let other = branch.second_outlet().await;
    let there = branch.sign_in_at(Role::Manager, other).get("/dashboard").await.expect(200).data();
    assert_eq!(
        (&there["stock"]["lowCount"], &there["tables"]["byStatus"]["OCCUPIED"]),
        (&json!(0), &json!(0))
    );
}

#[tokio::test]
async fn staff_are_on_shift_rostered_or_missing() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let mut people = Vec::new();
    for (code, pin) in [("E1", "2580"), ("E2", "1470"), ("E3", "3690")] {
        let body = json!({"employeeCode": code, "name": format!("Cook {code}"), "jobTitle": "Cook"});
        let id = owner.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
        owner.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
        people.push(id);
    }
    // Two are to come at 18:00, one at 20:00; at 18:30 one of the two is here.
    for (person, start) in people.iter().zip(["18:00", "18:00", "20:00"]) {
        plan(&owner, person, "2026-11-20", "EVENING", start, "23:00").await;
    }
    let punch = json!({"employeePin": "2580", "eventType": "CLOCK_IN"});
    branch.sign_in(Role::Terminal).post("/workforce/attendance", punch).await.expect(201);
    let staff = |seen: &Value| (seen["staff"]["rostered"].clone(), seen["staff"]["late"].clone());
    assert_eq!(staff(&dashboard(&branch).await), (json!(3), json!(0)), "nobody is late at the stroke of six");
    branch.pass(30 * 60_000);
    let seen = dashboard(&branch).await;
    assert_eq!(staff(&seen), (json!(3), json!(1)));
    assert_eq!(seen["staff"]["onShift"].as_array().unwrap().len(), 1);
    let here = &seen["staff"]["onShift"][0];
    assert_eq!((&here["employeeId"], &here["state"]), (&json!(people[0]), &json!("IN")));
    branch.pass(16 * 3_600_000);
    let seen = dashboard(&branch).await;
    assert_eq!(seen["staff"]["onShift"], json!([]));
    assert_eq!(seen["approvals"]["needsReviewAttendance"], 1, "never clocked out");
}
