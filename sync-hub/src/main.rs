//! The `sync-hub` command: parses arguments and prints; everything else is in the library.

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// The head-office server of Tiffin.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replays a branch's change log into an empty database and compares every captured row with the branch's own.
    ///
    /// Reads only, also while the branch is serving. Exit code: 0 all agree, 1 something differs, 2 it could not be read.
    Verify {
        /// The data directory of the branch server.
        #[arg(long, env = "TIFFIN_EDGE_DATA_DIR")]
        edge_data_dir: PathBuf,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Verify { edge_data_dir } => verify(&edge_data_dir),
    }
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the command's output")]
fn verify(edge_data_dir: &std::path::Path) -> ExitCode {
    match sync_hub::verify::data_dir(edge_data_dir) {
        Ok(report) => {
            println!("{report}");
            if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(error) => {
            eprintln!("{}: {error}", edge_data_dir.display());
            ExitCode::from(2)
        }
    }
}
