//! The command line. Never knows SQL; commands that change something say so in the audit log.

pub mod admin;
mod backup;
mod export;
mod serve;
mod tls;

use crate::config::{Config, GlobalFlags, ServerFlags};
use clap::{Parser, Subcommand};
use edge::cli::typed::{Program, Stdout, Typed, Typing};
use edge::cli::{Failure, Out, config, man, ready};
use edge::config::Sources;
use edge::db::Env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tiffin_common::Uuid;

/// The head-office server of Tiffin.
#[derive(Parser)]
#[command(name = "sync-hub", version, about, max_term_width = 120)]
pub struct Cli {
    #[command(flatten)]
    global: GlobalFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs head office
    Serve(serve::Args),
    /// Prepares the database and makes the first super-admin
    Init(admin::Init),
    /// Lists the outlets and how they stand
    Outlets,
    /// Gives out a one-time code for a new box, or for the replacement of an outlet's box
    EnrolCode(admin::EnrolCode),
    /// Lists the people of head office, or adds one
    Users(admin::Users),
    /// Says that the database was restored from a backup, so that no box takes its positions for the ones it knows
    Restored,
    /// Looks for what may be wrong with this head office, and says what to do about it.
    ///
    /// Changes nothing, and works while it serves. Exit code: 0 all is well, 1 something is to be seen to, 2 something is broken.
    Doctor(DoctorArgs),
    /// Takes a backup now, also while head office serves
    Backup(backup::Backup),
    /// Puts a backup back, while head office is stopped; branches then send what it lacks
    Restore(backup::Restore),
    /// Writes what head office holds of one outlet as one archive of CSV and JSON Lines
    Export(export::Args),
    /// Lists every setting, its value and where that came from
    Config(config::Args<Config>),
    /// Asks the server on this machine whether it is ready
    Ready(ReadyArgs),
    /// Makes a local certificate authority, or says how the certificates stand
    Tls(tls::Args),
    /// Prints the OpenAPI document
    Openapi,
    /// Replays a branch's change log into an empty database and compares every captured row with the branch's own.
    ///
    /// Reads only, also while the branch is serving. Exit code: 0 all agree, 1 something differs, 2 it could not be read.
    Verify {
        /// The data directory of the branch server.
        #[arg(long, env = "TIFFIN_EDGE_DATA_DIR")]
        edge_data_dir: PathBuf,
        /// The data directory of a hub on SQLite: compares the branch's rows with the copy there instead.
        #[arg(long)]
        hub_data_dir: Option<PathBuf>,
    },
    /// Writes the manual pages into a folder
    #[command(hide = true)]
    Man {
        /// The folder.
        folder: PathBuf,
    },
}

#[derive(clap::Args)]
struct DoctorArgs {
    /// Print JSON, for a program
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ServerFlags,
}

#[derive(clap::Args)]
struct ReadyArgs {
    /// How long to keep asking
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
    #[command(flatten)]
    settings: ServerFlags,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut out = Stdout(std::io::stdout());
    match run(Cli::parse(), &mut out) {
        Ok(code) => code,
        Err(Failure(text)) => {
            // Standard error may be closed; there is nobody else to tell.
            let _ = writeln!(std::io::stderr(), "sync-hub: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one command, and says all that it says as it is typed here.
///
/// # Errors
/// What kept it from its work, in words.
pub fn run(cli: Cli, out: Out<'_>) -> Result<ExitCode, Failure> {
    let global = || resolve(&cli.global, None);
    if !speaks_to_people(&cli.command) {
        return carry_out(cli, out);
    }
    // Where the settings cannot be used, the command says why.
    let Ok(config) = global() else { return carry_out(cli, out) };
    let data = Some(config.store.data_dir.as_path()).filter(|_| config.store.database_url.is_none());
    let typing = Typing::new(HUB, &<Cli as clap::CommandFactory>::command(), config.file.as_deref(), data);
    let done = carry_out(cli, &mut Typed::new(out, typing.clone()));
    done.map_err(|Failure(text)| Failure(typing.of(&text)))
}

/// How the commands of head office are typed.
const HUB: Program = Program { name: "sync-hub", installed: "tiffin-hub", settings: "/etc/tiffin/hub.toml" };

/// Whether a command needs the settings, and is not read by programs.
fn speaks_to_people(command: &Command) -> bool {
    let others = matches!(
        command,
        Command::Config(_) | Command::Man { .. } | Command::Openapi | Command::Verify { .. }
    );
    !others
}

fn carry_out(cli: Cli, out: Out<'_>) -> Result<ExitCode, Failure> {
    let (global, env) = (|| resolve(&cli.global, None), Env::system());
    match cli.command {
        Command::Serve(args) => serve::run(&args, resolve(&cli.global, Some(&args.settings))?, env, out)?,
        Command::Init(args) => admin::init(&args, &global()?, &env, out)?,
        Command::Outlets => admin::outlets(&global()?, &env, out)?,
        Command::EnrolCode(args) => admin::enrol_code(&args, &global()?, &env, out)?,
        Command::Users(args) => admin::users(&args, &global()?, &env, out)?,
        Command::Restored => admin::restored(&global()?, &env, out)?,
        Command::Backup(args) => backup::backup(&args, &global()?, &env, out)?,
        Command::Restore(args) => backup::restore(&args, &global()?, &env, out)?,
        Command::Export(args) => export::run(&args, &global()?, out)?,
        Command::Config(args) => config::run(&args, &cli.global, out)?,
        Command::Doctor(args) => {
            let config = resolve(&cli.global, Some(&args.settings))?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let report = runtime.block_on(crate::doctor::examine(&config, &env));
            report.write(out, args.json)?;
            return Ok(ExitCode::from(report.level.exit_code()));
        }
        Command::Ready(args) => {
            let config = resolve(&cli.global, Some(&args.settings))?;
            let wait = Duration::from_secs(args.wait);
            ready::ask(config.network.listen, "/ready", wait)?;
            writeln!(out, "ready")?;
        }
        Command::Man { folder } => man::write(<Cli as clap::CommandFactory>::command(), &folder, out)?,
        Command::Tls(args) => tls::run(&args, &resolve(&cli.global, Some(args.settings()))?, out)?,
        Command::Openapi => {
            let config = global()?;
            let url = crate::serve::reach(&config.network, config.network.listen, config.network.tls.listen)
                .address();
            // The routes of the desk belong to a head office, of which there is none here.
            let folder = tempfile::tempdir()?;
            let store = crate::store::sqlite::SqliteStore::open(folder.path(), Default::default())?;
            let hub = crate::hub::Hub::new(crate::store::Stores::new(store), env, Uuid::nil());
            let document = crate::api::system::document(&crate::desk::Desk::new(hub), &url);
            serde_json::to_writer_pretty(&mut *out, &document)?;
            writeln!(out)?;
        }
        Command::Verify { edge_data_dir, hub_data_dir } => {
            return Ok(verify(&edge_data_dir, hub_data_dir.as_deref(), out));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn resolve(global: &GlobalFlags, server: Option<&ServerFlags>) -> Result<Config, Failure> {
    let config: Config = Sources::gather(global, server)?.read()?;
    edge::root::make_private();
    edge::root::step_down(&config.store.data_dir)?;
    Ok(config)
}

fn verify(edge_data_dir: &Path, hub_data_dir: Option<&Path>, out: Out<'_>) -> ExitCode {
    if let Some(hub) = hub_data_dir {
        return match crate::verify::data_dirs(edge_data_dir, hub) {
            Ok(pair) => {
                let _ = writeln!(out, "{pair}");
                if pair.is_equal() { ExitCode::SUCCESS } else { ExitCode::from(1) }
            }
            Err(error) => {
                let _ =
                    writeln!(std::io::stderr(), "{}, {}: {error}", edge_data_dir.display(), hub.display());
                ExitCode::from(2)
            }
        };
    }
    match crate::verify::data_dir(edge_data_dir) {
        Ok(report) => {
            let _ = writeln!(out, "{report}");
            if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{}: {error}", edge_data_dir.display());
            ExitCode::from(2)
        }
    }
}
