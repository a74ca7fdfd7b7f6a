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
use std::path::PathBuf;
use std::sync::Arc;
use tiffin_common::Uuid;
use tiffin_common::sync::{EnrolRequest, OutletCard, PROTOCOL};

/// Whose box this becomes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where head office answers, as https://hub.example.com
    #[arg(long)]
    hub: Option<String>,
    /// The one-time code that head office gave out
    #[arg(long)]
    code: Option<String>,
    /// Take the place of the box that the outlet has
    #[arg(long)]
    replace: bool,
    /// Certificate authority of head office (PEM), where it has its own
    #[arg(long, value_name = "FILE")]
    hub_ca_file: Option<PathBuf>,
    /// Allow plain HTTP to another host: only on a network of your own
    #[arg(long)]
    hub_insecure: bool,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::open(&config.store.data_dir)?;
    crate::keep::examine(&data)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let known = Enrolment::load(data.path())?;
    let is_new = !data.is_initialised();
    // An interrupted replacement: its code is spent, its key is here.
    let begun = known.filter(|known| is_new && known.replaced_by_snapshot && args.code.is_none());
    if is_new && !data.unfinished().exists() && data.database().exists() {
        return Err(Failure::new(format!("{} is no branch, and not empty", data.database().display())));
    }
    let enrolment = match begun {
        Some(begun) => begun,
        None => runtime.block_on(enrol(args, &data, is_new))?,
    };
    let OutletCard { code, name, .. } = &enrolment.outlet;
    if !is_new {
        writeln!(out, "This box belongs to {} as {code} {name}.", enrolment.hub_url)?;
        writeln!(out, "A running server takes it up within seconds; look with: edge status")?;
        return Ok(());
    }
    writeln!(out, "Taking the place of the box of {code} {name} …")?;
    let rows = runtime.block_on(fill(&data, &enrolment))?;
    writeln!(out, "{rows} records are here: this box can open for business with: edge serve")?;
    writeln!(out, "What is older comes while it runs.")?;
    Ok(())
}

/// Asks head office, and keeps its answer.
async fn enrol(args: &Args, data: &DataDir, is_new: bool) -> Result<Enrolment, Failure> {
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
    let authority = args.hub_ca_file.as_deref().map(std::fs::canonicalize).transpose()?;
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
