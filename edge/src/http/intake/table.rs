//! The text of a CSV file as rows of cells, as spreadsheets write it: commas, semicolons or tabs, CRLF or LF, with or without a byte
//! order mark. Never knows what a column means.

/// What separates cells; of equally many, the first.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// A CSV file.
pub(super) struct Table {
    /// What separates its cells.
    pub(super) separator: char,
    /// All rows: the header is the first, as row 1 of a spreadsheet.
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads `text`.
    ///
    /// # Errors
    /// The number of the row whose quotation marks never close.
    pub(super) fn read(text: &str) -> Result<Table, usize> {
        let text = text.trim_start_matches('\u{feff}');
        let (told, text) = told_separator(text);
        let separator = told.unwrap_or_else(|| likely_separator(text));
        Ok(Table { separator, rows: rows(text, separator)? })
    }
}

/// `sep=;` in the first line, which Excel reads and shows nobody, and the rest.
fn told_separator(text: &str) -> (Option<char>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let told = first.trim_end().strip_prefix("sep=").or_else(|| first.trim_end().strip_prefix("SEP="));
    match told.map(|told| told.chars().next().unwrap_or('\t')) {
        Some(separator) => (Some(separator), rest),
        None => (None, text),
    }
}

/// What the header has most of, outside of quotation marks.
fn likely_separator(text: &str) -> char {
    let mut counts = [0usize; SEPARATORS.len()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' | '\r' if !quoted => break,
            _ if !quoted => {
                for (count, separator) in counts.iter_mut().zip(SEPARATORS) {
                    *count += usize::from(c == separator);
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().copied().max().unwrap_or_default();
    counts.iter().zip(SEPARATORS).find(|(count, _)| **count == most).map_or(',', |(_, separator)| separator)
}

/// A blank line is a row of one empty cell: rows keep the numbers that a spreadsheet shows.
fn rows(text: &str, separator: char) -> Result<Vec<Vec<String>>, usize> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' if quoted => quoted = false,
            _ if quoted => cell.push(c),
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ if c == separator => row.push(std::mem::take(&mut cell)),
            _ => cell.push(c),
        }
    }
    if quoted {
        return Err(rows.len() + 1);
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_spreadsheet_read_alike() {
        for text in [
            "name,unit\nRice,kg\n",
            "\u{feff}name;unit\r\nRice;kg\r\n",
            "sep=;\r\nname;unit\r\nRice;kg",
            "name\tunit\rRice\tkg\r",
            "\"name\", \"unit\"\n\"Rice\",\"kg\"\n",
        ] {
            let table = Table::read(text).unwrap_or_else(|_| panic!("{text}"));
            assert_eq!(table.rows, [["name", "unit"], ["Rice", "kg"]], "{text:?}");
        }
    }

    #[test]
    fn rows_keep_their_numbers_past_blank_lines_and_lines_within_cells() {
        let table = Table::read("name,note\n\nRice,\"two\r\nlines, \"\"quoted\"\"\"\nDal,\n").unwrap();
        assert_eq!(table.rows.len(), 4);
        assert_eq!(table.rows[1], [""]);
        assert_eq!(table.rows[2], ["Rice", "two\r\nlines, \"quoted\""]);
        assert_eq!(table.rows[3], ["Dal", ""]);
    }

    #[test]
    fn a_quotation_mark_that_never_closes_is_named_by_its_row() {
        assert_eq!(Table::read("name\nRice\n\"Dal\nx\n").err(), Some(3));
    }
}
