//! `edge openapi`: the document that a server with the same settings publishes.

use super::{Failure, Out};
use crate::access::openapi::{BRANCH, document};
use crate::config::Config;

pub(super) fn run(config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let url = super::serve::reach(&config.network).address();
    serde_json::to_writer_pretty(&mut *out, &document(&crate::app::routes(), &BRANCH, &url))?;
    writeln!(out)?;
    Ok(())
}
