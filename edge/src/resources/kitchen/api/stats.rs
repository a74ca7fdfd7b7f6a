//! `/kitchen/stats`.

use crate::access::Cx;
use crate::http::{Code, Data, Problem, Query};
use crate::resources::kitchen::rules::KitchenError;
use crate::resources::kitchen::{store, stream};
use crate::resources::outlets;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::Uuid;

/// The longest period, days.
const LONGEST_DAYS: i64 = 366;

/// The period, and the station.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetStats {
    /// First business date; today unless set.
    #[serde(default)]
    from: Option<NaiveDate>,
    /// Last business date; today unless set.
    #[serde(default)]
    to: Option<NaiveDate>,
    /// One station; all when absent or an EXPO station.
    #[serde(default)]
    station_id: Option<Uuid>,
}

/// Preparation times, of tickets that were ready.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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

/// Times of one station, whole seconds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StationStats {
    station_id: Uuid,
    name: String,
    /// How many of its tickets these figures are of.
    tickets_count: i64,
    /// From firing to the first start.
    average_wait_seconds: i64,
    /// From the first start to ready.
    average_preparation_seconds: i64,
    /// From firing to ready.
    average_total_seconds: i64,
    /// From firing to ready.
    longest_total_seconds: i64,
    /// Ready after their target.
    late_count: i64,
    /// How often a finished ticket was opened again.
    recalled_count: i64,
}

/// Times of one dish, whole seconds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemStats {
    menu_item_id: Uuid,
    name: String,
    /// How many lines of tickets these figures are of.
    lines_count: i64,
    /// How many portions these figures are of.
    quantity: i64,
    /// From start to ready.
    average_preparation_seconds: i64,
    /// From firing to ready.
    average_total_seconds: i64,
    /// From firing to ready.
    longest_total_seconds: i64,
}

fn seconds(ms: Option<i64>) -> i64 {
    ms.unwrap_or_default().max(0) / 1_000
}

/// Preparation times by station and item.
pub(in super::super) async fn get_stats(
    cx: Cx,
    Query(query): Query<GetStats>,
) -> Result<Data<KitchenStats>, Problem> {
    let now = cx.db.env().clock.now();
    let stats = cx.read(move |conn, outlet| -> Result<_, Problem> {
        let today = outlets::store::find(conn, outlet)?.business_date(now);
        let (from, to) = period(query.from, query.to, today)?;
        let station = stream::station_of(conn, outlet, query.station_id)?;
        let stations = store::station_times(conn, outlet, (from, to), station).map_err(KitchenError::from)?;
        let items = store::item_times(conn, outlet, (from, to), station).map_err(KitchenError::from)?;
        Ok(KitchenStats {
            from,
            to,
            stations: stations.into_iter().map(StationStats::from).collect(),
            items: items.into_iter().map(ItemStats::from).collect(),
        })
    });
    Ok(Data::new(stats.await?))
}

fn period(
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    today: NaiveDate,
) -> Result<(NaiveDate, NaiveDate), Problem> {
    let to = to.unwrap_or_else(|| from.map_or(today, |from| from.max(today)));
    let from = from.unwrap_or(to.min(today));
    let reason = match (to - from).num_days() {
        ..0 => "must not be before from",
        days if days >= LONGEST_DAYS => "must be less than 366 days after from",
        _ => return Ok((from, to)),
    };
    Err(Problem::new(Code::BadRequest).detail("A query parameter is invalid").with_field("to", reason))
}

impl From<store::StationTimes> for StationStats {
    fn from(t: store::StationTimes) -> Self {
        StationStats {
            station_id: t.station_id,
            name: t.name,
            tickets_count: t.tickets,
            average_wait_seconds: seconds(t.wait_ms),
            average_preparation_seconds: seconds(t.cook_ms),
            average_total_seconds: seconds(t.total_ms),
            longest_total_seconds: seconds(t.longest_ms),
            late_count: t.late,
            recalled_count: t.recalled,
        }
    }
}

impl From<store::ItemTimes> for ItemStats {
    fn from(t: store::ItemTimes) -> Self {
        ItemStats {
            menu_item_id: t.menu_item_id,
            name: t.name,
            lines_count: t.lines,
            quantity: t.quantity,
            average_preparation_seconds: seconds(t.cook_ms),
            average_total_seconds: seconds(t.total_ms),
            longest_total_seconds: seconds(t.longest_ms),
        }
    }
}
