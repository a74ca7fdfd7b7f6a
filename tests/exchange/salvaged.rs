//! A box dies with sales that nobody has heard of, another takes its place, and the dead one comes back: it says on every page that it is no
//! longer the branch's, what it still has is readable at head office, and is taken over to the cent.

use crate::numbers::{all_of, level, sell};
use crate::office::Place;
use crate::site::{Site, until};
use serde_json::{Value, json};
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, Edge};

/// Rows of the list at head office.
async fn listed(admin: &Client, site: &Site, query: &str) -> Vec<Value> {
    let path = format!("/hub/outlets/{}/salvage?limit=100&{query}", site.outlet);
    admin.get(&path).await.expect(200).json()["data"].as_array().unwrap().clone()
}

async fn salvaged(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 4, &hub, &admin).await;
    let mut sales = sell(&site, 3).await;
    site.wait_until_confirmed().await;
    // Nobody hears of these.
    site.proxy.network.set_up(false);
    let unheard = sell(&site, 4).await;
    site.kill();
    let dead = folder.path().join("dead");
    std::fs::rename(&site.data, &dead).unwrap();

    site.proxy.network.set_up(true);
    site.enrol(&admin, true).await;
    site.start().await;
    let since = sell(&site, 2).await;
    assert!(since.iter().all(|sale| !unheard.iter().any(|other| other.1 == sale.1)), "{since:?} {unheard:?}");
    sales.extend(since);
    level(&place, &mut site, sales.len()).await;

    // The dead box comes back: it knows what it is, and says so.
    let old = Edge::serve(&dead, &[]).await;
    let page = reqwest::get(format!("{}/", old.base())).await.unwrap().text().await.unwrap();
    assert!(page.contains("no longer the branch's") || page.contains("no longer the branch&#39;s"), "{page}");
    let owner = tiffin_tests::sample::owner(&old).await;
    assert_eq!(owner.get("/status").await.expect(200).data()["sync"]["standing"], "FENCED");
    let payments = until("its payments are readable", async || {
        Some(listed(&admin, &site, "table=payments").await).filter(|rows| rows.len() == unheard.len())
    });
    let payments = payments.await;
    old.kill();
    let cents: i64 = payments.iter().map(|row| row["values"]["amount_cents"].as_i64().unwrap()).sum();
    assert_eq!(cents, all_of(&unheard).1);
    assert!(
        payments.iter().all(|row| row["state"] == "WAITING" && row["change"] == "INSERT"),
        "{payments:?}"
    );
    let outlet = format!("/hub/outlets/{}", site.outlet);
    assert!(admin.get(&outlet).await.expect(200).data()["salvage"].as_i64().unwrap() > 0);

    // One payment brings its order; the rest follows as a whole.
    let take = format!("{outlet}/salvage/take");
    let one = admin.post(&take, json!({"rowIds": [payments[0]["rowId"]]})).await.expect(200).data();
    assert!(one["rows"].as_u64().unwrap() >= 2, "the payment and its order: {one}");
    until("it is taken over", async || {
        let left = listed(&admin, &site, "table=payments").await;
        (left.len() == unheard.len() - 1).then_some(())
    })
    .await;
    level(&place, &mut site, sales.len() + 1).await;
    admin.post(&take, json!({})).await.expect(200);
    until("all of it is taken over", async || listed(&admin, &site, "").await.is_empty().then_some(())).await;
    sales.extend(unheard);
    let money = level(&place, &mut site, sales.len()).await;
    assert_eq!((money.orders, money.bills, money.payments), (all_of(&sales), all_of(&sales), all_of(&sales)));
    assert_eq!(money.strays, 0);
    assert_eq!(admin.get(&outlet).await.expect(200).data()["salvage"], 0);
    admin.post(&take, json!({})).await.refused(404, "NOT_FOUND");
    let proof = site.owner().get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(proof["valid"], true, "{proof}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dead_box_still_had_is_read_and_taken_over_on_files() {
    salvaged(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dead_box_still_had_is_read_and_taken_over_on_postgresql() {
    salvaged(Some(Database::new())).await;
}
