//! Figures over time: what changes later, clock changes, and kept days against their rows.

use super::{answers, assert_same, forget_days, keep_days, path};
use edge::access::Role;
use edge::resources::analytics::actions;
use edge::resources::analytics::store::{find_missing, list_figures};
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// Refunds stand on their own day, and a bill stays on its own.
#[tokio::test]
async fn what_changes_later_is_of_its_own_day() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = || branch.sign_in(Role::Owner);
    let order = house.place(&owner(), house.counter(&[("Dal", 1)])).await;
    house.settle(&owner(), &order).await;
    branch.pass(24 * 3_600_000);
    keep_days(&branch).await;
    let figures = async |date: &str| {
        let summary =
            owner().get(&format!("/analytics/summary?from={date}&to={date}")).await.expect(200).json();
        [&summary["grossRevenueCents"], &summary["refundCents"], &summary["taxCents"]]
            .map(|v| v.as_i64().unwrap())
    };
    let kept = "SELECT count(*) FROM analytics_days";
    assert_eq!((figures("2026-11-20").await, branch.number(kept).await), ([18_000, 0, 900], 1));
    let all = json!({"amountCents": 18_900, "reason": "complaint"});
    owner().post(&format!("{}/refunds", path(&order)), all).await.expect(201);
    assert_eq!(branch.number(kept).await, 1, "the order of yesterday was refunded today");
    assert_eq!(figures("2026-11-21").await, [0, 18_000, -900]);
    branch.pass(24 * 3_600_000);
    keep_days(&branch).await;
    assert_eq!(branch.number(kept).await, 2);
    // The bill is of a date that is over: it cannot be taken back, nor its order be called off.
    let withdraw = format!("{}/invoice/withdraw", path(&order));
    owner().post(&withdraw, json!({"reason": "wrong name"})).await.refused(409, "INVALID_TRANSITION");
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    owner().patch(&format!("{}/status", path(&order)), cancel).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(
        (figures("2026-11-20").await, figures("2026-11-21").await),
        ([18_000, 0, 900], [0, 18_000, -900])
    );
    assert_eq!(branch.number(kept).await, 2);
}

/// Numbers from nowhere: the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// One thing that staff do, to any order of any day. Most of it may be refused.
async fn something(dice: &mut Dice, house: &House, orders: &mut Vec<Value>) {
    let owner = &house.owner;
    let dishes = ["Paneer Tikka", "Dal", "Lassi", "Bottled Water", "Kulfi"];
    let dish = dishes[dice.roll(5) as usize];
    if orders.is_empty() || dice.roll(4) == 0 {
        let quantity = 1 + dice.roll(4) as i64;
        let lines = [(dish, quantity), ("Steamed Rice", 1)];
        let mut order = match dice.roll(2) {
            0 => house.counter(&lines),
            _ => house.at_table(1 + dice.roll(6) as usize, &lines),
        };
        order["guestCount"] = json!(1 + dice.roll(5));
        // What has run out is refused.
        let placed = owner.post("/orders", order).await;
        if placed.status == 201 {
            orders.push(placed.json());
        }
        return;
    }
    let order = &orders[dice.roll(orders.len() as u64) as usize];
    let other = &orders[dice.roll(orders.len() as u64) as usize];
    let now = owner.get(&path(order)).await.expect(200).json();
    let line = &now["items"][0]["id"];
    let at = path(order);
    let payment = now["payments"][dice.roll(3) as usize]["id"].as_str().unwrap_or("x").to_owned();
    let reply = match dice.roll(17) {
        0 => owner.post(&format!("{at}/items"), json!({"items": [house.line(dish, 2)]})).await,
        1 | 2 => {
            let body = json!({"quantity": 1, "reason": "no", "wasMade": dice.roll(2) == 0});
            owner.post(&format!("{at}/items/{}/void", line.as_str().unwrap_or("x")), body).await
        }
        3 => {
            let body = json!({"type": "PERCENT", "value": 1 + dice.roll(30), "reason": if dice.roll(2) == 0 { "a" } else { "b" }});
            owner.post(&format!("{at}/discounts"), body).await
        }
        4 => {
            let body =
                json!({"method": "CARD", "amountCents": 1 + dice.roll(20_000), "tipCents": dice.roll(300)});
            owner.post(&format!("{at}/payments"), body).await
        }
        5 | 6 => {
            let due = json!({"method": "UPI", "amountCents": now["dueCents"]});
            owner.post(&format!("{at}/payments"), due).await;
            owner.patch(&format!("{at}/status"), json!({"status": "COMPLETED"})).await
        }
        7 => {
            owner
                .post(&format!("{at}/refunds"), json!({"amountCents": 1 + dice.roll(9_000), "reason": "x"}))
                .await
        }
        8 => {
            let items =
                json!({"items": [{"orderItemId": line, "quantity": 1}], "reason": "x", "restock": true});
            owner.post(&format!("{at}/refunds"), items).await
        }
        9 => owner.patch(&format!("{at}/status"), json!({"status": "CANCELLED", "reason": "x"})).await,
        10 => {
            let reply = owner
                .post(&format!("{at}/split"), json!({"items": [{"orderItemId": line, "quantity": 1}]}))
                .await;
            if reply.status == 201 {
                orders.push(reply.data()["orders"][1].clone());
            }
            reply
        }
        13 => owner.post(&format!("{at}/payments/{payment}/reverse"), json!({"reason": "bounced"})).await,
        14 => {
            let method = ["CARD", "UPI", "WALLET"][dice.roll(3) as usize];
            let body = json!({"method": method, "tipCents": dice.roll(400), "reason": "wrong key"});
            owner.post(&format!("{at}/payments/{payment}/correct"), body).await
        }
        15 => {
            owner.post(&format!("{at}/invoice"), json!({})).await;
            let body = json!({"reason": "DEFICIENT", "amountCents": 1 + dice.roll(5_000)});
            owner.post(&format!("{at}/credit-note"), body).await
        }
        16 => owner.post(&format!("{at}/write-off"), json!({"reason": "never came back"})).await,
        11 => owner.post(&format!("{at}/merge"), json!({"orderIds": [other["id"]]})).await,
        _ => {
            owner.post(&format!("{at}/invoice"), json!({})).await;
            owner.post(&format!("{at}/invoice/withdraw"), json!({"reason": "x"})).await
        }
    };
    assert!(reply.status < 500, "{}: {}", reply.asked, reply.text);
}

/// What is said of a date.
async fn dated(owner: &Client, date: &str) -> Vec<Value> {
    let of = |name: &str| format!("/analytics/{name}?from={date}&to={date}");
    let summary = owner.get(&of("summary")).await.expect(200).json();
    let mut all = vec![json!({
        "gross": summary["grossRevenueCents"], "net": summary["netRevenueCents"], "tax": summary["taxCents"],
        "refunds": summary["refundCents"], "orders": summary["ordersCount"], "lines": summary["profitAndLoss"],
    })];
    for report in ["sales", "tax", "payments", "discounts"] {
        let report = owner.get(&of(&format!("reports/{report}"))).await.expect(200).data();
        all.push(json!([report["rows"], report["totals"]]));
    }
    all
}

/// Closes a date that is over; answers what is said of it then, which its report says, too.
async fn close(owner: &Client, date: &str) -> (String, Vec<Value>) {
    let body = json!({"businessDate": date, "carryOver": true});
    let report = owner.post("/day-close", body).await.expect(201).data();
    let seen = dated(owner, date).await;
    assert_eq!(report["sales"]["grossCents"], seen[0]["gross"]);
    assert_eq!(report["netRevenueCents"], seen[0]["net"]);
    let sum = |list: &Value, name: &str| -> i64 {
        list.as_array().unwrap().iter().map(|of| of[name].as_i64().unwrap()).sum()
    };
    let tax = sum(&report["taxes"], "taxCents") - sum(&report["taxes"], "creditedTaxCents");
    assert_eq!((&json!(tax), &json!(tax)), (&seen[0]["tax"], &seen[2][1]["netTaxCents"]));
    assert_eq!(sum(&report["payments"], "netCents"), seen[3][1]["netCents"]);
    assert_eq!(report["discounts"]["amountCents"], seen[4][1]["amountCents"]);
    (date.to_owned(), seen)
}

#[tokio::test]
async fn kept_days_and_their_rows_say_the_same_whatever_happens_later() {
    let branch = Branch::start().await;
    let mut house = House::open(&branch).await;
    let mut dice = Dice(20_261_121);
    let mut orders = Vec::new();
    let mut closed = Vec::new();
    for day in 20..26 {
        branch.at(&format!("2026-11-{day}T05:30:00Z"));
        house.owner = branch.sign_in(Role::Owner);
        for item in ["Paneer", "Milk", "Tomatoes", "Cream"] {
            let fresh = json!({"inventoryItemId": house.stock(item), "quantityDelta": 2, "reason": "market"});
            house.owner.post("/inventory/adjustments", fresh).await.expect(201);
        }
        if day > 20 {
            closed.push(close(&house.owner, &format!("2026-11-{}", day - 1)).await);
        }
        keep_days(&branch).await;
        for _ in 0..30 {
            something(&mut dice, &house, &mut orders).await;
            branch.pass(1_000 * 60 * dice.roll(40) as i64);
        }
        let batch =
            json!({"inventoryItemId": house.stock("Rice"), "quantityDelta": -0.25, "reason": "count"});
        house.owner.post("/inventory/adjustments", batch).await.expect(201);
    }
    // What a date came to when it was closed is what it comes to for ever.
    for (date, seen) in &closed {
        assert_eq!(&dated(&house.owner, date).await, seen, "{date}");
    }
    let kept = branch.number("SELECT count(*) FROM analytics_days").await;
    assert!((1..6).contains(&kept), "late changes drop some days and not others: {kept}");
    for dates in
        ["from=2026-11-20&to=2026-11-26", "from=2026-11-21&to=2026-11-23", "from=2026-11-22&to=2026-11-22"]
    {
        let mixed = answers(&house.owner, dates).await;
        forget_days(&branch).await;
        let rows = answers(&house.owner, dates).await;
        assert_same(&mixed, &rows);
        keep_days(&branch).await;
        assert_same(&answers(&house.owner, dates).await, &rows);
    }
    // The sums agree with the orders' own columns.
    let summary =
        house.owner.get("/analytics/summary?from=2026-11-20&to=2026-11-26").await.expect(200).json();
    let counted =
        "FROM orders WHERE status <> 'CANCELLED' AND (status <> 'COMPLETED' OR invoice_id IS NOT NULL)";
    let sum = async |column: &str| {
        let sql: &'static str = format!("SELECT coalesce(sum({column}), 0) {counted}").leak();
        branch.number(sql).await
    };
    assert_eq!(summary["grossRevenueCents"], sum("subtotal_cents").await);
    assert_eq!(summary["discountCents"], sum("discount_cents").await);
    let credited = sum("refunded_cents + credited_cents").await;
    assert!(credited > 0);
    let sales =
        house.owner.get("/analytics/reports/sales?from=2026-11-20&to=2026-11-26").await.expect(200).data();
    assert_eq!(sales["totals"]["totalCents"], sum("total_cents").await - credited);
    let cost = "SELECT -sum(cost_micros) FROM stock_movements WHERE kind IN ('SALE', 'RETURN', 'SETTLEMENT')";
    let micros = branch.number(cost).await;
    assert_eq!(summary["cogsCents"], (micros + 500_000) / 1_000_000);
}

/// 23 and 25 hours, and a day that begins at four.
#[tokio::test]
async fn days_of_a_clock_change_are_whole() {
    let branch = Branch::start().await;
    let mut house = House::open(&branch).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    house.owner.patch(&outlet, json!({"timezone": "Europe/Berlin"})).await.expect(200);
    let autumn =
        ["2026-10-24T22:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:59:00Z"];
    let winter = ["2026-10-25T03:00:00Z", "2026-10-26T02:59:00Z"];
    let spring =
        ["2027-03-28T00:59:00Z", "2027-03-28T01:00:00Z", "2027-03-28T01:59:00Z", "2027-03-28T02:00:00Z"];
    for at in autumn.iter().chain(&winter).chain(&spring) {
        branch.at(at);
        house.owner = branch.sign_in(Role::Owner);
        let order = house.place(&house.owner, house.counter(&[("Bottled Water", 1)])).await;
        house.owner.post(&format!("{}/invoice", path(&order)), json!({})).await.expect(201);
    }
    let client = branch.sign_in(Role::Owner);
    for kept in [false, true] {
        if kept {
            keep_days(&branch).await;
        }
        let daily = client.get("/analytics/daily?from=2026-10-24&to=2026-10-25").await.expect(200).data();
        let counts: Vec<_> =
            daily["days"].as_array().unwrap().iter().map(|d| d["ordersCount"].as_i64()).collect();
        assert_eq!(counts, [Some(4), Some(2)]);
        let daily = client.get("/analytics/daily?from=2027-03-27&to=2027-03-28").await.expect(200).data();
        let counts: Vec<_> =
            daily["days"].as_array().unwrap().iter().map(|d| d["ordersCount"].as_i64()).collect();
        // At 02:00 UTC it is 04:00 in Berlin: the next day begins.
        assert_eq!(counts, [Some(3), Some(1)]);
        let hourly = client.get("/analytics/hourly?from=2026-10-24&to=2026-10-24").await.expect(200).data();
        let hours: Vec<(i64, i64)> = hourly["hours"]
            .as_array()
            .unwrap()
            .iter()
            .map(|h| (h["hour"].as_i64().unwrap(), h["ordersCount"].as_i64().unwrap()))
            .filter(|(_, n)| *n > 0)
            .collect();
        assert_eq!(hours, [(0, 1), (2, 2), (3, 1)]);
        assert_eq!(hourly["weekdays"][5]["ordersCount"], 4);
    }
}

/// A kept day is dropped by whatever is written into it, also where only the clock was wrong.
#[tokio::test]
async fn a_clock_that_was_set_back_writes_into_a_kept_day() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    branch.at("2026-11-22T12:00:00Z");
    keep_days(&branch).await;
    let kept = "SELECT count(*) FROM analytics_days";
    assert_eq!(branch.number(kept).await, 2);
    branch.at("2026-11-20T13:00:00Z");
    let less = json!({"inventoryItemId": house.stock("Rice"), "quantityDelta": -1, "reason": "gone"});
    house.owner.post("/inventory/adjustments", less).await.expect(201);
    assert_eq!(branch.number(kept).await, 1);
    branch.at("2026-11-22T12:00:00Z");
    keep_days(&branch).await;
    branch.at("2026-11-21T12:00:00Z");
    let owner = branch.sign_in(Role::Owner);
    owner.post(&format!("/tables/{}/seat", house.table(1)), json!({"partySize": 2})).await.expect(200);
    assert_eq!(branch.number(kept).await, 1, "a party sat down");
    let summary = owner.get("/analytics/summary?period=YESTERDAY").await.expect(200).json();
    assert_eq!(summary["profitAndLoss"]["stockVarianceCents"], -6_000);
}

/// Nothing waits while a day is summed up, so something may be written into it meanwhile.
#[tokio::test]
async fn a_day_that_changes_while_it_is_summed_up_is_not_kept() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let bill = async |owner: &Client| {
        let order = house.place(owner, house.counter(&[("Dal", 1)])).await;
        owner.post(&format!("{}/invoice", path(&order)), json!({})).await.expect(201);
    };
    bill(&house.owner).await;
    branch.pass(24 * 3_600_000);
    let owner = branch.sign_in(Role::Owner);
    let outlet = branch.outlet_id;
    let gross = async || {
        let summary = owner.get("/analytics/summary?period=YESTERDAY").await.expect(200).json();
        summary["grossRevenueCents"].as_i64().unwrap()
    };
    let today = "2026-11-21".parse().unwrap();
    let day = branch.db.read(move |conn| find_missing(conn, outlet, today, 1)).await.unwrap().unwrap();
    let mut found = Vec::new();
    for is_changed in [true, false] {
        branch.db.write(move |tx| actions::claim(tx, outlet, day)).await.unwrap();
        let figures = branch.db.read(move |conn| list_figures(conn, outlet, day)).await.unwrap();
        found.push(gross().await);
        if is_changed {
            // Only by a clock that was set back: whatever is entered is of its own date.
            branch.pass(-24 * 3_600_000);
            bill(&branch.sign_in(Role::Owner)).await;
            branch.pass(24 * 3_600_000);
        }
        let keep = move |tx: &edge::db::Tx<'_>| actions::keep_claimed(tx, outlet, day, &figures);
        assert_eq!(branch.db.write(keep).await.unwrap(), !is_changed);
        found.push(gross().await);
    }
    assert_eq!(found, [18_000, 36_000, 36_000, 36_000]);
    assert_eq!(branch.number("SELECT count(*) FROM analytics_days WHERE kept = 1").await, 1);
}

#[tokio::test]
async fn hours_worked_are_labor_cost() {
    let branch = Branch::start().await;
    let (tablet, manager) = (branch.sign_in(Role::Terminal), branch.sign_in(Role::Manager));
    let body = json!({"name": "Meera Nair", "jobTitle": "Waiter", "hourlyRateCents": 12_000});
    let id = manager.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    manager.put(&format!("/employees/{id}/pin"), json!({"pin": "1003"})).await.expect(200);
    let punch = async |event: &str| {
        let body = json!({"employeePin": "1003", "eventType": event});
        tablet.post("/workforce/attendance", body).await.expect(201);
    };
    punch("CLOCK_IN").await;
    branch.pass(90 * 60_000);
    // Still at work: it counts until now.
    let summary = manager.get("/analytics/summary").await.expect(200).json();
    assert_eq!((&summary["laborCostCents"], &summary["laborCostPercentage"]), (&json!(18_000), &json!(0)));
    punch("CLOCK_OUT").await;
    let house = House::open(&branch).await;
    house.place(&manager, house.counter(&[("Butter Chicken", 1)])).await;
    let summary = manager.get("/analytics/summary").await.expect(200).json();
    assert_eq!(summary["laborCostPercentage"], 47.37);
    let lines = &summary["profitAndLoss"];
    let cogs = lines["cogsCents"].as_i64().unwrap();
    assert_eq!(
        (&lines["primeCostCents"], &lines["operatingProfitCents"]),
        (&json!(cogs + 18_000), &json!(20_000 - cogs))
    );
    let labor = manager.get("/analytics/reports/labor").await.expect(200).data();
    assert_eq!(
        labor["rows"][0].as_array().unwrap()[1..5],
        [json!("Meera Nair"), json!(1), json!(0), json!(90)]
    );
    assert_eq!(labor["totals"]["costCents"], 18_000);
    let daily = manager.get("/analytics/daily").await.expect(200).data();
    assert_eq!(daily["days"][0]["laborCostCents"], 18_000);
}
