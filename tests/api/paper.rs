//! What stands on paper, in which language, and which paper comes by itself: tickets, receipts for printers and screens, reports.

use crate::printers::{add, id, jobs, press, print_all};
use edge::access::Role;
use edge::resources::printers::worker::step;
use serde_json::{Value, json};
use tiffin_tests::printer::{Page, Printer};
use tiffin_tests::{Branch, Client, House};

/// A printer for the tickets of the station Hot, in `language`.
async fn hot_printer(house: &House, language: Value) -> Printer {
    let printer = Printer::start().await;
    let hot = house.station("Hot");
    let more = json!({"name": "Hot", "roles": ["KITCHEN"], "stationIds": [hot], "language": language});
    add(&house.owner, &printer, more).await;
    house.owner.patch(&format!("/kitchen/stations/{hot}"), json!({"printTickets": true})).await.expect(200);
    printer
}

async fn ticket_text(branch: &Branch, printer: &Printer) -> String {
    print_all(branch, printer).await;
    printer.pages().remove(0).text()
}

/// The lines of pages that `set` answers.
fn printer_lines(pages: &[Page], set: impl Fn(&Page) -> String) -> Vec<String> {
    pages.iter().flat_map(|page| set(page).lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[tokio::test]
async fn a_ticket_says_who_eats_who_serves_what_is_in_it_and_what_must_not_be_missed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = hot_printer(&house, Value::Null).await;
    let dal = house.dish("Dal");
    house
        .owner
        .patch(&format!("/menu/items/{dal}"), json!({"allergens": ["MILK", "MUSTARD"]}))
        .await
        .expect(200);
    let waiter = branch.sign_in(Role::Waiter);
    let mut order = house.at_table(3, &[("Dal", 2), ("Kulfi", 1)]);
    order["guestCount"] = json!(4);
    order["items"][0]["notes"] = json!("no chilli");
    order["items"][0]["seatNumber"] = json!(2);
    let placed = house.place(&waiter, order).await;
    let server = placed["server"]["name"].as_str().unwrap();
    print_all(&branch, &printer).await;
    let pages = printer.pages();
    let text: String = pages.iter().map(|page| page.text()).collect();
    let row = |left: &str, right: &str| {
        text.lines().any(|line| line.trim_start().starts_with(left) && line.ends_with(right))
    };
    assert!(text.contains("2 x Dal") && text.contains(" no chilli"), "{text}");
    for (left, right) in [
        ("Guests", "4"),
        ("Server", server),
        ("Seat", "2"),
        ("Allergens", "MILK, MUSTARD"),
        ("Course", "1"),
        ("Course", "3"),
    ] {
        assert!(row(left, right), "{left} {right} is not on\n{text}");
    }
    // No allergens of a dish that has none. The note alone is white on black; what is read from afar, and what must not be eaten, is bold.
    assert_eq!(text.matches("Allergens").count(), 1);
    assert_eq!(printer_lines(&pages, Page::reversed), ["no chilli"]);
    let bold = printer_lines(&pages, Page::bold);
    for part in ["#1 Hot", "Table T3", "2 x Dal", "1 x Kulfi"] {
        assert!(bold.iter().any(|line| line == part), "{part} is not bold on\n{text}");
    }
    assert!(
        bold.iter().any(|line| line.starts_with("Allergens"))
            && !bold.iter().any(|line| line.contains("Server"))
    );
    // For later, and to take away: whose it is and when.
    let mut order = house.counter(&[("Dal", 1)]);
    order["orderType"] = json!("TAKEAWAY");
    order["customerName"] = json!("Asha");
    order["scheduledFor"] = json!("2026-11-20T12:35:00.000Z");
    house.place(&waiter, order).await;
    let text = ticket_text(&branch, &printer).await;
    for part in ["TAKEAWAY", "Asha", "Wanted at", "18:05"] {
        assert!(text.contains(part), "{part} is not on\n{text}");
    }
}

#[tokio::test]
async fn a_ticket_names_the_size_of_a_dish_and_its_options() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = hot_printer(&house, Value::Null).await;
    let path = format!("/menu/items/{}", house.dish("Paneer Tikka"));
    let sizes = json!({"stationId": house.station("Hot"), "variants": [
        {"name": "Half", "priceCents": 20_000}, {"name": "Full", "priceCents": 32_000, "isDefault": true}]});
    let dish = house.owner.patch(&path, sizes).await.expect(200).data();
    let mut order = house.counter(&[]);
    order["items"] = json!([{"menuItemId": dish["id"], "variantId": dish["variants"][0]["id"], "quantity": 3,
        "unitPriceCents": 20_000, "modifiers": [{"optionId": house.option("Extra paneer")}, {"name": "well done"}]}]);
    house.place(&house.owner, order).await;
    let text = ticket_text(&branch, &printer).await;
    for line in ["3 x Paneer Tikka (Half)", "   + Extra paneer", "   + well done"] {
        // What is large may go on in the next line.
        let joined = text.lines().collect::<Vec<_>>();
        let there = joined.contains(&line) || joined.join(" ").contains(line);
        assert!(there, "{line} is not on\n{text}");
    }
}

#[tokio::test]
async fn a_ticket_is_worth_paper_for_fifteen_minutes_a_receipt_for_five_or_as_long_as_its_printer_says() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = hot_printer(&house, Value::Null).await;
    let made = house.owner.get("/printers").await.expect(200).data()[0].clone();
    let order = house.place(&house.owner, house.counter(&[("Lassi", 1)])).await;
    let receipt = format!("/orders/{}/receipt/print", id(&order));
    let own = json!({"printerId": made["id"]});
    for (is_ticket, minutes) in [(true, 15), (false, 5), (true, 2), (false, 2)] {
        let expires = if minutes == 2 { json!(2) } else { Value::Null };
        let path = format!("/printers/{}", id(&made));
        house.owner.patch(&path, json!({"expiresMinutes": expires})).await.expect(200);
        for (waits, comes) in [(minutes * 60_000 - 1, true), (minutes * 60_000, false)] {
            match is_ticket {
                true => drop(house.place(&house.owner, house.counter(&[("Dal", 1)])).await),
                false => drop(house.owner.post(&receipt, own.clone()).await.expect(201)),
            }
            branch.pass(waits);
            step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
            let job = jobs(&house.owner, "").await.remove(0);
            let status = if comes { "DONE" } else { "EXPIRED" };
            assert_eq!(
                (&job["status"], printer.pages().len()),
                (&json!(status), usize::from(comes)),
                "{job}"
            );
        }
    }
}

#[tokio::test]
async fn a_printer_without_a_knife_is_not_told_to_cut() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let made = add(&house.owner, &printer, json!({"cutter": false})).await;
    let before = printer.cuts();
    house.owner.post(&format!("/printers/{}/test", id(&made)), json!({})).await.expect(201);
    print_all(&branch, &printer).await;
    assert_eq!((printer.cuts(), printer.pages().len()), (before, 0));
    assert!(printer.everything().contains("Crème brûlée"));
}

#[tokio::test]
async fn a_station_that_works_from_paper_gets_it_on_paper_when_what_it_cooks_comes_off() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = hot_printer(&house, Value::Null).await;
    let cook = branch.sign_in(Role::Kitchen);
    let order = house.place(&house.owner, house.at_table(3, &[("Dal", 3)])).await;
    print_all(&branch, &printer).await;
    let ticket = cook.get("/kitchen/tickets").await.expect(200).data()[0].clone();
    cook.post(&format!("/kitchen/tickets/{}/start", id(&ticket)), json!({})).await.expect(200);
    let void = json!({"quantity": 1, "reason": "burnt", "wasMade": true});
    let line = format!("/orders/{}/items/{}", id(&order), id(&order["items"][0]));
    house.owner.post(&format!("{line}/void"), void).await.expect(200);
    let cancel = json!({"status": "CANCELLED", "reason": "they left"});
    house.owner.patch(&format!("/orders/{}/status", id(&order)), cancel).await.expect(200);
    print_all(&branch, &printer).await;
    let texts: Vec<String> = printer.pages().iter().map(|page| page.text()).collect();
    for (text, parts) in texts[1..].iter().zip([["-1 x Dal", "burnt"], ["-2 x Dal", "Order cancelled"]]) {
        assert!(text.contains("CANCELLATION"), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    assert_eq!(texts.len(), 3, "{texts:?}");
}

#[tokio::test]
async fn the_words_of_a_ticket_are_in_the_language_of_its_station_or_printer() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = hot_printer(&house, json!("hi-IN")).await;
    house.place(&house.owner, house.at_table(3, &[("Dal", 2)])).await;
    let text = ticket_text(&branch, &printer).await;
    // Which no code page has: table, course and server are drawn. The dish stays as it is called.
    assert!(!text.contains("Table") && !text.contains("Server") && text.contains("[drawn]"), "{text}");
    assert!(text.contains("2 x Dal") && text.contains("#1 Hot"), "{text}");
    // The station's own goes before its printer's.
    let hot = format!("/kitchen/stations/{}", house.station("Hot"));
    let refused =
        house.owner.patch(&hot, json!({"language": "n o"})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["language"]);
    let changed = house.owner.patch(&hot, json!({"language": "EN"})).await.expect(200).data();
    assert_eq!(changed["language"], "en");
    house.place(&house.owner, house.at_table(4, &[("Dal", 1)])).await;
    let text = ticket_text(&branch, &printer).await;
    assert!(text.contains("Table T4") && !text.contains("[drawn]"), "{text}");
}

async fn pay(client: &Client, order: &Value, cents: i64) {
    let body = json!({"method": "CARD", "amountCents": cents});
    client.post(&format!("/orders/{}/payments", id(order)), body).await.expect(201);
}

#[tokio::test]
async fn receipts_print_by_themselves_when_the_printer_says_so_and_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let made = add(&house.owner, &printer, json!({"autoPrint": "INVOICE"})).await;
    let cashier = branch.sign_in(Role::Cashier);
    let printed = async |order: &Value| {
        print_all(&branch, &printer).await;
        let pages = printer.pages();
        let of = jobs(&cashier, &format!("&orderId={}", id(order))).await;
        assert_eq!(pages.len(), of.iter().filter(|job| job["kind"] == "RECEIPT").count().min(pages.len()));
        pages.len()
    };
    // With the bill, however it comes to be: the guest asks for it, or all is paid at once.
    let first = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    let path = format!("/orders/{}/invoice", id(&first));
    cashier.post(&path, json!({})).await;
    assert_eq!(printed(&first).await, 1);
    cashier.post(&path, json!({})).await;
    pay(&cashier, &first, 18_900).await;
    assert_eq!(printed(&first).await, 0);
    let second = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    pay(&cashier, &second, 10_000).await;
    assert_eq!(printed(&second).await, 0);
    pay(&cashier, &second, 8_900).await;
    assert_eq!(printed(&second).await, 1);
    // Never, unless somebody asks.
    let printer_path = format!("/printers/{}", id(&made));
    house.owner.patch(&printer_path, json!({"autoPrint": "NEVER"})).await.expect(200);
    let third = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    cashier.post(&format!("/orders/{}/invoice", id(&third)), json!({})).await;
    pay(&cashier, &third, 18_900).await;
    assert_eq!(printed(&third).await, 0);
    // With what settles it.
    house.owner.patch(&printer_path, json!({"autoPrint": "PAYMENT"})).await.expect(200);
    let fourth = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    cashier.post(&format!("/orders/{}/invoice", id(&fourth)), json!({})).await;
    assert_eq!(printed(&fourth).await, 0);
    pay(&cashier, &fourth, 18_900).await;
    assert_eq!(printed(&fourth).await, 1);
}

#[tokio::test]
async fn a_screen_gets_the_rows_of_a_receipt_and_the_page_has_a_style_that_the_strictest_policy_lets_through()
{
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let layout = json!({"footers": {"ta": "மீண்டும் வருக", "en": "Come again"}, "billCode": true});
    house.owner.patch("/print-layout", layout).await.expect(200);
    let order = house.place(&house.owner, house.counter(&[("Dal", 2)])).await;
    house.settle(&house.owner, &order).await;
    house.owner.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await;
    let path = format!("/orders/{}/receipt", id(&order));
    let page = house.owner.get(&format!("{path}?format=json")).await.expect(200).data();
    assert_eq!((&page["title"], &page["rightToLeft"]), (&json!("BLR1/2627-000001"), &json!(false)));
    let rows = page["rows"].as_array().unwrap();
    let find = |kind: &str| rows.iter().find(|row| row["kind"] == kind).cloned().unwrap();
    assert_eq!(find("TITLE")["text"], "Outlet BLR1");
    assert_eq!(
        find("STRONG"),
        json!({"kind": "STRONG", "text": "TOTAL INR", "right": "378.00", "picture": null})
    );
    assert_eq!(find("RULE"), json!({"kind": "RULE", "text": null, "right": null, "picture": null}));
    assert!(find("QR")["text"].as_str().unwrap().contains("BLR1/2627-000001"));
    let says = |rows: &Value, text: &str| rows.as_array().unwrap().iter().any(|row| row["text"] == text);
    assert!(says(&page["rows"], "Come again"));
    let tamil = house.owner.get(&format!("{path}?format=json&lang=ta")).await.expect(200).data();
    assert!(
        says(&tamil["rows"], "மீண்டும் வருக")
            && says(&tamil["rows"], "மொத்தம் INR")
            && says(&tamil["rows"], "Dal")
    );
    let arabic = house.owner.get(&format!("{path}?format=json&lang=ar")).await.expect(200).data();
    assert_eq!(arabic["rightToLeft"], true);
    house.owner.get(&format!("{path}?lang=x")).await.refused(400, "BAD_REQUEST");
    let html = house.owner.get(&format!("{path}?lang=hi")).await.expect(200);
    let policy = html.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(html.text.contains("कुल INR") && html.text.contains("<svg") && !html.text.contains("style="));
}

#[tokio::test]
async fn a_z_report_comes_once_as_itself_and_then_as_copies() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    add(&house.owner, &printer, json!({"roles": ["REPORT"]})).await;
    let close = json!({"businessDate": "2026-11-20", "carryOver": true, "early": true});
    house.owner.post("/day-close", close).await.expect(201);
    for copy in 0..3 {
        let job = house.owner.post("/day-close/2026-11-20/print", json!({})).await.expect(201).data();
        assert_eq!((&job["copyNumber"], &job["kind"]), (&json!(copy), &json!("REPORT")));
        print_all(&branch, &printer).await;
        let text = printer.pages().remove(0).text();
        assert_eq!(text.starts_with(&format!("COPY {copy}\n")), copy > 0, "{text}");
        assert!(text.contains("Z REPORT 1"), "{text}");
    }
}

#[tokio::test]
async fn one_printer_has_one_queue_however_its_address_is_written() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let make = async |name: &str, address: &str| {
        house.owner.post("/printers", json!({"name": name, "address": address})).await
    };
    let made = make("Bar", "10.0.0.9").await.expect(201).data();
    assert_eq!(made["address"], "10.0.0.9:9100");
    let again = make("Bar again", "10.0.0.9:9100").await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(again.invalid_fields(), ["address"]);
    let bar = house.station("Bar");
    let own = json!({"printerAddress": "10.0.0.9", "printTickets": true});
    house.owner.patch(&format!("/kitchen/stations/{bar}"), own).await.expect(200);
    house.place(&house.owner, house.counter(&[("Lassi", 1)])).await;
    let job = jobs(&house.owner, "").await.remove(0);
    assert_eq!((&job["printerId"], &job["printerAddress"]), (&made["id"], &json!("10.0.0.9:9100")));
    // A printer for which nothing has waited yet is one of the house, too.
    make("Office", "10.0.0.10").await.expect(201);
    let status = house.owner.get("/status").await.expect(200).data();
    let names: Vec<&str> = status["printers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|printer| printer["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Bar", "Office"]);
}
