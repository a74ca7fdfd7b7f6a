//! What the command lines of a branch and of head office print about backups alike. Never takes one.

use super::names::Backup;
use super::taking;
use std::io::{self, Write};
use std::path::Path;

/// Says where `backup` is, and whether the second place has it.
///
/// # Errors
/// When `out` takes nothing.
pub fn taken(out: &mut dyn Write, backup: &Backup) -> io::Result<()> {
    writeln!(out, "{} ({} KiB), checked and read back", backup.path.display(), backup.bytes.div_ceil(1024))?;
    match &backup.not_copied {
        Some(reason) => writeln!(out, "It could not be copied to the second place: {reason}"),
        None => Ok(()),
    }
}

/// Lists the backups of the data directory `data`, then those in the second place, each the newest first.
///
/// # Errors
/// When `out` takes nothing.
pub fn list(out: &mut dyn Write, data: &Path, second: Option<&Path>) -> io::Result<()> {
    let own = taking::list(&taking::folder(data));
    let second = second.map(taking::list).unwrap_or_default();
    if own.is_empty() && second.is_empty() {
        writeln!(out, "There is no backup yet")?;
    }
    for backup in own.iter().chain(&second) {
        let (taken_at, reason, path) = (backup.taken_at, backup.reason.name(), backup.path.display());
        writeln!(out, "{taken_at}  {reason:8} {:>9} KiB  {path}", backup.bytes.div_ceil(1024))?;
    }
    Ok(())
}
