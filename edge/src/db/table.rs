//! Rows by name: one declaration ties a struct to the columns of its table, and every place is derived from it, so that two
//! columns cannot be swapped. Texts are put together once. Never decides which rows are meant.

use super::error::{DbError, Result};
use super::source::{Row, Sql};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::OnceLock;
use tiffin_common::registry;

/// A struct of columns of one table: all of them, or some that belong together. Declared by [`table!`](crate::table).
pub trait Columns: Sized {
    /// The table.
    const TABLE: &'static str;

    /// The columns, in the order in which they are read and written.
    fn names(names: &mut Vec<&'static str>);

    /// Reads the columns from `at` on, and moves `at` behind them.
    ///
    /// # Errors
    /// A value that is not what its column holds.
    fn read_at(row: &Row<'_>, at: &mut usize) -> Result<Self>;

    /// The values to write.
    ///
    /// # Errors
    /// What JSON cannot say.
    fn values<'v>(&'v self, values: &mut Vec<ToSqlOutput<'v>>) -> Result<()>;

    /// Reads a row of [`select!`](crate::select).
    ///
    /// # Errors
    /// A value that is not what its column holds.
    fn read(row: &Row<'_>) -> Result<Self> {
        Self::read_at(row, &mut 0)
    }
}

/// Columns that are all null or none of them: whether there is one, the first says.
impl<T: Columns> Columns for Option<T> {
    const TABLE: &'static str = T::TABLE;

    fn names(names: &mut Vec<&'static str>) {
        T::names(names);
    }

    fn read_at(row: &Row<'_>, at: &mut usize) -> Result<Self> {
        if row.get_ref(*at)? == ValueRef::Null {
            *at += names::<T>().len();
            return Ok(None);
        }
        T::read_at(row, at).map(Some)
    }

    fn values<'v>(&'v self, values: &mut Vec<ToSqlOutput<'v>>) -> Result<()> {
        match self {
            Some(there) => there.values(values)?,
            None => values.extend(names::<T>().iter().map(|_| ToSqlOutput::Owned(Value::Null))),
        }
        Ok(())
    }
}

/// A column that holds JSON. What is nothing in JSON (an `Option` that is none) is NULL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        json_value(&self.0).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = if value == ValueRef::Null { "null" } else { value.as_str()? };
        serde_json::from_str(text).map(Json).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// Declares a struct and the columns of `table` that its fields are. A field is the column of its name; `=> other` names another
/// column, `=> json` or `=> json other` one that holds JSON, `=> flat` a struct of columns of its own, `=> none` nothing stored.
#[macro_export]
macro_rules! table {
    ($(#[$meta:meta])* $vis:vis struct $name:ident: $table:ident {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty $(=> $($how:ident)+)?),* $(,)?
    }) => {
        #[derive(Debug, Clone)]
        $(#[$meta])* $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type,)* }

        impl $crate::db::Columns for $name {
            const TABLE: &'static str = stringify!($table);

            fn names(names: &mut Vec<&'static str>) {
                $($crate::table!(@name names $table $type, $($($how)+)?; $field);)*
            }

            fn read_at(row: &$crate::db::Row<'_>, at: &mut usize) -> $crate::db::Result<Self> {
                Ok($name { $($field: $crate::table!(@read row at $table $type, $($($how)+)?; $field)),* })
            }

            fn values<'v>(
                &'v self,
                values: &mut Vec<$crate::db::table::Output<'v>>,
            ) -> $crate::db::Result<()> {
                $({ let _field = &self.$field; $crate::table!(@value values _field $($($how)+)?;); })*
                Ok(())
            }
        }
    };

    (@name $names:ident $t:ident $type:ty, none; $f:ident) => {};
    (@name $names:ident $t:ident $type:ty, flat; $f:ident) => { <$type as $crate::db::Columns>::names($names) };
    (@name $names:ident $t:ident $type:ty, json; $f:ident) => { $names.push($crate::column!($t $f)) };
    (@name $names:ident $t:ident $type:ty, json $c:ident; $f:ident) => { $names.push($crate::column!($t $c)) };
    (@name $names:ident $t:ident $type:ty, $c:ident; $f:ident) => { $names.push($crate::column!($t $c)) };
    (@name $names:ident $t:ident $type:ty, ; $f:ident) => { $names.push($crate::column!($t $f)) };

    (@read $r:ident $at:ident $t:ident $type:ty, none; $f:ident) => { Default::default() };
    (@read $r:ident $at:ident $t:ident $type:ty, flat; $f:ident) => {
        <$type as $crate::db::Columns>::read_at($r, $at)?
    };
    (@read $r:ident $at:ident $t:ident $type:ty, json $($c:ident)?; $f:ident) => {
        $crate::db::table::next::<$crate::db::Json<$type>>($r, $at, stringify!($t))?.0
    };
    (@read $r:ident $at:ident $t:ident $type:ty, $($c:ident)?; $f:ident) => {
        $crate::db::table::next::<$type>($r, $at, stringify!($t))?
    };

    (@value $values:ident $v:ident none;) => {};
    (@value $values:ident $v:ident flat;) => { $crate::db::Columns::values($v, $values)? };
    (@value $values:ident $v:ident json $($c:ident)?;) => { $values.push($crate::db::table::json($v)?) };
    (@value $values:ident $v:ident $($c:ident)?;) => { $values.push($crate::db::table::value($v)?) };
}

/// `SELECT` of a declared struct's columns `FROM` its table, with what follows; with `as` the table has an alias, and further
/// columns, which are read by their names, may follow the struct's. Put together once.
#[macro_export]
macro_rules! select {
    ($row:ty, $rest:expr) => { $crate::select!(@ $row, "", "", $rest) };
    ($row:ty as $alias:ident, $rest:expr) => { $crate::select!(@ $row, stringify!($alias), "", $rest) };
    ($row:ty as $alias:ident, $more:expr, $rest:expr) => { $crate::select!(@ $row, stringify!($alias), $more, $rest) };
    (@ $row:ty, $alias:expr, $more:expr, $rest:expr) => {{
        static TEXT: ::std::sync::LazyLock<String> =
            ::std::sync::LazyLock::new(|| $crate::db::table::select::<$row>($alias, $more, $rest));
        TEXT.as_str()
    }};
}

/// A struct from a row whose columns are called as its fields are: `read!(row => Flow { tips_cents, at: day })`. A field that is
/// given a value is not read.
#[macro_export]
macro_rules! read {
    ($row:ident => $name:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        $name { $($field: $crate::read!(@ $row $field $($value)?)),* }
    };
    (@ $row:ident $field:ident) => { $row.get(stringify!($field))? };
    (@ $row:ident $field:ident $value:expr) => { $value };
}

/// Inserts a row: columns with their values, then `..` a reference to a declared struct, then what follows `VALUES (…)`, such as
/// `ON CONFLICT …`.
#[macro_export]
macro_rules! insert {
    ($($all:tt)*) => { $crate::inserted!($($all)*).map(drop) };
}

/// [`insert!`](crate::insert) that answers how many rows were written.
#[macro_export]
macro_rules! inserted {
    ($to:expr, $table:ident { $($column:ident: $value:expr),+ } $(, $rest:expr)?) => {
        $crate::inserted!($to, $table { $($column: $value,)+ } $(, $rest)?)
    };
    ($to:expr, $table:ident { $($column:ident: $value:expr,)* $(..$row:expr)? } $(, $rest:expr)?) => {{
        static TEXT: ::std::sync::OnceLock<String> = ::std::sync::OnceLock::new();
        let fixed: &[&dyn $crate::db::table::Input] = &[$(&$value),*];
        let row = $crate::table_row!($($row)?);
        let text = TEXT.get_or_init(|| {
            $crate::db::table::insert(stringify!($table), &[$($crate::column!($table $column)),*], row, concat!($($rest)?))
        });
        $crate::db::table::write($to, text, fixed, row, &[])
    }};
}

/// Inserts rows, in as few statements as there can be: columns with the values that all of them have, then `..` a slice of declared
/// structs. A statement undone in its middle undoes all of its rows: SQLite keeps a copy of every page for that, once a statement.
#[macro_export]
macro_rules! insert_all {
    ($to:expr, $table:ident { $($column:ident: $value:expr,)* ..$rows:expr }) => {{
        static TEXTS: $crate::db::table::Texts =
            [const { ::std::sync::OnceLock::new() }; $crate::db::table::SIZES.len()];
        let fixed: &[&dyn $crate::db::table::Input] = &[$(&$value),*];
        let columns = [$($crate::column!($table $column)),*];
        $crate::db::table::write_all($to, &TEXTS, stringify!($table), &columns, fixed, $rows)
    }};
}

/// Updates columns of the rows that `where` names: columns with their values, the columns of a declared struct, and, after a
/// `;`, what SQL works out itself (`"version = version + 1"`). Conditions are equalities; more may follow a `;`.
#[macro_export]
macro_rules! update {
    ($($all:tt)*) => { $crate::updated!($($all)*).map(drop) };
}

/// [`update!`](crate::update) that answers how many rows were written.
#[macro_export]
macro_rules! updated {
    ($to:expr, $table:ident { $($column:ident: $value:expr),+ $(; $set:expr)? } where $keys:tt) => {
        $crate::updated!($to, $table { $($column: $value,)+ $(; $set)? } where $keys)
    };
    ($to:expr, $table:ident { $($column:ident: $value:expr,)* $(..$row:expr)? $(; $set:expr)? }
        where { $($key:ident: $is:expr),* $(,)? $(; $also:expr)? }) => {{
        static TEXT: ::std::sync::OnceLock<String> = ::std::sync::OnceLock::new();
        let fixed: &[&dyn $crate::db::table::Input] = &[$(&$value),*];
        let keys: &[&dyn $crate::db::table::Input] = &[$(&$is),*];
        let row = $crate::table_row!($($row)?);
        let text = TEXT.get_or_init(|| {
            let columns = [$($crate::column!($table $column)),*];
            let keys = [$($crate::column!($table $key)),*];
            let (set, also) = (concat!($($set)?), concat!($($also)?));
            $crate::db::table::update(stringify!($table), (&columns, set), row, (&keys, also))
        });
        $crate::db::table::write($to, text, fixed, row, keys)
    }};
}

/// The name of a column; a table of the registry has it, or the program does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! column {
    ($table:ident $column:ident) => {
        const { $crate::db::table::known(stringify!($table), stringify!($column)) }
    };
}

/// The struct whose columns are written too.
#[doc(hidden)]
#[macro_export]
macro_rules! table_row {
    () => {
        None::<&$crate::db::table::Nothing>
    };
    ($row:expr) => {
        Some($row)
    };
}

#[doc(hidden)]
pub use rusqlite::types::{ToSql as Input, ToSqlOutput as Output};

/// No struct.
#[doc(hidden)]
#[derive(Debug)]
pub struct Nothing;

impl Columns for Nothing {
    const TABLE: &'static str = "";
    fn names(_: &mut Vec<&'static str>) {}
    fn read_at(_: &Row<'_>, _: &mut usize) -> Result<Self> {
        Ok(Nothing)
    }
    fn values<'v>(&'v self, _: &mut Vec<ToSqlOutput<'v>>) -> Result<()> {
        Ok(())
    }
}

/// `column`, which `table` has where the registry knows the table.
#[doc(hidden)]
pub const fn known(table: &str, column: &'static str) -> &'static str {
    assert!(registry::may_have(table, column), "the table has no such column");
    column
}

#[doc(hidden)]
pub fn next<T: FromSql>(row: &Row<'_>, at: &mut usize, table: &'static str) -> Result<T> {
    let place = *at;
    *at += 1;
    row.get_of(table, place)
}

#[doc(hidden)]
pub fn value<T: ToSql>(value: &T) -> Result<ToSqlOutput<'_>> {
    Ok(value.to_sql()?)
}

#[doc(hidden)]
pub fn json<T: Serialize>(value: &T) -> Result<ToSqlOutput<'static>> {
    json_value(value).map_err(|error| DbError::Other(error.to_string()))
}

fn json_value<T: Serialize>(value: &T) -> serde_json::Result<ToSqlOutput<'static>> {
    let text = serde_json::to_string(value)?;
    Ok(ToSqlOutput::Owned(if text == "null" { Value::Null } else { Value::Text(text) }))
}

fn names<T: Columns>() -> Vec<&'static str> {
    let mut names = Vec::new();
    T::names(&mut names);
    names
}

/// The columns of `T` of the table called `alias`, for a query that begins at another table.
pub fn columns<T: Columns>(alias: &str) -> String {
    let dot = if alias.is_empty() { "" } else { "." };
    let columns: Vec<String> = names::<T>().iter().map(|name| format!("{alias}{dot}{name}")).collect();
    columns.join(", ")
}

/// The text of [`select!`](crate::select), for a condition that only the request knows.
pub fn select<T: Columns>(alias: &str, more: &str, rest: &str) -> String {
    let comma = if more.is_empty() { "" } else { ", " };
    format!("SELECT {}{comma}{more} FROM {} {alias} {rest}", columns::<T>(alias), T::TABLE)
}

#[doc(hidden)]
pub fn insert<T: Columns>(table: &str, columns: &[&'static str], _: Option<&T>, rest: &str) -> String {
    let columns: Vec<_> = columns.iter().copied().chain(names::<T>()).collect();
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({}) {rest}", columns.join(", "), places.join(", "))
}

#[doc(hidden)]
pub fn update<T: Columns>(
    table: &str,
    (columns, set): (&[&'static str], &str),
    _: Option<&T>,
    (keys, also): (&[&'static str], &str),
) -> String {
    let mut places = 1..;
    let mut equals = |name: &&str| format!("{name} = ?{}", places.next().unwrap_or_default());
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let columns: Vec<_> = columns.iter().copied().chain(names::<T>()).collect();
    let sets: Vec<String> = columns.iter().map(&mut equals).chain(some(set)).collect();
    let keys: Vec<String> = keys.iter().map(&mut equals).chain(some(also)).collect();
    format!("UPDATE {table} SET {} WHERE {}", sets.join(", "), keys.join(" AND "))
}

#[doc(hidden)]
pub fn write<T: Columns>(
    to: &dyn Sql,
    text: &str,
    fixed: &[&dyn ToSql],
    row: Option<&T>,
    keys: &[&dyn ToSql],
) -> Result<usize> {
    let mut values = Vec::new();
    row.map_or(Ok(()), |row| row.values(&mut values))?;
    let mut all = Vec::with_capacity(fixed.len() + values.len() + keys.len());
    all.extend_from_slice(fixed);
    all.extend(values.iter().map(|value| value as &dyn ToSql));
    all.extend_from_slice(keys);
    to.execute(text, &all)
}

/// Rows of one statement, the most first.
#[doc(hidden)]
pub const SIZES: [usize; 5] = [16, 8, 4, 2, 1];

/// The texts that insert so many rows.
#[doc(hidden)]
pub type Texts = [OnceLock<String>; SIZES.len()];

#[doc(hidden)]
pub fn write_all<T: Columns>(
    to: &dyn Sql,
    texts: &Texts,
    table: &str,
    columns: &[&'static str],
    fixed: &[&dyn ToSql],
    mut rows: &[T],
) -> Result<()> {
    for (size, text) in SIZES.into_iter().zip(texts) {
        while let Some((now, later)) = rows.split_at_checked(size).filter(|(now, _)| !now.is_empty()) {
            let text = text.get_or_init(|| insert_rows::<T>(table, columns, size));
            let mut values = Vec::with_capacity(size * (fixed.len() + names::<T>().len()));
            for row in now {
                for value in fixed {
                    values.push(value.to_sql()?);
                }
                row.values(&mut values)?;
            }
            let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
            to.execute(text, &values)?;
            rows = later;
        }
    }
    Ok(())
}

fn insert_rows<T: Columns>(table: &str, columns: &[&'static str], rows: usize) -> String {
    let columns: Vec<_> = columns.iter().copied().chain(names::<T>()).collect();
    let row = format!("({})", vec!["?"; columns.len()].join(", "));
    format!("INSERT INTO {table} ({}) VALUES {}", columns.join(", "), vec![row; rows].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{DbError, one};
    use rusqlite::Connection;
    use tiffin_common::{Cents, words};

    words! {
        /// How it is sold.
        pub enum Sold {
            /// By the piece.
            Piece = "PIECE",
        }
    }

    table! {
        /// A part of a row.
        #[derive(PartialEq, Eq)]
        pub struct Prices: sample {
            /// The price.
            pub price: Cents => price_cents,
            /// Days.
            pub days: Vec<i64> => json,
        }
    }

    table! {
        /// A row.
        #[derive(PartialEq, Eq)]
        pub struct Sample: sample {
            /// Its id.
            pub id: i64,
            /// How it is sold.
            pub kind: Sold => type,
            /// A part.
            pub prices: Prices => flat,
            /// Not stored.
            pub beside: Vec<i64> => none,
        }
    }

    fn store() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(
            "CREATE TABLE sample (days TEXT, price_cents INT, type TEXT, id INT, version INT DEFAULT 1)",
        )
        .unwrap();
        conn
    }

    fn find(conn: &Connection) -> Result<Sample> {
        one(conn, crate::select!(Sample as s, "version", "WHERE s.id = ?1"), [7], Sample::read)
    }

    #[test]
    fn a_row_is_written_read_and_changed_by_the_names_of_its_columns() {
        let conn = store();
        let prices = Prices { price: Cents::new(250), days: vec![1, 5] };
        let mut sample = Sample { id: 7, kind: Sold::Piece, prices, beside: vec![] };
        crate::insert!(&conn, sample { version: 3, ..&sample }).unwrap();
        assert_eq!(find(&conn).unwrap(), sample);
        sample.prices.price = Cents::new(300);
        let changed =
            crate::updated!(&conn, sample { ..&sample.prices; "version = version + 1" } where { id: 7 });
        assert_eq!(changed.unwrap(), 1);
        assert_eq!(find(&conn).unwrap(), sample);
        assert_eq!(crate::updated!(&conn, sample { version: 9 } where { id: 7; "version = 3" }).unwrap(), 0);
        assert_eq!(crate::updated!(&conn, sample { version: 9 } where { id: 7, version: 4 }).unwrap(), 1);
    }

    #[test]
    fn many_rows_are_written_each_once_however_many() {
        let conn = store();
        for count in [0, 1, 3, 16, 17, 47] {
            conn.execute_batch("DELETE FROM sample").unwrap();
            let prices = Prices { price: Cents::new(250), days: vec![1, 5] };
            let row = |id| Sample { id, kind: Sold::Piece, prices: prices.clone(), beside: vec![] };
            let rows: Vec<Sample> = (0..count).map(row).collect();
            crate::insert_all!(&conn, sample { version: 3, ..&rows }).unwrap();
            let read = crate::select!(Sample as s, "ORDER BY s.id");
            assert_eq!(crate::db::list(&conn, read, [], Sample::read).unwrap(), rows);
            let version: Result<i64> =
                one(&conn, "SELECT coalesce(sum(version), 0) FROM sample", [], |row| row.get(0));
            assert_eq!(version.unwrap(), 3 * count);
        }
    }

    #[test]
    fn what_cannot_be_read_fails_its_row_and_says_where() {
        let conn = store();
        conn.execute_batch("INSERT INTO sample (id, type, price_cents, days) VALUES (7, 'CRATE', 1, '[]')")
            .unwrap();
        let before = crate::db::unreadable_values();
        let Err(DbError::Unreadable(unreadable)) = find(&conn) else { panic!("it was read") };
        assert_eq!((unreadable.table, unreadable.column.as_str()), ("sample", "type"));
        assert_eq!(unreadable.id.as_deref(), Some("7"));
        assert_eq!(unreadable.reason, "\"CRATE\" is no Sold");
        assert!(crate::db::unreadable_values() > before);
    }
}
