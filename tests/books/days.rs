//! The close of a day: every line of its reconciliation leads to rows that add up to it, and the report is a page that prints.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

async fn pay(client: &Client, order: &Value, method: &str, amount: i64, tip: i64) -> String {
    let body = json!({"method": method, "amountCents": amount, "tipCents": tip, "reference": "T 1"});
    let path = format!("/orders/{}/payments", order["id"].as_str().unwrap());
    client.post(&path, body).await.expect(201).data()["payment"]["id"].as_str().unwrap().to_owned()
}

async fn open_drawer(client: &Client, name: &str, float: i64) -> String {
    let body = json!({"openingFloatCents": float, "drawer": name});
    client.post("/cash-sessions", body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

/// A day with two drawers, cash outside of them, all methods, tips, a wrong tender, a card that bounced, a refund, a bill that is written
/// off, one that stays open and an advance on an order without a bill.
async fn trade(branch: &Branch, house: &House) -> (String, String) {
    let owner = &house.owner;
    let place = async |dishes: &[(&str, i64)]| house.place(owner, house.counter(dishes)).await;
    let bill = async |order: &Value| {
        let path = format!("/orders/{}/invoice", order["id"].as_str().unwrap());
        owner.post(&path, json!({})).await.expect(201);
    };
    let at = |order: &Value, route: &str| format!("/orders/{}/{route}", order["id"].as_str().unwrap());
    pay(owner, &place(&[("Lassi", 1)]).await, "CASH", 9_450, 0).await;
    let (cashier, second) = (branch.sign_in(Role::Cashier), branch.sign_in(Role::Cashier));
    let main = open_drawer(&cashier, "MAIN", 50_000).await;
    let bar = open_drawer(&second, "BAR", 20_000).await;
    pay(&cashier, &place(&[("Dal", 2)]).await, "CASH", 37_800, 200).await;
    pay(&second, &place(&[("Lemon Soda", 1)]).await, "CASH", 8_400, 0).await;
    let card = place(&[("Butter Chicken", 1)]).await;
    let wrong = pay(&cashier, &card, "CASH", 39_900, 1_000).await;
    let right = json!({"method": "CARD", "reference": "TXN", "reason": "wrong key"});
    owner.post(&at(&card, &format!("payments/{wrong}/correct")), right).await.expect(201);
    let bounced = place(&[("Kulfi", 1)]).await;
    bill(&bounced).await;
    let payment = pay(&cashier, &bounced, "CARD", 12_600, 300).await;
    let why = json!({"reason": "bounced"});
    owner.post(&at(&bounced, &format!("payments/{payment}/reverse")), why).await.expect(201);
    let upi = place(&[("Paneer Tikka", 1)]).await;
    pay(&cashier, &upi, "UPI", 33_600, 0).await;
    owner.post(&at(&upi, "refunds"), json!({"amountCents": 3_000, "reason": "cold"})).await.expect(201);
    let gone = place(&[("Dal", 1)]).await;
    bill(&gone).await;
    owner.post(&at(&gone, "write-off"), json!({"reason": "left without paying"})).await.expect(201);
    let ahead = place(&[("Dal", 3)]).await;
    pay(&cashier, &ahead, "VOUCHER", 10_000, 0).await;
    // Whoever paid in full has a bill.
    let list = owner.get("/orders?limit=100").await.expect(200).json();
    for order in list["orders"].as_array().or(list["data"].as_array()).unwrap() {
        let order = owner.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.json();
        if cents(&order, "dueCents") == 0 && order["invoiceNumber"].is_null() {
            bill(&order).await;
        }
    }
    let out = json!({"amountCents": 2_000, "reason": "vegetables"});
    cashier.post(&format!("/cash-sessions/{main}/pay-out"), out.clone()).await.expect(201);
    owner.post(&format!("/cash-sessions/{main}/tip-out"), out).await.expect(201);
    (main, bar)
}

/// The sum of the rows that a line leads to.
async fn rows(client: &Client, line: &Value) -> i64 {
    let path = line["rows"].as_str().unwrap();
    if path.starts_with("/day-close") {
        let mut sum = 0;
        for order in line["orders"].as_array().unwrap_or(&Vec::new()) {
            client.get(&format!("/orders/{}", order["orderId"].as_str().unwrap())).await.expect(200);
            sum += cents(order, "amountCents");
        }
        return sum;
    }
    let list = client.get(&format!("{path}&limit=100")).await.expect(200).json();
    let list = list["data"].as_array().unwrap().clone();
    let sum = |pick: &dyn Fn(&Value) -> i64| list.iter().map(pick).sum::<i64>();
    match line["kind"].as_str().unwrap() {
        "BILLS" => sum(&|row| cents(row, "totalCents")),
        "CREDIT_NOTES" => -sum(&|row| cents(row, "totalCents")),
        "TENDER" | "WRITE_OFFS" => sum(&|row| cents(row, "amountCents")),
        "TIPS" => sum(&|row| cents(row, "tipCents")),
        _ => sum(&|row| cents(row, "amountCents") + cents(row, "tipCents")),
    }
}

#[tokio::test]
async fn every_line_of_the_reconciliation_leads_to_its_rows() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (main, bar) = trade(&branch, &house).await;
    let owner = &house.owner;
    let close = json!({"businessDate": "2026-11-20", "early": true, "carryOver": true});
    let report = owner.post("/day-close", close).await.expect(201).data();
    let known = &report["reconciliation"];
    assert_eq!(known["isReconciled"], true, "{known:#}");
    let lines = known["lines"].as_array().unwrap();
    for line in lines {
        assert_eq!(rows(owner, line).await, cents(line, "amountCents"), "{line}");
    }
    let sum = |kind: &str| -> i64 {
        lines.iter().filter(|line| line["kind"] == kind).map(|line| cents(line, "amountCents")).sum()
    };
    // 9,450 + 37,800 + 8,400 + 39,900 + 12,600 + 33,600 + 18,900 are billed, 3,000 credited; 12,600 is owed and 10,000 paid ahead.
    assert_eq!((sum("BILLS"), sum("CREDIT_NOTES"), sum("OPEN_AFTER")), (160_650, -3_000, 2_600));
    assert_eq!((sum("TENDER"), sum("WRITE_OFFS"), sum("TIPS")), (136_150, 18_900, 1_200));
    let drawer = |id: &str| lines.iter().find(|line| line["drawerId"] == id).unwrap();
    assert_eq!(cents(drawer(&main), "amountCents"), 38_000, "the wrong tender left the drawer");
    assert_eq!((cents(drawer(&bar), "amountCents"), sum("OUTSIDE_DRAWERS")), (8_400, 9_450));
    assert_eq!(sum("SLIPS"), 40_900 + 30_600 + 10_000);
    assert_eq!(report["corrections"]["count"], 1);
    assert_eq!(
        (&report["reversals"]["count"], &report["tipsPaidOut"]["amountCents"]),
        (&json!(1), &json!(2_000))
    );
    assert_eq!(report["losses"]["payOuts"], json!({"count": 1, "amountCents": 2_000}));
    // The next day the one who owed pays, and the advance becomes a bill: owed before is owed after of the day before.
    branch.pass(24 * 3_600_000);
    let owner = branch.sign_in(Role::Owner);
    for order in lines.iter().find(|line| line["kind"] == "OPEN_AFTER").unwrap()["orders"].as_array().unwrap()
    {
        let order = owner.get(&format!("/orders/{}", order["orderId"].as_str().unwrap())).await.json();
        pay(&owner, &order, "CARD", cents(&order, "dueCents"), 0).await;
        let path = format!("/orders/{}/invoice", order["id"].as_str().unwrap());
        assert!(owner.post(&path, json!({})).await.status < 300);
    }
    let close = json!({"businessDate": "2026-11-21", "early": true, "carryOver": true});
    let report = owner.post("/day-close", close).await.expect(201).data();
    let known = &report["reconciliation"];
    assert_eq!(known["isReconciled"], true, "{known:#}");
    let line =
        |kind: &str| known["lines"].as_array().unwrap().iter().find(|line| line["kind"] == kind).unwrap();
    assert_eq!(
        (cents(line("OPEN_BEFORE"), "amountCents"), cents(line("OPEN_AFTER"), "amountCents")),
        (2_600, 0)
    );
    assert_eq!(owner.get("/day-close/2026-11-21").await.expect(200).data()["reconciliation"], *known);
}

#[tokio::test]
async fn a_days_report_is_a_page_that_prints() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    trade(&branch, &house).await;
    let owner = &house.owner;
    let read =
        async |client: &Client, date: &str| client.get(&format!("/day-close/{date}?format=html")).await;
    let x = read(owner, "2026-11-20").await.expect(200);
    assert!(x.header("content-type").starts_with("text/html"));
    assert!(x.text.contains("X report") && !x.text.contains("<script"));
    read(owner, "2026-11-21").await.refused(404, "NOT_FOUND");
    owner.get("/day-close/2026-11-20").await.refused(404, "NOT_FOUND");
    // Whoever counts a drawer is not told what should be in it.
    let cashier = read(&branch.sign_in(Role::Cashier), "2026-11-20").await.expect(200);
    assert!(x.text.contains("Drawer MAIN") && x.text.contains("84000.00") || x.text.contains("840.00"));
    assert!(!cashier.text.contains("Expected"), "{}", cashier.text);
    let close = json!({"businessDate": "2026-11-20", "early": true, "carryOver": true});
    let report = owner.post("/day-close", close).await.expect(201).data();
    let z = read(owner, "2026-11-20").await.expect(200).text;
    assert!(z.contains("Z report 1") && z.contains("1606.50") && !z.contains("Not reconciled"), "{z}");
    for tax in report["taxes"].as_array().unwrap() {
        let net = cents(tax, "taxCents") - cents(tax, "creditedTaxCents");
        assert!(z.contains(&format!("{}.{:02}", net / 100, net % 100)), "{tax}");
    }
    if let Ok(folder) = std::env::var("TIFFIN_PAGES") {
        std::fs::write(format!("{folder}/x.html"), &x.text).unwrap();
        std::fs::write(format!("{folder}/z.html"), &z).unwrap();
    }
    owner.get("/day-close/2026-11-20?format=pdf").await.expect(400);
    branch.sign_in(Role::Waiter).get("/orders/payments").await.refused(403, "FORBIDDEN");
    let today = branch.sign_in(Role::Accountant).get("/orders/payments?kind=REVERSAL&from=2026-11-20").await;
    assert_eq!(today.expect(200).json()["meta"]["total"], 1);
}
