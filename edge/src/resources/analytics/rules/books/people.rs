//! Who sold and who is owed tips, and what was put right afterwards.

use crate::report_row;
use crate::resources::analytics::rules::documents::Document;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::analytics::rules::rows::Names;
use crate::resources::orders::rules::invoices::InvoiceKind;
use crate::resources::orders::rules::slips::SlipKind;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Overflow, Uuid};

/// Sums of one server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the report's columns")]
pub struct Served {
    pub orders: i64,
    pub covers: i64,
    pub gross: Cents,
    pub discount: Cents,
    pub refunded: Cents,
    pub voids: i64,
    pub voided: Cents,
    pub tips: Cents,
}

impl Served {
    /// Both.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn plus(self, other: Served) -> Result<Served, Overflow> {
        let count = |one: i64, other: i64| one.checked_add(other).ok_or(Overflow);
        Ok(Served {
            orders: count(self.orders, other.orders)?,
            covers: count(self.covers, other.covers)?,
            gross: self.gross.plus(other.gross)?,
            discount: self.discount.plus(other.discount)?,
            refunded: self.refunded.plus(other.refunded)?,
            voids: count(self.voids, other.voids)?,
            voided: self.voided.plus(other.voided)?,
            tips: self.tips.plus(other.tips)?,
        })
    }
}

const SERVERS: &[Column] = &[
    Column::new("server", "Server", Unit::Text),
    Column::new("ordersCount", "Orders", Unit::Count),
    Column::new("coversCount", "Covers", Unit::Count),
    Column::new("grossRevenueCents", "Gross revenue", Unit::Cents),
    Column::new("discountCents", "Discounts", Unit::Cents),
    Column::new("refundCents", "Refunds", Unit::Cents),
    Column::new("netRevenueCents", "Net revenue", Unit::Cents),
    Column::new("voidsCount", "Voids", Unit::Count),
    Column::new("voidedCents", "Voided", Unit::Cents),
    Column::new("tipCents", "Tips", Unit::Cents),
];

/// Sales, covers, voids and tips by who first sent the order, the highest net revenue first; nobody is an empty name.
///
/// # Errors
/// [`Overflow`].
pub fn servers(servers: BTreeMap<String, Served>) -> Result<Table, Overflow> {
    let mut list = Vec::with_capacity(servers.len());
    for (name, of) in servers {
        list.push((of.gross.minus(of.discount)?.minus(of.refunded)?, name, of));
    }
    list.sort_by_key(|(net, ..)| std::cmp::Reverse(*net));
    let rows = list.into_iter().map(|(net, name, of)| {
        let Served { orders, covers, gross, discount, refunded, voids, voided, tips } = of;
        report_row![name, orders, covers, gross, discount, refunded, net, voids, voided, tips]
    });
    Table::new(SERVERS, rows.collect())
}

/// Tips of one date, server and method.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the report's columns")]
pub struct Tipped {
    pub date: NaiveDate,
    pub server: String,
    pub method: String,
    pub received: Cents,
    pub corrected: Cents,
    pub paid_out: Cents,
}

const TIPS: &[Column] = &[
    Column::new("businessDate", "Business date", Unit::Date),
    Column::new("server", "Server", Unit::Text),
    Column::new("method", "Method", Unit::Text),
    Column::new("receivedCents", "Received", Unit::Cents),
    Column::new("correctedCents", "Corrected", Unit::Cents),
    Column::new("paidOutCents", "Paid out", Unit::Cents),
    Column::new("owedCents", "Owed", Unit::Cents),
];

/// Tips as they came, were put right and paid out to staff.
///
/// # Errors
/// [`Overflow`].
pub fn tips(tips: Vec<Tipped>) -> Result<Table, Overflow> {
    let mut rows = Vec::with_capacity(tips.len());
    for Tipped { date, server, method, received, corrected, paid_out } in tips {
        let owed = received.plus(corrected)?.minus(paid_out)?;
        rows.push(report_row![date, server, method, received, corrected, paid_out, owed]);
    }
    Table::new(TIPS, rows)
}

/// A slip of an order whose operator makes the bill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the report's columns")]
pub struct Slip {
    pub date: NaiveDate,
    pub kind: SlipKind,
    pub number: String,
    pub refers_to: String,
    pub order_number: String,
    pub channel: String,
    pub tax_id: String,
    pub external_id: String,
    pub total: Cents,
    pub reason: String,
    /// What the channel keeps of it; of a return below nothing.
    pub commission: Cents,
}

impl Slip {
    /// What it counts by: a return takes back.
    pub fn sign(&self) -> i64 {
        match self.kind {
            SlipKind::Slip => 1,
            SlipKind::Return => -1,
        }
    }
}

const SLIPS: &[Column] = &[
    Column::new("businessDate", "Business date", Unit::Date),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("number", "Number", Unit::Text),
    Column::new("refersTo", "Refers to", Unit::Text),
    Column::new("orderNumber", "Order", Unit::Text),
    Column::new("channel", "Channel", Unit::Text),
    Column::new("operatorTaxId", "Operator's tax id", Unit::Text),
    Column::new("externalId", "Channel's number", Unit::Text),
    Column::new("totalCents", "Net of tax", Unit::Cents),
    Column::new("reason", "Reason", Unit::Text),
    Column::new("commissionCents", "Commission", Unit::Cents),
];

/// The slips in their order, returns below nothing.
///
/// # Errors
/// [`Overflow`].
pub fn slips(slips: Vec<Slip>) -> Result<Table, Overflow> {
    let mut rows = Vec::with_capacity(slips.len());
    for slip in slips {
        let total = slip.total.times(slip.sign())?;
        let Slip {
            date,
            kind,
            number,
            refers_to,
            order_number,
            channel,
            tax_id,
            external_id,
            reason,
            commission,
            ..
        } = slip;
        rows.push(report_row![
            date,
            kind.name(),
            number,
            refers_to,
            order_number,
            channel,
            tax_id,
            external_id,
            total,
            reason,
            commission
        ]);
    }
    Table::new(SLIPS, rows)
}

/// Something put right about a payment, or given up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the report's columns")]
pub struct Corrected {
    pub date: NaiveDate,
    pub at: Millis,
    pub kind: String,
    pub order: String,
    pub corrects: String,
    pub was: String,
    pub is: String,
    pub amount: Cents,
    pub reason: String,
    pub by: String,
    pub approver: Option<Uuid>,
}

const CORRECTIONS: &[Column] = &[
    Column::new("businessDate", "Business date", Unit::Date),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("orderNumber", "Order", Unit::Text),
    Column::new("corrects", "Corrects", Unit::Text),
    Column::new("was", "Was", Unit::Text),
    Column::new("is", "Is", Unit::Text),
    Column::new("amountCents", "Difference", Unit::Cents),
    Column::new("reason", "Reason", Unit::Text),
    Column::new("by", "By", Unit::Text),
    Column::new("approvedBy", "Approved by", Unit::Text),
];

/// What was put right on these dates: payments (CORRECT, REVERSE), bills (CREDIT_NOTE) and what is never paid (WRITE_OFF), in their order.
///
/// # Errors
/// [`Overflow`].
pub fn corrections(
    mut corrected: Vec<Corrected>,
    documents: &[Document],
    employees: &Names,
) -> Result<Table, Overflow> {
    corrected.sort_by_key(|of| (of.date, of.at));
    let mut rows = Vec::with_capacity(corrected.len());
    for of in corrected {
        let approver = employees.get(of.approver);
        rows.push(report_row![
            of.date,
            of.kind,
            of.order,
            of.corrects,
            of.was,
            of.is,
            of.amount,
            of.reason,
            of.by,
            approver
        ]);
    }
    for note in documents.iter().filter(|document| document.kind == InvoiceKind::CreditNote) {
        let refers_to = note.refers_to.as_ref().map(|reference| reference.number.clone()).unwrap_or_default();
        rows.push(report_row![
            note.business_date,
            "CREDIT_NOTE",
            note.order_number.as_str(),
            refers_to,
            "",
            note.number.as_str(),
            note.total_cents.times(-1)?,
            note.reason.clone().unwrap_or_default(),
            note.by.as_str(),
            "",
        ]);
    }
    Table::new(CORRECTIONS, rows)
}
