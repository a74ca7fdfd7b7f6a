//! `edge reset-password`: lets the owner in again when nobody is left who could. Needs the data directory, so whoever can
//! run it owns the branch anyway. Never prints a password that was chosen, only one it made.

use super::open::open_alone;
use super::password::{made_up, password_from};
use super::{Failure, Out, Result};
use crate::access::{Actor, hashing, password};
use crate::config::Config;
use crate::db::{Db, Tx};
use crate::http::Problem;
use crate::resources::auth;
use crate::resources::auth::rules::AuthError;
use std::path::PathBuf;

/// Whose password.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Email of the account
    #[arg(long)]
    email: String,
    /// File whose first line is the new password (10 to 128 characters); one is made and printed otherwise
    #[arg(long)]
    password_file: Option<PathBuf>,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    let (db, _data, _lock) = open_alone(config)?;
    let chosen = args.password_file.as_deref().map(password_from).transpose()?;
    let made = chosen.is_none();
    let password = chosen.unwrap_or_else(|| made_up(db.env().random_bytes()));
    reset(&db, &args.email, &password)?;
    writeln!(out, "{} has a new password and is signed out everywhere.", args.email)?;
    if made {
        writeln!(out, "The password is {password}")?;
    }
    Ok(())
}

/// Sets the password through the action that HTTP uses: sessions end, the audit log says so. A second factor goes: whoever is in need of
/// this has lost the authenticator, too.
fn reset(db: &Db, email: &str, text: &str) -> Result<()> {
    password::check(text, &[email]).map_err(|reason| Failure::new(format!("the password {reason}")))?;
    let hash = hashing::password(text, db.env().random_bytes())?;
    let email = email.trim().to_owned();
    db.write_blocking(move |tx: &Tx<'_>| -> Result<_, Problem> {
        let account = auth::store::find_by_email(tx, &email)?.ok_or(AuthError::NotFound("account"))?;
        let actor = Actor::system(account.outlet_id);
        auth::actions::forget_factor(tx, &actor, account.id)?;
        Ok(auth::actions::set_password(tx, &actor, account.id, &hash, None)?)
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn an_unknown_account_and_a_short_password_are_refused() {
        let fixture = Fixture::new();
        assert!(reset(&fixture.db, "nobody@sample.test", "long enough to be one").is_err());
        assert!(reset(&fixture.db, "nobody@sample.test", "short").is_err());
    }
}
