//! `/outlets` over HTTP.

mod till;

use super::actions::{self, Follow};
use super::rules::profile::country_of;
use super::rules::{
    AttendanceSettings, DiscountLimits, LeaveSettings, NewOutlet, OrderType, OutletError, OutletRow,
    Overtime, PayOutLimits, QrOrderApproval, ServiceCharge, Settings, ShiftTimes, StockPolicy, TaxScheme,
    TillSettings, Weekday,
};
use super::store;
use crate::access::{Cx, Role};
use crate::db::DbError;
use crate::http::{Created, Data, Id, Json, Page, Paged, Paging, Patch, Query, Replace, Result, Updated};
use tiffin_common::{Bps, Cents, Millis, Uuid};
use till::TillChange;

/// The decimals of the currency of the caller's outlet: what a file's prices in major units are read with.
pub async fn decimals(cx: &Cx) -> Result<u32> {
    let outlet = cx.read(|conn, outlet| store::find(conn, outlet)).await?;
    Ok(tiffin_common::currency::decimals(&outlet.currency))
}

view! {
    /// An outlet with its settings.
    #[schemars(rename = "Outlet")]
    pub struct OutletView of outlet: OutletRow {
        id: Uuid,
        code: String,
        name: String,
        /// When work is overtime and what it pays: the outlet's own, else its country's; null: never.
        overtime: Option<Overtime> = outlet.settings.overtime_in_force(),
        address: Option<String> = outlet.settings.address,
        phone: Option<String> = outlet.settings.phone,
        timezone: String = outlet.settings.timezone,
        /// Decimals of its currency (ISO 4217): amounts in cents are of its smallest unit.
        currency_decimals: u32 = tiffin_common::currency::decimals(&outlet.settings.currency),
        currency: String = outlet.settings.currency,
        tax_id: Option<String> = outlet.settings.tax_id,
        licence_number: Option<String> = outlet.settings.licence_number,
        business_day_starts_at: String = outlet.settings.business_day_starts_at,
        prices_include_tax: bool = outlet.settings.prices_include_tax,
        /// As in `serviceCharge`.
        service_charge_bps: Bps = outlet.settings.service_charge.bps,
        /// How much, on which orders, whether by itself, and whether taxed.
        service_charge: ServiceCharge = outlet.settings.service_charge,
        cash_rounding_cents: Cents = outlet.settings.cash_rounding,
        tax_scheme: TaxScheme = outlet.settings.tax_scheme,
        country: String = outlet.settings.country,
        stock_policy: StockPolicy = outlet.settings.stock_policy,
        qr_order_approval: QrOrderApproval = outlet.settings.qr_order_approval,
        /// Rules for clocking in and out.
        attendance: AttendanceSettings = outlet.settings.attendance,
        shift_times: ShiftTimes = outlet.settings.shift_times,
        discount_limit_bps: DiscountLimits = outlet.settings.discount_limits,
        fiscal_year_starts_on: String = outlet.settings.fiscal_year_starts_on,
        /// Whether dishes that stock does not suffice for go out of stock by themselves, and come back with it.
        auto_availability: bool = outlet.settings.auto_availability,
        /// Digits that a PIN needs to approve with.
        approver_pin_min_digits: i64 = outlet.settings.approver_pin_min_digits,
        /// Seconds for which what the kitchen was told of comes off a bill freely, while nothing is started or printed.
        void_grace_seconds: i64 = outlet.settings.void_grace_seconds,
        /// Whether whoever counts a drawer is not told what should be in it.
        blind_count: bool = outlet.settings.blind_count,
        /// What a role may take out of a drawer without an approver, in cents.
        pay_out_limit_cents: PayOutLimits = outlet.settings.pay_out_limits,
        /// Days after which who a guest was is forgotten.
        guest_data_days: i64 = outlet.settings.guest_data_days,
        /// Whether later courses at a table wait until they are fired.
        hold_courses: bool = outlet.settings.hold_courses,
        /// Minutes by which the kitchen is told of a scheduled order before it would have to begin.
        schedule_lead_minutes: i64 = outlet.settings.schedule_lead_minutes,
        /// Whether waiters may take payments and make bills.
        waiters_take_payments: bool = outlet.settings.waiters_take_payments,
        /// What the screens of a till go by: reasons to choose from, tips and amounts of cash that are offered, when something is late.
        till: TillSettings = outlet.settings.till,
        /// By how much more than was ordered a delivery is taken in without being confirmed, in basis points.
        quantity_tolerance_bps: Bps = outlet.settings.quantity_tolerance,
        /// By how much another price than was ordered at is taken in without being confirmed, in basis points.
        price_tolerance_bps: Bps = outlet.settings.price_tolerance,
        /// Days of the week on which the house rests: leave takes none of them.
        weekly_rest_days: Vec<Weekday> = outlet.settings.weekly_rest_days,
        /// What leave everybody has, and what a day of it pays.
        leave: LeaveSettings = outlet.settings.leave,
        /// The languages that guests and cooks may read, as tags such as `hi`: the first is the one that names on the menu are in.
        languages: Vec<String> = outlet.settings.languages,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
    }
}

answered! {
    OutletError of "outlet" {}
}

/// Lists the outlets of the account.
pub async fn list_outlets(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<OutletView>> {
    let principal = cx.principal.clone();
    let outlets = cx.read(|conn, _| store::list(conn)).await?;
    let mine: Vec<_> = outlets
        .into_iter()
        .filter(|o| principal.role == Role::SuperAdmin || principal.outlets.contains(&o.id))
        .map(|outlet| OutletView::from(outlet.row))
        .collect();
    let total = i64::try_from(mine.len()).unwrap_or(i64::MAX);
    let items = mine.into_iter().skip(paging.offset as usize).take(paging.limit as usize).collect();
    Ok(Paged::new(Page { items, total }, paging))
}

/// One outlet of the account.
pub async fn get_outlet(cx: Cx, Id(id): Id) -> Result<Data<OutletView>> {
    in_scope(&cx, id)?;
    let outlet = cx.read(move |conn, _| store::find(conn, id).map_err(missing)).await?;
    Ok(Data::new(OutletView::from(outlet.row)))
}

fn missing(error: DbError) -> OutletError {
    match error {
        DbError::Missing => OutletError::NotFound("outlet"),
        other => other.into(),
    }
}

fn in_scope(cx: &Cx, id: Uuid) -> Result<()> {
    let mine = cx.principal.role == Role::SuperAdmin || cx.principal.outlets.contains(&id);
    if mine { Ok(()) } else { Err(OutletError::NotFound("outlet").into()) }
}

/// A new outlet.
#[apply(request!)]
pub struct CreateOutlet {
    /// 1–4 of A–Z 0–9; begins every number.
    #[schemars(regex(pattern = "^[A-Z0-9]{1,4}$"))]
    code: String,
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[serde(flatten)]
    settings: OutletSettings,
}

patch! {
    /// A change of an outlet's service charge; what is absent stays.
    pub struct ServiceChargeChange of ServiceCharge {
        #[schemars(range(min = 0, max = 10_000))]
        bps: Replace<Bps>,
        /// The types of order that may bear it.
        #[schemars(length(max = 4))]
        order_types: Replace<Vec<OrderType>>,
        /// Whether such orders bear it from the start; otherwise somebody puts it on.
        automatic: Replace<bool>,
        /// Whether it bears the tax of the restaurant's service.
        taxed: Replace<bool>,
    }
}

impl ServiceChargeChange {
    fn apply(self, present: ServiceCharge) -> ServiceCharge {
        self.over(present)
    }
}

patch! {
    /// Settings of an outlet; what is absent keeps its value or default.
    pub struct OutletSettings of Settings {
        #[schemars(length(max = 300))]
        address: Patch<String>,
        #[schemars(length(max = 40))]
        phone: Patch<String>,
        /// IANA time zone.
        #[schemars(length(min = 1, max = 64))]
        timezone: Replace<String>,
        /// ISO 4217 code, as INR.
        #[schemars(regex(pattern = "^[A-Z]{3}$"))]
        currency: Replace<String>,
        #[schemars(length(max = 40))]
        tax_id: Patch<String>,
        #[schemars(length(max = 40))]
        licence_number: Patch<String>,
        #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
        business_day_starts_at: Replace<String>,
        prices_include_tax: Replace<bool>,
        #[schemars(range(min = 0, max = 10_000))]
        service_charge_bps: Replace<Bps> => service_charge.bps,
        /// What is absent of it stays.
        service_charge: ServiceChargeChange,
        #[schemars(range(min = 0, max = 100_000))]
        cash_rounding_cents: Replace<Cents> => cash_rounding,
        tax_scheme: Replace<TaxScheme>,
        /// ISO 3166 code, as IN: picks what documents are called and how a tax id is checked.
        #[schemars(regex(pattern = "^[A-Z]{2}$"))]
        country: Replace<String>,
        stock_policy: Replace<StockPolicy>,
        qr_order_approval: Replace<QrOrderApproval>,
        attendance: Replace<AttendanceSettings>,
        shift_times: Replace<ShiftTimes>,
        /// By role, in basis points.
        discount_limit_bps: Replace<DiscountLimits> => discount_limits,
        /// First day of the fiscal year: `MM-DD`.
        #[schemars(regex(pattern = "^[0-9]{2}-[0-9]{2}$"))]
        fiscal_year_starts_on: Replace<String>,
        /// Whether dishes that stock does not suffice for go out of stock by themselves; off where no stock is kept.
        auto_availability: Replace<bool>,
        /// Digits that a PIN needs to approve with, 4 to 8.
        #[schemars(range(min = 4, max = 8))]
        approver_pin_min_digits: Replace<i64>,
        /// Seconds for which what the kitchen was told of comes off a bill freely, while nothing is started or printed; 0: never.
        #[schemars(range(min = 0, max = 600))]
        void_grace_seconds: Replace<i64>,
        /// Whether whoever counts a drawer is not told what should be in it.
        blind_count: Replace<bool>,
        /// By role, in cents: what it may take out of a drawer without an approver. A role that is not named: nothing.
        pay_out_limit_cents: Replace<PayOutLimits> => pay_out_limits,
        /// Days after which names, phones and addresses of guests are forgotten.
        #[schemars(range(min = 30, max = 3_650))]
        guest_data_days: Replace<i64>,
        /// Whether later courses at a table wait until they are fired.
        hold_courses: Replace<bool>,
        /// Minutes by which the kitchen is told of a scheduled order before it would have to begin.
        #[schemars(range(min = 0, max = 1_440))]
        schedule_lead_minutes: Replace<i64>,
        /// Whether waiters may take payments and make bills.
        waiters_take_payments: Replace<bool>,
        /// What the screens of a till go by; what is not named in it stays.
        till: TillChange,
        /// By how much more than was ordered a delivery is taken in without being confirmed.
        #[schemars(range(min = 0, max = 100_000))]
        quantity_tolerance_bps: Replace<Bps> => quantity_tolerance,
        /// By how much another price than was ordered at is taken in without being confirmed.
        #[schemars(range(min = 0, max = 100_000))]
        price_tolerance_bps: Replace<Bps> => price_tolerance,
        /// When work is overtime and what it pays; null: as its country has it.
        overtime: Patch<Overtime>,
        /// Days of the week on which the house rests.
        #[schemars(length(max = 7))]
        weekly_rest_days: Replace<Vec<Weekday>>,
        /// The terms of leave; what is not named in it has its default.
        leave: Replace<LeaveSettings>,
        /// The languages that guests and cooks may read, as tags such as `hi`: the first is the one that names on the menu are in.
        #[schemars(length(max = 10), inner(length(min = 2, max = 12)))]
        languages: Replace<Vec<String>>,
    }
}

/// Makes an outlet; it trades as the present one does unless told otherwise.
pub async fn create_outlet(cx: Cx, Json(body): Json<CreateOutlet>) -> Result<Created<OutletView>> {
    cx.create(move |tx, actor| -> Result<_, OutletError> {
        let here = store::find(tx, actor.outlet_id)?;
        let defaults = Settings::new(&here.settings.timezone, &here.currency);
        let is_told = body.settings.country.0.is_some();
        let mut settings = body.settings.over(defaults);
        if !is_told {
            settings.country = country_of(&settings.timezone, &settings.currency);
        }
        let new = NewOutlet { code: body.code, name: body.name, settings };
        actions::create(tx, actor, new).map(|outlet| OutletView::from(outlet.row))
    })
    .await
}

/// A change of an outlet.
#[apply(filters!)]
pub struct UpdateOutlet {
    #[schemars(length(min = 1, max = 120))]
    name: Replace<String>,
    /// May be repeated, not changed.
    #[schemars(regex(pattern = "^[A-Z0-9]{1,4}$"))]
    code: Replace<String>,
    #[serde(flatten)]
    settings: OutletSettings,
}

impl UpdateOutlet {
    /// Name and settings as the change leaves them; not yet checked.
    ///
    /// # Errors
    /// Another code.
    pub fn over(self, before: &OutletRow) -> std::result::Result<(String, Settings), OutletError> {
        if self.code.0.as_ref().is_some_and(|code| *code != before.code) {
            let field =
                crate::http::FieldError::new("code", "cannot be changed: the outlet's numbers carry it");
            return Err(OutletError::Invalid(vec![field]));
        }
        Ok((self.name.apply(before.name.clone()), self.settings.over(before.settings.clone())))
    }
}

/// Changes an outlet's settings. The request's scope becomes that outlet.
pub async fn update_outlet(
    mut cx: Cx,
    id: Uuid,
    body: UpdateOutlet,
    follow: Follow,
) -> Result<Updated<OutletView>> {
    in_scope(&cx, id)?;
    cx.outlet_id = id;
    cx.change(move |tx, actor, expected| -> Result<_, OutletError> {
        let outlet = actions::update(tx, actor, expected, |before| body.over(before))?;
        follow(tx, actor, &outlet)?;
        Ok(OutletView::from(outlet.row))
    })
    .await
}
