//! Decisions about drawers and days. Pure.

pub mod checkout;
pub mod page;
pub mod printed;
pub mod reconcile;
pub mod report;
pub mod sums;

pub use report::ClosedDay;

use crate::access::{Actor, Permission};
use crate::http::FieldError;
use crate::resources::auth::rules::AuthError;
use crate::resources::orders::rules::OrderStatus;
use crate::resources::printers::rules::PrinterError;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Overflow, Uuid, words};

words! {
    /// What happened in a drawer beside sales.
    pub enum MovementKind {
        /// Money put in.
        PayIn = "PAY_IN",
        /// Money taken out.
        PayOut = "PAY_OUT",
        /// Opened without a sale.
        NoSale = "NO_SALE",
    }
}

words! {
    /// The state of a drawer.
    pub enum SessionStatus {
        /// In use.
        Open = "OPEN",
        /// Counted and closed.
        Closed = "CLOSED",
    }
}

table! {
    /// A drawer's session, as kept.
    #[expect(missing_docs, reason = "the columns of cash_sessions")]
    pub struct Session: cash_sessions {
        pub id: Uuid,
        pub drawer: String,
        pub status: SessionStatus,
        pub opening_float: Cents => opening_float_cents,
        pub expected: Option<Cents> => expected_cents,
        pub counted: Option<Cents> => counted_cents,
        pub over_short: Option<Cents> => over_short_cents,
        pub business_date: NaiveDate,
        pub opened_at: Millis,
        pub opened_by: Option<Uuid>,
        pub opened_by_name: String,
        pub closed_at: Option<Millis>,
        pub closed_by: Option<Uuid>,
        pub note: Option<String>,
        pub clock_suspect: bool,
        pub version: i64,
        pub denominations: Option<Vec<Denomination>> => json,
        pub refused_pay_outs: i64,
        pub counted_date: Option<NaiveDate>,
    }
}

/// Pay-outs of more than a drawer holds that are refused before each one needs an approver: what is refused tells what is in it.
const REFUSED_PAY_OUTS: i64 = 2;

impl Session {
    /// The business date that its count is of; its own while it is open.
    pub fn count_date(&self) -> NaiveDate {
        self.counted_date.unwrap_or(self.business_date)
    }

    /// Whether `actor` is not told what should be in the drawer while it is open: whoever counts it, which is whoever works with
    /// drawers and does not oversee them, and in any case whoever opened it.
    pub fn is_hidden_from(&self, actor: &Actor) -> bool {
        let oversees = actor.may(Permission::CashNoSale) && self.opened_by != actor.account_id;
        self.status == SessionStatus::Open && actor.may(Permission::CashOperate) && !oversees
    }

    /// Whether so many pay-outs of more than it holds were refused that each one needs an approver.
    pub fn has_been_probed(&self) -> bool {
        self.refused_pay_outs >= REFUSED_PAY_OUTS
    }
}

/// Coins or notes of one value.
#[apply(value!)]
#[derive(Copy)]
pub struct Denomination {
    /// What one of them is worth.
    #[schemars(range(min = 1, max = 1_000_000_000i64))]
    pub value_cents: Cents,
    /// How many there are.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub count: i64,
}

/// Refuses denominations that are not what was counted.
///
/// # Errors
/// An offending `denominations` whose sum is another.
pub fn check_denominations(counted: Cents, denominations: &[Denomination]) -> Result<()> {
    let sum = denominations.iter().try_fold(Cents::ZERO, |sum, of| sum.plus(of.value_cents.times(of.count)?));
    if sum == Ok(counted) {
        return Ok(());
    }
    Err(CashError::Invalid(vec![FieldError::new("denominations", "must add up to countedCents")]))
}

table! {
    /// Something that happened in a drawer beside sales.
    #[expect(missing_docs, reason = "the columns of cash_movements")]
    pub struct Movement: cash_movements {
        pub id: Uuid,
        pub kind: MovementKind,
        pub amount: Cents => amount_cents,
        pub reason: String,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub approver_id: Option<Uuid>,
        pub clock_suspect: bool,
        pub is_tips: bool,
        pub employee_id: Option<Uuid>,
    }
}

/// What went through a drawer.
#[apply(value!)]
#[derive(Copy, Default)]
pub struct CashFlow {
    /// Payments taken in cash, without tips.
    pub payments_cents: Cents,
    /// Tips in cash.
    pub tips_cents: Cents,
    /// Given back in cash.
    pub refunds_cents: Cents,
    /// Cash put in by hand, with a reason.
    pub paid_in_cents: Cents,
    /// Cash taken out by hand, with a reason.
    pub paid_out_cents: Cents,
    /// Tips paid out to those they are for.
    #[serde(default)]
    pub tips_paid_out_cents: Cents,
}

impl CashFlow {
    /// What should lie in a drawer that began with `float`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn expected(&self, float: Cents) -> Result<Cents, Overflow> {
        float
            .plus(self.payments_cents)?
            .plus(self.tips_cents)?
            .minus(self.refunds_cents)?
            .plus(self.paid_in_cents)?
            .minus(self.paid_out_cents)?
            .minus(self.tips_paid_out_cents)
    }
}

/// An order that is still open when its day is closed.
#[apply(value!)]
pub struct OpenOrder {
    /// Id of the order.
    pub id: Uuid,
    /// The order's number, as called and printed.
    pub order_number: String,
    /// Where the order stands.
    #[schemars(with = "String")]
    pub status: OrderStatus,
    /// The trading day it belongs to.
    #[schemars(with = "String")]
    pub business_date: NaiveDate,
    /// What it comes to.
    pub total_cents: Cents,
    /// Still to be paid.
    pub due_cents: Cents,
}

/// A drawer that is still open when its day is closed.
#[apply(value!)]
pub struct OpenDrawer {
    /// Id of the drawer's session.
    pub id: Uuid,
    /// Name of the drawer.
    pub drawer: String,
    /// Who opened it.
    pub opened_by: String,
    /// The trading day it was opened on.
    #[schemars(with = "String")]
    pub business_date: NaiveDate,
}

/// What stands in the way of closing a day.
#[apply(value!)]
#[derive(Default)]
pub struct Blockers {
    /// Orders that are neither completed nor cancelled.
    pub orders: Vec<OpenOrder>,
    /// Drawers that were not counted.
    pub drawers: Vec<OpenDrawer>,
}

impl Blockers {
    /// Whether nothing stands in the way.
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty() && self.drawers.is_empty()
    }

    /// One entry for each, by name.
    pub fn fields(&self) -> Vec<FieldError> {
        let orders = self.orders.iter().enumerate().map(|(index, order)| {
            let due = order.due_cents.get();
            let reason = format!("{} is {}, {due} due", order.order_number, order.status);
            FieldError::new(format!("openOrders[{index}]"), reason)
        });
        let drawers = self.drawers.iter().enumerate().map(|(index, drawer)| {
            let reason = format!("drawer {} of {} has not been counted", drawer.drawer, drawer.opened_by);
            FieldError::new(format!("openDrawers[{index}]"), reason)
        });
        orders.chain(drawers).collect()
    }
}

refusals! {
    /// Why a drawer or a day refuses.
    #[derive(Debug, thiserror::Error)]
    pub enum CashError {
        /// The drawer is in use.
        #[error("the drawer {0} is open already")]
        DrawerTaken(String),
        /// The state does not allow it.
        #[error("{0}")]
        State(String),
        /// A pay-out of more than the drawer holds; never says how much that is.
        #[error("the drawer does not hold so much")]
        NotHeld,
        /// The day cannot be closed without carrying these over.
        #[error("the day has open orders or drawers")]
        Blocked(Box<Blockers>),
        /// The approver's PIN.
        #[error(transparent)]
        Auth(#[from] AuthError),
        /// The printers.
        #[error(transparent)]
        Printer(#[from] PrinterError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawer_holds_what_came_in_less_what_went_out() {
        let flow = CashFlow {
            payments_cents: Cents::new(10_000),
            tips_cents: Cents::new(500),
            refunds_cents: Cents::new(2_000),
            paid_in_cents: Cents::new(300),
            paid_out_cents: Cents::new(700),
            tips_paid_out_cents: Cents::new(100),
        };
        assert_eq!(flow.expected(Cents::new(5_000)), Ok(Cents::new(13_000)));
    }

    #[test]
    fn every_blocker_is_named() {
        let order = OpenOrder {
            id: Uuid::nil(),
            order_number: "BLR1-261120-0007".into(),
            status: OrderStatus::Ready,
            business_date: NaiveDate::from_ymd_opt(2026, 11, 20).unwrap(),
            total_cents: Cents::new(900),
            due_cents: Cents::new(500),
        };
        let drawer = OpenDrawer {
            id: Uuid::nil(),
            drawer: "BAR".into(),
            opened_by: "Asha".into(),
            business_date: NaiveDate::from_ymd_opt(2026, 11, 20).unwrap(),
        };
        let fields = Blockers { orders: vec![order], drawers: vec![drawer] }.fields();
        assert_eq!(fields[0], FieldError::new("openOrders[0]", "BLR1-261120-0007 is READY, 500 due"));
        assert_eq!(fields[1].name, "openDrawers[0]");
        assert!(Blockers::default().is_empty());
    }
}
