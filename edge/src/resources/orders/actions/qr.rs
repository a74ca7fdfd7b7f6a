//! Guests ordering from their own phone. The token names the table; prices come from the menu; a guest sees the orders of the
//! present seating only. Whoever holds a photo of the code can ask, and no more: nothing is taken or cooked before staff accept, or the
//! party's own code says that it is the party.

use super::super::rules::{
    Guest, LineRequest, OrderError, OrderRecord, OrderStatus, OrderType, Result, Selling, Source,
};
use super::super::store;
use super::command::PlaceOrder;
use super::place::{self, Placed, Seating, Wanted, When};
use super::status::{SetStatus, set_status};
use crate::access::Actor;
use crate::db::{self, Source as Rows, Tx};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::menu::{self, Occasion, PriceLists};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::{self, rules::QrOrderApproval};
use crate::resources::tables::{self, Table};
use tiffin_common::{Millis, Uuid, words};

/// Orders of a table that may wait for staff at once.
const WAITING_PER_TABLE: usize = 3;

/// Wrong codes after which no code of the party is looked at any more.
const WRONG_CODES: i64 = 5;

/// How long an order waits for staff: 15 minutes.
pub const WAITS_MS: i64 = 15 * 60_000;

/// The most that guests order by themselves: lines, portions, and minor units of the currency.
struct Cap {
    lines: usize,
    portions: i64,
    value: i64,
}

const OF_ORDER: Cap = Cap { lines: 30, portions: 40, value: 5_000_000 };
const OF_SESSION: Cap = Cap { lines: 100, portions: 150, value: 20_000_000 };

/// Guests pay the menu's prices, and order what there is and need not be weighed.
pub(super) fn wanted<'a>(prices: (&'a PriceLists, &'a Occasion)) -> Wanted<'a> {
    let selling = Selling { may_override: false, sells_on: false, is_for_later: false, weighs: false };
    Wanted { selling, at: None, prices }
}

/// What the prices of guests at `table` hang on.
pub fn occasion_of(table: &Table) -> Occasion {
    let area = table.fields.area.clone();
    Occasion { order_type: Some(OrderType::DineIn), area, ..Occasion::default() }
}

/// What a guest orders.
#[derive(Debug, Clone)]
pub struct GuestOrder {
    /// The lines; no prices.
    pub lines: Vec<LineRequest>,
    /// What to call the guest.
    pub customer_name: Option<String>,
    /// The phone.
    pub guest_key: Option<Uuid>,
    /// Whether the party's code came with it.
    pub knows_code: bool,
}

/// What a code that came with an order is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The party's.
    Right,
    /// Not the party's; it was counted.
    Wrong,
    /// None that could be looked at: there is no party, staff have not dealt with it, it has its bill, or too many wrong ones came.
    Idle,
}

/// Looks at the code that came with an order.
pub fn check_code(tx: &Tx<'_>, actor: &Actor, table: &Table, given: &str) -> Result<Code> {
    let Some(session) = &table.current_session else { return Ok(Code::Idle) };
    if session.session_code.is_none()
        || session.code_failures >= WRONG_CODES
        || !store::is_approved(tx, session.id)?
        || store::has_bill(tx, session.id)?
    {
        return Ok(Code::Idle);
    }
    if session.session_code.as_deref() == Some(given) {
        return Ok(Code::Right);
    }
    tables::actions::code_failed(tx, actor, session.id)?;
    Ok(Code::Wrong)
}

/// Takes a guest's order at `table`. It waits until staff accept it, or goes to the kitchen at once, as the outlet has it.
///
/// # Errors
/// All offending fields with their paths; [`OrderError::State`] when the phone's last order, or too many of the table, wait already.
pub fn place_guest(tx: &Tx<'_>, actor: &Actor, table: Table, guest: GuestOrder) -> Result<Placed> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let waits = match outlet.qr_order_approval {
        QrOrderApproval::Never => false,
        QrOrderApproval::Always => true,
        QrOrderApproval::FirstOrder => !guest.knows_code,
    };
    if waits {
        demand_patience(tx, &table, guest.guest_key)?;
    }
    let (lists, occasion) = (menu::actions::price_lists(tx, outlet.id)?, occasion_of(&table));
    let wanted = wanted((&lists, &occasion));
    let drafts = place::resolve(tx, &outlet, tx.now(), &guest.lines, wanted)?.drafts;
    let session = tables::actions::join_session_of(tx, actor, &table, None, outlet.business_date(tx.now()))?;
    let command = PlaceOrder {
        order_type: OrderType::DineIn,
        source: Source::Qr,
        table_id: None,
        table_number: None,
        guest: Guest { name: guest.customer_name, ..Guest::default() },
        notes: None,
        guest_count: None,
        scheduled_for: None,
        lines: guest.lines,
        guest_key: guest.guest_key,
        channel_id: None,
        external_id: None,
        channel: None,
    };
    let number = table.fields.number.clone();
    let seating = Seating { table: Some(table), session: Some(session) };
    let when = if waits { When::Accepted } else { When::Now };
    let placed = place::write(tx, actor, &outlet, command, seating, drafts, when)?.placed;
    check_cap([&placed.order].into_iter(), &OF_ORDER)?;
    let all = store::list_of_session(tx, outlet.id, session, false)?;
    check_cap(all.iter().filter(|order| order.source == Source::Qr), &OF_SESSION)?;
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

/// Refuses one more order that would wait.
fn demand_patience(tx: &Tx<'_>, table: &Table, guest: Option<Uuid>) -> Result<()> {
    let waiting = store::list_waiting(tx, table.outlet_id, Millis::new(i64::MAX))?;
    if guest.is_some() && waiting.iter().any(|(_, _, other)| *other == guest) {
        return Err(OrderError::State("Your last order still waits for the staff".into()));
    }
    if waiting.iter().filter(|(_, at, _)| *at == Some(table.id)).count() >= WAITING_PER_TABLE {
        return Err(OrderError::State("Several orders of this table wait for the staff already".into()));
    }
    Ok(())
}

fn check_cap<'o>(orders: impl Iterator<Item = &'o OrderRecord>, cap: &Cap) -> Result<()> {
    let (mut lines, mut portions, mut value) = (0_usize, 0_i64, 0_i64);
    for order in orders.filter(|order| order.status != OrderStatus::Cancelled) {
        let sold = order.lines.iter().filter(|line| !line.is_component());
        lines = lines.saturating_add(sold.clone().count());
        portions = sold.fold(portions, |sum, line| sum.saturating_add(line.quantity));
        value = value.saturating_add(order.total.get());
    }
    if lines > cap.lines || portions > cap.portions || value > cap.value {
        return Err(OrderError::field("items", "is more than guests may order by themselves: ask the staff"));
    }
    Ok(())
}

words! {
    /// What a guest calls for.
    pub enum Wish {
        /// Somebody shall come.
        Waiter = "WAITER",
        /// The bill.
        Bill = "BILL",
    }
}

/// What a notice is called that tells of a guest's call; its key goes on with the wish and the party.
const CALL: &str = "GUEST_CALL";

/// What parties call for and nobody has ticked off: who, what, and when they called last.
pub fn list_calls(conn: &dyn Rows, outlet: Uuid) -> db::Result<Vec<(Uuid, Wish, Millis)>> {
    let unread = notifications::actions::unread_of(conn, outlet, CALL)?;
    let call = |(key, at): (String, Millis)| {
        let (wish, session) = key.strip_prefix(CALL)?.strip_prefix(':')?.split_once(':')?;
        Some((Uuid::try_parse(session).ok()?, Wish::of_name(wish)?, at))
    };
    Ok(unread.into_iter().filter_map(call).collect())
}

/// A guest at `table` calls: staff are told; calls for the same count on one notice until somebody has read it.
///
/// # Errors
/// [`OrderError::State`] when nobody sits there.
pub fn call(tx: &Tx<'_>, actor: &Actor, table: &Table, wish: Wish) -> Result<()> {
    let Some(session) = &table.current_session else {
        return Err(OrderError::State("Nobody has been seated at this table yet: ask our staff".into()));
    };
    let number = &table.fields.number;
    let (title, body) = match wish {
        Wish::Waiter => (format!("Table {number} calls"), "A guest asks for somebody to come."),
        Wish::Bill => (format!("Table {number} asks for the bill"), "Make the bill and bring it."),
    };
    let notice = Notice {
        kind: CALL,
        severity: Severity::Warning,
        title,
        body: body.into(),
        audience: Audience::Staff,
        entity: Some(("table", table.id)),
        dedupe_key: format!("{CALL}:{wish}:{}", session.id),
    };
    Ok(notifications::actions::notify(tx, actor.outlet_id, notice)?)
}

/// Calls off what has waited too long for staff; answers how many.
pub fn expire(tx: &Tx<'_>, outlet: Uuid) -> Result<usize> {
    let late = store::list_waiting(tx, outlet, tx.now().after(-WAITS_MS))?;
    let off = SetStatus::to(OrderStatus::Cancelled, Some("Nobody accepted it within 15 minutes"));
    for (id, ..) in &late {
        set_status(tx, &Actor::system(outlet), *id, None, &off, &ApproverPin::none())?;
    }
    Ok(late.len())
}
