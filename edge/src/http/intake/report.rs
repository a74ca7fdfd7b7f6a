//! What came of the rows of a file: what was made and changed, and every offending cell by its row and column. Never writes.

use super::{Place, Row, Rows, member};
use crate::db::{DbError, Tx};
use crate::http::error::FieldError;
use crate::http::refusals::Refused;
use std::collections::HashSet;

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// It is a new record.
    Created,
    /// It changed one that was there.
    Updated,
    /// It says what was there already.
    Unchanged,
}

impl Did {
    /// What a change from `before` to `after` is.
    pub fn change<T: PartialEq>(before: &T, after: &T) -> Did {
        if before == after { Did::Unchanged } else { Did::Updated }
    }
}

/// What an import did, or would do.
#[apply(figures!)]
#[derive(Default)]
pub struct ImportCounts {
    /// Records in the file.
    pub rows: usize,
    /// Those that are new.
    pub created: usize,
    /// Those that were there and changed.
    pub updated: usize,
    /// Those that were so already.
    pub unchanged: usize,
    /// Headers of a CSV file that mean no field: their cells were not read.
    pub ignored_columns: Vec<String>,
}

impl ImportCounts {
    /// Whether anything is otherwise than before.
    pub fn is_change(&self) -> bool {
        self.created + self.updated > 0
    }
}

/// What is known while rows are worked off.
#[derive(Debug, Default)]
pub struct Report {
    found: Vec<(usize, FieldError)>,
    named: HashSet<String>,
    /// Members that a row is worked off without, since something in them cannot be read: by the row's place, and its name for them.
    unread: HashSet<(usize, String)>,
    counts: ImportCounts,
}

impl Report {
    /// A report that begins with what is wrong with the form of the rows, and the rows.
    pub fn begin<T>(file: Rows<T>) -> (Report, Vec<Row<T>>) {
        let counts = ImportCounts { ignored_columns: file.ignored, ..ImportCounts::default() };
        let mut report = Report { counts, ..Report::default() };
        for (place, fields) in file.found {
            let members: Vec<String> = fields.iter().map(|field| member(&field.name).to_owned()).collect();
            report.note(&place, fields);
            report.unread.extend(members.into_iter().map(|member| (place.order, member)));
        }
        (report, file.rows)
    }

    /// Notes what is wrong with a row; a cell is named once, and not that it lacks what could not be read.
    pub fn note(&mut self, place: &Place, fields: Vec<FieldError>) {
        for field in fields {
            if self.unread.contains(&(place.order, field.name.clone())) {
                continue;
            }
            let name = place.of(&field.name);
            if self.named.insert(name.clone()) {
                self.found.push((place.order, FieldError::new(name, field.reason)));
            }
        }
    }

    /// Counts a row in.
    pub fn count(&mut self, did: Did) {
        self.counts.rows += 1;
        match did {
            Did::Created => self.counts.created += 1,
            Did::Updated => self.counts.updated += 1,
            Did::Unchanged => self.counts.unchanged += 1,
        }
    }

    /// Works off a row; answers whether it stands. What it refuses is noted and undone, and so is a row that cannot be read whole; the rows
    /// after it are worked off all the same, so that all that is wrong is named at once.
    ///
    /// # Errors
    /// What is no row's fault.
    pub fn take<T, E: Refused + From<DbError>>(
        &mut self,
        tx: &Tx<'_>,
        row: Row<T>,
        work: impl FnOnce(&Place, T) -> Result<Did, E>,
    ) -> Result<bool, E> {
        let Row { place, item, is_broken } = row;
        let work = || work(&place, item);
        let outcome = if is_broken { tx.rehearse(work) } else { tx.attempt(work) };
        match outcome {
            Ok(did) => {
                self.count(did);
                Ok(!is_broken)
            }
            Err(refusal) => {
                self.note(&place, refusal.into_fields()?);
                Ok(false)
            }
        }
    }

    /// What was done.
    ///
    /// # Errors
    /// Every offending cell, in the order of the rows.
    pub fn finish(mut self) -> Result<ImportCounts, Vec<FieldError>> {
        if self.found.is_empty() {
            return Ok(self.counts);
        }
        self.found.sort_by_key(|(order, _)| *order);
        Err(self.found.into_iter().map(|(_, field)| field).collect())
    }
}
