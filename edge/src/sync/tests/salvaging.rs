//! What another box of the outlet had is taken over: in steps that take no action apart, and never over what was done since, be it here or by
//! a box between the two.

use super::hub::packed;
use super::*;
use crate::sync::{Hub, salvage};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::sync::atomic::Ordering;
use tiffin_common::frame::{Body, Changes, OpKind, Ops, Value};
use tiffin_common::sync::SalvagePage;

const TAKEOVER: Uuid = Uuid::from_u128(0x7a);

fn supplier() -> Uuid {
    "01970000-0000-7000-8000-000000000001".parse().unwrap()
}

/// The dead box changed a supplier, which came here when this one was filled.
fn stage() -> Stage {
    let stage = Stage::new();
    let made = "INSERT INTO suppliers (id, outlet_id, name, phone, email, created_at, updated_at)
        VALUES (x'01970000000070008000000000000001', ?1, 'Fresh Farms', 'since', 'old@farms.test', 1, 1)";
    let outlet = stage.fixture.outlet_id;
    stage.fixture.db.write_blocking(move |tx: &Tx<'_>| tx.unrecorded(|| tx.execute(made, [outlet]))).unwrap();
    stage
}

fn text_of(changes: &[Vec<u8>]) -> String {
    let mut all = Changes::default();
    changes.iter().flat_map(|change| Ops::of(change)).for_each(|op| all.push(&op.unwrap()));
    STANDARD.encode(zstd::bulk::compress(all.bytes(), 3).unwrap())
}

fn edited(columns: &[(&str, Value<'_>)]) -> Vec<u8> {
    packed("suppliers", OpKind::Update, supplier(), columns)
}

fn counter(outlet: Uuid, no: u32) -> Vec<u8> {
    let series = format!("S{no}");
    let columns =
        [("outlet_id", Value::Id(outlet)), ("series", Value::Text(&series)), ("value", Value::Integer(1))];
    packed("counters", OpKind::Insert, Uuid::from_u128(0x9000 + u128::from(no)), &columns)
}

async fn take_over(stage: &Stage, page: SalvagePage) {
    stage.hub.state.lock().unwrap().salvage = Some(page);
    let client = Arc::clone(&stage.hub);
    stage.worker.exchange.0.salvage.store(true, Ordering::SeqCst);
    salvage::take_over(&stage.worker.exchange, &Hub::new(client)).await.unwrap();
}

fn read<T: rusqlite::types::FromSql>(stage: &Stage, sql: &str) -> T {
    let connection = rusqlite::Connection::open(stage.fixture.db.path()).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// What the log tells of takeovers: how many rows each part, and whether it is the last.
fn told(stage: &Stage) -> Vec<(usize, bool)> {
    let frames =
        stage.fixture.db.read_blocking(|from| store::list_after(from, 0, usize::MAX, usize::MAX)).unwrap();
    let part = |frame: &tiffin_common::sync::batch::Frame| match Body::decode(&frame.header, &frame.body) {
        Ok(Body::Recovered { origin, ops }) if origin.epoch == TAKEOVER => Some((ops.len(), origin.seq > 0)),
        _ => None,
    };
    frames.iter().filter_map(part).collect()
}

#[tokio::test]
async fn what_a_box_between_the_two_changed_stays() {
    let both = [edited(&[("phone", Value::Text("dead")), ("email", Value::Text("dead@farms.test"))])];
    let phone = [edited(&[("phone", Value::Null)])];
    let stage = stage();
    let changed = text_of(&phone);
    let page = SalvagePage { id: Some(TAKEOVER), after: 0, rows: text_of(&both), actions: vec![1], changed };
    take_over(&stage, page).await;
    assert_eq!(
        read::<String>(&stage, "SELECT phone || ' ' || email FROM suppliers"),
        "since dead@farms.test"
    );
    assert_eq!(read::<i64>(&stage, "SELECT count(*) FROM sync_reviews WHERE reason = 'CHANGED_SINCE'"), 1);
    assert_eq!(told(&stage), [(2, true)], "with the review");
}

#[tokio::test]
async fn of_a_head_office_that_does_not_say_so_all_is_taken_at_once() {
    let stage = stage();
    let rows = [edited(&[("phone", Value::Text("dead"))]), counter(stage.fixture.outlet_id, 1)];
    let page = format!(r#"{{"id": "{TAKEOVER}", "after": 0, "rows": "{}"}}"#, text_of(&rows));
    take_over(&stage, serde_json::from_str(&page).unwrap()).await;
    assert_eq!(read::<String>(&stage, "SELECT phone FROM suppliers"), "dead");
    assert_eq!(told(&stage), [(2, true)]);
}

#[tokio::test]
async fn much_is_taken_over_in_steps_and_no_action_is_taken_apart() {
    let stage = stage();
    let outlet = stage.fixture.outlet_id;
    let rows: Vec<_> = (0..900).map(|no| counter(outlet, no)).collect();
    let actions = vec![150, 150, 150, 150, 150, 150];
    let page =
        SalvagePage { id: Some(TAKEOVER), after: 0, rows: text_of(&rows), actions, changed: String::new() };
    take_over(&stage, page.clone()).await;
    assert_eq!(told(&stage), [(300, false), (300, false), (300, true)]);
    assert_eq!(read::<i64>(&stage, "SELECT count(*) FROM counters WHERE series LIKE 'S%'"), 900);
    // A box that stopped before head office heard of the end is handed it once more.
    take_over(&stage, page).await;
    assert_eq!(read::<i64>(&stage, "SELECT count(*) FROM sync_reviews"), 0);
}
