//! `/outlets` over HTTP.

use super::actions::{self, Follow};
use super::rules::{
    AttendanceSettings, DiscountLimits, NewOutlet, Outlet, OutletError, QrOrderApproval, Settings,
    ShiftTimes, StockPolicy,
};
use super::store;
use crate::access::{Cx, Role};
use crate::db::DbError;
use crate::http::{Change, Code, Data, Json, Page, Paged, Paging, Patch, Path, Problem, Query};
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Bps, Cents, Millis, Uuid};

/// An outlet with its settings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Outlet")]
pub struct OutletView {
    id: Uuid,
    code: String,
    name: String,
    address: Option<String>,
    phone: Option<String>,
    timezone: String,
    currency: String,
    tax_id: Option<String>,
    licence_number: Option<String>,
    business_day_starts_at: String,
    prices_include_tax: bool,
    service_charge_bps: Bps,
    cash_rounding_cents: Cents,
    tax_scheme: String,
    stock_policy: StockPolicy,
    qr_order_approval: QrOrderApproval,
    /// Rules for clocking in and out.
    attendance: AttendanceSettings,
    shift_times: ShiftTimes,
    discount_limit_bps: DiscountLimits,
    fiscal_year_starts_on: String,
    /// Whether dishes that stock does not suffice for go out of stock by themselves, and come back with it.
    auto_availability: bool,
    version: i64,
    created_at: Millis,
    updated_at: Millis,
}

impl From<&Outlet> for OutletView {
    fn from(outlet: &Outlet) -> Self {
        let s = outlet.settings.clone();
        OutletView {
            id: outlet.id,
            code: outlet.code.clone(),
            name: outlet.name.clone(),
            address: s.address,
            phone: s.phone,
            timezone: s.timezone,
            currency: s.currency,
            tax_id: s.tax_id,
            licence_number: s.licence_number,
            business_day_starts_at: s.business_day_starts_at,
            prices_include_tax: s.prices_include_tax,
            service_charge_bps: s.service_charge,
            cash_rounding_cents: s.cash_rounding,
            tax_scheme: s.tax_scheme,
            stock_policy: s.stock_policy,
            qr_order_approval: s.qr_order_approval,
            attendance: s.attendance,
            shift_times: s.shift_times,
            discount_limit_bps: s.discount_limits,
            fiscal_year_starts_on: s.fiscal_year_starts_on,
            auto_availability: s.auto_availability,
            version: outlet.version,
            created_at: outlet.created_at,
            updated_at: outlet.updated_at,
        }
    }
}

impl From<OutletError> for Problem {
    fn from(error: OutletError) -> Self {
        match error {
            OutletError::NotFound => Problem::not_found("outlet"),
            OutletError::Stale(version) => {
                Problem::new(Code::StaleVersion).detail(format!("The outlet is at version {version}"))
            }
            OutletError::Invalid(fields) => Problem::invalid(fields),
            OutletError::Db(error) => error.into(),
        }
    }
}

/// Lists the outlets of the account.
pub(super) async fn list_outlets(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<OutletView>, Problem> {
    let principal = cx.principal.clone();
    let outlets = cx.read(|conn, _| store::list(conn)).await?;
    let mine: Vec<_> = outlets
        .iter()
        .filter(|o| principal.role == Role::SuperAdmin || principal.outlets.contains(&o.id))
        .map(OutletView::from)
        .collect();
    let total = i64::try_from(mine.len()).unwrap_or(i64::MAX);
    let items = mine.into_iter().skip(paging.offset as usize).take(paging.limit as usize).collect();
    Ok(Paged::new(Page { items, total }, paging))
}

/// One outlet of the account.
pub(super) async fn get_outlet(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<OutletView>, Problem> {
    in_scope(&cx, id)?;
    let outlet = cx.read(move |conn, _| store::find(conn, id).map_err(missing)).await?;
    Ok(Data::new(OutletView::from(&outlet)))
}

fn missing(error: DbError) -> OutletError {
    match error {
        DbError::Missing => OutletError::NotFound,
        other => other.into(),
    }
}

fn in_scope(cx: &Cx, id: Uuid) -> Result<(), Problem> {
    let mine = cx.principal.role == Role::SuperAdmin || cx.principal.outlets.contains(&id);
    if mine { Ok(()) } else { Err(OutletError::NotFound.into()) }
}

/// A new outlet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateOutlet {
    /// 1–4 of A–Z 0–9; begins every number.
    #[schemars(regex(pattern = "^[A-Z0-9]{1,4}$"))]
    code: String,
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[serde(flatten)]
    settings: OutletSettings,
}

/// Settings of an outlet; what is absent keeps its value or default.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutletSettings {
    #[serde(default)]
    #[schemars(length(max = 300))]
    address: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 40))]
    phone: Patch<String>,
    /// IANA time zone.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    timezone: Change<String>,
    /// ISO 4217 code, as INR.
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: Change<String>,
    #[serde(default)]
    #[schemars(length(max = 40))]
    tax_id: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 40))]
    licence_number: Patch<String>,
    #[serde(default)]
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    business_day_starts_at: Change<String>,
    #[serde(default)]
    prices_include_tax: Change<bool>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    service_charge_bps: Change<Bps>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000))]
    cash_rounding_cents: Change<Cents>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    tax_scheme: Change<String>,
    #[serde(default)]
    stock_policy: Change<StockPolicy>,
    #[serde(default)]
    qr_order_approval: Change<QrOrderApproval>,
    #[serde(default)]
    attendance: Change<AttendanceSettings>,
    #[serde(default)]
    shift_times: Change<ShiftTimes>,
    /// By role, in basis points.
    #[serde(default)]
    discount_limit_bps: Change<DiscountLimits>,
    /// First day of the fiscal year: `MM-DD`.
    #[serde(default)]
    #[schemars(regex(pattern = "^[0-9]{2}-[0-9]{2}$"))]
    fiscal_year_starts_on: Change<String>,
    /// Whether dishes that stock does not suffice for go out of stock by themselves; off where no stock is kept.
    #[serde(default)]
    auto_availability: Change<bool>,
}

impl OutletSettings {
    fn over(self, current: Settings) -> Settings {
        Settings {
            address: self.address.apply(current.address),
            phone: self.phone.apply(current.phone),
            timezone: self.timezone.apply(current.timezone),
            currency: self.currency.apply(current.currency),
            tax_id: self.tax_id.apply(current.tax_id),
            licence_number: self.licence_number.apply(current.licence_number),
            business_day_starts_at: self.business_day_starts_at.apply(current.business_day_starts_at),
            prices_include_tax: self.prices_include_tax.apply(current.prices_include_tax),
            service_charge: self.service_charge_bps.apply(current.service_charge),
            cash_rounding: self.cash_rounding_cents.apply(current.cash_rounding),
            tax_scheme: self.tax_scheme.apply(current.tax_scheme),
            stock_policy: self.stock_policy.apply(current.stock_policy),
            qr_order_approval: self.qr_order_approval.apply(current.qr_order_approval),
            attendance: self.attendance.apply(current.attendance),
            shift_times: self.shift_times.apply(current.shift_times),
            discount_limits: self.discount_limit_bps.apply(current.discount_limits),
            fiscal_year_starts_on: self.fiscal_year_starts_on.apply(current.fiscal_year_starts_on),
            auto_availability: self.auto_availability.apply(current.auto_availability),
        }
    }
}

/// Makes an outlet; it trades as the present one does unless told otherwise.
pub(super) async fn create_outlet(cx: Cx, Json(body): Json<CreateOutlet>) -> Result<Response, Problem> {
    cx.create(move |tx, actor| -> Result<_, OutletError> {
        let here = store::find(tx, actor.outlet_id)?;
        let defaults = Settings::new(&here.settings.timezone, &here.currency);
        let new = NewOutlet { code: body.code, name: body.name, settings: body.settings.over(defaults) };
        actions::create(tx, actor, new).map(|outlet| OutletView::from(&outlet))
    })
    .await
}

/// A change of an outlet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateOutlet {
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    name: Change<String>,
    /// May be repeated, not changed.
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Z0-9]{1,4}$"))]
    code: Change<String>,
    #[serde(flatten)]
    settings: OutletSettings,
}

/// Changes an outlet's settings. The request's scope becomes that outlet.
pub(super) async fn update_outlet(
    mut cx: Cx,
    id: Uuid,
    body: UpdateOutlet,
    follow: Follow,
) -> Result<Response, Problem> {
    in_scope(&cx, id)?;
    cx.outlet_id = id;
    let expected = cx.expected_version();
    cx.update(move |tx, actor| -> Result<_, OutletError> {
        let change = |before: &Outlet| {
            if body.code.0.as_ref().is_some_and(|code| *code != before.code) {
                let field =
                    crate::http::FieldError::new("code", "cannot be changed: the outlet's numbers carry it");
                return Err(OutletError::Invalid(vec![field]));
            }
            Ok((body.name.apply(before.name.clone()), body.settings.over(before.settings.clone())))
        };
        let outlet = actions::update(tx, actor, expected, change)?;
        follow(tx, actor, &outlet)?;
        Ok(OutletView::from(&outlet))
    })
    .await
}
