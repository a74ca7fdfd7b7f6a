//! The command line: one file per subcommand. Never decides anything about orders, money or stock: it opens the branch and
//! calls what HTTP calls.

mod backup;
mod banner;
pub mod config;
mod doctor;
mod doors;
pub mod enroll;
mod export;
mod failure;
pub mod init;
pub mod man;
mod open;
mod openapi;
mod password;
pub mod ready;
mod reset_password;
mod restore;
mod routes;
pub mod sample;
mod serve;
mod sheet;
mod sql;
mod status;
mod tls;
mod waiting;

pub use failure::{Failure, Out};
pub use serve::start_log;

use crate::config::{Config, ConfigError, GlobalFlags, ServerFlags, Sources};
use crate::db::Env;
use clap::{CommandFactory, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// The branch server of a restaurant: the whole API in one process, on one SQLite file.
#[derive(Parser)]
#[command(name = "edge", version, about, max_term_width = 120)]
pub struct Cli {
    #[command(flatten)]
    global: GlobalFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the branch server
    Serve(serve::Args),
    /// Sets up a new branch in an empty data directory
    Init(init::Args),
    /// Makes this box belong to a head office, or take the place of another
    Enroll(enroll::Args),
    /// Says how the branch in the data directory is doing
    Status,
    /// Looks for what may be wrong with this box, and says what to do about it.
    ///
    /// Changes nothing, and works while the server runs. Exit code: 0 all is well, 1 something is to be seen to, 2 something is broken.
    Doctor(doctor::Args),
    /// Asks the server on this machine whether it takes orders
    Ready(ready::Args),
    /// Takes a backup now, also while the server runs
    Backup(backup::Args),
    /// Puts a backup in the database's place, while the server is stopped
    Restore(restore::Args),
    /// Writes everything the branch knows as one archive of CSV and JSON Lines
    Export(export::Args),
    /// Lists every route with who may call it
    Routes,
    /// Prints the OpenAPI document
    Openapi,
    /// Lists every setting, its value and where that came from
    Config(config::Args<Config>),
    /// Gives an account a new password and signs it out everywhere
    ResetPassword(reset_password::Args),
    /// Makes the certificates of the local network, and says how they stand
    Tls(tls::Args),
    /// Writes the sheet with the address and its QR code, to print for tablets
    Sheet(sheet::Args),
    /// Runs SQL on the branch's database, through the server's own writer so that every change is recorded
    Sql(sql::Args),
    /// Writes the manual pages into a folder
    #[command(hide = true)]
    Man(man::Args),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = std::io::stdout();
    match run(cli, &mut out) {
        Ok(code) => code,
        Err(Failure(text)) => {
            // Standard error may be closed; there is nobody else to tell.
            let _ = writeln!(std::io::stderr(), "edge: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one command.
///
/// # Errors
/// What kept it from its work, in words.
pub fn run(cli: Cli, out: Out<'_>) -> Result<ExitCode, Failure> {
    if let Command::Doctor(args) = &cli.command {
        return doctor::run(args, &resolve(&cli.global, Some(&args.settings))?, out);
    }
    carry_out(cli, out).map(|()| ExitCode::SUCCESS)
}

fn carry_out(cli: Cli, out: Out<'_>) -> Result<(), Failure> {
    match cli.command {
        Command::Serve(args) => {
            let config = resolve(&cli.global, Some(&args.settings))?;
            serve::run(&args, &config, out)
        }
        Command::Config(args) => config::run(&args, &cli.global, out),
        Command::Ready(args) => ready::run(&args, &resolve(&cli.global, Some(&args.settings))?, out),
        Command::Init(args) => init::run(&args, &resolve(&cli.global, None)?, &Env::system(), out),
        Command::Enroll(args) => enroll::run(&args, &resolve(&cli.global, None)?, &Env::system(), out),
        Command::Status => status::run(&resolve(&cli.global, None)?, out),
        Command::Backup(args) => backup::run(&args, &resolve(&cli.global, None)?, out),
        Command::Restore(args) => restore::run(&args, &resolve(&cli.global, None)?, out),
        Command::Export(args) => export::run(&args, &resolve(&cli.global, None)?, out),
        Command::Routes => routes::run(out),
        Command::Openapi => openapi::run(&resolve(&cli.global, None)?, out),
        Command::ResetPassword(args) => reset_password::run(&args, &resolve(&cli.global, None)?, out),
        Command::Tls(args) => tls::run(&args, &resolve(&cli.global, Some(args.settings()))?, out),
        Command::Sheet(args) => sheet::run(&args, &resolve(&cli.global, Some(&args.settings))?, out),
        Command::Sql(args) => sql::run(&args, &resolve(&cli.global, None)?, out),
        Command::Man(args) => man::run(&args, Cli::command(), out),
        // Has an exit code of its own.
        Command::Doctor(_) => Ok(()),
    }
}

fn resolve(global: &GlobalFlags, server: Option<&ServerFlags>) -> Result<Config, ConfigError> {
    Sources::gather(global, server)?.read()
}
