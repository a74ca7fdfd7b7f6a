//! A head office on PostgreSQL: `pg_dump` and `pg_restore` do it, consistently and while it serves. Never shows the password to
//! other users of this machine: it goes by the environment, not the command line.

use super::{CODE, KeepError};
use edge::db::Env;
use edge::keep::{Backup, backup};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::Command;

/// A database's address without its password, and the password.
fn parted(url: &str) -> (String, Option<String>) {
    let whole = || (url.to_owned(), None);
    let Some((scheme, rest)) = url.split_once("://") else { return whole() };
    let authority = rest.find(['/', '?']).unwrap_or(rest.len());
    let Some((user, host)) = rest.get(..authority).and_then(|authority| authority.rsplit_once('@')) else {
        return whole();
    };
    let Some((user, password)) = user.split_once(':') else { return whole() };
    let path = rest.get(authority..).unwrap_or_default();
    (format!("{scheme}://{user}@{host}{path}"), Some(decoded(password)))
}

/// Text without its `%`-escapes.
fn decoded(text: &str) -> String {
    let pair = format!("p={text}").replace('+', "%2B");
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&pair).unwrap_or_default();
    pairs.into_iter().next().map_or_else(|| text.to_owned(), |(_, value)| value)
}

fn run(tool: &str, url: &str, arguments: &[&str]) -> Result<(), KeepError> {
    let (address, password) = parted(url);
    let mut command = Command::new(tool);
    command.args(arguments).arg(format!("--dbname={address}"));
    if let Some(password) = password {
        command.env("PGPASSWORD", password);
    }
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            Err(KeepError::Tool(format!("{tool}: {}", String::from_utf8_lossy(&output.stderr).trim())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(KeepError::Tool(format!(
            "{tool} is not on this machine. Install PostgreSQL's client programs (Debian: postgresql-client), or run where they are:\n  \
             {tool} {} --dbname={address}",
            arguments.join(" ")
        ))),
        Err(error) => Err(KeepError::Tool(format!("{tool}: {error}"))),
    }
}

/// Dumps the database at `url` into `folder`; the dump is read back by `pg_restore` before it has a backup's name.
///
/// # Errors
/// See [`KeepError`].
pub fn take(url: &str, folder: &Path, reason: edge::keep::Reason, env: &Env) -> Result<Backup, KeepError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        move |error| KeepError::from(edge::keep::BackupError::File { path, error })
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(file(folder))?;
    let making = folder.join(".making-dump");
    // Made here, so that it is its owner's alone before anything is in it.
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&making)
        .map_err(file(&making))?;
    let text = making.display().to_string();
    run("pg_dump", url, &["--format=custom", "--no-password", &format!("--file={text}")])?;
    let listed = Command::new("pg_restore").args(["--list", &text]).output();
    if !listed.is_ok_and(|output| output.status.success()) {
        return Err(KeepError::Tool("pg_restore cannot read what pg_dump wrote".into()));
    }
    File::open(&making).and_then(|making| making.sync_all()).map_err(file(&making))?;
    let path = backup::free_path(folder, edge::keep::Kind::Dump, CODE, reason, env.clock.now());
    fs::rename(&making, &path).map_err(file(&path))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(file(folder))?;
    backup::list(folder).into_iter().find(|backup| backup.path == path).ok_or(KeepError::NotOurs(path))
}

/// Puts the dump at `from` in the place of the database at `url`, in one transaction. The caller gives head office a new epoch.
///
/// # Errors
/// See [`KeepError`].
pub fn restore(url: &str, from: &Path) -> Result<(), KeepError> {
    let text = from.display().to_string();
    let how =
        ["--clean", "--if-exists", "--exit-on-error", "--single-transaction", "--no-password", text.as_str()];
    run("pg_restore", url, &how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_leaves_the_address() {
        let of = |url: &str| parted(url);
        let secret = Some("a b@c".to_owned());
        assert_eq!(
            of("postgres://hub:a%20b%40c@db:5433/tiffin?sslmode=require"),
            ("postgres://hub@db:5433/tiffin?sslmode=require".into(), secret)
        );
        assert_eq!(of("postgres://hub@db/tiffin"), ("postgres://hub@db/tiffin".into(), None));
        assert_eq!(of("postgres://db/tiffin?x=a@b:c"), ("postgres://db/tiffin?x=a@b:c".into(), None));
        assert_eq!(of("host=db user=hub"), ("host=db user=hub".into(), None));
    }
}
