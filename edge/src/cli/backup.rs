//! `edge backup`: a backup now, also while the server runs; and the secrets, apart from it. Never stops anything.

use super::open::not_initialised;
use super::password::password_from;
use super::{Out, Result};
use crate::backup::secret_file::Lock;
use crate::backup::{self, Destinations, Reason, secret_file, tell};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::{health, noted};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where to.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Put the backup into this folder (which must be there) instead of backups/ in the data directory
    #[arg(long, value_name = "DIR", conflicts_with = "list")]
    to: Option<PathBuf>,
    /// Also write the box's secrets to this file. Keep it apart from the backups: the two together open everything
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    secrets: Option<PathBuf>,
    /// Seal that file with the password in the first line of this one; it may then lie beside the backups
    #[arg(long, value_name = "FILE", requires = "secrets")]
    secrets_password_file: Option<PathBuf>,
    /// List the backups there are, the newest first
    #[arg(long)]
    list: bool,
    /// What an upgrade asks for: prints the backup's path alone, and nothing where there is no branch yet
    #[arg(long, hide = true, conflicts_with_all = ["list", "secrets", "to"])]
    for_upgrade: bool,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    let data = DataDir::at(&config.store.data_dir);
    if args.list {
        return Ok(tell::list(out, data.path(), config.backups.second.as_deref())?);
    }
    health::examine(&data)?;
    if !data.is_initialised() {
        return if args.for_upgrade { Ok(()) } else { Err(not_initialised(&data)) };
    }
    let second = if args.to.is_some() { None } else { config.backups.second.clone() };
    let to = Destinations { instead: args.to.clone(), ..Destinations::of(data.path(), second) };
    let reason = if args.for_upgrade { Reason::Upgrade } else { Reason::Manual };
    if !args.for_upgrade {
        let detail = json!({"to": args.to.as_deref().unwrap_or(&to.own), "secrets": args.secrets});
        noted::leave(data.path(), "backup.take", detail);
    }
    let backup = backup::take(&data.database(), &to, reason, &Env::system())?;
    if args.for_upgrade {
        writeln!(out, "{}", backup.path.display())?;
        return Ok(());
    }
    tell::taken(out, &backup)?;
    let path = std::path::absolute(&backup.path)?;
    writeln!(out, "Put it back with the server stopped: edge restore {}", path.display())?;
    match &args.secrets {
        Some(file) => secrets(&data, file, args.secrets_password_file.as_deref(), &backup.path, out),
        None => {
            writeln!(
                out,
                "The secrets are not in it (edge backup --secrets FILE): without them PINs are set anew."
            )?;
            Ok(())
        }
    }
}

fn secrets(data: &DataDir, file: &Path, password: Option<&Path>, backup: &Path, out: Out<'_>) -> Result<()> {
    let password = password.map(password_from).transpose()?;
    let random = Env::system().random;
    let lock = password.as_deref().map(|password| Lock { password, random: &*random });
    let count = secret_file::write(data.path(), file, lock)?;
    let sealed = if lock.is_some() { ", sealed with your password" } else { "" };
    writeln!(out, "{} holds the {count} secrets of this box{sealed}.", file.display())?;
    let folder = |path: &Path| path.parent().and_then(|folder| folder.canonicalize().ok());
    if lock.is_none() && folder(file) == folder(backup) {
        writeln!(out, "Keep it somewhere else than the backup: whoever has both has every PIN.")?;
    }
    Ok(())
}
