//! Books an accountant signs: documents rule a date, and a date that is closed never changes.

mod corrections;
mod country;
mod exports;
mod signed;

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

const DAY: i64 = 24 * 3_600_000;

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

async fn bill(client: &Client, order: &Value) {
    client.post(&format!("{}/invoice", path(order)), json!({})).await.expect(201);
}

async fn complete(client: &Client, order: &Value) -> u16 {
    client.patch(&format!("{}/status", path(order)), json!({"status": "COMPLETED"})).await.status
}

/// What the summary, the tax report, the sales report and the money report say of a date.
async fn figures(client: &Client, date: &str) -> Value {
    let query = format!("from={date}&to={date}");
    let summary = client.get(&format!("/analytics/summary?{query}")).await.expect(200).json();
    let report = async |name: &str| {
        client.get(&format!("/analytics/reports/{name}?{query}")).await.expect(200).data()["totals"].clone()
    };
    json!({
        "gross": summary["grossRevenueCents"], "net": summary["netRevenueCents"], "tax": summary["taxCents"],
        "orders": summary["ordersCount"], "open": summary["openOrders"], "openGross": summary["openOrdersGrossCents"],
        "openTax": summary["openOrdersTaxCents"], "tips": summary["profitAndLoss"]["tipsCents"],
        "service": summary["profitAndLoss"]["serviceChargeCents"], "rounding": summary["profitAndLoss"]["roundingCents"],
        "taxReport": report("tax").await["netTaxCents"], "sales": report("sales").await["totalCents"],
        "money": report("payments").await["netCents"],
    })
}

/// The parts of a Z-report that the figures of its date must equal.
fn of_report(report: &Value) -> [i64; 4] {
    let taxes = report["taxes"].as_array().unwrap();
    let tax: i64 = taxes.iter().map(|tax| cents(tax, "taxCents") - cents(tax, "creditedTaxCents")).sum();
    let money: i64 =
        report["payments"].as_array().unwrap().iter().map(|method| cents(method, "netCents")).sum();
    [cents(&report["sales"], "grossCents"), cents(report, "netRevenueCents"), tax, money]
}

fn of_figures(figures: &Value) -> [i64; 4] {
    ["gross", "net", "taxReport", "money"].map(|name| cents(figures, name))
}

#[tokio::test]
async fn an_order_counts_on_the_date_of_its_bill_and_a_closed_date_never_changes() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let late = house.place(&house.owner, house.at_table(1, &[("Dal", 1)])).await;
    let paid = house.place(&house.owner, house.counter(&[("Lassi", 1)])).await;
    house.settle(&house.owner, &paid).await;
    assert_eq!(complete(&house.owner, &paid).await, 200);
    // What is open is in the figures of today, apart, and in no tax that is owed.
    let today = figures(&house.owner, "2026-11-20").await;
    assert_eq!(
        (cents(&today, "gross"), cents(&today, "tax"), cents(&today, "taxReport")),
        (27_000, 1_350, 450)
    );
    assert_eq!(
        (cents(&today, "open"), cents(&today, "openGross"), cents(&today, "openTax")),
        (1, 18_000, 900)
    );
    assert_eq!(late["revenueDate"], Value::Null);

    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let close = json!({"businessDate": "2026-11-20", "carryOver": true});
    let report = owner.post("/day-close", close).await.expect(201).data();
    let closed = figures(&owner, "2026-11-20").await;
    assert_eq!(of_report(&report), [9_000, 9_000, 450, 9_450]);
    assert_eq!(of_figures(&closed), of_report(&report));
    bill(&owner, &late).await;
    let billed = owner.get(&path(&late)).await.json();
    assert_eq!(
        (&billed["businessDate"], &billed["revenueDate"]),
        (&json!("2026-11-20"), &json!("2026-11-21"))
    );
    let second = figures(&owner, "2026-11-21").await;
    assert_eq!(
        (cents(&second, "gross"), cents(&second, "taxReport"), cents(&second, "open")),
        (18_000, 900, 0)
    );
    assert_eq!(figures(&owner, "2026-11-20").await, closed, "it was ordered on a date that is closed");

    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let report =
        owner.post("/day-close", json!({"businessDate": "2026-11-21", "carryOver": true})).await.expect(201);
    let second = figures(&owner, "2026-11-21").await;
    assert_eq!(of_figures(&second), of_report(&report.data()));
    let cancel = json!({"status": "CANCELLED", "reason": "never came"});
    owner.patch(&format!("{}/status", path(&late)), cancel).await.refused(409, "INVALID_TRANSITION");
    let withdraw = format!("{}/invoice/withdraw", path(&late));
    owner.post(&withdraw, json!({"reason": "never came"})).await.refused(409, "INVALID_TRANSITION");
    let note = json!({"reason": "OVERCHARGED", "note": "happy hour", "amountCents": 1_890});
    let note = owner.post(&format!("{}/credit-note", path(&late)), note).await.expect(201).data();
    assert_eq!((&note["kind"], &note["reason"]), (&json!("CREDIT_NOTE"), &json!("OVERCHARGED: happy hour")));
    assert_eq!((cents(&note, "taxCents"), cents(&note["order"], "dueCents")), (90, 17_010));
    let third = figures(&owner, "2026-11-22").await;
    assert_eq!(
        (cents(&third, "net"), cents(&third, "taxReport"), cents(&third, "sales")),
        (-1_800, -90, -1_890)
    );
    house.settle(&owner, &late).await;
    assert_eq!(complete(&owner, &late).await, 200);
    assert_eq!(figures(&owner, "2026-11-20").await, closed);
    assert_eq!(figures(&owner, "2026-11-21").await, second);
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}

#[tokio::test]
async fn a_guest_who_never_pays_is_bad_debt_and_its_tax_stays() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.at_table(2, &[("Dal", 1)])).await;
    let write_off = format!("{}/write-off", path(&order));
    let why = json!({"reason": "left without paying", "approverPin": pin});
    cashier.post(&write_off, why.clone()).await.refused(409, "INVALID_TRANSITION");
    bill(&cashier, &order).await;
    assert_eq!(complete(&cashier, &order).await, 409);
    cashier.post(&write_off, json!({"reason": "left without paying"})).await.refused(403, "FORBIDDEN");
    let off = cashier.post(&write_off, why.clone()).await.expect(201).data();
    assert_eq!((cents(&off, "writtenOffCents"), cents(&off, "dueCents")), (18_900, 0));
    cashier.post(&write_off, why).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(complete(&cashier, &order).await, 200);
    let today = figures(&house.owner, "2026-11-20").await;
    assert_eq!((cents(&today, "net"), cents(&today, "taxReport"), cents(&today, "money")), (18_000, 900, 0));
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let report = owner.post("/day-close", json!({"businessDate": "2026-11-20"})).await.expect(201).data();
    assert_eq!(report["writeOffs"], json!({"count": 1, "amountCents": 18_900}));
}

/// 560 with 10 % service charge, refunded, left a net of −56.20.
#[tokio::test]
async fn what_is_refunded_in_full_leaves_every_figure() {
    for (included, rounding) in [(false, 0), (true, 100)] {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let owner = &house.owner;
        let terms = json!({"serviceCharge": {"bps": 1_000, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "pricesIncludeTax": included, "cashRoundingCents": rounding});
        owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
        let order =
            house.place(owner, house.at_table(1, &[("Dal", 2), ("Lemon Soda", 1), ("Kulfi", 1)])).await;
        house.settle(owner, &order).await;
        assert_eq!(complete(owner, &order).await, 200);
        let sold = figures(owner, "2026-11-20").await;
        assert_eq!(cents(&sold, "sales"), cents(&order, "totalAmountCents"));
        // In two steps, an amount and the rest.
        let refunds = format!("{}/refunds", path(&order));
        owner.post(&refunds, json!({"amountCents": 10_000, "reason": "cold"})).await.expect(201);
        let rest = cents(&order, "totalAmountCents") - 10_000;
        owner.post(&refunds, json!({"amountCents": rest, "reason": "all of it"})).await.expect(201);
        let summary = owner.get("/analytics/summary").await.expect(200).json();
        assert_eq!(summary["grossRevenueCents"], summary["refundCents"], "{included}");
        for name in ["netRevenueCents", "taxCents", "averageOrderValueCents", "cogsCents"] {
            assert_eq!(summary[name], 0, "{name} {included}");
        }
        // What nobody put back on a shelf was thrown away.
        assert!(cents(&summary, "foodWasteCents") > 0);
        let today = figures(owner, "2026-11-20").await;
        for name in ["net", "tax", "taxReport", "service", "rounding", "sales", "money"] {
            assert_eq!(cents(&today, name), 0, "{name} {included}");
        }
        let sellers = owner.get("/analytics/top-sellers").await.expect(200).data();
        for item in sellers["items"].as_array().unwrap() {
            for name in ["quantity", "revenueCents", "cogsCents"] {
                assert_eq!(item[name], 0, "{name} of {item}");
            }
        }
    }
}

/// Two waters refunded and restocked were still sold, with a margin of 100 %.
#[tokio::test]
async fn what_came_back_is_not_sold() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.counter(&[("Bottled Water", 3)])).await;
    house.settle(owner, &order).await;
    let back = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 2}], "reason": "warm", "restock": true});
    owner.post(&format!("{}/refunds", path(&order)), back).await.expect(201);
    let sellers = owner.get("/analytics/top-sellers?limit=1").await.expect(200).data();
    let water = &sellers["items"][0];
    assert_eq!((&water["name"], &water["quantity"]), (&json!("Bottled Water"), &json!(1)));
    assert_eq!((cents(water, "revenueCents"), cents(water, "cogsCents")), (3_000, 1_500));
    assert_eq!(house.on_hand("Water").await, json!(47));
    assert_eq!(cents(&owner.get("/analytics/summary").await.json(), "foodWasteCents"), 0);
}

/// The same two dishes had a gross of 533.34, 546.66, 560.00 or 530.66, depending on the discount.
#[tokio::test]
async fn the_gross_is_the_list_price_without_tax_whatever_comes_off_or_on() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let mut seen = Vec::new();
    for (service, percent) in [(0, 0), (1_000, 0), (0, 50), (0, 100)] {
        let terms = json!({"serviceCharge": {"bps": service, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "pricesIncludeTax": true});
        owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
        let order = house.place(owner, house.at_table(1, &[("Dal", 2), ("Kulfi", 1)])).await;
        if percent > 0 {
            let cut = json!({"type": "PERCENT", "value": percent, "reason": "regulars"});
            owner.post(&format!("{}/discounts", path(&order)), cut).await.expect(201);
        }
        let order = owner.get(&path(&order)).await.json();
        seen.push(cents(&order, "subtotalCents"));
        let sum = cents(&order, "subtotalCents") - cents(&order, "discountCents")
            + cents(&order, "serviceChargeCents")
            + cents(&order, "taxCents")
            + cents(&order, "roundingCents");
        assert_eq!(sum, cents(&order, "totalAmountCents"));
    }
    assert_eq!(seen, [45_714; 4]);
    let summary = owner.get("/analytics/summary").await.expect(200).json();
    let discounts = owner.get("/analytics/reports/discounts").await.expect(200).data();
    assert_eq!(discounts["totals"]["amountCents"], summary["discountCents"]);
    assert_eq!(summary["grossRevenueCents"], 4 * 45_714);
}
