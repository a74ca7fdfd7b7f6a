//! A piece of paper to be, and what became of it. Pure.

use crate::paper::Row;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// What a piece of paper is.
    pub enum JobKind {
        /// A bill or receipt.
        Receipt = "RECEIPT",
        /// A kitchen ticket.
        Kitchen = "KITCHEN",
        /// An X or Z report, or the code of a table.
        Report = "REPORT",
        /// No paper: the cash drawer opens.
        Drawer = "DRAWER",
        /// A try.
        Test = "TEST",
    }
}

words! {
    /// Where a piece of paper stands.
    pub enum JobStatus {
        /// Waits; nothing of it has left.
        Queued = "QUEUED",
        /// Bytes have left, and the printer has not said that all came out.
        Sent = "SENT",
        /// Came out; `confirmed` where the printer said so.
        Done = "DONE",
        /// Given up.
        Failed = "FAILED",
        /// Waited too long; it never prints.
        Expired = "EXPIRED",
    }
}

impl JobKind {
    /// Minutes for which it is worth printing.
    pub fn worth_minutes(self) -> i64 {
        match self {
            JobKind::Kitchen => 15,
            JobKind::Receipt | JobKind::Report | JobKind::Test => 5,
            // A drawer that opens by itself later on stands open before nobody.
            JobKind::Drawer => 1,
        }
    }
}

table! {
    /// One piece of paper to be.
    #[expect(missing_docs, reason = "the columns of print_jobs, explained in the schema")]
    pub struct Job: print_jobs {
        pub id: Uuid,
        pub outlet_id: Uuid,
        pub printer_id: Option<Uuid>,
        pub printer_address: String,
        pub kind: JobKind,
        pub ticket_id: Option<Uuid>,
        pub order_id: Option<Uuid>,
        pub rows: Vec<Row> => json document,
        pub language: Option<String>,
        pub copy_number: i64,
        pub created_at: Millis,
        pub expires_at: Millis,
        pub attempts: i64,
        pub sends: i64,
        pub next_attempt_at: Millis,
        pub status: JobStatus,
        pub confirmed: Option<bool>,
        pub cuts_before: Option<i64>,
        pub fell_back_from: Option<String>,
        pub last_error: Option<String>,
        pub done_at: Option<Millis>,
    }
}

impl Job {
    /// Whether bytes of an earlier attempt may have reached the paper.
    pub fn may_be_printed(&self) -> bool {
        self.status == JobStatus::Sent
    }

    /// The rows as they go out now: what may exist already says that it is a copy, and what another printer should have printed says so.
    pub fn sheet(&self) -> Vec<Row> {
        let mut sheet = Vec::with_capacity(self.rows.len().saturating_add(3));
        let copy = self.copy_number.saturating_add(self.sends);
        if copy > 0 {
            sheet.push(Row::Reverse(format!("COPY {copy}")));
        }
        if self.sends > 0 {
            sheet.push(Row::Centre("The first may have come out".into()));
        }
        if let Some(printer) = &self.fell_back_from {
            sheet.push(Row::Pair("Instead of".into(), printer.clone()));
        }
        sheet.extend(self.rows.iter().cloned());
        sheet
    }
}

/// What is to be printed.
#[derive(Debug, Clone)]
pub struct Paper {
    /// What it is.
    pub kind: JobKind,
    /// What it says, its fixed words in English.
    pub rows: Vec<Row>,
    /// The language of its fixed words; none: as its printer has it.
    pub language: Option<String>,
    /// The ticket it is.
    pub ticket_id: Option<Uuid>,
    /// The order it is about.
    pub order_id: Option<Uuid>,
    /// COPY n; 0 for the first.
    pub copy_number: i64,
}

/// Where paper goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The printer; none where only a station names its address.
    pub printer_id: Option<Uuid>,
    /// Its address, which names its queue.
    pub address: String,
    /// Minutes for which its paper is worth printing, where it has its own.
    pub expires_minutes: Option<i64>,
}
