//! Closed days: what the branch counted against head office's own sums of the same rows. Never changes either.

use chrono::NaiveDate;
use edge::db::{Json, Source, list as rows, one, opt};
use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tiffin_common::{Millis, Uuid};

/// A closed day.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReconciledDay {
    business_date: NaiveDate,
    /// Whether money by method and the numbers of bills agree to the cent.
    reconciled: bool,
    /// What differs: its name, what the branch said, what head office adds up.
    differences: Vec<Value>,
}

/// How many closed days are shown.
const DAYS: i64 = 31;

/// The last closed days of `outlet`, compared.
pub(super) fn reconcile(from: &dyn Source, outlet: Uuid) -> edge::db::Result<Vec<ReconciledDay>> {
    let sql = "SELECT business_date, report, at FROM day_closes WHERE outlet_id = ?1
        ORDER BY business_date DESC LIMIT ?2";
    let closes = rows(from, sql, params![outlet, DAYS], |row| {
        Ok((
            row.get::<_, NaiveDate>("business_date")?,
            row.get::<_, Json<Value>>("report")?.0,
            row.get::<_, Millis>("at")?,
        ))
    })?;
    let mut days = Vec::with_capacity(closes.len());
    for (business_date, report, at) in closes {
        let mut differences = Vec::new();
        let mut compare = |name: String, branch: Value, here: Value| {
            if branch != here {
                differences.push(json!({"figure": name, "branch": branch, "headOffice": here}));
            }
        };
        // What was entered after the close is of the day, but was not counted yet.
        let methods = "SELECT m.method, sum(m.n) AS n, sum(m.amount) AS amount, sum(m.tip) AS tip FROM (
              SELECT method, 1 AS n, amount_cents AS amount, tip_cents AS tip FROM payments
                WHERE outlet_id = ?1 AND business_date = ?2 AND at <= ?3
              UNION ALL
              SELECT old_method, CASE WHEN kind = 'REVERSE' OR old_method <> new_method THEN -1 ELSE 0 END, -old_amount_cents,
                -old_tip_cents FROM payment_corrections WHERE outlet_id = ?1 AND business_date = ?2 AND at <= ?3
              UNION ALL
              SELECT new_method, CASE WHEN kind <> 'REVERSE' AND old_method <> new_method THEN 1 ELSE 0 END, new_amount_cents,
                new_tip_cents FROM payment_corrections WHERE outlet_id = ?1 AND business_date = ?2 AND at <= ?3
            ) AS m GROUP BY m.method ORDER BY m.method";
        let here = rows(from, methods, params![outlet, business_date, at], |row| {
            Ok((
                row.get::<_, String>("method")?,
                [row.get::<_, i64>("n")?, row.get("amount")?, row.get("tip")?],
            ))
        })?;
        let counted = report["payments"].as_array().cloned().unwrap_or_default();
        let of_branch = |method: &str| counted.iter().find(|sum| sum["method"] == method);
        let names = ["paymentCount", "amountCents", "tipCents"];
        for (method, sums) in &here {
            for (name, sum) in names.iter().zip(sums) {
                let branch = of_branch(method).map_or(json!(0), |said| said[*name].clone());
                compare(format!("payments.{method}.{name}"), branch, json!(sum));
            }
        }
        for said in &counted {
            let method = said["method"].as_str().unwrap_or_default();
            if !here.iter().any(|(known, _)| known == method) {
                compare(format!("payments.{method}.amountCents"), said["amountCents"].clone(), json!(0));
            }
        }
        let bills = "SELECT count(*) AS n, coalesce(sum(total_cents), 0) AS total FROM invoices
            WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'INVOICE' AND at <= ?3";
        let (count, total): (i64, i64) = one(from, bills, params![outlet, business_date, at], |row| {
            Ok((row.get("n")?, row.get("total")?))
        })?;
        compare("invoices.count".into(), report["invoices"]["count"].clone(), json!(count));
        compare("invoices.totalCents".into(), report["invoices"]["totalCents"].clone(), json!(total));
        let highest =
            "SELECT number FROM invoices WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'INVOICE'
            AND at <= ?3 ORDER BY fiscal_year DESC, serial DESC LIMIT 1";
        let last = opt(from, highest, params![outlet, business_date, at], |row| row.get::<_, String>(0))?;
        compare("invoices.lastNumber".into(), report["invoices"]["lastNumber"].clone(), json!(last));
        days.push(ReconciledDay { business_date, reconciled: differences.is_empty(), differences });
    }
    Ok(days)
}
