//! `config`, of both binaries: every setting, its value and where that came from; or an example of the file. Never prints a
//! secret.

use super::{Out, Result};
use crate::config::{Flags, Program, Resolved, Sources};

/// The settings may be given as flags, to see their effect.
#[derive(clap::Args)]
pub struct Args<P: Program> {
    /// Prints an example of a configuration file instead, with every setting explained
    #[arg(long)]
    example: bool,
    #[command(flatten)]
    settings: Flags<true, P>,
}

/// Lists the settings of the program `P`.
///
/// # Errors
/// When they cannot be used: behind the list, so that the wrong one can be found.
pub fn run<P: Program>(args: &Args<P>, global: &Flags<false, P>, out: Out<'_>) -> Result<()> {
    let sources = Sources::gather(global, Some(&args.settings))?;
    if args.example {
        write!(out, "{}", sources.example()?)?;
        return Ok(());
    }
    let rows = sources.listing()?;
    let width = |text: fn(&Resolved) -> usize| rows.iter().map(text).max().unwrap_or(0);
    let (names, values) = (width(|row| row.setting.flag.len()), width(|row| row.shown().chars().count()));
    for row in &rows {
        let (name, shown, origin) = (row.setting.flag, row.shown(), &row.origin);
        writeln!(out, "{name:names$}  {shown:values$}  {origin}")?;
    }
    for variable in sources.misspelt() {
        writeln!(out, "{variable} is set in the environment, but there is no such setting")?;
    }
    sources.read::<P>()?;
    Ok(())
}
