//! `edge init`: an empty data directory becomes a branch. Never touches one that is already a branch.

use super::{Failure, Out};
use crate::config::Config;
use std::path::PathBuf;

/// The password of the sample accounts when none is chosen.
pub const SAMPLE_PASSWORD: &str = "tiffin-sample";

/// What the new branch is like.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Up to 4 letters and digits; part of every order and invoice number
    #[arg(long, default_value = "BLR1")]
    pub outlet_code: String,
    /// Name of the outlet, as on its bills
    #[arg(long)]
    pub outlet_name: Option<String>,
    /// IANA time zone
    #[arg(long, default_value = "Asia/Kolkata")]
    pub timezone: String,
    /// ISO 4217 code
    #[arg(long, default_value = "INR")]
    pub currency: String,
    /// Email of the owner's account
    #[arg(long)]
    pub owner_email: Option<String>,
    /// File whose first line is the owner's password; one is made and printed otherwise
    #[arg(long)]
    pub owner_password_file: Option<PathBuf>,
    /// The sample restaurant, if wanted.
    #[command(flatten)]
    pub sample: SampleArgs,
}

/// The sample restaurant; `edge serve` takes these too.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SampleArgs {
    /// Fill the branch with a whole sample restaurant
    #[arg(long)]
    pub sample_data: bool,
    /// Password of the sample accounts
    #[arg(long, value_name = "PASSWORD", requires = "sample_data")]
    pub sample_password: Option<String>,
    /// Days of trade to simulate
    #[arg(long, value_name = "DAYS", requires = "sample_data")]
    pub history_days: Option<u32>,
    /// The same seed gives the same restaurant
    #[arg(long, requires = "sample_data")]
    pub seed: Option<u64>,
}

impl Args {
    /// The sample restaurant with everything else by default: `edge serve --sample-data`.
    pub fn sample(sample: SampleArgs) -> Self {
        Args {
            outlet_code: "BLR1".into(),
            outlet_name: None,
            timezone: "Asia/Kolkata".into(),
            currency: "INR".into(),
            owner_email: None,
            owner_password_file: None,
            sample,
        }
    }
}

/// Makes the branch. Holds the data directory's lock while it works, so that a server waiting for it begins only when
/// everything is there.
///
/// # Errors
/// When the directory holds a branch already, is in use, or an argument cannot be used.
pub fn run(args: &Args, _config: &Config, _out: Out<'_>) -> Result<(), Failure> {
    args.owner_password_file.as_deref().map(super::password_from).transpose()?;
    Err(Failure::new("making a branch is not built yet"))
}
