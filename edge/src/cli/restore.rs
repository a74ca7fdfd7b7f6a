//! `edge restore`: puts a backup in the database's place while no server runs. Never throws away what was there.

use super::open::env_of;
use super::password::password_from;
use super::typed::installed_elsewhere;
use super::{Failure, Out};
use crate::backup::secret_file;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::restore::{Restored, Wish, restore};
use crate::sync::Enrolment;
use crate::{health, noted, secrets};
use serde_json::json;
use std::path::PathBuf;

/// What to put back.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The backup: tiffin-….db.zst, or a plain database file
    #[arg(required_unless_present_any = ["secrets", "new_secrets"])]
    file: Option<PathBuf>,
    /// Also put back the secrets that `edge backup --secrets` wrote
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
    /// Its password, in the first line of this file, where it was sealed with one
    #[arg(long, value_name = "FILE", requires = "secrets")]
    secrets_password_file: Option<PathBuf>,
    /// How far the numbers of purchase orders move on when the replaced database cannot tell how far they had come; bills and orders begin
    /// a series of their own. 0: nothing was sold after the backup (moving to another box), all numbers go on
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(i64).range(0..=1_000_000))]
    skip_numbers: i64,
    /// Make the branch of the backup in a folder that never held one: on a new box
    #[arg(long)]
    new: bool,
    /// Make new secrets in place of lost ones: every PIN is set anew, and everybody signs in again
    #[arg(long, conflicts_with = "secrets")]
    new_secrets: bool,
    /// Put back a backup of another outlet than the one that is here
    #[arg(long)]
    another_outlet: bool,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::at(&config.store.data_dir);
    if !args.new && !data.database().exists() && health::witness(&data).is_none() {
        return Err(nothing_there(&data));
    }
    let data = DataDir::open(data.path())?;
    let detail = json!({"file": args.file, "secrets": args.secrets, "newSecrets": args.new_secrets});
    noted::leave(data.path(), "data.restore", detail);
    if let Some(file) = &args.secrets {
        let password = args.secrets_password_file.as_deref().map(password_from).transpose()?;
        let count = secret_file::put_back(data.path(), file, password.as_deref())?;
        writeln!(out, "{count} secrets are in {}", data.path().display())?;
    }
    if args.new_secrets {
        renew_secrets(&data, out)?;
    }
    let Some(file) = &args.file else { return Ok(()) };
    let wish = Wish { file, skip_numbers: args.skip_numbers, another_outlet: args.another_outlet };
    let restored = restore(&data, &wish, &env_of(&data))?;
    tell(&data, args, &restored, out)?;
    if args.new && !secrets::are_there(data.path()) {
        renew_secrets(&data, out)?;
        writeln!(out, "(Where the old ones were kept apart: give them with --secrets FILE.)")?;
    }
    Ok(())
}

/// A folder that nobody meant, or a new box.
fn nothing_there(data: &DataDir) -> Failure {
    let installed = match installed_elsewhere(data.path()) {
        Some(command) => format!("The branch of this machine is put back with: {command} restore FILE\n"),
        None => String::new(),
    };
    let folder = data.path().display();
    Failure::new(format!(
        "there is no branch in {folder} in whose place a backup could be put. Nothing was changed.\n\
         {installed}To make the branch of the backup there, on a new box, say so: --new"
    ))
}

fn renew_secrets(data: &DataDir, out: Out<'_>) -> Result<(), Failure> {
    if secrets::are_there(data.path()) {
        return Err(Failure::new("there are secrets already; nothing was changed"));
    }
    secrets::load_or_create(data.path(), &*Env::system().random)?;
    writeln!(
        out,
        "The secrets of this box are new: every PIN must be set anew, everybody signs in again, and"
    )?;
    writeln!(out, "head office takes it with: edge enroll --replace")?;
    Ok(())
}

fn tell(data: &DataDir, args: &Args, restored: &Restored, out: Out<'_>) -> Result<(), Failure> {
    let of = restored.taken_at.map(|at| format!(" of {at}")).unwrap_or_default();
    writeln!(out, "{} is back as it was in the backup{of}. Start it with: edge serve", restored.held.code)?;
    if let Some(aside) = &restored.aside {
        writeln!(out, "What was there before is kept: {}", aside.display())?;
    }
    if restored.skipped || restored.aside.is_some() {
        writeln!(
            out,
            "Bills, credit notes and orders begin a series of their own, by another letter in their numbers."
        )?;
    }
    if restored.skipped {
        let n = args.skip_numbers;
        writeln!(
            out,
            "Nothing tells which numbers were given out since, so purchase orders go on {n} numbers further."
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
    if !args.new && !secrets::are_there(data.path()) {
        writeln!(out, "The secrets of the box are not here, and it does not start without them:")?;
        writeln!(out, "  edge restore --secrets FILE    (where they were kept apart)")?;
        writeln!(out, "  edge restore --new-secrets     (lost for good: every PIN must be set anew)")?;
    }
    Ok(())
}
