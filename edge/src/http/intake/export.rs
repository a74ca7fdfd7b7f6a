//! Records as a file that can be edited and taken in again: `GET …/export`. Never decides which records.

use crate::http::Data;
use crate::http::csv::{CsvFile, attachment};
use crate::http::error::Result;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form of an exported file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// As an envelope.
    #[default]
    Json,
    /// For spreadsheets.
    Csv,
}

/// How to export.
#[apply(filters!)]
pub struct ExportQuery {
    /// JSON unless told otherwise.
    pub format: Option<FileFormat>,
}

/// A file of records.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExportOf{T}")]
pub struct ExportFile<T> {
    /// The rows, in the form that import takes.
    pub items: Vec<T>,
}

impl<T: Serialize> ExportFile<T> {
    /// The file in the form that was asked for: as CSV with these columns, under that name.
    pub fn answer(self, query: &ExportQuery, name: &str, columns: &[&str]) -> Result<Response> {
        self.answer_as(query, name, |items| written(columns, items))
    }

    /// [`ExportFile::answer`] where CSV is written otherwise.
    pub fn answer_as(
        self,
        query: &ExportQuery,
        name: &str,
        write: impl FnOnce(&[T]) -> Result<String, csv::Error>,
    ) -> Result<Response> {
        match query.format.unwrap_or_default() {
            FileFormat::Json => Ok(Data::new(self).into_response()),
            FileFormat::Csv => attachment(name, write(&self.items)),
        }
    }
}

/// The rows as CSV: a row of the file for each element of their lists, which repeats what is of no list.
fn written<T: Serialize>(columns: &[&str], rows: &[T]) -> Result<String, csv::Error> {
    let mut file = CsvFile::new(columns)?;
    for row in rows {
        let row = serde_json::to_value(row).unwrap_or_default();
        let lists = columns.iter().filter_map(|column| row.get(column.split_once('.')?.0)?.as_array());
        let count = lists.map(Vec::len).max().unwrap_or_default().max(1);
        for index in 0..count {
            file.row(columns.iter().map(|column| cell(at(&row, column, index))))?;
        }
    }
    file.finish()
}

/// What stands in a column: of a list, in its element of that index.
fn at<'v>(row: &'v Value, column: &str, index: usize) -> Option<&'v Value> {
    let mut value = row;
    for part in column.split('.') {
        if let Some(list) = value.as_array() {
            value = list.get(index)?;
        }
        value = value.get(part)?;
    }
    Some(value)
}

/// A value as import reads it.
pub(super) fn cell(value: Option<&Value>) -> String {
    let plain = |text: &str| !text.contains(';') && !text.starts_with(['[', '{']);
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => {
            let words: Option<Vec<&str>> =
                list.iter().map(|one| one.as_str().filter(|text| plain(text))).collect();
            words.map_or_else(|| Value::Array(list.clone()).to_string(), |words| words.join(";"))
        }
        Some(other) => other.to_string(),
    }
}
