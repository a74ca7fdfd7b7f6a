//! Orders whose food the operator of a channel bills, with goods that the house bills beside the slip: what comes back of either, and the
//! commission that falls with it.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

const DAY: i64 = 24 * 3_600_000;

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

fn path(order: &Value, route: &str) -> String {
    format!("/orders/{}{route}", order["id"].as_str().unwrap())
}

fn refund(order: &Value) -> String {
    path(order, "/refunds")
}

/// Portions of the lines of `order`, by their place.
fn portions(order: &Value, lines: &[(usize, i64)]) -> Value {
    let item = |(line, quantity): &(usize, i64)| json!({"orderItemId": order["items"][line]["id"], "quantity": quantity});
    json!({"items": lines.iter().map(item).collect::<Vec<_>>(), "reason": "spilled"})
}

/// Makes the channel, which keeps a share, and a cola that stays the house's to tax: 28 %, and one tomato of stock.
async fn open(branch: &Branch) -> (House, Value, Value) {
    let house = House::open(branch).await;
    let owner = &house.owner;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&outlet, json!({"taxId": "29AAFCT4512Q1ZS"})).await.expect(200);
    let components = json!([{"name": "CGST", "rateBps": 1_400}, {"name": "SGST", "rateBps": 1_400}]);
    let goods = json!({"name": "Aerated", "isGoods": true, "components": components});
    let goods = owner.post("/menu/tax-categories", goods).await.expect(201).data();
    let menu = owner.get("/menu").await.expect(200).data();
    let cola = json!({
        "categoryId": menu["categories"][0]["id"], "name": "Cola", "priceCents": 3_333, "taxCategoryId": goods["id"], "hsnSac": "2202",
    });
    let cola = owner.post("/menu/items", cola).await.expect(201).data();
    let recipe = json!({"yield": 1, "ingredients": [{"inventoryItemId": house.stock("Lemon"), "quantity": 1, "unit": "pcs"}]});
    let recipes = format!("/inventory/recipes/{}", cola["id"].as_str().unwrap());
    owner.put(&recipes, recipe).await.expect(200);
    let channel = json!({
        "name": "Swiggy", "kind": "AGGREGATOR", "taxedBy": "OPERATOR", "operatorTaxId": "29AAGCB7383J1Z4", "commissionBps": 1_850,
    });
    let channel = owner.post("/channels", channel).await.expect(201).data();
    (house, channel, cola)
}

/// Three dal and three cola, less 10 %, paid at the channel and completed.
async fn sold(house: &House, channel: &Value, cola: &Value, number: &str) -> Value {
    let mut order = house.counter(&[("Dal", 3)]);
    order["orderType"] = json!("DELIVERY");
    (order["channelId"], order["externalId"]) = (channel["id"].clone(), json!(number));
    order["items"]
        .as_array_mut()
        .unwrap()
        .push(json!({"menuItemId": cola["id"], "quantity": 3, "unitPriceCents": 3_333}));
    let order = house.place(&house.owner, order).await;
    let cut = json!({"type": "PERCENT", "value": 10, "reason": "coupon"});
    house.owner.post(&path(&order, "/discounts"), cut).await.expect(201);
    let due = house.owner.get(&path(&order, "")).await.expect(200).json()["dueCents"].clone();
    let payment = json!({"method": "OTHER", "amountCents": due});
    house.owner.post(&path(&order, "/payments"), payment).await.expect(201);
    house.owner.patch(&path(&order, "/status"), json!({"status": "COMPLETED"})).await.expect(200);
    house.owner.get(&path(&order, "")).await.expect(200).json()
}

async fn report(client: &Client, name: &str, dates: &str) -> Value {
    client.get(&format!("/analytics/reports/{name}?{dates}")).await.expect(200).data()
}

/// What the journal's account was debited by, and that its vouchers balance.
async fn balance(client: &Client, account: &str, dates: &str) -> i64 {
    let journal = report(client, "journal", dates).await;
    assert_eq!(journal["totals"]["debit"], journal["totals"]["credit"]);
    let rows = journal["rows"].as_array().unwrap().iter().filter(|row| row[2] == account);
    rows.map(|row| row[3].as_i64().unwrap() - row[4].as_i64().unwrap()).sum()
}

/// How many lemons there are.
async fn on_hand(client: &Client) -> i64 {
    let found = client.get("/inventory/items?q=Lemon").await.expect(200).json();
    found["items"].as_array().unwrap().iter().find(|item| item["name"] == "Lemon").unwrap()["currentStock"]
        .as_i64()
        .unwrap()
}

/// A date's figures, from reports that must agree.
async fn figures(client: &Client, dates: &str) -> Value {
    let mut figures = json!({});
    for name in ["register", "tax", "hsn", "gstr1", "gstr3b", "slips", "channels", "journal"] {
        let of = report(client, name, dates).await;
        figures[name] = json!([of["rows"], of["totals"]]);
    }
    let summary = client.get(&format!("/analytics/summary?{dates}")).await.expect(200).json();
    for name in ["grossRevenueCents", "refundCents", "netRevenueCents", "taxCents", "cogsCents"] {
        figures[name] = summary[name].clone();
    }
    figures
}

const BOTH: &str = "from=2026-11-20&to=2026-11-21";

#[tokio::test]
async fn goods_beside_a_slip_are_refunded_by_a_credit_note_of_their_bill() {
    let branch = Branch::start().await;
    let (house, channel, cola) = open(&branch).await;
    let owner = &house.owner;
    let lemons = on_hand(owner).await;
    let order = sold(&house, &channel, &cola, "SW-1").await;
    // 3 × 180.00 less 10 % is 486.00 of food; 3 × 33.33 less 10 % is 89.99 of cola, with twice 12.60 of tax.
    assert_eq!((cents(&order, "totalAmountCents"), cents(&order, "taxCents")), (60_119, 2_520));
    let first = "from=2026-11-20&to=2026-11-20";
    let before = figures(owner, first).await;
    // Food alone is the operator's to give back, and no amount leads there by accident.
    owner.post(&refund(&order), portions(&order, &[(0, 1)])).await.refused(409, "INVALID_TRANSITION");
    for amount in [11_520, 48_600, 60_118, 60_120] {
        let much = owner.post(&refund(&order), json!({"amountCents": amount, "reason": "spilled"})).await;
        assert_eq!(much.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["amountCents"], "{amount}");
    }
    let unknown = owner.post(&refund(&order), portions(&order, &[(0, 4), (1, 4)])).await;
    let fields = ["items[0].quantity", "items[1].quantity"];
    assert_eq!(unknown.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), fields);
    assert_eq!(figures(owner, first).await, before, "what is refused writes nothing");

    // One cola: a credit note of its bill, with its tax, its code, and, since nobody made it, its stock.
    let mut back = portions(&order, &[(1, 1)]);
    back["restock"] = json!(true);
    branch.sign_in(Role::Cashier).post(&refund(&order), back.clone()).await.refused(403, "FORBIDDEN");
    let made = owner.post(&refund(&order), back).await.expect(201).data();
    assert_eq!(made["creditNoteNumber"], "BLR1/2627C000001");
    assert_eq!(made["refersTo"]["number"], order["invoiceNumber"]);
    assert_eq!(
        (cents(&made, "amountCents"), cents(&made, "taxCents"), &made["slipReturn"]),
        (3_840, 840, &Value::Null)
    );
    assert_eq!(
        (&made["refunds"][0]["method"], cents(&made["order"], "refundedCents")),
        (&json!("OTHER"), 3_840)
    );
    let hsn = report(owner, "hsn", first).await;
    assert_eq!(hsn["rows"], json!([["B2C", "2202", "NOS", 2, 28, 7_679, 5_999, 0, 840, 840, 0, 0]]));
    let gstr3b = report(owner, "gstr3b", first).await;
    let line =
        |table: &str| gstr3b["rows"].as_array().unwrap().iter().find(|row| row[0] == table).unwrap().clone();
    assert_eq!(
        line("3.1(a)").as_array().unwrap()[2..],
        [json!(5_999), json!(0), json!(840), json!(840), json!(0)]
    );
    assert_eq!(line("3.1.1(ii)")[2], 48_600);
    assert_eq!(report(owner, "register", first).await["totals"]["totalCents"], 7_679);
    // Table 14 has both: what Swiggy collects TCS of, and what it pays the tax of.
    let file = owner.get("/analytics/reports/gstr1?format=portal").await.expect(200).json();
    let of = |value: f64, tax: f64| json!({"etin": "29AAGCB7383J1Z4", "suppval": value, "igst": 0, "cgst": tax, "sgst": tax, "cess": 0, "flag": "N"});
    assert_eq!(file["supeco"]["clttx"], json!([of(59.99, 8.4)]));
    assert_eq!(file["supeco"]["paytx"][0]["suppval"], 486);
    assert_eq!(file["b2cs"][0]["txval"], 59.99);
    let sellers = owner.get("/analytics/top-sellers?limit=100").await.expect(200).data();
    let cola = sellers["items"].as_array().unwrap().iter().find(|item| item["name"] == "Cola").unwrap();
    assert_eq!((cents(cola, "quantity"), cents(cola, "revenueCents")), (2, 5_999));

    // The next day both come back in full, by one refund: a return of the slip, and a credit note.
    branch.pass(DAY);
    let owner = &branch.sign_in(Role::Owner);
    let closed = owner.post("/day-close", json!({"businessDate": "2026-11-20"})).await.expect(201).data();
    assert_eq!(closed["reconciliation"]["isReconciled"], true, "{:#}", closed["reconciliation"]);
    let before = figures(owner, first).await;
    let all = json!({"amountCents": 56_279, "reason": "never came"});
    let made = owner.post(&refund(&order), all).await.expect(201).data();
    assert_eq!(made["slipReturn"], json!({"number": "BLR1/R2627-00001", "amountCents": 48_600}));
    assert_eq!((cents(&made, "amountCents"), cents(&made["order"], "refundedCents")), (7_679, 60_119));
    assert_eq!(figures(owner, first).await, before, "a closed date never changes");
    let both = figures(owner, BOTH).await;
    for name in ["netRevenueCents", "taxCents"] {
        assert_eq!(both[name], 0, "{name}");
    }
    for name in
        ["Commission", "Swiggy receivable", "Guests", "OTHER", "CGST 14.00 %", "Sales through operators"]
    {
        assert_eq!(balance(owner, name, BOTH).await, 0, "{name}");
    }
    let channels = report(owner, "channels", BOTH).await;
    assert_eq!(
        channels["rows"][0],
        json!(["Swiggy", "OPERATOR", 1, 63_999, 6_400, 2_520, 60_119, 0, 0, 0, 60_119])
    );
    let none = owner.post(&refund(&order), json!({"amountCents": 1, "reason": "again"})).await;
    none.refused(409, "INVALID_TRANSITION");
    // One lemon went back on its shelf; what was made is waste.
    assert_eq!(on_hand(owner).await, lemons - 2);
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let closed = owner.post("/day-close", json!({"businessDate": "2026-11-21"})).await.expect(201).data();
    assert_eq!(closed["reconciliation"]["isReconciled"], true, "{:#}", closed["reconciliation"]);
    assert_eq!(closed["operatorReturned"], json!({"count": 1, "amountCents": 48_600}));
    assert_eq!(
        (cents(&closed["creditNotes"], "totalCents"), cents(&closed["channelPayouts"], "amountCents")),
        (7_679, -56_279)
    );
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}

#[tokio::test]
async fn portions_of_food_and_goods_come_back_by_one_refund() {
    let branch = Branch::start().await;
    let (house, channel, cola) = open(&branch).await;
    let owner = &house.owner;
    let order = sold(&house, &channel, &cola, "SW-1").await;
    let mut given = 0;
    for _ in 0..3 {
        let made = owner.post(&refund(&order), portions(&order, &[(0, 1), (1, 1)])).await.expect(201).data();
        assert_eq!(cents(&made["slipReturn"], "amountCents"), 16_200);
        given += cents(&made, "amountCents");
    }
    // The portions of the cola add up to its bill, and those of the commission to the whole.
    assert_eq!(given, 11_519);
    let done = owner.get(&path(&order, "")).await.expect(200).json();
    assert_eq!((cents(&done, "refundedCents"), cents(&done, "dueCents")), (60_119, 0));
    let dates = "from=2026-11-20&to=2026-11-20";
    let summary = owner.get(&format!("/analytics/summary?{dates}")).await.expect(200).json();
    assert_eq!((cents(&summary, "netRevenueCents"), cents(&summary, "taxCents")), (0, 0));
    for name in ["Commission", "Swiggy receivable"] {
        assert_eq!(balance(owner, name, dates).await, 0, "{name}");
    }
}

/// What an accountant books when the channel pays out: its receivable, less what it keeps.
#[tokio::test]
async fn the_commission_is_an_expense_and_falls_with_what_comes_back() {
    let branch = Branch::start().await;
    let (house, channel, cola) = open(&branch).await;
    let owner = &house.owner;
    let dates = "from=2026-11-20&to=2026-11-20";
    let order = sold(&house, &channel, &cola, "SW-1").await;
    // 18.5 % of 575.99: 106.56 (half away from zero), 89.91 of it for the food.
    assert_eq!(cents(&order, "commissionCents"), 10_656);
    let known = async |commission: i64, paid: i64, of_slips: i64| {
        assert_eq!(balance(owner, "Commission", dates).await, commission);
        assert_eq!(balance(owner, "Swiggy receivable", dates).await, paid - commission);
        assert_eq!(balance(owner, "OTHER", dates).await, 0);
        let channels = report(owner, "channels", dates).await;
        let [kept, owed] = ["commissionCents", "payoutCents"].map(|name| cents(&channels["totals"], name));
        assert_eq!((kept, owed), (commission, paid - commission));
        assert_eq!(report(owner, "slips", dates).await["totals"]["commissionCents"], of_slips);
        let tally =
            owner.get(&format!("/analytics/reports/tally?format=portal&{dates}")).await.expect(200).text;
        let entry = |name: &str, cents: i64| {
            let sign = if cents > 0 { ("Yes", "-") } else { ("No", "") };
            format!(
                "<LEDGERNAME>{name}</LEDGERNAME>\n<ISDEEMEDPOSITIVE>{}</ISDEEMEDPOSITIVE>\n<AMOUNT>{}{}.{:02}<",
                sign.0,
                sign.1,
                cents.abs() / 100,
                cents.abs() % 100
            )
        };
        assert!(commission == 0 || tally.contains(&entry("Commission", commission)), "{tally}");
    };
    known(10_656, 60_119, 8_991).await;
    // A third of the food, then an amount, then one cola, then the rest: each takes its share, and together they take all.
    let back = path(&order, "/slip/return");
    owner.post(&back, portions(&order, &[(0, 1)])).await.expect(201);
    known(7_659, 43_919, 5_994).await;
    owner.post(&back, json!({"amountCents": 1_001, "reason": "late"})).await.expect(201);
    known(7_474, 42_918, 5_809).await;
    owner.post(&refund(&order), portions(&order, &[(1, 1)])).await.expect(201);
    known(6_919, 39_078, 5_809).await;
    owner.post(&back, json!({"reason": "never came"})).await.expect(201);
    known(1_110, 7_679, 0).await;
    owner.post(&refund(&order), json!({"amountCents": 7_679, "reason": "never came"})).await.expect(201);
    known(0, 0, 0).await;
}

/// A payout that did not come leaves the bill owed: what is wrong on it is credited, and it is never taken back whole.
#[tokio::test]
async fn a_bill_beside_a_slip_that_is_owed_again_is_credited() {
    let branch = Branch::start().await;
    let (house, channel, cola) = open(&branch).await;
    let owner = &house.owner;
    let order = sold(&house, &channel, &cola, "SW-1").await;
    let payment = order["payments"][0]["id"].as_str().unwrap();
    let reverse = path(&order, &format!("/payments/{payment}/reverse"));
    owner.post(&reverse, json!({"reason": "not in the payout"})).await.expect(201);
    let withdrawn = owner.post(&path(&order, "/invoice/withdraw"), json!({"reason": "wrong"})).await;
    withdrawn.refused(409, "INVALID_TRANSITION");
    let mut one = portions(&order, &[(1, 1)]);
    one["reason"] = json!("OVERCHARGED");
    let made = owner.post(&path(&order, "/credit-note"), one).await.expect(201).data();
    assert_eq!((cents(&made, "totalCents"), cents(&made["order"], "dueCents")), (3_840, 56_279));
    let all =
        owner.post(&path(&order, "/credit-note"), json!({"reason": "DEFICIENT"})).await.expect(201).data();
    assert_eq!((cents(&all, "totalCents"), cents(&all["order"], "dueCents")), (7_679, 48_600));
    owner.post(&path(&order, "/slip/return"), json!({"reason": "never came"})).await.expect(201);
    let dates = "from=2026-11-20&to=2026-11-20";
    for name in ["Commission", "Swiggy receivable", "Guests"] {
        assert_eq!(balance(owner, name, dates).await, 0, "{name}");
    }
}

/// A channel whose orders the house bills keeps its share, too, and loses it with what is refunded.
#[tokio::test]
async fn the_commission_of_an_order_that_the_house_bills_falls_with_its_credit_notes() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let channel =
        json!({"name": "Zomato", "kind": "AGGREGATOR", "taxedBy": "RESTAURANT", "commissionBps": 2_500});
    let channel = owner.post("/channels", channel).await.expect(201).data();
    let mut order = house.counter(&[("Dal", 2)]);
    order["orderType"] = json!("DELIVERY");
    order["channelId"] = channel["id"].clone();
    let order = house.place(owner, order).await;
    let payment = json!({"method": "OTHER", "amountCents": 37_800, "tipCents": 500});
    owner.post(&path(&order, "/payments"), payment).await.expect(201);
    let first = "from=2026-11-20&to=2026-11-20";
    let known = async |client: &Client, dates: &str, row: Value| {
        let channels = report(client, "channels", dates).await;
        assert_eq!(channels["rows"], json!([row]));
        let [commission, owed] =
            ["commissionCents", "payoutCents"].map(|name| cents(&channels["totals"], name));
        assert_eq!(balance(client, "Commission", dates).await, commission);
        assert_eq!(balance(client, "Zomato receivable", dates).await, owed);
    };
    let sold = json!(["Zomato", "RESTAURANT", 1, 36_000, 0, 1_800, 37_800, 9_000, 38_300, 29_300, 0]);
    known(owner, first, sold.clone()).await;
    branch.pass(DAY);
    let owner = &branch.sign_in(Role::Owner);
    // Half of it comes back, and takes half of the commission along: 189.00 less of what is paid out, 45.00 less of what is kept.
    owner.post(&refund(&order), portions(&order, &[(0, 1)])).await.expect(201);
    known(owner, first, sold).await;
    let second = "from=2026-11-21&to=2026-11-21";
    known(owner, second, json!(["Zomato", "RESTAURANT", 0, 0, 0, 0, 0, -4_500, -18_900, -14_400, 18_900]))
        .await;
    assert_eq!(report(owner, "slips", second).await["rows"], json!([]));
    // The tip that the channel pays out is what it owes, too.
    let close = owner
        .post("/day-close", json!({"businessDate": "2026-11-20", "carryOver": true}))
        .await
        .expect(201)
        .data();
    assert_eq!(close["channelPayouts"], json!({"count": 1, "amountCents": 38_300}));
    assert_eq!(close["reconciliation"]["isReconciled"], true);
    let payouts = close["reconciliation"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["kind"] == "CHANNEL_PAYOUTS")
        .unwrap();
    let rows = owner.get(payouts["rows"].as_str().unwrap()).await.expect(200).json();
    let sum: i64 = rows["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| cents(row, "amountCents") + cents(row, "tipCents"))
        .sum();
    assert_eq!(sum, cents(payouts, "amountCents"));
}
