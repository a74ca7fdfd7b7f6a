//! Receipts, tickets and reports as pictures, in four languages and on both papers: as files for a person to look at, in `paper` below
//! cargo's target folder, and in figures that do not depend on which version of a font is there.
//!
//! `cargo nextest run -p tiffin-tests --test api pictures` writes them.

use crate::printers::{add, id, print_all};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use edge::access::Role;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tiffin_tests::printer::{Page, Printer};
use tiffin_tests::{Branch, House};

/// A house's language: its code, two dishes, a note, an option, head and foot.
struct Tongue {
    code: &'static str,
    dishes: [&'static str; 2],
    note: &'static str,
    option: &'static str,
    head: &'static str,
    foot: &'static str,
}

const TONGUES: [Tongue; 4] = [
    Tongue {
        code: "en",
        dishes: ["Crème Brûlée", "Paneer Butter Masala with Extra Butter and Garlic Naan"],
        note: "no onion, please",
        option: "Jalapeño",
        head: "Since 1952",
        foot: "₹ 50 off your next café visit",
    },
    Tongue {
        code: "hi",
        dishes: ["दाल मखनी", "पनीर बटर मसाला, अतिरिक्त मक्खन और लहसुन नान के साथ"],
        note: "बिना प्याज, कम मिर्च",
        option: "अतिरिक्त पनीर",
        head: "1952 से आपकी सेवा में",
        foot: "अगली बार ₹ 50 की छूट",
    },
    Tongue {
        code: "ta",
        dishes: ["இட்லி சாம்பார்", "மசாலா தோசை, கூடுதல் வெண்ணெய் மற்றும் தேங்காய் சட்னியுடன்"],
        note: "வெங்காயம் வேண்டாம்",
        option: "கூடுதல் நெய்",
        head: "1952 முதல்",
        foot: "அடுத்த முறை ₹ 50 தள்ளுபடி",
    },
    Tongue {
        code: "ar",
        dishes: ["مندي دجاج", "كبسة لحم مع صلصة الطماطم الحارة والخبز الطازج"],
        note: "بدون بصل من فضلك",
        option: "جبنة إضافية",
        head: "منذ عام 1952",
        foot: "خصم ₹ 50 في زيارتكم القادمة",
    },
];

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paper");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A disc, as a house's sign.
fn logo() -> String {
    let side: u32 = 96;
    let dot = |n: u32| {
        let (x, y) = (i64::from(n % side) - 48, i64::from(n / side) - 48);
        let distance = x * x + y * y;
        if distance < 2_200 && !(700..1_100).contains(&distance) { 0 } else { 255 }
    };
    let dots: Vec<u8> = (0..side * side).map(dot).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&dots).unwrap();
    STANDARD.encode(bytes)
}

/// A house that speaks `tongue`, with its two dishes.
async fn open(branch: &Branch, tongue: &Tongue) -> (House, Vec<Value>) {
    let house = House::open(branch).await;
    let tree = house.owner.get("/menu").await.expect(200).data();
    let category = tree["categories"][0]["id"].clone();
    let tax = tree["categories"][0]["items"].as_array().unwrap();
    let tax = tax.iter().find(|item| item["name"] == "Dal").unwrap()["taxCategoryId"].clone();
    let option = json!({"name": "Extras", "minSelections": 0, "maxSelections": 1,
        "options": [{"name": tongue.option, "priceCents": 2_500}]});
    let group = house.owner.post("/menu/modifier-groups", option).await.expect(201).data();
    let mut lines = Vec::new();
    for (name, cents) in tongue.dishes.into_iter().zip([24_000, 32_550]) {
        let dish = json!({"categoryId": category, "name": name, "priceCents": cents, "taxCategoryId": tax,
            "stationId": house.station("Hot"), "allergens": ["MILK", "NUTS"], "modifierGroups": [group["id"]]});
        let made = house.owner.post("/menu/items", dish).await.expect(201).data();
        lines.push(json!({"menuItemId": made["id"], "quantity": 2, "unitPriceCents": cents}));
    }
    lines[1]["modifiers"] = json!([{"optionId": group["options"][0]["id"]}]);
    lines[1]["notes"] = json!(tongue.note);
    lines[1]["seatNumber"] = json!(3);
    let layout = json!({"headers": {tongue.code: tongue.head}, "footers": {tongue.code: tongue.foot},
        "logo": logo(), "billCode": true});
    house.owner.patch("/print-layout", layout).await.expect(200);
    (house, lines)
}

/// Nothing is cut or runs into something else: letters end before the paper does, pairs reach both edges, codes can be read.
fn check(name: &str, page: &Page, dots: usize) {
    let text = page.text();
    assert!(!text.contains('?'), "{name}\n{text}");
    assert!(text.lines().all(|line| line.chars().count() <= dots / 12), "{name}\n{text}");
    for drawn in page.drawings() {
        assert!(drawn.right <= dots && drawn.height <= 128, "{name}: {drawn:?}");
    }
}

/// Writes the picture of a page for a person, and checks it.
fn keep(name: &str, page: &Page, dots: usize) {
    std::fs::write(folder().join(format!("{name}.png")), page.png(dots)).unwrap();
    check(name, page, dots);
}

pub(crate) fn codes(page: &Page, dots: usize) -> Vec<String> {
    let (across, picture) = page.picture(dots);
    let at = |x: usize, y: usize| picture[y * across + x];
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(across, picture.len() / across, at);
    image.detect_grids().iter().map(|grid| grid.decode().unwrap().1).collect()
}

/// Fails unless a ticket and a receipt on narrow paper stand as a person has looked at and found good.
fn is_laid_out(ticket: &str, receipt: &str) {
    let pair = |left: &str, right: &str| format!("{left}{right:>room$}", room = 32 - left.chars().count());
    let rule = "-".repeat(32);
    let of_ticket = [
        "#1 Hot".to_owned(),
        "Table T3".to_owned(),
        pair("BLR1-261120-0001", "18:00"),
        pair("Course", "1"),
        pair("Guests", "3"),
        pair("Server", "WAITER"),
        rule.clone(),
        "2 x Crème Brûlée".to_owned(),
        pair("   Allergens", "MILK, NUTS"),
        "2 x Paneer\nButter Masala\nwith Extra\nButter and\nGarlic Naan\n   + Jalapeño\n no onion, please"
            .to_owned(),
        pair("   Seat", "3"),
        pair("   Allergens", "MILK, NUTS"),
        rule.clone(),
        "no onion, please".to_owned(),
    ];
    assert_eq!(ticket.trim_end(), of_ticket.join("\n"));
    let of_receipt = [
        "[drawn]\n  Outlet BLR1\n           Since 1952".to_owned(),
        rule.clone(),
        "          TAX INVOICE".to_owned(),
        pair("No.", "BLR1/2627-000001"),
        pair("Date", "20-11-2026 18:00"),
        pair("Order", "BLR1-261120-0001"),
        pair("Table", "T3"),
        rule.clone(),
        "Crème Brûlée".to_owned(),
        pair("  2 x 240.00", "480.00"),
        "Paneer Butter Masala with Extra\nButter and Garlic Naan\n  + Jalapeño".to_owned(),
        pair("  2 x 350.50", "701.00"),
        rule.clone(),
        pair("Subtotal", "1181.00"),
        pair("CGST 2.5% on 1181.00", "29.53"),
        pair("SGST 2.5% on 1181.00", "29.53"),
        pair("TOTAL INR", "1240.06"),
        pair("CASH", "1240.06"),
        rule,
    ];
    let (above, below) = receipt.split_once("\nReceipt code").unwrap();
    assert_eq!(above, of_receipt.join("\n"));
    // The foot, in which stands ₹, and the code are drawn.
    assert!(below.contains("\n           Thank you\n[drawn]\n[drawn]"), "{below}");
}

#[tokio::test]
async fn tickets_receipts_and_reports_in_four_languages_on_both_papers() {
    for tongue in &TONGUES {
        let branch = Branch::start().await;
        let (house, lines) = open(&branch, tongue).await;
        let hot = house.station("Hot");
        house
            .owner
            .patch(
                &format!("/kitchen/stations/{hot}"),
                json!({"printTickets": true, "printerAddress": "10.0.0.9"}),
            )
            .await
            .expect(200);
        for (width, dots) in [(58, 384), (80, 576)] {
            let printer = Printer::start().await;
            let more = json!({"name": format!("Till {width}"), "width": width, "language": tongue.code, "autoPrint": "NEVER",
                "codePages": ["CP437", "CP1252"], "roles": ["RECEIPT", "KITCHEN", "REPORT"], "stationIds": [hot]});
            let made = add(&house.owner, &printer, more).await;
            let waiter = branch.sign_in(Role::Waiter);
            let mut order = house.at_table(3, &[]);
            order["items"] = json!(lines);
            order["guestCount"] = json!(3);
            order["notes"] = json!(tongue.note);
            let placed = house.place(&waiter, order).await;
            house.settle(&house.owner, &placed).await;
            house.owner.post(&format!("/orders/{}/invoice", id(&placed)), json!({})).await;
            let own = json!({"printerId": made["id"]});
            house
                .owner
                .post(&format!("/orders/{}/receipt/print", id(&placed)), own.clone())
                .await
                .expect(201);
            house.owner.post("/day-close/2026-11-20/print", own).await.expect(201);
            print_all(&branch, &printer).await;
            let pages = printer.pages();
            let [ticket, receipt, report] = &pages[..] else { panic!("{} pages", pages.len()) };
            for (what, page) in [("ticket", ticket), ("receipt", receipt), ("report", report)] {
                keep(&format!("{}-{width}-{what}", tongue.code), page, dots);
            }
            let read = codes(receipt, dots);
            assert!(read.len() == 1 && read[0].contains("BLR1/2627-"), "{read:?}");
            // Amounts stand at one edge: the right one, or the left one of a receipt that is read from the right.
            let edge = |drawn: &tiffin_tests::printer::Extent| drawn.left <= 16 && drawn.right + 16 >= dots;
            let across = report.drawings().iter().filter(|drawn| edge(drawn)).count();
            let text = receipt.text();
            match tongue.code {
                // With the printer's own letters, but for ₹.
                "en" => {
                    assert_eq!(across, 0, "{}", report.text());
                    if width == 58 {
                        is_laid_out(&ticket.text(), &receipt.text());
                    }
                }
                _ => {
                    assert!(across >= 8, "{across} of\n{}", report.text());
                    assert!(!text.contains("Subtotal") && !ticket.text().contains("Server"), "{text}");
                }
            }
            // What has a printer blocks its removal only while paper waits.
            house.owner.delete(&format!("/printers/{}", id(&made))).await.expect(200);
        }
    }
}

#[tokio::test]
async fn what_else_is_printed_is_whole_in_four_languages_on_both_papers() {
    for tongue in &TONGUES {
        let branch = Branch::start().await;
        let (house, lines) = open(&branch, tongue).await;
        let channel = json!({"name": "Swiggy", "kind": "AGGREGATOR", "taxedBy": "OPERATOR", "operatorTaxId": "29AAGCB7383J1Z4"});
        let channel = house.owner.post("/channels", channel).await.expect(201).data();
        // One given back in part, one that an operator bills, and the day is closed.
        let mut order = house.at_table(3, &[]);
        order["items"] = json!(lines);
        let back = house.place(&house.owner, order).await;
        house.settle(&house.owner, &back).await;
        let reason = json!({"reason": "cold", "amountCents": 5_000, "restock": false});
        let credit =
            house.owner.post(&format!("/orders/{}/refunds", id(&back)), reason).await.expect(201).data();
        let mut order = house.counter(&[]);
        order["items"] = json!(lines);
        (order["orderType"], order["channelId"], order["externalId"]) =
            (json!("DELIVERY"), channel["id"].clone(), json!("SW-1"));
        let slip = house.place(&house.owner, order).await;
        let paid = json!({"method": "OTHER", "amountCents": slip["totalAmountCents"]});
        house.owner.post(&format!("/orders/{}/payments", id(&slip)), paid).await.expect(201);
        for status in ["ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED", "COMPLETED"] {
            let to = json!({"status": status});
            house.owner.patch(&format!("/orders/{}/status", id(&slip)), to).await.expect(200);
        }
        let close = json!({"businessDate": "2026-11-20", "carryOver": true, "early": true});
        house.owner.post("/day-close", close).await.expect(201);
        for (width, dots) in [(58, 384), (80, 576)] {
            let printer = Printer::start().await;
            let more = json!({"name": format!("Till {width}"), "width": width, "language": tongue.code, "autoPrint": "NEVER",
                "codePages": ["CP437", "CP1252"], "roles": ["RECEIPT", "REPORT"]});
            let made = add(&house.owner, &printer, more).await;
            let own = json!({"printerId": made["id"], "tableId": house.table(12)});
            let receipt = |order: &Value| format!("/orders/{}/receipt/print", id(order));
            let credit =
                || (format!("/orders/invoices/{}/print", id(&credit)), json!({"printerId": made["id"]}));
            for (path, body) in [
                (receipt(&back), json!({"printerId": made["id"]})),
                (receipt(&slip), json!({"printerId": made["id"]})),
                credit(),
                credit(),
                ("/day-close/2026-11-20/print".to_owned(), json!({"printerId": made["id"]})),
                ("/tables/qr-sheet/print".to_owned(), own),
                (format!("/printers/{}/test", id(&made)), json!({})),
            ] {
                house.owner.post(&path, body).await.expect(201);
            }
            print_all(&branch, &printer).await;
            let pages = printer.pages();
            let names = ["refunded", "slip", "credit", "credit-copy", "z", "codes", "test"];
            assert_eq!(pages.len(), names.len());
            for (what, page) in names.iter().zip(&pages) {
                keep(&format!("{}-{width}-{what}", tongue.code), page, dots);
            }
            let text = |n: usize| pages[n].text();
            assert_eq!(text(0).contains("Given back"), tongue.code == "en", "{}", text(0));
            assert!(codes(&pages[2], dots)[0].contains("BLR1/2627C000001"), "{}", text(2));
            assert!(codes(&pages[5], dots).concat().contains("/t/"), "{}", text(5));
            assert_eq!(codes(&pages[6], dots), ["https://tiffin.example/test"]);
            assert!(text(6).contains("Crème brûlée, jalapeño"), "{}", text(6));
            house.owner.delete(&format!("/printers/{}", id(&made))).await.expect(200);
        }
    }
}
