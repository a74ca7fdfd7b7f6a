//! The database schemas, embedded in the binaries. Never edits a shipped file: refinery checks their sums.

/// The branch's migrations.
mod edge_files {
    refinery::embed_migrations!("edge");
}

/// Brings a branch database to the newest schema and returns its version. Each file runs in a transaction of its own.
///
/// # Errors
/// Whatever refinery reports: a failed statement, or a shipped migration whose text differs from the one applied.
pub fn migrate_edge(conn: &mut rusqlite::Connection) -> Result<u32, refinery::Error> {
    edge_files::migrations::runner().run(conn)?;
    Ok(edge_schema_version())
}

/// The newest schema version this binary knows.
pub fn edge_schema_version() -> u32 {
    edge_files::migrations::runner()
        .get_migrations()
        .iter()
        .map(|m| m.version())
        .max()
        .map_or(0, |v| v as u32)
}
