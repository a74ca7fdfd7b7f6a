//! The service charge of an order over HTTP.

use super::super::actions::service_charge;
use super::super::rules::OrderError;
use super::view::{OrderDetail, view};
use crate::access::Cx;
use crate::http::{Created, Id, Problem, Query, Result, Updated};

/// Puts the outlet's service charge on an order.
pub async fn create_service_charge(cx: Cx, Id(id): Id) -> Result<Created<OrderDetail>> {
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        service_charge::put_on(tx, actor, id)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// Why the service charge comes off.
#[apply(request!)]
pub struct DeleteServiceCharge {
    /// Why; in the audit log.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// Takes the service charge off an order.
pub async fn delete_service_charge(
    cx: Cx,
    Id(id): Id,
    Query(query): Query<DeleteServiceCharge>,
) -> Result<Updated<OrderDetail>> {
    let reason = query.reason.trim().to_owned();
    if reason.is_empty() {
        return Err(Problem::field("reason", "must say why"));
    }
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        service_charge::take_off(tx, actor, id, &reason)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}
