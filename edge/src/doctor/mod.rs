//! What may be wrong with a box, and what to do about it, for the person who stands before it with a phone. Works while the server
//! runs and while it does not. Never changes anything: a file that proves that the disk takes writes is gone when it is told.

pub mod backups;
pub mod certificate;
pub mod clock;
pub mod database;
mod devices;
pub mod disk;
mod finding;
mod growth;
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
use crate::sync::Enrolment;
use crate::{secrets, space};
use patient::Patient;

/// Looks at the box of `config`. May take as long as reading the whole database does.
pub async fn examine(config: &Config, env: &Env) -> Report {
    let data = DataDir::at(&config.store.data_dir);
    // Also the one that waits to be set up.
    let served = data.is_served() || data.setup_link().is_some();
    let mut findings = Vec::new();
    let enrolment = Enrolment::load(data.path()).unwrap_or_else(|error| {
        let advice = "Give the file back to the server's user, or enrol the box again: edge enroll";
        findings.push(Finding::broken("head-office", format!("secrets/hub.key: {error}"), advice));
        None
    });
    findings.extend(patient_secrets(&data));
    let patient = Patient { config, data, env, served, enrolment };
    findings.extend(service::examine("tiffin-edge", patient.served));
    findings.extend(disk::examine(patient.data.path(), &space::room(patient.data.path(), config.room)));
    findings.extend(rights::examine(patient.data.path(), &["secrets", "tls"]));
    let (mut newest, mut named) = (None, None);
    match database::open(&patient) {
        Err(finding) => findings.push(finding),
        Ok(conn) => {
            findings.extend(database::examine(&conn));
            let room = space::room(patient.data.path(), config.room);
            findings.push(growth::examine(&conn, &room, env.clock.now()));
            newest = database::newest_moment(&conn);
            named = Some(printers::known(&conn));
            findings.extend(printers::waiting(&conn, env));
            findings.extend(devices::examine(&conn, env));
            findings.extend(office::standing(&conn, &patient));
        }
    }
    match named {
        Some(Ok(known)) => findings.extend(printers::examine(known, &config.printers).await),
        Some(Err(finding)) => findings.push(finding),
        None => {}
    }
    if patient.data.setup_link().is_none() {
        findings.extend(backups::examine(&patient));
    }
    findings.extend(network::examine(config.network.listen, patient.served).await);
    findings.extend(certificate::examine(&config.network.tls, patient.data.path(), env));
    let (found, office_clock) = office::reach(&patient).await;
    findings.extend(found);
    findings.extend(clock::examine(env, newest, office_clock));
    Report::of(findings)
}

/// The secrets of a branch: where they are gone, nobody knows a PIN any more.
fn patient_secrets(data: &DataDir) -> Option<Finding> {
    let is_lost = data.is_initialised() && !secrets::are_there(data.path());
    is_lost.then(|| {
        let advice = "Is the disk they were on mounted? Where they were kept apart: edge restore --secrets FILE. Lost for good: \
            edge restore --new-secrets; then every PIN is set anew.";
        Finding::broken("secrets", "the secrets of this box are gone: no PIN is known", advice)
    })
}

#[cfg(test)]
mod tests;
