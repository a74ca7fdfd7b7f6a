//! Guests ordering from their own phone. The token names the table; prices come from the menu; a guest sees the orders of the
//! present seating only.

use super::super::rules::{LineRequest, OrderType, Result, Source};
use super::super::store;
use super::place::{self, PlaceOrder, Placed, Seating};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::{self, rules::QrOrderApproval};
use crate::resources::tables::{self, Table};

/// What a guest orders.
#[derive(Debug, Clone)]
pub struct GuestOrder {
    /// The lines; no prices.
    pub lines: Vec<LineRequest>,
    /// What to call the guest.
    pub customer_name: Option<String>,
}

/// Takes a guest's order at `table`. It takes its stock at once, so that two guests cannot be sold the last portion; the
/// kitchen gets it now, or when staff accept it, as the outlet has it.
///
/// # Errors
/// All offending fields with their paths.
pub fn place_guest(tx: &Tx<'_>, actor: &Actor, table: Table, guest: GuestOrder) -> Result<Placed> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let drafts = place::resolve(tx, &outlet, &guest.lines, false)?;
    let session = tables::actions::join_session_of(tx, actor, &table, None, outlet.business_date(tx.now()))?;
    let waits = match outlet.qr_order_approval {
        QrOrderApproval::Never => false,
        QrOrderApproval::Always => true,
        QrOrderApproval::FirstOrder => !store::is_approved(tx, session)?,
    };
    let command = PlaceOrder {
        order_type: OrderType::DineIn,
        source: Source::Qr,
        table_id: None,
        table_number: None,
        customer_name: guest.customer_name,
        customer_phone: None,
        notes: None,
        guest_count: None,
        scheduled_for: None,
        lines: guest.lines,
    };
    let number = table.fields.number.clone();
    let seating = Seating { table: Some(table), session: Some(session) };
    let placed = place::write(tx, actor, &outlet, command, seating, drafts, !waits)?.placed;
    if waits {
        let notice = Notice {
            kind: "QR_ORDER_WAITING",
            severity: Severity::Info,
            title: format!("Table {number}: a guest's order waits"),
            body: format!("Accept {} to send it to the kitchen", placed.order.order_number),
            audience: Audience::Staff,
            entity: Some(("order", placed.order.id)),
            dedupe_key: format!("QR_ORDER_WAITING:{}", placed.order.id),
        };
        notifications::actions::notify(tx, outlet.id, notice)?;
    }
    Ok(placed)
}
