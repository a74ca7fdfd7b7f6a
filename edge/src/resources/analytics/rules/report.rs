//! A report: columns, rows and totals, one definition for JSON and CSV alike. Never knows what its figures mean.

use super::money::Hundredths;
use crate::http::csv::CsvFile;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Overflow, Quantity, currency};

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Unit {
    /// A text.
    Text,
    /// A business date, YYYY-MM-DD.
    Date,
    /// How many.
    Count,
    /// Money in cents; in CSV in major units with the currency's decimals.
    Cents,
    /// A quantity in the unit the row names.
    Quantity,
    /// Money for one unit, in cents with at most 6 decimals.
    UnitCost,
    /// Percent with two decimals.
    Percent,
    /// Whole minutes.
    Minutes,
}

/// One column of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Column {
    /// Its name for programs.
    pub key: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What its cells are.
    pub unit: Unit,
}

impl Column {
    /// A column of these.
    pub const fn new(key: &'static str, label: &'static str, unit: Unit) -> Column {
        Column { key, label, unit }
    }
}

/// A cell, as its column's unit says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// Words, or a date.
    Text(String),
    /// How many, or minutes.
    Count(i64),
    /// Money in cents.
    Money(Cents),
    /// A quantity, or a unit cost.
    Quantity(Quantity),
    /// A percentage.
    Percent(Hundredths),
    /// Nothing: there is no such figure of the row.
    Nothing,
}

impl Cell {
    /// As text, money with that many decimals.
    fn text(&self, decimals: u32) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Money(amount) => currency::with_decimals(*amount, decimals),
            Cell::Quantity(quantity) => quantity.to_string(),
            Cell::Percent(percent) => percent.to_string(),
            Cell::Nothing => String::new(),
        }
    }

    /// The sum of two cells of a column that is summed.
    fn plus(&self, other: &Cell) -> Result<Option<Cell>, Overflow> {
        Ok(match (self, other) {
            (Cell::Count(a), Cell::Count(b)) => Some(Cell::Count(a.checked_add(*b).ok_or(Overflow)?)),
            (Cell::Money(a), Cell::Money(b)) => Some(Cell::Money(a.plus(*b)?)),
            _ => None,
        })
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<NaiveDate> for Cell {
    fn from(date: NaiveDate) -> Cell {
        Cell::Text(date.to_string())
    }
}

impl From<i64> for Cell {
    fn from(count: i64) -> Cell {
        Cell::Count(count)
    }
}

impl From<Cents> for Cell {
    fn from(amount: Cents) -> Cell {
        Cell::Money(amount)
    }
}

impl From<Quantity> for Cell {
    fn from(quantity: Quantity) -> Cell {
        Cell::Quantity(quantity)
    }
}

impl From<Hundredths> for Cell {
    fn from(percent: Hundredths) -> Cell {
        Cell::Percent(percent)
    }
}

/// A row of cells.
#[macro_export]
macro_rules! report_row {
    ($($cell:expr),* $(,)?) => { vec![$($crate::resources::analytics::rules::report::Cell::from($cell)),*] };
}

/// Columns, rows, and the sums of the columns that can be summed.
#[apply(figures!)]
pub struct Table {
    /// The columns, in their order.
    pub columns: &'static [Column],
    /// The rows; cells in the order of the columns.
    pub rows: Vec<Vec<Cell>>,
    /// Sums by the column's key: of counts, money and minutes. The rows add up to them, to the cent.
    pub totals: BTreeMap<&'static str, Cell>,
}

impl Table {
    /// A table with its totals.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn new(columns: &'static [Column], rows: Vec<Vec<Cell>>) -> Result<Table, Overflow> {
        let mut totals = BTreeMap::new();
        for (index, column) in columns.iter().enumerate() {
            let zero = match column.unit {
                Unit::Count | Unit::Minutes => Cell::Count(0),
                Unit::Cents => Cell::Money(Cents::ZERO),
                _ => continue,
            };
            let mut sum = zero;
            for cell in rows.iter().filter_map(|row| row.get(index)) {
                if let Some(more) = sum.plus(cell)? {
                    sum = more;
                }
            }
            totals.insert(column.key, sum);
        }
        Ok(Table { columns, rows, totals })
    }

    /// A table whose rows are not of one kind: nothing of it is summed.
    pub fn of_lines(columns: &'static [Column], rows: Vec<Vec<Cell>>) -> Table {
        Table { columns, rows, totals: BTreeMap::new() }
    }

    /// As CSV: a header that names the currency and units, then the rows.
    ///
    /// # Errors
    /// When the text cannot be put together (never into memory).
    pub fn to_csv(&self, currency: &str) -> Result<String, csv::Error> {
        let header = self.columns.iter().map(|column| match column.unit {
            Unit::Cents => format!("{} ({currency})", column.label),
            Unit::Percent => format!("{} (%)", column.label),
            Unit::Minutes => format!("{} (min)", column.label),
            _ => column.label.to_owned(),
        });
        let mut file = CsvFile::new(header)?;
        let decimals = tiffin_common::currency::decimals(currency);
        for row in &self.rows {
            file.row(row.iter().map(|cell| cell.text(decimals)))?;
        }
        file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column::new("item", "Item", Unit::Text),
        Column::new("count", "Count", Unit::Count),
        Column::new("quantity", "Quantity", Unit::Quantity),
        Column::new("costCents", "Cost", Unit::Cents),
        Column::new("share", "Share", Unit::Percent),
    ];

    #[test]
    fn the_same_table_is_json_and_csv() {
        let half = "0.5".parse::<Quantity>().unwrap();
        let rows = vec![
            report_row!["=Rice", 2, half, Cents::new(-5), Hundredths::new(1_250)],
            report_row!["Dal, red", 1, half, Cents::new(123_456), Hundredths::new(0)],
        ];
        let table = Table::new(COLUMNS, rows).unwrap();
        assert_eq!(
            table.to_csv("INR").unwrap(),
            "Item,Count,Quantity,Cost (INR),Share (%)\r\n'=Rice,2,0.5,-0.05,12.50\r\n\"Dal, red\",1,0.5,1234.56,0.00\r\n"
        );
        let json = serde_json::to_value(&table).unwrap();
        assert_eq!(json["rows"][0], serde_json::json!(["=Rice", 2, 0.5, -5, 12.5]));
        assert_eq!(json["totals"], serde_json::json!({"count": 3, "costCents": 123_451}));
        assert_eq!(
            json["columns"][3],
            serde_json::json!({"key": "costCents", "label": "Cost", "unit": "CENTS"})
        );
    }
}
