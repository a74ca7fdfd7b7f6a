//! Employees with their PINs, and one account per role.

use super::failure::{Result, SampleError, making};
use super::keys::{Keys, known};
use crate::access::{Actor, PinHash, Role};
use crate::cli::sample::data::{Employee, Restaurant};
use crate::db::Tx;
use crate::resources::auth::rules::NewAccount;
use crate::resources::employees::rules::{EmployeeRecord, EmploymentType};
use crate::resources::{auth, employees};
use std::collections::BTreeMap;

/// The hashes the restaurant's people need, made beforehand: hashing takes too long for the writer.
#[derive(Debug, Clone)]
pub struct Hashes {
    /// One per account, in the restaurant's order.
    pub passwords: Vec<String>,
    /// One per employee, in the restaurant's order.
    pub pins: Vec<PinHash>,
}

/// Makes everybody; answers the accounts by role, as actors.
pub(super) fn seed(
    tx: &Tx<'_>,
    actor: &Actor,
    restaurant: &Restaurant,
    hashes: &Hashes,
    skip: &str,
) -> Result<BTreeMap<&'static str, Actor>> {
    let mut people = Keys::new();
    for (employee, pin) in restaurant.employees.iter().zip(&hashes.pins) {
        let record = record(restaurant, employee);
        let id = employees::actions::hire(tx, actor, record).map_err(making(&employee.name))?.id;
        employees::actions::set_pin(tx, actor, id, None, pin).map_err(making(&employee.name))?;
        people.insert(employee.employee_code.clone(), id);
    }
    let mut staff = BTreeMap::new();
    for (account, hash) in restaurant.accounts.iter().zip(&hashes.passwords) {
        if account.email.eq_ignore_ascii_case(skip) {
            continue;
        }
        let role = Role::of_name(&account.role)
            .ok_or_else(|| SampleError(format!("{} is no role", account.role)))?;
        let new = NewAccount {
            email: account.email.clone(),
            name: account.name.clone(),
            role,
            password_hash: hash.clone(),
            employee_id: account.employee.as_deref().map(|code| known(&people, code)).transpose()?,
            // A super-admin works at all outlets.
            outlets: if role == Role::SuperAdmin { Vec::new() } else { vec![actor.outlet_id] },
        };
        let employee_id = new.employee_id;
        let made = auth::actions::create_account(tx, actor, new).map_err(making(&account.email))?;
        let acting = Actor {
            account_id: Some(made.id),
            employee_id,
            name: account.name.clone(),
            role: Some(role),
            ..actor.clone()
        };
        staff.insert(role.name(), acting);
    }
    Ok(staff)
}

fn record(restaurant: &Restaurant, employee: &Employee) -> EmployeeRecord {
    let station = |key: &String| restaurant.stations.iter().find(|s| s.key == *key).map(|s| s.name.clone());
    EmployeeRecord {
        phone: Some(employee.phone.clone()),
        station: employee.station.as_ref().and_then(station),
        hourly_rate: employee.hourly_rate_cents,
        employment_type: EmploymentType::of_name(&employee.employment_type).unwrap_or_default(),
        hired_on: Some(employee.hired_on),
        ..EmployeeRecord::new(&employee.employee_code, &employee.name, &employee.job_title)
    }
}
