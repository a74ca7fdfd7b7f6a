//! A swap: two colleagues agree that shifts change hands, a planner approves it. Pure.

use super::{Shift, ShiftError, ShiftType};
use chrono::{NaiveDate, NaiveTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// What changes hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SwapKind {
    /// One shift for another.
    Swap,
    /// One shift for nothing.
    GiveAway,
}

impl SwapKind {
    /// The name that clients see and the database holds.
    pub fn name(self) -> &'static str {
        match self {
            SwapKind::Swap => "SWAP",
            SwapKind::GiveAway => "GIVE_AWAY",
        }
    }

    /// The kind of that name.
    pub fn of_name(name: &str) -> Option<SwapKind> {
        [SwapKind::Swap, SwapKind::GiveAway].into_iter().find(|kind| kind.name() == name)
    }
}

/// How far a swap has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SwapStatus {
    /// The colleague is asked.
    Requested,
    /// The colleague agrees; a planner is asked.
    Accepted,
    /// The shifts have changed hands.
    Approved,
    /// The colleague or a planner said no.
    Rejected,
    /// Whoever asked took it back, or a shift of it changed.
    Cancelled,
}

impl SwapStatus {
    const ALL: [SwapStatus; 5] = [
        SwapStatus::Requested,
        SwapStatus::Accepted,
        SwapStatus::Approved,
        SwapStatus::Rejected,
        SwapStatus::Cancelled,
    ];

    /// The name that clients see and the database holds.
    pub fn name(self) -> &'static str {
        match self {
            SwapStatus::Requested => "REQUESTED",
            SwapStatus::Accepted => "ACCEPTED",
            SwapStatus::Approved => "APPROVED",
            SwapStatus::Rejected => "REJECTED",
            SwapStatus::Cancelled => "CANCELLED",
        }
    }

    /// The status of that name.
    pub fn of_name(name: &str) -> Option<SwapStatus> {
        SwapStatus::ALL.into_iter().find(|status| status.name() == name)
    }

    /// What may become of a swap in this state.
    pub fn allowed(self) -> &'static [SwapStatus] {
        match self {
            SwapStatus::Requested => &[SwapStatus::Accepted, SwapStatus::Rejected, SwapStatus::Cancelled],
            SwapStatus::Accepted => &[SwapStatus::Approved, SwapStatus::Rejected, SwapStatus::Cancelled],
            SwapStatus::Approved | SwapStatus::Rejected | SwapStatus::Cancelled => &[],
        }
    }

    /// Refuses what may not become of a swap in this state, naming what may.
    ///
    /// # Errors
    /// [`ShiftError::Transition`].
    pub fn check_move(self, to: SwapStatus) -> Result<(), ShiftError> {
        if self.allowed().contains(&to) {
            return Ok(());
        }
        let allowed: Vec<&str> = self.allowed().iter().map(|status| status.name()).collect();
        let allowed = if allowed.is_empty() { "nothing: it is settled".into() } else { allowed.join(", ") };
        let (from, to) = (self.name(), to.name());
        Err(ShiftError::Transition(format!("A swap that is {from} cannot become {to}; allowed: {allowed}")))
    }
}

/// A shift of a swap, as it is now; also once it was taken off the roster.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of shifts that both sides need")]
pub struct SwapShift {
    pub id: Uuid,
    pub date: NaiveDate,
    pub shift_type: ShiftType,
    pub start: Option<NaiveTime>,
    pub end: Option<NaiveTime>,
    pub station: Option<String>,
}

impl From<&Shift> for SwapShift {
    fn from(shift: &Shift) -> Self {
        SwapShift {
            id: shift.id,
            date: shift.date,
            shift_type: shift.shift_type,
            start: shift.start,
            end: shift.end,
            station: shift.station.clone(),
        }
    }
}

/// A swap, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of shift_swaps")]
pub struct Swap {
    pub id: Uuid,
    pub kind: SwapKind,
    pub status: SwapStatus,
    pub from_shift: SwapShift,
    pub from_employee_id: Uuid,
    pub to_employee_id: Uuid,
    pub to_shift: Option<SwapShift>,
    pub note: Option<String>,
    pub requested_at: Millis,
    pub accepted_at: Option<Millis>,
    pub decided_at: Option<Millis>,
    pub decided_by_name: Option<String>,
    pub decision_reason: Option<String>,
    pub version: i64,
}

impl Swap {
    /// Whether `employee` asked or is asked.
    pub fn involves(&self, employee: Option<Uuid>) -> bool {
        employee.is_some_and(|id| id == self.from_employee_id || id == self.to_employee_id)
    }
}
