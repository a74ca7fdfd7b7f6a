//! Files of records that are taken in whole or not at all, `POST …/import`, and handed out to be edited, `GET …/export`. One reader of CSV and JSON for all of them, and one way to
//! name every offending cell by its row and column. Never knows what a record is.
//!
//! A row is a JSON object in the shape of its type; in CSV its columns are the members' names. A member of an object has the column
//! `position.x`, one of an entry of a map `texts.hi.name`. A list of objects has a column for each member, `batches.quantity`, and a row
//! of the file for each element: rows that repeat the row before them in all other columns, or leave those blank, go on with its list.
//! Money may be given in major units, in a column without `Cents` in its name; lists of words are separated by `;`.

mod columns;
mod export;
mod names;
mod report;
mod table;

pub use export::{ExportFile, ExportQuery, FileFormat};
pub use names::{Found, Names};
pub use report::{Did, ImportCounts, Report};

use super::csv::unmarked;
use super::error::{Code, FieldError, Problem, Result};
use super::extract::{from_value, media_type};
use super::schema;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use columns::{Column, Shape, Style, Target, put};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use table::Table;

/// The most rows of one file.
pub const MAX_ROWS: usize = 5_000;

/// The largest file.
pub const MAX_BYTES: usize = 10 << 20;

/// What a row of a file is.
pub trait Intake: DeserializeOwned + JsonSchema + Send + 'static {
    /// The columns without which a file says nothing.
    const NEEDED: &'static [&'static str];

    /// A cell in a short form that only its column knows; none: it is read as the schema says.
    fn short(_column: &str, _cell: &str) -> Option<Value> {
        None
    }
}

/// A file of records.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ImportOf{T}")]
pub struct ImportFile<T> {
    /// One row for each record.
    #[schemars(length(min = 1, max = 5_000))]
    #[expect(dead_code, reason = "only the form of the body, for the published document")]
    items: Vec<T>,
}

/// How a file is taken in.
#[apply(filters!)]
pub struct ImportQuery {
    /// True: answer what taking it in would do, and do nothing.
    pub dry_run: bool,
}

/// Where a row stands in its file.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The how-manieth it is.
    order: usize,
    /// `rows[2]`, the second line of a spreadsheet, or `items[0]`.
    row: String,
    /// The rows of the elements of its lists, by the list's name.
    lists: BTreeMap<String, Vec<usize>>,
}

impl Place {
    /// The place of one of its fields: of an element of a list, the row of the file that the element stands in.
    pub fn of(&self, field: &str) -> String {
        let element = field.split_once('[').and_then(|(list, rest)| {
            let (index, rest) = rest.split_once(']')?;
            let row = self.lists.get(list)?.get(index.parse::<usize>().ok()?)?;
            Some(format!("rows[{row}].{list}{rest}"))
        });
        match (element, field) {
            (Some(named), _) => named,
            (None, "") => self.row.clone(),
            (None, field) => format!("{}.{field}", self.row),
        }
    }
}

/// A row, and where it stands.
#[derive(Debug)]
pub struct Row<T> {
    /// Where it stands.
    pub place: Place,
    /// What it says, without the cells that cannot be read.
    pub item: T,
    /// Whether some of its cells cannot be read: it is looked at all the same, so that all that is wrong is named at once.
    pub is_broken: bool,
}

/// The rows of a file, and what is wrong with their form.
#[derive(Debug)]
pub struct Rows<T> {
    /// Those of which something can be read.
    pub rows: Vec<Row<T>>,
    found: Vec<(Place, Vec<FieldError>)>,
    ignored: Vec<String>,
}

impl<T: Intake> Rows<T> {
    fn new(ignored: Vec<String>) -> Self {
        Rows { rows: Vec::new(), found: Vec::new(), ignored }
    }

    /// Reads one row; what does not fit is noted, and the rest of the row is kept where it can be.
    fn add(&mut self, place: Place, value: Value) {
        let without = |value: &Value, found: &[FieldError]| {
            let mut rest = value.clone();
            let members = rest.as_object_mut()?;
            for error in found {
                members.remove(member(&error.name));
            }
            from_value(rest).ok()
        };
        match from_value(value.clone()) {
            Ok(item) => self.rows.push(Row { place, item, is_broken: false }),
            Err(found) => {
                if let Some(item) = without(&value, &found) {
                    self.rows.push(Row { place: place.clone(), item, is_broken: true });
                }
                self.found.push((place, found));
            }
        }
    }

    /// The rows of a JSON text.
    ///
    /// # Errors
    /// 400 where it is none; 422 where it has no rows, or too many.
    pub fn of_json(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize, JsonSchema)]
        struct Envelope {
            #[schemars(length(min = 1, max = 5_000))]
            items: Vec<Value>,
        }
        let envelope: Envelope = super::extract::parse(bytes)?;
        let mut rows = Rows::new(Vec::new());
        for (order, value) in envelope.items.into_iter().enumerate() {
            rows.add(Place { order, row: format!("items[{order}]"), ..Place::default() }, value);
        }
        Ok(rows)
    }

    /// The rows of a CSV text, whose prices are in a currency of that many decimals.
    ///
    /// # Errors
    /// What is wrong with the file as a whole: no CSV, a needed column that is not there, no rows, too many.
    pub fn of_csv(text: &str, decimals: u32) -> Result<Self, Vec<FieldError>> {
        let broken = |row| vec![FieldError::new(format!("rows[{row}]"), "is not valid CSV")];
        let Table { separator, rows: mut records } = Table::read(text).map_err(broken)?;
        let header = if records.is_empty() { Vec::new() } else { records.remove(0) };
        let compiled = schema::of::<T>();
        let reader = Reader::new::<T>(&header, Shape::of(&compiled.schema))?;
        let style = Style { decimals, comma: separator != ',' };
        let mut rows = Rows::new(reader.ignored.clone());
        let mut open: Option<(Place, Map<String, Value>)> = None;
        let mut head: Vec<&str> = Vec::new();
        let mut count = 0usize;
        for (record, number) in records.iter().zip(2_usize..) {
            if record.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let own: Vec<&str> = reader.head(record);
            let goes_on = reader.has_lists && (own.iter().all(|cell| cell.is_empty()) || own == head);
            let (members, element) = reader.read::<T>(record, style);
            if let Some((place, row)) = open.as_mut().filter(|_| goes_on) {
                add_elements(place, row, element, number);
                continue;
            }
            if let Some((place, row)) = open.take() {
                rows.add(place, Value::Object(row));
            }
            let mut place = Place { order: count, row: format!("rows[{number}]"), ..Place::default() };
            let mut row = members;
            add_elements(&mut place, &mut row, element, number);
            (open, head, count) = (Some((place, row)), own, count + 1);
            if count > MAX_ROWS {
                return Err(vec![FieldError::new("rows", format!("must have at most {MAX_ROWS} elements"))]);
            }
        }
        if let Some((place, row)) = open {
            rows.add(place, Value::Object(row));
        }
        if count == 0 {
            return Err(vec![FieldError::new("rows", "must not be empty")]);
        }
        Ok(rows)
    }
}

/// The member of a row that what is called so lies in.
fn member(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or_default()
}

type Elements = BTreeMap<String, Map<String, Value>>;

/// Adds what one row of the file says of the lists of a record.
fn add_elements(place: &mut Place, row: &mut Map<String, Value>, elements: Elements, number: usize) {
    for (list, element) in elements {
        if let Some(list) = row.entry(list.clone()).or_insert_with(|| json!([])).as_array_mut() {
            list.push(Value::Object(element));
        }
        place.lists.entry(list).or_default().push(number);
    }
}

/// The columns of a file.
struct Reader<'a> {
    columns: Vec<Option<Column>>,
    shape: Shape<'a>,
    has_lists: bool,
    /// Headers that mean no member.
    ignored: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new<T: Intake>(header: &[String], shape: Shape<'a>) -> Result<Self, Vec<FieldError>> {
        let columns: Vec<Option<Column>> = header.iter().map(|name| shape.header(name)).collect();
        let mut found = Vec::new();
        for name in T::NEEDED {
            let wanted = Target::Member((*name).to_owned());
            if !columns.iter().flatten().any(|column| column.target == wanted) {
                found.push(FieldError::new(format!("rows[1].{name}"), "is required as a column"));
            }
        }
        for (at, column) in columns.iter().enumerate() {
            let repeats = |other: &Option<Column>| {
                column.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one.target == other.target)
            };
            if let Some(column) = column
                && columns.iter().take(at).any(repeats)
            {
                found.push(FieldError::new(format!("rows[1].{}", column.name()), "is there twice"));
            }
        }
        if !found.is_empty() {
            return Err(found);
        }
        let has_lists = columns.iter().flatten().any(|column| matches!(column.target, Target::Element(..)));
        let ignored =
            header.iter().zip(&columns).filter(|(name, column)| column.is_none() && !name.trim().is_empty());
        let ignored = ignored.map(|(name, _)| name.trim().chars().take(60).collect()).take(20).collect();
        Ok(Reader { columns, shape, has_lists, ignored })
    }

    /// The cells that are of no list: rows that have the same go on with the list of the one before.
    fn head<'r>(&self, record: &'r [String]) -> Vec<&'r str> {
        let cells = record.iter().zip(&self.columns);
        let own = cells.filter(|(_, column)| {
            column.as_ref().is_some_and(|column| !matches!(column.target, Target::Element(..)))
        });
        own.map(|(cell, _)| cell.trim()).collect()
    }

    /// What a row of the file says: of the record, and of an element of each of its lists.
    fn read<T: Intake>(&self, record: &[String], style: Style) -> (Map<String, Value>, Elements) {
        let (mut row, mut elements) = (Map::new(), Elements::new());
        let (mut blank_objects, mut blank_elements) = (BTreeMap::new(), BTreeMap::new());
        for (column, cell) in self.columns.iter().zip(record) {
            let Some(column) = column else { continue };
            let is_blank = cell.trim().is_empty();
            match &column.target {
                Target::Within(outer, _) => *blank_objects.entry(outer.as_str()).or_insert(true) &= is_blank,
                Target::Element(list, _) => *blank_elements.entry(list.as_str()).or_insert(true) &= is_blank,
                Target::Member(_) | Target::Entry(..) => {}
            }
            let short = match &column.target {
                Target::Member(name) if !is_blank => T::short(name, unmarked(cell.trim())),
                _ => None,
            };
            let Some(value) = short.or_else(|| column.value(cell, style)) else { continue };
            match &column.target {
                Target::Element(list, _) => {
                    put(&mut row, elements.entry(list.clone()).or_default(), &column.target, value);
                }
                target => put(&mut row, &mut Map::new(), target, value),
            }
        }
        for (list, _) in blank_elements.into_iter().filter(|(_, is_blank)| *is_blank) {
            elements.remove(list);
        }
        for (object, _) in blank_objects.into_iter().filter(|(_, is_blank)| *is_blank) {
            row.remove(object);
            if self.shape.may_lack(object) {
                row.insert(object.to_owned(), Value::Null);
            }
        }
        (row, elements)
    }
}

/// A file of records as it came: JSON or CSV, by its media type.
#[derive(Debug)]
pub struct File<T> {
    bytes: Bytes,
    is_csv: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: Intake> File<T> {
    /// Its rows; prices in major units are of a currency of that many decimals.
    ///
    /// # Errors
    /// 400 where it cannot be read; 422 with what is wrong with it as a whole.
    pub fn rows(&self, decimals: u32) -> Result<Rows<T>> {
        if !self.is_csv {
            return Rows::of_json(&self.bytes);
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|_| {
            Problem::new(Code::BadRequest)
                .detail("The file is not UTF-8 text: have it saved as \"CSV UTF-8\"")
        })?;
        Rows::of_csv(text, decimals).map_err(Problem::invalid)
    }
}

impl<T, S: Send + Sync> FromRequest<S> for File<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let kind = media_type(request.headers());
        let is_csv = matches!(kind.as_str(), "text/csv" | "application/csv" | "application/vnd.ms-excel");
        if !is_csv && !matches!(kind.as_str(), "" | "application/json") {
            return Err(Problem::new(Code::UnsupportedMediaType).detail("Send application/json or text/csv"));
        }
        let body = Limited::new(request.into_body(), MAX_BYTES).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                Problem::new(Code::PayloadTooLarge).detail("A file may have 10 MiB")
            } else {
                Problem::new(Code::BadRequest).detail("The body could not be read")
            }
        })?;
        Ok(File { bytes: body.to_bytes(), is_csv, of: PhantomData })
    }
}

#[cfg(test)]
mod tests;
