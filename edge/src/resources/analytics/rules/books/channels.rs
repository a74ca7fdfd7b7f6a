//! What channels keep and what they owe the house. The commission of an order is earned with its documents (its slip, its bill) and falls with
//! what takes them back, each on its own date: the shares of all documents add up to the whole. What an operator's own invoice adds to it
//! (its tax, fees, what it withholds) is not known here. Never reads anything.

use crate::report_row;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::channels::rules::TaxedBy;
use crate::resources::orders::rules::refunds::part;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Overflow, Uuid, words};

words! {
    /// What a document of an order is.
    pub enum Paper {
        /// A slip: the operator bills its food.
        Slip = "SLIP",
        /// What the operator gave back of it.
        Return = "RETURN",
        /// A bill of the house.
        Bill = "INVOICE",
        /// What takes it back.
        CreditNote = "CREDIT_NOTE",
    }
}

/// A channel, and whose the tax of its orders is: what the report has a row for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Through {
    /// Its name.
    pub channel: String,
    /// The channel.
    pub channel_id: Uuid,
    /// Who owes the tax.
    pub taxed_by: TaxedBy,
}

impl Through {
    /// The journal's account of what it owes the house.
    pub fn account(&self) -> String {
        format!("{} receivable", self.channel)
    }
}

/// A document of an order that came through a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the figures say what they are")]
pub struct ChannelPaper {
    pub through: Through,
    pub order_id: Uuid,
    pub id: Uuid,
    pub kind: Paper,
    pub date: NaiveDate,
    /// Of the dishes, without tax.
    pub net: Cents,
    pub total: Cents,
    /// Of the whole order.
    pub commission: Cents,
    /// The dishes of the whole order, without tax.
    pub of: Cents,
}

impl ChannelPaper {
    fn is_return(&self) -> bool {
        matches!(self.kind, Paper::Return | Paper::CreditNote)
    }

    /// What it gives back, with tax.
    pub fn returned(&self) -> Cents {
        if self.is_return() { self.total } else { Cents::ZERO }
    }
}

/// How much of its commission an order has given to its documents.
#[derive(Debug, Default)]
struct Shares {
    /// Net of its slip and its bill, so far.
    sold: Cents,
    /// Of the slip, and of the bill: what it is of, its commission, what came back.
    sides: [Side; 2],
}

#[derive(Debug, Default, Clone, Copy)]
struct Side {
    net: Cents,
    commission: Cents,
    returned: Cents,
}

/// The commission of each of `papers`, which are all those of their orders as they were made; of what takes back it is below nothing.
///
/// # Errors
/// [`Overflow`].
pub fn commissions(papers: &[ChannelPaper]) -> Result<Vec<Cents>, Overflow> {
    let mut orders: BTreeMap<Uuid, Shares> = BTreeMap::new();
    papers.iter().map(|paper| orders.entry(paper.order_id).or_default().take(paper)).collect()
}

impl Shares {
    fn take(&mut self, paper: &ChannelPaper) -> Result<Cents, Overflow> {
        let [slip, bill] = &mut self.sides;
        let side = if matches!(paper.kind, Paper::Slip | Paper::Return) { slip } else { bill };
        if paper.is_return() {
            let before = side.returned;
            side.returned = before.plus(paper.net)?;
            return Cents::ZERO.minus(share(side.commission, before, side.returned, side.net)?);
        }
        let before = self.sold;
        self.sold = before.plus(paper.net)?;
        let commission = share(paper.commission, before, self.sold, paper.of)?;
        *side = Side { net: paper.net, commission, returned: Cents::ZERO };
        Ok(commission)
    }
}

fn share(whole: Cents, from: Cents, to: Cents, of: Cents) -> Result<Cents, Overflow> {
    if of == Cents::ZERO { Ok(Cents::ZERO) } else { part(whole, from.get(), to.get(), of.get()) }
}

/// Money that a channel pays out, or pays out less, on a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payout {
    /// The channel.
    pub through: Through,
    /// The date.
    pub date: NaiveDate,
    /// Whether money goes back.
    pub is_refund: bool,
    /// How much, tips included.
    pub amount: Cents,
}

/// Sums of a channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the report's columns")]
pub struct ThroughChannel {
    pub orders: i64,
    pub gross: Cents,
    pub discount: Cents,
    pub tax: Cents,
    pub total: Cents,
    pub commission: Cents,
    pub paid_out: Cents,
    pub returned: Cents,
}

const CHANNELS: &[Column] = &[
    Column::new("channel", "Channel", Unit::Text),
    Column::new("taxedBy", "Tax owed by", Unit::Text),
    Column::new("ordersCount", "Orders", Unit::Count),
    Column::new("grossRevenueCents", "Gross revenue", Unit::Cents),
    Column::new("discountCents", "Discounts", Unit::Cents),
    Column::new("taxCents", "Tax", Unit::Cents),
    Column::new("totalCents", "Total", Unit::Cents),
    Column::new("commissionCents", "Commission", Unit::Cents),
    Column::new("paidOutCents", "Paid through the channel", Unit::Cents),
    Column::new("payoutCents", "To be paid out", Unit::Cents),
    Column::new("returnedCents", "Given back", Unit::Cents),
];

/// Orders by the channel they came through and whose their tax is, with what the channel keeps and what it has to pay out. Each figure
/// is of its own date: what was given back later lowers no earlier one.
///
/// # Errors
/// [`Overflow`].
pub fn channels(channels: BTreeMap<Through, ThroughChannel>) -> Result<Table, Overflow> {
    let mut rows = Vec::with_capacity(channels.len());
    for (through, of) in channels {
        let payout = of.paid_out.minus(of.commission)?;
        rows.push(report_row![
            through.channel,
            through.taxed_by.name(),
            of.orders,
            of.gross,
            of.discount,
            of.tax,
            of.total,
            of.commission,
            of.paid_out,
            payout,
            of.returned
        ]);
    }
    Table::new(CHANNELS, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paper(kind: Paper, net: i64, (commission, of): (i64, i64)) -> ChannelPaper {
        let (channel_id, channel) = (Uuid::nil(), "Swiggy".into());
        let [net, commission, of] = [net, commission, of].map(Cents::new);
        ChannelPaper {
            through: Through { channel, channel_id, taxed_by: TaxedBy::Operator },
            order_id: Uuid::nil(),
            id: Uuid::nil(),
            kind,
            date: "2026-07-21".parse().unwrap(),
            net,
            total: net,
            commission,
            of,
        }
    }

    proptest! {
        /// Portion by portion, whatever the order: what came back of a document takes back its commission, and all of both all of it.
        #[test]
        fn the_shares_of_portions_add_up_to_the_whole(
            food in proptest::collection::vec(1i64..50_000, 1..6), goods in proptest::collection::vec(1i64..50_000, 0..6), bps in 0i64..4_000,
        ) {
            let (of_food, of_goods) = (food.iter().sum::<i64>(), goods.iter().sum::<i64>());
            let of = of_food + of_goods;
            let order = (Cents::new(of).share(tiffin_common::Bps::new(bps)).unwrap().get(), of);
            let mut papers = vec![paper(Paper::Slip, of_food, order)];
            if of_goods > 0 {
                papers.push(paper(Paper::Bill, of_goods, order));
            }
            let documents = papers.len();
            papers.extend(food.into_iter().map(|net| paper(Paper::Return, net, order)));
            papers.extend(goods.into_iter().map(|net| paper(Paper::CreditNote, net, order)));
            let shares = commissions(&papers).unwrap();
            prop_assert_eq!(shares[..documents].iter().map(|share| share.get()).sum::<i64>(), order.0);
            prop_assert!(shares[documents..].iter().all(|share| *share <= Cents::ZERO));
            prop_assert_eq!(shares.iter().map(|share| share.get()).sum::<i64>(), 0);
        }
    }
}
