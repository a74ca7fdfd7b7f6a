//! Channels: orders that come through them, whose tax they bear, who reaches them, and what they pay out.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::people::sign_in;
use tiffin_tests::{Branch, Client, Events, House};

const DAY: i64 = 24 * 3_600_000;

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap()
}

fn path(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

async fn channel(owner: &Client, name: &str, taxed_by: &str) -> Value {
    let new = json!({
        "name": name, "kind": "AGGREGATOR", "taxedBy": taxed_by, "operatorTaxId": "29AAGCB7383J1Z4", "commissionBps": 2_000,
    });
    owner.post("/channels", new).await.expect(201).data()
}

/// Another system's account, bound to `channels`.
async fn system(branch: &Branch, house: &House, name: &str, channels: &[&Value]) -> Client {
    let person = json!({"name": name, "jobTitle": "Bridge"});
    let person = house.owner.post("/employees", person).await.expect(201).data();
    let email = format!("{}@sample.test", name.to_lowercase());
    let ids: Vec<&str> = channels.iter().map(|channel| id(channel)).collect();
    let account =
        json!({"email": email, "password": "long enough 1", "role": "INTEGRATION", "channelIds": ids});
    let made =
        house.owner.post(&format!("/employees/{}/account", id(&person)), account).await.expect(201).data();
    assert_eq!(made["channelIds"], json!(ids));
    sign_in(&branch.anonymous(), &email, "long enough 1").await
}

fn sent(house: &House, lines: &[(&str, i64)], number: &str) -> Value {
    let mut order = house.counter(lines);
    order["orderType"] = json!("DELIVERY");
    order["externalId"] = json!(number);
    order
}

async fn move_on(client: &Client, order: &Value, states: &[&str]) -> Value {
    let mut last = Value::Null;
    for state in states {
        let to = json!({"status": state});
        last = client.patch(&format!("{}/status", path(order)), to).await.expect(200).data();
    }
    last
}

const ALL_THE_WAY: [&str; 5] = ["ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED", "COMPLETED"];

#[tokio::test]
async fn channels_are_kept_as_the_neighbours_are() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let made = channel(owner, "Swiggy", "OPERATOR").await;
    assert_eq!((&made["taxedBy"], &made["commissionBps"]), (&json!("OPERATOR"), &json!(2_000)));
    owner.post("/channels", json!({"name": "Swiggy", "kind": "OTHER"})).await.expect(409);
    let wrong = owner.post("/channels", json!({"name": " ", "kind": "SHOP", "commissionBps": 10_001})).await;
    assert_eq!(wrong.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["commissionBps", "kind"]);
    let one = id(&made);
    assert_eq!(owner.get(&format!("/channels/{one}")).await.expect(200).data(), made);
    let cheaper = json!({"commissionBps": 1_500});
    let changed = owner.patch(&format!("/channels/{one}"), cheaper).await.expect(200).data();
    assert_eq!((cents(&changed, "commissionBps"), cents(&changed, "version")), (1_500, 2));
    let waiter = branch.sign_in(Role::Waiter);
    assert_eq!(waiter.get("/channels").await.expect(200).json()["meta"]["total"], 1);
    let free = json!({"commissionBps": 0});
    waiter.patch(&format!("/channels/{one}"), free).await.refused(403, "FORBIDDEN");
    owner.delete(&format!("/channels/{one}")).await.expect(200);
    owner.get(&format!("/channels/{one}")).await.expect(404);
    // And nothing comes through it any more.
    let mut order = house.counter(&[("Dal", 1)]);
    order["channelId"] = made["id"].clone();
    let refused = owner.post("/orders", order).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["channelId"]);
}

#[tokio::test]
async fn an_order_of_the_operators_bears_no_tax_and_gets_a_slip_of_its_own_series() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let terms = json!({"cashRoundingCents": 100, "serviceCharge": {"bps": 1_000, "automatic": true, "orderTypes": ["DELIVERY"]}});
    owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
    let swiggy = channel(owner, "Swiggy", "OPERATOR").await;
    let bridge = system(&branch, &house, "Bridge", &[&swiggy]).await;
    let order = sent(&house, &[("Dal", 1), ("Lassi", 1)], "SW-1");
    let quote = bridge.post("/orders/quote", order.clone()).await.expect(200).data();
    assert_eq!((cents(&quote, "taxCents"), cents(&quote, "totalAmountCents")), (0, 27_000));
    let first = bridge.post("/orders", order.clone()).await.expect(201);
    let first = first.json();
    assert_eq!(
        (cents(&first, "taxCents"), cents(&first, "serviceChargeCents"), cents(&first, "totalAmountCents")),
        (0, 0, 27_000)
    );
    assert_eq!(
        (&first["taxedBy"], &first["source"], cents(&first, "commissionCents")),
        (&json!("OPERATOR"), &json!("AGGREGATOR"), 5_400)
    );
    // Sent again: the first order, marked.
    let again = bridge.post("/orders", order).await.expect(201);
    assert_eq!(again.headers.get("idempotency-replayed").unwrap(), "true");
    assert_eq!(again.json()["id"], first["id"]);
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 1);
    owner.post(&format!("{}/invoice", path(&first)), json!({})).await.refused(409, "INVALID_TRANSITION");
    let payment = json!({"method": "OTHER", "amountCents": 27_000, "reference": "SW-1"});
    let paid = bridge.post(&format!("{}/payments", path(&first)), payment).await.expect(201).data();
    assert_eq!(
        (&paid["payment"]["channelId"], &paid["order"]["invoiceNumber"]),
        (&swiggy["id"], &Value::Null)
    );
    let done = move_on(&bridge, &first, &ALL_THE_WAY).await;
    assert_eq!(
        (&done["slipNumber"], &done["revenueDate"]),
        (&json!("BLR1/S2627-00001"), &json!("2026-11-20"))
    );
    assert_eq!(
        (&done["invoiceNumber"], branch.number("SELECT count(*) FROM invoices").await),
        (&Value::Null, 0)
    );
    let text = owner.get(&format!("{}/receipt?format=text", path(&first))).await.expect(200).text;
    assert!(
        text.contains("ORDER SLIP") && text.contains("BLR1/S2627-00001") && !text.contains("CGST"),
        "{text}"
    );

    // A bill of the house beside it: the two series never meet, and the figures tell them apart.
    let own = house.place(owner, house.counter(&[("Dal", 1)])).await;
    house.settle(owner, &own).await;
    owner.patch(&format!("{}/status", path(&own)), json!({"status": "COMPLETED"})).await.expect(200);
    let summary = owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!(
        (cents(&summary, "grossRevenueCents"), cents(&summary, "taxCents"), cents(&summary, "ordersCount")),
        (45_000, 900, 2)
    );
    assert_eq!(summary["operatorTaxed"], json!({"ordersCount": 1, "soldCents": 27_000, "returnedCents": 0}));
    let tax = owner.get("/analytics/reports/tax").await.expect(200).data();
    assert_eq!(
        (&tax["totals"]["netTaxCents"], &tax["operatorTaxed"]["soldCents"]),
        (&json!(900), &json!(27_000))
    );
    let channels = owner.get("/analytics/reports/channels").await.expect(200).data();
    let row = json!(["Swiggy", "OPERATOR", 1, 27_000, 0, 0, 27_000, 5_400, 27_000, 21_600, 0]);
    assert_eq!(channels["rows"][0], row);
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let report = owner.post("/day-close", json!({"businessDate": "2026-11-20"})).await.expect(201).data();
    assert_eq!(report["operatorTaxed"], json!({"count": 1, "amountCents": 27_000}));
    assert_eq!(report["channelPayouts"], json!({"count": 1, "amountCents": 27_000}));
    let known = &report["reconciliation"];
    assert_eq!(known["isReconciled"], true, "{known:#}");
    let payouts =
        known["lines"].as_array().unwrap().iter().find(|line| line["kind"] == "CHANNEL_PAYOUTS").unwrap();
    let rows = owner.get(payouts["rows"].as_str().unwrap()).await.expect(200).json();
    assert_eq!((cents(payouts, "amountCents"), &rows["data"][0]["amountCents"]), (27_000, &json!(27_000)));
    assert_eq!((cents(&report["sales"], "grossCents"), cents(&report["sales"], "orderCount")), (45_000, 2));
    let closed = owner.get("/analytics/summary?from=2026-11-20&to=2026-11-20").await.expect(200).json();
    assert_eq!(closed["netRevenueCents"], report["netRevenueCents"]);

    // What the operator gave back is an entry of its own date, in a series of its own.
    let back = json!({"amountCents": 9_000, "reason": "spilled"});
    owner.post(&format!("{}/refunds", path(&first)), back.clone()).await.refused(409, "INVALID_TRANSITION");
    let made = owner.post(&format!("/orders/{}/slip/return", id(&first)), back).await.expect(201).data();
    assert_eq!(
        (&made["number"], cents(&made["order"], "refundedCents")),
        (&json!("BLR1/R2627-00001"), 9_000)
    );
    let much = json!({"amountCents": 18_001, "reason": "spilled"});
    let much = owner.post(&format!("/orders/{}/slip/return", id(&first)), much).await;
    let much = much.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(much.invalid_fields(), ["amountCents"]);
    let today = owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!((cents(&today, "netRevenueCents"), cents(&today, "taxCents")), (-9_000, 0));
    let then = owner.get("/analytics/summary?from=2026-11-20&to=2026-11-20").await.expect(200).json();
    for name in ["grossRevenueCents", "netRevenueCents", "taxCents", "operatorTaxed"] {
        assert_eq!(then[name], closed[name], "{name}: a closed date never changes");
    }
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}

/// What the top sellers say of a dish: portions, and what they brought.
async fn sold(client: &Client, dish: &str) -> (i64, i64) {
    let sellers = client.get("/analytics/top-sellers?limit=100").await.expect(200).data();
    let found = sellers["items"].as_array().unwrap().iter().find(|item| item["name"] == dish).cloned();
    let found = found.unwrap_or_else(|| panic!("no {dish}: {sellers}"));
    (cents(&found, "quantity"), cents(&found, "revenueCents"))
}

#[tokio::test]
async fn portions_that_the_operator_gave_back_are_not_sold() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let swiggy = channel(owner, "Swiggy", "OPERATOR").await;
    let mut order = sent(&house, &[("Dal", 3), ("Lassi", 1)], "SW-1");
    order["channelId"] = swiggy["id"].clone();
    let order = house.place(owner, order).await;
    // 630.00 less 100.00: the dal was sold for 454.29.
    let cut = json!({"type": "FIXED", "value": 10_000, "reason": "coupon"});
    owner.post(&format!("{}/discounts", path(&order)), cut).await.expect(201);
    let payment = json!({"method": "OTHER", "amountCents": 53_000});
    owner.post(&format!("{}/payments", path(&order)), payment).await.expect(201);
    move_on(owner, &order, &["COMPLETED"]).await;
    assert_eq!(sold(owner, "Dal").await, (3, 45_429));
    let back = format!("{}/slip/return", path(&order));
    let items = |quantity: i64| json!([{"orderItemId": order["items"][0]["id"], "quantity": quantity}]);
    let both = json!({"items": items(1), "amountCents": 5, "reason": "spilled"});
    assert_eq!(
        owner.post(&back, both).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["amountCents"]
    );
    let one = owner.post(&back, json!({"items": items(1), "reason": "spilled"})).await.expect(201).data();
    assert_eq!((cents(&one, "amountCents"), cents(&one["order"], "refundedCents")), (15_143, 15_143));
    assert_eq!(sold(owner, "Dal").await, (2, 30_286));
    let summary = owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!((cents(&summary, "netRevenueCents"), cents(&summary, "refundCents")), (37_857, 15_143));
    assert!(cents(&summary, "foodWasteCents") > 0, "nobody put it back on a shelf");
    let much = owner.post(&back, json!({"items": items(3), "reason": "spilled"})).await;
    assert_eq!(much.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[0].quantity"]);
    // All that is left, with all its portions: nothing was sold.
    let rest = owner.post(&back, json!({"reason": "never came"})).await.expect(201).data();
    assert_eq!(cents(&rest, "amountCents"), 37_857);
    assert_eq!((sold(owner, "Dal").await, sold(owner, "Lassi").await), ((0, 0), (0, 0)));
    let summary = owner.get("/analytics/summary").await.expect(200).json();
    for name in ["netRevenueCents", "taxCents", "cogsCents"] {
        assert_eq!(summary[name], 0, "{name}");
    }
    let none = owner.post(&back, json!({"reason": "again"})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(none.invalid_fields(), ["amountCents"]);
}

#[tokio::test]
async fn goods_stay_the_houses_and_prices_with_tax_are_charged_without_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    owner
        .patch(&format!("/outlets/{}", branch.outlet_id), json!({"pricesIncludeTax": true}))
        .await
        .expect(200);
    let goods = json!({
        "name": "Aerated", "isGoods": true,
        "components": [{"name": "CGST", "rateBps": 1_400}, {"name": "SGST", "rateBps": 1_400}],
    });
    let goods = owner.post("/menu/tax-categories", goods).await.expect(201).data();
    let menu = owner.get("/menu").await.expect(200).data();
    let cola = json!({"categoryId": menu["categories"][0]["id"], "name": "Cola", "priceCents": 12_800, "taxCategoryId": goods["id"]});
    let cola = owner.post("/menu/items", cola).await.expect(201).data();
    let zomato = channel(owner, "Zomato", "OPERATOR").await;
    let mut order = sent(&house, &[("Dal", 1)], "Z-9");
    order["channelId"] = zomato["id"].clone();
    order["items"]
        .as_array_mut()
        .unwrap()
        .push(json!({"menuItemId": cola["id"], "quantity": 1, "unitPriceCents": 12_800}));
    let order = house.place(owner, order).await;
    // 180.00 with 5 % in it is 171.42 of food; 128.00 with 28 % is 100.00 of cola and 28.00 of tax.
    assert_eq!(
        (cents(&order, "subtotalCents"), cents(&order, "taxCents"), cents(&order, "totalAmountCents")),
        (27_142, 2_800, 29_942)
    );
    let payment = json!({"method": "OTHER", "amountCents": 29_942});
    owner.post(&format!("{}/payments", path(&order)), payment).await.expect(201);
    let done = move_on(owner, &order, &["COMPLETED"]).await;
    assert_eq!(
        (&done["slipNumber"], &done["invoiceNumber"]),
        (&json!("BLR1/S2627-00001"), &json!("BLR1/2627-000001"))
    );
    let listed = owner.get("/orders/invoices").await.expect(200).json();
    assert_eq!(
        (cents(&listed["data"][0], "totalCents"), cents(&listed["data"][0], "taxCents")),
        (12_800, 2_800)
    );
    let summary = owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!(
        (cents(&summary, "grossRevenueCents"), cents(&summary, "taxCents"), cents(&summary, "ordersCount")),
        (27_142, 2_800, 1)
    );
    assert_eq!(summary["operatorTaxed"]["soldCents"], 17_142);
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}

#[tokio::test]
async fn a_bound_account_reaches_the_orders_of_its_channels_alone() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let (one, two) =
        (channel(owner, "Swiggy", "OPERATOR").await, channel(owner, "Zomato", "RESTAURANT").await);
    let (bridge, other) = (
        system(&branch, &house, "First", &[&one]).await,
        system(&branch, &house, "Second", &[&two, &one]).await,
    );
    let mut stream = Events::open(&bridge, "/kitchen/stream", None).await;
    let waiters = house.place(&branch.sign_in(Role::Waiter), house.at_table(1, &[("Dal", 1)])).await;
    let theirs = house.place(&bridge, sent(&house, &[("Lassi", 2)], "A")).await;
    // One channel is meant, of two one has to be named; and never another's.
    let unnamed =
        other.post("/orders", sent(&house, &[("Dal", 1)], "B")).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(unnamed.invalid_fields(), ["channelId"]);
    let mut foreign = sent(&house, &[("Dal", 1)], "B");
    foreign["channelId"] = two["id"].clone();
    let refused = bridge.post("/orders", foreign.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["channelId"]);
    let zomatos = house.place(&other, foreign).await;
    assert_eq!(cents(&zomatos, "taxCents"), 900, "the house owes the tax of this channel");

    let list = bridge.get("/orders").await.expect(200).json();
    assert_eq!((list["pagination"]["total"].as_i64(), &list["data"][0]["id"]), (Some(1), &theirs["id"]));
    bridge.get(&path(&theirs)).await.expect(200);
    other.get(&path(&theirs)).await.expect(200);
    let ready = json!({"status": "ACCEPTED"});
    let payment = json!({"method": "OTHER", "amountCents": 100});
    for hidden in [&waiters, &zomatos] {
        let path = path(hidden);
        for read in [path.clone(), format!("{path}/trace"), format!("{path}/receipt")] {
            bridge.get(&read).await.expect(404);
        }
        bridge.patch(&format!("{path}/status"), ready.clone()).await.expect(404);
        bridge.post(&format!("{path}/payments"), payment.clone()).await.expect(404);
        bridge.post(&format!("{path}/invoice"), json!({})).await.expect(404);
    }
    // The first ticket it is told of is that of its own order.
    let mut event = stream.next().await;
    while event.name == "hello" {
        event = stream.next().await;
    }
    assert_eq!(event.data["orderId"], theirs["id"], "{event:?}");
    let tickets = owner.get("/kitchen/tickets").await.expect(200).json();
    for ticket in tickets["data"].as_array().unwrap() {
        let seen = bridge.get(&format!("/kitchen/tickets/{}", id(ticket))).await.status;
        assert_eq!(seen, if ticket["orderId"] == theirs["id"] { 200 } else { 404 });
    }

    // Called off without a PIN, whatever the kitchen was told; what the channel was to pay out is taken back by itself.
    let payment = json!({"method": "OTHER", "amountCents": cents(&theirs, "dueCents")});
    bridge.post(&format!("{}/payments", path(&theirs)), payment).await.expect(201);
    branch.pass(61_000);
    let cancel = json!({"status": "CANCELLED", "reason": "the guest called it off"});
    let off = bridge.patch(&format!("{}/status", path(&theirs)), cancel).await.expect(200).data();
    assert_eq!((&off["status"], cents(&off, "paidCents")), (&json!("CANCELLED"), 0));
    assert_eq!(off["payments"][0]["isReversed"], true);
    let payments = owner.get("/analytics/reports/payments").await.expect(200).data();
    assert_eq!(payments["totals"]["netCents"], 0);

    // An account bound to none reaches what it took itself, as before.
    let loose = branch.sign_in(Role::Integration);
    let own = house.place(&loose, house.counter(&[("Dal", 1)])).await;
    loose.get(&path(&own)).await.expect(200);
    loose.get(&path(&waiters)).await.expect(404);
    assert_eq!(loose.get("/orders").await.expect(200).json()["pagination"]["total"], 1);
}
