//! Payments, refunds, bills and their chain, receipts: `/orders/{orderId}/…` and `/orders/invoices`. Dividing is in division.rs.

use edge::access::Role;
use edge::log::Job;
use edge::resources::orders::rules::invoices::chain;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn id(order: &Value) -> &str {
    order["id"].as_str().unwrap()
}

fn path(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

fn cents(value: &Value, field: &str) -> i64 {
    value[field].as_i64().unwrap_or_else(|| panic!("no {field} in {value}"))
}

async fn open() -> (Branch, House, Client) {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    (branch, house, manager)
}

#[tokio::test]
async fn an_order_is_paid_in_parts_and_the_change_is_computed() {
    let (_branch, house, manager) = open().await;
    let order = house.place(&manager, house.counter(&[("Dal", 2)])).await;
    assert_eq!(cents(&order, "dueCents"), 37_800);
    let payments = format!("{}/payments", path(&order));
    let first = json!({"method": "CARD", "amountCents": 10_000, "reference": "TXN-7781"});
    let data = manager.post(&format!("/orders/{}/payments", id(&order)), first).await.expect(201).data();
    assert_eq!((&data["payment"]["method"], &data["order"]["dueCents"]), (&json!("CARD"), &json!(27_800)));
    let over = manager.post(&payments, json!({"method": "CASH", "amountCents": 27_801})).await;
    let over = over.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(over.invalid_fields(), ["amountCents"]);
    assert!(over.text.contains("27800"), "what is due is named: {}", over.text);
    for number in ["4111 1111 1111 1111", "4111-1111-1111-1111", "378282246310005"] {
        let card = json!({"method": "CARD", "amountCents": 1, "reference": number});
        let refused = manager.post(&payments, card).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["reference"]);
        assert!(!refused.text.contains(&number[..7]), "a card number is never repeated");
    }
    let short = json!({"method": "CASH", "amountCents": 27_800, "tipCents": 500, "tenderedCents": 28_000});
    assert_eq!(manager.post(&payments, short).await.expect(422).invalid_fields(), ["tenderedCents"]);
    let cash = json!({"method": "CASH", "amountCents": 27_800, "tipCents": 500, "tenderedCents": 30_000});
    let data = manager.post(&payments, cash).await.expect(201).data();
    assert_eq!((&data["payment"]["changeCents"], &data["order"]["dueCents"]), (&json!(1_700), &json!(0)));
    assert_eq!((&data["order"]["paidCents"], &data["order"]["tipCents"]), (&json!(37_800), &json!(500)));
    manager
        .post(&payments, json!({"method": "CASH", "amountCents": 1}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn two_tills_that_take_the_last_payment_at_once_take_it_once() {
    let (branch, house, manager) = open().await;
    let order = house.place(&manager, house.counter(&[("Lassi", 1)])).await;
    let payments = format!("{}/payments", path(&order));
    let body = json!({"method": "UPI", "amountCents": 9_450});
    let tries = (0..8).map(|_| manager.post(&payments, body.clone()));
    let replies = futures_util::future::join_all(tries).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert!(replies.iter().all(|reply| [201, 422].contains(&reply.status)));
    assert_eq!(branch.number("SELECT sum(amount_cents) FROM payments").await, 9_450);
}

#[tokio::test]
async fn completing_needs_everything_paid_and_makes_the_bill() {
    let (_branch, house, manager) = open().await;
    let order = house.place(&manager, house.counter(&[("Dal", 1)])).await;
    let status = format!("{}/status", path(&order));
    let refused =
        manager.patch(&status, json!({"status": "COMPLETED"})).await.refused(409, "INVALID_TRANSITION");
    assert!(refused.text.contains("18900"));
    house.settle(&manager, &order).await;
    let done = manager.patch(&status, json!({"status": "COMPLETED"})).await.expect(200).data();
    assert_eq!((&done["status"], &done["invoiceNumber"]), (&json!("COMPLETED"), &json!("BLR1/2627-000001")));
}

#[tokio::test]
async fn a_bill_is_made_once_frozen_and_can_be_withdrawn_unpaid() {
    let (_branch, house, manager) = open().await;
    let order = house.place(&manager, house.at_table(2, &[("Dal", 1), ("Bottled Water", 2)])).await;
    let bill = manager.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(201).data();
    assert_eq!((&bill["number"], &bill["kind"]), (&json!("BLR1/2627-000001"), &json!("INVOICE")));
    assert_eq!((cents(&bill, "totalCents"), cents(&bill, "taxCents")), (24_900, 900));
    assert_eq!(bill["order"]["invoiceNumber"], bill["invoiceNumber"]);
    let again = manager.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(200).data();
    assert_eq!((&again["id"], &again["hash"]), (&bill["id"], &bill["hash"]));
    let line = json!({"items": [house.line("Dal", 1)]});
    manager.post(&format!("{}/items", path(&order)), line.clone()).await.refused(409, "INVALID_TRANSITION");
    let cut = json!({"type": "FIXED", "value": 100, "reason": "late"});
    manager.post(&format!("{}/discounts", path(&order)), cut).await.refused(409, "INVALID_TRANSITION");

    let withdraw = format!("{}/invoice/withdraw", path(&order));
    let why = json!({"reason": "one more dal"});
    let open =
        manager.post(&format!("/orders/{}/invoice/withdraw", id(&order)), why).await.expect(200).data();
    assert_eq!(open["invoiceNumber"], Value::Null);
    manager.post(&format!("{}/items", path(&order)), line).await.expect(201);
    let second = manager.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(201).data();
    assert_eq!((&second["number"], cents(&second, "totalCents")), (&json!("BLR1/2627-000002"), 43_800));
    house.settle(&manager, &order).await;
    manager.post(&withdraw, json!({"reason": "too late"})).await.refused(409, "INVALID_TRANSITION");

    let list = manager.get("/orders/invoices").await.expect(200).json();
    assert_eq!(list["meta"]["total"], 3);
    let credits = manager.get("/orders/invoices?kind=CREDIT_NOTE").await.expect(200).data();
    assert_eq!(credits[0]["number"], "BLR1/2627C000001");
    assert_eq!(credits[0]["refersTo"]["number"], "BLR1/2627-000001");
    let one = format!("/orders/invoices/{}", credits[0]["id"].as_str().unwrap());
    let credit = manager.get(&one).await.expect(200).data();
    assert_eq!((cents(&credit, "totalCents"), cents(&credit, "taxCents")), (24_900, 900));
    let proof = manager.get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!((&proof["valid"], &proof["checked"]), (&json!(true), &json!(3)));
}

/// Complaint 6: numbers collide or have gaps.
#[tokio::test]
async fn numbers_never_collide_have_no_gap_and_a_changed_bill_is_found() {
    let (branch, house, manager) = open().await;
    let placed = (0..24).map(|_| house.place(&manager, house.counter(&[("Bottled Water", 1)])));
    let orders = futures_util::future::join_all(placed).await;
    let cancelled = path(&orders[0]);
    manager.patch(&format!("{cancelled}/status"), json!({"status": "CANCELLED"})).await.expect(200);
    // A bill that is refused must not use up a number.
    let bills = orders.iter().map(|order| {
        let path = format!("{}/invoice", path(order));
        async { manager.post(&{ path }, json!({})).await.status }
    });
    let statuses = futures_util::future::join_all(bills).await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 23);
    let gaps = "SELECT max(serial) - count(*) + min(serial) - 1 FROM invoices";
    assert_eq!(branch.number(gaps).await, 0);
    assert_eq!(branch.number("SELECT count(DISTINCT token_number) FROM orders").await, 24);
    assert_eq!(branch.number("SELECT max(token_number) FROM orders").await, 24);
    let accountant = branch.sign_in(Role::Accountant);
    let proof = async || accountant.get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(proof().await["valid"], true);
    let tamper = async |sql: &'static str| {
        branch.db.write(move |tx| tx.job(Job::Recover, || tx.execute(sql, []))).await.unwrap();
    };
    let refused = branch.db.write(|tx| tx.execute("UPDATE invoices SET total_cents = 1", [])).await;
    assert!(refused.is_err(), "nobody changes a bill, but what takes back what was lost");
    tamper("UPDATE invoices SET total_cents = 1 WHERE serial = 7").await;
    let found = proof().await;
    assert_eq!(found["valid"], false);
    assert!(found["problems"][0].as_str().unwrap().starts_with("BLR1/2627-000007"));
    tamper("UPDATE invoices SET total_cents = 3000 WHERE serial = 7").await;
    assert_eq!(proof().await["valid"], true);
    tamper("UPDATE invoices SET body = replace(body, '3000', '1000') WHERE serial = 9").await;
    assert_eq!(proof().await["valid"], false);
    tamper("UPDATE invoices SET body = replace(body, '1000', '3000') WHERE serial = 9").await;
    tamper("DELETE FROM invoices WHERE serial = 23").await;
    let found = proof().await;
    assert!(found["problems"][0].as_str().unwrap().contains("23 numbers were given"), "{found}");
}

/// The chain of `branch` written anew behind its back, as `sqlite3` could: each bill says what `cook` makes of it, and follows from the one
/// before.
fn write_anew(branch: &Branch, cook: impl Fn(&str) -> String) {
    let conn = rusqlite::Connection::open(branch.db.path()).unwrap();
    conn.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    conn.execute_batch("DROP TRIGGER capture_keep_invoices_update; DROP TRIGGER capture_invoices_update")
        .unwrap();
    let mut rows = conn.prepare("SELECT id, previous_hash, body FROM invoices ORDER BY serial").unwrap();
    let rows: Vec<(Vec<u8>, Vec<u8>, String)> = rows
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut previous = rows[0].1.clone();
    for (id, _, body) in rows {
        let body = cook(&body);
        let hash = chain(&previous, &body).to_vec();
        let total = serde_json::from_str::<Value>(&body).unwrap()["totalCents"].as_i64().unwrap();
        let sql =
            "UPDATE invoices SET body = ?2, total_cents = ?3, previous_hash = ?4, hash = ?5 WHERE id = ?1";
        conn.execute(sql, rusqlite::params![id, body, total, previous, hash]).unwrap();
        previous = hash;
    }
}

#[tokio::test]
async fn a_chain_that_was_written_anew_is_found_by_its_signatures() {
    let (branch, house, manager) = open().await;
    for _ in 0..3 {
        let order = house.place(&manager, house.counter(&[("Bottled Water", 1)])).await;
        manager.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(201);
    }
    let accountant = branch.sign_in(Role::Accountant);
    let proof = async || accountant.get("/orders/invoices/verify").await.expect(200).data();
    let before = proof().await;
    assert_eq!((&before["valid"], &before["series"][0]["signed"]), (&json!(true), &json!(3)), "{before}");
    let key = &before["keys"][0];
    assert_eq!((before["keys"].as_array().unwrap().len(), &key["life"]), (1, &json!(1)), "{before}");
    let list = accountant.get("/orders/invoices").await.expect(200).data();
    let one = format!("/orders/invoices/{}", list[0]["id"].as_str().unwrap());
    let shown = accountant.get(&one).await.expect(200).data();
    assert_eq!(shown["signature"].as_str().map(str::len), Some(128), "{shown}");
    // Whoever has the key, the outlet's id and the hash needs no program of ours.
    let bytes = |hex: &Value| -> Vec<u8> {
        let hex = hex.as_str().unwrap();
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    let message =
        [b"tiffin invoice signature\0".as_slice(), branch.outlet_id.as_bytes(), &bytes(&shown["hash"])]
            .concat();
    let known = aws_lc_rs::signature::UnparsedPublicKey::new(
        &aws_lc_rs::signature::ED25519,
        bytes(&key["publicKey"]),
    );
    known.verify(&message, &bytes(&shown["signature"])).unwrap();

    write_anew(&branch, |body| body.replace(r#""totalCents":3000"#, r#""totalCents":1000"#));
    let found = proof().await;
    let problems: Vec<&str> =
        found["problems"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let wrong = |serial| format!("BLR1/2627-00000{serial}: its signature is not the box's");
    assert_eq!(problems, [wrong(1), wrong(2), wrong(3)], "the hashes alone fit");
    // Without signatures, as if no box had ever had a key.
    let conn = rusqlite::Connection::open(branch.db.path()).unwrap();
    conn.execute("UPDATE invoices SET signature = NULL", []).unwrap();
    let found = proof().await;
    assert_eq!(found["valid"], false);
    assert!(found["problems"][0].as_str().unwrap().contains("has no signature"), "{found}");
}

#[tokio::test]
async fn documents_of_before_need_no_signature() {
    let (branch, house, manager) = open().await;
    let bill = async || {
        let order = house.place(&manager, house.counter(&[("Bottled Water", 1)])).await;
        manager.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(201).data()
    };
    bill().await;
    for sql in ["UPDATE invoices SET signature = NULL", "DELETE FROM signing_keys"] {
        branch.db.write(move |tx| tx.job(Job::Recover, || tx.execute(sql, []))).await.unwrap();
    }
    let proof = async || manager.get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!((&proof().await["valid"], &proof().await["series"][0]["signed"]), (&json!(true), &json!(0)));
    branch.pass(1_000);
    bill().await;
    let found = proof().await;
    assert_eq!((&found["valid"], &found["series"][0]["signed"]), (&json!(true), &json!(1)), "{found}");
}

/// Complaint 9: refund the same thing many times.
#[tokio::test]
async fn nothing_is_refunded_twice_even_at_the_same_time() {
    let (branch, house, manager) = open().await;
    let order = house.place(&manager, house.counter(&[("Dal", 3), ("Bottled Water", 1)])).await;
    house.settle(&manager, &order).await;
    manager.patch(&format!("{}/status", path(&order)), json!({"status": "COMPLETED"})).await.expect(200);
    let refunds = format!("{}/refunds", path(&order));
    let lines = &order["items"];
    let one = json!({"items": [{"orderItemId": lines[0]["id"], "quantity": 2}], "reason": "cold", "restock": false});
    let tries = (0..6).map(|_| manager.post(&refunds, one.clone()));
    let replies = futures_util::future::join_all(tries).await;
    let made: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
    assert_eq!(made.len(), 1, "3 portions: the second pair is one too many");
    let note = made[0].data();
    assert_eq!((&note["kind"], &note["number"]), (&json!("CREDIT_NOTE"), &json!("BLR1/2627C000001")));
    assert_eq!(note["refersTo"]["number"], "BLR1/2627-000001");
    assert_eq!((cents(&note, "amountCents"), cents(&note, "taxCents")), (37_800, 1_800));
    assert_eq!(note["order"]["dueCents"], 0, "a credit note makes nothing due");
    let many = json!({"items": [
        {"orderItemId": lines[0]["id"], "quantity": 2}, {"orderItemId": order["id"], "quantity": 1}
    ], "reason": "x"});
    let wrong = manager.post(&refunds, many).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(wrong, ["items[0].quantity", "items[1].orderItemId"]);
    let rest = json!({"amountCents": 21_901, "reason": "x"});
    let refused = manager.post(&refunds, rest).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["amountCents"]);
    assert!(refused.text.contains("21900"));
    let tries = (0..6).map(|_| manager.post(&refunds, json!({"amountCents": 21_900, "reason": "all of it"})));
    let replies = futures_util::future::join_all(tries).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!(branch.number("SELECT sum(amount_cents) FROM refunds").await, 59_700);
    assert_eq!(branch.number("SELECT sum(tax_cents) FROM invoices WHERE kind = 'CREDIT_NOTE'").await, 2_700);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'order.refund'").await, 2);
    assert_eq!(manager.get("/orders/invoices/verify").await.data()["valid"], true);
}

#[tokio::test]
async fn what_was_not_made_goes_back_into_stock_and_what_was_made_does_not() {
    let (_branch, house, manager) = open().await;
    let order = house.place(&manager, house.counter(&[("Steamed Rice", 2), ("Lassi", 1)])).await;
    house.settle(&manager, &order).await;
    assert_eq!(house.on_hand("Rice").await, json!(9.76));
    let tickets = manager.get(&format!("/kitchen/tickets?stationId={}", house.station("Bar"))).await.data();
    let ticket = tickets[0]["id"].as_str().unwrap();
    manager.post(&format!("/kitchen/tickets/{ticket}/start"), json!({})).await.expect(200);
    let both = json!({"items": [
        {"orderItemId": order["items"][0]["id"], "quantity": 1}, {"orderItemId": order["items"][1]["id"], "quantity": 1}
    ], "reason": "waited too long", "restock": true});
    manager.post(&format!("/orders/{}/refunds", id(&order)), both).await.expect(201);
    assert_eq!(house.on_hand("Rice").await, json!(9.88));
    assert_eq!(house.on_hand("Milk").await, json!(19.75));
    let rest = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 1}], "reason": "x", "restock": true});
    manager.post(&format!("/orders/{}/refunds", id(&order)), rest).await.expect(201);
    assert_eq!(house.on_hand("Rice").await, json!(10));
}

#[tokio::test]
async fn a_cashier_refunds_only_with_an_approver() {
    let (branch, house, manager) = open().await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    house.settle(&cashier, &order).await;
    let refunds = format!("{}/refunds", path(&order));
    let body = json!({"amountCents": 100, "reason": "x"});
    cashier.post(&refunds, body.clone()).await.refused(403, "FORBIDDEN");
    branch.sign_in(Role::Waiter).post(&refunds, body.clone()).await.refused(403, "FORBIDDEN");
    manager.post(&refunds, body).await.expect(201);
    let both = json!({"amountCents": 1, "items": [], "reason": "x"});
    manager.post(&refunds, both).await.refused(422, "PAYLOAD_VALIDATION");
    manager.post(&refunds, json!({"reason": "x"})).await.refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn money_handed_back_before_the_bill_is_due_again_and_then_the_order_may_be_cancelled() {
    let (branch, house, manager) = open().await;
    let order = house.place(&manager, house.counter(&[("Steamed Rice", 1)])).await;
    let part = json!({"method": "CASH", "amountCents": 9_000});
    let paid = manager.post(&format!("{}/payments", path(&order)), part).await.expect(201).data();
    let status = format!("{}/status", path(&order));
    let refused =
        manager.patch(&status, json!({"status": "CANCELLED"})).await.refused(409, "INVALID_TRANSITION");
    assert!(refused.text.contains("take the payment back first"));
    let reverse = async |payment: &Value| {
        let path = format!("/orders/{}/payments/{}/reverse", id(&order), payment["id"].as_str().unwrap());
        manager.post(&path, json!({"reason": "wrong method"})).await.expect(201).data()
    };
    let open = reverse(&paid["payment"]).await;
    assert_eq!((cents(&open, "dueCents"), &open["invoiceNumber"]), (9_450, &Value::Null));
    let card = json!({"method": "CARD", "amountCents": 9_400});
    let paid = manager.post(&format!("/orders/{}/payments", id(&order)), card).await.expect(201).data();
    let refund = json!({"amountCents": 9_400, "reason": "x"});
    manager.post(&format!("{}/refunds", path(&order)), refund).await.refused(409, "INVALID_TRANSITION");
    reverse(&paid["payment"]).await;
    assert_eq!(branch.number("SELECT count(*) FROM invoices").await, 0);
    manager.patch(&status, json!({"status": "CANCELLED"})).await.expect(200);
    assert_eq!(house.on_hand("Rice").await, json!(10));
    let pay = json!({"method": "CASH", "amountCents": 1});
    manager.post(&format!("/orders/{}/payments", id(&order)), pay).await.refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn a_receipt_comes_as_a_page_as_text_and_as_printer_bytes() {
    let (branch, house, manager) = open().await;
    let mut body = house.counter(&[("Dal", 2)]);
    body["customerName"] = json!("<b>Asha</b>");
    let order = house.place(&manager, body).await;
    let waiter = branch.sign_in(Role::Waiter);
    let receipt =
        async |query: &str| waiter.get(&format!("/orders/{}/receipt{query}", id(&order))).await.expect(200);
    let preview = receipt("?format=text").await;
    assert!(preview.text.contains("NOT A TAX INVOICE"));
    assert!(preview.header("content-type").starts_with("text/plain"));
    house.settle(&manager, &order).await;
    manager.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(200);
    let page = receipt("").await;
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.text.contains("&lt;b&gt;Asha") && !page.text.contains("<b>Asha"));
    let text = receipt("?format=text").await.text;
    for part in ["BLR1/2627-000001", "378.00", "CGST 2.5% on 360.00", "9.00", "CASH"] {
        assert!(text.contains(part), "{part} is not on\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 42));
    let bytes = receipt("?format=escpos").await;
    assert!(bytes.bytes.starts_with(b"\x1b@"));
    waiter.get(&format!("/orders/{}/receipt?format=pdf", id(&order))).await.refused(400, "BAD_REQUEST");
}
