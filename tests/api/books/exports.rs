//! The accountant's exports: each sums to the documents, and those whose form others have published equal an example written by hand.

use super::{DAY, cents, path};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

const GSTR1: &str = include_str!("gstr1.json");
const TALLY: &str = include_str!("tally.xml");

/// An evening in Bengaluru of four bills and one credit note: Dal 2 + Water 1 in cash, Lassi 1 by card with a tip, Dal 1 of which 18.90
/// is credited and the rest never paid, a beer (VAT, outside GST) by UPI.
async fn evening(branch: &Branch) -> House {
    let house = House::open(branch).await;
    let owner = &house.owner;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&outlet, json!({"taxId": "29AAFCT4512Q1ZS", "name": "Tiffin & Sons"})).await.expect(200);
    let vat = json!({"name": "Alcohol", "components": [{"name": "VAT", "rateBps": 2_000, "kind": "VAT"}]});
    let vat = owner.post("/menu/tax-categories", vat).await.expect(201).data();
    let bar = owner.post("/menu/categories", json!({"name": "Bar"})).await.expect(201).data();
    let beer = json!({"categoryId": bar["id"], "name": "Beer", "priceCents": 20_000, "taxCategoryId": vat["id"], "hsnSac": "2203"});
    let beer = owner.post("/menu/items", beer).await.expect(201).data();

    let first = house.place(owner, house.counter(&[("Dal", 2), ("Bottled Water", 1)])).await;
    house.settle(owner, &first).await;
    bill(owner, &first).await;
    let second = house.place(owner, house.counter(&[("Lassi", 1)])).await;
    pay(owner, &second, json!({"method": "CARD", "amountCents": 9_450, "tipCents": 500})).await;
    bill(owner, &second).await;
    let mut third = house.at_table(3, &[("Dal", 1)]);
    third["guestCount"] = json!(2);
    let third = house.place(owner, third).await;
    bill(owner, &third).await;
    let note = json!({"reason": "OVERCHARGED", "amountCents": 1_890});
    owner.post(&format!("{}/credit-note", path(&third)), note).await.expect(201);
    owner.post(&format!("{}/write-off", path(&third)), json!({"reason": "walked out"})).await.expect(201);
    let beer = json!({"menuItemId": beer["id"], "quantity": 1, "unitPriceCents": 20_000});
    let fourth = house.place(owner, json!({"orderType": "COUNTER", "items": [beer]})).await;
    pay(owner, &fourth, json!({"method": "UPI", "amountCents": 24_000, "reference": "412345678901"})).await;
    bill(owner, &fourth).await;
    house
}

async fn pay(client: &Client, order: &Value, payment: Value) {
    client.post(&format!("{}/payments", path(order)), payment).await.expect(201);
}

/// Makes the bill of an order, unless the payment that settled it made it.
async fn bill(client: &Client, order: &Value) {
    let made = client.post(&format!("{}/invoice", path(order)), json!({})).await;
    assert!([200, 201].contains(&made.status), "{}", made.text);
}

async fn report(client: &Client, name: &str) -> Value {
    client.get(&format!("/analytics/reports/{name}")).await.expect(200).data()
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

#[tokio::test]
async fn every_export_sums_to_the_documents() {
    let branch = Branch::start().await;
    let house = evening(&branch).await;
    let owner = &house.owner;
    let register = report(owner, "register").await;
    let sums = &register["totals"];
    let amounts =
        ["taxableCents", "gstCents", "vatCents", "roundingCents", "totalCents"].map(|name| cents(sums, name));
    assert_eq!(amounts, [84_200, 3_060, 4_000, 0, 91_260]);
    assert_eq!(rows(&register).len(), 5);
    let tax = report(owner, "tax").await;
    assert_eq!(cents(&tax["totals"], "netTaxCents"), 7_060);

    let hsn = owner.get("/analytics/reports/hsn").await.expect(200).data();
    assert_eq!(
        rows(&hsn),
        &[
            json!(["B2C", "996331", "NA", 1, 0, 3_000, 3_000, 0, 0, 0, 0, 0]),
            json!(["B2C", "996331", "NA", 4, 5, 64_260, 61_200, 0, 1_530, 1_530, 0, 0]),
            json!(["OUTSIDE_GST", "2203", "NOS", 1, 0, 24_000, 20_000, 0, 0, 0, 0, 4_000]),
        ]
    );
    let gstr1 = report(owner, "gstr1").await;
    assert_eq!(cents(&gstr1["totals"], "taxableCents"), 84_200);
    assert_eq!(
        ["cgstCents", "sgstCents", "vatCents"].map(|name| cents(&gstr1["totals"], name)),
        [1_530, 1_530, 4_000]
    );
    let issued: Vec<&Value> =
        rows(&gstr1).iter().filter(|row| row[0].as_str().unwrap().starts_with("DOCS")).collect();
    assert_eq!(
        (&issued[0][2], &issued[0][12], &issued[0][13]),
        (&json!("BLR1/2627-000001"), &json!("BLR1/2627-000004"), &json!(4))
    );
    assert_eq!((&issued[1][2], &issued[1][13]), (&json!("BLR1/2627C000001"), &json!(1)));
    let gstr3b = report(owner, "gstr3b").await;
    assert_eq!(cents(&gstr3b["totals"], "taxableCents"), 84_200);
    let of = |table: &str| {
        rows(&gstr3b).iter().find(|row| row[0] == table).unwrap().as_array().unwrap()[2..].to_vec()
    };
    assert_eq!(of("3.1(a)"), json!([61_200, 0, 1_530, 1_530, 0]).as_array().unwrap()[..]);
    assert_eq!((&of("3.1(c)")[0], &of("3.1(e)")[0]), (&json!(3_000), &json!(20_000)));

    let journal = owner.get("/analytics/reports/journal").await.expect(200).data();
    assert_eq!(journal["totals"]["debit"], journal["totals"]["credit"]);
    let posted = |voucher: &str, account: &str| {
        let row = rows(&journal).iter().find(|row| row[1] == voucher && row[2] == account).unwrap();
        row[3].as_i64().unwrap() - row[4].as_i64().unwrap()
    };
    assert_eq!(posted("SALES", "Sales"), -86_000);
    assert_eq!(posted("WRITE_OFFS", "Bad debt"), 17_010);
    let guests: i64 = ["SALES", "CREDIT_NOTES", "RECEIPTS", "WRITE_OFFS"]
        .map(|voucher| posted(voucher, "Guests"))
        .iter()
        .sum();
    assert_eq!(guests, 0, "nothing is open");
    let summary = owner.get("/analytics/summary").await.expect(200).json();
    assert_eq!(posted("STOCK", "Cost of goods sold"), cents(&summary["profitAndLoss"], "cogsCents"));

    let servers = owner.get("/analytics/reports/servers").await.expect(200).data();
    let served = ["ordersCount", "coversCount", "netRevenueCents", "tipCents"]
        .map(|name| cents(&servers["totals"], name));
    assert_eq!(served, [4, 2, 84_200, 500]);
    assert_eq!(cents(&report(owner, "tips").await["totals"], "owedCents"), 500);
    let corrections = owner.get("/analytics/reports/corrections").await.expect(200).data();
    let kinds: Vec<&Value> = rows(&corrections).iter().map(|row| &row[1]).collect();
    assert_eq!(kinds, ["WRITE_OFF", "CREDIT_NOTE"]);
    assert_eq!(cents(&corrections["totals"], "amountCents"), -17_010 - 1_890);
    owner.get("/analytics/reports/cmp08").await.refused(409, "CONFLICT");
    branch.sign_in(Role::Cashier).get("/analytics/reports/register").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_full_refund_takes_back_exactly_what_the_returns_had() {
    let branch = Branch::start().await;
    let house = evening(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.counter(&[("Paneer Tikka", 3), ("Bottled Water", 2)])).await;
    let cut = json!({"type": "PERCENT", "value": 13, "reason": "regular"});
    owner.post(&format!("{}/discounts", path(&order)), cut).await.expect(201);
    house.settle(owner, &order).await;
    bill(owner, &order).await;
    for part in [777, 1_003] {
        let refund = json!({"amountCents": part, "reason": "cold"});
        owner.post(&format!("{}/refunds", path(&order)), refund).await.expect(201);
        let tax = report(owner, "tax").await;
        let (hsn, gstr3b) = (report(owner, "hsn").await, report(owner, "gstr3b").await);
        let central: i64 =
            rows(&tax).iter().filter(|row| row[0] == "CGST").map(|row| row[7].as_i64().unwrap()).sum();
        assert_eq!(cents(&hsn["totals"], "cgstCents"), central);
        assert_eq!(gstr3b["totals"]["taxableCents"], hsn["totals"]["taxableCents"]);
        assert_eq!(
            gstr3b["totals"]["taxableCents"],
            report(owner, "register").await["totals"]["taxableCents"]
        );
    }
    let left = owner.get(&path(&order)).await.json();
    let rest =
        json!({"amountCents": cents(&left, "paidCents") - cents(&left, "refundedCents"), "reason": "cold"});
    owner.post(&format!("{}/refunds", path(&order)), rest).await.expect(201);
    let hsn = report(owner, "hsn").await;
    let taxed: Vec<&Value> = rows(&hsn).iter().filter(|row| row[0] == "B2C").collect();
    assert_eq!([&taxed[0][6], &taxed[1][6], &taxed[1][8]], [&json!(3_000), &json!(61_200), &json!(1_530)]);
}

#[tokio::test]
async fn the_portals_file_is_the_published_one() {
    let branch = Branch::start().await;
    let house = evening(&branch).await;
    let reply = house.owner.get("/analytics/reports/gstr1?format=portal").await.expect(200);
    assert!(reply.header("content-disposition").contains("GSTR1_29AAFCT4512Q1ZS_112026.json"));
    let example: Value = serde_json::from_str(GSTR1).unwrap();
    assert_eq!(reply.json(), example);
    let across =
        house.owner.get("/analytics/reports/gstr1?format=portal&from=2026-09-30&to=2026-10-01").await;
    assert_eq!(across.refused(400, "BAD_REQUEST").invalid_fields(), ["from"]);
    let other = house.owner.get("/analytics/reports/register?format=portal").await;
    assert_eq!(other.refused(400, "BAD_REQUEST").invalid_fields(), ["format"]);
    let outlet = format!("/outlets/{}", branch.outlet_id);
    house.owner.patch(&outlet, json!({"taxId": null})).await.expect(200);
    house.owner.get("/analytics/reports/gstr1?format=portal").await.refused(409, "CONFLICT");
}

#[tokio::test]
async fn tallys_vouchers_are_the_published_ones_and_balance() {
    let branch = Branch::start().await;
    let house = evening(&branch).await;
    let reply = house.owner.get("/analytics/reports/tally?format=portal").await.expect(200);
    assert!(reply.header("content-type").starts_with("application/xml"));
    let (before, stock) = reply.text.split_once("<TALLYMESSAGE xmlns:UDF=\"TallyUDF\">\n<VOUCHER VCHTYPE=\"Journal\" ACTION=\"Create\" OBJVIEW=\"Accounting Voucher View\">\n<DATE>20261120</DATE>\n<VOUCHERTYPENAME>Journal</VOUCHERTYPENAME>\n<VOUCHERNUMBER>STOCK-").unwrap();
    let (_, end) = stock.split_once("</TALLYMESSAGE>\n").unwrap();
    assert_eq!(
        format!("{before}{end}"),
        TALLY,
        "all but the voucher of stock, whose costs follow from recipes"
    );
    let amounts =
        reply.text.split("<AMOUNT>").skip(1).map(|rest| rest.split_once('<').unwrap().0.replace('.', ""));
    assert_eq!(amounts.map(|amount| amount.parse::<i64>().unwrap()).sum::<i64>(), 0);
}

#[tokio::test]
async fn a_tip_put_right_and_paid_out_counts_on_its_own_date() {
    let branch = Branch::start().await;
    let house = evening(&branch).await;
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let order = house.place(&owner, house.counter(&[("Lassi", 1)])).await;
    pay(&owner, &order, json!({"method": "CASH", "amountCents": 9_450, "tipCents": 1_000})).await;
    let paid = owner.get(&path(&order)).await.json();
    let correct =
        format!("{}/payments/{}/correct", path(&order), paid["payments"][0]["id"].as_str().unwrap());
    owner.post(&correct, json!({"tipCents": 100, "reason": "typed twice"})).await.expect(201);
    bill(&owner, &order).await;
    let tips = report(&owner, "tips").await;
    let amounts = ["receivedCents", "correctedCents", "owedCents"].map(|name| cents(&tips["totals"], name));
    assert_eq!(amounts, [1_000, -900, 100]);
    let journal = report(&owner, "journal").await;
    assert_eq!(journal["totals"]["debit"], journal["totals"]["credit"]);
    let both = owner.get("/analytics/reports/tips?from=2026-11-20&to=2026-11-21").await.expect(200).data();
    assert_eq!(cents(&both["totals"], "owedCents"), 600);
}

#[tokio::test]
async fn a_registered_buyer_and_an_operators_order_have_their_own_tables() {
    let branch = Branch::start().await;
    let house = evening(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.counter(&[("Dal", 1)])).await;
    let buyer = json!({"customerTaxId": "27AAPFU0939F1ZV", "customerLegalName": "Acme Ltd"});
    owner.post(&format!("{}/invoice", path(&order)), buyer).await.expect(201);
    let note = json!({"reason": "OVERCHARGED", "amountCents": 1_890});
    owner.post(&format!("{}/credit-note", path(&order)), note).await.expect(201);
    let channel = json!({"name": "Swiggy", "kind": "AGGREGATOR", "taxedBy": "OPERATOR", "operatorTaxId": "29AABCT1332L1ZA"});
    let channel = owner.post("/channels", channel).await;
    let file = owner.get("/analytics/reports/gstr1?format=portal").await.expect(200).json();
    let buyer = &file["b2b"][0];
    assert_eq!(
        (&buyer["ctin"], &buyer["inv"][0]),
        (
            &json!("27AAPFU0939F1ZV"),
            &json!({
                "inum": "BLR1/2627-000005", "idt": "20-11-2026", "val": 189, "pos": "29", "rchrg": "N", "inv_typ": "R",
                "itms": [{"num": 501, "itm_det": {"txval": 180, "rt": 5, "iamt": 0, "camt": 4.5, "samt": 4.5, "csamt": 0}}],
            })
        )
    );
    assert_eq!(
        file["cdnr"][0]["nt"][0],
        json!({
            "ntty": "C", "nt_num": "BLR1/2627C000002", "nt_dt": "20-11-2026", "val": 18.9, "pos": "29", "rchrg": "N", "inv_typ": "R",
            "itms": [{"num": 501, "itm_det": {"txval": 18, "rt": 5, "iamt": 0, "camt": 0.45, "samt": 0.45, "csamt": 0}}],
        })
    );
    assert_eq!((&file["hsn"]["hsn_b2b"][0]["txval"], &file["b2cs"][0]["txval"]), (&json!(162), &json!(612)));
    let register = report(owner, "register").await;
    assert_eq!(
        cents(&report(owner, "gstr1").await["totals"], "taxableCents"),
        cents(&register["totals"], "taxableCents")
    );

    let channel = channel.expect(201).data();
    let mut order = house.counter(&[("Dal", 1)]);
    order["orderType"] = json!("DELIVERY");
    order["channelId"] = channel["id"].clone();
    let order = house.place(owner, order).await;
    pay(owner, &order, json!({"method": "UPI", "amountCents": 18_000, "reference": "412345678902"})).await;
    for status in ["ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED", "COMPLETED"] {
        owner.patch(&format!("{}/status", path(&order)), json!({"status": status})).await;
    }
    let slips = owner.get("/analytics/reports/slips").await.expect(200).data();
    assert_eq!(cents(&slips["totals"], "totalCents"), 18_000, "{slips}");
    let file = owner.get("/analytics/reports/gstr1?format=portal").await.expect(200).json();
    let operator = json!({"etin": channel["operatorTaxId"], "suppval": 180, "igst": 0, "cgst": 0, "sgst": 0, "cess": 0, "flag": "N"});
    assert_eq!(file["supeco"]["paytx"], json!([operator]));
    let gstr3b = report(owner, "gstr3b").await;
    assert_eq!(rows(&gstr3b)[6][2], 18_000);
    let journal = report(owner, "journal").await;
    assert_eq!(journal["totals"]["debit"], journal["totals"]["credit"]);
    assert!(rows(&journal).iter().any(|row| row[2] == "Sales through operators" && row[4] == 18_000));
}
