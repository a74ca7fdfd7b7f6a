//! What may be wrong with a box, and what to do about it, for the person who stands before it with a phone. Works while the server
//! runs and while it does not. Never changes anything: a file that proves that the disk takes writes is gone when it is told.

pub mod backups;
pub mod certificate;
pub mod clock;
pub mod database;
pub mod disk;
mod finding;
pub mod network;
mod office;
mod patient;
mod printers;
pub mod rights;
pub mod service;

pub use finding::{Finding, Level, Report};
pub use patient::open_to_read;

use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::space;
use crate::sync::Enrolment;
use patient::Patient;

/// Looks at the box of `config`. May take as long as reading the whole database does.
pub async fn examine(config: &Config, env: &Env) -> Report {
    let data = DataDir::at(&config.store.data_dir);
    let served = data.is_served();
    let mut findings = Vec::new();
    let enrolment = Enrolment::load(data.path()).unwrap_or_else(|error| {
        let advice = "Give the file back to the server's user, or enrol the box again: edge enroll";
        findings.push(Finding::broken("head-office", format!("secrets/hub.key: {error}"), advice));
        None
    });
    let patient = Patient { config, data, env, served, enrolment };
    findings.extend(service::examine("tiffin-edge", patient.served));
    findings.extend(disk::examine(patient.data.path(), &space::room(patient.data.path(), config.room)));
    findings.extend(rights::examine(patient.data.path(), &["secrets", "tls"]));
    let mut newest = None;
    match database::open(&patient) {
        Err(finding) => findings.push(finding),
        Ok(conn) => {
            findings.extend(database::examine(&conn));
            newest = database::newest_moment(&conn);
            findings.extend(printers::examine(&conn, env));
            findings.extend(office::standing(&conn, &patient));
        }
    }
    findings.extend(backups::examine(&patient));
    findings.extend(network::examine(config.network.listen, patient.served).await);
    findings.extend(certificate::examine(&config.network.tls, patient.data.path(), env));
    let (told, office_clock) = office::reach(&patient).await;
    findings.extend(told);
    findings.extend(clock::examine(env, newest, office_clock));
    Report::of(findings)
}

#[cfg(test)]
mod tests;
