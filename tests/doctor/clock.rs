//! A clock that stands in another year, at the start of the real program: the shop sells, and nothing carries a wrong year.

use serde_json::{Value, json};
use std::path::Path;
use tiffin_tests::{Client, Edge, sample, until};

/// What the shop has done so far.
struct Books {
    bills: Vec<String>,
    people: std::ops::Range<u32>,
}

impl Books {
    /// Sells, makes a bill, and has somebody clock in; answers the punch.
    async fn trade(&mut self, edge: &Edge) -> Value {
        let client = sample::owner_of_plenty(edge).await;
        let dishes = sample::lines(&client, 1).await;
        assert_eq!(dishes.len(), 1, "there is something to sell: no batch has expired by itself");
        let (order, bill) = sample::sell(&client, &dishes).await;
        let number = bill["invoiceNumber"].as_str().unwrap().to_owned();
        self.bills.push(number);
        assert_eq!(order["status"].as_str().map(|status| status == "CANCELLED"), Some(false));
        self.punch(&client).await
    }

    async fn punch(&mut self, client: &Client) -> Value {
        let pin = self.people.next().unwrap().to_string();
        let body = json!({"employeePin": pin, "eventType": "CLOCK_IN"});
        client.post("/workforce/attendance", body).await.expect(201);
        // The newest comes first.
        client.get("/attendance").await.expect(200).json()["data"][0].clone()
    }
}

async fn status(edge: &Edge) -> Value {
    sample::owner(edge).await.get("/status").await.expect(200).data()
}

fn restaurant(folder: &Path) -> std::path::PathBuf {
    let data = folder.join("branch");
    sample::init(&data, "BLR1");
    data
}

#[tokio::test]
async fn a_box_with_a_wrong_clock_sells_and_gives_out_no_number_of_another_year() {
    let folder = tempfile::tempdir().unwrap();
    let data = restaurant(folder.path());
    let mut books = Books { bills: Vec::new(), people: 1001..1013 };
    books.trade(&Edge::serve(&data, &[]).await).await;
    for (moment, fault) in [
        ("1970-01-01 00:10:00", "BEHIND"),
        ("2023-05-01 12:00:00", "BEHIND"),
        ("2036-03-01 12:00:00", "AHEAD"),
    ] {
        let edge = Edge::serve_at(moment, &data, &[]).await;
        let told = status(&edge).await;
        assert_eq!(told["clockDoubt"]["fault"], fault, "{moment}: {told}");
        assert!(told["clockDoubt"]["machine"].as_str().unwrap().starts_with(&moment[..10]), "{told}");
        let punch = books.trade(&edge).await;
        assert_eq!(punch["clockSuspect"], true, "{moment}: {punch}");
        let owner = sample::owner(&edge).await;
        until("the managers are told", async || {
            let notices = owner.get("/notifications").await.expect(200).text;
            notices.contains("The clock of this box is wrong").then_some(())
        })
        .await;
        drop(edge);
        // Right again: no word of it, and the books go on.
        let edge = Edge::serve(&data, &[]).await;
        assert_eq!(status(&edge).await["clockDoubt"], Value::Null, "{moment}");
        let punch = books.trade(&edge).await;
        assert_eq!(punch["clockSuspect"], false, "after {moment}: {punch}");
    }
    let edge = Edge::serve(&data, &[]).await;
    let owner = sample::owner(&edge).await;
    let today = owner.get("/dashboard").await.expect(200).data()["businessDate"].as_str().unwrap().to_owned();
    owner
        .post("/day-close", json!({"businessDate": today, "early": true, "carryOver": true}))
        .await
        .expect(201);
    assert_eq!(owner.get("/orders/invoices/verify").await.expect(200).data()["valid"], true);
    let year = books.bills[0].split_once('-').unwrap().0.to_owned();
    let expected: Vec<String> = (1..=books.bills.len()).map(|n| format!("{year}-{n:06}")).collect();
    assert_eq!(books.bills, expected, "one series without a gap");
}

/// One of everything that carries a time of the books; its ids, as far as they are answered.
async fn record_everything(client: &Client, drawer: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let opened = json!({"openingFloatCents": 0, "drawer": drawer});
    let session = text(&client.post("/cash-sessions", opened).await.expect(201).data()["id"]);
    let pay = json!({"amountCents": 100, "reason": "change"});
    let moved = client.post(&format!("/cash-sessions/{session}/pay-in"), pay).await.expect(201).data();
    let (order, bill) = sample::sell(client, &sample::lines(client, 1).await).await;
    let order = text(&order["id"]);
    let back = json!({"amountCents": 100, "reason": "cold", "restock": false});
    client.post(&format!("/orders/{order}/refunds"), back).await.expect(201);
    let item = client.get("/inventory/items?limit=1").await.expect(200).json()["items"][0]["id"].clone();
    let waste = json!({"inventoryItemId": item, "quantity": 1, "reason": "SPOILAGE"});
    let waste = client.post("/waste-logs", waste).await.expect(201).data();
    let movements =
        client.get(&format!("/inventory/items/{}/movements", text(&item))).await.expect(200).json();
    let detail = client.get(&format!("/orders/{order}")).await.expect(200).json();
    let mut ids =
        vec![session, order, text(&bill["id"]), text(&waste["id"]), text(&movements["data"][0]["id"])];
    ids.extend(
        [&moved["movements"][0], &detail["payments"][0], &detail["refunds"][0]].map(|row| text(&row["id"])),
    );
    ids
}

/// Every row with an id in an answer, and whether it says that its clock was suspect.
fn marks(answer: &Value, found: &mut std::collections::HashMap<String, bool>) {
    match answer {
        Value::Array(list) => list.iter().for_each(|one| marks(one, found)),
        Value::Object(fields) => {
            if let (Some(Value::String(id)), Some(Value::Bool(is))) =
                (fields.get("id"), fields.get("clockSuspect"))
            {
                found.insert(id.clone(), *is);
            }
            fields.values().for_each(|one| marks(one, found));
        }
        _ => {}
    }
}

#[tokio::test]
async fn what_a_wrong_clock_saw_recorded_is_marked_in_every_answer_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = restaurant(folder.path());
    let edge = Edge::serve(&data, &[]).await;
    let before = record_everything(&sample::owner_of_plenty(&edge).await, "ONE").await;
    drop(edge);
    let edge = Edge::serve_at("1970-01-01 00:10:00", &data, &[]).await;
    let suspect = record_everything(&sample::owner(&edge).await, "TWO").await;
    drop(edge);
    let edge = Edge::serve(&data, &[]).await;
    let owner = sample::owner(&edge).await;
    let after = record_everything(&owner, "THREE").await;

    let mut found = std::collections::HashMap::new();
    let item = owner.get("/inventory/items?limit=1").await.expect(200).json()["items"][0]["id"].clone();
    let mut paths: Vec<String> =
        ["/orders?limit=100", "/orders/invoices", "/cash-sessions", "/waste-logs"].map(str::to_owned).into();
    paths.push(format!("/inventory/items/{}/movements", item.as_str().unwrap()));
    for ids in [&before, &suspect, &after] {
        paths.extend([
            format!("/cash-sessions/{}", ids[0]),
            format!("/orders/{}", ids[1]),
            format!("/orders/invoices/{}", ids[2]),
        ]);
    }
    for path in paths {
        marks(&owner.get(&path).await.expect(200).json(), &mut found);
    }
    for (ids, is_suspect) in [(&before, false), (&suspect, true), (&after, false)] {
        for (index, id) in ids.iter().enumerate() {
            assert_eq!(found.get(id), Some(&is_suspect), "the {index}th of {ids:?}");
        }
    }
    // What an accountant asks for.
    let orders = owner.get("/orders?clockSuspect=true").await.expect(200).json();
    assert_eq!((orders["data"].as_array().unwrap().len(), &orders["data"][0]["id"]), (1, &json!(suspect[1])));
    let bills = owner.get("/orders/invoices?clockSuspect=true").await.expect(200).json();
    let numbers: Vec<_> =
        bills["data"].as_array().unwrap().iter().map(|bill| bill["kind"].as_str().unwrap()).collect();
    assert_eq!(numbers, ["CREDIT_NOTE", "INVOICE"]);
    let others = owner.get("/orders/invoices?clockSuspect=false").await.expect(200).json();
    assert_eq!(others["data"].as_array().unwrap().len(), 4);
    let audit = owner.get("/audit-log?limit=100").await.expect(200).json();
    let marked = audit["data"].as_array().unwrap().iter().filter(|entry| entry["clockSuspect"] == true);
    let marked: Vec<_> = marked.map(|entry| entry["action"].as_str().unwrap()).collect();
    assert!(marked.contains(&"cash.pay_in"), "{marked:?}");
}

async fn page_of(edge: &Edge, path: &str) -> String {
    reqwest::get(format!("{}{path}", edge.base())).await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn every_page_and_every_report_of_a_box_with_a_wrong_clock_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let data = restaurant(folder.path());
    let words = "The clock of this box is wrong";
    for (moment, is_wrong) in [("2036-03-01 12:00:00", true), ("", false)] {
        let edge = match is_wrong {
            true => Edge::serve_at(moment, &data, &[]).await,
            false => Edge::serve(&data, &[]).await,
        };
        for page in ["/", "/sheet", "/setup"] {
            let text = page_of(&edge, page).await;
            assert_eq!(text.contains(words), is_wrong, "{page}: {text}");
        }
        let owner = sample::owner(&edge).await;
        let dashboard = owner.get("/dashboard").await.expect(200).data();
        assert_eq!(dashboard["clockDoubt"].is_object(), is_wrong, "{dashboard}");
        let figures = edge.client().get("/metrics").await.expect(200).text;
        assert!(figures.contains(&format!("tiffin_clock_doubtful {}\n", u8::from(is_wrong))), "{figures}");
        let ask = |arguments: &[&str]| {
            let mut command = std::process::Command::new(Edge::binary());
            command.args(arguments).arg("--data-dir").arg(&data);
            let command = if is_wrong { Edge::at(moment, &mut command) } else { &mut command };
            String::from_utf8(command.output().unwrap().stdout).unwrap()
        };
        assert_eq!(ask(&["status"]).contains("WRONG"), is_wrong);
        let report: Value = serde_json::from_str(&ask(&["doctor", "--json"])).unwrap();
        let clock =
            report["findings"].as_array().unwrap().iter().find(|one| one["check"] == "clock").unwrap();
        assert_eq!(clock["level"] == "BROKEN", is_wrong, "{clock}");
    }
}

#[tokio::test]
async fn a_new_box_without_a_clock_says_so_on_the_page_that_sets_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("branch");
    let edge = Edge::serve_unready_at("1970-01-01 00:10:00", &data).await;
    let page = page_of(&edge, "/setup").await;
    assert!(page.contains("The clock of this box is wrong. ") && page.contains("1970-01-01"), "{page}");
}

#[tokio::test]
async fn a_manager_says_what_time_it_is_and_the_box_believes_it_also_after_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = restaurant(folder.path());
    let edge = Edge::serve(&data, &[]).await;
    let right: tiffin_common::Millis = status(&edge).await["clock"].as_str().unwrap().parse().unwrap();
    drop(edge);
    let edge = Edge::serve_at("2036-03-01 12:00:00", &data, &[]).await;
    assert_eq!(status(&edge).await["clockDoubt"]["fault"], "AHEAD");
    let owner = sample::owner(&edge).await;
    let said = right.after(60_000);
    owner
        .post("/status/clock", json!({"now": "1999-01-01T00:00:00.000Z"}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    let told = owner.post("/status/clock", json!({"now": said})).await.expect(200).data();
    assert!(told["offsetMs"].as_i64().unwrap() < -9 * 365 * 86_400_000, "{told}");
    assert_eq!(status(&edge).await["clockDoubt"], Value::Null);
    drop(edge);
    let edge = Edge::serve_at("2036-03-01 12:00:30", &data, &[]).await;
    let now = status(&edge).await;
    assert_eq!(now["clockDoubt"], Value::Null, "{now}");
    let clock: tiffin_common::Millis = now["clock"].as_str().unwrap().parse().unwrap();
    assert!((0..600_000).contains(&clock.since(said)), "{clock} {said}");
}
