//! Rows of `outlets`.

use super::rules::{Outlet, QrOrderApproval, Settings, StockPolicy, parse_time};
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use rusqlite::params;
use tiffin_common::Uuid;

const COLUMNS: &str = "id, code, name, address, phone, timezone, currency, tax_id, licence_number, business_day_starts_at,
  prices_include_tax, service_charge_bps, cash_rounding_cents, tax_scheme, stock_policy, qr_order_approval,
  attendance_grace_minutes, attendance_max_break_minutes, shift_times, discount_limit_bps, fiscal_year_starts_on, version,
  created_at, updated_at, auto_availability";

fn read(row: &Row<'_>) -> db::Result<Outlet> {
    Ok(Outlet {
        id: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        address: row.get(3)?,
        phone: row.get(4)?,
        timezone: row.get::<_, String>(5)?.parse().unwrap_or(chrono_tz::UTC),
        currency: row.get(6)?,
        tax_id: row.get(7)?,
        licence_number: row.get(8)?,
        business_day_starts_at: parse_time(&row.get::<_, String>(9)?).unwrap_or_default(),
        prices_include_tax: row.get(10)?,
        service_charge: row.get(11)?,
        cash_rounding: row.get(12)?,
        tax_scheme: row.get(13)?,
        stock_policy: match row.get::<_, String>(14)?.as_str() {
            "BLOCK" => StockPolicy::Block,
            _ => StockPolicy::AllowNegative,
        },
        qr_order_approval: match row.get::<_, String>(15)?.as_str() {
            "ALWAYS" => QrOrderApproval::Always,
            "NEVER" => QrOrderApproval::Never,
            _ => QrOrderApproval::FirstOrder,
        },
        attendance_grace_minutes: row.get(16)?,
        attendance_max_break_minutes: row.get(17)?,
        shift_times: serde_json::from_str(&row.get::<_, String>(18)?).unwrap_or_default(),
        discount_limits: serde_json::from_str(&row.get::<_, String>(19)?).unwrap_or_default(),
        fiscal_year_starts_on: row.get(20)?,
        version: row.get(21)?,
        created_at: row.get(22)?,
        updated_at: row.get(23)?,
        auto_availability: row.get(24)?,
    })
}

/// The outlet of that id.
///
/// # Errors
/// `QueryReturnedNoRows` when there is none.
pub fn find(conn: &dyn Source, id: Uuid) -> db::Result<Outlet> {
    one(conn, &format!("SELECT {COLUMNS} FROM outlets WHERE id = ?1"), [id], read)
}

/// All outlets of this box, by code.
pub fn list(conn: &dyn Source) -> db::Result<Vec<Outlet>> {
    rows(conn, &format!("SELECT {COLUMNS} FROM outlets ORDER BY code"), [], read)
}

/// The outlet this box is, once it has been set up.
pub fn box_outlet(conn: &dyn Source) -> db::Result<Option<Uuid>> {
    opt(conn, "SELECT outlet_id FROM box WHERE id = 1 AND outlet_id IS NOT NULL", [], |row| row.get(0))
}

/// Makes `outlet` the one this box is.
pub fn set_box_outlet(tx: &Transaction<'_>, outlet: Uuid) -> db::Result<()> {
    let sql = "INSERT INTO box (id, outlet_id) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET outlet_id = excluded.outlet_id";
    tx.execute(sql, [outlet]).map(drop)
}

/// The settings as SQL values, in the order both statements below name them.
macro_rules! setting_values {
    ($id:expr, $now:expr, $name:expr, $s:expr $(, $code:expr)?) => {
        params![
            $id,
            $now,
            $name,
            $s.address,
            $s.phone,
            $s.timezone,
            $s.currency,
            $s.tax_id,
            $s.licence_number,
            $s.business_day_starts_at,
            $s.prices_include_tax,
            $s.service_charge,
            $s.cash_rounding,
            $s.tax_scheme,
            policy_name($s.stock_policy),
            approval_name($s.qr_order_approval),
            $s.attendance_grace_minutes,
            $s.attendance_max_break_minutes,
            json(&$s.shift_times)?,
            json(&$s.discount_limits)?,
            $s.fiscal_year_starts_on,
            $s.auto_availability
            $(, $code)?
        ]
    };
}

pub(super) fn insert(tx: &Transaction<'_>, id: Uuid, code: &str, name: &str, s: &Settings) -> db::Result<()> {
    tx.execute(
        "INSERT INTO outlets (id, created_at, updated_at, code, name, address, phone, timezone, currency, tax_id,
           licence_number, business_day_starts_at, prices_include_tax, service_charge_bps, cash_rounding_cents, tax_scheme,
           stock_policy, qr_order_approval, attendance_grace_minutes, attendance_max_break_minutes, shift_times,
           discount_limit_bps, fiscal_year_starts_on, auto_availability)
         VALUES (?1, ?2, ?2, ?23, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
           ?22)",
        setting_values!(id, tx.now(), name, s, code),
    )
    .map(drop)
}

pub(super) fn update(tx: &Transaction<'_>, id: Uuid, name: &str, s: &Settings) -> db::Result<()> {
    tx.execute(
        "UPDATE outlets SET updated_at = ?2, name = ?3, address = ?4, phone = ?5, timezone = ?6, currency = ?7, tax_id = ?8,
           licence_number = ?9, business_day_starts_at = ?10, prices_include_tax = ?11, service_charge_bps = ?12,
           cash_rounding_cents = ?13, tax_scheme = ?14, stock_policy = ?15, qr_order_approval = ?16,
           attendance_grace_minutes = ?17, attendance_max_break_minutes = ?18, shift_times = ?19, discount_limit_bps = ?20,
           fiscal_year_starts_on = ?21, auto_availability = ?22, version = version + 1
         WHERE id = ?1",
        setting_values!(id, tx.now(), name, s),
    )
    .map(drop)
}

fn json<T: serde::Serialize>(value: &T) -> db::Result<String> {
    serde_json::to_string(value)
        .map_err(|e| db::DbError::from(rusqlite::Error::ToSqlConversionFailure(Box::new(e))))
}

fn policy_name(policy: StockPolicy) -> &'static str {
    match policy {
        StockPolicy::AllowNegative => "ALLOW_NEGATIVE",
        StockPolicy::Block => "BLOCK",
    }
}

fn approval_name(approval: QrOrderApproval) -> &'static str {
    match approval {
        QrOrderApproval::FirstOrder => "FIRST_ORDER",
        QrOrderApproval::Always => "ALWAYS",
        QrOrderApproval::Never => "NEVER",
    }
}
