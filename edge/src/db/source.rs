//! Where rows are read from: this box's SQLite, or whatever else answers the same texts (head office reads on its own stores
//! through the very same queries). Never a second dialect: the texts keep to what SQLite and PostgreSQL share.

use super::error::{DbError, Result};
use super::unreadable::Unreadable;
use rusqlite::Connection;
use rusqlite::types::{FromSql, ToSql, ValueRef};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// Something that answers queries. Positions of parameters are written `?1`, `?2`, ….
pub trait Source {
    /// Hands every row of `sql` to `each`, in order, until it answers false or fails.
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()>;
}

/// A [`Source`] whose rows can be changed: head office's own tables, or a branch's through its
/// [`Tx`](super::Tx).
pub trait Sql: Source {
    /// Runs one writing statement and returns how many rows it changed.
    fn execute(&self, sql: &str, params: &[&dyn ToSql]) -> Result<usize>;
}

impl Source for Connection {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let places = Places::default();
        while let Some(row) = rows.next()? {
            places.next.set(0);
            if !each(&Row(Held::Sqlite(row, &places)))? {
                break;
            }
        }
        Ok(())
    }
}

impl Sql for Connection {
    fn execute(&self, sql: &str, params: &[&dyn ToSql]) -> Result<usize> {
        Ok(self.prepare_cached(sql)?.execute(params)?)
    }
}

/// Which column of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column<'n> {
    /// By its place, from 0.
    Place(usize),
    /// By its name.
    Name(&'n str),
}

impl From<usize> for Column<'_> {
    fn from(place: usize) -> Self {
        Column::Place(place)
    }
}

impl<'n> From<&'n str> for Column<'n> {
    fn from(name: &'n str) -> Self {
        Column::Name(name)
    }
}

/// The values of a row that no SQLite statement holds.
pub trait Values {
    /// The value of `column`.
    ///
    /// # Errors
    /// When there is no such column.
    fn value(&self, column: Column<'_>) -> Result<ValueRef<'_>>;

    /// The name of the column at `place`, from 0.
    fn name(&self, place: usize) -> Option<Cow<'_, str>>;
}

/// One row of an answer.
#[derive(Clone, Copy)]
pub struct Row<'r>(Held<'r>);

#[derive(Clone, Copy)]
enum Held<'r> {
    Sqlite(&'r rusqlite::Row<'r>, &'r Places),
    Other(&'r dyn Values),
}

impl<'r> Row<'r> {
    /// A row of another store.
    pub fn of(values: &'r dyn Values) -> Row<'r> {
        Row(Held::Other(values))
    }

    /// The value of `column` as a `T`.
    ///
    /// # Errors
    /// When there is no such column or its value is no `T`.
    pub fn get<'n, C: Into<Column<'n>>, T: FromSql>(&self, column: C) -> Result<T> {
        let column = column.into();
        T::column_result(self.get_ref(column)?).map_err(|error| {
            let id = self.get_ref("id").ok().filter(|id| !matches!(id, ValueRef::Null));
            Unreadable::found(self.name(column), id, &error).into()
        })
    }

    /// The value at `place` as a `T`; `table` is whose it is.
    pub(super) fn get_of<T: FromSql>(&self, table: &'static str, place: usize) -> Result<T> {
        self.get(place).map_err(|error: DbError| match error {
            DbError::Unreadable(unreadable) => Unreadable { table, ..*unreadable }.into(),
            other => other,
        })
    }

    /// What `column` is called.
    fn name(&self, column: Column<'_>) -> String {
        match (self.0, column) {
            (_, Column::Name(name)) => name.to_owned(),
            (Held::Sqlite(row, _), Column::Place(place)) => {
                row.as_ref().column_name(place).unwrap_or_default().to_owned()
            }
            (Held::Other(values), Column::Place(place)) => {
                values.name(place).unwrap_or_default().into_owned()
            }
        }
    }

    /// The bare value of `column`.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn get_ref<'n, C: Into<Column<'n>>>(&self, column: C) -> Result<ValueRef<'_>> {
        match (self.0, column.into()) {
            (Held::Sqlite(row, _), Column::Place(place)) => Ok(row.get_ref(place)?),
            (Held::Sqlite(row, places), Column::Name(name)) => Ok(row.get_ref(places.of(row, name)?)?),
            (Held::Other(values), column) => values.value(column),
        }
    }
}

/// Where the columns are that each row of an answer is asked for: the next row is mostly asked for the same ones in the same order, and
/// SQLite would compare every name again.
#[derive(Default)]
struct Places {
    /// How many columns this row has been asked for.
    next: Cell<usize>,
    found: RefCell<Vec<usize>>,
}

impl Places {
    fn of(&self, row: &rusqlite::Row<'_>, name: &str) -> rusqlite::Result<usize> {
        let next = self.next.replace(self.next.get() + 1);
        let mut found = self.found.borrow_mut();
        let is_at = |place: &&usize| row.as_ref().column_name(**place).is_ok_and(|it| it == name);
        if let Some(place) = found.get(next).filter(is_at) {
            return Ok(*place);
        }
        let place = row.as_ref().column_index(name)?;
        found.truncate(next);
        found.push(place);
        Ok(place)
    }
}

/// Parameters of a query, in order.
pub trait Bind {
    /// Hands the parameters to `use_them`.
    fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R;
}

impl Bind for &[&dyn ToSql] {
    fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_them(self)
    }
}

impl<const N: usize> Bind for &[&dyn ToSql; N] {
    fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_them(self.as_slice())
    }
}

/// `[]` alone must stay unambiguous, as it is in rusqlite.
impl Bind for [&(dyn ToSql + Send + Sync); 0] {
    fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        use_them(&[])
    }
}

macro_rules! arrays {
    ($($length:literal)*) => {
        $(impl<T: ToSql> Bind for [T; $length] {
            fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                use_them(&self.each_ref().map(|value| value as &dyn ToSql))
            }
        })*
    };
}

arrays! { 1 2 3 4 5 6 7 8 }

macro_rules! tuples {
    ($(($($name:ident $place:tt)*))*) => {
        $(impl<$($name: ToSql),*> Bind for ($($name,)*) {
            fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                use_them(&[$(&self.$place as &dyn ToSql),*])
            }
        })*
    };
}

tuples! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5) }

/// Parameters of a list whose length only the request knows.
#[derive(Debug, Clone)]
pub struct Each<T>(pub Vec<T>);

/// The parameters that `values` gives.
pub fn each<T: ToSql>(values: impl IntoIterator<Item = T>) -> Each<T> {
    Each(values.into_iter().collect())
}

impl<T: ToSql> Bind for Each<T> {
    fn with<R>(&self, use_them: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        let params: Vec<&dyn ToSql> = self.0.iter().map(|value| value as &dyn ToSql).collect();
        use_them(&params)
    }
}
