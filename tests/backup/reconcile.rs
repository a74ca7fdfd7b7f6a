//! A branch whose database was put back, in the same folder and on another box: head office gives back what it had confirmed, and no
//! number is given out twice.

use crate::{database, edge, folder, made, quiet, restaurant, texts};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use tiffin_tests::{Client, Edge, HeadOffice, sample};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_backup_gets_back_from_head_office_what_it_lacks() {
    let hub = HeadOffice::start().await;
    let folder = folder();
    let data = restaurant(folder.path());
    let server = Edge::serve(&data, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    let menu = sample::lines(&client, 2).await;
    let code = hub.code(None).await;
    edge(&data, &["enroll", "--hub", hub.base(), "--code", &code]).await;
    let mut sold: Vec<(Value, Value)> = Vec::new();
    for _ in 0..5 {
        sold.push(sample::sell(&client, &menu).await);
    }
    quiet(&server).await;
    let apart = folder.path().join("secrets.json");
    let backup = made(&edge(&data, &["backup", "--secrets", apart.to_str().unwrap()]).await);
    for _ in 0..7 {
        sold.push(sample::sell(&client, &menu).await);
    }
    quiet(&server).await;
    server.kill();

    // The same box: what was there is kept, and what came after the backup comes back.
    let told = edge(&data, &["restore", backup.to_str().unwrap()]).await;
    assert!(told.contains("is kept") && told.contains("head office"), "{told}");
    let server = Edge::serve(&data, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    sold.push(sample::sell(&client, &menu).await);
    quiet(&server).await;
    all_are_here(&client, &data, &sold).await;
    sold.push(sample::sell(&client, &menu).await);
    quiet(&server).await;
    no_number_twice(&sold);
    server.kill();
    let report = sync_hub::verify::data_dir(&data).unwrap();
    assert!(report.is_good(), "{:?}", report.problems);

    // Another box, from the same old backup and the secrets that were kept apart: nothing else is left of the old one.
    let new = folder.path().join("new");
    let told =
        edge(&new, &["restore", "--new", backup.to_str().unwrap(), "--secrets", apart.to_str().unwrap()])
            .await;
    assert!(told.contains("1000 numbers further"), "{told}");
    let server = Edge::serve(&new, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    sold.push(sample::sell(&client, &menu).await);
    quiet(&server).await;
    all_are_here(&client, &new, &sold).await;
    no_number_twice(&sold);
    let punch = serde_json::json!({"employeePin": "1001", "eventType": "CLOCK_IN"});
    let answer = client.post("/workforce/attendance", punch).await;
    assert!(
        answer.status < 300,
        "PINs go on working with the old pepper: {} {}",
        answer.status,
        answer.json()
    );
    server.kill();
    assert_eq!(texts(&database(&new), "PRAGMA integrity_check"), ["ok"]);
}

async fn all_are_here(client: &Client, data: &Path, sold: &[(Value, Value)]) {
    for (order, _) in sold {
        let path = format!("/orders/{}", order["id"].as_str().unwrap());
        let here = client.get(&path).await.expect(200).json();
        assert_eq!(here["orderNumber"], order["orderNumber"]);
        assert_eq!(here["totalAmountCents"], order["totalAmountCents"]);
    }
    let bills: HashSet<String> = texts(&database(data), "SELECT number FROM invoices").into_iter().collect();
    let lost: Vec<_> =
        sold.iter().filter(|(_, bill)| !bills.contains(bill["invoiceNumber"].as_str().unwrap())).collect();
    assert!(lost.is_empty(), "bills that are gone: {lost:?}");
}

fn no_number_twice(sold: &[(Value, Value)]) {
    let mut seen = HashSet::new();
    for (order, bill) in sold {
        for number in [&order["orderNumber"], &bill["invoiceNumber"], &order["id"]] {
            assert!(seen.insert(number.as_str().unwrap().to_owned()), "{number} was given out twice");
        }
    }
}
