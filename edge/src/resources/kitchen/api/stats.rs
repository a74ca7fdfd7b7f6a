//! `/kitchen/stats`.

use super::tickets::sight_of;
use crate::access::Cx;
use crate::http::{Code, Data, Problem, Query, Result};
use crate::resources::kitchen::actions;
use crate::resources::kitchen::rules::KitchenError;
use crate::resources::kitchen::store::{self, ItemTimes, StationTimes};
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::Uuid;

/// The longest period, days.
const LONGEST_DAYS: i64 = 366;

/// The period, and the station.
#[apply(filters!)]
pub struct GetStats {
    /// First business date; today unless set.
    from: Option<NaiveDate>,
    /// Last business date; today unless set.
    to: Option<NaiveDate>,
    /// One station; all when absent or an EXPO station.
    station_id: Option<Uuid>,
}

/// Preparation times, of tickets that were ready.
#[apply(answer!)]
pub struct KitchenStats {
    /// The first business date, included.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// The figures of each station.
    stations: Vec<StationStats>,
    /// The slowest first.
    items: Vec<ItemStats>,
}

view! {
    /// Times of one station, whole seconds.
    pub struct StationStats of times: StationTimes {
        station_id: Uuid,
        name: String,
        /// How many of its tickets these figures are of.
        tickets_count: i64 = times.tickets,
        /// From firing to the first start.
        average_wait_seconds: i64 = seconds(times.wait_ms),
        /// From the first start to ready.
        average_preparation_seconds: i64 = seconds(times.cook_ms),
        /// From firing to ready.
        average_total_seconds: i64 = seconds(times.total_ms),
        /// From firing to ready.
        longest_total_seconds: i64 = seconds(times.longest_ms),
        /// Ready after their target.
        late_count: i64 = times.late,
        /// How often a finished ticket was opened again.
        recalled_count: i64 = times.recalled,
    }
}

view! {
    /// Times of one dish, or of one variant of it, whole seconds.
    pub struct ItemStats of times: ItemTimes {
        menu_item_id: Uuid,
        /// The variant of the dish; null where it was sold in one size.
        variant_id: Option<Uuid>,
        name: String,
        /// How many lines of tickets these figures are of.
        lines_count: i64 = times.lines,
        /// How many portions these figures are of.
        quantity: i64,
        /// From start to ready.
        average_preparation_seconds: i64 = seconds(times.cook_ms),
        /// From firing to ready.
        average_total_seconds: i64 = seconds(times.total_ms),
        /// From firing to ready.
        longest_total_seconds: i64 = seconds(times.longest_ms),
    }
}

fn seconds(ms: Option<i64>) -> i64 {
    ms.unwrap_or_default().max(0) / 1_000
}

/// Preparation times by station and item.
pub async fn get_stats(cx: Cx, Query(query): Query<GetStats>) -> Result<Data<KitchenStats>> {
    let (now, who) = (cx.db.env().clock.now(), cx.principal.clone());
    cx.get(move |conn, outlet| -> Result<_> {
        let today = outlets::store::find(conn, outlet)?.business_date(now);
        let (from, to) = period(query.from, query.to, today)?;
        let sight = sight_of(conn, outlet, &who).map_err(KitchenError::from)?;
        let station = actions::station_in(conn, outlet, sight, query.station_id)?;
        let stations =
            store::list_station_times(conn, outlet, (from, to), station).map_err(KitchenError::from)?;
        let items = store::list_item_times(conn, outlet, (from, to), station).map_err(KitchenError::from)?;
        Ok(KitchenStats {
            from,
            to,
            stations: stations.into_iter().map(StationStats::from).collect(),
            items: items.into_iter().map(ItemStats::from).collect(),
        })
    })
    .await
}

fn period(
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    today: NaiveDate,
) -> Result<(NaiveDate, NaiveDate)> {
    let to = to.unwrap_or_else(|| from.map_or(today, |from| from.max(today)));
    let from = from.unwrap_or(to.min(today));
    let reason = match (to - from).num_days() {
        ..0 => "must not be before from",
        days if days >= LONGEST_DAYS => "must be less than 366 days after from",
        _ => return Ok((from, to)),
    };
    Err(Problem::new(Code::BadRequest).detail("A query parameter is invalid").with_field("to", reason))
}
