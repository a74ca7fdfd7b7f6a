//! Taking an order: order, lines, history, stock, kitchen tickets, table session and counters, in one transaction; of an order for
//! later, order, lines, history and counters. On the hot path: nothing is read twice, and the answer is built from what was written.

use super::super::rules::kinds::{OrderStatus, OrderType};
use super::super::rules::payments::{CARD, holds_card_number};
use super::super::rules::price::price;
use super::super::rules::{
    Draft, History, LineRequest, OrderError, OrderRecord, Overridden, Priced, Result, Selling, Warning,
    lines, schedule,
};
use super::super::store;
use super::command::{PlaceOrder, check_holds, find_table, source_of};
use super::{channels, dispatch, next_order_number};
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::{self, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{
    self,
    rules::{ApproverPin, AuthError, code_of},
};
use crate::resources::kitchen::rules::{LineKitchen, TicketType};
use crate::resources::menu::PriceLists;
use crate::resources::menu::rules::{LocalNow, MenuError, Occasion, Sellable};
use crate::resources::outlets::{
    self,
    rules::{Outlet, StockPolicy},
};
use crate::resources::tables::Table;
use crate::resources::{kitchen, menu, tables};
use std::collections::{BTreeMap, HashMap};
use tiffin_common::{Cents, Millis, Uuid};

/// An order just taken, with what its answer shows.
#[derive(Debug)]
pub struct Placed {
    /// The order.
    pub order: OrderRecord,
    /// Its first entry.
    pub history: History,
    /// Its taxes.
    pub priced: Priced,
    /// What of it was sold although it is unwise.
    pub warnings: Vec<Warning>,
    /// How far the kitchen is with its lines.
    pub kitchen: BTreeMap<Uuid, LineKitchen>,
}

/// Takes an order for staff or another system.
///
/// # Errors
/// All offending fields with their paths; 403 or a wrong PIN where another price is asked for.
pub fn place(tx: &Tx<'_>, actor: &Actor, mut command: PlaceOrder, pin: &ApproverPin) -> Result<Placed> {
    command.channel = channels::find(tx, actor, &command)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let (may_override, approver) = price_approver(tx, actor, pin)?;
    if command.notes.as_deref().is_some_and(holds_card_number) {
        return Err(OrderError::field("notes", CARD));
    }
    let table = find_table(tx, actor.outlet_id, &command);
    let occasion = command.occasion(table.as_ref().ok().and_then(Option::as_ref));
    let lists = menu::actions::price_lists(tx, outlet.id)?;
    let selling = by_staff(&outlet, may_override);
    let wanted = Wanted { selling, at: command.scheduled_for, prices: (&lists, &occasion) };
    let asked = resolve(tx, &outlet, tx.now(), &command.lines, wanted);
    let (table, Asked { drafts, release_at }) = both(table, asked)?;
    check_holds(&command, table.is_some())?;
    let session = match (&table, command.order_type) {
        (Some(table), OrderType::DineIn) if release_at.is_none() => {
            let date = outlet.business_date(tx.now());
            Some(tables::actions::join_session_of(tx, actor, table, command.guest_count, date)?)
        }
        _ => None,
    };
    let when = release_at.map_or(When::Now, When::Later);
    let placed = write(tx, actor, &outlet, command, Seating { table, session }, drafts, when)?;
    for (draft, line) in placed.drafts.iter().zip(&placed.placed.order.lines) {
        record_overrides(tx, actor, (placed.placed.order.id, &line.name), draft, approver.as_ref())?;
    }
    Ok(placed.placed)
}

/// Puts on record where a line of an order is charged otherwise than the menu says.
pub(super) fn record_overrides(
    tx: &Tx<'_>,
    actor: &Actor,
    (order, item): (Uuid, &str),
    draft: &Draft,
    approver: Option<&Approver>,
) -> Result<()> {
    for Overridden { name, menu, charged } in &draft.overridden {
        let shown = |price: &Cents| match name == item {
            true => serde_json::json!({"item": item, "unitPriceCents": price}),
            false => serde_json::json!({"item": item, "option": name, "priceCents": price}),
        };
        let entry = Entry::new("order.price_override", "order", Some(order))
            .before(&shown(menu))
            .after(&shown(charged))
            .approver(approver.cloned());
        audit::actions::record(tx, actor, entry)?;
    }
    Ok(())
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
pub(super) fn both<A, B>(a: Result<A>, b: Result<B>) -> Result<(A, B)> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(OrderError::Invalid(mut fields)), Err(OrderError::Invalid(more))) => {
            fields.extend(more);
            Err(OrderError::Invalid(fields))
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// How staff and channels sell: on, where the outlet sells what the books say is not there.
pub(super) fn by_staff(outlet: &Outlet, may_override: bool) -> Selling {
    let sells_on = outlet.stock_policy == StockPolicy::AllowNegative;
    Selling { may_override, sells_on, is_for_later: false, weighs: true }
}

/// How an order is sold, when the guest wants it (none: now), and by which price lists.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) selling: Selling,
    pub(super) at: Option<Millis>,
    pub(super) prices: (&'a PriceLists, &'a Occasion),
}

/// What was asked for and can be sold; of an order for later, when the kitchen is told.
pub(super) struct Asked {
    pub(super) drafts: Vec<Draft>,
    pub(super) release_at: Option<Millis>,
}

/// What was asked for at `now`, at the prices of now and against the menu of the moment it is wanted.
pub(super) fn resolve(
    conn: &dyn db::Source,
    outlet: &Outlet,
    now: Millis,
    requests: &[LineRequest],
    wanted: Wanted<'_>,
) -> Result<Asked> {
    let chosen = requests.iter().flat_map(|request| &request.components).map(|one| one.menu_item_id);
    let mut ids: Vec<Uuid> = requests.iter().map(|request| request.menu_item_id).chain(chosen).collect();
    ids.sort_unstable();
    ids.dedup();
    let at = LocalNow::new(wanted.at.unwrap_or(now).max(now), outlet.timezone);
    let (lists, occasion) = wanted.prices;
    let prices = lists.prices(&LocalNow::new(now, outlet.timezone), occasion);
    let dishes: HashMap<Uuid, Sellable> = menu::store::list_sellable(conn, outlet.id, &ids, &at)?
        .into_iter()
        .map(|dish| (dish.id, prices.sold(dish).taxed(outlet.tax_scheme)))
        .collect();
    let longest = dishes.values().filter_map(|dish| dish.prep_minutes).max();
    let release = schedule::release_at(wanted.at, longest, outlet.schedule_lead_minutes, now);
    let is_for_later = matches!(release, Ok(Some(_)));
    let selling = Selling { is_for_later, ..wanted.selling };
    let drafts = lines::resolve(requests, &dishes, selling, "items").map_err(OrderError::Invalid);
    let release = release.map_err(|field| OrderError::Invalid(vec![field]));
    both(drafts, release).map(|(drafts, release_at)| Asked { drafts, release_at })
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

/// When the kitchen gets an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Now.
    Now,
    /// When staff have accepted it.
    Accepted,
    /// Then.
    Later(Millis),
}

impl When {
    fn release_at(self) -> Option<Millis> {
        match self {
            When::Later(moment) => Some(moment),
            When::Now | When::Accepted => None,
        }
    }
}

/// Writes the order and everything that goes with it. With [`When::Now`] the kitchen gets its tickets, and stock and portions are
/// taken; otherwise nothing is: whoever only asks must not empty the shelf, nor who eats next week.
pub(super) fn write(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    command: PlaceOrder,
    seating: Seating,
    mut drafts: Vec<Draft>,
    when: When,
) -> Result<Written> {
    let mut order = new_order(tx, actor, outlet, command, seating, when)?;
    prepare_lines(tx, actor, &mut drafts, 1);
    order.lines = drafts.iter().map(|draft| draft.line.clone()).collect();
    let priced = price(&order.terms, &order.price_lines(), &[])?;
    order.set_price(&priced)?;
    store::insert(tx, &order)?;
    store::insert_lines(tx, &order, &order.lines)?;
    store::update_taxes(tx, &order, &priced, true)?;
    let history = super::put_on_record(tx, actor, &order, None, None)?;
    if when == When::Now {
        count_down(tx, actor, &drafts)?;
        dispatch::deduct(tx, actor, outlet, &order, &order.lines)?;
        dispatch::send(tx, actor, outlet, &order, &drafts, TicketType::New)?;
    }
    let warnings = drafts.iter_mut().flat_map(|draft| std::mem::take(&mut draft.warnings)).collect();
    let kitchen = match when {
        When::Now => kitchen::actions::line_states(tx, order.outlet_id, order.id)?,
        When::Accepted | When::Later(_) => BTreeMap::new(),
    };
    Ok(Written { placed: Placed { order, history, priced, warnings, kitchen }, drafts })
}

/// Gives lines their ids and their places, from `first` on, and components their combo.
pub(super) fn prepare_lines(tx: &Tx<'_>, actor: &Actor, drafts: &mut [Draft], first: i64) {
    let mut combo = None;
    for (number, draft) in (first..).zip(drafts) {
        let line = &mut draft.line;
        line.id = tx.new_id();
        line.line_number = number;
        line.created_at = tx.now();
        line.created_by = actor.account_id;
        for modifier in &mut line.modifiers {
            modifier.id = tx.new_id();
        }
        if line.is_combo() {
            combo = Some(line.id);
        } else if line.is_component() {
            line.combo_line_id = combo;
        }
    }
}

/// Counts portions down where they are limited: of the dish, and of each chosen option.
pub(super) fn count_down(tx: &Tx<'_>, actor: &Actor, drafts: &[Draft]) -> Result<()> {
    for draft in drafts {
        let (line, place) = (&draft.line, draft.place);
        let short = |error| match error {
            MenuError::SoldOut { left } => {
                OrderError::field(format!("items[{place}].quantity"), format!("only {left} left"))
            }
            other => other.into(),
        };
        if draft.limited {
            for id in line.counted() {
                menu::actions::take_limited(tx, actor, id, line.quantity).map_err(short)?;
            }
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
    when: When,
) -> Result<OrderRecord> {
    let release_at = when.release_at();
    let business_date = outlet.business_date(release_at.unwrap_or_else(|| tx.now()));
    let (server_id, server_name) = server_of(actor).unzip();
    let (channel_id, is_operator_taxed, commission_bps) = channels::terms_of(command.channel.as_ref());
    let (token, order_number) = next_order_number(tx, outlet.id, &outlet.code, business_date)?;
    let (table_id, table_number) = seating.table.map(|table| (table.id, table.fields.number)).unzip();
    Ok(OrderRecord {
        id: tx.new_id(),
        outlet_id: outlet.id,
        order_number,
        token_number: token,
        business_date,
        order_type: command.order_type,
        source: source_of(&command),
        status: OrderStatus::Pending,
        table_id,
        table_number,
        table_session_id: seating.session,
        guest: command.guest,
        notes: command.notes,
        guest_count: command.guest_count,
        scheduled_for: command.scheduled_for,
        terms: channels::order_terms(tx, outlet, command.order_type, command.channel.as_ref())?,
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
        revenue_date: None,
        credited: Cents::ZERO,
        written_off: Cents::ZERO,
        invoice_id: None,
        invoice_number: None,
        dispatched_at: (when == When::Now).then(|| tx.now()),
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
        release_at,
        server_id,
        server_name,
        channel_id,
        is_operator_taxed,
        commission_bps,
        external_id: command.external_id,
        commission: Cents::ZERO,
        slip_id: None,
        slip_number: None,
        lines: Vec::new(),
    })
}

/// Who serves an order that `actor` sends: a person of the house.
pub(super) fn server_of(actor: &Actor) -> Option<(Uuid, String)> {
    let is_person = !matches!(actor.role, None | Some(Role::Integration | Role::Terminal));
    let id = actor.employee_id.or(actor.account_id).filter(|_| is_person)?;
    Some((id, actor.name.clone()))
}
