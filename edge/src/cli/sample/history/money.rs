//! The till of a simulated day: the drawer, bills, payments, refunds, the close.

use super::{Branch, service};
use crate::access::Role;
use crate::cli::sample::plan::Visit;
use crate::cli::sample::seed::{SampleError, making};
use crate::db::Transaction;
use crate::resources::auth::approver::ApproverPin;
use crate::resources::orders::actions as orders;
use crate::resources::orders::actions::discounts::GiveDiscount;
use crate::resources::orders::rules::DiscountKind;
use chrono::NaiveDate;
use tiffin_common::Uuid;

pub(super) fn open_drawer(_branch: &Branch, _tx: &Transaction<'_>) -> Result<(), SampleError> {
    Ok(())
}

/// Discount, payments and the end of a visit.
pub(super) fn settle(
    branch: &Branch,
    tx: &Transaction<'_>,
    visit: &Visit,
    order: Uuid,
) -> Result<(), SampleError> {
    if visit.discount_percent > 0 {
        let give = GiveDiscount {
            kind: DiscountKind::Percent,
            value: i64::from(visit.discount_percent) * 100,
            line_id: None,
            reason: "Regular guest".into(),
        };
        let manager = branch.seeded.actor(Role::Manager);
        orders::discount(tx, &manager, order, give, &ApproverPin::none()).map_err(making("a discount"))?;
    }
    let _ = service::complete;
    Ok(())
}

pub(super) fn refund(
    _b: &Branch,
    _tx: &Transaction<'_>,
    _order: Uuid,
    _line: Option<Uuid>,
) -> Result<(), SampleError> {
    Ok(())
}

pub(super) fn close_day(_b: &Branch, _tx: &Transaction<'_>, _date: NaiveDate) -> Result<(), SampleError> {
    Ok(())
}
