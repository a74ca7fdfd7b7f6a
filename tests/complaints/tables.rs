//! QR codes: who may do what with a table's link, and for how long.

use crate::{id, path};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn token(house: &House, table: usize) -> String {
    let rotated = house.owner.post(&format!("/tables/{}/qr", house.table(table)), json!({})).await;
    rotated.data()["qrToken"].as_str().unwrap().to_owned()
}

async fn orders(guest: &Client, token: &str) -> Vec<Value> {
    guest.get(&format!("/orders/tables/{token}/orders")).await.data().as_array().unwrap().clone()
}

#[tokio::test]
async fn complaint_12_guests_qr_links_live_on_and_strangers_see_each_other() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let guest = branch.anonymous();
    let (one, two) = (token(&house, 1).await, token(&house, 2).await);
    let dal =
        json!({"items": [{"menuItemId": house.dish("Dal"), "quantity": 1}], "customerName": "Asha Rao"});
    let to_one = format!("/orders/tables/{one}/orders");
    // The price is the menu's: who believes in another is told so, and never charged it.
    let mut cheap = dal.clone();
    cheap["items"][0]["unitPriceCents"] = json!(1);
    let refused = guest.post(&to_one, cheap).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].unitPriceCents"]);
    let order = guest.post(&to_one, dal.clone()).await.expect(201).data();
    // The order waits for staff.
    assert_eq!((&order["totalAmountCents"], &order["status"]), (&json!(18_900), &json!("PENDING")));
    assert_eq!(order["awaitsApproval"], true);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 0);
    // The neighbours see nothing of it, and nobody's name is ever sent.
    assert_eq!(orders(&guest, &two).await, Vec::<Value>::new());
    let seen = guest.get(&to_one).await.expect(200);
    assert_eq!(seen.data().as_array().unwrap().len(), 1);
    assert!(!seen.text.contains("Asha"), "{}", seen.text);
    // A guest has no right to the staff's routes.
    guest.get(&path(&order)).await.refused(401, "UNAUTHORIZED");
    guest.post(&format!("{}/items", path(&order)), json!({"items": []})).await.refused(401, "UNAUTHORIZED");
    // Accepted, served, paid, closed: the party leaves.
    let waiter = branch.sign_in(Role::Waiter);
    waiter.patch(&format!("{}/status", path(&order)), json!({"status": "ACCEPTED"})).await.expect(200);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, 1);
    // Whoever has a photo of the code is not the party: its own four digits say so.
    let table = waiter.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    let mut again = dal.clone();
    again["sessionCode"] = table["currentSession"]["sessionCode"].clone();
    let second = guest.post(&to_one, again).await.expect(201).data();
    assert_eq!(second["awaitsApproval"], false, "the party is known now");
    for order in [&order, &second] {
        house.settle(&house.owner, order).await;
        house
            .owner
            .patch(&format!("{}/status", path(order)), json!({"status": "COMPLETED"}))
            .await
            .expect(200);
    }
    // The next party at the table sees nothing of them, and its first order waits again.
    assert_eq!(orders(&guest, &one).await, Vec::<Value>::new());
    let menu = guest.get(&format!("/orders/tables/{one}/menu")).await.expect(200);
    assert!(!menu.text.contains("Asha") && !menu.text.contains(id(&order)), "{}", menu.text);
    let cleared = json!({"status": "AVAILABLE"});
    waiter.patch(&format!("/tables/{}/status", house.table(1)), cleared).await.expect(200);
    let next = guest.post(&to_one, dal.clone()).await.expect(201).data();
    assert_eq!(next["awaitsApproval"], true);
    assert_eq!(orders(&guest, &one).await.len(), 1);
    // A rotated code is dead at once, for reading and ordering.
    let fresh = token(&house, 1).await;
    assert_ne!(fresh, one);
    for path in [format!("/orders/tables/{one}/menu"), to_one.clone()] {
        guest.get(&path).await.refused(404, "NOT_FOUND");
    }
    guest.post(&to_one, dal).await.refused(404, "NOT_FOUND");
    assert_eq!(orders(&guest, &fresh).await.len(), 1);
    // Only those who manage tables see tokens.
    assert!(waiter.get(&format!("/tables/{}", house.table(1))).await.data()["qrToken"].is_null());
}
