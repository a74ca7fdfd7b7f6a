//! Tables as files name them. Pure.

use super::{Table, TableFields, TablePosition, TableShape, TableSize};
use crate::http::intake::{Intake, Names};
use crate::http::{Checks, FieldError, Patch, Replace};
use crate::resources::menu::rules::{Texts, TextsPatch};
use std::collections::BTreeSet;
use tiffin_common::Uuid;

patch! {
    /// A table as a file names it. What is absent keeps what is there.
    pub struct ImportedTable of TableFields {
        /// The table that is meant; else the one of that number, else a new one.
        id: Option<Uuid> => none,
        /// Unique in the outlet.
        #[schemars(length(min = 1, max = 20))]
        number: Replace<String>,
        /// Such as Terrace.
        #[schemars(length(max = 60))]
        area: Patch<String>,
        /// How many people can sit there; required for a new table.
        #[schemars(range(min = 1, max = 500))]
        seats: Replace<i64>,
        /// On the floor plan.
        position: Patch<TablePosition>,
        /// The form that it is drawn in.
        shape: Replace<TableShape>,
        /// How large it is drawn.
        size: Patch<TableSize>,
        /// How far it is turned, in degrees clockwise.
        #[schemars(range(min = 0, max = 359))]
        rotation: Replace<i64>,
        /// Its number in other languages, in CSV `texts.hi.name`: what is absent stays, blank takes it away.
        texts: TextsPatch,
        /// The name of its area in other languages, in CSV `areaTexts.hi.name`; it is said at all tables of the area.
        area_texts: TextsPatch,
    }
}

impl Intake for ImportedTable {
    const NEEDED: &'static [&'static str] = &["number"];
}

impl ImportedTable {
    /// The table that is meant.
    pub fn find(&self, tables: &Names) -> Option<Uuid> {
        let by_number = || self.number.0.as_deref().and_then(|number| tables.by_code(number));
        self.id.and_then(|id| tables.by_id(id)).or_else(by_number)
    }

    /// The table as the file leaves it, where it was `before`.
    ///
    /// # Errors
    /// All offending fields.
    pub fn over_before(self, before: Option<&TableFields>) -> Result<TableFields, Vec<FieldError>> {
        let Some(before) = before else {
            let mut checks = Checks::new();
            checks.require(self.number.0.is_some(), "number", "is required");
            checks.require(self.seats.0.is_some(), "seats", "is required for a new table");
            return checks.finish(self.over(TableFields::new("", 0)))?.checked();
        };
        self.over(before.clone()).checked()
    }
}

/// A table as export gives it: the members of [`ImportedTable`].
#[apply(figures!)]
pub struct ExportedTable {
    /// The table that is meant.
    id: Uuid,
    /// Unique in the outlet.
    number: String,
    /// Such as Terrace.
    area: Option<String>,
    /// How many people can sit there.
    seats: i64,
    /// On the floor plan.
    position: Option<TablePosition>,
    /// The form that it is drawn in.
    shape: TableShape,
    /// How large it is drawn.
    size: Option<TableSize>,
    /// How far it is turned, in degrees clockwise.
    rotation: i64,
    /// Its number in other languages.
    texts: Texts,
    /// The name of its area in other languages.
    area_texts: Texts,
}

impl ExportedTable {
    /// The columns of its CSV form where nothing is said in other languages.
    const COLUMNS: [&'static str; 10] = [
        "id",
        "number",
        "area",
        "seats",
        "position.x",
        "position.y",
        "shape",
        "size.width",
        "size.height",
        "rotation",
    ];

    /// The columns of the CSV form of `tables`, with two for each of `languages` and of those that something is said in.
    pub fn columns(tables: &[ExportedTable], languages: &[String]) -> Vec<String> {
        let texts = tables.iter().flat_map(|table| [&table.texts, &table.area_texts]);
        let said = texts.flat_map(Texts::languages);
        let languages: BTreeSet<&str> = languages.iter().map(String::as_str).chain(said).collect();
        let of = |language: &&str| [format!("texts.{language}.name"), format!("areaTexts.{language}.name")];
        let columns = Self::COLUMNS.into_iter().map(str::to_owned);
        columns.chain(languages.iter().flat_map(of)).collect()
    }
}

impl From<Table> for ExportedTable {
    fn from(Table { id, fields, .. }: Table) -> Self {
        let TableFields { number, area, seats, position, shape, size, rotation, texts, area_texts } = fields;
        ExportedTable { id, number, area, seats, position, shape, size, rotation, texts, area_texts }
    }
}
