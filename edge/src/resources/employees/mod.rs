//! Employees: who works at the outlet, at what wage, and the PIN they are known by. A PIN is never returned and never
//! stored but as a hash; every wage that ever held is kept; whoever has left stays in the history.
//!
//! The papers of the staff (contracts, certificates) are kept with their content in the same database: a paper and its record are
//! written by one transaction and saved by one backup. The content stays on this box; only the record is in the change log.
//!
//! Nobody changes the PIN or the record of somebody who does not stand below them, nor their own wage and standing: the PIN is a way to
//! act as them. PINs are set by `auth`, which counts what was tried.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;

use crate::access::{Cx, Permission, Revocations, delete, get, patch, post};
use crate::http::intake::{ExportFile, File, ImportQuery};
use crate::http::{Id, Json, Query};
use crate::state::Routes;
use actions::Ended;
use axum::extract::State;
use rules::files::{ExportedEmployee, ImportedEmployee};

/// `/employees` (contract section 9).
pub fn routes(ended: Ended) -> Routes {
    let update = move |cx: Cx, ends: State<Revocations>, id: Id, body: Json<api::UpdateEmployee>| {
        api::update_employee(cx, ends, id, body, ended)
    };
    let remove = move |cx: Cx, ends: State<Revocations>, id: Id| api::delete_employee(cx, ends, id, ended);
    let import =
        move |cx: Cx, ends: State<Revocations>, query: Query<ImportQuery>, file: File<ImportedEmployee>| {
            api::files::import_employees(cx, ends, query, file, ended)
        };
    Routes::group(
        "employees",
        [
            post("/employees/import", Permission::EmployeesWrite, import)
                .summary("Take in employees as JSON or text/csv; all rows or none, every bad cell named"),
            get("/employees/export", Permission::EmployeesWrite, api::files::export_employees)
                .summary("The staff in the form that import takes, as JSON or CSV")
                .returns::<ExportFile<ExportedEmployee>>()
                .or_produces(&["text/csv"]),
            get("/employees", Permission::EmployeesRead, api::list_employees).summary("The staff, by code"),
            post("/employees", Permission::EmployeesWrite, api::create_employee).summary("Hire somebody"),
            get("/employees/{id}", Permission::EmployeesRead, api::get_employee).summary("One employee"),
            patch("/employees/{id}", Permission::EmployeesWrite, update)
                .summary("Change an employee's record"),
            delete("/employees/{id}", Permission::EmployeesWrite, remove)
                .summary("Let an employee go; the record stays for the history"),
            get("/employees/{id}/wages", Permission::EmployeesRead, api::wages::list_wages)
                .summary("Every wage an employee ever had, newest first"),
            get("/employees/{id}/documents", Permission::EmployeesRead, api::documents::list_documents)
                .summary("The papers of an employee, newest first"),
            post("/employees/{id}/documents", Permission::EmployeesWrite, api::documents::upload_document)
                .summary("File a paper of an employee: PDF, JPEG or PNG, at most 10 MiB")
                .takes_as::<api::documents::UploadDocument>("multipart/form-data"),
            get(
                "/employees/{id}/documents/{documentId}",
                Permission::EmployeesRead,
                api::documents::download_document,
            )
            .summary("The paper itself")
            .produces("application/pdf")
            .or_produces(&["image/jpeg", "image/png"]),
            delete(
                "/employees/{id}/documents/{documentId}",
                Permission::EmployeesWrite,
                api::documents::delete_document,
            )
            .summary("Take a paper out of the file; the audit log remembers that it was there"),
        ],
    )
}
