//! What a doctor tells: findings, each with how bad it is and what to do about it. Never looks at anything itself.

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
