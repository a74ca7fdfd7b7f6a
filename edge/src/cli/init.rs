//! `edge init`: an empty data directory becomes a branch. Never touches one that is already a branch.

use super::password::{made_up, password_from};
use super::sample::seed::{Hashes, SampleError, seed};
use super::sample::{data, history};
use super::{Failure, Out, Result};
use crate::access::{Actor, Role, hashing, password};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::{Db, Env, Options};
use crate::lan::setup::Wrong;
use crate::resources::auth::rules::{NewAccount, SAMPLE_PASSWORD};
use crate::resources::outlets::rules::{NewOutlet, Outlet, Settings};
use crate::resources::{auth, outlets};
use crate::secrets;
use crate::state::Secrets;
use crate::sync::Enrolment;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiffin_common::clock::ManualClock;
use tiffin_common::{BusinessDay, Ids, Millis, Uuid};

/// What the new branch is like.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Up to 4 letters and digits; part of every order and invoice number
    #[arg(long, default_value = "BLR1")]
    pub outlet_code: String,
    /// Name of the outlet, as on its bills
    #[arg(long)]
    pub outlet_name: Option<String>,
    /// IANA time zone
    #[arg(long, default_value = "Asia/Kolkata")]
    pub timezone: String,
    /// ISO 4217 code
    #[arg(long, default_value = "INR")]
    pub currency: String,
    /// ISO 3166 code; what currency and time zone tell, unless told otherwise
    #[arg(long)]
    pub country: Option<String>,
    /// Email of the owner's account
    #[arg(long)]
    pub owner_email: Option<String>,
    /// File whose first line is the owner's password; one is made and printed otherwise
    #[arg(long)]
    pub owner_password_file: Option<PathBuf>,
    /// The sample restaurant, if wanted.
    #[command(flatten)]
    pub sample: SampleArgs,
}

/// The sample restaurant; `edge serve` takes these too.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SampleArgs {
    /// Fill the branch with a whole sample restaurant
    #[arg(long)]
    pub sample_data: bool,
    /// Password of the sample accounts
    #[arg(long, value_name = "PASSWORD", requires = "sample_data")]
    pub sample_password: Option<String>,
    /// Days of trade to simulate
    #[arg(long, value_name = "DAYS", requires = "sample_data")]
    pub history_days: Option<u32>,
    /// The same seed gives the same restaurant
    #[arg(long, requires = "sample_data")]
    pub seed: Option<u64>,
}

impl SampleArgs {
    /// The seed, 1 unless chosen.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

impl Args {
    /// The sample restaurant with everything else by default: `edge serve --sample-data`.
    pub fn sample(sample: SampleArgs) -> Self {
        Args {
            outlet_code: "BLR1".into(),
            outlet_name: None,
            timezone: "Asia/Kolkata".into(),
            currency: "INR".into(),
            country: None,
            owner_email: None,
            owner_password_file: None,
            sample,
        }
    }
}

/// Makes the branch. Holds the data directory's lock while it works, so that a server waiting for it begins only when
/// everything is there. Hashes and writes synchronously: not for async threads.
///
/// # Errors
/// When the directory holds a branch already, is in use, or an argument cannot be used.
pub fn run(args: &Args, config: &Config, env: &Env, out: Out<'_>) -> Result<()> {
    let password = args.owner_password_file.as_deref().map(password_from).transpose()?;
    let plan = Plan::new(args, password.as_deref(), env).map_err(|wrong| refusal(&wrong))?;
    plan.make(args, config, env, out, |_| Ok(()))?;
    if let Some(owner) = &plan.owner {
        writeln!(out, "The owner signs in as {}", owner.email)?;
        if owner.made_up {
            writeln!(out, "with the password {} (it is not shown again)", owner.password)?;
        }
    }
    Ok(())
}

/// Everything that cannot be used, in the words of the command line.
fn refusal(wrong: &[Wrong]) -> Failure {
    let lines: Vec<String> =
        wrong.iter().map(|wrong| format!("--{} {}", wrong.field, wrong.reason)).collect();
    Failure::new(lines.join("; "))
}

/// A branch that can be made: everything about it was checked.
pub(super) struct Plan {
    owner: Option<Owner>,
    new: NewOutlet,
}

impl Plan {
    /// Checks `args`; `password` is the owner's, made up where there is none.
    ///
    /// # Errors
    /// Everything that cannot be used.
    pub(super) fn new(args: &Args, password: Option<&str>, env: &Env) -> Result<Plan, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let owner = owner(args, password, env, &mut wrong);
        let new = new_outlet(args, &mut wrong);
        match new {
            Some(new) if wrong.is_empty() => Ok(Plan { owner, new }),
            _ => Err(wrong),
        }
    }

    /// Makes it; `last` is done before the directory counts as a branch, with the database closed.
    ///
    /// # Errors
    /// When the directory holds a branch already, or is in use; what `last` could not do.
    pub(super) fn make(
        &self,
        args: &Args,
        config: &Config,
        env: &Env,
        out: Out<'_>,
        last: impl FnOnce(&DataDir) -> Result<()>,
    ) -> Result<String> {
        let data = DataDir::open(&config.store.data_dir)?;
        crate::health::examine(&data)?;
        let _lock = data.lock()?;
        let unfinished = Unfinished::begin(&data)?;
        // What an interrupted replacement left: a new branch belongs to nobody yet.
        Enrolment::remove(data.path())?;
        let keys = secrets::load_or_create(data.path(), &*env.random)?;
        let clock = Arc::new(ManualClock::new(opening(args, &self.new, env.clock.now())?));
        let db = Db::open(&Options::new(data.database()), env_of(args, &clock, env))?;
        let outlet = make_outlet(&db, self.new.clone(), self.owner.as_ref())?;
        let title = format!("{} {}", outlet.code, outlet.name);
        writeln!(out, "Made {title} in {}", data.path().display())?;
        if args.sample.sample_data {
            let email = self.owner.as_ref().map_or("", |owner| owner.email.as_str());
            fill(args, &db, &clock, (&outlet, &keys.secrets), email, out)?;
        }
        db.close();
        drop(db);
        last(&data)?;
        unfinished.end()?;
        Ok(title)
    }
}

/// The owner's account, as asked for.
struct Owner {
    email: String,
    password: String,
    made_up: bool,
}

fn owner(args: &Args, password: Option<&str>, env: &Env, wrong: &mut Vec<Wrong>) -> Option<Owner> {
    let Some(email) = args.owner_email.clone().filter(|email| !email.is_empty()) else {
        if !args.sample.sample_data {
            wrong.push(Wrong::new("owner-email", "is needed: whose account opens this branch?"));
        }
        return None;
    };
    if email.split_once('@').is_none_or(|(name, host)| name.is_empty() || host.is_empty()) {
        wrong.push(Wrong::new("owner-email", "must be an email address"));
    }
    wrong.extend(Wrong::of_line("owner-email", &email, 254));
    match password {
        Some(password) => match password::check(password, &[&email]) {
            Ok(()) => Some(Owner { email, password: password.to_owned(), made_up: false }),
            Err(reason) => {
                wrong.push(Wrong::new("owner-password", reason));
                None
            }
        },
        None => Some(Owner { email, password: made_up(env.random_bytes()), made_up: true }),
    }
}

fn new_outlet(args: &Args, wrong: &mut Vec<Wrong>) -> Option<NewOutlet> {
    let code = args.outlet_code.trim().to_uppercase();
    if code.is_empty()
        || code.len() > 4
        || !code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    {
        wrong.push(Wrong::new("outlet-code", "must be 1 to 4 letters and digits"));
    }
    if args.currency.len() != 3 || !args.currency.bytes().all(|b| b.is_ascii_uppercase()) {
        wrong.push(Wrong::new("currency", "must be an ISO 4217 code such as INR"));
    }
    let mut settings = Settings::new(&args.timezone, &args.currency);
    settings.country = args.country.clone().unwrap_or(settings.country);
    let mut name = args.outlet_name.clone().filter(|name| !name.is_empty());
    if args.sample.sample_data {
        match data::load() {
            Ok(data::Restaurant { outlet: sample, .. }) => {
                settings.address = Some(sample.address);
                settings.phone = Some(sample.phone);
                // Its numbers are Indian ones.
                if settings.profile().is_india() {
                    settings.tax_id = Some(sample.tax_id);
                    settings.licence_number = Some(sample.licence_number);
                    settings.tax_scheme = sample.tax_scheme;
                }
                // The PINs of its people are in the README.
                settings.approver_pin_min_digits = 4;
                settings.cash_rounding = sample.cash_rounding_cents;
                settings.service_charge.bps = sample.service_charge_bps;
                name.get_or_insert(sample.name);
            }
            Err(error) => wrong.push(Wrong::new("sample-data", format!("cannot be read: {error}"))),
        }
    }
    match &name {
        Some(name) => wrong.extend(Wrong::of_line("outlet-name", name, 120)),
        None => wrong.push(Wrong::new("outlet-name", "is needed")),
    }
    let settings = settings.checked().map_err(|fields| {
        for field in fields {
            let flag = flag_of(&field.name);
            if !wrong.iter().any(|known| known.field == flag) {
                wrong.push(Wrong::new(flag, field.reason));
            }
        }
    });
    Some(NewOutlet { code, name: name?, settings: settings.ok()? })
}

/// The flag that a setting of the outlet comes from; all others are the sample's.
fn flag_of(setting: &str) -> &'static str {
    match setting {
        "timezone" => "timezone",
        "currency" => "currency",
        "country" => "country",
        _ => "sample-data",
    }
}

/// When the branch begins: now, or for a sample the first hour of its first business date, so that the same seed gives the
/// same rows all day.
fn opening(args: &Args, new: &NewOutlet, now: Millis) -> Result<Millis> {
    if !args.sample.sample_data {
        return Ok(now);
    }
    let days = u64::from(args.sample.history_days.unwrap_or(0));
    if days > 3_660 {
        return Err(Failure::new("--history-days can be 3660 at most"));
    }
    let starts_at = outlets::rules::parse_time(&new.settings.business_day_starts_at).unwrap_or_default();
    let day = BusinessDay::new(new.settings.timezone.parse().unwrap_or(chrono_tz::UTC), starts_at);
    let first = day.date_of(now).checked_sub_days(chrono::Days::new(days)).unwrap_or_default();
    Ok(day.start(first))
}

/// Ids of a sample follow from its seed and outlet code; secrets never do.
fn env_of(args: &Args, clock: &Arc<ManualClock>, of: &Env) -> Env {
    let mut env = Env::new(clock.clone(), Arc::clone(&of.random));
    if args.sample.sample_data {
        let named = format!("{} {}", args.sample.seed(), args.outlet_code.trim().to_uppercase());
        let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(named.as_bytes()).as_bytes();
        env.ids = Arc::new(Ids::new(u64::from_le_bytes([a, b, c, d, e, f, g, h])));
    }
    env
}

fn make_outlet(db: &Db, new: NewOutlet, owner: Option<&Owner>) -> Result<Outlet> {
    let owner = match owner {
        Some(owner) => Some((owner.email.clone(), hash(&owner.password, db.env())?)),
        None => None,
    };
    let made = db.write_blocking(move |tx| -> Result<Outlet, SampleError> {
        let made = outlets::actions::set_up(tx, &Actor::system(Uuid::nil()), new);
        let outlet = made.map_err(|error| SampleError(format!("the outlet: {error:?}")))?;
        if let Some((email, password_hash)) = owner {
            let account = NewAccount {
                name: "Owner".into(),
                email,
                role: Role::Owner,
                password_hash,
                employee_id: None,
                outlets: vec![outlet.id],
            };
            auth::actions::create_account(tx, &Actor::system(outlet.id), account)
                .map_err(|error| SampleError(format!("the owner's account: {error:?}")))?;
        }
        Ok(outlet)
    });
    Ok(made?)
}

fn hash(password: &str, env: &Env) -> Result<String> {
    hashing::password(password, env.random_bytes())
        .map_err(|_| Failure::new("the password could not be hashed"))
}

/// The sample restaurant and its history.
fn fill(
    args: &Args,
    db: &Db,
    clock: &Arc<ManualClock>,
    (outlet, keys): (&Outlet, &Secrets),
    owner_email: &str,
    out: Out<'_>,
) -> Result<()> {
    let restaurant = Arc::new(data::load()?);
    let password = args.sample.sample_password.as_deref().unwrap_or(SAMPLE_PASSWORD);
    if !password::CHARS.contains(&password.chars().count()) {
        return Err(Failure::new("the sample password must be 10 to 128 characters long"));
    }
    let passwords = restaurant.accounts.iter().map(|_| hash(password, db.env())).collect::<Result<_, _>>()?;
    let pin = |pin: &str| hashing::pin(pin, outlet.id, &keys.pepper);
    let pins = restaurant.employees.iter().map(|e| pin(&e.pin)).collect::<Result<_, _>>();
    let hashes = Hashes { passwords, pins: pins.map_err(|_| Failure::new("the PINs could not be hashed"))? };
    let (all, id, skip) = (Arc::clone(&restaurant), outlet.id, owner_email.to_owned());
    let seeded = db.write_blocking(move |tx| seed(tx, &all, id, &hashes, &skip))?;
    writeln!(
        out,
        "with {} dishes, {} stock items, {} tables and {} employees (PINs 1001 to 1012)",
        seeded.menu_items.len(),
        seeded.stock_items.len(),
        seeded.tables.len(),
        restaurant.employees.len()
    )?;
    let chosen = if args.sample.sample_password.is_some() { "the one you chose" } else { SAMPLE_PASSWORD };
    writeln!(out, "and an account for every role, <role>@sample.test; their password is {chosen}")?;
    let days = args.sample.history_days.unwrap_or(0);
    if days > 0 {
        let mut trade =
            history::Trade::new(db.clone(), Arc::clone(clock), restaurant, seeded, args.sample.seed())?;
        for done in 1..=days {
            trade.day()?;
            if done % 30 == 0 || done == days {
                writeln!(out, "{done} of {days} days of trade, {} orders", trade.orders())?;
            }
        }
        trade.morning()?;
    }
    Ok(())
}

/// Marks a branch that is being made. What an interrupted `edge init` left behind is no branch, and is made anew.
struct Unfinished(PathBuf);

impl Unfinished {
    fn begin(data: &DataDir) -> Result<Unfinished> {
        let mark = data.unfinished();
        if mark.exists() {
            for end in ["", "-wal", "-shm"] {
                let mut file = data.database().into_os_string();
                file.push(end);
                remove(Path::new(&file))?;
            }
        } else if data.is_initialised() {
            return Err(Failure::new(format!("there is a branch in {} already", data.path().display())));
        }
        std::fs::write(&mark, "edge init was interrupted; run it again\n")?;
        Ok(Unfinished(mark))
    }

    fn end(self) -> Result<()> {
        remove(&self.0)
    }
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
