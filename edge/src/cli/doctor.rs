//! `edge doctor`: what may be wrong with this box, and what to do about it. Changes nothing.

use super::{Out, Result};
use crate::config::{Config, ServerFlags};
use crate::db::Env;
use crate::doctor;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Print JSON, for a program
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(doctor::examine(config, &Env::system()));
    report.write(out, args.json)?;
    Ok(ExitCode::from(report.level.exit_code()))
}
