//! Everything a branch knows as one archive that other programs read: each table as CSV and as JSON Lines, the staff's papers as
//! files, and a manifest that counts the rows. Row by row from one snapshot, so memory stays bounded. Never a secret in it.

mod cells;
mod columns;

pub use columns::{LEFT_OUT, LEFT_OUT_COLUMNS, NOT_SENT};

use crate::backup::BackupError;
use crate::backup::packing::{self, at};
use crate::backup::{Contents, copying};
use crate::db::{DbError, Env, Row, Source, list, opt};
use crate::exchange::is_filling;
use crate::http::csv::harmless;
use crate::root::{as_root, give};
use columns::Shape;
use rusqlite::Connection;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tiffin_common::{Millis, Uuid};
use zip::write::{SimpleFileOptions, ZipWriter};

/// What is said to a person who opens the archive.
const ABOUT: &str = include_str!("about.txt");

/// Why there is no archive. The text is for the person who wanted one.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The database cannot be read, or the file not written.
    #[error(transparent)]
    Read(#[from] BackupError),
    /// A row cannot be read.
    #[error("the database cannot be read: {0}")]
    Rows(#[from] DbError),
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Write(String),
    /// Something is there already.
    #[error("{} is there already", .0.display())]
    Taken(PathBuf),
}

impl From<rusqlite::Error> for ExportError {
    fn from(error: rusqlite::Error) -> Self {
        ExportError::Read(error.into())
    }
}

impl From<zip::result::ZipError> for ExportError {
    fn from(error: zip::result::ZipError) -> Self {
        ExportError::Write(error.to_string())
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        ExportError::Write(error.to_string())
    }
}

/// What is in the archive, as its `manifest.json` says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    format: &'static str,
    /// The outlet.
    outlet_id: Uuid,
    outlet_code: String,
    /// When the snapshot was taken.
    taken_at: Millis,
    /// The version of the program, and of the schema.
    version: &'static str,
    schema: u32,
    /// Whether rows of before this box were still coming from head office: they are not in it.
    pub filling: bool,
    /// Every table.
    pub tables: Vec<Table>,
    /// Papers of the staff, below `documents/`.
    pub documents: u64,
    left_out: Vec<LeftOut>,
}

/// One table of the archive.
#[derive(Debug, Serialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// How many rows each of its two files has.
    pub rows: u64,
    csv: String,
    jsonl: String,
    columns: Vec<String>,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    name: String,
    why: &'static str,
}

/// Where the rows of an archive come from: one state of one outlet.
pub struct Origin<'o> {
    /// Answers texts over the branch's tables, all of them from one snapshot.
    pub rows: &'o dyn Source,
    /// A database of the branch's schema, for the names and types of tables and columns.
    pub schema: &'o Connection,
    /// Whose rows, and of which version of the schema.
    pub of: Contents,
    /// Whether it is head office's copy, which lacks [`NOT_SENT`].
    pub is_copy: bool,
}

/// Writes the branch's database at `database`, which may be in use, to the new archive `to`.
///
/// # Errors
/// See [`ExportError`]. Nothing is left at `to` then.
pub fn write(database: &Path, to: &Path, env: &Env) -> Result<Manifest, ExportError> {
    let conn = copying::reading(database)?;
    // One state of everything, however long it takes.
    let snapshot = conn.unchecked_transaction()?;
    let of = copying::contents_of(&snapshot, database)?;
    write_from(&Origin { rows: &*snapshot, schema: &snapshot, of, is_copy: false }, to, env)
}

/// Writes what `from` has to the new archive `to`.
///
/// # Errors
/// See [`ExportError`]. Nothing is left at `to` then.
pub fn write_from(from: &Origin<'_>, to: &Path, env: &Env) -> Result<Manifest, ExportError> {
    if as_root(|| to.exists()) {
        return Err(ExportError::Taken(to.to_owned()));
    }
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(".making");
    let making = to.with_file_name(name);
    let written = archive(from, &making, env);
    match &written {
        Ok(_) => as_root(|| packing::settle(&making, to))?,
        // What cannot be removed says by its name what it is.
        Err(_) => drop(as_root(|| fs::remove_file(&making))),
    }
    give(to);
    written
}

fn archive(from: &Origin<'_>, making: &Path, env: &Env) -> Result<Manifest, ExportError> {
    let mut archive = Archive { zip: ZipWriter::new(as_root(|| packing::create(making))?), env };
    let mut tables = Vec::new();
    for name in columns::tables(from.schema, from.is_copy)? {
        tables.push(archive.table(from, &name)?);
    }
    let documents = if from.is_copy { 0 } else { archive.documents(from.rows)? };
    let manifest = Manifest {
        format: "tiffin-export/1",
        outlet_id: from.of.outlet,
        outlet_code: from.of.code.clone(),
        taken_at: env.clock.now(),
        version: env!("CARGO_PKG_VERSION"),
        schema: from.of.schema,
        filling: !from.is_copy && is_filling(from.rows)?,
        tables,
        documents,
        left_out: left_out(from.is_copy),
    };
    archive.file("README.txt")?.write_all(ABOUT.as_bytes())?;
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::from)?;
    archive.file("manifest.json")?.write_all(&text)?;
    let file: File = archive.zip.finish()?;
    file.sync_all().map_err(at(making))?;
    Ok(manifest)
}

fn left_out(is_copy: bool) -> Vec<LeftOut> {
    let not_sent = if is_copy { NOT_SENT } else { &[] };
    let others = LEFT_OUT.iter().filter(|(table, _)| !not_sent.iter().any(|(other, _)| other == table));
    let tables = others.chain(not_sent).map(|(table, why)| LeftOut { name: (*table).to_owned(), why });
    let columns = LEFT_OUT_COLUMNS
        .iter()
        .map(|(table, column, why)| LeftOut { name: format!("{table}.{column}"), why });
    tables.chain(columns).collect()
}

struct Archive<'e> {
    zip: ZipWriter<File>,
    env: &'e Env,
}

impl Archive<'_> {
    /// Begins the next file.
    fn file(&mut self, name: &str) -> Result<&mut ZipWriter<File>, ExportError> {
        // Any table may be larger than 4 GiB.
        let options = SimpleFileOptions::default().large_file(true).unix_permissions(0o600);
        let now = self.env.clock.now().to_utc();
        let modified = columns::zip_time(now);
        self.zip.start_file(name, modified.map_or(options, |time| options.last_modified_time(time)))?;
        Ok(&mut self.zip)
    }

    /// Writes both files of a table.
    fn table(&mut self, from: &Origin<'_>, name: &str) -> Result<Table, ExportError> {
        let shape = columns::of(from.schema, name)?;
        let (csv, jsonl) = (format!("csv/{name}.csv"), format!("jsonl/{name}.jsonl"));
        let sql = shape.select(name);
        let rows = write_csv(from.rows, &sql, &shape, self.file(&csv)?)?;
        write_lines(from.rows, &sql, &shape, self.file(&jsonl)?)?;
        let columns = shape.columns.into_iter().map(|column| column.name).collect();
        Ok(Table { name: name.to_owned(), rows, csv, jsonl, columns })
    }

    /// Writes the staff's papers, each as the file it was.
    fn documents(&mut self, from: &dyn Source) -> Result<u64, ExportError> {
        const ALL: &str = "SELECT document_id FROM employee_document_contents ORDER BY document_id";
        const ONE: &str = "SELECT content FROM employee_document_contents WHERE document_id = ?1";
        let ids = list(from, ALL, [], |row| row.get::<_, Uuid>(0))?;
        for id in &ids {
            let content = opt(from, ONE, [id], |row| row.get::<_, Vec<u8>>(0))?.unwrap_or_default();
            self.file(&format!("documents/{id}{}", cells::ending(&content)))?.write_all(&content)?;
        }
        Ok(u64::try_from(ids.len()).unwrap_or(u64::MAX))
    }
}

/// Hands every row of `sql` to `write`, one at a time.
fn each_row(
    from: &dyn Source,
    sql: &str,
    mut write: impl FnMut(&Row<'_>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut refused = None;
    from.rows(sql, &[], &mut |row| {
        refused = write(row).err();
        Ok(refused.is_none())
    })?;
    refused.map_or(Ok(()), Err)
}

fn write_csv(from: &dyn Source, sql: &str, shape: &Shape, to: &mut impl Write) -> Result<u64, ExportError> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(to);
    let wrong = |error: csv::Error| ExportError::Write(error.to_string());
    writer.write_record(shape.columns.iter().map(|column| &column.name)).map_err(wrong)?;
    let mut count = 0;
    each_row(from, sql, |row| {
        for (place, column) in shape.columns.iter().enumerate() {
            let cell = cells::text(column.kind, row.get_ref(place)?);
            writer.write_field(harmless(&cell).as_bytes()).map_err(wrong)?;
        }
        count += 1;
        writer.write_record(None::<&[u8]>).map_err(wrong)
    })?;
    writer.flush()?;
    Ok(count)
}

fn write_lines(from: &dyn Source, sql: &str, shape: &Shape, to: &mut impl Write) -> Result<(), ExportError> {
    // The archive compresses, but every write to it costs.
    let mut to = io::BufWriter::new(to);
    each_row(from, sql, |row| {
        for (place, column) in shape.columns.iter().enumerate() {
            to.write_all(if place == 0 { b"{" } else { b"," })?;
            serde_json::to_writer(&mut to, &column.name).map_err(io::Error::from)?;
            to.write_all(b":")?;
            let value = cells::json(column.kind, row.get_ref(place)?);
            serde_json::to_writer(&mut to, &value).map_err(io::Error::from)?;
        }
        Ok(to.write_all(b"}\n")?)
    })?;
    to.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests;
