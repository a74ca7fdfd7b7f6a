//! `/printers`, paper and drawers, against printers that can be out of paper, offline, or cut off at any byte.

use edge::access::Role;
use edge::db::DbError;
use edge::paper::Row;
use edge::resources::kitchen;
use edge::resources::printers::actions;
use edge::resources::printers::line::Patience;
use edge::resources::printers::rules::{Destination, JobKind, Paper};
use edge::resources::printers::worker::{Press, Step, step};
use serde_json::{Value, json};
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::printer::Printer;
use tiffin_tests::{Branch, Client, House};

/// A printer in this process answers at once or never.
const HASTY: Patience = Patience {
    connect: Duration::from_secs(5),
    answer: Duration::from_millis(150),
    send: Duration::from_secs(5),
    print: Duration::from_millis(300),
};

pub(crate) fn press(branch: &Branch) -> Press {
    Press::new(
        branch.state().printers.clone(),
        branch.state().public_url.0.clone(),
        kitchen::actions::paper_came_out,
    )
    .with(HASTY)
}

/// Deals with all that waits for the printer, and lets time pass where it has to.
pub(crate) async fn print_all(branch: &Branch, printer: &Printer) {
    for _ in 0..20 {
        match step(&branch.db, &printer.address, &press(branch)).await.unwrap() {
            Step::Done => {}
            Step::Wait(_) if open_jobs(branch).await == 0 => return,
            Step::Wait(_) => branch.pass(31_000),
        }
    }
    panic!("it never ends");
}

async fn open_jobs(branch: &Branch) -> i64 {
    branch.number("SELECT count(*) FROM print_jobs WHERE status IN ('QUEUED', 'SENT')").await
}

pub(crate) async fn add(client: &Client, printer: &Printer, more: Value) -> Value {
    let mut body = json!({"name": "Till", "address": printer.address, "profile": "EPSON"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.post("/printers", body).await.expect(201).data()
}

pub(crate) fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap()
}

pub(crate) async fn jobs(client: &Client, query: &str) -> Vec<Value> {
    let list = client.get(&format!("/print-jobs?limit=100{query}")).await.expect(200).json();
    list["data"].as_array().unwrap().clone()
}

/// Queues `rows` for the printer.
pub(crate) async fn queue(branch: &Branch, printer: &Printer, printer_id: Option<Uuid>, rows: Vec<Row>) {
    let to = Destination { printer_id, address: printer.address.clone(), expires_minutes: None };
    let paper = Paper {
        kind: JobKind::Kitchen,
        rows,
        language: None,
        ticket_id: None,
        order_id: None,
        copy_number: 0,
    };
    let outlet = branch.outlet_id;
    branch
        .db
        .write(move |tx| actions::print(tx, outlet, &to, paper).map(drop))
        .await
        .map_err(|e: DbError| e)
        .unwrap();
}

#[tokio::test]
async fn printers_are_made_changed_and_archived_and_every_offending_field_is_named() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let till =
        add(&house.owner, &printer, json!({"width": 58, "roles": ["RECEIPT", "REPORT", "RECEIPT"]})).await;
    assert_eq!((&till["autoPrint"], &till["connection"]), (&json!("PAYMENT"), &json!("TCP")));
    assert_eq!(
        (&till["roles"], &till["codePages"]),
        (&json!(["RECEIPT", "REPORT"]), &json!(["CP437", "CP858"]))
    );
    let wrong = json!({
        "name": " ", "address": "127.0.0.1:9100", "connection": "USB", "width": 60, "stationIds": [Uuid::nil()],
        "fallbackPrinterId": Uuid::nil(), "language": "n o",
    });
    let refused = house.owner.post("/printers", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    for field in ["name", "address", "width", "stationIds[0]", "stationIds", "fallbackPrinterId", "language"]
    {
        assert!(refused.invalid_fields().contains(&field.to_owned()), "{field}: {}", refused.text);
    }
    // Out of the house, and what this machine itself offers.
    for address in ["8.8.8.8:9100", "169.254.169.254:80", "[::1]:9100", "http://10.0.0.1"] {
        let body = json!({"name": "Far", "address": address});
        let refused = house.owner.post("/printers", body).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["address"], "{address}");
    }
    let till = id(&till);
    let changed = house
        .owner
        .patch(&format!("/printers/{till}"), json!({"language": "HI", "drawer": true}))
        .await
        .expect(200)
        .data();
    assert_eq!((&changed["language"], &changed["version"]), (&json!("hi"), &json!(2)));
    branch
        .sign_in(Role::Waiter)
        .patch(&format!("/printers/{till}"), json!({"drawer": false}))
        .await
        .refused(403, "FORBIDDEN");
    assert_eq!(
        branch.sign_in(Role::Waiter).get("/printers").await.expect(200).json()["data"][0]["name"],
        "Till"
    );
    let job = house.owner.post(&format!("/printers/{till}/test"), json!({})).await.expect(201).data();
    house.owner.delete(&format!("/printers/{till}")).await.refused(409, "CONFLICT");
    print_all(&branch, &printer).await;
    let job = house.owner.get(&format!("/print-jobs/{}", id(&job))).await.expect(200).data();
    assert_eq!((&job["kind"], &job["status"]), (&json!("TEST"), &json!("DONE")));
    assert!(printer.pages()[0].text().contains("Crème brûlée, jalapeño"));
    house.owner.delete(&format!("/printers/{till}")).await.expect(200);
    house.owner.get(&format!("/printers/{till}")).await.refused(404, "NOT_FOUND");
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action LIKE 'printer.%'").await, 4);
}

#[tokio::test]
async fn no_service_of_the_box_and_no_other_port_is_a_printer() {
    let networks = ("printer-networks", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7");
    let branch = Branch::with([networks, ("printer-ports", "9100-9109")]).await;
    let owner = branch.sign_in(Role::Owner);
    let own = branch.base().trim_start_matches("http://").to_owned();
    let (station, printer) = (json!({"name": "Hot"}), json!({"name": "Till"}));
    for address in [own.as_str(), "127.0.0.1:9100", "192.168.1.9:5432", "169.254.1.1:9100"] {
        for (path, of) in [("/printers", &printer), ("/kitchen/stations", &station)] {
            let mut body = of.clone();
            body[if path == "/printers" { "address" } else { "printerAddress" }] = json!(address);
            let refused = owner.post(path, body).await.refused(422, "PAYLOAD_VALIDATION");
            assert!(refused.invalid_fields()[0].to_lowercase().ends_with("address"), "{path} {address}");
        }
    }
    let there = json!({"name": "Till", "address": "192.168.1.9:9100"});
    owner.post("/printers", there).await.expect(201);
    // A name is judged by where it leads, whenever it is called: what listens there hears nothing.
    let branch = Branch::with([networks, ("printer-ports", "1-65535")]).await;
    let owner = branch.sign_in(Role::Owner);
    let ears = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    ears.set_nonblocking(true).unwrap();
    let address = format!("localhost:{}", ears.local_addr().unwrap().port());
    let named = json!({"name": "Till", "address": address});
    let named = owner.post("/printers", named).await.expect(201).data();
    owner.post(&format!("/printers/{}/test", id(&named)), json!({})).await.expect(201);
    for _ in 0..3 {
        step(&branch.db, &address, &press(&branch)).await.unwrap();
        branch.pass(31_000);
    }
    assert_eq!(ears.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    let owner = branch.sign_in(Role::Owner);
    let told = jobs(&owner, "").await;
    assert!(told[0].to_string().contains("leads to where no printer may be"), "{}", told[0]);
}

#[tokio::test]
async fn a_till_prints_the_receipt_when_all_is_paid_opens_the_drawer_once_and_copies_say_so() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (first, tills) = (Printer::start().await, Printer::start().await);
    add(&house.owner, &first, json!({"name": "Office"})).await;
    let till = add(&house.owner, &tills, json!({"drawer": true})).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.counter(&[("Dal", 2)])).await;
    let path = format!("/orders/{}", id(&order));
    let pay =
        |cents: i64, method: &str| json!({"method": method, "amountCents": cents, "printerId": id(&till)});
    cashier.post(&format!("{path}/payments"), pay(7_800, "CARD")).await.expect(201);
    print_all(&branch, &tills).await;
    assert!(tills.pages().is_empty() && tills.kicks() == 0, "a part is no receipt, a card opens nothing");
    cashier.post(&format!("{path}/payments"), pay(30_000, "CASH")).await.expect(201);
    print_all(&branch, &tills).await;
    let pages = tills.pages();
    assert_eq!((pages.len(), tills.kicks()), (1, 1));
    let text = pages[0].text();
    for part in ["TAX INVOICE", "BLR1/2627-000001", "378.00", "CASH", "CARD"] {
        assert!(text.contains(part), "{part} is not on\n{text}");
    }
    assert!(!text.contains("COPY") && !text.contains("PREVIEW"));
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'drawer.kick'").await, 1);
    for n in 1..=2 {
        let job = cashier
            .post(&format!("/orders/{}/receipt/print", id(&order)), json!({"printerId": id(&till)}))
            .await;
        assert_eq!(job.expect(201).data()["copyNumber"], n);
        print_all(&branch, &tills).await;
        assert!(tills.pages()[0].text().starts_with(&format!("COPY {n}\n")));
    }
    assert_eq!((first.connections(), tills.kicks()), (0, 1));
    let list = jobs(&cashier, &format!("&orderId={}", id(&order))).await;
    assert_eq!(list.len(), 4);
    assert!(list.iter().all(|job| job["status"] == "DONE" && job["confirmed"] == true), "{list:?}");
    let status = cashier.get("/status").await.expect(200).data();
    assert_eq!(
        (&status["printers"][0]["name"], &status["printers"][0]["waiting"]),
        (&json!("Till"), &json!(0))
    );
    // Named, but not one of the house.
    let wrong = json!({"printerId": Uuid::nil()});
    let refused = cashier
        .post(&format!("/orders/{}/receipt/print", id(&order)), wrong)
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["printerId"]);
    // Whoever is forgotten is forgotten by the paper, too.
    branch.db.write(actions_forget(branch.outlet_id, id(&order).parse().unwrap())).await.unwrap();
    assert!(jobs(&cashier, "").await.is_empty());
}

fn actions_forget(
    outlet: Uuid,
    order: Uuid,
) -> impl FnOnce(&edge::db::Tx<'_>) -> Result<(), DbError> + Send + 'static {
    move |tx| actions::forget_printed(tx, outlet, order)
}

#[tokio::test]
async fn a_station_that_a_printer_names_prints_there_and_its_paper_is_its_acknowledgement() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let hot = house.station("Hot");
    house
        .owner
        .patch(&format!("/kitchen/stations/{hot}"), json!({"printTickets": true}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    add(
        &house.owner,
        &printer,
        json!({"name": "Hot", "roles": ["KITCHEN"], "stationIds": [hot], "width": 58}),
    )
    .await;
    house.owner.patch(&format!("/kitchen/stations/{hot}"), json!({"printTickets": true})).await.expect(200);
    let waiter = branch.sign_in(Role::Waiter);
    let mut order = house.at_table(3, &[("Dal", 2)]);
    order["items"][0]["notes"] = json!("कम मसाला");
    let order = house.place(&waiter, order).await;
    print_all(&branch, &printer).await;
    // What is on paper is cooked: nobody takes it off alone, however soon.
    let line = format!("/orders/{}/items/{}", id(&order), id(&order["items"][0]));
    waiter.patch(&line, json!({"quantity": 1, "reason": "typed twice"})).await.refused(403, "FORBIDDEN");
    let text = printer.pages()[0].text();
    for part in ["#1 Hot", "Table T3", "2 x Dal", "[drawn]"] {
        assert!(text.contains(part), "{part} is not on\n{text}");
    }
    let tickets = waiter.get("/kitchen/tickets").await.expect(200).json();
    assert!(!tickets["data"][0]["ackedAt"].is_null());
}

/// A ticket and a receipt in the languages of the house.
fn languages() -> Vec<Row> {
    vec![
        Row::Title("Tiffin · टिफ़िन".into()),
        Row::Centre("Crème Brûlée Café".into()),
        Row::Rule,
        Row::Large("2 x दाल मखनी".into()),
        Row::Plain("   + बिना प्याज".into()),
        Row::Pair("இட்லி சாம்பார்".into(), "120.00".into()),
        Row::Pair("مندي دجاج".into(), "₹ 350.00".into()),
        Row::Pair("Crème Brûlée".into(), "240.00".into()),
        Row::Reverse(" कम मसाला / sans gluten ".into()),
        Row::Strong("TOTAL INR".into(), "710.00".into()),
        Row::Qr("BLR1/2627-000001 710.00".into()),
    ]
}

#[tokio::test]
async fn receipts_in_four_scripts_are_pictures_of_them_on_both_papers() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("paper");
    std::fs::create_dir_all(&folder).unwrap();
    for (width, dots) in [(58, 384), (80, 576)] {
        for pages in [json!(["CP437"]), json!(["CP1252"]), json!([])] {
            let printer = Printer::start().await;
            let name = format!("{width}-{}", pages[0].as_str().unwrap_or("none"));
            let more = json!({"name": name, "width": width, "codePages": pages});
            let made = add(&house.owner, &printer, more).await;
            queue(&branch, &printer, Some(id(&made).parse().unwrap()), languages()).await;
            print_all(&branch, &printer).await;
            let page = printer.pages().remove(0);
            let text = page.text();
            assert!(!text.contains('?'), "{name}\n{text}");
            // With its letters where it has them, drawn where it has not.
            let has_accents = pages != json!([]);
            assert_eq!(text.contains("Crème Brûlée Café"), has_accents, "{name}\n{text}");
            assert!(text.contains("TOTAL INR") && text.contains("[drawn]"));
            std::fs::write(folder.join(format!("{name}.png")), page.png(dots)).unwrap();
            let (across, picture) = page.picture(dots);
            let mut image =
                rqrr::PreparedImage::prepare_from_greyscale(across, picture.len() / across, |x, y| {
                    picture[y * across + x]
                });
            let codes: Vec<String> =
                image.detect_grids().iter().map(|grid| grid.decode().unwrap().1).collect();
            assert_eq!(codes, ["BLR1/2627-000001 710.00"], "{name}");
        }
    }
}

#[tokio::test]
async fn what_the_house_says_stands_above_and_below_its_receipts() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    add(&house.owner, &printer, json!({"language": "hi"})).await;
    assert_eq!(house.owner.get("/print-layout").await.expect(200).data()["headers"], json!({}));
    let layout = json!({"headers": {"en": "Since 1952"}, "footers": {"hi": "फिर आइए", "en": "Come again"}, "billCode": true});
    house.owner.patch("/print-layout", layout).await.expect(200);
    let wrong = json!({"logo": "R0lGODlh", "footers": {"not a language": "x"}});
    let refused = house.owner.patch("/print-layout", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["footers.not a language", "logo"]);
    branch
        .sign_in(Role::Cashier)
        .patch("/print-layout", json!({"logo": null}))
        .await
        .refused(403, "FORBIDDEN");
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    print_all(&branch, &printer).await;
    let text = printer.pages()[0].text();
    assert!(text.contains("Since 1952") && !text.contains("Come again"), "{text}");
    // The foot, which no code page has, and the code.
    assert!(text.trim_end().ends_with("[drawn]\n[drawn]"), "{text}");
}

#[tokio::test]
async fn reports_and_the_codes_of_tables_come_on_paper() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let print =
        async |owner: &Client, date: &str| owner.post(&format!("/day-close/{date}/print"), json!({})).await;
    print(&house.owner, "2026-11-20").await.refused(409, "CONFLICT");
    add(&house.owner, &printer, json!({"roles": ["REPORT"]})).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    print(&house.owner, "2026-11-21").await.refused(404, "NOT_FOUND");
    print(&house.owner, "2026-11-20").await.expect(201);
    let close = json!({"businessDate": "2026-11-20", "carryOver": true, "early": true});
    house.owner.post("/day-close", close).await.expect(201);
    print(&house.owner, "2026-11-20").await.expect(201);
    print_all(&branch, &printer).await;
    let [x, z]: [String; 2] =
        printer.pages().iter().map(|page| page.text()).collect::<Vec<_>>().try_into().unwrap();
    assert!(x.contains("X REPORT") && !x.contains("Z REPORT") && z.contains("Z REPORT 1"), "{x}\n{z}");
    for part in ["TOTAL INR", "189.00", "CASH (1)"] {
        assert!(x.contains(part) && z.contains(part), "{part} is not on\n{x}\n{z}");
    }
    print(&branch.sign_in(Role::Cashier), "2026-11-20").await.refused(403, "FORBIDDEN");
    let one = json!({"tableId": house.table(1)});
    house.owner.post("/tables/qr-sheet/print", one).await.expect(201);
    print_all(&branch, &printer).await;
    let text = printer.pages()[0].text();
    assert!(text.contains("T1") && !text.contains("T2") && text.contains("[drawn]"), "{text}");
}
