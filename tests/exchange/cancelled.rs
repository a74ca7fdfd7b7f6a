//! Prices that take effect later: taken back while the branch that holds them hears nothing, and never in force before their time,
//! whatever the branch's own clock says.

use crate::numbers::alike;
use crate::office::Place;
use crate::put_back::{number, price, until};
use crate::site::Site;
use serde_json::{Value, json};
use std::sync::Arc;
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Millis};
use tiffin_tests::oracle::Cursors;
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, HubProcess};

/// How long before its time a price is published.
const AHEAD_MS: i64 = 15_000;

struct Chain {
    _folder: tempfile::TempDir,
    place: Place,
    hub: HubProcess,
    admin: Client,
    site: Site,
    /// A dish of head office's, and its price.
    dish: Value,
}

fn now() -> Millis {
    SystemClock.now()
}

async fn chain(database: Option<&Database>, clock_ahead_ms: i64) -> Chain {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::make(folder.path(), "BLR1", 9, &Arc::new(Cursors::default())).await;
    site.proxy.to(&[hub.base()]);
    site.enrol(&admin, false).await;
    match clock_ahead_ms {
        0 => site.start().await,
        ahead => site.start_at(now().after(ahead)).await,
    }
    site.wait_until_confirmed().await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dish = admin.get("/hub/menu/items?limit=100").await.expect(200).data()[0].clone();
    Chain { _folder: folder, place, hub, admin, site, dish }
}

impl Chain {
    fn name(&self) -> &str {
        self.dish["name"].as_str().unwrap()
    }

    /// Head office publishes a price of one cent for later, and the branch holds it; answers the publication.
    async fn schedule(&self, at: Millis) -> String {
        let path = format!("/hub/menu/items/{}?effectiveAt={at}", self.dish["id"].as_str().unwrap());
        let later = self.admin.patch(&path, json!({"priceCents": 1})).await.expect(200);
        let publication = later.header("x-publication-id").to_owned();
        let held = "SELECT count(*) FROM sync_scheduled WHERE applied_at IS NULL";
        until("the branch holds it", async || number(&self.site, held) == 1).await;
        publication
    }

    async fn cancel(&self, publication: &str) {
        let path = format!("/hub/publications/{publication}/cancel");
        self.admin.post(&path, json!({})).await.expect(200);
        let path = format!("/hub/publications/{publication}");
        let is_cancelled = async || {
            let shown = self.admin.get(&path).await.expect(200).data();
            shown["outlets"].as_array().unwrap().iter().all(|target| target["state"] == "CANCELLED")
        };
        until("it is taken off the outlet's list", is_cancelled).await;
    }

    async fn price(&self) -> Value {
        price(self.site.owner(), self.name()).await
    }
}

async fn cancelled_behind_its_back(database: Option<Database>) {
    let mut chain = chain(database.as_ref(), 0).await;
    let usual = chain.dish["priceCents"].clone();
    let publication = chain.schedule(now().after(AHEAD_MS)).await;
    chain.site.proxy.network.set_up(false);
    chain.cancel(&publication).await;
    until("the branch makes it, which knows no better", async || chain.price().await == 1).await;
    chain.site.proxy.network.set_up(true);
    until("it is healed", async || chain.price().await == usual).await;
    chain.site.wait_until_confirmed().await;
    chain.site.kill();
    chain.site.start().await;
    chain.site.wait_until_confirmed().await;
    assert_eq!(chain.price().await, usual, "after a start");
    let raised = json!({"priceCents": 88_800});
    let path = format!("/hub/menu/items/{}", chain.dish["id"].as_str().unwrap());
    chain.admin.patch(&path, raised).await.expect(200);
    until("the next price arrives", async || chain.price().await == 88_800).await;
    alike(&chain.place, &chain.site).await;
    drop(chain.hub);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_that_was_taken_back_while_the_branch_was_cut_off_does_not_stay() {
    cancelled_behind_its_back(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_that_was_taken_back_does_not_stay_with_a_head_office_on_postgresql() {
    cancelled_behind_its_back(Some(Database::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_whose_clock_is_three_minutes_ahead_sells_at_no_price_before_its_time() {
    let mut chain = chain(None, 180_000).await;
    let usual = chain.dish["priceCents"].clone();
    let at = now().after(AHEAD_MS);
    chain.schedule(at).await;
    until("the price takes effect", async || {
        let (price, asked) = (chain.price().await, now());
        assert!(price == usual || asked >= at, "{price} at {asked}, which is for {at}");
        price == 1
    })
    .await;
    // The same without head office, after a start.
    chain.site.wait_until_confirmed().await;
    let at = now().after(2 * AHEAD_MS);
    let path = format!("/hub/menu/items/{}?effectiveAt={at}", chain.dish["id"].as_str().unwrap());
    chain.admin.patch(&path, json!({"priceCents": 2})).await.expect(200);
    let held = "SELECT count(*) FROM sync_scheduled WHERE applied_at IS NULL";
    until("the branch holds it", async || number(&chain.site, held) == 1).await;
    chain.site.proxy.network.set_up(false);
    chain.site.kill();
    chain.site.start_at(now().after(180_000)).await;
    until("the price takes effect again", async || {
        let (price, asked) = (chain.price().await, now());
        // The clock that it starts with is wrong by another second than before.
        assert!(price == 1 || asked.after(3_000) >= at, "{price} at {asked}, which is for {at}");
        price == 2
    })
    .await;
}
