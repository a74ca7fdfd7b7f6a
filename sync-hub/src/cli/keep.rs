//! `sync-hub backup`, `restore` and `export`. The backup works while head office serves; a restore needs it stopped.

use super::{Failure, Out};
use crate::config::Config;
use crate::keep::nightly::Source;
use crate::keep::{postgres, sqlite};
use edge::db::Env;
use edge::keep::{Destinations, Reason, backup, export, secret_file};
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;

#[derive(clap::Args)]
pub(super) struct Backup {
    /// Put the backup into this folder (which must be there) instead of backups/ in the data directory
    #[arg(long, value_name = "DIR", conflicts_with = "list")]
    to: Option<PathBuf>,
    /// Also write head office's secret to this file. Keep it apart from the backups
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    secrets: Option<PathBuf>,
    /// List the backups there are, the newest first
    #[arg(long)]
    list: bool,
    /// What an upgrade asks for: prints the backup's path alone. Nothing on PostgreSQL, which other processes may be writing
    #[arg(long, hide = true, conflicts_with_all = ["list", "secrets", "to"])]
    for_upgrade: bool,
}

#[derive(clap::Args)]
pub(super) struct Restore {
    /// The backup: tiffin-HUB-….tar.zst, or ….pgdump where --database-url is set
    #[arg(required_unless_present = "secrets")]
    file: Option<PathBuf>,
    /// Also put back the secret that `sync-hub backup --secrets` wrote
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(super) struct Export {
    /// The archive to write, as export.zip; it must not be there yet
    file: PathBuf,
    /// The outlet, by its id or code
    #[arg(long)]
    outlet: String,
}

pub(super) fn backup(args: &Backup, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = &config.store.data_dir;
    if args.list {
        return list(data, config, out);
    }
    if args.for_upgrade && config.store.database_url.is_some() {
        return Ok(());
    }
    let second = if args.to.is_some() { None } else { config.backups.second.clone() };
    let to = Destinations { instead: args.to.clone(), ..Destinations::of(data, second) };
    let source = Source { data: data.clone(), database_url: config.store.database_url.clone() };
    let reason = if args.for_upgrade { Reason::Upgrade } else { Reason::Manual };
    let backup = source.take(&to, reason, &Env::system())?;
    if args.for_upgrade {
        writeln!(out, "{}", backup.path.display())?;
        return Ok(());
    }
    writeln!(out, "{} ({} KiB), checked and read back", backup.path.display(), backup.bytes.div_ceil(1024))?;
    if let Some(reason) = &backup.not_copied {
        writeln!(out, "It could not be copied to the second place: {reason}")?;
    }
    writeln!(out, "Put it back with head office stopped: sync-hub restore {}", backup.path.display())?;
    if let Some(file) = &args.secrets {
        secret_file::write(&secrets_root(config), file)?;
        writeln!(
            out,
            "{} holds the secret of this head office: keep it apart from the backups.",
            file.display()
        )?;
    } else {
        writeln!(out, "The secret is not in it (--secrets FILE), and head office does not open without it.")?;
    }
    Ok(())
}

/// The folder in which there is the folder of secrets.
fn secrets_root(config: &Config) -> PathBuf {
    let named = config.store.secrets_dir.as_deref().filter(|folder| folder.ends_with("secrets"));
    named.and_then(Path::parent).map_or_else(|| config.store.data_dir.clone(), Path::to_owned)
}

fn list(data: &Path, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let own = backup::list(&backup::folder(data));
    let second = config.backups.second.as_deref().map(backup::list).unwrap_or_default();
    if own.is_empty() && second.is_empty() {
        writeln!(out, "There is no backup yet")?;
    }
    for backup in own.iter().chain(&second) {
        let (taken_at, reason) = (backup.taken_at, backup.reason.name());
        writeln!(
            out,
            "{taken_at}  {reason:8} {:>9} KiB  {}",
            backup.bytes.div_ceil(1024),
            backup.path.display()
        )?;
    }
    Ok(())
}

pub(super) fn restore(args: &Restore, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    if let Some(file) = &args.secrets {
        secret_file::put_back(&secrets_root(config), file)?;
        writeln!(out, "The secret of head office is back")?;
    }
    let Some(file) = &args.file else { return Ok(()) };
    if let Some(url) = &config.store.database_url {
        postgres::restore(url.reveal(), file)?;
        writeln!(out, "The database is back as it was in {}", file.display())?;
        return super::admin::restored(config, out);
    }
    let restored = sqlite::restore(&config.store.data_dir, file, &Env::system())?;
    writeln!(
        out,
        "Head office is back with {} outlets, in a new life ({})",
        restored.outlets, restored.epoch
    )?;
    writeln!(
        out,
        "Every branch compares its position anew and sends again what is lacking, from the log it keeps."
    )?;
    if let Some(aside) = &restored.aside {
        writeln!(out, "What was there before is kept: {}", aside.display())?;
    }
    Ok(())
}

pub(super) fn export(args: &Export, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    if config.store.database_url.is_some() {
        return Err(Failure(
            "on PostgreSQL there is no export of one outlet: use \\copy of psql, or export at the branch"
                .into(),
        ));
    }
    let database = outlet_file(&config.store.data_dir, &args.outlet)?;
    let manifest = export::write(&database, &args.file, &Env::system())?;
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    writeln!(out, "{} holds {} tables with {rows} rows", args.file.display(), manifest.tables.len())?;
    Ok(())
}

/// The file of the outlet that somebody names by its id or code.
fn outlet_file(data: &Path, name: &str) -> Result<PathBuf, Failure> {
    for part in sqlite::parts(data)?.into_iter().skip(1) {
        let id = part.path.file_stem().and_then(|id| Uuid::parse_str(id.to_str()?).ok());
        let conn =
            rusqlite::Connection::open_with_flags(&part.path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let code = edge::db::opt(&conn, "SELECT code FROM outlets WHERE id = ?1", [id], |row| {
            row.get::<_, String>(0)
        })?;
        let is_code = code.is_some_and(|code| code.eq_ignore_ascii_case(name));
        if is_code || id.is_some_and(|id| id.to_string() == name) {
            return Ok(part.path);
        }
    }
    Err(Failure(format!("there is no outlet {name}")))
}
