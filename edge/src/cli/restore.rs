//! `edge restore`: puts a backup in the database's place while no server runs. Never throws away what was there.

use super::{Failure, Out};
use crate::backup::secret_file;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::restore::{Restored, Wish, restore};
use crate::sync::Enrolment;
use std::path::PathBuf;

/// What to put back.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The backup: tiffin-….db.zst, or a plain database file
    #[arg(required_unless_present = "secrets")]
    file: Option<PathBuf>,
    /// Also put back the secrets that `edge backup --secrets` wrote
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
    /// How far the numbers of bills move on when the replaced database cannot tell how far they had come. 0: nothing was sold
    /// after the backup (moving to another box)
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(i64).range(0..=1_000_000))]
    skip_numbers: i64,
    /// Put back a backup of another outlet than the one that is here
    #[arg(long)]
    another_outlet: bool,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::open(&config.store.data_dir)?;
    if let Some(file) = &args.secrets {
        let count = secret_file::put_back(data.path(), file)?;
        writeln!(out, "{count} secrets are in {}", data.path().display())?;
    }
    let Some(file) = &args.file else { return Ok(()) };
    let wish = Wish { file, skip_numbers: args.skip_numbers, another_outlet: args.another_outlet };
    let restored = restore(&data, &wish, &Env::system())?;
    tell(&data, args, &restored, out)
}

fn tell(data: &DataDir, args: &Args, restored: &Restored, out: Out<'_>) -> Result<(), Failure> {
    let of = restored.taken_at.map(|at| format!(" of {at}")).unwrap_or_default();
    writeln!(out, "{} is back as it was in the backup{of}. Start it with: edge serve", restored.held.code)?;
    if let Some(aside) = &restored.aside {
        writeln!(out, "What was there before is kept: {}", aside.display())?;
    }
    if restored.skipped {
        let n = args.skip_numbers;
        writeln!(
            out,
            "Nothing tells which numbers were given out since, so bills, credit notes and orders go on {n} numbers further."
        )?;
        writeln!(out, "(If nothing was sold after the backup: restore it again with --skip-numbers 0)")?;
    }
    let enrolled = Enrolment::load(data.path()).ok().flatten();
    match enrolled {
        Some(enrolment) => {
            writeln!(
                out,
                "What head office ({}) has of what came after it is taken back by itself.",
                enrolment.hub_url
            )?;
        }
        None => {
            writeln!(out, "What came after the backup is not in it; this box belongs to no head office.")?
        }
    }
    if !data.path().join("secrets").exists() {
        writeln!(
            out,
            "The secrets of the old box are not here, and new ones are made at the start: every PIN must be"
        )?;
        writeln!(
            out,
            "set anew, everybody signs in again, and head office takes this box with: edge enroll --replace"
        )?;
        writeln!(out, "(Where they were kept apart: edge restore --secrets FILE, before the start)")?;
    }
    Ok(())
}
