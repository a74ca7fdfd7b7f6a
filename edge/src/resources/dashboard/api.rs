//! `/dashboard` over HTTP.

use super::rules::{self, Comparison, EXPIRING_DAYS};
use super::store::{self, Approvals, ExpiringBatch, LateTicket, LowItem, OnShift};
use crate::access::{Actor, Cx};
use crate::db::{RoomLeft, Source};
use crate::exchange::SyncStatus;
use crate::http::{Data, Problem};
use crate::resources::attendance::rules::FORGOTTEN_MS;
use crate::resources::orders::rules::OrderStatus;
use crate::resources::tables::rules::TableStatus;
use crate::resources::{notifications, outlets};
use crate::state::{BackupStatus, BackupWatch};
use axum::extract::State;
use chrono::{Days, NaiveDate};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Quantity};

/// How the outlet stands right now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dashboard {
    generated_at: Millis,
    business_date: NaiveDate,
    /// Sales of today, against the same weekday a week before.
    sales: SalesToday,
    /// Open orders, and today's finished ones, by state.
    orders_by_state: BTreeMap<String, i64>,
    /// Kitchen tickets past their target time.
    late_tickets: LateTickets,
    /// How many tables are free, occupied and so on.
    tables: TablesNow,
    /// What runs low or expires soon.
    stock: StockNow,
    /// Who is on shift now.
    staff: StaffNow,
    /// What waits for a manager's decision.
    approvals: Approvals,
    /// What the caller has not ticked off.
    notifications_unread: i64,
    /// The exchange with head office; null where head office itself answers.
    sync: Option<SyncStatus>,
    /// Room on the box's disk; null where head office itself answers.
    disk: Option<RoomLeft>,
    /// The backups; null where head office itself answers.
    backup: Option<BackupStatus>,
}

/// Today's sales beside those of the same weekday last week.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesToday {
    /// Gross revenue as in the analytics: lines without tax, before discounts.
    today_cents: Cents,
    /// Orders of today that are not cancelled.
    orders_count: i64,
    /// The same weekday of last week, up to the same time of day.
    same_weekday_last_week_cents: Cents,
    /// Two decimals; null when there was nothing then.
    change_percentage: Option<Quantity>,
}

/// Kitchen tickets past their time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LateTickets {
    /// How many tickets are late.
    count: i64,
    /// The latest ten.
    tickets: Vec<LateTicket>,
}

/// The tables as they stand at this moment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TablesNow {
    /// How many tables there are of each status.
    by_status: BTreeMap<String, i64>,
}

/// The stock as it stands at this moment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockNow {
    /// How many stock items are at or below their minimum.
    low_count: i64,
    /// The ten emptiest.
    low: Vec<LowItem>,
    /// Batches that expire today or within three days.
    expiring_count: i64,
    /// The next ten.
    expiring: Vec<ExpiringBatch>,
    /// Batches past their expiry that are still there.
    expired_count: i64,
    /// The oldest ten.
    expired: Vec<ExpiringBatch>,
}

/// The staff as they stand at this moment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffNow {
    /// Who has clocked in and not out.
    on_shift: Vec<OnShift>,
    /// How many the published roster has for today.
    rostered: i64,
    /// How many of them should have come and have not clocked in.
    late: i64,
}

/// A manager's screen.
pub(super) async fn get_dashboard(
    cx: Cx,
    State(backups): State<BackupWatch>,
) -> Result<Data<Dashboard>, Problem> {
    let (actor, now) = (cx.actor(), cx.db.env().clock.now());
    let disk = (!cx.db.is_copy()).then(|| cx.db.room());
    let dashboard = cx.read(move |conn, _| {
        let backup = backups.0.map(|look| look(now));
        Ok::<_, Problem>(Dashboard { backup, ..look(conn, &actor, now, disk)? })
    });
    Ok(Data::new(dashboard.await?))
}

fn look(conn: &dyn Source, actor: &Actor, now: Millis, disk: Option<RoomLeft>) -> Result<Dashboard, Problem> {
    let id = actor.outlet_id;
    let outlet = outlets::store::find(conn, id)?;
    let days = Comparison::at(outlet.business_day(), now);
    let today = days.today;
    let sales = store::sales(conn, id, &days)?;
    let states: Vec<&str> = OrderStatus::ALL.iter().map(|status| status.name()).collect();
    let statuses: Vec<&str> = TableStatus::ALL.iter().map(|status| status.name()).collect();
    let (late, tickets) = store::late_tickets(conn, id, now)?;
    let (low_count, low) = store::low_stock(conn, id, today)?;
    let date = |days: u64| today.checked_add_days(Days::new(days)).unwrap_or(today).to_string();
    let yesterday = today.pred_opt().unwrap_or(today).to_string();
    let (expiring_count, expiring) = store::expiring(conn, id, &date(0), &date(EXPIRING_DAYS))?;
    let (expired_count, expired) = store::expiring(conn, id, "0000-01-01", &yesterday)?;
    let grace_ms = outlet.attendance.grace_minutes.saturating_mul(60_000);
    let due = rules::local(now.after(grace_ms.saturating_neg()), outlet.timezone);
    let (rostered, missing) = store::rostered(conn, id, today, &due)?;
    let forgotten = now.after(-FORGOTTEN_MS);
    Ok(Dashboard {
        generated_at: now,
        business_date: today,
        sales: SalesToday {
            today_cents: Cents::new(sales.today),
            orders_count: sales.orders,
            same_weekday_last_week_cents: Cents::new(sales.before),
            change_percentage: rules::change_percentage(sales.today, sales.before)?,
        },
        orders_by_state: store::orders_by_state(conn, id, today, &states)?,
        late_tickets: LateTickets { count: late, tickets },
        tables: TablesNow { by_status: store::tables_by_status(conn, id, &statuses)? },
        stock: StockNow { low_count, low, expiring_count, expiring, expired_count, expired },
        staff: StaffNow { on_shift: store::on_shift(conn, id, forgotten)?, rostered, late: missing },
        approvals: store::approvals(conn, id, forgotten)?,
        notifications_unread: notifications::actions::unread(conn, actor)?,
        sync: disk.map(|_| SyncStatus::read(conn, now)).transpose()?,
        disk,
        backup: None,
    })
}
