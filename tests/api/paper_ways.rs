//! What becomes of paper where printers and stations come and go, stand in for each other, or where power, paper and time run out.

use crate::printers::{add, id, jobs, press, print_all, queue};
use edge::paper::Row;
use edge::resources::printers::worker::step;
use serde_json::{Value, json};
use tiffin_common::Uuid;
use tiffin_tests::paired::paired_at;
use tiffin_tests::printer::Printer;
use tiffin_tests::{Branch, House};

fn key(of: &Value) -> Uuid {
    id(of).parse().unwrap()
}

#[tokio::test]
async fn a_station_or_printer_that_is_no_more_is_named_by_none() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (printer, other) = (Printer::start().await, Printer::start().await);
    let grill = house.owner.post("/kitchen/stations", json!({"name": "Grill"})).await.expect(201).data();
    let spare = add(&house.owner, &other, json!({"name": "Spare"})).await;
    let named = json!({"name": "Main", "roles": ["KITCHEN"], "stationIds": [grill["id"], house.station("Hot")],
        "fallbackPrinterId": spare["id"]});
    let main = add(&house.owner, &printer, named).await;
    let path = format!("/printers/{}", id(&main));
    let (display, _) = paired_at(&branch, &house.owner, "KITCHEN", id(&grill)).await;
    house.owner.delete(&format!("/kitchen/stations/{}", id(&grill))).await.expect(200);
    house.owner.delete(&format!("/printers/{}", id(&spare))).await.expect(200);
    let left = house.owner.get(&path).await.expect(200).data();
    assert_eq!(
        (&left["stationIds"], &left["fallbackPrinterId"]),
        (&json!([house.station("Hot")]), &Value::Null)
    );
    // What a screen read it sends back, and one field of it is changed.
    let back = json!({"stationIds": left["stationIds"], "fallbackPrinterId": null, "name": "Kitchen"});
    assert_eq!(house.owner.patch(&path, back).await.expect(200).data()["name"], "Kitchen");
    let told = house.owner.get("/audit-log?action=printer.update&limit=100").await.expect(200).json();
    assert!(told["data"].as_array().unwrap().len() >= 2, "{told}");
    // The dishes of a station that is no more go to another one: a display that stood there shows them all.
    house.place(&house.owner, house.counter(&[("Dal", 1), ("Lassi", 1)])).await;
    let shown = display.get("/kitchen/tickets").await.expect(200).json();
    assert_eq!(shown["data"].as_array().unwrap().len(), 2, "{shown}");
}

#[tokio::test]
async fn printers_that_stand_in_for_each_other_hand_paper_over_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (one, two) = (Printer::start().await, Printer::start().await);
    let first = add(&house.owner, &one, json!({"name": "One"})).await;
    let second = add(&house.owner, &two, json!({"name": "Two", "fallbackPrinterId": first["id"]})).await;
    let circle = json!({"fallbackPrinterId": second["id"]});
    house.owner.patch(&format!("/printers/{}", id(&first)), circle).await.expect(200);
    for printer in [&one, &two] {
        printer.offline(true);
    }
    queue(&branch, &one, Some(key(&first)), vec![Row::Plain("Vada".into())]).await;
    for _ in 0..60 {
        for printer in [&one, &two] {
            step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
        }
        branch.pass(31_000);
    }
    let job = jobs(&house.owner, "").await.remove(0);
    assert_eq!(
        (&job["status"], &job["printerId"], &job["fellBackFrom"]),
        (&json!("EXPIRED"), &second["id"], &json!("One"))
    );
    for printer in [&one, &two] {
        printer.heal();
        print_all(&branch, printer).await;
        assert_eq!(printer.everything(), "");
    }
}

#[tokio::test]
async fn paper_that_is_out_for_three_hours_brings_nothing_old_and_the_next_ticket_at_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let made = add(&house.owner, &printer, json!({})).await;
    // It ends in the midst of a ticket; another one waits.
    queue(&branch, &printer, Some(key(&made)), vec![Row::Plain("Begun".into())]).await;
    printer.end_paper_after(20);
    step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
    queue(&branch, &printer, Some(key(&made)), vec![Row::Plain("Waits".into())]).await;
    for _ in 0..180 {
        branch.pass(60_000);
        step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
    }
    let list = jobs(&house.owner, "").await;
    let states: Vec<&str> = list.iter().map(|job| job["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["EXPIRED", "FAILED"], "{list:?}");
    assert!(list[1]["lastError"].as_str().unwrap().contains("may have"), "{list:?}");
    for kind in ["PRINT_EXPIRED", "PRINT_FAILED", "PRINTER_DOWN"] {
        let told = house.owner.get("/notifications?limit=100").await.expect(200).text;
        assert!(told.contains(kind), "{kind}: {told}");
    }
    // Paper is in: the printer prints what it had taken, the box sends nothing of then.
    printer.reload();
    queue(&branch, &printer, Some(key(&made)), vec![Row::Plain("Now".into())]).await;
    print_all(&branch, &printer).await;
    let text = printer.everything();
    assert!(text.contains("Now") && !text.contains("Waits") && text.matches("Begun").count() <= 1, "{text}");
    assert_eq!(jobs(&house.owner, "").await[0]["status"], "DONE");
}

#[tokio::test]
async fn power_that_goes_between_sent_and_done_prints_nothing_twice_in_silence() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    for (profile, copies) in [("EPSON", 0), ("GENERIC", 1)] {
        let printer = Printer::start().await;
        let made = add(&house.owner, &printer, json!({"name": profile, "profile": profile})).await;
        queue(&branch, &printer, Some(key(&made)), vec![Row::Plain("Dosa".into())]).await;
        {
            // The box dies when the paper is out and before it hears so.
            let pressing = press(&branch);
            let printing = step(&branch.db, &printer.address, &pressing);
            let cut = tiffin_tests::until("it is cut", async || (printer.cuts() > 4711).then_some(()));
            printer.deaf_after(14);
            tokio::select! {
                biased;
                () = cut => {}
                done = printing => panic!("{done:?}"),
            }
        }
        let job = jobs(&house.owner, "").await.remove(0);
        assert_eq!(job["status"], "SENT", "{job}");
        // It comes back a minute later, and so does the printer's tongue.
        branch.pass(60_000);
        printer.heal();
        print_all(&branch, &printer).await;
        let text = printer.everything();
        assert_eq!(
            (text.matches("Dosa").count(), text.matches("COPY").count()),
            (1 + copies, copies),
            "{text}"
        );
        let job = jobs(&house.owner, "").await.remove(0);
        assert_eq!((&job["status"], &job["confirmed"]), (&json!("DONE"), &json!(true)), "{profile}: {job}");
    }
}

/// Sends `order` to the kitchen while `dead` answers nothing, and answers what comes out at `live` once `change` was made.
async fn moved(
    branch: &Branch,
    house: &House,
    dead: &Printer,
    live: &Printer,
    change: (&str, Value),
) -> String {
    dead.offline(true);
    house.place(&house.owner, house.at_table(3, &[("Dal", 2)])).await;
    step(&branch.db, &dead.address, &press(branch)).await.unwrap();
    assert_eq!(jobs(&house.owner, "&status=QUEUED").await.len(), 1);
    house.owner.patch(change.0, change.1).await.expect(200);
    dead.offline(false);
    print_all(branch, live).await;
    assert_eq!(jobs(&house.owner, "&status=QUEUED").await.len(), 0);
    assert_eq!(dead.everything(), "", "nothing comes out where nobody looks any more");
    live.pages().iter().map(|page| page.text()).collect()
}

#[tokio::test]
async fn paper_that_waits_goes_where_its_printer_is_now() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (dead, live) = (Printer::start().await, Printer::start().await);
    let hot = house.station("Hot");
    let made = add(&house.owner, &dead, json!({"roles": ["KITCHEN"], "stationIds": [hot]})).await;
    house.owner.patch(&format!("/kitchen/stations/{hot}"), json!({"printTickets": true})).await.expect(200);
    let path = format!("/printers/{}", id(&made));
    let text = moved(&branch, &house, &dead, &live, (&path, json!({"address": live.address}))).await;
    assert!(text.matches("2 x Dal").count() == 1 && !text.contains("COPY"), "{text}");
}

#[tokio::test]
async fn tickets_that_wait_go_where_their_station_prints_now() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (dead, live, other) = (Printer::start().await, Printer::start().await, Printer::start().await);
    let path = format!("/kitchen/stations/{}", house.station("Hot"));
    let paper = json!({"printTickets": true, "printerAddress": dead.address});
    house.owner.patch(&path, paper).await.expect(200);
    let text = moved(&branch, &house, &dead, &live, (&path, json!({"printerAddress": live.address}))).await;
    assert!(text.matches("2 x Dal").count() == 1 && !text.contains("COPY"), "{text}");
    // To a printer that is known by its name, and its fallback, too.
    add(&house.owner, &other, json!({"name": "Other", "roles": ["KITCHEN"]})).await;
    let text = moved(&branch, &house, &live, &other, (&path, json!({"printerAddress": other.address}))).await;
    assert!(text.contains("2 x Dal"), "{text}");
    let named = jobs(&house.owner, "").await.iter().any(|job| job["printerId"].is_string());
    assert!(named, "the job is that printer's");
}
