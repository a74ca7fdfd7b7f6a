//! `POST /orders` beside what the machine gives and beside another server: an order's rows in group commits, the same behind bare
//! HTTP, the very program that is shipped, and Node with better-sqlite3; each a process of its own, in turns, in one run, on the
//! disk as it is and on one whose syncs take 1 ms longer. Never asserts a time: absolute figures wander, ratios are what counts.
//!
//!     cargo bench --profile shipped -p tiffin-tests --bench orders
//!     TIFFIN_ROUND_MS=5000 TIFFIN_ROUNDS=5 cargo bench --profile shipped -p tiffin-tests --bench orders
//!     cargo bench --profile shipped -p tiffin-tests --bench orders -- late
//!     cargo bench --profile shipped -p tiffin-tests --bench orders -- lists
//!     cargo bench --profile shipped -p tiffin-tests --bench orders -- growth
//!
//! `TIFFIN_PROGRAMS=FOLDER` measures the `edge` of that folder instead: another build, or the one of before a change.

mod branch;
mod contender;
mod group;
mod growth;
mod late;
mod lists;
mod load;
mod plan;
mod prototype;
mod raw;
mod report;
mod till;
mod usage;

use branch::Branch;
use load::Figures;
use report::Table;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tiffin_tests::shim::Shim;

/// Connections at once.
const CONNECTIONS: [usize; 3] = [1, 16, 64];

/// How much longer a sync takes than the disk needs.
const SLOWER: [Duration; 2] = [Duration::ZERO, Duration::from_millis(1)];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        match words[..] {
            ["raw", plan, database] => raw::serve(plan.as_ref(), database.as_ref()).await,
            ["prototype", plan, database, "--listen", address] => {
                prototype::serve(plan.as_ref(), database.as_ref(), address).await;
            }
            ["lists"] => lists::measure(&Folder::make().0).await,
            ["late"] => late::measure(&Folder::make().0).await,
            ["growth"] => growth::measure(&Folder::make().0).await,
            [] => compare(&Folder::make().0).await,
            _ => panic!("{words:?} is nothing that this bench knows"),
        }
    });
}

/// All contenders, in turns.
async fn compare(folder: &Path) {
    let (rounds, long) = rounds();
    let node = contender::install_node_modules();
    build_program();
    let branch = Branch::make(&folder.join("branch")).await;
    let plan = plan::learn(&branch).await;
    println!("{}", plan.summary());
    let plan_file = folder.join("plan.json");
    std::fs::write(&plan_file, serde_json::to_vec(&plan).unwrap()).unwrap();
    let bare = folder.join("bare.db");
    plan::copy_without_triggers(&branch.database(), &bare);
    drop(branch.edge);
    let (shim, tills) = (Shim::build(), &branch.tills);
    let mut table = Table::default();
    for slower in SLOWER {
        let place = folder.join(format!("slower-{}", slower.as_micros()));
        let start = contender::Start { folder: place, slower: shim.slower(slower), tills, plan: &plan_file };
        let mut all = start.all(&branch.data, &bare, &node).await;
        for connections in CONNECTIONS {
            for _ in 0..rounds {
                for contender in &mut all {
                    let figures = contender.measure(connections, long).await;
                    table.add(slower, connections, contender.name(), figures);
                }
            }
            table.print(slower, connections);
        }
    }
}

/// How many rounds there are, and how long one is.
fn rounds() -> (u64, Duration) {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    (number("TIFFIN_ROUNDS", 3), Duration::from_millis(number("TIFFIN_ROUND_MS", 1_500)))
}

/// Builds the program in the profile that this is built in, so that no old one is measured.
fn build_program() {
    if std::env::var_os("TIFFIN_PROGRAMS").is_some() {
        return;
    }
    let own = std::env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).unwrap().file_name().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "edge", "--profile"]).arg(profile);
    assert!(build.status().unwrap().success(), "the program does not build");
}

/// A fresh folder on the disk that the build uses, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Folder {
        let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
        let folder = target.join("bench-data").join(std::process::id().to_string());
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left lies in the build's folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Something that can take one order after another.
trait Taker: Send + 'static {
    /// Takes one order and returns when it is durable.
    fn take(&mut self) -> impl Future<Output = ()> + Send;
}
