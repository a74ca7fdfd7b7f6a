//! Who a guest was is erased at a branch: head office's copy has no word of it, nor has any database that is put back from a backup of
//! before, here or there, whatever was lost meanwhile.

use crate::killed::copy_of;
use crate::office::Place;
use crate::put_back::until;
use crate::site::Site;
use rusqlite::types::Value as Held;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use tiffin_tests::postgres::Database;
use tiffin_tests::traces::places;
use tiffin_tests::{Edge, HubProcess, sample};

const WORDS: [&str; 3] = ["Zebulon Quixote", "98451 77661", "17 Windmill Lane"];

/// The tables of head office's copy that have a word of the guest.
async fn held(place: &Place, site: &Site) -> Vec<String> {
    if place.database_url.is_none() {
        return places(&place.data.join("outlets").join(format!("{}.db", site.outlet)), &WORDS);
    }
    let has =
        |value: &Held| matches!(value, Held::Text(text) if WORDS.iter().any(|word| text.contains(word)));
    let rows = copy_of(place, site).await.into_iter();
    let found = rows.filter(|(_, rows)| rows.values().flatten().any(has));
    found.map(|(table, _)| table.to_owned()).collect()
}

/// Runs `edge` on the site's data beside the proxy of this process; answers what it printed.
async fn edge(site: &Site, arguments: &[&str]) -> String {
    let words = arguments.iter().copied().chain(["--data-dir", site.data.to_str().unwrap()]);
    let words: Vec<String> = words.map(str::to_owned).collect();
    let run = move || Edge::run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// The backup that a command said it has made.
pub fn backup_in(told: &str) -> PathBuf {
    let path =
        told.split_whitespace().map(|word| word.trim_end_matches(':')).find(|word| word.ends_with(".zst"));
    PathBuf::from(path.unwrap_or_else(|| panic!("{told}")))
}

async fn erased(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 14, &hub, &admin).await;
    let lines = sample::lines(site.owner(), 1).await;
    let order = json!({"orderType": "DELIVERY", "items": lines, "customerName": WORDS[0], "customerPhone": WORDS[1],
        "deliveryAddress": WORDS[2], "notes": "ring 98451 77661"});
    let order = site.owner().post_keyed("/orders", "tap", order).await.expect(201).json();
    site.wait_until_confirmed().await;
    assert!(held(&place, &site).await.iter().any(|place| place.starts_with("guests")));
    let before = backup_in(&edge(&site, &["backup"]).await);
    let office_before = backup_in(&HubProcess::run(&place.data, &place.on(&["backup"])));

    let wish = json!({"phone": "9845177661", "password": sample::PASSWORD});
    let answer = site.owner().post("/privacy/erase", wish).await.expect(200).data();
    assert_eq!(answer, json!({"orders": 1, "feedback": 0, "documentsKept": 0}));
    site.wait_until_confirmed().await;
    assert_eq!(held(&place, &site).await, Vec::<String>::new());
    assert_eq!(places(&site.database(), &WORDS), Vec::<String>::new());
    let list = before.with_file_name("tiffin-BLR1.erased");
    until("the list beside the backups", async || list.exists()).await;
    let listed = fs::read_to_string(&list).unwrap();
    assert!(listed.starts_with(order["id"].as_str().unwrap()) && listed.lines().count() == 1, "{listed}");

    // The box goes back to before; then its database is lost, too.
    for is_lost in [false, true] {
        site.kill();
        if is_lost {
            fs::remove_file(site.database()).unwrap();
        }
        edge(&site, &["restore", before.to_str().unwrap()]).await;
        assert_eq!(places(&site.database(), &WORDS), Vec::<String>::new(), "lost: {is_lost}");
        site.start().await;
        site.wait_until_confirmed().await;
        assert_eq!(places(&site.database(), &WORDS), Vec::<String>::new(), "lost: {is_lost}");
        assert_eq!(held(&place, &site).await, Vec::<String>::new(), "lost: {is_lost}");
        let shown = site.owner().get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.expect(200);
        assert!(WORDS.iter().all(|word| !shown.text.contains(word)), "{}", shown.text);
    }
    site.kill();

    // Head office goes back to before: it knows whom not to bring back.
    hub.kill();
    HubProcess::run(&place.data, &place.on(&["restore", office_before.to_str().unwrap()]));
    let held = held(&place, &site).await;
    assert!(held.iter().all(|place| !place.starts_with("guests")), "{held:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_put_back_tells_of_an_erased_guest_on_files() {
    erased(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_put_back_tells_of_an_erased_guest_on_postgresql() {
    erased(Some(Database::new())).await;
}
