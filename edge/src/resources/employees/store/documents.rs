//! Rows of `employee_documents` and the content that belongs to each. Never reads a content but to hand it out.

use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::employees::rules::documents::Document;
use rusqlite::params;
use tiffin_common::Uuid;

/// The document of that id, of that employee.
pub(in super::super) fn find(
    conn: &dyn Source,
    outlet: Uuid,
    employee: Uuid,
    id: Uuid,
) -> db::Result<Option<Document>> {
    let sql = select!(Document, "WHERE id = ?1 AND outlet_id = ?2 AND employee_id = ?3");
    opt(conn, sql, [id, outlet, employee], Document::read)
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
    let sql = select!(
        Document,
        "WHERE outlet_id = ?1 AND employee_id = ?2 ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4"
    );
    let items = rows(conn, sql, params![outlet, employee, paging.limit, paging.offset], Document::read)?;
    Ok(Page { items, total })
}

/// The content of a document.
pub(in super::super) fn find_content(conn: &dyn Source, id: Uuid) -> db::Result<Option<Vec<u8>>> {
    let sql = "SELECT content FROM employee_document_contents WHERE document_id = ?1";
    opt(conn, sql, [id], |row| row.get(0))
}

/// Bytes `offset` and on of a content, at most `most` of them; none where it is not here.
pub(in super::super) fn find_part(
    conn: &dyn Source,
    id: Uuid,
    offset: i64,
    most: usize,
) -> db::Result<Option<Vec<u8>>> {
    let sql = "SELECT substr(content, ?2 + 1, ?3) FROM employee_document_contents WHERE document_id = ?1";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    opt(conn, sql, params![id, offset, most], |row| row.get(0))
}

/// The newest document of this box.
pub(in super::super) fn find_newest(conn: &dyn Source) -> db::Result<Option<Uuid>> {
    opt(conn, "SELECT id FROM employee_documents ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
}

/// Documents whose content is not here, of every outlet; the newest first.
pub(in super::super) fn list_without_content(conn: &dyn Source) -> db::Result<Vec<Document>> {
    let sql = select!(
        Document,
        "WHERE NOT EXISTS (SELECT 1 FROM employee_document_contents c WHERE c.document_id = employee_documents.id)
         ORDER BY id DESC LIMIT 100"
    );
    rows(conn, sql, [], Document::read)
}

/// Writes the content of a document that is there without it; does nothing where there is no such document.
pub(in super::super) fn insert_content(tx: &Tx<'_>, id: Uuid, content: &[u8]) -> db::Result<()> {
    let sql = "INSERT INTO employee_document_contents (document_id, outlet_id, content)
        SELECT id, outlet_id, ?2 FROM employee_documents WHERE id = ?1 ON CONFLICT (document_id) DO NOTHING";
    tx.execute(sql, params![id, content])
}

/// Writes a document and its content.
pub(in super::super) fn insert(
    tx: &Tx<'_>,
    actor: &Actor,
    document: &Document,
    content: &[u8],
) -> db::Result<()> {
    insert!(tx, employee_documents { outlet_id: actor.outlet_id, ..document })?;
    insert!(
        tx,
        employee_document_contents { document_id: document.id, outlet_id: actor.outlet_id, content: content }
    )
}

/// Deletes a document; its content goes with it.
pub(in super::super) fn delete(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "DELETE FROM employee_documents WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, [id, actor.outlet_id])
}
