//! A head office that has nothing, or an older backup than the branch's log reaches back to: it is said at both ends, and the branch
//! fills it again.

use crate::numbers::alike;
use crate::office::{self, Place};
use crate::put_back::{number, price, until};
use crate::site::Site;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tiffin_tests::disk::copy;
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, Edge, HubProcess};

/// What the branch's log says of weeks ago is gone, as head office had confirmed it.
fn prune(site: &Site) {
    let conn = rusqlite::Connection::open(site.database()).unwrap();
    let prune = "DROP TRIGGER capture_keep_sync_log_delete;
        DELETE FROM sync_log WHERE seq < (SELECT max(seq) - 3 FROM sync_log)";
    conn.execute_batch(prune).unwrap();
}

/// What `edge enroll` prints, and whether it did what was asked.
async fn enroll(site: &Site, data: &std::path::Path, admin: &Client, more: &[&str]) -> (bool, String) {
    let code = office::code(admin, None).await;
    let mut command = Command::new(Edge::binary());
    command.args(["enroll", "--hub", site.proxy.base(), "--code", &code, "--data-dir"]).arg(data).args(more);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

async fn standing_there(admin: &Client, site: &Site) -> String {
    let outlet = admin.get(&format!("/hub/outlets/{}", site.outlet)).await.expect(200).data();
    let found = outlet["standing"].as_str().or(outlet["outlet"]["standing"].as_str());
    found.unwrap_or_else(|| panic!("{outlet}")).to_owned()
}

/// Both ends say that head office lacks what the branch no longer keeps.
async fn is_said(admin: &Client, site: &Site) {
    until("the branch says so", async || site.exchange().await["standing"] == "LACKING").await;
    assert_eq!(standing_there(admin, site).await, "LACKING");
    assert_eq!(number(site, "SELECT count(*) FROM notifications WHERE type = 'SYNC_GONE'"), 1);
    let doctor =
        Command::new(Edge::binary()).args(["doctor", "--json", "--data-dir"]).arg(&site.data).output();
    let found = String::from_utf8(doctor.unwrap().stdout).unwrap();
    assert!(found.contains("--reseed"), "{found}");
}

/// Head office holds every row again.
async fn is_filled(place: &Place, admin: &Client, site: &mut Site) {
    let left = "SELECT count(*) FROM sync_reseed";
    until("all buckets are sent", async || number(site, left) == 0).await;
    site.wait_until_confirmed().await;
    until("it is said", async || standing_there(admin, site).await == "NORMAL").await;
    until("nothing is left to say", async || site.exchange().await["standing"] == "NORMAL").await;
    let fed = "SELECT feed_mark IS NOT NULL FROM sync_peer";
    until("head office's list is taken", async || number(site, fed) == 1).await;
    until("all of it is compared", async || site.exchange().await["digest"] == "OK").await;
    alike(place, site).await;
    site.kill();
    let here = oracle::rows_of(&site.database());
    if place.database_url.is_none() {
        let copy = place.data.join("outlets").join(format!("{}.db", site.outlet));
        let found = oracle::shared_differences(&here, &oracle::open(&copy));
        assert!(found.is_empty(), "{:#?}", &found[..found.len().min(20)]);
    }
    let problems = oracle::ledger_problems(&oracle::open(&site.database()), &site.ledger);
    assert!(problems.is_empty(), "{problems:#?}");
    site.start().await;
    site.trade(5, &AtomicU64::new(0)).await;
    site.wait_until_confirmed().await;
}

async fn opened(place: &Place, folder: &std::path::Path) -> (HubProcess, Site) {
    let hub = place.serve().await;
    let mut site = Site::make(folder, "BLR1", 12, &Arc::new(Cursors::default())).await;
    site.proxy.to(&[hub.base()]);
    site.enrol(&hub.admin().await, false).await;
    site.start().await;
    site.trade(40, &AtomicU64::new(0)).await;
    site.wait_until_confirmed().await;
    (hub, site)
}

async fn an_empty_one(before: Option<Database>, after: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), before.map(|database| database.url));
    let (hub, mut site) = opened(&place, folder.path()).await;
    let port: u16 = hub.base().rsplit(':').next().unwrap().parse().unwrap();
    hub.kill();
    site.kill();
    prune(&site);
    std::fs::remove_dir_all(&place.data).unwrap();
    let place = Place::make(folder.path(), after.map(|database| database.url));
    let hub = place.serve_on(port).await;
    let admin = hub.admin().await;
    site.start().await;
    let (done, said) = enroll(&site, &site.data, &admin, &[]).await;
    assert!(done, "{said}");
    is_said(&admin, &site).await;
    // A box that stands beside it may not.
    let other = folder.path().join("other");
    copy(&site.data, &other);
    std::fs::remove_file(other.join("secrets/hub.key")).unwrap();
    let (done, said) = enroll(&site, &other, &admin, &["--reseed"]).await;
    assert!(!done && said.contains("has a box already"), "{said}");
    let (done, said) = enroll(&site, &site.data, &admin, &["--reseed"]).await;
    assert!(done && said.contains("sent again"), "{said}");
    is_filled(&place, &admin, &mut site).await;
    let (done, said) = enroll(&site, &site.data, &admin, &["--reseed"]).await;
    assert!(done && said.contains("lacks nothing"), "{said}");
    drop(hub);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_head_office_is_filled_from_its_branch() {
    an_empty_one(None, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_postgresql_is_filled_from_the_branch() {
    an_empty_one(Some(Database::new()), Some(Database::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_older_than_the_branchs_log_is_filled_up_and_takes_nothing_back() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), None);
    let (hub, mut site) = opened(&place, folder.path()).await;
    let port: u16 = hub.base().rsplit(':').next().unwrap().parse().unwrap();
    let admin = hub.admin().await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dish = admin.get("/hub/menu/items?limit=100").await.expect(200).data()[0].clone();
    let told = HubProcess::run(&place.data, &["backup"]);
    let backup =
        told.split_whitespace().map(|word| word.trim_end_matches(':')).find(|word| word.ends_with(".zst"));
    let backup = backup.unwrap_or_else(|| panic!("{told}")).to_owned();
    let path = format!("/hub/menu/items/{}", dish["id"].as_str().unwrap());
    admin.patch(&path, json!({"priceCents": 66_600})).await.expect(200);
    let name = dish["name"].as_str().unwrap().to_owned();
    until("the price arrives", async || price(site.owner(), &name).await == 66_600).await;
    site.trade(40, &AtomicU64::new(0)).await;
    site.wait_until_confirmed().await;
    hub.kill();
    site.kill();
    prune(&site);
    HubProcess::run(&place.data, &["restore", &backup]);
    let hub = place.serve_on(port).await;
    let admin = hub.admin().await;
    site.start().await;
    is_said(&admin, &site).await;
    assert_eq!(
        price(site.owner(), &name).await,
        66_600,
        "nothing is taken back before head office is filled"
    );
    let (done, said) = enroll(&site, &site.data, &admin, &["--reseed"]).await;
    assert!(done && said.contains("sent again"), "{said}");
    is_filled(&place, &admin, &mut site).await;
    assert_eq!(price(site.owner(), &name).await, 66_600);
}
