//! A disk that loses what was not synced. The binary trades once while everything that it writes to its database, every ask and every
//! answer go into one journal; then the power is cut at thousands of places of it, each time with other sectors lost. The binary starts
//! on what is left, and the ledger says what must be there.

use super::disk::{self, Disk, Event};
use super::ledger::{Ledger, catch_up, check_database, trade};
use super::number;
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tempfile::TempDir;
use tiffin_tests::shim::Shim;
use tiffin_tests::{Client, Dice, Edge, sample};
use tokio::sync::Semaphore;

/// Sales of the run: enough for the write-ahead log to be moved into the database more than once.
const SALES: u64 = 250;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_unsynced_sectors_are_lost_nothing_answered_is_and_nothing_happens_twice() {
    let cuts = number("TIFFIN_CUTS").unwrap_or(100);
    let seed = number("TIFFIN_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("TIFFIN_CUTS={cuts} TIFFIN_SEED={seed}");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let run = Run::record(folder.path()).await;
    let dice = Dice::new(seed);
    let mut places: Vec<usize> = (0..cuts).map(|_| run.pick(&dice)).collect();
    places.sort_unstable();
    let (begin, mut disk, mut ledger) = (Instant::now(), Disk::of(&run.before), Ledger::default());
    let (mut next, mut unsynced, mut checks) = (0, 0, Vec::new());
    let workers = Arc::new(Semaphore::new(std::thread::available_parallelism().unwrap().get()));
    for place in places {
        for event in &run.events[next..place] {
            disk.take(event);
            if let Event::Note(note) = event {
                ledger.take(note);
            }
        }
        next = place;
        unsynced += disk.unsynced();
        let worker = Arc::clone(&workers).acquire_owned().await.unwrap();
        let (left, owner, ledger) = (run.left_by(&disk, &dice), run.owner.clone(), ledger.copy());
        let check = tokio::spawn(async move {
            let path = left.path().to_owned();
            check(&path, owner, ledger).await;
            drop((left, worker));
        });
        checks.push((place, check));
    }
    let mut failed = Vec::new();
    for (place, check) in checks {
        if check.await.is_err() {
            failed.push(place);
        }
    }
    let answers = ledger.answered.len();
    println!(
        "{cuts} power cuts over {answers} answers, {:.0} unsynced writes at each on average, {:.0} s",
        unsynced as f64 / cuts as f64,
        begin.elapsed().as_secs_f64()
    );
    run.would_be_found(ledger, &dice).await;
    assert!(failed.is_empty(), "the power was cut before these of {} records: {failed:?}", run.events.len());
}

/// What was recorded.
struct Run {
    /// The branch as it was when the recording began.
    before: PathBuf,
    /// The owner, who sold.
    owner: Owner,
    /// Everything that happened, in order.
    events: Vec<Event>,
    /// Those that moved pages into the database.
    moves: Vec<usize>,
}

impl Run {
    async fn record(folder: &Path) -> Run {
        let (data, before, journal) = (folder.join("data"), folder.join("before"), folder.join("journal"));
        sample::init(&data, "BLR1");
        let owner = Owner::sign_in(&Edge::serve(&data, &[]).await).await;
        tiffin_tests::disk::copy(&data, &before);
        let shim = Shim::build();
        let edge = Edge::serve_with(&shim.recording(&data.join("tiffin.db"), &journal), &data, &[]).await;
        let notes = Some(File::options().append(true).open(&journal).unwrap());
        let ledger = Arc::new(Mutex::new(Ledger { journal: notes, ..Ledger::default() }));
        trade(&owner.client.clone().at(edge.base()), &ledger, 0, SALES, edge).await;
        let events = disk::read(&journal);
        let touches = |event: &Event| matches!(event, Event::Write { file: 0, .. });
        let moves: Vec<usize> = (0..events.len()).filter(|at| touches(&events[*at])).collect();
        println!("{} records, {} of them pages moved into the database", events.len(), moves.len());
        assert!(!moves.is_empty(), "the run is too short: its log was never moved into the database");
        Run { before, owner, events, moves }
    }

    /// A disk that said it had synced and kept nothing would have been found.
    async fn would_be_found(&self, ledger: Ledger, dice: &Dice) {
        println!("now a disk that lies, which must fail:");
        let left = self.left_by(&Disk::of(&self.before), dice);
        let (path, owner) = (left.path().to_owned(), self.owner.clone());
        let lied = tokio::spawn(async move { check(&path, owner, ledger).await }).await;
        assert!(lied.is_err(), "all {} records were lost, and nobody noticed", self.events.len());
    }

    /// A place to cut at: anywhere, and often while pages are moved, which is rare.
    fn pick(&self, dice: &Dice) -> usize {
        match dice.happens(300) {
            true => *dice.pick(&self.moves),
            false => usize::try_from(dice.below(self.events.len() as u64 + 1)).unwrap(),
        }
    }

    /// A branch's folder as `disk` may have it if the power goes now. In memory where there is room, for nothing of it is kept.
    fn left_by(&self, disk: &Disk, dice: &Dice) -> TempDir {
        let memory = Path::new("/dev/shm");
        let left = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        for entry in std::fs::read_dir(&self.before).unwrap() {
            let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
            let is_database = name.to_string_lossy().starts_with("tiffin.db");
            if from.is_dir() {
                tiffin_tests::disk::copy(&from, &left.path().join(name));
            } else if !is_database {
                std::fs::copy(&from, left.path().join(name)).unwrap();
            }
        }
        disk.cut(left.path(), dice);
        left
    }
}

/// A sign-in, in which all keys are used: they belong to it.
#[derive(Clone)]
struct Owner {
    client: Client,
    /// Thousands of cuts take longer than an access token lasts.
    refresh: String,
}

impl Owner {
    async fn sign_in(edge: &Edge) -> Owner {
        let client = sample::owner_of_plenty(edge).await;
        let body = json!({"email": sample::EMAIL, "password": sample::PASSWORD});
        Owner::of(&client, &edge.client().post("/auth/login", body).await.expect(200).data())
    }

    /// At the branch that goes on.
    async fn go_on(self, edge: &Edge) -> Client {
        let renew = json!({"refreshToken": self.refresh});
        let renewed = edge.client().post("/auth/refresh", renew).await.expect(200).data();
        Owner::of(&self.client, &renewed).client.at(edge.base())
    }

    fn of(client: &Client, signed_in: &Value) -> Owner {
        let token = |name: &str| signed_in[name].as_str().unwrap().to_owned();
        Owner { client: client.clone().with_token(token("accessToken")), refresh: token("refreshToken") }
    }
}

/// Starts the binary on what is left: it must hold what was answered, and goes on as if nothing had been.
async fn check(left: &Path, owner: Owner, ledger: Ledger) {
    let edge = Edge::serve(left, &[]).await;
    let ledger = Mutex::new(ledger);
    catch_up(&owner.go_on(&edge).await, &ledger).await;
    edge.kill();
    let (left, answered) = (left.to_owned(), ledger.into_inner().unwrap().answered);
    let look = move || {
        check_database(&left.join("tiffin.db"), &answered);
        let report = sync_hub::verify::data_dir(&left).unwrap();
        assert!(report.is_good(), "{:?}", report.problems);
    };
    tokio::task::spawn_blocking(look).await.unwrap();
}
