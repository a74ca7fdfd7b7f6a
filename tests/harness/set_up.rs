//! Branches and head offices as their owners make them: `edge init`, `edge enroll` and `sync-hub init` as shipped, in this process and on
//! the test's clock. Never a row by hand.

use clap::{Args, FromArgMatches};
use edge::cli::{Failure, enroll, init};
use edge::config::{Config, Sources};
use edge::db::Env;
use std::path::Path;
use sync_hub::cli::admin;

/// The owner of branches that tests make, and the first super-admin of their head offices.
pub const OWNER: &str = "me@sample.test";
/// Everybody's password, the sample accounts' too.
pub const PASSWORD: &str = "tiffin-sample";

/// What a command understands of these arguments.
fn parsed<T: Args + FromArgMatches>(arguments: &[impl AsRef<str>]) -> T {
    let given = arguments.iter().map(AsRef::as_ref);
    let command = T::augment_args(clap::Command::new("edge").no_binary_name(true));
    T::from_arg_matches(&command.get_matches_from(given)).unwrap()
}

/// The settings of a command on the directory `folder`.
fn config(folder: &Path) -> Config {
    let flags = [("data-dir", folder.to_str().unwrap().to_owned())].into();
    Config::resolve(&Sources { flags, ..Sources::default() }).unwrap()
}

/// `edge init` with these arguments, and an owner, on the directory `folder`; what it printed. Blocks.
pub fn init(folder: &Path, arguments: &[impl AsRef<str>], env: &Env) -> String {
    let secret = password_file();
    let owner = ["--owner-email", OWNER, "--owner-password-file", secret.path().to_str().unwrap()];
    let all: Vec<&str> = owner.into_iter().chain(arguments.iter().map(AsRef::as_ref)).collect();
    done(|out| init::run(&parsed(&all), &config(folder), env, out))
}

/// `edge enroll` with these arguments on the directory `folder`; what it printed. Blocks, with a runtime of its own.
pub fn enroll(folder: &Path, arguments: &[impl AsRef<str>], env: &Env) -> String {
    done(|out| enroll::run(&parsed(arguments), &config(folder), env, out))
}

/// `sync-hub init` with a first super-admin, on the directory or database of `config`; what it printed. Blocks.
pub fn head_office(config: &sync_hub::config::Config, env: &Env) -> String {
    let secret = password_file();
    let admin = ["--admin-email", OWNER, "--admin-password-file", secret.path().to_str().unwrap()];
    done(|out| admin::init(&parsed(&admin), config, env, out))
}

/// A file with everybody's password.
fn password_file() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), PASSWORD).unwrap();
    file
}

fn done(command: impl FnOnce(&mut dyn std::io::Write) -> Result<(), Failure>) -> String {
    let mut printed = Vec::new();
    command(&mut printed).unwrap();
    String::from_utf8(printed).unwrap()
}
