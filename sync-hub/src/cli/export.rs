//! `sync-hub export`: one outlet's rows as an archive. Works while head office serves.

use crate::config::Config;
use crate::export;
use crate::opening::open_stores;
use edge::cli::{Failure, Out};
use edge::db::Env;
use edge::noted;
use serde_json::json;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The archive to write, as export.zip; it must not be there yet
    file: PathBuf,
    /// The outlet, by its id or code
    #[arg(long)]
    outlet: String,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let (file, env) = (&args.file, Env::system());
    noted::leave(&config.store.data_dir, "data.export", json!({"file": file, "outlet": args.outlet}));
    let manifest = match &config.store.database_url {
        Some(_) => export::of_stores(&open_stores(config)?, &args.outlet, file, &env)?,
        None => export::of_files(&config.store.data_dir, &args.outlet, file, &env)?,
    };
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    writeln!(out, "{} holds {} tables with {rows} rows", file.display(), manifest.tables.len())?;
    Ok(())
}
