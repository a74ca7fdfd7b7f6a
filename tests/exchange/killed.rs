//! Branches and head office killed at any moment, on a bad network, with disks put back; then both ends hold the same rows, and
//! everything that guests were told is true.
//!
//!     TIFFIN_ROUNDS=30 TIFFIN_SEED=7 cargo nextest run -p tiffin-tests --test exchange -E 'test(killed)'

use crate::office::Place;
use crate::site::Site;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::oracle::{self, Cursors, Rows};
use tiffin_tests::postgres::Database;
use tiffin_tests::proxy::Weather;
use tiffin_tests::{Client, Dice, HubProcess};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Head office's copy of a branch.
pub async fn copy_of(place: &Place, site: &Site) -> Rows {
    match &place.database_url {
        Some(url) => oracle::rows_of_postgres(url, site.outlet).await,
        None => oracle::rows_of(&place.data.join("outlets").join(format!("{}.db", site.outlet))),
    }
}

/// Two branches and a head office, and what happens to them.
struct Chain {
    place: Place,
    office: Option<HubProcess>,
    admin: Client,
    sites: Vec<Site>,
    dice: Dice,
    counted: AtomicU64,
}

impl Chain {
    async fn open(
        folder: &std::path::Path,
        database: Option<&Database>,
        seed: u64,
        cursors: &Arc<Cursors>,
    ) -> Chain {
        let place = Place::make(folder, database.map(|database| database.url.clone()));
        let office = place.serve().await;
        let admin = office.admin().await;
        let mut sites = Vec::new();
        for code in ["BLR1", "BLR2"] {
            let mut site = Site::make(folder, code, seed, cursors).await;
            site.proxy.to(&[office.base()]);
            site.enrol(&admin, false).await;
            site.start().await;
            sites.push(site);
        }
        let (dice, counted) = (Dice::fork(seed, "chain"), AtomicU64::new(0));
        Chain { place, office: Some(office), admin, sites, dice, counted }
    }

    /// Everybody works; head office is killed after some answers and comes back after some more.
    async fn round(&mut self) {
        let answers: Vec<u64> = self.sites.iter().map(|_| self.dice.between(15, 40)).collect();
        let begin = self.counted.load(Ordering::SeqCst);
        let dies = self.dice.happens(600).then(|| begin + self.dice.between(3, 15));
        let back = begin + self.dice.between(16, 28);
        let counted = &self.counted;
        let reached = async |count: u64| {
            while counted.load(Ordering::SeqCst) < count {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let (office, place) = (&mut self.office, &self.place);
        let mischief = async {
            if let Some(dies) = dies {
                reached(dies).await;
                office.take().unwrap().kill();
                reached(back).await;
                *office = Some(place.serve().await);
            }
        };
        let mut sites = self.sites.iter_mut();
        let (first, second) = (sites.next().unwrap(), sites.next().unwrap());
        tokio::join!(mischief, first.trade(answers[0], counted), second.trade(answers[1], counted));
        self.connect().await;
    }

    /// Everybody finds head office where it is now: another life of it listens at another port.
    async fn connect(&mut self) {
        let office = self.office.as_ref().unwrap();
        self.admin = office.admin().await;
        self.sites.iter().for_each(|site| site.proxy.to(&[office.base()]));
    }

    fn weather(&self, weather: Weather) {
        self.sites.iter().for_each(|site| site.proxy.network.weather(weather));
    }

    /// Compares the figures of the chain with those of its branches, once both are at the same position.
    async fn compare_figures(&self) {
        let path = "/analytics/summary?period=TODAY";
        for attempt in 0.. {
            let heads: Vec<i64> = self.sites.iter().map(Site::head).collect();
            for site in &self.sites {
                site.wait_until_confirmed().await;
            }
            let mut revenue = 0;
            let mut orders = 0;
            for site in &self.sites {
                let summary = site.owner().get(path).await.expect(200).json();
                let summary = if summary["data"].is_null() { summary } else { summary["data"].clone() };
                revenue += cents(&summary, "netRevenueCents");
                orders += cents(&summary, "ordersCount");
            }
            let chain = self.admin.get(&format!("/hub{path}")).await.expect(200).data();
            let heads_then: Vec<i64> = self.sites.iter().map(Site::head).collect();
            if heads != heads_then && attempt < 20 {
                continue;
            }
            assert_eq!(cents(&chain, "netRevenueCents"), revenue, "{chain}");
            assert_eq!(cents(&chain, "ordersCount"), orders, "{chain}");
            return;
        }
    }

    /// What a person has to look at is one list at both ends; settled at the branch, it is settled.
    async fn compare_reviews(&self) {
        for site in &self.sites {
            let total = async |client: &Client, path: &str| {
                client.get(path).await.expect(200).json()["meta"]["total"].as_i64().unwrap()
            };
            let there = format!("/hub/outlets/{}/reviews", site.outlet);
            // A box that was put back writes them as it takes its rows back.
            site.wait_until_confirmed().await;
            let open = total(site.owner(), "/sync-reviews").await;
            assert_eq!(total(&self.admin, &there).await, open, "{}", site.code);
            let settled = site.owner().post("/sync-reviews/resolve-all", json!({})).await.expect(200).data();
            assert_eq!(settled["resolved"], open);
            site.wait_until_confirmed().await;
            assert_eq!(total(&self.admin, &there).await, 0, "{}", site.code);
            assert_eq!(total(&self.admin, &format!("{there}?state=ALL")).await, open, "{}", site.code);
        }
    }

    /// Kills every branch once head office has all of it, and compares every row.
    async fn compare_rows(&mut self) {
        for site in &mut self.sites {
            for attempt in 0.. {
                site.wait_until_confirmed().await;
                site.kill();
                let found = oracle::differences(
                    &oracle::rows_of(&site.database()),
                    &copy_of(&self.place, site).await,
                );
                if found.is_empty() {
                    break;
                }
                // The branch may have written something by itself just then.
                assert!(attempt < 5, "{}: {:#?}", site.code, found.iter().take(20).collect::<Vec<_>>());
                site.start().await;
            }
            let branch = oracle::open(&site.database());
            let problems = oracle::ledger_problems(&branch, &site.ledger);
            assert!(problems.is_empty(), "{}: {problems:#?}", site.code);
            assert!(site.ledger.problems.is_empty(), "{}: {:#?}", site.code, site.ledger.problems);
        }
    }
}

fn cents(summary: &Value, name: &str) -> i64 {
    summary[name].as_i64().unwrap_or_else(|| panic!("{name}: {summary}"))
}

async fn killed(database: Option<Database>) {
    let seed = number("TIFFIN_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let rounds = number("TIFFIN_ROUNDS").unwrap_or(5);
    println!("to run this again: TIFFIN_ROUNDS={rounds} TIFFIN_SEED={seed}");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let cursors = Arc::new(Cursors::default());
    let mut chain = Chain::open(folder.path(), database.as_ref(), seed, &cursors).await;
    chain.weather(Weather { half_open: 0, late: 0, ..Weather::STORM });
    for round in 0..rounds {
        chain.round().await;
        let which = chain.dice.below(2) as usize;
        match chain.dice.below(3) {
            0 => {}
            1 => {
                chain.sites[which].kill();
                chain.sites[which].start().await;
            }
            _ => put_back(&mut chain, which, &cursors).await,
        }
        if round % 2 == 1 {
            chain.weather(Weather::CALM);
            chain.compare_figures().await;
            chain.weather(Weather { half_open: 0, late: 0, ..Weather::STORM });
        }
    }
    chain.weather(Weather::CALM);
    chain.compare_reviews().await;
    chain.compare_rows().await;
    assert!(cursors.problems().is_empty(), "{:#?}", cursors.problems());
    for site in &chain.sites {
        println!("{}: {} answers, {:?}", site.code, site.ledger.confirmed, site.proxy.network.fates());
    }
}

/// A branch gets the disk it had a while ago, if there is one.
async fn put_back(chain: &mut Chain, which: usize, cursors: &Cursors) {
    let site = &mut chain.sites[which];
    site.kill();
    if aside(&site.data).exists() {
        let held = copy_of(&chain.place, site).await;
        oracle::forget_what_is_lost(&mut site.ledger, &held);
        cursors.allow_another_history(site.code);
        replace(&aside(&site.data), &site.data);
    } else {
        keep_aside(&site.data);
    }
    site.start().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_with_a_head_office_on_files() {
    killed(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_with_a_head_office_on_postgresql() {
    killed(Some(Database::new())).await;
}
