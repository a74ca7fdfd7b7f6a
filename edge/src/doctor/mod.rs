//! What may be wrong with a box, and what to do about it, for the person who stands before it with a phone. Works while the server
//! runs and while it does not. Never changes anything: a file that proves that the disk takes writes is gone when it is told.

pub mod backups;
pub mod certificate;
pub mod clock;
pub mod database;
pub mod disk;
pub mod network;
mod office;
mod printers;
pub mod rights;
pub mod service;

use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::keep::space;
use crate::sync::Enrolment;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use std::io::Write;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// As it should be.
    Ok,
    /// It works, and somebody should see to it.
    Warn,
    /// Something does not work, or will soon lose data.
    Broken,
}

impl Level {
    /// The exit code of a doctor whose worst finding this is.
    pub fn exit_code(self) -> u8 {
        match self {
            Level::Ok => 0,
            Level::Warn => 1,
            Level::Broken => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Level::Ok => "OK",
            Level::Warn => "WARN",
            Level::Broken => "BROKEN",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, in a word.
    pub check: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What to do about it; none where all is well.
    pub advice: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn ok(check: &'static str, found: impl Into<String>) -> Finding {
        Finding { check, level: Level::Ok, found: found.into(), advice: None }
    }

    /// Somebody should see to it.
    pub fn warn(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { check, level: Level::Warn, found: found.into(), advice: Some(advice.into()) }
    }

    /// It does not work.
    pub fn broken(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { check, level: Level::Broken, found: found.into(), advice: Some(advice.into()) }
    }
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The worst of all.
    pub level: Level,
    /// One by one, in the order in which they were looked at.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Of `findings`.
    pub fn of(findings: Vec<Finding>) -> Report {
        let level = findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Ok);
        Report { level, findings }
    }

    /// Writes it: for a person, or as JSON for a program.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write(&self, out: &mut dyn Write, as_json: bool) -> std::io::Result<()> {
        if as_json {
            serde_json::to_writer_pretty(&mut *out, self)?;
            return writeln!(out);
        }
        for Finding { check, level, found, advice } in &self.findings {
            writeln!(out, "{:6}  {check:12}  {found}", level.name())?;
            for line in advice.iter().flat_map(|advice| advice.lines()) {
                writeln!(out, "{:22}> {line}", "")?;
            }
        }
        let count = |level| self.findings.iter().filter(|finding| finding.level == level).count();
        match (count(Level::Broken), count(Level::Warn)) {
            (0, 0) => writeln!(out, "All is well."),
            (broken, warned) => writeln!(out, "{broken} broken, {warned} to see to."),
        }
    }
}

/// The box that is looked at.
pub(crate) struct Patient<'c> {
    config: &'c Config,
    data: DataDir,
    env: &'c Env,
    /// Whether a server has it open.
    served: bool,
    enrolment: Option<Enrolment>,
}

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

/// Opens a database for looking only.
///
/// # Errors
/// Whatever SQLite reports.
pub fn open_to_read(path: &std::path::Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    // Opening alone reads nothing.
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(conn)
}

#[cfg(test)]
mod tests;
