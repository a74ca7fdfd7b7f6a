//! `/print-jobs`.

use crate::access::Cx;
use crate::http::{Data, Id, Paged, Paging, Query, Result, several};
use crate::resources::printers::rules::{Job, JobKind, JobStatus, PrinterError};
use crate::resources::printers::store::{self, JobFilter};
use tiffin_common::{Millis, Uuid};

view! {
    /// A piece of paper and what became of it.
    pub struct PrintJob of job: Job {
        id: Uuid,
        /// The printer; null where only a station names its address.
        printer_id: Option<Uuid>,
        /// Where it goes.
        printer_address: String,
        /// What it is: a receipt, a ticket, a report, the drawer that opens, or a try.
        kind: JobKind,
        /// QUEUED waits; of SENT bytes have left; DONE came out; FAILED was given up; EXPIRED waited too long.
        status: JobStatus,
        /// Of DONE: the printer itself said so. Null before.
        confirmed: Option<bool>,
        /// The kitchen ticket it is.
        ticket_id: Option<Uuid>,
        order_id: Option<Uuid>,
        /// COPY n, as it was asked for; 0 for the first.
        copy_number: i64,
        /// Failed attempts so far.
        tries: i64 = job.attempts,
        /// What kept it from coming out when it was last tried.
        last_error: Option<String>,
        /// The printer it was meant for, where its fallback prints it.
        fell_back_from: Option<String>,
        created_at: Millis,
        /// When it is too old to print by itself.
        expires_at: Millis,
        /// When it came out.
        done_at: Option<Millis>,
    }
}

/// Which pieces of paper.
#[apply(request!)]
pub struct ListPrintJobs {
    /// Only of this printer.
    printer_id: Option<Uuid>,
    /// Only about this order.
    order_id: Option<Uuid>,
    /// Only those that stand there, or at one of these, with commas between them.
    #[schemars(length(max = 100))]
    status: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Paper and what became of it, the newest first. What is older than two days is forgotten.
pub async fn list_print_jobs(cx: Cx, Query(query): Query<ListPrintJobs>) -> Result<Paged<PrintJob>> {
    let ListPrintJobs { printer_id, order_id, status, paging } = query;
    let statuses = several("status", status.as_deref(), JobStatus::of_name, JobStatus::ALL)?;
    let filter = JobFilter { printer_id, order_id, statuses };
    cx.list(paging, move |conn, outlet| store::list_jobs(conn, outlet, &filter, paging)).await
}

/// One piece of paper.
pub async fn get_print_job(cx: Cx, Id(id): Id) -> Result<Data<PrintJob>> {
    let found = cx.read(move |conn, outlet| store::find_job(conn, outlet, id)).await?;
    Ok(Data::new(found.ok_or(PrinterError::NotFound("print job"))?.into()))
}
