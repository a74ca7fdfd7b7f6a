//! `edge enroll`: makes this box belong to a head office, whether its server runs or not: head office's answer goes into one file,
//! which a running server takes up within seconds and a stopped one at its next start. With an empty data directory it takes
//! another box's place. Never prints the key.

use super::{Failure, Out, Result};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::health::Unfit;
use crate::sync::joining::{self, Application};
use crate::sync::{Bugs, Enrolment, HttpCarrier, Hub};
use std::path::Path;
use std::sync::Arc;
use tiffin_common::sync::OutletCard;

/// Whose box this becomes. The certificate authority of a head office with its own is the setting `hub-ca`.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// Where head office answers: its address, beginning with https
    #[arg(long)]
    pub(super) hub: Option<String>,
    /// The one-time code that head office gave out
    #[arg(long)]
    pub(super) code: Option<String>,
    /// Take the place of the box that the outlet has
    #[arg(long)]
    pub(super) replace: bool,
    /// Send all records again, to a head office that lacks what this box no longer keeps
    #[arg(long, conflicts_with = "replace")]
    pub(super) reseed: bool,
    /// Allow plain HTTP to another host: only on a network of your own
    #[arg(long)]
    pub(super) hub_insecure: bool,
}

/// Makes the box of `config` belong to a head office, or take another's place. Blocks: not for async threads.
///
/// # Errors
/// What head office, or the way to it, has against it; a directory that cannot be used.
pub fn run(args: &Args, config: &Config, env: &Env, out: Out<'_>) -> Result<()> {
    let data = DataDir::open(&config.store.data_dir)?;
    match crate::health::examine(&data) {
        // Head office has what is gone.
        Err(Unfit::Lost { .. }) if args.replace => {}
        looked => drop(looked?),
    }
    let authority = config.lan.hub_ca.as_deref();
    if !data.is_initialised() {
        take_place(args, authority, &data, env, out)?;
        writeln!(out, "This box can open for business with: edge serve")?;
        writeln!(out, "What is older comes while it runs.")?;
        return Ok(());
    }
    let joined = join(args, authority, &data, env)?;
    if args.replace {
        // Of another life: a server that runs takes it up at its next start.
        crate::secrets::renew_signer(data.path(), &*env.random)?;
    }
    let OutletCard { code, name, .. } = &joined.outlet;
    let hub = args.hub.as_deref().unwrap_or_default();
    writeln!(out, "This box belongs to {} as {code} {name}.", hub.trim_end_matches('/'))?;
    match (args.reseed, joined.reseed) {
        (true, Some(_)) => writeln!(out, "All its records are sent again: GET /status tells how many wait.")?,
        (true, None) => writeln!(
            out,
            "Head office lacks nothing that this box does not keep: no record has to be sent again."
        )?,
        (false, _) => {}
    }
    writeln!(out, "A running server takes it up within seconds; look with: edge status")?;
    Ok(())
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Makes the box, which has its branch, belong to a head office, whose own certificate authority is `authority`. Blocks.
///
/// # Errors
/// What head office, or the way to it, has against it.
pub(super) fn join(args: &Args, authority: Option<&Path>, data: &DataDir, env: &Env) -> Result<Enrolment> {
    let (application, hub) = apply(args, authority)?;
    Ok(runtime()?.block_on(joining::join(&hub, data, &application, env))?)
}

/// Makes the box, which has no branch, the one of another outlet's. Begun again without a code, it goes on. Blocks.
///
/// # Errors
/// What head office, or the way to it, has against it; when the directory is not empty.
pub(super) fn take_place(
    args: &Args,
    authority: Option<&Path>,
    data: &DataDir,
    env: &Env,
    out: Out<'_>,
) -> Result<OutletCard> {
    if !data.unfinished().exists() && data.database().exists() {
        return Err(Failure::new(format!("{} is no branch, and not empty", data.database().display())));
    }
    let runtime = runtime()?;
    // An interrupted replacement: its code is spent, its key is here.
    let begun = Enrolment::load(data.path())?.filter(|known| known.replaced_by_snapshot);
    let enrolment = match (begun, &args.code) {
        (Some(begun), None) => begun,
        (begun, _) => {
            let is_same = |known: &Enrolment| {
                args.hub.as_ref().is_some_and(|hub| hub.trim_end_matches('/') == known.hub_url)
            };
            let ask = || -> Result<Enrolment> {
                let (application, hub) = apply(args, authority)?;
                if !args.replace {
                    return Err(Failure::new(
                        "there is no branch in this data directory yet: make one with edge init, or take another box's place with --replace",
                    ));
                }
                Ok(runtime.block_on(joining::take_place(&hub, data, &application, env))?)
            };
            ask().or_else(|refused| begun.filter(is_same).ok_or(refused))?
        }
    };
    let OutletCard { code, name, .. } = &enrolment.outlet;
    writeln!(out, "Taking the place of the box of {code} {name} …")?;
    let hub = Hub::new(Arc::new(HttpCarrier::of(&enrolment)?));
    let rows = runtime.block_on(joining::fill(&hub, data, &enrolment, env.clone(), Bugs::default()))?;
    writeln!(out, "{rows} records are here.")?;
    Ok(enrolment.outlet)
}

/// What is asked for, and the way to who is asked.
fn apply(args: &Args, authority: Option<&Path>) -> Result<(Application, Hub)> {
    let (Some(url), Some(code)) = (&args.hub, &args.code) else {
        return Err(Failure::new("--hub and --code are needed; head office gives out the code"));
    };
    let unread = |path: &Path, error| Failure::new(format!("{}: {error}", path.display()));
    let absolute = |path: &Path| std::fs::canonicalize(path).map_err(|error| unread(path, error));
    let authority = authority.map(absolute).transpose()?;
    let carrier = HttpCarrier::new(url, None, authority.as_deref(), args.hub_insecure)?;
    let application = Application {
        hub_url: url.clone(),
        code: code.clone(),
        replace: args.replace,
        reseed: args.reseed,
        authority,
        insecure: args.hub_insecure,
    };
    Ok((application, Hub::new(Arc::new(carrier))))
}
