//! What a box sold while its clock could not be followed: at head office each of those rows says so, too, on either store.

use crate::killed::copy_of;
use crate::office::Place;
use crate::site::Site;
use tiffin_common::Millis;
use tiffin_tests::oracle;
use tiffin_tests::postgres::Database;
use tiffin_tests::sample;

async fn suspect(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 4, &hub, &admin).await;
    let lines = sample::lines(site.owner(), 1).await;
    let (trusted, _) = sample::sell(site.owner(), &lines).await;
    site.wait_until_confirmed().await;
    site.kill();

    // The battery of the clock is empty.
    site.start_at(Millis::new(1_000_000_000_000)).await;
    let (doubtful, _) = sample::sell(site.owner(), &lines).await;
    site.wait_until_confirmed().await;

    let admin = admin.with_outlet(site.outlet);
    for (order, is_suspect) in [(&trusted, false), (&doubtful, true)] {
        let path = format!("/orders/{}", order["id"].as_str().unwrap());
        let held = admin.get(&path).await.expect(200).json();
        assert_eq!(held["clockSuspect"], is_suspect, "{held}");
        assert_eq!(held["payments"][0]["clockSuspect"], is_suspect, "{held}");
    }
    site.kill();
    let conn = oracle::open(&site.database());
    for table in ["orders", "payments", "invoices", "stock_movements"] {
        let sql = format!("SELECT count(*) FROM {table} WHERE clock_suspect = 1");
        assert!(conn.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() > 0, "{table}");
    }
    oracle::assert_equal(site.code, &oracle::rows_of(&site.database()), &copy_of(&place, &site).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_office_knows_which_rows_a_wrong_clock_wrote_on_files() {
    suspect(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_office_knows_which_rows_a_wrong_clock_wrote_on_postgresql() {
    suspect(Some(Database::new())).await;
}
