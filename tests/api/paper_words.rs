//! The words of paper: on paper in another language no English word of ours is left. Names, codes, currencies, and the names of taxes and of
//! their numbers stay as they are.

use crate::printers::{add, id};
use edge::access::Role;
use edge::db::list;
use edge::paper::{Row, in_language, text};
use serde_json::{Value, json};
use tiffin_tests::printer::Printer;
use tiffin_tests::{Branch, Client, House, UNKNOWN};

/// What is no word of ours: the house and its people, what the law names, the currency.
const KEPT: [&str; 12] =
    ["Outlet", "OWNER", "Hot", "WAITER", "MAIN", "INR", "CGST", "SGST", "GSTIN", "FSSAI", "HSN", "UPI"];

/// What the law wants word by word.
const LEGEND: &str = "composition taxable person, not eligible to collect tax on supplies";

/// The English words on a paper that are none of those.
fn left_over(paper: &str) -> Vec<String> {
    let code = in_language(vec![Row::Pair("Receipt code".into(), String::new())], Some("hi"));
    let code = text(&code);
    let lines = paper.lines().filter(|line| !line.contains(code.trim()));
    let joined = lines.collect::<Vec<_>>().join(" ");
    let plain = joined.split_whitespace().collect::<Vec<_>>().join(" ").replace(LEGEND, "");
    // Numbers may have letters.
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| word.len() > 1 && !word.contains(|c: char| c.is_ascii_digit()));
    words.filter(|word| !KEPT.contains(word)).map(str::to_owned).collect()
}

/// All that waits for printers, as it will be printed in Hindi.
async fn queued(branch: &Branch) -> Vec<String> {
    let sql = "SELECT document FROM print_jobs ORDER BY created_at, id";
    let kept: Vec<String> = branch.db.read(move |conn| list(conn, sql, [], |row| row.get(0))).await.unwrap();
    let hindi = |rows: &String| text(&in_language(serde_json::from_str(rows).unwrap(), Some("hi")));
    kept.iter().map(hindi).collect()
}

async fn change(house: &House, branch: &Branch, settings: Value) {
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), settings).await.expect(200);
}

async fn hindi(client: &Client, path: &str) -> String {
    client.get(&format!("{path}?format=text&lang=hi")).await.expect(200).text
}

/// A house whose dishes, table and address are in Hindi.
async fn open(branch: &Branch) -> House {
    let house = House::open(branch).await;
    for (dish, name) in [("Dal", "दाल"), ("Lassi", "लस्सी")] {
        let more = json!({"name": name, "allergens": ["MILK", "nuts"]});
        house.owner.patch(&format!("/menu/items/{}", house.dish(dish)), more).await.expect(200);
    }
    for (number, name) in [(3, "३"), (4, "४")] {
        house
            .owner
            .patch(&format!("/tables/{}", house.table(number)), json!({"number": name}))
            .await
            .expect(200);
    }
    let address = json!({"address": "१ एमजी रोड", "phone": "080 4000 1000", "taxId": "29AAGCB7383J1Z4", "licenceNumber": "11223344556677"});
    change(&house, branch, address).await;
    house
}

#[tokio::test]
async fn no_english_word_of_ours_is_left_on_a_hindi_bill() {
    let branch = Branch::start().await;
    let house = open(&branch).await;
    let owner = &house.owner;
    let path = |order: &Value| format!("/orders/{}", id(order));
    let mut papers = Vec::new();
    let mut order = house.at_table(3, &[("Dal", 2), ("Lassi", 1)]);
    (order["tableNumber"], order["customerName"]) = (json!("३"), json!("आशा"));
    let order = house.place(owner, order).await;
    let off = json!({"type": "FIXED", "value": 1_000, "reason": "x"});
    owner.post(&format!("{}/discounts", path(&order)), off).await.expect(201);
    papers.push(hindi(owner, &format!("{}/receipt", path(&order))).await);
    let buyer =
        json!({"customerTaxId": "27AAPFU0939F1ZV", "customerLegalName": "फाल्कन", "customerAddress": "मुंबई"});
    owner.post(&format!("{}/invoice", path(&order)), buyer).await.expect(201);
    let less = json!({"amountCents": 5_000, "reason": "OVERCHARGED"});
    let less = owner.post(&format!("{}/credit-note", path(&order)), less).await.expect(201).data();
    let due = owner.get(&path(&order)).await.expect(200).json()["dueCents"].as_i64().unwrap();
    let cash = json!({"method": "CASH", "amountCents": due, "tipCents": 100, "tenderedCents": due + 500});
    owner.post(&format!("{}/payments", path(&order)), cash).await.expect(201);
    let back = json!({"amountCents": 2_000, "reason": "ठंडा"});
    let back = owner.post(&format!("{}/refunds", path(&order)), back).await.expect(201).data();
    papers.push(hindi(owner, &format!("{}/receipt", path(&order))).await);
    for credit in [&less, &back] {
        papers.push(hindi(owner, &format!("/orders/invoices/{}/receipt", id(credit))).await);
    }
    change(&house, &branch, json!({"pricesIncludeTax": true})).await;
    let inside = house.place(owner, house.counter(&[("Dal", 1)])).await;
    house.settle(owner, &inside).await;
    papers.push(hindi(owner, &format!("{}/receipt", path(&inside))).await);
    change(&house, &branch, json!({"taxScheme": "COMPOSITION"})).await;
    let supply = house.place(owner, house.counter(&[("Dal", 1)])).await;
    papers.push(hindi(owner, &format!("{}/receipt", path(&supply))).await);
    house.settle(owner, &supply).await;
    papers.push(hindi(owner, &format!("{}/receipt", path(&supply))).await);
    for (paper, said) in papers.iter().zip([
        "पूर्वावलोकन - टैक्स इनवॉइस नहीं",
        "टैक्स इनवॉइस",
        "क्रेडिट नोट",
        "क्रेडिट नोट",
        "टैक्स इनवॉइस",
        "पूर्वावलोकन",
        "बिल ऑफ़ सप्लाई",
    ]) {
        assert!(paper.contains(said), "{said} is not on\n{paper}");
        assert_eq!(left_over(paper), Vec::<String>::new(), "{paper}");
    }
}

#[tokio::test]
async fn no_english_word_of_ours_is_left_on_a_hindi_ticket_slip_or_report() {
    let branch = Branch::start().await;
    let house = open(&branch).await;
    let owner = &house.owner;
    let printer = Printer::start().await;
    let hot = house.station("Hot");
    let made = add(
        owner,
        &printer,
        json!({"roles": ["RECEIPT", "KITCHEN", "REPORT"], "stationIds": [hot], "autoPrint": "NEVER"}),
    )
    .await;
    owner.patch(&format!("/kitchen/stations/{hot}"), json!({"printTickets": true})).await.expect(200);
    let cook = branch.sign_in(Role::Kitchen);
    let waiter = branch.sign_in(Role::Waiter);
    let mut order = house.at_table(3, &[("Dal", 4)]);
    order["tableNumber"] = json!("३");
    order["items"][0]["seatNumber"] = json!(2);
    order["guestCount"] = json!(2);
    let order = house.place(&waiter, order).await;
    let path = format!("/orders/{}", id(&order));
    let ticket = cook.get("/kitchen/tickets").await.expect(200).data()[0].clone();
    cook.post(&format!("/kitchen/tickets/{}/ack", id(&ticket)), json!({})).await.expect(200);
    let line = format!("{path}/items/{}", id(&order["items"][0]));
    owner.patch(&line, json!({"quantity": 3, "reason": "कम"})).await.expect(200);
    owner.post(&format!("{line}/void"), json!({"quantity": 1, "reason": "जला"})).await.expect(200);
    for change in [
        json!({"tableId": house.table(4)}),
        json!({"orderType": "TAKEAWAY", "customerName": "आशा"}),
        json!({"notes": "तीखा"}),
    ] {
        owner.patch(&path, change).await.expect(200);
    }
    cook.post(&format!("/kitchen/tickets/{}/reprint", id(&ticket)), json!({})).await.expect(201);
    owner.patch(&format!("{path}/status"), json!({"status": "CANCELLED", "reason": "गए"})).await.expect(200);
    let tickets = queued(&branch).await;
    assert_eq!(tickets.len(), 9, "{tickets:#?}");

    let channel = json!({"name": "स्विगी", "kind": "AGGREGATOR", "taxedBy": "OPERATOR", "operatorTaxId": "29AAGCB7383J1Z4"});
    let channel = owner.post("/channels", channel).await.expect(201).data();
    let mut order = house.counter(&[("Dal", 1)]);
    (order["orderType"], order["channelId"], order["externalId"]) =
        (json!("DELIVERY"), channel["id"].clone(), json!("1"));
    let slip = house.place(owner, order).await;
    owner.post(&format!("/orders/{}/receipt/print", id(&slip)), json!({})).await.expect(201);
    owner.post("/cash-sessions", json!({"openingFloatCents": 1_000})).await.expect(201);
    let sold = house.place(owner, house.counter(&[("Lassi", 1)])).await;
    house.settle(owner, &sold).await;
    owner.post("/day-close/2026-11-20/print", json!({"printerId": made["id"]})).await.expect(201);
    for paper in queued(&branch).await {
        assert_eq!(left_over(&paper), Vec::<String>::new(), "{paper}");
    }
}

#[tokio::test]
async fn nobodys_invoice_is_no_paper() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    owner.get(&format!("/orders/invoices/{UNKNOWN}/receipt")).await.refused(404, "NOT_FOUND");
    owner.post(&format!("/orders/invoices/{UNKNOWN}/print"), json!({})).await.refused(404, "NOT_FOUND");
}
