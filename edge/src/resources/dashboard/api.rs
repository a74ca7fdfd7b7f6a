//! `/dashboard` over HTTP.

use super::rules::{
    self, Approvals, Comparison, EXPIRING_DAYS, ExpiringBatch, LateTicket, LowItem, Oddity, OnShift, SHOWN,
};
use super::store;
use crate::access::{Actor, Cx};
use crate::db::{ClockDoubt, RoomLeft, Source};
use crate::exchange::SyncStatus;
use crate::http::{Data, Problem, Result};
use crate::resources::attendance::rules::{FORGOTTEN_MS, State as PunchState};
use crate::resources::kitchen::rules::TicketStatus;
use crate::resources::{devices, kitchen, notifications, outlets};
use crate::state::{BackupStatus, BackupWatch};
use axum::extract::State;
use chrono::{Days, NaiveDate};
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Quantity, Uuid};

const DAY_MS: i64 = 24 * 3_600_000;

/// How the outlet stands right now.
#[apply(answer!)]
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
    approvals: ApprovalsView,
    /// Locked sign-ins and PINs, resets that were asked for, changes by hand, pay-outs of more than there was.
    unusual: Oddities,
    /// What the caller has not ticked off.
    notifications_unread: i64,
    /// The exchange with head office; null where head office itself answers.
    sync: Option<SyncStatus>,
    /// Room on the box's disk; null where head office itself answers.
    disk: Option<RoomLeft>,
    /// Why the machine's clock is not followed; null while all is well, and where head office itself answers.
    clock_doubt: Option<ClockDoubt>,
    /// The backups; null where head office itself answers.
    backup: Option<BackupStatus>,
    /// Displays and stations that somebody should see to; null where head office itself answers.
    displays: Option<DisplaysNow>,
}

/// Today's sales beside those of the same weekday last week.
#[apply(answer!)]
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
#[apply(answer!)]
pub struct LateTickets {
    /// How many tickets are late.
    count: i64,
    /// The latest ten.
    tickets: Vec<LateTicketView>,
}

view! {
    /// A kitchen ticket past its time.
    #[schemars(rename = "LateTicket")]
    pub struct LateTicketView of ticket: LateTicket, now: Millis {
        id: Uuid,
        ticket_number: i64,
        order_id: Uuid,
        order_number: String,
        table_number: Option<String>,
        station_name: String,
        #[schemars(with = "String")]
        status: TicketStatus,
        target_ready_at: Millis,
        late_minutes: i64 = now.since(ticket.target_ready_at) / 60_000,
    }
}

/// The tables as they stand at this moment.
#[apply(answer!)]
pub struct TablesNow {
    /// How many tables there are of each status.
    by_status: BTreeMap<String, i64>,
}

/// The stock as it stands at this moment.
#[apply(answer!)]
pub struct StockNow {
    /// How many stock items are at or below their minimum.
    low_count: i64,
    /// The ten emptiest.
    low: Vec<LowItemView>,
    /// Batches that expire today or within three days.
    expiring_count: i64,
    /// The next ten.
    expiring: Vec<ExpiringBatchView>,
    /// Batches past their expiry that are still there.
    expired_count: i64,
    /// The oldest ten.
    expired: Vec<ExpiringBatchView>,
}

view! {
    /// Stock at or below its threshold.
    #[schemars(rename = "LowItem")]
    pub struct LowItemView of item: LowItem {
        id: Uuid,
        name: String,
        unit: String,
        current_stock: Quantity,
        min_stock_threshold: Quantity,
    }
}

view! {
    /// A batch whose time is near.
    #[schemars(rename = "ExpiringBatch")]
    pub struct ExpiringBatchView of batch: ExpiringBatch {
        inventory_item_id: Uuid = batch.item_id,
        name: String,
        unit: String,
        batch_number: String,
        quantity: Quantity,
        #[schemars(with = "String")]
        expiry_date: NaiveDate,
    }
}

/// The staff as they stand at this moment.
#[apply(answer!)]
pub struct StaffNow {
    /// Who has clocked in and not out.
    on_shift: Vec<OnShiftView>,
    /// How many the published roster has for today.
    rostered: i64,
    /// How many of them should have come and have not clocked in.
    late: i64,
}

view! {
    /// Somebody who is at work.
    #[schemars(rename = "OnShift")]
    pub struct OnShiftView of person: OnShift {
        employee_id: Uuid,
        name: String = person.employee_name,
        /// IN or BREAK.
        #[schemars(with = "String")]
        state: PunchState,
        /// When they clocked in.
        since: Millis = person.started_at,
    }
}

view! {
    /// What waits for somebody's decision.
    #[schemars(rename = "Approvals")]
    pub struct ApprovalsView of approvals: Approvals {
        /// Leave nobody has decided on.
        leave_requests: i64,
        /// Swaps both colleagues agree to.
        swaps: i64,
        /// Guests' orders that wait for staff.
        qr_orders: i64,
        /// Attendances that were never ended.
        needs_review_attendance: i64,
        /// Staff queries that are open and urgent.
        urgent_tickets: i64,
        /// Feedback of 1 or 2, or with a call wanted, that nobody has dealt with.
        feedback_to_answer: i64,
    }
}

/// Displays that were there and are not.
#[apply(answer!)]
pub struct DisplaysNow {
    /// Paired devices that followed the kitchen and do so no more.
    silent: Vec<Absent>,
    /// Stations that some display followed and none does.
    unwatched_stations: Vec<Absent>,
}

/// A display that went, or a station whose displays went.
#[apply(answer!)]
pub struct Absent {
    id: Uuid,
    name: String,
    /// Since when no display is there: when the device, or the last that followed the station, was last heard of.
    since: Option<Millis>,
}

/// What a manager should look at.
#[apply(answer!)]
pub struct Oddities {
    /// How often in the last 24 hours.
    count: i64,
    /// The newest ten.
    latest: Vec<OddityView>,
}

view! {
    /// Something in the audit log that should not be usual.
    #[schemars(rename = "Oddity")]
    pub struct OddityView of oddity: Oddity {
        at: Millis,
        /// Such as `auth.pin_locked`; the audit log has the rest.
        action: String,
        actor_name: String,
        /// The signed-in device, or the address where nobody was signed in.
        device: Option<String>,
    }
}

/// The rows of a list as the answer shows them.
fn shown<T, V: From<T>>(rows: Vec<T>) -> Vec<V> {
    rows.into_iter().map(V::from).collect()
}

/// A manager's screen.
pub async fn get_dashboard(cx: Cx, State(backups): State<BackupWatch>) -> Result<Data<Dashboard>> {
    let (actor, now) = (cx.actor(), cx.db.env().clock.now());
    let disk = (!cx.db.is_copy()).then(|| cx.db.room());
    let clock_doubt = cx.db.env().clock_doubt();
    let dashboard = cx.read(move |conn, _| {
        let backup = backups.0.map(|look| look(now));
        Ok::<_, Problem>(Dashboard { backup, clock_doubt, ..look(conn, &actor, now, disk)? })
    });
    Ok(Data::new(dashboard.await?))
}

fn displays(conn: &dyn Source, outlet: Uuid, now: Millis) -> Result<DisplaysNow> {
    let silent = devices::store::list_all(conn, now)?.into_iter();
    let silent = silent.filter(|device| device.outlet_id == outlet && device.silent_since.is_some());
    let unwatched = kitchen::actions::list_missed(conn, outlet)?.into_iter();
    Ok(DisplaysNow {
        silent: silent
            .map(|device| Absent { id: device.id, name: device.name, since: device.silent_since })
            .collect(),
        unwatched_stations: unwatched
            .map(|watch| Absent { id: watch.station, name: watch.name, since: watch.unwatched_since })
            .collect(),
    })
}

fn look(conn: &dyn Source, actor: &Actor, now: Millis, disk: Option<RoomLeft>) -> Result<Dashboard> {
    let id = actor.outlet_id;
    let outlet = outlets::store::find(conn, id)?;
    let days = Comparison::at(outlet.business_day(), outlet.business_date(now), now);
    let today = days.today;
    let sales = store::sum_sales(conn, id, &days)?;
    let late = store::list_late_tickets(conn, id, now)?;
    let low = store::list_low_stock(conn, id, today)?;
    let soon = today.checked_add_days(Days::new(EXPIRING_DAYS)).unwrap_or(today);
    let expiring = store::list_expiring(conn, id, Some(today), soon)?;
    let expired = store::list_expiring(conn, id, None, today.pred_opt().unwrap_or(today))?;
    let grace_ms = outlet.attendance.grace_minutes.saturating_mul(60_000);
    let due = rules::local(now.after(grace_ms.saturating_neg()), outlet.timezone);
    let staff = store::count_rostered(conn, id, today, &due)?;
    let forgotten = now.after(-FORGOTTEN_MS);
    let unusual = store::list_oddities(conn, id, now.after(-DAY_MS), SHOWN)?;
    let on_shift = shown(store::list_on_shift(conn, id, forgotten)?);
    Ok(Dashboard {
        generated_at: now,
        business_date: today,
        sales: SalesToday {
            today_cents: sales.today,
            orders_count: sales.orders,
            same_weekday_last_week_cents: sales.before,
            change_percentage: rules::change_percentage(sales.today, sales.before)?,
        },
        orders_by_state: store::count_orders(conn, id, today)?,
        late_tickets: LateTickets {
            count: late.total,
            tickets: late.items.into_iter().map(|ticket| LateTicketView::of(ticket, now)).collect(),
        },
        tables: TablesNow { by_status: store::count_tables(conn, id)? },
        stock: StockNow {
            low_count: low.total,
            low: shown(low.items),
            expiring_count: expiring.total,
            expiring: shown(expiring.items),
            expired_count: expired.total,
            expired: shown(expired.items),
        },
        staff: StaffNow { on_shift, rostered: staff.rostered, late: staff.late },
        approvals: store::count_approvals(conn, id, forgotten)?.into(),
        unusual: Oddities { count: unusual.total, latest: shown(unusual.items) },
        notifications_unread: notifications::actions::unread(conn, actor)?,
        displays: disk.map(|_| displays(conn, id, now)).transpose()?,
        sync: disk.map(|_| SyncStatus::read(conn, now)).transpose()?,
        disk,
        clock_doubt: None,
        backup: None,
    })
}
