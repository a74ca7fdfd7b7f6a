//! `/r/{receiptCode}`: the bill on the phone of the guest who has it, and the code that leads there.

use crate::pictures::codes;
use crate::printers::{add, press};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use edge::access::Role;
use edge::resources::printers::worker::{Step, step};
use reqwest::Response;
use serde_json::{Value, json};
use tiffin_tests::printer::Printer;
use tiffin_tests::{Branch, House};

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

/// What is below the address of the branch itself, for a phone in `language`.
async fn phone(branch: &Branch, path: &str, language: &str) -> Response {
    let ask = reqwest::Client::new().get(format!("{}{path}", branch.base()));
    ask.header("accept-language", language).send().await.unwrap()
}

async fn json_of(house: &House, order: &Value) -> Value {
    house.owner.get(&format!("{}/receipt?format=json", path(order))).await.expect(200).data()
}

fn qr(page: &Value) -> Option<&str> {
    let rows = page["rows"].as_array().unwrap();
    rows.iter().find(|row| row["kind"] == "QR").map(|row| row["text"].as_str().unwrap())
}

/// What a camera reads off a picture in an answer.
fn scanned(picture: &Value) -> String {
    let bytes = STANDARD.decode(picture.as_str().unwrap()).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut dots = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut dots).unwrap();
    let (across, down) = (info.width as usize, info.height as usize);
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(across, down, |x, y| dots[y * across + x]);
    let found = image.detect_grids();
    assert_eq!(found.len(), 1);
    found[0].decode().unwrap().1
}

/// The codes on the next paper that comes out.
async fn printed(branch: &Branch, printer: &Printer) -> Vec<String> {
    assert_eq!(step(&branch.db, &printer.address, &press(branch)).await.unwrap(), Step::Done);
    codes(&printer.pages()[0], 576)
}

#[tokio::test]
async fn a_guest_scans_the_receipt_and_has_the_bill_in_the_language_of_the_phone() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    add(&house.owner, &printer, json!({"autoPrint": "NEVER"})).await;
    let mut order = house.at_table(3, &[("Dal", 2)]);
    order["customerName"] = json!("<Asha>");
    let order = house.place(&branch.sign_in(Role::Waiter), order).await;
    let code = order["receiptCode"].as_str().unwrap();
    let shown = json_of(&house, &order).await;
    let url = format!("{}/r/{code}", branch.state().public_url.0);
    assert_eq!((&shown["guestUrl"], qr(&shown)), (&json!(url), Some(url.as_str())));
    house.owner.post(&format!("{}/receipt/print", path(&order)), json!({})).await.expect(201);
    assert_eq!(printed(&branch, &printer).await, [url]);

    // Before it is paid the phone shows what is to be paid, afterwards the bill.
    let page = format!("/r/{code}");
    assert!(phone(&branch, &page, "en").await.text().await.unwrap().contains("PREVIEW - NOT A TAX INVOICE"));
    house.settle(&house.owner, &order).await;
    let answer = phone(&branch, &page, "fr, hi-IN;q=0.8").await;
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    let policy = header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(
        (header("cache-control"), header("referrer-policy")),
        ("no-store".into(), "no-referrer".into())
    );
    let html = answer.text().await.unwrap();
    for part in ["टैक्स इनवॉइस", "BLR1/2627-000001", "378.00", "lang=\"hi\"", "&lt;Asha&gt;"]
    {
        assert!(html.contains(part), "{part} is not on\n{html}");
    }
    assert!(!html.contains("<script") && !html.contains("<svg") && !html.contains("WAITER"), "{html}");
    let arabic = phone(&branch, &format!("{page}?lang=ar"), "hi").await.text().await.unwrap();
    assert!(arabic.contains("dir=\"rtl\"") && arabic.contains("فاتورة ضريبية"), "{arabic}");
    let typed = code.to_lowercase();
    assert_eq!(phone(&branch, &format!("/r/{typed}"), "en").await.status(), 200);
    let none = phone(&branch, "/r/ZZZZZZZZ", "ta").await;
    assert_eq!(none.status(), 404);
    assert!(none.text().await.unwrap().contains("பில் இல்லை"));
}

#[tokio::test]
async fn the_house_says_which_code_is_on_its_receipts_and_what_was_called_off_is_nobodys_bill() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    assert_eq!(house.owner.get("/print-layout").await.expect(200).data()["guestCode"], true);
    let layout = async |layout: Value| {
        house.owner.patch("/print-layout", layout).await.expect(200);
        json_of(&house, &order).await
    };
    let without = layout(json!({"guestCode": false})).await;
    assert_eq!(qr(&without), None);
    assert!(without["guestUrl"].is_string(), "a screen can show it all the same");
    house.settle(&house.owner, &order).await;
    let bill = layout(json!({"guestCode": true, "billCode": true})).await;
    assert!(qr(&bill).unwrap().starts_with("BLR1/2627-000001 "), "{bill}");
    let left = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    house.owner.patch(&format!("{}/status", path(&left)), cancel).await.expect(200);
    let page = format!("/r/{}", left["receiptCode"].as_str().unwrap());
    assert_eq!(phone(&branch, &page, "en").await.status(), 404);
}

#[tokio::test]
async fn a_till_shows_the_codes_of_a_receipt_as_pictures_that_a_phone_can_scan() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    house.owner.patch("/print-layout", json!({"billCode": true})).await.expect(200);
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let preview = json_of(&house, &order).await;
    assert_eq!(scanned(&preview["guestCode"]), preview["guestUrl"].as_str().unwrap());
    house.settle(&house.owner, &order).await;
    let bill = json_of(&house, &order).await;
    let rows = bill["rows"].as_array().unwrap();
    let drawn: Vec<&Value> = rows.iter().filter(|row| row["kind"] == "QR").collect();
    assert!(!drawn.is_empty() && qr(&bill).unwrap().starts_with("BLR1/2627-000001 "), "{bill}");
    for row in drawn {
        assert_eq!(scanned(&row["picture"]), row["text"].as_str().unwrap());
    }
    assert!(rows.iter().all(|row| (row["kind"] == "QR") == row["picture"].is_string()));
    // A credit note has no page for the guest's phone, and its code is a picture all the same.
    let back = json!({"amountCents": 1_000, "reason": "cold"});
    let back = house.owner.post(&format!("{}/refunds", path(&order)), back).await.expect(201).data();
    let note = format!("/orders/invoices/{}/receipt?format=json", back["id"].as_str().unwrap());
    let note = house.owner.get(&note).await.expect(200).data();
    assert_eq!((&note["guestUrl"], &note["guestCode"]), (&Value::Null, &Value::Null));
    let code = note["rows"].as_array().unwrap().iter().find(|row| row["kind"] == "QR").unwrap();
    assert!(scanned(&code["picture"]).starts_with("BLR1/2627C000001"), "{code}");
}

#[tokio::test]
async fn who_guesses_codes_is_slowed_down() {
    let branch = Branch::with([("limit-qr-menu", "5/60")]).await;
    for _ in 0..5 {
        assert_eq!(phone(&branch, "/r/AAAAAAAA", "en").await.status(), 404);
    }
    assert_eq!(phone(&branch, "/r/AAAAAAAB", "en").await.status(), 429);
}
