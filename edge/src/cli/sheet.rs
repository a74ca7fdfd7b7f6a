//! `edge sheet`: the sheet to print for tablets, as a file or on standard output, whether the server runs or not. Only reads.

use super::open::not_initialised;
use super::{Failure, Out, Result};
use crate::config::{Config, ServerFlags};
use crate::data_dir::DataDir;
use crate::http::client::TlsTrust;
use crate::lan::pages::own_outlet;
use crate::lan::{Reach, certificate, mdns, sheet, tls};
use crate::resources::outlets;
use crate::root::{as_root, give};
use rusqlite::{Connection, OpenFlags};
use std::path::PathBuf;
use tokio::sync::watch;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Where to write it; standard output otherwise
    file: Option<PathBuf>,
    /// Name of the Wi-Fi that tablets join; a line to fill in by hand otherwise
    #[arg(long)]
    wifi: Option<String>,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    let data = DataDir::at(&config.store.data_dir);
    if !data.is_initialised() {
        return Err(not_initialised(&data));
    }
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let network = &config.network;
    let name = match config.lan.mdns && !network.listen.ip().is_loopback() {
        true => Some(format!("{}.local", mdns::host(&conn, config.lan.mdns_name.as_deref())?)),
        false => None,
    };
    let trust = TlsTrust::default();
    if let Some(shown) = outlets::store::find_believed_authority(&conn)? {
        trust.begin(shown.clone(), Some(&shown));
    }
    let at = (network.listen, network.tls.listen);
    let reach = Reach::new(network, at, watch::Sender::new(name).subscribe(), trust);
    let sheet = sheet::Sheet {
        outlet: own_outlet(&conn)?.unwrap_or_default(),
        wifi: args.wifi.clone(),
        has_certificate: certificate::is_offered(&tls::folder(data.path()), &reach),
        reach,
        alarm: maud::html! {},
    };
    let text = sheet.html()?.into_string();
    match &args.file {
        Some(path) => {
            as_root(|| std::fs::write(path, text))
                .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
            give(path);
            writeln!(out, "Wrote {}; open it in a browser and print it", path.display())?;
        }
        None => out.write_all(text.as_bytes())?,
    }
    Ok(())
}
