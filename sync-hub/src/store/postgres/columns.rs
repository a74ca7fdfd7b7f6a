//! What the captured tables look like: types and defaults, read off the branch's own schema in memory, and the statements that
//! change many rows of one of them at once. Never asks the database.

use rusqlite::Connection;
use std::sync::OnceLock;
use tiffin_common::frame::Value;
use tiffin_common::registry::{KEY, TABLES, Table};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Integers,
    Reals,
    Texts,
    Bytes,
}

impl Holds {
    /// Its type on PostgreSQL.
    fn name(self) -> &'static str {
        match self {
            Holds::Integers => "bigint",
            Holds::Reals => "double precision",
            Holds::Texts => "text",
            Holds::Bytes => "bytea",
        }
    }

    /// Whether `value` may stand in it.
    pub(super) fn takes(self, value: &Value<'_>) -> bool {
        matches!(
            (self, value),
            (_, Value::Null)
                | (Holds::Integers, Value::Integer(_))
                | (Holds::Reals, Value::Real(_) | Value::Integer(_))
                | (Holds::Texts, Value::Text(_))
                | (Holds::Bytes, Value::Id(_) | Value::Blob(_))
        )
    }
}

/// What stands in a column that a new row does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Default {
    Null,
    Integer(i64),
    Text(String),
}

impl Default {
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Default::Null => Value::Null,
            Default::Integer(integer) => Value::Integer(*integer),
            Default::Text(text) => Value::Text(text),
        }
    }
}

/// One column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    /// Whether it is never null.
    pub(super) required: bool,
    pub(super) default: Default,
}

/// One table, without the column `outlet_id`: that is the transaction's.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) table: &'static Table,
    pub(super) all: Vec<Column>,
    /// The columns that a new row must name, a bit for each place.
    pub(super) needed: u128,
    /// The place in `all` of each column by its number in the log.
    places: Vec<Target>,
}

/// Where a column of the log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Here.
    At(usize),
    /// It is the outlet.
    Outlet,
    /// The schema has it no more.
    Retired,
}

impl Columns {
    /// The tables that are captured, with `table` among them.
    pub(super) fn of(table: &Table) -> Result<&'static Columns, String> {
        static ALL: OnceLock<Result<Vec<Columns>, String>> = OnceLock::new();
        let all = ALL.get_or_init(|| read().map_err(|error| error.to_string())).as_ref()?;
        all.iter()
            .find(|columns| columns.table.no == table.no)
            .ok_or_else(|| format!("no table {}", table.no))
    }

    /// Where column `number` of the log goes; none when this version does not know it.
    pub(super) fn place(&self, number: usize) -> Option<Target> {
        self.places.get(number).copied()
    }

    /// The place of the column `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|column| column.name == name)
    }

    /// The place of the key.
    pub(super) fn key(&self) -> usize {
        self.find(KEY).unwrap_or_default()
    }

    /// `$2::bytea[], $3::bigint[], …` for these columns.
    fn arrays(&self, places: &[usize]) -> String {
        let arrays = places.iter().enumerate().filter_map(|(n, place)| {
            self.all.get(*place).map(|column| format!("${}::{}[]", n + 2, column.holds.name()))
        });
        arrays.collect::<Vec<_>>().join(", ")
    }

    fn names(&self, places: &[usize]) -> Vec<String> {
        places.iter().filter_map(|place| self.all.get(*place)).map(|c| format!("\"{}\"", c.name)).collect()
    }

    /// All places.
    pub(super) fn everything(&self) -> Vec<usize> {
        (0..self.all.len()).collect()
    }

    /// Puts in whole rows; one that is there already fails the statement, or is made equal.
    pub(super) fn insert(&self, made_equal: bool) -> String {
        let places = self.everything();
        let names = self.names(&places);
        let mut sql = format!(
            "INSERT INTO merged.{} (outlet_id, {}) SELECT $1, u.* FROM unnest({}) AS u",
            self.table.name,
            names.join(", "),
            self.arrays(&places)
        );
        if made_equal {
            let sets: Vec<_> = names.iter().map(|name| format!("{name} = excluded.{name}")).collect();
            sql = format!("{sql} ON CONFLICT (outlet_id, id) DO UPDATE SET {}", sets.join(", "));
        }
        sql
    }

    /// Sets the columns at `places` (after the key) of rows.
    pub(super) fn update(&self, places: &[usize]) -> String {
        let names = self.names(places);
        let sets: Vec<_> = names.iter().map(|name| format!("{name} = u.{name}")).collect();
        let all: Vec<usize> = std::iter::once(self.key()).chain(places.iter().copied()).collect();
        format!(
            "UPDATE merged.{} AS t SET {} FROM unnest({}) AS u (id, {}) WHERE t.outlet_id = $1 AND t.id = u.id",
            self.table.name,
            sets.join(", "),
            self.arrays(&all),
            names.join(", ")
        )
    }

    /// Deletes rows.
    pub(super) fn delete(&self) -> String {
        format!("DELETE FROM merged.{} WHERE outlet_id = $1 AND id = ANY($2::bytea[])", self.table.name)
    }

    /// Looks for rows; how many there are is counted.
    pub(super) fn look(&self) -> String {
        format!("SELECT FROM merged.{} WHERE outlet_id = $1 AND id = ANY($2::bytea[])", self.table.name)
    }
}

fn read() -> Result<Vec<Columns>, Box<dyn std::error::Error>> {
    let mut conn = Connection::open_in_memory()?;
    tiffin_migrations::migrate_edge(&mut conn)?;
    let mut statement =
        conn.prepare("SELECT name, type, dflt_value, \"notnull\" FROM pragma_table_info(?1)")?;
    let mut tables = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let found = statement.query_map([table.name], |row| {
            let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
            Ok((name, kind, row.get::<_, Option<String>>(2)?, row.get::<_, bool>(3)?))
        })?;
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for name in table.columns {
            let Some((_, kind, default, required)) = found.iter().find(|(found, ..)| found == name) else {
                places.push(Target::Retired);
                continue;
            };
            if *name == "outlet_id" {
                places.push(Target::Outlet);
                continue;
            }
            places.push(Target::At(all.len()));
            let default = constant(default.as_deref())?;
            all.push(Column { name, holds: holds(kind)?, required: *required, default });
        }
        let needs = |column: &Column| column.required && column.default == Default::Null;
        let needed = all.iter().enumerate().filter(|(_, column)| needs(column));
        let needed = needed.fold(0, |bits, (place, _)| bits | bit(place));
        tables.push(Columns { table, all, needed, places });
    }
    Ok(tables)
}

/// The bit that stands for a place; no table has more columns.
pub(super) fn bit(place: usize) -> u128 {
    u32::try_from(place).ok().and_then(|place| 1u128.checked_shl(place)).unwrap_or_default()
}

fn holds(kind: &str) -> Result<Holds, String> {
    match kind {
        "INTEGER" => Ok(Holds::Integers),
        "REAL" => Ok(Holds::Reals),
        "TEXT" => Ok(Holds::Texts),
        "BLOB" => Ok(Holds::Bytes),
        other => Err(format!("a column of type {other}")),
    }
}

fn constant(text: Option<&str>) -> Result<Default, String> {
    let Some(text) = text else { return Ok(Default::Null) };
    if let Ok(integer) = text.parse() {
        return Ok(Default::Integer(integer));
    }
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    inner.map(|text| Default::Text(text.replace("''", "'"))).ok_or_else(|| format!("a default of {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiffin_common::registry::table_named;

    #[test]
    fn types_defaults_and_places_are_the_branchs() {
        let table = table_named("stock_items").unwrap();
        let columns = Columns::of(table).unwrap();
        let at = |name| table.column(name).unwrap();
        assert_eq!(columns.place(at("outlet_id")), Some(Target::Outlet));
        assert_eq!(columns.place(at("retired_last_unit_cost")), Some(Target::Retired));
        assert_eq!(columns.place(table.columns.len()), None);
        let rotation = columns.all.iter().find(|column| column.name == "rotation").unwrap();
        assert_eq!((rotation.holds, &rotation.default), (Holds::Texts, &Default::Text("FEFO".into())));
        let outlets = Columns::of(table_named("outlets").unwrap()).unwrap();
        assert_eq!(outlets.place(0), Some(Target::At(0)));
        assert!(Columns::of(&Table { no: 159, ..*table }).is_err());
    }
}
