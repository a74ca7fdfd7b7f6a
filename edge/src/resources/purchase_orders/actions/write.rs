//! A purchase order is written, and changed while it is a draft.

use super::super::rules::lines::{self, LineDraft, NewLine};
use super::super::rules::prices::Prices;
use super::super::rules::{Mode, PurchaseError, PurchaseOrder, Result, Status, po_number, po_series};
use super::super::store;
use super::{find, found_items};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, Patch, Stale};
use crate::resources::inventory::rules::Supplier;
use crate::resources::inventory::store::suppliers;
use crate::resources::orders::store::next_number;
use crate::resources::outlets;
use chrono::{Days, NaiveDate};
use tiffin_common::{Cents, Uuid};

/// A purchase order to be written.
#[derive(Debug, Clone)]
pub struct NewPurchaseOrder {
    /// Who is to deliver.
    pub supplier_id: Uuid,
    /// How it comes to be.
    pub mode: Mode,
    /// When it is wanted; after the supplier's lead time where absent.
    pub expected_on: Option<NaiveDate>,
    /// For the supplier.
    pub notes: Option<String>,
    /// What is ordered.
    pub lines: Vec<LineDraft>,
}

/// Writes a draft.
///
/// # Errors
/// All offending fields: no line, an item twice, unknown ids, units that say nothing about the item's.
pub fn create(tx: &Tx<'_>, actor: &Actor, new: NewPurchaseOrder) -> Result<PurchaseOrder> {
    let mut checks = Checks::new();
    let supplier = suppliers::find(tx, actor.outlet_id, new.supplier_id)?;
    if supplier.is_none() {
        checks.add("supplierId", "is not a supplier of this outlet");
    }
    let lines = checked_lines(tx, actor, (new.supplier_id, supplier.as_ref()), &new.lines, &mut checks)?;
    checks.finish(())?;
    let supplier = supplier.ok_or(PurchaseError::NotFound("supplier"))?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let today = outlet.business_date(tx.now());
    let serial = next_number(tx, outlet.id, &po_series(today))?;
    let order = PurchaseOrder {
        id: tx.new_id(),
        po_number: po_number(&outlet.code, today, serial),
        mode: new.mode,
        status: Status::Draft,
        supplier_id: supplier.id,
        expected_on: new.expected_on.unwrap_or_else(|| promised(&supplier, today)),
        supplier_name: supplier.draft.name,
        notes: new.notes,
        total: total(&lines)?,
        business_date: today,
        created_by_name: actor.name.clone(),
        sent_at: None,
        received_at: None,
        closed_at: None,
        close_reason: None,
        version: 1,
        created_at: tx.now(),
        updated_at: tx.now(),
    };
    store::insert(tx, actor, &order)?;
    store::set_lines(tx, actor.outlet_id, order.id, &lines)?;
    Ok(order)
}

/// When the supplier delivers what is ordered on `today`.
fn promised(supplier: &Supplier, today: NaiveDate) -> NaiveDate {
    let days = u64::try_from(supplier.draft.lead_time_days).unwrap_or_default();
    today.checked_add_days(Days::new(days)).unwrap_or(today)
}

/// The lines, at what is expected where they name no price; of the supplier of that id, who may be archived.
fn checked_lines(
    tx: &Tx<'_>,
    actor: &Actor,
    (supplier_id, supplier): (Uuid, Option<&Supplier>),
    drafts: &[LineDraft],
    checks: &mut Checks,
) -> Result<Vec<NewLine>> {
    let items = found_items(tx, actor, drafts.iter().map(|line| line.stock_item_id))?;
    let mut prices = Prices::default();
    if drafts.iter().any(|draft| draft.unit_cost.is_none()) {
        prices.agreed = supplier.map(|found| found.draft.agreed_prices.clone()).unwrap_or_default();
        prices.last = store::list_last_prices(tx, actor.outlet_id, supplier_id, tx.now())?;
    }
    Ok(lines::checked(drafts, &items, &prices, checks)?)
}

fn total(lines: &[NewLine]) -> Result<Cents> {
    Ok(Cents::sum(lines.iter().map(|line| line.total))?)
}

/// A change of a draft.
#[derive(Debug, Clone, Default)]
pub struct DraftChange {
    /// When it is wanted.
    pub expected_on: Option<NaiveDate>,
    /// For the supplier.
    pub notes: Patch<String>,
    /// What is ordered, in the place of all its lines.
    pub lines: Option<Vec<LineDraft>>,
}

/// Changes a draft.
///
/// # Errors
/// [`PurchaseError::State`] once it is sent; [`PurchaseError::Stale`]; offending fields as for [`create`].
pub fn update(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: DraftChange,
) -> Result<PurchaseOrder> {
    let order = find(tx, actor, id)?;
    Stale::check(expected, order.version)?;
    if order.status != Status::Draft {
        let why =
            format!("A purchase order can be changed while it is a DRAFT; this one is {}", order.status);
        return Err(PurchaseError::State(why));
    }
    let mut new_total = order.total;
    if let Some(drafts) = &change.lines {
        let mut checks = Checks::new();
        let supplier = suppliers::find(tx, actor.outlet_id, order.supplier_id)?;
        let lines = checked_lines(tx, actor, (order.supplier_id, supplier.as_ref()), drafts, &mut checks)?;
        checks.finish(())?;
        new_total = total(&lines)?;
        store::set_lines(tx, actor.outlet_id, id, &lines)?;
    }
    let expected_on = change.expected_on.unwrap_or(order.expected_on);
    let notes = change.notes.apply(order.notes);
    store::update(tx, actor.outlet_id, id, expected_on, notes.as_deref(), new_total)?;
    find(tx, actor, id)
}
