//! How a day's documents, money and places of money agree. Documents made, and what was owed before, are what was paid, given up and
//! is owed after; what was paid, with tips, lies in drawers, outside of them, or comes by slips. Pure.

use super::sums::{CountAndSum, DocumentSum, MethodSum};
use crate::resources::orders::rules::PaymentMethod;
use chrono::NaiveDate;
use tiffin_common::{Cents, Overflow, Uuid, words};

words! {
    /// What a line of the reconciliation is.
    #[derive(Default)]
    pub enum ReconciledKind {
        /// The bills of the date.
        #[default]
        Bills = "BILLS",
        /// Its credit notes, taken off.
        CreditNotes = "CREDIT_NOTES",
        /// What operators of channels billed on the date.
        OperatorSlips = "OPERATOR_SLIPS",
        /// What operators gave back to guests, taken off.
        OperatorReturns = "OPERATOR_RETURNS",
        /// What guests owed of bills when the date before ended, less what they had paid ahead.
        OpenBefore = "OPEN_BEFORE",
        /// What was paid by a method, less what was given back and taken back.
        Tender = "TENDER",
        /// What was given up of bills.
        WriteOffs = "WRITE_OFFS",
        /// What guests owed of bills when the date ended, less what they had paid ahead.
        OpenAfter = "OPEN_AFTER",
        /// Tips, on top of what was paid.
        Tips = "TIPS",
        /// Cash of the date that went through a drawer.
        Drawer = "DRAWER",
        /// Cash of the date while no drawer was open.
        OutsideDrawers = "OUTSIDE_DRAWERS",
        /// What comes by slips, apps and vouchers of a method, tips included.
        Slips = "SLIPS",
        /// What channels pay out.
        ChannelPayouts = "CHANNEL_PAYOUTS",
    }
}

/// What an order owes of its bill, or (below nothing) has paid ahead.
#[apply(value!)]
pub struct OpenBalance {
    /// Id of the order.
    pub order_id: Uuid,
    /// The order's number, as called and printed.
    pub order_number: String,
    /// What it owes.
    pub amount_cents: Cents,
}

/// Cash of a date in one drawer.
#[derive(Debug, Clone)]
pub struct DrawerCash {
    /// The drawer's session.
    pub id: Uuid,
    /// Name of the drawer.
    pub drawer: String,
    /// Payments and tips, less what was given back.
    pub amount: Cents,
}

/// A line of the reconciliation.
#[apply(value!)]
pub struct ReconciledLine {
    /// What it is.
    pub kind: ReconciledKind,
    /// Its name, for a person.
    pub name: String,
    /// What it comes to, below nothing where it is taken off.
    pub amount_cents: Cents,
    /// Where its rows are: a path of this API, with its query.
    pub rows: String,
    /// The drawer's session, of cash in a drawer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawer_id: Option<Uuid>,
    /// The orders, of what is owed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<OpenBalance>,
}

/// How documents, tenders and places of money agree.
#[apply(value!)]
#[derive(Default)]
pub struct Reconciliation {
    /// Line by line.
    pub lines: Vec<ReconciledLine>,
    /// Bills less credit notes, and what operators billed less what they gave back.
    pub documents_cents: Cents,
    /// What was paid, by all methods, less what was given back and taken back; without tips.
    pub tenders_cents: Cents,
    /// What is owed after less what was owed before.
    pub open_change_cents: Cents,
    /// In drawers, outside of them, by slips and by what channels pay out: tips included.
    pub places_cents: Cents,
    /// documents − tenders − written off − openChange: 0 where the books agree.
    pub documents_difference_cents: Cents,
    /// tenders + tips − places: 0 where they agree.
    pub places_difference_cents: Cents,
    /// Whether both are 0.
    pub is_reconciled: bool,
}

/// What a day is reconciled from.
#[derive(Debug)]
#[expect(missing_docs, reason = "named as the report's fields")]
pub struct Parts<'a> {
    pub date: NaiveDate,
    pub invoices: &'a DocumentSum,
    pub credit_notes: &'a DocumentSum,
    pub operator_taxed: &'a CountAndSum,
    pub operator_returned: &'a CountAndSum,
    pub channel_payouts: &'a CountAndSum,
    pub payments: &'a [MethodSum],
    pub write_offs: &'a CountAndSum,
    pub tips: Cents,
    pub outside_drawers: Cents,
    pub drawers: Vec<DrawerCash>,
    pub before: Vec<OpenBalance>,
    pub after: Vec<OpenBalance>,
}

impl Parts<'_> {
    /// The reconciliation.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn reconcile(self) -> Result<Reconciliation, Overflow> {
        let owed = |orders: &[OpenBalance]| Cents::sum(orders.iter().map(|order| order.amount_cents));
        let (before, after) = (owed(&self.before)?, owed(&self.after)?);
        let by_operators = self.operator_taxed.amount_cents.minus(self.operator_returned.amount_cents)?;
        let documents = self.invoices.total_cents.minus(self.credit_notes.total_cents)?.plus(by_operators)?;
        let tender = |method: &MethodSum| method.amount_cents.minus(method.refunded_cents);
        let tenders = self.payments.iter().try_fold(Cents::ZERO, |sum, of| sum.plus(tender(of)?))?;
        let slips = self.payments.iter().filter(|of| of.method != PaymentMethod::Cash);
        let places = Cents::sum(slips.map(|of| of.net_cents))?
            .plus(Cents::sum(self.drawers.iter().map(|drawer| drawer.amount))?)?
            .plus(self.outside_drawers)?;
        let open_change = after.minus(before)?;
        let difference = documents.minus(tenders)?.minus(self.write_offs.amount_cents)?.minus(open_change)?;
        let places_difference = tenders.plus(self.tips)?.minus(places)?;
        Ok(Reconciliation {
            lines: self.lines((before, after))?,
            documents_cents: documents,
            tenders_cents: tenders,
            open_change_cents: open_change,
            places_cents: places,
            documents_difference_cents: difference,
            places_difference_cents: places_difference,
            is_reconciled: difference == Cents::ZERO && places_difference == Cents::ZERO,
        })
    }

    fn lines(self, (before, after): (Cents, Cents)) -> Result<Vec<ReconciledLine>, Overflow> {
        use ReconciledKind as Kind;
        let dates = format!("from={0}&to={0}", self.date);
        let day = format!("/day-close/{}", self.date);
        let bills = |kind: &str| format!("/orders/invoices?kind={kind}&{dates}");
        let slips = format!("/analytics/reports/slips?{dates}");
        let money = |query: &str| format!("/orders/payments?{dates}{query}");
        let mut lines = vec![
            line(Kind::Bills, "Bills", self.invoices.total_cents, bills("INVOICE")),
            line(
                Kind::CreditNotes,
                "Credit notes",
                Cents::ZERO.minus(self.credit_notes.total_cents)?,
                bills("CREDIT_NOTE"),
            ),
            ReconciledLine {
                orders: self.before,
                ..line(Kind::OpenBefore, "Owed before", before, day.clone())
            },
        ];
        // A house that sells through no such channel is not told of any.
        if self.operator_taxed.count > 0 || self.operator_returned.count > 0 {
            let back = Cents::ZERO.minus(self.operator_returned.amount_cents)?;
            let billed = self.operator_taxed.amount_cents;
            lines.push(line(Kind::OperatorSlips, "Billed by operators", billed, slips.clone()));
            lines.push(line(Kind::OperatorReturns, "Given back by operators", back, slips));
        }
        for of in self.payments {
            let name = format!("Paid: {}", of.method.name());
            let rows = money(&format!("&method={}", of.method));
            lines.push(line(Kind::Tender, &name, of.amount_cents.minus(of.refunded_cents)?, rows));
        }
        let given_up = money("&kind=WRITE_OFF");
        lines.push(line(Kind::WriteOffs, "Written off", self.write_offs.amount_cents, given_up));
        lines.push(ReconciledLine { orders: self.after, ..line(Kind::OpenAfter, "Owed after", after, day) });
        lines.push(line(Kind::Tips, "Tips", self.tips, money("")));
        for drawer in self.drawers {
            let name = format!("Drawer {}", drawer.drawer);
            let rows = money(&format!("&method=CASH&cashSessionId={}", drawer.id));
            let drawer_id = Some(drawer.id);
            lines.push(ReconciledLine { drawer_id, ..line(Kind::Drawer, &name, drawer.amount, rows) });
        }
        let outside = money("&method=CASH&outsideDrawers=true");
        lines.push(line(Kind::OutsideDrawers, "Cash outside drawers", self.outside_drawers, outside));
        for of in self.payments.iter().filter(|of| of.method != PaymentMethod::Cash) {
            let name = format!("Slips: {}", of.method.name());
            let mut rows = money(&format!("&method={}", of.method));
            let mut amount = of.net_cents;
            if of.method == PaymentMethod::Other {
                rows.push_str("&channelPayouts=false");
                amount = amount.minus(self.channel_payouts.amount_cents)?;
            }
            lines.push(line(Kind::Slips, &name, amount, rows));
        }
        let payouts = money("&method=OTHER&channelPayouts=true");
        lines.push(line(
            Kind::ChannelPayouts,
            "Paid out by channels",
            self.channel_payouts.amount_cents,
            payouts,
        ));
        Ok(lines)
    }
}

fn line(kind: ReconciledKind, name: &str, amount_cents: Cents, rows: String) -> ReconciledLine {
    ReconciledLine { kind, name: name.to_owned(), amount_cents, rows, drawer_id: None, orders: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(method: PaymentMethod, amount: i64, tip: i64, back: i64) -> MethodSum {
        let cents = Cents::new;
        MethodSum {
            method,
            payment_count: 1,
            amount_cents: cents(amount),
            tip_cents: cents(tip),
            refund_count: 0,
            refunded_cents: cents(back),
            net_cents: cents(amount + tip - back),
        }
    }

    #[test]
    fn what_lies_nowhere_is_a_difference() {
        let invoices = DocumentSum { total_cents: Cents::new(1_000), ..DocumentSum::default() };
        let payments = [method(PaymentMethod::Cash, 500, 50, 0), method(PaymentMethod::Card, 300, 0, 100)];
        let owes = |cents| OpenBalance {
            order_id: Uuid::nil(),
            order_number: "1".into(),
            amount_cents: Cents::new(cents),
        };
        let (none, nobody) = (DocumentSum::default(), CountAndSum::default());
        let parts = |in_drawer: i64| Parts {
            date: NaiveDate::from_ymd_opt(2026, 11, 20).unwrap(),
            invoices: &invoices,
            credit_notes: &none,
            operator_taxed: &nobody,
            operator_returned: &nobody,
            channel_payouts: &nobody,
            payments: &payments,
            write_offs: &nobody,
            tips: Cents::new(50),
            outside_drawers: Cents::new(100),
            drawers: vec![DrawerCash {
                id: Uuid::nil(),
                drawer: "MAIN".into(),
                amount: Cents::new(in_drawer),
            }],
            before: vec![owes(200)],
            after: vec![owes(600), owes(-100)],
        };
        let good = parts(450).reconcile().unwrap();
        assert!(good.is_reconciled, "{good:?}");
        assert_eq!((good.tenders_cents, good.open_change_cents), (Cents::new(700), Cents::new(300)));
        let bad = parts(400).reconcile().unwrap();
        assert_eq!((bad.is_reconciled, bad.places_difference_cents), (false, Cents::new(50)));
    }
}
