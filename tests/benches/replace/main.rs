//! What was confirmed stays confirmed, at the size of a year: a branch with a year of trade, whose log goes no further back than a few
//! rows, fills a head office that has nothing any more, and then its box is replaced; other outlets send fresh orders all the time, and a
//! till sells. The programs are processes of their own. Fails where both ends do not hold the same rows and sums in the end; never asserts
//! a time.
//!
//!     cargo build --profile shipped -p edge -p sync-hub
//!     TIFFIN_PROGRAMS=$PWD/target/shipped cargo bench -p tiffin-tests --bench replace
//!     TIFFIN_PROGRAMS=$PWD/target/shipped TIFFIN_TEST_STORE=postgres cargo bench -p tiffin-tests --bench replace
//!     TIFFIN_ORDERS=1500 TIFFIN_DAYS=3 TIFFIN_QUIET_S=8 cargo bench -p tiffin-tests --bench replace
//!
//! With `-- growth` it is what an order and a wage take between both ends, after a day, a year and more (`growth.rs`).
//!
//! `TIFFIN_BRANCH=apart` has the branch take of the processor what nobody else wants, as nearly as one machine can be two.

mod ends;
mod growth;
mod news;
mod steady;

use ends::There;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use steady::{Figures, Others, Till};
use tiffin_common::Uuid;
use tiffin_tests::chain::Day;
use tiffin_tests::postgres::{Cluster, Database};
use tiffin_tests::{Client, Edge, HubProcess, history, most_memory, sample};

/// How often each of the other outlets sends an order, and the till takes one.
const GAP: Duration = Duration::from_millis(500);

/// How far back its history goes, in days.
const YEAR: i64 = 365;

/// How often both ends are compared before they count as different.
const LOOKS: u32 = 5;

/// How long each step may take at most.
const LONGEST: Duration = Duration::from_secs(2 * 3_600);

/// Whether head office lacks nothing, and holds what is here.
const IS_EQUAL: &str =
    "SELECT standing = 'NORMAL' AND digest = 'OK' AND lacking_since IS NULL FROM sync_peer";

/// What is measured, from the environment.
struct Scale {
    /// Orders of the branch, at least.
    orders: i64,
    /// Days that it really traded: the rest is made of them.
    days: String,
    /// Other outlets.
    outlets: u64,
    /// How long it is measured before anything happens.
    quiet: Duration,
}

impl Scale {
    fn given() -> Scale {
        let number =
            |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
        Scale {
            orders: number("TIFFIN_ORDERS", 110_000).cast_signed(),
            days: number("TIFFIN_DAYS", 30).to_string(),
            outlets: number("TIFFIN_OUTLETS", 4),
            quiet: Duration::from_secs(number("TIFFIN_QUIET_S", 60)),
        }
    }

    /// Orders of a day of another outlet: as many as it sends meanwhile. The next one has to be made, signed in and enrolled, all of which
    /// takes from the same two cores.
    fn day(&self) -> usize {
        usize::try_from(self.orders / 25).unwrap_or_default().clamp(400, 4_000)
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    if std::env::args().any(|word| word == "growth") {
        return runtime.block_on(growth::measure(folder.path()));
    }
    let is_postgres = std::env::var("TIFFIN_TEST_STORE").is_ok_and(|store| store == "postgres");
    // One that keeps what it confirms, unlike that of the tests.
    let cluster = is_postgres.then(|| Cluster::start(""));
    let database = cluster.as_ref().map(Cluster::database);
    runtime.block_on(measure(folder.path(), database, &Scale::given()));
}

async fn measure(folder: &Path, database: Option<Database>, scale: &Scale) {
    let mut scene = Scene::set(folder, database, scale).await;
    let day = Day::record(scale.day()).await;
    let others = scene.open_others(day, scale);
    let alone = scene.alone(&others, scale).await;
    let filled = scene.fill_head_office(&others).await;
    scene.compare("head office is filled again").await;
    let replaced = scene.replace(&others).await;
    scene.compare("the box is replaced").await;
    drop(others);
    scene.exchange(folder).await;
    println!("pushes of other outlets: p99 {:.1} ms alone", alone.p99);
    for (what, figures) in [("head office is filled again", filled), ("the box is replaced", replaced)] {
        println!("  {:.1} ms while {what}: {:.2} times", figures.p99, figures.p99 / alone.p99);
    }
}

/// The branch, head office, and what is known of them.
struct Scene {
    hub: HubProcess,
    edge: Option<Edge>,
    branch: PathBuf,
    outlet: Uuid,
    there: There,
}

impl Scene {
    /// A branch that has traded for a year, whose log is pruned, and a head office that has nothing of it.
    async fn set(folder: &Path, database: Option<Database>, scale: &Scale) -> Scene {
        let (office, branch) = (folder.join("office"), folder.join("branch"));
        let store: Vec<&str> =
            database.iter().flat_map(|database| ["--database-url", &database.url]).collect();
        HubProcess::init(&office, &store);
        let hub = HubProcess::serve(&office, &store).await;
        let begin = Instant::now();
        sample::init_after(&branch, "YEAR", &scale.days);
        let outlet = ends::outlet_of(&branch);
        let there = match database {
            Some(database) => There::Postgres(database, outlet),
            None => There::File(office.join("outlets").join(format!("{outlet}.db"))),
        };
        let mut scene = Scene { hub, edge: None, branch, outlet, there };
        // Nothing is ever sold out.
        sample::owner_of_plenty(&Edge::serve(&scene.branch, &[]).await).await;
        println!("{} days traded in {:.0?}", scale.days, begin.elapsed());
        let (file, orders, begin) = (scene.file(), scale.orders, Instant::now());
        tokio::task::spawn_blocking(move || history::lengthen(&file, YEAR, orders)).await.unwrap();
        // What was made is on the disk before anything is measured: gigabytes on their way there hold up everybody's syncs.
        assert!(Command::new("sync").status().unwrap().success());
        let file = scene.file();
        let size = std::fs::metadata(&file).unwrap().len() >> 20;
        let (orders, movements) = (count(&file, "orders"), count(&file, "stock_movements"));
        println!(
            "{orders} orders, {movements} movements of stock, {size} MB, made in {:.0?}",
            begin.elapsed()
        );
        scene.open_branch().await;
        scene.enroll(None, &[]).await;
        let lacks = "SELECT lacking_since IS NOT NULL FROM sync_peer";
        let file = scene.file();
        until("the branch says what head office lacks", || ends::holds(&file, lacks)).await;
        days_are_kept(&file).await;
        scene
    }

    async fn open_branch(&mut self) {
        self.edge = Some(Edge::serve(&self.branch, &[]).await);
        set_apart(self.edge().pid());
    }

    fn edge(&self) -> &Edge {
        self.edge.as_ref().unwrap()
    }

    fn file(&self) -> PathBuf {
        self.branch.join("tiffin.db")
    }

    /// Log rows that head office has not confirmed.
    fn waiting(&self) -> i64 {
        waiting(&self.file())
    }

    async fn is_confirmed(&self) {
        is_confirmed(&self.file()).await;
    }

    /// `edge enroll`, with a code for this outlet's box or for a new one; the most memory that it took.
    async fn enroll(&self, outlet: Option<Uuid>, more: &[&str]) -> u64 {
        self.enroll_box(&self.branch, outlet, more).await
    }

    async fn enroll_box(&self, data: &Path, outlet: Option<Uuid>, more: &[&str]) -> u64 {
        let code = code(&self.hub.admin().await, outlet).await;
        let mut command = Command::new(Edge::binary());
        command.args(["enroll", "--hub", self.hub.base(), "--code", &code, "--data-dir"]);
        command.arg(data).args(more).stdin(Stdio::null()).stdout(Stdio::null());
        let run = move || {
            let (mut child, mut most) = (command.spawn().unwrap(), 0);
            set_apart(child.id());
            loop {
                most = most.max(most_memory(child.id()).unwrap_or(0));
                match child.try_wait().unwrap() {
                    Some(status) => break (status.success(), most),
                    None => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        };
        let (is_done, most) = tokio::task::spawn_blocking(run).await.unwrap();
        assert!(is_done, "edge enroll {more:?}");
        most
    }

    fn open_others(&self, day: Day, scale: &Scale) -> Others {
        Others::open(day, self.hub.base(), scale.outlets, GAP)
    }

    async fn till(&self) -> Till {
        let lines = sample::lines(&sample::owner(self.edge()).await, 3).await;
        Till::open(self.edge(), lines, GAP).await
    }

    fn memory(&self) -> String {
        format!(
            "most memory: branch {} MB, head office {} MB",
            self.edge().most_memory(),
            self.hub.most_memory()
        )
    }

    /// Before anything happens.
    async fn alone(&self, others: &Others, scale: &Scale) -> Figures {
        let till = self.till().await;
        // The first day of other outlets is made by then.
        tokio::time::sleep(Duration::from_secs(5)).await;
        others.take();
        till.took.take();
        tokio::time::sleep(scale.quiet).await;
        let pushes = others.take();
        println!(
            "alone: pushes of others {pushes}\n  orders at the till {}\n  {}",
            till.took.take(),
            self.memory()
        );
        till.close().await;
        pushes
    }

    /// Head office is filled from the branch.
    async fn fill_head_office(&self, others: &Others) -> Figures {
        let till = self.till().await;
        others.take();
        let begin = Instant::now();
        self.enroll(None, &["--reseed"]).await;
        let all = "SELECT reseed IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sync_reseed) FROM sync_peer";
        let file = self.file();
        until("all rows are in the log again", || ends::holds(&file, all)).await;
        let logged = begin.elapsed();
        until("head office has nearly all", || self.waiting() < 64).await;
        let (pushes, orders) = (others.take(), till.took.take());
        till.close().await;
        self.is_confirmed().await;
        println!(
            "head office is filled again: all rows in the log after {logged:.1?}, whole after {:.1?}",
            begin.elapsed()
        );
        println!("  pushes of others {pushes}\n  orders at the till {orders}\n  {}", self.memory());
        pushes
    }

    /// The box is replaced by an empty one.
    async fn replace(&mut self, others: &Others) -> Figures {
        self.edge = None;
        let old = self.branch.with_file_name("old");
        std::fs::rename(&self.branch, &old).unwrap();
        others.take();
        let begin = Instant::now();
        let most = self.enroll(Some(self.outlet), &["--replace"]).await;
        let (filled, size) = (begin.elapsed(), std::fs::metadata(self.file()).unwrap().len() >> 20);
        self.open_branch().await;
        let owner = sample::owner(self.edge()).await;
        let body = json!({"orderType": "COUNTER", "items": sample::lines(&owner, 3).await});
        let order = owner.post("/orders", body).await.expect(201).json();
        println!(
            "the box is replaced: the first order after {:.1?}, {filled:.1?} of it for {size} MB before it opened (most memory {most} MB)",
            begin.elapsed()
        );
        let till = self.till().await;
        let file = self.file();
        let opened = others.take();
        let done = "SELECT restore_phase IS NULL FROM sync_peer";
        until("the box holds all that head office holds", || ends::holds(&file, done)).await;
        let (pushes, orders) = (others.take(), till.took.take());
        let held = begin.elapsed();
        let (taken, cents) = till.close().await;
        self.is_confirmed().await;
        println!("  all rows after {held:.1?}, confirmed after {:.1?}", begin.elapsed());
        println!("  pushes of others before it opened {opened}\n  and after that {pushes}");
        println!("  orders at the till {orders}\n  {}", self.memory());
        let total = "SELECT sum(total_cents) FROM orders";
        let cents = cents + order["totalAmountCents"].as_i64().unwrap();
        let before = old.join("tiffin.db");
        assert_eq!(count(&file, "orders"), count(&before, "orders") + taken + 1, "orders of the old box");
        assert_eq!(ends::number(&file, total), ends::number(&before, total) + cents, "what they cost");
        pushes
    }

    /// How long news take, of a new outlet and of this one.
    async fn exchange(&self, folder: &Path) {
        let data = folder.join("new");
        sample::init(&data, "NEW");
        let edge = Edge::serve(&data, &[]).await;
        sample::owner_of_plenty(&edge).await;
        self.enroll_box(&data, None, &[]).await;
        let (file, outlet) = (data.join("tiffin.db"), ends::outlet_of(&data));
        let there = self.there.beside(outlet);
        until("it belongs to head office", || ends::holds(&file, IS_EQUAL)).await;
        news::measure(&self.hub, &edge, (&file, outlet), &there, "a new outlet").await;
        let (own, what) = ((&*self.file(), self.outlet), "the outlet with its history");
        news::measure(&self.hub, self.edge(), own, &self.there, what).await;
    }

    /// Both ends hold the same, as soon as nothing is on its way: the box writes what it has to tell of, too.
    async fn compare(&self, when: &str) {
        println!("{when}:");
        let mut told = Vec::new();
        for _ in 0..LOOKS {
            self.is_confirmed().await;
            told = tokio::task::block_in_place(|| ends::differences(&self.file(), &self.there));
            if told.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        panic!("both ends differ:\n{}", told.join("\n"));
    }
}

/// Where it is wanted, has process `pid` leave the processor to whoever wants it, as a branch does that is another machine.
fn set_apart(pid: u32) {
    if std::env::var("TIFFIN_BRANCH").is_ok_and(|branch| branch == "apart") {
        let mut command = Command::new("chrt");
        command.args(["--all-tasks", "--idle", "--pid", "0", &pid.to_string()]);
        assert!(command.status().unwrap().success(), "{command:?}");
    }
}

fn count(file: &Path, table: &str) -> i64 {
    ends::number(file, &format!("SELECT count(*) FROM {table}"))
}

/// A one-time code for a new box, or for one more of `outlet`.
async fn code(admin: &Client, outlet: Option<Uuid>) -> String {
    let made = admin.post("/hub/enrolments", json!({"outletId": outlet})).await.expect(201).data();
    made["code"].as_str().unwrap().to_owned()
}

/// Log rows of the branch in `file` that head office has not confirmed.
fn waiting(file: &Path) -> i64 {
    ends::number(file, "SELECT (SELECT max(seq) FROM sync_log) - (SELECT acked_seq FROM sync_peer)")
}

async fn is_confirmed(file: &Path) {
    until("all is confirmed, and sums are equal", || waiting(file) == 0 && ends::holds(file, IS_EQUAL)).await;
}

async fn days_are_kept(file: &Path) {
    let missing = "SELECT count(DISTINCT business_date) FROM orders
        WHERE business_date < (SELECT max(business_date) FROM orders)
          AND business_date NOT IN (SELECT business_date FROM analytics_days WHERE kept = 1)";
    until("the figures of all finished days are kept", || ends::number(file, missing) == 0).await;
}

/// Looks again and again.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < LONGEST, "never: {what}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
