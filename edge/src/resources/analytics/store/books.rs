//! What the accountant's reports are made of: documents and ledgers by date. Never sums what the rules have to agree on.

use super::channels;
use super::families::{MONEY, STOCK, billed, bills, credited, credits, slipped, slips};
use super::question::Question;
use crate::db::{self, Json, Row, Source, list};
use crate::resources::analytics::rules::books::gst::Eco;
use crate::resources::analytics::rules::books::journal::{CASH, GUESTS, Journal, TIPS, Voucher};
use crate::resources::analytics::rules::books::people::{Corrected, Served, Slip, Tipped};
use crate::resources::analytics::rules::documents::Document;
use crate::resources::analytics::rules::parts_of_micros;
use crate::resources::analytics::rules::rows::{Money, Moved};
use crate::resources::inventory::rules::Kind;
use crate::resources::orders::rules::PaymentMethod;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::{BTreeMap, HashMap};
use tiffin_common::{Cents, Uuid};

/// The bills and credit notes of the range in the order of their dates and series.
pub fn list_documents(conn: &dyn Source, question: &Question) -> db::Result<Vec<Document>> {
    let sql = "SELECT body FROM invoices WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
               ORDER BY business_date, kind DESC, fiscal_year, serial, id";
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        row.get::<_, Json<Document>>("body").map(|body| body.0)
    })
}

/// The journal of the range.
pub fn find_journal(conn: &dyn Source, question: &Question) -> db::Result<Journal> {
    let mut journal = Journal::default();
    for document in list_documents(conn, question)? {
        journal.post_document(&document)?;
    }
    for slip in list_slips(conn, question)? {
        journal.post_slip(&slip)?;
    }
    post_money(conn, question, &mut journal)?;
    post_channels(conn, question, &mut journal)?;
    post_write_offs(conn, question, &mut journal)?;
    post_drawers(conn, question, &mut journal)?;
    post_stock(conn, question, &mut journal)?;
    Ok(journal)
}

fn post_money(conn: &dyn Source, question: &Question, journal: &mut Journal) -> db::Result<()> {
    let key = |row: &Row<'_>| Ok((row.get("business_date")?, row.get("method")?));
    let sums: BTreeMap<(NaiveDate, PaymentMethod), Money> =
        question.sum_by(conn, &MONEY, &["business_date", "method"], key)?;
    for ((date, method), money) in sums {
        journal.post((date, Voucher::Receipts), method.name(), GUESTS, money.amount)?;
        journal.post((date, Voucher::Receipts), method.name(), TIPS, money.tip)?;
        journal.post((date, Voucher::Refunds), GUESTS, method.name(), money.refunded)?;
    }
    Ok(())
}

/// What guests paid at channels is owed by them, less their commission.
fn post_channels(conn: &dyn Source, question: &Question, journal: &mut Journal) -> db::Result<()> {
    let other = PaymentMethod::Other.name();
    for payout in channels::list_payouts(conn, question)? {
        let account = payout.through.account();
        match payout.is_refund {
            false => journal.post((payout.date, Voucher::Receipts), &account, other, payout.amount)?,
            true => journal.post((payout.date, Voucher::Refunds), other, &account, payout.amount)?,
        }
    }
    for (paper, commission) in channels::list_commissions(conn, question)? {
        let at = (paper.date, Voucher::Commission);
        journal.post(at, "Commission", &paper.through.account(), commission)?;
    }
    Ok(())
}

fn post_write_offs(conn: &dyn Source, question: &Question, journal: &mut Journal) -> db::Result<()> {
    let sql = "SELECT business_date, amount_cents FROM write_offs
               WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 ORDER BY business_date, at, id";
    for (date, amount) in
        list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], dated)?
    {
        journal.post((date, Voucher::WriteOffs), "Bad debt", GUESTS, amount)?;
    }
    Ok(())
}

fn dated(row: &Row<'_>) -> db::Result<(NaiveDate, Cents)> {
    Ok((row.get("business_date")?, row.get("amount_cents")?))
}

fn post_drawers(conn: &dyn Source, question: &Question, journal: &mut Journal) -> db::Result<()> {
    let asked = params![question.outlet.id, question.range.from, question.range.to];
    let moved = "SELECT business_date, amount_cents, kind, is_tips, employee_id IS NOT NULL AS is_advance FROM cash_movements
                 WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND kind IN ('PAY_IN', 'PAY_OUT')
                 ORDER BY business_date, at, id";
    let moved = list(conn, moved, asked, |row| {
        let kind: String = row.get("kind")?;
        Ok((
            dated(row)?,
            kind == "PAY_OUT",
            (row.get::<_, bool>("is_tips")?, row.get::<_, bool>("is_advance")?),
        ))
    })?;
    for ((date, amount), is_out, (is_tips, is_advance)) in moved {
        let at = (date, Voucher::Cash);
        match (is_out, is_tips) {
            (true, true) => journal.post(at, TIPS, CASH, amount)?,
            (true, false) if is_advance => journal.post(at, "Staff advances", CASH, amount)?,
            (true, false) => journal.post(at, "Cash paid out", CASH, amount)?,
            (false, _) => journal.post(at, CASH, "Cash paid in", amount)?,
        }
    }
    let counted = "SELECT coalesce(counted_date, business_date) AS business_date, over_short_cents AS amount_cents FROM cash_sessions
                   WHERE outlet_id = ?1 AND coalesce(counted_date, business_date) BETWEEN ?2 AND ?3 AND status = 'CLOSED'
                     AND over_short_cents <> 0
                   ORDER BY coalesce(counted_date, business_date), id";
    for (date, amount) in list(conn, counted, asked, dated)? {
        journal.post((date, Voucher::Cash), CASH, "Cash over and short", amount)?;
    }
    Ok(())
}

/// Stock against where it went or came from. Millionths of a cent become cents such that the dates of a kind add up to its sum.
fn post_stock(conn: &dyn Source, question: &Question, journal: &mut Journal) -> db::Result<()> {
    let key = |row: &Row<'_>| Ok((row.get("kind")?, row.get("business_date")?));
    let sums: BTreeMap<(Kind, NaiveDate), Moved> =
        question.sum_by(conn, &STOCK, &["kind", "business_date"], key)?;
    let mut by_account: BTreeMap<&str, BTreeMap<NaiveDate, i64>> = BTreeMap::new();
    for ((kind, date), moved) in sums {
        let account = match kind {
            Kind::Sale | Kind::Return | Kind::Settlement => "Cost of goods sold",
            Kind::Waste => "Food waste",
            Kind::Stocktake | Kind::Adjustment => "Stock variance",
            Kind::Opening => "Opening stock",
            Kind::Receipt => "Goods received",
            Kind::TransferIn | Kind::TransferOut => "Stock in transit",
            // Stock becomes stock of the same value.
            Kind::Production => continue,
        };
        let sum = by_account.entry(account).or_default().entry(date).or_default();
        *sum = sum.checked_add(moved.cost_micros).ok_or(tiffin_common::Overflow)?;
    }
    for (account, dates) in by_account {
        let micros: Vec<i64> = dates.values().copied().collect();
        for (date, amount) in dates.into_keys().zip(parts_of_micros(&micros)?) {
            journal.post((date, Voucher::Stock), "Stock", account, amount)?;
        }
    }
    Ok(())
}

/// Sales, covers, voids and tips by who first sent the order.
pub fn sum_servers(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<String, Served>> {
    const SOLD: &str = concat!(
        "SELECT coalesce(o.server_name, '') AS server, 1 AS orders, coalesce(o.guest_count, 0) AS covers, o.subtotal_cents AS gross,
           o.discount_cents AS discount, 0 AS refunded, 0 AS voids, 0 AS voided, 0 AS tips FROM ",
        bills!(),
        " WHERE ",
        billed!(),
        " UNION ALL
         SELECT coalesce(o.server_name, ''), 1, coalesce(o.guest_count, 0), o.subtotal_cents, o.discount_cents, 0, 0, 0, 0 FROM ",
        slips!(),
        " WHERE ",
        slipped!(),
        " UNION ALL
         SELECT coalesce(o.server_name, ''), 0, 0, 0, 0, s.total_cents, 0, 0, 0
           FROM order_slips s JOIN orders o ON o.id = s.order_id
           WHERE s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3 AND s.kind = 'RETURN'
         UNION ALL
         SELECT coalesce(o.server_name, ''), 0, 0, 0, 0,
           n.total_cents - n.tax_cents - n.service_charge_cents - n.rounding_cents, 0, 0, 0 FROM ",
        credits!(),
        " WHERE ",
        credited!(),
        " UNION ALL
         SELECT coalesce(o.server_name, ''), 0, 0, 0, 0, 0, 1, v.amount_cents, 0
           FROM order_item_voids v JOIN orders o ON o.id = v.order_id
           WHERE v.outlet_id = ?1 AND v.business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT coalesce(o.server_name, ''), 0, 0, 0, 0, 0, 0, 0, p.tip_cents
           FROM payments p JOIN orders o ON o.id = p.order_id
           WHERE p.outlet_id = ?1 AND p.business_date BETWEEN ?2 AND ?3 AND p.tip_cents <> 0
         UNION ALL
         SELECT coalesce(o.server_name, ''), 0, 0, 0, 0, 0, 0, 0, c.new_tip_cents - c.old_tip_cents
           FROM payment_corrections c JOIN orders o ON o.id = c.order_id
           WHERE c.outlet_id = ?1 AND c.business_date BETWEEN ?2 AND ?3 AND c.new_tip_cents <> c.old_tip_cents"
    );
    let rows =
        list(conn, SOLD, params![question.outlet.id, question.range.from, question.range.to], |row| {
            let of = read!(row => Served { orders, covers, gross, discount, refunded, voids, voided, tips });
            Ok((row.get::<_, String>("server")?, of))
        })?;
    let mut servers: BTreeMap<String, Served> = BTreeMap::new();
    for (server, of) in rows {
        let sum = servers.entry(server).or_default();
        *sum = sum.plus(of)?;
    }
    Ok(servers)
}

/// Tips by date, server and method: as they came, as they were put right, as they were paid out.
pub fn list_tips(conn: &dyn Source, question: &Question) -> db::Result<Vec<Tipped>> {
    let sql = "SELECT t.business_date AS date, t.server AS server, t.method AS method, CAST(sum(t.received) AS INTEGER) AS received,
          CAST(sum(t.corrected) AS INTEGER) AS corrected, CAST(sum(t.paid_out) AS INTEGER) AS paid_out
        FROM (
          SELECT p.business_date, coalesce(o.server_name, '') AS server, p.method, p.tip_cents AS received, 0 AS corrected, 0 AS paid_out
            FROM payments p JOIN orders o ON o.id = p.order_id
            WHERE p.outlet_id = ?1 AND p.business_date BETWEEN ?2 AND ?3 AND p.tip_cents <> 0
          UNION ALL
          SELECT c.business_date, coalesce(o.server_name, ''), c.old_method, 0, -c.old_tip_cents, 0
            FROM payment_corrections c JOIN orders o ON o.id = c.order_id
            WHERE c.outlet_id = ?1 AND c.business_date BETWEEN ?2 AND ?3 AND c.old_tip_cents <> 0
          UNION ALL
          SELECT c.business_date, coalesce(o.server_name, ''), c.new_method, 0, c.new_tip_cents, 0
            FROM payment_corrections c JOIN orders o ON o.id = c.order_id
            WHERE c.outlet_id = ?1 AND c.business_date BETWEEN ?2 AND ?3 AND c.new_tip_cents <> 0
          UNION ALL
          SELECT m.business_date, '', 'CASH', 0, 0, m.amount_cents
            FROM cash_movements m
            WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.is_tips = 1
        ) AS t GROUP BY t.business_date, t.server, t.method ORDER BY t.business_date, t.server, t.method";
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok(read!(row => Tipped { date, server, method, received, corrected, paid_out }))
    })
}

/// The number of the bill that the order `o` had by the date of `$row`; '' where it had none.
macro_rules! bill_by {
    ($row:literal) => {
        concat!(
            "coalesce((SELECT i.number FROM invoices i WHERE i.order_id = o.id AND i.kind = 'INVOICE' AND i.business_date <= ",
            $row,
            ".business_date ORDER BY i.at DESC, i.id DESC LIMIT 1), '')"
        )
    };
}

/// What was put right about payments, and what is never paid.
///
/// Each names the bill that its order had by then: one that is made later is no part of a date that is over.
pub fn list_corrections(conn: &dyn Source, question: &Question) -> db::Result<Vec<Corrected>> {
    const SQL: &str = concat!(
        "SELECT c.business_date AS date, c.at AS at, c.kind AS kind, o.order_number AS order_number, ",
        bill_by!("c"),
        " AS corrects, c.old_method AS was, c.new_method AS is_now,
          c.old_amount_cents + c.old_tip_cents AS old_cents, c.new_amount_cents + c.new_tip_cents AS new_cents, c.reason AS reason,
          c.by_name AS by_name, c.approver_id AS approver
        FROM payment_corrections c JOIN orders o ON o.id = c.order_id
        WHERE c.outlet_id = ?1 AND c.business_date BETWEEN ?2 AND ?3
        UNION ALL
        SELECT w.business_date, w.at, 'WRITE_OFF', o.order_number, ",
        bill_by!("w"),
        ", '', '', w.amount_cents, 0, w.reason, w.by_name, w.approver_id
        FROM write_offs w JOIN orders o ON o.id = w.order_id
        WHERE w.outlet_id = ?1 AND w.business_date BETWEEN ?2 AND ?3"
    );
    list(conn, SQL, params![question.outlet.id, question.range.from, question.range.to], |row| {
        let (old, new): (Cents, Cents) = (row.get("old_cents")?, row.get("new_cents")?);
        Ok(Corrected {
            date: row.get("date")?,
            at: row.get("at")?,
            kind: row.get("kind")?,
            order: row.get("order_number")?,
            corrects: row.get("corrects")?,
            was: row.get("was")?,
            is: row.get("is_now")?,
            amount: new.minus(old)?,
            reason: row.get("reason")?,
            by: row.get("by_name")?,
            approver: row.get("approver")?,
        })
    })
}

/// The slips of the range, in the order of their dates and series.
pub fn list_slips(conn: &dyn Source, question: &Question) -> db::Result<Vec<Slip>> {
    let sql = "SELECT s.id AS id, s.business_date AS date, s.kind AS kind, s.number AS number, coalesce(r.number, '') AS refers_to,
          o.order_number AS order_number, coalesce(c.name, '') AS channel, coalesce(c.operator_tax_id, '') AS tax_id,
          coalesce(o.external_id, '') AS external_id, s.total_cents AS total, coalesce(s.reason, '') AS reason
        FROM order_slips s JOIN orders o ON o.id = s.order_id LEFT JOIN channels c ON c.id = s.channel_id
          LEFT JOIN order_slips r ON r.id = s.refers_to_id
        WHERE s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3
        ORDER BY s.business_date, s.kind DESC, s.fiscal_year, s.serial, s.id";
    let commissions = channels::list_commissions(conn, question)?;
    let commissions: HashMap<Uuid, Cents> =
        commissions.into_iter().map(|(paper, commission)| (paper.id, commission)).collect();
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        let commission = commissions.get(&row.get::<_, Uuid>("id")?).copied().unwrap_or_default();
        Ok(read!(row => Slip {
            date, kind, number, refers_to, order_number, channel, tax_id, external_id, total, reason, commission: commission
        }))
    })
}

/// The documents of the range whose orders came through an aggregator that collects TCS, each beside its GSTIN.
pub fn list_through_aggregators(
    conn: &dyn Source,
    question: &Question,
) -> db::Result<Vec<(String, Document)>> {
    let sql = "SELECT c.operator_tax_id AS tax_id, i.body AS body FROM invoices i CROSS JOIN orders o ON o.id = i.order_id
          JOIN channels c ON c.id = o.channel_id AND c.outlet_id = ?1
        WHERE i.outlet_id = ?1 AND i.business_date BETWEEN ?2 AND ?3 AND c.kind = 'AGGREGATOR' AND c.operator_tax_id IS NOT NULL
        ORDER BY i.business_date, i.kind DESC, i.fiscal_year, i.serial, i.id";
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok((row.get("tax_id")?, row.get::<_, Json<Document>>("body")?.0))
    })
}

/// What each operator sold and owes the tax of, less what it gave back.
pub fn sum_operators(conn: &dyn Source, question: &Question) -> db::Result<Vec<Eco>> {
    let mut operators: BTreeMap<String, Cents> = BTreeMap::new();
    for slip in list_slips(conn, question)? {
        let value = slip.total.times(slip.sign())?;
        let sum = operators.entry(slip.tax_id).or_default();
        *sum = sum.plus(value)?;
    }
    Ok(operators.into_iter().map(|(tax_id, value)| Eco { tax_id, value }).collect())
}
