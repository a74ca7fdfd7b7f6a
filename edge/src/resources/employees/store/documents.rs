//! Rows of `employee_documents` and the content that belongs to each. Never reads a content but to hand it out.

use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::employees::rules::documents::{Document, DocumentKind, FileKind};
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::Uuid;

const COLUMNS: &str = "id, employee_id, kind, title, file_name, media_type, size_bytes, hash, uploaded_by, uploaded_by_name, created_at";

fn name<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> db::Result<T> {
    read(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown name".into(),
        ))
    })
}

fn read(row: &Row<'_>) -> db::Result<Document> {
    Ok(Document {
        id: row.get(0)?,
        employee_id: row.get(1)?,
        kind: name(row, 2, DocumentKind::of_name)?,
        title: row.get(3)?,
        file_name: row.get(4)?,
        file_kind: name(row, 5, FileKind::of_media_type)?,
        size_bytes: row.get(6)?,
        hash: row.get(7)?,
        uploaded_by: row.get(8)?,
        uploaded_by_name: row.get(9)?,
        created_at: row.get(10)?,
    })
}

/// The document of that id, of that employee.
pub(in super::super) fn find(
    conn: &dyn Source,
    outlet: Uuid,
    employee: Uuid,
    id: Uuid,
) -> db::Result<Option<Document>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM employee_documents WHERE id = ?1 AND outlet_id = ?2 AND employee_id = ?3"
    );
    opt(conn, &sql, [id, outlet, employee], read)
}

/// A page of an employee's documents, newest first.
pub(in super::super) fn list(
    conn: &dyn Source,
    outlet: Uuid,
    employee: Uuid,
    paging: Paging,
) -> db::Result<Page<Document>> {
    let count = "SELECT count(*) FROM employee_documents WHERE outlet_id = ?1 AND employee_id = ?2";
    let total = one(conn, count, [outlet, employee], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM employee_documents WHERE outlet_id = ?1 AND employee_id = ?2
         ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4"
    );
    Ok(Page { items: rows(conn, &sql, params![outlet, employee, paging.limit, paging.offset], read)?, total })
}

/// The content of a document.
pub(in super::super) fn content(conn: &dyn Source, id: Uuid) -> db::Result<Option<Vec<u8>>> {
    let sql = "SELECT content FROM employee_document_contents WHERE document_id = ?1";
    opt(conn, sql, [id], |row| row.get(0))
}

/// Writes a document and its content.
pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    actor: &Actor,
    document: &Document,
    content: &[u8],
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO employee_documents (id, outlet_id, employee_id, kind, title, file_name, media_type, size_bytes, hash,
           uploaded_by, uploaded_by_name, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            document.id,
            actor.outlet_id,
            document.employee_id,
            document.kind.name(),
            document.title,
            document.file_name,
            document.file_kind.media_type(),
            document.size_bytes,
            document.hash,
            document.uploaded_by,
            document.uploaded_by_name,
            document.created_at,
        ],
    )?;
    let sql = "INSERT INTO employee_document_contents (document_id, outlet_id, content) VALUES (?1, ?2, ?3)";
    tx.execute(sql, params![document.id, actor.outlet_id, content]).map(drop)
}

/// Deletes a document; its content goes with it.
pub(in super::super) fn delete(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "DELETE FROM employee_documents WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, [id, actor.outlet_id]).map(drop)
}
