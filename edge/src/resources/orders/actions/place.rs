//! Taking an order: order, lines, history, stock, kitchen tickets, table session and counters, in one transaction. On the hot
//! path: nothing is read twice, and the answer is built from what was written.

use super::super::rules::kinds::{OrderStatus, OrderType, Source};
use super::super::rules::price::price;
use super::super::rules::{
    Draft, Guest, History, LineRequest, OrderError, OrderRecord, Priced, Result, lines,
};
use super::super::store;
use super::{dispatch, next_order_number};
use crate::access::{Actor, Approver, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{
    self,
    rules::{ApproverPin, AuthError, code_of},
};
use crate::resources::kitchen::rules::TicketType;
use crate::resources::menu::rules::{LocalNow, MenuError, Sellable};
use crate::resources::outlets::{self, rules::Outlet};
use crate::resources::tables::{Table, TableError};
use crate::resources::{menu, tables};
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Uuid};

/// An order as asked for.
#[derive(Debug, Clone)]
pub struct PlaceOrder {
    /// How it reaches its guest.
    pub order_type: OrderType,
    /// Where it comes from.
    pub source: Source,
    /// Its table, by id.
    pub table_id: Option<Uuid>,
    /// Its table, by number.
    pub table_number: Option<String>,
    /// Who orders.
    pub guest: Guest,
    /// For the kitchen.
    pub notes: Option<String>,
    /// How many guests.
    pub guest_count: Option<i64>,
    /// When the guest wants it. Kept and shown; the kitchen is told at once.
    pub scheduled_for: Option<Millis>,
    /// What was ordered.
    pub lines: Vec<LineRequest>,
    /// The phone that ordered.
    pub guest_key: Option<Uuid>,
}

/// An order just taken, with what its answer shows.
#[derive(Debug)]
pub struct Placed {
    /// The order.
    pub order: OrderRecord,
    /// Its first entry.
    pub history: History,
    /// Its taxes.
    pub priced: Priced,
}

/// Takes an order for staff or another system.
///
/// # Errors
/// All offending fields with their paths; 403 or a wrong PIN where another price is asked for.
pub fn place(tx: &Tx<'_>, actor: &Actor, command: PlaceOrder, pin: &ApproverPin) -> Result<Placed> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let (may_override, approver) = price_approver(tx, actor, pin)?;
    let table = find_table(tx, actor.outlet_id, &command);
    let drafts = resolve(tx, &outlet, &command.lines, may_override);
    let (table, drafts) = both(table, drafts)?;
    let session = match (&table, command.order_type) {
        (Some(table), OrderType::DineIn) => {
            let date = outlet.business_date(tx.now());
            Some(tables::actions::join_session_of(tx, actor, table, command.guest_count, date)?)
        }
        _ => None,
    };
    let placed = write(tx, actor, &outlet, command, Seating { table, session }, drafts, true)?;
    for (draft, line) in placed.drafts.iter().zip(&placed.placed.order.lines) {
        if let Some(menu_price) = draft.overridden {
            let entry = Entry::new("order.price_override", "order", Some(placed.placed.order.id))
                .before(&serde_json::json!({"item": line.name, "unitPriceCents": menu_price}))
                .after(&serde_json::json!({"item": line.name, "unitPriceCents": line.unit_price}))
                .approver(approver.clone());
            audit::actions::record(tx, actor, entry)?;
        }
    }
    Ok(placed.placed)
}

/// Whether other prices than the menu's are allowed, and who approved that, where the role may not and a PIN came.
pub(super) fn price_approver(
    tx: &Tx<'_>,
    actor: &Actor,
    pin: &ApproverPin,
) -> Result<(bool, Option<Approver>)> {
    match auth::actions::approve(tx, actor, Permission::PriceOverride, pin) {
        Ok(approver) => Ok((true, approver)),
        Err(AuthError::NeedsApprover(_)) => Ok((false, None)),
        Err(error) => Err(error.into()),
    }
}

/// Both results, or all offending fields of both.
fn both<A, B>(a: Result<A>, b: Result<B>) -> Result<(A, B)> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(OrderError::Invalid(mut fields)), Err(OrderError::Invalid(more))) => {
            fields.extend(more);
            Err(OrderError::Invalid(fields))
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// The table that was named, by id or number.
fn find_table(tx: &Tx<'_>, outlet: Uuid, command: &PlaceOrder) -> Result<Option<Table>> {
    let by_id = match command.table_id {
        Some(id) => match tables::store::find(tx, outlet, id) {
            Err(TableError::NotFound("table")) => {
                return Err(OrderError::field("tableId", "is no table of this outlet"));
            }
            found => Some(found?),
        },
        None => None,
    };
    let by_number = match &command.table_number {
        Some(number) => {
            let found = tables::store::find_by_number(tx, outlet, number)?;
            Some(found.ok_or_else(|| OrderError::field("tableNumber", "is no table of this outlet"))?)
        }
        None => None,
    };
    if let (Some(one), Some(other)) = (&by_id, &by_number)
        && one.id != other.id
    {
        return Err(OrderError::field("tableNumber", "is not the table that tableId names"));
    }
    Ok(by_id.or(by_number))
}

/// What was asked for, against the menu of this moment.
pub(super) fn resolve(
    tx: &Tx<'_>,
    outlet: &Outlet,
    requests: &[LineRequest],
    may_override: bool,
) -> Result<Vec<Draft>> {
    let mut ids: Vec<Uuid> = requests.iter().map(|request| request.menu_item_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let now = LocalNow::new(tx.now(), outlet.timezone);
    let dishes: HashMap<Uuid, Sellable> = menu::store::list_sellable(tx, outlet.id, &ids, &now)?
        .into_iter()
        .map(|dish| (dish.id, dish))
        .collect();
    Ok(lines::resolve(requests, &dishes, may_override, "items")?)
}

/// The table of an order and the session of the party there.
pub(super) struct Seating {
    pub(super) table: Option<Table>,
    pub(super) session: Option<Uuid>,
}

pub(super) struct Written {
    pub(super) placed: Placed,
    pub(super) drafts: Vec<Draft>,
}

/// Writes the order and everything that goes with it. With `send` the kitchen gets its tickets now, and stock and portions are taken;
/// otherwise nothing is: whoever only asks must not empty the shelf.
pub(super) fn write(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    command: PlaceOrder,
    seating: Seating,
    mut drafts: Vec<Draft>,
    send: bool,
) -> Result<Written> {
    let mut order = new_order(tx, actor, outlet, command, seating)?;
    order.dispatched_at = send.then(|| tx.now());
    for (number, draft) in (1..).zip(&mut drafts) {
        prepare_line(tx, actor, draft, number);
    }
    order.lines = drafts.iter().map(|draft| draft.line.clone()).collect();
    let priced = price(&order.terms, &order.price_lines(), &[])?;
    order.set_price(&priced);
    store::insert(tx, &order)?;
    store::insert_lines(tx, &order, &order.lines)?;
    store::update_taxes(tx, &order, &priced, true)?;
    let history = super::put_on_record(tx, actor, &order, None, None)?;
    if send {
        count_down(tx, actor, &drafts)?;
        dispatch::deduct(tx, actor, outlet, &order, &order.lines)?;
        dispatch::send(tx, actor, &order, &drafts, TicketType::New)?;
    }
    Ok(Written { placed: Placed { order, history, priced }, drafts })
}

/// Gives a line its ids and its place.
pub(super) fn prepare_line(tx: &Tx<'_>, actor: &Actor, draft: &mut Draft, number: i64) {
    let line = &mut draft.line;
    line.id = tx.new_id();
    line.line_number = number;
    line.created_at = tx.now();
    line.created_by = actor.account_id;
    for modifier in &mut line.modifiers {
        modifier.id = tx.new_id();
    }
}

/// Counts portions down where they are limited: of the dish, and of each chosen option.
pub(super) fn count_down(tx: &Tx<'_>, actor: &Actor, drafts: &[Draft]) -> Result<()> {
    for (index, draft) in drafts.iter().enumerate() {
        let line = &draft.line;
        let short = |error| match error {
            MenuError::SoldOut { left } => {
                OrderError::field(format!("items[{index}].quantity"), format!("only {left} left"))
            }
            other => other.into(),
        };
        if draft.limited {
            menu::actions::take_limited(tx, actor, line.menu_item_id, line.quantity).map_err(short)?;
        }
        for option in &draft.limited_options {
            menu::actions::take_limited_option(tx, actor, *option, line.quantity).map_err(short)?;
        }
    }
    Ok(())
}

fn new_order(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    command: PlaceOrder,
    seating: Seating,
) -> Result<OrderRecord> {
    let business_date = outlet.business_date(tx.now());
    let (token, order_number) = next_order_number(tx, outlet.id, &outlet.code, business_date)?;
    let (table_id, table_number) = seating.table.map(|table| (table.id, table.fields.number)).unzip();
    Ok(OrderRecord {
        id: tx.new_id(),
        outlet_id: outlet.id,
        order_number,
        token_number: token,
        business_date,
        order_type: command.order_type,
        source: command.source,
        status: OrderStatus::Pending,
        table_id,
        table_number,
        table_session_id: seating.session,
        guest: command.guest,
        notes: command.notes,
        guest_count: command.guest_count,
        scheduled_for: command.scheduled_for,
        terms: OrderRecord::terms_of(outlet.prices_include_tax, outlet.service_charge, outlet.cash_rounding),
        gross: Cents::ZERO,
        subtotal: Cents::ZERO,
        discount: Cents::ZERO,
        service_charge: Cents::ZERO,
        tax: Cents::ZERO,
        rounding: Cents::ZERO,
        total: Cents::ZERO,
        paid: Cents::ZERO,
        refunded: Cents::ZERO,
        tip: Cents::ZERO,
        invoice_id: None,
        invoice_number: None,
        dispatched_at: None,
        split_from_id: None,
        merged_into_id: None,
        created_by: actor.account_id,
        clock_suspect: tx.is_clock_doubtful(),
        version: 1,
        created_at: tx.now(),
        updated_at: tx.now(),
        closed_at: None,
        guest_key: command.guest_key,
        receipt_code: Some(code_of(&tx.random::<8>())),
        lines: Vec::new(),
    })
}
