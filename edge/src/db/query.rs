//! Reading rows through cached statements. Never writes.

use super::error::{DbError, Result};
use super::source::{Bind, Row, Source};
use super::table::{self, Columns};
use rusqlite::types::ToSql;

/// The one row of `sql`.
///
/// # Errors
/// [`DbError::Missing`] when there is none.
pub fn one<T, P: Bind>(
    from: &dyn Source,
    sql: &str,
    params: P,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<T> {
    opt(from, sql, params, read)?.ok_or(DbError::Missing)
}

/// The first row of `sql`, if any.
pub fn opt<T, P: Bind>(
    from: &dyn Source,
    sql: &str,
    params: P,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let (mut read, mut found) = (Some(read), None);
    params.with(|params| {
        from.rows(sql, params, &mut |row| {
            if let Some(read) = read.take() {
                found = Some(read(row)?);
            }
            Ok(false)
        })
    })?;
    Ok(found)
}

/// All rows of `sql`.
pub fn list<T, P: Bind>(
    from: &dyn Source,
    sql: &str,
    params: P,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    params.with(|params| {
        from.rows(sql, params, &mut |row| {
            found.push(read(row)?);
            Ok(true)
        })
    })?;
    Ok(found)
}

/// One page of rows and how many there are in all.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The rows of this page.
    pub items: Vec<T>,
    /// Rows in the whole list.
    pub total: i64,
}

impl<T> Page<T> {
    /// The page with each row as `change` makes it.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn try_map<U, E>(self, change: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        let items = self.items.into_iter().map(change).collect::<Result<_, E>>()?;
        Ok(Page { items, total: self.total })
    }

    /// The page with each row as `change` makes it.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(change).collect(), total: self.total }
    }
}

impl<T: Columns> Page<T> {
    /// The page of the declared rows that `condition` finds with `params`, in `order`.
    pub fn read(
        from: &dyn Source,
        (condition, order): (&str, &str),
        params: &[&dyn ToSql],
        paging: impl Into<(u32, u32)>,
    ) -> Result<Page<T>> {
        let sql = table::select::<T>("", "", &format!("WHERE {condition} ORDER BY {order}"));
        let count = format!("SELECT count(*) FROM {} WHERE {condition}", T::TABLE);
        page(from, (&sql, &count), params, paging.into(), T::read)
    }
}

/// The page behind `offset` rows, of `limit` rows, of `sql`, which says no limit itself; `count` counts them all, by the same
/// parameters.
pub fn page<T>(
    from: &dyn Source,
    (sql, count): (&str, &str),
    params: &[&dyn ToSql],
    (limit, offset): (u32, u32),
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Page<T>> {
    let behind = params.len();
    let sql = format!("{sql} LIMIT ?{} OFFSET ?{}", behind.saturating_add(1), behind.saturating_add(2));
    let mut all = params.to_vec();
    all.extend([&limit as &dyn ToSql, &offset]);
    let items = list(from, &sql, all.as_slice(), read)?;
    let total = one(from, count, params, |row| row.get(0))?;
    Ok(Page { items, total })
}
