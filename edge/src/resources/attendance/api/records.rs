//! `/attendance`: records, one record, who is at work.

use super::super::rules::{AttendanceError, Correction, EventType, PunchStatus, Record};
use super::super::store::{self, Filter, Present};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Data, Id, Paged, Paging, Query, Result};
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

view! {
    /// One punch of an employee: when, what, and how it came about.
    pub struct AttendanceRecord of record: Record {
        /// Id of the record.
        id: Uuid,
        /// The attendance it is of: the same for all punches from a CLOCK_IN to its CLOCK_OUT.
        attendance_id: Uuid,
        /// The employee who tapped.
        employee_id: Uuid,
        /// Name of the employee who tapped.
        employee_name: String,
        /// What was tapped: clocked in or out, or a break.
        event_type: EventType = record.event,
        /// When, after corrections.
        timestamp: Millis = record.effective_at,
        /// When it was punched, by the server's clock; never changed.
        recorded_at: Millis = record.at,
        /// How that compares with the planned shift.
        status: PunchStatus,
        /// The business date of its own moment.
        business_date: NaiveDate,
        /// The business date of its CLOCK_IN, under which timesheets count it.
        attendance_date: NaiveDate,
        /// The planned shift it belongs to.
        #[serde(skip_serializing_if = "Option::is_none")]
        shift_id: Option<Uuid>,
        /// Whether a manager added it.
        is_manual: bool,
        /// Whether its time was corrected.
        is_corrected: bool = record.effective_at != record.at,
        clock_suspect: bool,
        /// Whether its attendance was never ended, or has times out of order.
        needs_review: bool,
        /// Changes with every change.
        version: i64,
    }
}

view! {
    /// A correction of a punch.
    pub struct AttendanceCorrection of correction: Correction {
        /// Id of the correction.
        id: Uuid,
        /// The time before; absent where the punch was added.
        #[serde(skip_serializing_if = "Option::is_none")]
        old_time: Option<Millis> = correction.old_at,
        /// The time since.
        new_time: Millis = correction.new_at,
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
}

/// A punch with its corrections and the others of its attendance.
#[apply(answer!)]
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
    let record = store::find(conn, outlet, id, now)?.ok_or(AttendanceError::NotFound("attendance record"))?;
    let mut attendance = store::list_records_of(conn, record.attendance_id, now)?;
    attendance.sort_by_key(|record| record.effective_at);
    Ok(AttendanceDetail {
        record: record.into(),
        corrections: store::list_corrections(conn, id)?.into_iter().map(Into::into).collect(),
        attendance: attendance.into_iter().map(Into::into).collect(),
    })
}

/// Which punches to list.
#[apply(request!)]
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
    async fn page(self, cx: &Cx, employee_id: Option<Uuid>) -> Result<Paged<AttendanceRecord>> {
        let (paging, now) = (self.paging, cx.db.env().clock.now());
        let filter = Filter {
            from: self.from,
            to: self.to,
            employee_id,
            status: self.status,
            needs_review: self.needs_review,
        };
        let page = cx.read(move |conn, outlet| store::list(conn, outlet, &filter, paging, now)).await?;
        Ok(Paged::new(page.map(AttendanceRecord::from), paging))
    }
}

/// Lists punches.
pub async fn list_attendance(cx: Cx, Query(query): Query<ListAttendance>) -> Result<Paged<AttendanceRecord>> {
    let employee = query.employee_id;
    query.page(&cx, employee).await
}

/// Lists the caller's own punches.
pub async fn list_own_attendance(
    cx: Cx,
    Query(query): Query<ListAttendance>,
) -> Result<Paged<AttendanceRecord>> {
    // An account without an employee has none: nobody has the nil id.
    let own = cx.principal.employee_id.unwrap_or_default();
    query.page(&cx, Some(own)).await
}

/// One punch.
pub async fn get_attendance(cx: Cx, Id(id): Id) -> Result<Data<AttendanceDetail>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| detail(conn, outlet, id, now)).await
}

view! {
    /// Somebody who is at work now.
    pub struct PresentEmployee of present: Present {
        /// What they are in the middle of.
        attendance_id: Uuid = present.attendance.id,
        /// The employee who is there.
        employee_id: Uuid = present.attendance.employee_id,
        /// Name of the employee who is there.
        employee_name: String = present.attendance.employee_name,
        /// When they clocked in.
        since: Millis = present.attendance.started_at,
        /// When their break began, while they are on one.
        #[serde(skip_serializing_if = "Option::is_none")]
        on_break_since: Option<Millis>,
        /// The planned shift it belongs to.
        #[serde(skip_serializing_if = "Option::is_none")]
        shift_id: Option<Uuid> = present.attendance.planned.map(|planned| planned.shift_id),
        /// When that ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        scheduled_end: Option<Millis> = present.attendance.planned.map(|planned| planned.end),
    }
}

/// Lists who is at work.
pub async fn list_present(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<PresentEmployee>> {
    let now = cx.db.env().clock.now();
    cx.list(paging, move |conn, outlet| store::list_present(conn, outlet, now, paging)).await
}
