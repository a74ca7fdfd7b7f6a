//! Printers, paper and what stands on receipts, over HTTP.

mod jobs;
mod layout;
mod printers;

pub use jobs::PrintJob;
pub(super) use jobs::{get_print_job, list_print_jobs};
pub(super) use layout::{get_layout, update_layout};
pub(super) use printers::{
    create_printer, delete_printer, get_printer, list_printers, test_printer, update_printer,
};

use super::rules::PrinterError;
use crate::http::{Code, Problem};

answered! {
    PrinterError of "printer" {
        PrinterError::Conflict(why) => Problem::new(Code::Conflict).detail(why),
    }
}
