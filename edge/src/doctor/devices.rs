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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::{Level, open_to_read};
    use crate::resources::auth::actions::{Client, hash_of};
    use crate::resources::auth::rules::normal_code;
    use crate::resources::devices::actions;
    use crate::resources::devices::rules::{DeviceKind, Wanted};
    use crate::resources::kitchen::rules::Turn;
    use crate::testing::Fixture;
    use std::net::Ipv4Addr;

    #[test]
    fn a_device_that_is_signed_out_or_silent_is_named() {
        let fixture = Fixture::new();
        let found =
            || examine(&open_to_read(fixture.db.path()).unwrap(), fixture.db.env()).into_iter().next();
        assert!(found().is_none(), "a house without devices misses none");
        let wanted = Wanted { kind: DeviceKind::Kitchen, name: "Tandoor".into(), address: "10.0.0.2".into() };
        let codes = fixture.write(|tx, _| actions::ask(tx, wanted)).unwrap();
        let hash = hash_of(&normal_code(&codes.user));
        let device = fixture.write(move |tx, actor| actions::approve(tx, actor, &hash, None)).unwrap();
        let told = found().unwrap();
        assert!(told.level == Level::Warn && told.found.contains("Tandoor (KITCHEN) is not signed in"));
        let client = Client { ip: Ipv4Addr::LOCALHOST.into(), device_name: None };
        fixture.write(move |tx, _| actions::poll(tx, &codes.device, client, (&[1; 32], None))).unwrap();
        assert_eq!(found().unwrap().level, Level::Ok);
        let now = fixture.db.env().clock.now();
        for (turn, level) in
            [(Turn::Came, Level::Ok), (Turn::Went(now), Level::Warn), (Turn::Came, Level::Ok)]
        {
            let device = device.clone();
            fixture.write(move |tx, _| actions::turned(tx, &device, turn)).unwrap();
            assert_eq!(found().unwrap().level, level, "{turn:?}");
        }
    }
}
