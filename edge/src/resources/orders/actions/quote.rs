//! What an order would cost: the same menu, rules and prices as taking it, and nothing is written. Never takes a number, stock or a seat.

use super::super::rules::price::price;
use super::super::rules::{LineRecord, OrderType, PriceLine, Priced, Result, Warning};
use super::command::{PlaceOrder, check_holds, find_table};
use super::place::{self, Asked, Wanted};
use super::{channels, qr};
use crate::access::Actor;
use crate::db::Source;
use crate::resources::channels::Channel;
use crate::resources::menu::{self, LocalNow};
use crate::resources::outlets;
use crate::resources::tables::Table;
use tiffin_common::Millis;

/// What an order would come to.
#[derive(Debug)]
pub struct Quote {
    /// Its lines, priced.
    pub lines: Vec<LineRecord>,
    /// Its sums and taxes.
    pub priced: Priced,
    /// When the kitchen would get it; none: at once.
    pub release_at: Option<Millis>,
    /// What of it would be sold although it is unwise.
    pub warnings: Vec<Warning>,
}

/// What `command` would come to at `now`.
///
/// # Errors
/// As taking it: all offending fields with their paths.
pub fn quote(
    conn: &dyn Source,
    actor: &Actor,
    now: Millis,
    mut command: PlaceOrder,
    may_override: bool,
) -> Result<Quote> {
    let outlet = actor.outlet_id;
    let here = outlets::store::find(conn, outlet)?;
    command.channel = channels::find(conn, actor, &command)?;
    let table = find_table(conn, outlet, &command);
    let occasion = command.occasion(table.as_ref().ok().and_then(Option::as_ref));
    let lists = menu::store::find_prices(conn, outlet, &LocalNow::new(now, here.timezone), &occasion)?;
    let selling = place::by_staff(&here, may_override);
    let wanted = Wanted { selling, at: command.scheduled_for, prices: (&lists, &occasion) };
    let asked = place::resolve(conn, &here, now, &command.lines, wanted);
    let (table, asked) = place::both(table, asked)?;
    check_holds(&command, table.is_some())?;
    priced(conn, &here, (command.order_type, command.channel.as_ref()), asked)
}

/// What guests at `table` would pay for these lines at `now`.
///
/// # Errors
/// As [`quote`].
pub fn quote_guest(
    conn: &dyn Source,
    table: &Table,
    now: Millis,
    lines: &[super::super::rules::LineRequest],
) -> Result<Quote> {
    let here = outlets::store::find(conn, table.outlet_id)?;
    let occasion = qr::occasion_of(table);
    let lists = menu::store::find_prices(conn, here.id, &LocalNow::new(now, here.timezone), &occasion)?;
    let asked = place::resolve(conn, &here, now, lines, qr::wanted((&lists, &occasion)))?;
    priced(conn, &here, (OrderType::DineIn, None), asked)
}

fn priced(
    conn: &dyn Source,
    outlet: &outlets::rules::Outlet,
    (order_type, channel): (OrderType, Option<&Channel>),
    asked: Asked,
) -> Result<Quote> {
    let terms = channels::order_terms(conn, outlet, order_type, channel)?;
    let (_, is_operator_taxed, _) = channels::terms_of(channel);
    let mut lines = Vec::with_capacity(asked.drafts.len());
    let mut warnings = Vec::new();
    for draft in asked.drafts {
        lines.push(draft.line);
        warnings.extend(draft.warnings);
    }
    let by_operator = |line: &LineRecord| is_operator_taxed && !line.is_goods;
    let brings = |line| PriceLine { by_operator: by_operator(line), ..LineRecord::price_line(line) };
    let price_lines: Vec<PriceLine<'_>> = lines.iter().map(brings).collect();
    let priced = price(&terms, &price_lines, &[])?;
    for (line, of) in lines.iter_mut().zip(&priced.lines) {
        (line.discount, line.service_charge, line.tax) = (of.discount, of.service_charge, of.tax);
    }
    Ok(Quote { lines, priced, release_at: asked.release_at, warnings })
}
