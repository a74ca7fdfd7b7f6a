//! `edge tls`: makes the local authority that tablets come to trust, and says how the box's certificates stand. Never prints a key.

use super::doors::authority_title;
use super::{Failure, Out, Result};
use crate::config::{Config, ServerFlags};
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::lan::mdns;
use crate::lan::tls::{Authority, folder, made, standing, wanted};
use rusqlite::{Connection, OpenFlags};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Makes a local authority and a certificate for this box
    Init(Init),
    /// Says which certificates there are, for which names, and until when
    Status(Status),
}

#[derive(clap::Args)]
struct Init {
    /// A name of this box besides its own and .local ones, as pos.example.com; may be given several times
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Make a new authority although there is one: every tablet must then install the new certificate
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    settings: ServerFlags,
}

#[derive(clap::Args)]
struct Status {
    #[command(flatten)]
    settings: ServerFlags,
}

impl Args {
    /// The settings that were given as flags.
    pub(super) fn settings(&self) -> &ServerFlags {
        match &self.action {
            Action::Init(init) => &init.settings,
            Action::Status(status) => &status.settings,
        }
    }
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    match &args.action {
        Action::Init(init) => make(init, config, out),
        Action::Status(_) => {
            let folder = folder(&config.store.data_dir);
            let now = Env::system().clock.now();
            Ok(standing(out, &config.network.tls, &folder, now, "edge tls init")?)
        }
    }
}

fn make(args: &Init, config: &Config, out: Out<'_>) -> Result<()> {
    let data = DataDir::open(&config.store.data_dir)?;
    let (folder, env) = (folder(data.path()), Env::system());
    if !args.replace && Authority::load(&folder)?.is_some() {
        return Err(Failure::new(
            "there is an authority already (edge tls status); tablets know it. A new one in its place: --replace",
        ));
    }
    let host = host(config, &data);
    let authority = Authority::make(&folder, &authority_title(&host), &args.name, &env)?;
    let wanted = wanted(&config.network, vec![format!("{host}.local")], || None);
    authority.issue(&authority.may(wanted()), &env)?;
    Ok(made(out, &authority, config.network.tls.listen, "edge serve")?)
}

/// What the box announces, before `.local`; before there is a branch, what a box is called in general.
fn host(config: &Config, data: &DataDir) -> String {
    let configured = config.lan.mdns_name.as_deref();
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY);
    let found = conn.ok().and_then(|conn| mdns::host(&conn, configured).ok());
    found.unwrap_or_else(|| configured.unwrap_or("tiffin").to_ascii_lowercase())
}
