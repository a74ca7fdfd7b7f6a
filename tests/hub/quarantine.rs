//! A log row whose changes cannot be made: it is shown with the reason, holds up nothing, and goes from the list when somebody says so.

use crate::{UNKNOWN, enrol, push_all};
use edge::access::Role;
use edge::log::Job;
use serde_json::json;
use tiffin_common::frame::{Header, Kind};
use tiffin_common::sync::Class;
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_tests::{Branch, HeadOffice, House};

#[tokio::test(flavor = "multi_thread")]
async fn it_is_shown_and_dismissed_once() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    let last = branch.log(0).await.pop().unwrap();
    let (header, body) = (
        Header { seq: last.header.seq + 1, kind: Kind::Data, count: 1, ..last.header },
        b"F\tnonsense".to_vec(),
    );
    let frame = Frame { header, hash: last.hash.next(&header, &body), body };
    let batch = batch::encode(&Batch { previous: last.hash, frames: vec![frame] }).unwrap();
    sender.push(Class::Live, batch).await.expect(200);

    let admin = hub.admin();
    let outlet = format!("/hub/outlets/{}", branch.outlet_id);
    assert_eq!(admin.get(&outlet).await.expect(200).data()["quarantined"], 1);
    let listed = admin.get(&format!("{outlet}/quarantine")).await.expect(200).json();
    let row = &listed["data"][0];
    assert_eq!((&listed["meta"]["total"], &row["seq"]), (&json!(1), &json!(header.seq)));
    assert!(!row["reason"].as_str().unwrap().is_empty(), "{row}");

    let dismiss = |epoch, seq| format!("{outlet}/quarantine/{epoch}/{seq}/dismiss");
    let path = dismiss(header.epoch, header.seq.to_string());
    let note = json!({"note": "the branch's rows are equal again"});
    let manager = hub.sign_in(Role::Manager, &[branch.outlet_id]);
    manager.post(&path, note.clone()).await.refused(403, "FORBIDDEN");
    admin.post(&dismiss(header.epoch, "first".into()), json!({})).await.refused(400, "BAD_REQUEST");
    admin.post(&dismiss(UNKNOWN, header.seq.to_string()), json!({})).await.refused(404, "NOT_FOUND");
    let first = admin.post_keyed(&path, "once", note.clone()).await.expect(200);
    let again = admin.post_keyed(&path, "once", note.clone()).await.expect(200);
    assert_eq!(again.text, first.text);
    admin.post(&path, note).await.refused(404, "NOT_FOUND");

    assert_eq!(admin.get(&outlet).await.expect(200).data()["quarantined"], 0);
    let audited = admin.get("/hub/audit-log?action=quarantine.dismiss").await.expect(200).json();
    assert_eq!(audited["meta"]["total"], 1, "{audited}");
    assert_eq!(audited["data"][0]["detail"]["note"], "the branch's rows are equal again");
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_a_box_deletes_stay_at_head_office_and_somebody_is_told() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    // Whoever gets past the branch's own triggers still does not get at head office's rows.
    for sql in ["UPDATE payments SET amount_cents = 1", "DELETE FROM payments", "DELETE FROM audit_log"] {
        branch.db.write(move |tx| tx.job(Job::Recover, || tx.execute(sql, []))).await.unwrap();
    }
    push_all(&branch, &sender).await;
    let admin = hub.admin();
    let listed = admin.get(&format!("/hub/outlets/{}/quarantine", branch.outlet_id)).await.expect(200).json();
    assert_eq!(listed["meta"]["total"], 3, "{listed}");
    let reasons: Vec<&str> =
        listed["data"].as_array().unwrap().iter().map(|row| row["reason"].as_str().unwrap()).collect();
    assert!(reasons.contains(&"a row of payments was deleted: such rows only come to be"), "{reasons:?}");
    let manager = hub.sign_in(Role::Manager, &[branch.outlet_id]).with_outlet(branch.outlet_id);
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let kept = manager.get(&path).await.expect(200).json();
    assert_eq!(kept["payments"][0]["amountCents"], order["totalAmountCents"], "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sqlite3_deletes_at_a_branch_does_not_reach_head_office_by_a_repair() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    branch.enroll(&hub).await;
    // A worker compares when it begins.
    let exchange = async || {
        let mut worker = branch.worker();
        for _ in 0..12 {
            worker.chores_step().await;
            worker.push_step().await;
        }
    };
    exchange().await;
    let admin = hub.admin();
    let path = format!("/hub/outlets/{}", branch.outlet_id);
    let before = admin.get(&path).await.expect(200).data();
    assert_eq!((&before["digest"], &before["quarantined"]), (&json!("OK"), &json!(0)), "{before}");
    let conn = rusqlite::Connection::open(branch.db.path()).unwrap();
    conn.execute_batch(
        "DROP TRIGGER capture_keep_payments_delete; DROP TRIGGER capture_payments_delete; DELETE FROM payments",
    )
    .unwrap();
    drop(conn);
    let next = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &next).await;
    exchange().await;
    let after = admin.get(&path).await.expect(200).data();
    let stands = (&after["digest"], &after["quarantined"], &after["withheld"]);
    assert_eq!(stands, (&json!("OK"), &json!(1), &json!(1)), "{after}");
    let manager = hub.sign_in(Role::Manager, &[branch.outlet_id]).with_outlet(branch.outlet_id);
    for order in [order, next] {
        let kept =
            manager.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.expect(200).json();
        assert_eq!(kept["payments"][0]["amountCents"], order["totalAmountCents"], "{kept}");
    }
}
