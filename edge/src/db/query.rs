//! Reading rows through cached statements. Never writes.

use super::error::{DbError, Result};
use super::source::{Bind, Row, Source};

/// The one row of `sql`.
///
/// # Errors
/// [`DbError::Missing`] when there is none; whatever the store reports.
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
