//! `edge devices`: the paired devices on the box itself, where no manager is signed in anywhere: who can run it owns the branch anyway.
//! Never shows a code: only a device's own screen does.

use super::open::{not_initialised, open_alone};
use super::{Failure, Out, Result};
use crate::access::Actor;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::{Db, DbError, Source, Tx};
use crate::doctor;
use crate::http::Problem;
use crate::resources::auth::actions::hash_of;
use crate::resources::auth::rules::normal_code;
use crate::resources::devices::rules::{Device, DeviceError};
use crate::resources::devices::{actions, store};
use crate::resources::kitchen::actions::station_names;
use crate::resources::outlets;
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Millis, Uuid};

/// Listing works beside a running server; the rest needs it stopped.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Lists the paired devices, and those that ask to be
    List,
    /// Lets the device in that shows this code
    Approve {
        /// The code on its screen
        code: String,
        /// Id of the station whose tickets a KITCHEN device shows
        #[arg(long)]
        station: Option<Uuid>,
    },
    /// Refuses the device that shows this code
    Deny {
        /// The code on its screen
        code: String,
    },
    /// Gives a device another name or station
    Change {
        /// Its id, as the list has it
        id: Uuid,
        /// What people shall call it
        #[arg(long)]
        name: Option<String>,
        /// Id of the station whose tickets a KITCHEN device shows from now on
        #[arg(long, conflicts_with = "all_stations")]
        station: Option<Uuid>,
        /// It shows the tickets of all stations from now on
        #[arg(long)]
        all_stations: bool,
    },
    /// Removes a device; it is signed out
    Remove {
        /// Its id, as the list has it
        id: Uuid,
    },
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    if let What::List = args.what {
        let data = DataDir::at(&config.store.data_dir);
        if !data.database().exists() {
            return Err(not_initialised(&data));
        }
        crate::health::examine(&data)?;
        return list(&doctor::open_to_read(&data.database())?, SystemClock.now(), out);
    }
    let (db, _data, _lock) = open_alone(config)?;
    carry_out(&args.what, &db, out)
}

fn list(from: &dyn Source, now: Millis, out: Out<'_>) -> Result<()> {
    let minute = |at: Millis| at.to_utc().format("%Y-%m-%d %H:%M UTC").to_string();
    let stations = match outlets::store::find_box_outlet(from)? {
        Some(outlet) => station_names(from, outlet)?,
        None => Default::default(),
    };
    for device in store::list_all(from, now)? {
        let seen = device.last_seen_at.map_or("never seen".to_owned(), |at| format!("seen {}", minute(at)));
        let stands = if device.is_signed_in { "signed in" } else { "signed out" };
        let shows = device.station_id.and_then(|id| stations.get(&id));
        let shows = shows.map(|name| format!(" ({name})")).unwrap_or_default();
        let silent =
            device.silent_since.map(|at| format!(", silent since {}", minute(at))).unwrap_or_default();
        let (id, kind, name) = (device.id, device.kind.name(), device.name);
        writeln!(out, "{id}  {kind:<8} {name}{shows}, {stands}, {seen}{silent}")?;
    }
    for (id, name) in stations {
        writeln!(out, "station {name}: {id}")?;
    }
    for asking in store::list_waiting(from, now)? {
        let wanted = asking.wanted;
        writeln!(
            out,
            "asks to be paired: {} {}, from {}, until {}",
            wanted.kind,
            wanted.name,
            wanted.address,
            minute(asking.expires_at)
        )?;
    }
    Ok(())
}

/// What a command changes, and what it says of it.
type Change = Box<dyn FnOnce(&Tx<'_>, &Actor) -> Result<String, DeviceError> + Send>;

/// What HTTP does, as the box itself, on its own outlet.
fn carry_out(what: &What, db: &Db, out: Out<'_>) -> Result<()> {
    let act = |change: Change| {
        db.write_blocking(move |tx: &Tx<'_>| -> Result<String, Problem> {
            let outlet = outlets::store::find_box_outlet(tx)?.ok_or(DbError::NoOutlet)?;
            let actor = Actor { name: "edge devices".into(), ..Actor::system(outlet) };
            Ok(change(tx, &actor)?)
        })
    };
    let said = match what {
        What::List => Ok(String::new()),
        What::Approve { code, station } => {
            let (hash, station) = (hash_of(&normal_code(code)), *station);
            act(Box::new(move |tx, actor| {
                let device = actions::approve(tx, actor, &hash, station)?;
                Ok(format!("{} is let in as {}: {}", device.name, device.kind, device.id))
            }))
        }
        What::Deny { code } => {
            let hash = hash_of(&normal_code(code));
            act(Box::new(move |tx, actor| {
                actions::deny(tx, actor, &hash).map(|()| "The device is refused.".to_owned())
            }))
        }
        What::Change { id, name, station, all_stations } => {
            let (id, name, station, all) = (*id, name.clone(), *station, *all_stations);
            act(Box::new(move |tx, actor| {
                let device = actions::change(tx, actor, id, None, |device| Device {
                    name: name.unwrap_or(device.name),
                    station_id: if all { None } else { station.or(device.station_id) },
                    ..device
                })?;
                Ok(format!("{} is changed.", device.name))
            }))
        }
        What::Remove { id } => {
            let id = *id;
            act(Box::new(move |tx, actor| {
                let (device, _) = actions::remove(tx, actor, id, None)?;
                Ok(format!("{} is removed and signed out.", device.name))
            }))
        }
    };
    writeln!(out, "{}", said.map_err(|problem| Failure::new(problem.to_string()))?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::devices::rules::{DeviceKind, Wanted};
    use crate::testing::Fixture;

    #[test]
    fn a_device_is_let_in_listed_and_removed_on_the_box() {
        let fixture = Fixture::new();
        let ask = || {
            let wanted = Wanted { kind: DeviceKind::Pos, name: "Till".into(), address: "10.0.0.2".into() };
            fixture.write(|tx, _| actions::ask(tx, wanted)).unwrap().user
        };
        let listed = || {
            let mut out = Vec::new();
            let now = fixture.db.env().clock.now();
            list(&doctor::open_to_read(fixture.db.path()).unwrap(), now, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let does = |what: What| {
            let mut out = Vec::new();
            carry_out(&what, &fixture.db, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        let (wanted, unwanted) = (ask(), ask());
        assert_eq!(listed().matches("asks to be paired: POS Till, from 10.0.0.2").count(), 2);
        assert!(!listed().contains(&wanted));
        assert!(does(What::Approve { code: "AAAA-AAAA".into(), station: None }).is_err());
        let said = does(What::Approve { code: wanted, station: None }).unwrap();
        does(What::Deny { code: unwanted }).unwrap();
        let id = said.trim().rsplit(' ').next().unwrap().to_owned();
        let line = listed();
        assert!(
            line.starts_with(&id) && line.contains("signed out, never seen") && line.lines().count() == 1,
            "{line}"
        );
        let id = id.parse().unwrap();
        let change = |name: Option<&str>, station| {
            let name = name.map(str::to_owned);
            does(What::Change { id, name, station, all_stations: false })
        };
        change(Some("Till at the door"), None).unwrap();
        assert!(listed().contains("Till at the door"));
        assert!(change(None, Some(Uuid::nil())).is_err(), "a till has no station");
        does(What::Remove { id }).unwrap();
        assert_eq!(listed(), "");
        assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE actor_name = 'edge devices'"), 4);
    }
}
