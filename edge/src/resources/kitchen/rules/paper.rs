//! A piece of paper to be. Pure.

use super::JobStatus;
use tiffin_common::{Millis, Uuid};

/// What `last_error` says while bytes are on their way: found after a crash, the paper may exist.
pub const SENDING: &str = "sending";

table! {
    /// One piece of paper to be.
    #[expect(missing_docs, reason = "the columns of print_jobs")]
    pub struct Job: print_jobs {
        pub id: Uuid,
        pub outlet_id: Uuid,
        pub printer_address: String,
        pub ticket_id: Option<Uuid>,
        pub payload: Vec<u8>,
        pub created_at: Millis,
        pub expires_at: Millis,
        pub attempts: i64,
        pub next_attempt_at: Millis,
        pub status: JobStatus,
        pub last_error: Option<String>,
    }
}

impl Job {
    /// Whether bytes of an earlier attempt may have reached the paper.
    pub fn may_be_printed(&self) -> bool {
        self.last_error.as_deref().is_some_and(|error| error.starts_with(SENDING))
    }
}
