//! The papers of the staff: their contents come a part at a time, after the rows that name them, and wait for a box that has the rows
//! without the contents. Never hands one to a person, and keeps none that no row names.

use super::error::HubError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use edge::db::{Columns, Source, Sql, list, one, opt};
use edge::{insert, select, table};
use tiffin_common::Uuid;
use tiffin_common::frame::DecodeError;
use tiffin_common::sync::{PAPER_PART, PaperPart, PaperPlace, PapersLacking};

/// Papers of one answer of [`lacking`].
const MOST: i64 = 20;

table! {
    /// What a paper is to be.
    struct Paper: employee_documents {
        size: i64 => size_bytes,
        hash: [u8; 32],
    }
}

/// What is lacking of the outlet's papers.
pub fn lacking(from: &dyn Source, outlet: Uuid) -> Result<PapersLacking, HubError> {
    const LACKING: &str = "SELECT id, held FROM (
          SELECT d.id AS id, d.size_bytes AS size_bytes,
            (SELECT coalesce(sum(length(p.content)), 0) FROM hub_papers p
             WHERE p.outlet_id = ?1 AND p.document_id = d.id) AS held
          FROM employee_documents d WHERE d.outlet_id = ?1) papers
        WHERE held < size_bytes ORDER BY id LIMIT ?2";
    const NEWEST: &str = "SELECT id FROM employee_documents WHERE outlet_id = ?1 ORDER BY id DESC LIMIT 1";
    let place =
        |row: &edge::db::Row<'_>| Ok(PaperPlace { document: row.get("id")?, offset: row.get("held")? });
    Ok(PapersLacking {
        papers: list(from, LACKING, (outlet, MOST), place)?,
        newest: opt(from, NEWEST, [outlet], |row| row.get("id"))?,
    })
}

/// Takes a part, if it is the next one; answers where to go on. A paper that is whole and not what its row says begins anew.
///
/// # Errors
/// No row names such a paper; a part that is empty, too large, longer than the paper, or no base64.
pub fn take(sql: &dyn Sql, outlet: Uuid, part: &PaperPart) -> Result<PaperPlace, HubError> {
    const ALL: &str = "DELETE FROM hub_papers WHERE outlet_id = ?1 AND document_id = ?2";
    let document = part.document;
    let content =
        STANDARD.decode(&part.content).map_err(|_| DecodeError("a part of a paper that is not base64"))?;
    let paper = find(sql, outlet, document)?.ok_or(HubError::NotFound("document"))?;
    let held = held(sql, outlet, document)?;
    if part.offset != held {
        return Ok(PaperPlace { document, offset: held });
    }
    let end = held.saturating_add(i64::try_from(content.len()).unwrap_or(i64::MAX));
    if content.is_empty() || content.len() > PAPER_PART || end > paper.size {
        return Err(HubError::Invalid("a part that is empty or too long".into()));
    }
    insert!(sql, hub_papers { outlet_id: outlet, document_id: document, start: held, content: content })?;
    if end == paper.size && hash(sql, outlet, document)? != paper.hash {
        tracing::warn!(%outlet, %document, "a paper came that is not what its row says");
        sql.execute(ALL, &[&outlet, &document])?;
        return Ok(PaperPlace { document, offset: 0 });
    }
    Ok(PaperPlace { document, offset: end })
}

/// The part that begins there.
///
/// # Errors
/// [`HubError::NotFound`] where none does, or the paper is not whole yet.
pub fn part(from: &dyn Source, outlet: Uuid, place: PaperPlace) -> Result<PaperPart, HubError> {
    const PART: &str =
        "SELECT content FROM hub_papers WHERE outlet_id = ?1 AND document_id = ?2 AND start = ?3";
    let PaperPlace { document, offset } = place;
    let missing = || HubError::NotFound("part of a document");
    let paper = find(from, outlet, document)?.ok_or_else(missing)?;
    if held(from, outlet, document)? != paper.size {
        return Err(missing());
    }
    let content: Option<Vec<u8>> = opt(from, PART, (outlet, document, offset), |row| row.get(0))?;
    let content = STANDARD.encode(content.ok_or_else(missing)?);
    Ok(PaperPart { document, offset, content })
}

/// Forgets papers that no row names any more; answers how many parts.
pub(super) fn forget(sql: &dyn Sql, outlet: Uuid) -> edge::db::Result<u64> {
    const GONE: &str = "DELETE FROM hub_papers WHERE outlet_id = ?1
        AND document_id NOT IN (SELECT id FROM employee_documents WHERE outlet_id = ?1)";
    Ok(sql.execute(GONE, &[&outlet])? as u64)
}

/// What the outlet's row says of the paper.
fn find(from: &dyn Source, outlet: Uuid, document: Uuid) -> edge::db::Result<Option<Paper>> {
    opt(from, select!(Paper, "WHERE outlet_id = ?1 AND id = ?2"), [outlet, document], Paper::read)
}

/// Bytes that are here.
fn held(from: &dyn Source, outlet: Uuid, document: Uuid) -> edge::db::Result<i64> {
    const HELD: &str = "SELECT coalesce(sum(length(content)), 0) FROM hub_papers
        WHERE outlet_id = ?1 AND document_id = ?2";
    one(from, HELD, [outlet, document], |row| row.get(0))
}

fn hash(from: &dyn Source, outlet: Uuid, document: Uuid) -> edge::db::Result<[u8; 32]> {
    const PARTS: &str =
        "SELECT content FROM hub_papers WHERE outlet_id = ?1 AND document_id = ?2 ORDER BY start";
    let mut hasher = blake3::Hasher::new();
    from.rows(PARTS, &[&outlet, &document], &mut |row| {
        hasher.update(&row.get::<_, Vec<u8>>("content")?);
        Ok(true)
    })?;
    Ok(*hasher.finalize().as_bytes())
}
