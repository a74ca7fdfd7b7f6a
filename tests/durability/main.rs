//! Power cuts. `kill -9`: the real binary under load, killed without warning again and again on one data directory. And a disk that
//! loses what was not synced: what the binary wrote is recorded, and the files are put together as a power cut at any moment may leave
//! them. What was answered is there, once; what was not answered is asked again and happens once; no number is used twice or left out.
//!
//!     TIFFIN_KILLS=200 TIFFIN_SEED=7 cargo nextest run -p tiffin-tests --test durability
//!     TIFFIN_CUTS=10000 cargo test --release -p tiffin-tests --test durability unsynced

mod cuts;
mod disk;
mod ledger;

use ledger::{Ledger, catch_up, check_database, trade};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tiffin_tests::{Edge, sample};

/// A number that the environment may set.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_answered_is_lost_and_nothing_happens_twice() {
    let kills = number("TIFFIN_KILLS").unwrap_or(50);
    let seed = number("TIFFIN_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("to run this again: TIFFIN_KILLS={kills} TIFFIN_SEED={seed}");
    let mut random = [0; 32];
    random[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &random);

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let data = folder.path().join("data");
    sample::init(&data, "BLR1");
    let owner = sample::owner_of_plenty(&Edge::serve(&data, &[]).await).await;
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let begin = Instant::now();
    for round in 0..kills {
        let edge = Edge::serve(&data, &[]).await;
        let client = owner.clone().at(edge.base());
        catch_up(&client, &ledger).await;
        let answers = 10 + u64::from(random.next_u32() % 60);
        trade(&client, &ledger, round, answers, edge).await;
    }
    let edge = Edge::serve(&data, &[]).await;
    catch_up(&owner.at(edge.base()), &ledger).await;
    edge.kill();
    let ledger = ledger.lock().unwrap();
    println!("{kills} power cuts, {} answers, {:.0} s", ledger.answered.len(), begin.elapsed().as_secs_f64());
    check_database(&data.join("tiffin.db"), &ledger.answered);
    let report = sync_hub::verify::data_dir(&data).unwrap();
    assert!(report.is_good(), "{:?}", report.problems);
}
