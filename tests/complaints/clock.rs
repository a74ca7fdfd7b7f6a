//! Clocks that jump.

use crate::path;
use edge::access::Role;
use edge::resources::inventory::worker;
use serde_json::{Value, json};
use sync_hub::verify;
use tiffin_tests::{Branch, Events, House};

#[tokio::test]
async fn complaint_16_a_wrong_clock_poisons_everything() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let first = house.place(&waiter, house.at_table(1, &[("Dal", 1)])).await;
    let mut display = Events::open(&waiter, "/kitchen/stream", None).await;
    // Two hours back: everything goes on, ids and numbers still go up.
    branch.at("2026-11-20T10:30:00.000Z");
    let second = house.place(&waiter, house.at_table(2, &[("Dal", 1)])).await;
    assert_eq!(second["tokenNumber"], 2);
    assert!(second["id"].as_str().unwrap() > first["id"].as_str().unwrap(), "ids never go back");
    let shown = display.until(|event| event.name == "ticket.created").await;
    assert_eq!(shown.data["orderId"], second["id"]);
    house.settle(&house.owner, &first).await;
    house.owner.patch(&format!("{}/status", path(&first)), json!({"status": "COMPLETED"})).await.expect(200);
    // A year ahead, and back again: the numbers of the days stay apart, the bills of the fiscal years too.
    branch.at("2027-11-20T12:30:00.000Z");
    let owner = branch.sign_in(Role::Owner);
    let future = house.place(&owner, house.counter(&[("Lassi", 1)])).await;
    assert_eq!(future["orderNumber"], "BLR1-271120-0001");
    // A year ahead all milk has expired, and the till is warned; what is shown as out for that comes back with the clock.
    let expired = house.place(&owner, house.counter(&[("Lassi", 1)])).await;
    assert_eq!(expired["warnings"][0]["code"], "OUT_OF_STOCK");
    branch.at("2026-11-20T13:00:00.000Z");
    worker::look(&branch.db).await.unwrap();
    let third = house.place(&waiter, house.counter(&[("Lassi", 1)])).await;
    assert_eq!((&third["orderNumber"], &third["warnings"]), (&json!("BLR1-261120-0003"), &json!([])));
    house.settle(&owner, &third).await;
    let bills: Vec<Value> = vec![
        owner.post(&format!("{}/invoice", path(&third)), json!({})).await.expect(200).data(),
        owner.post(&format!("{}/invoice", path(&second)), json!({})).await.expect(201).data(),
    ];
    assert!(bills.iter().all(|bill| bill["invoiceNumber"].as_str().unwrap().starts_with("BLR1/2627-")));
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
    // The change log only ever went forward.
    let report = verify::data_dir(branch.folder()).unwrap();
    assert!(report.is_good(), "{report}");
}
