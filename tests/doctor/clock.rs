//! A clock that stands in another year, at the start of the real program: the shop sells, and nothing carries a wrong year.

use serde_json::{Value, json};
use std::path::Path;
use tiffin_tests::{Client, Edge, sample};

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
    edge.client().get("/status").await.expect(200).data()
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
        let notices = owner.get("/notifications").await.expect(200).text;
        assert!(notices.contains("The clock of this box is wrong"), "{notices}");
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
    owner.post("/day-close", json!({"businessDate": today, "carryOver": true})).await.expect(201);
    assert_eq!(owner.get("/orders/invoices/verify").await.expect(200).data()["valid"], true);
    let year = books.bills[0].split_once('-').unwrap().0.to_owned();
    let expected: Vec<String> = (1..=books.bills.len()).map(|n| format!("{year}-{n:06}")).collect();
    assert_eq!(books.bills, expected, "one series without a gap");
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
