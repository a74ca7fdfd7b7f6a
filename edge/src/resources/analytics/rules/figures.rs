//! The figures of a period, each defined here once: clients read these definitions in the published document. Never adds up
//! what was already rounded: costs are summed exactly and rounded once per figure.

use super::money::{Hundredths, cents_of_micros, change, percent};
use super::rows::{Money, Parties, Plus, Refunded, Revenue, plus};
use tiffin_common::money::round_div;
use tiffin_common::{Cents, Overflow};

/// What the rows of a period add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the figures below say what they are")]
pub struct Sums {
    pub revenue: Revenue,
    pub refunded: Refunded,
    pub money: Money,
    /// SALE, RETURN and SETTLEMENT, with the ledger's sign, in millionths of a cent.
    pub sold_micros: i64,
    /// WASTE, likewise.
    pub waste_micros: i64,
    /// STOCKTAKE and ADJUSTMENT, likewise.
    pub counted_micros: i64,
    pub labor: Cents,
    pub parties: Parties,
}

plus! { Sums { revenue refunded money sold_micros waste_micros counted_micros labor parties } }

impl Sums {
    /// Gross − discounts − refunds.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn net(&self) -> Result<Cents, Overflow> {
        self.revenue.gross.minus(self.revenue.discount)?.minus(self.refunded.amount)
    }

    /// Service charge, less what credit notes took back of it.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn service(&self) -> Result<Cents, Overflow> {
        self.revenue.service.minus(self.refunded.service)
    }

    /// Taxes, less those of credit notes.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn tax(&self) -> Result<Cents, Overflow> {
        self.revenue.tax.minus(self.refunded.tax)
    }

    /// What rounding added, less what credit notes took back of it.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn rounding(&self) -> Result<Cents, Overflow> {
        self.revenue.rounding.minus(self.refunded.rounding)
    }

    fn cogs(&self) -> Result<Cents, Overflow> {
        cents_of_micros(self.sold_micros.checked_neg().ok_or(Overflow)?)
    }

    fn waste(&self) -> Result<Cents, Overflow> {
        cents_of_micros(self.waste_micros.checked_neg().ok_or(Overflow)?)
    }
}

/// The figures of a range of business dates. Revenue is of the orders that were billed on these dates, and on the present date of
/// those that have no bill yet and are not CANCELLED; a guest's QR order counts once staff accepted it, an order that was merged into another counts with the other, the parts of a split order count
/// each with its own lines.
#[apply(figures!)]
pub struct Headline {
    /// What the lines and their options come to at list price, without tax (taken out where prices include it): the sum of
    /// the orders' `subtotalCents`. On the outlet's present date the open orders are in it, which `openOrdersGrossCents` shows.
    pub gross_revenue_cents: Cents,
    /// Discounts on these orders.
    pub discount_cents: Cents,
    /// What credit notes of these dates (whenever the bill was) took back of dishes, at the price paid for them without tax. Their part of
    /// service charge, tax and rounding is taken off those. A payment that did not hold is no refund.
    pub refund_cents: Cents,
    /// grossRevenueCents − discountCents − refundCents.
    pub net_revenue_cents: Cents,
    /// The taxes of these orders, less those of the refunds.
    pub tax_cents: Cents,
    /// Orders that count as revenue.
    pub orders_count: i64,
    /// Guests, where they were counted on the order.
    pub guests_count: i64,
    /// netRevenueCents ÷ ordersCount, half away from zero; 0 without orders.
    pub average_order_value_cents: Cents,
    /// What the ingredients of what was sold cost: the stock movements of kind SALE, RETURN and SETTLEMENT of these dates,
    /// summed exactly and rounded once. A dish that was made and then voided is waste, not cost of sales.
    pub cogs_cents: Cents,
    /// cogsCents in percent of netRevenueCents, two decimals, half away from zero; 0 where net revenue is not positive.
    pub cogs_percentage: Hundredths,
    /// What was thrown away: the stock movements of kind WASTE, at cost, rounded once.
    pub food_waste_cents: Cents,
    /// What the hours worked on these dates cost, by the timesheets.
    pub labor_cost_cents: Cents,
    /// laborCostCents in percent of netRevenueCents, as cogsPercentage.
    pub labor_cost_percentage: Hundredths,
    /// cogsCents + laborCostCents in percent of netRevenueCents, as cogsPercentage.
    pub prime_cost_percentage: Hundredths,
    /// Parties that sat down on these dates ÷ the outlet's tables, two decimals; those put together with another are part of it.
    pub table_turns: Hundredths,
    /// How long these parties stayed, of those that left before their date was closed: whole minutes.
    pub average_turn_minutes: i64,
}

impl Headline {
    /// The figures of `sums` at an outlet of so many tables.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(sums: &Sums, tables: i64) -> Result<Headline, Overflow> {
        let (net, cogs) = (sums.net()?, sums.cogs()?);
        let average = if sums.revenue.orders > 0 { net.ratio(1, sums.revenue.orders)? } else { Cents::ZERO };
        let minutes = i128::from(sums.parties.closed) * 60_000;
        Ok(Headline {
            gross_revenue_cents: sums.revenue.gross,
            discount_cents: sums.revenue.discount,
            refund_cents: sums.refunded.amount,
            net_revenue_cents: net,
            tax_cents: sums.tax()?,
            orders_count: sums.revenue.orders,
            guests_count: sums.revenue.guests,
            average_order_value_cents: average,
            cogs_cents: cogs,
            cogs_percentage: percent(cogs, net)?,
            food_waste_cents: sums.waste()?,
            labor_cost_cents: sums.labor,
            labor_cost_percentage: percent(sums.labor, net)?,
            prime_cost_percentage: percent(cogs.plus(sums.labor)?, net)?,
            table_turns: Hundredths::ratio(sums.parties.sessions, tables)?,
            average_turn_minutes: if minutes > 0 {
                round_div(sums.parties.seated_ms.into(), minutes)?
            } else {
                0
            },
        })
    }
}

/// Profit and loss: every line follows from those above it, to the cent. Tax and tips are nobody's profit and stand beside it.
#[apply(figures!)]
pub struct ProfitAndLoss {
    /// As in the summary.
    pub gross_revenue_cents: Cents,
    /// As in the summary.
    pub discount_cents: Cents,
    /// As in the summary.
    pub refund_cents: Cents,
    /// grossRevenueCents − discountCents − refundCents.
    pub net_revenue_cents: Cents,
    /// Service charge of the orders, less what credit notes took back of it.
    pub service_charge_cents: Cents,
    /// As in the summary.
    pub cogs_cents: Cents,
    /// As in the summary.
    pub food_waste_cents: Cents,
    /// What counts and corrections of stock found, at cost: movements of kind STOCKTAKE and ADJUSTMENT, rounded once. Negative
    /// where there was less than the books said. Opening stock, deliveries and transfers are not in it.
    pub stock_variance_cents: Cents,
    /// netRevenueCents + serviceChargeCents − cogsCents − foodWasteCents + stockVarianceCents.
    pub gross_profit_cents: Cents,
    /// As in the summary.
    pub labor_cost_cents: Cents,
    /// cogsCents + laborCostCents.
    pub prime_cost_cents: Cents,
    /// What rounding totals added (or took), less what credit notes took back of it.
    pub rounding_cents: Cents,
    /// grossProfitCents − laborCostCents + roundingCents.
    pub operating_profit_cents: Cents,
    /// As in the summary: owed to the state.
    pub tax_cents: Cents,
    /// Tips that came with payments of these dates: the staff's.
    pub tips_cents: Cents,
}

impl ProfitAndLoss {
    /// The lines that follow from `sums`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(sums: &Sums) -> Result<ProfitAndLoss, Overflow> {
        let (net, cogs, waste) = (sums.net()?, sums.cogs()?, sums.waste()?);
        let variance = cents_of_micros(sums.counted_micros)?;
        let gross_profit = net.plus(sums.service()?)?.minus(cogs)?.minus(waste)?.plus(variance)?;
        Ok(ProfitAndLoss {
            gross_revenue_cents: sums.revenue.gross,
            discount_cents: sums.revenue.discount,
            refund_cents: sums.refunded.amount,
            net_revenue_cents: net,
            service_charge_cents: sums.service()?,
            cogs_cents: cogs,
            food_waste_cents: waste,
            stock_variance_cents: variance,
            gross_profit_cents: gross_profit,
            labor_cost_cents: sums.labor,
            prime_cost_cents: cogs.plus(sums.labor)?,
            rounding_cents: sums.rounding()?,
            operating_profit_cents: gross_profit.minus(sums.labor)?.plus(sums.rounding()?)?,
            tax_cents: sums.tax()?,
            tips_cents: sums.money.tip,
        })
    }
}

/// How far each figure is from that of the previous period, in percent of it, two decimals; null where it was 0.
#[apply(figures!)]
#[expect(missing_docs, reason = "named after the figures they compare")]
#[schemars(rename = "Change")]
pub struct Growth {
    pub gross_revenue_cents: Option<Hundredths>,
    pub discount_cents: Option<Hundredths>,
    pub refund_cents: Option<Hundredths>,
    pub net_revenue_cents: Option<Hundredths>,
    pub orders_count: Option<Hundredths>,
    pub guests_count: Option<Hundredths>,
    pub average_order_value_cents: Option<Hundredths>,
    pub cogs_cents: Option<Hundredths>,
    pub food_waste_cents: Option<Hundredths>,
    pub labor_cost_cents: Option<Hundredths>,
    pub table_turns: Option<Hundredths>,
}

impl Growth {
    /// From `before` to `now`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(now: &Headline, before: &Headline) -> Result<Growth, Overflow> {
        let cents = |pick: fn(&Headline) -> Cents| change(pick(now).get(), pick(before).get());
        Ok(Growth {
            gross_revenue_cents: cents(|h| h.gross_revenue_cents)?,
            discount_cents: cents(|h| h.discount_cents)?,
            refund_cents: cents(|h| h.refund_cents)?,
            net_revenue_cents: cents(|h| h.net_revenue_cents)?,
            orders_count: change(now.orders_count, before.orders_count)?,
            guests_count: change(now.guests_count, before.guests_count)?,
            average_order_value_cents: cents(|h| h.average_order_value_cents)?,
            cogs_cents: cents(|h| h.cogs_cents)?,
            food_waste_cents: cents(|h| h.food_waste_cents)?,
            labor_cost_cents: cents(|h| h.labor_cost_cents)?,
            table_turns: change(now.table_turns.get(), before.table_turns.get())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sums(values: &[i64; 17]) -> Sums {
        let cents = |i: usize| Cents::new(values[i]);
        Sums {
            revenue: Revenue {
                orders: values[0],
                guests: values[1],
                gross: cents(2),
                discount: cents(3),
                service: cents(4),
                tax: cents(5),
                rounding: cents(6),
            },
            refunded: Refunded {
                amount: cents(7),
                tax: cents(8),
                service: Cents::ZERO,
                rounding: Cents::ZERO,
            },
            money: Money { tip: cents(9), ..Money::default() },
            sold_micros: values[10],
            waste_micros: values[11],
            counted_micros: values[12],
            labor: cents(13),
            parties: Parties { sessions: values[14], closed: values[15], seated_ms: values[16] },
        }
    }

    #[test]
    fn an_evening_in_figures() {
        let evening = sums(&[
            4,
            9,
            100_000,
            10_000,
            4_500,
            4_725,
            -25,
            20_000,
            1_000,
            700,
            -21_000_400_000,
            -1_500_000_000,
            -300_600_000,
            14_000,
            3,
            2,
            5_430_000,
        ]);
        let figures = Headline::of(&evening, 12).unwrap();
        assert_eq!(figures.net_revenue_cents, Cents::new(70_000));
        assert_eq!(figures.average_order_value_cents, Cents::new(17_500));
        assert_eq!(
            (figures.cogs_cents, figures.cogs_percentage),
            (Cents::new(21_000), Hundredths::new(3_000))
        );
        assert_eq!(figures.prime_cost_percentage, Hundredths::new(5_000));
        assert_eq!((figures.table_turns, figures.average_turn_minutes), (Hundredths::new(25), 45));
        let lines = ProfitAndLoss::of(&evening).unwrap();
        assert_eq!(lines.stock_variance_cents, Cents::new(-301));
        assert_eq!(lines.gross_profit_cents, Cents::new(70_000 + 4_500 - 21_000 - 1_500 - 301));
        assert_eq!(lines.operating_profit_cents, Cents::new(51_699 - 14_000 - 25));
        assert_eq!(lines.tax_cents, Cents::new(3_725));
    }

    #[test]
    fn nothing_is_a_figure_too() {
        let figures = Headline::of(&Sums::default(), 0).unwrap();
        assert_eq!((figures.cogs_percentage, figures.table_turns), (Hundredths::new(0), Hundredths::new(0)));
        let change = Growth::of(&figures, &figures).unwrap();
        assert_eq!(change.net_revenue_cents, None);
    }

    proptest! {
        #[test]
        fn days_add_up_to_their_period(days in proptest::collection::vec(proptest::array::uniform17(-1_000_000_000i64..1_000_000_000), 0..20)) {
            let mut sum = Sums::default();
            for day in &days {
                sum = sum.plus(sums(day)).unwrap();
            }
            let lines = ProfitAndLoss::of(&sum).unwrap();
            let of_days = |pick: fn(&ProfitAndLoss) -> Cents| {
                Cents::sum(days.iter().map(|day| pick(&ProfitAndLoss::of(&sums(day)).unwrap()))).unwrap()
            };
            prop_assert_eq!(lines.net_revenue_cents, of_days(|l| l.net_revenue_cents));
            prop_assert_eq!(lines.tax_cents, of_days(|l| l.tax_cents));
            let left = lines.net_revenue_cents.get() + lines.service_charge_cents.get() + lines.rounding_cents.get()
                + lines.stock_variance_cents.get();
            let right = lines.prime_cost_cents.get() + lines.food_waste_cents.get() + lines.operating_profit_cents.get();
            prop_assert_eq!(left, right);
        }
    }
}
