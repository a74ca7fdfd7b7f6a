//! `edge export`: everything the branch knows as one archive that spreadsheets and other programs read. Only reads.

use super::open::not_initialised;
use super::{Out, Result};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::{export, health, noted};
use serde_json::json;
use std::path::PathBuf;

/// Where to.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The archive to write, as export.zip; it must not be there yet
    file: PathBuf,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    let data = DataDir::at(&config.store.data_dir);
    health::examine(&data)?;
    if !data.is_initialised() {
        return Err(not_initialised(&data));
    }
    noted::leave(data.path(), "data.export", json!({"file": args.file}));
    let manifest = export::write(&data.database(), &args.file, &Env::system())?;
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    let (tables, documents) = (manifest.tables.len(), manifest.documents);
    writeln!(out, "{} holds {tables} tables with {rows} rows, and {documents} papers", args.file.display())?;
    if manifest.filling {
        writeln!(out, "It is not whole: this box is still being filled from head office")?;
    }
    Ok(())
}
