//! The staff as a file: `POST /employees/import` and `GET /employees/export`.

use super::void_tokens;
use crate::access::{Cx, Revocations};
use crate::http::intake::{ExportFile, ExportQuery, File, FileFormat, ImportCounts, ImportQuery};
use crate::http::{Query, Result, Updated};
use crate::resources::audit::{self, Entry};
use crate::resources::employees::rules::EmployeeError;
use crate::resources::employees::rules::files::{ExportedEmployee, ImportedEmployee};
use crate::resources::employees::{actions, store};
use crate::resources::outlets;
use axum::extract::State;
use axum::response::Response;
use std::sync::{Arc, OnceLock};
use tiffin_common::Uuid;

/// Takes in a file of employees: all rows or none.
pub async fn import_employees(
    cx: Cx,
    State(revocations): State<Revocations>,
    Query(query): Query<ImportQuery>,
    file: File<ImportedEmployee>,
    ended: actions::Ended,
) -> Result<Updated<ImportCounts>> {
    let file = file.rows(outlets::decimals(&cx).await?)?;
    let (db, dry_run) = (cx.db.clone(), query.dry_run);
    let others: Arc<OnceLock<Vec<Uuid>>> = Arc::default();
    let told = Arc::clone(&others);
    let answer = cx.take_in(&query, move |tx, actor| -> Result<_, EmployeeError> {
        let (done, others) = actions::import(tx, actor, file, ended)?;
        // Set once: the closure runs once.
        let _only = told.set(others);
        Ok(done)
    });
    let answer = answer.await?;
    for employee in others.get().into_iter().flatten().filter(|_| !dry_run) {
        void_tokens(&db, &revocations, *employee).await?;
    }
    Ok(answer)
}

/// Gives the staff as a file. What leaves the house is on record.
pub async fn export_employees(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Response> {
    let staff = cx.read(|conn, outlet| store::list_present(conn, outlet)).await?;
    if query.format == Some(FileFormat::Csv) && !cx.db.is_copy() {
        let (actor, entry) = (cx.actor(), Entry::new("employee.export", "employee", None));
        cx.db.write(move |tx| audit::actions::record(tx, &actor, entry)).await?;
    }
    let items = staff.into_iter().map(ExportedEmployee::from).collect();
    ExportFile { items }.answer(&query, "employees.csv", ExportedEmployee::COLUMNS)
}
