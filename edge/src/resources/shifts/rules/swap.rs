//! A swap: two colleagues agree that shifts change hands, a planner approves it. Pure.

use super::{Result, ShiftError, check_move};
use tiffin_common::{Millis, Uuid, words};

words! {
    /// What changes hands.
    pub enum SwapKind {
        /// One shift for another.
        Swap = "SWAP",
        /// One shift for nothing.
        GiveAway = "GIVE_AWAY",
    }
}

words! {
    /// How far a swap has come.
    pub enum SwapStatus {
        /// The colleague is asked.
        Requested = "REQUESTED",
        /// The colleague agrees; a planner is asked.
        Accepted = "ACCEPTED",
        /// The shifts have changed hands.
        Approved = "APPROVED",
        /// The colleague or a planner said no.
        Rejected = "REJECTED",
        /// Whoever asked took it back, or a shift of it changed.
        Cancelled = "CANCELLED",
    }
}

impl SwapStatus {
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
    pub fn check_move(self, to: SwapStatus) -> Result<()> {
        check_move("A swap", self, to, self.allowed()).map_err(ShiftError::Transition)
    }
}

table! {
    /// A swap, as kept.
    #[expect(missing_docs, reason = "the columns of shift_swaps")]
    pub struct Swap: shift_swaps {
        pub id: Uuid,
        pub kind: SwapKind,
        pub status: SwapStatus,
        pub from_shift_id: Uuid,
        pub from_employee_id: Uuid,
        pub to_employee_id: Uuid,
        pub to_shift_id: Option<Uuid>,
        pub note: Option<String>,
        pub requested_at: Millis,
        pub accepted_at: Option<Millis>,
        pub decided_at: Option<Millis>,
        pub decided_by_name: Option<String>,
        pub decision_reason: Option<String>,
        pub version: i64,
    }
}

impl Swap {
    /// Whether `employee` asked or is asked.
    pub fn involves(&self, employee: Option<Uuid>) -> bool {
        employee.is_some_and(|id| id == self.from_employee_id || id == self.to_employee_id)
    }
}
