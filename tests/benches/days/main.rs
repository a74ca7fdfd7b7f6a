//! The figures of a chain over a year at head office on PostgreSQL, from the rows and from kept days: the same answers, and how long
//! each took. Never asserts a time: absolute figures wander, ratios are what counts.
//!
//!     cargo bench -p tiffin-tests --bench days

mod year;

use serde_json::Value;
use std::time::Instant;
use sync_hub::days::{Found, keep_some};
use sync_hub::store::Stores;
use tiffin_common::sync::Class;
use tiffin_common::{Clock, Uuid};
use tiffin_tests::chain::{Carrier, Counts, Day, Outlet};
use tiffin_tests::{Branch, Client, HeadOffice};

/// Outlets of the chain.
const OUTLETS: u64 = 4;

const PATHS: [&str; 4] = ["summary", "daily", "compare", "top-sellers"];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let branch = Branch::start().await;
        let day = Day::record_at(&branch, 20).await;
        // Days are kept when it is their turn here.
        let office = HeadOffice::on_postgres().await.without_workers();
        let (stores, database) = (office.app.stores().clone(), office.database().unwrap());
        let carrier = Carrier { http: reqwest::Client::new(), base: office.base().to_owned(), key: None };
        for number in 0..OUTLETS {
            let outlet = Outlet::new(&day, number, false);
            let hub = outlet.enrol(&carrier, &office.code(None).await).await;
            outlet.drain(&hub, Class::Backlog, std::time::Duration::ZERO, &Counts::default()).await;
        }
        let begin = Instant::now();
        let (outlets, rows) = tokio::task::spawn_blocking(move || year::build(&database)).await.unwrap();
        println!("{} outlets, {rows}, in {:.0} s", outlets.len(), begin.elapsed().as_secs_f64());
        let admin = office.admin();
        let mut from_rows = Vec::new();
        for path in PATHS {
            from_rows.push(ask(&admin, path, 3).await);
        }
        let now = office.clock.now();
        let begin = Instant::now();
        let (units, longest) =
            tokio::task::spawn_blocking(move || keep(&stores, &outlets, now)).await.unwrap();
        let took = begin.elapsed().as_secs_f64();
        println!("kept in {took:.1} s, {units} units of work, the longest {longest:.0} ms\n");
        println!(
            "{:<24} {:>14} {:>14} {:>10}",
            "a year of the chain", "from rows ms", "kept days ms", "ratio"
        );
        for (path, (rows, slow)) in PATHS.iter().zip(from_rows) {
            let (kept, quick) = ask(&admin, path, 9).await;
            println!("{path:<24} {slow:>14.0} {quick:>14.1} {:>10.0}", slow / quick);
            assert_eq!(rows, kept, "{path}");
        }
    });
}

/// Keeps every finished day; how many units of work it took and the longest of them, in milliseconds.
fn keep(stores: &Stores, outlets: &[Uuid], now: tiffin_common::Millis) -> (u32, f64) {
    let (mut units, mut longest) = (0, 0f64);
    for outlet in outlets {
        loop {
            let begin = Instant::now();
            let Found::Missing(_) = keep_some(stores, *outlet, now).unwrap() else { break };
            units += 1;
            longest = longest.max(begin.elapsed().as_secs_f64() * 1e3);
        }
    }
    (units, longest)
}

/// The answer without its moment, and how long it took: the median of `times`, milliseconds.
async fn ask(client: &Client, path: &str, times: usize) -> (Value, f64) {
    let path = format!("/hub/analytics/{path}?from={}&to={}", year::FIRST, year::LAST);
    let mut answer = Value::Null;
    let mut taken = Vec::new();
    for _ in 0..times {
        let begin = Instant::now();
        answer = client.get(&path).await.expect(200).data();
        taken.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    if let Some(members) = answer.as_object_mut() {
        members.remove("generatedAt");
    }
    taken.sort_by(f64::total_cmp);
    (answer, taken[taken.len() / 2])
}
