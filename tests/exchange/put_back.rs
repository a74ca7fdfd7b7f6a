//! Head office is put back to yesterday, by a restore or by an older copy that nobody told it of: what it had published since, and what
//! had arrived, comes back to it from the branch. Nobody who was dismissed signs in again, and no price goes back.

use crate::numbers::alike;
use crate::office::Place;
use crate::site::Site;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tiffin_tests::disk::{aside, keep_aside, pour, replace};
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::postgres::{Cluster, Database, FORGETFUL};
use tiffin_tests::{Client, HubProcess, sample};

/// The waiter's.
pub const EMAIL: &str = "ravi@sample.test";
const PASSWORD: &str = "a long enough one";

fn port_of(hub: &HubProcess) -> u16 {
    hub.base().rsplit(':').next().unwrap().parse().unwrap()
}

/// Waits for something, at most a minute and a half.
pub async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !done().await {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The price of a dish at a branch, by its name; null where there is none.
pub async fn price(owner: &Client, dish: &str) -> Value {
    owner
        .get("/menu/items?limit=100")
        .await
        .expect(200)
        .data()
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["name"] == dish)
        .map_or(Value::Null, |found| found["priceCents"].clone())
}

/// Whether the waiter's password opens the branch.
pub async fn may_sign_in(site: &Site) -> bool {
    let login = json!({"email": EMAIL, "password": PASSWORD});
    site.owner().post("/auth/login", login).await.status == 200
}

/// What head office publishes after the backup.
pub struct News {
    dish: String,
    employee: String,
    category: Value,
}

impl News {
    /// A branch with the catalogue of head office, and a waiter whom head office hired.
    pub async fn prepare(admin: &Client, site: &Site) -> News {
        admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
        let staff = format!("/hub/employees?outletIds={}", site.outlet);
        let ravi = json!({"name": "Ravi Kumar", "jobTitle": "Waiter", "hourlyRateCents": 9_000});
        let employee = admin.post(&staff, ravi).await.expect(201).data()["id"].as_str().unwrap().to_owned();
        let account = json!({"email": EMAIL, "password": PASSWORD, "role": "WAITER"});
        admin.post(&format!("/hub/employees/{employee}/account"), account).await.expect(201);
        until("the waiter is hired", async || may_sign_in(site).await).await;
        let dishes = admin.get("/hub/menu/items?limit=100").await.expect(200).data();
        let dish = dishes[0].clone();
        let dish_id = dish["id"].as_str().unwrap().to_owned();
        News { dish: dish_id, employee, category: dish["categoryId"].clone() }
    }

    async fn name(&self, admin: &Client) -> String {
        let dish = admin.get(&format!("/hub/menu/items/{}", self.dish)).await.expect(200).data();
        dish["name"].as_str().unwrap().to_owned()
    }

    /// Raises the price and closes the account.
    pub async fn raise_and_close(&self, admin: &Client) {
        let raised = json!({"priceCents": 77_700});
        admin.patch(&format!("/hub/menu/items/{}", self.dish), raised).await.expect(200);
        let closed = json!({"active": false});
        admin.patch(&format!("/hub/employees/{}/account", self.employee), closed).await.expect(200);
    }

    /// Closes the account, raises the price, adds a dish; all arrives.
    async fn publish(&self, admin: &Client, site: &Site) -> String {
        let name = self.name(admin).await;
        self.raise_and_close(admin).await;
        let new = json!({"categoryId": self.category, "name": "Truffle Dosa", "priceCents": 49_900});
        admin.post("/hub/menu/items", new).await.expect(201);
        until("the news arrive", async || is_new(site, &name).await).await;
        name
    }
}

/// Whether the branch has the news.
async fn is_new(site: &Site, dish: &str) -> bool {
    price(site.owner(), dish).await == 77_700
        && price(site.owner(), "Truffle Dosa").await == 49_900
        && !may_sign_in(site).await
}

/// A number that a branch has in its database.
pub fn number(site: &Site, sql: &str) -> i64 {
    oracle::open(&site.database()).query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Head office is as it was, and runs: the branch fills it again. Nothing of what had arrived goes.
async fn fills_again(place: &Place, site: &mut Site, admin: &Client, dish: &str, feed: i64) {
    until("head office begins a new life", async || {
        number(site, "SELECT feed FROM sync_peer") > feed + 1_000_000
    })
    .await;
    assert!(is_new(site, dish).await, "head office takes its own edits back");
    sample::sell(site.owner(), &sample::lines(site.owner(), 1).await).await;
    site.wait_until_confirmed().await;
    let outlet = format!("/hub/outlets/{}", site.outlet);
    let conflicts = admin.get(&format!("/hub/conflicts?outletId={}", site.outlet)).await.expect(200).json();
    assert_eq!(conflicts["meta"]["total"], 0, "{conflicts}");
    let shown = admin.get(&outlet).await.expect(200).data();
    assert!(shown.to_string().contains("NORMAL"), "{shown}");
    // Head office goes on from there: an edit of its own reaches the branch.
    alike(place, site).await;
    site.kill();
    if place.database_url.is_none() {
        let copy = place.data.join("outlets").join(format!("{}.db", site.outlet));
        let found = oracle::shared_differences(&oracle::rows_of(&site.database()), &oracle::open(&copy));
        assert!(found.is_empty(), "{found:#?}");
    }
    site.start().await;
    assert!(is_new(site, dish).await, "after a start");
}

/// How head office comes to be what it was yesterday.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// By `sync-hub restore`.
    Restored,
    /// An older copy is put in its place.
    Copied,
    /// An older copy is poured into its files.
    Poured,
    /// A standby that lacks the last transactions takes the server's place.
    Promoted,
}

/// Where head office keeps its rows.
struct Store {
    database: Option<Database>,
    primary: Option<Cluster>,
    standby: Option<Cluster>,
    backup: Option<PathBuf>,
}

impl Store {
    fn files() -> Store {
        Store { database: None, primary: None, standby: None, backup: None }
    }

    fn shared() -> Store {
        Store { database: Some(Database::new()), ..Store::files() }
    }

    fn of_its_own() -> Store {
        let primary = Cluster::start(FORGETFUL);
        Store { database: Some(primary.database_named("hub")), primary: Some(primary), ..Store::files() }
    }

    /// Keeps what is there now; head office is off, but for a backup.
    fn keep(&mut self, place: &Place, how: How) {
        match (how, &self.database) {
            (How::Restored, _) => {
                let told = HubProcess::run(&place.data, &place.on(&["backup"]));
                let path = told.split_whitespace().find(|word| word.trim_end_matches(':').ends_with(".zst"));
                let path = path.unwrap_or_else(|| panic!("{told}")).trim_end_matches(':');
                self.backup = Some(PathBuf::from(path));
            }
            (How::Promoted, _) => {
                let standby = self.primary.as_ref().unwrap().standby();
                standby.crash();
                self.standby = Some(standby);
            }
            (_, Some(database)) => database.keep_aside(),
            (_, None) => keep_aside(&place.data),
        }
    }

    /// Puts it back; head office is off.
    fn put_back(&self, place: &mut Place, how: How) {
        match (how, &self.database) {
            (How::Restored, _) => {
                let backup = self.backup.as_ref().unwrap().to_str().unwrap();
                HubProcess::run(&place.data, &place.on(&["restore", backup]));
            }
            (How::Promoted, _) => {
                self.primary.as_ref().unwrap().crash();
                let standby = self.standby.as_ref().unwrap();
                standby.resume();
                standby.promote();
                place.database_url = Some(standby.url("hub"));
            }
            (How::Poured, _) => pour(&aside(&place.data), &place.data),
            (How::Copied, Some(database)) => database.put_back(),
            (How::Copied, None) => replace(&aside(&place.data), &place.data),
        }
    }
}

async fn put_back(mut store: Store, how: How) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut place = Place::make(folder.path(), store.database.as_ref().map(|database| database.url.clone()));
    let mut hub = place.serve().await;
    let port = port_of(&hub);
    let cursors = Arc::new(Cursors::default());
    let mut site = Site::make(folder.path(), "BLR1", 8, &cursors).await;
    site.proxy.to(&[hub.base()]);
    site.enrol(&hub.admin().await, false).await;
    site.start().await;
    site.wait_until_confirmed().await;
    let news = News::prepare(&hub.admin().await, &site).await;
    site.wait_until_confirmed().await;
    if how == How::Restored {
        store.keep(&place, how);
    } else {
        hub.kill();
        store.keep(&place, how);
        hub = place.serve_on(port).await;
    }
    let dish = news.publish(&hub.admin().await, &site).await;
    site.wait_until_confirmed().await;
    let feed = number(&site, "SELECT feed FROM sync_peer");
    hub.kill();
    store.put_back(&mut place, how);
    let hub = place.serve_on(port).await;
    fills_again(&place, &mut site, &hub.admin().await, &dish, feed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_head_office_takes_none_of_its_edits_back() {
    put_back(Store::files(), How::Restored).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_of_the_directory_is_noticed_and_filled_again() {
    put_back(Store::files(), How::Copied).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_that_nothing_on_its_disk_tells_of_is_noticed_by_the_branch() {
    put_back(Store::files(), How::Poured).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_postgresql_takes_none_of_its_edits_back() {
    put_back(Store::shared(), How::Restored).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_in_postgresql_is_noticed_and_filled_again() {
    put_back(Store::shared(), How::Copied).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_lacked_the_last_transactions_is_filled_again() {
    put_back(Store::of_its_own(), How::Promoted).await;
}
