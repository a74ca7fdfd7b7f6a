//! `/attendance`: records, one record, who is at work.

use super::super::rules::{AttendanceError, EventType, PunchStatus, Record};
use super::super::store::{self, Correction, Filter, Present};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Data, Page, Paged, Paging, Path, Problem, Query};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// One punch of an employee: when, what, and how it came about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttendanceRecord {
    /// Id of the record.
    id: Uuid,
    /// The attendance it is of: the same for all punches from a CLOCK_IN to its CLOCK_OUT.
    attendance_id: Uuid,
    /// The employee who tapped.
    employee_id: Uuid,
    /// Name of the employee who tapped.
    employee_name: String,
    /// What was tapped: clocked in or out, or a break.
    event_type: EventType,
    /// When, after corrections.
    timestamp: Millis,
    /// When it was punched, by the server's clock; never changed.
    recorded_at: Millis,
    /// How that compares with the planned shift.
    status: PunchStatus,
    /// The business date of its own moment.
    business_date: String,
    /// The business date of its CLOCK_IN, under which timesheets count it.
    attendance_date: String,
    /// The planned shift it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    shift_id: Option<Uuid>,
    /// Whether a manager added it.
    is_manual: bool,
    /// Whether its time was corrected.
    is_corrected: bool,
    /// Whether the clock had jumped when it was recorded.
    clock_suspect: bool,
    /// Whether its attendance was never ended, or has times out of order.
    needs_review: bool,
    /// Changes with every change.
    version: i64,
}

impl From<Record> for AttendanceRecord {
    fn from(record: Record) -> Self {
        AttendanceRecord {
            id: record.id,
            attendance_id: record.attendance_id,
            employee_id: record.employee_id,
            employee_name: record.employee_name,
            event_type: record.event,
            timestamp: record.effective_at,
            recorded_at: record.at,
            status: record.status,
            business_date: record.business_date,
            attendance_date: record.attendance_date,
            shift_id: record.shift_id,
            is_manual: record.is_manual,
            is_corrected: record.effective_at != record.at,
            clock_suspect: record.clock_suspect,
            needs_review: record.needs_review,
            version: record.version,
        }
    }
}

/// A correction of a punch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttendanceCorrection {
    /// Id of the correction.
    id: Uuid,
    /// The time before; absent where the punch was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_time: Option<Millis>,
    /// The time since.
    new_time: Millis,
    /// Why it was corrected, in words.
    reason: String,
    /// The account that corrected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_id: Option<Uuid>,
    /// Name of who corrected it.
    by_name: String,
    /// The employee whose PIN approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    approver_id: Option<Uuid>,
    /// Who approved it by PIN, where somebody had to.
    #[serde(skip_serializing_if = "Option::is_none")]
    approver_name: Option<String>,
    /// When it was corrected.
    at: Millis,
}

impl From<Correction> for AttendanceCorrection {
    fn from(correction: Correction) -> Self {
        AttendanceCorrection {
            id: correction.id,
            old_time: correction.old_at,
            new_time: correction.new_at,
            reason: correction.reason,
            by_id: correction.by_id,
            by_name: correction.by_name,
            approver_id: correction.approver_id,
            approver_name: correction.approver_name,
            at: correction.at,
        }
    }
}

/// A punch with its corrections and the others of its attendance.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttendanceDetail {
    #[serde(flatten)]
    record: AttendanceRecord,
    /// What was corrected, in order.
    corrections: Vec<AttendanceCorrection>,
    /// All punches of its attendance, by time.
    attendance: Vec<AttendanceRecord>,
}

pub(super) fn detail(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    now: Millis,
) -> Result<AttendanceDetail, AttendanceError> {
    let record = store::find(conn, outlet, id, now)?.ok_or(AttendanceError::NotFound)?;
    let mut attendance = store::records_of(conn, record.attendance_id, now)?;
    attendance.sort_by_key(|record| record.effective_at);
    Ok(AttendanceDetail {
        record: record.into(),
        corrections: store::corrections(conn, id)?.into_iter().map(Into::into).collect(),
        attendance: attendance.into_iter().map(Into::into).collect(),
    })
}

/// Which punches to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListAttendance {
    /// Not before this business date.
    #[serde(default)]
    from: Option<NaiveDate>,
    /// Not after this business date.
    #[serde(default)]
    to: Option<NaiveDate>,
    /// Of this employee.
    #[serde(default)]
    employee_id: Option<Uuid>,
    /// With this status.
    #[serde(default)]
    status: Option<PunchStatus>,
    /// Of attendances that need review, or that do not.
    #[serde(default)]
    needs_review: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

impl ListAttendance {
    async fn page(self, cx: &Cx, employee_id: Option<Uuid>) -> Result<Paged<AttendanceRecord>, Problem> {
        let (paging, now) = (self.paging, cx.db.env().clock.now());
        let filter = Filter {
            from: self.from,
            to: self.to,
            employee_id,
            status: self.status,
            needs_review: self.needs_review,
        };
        let page = cx.read(move |conn, outlet| store::list(conn, outlet, &filter, paging, now)).await?;
        let items = page.items.into_iter().map(AttendanceRecord::from).collect();
        Ok(Paged::new(Page { items, total: page.total }, paging))
    }
}

/// Lists punches.
pub(in super::super) async fn list_attendance(
    cx: Cx,
    Query(query): Query<ListAttendance>,
) -> Result<Paged<AttendanceRecord>, Problem> {
    let employee = query.employee_id;
    query.page(&cx, employee).await
}

/// Lists the caller's own punches.
pub(in super::super) async fn list_own_attendance(
    cx: Cx,
    Query(query): Query<ListAttendance>,
) -> Result<Paged<AttendanceRecord>, Problem> {
    // An account without an employee has none: nobody has the nil id.
    let own = cx.principal.employee_id.unwrap_or_default();
    query.page(&cx, Some(own)).await
}

/// One punch.
pub(in super::super) async fn get_attendance(
    cx: Cx,
    Path(id): Path<Uuid>,
) -> Result<Data<AttendanceDetail>, Problem> {
    let now = cx.db.env().clock.now();
    let found = cx.read(move |conn, outlet| detail(conn, outlet, id, now)).await?;
    Ok(Data::new(found))
}

/// Somebody who is at work now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresentEmployee {
    /// What they are in the middle of.
    attendance_id: Uuid,
    /// The employee who is there.
    employee_id: Uuid,
    /// Name of the employee who is there.
    employee_name: String,
    /// When they clocked in.
    since: Millis,
    /// When their break began, while they are on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_break_since: Option<Millis>,
    /// The planned shift it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    shift_id: Option<Uuid>,
    /// When that ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduled_end: Option<Millis>,
}

impl From<Present> for PresentEmployee {
    fn from(present: Present) -> Self {
        let attendance = present.attendance;
        PresentEmployee {
            attendance_id: attendance.id,
            employee_id: attendance.employee_id,
            employee_name: attendance.employee_name,
            since: attendance.started_at,
            on_break_since: present.on_break_since,
            shift_id: attendance.planned.map(|planned| planned.shift_id),
            scheduled_end: attendance.planned.map(|planned| planned.end),
        }
    }
}

/// Lists who is at work.
pub(in super::super) async fn list_present(
    cx: Cx,
    Query(paging): Query<Paging>,
) -> Result<Paged<PresentEmployee>, Problem> {
    let now = cx.db.env().clock.now();
    let all = cx.read(move |conn, outlet| store::present(conn, outlet, now)).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let at = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let items = all.into_iter().skip(at(paging.offset)).take(at(paging.limit));
    Ok(Paged::new(Page { items: items.map(PresentEmployee::from).collect(), total }, paging))
}
