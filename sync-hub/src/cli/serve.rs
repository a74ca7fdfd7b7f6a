//! `sync-hub serve`: starts the server and says where it is. Never prints a password anybody chose.

use super::admin::FirstAdmin;
use crate::config::{Config, ServerFlags};
use crate::registry::users;
use crate::state::AppState;
use edge::cli::{Failure, Out};
use edge::db::Env;
use edge::http::shutdown::Shutdown;
use edge::lan::Reach;
use std::net::SocketAddr;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    admin: FirstAdmin,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, config: Config, env: Env, out: Out<'_>) -> Result<(), Failure> {
    edge::cli::start_log(config.log.format);
    if args.admin.is_given() {
        args.admin.make(&config, &env, out)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut told = Ok(());
    runtime.block_on(async {
        let shutdown = Shutdown::new();
        edge::serve::stop_on_signals(shutdown.clone())?;
        let ready = |bound: SocketAddr, reach: &Reach, app: &AppState| told = banner(out, bound, reach, app);
        crate::serve::run(config, env, &shutdown, ready).await.map_err(Failure::from)
    })?;
    told
}

fn banner(out: Out<'_>, bound: SocketAddr, reach: &Reach, app: &AppState) -> Result<(), Failure> {
    writeln!(out, "Head office is open at http://{bound}; its API is described at http://{bound}/docs")?;
    if let Some(secure) = reach.secure() {
        writeln!(out, "With TLS at {secure}; how its certificate stands says: sync-hub tls status")?;
    }
    let anybody = app
        .stores()
        .read_registry_blocking(|from| users::any(from).map_err(crate::registry::RegistryError::from))?;
    if !anybody {
        writeln!(out, "Nobody can sign in yet. Stop it and make the first super-admin with:")?;
        writeln!(out, "  sync-hub init --admin-email me@example.com")?;
    }
    out.flush()?;
    Ok(())
}
