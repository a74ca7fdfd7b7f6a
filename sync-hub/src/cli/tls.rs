//! `sync-hub tls`: makes the local authority of a head office without a certificate of the internet's, and says how its certificates
//! stand. Never prints a key.

use crate::config::{Config, ServerFlags};
use crate::serve::{AUTHORITY, wanted};
use edge::cli::{Failure, Out};
use edge::db::Env;
use edge::lan::tls::{Authority, folder, made, standing};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Makes a local authority and a certificate for this head office
    Init(Init),
    /// Says which certificates there are, for which names, and until when
    Status(Status),
}

#[derive(clap::Args)]
struct Init {
    /// A name of this head office besides .local ones, as hub.example.com; may be given several times
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Make a new authority although there is one: every box and browser must then be given the new certificate
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

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let (folder, env) = (folder(&config.store.data_dir), Env::system());
    let Action::Init(init) = &args.action else {
        return Ok(standing(out, &config.network.tls, &folder, env.clock.now(), "sync-hub tls init")?);
    };
    if !init.replace && Authority::load(&folder)?.is_some() {
        let known = "there is an authority already (sync-hub tls status); boxes know it. A new one in its place: --replace";
        return Err(Failure(known.to_owned()));
    }
    let authority = Authority::make(&folder, AUTHORITY, &init.name, &env)?;
    authority.issue(&authority.may(wanted(&config.network)()), &env)?;
    made(out, &authority, config.network.tls.listen, "sync-hub serve")?;
    writeln!(out, "Boxes trust it with: edge enroll --hub https://… --code … --hub-ca tiffin-ca.crt")?;
    Ok(())
}
