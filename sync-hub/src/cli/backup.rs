//! `sync-hub backup` and `restore`. The backup works while head office serves; a restore needs it stopped.

use crate::backup::nightly::Source;
use crate::backup::{postgres, sqlite};
use crate::config::Config;
use edge::backup::{Destinations, Reason, secret_file, tell};
use edge::cli::{Failure, Out};
use edge::db::Env;
use edge::noted;
use serde_json::json;
use std::path::{Path, PathBuf};

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
    /// The backup: tiffin-HUB-….tar.zst, or ….pgdump.zst where --database-url is set
    #[arg(required_unless_present = "secrets")]
    file: Option<PathBuf>,
    /// Also put back the secret that `sync-hub backup --secrets` wrote
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
}

pub(super) fn backup(args: &Backup, config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    let data = &config.store.data_dir;
    if args.list {
        return Ok(tell::list(out, data, config.backups.second.as_deref())?);
    }
    if args.for_upgrade && config.store.database_url.is_some() {
        return Ok(());
    }
    let second = if args.to.is_some() { None } else { config.backups.second.clone() };
    let to = Destinations { instead: args.to.clone(), ..Destinations::of(data, second) };
    let source = Source { data: data.clone(), database_url: config.store.database_url.clone() };
    let reason = if args.for_upgrade { Reason::Upgrade } else { Reason::Manual };
    if !args.for_upgrade {
        noted::leave(data, "backup.take", json!({"to": args.to, "secrets": args.secrets}));
    }
    let backup = source.take(&to, reason, env)?;
    if args.for_upgrade {
        writeln!(out, "{}", backup.path.display())?;
        return Ok(());
    }
    tell::taken(out, &backup)?;
    let path = std::path::absolute(&backup.path)?;
    writeln!(out, "Put it back with head office stopped: sync-hub restore {}", path.display())?;
    if let Some(file) = &args.secrets {
        secret_file::write(&secrets_root(config), file, None)?;
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

pub(super) fn restore(args: &Restore, config: &Config, env: &Env, out: Out<'_>) -> Result<(), Failure> {
    noted::leave(&config.store.data_dir, "data.restore", json!({"file": args.file, "secrets": args.secrets}));
    if let Some(file) = &args.secrets {
        secret_file::put_back(&secrets_root(config), file, None)?;
        writeln!(out, "The secret of head office is back")?;
    }
    let Some(file) = &args.file else { return Ok(()) };
    if let Some(url) = &config.store.database_url {
        let to = Destinations::of(&config.store.data_dir, None);
        let restored = postgres::restore(url.reveal(), file, &to, env)?;
        super::admin::put_back(config, env, restored.epoch)?;
        writeln!(
            out,
            "The database is back as it was in {}, in a new life ({})",
            file.display(),
            restored.epoch
        )?;
        return tell_restored(restored.aside.map(|backup| backup.path), out);
    }
    let restored = sqlite::restore(&config.store.data_dir, file, env)?;
    writeln!(
        out,
        "Head office is back with {} outlets, in a new life ({})",
        restored.outlets, restored.epoch
    )?;
    tell_restored(restored.aside, out)
}

fn tell_restored(aside: Option<PathBuf>, out: Out<'_>) -> Result<(), Failure> {
    writeln!(
        out,
        "Every branch compares its position anew and sends again what is lacking, from the log it keeps."
    )?;
    if let Some(aside) = aside {
        writeln!(out, "What was there before is kept: {}", aside.display())?;
    }
    Ok(())
}
