//! The command line: one file per subcommand. Never decides anything about orders, money or stock: it opens the branch and
//! calls what HTTP calls.

mod backup;
mod banner;
pub mod config;
mod devices;
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
mod print;
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
pub mod typed;
mod waiting;

pub use failure::{Failure, Out, Result};
pub use serve::start_log;

use crate::config::{Config, ConfigError, GlobalFlags, ServerFlags, Sources};
use crate::data_dir::DataDir;
use crate::db::Env;
use clap::{CommandFactory, Parser, Subcommand};
use open::env_of;
use std::io::Write;
use std::process::ExitCode;
use typed::{Typed, Typing};

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
    /// Prints the link to set up a box without a branch, at the addresses it has now
    SetupLink,
    /// Looks for what may be wrong with this box, and says what to do about it.
    ///
    /// Changes nothing, and works while the server runs. Exit code: 0 all is well, 1 something is to be seen to, 2 something is broken.
    Doctor(doctor::Args),
    /// Prints a test page at one of the branch's printers
    Print(print::Args),
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
    /// Lists, lets in, refuses and removes paired devices
    Devices(devices::Args),
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
    let mut out = typed::Stdout(std::io::stdout());
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
    let done = match cli.command {
        Command::Config(args) => config::run(&args, &cli.global, out),
        Command::Routes => routes::run(out),
        Command::Man(args) => man::run(&args, Cli::command(), out),
        command => return on_the_branch(command, &cli.global, out),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Runs a command that looks at a data directory, and says all that it says as it is typed there.
fn on_the_branch(command: Command, global: &GlobalFlags, out: Out<'_>) -> Result<ExitCode, Failure> {
    let config = resolve(global, command.server_flags())?;
    let data = &config.store.data_dir;
    let typing = Typing::new(typed::EDGE, &Cli::command(), config.file.as_deref(), Some(data));
    crate::root::make_private();
    crate::root::step_down(data)?;
    let done = match command {
        // What programs read.
        Command::Openapi => openapi::run(&config, out).map(|()| ExitCode::SUCCESS),
        Command::Sheet(args) => sheet::run(&args, &config, out).map(|()| ExitCode::SUCCESS),
        Command::Sql(args) => sql::run(&args, &config, out).map(|()| ExitCode::SUCCESS),
        Command::Doctor(args) => doctor::run(&args, &config, &mut Typed::new(out, typing.clone())),
        command => {
            carry_out(command, &config, &mut Typed::new(out, typing.clone())).map(|()| ExitCode::SUCCESS)
        }
    };
    done.map_err(|Failure(text)| Failure(typing.of(&text)))
}

fn carry_out(command: Command, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => serve::run(&args, config, out),
        Command::Ready(args) => ready::run(&args, config, out),
        Command::Print(args) => print::run(&args, config, out),
        Command::Init(args) => init::run(&args, config, &Env::watched(None, 0), out),
        Command::Enroll(args) => {
            enroll::run(&args, config, &env_of(&DataDir::at(&config.store.data_dir)), out)
        }
        Command::Status => status::run(config, out),
        Command::SetupLink => status::setup_link(config, out),
        Command::Backup(args) => backup::run(&args, config, out),
        Command::Restore(args) => restore::run(&args, config, out),
        Command::Export(args) => export::run(&args, config, out),
        Command::Devices(args) => devices::run(&args, config, out),
        Command::ResetPassword(args) => reset_password::run(&args, config, out),
        Command::Tls(args) => tls::run(&args, config, out),
        // Done before.
        Command::Config(_)
        | Command::Routes
        | Command::Man(_)
        | Command::Openapi
        | Command::Sheet(_)
        | Command::Sql(_)
        | Command::Doctor(_) => Ok(()),
    }
}

impl Command {
    /// The settings of a server that it was given as flags.
    fn server_flags(&self) -> Option<&ServerFlags> {
        match self {
            Command::Serve(args) => Some(&args.settings),
            Command::Ready(args) => Some(&args.settings),
            Command::Doctor(args) => Some(&args.settings),
            Command::Print(args) => Some(&args.settings),
            Command::Tls(args) => Some(args.settings()),
            Command::Sheet(args) => Some(&args.settings),
            _ => None,
        }
    }
}

/// The settings that hold. Says on standard error what looks like one and is none.
fn resolve(global: &GlobalFlags, server: Option<&ServerFlags>) -> Result<Config, ConfigError> {
    let sources = Sources::gather(global, server)?;
    sources.tell_misspelt();
    sources.read()
}
