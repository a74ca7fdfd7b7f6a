//! What is kept of attendance: stays, their punches, and the corrections of these. Never decides anything.

use super::span::Mark;
use super::{EventType, PunchStatus, State};
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

table! {
    /// A planned working shift, as it was when a CLOCK_IN was judged by it.
    #[derive(Copy, PartialEq, Eq)]
    pub struct Planned: attendances {
        /// Its id.
        pub shift_id: Uuid,
        /// When it begins.
        pub start: Millis => scheduled_start,
        /// When it ends.
        pub end: Millis => scheduled_end,
    }
}

table! {
    /// One stay of an employee.
    #[expect(missing_docs, reason = "the columns of attendances")]
    pub struct Attendance: attendances {
        pub id: Uuid,
        pub employee_id: Uuid,
        pub employee_name: String,
        pub business_date: NaiveDate,
        pub planned: Option<Planned> => flat,
        pub state: State,
        pub started_at: Millis,
        pub ended_at: Option<Millis>,
        pub is_disordered: bool,
    }
}

table! {
    /// One punch, with what it has of its attendance.
    #[expect(missing_docs, reason = "the columns of attendance_records")]
    pub struct Record: attendance_records {
        pub id: Uuid,
        pub attendance_id: Uuid,
        pub employee_id: Uuid,
        pub employee_name: String => none,
        pub event: EventType => event_type,
        pub at: Millis,
        pub effective_at: Millis,
        pub status: PunchStatus,
        pub business_date: NaiveDate,
        pub attendance_date: NaiveDate => none,
        pub shift_id: Option<Uuid> => none,
        pub is_manual: bool,
        pub clock_suspect: bool,
        pub needs_review: bool => none,
        pub device: Option<String>,
        pub version: i64,
    }
}

impl Record {
    /// It as a mark of its attendance.
    pub fn mark(&self) -> Mark {
        Mark { event: self.event, at: self.effective_at }
    }
}

table! {
    /// A change of a record's time, or the record's addition.
    #[expect(missing_docs, reason = "the columns of attendance_corrections")]
    pub struct Correction: attendance_corrections {
        pub id: Uuid,
        pub record_id: Uuid,
        pub old_at: Option<Millis>,
        pub new_at: Millis,
        pub reason: String,
        pub by_id: Option<Uuid>,
        pub by_name: String,
        pub approver_id: Option<Uuid>,
        pub approver_name: Option<String>,
        pub business_date: NaiveDate,
        pub at: Millis,
    }
}
