//! CSV files: lines as RFC 4180 has them, cells that no spreadsheet runs as a formula. Never knows what a column means.

use super::error::{Code, Problem};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;

/// A file, row by row.
pub struct CsvFile(csv::Writer<Vec<u8>>);

impl CsvFile {
    /// A file that begins with this header row.
    ///
    /// # Errors
    /// When the text cannot be put together (never into memory).
    pub fn new<T: AsRef<str>>(header: impl IntoIterator<Item = T>) -> Result<CsvFile, csv::Error> {
        let writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        let mut file = CsvFile(writer);
        file.row(header)?;
        Ok(file)
    }

    /// Adds a row as long as the header; cells that a spreadsheet would run are made harmless.
    ///
    /// # Errors
    /// A row of another length.
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) -> Result<(), csv::Error> {
        for cell in cells {
            self.0.write_field(harmless(cell.as_ref()).as_bytes())?;
        }
        self.0.write_record(None::<&[u8]>)
    }

    /// The whole text.
    ///
    /// # Errors
    /// When the text cannot be put together (never into memory).
    pub fn finish(self) -> Result<String, csv::Error> {
        let bytes = self.0.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether a spreadsheet may run a cell that begins so, or we have marked it ourselves.
fn is_risky(start: Option<char>) -> bool {
    matches!(start, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\''))
}

/// `-12` and `-12.50`, and nothing else that begins with a risky character.
fn is_number(cell: &str) -> bool {
    let Some(rest) = cell.strip_prefix('-') else { return false };
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
    [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// The cell with a `'` before it where a spreadsheet might run it; [`unmarked`] takes it off again.
pub fn harmless(cell: &str) -> Cow<'_, str> {
    if is_risky(cell.chars().next()) && !is_number(cell) {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// The cell as it was before [`harmless`].
pub fn unmarked(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_risky(rest.chars().next()) => rest,
        _ => cell,
    }
}

/// The answer that is a file of that name, for a browser to save.
///
/// # Errors
/// 500 when the file could not be put together.
pub fn attachment(name: &str, text: Result<String, csv::Error>) -> Result<Response, Problem> {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let (Ok(text), Ok(disposition)) = (text, disposition) else {
        tracing::error!(name, "a CSV file could not be written");
        return Err(Problem::new(Code::Internal));
    };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_quoted_where_they_must_be() {
        let mut file = CsvFile::new(["name", "amount"]).unwrap();
        file.row(["Dal, \"double\"\nfried", "-12.50"]).unwrap();
        file.row(["=1+1", ""]).unwrap();
        let text = file.finish().unwrap();
        assert_eq!(text, "name,amount\r\n\"Dal, \"\"double\"\"\nfried\",-12.50\r\n'=1+1,\r\n");
    }

    #[test]
    fn only_plain_numbers_may_begin_with_a_minus() {
        for number in ["-3", "-3.25"] {
            assert_eq!(harmless(number), number);
        }
        for formula in
            ["-", "-.", "-3.", "-3+2", "-1e9", "-cmd", "+44", "=1", "@sum", "\tx", "\rx", "'quoted"]
        {
            assert_eq!(harmless(formula), format!("'{formula}"));
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_comes_back_and_runs_nowhere(text in any::<String>()) {
            let cell = harmless(&text);
            prop_assert_eq!(unmarked(&cell), text.as_str());
            let begins = cell.chars().next();
            prop_assert!(!matches!(begins, Some('=' | '+' | '@' | '\t' | '\r')), "{}", cell);
            prop_assert!(begins != Some('-') || is_number(&cell), "{}", cell);
        }
    }
}
