//! `edge enroll`: makes this box belong to a head office, whether its server runs or not: head office's answer goes into one file,
//! which a running server takes up within seconds and a stopped one at its next start. With an empty data directory it takes
//! another box's place. Never prints the key.

use super::{Failure, Out};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::{Env, OsRandom};
use crate::secrets;
use crate::sync::{Enrolment, HttpCarrier, Hub, outlet_of, restore};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::Arc;
use tiffin_common::Uuid;
use tiffin_common::sync::{EnrolRequest, OutletCard, PROTOCOL};

/// Whose box this becomes. The certificate authority of a head office with its own is the setting `hub-ca`.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Args {
    /// Where head office answers: its address, beginning with https
    #[arg(long)]
    pub(super) hub: Option<String>,
    /// The one-time code that head office gave out
    #[arg(long)]
    pub(super) code: Option<String>,
    /// Take the place of the box that the outlet has
    #[arg(long)]
    pub(super) replace: bool,
    /// Allow plain HTTP to another host: only on a network of your own
    #[arg(long)]
    pub(super) hub_insecure: bool,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::open(&config.store.data_dir)?;
    crate::health::examine(&data)?;
    let authority = config.lan.hub_ca.as_deref();
    if !data.is_initialised() {
        take_place(args, authority, &data, out)?;
        writeln!(out, "This box can open for business with: edge serve")?;
        writeln!(out, "What is older comes while it runs.")?;
        return Ok(());
    }
    let OutletCard { code, name, .. } = join(args, authority, &data)?.outlet;
    let hub = args.hub.as_deref().unwrap_or_default();
    writeln!(out, "This box belongs to {} as {code} {name}.", hub.trim_end_matches('/'))?;
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
pub(super) fn join(args: &Args, authority: Option<&Path>, data: &DataDir) -> Result<Enrolment, Failure> {
    runtime()?.block_on(enrol(args, authority, data, false))
}

/// Makes the box, which has no branch, the one of another outlet's. Begun again without a code, it goes on. Blocks.
///
/// # Errors
/// What head office, or the way to it, has against it; when the directory is not empty.
pub(super) fn take_place(
    args: &Args,
    authority: Option<&Path>,
    data: &DataDir,
    out: Out<'_>,
) -> Result<OutletCard, Failure> {
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
            let enrolled = runtime.block_on(enrol(args, authority, data, true));
            enrolled.or_else(|refused| begun.filter(is_same).ok_or(refused))?
        }
    };
    let OutletCard { code, name, .. } = &enrolment.outlet;
    writeln!(out, "Taking the place of the box of {code} {name} …")?;
    let rows = runtime.block_on(fill(data, &enrolment))?;
    writeln!(out, "{rows} records are here.")?;
    Ok(enrolment.outlet)
}

/// Asks head office, and keeps its answer.
async fn enrol(
    args: &Args,
    authority: Option<&Path>,
    data: &DataDir,
    is_new: bool,
) -> Result<Enrolment, Failure> {
    let (Some(url), Some(code)) = (&args.hub, &args.code) else {
        return Err(Failure::new("--hub and --code are needed; head office gives out the code"));
    };
    if is_new && !args.replace {
        return Err(Failure::new(
            "there is no branch in this data directory yet: make one with edge init, or take another box's place with --replace",
        ));
    }
    let known = Enrolment::load(data.path())?;
    let device_id = known.map_or_else(|| new_device(&Env::system()), |known| known.device_id);
    let outlet = if is_new { None } else { Some(own_outlet(data)?) };
    let unread = |path: &Path, error| Failure::new(format!("{}: {error}", path.display()));
    let absolute = |path: &Path| std::fs::canonicalize(path).map_err(|error| unread(path, error));
    let authority = authority.map(absolute).transpose()?;
    let carrier = HttpCarrier::new(url, None, authority.as_deref(), args.hub_insecure)?;
    let request = EnrolRequest {
        code: code.trim().to_owned(),
        device_id,
        outlet,
        replace: args.replace,
        protocol: PROTOCOL,
        schema: tiffin_migrations::edge_schema_version(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        wall: Env::system().clock.now(),
        pepper: if is_new { None } else { secrets::pepper(data.path()).ok() },
    };
    let enrolled = Hub::new(Arc::new(carrier)).enrol(&request).await?;
    if is_new {
        let Some(pepper) = &enrolled.pepper else {
            return Err(Failure::new("head office does not have the secret of this outlet's PINs"));
        };
        secrets::create_with_pepper(data.path(), &OsRandom, pepper)?;
    }
    let key =
        crate::config::Value::read(&enrolled.key).map_err(|_| Failure::new("head office gave no key"))?;
    let enrolment = Enrolment {
        hub_url: url.trim_end_matches('/').to_owned(),
        device_id,
        outlet: enrolled.outlet,
        key,
        hub_epoch: enrolled.hub_epoch,
        replaces: enrolled.cursor,
        replaced_by_snapshot: is_new,
        authority,
        insecure: args.hub_insecure,
    };
    enrolment.save(data.path())?;
    Ok(enrolment)
}

/// Fills the empty data directory, so far that it opens.
async fn fill(data: &DataDir, enrolment: &Enrolment) -> Result<u64, Failure> {
    let _lock = data.lock()?;
    std::fs::write(data.unfinished(), "edge enroll --replace\n")?;
    let Enrolment { hub_url, key, authority, insecure, .. } = enrolment;
    let carrier = HttpCarrier::new(hub_url, Some(key.clone()), authority.as_deref(), *insecure)?;
    let hub = Hub::new(Arc::new(carrier));
    let rows = restore::open_for_business(&hub, data, enrolment, Env::system()).await?;
    std::fs::remove_file(data.unfinished())?;
    Ok(rows)
}

fn new_device(env: &Env) -> Uuid {
    env.ids.next(env.clock.now())
}

fn own_outlet(data: &DataDir) -> Result<OutletCard, Failure> {
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    outlet_of(&conn)?.ok_or_else(|| Failure::new("there is no outlet in this data directory"))
}
