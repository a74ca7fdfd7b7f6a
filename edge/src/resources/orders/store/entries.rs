//! Entries of money, read from payments, what was put right about them, refunds and write-offs. Never writes.

use super::super::rules::entries::{Entry, EntryFilter};
use crate::db::{self, Page, Source, page};
use crate::http::Paging;
use rusqlite::params;
use tiffin_common::Uuid;

/// All entries of the outlet `?1` from `?2` to `?3`.
macro_rules! entries {
    () => {
        "(SELECT 'PAYMENT' AS kind, id, order_id, method, amount_cents, tip_cents, reference, cash_session_id, business_date, at, by_name,
             channel_id
           FROM payments WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT CASE kind WHEN 'REVERSE' THEN 'REVERSAL' ELSE 'CORRECTION' END, id, order_id, old_method, -old_amount_cents,
             -old_tip_cents, old_reference, cash_session_id, business_date, at, by_name,
             (SELECT p.channel_id FROM payments p WHERE p.id = payment_id)
           FROM payment_corrections WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT 'CORRECTION', id, order_id, new_method, new_amount_cents, new_tip_cents, new_reference, cash_session_id,
             business_date, at, by_name, (SELECT p.channel_id FROM payments p WHERE p.id = payment_id)
           FROM payment_corrections WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND kind <> 'REVERSE'
         UNION ALL
         SELECT 'REFUND', id, order_id, method, -amount_cents, 0, NULL, cash_session_id, business_date, at, by_name,
             (SELECT p.channel_id FROM payments p WHERE p.id = payment_id)
           FROM refunds WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT 'WRITE_OFF', id, order_id, NULL, amount_cents, 0, NULL, NULL, business_date, at, by_name, NULL
           FROM write_offs WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3) AS e"
    };
}

/// Those that are asked for.
macro_rules! wanted {
    () => {
        "(?4 IS NULL OR e.kind = ?4) AND (?5 IS NULL OR e.method = ?5) AND (?6 IS NULL OR e.cash_session_id = ?6)
           AND (?7 = 0 OR e.cash_session_id IS NULL) AND (?8 < 0 OR CASE WHEN e.channel_id IS NULL THEN 0 ELSE 1 END = ?8)"
    };
}

/// A page of entries, newest first.
pub fn list_entries(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &EntryFilter,
    paging: Paging,
) -> db::Result<Page<Entry>> {
    let sql = concat!(
        "SELECT e.kind, e.id, e.order_id, o.order_number, e.method, e.amount_cents, e.tip_cents, e.reference, e.cash_session_id,
           e.business_date, e.at, e.by_name FROM ",
        entries!(),
        " CROSS JOIN orders o ON o.id = e.order_id WHERE ",
        wanted!(),
        " ORDER BY e.at DESC, e.id DESC, e.amount_cents DESC"
    );
    let count = concat!("SELECT count(*) FROM ", entries!(), " WHERE ", wanted!());
    let EntryFilter { from, to, kind, method, drawer, outside_drawers, channel_payouts } = filter;
    let outside = i64::from(*outside_drawers);
    let payouts = channel_payouts.map_or(-1, i64::from);
    let params = params![outlet, from, to, kind, method, drawer, outside, payouts];
    page(conn, (sql, count), params, paging.into(), |row| {
        Ok(Entry {
            kind: row.get("kind")?,
            id: row.get("id")?,
            order_id: row.get("order_id")?,
            order_number: row.get("order_number")?,
            method: row.get("method")?,
            amount: row.get("amount_cents")?,
            tip: row.get("tip_cents")?,
            reference: row.get("reference")?,
            cash_session_id: row.get("cash_session_id")?,
            business_date: row.get("business_date")?,
            at: row.get("at")?,
            by: row.get("by_name")?,
        })
    })
}
