//! `cargo demo`: a hub and two branches with sample data in one process tree, waiters who trade, an outage of one branch's
//! internet, and a live view of what becomes of it. Never leaves anything behind but what `--keep` names, never listens beyond
//! loopback.
//!
//! One program plays all parts: the demo starts itself again under the names `edge` and `sync-hub`.

mod link;
mod plain;
mod process;
mod trade;
mod view;
mod watch;
mod world;

use clap::Parser;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// A hub and two branches that trade, and an outage.
#[derive(Parser)]
#[command(name = "cargo demo", version, about)]
pub struct Arguments {
    /// Ends by itself after so many seconds of trade, once every backlog has drained; without it `q` or Ctrl-C ends it
    #[arg(long)]
    seconds: Option<u64>,
    /// The first outage begins after so many seconds
    #[arg(long, default_value_t = 20)]
    outage_after: u64,
    /// How long an outage lasts, in seconds
    #[arg(long, default_value_t = 30)]
    outage: u64,
    /// Orders a minute in each branch
    #[arg(long, default_value_t = 60)]
    pace: u64,
    /// Keeps the data directories here
    #[arg(long)]
    keep: Option<PathBuf>,
    /// One line at a time instead of the live view
    #[arg(long)]
    plain: bool,
}

fn main() -> ExitCode {
    match std::env::args_os()
        .next()
        .as_deref()
        .map(Path::new)
        .and_then(Path::file_name)
        .and_then(OsStr::to_str)
    {
        Some("edge") => edge::cli::main(),
        Some("sync-hub") => sync_hub::cli::main(),
        _ => demonstrate(&Arguments::parse()),
    }
}

#[tokio::main]
async fn demonstrate(arguments: &Arguments) -> ExitCode {
    match play(arguments).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("demo: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Plays it to its end; answers whether branches and head office agreed then.
async fn play(arguments: &Arguments) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let root = arguments.keep.as_deref().unwrap_or(folder.path());
    let world = world::World::open(root).await?;
    println!("{}", world.how_to_look());
    let trade = trade::start(&world, arguments.pace);
    let outages = link::outages(
        world.branches[1].link.clone(),
        Duration::from_secs(arguments.outage_after),
        Duration::from_secs(arguments.outage),
    );
    let live = !arguments.plain && std::io::stdout().is_terminal();
    let watch = watch::Watch::new(&world, &trade);
    if live {
        view::run(&watch, &world, arguments.seconds).await?;
    } else {
        plain::run(&watch, arguments.seconds).await;
    }
    trade.stop().await;
    outages.abort();
    world.branches.iter().for_each(|branch| branch.link.restore());
    println!("Trade has stopped. Waiting until head office holds everything…");
    let verdict = watch.settle().await?;
    println!("{verdict}");
    let good = verdict.is_good();
    world.close();
    Ok(good)
}
