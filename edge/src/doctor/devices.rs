//! The paired devices: whether each is signed in, whether displays follow the kitchen, and which stations nobody looks after. As the
//! server noted it; never asks a device.

use super::Finding;
use crate::db::{Env, Source};
use crate::resources::devices::store;
use crate::resources::{kitchen, outlets};
use rusqlite::Connection;

/// What is to be said of them; nothing where no device is paired.
pub(super) fn examine(conn: &Connection, env: &Env) -> Vec<Finding> {
    let look = || -> Result<Vec<Finding>, crate::db::DbError> {
        let source: &dyn Source = conn;
        let mut findings = Vec::new();
        let devices = store::list_all(source, env.clock.now())?;
        for device in devices.iter().filter(|device| !device.is_signed_in) {
            findings.push(Finding::warn(
                "device",
                format!("{} ({}) is not signed in", device.name, device.kind),
                "Pair it again at its screen, or remove it: edge devices remove ID",
            ));
        }
        for device in devices.iter().filter(|device| device.is_signed_in) {
            if let Some(since) = device.silent_since {
                let found =
                    format!("{} ({}) has not followed the kitchen since {since}", device.name, device.kind);
                findings.push(Finding::warn(
                    "device",
                    found,
                    "Is the screen on, charged and in the network?",
                ));
            }
        }
        if findings.is_empty() && !devices.is_empty() {
            let found = format!("{} paired devices, none of them silent", devices.len());
            findings.push(Finding::ok("device", found));
        }
        for outlet in outlets::store::list(source)? {
            for watch in kitchen::actions::list_missed(source, outlet.id)? {
                let since = watch.unwatched_since.map(|since| since.to_string()).unwrap_or_default();
                findings.push(Finding::warn(
                    "station",
                    format!("no display has followed {} since {since}", watch.name),
                    "See to its screen; or let it work from paper: printTickets of the station.",
                ));
            }
        }
        Ok(findings)
    };
    look().unwrap_or_else(|error| {
        vec![Finding::broken("device", format!("the devices cannot be read: {error}"), "See the database.")]
    })
}
