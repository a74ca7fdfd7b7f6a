//! Employees: who works at the outlet, at what wage, and the PIN they are known by. A PIN is never returned and never
//! stored but as a hash; every wage that ever held is kept; whoever has left stays in the history.
//!
//! Nobody changes the PIN or the record of somebody whose account ranks above their own: the PIN is a way to act as them.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

use crate::access::{Permission, delete, get, patch, post, put};
use crate::http::limit::Class;
use crate::state::Routes;

/// `/employees` (contract section 9).
pub fn routes() -> Routes {
    Routes::group(
        "employees",
        [
            get("/employees", Permission::EmployeesRead, api::list_employees)
                .summary("The staff, by code")
                .query::<api::ListEmployees>()
                .lists::<api::EmployeeView>(),
            post("/employees", Permission::EmployeesWrite, api::create_employee)
                .summary("Hire somebody")
                .takes::<api::CreateEmployee>()
                .creates::<api::EmployeeView>(),
            get("/employees/{id}", Permission::EmployeesRead, api::get_employee)
                .summary("One employee")
                .returns::<api::EmployeeView>(),
            patch("/employees/{id}", Permission::EmployeesWrite, api::update_employee)
                .summary("Change an employee's record")
                .takes::<api::UpdateEmployee>()
                .returns::<api::EmployeeView>(),
            delete("/employees/{id}", Permission::EmployeesWrite, api::delete_employee)
                .summary("Let an employee go; the record stays for the history")
                .returns::<api::EmployeeView>(),
            put("/employees/{id}/pin", Permission::EmployeesWrite, api::set_employee_pin)
                .summary("Give an employee a new PIN")
                .takes::<api::SetPin>()
                .returns::<api::EmployeeView>()
                .limited(Class::Pin),
        ],
    )
}
