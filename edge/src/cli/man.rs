//! `edge man`: writes the manual pages, for whoever makes a package. Never part of the help: users have the pages.

use super::{Out, Result};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The folder to write them into
    folder: PathBuf,
}

pub(super) fn run(args: &Args, command: clap::Command, out: Out<'_>) -> Result<()> {
    write(command, &args.folder, out)
}

/// Writes a page of `command` and one of each of its subcommands into `folder`.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(command: clap::Command, folder: &std::path::Path, out: Out<'_>) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command, folder)?;
    writeln!(out, "The manual pages are in {}", folder.display())?;
    Ok(())
}
