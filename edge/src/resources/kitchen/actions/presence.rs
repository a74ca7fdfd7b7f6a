//! Stations whose last display went, and those that have one again.

use crate::db::{self, Source, Tx};
use crate::resources::kitchen::rules::{Result, StationWatch, Turn};
use crate::resources::kitchen::store;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use tiffin_common::Uuid;

/// The outlet's stations that some display followed and none does, as far as this box has noted: works beside a server.
pub fn list_missed(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<StationWatch>> {
    let all = store::list_watches(conn)?;
    Ok(all.into_iter().filter(|watch| watch.outlet == outlet && watch.is_missed()).collect())
}

/// Notes what changed about the displays of a station, and tells when the last one went; a station that works from paper is not missed.
pub fn station_turned(tx: &Tx<'_>, watch: &StationWatch, turn: Turn) -> Result<()> {
    let since = match turn {
        Turn::Came => return Ok(store::set_watched(tx, watch.outlet, watch.station)?),
        Turn::Went(since) => since,
    };
    store::set_unwatched(tx, watch.station, since)?;
    if watch.is_on_paper {
        return Ok(());
    }
    let waits = store::has_open_tickets(tx, watch.outlet, watch.station)?;
    let notice = Notice {
        kind: "STATION_UNWATCHED",
        severity: if waits { Severity::Critical } else { Severity::Warning },
        title: format!("No display follows {}", watch.name),
        body: match waits {
            true => "Its tickets wait there unseen. Is the screen on and in the network? Tell the cooks meanwhile.",
            false => "Is the screen on and in the network?",
        }
        .into(),
        audience: Audience::Staff,
        entity: Some(("kitchen_station", watch.station)),
        dedupe_key: format!("station-unwatched:{}", watch.station),
    };
    Ok(notifications::actions::notify(tx, watch.outlet, notice)?)
}
