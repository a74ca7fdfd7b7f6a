//! Commands on the registry: set-up, codes, people. They open the store themselves; a SQLite head office must not be serving then.

use crate::config::Config;
use crate::opening;
use crate::registry::users::{self, Wanted};
use crate::registry::{Actor, Change, RegistryError, audit, codes, meta, outlets, passwords};
use crate::store::Stores;
use crate::store::sqlite::REGISTRY;
use edge::access::password::check;
use edge::access::{Role, hashing};
use edge::cli::{Failure, Out};
use edge::db::Env;
use edge::doctor::open_to_read;
use edge::http::Paging;
use edge::root::as_root;
use std::path::PathBuf;
use tiffin_common::Uuid;

/// Who becomes the first super-admin.
#[derive(clap::Args)]
pub(super) struct FirstAdmin {
    /// Email of the first super-admin, who is made when there is nobody yet
    #[arg(long)]
    admin_email: Option<String>,
    /// File whose first line is their password; without it one is made and printed once
    #[arg(long)]
    admin_password_file: Option<PathBuf>,
}

/// What the new head office is like.
#[derive(clap::Args)]
pub struct Init {
    #[command(flatten)]
    admin: FirstAdmin,
    /// Hash partitions of the outlets' tables (PostgreSQL only, before the first data)
    #[arg(long)]
    partitions: Option<u32>,
}

#[derive(clap::Args)]
pub(super) struct EnrolCode {
    /// The outlet whose box is replaced, by its id or code; without it the code is for a new outlet
    #[arg(long)]
    outlet: Option<String>,
}

#[derive(clap::Args)]
pub(super) struct Users {
    /// Adds somebody with this email
    #[arg(long)]
    add: Option<String>,
    /// Lets the user of this email in again: a new password, no second factor, signed out everywhere
    #[arg(long, conflicts_with = "add")]
    reset: Option<String>,
    /// Their name
    #[arg(long, default_value = "")]
    name: String,
    /// SUPER_ADMIN, OWNER, MANAGER or ACCOUNTANT
    #[arg(long, default_value = "MANAGER")]
    role: String,
    /// Their outlets, by id or code, comma-separated
    #[arg(long, value_delimiter = ',')]
    outlets: Vec<String>,
    /// File whose first line is their password; without it one is made and printed once
    #[arg(long)]
    password_file: Option<PathBuf>,
}

/// Opens the store and makes it a head office.
fn open(config: &Config, env: &Env) -> Result<Stores, Failure> {
    let stores = opening::open_stores(config)?;
    opening::found(config, &stores, env)?;
    Ok(stores)
}

/// The password of a file, or a new one that is printed.
fn password(file: Option<&PathBuf>, env: &Env, out: Out<'_>) -> Result<String, Failure> {
    let Some(path) = file else {
        let made = edge::resources::auth::rules::reset_code(env.random_bytes());
        writeln!(out, "Password (shown once): {made}")?;
        return Ok(made);
    };
    let text = as_root(|| std::fs::read_to_string(path))
        .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    let first = text.lines().next().unwrap_or_default();
    check(first, &[]).map_err(|reason| Failure(format!("the first line of {} {reason}", path.display())))?;
    Ok(first.to_owned())
}

fn hashed(password: &str, env: &Env) -> Result<String, Failure> {
    Ok(hashing::password(password, env.random_bytes())?)
}

fn check_email(email: &str) -> Result<(), Failure> {
    let mut parts = email.split('@');
    let is_email = matches!((parts.next(), parts.next(), parts.next()),
        (Some(name), Some(domain), None) if !name.is_empty() && domain.contains('.'));
    if is_email { Ok(()) } else { Err(Failure(format!("{email} is no email address"))) }
}

impl FirstAdmin {
    pub(super) fn is_given(&self) -> bool {
        self.admin_email.is_some()
    }

    /// Makes the first super-admin; says so when there is somebody already.
    pub(super) fn make(&self, config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
        let Some(email) = &self.admin_email else { return Ok(()) };
        check_email(email)?;
        let stores = open(config, env)?;
        if stores.read_registry_blocking(|from| users::any(from).map_err(RegistryError::from))? {
            writeln!(out, "There are people already; {email} was not added")?;
            return Ok(());
        }
        let password = password(self.admin_password_file.as_ref(), env, out)?;
        let hash = hashed(&password, env)?;
        if opening::first_admin(&stores, env, email, &hash).map_err(in_words)? {
            writeln!(out, "{email} is the first super-admin")?;
        }
        Ok(())
    }
}

/// A refusal with its fields, for a person.
fn in_words(error: RegistryError) -> Failure {
    match error {
        RegistryError::Invalid(fields) => {
            let lines: Vec<String> =
                fields.iter().map(|field| format!("{} {}", field.name, field.reason)).collect();
            Failure(lines.join("\n"))
        }
        other => other.into(),
    }
}

/// Prepares the database of `config` and makes the first super-admin. Hashes and writes synchronously: not for async threads.
///
/// # Errors
/// When the database has another layout or another secret, or an argument cannot be used.
pub fn init(args: &Init, config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    if let Some(partitions) = args.partitions {
        opening::lay_out(config, partitions)?;
        writeln!(out, "The outlets' tables have {partitions} partitions")?;
    }
    if args.admin.is_given() {
        args.admin.make(config, env, out)
    } else {
        open(config, env)?;
        writeln!(out, "The database is ready. Add the first super-admin with --admin-email")?;
        Ok(())
    }
}

pub(super) fn outlets(config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    // Only looks: on SQLite beside the server that has the files open.
    let registry = config.store.data_dir.join(REGISTRY);
    let all = match &config.store.database_url {
        None if registry.exists() => outlets::list(&open_to_read(&registry)?)?,
        _ => {
            let stores = open(config, env)?;
            stores.read_registry_blocking(|from| outlets::list(from).map_err(RegistryError::from))?
        }
    };
    for outlet in all {
        let seen =
            outlet.presence.as_ref().map_or_else(|| "never".to_owned(), |said| said.last_seen_at.to_string());
        let version = outlet.presence.and_then(|said| said.version).unwrap_or_else(|| "-".into());
        let card = outlet.card;
        writeln!(out, "{:4}  {}  {}  last seen {seen}, version {version}", card.code, card.id, card.name)?;
    }
    Ok(())
}

/// The outlet that somebody names by its id or code.
fn named(stores: &Stores, name: &str) -> Result<Uuid, Failure> {
    let found =
        stores.read_registry_blocking(|from| outlets::named(from, name).map_err(RegistryError::from))?;
    found.ok_or_else(|| Failure(format!("there is no outlet {name}")))
}

pub(super) fn enrol_code(args: &EnrolCode, config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    let stores = open(config, env)?;
    let outlet = args.outlet.as_deref().map(|name| named(&stores, name)).transpose()?;
    let (code, kept) = stores
        .registry_blocking(|sql| codes::create(&Change::begin(sql, env), &Actor::command_line(), outlet))?;
    writeln!(out, "{code}  (holds once, until {})", kept.expires_at)?;
    Ok(())
}

pub(super) fn users(args: &Users, config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    let stores = open(config, env)?;
    let actor = Actor::command_line();
    if let Some(email) = &args.add {
        check_email(email)?;
        let role =
            Role::of_name(&args.role).ok_or_else(|| Failure(format!("there is no role {}", args.role)))?;
        let outlets = args.outlets.iter().map(|name| named(&stores, name)).collect::<Result<Vec<_>, _>>()?;
        let name = if args.name.is_empty() { email.clone() } else { args.name.clone() };
        let wanted = Wanted { email: email.clone(), name, role, is_active: true, outlets };
        let hash = hashed(&password(args.password_file.as_ref(), env, out)?, env)?;
        let made = stores
            .registry_blocking(|sql| users::create(&Change::begin(sql, env), &actor, &wanted, &hash))
            .map_err(in_words)?;
        writeln!(out, "{} was added", made.email)?;
        return Ok(());
    }
    if let Some(email) = &args.reset {
        let hash = hashed(&password(args.password_file.as_ref(), env, out)?, env)?;
        let user = stores
            .registry_blocking(|sql| passwords::let_in_again(&Change::begin(sql, env), email, &hash))
            .map_err(in_words)?;
        writeln!(out, "{} has a new password and is signed out everywhere", user.email)?;
        return Ok(());
    }
    let paging = Paging { limit: u32::MAX, offset: 0 };
    let page = stores
        .read_registry_blocking(|from| users::list(from, &actor, paging).map_err(RegistryError::from))?;
    for user in page.items {
        let standing = if user.is_active { "" } else { "  (may not sign in)" };
        writeln!(out, "{}  {}  {}{standing}", user.email, user.role.name(), user.name)?;
    }
    Ok(())
}

pub(super) fn restored(config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    let stores = open(config, env)?;
    let epoch = stores.registry_blocking(|sql| {
        let change = Change::begin(sql, env);
        let epoch = meta::renew_epoch(&change)?;
        note_restored(&change, epoch)?;
        Ok::<_, RegistryError>(epoch)
    })?;
    writeln!(out, "Head office is in a new life ({epoch}): every box compares its positions anew")?;
    Ok(())
}

/// Brings a database that was put back to this version's schema, and notes in it that it was.
pub(super) fn put_back(config: &Config, env: &Env, epoch: Uuid) -> Result<(), Failure> {
    let stores = opening::open_stores(config)?;
    Ok(stores.registry_blocking(|sql| note_restored(&Change::begin(sql, env), epoch))?)
}

fn note_restored(change: &Change<'_>, epoch: Uuid) -> Result<(), RegistryError> {
    let note = audit::Note::new("hub.restored", "hub", Some(epoch));
    audit::record(change, &Actor::command_line(), note)
}
