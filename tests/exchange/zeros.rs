//! A text with U+0000: refused at the doors of both servers; and where a branch has one already, head office holds the same row on
//! either store, finds it the same, and nobody is told anything.

use crate::killed::copy_of;
use crate::office::Place;
use crate::site::Site;
use rusqlite::types::Value as Held;
use serde_json::json;
use std::time::{Duration, Instant};
use tiffin_tests::oracle::{self, Rows};
use tiffin_tests::postgres::Database;
use tiffin_tests::{Edge, sample};

/// The rows as they would be taken today.
fn plain(mut rows: Rows) -> Rows {
    for value in rows.values_mut().flat_map(|rows| rows.values_mut()).flatten() {
        if let Held::Text(text) = value {
            *text = tiffin_common::text::clean(text).into_owned();
        }
    }
    rows
}

async fn zeros(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 3, &hub, &admin).await;

    let lines = sample::lines(site.owner(), 1).await;
    let body = json!({"orderType": "COUNTER", "items": lines, "customerName": "As\0ha"});
    let refused = site.owner().post("/orders", body).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["customerName"]);
    let refused = admin.post("/hub/menu/categories", json!({"name": "Ri\0ce"})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["name"]);
    site.owner().get("/orders?search=a%00b").await.expect(400);

    // An order of an older version has one.
    sample::sell(site.owner(), &lines).await;
    site.kill();
    let data = site.data.to_str().unwrap();
    let change = "UPDATE orders SET notes = 'As' || char(0) || 'ha'";
    Edge::run(&["sql", "--data-dir", data, "--write", change]);
    site.start().await;
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let sync = site.exchange().await;
        if sync["rowsWaiting"] == 0 && !sync["digest"].is_null() {
            assert_eq!(sync["digest"], "OK", "{sync}");
            break;
        }
        assert!(Instant::now() < deadline, "never compared: {sync}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    site.wait_until_confirmed().await;
    site.kill();
    let conn = oracle::open(&site.database());
    let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM orders WHERE instr(notes, char(0)) > 0"), 1);
    assert_eq!(count("SELECT count(*) FROM notifications WHERE type = 'SYNC_DIGEST'"), 0);
    oracle::assert_equal(
        site.code,
        &plain(oracle::rows_of(&site.database())),
        &plain(copy_of(&place, &site).await),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_with_a_zero_is_the_same_row_on_files() {
    zeros(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_with_a_zero_is_the_same_row_on_postgresql() {
    zeros(Some(Database::new())).await;
}
