//! What `edge serve` does while there is no branch: it says so, opens the setup page, and takes up the branch as soon as somebody
//! has made one, by that page or by a command. Never makes a second one.

use super::doors::Doors;
use super::enroll;
use super::init::{self, SampleArgs};
use super::{Failure, Out, Result, banner};
use crate::app;
use crate::config::Config;
use crate::data_dir::{DataDir, Lock};
use crate::db::{Disk, Env};
use crate::doctor;
use crate::http::limit::Limits;
use crate::http::observe::Frame;
use crate::http::shutdown::Shutdown;
use crate::lan::setup::{Branch, HeadOffice, Locale, Made, Make, Setup, Wrong};
use crate::lan::{Reach, tls};
use crate::resources::tables::qr;
use crate::serve;
use crate::service_manager::{self, Answer};
use crate::space::DiskOf;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How often a waiting server looks whether the branch is made.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The file of a head office's own certificate authority that was pasted into the setup page.
const HUB_CA: &str = "hub-ca.crt";

/// Waits until there is a branch, then hands over the lock; `None` when told to stop first.
pub(super) async fn wait(
    doors: &Doors,
    config: &Config,
    data: &DataDir,
    reach: &Reach,
    shutdown: &Shutdown,
    out: Out<'_>,
) -> Result<Option<Lock>> {
    let setup = Setup::new(Env::watched(None, 0), reach.clone(), place(), maker(config, data));
    let (mut offer, code) = (data.offer_setup()?, setup.code());
    let enough = Shutdown::new();
    let frame = Frame::new(&config.network, config.bodies, config.metrics.token.clone(), Env::system());
    let waiting = app::waiting(&frame, Limits::new(&config.limits), &reach.address(), setup.routes());
    let look = async {
        let mut known = String::new();
        let found = loop {
            // The cable may come after the start, and the router gives other addresses.
            let link = format!("{}/setup?code={code}", reach.plain());
            if link != known {
                offer.write(&link)?;
                announce(out, doors, data, &link)?;
                known = link;
            }
            if shutdown.is_triggered() {
                break None;
            }
            // Who makes the branch holds the lock until everything is there.
            if data.is_initialised()
                && let Ok(lock) = data.lock()
            {
                break Some(lock);
            }
            tokio::select! {
                () = shutdown.wait() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        };
        Ok(found)
    };
    let look = async {
        let found = look.await;
        enough.trigger();
        found
    };
    let attend = service_manager::attend("Waiting to be set up", async || Answer::Ready, enough.receiver());
    let serve = serve::run(&doors.plain, waiting, (&config.network).into(), &enough);
    let (found, (), ()) = tokio::join!(look, serve, attend);
    found
}

/// With less than this left, SQLite cannot make the files it reads a database with.
const ROOM: u64 = 1 << 20;

/// Whether the disk is so full that the database cannot even be read.
fn is_stuck(data: &DataDir) -> bool {
    let free = DiskOf::new(data.path()).free_bytes();
    free.is_some_and(|free| free < ROOM) && doctor::open_to_read(&data.database()).is_err()
}

/// Waits until the disk has room enough to read the database, and says so to all who ask; false when told to stop first.
pub(super) async fn room(
    doors: &Doors,
    config: &Config,
    data: &DataDir,
    reach: &Reach,
    shutdown: &Shutdown,
) -> bool {
    if !is_stuck(data) {
        return true;
    }
    tracing::error!("the disk is full: the branch opens as soon as there is room");
    let enough = Shutdown::new();
    let frame = Frame::new(&config.network, config.bodies, config.metrics.token.clone(), Env::system());
    let full = app::full(&frame, Limits::new(&config.limits), &reach.address());
    let look = async {
        while is_stuck(data) && !shutdown.is_triggered() {
            tokio::select! {
                () = shutdown.wait() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        enough.trigger();
    };
    let attend = service_manager::attend("The disk is full", async || Answer::ReadsOnly, enough.receiver());
    let serve = serve::run(&doors.plain, full, (&config.network).into(), &enough);
    tokio::join!(look, serve, attend);
    !shutdown.is_triggered()
}

/// Says on the console and in the log how to go on. The code is worth nothing after the setup or the next start.
fn announce(out: Out<'_>, doors: &Doors, data: &DataDir, link: &str) -> Result<()> {
    let (addresses, directory) = (banner::addresses(doors.plain_at).join(" and "), data.path().display());
    writeln!(out, "Listening at {addresses}, but there is no branch in {directory} yet.")?;
    writeln!(out, "Set it up from a phone or a tablet in the same network, with this link:\n\n  {link}\n")?;
    if std::io::stdout().is_terminal()
        && let Ok(code) = qr::letters(link)
    {
        writeln!(out, "{code}")?;
    }
    writeln!(out, "or here, with a command (a whole sample restaurant: edge init --sample-data):")?;
    writeln!(out, "  edge init --outlet-code BLR1 --outlet-name 'My Restaurant' \\")?;
    writeln!(out, "    --timezone Asia/Kolkata --currency INR --owner-email me@example.com")?;
    writeln!(out, "The branch opens by itself as soon as that is done.")?;
    out.flush()?;
    tracing::info!(link, "no branch yet; set this box up with the link");
    Ok(())
}

/// Where this machine was told it stands.
fn place() -> Locale {
    let named = std::env::var("TZ").ok().filter(|zone| !zone.is_empty());
    Locale::of(named.or_else(|| iana_time_zone::get_timezone().ok()).as_deref())
}

/// Makes the branch that the setup page wishes for, by the code of `edge init` and `edge enroll`.
fn maker(config: &Config, data: &DataDir) -> Make {
    let (config, data) = (config.clone(), data.clone());
    Arc::new(move |wish| {
        let hub =
            wish.head_office.map(|hub| Hub::new(hub, &config, &data, wish.branch.is_none())).transpose()?;
        match (wish.branch, hub) {
            (Some(branch), hub) => make(&branch, hub.as_ref(), &config),
            (None, Some(hub)) => hub.take_place(&data),
            (None, None) => Err(vec![Wrong::new("outlet-code", "is needed")]),
        }
    })
}

/// A new branch, which belongs to `hub` before anybody can use it.
fn make(branch: &Branch, hub: Option<&Hub>, config: &Config) -> Result<Made, Vec<Wrong>> {
    let args = init::Args {
        outlet_code: branch.outlet_code.clone(),
        outlet_name: Some(branch.outlet_name.clone()),
        timezone: branch.timezone.clone(),
        currency: branch.currency.clone(),
        country: Some(branch.country.clone()).filter(|code| !code.is_empty()),
        owner_email: Some(branch.owner_email.clone()).filter(|email| !email.is_empty()),
        owner_password_file: None,
        sample: SampleArgs { sample_data: branch.sample_data, ..SampleArgs::default() },
    };
    let env = Env::watched(None, 0);
    let plan = init::Plan::new(&args, Some(&branch.owner_password.0), &env)?;
    let (mut lines, mut hub_refused) = (Vec::new(), None);
    let outlet = plan.make(&args, config, &env, &mut lines, |data| {
        let Some(hub) = hub else { return Ok(()) };
        let joined = enroll::join(&hub.args, hub.authority.as_deref(), data, &env);
        joined.map(drop).inspect_err(|Failure(reason)| hub_refused = Some(reason.clone()))
    });
    let outlet = outlet.map_err(|Failure(reason)| match hub_refused {
        Some(reason) => vec![Wrong::new("hub", format!("does not take this box: {reason}"))],
        None => {
            tracing::error!(reason, "the branch could not be made");
            vec![Wrong::new("", reason)]
        }
    })?;
    let mut notes = vec![format!("The owner signs in as {}.", branch.owner_email)];
    notes.extend(hub.map(|hub| format!("It belongs to the head office at {}.", hub.url())));
    tracing::info!(outlet, "set up from a browser");
    Ok(Made { outlet, notes })
}

/// A head office to belong to.
struct Hub {
    args: enroll::Args,
    authority: Option<PathBuf>,
}

impl Hub {
    fn new(wish: HeadOffice, config: &Config, data: &DataDir, replace: bool) -> Result<Hub, Vec<Wrong>> {
        let pasted = wish.authority.map(|pem| {
            let path = tls::folder(data.path()).join(HUB_CA);
            tls::keep_certificates(&path, &pem).map(|()| path)
        });
        let pasted = pasted.transpose().map_err(|error| {
            tracing::warn!(%error, "the certificate authority of head office cannot be used");
            vec![Wrong::new("hub-ca", "must be a certificate that begins with -----BEGIN CERTIFICATE-----")]
        })?;
        let args = enroll::Args {
            hub: Some(wish.url),
            code: Some(wish.code),
            replace,
            reseed: false,
            hub_insecure: false,
        };
        Ok(Hub { args, authority: pasted.or_else(|| config.lan.hub_ca.clone()) })
    }

    fn url(&self) -> &str {
        self.args.hub.as_deref().unwrap_or_default()
    }

    /// The box becomes the one of an outlet that has another.
    fn take_place(&self, data: &DataDir) -> Result<Made, Vec<Wrong>> {
        let mut lines = Vec::new();
        let card =
            enroll::take_place(&self.args, self.authority.as_deref(), data, &Env::system(), &mut lines);
        let card = card.map_err(|Failure(reason)| {
            vec![Wrong::new("hub", format!("does not take this box: {reason}"))]
        })?;
        let outlet = format!("{} {}", card.code, card.name);
        tracing::info!(outlet, "takes the place of another box, set up from a browser");
        let notes = vec![
            "It has the menu, the staff, the open orders and the numbers of the box whose place it takes."
                .into(),
            "What is older comes from head office while it runs.".into(),
        ];
        Ok(Made { outlet, notes })
    }
}
