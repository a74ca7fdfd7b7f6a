//! Rows of invoices and credit notes. Only ever inserted; each holds the hash of the one before it in its series.

use super::super::rules::invoices::{Bill, InvoiceKind, canonical, chain, genesis};
use super::super::rules::verify::Link;
use super::{date, text};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, each, list as rows, one, opt};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Value;
use tiffin_common::{Cents, Millis, Uuid};

/// A document, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of invoices")]
pub struct InvoiceRow {
    pub id: Uuid,
    pub kind: InvoiceKind,
    pub fiscal_year: String,
    pub serial: i64,
    pub number: String,
    pub order_id: Uuid,
    pub refers_to_id: Option<Uuid>,
    pub total: Cents,
    pub tax: Cents,
    pub body: String,
    pub previous_hash: Vec<u8>,
    pub hash: Vec<u8>,
    pub business_date: NaiveDate,
    pub at: Millis,
}

impl InvoiceRow {
    /// What the proof of the chain looks at.
    pub fn link(&self) -> Link<'_> {
        Link {
            kind: self.kind,
            fiscal_year: &self.fiscal_year,
            serial: self.serial,
            number: &self.number,
            order_id: self.order_id,
            refers_to_id: self.refers_to_id,
            total: self.total,
            tax: self.tax,
            body: &self.body,
            previous_hash: &self.previous_hash,
            hash: &self.hash,
        }
    }
}

const COLUMNS: &str =
    "id, kind, fiscal_year, serial, number, order_id, refers_to_id, total_cents, tax_cents, body,
  previous_hash, hash, business_date, at";

fn read(row: &Row<'_>) -> db::Result<InvoiceRow> {
    Ok(InvoiceRow {
        id: row.get(0)?,
        kind: text(row, 1, InvoiceKind::of_name)?,
        fiscal_year: row.get(2)?,
        serial: row.get(3)?,
        number: row.get(4)?,
        order_id: row.get(5)?,
        refers_to_id: row.get(6)?,
        total: row.get(7)?,
        tax: row.get(8)?,
        body: row.get(9)?,
        previous_hash: row.get(10)?,
        hash: row.get(11)?,
        business_date: date(row, 12)?,
        at: row.get(13)?,
    })
}

/// Keeps `bill`, linked to the one before it in its series.
pub fn insert_invoice(tx: &Transaction<'_>, actor: &Actor, bill: &Bill) -> db::Result<Uuid> {
    let kind = bill.kind;
    let last: Option<Vec<u8>> = opt(
        tx,
        "SELECT hash FROM invoices WHERE outlet_id = ?1 AND kind = ?2 AND fiscal_year = ?3 ORDER BY serial DESC LIMIT 1",
        params![actor.outlet_id, kind.name(), bill.fiscal_year],
        |row| row.get(0),
    )?;
    let previous = last.unwrap_or_else(|| genesis(actor.outlet_id, kind, &bill.fiscal_year).to_vec());
    let value = serde_json::to_value(bill)
        .map_err(|error| db::DbError::from(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))?;
    let body = canonical(&value);
    let hash = chain(&previous, &body);
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO invoices (id, outlet_id, kind, fiscal_year, serial, number, order_id, refers_to_id, total_cents,
           tax_cents, body, previous_hash, hash, business_date, at, by_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        params![
            id,
            actor.outlet_id,
            kind.name(),
            bill.fiscal_year,
            bill.serial,
            bill.number,
            bill.order_id,
            bill.refers_to.as_ref().map(|reference| reference.id),
            bill.total_cents,
            bill.tax_cents,
            body,
            previous,
            hash,
            bill.business_date.to_string(),
            bill.at,
            actor.account_id,
        ],
    )?;
    Ok(id)
}

/// The document of that id.
pub fn invoice(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<InvoiceRow>> {
    let sql = format!("SELECT {COLUMNS} FROM invoices WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [id, outlet], read)
}

/// The credit notes of an invoice, in their order.
pub fn credits_of(conn: &dyn Source, order: Uuid, invoice: Uuid) -> db::Result<Vec<InvoiceRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM invoices WHERE order_id = ?1 AND refers_to_id = ?2 ORDER BY at, serial"
    );
    rows(conn, &sql, [order, invoice], read)
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
}

/// A page of documents, newest first, and how many there are in all.
pub fn list_invoices(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &InvoiceFilter,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<InvoiceRow>, i64)> {
    let blob = |id: Uuid| Value::Blob(id.as_bytes().to_vec());
    let conditions = [
        (" AND kind =", filter.kind.map(|kind| Value::Text(kind.name().to_owned()))),
        (" AND business_date >=", filter.from.map(|day| Value::Text(day.to_string()))),
        (" AND business_date <=", filter.to.map(|day| Value::Text(day.to_string()))),
        (" AND order_id =", filter.order_id.map(blob)),
        (" AND number =", filter.number.clone().map(Value::Text)),
    ];
    let mut condition = "outlet_id = ?1".to_owned();
    let mut values = vec![blob(outlet)];
    for (text, value) in conditions {
        if let Some(value) = value {
            values.push(value);
            condition.push_str(&format!("{text} ?{}", values.len()));
        }
    }
    let count = format!("SELECT count(*) FROM invoices WHERE {condition}");
    let total = one(conn, &count, each(values.iter()), |row| row.get(0))?;
    let (limit_at, offset_at) = (values.len() + 1, values.len() + 2);
    let page = format!(
        "SELECT {COLUMNS} FROM invoices WHERE {condition} ORDER BY at DESC, id DESC LIMIT ?{limit_at} OFFSET ?{offset_at}"
    );
    values.extend([Value::Integer(i64::from(limit)), Value::Integer(i64::from(offset))]);
    Ok((rows(conn, &page, each(values.iter()), read)?, total))
}

/// Hands every document of the outlet to `look`, series by series, in the order of their serials.
pub fn each_invoice(conn: &dyn Source, outlet: Uuid, mut look: impl FnMut(InvoiceRow)) -> db::Result<()> {
    let sql =
        format!("SELECT {COLUMNS} FROM invoices WHERE outlet_id = ?1 ORDER BY kind, fiscal_year, serial");
    conn.rows(&sql, &[&outlet], &mut |row| {
        look(read(row)?);
        Ok(true)
    })
}

/// The highest serial given in each series of documents, as the counters have it.
pub fn given_serials(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(String, i64)>> {
    let sql = "SELECT series, value FROM counters WHERE outlet_id = ?1
               AND (series GLOB 'INVOICE:*' OR series GLOB 'CREDIT_NOTE:*') ORDER BY series";
    rows(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?)))
}
