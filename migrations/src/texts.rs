//! The functions by which a migration cleans texts; SQL's own stop at U+0000. Never decides what a text may hold: `tiffin_common` does.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use tiffin_common::text;

/// Gives `conn` the functions `tiffin_clean(text)` and `tiffin_is_unclean(text)`; null stays null.
pub(crate) fn teach(conn: &Connection) {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    // Where SQLite refuses them, the migration that needs them fails and names them.
    let _ = conn.create_scalar_function("tiffin_clean", 1, flags, |given| {
        Ok(given.get::<Option<String>>(0)?.map(|given| text::clean(&given).into_owned()))
    });
    let _ = conn.create_scalar_function("tiffin_is_unclean", 1, flags, |given| {
        Ok(given.get::<Option<String>>(0)?.is_some_and(|given| !text::is_clean(&given)))
    });
}
