//! What can happen to the papers of the staff: filed, taken out again, and their contents put back from head office. Never changed.

use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::employees::rules::documents::{Document, DocumentKind, FileKind, file_name};
use crate::resources::employees::rules::{EmployeeError, Result};
use crate::resources::employees::store;
use serde_json::{Value, json};
use tiffin_common::Uuid;

/// A file that was handed in.
#[derive(Debug, Clone)]
pub struct Upload {
    /// What it is for.
    pub kind: DocumentKind,
    /// What staff call it; its file name where absent.
    pub title: Option<String>,
    /// The name the client gave.
    pub given_name: String,
    /// What its first bytes say it is.
    pub file_kind: FileKind,
    /// The content.
    pub content: Vec<u8>,
}

/// A paper whose record is here without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// Its id.
    pub id: Uuid,
    /// Bytes that its content has.
    pub size: usize,
    /// The content's BLAKE3.
    pub hash: [u8; 32],
}

/// Files a paper of an employee.
///
/// # Errors
/// No such employee.
pub fn file(tx: &Tx<'_>, actor: &Actor, employee: Uuid, upload: &Upload) -> Result<Document> {
    let employee = store::find(tx, actor.outlet_id, employee)?.ok_or(EmployeeError::NotFound("employee"))?;
    let file_name = file_name(&upload.given_name, upload.file_kind);
    let document = Document {
        id: tx.new_id(),
        employee_id: employee.id,
        kind: upload.kind,
        title: upload.title.clone().unwrap_or_else(|| file_name.clone()),
        file_name,
        file_kind: upload.file_kind,
        size_bytes: i64::try_from(upload.content.len()).unwrap_or(i64::MAX),
        hash: *blake3::hash(&upload.content).as_bytes(),
        uploaded_by: actor.account_id,
        uploaded_by_name: actor.name.clone(),
        created_at: tx.now(),
    };
    store::documents::insert(tx, actor, &document, &upload.content)?;
    let entry = Entry::new("employee.document_add", "employee", Some(employee.id)).after(&audited(&document));
    audit::actions::record(tx, actor, entry)?;
    Ok(document)
}

/// Takes a paper out of an employee's file, content and all.
///
/// # Errors
/// No such employee or document.
pub fn take_out(tx: &Tx<'_>, actor: &Actor, employee: Uuid, id: Uuid) -> Result<Document> {
    let employee = store::find(tx, actor.outlet_id, employee)?.ok_or(EmployeeError::NotFound("employee"))?;
    let found = store::documents::find(tx, actor.outlet_id, employee.id, id)?;
    let document = found.ok_or(EmployeeError::NoDocument)?;
    store::documents::delete(tx, actor, document.id)?;
    let entry =
        Entry::new("employee.document_remove", "employee", Some(employee.id)).before(&audited(&document));
    audit::actions::record(tx, actor, entry)?;
    Ok(document)
}

/// The newest paper of this box.
pub fn newest(conn: &dyn Source) -> db::Result<Option<Uuid>> {
    store::documents::find_newest(conn)
}

/// Papers whose contents are not here: of a box that took another's place, or was put back. At most a hundred, the newest first.
pub fn lacking(conn: &dyn Source) -> db::Result<Vec<Lacking>> {
    let found = store::documents::list_without_content(conn)?;
    let lacking = |paper: Document| Lacking {
        id: paper.id,
        size: usize::try_from(paper.size_bytes).unwrap_or(0),
        hash: paper.hash,
    };
    Ok(found.into_iter().map(lacking).collect())
}

/// At most `most` bytes of a content from `offset` on; none where it is not here.
pub fn part(conn: &dyn Source, id: Uuid, offset: i64, most: usize) -> db::Result<Option<Vec<u8>>> {
    store::documents::find_part(conn, id, offset, most)
}

/// Puts back the content of a paper, as head office kept it.
pub fn fill(tx: &Tx<'_>, id: Uuid, content: &[u8]) -> db::Result<()> {
    store::documents::insert_content(tx, id, content)
}

fn audited(document: &Document) -> Value {
    json!({
        "documentId": document.id,
        "kind": document.kind,
        "title": document.title,
        "fileName": document.file_name,
        "sizeBytes": document.size_bytes,
    })
}
