//! The report of a closed day (Z-report): what is in it. Sales are the orders billed on the day; money is what moved
//! on the day, whichever day its order belongs to. Every figure is a sum of rows: the parts add up to the whole, to the cent.

use super::reconcile::Reconciliation;
use super::sums::{CountAndSum, DocumentSum, MethodSum};
use super::{Blockers, CashFlow, OpenDrawer, OpenOrder, SessionStatus};
use crate::resources::orders::rules::OrderType;
use chrono::NaiveDate;
use tiffin_common::{Bps, Cents, Millis, Overflow, Uuid};

/// Sales of a day, or of one type of order.
#[apply(value!)]
#[derive(Default)]
pub struct Sales {
    /// Orders that were billed.
    pub order_count: i64,
    /// Guests, where they were counted.
    pub guest_count: i64,
    /// Lines before discounts, without tax.
    pub gross_cents: Cents,
    /// What discounts took off, without tax.
    pub discount_cents: Cents,
    /// Service charge, before its tax.
    pub service_charge_cents: Cents,
    /// All taxes of these orders.
    pub tax_cents: Cents,
    /// What rounding added or took.
    pub rounding_cents: Cents,
    /// gross − discounts + service charge + taxes + rounding.
    pub total_cents: Cents,
}

impl Sales {
    /// Adds `other`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn add(&mut self, other: &Sales) -> Result<(), Overflow> {
        self.order_count = self.order_count.checked_add(other.order_count).ok_or(Overflow)?;
        self.guest_count = self.guest_count.checked_add(other.guest_count).ok_or(Overflow)?;
        for (sum, part) in [
            (&mut self.gross_cents, other.gross_cents),
            (&mut self.discount_cents, other.discount_cents),
            (&mut self.service_charge_cents, other.service_charge_cents),
            (&mut self.tax_cents, other.tax_cents),
            (&mut self.rounding_cents, other.rounding_cents),
            (&mut self.total_cents, other.total_cents),
        ] {
            *sum = sum.plus(part)?;
        }
        Ok(())
    }
}

/// Sales of one type of order.
#[apply(value!)]
pub struct SalesOfType {
    /// DINE_IN, TAKEAWAY, DELIVERY or COUNTER.
    #[schemars(with = "String")]
    pub order_type: OrderType,
    /// Its sales.
    #[serde(flatten)]
    pub sales: Sales,
}

/// The day's tax of one component and rate.
#[apply(value!)]
pub struct TaxSum {
    /// Such as CGST.
    pub name: String,
    /// Rate in basis points: 250 is 2.5 %.
    pub rate_bps: Bps,
    /// What it was counted on.
    pub taxable_cents: Cents,
    /// The tax itself, in cents.
    pub tax_cents: Cents,
    /// Of what it was counted on, what credit notes of the day took back.
    #[serde(default)]
    pub credited_taxable_cents: Cents,
    /// Of the tax, what credit notes of the day took back.
    #[serde(default)]
    pub credited_tax_cents: Cents,
}

/// Portions taken off orders, by themselves or with the whole order.
#[apply(value!)]
#[derive(Default)]
pub struct VoidSum {
    /// How often something was taken off.
    pub count: i64,
    /// How many portions were taken off.
    pub quantity: i64,
    /// What they would have cost the guests.
    pub amount_cents: Cents,
    /// Of these, portions that had been made.
    pub made_quantity: i64,
    /// What those had cost that were thrown away.
    #[serde(default)]
    pub cost_cents: Cents,
}

/// A drawer of the day.
#[apply(value!)]
pub struct DrawerSum {
    /// Id of the drawer's session.
    pub id: Uuid,
    /// Name of the drawer.
    pub drawer: String,
    /// OPEN or CLOSED.
    #[schemars(with = "String")]
    pub status: SessionStatus,
    /// Who opened it.
    pub opened_by: String,
    /// What it began with.
    pub opening_float_cents: Cents,
    /// What went through it.
    #[serde(flatten)]
    pub flow: CashFlow,
    /// How often it was opened without a sale.
    pub no_sale_count: i64,
    /// What should lie in it.
    pub expected_cents: Cents,
    /// What was counted; none while it is open.
    pub counted_cents: Option<Cents>,
    /// Counted − expected.
    pub over_short_cents: Option<Cents>,
}

/// The cash of a day.
#[apply(value!)]
#[derive(Default)]
pub struct CashSum {
    /// Drawers that were opened, used or closed on the day.
    pub sessions: Vec<DrawerSum>,
    /// Σ expected of those that were counted.
    pub expected_cents: Cents,
    /// Σ of what was counted in them.
    pub counted_cents: Cents,
    /// Counted − expected.
    pub over_short_cents: Cents,
    /// Cash that came in (less what was given back) while no drawer was open.
    pub outside_drawers_cents: Cents,
}

/// A time in which the box recorded nothing because it did not run.
#[apply(value!)]
pub struct Outage {
    /// The last change it had recorded.
    pub last_recorded_at: Millis,
    /// When it ran again.
    pub restarted_at: Millis,
}

/// What was entered for a day after its close: orders and money that are not in its report.
#[apply(value!)]
#[derive(Default)]
pub struct AfterClose {
    /// Orders that were taken.
    pub order_count: i64,
    /// What they come to.
    pub order_total_cents: Cents,
    /// Payments taken after the close.
    pub payment_cents: Cents,
    /// Money given back after the close.
    pub refund_cents: Cents,
}

/// What left the books of a day otherwise than by sales, beside voids, discounts, refunds and write-offs.
#[apply(value!)]
#[derive(Default)]
pub struct DayLosses {
    /// How often a drawer was opened without a sale.
    pub no_sale_count: i64,
    /// Taken out of drawers by hand, tips apart.
    pub pay_outs: CountAndSum,
    /// Put into drawers by hand.
    pub pay_ins: CountAndSum,
    /// What was thrown away on the day, at cost.
    pub waste_cents: Cents,
    /// Counted − expected of the drawers that were counted.
    pub over_short_cents: Cents,
}

/// The report of a closed day.
#[apply(value!)]
pub struct ZReport {
    /// All sales: the orders that were billed on the day, whenever they were taken. Those without a bill are in openOrders.
    pub sales: Sales,
    /// By type of order.
    pub sales_by_type: Vec<SalesOfType>,
    /// Orders of the day that were cancelled.
    pub cancelled: CountAndSum,
    /// sales.gross − sales.discount − what credit notes of the day took back of bills that stand, without tax: as in the
    /// analytics.
    pub net_revenue_cents: Cents,
    /// Taxes by component and rate: of the bills of the day, and what its credit notes took back. As `reports/tax`.
    pub taxes: Vec<TaxSum>,
    /// Service charge of the day's bills, less what its credit notes took back.
    #[serde(default)]
    pub service_charge_cents: Cents,
    /// What rounding added to the day's bills, less what its credit notes took back.
    #[serde(default)]
    pub rounding_cents: Cents,
    /// Money that moved on the day, by method.
    pub payments: Vec<MethodSum>,
    /// All tips of the day.
    pub tip_cents: Cents,
    /// Tips that were paid out of drawers on the day.
    #[serde(default)]
    pub tips_paid_out: CountAndSum,
    /// Payments that were put right on the day, and what that added to tips.
    #[serde(default)]
    pub corrections: CountAndSum,
    /// Discounts given on the day's orders.
    pub discounts: CountAndSum,
    /// Portions taken off on the day.
    pub voids: VoidSum,
    /// Given back against bills on the day.
    pub refunds: CountAndSum,
    /// Payments that were found not to hold on the day: due again, no revenue.
    pub reversals: CountAndSum,
    /// What was given up on the day of bills that will never be paid.
    #[serde(default)]
    pub write_offs: CountAndSum,
    /// What left the books otherwise.
    #[serde(default)]
    pub losses: DayLosses,
    /// Cash: what should be there, and what was counted.
    pub cash: CashSum,
    /// How documents, tenders, drawers and slips agree.
    #[serde(default)]
    pub reconciliation: Reconciliation,
    /// What the stock on hand cost, at the moment of closing.
    pub stock_value_cents: Cents,
    /// The bills of the day.
    pub invoices: DocumentSum,
    /// The credit notes of the day.
    pub credit_notes: DocumentSum,
    /// What operators of channels billed on the day: in the sales, and in no tax of the house.
    #[serde(default)]
    pub operator_taxed: CountAndSum,
    /// What operators gave back to guests on the day.
    #[serde(default)]
    pub operator_returned: CountAndSum,
    /// Payments that channels pay out: of those by OTHER, what guests paid there, tips included.
    #[serde(default)]
    pub channel_payouts: CountAndSum,
    /// Orders that were carried over.
    pub open_orders: Vec<OpenOrder>,
    /// Drawers that were carried over.
    pub open_drawers: Vec<OpenDrawer>,
    /// When the box did not run.
    pub outages: Vec<Outage>,
}

table! {
    /// A closed day, as kept.
    #[expect(missing_docs, reason = "the columns of day_closes")]
    pub struct ClosedDay: day_closes {
        pub id: Uuid,
        pub business_date: NaiveDate,
        pub z_number: i64,
        pub report: ZReport => json,
        pub carried_over: bool,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub clock_suspect: bool,
        pub early: bool,
    }
}

impl ZReport {
    /// Leaves out what tells how much should be in a drawer that is not counted yet: whoever is to count one that was carried over is
    /// not told.
    pub fn hide_open_drawers(&mut self) {
        let open: Vec<Uuid> =
            self.cash.sessions.iter().filter(|of| of.status == SessionStatus::Open).map(|of| of.id).collect();
        self.cash.sessions.retain(|of| of.status == SessionStatus::Closed);
        self.reconciliation.lines.retain(|line| line.drawer_id.is_none_or(|id| !open.contains(&id)));
    }

    /// Whether anything was carried over.
    pub fn carried_over(&self) -> bool {
        let blockers = Blockers { orders: self.open_orders.clone(), drawers: self.open_drawers.clone() };
        !blockers.is_empty()
    }
}
