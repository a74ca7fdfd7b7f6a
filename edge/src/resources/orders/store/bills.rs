//! Rows of invoices and credit notes. Only ever inserted; each holds the hash of the one before it in its series.

use super::super::rules::invoices::{
    Bill, Document, InvoiceKind, InvoiceRow, canonical, chain, genesis, mark_in,
};
use super::super::rules::signing::{SigningKey, signed};
use crate::access::Actor;
use crate::db::{self, Columns, DbError, Source, Tx, list as rows, opt};
use crate::http::{Page, Paging};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::ToSql;
use tiffin_common::Uuid;

/// Keeps `bill`, linked to the one before it in its series and signed by the box.
pub fn insert_invoice(tx: &Tx<'_>, actor: &Actor, bill: &Bill) -> db::Result<Uuid> {
    let mark = mark_in(&bill.number, &bill.fiscal_year).unwrap_or_default();
    // Two lives that nobody could tell apart may have given one serial: the chain goes on from the later.
    let sql = "SELECT hash FROM invoices WHERE outlet_id = ?1 AND kind = ?2 AND fiscal_year = ?3 AND serial < ?4
        AND substr(number, instr(number, '/') + 1 + length(fiscal_year), 1) = ?5 ORDER BY serial DESC, id DESC LIMIT 1";
    let letter = mark.to_string();
    let of = params![actor.outlet_id, bill.kind, bill.fiscal_year, bill.serial, letter];
    let last = opt(tx, sql, of, |row| row.get(0))?;
    let previous_hash =
        last.unwrap_or_else(|| genesis(actor.outlet_id, bill.kind, &bill.fiscal_year, mark).to_vec());
    let value = serde_json::to_value(bill).map_err(|error| DbError::Other(error.to_string()))?;
    let body = canonical(&value);
    let hash = chain(&previous_hash, &body).to_vec();
    let row = InvoiceRow {
        id: tx.new_id(),
        kind: bill.kind,
        fiscal_year: bill.fiscal_year.clone(),
        serial: bill.serial,
        number: bill.number.clone(),
        order_id: bill.order_id,
        refers_to_id: bill.refers_to.as_ref().map(|reference| reference.id),
        total: bill.total_cents,
        tax: bill.tax_cents,
        service_charge: bill.service_charge_cents,
        rounding: bill.rounding_cents,
        signature: tx.signer().map(|signer| signer.sign(&signed(actor.outlet_id, &hash))),
        hash,
        body,
        previous_hash,
        business_date: bill.business_date,
        at: bill.at,
        by_id: actor.account_id,
        clock_suspect: tx.is_clock_doubtful(),
        customer_tax_id: bill.customer_tax_id.clone(),
        customer_legal_name: bill.customer_legal_name.clone(),
        customer_address: bill.customer_address.clone(),
    };
    insert!(tx, invoices { outlet_id: actor.outlet_id, ..&row })?;
    Ok(row.id)
}

/// The keys that boxes of the outlet have signed with, in their order.
pub fn list_signing_keys(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<SigningKey>> {
    rows(conn, select!(SigningKey, "WHERE outlet_id = ?1 ORDER BY begun_at, id"), [outlet], SigningKey::read)
}

/// Keeps the public half of a key that now signs its first document.
pub fn insert_signing_key(tx: &Tx<'_>, outlet: Uuid, key: &SigningKey) -> db::Result<()> {
    insert!(tx, signing_keys { outlet_id: outlet, ..key })
}

/// The document of that id.
pub fn find_document(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Document>> {
    opt(conn, select!(Document, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet], Document::read)
}

/// The credit notes of an invoice, in their order.
pub fn list_credits(conn: &dyn Source, order: Uuid, invoice: Uuid) -> db::Result<Vec<Document>> {
    let sql = select!(Document, "WHERE order_id = ?1 AND refers_to_id = ?2 ORDER BY at, serial");
    rows(conn, sql, [order, invoice], Document::read)
}

/// Which documents a list shows; none of a field: any.
#[derive(Debug, Clone, Default)]
pub struct InvoiceFilter {
    /// Of this kind.
    pub kind: Option<InvoiceKind>,
    /// Of this business date or later.
    pub from: Option<NaiveDate>,
    /// Of this business date or earlier.
    pub to: Option<NaiveDate>,
    /// Of this order.
    pub order_id: Option<Uuid>,
    /// Of this number.
    pub number: Option<String>,
    /// By a clock that was not followed, or not so.
    pub clock_suspect: Option<bool>,
    /// Made out to a business, or not so.
    pub b2b: Option<bool>,
}

/// A page of documents, newest first.
pub fn list_invoices(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &InvoiceFilter,
    paging: Paging,
) -> db::Result<Page<Document>> {
    let mut condition = "outlet_id = ?1".to_owned();
    let mut params: Vec<&dyn ToSql> = vec![&outlet];
    let conditions: [(&str, Option<&dyn ToSql>); 6] = [
        ("kind =", filter.kind.as_ref().map(|kind| kind as _)),
        ("business_date >=", filter.from.as_ref().map(|date| date as _)),
        ("business_date <=", filter.to.as_ref().map(|date| date as _)),
        ("order_id =", filter.order_id.as_ref().map(|id| id as _)),
        ("number =", filter.number.as_ref().map(|number| number as _)),
        ("clock_suspect =", filter.clock_suspect.as_ref().map(|is_suspect| is_suspect as _)),
    ];
    for (text, value) in conditions {
        if let Some(value) = value {
            params.push(value);
            condition.push_str(&format!(" AND {text} ?{}", params.len()));
        }
    }
    match filter.b2b {
        Some(true) => condition.push_str(" AND customer_tax_id IS NOT NULL"),
        Some(false) => condition.push_str(" AND customer_tax_id IS NULL"),
        None => {}
    }
    Page::read(conn, (&condition, "at DESC, id DESC"), &params, paging)
}

/// Hands every document of the outlet to `look`, series by series, in the order of their serials.
pub fn each_invoice(conn: &dyn Source, outlet: Uuid, mut look: impl FnMut(InvoiceRow)) -> db::Result<()> {
    let sql = select!(InvoiceRow, "WHERE outlet_id = ?1 ORDER BY kind, fiscal_year, serial, id");
    conn.rows(sql, &[&outlet], &mut |row| {
        look(InvoiceRow::read(row)?);
        Ok(true)
    })
}

/// The highest serial given in each series of documents, as the counters have it.
pub fn list_serials(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(String, i64)>> {
    let sql = "SELECT series, value FROM counters WHERE outlet_id = ?1
               AND (series GLOB 'INVOICE:*' OR series GLOB 'CREDIT_NOTE:*') ORDER BY series";
    rows(conn, sql, [outlet], |row| Ok((row.get("series")?, row.get("value")?)))
}
