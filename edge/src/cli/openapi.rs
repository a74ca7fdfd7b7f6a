//! `edge openapi`: the document that a server with the same settings publishes. Never the address of the machine it is printed on: it is
//! the same everywhere, and committed as `edge/openapi.json`.

use super::{Out, Result};
use crate::access::openapi::{BRANCH, document};
use crate::config::Config;

pub(super) fn run(config: &Config, out: Out<'_>) -> Result<()> {
    let network = &config.network;
    let here = || format!("http://127.0.0.1:{}", network.listen.port());
    let url = network.public_url.as_ref().map_or_else(here, |url| url.as_str().to_owned());
    serde_json::to_writer_pretty(&mut *out, &document(&crate::app::routes(), &BRANCH, &url))?;
    writeln!(out)?;
    Ok(())
}
