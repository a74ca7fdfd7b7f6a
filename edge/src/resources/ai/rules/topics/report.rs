//! Reading a report: its rows by the keys of their columns. Never a column by its place.

use super::super::answer::{Amount, Table};
use super::super::figures::Figures;
use serde_json::Value;
use tiffin_common::{Cents, Quantity};

/// A report as `/analytics/reports/…` answers it.
pub(super) struct Report<'a> {
    data: &'a Value,
    keys: Vec<&'a str>,
}

/// A row of it.
pub(super) struct Row<'a> {
    report: &'a Report<'a>,
    cells: &'a Value,
}

impl<'a> Report<'a> {
    pub(super) fn of(data: &'a Value) -> Option<Report<'a>> {
        let keys: Option<Vec<&str>> =
            data.get("columns")?.as_array()?.iter().map(|column| column.text("/key")).collect();
        Some(Report { data, keys: keys? })
    }

    pub(super) fn rows(&'a self) -> impl Iterator<Item = Row<'a>> {
        self.data.each("/rows").iter().map(move |cells| Row { report: self, cells })
    }

    /// A sum of a column.
    pub(super) fn total(&self, key: &str) -> Option<i64> {
        self.data.count(&format!("/totals/{key}"))
    }

    /// The columns of `keys`, in their order, as a table.
    pub(super) fn table(&'a self, keys: &[&str]) -> Option<Table> {
        let mut columns = Vec::new();
        for key in keys {
            let at = self.keys.iter().position(|known| known == key)?;
            let column = self.data.each("/columns").get(at)?;
            let unit = match column.text("/unit") {
                Some("CENTS") => "cents",
                Some("PERCENT") => "percent",
                Some("MINUTES") => "minutes",
                _ => "",
            };
            columns.push((column.text("/label")?, unit));
        }
        let mut table = Table::new(&columns);
        for row in self.rows() {
            table.push(keys.iter().map(|key| row.amount(key)));
        }
        Some(table)
    }
}

impl<'a> Row<'a> {
    fn cell(&self, key: &str) -> Option<&'a Value> {
        let at = self.report.keys.iter().position(|known| *known == key)?;
        self.cells.get(at)
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.cell(key)?.as_str()
    }

    pub(super) fn count(&self, key: &str) -> Option<i64> {
        self.cell(key)?.as_i64()
    }

    pub(super) fn cents(&self, key: &str) -> Option<Cents> {
        self.count(key).map(Cents::new)
    }

    pub(super) fn decimal(&self, key: &str) -> Option<Quantity> {
        self.cell(key)?.decimal("")
    }

    fn amount(&self, key: &str) -> Option<Amount> {
        let cell = self.cell(key)?;
        match (cell.as_i64(), cell.as_str()) {
            (Some(number), _) => Some(Amount::Whole(number)),
            (None, Some(text)) => Some(Amount::Text(text.to_owned())),
            (None, None) => cell.decimal("").map(Amount::Decimal),
        }
    }
}
