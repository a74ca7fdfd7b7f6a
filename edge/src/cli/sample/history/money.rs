//! The till of a simulated day: the drawer, bills, payments, refunds, the close.

use super::Branch;
use crate::access::Role;
use crate::cli::sample::dice::Dice;
use crate::cli::sample::plan::Visit;
use crate::cli::sample::seed::{Result, making};
use crate::db::{Tx, one};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::cash;
use crate::resources::orders::actions as orders;
use crate::resources::orders::actions::discounts::GiveDiscount;
use crate::resources::orders::rules::payments::NewPayment;
use crate::resources::orders::rules::refunds::{NewRefund, RefundItem, RefundOf};
use crate::resources::orders::rules::{DiscountKind, PaymentMethod};
use crate::resources::orders::store;
use chrono::{Datelike, NaiveDate};
use tiffin_common::{Bps, Cents, Uuid};

/// Notes and coins in the drawer in the morning.
const FLOAT: Cents = Cents::new(300_000);

/// Guests pay cash in such notes.
const NOTE_CENTS: i64 = 10_000;

/// Opens the drawer.
pub(super) fn open_drawer(branch: &Branch, tx: &Tx<'_>) -> Result<()> {
    let cashier = branch.seeded.actor(Role::Cashier);
    cash::actions::open(tx, &cashier, "MAIN".into(), FLOAT, None).map(drop).map_err(making("the drawer"))
}

/// Discount and payments of a visit.
pub(super) fn settle(branch: &Branch, tx: &Tx<'_>, visit: &Visit, order: Uuid) -> Result<()> {
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
    let cashier = branch.seeded.actor(Role::Cashier);
    let due = store::find_head(tx, branch.seeded.outlet.id, order).map_err(making("an order"))?.due();
    let shares = due.allocate(&vec![1; visit.payments.len()])?;
    for (at, (method, amount)) in visit.payments.iter().zip(shares).enumerate() {
        if amount <= Cents::ZERO {
            continue;
        }
        let method = PaymentMethod::of_name(method).unwrap_or(PaymentMethod::Other);
        let percent = if at == 0 { i64::from(visit.tip_percent) } else { 0 };
        // Tips are whole rupees.
        let tip = Cents::new(amount.share(Bps::new(percent * 100))?.get() / 100 * 100);
        let tendered = (method == PaymentMethod::Cash).then(|| notes_for(amount.plus(tip)?)).transpose()?;
        let payment = NewPayment { method, amount, tip, tendered, reference: None, printer_id: None };
        orders::pay(tx, &cashier, order, &payment).map_err(making("a payment"))?;
    }
    Ok(())
}

fn notes_for(amount: Cents) -> Result<Cents, tiffin_common::Overflow> {
    let notes = amount.get().saturating_add(NOTE_CENTS - 1) / NOTE_CENTS;
    Cents::new(NOTE_CENTS).times(notes)
}

/// One portion of the first line is paid back.
pub(super) fn refund(branch: &Branch, tx: &Tx<'_>, order: Uuid) -> Result<()> {
    let record = store::find(tx, branch.seeded.outlet.id, order).map_err(making("an order"))?;
    let Some(line) = record.lines.iter().find(|line| line.quantity > 0 && line.gross > Cents::ZERO) else {
        return Ok(());
    };
    let refund = NewRefund {
        payment_id: None,
        of: RefundOf::Items(vec![RefundItem { order_item_id: line.id, quantity: 1 }]),
        reason: "Not as the guest expected".into(),
        restock: false,
    };
    let manager = branch.seeded.actor(Role::Manager);
    orders::refund(tx, &manager, order, &refund, &ApproverPin::none()).map(drop).map_err(making("a refund"))
}

/// Counts the drawer (on some days a little is missing or too much) and closes the business date.
pub(super) fn close_day(branch: &Branch, tx: &Tx<'_>, date: NaiveDate) -> Result<()> {
    let (cashier, manager) = (branch.seeded.actor(Role::Cashier), branch.seeded.actor(Role::Manager));
    let open = "SELECT id FROM cash_sessions WHERE outlet_id = ?1 AND status = 'OPEN'";
    let drawer: Uuid =
        one(tx, open, [branch.seeded.outlet.id], |row| row.get(0)).map_err(making("the drawer"))?;
    let flow = cash::store::sum_flow(tx, drawer).map_err(making("the drawer"))?;
    let mut dice = Dice::new(branch.seed, 2 << 32 | u64::from(date.num_days_from_ce().unsigned_abs()));
    let off = if dice.chance(180) { i64::from(dice.between(0, 120)) - 70 } else { 0 };
    let counted = flow.expected(FLOAT)?.plus(Cents::new(off * 100))?;
    let count = cash::actions::Count { counted, denominations: None, note: None };
    cash::actions::close(tx, &cashier, drawer, count).map_err(making("the drawer"))?;
    cash::actions::close_day(tx, &manager, date, (false, true)).map(drop).map_err(making("the day"))
}
