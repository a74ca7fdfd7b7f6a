//! `edge config`: every setting, its value and where that came from; or an example of the file. Never prints a secret.

use super::{Failure, Out};
use crate::config::{Config, ServerFlags, Sources};

/// The settings may be given as flags, to see their effect.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Prints an example of a configuration file instead, with every setting explained
    #[arg(long)]
    example: bool,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, sources: &Sources, out: Out<'_>) -> Result<(), Failure> {
    if args.example {
        write!(out, "{}", sources.example()?)?;
        return Ok(());
    }
    let rows = sources.listing()?;
    let width = |text: fn(&crate::config::Resolved) -> usize| rows.iter().map(text).max().unwrap_or(0);
    let (names, values) = (width(|row| row.setting.flag.len()), width(|row| row.shown().chars().count()));
    for row in &rows {
        let (name, shown, origin) = (row.setting.flag, row.shown(), &row.origin);
        writeln!(out, "{name:names$}  {shown:values$}  {origin}")?;
    }
    for variable in sources.misspelt() {
        writeln!(out, "{variable} is set in the environment, but there is no such setting")?;
    }
    // Listed first, so that the wrong one can be found.
    Config::resolve(sources)?;
    Ok(())
}
