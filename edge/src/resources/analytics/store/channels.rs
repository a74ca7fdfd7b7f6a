//! What channels keep and pay out: documents of their orders, and the money that guests paid there, each on its own date. Never sums what
//! the rules have to agree on.

use super::question::Question;
use crate::db::{self, Row, Source, list};
use crate::resources::analytics::rules::books::channels::{
    ChannelPaper, Payout, Through, ThroughChannel, commissions,
};
use crate::resources::channels::rules::TaxedBy;
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::Cents;

fn through(row: &Row<'_>) -> db::Result<Through> {
    let taxed_by = if row.get("is_operator_taxed")? { TaxedBy::Operator } else { TaxedBy::Restaurant };
    Ok(Through { channel: row.get("channel")?, channel_id: row.get("channel_id")?, taxed_by })
}

/// The documents of all orders through channels of which there is one in the range, from each order's first. Of a bill that was
/// withdrawn there is none.
fn list_papers(conn: &dyn Source, question: &Question) -> db::Result<Vec<ChannelPaper>> {
    let sql = "WITH touched AS (
          SELECT o.id, o.invoice_id, o.channel_id, o.is_operator_taxed, o.commission_cents, o.subtotal_cents - o.discount_cents AS whole_cents
          FROM (SELECT order_id FROM invoices WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
                UNION SELECT order_id FROM order_slips WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3) AS d
            CROSS JOIN orders o ON o.id = d.order_id AND o.channel_id IS NOT NULL AND o.status <> 'CANCELLED')
        SELECT p.order_id, p.id, p.kind, p.business_date, p.net, p.total, p.channel_id, p.is_operator_taxed, p.commission_cents,
          p.whole_cents, c.name AS channel
        FROM (SELECT s.order_id, s.id, s.kind, s.business_date, s.at, s.total_cents AS net, s.total_cents AS total, t.channel_id,
              t.is_operator_taxed, t.commission_cents, t.whole_cents
            FROM touched t CROSS JOIN order_slips s ON s.order_id = t.id
            UNION ALL
            SELECT i.order_id, i.id, i.kind, i.business_date, i.at,
              i.total_cents - i.tax_cents - i.service_charge_cents - i.rounding_cents, i.total_cents, t.channel_id, t.is_operator_taxed,
              t.commission_cents, t.whole_cents
            FROM touched t CROSS JOIN invoices i ON i.order_id = t.id AND (i.id = t.invoice_id OR i.refers_to_id = t.invoice_id)) AS p
          JOIN channels c ON c.id = p.channel_id AND c.outlet_id = ?1
        ORDER BY p.order_id, p.at, p.id";
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok(ChannelPaper {
            through: through(row)?,
            order_id: row.get("order_id")?,
            id: row.get("id")?,
            kind: row.get("kind")?,
            date: row.get("business_date")?,
            net: row.get("net")?,
            total: row.get("total")?,
            commission: row.get("commission_cents")?,
            of: row.get("whole_cents")?,
        })
    })
}

/// The documents of orders through channels in the range, with the commission of each.
pub(super) fn list_commissions(
    conn: &dyn Source,
    question: &Question,
) -> db::Result<Vec<(ChannelPaper, Cents)>> {
    let papers = list_papers(conn, question)?;
    let commissions = commissions(&papers)?;
    let is_asked =
        |paper: &ChannelPaper| question.range.from <= paper.date && paper.date <= question.range.to;
    Ok(papers.into_iter().zip(commissions).filter(|(paper, _)| is_asked(paper)).collect())
}

/// What channels pay out of payments, corrections and refunds of the range, in the order of its dates.
pub(super) fn list_payouts(conn: &dyn Source, question: &Question) -> db::Result<Vec<Payout>> {
    let sql = "SELECT m.business_date, m.is_refund, m.amount_cents, o.channel_id, o.is_operator_taxed, c.name AS channel
        FROM (SELECT p.order_id, p.business_date, 0 AS is_refund, p.amount_cents + p.tip_cents AS amount_cents FROM payments p
            WHERE p.outlet_id = ?1 AND p.business_date BETWEEN ?2 AND ?3 AND p.method = 'OTHER' AND p.channel_id IS NOT NULL
            UNION ALL
            SELECT k.order_id, k.business_date, 0, CASE k.new_method WHEN 'OTHER' THEN k.new_amount_cents + k.new_tip_cents ELSE 0 END
              - CASE k.old_method WHEN 'OTHER' THEN k.old_amount_cents + k.old_tip_cents ELSE 0 END
            FROM payment_corrections k JOIN payments p ON p.id = k.payment_id
            WHERE k.outlet_id = ?1 AND k.business_date BETWEEN ?2 AND ?3 AND p.channel_id IS NOT NULL
            UNION ALL
            SELECT r.order_id, r.business_date, 1, r.amount_cents FROM refunds r JOIN payments p ON p.id = r.payment_id
            WHERE r.outlet_id = ?1 AND r.business_date BETWEEN ?2 AND ?3 AND r.method = 'OTHER' AND p.channel_id IS NOT NULL) AS m
          JOIN orders o ON o.id = m.order_id JOIN channels c ON c.id = o.channel_id AND c.outlet_id = ?1
        ORDER BY m.business_date";
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok(Payout {
            through: through(row)?,
            date: row.get("business_date")?,
            is_refund: row.get("is_refund")?,
            amount: row.get("amount_cents")?,
        })
    })
}

/// Orders that came through channels: what was billed, given back, kept and paid through them on the dates of `question`.
pub fn sum_channels(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<Through, ThroughChannel>> {
    let sql = "SELECT o.channel_id, o.is_operator_taxed, c.name AS channel, o.subtotal_cents, o.discount_cents, o.tax_cents, o.total_cents
        FROM orders o JOIN channels c ON c.id = o.channel_id AND c.outlet_id = ?1
        WHERE o.outlet_id = ?1 AND o.status <> 'CANCELLED' AND o.revenue_date BETWEEN ?2 AND ?3";
    let asked = params![question.outlet.id, question.range.from, question.range.to];
    let mut sums: BTreeMap<Through, ThroughChannel> = BTreeMap::new();
    let amounts = |row: &Row<'_>| -> db::Result<[Cents; 4]> {
        Ok([
            row.get("subtotal_cents")?,
            row.get("discount_cents")?,
            row.get("tax_cents")?,
            row.get("total_cents")?,
        ])
    };
    for (through, [gross, discount, tax, total]) in
        list(conn, sql, asked, |row| Ok((through(row)?, amounts(row)?)))?
    {
        let sum = sums.entry(through).or_default();
        sum.orders = sum.orders.saturating_add(1);
        (sum.gross, sum.discount) = (sum.gross.plus(gross)?, sum.discount.plus(discount)?);
        (sum.tax, sum.total) = (sum.tax.plus(tax)?, sum.total.plus(total)?);
    }
    for (paper, commission) in list_commissions(conn, question)? {
        let returned = paper.returned();
        let sum = sums.entry(paper.through).or_default();
        (sum.commission, sum.returned) = (sum.commission.plus(commission)?, sum.returned.plus(returned)?);
    }
    for payout in list_payouts(conn, question)? {
        let amount = if payout.is_refund { payout.amount.times(-1)? } else { payout.amount };
        let sum = sums.entry(payout.through).or_default();
        sum.paid_out = sum.paid_out.plus(amount)?;
    }
    Ok(sums)
}
